/* Arithmetic by modes, on devices: every function, contracted sums and whole kernels stay within the intervals of their mode;
 * gradients pass in each, and wrong ones do not. That each mode emits what it should is tests/spirv/test_emit.c's. */
#include "foundation/base/random.h"
#include "foundation/ir/program.h"
#include "tests/support/devices.h"
#include "fuzz/ask/bounds.h"
#include "fuzz/ask/ask.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const devices[] = {"vulkan", "cpu"};
enum { DEVICES = sizeof devices / sizeof *devices, N = 4096 };

/* On the CPU every kernel is compiled, once. */
static kgt_device open_device(unsigned i) {
  setenv("KGRAD_CACHE", "none", 1);
  return kgt_open(devices[i]);
}

static kg_status run_in(const kgt_device *d, const kg_module *m, void *const *data, const uint64_t *lengths, kg_math math) {
  bool given[3] = {true, true, true};
  uint64_t length[3] = {lengths[0], lengths[1], lengths[2]};
  kg_host host = {.length = length, .length_given = given};
  return kg_run(d->device, m, &host, data, &(kg_executable_params){.math = math}, &kgt_sink, NULL);
}

/* ---- values ---- */

static uint64_t state;

/* Magnitudes from 2^-30 to 2^30, what is near 1, angles, and what is infinite, subnormal or none. */
static float operand(unsigned i) {
  static const float edges[] = {0, -0.0F, 1, -1, 0.5F, 2, INFINITY, -INFINITY, NAN,
                                1e-40F, -1e-42F, 1.17549435e-38F, 3.4e38F, -3.4e38F,
                                88.7F, 89, -87.4F, -103.9F, -104.1F, 127.9F, -126.5F, -149.5F, -151.5F,
                                3.1415925F, 3.1415927F, -3.1415927F, 262144, 262143.9F, -262143.97F};
  double unit = kgi_random_between(&state, 0, 1), sign = kgi_random(&state) & 1 ? 1 : -1;
  if (i < sizeof edges / sizeof *edges) return edges[i];
  switch (i % 5) {
  case 0: return (float)(sign * ldexp(1 + unit, (int)(kgi_random(&state) % 60) - 30));
  case 1: return (float)(1 + sign * ldexp(unit, -(int)(kgi_random(&state) % 24)));
  case 2: return (float)(sign * unit);
  case 3: return (float)(sign * unit * (i % 2 ? 100 : 262144));
  default: return (float)(sign * unit * 4);
  }
}

