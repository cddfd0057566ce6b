/* Kernels with more loads of one buffer than an analysis cares to compare: what meets is added atomically, and what does not is
 * added plainly. Values by closed form; the reference watches for races. */
#include "tests/autodiff/autodiff_case.h"

enum { N = 70, LONGEST = 1 << 16 };
static const unsigned counts[] = {1, 63, 64, 65, 200};
enum { COUNTS = sizeof counts / sizeof *counts };

/* y[i] is the sum of the squares of x[`stride` * i + k] for k below `count`. */
static const char *kernel(unsigned count, unsigned stride) {
  static char text[LONGEST];
  char *at = text;
  at += sprintf(at, "program p { workgroup 16 grid invocations %d buffer x : f32[%u] read buffer y : f32[%d] write\n", N,
                stride * (N - 1) + count, N);
  at += sprintf(at, "let i = global_id.x if i < %d { var s = 0.0\n", N);
  for (unsigned k = 0; k < count; k++) at += sprintf(at, "s += x[i * %u + %u] * x[i * %u + %u]\n", stride, k, stride, k);
  sprintf(at, "y[i] = s } }\n");
  return text;
}

static unsigned occurrences(const kg_module *m, const char *what) {
  char *text = NULL;
  size_t size = 0;
  unsigned count = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  for (const char *at = text; (at = strstr(at, what)); at++) count++;
  free(text);
  return count;
}

/* grad_x[e] is 2 x[e] times the cotangents of all windows that e lies in. */
static double expected(const adt_case *c, unsigned count, unsigned stride, uint64_t e) {
  double sum = 0;
  for (uint64_t i = 0; i < N; i++)
    if (e >= i * stride && e < i * stride + count) sum += adt_get(&c->result, "grad_y", i);
  return 2 * adt_get(&c->before, "x", e) * sum;
}

static void try(unsigned count, unsigned stride, unsigned least, unsigned most) {
  adt_case c = {.seed = count};
  adt_prepare(&c, kernel(count, stride), NULL);
  adt_copy(&c.result, &c.before);
  adt_run(&c.result);
  for (uint64_t e = 0; e < stride * (N - 1) + count; e++) {
    double want = expected(&c, count, stride, e), got = adt_get(&c.result, "grad_x", e);
    ck_assert_msg(fabs(got - want) <= 1e-5 * (count + fabs(want)), "%u of %u apart: grad_x[%u] is %g, not %g", count, stride, (unsigned)e,
                  got, want);
  }
  unsigned atomic = occurrences(c.adjoint, "atomic_add(grad_x[");
  ck_assert_msg(least <= atomic && atomic <= most, "%u of %u apart: %u additions are atomic", count, stride, atomic);
  adt_free(&c);
}

START_TEST(windows) { try(counts[_i], 1, counts[_i] > 1 ? counts[_i] : 0, counts[_i] > 1 ? counts[_i] : 0); } END_TEST
/* The first load of one window is the last of another. Of many loads not all others are known to be alone. */
START_TEST(windows_that_share_one) {
  unsigned count = counts[_i + 1];
  try(count, count - 1, 2, count < 100 ? 2 : count);
} END_TEST
START_TEST(rows) { try(counts[_i], counts[_i], 0, 0); } END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(windows, KGT_COUNT(counts)), KGT_TIMES(windows_that_share_one, COUNTS - 1), KGT_TIMES(rows, KGT_COUNT(counts))};
  return kgt_run("autodiff/many", tests, KGT_COUNT(tests));
}
