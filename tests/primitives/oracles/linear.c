/* Products of matrices. */
#include "tests/primitives/math.h"
#include "tests/primitives/oracle.h"

#include <math.h>

static double activated(double z, size_t activation) {
  switch (activation) {
  case 1: return fmax(z, 0);
  case 2: return z * 0.5 * erfc(-z * 0.70710678118654752);
  case 3: return z / (1 + exp(-z));
  case 4: return tanh(z);
  default: return z;
  }
}

/* Activations have slopes of at most 1.13, and add a few units of their own. */
static void matmul(kgt_case *c) {
  double *want = kgt_want(c, "c"), *magnitude = kgt_magnitude(c, "c");
  const float *bias = kgt_size(c, "bias") ? kgt_floats(c, "bias") : NULL;
  size_t m = kgt_size(c, "m"), n = kgt_size(c, "n"), k = kgt_size(c, "k");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++, want += m * n, magnitude += m * n) {
    kgt_matmul(kgt_floats(c, "a") + item * m * k, kgt_floats(c, "b") + item * k * n, m, n, k, (int)kgt_size(c, "transpose_a"),
               (int)kgt_size(c, "transpose_b"), want, magnitude);
    for (size_t e = 0; e < m * n; e++) {
      if (bias) want[e] += bias[e % n], magnitude[e] += fabs((double)bias[e % n]);
      if (kgt_size(c, "activation")) magnitude[e] += fabs(want[e]);
      want[e] = activated(want[e], kgt_size(c, "activation"));
    }
  }
}

/* Rows that no group has are 0. */
static void matmul_grouped(kgt_case *c) {
  size_t n = kgt_size(c, "n"), k = kgt_size(c, "k");
  const uint32_t *offsets = kgt_wholes(c, "offsets");
  double *want = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (size_t i = 0; i < kgt_count(c, "y"); i++) want[i] = 0;
  for (size_t e = 0; e < kgt_size(c, "groups"); e++)
    kgt_matmul(kgt_floats(c, "x") + offsets[e] * k, kgt_floats(c, "w") + e * k * n, offsets[e + 1] - offsets[e], n, k, 0,
               (int)kgt_size(c, "transpose"), want + offsets[e] * n, magnitude + offsets[e] * n);
}

static void matvec(kgt_case *c) {
  const float *a = kgt_floats(c, "a"), *x = kgt_floats(c, "x");
  double *want = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  size_t m = kgt_size(c, "m"), n = kgt_size(c, "n"), transpose = kgt_size(c, "transpose");
  for (size_t i = 0; i < (transpose ? n : m); i++) want[i] = 0;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double term = (double)a[i * n + j] * x[transpose ? i : j];
      want[transpose ? j : i] += term, magnitude[transpose ? j : i] += fabs(term);
    }
}

enum { MOST = 64 };

/* x = (A I + B G + C G^2) x */
static void newton_schulz_round(double x[MOST][MOST], size_t m, size_t n) {
  static double gram[MOST][MOST], factor[MOST][MOST], next[MOST][MOST];
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++) {
      gram[i][j] = 0;
      for (size_t l = 0; l < n; l++) gram[i][j] += x[i][l] * x[j][l];
    }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++) {
      factor[i][j] = (i == j ? 3.4445 : 0) - 4.775 * gram[i][j];
      for (size_t l = 0; l < m; l++) factor[i][j] += 2.0315 * gram[i][l] * gram[l][j];
    }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      next[i][j] = 0;
      for (size_t l = 0; l < m; l++) next[i][j] += factor[i][l] * x[l][j];
    }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) x[i][j] = next[i][j];
}

/* Singular values come to lie near 1, and a round multiplies an error by 3.5 at most: by 500 in five. */
static void newton_schulz(kgt_case *c) {
  static double x[MOST][MOST];
  const float *from = kgt_floats(c, "x");
  double *want = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  size_t m = kgt_size(c, "m"), n = kgt_size(c, "n");
  ck_assert_uint_le(m, MOST);
  ck_assert_uint_le(n, MOST);
  for (size_t item = 0; item < kgt_size(c, "batch"); item++, from += m * n, want += m * n, magnitude += m * n) {
    double squares = 0;
    for (size_t e = 0; e < m * n; e++) squares += (double)from[e] * from[e];
    for (size_t e = 0; e < m * n; e++) x[e / n][e % n] = from[e] / (sqrt(squares) + 1e-7);
    for (size_t k = 0; k < kgt_size(c, "steps"); k++) newton_schulz_round(x, m, n);
    for (size_t e = 0; e < m * n; e++) want[e] = x[e / n][e % n], magnitude[e] = 1;
  }
}

