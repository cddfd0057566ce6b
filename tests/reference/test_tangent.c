/* Tangents through whole programs, with derivatives known by hand. Jacobians are taken column by column, all in one walk. */
#include "tests/reference/reference_case.h"

#include <math.h>

enum { N = 8 };

/* Buffer 0 is x : f32[n], buffer 1 is y : f32[n]; seeds one direction per element of x. */
typedef struct jacobian {
  kgt_case c;
  float x[N], y[N];
  double tangent[2][N * N], magnitude[2][N * N];
  double *tangents[KGT_BUFFERS], *magnitudes[KGT_BUFFERS];
} jacobian;

static kg_status columns(jacobian *j, const char *text) {
  kgt_case_init(&j->c);
  memset(j->tangent, 0, sizeof j->tangent);
  memset(j->tangents, 0, sizeof j->tangents);
  memset(j->magnitudes, 0, sizeof j->magnitudes);
  for (int i = 0; i < N; i++) j->tangent[0][i * N + i] = 1;
  for (int b = 0; b < 2; b++) j->tangents[b] = j->tangent[b], j->magnitudes[b] = j->magnitude[b];
  j->c.buffers[0] = j->x, j->c.buffers[1] = j->y;
  j->c.params.tangent_count = N;
  j->c.params.tangents = j->tangents, j->c.params.magnitudes = j->magnitudes;
  return kgt_case_run(&j->c, text);
}

static void fine(jacobian *j, const char *text) {
  kg_status status = columns(j, text);
  ck_assert_msg(status == KG_OK, "%s", j->c.message);
}

static double dy(const jacobian *j, int row, int column) { return j->tangent[1][column * N + row]; }
static double weight(const jacobian *j, int row, int column) { return j->magnitude[1][column * N + row]; }

#define HEADER "program p { workgroup 8 grid 1 buffer x : f32[8] read_write buffer y : f32[8] read_write\nlet i = local_id.x "

START_TEST(elementwise) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = 0.25f * (float)i - 1;
  fine(&j, HEADER "y[i] = x[i] * x[i] + exp(x[i]) }");
  for (int r = 0; r < N; r++)
    for (int k = 0; k < N; k++) {
      double x = (double)j.x[r], want = r == k ? 2 * x + exp(x) : 0;
      ck_assert(fabs(dy(&j, r, k) - want) < 1e-15);
      ck_assert(fabs(weight(&j, r, k) - (r == k ? 2 * fabs(x) + exp(x) : 0)) < 1e-15);
    }
}
END_TEST

START_TEST(neighbours) { /* z[i] = x[i] x[i + 1] */
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = (float)(i + 2);
  fine(&j, HEADER "if i < 7 { y[i] = x[i] * x[i + 1] } else { y[i] = x[i] } }");
  for (int r = 0; r < 7; r++)
    for (int k = 0; k < N; k++) ck_assert(dy(&j, r, k) == (k == r ? r + 3 : k == r + 1 ? r + 2 : 0));
  ck_assert(dy(&j, 7, 7) == 1);
}
END_TEST

START_TEST(sums_in_loops_and_shared_memory) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = (float)(i + 1);
  fine(&j, "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write shared s : f32[8]\n"
           "let i = local_id.x var sum = 0.0 for k in 0 .. i + 1 { let t = x[k] * x[k] sum += t }\n"
           "s[i] = sum barrier y[i] = s[7 - i] * s[0] }");
  /* y_i = x_0^2 * sum of x_k^2 for k <= 7 - i */
  for (int r = 0; r < N; r++) {
    double sum = 0;
    for (int k = 0; k <= 7 - r; k++) sum += (k + 1) * (k + 1);
    for (int k = 0; k < N; k++) ck_assert(dy(&j, r, k) == (k <= 7 - r ? 2.0 * (k + 1) : 0) + (k == 0 ? 2 * sum : 0));
  }
}
END_TEST

START_TEST(in_place_and_overwritten) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = 3, j.y[i] = 2;
  fine(&j, HEADER "y[i] = x[i] for k in 0 .. 2 { y[i] *= x[i] } let t = y[i] y[i] = 0.0 x[i] = 7.0 y[i] = t + x[i] }");
  for (int r = 0; r < N; r++) ck_assert(j.y[r] == 34 && dy(&j, r, r) == 27); /* x^3 + 7 */
  for (int r = 0; r < N; r++) ck_assert(j.tangent[0][r * N + r] == 0);       /* x now holds a constant */
}
END_TEST

