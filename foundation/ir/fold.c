#include "foundation/ir/fold.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/certain.h"
#include "foundation/ir/eval.h"
#include "foundation/ir/most.h"
#include "foundation/base/limits.h"

#include <math.h>
#include <string.h>

/* ---- one operation ---- */

typedef struct fold {
  kgi_builder *b;
  const kgi_inst *inst;
  kgi_val x[4];        /* operands */
  bool literal[4];
  uint64_t bits[4];    /* of those that are literals */
  kg_type type;        /* of the leading operand */
} fold;

static const kgi_val NOTHING;

static uint64_t ones(kg_type type) {
  unsigned bits = type == KG_BOOL ? 1 : kgi_type_bits(type);
  return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Operand k is the literal of that value, in its own type. */
static bool is(const fold *f, unsigned k, int value) {
  if (!f->literal[k]) return false;
  kg_type type = kgi_type_of(f->b->p, f->x[k]);
  if (kgi_is_float(type)) return f->bits[k] == kgi_float_bits(type, value);
  return f->bits[k] == ((uint64_t)(int64_t)value & ones(type));
}

static bool is_ones(const fold *f, unsigned k) { return f->literal[k] && f->bits[k] == ones(kgi_type_of(f->b->p, f->x[k])); }

static bool is_negative_zero(const fold *f, unsigned k) {
  return f->literal[k] && kgi_is_float(f->type) && f->bits[k] == kgi_float_bits(f->type, -0.0);
}

static bool is_zero(const fold *f, unsigned k) { return is(f, k, 0) || is_negative_zero(f, k); }
static bool is_exact(const fold *f) { return !kgi_is_float(f->type); } /* integers and bools: every identity holds */
static bool same(const fold *f, unsigned i, unsigned k) { return f->x[i].i == f->x[k].i; }
static kgi_val zero(const fold *f) { return kgi_int(f->b, (kg_type)f->inst->type, 0); }
static kgi_val truth(const fold *f, bool value) { return kgi_bool(f->b, value); }

/* The operand of operand k, where that is `op`; else nothing. */
static kgi_val under(const fold *f, unsigned k, kgi_op op) {
  const kgi_inst *inst = &f->b->p->inst[f->x[k].i];
  return inst->kind == KGI_op && inst->op == op ? (kgi_val){inst->arg[0]} : NOTHING;
}

static bool is_id(const fold *f, uint32_t value, kgi_id id, unsigned axis) {
  const kgi_inst *inst = &f->b->p->inst[value];
  return inst->kind == KGI_id && inst->op == id && inst->arg[0] == axis;
}

/* How many invocations a workgroup has along the axis. */
static bool is_size(const fold *f, uint32_t value, unsigned axis) {
  const kgi_program *p = f->b->p;
  const kgi_inst *inst = &p->inst[value];
  const kgi_dim_node *n = &p->scope.dim[p->workgroup[axis].i];
  if (is_id(f, value, KGI_ID_workgroup_size, axis)) return true;
  if (!p->workgroup[axis].i) return false;
  if (inst->kind == KGI_spec) return n->op == KGI_DIM_SPEC && n->a == inst->arg[0];
  return inst->kind == KGI_literal && n->op == KGI_DIM_INT && n->imm > 0 && (uint64_t)n->imm == kgi_literal_bits(inst);
}

/* workgroup_id.x * workgroup_size.x + local_id.x, as CUDA has it: whoever looks for an invocation's own element looks for one id. */
static kgi_val whole_id(fold *f) {
  for (unsigned k = 0; k < 2 && f->type == KG_U32; k++) {
    const kgi_inst *local = &f->b->p->inst[f->x[k].i], *begin = &f->b->p->inst[f->x[1 - k].i];
    if (local->kind != KGI_id || local->op != KGI_ID_local_id || begin->kind != KGI_op || begin->op != KGI_OP_mul) continue;
    unsigned axis = local->arg[0];
    for (unsigned n = 0; n < 2; n++)
      if (is_id(f, begin->arg[n], KGI_ID_workgroup_id, axis) && is_size(f, begin->arg[1 - n], axis))
        return kgi_id_value(f->b, KGI_ID_global_id, axis);
  }
  return NOTHING;
}

static kgi_val fold_add(fold *f) {
  kgi_val whole = whole_id(f);
  if (whole.i) return whole;
  for (unsigned k = 0; k < 2; k++) {
    kgi_val other = f->x[1 - k], minus = under(f, k, KGI_OP_neg);
    if (is_exact(f) ? is(f, k, 0) : is_negative_zero(f, k)) return other;
    if (minus.i) return kgi_op2(f->b, KGI_OP_sub, other, minus);
  }
  return NOTHING;
}

/* What is left of a sum of two without one of them. */
static kgi_val without(const fold *f, kgi_val sum, kgi_val one) {
  const kgi_inst *x = &f->b->p->inst[sum.i];
  if (x->kind != KGI_op || x->op != KGI_OP_add) return NOTHING;
  for (unsigned k = 0; k < 2; k++)
    if (x->arg[k] == one.i) return (kgi_val){x->arg[1 - k]};
  return NOTHING;
}

static bool is_same(const fold *f, uint32_t value, uint32_t other) {
  const kgi_inst *x = &f->b->p->inst[value], *y = &f->b->p->inst[other];
  return value == other || (x->kind == KGI_literal && y->kind == KGI_literal && kgi_literal_bits(x) == kgi_literal_bits(y));
}

/* e - e / c * c: what is left of e, whatever wraps. Where c is 0 all three are e. */
static kgi_val what_division_leaves(const fold *f) {
  const kgi_inst *product = &f->b->p->inst[f->x[1].i];
  if (kgi_type_kind_of(f->type) != KGI_UINT || product->kind != KGI_op || product->op != KGI_OP_mul) return NOTHING;
  for (unsigned k = 0; k < 2; k++) {
    const kgi_inst *quotient = &f->b->p->inst[product->arg[1 - k]];
    if (quotient->kind != KGI_op || quotient->op != KGI_OP_div || quotient->arg[0] != f->x[0].i) continue;
    if (is_same(f, quotient->arg[1], product->arg[k])) return kgi_op2(f->b, KGI_OP_rem, f->x[0], (kgi_val){quotient->arg[1]});
  }
  return NOTHING;
}

static kgi_val fold_sub(fold *f) {
  kgi_val minus = under(f, 1, KGI_OP_neg);
  if (is(f, 1, 0)) return f->x[0];
  if (is_exact(f) && same(f, 0, 1)) return zero(f);
  if (is_exact(f) ? is(f, 0, 0) : is_negative_zero(f, 0)) return kgi_op1(f->b, KGI_OP_neg, f->x[1]);
  kgi_val rest = is_exact(f) ? without(f, f->x[0], f->x[1]) : NOTHING;
  if (!rest.i) rest = what_division_leaves(f);
  return minus.i ? kgi_op2(f->b, KGI_OP_add, f->x[0], minus) : rest;
}

static kgi_val fold_mul(fold *f) {
  for (unsigned k = 0; k < 2; k++) {
    if (is(f, k, 1)) return f->x[1 - k];
    if (is(f, k, -1) && kgi_type_kind_of(f->type) != KGI_UINT) return kgi_op1(f->b, KGI_OP_neg, f->x[1 - k]);
    if (is_exact(f) && is(f, k, 0)) return zero(f);
  }
  kgi_val a = under(f, 0, KGI_OP_neg), b = under(f, 1, KGI_OP_neg);
  return a.i && b.i ? kgi_op2(f->b, KGI_OP_mul, a, b) : NOTHING;
}

static kgi_val fold_div(fold *f) {
  kgi_val high, low;
  if (is(f, 1, 1)) return f->x[0];
  if (is(f, 1, -1) && kgi_is_float(f->type)) return kgi_op1(f->b, KGI_OP_neg, f->x[0]);
  return f->literal[1] && kgi_digits_of_sum(f->b->p, f->x[0], f->bits[1], &high, &low) ? high : NOTHING;
}

static kgi_val fold_rem(fold *f) {
  kgi_val high, low;
  if (is_exact(f) && is(f, 1, 1)) return zero(f);
  return f->literal[1] && kgi_digits_of_sum(f->b->p, f->x[0], f->bits[1], &high, &low) ? low : NOTHING;
}
static kgi_val fold_neg(fold *f) { return under(f, 0, KGI_OP_neg); }
static kgi_val fold_not(fold *f) { return under(f, 0, KGI_OP_not); }
static kgi_val fold_idempotent(fold *f) { return under(f, 0, (kgi_op)f->inst->op).i ? f->x[0] : NOTHING; }
/* A literal never moves: what the derivative by it would be is of no concern. */
static kgi_val fold_with_partial(fold *f) { return f->literal[1] ? f->x[0] : NOTHING; }
static kgi_val fold_min_max(fold *f) { return same(f, 0, 1) ? f->x[0] : NOTHING; }

/* A product has the sign that its factors give a zero, and mulz has +0: only what is 0 in any case is folded. Derivatives, which do not
 * care for that sign, use products where they may (autodiff/emit/partial.c). */
static kgi_val fold_mulz(fold *f) { return is_zero(f, 0) ? zero(f) : NOTHING; }

static kgi_val fold_and(fold *f) {
  if (same(f, 0, 1)) return f->x[0];
  for (unsigned k = 0; k < 2; k++) {
    if (is(f, k, 0)) return zero(f);
    if (is_ones(f, k)) return f->x[1 - k];
  }
  return NOTHING;
}

static kgi_val fold_or(fold *f) {
  if (same(f, 0, 1)) return f->x[0];
  for (unsigned k = 0; k < 2; k++) {
    if (is(f, k, 0)) return f->x[1 - k];
    if (is_ones(f, k)) return f->x[k];
  }
  return NOTHING;
}

static kgi_val fold_xor(fold *f) {
  if (same(f, 0, 1)) return zero(f);
  for (unsigned k = 0; k < 2; k++) {
    if (is(f, k, 0)) return f->x[1 - k];
    if (is_ones(f, k)) return kgi_op1(f->b, KGI_OP_not, f->x[1 - k]);
  }
  return NOTHING;
}

static kgi_val fold_shift(fold *f) { return is(f, 1, 0) ? f->x[0] : NOTHING; } /* ldexp and rotations too */

static kgi_val fold_equality(fold *f) {
  bool equal = f->inst->op == KGI_OP_eq;
  if (is_exact(f) && same(f, 0, 1)) return truth(f, equal);
  for (unsigned k = 0; k < 2 && f->type == KG_BOOL; k++)
    if (f->literal[k]) return (f->bits[k] != 0) == equal ? f->x[1 - k] : kgi_op1(f->b, KGI_OP_not, f->x[1 - k]);
  return NOTHING;
}

/* NaN is less than nothing, so a < a is false for floats too; a <= a is not known. */
static kgi_val fold_less(fold *f) {
  if (same(f, 0, 1)) return truth(f, false);
  bool below = f->inst->op == KGI_OP_lt;
  return kgi_type_kind_of(f->type) == KGI_UINT && is(f, below ? 1 : 0, 0) ? truth(f, false) : NOTHING;
}

static kgi_val fold_at_most(fold *f) {
  if (is_exact(f) && same(f, 0, 1)) return truth(f, true);
  bool below = f->inst->op == KGI_OP_le;
  return kgi_type_kind_of(f->type) == KGI_UINT && is(f, below ? 0 : 1, 0) ? truth(f, true) : NOTHING;
}

/* Among conditions a choice is one of && and ||: where one side is the condition itself, or a literal. */
static kgi_val choose_condition(const fold *f) {
  bool yes = f->literal[1] ? f->bits[1] != 0 : true, no = f->literal[2] ? f->bits[2] != 0 : false;
  kgi_val c = f->x[0];
  if (f->literal[1] || same(f, 0, 1)) {
    if (yes) return kgi_op2(f->b, KGI_OP_or, c, f->x[2]);
    return kgi_op2(f->b, KGI_OP_and, kgi_op1(f->b, KGI_OP_not, c), f->x[2]);
  }
  if (!f->literal[2] && !same(f, 0, 2)) return NOTHING;
  if (!no) return kgi_op2(f->b, KGI_OP_and, c, f->x[1]);
  return kgi_op2(f->b, KGI_OP_or, kgi_op1(f->b, KGI_OP_not, c), f->x[1]);
}

/* Made of sizes, ids and indices: no bits of a float, which a choice hands on, and an extreme changes. */
static bool is_number(const kgi_program *p, uint32_t value, unsigned depth) {
  const kgi_inst *x = &p->inst[value];
  if (x->kind != KGI_op) return x->kind != KGI_load && x->kind != KGI_atomic && x->kind != KGI_subgroup;
  if (!depth || !kgi_is_int(p->inst[x->arg[0]].type)) return false;
  for (unsigned k = 0; k < kgi_op_rows[x->op].arity; k++)
    if (!is_number(p, x->arg[k], depth - 1)) return false;
  return true;
}

/* Of two integers the one that is less, or more. Floats have NaN, and zeros that are neither. */
static kgi_val choose_extreme(const fold *f) {
  enum { DEEP = 6 };
  const kgi_inst *c = &f->b->p->inst[f->x[0].i];
  bool is_less = c->op == KGI_OP_lt || c->op == KGI_OP_le, is_more = c->op == KGI_OP_gt || c->op == KGI_OP_ge;
  if (!kgi_is_int(f->inst->type) || c->kind != KGI_op || (!is_less && !is_more)) return NOTHING;
  bool as_it_is = is_same(f, c->arg[0], f->x[1].i) && is_same(f, c->arg[1], f->x[2].i);
  bool crossed = is_same(f, c->arg[0], f->x[2].i) && is_same(f, c->arg[1], f->x[1].i);
  if (f->b->p->inst[c->arg[0]].type != f->inst->type || (!as_it_is && !crossed)) return NOTHING;
  if (!is_number(f->b->p, c->arg[0], DEEP) || !is_number(f->b->p, c->arg[1], DEEP)) return NOTHING;
  return kgi_op2(f->b, is_less == as_it_is ? KGI_OP_min : KGI_OP_max, f->x[1], f->x[2]);
}

static kgi_val fold_select(fold *f) {
  kgi_val negated = under(f, 0, KGI_OP_not);
  if (same(f, 1, 2)) return f->x[1];
  if (f->literal[0]) return f->x[f->bits[0] ? 1 : 2];
  if (f->inst->type == KG_BOOL && f->literal[1] && f->literal[2])
    return f->bits[1] ? f->x[0] : kgi_op1(f->b, KGI_OP_not, f->x[0]);
  if (negated.i) return kgi_op3(f->b, KGI_OP_select, negated, f->x[2], f->x[1]);
  return f->inst->type == KG_BOOL ? choose_condition(f) : choose_extreme(f);
}

/* Whether each value of `from` is one of `to`. */
static bool embeds(kg_type from, kg_type to) {
  if (from == KG_BOOL) return to != KG_BOOL;
  if (from == KG_I32) return to == KG_I64 || to == KG_F64;
  if (from == KG_U32) return to == KG_I64 || to == KG_U64 || to == KG_F64;
  if (from == KG_F16) return to == KG_F32 || to == KG_F64;
  return from == KG_F32 && to == KG_F64;
}

/* Whether a conversion straight to the last type gives what the way through the middle one gives. An integer that comes from an
 * integer wraps, but one that comes from a float saturates. */
static bool is_direct(kg_type first, kg_type middle, kg_type last) {
  bool saturates = kgi_is_float(middle) && !kgi_is_float(first) && kgi_is_int(last);
  return embeds(first, middle) && (!saturates || first == last || embeds(first, last));
}

static kgi_val fold_convert(fold *f) {
  kg_type last = (kg_type)f->inst->type;
  if (f->type == last) return f->x[0];
  kgi_val first = under(f, 0, KGI_OP_convert);
  return first.i && is_direct(kgi_type_of(f->b->p, first), f->type, last) ? kgi_convert(f->b, last, first) : NOTHING;
}

static kgi_val fold_bitcast(fold *f) {
  if (f->type == f->inst->type) return f->x[0];
  kgi_val first = under(f, 0, KGI_OP_bitcast);
  if (!first.i) return NOTHING;
  return kgi_type_of(f->b->p, first) == f->inst->type ? first : kgi_bitcast(f->b, (kg_type)f->inst->type, first);
}

static kgi_val (*const identities[KGI_OP_COUNT])(fold *f) = {
  [KGI_OP_add] = fold_add, [KGI_OP_sub] = fold_sub, [KGI_OP_mul] = fold_mul, [KGI_OP_div] = fold_div, [KGI_OP_rem] = fold_rem,
  [KGI_OP_mod] = fold_rem, [KGI_OP_neg] = fold_neg, [KGI_OP_abs] = fold_idempotent, [KGI_OP_min] = fold_min_max,
  [KGI_OP_max] = fold_min_max, [KGI_OP_mulz] = fold_mulz, [KGI_OP_floor] = fold_idempotent, [KGI_OP_ceil] = fold_idempotent,
  [KGI_OP_trunc] = fold_idempotent, [KGI_OP_round] = fold_idempotent, [KGI_OP_and] = fold_and, [KGI_OP_or] = fold_or,
  [KGI_OP_xor] = fold_xor, [KGI_OP_not] = fold_not, [KGI_OP_shl] = fold_shift, [KGI_OP_shr] = fold_shift,
  [KGI_OP_rotl] = fold_shift, [KGI_OP_rotr] = fold_shift, [KGI_OP_ldexp] = fold_shift, [KGI_OP_eq] = fold_equality,
  [KGI_OP_ne] = fold_equality, [KGI_OP_lt] = fold_less, [KGI_OP_gt] = fold_less, [KGI_OP_le] = fold_at_most,
  [KGI_OP_ge] = fold_at_most, [KGI_OP_select] = fold_select, [KGI_OP_convert] = fold_convert, [KGI_OP_bitcast] = fold_bitcast,
  [KGI_OP_stop_gradient] = fold_idempotent, [KGI_OP_with_partial] = fold_with_partial,
};

/* An operation on literals. fma is left alone: the reference fuses it, and devices do not. flat_index is left alone, too: it is how an
 * access remembers its indices. Functions that are not exact are left alone,
 * too, but those of f64, which devices do not have. */
static bool fold_bits(kgi_op op, kg_type operand, kg_type result, const uint64_t *args, uint64_t *out) {
  if (op == KGI_OP_fma || op == KGI_OP_flat_index) return false;
  if (kgi_op_rows[op].flags & KGI_EXACT) return kgi_eval(op, operand, result, args, out);
  return operand == KG_F64 && kgi_certain(op, args, out);
}

static kgi_val fold_literals(const fold *f, unsigned arity) {
  uint64_t result;
  for (unsigned k = 0; k < arity; k++)
    if (!f->literal[k]) return NOTHING;
  if (!fold_bits((kgi_op)f->inst->op, f->type, (kg_type)f->inst->type, f->bits, &result)) return NOTHING;
  return kgi_literal_of(f->b, (kg_type)f->inst->type, result);
}

static bool constant(const kgi_program *p, uint32_t value, uint32_t *steps, uint64_t *out) {
  const kgi_inst *inst = &p->inst[value];
  uint64_t args[4] = {0};
  if (inst->kind == KGI_literal) return *out = kgi_literal_bits(inst), true;
  if (inst->kind != KGI_op || !*steps) return false;
  --*steps;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (!constant(p, inst->arg[k], steps, &args[k])) return false;
  kg_type leading = (kg_type)p->inst[inst->arg[inst->op == KGI_OP_select]].type;
  return fold_bits((kgi_op)inst->op, leading, (kg_type)inst->type, args, out);
}

bool kgi_constant(const kgi_program *p, uint32_t value, uint64_t *out) {
  uint32_t steps = KGI_LIMIT(constant_steps);
  return constant(p, value, &steps, out);
}

kgi_val kgi_fold(kgi_builder *b, const kgi_inst *inst) {
  if (inst->kind != KGI_op) return NOTHING;
  fold f = {.b = b, .inst = inst};
  unsigned arity = kgi_op_rows[inst->op].arity;
  for (unsigned k = 0; k < arity; k++) {
    const kgi_inst *operand = &b->p->inst[inst->arg[k]];
    f.x[k] = (kgi_val){inst->arg[k]};
    f.literal[k] = operand->kind == KGI_literal;
    f.bits[k] = f.literal[k] ? kgi_literal_bits(operand) : 0;
  }
  f.type = kgi_type_of(b->p, f.x[inst->op == KGI_OP_select ? 1 : 0]);
  kgi_val simple = fold_literals(&f, arity);
  if (simple.i || !identities[inst->op]) return simple;
  return identities[inst->op](&f);
}
