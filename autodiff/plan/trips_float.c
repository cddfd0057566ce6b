/* Bounds of floats that become a number of trips, as in u32(ceil(f32(m) / 2.0)), as lengths: upper bounds are rounded up, lower ones down. A
 * float of a number past 2^24 may lie a little above it: where a bound is too low for that, the forward sweep's assert says so. */
#include "autodiff/plan/ad.h"
#include "foundation/base/limits.h"

#include <math.h>

enum { FRACTION = 16, FAR = 1 << 24 };

static bool literal_float(const kgi_ad *a, uint32_t value, double *out) {
  const kgi_inst *x = kgi_ad_inst(a, value);
  if (x->kind != KGI_literal || kgi_type_kind_of(x->type) != KGI_FLOAT) return false;
  *out = kgi_bits_to_double((kg_type)x->type, kgi_literal_bits(x));
  return fabs(*out) <= FAR; /* no NaN */
}

/* `x` times a factor that is not negative, in 2^FRACTION parts at the most. */
static kgi_dim times_factor(kgi_ad *a, kgi_dim x, double factor) {
  double parts = factor;
  int64_t unit = 1;
  while (parts != floor(parts) && unit < 1 << FRACTION) parts *= 2, unit *= 2;
  kgi_dim none = kgi_ad_number(a, 0), by = kgi_ad_number(a, (int64_t)ceil(parts)), rest = kgi_ad_number(a, unit - 1), whole = kgi_ad_number(a, unit);
  x = kgi_ad_length(a, KGI_DIM_MAX, x, none);
  x = kgi_ad_length(a, KGI_DIM_MUL, x, by);
  x = kgi_ad_length(a, KGI_DIM_ADD, x, rest);
  return kgi_ad_length(a, KGI_DIM_DIV, x, whole);
}

/* `x` times such a factor at the least: what is negative counts as if it were taken more often. */
static kgi_dim at_least_times(kgi_ad *a, kgi_dim x, double factor) {
  kgi_dim none = kgi_ad_number(a, 0), unit = kgi_ad_number(a, INT64_C(1) << FRACTION);
  kgi_dim above = kgi_ad_length(a, KGI_DIM_MAX, x, none), below = kgi_ad_length(a, KGI_DIM_MIN, x, none);
  above = kgi_ad_length(a, KGI_DIM_MUL, above, kgi_ad_number(a, (int64_t)floor(factor * (1 << FRACTION))));
  below = kgi_ad_length(a, KGI_DIM_MUL, below, kgi_ad_number(a, (int64_t)ceil(factor)));
  return kgi_ad_length(a, KGI_DIM_ADD, below, kgi_ad_length(a, KGI_DIM_DIV, above, unit));
}

static kgi_dim opposite(kgi_ad *a, kgi_dim x) { return kgi_ad_length(a, KGI_DIM_SUB, kgi_ad_number(a, 0), x); }

/* A negative factor turns the bounds round. */
static kgi_dim of_scaled(kgi_ad *a, uint32_t value, double factor, bool upper, unsigned depth) {
  kgi_dim x = kgi_ad_bound_at(a, value, upper != (factor < 0), depth);
  if (factor < 0) x = opposite(a, x);
  return upper ? times_factor(a, x, fabs(factor)) : at_least_times(a, x, fabs(factor));
}

/* By a literal, or of two that count as if neither were negative. */
static kgi_dim of_product(kgi_ad *a, const kgi_inst *x, bool upper, unsigned depth) {
  double factor;
  kgi_dim none = kgi_ad_number(a, 0);
  for (unsigned k = 0; k < 2; k++)
    if (literal_float(a, x->arg[k], &factor)) return of_scaled(a, x->arg[1 - k], factor, upper, depth);
  if (!upper) return (kgi_dim){0};
  kgi_dim first = kgi_ad_bound_at(a, x->arg[0], true, depth), second = kgi_ad_bound_at(a, x->arg[1], true, depth);
  first = kgi_ad_length(a, KGI_DIM_MAX, first, none), second = kgi_ad_length(a, KGI_DIM_MAX, second, none);
  return kgi_ad_length(a, KGI_DIM_MUL, first, second);
}

