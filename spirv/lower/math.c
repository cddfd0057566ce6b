/* Which function is computed how: kgrad's own, or the device's; and exponentials, logarithms, powers. */
#include "spirv/lower/math.h"

/* ---- functions of the module ---- */

typedef struct function { kgi_math_body *body; uint16_t native; } function; /* native: GLSL.std.450's, 0: it has none */
static const function functions[KGI_OP_COUNT] = {
  [KGI_OP_rem] = {kgi_math_rem, 0}, [KGI_OP_mod] = {kgi_math_mod, 0}, /* SPIR-V's are off by any number of divisors */
#define FUN1(name, number, native, ...) [number] = {kgi_math_##name, GLSLstd450##native},
#define FUN2(name, number, native, ...) [number] = {kgi_math_##name, GLSLstd450##native},
#include "foundation/ir/ops.def"
};

/* Reduction of arguments relies on each operation being rounded by itself, whatever the caller's arithmetic may do. */
static uint32_t make_function(const gen *g, kgi_op op) {
  kgi_emit *e = g->e;
  kgi_spv *s = g->s;
  unsigned arity = kgi_op_rows[op].arity;
  kgi_words own = {0}, *code = s->code;
  uint32_t label = s->label, x[2] = {0}, id = kgi_spv_id(s);
  uint32_t type = kgi_spv_unique(s, SpvOpTypeFunction, 0, (uint32_t[]){g->t, g->t, g->t}, arity + 1);
  bool exact = s->exact;
  s->code = &own, s->exact = true;
  KGI_STMT(s, SpvOpFunction, g->t, id, SpvFunctionControlMaskNone, type);
  for (unsigned i = 0; i < arity; i++) x[i] = kgi_spv_value(s, SpvOpFunctionParameter, g->t, NULL, 0);
  kgi_spv_label(s, kgi_spv_id(s));
  KGI_STMT(s, SpvOpReturnValue, functions[op].body(g, x));
  kgi_spv_into(s, s->code, SpvOpFunctionEnd, NULL, 0);
  s->code = code, s->label = label, s->exact = exact;
  kgi_words_push(s, &s->functions, own.at, own.count);
  kgi_emit_name(e, id, kgi_op_rows[op].name);
  return id;
}

uint32_t kgi_gen_math(const gen *g, kgi_op op, const uint32_t *a) {
  kgi_emit *e = g->e;
  const function *f = &functions[op];
  unsigned arity = kgi_op_rows[op].arity;
  if (e->params->native_functions && f->native) return kgi_spv_glsl(g->s, (enum GLSLstd450)f->native, g->t, a, arity);
  if (!e->function[op]) e->function[op] = make_function(g, op);
  return kgi_spv_value(g->s, SpvOpFunctionCall, g->t, (uint32_t[]){e->function[op], a[0], arity > 1 ? a[1] : 0}, 1 + arity);
}

/* ---- building blocks ---- */

uint32_t kgi_math_polynomial(const gen *g, uint32_t x, const double *c, unsigned n) {
  uint32_t y = num(g, c[0]);
  for (unsigned i = 1; i < n; i++) y = add(g, mul(g, y, x), num(g, c[i]));
  return y;
}

uint32_t kgi_math_masked(const gen *g, uint32_t x, uint32_t mask) {
  gen w = gen_of(g->e, KG_U32);
  return bits(g, band(&w, bits(&w, x), raw(&w, mask)));
}

/* By selection: where the sign bit is masked and joined, Mesa 22.3 loses the mask if the result is selected again. */
uint32_t kgi_math_with_sign(const gen *g, uint32_t magnitude, uint32_t sign) {
  gen i = gen_of(g->e, KG_I32);
  return sel(g, lt(&i, bits(&i, sign), num(&i, 0)), neg(g, magnitude), magnitude);
}

/* x in two halves whose products are exact. */
typedef struct halves { uint32_t high, low; } halves;
static halves halved(const gen *g, uint32_t x) {
  uint32_t high = kgi_math_masked(g, x, 0xfffff000);
  return (halves){high, sub(g, x, high)};
}

/* c - a b, for a product near c. */
static uint32_t left_over(const gen *g, uint32_t c, halves a, halves b) {
  uint32_t r = sub(g, sub(g, c, mul(g, a.high, b.high)), mul(g, a.high, b.low));
  return sub(g, sub(g, r, mul(g, a.low, b.high)), mul(g, a.low, b.low));
}

