/* Whether stores reach all that a load may reach.
 *
 * For every value of the load's variables there has to be one of a store's that gives the same index. Variables with one factor on both
 * sides (rows) take the same value; what is left of the load's digit has to lie in what is left of the store's, an interval. One digit
 * may be put together of the intervals of several stores, as a tile and its halo are, if each reaches all that is needed of the others. */
#include "autodiff/plan/reach.h"

typedef struct span { kgi_poly from, to; } span; /* from <= x < to */

static kgi_poly times(const kgi_poly *x, const kgi_poly *y, int64_t extra) {
  kgi_poly one = kgi_poly_int(1), z = kgi_poly_add(y, &one, extra);
  return kgi_poly_mul(x, &z);
}

/* ---- a digit by itself ---- */

bool kgi_reach_runs_through(const kgi_reach *store, unsigned d, kgi_poly *from, kgi_poly *to) {
  kgi_poly weight = kgi_poly_int(1);
  unsigned left = 0, taken = 0;
  uint32_t used = 0; /* variables, as bits: one of a single value leaves the weight as it is */
  for (unsigned v = 0; v < store->vars; v++) left += store->digit[d].factor[v].count != 0;
  for (unsigned tries = 0; taken < left && tries <= left; tries++)
    for (unsigned v = 0; v < store->vars; v++) {
      const kgi_reach_var *x = &store->var[v];
      if (used & 1u << v || !kgi_poly_equal(&store->digit[d].factor[v], &weight) || x->from.count) continue;
      used |= 1u << v;
      weight = kgi_poly_mul(&weight, &x->to);
      taken++;
      break;
    }
  *from = store->digit[d].fixed;
  *to = kgi_poly_add(from, &weight, 1);
  return taken == left && !to->failed;
}

static bool span_of_radix(const kgi_reach *store, unsigned d, span *out) {
  return kgi_reach_runs_through(store, d, &out->from, &out->to);
}

/* All that a digit can be. */
static span span_of_extent(const kgi_reach *load, unsigned d) { return (span){kgi_poly_int(0), load->digit[d].extent}; }

/* ---- a digit beside the load's ---- */

typedef struct match {
  const kgi_ad *a;
  const kgi_reach *store, *load;
  unsigned d;
  uint32_t taken; /* variables of the load, as bits */
} match;

/* The store's variable `v` becomes the sum of all variables of the load that have its factor, and that no other one of the store has
 * become; none: its first value. */
static bool take_rows(match *m, unsigned v, kgi_poly *base) {
  const kgi_reach_var *x = &m->store->var[v];
  const kgi_poly *factor = &m->store->digit[m->d].factor[v];
  kgi_poly one = kgi_poly_int(1);
  span sum = {0};
  bool any = false;
  for (unsigned k = 0; k < m->load->vars; k++) {
    if (m->taken & 1u << k || !kgi_poly_equal(&m->load->digit[m->d].factor[k], factor)) continue;
    kgi_poly to = kgi_poly_add(&m->load->var[k].to, &one, -1);
    sum.from = kgi_poly_add(&sum.from, &m->load->var[k].from, 1);
    sum.to = kgi_poly_add(&sum.to, &to, 1);
    m->taken |= 1u << k;
    any = true;
  }
  kgi_poly first = kgi_poly_mul(factor, &x->from);
  if (any) return kgi_reach_is_at_most(m->a, &x->from, 0, &sum.from) && kgi_reach_is_at_most(m->a, &sum.to, 1, &x->to);
  *base = kgi_poly_add(base, &first, 1);
  return x->sure;
}

/* What is left of the store's digit: one variable without a factor, or none. */
static bool span_of_store(match *m, span *out) {
  const kgi_reach_var *column = NULL;
  kgi_poly base = m->store->digit[m->d].fixed, one = kgi_poly_int(1);
  for (unsigned v = 0; v < m->store->vars; v++) {
    const kgi_poly *factor = &m->store->digit[m->d].factor[v];
    if (!factor->count) continue;
    if (!column && kgi_poly_is_one(factor)) column = &m->store->var[v];
    else if (!take_rows(m, v, &base)) return false;
  }
  out->from = column ? kgi_poly_add(&base, &column->from, 1) : base;
  out->to = kgi_poly_add(&base, column ? &column->to : &one, 1);
  return !out->from.failed && !out->to.failed;
}

