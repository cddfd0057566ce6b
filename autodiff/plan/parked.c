/* Values that the program itself stores to memory which stays: the reverse loads them from there, and nothing else keeps them.
 *
 *   for t in 0 .. T {                  h at the start of trip t is what the trip before left in it:
 *     h = f(h, x[t])                     t < 1 ? what h was in front of the loop : y[t - 1]
 *     y[t] = h
 *   }
 *
 * A store says what the element holds until the reverse comes
 *   - if it is made wherever the value is computed: in the same block, further down, with nothing between that ends a trip;
 *   - if it reaches the element: its index is in bounds by what holds there, for else it is dropped;
 *   - if nobody stores to the element afterwards, in this run (holds.c) or in a later one;
 *   - and if memory has the value's own type.
 * That memory is a buffer, or an array of the invocation's own that is declared where the sweep turns round: the reverse finds it as the run
 * left it, for it stores to no var of the run but to those that are filled again, which are declared in closed blocks.
 * Its index is made of what is known outside of the block and of the loop whose body the block is, so that the reverse can say it of
 * another trip. A var, or an invocation's own element of shared memory, that the trip overwrites once, with such a value, held that of the
 * trip before when the trip began; with what another such var held then, as in `b = a; a = v`, that of the trip before that one. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"
#include "foundation/analysis/inside.h"
#include "foundation/base/limits.h"

enum { MOST_OPS = 24 };

/* ---- where things stand ---- */

static bool holds_exit(const kgi_ad *a, kgi_blk block) {
  KGI_EACH_INSIDE(a->f.p, block, i)
    if (kgi_ends(kgi_ad_inst(a, i))) return true;
  return false;
}

static bool ends_between(const kgi_ad *a, uint32_t from, uint32_t to) {
  uint32_t steps = KGI_LIMIT(parked_steps);
  for (uint32_t i = from; i && i != to; i = kgi_ad_inst(a, i)->next) {
    if (!steps--) return true;
    kgi_span owned = kgi_owned_blocks(kgi_ad_inst(a, i));
    if (kgi_ends(kgi_ad_inst(a, i))) return true;
    for (unsigned k = 0; k < owned.count; k++) {
      kgi_blk block = kgi_ad_inst(a, i)->arg[owned.first + k];
      if (block && holds_exit(a, block)) return true;
    }
  }
  return false;
}

/* Known outside of the block, and there whenever its reverse is. */
static bool is_known(kgi_ad *a, kgi_blk block, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (kgi_is_leaf(inst->kind)) return inst->kind != KGI_len || a->f.p->scope.object[inst->arg[0]].space != KGI_VAR;
  if (inst->kind == KGI_for) return true; /* of a loop around it */
  return !kgi_ad_within(a, block, value) && kgi_ad_can_keep(a, value);
}

/* Made of such values, by so many operations that stand in the block itself. */
static bool is_plain(kgi_ad *a, kgi_blk block, uint32_t value, unsigned *ops) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (inst->kind != KGI_op || inst->block != block) return is_known(a, block, value);
  if (!(*ops)--) return *ops = 0, false;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (!is_plain(a, block, inst->arg[k], ops)) return false;
  return true;
}

/* ---- stores ---- */

/* What the store is of, if the value is a float that may be had from there by what it looks like; 0: it is not. */
static uint32_t value_of(kgi_ad *a, uint32_t store) {
  const kgi_inst *inst = kgi_ad_inst(a, store), *value = kgi_ad_inst(a, inst->arg[2]);
  uint32_t object = inst->arg[0];
  const kgi_object *o = &a->f.p->scope.object[object];
  unsigned ops = MOST_OPS;
  bool there = o->space == KGI_BUFFER || (o->space == KGI_VAR && a->block[a->f.object[object].block].open);
  if (!there || o->scalar || o->type != value->type || !kgi_is_float(value->type)) return 0;
  if (a->object[object].replaced || a->object[object].aside || a->object[object].ended || a->req.viewed[object]) return 0;
  if (kgi_is_leaf(value->kind) || value->block != inst->block || a->f.block[inst->block].checkpoint) return 0;
  return is_plain(a, inst->block, inst->arg[1], &ops) && !ends_between(a, inst->arg[2], store) ? inst->arg[2] : 0;
}

static bool note(kgi_ad *a, uint32_t value, kgi_ad_parked parked) {
  if (!kgi_arena_grow(&a->scratch, &a->parked, a->parked_count, &a->parked_cap, sizeof *a->parked)) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  a->parked[a->parked_count++] = parked;
  a->parked_of[value] = a->parked_count;
  return true;
}

