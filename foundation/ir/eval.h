/* The evaluation of value operations: the eval column of ops.def, expanded for every type. Folding uses it on single values, the
 * reference interpreter on arrays of lanes.
 *
 * Semantics are total: integers wrap, x / 0 is all ones and x % 0 is x, shift amounts are taken modulo the width, floats become
 * integers by saturation with NaN to 0. Floats are IEEE-754, rounded to nearest even, with subnormals. Functions of f16 and f32
 * are computed in double and rounded once; in f32 in long double, where double leaves two floats open. An operation that computes
 * a NaN gives the one quiet, positive NaN, so that results do not depend on the host; those that only move bits (select, bitcast,
 * stop_gradient) keep it as it is. */
#ifndef KGI_EVAL_H
#define KGI_EVAL_H
#include "foundation/ir/program.h"

#include <string.h>

/* A lane's value lies in a slot of 8 bytes (i64 u64 f64) or 4 (the rest): bool as a uint32_t of 0 or 1, f16 as the float that
 * equals it. */
static inline size_t kgi_slot_size(kg_type type) { return type == KG_I64 || type == KG_U64 || type == KG_F64 ? 8 : 4; }
uint64_t kgi_slot_bits(kg_type type, const void *slot);
void kgi_slot_set(kg_type type, uint64_t bits, void *slot);

/* Evaluates `count` lanes. `out` overlaps no operand. No lane traps, so masks are not needed. */
typedef void (*kgi_lanes_fn)(void *restrict out, const void *const *in, size_t count);

/* The function for an operation whose leading operand (the second of select, else the first) is of type `operand`; `result` is
 * read for conversions alone. NULL if the operation does not take that type. */
kgi_lanes_fn kgi_lanes(kgi_op op, kg_type operand, kg_type result);

/* One evaluation over bits, zero-extended; false if the operation does not take that type. */
bool kgi_eval(kgi_op op, kg_type operand, kg_type result, const uint64_t *args, uint64_t *out);

/* The type of operand i, given the leading one's. */
kg_type kgi_operand_type(kgi_op op, unsigned i, kg_type leading);

/* Narrow floats. Every NaN becomes the quiet one of its type. */
float kgi_half_round(double value); /* to the nearest f16, ties to even */
uint16_t kgi_half_encode(float half); /* of a value that is an f16 exactly */
float kgi_half_decode(uint16_t bits);

static inline uint16_t kgi_bf16_encode(float value) { /* rounds to nearest, ties to even */
  uint32_t u;
  memcpy(&u, &value, sizeof u);
  if (value != value) return 0x7FC0;
  return (uint16_t)((u + 0x7FFF + (u >> 16 & 1)) >> 16);
}
static inline float kgi_bf16_decode(uint16_t bits) {
  uint32_t u = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &u, sizeof value);
  return value;
}
#endif
