/* Partials over the whole range of magnitudes: wherever the derivative is a number of the type, the gradient is near it. Each operation
 * is differentiated as a kernel and judged by MPFR, from formulas that are written here; so are the duals, which judge all else. What
 * is looked for is wrong by more than digits: squares that overflow or underflow on the way, differences that cancel. */
#include "reference/dual.h"
#include "tests/autodiff/autodiff_case.h"
#include "tests/support/mpfr_values.h"

enum { BITS = 400, MOST = 40000 };

/* ---- derivatives, by mathematics ---- */

typedef void derivative(mpfr_t y, mpfr_t a, mpfr_t b);
#define D(name, ...) static void name(mpfr_t y, mpfr_t a, mpfr_t b) { (void)a, (void)b, __VA_ARGS__; }
#define R MPFR_RNDN
static void invert(mpfr_t y) { mpfr_ui_div(y, 1, y, R); }
static void negate(mpfr_t y) { mpfr_neg(y, y, R); }
static void scale_by_log2(mpfr_t y, bool up) {
  mpfr_t log2;
  mpfr_init2(log2, BITS);
  mpfr_const_log2(log2, R);
  if (up) mpfr_mul(y, y, log2, R); else mpfr_div(y, y, log2, R);
  mpfr_clear(log2);
}
/* (1 - a^2)^-1/2, or its square. */
static void circle(mpfr_t y, mpfr_t a, bool root) {
  mpfr_sqr(y, a, R), mpfr_ui_sub(y, 1, y, R);
  if (root) mpfr_sqrt(y, y, R);
  invert(y);
}
/* b / (a^2 + b^2) */
static void turn(mpfr_t y, mpfr_t a, mpfr_t b) { mpfr_hypot(y, a, b, R), mpfr_sqr(y, y, R), mpfr_div(y, b, y, R); }
static void bell(mpfr_t y, mpfr_t a) {
  mpfr_t root;
  mpfr_init2(root, BITS);
  mpfr_const_pi(root, R), mpfr_sqrt(root, root, R);
  mpfr_sqr(y, a, R), negate(y), mpfr_exp(y, y, R), mpfr_mul_ui(y, y, 2, R), mpfr_div(y, y, root, R);
  mpfr_clear(root);
}

