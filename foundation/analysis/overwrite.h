/* Whether what an access saw in memory may be overwritten later, by the same invocation or by another of its workgroup. When unsure: it
 * may. */
#ifndef KGI_OVERWRITE_H
#define KGI_OVERWRITE_H
#include "foundation/analysis/linear.h"

/* `load` and `write` access one object that lives as long as an execution of block `home`; `behind`: the write stands further down.
 * False only if the write never reaches the element after the load in that time: it is not executed then, or its index is another one.
 * `size` is the workgroup's. Indices are taken to count fewer than 2^32 - 2^16 trips of a loop. `waits`: NULL, where the same invocation
 * writes. Else, by block, whether it has a barrier of the workgroup: another invocation writes, and a barrier stands between, as it does
 * in a program without races and without barriers of memory. */
bool kgi_may_overwrite(const kgi_program *p, const kgi_poly size[3], kgi_blk home, uint32_t load, uint32_t write, bool behind,
                       const bool *waits);
#endif
