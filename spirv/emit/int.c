/* Integers: what SPIR-V leaves undefined is defined here (DESIGN section 2), and what it has for 32 bits alone is made for 64. */
#include "spirv/lower/gen.h"

static unsigned width(const gen *g) { return kgi_type_bits(g->type); }
static uint32_t least(const gen *g) { return raw(g, UINT64_C(1) << (width(g) - 1)); }
static uint32_t ones(const gen *g) { return raw(g, UINT64_MAX >> (64 - width(g))); }
static uint32_t sign_of(const gen *g, uint32_t a) { return lt(g, a, num(g, 0)); }

/* The same values as unsigned numbers. */
static gen unsigned_of(const gen *g) { return gen_of(g->e, width(g) == 64 ? KG_U64 : KG_U32); }
static uint32_t as(const gen *to, const gen *from, uint32_t a) { return to->type == from->type ? a : bits(to, a); }

/* A divisor that cannot trap: 1 in place of 0, and of -1, where a / 1 is what a / -1 must be for the least number. */
static uint32_t safe_divisor(const gen *g, uint32_t a, uint32_t b, uint32_t *is_zero) {
  uint32_t bad = *is_zero = eq(g, b, num(g, 0));
  if (is_signed(g)) bad = either(g, bad, both(g, eq(g, b, num(g, -1)), eq(g, a, least(g))));
  return sel(g, bad, num(g, 1), b);
}

static uint32_t divide(const gen *g, uint32_t a, uint32_t b) {
  uint32_t zero, d = safe_divisor(g, a, b, &zero);
  return sel(g, zero, ones(g), quo(g, a, d));
}

/* a - (a / b) * b, because OpSRem is undefined for negative operands in Vulkan. For b = 0 the divisor 1 gives 0. */
static uint32_t remainder_of(const gen *g, uint32_t a, uint32_t b) {
  uint32_t zero, d = safe_divisor(g, a, b, &zero);
  return sel(g, zero, a, is_signed(g) ? sub(g, a, mul(g, quo(g, a, d), d)) : bin(g, SpvOpUMod, a, d));
}

static uint32_t floored(const gen *g, uint32_t a, uint32_t b) {
  uint32_t r = remainder_of(g, a, b), zero = num(g, 0);
  if (!is_signed(g)) return r;
  uint32_t apart = both(g, sign_of(g, bxor(g, r, b)), both(g, ne(g, r, zero), ne(g, b, zero)));
  return sel(g, apart, add(g, r, b), r);
}

static uint32_t amount(const gen *g, uint32_t by) { return band(g, by, num(g, width(g) - 1)); }

static uint32_t rotate(const gen *g, uint32_t a, uint32_t left, uint32_t right) {
  gen u = unsigned_of(g);
  uint32_t x = as(&u, g, a);
  return as(g, &u, bor(&u, shl(&u, x, amount(g, left)), shr(&u, x, amount(g, right))));
}

/* ---- counting bits: 32 at a time ---- */

typedef struct halves { uint32_t low, high; } halves;

static halves split(const gen *g, uint32_t a) {
  gen u = unsigned_of(g), word = gen_of(g->e, KG_U32);
  uint32_t x = as(&u, g, a);
  if (width(g) == 32) return (halves){x, 0};
  uint32_t low = widened(&word, x), high = widened(&word, shr(&u, x, num(&u, 32)));
  return (halves){low, high};
}

/* A u32 as g's type; a half over another as 64 bits. */
static uint32_t narrow_result(const gen *g, uint32_t word) {
  gen u = unsigned_of(g);
  return as(g, &u, width(g) == 64 ? widened(&u, word) : word);
}
static uint32_t join(const gen *g, halves h) {
  gen u = unsigned_of(g);
  if (width(g) == 32) return as(g, &u, h.low);
  return as(g, &u, bor(&u, widened(&u, h.low), shl(&u, widened(&u, h.high), num(&u, 32))));
}

static uint32_t popcount(const gen *g, uint32_t a) {
  gen w = gen_of(g->e, KG_U32);
  halves h = split(g, a);
  uint32_t count = KGI_VALUE(g->s, SpvOpBitCount, w.t, h.low);
  if (h.high) count = add(&w, count, KGI_VALUE(g->s, SpvOpBitCount, w.t, h.high));
  return narrow_result(g, count);
}

/* 31 - FindUMsb, which is -1 for 0 and so gives 32. */
static uint32_t clz32(const gen *w, uint32_t a) { return sub(w, num(w, 31), KGI_GLSL(w->s, FindUMsb, w->t, a)); }
static uint32_t ctz32(const gen *w, uint32_t a) {
  return sel(w, eq(w, a, num(w, 0)), num(w, 32), KGI_GLSL(w->s, FindILsb, w->t, a));
}

static uint32_t count_zeros(const gen *g, uint32_t a, bool leading) {
  gen w = gen_of(g->e, KG_U32);
  halves h = split(g, a);
  uint32_t (*count)(const gen *, uint32_t) = leading ? clz32 : ctz32;
  if (!h.high) return narrow_result(g, count(&w, h.low));
  uint32_t near = leading ? h.high : h.low, far = leading ? h.low : h.high;
  uint32_t rest = add(&w, num(&w, 32), count(&w, far));
  return narrow_result(g, sel(&w, eq(&w, near, num(&w, 0)), rest, count(&w, near)));
}

static uint32_t reverse(const gen *g, uint32_t a) {
  gen w = gen_of(g->e, KG_U32);
  halves h = split(g, a), r = {KGI_VALUE(g->s, SpvOpBitReverse, w.t, h.low), 0};
  if (h.high) r = (halves){KGI_VALUE(g->s, SpvOpBitReverse, w.t, h.high), r.low};
  return join(g, r);
}

