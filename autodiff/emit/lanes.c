/* The adjoints of subgroup operations. They run with the lanes that ran together (plan/lanes.c), so that the sum over the subgroup
 * of what lanes have is the sum over those that took part. With g the adjoint of the result:
 *
 *   a sum               each lane gets the sum of all g
 *   its scans           the sum of g from the own lane on: for each lane in turn, the lanes behind it add up
 *   a product           the running product is followed back from the last lane, without a division
 *   a minimum, maximum  g is shared equally by the lanes that hold the result
 *   a move              each lane gets the sum of g over the lanes that took from it; the opposite move where there is one */
#include "autodiff/emit/emit.h"

typedef enum reach { WHOLE, UP_TO, BEFORE } reach;

static kgi_val none(void) { return (kgi_val){0}; }
static kgi_val lanes1(kgi_emission *e, kgi_subgroup op, kgi_val x) { return kgi_subgroup_op(e->b, op, x, none()); }
static kgi_val sum(kgi_emission *e, kgi_val x) { return lanes1(e, KGI_SUBGROUP_add, x); }
static kgi_val at_lane(kgi_emission *e, kgi_val x, kgi_val lane) { return kgi_subgroup_op(e->b, KGI_SUBGROUP_shuffle, x, lane); }
static kgi_val own_lane(kgi_emission *e) { return kgi_id_value(e->b, KGI_ID_subgroup_lane, 0); }
static kgi_val constant(kgi_emission *e, kgi_val like, double value) { return kgi_float(e->b, kgi_type_of(e->b->p, like), value); }

static kgi_val where(kgi_emission *e, kgi_val condition, kgi_val x) {
  kgi_val zero = constant(e, x, 0);
  return kgi_op3(e->b, KGI_OP_select, condition, x, zero);
}

/* ---- each lane in turn ---- */

typedef struct turns { kgi_val lane; kgi_obj kept; } turns;

static turns begin_turns(kgi_emission *e, kgi_val start, bool reversed) {
  turns t = {.kept = kgi_var(e->b, kgi_ad_free_name(e, "", "of_lane"), kgi_type_of(e->b->p, start), (kgi_dim){0})};
  kgi_store(e->b, t.kept, none(), start);
  const char *name = kgi_ad_free_name(e, "", "lane");
  kgi_val first = kgi_u32(e->b, 0), size = kgi_id_value(e->b, KGI_ID_subgroup_size, 0);
  t.lane = kgi_for_begin(e->b, name, first, size, none(), reversed);
  return t;
}

static kgi_val end_turns(kgi_emission *e, turns t) {
  kgi_end(e->b);
  return kgi_load(e->b, t.kept, none());
}

/* The lane whose turn it is keeps the sum of what all have for it. */
static kgi_val collect(kgi_emission *e, turns t, kgi_val given) {
  kgi_val own = own_lane(e), total = sum(e, given);
  kgi_if_begin(e->b, kgi_op2(e->b, KGI_OP_eq, t.lane, own));
  kgi_store(e->b, t.kept, none(), total);
  kgi_end(e->b);
  return end_turns(e, t);
}

/* ---- sums ---- */

static kgi_val scan_of_sums(kgi_emission *e, reach r, kgi_val g) {
  if (r == WHOLE) return sum(e, g);
  turns t = begin_turns(e, constant(e, g, 0), false);
  kgi_val own = own_lane(e), behind = kgi_op2(e->b, r == UP_TO ? KGI_OP_le : KGI_OP_lt, t.lane, own);
  return collect(e, t, where(e, behind, g));
}

/* ---- products ---- */

static kgi_val is_active(kgi_emission *e, kgi_val lane) {
  kgi_val yes = kgi_bool(e->b, true), word = kgi_op2(e->b, KGI_OP_shr, lane, kgi_u32(e->b, 5));
  kgi_val word_bits = kgi_subgroup_op(e->b, KGI_SUBGROUP_ballot, yes, word), bits = kgi_op2(e->b, KGI_OP_shr, word_bits, lane);
  kgi_val bit = kgi_op2(e->b, KGI_OP_and, bits, kgi_u32(e->b, 1));
  return kgi_op2(e->b, KGI_OP_ne, bit, kgi_u32(e->b, 0));
}

