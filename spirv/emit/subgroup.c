/* Subgroup operations. Moves are one shuffle from a lane that is computed here, because what comes from a lane that is not active,
 * or not there, must be 0 and not undefined. */
#include "spirv/lower/gen.h"

typedef enum fold { NO_FOLD, FOLD_ADD, FOLD_MUL, FOLD_MIN, FOLD_MAX, FOLD_AND, FOLD_OR, FOLD_XOR } fold;
typedef struct folding { fold what; SpvGroupOperation how; } folding;

static folding folding_of(kgi_subgroup op) {
  const SpvGroupOperation reduce = SpvGroupOperationReduce, inclusive = SpvGroupOperationInclusiveScan,
                          exclusive = SpvGroupOperationExclusiveScan;
  switch (op) {
  case KGI_SUBGROUP_add: return (folding){FOLD_ADD, reduce};
  case KGI_SUBGROUP_mul: return (folding){FOLD_MUL, reduce};
  case KGI_SUBGROUP_min: return (folding){FOLD_MIN, reduce};
  case KGI_SUBGROUP_max: return (folding){FOLD_MAX, reduce};
  case KGI_SUBGROUP_and: return (folding){FOLD_AND, reduce};
  case KGI_SUBGROUP_or: return (folding){FOLD_OR, reduce};
  case KGI_SUBGROUP_xor: return (folding){FOLD_XOR, reduce};
  case KGI_SUBGROUP_inclusive_add: return (folding){FOLD_ADD, inclusive};
  case KGI_SUBGROUP_inclusive_mul: return (folding){FOLD_MUL, inclusive};
  case KGI_SUBGROUP_inclusive_min: return (folding){FOLD_MIN, inclusive};
  case KGI_SUBGROUP_inclusive_max: return (folding){FOLD_MAX, inclusive};
  case KGI_SUBGROUP_inclusive_and: return (folding){FOLD_AND, inclusive};
  case KGI_SUBGROUP_inclusive_or: return (folding){FOLD_OR, inclusive};
  case KGI_SUBGROUP_inclusive_xor: return (folding){FOLD_XOR, inclusive};
  case KGI_SUBGROUP_exclusive_add: return (folding){FOLD_ADD, exclusive};
  case KGI_SUBGROUP_exclusive_mul: return (folding){FOLD_MUL, exclusive};
  case KGI_SUBGROUP_exclusive_min: return (folding){FOLD_MIN, exclusive};
  case KGI_SUBGROUP_exclusive_max: return (folding){FOLD_MAX, exclusive};
  case KGI_SUBGROUP_exclusive_and: return (folding){FOLD_AND, exclusive};
  case KGI_SUBGROUP_exclusive_or: return (folding){FOLD_OR, exclusive};
  case KGI_SUBGROUP_exclusive_xor: return (folding){FOLD_XOR, exclusive};
  case KGI_SUBGROUP_broadcast: case KGI_SUBGROUP_broadcast_first: case KGI_SUBGROUP_shuffle: case KGI_SUBGROUP_shuffle_xor:
  case KGI_SUBGROUP_shuffle_up: case KGI_SUBGROUP_shuffle_down: case KGI_SUBGROUP_ballot: case KGI_SUBGROUP_any:
  case KGI_SUBGROUP_all: case KGI_SUBGROUP_elect: case KGI_SUBGROUP_COUNT: break;
  }
  return (folding){NO_FOLD, reduce};
}

/* For signed, unsigned, float and bool operands. */
static SpvOp fold_code(fold what, const gen *g) {
  static const SpvOp codes[][4] = {
    [FOLD_ADD] = {SpvOpGroupNonUniformIAdd, SpvOpGroupNonUniformIAdd, SpvOpGroupNonUniformFAdd, SpvOpNop},
    [FOLD_MUL] = {SpvOpGroupNonUniformIMul, SpvOpGroupNonUniformIMul, SpvOpGroupNonUniformFMul, SpvOpNop},
    [FOLD_MIN] = {SpvOpGroupNonUniformSMin, SpvOpGroupNonUniformUMin, SpvOpGroupNonUniformFMin, SpvOpNop},
    [FOLD_MAX] = {SpvOpGroupNonUniformSMax, SpvOpGroupNonUniformUMax, SpvOpGroupNonUniformFMax, SpvOpNop},
    [FOLD_AND] = {SpvOpGroupNonUniformBitwiseAnd, SpvOpGroupNonUniformBitwiseAnd, SpvOpNop, SpvOpGroupNonUniformLogicalAnd},
    [FOLD_OR] = {SpvOpGroupNonUniformBitwiseOr, SpvOpGroupNonUniformBitwiseOr, SpvOpNop, SpvOpGroupNonUniformLogicalOr},
    [FOLD_XOR] = {SpvOpGroupNonUniformBitwiseXor, SpvOpGroupNonUniformBitwiseXor, SpvOpNop, SpvOpGroupNonUniformLogicalXor},
  };
  unsigned column = g->type == KG_BOOL ? 3 : is_flt(g) ? 2 : is_signed(g) ? 0 : 1;
  return codes[what][column];
}

static uint32_t scope(const gen *g) { return kgi_spv_u32(g->s, SpvScopeSubgroup); }

static bool need(kgi_emit *e, uint32_t index, kg_feature feature, SpvCapability capability) {
  const char *name = kgi_subgroup_rows[e->p->inst[index].op].name;
  if (!kgi_emit_feature(e, feature, name, e->p->inst_pos[index])) return false;
  kgi_spv_need(&e->s, SpvCapabilityGroupNonUniform);
  kgi_spv_need(&e->s, capability);
  return true;
}

