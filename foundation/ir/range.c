#include "foundation/ir/range.h"
#include "foundation/ir/number.h"

#include <stdio.h>

typedef struct bound { uint64_t bits; bool is; char text[KGI_NUMBER_TEXT]; } bound;

static bound evaluate(const kgi_scope *scope, kgi_dim dim, const kgi_dim_env *env, kg_type type) {
  bound b = {0};
  b.is = kgi_dim_eval_bits(scope, dim, env, type, &b.bits) == KGI_DIM_OK;
  if (b.is) kgi_number_text(type, b.bits, b.text);
  else snprintf(b.text, sizeof b.text, "(no %s)", kg_type_name(type));
  return b;
}

/* A NaN lies in no range. */
bool kgi_param_in_range(const kg_module *m, const kgi_scope *scope, uint32_t q, const kgi_dim_env *env, kgi_diags *diags) {
  const kgi_param *p = &scope->param[q];
  kg_type type = (kg_type)p->type;
  uint64_t bits = env->param[q - env->host];
  char is[KGI_NUMBER_TEXT];
  if (!p->ranged) return true;
  bound low = evaluate(scope, p->lo, env, type), end = evaluate(scope, p->hi, env, type);
  if (low.is && end.is && (kgi_bits_less(type, low.bits, bits) || low.bits == bits) && kgi_bits_less(type, bits, end.bits)) return true;
  if (diags)
    KGI_DIAG(diags, param_range, p->pos, kgi_string(m, p->name), kgi_number_text(type, bits, is), low.text, end.text);
  return false;
}
