/* Elements of arrays of several dimensions. An access holds one index, as everywhere: a chain of `flat_index`, one for each index
 * that was written, from the first to the last. What the chain is made of can be read again, as long as its extents are those of the
 * object; any other value is a flat index, which counts elements in order of memory. */
#ifndef KGI_PLACE_H
#define KGI_PLACE_H
#include "foundation/ir/builder.h"

/* The extent of dimension k as a leaf: the literal, u32 param or constant that declares it, else a `len`. */
kgi_val kgi_extent_value(kgi_builder *b, kgi_obj object, unsigned k);
/* The leaf that stands for the length of an object (which 0), or of its dimension which - 1. */
kgi_val kgi_len_leaf(kgi_builder *b, kgi_obj object, uint32_t which);
/* The flat index of an element, of as many integers of any type as the object has dimensions. */
kgi_val kgi_place(kgi_builder *b, kgi_obj object, const kgi_val *index, unsigned count);

typedef struct kgi_digits {
  uint32_t value[KGI_MAX_RANK]; /* the indices, as they were written */
  uint32_t link[KGI_MAX_RANK];  /* the operations; the last gives the flat index */
} kgi_digits;
/* Whether `index` is such a chain for the object. */
bool kgi_place_read(const kgi_program *p, uint32_t object, uint32_t index, kgi_digits *out);
/* Whether such a chain asks for no other object's extents, though they be the same: it is then what a[i, j] is read as. */
bool kgi_place_is_own(const kgi_program *p, uint32_t object, const kgi_digits *place);
/* Whether an access, which may have no index, is such a chain. */
bool kgi_place_of(const kgi_program *p, uint32_t access, kgi_digits *out);
#endif