/* log of the sum of exp(potential[k] / epsilon - cost / epsilon), `count` costs a stride apart. */
static double log_sum(const double *potential, const float *cost, size_t count, size_t stride, double epsilon) {
  double best = -INFINITY, sum = 0;
  for (size_t k = 0; k < count; k++) best = fmax(best, (potential[k] - cost[k * stride]) / epsilon);
  for (size_t k = 0; k < count; k++) sum += exp((potential[k] - cost[k * stride]) / epsilon - best);
  return best + log(sum);
}

/* An error of a few units of the exponents' terms is one of as much of the plan's elements. */
static void sinkhorn(kgt_case *c) {
  static double f[MOST], g[MOST];
  const float *cost = kgt_floats(c, "cost"), *log_a = kgt_floats(c, "log_a"), *log_b = kgt_floats(c, "log_b");
  double *want = kgt_want(c, "plan"), epsilon = kgt_real(c, "epsilon");
  size_t rows = kgt_size(c, "rows"), cols = kgt_size(c, "cols");
  ck_assert_uint_le(rows, MOST);
  ck_assert_uint_le(cols, MOST);
  for (size_t item = 0; item < kgt_size(c, "batch"); item++, cost += rows * cols, want += rows * cols, log_a += rows, log_b += cols) {
    for (size_t i = 0; i < rows; i++) f[i] = 0;
    for (size_t j = 0; j < cols; j++) g[j] = 0;
    for (size_t round = 0; round < kgt_size(c, "rounds"); round++) {
      for (size_t i = 0; i < rows; i++) f[i] = epsilon * (log_a[i] - log_sum(g, cost + i * cols, cols, 1, epsilon));
      for (size_t j = 0; j < cols; j++) g[j] = epsilon * (log_b[j] - log_sum(f, cost + j, rows, cols, epsilon));
    }
    for (size_t e = 0; e < rows * cols; e++) want[e] = exp((f[e / cols] + g[e % cols] - cost[e]) / epsilon);
  }
}

