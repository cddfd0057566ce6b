/* How many trips loops have at most, as lengths that the module's host works out before anything runs. */
#include "autodiff/plan/ad.h"
#include "foundation/base/limits.h"
#include "foundation/analysis/linear.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/slices.h"

/* ---- lengths of the module ---- */

static const kgi_item *item_of(const kgi_ad *a) { return &a->f.work->item[a->req.item]; }
static kgi_scope *scope_of(kgi_ad *a) { return &a->f.work->scope; }
kgi_dim kgi_ad_number(kgi_ad *a, int64_t value) { return kgi_dim_int(&a->f.work->arena, scope_of(a), value); }

/* What lengths can hold. */
static bool literal_int(const kgi_ad *a, uint32_t value, int64_t *out) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (inst->kind != KGI_literal || !kgi_is_int(inst->type)) return false;
  *out = kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(inst));
  return inst->type != KG_U64 || *out >= 0;
}

static bool is_int(kgi_ad *a, kgi_dim x, int64_t value) {
  const kgi_dim_node *n = &scope_of(a)->dim[x.i];
  return n->op == KGI_DIM_INT && n->imm == value;
}

kgi_dim kgi_ad_length(kgi_ad *a, kgi_dim_op op, kgi_dim x, kgi_dim y) {
  bool scales = op == KGI_DIM_MUL || op == KGI_DIM_DIV, shifts = op == KGI_DIM_ADD || op == KGI_DIM_SUB;
  if (!x.i || !y.i) return (kgi_dim){0};
  if ((scales && is_int(a, y, 1)) || (shifts && is_int(a, y, 0))) return x;
  if ((op == KGI_DIM_MUL && is_int(a, x, 1)) || (op == KGI_DIM_ADD && is_int(a, x, 0))) return y;
  return kgi_dim_binary(&a->f.work->arena, scope_of(a), op, x, y);
}

kgi_dim kgi_ad_param_of_run(kgi_ad *a, uint32_t param) {
  const kgi_program *p = a->f.p;
  if (a->of_any_run) return (kgi_dim){0};
  uint32_t value = a->f.work->bind[item_of(a)->binding + kgi_buffer_end(&p->scope) - 1 + param - 1];
  if (value) return (kgi_dim){value};
  return kgi_ad_number(a, kgi_bits_to_int((kg_type)p->scope.param[param].type, p->scope.param[param].bits));
}

kgi_dim kgi_ad_length_of_run(kgi_ad *a, uint32_t object) {
  if (a->of_any_run) return (kgi_dim){0};
  kgi_slice slice = kgi_run_slice(a->f.work, a->req.item, object);
  if (kgi_is_slice(slice)) return kgi_dim_difference(&a->f.work->arena, scope_of(a), slice.to, slice.from);
  uint32_t bound = a->f.work->bind[item_of(a)->binding + object - 1];
  kgi_dim length = scope_of(a)->object[bound].length;
  return length.i ? length : kgi_dim_leaf(&a->f.work->arena, scope_of(a), KGI_DIM_LEN, bound);
}

static kgi_dim default_of(kgi_ad *a, uint32_t constant) {
  const kgi_spec *spec = &a->f.p->scope.spec[constant];
  return a->of_any_run ? (kgi_dim){0} : kgi_ad_number(a, kgi_bits_to_int((kg_type)spec->type, spec->bits));
}

kgi_dim kgi_ad_lifted(kgi_ad *a, kgi_dim dim) {
  const kgi_dim_node n = a->f.p->scope.dim[dim.i];
  switch ((kgi_dim_op)n.op) {
  case KGI_DIM_INT: return kgi_ad_number(a, n.imm);
  case KGI_DIM_PARAM: return kgi_ad_param_of_run(a, n.a);
  case KGI_DIM_SPEC: return default_of(a, n.a);
  case KGI_DIM_LEN: return kgi_ad_length_of_run(a, n.a);
  case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN: case KGI_DIM_MAX: {
    kgi_dim x = kgi_ad_lifted(a, (kgi_dim){n.a});
    kgi_dim y = kgi_ad_lifted(a, (kgi_dim){n.b});
    return kgi_ad_length(a, (kgi_dim_op)n.op, x, y);
  }
  case KGI_DIM_NONE: case KGI_DIM_FLOAT: case KGI_DIM_INDEX: break;
  }
  return (kgi_dim){0};
}

static kgi_dim size_of_run(kgi_ad *a, unsigned axis) {
  kgi_dim size = a->f.p->workgroup[axis];
  return size.i ? kgi_ad_lifted(a, size) : kgi_ad_number(a, 1);
}

kgi_dim kgi_ad_workgroups_along(kgi_ad *a, unsigned axis) {
  if (a->of_any_run) return (kgi_dim){0};
  const kgi_item *item = item_of(a);
  bool own = !kgi_dim_is_set(item->grid), counted = own ? a->f.p->grid_is_invocations : item->grid_is_invocations;
  kgi_dim grid = own ? a->f.p->grid[axis] : item->grid[axis];
  kgi_dim size = size_of_run(a, axis), one = kgi_ad_number(a, 1);
  kgi_dim stated = !grid.i ? one : own ? kgi_ad_lifted(a, grid) : grid;
  if (!counted) return stated;
  kgi_dim rest = kgi_ad_length(a, KGI_DIM_SUB, size, one);
  kgi_dim up = kgi_ad_length(a, KGI_DIM_ADD, stated, rest);
  return kgi_ad_length(a, KGI_DIM_DIV, up, size);
}

kgi_dim kgi_ad_invocations_along(kgi_ad *a, unsigned axis) {
  kgi_dim groups = kgi_ad_workgroups_along(a, axis), size = size_of_run(a, axis);
  return kgi_ad_length(a, KGI_DIM_MUL, groups, size);
}

kgi_dim kgi_ad_lanes(kgi_ad *a) {
  kgi_dim lanes = kgi_ad_invocations_along(a, 0);
  for (unsigned k = 1; k < 3; k++) {
    kgi_dim along = kgi_ad_invocations_along(a, k);
    lanes = kgi_ad_length(a, KGI_DIM_MUL, lanes, along);
  }
  return lanes;
}

