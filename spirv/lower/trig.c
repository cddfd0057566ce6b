/* Circular and hyperbolic functions and their inverses (polynomials: Cephes, single precision). */
#include "spirv/lower/math.h"

/* ---- reduction by pi / 2 ---- */

typedef struct angle { uint32_t r, quadrant; } angle;

/* pi / 2 in four parts, the products of the first three with n exact: near a multiple of pi / 2 what is left is small, and has all
 * its digits. */
static angle reduce_small(const gen *g, uint32_t x) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t n = KGI_GLSL(g->s, RoundEven, g->t, mul(g, x, num(g, 0.636619772367581343)));
  uint32_t r = sub(g, x, mul(g, n, num(g, 1.5703125)));
  r = sub(g, r, mul(g, n, num(g, 4.837512969970703125e-4)));
  r = sub(g, r, mul(g, n, num(g, 0x1.444p-24)));
  r = sub(g, r, mul(g, n, num(g, 2.563344151594519e-12)));
  return (angle){r, KGI_VALUE(g->s, SpvOpConvertFToS, i.t, n)};
}

/* Words of 2 / pi, most significant first, each 32 bits of 0.25 * 2 / pi. */
static const uint32_t two_over_pi[] = {0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770, 0x36d8a566, 0x4f10e410, 0};

/* Word `index` + by of the table, by selection: nothing to load. */
static uint32_t table_word(const gen *w, uint32_t index, int by) {
  uint32_t word = num(w, 0);
  for (int k = 0; k < 5; k++) {
    int at = k + by;
    uint32_t value = at >= 0 && at < 7 ? two_over_pi[at] : 0;
    word = k ? sel(w, eq(w, index, num(w, k)), raw(w, value), word) : raw(w, value);
  }
  return word;
}

static uint32_t shifted(const gen *w, uint32_t high, uint32_t low, uint32_t by) {
  uint32_t back = band(w, sub(w, num(w, 32), by), num(w, 31));
  return sel(w, eq(w, by, num(w, 0)), high, bor(w, shl(w, high, by), shr(w, low, back)));
}

/* Payne and Hanek: the product of the significand with the bits of 2 / pi that matter, in fixed point with two bits before the
 * point. The rest is a signed fraction; its magnitude is converted in halves, so that nothing cancels. */
static angle reduce_large(const gen *g, uint32_t x) {
  gen w = gen_of(g->e, KG_U32), i = gen_of(g->e, KG_I32);
  uint32_t word = bits(&w, x), significand = bor(&w, shl(&w, word, num(&w, 8)), raw(&w, 0x80000000));
  uint32_t exponent = sub(&w, band(&w, shr(&w, word, num(&w, 23)), num(&w, 255)), num(&w, 126));
  uint32_t index = shr(&w, exponent, num(&w, 5)), by = band(&w, exponent, num(&w, 31));
  uint32_t a = table_word(&w, index, -1), b = table_word(&w, index, 0), c = table_word(&w, index, 1), d = table_word(&w, index, 2);
  uint32_t high = shifted(&w, a, b, by), middle = shifted(&w, b, c, by), low = shifted(&w, c, d, by);
  /* the upper 64 bits of the 96 that matter */
  uint32_t carry = kgi_gen_high_product(&w, significand, low), m0 = mul(&w, significand, middle), m1 = kgi_gen_high_product(&w, significand, middle);
  uint32_t p0 = add(&w, m0, carry);
  m1 = add(&w, m1, sel(&w, lt(&w, p0, carry), num(&w, 1), num(&w, 0)));
  uint32_t p1 = add(&w, mul(&w, significand, high), m1);
  uint32_t quadrant = shr(&w, p1, num(&w, 30));
  /* a fraction of a half and more is a negative one of the next quadrant */
  uint32_t up = ne(&w, band(&w, p1, raw(&w, 0x20000000)), num(&w, 0)), f1 = band(&w, p1, raw(&w, 0x3fffffff));
  uint32_t n0 = add(&w, bnot(&w, p0), num(&w, 1));
  uint32_t n1 = add(&w, sub(&w, raw(&w, 0x3fffffff), f1), sel(&w, eq(&w, p0, num(&w, 0)), num(&w, 1), num(&w, 0)));
  quadrant = sel(&w, up, add(&w, quadrant, num(&w, 1)), quadrant);
  uint32_t r1 = KGI_VALUE(g->s, SpvOpConvertUToF, g->t, sel(&w, up, n1, f1));
  uint32_t r0 = KGI_VALUE(g->s, SpvOpConvertUToF, g->t, sel(&w, up, n0, p0));
  uint32_t r = mul(g, add(g, mul(g, r1, num(g, 0x1p32)), r0), num(g, 0x1p-62 * 1.5707963267948966));
  uint32_t negative = test(&w, SpvOpLogicalNotEqual, up, lt(g, x, num(g, 0)));
  uint32_t turned = sel(&w, lt(g, x, num(g, 0)), sub(&w, num(&w, 0), quadrant), quadrant);
  uint32_t rest = sel(g, negative, neg(g, r), r), quarters = bits(&i, turned);
  return (angle){rest, quarters};
}

