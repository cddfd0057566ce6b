/* Float operations against MPFR. What ops.def marks E, and has one result, is correctly rounded in f16, f32 and f64, bit for bit:
 * zeros, subnormals and NaN included, on all pairs of edges, triples of the sharpest, and random bits; f16 on a dense grid. Then
 * ldexp and comparisons. The other functions are held in test_reference_rounding and test_reference_functions. */
#include "tests/support/kgtest.h"
#include "tests/support/mpfr_values.h"

typedef kgt_format format;
#define formats kgt_formats

static uint64_t eval(kgi_op op, const format *f, const uint64_t *args) {
  uint64_t y = 0;
  ck_assert(kgi_eval(op, f->type, f->type, args, &y));
  return y;
}
static double number(const format *f, uint64_t bits) { return kgt_number(f, bits); }

static uint64_t state = 1;
static uint64_t random_bits(void) { return kgi_random(&state); }
static uint64_t mask(const format *f) { return kgt_sign(f) * 2 - 1; }

/* The bits of the nearest number of the format, by MPFR. */
static uint64_t to_bits(const format *f, double x) {
  mpfr_t y;
  mpfr_init2(y, f->precision);
  kgt_narrow(f);
  uint64_t bits = kgt_bits(f, y, mpfr_set_d(y, x, MPFR_RNDN));
  kgt_widen();
  mpfr_clear(y);
  return bits;
}

/* What every format has: both ends of the subnormals and of the numbers, infinity, NaNs quiet and not, and about 1, the largest odd
 * number and the first without halves; then numbers. The sharpest come first. Then all of them negative. */
enum { PATTERNS = 20, NUMBERS = 16, HALF = PATTERNS + NUMBERS, EDGES = 2 * HALF, SHARP = 13, RANDOM = 6000 };
static uint64_t edge(const format *f, unsigned i) {
  static const double numbers[NUMBERS] = {0.5, 1.5, 2, 2.5, 3, 0.75, 10, 7, 100.25, 65519, 1e-3, 6.1e-5, 0x1.ffcp-15,
                                          3.14159265358979, 88.7, 1 / 3.0};
  uint64_t leading = UINT64_C(1) << (f->precision - 1), infinity = kgt_infinity(f), one = infinity / 2 / leading * leading;
  uint64_t whole = one + ((uint64_t)f->precision - 1) * leading; /* the first number whose last place is 1 */
  const uint64_t patterns[PATTERNS] = {
    0, 1, leading - 1, leading, one, one + 1, infinity - 1, infinity, f->nan, one - 1, leading + 1, whole - 1, whole + leading - 1,
    infinity + 1, mask(f) / 2, 2, 3, leading / 2, whole - leading, whole + 1,
  };
  uint64_t sign = i >= HALF ? kgt_sign(f) : 0;
  i %= HALF;
  return sign | (i < PATTERNS ? patterns[i] : to_bits(f, numbers[i - PATTERNS]));
}

/* All patterns, numbers of moderate size, and neighbours of edges, in turn. */
static uint64_t sample(const format *f, unsigned i) {
  uint64_t r = random_bits();
  if (i % 4 == 3) return (edge(f, (unsigned)(r % EDGES)) + (r >> 40) % 8 - 4) & mask(f);
  if (i % 2) return r & mask(f);
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
  case KGI_OP_with_partial: *ternary = mpfr_set(y, x[0], MPFR_RNDN); return true;
  default: return false;
  }
}

static void check_exact(kgi_op op, const format *f, mpfr_t y, mpfr_t *x, const uint64_t *args) {
  int ternary = 0;
  for (int k = 0; k < 3; k++) mpfr_set_d(x[k], number(f, args[k]), MPFR_RNDN);
  kgt_narrow(f);
  exactly(op, y, x, &ternary);
  uint64_t want = kgt_bits(f, y, ternary), got;
  kgt_widen();
  got = eval(op, f, args);
  ck_assert_msg(got == want, "%s %s(%a, %a, %a) = %#llx, not %#llx", kg_type_name(f->type),
                kgi_op_rows[op].name, number(f, args[0]), number(f, args[1]), number(f, args[2]), (unsigned long long)got,
                (unsigned long long)want);
}