D(div_a, mpfr_ui_div(y, 1, b, R))
D(div_b, mpfr_div(y, a, b, R), mpfr_div(y, y, b, R), negate(y))
D(rem_b, mpfr_div(y, a, b, R), mpfr_trunc(y, y), negate(y))
D(mod_b, mpfr_div(y, a, b, R), mpfr_floor(y, y), negate(y))
D(sqrt_a, mpfr_sqrt(y, a, R), mpfr_mul_ui(y, y, 2, R), invert(y))
D(rsqrt_a, mpfr_sqrt(y, a, R), mpfr_mul(y, y, a, R), mpfr_mul_si(y, y, -2, R), invert(y))
D(exp_a, mpfr_exp(y, a, R))
D(exp2_a, mpfr_exp2(y, a, R), scale_by_log2(y, true))
D(log_a, mpfr_ui_div(y, 1, a, R))
D(log2_a, mpfr_ui_div(y, 1, a, R), scale_by_log2(y, false))
D(log1p_a, mpfr_add_ui(y, a, 1, R), invert(y))
D(pow_a, mpfr_sub_ui(y, b, 1, R), mpfr_pow(y, a, y, R), mpfr_mul(y, y, b, R))
static void pow_b(mpfr_t y, mpfr_t a, mpfr_t b) {
  mpfr_t log;
  mpfr_init2(log, BITS);
  mpfr_log(log, a, R), mpfr_pow(y, a, b, R), mpfr_mul(y, y, log, R);
  mpfr_clear(log);
}
D(sin_a, mpfr_cos(y, a, R))
D(cos_a, mpfr_sin(y, a, R), negate(y))
D(tan_a, mpfr_sec(y, a, R), mpfr_sqr(y, y, R))
D(asin_a, circle(y, a, true))
D(acos_a, circle(y, a, true), negate(y))
D(atan_a, mpfr_sqr(y, a, R), mpfr_add_ui(y, y, 1, R), invert(y))
D(atan2_a, turn(y, a, b))
D(atan2_b, turn(y, b, a), negate(y))
/* (cos a - sin(a) / a) / a, whose terms differ by a^2 / 3 of them: the digits are cut below the smallest square of f64 */
static void sinc_a(mpfr_t y, mpfr_t a, mpfr_t b) {
  (void)b;
  mpfr_t c, s;
  mpfr_inits2(2600, c, s, NULL);
  mpfr_cos(c, a, R), kgt_sinc(s, a, R), mpfr_sub(c, c, s, R), mpfr_div(y, c, a, R);
  mpfr_clears(c, s, NULL);
}
D(hypot_a, mpfr_hypot(y, a, b, R), mpfr_div(y, a, y, R))
D(hypot_b, mpfr_hypot(y, a, b, R), mpfr_div(y, b, y, R))
D(sinh_a, mpfr_cosh(y, a, R))
D(cosh_a, mpfr_sinh(y, a, R))
D(tanh_a, mpfr_sech(y, a, R), mpfr_sqr(y, y, R))
D(asinh_a, mpfr_sqr(y, a, R), mpfr_add_ui(y, y, 1, R), mpfr_rec_sqrt(y, y, R))
D(acosh_a, mpfr_sqr(y, a, R), mpfr_sub_ui(y, y, 1, R), mpfr_rec_sqrt(y, y, R))
D(atanh_a, circle(y, a, false))
D(erf_a, bell(y, a))
D(erfc_a, bell(y, a), negate(y))

typedef struct row { kgi_op op; const char *expression; derivative *by[2]; } row;
static const row rows[] = {
  {KGI_OP_div, "a[i] / b[i]", {div_a, div_b}}, {KGI_OP_rem, "rem(a[i], b[i])", {NULL, rem_b}}, {KGI_OP_mod, "mod(a[i], b[i])", {NULL, mod_b}},
  {KGI_OP_sqrt, "sqrt(a[i])", {sqrt_a}}, {KGI_OP_rsqrt, "rsqrt(a[i])", {rsqrt_a}}, {KGI_OP_exp, "exp(a[i])", {exp_a}},
  {KGI_OP_exp2, "exp2(a[i])", {exp2_a}}, {KGI_OP_expm1, "expm1(a[i])", {exp_a}}, {KGI_OP_log, "log(a[i])", {log_a}},
  {KGI_OP_log2, "log2(a[i])", {log2_a}}, {KGI_OP_log1p, "log1p(a[i])", {log1p_a}}, {KGI_OP_pow, "pow(a[i], b[i])", {pow_a, pow_b}},
  {KGI_OP_sin, "sin(a[i])", {sin_a}}, {KGI_OP_cos, "cos(a[i])", {cos_a}}, {KGI_OP_tan, "tan(a[i])", {tan_a}},
  {KGI_OP_asin, "asin(a[i])", {asin_a}}, {KGI_OP_acos, "acos(a[i])", {acos_a}}, {KGI_OP_atan, "atan(a[i])", {atan_a}},
  {KGI_OP_atan2, "atan2(a[i], b[i])", {atan2_a, atan2_b}}, {KGI_OP_sinh, "sinh(a[i])", {sinh_a}}, {KGI_OP_cosh, "cosh(a[i])", {cosh_a}},
  {KGI_OP_sinc, "sinc(a[i])", {sinc_a}}, {KGI_OP_hypot, "hypot(a[i], b[i])", {hypot_a, hypot_b}},
  {KGI_OP_tanh, "tanh(a[i])", {tanh_a}}, {KGI_OP_asinh, "asinh(a[i])", {asinh_a}}, {KGI_OP_acosh, "acosh(a[i])", {acosh_a}},
  {KGI_OP_atanh, "atanh(a[i])", {atanh_a}}, {KGI_OP_erf, "erf(a[i])", {erf_a}}, {KGI_OP_erfc, "erfc(a[i])", {erfc_a}},
};
enum { ROWS = sizeof rows / sizeof *rows, TYPES = 3 };

