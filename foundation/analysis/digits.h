/* Numbers taken apart by division: i / 32 and i % 32 are the digits of i, and so are i / (h * w), i / w % h and i % w.
 * Whoever knows all of them knows i. */
#ifndef KGI_DIGITS_H
#define KGI_DIGITS_H
#include "foundation/analysis/linear.h"

/* floor(of / weight), and modulo `size` unless it is the top digit; it is the lowest digit, or the top one, of `near`. All are
 * u32, or all i32, of which the quotient is rounded toward 0 and the remainder has the number's sign. The polynomials are what the divisors
 * are modulo 2^32: that they are not 0 and do not wrap is the caller's to see to. */
typedef struct kgi_digit {
  uint32_t of, near;
  bool top;
  kgi_poly weight, size;
} kgi_digit;

/* False: the value is none. */
bool kgi_digit_of(const kgi_program *p, uint32_t value, const kgi_poly size[3], kgi_digit *out);

/* The same of an atom, as which digits of digits are read: i / 12 / 4 % 5 is one of i. It is, where no divisor is 0 or wraps. */
typedef struct kgi_base_digit {
  uint32_t base;
  bool top;
  kgi_poly weight, size;
} kgi_base_digit;
bool kgi_digit_of_base(const kgi_program *p, uint32_t value, const kgi_poly size[3], kgi_base_digit *out);
/* Of a number that has `range` values, a multiple of what its digits up to this one come to: that is `above`, and `values` are the digit's. */
bool kgi_digit_values(const kgi_base_digit *g, const kgi_poly *range, kgi_poly *above, kgi_poly *values);

/* Of local_id, a digit of which what it comes to divides the workgroup's size along the axis, is one of global_id: workgroups begin at
 * multiples of their size, and global_id does not wrap. Its top digit ends where the size does, so that it is no top digit there. */
bool kgi_digit_in_global(const kgi_poly size[3], uint32_t base, bool top, const kgi_poly *weight, kgi_poly *values);
#endif
