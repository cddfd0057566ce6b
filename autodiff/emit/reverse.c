/* The reverse sweep: the adjoint of each statement, last to first.
 *
 *   y = f(e, b)   the adjoints of a and b get their contributions from y's
 *   t = x[i]      shadow[i] gets what t's adjoint holds
 *   x[i] = t      t's adjoint gets shadow[i], which is moved and zeroed
 *   atomic add    t's adjoint gets shadow[i], which stays
 *   barrier       a barrier, on every path that has one
 *   if            an if under the same condition
 *   subgroup op   over the same lanes (lanes.c)
 *   for           the same range the other way round
 *
 * The adjoint of a value is a value where all its uses stand in its own block, and besides a var where they do not. */
#include "autodiff/emit/emit.h"
#include "modules/modules.h"
#include "foundation/analysis/linear.h"
#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"
#include "foundation/ir/place.h"

static kgi_val none(void) { return (kgi_val){0}; }

static kgi_val add(kgi_emission *e, kgi_val x, kgi_val y) { return x.i ? kgi_op2(e->b, KGI_OP_add, x, y) : y; }

static kgi_val zero(kgi_emission *e, kg_type type) { return kgi_float(e->b, type, 0); }

/* ---- adjoints of values ---- */

/* A var that was declared in the reverse of `home` still holds the zero that it began with: nothing was added yet, and no loop
 * between comes back to `here`. */
static bool holds_zero(const kgi_emission *e, bool touched, kgi_blk home, kgi_blk here) {
  return !touched && e->f->block[home].loop == e->f->block[here].loop;
}

static void add_to_var(kgi_emission *e, kgi_obj var, kgi_val g, bool is_zero) {
  kgi_store(e->b, var, none(), is_zero ? g : kgi_op2(e->b, KGI_OP_add, kgi_load(e->b, var, none()), g));
}

static void contribute(kgi_emission *e, kgi_blk here, uint32_t value, kgi_val g) {
  kgi_blk home = kgi_ad_home(e->a, value);
  here = e->f->block[here].in;
  if (e->b->status != KG_OK || !g.i) return;
  if (home == here) {
    e->adj[value] = add(e, (kgi_val){e->adj[value]}, g).i;
    return;
  }
  add_to_var(e, e->adj_var[value], g, holds_zero(e, e->touched[value], home, here));
  e->touched[value] = true;
}

/* The whole adjoint of a value whose uses have all been reversed; {0}: nothing reached it. */
static kgi_val take(kgi_emission *e, uint32_t value) {
  kgi_val sum = {e->adj[value]};
  if (e->a->flags[value] & KGI_AD_CROSS) {
    kgi_val rest = kgi_load(e->b, e->adj_var[value], none());
    sum = sum.i ? add(e, rest, sum) : rest;
  }
  e->adj[value] = 0;
  return sum;
}

/* ---- shadows ---- */

static void forget_pending(kgi_emission *e) { e->epoch++; }

/* The element was moved out just now: what is added to it is all that it holds. */
static void replace_zero(kgi_emission *e, kgi_emitted_object *o, kgi_val at, kgi_val g) {
  uint32_t gone = o->pending_store;
  o->pending_epoch = 0;
  if (e->b->at.after == gone) e->b->at.after = e->b->p->inst[gone].prev;
  kgi_remove(e->b->p, gone);
  if (g.i != o->pending_value) kgi_store(e->b, o->shadow, at, g);
}

/* A copy has the shadow of what it is a copy of. */
static kgi_emitted_object *shadow_of(const kgi_emission *e, uint32_t object) { return &e->object[kgi_ad_shadow_of(e->a, object)]; }

static bool shadow_holds_zero(const kgi_emission *e, uint32_t object, kgi_blk here) {
  const kgi_emitted_object *o = shadow_of(e, object);
  object = kgi_ad_shadow_of(e->a, object);
  return e->p->scope.object[object].space == KGI_VAR && holds_zero(e, o->touched, e->f->object[object].block, here);
}

/* The copy of the state that a strip begins with: all of the adjoint was moved out where the strip ends, and nothing between touches it. */
static bool begins_strip(const kgi_emission *e, uint32_t load) {
  return e->a->block[e->p->inst[load].block].strip && e->p->scope.object[e->p->inst[load].arg[0]].space == KGI_VAR;
}

static void reverse_load(kgi_emission *e, uint32_t i);

