/* The rules of reference/dual.c: each partial against central differences in 2500 bits and more, and the conventions of the design
 * one by one. Points lie all over the operands' ranges, near poles, ends and zeros; differences are 2^-150 of an operand, so their
 * own error is below 2^-100 even where a pole is a unit in the last place away. */
#include "reference/dual.h"
#include "tests/support/kgtest.h"
#include "tests/reference/reference_points.h"
#include "tests/support/mpfr_values.h"

enum { FEW_BITS = 2500, MANY_BITS = 4000, POINTS = 400 };

/* How far a partial may be from its exact value, in relation to it; and at least, by so many of the least subnormals. */
static const double BOUND = 0x1p-52, LEAST = 0x1p-1073;

/* a - b floor(a / b) */
static void floored(mpfr_t y, mpfr_t a, mpfr_t b) {
  mpfr_fmod(y, a, b, MPFR_RNDN);
  if (mpfr_sgn(y) != 0 && mpfr_signbit(y) != mpfr_signbit(b)) mpfr_add(y, y, b, MPFR_RNDN);
}

static bool apply_function(kgi_op op, mpfr_t y, mpfr_t *x) {
  for (unsigned i = 0; i < KGT_FUNCTIONS; i++)
    if (kgt_functions[i].op == op) return kgt_functions[i].exact(y, x[0], MPFR_RNDN), true;
  for (unsigned i = 0; i < KGT_PAIRS; i++)
    if (kgt_pairs[i].op == op) return kgt_pairs[i].exact(y, x[0], x[1], MPFR_RNDN), true;
  return false;
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
  case KGI_OP_ldexp: return mpfr_mul_2si(y, x[0], mpfr_get_si(x[1], MPFR_RNDN), MPFR_RNDN), true;
  case KGI_OP_convert: return mpfr_set(y, x[0], MPFR_RNDN), true;
  default: return apply_function(op, y, x);
  }
}

/* Arithmetic is quick, and its operands and results may lie far apart. */
static mpfr_prec_t bits_for(kgi_op op) { return kgi_op_rows[op].arity > 1 && op != KGI_OP_pow ? MANY_BITS : FEW_BITS; }

/* (f(x + h) - f(x - h)) / 2h by an operand, into `high`. */
static void difference(kgi_op op, const double *at, unsigned operand, mpfr_t high) {
  mpfr_t x[3], low, h;
  mpfr_inits2(bits_for(op), low, h, (mpfr_ptr)NULL);
  mpfr_set_d(h, at[operand] == 0 ? 1 : fabs(at[operand]), MPFR_RNDN);
  mpfr_mul_2si(h, h, -150, MPFR_RNDN);
  for (int k = 0; k < 3; k++) mpfr_init2(x[k], bits_for(op)), mpfr_set_d(x[k], at[k], MPFR_RNDN);
  mpfr_add(x[operand], x[operand], h, MPFR_RNDN);
  apply(op, high, x);
  mpfr_set_d(x[operand], at[operand], MPFR_RNDN);
  mpfr_sub(x[operand], x[operand], h, MPFR_RNDN);
  apply(op, low, x);
  mpfr_sub(high, high, low, MPFR_RNDN);
  mpfr_div(high, high, h, MPFR_RNDN);
  mpfr_mul_2si(high, high, -1, MPFR_RNDN);
  for (int k = 0; k < 3; k++) mpfr_clear(x[k]);
  mpfr_clears(low, h, (mpfr_ptr)NULL);
}

/* Numbers of all sizes, to the ends of f64. */
static double any_size(int least, int most) { return ldexp(uniform(-1, 1), (int)uniform(least, most)); }

/* Where the function is steep, flat or ends; else the whole line. */
static double hard_point(kgi_op op) {
  double tiny = ldexp(1, -(int)uniform(0, 53)), side = uniform(-1, 1) < 0 ? -1 : 1;
  switch ((int)op) {
  case KGI_OP_sqrt: case KGI_OP_rsqrt: case KGI_OP_log: case KGI_OP_log2: return fabs(any_size(-1070, 1020));
  case KGI_OP_log1p: return uniform(0, 1) < 0.5 ? -1 + tiny : fabs(any_size(-1000, 1000));
  case KGI_OP_asin: case KGI_OP_acos: case KGI_OP_atanh: return side * (1 - tiny / 2 * uniform(1, 2));
  case KGI_OP_acosh: return uniform(0, 1) < 0.5 ? 1 + 2 * tiny : 1 + fabs(any_size(0, 1000));
  case KGI_OP_tan: case KGI_OP_sin: case KGI_OP_cos: return rint(any_size(0, 40)) * 1.5707963267948966;
  case KGI_OP_sinc: return any_size(-1020, 40);
  case KGI_OP_exp: case KGI_OP_expm1: case KGI_OP_sinh: case KGI_OP_cosh: return uniform(-740, 709);
  case KGI_OP_exp2: return uniform(-1070, 1023);
  case KGI_OP_tanh: return uniform(-370, 370);
  case KGI_OP_erf: case KGI_OP_erfc: return uniform(-27, 27);
  case KGI_OP_floor: case KGI_OP_ceil: case KGI_OP_trunc: case KGI_OP_round: case KGI_OP_fract: return any_size(-1020, 50);
  default: return any_size(-1020, 1020);
  }
}