uint32_t kgi_math_quotient(const gen *g, uint32_t a, uint32_t b) {
  uint32_t q = quo(g, a, b);
  halves divisor = halved(g, b), quotient = halved(g, q);
  return add(g, q, quo(g, left_over(g, a, quotient, divisor), b));
}

uint32_t kgi_math_root(const gen *g, uint32_t x) {
  uint32_t s = KGI_GLSL(g->s, Sqrt, g->t, x);
  halves h = halved(g, s);
  uint32_t better = add(g, s, quo(g, mul(g, num(g, 0.5), left_over(g, x, h, h)), s));
  return sel(g, gt(g, s, num(g, 0)), better, s);
}

static uint32_t rounded(const gen *g, uint32_t x) { return KGI_GLSL(g->s, RoundEven, g->t, x); }
static uint32_t to_int(const gen *g, uint32_t x) { return KGI_VALUE(g->s, SpvOpConvertFToS, kgi_spv_type(g->s, KG_I32), x); }
static uint32_t to_float(const gen *g, uint32_t x) { return KGI_VALUE(g->s, SpvOpConvertSToF, g->t, x); }
/* Keeps NaN, unlike the device's clamp. */
static uint32_t cut(const gen *g, uint32_t x, double low, double high) {
  x = sel(g, lt(g, x, num(g, low)), num(g, low), x);
  return sel(g, gt(g, x, num(g, high)), num(g, high), x);
}

/* 2^n for n in [-126, 127]. */
static uint32_t power(const gen *g, uint32_t n) {
  gen i = gen_of(g->e, KG_I32);
  return bits(g, shl(&i, add(&i, n, num(&i, 127)), num(&i, 23)));
}

/* y 2^n in two factors, so that the result may be subnormal or overflow, with one rounding. */
static uint32_t scaled(const gen *g, uint32_t y, uint32_t n) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t half = sar(&i, n, num(&i, 1));
  return mul(g, mul(g, y, power(g, half)), power(g, sub(&i, n, half)));
}

/* ---- exponentials: x = n ln 2 + r, a polynomial on [-ln 2 / 2, ln 2 / 2] (coefficients: Cephes, expf) ---- */

static uint32_t reduce(const gen *g, uint32_t x, uint32_t *n) {
  *n = rounded(g, mul(g, x, num(g, 1.44269504088896341)));
  return sub(g, sub(g, x, mul(g, *n, num(g, 0.693359375))), mul(g, *n, num(g, -2.12194440e-4)));
}

/* exp(r) - 1 - r, over r^2 */
static uint32_t exp_tail(const gen *g, uint32_t r) {
  return KGI_POLYNOMIAL(g, r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1);
}

static uint32_t exp_minus_one(const gen *g, uint32_t r) { return add(g, mul(g, exp_tail(g, r), mul(g, r, r)), r); }

uint32_t kgi_math_exp(const gen *g, const uint32_t *x) {
  uint32_t n, r = reduce(g, cut(g, x[0], -104, 89), &n), exponent = to_int(g, n);
  return scaled(g, add(g, exp_minus_one(g, r), num(g, 1)), exponent);
}

uint32_t kgi_math_half_exp(const gen *g, uint32_t x) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t n, r = reduce(g, cut(g, x, -104, 90), &n), exponent = sub(&i, to_int(g, n), num(&i, 1));
  return scaled(g, add(g, exp_minus_one(g, r), num(g, 1)), exponent);
}

uint32_t kgi_math_exp2(const gen *g, const uint32_t *x) {
  uint32_t y = cut(g, x[0], -151, 129), n = rounded(g, y), r = mul(g, sub(g, y, n), num(g, 0.693147180559945309));
  uint32_t exponent = to_int(g, n);
  return scaled(g, add(g, exp_minus_one(g, r), num(g, 1)), exponent);
}

/* 2 (2^(n-1) (exp(r) - 1) + (2^(n-1) - 1/2)): nothing overflows before the result does, and n = 0 adds nothing. */
uint32_t kgi_math_expm1(const gen *g, const uint32_t *x) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t n, r = reduce(g, cut(g, x[0], -30, 89), &n);
  uint32_t t = power(g, sub(&i, to_int(g, n), num(&i, 1)));
  uint32_t y = mul(g, num(g, 2), add(g, mul(g, t, exp_minus_one(g, r)), sub(g, t, num(g, 0.5))));
  return sel(g, lt(g, fabs_(g, x[0]), num(g, 0x1p-25)), x[0], y);
}