/* A load of the element that was moved out, just before another load of the object; 0: there is none whose adjoint is complete. */
static uint32_t load_of_pending(const kgi_emission *e, uint32_t load) {
  uint32_t object = e->p->inst[load].arg[0], element = shadow_of(e, object)->pending_index, i = e->p->inst[load].prev;
  for (unsigned n = 0; i && n < KGI_LIMIT(reverse_near); n++, i = e->p->inst[i].prev) {
    const kgi_inst *inst = kgi_ad_inst(e->a, i);
    if (!kgi_is_pure(inst)) return 0;
    if (inst->kind != KGI_load || inst->arg[0] != object || inst->arg[1] != element) continue;
    for (uint32_t use = e->f->use_first[i]; use; use = e->f->use_next[use - 1])
      if (e->f->pos[(use - 1) / 4] < e->f->pos[load]) return 0;
    return kgi_ad_active(e->a, i) && !(e->a->flags[i] & KGI_AD_CROSS) && !e->a->sum_of[i] ? i : 0;
  }
  return 0;
}

/* Additions may come in any order: what goes to the element that was moved out goes first, and takes the place of the zero. */
static void reverse_pending_first(kgi_emission *e, uint32_t load) {
  const kgi_emitted_object *o = shadow_of(e, e->p->inst[load].arg[0]);
  if (o->pending_epoch != e->epoch || o->pending_index == e->p->inst[load].arg[1]) return;
  uint32_t first = load_of_pending(e, load);
  if (first) reverse_load(e, first);
}

static void note_home(kgi_emission *e, uint32_t load) {
  const kgi_ad_object *o = &e->a->object[e->p->inst[load].arg[0]];
  kgi_emitted_object *made = &e->object[e->p->inst[load].arg[0]];
  for (unsigned k = 0; k < o->homes; k++) {
    if (o->home[k] != load) continue;
    made->home_again |= made->home[k] != 0;
    made->home[k] = e->b->at.after;
  }
}

static void contribute_to_shadow(kgi_emission *e, uint32_t load, kgi_val g) {
  uint32_t object = e->p->inst[load].arg[0], index = e->p->inst[load].arg[1];
  kgi_emitted_object *o = shadow_of(e, object);
  bool is_zero = shadow_holds_zero(e, object, e->p->inst[load].block) || begins_strip(e, load);
  o->touched = true;
  kgi_val at = index ? kgi_ad_leaf(e, index) : none();
  if (e->a->entry[load].tape) return kgi_ad_list_contribution(e, e->a->entry[load], o->shadow, at, g);
  if (o->pending_epoch == e->epoch && o->pending_index == index) {
    replace_zero(e, o, at, g);
    return;
  }
  o->pending_epoch = 0;
  bool is_var = e->p->scope.object[object].space == KGI_VAR;
  if (e->a->object[object].spread && !(e->a->flags[load] & KGI_AD_PLAIN)) return kgi_ad_spread_contribution(e, object, at, g);
  if (!is_var && !(e->a->flags[load] & KGI_AD_PLAIN)) {
    kgi_atomic_op(e->b, KGI_ATOMIC_add, o->shadow, at, g, none());
    note_home(e, load);
    return;
  }
  if (!kgi_ad_is_stored(e->a, load) && !is_zero) g = kgi_op2(e->b, KGI_OP_add, kgi_load(e->b, o->shadow, at), g);
  kgi_store(e->b, o->shadow, at, g);
}

/* Zeros beside what is stored, where nothing is loaded. */
static void fill_holes(kgi_emission *e, uint32_t load) {
  const kgi_ad_object *o = &e->a->object[e->p->inst[load].arg[0]];
  kgi_obj shadow = shadow_of(e, e->p->inst[load].arg[0])->shadow;
  if (o->stored_load != load) return;
  for (uint32_t k = 0; k < 32; k++) {
    if (!(o->holes >> k & 1)) continue;
    kgi_val at = kgi_ad_leaf(e, e->p->inst[load].arg[1]), nothing = zero(e, (kg_type)e->b->p->scope.object[shadow.i].type);
    bool before = k < o->stored_offset;
    kgi_val apart = kgi_int(e->b, kgi_type_of(e->b->p, at), before ? o->stored_offset - k : k - o->stored_offset);
    kgi_store(e->b, shadow, kgi_op2(e->b, before ? KGI_OP_sub : KGI_OP_add, at, apart), nothing);
  }
}

static void reverse_load(kgi_emission *e, uint32_t i) {
  kgi_val g = take(e, i);
  bool stored = kgi_ad_is_stored(e->a, i);
  fill_holes(e, i);
  if (!g.i && !stored) return;
  if (!g.i) g = zero(e, kgi_ad_type(e->p->inst[i].type));
  if (!e->a->sum_of[i]) {
    reverse_pending_first(e, i);
    contribute_to_shadow(e, i, g);
    return;
  }
  uint32_t sum = e->a->sum_of[i] - 1;
  add_to_var(e, e->sum_var[sum], g, holds_zero(e, e->sum_touched[sum], KGI_BODY, e->p->inst[i].block));
  e->sum_touched[sum] = true;
}

