/* Primitives against their formulas in double. A row of a table is a primitive, its parameters, what its inputs hold, and the formula.
 * What the row does not say is found out from the module: buffers, lengths, types. */
#ifndef TESTS_PRIMITIVES_ORACLE_H
#define TESTS_PRIMITIVES_ORACLE_H
#include "tests/support/kgtest.h"

typedef struct kgt_case kgt_case;

typedef struct kgt_oracle {
  const char *primitive;
  const char *params; /* "rows=3,cols=5"; those of the program too, as in "n_rows=0", which is a size of 0 */
  const char *fill;   /* "x=-6..6,scale=0.5..2": where the values of an input lie; "x=1|2|2|nan": what they are, over and over. Others:
                         -1..1; whole numbers 0..2, or the range that they are declared with */
  void (*formula)(kgt_case *c); /* NULL: an assert of the primitive fails */
  double tolerance; /* in units of 2^-24 of each element's magnitude */
} kgt_oracle;

/* For formulas. A parameter of the primitive, given or by default; how many elements a buffer has. */
size_t kgt_size(const kgt_case *c, const char *param);
double kgt_real(const kgt_case *c, const char *param);
size_t kgt_count(const kgt_case *c, const char *buffer);
/* What a buffer held on entry. */
const float *kgt_floats(const kgt_case *c, const char *buffer);
const uint32_t *kgt_wholes(const kgt_case *c, const char *buffer);
double kgi_ask_element(const kgt_case *c, const char *buffer, size_t index); /* of any type */
/* The array that the formula fills for an output, which begins as NaN. Every output must be asked for, and each element that has a value.
 * Infinities and NaN are expected as they are, whole numbers are exact. */
double *kgt_want(kgt_case *c, const char *buffer);
/* What bounds the rounding of each element, for instance the sum of absolute terms; it begins as 0, and the magnitude that counts is this
 * and |wanted| together. */
double *kgt_magnitude(kgt_case *c, const char *buffer);
/* The elements are not looked at: the formula has judged them itself, by kgt_got. */
void kgt_judged(kgt_case *c, const char *buffer);
const float *kgt_got(const kgt_case *c, const char *buffer);

/* Runs a row: the reference under its checks, or a device. */
void kgt_oracle_run(const char *device, const kgt_oracle *row);

/* Every table, by family: each has a file in tests/primitives/oracles. */
#define FAMILY(name) extern const kgt_oracle kgt_oracles_##name[]; extern const size_t kgt_oracles_##name##_count;
#include "tests/primitives/oracles/families.def"
#undef FAMILY
#define KGT_ORACLES(family, rows) const size_t kgt_oracles_##family##_count = KGT_COUNT(rows)
#endif
