/* How often a loop that counts runs, and what its counter holds in each trip. */
#include "foundation/passes/count.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/eval.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIED = 1 << 10, MOST_FLOATS = 1 << 16, BITS = 32 };

static kg_type type_of(const kgi_count *l) { return kgi_count_type(l); }

/* ---- literals ---- */

static bool is_literal(const kgi_count *l, uint32_t value, int64_t *out) {
  const kgi_inst *x = &l->p->inst[value];
  *out = x->type == KG_I32 ? (int64_t)(int32_t)x->arg[0] : (int64_t)x->arg[0];
  return value && x->kind == KGI_literal;
}

static bool is_end(const kgi_count *l, uint32_t value, bool highest) {
  int64_t is, end = highest ? UINT32_MAX : 0;
  if (l->seen == KG_I32) end = highest ? INT32_MAX : INT32_MIN;
  return is_literal(l, value, &is) && is == end;
}

/* The counter begins with a literal far from the end of its type. */
static bool begins_low(const kgi_count *l) {
  int64_t from;
  return is_literal(l, kgi_count_begins(l), &from) && from < INT32_MAX / 2 && (from >= 0 || l->seen == KG_I32);
}

static bool goes(const kgi_count *l, uint32_t counter, uint32_t bound) {
  uint64_t args[] = {counter, bound}, out = 0;
  return kgi_eval(l->goes_on, type_of(l), KG_BOOL, args, &out) && out;
}

/* From literals to literals the loop is run. The counter of a trip is a shift of the first one while there are bits to shift. */
static bool try_literals(kgi_count *l) {
  int64_t from, bound, step;
  const kgi_inst *move = &l->p->inst[l->p->inst[l->moves].arg[2]];
  if (!is_literal(l, kgi_count_begins(l), &from) || !is_literal(l, l->bound, &bound) || !is_literal(l, l->step, &step)) return false;
  uint32_t counter = (uint32_t)from;
  if (l->by != KGI_BY_STEPS && type_of(l) == KG_I32 && from < 0) return false;
  for (l->trips = 0; l->trips < MOST_TRIED; l->trips++) {
    uint64_t args[] = {counter, (uint32_t)step}, next = 0;
    if (!kgi_eval((kgi_op)move->op, type_of(l), type_of(l), args, &next)) return false;
    bool on = goes(l, l->moved ? (uint32_t)next : counter, (uint32_t)bound);
    if (!on && l->repeats) l->trips++;
    if (!on) return l->known = l->by == KGI_BY_STEPS || l->trips <= (BITS - 1) / l->shift + 1;
    counter = (uint32_t)next;
  }
  return false;
}

static bool is_float_literal(const kgi_count *l, uint32_t value, uint64_t *bits) {
  const kgi_inst *x = &l->p->inst[value];
  *bits = x->arg[0];
  return value && x->kind == KGI_literal && x->type == KG_F32;
}

/* Zero, or a number that no device takes for zero or for an end. */
static bool is_plain_float(uint64_t bits) {
  uint32_t exponent = bits >> 23 & 0xff;
  return exponent ? exponent < 0xff : !(bits & 0x7fffffff);
}

/* The additions are done as the kernel does them. A loop that would take too long to try, or never ends, is most often told at once:
 * it does not move, or its bound is far. */
static bool try_floats(kgi_count *l) {
  uint64_t counter, bound, step, next = 0;
  const kgi_inst *move = &l->p->inst[l->p->inst[l->moves].arg[2]];
  if (!is_float_literal(l, kgi_count_begins(l), &counter) || !is_float_literal(l, l->bound, &bound)) return false;
  if (!is_float_literal(l, l->step, &step) || !is_plain_float(step) || (move->op != KGI_OP_add && move->op != KGI_OP_sub)) return false;
  double way = kgi_bits_to_double(KG_F32, bound) - kgi_bits_to_double(KG_F32, counter);
  if (!(fabs(way) < fabs(kgi_bits_to_double(KG_F32, step)) * 2 * MOST_FLOATS)) return false;
  for (l->trips = 0; l->trips < MOST_FLOATS; l->trips++) {
    uint64_t args[] = {counter, step};
    if (!kgi_eval((kgi_op)move->op, KG_F32, KG_F32, args, &next) || !is_plain_float(next) || next == counter) return false;
    bool on = goes(l, (uint32_t)(l->moved ? next : counter), (uint32_t)bound);
    if (!on && l->repeats) l->trips++;
    if (!on) return l->known = true;
    counter = next;
  }
  return false;
}

