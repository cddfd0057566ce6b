#include "tests/support/vulkan_precision.h"

/* A range of results, around the exact one. */
typedef kgi_interval range;
typedef struct reading { kg_type type; bool lost; } reading; /* lost: some step is outside of its domain */

static range around(double x, double error) { return (range){x - error, x + error}; }

/* n units of the larger end on both sides; a double cannot tell a power of two from what lies just behind it. */
static range units(const reading *v, range x, double n) {
  double size = fmax(fabs(x.low), fabs(x.high)), most = n * kgi_unit(v->type, size * (1 + 0x1p-50));
  return (range){x.low - most, x.high + most};
}

static range rounded(const reading *v, range x) { return (range){kgi_round_down(v->type, x.low), kgi_round_up(v->type, x.high)}; }
static range add(const reading *v, range a, range b) {
  return rounded(v, (range){kgi_enclose_add(a.low, b.low).low, kgi_enclose_add(a.high, b.high).high});
}

static range sub(const reading *v, range a, range b) { return add(v, a, (range){-b.high, -b.low}); }

static range mul(const reading *v, range a, range b) {
  double at[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return rounded(v, (range){fmin(fmin(at[0], at[1]), fmin(at[2], at[3])), fmax(fmax(at[0], at[1]), fmax(at[2], at[3]))});
}

static range quo(reading *v, range a, range b) {
  double least = v->type == KG_F16 ? 0x1p-14 : 0x1p-126, most = v->type == KG_F16 ? 0x1p14 : 0x1p126;
  double size[2] = {fmin(fabs(b.low), fabs(b.high)), fmax(fabs(b.low), fabs(b.high))};
  if ((b.low <= 0 && b.high >= 0) || size[0] < least || size[1] > most) v->lost = true;
  double at[4] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  return units(v, (range){fmin(fmin(at[0], at[1]), fmin(at[2], at[3])), fmax(fmax(at[0], at[1]), fmax(at[2], at[3]))}, 2.5);
}

static range reciprocal_root(reading *v, range a) {
  if (!(a.low > 0)) v->lost = true;
  return units(v, (range){1 / sqrt(a.high), 1 / sqrt(a.low)}, 2);
}

/* The root of a difference that cancelled may be of less than 0. */
static range root(reading *v, range a) {
  if (a.low == 0 && a.high == 0) return a;
  return quo(v, kgi_point(1), reciprocal_root(v, a));
}

static range exponential(const reading *v, double (*f)(double), range a) {
  double slope = 2 * fmax(fabs(a.low), fabs(a.high));
  return units(v, (range){f(a.low), f(a.high)}, (v->type == KG_F16 ? 1 : 3) + slope);
}

static range logarithm(reading *v, double (*f)(double), range a) {
  double absolute = v->type == KG_F16 ? 0x1p-7 : 0x1p-21;
  if (!(a.low > 0)) v->lost = true;
  range y = {f(a.low), f(a.high)};
  if (a.low >= 0.5 && a.high <= 2) return (range){y.low - absolute, y.high + absolute};
  range outer = units(v, y, 3);
  bool both = a.low <= 2 && a.high >= 0.5;
  return both ? (range){fmin(outer.low, y.low - absolute), fmax(outer.high, y.high + absolute)} : outer;
}

static range wave(reading *v, double (*f)(double), double x) {
  if (fabs(x) > 3.14159265) v->lost = true;
  return around(f(x), v->type == KG_F16 ? 0x1p-7 : 0x1p-11);
}

static range angle(const reading *v, range y, range x) {
  double at[4] = {atan2(y.low, x.low), atan2(y.low, x.high), atan2(y.high, x.low), atan2(y.high, x.high)};
  range all = {fmin(fmin(at[0], at[1]), fmin(at[2], at[3])), fmax(fmax(at[0], at[1]), fmax(at[2], at[3]))};
  return units(v, all, v->type == KG_F16 ? 5 : 4096);
}

/* "E = max(|x - Fmin|, |x - Fmax|)" to both sides of x. */
static range inherited(double x, range f) { return around(x, fmax(x - f.low, f.high - x)); }

static range formula(reading *v, kgi_op op, double a, double b, double c) {
  range x = kgi_point(a), y = kgi_point(b), one = kgi_point(1), half = kgi_point(0.5), minus = kgi_point(-a);
  range square = mul(v, x, x);
  switch ((int)op) {
  case KGI_OP_sqrt: return inherited(sqrt(a), root(v, x));
  case KGI_OP_fma: return inherited(a * b + c, add(v, mul(v, x, y), kgi_point(c)));
  case KGI_OP_pow: return inherited(pow(a, b), exponential(v, exp2, mul(v, y, logarithm(v, log2, x))));
  case KGI_OP_tan: x = wave(v, sin, a); return inherited(tan(a), quo(v, x, wave(v, cos, a)));
  case KGI_OP_asin: return inherited(asin(a), angle(v, x, root(v, sub(v, one, square))));
  case KGI_OP_acos: return inherited(acos(a), angle(v, root(v, sub(v, one, square)), x));
  case KGI_OP_sinh: x = exponential(v, exp, x); return inherited(sinh(a), mul(v, sub(v, x, exponential(v, exp, minus)), half));
  case KGI_OP_cosh: x = exponential(v, exp, x); return inherited(cosh(a), mul(v, add(v, x, exponential(v, exp, minus)), half));
  case KGI_OP_tanh: x = formula(v, KGI_OP_sinh, a, 0, 0); return inherited(tanh(a), quo(v, x, formula(v, KGI_OP_cosh, a, 0, 0)));
  case KGI_OP_asinh: return inherited(asinh(a), logarithm(v, log, add(v, x, root(v, add(v, square, one)))));
  case KGI_OP_acosh: return inherited(acosh(a), logarithm(v, log, add(v, x, root(v, sub(v, square, one)))));
  case KGI_OP_atanh:
    y = add(v, one, x);
    return inherited(atanh(a), mul(v, logarithm(v, log, quo(v, y, sub(v, one, x))), half));
  default: v->lost = true; return x; /* remainders, whose quotients may be off by any number */
  }
}

static double exact(kgi_op op, double a, double b) {
  switch ((int)op) {
  case KGI_OP_add: return a + b;
  case KGI_OP_sub: return a - b;
  case KGI_OP_mul: return a * b;
  case KGI_OP_div: return a / b;
  case KGI_OP_abs: return fabs(a);
  case KGI_OP_min: return fmin(a, b);
  case KGI_OP_max: return fmax(a, b);
  case KGI_OP_sign: return (double)(a > 0) - (double)(a < 0);
  case KGI_OP_floor: return floor(a);
  case KGI_OP_ceil: return ceil(a);
  case KGI_OP_trunc: return trunc(a);
  case KGI_OP_round: return rint(a);
  case KGI_OP_fract: return a - floor(a);
  case KGI_OP_rsqrt: return 1 / sqrt(a);
  case KGI_OP_exp: return exp(a);
  case KGI_OP_exp2: return exp2(a);
  case KGI_OP_log: return log(a);
  case KGI_OP_log2: return log2(a);
  case KGI_OP_sin: return sin(a);
  case KGI_OP_cos: return cos(a);
  case KGI_OP_atan: return atan(a);
  case KGI_OP_atan2: return atan2(a, b);
  default: return (double)NAN;
  }
}

/* Results past the largest number may be infinite, or that. */
static range with_infinity(kg_type type, range x) {
  double largest = kgi_type_largest(type);
  if (x.high > largest) x.high = (double)INFINITY, x.low = fmin(x.low, largest);
  if (x.low < -largest) x.low = -(double)INFINITY, x.high = fmax(x.high, -largest);
  return x;
}

bool kgt_vulkan_allows(kgi_op op, kg_type type, const double *x, range *out) {
  const kgi_precision *p = type == KG_F16 ? &kgi_precision_rows[op].vulkan16 : &kgi_precision_rows[op].vulkan;
  reading v = {.type = type};
  double y = exact(op, x[0], x[1]);
  range all = {y, y};
  if (op == KGI_OP_clamp) all = kgi_point(fmin(fmax(x[0], x[1]), x[2]));
  if (op == KGI_OP_atan2 && x[0] == 0 && x[1] <= 0) return false; /* by the sign of the zero */
  switch (p->kind) {
  case KGI_UNSAID: case KGI_ABSENT: return false;
  case KGI_SAME: case KGI_CORRECT: break;
  case KGI_ROUNDED: all = rounded(&v, all); break;
  case KGI_ULP:
    if (op == KGI_OP_div) all = quo(&v, kgi_point(x[0]), kgi_point(x[1]));
    else all = units(&v, all, p->ulp + p->slope * fabs(x[0]));
    break;
  case KGI_NEAR:
    if (x[0] >= p->low && x[0] <= p->high) all = around(y, ldexp(1, -(int)p->absolute));
    else if (p->ulp > 0) all = units(&v, all, p->ulp);
    else return false;
    break;
  case KGI_INHERITED: all = formula(&v, op, x[0], x[1], x[2]); break;
  }
  /* what double loses on the way is far less than a unit of the types, but not nothing */
  double slack = fmax(fabs(all.low), fabs(all.high)) * 0x1p-48;
  if (v.lost || isnan(all.low) || isnan(all.high) || isinf(slack)) return false;
  *out = with_infinity(type, (range){all.low - slack, all.high + slack});
  return true;
}
