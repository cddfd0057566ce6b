/* Floats: arithmetic beyond one instruction, conversions, packed words. */
#include "spirv/lower/gen.h"

static uint32_t glsl1(const gen *g, enum GLSLstd450 f, uint32_t a) { return kgi_spv_glsl(g->s, f, g->t, &a, 1); }
static uint32_t is_nan(const gen *g, uint32_t a) { return ne(g, a, a); }
static uint32_t infinity(const gen *g) { return num(g, (double)__builtin_inf()); }

/* ---- remainders in f64, while the quotient fits what a division is sure of; those of f32 are functions (remainder.c) ---- */

/* A float cut in two halves whose products are exact (Veltkamp). */
static void cut(const gen *g, uint32_t a, uint32_t *high, uint32_t *low) {
  uint32_t big = mul(g, a, num(g, 134217729.0));
  *high = sub(g, big, sub(g, big, a));
  *low = sub(g, a, *high);
}

/* a - q * b without the rounding of the product (Dekker): exact while the quotient fits a float's significand. */
static uint32_t less_product(const gen *g, uint32_t a, uint32_t q, uint32_t b) {
  uint32_t qh, ql, bh, bl, product = mul(g, q, b);
  cut(g, q, &qh, &ql);
  cut(g, b, &bh, &bl);
  uint32_t error = add(g, add(g, add(g, sub(g, mul(g, qh, bh), product), mul(g, qh, bl)), mul(g, ql, bh)), mul(g, ql, bl));
  return sub(g, sub(g, a, product), error);
}

/* The quotient may have been rounded up, or the division off by a little: then the rest has the wrong sign, or is too large. The
 * rest has a's sign. A quotient past the significand leaves nothing that could be told, and gives 0. */
static uint32_t truncated(const gen *g, uint32_t a, uint32_t b) {
  uint32_t x = glsl1(g, GLSLstd450FAbs, a), y = glsl1(g, GLSLstd450FAbs, b), zero = num(g, 0);
  uint32_t quotient = quo(g, x, y), q = kgi_own_trunc(g, &quotient), r = less_product(g, x, q, y);
  r = sel(g, lt(g, r, zero), add(g, r, y), r);
  r = sel(g, lt(g, r, y), r, sub(g, r, y));
  r = sel(g, lt(g, q, num(g, 0x1p52)), r, zero);
  r = sel(g, lt(g, x, y), x, r);
  uint32_t wrong = either(g, eq(g, y, zero), negated(g, lt(g, x, infinity(g))));
  r = sel(g, either(g, wrong, is_nan(g, b)), num(g, (double)__builtin_nan("")), r);
  return sel(g, lt(g, a, zero), neg(g, r), r);
}

/* Floored: the result has the divisor's sign. */
static uint32_t floored(const gen *g, uint32_t a, uint32_t b) {
  uint32_t r = truncated(g, a, b), zero = num(g, 0), below = lt(g, b, zero);
  uint32_t apart = test(g, SpvOpLogicalNotEqual, lt(g, r, zero), below);
  uint32_t none = sel(g, below, num(g, -0.0), zero);
  return sel(g, eq(g, r, zero), none, sel(g, apart, add(g, r, b), r));
}

static uint32_t sign(const gen *g, uint32_t a) {
  uint32_t zero = num(g, 0);
  return sel(g, gt(g, a, zero), num(g, 1), sel(g, lt(g, a, zero), num(g, -1), a));
}

/* In a half, products and the pieces of exact ones overflow: these compute in f32 and round once. */
static uint32_t in_f32(const gen *g, kgi_own_body *body, const uint32_t *a, unsigned count) {
  gen f = gen_of(g->e, KG_F32);
  uint32_t x[3] = {0};
  for (unsigned i = 0; i < count; i++) x[i] = KGI_VALUE(g->s, SpvOpFConvert, f.t, a[i]);
  return KGI_VALUE(g->s, SpvOpFConvert, g->t, body(&f, x));
}

#define ROW(name, ...) uint32_t kgi_own_##name(const gen *g, const uint32_t *a) { return __VA_ARGS__; }
ROW(float_div, quo(g, a[0], a[1]))
ROW(float_abs, glsl1(g, GLSLstd450FAbs, a[0]))
ROW(float_abs_diff, glsl1(g, GLSLstd450FAbs, sub(g, a[0], a[1])))
ROW(float_sign, sign(g, a[0]))
ROW(operand, ((void)g, a[0]))
ROW(select, sel(g, a[0], a[1], a[2]))