/* ---- steps ---- */

static bool is_one(const kgi_count *l) {
  const kgi_inst *x = &l->p->inst[l->step];
  return x->kind == KGI_literal && (x->arg[0] == 1 || x->arg[0] == UINT32_MAX);
}

/* A bound that no counter passes is no bound: the loop ends on another way, or never. Where it never does, all is right. */
static bool can_end(const kgi_count *l) {
  bool known = l->p->inst[l->bound].kind == KGI_literal;
  if (l->goes_on == KGI_OP_le) return known ? !is_end(l, l->bound, true) : !l->leaves_early || begins_low(l);
  if (l->goes_on == KGI_OP_ge) return known ? !is_end(l, l->bound, false) : !l->leaves_early;
  return true;
}

/* Made alike of the same values. */
static bool are_alike(const kgi_count *l, uint32_t a, uint32_t b, unsigned depth) {
  const kgi_inst *x = &l->p->inst[a], *y = &l->p->inst[b];
  if (a == b) return true;
  if (!depth || x->kind != y->kind || x->type != y->type) return false;
  if (x->kind == KGI_literal) return x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1];
  if (x->kind != KGI_op || x->op != y->op) return false;
  for (unsigned k = 0; k < kgi_op_rows[x->op].arity; k++)
    if (!are_alike(l, x->arg[k], y->arg[k], depth - 1)) return false;
  return true;
}

enum { ALIKE = 6 };

/* It is looked at behind the last store in front of the loop. */
static bool is_counter_in_front(const kgi_count *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value];
  return x->kind == KGI_load && x->arg[0] == l->counter && kgi_count_begins_before(l, value);
}

/* The number that the test would see of the counter in front of the loop. */
static bool is_first(const kgi_count *l, uint32_t value) {
  uint32_t first = kgi_count_begins(l);
  const kgi_inst *x = &l->p->inst[value];
  int64_t a, b;
  if (x->type != l->seen) return false;
  bool converts = x->kind == KGI_op && x->op == KGI_OP_convert;
  if (is_counter_in_front(l, value) || (converts && is_counter_in_front(l, x->arg[0]))) return true;
  if (first && is_literal(l, first, &a) && is_literal(l, value, &b)) return a == b;
  return first && (are_alike(l, value, first, ALIKE) || (converts && x->arg[0] == first));
}

/* The loop is the `then` of an `if` over first < bound, as do-while that was a `while` is: its first trip is one that the bound asks for. */
static bool is_asked_for(const kgi_count *l) {
  kgi_blk block = l->p->inst[l->at].block;
  const kgi_inst *owner = &l->p->inst[block == KGI_BODY ? 0 : l->p->block[block].owner], *x = &l->p->inst[owner->arg[0]];
  if (owner->kind != KGI_if || owner->arg[1] != block || x->kind != KGI_op || (x->op != KGI_OP_lt && x->op != KGI_OP_gt)) return false;
  unsigned low = x->op == KGI_OP_lt ? 0 : 1;
  return l->moved && are_alike(l, x->arg[1 - low], l->bound, ALIKE) && is_first(l, x->arg[low]);
}

/* The first trip of do-while is no matter of the bound, unless it is asked for. One more than the counter has to be more, too. */
static bool steps_up(kgi_count *l) {
  int64_t from, bound;
  uint32_t first = kgi_count_begins(l);
  const kgi_inst *step = &l->p->inst[l->step];
  if ((l->goes_on != KGI_OP_lt && l->goes_on != KGI_OP_le) || !can_end(l)) return false;
  if (step->kind == KGI_literal && step->type == KG_I32 && (int32_t)step->arg[0] < 0) return false;
  l->form = KGI_COUNT_UP;
  if (!l->repeats || is_asked_for(l)) return true;
  if (!is_literal(l, first, &from)) return l->moved && l->p->inst[first].kind == KGI_id;
  return l->moved ? from < INT32_MAX : is_literal(l, l->bound, &bound) && from + step->arg[0] < INT32_MAX / 2 && bound < INT32_MAX / 2;
}