/* A sum of k products: |error| <= (k + 1) u times the sum of their absolutes. */
const kgt_oracle kgt_oracles_linear[] = {
    {"matmul", "m=1,n=1,k=1,workgroup=2", "a=-2..2", matmul, 2},
    {"matmul", "m=1,n=1,k=1,workgroup=4,transpose_a=1,transpose_b=1", "a=-2..2", matmul, 2},
    {"matmul", "m=21,n=30,k=13,workgroup=2", "a=-2..2", matmul, 14},
    {"matmul", "m=21,n=30,k=13,workgroup=4,transpose_a=1", "a=-2..2", matmul, 14},
    {"matmul", "m=21,n=37,k=13,workgroup=8,transpose_b=1", "a=-2..2", matmul, 14},
    {"matmul", "m=21,n=30,k=13,workgroup=4,transpose_a=1,transpose_b=1", "a=-2..2", matmul, 14},
    {"matmul", "m=3,n=40,k=70", "a=-2..2", matmul, 71},
    {"matmul", "m=64,n=64,k=16,transpose_a=1", "a=-2..2", matmul, 17},
    {"matmul", "m=9,n=5,k=33,workgroup=4,transpose_b=1", "a=-2..2", matmul, 34},
    {"matmul", "m=9,n=5,workgroup=4,k=0", "", matmul, 1},
    {"matmul", "m=9,n=5,workgroup=4,k=0,bias=1", "", matmul, 1},
    {"matmul", "n=5,k=7,workgroup=4,m=0", "", matmul, 1},
    {"matmul", "m=5,k=7,workgroup=4,n=0,bias=1", "", matmul, 1},
    {"matmul", "m=5,n=4,k=7,workgroup=4,batch=0,bias=1", "", matmul, 1},
    {"matmul", "m=9,n=17,k=6,batch=3,workgroup=2,bias=1", "a=-2..2", matmul, 8},
    {"matmul", "m=9,n=17,k=6,batch=3,workgroup=4,transpose_a=1,bias=1,activation=1", "a=-2..2", matmul, 8},
    {"matmul", "m=9,n=7,k=6,batch=2,workgroup=4,bias=1,activation=2", "a=-2..2", matmul, 32},
    {"matmul", "m=9,n=7,k=6,batch=2,workgroup=4,activation=3", "a=-2..2", matmul, 32},
    {"matmul", "m=9,n=7,k=6,workgroup=4,transpose_b=1,activation=4", "a=-2..2", matmul, 32},
    {"matmul", "m=2,n=3,k=2,workgroup=2", "a=1|0|inf|2,b=1|2|-inf|0.5|nan|-1", matmul, 4},
    {"matmul", "batch=66000,m=1,n=1,k=1,workgroup=2", "", matmul, 2}, /* more tiles than workgroups */
    {"matmul_grouped", "", "offsets=0|11|11|40|77|90", matmul_grouped, 31},
    {"matmul_grouped", "transpose=1", "offsets=3|20|20|41|65|88", matmul_grouped, 31}, /* rows without a group at both ends */
    {"matmul_grouped", "groups=4,rows=21,n=30,k=13,workgroup=2", "offsets=0|0|9|21|21", matmul_grouped, 14}, /* groups of several tiles */
    {"matmul_grouped", "groups=7,rows=9,n=5,k=3,workgroup=4,transpose=1", "offsets=0|1|2|2|3|5|8|9", matmul_grouped, 14}, /* in one tile */
    {"matmul_grouped", "groups=1,rows=1,n=1,k=1,workgroup=2", "offsets=0|1", matmul_grouped, 2},
    {"matmul_grouped", "groups=3,rows=5,n=2,k=2,workgroup=2", "offsets=0|2|3|5,x=1|2|inf|nan|-1|0.5|3|1|2|2,w=1|2|3|4|nan|inf|1|2|-1|1|2|3",
     matmul_grouped, 4}, /* what is not finite stays where it is */
    {"matmul_grouped", "groups=0,rows=9,workgroup=2", "offsets=0", matmul_grouped, 0},
    {"matmul_grouped", "groups=2,rows=0,workgroup=2", "offsets=0", matmul_grouped, 0},
    {"matmul_grouped", "groups=2,rows=9,n=0,workgroup=2", "offsets=0|4|9", matmul_grouped, 0},
    {"matmul_grouped", "groups=2,rows=9,k=0,workgroup=2", "offsets=0|4|9", matmul_grouped, 0},
    {"matmul_grouped", "groups=2,rows=9,n=5,workgroup=2", "offsets=4", matmul_grouped, 0},
    {"matmul_grouped", "groups=3,rows=530000,n=1,k=1,workgroup=2", "offsets=0|100|529000|530000", matmul_grouped,
     2}, /* more tiles than workgroups */
    {"matmul_grouped", "groups=2,rows=9,n=5,workgroup=2", "offsets=4|3|9", NULL, 0},
    {"matmul_grouped", "groups=2,rows=9,n=5,workgroup=2", "offsets=0|4|3", NULL, 0},
    {"matvec", "", "", matvec, 101},
    {"matvec", "transpose=1", "", matvec, 71},
    {"matvec", "m=1,n=1,workgroup=16", "", matvec, 2},
    {"matvec", "m=1,n=1,workgroup=32,transpose=1", "", matvec, 2},
    {"matvec", "m=5,n=33,workgroup=16", "", matvec, 34},
    {"matvec", "m=33,n=18,workgroup=32,transpose=1", "", matvec, 34},
    {"matvec", "m=0,n=18", "", matvec, 1},
    {"matvec", "m=7,n=0", "", matvec, 1},
    {"matvec", "m=0,n=18,transpose=1", "", matvec, 1},
    {"matvec", "m=66000,n=3,workgroup=16", "", matvec, 4},
    {"matvec", "m=2,n=3", "a=1|0|inf|2|nan|3,x=1|2|-inf", matvec, 4},
    {"newton_schulz", "", "", newton_schulz, 1000},
    {"newton_schulz", "batch=1,m=33,n=40,workgroup=4", "", newton_schulz, 1000},
    {"newton_schulz", "batch=2,m=9,n=3,workgroup=2,steps=3", "", newton_schulz, 200},
    {"newton_schulz", "batch=2,m=3,n=4,workgroup=2,steps=0", "", newton_schulz, 8},
    {"newton_schulz", "batch=2,m=3,n=4,workgroup=2", "x=0", newton_schulz, 1},
    {"newton_schulz", "batch=1,m=1,n=1,workgroup=2", "x=-5", newton_schulz, 1000},
    {"newton_schulz", "m=0,workgroup=2", "", newton_schulz, 1},
    {"newton_schulz", "batch=0,workgroup=2", "", newton_schulz, 1},
    {"sinkhorn", "", "", sinkhorn, 400},
    {"sinkhorn", "batch=3,rows=40,cols=33,workgroup=16,rounds=3", "cost=0..2", sinkhorn, 400},
    {"sinkhorn", "batch=1,rows=3,cols=50,epsilon=0.01,rounds=2,workgroup=128", "cost=0..3", sinkhorn, 20000}, /* exp(300) */
    {"sinkhorn", "batch=1,rows=3,cols=2,rounds=4", "log_a=0|-inf|1", sinkhorn, 400}, /* no mass at a point */
    {"sinkhorn", "batch=1,rows=1,cols=1,rounds=1", "", sinkhorn, 100},
    {"sinkhorn", "rounds=0", "", sinkhorn, 100},
    {"sinkhorn", "batch=0", "", sinkhorn, 1},
    {"sinkhorn", "rows=0", "", sinkhorn, 1},
    {"sinkhorn", "cols=0", "", sinkhorn, 1},
};
KGT_ORACLES(linear, kgt_oracles_linear);
