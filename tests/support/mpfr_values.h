/* What the value tests ask MPFR: the formats, rounding into them as IEEE-754 wants, and the functions of one and two operands. */
#ifndef TESTS_MPFR_VALUES_H
#define TESTS_MPFR_VALUES_H
#include "foundation/ir/eval.h"

#include <math.h>
#include <mpfr.h>

/* MPFR's exponents are those of a fraction in [0.5, 1); emin is that of the smallest subnormal. */
typedef struct kgt_format { kg_type type; mpfr_prec_t precision; mpfr_exp_t emin, emax; unsigned bits; uint64_t nan; } kgt_format;
static const kgt_format kgt_formats[] = {
  {KG_F16, 11, -23, 16, 16, 0x7E00},
  {KG_F32, 24, -148, 128, 32, 0x7FC00000},
  {KG_F64, 53, -1073, 1024, 64, UINT64_C(0x7FF8000000000000)},
};

static inline uint64_t kgt_sign(const kgt_format *f) { return UINT64_C(1) << (f->bits - 1); }
static inline uint64_t kgt_infinity(const kgt_format *f) { return kgt_sign(f) - (UINT64_C(1) << (f->precision - 1)); }

/* Numbers from bits and back are worked out from sign, exponent and significand here: no conversion under test is used. */
static inline double kgt_number(const kgt_format *f, uint64_t bits) {
  uint64_t leading = UINT64_C(1) << (f->precision - 1), magnitude = bits & (kgt_sign(f) - 1);
  uint64_t exponent = magnitude / leading, fraction = magnitude % leading;
  double x = ldexp((double)(exponent ? fraction + leading : fraction), (int)(exponent ? exponent : 1) - 2 + (int)f->emin);
  if (magnitude >= kgt_infinity(f)) x = magnitude == kgt_infinity(f) ? (double)INFINITY : (double)NAN;
  return bits & kgt_sign(f) ? -x : x;
}

/* Around a computation whose result is to be rounded into the format: what comes between goes with the format's exponents. */
static inline void kgt_narrow(const kgt_format *f) { mpfr_set_emin(f->emin), mpfr_set_emax(f->emax); }
static inline void kgt_widen(void) { mpfr_set_emin(mpfr_get_emin_min()), mpfr_set_emax(mpfr_get_emax_max()); }

/* The bits of y, which has the format's precision and was rounded within kgt_narrow, with that ternary value. Every NaN is the one
 * quiet NaN. */
static inline uint64_t kgt_bits(const kgt_format *f, mpfr_t y, int ternary) {
  mpfr_subnormalize(y, mpfr_check_range(y, ternary, MPFR_RNDN), MPFR_RNDN);
  if (mpfr_nan_p(y)) return f->nan;
  uint64_t sign = mpfr_signbit(y) ? kgt_sign(f) : 0;
  if (mpfr_zero_p(y)) return sign;
  if (mpfr_inf_p(y)) return sign | kgt_infinity(f);
  long exponent;
  double fraction = fabs(mpfr_get_d_2exp(&exponent, y, MPFR_RNDN)); /* in [0.5, 1) */
  long least = f->emin + f->precision - 1, place = (exponent < least ? least : exponent) - f->precision;
  uint64_t significand = (uint64_t)ldexp(fraction, (int)(exponent - place)), leading = UINT64_C(1) << (f->precision - 1);
  if (significand < leading) return sign | significand;
  return sign | ((uint64_t)(exponent - least + 1) << (f->precision - 1)) | (significand - leading);
}

