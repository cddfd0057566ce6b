/* Loops in each of whose trips a value that is kept is the same: one element, or one row of a tape, does for all of them.
 *
 *   for r in 0 .. H {
 *     for c in 0 .. H { s += w[r, c] * a[c] }      a[c] is kept once for each c
 *   }
 *
 * What it is made of, by operations alone, is then
 *   - a leaf, or known in front of the loop;
 *   - the index of a loop further in, which begins at such a value and has such a step: the number of the trip, by which an element is
 *     found, says what the index is;
 *   - a load, at such an index, from an object that nothing in the loop stores to or declares. So nothing does while the loop runs: where
 *     another invocation stores to the element in front of the loop, or behind it, a barrier keeps the two apart, and all of the
 *     workgroup are in the loop while one waits there.
 * Other lanes may be others in the next trip, and atomics give what they give by chance: what comes from them is not alike. Views that
 * overlap, and memory that fences order, are not looked into. A trip that does not come to the value keeps nothing, and does not ask for
 * it. What is compared to the last bit has an element for each trip, since a device might round it another way in the next one. */
#include "autodiff/plan/ad.h"
#include "foundation/base/limits.h"

static bool is_in_loop(const kgi_ad *a, uint32_t loop, uint32_t inst) {
  uint32_t around = a->f.block[a->f.p->inst[inst].block].loop;
  while (around && around != loop) around = kgi_ad_loop_around(a, around);
  return around != 0;
}

/* Nothing in the loop stores to the object. */
static bool stays(const kgi_ad *a, uint32_t object, uint32_t loop, uint32_t *steps) {
  if (a->f.blocks.aliased[object] || (a->f.p->scope.object[object].space != KGI_VAR && a->f.fences)) return false;
  if (a->f.object[object].decl && is_in_loop(a, loop, a->f.object[object].decl)) return false;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    if (!*steps) return false;
    --*steps;
    if (kgi_ad_inst(a, i)->kind != KGI_load && is_in_loop(a, loop, i)) return false;
  }
  return true;
}

static bool is_alike(const kgi_ad *a, uint32_t value, uint32_t loop, uint32_t *steps) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (!value || kgi_is_leaf(inst->kind)) return true;
  if (value == loop || !*steps) return false;
  --*steps;
  if (!is_in_loop(a, loop, value)) return true;
  if (inst->kind == KGI_for) return is_alike(a, inst->arg[0], loop, steps) && is_alike(a, inst->arg[2], loop, steps);
  if (inst->kind == KGI_load) return is_alike(a, inst->arg[1], loop, steps) && stays(a, inst->arg[0], loop, steps);
  if (inst->kind != KGI_op) return false;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (!is_alike(a, inst->arg[k], loop, steps)) return false;
  return true;
}

static unsigned depth_of(const kgi_ad *a, uint32_t loop) {
  unsigned depth = 0;
  while ((loop = kgi_ad_loop_around(a, loop))) depth++;
  return depth;
}

static bool is_passed(const kgi_ad *a, uint64_t alike, uint32_t loop) {
  unsigned depth = alike ? depth_of(a, loop) : 0;
  return depth < 64 && alike >> depth & 1;
}

uint64_t kgi_ad_alike(const kgi_ad *a, uint32_t value) {
  uint64_t alike = 0;
  if (a->flags[value] & KGI_AD_EXACT || kgi_ad_is_compared(a, value)) return 0;
  for (uint32_t loop = a->f.block[a->f.p->inst[value].block].loop; loop; loop = kgi_ad_loop_around(a, loop)) {
    uint32_t steps = KGI_LIMIT(alike_steps);
    unsigned depth = depth_of(a, loop);
    if (depth < 64 && is_alike(a, value, loop, &steps)) alike |= UINT64_C(1) << depth;
  }
  return alike;
}

uint32_t kgi_ad_dimension(const kgi_ad *a, uint64_t alike, uint32_t loop, uint32_t outer) {
  while (loop != outer && is_passed(a, alike, loop)) loop = kgi_ad_loop_around(a, loop);
  return loop;
}

uint32_t kgi_ad_next_dimension(const kgi_ad *a, uint64_t alike, uint32_t loop, uint32_t outer) {
  return kgi_ad_dimension(a, alike, kgi_ad_loop_around(a, loop), outer);
}
