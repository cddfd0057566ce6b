/* The rules of reference/dual.c: each partial against central differences in 300 bits (h = 1e-30, so that their own error is below
 * 1e-50), and the conventions of the design one by one. */
#include "reference/dual.h"
#include "tests/kgtest.h"
#include "tests/reference_points.h"

#include <math.h>
#include <mpfr.h>

enum { BITS = 300, POINTS = 300 };

/* a - b floor(a / b) */
static void floored(mpfr_t y, mpfr_t a, mpfr_t b) {
  mpfr_fmod(y, a, b, MPFR_RNDN);
  if (mpfr_sgn(y) != 0 && mpfr_signbit(y) != mpfr_signbit(b)) mpfr_add(y, y, b, MPFR_RNDN);
}

/* The operation over real numbers; false where it has no float operands or result. */
static bool apply(kgi_op op, mpfr_t y, mpfr_t *x) {
  switch ((int)op) {
  case KGI_OP_add: return mpfr_add(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_sub: return mpfr_sub(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_mul: case KGI_OP_mulz: return mpfr_mul(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_div: return mpfr_div(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_rem: return mpfr_fmod(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_mod: return floored(y, x[0], x[1]), true;
  case KGI_OP_neg: return mpfr_neg(y, x[0], MPFR_RNDN), true;
  case KGI_OP_abs: return mpfr_abs(y, x[0], MPFR_RNDN), true;
  case KGI_OP_abs_diff: return mpfr_sub(y, x[0], x[1], MPFR_RNDN), mpfr_abs(y, y, MPFR_RNDN), true;
  case KGI_OP_min: return mpfr_min(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_max: return mpfr_max(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_clamp: return mpfr_max(y, x[0], x[1], MPFR_RNDN), mpfr_min(y, y, x[2], MPFR_RNDN), true;
  case KGI_OP_fma: return mpfr_fma(y, x[0], x[1], x[2], MPFR_RNDN), true;
  case KGI_OP_fract: return mpfr_floor(y, x[0]), mpfr_sub(y, x[0], y, MPFR_RNDN), true;
  case KGI_OP_sign: return mpfr_set_si(y, mpfr_sgn(x[0]), MPFR_RNDN), true;
  case KGI_OP_floor: return mpfr_floor(y, x[0]), true;
  case KGI_OP_ceil: return mpfr_ceil(y, x[0]), true;
  case KGI_OP_trunc: return mpfr_trunc(y, x[0]), true;
  case KGI_OP_round: return mpfr_roundeven(y, x[0]), true;
  case KGI_OP_sqrt: return mpfr_sqrt(y, x[0], MPFR_RNDN), true;
  case KGI_OP_rsqrt: return mpfr_rec_sqrt(y, x[0], MPFR_RNDN), true;
  case KGI_OP_exp: return mpfr_exp(y, x[0], MPFR_RNDN), true;
  case KGI_OP_exp2: return mpfr_exp2(y, x[0], MPFR_RNDN), true;
  case KGI_OP_expm1: return mpfr_expm1(y, x[0], MPFR_RNDN), true;
  case KGI_OP_log: return mpfr_log(y, x[0], MPFR_RNDN), true;
  case KGI_OP_log2: return mpfr_log2(y, x[0], MPFR_RNDN), true;
  case KGI_OP_log1p: return mpfr_log1p(y, x[0], MPFR_RNDN), true;
  case KGI_OP_pow: return mpfr_pow(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_sin: return mpfr_sin(y, x[0], MPFR_RNDN), true;
  case KGI_OP_cos: return mpfr_cos(y, x[0], MPFR_RNDN), true;
  case KGI_OP_tan: return mpfr_tan(y, x[0], MPFR_RNDN), true;
  case KGI_OP_asin: return mpfr_asin(y, x[0], MPFR_RNDN), true;
  case KGI_OP_acos: return mpfr_acos(y, x[0], MPFR_RNDN), true;
  case KGI_OP_atan: return mpfr_atan(y, x[0], MPFR_RNDN), true;
  case KGI_OP_atan2: return mpfr_atan2(y, x[0], x[1], MPFR_RNDN), true;
  case KGI_OP_sinh: return mpfr_sinh(y, x[0], MPFR_RNDN), true;
  case KGI_OP_cosh: return mpfr_cosh(y, x[0], MPFR_RNDN), true;
  case KGI_OP_tanh: return mpfr_tanh(y, x[0], MPFR_RNDN), true;
  case KGI_OP_asinh: return mpfr_asinh(y, x[0], MPFR_RNDN), true;
  case KGI_OP_acosh: return mpfr_acosh(y, x[0], MPFR_RNDN), true;
  case KGI_OP_atanh: return mpfr_atanh(y, x[0], MPFR_RNDN), true;
  case KGI_OP_erf: return mpfr_erf(y, x[0], MPFR_RNDN), true;
  case KGI_OP_erfc: return mpfr_erfc(y, x[0], MPFR_RNDN), true;
  case KGI_OP_ldexp: return mpfr_mul_2si(y, x[0], mpfr_get_si(x[1], MPFR_RNDN), MPFR_RNDN), true;
  case KGI_OP_convert: return mpfr_set(y, x[0], MPFR_RNDN), true;
  default: return false;
  }
}

static double difference(kgi_op op, const double *at, unsigned operand) {
  mpfr_t x[3], high, low, h;
  mpfr_inits2(BITS, high, low, h, (mpfr_ptr)NULL);
  mpfr_set_str(h, "1e-30", 10, MPFR_RNDN);
  for (int k = 0; k < 3; k++) mpfr_init2(x[k], BITS), mpfr_set_d(x[k], at[k], MPFR_RNDN);
  mpfr_add(x[operand], x[operand], h, MPFR_RNDN);
  apply(op, high, x);
  mpfr_set_d(x[operand], at[operand], MPFR_RNDN);
  mpfr_sub(x[operand], x[operand], h, MPFR_RNDN);
  apply(op, low, x);
  mpfr_sub(high, high, low, MPFR_RNDN);
  mpfr_div(high, high, h, MPFR_RNDN);
  double d = mpfr_get_d(high, MPFR_RNDN) / 2;
  for (int k = 0; k < 3; k++) mpfr_clear(x[k]);
  mpfr_clears(high, low, h, (mpfr_ptr)NULL);
  return d;
}

START_TEST(partials_against_differences) {
  unsigned rows = 0;
  mpfr_t y, ones[3];
  mpfr_init2(y, BITS);
  for (int k = 0; k < 3; k++) mpfr_init2(ones[k], BITS), mpfr_set_d(ones[k], 0.5, MPFR_RNDN);
  for (int op = 0; op < KGI_OP_COUNT; op++) {
    if (!apply((kgi_op)op, y, ones)) continue;
    rows++;
    domain d = domain_of((kgi_op)op);
    for (int i = 0; i < POINTS; i++) {
      double x[4] = {uniform(d.lo, d.hi), d.lo2 < d.hi2 ? uniform(d.lo2, d.hi2) : uniform(-4, 4), uniform(-4, 4), 0}, p[4];
      if (op == KGI_OP_ldexp) x[1] = rint(x[1] * 5);
      ck_assert(kgi_partials((kgi_op)op, x, p));
      unsigned operands = op == KGI_OP_ldexp ? 1 : kgi_op_rows[op].arity;
      for (unsigned k = 0; k < operands; k++) {
        double want = difference((kgi_op)op, x, k);
        ck_assert_msg(fabs(p[k] - want) <= 1e-13 * fabs(want) * (1 + fabs(x[0])), "%s(%.17g, %.17g, %.17g): %u: %.17g, not %.17g",
                      kgi_op_rows[op].name, x[0], x[1], x[2], k, p[k], want);
      }
    }
  }
  /* every row of floats, and the conversion */
  unsigned floats = 0;
  for (int op = 0; op < KGI_OP_COUNT; op++) {
    unsigned rule = kgi_op_rows[op].rule;
    floats += rule == KGI_RULE_FLT || rule == KGI_RULE_NUM || op == KGI_OP_ldexp || op == KGI_OP_convert;
  }
  ck_assert_uint_eq(rows, floats);
  mpfr_clear(y);
  for (int k = 0; k < 3; k++) mpfr_clear(ones[k]);
}
END_TEST

START_TEST(stated_conventions) {
  const convention *c = &conventions[_i];
  double p[4];
  double x[4] = {c->x[0], c->x[1], c->x[2], 0};
  ck_assert(kgi_partials(c->op, x, p));
  for (unsigned k = 0; k < kgi_op_rows[c->op].arity; k++) {
    bool same = isnan(c->p[k]) ? isnan(p[k]) : p[k] == c->p[k] || fabs(p[k] - c->p[k]) < 1e-15;
    ck_assert_msg(same, "%s(%g, %g, %g): partial %u is %g, not %g", kgi_op_rows[c->op].name, x[0], x[1], x[2], k, p[k], c->p[k]);
  }
}
END_TEST

START_TEST(what_has_no_derivative) {
  static const kgi_op ops[] = {KGI_OP_bitcast, KGI_OP_pack_half_2x16, KGI_OP_pack_unorm_2x16, KGI_OP_pack_snorm_2x16,
                               KGI_OP_pack_unorm_4x8, KGI_OP_pack_snorm_4x8};
  double x[4] = {1, 1, 1, 1}, p[4];
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) ck_assert(!kgi_partials(ops[i], x, p));
  ck_assert(kgi_partials(KGI_OP_lt, x, p)); /* cut, without complaint */
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(partials_against_differences),
    KGT_TABLE(stated_conventions, KGT_COUNT(conventions)),
    KGT(what_has_no_derivative),
  };
  return kgt_run("reference/dual", tests, KGT_COUNT(tests));
}
