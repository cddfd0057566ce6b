/* Functions where they are hard. f64 functions of one operand: within 3 units in the last place, next to their zeros, poles, ends
 * and where the C library changes its method. pow, atan2, hypot: within 3 units in f64; in f16 and f32 correctly rounded, but where
 * the exact result lies within 2^-30 units of a tie; where bases are next to 1, results at the ends of the format, cases exact,
 * exponents odd or even, and on all pairs of edges. */
#include "tests/support/kgtest.h"
#include "tests/support/mpfr_values.h"

static const double BOUND = 3;

static uint64_t state;
static uint64_t draw(void) { return kgi_random(&state); }
static double uniform(double lo, double hi) { return kgi_random_between(&state, lo, hi); }
/* Of either sign, of a size that is spread over so many binades. */
static double spread(int least, int most) { return ldexp(uniform(-1, 1), least + (int)(draw() % (unsigned)(most - least + 1))); }
static uint64_t bits_of(double x) {
  uint64_t bits;
  return memcpy(&bits, &x, sizeof bits), bits;
}
static double double_of(uint64_t bits) { return kgt_number(&kgt_formats[2], bits); }

static void check(const kgt_format *f, kgi_op op, const mpfr_t exact, uint64_t got, double a, double b) {
  double y = kgt_number(f, got);
  const char *name = kgi_op_rows[op].name;
  if (mpfr_nan_p(exact)) ck_assert_msg(got == f->nan, "%s(%a, %a) = %a, not NaN", name, a, b, y);
  else if (mpfr_inf_p(exact) || kgt_overflows(f, exact))
    ck_assert_msg(isinf(y) && (y < 0) == (mpfr_sgn(exact) < 0), "%s(%a, %a) = %a, not infinite", name, a, b, y);
  else {
    double ulps = kgt_distance(f, exact, y);
    ck_assert_msg(ulps <= BOUND, "%s(%a, %a) = %a, %g ulp off", name, a, b, y, ulps);
    ck_assert_msg(!signbit(y) == !mpfr_signbit(exact), "%s(%a, %a): sign of %a", name, a, b, y);
  }
}

/* ---- f64, one operand ---- */

/* Where to look, beside everywhere. */
typedef struct place { kgi_op op; double at[8]; } place;
static const place places[] = {
  {KGI_OP_rsqrt, {1, 4, 3e-310, 1e300}},
  {KGI_OP_exp, {0.3465, 1, 709.782712893384, -708.396418532264, -745.1332191019411, -720, 100}},
  {KGI_OP_exp2, {0.5, 1, 1023.9999999, -1022, -1074, -1050}},
  {KGI_OP_expm1, {1e-9, 0.3465, -0.3465, 1.04, 709.782712893384, -37.4, -1, 56}},
  {KGI_OP_log, {1, 1.0000001, 0.9375, 1.0647, 2, 0.5, 3e-310}},
  {KGI_OP_log2, {1, 1.0000001, 0.9375, 1.0647, 2, 0.5, 3e-310}},
  {KGI_OP_log1p, {-1, -0.99999, 0.4142, -0.29289, 1e-9, 1e5}},
  {KGI_OP_sin, {3.141592653589793, 1e5, 1e22, 0x1.6ac5b262ca1ffp849, 0.855, 2.426, 1e-9}},
  {KGI_OP_cos, {1.5707963267948966, 1e5, 1e22, 0x1.6ac5b262ca1ffp849, 0.855, 2.426, 1e-9}},
  {KGI_OP_tan, {1.5707963267948966, 0.7853981633974483, 1e22, 0x1.6ac5b262ca1ffp849, 0.06, 25, 1e-9}},
  {KGI_OP_sinc, {3.141592653589793, 4.493409457909064, 1e22, 0x1.6ac5b262ca1ffp849, 1e-9, 0.125, 1, 7.725251836937707}},
  {KGI_OP_asin, {1, -1, 0.5, -0.5, 0.125, 0.96875, 1e-9}},
  {KGI_OP_acos, {1, -1, 0.5, -0.5, 0.125, 0.96875, 1e-9}},
  {KGI_OP_atan, {1, 0.0625, 16, 1e10, -1, 0.5, 1e-9}},
  {KGI_OP_sinh, {1e-9, 1, 22, 0.3465, 710.4758600739439, 709.78, -0.5}},
  {KGI_OP_cosh, {1e-9, 1, 22, 0.3465, 710.4758600739439, 709.78, -0.5}},
  {KGI_OP_tanh, {1e-9, 1, 22, 0.55, 0.25, -0.3, 19}},
  {KGI_OP_asinh, {1e-9, 1, 2, 0.5, 0.1, 2.7e8, 1e300}},
  {KGI_OP_acosh, {1, 1.0000001, 1.01, 1.5, 2, 2.7e8, 1e300}},
  {KGI_OP_atanh, {1e-9, 0.5, -0.5, 1, -1, 0.1, 0.25}},
  {KGI_OP_erf, {1e-9, 0.84375, 1.25, 2.857142857, 6, 1, -1.5}},
  {KGI_OP_erfc, {0.25, 0.84375, 1.25, 2.857142857, 6, 26.5, 27.2, 20}},
};
enum { PLACES = sizeof places / sizeof *places, TRIES = 4000 };

