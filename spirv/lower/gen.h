/* spirv/lower: a notation for arithmetic of ids, and what is made in it for several: whole numbers, upper halves of products. */
/* A notation for lowerings: arithmetic over ids of one type, so that code reads like the formula. Included by op.c and the files
 * beside it alone; hence the short names. */
#ifndef KGI_SPIRV_GEN_H
#define KGI_SPIRV_GEN_H
#include "spirv/emit.h"

typedef struct gen {
  kgi_emit *e;
  kgi_spv *s;
  unsigned type; /* kg_type of the values */
  unsigned from; /* of a lowering: that of the operand that leads */
  uint32_t t, b; /* the ids of that type and of bool */
} gen;

static inline gen gen_of(kgi_emit *e, unsigned type) {
  uint32_t t = kgi_spv_type(&e->s, type), b = kgi_spv_type(&e->s, KG_BOOL);
  return (gen){e, &e->s, type, type, t, b};
}

static inline bool is_flt(const gen *g) { return kgi_is_float(g->type); }
static inline bool is_signed(const gen *g) { return kgi_type_kind_of(g->type) == KGI_SINT; }
static inline uint32_t bin(const gen *g, SpvOp op, uint32_t a, uint32_t b) { return KGI_VALUE(g->s, op, g->t, a, b); }
static inline uint32_t test(const gen *g, SpvOp op, uint32_t a, uint32_t b) { return KGI_VALUE(g->s, op, g->b, a, b); }

/* Literals: an integer, or the float nearest to it; bits as they are. */
static inline uint32_t num(const gen *g, double value) {
  return is_flt(g) ? kgi_spv_float(g->s, g->type, value) : kgi_spv_const(g->s, g->type, (uint64_t)(int64_t)value);
}
static inline uint32_t raw(const gen *g, uint64_t bits) { return kgi_spv_const(g->s, g->type, bits); }

static inline uint32_t gen_add(const gen *g, uint32_t a, uint32_t b) { return bin(g, is_flt(g) ? SpvOpFAdd : SpvOpIAdd, a, b); }
static inline uint32_t gen_sub(const gen *g, uint32_t a, uint32_t b) { return bin(g, is_flt(g) ? SpvOpFSub : SpvOpISub, a, b); }
static inline uint32_t gen_mul(const gen *g, uint32_t a, uint32_t b) { return bin(g, is_flt(g) ? SpvOpFMul : SpvOpIMul, a, b); }
static inline uint32_t gen_quo(const gen *g, uint32_t a, uint32_t b) {
  return bin(g, is_flt(g) ? SpvOpFDiv : is_signed(g) ? SpvOpSDiv : SpvOpUDiv, a, b);
}
static inline uint32_t neg(const gen *g, uint32_t a) { return KGI_VALUE(g->s, is_flt(g) ? SpvOpFNegate : SpvOpSNegate, g->t, a); }
static inline uint32_t fabs_(const gen *g, uint32_t a) { return KGI_GLSL(g->s, FAbs, g->t, a); }

static inline uint32_t gen_lt(const gen *g, uint32_t a, uint32_t b) {
  return test(g, is_flt(g) ? SpvOpFOrdLessThan : is_signed(g) ? SpvOpSLessThan : SpvOpULessThan, a, b);
}
static inline uint32_t gen_gt(const gen *g, uint32_t a, uint32_t b) { return gen_lt(g, b, a); }
static inline uint32_t gen_eq(const gen *g, uint32_t a, uint32_t b) { return test(g, is_flt(g) ? SpvOpFOrdEqual : SpvOpIEqual, a, b); }
static inline uint32_t gen_ne(const gen *g, uint32_t a, uint32_t b) {
  return test(g, is_flt(g) ? SpvOpFUnordNotEqual : SpvOpINotEqual, a, b);
}
static inline uint32_t gen_both(const gen *g, uint32_t a, uint32_t b) { return test(g, SpvOpLogicalAnd, a, b); }
static inline uint32_t gen_either(const gen *g, uint32_t a, uint32_t b) { return test(g, SpvOpLogicalOr, a, b); }
static inline uint32_t negated(const gen *g, uint32_t a) { return KGI_VALUE(g->s, SpvOpLogicalNot, g->b, a); }
static inline uint32_t gen_sel(const gen *g, uint32_t c, uint32_t yes, uint32_t no) { return KGI_VALUE(g->s, SpvOpSelect, g->t, c, yes, no); }

static inline uint32_t gen_band(const gen *g, uint32_t a, uint32_t b) { return bin(g, SpvOpBitwiseAnd, a, b); }
static inline uint32_t gen_bor(const gen *g, uint32_t a, uint32_t b) { return bin(g, SpvOpBitwiseOr, a, b); }
static inline uint32_t gen_bxor(const gen *g, uint32_t a, uint32_t b) { return bin(g, SpvOpBitwiseXor, a, b); }
static inline uint32_t bnot(const gen *g, uint32_t a) { return KGI_VALUE(g->s, SpvOpNot, g->t, a); }
static inline uint32_t gen_shl(const gen *g, uint32_t a, uint32_t by) { return bin(g, SpvOpShiftLeftLogical, a, by); }
static inline uint32_t gen_shr(const gen *g, uint32_t a, uint32_t by) { return bin(g, SpvOpShiftRightLogical, a, by); }
static inline uint32_t gen_sar(const gen *g, uint32_t a, uint32_t by) { return bin(g, SpvOpShiftRightArithmetic, a, by); }

