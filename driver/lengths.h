/* Lengths that the host decides, of which an executable knows what they are. Inside of the front. */
#ifndef KGI_DRIVER_LENGTHS_H
#define KGI_DRIVER_LENGTHS_H
#include "foundation/host/layout.h"

/* By program and buffer: 1 + its length in all runs so far, or 0; `differ`: they have several. */
typedef struct kgi_seen_lengths { uint64_t **length; bool **differ; } kgi_seen_lengths;

/* False: no memory. */
bool kgi_seen_lengths_init(kgi_seen_lengths *seen, const kg_module *module, kgi_arena *arena);
void kgi_see_lengths(kgi_seen_lengths *seen, const kgi_run *run);
/* In a copy of the module: what is one number in all runs is declared as that number, so that indices below it are not checked. Lengths
 * made of params stay as they are; so programs serve whatever a host passes. */
void kgi_fix_lengths(const kgi_seen_lengths *seen, kg_module *copy);
#endif
