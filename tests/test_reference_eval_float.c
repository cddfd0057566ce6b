/* Float operations against MPFR: what ops.def marks E is correctly rounded in f16, f32 and f64, bit for bit, signs of zeros and
 * subnormals included; the other functions are within a stated bound, on edge cases and random patterns. */
#include "foundation/dim.h"
#include "foundation/eval.h"
#include "tests/kgtest.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

typedef struct format { kg_type type; mpfr_prec_t precision; mpfr_exp_t emin, emax; unsigned bits; double bound; } format;

/* MPFR's exponents are those of a fraction in [0.5, 1). `bound`: in units of the last place. f16 and f32 are rounded from
 * double, so they miss the nearest only where double's own error meets a tie; f64 is the libm's. */
static const format formats[] = {
  {KG_F16, 11, -23, 16, 16, 0.5001},
  {KG_F32, 24, -148, 128, 32, 0.5001},
  {KG_F64, 53, -1073, 1024, 64, 3.0},
};

static uint64_t eval(kgi_op op, const format *f, const uint64_t *args) {
  uint64_t y = 0;
  ck_assert(kgi_eval(op, f->type, f->type, args, &y));
  return y;
}
static double number(const format *f, uint64_t bits) { return kgi_bits_to_double(f->type, bits); }

static uint64_t state = 0x9E3779B97F4A7C15;
static uint64_t random_bits(void) { /* xorshift64* */
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return state * 0x2545F4914F6CDD1D;
}
static uint64_t to_bits(const format *f, double x) {
  uint64_t bits = 0, wide;
  memcpy(&wide, &x, sizeof wide);
  ck_assert(kgi_eval(KGI_OP_convert, KG_F64, f->type, &wide, &bits));
  return bits;
}

static const double edges[] = {
  0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.75, 2.0, 10.0, -7.0, 100.25, 65504.0, 65519.0, -65520.0, 1e-3,
  6.1e-5, 6e-8, 3e-8, 2.9e-8, 0x1p-14, 0x1p-24, 0x1.ffcp-15, 16777216.0, 16777217.0, 3.4028234663852886e38,
  1.1754943508222875e-38, 1.4e-45, -1.4e-45, 1e300, 1.7976931348623157e308, 2.2250738585072014e-308, 4.9e-324, INFINITY,
  -INFINITY, NAN, 88.7, -103.9, 0.99999, 1.00001, 4503599627370497.5, 3.14159265358979, 1.5707963267948966, 710.0, -745.0,
  1e10,
};
enum { EDGES = sizeof edges / sizeof *edges, RANDOM = 4000 };

/* All patterns, and numbers of moderate size, in turn. */
static uint64_t sample(const format *f, unsigned i) {
  if (i < EDGES) return to_bits(f, edges[i]);
  uint64_t r = random_bits();
  if (i % 2) return f->bits == 64 ? r : r & ((UINT64_C(1) << f->bits) - 1);
  return to_bits(f, ((double)(r >> 11) * 0x1p-53 - 0.5) * (i % 4 ? 4 : 200));
}

/* ---- what is correctly rounded ---- */

static bool chooses_first(double a, double b, bool least) {
  if (isnan(a) || isnan(b)) return !isnan(a);
  if (a == b) return least ? signbit(a) != 0 : signbit(a) == 0;
  return least ? a < b : a > b;
}

static int pick(mpfr_t y, mpfr_t a, mpfr_t b, bool least) {
  bool first = chooses_first(mpfr_get_d(a, MPFR_RNDN), mpfr_get_d(b, MPFR_RNDN), least);
  return mpfr_set(y, first ? a : b, MPFR_RNDN);
}

static int floored_mod(mpfr_t y, mpfr_t a, mpfr_t b) {
  int ternary = mpfr_fmod(y, a, b, MPFR_RNDN); /* exact */
  if (mpfr_zero_p(y)) return mpfr_copysign(y, y, b, MPFR_RNDN);
  if (!mpfr_nan_p(y) && mpfr_signbit(y) != mpfr_signbit(b)) ternary = mpfr_add(y, y, b, MPFR_RNDN);
  return ternary;
}

