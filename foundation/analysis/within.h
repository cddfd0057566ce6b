/* Which accesses are in bounds in a run of which params, lengths and grid are known, whatever memory holds. */
#ifndef KGI_WITHIN_H
#define KGI_WITHIN_H
#include "foundation/analysis/ranges.h"

/* Clears within[i], by instruction, of loads, stores and atomics of which it is not proved that their element is there; others are left as
 * they are. The lengths must be known. False: no memory. */
bool kgi_within_find(kgi_arena *scratch, const kgi_program *program, const kgi_known *known, bool *within);
#endif