/* ---- logarithms: x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2) (coefficients: FreeBSD, e_logf.c) ---- */

typedef struct log_parts { uint32_t k, f, half_square, series; } log_parts; /* log(1 + f) = f - half_square + series */

static void log_series(const gen *g, log_parts *p) {
  uint32_t s = quo(g, p->f, add(g, num(g, 2), p->f)), z = mul(g, s, s), w = mul(g, z, z);
  uint32_t odd = mul(g, w, add(g, num(g, 0xccce13.0p-25), mul(g, w, num(g, 0xf89e26.0p-26))));
  uint32_t even = mul(g, z, add(g, num(g, 0xaaaaaa.0p-24), mul(g, w, num(g, 0x91e9ee.0p-25))));
  p->half_square = mul(g, num(g, 0.5), mul(g, p->f, p->f));
  p->series = mul(g, s, add(g, p->half_square, add(g, even, odd)));
}

static log_parts split_log(const gen *g, uint32_t x) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t small = lt(g, x, num(g, 0x1p-126));
  uint32_t normal = sel(g, small, mul(g, x, num(g, 0x1p25)), x);
  uint32_t word = add(&i, bits(&i, normal), raw(&i, 0x3f800000 - 0x3f3504f3));
  uint32_t k = sub(&i, sar(&i, word, num(&i, 23)), sel(&i, small, num(&i, 127 + 25), num(&i, 127)));
  uint32_t m = add(&i, band(&i, word, raw(&i, 0x7fffff)), raw(&i, 0x3f3504f3));
  log_parts p = {.k = to_float(g, k)};
  p.f = sub(g, bits(g, m), num(g, 1));
  log_series(g, &p);
  return p;
}

/* log(0) is -inf, of less NaN, of inf inf. */
static uint32_t log_specials(const gen *g, uint32_t x, uint32_t y) {
  uint32_t zero = num(g, 0), inf = kgi_math_inf(g);
  y = sel(g, eq(g, x, zero), num(g, (double)-__builtin_inf()), y);
  y = sel(g, lt(g, x, zero), kgi_math_nan(g), y);
  return sel(g, lt(g, x, inf), y, sel(g, eq(g, x, inf), inf, sel(g, lt(g, x, zero), y, kgi_math_nan(g))));
}

uint32_t kgi_math_log(const gen *g, const uint32_t *x) {
  log_parts p = split_log(g, x[0]);
  uint32_t low = sub(g, add(g, p.series, mul(g, p.k, num(g, 9.0580006145e-06))), p.half_square);
  return log_specials(g, x[0], add(g, add(g, low, p.f), mul(g, p.k, num(g, 6.9313812256e-01))));
}

/* The product with 1 / ln 2 in two halves (FreeBSD, e_log2f.c). */
uint32_t kgi_math_log2(const gen *g, const uint32_t *x) {
  log_parts p = split_log(g, x[0]);
  uint32_t high = kgi_math_masked(g, sub(g, p.f, p.half_square), 0xfffff000);
  uint32_t low = add(g, sub(g, sub(g, p.f, high), p.half_square), p.series);
  uint32_t y = add(g, mul(g, add(g, low, high), num(g, -1.7605285393e-04)), mul(g, low, num(g, 1.4428710938)));
  return log_specials(g, x[0], add(g, add(g, y, mul(g, high, num(g, 1.4428710938))), p.k));
}

/* 1 + x rounds; what is lost is carried as c (FreeBSD, s_log1pf.c). */
uint32_t kgi_math_log1p(const gen *g, const uint32_t *x) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t one = num(g, 1), u = add(g, one, x[0]);
  uint32_t word = add(&i, bits(&i, u), raw(&i, 0x3f800000 - 0x3f3504f3)), k = sub(&i, sar(&i, word, num(&i, 23)), num(&i, 127));
  uint32_t lost = sel(g, gt(&i, k, num(&i, 1)), sub(g, one, sub(g, u, x[0])), sub(g, x[0], sub(g, u, one)));
  uint32_t c = sel(g, lt(&i, k, num(&i, 25)), quo(g, lost, u), num(g, 0));
  uint32_t m = add(&i, band(&i, word, raw(&i, 0x7fffff)), raw(&i, 0x3f3504f3));
  uint32_t near = both(g, gt(g, x[0], num(g, -0.292892)), lt(g, x[0], num(g, 0.414213)));
  log_parts p = {.k = sel(g, near, num(g, 0), to_float(g, k))};
  p.f = sel(g, near, x[0], sub(g, bits(g, m), one));
  c = sel(g, near, num(g, 0), c);
  log_series(g, &p);
  uint32_t low = sub(g, add(g, p.series, add(g, mul(g, p.k, num(g, 9.0580006145e-06)), c)), p.half_square);
  uint32_t y = log_specials(g, u, add(g, add(g, low, p.f), mul(g, p.k, num(g, 6.9313812256e-01))));
  return sel(g, lt(g, fabs_(g, x[0]), num(g, 0x1p-25)), x[0], y);
}

