/* Whole numbers next to a float. Those of f64 are made of floor, for Mesa's lavapipe gives others where vectors have 256 bits:
 * Trunc(2.7) is 2.7 there, and RoundEven(1.5) is 1. */
#include "spirv/lower/gen.h"

static uint32_t floored(const gen *g, uint32_t a) { return KGI_GLSL(g->s, Floor, g->t, a); }

/* The sign of a zero is that of the float, -0 among them. */
static uint32_t with_sign(const gen *g, uint32_t size, uint32_t a) {
  uint32_t zero = num(g, 0), turned = sel(g, lt(g, a, zero), neg(g, size), size);
  return sel(g, eq(g, a, zero), a, turned);
}

uint32_t kgi_own_trunc(const gen *g, const uint32_t *a) {
  if (g->type != KG_F64) return KGI_GLSL(g->s, Trunc, g->t, a[0]);
  return with_sign(g, floored(g, fabs_(g, a[0])), a[0]);
}

/* Half way between two, the even one. The difference is exact, and no number where the float is infinite. */
uint32_t kgi_own_round(const gen *g, const uint32_t *a) {
  if (g->type != KG_F64) return KGI_GLSL(g->s, RoundEven, g->t, a[0]);
  uint32_t size = fabs_(g, a[0]), below = floored(g, size), behind = sub(g, size, below), half = num(g, 0.5);
  uint32_t pairs = floored(g, mul(g, below, half)), odd = ne(g, below, add(g, pairs, pairs));
  uint32_t up = either(g, gt(g, behind, half), both(g, eq(g, behind, half), odd));
  return with_sign(g, sel(g, up, add(g, below, num(g, 1)), below), a[0]);
}
