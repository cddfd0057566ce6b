/* K-FAC: factors, damping, steps. The inverses by themselves are in test_values.c. */
#include "tests/primitives/kfac_math.h"
#include "tests/primitives/oracle.h"

#include <math.h>
#include <stdlib.h>

static double *doubles(kgt_case *c, const char *buffer) {
  double *x = calloc(kgt_count(c, buffer) + 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  for (size_t i = 0; i < kgt_count(c, buffer); i++) x[i] = (double)kgt_floats(c, buffer)[i];
  return x;
}

/* What a buffer held, as the output that the formula changes. */
static double *start(kgt_case *c, const char *buffer) {
  double *x = kgt_want(c, buffer);
  for (size_t i = 0; i < kgt_count(c, buffer); i++) x[i] = (double)kgt_floats(c, buffer)[i];
  return x;
}

static void everywhere(kgt_case *c, const char *buffer, double magnitude) {
  double *m = kgt_magnitude(c, buffer);
  for (size_t i = 0; i < kgt_count(c, buffer); i++) m[i] = magnitude;
}

/* Inputs lie in [-2, 2). */
static void factors(kgt_case *c) {
  double *x = doubles(c, "x"), *g = doubles(c, "g"), *a_factor = start(c, "a_factor"), *g_factor = start(c, "g_factor");
  double t = kgt_wholes(c, "steps")[0] + 1.0, decay = kgt_real(c, "decay"), scale = kgt_real(c, "scale");
  kgt_want(c, "steps")[0] = t;
  kgt_factor(x, kgt_size(c, "batch"), kgt_size(c, "n_in"), kgt_size(c, "bias"), 1, decay, t, a_factor);
  kgt_factor(g, kgt_size(c, "batch"), kgt_size(c, "n_out"), 0, scale, decay, t, g_factor);
  everywhere(c, "a_factor", 4), everywhere(c, "g_factor", 4 * scale);
  free(x), free(g);
}

/* Each patch as a row of a matrix: then it is the factor of a dense layer with as many samples as there are places, times their share. */
static double *patches(const double *x, size_t batch, const size_t shape[3], size_t kernel, size_t stride, size_t padding,
                       const size_t out[2]) {
  size_t channels = shape[0], height = shape[1], width = shape[2];
  double *rows = calloc(batch * out[0] * out[1] * channels * kernel * kernel + 1, sizeof *rows), *at = rows;
  ck_assert_ptr_nonnull(rows);
  for (size_t s = 0; s < batch; s++)
    for (size_t p = 0; p < out[0] * out[1]; p++)
      for (size_t k = 0; k < channels * kernel * kernel; k++, at++) {
        long y = (long)(p / out[1] * stride + k / kernel % kernel) - (long)padding, z = (long)(p % out[1] * stride + k % kernel) - (long)padding;
        if (y >= 0 && y < (long)height && z >= 0 && z < (long)width)
          *at = x[((s * channels + k / (kernel * kernel)) * height + (size_t)y) * width + (size_t)z];
      }
  return rows;
}

static void factors_conv(kgt_case *c) {
  double *x = doubles(c, "x"), *g = doubles(c, "g"), *a_factor = start(c, "a_factor"), *g_factor = start(c, "g_factor");
  double t = kgt_wholes(c, "steps")[0] + 1.0, decay = kgt_real(c, "decay"), scale = kgt_real(c, "scale");
  size_t batch = kgt_size(c, "batch"), kernel = kgt_size(c, "kernel"), out[2] = {kgt_size(c, "out_height"), kgt_size(c, "out_width")};
  size_t places = out[0] * out[1], shape[3] = {kgt_size(c, "channels"), kgt_size(c, "height"), kgt_size(c, "width")};
  size_t of_g[3] = {kgt_size(c, "n_out"), out[0], out[1]};
  kgt_want(c, "steps")[0] = t;
  double *p = patches(x, batch, shape, kernel, kgt_size(c, "stride"), kgt_size(c, "padding"), out);
  double *q = patches(g, batch, of_g, 1, 1, 0, out);
  kgt_factor(p, batch * places, shape[0] * kernel * kernel, kgt_size(c, "bias"), (double)places, decay, t, a_factor);
  kgt_factor(q, batch * places, of_g[0], 0, scale, decay, t, g_factor);
  everywhere(c, "a_factor", 4 * (double)places), everywhere(c, "g_factor", 4 * scale);
  free(x), free(g), free(p), free(q);
}

static void damping(kgt_case *c) {
  double *a = doubles(c, "a_factor"), *g = doubles(c, "g_factor"), *of_a = kgt_want(c, "damping_a"), *of_g = kgt_want(c, "damping_g");
  size_t side_a = kgt_size(c, "side_a"), side_g = kgt_size(c, "side_g");
  for (size_t b = 0; b < kgt_size(c, "n_blocks"); b++)
    kgt_damping(a + b * side_a * side_a, side_a, g + b * side_g * side_g, side_g, kgt_real(c, "eta") + (double)kgt_floats(c, "lambda")[0],
                of_a + b, of_g + b);
  free(a), free(g);
}

static void adapt(kgt_case *c) {
  double before = (double)kgt_floats(c, "before")[0], after = (double)kgt_floats(c, "after")[0];
  double *lambda = start(c, "lambda"), rho = (before - after) / (double)kgt_floats(c, "predicted")[0];
  kgt_want(c, "ratio")[0] = rho;
  if (rho > 0.75 && rho < INFINITY) *lambda = fmax(*lambda * kgt_real(c, "factor"), kgt_real(c, "least"));
  else if (!(rho >= 0.25) || rho == INFINITY) *lambda = fmin(*lambda / kgt_real(c, "factor"), kgt_real(c, "most"));
}

static void precondition(kgt_case *c) {
  double *ia = doubles(c, "inverse_a"), *ig = doubles(c, "inverse_g"), *dw = doubles(c, "dw"), *v = kgt_want(c, "v");
  double *slope = kgt_want(c, "slope");
  size_t side_a = kgt_size(c, "side_a"), side_g = kgt_size(c, "side_g");
  for (size_t b = 0; b < kgt_size(c, "n_blocks"); b++)
    slope[b] = kgt_precondition(ig + b * side_g * side_g, side_g, dw + b * side_g * side_a, ia + b * side_a * side_a, side_a,
                                v + b * side_g * side_a);
  everywhere(c, "v", (double)(side_a * side_g)), everywhere(c, "slope", (double)(side_a * side_a * side_g * side_g));
  free(ia), free(ig), free(dw);
}

static void moved(kgt_case *c, const double *v, double slope) {
  double *w = start(c, "w"), *velocity = start(c, "velocity"), rate = kgt_real(c, "learning_rate");
  double clipping = kgt_clipping(slope, rate, kgt_real(c, "clip"));
  for (size_t i = 0; i < kgt_count(c, "w"); i++) {
    velocity[i] = kgt_real(c, "momentum") * velocity[i] + clipping * v[i];
    w[i] -= rate * velocity[i];
  }
  everywhere(c, "w", 2), everywhere(c, "velocity", 2);
}

static void update(kgt_case *c) {
  double *v = doubles(c, "v"), sum = 0;
  for (size_t i = 0; i < kgt_size(c, "n_blocks"); i++) sum += (double)kgt_floats(c, "slope")[i];
  moved(c, v, sum);
  kgt_want(c, "clipping")[0] = kgt_clipping(sum, kgt_real(c, "learning_rate"), kgt_real(c, "clip"));
  free(v);
}

enum { MOST = 64 * 64 };

/* The step of one layer, into v; its slope. */
static double preconditioned(const double *a, size_t side_a, const double *g, size_t side_g, double added, const double *dw, double *v) {
  static double ia[MOST], ig[MOST];
  double of_a, of_g;
  kgt_damping(a, side_a, g, side_g, added, &of_a, &of_g);
  ck_assert(kgt_inverse(a, side_a, of_a, ia));
  ck_assert(kgt_inverse(g, side_g, of_g, ig));
  return kgt_precondition(ig, side_g, dw, ia, side_a, v);
}

static void step(kgt_case *c) {
  factors(c);
  static double v[MOST];
  double *dw = doubles(c, "dw"), added = (double)kgt_floats(c, "lambda")[0] + kgt_real(c, "eta");
  size_t side_a = kgt_size(c, "n_in") + kgt_size(c, "bias"), side_g = kgt_size(c, "n_out");
  const double *a = kgt_want(c, "a_factor"), *g = kgt_want(c, "g_factor");
  double slope = preconditioned(a, side_a, g, side_g, added, dw, v);
  kgt_want(c, "slope")[0] = slope;
  kgt_want(c, "status_a")[0] = 0;
  kgt_want(c, "status_g")[0] = 0;
  moved(c, v, slope);
  free(dw);
}

/* Only the lower triangle of a factor counts. */
static void mirror(double *a, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) a[j * n + i] = a[i * n + j];
}

