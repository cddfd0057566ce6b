/* Loops of few trips, though nothing counts them: a number, or the way between two, becomes several times as small in each trip, or as large.
 * All that such a number can be lies in an interval, at first in that of its type. What each way through a trip (ways.c) makes of the interval
 * is worked out, less what was asked on the way; where after T trips no way can be gone any more, there are at most T. So it is of halving
 * with an offset, as in a heap's sift `k = (k - 1) / 2`, of digits, of `k & (k - 1)` in its own way, and of a row that grows. A fixed point in
 * which a loop stays for ever, as `k = (k + 1) / 2` does in 1, stays in the interval: then nothing is known.
 *
 * What shrinks may wrap: the interval is that of the type then. Of what grows, of sums that are halved, and of ends that a search moves, it is
 * taken for granted that they do not, and that indices are not negative: past 2^31 the forward sweep's assert says so. */
#include "autodiff/plan/facts.h"
#include "autodiff/plan/ways.h"
#include "foundation/analysis/ranges.h"
#include "foundation/passes/passes.h"

enum { MOST_TRIPS = 64, MOST_DEPTH = 12, GCD_TRIPS = 48, WORD = 32 };

typedef struct span { int64_t lo, hi; } span;

typedef struct view {
  const kgi_ways *ways;
  const kgi_way *way;
  uint32_t var;   /* the number of the var that is known to lie ... */
  span first;     /* ... in there as the trip begins */
  bool wraps;     /* what does not fit the type is any number of it */
} view;

static span of_type(unsigned type) {
  if (type == KG_U32) return (span){0, UINT32_MAX};
  if (type == KG_I32) return (span){INT32_MIN, INT32_MAX};
  return (span){-(INT64_C(1) << 62), INT64_C(1) << 62};
}

static bool literal(const kgi_ways *w, uint32_t value, int64_t *out) {
  if (value >= KGI_WAY_FIRST) return false;
  const kgi_inst *x = &w->p->inst[value];
  bool is_word = x->type == KG_U32 || x->type == KG_I32;
  if (x->kind != KGI_literal || !is_word) return false;
  *out = x->type == KG_I32 ? (int64_t)(int32_t)x->arg[0] : (int64_t)x->arg[0];
  return true;
}

/* ---- intervals ---- */

static span between(__int128 a, __int128 b) {
  const __int128 most = (__int128)1 << 62;
  if (a > b) { __int128 c = a; a = b, b = c; }
  return (span){(int64_t)(a < -most ? -most : a > most ? most : a), (int64_t)(b < -most ? -most : b > most ? most : b)};
}

static span joined(span a, span b) { return (span){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi}; }

static span product(span x, span y) {
  span a = between((__int128)x.lo * y.lo, (__int128)x.hi * y.hi), b = between((__int128)x.lo * y.hi, (__int128)x.hi * y.lo);
  return joined(a, b);
}

/* By what a literal divides, or shifts to the right; 0: it does neither. */
static int64_t divisor(const kgi_ways *w, const kgi_inst *x) {
  int64_t by;
  if ((x->op != KGI_OP_div && x->op != KGI_OP_shr) || !literal(w, x->arg[1], &by) || by < 1) return 0;
  return x->op == KGI_OP_div ? by : by < WORD ? INT64_C(1) << by : 0;
}

/* Division goes towards 0, a shift down; both are monotone. */
static int64_t divided(const kgi_inst *x, int64_t value, int64_t by) {
  return value / by - (x->op == KGI_OP_shr && value % by < 0);
}

static span span_of(const view *v, uint32_t value, unsigned depth);

/* The value less a literal that was added to it, or taken away. */
static uint32_t without_literal(const view *v, uint32_t value, int64_t *more) {
  int64_t by;
  value = kgi_ad_on_way(v->ways, v->way, value);
  *more = 0;
  if (value >= KGI_WAY_FIRST) return value;
  const kgi_inst *x = &v->ways->p->inst[value];
  bool moves = x->kind == KGI_op && (x->op == KGI_OP_add || x->op == KGI_OP_sub) && literal(v->ways, x->arg[1], &by);
  if (!moves) return value;
  *more = x->op == KGI_OP_sub ? -by : by;
  return kgi_ad_on_way(v->ways, v->way, x->arg[0]);
}

