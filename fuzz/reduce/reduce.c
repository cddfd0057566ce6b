#include "fuzz/reduce/edits.h"

#include "foundation/ir/copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool kgi_is_late(const kgi_reducer *r) { return now() > r->until; }

bool kgi_begin_edit(kgi_reducer *r, kgi_case *c, kgi_builder *b, uint32_t program) {
  if (program >= r->best->module->program_count || !kgi_case_copy(c, r->best)) return false;
  kgi_builder_init(b, c->module, NULL);
  if (program) kgi_resume_program(b, c->module->program[program]);
  return true;
}

/* ---- what is tried ---- */

/* Whether both are the same to the byte. */
static bool is_same(const kgi_case *a, const kgi_case *b) {
  kgi_message x = {0}, y = {0};
  bool same = kgi_case_pack(a, &x) && kgi_case_pack(b, &y) && x.size == y.size && !memcmp(x.at, y.at, x.size);
  kgi_message_free(&x), kgi_message_free(&y);
  return same;
}

bool kgi_try(kgi_reducer *r, kgi_case *c) {
  bool fails = !kgi_is_late(r) && kgi_is_sound(&c->module) && !is_same(c, r->best);
  if (fails) r->asked++, fails = r->params->fails(r->params->user, c);
  if (!fails) return kgi_case_free(c), false;
  kgi_case_free(r->best);
  *r->best = *c;
  if (r->params->progress) r->params->progress(r->params->user, r->best, r->asked);
  return true;
}

/* ---- all of it ---- */

/* Values of params stand in the module, where sizes are looked at. */
static void state_params(kgi_case *c) {
  for (uint32_t i = 1; i < c->module->scope.param_count; i++) {
    kgi_param *p = &c->module->scope.param[i];
    const kgi_case_array *a = kgi_case_find(c, kgi_string(c->module, p->name));
    if (!a || a->type != p->type || a->count != 1) continue;
    p->bits = kgi_canonical_bits((kg_type)p->type, kg_value_load(a->type, a->data, 0)), p->has_default = true;
    if (c->module->lone) c->module->program[1]->scope.param[i].bits = p->bits, c->module->program[1]->scope.param[i].has_default = true;
    uint32_t at = (uint32_t)(a - c->array);
    free(c->array[at].name), free(c->array[at].data);
    c->array[at] = c->array[--c->arrays];
  }
}

typedef bool pass(kgi_reducer *r);
static pass *const passes[] = {kgi_reduce_runs, kgi_reduce_statements, kgi_reduce_blocks, kgi_reduce_values, kgi_reduce_declared,
                               kgi_reduce_sizes, kgi_reduce_leaves, kgi_reduce_inputs, kgi_reduce_cleaned};

unsigned kgi_reduce(kgi_case *c, const kgi_reduce_params *params) {
  kgi_reducer r = {.best = c, .params = params, .until = now() + params->seconds};
  state_params(c);
  for (bool changed = true; changed && !kgi_is_late(&r);) {
    changed = false;
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) changed |= passes[i](&r);
  }
  r.until += 5; /* it is short */
  kgi_reduce_style(&r);
  return r.asked;
}

/* ---- what is left ---- */

unsigned kgi_statements(const kg_module *m) {
  unsigned count = 0;
  for (uint32_t k = 1; k < m->program_count; k++) {
    const kgi_program *p = m->program[k];
    uint32_t *uses = calloc(p->inst_count, sizeof *uses);
    if (!uses) return count;
    kgi_count_uses(p, KGI_BODY, uses);
    KGI_EACH_INSIDE(p, KGI_BODY, i) count += !kgi_is_pure(&p->inst[i]) || uses[i] > 1;
    free(uses);
  }
  return count;
}

static const char *row_of(const kgi_inst *x) {
  switch ((kgi_op_table)kgi_kind_rows[x->kind].table) {
  case KGI_OF_OPS: return kgi_op_rows[x->op].name;
  case KGI_OF_ATOMICS: return kgi_atomic_rows[x->op].name;
  case KGI_OF_SUBGROUPS: return kgi_subgroup_rows[x->op].name;
  case KGI_OF_NONE: case KGI_OF_IDS: break;
  }
  return "";
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

void kgi_shape_of(const kg_module *m, char *text, size_t size) {
  enum { MOST = 400, LENGTH = 48 };
  char (*all)[LENGTH] = calloc(MOST, sizeof *all);
  unsigned count = 0;
  size_t used = 0;
  *text = 0;
  for (uint32_t k = 1; all && k < m->program_count; k++)
    KGI_EACH_INSIDE(m->program[k], KGI_BODY, i) {
      const kgi_inst *x = &m->program[k]->inst[i];
      const char *row = row_of(x);
      if (count < MOST)
        snprintf(all[count++], LENGTH, "%s%s%s", x->kind == KGI_op ? "" : kgi_kind_names[x->kind], *row && x->kind != KGI_op ? " " : "",
                 row);
    }
  if (all) qsort(all, count, sizeof *all, by_text);
  for (unsigned i = 0; i < count && used < size; i++)
    if (!i || strcmp(all[i], all[i - 1])) used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", all[i]);
  free(all);
}