/* The names that formulas use. C does not say which operand is computed first, and what is made first has the smaller id; here it
 * is the last one, whatever the compiler. Operands wait in e->held, which is far larger than any formula is deep. */
static inline void hold(const gen *g, uint32_t id) { g->e->held[g->e->held_count++ % KGI_EMIT_HELD] = id; }
static inline uint32_t take(const gen *g) { return g->e->held[--g->e->held_count % KGI_EMIT_HELD]; }
static inline uint32_t apply2(const gen *g, uint32_t (*f)(const gen *, uint32_t, uint32_t)) {
  uint32_t a = take(g), b = take(g);
  return f(g, a, b);
}
static inline uint32_t apply3(const gen *g, uint32_t (*f)(const gen *, uint32_t, uint32_t, uint32_t)) {
  uint32_t a = take(g), b = take(g), c = take(g);
  return f(g, a, b, c);
}
#define KGI_GEN2(f, g, x, y) (hold(g, y), hold(g, x), apply2(g, f))
#define KGI_GEN3(f, g, x, y, z) (hold(g, z), hold(g, y), hold(g, x), apply3(g, f))
#define add(g, x, y) KGI_GEN2(gen_add, g, x, y)
#define sub(g, x, y) KGI_GEN2(gen_sub, g, x, y)
#define mul(g, x, y) KGI_GEN2(gen_mul, g, x, y)
#define quo(g, x, y) KGI_GEN2(gen_quo, g, x, y)
#define lt(g, x, y) KGI_GEN2(gen_lt, g, x, y)
#define gt(g, x, y) KGI_GEN2(gen_gt, g, x, y)
#define eq(g, x, y) KGI_GEN2(gen_eq, g, x, y)
#define ne(g, x, y) KGI_GEN2(gen_ne, g, x, y)
#define both(g, x, y) KGI_GEN2(gen_both, g, x, y)
#define either(g, x, y) KGI_GEN2(gen_either, g, x, y)
#define sel(g, c, x, y) KGI_GEN3(gen_sel, g, c, x, y)
#define band(g, x, y) KGI_GEN2(gen_band, g, x, y)
#define bor(g, x, y) KGI_GEN2(gen_bor, g, x, y)
#define bxor(g, x, y) KGI_GEN2(gen_bxor, g, x, y)
#define shl(g, x, y) KGI_GEN2(gen_shl, g, x, y)
#define shr(g, x, y) KGI_GEN2(gen_shr, g, x, y)
#define sar(g, x, y) KGI_GEN2(gen_sar, g, x, y)

/* The bits of a value as this type; its size is the same. */
static inline uint32_t bits(const gen *g, uint32_t a) { return KGI_VALUE(g->s, SpvOpBitcast, g->t, a); }
/* An unsigned number of another width as this unsigned type. */
static inline uint32_t widened(const gen *g, uint32_t a) { return KGI_VALUE(g->s, SpvOpUConvert, g->t, a); }

/* An operation over operands whose leading type is `operand`, as its row says. */
uint32_t kgi_gen_op(kgi_emit *e, kgi_op op, unsigned type, unsigned operand, const uint32_t *a);
/* A row by its own arithmetic (foundation/lower), over operands of one type. */
uint32_t kgi_gen_lowered(kgi_emit *e, kgi_op op, unsigned type, const uint32_t *a);

/* A lowering, over the operands `a`; the result's type is g's. Each that ops.def names is declared here, and is linked or is not. */
typedef uint32_t kgi_own_body(const gen *g, const uint32_t *a);
#define CORE(...)
#define GLSL(...)
#define EXPR(...)
#define FUNCTION
#define OWN(f) kgi_own_body kgi_own_##f;
#define OWN_BY(i, f) kgi_own_body kgi_own_##i; kgi_own_body kgi_own_##f;
#define OP(name, number, arity, rule, flags, eval, spirv, ...) spirv
#include "foundation/ir/ops.def"
#undef CORE
#undef GLSL
#undef EXPR
#undef FUNCTION
#undef OWN
#undef OWN_BY

/* An index of that type as a u32, and whether it is below the extent (`sure`: it is, and 0 is returned for it). `small`: the extent is
 * at most 2^31 - 1, so that a negative i32 is past it as a u32. */
uint32_t kgi_gen_index(kgi_emit *e, unsigned type, uint32_t index, uint32_t extent, bool sure, bool small, uint32_t *inside);
uint32_t kgi_gen_convert(const gen *g, unsigned from, uint32_t a);
/* The upper half of the product of two u32 or two u64. */
uint32_t kgi_gen_high_product(const gen *u, uint32_t a, uint32_t b);
uint32_t kgi_gen_math(const gen *g, kgi_op op, const uint32_t *a); /* exp and its like, f32 */
#endif