static angle reduced(const gen *g, uint32_t x) {
  kgi_spv *s = g->s;
  gen i = gen_of(g->e, KG_I32);
  angle near = reduce_small(g, x);
  uint32_t large = gt(g, fabs_(g, x), num(g, 1024)), before = s->label;
  uint32_t merge = kgi_spv_if(g->s, large);
  angle far = reduce_large(g, x);
  uint32_t last = s->label;
  kgi_spv_endif(g->s, merge);
  uint32_t r = KGI_VALUE(s, SpvOpPhi, g->t, far.r, last, near.r, before);
  uint32_t q = KGI_VALUE(s, SpvOpPhi, i.t, far.quadrant, last, near.quadrant, before);
  return (angle){sel(g, lt(g, fabs_(g, x), kgi_math_inf(g)), r, kgi_math_nan(g)), q};
}

static uint32_t sine(const gen *g, angle a, uint32_t turn) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t z = mul(g, a.r, a.r), q = add(&i, a.quadrant, num(&i, turn));
  uint32_t s = add(g, mul(g, mul(g, KGI_POLYNOMIAL(g, z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1), z), a.r), a.r);
  uint32_t c = mul(g, mul(g, KGI_POLYNOMIAL(g, z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2), z), z);
  c = add(g, sub(g, c, mul(g, num(g, 0.5), z)), num(g, 1));
  uint32_t y = sel(g, ne(&i, band(&i, q, num(&i, 1)), num(&i, 0)), c, s);
  return sel(g, ne(&i, band(&i, q, num(&i, 2)), num(&i, 0)), neg(g, y), y);
}

/* Tiny arguments are their own sine, and keep the sign of zero. */
static uint32_t unless_tiny(const gen *g, uint32_t x, uint32_t y) { return sel(g, lt(g, fabs_(g, x), num(g, 0x1p-12)), x, y); }

uint32_t kgi_math_sin(const gen *g, const uint32_t *x) { return unless_tiny(g, x[0], sine(g, reduced(g, x[0]), 0)); }
uint32_t kgi_math_cos(const gen *g, const uint32_t *x) { return sine(g, reduced(g, x[0]), 1); }

uint32_t kgi_math_tan(const gen *g, const uint32_t *x) {
  gen i = gen_of(g->e, KG_I32);
  angle a = reduced(g, x[0]);
  uint32_t z = mul(g, a.r, a.r);
  uint32_t p = KGI_POLYNOMIAL(g, z, 9.38540185543e-3, 3.11992232697e-3, 2.44301354525e-2, 5.34112807005e-2, 1.33387994085e-1,
                              3.33331568548e-1);
  uint32_t y = add(g, mul(g, mul(g, p, z), a.r), a.r);
  uint32_t odd = ne(&i, band(&i, a.quadrant, num(&i, 1)), num(&i, 0));
  return unless_tiny(g, x[0], sel(g, odd, kgi_math_quotient(g, num(g, -1), y), y));
}

static uint32_t sin_of(const gen *g, uint32_t x) { return kgi_gen_math(g, KGI_OP_sin, &x); }

/* sin(x) / x; a polynomial near 0. Where x is too large for a division to be sure it is scaled. */
uint32_t kgi_math_sinc(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), z = mul(g, a, a), one = num(g, 1), tiny = num(g, 0x1p-60);
  uint32_t inner = lt(g, a, num(g, 0.125)), far = gt(g, a, num(g, 0x1p60));
  uint32_t near = sub(g, one, mul(g, z, sub(g, num(g, 1 / 6.0), mul(g, z, num(g, 1 / 120.0)))));
  uint32_t q = kgi_math_quotient(g, sin_of(g, a), sel(g, inner, one, sel(g, far, mul(g, a, tiny), a)));
  return sel(g, inner, near, sel(g, far, mul(g, q, tiny), q));
}

/* ---- inverses ---- */

/* asin(x) for 0 <= x <= 1/2, with z = x^2. */
static uint32_t asin_small(const gen *g, uint32_t x, uint32_t z) {
  uint32_t p = KGI_POLYNOMIAL(g, z, 4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1);
  return add(g, mul(g, mul(g, p, z), x), x);
}