static void autotune(kgt_case *c) {
  double *a = doubles(c, "a_factor"), *g = doubles(c, "g_factor"), *dw = doubles(c, "dw"), *v = kgt_want(c, "step");
  double *status_a = kgt_want(c, "status_a"), *status_g = kgt_want(c, "status_g");
  size_t n = kgt_size(c, "n"), square = n * n;
  for (size_t b = 0; b < kgt_size(c, "n_blocks"); b++) {
    mirror(a + b * square, n), mirror(g + b * square, n);
    preconditioned(a + b * square, n, g + b * square, n, (double)kgt_floats(c, "lambda")[0], dw + b * square, v + b * square);
    status_a[b] = status_g[b] = 0;
  }
  everywhere(c, "step", 4);
  free(a), free(g), free(dw);
}

/* Eigenvectors have either sign: U^T U = I, and U^T f U is diagonal. The diagonal, ascending, goes to `values`. */
static void eigenbasis(const double *f, const float *u, size_t n, double *values) {
  double norm = 0, unit = 32 * (double)(n + 2) * 0x1p-24;
  for (size_t e = 0; e < n * n; e++) norm += f[e] * f[e];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double dot = 0, sum = 0;
      for (size_t k = 0; k < n; k++) {
        dot += (double)u[k * n + i] * u[k * n + j];
        for (size_t l = 0; l < n; l++) sum += (double)u[k * n + i] * f[k * n + l] * u[l * n + j];
      }
      ck_assert_double_eq_tol(dot, i == j ? 1 : 0, unit);
      if (i == j) values[i] = sum;
      else ck_assert_double_eq_tol(sum, 0, unit * sqrt(norm));
    }
  for (size_t i = 1; i < n; i++) ck_assert_double_le(values[i - 1], values[i] + unit * sqrt(norm));
}