/* The lowest counter with which the loop goes on, less a step of several: it is no more than a step above the end of the type. */
static bool steps_far_down(kgi_count *l) {
  int64_t bound, step, lowest = type_of(l) == KG_I32 ? INT32_MIN : 0;
  if (!is_literal(l, l->bound, &bound) || !is_literal(l, l->step, &step)) return false;
  if (step < 0) step = -step;
  l->form = KGI_COUNT_TRIPS;
  return bound + (l->goes_on == KGI_OP_gt) - step >= lowest && !l->moved;
}

static bool steps_down(kgi_count *l) {
  if (l->repeats) return false;
  if (l->goes_on == KGI_OP_ne && type_of(l) == KG_U32 && is_end(l, l->bound, false)) l->goes_on = KGI_OP_gt;
  if (l->goes_on != KGI_OP_gt && l->goes_on != KGI_OP_ge) return false;
  if (!is_one(l)) return steps_far_down(l);
  l->form = KGI_COUNT_DOWN;
  return can_end(l);
}

/* Where the counter moves by one, it comes to every bound, past the end of its type if need be. */
static bool steps_until(kgi_count *l) {
  l->form = KGI_COUNT_TRIPS;
  return l->goes_on == KGI_OP_ne && is_one(l) && !l->repeats;
}

/* ---- doubling and halving ---- */

/* The lowest counter with which halving goes on is known, and is not 0, from which nothing goes down. */
static bool halves(const kgi_count *l) {
  int64_t bound;
  if (!is_literal(l, l->bound, &bound)) return false;
  if (l->goes_on == KGI_OP_ne) return bound == 0 && type_of(l) == KG_U32;
  if (l->goes_on == KGI_OP_gt) return bound >= 0 && !is_end(l, l->bound, true);
  return l->goes_on == KGI_OP_ge && bound >= 1;
}

/* A counter that loses its highest bit is 0 in the end, and goes on for ever; unless the loop is left otherwise, all is right then. */
static bool doubles(const kgi_count *l) {
  int64_t from, bound;
  bool low = is_literal(l, l->bound, &bound) && bound <= 1 << 30;
  if ((l->goes_on != KGI_OP_lt && l->goes_on != KGI_OP_le) || l->moved) return false;
  if (is_literal(l, kgi_count_begins(l), &from)) return from >= 1 && (low || !l->leaves_early);
  return type_of(l) == KG_U32 && !l->leaves_early && can_end(l);
}

/* The index is of the type that the test sees, in which a step is the same number, as far as it is below 2^31. */
static bool steps_up_as_seen(kgi_count *l) {
  int64_t step;
  if (l->by != KGI_BY_STEPS || l->down || l->moved != l->repeats) return false;
  return (!l->repeats || (is_literal(l, l->step, &step) && step <= INT32_MAX)) && steps_up(l);
}

bool kgi_count_fits(kgi_count *l) {
  l->known = false;
  if (type_of(l) == KG_F32) return l->form = KGI_COUNT_TRIPS, try_floats(l);
  if (l->seen != type_of(l)) return steps_up_as_seen(l);
  if (l->by == KGI_BY_STEPS && (l->down ? steps_down(l) : steps_up(l))) return true;
  l->form = KGI_COUNT_TRIPS;
  if (try_literals(l)) return true;
  if (l->by == KGI_BY_STEPS) return steps_until(l);
  return !l->repeats && (l->by == KGI_BY_HALVING ? halves(l) : doubles(l));
}

/* ---- the loop ---- */

static kgi_val plus(kgi_count *l, kgi_val x, int64_t by) {
  kg_type type = kgi_type_of(l->p, x);
  if (by < 0) return kgi_op2(l->b, KGI_OP_sub, x, kgi_int(l->b, type, -by));
  return by ? kgi_op2(l->b, KGI_OP_add, x, kgi_int(l->b, type, by)) : x;
}