static uint32_t next_reversed(const kgi_emission *e, uint32_t access) {
  while (access && !kgi_ad_has_reverse(e->a, access)) access = e->f->access_next[access];
  return access;
}

static bool inside_loop(const kgi_emission *e, uint32_t i, uint32_t loop) {
  uint32_t around = e->f->block[e->p->inst[i].block].loop;
  while (around && around != loop) around = e->f->block[e->p->inst[around].block].loop;
  return around == loop;
}

/* The outermost of the loops between `home` and the store, if in each trip of each of them it reaches another element, so that it comes to
 * each once; 0: not known. */
static uint32_t loop_of_elements(const kgi_emission *e, uint32_t i, kgi_blk home) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  uint32_t loop = e->f->block[inst->block].loop, outermost = 0;
  for (; loop != e->f->block[home].loop; loop = e->f->block[e->p->inst[loop].block].loop) {
    bool moves = inst->arg[1] && kgi_element_moves_with(e->p, inst->arg[0], inst->arg[1], loop);
    if (e->p->inst[loop].kind != KGI_for || !moves) return 0;
    outermost = loop;
  }
  return outermost;
}

/* The store runs at most once for each element, and what follows it in its loops does not look at what an earlier trip's leaves
 * behind. Other invocations do not store to it in the same stretch between barriers. */
static bool stores_once(const kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_blk home = e->f->object[inst->arg[0]].block;
  if (e->f->block[inst->block].loop == e->f->block[home].loop) return true;
  uint32_t loop = loop_of_elements(e, i, home), next = next_reversed(e, e->f->access_next[i]);
  if (!loop || (next && inside_loop(e, next, loop))) return false;
  return !e->f->block[kgi_body_of(kgi_ad_inst(e->a, loop))].has_barrier;
}

static kgi_poly linear_index(const kgi_emission *e, uint32_t access) {
  kgi_poly size[3];
  kgi_sizes_of(e->p, size);
  return kgi_poly_of_index(e->p, access, size);
}

static bool is_word(unsigned type) { return type == KG_U32 || type == KG_I32; }

/* They differ by a number along some dimension, and no number is past its extent where there is an element. */
static bool are_places_apart(const kgi_emission *e, uint32_t i, uint32_t k) {
  kgi_digits own, theirs;
  if (!kgi_place_of(e->p, i, &own) || !kgi_place_of(e->p, k, &theirs)) return false;
  kgi_poly size[3];
  kgi_sizes_of(e->p, size);
  for (unsigned d = 0; d < e->p->scope.object[kgi_ad_inst(e->a, i)->arg[0]].rank; d++) {
    if (!is_word(e->p->inst[own.value[d]].type) || !is_word(e->p->inst[theirs.value[d]].type)) continue;
    kgi_poly x = kgi_poly_of_value(e->p, (kgi_val){own.value[d]}, size), y = kgi_poly_of_value(e->p, (kgi_val){theirs.value[d]}, size);
    kgi_poly difference = kgi_poly_add(&x, &y, -1);
    int64_t apart;
    if (kgi_poly_is_int(&difference, &apart) && (uint32_t)apart) return true;
  }
  return false;
}

static bool are_apart(const kgi_emission *e, uint32_t i, uint32_t k) {
  kgi_poly own = linear_index(e, i), theirs = linear_index(e, k), difference = kgi_poly_add(&theirs, &own, -1);
  int64_t apart;
  return (kgi_poly_is_int(&difference, &apart) && (uint32_t)apart) || are_places_apart(e, i, k);
}

/* They are in different arms of one branch: no invocation runs both, where neither is in a loop. */
static bool are_alternatives(const kgi_program *p, uint32_t i, uint32_t k) {
  for (kgi_blk own = p->inst[i].block; own > KGI_BODY; own = p->inst[p->block[own].owner].block)
    for (kgi_blk other = p->inst[k].block; other > KGI_BODY; other = p->inst[p->block[other].owner].block)
      if (p->block[own].owner == p->block[other].owner) return own != other && p->inst[p->block[own].owner].kind == KGI_if;
  return false;
}

/* Whatever reaches the shadow after the reverse of the store `i`, which runs at most once, is another store's, with no barrier between: to an
 * element beside it, as the two are in one block outside of loops, and their indices differ by a number, or do so along a dimension; or it
 * is made in its place. Two invocations that store to one element would race. */
