/* Intervals carried through programs: what they must hold, how wide they may be, and what they leave undecided, with its count. */
#include "tests/reference/reference_case.h"

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
  /* 1/3 lies two thirds of a unit behind 0x1.555554p-2: five numbers are within 2.5 of it */
  holds(b, 0, 0x1.555552p-2, 0x1.55555ap-2);
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
  for (unsigned i = 0; i < 32; i++) {
    b->x[i] = (i % 2 ? -0.1f : 0.3f) * (float)(i + 1);
    sum += (double)b->x[i], size += fabs((double)b->x[i]);
  }
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

/* Whole programs: in f64 their results are as good as exact, and lie in the interval that the f32 program has for real arithmetic;
 * so does what it gives itself. %s is the type, %s makes a literal of it. */
static const char *const programs[] = {
  "y[i] = exp(x[i]) / (%s(1) + exp(x[i]))",
  "var s = %s(0) for k in u32(0) .. 8 { s += x[(i + k) %% 8] * x[k] } y[i] = sqrt(s * s + %s(1))",
  "var s = x[i] for k in 0 .. 20 { s = s * %s(0.9) + %s(0.1) * x[k %% 8] } y[i] = s",
  "let m = max(x[i], x[0]) y[i] = m + log(exp(x[i] - m) + exp(x[0] - m))",
  "y[i] = pow(abs(x[i]) + %s(0.5), %s(1.5)) * sin(x[i]) - tanh(x[i]) / (%s(2) + cos(x[i]))",
  "var s = x[i] for k in 0 .. 6 { s = s - (s * s - %s(2)) / (%s(2) * s) } y[i] = s", /* Newton: errors vanish, intervals may grow */
  "y[i] = fma(x[i], x[i], -x[0]) * abs_diff(x[i], x[0]) + erf(x[i]) * fract(x[i]) + atan2(x[i], x[0])",
  "y[i] = select(x[i] > %s(1), x[i] * x[i], %s(1) / x[i]) + rem(x[i], %s(0.75)) + clamp(x[i], %s(1), %s(2))",
};

static void in_type(const char *type, const char *body, char *out, size_t size) {
  int at = snprintf(out, size, "program k { workgroup 8 grid 1 buffer x : %s[8] read buffer y : %s[8] write let i = local_index ",
                    type, type);
  at += snprintf(out + at, size - (size_t)at, body, type, type, type, type, type, type);
  snprintf(out + at, size - (size_t)at, " }");
}

START_TEST(real_programs) {
  char text[1024];
  bounded *b = start(KG_BOUNDS_REAL);
  double wide_x[8], wide_y[8];
  for (unsigned i = 0; i < 8; i++) b->x[i] = 0.3f + 0.37f * (float)i, wide_x[i] = (double)b->x[i];
  in_type("f32", programs[_i], text, sizeof text);
  kgt_case_fine(&b->c, text);
  ck_assert_uint_eq(b->c.report.undecided, 0);
  kgt_case wide;
  kgt_case_init(&wide);
  wide.buffers[0] = wide_x, wide.buffers[1] = wide_y;
  in_type("f64", programs[_i], text, sizeof text);
  kgt_case_fine(&wide, text);
  for (unsigned i = 0; i < 8; i++) {
    double low = b->low[1][i], high = b->high[1][i], slack = 1e-13 * (1 + fabs(wide_y[i]));
    bool inside = low - slack <= wide_y[i] && wide_y[i] <= high + slack;
    ck_assert_msg(inside, "%s: %.17g is not in [%.17g, %.17g]", text, wide_y[i], low, high);
    ck_assert(low <= (double)b->y[i] && (double)b->y[i] <= high);
    ck_assert_msg(high - low < 3e-4 * (1 + fabs(wide_y[i])), "%s: [%.9g, %.9g]", text, low, high);
  }
}
END_TEST

/* ---- order, doubt, and what is counted ---- */

