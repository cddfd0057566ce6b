/* Statements and control flow. Structured in, structured out: no value leaves its block, so that loops need phis for their own
 * counters alone. */
#include "spirv/emit.h"

#include <stdio.h>

/* ---- if ---- */

/* What is below the smaller of two is below both. */
static void fact(kgi_emit *e, uint32_t value, uint32_t bound, unsigned depth) {
  const kgi_inst *b = &e->p->inst[bound];
  if (e->fact_count < KGI_LIMIT(emit_facts)) e->fact[e->fact_count++] = (kgi_emit_fact){value, bound};
  if (b->kind != KGI_op || b->op != KGI_OP_min || depth >= KGI_LIMIT(emit_conditions)) return;
  fact(e, value, b->arg[0], depth + 1);
  fact(e, value, b->arg[1], depth + 1);
}

/* What holds where the condition does: comparisons of u32, joined by `and`. */
static void learn(kgi_emit *e, uint32_t condition, unsigned depth) {
  const kgi_inst *c = &e->p->inst[condition];
  if (c->kind != KGI_op || depth >= KGI_LIMIT(emit_conditions)) return;
  bool unsigned_operands = e->p->inst[c->arg[0]].type == KG_U32;
  if (c->op == KGI_OP_and && c->type == KG_BOOL) learn(e, c->arg[0], depth + 1), learn(e, c->arg[1], depth + 1);
  if (c->op == KGI_OP_lt && unsigned_operands) fact(e, c->arg[0], c->arg[1], depth);
  if (c->op == KGI_OP_gt && unsigned_operands) fact(e, c->arg[1], c->arg[0], depth);
}

