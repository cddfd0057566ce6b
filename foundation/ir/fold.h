/* Simplification of one operation: constants are evaluated where the result is exact or correctly rounded (of functions, those of f64
 * where that is certain: foundation/ir/certain.h), and identities are applied that preserve every bit (not x * 0, not x + 0 of floats), so that a program and its digest do not depend on a libm.
 *
 * Two liberties, both of which evaluation leaves open: which NaN, where the result is one; and the sign of the zero that mulz
 * gives where its first factor is zero. */
#ifndef KGI_FOLD_H
#define KGI_FOLD_H
#include "foundation/ir/builder.h"

/* A value that equals what `inst`, an operation whose operands are in place, would give: an operand, a literal, an operand of an
 * operand, or a cheaper operation over these, emitted at the builder's cursor. {0}: there is none. */
kgi_val kgi_fold(kgi_builder *b, const kgi_inst *inst);
/* The bits of a value that is made of literals alone, by operations that fold. */
bool kgi_constant(const kgi_program *p, uint32_t value, uint64_t *out);
#endif
