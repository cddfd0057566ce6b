/* K-FAC against exact products with the Fisher matrix. For half the square error, outputs of a unit Gaussian, that is J^T J summed over
 * samples and outputs, and kg_hvp gives it where the residuals are 0, or where the outputs are linear in the weights. J is made here in
 * double, from the derivatives of the network as a person writes them down. */
#include "tests/primitives/kfac_math.h"
#include "tests/support/devices.h"

#include <kgrad/autodiff.h>
#include <kgrad/primitives.h>

#include <math.h>
#include <string.h>

enum { BATCH = 12, INPUTS = 3, HIDDEN = 4, OUTPUTS = 2, SIDE1 = INPUTS + 1, SIDE2 = HIDDEN + 1 };
enum { W1 = HIDDEN * SIDE1, W2 = OUTPUTS * SIDE2, WEIGHTS = W1 + W2, ROWS = BATCH * OUTPUTS };

/* y = w2 (tanh(w1 (x, 1)), 1), and half the square error of each sample. */
static const char network[] =
    "program network {\n"
    "  workgroup 4\n"
    "  grid invocations n\n"
    "  param n : u32\n"
    "  buffer x : f32[n, 3] read\n"
    "  buffer w1 : f32[4, 4] read\n"
    "  buffer w2 : f32[2, 5] read\n"
    "  buffer target : f32[n, 2] read\n"
    "  buffer y : f32[n, 2] write\n"
    "  buffer loss : f32[n] write\n"
    "  let s = global_id.x\n"
    "  if s < n {\n"
    "    var h : f32[4]\n"
    "    for k in 0 .. 4 {\n"
    "      var sum = w1[k, 3]\n"
    "      for i in 0 .. 3 { sum += w1[k, i] * x[s, i] }\n"
    "      h[k] = tanh(sum)\n"
    "    }\n"
    "    var half_square = 0.0\n"
    "    for o in 0 .. 2 {\n"
    "      var sum = w2[o, 4]\n"
    "      for k in 0 .. 4 { sum += w2[o, k] * h[k] }\n"
    "      y[s, o] = sum\n"
    "      let rest = sum - target[s, o]\n"
    "      half_square += 0.5 * rest * rest\n"
    "    }\n"
    "    loss[s] = half_square\n"
    "  }\n"
    "}\n";

/* w: w1, then w2; so is v, a direction. */
typedef struct problem {
  kgt_device device;
  kg_module *net;
  uint32_t n;
  float x[BATCH * INPUTS], w[WEIGHTS], v[WEIGHTS], target[ROWS], y[ROWS], loss[BATCH];
  double h[BATCH * SIDE2], jacobian[ROWS * WEIGHTS]; /* what the layers see, with the 1; row: a sample's output */
} problem;

static const char *const devices[] = {"reference", "cpu"};

/* Forward, and the derivatives by the chain rule. */
static void work_out(problem *p) {
  memset(p->jacobian, 0, sizeof p->jacobian);
  for (size_t s = 0; s < p->n; s++) {
    double *h = p->h + s * SIDE2, in[SIDE1] = {[INPUTS] = 1};
    for (int i = 0; i < INPUTS; i++) in[i] = (double)p->x[s * INPUTS + i];
    for (int k = 0; k < HIDDEN; k++) {
      double sum = 0;
      for (int i = 0; i < SIDE1; i++) sum += (double)p->w[k * SIDE1 + i] * in[i];
      h[k] = tanh(sum);
    }
    h[HIDDEN] = 1;
    for (int o = 0; o < OUTPUTS; o++) {
      double *row = p->jacobian + (s * OUTPUTS + o) * WEIGHTS;
      for (int k = 0; k < HIDDEN; k++)
        for (int i = 0; i < SIDE1; i++) row[k * SIDE1 + i] = (double)p->w[W1 + o * SIDE2 + k] * (1 - h[k] * h[k]) * in[i];
      for (int k = 0; k < SIDE2; k++) row[W1 + o * SIDE2 + k] = h[k];
    }
  }
}

