/* Invocations that wait for no other, and take what others have left: each stores its part, draws a number from a counter, and the
 * one that draws the last number loads the parts of all. The language orders them by nothing, so that this is a race by its rules.
 * Where devices keep the order all the same, they keep it one way: the reverse would have the last one come first, and the others
 * wait for it. So a load is refused that
 *
 *   stands in a program that looks at a counter: at the result of an atomic, or at integers that atomics change,
 *   and may be of an element that another invocation stores to, or adds to, with no barrier between.
 *
 * How the number decides is not asked: by a condition around the load or behind it, by an index, or by a loop that waits for it. It decides
 * nothing where integers that the program never loads are all that it comes to: as the number of a place, say. And a load does not meet
 * what is done on the other side of an `if` over params, of which a dispatch runs one side. A counter
 * in shared memory decides among invocations of one workgroup alone, and those it orders only with memory barriers beside it: without
 * any, or where these order nothing that barriers do not, it is a vote, or a list's length. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"

/* By an atomic, or by a store too; through whatever view. */
static bool is_changed(const kgi_ad *a, uint32_t object, bool or_by_store) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    for (uint32_t i = a->f.blocks.of[o] == a->f.blocks.of[object] ? a->f.object[o].first : 0; i; i = a->f.access_next[i])
      if (kgi_writes(kgi_ad_inst(a, i)) && (or_by_store || kgi_ad_inst(a, i)->kind == KGI_atomic)) return true;
  return false;
}

/* Through whatever view, but for stores. */
static bool is_loaded(const kgi_ad *a, uint32_t object) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    for (uint32_t i = a->f.blocks.of[o] == a->f.blocks.of[object] ? a->f.object[o].first : 0; i; i = a->f.access_next[i])
      if (kgi_ad_inst(a, i)->kind == KGI_load || kgi_ad_inst(a, i)->kind == KGI_atomic) return true;
  return false;
}

/* Whether it comes to anything but integers in memory that nobody loads. */
static bool decides(const kgi_ad *a, uint32_t value, unsigned depth) {
  enum { MOST_DEPTH = 16 };
  for (uint32_t use = a->f.use_first[value]; use; use = a->f.use_next[use - 1]) {
    const kgi_inst *user = kgi_ad_inst(a, (use - 1) / 4);
    bool goes_on = user->kind == KGI_op && kgi_is_int(user->type) && depth < MOST_DEPTH && !decides(a, (use - 1) / 4, depth + 1);
    bool ends = user->kind == KGI_store && kgi_is_int(a->f.p->scope.object[user->arg[0]].type) && !is_loaded(a, user->arg[0]);
    if (!goes_on && !ends) return true;
  }
  return false;
}

static bool looks_at(const kgi_ad *a, uint32_t object) {
  bool atomic = false, plain = false;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    atomic |= kgi_ad_inst(a, i)->kind == KGI_atomic && decides(a, i, 0);
    plain |= kgi_ad_inst(a, i)->kind == KGI_load && a->f.use_first[i];
  }
  if (atomic) return is_changed(a, object, true); /* atomic loads of what nothing changes count nothing */
  return plain && !kgi_is_float(a->f.p->scope.object[object].type) && is_changed(a, object, false);
}

static bool looks_at_counter(const kgi_ad *a, kgi_space space) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    if (a->f.p->scope.object[o].space == space && looks_at(a, o)) return true;
  return false;
}

/* Params, constants and numbers make it, which are one for a whole dispatch, in whatever trip of a loop. */
static bool is_of_dispatch(const kgi_ad *a, uint32_t value, unsigned depth) {
  enum { MOST_DEPTH = 16 };
  const kgi_inst *x = kgi_ad_inst(a, value);
  if (x->kind == KGI_param || x->kind == KGI_literal || x->kind == KGI_spec) return true;
  if (x->kind != KGI_op || depth == MOST_DEPTH) return false;
  for (unsigned k = 0; k < kgi_op_rows[x->op].arity; k++)
    if (!is_of_dispatch(a, x->arg[k], depth + 1)) return false;
  return true;
}

/* They stand on both sides of an `if` of which a dispatch runs one. */
static bool exclude_each_other(const kgi_ad *a, uint32_t load, uint32_t change) {
  for (kgi_blk block = a->f.p->inst[load].block; block != KGI_BODY; block = a->f.p->inst[a->f.p->block[block].owner].block) {
    const kgi_inst *owner = kgi_ad_inst(a, a->f.p->block[block].owner);
    kgi_blk other = owner->kind != KGI_if ? 0 : owner->arg[1] == block ? owner->arg[2] : owner->arg[1];
    if (other && kgi_ad_within(a, other, change)) return is_of_dispatch(a, owner->arg[0], 0);
  }
  return false;
}

/* Another invocation, of whatever workgroup if `across`, may change the element that is loaded, and no barrier is between. */
static bool may_meet(kgi_ad *a, uint32_t load, uint32_t change, bool across) {
  uint32_t both[2] = {load, change};
  if (exclude_each_other(a, load, change) || !kgi_ad_compare(a)) return false;
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

static bool is_of_others(const kgi_program *p, const kgi_inst *x) {
  return kgi_owned_blocks(x).count || kgi_ends(x) || (kgi_touches(x) && p->scope.object[x->arg[0]].space != KGI_VAR);
}

/* From statement `i` of the block on (0: its end) the next that others notice is a barrier of the workgroup, or the end of the program.
 * Behind a loop's body comes what is behind the loop, or its next trip. */
static bool is_idle_ahead(const kgi_program *p, kgi_blk block, uint32_t i, unsigned depth) {
  for (; i; i = p->inst[i].next) {
    if (p->inst[i].kind == KGI_barrier) return true;
    if (is_of_others(p, &p->inst[i])) return false;
  }
  if (block == KGI_BODY) return true;
  uint32_t owner = p->block[block].owner;
  bool loops = p->inst[owner].kind == KGI_for;
  if (!depth || (!loops && p->inst[owner].kind != KGI_if)) return false;
  return is_idle_ahead(p, p->inst[owner].block, p->inst[owner].next, depth - 1) &&
         (!loops || is_idle_ahead(p, block, p->block[block].first, depth - 1));
}

/* Back from it, to the last that others notice. */
static bool is_idle_behind(const kgi_program *p, uint32_t i) {
  while ((i = p->inst[i].prev)) {
    if (p->inst[i].kind == KGI_barrier) return true;
    if (is_of_others(p, &p->inst[i])) return false;
  }
  return false;
}

/* One that orders something among the lanes of a workgroup: not one with a barrier beside it, which orders what stands on its two
 * sides as well, nor one behind which nothing comes. */
static bool has_memory_barrier(const kgi_program *p) {
  enum { MOST_DEPTH = 8 };
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *x = &p->inst[i];
    if (x->kind == KGI_memory_barrier && !is_idle_ahead(p, x->block, x->next, MOST_DEPTH) && !is_idle_behind(p, i)) return true;
  }
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