static bool others_are_beside(const kgi_emission *e, uint32_t i, uint32_t first) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  const kgi_ad_facts *f = e->f;
  if (!inst->arg[1] || f->block[inst->block].loop) return false;
  unsigned n = 0;
  for (uint32_t k = first; k && k != i; k = next_reversed(e, f->access_next[k]), n++) {
    const kgi_inst *other = kgi_ad_inst(e->a, k);
    if (n >= KGI_LIMIT(reverse_near) || other->kind != KGI_store || f->block[other->block].loop || f->barriers[k] != f->barriers[i]) return false;
    if (are_alternatives(e->p, i, k)) continue;
    if (other->block != inst->block || !other->arg[1] || !are_apart(e, i, k)) return false;
  }
  return true;
}

static bool is_viewed(const kgi_emission *e, uint32_t object) {
  return e->p->scope.object[object].space == KGI_BUFFER && e->a->req.viewed[object];
}

/* Whether nothing looks at the shadow's element once its store was reversed: no other access, no earlier trip of a loop, not the
 * caller. */
static bool shadow_is_done(const kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_emitted_object *o = &e->object[inst->arg[0]];
  if (e->f->object[inst->arg[0]].copied) return false;
  if (!o->reversed_known) o->first_reversed = next_reversed(e, e->f->object[inst->arg[0]].first);
  o->reversed_known = true;
  if (is_viewed(e, inst->arg[0])) return false;
  if (o->first_reversed != i ? !others_are_beside(e, i, o->first_reversed) : !stores_once(e, i)) return false;
  if (e->p->scope.object[inst->arg[0]].space != KGI_BUFFER) return true;
  return e->a->req.spent[inst->arg[0]];
}

static kgi_val load_shadow(kgi_emission *e, uint32_t object, kgi_val at) {
  return e->a->object[object].spread ? kgi_ad_spread_load(e, object, at) : kgi_load(e->b, shadow_of(e, object)->shadow, at);
}

static void reverse_store(kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_emitted_object *o = shadow_of(e, inst->arg[0]);
  kgi_val at = inst->arg[1] ? kgi_ad_leaf(e, inst->arg[1]) : none(), g = none();
  o->pending_epoch = 0;
  if (shadow_holds_zero(e, inst->arg[0], inst->block)) return; /* the contents were not used */
  o->touched = true;
  if (kgi_ad_active(e->a, inst->arg[2])) {
    g = load_shadow(e, inst->arg[0], at);
    contribute(e, inst->block, inst->arg[2], g);
  }
  if (shadow_is_done(e, i)) return;
  if (e->a->object[inst->arg[0]].spread) kgi_ad_spread_empty(e, inst->arg[0], at), g = none();
  kg_type type = (kg_type)e->b->p->scope.object[o->shadow.i].type;
  kgi_store(e->b, o->shadow, at, zero(e, type));
  if (is_viewed(e, inst->arg[0])) return; /* what comes between may go by another view */
  o->pending_epoch = e->epoch;
  o->pending_index = inst->arg[1];
  o->pending_value = g.i;
  o->pending_store = e->b->at.after;
}

/* Of an atomic minimum or maximum: the element's adjoint, moved out, where this operand is what it holds in the end (plan/extremes.c);
 * 0 elsewhere. */
static kgi_val take_if_set(kgi_emission *e, uint32_t i, kgi_val at) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_obj shadow = e->object[inst->arg[0]].shadow;
  kg_type type = (kg_type)e->b->p->scope.object[shadow.i].type;
  kgi_val seen = kgi_ad_leaf(e, i), operand = kgi_ad_leaf(e, inst->arg[2]), nothing = zero(e, type);
  uint32_t end = kgi_ad_end_load(e->a, i);
  kgi_val last = end ? kgi_ad_leaf(e, end) : kgi_load(e->b, e->object[inst->arg[0]].out, at);
  kgi_val as_good = kgi_op2(e->b, inst->op == KGI_ATOMIC_max ? KGI_OP_ge : KGI_OP_le, seen, operand);
  kgi_val better = kgi_op1(e->b, KGI_OP_not, as_good), lasts = kgi_op2(e->b, KGI_OP_eq, operand, last);
  kgi_obj moved = kgi_var(e->b, kgi_ad_free_name(e, "grad_", "operand"), type, (kgi_dim){0});
  kgi_store(e->b, moved, none(), nothing);
  kgi_if_begin(e->b, kgi_op2(e->b, KGI_OP_and, better, lasts));
  kgi_store(e->b, moved, none(), kgi_load(e->b, shadow, at));
  kgi_store(e->b, shadow, at, nothing);
  kgi_end(e->b);
  return kgi_load(e->b, moved, none());
}

