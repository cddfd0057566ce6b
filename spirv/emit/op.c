/* Value operations: the spirv column of ops.def. Rows of one instruction are emitted from here, EXPR rows by expr.c, CODE rows by the
 * other files beside. */
#include "foundation/ir/fold.h"
#include "spirv/lower/gen.h"

typedef enum lowering { LOWER_CORE, LOWER_GLSL, LOWER_EXPR, LOWER_CODE } lowering;
/* A row is one number, so that the table's macros may pass it on: how, then the codes for signed, unsigned, float and bool. */
enum { CODE_BITS = 15, HOW_BITS = 4 };
#define ROW(how, s, u, f, b) \
  ((uint64_t)(how) | (uint64_t)(s) << HOW_BITS | (uint64_t)(u) << (HOW_BITS + CODE_BITS) | \
   (uint64_t)(f) << (HOW_BITS + 2 * CODE_BITS) | (uint64_t)(b) << (HOW_BITS + 3 * CODE_BITS))
#define CORE(s, u, f, b) ROW(LOWER_CORE, SpvOp##s, SpvOp##u, SpvOp##f, SpvOp##b)
#define GLSL(s, u, f) ROW(LOWER_GLSL, GLSLstd450##s, GLSLstd450##u, GLSLstd450##f, GLSLstd450Bad)
#define EXPR(text) ROW(LOWER_EXPR, 0, 0, 0, 0)
#define CODE ROW(LOWER_CODE, 0, 0, 0, 0)
static const uint64_t rows[] = {
#define OP(name, arity, rule, flags, eval, spirv, ...) spirv,
#include "foundation/ir/ops.def"
};
#undef ROW
#undef CORE
#undef GLSL
#undef EXPR
#undef CODE
#define CORE(s, u, f, b) NULL
#define GLSL(s, u, f) NULL
#define EXPR(text) text
#define CODE NULL
static const char *const expressions[] = {
#define OP(name, arity, rule, flags, eval, spirv, ...) spirv,
#include "foundation/ir/ops.def"
};
#undef CORE
#undef GLSL
#undef EXPR
#undef CODE
_Static_assert(sizeof rows / sizeof *rows == KGI_OP_COUNT, "a row for each operation");

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

static uint32_t code(const gen *g, kgi_op op, const uint32_t *a, unsigned operand) {
  const kgi_op_row *r = &kgi_op_rows[op];
  if (op == KGI_OP_stop_gradient) return a[0];
  if (op == KGI_OP_select) return sel(g, a[0], a[1], a[2]);
  if (op == KGI_OP_convert) return kgi_gen_convert(g, operand, a[0]);
  if (op == KGI_OP_bitcast) return g->type == operand ? a[0] : bits(g, a[0]);
  if (op == KGI_OP_ldexp) return kgi_gen_ldexp(g, a[0], a[1]);
  if (r->rule == KGI_RULE_PACK || r->rule == KGI_RULE_UNPACK) return kgi_gen_pack(g->e, op, a);
  if (!is_flt(g)) return kgi_gen_int(g, op, a);
  uint32_t simple = kgi_gen_float(g, op, a);
  return simple ? simple : function(g, op, a, r->arity);
}

/* f64 has no functions in GLSL.std.450, and none of kgrad's own yet. */
static bool is_missing(const kgi_emit *e, uint32_t index, kgi_op op) {
  return e->p->inst[index].type == KG_F64 && op >= KGI_OP_exp && op <= KGI_OP_erfc;
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
  unsigned arity = kgi_op_rows[op].arity;
  uint32_t opcode = rows[op] >> (HOW_BITS + column(operand) * CODE_BITS) & ((1u << CODE_BITS) - 1);
  switch ((lowering)(rows[op] & ((1u << HOW_BITS) - 1))) {
  case LOWER_CORE: return kgi_spv_value(&e->s, (SpvOp)opcode, g.t, a, arity);
  case LOWER_GLSL: return kgi_spv_glsl(&e->s, (enum GLSLstd450)opcode, g.t, a, arity);
  case LOWER_EXPR: return kgi_gen_expression(e, op, expressions[op], operand, a);
  case LOWER_CODE: return code(&g, op, a, operand);
  }
  return 0;
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
  for (unsigned i = 0; i < kgi_op_rows[op].arity; i++) a[i] = kgi_emit_value(e, inst->arg[i]);
  return kgi_gen_op(e, op, inst->type, operand, a);
}
