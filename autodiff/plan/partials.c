/* The partials of a row: which values they name, those that a sweep has to get at; and what is made of them where it is emitted. */
#include "autodiff/plan/ad.h"
#include "foundation/text/expr.h"

#include <math.h>
#include <string.h>

enum { Y = KGI_AD_RESULT, G, NAMES };
static const char *const names[NAMES] = {"a", "b", "c", "d", "y", "g"};

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '.'; }

/* The one-letter names in the text; those in longer names and in numbers (1e9) do not count. */
unsigned kgi_ad_names_in(const char *text) {
  unsigned mask = 0;
  while (*text) {
    const char *from = text;
    if (!is_letter(*text) && !is_digit(*text)) {
      text++;
      continue;
    }
    while (is_letter(*text) || is_digit(*text)) text++;
    if (text - from != 1) continue;
    if (*from >= 'a' && *from <= 'd') mask |= 1u << (*from - 'a');
    if (*from == 'y') mask |= 1u << KGI_AD_RESULT;
  }
  return mask;
}

/* A half's result was rounded: a partial that names it is made of the result that the operands give in f32. */
unsigned kgi_ad_partial_mask(const kgi_ad *a, uint32_t i, const char *partial) {
  const kgi_op_row *row = &kgi_op_rows[a->f.p->inst[i].op];
  if (!strcmp(partial, "convert")) return 0;
  unsigned mask = kgi_ad_names_in(partial);
  if (mask & 1u << KGI_AD_RESULT && a->f.p->inst[i].type == KG_F16) mask = (mask & ~(1u << KGI_AD_RESULT)) | ((1u << row->arity) - 1);
  return mask;
}

static unsigned type_of(const kgi_ad_rule *r, uint32_t value) { return r->a->f.p->inst[value].type; }

/* Halves are widened, so that partials are as good as the adjoints and tangents that they scale. */
static kgi_val widened(const kgi_ad_rule *r, uint32_t value) {
  kgi_val x = r->value(r->user, value);
  unsigned type = type_of(r, value);
  return kgi_is_float(type) ? kgi_convert(r->b, kgi_ad_type(type), x) : x;
}

static kgi_val result(const kgi_ad_rule *r, uint32_t i, const kgi_val operands[4]) {
  kgi_op op = (kgi_op)r->a->f.p->inst[i].op;
  if (type_of(r, i) != KG_F16) return widened(r, i);
  return kgi_apply(r->b, op, operands, kgi_op_rows[op].arity);
}

kgi_val kgi_ad_by_rule(const kgi_ad_rule *r, uint32_t i, unsigned k, const char *text, kgi_val g) {
  const uint32_t *arg = r->a->f.p->inst[i].arg;
  kgi_val values[NAMES] = {{0}}, out = {0};
  unsigned mask = kgi_ad_partial_mask(r->a, i, text);
  for (unsigned n = 0; n < 4; n++)
    if (mask & 1u << n) values[n] = widened(r, arg[n]);
  if (kgi_ad_names_in(text) & 1u << Y) values[Y] = result(r, i, values);
  values[G] = g;
  kgi_expr(r->b, text, names, values, NAMES, kgi_ad_type(type_of(r, arg[k])), &out);
  return out;
}

static bool is_finite_literal(const kgi_builder *b, kgi_val x, double *out) {
  const kgi_inst *inst = &b->p->inst[x.i];
  uint64_t bits = kgi_literal_bits(inst);
  uint32_t low = (uint32_t)bits;
  float narrow;
  if (inst->kind != KGI_literal) return false;
  if (inst->type == KG_F64) memcpy(out, &bits, sizeof *out);
  if (inst->type == KG_F32) memcpy(&narrow, &low, sizeof narrow), *out = narrow;
  return kgi_is_float(inst->type) && isfinite(*out);
}

kgi_val kgi_ad_scaled(kgi_builder *b, kgi_val g, kgi_val partial) {
  double value;
  if (is_finite_literal(b, g, &value) && value != 0) return kgi_op2(b, KGI_OP_mul, g, partial);
  if (!is_finite_literal(b, partial, &value)) return kgi_op2(b, KGI_OP_mulz, g, partial);
  if (value == 1) return g;
  if (value == -1) return kgi_op1(b, KGI_OP_neg, g);
  return kgi_op2(b, KGI_OP_mul, g, partial);
}