/* ---- where they are looked at ---- */

static double at[2][MOST];
static unsigned count;

static double in_type(const kgt_format *f, double x) {
  mpfr_t y;
  mpfr_init2(y, f->precision);
  kgt_narrow(f);
  double out = kgt_number(f, kgt_bits(f, y, mpfr_set_d(y, x, R)));
  kgt_widen();
  mpfr_clear(y);
  return out;
}

static void look(const kgt_format *f, double a, double b) {
  ck_assert_uint_lt(count, MOST);
  at[0][count] = in_type(f, a), at[1][count] = in_type(f, b);
  count++;
}

/* All exponents, subnormals included; the ends, and the neighbourhood of 1. */
static void look_along(const kgt_format *f) {
  for (long e = f->emin - 1; e < f->emax; e += f->bits == 64 ? 3 : 1)
    for (unsigned k = 0; k < 6; k++) look(f, ldexp(k % 3 == 0 ? 1 : k % 3 == 1 ? 1.37 : 1.99, (int)e) * (k < 3 ? 1 : -1), 0);
  for (int k = 1; k <= f->precision; k++)
    for (unsigned side = 0; side < 4; side++) look(f, (side % 2 ? 1 : -1) * (1 + (side < 2 ? 1 : -1) * ldexp(1, -k)), 0);
  for (int k = 0; k < 800; k++) look(f, k * 0.93 - 400, 0);
}

/* Pairs of magnitudes from end to end; exponents that roots and powers have. */
static void look_across(const kgt_format *f, kgi_op op) {
  static const double powers[] = {0.25, 0.5, 1, 1.5, 2, 3, 7, 10.5, 1e-3, 40};
  long step = f->bits == 64 ? 43 : f->bits == 32 ? 6 : 2;
  for (long e = f->emin - 1; e < f->emax; e += step)
    for (long n = op == KGI_OP_pow ? 0 : f->emin - 1; op == KGI_OP_pow ? n < 10 : n < f->emax; n += op == KGI_OP_pow ? 1 : step)
      for (unsigned k = 0; k < 4; k++)
        look(f, ldexp(1.37, (int)e) * (k % 2 ? -1 : 1), (op == KGI_OP_pow ? powers[n] : ldexp(1.71, (int)n)) * (k / 2 ? -1 : 1));
}

/* ---- the judge ---- */

static void fill(adt_data *d, const char *name, const double *from) {
  uint32_t i = kg_module_find_buffer(d->module, name);
  kg_type type = kg_module_buffer(d->module, i).type;
  for (unsigned k = 0; k < count; k++) tool_value_store(type, d->array[i], k, tool_value_of_number(type, from ? from[k] : 1));
}

static void take(const adt_data *d, const char *name, double *to) {
  uint32_t i = kg_module_find_buffer(d->module, name);
  kg_type type = kg_module_buffer(d->module, i).type;
  for (unsigned k = 0; k < count; k++) to[k] = tool_value_number(type, tool_value_load(type, d->array[i], k));
}

static adt_case differentiated(const row *r, kg_type type) {
  static const char *const names[] = {"a", "b"};
  char text[600];
  const char *t = kg_type_name(type);
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer a : %s[%u] read buffer b : %s[%u] read buffer y : %s[%u] write\n"
                              "for i in 0 .. %u { y[i] = %s } }", t, count, t, count, t, count, count, r->expression);
  adt_case c = {.params = {.wrt = names, .wrt_count = r->by[1] ? 2 : 1}};
  adt_prepare(&c, text, NULL);
  fill(&c.result, "a", at[0]), fill(&c.result, "b", at[1]), fill(&c.result, "grad_y", NULL);
  adt_run(&c.result);
  return c;
}

