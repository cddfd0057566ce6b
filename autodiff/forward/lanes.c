/* The tangents of subgroup operations. They stand in the same branch as the operation, so that the same lanes take part. */
#include "autodiff/forward/jvp.h"

typedef enum lane_rule {
  LINEAR,  /* the operation itself, on tangents: a sum, a scan of one, a value from another lane */
  EXTREME, /* the mean over the lanes that hold the result */
  IN_TURN, /* lane by lane: a product, whose every factor counts once; a scan of minima or maxima */
  NONE,
} lane_rule;

static lane_rule rule_of(kgi_subgroup op) {
  switch (op) {
  case KGI_SUBGROUP_add: case KGI_SUBGROUP_inclusive_add: case KGI_SUBGROUP_exclusive_add: case KGI_SUBGROUP_broadcast:
  case KGI_SUBGROUP_broadcast_first: case KGI_SUBGROUP_shuffle: case KGI_SUBGROUP_shuffle_xor: case KGI_SUBGROUP_shuffle_up:
  case KGI_SUBGROUP_shuffle_down: return LINEAR;
  case KGI_SUBGROUP_min: case KGI_SUBGROUP_max: return EXTREME;
  case KGI_SUBGROUP_mul: case KGI_SUBGROUP_inclusive_mul: case KGI_SUBGROUP_exclusive_mul: case KGI_SUBGROUP_inclusive_min:
  case KGI_SUBGROUP_inclusive_max: case KGI_SUBGROUP_exclusive_min: case KGI_SUBGROUP_exclusive_max: return IN_TURN;
  case KGI_SUBGROUP_and: case KGI_SUBGROUP_or: case KGI_SUBGROUP_xor: case KGI_SUBGROUP_inclusive_and: case KGI_SUBGROUP_inclusive_or:
  case KGI_SUBGROUP_inclusive_xor: case KGI_SUBGROUP_exclusive_and: case KGI_SUBGROUP_exclusive_or: case KGI_SUBGROUP_exclusive_xor:
  case KGI_SUBGROUP_ballot: case KGI_SUBGROUP_any: case KGI_SUBGROUP_all: case KGI_SUBGROUP_elect: case KGI_SUBGROUP_COUNT: break;
  }
  return NONE;
}

bool kgi_jvp_has_lanes(kgi_subgroup op, bool in_condition) { return rule_of(op) != NONE && !(in_condition && rule_of(op) == IN_TURN); }

static void linear(kgi_jvp *t, uint32_t i) {
  const kgi_inst *inst = &kgi_jvp_program(t)->inst[i];
  kgi_val lane = {0};
  if (kgi_subgroup_rows[inst->op].operands > 1) lane = kgi_jvp_value(t, inst->arg[1]);
  for (unsigned d = 0; d < t->directions; d++)
    kgi_jvp_set(t, i, d, kgi_subgroup_op(t->b, (kgi_subgroup)inst->op, kgi_jvp_get(t, inst->arg[0], d), lane));
}

static kgi_val sum_where(kgi_jvp *t, kgi_val condition, kgi_val x, kgi_val zero) {
  return kgi_subgroup_op(t->b, KGI_SUBGROUP_add, kgi_op3(t->b, KGI_OP_select, condition, x, zero), (kgi_val){0});
}

static void extreme(kgi_jvp *t, uint32_t i) {
  const kgi_inst *inst = &kgi_jvp_program(t)->inst[i];
  kg_type type = kgi_ad_type(inst->type);
  kgi_val x = kgi_jvp_value(t, inst->arg[0]), y = kgi_jvp_value(t, i);
  kgi_val holds = kgi_op2(t->b, KGI_OP_eq, x, y), zero = kgi_float(t->b, type, 0);
  kgi_val count = sum_where(t, holds, kgi_float(t->b, type, 1), zero);
  for (unsigned d = 0; d < t->directions; d++) {
    kgi_val sum = sum_where(t, holds, kgi_jvp_get(t, inst->arg[0], d), zero);
    kgi_jvp_set(t, i, d, kgi_op2(t->b, KGI_OP_div, sum, count));
  }
}

/* ---- each lane in turn ---- */

static kgi_val none(void) { return (kgi_val){0}; }

static kgi_obj declare(kgi_jvp *t, const char *name, kg_type type, double start) {
  kgi_str free = kgi_names_free(&t->names, "", name);
  kgi_obj var = kgi_var(t->b, kgi_string(t->b->m, free), type, (kgi_dim){0});
  kgi_store(t->b, var, none(), kgi_float(t->b, type, start));
  return var;
}

static kgi_val begin_turns(kgi_jvp *t) {
  kgi_str name = kgi_names_free(&t->names, "", "lane");
  kgi_val first = kgi_u32(t->b, 0), size = kgi_id_value(t->b, KGI_ID_subgroup_size, 0);
  return kgi_for_begin(t->b, kgi_string(t->b->m, name), first, size, none(), false);
}

