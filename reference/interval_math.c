/* Ranges of functions over boxes, in real arithmetic: doubles from the C library, enclosed by more than its own error. */
#include "reference/interval.h"

static const double PI = 3.14159265358979323846;

/* The C library stays within a few units; a zero stands for what is too small. */
static double slack(double x) { return isinf(x) ? 0 : fabs(x) * 0x1p-50 + (fabs(x) < 0x1p-1000 ? 0x1p-1070 : 0); }
static kgi_interval about(double low, double high) { return (kgi_interval){low - slack(low), high + slack(high)}; }

/* Where a zero is the result itself. */
static kgi_interval about_zero(double low, double high) {
  return (kgi_interval){low == 0 ? 0 : low - slack(low), high == 0 ? 0 : high + slack(high)};
}

static kgi_interval rising(double (*f)(double), kgi_interval x) { return about_zero(f(x.low), f(x.high)); }

static bool inside(kgi_interval x, double low, double high) { return x.low >= low && x.high <= high; }

/* Whether phase + k * period lies in x for some whole k; what is too close to tell counts. */
static bool meets(kgi_interval x, double phase, double period) {
  double low = (x.low - phase) / period, high = (x.high - phase) / period, size = fmax(fabs(low), fabs(high));
  return ceil(low - 0x1p-50 * size) <= high + 0x1p-50 * size;
}

/* sin, or cos by its phase: where it is greatest. */
static kgi_interval wave(double (*f)(double), kgi_interval x, double greatest) {
  if (kgi_is_point(x)) return about_zero(f(x.low), f(x.low));
  if (x.high - x.low >= 2 * PI || fmax(-x.low, x.high) > 0x1p40) return (kgi_interval){-1, 1};
  double a = f(x.low), b = f(x.high);
  kgi_interval y = about_zero(fmin(a, b), fmax(a, b));
  if (meets(x, greatest, 2 * PI)) y.high = 1;
  if (meets(x, greatest - PI, 2 * PI)) y.low = -1;
  return y;
}

static kgi_interval tangent(kgi_interval x) {
  bool many = x.high - x.low >= PI || fmax(-x.low, x.high) > 0x1p40;
  if (!kgi_is_point(x) && (many || meets(x, PI / 2, PI))) return (kgi_interval){-(double)INFINITY, (double)INFINITY};
  return rising(tan, x);
}

static kgi_interval magnitudes(kgi_interval x) {
  if (x.low >= 0) return x;
  if (x.high <= 0) return (kgi_interval){-x.high, -x.low};
  return (kgi_interval){0, fmax(-x.low, x.high)};
}

static double sine_over(double x) { return x == 0 ? 1 : sin(x) / x; }

/* Where sin(x) / x turns, between k pi and (k + 1/2) pi: tan(e) = e. */
static double turning_point(double k) {
  double e = (k + 0.5) * PI;
  for (int i = 0; i < 12; i++) e = (k + 0.5) * PI - atan(1 / e);
  return e;
}

/* It turns at 0, then ever nearer to it: the first two turns inside decide. A turn too close to an end to tell counts. */
static kgi_interval sine_over_range(kgi_interval x) {
  kgi_interval m = magnitudes(x);
  if (kgi_is_point(m)) return about(sine_over(m.low), sine_over(m.low));
  if (m.low > 0x1p40) return (kgi_interval){-1 / m.low, 1 / m.low};
  double low = fmin(sine_over(m.low), sine_over(m.high)), high = fmax(sine_over(m.low), sine_over(m.high));
  for (double first = floor(m.low / PI), k = fmax(first, 1); k < first + 4; k++) {
    double e = turning_point(k);
    if (e < m.low * (1 - 0x1p-40) || e > m.high * (1 + 0x1p-40)) continue;
    low = fmin(low, sine_over(e)), high = fmax(high, sine_over(e));
  }
  return about(low, high);
}

static kgi_interval hyperbolic_cosine(kgi_interval x) {
  kgi_interval m = magnitudes(x);
  return about(cosh(m.low), cosh(m.high));
}

/* A row that is missing does not compile. */
static bool range_of(kgi_function1 f, kgi_interval x, kgi_interval *y) {
  switch (f) {
  case KGI_FUN_exp: return *y = about(exp(x.low), exp(x.high)), true;
  case KGI_FUN_exp2: return *y = about(exp2(x.low), exp2(x.high)), true;
  case KGI_FUN_expm1: return *y = rising(expm1, x), true;
  case KGI_FUN_log: return *y = rising(log, x), x.low >= 0;
  case KGI_FUN_log2: return *y = rising(log2, x), x.low >= 0;
  case KGI_FUN_log1p: return *y = rising(log1p, x), x.low >= -1;
  case KGI_FUN_sin: return *y = wave(sin, x, PI / 2), !isinf(x.low) && !isinf(x.high);
  case KGI_FUN_cos: return *y = wave(cos, x, 0), !isinf(x.low) && !isinf(x.high);
  case KGI_FUN_tan: return *y = tangent(x), !isinf(x.low) && !isinf(x.high);
  case KGI_FUN_sinc: return *y = sine_over_range(x), !isinf(x.low) && !isinf(x.high);
  case KGI_FUN_asin: return *y = rising(asin, x), inside(x, -1, 1);
  case KGI_FUN_acos: return *y = about_zero(acos(x.high), acos(x.low)), inside(x, -1, 1);
  case KGI_FUN_atan: return *y = rising(atan, x), true;
  case KGI_FUN_sinh: return *y = rising(sinh, x), true;
  case KGI_FUN_cosh: return *y = hyperbolic_cosine(x), true;
  case KGI_FUN_tanh: return *y = rising(tanh, x), true;
  case KGI_FUN_asinh: return *y = rising(asinh, x), true;
  case KGI_FUN_acosh: return *y = rising(acosh, x), x.low >= 1;
  case KGI_FUN_atanh: return *y = rising(atanh, x), inside(x, -1, 1);
  case KGI_FUN_erf: return *y = rising(erf, x), true;
  case KGI_FUN_erfc: return *y = about(erfc(x.high), erfc(x.low)), true;
  }
  return false;
}