static kgi_dim size_of_workgroup(kgi_ad *a) {
  kgi_dim size = size_of_run(a, 0);
  for (unsigned k = 1; k < 3; k++) {
    kgi_dim along = size_of_run(a, k);
    size = kgi_ad_length(a, KGI_DIM_MUL, size, along);
  }
  return size;
}

/* ---- bounds of values ---- */

static kgi_dim bound_of(kgi_ad *a, uint32_t value, bool upper, unsigned depth);
kgi_dim kgi_ad_bound_at(kgi_ad *a, uint32_t value, bool upper, unsigned depth) { return bound_of(a, value, upper, depth); }
static kgi_dim between(kgi_ad *a, uint32_t from, uint32_t to, unsigned depth);

static kgi_dim of_id(kgi_ad *a, const kgi_inst *inst, bool upper) {
  unsigned axis = inst->arg[0] < 3 ? inst->arg[0] : 0;
  /* These are the same for all: loops that step over a whole grid have few trips. */
  if (inst->op == KGI_ID_num_workgroups) return kgi_ad_workgroups_along(a, axis);
  if (inst->op == KGI_ID_workgroup_size) return size_of_run(a, axis);
  if (!upper) return kgi_ad_number(a, 0);
  kgi_dim one = kgi_ad_number(a, 1), size = size_of_run(a, axis);
  switch ((kgi_id)inst->op) {
  case KGI_ID_global_id: return kgi_ad_length(a, KGI_DIM_SUB, kgi_ad_invocations_along(a, axis), one);
  case KGI_ID_workgroup_id: return kgi_ad_length(a, KGI_DIM_SUB, kgi_ad_workgroups_along(a, axis), one);
  case KGI_ID_local_id: return kgi_ad_length(a, KGI_DIM_SUB, size, one);
  case KGI_ID_local_index: case KGI_ID_subgroup_id: return kgi_ad_length(a, KGI_DIM_SUB, size_of_workgroup(a), one);
  case KGI_ID_num_subgroups: return size_of_workgroup(a);
  case KGI_ID_subgroup_lane: case KGI_ID_subgroup_size: return kgi_ad_number(a, 128);
  case KGI_ID_num_workgroups: case KGI_ID_workgroup_size: case KGI_ID_COUNT: break;
  }
  return (kgi_dim){0};
}

/* What a buffer or a param states of its values. */
static kgi_dim of_load(kgi_ad *a, const kgi_inst *inst, bool upper) {
  const kgi_object *o = &a->f.p->scope.object[inst->arg[0]];
  kgi_dim stated = upper ? o->hi : o->lo;
  if (!stated.i || o->space != KGI_BUFFER) return (kgi_dim){0};
  kgi_dim lifted = kgi_ad_lifted(a, stated), one = kgi_ad_number(a, 1);
  return upper ? kgi_ad_length(a, KGI_DIM_SUB, lifted, one) : lifted;
}

static bool is_of_var(const kgi_ad *a, const kgi_inst *inst) {
  const kgi_object *o = &a->f.p->scope.object[inst->arg[0]];
  return inst->kind == KGI_load && o->space == KGI_VAR && o->scalar;
}

/* What a var holds is at most the largest of what is stored to it, as in `var b = m  if b > 400 { b = 400 }`. One hop or two: a var may be
 * made of others. */
static kgi_dim of_var(kgi_ad *a, const kgi_inst *load, unsigned depth) {
  enum { MOST_STORES = 4 };
  kgi_dim most = {0};
  unsigned stores = 0, deeper = depth + 1 + KGI_LIMIT(bound_steps) / 2;
  for (uint32_t i = a->f.object[load->arg[0]].first; i; i = a->f.access_next[i]) {
    const kgi_inst *x = kgi_ad_inst(a, i);
    if (x->kind == KGI_load) continue;
    if (x->kind != KGI_store || stores++ == MOST_STORES) return (kgi_dim){0};
    kgi_dim stored = bound_of(a, x->arg[2], true, deeper);
    if (!stored.i) return (kgi_dim){0};
    most = most.i ? kgi_ad_length(a, KGI_DIM_MAX, most, stored) : stored;
  }
  return most;
}

/* One of them will do where the other is not known. */
static kgi_dim either(kgi_ad *a, kgi_dim_op op, kgi_dim x, kgi_dim y) {
  return !x.i ? y : !y.i ? x : kgi_ad_length(a, op, x, y);
}

/* One is the other, less a literal or nothing. */
static bool is_at_most(kgi_ad *a, kgi_dim x, kgi_dim y) {
  const kgi_dim_node *n = &scope_of(a)->dim[x.i], *by = &scope_of(a)->dim[n->b];
  return x.i && (x.i == y.i || (n->op == KGI_DIM_SUB && n->a == y.i && by->op == KGI_DIM_INT && by->imm >= 0));
}

/* 1 where the number may be below zero, else 0. */
static kgi_dim is_below_zero(kgi_ad *a, kgi_dim below) {
  kgi_dim none = kgi_ad_number(a, 0), one = kgi_ad_number(a, 1);
  below = kgi_ad_length(a, KGI_DIM_MIN, below, one);
  return kgi_ad_length(a, KGI_DIM_MAX, below, none);
}

/* `x + 4294967295`, as compilers write x - 1: so much is taken away; 0: nothing is. */
static int64_t taken_away(const kgi_ad *a, const kgi_inst inst, uint32_t *from) {
  int64_t by;
  if (inst.op != KGI_OP_add || inst.type != KG_U32) return 0;
  for (unsigned k = 0; k < 2; k++) {
    *from = inst.arg[1 - k];
    if (literal_int(a, inst.arg[k], &by) && by > INT32_MAX) return (INT64_C(1) << 32) - by;
  }
  return 0;
}

