/* What invocations add to elements beside their own is collected by whose elements they are, as a person writes the adjoint of a stencil:
 *
 *     if c(i) { atomic_add(s[i], u(i)); atomic_add(s[f(i)], v(i)) }
 *     if c(i) { s[i] = u(i) + the sum of v(j) over all j of the dispatch with c(j) and f(j) == i }
 *
 * or `s[i] +=`, where there may be something in s already.
 *
 * Why it is the same. The plan found loads, the homes, that reach every element once (plan/homes.c): so of each element one invocation makes
 * one addition in a home's place, and that one collects. Nothing else touches s meanwhile. What is left to show is that each
 * other addition is collected once.
 *
 * What it adds is of ids, params, and what lies in buffers that the program only reads, so that another invocation computes the same; and so
 * are the conditions that it stands under, which are looked at from the outermost on. Where it goes is the home's index with f(id) in place of
 * an id. Whose element is that?
 *
 * Of an index of which each dimension is an id or the same for all, it is whoever has f(id) as that id: each element is some invocation's, by
 * the numbers that it has along the dimensions, and none of these is past its extent, or there is no element.
 *
 * Of another index that is so where the home's conditions say no more of an id that is replaced than that it is below a bound, f(id) is below
 * that bound, and the addition is made under the home's conditions. With f(id) for the id there is an element of a home then, and as homes
 * reach each element once, by digits that the conditions bound, it is no other home's or invocation's.
 *
 * Where homes reach a front alone, what is past it is nobody's, and added as it was (collect_front.c). */
#include "autodiff/emit/collect.h"
#include "foundation/ir/place.h"

static kgi_val none(void) { return (kgi_val){0}; }

uint32_t kgi_collect_value_for(kgi_collecting *c, uint32_t of) {
  uint32_t value = kgi_collect_source(c, of);
  unsigned axis = kgi_collect_axis_of(kgi_collect_at(c, value));
  if (axis) return c->id[axis - 1] ? c->id[axis - 1] : value;
  if (kgi_is_leaf(kgi_collect_at(c, value)->kind)) return value;
  if (c->made[value] == c->round) return c->copy[value];
  kgi_inst copy = *kgi_collect_at(c, value);
  kgi_span span = kgi_operands(&copy);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (copy.arg[k]) copy.arg[k] = kgi_collect_value_for(c, copy.arg[k]);
  c->b->pos = c->q->inst_pos[value];
  c->made[value] = c->round;
  return c->copy[value] = kgi_append(c->b, copy);
}

static kgi_val and_also(kgi_collecting *c, kgi_val x, kgi_val y) { return x.i ? kgi_op2(c->b, KGI_OP_and, x, y) : y; }

static kgi_val guess(kgi_collecting *c, unsigned axis, const kgi_collect_origin *o) {
  kgi_builder *b = c->b;
  kgi_val id = kgi_id_value(b, KGI_ID_global_id, axis), value = {o->value}, one = kgi_u32(b, 1), zero = kgi_u32(b, 0);
  if (o->value) {
    c->round++;
    value.i = kgi_collect_value_for(c, o->value);
  }
  switch (o->kind) {
  case KGI_FROM_BEFORE: {
    kgi_val first = kgi_op2(b, KGI_OP_eq, id, zero), last = kgi_op2(b, KGI_OP_sub, value, one), former = kgi_op2(b, KGI_OP_sub, id, one);
    return kgi_op3(b, KGI_OP_select, first, last, former);
  }
  case KGI_FROM_BEHIND: {
    kgi_val next = kgi_op2(b, KGI_OP_add, id, one);
    return kgi_op3(b, KGI_OP_select, kgi_op2(b, KGI_OP_eq, next, value), zero, next);
  }
  case KGI_FROM_AT: id = value; break;
  case KGI_FROM_LESS: id = kgi_op2(b, KGI_OP_sub, id, value); break;
  case KGI_FROM_PLUS: id = kgi_op2(b, KGI_OP_add, id, value); break;
  case KGI_FROM_APART: break;
  }
  if (o->by > INT32_MAX) return kgi_op2(b, KGI_OP_add, id, kgi_u32(b, -o->by));
  return o->by ? kgi_op2(b, KGI_OP_sub, id, kgi_u32(b, o->by)) : id;
}

static bool is_itself(const kgi_collect_origin *o) { return o->kind == KGI_FROM_APART && !o->by; }