static kgi_val at_least(kgi_count *l, kgi_val x, int64_t least) {
  return kgi_op2(l->b, KGI_OP_max, x, kgi_int(l->b, kgi_type_of(l->p, x), least));
}

/* One past the bound, which may be the end of its type where the loop is left before. */
static kgi_val past(kgi_count *l, kgi_val bound) {
  kg_type type = kgi_type_of(l->p, bound);
  bool may_be_last = l->leaves_early && l->p->inst[bound.i].kind != KGI_literal;
  if (may_be_last) bound = kgi_op2(l->b, KGI_OP_min, bound, kgi_int(l->b, type, (type == KG_I32 ? INT32_MAX : UINT32_MAX) - 1));
  return plus(l, bound, 1);
}

static kgi_val moved(kgi_count *l, kgi_val x) {
  return kgi_op2(l->b, (kgi_op)l->p->inst[l->p->inst[l->moves].arg[2]].op, x, (kgi_val){l->step});
}

static kgi_val moved_back(kgi_count *l, kgi_val x) {
  bool adds = l->p->inst[l->p->inst[l->moves].arg[2]].op == KGI_OP_add;
  return kgi_op2(l->b, adds ? KGI_OP_sub : KGI_OP_add, x, (kgi_val){l->step});
}

/* A counter without a name of its own is called as counters are, by the loops around it. */
static const char *name_of(const kgi_count *l) {
  static const char *const usual[] = {"i", "j", "k", "l", "m", "n"};
  enum { MOST = sizeof usual / sizeof *usual - 1 };
  const char *name = kgi_string(l->b->m, l->p->scope.object[l->counter].name);
  unsigned loops = 0;
  if (strcmp(name, "v") && strcmp(name, "kept")) return name;
  for (kgi_blk block = l->p->inst[l->at].block; block; block = l->p->inst[l->p->block[block].owner].block)
    loops += kgi_is_loop(&l->p->inst[l->p->block[block].owner]);
  return usual[loops < MOST ? loops : MOST];
}

static kgi_val begin_up(kgi_count *l, kgi_val from) {
  kgi_val to = {l->bound}, step = kgi_convert(l->b, l->seen, (kgi_val){l->step});
  from = kgi_convert(l->b, l->seen, from);
  if (l->goes_on == KGI_OP_le) to = past(l, to);
  if (l->repeats && !is_asked_for(l)) {
    to = kgi_op2(l->b, KGI_OP_max, to, l->moved ? plus(l, from, 1) : from);
    if (!l->moved) to = kgi_op2(l->b, KGI_OP_add, to, step);
  }
  bool ahead = l->moved && !l->repeats; /* the counter is moved before the first look */
  kgi_val index = kgi_for_begin(l->b, name_of(l), ahead ? moved(l, from) : from, to, step, false);
  return ahead ? moved_back(l, index) : kgi_convert(l->b, type_of(l), index);
}

/* The trips are counted from one below, so that nothing passes the end of the type; but a loop down to 0 reads better as it is. */
static kgi_val begin_down(kgi_count *l, kgi_val from) {
  kgi_val bound = {l->bound}, none = {0};
  if (l->moved) from = moved(l, from);
  int64_t is;
  bool to_zero = l->goes_on == KGI_OP_ge && is_literal(l, l->bound, &is) && !is && !l->leaves_early;
  kgi_val index;
  if (to_zero) index = kgi_for_begin(l->b, name_of(l), bound, plus(l, from, 1), none, true);
  else {
    if (l->goes_on == KGI_OP_ge) bound = plus(l, bound, -1);
    index = plus(l, kgi_for_begin(l->b, name_of(l), bound, from, none, true), 1);
  }
  return l->moved ? moved_back(l, index) : index;
}

