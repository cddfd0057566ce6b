/* The derivative column of ops.def is deliberately not read here: an oracle that shared it would agree with any mistake in it.
 * What is not exact is computed in long double and rounded once: its digits make up for squares and differences of exponents, its
 * range for what passes that of f64 on the way. So a partial is as good as a f64 can be, where long double is wider. */
#include "reference/dual.h"

#include <math.h>

/* Loops over lanes are to become vectors; at -O2 gcc's cost model leaves loops of unknown length alone, and where operations might
 * trap, those in which something is selected. */
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
#pragma GCC optimize("O3", "no-trapping-math")
#endif

static const long double LN2 = 0.693147180559945309417232121458L, TWO_OVER_SQRT_PI = 1.128379167095512573896158903122L;

static double sign_of(double x) { return (double)(x > 0) - (double)(x < 0); }

/* How much of maximum(a, b) follows a: all, nothing, or half at a tie. A NaN is never chosen. */
static double share(double a, double b) {
  if (isnan(b)) return 1;
  if (isnan(a)) return 0;
  return a > b ? 1 : a < b ? 0 : 0.5;
}

/* min(max(x, low), high) */
static void clamp_partials(const double *x, double *p) {
  double raised = isnan(x[0]) ? x[1] : isnan(x[1]) || x[0] > x[1] ? x[0] : x[1];
  double kept = share(-raised, -x[2]);
  p[0] = kept * share(x[0], x[1]);
  p[1] = kept * share(x[1], x[0]);
  p[2] = share(-x[2], -raised);
}

/* a^b: by a it is b a^(b-1), and nothing where b = 0; by b it is a^b ln a, and nothing at a = 0 unless b is negative. */
static void pow_partials(long double a, long double b, double *p) {
  p[0] = b == 0 ? 0 : (double)(b * powl(a, b - 1));
  p[1] = a == 0 && b >= 0 ? 0 : (double)(powl(a, b) * logl(a));
}

/* The angle of (x, y): its gradient is (x, -y) over the squared distance. */
static void atan2_partials(long double y, long double x, double *p) {
  long double r = hypotl(x, y);
  bool far = isinf(r) && !isnan(x) && !isnan(y); /* then an infinite operand is infinite over a square of its own */
  p[0] = far ? copysign(0, (double)x) : (double)(x / r / r);
  p[1] = far ? copysign(0, (double)-y) : (double)(-y / r / r);
}

/* The direction from the origin, nothing there. An infinite operand outruns the other, unless that is infinite too, or NaN. */
static void hypot_partials(long double a, long double b, double *p) {
  long double r = hypotl(a, b);
  if (r == 0) return;
  if (isinf(a) && isfinite(b)) r = 1, a = copysignl(1, a), b = 0;
  if (isinf(b) && isfinite(a)) r = 1, a = 0, b = copysignl(1, b);
  p[0] = (double)(a / r), p[1] = (double)(b / r);
}

/* a - b q, where q is the quotient rounded to a whole number. */
static double quotient(double a, double b, bool floored) {
  double r = fmod(a, b);
  if (floored && r != 0 && (r < 0) != (b < 0)) return rint((a - r) / b) - 1;
  return rint((a - r) / b);
}

static long double one(kgi_function1 f, long double x);

/* Inlined below for operations that are known, of which little is left then. */
__attribute__((always_inline)) static inline bool partials(kgi_op op, const double *x, double *p) {
  double a = x[0], b = x[1];
  p[0] = p[1] = p[2] = p[3] = 0;
  switch (op) {
  case KGI_OP_add: return p[0] = p[1] = 1, true;
  case KGI_OP_sub: return p[0] = 1, p[1] = -1, true;
  case KGI_OP_mul: return p[0] = b, p[1] = a, true;
  case KGI_OP_div: return p[0] = 1 / b, p[1] = (double)(-(long double)a / b / b), true;
  case KGI_OP_rem: return p[0] = 1, p[1] = -quotient(a, b, false), true;
  case KGI_OP_mod: return p[0] = 1, p[1] = -quotient(a, b, true), true;
  case KGI_OP_abs_diff: return p[0] = sign_of(a - b), p[1] = -p[0], true;
  case KGI_OP_min: return p[0] = share(-a, -b), p[1] = share(-b, -a), true;
  case KGI_OP_max: return p[0] = share(a, b), p[1] = share(b, a), true;
  case KGI_OP_clamp: return clamp_partials(x, p), true;
  case KGI_OP_fma: return p[0] = b, p[1] = a, p[2] = 1, true;
  case KGI_OP_mulz: return p[0] = b, p[1] = a, true;
  case KGI_OP_pow: return pow_partials(a, b, p), true;
  case KGI_OP_atan2: return atan2_partials(a, b, p), true;
  case KGI_OP_hypot: return hypot_partials(a, b, p), true;
  case KGI_OP_ldexp: return p[0] = ldexp(1, b > 5000 ? 5000 : b < -5000 ? -5000 : (int)b), true;
  case KGI_OP_select: return p[1] = a != 0, p[2] = a == 0, true;
  case KGI_OP_convert: return p[0] = 1, true;
  case KGI_OP_with_partial: return p[0] = 1, p[1] = x[3], true;
  case KGI_OP_neg: return p[0] = -1, true;
  case KGI_OP_abs: return p[0] = sign_of(a), true;
  case KGI_OP_fract: return p[0] = 1, true;
  case KGI_OP_stop_gradient: case KGI_OP_sign: case KGI_OP_floor: case KGI_OP_ceil: case KGI_OP_trunc: case KGI_OP_round:
    return true;
  case KGI_OP_sqrt: return p[0] = (double)(1 / (2 * sqrtl(a))), true;
  case KGI_OP_rsqrt: return p[0] = (double)(-1 / (2 * (long double)a * sqrtl(a))), true;
#define FUN1(name, ...) case KGI_OP_##name:
#include "foundation/ir/ops.def"
    return p[0] = (double)one((kgi_function1)op, a), true;
  /* no float in, or none out */
  case KGI_OP_mul_high: case KGI_OP_saturating_add: case KGI_OP_saturating_sub: case KGI_OP_is_nan: case KGI_OP_is_inf:
  case KGI_OP_and: case KGI_OP_or: case KGI_OP_xor: case KGI_OP_not: case KGI_OP_shl: case KGI_OP_shr: case KGI_OP_rotl:
  case KGI_OP_rotr: case KGI_OP_popcount: case KGI_OP_clz: case KGI_OP_ctz: case KGI_OP_reverse_bits: case KGI_OP_bit_extract:
  case KGI_OP_bit_insert: case KGI_OP_flat_index: case KGI_OP_eq: case KGI_OP_ne: case KGI_OP_lt: case KGI_OP_le: case KGI_OP_gt: case KGI_OP_ge:
  case KGI_OP_unpack_half_2x16: case KGI_OP_unpack_unorm_2x16: case KGI_OP_unpack_snorm_2x16: case KGI_OP_unpack_unorm_4x8:
  case KGI_OP_unpack_snorm_4x8:
    return true;
  case KGI_OP_bitcast: case KGI_OP_pack_half_2x16: case KGI_OP_pack_unorm_2x16: case KGI_OP_pack_snorm_2x16:
  case KGI_OP_pack_unorm_4x8: case KGI_OP_pack_snorm_4x8: case KGI_OP_COUNT:
    return false;
  }
  return false;
}