static void find_stores(kgi_ad *a, struct kgi_distinct **d) {
  KGI_EACH_INSIDE(a->f.p, KGI_BODY, i) {
    uint32_t value = kgi_ad_inst(a, i)->kind == KGI_store ? value_of(a, i) : 0;
    if (!value || a->parked_of[value] || !kgi_ad_stays(a, i)) continue;
    if (!*d && kgi_distinct_make(&a->scratch, a->f.work, a->f.p, d) != KG_OK) return kgi_ad_fail(a, KG_NO_MEMORY);
    if (kgi_is_inside_here(*d, i) && !note(a, value, (kgi_ad_parked){.store = i})) return;
  }
}

/* ---- what a trip leaves to the next ---- */

static bool is_one_element(const kgi_ad *a, uint32_t x, uint32_t y) {
  uint32_t own = kgi_ad_inst(a, x)->arg[1], other = kgi_ad_inst(a, y)->arg[1];
  kgi_poly size[3];
  kgi_sizes_of(a->f.p, size);
  if (own == other) return true;
  kgi_poly f = kgi_poly_of_index(a->f.p, x, size), g = kgi_poly_of_index(a->f.p, y, size);
  return own && other && kgi_poly_equal(&f, &g);
}

/* Of a var, whose elements nobody else stores to. */
static bool is_another_element(const kgi_ad *a, uint32_t x, uint32_t y) {
  kgi_poly size[3];
  int64_t apart;
  uint32_t object = kgi_ad_inst(a, x)->arg[0];
  if (kgi_ad_inst(a, y)->kind != KGI_store || a->f.p->scope.object[object].space != KGI_VAR || a->f.p->scope.object[object].scalar) return false;
  kgi_sizes_of(a->f.p, size);
  kgi_poly f = kgi_poly_of_index(a->f.p, x, size), g = kgi_poly_of_index(a->f.p, y, size), way = kgi_poly_add(&f, &g, -1);
  return kgi_poly_is_int(&way, &apart) && apart && apart > INT32_MIN && apart < INT32_MAX;
}

/* A var, or of shared memory the element that is the invocation's own: the same one in all trips. */
static bool is_carried(kgi_ad *a, kgi_blk body, uint32_t load) {
  uint32_t object = kgi_ad_inst(a, load)->arg[0];
  unsigned space = a->f.p->scope.object[object].space, ops = MOST_OPS;
  if (space == KGI_BUFFER || kgi_ad_within(a, body, a->f.object[object].decl)) return false;
  if (a->f.p->scope.object[object].scalar) return space == KGI_VAR;
  if (!is_plain(a, KGI_BODY, kgi_ad_inst(a, load)->arg[1], &ops)) return false;
  a->object[object].one_each |= kgi_ad_one_each(a, object);
  return space == KGI_VAR || kgi_ad_is_own_element(a, load);
}

/* The one store to its object in the body of a loop, which stands in the body itself, and is to its element; 0: there is none, or more. */
static uint32_t only_store(kgi_ad *a, kgi_blk body, uint32_t load) {
  uint32_t found = 0, object = kgi_ad_inst(a, load)->arg[0], steps = KGI_LIMIT(parked_steps);
  if (!is_carried(a, body, load)) return 0;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    if (!steps--) return 0;
    if (kgi_ad_inst(a, i)->kind == KGI_load || !kgi_ad_within(a, body, i) || is_another_element(a, load, i)) continue;
    if (found || kgi_ad_inst(a, i)->kind != KGI_store || kgi_ad_inst(a, i)->block != body) return 0;
    found = i;
  }
  return found && is_one_element(a, load, found) ? found : 0;
}

static bool changes(const kgi_ad *a, uint32_t i, uint32_t object, uint32_t *steps) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_span owned = kgi_owned_blocks(inst);
  if (kgi_has_effect(inst, KGI_WRITES | KGI_DECLARES) && kgi_object_of(inst) == object) return true;
  for (unsigned k = 0; k < owned.count; k++) {
    kgi_blk block = inst->arg[owned.first + k];
    if (!block) continue;
    KGI_EACH_INSIDE(a->f.p, block, n) {
      if (kgi_has_effect(kgi_ad_inst(a, n), KGI_WRITES | KGI_DECLARES) && kgi_object_of(kgi_ad_inst(a, n)) == object) return true;
      if (!*steps) return true;
      --*steps;
    }
  }
  return false;
}

/* What the element holds in front of the loop: what was stored to it last, in the block that the loop stands in; 0: that is not known. */
static uint32_t value_before(const kgi_ad *a, uint32_t loop, uint32_t load) {
  uint32_t steps = KGI_LIMIT(parked_steps);
  for (uint32_t i = kgi_ad_inst(a, loop)->prev; i && steps; i = kgi_ad_inst(a, i)->prev, steps -= steps > 0)
    if (changes(a, i, kgi_ad_inst(a, load)->arg[0], &steps) && !is_another_element(a, load, i))
      return kgi_ad_inst(a, i)->kind == KGI_store && is_one_element(a, i, load) ? kgi_ad_inst(a, i)->arg[2] : 0;
  return 0;
}