uint32_t kgi_own_float_rem(const gen *g, const uint32_t *a) {
  if (g->type == KG_F16) return in_f32(g, kgi_own_float_rem, a, 2);
  return g->type == KG_F32 ? kgi_gen_math(g, KGI_OP_rem, a) : truncated(g, a[0], a[1]);
}

uint32_t kgi_own_float_mod(const gen *g, const uint32_t *a) {
  if (g->type == KG_F16) return in_f32(g, kgi_own_float_mod, a, 2);
  return g->type == KG_F32 ? kgi_gen_math(g, KGI_OP_mod, a) : floored(g, a[0], a[1]);
}

uint32_t kgi_own_fma(const gen *g, const uint32_t *a) {
  if (g->type == KG_F16) return in_f32(g, kgi_own_fma, a, 3);
  return KGI_GLSL(g->s, Fma, g->t, a[0], a[1], a[2]);
}

/* ---- conversions ---- */

static uint32_t from_bool(const gen *g, uint32_t a) {
  return g->type == KG_BOOL ? a : sel(g, a, num(g, 1), num(g, 0));
}

/* Without OpSConvert: Mesa, up to 22.3 at least, takes any i32 that is widened so for greater than any literal that it is compared
 * with, though a literal that fits i32. */
static uint32_t extend_sign(const gen *g, uint32_t a) {
  gen narrow = gen_of(g->e, KG_U32), wide = gen_of(g->e, KG_U64);
  uint32_t shifted = add(&narrow, bits(&narrow, a), num(&narrow, 0x1p31));
  return bits(g, sub(&wide, KGI_VALUE(g->s, SpvOpUConvert, wide.t, shifted), num(&wide, 0x1p31)));
}

static uint32_t int_to_int(const gen *g, unsigned from, uint32_t a) {
  bool sign = kgi_type_kind_of(from) == KGI_SINT, wide = kgi_type_bits(g->type) == 64;
  if (kgi_type_bits(from) == kgi_type_bits(g->type)) return bits(g, a);
  if (sign && wide) return extend_sign(g, a);
  gen same_sign = gen_of(g->e, sign ? (wide ? KG_I64 : KG_I32) : (wide ? KG_U64 : KG_U32));
  uint32_t sized = KGI_VALUE(g->s, sign ? SpvOpSConvert : SpvOpUConvert, same_sign.t, a);
  return same_sign.type == g->type ? sized : bits(g, sized);
}

/* Saturating, NaN to 0: the conversion itself sees only what fits. */
static uint32_t float_to_int(const gen *g, unsigned from, uint32_t a) {
  gen f = gen_of(g->e, from);
  if (from == KG_F16) {
    f = gen_of(g->e, KG_F32);
    a = KGI_VALUE(g->s, SpvOpFConvert, f.t, a);
  }
  unsigned width = kgi_type_bits(g->type) - is_signed(g);
  uint32_t past = num(&f, width == 31 ? 0x1p31 : width == 32 ? 0x1p32 : width == 63 ? 0x1p63 : 0x1p64);
  uint32_t low = is_signed(g) ? neg(&f, past) : num(&f, 0);
  uint32_t above = KGI_VALUE(g->s, SpvOpFOrdGreaterThanEqual, f.b, a, past);
  uint32_t fits = both(&f, KGI_VALUE(g->s, SpvOpFOrdGreaterThanEqual, f.b, a, low), lt(&f, a, past));
  uint32_t safe = sel(&f, fits, a, num(&f, 0));
  uint32_t result = KGI_VALUE(g->s, is_signed(g) ? SpvOpConvertFToS : SpvOpConvertFToU, g->t, safe);
  result = sel(g, above, raw(g, UINT64_MAX >> (64 - width)), result);
  return is_signed(g) ? sel(g, lt(&f, a, low), raw(g, UINT64_C(1) << width), result) : result;
}

static uint32_t int_to_float(const gen *g, unsigned from, uint32_t a) {
  SpvOp op = kgi_type_kind_of(from) == KGI_SINT ? SpvOpConvertSToF : SpvOpConvertUToF;
  if (g->type != KG_F16) return KGI_VALUE(g->s, op, g->t, a);
  uint32_t wide = KGI_VALUE(g->s, op, kgi_spv_type(g->s, KG_F32), a);
  return KGI_VALUE(g->s, SpvOpFConvert, g->t, wide);
}

uint32_t kgi_gen_convert(const gen *g, unsigned from, uint32_t a) {
  if (g->type == from) return a;
  if (from == KG_BOOL) return from_bool(g, a);
  if (g->type == KG_BOOL) {
    gen f = gen_of(g->e, from);
    return ne(&f, a, num(&f, 0));
  }
  if (is_flt(g)) return kgi_is_float(from) ? KGI_VALUE(g->s, SpvOpFConvert, g->t, a) : int_to_float(g, from, a);
  return kgi_is_float(from) ? float_to_int(g, from, a) : int_to_int(g, from, a);
}