/* On entry targets are what the network gives, but for `off`. */
static problem *begin(const char *device, uint32_t n, float off) {
  static problem p;
  uint64_t state = 3;
  p = (problem){.device = kgt_open(device), .net = kgt_parse(network), .n = n};
  for (int i = 0; i < BATCH * INPUTS; i++) p.x[i] = (float)kgi_random_between(&state, -1, 1);
  for (int i = 0; i < WEIGHTS; i++) p.w[i] = (float)kgi_random_between(&state, -1, 1), p.v[i] = (float)kgi_random_between(&state, -1, 1);
  kg_binding bindings[] = {{"n", &p.n, 1}, {"x", p.x, n * INPUTS}, {"w1", p.w, W1}, {"w2", p.w + W1, W2}, {"target", p.target, n * OUTPUTS},
                           {"y", p.y, n * OUTPUTS}, {"loss", p.loss, n}};
  ck_assert_int_eq(kg_run_bound(p.device.device, p.net, bindings, KGT_COUNT(bindings), NULL, &kgt_sink, NULL), KG_OK);
  for (uint32_t i = 0; i < n * OUTPUTS; i++) p.target[i] = p.y[i] + off;
  work_out(&p);
  return &p;
}

static void end(problem *p) {
  kg_module_free(p->net);
  kgt_close(&p->device);
}

/* J^T (J v), of the weights from `from` on alone; J v goes to `along`. */
static void gauss_newton(const problem *p, size_t from, size_t count, const float *v, double *along, double *out) {
  memset(out, 0, count * sizeof *out);
  for (size_t r = 0; r < p->n * OUTPUTS; r++) {
    const double *row = p->jacobian + r * WEIGHTS + from;
    along[r] = 0;
    for (size_t k = 0; k < count; k++) along[r] += row[k] * (double)v[k];
    for (size_t k = 0; k < count; k++) out[k] += row[k] * along[r];
  }
}

/* What kg_hvp gives of the loss by one or both layers along v. */
static void hessian(problem *p, bool w1, bool w2, const float *v, float *out) {
  static const char *const names[] = {"w1", "w2"}, *const of[] = {"loss"};
  kg_module *product;
  float ones[BATCH], zeros[BATCH] = {0}, grad[WEIGHTS], direction[WEIGHTS];
  kg_jvp_params params = {.of = of, .of_count = 1, .wrt = names + !w1, .wrt_count = (size_t)w1 + w2};
  ck_assert_int_eq(kg_hvp(p->net, &params, &kgt_sink, &product), KG_OK);
  for (int i = 0; i < BATCH; i++) ones[i] = 1;
  memcpy(direction, v, ((w1 ? W1 : 0) + (w2 ? W2 : 0)) * sizeof *v);
  kg_binding all[] = {{"n", &p->n, 1}, {"x", p->x, p->n * INPUTS}, {"w1", p->w, W1}, {"w2", p->w + W1, W2},
                      {"target", p->target, p->n * OUTPUTS}, {"y", p->y, p->n * OUTPUTS}, {"loss", p->loss, p->n},
                      {"grad_loss", ones, p->n}, {"tan_loss", zeros, p->n},
                      {"grad_w1", grad, W1}, {"tan_w1", direction, W1}, {"tan_grad_w1", out, W1},
                      {"grad_w2", grad + W1, W2}, {"tan_w2", direction + (w1 ? W1 : 0), W2}, {"tan_grad_w2", out + (w1 ? W1 : 0), W2}};
  kg_binding bindings[KGT_COUNT(all)];
  size_t count = 0;
  for (size_t i = 0; i < KGT_COUNT(all); i++)
    if (kg_module_find_buffer(product, all[i].name) != UINT32_MAX || kg_module_find_param(product, all[i].name) != UINT32_MAX)
      bindings[count++] = all[i];
  ck_assert_int_eq(kg_run_bound(p->device.device, product, bindings, count, NULL, &kgt_sink, NULL), KG_OK);
  kg_module_free(product);
}

