/* Another module's programs and order of work, at the end of a module's own. */
#include "foundation/ir/dim.h"
#include "foundation/ir/slices.h"
#include "modules/modules.h"

#include <string.h>

/* ---- lengths ---- */

kgi_dim kgi_append_dim(const kgi_appending *x, kgi_dim dim) {
  const kgi_dim_node *n = &x->from->scope.dim[dim.i];
  kgi_arena *arena = &x->b->m->arena;
  kgi_scope *to = kgi_builder_scope(x->b);
  double number;
  if (!dim.i) return dim;
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_NONE: return (kgi_dim){0};
  case KGI_DIM_INT: return kgi_dim_int(arena, to, n->imm);
  case KGI_DIM_FLOAT: return memcpy(&number, &n->imm, sizeof number), kgi_dim_float(arena, to, number);
  case KGI_DIM_PARAM: return kgi_dim_leaf(arena, to, KGI_DIM_PARAM, x->param[n->a]);
  case KGI_DIM_SPEC: {
    const kgi_spec *spec = &x->from->scope.spec[n->a];
    return kgi_dim_int(arena, to, kgi_bits_to_int((kg_type)spec->type, spec->bits));
  }
  case KGI_DIM_LEN: return kgi_dim_leaf(arena, to, KGI_DIM_LEN, x->object[n->a]);
  case KGI_DIM_INDEX: return kgi_dim_leaf(arena, to, KGI_DIM_INDEX, x->item[n->a]);
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX:
    break;
  }
  kgi_dim a = kgi_append_dim(x, (kgi_dim){n->a}), b = kgi_append_dim(x, (kgi_dim){n->b});
  return kgi_dim_binary(arena, to, (kgi_dim_op)n->op, a, b);
}

/* ---- programs ---- */

static kgi_str rename(const kgi_appending *x, kgi_str s) { return s.i ? kgi_intern_z(x->b->m, kgi_string(x->from, s)) : s; }

static bool has_text(const kgi_inst *inst) {
  return inst->kind == KGI_check || inst->kind == KGI_region || inst->kind == KGI_checkpoint;
}

static void rename_all(const kgi_appending *x, kgi_program *p) {
  kgi_scope *s = &p->scope;
  for (uint32_t i = 1; i < s->object_count; i++) s->object[i].name = rename(x, s->object[i].name);
  for (uint32_t i = 1; i < s->param_count; i++) s->param[i].name = rename(x, s->param[i].name);
  for (uint32_t i = 1; i < s->spec_count; i++) s->spec[i].name = rename(x, s->spec[i].name);
  for (uint32_t i = 1; i < p->inst_count; i++) {
    p->inst_name[i] = rename(x, p->inst_name[i]);
    if (p->inst[i].block && has_text(&p->inst[i])) p->inst[i].arg[1] = rename(x, (kgi_str){p->inst[i].arg[1]}).i;
  }
}

static bool add_program(const kgi_appending *x, const kgi_program *from, uint32_t base) {
  kg_module *m = x->b->m;
  const char *name = kgi_module_free_name(m, "", kgi_string(x->from, from->name), "");
  kgi_program *p = kgi_program_copy(&m->arena, from);
  if (!p || !name || !kgi_arena_grow(&m->arena, &m->program, m->program_count, &m->program_cap, sizeof *m->program)) return false;
  p->name = kgi_intern_z(m, name);
  rename_all(x, p);
  if (p->adjoint) p->adjoint += base;
  m->program[m->program_count++] = p;
  return true;
}

/* ---- the order of work ---- */

static uint32_t add_run(const kgi_appending *x, const kgi_item *from, uint32_t at, uint32_t base) {
  const kgi_scope *s = &x->from->program[from->program]->scope;
  const uint32_t *bind = x->from->bind + from->binding;
  uint32_t item = kgi_run_begin(x->b, base + from->program), buffers = kgi_buffer_end(s) - 1;
  if (!item) return 0;
  for (uint32_t o = 1; o <= buffers; o++) {
    kgi_slice slice = kgi_run_slice(x->from, at, o);
    slice.from = kgi_append_dim(x, slice.from);
    slice.to = kgi_append_dim(x, slice.to);
    kgi_run_bind_slice(x->b, item, o, x->object[bind[o - 1]], slice);
  }
  for (uint32_t q = 1; q < s->param_count; q++)
    kgi_run_bind_param(x->b, item, q, kgi_append_dim(x, (kgi_dim){bind[buffers + q - 1]}));
  for (unsigned k = 0; k < 3; k++) {
    kgi_dim groups = kgi_append_dim(x, from->grid[k]);
    x->b->m->item[item].grid[k] = groups;
  }
  x->b->m->item[item].grid_is_invocations = from->grid_is_invocations;
  return item;
}

static uint32_t add_repeat(const kgi_appending *x, const kgi_item *from) {
  kgi_dim low = kgi_append_dim(x, from->from), high = kgi_append_dim(x, from->to), step = kgi_append_dim(x, from->step);
  return kgi_repeat_begin(x->b, kgi_string(x->from, from->name), low, high, step, from->reversed);
}

static void add_items(const kgi_appending *x, uint32_t first, uint32_t parent, uint32_t base) {
  for (uint32_t i = first; i; i = x->from->item[i].next) {
    const kgi_item *from = &x->from->item[i];
    uint32_t item = from->kind == KGI_ITEM_RUN ? add_run(x, from, i, base) : add_repeat(x, from);
    x->item[i] = item;
    if (!item) return;
    x->b->m->item[item].pos = from->pos;
    kgi_item_append(x->b, parent, item);
    if (from->kind == KGI_ITEM_REPEAT) add_items(x, from->first, item, base);
  }
}

bool kgi_append_module(kgi_appending *x, kgi_arena *scratch) {
  kg_module *m = x->b->m;
  uint32_t base = m->program_count - 1;
  x->item = kgi_arena_alloc(scratch, x->from->item_count, sizeof *x->item);
  if (!x->item) return false;
  for (uint32_t k = 1; k < x->from->program_count; k++)
    if (!add_program(x, x->from->program[k], base)) return false;
  add_items(x, x->from->first_item, 0, base);
  return x->b->status == KG_OK && !m->arena.failed;
}