/* By any number of invocations. */
static void reset_shadow(kgi_emission *e, kgi_obj shadow, kgi_val at) {
  kgi_atomic_op(e->b, KGI_ATOMIC_store, shadow, at, zero(e, (kg_type)e->b->p->scope.object[shadow.i].type), none());
}

static void reverse_atomic(kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_emitted_object *o = &e->object[inst->arg[0]];
  kgi_val at = inst->arg[1] ? kgi_ad_leaf(e, inst->arg[1]) : none();
  o->pending_epoch = 0;
  if (kgi_ad_is_reset(e->a, i) && e->a->object[inst->arg[0]].spread) kgi_ad_spread_empty(e, inst->arg[0], at);
  if (kgi_ad_is_reset(e->a, i)) return reset_shadow(e, o->shadow, at);
  kgi_val g = kgi_ad_is_extreme(e->a, i) ? take_if_set(e, i, at) : load_shadow(e, inst->arg[0], at);
  if (kgi_ad_active(e->a, inst->arg[2])) contribute(e, inst->block, inst->arg[2], g);
}

/* The number of the trip, from 1. */
static kgi_val trip_number(kgi_emission *e, uint32_t loop) {
  kgi_val index = {e->map[loop]}, from = kgi_ad_leaf(e, e->p->inst[loop].arg[0]);
  return kgi_ad_trip_number(e->b, index, from);
}

/* Of a maximum or minimum that its last change settles (plan/settled.c): later trips found what is there behind the loop, and share with
 * it; that one hands all on to the other operand, and there is nothing left for the trips before. Gives the later ones' share. */
static kgi_val hand_on(kgi_emission *e, uint32_t i, kgi_val g) {
  const kgi_ad_settled *s = kgi_settled(e->f, i);
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  bool back = e->p->inst[s->loop].flags & KGI_REVERSED;
  kgi_val number = trip_number(e, s->loop), last = kgi_ad_leaf(e, s->last), one = kgi_u32(e->b, 1);
  if (back) { /* numbers fall from trip to trip, and 0 - 1 is the greatest */
    number = kgi_op2(e->b, KGI_OP_sub, number, one);
    last = kgi_op2(e->b, KGI_OP_sub, last, one);
  }
  kgi_val later = kgi_op2(e->b, back ? KGI_OP_lt : KGI_OP_gt, number, last);
  kgi_val nothing = zero(e, kgi_type_of(e->b->p, g));
  e->map[s->before] = kgi_ad_leaf(e, s->end).i;
  uint32_t other = inst->arg[inst->arg[0] == s->before];
  if (kgi_ad_active(e->a, other)) contribute(e, inst->block, other, kgi_op3(e->b, KGI_OP_select, later, nothing, g));
  return kgi_op3(e->b, KGI_OP_select, later, g, nothing);
}

static void reverse_op(kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_val g = take(e, i);
  if (!g.i) return;
  if (kgi_settled(e->f, i)) g = hand_on(e, i, g);
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (kgi_ad_active(e->a, inst->arg[k]) && kgi_ad_flows(e->a, i, k))
      contribute(e, inst->block, inst->arg[k], kgi_ad_pullback(e, i, k, g));
}

static void reverse_subgroup(kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_val g = take(e, i);
  if (g.i) contribute(e, inst->block, inst->arg[0], kgi_ad_pullback_lanes(e, i, g));
}

/* ---- control ---- */

static void reverse_block(kgi_emission *e, kgi_blk block);

/* The vars that the reverse of a block needs: adjoints of its values that nested blocks contribute to, and shadows of its vars. */
static void declare_shadow_var(kgi_emission *e, uint32_t object) {
  const kgi_object *o = &e->p->scope.object[object];
  kg_type type = kgi_ad_type(o->type);
  const char *name = kgi_ad_free_name(e, "grad_", kgi_ad_object_name(e->a, object));
  kgi_object var = {.name = kgi_intern_z(e->b->m, name), .pos = e->b->pos, .space = KGI_VAR, .type = (uint8_t)type, .scalar = o->scalar};
  kgi_copy_extents(&var, o, e->dim_map);
  kgi_obj shadow = kgi_var_add(e->b, &var);
  e->object[object].shadow = shadow;
  if (o->scalar) {
    kgi_store(e->b, shadow, none(), zero(e, type));
    return;
  }
  kgi_val length = kgi_len_value(e->b, shadow), first = kgi_u32(e->b, 0);
  kgi_val k = kgi_for_begin(e->b, kgi_ad_free_name(e, "", "k"), first, length, none(), false);
  kgi_store(e->b, shadow, k, zero(e, type));
  kgi_end(e->b);
}