/* Sums of a hundred terms of about 1. */
static void same(const float *got, const double *want, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ck_assert_double_gt(fabs(want[i]), 1e-3);
    ck_assert_double_eq_tol((double)got[i], want[i], 100 * 0x1p-24 * fmax(1, fabs(want[i])));
  }
}

START_TEST(without_residuals_the_hessian_is_the_fisher_matrix) {
  problem *p = begin(devices[_i], BATCH, 0);
  double along[ROWS], want[WEIGHTS];
  float got[WEIGHTS];
  gauss_newton(p, 0, WEIGHTS, p->v, along, want);
  hessian(p, true, true, p->v, got);
  same(got, want, WEIGHTS);
  end(p);
}
END_TEST

/* With residuals it is that of the last layer alone, which is linear; the first one's has second derivatives of tanh in it. */
START_TEST(with_residuals_it_is_that_of_the_linear_layer) {
  problem *p = begin(devices[_i], BATCH, 0.5f);
  double along[ROWS], want[WEIGHTS], most = 0;
  float got[WEIGHTS];
  gauss_newton(p, W1, W2, p->v, along, want);
  hessian(p, false, true, p->v, got);
  same(got, want, W2);
  gauss_newton(p, 0, W1, p->v, along, want);
  hessian(p, true, false, p->v, got);
  for (int i = 0; i < W1; i++) most = fmax(most, fabs((double)got[i] - want[i]));
  ck_assert_double_gt(most, 0.01);
  end(p);
}
END_TEST

/* Forward mode gives J v, reverse mode J^T of that. */
START_TEST(tangents_and_gradients_make_the_same_product) {
  problem *p = begin(devices[_i], BATCH, 0.5f);
  static const char *const wrt[] = {"w1", "w2"}, *const of[] = {"y"};
  kg_module *forward, *back;
  double along[ROWS], want[WEIGHTS];
  float tangent[ROWS], got[WEIGHTS];
  kg_jvp_params to = {.of = of, .of_count = 1, .wrt = wrt, .wrt_count = 2};
  kg_grad_params from = {.of = of, .of_count = 1, .wrt = wrt, .wrt_count = 2};
  ck_assert_int_eq(kg_jvp(p->net, &to, &kgt_sink, &forward), KG_OK);
  ck_assert_int_eq(kg_grad(p->net, &from, &kgt_sink, &back), KG_OK);
  kg_binding bindings[] = {{"n", &p->n, 1}, {"x", p->x, BATCH * INPUTS}, {"w1", p->w, W1}, {"w2", p->w + W1, W2},
                           {"target", p->target, ROWS}, {"y", p->y, ROWS}, {"loss", p->loss, BATCH}, {"tan_w1", p->v, W1},
                           {"tan_w2", p->v + W1, W2}, {"tan_y", tangent, ROWS}};
  ck_assert_int_eq(kg_run_bound(p->device.device, forward, bindings, KGT_COUNT(bindings), NULL, &kgt_sink, NULL), KG_OK);
  bindings[7] = (kg_binding){"grad_y", tangent, ROWS};
  bindings[8] = (kg_binding){"grad_w1", got, W1}, bindings[9] = (kg_binding){"grad_w2", got + W1, W2};
  gauss_newton(p, 0, WEIGHTS, p->v, along, want);
  same(tangent, along, ROWS);
  ck_assert_int_eq(kg_run_bound(p->device.device, back, bindings, KGT_COUNT(bindings), NULL, &kgt_sink, NULL), KG_OK);
  same(got, want, WEIGHTS);
  kg_module_free(forward), kg_module_free(back);
  end(p);
}
END_TEST

/* ---- K-FAC, where it is exact ---- */

static void primitive(const problem *p, const char *name, const kg_primitive_arg *args, size_t arg_count, const kg_binding *bindings,
                      size_t count) {
  kg_module *m;
  ck_assert_int_eq(kg_primitive_build(NULL, name, args, arg_count, &kgt_sink, &m), KG_OK);
  ck_assert_int_eq(kg_run_bound(p->device.device, m, bindings, count, NULL, &kgt_sink, NULL), KG_OK);
  kg_module_free(m);
}