ROW(convert, kgi_gen_convert(g, g->from, a[0]))
ROW(bitcast, g->type == g->from ? a[0] : bits(g, a[0]))

/* ---- scaling by a power of two ---- */

static uint32_t power_of_two(const gen *g, const gen *i, uint32_t n) {
  bool wide = g->type == KG_F64;
  uint32_t biased = add(i, n, num(i, wide ? 1023 : 127));
  if (!wide) return bits(g, shl(i, biased, num(i, 23)));
  gen l = gen_of(g->e, KG_I64);
  return bits(g, shl(&l, KGI_VALUE(g->s, SpvOpSConvert, l.t, biased), num(&l, 52)));
}

/* Twice at most the largest or smallest power, then the rest. Downward the first steps leave the significand's width above the
 * subnormals, so that only the last one rounds. */
static uint32_t scale(const gen *g, uint32_t a, uint32_t n) {
  if (g->type == KG_F16) {
    gen f = gen_of(g->e, KG_F32);
    return KGI_VALUE(g->s, SpvOpFConvert, g->t, scale(&f, KGI_VALUE(g->s, SpvOpFConvert, f.t, a), n));
  }
  gen i = gen_of(g->e, KG_I32);
  int up = g->type == KG_F64 ? 1023 : 127, down = g->type == KG_F64 ? 1022 - 53 : 126 - 24, least = g->type == KG_F64 ? -1022 : -126;
  for (int step = 0; step < 2; step++) {
    uint32_t high = gt(&i, n, num(&i, up)), low = lt(&i, n, num(&i, least));
    uint32_t by = sel(&i, high, num(&i, up), sel(&i, low, num(&i, -down), num(&i, 0)));
    a = mul(g, a, power_of_two(g, &i, by));
    /* far outside the steps do not matter, but the rest must not wrap */
    n = sub(&i, sel(&i, lt(&i, n, num(&i, -4000)), num(&i, -4000), sel(&i, gt(&i, n, num(&i, 4000)), num(&i, 4000), n)), by);
  }
  n = sel(&i, gt(&i, n, num(&i, up)), num(&i, up), sel(&i, lt(&i, n, num(&i, least)), num(&i, least), n));
  return mul(g, a, power_of_two(g, &i, n));
}

ROW(ldexp, scale(g, a[0], a[1]))

/* ---- packed words: the first operand lies lowest ---- */

typedef struct packing { bool sign; unsigned width, count; double scale; } packing;
static const packing unorm_2x16 = {false, 16, 2, 65535}, snorm_2x16 = {true, 16, 2, 32767};
static const packing unorm_4x8 = {false, 8, 4, 255}, snorm_4x8 = {true, 8, 4, 127};

/* x * scale to the nearest integer, rounded once: the product is rounded first, and may then look like a tie. The scale is a power
 * of two less 1, so that x * scale - r is (x * power - r) - x, of which all but the last step is exact. */
static uint32_t scaled(const gen *f, uint32_t x, double scale) {
  uint32_t half = num(f, 0.5), one = num(f, 1), r = glsl1(f, GLSLstd450RoundEven, mul(f, x, num(f, scale)));
  uint32_t rest = sub(f, mul(f, x, num(f, scale + 1)), r);
  uint32_t lower = sel(f, lt(f, add(f, rest, half), x), sub(f, r, one), r);
  return sel(f, gt(f, sub(f, rest, half), x), add(f, r, one), lower);
}

static uint32_t pack_norm(const gen *g, const packing *p, const uint32_t *a) {
  gen floats = gen_of(g->e, KG_F32), words = gen_of(g->e, KG_U32), i = gen_of(g->e, KG_I32);
  const gen *f = &floats, *w = &words;
  uint32_t word = 0, low = num(f, p->sign ? -1 : 0), one = num(f, 1);
  for (unsigned k = 0; k < p->count; k++) {
    uint32_t x = sel(f, is_nan(f, a[k]), num(f, 0), a[k]);
    x = sel(f, gt(f, x, low), x, low);
    x = sel(f, lt(f, x, one), x, one);
    uint32_t whole = bits(w, KGI_VALUE(f->s, SpvOpConvertFToS, i.t, scaled(f, x, p->scale)));
    uint32_t field = shl(w, band(w, whole, num(w, p->width == 16 ? 65535 : 255)), num(w, k * p->width));
    word = word ? bor(w, word, field) : field;
  }
  return word;
}