static int fraction(mpfr_t y, mpfr_t a) {
  if (mpfr_inf_p(a)) return mpfr_set_nan(y), 0; /* inf - inf */
  mpfr_floor(y, a);
  return mpfr_sub(y, a, y, MPFR_RNDN);
}

/* Rounds to y's precision once; false: not an E row of floats alone. */
static bool exactly(kgi_op op, mpfr_t y, mpfr_t *x, int *ternary) {
  switch ((int)op) {
  case KGI_OP_add: *ternary = mpfr_add(y, x[0], x[1], MPFR_RNDN); return true;
  case KGI_OP_sub: *ternary = mpfr_sub(y, x[0], x[1], MPFR_RNDN); return true;
  case KGI_OP_mul: *ternary = mpfr_mul(y, x[0], x[1], MPFR_RNDN); return true;
  case KGI_OP_div: *ternary = mpfr_div(y, x[0], x[1], MPFR_RNDN); return true;
  case KGI_OP_rem: *ternary = mpfr_fmod(y, x[0], x[1], MPFR_RNDN); return true;
  case KGI_OP_mod: *ternary = floored_mod(y, x[0], x[1]); return true;
  case KGI_OP_neg: *ternary = mpfr_neg(y, x[0], MPFR_RNDN); return true;
  case KGI_OP_abs: *ternary = mpfr_abs(y, x[0], MPFR_RNDN); return true;
  case KGI_OP_abs_diff:
    *ternary = mpfr_greater_p(x[0], x[1]) ? mpfr_sub(y, x[0], x[1], MPFR_RNDN) : mpfr_sub(y, x[1], x[0], MPFR_RNDN);
    return true;
  case KGI_OP_min: *ternary = pick(y, x[0], x[1], true); return true;
  case KGI_OP_max: *ternary = pick(y, x[0], x[1], false); return true;
  case KGI_OP_clamp: pick(y, x[0], x[1], false); *ternary = pick(y, y, x[2], true); return true;
  case KGI_OP_fma: *ternary = mpfr_fma(y, x[0], x[1], x[2], MPFR_RNDN); return true;
  case KGI_OP_mulz:
    *ternary = mpfr_zero_p(x[0]) ? mpfr_set_zero(y, 1), 0 : mpfr_mul(y, x[0], x[1], MPFR_RNDN);
    return true;
  case KGI_OP_sign:
    *ternary = mpfr_nan_p(x[0]) || mpfr_zero_p(x[0]) ? mpfr_set(y, x[0], MPFR_RNDN) : mpfr_set_si(y, mpfr_sgn(x[0]), MPFR_RNDN);
    return true;
  case KGI_OP_floor: *ternary = mpfr_floor(y, x[0]), *ternary = 0; return true;
  case KGI_OP_ceil: *ternary = mpfr_ceil(y, x[0]), *ternary = 0; return true;
  case KGI_OP_trunc: *ternary = mpfr_trunc(y, x[0]), *ternary = 0; return true;
  case KGI_OP_round: *ternary = mpfr_roundeven(y, x[0]), *ternary = 0; return true;
  case KGI_OP_fract: *ternary = fraction(y, x[0]); return true;
  case KGI_OP_sqrt: *ternary = mpfr_sqrt(y, x[0], MPFR_RNDN); return true;
  default: return false;
  }
}