START_TEST(atomics_and_gathers) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = (float)(i + 1), j.y[i] = 0;
  fine(&j, HEADER "atomic_add(y[i % 3], x[(i * 3) % 8] * 2.0) barrier\n"
                  "let old = atomic_exchange(y[i], x[7 - i]) barrier x[i] = old }");
  /* y[b] was 2 * the sum of x[3 i mod 8] over i = b mod 3; it moves to x */
  for (int b = 0; b < N; b++)
    for (int k = 0; k < N; k++) {
      double want = 0;
      for (int i = 0; i < N; i++) want += b < 3 && i % 3 == b && i * 3 % 8 == k ? 2 : 0;
      ck_assert(j.tangent[0][k * N + b] == want);
      ck_assert(dy(&j, b, k) == (k == 7 - b));
    }
}
END_TEST

START_TEST(who_came_first_stays_at_a_tie) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = (float)(i / 2), j.y[i] = -9;
  fine(&j, HEADER "atomic_max(y[0], x[i]) }"); /* x[6] = x[7] = 3 */
  for (int k = 0; k < N; k++) ck_assert(dy(&j, 0, k) == (k == 6));
}
END_TEST

START_TEST(ties_of_a_sequential_maximum) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = 5;
  fine(&j, HEADER "var best = -inf for k in 0 .. 4 { best = max(best, x[k]) } y[i] = best }");
  const double want[N] = {0.125, 0.125, 0.25, 0.5, 0, 0, 0, 0};
  for (int k = 0; k < N; k++) ck_assert(dy(&j, 0, k) == want[k]);
}
END_TEST

/* What is not taken contributes nothing, though its partial is infinite or NaN. */
START_TEST(zeros_are_strong) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = 0;
  fine(&j, HEADER "let c = x[i] > 0.0\n"
                  "y[i] = select(c, sqrt(x[i]), x[i] * 3.0) + sqrt(stop_gradient(x[i])) + mulz(x[i] * 0.0, 1.0 / x[i]) }");
  for (int k = 0; k < N; k++) ck_assert(dy(&j, k, k) == 3);
}
END_TEST

/* x - x: the tangent cancels, the magnitude tells what went into it. */
START_TEST(magnitudes_do_not_cancel) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = 2;
  fine(&j, HEADER "var a = x[i] * 5.0 a = a - 3.0 * x[i] - 2.0 * x[i] y[i] = -a }");
  for (int k = 0; k < N; k++) ck_assert(dy(&j, k, k) == 0 && weight(&j, k, k) == 10);
  ck_assert(j.magnitude[0][0] == 1); /* a seed's own */
}
END_TEST

START_TEST(integers_cut_and_comparisons_choose) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = (float)i - 2.5f;
  fine(&j, HEADER "let k = i32(x[i]) y[i] = f32(k) * x[i] + floor(x[i]) if x[i] < 0.0 { y[i] = -x[i] } }");
  for (int k = 0; k < N; k++) ck_assert(dy(&j, k, k) == (j.x[k] < 0 ? -1 : trunc((double)j.x[k])));
}
END_TEST

START_TEST(narrow_floats_keep_the_tangent) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = 1.0f + (float)i / 8;
  fine(&j, "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write shared h : bf16[8]\n"
           "let i = local_id.x h[i] = x[i] * 1.001 let a = f16(h[i]) y[i] = f32(a * a) }");
  for (int k = 0; k < N; k++) {
    double h = (double)j.x[k]; /* 1.001 is lost in bf16 */
    ck_assert(fabs(dy(&j, k, k) - 2 * h * (double)1.001f) < 1e-12);
  }
}
END_TEST