/* 1 where an unsigned difference or opposite may be negative, or what is made unsigned is. */
static kgi_dim wraps_itself(kgi_ad *a, const kgi_inst inst, unsigned depth) {
  kgi_dim none = kgi_ad_number(a, 0), from = none, less;
  if (kgi_type_kind_of(inst.type) != KGI_UINT) return none;
  if (inst.op == KGI_OP_neg || inst.op == KGI_OP_not) return kgi_ad_number(a, 1);
  uint32_t of;
  int64_t away = taken_away(a, inst, &of);
  kgi_dim least = away ? bound_of(a, of, false, depth) : none;
  if (away) return is_below_zero(a, kgi_ad_length(a, KGI_DIM_SUB, kgi_ad_number(a, away), least));
  if ((inst.op != KGI_OP_sub && inst.op != KGI_OP_convert)) return none;
  if (inst.op == KGI_OP_convert) {
    if (kgi_type_kind_of(a->f.p->inst[inst.arg[0]].type) != KGI_SINT) return none;
    from = bound_of(a, inst.arg[0], false, depth), less = none;
    if (scope_of(a)->dim[from.i].op == KGI_DIM_INT && scope_of(a)->dim[from.i].imm >= 0) return none;
  } else {
    from = bound_of(a, inst.arg[0], false, depth), less = bound_of(a, inst.arg[1], true, depth);
  }
  if (is_at_most(a, less, from)) return none;
  kgi_dim below = kgi_ad_length(a, KGI_DIM_SUB, less, from);
  return is_below_zero(a, below);
}

static bool is_quotient(const kgi_inst inst) { return inst.op == KGI_OP_div || inst.op == KGI_OP_shr; }

/* Large where an operand is. */
static bool hands_on_wraps(const kgi_inst inst) {
  switch ((int)inst.op) {
  case KGI_OP_add: case KGI_OP_sub: case KGI_OP_mul: case KGI_OP_shl: case KGI_OP_or: case KGI_OP_xor: case KGI_OP_saturating_add:
  case KGI_OP_clz: case KGI_OP_abs: case KGI_OP_sqrt: case KGI_OP_fma: case KGI_OP_clamp:
  case KGI_OP_max: case KGI_OP_select: case KGI_OP_convert: case KGI_OP_ceil: case KGI_OP_floor: case KGI_OP_trunc: case KGI_OP_round: return true;
  }
  return is_quotient(inst) || inst.op == KGI_OP_saturating_sub;
}

/* More than 0 where something in a sum, a product, a quotient or a choice wraps. {0}: not known. */
static kgi_dim wraps(kgi_ad *a, uint32_t value, unsigned depth) {
  const kgi_inst inst = *kgi_ad_inst(a, value);
  bool first_alone = is_quotient(inst) || inst.op == KGI_OP_saturating_sub;
  if (inst.kind != KGI_op) return kgi_ad_number(a, 0);
  if (depth > KGI_LIMIT(bound_steps)) return (kgi_dim){0};
  kgi_dim sum = wraps_itself(a, inst, depth + 1);
  for (unsigned k = inst.op == KGI_OP_select; k < (first_alone ? 1 : kgi_op_rows[inst.op].arity); k++) {
    if (!hands_on_wraps(inst)) break;
    kgi_dim of_operand = wraps(a, inst.arg[k], depth + 1);
    sum = kgi_ad_length(a, KGI_DIM_ADD, sum, of_operand);
  }
  return sum;
}

/* What an operand of `min` is at most. An unsigned difference that may be negative wraps, and is large, and so is what it is added to:
 * the other operand bounds it then. Where only the difference bounds a loop, or the other operand is not known, one that wraps is for
 * no tape, and neither is its quotient. */
static kgi_dim with_wrap(kgi_ad *a, uint32_t value, unsigned depth) {
  kgi_dim most = bound_of(a, value, true, depth);
  kg_type type = (kg_type)a->f.p->inst[value].type;
  if (!most.i || kgi_type_kind_of(type) == KGI_SINT) return most;
  kgi_dim times = wraps(a, value, depth), circle = kgi_ad_number(a, UINT32_MAX);
  if (times.i && is_int(a, times, 0)) return most;
  if (type == KG_U64 || type == KG_F64) return (kgi_dim){0}; /* what wraps there is larger than lengths are */
  kgi_dim least = kgi_ad_number(a, 0), behind = kgi_ad_length(a, KGI_DIM_MUL, times, circle);
  most = kgi_ad_length(a, KGI_DIM_MAX, most, least);
  return kgi_ad_length(a, KGI_DIM_ADD, most, behind);
}

/* A quotient by 0 is all ones: as an operand of `min` it bounds nothing then, and the other one does. */
static bool may_divide_by_0(kgi_ad *a, uint32_t value, unsigned depth) {
  const kgi_inst inst = *kgi_ad_inst(a, value);
  int64_t by;
  if (inst.kind != KGI_op || inst.op != KGI_OP_div || inst.type != KG_U32 || literal_int(a, inst.arg[1], &by)) return false;
  kgi_dim least = bound_of(a, inst.arg[1], false, depth);
  const kgi_dim_node *n = &scope_of(a)->dim[least.i];
  return !least.i || n->op != KGI_DIM_INT || n->imm < 1;
}

static kgi_dim in_min(kgi_ad *a, uint32_t value, unsigned depth) {
  bool may_wrap = is_of_var(a, kgi_ad_inst(a, value)); /* what is stored there may */
  return may_wrap || may_divide_by_0(a, value, depth) ? (kgi_dim){0} : with_wrap(a, value, depth);
}
kgi_dim kgi_ad_bound_in_min(kgi_ad *a, uint32_t value, unsigned depth) { return in_min(a, value, depth); }

/* Never negative. */
static bool is_natural(kgi_ad *a, kgi_dim x) {
  const kgi_scope *s = scope_of(a);
  const kgi_dim_node *n = &s->dim[x.i];
  if (n->op == KGI_DIM_INT) return n->imm >= 0;
  return n->op == KGI_DIM_LEN || (n->op == KGI_DIM_PARAM && (s->param[n->a].type == KG_U32 || s->param[n->a].type == KG_U64));
}

