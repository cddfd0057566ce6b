/* Invocations that wait for no other, and take what others have left: each stores its part, draws a number from a counter, and the
 * one that draws the last number loads the parts of all. The language orders them by nothing, so that this is a race by its rules.
 * Where devices keep the order all the same, they keep it one way: the reverse would have the last one come first, and the others
 * wait for it. So a load is refused that
 *
 *   stands in a program that looks at a counter: at the result of an atomic, or at integers that atomics change,
 *   and may be of an element that another invocation stores to, or adds to, with no barrier between.
 *
 * How the number decides is not asked: by a condition around the load or behind it, by an index, or by a loop that waits for it. A counter
 * in shared memory decides among invocations of one workgroup alone, and those it orders only with memory barriers beside it: without
 * any it is a vote, or a list's length, that barriers order. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"

/* Through whatever view. */
static bool atomics_change(const kgi_ad *a, uint32_t object) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    for (uint32_t i = a->f.blocks.of[o] == a->f.blocks.of[object] ? a->f.object[o].first : 0; i; i = a->f.access_next[i])
      if (kgi_ad_inst(a, i)->kind == KGI_atomic && kgi_writes(kgi_ad_inst(a, i))) return true;
  return false;
}

static bool looks_at(const kgi_ad *a, uint32_t object) {
  bool atomic = false, plain = false;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    atomic |= kgi_ad_inst(a, i)->kind == KGI_atomic && a->f.use_first[i];
    plain |= kgi_ad_inst(a, i)->kind == KGI_load && a->f.use_first[i];
  }
  return atomic || (plain && !kgi_is_float(a->f.p->scope.object[object].type) && atomics_change(a, object));
}

static bool looks_at_counter(const kgi_ad *a, kgi_space space) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    if (a->f.p->scope.object[o].space == space && looks_at(a, o)) return true;
  return false;
}

/* Another invocation, of whatever workgroup if `across`, may change the element that is loaded, and no barrier is between. */
static bool may_meet(kgi_ad *a, uint32_t load, uint32_t change, bool across) {
  uint32_t both[2] = {load, change};
  if (!kgi_ad_compare(a)) return false;
  unsigned own = kgi_disjoint(a->distinct, both, 2, NULL);
  return (across && !(own & KGI_OWN_ACROSS)) || (!(own & KGI_OWN_IN_INTERVAL) && kgi_may_meet(a->distinct, load, change));
}

/* What is stored, or added, depends on an input. Whether it reaches the load, the order of invocations says, not that of the
 * statements. */
static bool others_change(kgi_ad *a, uint32_t load, uint32_t object, bool across) {
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i])
    if (kgi_writes(kgi_ad_inst(a, i)) && a->flags[kgi_ad_inst(a, i)->arg[2]] & KGI_AD_VARIED && may_meet(a, load, i, across)) return true;
  return false;
}

/* Through whatever view. */
static bool is_from_others(kgi_ad *a, uint32_t load, bool across) {
  uint32_t object = kgi_ad_inst(a, load)->arg[0];
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    if (a->f.blocks.of[o] == a->f.blocks.of[object] && others_change(a, load, o, across)) return true;
  return false;
}

static bool is_asked(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  if (inst->kind != KGI_load || !a->f.use_first[i] || !kgi_is_float(inst->type)) return false;
  return a->f.p->scope.object[inst->arg[0]].space != KGI_VAR;
}

static bool has_memory_barrier(const kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_memory_barrier) return true;
  return false;
}

void kgi_ad_check_tickets(kgi_ad *a) {
  bool across = looks_at_counter(a, KGI_BUFFER);
  if (a->req.alone || (!across && !(looks_at_counter(a, KGI_SHARED) && has_memory_barrier(a->f.p)))) return;
  KGI_EACH_INSIDE(a->f.p, KGI_BODY, i) {
    if (a->status != KG_OK) return;
    if (!is_asked(a, i) || !is_from_others(a, i, across)) continue;
    KGI_AD_REFUSE(a, grad_workgroups, a->f.p->inst_pos[i], kgi_ad_object_name(a, kgi_ad_inst(a, i)->arg[0]));
  }
}