/* The adjoint of the product up to the own lane: what the lanes behind make of it, from the last one on. */
static kgi_val later_products(kgi_emission *e, reach r, kgi_val x, kgi_val g) {
  turns t = begin_turns(e, r == WHOLE ? sum(e, g) : constant(e, g, 0), true);
  kgi_val x_there = at_lane(e, x, t.lane), g_there = r == WHOLE ? none() : at_lane(e, g, t.lane);
  kgi_val own = own_lane(e), behind = kgi_op2(e->b, KGI_OP_lt, own, t.lane), there = is_active(e, t.lane);
  kgi_if_begin(e->b, kgi_op2(e->b, KGI_OP_and, behind, there));
  kgi_val h = kgi_load(e->b, t.kept, none());
  if (r == UP_TO) h = kgi_op2(e->b, KGI_OP_add, h, g_there);
  h = kgi_op2(e->b, KGI_OP_mulz, h, x_there);
  if (r == BEFORE) h = kgi_op2(e->b, KGI_OP_add, h, g_there);
  kgi_store(e->b, t.kept, none(), h);
  kgi_end(e->b);
  return end_turns(e, t);
}

static kgi_val product(kgi_emission *e, reach r, kgi_val x, kgi_val g) {
  x = kgi_convert(e->b, kgi_type_of(e->b->p, g), x);
  kgi_val h = later_products(e, r, x, g);
  if (r == UP_TO) h = kgi_op2(e->b, KGI_OP_add, h, g);
  kgi_val before = lanes1(e, KGI_SUBGROUP_exclusive_mul, x);
  return kgi_op2(e->b, KGI_OP_mulz, h, before);
}

/* ---- minima and maxima ---- */

static kgi_val share_whole(kgi_emission *e, kgi_val x, kgi_val y, kgi_val g) {
  kgi_val same = kgi_op2(e->b, KGI_OP_eq, x, y), one = constant(e, g, 1);
  kgi_val count = sum(e, where(e, same, one)), total = sum(e, g);
  return where(e, same, kgi_op2(e->b, KGI_OP_div, total, count));
}

/* Of the lanes up to each one, those that hold its result. */
static kgi_val count_holders(kgi_emission *e, kgi_op order, kgi_val x, kgi_val y, kgi_val one) {
  turns t = begin_turns(e, constant(e, one, 0), false);
  kgi_val own = own_lane(e), y_there = at_lane(e, y, t.lane);
  kgi_val same = kgi_op2(e->b, KGI_OP_eq, x, y_there), counts = kgi_op2(e->b, order, own, t.lane);
  return collect(e, t, where(e, kgi_op2(e->b, KGI_OP_and, same, counts), one));
}

static kgi_val extreme(kgi_emission *e, kgi_subgroup op, reach r, kgi_val x, kgi_val g) {
  kgi_val y = lanes1(e, op, x);
  if (r == WHOLE) return share_whole(e, x, y, g);
  kgi_op order = r == UP_TO ? KGI_OP_le : KGI_OP_lt;
  kgi_val count = count_holders(e, order, x, y, constant(e, g, 1)), nobody = constant(e, g, 0);
  kgi_val some = kgi_op2(e->b, KGI_OP_ne, count, nobody), share = where(e, some, kgi_op2(e->b, KGI_OP_div, g, count));
  turns t = begin_turns(e, nobody, false);
  kgi_val own = own_lane(e), x_there = at_lane(e, x, t.lane);
  kgi_val same = kgi_op2(e->b, KGI_OP_eq, y, x_there), behind = kgi_op2(e->b, order, t.lane, own);
  return collect(e, t, where(e, kgi_op2(e->b, KGI_OP_and, same, behind), share));
}