static void declare_adjoints(kgi_emission *e, kgi_blk block) {
  for (uint32_t v = e->a->block[block].cross; v; v = e->a->cross_next[v]) {
    const kgi_inst *inst = kgi_ad_inst(e->a, v);
    const char *name = kgi_string(e->f->work, e->p->inst_name[v]);
    if (inst->kind == KGI_param) name = kgi_string(e->f->work, e->p->scope.param[inst->arg[0]].name);
    if (!*name && inst->kind == KGI_load) name = kgi_ad_object_name(e->a, inst->arg[0]);
    e->b->pos = e->p->inst_pos[v];
    kg_type type = kgi_ad_type(inst->type);
    e->adj_var[v] = kgi_var(e->b, kgi_ad_free_name(e, "grad_", *name ? name : "value"), type, (kgi_dim){0});
    kgi_store(e->b, e->adj_var[v], none(), zero(e, type));
  }
  for (uint32_t o = e->a->block[block].vars; o; o = e->a->object[o].var_next) declare_shadow_var(e, o);
}

static void reverse_closed(kgi_emission *e, kgi_blk block) {
  forget_pending(e); /* what another branch moved out is no matter of this one's */
  kgi_ad_emit_slice(e, block);
  declare_adjoints(e, block);
  reverse_block(e, block);
}

/* A barrier that is there already may be one of the slice, at which nothing was gathered. */
static void mirror_barrier(kgi_emission *e, kgi_kind kind) {
  uint32_t before = e->b->at.after;
  bool there = before && e->b->p->inst[before].kind == kind;
  if (!there && kind == KGI_barrier) kgi_barrier_here(e->b);
  if (!there && kind != KGI_barrier) kgi_memory_barrier_here(e->b);
  if (kind == KGI_barrier && !(there && before == e->gathered)) kgi_ad_gather_spread(e);
}

/* A branch without content may have barriers. One does for all of them, since nothing is done between. */
static void reverse_branch(kgi_emission *e, kgi_blk block) {
  if (e->a->block[block].content) reverse_closed(e, block);
  else mirror_barrier(e, KGI_barrier);
}

/* Block 0 is one without anything. */
static bool has_reverse_side(const kgi_emission *e, kgi_blk block) { return e->a->block[block].content || e->f->block[block].has_barrier; }

static kgi_val is_last(kgi_emission *e, const kgi_ad_settled *s) {
  kgi_val last = kgi_ad_leaf(e, s->last);
  return kgi_op2(e->b, KGI_OP_eq, trip_number(e, s->loop), last);
}

static void reverse_if(kgi_emission *e, uint32_t i) {
  const kgi_inst inst = *kgi_ad_inst(e->a, i);
  bool then = has_reverse_side(e, inst.arg[1]), other = has_reverse_side(e, inst.arg[2]);
  const kgi_ad_settled *s = kgi_settled(e->f, i);
  kgi_val condition = s ? is_last(e, s) : kgi_ad_leaf(e, inst.arg[0]);
  kgi_if_begin(e->b, then ? condition : kgi_op1(e->b, KGI_OP_not, condition));
  reverse_branch(e, inst.arg[then ? 1 : 2]);
  if (then && other) {
    kgi_else(e->b);
    reverse_branch(e, inst.arg[2]);
  }
  kgi_end(e->b);
}

static void note_turned(kgi_emission *e, uint32_t loop) {
  if (!kgi_arena_grow(e->scratch, &e->turned, e->turned_count, &e->turned_cap, sizeof *e->turned)) return kgi_emission_fail(e, KG_NO_MEMORY);
  e->turned[e->turned_count++] = loop;
}

/* The index of a `for` that was left early, from the number of the trip. */
static kgi_val index_of(kgi_emission *e, uint32_t i, kgi_val trip) {
  const kgi_inst inst = *kgi_ad_inst(e->a, i);
  kgi_builder *b = e->b;
  kg_type type = (kg_type)inst.type, natural = kgi_type_bits(type) == 64 ? KG_U64 : KG_U32; /* a range may be wider than half the type */
  kgi_val from = kgi_ad_leaf(e, inst.arg[0]), to = kgi_ad_leaf(e, inst.arg[1]), step = kgi_ad_leaf(e, inst.arg[2]);
  step = kgi_convert(b, natural, step);
  trip = kgi_convert(b, natural, trip);
  if (inst.flags & KGI_REVERSED) { /* from the last index of the range down */
    kgi_val span = kgi_convert(b, natural, kgi_op2(b, KGI_OP_sub, to, from)), one = kgi_int(b, natural, 1);
    kgi_val last = kgi_op2(b, KGI_OP_div, kgi_op2(b, KGI_OP_sub, span, one), step);
    trip = kgi_op2(b, KGI_OP_sub, last, trip);
  }
  kgi_val way = kgi_op2(b, KGI_OP_mul, trip, step);
  return kgi_op2(b, KGI_OP_add, from, kgi_convert(b, type, way));
}

