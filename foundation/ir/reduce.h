/* Sums, maxima and the like over a workgroup: a tree in shared memory. */
#ifndef KGI_REDUCE_H
#define KGI_REDUCE_H
#include "foundation/ir/builder.h"

typedef struct kgi_tree {
  kgi_obj shared;     /* as many elements as the workgroup has invocations */
  kgi_val lane, size; /* which invocation of how many */
  kgi_val levels;     /* {0}: any size. Else `size` is a power of two, and this its logarithm */
  const char *level, *half; /* names; "": none */
} kgi_tree;

/* Reduces one value of each invocation into element 0, where all see it: a barrier comes last. Another has to come before the shared
 * memory is stored to again. Control flow must be uniform. */
void kgi_reduce_tree(kgi_builder *b, const kgi_tree *tree, kgi_op op, kgi_val value);
#endif
