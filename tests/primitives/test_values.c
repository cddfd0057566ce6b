/* The inverse of K-FAC: exact cases, residuals, failed pivots. */
#include "tests/support/kgtest.h"
#include "tests/primitives/math.h"
#include "tests/primitives/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef DEVICE
#define DEVICE "reference"
#define LARGE_DEVICE "cpu" /* sides of 1,024 are too much for the interpreter, and for the loops of lavapipe */
#endif

static const double unit = 0x1p-24; /* half a unit in the last place of f32, relative */

static float *floats(size_t count) {
  float *x = calloc(count ? count : 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static void invert(float *a, float *x, uint32_t *status, size_t blocks, size_t n, double damping, double workgroup) {
  const kg_primitive_arg args[] = {{"blocks", (double)blocks}, {"n", (double)n}, {"damping", damping}, {"workgroup", workgroup}};
  const kgt_array arrays[] = {{"a", a, blocks * n * n}, {"inverse", x, blocks * n * n}, {"status", status, blocks}};
  for (size_t i = 0; i < blocks; i++) status[i] = 77; /* each must be written */
  kgt_run_primitive(DEVICE, "kfac_inverse", args, 4, arrays, 3);
}

START_TEST(inverse_of_the_identity_is_exact) {
  enum { N = 5 };
  float a[N * N] = {0}, x[N * N];
  uint32_t status;
  for (int i = 0; i < N; i++) a[i * N + i] = 1;
  invert(a, x, &status, 1, N, 0, 64);
  ck_assert_uint_eq(status, 0);
  for (int i = 0; i < N * N; i++) ck_assert_float_eq(x[i], a[i]);
}
END_TEST

/* 1 / sqrt(2) squared is 0.5 but for its rounding. */
START_TEST(inverse_of_a_diagonal) {
  float a[4] = {2, 0, 0, 4}, x[4];
  uint32_t status;
  invert(a, x, &status, 1, 2, 0, 64);
  ck_assert_uint_eq(status, 0);
  ck_assert_double_eq_tol(x[0], 0.5, 8 * unit);
  ck_assert_double_eq_tol(x[3], 0.25, 8 * unit);
  ck_assert_float_eq(x[1], 0);
  ck_assert_float_eq(x[2], 0);
}
END_TEST

START_TEST(damping_is_added_to_the_diagonal) {
  float a[8] = {0, 0, 0, 0, 1, 1, 1, 1}, x[8];
  uint32_t status[2];
  invert(a, x, status, 2, 2, 4, 16);
  ck_assert_uint_eq(status[0] | status[1], 0);
  ck_assert_float_eq(x[0], 0.25f);
  ck_assert_float_eq(x[3], 0.25f);
  /* [[5, 1], [1, 5]]^-1 = [[5, -1], [-1, 5]] / 24 */
  ck_assert_double_eq_tol(x[4], 5.0 / 24, 8 * unit);
  ck_assert_double_eq_tol(x[5], -1.0 / 24, 8 * unit);
  ck_assert_float_eq(x[5], x[6]);
}
END_TEST

/* kfac_inverse_large: no square array in shared memory, and a damping for each block. */
static void invert_large_on(const char *device, float *a, float *x, uint32_t *status, size_t blocks, size_t n, double damping) {
  const kg_primitive_arg args[] = {{"blocks", (double)blocks}, {"n", (double)n}};
  float each[8];
  const kgt_array arrays[] = {{"a", a, blocks * n * n}, {"damping", each, blocks}, {"inverse", x, blocks * n * n}, {"status", status, blocks},
                              {"factor", NULL, blocks * n * n}};
  for (size_t i = 0; i < blocks; i++) status[i] = 77, each[i] = (float)damping;
  kgt_run_primitive(device, "kfac_inverse_large", args, 2, arrays, 5);
}

static void invert_large(float *a, float *x, uint32_t *status, size_t blocks, size_t n, double damping) {
  invert_large_on(DEVICE, a, x, status, blocks, n, damping);
}

/* Without a workgroup: kfac_inverse_large. */
static const struct { size_t blocks, n; double condition, damping, workgroup; } inverses[] = {
    {3, 1, 1, 0, 0},     {2, 15, 1e4, 0, 0},    {2, 16, 1e6, 0, 0},  {3, 17, 1e3, 0.5, 0},  {1, 64, 1e5, 0, 0},  {1, 100, 1e4, 0, 0},
    {2, 33, 1e6, 0, 0},  {1, 130, 1e6, 0, 0},   {2, 33, 1e6, 0, 64}, {1, 64, 1e6, 0, 64},
    {1, 1, 1, 0, 64},    {3, 2, 10, 0, 16},     {2, 3, 1e4, 0, 64},  {4, 7, 100, 0.5, 64},  {2, 16, 1e4, 0, 64}, {3, 17, 1e3, 0, 32},
    {1, 31, 1e4, 0, 16}, {2, 33, 10, 1e-3, 64}, {5, 48, 1e4, 0, 64}, {1, 63, 1e4, 0, 256}, {2, 64, 1e4, 0, 64}, {1, 64, 100, 0, 16},
};
enum { INVERSES = sizeof inverses / sizeof *inverses };

/* |A X - I| is bounded by a modest multiple of u times the condition number (Higham 2002, Accuracy and stability, section 14.3, has
 * n there, which is the worst case; seen is at most half of it at any n). The result is symmetric to the last bit. */
START_TEST(inverse) {
  size_t blocks = inverses[_i].blocks, n = inverses[_i].n, square = n * n;
  uint64_t state = 17;
  float *a = floats(blocks * square), *x = floats(blocks * square);
  uint32_t status[8];
  for (size_t k = 0; k < blocks; k++) kgt_symmetric(&state, n, 1, inverses[_i].condition, a + k * square);
  if (inverses[_i].workgroup > 0) invert(a, x, status, blocks, n, inverses[_i].damping, inverses[_i].workgroup);
  else invert_large(a, x, status, blocks, n, inverses[_i].damping);
  for (size_t k = 0; k < blocks; k++) {
    const float *own = x + k * square;
    ck_assert_uint_eq(status[k], 0);
    double residual = kgt_inverse_residual(a + k * square, own, n, inverses[_i].damping);
    double bound = 4 * unit * inverses[_i].condition;
    if (getenv("KGT_VERBOSE")) fprintf(stderr, "n %zu condition %g: residual %.2g of %.2g\n", n, inverses[_i].condition, residual, bound);
    ck_assert_double_le(residual, bound);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < i; j++) ck_assert_float_eq(own[i * n + j], own[j * n + i]);
  }
  free(a), free(x);
}
END_TEST

#ifdef LARGE_DEVICE
START_TEST(a_large_block_is_inverted) {
  enum { N = 1024 };
  uint64_t state = 19;
  float *a = floats(N * N), *x = floats(N * N);
  uint32_t status;
  kgt_symmetric(&state, N, 1, 1e4, a);
  invert_large_on(LARGE_DEVICE, a, x, &status, 1, N, 0);
  ck_assert_uint_eq(status, 0);
  ck_assert_double_le(kgt_inverse_residual(a, x, N, 0), 4 * unit * 1e4);
  free(a), free(x);
}
END_TEST
#endif

START_TEST(every_size_from_1_to_64) {
  kgt_hold_device(DEVICE);
  for (size_t n = 1; n <= 64; n++) {
    uint64_t state = (uint64_t)n;
    float *a = floats(n * n), *x = floats(n * n);
    uint32_t status;
    kgt_symmetric(&state, n, 0.5, 5, a);
    invert(a, x, &status, 1, n, 0, 64);
    ck_assert_uint_eq(status, 0);
    ck_assert_double_le(kgt_inverse_residual(a, x, n, 0), 4 * unit * 10);
    free(a), free(x);
  }
  kgt_release_device();
}
END_TEST

/* Pivots of the second: 1, then 1 - 2 * 2 = -3. The others are inverted all the same. */
START_TEST(a_failed_pivot_is_reported_for_its_block) {
  float a[4][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 2, 0, 2, 1, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {4, 0, 0, 0, 4, 0, 0, 0, -1}};
  float x[4][9];
  uint32_t status[4];
  invert(a[0], x[0], status, 4, 3, 0, 64);
  const uint32_t expected[4] = {0, 2, 1, 3};
  if (_i) invert_large(a[0], x[0], status, 4, 3, 0);
  for (int k = 0; k < 4; k++) {
    ck_assert_uint_eq(status[k], expected[k]);
    for (int i = 0; i < 9; i++) ck_assert_float_eq(x[k][i], k == 0 && i % 4 == 0 ? 1 : 0);
  }
}
END_TEST

/* What is not finite in the lower triangle reaches a pivot; the upper triangle is not looked at. */
START_TEST(what_is_not_finite_fails) {
  float a[4][4] = {{NAN, 0, 0, 1}, {1, 0, NAN, 1}, {1, 0, INFINITY, 1}, {1, 0, 0, INFINITY}}, x[4][4];
  uint32_t status[4];
  invert(a[0], x[0], status, 4, 2, 0, 64);
  const uint32_t expected[4] = {1, 2, 2, 2};
  if (_i) invert_large(a[0], x[0], status, 4, 2, 0);
  for (int k = 0; k < 4; k++) {
    ck_assert_uint_eq(status[k], expected[k]);
    for (int i = 0; i < 4; i++) ck_assert_float_eq(x[k][i], 0);
  }
  float upper[4] = {2, NAN, 0, 2};
  invert(upper, x[0], status, 1, 2, 0, 64);
  ck_assert_uint_eq(status[0], 0);
  ck_assert_double_eq_tol(x[0][0], 0.5, 8 * unit);
  ck_assert_float_eq(x[0][1], 0);
}
END_TEST

/* Row 20 is twice row 3, but for its diagonal: the pivot of 20 is 1 - 4. */
START_TEST(a_pivot_of_a_later_tile_is_reported) {
  enum { N = 37 };
  float a[N * N] = {0}, x[N * N];
  uint32_t status;
  for (int i = 0; i < N; i++) a[i * N + i] = 1;
  a[20 * N + 3] = a[3 * N + 20] = 2;
  invert_large(a, x, &status, 1, N, 0);
  ck_assert_uint_eq(status, 21);
  for (int i = 0; i < N * N; i++) ck_assert_float_eq(x[i], 0);
}
END_TEST

static void eliminate(float *a, float *x, uint32_t *status, size_t blocks, size_t n, double workgroup) {
  const kg_primitive_arg args[] = {{"blocks", (double)blocks}, {"n", (double)n}, {"workgroup", workgroup}};
  const kgt_array arrays[] = {{"a", a, blocks * n * n}, {"inverse", x, blocks * n * n}, {"status", status, blocks}};
  for (size_t i = 0; i < blocks; i++) status[i] = 77;
  kgt_run_primitive(DEVICE, "pivoted_inverse", args, 3, arrays, 3);
}

/* [4 3; 3 2] is indefinite: the Cholesky reports its second pivot, 2 - 9 / 4. */
START_TEST(what_is_indefinite_is_inverted_with_pivots) {
  float a[4][4] = {{4, 3, 3, 2}, {0, 1, 2, 0}, {1, 2, 2, 4}, {0, 0, 0, 0}}, x[4][4];
  const float expected[4][4] = {{-2, 3, 3, -4}, {0, 0.5f, 1, 0}, {0}, {0}};
  uint32_t status[4];
  eliminate(a[0], x[0], status, 4, 2, 16);
  ck_assert_uint_eq(status[0], 0);
  ck_assert_uint_eq(status[1], 0);
  ck_assert_uint_eq(status[2], 2);
  ck_assert_uint_eq(status[3], 1);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4; i++) ck_assert_double_eq_tol((double)x[k][i], (double)expected[k][i], 64 * unit);
  invert(a[0], x[0], status, 1, 2, 0, 64);
  ck_assert_uint_eq(status[0], 2);
}
END_TEST