/* A float of an integer: 0, or 1 and more in size. */
static bool is_of_integer(const kgi_ad *a, uint32_t value) {
  const kgi_inst *x = kgi_ad_inst(a, value);
  return x->kind == KGI_op && x->op == KGI_OP_convert && kgi_is_int(kgi_ad_inst(a, x->arg[0])->type);
}

/* By a literal, of which a whole one divides the length; or by what makes nothing larger. */
static kgi_dim of_quotient(kgi_ad *a, const kgi_inst *x, bool upper, unsigned depth) {
  double by;
  if (!upper || (literal_float(a, x->arg[1], &by) && by < 0)) {
    bool known = literal_float(a, x->arg[1], &by) && fabs(by) >= 1.0 / FAR;
    return known ? of_scaled(a, x->arg[0], 1 / by, upper, depth) : (kgi_dim){0};
  }
  if (is_of_integer(a, x->arg[1])) {
    kgi_dim first = kgi_ad_bound_at(a, x->arg[0], true, depth), nothing = kgi_ad_number(a, 0);
    return kgi_ad_length(a, KGI_DIM_MAX, first, nothing);
  }
  if (!literal_float(a, x->arg[1], &by) || by < 1.0 / FAR) return (kgi_dim){0};
  kgi_dim most = kgi_ad_bound_at(a, x->arg[0], true, depth), none = kgi_ad_number(a, 0);
  if (by != floor(by)) return times_factor(a, most, 1 / by);
  kgi_dim rest = kgi_ad_number(a, (int64_t)by - 1), whole = kgi_ad_number(a, (int64_t)by);
  most = kgi_ad_length(a, KGI_DIM_MAX, most, none);
  most = kgi_ad_length(a, KGI_DIM_ADD, most, rest);
  return kgi_ad_length(a, KGI_DIM_DIV, most, whole);
}

/* The smaller one is no larger than the one that is known; so is the larger one no smaller. */
static kgi_dim of_extreme(kgi_ad *a, const kgi_inst *x, bool upper, unsigned depth) {
  kgi_dim_op op = x->op == KGI_OP_min ? KGI_DIM_MIN : KGI_DIM_MAX;
  bool least = upper && op == KGI_DIM_MIN;
  kgi_dim first = least ? kgi_ad_bound_in_min(a, x->arg[0], depth) : kgi_ad_bound_at(a, x->arg[0], upper, depth);
  kgi_dim second = least ? kgi_ad_bound_in_min(a, x->arg[1], depth) : kgi_ad_bound_at(a, x->arg[1], upper, depth);
  if (upper == (op == KGI_DIM_MIN) && (!first.i || !second.i)) return first.i ? first : second;
  return kgi_ad_length(a, op, first, second);
}

/* min(max(v, low), high) */
static kgi_dim of_clamp(kgi_ad *a, const kgi_inst *x, bool upper, unsigned depth) {
  kgi_dim v = upper ? kgi_ad_bound_in_min(a, x->arg[0], depth) : kgi_ad_bound_at(a, x->arg[0], false, depth), low = kgi_ad_bound_at(a, x->arg[1], upper, depth);
  kgi_dim high = kgi_ad_bound_at(a, x->arg[2], upper, depth);
  v = kgi_ad_length(a, KGI_DIM_MAX, v, low);
  return upper && (!v.i || !high.i) ? (v.i ? v : high) : kgi_ad_length(a, KGI_DIM_MIN, v, high);
}

