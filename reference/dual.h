/* Partial derivatives, from the mathematics alone: what reverse mode takes from ops.def is held against these. */
#ifndef KGI_DUAL_H
#define KGI_DUAL_H
#include "foundation/program.h"

/* The derivative of a float result by each operand, at the operands x, as far as they are floats; where the design states a
 * convention (ties, abs at 0), that. False: the operation has no derivative, and a tangent must not meet it. */
bool kgi_partials(kgi_op op, const double *x, double *partial);
#endif