static double around(const place *p, unsigned i) {
  unsigned count = 8;
  while (count > 1 && p->at[count - 1] == 0) count--;
  double at = p->at[draw() % count];
  bool turns = p->op == KGI_OP_sin || p->op == KGI_OP_cos || p->op == KGI_OP_tan;
  uint64_t steps = draw() >> (12 + draw() % 51);
  if (turns && i % 3 == 0) return rint(spread(1, 45)) * 1.5707963267948966; /* next to a zero or a pole */
  if (i % 5 == 0) return double_of(bits_of(at) + steps);
  if (i % 5 == 1) return double_of(bits_of(at) - steps);
  if (i % 5 == 2) return at * (1 + spread(-40, -1));
  return i % 5 == 3 ? double_of(draw()) : spread(-60, 6);
}

START_TEST(hard_doubles) {
  const kgt_format *f = &kgt_formats[2];
  const place *p = &places[_i];
  kgt_fn_1 *exact = NULL;
  for (unsigned k = 0; k < KGT_FUNCTIONS; k++)
    if (kgt_functions[k].op == p->op) exact = kgt_functions[k].exact;
  ck_assert_ptr_nonnull(exact);
  state = (uint64_t)_i;
  mpfr_t x, y;
  mpfr_init2(x, 53), mpfr_init2(y, 120);
  for (unsigned i = 0; i < TRIES; i++) {
    double a = around(p, i);
    uint64_t bits = bits_of(a), got = 0;
    mpfr_set_d(x, a, MPFR_RNDN);
    exact(y, x, MPFR_RNDN);
    ck_assert(kgi_eval(p->op, KG_F64, KG_F64, &bits, &got));
    check(f, p->op, y, got, a, 0);
  }
  mpfr_clears(x, y, (mpfr_ptr)NULL);
}
END_TEST

/* sqrt is exact. */
START_TEST(every_function_has_places) {
  for (unsigned k = 0; k < KGT_FUNCTIONS; k++) {
    bool found = kgt_functions[k].op == KGI_OP_sqrt;
    for (unsigned i = 0; i < PLACES; i++) found |= places[i].op == kgt_functions[k].op;
    ck_assert_msg(found, "where is %s hard?", kgi_op_rows[kgt_functions[k].op].name);
  }
}
END_TEST

/* ---- two operands ---- */

/* The format's edges, and numbers that powers treat in their own ways. */
static unsigned edges_of(const kgt_format *f, uint64_t *edges) {
  static const double numbers[] = {0.5, 1, 1.5, 2, 3, 4, 5, 10, 0.25, 1.0 / 3, 7.5, 1024, 2047, 2048, 2049};
  uint64_t leading = UINT64_C(1) << (f->precision - 1), infinity = kgt_infinity(f), one = bits_of(1);
  unsigned n = 0;
  kgi_eval(KGI_OP_convert, KG_F64, f->type, &one, &one);
  const uint64_t patterns[] = {0, 1, 2, leading - 1, leading, leading + 1, one - 1, one + 1, infinity - 1, infinity, infinity + 1,
                               f->nan, one + (uint64_t)f->precision * leading - leading + 1 /* the largest odd numbers */};
  for (unsigned k = 0; k < sizeof patterns / sizeof *patterns; k++) edges[n++] = patterns[k];
  for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    uint64_t wide = bits_of(numbers[k]);
    kgi_eval(KGI_OP_convert, KG_F64, f->type, &wide, &edges[n++]);
  }
  for (unsigned k = 0, half = n; k < half; k++) edges[n++] = edges[k] | kgt_sign(f);
  return n;
}
enum { EDGES = 64, PAIRS = 6000 };

/* A power whose result is about 2^target. */
static void power_to(double base, double target, double *x) { x[0] = base, x[1] = target / log2(base); }

static void hard_pow(const kgt_format *f, unsigned i, double *x) {
  double lowest = (double)f->emin, highest = (double)f->emax, ulp = ldexp(1, 1 - (int)f->precision);
  switch (i % 8) {
  case 0: x[0] = ldexp(1 + uniform(0, 1), (int)(draw() % 8) - 4), x[1] = uniform(-20, 20); break;
  case 1: power_to(1 + (1 + (double)(draw() % 1000)) * ulp, uniform(lowest, highest), x); break;
  case 2: power_to(1 - (1 + (double)(draw() % 1000)) * ulp, uniform(lowest, highest), x); break;
  case 3: x[0] = (double)(draw() % 200), x[1] = (double)(draw() % 40) - 20; break;                  /* often exact */
  case 4: x[0] = -uniform(0.1, 10), x[1] = rint(spread(1, 7)); break;
  case 5: power_to(uniform(1.1, 50), lowest + uniform(-2, 14), x); break;                            /* subnormal */
  case 6: power_to(uniform(1.1, 50), highest + uniform(-1, 1), x); break;                            /* at the largest */
  default: x[0] = (double)(draw() % 100), x[0] *= x[0], x[1] = (double)(draw() % 20) / 2 - 5; break; /* roots of squares */
  }
  if (i % 64 != 4) return;
  x[0] = -1 - ulp * (double)(draw() % 3), x[1] = rint(ldexp(uniform(0.5, 1), (int)f->precision + (int)(draw() % 3)));
}

