/* Numbers and the bits that a literal, a param or an element holds of them. */
#ifndef KGI_BITS_H
#define KGI_BITS_H
#include "foundation/ir/program.h"

/* A double as the bits of a float type, rounded to nearest even; 0 for other types. */
uint64_t kgi_float_bits(kg_type type, double value);
/* Bits of a float type as a double. */
double kgi_bits_to_double(kg_type type, uint64_t bits);
/* Bits of an integer type as a number; the upper half of u64 wraps. */
int64_t kgi_bits_to_int(kg_type type, uint64_t bits);
/* Less than, in that type; nothing is less than a NaN. */
bool kgi_bits_less(kg_type type, uint64_t a, uint64_t b);
#endif
