/* Intervals carried through programs: what they must hold, how wide they may be, and what they leave undecided, with its count. */
#include "tests/reference_case.h"

#include <math.h>

enum { N = 64 };
typedef struct bounded {
  kgt_case c;
  float x[N], y[N];
  double low[2][N], high[2][N], *lows[KGT_BUFFERS], *highs[KGT_BUFFERS];
} bounded;

/* Buffer 0 is x, buffer 1 is y: floats, or u32 where a program says so. */
static bounded *start(kg_bounds bounds) {
  static bounded b;
  memset(&b, 0, sizeof b);
  kgt_case_init(&b.c);
  b.c.buffers[0] = b.x, b.c.buffers[1] = b.y;
  for (int k = 0; k < 2; k++) b.lows[k] = b.low[k], b.highs[k] = b.high[k];
  b.c.params.bounds = bounds;
  b.c.params.low = b.lows, b.c.params.high = b.highs;
  return &b;
}

static void holds(const bounded *b, unsigned i, double low, double high) {
  ck_assert_msg(b->low[1][i] == low && b->high[1][i] == high, "y[%u] in [%a, %a], not in [%a, %a]", i, b->low[1][i], b->high[1][i], low,
                high);
}

static bool anything(const bounded *b, unsigned i) { return isnan(b->low[1][i]) && isnan(b->high[1][i]); }

#define HEAD(n) "program k { workgroup " #n " grid 1 buffer x : f32[" #n "] read buffer y : f32[" #n "] write "

/* + - * give the same bits on every device; in real arithmetic a sum lies between its neighbours. */
START_TEST(sums_and_products) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 0.1f, b->x[1] = 3;
  kgt_case_fine(&b->c, HEAD(2) "y[local_index] = x[local_index] * x[local_index] + 1.0 }");
  for (unsigned i = 0; i < 2; i++) holds(b, i, (double)b->y[i], (double)b->y[i]);
  ck_assert_uint_eq(b->c.report.undecided, 0);
  b = start(KG_BOUNDS_REAL);
  b->x[0] = 0.1f, b->x[1] = 3;
  kgt_case_fine(&b->c, HEAD(2) "y[local_index] = x[local_index] * x[local_index] + 1.0 }");
  double exact = (double)0.1f * (double)0.1f + 1;
  ck_assert(b->low[1][0] < exact && exact < b->high[1][0] && b->high[1][0] - b->low[1][0] <= 0x1p-22);
  holds(b, 1, 10, 10);
}
END_TEST

/* A quotient within 2.5 units. */
START_TEST(quotients) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3;
  kgt_case_fine(&b->c, HEAD(1) "y[0] = 1.0 / x[0] }");
  holds(b, 0, 0x1.555552p-2, 0x1.55555ap-2); /* 1/3 lies two thirds of a unit behind 0x1.555554p-2: five numbers are within 2.5 of it */
}
END_TEST

/* A loop whose trips are known: as the same operations one by one. */
START_TEST(loops) {
  bounded *b = start(KG_BOUNDS_REAL);
  for (unsigned i = 0; i < 4; i++) b->x[i] = 0.1f * (float)(i + 1);
  kgt_case_fine(&b->c, HEAD(4) "var s = 0.0 for i in 0 .. 4 { s += x[i] * x[i] } y[local_index] = s }");
  double exact = 0;
  for (unsigned i = 0; i < 4; i++) exact += (double)b->x[i] * (double)b->x[i];
  for (unsigned i = 0; i < 4; i++) {
    ck_assert(b->low[1][i] < exact && exact < b->high[1][i]);
    ck_assert(b->low[1][i] <= (double)b->y[i] && (double)b->y[i] <= b->high[1][i]);
    ck_assert(b->high[1][i] - b->low[1][i] < 8 * 0x1p-24);
  }
  ck_assert_uint_eq(b->c.report.undecided, 0);
}
END_TEST

/* 1 / x on a device may be on either side of 1/3, which the branch asks. */
START_TEST(undecided_branch) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3, b->x[1] = 4;
  kgt_case_fine(&b->c, HEAD(2) "let i = local_index var a = 1.0 var c = 2.0\n"
                               "if 1.0 / x[i] > 0.33333334 { a = 5.0 } y[i] = a + c }");
  ck_assert(anything(b, 0));
  holds(b, 1, 3, 3);
  ck_assert_uint_eq(b->c.report.undecided, 1);
  ck_assert_uint_eq(b->c.report.undecided_line, 2);
  ck_assert_uint_eq(b->c.report.undecided_column, 1);
}
END_TEST

/* A lane that may have left the loop is in doubt until its end, and what it stores is anything. */
START_TEST(undecided_break) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3, b->x[1] = 4;
  kgt_case_fine(&b->c, HEAD(2) "let i = local_index var a = 0.0 var c = 2.0\n"
                               "for k in 0 .. 3 { if 1.0 / x[i] > 0.33333334 { break } a += 1.0 } y[i] = a }");
  ck_assert(anything(b, 0));
  holds(b, 1, 3, 3);
  ck_assert_uint_ge(b->c.report.undecided, 1);
}
END_TEST

