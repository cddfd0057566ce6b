/* Simplification of one operation: constants are evaluated where the result is exact or correctly rounded, and identities are
 * applied that preserve every bit (not x * 0, not x + 0), so that a program and its digest do not depend on a libm. */
#ifndef KGI_FOLD_H
#define KGI_FOLD_H
#include "foundation/builder.h"

/* An existing value, or a literal, that equals what `inst` would give; {0}: there is none. */
kgi_val kgi_fold(kgi_builder *b, const kgi_inst *inst);

/* A double as the bits of a float type, rounded to nearest even; 0 for other types. */
uint64_t kgi_float_bits(kg_type type, double value);
#endif
