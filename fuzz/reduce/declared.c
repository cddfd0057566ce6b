/* What is declared: objects, params, constants that go; modules that become programs. */
#include "fuzz/reduce/edits.h"

#include "modules/modules.h"

#include <stdlib.h>
#include <string.h>

/* ---- who uses what ---- */

static bool dim_uses(const kgi_scope *s, kgi_dim_op op, uint32_t index) {
  for (uint32_t i = 1; i < s->dim_count; i++)
    if (s->dim[i].op == op && s->dim[i].a == index) return true;
  return false;
}

bool kgi_object_is_used(const kg_module *m, uint32_t program, uint32_t object) {
  const kgi_program *p = m->program[program];
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (kgi_object_of(&p->inst[i]) == object && p->inst[i].kind != KGI_var) return true;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_len && p->inst[i].arg[0] == object) return true;
  return dim_uses(&p->scope, KGI_DIM_LEN, object);
}

static bool param_is_used(const kgi_program *p, uint32_t param) {
  uint32_t *uses = calloc(p->inst_count, sizeof *uses);
  bool used = dim_uses(&p->scope, KGI_DIM_PARAM, param);
  if (uses) kgi_count_uses(p, KGI_BODY, uses);
  for (uint32_t i = 1; uses && i < p->inst_count; i++) used |= p->inst[i].kind == KGI_param && p->inst[i].arg[0] == param && uses[i];
  free(uses);
  return used;
}

/* ---- what goes ---- */

static void move_dims(kgi_scope *s, kgi_dim_op op, uint32_t gone) {
  for (uint32_t i = 1; i < s->dim_count; i++)
    if (s->dim[i].op == op && s->dim[i].a > gone) s->dim[i].a--;
}

static void drop_row(void *table, uint32_t *count, uint32_t row, size_t size) {
  char *at = (char *)table + row * size;
  memmove(at, at + size, (--*count - row) * size);
}

/* The entries of each run of a program without those of one buffer, or of one param. */
static void drop_bindings(kg_module *m, uint32_t program, uint32_t entry, uint32_t slice) {
  const kgi_scope *s = &m->program[program]->scope;
  uint32_t buffers = kgi_buffer_end(s) - 1, all = buffers + s->param_count - 1 + 2 * buffers;
  for (uint32_t i = 1; i < m->item_count; i++) {
    kgi_item *item = &m->item[i];
    if (item->kind != KGI_ITEM_RUN || item->program != program) continue;
    uint32_t *made = kgi_arena_alloc(&m->arena, m->bind_count + all, sizeof *made), n = m->bind_count;
    if (!made) return;
    memcpy(made, m->bind, m->bind_count * sizeof *made);
    for (uint32_t k = 0; k < all; k++)
      if (k != entry && (!slice || (k != slice && k != slice + 1))) made[n++] = m->bind[item->binding + k];
    item->binding = m->bind_count;
    m->bind = made, m->bind_count = n, m->bind_cap = n;
  }
}

void kgi_drop_object(kg_module *m, uint32_t program, uint32_t object) {
  kgi_program *p = m->program[program];
  uint32_t buffers = kgi_buffer_end(&p->scope) - 1;
  if (object <= buffers && !m->lone) drop_bindings(m, program, object - 1, buffers + p->scope.param_count - 1 + 2 * (object - 1));
  uint32_t count, *list = kgi_list_instructions(p, &count);
  for (uint32_t k = 0; list && k < count; k++)
    if (p->inst[list[k]].kind == KGI_var && p->inst[list[k]].arg[0] == object) kgi_remove(p, list[k]);
  free(list);
  for (uint32_t i = 1; i < p->inst_count; i++) {
    uint8_t arg = kgi_kind_rows[p->inst[i].kind].object;
    if (arg != KGI_NO_ARG && p->inst[i].arg[arg] > object) p->inst[i].arg[arg]--;
  }
  drop_row(p->scope.object, &p->scope.object_count, object, sizeof *p->scope.object);
  move_dims(&p->scope, KGI_DIM_LEN, object);
}

void kgi_drop_module_object(kg_module *m, uint32_t object) {
  for (uint32_t i = 1; i < m->item_count; i++) {
    const kgi_item *item = &m->item[i];
    uint32_t buffers = item->kind == KGI_ITEM_RUN ? kgi_buffer_end(&m->program[item->program]->scope) - 1 : 0;
    for (uint32_t k = 0; k < buffers; k++) m->bind[item->binding + k] -= m->bind[item->binding + k] > object;
  }
  drop_row(m->scope.object, &m->scope.object_count, object, sizeof *m->scope.object);
  move_dims(&m->scope, KGI_DIM_LEN, object);
}

static void drop_param(kg_module *m, uint32_t program, uint32_t param) {
  kgi_program *p = m->program[program];
  if (!m->lone) drop_bindings(m, program, kgi_buffer_end(&p->scope) - 1 + param - 1, 0);
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_param && p->inst[i].arg[0] > param) p->inst[i].arg[0]--;
  drop_row(p->scope.param, &p->scope.param_count, param, sizeof *p->scope.param);
  move_dims(&p->scope, KGI_DIM_PARAM, param);
}