static double largest(const double *values, size_t n) { return n ? fmax(fabs(values[0]), fabs(values[n - 1])) : 0; }

static void basis(kgt_case *c) {
  double *a = doubles(c, "a_factor"), *g = doubles(c, "g_factor"), of_a[64], of_g[64], *moments = kgt_want(c, "moments");
  double *magnitude = kgt_magnitude(c, "moments");
  size_t side_a = kgt_size(c, "side_a"), side_g = kgt_size(c, "side_g");
  for (size_t b = 0; b < kgt_size(c, "n_blocks"); b++) {
    double *own_a = a + b * side_a * side_a, *own_g = g + b * side_g * side_g;
    mirror(own_a, side_a), mirror(own_g, side_g);
    eigenbasis(own_a, kgt_got(c, "basis_a") + b * side_a * side_a, side_a, of_a);
    eigenbasis(own_g, kgt_got(c, "basis_g") + b * side_g * side_g, side_g, of_g);
    for (size_t e = 0; e < side_g * side_a; e++) {
      *moments++ = fmax(of_g[e / side_a], 0) * fmax(of_a[e % side_a], 0);
      *magnitude++ = largest(of_g, side_g) * largest(of_a, side_a);
    }
  }
  kgt_judged(c, "basis_a"), kgt_judged(c, "basis_g");
  free(a), free(g);
}