/* ---- moves ---- */

/* The lane that each one takes from; not there where there is none. */
static kgi_val source(kgi_emission *e, kgi_subgroup op, kgi_val by) {
  kgi_val own = own_lane(e);
  if (op == KGI_SUBGROUP_shuffle_xor) return kgi_op2(e->b, KGI_OP_xor, own, by);
  if (op == KGI_SUBGROUP_shuffle_up) return kgi_op2(e->b, KGI_OP_sub, own, by);
  if (op == KGI_SUBGROUP_shuffle_down) return kgi_op2(e->b, KGI_OP_add, own, by);
  return by;
}

/* All lanes move by the same: each is taken from by one at most, or all take from one. */
static kgi_val move_back(kgi_emission *e, kgi_subgroup op, kgi_val by, kgi_val g) {
  if (op == KGI_SUBGROUP_shuffle_xor) return kgi_subgroup_op(e->b, op, g, by);
  if (op == KGI_SUBGROUP_shuffle_up) return kgi_subgroup_op(e->b, KGI_SUBGROUP_shuffle_down, g, by);
  if (op == KGI_SUBGROUP_shuffle_down) return kgi_subgroup_op(e->b, KGI_SUBGROUP_shuffle_up, g, by);
  kgi_val own = own_lane(e), total = sum(e, g);
  return where(e, kgi_op2(e->b, KGI_OP_eq, own, by), total);
}

static kgi_val move(kgi_emission *e, uint32_t i, kgi_val g) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_subgroup op = (kgi_subgroup)inst->op;
  kgi_val by = kgi_ad_leaf(e, inst->arg[1]);
  if (e->a->flags[i] & KGI_AD_ONE_LANE) return move_back(e, op, by, g);
  kgi_val from = source(e, op, by);
  turns t = begin_turns(e, constant(e, g, 0), false);
  return collect(e, t, where(e, kgi_op2(e->b, KGI_OP_eq, from, t.lane), g));
}

static kgi_val to_first(kgi_emission *e, kgi_val g) {
  kgi_val first = kgi_subgroup_op(e->b, KGI_SUBGROUP_elect, none(), none()), total = sum(e, g);
  return where(e, first, total);
}

kgi_val kgi_ad_pullback_lanes(kgi_emission *e, uint32_t i, kgi_val g) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_subgroup op = (kgi_subgroup)inst->op;
  kgi_val x = kgi_ad_lanes_use(e->a, i, 0) ? kgi_ad_leaf(e, inst->arg[0]) : none();
  switch (op) {
  case KGI_SUBGROUP_add: return scan_of_sums(e, WHOLE, g);
  case KGI_SUBGROUP_inclusive_add: return scan_of_sums(e, UP_TO, g);
  case KGI_SUBGROUP_exclusive_add: return scan_of_sums(e, BEFORE, g);
  case KGI_SUBGROUP_mul: return product(e, WHOLE, x, g);
  case KGI_SUBGROUP_inclusive_mul: return product(e, UP_TO, x, g);
  case KGI_SUBGROUP_exclusive_mul: return product(e, BEFORE, x, g);
  case KGI_SUBGROUP_min: case KGI_SUBGROUP_max: return extreme(e, op, WHOLE, x, g);
  case KGI_SUBGROUP_inclusive_min: case KGI_SUBGROUP_inclusive_max: return extreme(e, op, UP_TO, x, g);
  case KGI_SUBGROUP_exclusive_min: case KGI_SUBGROUP_exclusive_max: return extreme(e, op, BEFORE, x, g);
  case KGI_SUBGROUP_broadcast: case KGI_SUBGROUP_shuffle: case KGI_SUBGROUP_shuffle_xor: case KGI_SUBGROUP_shuffle_up:
  case KGI_SUBGROUP_shuffle_down: return move(e, i, g);
  case KGI_SUBGROUP_broadcast_first: return to_first(e, g);
  case KGI_SUBGROUP_and: case KGI_SUBGROUP_or: case KGI_SUBGROUP_xor: case KGI_SUBGROUP_inclusive_and:
  case KGI_SUBGROUP_inclusive_or: case KGI_SUBGROUP_inclusive_xor: case KGI_SUBGROUP_exclusive_and:
  case KGI_SUBGROUP_exclusive_or: case KGI_SUBGROUP_exclusive_xor: case KGI_SUBGROUP_ballot: case KGI_SUBGROUP_any:
  case KGI_SUBGROUP_all: case KGI_SUBGROUP_elect: case KGI_SUBGROUP_COUNT: break;
  }
  return none();
}