/* An invocation that may add to the element: the id along the axis becomes its. Gives what has to hold of it. */
static kgi_val look_along(kgi_collecting *c, const kgi_collect_term *t, unsigned axis, unsigned which, kgi_val so_far) {
  const kgi_collect_axis *m = &t->axis[axis];
  const kgi_collect_origin *o = &m->from[which];
  kgi_builder *b = c->b;
  kgi_val id = guess(c, axis, o);
  for (unsigned k = 0; k < which; k++)
    if (m->from[k].kind != KGI_FROM_APART || o->kind != KGI_FROM_APART)
      so_far = and_also(c, so_far, kgi_op2(b, KGI_OP_ne, id, guess(c, axis, &m->from[k])));
  c->id[axis] = id.i;
  if (o->kind == KGI_FROM_BEFORE) { /* else the id is none that comes of a remainder */
    kgi_val here = kgi_id_value(b, KGI_ID_global_id, axis), end = {kgi_collect_value_for(c, o->value)};
    so_far = and_also(c, so_far, kgi_op2(b, KGI_OP_lt, here, end));
  }
  if (!is_itself(o)) {
    kgi_val groups = kgi_id_value(b, KGI_ID_num_workgroups, axis), size = kgi_id_value(b, KGI_ID_workgroup_size, axis);
    so_far = and_also(c, so_far, kgi_op2(b, KGI_OP_lt, id, kgi_op2(b, KGI_OP_mul, groups, size)));
  }
  return so_far;
}

/* f is what the kgi_collecting invocation has, along all axes. */
static kgi_val is_right(kgi_collecting *c, const kgi_collect_term *t, kgi_val so_far) {
  for (unsigned axis = 0; axis < 3; axis++) {
    if (!t->axis[axis].f || t->axis[axis].exact) continue;
    kgi_val own = kgi_id_value(c->b, KGI_ID_global_id, axis);
    so_far = and_also(c, so_far, kgi_op2(c->b, KGI_OP_eq, (kgi_val){kgi_collect_value_for(c, t->axis[axis].f)}, own));
  }
  return so_far;
}

/* Opens a branch for each condition of the blocks from the outermost on, or leaves it to who asks for what none of them loads. Gives how many. */
static unsigned open_blocks(kgi_collecting *c, const kgi_collect_term *t, kgi_blk block, bool itself, kgi_val *so_far) {
  kgi_collect_branch k;
  kgi_blk outer;
  if (block == KGI_BODY || (itself && kgi_collect_is_within(c, kgi_collect_at(c, c->home[t->home])->block, block))) return 0;
  if (!kgi_collect_condition(c, block, &k, &outer)) return 0;
  unsigned opened = open_blocks(c, t, outer, itself, so_far);
  if (t->careful && so_far->i) {
    kgi_if_begin(c->b, *so_far);
    *so_far = none(), opened++;
  }
  kgi_val holds = {kgi_collect_value_for(c, k.value)};
  *so_far = and_also(c, *so_far, k.truth ? holds : kgi_op1(c->b, KGI_OP_not, holds));
  return opened;
}

static void add_from(kgi_collecting *c, const kgi_collect_term *t, const unsigned which[3], kgi_obj sum) {
  kgi_builder *b = c->b;
  kgi_val holds = none();
  bool itself = true;
  c->id[0] = c->id[1] = c->id[2] = 0;
  for (unsigned axis = 0; axis < 3; axis++) {
    if (!t->axis[axis].f) continue;
    holds = look_along(c, t, axis, which[axis], holds);
    itself &= is_itself(&t->axis[axis].from[which[axis]]);
  }
  c->round++;
  holds = is_right(c, t, holds);
  unsigned opened = open_blocks(c, t, kgi_collect_at(c, t->atomic)->block, itself, &holds);
  if (holds.i) kgi_if_begin(b, holds), opened++;
  kgi_val value = {kgi_collect_value_for(c, kgi_collect_at(c, t->atomic)->arg[2])};
  kgi_store(b, sum, none(), c->empty ? value : kgi_op2(b, KGI_OP_add, kgi_load(b, sum, none()), value));
  c->empty = false;
  while (opened--) kgi_end(b);
}

static void add_term(kgi_collecting *c, const kgi_collect_term *t, kgi_obj sum) {
  unsigned which[3], most[3];
  for (unsigned k = 0; k < 3; k++) most[k] = t->axis[k].f ? t->axis[k].count : 1;
  for (which[2] = 0; which[2] < most[2]; which[2]++)
    for (which[1] = 0; which[1] < most[1]; which[1]++)
      for (which[0] = 0; which[0] < most[0]; which[0]++) add_from(c, t, which, sum);
}

static bool is_added(const kgi_collecting *c) { return c->front || c->e->a->object[c->object].begun; }

static void give(kgi_collecting *c, kgi_val at, kgi_val all) {
  kgi_builder *b = c->b;
  kgi_val exact = kgi_collect_is_exact(c);
  if (exact.i) kgi_if_begin(b, exact);
  kgi_store(b, c->shadow, at, is_added(c) ? kgi_op2(b, KGI_OP_add, kgi_load(b, c->shadow, at), all) : all);
  if (!exact.i) return;
  kgi_else(b);
  kgi_atomic_op(b, KGI_ATOMIC_add, c->shadow, at, all, none());
  kgi_end(b);
}

