/* Functions of one operand are correctly rounded in f16 and f32, bit for bit, zeros and NaN included. f16: at every argument. f32:
 * at the arguments that lie nearest to a tie, which tests/reference/exhaustive.c found among all, and at a fixed sample. */
#include "tests/support/kgtest.h"
#include "tests/support/mpfr_values.h"
#include "reference/rounding.h"

#if defined __SANITIZE_ADDRESS__
enum { SAMPLE = 1000, HALVES = 7 }; /* every so many; sanitizers make everything ten times slower */
#else
enum { SAMPLE = 6000, HALVES = 1 };
#endif

static void check(const kgt_format *f, kgi_op op, kgt_fn_1 *exact, mpfr_t y, mpfr_t x, uint64_t bits) {
  uint64_t got = 0, want = kgt_nearest(f, exact, y, x, bits);
  ck_assert(kgi_eval(op, f->type, f->type, &bits, &got));
  ck_assert_msg(got == want, "%s %s(%a) = %#llx, not %#llx", kg_type_name(f->type), kgi_op_rows[op].name, kgt_number(f, bits),
                (unsigned long long)got, (unsigned long long)want);
}

/* ---- f16, all of it ---- */

static int to_floor(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_rint_floor(y, x, r); }
static int to_ceil(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_rint_ceil(y, x, r); }
static int to_trunc(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_rint_trunc(y, x, r); }
static int to_round(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_rint_roundeven(y, x, r); }
static int to_abs(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_abs(y, x, r); }
static int to_sign(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) {
  return mpfr_nan_p(x) || mpfr_zero_p(x) ? mpfr_set(y, x, r) : mpfr_set_si(y, mpfr_sgn(x), r);
}
/* a - floor(a): of an infinity NaN */
static int to_fract(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) {
  mpfr_t whole;
  mpfr_init2(whole, 64);
  mpfr_floor(whole, x);
  int ternary = mpfr_sub(y, x, whole, r);
  mpfr_clear(whole);
  return ternary;
}
static const kgt_function roundings[] = {
  {KGI_OP_floor, to_floor}, {KGI_OP_ceil, to_ceil}, {KGI_OP_trunc, to_trunc}, {KGI_OP_round, to_round},
  {KGI_OP_abs, to_abs},     {KGI_OP_neg, mpfr_neg}, {KGI_OP_sign, to_sign},   {KGI_OP_fract, to_fract},
};
enum { ROUNDINGS = sizeof roundings / sizeof *roundings };

START_TEST(every_half) {
  const kgt_function *r = _i < KGT_FUNCTIONS ? &kgt_functions[_i] : &roundings[_i - KGT_FUNCTIONS];
  mpfr_t x, y;
  mpfr_init2(x, 53), mpfr_init2(y, 11);
  for (uint64_t bits = 0; bits < 0x10000; bits += HALVES) check(&kgt_formats[0], r->op, r->exact, y, x, bits);
  mpfr_clears(x, y, (mpfr_ptr)NULL);
}
END_TEST

/* ---- f32 ---- */

static const struct { kgi_op op; uint32_t bits; } hard[] = {
#include "tests/reference/hard_arguments.def"
};
enum { HARD = sizeof hard / sizeof *hard };

START_TEST(hard_arguments) {
  const kgt_function *r = &kgt_functions[_i];
  unsigned found = 0;
  mpfr_t x, y;
  mpfr_init2(x, 53), mpfr_init2(y, 24);
  for (unsigned i = 0; i < HARD; i++) {
    if (hard[i].op != r->op) continue;
    check(&kgt_formats[1], r->op, r->exact, y, x, hard[i].bits);
    check(&kgt_formats[1], r->op, r->exact, y, x, hard[i].bits ^ 0x80000000);
    found++;
  }
  ck_assert_uint_ge(found, 4);
  mpfr_clears(x, y, (mpfr_ptr)NULL);
}
END_TEST

