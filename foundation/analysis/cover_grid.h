/* Whether the grid that a program states has an invocation, or a workgroup, for each of some numbers. Inside of
 * foundation/analysis/cover.c. */
#ifndef KGI_COVER_GRID_H
#define KGI_COVER_GRID_H
#include "foundation/analysis/distinct_facts.h"

/* Not negative, and the same for all invocations. */
bool kgi_is_size(const kgi_distinct *d, const kgi_poly *f);
/* One workgroup along the axis at least, where `range` is not 0. */
bool kgi_grid_has_groups(const kgi_distinct *d, unsigned axis, const kgi_poly *range);
/* Of an id along an axis, all values below `below`. */
bool kgi_grid_lets_pass_all(const kgi_distinct *d, uint32_t id, const kgi_poly *below);
/* min(rows, most) workgroups along x, and (rows + most - 1) / most along y, or more there. */
bool kgi_grid_has_rows(const kgi_distinct *d, const kgi_poly *rows, int64_t most);
/* Whether the grid has so many values of an id along its axis that weight times it comes to the length or past it, and to less than 2^32. */
bool kgi_grid_comes_past(const kgi_distinct *d, uint32_t atom, const kgi_poly *weight, const kgi_poly *length);
#endif