/* In the order of a run one finds what it finds there; of two on one element, each anything. */
START_TEST(atomics_in_order) {
  bounded *b = start(KG_BOUNDS_REAL);
  b->c.params.in_order = true;
  for (unsigned i = 0; i < 4; i++) b->x[i] = (float)(4 - i) / 3;
  kgt_case_fine(&b->c, "program k { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared m : f32 shared n : i32 let l = local_index "
                       "if l == 0 { m = -1.0 n = 0 } barrier let saw = atomic_max(m, x[l]) let c = atomic_add(n, 1) barrier "
                       "y[l] = select(c == i32(l), saw + 0.1 * f32(n), -9.0) }");
  ck_assert_uint_eq(b->c.report.undecided, 0);
  for (unsigned i = 0; i < 4; i++) {
    ck_assert(!anything(b, i) && b->low[1][i] <= (double)b->y[i] && (double)b->y[i] <= b->high[1][i]);
    ck_assert(b->high[1][i] - b->low[1][i] < 8 * 0x1p-24);
  }
  static const char *const ways[] = {"let a = atomic_max(m, x[l]) let b = atomic_max(m, x[3 - l])", /* one may be ahead of another */
                                     "var a = 0.0 var b = 0.0 for k in 0 .. 3 { a = atomic_max(m, x[l] * f32(k)) }"};
  for (unsigned k = 0; k < 2; k++) {
    char text[400];
    snprintf(text, sizeof text, "%s shared m : f32 let l = local_index if l == 0 { m = -1.0 } barrier %s y[l] = a + b }", HEAD(4), ways[k]);
    kgt_case_fine(&b->c, text);
    ck_assert(b->c.report.undecided && anything(b, 1));
  }
}
END_TEST

/* A barrier orders atomics in shared memory; without one, different ones on an element have no certain outcome. */
START_TEST(mixed_atomics) {
  const char *head = "program k { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared n : u32 shared m : i32 "
                     "if local_index == 0 { n = 0 m = 5 } barrier ";
  char text[512];
  bounded *b = start(KG_BOUNDS_DEVICE);
  snprintf(text, sizeof text, "%s atomic_add(n, 2) barrier atomic_max(n, 3) atomic_min(m, i32(local_index)) barrier "
                              "y[local_index] = f32(n) + f32(m) }", head);
  kgt_case_fine(&b->c, text);
  holds(b, 0, 8, 8);
  ck_assert_uint_eq(b->c.report.undecided, 0);
  b = start(KG_BOUNDS_DEVICE);
  snprintf(text, sizeof text, "%s atomic_add(n, 2) atomic_max(n, 3) barrier y[local_index] = f32(n) }", head);
  kgt_case_fine(&b->c, text);
  holds(b, 0, 0, 0x1p32);
  ck_assert_uint_eq(b->c.report.undecided, 1);
}
END_TEST

/* Of an element that one invocation alone exchanges, and of one that others may have exchanged before. */
START_TEST(exchanges_where_equal) {
  const char *head = "program k { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write shared n : u32[4] "
                     "let l = local_index n[l] = l barrier ";
  const double others[] = {0, 1, 9, 3};
  char text[512];
  bounded *b = start(KG_BOUNDS_DEVICE);
  snprintf(text, sizeof text, "%s let t = atomic_compare_exchange(n[l], 2, 9) barrier y[l] = f32(n[l]) }", head);
  kgt_case_fine(&b->c, text);
  for (unsigned l = 0; l < 4; l++) holds(b, l, others[l], others[l]);
  ck_assert_uint_eq(b->c.report.undecided, 0);
  b = start(KG_BOUNDS_DEVICE);
  snprintf(text, sizeof text, "%s let t = atomic_compare_exchange(n[0], l, l + 1) barrier y[l] = f32(n[l]) }", head);
  kgt_case_fine(&b->c, text);
  ck_assert(b->c.report.undecided > 0);
  ck_assert(isnan(b->low[1][0]) || b->high[1][0] - b->low[1][0] >= 4);
  holds(b, 1, 1, 1);
}
END_TEST