/* x - x / by + more, which does not fall where x rises, and x is not negative. */
static bool is_rest(const view *v, const kgi_inst *x, uint32_t *of, int64_t *by, int64_t *more) {
  int64_t gives, takes;
  if (x->op != KGI_OP_sub) return false;
  *of = without_literal(v, x->arg[0], &gives);
  uint32_t less = without_literal(v, x->arg[1], &takes);
  const kgi_inst *quotient = less < KGI_WAY_FIRST ? &v->ways->p->inst[less] : x;
  if (quotient->kind != KGI_op || !(*by = divisor(v->ways, quotient))) return false;
  *more = gives - takes;
  return kgi_ad_on_way(v->ways, v->way, quotient->arg[0]) == *of;
}

static span span_of_rest(const view *v, const kgi_inst *x, span otherwise, unsigned depth) {
  uint32_t of;
  int64_t by, more;
  if (!is_rest(v, x, &of, &by, &more)) return otherwise;
  span a = span_of(v, of, depth);
  return a.lo < 0 ? otherwise : (span){a.lo - a.lo / by + more, a.hi - a.hi / by + more};
}

static span span_of_op(const view *v, const kgi_inst *x, unsigned depth) {
  span all = of_type(x->type);
  int64_t by = divisor(v->ways, x), mask;
  span a = span_of(v, x->arg[x->op == KGI_OP_select], depth), b = kgi_op_rows[x->op].arity > 1 ? span_of(v, x->arg[1 + (x->op == KGI_OP_select)], depth) : a;
  switch ((int)x->op) {
  case KGI_OP_add: return between((__int128)a.lo + b.lo, (__int128)a.hi + b.hi);
  case KGI_OP_sub: return span_of_rest(v, x, between((__int128)a.lo - b.hi, (__int128)a.hi - b.lo), depth);
  case KGI_OP_mul: return product(a, b);
  case KGI_OP_shl: return literal(v->ways, x->arg[1], &by) && by >= 0 && by < WORD ? product(a, (span){INT64_C(1) << by, INT64_C(1) << by}) : all;
  case KGI_OP_div: case KGI_OP_shr: return by ? (span){divided(x, a.lo, by), divided(x, a.hi, by)} : all;
  case KGI_OP_min: return (span){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
  case KGI_OP_max: return (span){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
  case KGI_OP_select: return joined(a, b);
  case KGI_OP_and: return literal(v->ways, x->arg[1], &mask) && mask >= 0 ? (span){0, mask < a.hi || a.lo < 0 ? mask : a.hi} : all;
  case KGI_OP_convert: return a;
  }
  return all;
}

static span span_of(const view *v, uint32_t value, unsigned depth) {
  value = kgi_ad_on_way(v->ways, v->way, value);
  if (value == KGI_WAY_ANY) return of_type(KG_NONE);
  if (kgi_ad_is_first(value)) {
    uint32_t var = value - KGI_WAY_FIRST;
    return var == v->var ? v->first : of_type(v->ways->p->scope.object[v->ways->var[var]].type);
  }
  const kgi_inst *x = &v->ways->p->inst[value];
  int64_t is;
  span all = of_type(x->type);
  if (literal(v->ways, value, &is)) return (span){is, is};
  if (x->kind != KGI_op || depth > MOST_DEPTH || (x->type != KG_U32 && x->type != KG_I32)) return all;
  if (x->op == KGI_OP_convert && v->ways->p->inst[x->arg[0]].type != KG_U32 && v->ways->p->inst[x->arg[0]].type != KG_I32) return all;
  span r = span_of_op(v, x, depth + 1);
  bool fits = r.lo >= all.lo && r.hi <= all.hi;
  return fits || !v->wraps ? r : all;
}

/* ---- what was asked ---- */

typedef struct question { kgi_op op; uint32_t a, b; } question; /* a OP b holds */

/* Comparisons that hold where the condition does, or does not. */
static void add_questions(const kgi_ways *w, const kgi_way *way, uint32_t condition, bool held, question *q, unsigned *count) {
  condition = kgi_ad_on_way(w, way, condition);
  if (condition >= KGI_WAY_FIRST || *count == KGI_WAY_ASKED) return;
  const kgi_inst *x = &w->p->inst[condition];
  kgi_op op = (kgi_op)x->op;
  if (x->kind != KGI_op) return;
  if (op == KGI_OP_not) return add_questions(w, way, x->arg[0], !held, q, count);
  if (x->type == KG_BOOL && op == (held ? KGI_OP_and : KGI_OP_or)) {
    add_questions(w, way, x->arg[0], held, q, count);
    return add_questions(w, way, x->arg[1], held, q, count);
  }
  bool compares = op == KGI_OP_lt || op == KGI_OP_le || op == KGI_OP_gt || op == KGI_OP_ge || op == KGI_OP_eq || op == KGI_OP_ne;
  unsigned type = compares ? w->p->inst[x->arg[0]].type : KG_NONE;
  if ((type != KG_U32 && type != KG_I32) || (!held && !kgi_opposite(op, &op))) return;
  uint32_t a = kgi_ad_on_way(w, way, x->arg[0]), b = kgi_ad_on_way(w, way, x->arg[1]);
  bool turned = op == KGI_OP_gt || op == KGI_OP_ge;
  q[(*count)++] = (question){op == KGI_OP_gt ? KGI_OP_lt : op == KGI_OP_ge ? KGI_OP_le : op, turned ? b : a, turned ? a : b};
}

static unsigned questions_of(const kgi_ways *w, const kgi_way *way, question q[KGI_WAY_ASKED]) {
  unsigned count = 0;
  for (uint32_t k = 0; k < way->asked; k++) add_questions(w, way, way->condition[k], way->held[k], q, &count);
  return count;
}

/* Whether it may hold; where one side is the var itself, its interval becomes smaller. */
static bool may_hold(view *v, question q) {
  span a = span_of(v, q.a, 0), b = span_of(v, q.b, 0);
  uint32_t own = KGI_WAY_FIRST + v->var;
  int64_t more = q.op == KGI_OP_lt;
  if (q.op == KGI_OP_eq) return a.lo <= b.hi && b.lo <= a.hi;
  if (q.op == KGI_OP_ne) {
    span other = q.a == own ? b : a;
    bool is_own = (q.a == own) != (q.b == own), one = is_own && other.lo == other.hi;
    if (one && v->first.lo == other.lo) v->first.lo++;
    if (one && v->first.hi == other.lo) v->first.hi--;
    return v->first.lo <= v->first.hi && !(a.lo == a.hi && b.lo == b.hi && a.lo == b.lo);
  }
  if (a.lo + more > b.hi) return false;
  if (q.a == own && v->first.hi > b.hi - more) v->first.hi = b.hi - more;
  if (q.b == own && v->first.lo < a.lo + more) v->first.lo = a.lo + more;
  return true;
}

/* ---- one number ---- */

typedef struct asked {
  const kgi_program *p;
  uint32_t loop;
  const kgi_ranges *ranges; uint32_t known;
} asked;

static bool is_inside(const kgi_program *p, uint32_t i, uint32_t loop) {
  for (kgi_blk block = p->inst[i].block; block; block = p->inst[p->block[block].owner].block)
    if (p->block[block].owner == loop) return true;
  return false;
}

/* What is stored to the var elsewhere is that much, or more. */
static bool begins_at_least(const asked *a, uint32_t var, int64_t *least) {
  bool known = false;
  KGI_EACH_INSIDE(a->p, KGI_BODY, i) {
    const kgi_inst *x = &a->p->inst[i];
    if (!kgi_has_effect(x, KGI_WRITES) || kgi_object_of(x) != var || is_inside(a->p, i, a->loop)) continue;
    if (x->kind != KGI_store || x->arg[2] >= a->known) return false;
    kgi_range r = a->ranges->value[x->arg[2]];
    if (!r.known) return false;
    *least = known && *least < r.lo ? *least : r.lo;
    known = true;
  }
  return known;
}

/* The interval behind a trip; false: no way leads to another one. */
static bool go_on(const kgi_ways *w, uint32_t var, bool wraps, span *all) {
  span next = {0, 0};
  bool some = false;
  for (uint32_t k = 0; k < w->count; k++) {
    view v = {.ways = w, .way = &w->way[k], .var = var, .first = *all, .wraps = wraps};
    question q[KGI_WAY_ASKED];
    unsigned count = questions_of(w, v.way, q);
    bool may = true;
    for (unsigned n = 0; n < count && may; n++) may = may_hold(&v, q[n]);
    for (unsigned n = 0; n < count && may; n++) may = may_hold(&v, q[n]); /* of a smaller interval */
    if (!may) continue;
    span end = span_of(&v, v.way->holds[var], 0);
    next = some ? joined(next, end) : end;
    some = true;
  }
  *all = next;
  return some;
}

static uint32_t trips_of_interval(const kgi_ways *w, uint32_t var, bool wraps, span all) {
  for (uint32_t trips = 1; trips <= MOST_TRIPS; trips++) {
    span before = all;
    if (!go_on(w, var, wraps, &all)) return trips;
    if (!wraps) all.hi = before.hi;
    if (all.lo <= before.lo && all.hi >= before.hi) return 0;
  }
  return 0;
}

/* Each trip takes the lowest of the bits that are set. */
static bool takes_a_bit(const kgi_ways *w, uint32_t var) {
  uint32_t own = KGI_WAY_FIRST + var;
  bool taken = w->count > 0;
  for (uint32_t k = 0; k < w->count && taken; k++) {
    const kgi_way *way = &w->way[k];
    const kgi_inst *x = way->holds[var] < KGI_WAY_FIRST ? &w->p->inst[way->holds[var]] : NULL;
    if (!x || x->kind != KGI_op || x->op != KGI_OP_and) return false;
    unsigned side = kgi_ad_on_way(w, way, x->arg[0]) == own ? 1 : 0;
    uint32_t less = kgi_ad_on_way(w, way, x->arg[side]);
    if (kgi_ad_on_way(w, way, x->arg[1 - side]) != own || less >= KGI_WAY_FIRST) return false;
    const kgi_inst *y = &w->p->inst[less];
    int64_t one, zero;
    taken = y->kind == KGI_op && y->op == KGI_OP_sub && kgi_ad_on_way(w, way, y->arg[0]) == own && literal(w, y->arg[1], &one) && one == 1;
    question q[KGI_WAY_ASKED];
    unsigned count = questions_of(w, way, q);
    bool some = false;
    for (unsigned n = 0; n < count; n++) {
      bool is_not = q[n].op == KGI_OP_ne && ((q[n].a == own && literal(w, q[n].b, &zero)) || (q[n].b == own && literal(w, q[n].a, &zero)));
      bool above = q[n].op == KGI_OP_lt && q[n].b == own && literal(w, q[n].a, &zero);
      some |= (is_not || above) && zero == 0;
    }
    taken &= some;
  }
  return taken;
}

/* ---- the greatest common divisor ---- */

/* a, b = b, a % b while b is not 0. By Lame's theorem n divisions of a > b >= 1 take b >= F(n + 1), a >= F(n + 2), and F(48) is past 2^32: 45
 * trips, one more where a < b at first, and one where a remainder takes the sign of b at first. */
static bool divides_on(const kgi_ways *w, uint32_t a, uint32_t b) {
  uint32_t first_a = KGI_WAY_FIRST + a, first_b = KGI_WAY_FIRST + b;
  for (uint32_t k = 0; k < w->count; k++) {
    const kgi_way *way = &w->way[k];
    uint32_t rest = way->holds[b];
    if (way->holds[a] != first_b || rest >= KGI_WAY_FIRST) return false;
    const kgi_inst *x = &w->p->inst[rest];
    if (x->kind != KGI_op || (x->op != KGI_OP_rem && x->op != KGI_OP_mod)) return false;
    if (kgi_ad_on_way(w, way, x->arg[0]) != first_a || kgi_ad_on_way(w, way, x->arg[1]) != first_b) return false;
    question q[KGI_WAY_ASKED];
    unsigned count = questions_of(w, way, q);
    bool some = false;
    for (unsigned n = 0; n < count; n++) {
      int64_t zero;
      bool of_a = q[n].a == first_b || q[n].a == rest, of_b = q[n].b == first_b || q[n].b == rest;
      if (q[n].op == KGI_OP_ne) some |= (of_a && literal(w, q[n].b, &zero) && !zero) || (of_b && literal(w, q[n].a, &zero) && !zero);
      if (q[n].op == KGI_OP_lt) some |= of_b && literal(w, q[n].a, &zero) && zero >= 0;
    }
    if (!some) return false;
  }
  return w->count > 0;
}

/* ---- searches between two ends ---- */

/* low * LOW + high * HIGH + half * floor((HIGH - LOW + odd) / 2) + more */
typedef struct sum { int64_t low, high, half, odd, more; bool known; } sum;

typedef struct search {
  const kgi_ways *ways;
  const kgi_way *way;
  uint32_t low, high;           /* as the trip begins */
  uint32_t condition; bool is;  /* of a choice: which side */
} search;

static sum added(sum a, sum b, int64_t sign) {
  if (a.half && b.half && a.odd != b.odd) return (sum){0};
  sum r = {a.low + sign * b.low, a.high + sign * b.high, a.half + sign * b.half, a.half ? a.odd : b.odd, a.more + sign * b.more, a.known && b.known};
  return r;
}

/* Half of HIGH + LOW + odd is LOW and half of the way, where nothing is negative. */
static sum halved(sum a) {
  if (!a.known || a.half || a.high != 1 || (a.low != 1 && a.low != -1) || a.more < 0 || a.more > 1) return (sum){0};
  return (sum){.low = a.low == 1, .half = 1, .odd = a.more, .known = true};
}

static sum sum_of(const search *s, uint32_t value, unsigned depth) {
  value = kgi_ad_on_way(s->ways, s->way, value);
  int64_t is;
  if (value == s->low) return (sum){.low = 1, .known = true};
  if (value == s->high) return (sum){.high = 1, .known = true};
  if (literal(s->ways, value, &is)) {
    bool minus = s->ways->p->inst[value].type == KG_U32 && is > INT32_MAX;
    return (sum){.more = minus ? is - (INT64_C(1) << WORD) : is, .known = true};
  }
  if (value >= KGI_WAY_FIRST || depth > MOST_DEPTH) return (sum){0};
  const kgi_inst *x = &s->ways->p->inst[value];
  if (x->kind != KGI_op || (x->type != KG_U32 && x->type != KG_I32)) return (sum){0};
  if (x->op == KGI_OP_select && s->condition && kgi_ad_on_way(s->ways, s->way, x->arg[0]) == s->condition)
    return sum_of(s, x->arg[s->is ? 1 : 2], depth + 1);
  if (divisor(s->ways, x) == 2) return halved(sum_of(s, x->arg[0], depth + 1));
  if (x->op != KGI_OP_add && x->op != KGI_OP_sub) return (sum){0};
  sum a = sum_of(s, x->arg[0], depth + 1), b = sum_of(s, x->arg[1], depth + 1);
  return added(a, b, x->op == KGI_OP_sub ? -1 : 1);
}

/* The least way from LOW to HIGH with which it is gone; INT64_MIN: any is. */
static int64_t least_way(const search *s) {
  question q[KGI_WAY_ASKED];
  unsigned count = questions_of(s->ways, s->way, q);
  int64_t least = INT64_MIN;
  for (unsigned n = 0; n < count; n++) {
    sum way = added(sum_of(s, q[n].b, 0), sum_of(s, q[n].a, 0), -1);
    bool orders = q[n].op == KGI_OP_lt || q[n].op == KGI_OP_le; /* ends that are not equal may have passed each other */
    if (!way.known || way.half || way.high != 1 || way.low != -1 || !orders) continue;
    int64_t here = (q[n].op == KGI_OP_lt) - way.more;
    if (here > least) least = here;
  }
  return least;
}

/* The way left between the ends, of `all` at most; monotone in it, or not known. */
static bool way_left(const search *s, uint32_t low_end, uint32_t high_end, int64_t all, int64_t *left) {
  sum way = added(sum_of(s, high_end, 0), sum_of(s, low_end, 0), -1);
  bool rises = (way.high == 1 && way.half == -1) || (way.high == 0 && way.half == 1) || !way.half;
  if (!way.known || way.low != -way.high || way.high < 0 || way.high > 1 || !rises) return false;
  *left = way.high * all + way.half * ((all + way.odd) >> 1) + way.more;
  return true;
}

/* The condition of a choice that the end is; 0: it is none. */
static uint32_t choice_of(const kgi_ways *w, const kgi_way *way, uint32_t end) {
  if (end >= KGI_WAY_FIRST || w->p->inst[end].kind != KGI_op || w->p->inst[end].op != KGI_OP_select) return 0;
  return kgi_ad_on_way(w, way, w->p->inst[end].arg[0]);
}

static bool way_of_all(const kgi_ways *w, uint32_t low, uint32_t high, int64_t all, int64_t *most, bool *some) {
  *some = false;
  for (uint32_t k = 0; k < w->count; k++) {
    const kgi_way *way = &w->way[k];
    search s = {.ways = w, .way = way, .low = KGI_WAY_FIRST + low, .high = KGI_WAY_FIRST + high};
    s.condition = choice_of(w, way, way->holds[low]);
    if (!s.condition) s.condition = choice_of(w, way, way->holds[high]);
    if (all < least_way(&s)) continue;
    for (unsigned side = 0; side < (s.condition ? 2 : 1); side++) {
      int64_t left;
      s.is = side == 0;
      if (!way_left(&s, way->holds[low], way->holds[high], all, &left)) return false;
      *most = *some && *most > left ? *most : left;
      *some = true;
    }
  }
  return true;
}

static uint32_t trips_of_search(const kgi_ways *w, uint32_t low, uint32_t high) {
  int64_t all = UINT32_MAX, next = 0;
  bool some;
  for (uint32_t trips = 1; trips <= MOST_TRIPS; trips++) {
    if (!way_of_all(w, low, high, all, &next, &some)) return 0;
    if (!some) return trips;
    if (next >= all) return 0;
    all = next;
  }
  return 0;
}

/* ---- all of it ---- */

static bool is_word(const kgi_ways *w, uint32_t var) { return w->p->scope.object[w->var[var]].type != KG_BOOL; }

static uint32_t trips_of_one(const asked *a, const kgi_ways *w, uint32_t var) {
  span all = of_type(w->p->scope.object[w->var[var]].type);
  int64_t least = 0;
  uint32_t trips = takes_a_bit(w, var) ? WORD + 1 : trips_of_interval(w, var, true, all);
  bool known = begins_at_least(a, w->var[var], &least);
  if (trips || (!known && all.lo < 0)) return trips;
  if (known && least > all.lo) all.lo = least;
  all.hi = of_type(KG_NONE).hi; /* of what grows, only what is asked ends it */
  return trips_of_interval(w, var, false, all);
}

uint32_t kgi_ad_few_trips(const kgi_program *p, uint32_t loop, const kgi_ranges *ranges, uint32_t known, kgi_arena *arena) {
  const asked a = {p, loop, ranges, known};
  kgi_ways *w = kgi_arena_alloc(arena, 1, sizeof *w);
  if (!w || !kgi_ad_find_ways(w, p, loop)) return 0;
  for (uint32_t x = 0; x < w->vars; x++) {
    uint32_t trips = is_word(w, x) ? trips_of_one(&a, w, x) : 0;
    if (trips) return trips;
  }
  for (uint32_t x = 0; x < w->vars; x++)
    for (uint32_t y = 0; y < w->vars; y++) {
      if (x == y || !is_word(w, x) || !is_word(w, y)) continue;
      uint32_t trips = divides_on(w, x, y) ? GCD_TRIPS : trips_of_search(w, x, y);
      if (trips) return trips;
    }
  return 0;
}
