/* Remainders of f32, exact, in integers: of the significands, and bit by bit of what the exponents differ in. There is no loop,
 * because devices may count the trips of all of an invocation's loops together. */
#include "spirv/lower/math.h"

/* |x| as m 2^(e - 150), subnormals too. */
typedef struct parts { uint32_t m, e; } parts;

static parts taken_apart(const gen *w, uint32_t word) {
  uint32_t field = band(w, shr(w, word, num(w, 23)), num(w, 255)), fraction = band(w, word, raw(w, 0x7fffff));
  uint32_t normal = ne(w, field, num(w, 0));
  parts p = {.m = sel(w, normal, bor(w, fraction, raw(w, 0x800000)), fraction)};
  p.e = sel(w, normal, field, num(w, 1));
  return p;
}

typedef struct rest { uint32_t r, n; } rest; /* r 2^n remains to be divided */

/* Eight bits more: r is below 2^24. */
static rest step(const gen *w, rest x, uint32_t divisor) {
  uint32_t by = sel(w, lt(w, x.n, num(w, 8)), x.n, num(w, 8));
  uint32_t r = bin(w, SpvOpUMod, shl(w, x.r, by), divisor), n = sub(w, x.n, by);
  return (rest){r, n};
}

enum { NEAR_STEPS = 2, ALL_STEPS = 32 }; /* exponents differ by 253 at most */

/* Most quotients are small: what is left after two steps is a branch of its own. */
static uint32_t reduced(const gen *g, const gen *w, rest x, uint32_t divisor) {
  for (int k = 0; k < NEAR_STEPS; k++) x = step(w, x, divisor);
  uint32_t far = ne(w, x.n, num(w, 0)), before = g->s->label, merge = kgi_spv_if(g->s, far);
  rest y = x;
  for (int k = NEAR_STEPS; k < ALL_STEPS; k++) y = step(w, y, divisor);
  uint32_t last = g->s->label;
  kgi_spv_endif(g->s, merge);
  return KGI_VALUE(g->s, SpvOpPhi, w->t, y.r, last, x.r, before);
}

/* The bits of r 2^(e - 150). */
static uint32_t put_together(const gen *g, const gen *w, uint32_t r, uint32_t e) {
  gen i = gen_of(g->e, KG_I32);
  uint32_t some = bor(w, r, num(w, 1)), top = bits(w, KGI_GLSL(g->s, FindUMsb, i.t, some)), up = sub(w, num(w, 23), top);
  uint32_t normal = lt(w, up, e); /* else its exponent is below that of all normal numbers */
  uint32_t field = sel(w, normal, sub(w, e, up), num(w, 0));
  uint32_t shift = sel(w, normal, up, sub(w, e, num(w, 1)));
  uint32_t word = bor(w, shl(w, field, num(w, 23)), band(w, shl(w, r, shift), raw(w, 0x7fffff)));
  return sel(w, eq(w, r, num(w, 0)), num(w, 0), word);
}

/* Everything by bits, so that subnormals count where the device's arithmetic takes them for 0. */
static uint32_t remainder_bits(const gen *g, uint32_t a, uint32_t b, uint32_t *no_number) {
  gen w = gen_of(g->e, KG_U32);
  uint32_t magnitude = raw(&w, 0x7fffffff), inf = raw(&w, 0x7f800000);
  uint32_t x = band(&w, bits(&w, a), magnitude), y = band(&w, bits(&w, b), magnitude);
  parts p = taken_apart(&w, x), q = taken_apart(&w, y);
  uint32_t none = eq(&w, y, num(&w, 0)), divisor = sel(&w, none, num(&w, 1), q.m), shorter = lt(&w, p.e, q.e);
  rest start = {.r = bin(&w, SpvOpUMod, p.m, divisor)};
  start.n = sel(&w, shorter, num(&w, 0), sub(&w, p.e, q.e));
  uint32_t word = put_together(g, &w, reduced(g, &w, start, divisor), q.e);
  *no_number = either(&w, none, either(&w, negated(&w, lt(&w, x, inf)), gt(&w, y, inf)));
  return sel(&w, lt(&w, x, y), x, word);
}

/* With the sign of the dividend. */
uint32_t kgi_math_rem(const gen *g, const uint32_t *x) {
  uint32_t no_number, word = remainder_bits(g, x[0], x[1], &no_number);
  return sel(g, no_number, kgi_math_nan(g), kgi_math_with_sign(g, bits(g, word), x[0]));
}

/* With that of the divisor, which is added where they differ. */
uint32_t kgi_math_mod(const gen *g, const uint32_t *x) {
  gen w = gen_of(g->e, KG_U32), i = gen_of(g->e, KG_I32);
  uint32_t no_number, word = remainder_bits(g, x[0], x[1], &no_number), magnitude = bits(g, word);
  uint32_t apart = lt(&i, bits(&i, bxor(&w, bits(&w, x[0]), bits(&w, x[1]))), num(&i, 0));
  uint32_t whole = eq(&w, word, num(&w, 0)), added = add(g, kgi_math_with_sign(g, magnitude, x[0]), x[1]);
  uint32_t y = sel(g, both(&w, apart, negated(&w, whole)), added, kgi_math_with_sign(g, magnitude, x[1]));
  return sel(g, no_number, kgi_math_nan(g), y);
}
