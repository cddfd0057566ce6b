/* Rounding in a direction: the neighbours of a number in a type, and arithmetic in double whose result is enclosed. */
#ifndef KGI_ROUNDING_H
#define KGI_ROUNDING_H
#include "foundation/ir/program.h"

#include <math.h>
#include <string.h>

/* Between `low` and `high` every number, ends included, infinities too; NaN in both: anything, NaN included. Zeros have no sign. */
typedef struct kgi_interval { double low, high; } kgi_interval;

static inline kgi_interval kgi_anything(void) { return (kgi_interval){(double)NAN, (double)NAN}; }
static inline bool kgi_is_anything(kgi_interval x) { return x.low != x.low; }
static inline kgi_interval kgi_point(double x) { return (kgi_interval){x, x}; }
static inline bool kgi_is_point(kgi_interval x) { return x.low == x.high; }
static inline bool kgi_within(kgi_interval x, double value) { return x.low <= value && value <= x.high; }

/* nextafter, which is a call, and most of what an interval would take: bits of numbers above 0 go up with them. */
static inline double kgi_next_up(double x) {
  if (!(x < (double)INFINITY)) return x;
  if (x == 0) return 0x1p-1074;
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits += bits < 0 ? -1 : 1;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline double kgi_next_down(double x) { return -kgi_next_up(-x); }

/* The largest number of a float type that is not above x, and the smallest that is not below; the nearest. */
double kgi_round_down(kg_type type, double x);
double kgi_round_up(kg_type type, double x);
double kgi_round_near(kg_type type, double x);

/* The largest finite and the smallest normal number of a float type. */
static inline double kgi_type_largest(kg_type type) { return type == KG_F16 ? 65504 : type == KG_F32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023; }
static inline double kgi_type_least_normal(kg_type type) { return type == KG_F16 ? 0x1p-14 : type == KG_F32 ? 0x1p-126 : 0x1p-1022; }

/* A unit in the last place at a magnitude, as Vulkan defines it: the smallest distance of two numbers that enclose it, at a power
 * of two thus that of the numbers below. Vulkan asks of f64 what it asks of f32: its units are those of 24 digits. */
double kgi_unit(kg_type type, double magnitude);

/* Neighbouring doubles around the exact result; a point where that is a double. Operands are not NaN, nor is the result. */
kgi_interval kgi_enclose_add(double a, double b);
kgi_interval kgi_enclose_mul(double a, double b);
kgi_interval kgi_enclose_div(double a, double b);
kgi_interval kgi_enclose_sqrt(double a);

static inline kgi_interval kgi_hull(kgi_interval a, kgi_interval b) {
  if (kgi_is_anything(a) || kgi_is_anything(b)) return kgi_anything();
  return (kgi_interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
#endif
