/* The rows of ops.def for one leading type, expanded twice: to functions over lanes, then to the table of them. Included by eval.c
 * with SFX (the type's name), T, W, KEEP (what makes a result of arithmetic one of the type), TO_INT (to an integer type) and the
 * predicates IS_NUMBER, IS_INT, IS_FLOAT. */

/* GEN(function, row, arity, type of the result and of each operand, expression) */
#if IS_NUMBER
#define ROW_NUM(name, arity, eval) GEN(name, name, arity, T, T, T, T, T, KEEP(eval))
#define ROW_CMP(name, arity, eval) GEN(name, name, arity, uint32_t, T, T, T, T, eval)
#else
#define ROW_NUM(name, arity, eval)
#define ROW_CMP(name, arity, eval)
#endif
#if IS_INT
#define ROW_INT(name, arity, eval) GEN(name, name, arity, T, T, T, T, T, eval)
#define ROW_BITS(name, arity, eval) ROW_BITS_##arity(name, eval)
#define ROW_PLACE(name, arity, eval) GEN(name, name, arity, uint32_t, T, uint32_t, uint32_t, T, eval)
#define ROW_BITS_3(name, eval) GEN(name, name, 3, T, T, uint32_t, uint32_t, T, eval)
#define ROW_BITS_4(name, eval) GEN(name, name, 4, T, T, T, uint32_t, uint32_t, eval)
#else
#define ROW_INT(name, arity, eval)
#define ROW_BITS(name, arity, eval)
#define ROW_PLACE(name, arity, eval)
#endif
#if IS_FLOAT
#define ROW_LOGIC(name, arity, eval)
#define ROW_FLT(name, arity, eval) GEN(name, name, arity, T, T, T, T, T, KEEP(eval))
#define ROW_LDEXP(name, arity, eval) GEN(name, name, arity, T, T, int32_t, T, T, KEEP(eval))
#define ROW_FTEST(name, arity, eval) GEN(name, name, arity, uint32_t, T, T, T, T, eval)
#else
#define ROW_LOGIC(name, arity, eval) GEN(name, name, arity, T, T, T, T, T, eval)
#define ROW_FLT(name, arity, eval)
#define ROW_LDEXP(name, arity, eval)
#define ROW_FTEST(name, arity, eval)
#endif
#if IS_F32
#define ROW_PACK(name, arity, eval) GEN(name, name, arity, uint32_t, T, T, T, T, eval)
#else
#define ROW_PACK(name, arity, eval)
#endif
#if IS_U32
#define ROW_UNPACK(name, arity, eval) GEN(name, name, arity, float, T, T, T, T, eval)
#else
#define ROW_UNPACK(name, arity, eval)
#endif
#define ROW_SAME(name, arity, eval) GEN(name, name, arity, uint32_t, T, T, T, T, eval)
#define ROW_SELECT(name, arity, eval) GEN(name, name, arity, T, uint32_t, T, T, T, eval)
#define ROW_ANY(name, arity, eval) GEN(name, name, arity, T, T, T, T, T, eval)
/* By type of the result. */
#define ROW_CONVERT(name, arity, eval) \
  TO(bool, uint32_t, a != 0) TO(i32, int32_t, TO_INT(i32, a)) TO(u32, uint32_t, TO_INT(u32, a)) TO(i64, int64_t, TO_INT(i64, a)) \
  TO(u64, uint64_t, TO_INT(u64, a)) TO(f16, float, keep_f16((double)a)) TO(f32, float, keep_f32((float)a)) \
  TO(f64, double, keep_f64((double)a))
#define ROW_BITCAST(name, arity, eval) /* the same for all types of one size */
#define OP(name, number, arity, rule, flags, eval, spirv, ...) ROW_##rule(name, arity, eval)

#define GEN(function, row, arity, R, A, B, C, D, expression) \
  static void SUFFIXED(function)(void *restrict out, const void *const *in, size_t count) { \
    R *restrict y = out; \
    OPERANDS_##arity(A, B, C, D) \
    for (size_t i = 0; i < count; i++) { \
      LANE_##arity(A, B, C, D) \
      y[i] = expression; \
    } \
  }
#define TO(target, R, expression) GEN(to_##target, convert, 1, R, T, T, T, T, expression)
#include "foundation/ir/ops.def"
#undef GEN
#undef TO

#define OP(name, number, arity, rule, flags, eval, spirv, ...) ROW_##rule(name, arity, eval)
#define GEN(function, row, arity, R, A, B, C, D, expression) [KGI_OP_##row] = SUFFIXED(function),
#define TO(target, R, expression)
static const kgi_lanes_fn SUFFIXED(lanes)[KGI_OP_COUNT] = {
#include "foundation/ir/ops.def"
};
#undef GEN
#undef TO

static const kgi_lanes_fn SUFFIXED(conversions)[] = {
  [KG_BOOL] = SUFFIXED(to_bool), [KG_I32] = SUFFIXED(to_i32), [KG_U32] = SUFFIXED(to_u32), [KG_I64] = SUFFIXED(to_i64),
  [KG_U64] = SUFFIXED(to_u64),   [KG_F16] = SUFFIXED(to_f16), [KG_F32] = SUFFIXED(to_f32), [KG_F64] = SUFFIXED(to_f64),
};

#undef ROW_NUM
#undef ROW_CMP
#undef ROW_INT
#undef ROW_BITS
#undef ROW_PLACE
#undef ROW_BITS_3
#undef ROW_BITS_4
#undef ROW_LOGIC
#undef ROW_FLT
#undef ROW_LDEXP
#undef ROW_FTEST
#undef ROW_PACK
#undef ROW_UNPACK
#undef ROW_SAME
#undef ROW_SELECT
#undef ROW_ANY
#undef ROW_CONVERT
#undef ROW_BITCAST
#undef SFX
#undef T
#undef W
#undef KEEP
#undef TO_INT
#undef IS_NUMBER
#undef IS_INT
#undef IS_FLOAT
#undef IS_F32
#undef IS_F64
#undef IS_U32