/* As far as it may lie above 0, or below. */
static kgi_dim of_size(kgi_ad *a, const kgi_inst *x, bool upper, unsigned depth) {
  kgi_dim none = kgi_ad_number(a, 0);
  if (!upper) return none;
  kgi_dim hi = kgi_ad_bound_at(a, x->arg[0], true, depth), below = opposite(a, kgi_ad_bound_at(a, x->arg[0], false, depth));
  return kgi_ad_length(a, KGI_DIM_MAX, kgi_ad_length(a, KGI_DIM_MAX, hi, below), none);
}

/* sqrt(x) <= (x / s + s) / 2 with any s: with a power of 16 near the root, 2.2 times as much at the most. */
static kgi_dim of_root(kgi_ad *a, const kgi_inst *x, bool upper, unsigned depth) {
  kgi_dim none = kgi_ad_number(a, 0), most = {0};
  if (!upper) return none;
  kgi_dim square = kgi_ad_length(a, KGI_DIM_MAX, kgi_ad_bound_at(a, x->arg[0], true, depth), none);
  for (int64_t s = 1; s <= 1 << FRACTION; s *= 16) {
    kgi_dim by = kgi_ad_number(a, 2 * s), sum = kgi_ad_length(a, KGI_DIM_ADD, square, kgi_ad_number(a, s * s + 2 * s - 1));
    sum = kgi_ad_length(a, KGI_DIM_DIV, sum, by);
    most = most.i ? kgi_ad_length(a, KGI_DIM_MIN, most, sum) : sum;
  }
  return most;
}

/* a * b + c */
static kgi_dim of_fma(kgi_ad *a, const kgi_inst *x, bool upper, unsigned depth) {
  kgi_dim product = of_product(a, x, upper, depth), c = kgi_ad_bound_at(a, x->arg[2], upper, depth);
  return kgi_ad_length(a, KGI_DIM_ADD, product, c);
}

static kgi_dim of_op(kgi_ad *a, const kgi_inst *x, bool upper, unsigned depth) {
  bool minus = x->op == KGI_OP_sub, choice = x->op == KGI_OP_select;
  switch ((int)x->op) {
  case KGI_OP_convert: case KGI_OP_floor: case KGI_OP_ceil: case KGI_OP_trunc: case KGI_OP_round: return kgi_ad_bound_at(a, x->arg[0], upper, depth);
  case KGI_OP_mul: return of_product(a, x, upper, depth);
  case KGI_OP_div: return of_quotient(a, x, upper, depth);
  case KGI_OP_neg: return opposite(a, kgi_ad_bound_at(a, x->arg[0], !upper, depth));
  case KGI_OP_abs: return of_size(a, x, upper, depth);
  case KGI_OP_sqrt: return of_root(a, x, upper, depth);
  case KGI_OP_fma: return of_fma(a, x, upper, depth);
  case KGI_OP_min: case KGI_OP_max: return of_extreme(a, x, upper, depth);
  case KGI_OP_clamp: return of_clamp(a, x, upper, depth);
  case KGI_OP_add: case KGI_OP_sub: case KGI_OP_select: break;
  default: return (kgi_dim){0};
  }
  kgi_dim first = kgi_ad_bound_at(a, x->arg[choice], upper, depth), second = kgi_ad_bound_at(a, x->arg[1 + choice], upper != minus, depth);
  kgi_dim_op op = minus ? KGI_DIM_SUB : choice ? (upper ? KGI_DIM_MAX : KGI_DIM_MIN) : KGI_DIM_ADD;
  return kgi_ad_length(a, op, first, second);
}

kgi_dim kgi_ad_bound_of_float(kgi_ad *a, uint32_t value, bool upper, unsigned depth) {
  const kgi_inst x = *kgi_ad_inst(a, value);
  double is;
  if (literal_float(a, value, &is)) return kgi_ad_number(a, (int64_t)(upper ? ceil(is) : floor(is)));
  return x.kind == KGI_op ? of_op(a, &x, upper, depth + 1) : (kgi_dim){0};
}
