/* Whether arrays are stored to as wholes. When unsure: they are not. */
#ifndef KGI_FILLS_H
#define KGI_FILLS_H
#include "foundation/ir/program.h"

/* The store stands in a loop, or in one within another for each dimension, that reaches every element of its array and is left nowhere: the
 * outermost of them; else 0. */
uint32_t kgi_filled_by(const kgi_program *p, uint32_t store);
/* Whoever runs the block stores to every element of the array, in it, before he loads one. */
bool kgi_is_filled_first(const kgi_program *p, uint32_t object, kgi_blk block);
#endif
