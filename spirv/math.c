/* Functions of floats. */
#include "spirv/gen.h"

uint32_t kgi_gen_math(const gen *g, kgi_op op, const uint32_t *a) {
  if (op == KGI_OP_exp) return KGI_GLSL(g->s, Exp, g->t, a[0]);
  if (op == KGI_OP_sin) return KGI_GLSL(g->s, Sin, g->t, a[0]);
  if (op == KGI_OP_cos) return KGI_GLSL(g->s, Cos, g->t, a[0]);
  return KGI_GLSL(g->s, Log, g->t, a[0]);
}
