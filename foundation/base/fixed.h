/* Fixed-point numbers of 64 bits before the point and 256 behind it: sign and magnitude. Integer arithmetic alone, so that every host
 * gets the same. Each operation is off by at most a few units of the last bit. Inside of foundation/ir/certain.c. */
#ifndef KGI_FIXED_H
#define KGI_FIXED_H
#include <stdbool.h>
#include <stdint.h>

enum { KGI_FIXED_LIMBS = 5, KGI_FIXED_POINT = 256 };
typedef struct kgi_fixed { uint64_t w[KGI_FIXED_LIMBS]; bool minus; } kgi_fixed; /* lowest first */

kgi_fixed kgi_fixed_int(int64_t value);
/* m 2^e, exactly; false where it does not fit. */
bool kgi_fixed_of(uint64_t m, int e, kgi_fixed *out);
bool kgi_fixed_is_zero(kgi_fixed a);
/* The position of the highest bit that is set, from the last bit; -1: none. */
int kgi_fixed_top(kgi_fixed a);
int kgi_fixed_compare(kgi_fixed a, kgi_fixed b); /* of magnitudes */
kgi_fixed kgi_fixed_neg(kgi_fixed a);
kgi_fixed kgi_fixed_add(kgi_fixed a, kgi_fixed b);
kgi_fixed kgi_fixed_sub(kgi_fixed a, kgi_fixed b);
kgi_fixed kgi_fixed_mul(kgi_fixed a, kgi_fixed b);
kgi_fixed kgi_fixed_div(kgi_fixed a, kgi_fixed b);
kgi_fixed kgi_fixed_div_small(kgi_fixed a, uint64_t b);
kgi_fixed kgi_fixed_shift(kgi_fixed a, int left); /* to the right if negative, as far as one likes */
kgi_fixed kgi_fixed_sqrt(kgi_fixed a);
/* The nearest whole number; |a| below 2^62. */
int64_t kgi_fixed_round(kgi_fixed a);
#endif
