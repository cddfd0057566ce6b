/* kgrad's own functions of f32: each is a function of the module, made when it is first called. Or the device's, by the mode. */
#include "spirv/lower/gen.h"

#define NEVER GLSLstd450Bad
#define DEFAULT(instruction) GLSLstd450##instruction
#define FAST(instruction) GLSLstd450##instruction
static const uint16_t native[KGI_OP_COUNT] = {
#define FUN1(name, number, native, ...) [number] = native,
#define FUN2(name, number, native, ...) [number] = native,
#include "foundation/ir/ops.def"
};

/* Reduction of arguments relies on each operation being rounded by itself, whatever the caller's arithmetic may do. */
static uint32_t own_body(const gen *g, kgi_op op, const uint32_t *x) {
  kgi_emit *e = g->e;
  bool outer = e->own;
  e->own = true;
  uint32_t result = kgi_gen_lowered(e, op, g->type, x);
  e->own = outer;
  return result;
}

/* The device's sine of what is left of x by whole turns, which Vulkan bounds in [-pi, pi] alone: 2 pi in two parts, the product of
 * the first with n exact up to 2^18. Up to there n may be the next one, and a turn is left; past it what is left is cut to that
 * range. */
static uint32_t turned_body(const gen *g, kgi_op op, const uint32_t *x) {
  const double turns = 0.15915494309189534;
  uint32_t n = KGI_GLSL(g->s, RoundEven, g->t, mul(g, x[0], num(g, turns)));
  uint32_t rest = sub(g, sub(g, x[0], mul(g, n, num(g, 6.28125))), mul(g, n, num(g, 0.0019353071795864769)));
  uint32_t left = KGI_GLSL(g->s, RoundEven, g->t, mul(g, rest, num(g, turns)));
  uint32_t most = num(g, 3.1415925), least = num(g, -3.1415925);
  rest = sub(g, rest, mul(g, left, num(g, 6.283185307179586)));
  rest = sel(g, gt(g, rest, most), most, sel(g, lt(g, rest, least), least, rest));
  return kgi_spv_glsl(g->s, (enum GLSLstd450)native[op], g->t, &rest, 1);
}

static bool is_turned(kgi_op op) { return op == KGI_OP_sin || op == KGI_OP_cos; }

static uint32_t make_function(const gen *g, kgi_op op, bool turned) {
  kgi_emit *e = g->e;
  kgi_spv *s = g->s;
  unsigned arity = kgi_op_rows[op].arity;
  kgi_words own = {0}, *code = s->code;
  uint32_t label = s->label, x[2] = {0}, id = kgi_spv_id(s);
  uint32_t type = kgi_spv_unique(s, SpvOpTypeFunction, 0, (uint32_t[]){g->t, g->t, g->t}, arity + 1);
  s->code = &own;
  KGI_STMT(s, SpvOpFunction, g->t, id, SpvFunctionControlMaskNone, type);
  for (unsigned i = 0; i < arity; i++) x[i] = kgi_spv_value(s, SpvOpFunctionParameter, g->t, NULL, 0);
  kgi_spv_label(s, kgi_spv_id(s));
  KGI_STMT(s, SpvOpReturnValue, turned ? turned_body(g, op, x) : own_body(g, op, x));
  kgi_spv_into(s, s->code, SpvOpFunctionEnd, NULL, 0);
  s->code = code, s->label = label;
  kgi_words_push(s, &s->functions, own.at, own.count);
  kgi_emit_name(e, id, kgi_op_rows[op].name);
  return id;
}

/* Vulkan says nothing of infinite operands, and running maxima begin with one: what is too small for a float is 0 in any case. */
static uint32_t native_call(const gen *g, kgi_op op, const uint32_t *a) {
  uint32_t y = kgi_spv_glsl(g->s, (enum GLSLstd450)native[op], g->t, a, kgi_op_rows[op].arity);
  if (op != KGI_OP_exp && op != KGI_OP_exp2) return y;
  return sel(g, lt(g, a[0], num(g, op == KGI_OP_exp ? -104 : -151)), num(g, 0), y);
}

uint32_t kgi_gen_math(const gen *g, kgi_op op, const uint32_t *a) {
  kgi_emit *e = g->e;
  unsigned arity = kgi_op_rows[op].arity;
  bool is_native = !e->own && kgi_is_native(op, e->params->math), turned = is_native && is_turned(op);
  if (is_native && !turned) return native_call(g, op, a);
  uint32_t *function = turned ? &e->turned[op] : &e->function[op];
  if (!*function) *function = make_function(g, op, turned);
  return kgi_spv_value(g->s, SpvOpFunctionCall, g->t, (uint32_t[]){*function, a[0], arity > 1 ? a[1] : 0}, 1 + arity);
}
