/* What the reverse of each statement uses of the primal, and where its adjoints are gathered. */
#include "autodiff/plan/ad.h"

static void want_for_op(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  unsigned mask = 0;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (kgi_ad_active(a, inst->arg[k]) && kgi_ad_flows(a, i, k)) mask |= kgi_ad_partial_mask(a, i, kgi_op_rows[inst->op].partial[k]);
  const kgi_ad_settled *settled = kgi_settled(&a->f, i);
  for (unsigned k = 0; k < 4; k++)
    if (mask & 1u << k) kgi_ad_want(a, settled && inst->arg[k] == settled->before ? settled->end : inst->arg[k]);
  if (settled && mask) kgi_ad_want(a, settled->last);
  if (mask & 16) kgi_ad_want(a, i);
}

static void want_for_lanes(kgi_ad *a, uint32_t i) {
  for (unsigned k = 0; k < 2; k++)
    if (kgi_ad_lanes_use(a, i, k)) kgi_ad_want(a, kgi_ad_inst(a, i)->arg[k]);
}

/* What it saw, and its operand, to the last bit: it is held against what the element holds, and might be rounded another way when it is
 * computed again. */
static void want_for_extreme(kgi_ad *a, uint32_t i) {
  uint32_t operand = a->f.p->inst[i].arg[2];
  unsigned kind = a->f.p->inst[operand].kind;
  if (kind == KGI_op || kind == KGI_subgroup) a->flags[operand] |= KGI_AD_EXACT;
  kgi_ad_want(a, i);
  kgi_ad_want(a, operand);
  kgi_ad_want(a, kgi_ad_end_load(a, i));
}

static void want_for(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  if (!kgi_ad_has_reverse(a, i)) return;
  if (inst->kind == KGI_op) want_for_op(a, i);
  else if (inst->kind == KGI_subgroup) want_for_lanes(a, i);
  else if (kgi_touches(inst)) kgi_ad_want(a, inst->arg[1]);
  if (kgi_ad_is_extreme(a, i)) want_for_extreme(a, i);
}

void kgi_ad_want_all(kgi_ad *a, kgi_blk block) {
  KGI_EACH(a->f.p, block, i) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    want_for(a, i);
    kgi_span owned = kgi_owned_blocks(inst);
    bool content = false;
    for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
      if (!a->block[inst->arg[k]].content) continue;
      content = true;
      kgi_ad_want_all(a, inst->arg[k]);
    }
    if (!content) continue;
    const kgi_ad_settled *settled = kgi_settled(&a->f, i);
    kgi_ad_want(a, settled ? settled->last : kgi_counted(&a->f, i).count);
    if (inst->kind == KGI_while || settled) continue;
    for (unsigned k = 0; k < kgi_operands(inst).count; k++) kgi_ad_want(a, inst->arg[k]); /* conditions and bounds */
  }
}

/* ---- where adjoints are gathered ---- */

/* The adjoint of an operand from another block is gathered in a var of its home. */
static void note_crossing(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) {
    uint32_t value = inst->arg[k];
    if (!kgi_ad_active(a, value) || a->flags[value] & KGI_AD_CROSS) continue;
    kgi_blk home = kgi_ad_home(a, value);
    if (inst->kind == KGI_op && !kgi_ad_flows(a, i, k)) continue;
    if (inst->kind != KGI_op && k == 1) continue; /* an index */
    if (home == a->f.block[inst->block].in) continue;
    a->flags[value] |= KGI_AD_CROSS;
    a->cross_next[value] = a->block[home].cross;
    a->block[home].cross = value;
  }
}

/* Vars of adjoints and shadows, by the block in whose reverse they are declared. */
void kgi_ad_gather(kgi_ad *a, kgi_blk block) {
  KGI_EACH(a->f.p, block, i) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (kgi_ad_has_reverse(a, i)) note_crossing(a, i);
    if (inst->kind == KGI_var && kgi_ad_active_object(a, inst->arg[0]) && kgi_ad_shadow_of(a, inst->arg[0]) == inst->arg[0]) {
      a->object[inst->arg[0]].var_next = a->block[block].vars;
      a->block[block].vars = inst->arg[0];
    }
    kgi_span owned = kgi_owned_blocks(inst);
    for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++)
      if (a->block[inst->arg[k]].content) kgi_ad_gather(a, inst->arg[k]);
  }
}