/* Near: by a thousandth, or by less than what the type's smallest normal number is; of halves, a hundredth. */
static bool near(const kgt_format *f, double got, const mpfr_t want) {
  double largest = ldexp(1 - ldexp(1, (int)-f->precision), (int)f->emax), smallest = ldexp(1, (int)(f->emin + f->precision - 2));
  double exact = mpfr_get_d(want, R);
  if (fabs(exact) > largest) return !(fabs(got) <= largest / 2) && (isinf(exact) || got * exact > 0);
  return fabs(got - exact) <= (f->bits == 16 ? 1e-2 : 1e-3) * fabs(exact) + smallest;
}

/* Where the operation itself gives a number, and its derivative is one. A power of a subnormal number, b a^(b - 1), may pass infinity
 * where b would bring it back. */
static void judge(const row *r, const kgt_format *f, unsigned k, adt_case *c) {
  mpfr_t a, b, y;
  mpfr_inits2(BITS, a, b, y, NULL);
  unsigned wrong = 0, judged = 0;
  const char *shadow = k ? "grad_b" : "grad_a";
  static double results[MOST], gradients[MOST];
  take(&c->result, "y", results), take(&c->result, shadow, gradients);
  for (unsigned i = 0; i < count && wrong < 5; i++) {
    mpfr_set_d(a, at[0][i], R), mpfr_set_d(b, at[1][i], R);
    r->by[k](y, a, b);
    if (r->op == KGI_OP_pow && fabs(at[0][i]) < ldexp(1, (int)(f->emin + f->precision - 2))) continue;
    if (mpfr_nan_p(y) || mpfr_inf_p(y) || !isfinite(results[i])) continue;
    double got = gradients[i], x[4] = {at[0][i], at[1][i]}, dual[4];
    bool fine = near(f, got, y), dual_fine = !kgi_partials(r->op, x, dual) || near(&kgt_formats[2], dual[k], y);
    if (!fine || !dual_fine)
      wrong++, printf("%s in %s at %.9g, %.9g: %s is %.9g, by duals %.9g, not %.9g\n", r->expression, kg_type_name(f->type), x[0], x[1],
                      shadow, got, dual[k], mpfr_get_d(y, R));
    judged++;
  }
  fflush(stdout);
  ck_assert_msg(!wrong && judged > 50, "%s in %s: %u of %u are wrong", r->expression, kg_type_name(f->type), wrong, judged);
  mpfr_clears(a, b, y, NULL);
}

START_TEST(magnitudes) {
  const row *r = &rows[_i / TYPES];
  const kgt_format *f = &kgt_formats[_i % TYPES];
  if (kgi_op_rows[r->op].arity == 2) look_across(f, r->op);
  else look_along(f);
  adt_case c = differentiated(r, f->type);
  for (unsigned k = 0; k < 2; k++)
    if (r->by[k]) judge(r, f, k, &c);
  adt_free(&c);
} END_TEST

/* A row that is not above has partials without arithmetic on the way: operands, constants, choices. */
START_TEST(rows_are_complete) {
  for (int op = 0; op < KGI_OP_COUNT; op++) {
    unsigned listed = 0;
    for (unsigned i = 0; i < ROWS; i++) listed += rows[i].op == (kgi_op)op;
    bool plain = op == KGI_OP_clamp || op == KGI_OP_ldexp;
    for (unsigned k = 0; k < kgi_op_rows[op].arity && !listed && !plain; k++) {
      const char *text = kgi_op_rows[op].partial[k];
      ck_assert_msg(!*text || *text == '=' || !text[1] || !strcmp(text, "convert"), "%s: who judges %s?", kgi_op_rows[op].name, text);
    }
  }
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_CROSS(magnitudes, rows, expression, TYPES), KGT(rows_are_complete)};
  return kgt_run("autodiff/magnitudes", tests, KGT_COUNT(tests));
}