/* Past 1/2: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). The root of a negative number is made NaN by hand. */
static void asin_parts(const gen *g, uint32_t x, uint32_t *past, uint32_t *part) {
  uint32_t a = fabs_(g, x), one = num(g, 1), half = num(g, 0.5);
  *past = gt(g, a, half);
  uint32_t z = sel(g, *past, mul(g, half, sub(g, one, a)), mul(g, a, a));
  uint32_t root = sel(g, *past, kgi_math_root(g, sel(g, lt(g, z, num(g, 0)), num(g, 0), z)), a);
  uint32_t y = asin_small(g, root, z);
  *part = sel(g, gt(g, a, one), kgi_math_nan(g), y);
}

uint32_t kgi_math_asin(const gen *g, const uint32_t *x) {
  uint32_t past, y;
  asin_parts(g, x[0], &past, &y);
  y = sel(g, past, sub(g, num(g, 1.57079632679489662), mul(g, num(g, 2), y)), y);
  return kgi_math_with_sign(g, y, x[0]);
}

uint32_t kgi_math_acos(const gen *g, const uint32_t *x) {
  uint32_t past, y, negative = lt(g, x[0], num(g, 0));
  asin_parts(g, x[0], &past, &y);
  uint32_t twice = mul(g, num(g, 2), y);
  /* pi in two parts: the first has few enough bits for the difference to be exact where it matters */
  uint32_t low = num(g, -4.37113883e-8);
  uint32_t outer = sel(g, negative, sub(g, num(g, 3.14159265358979324), add(g, twice, num(g, 8.74227766e-8))), twice);
  uint32_t inner = add(g, sub(g, num(g, 1.57079632679489662), sel(g, negative, neg(g, y), y)), low);
  return sel(g, past, outer, inner);
}

/* atan of 0 <= x, turned at tan(pi/8) and tan(3 pi/8). */
static uint32_t atan_positive(const gen *g, uint32_t x) {
  uint32_t one = num(g, 1), far = gt(g, x, num(g, 2.414213562373095)), middle = gt(g, x, num(g, 0.4142135623730950));
  uint32_t above = sel(g, far, num(g, -1), sub(g, x, one)), below = sel(g, far, x, add(g, x, one));
  uint32_t turned = sel(g, either(g, far, middle), kgi_math_quotient(g, above, below), x);
  uint32_t start = sel(g, far, num(g, 1.5707963267948966), sel(g, middle, num(g, 0.78539816339744831), num(g, 0)));
  uint32_t z = mul(g, turned, turned);
  uint32_t p = KGI_POLYNOMIAL(g, z, 8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1);
  return add(g, start, add(g, mul(g, mul(g, p, z), turned), turned));
}

uint32_t kgi_math_atan(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), end = num(g, 0x1p60); /* a quotient by more is not sure, and does not matter */
  uint32_t y = atan_positive(g, sel(g, gt(g, a, end), end, a));
  return sel(g, ne(g, x[0], x[0]), kgi_math_nan(g), kgi_math_with_sign(g, y, x[0]));
}

/* atan2(y, x): the quotient of the smaller by the larger, then turned into the octant. */
uint32_t kgi_math_atan2(const gen *g, const uint32_t *x) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t ay = fabs_(g, x[0]), ax = fabs_(g, x[1]), steep = gt(g, ay, ax), zero = num(g, 0), inf = kgi_math_inf(g);
  uint32_t large = sel(g, steep, ay, ax), small = sel(g, steep, ax, ay);
  /* a quotient of huge or tiny numbers must neither overflow in a reciprocal nor vanish */
  uint32_t huge = gt(g, large, num(g, 0x1p100)), tiny = lt(g, large, num(g, 0x1p-100));
  uint32_t factor = sel(g, huge, num(g, 0x1p-60), sel(g, tiny, num(g, 0x1p60), num(g, 1)));
  uint32_t q = quo(g, mul(g, small, factor), mul(g, large, factor));
  q = sel(g, eq(g, small, zero), zero, q);
  q = sel(g, eq(g, large, inf), sel(g, eq(g, small, inf), num(g, 1), zero), q);
  uint32_t a = atan_positive(g, q);
  a = sel(g, steep, sub(g, num(g, 1.57079632679489662), a), a);
  uint32_t left = lt(&i, bits(&i, x[1]), num(&i, 0));
  a = sel(g, left, sub(g, num(g, 3.14159265358979324), sub(g, a, num(g, -8.74227766e-8))), a);
  uint32_t nan = either(g, ne(g, x[0], x[0]), ne(g, x[1], x[1]));
  return sel(g, nan, kgi_math_nan(g), kgi_math_with_sign(g, a, x[0]));
}

