/* kgrad's own functions of f32: each is a function of the module, made when it is first called. Or the device's. */
#include "spirv/lower/gen.h"

/* GLSL.std.450's; 0: it has none. */
static const uint16_t native[KGI_OP_COUNT] = {
#define FUN1(name, number, native, ...) [number] = GLSLstd450##native,
#define FUN2(name, number, native, ...) [number] = GLSLstd450##native,
#include "foundation/ir/ops.def"
};

/* Reduction of arguments relies on each operation being rounded by itself, whatever the caller's arithmetic may do. */
static uint32_t make_function(const gen *g, kgi_op op) {
  kgi_emit *e = g->e;
  kgi_spv *s = g->s;
  unsigned arity = kgi_op_rows[op].arity;
  kgi_words own = {0}, *code = s->code;
  uint32_t label = s->label, x[2] = {0}, id = kgi_spv_id(s);
  uint32_t type = kgi_spv_unique(s, SpvOpTypeFunction, 0, (uint32_t[]){g->t, g->t, g->t}, arity + 1);
  bool exact = s->exact;
  s->code = &own, s->exact = true;
  KGI_STMT(s, SpvOpFunction, g->t, id, SpvFunctionControlMaskNone, type);
  for (unsigned i = 0; i < arity; i++) x[i] = kgi_spv_value(s, SpvOpFunctionParameter, g->t, NULL, 0);
  kgi_spv_label(s, kgi_spv_id(s));
  KGI_STMT(s, SpvOpReturnValue, kgi_gen_lowered(e, op, g->type, x));
  kgi_spv_into(s, s->code, SpvOpFunctionEnd, NULL, 0);
  s->code = code, s->label = label, s->exact = exact;
  kgi_words_push(s, &s->functions, own.at, own.count);
  kgi_emit_name(e, id, kgi_op_rows[op].name);
  return id;
}

uint32_t kgi_gen_math(const gen *g, kgi_op op, const uint32_t *a) {
  kgi_emit *e = g->e;
  unsigned arity = kgi_op_rows[op].arity;
  if (e->params->native_functions && native[op]) return kgi_spv_glsl(g->s, (enum GLSLstd450)native[op], g->t, a, arity);
  if (!e->function[op]) e->function[op] = make_function(g, op);
  return kgi_spv_value(g->s, SpvOpFunctionCall, g->t, (uint32_t[]){e->function[op], a[0], arity > 1 ? a[1] : 0}, 1 + arity);
}