START_TEST(what_is_not_finite_has_no_pivots) {
  float a[3][4] = {{NAN, 0, 0, 1}, {1, INFINITY, 0, 1}, {1, 0, NAN, 1}}, x[3][4];
  uint32_t status[3];
  eliminate(a[0], x[0], status, 3, 2, 16);
  for (int k = 0; k < 3; k++) {
    ck_assert_uint_ne(status[k], 0);
    for (int i = 0; i < 4; i++) ck_assert_float_eq(x[k][i], 0);
  }
}
END_TEST

/* Rows of a symmetric matrix of known condition, some negated and all turned round: neither symmetric nor definite. */
START_TEST(any_regular_matrix_is_inverted_with_pivots) {
  static const struct { size_t n; double condition, workgroup; } cases[] = {
      {1, 1, 16}, {5, 10, 64}, {17, 1e4, 32}, {33, 100, 16}, {64, 1e4, 64}, {64, 1e6, 256}, {16, 1e6, 64}};
  size_t n = cases[_i].n;
  uint64_t state = 23;
  float *a = floats(n * n), *b = floats(n * n), *x = floats(n * n);
  uint32_t status;
  kgt_symmetric(&state, n, 1, cases[_i].condition, a);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) b[(i + n / 2) % n * n + j] = i % 3 ? a[i * n + j] : -a[i * n + j];
  eliminate(b, x, &status, 1, n, cases[_i].workgroup);
  ck_assert_uint_eq(status, 0);
  ck_assert_double_le(kgt_inverse_residual(b, x, n, 0), 4 * unit * cases[_i].condition);
  free(a), free(b), free(x);
}
END_TEST