static void check_exact(kgi_op op, const format *f, mpfr_t y, mpfr_t *x, const uint64_t *args) {
  int ternary = 0;
  for (int k = 0; k < 3; k++) mpfr_set_d(x[k], number(f, args[k]), MPFR_RNDN);
  mpfr_set_emin(f->emin), mpfr_set_emax(f->emax);
  exactly(op, y, x, &ternary);
  ternary = mpfr_check_range(y, ternary, MPFR_RNDN);
  mpfr_subnormalize(y, ternary, MPFR_RNDN);
  double want = mpfr_get_d(y, MPFR_RNDN), got = number(f, eval(op, f, args));
  mpfr_set_emin(mpfr_get_emin_min()), mpfr_set_emax(mpfr_get_emax_max());
  bool same = isnan(want) ? isnan(got) : want == got && !signbit(want) == !signbit(got);
  ck_assert_msg(same, "%s %s(%a, %a, %a) = %a, not %a", kg_type_name(f->type), kgi_op_rows[op].name, number(f, args[0]),
                number(f, args[1]), number(f, args[2]), got, want);
}

START_TEST(exact_rows) {
  const format *f = &formats[_i];
  mpfr_t y, x[3];
  unsigned rows = 0;
  mpfr_init2(y, f->precision);
  for (int k = 0; k < 3; k++) mpfr_init2(x[k], f->precision);
  for (int op = 0; op < KGI_OP_COUNT; op++) {
    int ignored;
    if (!(kgi_op_rows[op].flags & KGI_EXACT) || !exactly((kgi_op)op, y, x, &ignored)) continue;
    rows++;
    unsigned arity = kgi_op_rows[op].arity, pairs = arity > 1 ? EDGES : 1;
    for (unsigned i = 0; i < EDGES * pairs + RANDOM; i++) {
      uint64_t args[4] = {0};
      bool edge = i < EDGES * pairs;
      for (unsigned k = 0; k < arity; k++)
        args[k] = edge && k < 2 ? to_bits(f, edges[k ? i / EDGES : i % EDGES]) : sample(f, EDGES + i);
      check_exact((kgi_op)op, f, y, x, args);
    }
  }
  ck_assert_uint_eq(rows, 21);
  for (int k = 0; k < 3; k++) mpfr_clear(x[k]);
  mpfr_clear(y);
}
END_TEST

/* ---- what is within a bound ---- */