/* ---- distance ---- */

/* Squares of what is scaled so that neither they nor what corrects the root leave the range. What is far smaller is left out. */
uint32_t kgi_math_hypot(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), b = fabs_(g, x[1]), steep = gt(g, a, b), inf = kgi_math_inf(g);
  uint32_t large = sel(g, steep, a, b), small = sel(g, steep, b, a);
  uint32_t huge = gt(g, large, num(g, 0x1p60)), tiny = lt(g, large, num(g, 0x1p-40)), one = num(g, 1);
  uint32_t factor = sel(g, huge, num(g, 0x1p-70), sel(g, tiny, num(g, 0x1p100), one));
  uint32_t back = sel(g, huge, num(g, 0x1p70), sel(g, tiny, num(g, 0x1p-100), one));
  uint32_t u = mul(g, large, factor), v = mul(g, small, factor);
  uint32_t y = mul(g, kgi_math_root(g, add(g, mul(g, u, u), mul(g, v, v))), back);
  y = sel(g, lt(g, mul(g, small, num(g, 0x1p13)), large), large, y);
  y = sel(g, either(g, ne(g, a, a), ne(g, b, b)), kgi_math_nan(g), y);
  return sel(g, either(g, eq(g, a, inf), eq(g, b, inf)), inf, y);
}

/* ---- powers: 2^(b log2 a), the logarithm in two floats (FreeBSD, e_powf.c) ---- */

typedef struct two { uint32_t high, low; } two;

static uint32_t top(const gen *g, uint32_t x) { return kgi_math_masked(g, x, 0xfffff000); }

/* log2 of a positive number as a sum. */
static two log2_of(const gen *g, uint32_t a) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t small = lt(g, a, num(g, 0x1p-126)), word = bits(&i, sel(g, small, mul(g, a, num(g, 0x1p24)), a));
  uint32_t n = sub(&i, sar(&i, word, num(&i, 23)), sel(&i, small, num(&i, 127 + 24), num(&i, 127)));
  uint32_t fraction = band(&i, word, raw(&i, 0x7fffff));
  uint32_t low_third = lt(&i, fraction, raw(&i, 0x1cc472)), last = negated(&i, lt(&i, fraction, raw(&i, 0x5db3d7)));
  uint32_t middle = negated(&i, either(&i, low_third, last));
  n = sel(&i, last, add(&i, n, num(&i, 1)), n);
  uint32_t ax = bits(g, bor(&i, fraction, sel(&i, last, raw(&i, 0x3f000000), raw(&i, 0x3f800000))));
  uint32_t bp = sel(g, middle, num(g, 1.5), num(g, 1)), zero = num(g, 0);
  /* s = (ax - bp) / (ax + bp) as a sum */
  uint32_t u = sub(g, ax, bp), sum = add(g, ax, bp), v = quo(g, num(g, 1), sum), s = mul(g, u, v), s_h = top(g, s);
  uint32_t t_h = top(g, sum), t_l = sub(g, ax, sub(g, t_h, bp));
  uint32_t s_l = mul(g, v, sub(g, sub(g, u, mul(g, s_h, t_h)), mul(g, s_h, t_l)));
  uint32_t s2 = mul(g, s, s);
  uint32_t r = mul(g, mul(g, s2, s2), KGI_POLYNOMIAL(g, s2, 2.0697501302e-01, 2.3066075146e-01, 2.7272811532e-01, 3.3333334327e-01,
                                                     4.2857143283e-01, 6.0000002384e-01));
  r = add(g, r, mul(g, s_l, add(g, s_h, s)));
  s2 = mul(g, s_h, s_h);
  t_h = top(g, add(g, add(g, num(g, 3), s2), r));
  t_l = sub(g, r, sub(g, sub(g, t_h, num(g, 3)), s2));
  u = mul(g, s_h, t_h);
  v = add(g, mul(g, s_l, t_h), mul(g, t_l, s));
  uint32_t p_h = top(g, add(g, u, v)), p_l = sub(g, v, sub(g, p_h, u));
  uint32_t dp_h = sel(g, middle, num(g, 5.84960938e-01), zero), dp_l = sel(g, middle, num(g, 1.56322085e-06), zero);
  uint32_t z_h = mul(g, num(g, 9.6191406250e-01), p_h);
  uint32_t z_l = add(g, add(g, mul(g, num(g, -1.1736857402e-04), p_h), mul(g, p_l, num(g, 9.6179670095e-01))), dp_l);
  uint32_t t = to_float(g, n), t1 = top(g, add(g, add(g, add(g, z_h, z_l), dp_h), t));
  return (two){t1, sub(g, z_l, sub(g, sub(g, sub(g, t1, t), dp_h), z_h))};
}

