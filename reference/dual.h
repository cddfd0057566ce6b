/* Partial derivatives, from the mathematics alone: what reverse mode takes from ops.def is held against these. */
#ifndef KGI_DUAL_H
#define KGI_DUAL_H
#include "foundation/ir/program.h"

/* The derivative of a float result by each operand, at the operands x, as far as they are floats; where the design states a
 * convention (ties, abs at 0), that. False: the operation has no derivative, and a tangent must not meet it. */
bool kgi_partials(kgi_op op, const double *x, double *partial);
/* Whether there are partials almost for nothing. */
bool kgi_partials_are_cheap(kgi_op op);
/* The same for rows of `count`: x[operand][lane], partial[operand][lane], four of each. Where `wanted` is 0 partials may be
 * anything; it is not looked at for cheap ones. */
bool kgi_partials_row(kgi_op op, uint32_t count, const uint32_t *wanted, double *const *x, double *const *partial);

/* One contribution to a tangent, and to its magnitude. A factor of 0 gives 0 whatever the other is: a path that was not taken
 * contributes nothing. */
static inline double kgi_part(double partial, double tangent) { return partial == 0 || tangent == 0 ? 0 : partial * tangent; }
static inline double kgi_weight(double partial, double magnitude) { return kgi_part(partial < 0 ? -partial : partial, magnitude); }
#endif