static void check_row(kgi_op op, const format *f, mpfr_t y, mpfr_t *x) {
  unsigned arity = kgi_op_rows[op].arity, pairs = arity > 1 ? EDGES : 1;
  uint64_t args[4] = {0};
  for (unsigned i = 0; i < EDGES * pairs; i++) {
    args[0] = edge(f, i % EDGES), args[1] = arity > 1 ? edge(f, i / EDGES) : 0, args[2] = arity > 2 ? sample(f, i) : 0;
    check_exact(op, f, y, x, args);
  }
  for (unsigned i = 0; i < 8 * SHARP * SHARP * SHARP && arity > 2; i++) {
    unsigned rest = i / 8;
    for (unsigned k = 0; k < 3; k++, rest /= SHARP) args[k] = edge(f, rest % SHARP + (i >> k & 1 ? HALF : 0));
    check_exact(op, f, y, x, args);
  }
  for (unsigned i = 0; i < RANDOM; i++) {
    for (unsigned k = 0; k < arity; k++) args[k] = sample(f, i >> k);
    if (i % 3 == 1 && arity > 1) args[1] = args[0] ^ (random_bits() % 16) ^ (i % 2 ? kgt_sign(f) : 0); /* cancellation */
    check_exact(op, f, y, x, args);
  }
}

/* c is next to minus a b, so that what is left of a fused product shows. */
static void check_fused(const format *f, mpfr_t y, mpfr_t *x) {
  for (unsigned i = 0; i < RANDOM; i++) {
    uint64_t args[4] = {sample(f, 2 * i), sample(f, 4 * i), 0, 0};
    args[2] = (eval(KGI_OP_mul, f, args) ^ kgt_sign(f)) + random_bits() % 5 - 2;
    args[2] &= mask(f);
    check_exact(KGI_OP_fma, f, y, x, args);
  }
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
    check_row((kgi_op)op, f, y, x);
    rows++;
  }
  check_fused(f, y, x);
  ck_assert_uint_eq(rows, 22);
  for (int k = 0; k < 3; k++) mpfr_clear(x[k]);
  mpfr_clear(y);
}
END_TEST

static const kgi_op ops[] = {KGI_OP_add, KGI_OP_sub, KGI_OP_mul, KGI_OP_div};

/* Every f16 against some four hundred others, for each of add, sub, mul, div. */
START_TEST(halves_on_a_grid) {
  const format *f = &formats[0];
  mpfr_t y, x[3];
  mpfr_init2(y, f->precision);
  for (int k = 0; k < 3; k++) mpfr_init2(x[k], f->precision), mpfr_set_zero(x[k], 1);
  for (uint32_t a = 0, b = 0; a < 0x10000; a += 5)
    for (unsigned i = 0; i < 12; i++) check_exact(ops[_i], f, y, x, (uint64_t[]){a, b = (b + 5519) & 0xFFFF, 0, 0});
  for (int k = 0; k < 3; k++) mpfr_clear(x[k]);
  mpfr_clear(y);
}
END_TEST

/* ---- ldexp, tests, comparisons, conversions ---- */

static const int32_t powers[] = {0, 1, -1, 10, -10, 24, -24, 126, -126, 127, 149, -149, 277, -277, 1022, -1074, 2098, -2098, INT32_MAX,
                                 INT32_MIN};
enum { POWERS = sizeof powers / sizeof *powers };

