/* Two accesses by different invocations, t and u, at what they claim is one element: what each knows of its numbers, and what the two
 * have in common. Inside of foundation/analysis/distinct.c. */
#ifndef KGI_DISTINCT_PAIR_H
#define KGI_DISTINCT_PAIR_H
#include "foundation/analysis/distinct_facts.h"

typedef enum kgi_pair_mode { KGI_IN_INTERVAL, KGI_IN_WORKGROUP, KGI_IN_DISPATCH } kgi_pair_mode;
typedef struct kgi_pair {
  const kgi_distinct *d;
  kgi_pair_mode mode;
  unsigned locked;              /* loops around both that are in the same trip */
  const kgi_fact *facts[2];
  const kgi_poly *length;       /* of the object, or of one dimension of it; failed if not known */
  bool is_extent;               /* of one of several dimensions: at most 2^31 - 1 */
  bool no_sums;                 /* guards of sums are left out of account */
  bool apart;                   /* a contradiction: they are not at one element */
  uint8_t local, group;         /* axes along which t and u have been found to agree */
  uint8_t subgroup;             /* 1: on the lane, 2: on which subgroup of the workgroup it is */
  uint32_t agreed[KGI_MOST_distinct_digits]; /* indices of loops, and digits of numbers, that t and u have been found to agree on */
  unsigned agreed_count;
} kgi_pair;

bool kgi_is_loop_index(const kgi_pair *q, uint32_t atom);
/* Whether t and u see one number. */
bool kgi_is_common(const kgi_pair *q, uint32_t atom);
bool kgi_term_is_common(const kgi_pair *q, const kgi_term *t);
bool kgi_not_negative(const kgi_pair *q, unsigned side, uint32_t atom);

/* What the loop's index is in the first trip, as an integer that `from` is exactly; not negative. */
bool kgi_loop_begins(const kgi_pair *q, unsigned side, uint32_t loop, kgi_poly *from);
/* By how much the loop goes on, as an integer that `step` is exactly where there is a trip. There is none where a step is not at least 1, as a
 * signed number in a signed loop. */
bool kgi_loop_steps(const kgi_pair *q, unsigned side, uint32_t loop, kgi_poly *step);
/* What both bounds of the loop have in common, as base + first .. base + end; false: nothing, or it begins there. */
bool kgi_loop_base(const kgi_pair *q, uint32_t loop, kgi_poly *base, kgi_poly *first);

/* f = s * x + r. A literal goes to both by its own division. */
void kgi_poly_split(const kgi_poly *f, const kgi_term *s, kgi_poly *x, kgi_poly *r);

/* 0 <= f < s, as integers, for t (side 0) or u. */
bool kgi_fits(const kgi_pair *q, unsigned side, const kgi_poly *f, const kgi_poly *s);
/* 0 <= f < 2^32, so that its machine word is f itself. */
bool kgi_is_word(const kgi_pair *q, unsigned side, const kgi_poly *f);
/* Whether every term is a product of numbers that are not negative; the most that it can be then. */
bool kgi_is_sum(const kgi_pair *q, unsigned side, const kgi_poly *f);
bool kgi_most_of_sum(const kgi_pair *q, unsigned side, const kgi_poly *f, int64_t *most);
/* A power of two, at most 2^31, that divides the machine word of the term, or of the polynomial, for all that is known. */
int64_t kgi_term_multiple(const kgi_pair *q, unsigned side, const kgi_term *t);
/* f = m + r, where s, a power of two, divides all terms of m. A literal goes to both. */
void kgi_part_multiples(const kgi_pair *q, unsigned side, const kgi_poly *f, int64_t s, kgi_poly *m, kgi_poly *r);

/* Whether t and u agree on all digits of the number, from the lowest one on. */
bool kgi_is_known(const kgi_pair *q, uint32_t number);
/* Whether number % size tells apart what is not common in the number, which `own` becomes: from (x + c) % size with 0 <= x < size
 * on both sides, where x + c does not wrap, follows that x is equal on both sides. */
bool kgi_goes_round(const kgi_pair *q, uint32_t number, const kgi_poly *size, kgi_poly *own);
#endif
