/* Functions of f64 at constants: what is said to be certain is what MPFR rounds to, and in the range that kernels have hardly anything
 * is left open. */
#include "foundation/ir/certain.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/builder.h"
#include "tests/support/kgtest.h"
#include "tests/support/mpfr_values.h"

#include <stdio.h>

enum { RANDOM = 400 };
static const kgt_format *const f64 = &kgt_formats[2];
static uint64_t state = 1;

static double number(uint64_t bits) { return kgt_number(f64, bits); }

static void compare(const char *name, const uint64_t *args, unsigned arity, uint64_t got, uint64_t want) {
  ck_assert_msg(got == want, "%s(%.17g%s%.17g) = %.17g, not %.17g", name, number(args[0]), arity > 1 ? ", " : " ", arity > 1 ? number(args[1]) : 0,
               number(got), number(want));
}

/* In turn: around 1, of any moderate size, few bits, any bits. */
static double argument(unsigned i) {
  double x = kgi_random_between(&state, -1, 1);
  if (i % 4 == 1) x *= ldexp(1, (int)(kgi_random(&state) % 20) - 12);
  if (i % 4 == 2) x = rint(x * 64) / 16;
  if (i % 4 == 3) x = number(kgi_canonical_bits(KG_F64, kgi_random(&state)));
  return x;
}

static const double edges[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 4, 0.25, 3, 10, 1e-3, 1e3, 1e10, 1e300, 1e-300, 0x1p-1074, 0x1p1023, 700, -700,
                               709.78, 710, -745, 5.9, 6, -6, 27, 0x1.fffffffffffffp-1, 0x1.0000000000001p0,
                               0x1p40, 0x1p62};
enum { EDGES = sizeof edges / sizeof *edges };

START_TEST(functions) {
  const kgt_function *fn = &kgt_functions[_i];
  unsigned moderate = 0, certain = 0;
  mpfr_t x, y;
  mpfr_init2(x, 53), mpfr_init2(y, 53);
  for (unsigned i = 0; i < EDGES + RANDOM; i++) {
    double a = i < EDGES ? edges[i] : argument(i);
    uint64_t bits = kgi_float_bits(KG_F64, a), got;
    uint64_t want = kgt_nearest(f64, fn->exact, y, x, bits);
    bool known = fn->op != KGI_OP_sqrt && kgi_certain(fn->op, &bits, &got);
    bool tail = fn->op == KGI_OP_erfc && a >= 6; /* results are tiny */
    bool asked = i >= EDGES && !tail && i % 4 != 3 && isfinite(number(want)) && fn->op != KGI_OP_sqrt;
    moderate += asked, certain += asked && known;
    if (known) compare(kgi_op_rows[fn->op].name, &bits, 1, got, want);
  }
  ck_assert_msg(certain * 100 >= moderate * 99, "%s: of %u only %u are certain", kgi_op_rows[fn->op].name, moderate, certain);
  mpfr_clears(x, y, NULL);
} END_TEST

START_TEST(functions_of_two) {
  const kgt_pair *p = &kgt_pairs[_i];
  unsigned moderate = 0, certain = 0;
  mpfr_t a, b, y;
  mpfr_inits2(53, a, b, y, NULL);
  for (unsigned i = 0; i < EDGES * EDGES + 4 * RANDOM; i++) {
    bool edge = i < EDGES * EDGES;
    double u = edge ? edges[i % EDGES] : argument(i), v = edge ? edges[i / EDGES] : argument(i % 4 == 3 ? i : i + i / 4 % 3);
    uint64_t args[2] = {kgi_float_bits(KG_F64, u), kgi_float_bits(KG_F64, v)}, got;
    mpfr_set_d(a, u, MPFR_RNDN), mpfr_set_d(b, v, MPFR_RNDN);
    kgt_narrow(f64);
    uint64_t want = kgt_bits(f64, y, p->exact(y, a, b, MPFR_RNDN));
    kgt_widen();
    bool known = kgi_certain(p->op, args, &got), moderate_v = fabs(v) > 1e-6 && fabs(v) < 1e6;
    bool asked = !edge && i % 4 != 3 && u > 0 && moderate_v && isfinite(number(want)) && number(want) > 1e-6;
    moderate += asked, certain += asked && known;
    if (known) compare(kgi_op_rows[p->op].name, args, 2, got, want);
  }
  /* squares and roots of few bits are ties */
  ck_assert_msg(moderate > 100 && certain * 100 >= moderate * 95, "%s: of %u only %u are certain",
                kgi_op_rows[p->op].name, moderate, certain);
  mpfr_clears(a, b, y, NULL);
} END_TEST

/* What is not finite, and what is no function of f64, is left alone. */
START_TEST(left_open) {
  uint64_t out, infinity = kgi_float_bits(KG_F64, (double)INFINITY), one[2] = {kgi_float_bits(KG_F64, 1), infinity};
  for (unsigned i = 0; i < KGT_FUNCTIONS; i++) ck_assert(!kgi_certain(kgt_functions[i].op, &infinity, &out));
  ck_assert(!kgi_certain(KGI_OP_pow, one, &out));
  ck_assert(!kgi_certain(KGI_OP_add, one, &out));
  uint64_t tie[2] = {kgi_float_bits(KG_F64, 134217729), kgi_float_bits(KG_F64, 2)}; /* (2^27 + 1)^2 has 55 bits and ends in 1 */
  ck_assert(kgi_certain(KGI_OP_pow, tie, &out));
  tie[0] = kgi_float_bits(KG_F64, 94906267); /* its square has 54 bits and is odd: a tie */
  ck_assert(!kgi_certain(KGI_OP_pow, tie, &out));
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(functions, KGT_FUNCTIONS), KGT_TIMES(functions_of_two, KGT_PAIRS), KGT(left_open)};
  return kgt_run("foundation/certain", tests, KGT_COUNT(tests));
}
