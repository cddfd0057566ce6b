/* Which sums take a product in, rounded once or twice as the device likes: what a * b + c becomes where contraction is allowed.
 *
 * It is decided here, and not left to devices and compilers, for three reasons. What may be contracted may also be reassociated in
 * SPIR-V (NoContraction forbids both, and nothing forbids one alone). Functions of kgrad's own are made of pieces whose rounding
 * counts. And a value that is computed twice must come out the same: a sweep in reverse computes again what a maximum was taken
 * of, and looks for the one that equals it. So each sum whose operand is a product takes it in, whoever else uses that product;
 * but none does on which a comparison, a minimum or a maximum of two values that are computed may hang. */
#ifndef KGI_CONTRACTION_H
#define KGI_CONTRACTION_H
#include "foundation/ir/program.h"

typedef struct kgi_contraction {
  uint8_t *product; /* by instruction: 1 + the operand of an `add` or `sub` that is the product; 0: none is */
  bool *absorbed;   /* by instruction: a product that nobody needs but sums that take it in */
} kgi_contraction;

/* The operands of a * b + c: of those of the sum and of the product, with the sign that they have there. */
typedef struct kgi_contracted { uint32_t a, b, c; bool minus_a, minus_c; } kgi_contracted;

/* Between a product and its sum there is nothing but operations and accesses of their block. False: no memory. */
bool kgi_contraction_find(kgi_arena *arena, const kgi_program *p, kgi_contraction *out);
kgi_contracted kgi_contracted_of(const kgi_program *p, const kgi_contraction *c, uint32_t sum);
#endif