/* Of the counters that go on, in a row that doubles or halves: from the quotient of the largest and the smallest. */
static kgi_val trips_of_shifts(kgi_count *l, kgi_val from) {
  kgi_val largest = from, smallest, bound = {l->bound};
  bool is_signed = type_of(l) == KG_I32;
  if (l->by == KGI_BY_HALVING) {
    if (l->moved) largest = moved(l, from);
    if (is_signed) largest = at_least(l, largest, 0);
    smallest = l->goes_on == KGI_OP_ge ? bound : plus(l, bound, 1);
  } else {
    smallest = at_least(l, from, 1);
    if (l->goes_on == KGI_OP_lt) largest = plus(l, at_least(l, bound, 1), -1);
    else largest = is_signed ? at_least(l, bound, 0) : bound;
  }
  kgi_val bits = kgi_op1(l->b, KGI_OP_clz, kgi_op2(l->b, KGI_OP_div, largest, smallest));
  kgi_val room = kgi_op2(l->b, KGI_OP_sub, kgi_int(l->b, type_of(l), BITS - 1 + l->shift), bits);
  return kgi_op2(l->b, KGI_OP_div, room, kgi_int(l->b, type_of(l), l->shift));
}

/* As many as there are steps to the bound, past the end of the type if need be; or to a step below the lowest. */
static kgi_val trips_of_steps(kgi_count *l, kgi_val from) {
  kgi_val bound = {l->bound};
  int64_t step;
  if (l->goes_on == KGI_OP_ne) {
    if (l->moved) from = moved(l, from);
    return kgi_convert(l->b, KG_U32, kgi_op2(l->b, KGI_OP_sub, l->down ? from : bound, l->down ? bound : from));
  }
  is_literal(l, l->step, &step);
  if (step < 0) step = -step;
  kgi_val below = plus(l, bound, (l->goes_on == KGI_OP_gt) - step);
  kgi_val way = kgi_op2(l->b, KGI_OP_sub, kgi_op2(l->b, KGI_OP_max, from, below), below);
  way = kgi_convert(l->b, KG_U32, way);
  return kgi_op2(l->b, KGI_OP_div, way, kgi_int(l->b, KG_U32, step));
}

/* The counter is the number of the trip. */
static bool is_trip(const kgi_count *l) {
  int64_t from;
  return l->by == KGI_BY_STEPS && !l->down && is_one(l) && is_literal(l, kgi_count_begins(l), &from) && !from;
}

static kgi_val begin_known(kgi_count *l) {
  kgi_val zero = kgi_i32(l->b, 0), to = kgi_i32(l->b, (int32_t)l->trips);
  return kgi_for_begin(l->b, "k", zero, to, (kgi_val){0}, false);
}

static kgi_val begin_trips(kgi_count *l, kgi_val from) {
  if (type_of(l) == KG_F32) return begin_known(l);
  kg_type type = l->by == KGI_BY_STEPS ? KG_U32 : type_of(l);
  kgi_val to = l->known ? kgi_int(l->b, type, l->trips) : l->by == KGI_BY_STEPS ? trips_of_steps(l, from) : trips_of_shifts(l, from);
  kgi_val zero = kgi_int(l->b, type, 0), trip = kgi_for_begin(l->b, is_trip(l) ? name_of(l) : "k", zero, to, (kgi_val){0}, false);
  const kgi_inst *move = &l->p->inst[l->p->inst[l->moves].arg[2]];
  if (l->by == KGI_BY_STEPS) {
    kgi_val way = kgi_op2(l->b, KGI_OP_mul, kgi_convert(l->b, type_of(l), trip), (kgi_val){l->step});
    return kgi_name(l->b, kgi_op2(l->b, (kgi_op)move->op, from, way), name_of(l));
  }
  kgi_val by = kgi_op2(l->b, KGI_OP_mul, trip, kgi_int(l->b, type, l->shift));
  return kgi_name(l->b, kgi_op2(l->b, l->by == KGI_BY_DOUBLING ? KGI_OP_shl : KGI_OP_shr, from, by), name_of(l));
}

kgi_val kgi_count_begin(kgi_count *l, kgi_val from) {
  if (l->form == KGI_COUNT_UP) return begin_up(l, from);
  return l->form == KGI_COUNT_DOWN ? begin_down(l, from) : begin_trips(l, from);
}