/* y[i] = BODY over a and b, on so many devices in every mode but the exact one: within the interval, and the interval is one. */
static void check_body(const char *body, unsigned count, unsigned least_known) {
  char text[1024];
  float *x[3];
  const uint64_t lengths[3] = {N, N, N};
  snprintf(text, sizeof text, "program k { workgroup 64 grid %d buffer x : f32[%d] read buffer w : f32[%d] read\n"
           "buffer y : f32[%d] write let i = global_id.x let a = x[i] let b = w[i] y[i] = %s }", N / 64, N, N, N, body);
  kg_module *m = kgt_parse(text);
  for (unsigned k = 0; k < 3; k++) x[k] = calloc(N, sizeof **x);
  state = 5;
  for (unsigned i = 0; i < N; i++) x[0][i] = operand(i), x[1][i] = operand((i * 7 + 3) % N);
  for (unsigned k = 0; k < count * (KG_MATH_COUNT - 1); k++) {
    kgt_device d = open_device(k % count);
    kg_math math = (kg_math)(k / count + 1);
    kgi_bounds bounds;
    void *const data[3] = {x[0], x[1], x[2]};
    ck_assert_int_eq(kgi_bounds_run(&bounds, m, data, lengths, NULL, 0, math, &kgt_sink), KG_OK);
    kg_status status = run_in(&d, m, data, lengths, math);
    ck_assert_msg(status == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
    bool inside = kgi_bounds_hold(&bounds, data, kgt_last.message, sizeof kgt_last.message);
    ck_assert_msg(inside, "%s, %s on %s: %s", body, kg_math_name(math), d.info.id, kgt_last.message);
    ck_assert_msg(bounds.elements - bounds.open >= least_known, "%s, %s: %u are known", body, kg_math_name(math),
                  (unsigned)(bounds.elements - bounds.open));
    kgi_bounds_free(&bounds);
    kgt_close(&d);
  }
  for (unsigned k = 0; k < 3; k++) free(x[k]);
  kg_module_free(m);
}

static const char *const functions[] = {
#define FUN1(name, ...) #name "(a)",
#define FUN2(name, ...) #name "(a, b)",
#include "foundation/ir/ops.def"
};

/* The CPU has no other than kgrad's own. */
START_TEST(every_function) { check_body(functions[_i], 1, N / 8); }
END_TEST

/* Sums that take products in, and those that must not; what cancels shows whether somebody rewrites them. */
static const char *const sums[] = {
  "a * b + a", "a - b * b", "a * b - b * a", "(a * b + 1.0) - a * b", "a * b + a * a + b * b", "exp(a) * b + log(b * b + 1.0) * a",
  "mulz(a, b) + a * b", "max(a * b + a, b)", "sin(a * b + 1.0) * a - b",
  "a * 0.3333333 + b * 0.6666667", "-(a * b) + a", "fma(a, b, a * b)",
};

START_TEST(contracted) { check_body(sums[_i], DEVICES, N / 3); }
END_TEST

/* ---- kernels ---- */

static char said[1 << 14];

/* Every example stays within the mode's intervals, of which not all are anything. */
START_TEST(kernels) {
  char folder[400], path[800];
  const char *root = getenv("abs_srcdir");
  kgt_device d = open_device((unsigned)_i % DEVICES);
  kg_math math = (kg_math)(_i / DEVICES + 1);
  unsigned count = 0;
  snprintf(folder, sizeof folder, "%s/examples", root ? root : ".");
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    size_t length = strlen(e->d_name), used = strlen(said);
    if (length < 4 || strcmp(e->d_name + length - 3, ".kg")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    char *text = kgt_read_file(path, NULL);
    kg_module *m = kgt_parse(text);
    kgi_target target = kgi_target_of(d.device);
    kgi_ask f = {.data = 1, .target = &target, .math = math};
    kgi_answer verdict = kgi_ask_module_on_device(&f, m);
    const char *what = verdict == KGI_VACUOUS ? "nothing is known" : f.what;
    if (verdict != KGI_HOLDS) snprintf(said + used, sizeof said - used, "%s: %s [%s]\n", e->d_name, what, f.id);
    count++;
    kg_module_free(m);
    free(text);
  }
  closedir(dir);
  kgt_close(&d);
  ck_assert_uint_gt(count, 10);
  ck_assert_msg(!*said, "%s: %s", kg_math_name(math), said);
}
END_TEST

/* ---- gradients ---- */

#define HEAD "program k { workgroup 64 grid invocations n param n : u32 = 192 buffer x : f32[n] read buffer w : f32[n] read "
#define ONE HEAD "buffer y : f32[n] write let i = global_id.x if i < n { let a = x[i] let b = w[i] "
static const char *const gradients[] = {
  ONE "y[i] = a * b + exp(a) * b - log(b * b + 1.5) } }",
  ONE "y[i] = exp(20.0 * a) * b + exp2(a * 9.0) } }",
  ONE "y[i] = sin(a * 3.0) * b + cos(a * b) * a + sin(a * 500.0) * 0.01 } }",
  ONE "y[i] = asin(a * 0.5) * acos(b * 0.5) + atan(a * 4.0) * b } }",
  ONE "y[i] = tanh(a * b + a) + pow(b * b + 0.5, a) + erf(a) * b } }",
  /* A maximum whose adjoint looks for the one that it is, of sums that would take products in. */
  HEAD "buffer y : f32[n] write let i = global_id.x if i < n { var best = -inf for j in 0 .. 16 {\n"
       "best = max(best, x[(i + j) % n] * w[j] + x[i] * 0.3) } y[i] = best * best } }",
  /* A softmax whose running maximum begins with -inf, with a mask. */
  HEAD "buffer y : f32[n] write let i = global_id.x if i < n { var best = -inf var sum = 0.0 for j in 0 .. 12 {\n"
       "let s = select(j % 3 == 2, -inf, x[(i + j) % n] * w[j] * 4.0) let next = max(best, s)\n"
       "sum = sum * exp(best - next) + exp(s - next) best = next } y[i] = log(sum) + best } }",
  /* A long sum of products. */
  HEAD "buffer y : f32[n] write let i = global_id.x if i < n { var s = 0.0\n"
       "for j in 0 .. n { s = s + x[j] * w[(i + j) % n] } y[i] = s * s } }",
};

static const char *judged(const kg_module *m, const kg_module *adjoint, const kgt_device *d, kg_math math, kg_outcome *outcome) {
  static char reason[512];
  kg_verdict *verdict = NULL;
  kg_verify_params params = {.math = math, .adjoint = adjoint, .devices = &d->device, .device_count = 1, .seed = 3};
  kg_status status = kg_verify(m, &params, &kgt_sink, &verdict);
  ck_assert_msg(status == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
  kg_verdict_device on = kg_verdict_on(verdict, 1);
  ck_assert_msg(on.ran, "%s: %s", kgt_last.id, kgt_last.message);
  *outcome = adjoint ? on.outcome : kg_verdict_summary(verdict).outcome;
  snprintf(reason, sizeof reason, "%s: %s", kg_outcome_name(*outcome), kg_verdict_summary(verdict).reason);
  kg_verdict_free(verdict);
  return reason;
}

START_TEST(gradients_pass) {
  kg_module *m = kgt_parse(gradients[_i]);
  for (unsigned k = 0; k < DEVICES * KG_MATH_COUNT; k++) {
    kgt_device d = open_device(k / KG_MATH_COUNT);
    kg_math math = (kg_math)(k % KG_MATH_COUNT);
    kg_outcome outcome;
    const char *why = judged(m, NULL, &d, math, &outcome);
    ck_assert_msg(outcome == KG_OUTCOME_PASSED, "%s on %s: %s", kg_math_name(math), d.info.id, why);
    kgt_close(&d);
  }
  kg_module_free(m);
}
END_TEST

/* ---- what is wrong is found ---- */

#define PLAIN "workgroup 8 grid invocations n param n : u32 = 64 buffer x : f32[n] read in -0.9 .. 3.0 buffer y : f32[n] write\n"
#define FORWARD(f) "program k { " PLAIN "let i = global_id.x if i < n { y[i] = " f "(x[i]) } }"
#define BACKWARD(f, g) "program k_grad { " PLAIN "buffer grad_y : f32[n] read buffer grad_x : f32[n] write let i = global_id.x\n" \
                       "if i < n { y[i] = " f "(x[i]) grad_x[i] = grad_y[i] * " g " } }"

/* By how much beyond what a mode may be off: of exp at 3 that is 9 units, 1.1e-6; of sines 2^-11 and 2^-13. */
static const struct { const char *forward, *right, *wrong; } faults[] = {
  {FORWARD("exp"), BACKWARD("exp", "exp(x[i])"), BACKWARD("exp", "exp(x[i]) * 1.00001")},
  {FORWARD("sin"), BACKWARD("sin", "cos(x[i])"), BACKWARD("sin", "(cos(x[i]) + 0.002)")},
  {FORWARD("log1p"), BACKWARD("log1p", "(1.0 / (1.0 + x[i]))"), BACKWARD("log1p", "(1.0 / (1.0 + x[i] * 1.0001))")},
  {FORWARD("exp"), BACKWARD("exp", "exp(x[i])"), BACKWARD("exp", "select(i == 17, 0.0, exp(x[i]))")},
};

START_TEST(faults_are_found) {
  kg_module *m = kgt_parse(faults[_i].forward), *right = kgt_parse(faults[_i].right), *wrong = kgt_parse(faults[_i].wrong);
  for (unsigned k = 0; k < DEVICES * KG_MATH_COUNT; k++) {
    kgt_device d = open_device(k / KG_MATH_COUNT);
    kg_math math = (kg_math)(k % KG_MATH_COUNT);
    kg_outcome outcome;
    const char *why = judged(m, right, &d, math, &outcome);
    ck_assert_msg(outcome == KG_OUTCOME_PASSED, "%s on %s: %s", kg_math_name(math), d.info.id, why);
    judged(m, wrong, &d, math, &outcome);
    ck_assert_msg(outcome == KG_OUTCOME_FAILED, "%s on %s: %s", kg_math_name(math), d.info.id, kg_outcome_name(outcome));
    kgt_close(&d);
  }
  kg_module_free(m), kg_module_free(right), kg_module_free(wrong);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TEXTS(every_function, functions), KGT_TEXTS(contracted, sums), KGT_TIMES(kernels, DEVICES * (KG_MATH_COUNT - 1)),
    KGT_TIMES(gradients_pass, KGT_COUNT(gradients)), KGT_TIMES(faults_are_found, KGT_COUNT(faults)),
  };
  return kgt_run("verify/math", tests, KGT_COUNT(tests));
}