static void take_step(float *a, float *g, float *dw, float *step, uint32_t *status_a, uint32_t *status_g, size_t blocks, size_t n) {
  const kg_primitive_arg args[] = {{"blocks", (double)blocks}, {"n", (double)n}};
  float lambda = 0;
  size_t square = blocks * n * n;
  const kgt_array arrays[] = {{"lambda", &lambda, 1}, {"a_factor", a, square}, {"g_factor", g, square}, {"dw", dw, square},
                              {"step", step, square}, {"status_a", status_a, blocks}, {"status_g", status_g, blocks},
                              {"damping_a", NULL, blocks}, {"damping_g", NULL, blocks}, {"inverse_a", NULL, square},
                              {"inverse_g", NULL, square}, {"work", NULL, square}};
  kgt_run_primitive(DEVICE, "kfac_autotune_step", args, 2, arrays, 12);
}

/* Layers at once, undamped: the identity; diag(2, 4) on both sides; [4 3; 3 2], whose pivot fails; a dense one, [4 1; 1 3] / 11. */
START_TEST(an_autotune_step_takes_several_layers) {
  float a[4][4] = {{1, 0, 0, 1}, {2, 0, 0, 4}, {4, 3, 3, 2}, {4, 1, 1, 3}}, g[4][4] = {{1, 0, 0, 1}, {2, 0, 0, 4}, {1, 0, 0, 1}, {1, 0, 0, 1}};
  float dw[4][4] = {{1, -2, 3, 4}, {8, 8, 16, -16}, {1, 1, 1, 1}, {11, 22, 0, -11}}, step[4][4];
  const float expected[4][4] = {{1, -2, 3, 4}, {2, 1, 2, -1}, {0}, {1, 7, 1, -4}};
  uint32_t status_a[4], status_g[4];
  take_step(a[0], g[0], dw[0], step[0], status_a, status_g, 4, 2);
  for (int k = 0; k < 4; k++) {
    ck_assert_uint_eq(status_a[k], k == 2 ? 2 : 0);
    ck_assert_uint_eq(status_g[k], 0);
    for (int i = 0; i < 4; i++) ck_assert_double_eq_tol((double)step[k][i], (double)expected[k][i], 100 * unit);
  }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
      KGT(inverse_of_the_identity_is_exact),
      KGT(inverse_of_a_diagonal),
      KGT(damping_is_added_to_the_diagonal),
      KGT_TIMES(inverse, KGT_COUNT(inverses)),
#ifdef LARGE_DEVICE
      KGT(a_large_block_is_inverted),
#endif
      KGT(every_size_from_1_to_64),
      KGT_TIMES(a_failed_pivot_is_reported_for_its_block, 2),
      KGT_TIMES(what_is_not_finite_fails, 2),
      KGT(what_is_indefinite_is_inverted_with_pivots),
      KGT(what_is_not_finite_has_no_pivots),
      KGT_TIMES(any_regular_matrix_is_inverted_with_pivots, 7),
      KGT(an_autotune_step_takes_several_layers),
      KGT(a_pivot_of_a_later_tile_is_reported),
  };
  return kgt_run("primitives/values on " DEVICE, tests, KGT_COUNT(tests));
}
