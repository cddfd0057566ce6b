/* From a row's partial to the contribution that an operand's adjoint gets. */
#include "autodiff/emit/emit.h"
#include "foundation/text/expr.h"

#include <math.h>
#include <string.h>

enum { Y = KGI_AD_RESULT, G, NAMES };
static const char *const names[NAMES] = {"a", "b", "c", "d", "y", "g"};

static bool is_half(const kgi_emission *e, uint32_t value) { return e->p->inst[value].type == KG_F16; }

/* Halves are widened, so that partials are as good as the adjoints that they scale. */
static kgi_val widened(kgi_emission *e, uint32_t value) {
  kgi_val x = kgi_ad_leaf(e, value);
  unsigned type = e->p->inst[value].type;
  return kgi_is_float(type) ? kgi_convert(e->b, kgi_ad_type(type), x) : x;
}

static kgi_val result(kgi_emission *e, uint32_t i, const kgi_val operands[4]) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  unsigned arity = kgi_op_rows[inst->op].arity;
  if (!is_half(e, i)) return widened(e, i);
  if (arity == 1) return kgi_op1(e->b, (kgi_op)inst->op, operands[0]);
  if (arity == 2) return kgi_op2(e->b, (kgi_op)inst->op, operands[0], operands[1]);
  return kgi_op3(e->b, (kgi_op)inst->op, operands[0], operands[1], operands[2]);
}

static kgi_val build(kgi_emission *e, uint32_t i, unsigned k, const char *text, kgi_val g, kg_type type) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kgi_val values[NAMES] = {{0}}, out = {0};
  unsigned mask = kgi_ad_partial_mask(e->a, i, k);
  for (unsigned n = 0; n < 4; n++)
    if (mask & 1u << n) values[n] = widened(e, inst->arg[n]);
  if (kgi_ad_names_in(text) & 1u << Y) values[Y] = result(e, i, values);
  values[G] = g;
  kg_status status = kgi_expr(e->b, text, names, values, NAMES, type, &out);
  if (status != KG_OK) kgi_emission_fail(e, status);
  return out;
}

static bool literal_value(const kgi_emission *e, kgi_val x, double *out) {
  const kgi_inst *inst = &e->b->p->inst[x.i];
  uint64_t bits = kgi_literal_bits(inst);
  uint32_t low = (uint32_t)bits;
  float narrow;
  if (inst->kind != KGI_literal) return false;
  if (inst->type == KG_F64) memcpy(out, &bits, sizeof *out);
  if (inst->type == KG_F32) memcpy(&narrow, &low, sizeof narrow), *out = narrow;
  return kgi_is_float(inst->type) && isfinite(*out);
}

/* A branch that was not taken has g = 0, and its partial may be infinite: hence the strong zero, unless it cannot be. */
static kgi_val scaled(kgi_emission *e, kgi_val g, kgi_val partial) {
  double value;
  if (literal_value(e, g, &value) && value != 0) return kgi_op2(e->b, KGI_OP_mul, g, partial);
  if (!literal_value(e, partial, &value)) return kgi_op2(e->b, KGI_OP_mulz, g, partial);
  if (value == 1) return g;
  if (value == -1) return kgi_op1(e->b, KGI_OP_neg, g);
  return kgi_op2(e->b, KGI_OP_mul, g, partial);
}

kgi_val kgi_ad_pullback(kgi_emission *e, uint32_t i, unsigned k, kgi_val g) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  kg_type type = kgi_ad_type(e->p->inst[inst->arg[k]].type);
  const char *text = kgi_op_rows[inst->op].partial[k];
  if (!strcmp(text, "convert")) return kgi_convert(e->b, type, g);
  if (!strcmp(text, "=g")) return g;
  if (text[0] == '=') return build(e, i, k, text + 1, g, type);
  return scaled(e, g, build(e, i, k, text, g, type));
}