/* Any matrices will do as bases. */
static void scaled_step(kgt_case *c) {
  static double v[MOST];
  double *x = doubles(c, "x"), *g = doubles(c, "g"), *dw = doubles(c, "dw"), *a = doubles(c, "basis_a"), *b = doubles(c, "basis_g");
  double *moments = start(c, "moments");
  kgt_bases u = {a, b, kgt_size(c, "n_in") + kgt_size(c, "bias"), kgt_size(c, "n_out")};
  kgt_moments(u, x, g, kgt_size(c, "batch"), kgt_size(c, "bias"), kgt_real(c, "scale"), kgt_real(c, "decay"), moments);
  double slope = kgt_scaled(u, dw, moments, (double)kgt_floats(c, "lambda")[0] + kgt_real(c, "eta"), v);
  kgt_want(c, "slope")[0] = slope;
  moved(c, v, slope);
  everywhere(c, "moments", (double)(u.side_a * u.side_g)), everywhere(c, "slope", (double)(u.side_a * u.side_g));
  everywhere(c, "w", (double)(u.side_a * u.side_g)), everywhere(c, "velocity", (double)(u.side_a * u.side_g));
  free(x), free(g), free(dw), free(a), free(b);
}

const kgt_oracle kgt_oracles_kfac[] = {
    {"ekfac_basis", "", "", basis, 256},
    {"ekfac_basis", "blocks=3,side_a=13,side_g=1,workgroup=16", "", basis, 256},
    {"ekfac_basis", "blocks=1,side_a=3,side_g=2", "a_factor=2|0|0|0|2|0|0|0|1,g_factor=1", basis, 256}, /* equal ones, and one that is 0 */
    {"ekfac_basis", "blocks=1,side_a=25,side_g=20,workgroup=128", "", basis, 512},
    {"ekfac_basis", "sweeps=1", "", NULL, 0},
    {"ekfac_basis", "blocks=0", "", basis, 0},
    {"ekfac_basis", "side_a=0,workgroup=1", "", basis, 64},
    {"ekfac_step", "", "moments=0..2,lambda=0.5", scaled_step, 64},
    {"ekfac_step", "batch=37,n_in=17,n_out=3,bias=0,scale=4,clip=0,eta=0.25", "moments=0..2,lambda=0.5", scaled_step, 64},
    {"ekfac_step", "batch=1,n_in=1,n_out=1,momentum=0", "moments=0,lambda=0.5", scaled_step, 64},
    {"ekfac_step", "batch=0,n_in=3,n_out=2", "moments=0|1,lambda=0", scaled_step, 64}, /* no moment, no damping */
    {"ekfac_step", "batch=5,n_in=0,n_out=2", "moments=1,lambda=1", scaled_step, 64},   /* a bias alone */
    {"ekfac_step", "batch=5,n_in=3,n_out=0", "lambda=1", scaled_step, 64},

    {"kfac_factors", "batch=1,n_in=1,n_out=1", "x=-2..2,g=-2..2,steps=0", factors, 16},
    {"kfac_factors", "batch=20,n_in=18,n_out=5,bias=0", "x=-2..2,g=-2..2,steps=3", factors, 16},
    {"kfac_factors", "batch=37,n_in=16,n_out=17,scale=9", "x=-2..2,g=-2..2,steps=0", factors, 32},
    {"kfac_factors", "batch=37,n_in=3,n_out=33,decay=0", "x=-2..2,g=-2..2,steps=5", factors, 32},
    {"kfac_factors", "batch=5,n_in=3,n_out=2,decay=0.9999", "x=-2..2,g=-2..2,steps=0,a_factor=0,g_factor=0", factors, 16},
    {"kfac_factors", "batch=0", "steps=0", factors, 0},
    {"kfac_factors", "batch=4,n_in=0,n_out=0", "steps=0", factors, 4}, /* a bias alone */
    {"kfac_factors_conv", "", "x=-2..2,g=-2..2,steps=3", factors_conv, 32},
    {"kfac_factors_conv", "height=9,width=5,kernel=4,stride=3,padding=2,out_height=4,out_width=2,bias=0,scale=4", "x=-2..2,g=-2..2,steps=0",
     factors_conv, 32},
    {"kfac_factors_conv", "channels=17,n_out=19,kernel=1,padding=0,decay=0", "x=-2..2,g=-2..2,steps=5", factors_conv, 64},
    {"kfac_factors_conv", "batch=1,height=2,width=2,kernel=2,padding=0,out_height=1,out_width=1", "x=-2..2,steps=0", factors_conv, 32},
    {"kfac_damping", "", "lambda=0.5,a_factor=0.5..2,g_factor=0.5..2", damping, 32},
    {"kfac_damping", "blocks=3,side_a=100,side_g=1,eta=0.25", "lambda=0.5,a_factor=0.5..2,g_factor=100..300", damping, 32},
    {"kfac_damping", "blocks=2,side_a=2,side_g=2", "lambda=4,a_factor=1e30,g_factor=1e-30", damping, 32},
    {"kfac_damping", "blocks=1", "lambda=4,a_factor=0,g_factor=1", damping, 4}, /* a dead layer */
    {"kfac_damping", "blocks=1", "lambda=0,a_factor=1,g_factor=1", damping, 4},
    {"kfac_damping", "blocks=0", "lambda=4", damping, 4},
    {"kfac_adapt", "", "before=3,after=1,predicted=2,lambda=0.5", adapt, 4},
    {"kfac_adapt", "", "before=3,after=2,predicted=2,lambda=0.5", adapt, 4},    /* neither well nor badly */
    {"kfac_adapt", "", "before=3,after=2,predicted=4,lambda=0.5", adapt, 4},    /* exactly a quarter */
    {"kfac_adapt", "", "before=4,after=1,predicted=4,lambda=0.5", adapt, 4},    /* exactly three quarters */
    {"kfac_adapt", "", "before=3,after=4,predicted=2,lambda=0.5", adapt, 4},
    {"kfac_adapt", "", "before=3,after=nan,predicted=2,lambda=0.5", adapt, 4},
    {"kfac_adapt", "", "before=3,after=inf,predicted=2,lambda=0.5", adapt, 4},
    {"kfac_adapt", "", "before=3,after=1,predicted=0,lambda=0.5", adapt, 4},
    {"kfac_adapt", "most=0.5", "before=3,after=4,predicted=2,lambda=0.5", adapt, 4},
    {"kfac_adapt", "least=0.5", "before=3,after=1,predicted=2,lambda=0.5", adapt, 4},
    {"kfac_precondition", "", "", precondition, 64},
    {"kfac_precondition", "blocks=1,side_a=1,side_g=17", "", precondition, 64},
    {"kfac_precondition", "blocks=3,side_a=33,side_g=2", "", precondition, 64},
    {"kfac_precondition", "blocks=0", "", precondition, 64},
    {"kfac_update", "", "slope=0..1", update, 16},
    {"kfac_update", "n=300,blocks=100", "slope=0..1", update, 32},
    {"kfac_update", "n=7,blocks=2,clip=0", "slope=4", update, 16},
    {"kfac_update", "n=7,blocks=2", "slope=0", update, 16},
    {"kfac_update", "n=7,blocks=1,learning_rate=1,clip=4,momentum=0", "slope=4", update, 16}, /* exactly the longest */
    {"kfac_update", "n=3,blocks=1,clip=1", "slope=1e30", update, 16},
    {"kfac_update", "n=0,blocks=0", "", update, 16},
    {"kfac_step", "", "lambda=0.5,steps=0,a_factor=0,g_factor=0", step, 256},
    {"kfac_step", "batch=40,n_in=9,n_out=20,eta=0.25,scale=4", "lambda=0.5,steps=0,a_factor=0,g_factor=0", step, 512},
    {"kfac_step", "batch=30,n_in=6,n_out=1,bias=0,decay=0,clip=0", "lambda=1,steps=7", step, 256},
    {"kfac_autotune_step", "blocks=3,n=2", "lambda=0,a_factor=1|0|0|1|2|0|0|4,g_factor=2|0|0|4|1|0|0|1|4|1|1|3", autotune, 64},
    {"kfac_autotune_step", "blocks=2,n=17", "lambda=1600", autotune, 64},
    {"kfac_autotune_step", "blocks=0", "lambda=1", autotune, 64},
};
KGT_ORACLES(kfac, kgt_oracles_kfac);