static void hard_atan2(const kgt_format *f, unsigned i, double *x) {
  int lowest = (int)f->emin, highest = (int)f->emax;
  x[0] = spread(lowest, highest), x[1] = spread(lowest, highest);
  if (i % 4 == 1) x[1] = x[0] * (1 + spread(-50, 0));                     /* next to the diagonals */
  if (i % 4 == 2) x[0] = x[1] * spread(lowest, lowest + 30);              /* results at the small end */
  if (i % 4 == 3) x[0] = spread(lowest, 0), x[1] = -fabs(spread(0, 4)); /* next to pi */
}

/* Pythagorean and nearly, squares that overflow and underflow, and roots next to a tie: large + small^2 / (2 large). */
static void hard_hypot(const kgt_format *f, unsigned i, double *x) {
  int lowest = (int)f->emin, highest = (int)f->emax, digits = (int)f->precision, scale = (int)(draw() % 20) - 10;
  double m = (double)(1 + draw() % 30), n = (double)(1 + draw() % 30), odd = floor(uniform(ldexp(1, digits - 1), ldexp(1, digits)));
  x[0] = spread(lowest, highest), x[1] = x[0] * spread(-2 * digits, 1);
  if (i % 4 == 1) x[0] = ldexp(m * m - n * n, scale), x[1] = ldexp(2 * m * n, scale);
  if (i % 4 == 2) x[0] = odd, x[1] = sqrt(odd + 0.25) * (1 + (double)(draw() % 3) * ldexp(1, -digits));
  if (i % 4 == 3) x[0] = spread(highest - 1, highest), x[1] = spread(highest - 12, highest);
}

typedef struct pair_row { kgi_op op; kgt_fn_2 *exact; void (*hard)(const kgt_format *f, unsigned i, double *x); } pair_row;
static const pair_row pair_rows[] = {
#define FUN2(name, ...) {KGI_OP_##name, kgt_##name, hard_##name},
#include "foundation/ir/ops.def"
};

static void choose_pair(const kgt_format *f, const pair_row *r, unsigned i, const uint64_t *edges, unsigned count, uint64_t *args) {
  double x[2];
  if (i < count * count) args[0] = edges[i / count], args[1] = edges[i % count];
  else if (i % 16 == 0) args[0] = draw() >> (64 - f->bits), args[1] = draw() >> (64 - f->bits);
  else {
    r->hard(f, i, x);
    for (unsigned k = 0; k < 2; k++) {
      uint64_t wide = bits_of(x[k]);
      kgi_eval(KGI_OP_convert, KG_F64, f->type, &wide, &args[k]);
    }
  }
}

START_TEST(hard_pairs) {
  const kgt_format *f = &kgt_formats[_i / KGT_PAIRS];
  const pair_row *r = &pair_rows[_i % KGT_PAIRS];
  uint64_t edges[EDGES], args[4] = {0}, got = 0, want;
  unsigned count = edges_of(f, edges);
  ck_assert_uint_le(count, EDGES);
  state = (uint64_t)_i;
  mpfr_t a, b, rounded, y;
  mpfr_inits2(53, a, b, (mpfr_ptr)NULL);
  mpfr_init2(rounded, f->precision), mpfr_init2(y, 200);
  for (unsigned i = 0; i < count * count + PAIRS; i++) {
    choose_pair(f, r, i, edges, count, args);
    mpfr_set_d(a, kgt_number(f, args[0]), MPFR_RNDN), mpfr_set_d(b, kgt_number(f, args[1]), MPFR_RNDN);
    ck_assert(kgi_eval(r->op, f->type, f->type, args, &got));
    if (f->type == KG_F64) {
      r->exact(y, a, b, MPFR_RNDN);
      check(f, r->op, y, got, kgt_number(f, args[0]), kgt_number(f, args[1]));
      continue;
    }
    kgt_narrow(f);
    int ternary = r->exact(rounded, a, b, MPFR_RNDN);
    want = kgt_bits(f, rounded, ternary);
    kgt_widen();
    r->exact(y, a, b, MPFR_RNDN);
    bool tie = ternary != 0 && mpfr_regular_p(y) && kgt_distance(f, y, kgt_number(f, got)) <= 0.5 + 0x1p-30;
    ck_assert_msg(got == want || tie, "%s %s(%a, %a) = %a, not %a", kg_type_name(f->type), kgi_op_rows[r->op].name,
                  kgt_number(f, args[0]), kgt_number(f, args[1]), kgt_number(f, got), kgt_number(f, want));
  }
  mpfr_clears(a, b, rounded, y, (mpfr_ptr)NULL);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(hard_doubles, KGT_COUNT(places)), KGT_TIMES(hard_pairs, KGT_COUNT(kgt_formats) * KGT_PAIRS),
                            KGT(every_function_has_places)};
  return kgt_run("reference/functions", tests, KGT_COUNT(tests));
}