static void emit_if(kgi_emit *e, const kgi_inst *inst) {
  kgi_spv *s = &e->s;
  uint32_t condition = kgi_emit_value(e, inst->arg[0]), facts = e->fact_count;
  uint32_t yes = kgi_spv_id(s), merge = kgi_spv_id(s), no = inst->arg[2] ? kgi_spv_id(s) : merge;
  KGI_STMT(s, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
  kgi_spv_branch_if(s, condition, yes, no);
  kgi_spv_label(s, yes);
  learn(e, inst->arg[0], 0);
  kgi_emit_block(e, inst->arg[1]);
  e->fact_count = facts;
  bool open = s->label != 0 || !inst->arg[2];
  kgi_spv_branch(s, merge);
  if (inst->arg[2]) {
    kgi_spv_label(s, no);
    kgi_emit_block(e, inst->arg[2]);
    open |= s->label != 0;
    kgi_spv_branch(s, merge);
  }
  kgi_spv_label(s, merge);
  if (!open) kgi_spv_close(s, SpvOpUnreachable);
}

/* ---- loops ---- */

/* Counts one more iteration of the invocation, and leaves the loop when the device's budget is spent. */
static void spend(kgi_emit *e) {
  kgi_spv *s = &e->s;
  if (!e->budget_variable) return;
  uint32_t u32 = kgi_spv_type(s, KG_U32);
  uint32_t before = KGI_VALUE(s, SpvOpLoad, u32, e->budget_variable);
  uint32_t most = kgi_spv_u32(s, e->params->loop_budget);
  uint32_t spent = KGI_VALUE(s, SpvOpUGreaterThanEqual, kgi_spv_type(s, KG_BOOL), before, most);
  uint32_t merge = kgi_spv_if(&e->s, spent);
  kgi_emit_failure(e, kgi_abi_site_of(&e->abi, e->program, 0));
  kgi_spv_branch(s, e->loop.merge);
  kgi_spv_label(s, merge);
  KGI_STMT(s, SpvOpStore, e->budget_variable, KGI_VALUE(s, SpvOpIAdd, u32, before, kgi_spv_u32(s, 1)));
}

static bool is_literal(const kgi_emit *e, uint32_t inst, uint64_t bits) {
  return e->p->inst[inst].kind == KGI_literal && kgi_literal_bits(&e->p->inst[inst]) == bits;
}

static uint32_t recast(kgi_emit *e, unsigned to, unsigned from, uint32_t value) {
  return to == from ? value : KGI_VALUE(&e->s, SpvOpBitcast, kgi_spv_type(&e->s, to), value);
}

/* to > from ? (to - from - 1) / step + 1 : 0, as unsigned numbers, where nothing wraps; no trips where step <= 0. */
static uint32_t trips(kgi_emit *e, const kgi_inst *loop, unsigned counter) {
  kgi_spv *s = &e->s;
  unsigned type = loop->type;
  uint32_t t = kgi_spv_type(s, counter), boolean = kgi_spv_type(s, KG_BOOL);
  uint32_t from = kgi_emit_value(e, loop->arg[0]), to = kgi_emit_value(e, loop->arg[1]), step = kgi_emit_value(e, loop->arg[2]);
  uint32_t zero = kgi_spv_const(s, counter, 0), one = kgi_spv_const(s, counter, 1);
  bool sign = kgi_type_kind_of(type) == KGI_SINT, by_one = is_literal(e, loop->arg[2], 1);
  if (by_one && is_literal(e, loop->arg[0], 0) && !sign) return to;
  uint32_t some = KGI_VALUE(s, sign ? SpvOpSGreaterThan : SpvOpUGreaterThan, boolean, to, from);
  uint32_t last = recast(e, counter, type, to), first = recast(e, counter, type, from);
  uint32_t span = KGI_VALUE(s, SpvOpISub, t, last, first);
  if (by_one) return KGI_VALUE(s, SpvOpSelect, t, some, span, zero);
  uint32_t none = kgi_spv_const(s, type, 0);
  uint32_t forward = KGI_VALUE(s, sign ? SpvOpSGreaterThan : SpvOpUGreaterThan, boolean, step, none);
  some = KGI_VALUE(s, SpvOpLogicalAnd, boolean, some, forward);
  uint32_t divisor = KGI_VALUE(s, SpvOpSelect, t, forward, recast(e, counter, type, step), one);
  uint32_t whole = KGI_VALUE(s, SpvOpUDiv, t, KGI_VALUE(s, SpvOpISub, t, span, one), divisor);
  return KGI_VALUE(s, SpvOpSelect, t, some, KGI_VALUE(s, SpvOpIAdd, t, whole, one), zero);
}

/* A phi whose second value is not known yet; it is patched when the loop is closed. */
static uint32_t phi(kgi_emit *e, uint32_t type, uint32_t first, uint32_t before, uint32_t next_value, uint32_t next) {
  return KGI_VALUE(&e->s, SpvOpPhi, type, first, before, next_value, next);
}

static void define(kgi_emit *e, SpvOp op, uint32_t type, uint32_t id, uint32_t a, uint32_t b) {
  KGI_STMT(&e->s, op, type, id, a, b);
}

/* An index that counts up from 0 or from a literal stays below the bound. */
static void learn_range(kgi_emit *e, uint32_t loop) {
  const kgi_inst *inst = &e->p->inst[loop];
  if (inst->type == KG_U32) fact(e, loop, inst->arg[1], 0);
}

static void emit_for(kgi_emit *e, uint32_t index) {
  kgi_spv *s = &e->s;
  const kgi_inst *loop = &e->p->inst[index];
  unsigned type = loop->type, counter = kgi_type_bits(type) == 64 ? KG_U64 : KG_U32;
  bool reversed = loop->flags & KGI_REVERSED;
  uint32_t t = kgi_spv_type(s, type), c = kgi_spv_type(s, counter);
  uint32_t count = trips(e, loop, counter), step = kgi_emit_value(e, loop->arg[2]), start = kgi_emit_value(e, loop->arg[0]);
  if (reversed) {
    uint32_t last = KGI_VALUE(s, SpvOpISub, c, count, kgi_spv_const(s, counter, 1));
    start = KGI_VALUE(s, SpvOpIAdd, t, start, KGI_VALUE(s, SpvOpIMul, t, recast(e, type, counter, last), step));
  }
  uint32_t header = kgi_spv_id(s), body = kgi_spv_id(s), next = kgi_spv_id(s), merge = kgi_spv_id(s);
  uint32_t k_next = kgi_spv_id(s), i_next = kgi_spv_id(s), before = s->label, facts = e->fact_count;
  kgi_emit_loop outer = e->loop;
  kgi_spv_branch(s, header);
  kgi_spv_label(s, header);
  uint32_t k = phi(e, c, kgi_spv_const(s, counter, 0), before, k_next, next);
  bool same = type == counter && !reversed && is_literal(e, loop->arg[0], 0) && is_literal(e, loop->arg[2], 1);
  e->value[index] = same ? k : phi(e, t, start, before, i_next, next);
  uint32_t more = KGI_VALUE(s, SpvOpULessThan, kgi_spv_type(s, KG_BOOL), k, count);
  KGI_STMT(s, SpvOpLoopMerge, merge, next, SpvLoopControlMaskNone);
  kgi_spv_branch_if(s, more, body, merge);
  kgi_spv_label(s, body);
  e->loop = (kgi_emit_loop){merge, next};
  learn_range(e, index);
  spend(e);
  kgi_emit_block(e, loop->arg[3]);
  e->loop = outer;
  e->fact_count = facts;
  kgi_spv_branch(s, next);
  kgi_spv_label(s, next);
  define(e, SpvOpIAdd, c, k_next, k, kgi_spv_const(s, counter, 1));
  if (!same) define(e, reversed ? SpvOpISub : SpvOpIAdd, t, i_next, e->value[index], step);
  kgi_spv_branch(s, header);
  kgi_spv_label(s, merge);
}

/* Past its limit the loop fails: one more trip is wanted than it may have. */
static void check_limit(kgi_emit *e, uint32_t index, uint32_t k) {
  kgi_spv *s = &e->s;
  uint32_t limit = kgi_emit_limit(e, (kgi_dim){e->p->inst[index].arg[3]});
  uint32_t over = KGI_VALUE(s, SpvOpUGreaterThanEqual, kgi_spv_type(s, KG_BOOL), k, limit);
  uint32_t merge = kgi_spv_if(&e->s, over);
  kgi_emit_failure(e, kgi_abi_site_of(&e->abi, e->program, index));
  kgi_spv_branch(s, e->loop.merge);
  kgi_spv_label(s, merge);
}

static void emit_while(kgi_emit *e, uint32_t index) {
  kgi_spv *s = &e->s;
  const kgi_inst *loop = &e->p->inst[index];
  uint32_t header = kgi_spv_id(s), test = kgi_spv_id(s), body = kgi_spv_id(s), next = kgi_spv_id(s), merge = kgi_spv_id(s);
  uint32_t k_next = kgi_spv_id(s), before = s->label, u32 = kgi_spv_type(s, KG_U32), facts = e->fact_count;
  kgi_emit_loop outer = e->loop;
  kgi_spv_branch(s, header);
  kgi_spv_label(s, header);
  uint32_t k = phi(e, u32, kgi_spv_u32(s, 0), before, k_next, next);
  KGI_STMT(s, SpvOpLoopMerge, merge, next, SpvLoopControlMaskNone);
  kgi_spv_branch(s, test);
  kgi_spv_label(s, test);
  e->loop = (kgi_emit_loop){merge, next};
  kgi_emit_block(e, loop->arg[1]);
  if (s->label) kgi_spv_branch_if(s, kgi_emit_value(e, loop->arg[0]), body, merge);
  kgi_spv_label(s, body);
  learn(e, loop->arg[0], 0);
  if (loop->arg[3]) check_limit(e, index, k);
  spend(e);
  kgi_emit_block(e, loop->arg[2]);
  e->loop = outer;
  e->fact_count = facts;
  kgi_spv_branch(s, next);
  kgi_spv_label(s, next);
  define(e, SpvOpIAdd, u32, k_next, k, kgi_spv_u32(s, 1));
  kgi_spv_branch(s, header);
  kgi_spv_label(s, merge);
}

/* ---- effects ---- */

static void emit_barrier(kgi_emit *e, bool control) {
  kgi_spv *s = &e->s;
  uint32_t order = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsUniformMemoryMask | SpvMemorySemanticsWorkgroupMemoryMask;
  uint32_t workgroup = kgi_spv_u32(s, SpvScopeWorkgroup), semantics = kgi_spv_u32(s, order);
  if (control) KGI_STMT(s, SpvOpControlBarrier, workgroup, workgroup, semantics);
  else if (!e->params->no_memory_barrier) KGI_STMT(s, SpvOpMemoryBarrier, kgi_spv_u32(s, SpvScopeDevice), semantics);
}

static void emit_assert(kgi_emit *e, uint32_t index) {
  kgi_spv *s = &e->s;
  uint32_t fine = kgi_emit_value(e, e->p->inst[index].arg[0]);
  uint32_t merge = kgi_spv_if(&e->s, KGI_VALUE(s, SpvOpLogicalNot, kgi_spv_type(s, KG_BOOL), fine));
  kgi_emit_failure(e, kgi_abi_site_of(&e->abi, e->program, index));
  kgi_spv_endif(&e->s, merge);
}

/* SPIRV-Cross takes the names of values as they are, and they may be words of its languages: `half`, `max`. */
static void name_value(kgi_emit *e, uint32_t id, const char *text) {
  char whole[KGI_EMIT_NAME];
  bool plain = !e->params->portable || !*text || !text[1];
  snprintf(whole, sizeof whole, "%s%s", plain ? "" : "v_", text);
  kgi_emit_name(e, id, whole);
}

static void emit_inst(kgi_emit *e, uint32_t index) {
  kgi_spv *s = &e->s;
  const kgi_inst *inst = &e->p->inst[index];
  uint32_t first = s->next_id;
  if ((e->spared && e->spared[index]) || (e->contraction.absorbed && e->contraction.absorbed[index])) return;
  kgi_emit_line(e, e->p->inst_pos[index]);
  switch ((kgi_kind)inst->kind) {
  case KGI_op: e->value[index] = kgi_emit_op(e, index); break;
  case KGI_load: e->value[index] = kgi_emit_load(e, inst); break;
  case KGI_store: kgi_emit_store(e, inst); break;
  case KGI_atomic: e->value[index] = kgi_emit_atomic(e, index); break;
  case KGI_subgroup: e->value[index] = kgi_emit_subgroup(e, index); break;
  case KGI_barrier: emit_barrier(e, true); break;
  case KGI_memory_barrier: emit_barrier(e, false); break;
  case KGI_check: emit_assert(e, index); break;
  case KGI_if: emit_if(e, inst); break;
  case KGI_for: emit_for(e, index); break;
  case KGI_while: emit_while(e, index); break;
  case KGI_region: case KGI_checkpoint: kgi_emit_block(e, inst->arg[0]); break;
  case KGI_break: kgi_spv_branch(s, e->loop.merge); break;
  case KGI_continue: kgi_spv_branch(s, e->loop.next); break;
  case KGI_return: kgi_spv_close(s, SpvOpReturn); break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_var: case KGI_KIND_COUNT: break;
  }
  /* a type that nothing computes in, as that of an index may be, asks for its feature all the same */
  uint32_t lacking = s->features & e->params->without;
  if (lacking && e->status == KG_OK) kgi_emit_feature(e, (kg_feature)(lacking & -lacking), "a value of this statement", e->p->inst_pos[index]);
  /* what others have made has a name of its own, or several */
  if (e->value[index] >= first) name_value(e, e->value[index], kgi_string(e->m, e->p->inst_name[index]));
}

/* Blocks nest no deeper than KGI_MAX_DEPTH. What follows a jump is never reached and is not emitted. */
void kgi_emit_block(kgi_emit *e, kgi_blk block) {
  KGI_EACH(e->p, block, i) {
    if (!e->s.label || e->status != KG_OK || e->s.arena->failed) return;
    emit_inst(e, i);
  }
}