static kgi_dim natural(kgi_ad *a, kgi_dim x) {
  kgi_dim none = kgi_ad_number(a, 0);
  return x.i && is_natural(a, x) ? x : kgi_ad_length(a, KGI_DIM_MAX, x, none);
}

/* What is taken away is a literal that was negative before it was converted, as in the trips of a loop that begins there: it is added. */
static bool is_negative_word(const kgi_ad *a, const kgi_inst inst) {
  int64_t by;
  return inst.type == KG_U32 && literal_int(a, inst.arg[1], &by) && by > INT32_MAX;
}

static bool may_be_negative(kgi_ad *a, kgi_dim least) { return least.i && !is_natural(a, least); }

/* As if neither were negative, as for quotients; and where both are known to, also as if they were. */
static kgi_dim of_signed_product(kgi_ad *a, const kgi_inst inst, kgi_dim x, kgi_dim y, unsigned depth) {
  kgi_dim none = kgi_ad_number(a, 0), first = natural(a, x), second = natural(a, y), product = kgi_ad_length(a, KGI_DIM_MUL, first, second);
  kgi_dim low = bound_of(a, inst.arg[0], false, depth), other = bound_of(a, inst.arg[1], false, depth);
  if (!may_be_negative(a, low) || !may_be_negative(a, other)) return product;
  low = kgi_ad_length(a, KGI_DIM_MIN, low, none), other = kgi_ad_length(a, KGI_DIM_MIN, other, none);
  return kgi_ad_length(a, KGI_DIM_MAX, product, kgi_ad_length(a, KGI_DIM_MUL, low, other));
}

/* `x + 4294967295`. The least of it, where all of x is below what is taken away, lies past the middle of the circle. */
static kgi_dim without(kgi_ad *a, uint32_t of, int64_t away, bool upper, unsigned depth) {
  kgi_dim x = bound_of(a, of, upper, depth), by = kgi_ad_number(a, away), rest = kgi_ad_length(a, KGI_DIM_SUB, x, by);
  kgi_dim most = upper ? (kgi_dim){0} : bound_of(a, of, true, depth), circle = kgi_ad_number(a, INT64_C(1) << 32);
  if (!most.i) return rest;
  kgi_dim below = is_below_zero(a, kgi_ad_length(a, KGI_DIM_SUB, by, most));
  return kgi_ad_length(a, KGI_DIM_ADD, rest, kgi_ad_length(a, KGI_DIM_MUL, below, circle));
}

/* Of sums, products and choices. */
static kgi_dim of_two(kgi_ad *a, const kgi_inst inst, bool upper, unsigned depth) {
  bool minus = inst.op == KGI_OP_sub, choice = inst.op == KGI_OP_select;
  if (inst.op == KGI_OP_min && upper) {
    kgi_dim first = in_min(a, inst.arg[0], depth), second = in_min(a, inst.arg[1], depth);
    if (first.i && second.i) return kgi_ad_length(a, KGI_DIM_MIN, first, second);
    if (a->of_any_run) return first.i ? first : second; /* a run may know the other */
    return bound_of(a, inst.arg[second.i ? 1 : 0], true, depth);
  }
  uint32_t of;
  int64_t away = taken_away(a, inst, &of);
  if (away) return without(a, of, away, upper, depth);
  if (minus && upper && !is_negative_word(a, inst)) return between(a, inst.arg[1], inst.arg[0], depth);
  kgi_dim x = bound_of(a, inst.arg[choice ? 1 : 0], upper, depth), y = bound_of(a, inst.arg[choice ? 2 : 1], upper != minus, depth);
  kgi_dim circle = kgi_ad_number(a, INT64_C(1) << 32);
  if (inst.op == KGI_OP_add) return kgi_ad_length(a, KGI_DIM_ADD, x, y);
  if (minus && is_negative_word(a, inst)) return kgi_ad_length(a, KGI_DIM_ADD, x, kgi_ad_length(a, KGI_DIM_SUB, circle, y));
  if (minus) return kgi_ad_length(a, KGI_DIM_SUB, x, y);
  if (inst.op == KGI_OP_mul && inst.type == KG_U32) return kgi_ad_length(a, KGI_DIM_MUL, x, y);
  if (inst.op == KGI_OP_mul) return upper ? of_signed_product(a, inst, x, y, depth) : (kgi_dim){0};
  if (choice) return kgi_ad_length(a, upper ? KGI_DIM_MAX : KGI_DIM_MIN, x, y);
  if (inst.op == KGI_OP_min) return kgi_ad_length(a, KGI_DIM_MIN, x, y);
  return upper ? kgi_ad_length(a, KGI_DIM_MAX, x, y) : either(a, KGI_DIM_MAX, x, y);
}

/* What it is divided by, or shifted by to the right: 1 at least. */
static kgi_dim divisor_of(kgi_ad *a, const kgi_inst inst, unsigned depth) {
  int64_t by;
  kgi_dim one = kgi_ad_number(a, 1);
  bool known = literal_int(a, inst.arg[1], &by), shifts = inst.op == KGI_OP_shr;
  if (known && shifts && kgi_type_bits(inst.type) == 64) by = (by & 63) < 62 ? by & 63 : 62;
  else if (shifts) by &= 31;
  if (known) return shifts ? kgi_ad_number(a, INT64_C(1) << by) : by > 0 ? kgi_ad_number(a, by) : (kgi_dim){0};
  kgi_dim least = shifts ? one : bound_of(a, inst.arg[1], false, depth);
  return least.i ? kgi_ad_length(a, KGI_DIM_MAX, least, one) : one;
}

/* Few are left of all that there are in 32 bits: of a difference that wraps as well. */
static bool leaves_few(kgi_ad *a, kgi_dim by) {
  const kgi_dim_node *n = &scope_of(a)->dim[by.i];
  return n->op == KGI_DIM_INT && n->imm * (int64_t)KGI_LIMIT(kept_trips) > (int64_t)UINT32_MAX;
}

