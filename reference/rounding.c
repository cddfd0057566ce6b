#include "reference/rounding.h"

#include "foundation/ir/eval.h"

double kgi_round_near(kg_type type, double x) {
  if (type == KG_F16) return (double)kgi_half_round(x);
  return type == KG_F64 ? x : (double)(float)x;
}

/* Halves lie evenly from one power of two to the next: a step is a unit there. */
static double half_below(double x) {
  if (isinf(x)) return x > 0 ? 65504 : x;
  int exponent;
  double fraction = frexp(x, &exponent), unit = ldexp(1, (exponent < -13 || x == 0 ? -13 : exponent) - 11);
  if (fraction == 0.5 && exponent > -13) unit /= 2;
  double below = x - unit;
  return below < -65504 ? -(double)INFINITY : below;
}

/* As kgi_next_down. */
static double single_below(float x) {
  int32_t bits;
  if (x == 0) return -0x1p-149;
  if (!(x > -INFINITY)) return (double)x;
  memcpy(&bits, &x, sizeof bits);
  bits += bits < 0 ? 1 : -1;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

static double below(kg_type type, double x) {
  if (type == KG_F16) return half_below(x);
  return type == KG_F64 ? kgi_next_down(x) : single_below((float)x);
}

double kgi_round_down(kg_type type, double x) {
  double y = kgi_round_near(type, x);
  return y > x ? below(type, y) : y;
}

double kgi_round_up(kg_type type, double x) { return -kgi_round_down(type, -x); }

double kgi_unit(kg_type type, double magnitude) {
  int digits = type == KG_F16 ? 11 : 24, least = type == KG_F16 ? -24 : type == KG_F32 ? -149 : -1074, exponent;
  double largest = kgi_type_largest(type);
  double fraction = frexp(magnitude > largest ? largest : magnitude, &exponent);
  exponent -= digits + (fraction == 0.5);
  return ldexp(1, magnitude == 0 || exponent < least ? least : exponent);
}

/* `near` was rounded to nearest, and the exact result is `near` plus a number of that sign. */
static kgi_interval beside(double near, double error) {
  return (kgi_interval){error < 0 ? kgi_next_down(near) : near, error > 0 ? kgi_next_up(near) : near};
}

static kgi_interval either_side(double near) { return (kgi_interval){kgi_next_down(near), kgi_next_up(near)}; }

/* Where the nearest double is infinite, though no operand was. */
static kgi_interval overflowed(double infinity) {
  double largest = copysign(kgi_type_largest(KG_F64), infinity);
  return infinity > 0 ? (kgi_interval){largest, infinity} : (kgi_interval){infinity, largest};
}

kgi_interval kgi_enclose_add(double a, double b) {
  double s = a + b;
  if (isinf(a) || isinf(b)) return kgi_point(s);
  if (isinf(s)) return overflowed(s);
  double part = s - a; /* Knuth's sum of two: the error is a double */
  return beside(s, (a - (s - part)) + (b - part));
}

kgi_interval kgi_enclose_mul(double a, double b) {
  double p = a * b;
  if (isinf(a) || isinf(b) || a == 0 || b == 0) return kgi_point(p);
  if (isinf(p)) return overflowed(p);
  return fabs(p) < 0x1p-960 ? either_side(p) : beside(p, fma(a, b, -p));
}

kgi_interval kgi_enclose_div(double a, double b) {
  double q = a / b;
  if (isinf(a) || isinf(b) || a == 0 || b == 0) return kgi_point(q);
  if (isinf(q)) return overflowed(q);
  if (fabs(q) < 0x1p-960 || fabs(a) < 0x1p-960) return either_side(q);
  double rest = fma(-q, b, a);
  return beside(q, b < 0 ? -rest : rest);
}

kgi_interval kgi_enclose_sqrt(double a) {
  double s = sqrt(a);
  if (isinf(a) || a == 0) return kgi_point(s);
  return a < 0x1p-960 ? either_side(s) : beside(s, fma(-s, s, a));
}