static void note_trip(kgi_emission *e, uint32_t i, kgi_val trip) {
  uint32_t counter = kgi_counted(e->f, i).trip; /* 0: nothing in the loop asks for it */
  if (counter) e->map[counter] = trip.i;
  if (e->p->inst[i].kind == KGI_for) e->map[i] = index_of(e, i, trip).i;
}

/* The lanes of a subgroup, or of the workgroup, at one trip together. */
static void reverse_in_step(kgi_emission *e, uint32_t i, kgi_val trips) {
  kgi_blk body = kgi_body_of(kgi_ad_inst(e->a, i));
  if (e->a->block[body].by_workgroup) forget_pending(e);
  kgi_val trip = kgi_ad_begin_in_step(e, trips, e->a->block[body].by_workgroup);
  note_trip(e, i, trip);
  reverse_closed(e, body);
  kgi_ad_end_in_step(e);
}

/* As many trips as were counted, last to first. */
static void reverse_counted(kgi_emission *e, uint32_t i) {
  const kgi_ad_counted c = kgi_counted(e->f, i);
  kgi_val count = {e->map[c.count]}, first = kgi_u32(e->b, 0);
  if (e->a->block[kgi_body_of(kgi_ad_inst(e->a, i))].in_step) return reverse_in_step(e, i, count);
  kgi_val trip = kgi_for_begin(e->b, kgi_ad_free_name(e, "", "trip"), first, count, (kgi_val){0}, true);
  note_trip(e, i, trip);
  note_turned(e, trip.i);
  reverse_closed(e, kgi_body_of(kgi_ad_inst(e->a, i)));
  kgi_end(e->b);
}

static void reverse_for(kgi_emission *e, uint32_t i) {
  const kgi_inst inst = *kgi_ad_inst(e->a, i);
  const char *name = kgi_string(e->f->work, e->p->inst_name[i]);
  kgi_val bound[3];
  for (unsigned k = 0; k < 3; k++) bound[k] = kgi_ad_leaf(e, inst.arg[k]);
  if (e->a->block[inst.arg[3]].in_step) return reverse_in_step(e, i, kgi_ad_trip_count(e, bound));
  e->map[i] = kgi_for_begin(e->b, kgi_ad_free_name(e, "", *name ? name : "i"), bound[0], bound[1], bound[2],
                            !(inst.flags & KGI_REVERSED)).i;
  note_turned(e, e->map[i]);
  reverse_closed(e, inst.arg[3]);
  kgi_end(e->b);
}

/* The constants are what they were when the sums were found to be such; {0}: they hang on none. */
static kgi_val is_as_found(kgi_emission *e, const kgi_ad_tree *tree) {
  kgi_val all = none();
  uint64_t specs = tree->specs;
  for (const kgi_ad_tree *t = tree; t->more; t++) specs |= t[1].specs;
  for (uint32_t k = 1; k < e->p->scope.spec_count && k < 64; k++) {
    const kgi_spec *s = &e->p->scope.spec[k];
    if (!(specs >> k & 1)) continue;
    kgi_val is = kgi_spec_value(e->b, k), was = kgi_literal_of(e->b, (kg_type)s->type, s->bits), same = kgi_op2(e->b, KGI_OP_eq, is, was);
    all = all.i ? kgi_op2(e->b, KGI_OP_and, all, same) : same;
  }
  return all;
}

/* Each root's adjoint, once it is whole, goes to all elements. */
static void spread_roots(kgi_emission *e, const kgi_ad_tree *tree) {
  kgi_obj shadow = e->object[tree->object].shadow;
  kgi_val g = kgi_load(e->b, shadow, kgi_u32(e->b, tree->root));
  if (tree->more) spread_roots(e, tree + 1);
  else kgi_barrier_here(e->b);
  kgi_store(e->b, shadow, kgi_id_value(e->b, KGI_ID_local_index, 0), g);
}

/* Where constants have become others, the loop is another one: trip by trip. */
static void reverse_tree(kgi_emission *e, const kgi_ad_tree *tree) {
  kgi_val as_found = is_as_found(e, tree);
  forget_pending(e);
  if (as_found.i) kgi_if_begin(e->b, as_found);
  mirror_barrier(e, KGI_barrier);
  spread_roots(e, tree);
  if (as_found.i) {
    kgi_else(e->b);
    reverse_for(e, tree->loop);
    kgi_end(e->b);
  }
  mirror_barrier(e, KGI_barrier); /* the loop would have one before anything else is added */
}