/* All patterns, numbers of moderate size, and what lies around the ends of the formats and of the functions' domains, in turn. */
static uint32_t sample(uint64_t *state, unsigned i) {
  static const uint32_t ends[] = {
    0, 0x00000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0x3F000000, 0x40000000, 0x42B17218 /* exp's overflow */,
    0x42CFF1B5 /* and underflow */, 0x43000000, 0x42FC0000, 0x43150000, 0x3FC90FDB, 0x40490FDB, 0x41102CB4 /* tanh is 1 */,
    0x4120A000 /* erfc underflows */, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF,
  };
  enum { ENDS = sizeof ends / sizeof *ends };
  float small;
  uint32_t bits;
  if (i < 2 * ENDS) return ends[i / 2] | (i % 2 ? 0x80000000 : 0);
  if (i % 4 == 0) return (uint32_t)kgi_random(state);
  if (i % 4 == 1) {
    bits = ends[kgi_random(state) % ENDS];
    return (bits + (uint32_t)(kgi_random(state) % 64) - 32) ^ (i % 8 == 1 ? 0x80000000 : 0);
  }
  small = (float)kgi_random_between(state, i % 4 == 2 ? -1.5 : -100, i % 4 == 2 ? 1.5 : 100);
  return memcpy(&bits, &small, sizeof bits), bits;
}

START_TEST(sampled_floats) {
  bool rounds = _i >= KGT_FUNCTIONS;
  const kgt_function *r = rounds ? &roundings[_i - KGT_FUNCTIONS] : &kgt_functions[_i];
  uint64_t state = (uint64_t)_i;
  mpfr_t x, y;
  mpfr_init2(x, 53), mpfr_init2(y, 24);
  for (unsigned i = 0; i < SAMPLE; i++) check(&kgt_formats[1], r->op, r->exact, y, x, sample(&state, i));
  mpfr_clears(x, y, (mpfr_ptr)NULL);
}
END_TEST

/* ---- neighbours ---- */

static void check_neighbours(double x) {
  double up = nextafter(x, (double)INFINITY), down = nextafter(x, -(double)INFINITY);
  float near = (float)x;
  ck_assert_msg(kgi_next_up(x) == up || (isnan(x) && isnan(kgi_next_up(x))), "above %a: %a, not %a", x, kgi_next_up(x), up);
  ck_assert_msg(kgi_next_down(x) == down || (isnan(x) && isnan(kgi_next_down(x))), "below %a: %a, not %a", x, kgi_next_down(x), down);
  if (isnan(x)) return;
  double low = (double)((double)near > x ? nextafterf(near, -INFINITY) : near);
  double high = (double)((double)near < x ? nextafterf(near, INFINITY) : near);
  ck_assert_msg(kgi_round_down(KG_F32, x) == low && kgi_round_up(KG_F32, x) == high, "%a lies between %a and %a", x, low, high);
}

START_TEST(neighbours) {
  const double edges[] = {0, 0x1p-1074, 0x0.fffffffffffffp-1022, 0x1p-1022, 0x1p-149, 0x1p-126, 1, 0x1.fffffep127, 0x1.ffffffp127,
                          0x1.fffffffffffffp1023, (double)INFINITY, (double)NAN};
  for (unsigned i = 0; i < KGT_COUNT(edges); i++)
    for (int way = -1; way <= 1; way++) {
      double x = way ? nextafter(edges[i], way * (double)INFINITY) : edges[i];
      check_neighbours(x), check_neighbours(-x);
    }
  uint64_t bits = 1;
  for (unsigned i = 0; i < SAMPLE; i++) {
    double x;
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    memcpy(&x, &bits, sizeof x);
    check_neighbours(x), check_neighbours((double)(float)ldexp(1 + (double)(bits >> 12) * 0x1p-52, (int)(bits % 280) - 152));
  }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TIMES(every_half, KGT_FUNCTIONS + ROUNDINGS), KGT_TIMES(hard_arguments, KGT_FUNCTIONS),
    KGT_TIMES(sampled_floats, KGT_FUNCTIONS + ROUNDINGS), KGT_TIMES(neighbours, 1),
  };
  return kgt_run("reference/rounding", tests, KGT_COUNT(tests));
}
