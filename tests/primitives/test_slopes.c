/* Gradients of primitives where the duals of `kgrad verify` cannot judge them closely, for the rounding of rotations may be large in its
 * intervals, and where what is not finite has to stay: against differences in double, or against the same run without it. */
#include "tests/primitives/steps.h"
#include "tests/support/devices.h"

#include <kgrad/autodiff.h>
#include <kgrad/primitives.h>

#include <math.h>
#include <string.h>

static const char *const devices[] = {"reference", "cpu"};

/* The gradient's module, of all outputs by all inputs. */
static kg_module *gradient_of(const char *name, const kg_primitive_arg *args, size_t count) {
  kg_module *m, *gradient;
  ck_assert_int_eq(kg_primitive_build(NULL, name, args, count, &kgt_sink, &m), KG_OK);
  ck_assert_int_eq(kg_grad(m, NULL, &kgt_sink, &gradient), KG_OK);
  kg_module_free(m);
  return gradient;
}

static void run(const char *device, const kg_module *m, const kg_binding *bindings, size_t count) {
  kgt_device d = kgt_open(device);
  ck_assert_int_eq(kg_run_bound(d.device, m, bindings, count, NULL, &kgt_sink, NULL), KG_OK);
  kgt_close(&d);
}

/* ---- shampoo ---- */

enum { ROWS = 5, COLUMNS = 7, SIZE = ROWS * COLUMNS };

/* What the weights become, weighed: a loss of g, l and r. */
static double loss(const double *g, const double *l, const double *r, const double *weigh) {
  double copy_l[ROWS * ROWS], copy_r[COLUMNS * COLUMNS], velocity[SIZE] = {0}, w[SIZE] = {0}, sum = 0;
  memcpy(copy_l, l, sizeof copy_l), memcpy(copy_r, r, sizeof copy_r);
  kgt_shampoo(ROWS, COLUMNS, g, copy_l, copy_r, velocity, w, (kgt_shampoo_params){(double)0.1f, (double)0.9f, 1, 0.5, 0});
  for (int i = 0; i < SIZE; i++) sum += weigh[i] * w[i];
  return sum;
}

/* By one element of x, or by two that are one of a symmetric matrix. */
static double difference(double *x, size_t one, size_t other, const double *g, const double *l, const double *r, const double *weigh) {
  const double step = 1e-5, at = x[one];
  x[one] = x[other] = at + step;
  double above = loss(g, l, r, weigh);
  x[one] = x[other] = at - step;
  double below = loss(g, l, r, weigh);
  x[one] = x[other] = at;
  return (above - below) / (2 * step);
}

/* The statistics begin as multiples of the identity, so that two eigenvalues of one and all but five of the other are equal: a gradient
 * that went through eigenvectors would divide by what rounding makes of 0. */
START_TEST(shampoo_differentiates_where_eigenvalues_are_equal) {
  const kg_primitive_arg args[] = {{"blocks", 1}, {"rows", ROWS}, {"columns", COLUMNS}, {"epsilon", 0.5}};
  kg_module *m = gradient_of("shampoo", args, KGT_COUNT(args));
  double g[SIZE], l[ROWS * ROWS] = {0}, r[COLUMNS * COLUMNS] = {0}, weigh[SIZE];
  float in[SIZE], left[ROWS * ROWS], right[COLUMNS * COLUMNS], velocity[SIZE] = {0}, w[SIZE] = {0}, out[SIZE];
  float grad_g[SIZE], grad_l[ROWS * ROWS] = {0}, grad_r[COLUMNS * COLUMNS] = {0}, grad_velocity[SIZE] = {0};
  uint64_t state = 29;
  for (int i = 0; i < SIZE; i++) {
    in[i] = i % COLUMNS < 3 ? (float)kgi_random_between(&state, -1, 1) : 0, out[i] = (float)kgi_random_between(&state, -1, 1);
    g[i] = (double)in[i], weigh[i] = (double)out[i];
  }
  for (int i = 0; i < ROWS * ROWS; i++) l[i] = i % (ROWS + 1) ? 0 : 2, left[i] = (float)l[i];
  for (int i = 0; i < COLUMNS * COLUMNS; i++) r[i] = i % (COLUMNS + 1) ? 0 : 3, right[i] = (float)r[i];
  kg_binding bindings[] = {{"g", in, SIZE}, {"l", left, ROWS * ROWS}, {"r", right, COLUMNS * COLUMNS},
                           {"velocity", velocity, SIZE}, {"w", w, SIZE},
                           {"grad_g", grad_g, SIZE}, {"grad_l", grad_l, ROWS * ROWS}, {"grad_r", grad_r, COLUMNS * COLUMNS},
                           {"grad_velocity", grad_velocity, SIZE}, {"grad_w", out, SIZE}};
  run(devices[_i], m, bindings, KGT_COUNT(bindings));
  double unit = 64 * 0x1p-24;
  for (size_t i = 0; i < SIZE; i++) ck_assert_double_eq_tol((double)grad_g[i], difference(g, i, i, g, l, r, weigh), unit);
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j <= i; j++)
      ck_assert_double_eq_tol((double)grad_l[i * ROWS + j], difference(l, i * ROWS + j, j * ROWS + i, g, l, r, weigh), unit);
  for (size_t i = 0; i < COLUMNS; i++)
    for (size_t j = 0; j <= i; j++)
      ck_assert_double_eq_tol((double)grad_r[i * COLUMNS + j], difference(r, i * COLUMNS + j, j * COLUMNS + i, g, l, r, weigh), unit);
  kg_module_free(m);
}
END_TEST