/* Of a quotient. As if nothing signed were negative, and no difference wrapped, as in `(m - 1) / 4 + 1` of m above 0: where that is too
 * low a bound, the forward sweep's assert says so. */
static kgi_dim of_quotient(kgi_ad *a, const kgi_inst inst, bool upper, unsigned depth) {
  int64_t by;
  bool is_signed = kgi_type_kind_of(inst.type) == KGI_SINT;
  if (!kgi_is_int(inst.type) || (!upper && (is_signed || !literal_int(a, inst.arg[1], &by)))) return (kgi_dim){0};
  kgi_dim y = divisor_of(a, inst, depth);
  kgi_dim x = upper && leaves_few(a, y) ? with_wrap(a, inst.arg[0], depth) : bound_of(a, inst.arg[0], upper, depth);
  if (is_signed) x = natural(a, x);
  return kgi_ad_length(a, KGI_DIM_DIV, x, y);
}

/* By a literal whose bits say what there may be at most. A wide one says little, and what it is applied to says more: of words as of an
 * operand of `min`. Of a signed number, where the mask takes the sign alone, as compilers clamp sizes, as if it were not negative: where that
 * is too low a bound, the forward sweep's assert says so. */
static kgi_dim of_mask(kgi_ad *a, const kgi_inst inst, unsigned depth) {
  int64_t mask;
  for (unsigned k = 0; k < 2 && kgi_is_int(inst.type); k++) {
    if (!literal_int(a, inst.arg[k], &mask)) continue;
    if (mask < 0 && inst.type == KG_I32) return bound_of(a, inst.arg[1 - k], true, depth); /* the sign stays, and others go */
    if (mask < 0) continue;
    kgi_dim most = kgi_ad_number(a, mask), of = {0};
    if (mask <= (int64_t)KGI_LIMIT(kept_trips)) return most;
    if (inst.type == KG_U32) of = in_min(a, inst.arg[1 - k], depth);
    if (inst.type == KG_I32 && mask == INT32_MAX) {
      of = natural(a, bound_of(a, inst.arg[1 - k], true, depth));
      if (of.i) return of;
    }
    return either(a, KGI_DIM_MIN, of, most);
  }
  return (kgi_dim){0};
}

/* `-x`, which is `0 - x` of words as well, and counts as other differences do; `~x` lies one below it. */
static kgi_dim of_opposite(kgi_ad *a, const kgi_inst inst, bool upper, unsigned depth) {
  if (inst.type != KG_U32 && inst.type != KG_I32 && inst.type != KG_I64) return (kgi_dim){0};
  kgi_dim first = kgi_ad_number(a, inst.op == KGI_OP_not ? -1 : 0), x = bound_of(a, inst.arg[0], !upper, depth);
  return kgi_ad_length(a, KGI_DIM_SUB, first, x);
}

/* a | b and a ^ b are at most a + b of what is not negative, and so is the sum that does not wrap. */
static kgi_dim of_bits(kgi_ad *a, const kgi_inst inst, unsigned depth) {
  kgi_dim x = natural(a, bound_of(a, inst.arg[0], true, depth)), y = natural(a, bound_of(a, inst.arg[1], true, depth));
  return kgi_ad_length(a, KGI_DIM_ADD, x, y);
}

static kgi_dim of_saturating_sub(kgi_ad *a, const kgi_inst inst, bool upper, unsigned depth) {
  if (upper) return natural(a, between(a, inst.arg[1], inst.arg[0], depth));
  return kgi_type_kind_of(inst.type) == KGI_UINT ? kgi_ad_number(a, 0) : (kgi_dim){0};
}

/* As far as it may lie above 0, or below. */
static kgi_dim of_size(kgi_ad *a, const kgi_inst inst, bool upper, unsigned depth) {
  kgi_dim none = kgi_ad_number(a, 0);
  if (!upper) return none;
  kgi_dim hi = bound_of(a, inst.arg[0], true, depth), lo = bound_of(a, inst.arg[0], false, depth);
  kgi_dim below = kgi_ad_length(a, KGI_DIM_SUB, none, lo);
  return natural(a, kgi_ad_length(a, KGI_DIM_MAX, hi, below));
}

/* A param past INT32_MAX that becomes signed is below 0, and a loop may begin there. */
static kgi_dim of_conversion(kgi_ad *a, const kgi_inst inst, bool upper, unsigned depth) {
  const kgi_inst from = *kgi_ad_inst(a, inst.arg[0]);
  if (from.type == KG_BOOL) return kgi_ad_number(a, upper);
  kgi_dim bound = bound_of(a, inst.arg[0], upper, depth);
  if (upper || from.kind != KGI_param || from.type != KG_U32 || inst.type != KG_I32) return bound;
  kgi_dim most = kgi_ad_number(a, INT32_MAX), circle = kgi_ad_number(a, INT64_C(1) << 32);
  kgi_dim wrapped = is_below_zero(a, kgi_ad_length(a, KGI_DIM_SUB, bound, most));
  return kgi_ad_length(a, KGI_DIM_SUB, bound, kgi_ad_length(a, KGI_DIM_MUL, wrapped, circle));
}

static bool is_of_bits(const kgi_inst inst) {
  return inst.op == KGI_OP_shl || inst.op == KGI_OP_clz || inst.op == KGI_OP_ctz || inst.op == KGI_OP_popcount || inst.op == KGI_OP_bit_extract;
}

