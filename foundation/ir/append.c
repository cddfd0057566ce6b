#include "foundation/ir/append.h"
#include "foundation/ir/copy.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/slices.h"

#include <string.h>

/* ---- lengths ---- */

/* Of what stands for an object: of a slice, what lies between its ends. */
static kgi_dim length_of(const kgi_appending *x, uint32_t object) {
  kgi_arena *arena = &x->b->m->arena;
  kgi_scope *to = kgi_builder_scope(x->b);
  if (x->slice && x->slice[object].to.i) return kgi_dim_difference(arena, to, x->slice[object].to, x->slice[object].from);
  return kgi_dim_leaf(arena, to, KGI_DIM_LEN, x->object[object]);
}

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
  case KGI_DIM_PARAM: return (kgi_dim){x->param[n->a]};
  case KGI_DIM_SPEC: {
    const kgi_spec *spec = &x->from->scope.spec[n->a];
    return kgi_dim_int(arena, to, kgi_bits_to_int((kg_type)spec->type, spec->bits));
  }
  case KGI_DIM_LEN: return length_of(x, n->a);
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

/* Positions in another text mean nothing in this one. */
static void move(kgi_program *p, kgi_pos pos) {
  p->pos = pos;
  for (uint32_t i = 0; i < p->inst_count; i++) p->inst_pos[i] = pos;
  for (uint32_t i = 0; i < p->scope.object_count; i++) p->scope.object[i].pos = pos;
  for (uint32_t i = 0; i < p->scope.param_count; i++) p->scope.param[i].pos = pos;
  for (uint32_t i = 0; i < p->scope.spec_count; i++) p->scope.spec[i].pos = pos;
}

static bool add_program(const kgi_appending *x, const kgi_program *from) {
  kg_module *m = x->b->m;
  const char *name = kgi_module_free_name(m, x->prefix ? x->prefix : "", kgi_string(x->from, from->name), "");
  kgi_program *p = kgi_program_copy(&m->arena, from);
  if (!p || !name || !kgi_arena_grow(&m->arena, &m->program, m->program_count, &m->program_cap, sizeof *m->program)) return false;
  p->name = kgi_intern_z(m, name);
  rename_all(x, p);
  if (p->adjoint) p->adjoint += x->base;
  if (x->pos) move(p, x->pos);
  m->program[m->program_count++] = p;
  return true;
}

bool kgi_append_programs(kgi_appending *x) {
  x->base = x->b->m->program_count - 1;
  for (uint32_t k = 1; k < x->from->program_count; k++)
    if (!add_program(x, x->from->program[k])) return false;
  return true;
}

/* ---- ranges ---- */

/* The param of `from` that all runs of program k pass for its param q as it is; 0: none. */
static uint32_t passed_by_all(const kg_module *from, uint32_t k, uint32_t q) {
  uint32_t at = kgi_buffer_end(&from->program[k]->scope) + q - 2, found = 0;
  for (uint32_t i = 1; i < from->item_count; i++) {
    if (from->item[i].kind != KGI_ITEM_RUN || from->item[i].program != k) continue;
    const kgi_dim_node *n = &from->scope.dim[from->bind[from->item[i].binding + at]];
    if (n->op != KGI_DIM_PARAM || (found && n->a != found)) return 0;
    found = n->a;
  }
  return found;
}

static bool is_number(const kgi_scope *s, kgi_dim d) { return s->dim[d.i].op == KGI_DIM_INT || s->dim[d.i].op == KGI_DIM_FLOAT; }

/* A bound that is a number, in another scope. */
static kgi_dim number(kgi_arena *arena, const kgi_scope *from, kgi_dim d, kgi_scope *to) {
  const kgi_dim_node *n = &from->dim[d.i];
  double value;
  if (n->op == KGI_DIM_INT) return kgi_dim_int(arena, to, n->imm);
  return memcpy(&value, &n->imm, sizeof value), kgi_dim_float(arena, to, value);
}

