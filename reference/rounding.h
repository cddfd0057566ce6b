/* Rounding in a direction: the neighbours of a number in a type, and arithmetic in double whose result is enclosed. */
#ifndef KGI_ROUNDING_H
#define KGI_ROUNDING_H
#include "foundation/ir/program.h"

#include <math.h>

/* Between `low` and `high` every number, ends included, infinities too; NaN in both: anything, NaN included. Zeros have no sign. */
typedef struct kgi_interval { double low, high; } kgi_interval;

static inline kgi_interval kgi_anything(void) { return (kgi_interval){(double)NAN, (double)NAN}; }
static inline bool kgi_is_anything(kgi_interval x) { return x.low != x.low; }
static inline kgi_interval kgi_point(double x) { return (kgi_interval){x, x}; }
static inline bool kgi_is_point(kgi_interval x) { return x.low == x.high; }
static inline bool kgi_within(kgi_interval x, double value) { return x.low <= value && value <= x.high; }

static inline double kgi_next_down(double x) { return nextafter(x, -(double)INFINITY); }
static inline double kgi_next_up(double x) { return nextafter(x, (double)INFINITY); }

/* The largest number of a float type that is not above x, and the smallest that is not below; the nearest. */
double kgi_round_down(kg_type type, double x);
double kgi_round_up(kg_type type, double x);
double kgi_round_near(kg_type type, double x);

/* The largest finite and the smallest normal number of a float type. */
double kgi_type_largest(kg_type type);
double kgi_type_least_normal(kg_type type);

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
