/* Whether an access is in bounds wherever it may be made: by guards, loops, the grid and the workgroup, for all contents of memory. */
#ifndef KGI_INSIDE_H
#define KGI_INSIDE_H
#include "foundation/analysis/distinct.h"

/* Whether index k of the access, of as many as it is written with, lies inside of its object by what holds in front of a loop. All that
 * the index is made of is computed there already. When unsure, the answer is no. Ids are taken to be below 2^31 where a
 * signed number is compared: no bits rest on this, but only what is counted as out of bounds. */
bool kgi_is_inside(const kgi_distinct *distinct, uint32_t access, unsigned k, uint32_t loop);
/* The same of all indices, by what holds where it stands. */
bool kgi_is_inside_here(const kgi_distinct *distinct, uint32_t access);
/* Whether 0 <= part < below, as integers, wherever the access reaches an element: of a part of its index. */
bool kgi_is_part_below(const kgi_distinct *distinct, uint32_t access, const kgi_poly *part, const kgi_poly *below);
#endif