/* The factors of a layer whose input of sample s is `x`, and the gradient of whose output o is `g`: every output of every sample as one
 * draw of a gradient, times the root of their number, whose square has the mean that the Fisher matrix takes. */
static void factors(const problem *p, const double *x, size_t inputs, const double *g, size_t outputs, float *a_factor, float *g_factor) {
  float rows_x[ROWS * SIDE2], rows_g[ROWS * HIDDEN];
  uint32_t steps = 0;
  for (size_t r = 0; r < p->n * OUTPUTS; r++) {
    for (size_t i = 0; i < inputs; i++) rows_x[r * inputs + i] = (float)x[r / OUTPUTS * (inputs + 1) + i];
    for (size_t i = 0; i < outputs; i++) rows_g[r * outputs + i] = (float)(sqrt(OUTPUTS) * g[r % OUTPUTS * outputs + i]);
  }
  const kg_primitive_arg args[] = {{"batch", (double)p->n * OUTPUTS}, {"n_in", (double)inputs}, {"n_out", (double)outputs}};
  const kg_binding bindings[] = {{"x", rows_x, p->n * OUTPUTS * inputs}, {"g", rows_g, p->n * OUTPUTS * outputs}, {"steps", &steps, 1},
                                 {"a_factor", a_factor, (inputs + 1) * (inputs + 1)}, {"g_factor", g_factor, outputs * outputs}};
  primitive(p, "kfac_factors", args, 3, bindings, 5);
}

/* n G v A, which stands for n times the mean of the samples' Fisher matrices. */
static void block_product(const problem *p, const float *g, size_t side_g, const float *v, const float *a, size_t side_a, double *out) {
  double wide_g[W1], wide_a[SIDE2 * SIDE2], wide_v[W1];
  for (size_t i = 0; i < side_g * side_g; i++) wide_g[i] = (double)g[i];
  for (size_t i = 0; i < side_a * side_a; i++) wide_a[i] = (double)a[i];
  for (size_t i = 0; i < side_g * side_a; i++) wide_v[i] = (double)v[i];
  kgt_precondition(wide_g, side_g, wide_v, wide_a, side_a, out);
  for (size_t i = 0; i < side_g * side_a; i++) out[i] *= p->n;
}

/* The last layer is linear: A = E[h h^T], G = I. Its step solves with the Hessian. */
START_TEST(a_linear_layer_has_exact_factors) {
  problem *p = begin(devices[_i], BATCH, 0.5f);
  static const double unit[OUTPUTS * OUTPUTS] = {1, 0, 0, 1};
  float a[SIDE2 * SIDE2] = {0}, g[OUTPUTS * OUTPUTS] = {0}, got[WEIGHTS];
  double along[ROWS], exact[WEIGHTS], block[WEIGHTS];
  factors(p, p->h, HIDDEN, unit, OUTPUTS, a, g);
  block_product(p, g, OUTPUTS, p->v, a, SIDE2, block);
  gauss_newton(p, W1, W2, p->v, along, exact);
  for (int i = 0; i < W2; i++) ck_assert_double_eq_tol(block[i], exact[i], 100 * 0x1p-24 * fmax(1, fabs(exact[i])));
  hessian(p, false, true, p->v, got);
  same(got, block, W2);
  end(p);
}
END_TEST

