/* Polynomials over unsigned params and constants, of which it may be known that they are not below some number. */
#ifndef KGI_NATURALS_H
#define KGI_NATURALS_H
#include "foundation/analysis/linear.h"

enum { KGI_NATURALS = 8 };
typedef struct kgi_naturals {
  const kgi_scope *scope;
  struct { uint32_t atom; int64_t least; } known[KGI_NATURALS]; unsigned count;
} kgi_naturals;

/* All of the length is a multiple of the atom. */
bool kgi_divides_length(const kgi_poly *length, uint32_t atom);
/* Where something is reached in an object of that length, it is not 0, and so is no factor of all of it: T and n of T * n. */
void kgi_naturals_of_length(kgi_naturals *known, const kgi_scope *scope, const kgi_poly *length);
/* Where an unsigned loop from `from` to the word of `to` has a trip, of T - 1, say, T is not 1 either. */
void kgi_naturals_of_trip(kgi_naturals *known, const kgi_poly *from, const kgi_poly *to);
/* Whether number <= f, as integers, for all values there can be. False: it is made of something else, too. */
bool kgi_is_at_least(const kgi_naturals *known, const kgi_poly *f, int64_t number);
#endif
