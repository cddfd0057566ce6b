/* What subgroup operations and barriers ask of the reverse sweep: that it runs with the lanes that ran together.
 *
 * An `if` has the same condition there, and a loop whose bounds all lanes share has the same lanes in each trip. A loop whose trips
 * differ between lanes is not: the same range the other way round would begin with the last trip of each lane, and these are
 * different ones. Such a loop is reversed in step, all lanes at one trip: those of a subgroup, or, around a barrier, of the workgroup,
 * whose lanes may leave the loop one by one once none of them reaches the barrier any more. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/uniform.h"

static bool is_cross_lane(const kgi_ad *a, uint32_t i) { return a->f.p->inst[i].kind == KGI_subgroup && a->f.p->inst[i].block; }

static bool is_barrier(const kgi_ad *a, uint32_t i) { return a->f.p->inst[i].kind == KGI_barrier && a->f.p->inst[i].block; }

static bool is_around_barrier(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = &a->f.p->inst[i];
  return inst->block && kgi_is_loop(inst) && a->f.block[kgi_body_of(inst)].has_barrier;
}

static bool holds_any(const kgi_ad *a) {
  for (uint32_t i = 1; i < a->f.p->inst_count; i++)
    if (is_cross_lane(a, i) || is_barrier(a, i)) return true;
  return false;
}

/* All lanes make as many trips: the bounds are the same, or what was counted. */
static bool ends_together(const kgi_ad *a, const kgi_uniformity *u, uint32_t loop) {
  uint32_t count = kgi_counted(&a->f, loop).count;
  return u->value[count ? count : loop] != KGI_VARYING;
}

/* All loops around the operation. */
static void keep_in_step(kgi_ad *a, const kgi_uniformity *u, uint32_t i) {
  for (uint32_t loop = a->f.block[a->f.p->inst[i].block].loop; loop; loop = kgi_ad_loop_around(a, loop))
    if (!ends_together(a, u, loop)) a->block[kgi_body_of(&a->f.p->inst[loop])].in_step = true;
}

static void keep_together(kgi_ad *a, const kgi_uniformity *u, uint32_t loop) {
  kgi_ad_block *body = &a->block[kgi_body_of(&a->f.p->inst[loop])];
  if (ends_together(a, u, loop)) return;
  if (u->block[a->f.p->inst[loop].block] == KGI_VARYING) KGI_AD_REFUSE(a, grad_barrier, a->f.p->inst_pos[loop], NULL);
  body->in_step = body->by_workgroup = true;
}

/* Control around a barrier in which the reverse has nothing else to do: the barrier is mirrored without it. */
static void check_bare(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = &a->f.p->inst[i];
  kgi_span blocks = kgi_owned_blocks(inst);
  bool content = false, barrier = false;
  if (!inst->block || !a->block[KGI_BODY].content) return;
  for (unsigned k = blocks.first; k < blocks.first + (unsigned)blocks.count; k++) {
    content |= a->block[inst->arg[k]].content;
    barrier |= a->f.block[inst->arg[k]].has_barrier;
  }
  if (barrier && !content && a->block[inst->block].unsure) KGI_AD_REFUSE(a, grad_barrier, a->f.p->inst_pos[i], NULL);
  for (unsigned k = 1; k <= 2 && content && inst->kind == KGI_if; k++)
    if (a->f.block[inst->arg[k]].has_barrier && !a->block[inst->arg[k]].content && a->block[inst->arg[k]].unsure)
      KGI_AD_REFUSE(a, grad_barrier, a->f.p->inst_pos[i], NULL);
}

void kgi_ad_plan_lanes(kgi_ad *a) {
  kgi_uniformity u;
  if (!holds_any(a)) return;
  if (kgi_uniformity_of(&a->scratch, a->f.p, &u) != KG_OK) return kgi_ad_fail(a, KG_NO_MEMORY);
  for (kgi_blk k = 1; k < a->f.p->block_count; k++) a->block[k].unsure = u.block[k] == KGI_VARYING && !kgi_meets_barrier(a->f.p, k);
  for (uint32_t i = 1; i < a->f.p->inst_count; i++) {
    if (is_around_barrier(a, i)) keep_together(a, &u, i);
    check_bare(a, i);
    if (!is_cross_lane(a, i)) continue;
    keep_in_step(a, &u, i);
    uint32_t by = a->f.p->inst[i].arg[1];
    if (by && u.value[by] != KGI_VARYING) a->flags[i] |= KGI_AD_ONE_LANE;
  }
}

/* ---- which operands the adjoint asks for ---- */

bool kgi_ad_lanes_use(const kgi_ad *a, uint32_t i, unsigned k) {
  switch ((kgi_subgroup)a->f.p->inst[i].op) {
  case KGI_SUBGROUP_mul: case KGI_SUBGROUP_min: case KGI_SUBGROUP_max:
  case KGI_SUBGROUP_inclusive_mul: case KGI_SUBGROUP_inclusive_min: case KGI_SUBGROUP_inclusive_max:
  case KGI_SUBGROUP_exclusive_mul: case KGI_SUBGROUP_exclusive_min: case KGI_SUBGROUP_exclusive_max:
    return k == 0;
  case KGI_SUBGROUP_broadcast: case KGI_SUBGROUP_shuffle: case KGI_SUBGROUP_shuffle_xor: case KGI_SUBGROUP_shuffle_up:
  case KGI_SUBGROUP_shuffle_down:
    return k == 1;
  case KGI_SUBGROUP_add: case KGI_SUBGROUP_inclusive_add: case KGI_SUBGROUP_exclusive_add: case KGI_SUBGROUP_broadcast_first:
  case KGI_SUBGROUP_and: case KGI_SUBGROUP_or: case KGI_SUBGROUP_xor: case KGI_SUBGROUP_inclusive_and:
  case KGI_SUBGROUP_inclusive_or: case KGI_SUBGROUP_inclusive_xor: case KGI_SUBGROUP_exclusive_and:
  case KGI_SUBGROUP_exclusive_or: case KGI_SUBGROUP_exclusive_xor: case KGI_SUBGROUP_ballot: case KGI_SUBGROUP_any:
  case KGI_SUBGROUP_all: case KGI_SUBGROUP_elect: case KGI_SUBGROUP_COUNT:
    break;
  }
  return false;
}