/* ---- fields ---- */

/* Offset modulo the width, count cut to what is left, both of the operand's unsigned type. */
static void field(const gen *u, uint32_t *offset, uint32_t *count) {
  gen w = gen_of(u->e, KG_U32);
  uint32_t wide = num(&w, width(u)), start = band(&w, *offset, num(&w, width(u) - 1)), left = sub(&w, wide, start);
  uint32_t cut = sel(&w, lt(&w, *count, left), *count, left);
  *offset = width(u) == 64 ? widened(u, start) : start;
  *count = width(u) == 64 ? widened(u, cut) : cut;
}

/* Up until the field's top bit is the highest, then down again. An empty field would shift by the width. */
static uint32_t extract(const gen *g, uint32_t a, uint32_t offset, uint32_t count) {
  gen u = unsigned_of(g);
  field(&u, &offset, &count);
  uint32_t wide = num(&u, width(g)), empty = eq(&u, count, num(&u, 0));
  uint32_t safe = sel(&u, empty, num(&u, 1), count);
  uint32_t spare = sel(&u, empty, num(&u, 0), sub(&u, sub(&u, wide, offset), count));
  uint32_t top = shl(g, a, spare), down = sub(&u, wide, safe);
  return sel(g, empty, num(g, 0), is_signed(g) ? sar(g, top, down) : shr(g, top, down));
}

static uint32_t insert(const gen *g, uint32_t a, uint32_t b, uint32_t offset, uint32_t count) {
  gen u = unsigned_of(g);
  field(&u, &offset, &count);
  uint32_t empty = eq(&u, count, num(&u, 0)), safe = sel(&u, empty, num(&u, 1), count);
  uint32_t mask = sel(&u, empty, num(&u, 0), shr(&u, ones(&u), sub(&u, num(&u, width(g)), safe)));
  uint32_t x = as(&u, g, a), y = shl(&u, band(&u, as(&u, g, b), mask), offset);
  return as(g, &u, bor(&u, band(&u, x, bnot(&u, shl(&u, mask, offset))), y));
}

/* ---- products and sums that do not fit ---- */

static uint32_t extended_high(const gen *g, uint32_t a, uint32_t b) {
  uint32_t pair = kgi_spv_unique(g->s, SpvOpTypeStruct, 0, KGI_WORDS(g->t, g->t));
  return KGI_VALUE(g->s, SpvOpCompositeExtract, g->t, KGI_VALUE(g->s, SpvOpSMulExtended, pair, a, b), 1);
}

/* The signed product is the unsigned one less b where a < 0, and less a where b < 0. */
static uint32_t high(const gen *g, uint32_t a, uint32_t b) {
  gen u = unsigned_of(g);
  if (is_signed(g) && width(g) == 32 && !g->e->params->portable) return extended_high(g, a, b);
  uint32_t x = as(&u, g, a), y = as(&u, g, b), product = kgi_gen_high_product(&u, x, y);
  if (!is_signed(g)) return product;
  product = sub(&u, product, sel(&u, sign_of(g, a), y, num(&u, 0)));
  return as(g, &u, sub(&u, product, sel(&u, sign_of(g, b), x, num(&u, 0))));
}

static uint32_t saturate(const gen *g, uint32_t a, uint32_t b, bool minus) {
  uint32_t sum = minus ? sub(g, a, b) : add(g, a, b);
  if (!is_signed(g)) return minus ? sel(g, lt(g, a, b), num(g, 0), sum) : sel(g, lt(g, sum, a), ones(g), sum);
  uint32_t differs = minus ? bxor(g, a, b) : bnot(g, bxor(g, a, b));
  uint32_t over = sign_of(g, band(g, differs, bxor(g, a, sum)));
  return sel(g, over, sel(g, sign_of(g, a), least(g), bnot(g, least(g))), sum);
}

static uint32_t sign(const gen *g, uint32_t a) {
  uint32_t zero = num(g, 0), some = sel(g, eq(g, a, zero), zero, num(g, 1));
  return is_signed(g) ? sel(g, sign_of(g, a), num(g, -1), some) : some;
}

/* ---- the rows ---- */

#define ROW(name, ...) uint32_t kgi_own_##name(const gen *g, const uint32_t *a) { return __VA_ARGS__; }
ROW(int_div, divide(g, a[0], a[1]))
ROW(int_rem, remainder_of(g, a[0], a[1]))
ROW(int_mod, floored(g, a[0], a[1]))
ROW(int_abs, is_signed(g) ? sel(g, sign_of(g, a[0]), neg(g, a[0]), a[0]) : a[0])
ROW(int_abs_diff, sel(g, gt(g, a[0], a[1]), sub(g, a[0], a[1]), sub(g, a[1], a[0])))
ROW(int_sign, sign(g, a[0]))
ROW(mul_high, high(g, a[0], a[1]))
ROW(saturating_add, saturate(g, a[0], a[1], false))
ROW(saturating_sub, saturate(g, a[0], a[1], true))
ROW(shl, shl(g, a[0], amount(g, a[1])))
ROW(shr, is_signed(g) ? sar(g, a[0], amount(g, a[1])) : shr(g, a[0], amount(g, a[1])))
ROW(rotl, rotate(g, a[0], a[1], neg(g, a[1])))
ROW(rotr, rotate(g, a[0], neg(g, a[1]), a[1]))
ROW(popcount, popcount(g, a[0]))
ROW(clz, count_zeros(g, a[0], true))
ROW(ctz, count_zeros(g, a[0], false))
ROW(reverse_bits, reverse(g, a[0]))
ROW(bit_extract, extract(g, a[0], a[1], a[2]))
ROW(bit_insert, insert(g, a[0], a[1], a[2], a[3]))