/* ---- what is not finite ---- */

enum { QUERIES = 5, KEYS = 6, DIM = 3 };

/* A bias hides key 2 from query 1. Neither the cotangent of that query nor its content reaches the key's gradients. */
START_TEST(a_hidden_key_has_nothing_of_a_query_that_is_not_finite) {
  const kg_primitive_arg args[] = {{"heads", 1}, {"queries", QUERIES}, {"keys", KEYS}, {"dim", DIM}, {"tile", 4}, {"biased", 1}};
  kg_module *m = gradient_of("attention", args, KGT_COUNT(args));
  float query[QUERIES * DIM], key[KEYS * DIM], value[KEYS * DIM], bias[QUERIES * KEYS], y[QUERIES * DIM], grad_y[QUERIES * DIM];
  float grad_query[QUERIES * DIM], grad_bias[QUERIES * KEYS], got[2][2][KEYS * DIM];
  uint64_t state = 31;
  for (int i = 0; i < QUERIES * DIM; i++) query[i] = (float)kgi_random_between(&state, -1, 1);
  for (int i = 0; i < KEYS * DIM; i++) key[i] = (float)kgi_random_between(&state, -1, 1);
  for (int i = 0; i < KEYS * DIM; i++) value[i] = (float)kgi_random_between(&state, -1, 1);
  for (int i = 0; i < QUERIES * KEYS; i++) bias[i] = i == KEYS + 2 ? -INFINITY : 0;
  for (int with = 0; with < 2; with++) {
    for (int i = 0; i < QUERIES * DIM; i++) grad_y[i] = with && i / DIM == 1 ? (i % DIM ? NAN : INFINITY) : 1;
    kg_binding bindings[] = {{"query", query, QUERIES * DIM}, {"key", key, KEYS * DIM}, {"value", value, KEYS * DIM},
                             {"bias", bias, QUERIES * KEYS},
                             {"y", y, QUERIES * DIM}, {"grad_y", grad_y, QUERIES * DIM}, {"grad_query", grad_query, QUERIES * DIM},
                             {"grad_key", got[with][0], KEYS * DIM}, {"grad_value", got[with][1], KEYS * DIM},
                             {"grad_bias", grad_bias, QUERIES * KEYS}};
    run(devices[_i], m, bindings, KGT_COUNT(bindings));
  }
  ck_assert(!isfinite(got[1][1][0]));
  for (int d = 2 * DIM; d < 3 * DIM; d++)
    for (int k = 0; k < 2; k++) ck_assert_float_eq(got[1][k][d], got[0][k][d]);
  kg_module_free(m);
}
END_TEST

/* Group 1 has rows 3 and 4 of 8, in one tile with the others. */
START_TEST(a_group_has_nothing_of_another) {
  enum { GROUPS = 3, LINES = 8, K = 5, N = 4 };
  const kg_primitive_arg args[] = {{"groups", GROUPS}, {"rows", LINES}, {"k", K}, {"n", N}, {"workgroup", 2}};
  kg_module *m = gradient_of("matmul_grouped", args, KGT_COUNT(args));
  uint32_t offsets[] = {0, 3, 5, 8};
  float x[LINES * K], w[GROUPS * K * N], y[LINES * N], grad_y[LINES * N], grad_x[2][LINES * K], grad_w[2][GROUPS * K * N];
  for (int with = 0; with < 2; with++) {
    for (int i = 0; i < LINES * K; i++) x[i] = with && i / K == 3 ? NAN : (float)(i % 7);
    for (int i = 0; i < GROUPS * K * N; i++) w[i] = with && i / (K * N) == 1 ? INFINITY : (float)(i % 5);
    for (int i = 0; i < LINES * N; i++) grad_y[i] = with && i / N == 4 ? NAN : (float)(i % 3);
    kg_binding bindings[] = {{"x", x, LINES * K}, {"w", w, GROUPS * K * N}, {"offsets", offsets, GROUPS + 1}, {"y", y, LINES * N},
                             {"grad_y", grad_y, LINES * N}, {"grad_x", grad_x[with], LINES * K}, {"grad_w", grad_w[with], GROUPS * K * N}};
    run(devices[_i], m, bindings, KGT_COUNT(bindings));
  }
  ck_assert(isnan(grad_w[1][K * N]));
  for (int i = 0; i < LINES * K; i++)
    if (i / K < 3 || i / K > 4) ck_assert_float_eq(grad_x[1][i], grad_x[0][i]);
  for (int i = 0; i < GROUPS * K * N; i++)
    if (i / (K * N) != 1) ck_assert_float_eq(grad_w[1][i], grad_w[0][i]);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
      KGT_TIMES(shampoo_differentiates_where_eigenvalues_are_equal, KGT_COUNT(devices)),
      KGT_TIMES(a_hidden_key_has_nothing_of_a_query_that_is_not_finite, KGT_COUNT(devices)),
      KGT_TIMES(a_group_has_nothing_of_another, KGT_COUNT(devices)),
  };
  return kgt_run("primitives/slopes", tests, KGT_COUNT(tests));
}
