/* Value operations as C expressions. */
#ifndef KGI_C_OPS_H
#define KGI_C_OPS_H
#include "c/text.h"
#include "foundation/ir/program.h"

/* How a type is carried: i32 and u32 as unsigned numbers of 32 bits, i64 and u64 likewise of 64, f16 as the float that equals it.
 * Over lanes these are kg_u32v, kg_u64v, kg_f32v, kg_f64v, and kg_mask (0 or all ones) for bool; of a value that all invocations have
 * alike uint32_t, uint64_t, float, double, bool. */
const char *kgi_c_type(unsigned type, bool lanes);

/* Writes the expression of an operation whose leading operand (the second of select, else the first) is of type `operand`, over
 * operands that are names or numbers in parentheses; `result` is read for conversions alone. It gives what the reference gives, bit by
 * bit, but for rows that are functions of floats. `lanes`: over vectors. False: there is no form over scalars, and nothing is written. */
bool kgi_c_op(kgi_c_text *text, kgi_op op, unsigned operand, unsigned result, const char *const *a, bool lanes);
#endif
