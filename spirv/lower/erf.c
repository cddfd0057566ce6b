/* The error function (FreeBSD, s_erff.c): rational approximations on four pieces. */
#include "spirv/lower/math.h"

/* Up to 0.84375: erf(x) = x + x y. */
static uint32_t core(const gen *g, uint32_t z) {
  uint32_t r = KGI_POLYNOMIAL(g, z, -2.3763017452e-05, -5.7702702470e-03, -2.8481749818e-02, -3.2504209876e-01, 1.2837916613e-01);
  uint32_t s = KGI_POLYNOMIAL(g, z, -3.9602282413e-06, 1.3249473704e-04, 5.0813062117e-03, 6.5022252500e-02, 3.9791721106e-01, 1);
  return quo(g, r, s);
}

/* Up to 1.25: erf(x) = erx + this, in s = |x| - 1. */
static uint32_t shoulder(const gen *g, uint32_t s) {
  uint32_t p = KGI_POLYNOMIAL(g, s, -2.1663755178e-03, 3.5478305072e-02, -1.1089469492e-01, 3.1834661961e-01, -3.7220788002e-01,
                              4.1485610604e-01, -2.3621185683e-03);
  uint32_t q = KGI_POLYNOMIAL(g, s, 1.1984500103e-02, 1.3637083583e-02, 1.2617121637e-01, 7.1828655899e-02, 5.4039794207e-01,
                              1.0642088205e-01, 1);
  return quo(g, p, q);
}

static const double erx = 8.4506291151e-01;

static uint32_t exponential(const gen *g, uint32_t x) { return kgi_gen_math(g, KGI_OP_exp, &x); }

/* Beyond: erfc(x) = exp(-x^2 - 0.5625 + R / S) / x, the square split so that its error does not count. */
static uint32_t tail(const gen *g, uint32_t x) {
  uint32_t s = quo(g, num(g, 1), mul(g, x, x)), early = lt(g, x, num(g, 1 / 0.35));
  uint32_t ra = KGI_POLYNOMIAL(g, s, -9.8143291473, -8.1287437439e+01, -1.8460508728e+02, -1.6239666748e+02, -6.2375331879e+01,
                               -1.0558626175e+01, -6.9385856390e-01, -9.8649440333e-03);
  uint32_t sa = KGI_POLYNOMIAL(g, s, -6.0424413532e-02, 6.5702495575, 1.0863500214e+02, 4.2900814819e+02, 6.4538726807e+02,
                               4.3456588745e+02, 1.3765776062e+02, 1.9651271820e+01, 1);
  uint32_t rb = KGI_POLYNOMIAL(g, s, -4.8351919556e+02, -1.0250950928e+03, -6.3756646729e+02, -1.6063638306e+02, -1.7757955551e+01,
                               -7.9928326607e-01, -9.8649431020e-03);
  uint32_t sb = KGI_POLYNOMIAL(g, s, -2.2440952301e+01, 4.7452853394e+02, 2.5530502930e+03, 3.1998581543e+03, 1.5367296143e+03,
                               3.2579251099e+02, 3.0338060379e+01, 1);
  uint32_t ratio = quo(g, sel(g, early, ra, rb), sel(g, early, sa, sb));
  uint32_t z = kgi_math_masked(g, x, 0xffffe000);
  uint32_t main_part = exponential(g, sub(g, neg(g, mul(g, z, z)), num(g, 0.5625)));
  uint32_t rest = exponential(g, add(g, mul(g, sub(g, z, x), add(g, z, x)), ratio));
  return quo(g, mul(g, main_part, rest), x);
}

uint32_t kgi_math_erf(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), one = num(g, 1), end = num(g, 4);
  uint32_t near = add(g, x[0], mul(g, x[0], core(g, mul(g, x[0], x[0]))));
  uint32_t middle = add(g, num(g, erx), shoulder(g, sub(g, a, one)));
  uint32_t far = sub(g, one, tail(g, sel(g, lt(g, a, end), sel(g, lt(g, a, one), one, a), end)));
  uint32_t y = sel(g, lt(g, a, num(g, 1.25)), middle, sel(g, lt(g, a, end), far, one));
  y = sel(g, lt(g, a, num(g, 0.84375)), near, kgi_math_with_sign(g, y, x[0]));
  return sel(g, ne(g, x[0], x[0]), kgi_math_nan(g), y);
}

uint32_t kgi_math_erfc(const gen *g, const uint32_t *x) {
  uint32_t a = fabs_(g, x[0]), one = num(g, 1), two = num(g, 2), negative = lt(g, x[0], num(g, 0)), end = num(g, 11);
  uint32_t y = core(g, mul(g, x[0], x[0])), xy = mul(g, x[0], y), half = num(g, 0.5);
  uint32_t near = sub(g, one, add(g, x[0], xy));
  near = sel(g, lt(g, x[0], num(g, 0.25)), near, sub(g, half, add(g, sub(g, x[0], half), xy)));
  uint32_t middle = sub(g, sub(g, one, num(g, erx)), shoulder(g, sub(g, a, one)));
  uint32_t far = tail(g, sel(g, lt(g, a, end), sel(g, lt(g, a, one), one, a), end));
  uint32_t outer = sel(g, lt(g, a, num(g, 1.25)), middle, sel(g, lt(g, a, end), far, num(g, 0)));
  outer = sel(g, negative, sub(g, two, outer), outer);
  outer = sel(g, lt(g, a, num(g, 0.84375)), near, outer);
  return sel(g, ne(g, x[0], x[0]), kgi_math_nan(g), outer);
}