/* The field moves to the top and down again, which extends its sign. */
static uint32_t unpack_norm(const gen *g, const packing *p, const uint32_t *a) {
  gen floats = gen_of(g->e, KG_F32), words = gen_of(g->e, KG_U32), i = gen_of(g->e, KG_I32);
  const gen *f = &floats, *w = &words;
  uint32_t k = band(w, a[1], num(w, p->count - 1)), down = num(w, 32 - p->width);
  uint32_t up = sub(w, down, mul(w, k, num(w, p->width)));
  uint32_t top = shl(w, a[0], up);
  uint32_t value = p->sign ? KGI_VALUE(f->s, SpvOpConvertSToF, f->t, sar(&i, bits(&i, top), down))
                           : KGI_VALUE(f->s, SpvOpConvertUToF, f->t, shr(w, top, down));
  uint32_t scaled = quo(f, value, num(f, p->scale)), least = num(f, -1);
  return p->sign ? sel(f, lt(f, scaled, least), least, scaled) : scaled;
}

static uint32_t half_to_float(const gen *f, const gen *w, uint32_t half) {
  uint32_t magnitude = band(w, half, num(w, 0x7FFF)), sign_bit = shl(w, band(w, half, num(w, 0x8000)), num(w, 16));
  uint32_t shifted = shl(w, magnitude, num(w, 13));
  uint32_t finite = add(w, shifted, num(w, 0x38000000)); /* the exponent's bias is greater by 112 */
  uint32_t tiny = bits(w, mul(f, KGI_VALUE(f->s, SpvOpConvertUToF, f->t, magnitude), num(f, 0x1p-24)));
  uint32_t special = bor(w, shifted, num(w, 0x7F800000));
  uint32_t value = sel(w, lt(w, magnitude, num(w, 0x400)), tiny, sel(w, lt(w, magnitude, num(w, 0x7C00)), finite, special));
  return bits(f, bor(w, value, sign_bit));
}

/* Rounded to nearest even on the bits: GLSL.std.450 leaves the rounding to the device. */
static uint32_t float_to_half(const gen *f, const gen *w, uint32_t a) {
  uint32_t word = bits(w, a), magnitude = band(w, word, raw(w, 0x7FFFFFFF));
  uint32_t sign_bit = shr(w, band(w, word, raw(w, 0x80000000)), num(w, 16));
  uint32_t odd = band(w, shr(w, magnitude, num(w, 13)), num(w, 1));
  uint32_t normal = shr(w, add(w, add(w, sub(w, magnitude, num(w, 0x38000000)), num(w, 0xFFF)), odd), num(w, 13));
  uint32_t scaled = glsl1(f, GLSLstd450RoundEven, mul(f, bits(f, magnitude), num(f, 0x1p24)));
  uint32_t small = lt(w, magnitude, num(w, 0x38800000));
  uint32_t tiny = KGI_VALUE(f->s, SpvOpConvertFToU, w->t, sel(f, small, scaled, num(f, 0)));
  uint32_t half = sel(w, small, tiny, sel(w, lt(w, magnitude, num(w, 0x477FF000)), normal, num(w, 0x7C00)));
  half = sel(w, gt(w, magnitude, num(w, 0x7F800000)), num(w, 0x7E00), bor(w, half, sign_bit));
  return half;
}

uint32_t kgi_own_pack_half(const gen *g, const uint32_t *a) {
  gen f = gen_of(g->e, KG_F32), w = gen_of(g->e, KG_U32);
  return bor(&w, float_to_half(&f, &w, a[0]), shl(&w, float_to_half(&f, &w, a[1]), num(&w, 16)));
}

uint32_t kgi_own_unpack_half(const gen *g, const uint32_t *a) {
  gen f = gen_of(g->e, KG_F32), w = gen_of(g->e, KG_U32);
  uint32_t down = shl(&w, band(&w, a[1], num(&w, 1)), num(&w, 4));
  return half_to_float(&f, &w, band(&w, shr(&w, a[0], down), num(&w, 0xFFFF)));
}

ROW(pack_unorm_2x16, pack_norm(g, &unorm_2x16, a))
ROW(pack_snorm_2x16, pack_norm(g, &snorm_2x16, a))
ROW(pack_unorm_4x8, pack_norm(g, &unorm_4x8, a))
ROW(pack_snorm_4x8, pack_norm(g, &snorm_4x8, a))
ROW(unpack_unorm_2x16, unpack_norm(g, &unorm_2x16, a))
ROW(unpack_snorm_2x16, unpack_norm(g, &snorm_2x16, a))
ROW(unpack_unorm_4x8, unpack_norm(g, &unorm_4x8, a))
ROW(unpack_snorm_4x8, unpack_norm(g, &snorm_4x8, a))