/* What is left of the load's digit, whatever the values of its variables. */
static bool span_of_load(const match *m, span *out) {
  const kgi_reach_digit *digit = &m->load->digit[m->d];
  kgi_poly zero = kgi_poly_int(0), one = kgi_poly_int(1);
  out->from = out->to = digit->fixed;
  for (unsigned v = 0; v < m->load->vars; v++) {
    const kgi_poly *factor = &digit->factor[v];
    if (!factor->count || m->taken & 1u << v) continue;
    const kgi_reach_var *x = &m->load->var[v];
    kgi_poly low = kgi_poly_mul(factor, &x->from), high = times(factor, &x->to, -1), less = kgi_poly_add(&zero, factor, -1);
    bool rises = kgi_reach_is_natural(m->a, factor);
    if (!rises && !kgi_reach_is_natural(m->a, &less)) return false;
    out->from = kgi_poly_add(&out->from, rises ? &low : &high, 1);
    out->to = kgi_poly_add(&out->to, rises ? &high : &low, 1);
  }
  out->to = kgi_poly_add(&out->to, &one, 1);
  return !out->from.failed && !out->to.failed;
}

/* Three ways to look at a digit: what is left of both, all that the load can be, all that there is. */
typedef enum look { LEFT, ALL_OF_LOAD, ALL_OF_EXTENT, LOOKS } look;

/* `rows`: the load's variables, as bits, from whose sum what is left is measured. */
static bool spans_of(const kgi_ad *a, const kgi_reach *load, const kgi_reach *store, unsigned d, look how, span *l, span *s,
                     uint32_t *rows) {
  match m = {.a = a, .store = store, .load = load, .d = d};
  *rows = 0;
  if (how == ALL_OF_EXTENT) {
    *l = span_of_extent(load, d);
    return span_of_radix(store, d, s);
  }
  if (!load->digit[d].known || !(how == LEFT ? span_of_store(&m, s) : span_of_radix(store, d, s))) return false;
  *rows = m.taken;
  return span_of_load(&m, l);
}

static bool covers_digit(const kgi_ad *a, const kgi_reach *load, const kgi_reach *store, unsigned d) {
  for (look how = LEFT; how < LOOKS; how++) {
    span l, s;
    uint32_t rows;
    if (spans_of(a, load, store, d, how, &l, &s, &rows) && kgi_reach_is_at_most(a, &s.from, 0, &l.from) &&
        kgi_reach_is_at_most(a, &l.to, 0, &s.to))
      return true;
  }
  return false;
}

static bool covers_others(const kgi_ad *a, const kgi_reach *load, const kgi_reach *store, unsigned d) {
  for (unsigned k = 0; k < load->rank; k++)
    if (k != d && !covers_digit(a, load, store, k)) return false;
  return true;
}

/* The intervals of several stores, one after the other, all measured from one place. */
static bool is_covered_by_pieces(const kgi_ad *a, const kgi_reach *load, const kgi_reach *const *store, unsigned count, unsigned d,
                                 look how) {
  kgi_poly reached = {0}, begin = {0};
  uint64_t used = 0;
  uint32_t common = 0;
  for (unsigned k = 0; k < count; k++) {
    span l, s;
    uint32_t rows;
    if (used >> k & 1 || !spans_of(a, load, store[k], d, how, &l, &s, &rows) || !covers_others(a, load, store[k], d)) continue;
    if (!used) begin = reached = l.from, common = rows;
    if (rows != common || !kgi_poly_equal(&begin, &l.from) || !kgi_reach_is_at_most(a, &s.from, 0, &reached)) continue;
    if (kgi_reach_is_at_most(a, &l.to, 0, &s.to)) return true;
    if (!kgi_reach_is_at_most(a, &reached, 1, &s.to)) continue;
    used |= UINT64_C(1) << k;
    reached = s.to;
    k = UINT32_MAX; /* from the first again */
  }
  return false;
}

bool kgi_reach_is_covered(const kgi_ad *a, const kgi_reach *load, const kgi_reach *const *store, unsigned count) {
  for (unsigned d = 0; d < load->rank; d++)
    for (look how = LEFT; how < LOOKS; how++)
      if (is_covered_by_pieces(a, load, store, count, d, how)) return true;
  return false;
}