static kgi_dim of_op(kgi_ad *a, const kgi_inst inst, bool upper, unsigned depth) {
  switch ((int)inst.op) {
  case KGI_OP_neg: case KGI_OP_not: return of_opposite(a, inst, upper, depth);
  case KGI_OP_convert: return of_conversion(a, inst, upper, depth);
  case KGI_OP_add: case KGI_OP_sub: case KGI_OP_mul: case KGI_OP_min: case KGI_OP_max: case KGI_OP_select:
    return of_two(a, inst, upper, depth);
  case KGI_OP_div: case KGI_OP_shr: return of_quotient(a, inst, upper, depth);
  case KGI_OP_and: return upper ? of_mask(a, inst, depth) : (kgi_dim){0};
  case KGI_OP_or: case KGI_OP_xor: case KGI_OP_saturating_add: return upper ? of_bits(a, inst, depth) : (kgi_dim){0};
  case KGI_OP_saturating_sub: return of_saturating_sub(a, inst, upper, depth);
  case KGI_OP_abs: return of_size(a, inst, upper, depth);
  }
  int64_t by;
  if ((inst.op != KGI_OP_rem && inst.op != KGI_OP_mod) || !upper) return (kgi_dim){0};
  if (inst.type == KG_I32 && literal_int(a, inst.arg[1], &by) && by > 0) return kgi_ad_number(a, by - 1);
  if (inst.type != KG_U32) return (kgi_dim){0};
  if (literal_int(a, inst.arg[1], &by) && !by) return bound_of(a, inst.arg[0], true, depth); /* x % 0 is x */
  kgi_dim x = bound_of(a, inst.arg[1], true, depth), one = kgi_ad_number(a, 1);
  return kgi_ad_length(a, KGI_DIM_SUB, x, one);
}

static kgi_dim of_value(kgi_ad *a, uint32_t value, bool upper, unsigned depth) {
  const kgi_inst inst = *kgi_ad_inst(a, value);
  int64_t constant;
  if (kgi_type_kind_of(inst.type) == KGI_FLOAT) return kgi_ad_bound_of_float(a, value, upper, depth);
  if (literal_int(a, value, &constant)) return kgi_ad_number(a, constant);
  if (inst.kind == KGI_param) return kgi_ad_param_of_run(a, inst.arg[0]);
  if (inst.kind == KGI_spec) return default_of(a, inst.arg[0]);
  if (inst.kind == KGI_len) {
    const kgi_object *o = &a->f.p->scope.object[inst.arg[0]];
    kgi_dim length = inst.arg[1] ? o->extent[inst.arg[1] - 1] : o->length;
    return length.i ? kgi_ad_lifted(a, length) : o->space == KGI_BUFFER ? kgi_ad_length_of_run(a, inst.arg[0]) : (kgi_dim){0};
  }
  if (inst.kind == KGI_id) return of_id(a, &inst, upper);
  if (inst.kind == KGI_load && upper && is_of_var(a, &inst)) return of_var(a, &inst, depth);
  if (inst.kind == KGI_load) return of_load(a, &inst, upper);
  if (inst.kind == KGI_op && is_of_bits(inst)) return kgi_ad_bound_of_bits(a, value, upper, depth + 1);
  if (inst.kind == KGI_op) return of_op(a, inst, upper, depth + 1);
  if (inst.kind != KGI_for) return (kgi_dim){0};
  kgi_dim bound = bound_of(a, inst.arg[upper ? 1 : 0], upper, depth + 1), one = kgi_ad_number(a, 1);
  return upper ? kgi_ad_length(a, KGI_DIM_SUB, bound, one) : bound;
}

/* Nothing unsigned is below 0, but a difference may count as if it were. What a run takes away is not known of any run. */
static bool is_at_least_0(const kgi_ad *a, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  bool kept_low = is_quotient(*inst) || inst->op == KGI_OP_rem || inst->op == KGI_OP_mod || inst->op == KGI_OP_and;
  if (inst->type != KG_U32 && inst->type != KG_U64) return false;
  return !a->of_any_run || inst->kind != KGI_op || kept_low;
}

/* What the value is at most, or at least, unless integers wrap. {0}: not known. */
static kgi_dim bound_of(kgi_ad *a, uint32_t value, bool upper, unsigned depth) {
  if (depth > KGI_LIMIT(bound_steps)) return (kgi_dim){0};
  kgi_dim bound = of_value(a, value, upper, depth);
  return !bound.i && !upper && is_at_least_0(a, value) ? kgi_ad_number(a, 0) : bound;
}

/* ---- what two values have in common ---- */

static kgi_dim of_atom(kgi_ad *a, uint32_t atom, bool upper, unsigned depth) {
  if (atom < KGI_ATOM_FIRST) return bound_of(a, atom, upper, depth);
  uint32_t n = atom & (KGI_ATOM_FIRST - 1);
  switch (atom & KGI_ATOM_KIND) {
  case KGI_ATOM_PARAM: return kgi_ad_param_of_run(a, n);
  case KGI_ATOM_SPEC: return default_of(a, n);
  case KGI_ATOM_LEN: return kgi_ad_length_of_run(a, n);
  default: return (kgi_dim){0};
  }
}

/* Of several atoms as if none were negative, as of products. */
static kgi_dim of_term(kgi_ad *a, const kgi_term *t, unsigned depth) {
  kgi_dim product = kgi_ad_number(a, t->c < 0 ? -t->c : t->c);
  for (unsigned k = 0; k < KGI_DEGREE && t->atom[k]; k++) {
    kgi_dim factor = of_atom(a, t->atom[k], t->c > 0, depth);
    product = kgi_ad_length(a, KGI_DIM_MUL, product, t->atom[1] ? natural(a, factor) : factor);
  }
  return product;
}

static bool have_term_in_common(const kgi_poly *x, const kgi_poly *y) {
  for (uint32_t i = 0; i < x->count; i++)
    for (uint32_t k = 0; k < y->count; k++)
      if (x->t[i].atom[0] && !kgi_term_compare(x->t[i].atom, y->t[k].atom)) return true;
  return false;
}

/* What is in both cancels, as in the rows of a matrix: (b + 1) * n lies n behind b * n. {0}: there is nothing in common. */
static kgi_dim apart(kgi_ad *a, uint32_t from, uint32_t to, unsigned depth) {
  kgi_poly size[3];
  for (unsigned k = 0; k < 3; k++) {
    kgi_dim along = a->f.p->workgroup[k];
    size[k] = along.i ? kgi_poly_of_dim(&a->f.p->scope, along) : kgi_poly_int(1);
  }
  kgi_poly low = kgi_poly_of_value(a->f.p, (kgi_val){from}, size), high = kgi_poly_of_value(a->f.p, (kgi_val){to}, size);
  kgi_poly way = kgi_poly_add(&high, &low, -1);
  if (way.failed || !have_term_in_common(&high, &low)) return (kgi_dim){0};
  kgi_dim sum = kgi_ad_number(a, 0);
  for (uint32_t k = 0; k < way.count; k++) sum = kgi_ad_length(a, way.t[k].c < 0 ? KGI_DIM_SUB : KGI_DIM_ADD, sum, of_term(a, &way.t[k], depth));
  return sum;
}