static void choose(kgi_op op, int i, double *x) {
  domain d = domain_of(op);
  x[0] = uniform(d.lo, d.hi), x[1] = d.lo2 < d.hi2 ? uniform(d.lo2, d.hi2) : uniform(-4, 4), x[2] = uniform(-4, 4);
  if (i % 2) x[0] = hard_point(op);
  if (i % 2 && op == KGI_OP_pow) { /* all bases, and results all over f64 */
    x[0] = i % 4 == 1 ? fabs(any_size(-1020, 1020)) : 1 + any_size(-40, -1);
    x[1] = uniform(-740, 709) / log(x[0]);
  } else if (i % 2 && (op == KGI_OP_rem || op == KGI_OP_mod)) {
    x[1] = x[0] * ldexp(uniform(0.5, 1), (int)uniform(-50, 4));
  } else if (i % 2) {
    x[1] = any_size(-300, 300), x[2] = any_size(-300, 300);
    if (op == KGI_OP_atan2 && i % 4 == 1) x[1] = any_size(-1020, 1020);
  }
  if (op == KGI_OP_ldexp) x[1] = rint(uniform(-1000, 1000));
}

static bool is_close(double got, const mpfr_t want) {
  mpfr_t error;
  double nearest = mpfr_get_d(want, MPFR_RNDN);
  if (isinf(nearest) || isinf(got)) return got == nearest;
  mpfr_init2(error, mpfr_get_prec(want));
  mpfr_sub_d(error, want, got, MPFR_RNDN);
  bool fine = fabs(mpfr_get_d(error, MPFR_RNDN)) <= BOUND * fabs(nearest) + LEAST;
  mpfr_clear(error);
  return fine;
}

START_TEST(partials_against_differences) {
  kgi_op op = (kgi_op)_i;
  mpfr_t want, halves[3];
  mpfr_init2(want, bits_for(op));
  for (int k = 0; k < 3; k++) mpfr_init2(halves[k], FEW_BITS), mpfr_set_d(halves[k], 0.5, MPFR_RNDN);
  bool floats = apply(op, want, halves);
  unsigned rule = kgi_op_rows[op].rule;
  bool stated = op == KGI_OP_with_partial; /* and no derivative of the value */
  ck_assert(stated || floats == (rule == KGI_RULE_FLT || rule == KGI_RULE_NUM || op == KGI_OP_ldexp || op == KGI_OP_convert));
  for (int i = 0; floats && i < POINTS; i++) {
    double x[4] = {0}, p[4];
    choose(op, i, x);
    ck_assert(kgi_partials(op, x, p));
    for (unsigned k = 0; k < (op == KGI_OP_ldexp ? 1 : kgi_op_rows[op].arity); k++) {
      difference(op, x, k, want);
      ck_assert_msg(is_close(p[k], want), "%s(%a, %a, %a): %u: %.17g, not %.17g", kgi_op_rows[op].name, x[0], x[1], x[2], k, p[k],
                    mpfr_get_d(want, MPFR_RNDN));
    }
  }
  mpfr_clear(want);
  for (int k = 0; k < 3; k++) mpfr_clear(halves[k]);
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

START_TEST(what_states_its_derivative) {
  double p[4], x[4] = {5, 0, 3, -7};
  ck_assert(kgi_partials(KGI_OP_with_partial, x, p));
  ck_assert(p[0] == 1 && p[1] == -7 && p[2] == 0 && p[3] == 0);
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
    KGT_OPS(partials_against_differences),
    KGT_TIMES(stated_conventions, KGT_COUNT(conventions)),
    KGT(what_has_no_derivative), KGT(what_states_its_derivative),
  };
  return kgt_run("reference/dual", tests, KGT_COUNT(tests));
}