/* What is too large for a double is not infinite; logarithms of 0 are. */
static kgi_interval unless_infinite(kgi_interval y) {
  if (y.low == (double)INFINITY) y.low = kgi_type_largest(KG_F64);
  if (y.high == -(double)INFINITY) y.high = -kgi_type_largest(KG_F64);
  return y;
}

bool kgi_range_of(kgi_op op, kgi_interval x, kgi_interval *y) {
  if (!range_of((kgi_function1)op, x, y)) return false;
  bool grows = op == KGI_OP_exp || op == KGI_OP_exp2 || op == KGI_OP_expm1 || op == KGI_OP_sinh || op == KGI_OP_cosh;
  bool infinite = kgi_is_point(x) && isinf(x.low);
  if (grows && !infinite) *y = unless_infinite(*y);
  return true;
}

/* ---- powers ---- */

/* A power of what is not negative is monotone in each operand on either side of 1 and of 0: corners decide. */
static kgi_interval power(kgi_interval a, kgi_interval b) {
  double at[4] = {pow(a.low, b.low), pow(a.low, b.high), pow(a.high, b.low), pow(a.high, b.high)}, low = at[0], high = at[0];
  for (int i = 1; i < 4; i++) low = fmin(low, at[i]), high = fmax(high, at[i]);
  bool whole = low == high && (low == 1 || low == 0) && (a.high == 0 || b.high == 0 || a.low == 1);
  if (whole) return kgi_point(low);
  bool infinite = a.high == 0 || isinf(a.low) || (kgi_is_point(b) && isinf(b.low));
  kgi_interval y = about(low, high);
  return infinite ? y : unless_infinite(y);
}

static bool is_odd(double b) { return fabs(fmod(b, 2)) == 1; }

static bool power_range(kgi_interval a, kgi_interval b, kgi_interval *y) {
  const double inf = (double)INFINITY;
  if (a.low >= 0) {
    *y = power(a, b);
    if (a.low == 0 && b.low <= -1 && !(kgi_is_point(b) && !is_odd(b.low))) y->low = -inf; /* of -0 */
    return true;
  }
  bool odd = kgi_is_point(b) && is_odd(b.low);
  if (isinf(a.high) && !kgi_within(b, 0) && !odd) return *y = power(magnitudes(a), b), kgi_is_point(b);
  if (!kgi_is_point(b) || trunc(b.low) != b.low) return false;
  if (!is_odd(b.low)) return *y = power(magnitudes(a), b), true;
  if (b.low < 0 && a.high >= 0) return *y = (kgi_interval){-inf, inf}, true;
  kgi_interval left = power(kgi_point(-a.low), b), right = power(kgi_point(fabs(a.high)), b);
  if (a.high >= 0) return *y = (kgi_interval){-left.high, right.high}, true;
  *y = b.low > 0 ? (kgi_interval){-left.high, -right.low} : (kgi_interval){-right.high, -left.low};
  return true;
}

/* ---- angles ---- */

/* Corners decide, but where the box meets the cut on the left, whose side the sign of a zero says. */
static kgi_interval angle(kgi_interval y, kgi_interval x) {
  if (y.low <= 0 && y.high >= 0 && x.low <= 0) return (kgi_interval){-kgi_next_up(PI), kgi_next_up(PI)};
  double at[4] = {atan2(y.low, x.low), atan2(y.low, x.high), atan2(y.high, x.low), atan2(y.high, x.high)};
  double low = at[0], high = at[0];
  for (int i = 1; i < 4; i++) low = fmin(low, at[i]), high = fmax(high, at[i]);
  bool zero = y.low == 0 && y.high == 0;
  return zero ? kgi_point(0) : about(low, high);
}

static kgi_interval distance(kgi_interval x, kgi_interval y) {
  kgi_interval a = magnitudes(x), b = magnitudes(y), far = about_zero(hypot(a.low, b.low), hypot(a.high, b.high));
  return isinf(a.high) || isinf(b.high) ? far : unless_infinite(far);
}

bool kgi_range_of_two(kgi_op op, kgi_interval x, kgi_interval y, kgi_interval *out) {
  switch ((kgi_function2)op) {
  case KGI_FUN_pow: return power_range(x, y, out);
  case KGI_FUN_atan2: return *out = angle(x, y), true;
  case KGI_FUN_hypot: return *out = distance(x, y), true;
  }
  return false;
}
