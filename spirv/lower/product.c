/* The upper half of a product. */
#include "spirv/lower/gen.h"

static uint32_t extended(const gen *u, uint32_t a, uint32_t b) {
  uint32_t pair = kgi_spv_unique(u->s, SpvOpTypeStruct, 0, KGI_WORDS(u->t, u->t));
  return KGI_VALUE(u->s, SpvOpCompositeExtract, u->t, KGI_VALUE(u->s, SpvOpUMulExtended, pair, a, b), 1);
}

/* From four products of halves, none of which overflows. */
static uint32_t by_halves(const gen *u, uint32_t a, uint32_t b) {
  unsigned half = kgi_type_bits(u->type) / 2;
  uint32_t by = num(u, half), low = raw(u, (UINT64_C(1) << half) - 1);
  uint32_t x0 = band(u, a, low), x1 = shr(u, a, by), y0 = band(u, b, low), y1 = shr(u, b, by);
  uint32_t m = add(u, mul(u, x1, y0), shr(u, mul(u, x0, y0), by));
  uint32_t n = add(u, mul(u, x0, y1), band(u, m, low));
  return add(u, add(u, mul(u, x1, y1), shr(u, m, by)), shr(u, n, by));
}

uint32_t kgi_gen_high_product(const gen *u, uint32_t a, uint32_t b) {
  return kgi_type_bits(u->type) == 64 || u->e->params->portable ? by_halves(u, a, b) : extended(u, a, b);
}