static bool module_object_is_bound(const kg_module *m, uint32_t object) {
  for (uint32_t i = 1; i < m->item_count; i++) {
    const kgi_item *item = &m->item[i];
    uint32_t buffers = item->kind == KGI_ITEM_RUN ? kgi_buffer_end(&m->program[item->program]->scope) - 1 : 0;
    for (uint32_t k = 0; k < buffers; k++)
      if (m->bind[item->binding + k] == object) return true;
  }
  return dim_uses(&m->scope, KGI_DIM_LEN, object);
}

static bool drop_unused(kgi_reducer *r, uint32_t program) {
  bool changed = false;
  kgi_case c;
  kgi_builder b;
  for (uint32_t o = r->best->module->program[program]->scope.object_count; --o > 0;) {
    if (kgi_object_is_used(r->best->module, program, o) || !kgi_begin_edit(r, &c, &b, program)) continue;
    kgi_drop_object(c.module, program, o);
    changed |= kgi_try(r, &c);
  }
  for (uint32_t q = r->best->module->program[program]->scope.param_count; --q > 0;) {
    if (param_is_used(r->best->module->program[program], q) || !kgi_begin_edit(r, &c, &b, program)) continue;
    drop_param(c.module, program, q);
    changed |= kgi_try(r, &c);
  }
  return changed;
}

static bool drop_module_unused(kgi_reducer *r) {
  bool changed = false;
  kgi_case c;
  kgi_builder b;
  for (uint32_t o = r->best->module->scope.object_count; !r->best->module->lone && --o > 0;) {
    if (module_object_is_bound(r->best->module, o) || !kgi_begin_edit(r, &c, &b, 0)) continue;
    kgi_drop_module_object(c.module, o);
    changed |= kgi_try(r, &c);
  }
  return changed;
}

/* ---- params and constants that are numbers ---- */

static void number_dims(kgi_scope *s, kgi_dim_op op, uint32_t index, uint64_t bits) {
  for (uint32_t i = 1; i < s->dim_count; i++)
    if (s->dim[i].op == op && s->dim[i].a == index) s->dim[i] = (kgi_dim_node){.op = KGI_DIM_INT, .imm = (int64_t)bits};
}

/* A literal stands there from now on; that there may be another of it does no harm to who encodes it. */
static void number_leaves(kgi_builder *b, kgi_kind kind, uint32_t index, uint64_t bits) {
  for (uint32_t i = 1, end = b->p->inst_count; i < end; i++) {
    if (b->p->inst[i].kind != kind || b->p->inst[i].arg[0] != index) continue;
    kgi_val literal = kgi_literal_of(b, (kg_type)b->p->inst[i].type, bits);
    kgi_replace_uses(b->p, i, literal.i);
  }
}

static bool fix_params(kgi_reducer *r, uint32_t program) {
  bool changed = false;
  kgi_case c;
  kgi_builder b;
  for (uint32_t q = r->best->module->program[program]->scope.param_count; --q > 0 && !kgi_is_late(r);) {
    if (!kgi_begin_edit(r, &c, &b, program)) continue;
    const kgi_param p = b.p->scope.param[q];
    number_leaves(&b, KGI_param, q, p.bits);
    if (!kgi_is_float(p.type)) number_dims(&b.p->scope, KGI_DIM_PARAM, q, p.bits);
    drop_param(c.module, program, q);
    changed |= kgi_try(r, &c);
  }
  for (uint32_t s = r->best->module->program[program]->scope.spec_count; --s > 0;) {
    if (!kgi_begin_edit(r, &c, &b, program)) continue;
    number_leaves(&b, KGI_spec, s, b.p->scope.spec[s].bits);
    number_dims(&b.p->scope, KGI_DIM_SPEC, s, b.p->scope.spec[s].bits);
    if (s + 1 == b.p->scope.spec_count) b.p->scope.spec_count--;
    changed |= kgi_try(r, &c);
  }
  return changed;
}

/* What a declaration says besides: ranges, draws, places in bindings, several dimensions. */
static bool plain_objects(kgi_reducer *r, uint32_t program) {
  bool changed = false;
  kgi_case c;
  kgi_builder b;
  for (uint32_t o = 1; o < r->best->module->program[program]->scope.object_count && !kgi_is_late(r); o++)
    for (unsigned way = 0; way < 3; way++) {
      if (!kgi_begin_edit(r, &c, &b, program)) continue;
      kgi_object *x = &b.p->scope.object[o];
      if (way == 0) x->ranged = false, x->draw = KG_DRAW_EVENLY, x->lo = x->hi = (kgi_dim){0};
      if (way == 1) x->view = false, x->set = x->binding = x->offset = x->stride = x->row = x->every = 0;
      if (way == 2) x->rank = 0, memset(x->extent, 0, sizeof x->extent);
      changed |= kgi_try(r, &c);
    }
  return changed;
}

bool kgi_reduce_declared(kgi_reducer *r) {
  bool changed = false;
  for (uint32_t k = 1; k < r->best->module->program_count; k++) {
    changed |= drop_unused(r, k);
    changed |= fix_params(r, k);
    changed |= plain_objects(r, k);
  }
  return changed | drop_module_unused(r);
}