void kgi_append_ranges(const kgi_appending *x) {
  const kgi_scope *s = &x->from->scope;
  for (uint32_t k = 1; k < x->from->program_count; k++) {
    kgi_scope *to = &x->b->m->program[x->base + k]->scope;
    for (uint32_t q = 1; q < to->param_count; q++) {
      const kgi_param *p = &s->param[passed_by_all(x->from, k, q)];
      if (!p->ranged || to->param[q].ranged || p->type != to->param[q].type || !is_number(s, p->lo) || !is_number(s, p->hi)) continue;
      to->param[q].lo = number(&x->b->m->arena, s, p->lo, to);
      to->param[q].hi = number(&x->b->m->arena, s, p->hi, to);
      to->param[q].ranged = true;
    }
  }
}

/* ---- the order of work ---- */

/* A slice of what stands for the object, which may be one itself. */
static kgi_slice part_of(const kgi_appending *x, uint32_t object, kgi_slice part) {
  kgi_arena *arena = &x->b->m->arena;
  kgi_scope *to = kgi_builder_scope(x->b);
  kgi_slice outer = x->slice ? x->slice[object] : (kgi_slice){{0}, {0}};
  if (!part.to.i) return outer;
  part.from = kgi_append_dim(x, part.from);
  part.to = kgi_append_dim(x, part.to);
  if (!outer.to.i) return part;
  part.from = kgi_dim_binary(arena, to, KGI_DIM_ADD, outer.from, part.from);
  part.to = kgi_dim_binary(arena, to, KGI_DIM_ADD, outer.from, part.to);
  /* no further than what it is a part of: the run is then too short for its program, which is an error */
  kgi_dim left = kgi_dim_difference(arena, to, outer.to, part.to);
  const kgi_dim_node *n = &to->dim[left.i];
  if (!left.i || n->op != KGI_DIM_INT || n->imm < 0) part.to = kgi_dim_binary(arena, to, KGI_DIM_MIN, part.to, outer.to);
  return part;
}

static uint32_t add_run(const kgi_appending *x, const kgi_item *from, uint32_t at) {
  const kgi_scope *s = &x->from->program[from->program]->scope;
  const uint32_t *bind = x->from->bind + from->binding;
  uint32_t item = kgi_run_begin(x->b, x->base + from->program), buffers = kgi_buffer_end(s) - 1;
  if (!item) return 0;
  for (uint32_t o = 1; o <= buffers; o++) {
    kgi_slice slice = part_of(x, bind[o - 1], kgi_run_slice(x->from, at, o));
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

static uint32_t add_items(const kgi_appending *x, uint32_t first) {
  uint32_t head = 0, last = 0;
  for (uint32_t i = first; i; i = x->from->item[i].next) {
    const kgi_item *from = &x->from->item[i];
    uint32_t item = from->kind == KGI_ITEM_RUN ? add_run(x, from, i) : add_repeat(x, from);
    x->item[i] = item;
    if (!item) return 0;
    x->b->m->item[item].pos = x->pos ? x->pos : from->pos;
    if (last) x->b->m->item[last].next = item;
    else head = item;
    last = item;
    uint32_t inner = from->kind == KGI_ITEM_REPEAT ? add_items(x, from->first) : 0;
    x->b->m->item[item].first = inner;
  }
  return head;
}

uint32_t kgi_append_items(kgi_appending *x, kgi_arena *scratch) {
  x->item = kgi_arena_alloc(scratch, x->from->item_count, sizeof *x->item);
  return x->item ? add_items(x, x->from->first_item) : 0;
}

bool kgi_append_module(kgi_appending *x, kgi_arena *scratch) {
  if (!kgi_append_programs(x)) return false;
  uint32_t first = kgi_append_items(x, scratch);
  if (first) kgi_item_append(x->b, 0, first);
  return x->item && x->b->status == KG_OK && !x->b->m->arena.failed;
}