START_TEST(params_carry_seeds) {
  jacobian j;
  const double seeds[2 * N] = {1, 0, 0, 1};
  uint64_t params[] = {0x40000000, 0x40400000}; /* 2, 3 */
  for (int i = 0; i < N; i++) j.x[i] = 0;
  kgt_case_init(&j.c);
  memset(j.tangent, 0, sizeof j.tangent);
  memset(j.tangents, 0, sizeof j.tangents);
  for (int b = 0; b < 2; b++) j.tangents[b] = j.tangent[b];
  j.c.buffers[0] = j.x, j.c.buffers[1] = j.y;
  j.c.params.tangent_count = 2, j.c.params.tangents = j.tangents;
  j.c.params.param_bits = params, j.c.params.param_tangents = seeds;
  kgt_case_fine(&j.c, "module m { param a : f32 param b : f32 buffer x : f32[8] read_write buffer y : f32[8] write\n"
                      "program p { workgroup 8 param u : f32 param v : f32 buffer x : f32[8] read buffer y : f32[8] write\n"
                      "let i = local_id.x y[i] = u * v * v } run p(x = x, y = y, u = a, v = b) grid 1 }");
  ck_assert(j.y[0] == 18 && j.tangent[1][0] == 9 && j.tangent[1][N] == 12);
}
END_TEST

START_TEST(modules_carry_tangents_through_temps) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = 2;
  fine(&j, "module m { buffer x : f32[8] read buffer y : f32[8] write buffer t : f32[8] temp\n"
           "program sq { workgroup 8 buffer from : f32[8] read buffer to : f32[8] write\n"
           "let i = local_id.x to[i] = from[i] * from[i] }\n"
           "run sq(from = x, to = t) grid 1 run sq(from = t, to = y) grid 1 }");
  for (int k = 0; k < N; k++) ck_assert(j.y[k] == 16 && dy(&j, k, k) == 32); /* 4 x^3 */
}
END_TEST

START_TEST(bits_of_a_moving_value_are_refused) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = 2;
  ck_assert_int_eq(columns(&j, HEADER "\ny[i] = bitcast_f32(bitcast_u32(x[i]) & 0x7FFFFF00) }"), KG_REFUSED);
  ck_assert_str_eq(j.c.diag, "not-differentiable-here");
  ck_assert_uint_eq(j.c.line, 3);
  ck_assert_int_eq(j.c.report.fault, KG_FAULT_NOT_DIFFERENTIABLE);
  fine(&j, HEADER "\ny[i] = bitcast_f32(bitcast_u32(stop_gradient(x[i])) & 0x7FFFFFFF) + x[i] }");
  ck_assert(dy(&j, 3, 3) == 1);
}
END_TEST

