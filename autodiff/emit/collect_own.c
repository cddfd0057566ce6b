/* Vars that hold an element, or 0 where the invocation has none: what plan/homeless.c makes,
 *
 *     var own = 0    if i < len(a) { own = a[i] }
 *
 * The condition says no more than that the index is in bounds, and out of bounds a load is 0. So the var is the load, wherever it is looked at
 * behind that, and another invocation's is that invocation's load. */
#include "autodiff/emit/collect.h"
#include "foundation/ir/place.h"

typedef enum state { UNSEEN, ZERO, SET, OTHER } state;

/* The comparison is that of one of the load's indices with its extent, or of its index with the length. */
static bool keeps_inside(const kgi_collecting *c, const kgi_inst *below, uint32_t load) {
  const kgi_inst *x = kgi_collect_at(c, load);
  const kgi_object *o = &c->q->scope.object[x->arg[0]];
  kgi_digits place;
  if (!kgi_collect_is_op(below, KGI_OP_lt) || kgi_collect_at(c, below->arg[0])->type != KG_U32) return false;
  if (!kgi_place_of(c->q, load, &place)) {
    kgi_poly most = kgi_poly_of_value(c->q, (kgi_val){below->arg[1]}, c->size);
    kgi_poly length = o->length.i ? kgi_poly_of_dim(&c->q->scope, o->length) : kgi_poly_atom(KGI_ATOM_LEN + x->arg[0]);
    return !o->rank && below->arg[0] == x->arg[1] && !length.failed && kgi_poly_equal(&most, &length);
  }
  for (unsigned k = 0; k < o->rank; k++)
    if (below->arg[0] == place.value[k] && below->arg[1] == kgi_collect_at(c, place.link[k])->arg[2]) return true;
  return false;
}

static bool is_inside(const kgi_collecting *c, uint32_t condition, uint32_t load, unsigned depth) {
  const kgi_inst *x = kgi_collect_at(c, condition);
  if (!kgi_collect_is_op(x, KGI_OP_and)) return keeps_inside(c, x, load);
  return depth && is_inside(c, x->arg[0], load, depth - 1) && is_inside(c, x->arg[1], load, depth - 1);
}

/* The load whose value the store puts there, under such a condition; else 0. */
static uint32_t guarded_load(const kgi_collecting *c, const kgi_inst *store) {
  const kgi_inst *load = kgi_collect_at(c, store->arg[2]), *branch = kgi_collect_at(c, c->q->block[store->block].owner);
  if (store->block == KGI_BODY || branch->kind != KGI_if || branch->block != KGI_BODY || branch->arg[1] != store->block) return 0;
  if (load->kind != KGI_load || load->block != store->block || c->q->scope.object[load->arg[0]].space != KGI_BUFFER) return 0;
  return is_inside(c, branch->arg[0], store->arg[2], KGI_MAX_RANK) ? store->arg[2] : 0;
}

static bool is_zero(const kgi_inst *x) { return x->kind == KGI_literal && !kgi_literal_bits(x); }

static state next_state(const kgi_collecting *c, state now, const kgi_inst *access, uint32_t *own) {
  if (access->kind == KGI_load) return now == SET ? SET : OTHER;
  if (access->kind != KGI_store) return OTHER;
  if (now == UNSEEN && access->block == KGI_BODY && is_zero(kgi_collect_at(c, access->arg[2]))) return ZERO;
  *own = now == ZERO ? guarded_load(c, access) : 0;
  return *own ? SET : OTHER;
}

bool kgi_collect_find_own(kgi_collecting *c, kgi_arena *scratch) {
  state *now = kgi_arena_alloc(scratch, c->q->scope.object_count, sizeof *now);
  c->own = kgi_arena_alloc(scratch, c->q->scope.object_count, sizeof *c->own);
  if (!now || !c->own) return false;
  KGI_EACH_INSIDE(c->q, KGI_BODY, i) {
    const kgi_inst *x = kgi_collect_at(c, i);
    uint32_t object = kgi_touches(x) ? kgi_object_of(x) : 0;
    if (!object || c->q->scope.object[object].space != KGI_VAR || !c->q->scope.object[object].scalar) continue;
    now[object] = next_state(c, now[object], x, &c->own[object]);
    if (now[object] == OTHER) c->own[object] = 0;
  }
  return true;
}
