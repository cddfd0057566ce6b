/* The derivative column of ops.def against reference/dual.c, which was written without it: every row of floats, every operand, at
 * random points and at the stated conventions, evaluated in f64 by the interpreter. */
#include "foundation/ir/builder.h"
#include "foundation/ir/eval.h"
#include "foundation/text/expr.h"
#include "reference/dual.h"
#include "tests/support/kgtest.h"
#include "tests/reference/reference_points.h"
#include <kgrad/kgrad.h>

enum { POINTS = 400, OPERANDS = 3 }; /* a fourth operand is the third */

static void show(void *user, const kg_diag *diag) { (void)user, ck_abort_msg("%s", diag->message); }

static bool of_floats(kgi_op op) {
  unsigned rule = kgi_op_rows[op].rule;
  return rule == KGI_RULE_NUM || rule == KGI_RULE_FLT || op == KGI_OP_ldexp || op == KGI_OP_select || op == KGI_OP_stop_gradient;
}

/* The operand k as the operation takes it, from a buffer of f64. */
static kgi_val operand(kgi_builder *b, kgi_op op, kgi_obj from, unsigned k) {
  kgi_val x = kgi_load(b, from, kgi_id_value(b, KGI_ID_global_id, 0));
  kg_type type = kgi_operand_type(op, k, KG_F64);
  return kgi_convert(b, type, x);
}

/* program: p = the partial of `op` by operand k over buffers a b c; g where the row states the pullback itself. */
static kg_module *program(kgi_op op, unsigned k, double g, kgi_diags *diags) {
  static const char *const names[] = {"a", "b", "c", "d", "y", "g"};
  kgi_builder b;
  kg_module *m = kgi_module_new(NULL, "test");
  ck_assert_ptr_nonnull(m);
  kgi_builder_init(&b, m, diags);
  kgi_program *p = kgi_begin_program(&b, "p");
  kgi_dim n = kgi_len_int(&b, POINTS);
  p->workgroup[0] = kgi_len_int(&b, POINTS), p->grid[0] = kgi_len_int(&b, 1);
  kgi_obj in[OPERANDS];
  for (unsigned i = 0; i < OPERANDS; i++) in[i] = kgi_buffer(&b, names[i], KG_F64, KG_READ, n);
  kgi_obj out = kgi_buffer(&b, "p", KG_F64, KG_WRITE, n);
  kgi_val values[6] = {{0}}, result;
  for (unsigned i = 0; i < kgi_op_rows[op].arity; i++) values[i] = operand(&b, op, in[i < OPERANDS ? i : OPERANDS - 1], i);
  values[4] = kgi_apply(&b, op, values, kgi_op_rows[op].arity);
  values[5] = kgi_float(&b, KG_F64, g);
  const char *text = kgi_op_rows[op].partial[k];
  ck_assert_int_eq(kgi_expr(&b, text + (*text == '='), names, values, 6, KG_F64, &result), KG_OK);
  kgi_store(&b, out, kgi_id_value(&b, KGI_ID_global_id, 0), result);
  kgi_end_program(&b);
  kgi_module_finish_lone(m);
  ck_assert_int_eq(kgi_builder_status(&b), KG_OK);
  return m;
}

static void evaluate(kgi_op op, unsigned k, double g, double points[OPERANDS][POINTS], double *out) {
  kg_sink sink = {show, NULL};
  kgi_diags diags = {.sink = &sink};
  kg_module *m = program(op, k, g, &diags);
  void *buffers[] = {points[0], points[1], points[2], out};
  ck_assert_int_eq(kg_reference_run(&(kg_reference_params){.module = m, .sink = &sink, .buffers = buffers}, NULL), KG_OK);
  kg_module_free(m);
}

static unsigned choose_points(kgi_op op, double points[OPERANDS][POINTS]) {
  domain d = domain_of(op);
  unsigned stated = 0;
  for (size_t c = 0; c < sizeof conventions / sizeof *conventions; c++) {
    if (conventions[c].op != op) continue;
    for (unsigned k = 0; k < OPERANDS; k++) points[k][stated] = conventions[c].x[k];
    stated++;
  }
  for (unsigned i = stated; i < POINTS; i++) {
    points[0][i] = op == KGI_OP_select ? (double)(i % 2) : uniform(d.lo, d.hi);
    points[1][i] = d.lo2 < d.hi2 ? uniform(d.lo2, d.hi2) : uniform(-4, 4);
    points[2][i] = uniform(-4, 4);
    if (op == KGI_OP_ldexp) points[1][i] = rint(points[1][i] * 5);
  }
  return stated;
}

/* Partials may lose a few units of the result's last place where the row goes by way of y. */
static bool close(double got, double want, double scale) {
  if (isnan(want) || isinf(want)) return isnan(want) ? isnan(got) : got == want;
  return fabs(got - want) <= 1e-11 * (fabs(want) + scale);
}

/* Rows that state the pullback give nothing for nothing, wherever they are. */
static void nothing_from_nothing(kgi_op op, unsigned k, double points[OPERANDS][POINTS]) {
  static double got[POINTS];
  evaluate(op, k, 0, points, got);
  for (unsigned i = 0; i < POINTS; i++) {
    bool infinite = op == KGI_OP_mulz; /* mulz(a, 0): a itself is finite wherever it is not 0 */
    ck_assert_msg(got[i] == 0 || (infinite && isinf(points[0][i])), "%s: %g", kgi_op_rows[op].name, got[i]);
  }
}

/* Derivatives that are 0 wherever they are, that are refused, that are not asked for, and that of a conversion. */
static void without_expression(kgi_op op, unsigned k) {
  const char *text = kgi_op_rows[op].partial[k];
  double x[4] = {0}, p[4];
  bool zero = !strcmp(text, "0"), refused = !strcmp(text, "!"), known = kgi_partials(op, x, p);
  if (zero) ck_assert_msg(known && p[k] == 0, "%s: %g", kgi_op_rows[op].name, p[k]);
  else if (refused) ck_assert_msg(!known, "%s has a derivative", kgi_op_rows[op].name);
  else ck_assert_msg(!*text || !strcmp(text, "convert"), "%s: %s is not looked at", kgi_op_rows[op].name, text);
}

START_TEST(column_against_duals) {
  static double points[OPERANDS][POINTS], got[POINTS];
  kgi_op op = (kgi_op)_i;
  const kgi_op_row *row = &kgi_op_rows[op];
  unsigned stated = choose_points(op, points);
  for (unsigned k = 0; k < row->arity; k++) {
    const char *text = row->partial[k];
    if (!of_floats(op)) {
      without_expression(op, k);
      continue;
    }
    if (!*text) continue;
    if (*text == '=') nothing_from_nothing(op, k, points);
    evaluate(op, k, 1, points, got);
    for (unsigned i = 0; i < POINTS; i++) {
      double x[4] = {points[0][i], points[1][i], points[2][i], points[2][i]}, want[4];
      ck_assert(kgi_partials(op, x, want));
      bool fine = close(got[i], want[k], i < stated ? 0 : 1);
      ck_assert_msg(fine, "%s(%.17g, %.17g, %.17g): by %c, %s: %.17g, not %.17g", row->name, x[0], x[1], x[2], 'a' + (int)k, text,
                    got[i], want[k]);
    }
  }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_OPS(column_against_duals)};
  return kgt_run("reference/derivatives", tests, KGT_COUNT(tests));
}
