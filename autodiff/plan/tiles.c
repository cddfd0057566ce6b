/* Tiles: shared memory that a loop's body fills anew in each trip. What a trip held is not lost: the body's stores are run again.
 * That gives the same only if nothing of an earlier trip shows through: whatever a load of the trip may read has been stored earlier in
 * the trip, by stores that certainly run (reach.c), and a barrier lies between, or it is the invocation's own store to the element. */
#include "autodiff/plan/reach.h"
#include "foundation/ir/place.h"

static kgi_poly length_of(const kgi_ad *a, uint32_t object) {
  kgi_dim length = a->f.p->scope.object[object].length;
  return length.i ? kgi_poly_of_dim(&a->f.p->scope, length) : (kgi_poly){.failed = true};
}

bool kgi_ad_one_each(kgi_ad *a, uint32_t object) {
  kgi_poly length = length_of(a, object), size[3];
  kgi_sizes_of(a->f.p, size);
  kgi_poly area = kgi_poly_mul(&size[0], &size[1]);
  return kgi_poly_is_one(&size[2]) && kgi_poly_equal(&length, &area);
}

/* ---- what a load reads ---- */

/* A barrier of the body itself, where the whole workgroup is. */
static bool barrier_between(const kgi_ad *a, kgi_blk body, uint32_t store, uint32_t load) {
  KGI_EACH(a->f.p, body, i)
    if (a->f.p->inst[i].kind == KGI_barrier && a->f.pos[store] < a->f.pos[i] && a->f.pos[i] < a->f.pos[load]) return true;
  return false;
}

/* Digit by digit: an index of several dimensions is no sum of products. */
static bool same_element(const kgi_ad *a, uint32_t x, uint32_t y) {
  kgi_digits s, t;
  kgi_poly size[3];
  const kgi_program *p = a->f.p;
  bool place = kgi_place_of(p, x, &s);
  if (p->inst[x].arg[1] == p->inst[y].arg[1]) return true;
  if (kgi_place_of(p, y, &t) != place) return false;
  kgi_sizes_of(a->f.p, size);
  for (unsigned k = 0; k < (place ? p->scope.object[p->inst[x].arg[0]].rank : 1u); k++) {
    kgi_val u = {place ? s.value[k] : p->inst[x].arg[1]}, v = {place ? t.value[k] : p->inst[y].arg[1]};
    if (!u.i || !v.i) return false;
    kgi_poly f = kgi_poly_of_value(p, u, size), g = kgi_poly_of_value(p, v, size);
    if (!kgi_poly_equal(&f, &g)) return false;
  }
  return true;
}

/* The invocation has stored to the element itself: the store stands before the load in a block around it. */
static bool is_own(const kgi_ad *a, kgi_blk body, uint32_t load) {
  for (uint32_t i = a->f.access_prev[load]; i && kgi_ad_within(a, body, i); i = a->f.access_prev[i])
    if (a->f.p->inst[i].kind == KGI_store && kgi_ad_within(a, a->f.p->inst[i].block, load) && same_element(a, i, load)) return true;
  return false;
}

typedef struct filling { uint32_t inst; kgi_reach reach; } filling;

/* Stores that stand one after the other, and lie beside each other, are one store as well, which is done where the last one is. */
static void join_neighbours(filling *all, unsigned *count) {
  const kgi_reach *beside[KGI_MOST_tile_stores];
  unsigned single = *count;
  for (unsigned first = 0, last; first < single; first = last + 1) {
    kgi_reach joined;
    beside[0] = &all[first].reach;
    for (last = first; last + 1 < single && *count < KGI_LIMIT(tile_stores); last++) {
      beside[last + 1 - first] = &all[last + 1].reach;
      if (!kgi_reach_join(beside, last + 2 - first, &joined)) break;
      all[*count] = (filling){all[last + 1].inst, joined};
    }
    if (last > first) ++*count;
  }
}

/* The stores that certainly run. */
static filling *find_fillings(kgi_ad *a, kgi_blk body, uint32_t object, unsigned *count) {
  filling *all = kgi_arena_alloc(&a->scratch, KGI_MOST_tile_stores, sizeof *all);
  if (!all) return kgi_ad_fail(a, KG_NO_MEMORY), NULL;
  for (uint32_t i = a->f.object[object].first; i && *count < KGI_LIMIT(tile_stores); i = a->f.access_next[i]) {
    filling *f = &all[*count];
    f->inst = i;
    if (a->f.p->inst[i].kind == KGI_store && kgi_reach_of_store(a, body, i, &f->reach)) ++*count;
  }
  join_neighbours(all, count);
  return all;
}

static bool was_stored(const kgi_ad *a, kgi_blk body, uint32_t load, const filling *all, unsigned count) {
  const kgi_reach *before[KGI_MOST_tile_stores];
  unsigned n = 0;
  kgi_reach reach = {0};
  if (is_own(a, body, load)) return true;
  kgi_reach_of_load(a, body, load, &reach);
  for (unsigned k = 0; k < count; k++)
    if (all[k].reach.place == reach.place && barrier_between(a, body, all[k].inst, load)) before[n++] = &all[k].reach;
  return kgi_reach_is_covered(a, &reach, before, n);
}

/* ---- the loop ---- */

/* Of the innermost loop, or checkpoint, around all accesses. */
static kgi_blk body_around(const kgi_ad *a, const kgi_ad_object_fact *o) {
  kgi_blk block = a->f.p->inst[o->first].block;
  for (; block != KGI_BODY; block = a->f.p->inst[a->f.p->block[block].owner].block) {
    const kgi_inst *owner = kgi_ad_inst(a, a->f.p->block[block].owner);
    bool runs_again = kgi_is_loop(owner) || owner->kind == KGI_checkpoint;
    if (runs_again && kgi_ad_within(a, block, o->last)) return owner->kind == KGI_while ? 0 : block;
  }
  return 0;
}

static bool holds_barrier(const kgi_ad *a, kgi_blk block) {
  KGI_EACH(a->f.p, block, i)
    if (a->f.p->inst[i].kind == KGI_barrier) return true;
  return false;
}

static kgi_blk find(kgi_ad *a, uint32_t object) {
  const kgi_ad_object_fact *o = &a->f.object[object];
  unsigned fillings = 0, loads = 0;
  if (a->f.p->scope.object[object].space != KGI_SHARED || !o->first) return 0;
  kgi_blk body = body_around(a, o);
  if (!body || !holds_barrier(a, body)) return 0;
  for (uint32_t i = o->first; i; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_atomic) return 0;
  if (!a->same.value && kgi_uniformity_of(&a->scratch, a->f.p, &a->same) != KG_OK) return kgi_ad_fail(a, KG_NO_MEMORY), (kgi_blk)0;
  const filling *all = find_fillings(a, body, object, &fillings);
  if (!all) return 0;
  for (uint32_t i = o->first; i; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_load && (++loads > KGI_LIMIT(tile_loads) || !was_stored(a, body, i, all, fillings))) return 0;
  return body;
}

kgi_blk kgi_ad_tile_block(kgi_ad *a, uint32_t object) {
  kgi_ad_object *o = &a->object[object];
  if (!o->tile_known) o->tile = find(a, object);
  o->tile_known = true;
  return o->tile;
}