/* Across workgroups nothing orders the atomics of a dispatch; all of them add up. */
START_TEST(atomics_of_workgroups) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  for (unsigned i = 0; i < 64; i++) b->x[i] = 0.1f * (float)(i % 7) - 0.25f;
  kgt_case_fine(&b->c, "program k { workgroup 8 grid 8 buffer x : f32[64] read buffer y : f32[1] read_write "
                       "atomic_add(y[0], x[global_id.x]) }");
  double sum = 0, size = 0;
  for (unsigned i = 0; i < 64; i++) sum += (double)b->x[i], size += fabs((double)b->x[i]);
  ck_assert(b->low[1][0] <= sum - 63 * 0x1p-24 * size && sum + 63 * 0x1p-24 * size <= b->high[1][0]);
  ck_assert(b->high[1][0] - b->low[1][0] < 2.1 * 64 * 0x1p-23 * size);
}
END_TEST

/* Trips that hang on a quotient: the sum is anything, its neighbour is not; a var outside of the loop stays known. */
START_TEST(undecided_trips) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3, b->x[1] = 4;
  kgt_case_fine(&b->c, "program k { workgroup 2 grid 1 buffer x : f32[2] read_write buffer y : f32[2] write let i = local_index "
                       "var s = 0.0 var t = 7.0\nfor k in 0 .. u32(9.0 / x[i]) { s += 1.0 } y[i] = s x[i] = t }");
  ck_assert(anything(b, 0));
  holds(b, 1, 2, 2);
  ck_assert(b->low[0][0] == 7 && b->high[0][1] == 7);
  ck_assert_uint_eq(b->c.report.undecided, 1);
  ck_assert_uint_eq(b->c.report.undecided_line, 2);
}
END_TEST

/* What a lane in doubt may store to shared memory spoils it for all. */
START_TEST(doubt_spreads) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3, b->x[1] = 4;
  kgt_case_fine(&b->c, "program k { workgroup 2 grid 1 buffer x : f32[2] read buffer y : f32[2] write shared s : f32[2] "
                       "let i = local_index s[i] = 1.0 barrier if 1.0 / x[i] > 0.33333334 { s[i] = 2.0 } barrier y[i] = s[1 - i] }");
  ck_assert(anything(b, 0) && anything(b, 1));
  ck_assert_uint_eq(b->c.report.undecided, 1);
}
END_TEST

/* An assert that a device may find false is counted, and changes nothing. */
START_TEST(undecided_assert) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3;
  kgt_case_fine(&b->c, HEAD(1) "assert 1.0 / x[0] < 0.33333336 \"close\" y[0] = 1.0 }");
  holds(b, 0, 1, 1);
  ck_assert_uint_eq(b->c.report.undecided, 1);
}
END_TEST

/* Conditions of while, trip by trip. */
START_TEST(undecided_while) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  b->x[0] = 3, b->x[1] = 2;
  kgt_case_fine(&b->c, HEAD(2) "let i = local_index var s = 1.0 var n = 0 while s > 0.3333333 limit 9 { s = s / x[i] n += 1 } "
                               "y[i] = f32(n) }");
  ck_assert(b->low[1][0] == -0x1p31 && b->high[1][0] == 0x1p31); /* any i32 */
  holds(b, 1, 2, 2);
  ck_assert_uint_ge(b->c.report.undecided, 1);
}
END_TEST

/* Integers on exit are exactly what the buffer holds, rounded outward where a double cannot say it. */
START_TEST(integers_on_exit) {
  bounded *b = start(KG_BOUNDS_DEVICE);
  static uint64_t wide[1];
  b->c.buffers[0] = wide;
  kgt_case_fine(&b->c, "program k { workgroup 1 grid 1 buffer w : u64[1] write buffer y : f32[1] write "
                       "let v = u64(9007199254740993) w[0] = v y[0] = f32(v) }");
  ck_assert(b->low[0][0] == 9007199254740992.0 && b->high[0][0] == 9007199254740994.0);
  holds(b, 0, 0x1p53, 0x1.000002p53); /* converted either way */
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
    KGT(undecided_select), KGT(undecided_index), KGT(atomic_sums), KGT(used_atomics), KGT(atomics_in_order), KGT(subgroup_sums), KGT(contents),
    KGT_TEXTS(real_programs, programs), KGT(mixed_atomics), KGT(exchanges_where_equal), KGT(atomics_of_workgroups), KGT(undecided_trips),
    KGT(doubt_spreads), KGT(undecided_assert), KGT(undecided_while), KGT(integers_on_exit),
  };
  return kgt_run("reference/bound", tests, KGT_COUNT(tests));
}
