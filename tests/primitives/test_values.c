/* Primitives against the formulas in double, on sizes that are no multiple of the workgroup. */
#include "tests/support/kgtest.h"
#include "tests/primitives/math.h"
#include "tests/primitives/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef DEVICE
#define DEVICE "reference"
#endif

static const double unit = 0x1p-24; /* half a unit in the last place of f32, relative */

static float *floats(size_t count) {
  float *x = calloc(count ? count : 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static double *doubles(size_t count) {
  double *x = calloc(count ? count : 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static float *random_floats(uint64_t *state, size_t count, double lo, double hi) {
  float *x = floats(count);
  for (size_t i = 0; i < count; i++) x[i] = (float)kgi_random_between(state, lo, hi);
  return x;
}

/* ---- rows ---- */

static const struct { double rows, cols, workgroup; } row_sizes[] = {{1, 1, 1}, {1, 1, 64}, {3, 5, 8}, {5, 100, 64}, {2, 129, 32}, {4, 33, 128}};
enum { ROW_SIZES = sizeof row_sizes / sizeof *row_sizes };

/* A term is exp of a rounded difference: relative error (|x - max| + a few) u on a device whose exp is exact, more elsewhere. */
START_TEST(softmax) {
  size_t rows = (size_t)row_sizes[_i].rows, cols = (size_t)row_sizes[_i].cols, count = rows * cols;
  uint64_t state = 7;
  float *x = random_floats(&state, count, -6, 6), *y = floats(count);
  double *expected = doubles(count);
  x[0] = 90; /* exp overflows unless the maximum is subtracted */
  const kg_primitive_arg args[] = {{"rows", (double)rows}, {"cols", (double)cols}, {"workgroup", row_sizes[_i].workgroup}};
  kgt_run_primitive(DEVICE, "softmax", args, 3, (kgt_array[]){{"x", x, count}, {"y", y, count}}, 2);
  kgt_softmax(x, rows, cols, expected);
  for (size_t i = 0; i < count; i++) ck_assert_double_eq_tol(y[i], expected[i], 64 * unit * expected[i] + 1e-37);
  free(x), free(y), free(expected);
}
END_TEST

START_TEST(layer_norm) {
  size_t rows = (size_t)row_sizes[_i].rows, cols = (size_t)row_sizes[_i].cols, count = rows * cols;
  uint64_t state = 11;
  float *x = random_floats(&state, count, -3, 5), *y = floats(count);
  float *scale = random_floats(&state, cols, 0.5, 2), *shift = random_floats(&state, cols, -1, 1);
  double *expected = doubles(count);
  const kg_primitive_arg args[] = {
      {"rows", (double)rows}, {"cols", (double)cols}, {"workgroup", row_sizes[_i].workgroup}, {"epsilon", 0.001}};
  const kgt_array arrays[] = {{"x", x, count}, {"scale", scale, cols}, {"shift", shift, cols}, {"y", y, count}};
  kgt_run_primitive(DEVICE, "layer_norm", args, 4, arrays, 4);
  kgt_layer_norm(x, scale, shift, rows, cols, (float)0.001, expected);
  /* the mean has an error of a few units of the largest |x|, 5, and is divided by a deviation of at least sqrt(0.001) */
  for (size_t i = 0; i < count; i++)
    ck_assert_double_eq_tol(y[i], expected[i], (cols == 1 ? 2000 : 100) * unit * (1 + fabs(expected[i])));
  free(x), free(y), free(scale), free(shift), free(expected);
}
END_TEST

/* ---- matrix product ---- */

static const struct { double m, n, k, tile, transpose_a, transpose_b; } products[] = {
    {1, 1, 1, 2, 0, 0},  {1, 1, 1, 16, 1, 1}, {21, 30, 13, 8, 0, 0}, {21, 30, 13, 8, 1, 0},
    {21, 30, 13, 8, 0, 1}, {21, 30, 13, 8, 1, 1}, {3, 40, 70, 16, 0, 0}, {16, 16, 16, 16, 1, 0}, {9, 5, 33, 4, 0, 1},
};
enum { PRODUCTS = sizeof products / sizeof *products };

/* A sum of k products: |error| <= (k + 1) u times the sum of their absolutes. */
START_TEST(matmul) {
  size_t m = (size_t)products[_i].m, n = (size_t)products[_i].n, k = (size_t)products[_i].k;
  int ta = (int)products[_i].transpose_a, tb = (int)products[_i].transpose_b;
  uint64_t state = 13;
  float *a = random_floats(&state, m * k, -2, 2), *b = random_floats(&state, k * n, -2, 2), *c = floats(m * n);
  double *expected = doubles(m * n), *magnitude = doubles(m * n);
  const kg_primitive_arg args[] = {{"m", products[_i].m},       {"n", products[_i].n},
                                   {"k", products[_i].k},       {"tile", products[_i].tile},
                                   {"transpose_a", (double)ta}, {"transpose_b", (double)tb}};
  kgt_run_primitive(DEVICE, "matmul", args, 6, (kgt_array[]){{"a", a, m * k}, {"b", b, k * n}, {"c", c, m * n}}, 3);
  kgt_matmul(a, b, m, n, k, ta, tb, expected, magnitude);
  for (size_t i = 0; i < m * n; i++) ck_assert_double_eq_tol(c[i], expected[i], (double)(k + 1) * unit * magnitude[i]);
  free(a), free(b), free(c), free(expected), free(magnitude);
}
END_TEST

/* ---- K-FAC ---- */

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

static const struct { size_t blocks, n; double condition, damping, workgroup; } inverses[] = {
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
  invert(a, x, status, blocks, n, inverses[_i].damping, inverses[_i].workgroup);
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

int main(void) {
  const kgt_test tests[] = {
      KGT_TIMES(softmax, KGT_COUNT(row_sizes)),
      KGT_TIMES(layer_norm, KGT_COUNT(row_sizes)),
      KGT_TIMES(matmul, KGT_COUNT(products)),
      KGT(inverse_of_the_identity_is_exact),
      KGT(inverse_of_a_diagonal),
      KGT(damping_is_added_to_the_diagonal),
      KGT_TIMES(inverse, KGT_COUNT(inverses)),
      KGT(every_size_from_1_to_64),
      KGT(a_failed_pivot_is_reported_for_its_block),
      KGT(what_is_not_finite_fails),
  };
  return kgt_run("primitives/values on " DEVICE, tests, KGT_COUNT(tests));
}