/* ---- loops in step ---- */

/* By the language's rule; as a u32, for no lane makes more. */
kgi_val kgi_ad_trip_count(kgi_emission *e, const kgi_val bound[3]) {
  kgi_builder *b = e->b;
  kg_type type = kgi_type_bits(kgi_type_of(b->p, bound[0])) == 64 ? KG_U64 : KG_U32;
  kgi_val from = kgi_convert(b, type, bound[0]), to = kgi_convert(b, type, bound[1]), step = kgi_convert(b, type, bound[2]);
  kgi_val one = kgi_int(b, type, 1), length = kgi_op2(b, KGI_OP_sub, to, from), last = kgi_op2(b, KGI_OP_sub, length, one);
  kgi_val steps = kgi_op2(b, KGI_OP_div, last, step), trips = kgi_op2(b, KGI_OP_add, steps, one);
  kgi_val any = kgi_op2(b, KGI_OP_gt, bound[1], bound[0]), nothing = kgi_int(b, type, 0);
  trips = kgi_op3(b, KGI_OP_select, any, trips, nothing);
  return kgi_convert(b, KG_U32, trips);
}

/* The last barrier lets nobody begin with the next loop's before all have this one's. */
static kgi_val most_of_workgroup(kgi_emission *e, kgi_val trips) {
  kgi_builder *b = e->b;
  kgi_val zero = kgi_u32(b, 0), lane = kgi_id_value(b, KGI_ID_local_index, 0);
  kgi_dim length = kgi_len_int(b, 1);
  if (!e->most.i) e->most = kgi_shared(b, kgi_ad_free_name(e, "", "most"), KG_U32, length);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, lane, zero));
  kgi_store(b, e->most, zero, zero);
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_atomic_op(b, KGI_ATOMIC_max, e->most, zero, trips, none());
  kgi_barrier_here(b);
  kgi_val most = kgi_load(b, e->most, zero);
  kgi_barrier_here(b);
  return most;
}

/* Not all take part, and all that do may come to a barrier. A branch around it would say that the workgroup comes there together; a loop
 * whose trips differ does not. */
static void begin_own_trip(kgi_emission *e, kgi_val takes_part) {
  kgi_val zero = kgi_u32(e->b, 0), trips = kgi_convert(e->b, KG_U32, takes_part);
  kgi_for_begin(e->b, kgi_ad_free_name(e, "", "part"), zero, trips, none(), false);
}

kgi_val kgi_ad_begin_in_step(kgi_emission *e, kgi_val trips, bool by_workgroup) {
  kgi_val most = by_workgroup ? most_of_workgroup(e, trips) : lanes1(e, KGI_SUBGROUP_max, trips), first = kgi_u32(e->b, 0);
  kgi_val trip = kgi_for_begin(e->b, kgi_ad_free_name(e, "", "trip"), first, most, none(), true);
  kgi_val takes_part = kgi_op2(e->b, KGI_OP_lt, trip, trips);
  if (by_workgroup) begin_own_trip(e, takes_part);
  else kgi_if_begin(e->b, takes_part);
  return trip;
}

void kgi_ad_end_in_step(kgi_emission *e) {
  kgi_end(e->b);
  kgi_end(e->b);
}