/* A lane that may have returned: all that it stores afterwards. */
START_TEST(undecided_return) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3, b->x[1] = 4;
  kgt_case_fine(&b->c, HEAD(2) "let i = local_index if 1.0 / x[i] > 0.33333334 { return } y[i] = 1.0 }");
  ck_assert(anything(b, 0));
  ck_assert_uint_eq(b->c.report.undecided, 1);
}
END_TEST

/* select takes both arms. */
START_TEST(undecided_select) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3;
  kgt_case_fine(&b->c, HEAD(1) "y[0] = select(1.0 / x[0] > 0.33333334, 7.0, 5.0) }");
  holds(b, 0, 5, 7);
  ck_assert_uint_eq(b->c.report.undecided, 0);
}
END_TEST

/* An index made of a rounded float: decided where rounding gives one number, else counted, and the store may go anywhere. */
START_TEST(undecided_index) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3, b->x[1] = 2;
  const char *text = HEAD(2) "if local_index == 0 { y[u32(x[0] / x[1])] = 1.0 } }";
  kgt_case_fine(&b->c, text);
  holds(b, 1, 1, 1);
  ck_assert_uint_eq(b->c.report.undecided, 0);
  b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3, b->x[1] = 3;
  kgt_case_fine(&b->c, text);
  ck_assert(anything(b, 0) && anything(b, 1));
  ck_assert_uint_eq(b->c.report.undecided, 1);
}
END_TEST

/* Sums in any order: n u sum |x| to each side; one addition is only rounded. */
START_TEST(atomic_sums) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  double sum = 0, size = 0;
  for (unsigned i = 0; i < 32; i++) b->x[i] = (i % 2 ? -0.1f : 0.3f) * (float)(i + 1), sum += (double)b->x[i], size += fabs((double)b->x[i]);
  kgt_case_fine(&b->c, "program k { workgroup 32 grid 1 buffer x : f32[32] read buffer y : f32[2] read_write "
                       "atomic_add(y[0], x[local_index]) if local_index == 0 { atomic_add(y[1], x[0]) } }");
  double slack = 32 * 0x1p-23 * size;
  ck_assert(b->low[1][0] <= sum - slack && sum + slack <= b->high[1][0]);
  ck_assert(b->high[1][0] - b->low[1][0] <= 2.01 * slack + 0x1p-20);
  holds(b, 1, (double)b->x[0], (double)b->x[0]);
  ck_assert_uint_eq(b->c.report.undecided, 0);
}
END_TEST

/* The result of an atomic says who came first. */
START_TEST(used_atomics) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  kgt_case_fine(&b->c, "program k { workgroup 4 grid 1 buffer x : f32[4] read_write buffer y : f32[4] write shared n : u32 "
                       "if local_index == 0 { n = 0 } barrier y[local_index] = f32(atomic_add(n, 1)) barrier "
                       "x[local_index] = f32(n) }");
  for (unsigned i = 0; i < 4; i++) holds(b, i, 0, 0x1p32);
  for (unsigned i = 0; i < 4; i++) ck_assert(b->low[0][i] == 4 && b->high[0][i] == 4);
  ck_assert_uint_eq(b->c.report.undecided, 4);
}
END_TEST

START_TEST(subgroup_sums) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  double sum = 0;
  b->c.params.subgroup_size = 4;
  for (unsigned i = 0; i < 4; i++) b->x[i] = 0.1f * (float)(i + 1), sum += (double)b->x[i];
  kgt_case_fine(&b->c, HEAD(4) "y[local_index] = subgroup_add(x[local_index]) }");
  ck_assert(b->low[1][2] < sum && sum < b->high[1][2] && b->high[1][2] - b->low[1][2] < 9 * 0x1p-23 * sum + 0x1p-22);
  b = start(KG_BOUNDS_DEVICE);
  b->c.params.subgroup_size = 4;
  for (unsigned i = 0; i < 4; i++) b->x[i] = 0.1f * (float)(i + 1);
  kgt_case_fine(&b->c, HEAD(4) "y[local_index] = subgroup_shuffle_xor(x[local_index], 1) }");
  holds(b, 0, (double)b->x[1], (double)b->x[1]);
}
END_TEST

/* What nothing wrote is anything; a subnormal may be 0. */
START_TEST(contents) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 1e-40f;
  b->c.params.flush_subnormals = true;
  kgt_case_fine(&b->c, HEAD(2) "if local_index == 0 { y[0] = x[0] * 1.0 } }");
  holds(b, 0, 0, (double)1e-40f);
  ck_assert(anything(b, 1));
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(sums_and_products), KGT(quotients), KGT(loops), KGT(undecided_branch), KGT(undecided_break), KGT(undecided_return),
    KGT(undecided_select), KGT(undecided_index), KGT(atomic_sums), KGT(used_atomics), KGT(subgroup_sums), KGT(contents),
  };
  return kgt_run("reference/bound", tests, KGT_COUNT(tests));
}
