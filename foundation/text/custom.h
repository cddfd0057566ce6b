/* Derivatives that a function states of itself. A formula is linear in its seeds, the cotangent of a pullback or the tangents of a
 * pushforward; what stands by a seed is a partial, which with_partial (foundation/ir/ops.def) takes. */
#ifndef KGI_CUSTOM_H
#define KGI_CUSTOM_H
#include "foundation/text/nodes.h"

enum { KGI_FN_PARAMS = 16 };

typedef enum kgi_by { KGI_BY_NOTHING, KGI_BY_ONE, KGI_BY_VALUE } kgi_by;
/* What a seed is multiplied by: nothing, the number 1, or a value, which is a place in the template. */
typedef struct kgi_coefficient { uint8_t by; uint32_t at; } kgi_coefficient;

/* The seeds are [from, from + count) of the template, and stand before what is made of them. */
typedef struct kgi_seeds {
  kgi_nodes *nodes;
  kgi_template *t;
  kgi_arena *arena;
  uint32_t from, count;
  uint8_t *shape; /* by place, up to the formula */
} kgi_seeds;

/* Whether the formula is linear in the seeds, as far as its operations tell; what is 0 is. True where memory fails. */
bool kgi_find_linear(kgi_seeds *seeds, uint32_t formula);
/* The coefficient of one of them, which is appended to the template. The formula was found to be linear last. */
kgi_coefficient kgi_coefficient_of(const kgi_seeds *seeds, uint32_t seed, uint32_t formula);

/* By param, of those that are floats. */
typedef struct kgi_stated { bool pullback, pushforward; kgi_coefficient back[KGI_FN_PARAMS], forward[KGI_FN_PARAMS]; } kgi_stated;
/* Makes them the derivative of what the template gives, in place of its own. */
void kgi_state_partials(kgi_nodes *n, kgi_template *t, const kgi_stated *stated, kgi_arena *arena);
#endif