static uint32_t ballot(const gen *g, uint32_t condition) {
  uint32_t lanes = scope(g);
  return KGI_VALUE(g->s, SpvOpGroupNonUniformBallot, kgi_spv_vector(g->s, KG_U32, 4), lanes, condition);
}

/* Word `which` of 32 lanes; there are four. */
static uint32_t ballot_word(const gen *g, uint32_t condition, uint32_t which) {
  gen w = gen_of(g->e, KG_U32);
  uint32_t there = lt(&w, which, num(&w, 4)), at = sel(&w, there, which, num(&w, 0));
  return sel(&w, there, KGI_VALUE(g->s, SpvOpVectorExtractDynamic, w.t, ballot(g, condition), at), num(&w, 0));
}

static uint32_t lane_value(kgi_emit *e, kgi_id id) {
  return kgi_emit_leaf(e, &(kgi_inst){.kind = KGI_id, .op = (uint8_t)id, .type = KG_U32});
}

/* As a shuffle from the first lane that is active: Mesa's llvmpipe ends the process over some uses of OpGroupNonUniformBroadcastFirst. */
static uint32_t broadcast_first(const gen *g, uint32_t value) {
  gen w = gen_of(g->e, KG_U32);
  uint32_t active = ballot(g, kgi_spv_const(g->s, KG_BOOL, 1));
  uint32_t first = KGI_VALUE(g->s, SpvOpGroupNonUniformBallotFindLSB, w.t, scope(g), active);
  return KGI_VALUE(g->s, SpvOpGroupNonUniformShuffle, g->t, scope(g), value, first);
}

static uint32_t move(const gen *g, kgi_subgroup op, uint32_t value, uint32_t by) {
  gen w = gen_of(g->e, KG_U32);
  uint32_t own = lane_value(g->e, KGI_ID_subgroup_lane), size = lane_value(g->e, KGI_ID_subgroup_size), from = by;
  if (op == KGI_SUBGROUP_shuffle_xor) from = bxor(&w, own, by);
  if (op == KGI_SUBGROUP_shuffle_up) from = sub(&w, own, by);
  if (op == KGI_SUBGROUP_shuffle_down) from = add(&w, own, by);
  uint32_t inside = lt(&w, from, size), safe = sel(&w, inside, from, own);
  uint32_t active = ballot(g, kgi_spv_const(g->s, KG_BOOL, 1));
  uint32_t there = both(&w, inside, KGI_VALUE(g->s, SpvOpGroupNonUniformBallotBitExtract, w.b, scope(g), active, safe));
  uint32_t moved = KGI_VALUE(g->s, SpvOpGroupNonUniformShuffle, g->t, scope(g), value, safe);
  return sel(g, there, moved, kgi_spv_const(g->s, g->type, 0));
}

/* Types other than these are a feature of their own, which is not asked for. */
static bool has_type(kgi_emit *e, uint32_t index, unsigned type) {
  if (type == KG_BOOL || type == KG_I32 || type == KG_U32 || type == KG_F32 || type == KG_F64) return true;
  KGI_DIAG(e->diags, spirv_subgroup, e->p->inst_pos[index], kgi_subgroup_rows[e->p->inst[index].op].name, kg_type_name((kg_type)type));
  kgi_emit_refuse(e, KG_REFUSED);
  return false;
}

static uint32_t vote(kgi_emit *e, uint32_t index, SpvOp op, const gen *g, uint32_t a) {
  if (!need(e, index, KG_FEATURE_SUBGROUP_VOTE, SpvCapabilityGroupNonUniformVote)) return 0;
  return KGI_VALUE(g->s, op, g->t, scope(g), a);
}

uint32_t kgi_emit_subgroup(kgi_emit *e, uint32_t index) {
  const kgi_inst *inst = &e->p->inst[index];
  kgi_subgroup op = (kgi_subgroup)inst->op;
  gen g = gen_of(e, inst->type);
  uint32_t a = inst->arg[0] ? kgi_emit_value(e, inst->arg[0]) : 0, b = inst->arg[1] ? kgi_emit_value(e, inst->arg[1]) : 0;
  folding f = folding_of(op);
  if (!has_type(e, index, inst->type)) return 0;
  if (f.what != NO_FOLD) {
    if (!need(e, index, KG_FEATURE_SUBGROUP_ARITHMETIC, SpvCapabilityGroupNonUniformArithmetic)) return 0;
    SpvOp code = fold_code(f.what, &g);
    return KGI_VALUE(g.s, code, g.t, scope(&g), (uint32_t)f.how, a);
  }
  if (op == KGI_SUBGROUP_any) return vote(e, index, SpvOpGroupNonUniformAny, &g, a);
  if (op == KGI_SUBGROUP_all) return vote(e, index, SpvOpGroupNonUniformAll, &g, a);
  if (op == KGI_SUBGROUP_elect) {
    if (!need(e, index, KG_FEATURE_SUBGROUP_BASIC, SpvCapabilityGroupNonUniform)) return 0;
    return KGI_VALUE(g.s, SpvOpGroupNonUniformElect, g.t, scope(&g));
  }
  if (!need(e, index, KG_FEATURE_SUBGROUP_BALLOT, SpvCapabilityGroupNonUniformBallot)) return 0;
  if (op == KGI_SUBGROUP_ballot) return ballot_word(&g, a, b);
  if (!need(e, index, KG_FEATURE_SUBGROUP_SHUFFLE, SpvCapabilityGroupNonUniformShuffle)) return 0;
  if (op == KGI_SUBGROUP_broadcast_first) return broadcast_first(&g, a);
  return move(&g, op, a, b);
}