typedef int one_fn(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int two_fn(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
static int to_exp2(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_exp2(y, x, r); }
/* GLSL's and C's reciprocal root of -0 is -inf; MPFR's is +inf. */
static int to_rsqrt(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) {
  int ternary = mpfr_rec_sqrt(y, x, r);
  if (mpfr_zero_p(x)) mpfr_setsign(y, y, mpfr_signbit(x), r);
  return ternary;
}
typedef struct row { kgi_op op; one_fn *one; two_fn *two; } row;
static const row rows[] = {
  {KGI_OP_rsqrt, to_rsqrt, NULL}, {KGI_OP_exp, mpfr_exp, NULL}, {KGI_OP_exp2, to_exp2, NULL}, {KGI_OP_expm1, mpfr_expm1, NULL},
  {KGI_OP_log, mpfr_log, NULL}, {KGI_OP_log2, mpfr_log2, NULL}, {KGI_OP_log1p, mpfr_log1p, NULL}, {KGI_OP_pow, NULL, mpfr_pow},
  {KGI_OP_sin, mpfr_sin, NULL}, {KGI_OP_cos, mpfr_cos, NULL}, {KGI_OP_tan, mpfr_tan, NULL}, {KGI_OP_asin, mpfr_asin, NULL},
  {KGI_OP_acos, mpfr_acos, NULL}, {KGI_OP_atan, mpfr_atan, NULL}, {KGI_OP_atan2, NULL, mpfr_atan2}, {KGI_OP_sinh, mpfr_sinh, NULL},
  {KGI_OP_cosh, mpfr_cosh, NULL}, {KGI_OP_tanh, mpfr_tanh, NULL}, {KGI_OP_asinh, mpfr_asinh, NULL},
  {KGI_OP_acosh, mpfr_acosh, NULL}, {KGI_OP_atanh, mpfr_atanh, NULL}, {KGI_OP_erf, mpfr_erf, NULL}, {KGI_OP_erfc, mpfr_erfc, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The distance to the exact value in units of the last place there, that of the smallest normal number below it. */
static double distance(const format *f, const mpfr_t exact, double got) {
  mpfr_t d;
  mpfr_init2(d, 300);
  mpfr_exp_t exponent = mpfr_zero_p(exact) ? f->emin : mpfr_get_exp(exact);
  if (exponent < f->emin + f->precision - 1) exponent = f->emin + f->precision - 1;
  mpfr_sub_d(d, exact, got, MPFR_RNDN);
  mpfr_mul_2si(d, d, (long)(f->precision - exponent), MPFR_RNDN);
  double ulps = fabs(mpfr_get_d(d, MPFR_RNDN));
  mpfr_clear(d);
  return ulps;
}

/* The largest number, and half a unit behind it: from there on a result is infinite. */
static bool overflows(const format *f, const mpfr_t exact) {
  mpfr_t rounded;
  mpfr_init2(rounded, f->precision);
  mpfr_set(rounded, exact, MPFR_RNDN);
  bool over = mpfr_regular_p(rounded) && mpfr_get_exp(rounded) > f->emax;
  mpfr_clear(rounded);
  return over;
}

static void check_bounded(const row *r, const format *f, mpfr_t y, mpfr_t *x, const uint64_t *args) {
  double a = number(f, args[0]), b = number(f, args[1]), got = number(f, eval(r->op, f, args)), worst = f->bound;
  mpfr_set_d(x[0], a, MPFR_RNDN), mpfr_set_d(x[1], b, MPFR_RNDN);
  if (r->one) r->one(y, x[0], MPFR_RNDN);
  else r->two(y, x[0], x[1], MPFR_RNDN);
  const char *name = kgi_op_rows[r->op].name;
  if (mpfr_nan_p(y)) ck_assert_msg(isnan(got), "%s(%a, %a) = %a, not NaN", name, a, b, got);
  else if (mpfr_inf_p(y) || overflows(f, y))
    ck_assert_msg(isinf(got) && (got < 0) == (mpfr_sgn(y) < 0), "%s(%a, %a) = %a, not infinite", name, a, b, got);
  else {
    double ulps = distance(f, y, got);
    ck_assert_msg(ulps <= worst, "%s %s(%a, %a) = %a, %g ulp off", kg_type_name(f->type), name, a, b, got, ulps);
    if (mpfr_zero_p(y)) ck_assert_msg(!signbit(got) == !mpfr_signbit(y), "%s(%a, %a): sign of zero", name, a, b);
  }
}

START_TEST(bounded_rows) {
  const format *f = &formats[_i / ROWS];
  const row *r = &rows[_i % ROWS];
  mpfr_t y, x[2];
  mpfr_init2(y, 300);
  for (int k = 0; k < 2; k++) mpfr_init2(x[k], 64);
  unsigned pairs = r->two ? EDGES : 1;
  for (unsigned i = 0; i < EDGES * pairs + RANDOM / 4; i++) {
    uint64_t args[4] = {0};
    for (unsigned k = 0; k < 2; k++)
      args[k] = i < EDGES * pairs ? to_bits(f, edges[k ? i / EDGES : i % EDGES]) : sample(f, EDGES + i);
    check_bounded(r, f, y, x, args);
  }
  for (int k = 0; k < 2; k++) mpfr_clear(x[k]);
  mpfr_clear(y);
}
END_TEST

/* ---- ldexp, tests, comparisons, conversions ---- */

START_TEST(ldexp_rounds_once) {
  const format *f = &formats[_i];
  mpfr_t y;
  mpfr_init2(y, f->precision);
  for (unsigned i = 0; i < RANDOM; i++) {
    uint64_t a = sample(f, i), spread = random_bits();
    int32_t b = (int32_t)(spread % (6u * (unsigned)f->emax)) - 3 * (int32_t)f->emax;
    if (i % 10 == 0) b = i % 20 ? INT32_MAX : INT32_MIN;
    mpfr_set_d(y, number(f, a), MPFR_RNDN);
    mpfr_set_emin(f->emin), mpfr_set_emax(f->emax);
    int ternary = mpfr_mul_2si(y, y, b, MPFR_RNDN);
    mpfr_subnormalize(y, mpfr_check_range(y, ternary, MPFR_RNDN), MPFR_RNDN);
    double want = mpfr_get_d(y, MPFR_RNDN), got = number(f, eval(KGI_OP_ldexp, f, (uint64_t[]){a, (uint32_t)b, 0, 0}));
    mpfr_set_emin(mpfr_get_emin_min()), mpfr_set_emax(mpfr_get_emax_max());
    ck_assert_msg(isnan(want) ? isnan(got) : want == got, "ldexp(%a, %d) = %a, not %a", number(f, a), b, got, want);
  }
  mpfr_clear(y);
}
END_TEST

START_TEST(comparisons_of_floats) {
  const format *f = &formats[_i];
  for (unsigned i = 0; i < EDGES * EDGES; i++) {
    uint64_t args[4] = {to_bits(f, edges[i % EDGES]), to_bits(f, edges[i / EDGES]), 0, 0}, y[8];
    double a = number(f, args[0]), b = number(f, args[1]);
    static const kgi_op ops[8] = {KGI_OP_eq, KGI_OP_ne, KGI_OP_lt, KGI_OP_le, KGI_OP_gt, KGI_OP_ge, KGI_OP_is_nan, KGI_OP_is_inf};
    for (int k = 0; k < 8; k++) ck_assert(kgi_eval(ops[k], f->type, KG_BOOL, args, &y[k]));
    ck_assert(y[0] == (a == b) && y[1] == (a != b) && y[2] == (a < b) && y[3] == (a <= b) && y[4] == (a > b) && y[5] == (a >= b));
    ck_assert(y[6] == (uint64_t)!!isnan(a) && y[7] == (uint64_t)!!isinf(a));
  }
}
END_TEST

/* To integers: toward zero, saturating, NaN to 0; MPFR clamps by itself. */
static uint64_t saturated(kg_type to, double x) {
  mpfr_t y;
  mpfr_init2(y, 200);
  mpfr_set_d(y, isnan(x) ? 0 : x, MPFR_RNDN);
  mpfr_rint_trunc(y, y, MPFR_RNDN);
  if (to == KG_I32 && mpfr_cmp_si(y, INT32_MAX) > 0) mpfr_set_si(y, INT32_MAX, MPFR_RNDN);
  if (to == KG_I32 && mpfr_cmp_si(y, INT32_MIN) < 0) mpfr_set_si(y, INT32_MIN, MPFR_RNDN);
  if (to == KG_U32 && mpfr_cmp_ui(y, UINT32_MAX) > 0) mpfr_set_ui(y, UINT32_MAX, MPFR_RNDN);
  bool is_signed = to == KG_I32 || to == KG_I64;
  uint64_t result = is_signed ? (uint64_t)mpfr_get_sj(y, MPFR_RNDZ) : mpfr_sgn(y) < 0 ? 0 : mpfr_get_uj(y, MPFR_RNDZ);
  mpfr_clear(y);
  return to == KG_I32 ? (uint32_t)result : result;
}

START_TEST(floats_to_integers) {
  const format *f = &formats[_i];
  static const double more[] = {2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0,
                                9223372036854774784.0, 9223372036854775808.0, -9223372036854775808.0, 18446744073709549568.0,
                                18446744073709551616.0, -0.99, 0.99, 2147483647.5, 4294967295.5};
  for (unsigned i = 0; i < RANDOM; i++)
    for (int to = KG_I32; to <= KG_U64; to++) {
      uint64_t a = i < 15 ? to_bits(f, more[i]) : sample(f, i - 15), y;
      ck_assert(kgi_eval(KGI_OP_convert, f->type, (kg_type)to, &a, &y));
      ck_assert_msg(y == saturated((kg_type)to, number(f, a)), "%s(%a) = %#llx", kg_type_name((kg_type)to), number(f, a),
                    (unsigned long long)y);
    }
}
END_TEST

static double rounded(const format *f, mpfr_t exact) {
  mpfr_t y;
  mpfr_init2(y, f->precision);
  mpfr_set_emin(f->emin), mpfr_set_emax(f->emax);
  int ternary = mpfr_set(y, exact, MPFR_RNDN);
  mpfr_subnormalize(y, mpfr_check_range(y, ternary, MPFR_RNDN), MPFR_RNDN);
  double result = mpfr_get_d(y, MPFR_RNDN);
  mpfr_set_emin(mpfr_get_emin_min()), mpfr_set_emax(mpfr_get_emax_max());
  mpfr_clear(y);
  return result;
}

START_TEST(numbers_to_floats) {
  const format *f = &formats[_i];
  mpfr_t exact;
  mpfr_init2(exact, 200);
  for (unsigned i = 0; i < RANDOM; i++) {
    uint64_t a = random_bits() >> (i % 64), y;
    ck_assert(kgi_eval(KGI_OP_convert, KG_U64, f->type, &a, &y));
    mpfr_set_uj(exact, a, MPFR_RNDN);
    ck_assert(number(f, y) == rounded(f, exact));
    a = (uint64_t)((int64_t)random_bits() >> (i % 64));
    ck_assert(kgi_eval(KGI_OP_convert, KG_I64, f->type, &a, &y));
    mpfr_set_sj(exact, (int64_t)a, MPFR_RNDN);
    ck_assert(number(f, y) == rounded(f, exact));
    for (int from = 0; from < 3; from++) {
      a = sample(&formats[from], i);
      ck_assert(kgi_eval(KGI_OP_convert, formats[from].type, f->type, &a, &y));
      mpfr_set_d(exact, number(&formats[from], a), MPFR_RNDN);
      double want = rounded(f, exact), got = number(f, y);
      ck_assert_msg(isnan(want) ? isnan(got) : want == got, "%s(%a) = %a", kg_type_name(f->type), number(&formats[from], a), got);
    }
  }
  mpfr_clear(exact);
}
END_TEST

/* Every f16 there and back; an operation's NaN is the quiet one, whatever went in. */
START_TEST(half_bits_and_nans) {
  for (uint32_t h = 0; h < 0x10000; h++) {
    bool nan = (h & 0x7C00) == 0x7C00 && (h & 0x3FF);
    ck_assert_uint_eq(kgi_half_encode(kgi_half_decode((uint16_t)h)), nan ? 0x7E00 : h);
  }
  ck_assert_uint_eq(eval(KGI_OP_sub, &formats[1], (uint64_t[]){0x7F800000, 0x7F800000, 0, 0}), 0x7FC00000);
  ck_assert_uint_eq(eval(KGI_OP_neg, &formats[1], (uint64_t[]){0x7FC00000, 0, 0, 0}), 0x7FC00000);
  ck_assert_uint_eq(eval(KGI_OP_add, &formats[1], (uint64_t[]){0xFFA00001, 0, 0, 0}), 0x7FC00000);
  ck_assert_uint_eq(eval(KGI_OP_sqrt, &formats[2], (uint64_t[]){0xBFF0000000000000, 0, 0, 0}), 0x7FF8000000000000);
  ck_assert_uint_eq(eval(KGI_OP_stop_gradient, &formats[1], (uint64_t[]){0xFFA00001, 0, 0, 0}), 0xFFA00001);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TABLE(exact_rows, 3), KGT_TABLE(bounded_rows, 3 * ROWS), KGT_TABLE(ldexp_rounds_once, 3),
    KGT_TABLE(comparisons_of_floats, 3), KGT_TABLE(floats_to_integers, 3), KGT_TABLE(numbers_to_floats, 3), KGT(half_bits_and_nans),
  };
  return kgt_run("reference/eval_float", tests, KGT_COUNT(tests));
}