START_TEST(ldexp_rounds_once) {
  const format *f = &formats[_i];
  mpfr_t y;
  mpfr_init2(y, f->precision);
  for (unsigned i = 0; i < EDGES * POWERS + RANDOM; i++) {
    bool edges = i < EDGES * POWERS;
    uint64_t a = edges ? edge(f, i / POWERS) : sample(f, i), got, want;
    int32_t b = edges ? powers[i % POWERS] : (int32_t)(random_bits() % (6u * (unsigned)f->emax)) - 3 * (int32_t)f->emax;
    mpfr_set_d(y, number(f, a), MPFR_RNDN);
    kgt_narrow(f);
    want = kgt_bits(f, y, mpfr_mul_2si(y, y, b, MPFR_RNDN));
    kgt_widen();
    got = eval(KGI_OP_ldexp, f, (uint64_t[]){a, (uint32_t)b, 0, 0});
    ck_assert_msg(got == want, "ldexp(%a, %d) = %a, not %a", number(f, a), b, number(f, got), number(f, want));
  }
  mpfr_clear(y);
}
END_TEST

/* Told from the bits: numbers are ordered as their magnitudes are, zeros are equal, a NaN is nothing's equal. */
START_TEST(comparisons_of_floats) {
  const format *f = &formats[_i];
  static const kgi_op ops[] = {KGI_OP_eq, KGI_OP_ne, KGI_OP_lt, KGI_OP_le, KGI_OP_gt, KGI_OP_ge, KGI_OP_is_nan, KGI_OP_is_inf};
  for (unsigned i = 0; i < EDGES * EDGES; i++) {
    uint64_t args[4] = {edge(f, i % EDGES), edge(f, i / EDGES), 0, 0}, y[8], magnitude[2];
    int64_t place[2];
    for (int k = 0; k < 2; k++) {
      magnitude[k] = args[k] & (kgt_sign(f) - 1);
      place[k] = args[k] & kgt_sign(f) ? -(int64_t)magnitude[k] : (int64_t)magnitude[k];
    }
    bool nan = magnitude[0] > kgt_infinity(f) || magnitude[1] > kgt_infinity(f);
    for (int k = 0; k < 8; k++) ck_assert(kgi_eval(ops[k], f->type, KG_BOOL, args, &y[k]));
    ck_assert(y[0] == (!nan && place[0] == place[1]) && y[1] == !y[0]);
    ck_assert(y[2] == (!nan && place[0] < place[1]) && y[3] == (!nan && place[0] <= place[1]));
    ck_assert(y[4] == (!nan && place[0] > place[1]) && y[5] == (!nan && place[0] >= place[1]));
    ck_assert(y[6] == (magnitude[0] > kgt_infinity(f)) && y[7] == (magnitude[0] == kgt_infinity(f)));
  }
}
END_TEST

/* An operation's NaN is the quiet, positive one, whatever went in; what only moves bits leaves them. */
START_TEST(nans) {
  ck_assert_uint_eq(eval(KGI_OP_sub, &formats[1], (uint64_t[]){0x7F800000, 0x7F800000, 0, 0}), 0x7FC00000);
  ck_assert_uint_eq(eval(KGI_OP_neg, &formats[1], (uint64_t[]){0x7FC00000, 0, 0, 0}), 0x7FC00000);
  ck_assert_uint_eq(eval(KGI_OP_add, &formats[1], (uint64_t[]){0xFFA00001, 0, 0, 0}), 0x7FC00000);
  ck_assert_uint_eq(eval(KGI_OP_sqrt, &formats[2], (uint64_t[]){0xBFF0000000000000, 0, 0, 0}), 0x7FF8000000000000);
  ck_assert_uint_eq(eval(KGI_OP_stop_gradient, &formats[1], (uint64_t[]){0xFFA00001, 0, 0, 0}), 0xFFA00001);
  uint64_t y, select[4] = {1, 0xFFA00001, 0, 0};
  ck_assert(kgi_eval(KGI_OP_select, KG_F32, KG_F32, select, &y) && y == 0xFFA00001);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TIMES(exact_rows, KGT_COUNT(formats)), KGT_TIMES(halves_on_a_grid, KGT_COUNT(ops)), KGT_TIMES(ldexp_rounds_once, KGT_COUNT(formats)), KGT_TIMES(comparisons_of_floats, KGT_COUNT(formats)),
    KGT(nans),
  };
  return kgt_run("reference/eval_float", tests, KGT_COUNT(tests));
}
