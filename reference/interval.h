/* What an operation of floats gives on a device, from what it is given: intervals by the table precision.def. */
#ifndef KGI_INTERVAL_H
#define KGI_INTERVAL_H
#include "reference/rounding.h"

typedef enum kgi_precision_kind {
  KGI_UNSAID, KGI_ABSENT, KGI_SAME, KGI_CORRECT, KGI_ROUNDED, KGI_ULP, KGI_NEAR, KGI_INHERITED
} kgi_precision_kind;
typedef struct kgi_precision {
  kgi_precision_kind kind;
  double ulp, slope; /* ULP: ulp + slope |x|; NEAR: outside of [low, high] */
  double absolute, low, high;
  const char *formula;
} kgi_precision;
typedef struct kgi_precision_row {
  const char *instruction, *domain;
  kgi_precision vulkan, vulkan16, ours;
} kgi_precision_row;
extern const kgi_precision_row kgi_precision_rows[]; /* by kgi_op; no instruction: not a float's */

typedef struct kgi_rules {
  bool real;  /* enclose the result in real arithmetic too */
  bool flush; /* subnormals may count as 0 */
  kg_math math; /* which instructions operations became */
} kgi_rules;

/* A float result of type `result`, from operands that are intervals; `operand` is the type of the leading one (as kgi_eval's). An
 * integer operand is the interval of its numbers. For those that give a float from floats or from integers as numbers. */
kgi_interval kgi_interval_op(const kgi_rules *rules, kgi_op op, kg_type operand, kg_type result, const kgi_interval *x);

/* A comparison or test of floats: 1, 0, or -1 where the intervals do not decide it. */
int kgi_interval_test(const kgi_rules *rules, kgi_op op, kg_type operand, const kgi_interval *x);

/* What may stand for a value of the type where it is computed with, and what a result may become. An interval that reaches into the
 * subnormals without the zero is one whose end lies there. */
static inline kgi_interval kgi_flushed(const kgi_rules *r, kg_type type, kgi_interval x) {
  if (!r->flush || !kgi_is_float(type)) return x;
  double least = kgi_type_least_normal(type);
  if (x.low > 0 && x.low < least) x.low = 0;
  if (x.high < 0 && x.high > -least) x.high = 0;
  return x;
}
/* Infinities of f16 and f64 are not promised by anything. */
kgi_interval kgi_settled(const kgi_rules *rules, kg_type type, kgi_interval x);

/* interval_math.c: the range of a function over x (and y), in real arithmetic, enclosed; false: it is not defined all over. */
bool kgi_range_of(kgi_op op, kgi_interval x, kgi_interval *out);
bool kgi_range_of_two(kgi_op op, kgi_interval x, kgi_interval y, kgi_interval *out);

/* interval_round.c: what a device may give for an exact result in [low, high], by a precision. */
kgi_interval kgi_rounded(const kgi_rules *rules, kg_type type, const kgi_precision *p, kgi_interval exact, double operand);
#endif