static kgi_val is_active(kgi_jvp *t, kgi_val lane) {
  kgi_val yes = kgi_bool(t->b, true), word = kgi_op2(t->b, KGI_OP_shr, lane, kgi_u32(t->b, 5));
  kgi_val word_bits = kgi_subgroup_op(t->b, KGI_SUBGROUP_ballot, yes, word), bits = kgi_op2(t->b, KGI_OP_shr, word_bits, lane);
  kgi_val bit = kgi_op2(t->b, KGI_OP_and, bits, kgi_u32(t->b, 1));
  return kgi_op2(t->b, KGI_OP_ne, bit, kgi_u32(t->b, 0));
}

/* The lane took part, and the own one's result is made of its value. */
static kgi_val counts(kgi_jvp *t, kgi_subgroup op, kgi_val lane) {
  bool whole = op == KGI_SUBGROUP_mul;
  bool up_to = op == KGI_SUBGROUP_inclusive_mul || op == KGI_SUBGROUP_inclusive_min || op == KGI_SUBGROUP_inclusive_max;
  kgi_val there = is_active(t, lane), own = kgi_id_value(t->b, KGI_ID_subgroup_lane, 0);
  if (whole) return there;
  return kgi_op2(t->b, KGI_OP_and, there, kgi_op2(t->b, up_to ? KGI_OP_le : KGI_OP_lt, lane, own));
}

static kgi_val at_lane(kgi_jvp *t, kgi_val x, kgi_val lane) { return kgi_subgroup_op(t->b, KGI_SUBGROUP_shuffle, x, lane); }

static void add_to(kgi_jvp *t, kgi_obj var, kgi_val x) {
  kgi_store(t->b, var, none(), kgi_op2(t->b, KGI_OP_add, kgi_load(t->b, var, none()), x));
}

/* (p, dp) becomes (p x, dp x + p dx): no factor is divided out, so that zeros are exact. */
static kgi_val product(kgi_jvp *t, kgi_subgroup op, kgi_val x, kgi_val tangent) {
  kg_type type = kgi_type_of(t->b->p, tangent);
  kgi_obj p = declare(t, "product", type, 1), dp = declare(t, "tan_product", type, 0);
  x = kgi_convert(t->b, type, x);
  kgi_val lane = begin_turns(t), x_there = at_lane(t, x, lane), t_there = at_lane(t, tangent, lane);
  kgi_if_begin(t->b, counts(t, op, lane));
  kgi_val before = kgi_load(t->b, p, none()), so_far = kgi_op2(t->b, KGI_OP_mulz, kgi_load(t->b, dp, none()), x_there);
  kgi_store(t->b, dp, none(), kgi_op2(t->b, KGI_OP_add, so_far, kgi_op2(t->b, KGI_OP_mulz, t_there, before)));
  kgi_store(t->b, p, none(), kgi_op2(t->b, KGI_OP_mul, before, x_there));
  kgi_end(t->b);
  kgi_end(t->b);
  return kgi_load(t->b, dp, none());
}

/* The mean over those lanes that hold the result; 0 where there is none. */
static kgi_val scanned_extreme(kgi_jvp *t, kgi_subgroup op, kgi_val x, kgi_val y, kgi_val tangent) {
  kg_type type = kgi_type_of(t->b->p, tangent);
  kgi_obj sum = declare(t, "tan_sum", type, 0), holders = declare(t, "holders", type, 0);
  kgi_val lane = begin_turns(t), x_there = at_lane(t, x, lane), t_there = at_lane(t, tangent, lane), there = counts(t, op, lane);
  kgi_if_begin(t->b, kgi_op2(t->b, KGI_OP_and, there, kgi_op2(t->b, KGI_OP_eq, x_there, y)));
  add_to(t, sum, t_there);
  add_to(t, holders, kgi_float(t->b, type, 1));
  kgi_end(t->b);
  kgi_end(t->b);
  kgi_val count = kgi_load(t->b, holders, none()), zero = kgi_float(t->b, type, 0), some = kgi_op2(t->b, KGI_OP_ne, count, zero);
  kgi_val mean = kgi_op2(t->b, KGI_OP_div, kgi_load(t->b, sum, none()), count);
  return kgi_op3(t->b, KGI_OP_select, some, mean, zero);
}

static void in_turn(kgi_jvp *t, uint32_t i) {
  const kgi_inst *inst = &kgi_jvp_program(t)->inst[i];
  kgi_subgroup op = (kgi_subgroup)inst->op;
  bool multiplies = op == KGI_SUBGROUP_mul || op == KGI_SUBGROUP_inclusive_mul || op == KGI_SUBGROUP_exclusive_mul;
  kgi_val x = kgi_jvp_value(t, inst->arg[0]), y = kgi_jvp_value(t, i);
  for (unsigned d = 0; d < t->directions; d++) {
    kgi_val tangent = kgi_jvp_get(t, inst->arg[0], d);
    kgi_jvp_set(t, i, d, multiplies ? product(t, op, x, tangent) : scanned_extreme(t, op, x, y, tangent));
  }
}

void kgi_jvp_lanes(kgi_jvp *t, uint32_t i) {
  lane_rule rule = rule_of((kgi_subgroup)kgi_jvp_program(t)->inst[i].op);
  if (rule == LINEAR) linear(t, i);
  if (rule == EXTREME) extreme(t, i);
  if (rule == IN_TURN) in_turn(t, i);
}
