/* What plain stores tell of atomics. In a program without races nobody touches an element to which another invocation stores plainly,
 * unless a barrier orders them. So an element is an invocation's own where the invocation also
 *
 *   stores to it plainly, between the same barriers: another's atomic there would be a race;
 *   stores plainly to the same element of another object, and so does whoever makes an atomic on the object: two at one element
 *   would meet there as well.
 *
 * Workgroups are ordered by no barrier, so that among them the store may stand anywhere. In all cases it has to be made whenever the
 * atomic is: it stands in a block around the atomic, which nothing leaves early, and its index is the same value. Plain loads tell as
 * much, but `if v > m[0] { atomic_max(m[0], v) }` is written by many, a race though it is: they count for nothing. */
#include "autodiff/plan/witness.h"
#include "foundation/analysis/linear.h"
#include "foundation/base/limits.h"
#include "foundation/ir/place.h"

typedef struct search {
  const kgi_program *p;
  uint32_t atomic, object; /* to which a store is looked for */
  kgi_poly size[3], index; /* of the atomic */
  unsigned steps, found;
} search;

static bool is_word(const kgi_program *p, uint32_t value) { return p->inst[value].type == KG_U32 || p->inst[value].type == KG_I32; }

/* Of one type, so that what is in bounds here is there. */
static bool is_same_index(const search *s, uint32_t store) {
  const kgi_inst *plain = &s->p->inst[store], *atomic = &s->p->inst[s->atomic];
  kgi_digits place;
  if (!plain->arg[1] || !atomic->arg[1]) return plain->arg[1] == atomic->arg[1];
  bool is_place = kgi_place_of(s->p, store, &place) || kgi_place_of(s->p, s->atomic, &place); /* bounds of its own */
  if (is_place && plain->arg[0] != atomic->arg[0]) return false;
  if (is_place || plain->arg[1] == atomic->arg[1]) return plain->arg[1] == atomic->arg[1];
  if (!is_word(s->p, plain->arg[1]) || s->p->inst[plain->arg[1]].type != s->p->inst[atomic->arg[1]].type) return false;
  kgi_poly index = kgi_poly_of_index(s->p, store, s->size);
  return kgi_poly_equal(&index, &s->index);
}

static bool is_witness(const search *s, uint32_t i) {
  return s->p->inst[i].kind == KGI_store && s->p->inst[i].arg[0] == s->object && is_same_index(s, i);
}

static bool holds_barrier(const kgi_program *p, uint32_t i) {
  kgi_span owned = kgi_owned_blocks(&p->inst[i]);
  if (p->inst[i].kind == KGI_barrier) return true;
  for (unsigned k = 0; k < owned.count; k++) {
    kgi_blk block = p->inst[i].arg[owned.first + k];
    if (!block) continue;
    KGI_EACH_INSIDE(p, block, n)
      if (p->inst[n].kind == KGI_barrier) return true;
  }
  return false;
}

/* Among the neighbours of a statement, one way: KGI_OWN_ACROSS past a barrier, both before. */
static void look(search *s, uint32_t from, bool back, bool ordered) {
  for (uint32_t i = from; i && s->steps++ < KGI_LIMIT(witness_steps); i = back ? s->p->inst[i].prev : s->p->inst[i].next) {
    if (is_witness(s, i)) s->found |= ordered ? KGI_OWN_ACROSS : KGI_OWN_ACROSS | KGI_OWN_IN_INTERVAL;
    if (!ordered) ordered = holds_barrier(s->p, i);
  }
}

/* Some statement may leave the loop around the block, or the program, before all of the block was run. */
static bool may_be_left(const kgi_program *p, kgi_blk block) {
  while (block != KGI_BODY && !kgi_is_loop(&p->inst[p->block[block].owner])) block = p->inst[p->block[block].owner].block;
  KGI_EACH_INSIDE(p, block, i)
    if (kgi_ends(&p->inst[i])) return true;
  return false;
}

unsigned kgi_ad_witnessed(const kgi_program *p, uint32_t atomic, uint32_t object) {
  search s = {.p = p, .atomic = atomic, .object = object};
  bool ordered = false;
  kgi_sizes_of(p, s.size);
  s.index = kgi_poly_of_index(p, atomic, s.size);
  for (uint32_t i = atomic; i; i = p->block[p->inst[i].block].owner) {
    kgi_blk block = p->inst[i].block;
    ordered = ordered || (i != atomic && holds_barrier(p, i));
    if (may_be_left(p, block)) break;
    look(&s, p->inst[i].prev, true, ordered);
    look(&s, p->inst[i].next, false, ordered);
  }
  return s.found;
}