static void reverse_control(kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_span owned = kgi_owned_blocks(inst);
  bool content = false, barrier = false;
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
    if (e->a->block[inst->arg[k]].content) content = true;
    if (e->f->block[inst->arg[k]].has_barrier) barrier = true;
  }
  if (!content) {
    /* control around a barrier is uniform, so that one barrier without it does as well, though it may run no trip */
    if (!barrier) return;
    forget_pending(e);
    mirror_barrier(e, KGI_barrier);
    return;
  }
  if (inst->kind == KGI_checkpoint) reverse_closed(e, inst->arg[0]);
  if (inst->kind == KGI_if) reverse_if(e, i);
  if (kgi_is_loop(inst) && kgi_counted(e->f, i).count) reverse_counted(e, i);
  else if (inst->kind == KGI_for && e->a->block[inst->arg[3]].tree) reverse_tree(e, &e->a->tree[e->a->block[inst->arg[3]].tree - 1]);
  else if (inst->kind == KGI_for) reverse_for(e, i);
  forget_pending(e);
}

static void reverse_inst(kgi_emission *e, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  e->b->pos = e->p->inst_pos[i];
  switch ((kgi_kind)inst->kind) {
  case KGI_op:
    if (kgi_ad_active(e->a, i)) reverse_op(e, i);
    break;
  case KGI_load:
    if (kgi_ad_active(e->a, i)) reverse_load(e, i);
    break;
  case KGI_subgroup:
    if (kgi_ad_active(e->a, i)) reverse_subgroup(e, i);
    break;
  case KGI_store:
    if (kgi_ad_has_reverse(e->a, i)) reverse_store(e, i);
    break;
  case KGI_atomic:
    if (kgi_ad_has_reverse(e->a, i)) reverse_atomic(e, i);
    break;
  case KGI_barrier: case KGI_memory_barrier:
    forget_pending(e);
    mirror_barrier(e, (kgi_kind)inst->kind);
    break;
  case KGI_if: case KGI_for: case KGI_while: case KGI_checkpoint: reverse_control(e, i); break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_check:
  case KGI_var: case KGI_region: case KGI_break: case KGI_continue: case KGI_return: case KGI_KIND_COUNT: break;
  }
}

static void reverse_block(kgi_emission *e, kgi_blk block) {
  KGI_EACH_BACK(e->p, block, i) {
    if (e->b->status != KG_OK || e->status != KG_OK) return;
    reverse_inst(e, i);
  }
}

/* ---- open blocks ---- */

static void sweep_open(kgi_emission *e, kgi_blk block);

static void sweep_last_if(kgi_emission *e, uint32_t i) {
  const kgi_inst inst = *kgi_ad_inst(e->a, i);
  e->b->pos = e->p->inst_pos[i];
  kgi_if_begin(e->b, kgi_ad_leaf(e, inst.arg[0]));
  sweep_open(e, inst.arg[1]);
  if (inst.arg[2]) {
    kgi_else(e->b);
    forget_pending(e);
    sweep_open(e, inst.arg[2]);
  }
  kgi_end(e->b);
  forget_pending(e);
}

/* Forward, the `if` that comes last both ways, and back. */
static void sweep_open(kgi_emission *e, kgi_blk block) {
  uint32_t last = e->p->block[block].last;
  if (!last || e->p->inst[last].kind != KGI_if) last = 0;
  KGI_EACH(e->p, block, i)
    if (i != last) kgi_ad_copy_whole(e, i);
  declare_adjoints(e, block);
  if (block == KGI_BODY) kgi_ad_declare_sums(e);
  if (last) sweep_last_if(e, last);
  if (!e->a->block[KGI_BODY].content) return; /* there is nothing to reverse, and invocations may have left early */
  for (uint32_t i = last ? e->p->inst[last].prev : e->p->block[block].last; i; i = e->p->inst[i].prev) {
    if (e->b->status != KG_OK || e->status != KG_OK) return;
    reverse_inst(e, i);
  }
}

void kgi_ad_sweep(kgi_emission *e) {
  e->epoch = 1;
  if (e->mode == KGI_EMIT_FORWARD) {
    KGI_EACH(e->p, KGI_BODY, i) kgi_ad_copy_whole(e, i);
    return;
  }
  if (e->mode == KGI_EMIT_FUSED) {
    kgi_ad_declare_slots(e, KGI_BODY);
    sweep_open(e, KGI_BODY);
  } else {
    kgi_ad_emit_slice(e, KGI_BODY);
    declare_adjoints(e, KGI_BODY);
    kgi_ad_declare_sums(e);
    reverse_block(e, KGI_BODY);
  }
  kgi_ad_flush_sums(e);
  kgi_ad_fill_vacant(e);
}
