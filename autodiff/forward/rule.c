/* The tangent of an operation: the sum over its operands of mulz(tangent, partial). A row that states its pullback states a linear
 * function of g, which is the pushforward as well. */
#include "autodiff/forward/jvp.h"

#include <string.h>

static const kgi_inst *inst_of(const kgi_jvp *t, uint32_t i) { return &kgi_jvp_program(t)->inst[i]; }
static unsigned type_of(const kgi_jvp *t, uint32_t value) { return inst_of(t, value)->type; }

static kgi_val value_of(void *jvp, uint32_t value) { return kgi_jvp_value(jvp, value); }

static kgi_val build(kgi_jvp *t, uint32_t i, unsigned k, const char *text, kgi_val g) {
  kgi_ad_rule rule = {t->a, t->b, value_of, t};
  return kgi_ad_by_rule(&rule, i, k, text, g);
}

static bool is_negated(const char *text) { return !strcmp(text, "=-g"); }
static bool is_partial(const char *text) { return text[0] != '=' && strcmp(text, "convert") != 0; }

static kgi_val term(kgi_jvp *t, uint32_t i, unsigned k, kgi_val g, kgi_val partial) {
  const char *text = kgi_pushforward_of(&kgi_op_rows[inst_of(t, i)->op], k);
  if (!strcmp(text, "convert")) return kgi_convert(t->b, kgi_ad_type(type_of(t, i)), g);
  if (!strcmp(text, "=g") || is_negated(text)) return g; /* the sign is that of adding */
  return text[0] == '=' ? build(t, i, k, text + 1, g) : kgi_ad_scaled(t->b, g, partial);
}

static kgi_val plus(kgi_jvp *t, kgi_val sum, kgi_val x, bool negated) {
  if (!sum.i) return negated ? kgi_op1(t->b, KGI_OP_neg, x) : x;
  return kgi_op2(t->b, negated ? KGI_OP_sub : KGI_OP_add, sum, x);
}

/* One partial serves all directions. */
static kgi_val partial_of(kgi_jvp *t, uint32_t i, unsigned k) {
  const char *text = kgi_pushforward_of(&kgi_op_rows[inst_of(t, i)->op], k);
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
