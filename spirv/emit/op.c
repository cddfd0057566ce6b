/* Value operations: the spirv column of ops.def. Rows of one instruction are emitted from here, functions by math.c, EXPR rows by
 * lowered.c, OWN rows by the other files beside. */
#include "foundation/ir/bits.h"
#include "foundation/ir/fold.h"
#include "spirv/lower/gen.h"

#include <math.h>

typedef enum lowering { LOWER_CORE = 1, LOWER_GLSL, LOWER_EXPR, LOWER_OWN, LOWER_FUNCTION } lowering;
typedef struct row {
  lowering how;
  uint16_t code[4];             /* for signed, unsigned, float and bool */
  kgi_own_body *integer, *real; /* bools among the integers */
} row;
/* In parentheses, so that the table's macros may pass them on. */
#define CORE(s, u, f, b) (.how = LOWER_CORE, .code = {SpvOp##s, SpvOp##u, SpvOp##f, SpvOp##b})
#define GLSL(s, u, f) (.how = LOWER_GLSL, .code = {GLSLstd450##s, GLSLstd450##u, GLSLstd450##f, GLSLstd450Bad})
#define EXPR(expression) (.how = LOWER_EXPR)
#define OWN(f) (.how = LOWER_OWN, .integer = kgi_own_##f, .real = kgi_own_##f)
#define OWN_BY(i, f) (.how = LOWER_OWN, .integer = kgi_own_##i, .real = kgi_own_##f)
#define FUNCTION (.how = LOWER_FUNCTION)
#define BRACED(...) {__VA_ARGS__}
static const row rows[KGI_OP_COUNT] = {
#define OP(name, number, arity, rule, flags, eval, spirv, ...) [number] = BRACED spirv,
#include "foundation/ir/ops.def"
};

static unsigned column(unsigned type) {
  switch (kgi_type_kind_of(type)) {
  case KGI_SINT: return 0;
  case KGI_UINT: return 1;
  case KGI_FLOAT: return 2;
  case KGI_BOOL: case KGI_TYPE_NONE: break;
  }
  return 3;
}

/* f16 functions compute in f32 and are rounded once. */
static uint32_t function(const gen *g, kgi_op op, const uint32_t *a, unsigned count) {
  if (g->type != KG_F16) return kgi_gen_math(g, op, a);
  gen wide = gen_of(g->e, KG_F32);
  uint32_t operand[2] = {0};
  for (unsigned i = 0; i < count && i < 2; i++) operand[i] = KGI_VALUE(g->s, SpvOpFConvert, wide.t, a[i]);
  return KGI_VALUE(g->s, SpvOpFConvert, g->t, kgi_gen_math(&wide, op, operand));
}

/* f64 has no functions in GLSL.std.450, and none of kgrad's own yet. */
static bool is_missing(const kgi_emit *e, uint32_t index, kgi_op op) {
  return e->p->inst[index].type == KG_F64 && rows[op].how == LOWER_FUNCTION;
}

static bool has_types(kgi_emit *e, uint32_t index, unsigned type) {
  kgi_pos pos = e->p->inst_pos[index];
  if (type == KG_F16) return kgi_emit_feature(e, KG_FEATURE_FLOAT16, "f16", pos);
  if (type == KG_F64) return kgi_emit_feature(e, KG_FEATURE_FLOAT64, "f64", pos);
  if (kgi_is_int(type) && kgi_type_bits(type) == 64) return kgi_emit_feature(e, KG_FEATURE_INT64, kg_type_name((kg_type)type), pos);
  return true;
}

uint32_t kgi_gen_op(kgi_emit *e, kgi_op op, unsigned type, unsigned operand, const uint32_t *a) {
  gen g = gen_of(e, type);
  const row *r = &rows[op];
  unsigned arity = kgi_op_rows[op].arity, opcode = r->code[column(operand)];
  g.from = operand;
  switch (r->how) {
  case LOWER_CORE: return kgi_spv_value(&e->s, (SpvOp)opcode, g.t, a, arity);
  case LOWER_GLSL: return kgi_spv_glsl(&e->s, (enum GLSLstd450)opcode, g.t, a, arity);
  case LOWER_EXPR: return kgi_gen_lowered(e, op, operand, a);
  case LOWER_OWN: return kgi_is_float(operand) ? r->real(&g, a) : r->integer(&g, a);
  case LOWER_FUNCTION: return function(&g, op, a, arity);
  }
  return 0;
}

static uint32_t signed_value(const gen *g, uint32_t inst, bool minus) {
  uint32_t value = kgi_emit_value(g->e, inst);
  return minus ? neg(g, value) : value;
}

/* A product and a sum that the device may round once. NoContraction keeps it from rewriting sums of such. */
static uint32_t contracted(kgi_emit *e, uint32_t index) {
  gen g = gen_of(e, e->p->inst[index].type);
  kgi_contracted x = kgi_contracted_of(e->p, &e->contraction, index);
  uint32_t a = signed_value(&g, x.a, x.minus_a), b = kgi_emit_value(e, x.b), c = signed_value(&g, x.c, x.minus_c);
  uint32_t id = KGI_GLSL(g.s, Fma, g.t, a, b, c);
  KGI_DECORATE(g.s, id, SpvDecorationNoContraction);
  return id;
}

/* A power of a number that is known, normal, positive and not 1: the device's exponential of a multiple of the exponent. */
static bool is_exponential(const kgi_emit *e, uint32_t index, double *base) {
  const kgi_inst *inst = &e->p->inst[index];
  uint64_t bits;
  if (inst->op != KGI_OP_pow || inst->type != KG_F32 || !kgi_is_native(KGI_OP_exp2, e->params->math)) return false;
  if (!kgi_constant(e->p, inst->arg[0], &bits)) return false;
  *base = kgi_bits_to_double(KG_F32, bits);
  return kgi_is_exponential_base(*base);
}

static uint32_t exponential(kgi_emit *e, double base, uint32_t exponent) {
  gen g = gen_of(e, KG_F32);
  uint32_t scaled = mul(&g, exponent, num(&g, log2(base)));
  return kgi_gen_math(&g, KGI_OP_exp2, &scaled);
}

uint32_t kgi_emit_op(kgi_emit *e, uint32_t index) {
  const kgi_inst *inst = &e->p->inst[index];
  kgi_op op = (kgi_op)inst->op;
  uint32_t a[4] = {0};
  unsigned operand = e->p->inst[inst->arg[op == KGI_OP_select]].type;
  uint64_t bits;
  if (!has_types(e, index, inst->type) || !has_types(e, index, operand)) return 0;
  if (is_missing(e, index, op)) {
    if (kgi_constant(e->p, index, &bits)) return kgi_spv_const(&e->s, KG_F64, bits);
    KGI_DIAG(e->diags, spirv_f64, e->p->inst_pos[index], kgi_op_rows[op].name);
    return kgi_emit_refuse(e, KG_REFUSED), 0;
  }
  if (e->contraction.product && e->contraction.product[index]) return contracted(e, index);
  if (op == KGI_OP_flat_index) return kgi_emit_flat_index(e, index);
  double base;
  if (is_exponential(e, index, &base)) return exponential(e, base, kgi_emit_value(e, inst->arg[1]));
  unsigned taken = op == KGI_OP_with_partial ? 1 : kgi_op_rows[op].arity; /* see spared.c */
  for (unsigned i = 0; i < taken; i++) a[i] = kgi_emit_value(e, inst->arg[i]);
  return kgi_gen_op(e, op, inst->type, operand, a);
}