/* Bits may be looked at, compared and counted; only a float made of them has lost its derivative, wherever they went. */
START_TEST(bits_may_choose_but_not_become_a_float) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = (float)i - 2.5f;
  fine(&j, "program p { workgroup 8 grid 1 buffer x : f32[8] read_write buffer y : f32[8] read_write shared s : u32[8]\n"
           "let i = local_id.x s[i] = bitcast_u32(x[i]) >> 31 barrier var n : u32 = 0 n += atomic_load(s[i])\n"
           "for k in 0 .. n { n += 1 } y[i] = select(n > 1, x[i] * 3.0, x[i]) }");
  for (int k = 0; k < N; k++) ck_assert(dy(&j, k, k) == (k < 3 ? 3 : 1));
  /* an exchange that fails, or takes a number that is no float's bits, leaves none of the expected one's */
  fine(&j, "program p { workgroup 8 grid 1 buffer x : f32[8] read_write buffer y : f32[8] read_write shared s : u32[8]\n"
           "let i = local_id.x s[i] = 0x40000000 let e = bitcast_u32(x[i]) let t = atomic_compare_exchange(s[i], e, 5)\n"
           "let u = atomic_compare_exchange(s[i], 0x40000000, 0x40400000) y[i] = bitcast_f32(atomic_load(s[i])) * x[i] }");
  for (int k = 0; k < N; k++) ck_assert(dy(&j, k, k) == 3);
  /* bits as a number: so many to one, by x's exponent */
  fine(&j, "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write shared s : u32[8]\n"
           "let i = local_id.x s[i] = bitcast_u32(x[i]) barrier y[i] = f32(s[i]) }");
  ck_assert(dy(&j, 0, 0) == -0x1p22 && dy(&j, 3, 3) == 0x1p24 && dy(&j, 6, 6) == 0x1p22);
  static const char *const refused[] = {
    "s[i] = bitcast_u32(x[i]) >> 1 barrier y[i] = bitcast_f32(s[i])",
    "var n = pack_half_2x16(x[i], 1.0) n = n & 65535 y[i] = unpack_half_2x16(n, 0)",
    "atomic_add(s[0], bitcast_u32(x[i])) barrier y[i] = f32(s[0])",
    "let t = atomic_compare_exchange(s[i], 0, bitcast_u32(x[i]) << 1) y[i] = bitcast_f32(atomic_load(s[i]))",
    "let t = atomic_exchange(s[i], bitcast_u32(x[i])) y[i] = f32(atomic_load(s[i]) << 1)",
    "s[i] = bitcast_u32(x[i]) * 3 let t = atomic_compare_exchange(s[i], 1, 2) y[i] = bitcast_f32(t)",
    "s[i] = bitcast_u32(x[i]) | 1 let t = atomic_compare_exchange(s[i], 1, 2) y[i] = bitcast_f32(atomic_load(s[i]))",
    /* another's bits are there, and equal */
    "if i == 0 { s[0] = bitcast_u32(x[0] - x[0]) } barrier\n"
    "if i == 1 { let t = atomic_compare_exchange(s[0], 0, bitcast_u32(x[1])) } barrier y[i] = bitcast_f32(s[0])",
    "s[i] = bitcast_u32(x[i]) let t = atomic_max(s[i], 1) y[i] = bitcast_f32(atomic_load(s[i]))",
    "let t = subgroup_shuffle(bitcast_u32(x[i]) ^ 2, 1) y[i] = bitcast_f32(t)",
    "let t = subgroup_max(bitcast_i32(x[i])) y[i] = bitcast_f32(t)",
    "y[i] = ldexp(1.0, bitcast_i32(x[i]) >> 22)",
    "let b = bitcast_u32(x[i]) y[i] = bitcast_f32(b + (b & 1))",
    "y[i] = bitcast_f32(bit_extract(bitcast_u32(x[i]), 22, 4) << 23)",
    "y[i] = bitcast_f32((bitcast_u32(x[i]) & 0x00ffff00) | 0x3f800000)",
    "y[i] = bitcast_f32(u32(u64(bitcast_u32(x[i]))))",
  };
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
    char text[400];
    snprintf(text, sizeof text, "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write shared s : u32[8]\n"
                                "let i = local_id.x %s }", refused[k]);
    kg_status status = columns(&j, text);
    ck_assert_msg(status == KG_REFUSED, "%s: %s", refused[k], j.c.message);
    ck_assert_str_eq(j.c.diag, "not-differentiable-here");
  }
}
END_TEST

static double size_of(double x) { return x < 0 ? -1 : x > 0; }
static double minus_size_of(double x) { return x > 0 ? -1 : x < 0; }
static double minus(double x) { return (void)x, -1; }
static double itself(double x) { return (void)x, 1; }
static double nothing(double x) { return (void)x, 0; }
static double size_by_threshold(double x) { return x > 0.1 ? 1 : -1; }
static double twice(double x) { return (void)x, 2; }
static double by_exponent(double x) { return ldexp(0.5, -ilogb(x)); }          /* in 0.5 .. 1, with its sign */
static double size_by_exponent(double x) { return copysign(ldexp(1, -ilogb(x)), x); } /* in 1 .. 2 */
/* What the integers are to the float, in the words of floats. */
static const struct { const char *text; double (*slope)(double x); } followed[] = {
  {"y[i] = bitcast_f32(b & 0x7fffffff)", size_of},
  {"y[i] = bitcast_f32(b | 0x80000000)", minus_size_of},
  {"y[i] = bitcast_f32(b ^ 0x80000000)", minus},
  {"y[i] = bitcast_f32(bitcast_i32(b) + i32(u32(0x80000000)))", minus},
  {"y[i] = bitcast_f32(0x80000000 ^ not(not(b)))", minus},
  {"s[i] = b barrier y[i] = bitcast_f32(s[i])", itself},
  {"let t = atomic_exchange(s[i], b) y[i] = bitcast_f32(atomic_load(s[i]))", itself},
  {"s[i] = 0 let t = atomic_compare_exchange(s[i], 0, b) y[i] = bitcast_f32(atomic_load(s[i]))", itself},
  {"y[i] = bitcast_f32(subgroup_broadcast(select(i == 0, b, b), i))", itself},
};

