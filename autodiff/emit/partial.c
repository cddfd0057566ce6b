/* From a row's partial to the contribution that an operand's adjoint gets. */
#include "autodiff/emit/emit.h"

#include <string.h>

static kgi_val leaf(void *emission, uint32_t value) { return kgi_ad_leaf(emission, value); }

kgi_val kgi_ad_pullback(kgi_emission *e, uint32_t i, unsigned k, kgi_val g) {
  const kgi_inst *inst = kgi_ad_inst(e->a, i);
  const char *text = kgi_op_rows[inst->op].partial[k];
  kgi_ad_rule rule = {e->a, e->b, leaf, e};
  if (!strcmp(text, "convert")) return kgi_convert(e->b, kgi_ad_type(e->p->inst[inst->arg[k]].type), g);
  if (!strcmp(text, "=g")) return g;
  if (text[0] == '=') return kgi_ad_by_rule(&rule, i, k, text + 1, g);
  kgi_val partial = kgi_ad_by_rule(&rule, i, k, text, g);
  return kgi_ad_scaled(e->b, g, partial);
}