/* 2^(p.high + p.low) */
static uint32_t exp2_of(const gen *g, two p) {
  uint32_t z = add(g, p.low, p.high), far = cut(g, z, -160, 140), n = rounded(g, far);
  uint32_t p_h = sub(g, p.high, n), t = kgi_math_masked(g, add(g, p.low, p_h), 0xffff8000);
  uint32_t u = mul(g, t, num(g, 6.93145752e-01));
  uint32_t v = add(g, mul(g, sub(g, p.low, sub(g, t, p_h)), num(g, 6.9314718246e-01)), mul(g, t, num(g, 1.42860654e-06)));
  uint32_t x = add(g, u, v), w = sub(g, v, sub(g, x, u));
  uint32_t square = mul(g, x, x);
  uint32_t t1 = sub(g, x, mul(g, square, KGI_POLYNOMIAL(g, square, 4.1381369442e-08, -1.6533901999e-06, 6.6137559770e-05,
                                                        -2.7777778450e-03, 1.6666667163e-01)));
  uint32_t r = sub(g, quo(g, mul(g, x, t1), sub(g, t1, num(g, 2))), add(g, w, mul(g, x, w)));
  uint32_t exponent = to_int(g, n), y = scaled(g, sub(g, num(g, 1), sub(g, r, x)), exponent);
  /* past the ends the fraction means nothing */
  y = sel(g, gt(g, z, num(g, 129)), kgi_math_inf(g), y);
  return sel(g, lt(g, z, num(g, -151)), num(g, 0), y);
}

/* pow(x, 0) = pow(1, y) = 1, negative bases with whole exponents, zeros and infinities as in C. */
uint32_t kgi_math_pow(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), zero = num(g, 0), one = num(g, 1), inf = kgi_math_inf(g);
  uint32_t b = cut(g, x[1], -0x1p33, 0x1p33), b_h = top(g, b);
  two l = log2_of(g, a);
  two p = {.high = mul(g, b_h, l.high)};
  p.low = add(g, mul(g, sub(g, b, b_h), l.high), mul(g, b, l.low));
  uint32_t y = exp2_of(g, p);
  uint32_t edge = either(g, eq(g, a, zero), eq(g, a, inf));
  uint32_t rising = gt(g, x[1], zero), grows = test(g, SpvOpLogicalNotEqual, eq(g, a, zero), rising);
  y = sel(g, edge, sel(g, grows, inf, zero), y);
  uint32_t size = fabs_(g, x[1]), half = mul(g, size, num(g, 0.5));
  uint32_t whole = eq(g, KGI_GLSL(g->s, Trunc, g->t, size), size);
  uint32_t odd = both(g, both(g, whole, ne(g, KGI_GLSL(g->s, Trunc, g->t, half), half)), lt(g, size, num(g, 0x1p24)));
  y = sel(g, odd, kgi_math_with_sign(g, y, x[0]), y);
  uint32_t wrong = both(g, both(g, lt(g, x[0], zero), lt(g, a, inf)), negated(g, whole));
  y = sel(g, wrong, kgi_math_nan(g), y);
  y = sel(g, either(g, ne(g, x[0], x[0]), ne(g, x[1], x[1])), kgi_math_nan(g), y);
  y = sel(g, both(g, eq(g, a, one), eq(g, size, inf)), one, y);
  return sel(g, either(g, eq(g, x[1], zero), eq(g, x[0], one)), one, y);
}