typedef int kgt_fn_1(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int kgt_fn_2(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

/* GLSL's and C's reciprocal root of -0 is -inf; MPFR's is +inf. */
static inline int kgt_rsqrt(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) {
  int ternary = mpfr_rec_sqrt(y, x, r);
  if (mpfr_zero_p(x)) mpfr_setsign(y, y, mpfr_signbit(x), r);
  return ternary;
}

/* kgt_NAME for each function of ops.def, rounded as r says; those that MPFR has. */
#define KGT_1(f) \
  static inline int kgt_##f(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_##f(y, x, r); }
#define KGT_2(f) \
  static inline int kgt_##f(mpfr_t y, const mpfr_t a, const mpfr_t b, mpfr_rnd_t r) { return mpfr_##f(y, a, b, r); }
KGT_1(exp) KGT_1(exp2) KGT_1(expm1) KGT_1(log) KGT_1(log2) KGT_1(log1p) KGT_2(pow)
KGT_1(sin) KGT_1(cos) KGT_1(tan) KGT_1(asin) KGT_1(acos) KGT_1(atan) KGT_2(atan2) KGT_2(hypot)
KGT_1(sinh) KGT_1(cosh) KGT_1(tanh) KGT_1(asinh) KGT_1(acosh) KGT_1(atanh) KGT_1(erf) KGT_1(erfc)

/* By way of so many digits that the second rounding does not show, and of every exponent. */
static inline int kgt_sinc(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) {
  if (mpfr_zero_p(x)) return mpfr_set_ui(y, 1, r);
  mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t wide;
  mpfr_init2(wide, mpfr_get_prec(y) + 200);
  kgt_widen();
  mpfr_sin(wide, x, r), mpfr_div(wide, wide, x, r);
  int ternary = mpfr_set(y, wide, r);
  mpfr_set_emin(emin), mpfr_set_emax(emax);
  mpfr_clear(wide);
  return ternary;
}

typedef struct kgt_function { kgi_op op; kgt_fn_1 *exact; } kgt_function;
static const kgt_function kgt_functions[] = {
  {KGI_OP_sqrt, mpfr_sqrt}, {KGI_OP_rsqrt, kgt_rsqrt},
#define FUN1(name, ...) {KGI_OP_##name, kgt_##name},
#include "foundation/ir/ops.def"
};
enum { KGT_FUNCTIONS = sizeof kgt_functions / sizeof *kgt_functions };
typedef struct kgt_pair { kgi_op op; kgt_fn_2 *exact; } kgt_pair;
static const kgt_pair kgt_pairs[] = {
#define FUN2(name, ...) {KGI_OP_##name, kgt_##name},
#include "foundation/ir/ops.def"
};
enum { KGT_PAIRS = sizeof kgt_pairs / sizeof *kgt_pairs };

/* What f(x) rounds to; y has the format's precision, x room for its numbers. */
static inline uint64_t kgt_nearest(const kgt_format *f, kgt_fn_1 *exact, mpfr_t y, mpfr_t x, uint64_t bits) {
  mpfr_set_d(x, kgt_number(f, bits), MPFR_RNDN);
  kgt_narrow(f);
  int ternary = exact(y, x, MPFR_RNDN);
  uint64_t want = kgt_bits(f, y, ternary);
  kgt_widen();
  return want;
}

/* The distance from an exact value to a result, in units of the last place at the exact value, or of the smallest subnormal. */
static inline double kgt_distance(const kgt_format *f, const mpfr_t exact, double got) {
  mpfr_t d;
  mpfr_init2(d, mpfr_get_prec(exact));
  mpfr_exp_t least = f->emin + f->precision - 1, exponent = mpfr_zero_p(exact) ? least : mpfr_get_exp(exact);
  if (exponent < least) exponent = least;
  mpfr_sub_d(d, exact, got, MPFR_RNDN);
  mpfr_mul_2si(d, d, (long)(f->precision - exponent), MPFR_RNDN);
  double ulps = fabs(mpfr_get_d(d, MPFR_RNDN));
  mpfr_clear(d);
  return ulps;
}

/* Whether the exact value rounds to infinity. */
static inline bool kgt_overflows(const kgt_format *f, const mpfr_t exact) {
  mpfr_t rounded;
  mpfr_init2(rounded, f->precision);
  mpfr_set(rounded, exact, MPFR_RNDN);
  bool over = mpfr_regular_p(rounded) && mpfr_get_exp(rounded) > f->emax;
  mpfr_clear(rounded);
  return over;
}

#endif
