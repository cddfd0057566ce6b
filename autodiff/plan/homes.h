/* What the files that look for homes share (homeless.c, vacant.c). */
#ifndef KGI_AD_HOMES_H
#define KGI_AD_HOMES_H
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"
#include "foundation/base/limits.h"

/* A buffer of floats that the program only reads. */
bool kgi_home_is_sought(const kgi_program *p, uint32_t object);
/* Made of ids and what is the same for all, and in no operation besides, which is written out again at another place. */
bool kgi_home_is_of_ids(const kgi_program *p, uint32_t value, unsigned depth);
/* `other` loads what `load` does, in the same words. */
bool kgi_home_is_same(const kgi_program *p, uint32_t load, uint32_t other);
/* No two invocations meet at an element, or these are homes together (homes.c). */
bool kgi_home_are_settled(kgi_distinct *d, const uint32_t *load, unsigned count);
/* Each index is below its extent, or the flat one below the length. */
kgi_val kgi_home_in_bounds(kgi_builder *b, kgi_obj object, kgi_val index);
/* homes.c: it reaches every element of the buffer once, or those of a front (1 + the axis of its highest digit) where nobody knows the length. */
bool kgi_home_covers(const kgi_program *p, const kgi_distinct *d, uint32_t load, uint8_t *front);
/* vacant_flat.c: the sum in the words that the builder's program has; {0}: of something else than params, constants and global ids. */
kgi_val kgi_home_sum(kgi_builder *b, const kgi_poly *f);
/* vacant_flat.c: of an index that several ids make; false: it is made otherwise. */
bool kgi_vacant_flat(kgi_builder *b, uint32_t load, kgi_ad_vacant *v);
#endif