static kgi_dim between_operand(kgi_ad *a, uint32_t from, uint32_t to, unsigned depth) {
  if (may_divide_by_0(a, to, depth)) return (kgi_dim){0};
  kgi_dim times = wraps(a, to, depth);
  if (times.i && is_int(a, times, 0)) return between(a, from, to, depth);
  kgi_dim hi = with_wrap(a, to, depth), lo = bound_of(a, from, false, depth);
  return kgi_ad_length(a, KGI_DIM_SUB, hi, lo);
}

static bool is_op(const kgi_inst *inst, kgi_op op) { return inst->kind == KGI_op && inst->op == op; }

/* `i < r ? 0 : i - r`, which is i - r or more. */
static bool is_choice_of(kgi_ad *a, const kgi_inst choice, kgi_inst *difference) {
  const kgi_inst condition = *kgi_ad_inst(a, choice.arg[0]);
  bool above = is_op(&condition, KGI_OP_gt) || is_op(&condition, KGI_OP_ge), below = is_op(&condition, KGI_OP_lt) || is_op(&condition, KGI_OP_le);
  int64_t least;
  if ((!above && !below) || !literal_int(a, choice.arg[above ? 2 : 1], &least) || least < 0) return false;
  *difference = *kgi_ad_inst(a, choice.arg[above ? 1 : 2]);
  return is_op(difference, KGI_OP_sub) && difference->arg[0] == condition.arg[0] && difference->arg[1] == condition.arg[1];
}

/* Begins that are clamped, as `max(i, r) - r` is, too. {0}: it is none. */
static kgi_dim behind_clamp(kgi_ad *a, uint32_t from, uint32_t to, unsigned depth) {
  kgi_inst begin = *kgi_ad_inst(a, from);
  if (is_op(&begin, KGI_OP_select)) {
    if (!is_choice_of(a, begin, &begin)) return (kgi_dim){0};
  } else if (!is_op(&begin, KGI_OP_sub) || !is_op(kgi_ad_inst(a, begin.arg[0]), KGI_OP_max)) {
    return (kgi_dim){0};
  }
  kgi_dim way = between(a, begin.arg[0], to, depth), back = bound_of(a, begin.arg[1], true, depth);
  return kgi_ad_length(a, KGI_DIM_ADD, way, back);
}

/* An end of `min(i + r, n - 1) + 1`. {0}: it is none. */
static kgi_dim past_min(kgi_ad *a, uint32_t from, const kgi_inst to, unsigned depth) {
  for (unsigned k = 0; k < 2 && is_op(&to, KGI_OP_add); k++) {
    if (!is_op(kgi_ad_inst(a, to.arg[k]), KGI_OP_min)) continue;
    kgi_dim way = between(a, from, to.arg[k], depth), more = bound_of(a, to.arg[1 - k], true, depth);
    return kgi_ad_length(a, KGI_DIM_ADD, way, more);
  }
  return (kgi_dim){0};
}

/* How far `to` lies behind `from` at most: also where only their difference is known. */
static kgi_dim between(kgi_ad *a, uint32_t from, uint32_t to, unsigned depth) {
  const kgi_inst inst = *kgi_ad_inst(a, to);
  if (depth > KGI_LIMIT(bound_steps)) return (kgi_dim){0};
  if (is_op(&inst, KGI_OP_min)) {
    kgi_dim x = between_operand(a, from, inst.arg[0], depth + 1);
    kgi_dim y = between_operand(a, from, inst.arg[1], depth + 1);
    if (x.i && y.i) return kgi_ad_length(a, KGI_DIM_MIN, x, y);
    if (a->of_any_run) return x.i ? x : y;
    return between(a, from, inst.arg[y.i ? 1 : 0], depth + 1);
  }
  const kgi_inst begin = *kgi_ad_inst(a, from);
  if (is_op(&begin, KGI_OP_max)) { /* behind the larger one, and so behind both */
    kgi_dim x = between(a, begin.arg[0], to, depth + 1), y = between(a, begin.arg[1], to, depth + 1);
    return either(a, KGI_DIM_MIN, x, y);
  }
  for (unsigned k = 0; k < 2 && is_op(&inst, KGI_OP_add); k++)
    if (inst.arg[k] == from) return bound_of(a, inst.arg[1 - k], true, depth + 1);
  kgi_dim way = past_min(a, from, inst, depth + 1);
  if (!way.i) way = behind_clamp(a, from, to, depth + 1);
  if (!way.i) way = apart(a, from, to, depth + 1);
  if (way.i) return way;
  kgi_dim hi = bound_of(a, to, true, depth + 1), lo = bound_of(a, from, false, depth + 1);
  return kgi_ad_length(a, KGI_DIM_SUB, hi, lo);
}

static kgi_dim most_trips(kgi_ad *a, uint32_t loop) {
  const kgi_inst inst = *kgi_ad_inst(a, loop);
  kgi_dim one = kgi_ad_number(a, 1);
  if (inst.kind == KGI_while && inst.arg[3]) return natural(a, kgi_ad_lifted(a, (kgi_dim){inst.arg[3]}));
  if (inst.kind == KGI_while) {
    uint32_t few = kgi_counted(&a->f, loop).few;
    return few ? kgi_ad_number(a, few) : (kgi_dim){0};
  }
  kgi_dim span = between(a, inst.arg[0], inst.arg[1], 0), least = bound_of(a, inst.arg[2], false, 0);
  if (is_int(a, least, 1)) return natural(a, span);
  kgi_dim step = kgi_ad_length(a, KGI_DIM_MAX, least, one);
  kgi_dim last = kgi_ad_length(a, KGI_DIM_SUB, span, one);
  kgi_dim trips = kgi_ad_length(a, KGI_DIM_DIV, last, step);
  trips = kgi_ad_length(a, KGI_DIM_ADD, trips, one);
  return natural(a, trips);
}

