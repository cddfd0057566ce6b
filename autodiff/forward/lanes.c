/* The tangents of subgroup operations. They stand in the same branch as the operation, so that the same lanes take part. */
#include "autodiff/forward/jvp.h"

typedef enum lane_rule {
  LINEAR,  /* the operation itself, on tangents: a sum, a scan of one, a value from another lane */
  EXTREME, /* the mean over the lanes that hold the result */
  NONE,
} lane_rule;

static lane_rule rule_of(kgi_subgroup op) {
  switch (op) {
  case KGI_SUBGROUP_add: case KGI_SUBGROUP_inclusive_add: case KGI_SUBGROUP_exclusive_add: case KGI_SUBGROUP_broadcast:
  case KGI_SUBGROUP_broadcast_first: case KGI_SUBGROUP_shuffle: case KGI_SUBGROUP_shuffle_xor: case KGI_SUBGROUP_shuffle_up:
  case KGI_SUBGROUP_shuffle_down: return LINEAR;
  case KGI_SUBGROUP_min: case KGI_SUBGROUP_max: return EXTREME;
  case KGI_SUBGROUP_mul: case KGI_SUBGROUP_and: case KGI_SUBGROUP_or: case KGI_SUBGROUP_xor: case KGI_SUBGROUP_inclusive_mul:
  case KGI_SUBGROUP_inclusive_min: case KGI_SUBGROUP_inclusive_max: case KGI_SUBGROUP_inclusive_and: case KGI_SUBGROUP_inclusive_or:
  case KGI_SUBGROUP_inclusive_xor: case KGI_SUBGROUP_exclusive_mul: case KGI_SUBGROUP_exclusive_min: case KGI_SUBGROUP_exclusive_max:
  case KGI_SUBGROUP_exclusive_and: case KGI_SUBGROUP_exclusive_or: case KGI_SUBGROUP_exclusive_xor: case KGI_SUBGROUP_ballot:
  case KGI_SUBGROUP_any: case KGI_SUBGROUP_all: case KGI_SUBGROUP_elect: case KGI_SUBGROUP_COUNT: break;
  }
  return NONE;
}

bool kgi_jvp_has_lanes(kgi_subgroup op) { return rule_of(op) != NONE; }

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

void kgi_jvp_lanes(kgi_jvp *t, uint32_t i) {
  lane_rule rule = rule_of((kgi_subgroup)kgi_jvp_program(t)->inst[i].op);
  if (rule == LINEAR) linear(t, i);
  if (rule == EXTREME) extreme(t, i);
}
