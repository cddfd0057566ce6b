/* How large an index can be, as its own words tell, and the digits of sums that follow from it. */
#ifndef KGI_MOST_H
#define KGI_MOST_H
#include "foundation/ir/builder.h"

/* Invocations of a workgroup along an axis; 0: a constant says it. */
uint32_t kgi_literal_size(const kgi_program *p, unsigned axis);
/* 0 <= value <= *most <= INT32_MAX, of a number of 32 bits: literals, ids in a workgroup of literal size, indices of loops between literals,
 * remainders, and sums, products and quotients of such. When unsure: false. */
bool kgi_most_of(const kgi_program *p, kgi_val value, uint64_t *most);
/* Whether value = high * by + low with low < by, where neither wraps: it is a sum of that kind. */
bool kgi_digits_of_sum(const kgi_program *p, kgi_val value, uint64_t by, kgi_val *high, kgi_val *low);
#endif