static const struct { const char *text; double (*slope)(double x); } followed_but_at_zero[] = {
  {"y[i] = bitcast_f32((b & 0x7fffffff) | (bitcast_u32(x[i]) & 0x80000000))", itself},
  {"y[i] = bitcast_f32((b & 0x807fffff) | 0x3f000000)", by_exponent},
  {"y[i] = bitcast_f32((b & 0x007fffff) | 0x3f800000)", size_by_exponent},
  {"y[i] = bitcast_f32(b + (1 << 23))", twice},
  {"y[i] = f32(i32((b >> 23) & 255) - 127)", nothing},
  {"y[i] = ldexp(1.0, bitcast_i32(x[i]) >> 23)", nothing},
  {"y[i] = f32(bit_extract(b, 31, 1))", nothing},
  {"y[i] = bitcast_f32(b & 0xff800000)", nothing},
  {"y[i] = bitcast_f32(stop_gradient(b))", nothing},
  {"y[i] = bitcast_f32((b | 0x007fffff) & 0x3fffffff)", nothing},
};

static void slopes(const char *text, double (*slope)(double x), bool with_zeros) {
  jacobian j;
  char whole[400];
  for (int i = 0; i < N; i++) j.x[i] = 0.7f * (float)i - 2.5f;
  if (with_zeros) j.x[0] = 0.0f, j.x[1] = -0.0f;
  snprintf(whole, sizeof whole, "program p { workgroup 8 grid 1 buffer x : f32[8] read_write buffer y : f32[8] read_write\n"
                                "shared s : u32[8] shared w : f32[8] let i = local_id.x let b = bitcast_u32(x[i]) %s }", text);
  fine(&j, whole);
  for (int k = 0; k < N; k++) {
    double at = (double)j.x[k];
    ck_assert_msg(dy(&j, k, k) == slope(at), "%s at %g: %g, not %g", text, at, dy(&j, k, k), slope(at));
  }
}

START_TEST(bits_are_followed) {
  for (size_t k = 0; k < sizeof followed / sizeof *followed; k++) slopes(followed[k].text, followed[k].slope, true);
  for (size_t k = 0; k < sizeof followed_but_at_zero / sizeof *followed_but_at_zero; k++)
    slopes(followed_but_at_zero[k].text, followed_but_at_zero[k].slope, false);
}
END_TEST

/* q has lost its derivative; what cuts it, or takes another, need not know it. */
static const struct { const char *text; double (*slope)(double x); } lost_and_cut[] = {
  {"y[i] = x[i] + stop_gradient(q - x[i])", itself},
  {"y[i] = select(q > 0.1, x[i], -x[i])", size_by_threshold},
  {"y[i] = select(q > 1000.0, q, x[i])", itself},
  {"y[i] = x[i] + 0.0 * f32(i32(q)) + round(q)", itself},
  {"var v = q v = 2.0 * x[i] y[i] = v", twice},
  {"w[i] = q barrier y[i] = x[i] + stop_gradient(w[i])", itself},
  {"y[i] = with_partial(stop_gradient(q), x[i], 2.0, 2.0)", twice},
  {"y[i] = x[i] + f32((bitcast_u32(q) >> 31) & 1) - f32(bitcast_u32(q) >> 31)", itself},
};

START_TEST(what_is_lost_may_be_cut) {
  for (size_t k = 0; k < sizeof lost_and_cut / sizeof *lost_and_cut; k++) {
    char text[300];
    snprintf(text, sizeof text, "let q = bitcast_f32(b & 0xffff0000) %s", lost_and_cut[k].text);
    slopes(text, lost_and_cut[k].slope, false);
  }
}
END_TEST

/* On its way to a result it stays lost, whatever it is added to, stored to or shared with. */
START_TEST(what_is_lost_stays_so) {
  static const char *const refused[] = {
    "y[i] = q - q", "y[i] = min(q, 1000.0)", "t[i] = q barrier y[i] = t[7 - i]", "atomic_add(t[0], q) barrier y[i] = t[0]",
    "y[i] = subgroup_add(q)", "y[i] = bitcast_f32(bitcast_u32(q))", "y[i] = select(q > 1000.0, x[i], q)",
    "y[i] = f32(f64(q))", "var v = 1.0 for k in 0 .. u32(3) { v = v * q } y[i] = v", "x[i] = q y[i] = 1.0",
    "y[i] = with_partial(q, x[i], 2.0, 2.0)",
  };
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
    jacobian j;
    char text[400];
    for (int i = 0; i < N; i++) j.x[i] = 0.7f * (float)i - 2.5f;
    snprintf(text, sizeof text, "program p { workgroup 8 grid 1 buffer x : f32[8] read_write buffer y : f32[8] read_write\n"
                                "shared t : f32[8] let i = local_id.x t[i] = 0.0 barrier\n"
                                "let q = bitcast_f32(bitcast_u32(x[i]) & 0xffff0000) %s }", refused[k]);
    ck_assert_msg(columns(&j, text) == KG_REFUSED, "%s: %s", refused[k], j.c.message);
    ck_assert_str_eq(j.c.diag, "not-differentiable-here");
    ck_assert_uint_eq(j.c.line, 3);
  }
}
END_TEST