bool kgi_partials(kgi_op op, const double *x, double *p) { return partials(op, x, p); }

#define CHEAP(_) \
  _(KGI_OP_add) _(KGI_OP_sub) _(KGI_OP_mul) _(KGI_OP_div) _(KGI_OP_min) _(KGI_OP_max) _(KGI_OP_fma) _(KGI_OP_mulz) \
  _(KGI_OP_select) _(KGI_OP_convert) _(KGI_OP_neg) _(KGI_OP_abs)

#define IS(other) op == other ||
bool kgi_partials_are_cheap(kgi_op op) { return CHEAP(IS) false; }

#define ROW(op) \
  case op: \
    for (uint32_t l = 0; l < count; l++) { \
      double at[4] = {a[l], b[l], c[l]}, p[4]; \
      partials(op, at, p); \
      pa[l] = p[0], pb[l] = p[1], pc[l] = p[2]; \
    } \
    return true;

bool kgi_partials_row(kgi_op op, uint32_t count, const uint32_t *wanted, double *const *x, double *const *out) {
  const double *a = x[0], *b = x[1], *c = x[2];
  double *restrict pa = out[0], *restrict pb = out[1], *restrict pc = out[2];
  bool fine = true;
  switch ((int)op) {
    CHEAP(ROW)
  default:
    for (uint32_t l = 0; l < count; l++) {
      double at[4] = {a[l], b[l], c[l], x[3][l]}, p[4] = {0};
      if (wanted[l]) fine &= partials(op, at, p);
      for (int k = 0; k < 4; k++) out[k][l] = p[k];
    }
  }
  return fine;
}

/* The derivative of sin x / x, near 0 by the terms (-1)^n 2n x^(2n-1) / (2n+1)! */
static long double sinc_slope(long double x) {
  if (!(fabsl(x) < 1)) return (x * cosl(x) - sinl(x)) / (x * x);
  long double sum = 0, power = -x, factorial = 6;
  for (int n = 1; n < 15; n++) {
    sum += 2 * n * power / factorial;
    power *= -x * x, factorial *= (2 * n + 2) * (2 * n + 3);
  }
  return sum;
}

/* Smooth functions of one variable. Differences from 1 are taken first: they are exact where they matter. */
static long double one(kgi_function1 f, long double x) {
  switch (f) {
  case KGI_FUN_exp: case KGI_FUN_expm1: return expl(x);
  case KGI_FUN_exp2: return LN2 * exp2l(x);
  case KGI_FUN_log: return 1 / x;
  case KGI_FUN_log2: return 1 / (LN2 * x);
  case KGI_FUN_log1p: return 1 / (1 + x);
  case KGI_FUN_sin: return cosl(x);
  case KGI_FUN_cos: return -sinl(x);
  case KGI_FUN_tan: return 1 / (cosl(x) * cosl(x));
  case KGI_FUN_sinc: return sinc_slope(x);
  case KGI_FUN_asin: return 1 / (sqrtl(1 - x) * sqrtl(1 + x));
  case KGI_FUN_acos: return -1 / (sqrtl(1 - x) * sqrtl(1 + x));
  case KGI_FUN_atan: return 1 / (1 + x * x);
  case KGI_FUN_sinh: return coshl(x);
  case KGI_FUN_cosh: return sinhl(x);
  case KGI_FUN_tanh: return 1 / (coshl(x) * coshl(x));
  case KGI_FUN_asinh: return 1 / hypotl(1, x);
  case KGI_FUN_acosh: return 1 / (sqrtl(x - 1) * sqrtl(x + 1));
  case KGI_FUN_atanh: return 1 / ((1 - x) * (1 + x));
  case KGI_FUN_erf: return TWO_OVER_SQRT_PI * expl(-x * x);
  case KGI_FUN_erfc: return -TWO_OVER_SQRT_PI * expl(-x * x);
  }
  return (long double)NAN;
}