/* What it stores is parked itself, or what is loaded from its element further down in the trip is. */
static uint32_t store_of(const kgi_ad *a, uint32_t store) {
  uint32_t value = kgi_ad_inst(a, store)->arg[2];
  const kgi_ad_parked *parked = kgi_ad_parked_at(a, value);
  uint32_t steps = KGI_LIMIT(parked_steps);
  for (uint32_t i = a->f.access_next[store]; i && steps-- && (!parked || parked->lag); i = a->f.access_next[i])
    if (kgi_ad_inst(a, i)->kind == KGI_load && kgi_ad_inst(a, i)->block == kgi_ad_inst(a, store)->block && is_one_element(a, i, store))
      parked = kgi_ad_parked_at(a, i);
  return parked && !parked->lag ? parked->store : 0;
}

/* Follows what the var held when a trip began; false: it comes from no store that stays. */
static bool follow(kgi_ad *a, kgi_blk body, uint32_t load, kgi_ad_parked *out) {
  uint32_t loop = a->f.p->block[body].owner;
  out->loop = loop;
  while (out->lag < KGI_AD_LAGS && kgi_ad_inst(a, load)->kind == KGI_load) {
    uint32_t store = only_store(a, body, load), first;
    if (!store || !kgi_ad_within(a, body, load) || a->f.pos[load] > a->f.pos[store]) return false;
    first = value_before(a, loop, load);
    if (!first || !is_known(a, body, first)) return false;
    out->first[out->lag++] = first;
    load = kgi_ad_inst(a, store)->arg[2];
    out->store = store_of(a, store);
    if (out->store) return kgi_ad_inst(a, out->store)->block == body;
  }
  return false;
}

/* A loop that counts up, of which every trip goes to its end. */
static bool is_plain_loop(kgi_ad *a, uint32_t loop) {
  const kgi_inst *inst = kgi_ad_inst(a, loop);
  if (inst->kind != KGI_for || inst->flags & KGI_REVERSED || holds_exit(a, kgi_body_of(inst))) return false;
  return is_known(a, kgi_body_of(inst), inst->arg[0]) && is_known(a, kgi_body_of(inst), inst->arg[2]);
}

static void find_loads(kgi_ad *a) {
  KGI_EACH_INSIDE(a->f.p, KGI_BODY, i) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (inst->kind != KGI_load || a->f.p->scope.object[inst->arg[0]].space == KGI_BUFFER || !kgi_is_float(inst->type)) continue;
    for (uint32_t loop = a->f.block[inst->block].loop; loop && !a->parked_of[i]; loop = kgi_ad_loop_around(a, loop)) {
      kgi_ad_parked parked = {0};
      if (follow(a, kgi_body_of(kgi_ad_inst(a, loop)), i, &parked) && is_plain_loop(a, loop) && !note(a, i, parked)) return;
    }
  }
}

/* ---- what others ask ---- */

/* In a repeat, rounds store to the same elements, or may be run again. */
void kgi_ad_find_parked(kgi_ad *a) {
  struct kgi_distinct *d = NULL;
  if (a->parked_of || (a->req.parent && a->req.parent[a->req.item])) return;
  a->parked_of = kgi_arena_alloc(&a->scratch, a->f.p->inst_count, sizeof *a->parked_of);
  if (!a->parked_of) return kgi_ad_fail(a, KG_NO_MEMORY);
  find_stores(a, &d);
  if (a->parked_count) find_loads(a);
}

void kgi_ad_each_known(kgi_ad *a, const kgi_ad_parked *parked, void (*visit)(kgi_ad *a, kgi_blk slice, uint32_t value), kgi_blk slice) {
  uint32_t pending[4 * MOST_OPS + 4], count = 0;
  const kgi_inst *store = kgi_ad_inst(a, parked->store), *loop = kgi_ad_inst(a, parked->loop);
  for (unsigned k = 0; k < parked->lag; k++) visit(a, slice, parked->first[k]);
  if (parked->lag) visit(a, slice, loop->arg[0]), visit(a, slice, loop->arg[2]);
  pending[count++] = store->arg[1];
  while (count) {
    uint32_t value = pending[--count];
    const kgi_inst *inst = kgi_ad_inst(a, value);
    if (inst->kind != KGI_op || inst->block != store->block) visit(a, slice, value);
    for (unsigned k = 0; inst->kind == KGI_op && inst->block == store->block && k < kgi_op_rows[inst->op].arity; k++)
      if (count < sizeof pending / sizeof *pending) pending[count++] = inst->arg[k];
  }
}