/* In the home's place, of its element. */
static void collect(kgi_collecting *c, unsigned home) {
  kgi_builder *b = c->b;
  const kgi_inst own = *kgi_collect_at(c, c->home[home]);
  b->at = kgi_before(c->q, c->home[home]);
  b->pos = c->q->inst_pos[c->home[home]];
  kgi_obj sum = kgi_var(b, kgi_ad_free_name(c->e, "", "sum"), (kg_type)c->q->scope.object[c->shadow.i].type, (kgi_dim){0});
  kgi_store(b, sum, none(), (kgi_val){own.arg[2]});
  c->empty = !c->e->a->object[c->object].home[home];
  for (unsigned k = 0; k < c->terms; k++)
    if (c->term[k].home == home) add_term(c, &c->term[k], sum);
  give(c, (kgi_val){own.arg[1]}, kgi_load(b, sum, none()));
}

static void collect_all(kgi_collecting *c) {
  for (unsigned k = 0; k < c->terms && c->front; k++) kgi_collect_leave_past(c, &c->term[k]);
  for (unsigned k = 0; k < c->homes; k++) collect(c, k);
  for (unsigned k = 0; k < c->homes; k++) kgi_remove(c->q, c->home[k]);
  for (unsigned k = 0; k < c->terms; k++) kgi_remove(c->q, c->term[k].atomic);
}

/* ---- which shadows ---- */

static kg_status begin(kgi_collecting *c) {
  kgi_arena *scratch = c->e->scratch;
  c->zero = kgi_u32(c->b, 0).i;
  c->known = c->q->inst_count;
  c->copy = kgi_arena_alloc(scratch, c->known, sizeof *c->copy);
  c->made = kgi_arena_alloc(scratch, c->known, sizeof *c->made);
  c->written = kgi_arena_alloc(scratch, c->q->scope.object_count, sizeof *c->written);
  c->round = c->terms = 0;
  if (!c->copy || !c->made || !c->written) return KG_NO_MEMORY;
  KGI_EACH_INSIDE(c->q, KGI_BODY, i)
    if (kgi_writes(kgi_collect_at(c, i))) c->written[kgi_object_of(kgi_collect_at(c, i))] = true;
  kgi_sizes_of(c->q, c->size);
  return kgi_collect_find_own(c, scratch) ? KG_OK : KG_NO_MEMORY;
}

static bool is_plain(const kgi_collecting *c, uint32_t access) {
  kgi_digits place;
  unsigned rank = c->q->scope.object[kgi_collect_at(c, access)->arg[0]].rank;
  if (!rank) return kgi_collect_axis_of(kgi_collect_at(c, kgi_collect_at(c, access)->arg[1]));
  if (!kgi_place_of(c->q, access, &place)) return false;
  for (unsigned k = 0; k < rank; k++)
    if (!kgi_collect_axis_of(kgi_collect_at(c, place.value[k])) && !kgi_collect_is_same_for_all(kgi_collect_at(c, place.value[k]))) return false;
  return true;
}

static bool takes_homes(kgi_collecting *c) {
  const kgi_ad_object *o = &c->e->a->object[c->object];
  const kgi_emitted_object *made = &c->e->object[c->object];
  c->shadow = made->shadow, c->homes = o->homes, c->front = o->front;
  for (unsigned k = 0; k < o->homes; k++) {
    c->home[k] = made->home[k];
    const kgi_inst *home = kgi_collect_at(c, c->home[k]);
    if (!c->home[k] || made->home_again || !home->block || home->kind != KGI_atomic) return false;
  }
  c->plain = true;
  for (unsigned k = 0; k < o->homes; k++) c->plain &= is_plain(c, c->home[k]);
  return o->homes > 0;
}

static kg_status collect_shadow(kgi_emission *e, kgi_program *q, uint32_t object) {
  kgi_collecting c = {.e = e, .b = e->b, .q = q, .object = object};
  if (!takes_homes(&c)) return KG_OK;
  kgi_collect_spell(&c);
  kg_status status = begin(&c);
  uint32_t *uses = kgi_arena_alloc(e->scratch, q->inst_count, sizeof *uses);
  if (status != KG_OK || !uses) return KG_NO_MEMORY;
  kgi_count_uses(q, KGI_BODY, uses);
  if ((c.front && !kgi_collect_takes_front(&c)) || !kgi_collect_find(&c, uses)) return KG_OK;
  collect_all(&c);
  e->object[object].collected = true;
  e->object[object].added = is_added(&c);
  return KG_OK;
}

kg_status kgi_ad_collect(kgi_emission *e, kgi_program *q) {
  kg_status status = KG_OK;
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope) && status == KG_OK; o++)
    if (e->a->object[o].homes && e->object[o].shadow.i) {
      status = collect_shadow(e, q, o);
      if (!e->object[o].collected) kgi_ad_leave_vacant(e, q, o);
    }
  return e->scratch->failed ? KG_NO_MEMORY : status == KG_OK ? kgi_builder_status(e->b) : status;
}
