/* Where vars are stored to, and what was certainly stored to before a loop. When unsure: it is not. */
#ifndef KGI_SET_BEFORE_H
#define KGI_SET_BEFORE_H
#include "foundation/ir/program.h"

/* By object a row of places in the text, from the first on, of stores and of the declaration. */
typedef struct kgi_stores {
  uint32_t *place, *last; /* by instruction: its place, and the last one in it */
  uint32_t *row, *inst, *begin;
} kgi_stores;

/* False: no memory. */
bool kgi_stores_find(const kgi_program *p, kgi_arena *scratch, kgi_stores *out);
bool kgi_is_stored_in(const kgi_stores *s, uint32_t object, uint32_t loop);
/* What the load of a var takes was stored in front of the loop around it, whether or not there is a trip: a load there does not read what
 * was never written. */
bool kgi_is_set_before(const kgi_program *p, const kgi_stores *s, uint32_t load, uint32_t loop);
/* All runs of the program bind the buffer to one that holds what the host gives, or what was stored over it. */
bool kgi_is_given(const kg_module *m, const kgi_program *p, uint32_t buffer);
#endif