/* A root below 0 has no number for a derivative: that is none that was lost, though another was lost beside it, and cut. */
START_TEST(what_is_no_number_is_not_lost) {
  static const char *const texts[] = {
    "y[i] = stop_gradient(q) + sqrt(x[i] - 100.0)",
    "y[i] = stop_gradient(q) - bitcast_f32(bitcast_u32(sqrt(x[i] - 100.0)))",
    "var v = stop_gradient(q) v = sqrt(x[i] - 100.0) + pow(x[i] - 100.0, 0.5) y[i] = 2.0 * v",
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    jacobian j;
    char text[300];
    for (int i = 0; i < N; i++) j.x[i] = 0.7f * (float)i - 2.5f;
    snprintf(text, sizeof text, HEADER "let q = bitcast_f32(bitcast_u32(x[i]) & 0xffff0000) %s }", texts[k]);
    fine(&j, text);
    for (int r = 0; r < N; r++)
      for (int c = 0; c < N; c++) {
        ck_assert_msg(r == c ? isnan(dy(&j, r, c)) : dy(&j, r, c) == 0, "%s: %d by %d is %g", texts[k], r, c, dy(&j, r, c));
        ck_assert_msg(weight(&j, r, c) == (r == c ? (double)INFINITY : 0), "%s: %d by %d weighs %g", texts[k], r, c, weight(&j, r, c));
      }
  }
}
END_TEST

/* A buffer whose tangents nobody asks for may hold anything. */
START_TEST(what_nobody_asks_for_may_be_lost) {
  jacobian j;
  for (int i = 0; i < N; i++) j.x[i] = (float)i + 1;
  fine(&j, "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write buffer z : f32[8] write\n"
           "let i = local_id.x z[i] = bitcast_f32(bitcast_u32(x[i]) & 0xffff0000) y[i] = 3.0 * x[i] }");
  for (int k = 0; k < N; k++) ck_assert(dy(&j, k, k) == 3);
}
END_TEST

/* Values are the same with tangents and without. */
START_TEST(tangents_change_no_value) {
  jacobian j;
  const char *text = HEADER "var a = x[i] for k in 0 .. u32(5) { if a > 0.3 { a = sin(a * 1.7) }\n"
                            "else { a = exp(a) - x[(i + k) % 8] } } y[i] = a }";
  float with[N];
  for (int i = 0; i < N; i++) j.x[i] = 0.1f * (float)i;
  fine(&j, text);
  memcpy(with, j.y, sizeof with);
  kgt_case_init(&j.c);
  j.c.buffers[0] = j.x, j.c.buffers[1] = j.y;
  kgt_case_fine(&j.c, text);
  ck_assert_mem_eq(with, j.y, sizeof with);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(elementwise), KGT(neighbours), KGT(sums_in_loops_and_shared_memory), KGT(in_place_and_overwritten),
    KGT(atomics_and_gathers),
    KGT(who_came_first_stays_at_a_tie), KGT(ties_of_a_sequential_maximum), KGT(zeros_are_strong), KGT(magnitudes_do_not_cancel),
    KGT(integers_cut_and_comparisons_choose), KGT(narrow_floats_keep_the_tangent), KGT(params_carry_seeds),
    KGT(modules_carry_tangents_through_temps), KGT(bits_of_a_moving_value_are_refused), KGT(bits_are_followed),
    KGT(bits_may_choose_but_not_become_a_float), KGT(what_is_lost_may_be_cut),
    KGT(what_is_lost_stays_so), KGT(what_is_no_number_is_not_lost), KGT(what_nobody_asks_for_may_be_lost), KGT(tangents_change_no_value),
  };
  return kgt_run("reference/tangent", tests, KGT_COUNT(tests));
}