START_TEST(its_step_is_newtons) {
  problem *p = begin(devices[_i], BATCH, 0.5f);
  static const double unit[OUTPUTS * OUTPUTS] = {1, 0, 0, 1};
  float a[SIDE2 * SIDE2] = {0}, g[OUTPUTS * OUTPUTS] = {0}, inverse_a[SIDE2 * SIDE2], inverse_g[OUTPUTS * OUTPUTS];
  float v[W2], slope, got[WEIGHTS];
  uint32_t status = 77;
  factors(p, p->h, HIDDEN, unit, OUTPUTS, a, g);
  const kg_primitive_arg of_a[] = {{"blocks", 1}, {"n", SIDE2}}, of_g[] = {{"blocks", 1}, {"n", OUTPUTS}};
  const kg_primitive_arg sides[] = {{"blocks", 1}, {"side_a", SIDE2}, {"side_g", OUTPUTS}};
  primitive(p, "kfac_inverse", of_a, 2,
            (kg_binding[]){{"a", a, SIDE2 * SIDE2}, {"inverse", inverse_a, SIDE2 * SIDE2}, {"status", &status, 1}}, 3);
  ck_assert_uint_eq(status, 0);
  primitive(p, "kfac_inverse", of_g, 2, (kg_binding[]){{"a", g, 4}, {"inverse", inverse_g, 4}, {"status", &status, 1}}, 3);
  ck_assert_uint_eq(status, 0);
  primitive(p, "kfac_precondition", sides, 3,
            (kg_binding[]){{"inverse_a", inverse_a, SIDE2 * SIDE2}, {"inverse_g", inverse_g, 4}, {"dw", p->v, W2}, {"v", v, W2},
                           {"slope", &slope, 1}}, 5);
  hessian(p, false, true, v, got);
  double dot = 0, most = 0;
  for (int i = 0; i < W2; i++) {
    most = fmax(most, fabs((double)v[i]));
    dot += (double)v[i] * (double)p->v[i];
  }
  /* The Hessian of all samples has n times the mean's; what an inverse leaves goes by the size of what it gives. */
  for (int i = 0; i < W2; i++) ck_assert_double_eq_tol((double)got[i] / p->n, (double)p->v[i], 100 * 0x1p-24 * fmax(1, most));
  ck_assert_double_eq_tol((double)slope, dot, 100 * 0x1p-24 * fabs(dot));
  end(p);
}
END_TEST

/* One sample: A = x x^T says all of it, and G has all outputs. */
START_TEST(one_sample_has_exact_factors) {
  problem *p = begin(devices[_i], 1, 0);
  double x[SIDE1] = {[INPUTS] = 1}, back[OUTPUTS * HIDDEN], along[ROWS], exact[WEIGHTS], block[WEIGHTS];
  float a[SIDE1 * SIDE1] = {0}, g[HIDDEN * HIDDEN] = {0}, got[WEIGHTS];
  for (int i = 0; i < INPUTS; i++) x[i] = (double)p->x[i];
  for (int r = 0; r < OUTPUTS * HIDDEN; r++)
    back[r] = (double)p->w[W1 + r / HIDDEN * SIDE2 + r % HIDDEN] * (1 - p->h[r % HIDDEN] * p->h[r % HIDDEN]);
  factors(p, x, INPUTS, back, HIDDEN, a, g);
  block_product(p, g, HIDDEN, p->v, a, SIDE1, block);
  gauss_newton(p, 0, W1, p->v, along, exact);
  hessian(p, true, false, p->v, got);
  for (int i = 0; i < W1; i++) {
    ck_assert_double_eq_tol(block[i], exact[i], 100 * 0x1p-24 * fmax(1, fabs(exact[i])));
    ck_assert_double_eq_tol((double)got[i], exact[i], 100 * 0x1p-24 * fmax(1, fabs(exact[i])));
  }
  end(p);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
      KGT_TIMES(without_residuals_the_hessian_is_the_fisher_matrix, KGT_COUNT(devices)),
      KGT_TIMES(with_residuals_it_is_that_of_the_linear_layer, KGT_COUNT(devices)),
      KGT_TIMES(tangents_and_gradients_make_the_same_product, KGT_COUNT(devices)),
      KGT_TIMES(a_linear_layer_has_exact_factors, KGT_COUNT(devices)),
      KGT_TIMES(its_step_is_newtons, KGT_COUNT(devices)),
      KGT_TIMES(one_sample_has_exact_factors, KGT_COUNT(devices)),
  };
  return kgt_run("primitives/fisher", tests, KGT_COUNT(tests));
}
