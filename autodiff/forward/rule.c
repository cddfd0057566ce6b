/* The tangent of an operation: the sum over its operands of mulz(tangent, partial). A row that states its pullback states a linear
 * function of g, which is the pushforward as well. */
#include "autodiff/forward/jvp.h"
#include "foundation/text/expr.h"

#include <math.h>
#include <string.h>

enum { Y = KGI_AD_RESULT, G, NAMES };
static const char *const names[NAMES] = {"a", "b", "c", "d", "y", "g"};

static const kgi_inst *inst_of(const kgi_jvp *t, uint32_t i) { return &kgi_jvp_program(t)->inst[i]; }
static unsigned type_of(const kgi_jvp *t, uint32_t value) { return inst_of(t, value)->type; }

/* Halves are widened, so that partials are as good as the tangents that they scale. */
static kgi_val widened(kgi_jvp *t, uint32_t value) {
  kgi_val x = kgi_jvp_value(t, value);
  unsigned type = type_of(t, value);
  return kgi_is_float(type) ? kgi_convert(t->b, kgi_ad_type(type), x) : x;
}

static kgi_val result(kgi_jvp *t, uint32_t i, const kgi_val operands[4]) {
  kgi_op op = (kgi_op)inst_of(t, i)->op;
  if (type_of(t, i) != KG_F16) return widened(t, i);
  return kgi_apply(t->b, op, operands, kgi_op_rows[op].arity);
}

static kgi_val build(kgi_jvp *t, uint32_t i, unsigned k, const char *text, kgi_val g) {
  const kgi_inst *inst = inst_of(t, i);
  kgi_val values[NAMES] = {{0}}, out = {0};
  unsigned mask = kgi_ad_partial_mask(t->a, i, k);
  for (unsigned n = 0; n < 4; n++)
    if (mask & 1u << n) values[n] = widened(t, inst->arg[n]);
  if (kgi_ad_names_in(text) & 1u << Y) values[Y] = result(t, i, values);
  values[G] = g;
  kgi_expr(t->b, text, names, values, NAMES, kgi_ad_type(type_of(t, inst->arg[k])), &out);
  return out;
}

static bool is_finite_literal(const kgi_jvp *t, kgi_val x, double *out) {
  const kgi_inst *inst = &t->b->p->inst[x.i];
  uint64_t bits = kgi_literal_bits(inst);
  uint32_t low = (uint32_t)bits;
  float narrow;
  if (inst->kind != KGI_literal) return false;
  if (inst->type == KG_F64) memcpy(out, &bits, sizeof *out);
  if (inst->type == KG_F32) memcpy(&narrow, &low, sizeof narrow), *out = narrow;
  return kgi_is_float(inst->type) && isfinite(*out);
}

/* Where a tangent is 0, the partial may be infinite: hence the strong zero, unless it cannot be. */
static kgi_val scaled(kgi_jvp *t, kgi_val g, kgi_val partial) {
  double value;
  if (!is_finite_literal(t, partial, &value)) return kgi_op2(t->b, KGI_OP_mulz, g, partial);
  if (value == 1) return g;
  if (value == -1) return kgi_op1(t->b, KGI_OP_neg, g);
  return kgi_op2(t->b, KGI_OP_mul, g, partial);
}

static bool is_negated(const char *text) { return !strcmp(text, "=-g"); }
static bool is_partial(const char *text) { return text[0] != '=' && strcmp(text, "convert") != 0; }

static kgi_val term(kgi_jvp *t, uint32_t i, unsigned k, kgi_val g, kgi_val partial) {
  const char *text = kgi_op_rows[inst_of(t, i)->op].partial[k];
  if (!strcmp(text, "convert")) return kgi_convert(t->b, kgi_ad_type(type_of(t, i)), g);
  if (!strcmp(text, "=g") || is_negated(text)) return g; /* the sign is that of adding */
  return text[0] == '=' ? build(t, i, k, text + 1, g) : scaled(t, g, partial);
}

static kgi_val plus(kgi_jvp *t, kgi_val sum, kgi_val x, bool negated) {
  if (!sum.i) return negated ? kgi_op1(t->b, KGI_OP_neg, x) : x;
  return kgi_op2(t->b, negated ? KGI_OP_sub : KGI_OP_add, sum, x);
}

/* One partial serves all directions. */
static kgi_val partial_of(kgi_jvp *t, uint32_t i, unsigned k) {
  const char *text = kgi_op_rows[inst_of(t, i)->op].partial[k];
  kgi_val *partial = &t->partial[4 * (size_t)i + k];
  if (!partial->i && is_partial(text)) *partial = build(t, i, k, text, (kgi_val){0});
  return *partial;
}

/* One choice does the work of the two that the row states, one for each arm. */
static kgi_val choice(kgi_jvp *t, uint32_t i, unsigned d) {
  const kgi_inst *inst = inst_of(t, i);
  kgi_val x = kgi_jvp_get(t, inst->arg[1], d), y = kgi_jvp_get(t, inst->arg[2], d);
  kgi_val zero = kgi_float(t->b, kgi_ad_type(inst->type), 0), condition = kgi_jvp_value(t, inst->arg[0]);
  return kgi_op3(t->b, KGI_OP_select, condition, x.i ? x : zero, y.i ? y : zero);
}

kgi_val kgi_jvp_op(kgi_jvp *t, uint32_t i, unsigned d) {
  const kgi_inst *inst = inst_of(t, i);
  kgi_val sum = {0};
  if (inst->op == KGI_OP_select) return choice(t, i, d);
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++) {
    kgi_val g = kgi_jvp_get(t, inst->arg[k], d);
    if (!g.i || !kgi_ad_flows(t->a, i, k)) continue;
    kgi_val x = term(t, i, k, g, partial_of(t, i, k));
    sum = plus(t, sum, x, is_negated(kgi_op_rows[inst->op].partial[k]));
  }
  return sum;
}