/* The same where it is a literal that any run keeps to, as the length of an array has to be; else UINT64_MAX. */
static uint64_t most_by_literals(kgi_ad *a, uint32_t loop) {
  a->of_any_run = true;
  kgi_dim most = most_trips(a, loop);
  a->of_any_run = false;
  const kgi_dim_node *n = &scope_of(a)->dim[most.i];
  return most.i && n->op == KGI_DIM_INT ? (uint64_t)n->imm : UINT64_MAX;
}

/* A constant may be specialized; lengths of the module have its default. */
bool kgi_ad_names_constant(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (!dim.i || n->op == KGI_DIM_SPEC) return dim.i;
  if (n->op == KGI_DIM_LEN) return kgi_ad_names_constant(s, s->object[n->a].length);
  bool has_sides = n->op >= KGI_DIM_ADD && n->op <= KGI_DIM_MAX;
  return has_sides && (kgi_ad_names_constant(s, (kgi_dim){n->a}) || kgi_ad_names_constant(s, (kgi_dim){n->b}));
}

static bool is_exact_leaf(const kgi_ad *a, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (inst->kind != KGI_len) return inst->kind == KGI_literal || inst->kind == KGI_param;
  const kgi_object *o = &a->f.p->scope.object[inst->arg[0]];
  return !kgi_ad_names_constant(&a->f.p->scope, inst->arg[1] ? o->extent[inst->arg[1] - 1] : o->length);
}

static bool are_proved(const kgi_ad *a, uint32_t loop) {
  const kgi_inst *inst = kgi_ad_inst(a, loop);
  if (inst->kind == KGI_while) return inst->arg[3] && !kgi_ad_names_constant(&a->f.p->scope, (kgi_dim){inst->arg[3]}); /* its limit stops it */
  return is_exact_leaf(a, inst->arg[0]) && is_exact_leaf(a, inst->arg[1]) && is_exact_leaf(a, inst->arg[2]);
}

/* The constant that says how many trips there are, or that there are no more, if they are few by default; 0: none does. */
static uint32_t constant_trips(const kgi_ad *a, uint32_t loop, uint64_t *trips) {
  const kgi_inst *inst = kgi_ad_inst(a, loop), *to = kgi_ad_inst(a, inst->arg[1]);
  int64_t from, step;
  if (inst->kind != KGI_for || to->kind != KGI_spec || !kgi_is_int(to->type)) return 0;
  if (!literal_int(a, inst->arg[0], &from) || !literal_int(a, inst->arg[2], &step) || from < 0 || step < 1) return 0;
  int64_t most = kgi_bits_to_int((kg_type)to->type, a->f.p->scope.spec[to->arg[0]].bits);
  if (most < 1 || most > (int64_t)KGI_LIMIT(kept_trips)) return 0;
  *trips = (uint64_t)most;
  return to->arg[0];
}

enum { MANY = 1 << 24 }; /* past that, it does not matter how many there are */

/* As many as the type has, or half of them: what bounds them is no bound that somebody meant. */
static bool says_nothing(kgi_ad *a, kgi_dim most) {
  const kgi_dim_node *n = &scope_of(a)->dim[most.i];
  return !most.i || (n->op == KGI_DIM_INT && n->imm >= INT32_MAX);
}

/* Where nothing says how many trips there are, some are assumed, as many as were asked for or as are usual, and the forward sweep asserts
 * that there are no more. */
static kgi_ad_loop found(kgi_ad *a, uint32_t loop) {
  uint64_t trips = most_by_literals(a, loop);
  kgi_ad_loop l = {.loop = loop, .most = most_trips(a, loop), .proved = are_proved(a, loop)};
  if (trips <= KGI_LIMIT(kept_trips)) l.few = trips ? (uint32_t)trips : 1;
  else if ((l.spec = constant_trips(a, loop, &trips))) l.few = (uint32_t)trips;
  l.usual = trips <= MANY ? (uint32_t)trips : 0;
  uint64_t assumed = a->req.trips ? a->req.trips : KGI_LIMIT(assumed_trips);
  if (!says_nothing(a, l.most) || (assumed < 2 && !a->req.trips)) return l;
  l.few = assumed <= KGI_LIMIT(kept_trips) ? (uint32_t)assumed : 0;
  l.usual = (uint32_t)assumed;
  l.most = kgi_ad_number(a, (int64_t)assumed);
  l.assumed = true;
  l.proved = false;
  return l;
}

const kgi_ad_loop *kgi_ad_loop_find(kgi_ad *a, uint32_t loop) {
  static const kgi_ad_loop nothing;
  if (a->loop_of[loop]) return kgi_ad_loop_at(a, loop);
  if (!kgi_arena_grow(&a->scratch, &a->loop, a->loop_count, &a->loop_cap, sizeof *a->loop)) return kgi_ad_fail(a, KG_NO_MEMORY), &nothing;
  a->loop[a->loop_count++] = found(a, loop);
  a->loop_of[loop] = a->loop_count;
  return kgi_ad_loop_at(a, loop);
}

uint32_t kgi_ad_kept_trips(kgi_ad *a, kgi_blk block, uint32_t value) {
  uint64_t total = 1, alike = kgi_ad_alike(a, value);
  uint32_t outer = a->f.block[block].loop, loop = kgi_ad_dimension(a, alike, a->f.block[a->f.p->inst[value].block].loop, outer);
  for (; loop != outer; loop = kgi_ad_next_dimension(a, alike, loop, outer)) {
    total *= kgi_ad_loop_find(a, loop)->few;
    if (!total || total > KGI_LIMIT(kept_trips)) return 0;
  }
  return (uint32_t)total;
}
