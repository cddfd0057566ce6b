/* Which values are the same for all invocations of a workgroup, or of the dispatch, and which blocks they all run together. When
 * unsure: varying. The program is taken to be valid: without races, so that what is loaded at one index between two barriers
 * is one value. */
#ifndef KGI_UNIFORM_H
#define KGI_UNIFORM_H
#include "foundation/ir/builder.h"

typedef enum kgi_sameness { KGI_VARYING, KGI_SAME_IN_WORKGROUP, KGI_SAME_IN_DISPATCH } kgi_sameness;

typedef struct kgi_uniformity {
  uint8_t *value;     /* kgi_sameness of each instruction's value, among the invocations that compute it, each time they do */
  uint8_t *block;     /* of each block: who runs it together, each time */
  uint32_t *why;      /* for a value that varies: the id, load, atomic or other source that makes it so */
  uint32_t *why_block; /* for a block that is not run together: the same, of a condition, bound or jump around it */
} kgi_uniformity;

/* The arrays are the arena's, and hold for the instructions and blocks that there are now. */
kg_status kgi_uniformity_of(kgi_arena *arena, const kgi_program *program, kgi_uniformity *out);

/* Whether whoever comes to the block comes to a barrier of it as well. All of a workgroup come there, then, or none: else the program would
 * not be valid. */
bool kgi_meets_barrier(const kgi_program *program, kgi_blk block);
#endif