/* ---- hyperbolic ---- */

static uint32_t expm1_of(const gen *g, uint32_t x) { return kgi_gen_math(g, KGI_OP_expm1, &x); }
static uint32_t log1p_of(const gen *g, uint32_t x) { return kgi_gen_math(g, KGI_OP_log1p, &x); }
static uint32_t log_of(const gen *g, uint32_t x) { return kgi_gen_math(g, KGI_OP_log, &x); }

/* 1 / (4 h); where h is too large for a division to be sure, it does not matter. */
static uint32_t quarter_of(const gen *g, uint32_t h) {
  uint32_t end = num(g, 0x1p60);
  return quo(g, num(g, 0.25), sel(g, lt(g, h, end), h, end));
}

uint32_t kgi_math_sinh(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), z = mul(g, x[0], x[0]);
  uint32_t near = add(g, mul(g, mul(g, KGI_POLYNOMIAL(g, z, 2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1), z), x[0]), x[0]);
  uint32_t h = kgi_math_half_exp(g, a), far = sub(g, h, quarter_of(g, h));
  return sel(g, lt(g, a, num(g, 1)), near, kgi_math_with_sign(g, far, x[0]));
}

uint32_t kgi_math_cosh(const gen *g, const uint32_t *x) {
  uint32_t h = kgi_math_half_exp(g, fabs_(g, x[0]));
  return add(g, h, quarter_of(g, h));
}

/* 1 - 2 / (exp(2 |x|) + 1) past 0.625, a polynomial below; past 9.1 it is 1. */
uint32_t kgi_math_tanh(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), z = mul(g, x[0], x[0]), one = num(g, 1), end = num(g, 9.1);
  uint32_t p = KGI_POLYNOMIAL(g, z, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1);
  uint32_t near = add(g, mul(g, mul(g, p, z), x[0]), x[0]);
  uint32_t t = expm1_of(g, mul(g, num(g, 2), sel(g, gt(g, a, end), end, a)));
  uint32_t far = sub(g, one, quo(g, num(g, 2), add(g, t, num(g, 2))));
  far = sel(g, gt(g, a, end), one, far);
  return unless_tiny(g, x[0], sel(g, lt(g, a, num(g, 0.625)), near, kgi_math_with_sign(g, far, x[0])));
}

uint32_t kgi_math_asinh(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), one = num(g, 1), large = gt(g, a, num(g, 0x1p12));
  uint32_t b = sel(g, large, one, a), z = mul(g, b, b);
  uint32_t near = log1p_of(g, add(g, b, quo(g, z, add(g, one, kgi_math_root(g, add(g, z, one))))));
  uint32_t far = add(g, log_of(g, sel(g, large, a, one)), num(g, 0.693147180559945309));
  uint32_t y = kgi_math_with_sign(g, sel(g, large, far, near), x[0]);
  return sel(g, lt(g, a, num(g, 0x1p-12)), x[0], y);
}

uint32_t kgi_math_acosh(const gen *g, const uint32_t *x) {
  uint32_t one = num(g, 1), large = gt(g, x[0], num(g, 0x1p12)), below = lt(g, x[0], one);
  uint32_t t = sub(g, sel(g, either(g, large, below), one, x[0]), one);
  uint32_t near = log1p_of(g, add(g, t, kgi_math_root(g, mul(g, t, add(g, t, num(g, 2))))));
  uint32_t far = add(g, log_of(g, sel(g, large, x[0], one)), num(g, 0.693147180559945309));
  return sel(g, either(g, below, ne(g, x[0], x[0])), kgi_math_nan(g), sel(g, large, far, near));
}

/* 2 a / (1 - a), infinite at 1. */
static uint32_t twice_over(const gen *g, uint32_t a) {
  uint32_t one = num(g, 1), rest = sub(g, one, a), q = kgi_math_quotient(g, mul(g, num(g, 2), a), rest);
  return sel(g, eq(g, rest, num(g, 0)), kgi_math_inf(g), q);
}

uint32_t kgi_math_atanh(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), one = num(g, 1);
  uint32_t y = mul(g, num(g, 0.5), log1p_of(g, twice_over(g, a)));
  y = sel(g, gt(g, a, one), kgi_math_nan(g), kgi_math_with_sign(g, y, x[0]));
  return sel(g, lt(g, a, num(g, 0x1p-12)), x[0], y);
}
