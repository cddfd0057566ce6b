/* Last of all: names and an order of statements as a person would have them. */
#include "fuzz/reduce/edits.h"

#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static const char *const buffer_names[] = {"x", "y", "z", "u", "v", "w", "a", "b", "c", "d"};
static const char *const param_names[] = {"n", "m", "k", "l"};

static void name_of(char out[24], const char *const *names, size_t count, const char *base, uint32_t i) {
  if (i < count) snprintf(out, 24, "%s", names[i]);
  else snprintf(out, 24, "%s%u", base, i);
}

static void rename_scope(kgi_case *c, kgi_scope *s, bool tell) {
  kg_module *m = c->module;
  uint32_t buffers = 0, vars = 0, shared = 0, count = 0;
  kgi_renaming *all = calloc(s->object_count + s->param_count, sizeof *all);
  for (uint32_t i = 1; all && i < s->object_count + s->param_count - 1; i++) {
    kgi_renaming *n = &all[count++];
    bool param = i >= s->object_count;
    kgi_str *name = param ? &s->param[i - s->object_count + 1].name : &s->object[i].name;
    snprintf(n->from, sizeof n->from, "%s", kgi_string(m, *name));
    if (param) name_of(n->to, param_names, 4, "p", i - s->object_count);
    else if (s->object[i].space == KGI_BUFFER) name_of(n->to, buffer_names, 10, "x", buffers++);
    else if (s->object[i].space == KGI_SHARED) name_of(n->to, (const char *const[]){"tile", "part"}, 2, "tile", shared++);
    else name_of(n->to, (const char *const[]){"s", "t"}, 2, "s", vars++);
    *name = kgi_intern_z(m, n->to);
  }
  if (all && tell) kgi_rename_in_case(c, all, count);
  free(all);
}

static bool plain_names(kgi_reducer *r) {
  kgi_case c;
  kgi_builder b;
  if (!kgi_begin_edit(r, &c, &b, 0)) return false;
  kg_module *m = c.module;
  for (uint32_t k = 1; k < m->program_count; k++) {
    char name[24];
    kgi_program *p = m->program[k];
    for (uint32_t i = 1; i < p->inst_count; i++) p->inst_name[i] = (kgi_str){0};
    snprintf(name, sizeof name, m->lone ? "small" : "step%u", k);
    p->name = kgi_intern_z(m, name);
    rename_scope(&c, &p->scope, m->lone);
  }
  if (!m->lone) m->name = kgi_intern_z(m, "small"), rename_scope(&c, &m->scope, true);
  return kgi_try(r, &c);
}

/* ---- statements ---- */

static bool plain_order(kgi_reducer *r) {
  kgi_case c;
  kgi_builder b;
  kgi_arena scratch;
  kg_status status = KG_OK;
  if (!kgi_begin_edit(r, &c, &b, 0)) return false;
  kgi_arena_init(&scratch, NULL);
  for (uint32_t k = 1; status == KG_OK && k < c.module->program_count; k++)
    status = kgi_write_lines(c.module, c.module->program[k], &scratch);
  kgi_arena_free(&scratch);
  if (status == KG_OK) return kgi_try(r, &c);
  kgi_case_free(&c);
  return false;
}

/* x[0] for x[u32(0)]. */
static bool plain_indices(kgi_reducer *r) {
  kgi_case c;
  kgi_builder b;
  if (!kgi_begin_edit(r, &c, &b, 0)) return false;
  for (uint32_t k = 1; k < c.module->program_count; k++) {
    kgi_program *p = c.module->program[k];
    kgi_resume_program(&b, p);
    for (uint32_t i = 1, end = p->inst_count; i < end; i++) {
      const kgi_inst *index = kgi_touches(&p->inst[i]) ? &p->inst[p->inst[i].arg[1]] : NULL;
      bool plain = index && index->kind == KGI_literal && index->type == KG_U32 && index->arg[0] < 0x80000000;
      kgi_val literal = plain ? kgi_i32(&b, (int32_t)index->arg[0]) : (kgi_val){0};
      if (plain) p->inst[i].arg[1] = literal.i;
    }
  }
  return kgi_try(r, &c);
}

/* What a pass knows to leave out. */
bool kgi_reduce_cleaned(kgi_reducer *r) {
  kgi_case c;
  kgi_builder b;
  kg_status status = KG_OK;
  if (!kgi_begin_edit(r, &c, &b, 0)) return false;
  for (uint32_t k = 1; status == KG_OK && k < c.module->program_count; k++) status = kgi_clean(c.module, c.module->program[k]);
  bool smaller = status == KG_OK && kgi_statements(c.module) < kgi_statements(r->best->module);
  if (smaller) return kgi_try(r, &c);
  kgi_case_free(&c);
  return false;
}

bool kgi_reduce_style(kgi_reducer *r) {
  bool changed = plain_names(r);
  changed |= plain_indices(r);
  return changed | plain_order(r);
}
