/* Factors and systems. What came out is put into the equation that it has to solve: the residual is within what rounding does to
 * the coefficients (Higham 2002, Accuracy and stability of numerical algorithms, theorems 8.5, 9.4 and 10.3). */
#include "tests/primitives/oracle.h"

#include <math.h>

enum { MOST = 64 };

typedef struct matrix { double at[MOST][MOST]; } matrix;

/* a[item] as it is stored, or of its lower triangle the symmetric matrix, with the damping. */
static void take(const kgt_case *c, size_t item, size_t n, int symmetric, matrix *a) {
  const float *from = kgt_floats(c, "a") + item * n * n;
  ck_assert_uint_le(n, MOST);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      a->at[i][j] = from[symmetric && i < j ? j * n + i : i * n + j];
      if (symmetric && i == j) a->at[i][i] += kgt_real(c, "damping");
    }
}

/* 0, or 1 + the first pivot that is not positive and finite. */
static unsigned cholesky_fails(matrix a, size_t n) {
  for (size_t j = 0; j < n; j++) {
    if (!(a.at[j][j] > 0 && a.at[j][j] < INFINITY)) return (unsigned)j + 1;
    for (size_t i = j + 1; i < n; i++)
      for (size_t k = j + 1; k <= i; k++) a.at[i][k] -= a.at[i][j] * a.at[k][j] / a.at[j][j];
  }
  return 0;
}

/* 0, or 1 + the first column without a pivot. */
static unsigned elimination_fails(matrix a, size_t n) {
  for (size_t j = 0; j < n; j++) {
    size_t p = j;
    for (size_t i = j; i < n; i++)
      if (!(fabs(a.at[i][j]) <= fabs(a.at[p][j]))) p = isnan(a.at[i][j]) ? p : i;
    if (!(fabs(a.at[p][j]) > 0 && fabs(a.at[p][j]) < INFINITY)) return (unsigned)j + 1;
    for (size_t k = 0; k < n; k++) {
      double held = a.at[j][k];
      a.at[j][k] = a.at[p][k], a.at[p][k] = held;
    }
    for (size_t i = j + 1; i < n; i++)
      for (size_t k = n; k-- > j;) a.at[i][k] -= a.at[i][j] / a.at[j][j] * a.at[j][k];
  }
  return 0;
}

static void near(double got, double want, double slack, const char *what) {
  ck_assert_msg(fabs(got - want) <= slack, "%s: %.9g is not %.9g, by more than %.3g", what, got, want, slack);
}

/* |op(A) x - b| <= 8 (n + 1) u (|A| |x| + |b|), row by row, or in norm, where `loose` is what it may be besides. */
static void residual(kgt_case *c, size_t item, size_t n, size_t r, const matrix *a, unsigned failed, double loose) {
  const float *x = kgt_got(c, "x") + item * n * r, *b = kgt_floats(c, "b") + item * n * r;
  for (size_t e = 0; failed && e < n * r; e++) ck_assert_msg(x[e] == 0, "x of what failed is not zero");
  for (size_t k = 0; !failed && k < r; k++) {
    double norm = 0;
    for (size_t i = 0; i < n; i++) norm += (double)b[i * r + k] * b[i * r + k];
    for (size_t i = 0; i < n; i++) {
      double sum = 0, absolute = fabs((double)b[i * r + k]);
      for (size_t j = 0; j < n; j++) sum += a->at[i][j] * x[j * r + k], absolute += fabs(a->at[i][j] * x[j * r + k]);
      near(sum, b[i * r + k], 8 * (double)(n + 1) * 0x1p-24 * absolute + loose * sqrt(norm), "A x");
    }
  }
}

static void cholesky(kgt_case *c) {
  size_t n = kgt_size(c, "n");
  const float *l = kgt_got(c, "l");
  double *status = kgt_want(c, "status");
  kgt_judged(c, "l");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++, l += n * n) {
    matrix a;
    take(c, item, n, 1, &a);
    status[item] = cholesky_fails(a, n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        if (status[item] != 0 || j > i) ck_assert_msg(l[i * n + j] == 0, "l[%zu, %zu] is not zero", i, j);
        if (status[item] != 0 || j > i) continue;
        double sum = 0, absolute = 0;
        for (size_t k = 0; k <= j; k++) {
          double term = (double)l[i * n + k] * l[j * n + k];
          sum += term, absolute += fabs(term);
        }
        near(sum, a.at[i][j], 4 * (double)(n + 1) * 0x1p-24 * (absolute + fabs(a.at[i][j])), "L L^T");
        if (i == j) ck_assert_msg(l[i * n + i] > 0, "l[%zu, %zu] is not positive", i, i);
      }
  }
}

static void triangular_solve(kgt_case *c) {
  size_t n = kgt_size(c, "n"), r = kgt_size(c, "r");
  kgt_want(c, "x"), kgt_judged(c, "x");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++) {
    matrix a, op;
    take(c, item, n, 0, &a);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        size_t row = kgt_size(c, "transpose") ? j : i, column = kgt_size(c, "transpose") ? i : j;
        double element = row == column && kgt_size(c, "unit") ? 1 : a.at[row][column];
        op.at[i][j] = (kgt_size(c, "upper") ? row <= column : column <= row) ? element : 0;
      }
    residual(c, item, n, r, &op, 0, 0);
  }
}

static void solve(kgt_case *c) {
  size_t n = kgt_size(c, "n");
  double *status = kgt_want(c, "status");
  kgt_judged(c, "x");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++) {
    matrix a;
    take(c, item, n, 0, &a);
    status[item] = elimination_fails(a, n);
    residual(c, item, n, kgt_size(c, "r"), &a, (unsigned)status[item], 0);
  }
}

static void solve_spd(kgt_case *c) {
  size_t n = kgt_size(c, "n");
  double *status = kgt_want(c, "status");
  kgt_judged(c, "x");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++) {
    matrix a;
    take(c, item, n, 1, &a);
    status[item] = cholesky_fails(a, n);
    residual(c, item, n, kgt_size(c, "r"), &a, (unsigned)status[item], 0);
  }
}

/* How many steps it took is of the device; that they did is judged. */
static void conjugate_gradients(kgt_case *c) {
  size_t n = kgt_size(c, "n");
  kgt_judged(c, "x"), kgt_judged(c, "steps_taken");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++) {
    matrix a;
    take(c, item, n, 1, &a);
    residual(c, item, n, 1, &a, 0, kgt_real(c, "tolerance"));
  }
}

/* Of a multiple of I one step, and of b = 0 none. */
static void scaled(kgt_case *c) {
  double *x = kgt_want(c, "x"), *steps_taken = kgt_want(c, "steps_taken");
  size_t n = kgt_size(c, "n");
  for (size_t i = 0; i < kgt_count(c, "x"); i++) {
    x[i] = kgt_floats(c, "b")[i] / kgt_real(c, "damping");
    if (x[i] != 0) steps_taken[i / n] = 1;
    else if (i % n == 0) steps_taken[i / n] = 0;
  }
}

/* A right side that is not finite makes all of x no number, and no step of those allowed ends it. */
static void not_finite(kgt_case *c) {
  for (size_t i = 0; i < kgt_count(c, "steps_taken"); i++) kgt_want(c, "steps_taken")[i] = kgt_size(c, "steps");
  for (size_t i = 0; i < kgt_count(c, "x"); i++) kgt_want(c, "x")[i] = NAN;
}

/* Columns i and j of an array of `rows` rows. */
static double dot(const float *q, size_t rows, size_t columns, size_t i, size_t j) {
  double sum = 0;
  for (size_t row = 0; row < rows; row++) sum += (double)q[row * columns + i] * q[row * columns + j];
  return sum;
}

/* Q R = A and Q^T Q = I, but for columns that are zero. */
static void qr(kgt_case *c) {
  size_t m = kgt_size(c, "m"), n = kgt_size(c, "n");
  const float *a = kgt_floats(c, "a"), *q = kgt_got(c, "q"), *r = kgt_got(c, "r");
  double unit = 8 * (double)(n + 2) * 0x1p-24;
  kgt_judged(c, "q"), kgt_judged(c, "r");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++, a += m * n, q += m * n, r += n * n)
    for (size_t j = 0; j < n; j++) {
      double length = sqrt(dot(a, m, n, j, j));
      ck_assert_msg(r[j * n + j] >= 0, "r[%zu, %zu] is negative", j, j);
      for (size_t i = 0; i < n; i++) {
        near(dot(q, m, n, i, j), i == j && r[j * n + j] > 0, unit, "Q^T Q");
        if (i > j) ck_assert_msg(r[i * n + j] == 0, "r[%zu, %zu] is not zero", i, j);
      }
      for (size_t row = 0; row < m; row++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += (double)q[row * n + k] * r[k * n + j];
        near(sum, a[row * n + j], unit * length, "Q R");
      }
    }
}

/* A V = V diag(w), V^T V = I, and w in order. */
static void eigh(kgt_case *c) {
  size_t n = kgt_size(c, "n");
  const float *from = kgt_floats(c, "a"), *v = kgt_got(c, "v"), *w = kgt_got(c, "w");
  double unit = 32 * (double)(n + 2) * 0x1p-24;
  kgt_judged(c, "v"), kgt_judged(c, "w");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++, from += n * n, v += n * n, w += n) {
    double norm = 0;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) norm += pow(from[j < i ? i * n + j : j * n + i], 2);
    for (size_t j = 0; j < n; j++) {
      if (j) ck_assert_msg(w[j - 1] <= w[j], "eigenvalue %zu is out of order", j);
      for (size_t i = 0; i < n; i++) near(dot(v, n, n, i, j), i == j, unit, "V^T V");
      for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += (double)from[k < i ? i * n + k : k * n + i] * v[k * n + j];
        near(sum, (double)w[j] * v[i * n + j], unit * sqrt(norm), "A v");
      }
    }
  }
}

#define MANY_PARTS "batch=3,n=13,workgroup=16"
const kgt_oracle kgt_oracles_solves[] = {
    {"cholesky", "batch=3,n=10,damping=8", "", cholesky, 0},
    {"cholesky", MANY_PARTS ",damping=6", "", cholesky, 0},
    {"cholesky", "batch=2,n=40,damping=12,workgroup=128", "", cholesky, 0},
    {"cholesky", "batch=1,n=1,workgroup=1", "a=4", cholesky, 0},
    {"cholesky", "n=0", "", cholesky, 0},
    {"cholesky", "batch=0", "", cholesky, 0},
    {"cholesky", "batch=2,n=2", "a=4|9|2|3|1|9|2|1", cholesky, 0}, /* the second is indefinite */
    {"cholesky", "batch=3,n=2", "a=0|9|2|3|1|9|nan|1|inf|0|0|1", cholesky, 0},
    {"cholesky", "batch=66000,n=2,damping=4,workgroup=4", "", cholesky, 0},
    {"triangular_solve", "", "a=0.5..2", triangular_solve, 0},
    {"triangular_solve", MANY_PARTS ",r=3,upper=1", "a=0.5..2", triangular_solve, 0},
    {"triangular_solve", MANY_PARTS ",r=5,transpose=1", "a=0.5..2", triangular_solve, 0},
    {"triangular_solve", "batch=2,n=9,r=1,transpose=1,upper=1", "a=0.5..2", triangular_solve, 0},
    {"triangular_solve", "batch=2,n=9,r=30,unit=1", "", triangular_solve, 0},
    {"triangular_solve", "batch=2,n=9,r=2,upper=1,unit=1,transpose=1", "", triangular_solve, 0},
    {"triangular_solve", "batch=2,n=9,r=2,upper=1,unit=1", "", triangular_solve, 0},
    {"triangular_solve", "batch=2,n=2,r=1,unit=1", "a=nan|nan|0.5|nan", triangular_solve, 0}, /* what is not read */
    {"triangular_solve", "batch=1,n=1,r=1,workgroup=1", "a=-4", triangular_solve, 0},
    {"triangular_solve", "n=0", "", triangular_solve, 0},
    {"triangular_solve", "r=0", "a=0.5..2", triangular_solve, 0},
    {"solve", "", "", solve, 0},
    {"solve", MANY_PARTS ",r=3", "", solve, 0},
    {"solve", "batch=2,n=33,r=1,workgroup=128", "", solve, 0},
    {"solve", "batch=1,n=1,r=1,workgroup=1", "a=-4", solve, 0},
    {"solve", "n=0", "", solve, 0},
    {"solve", "r=0", "", solve, 0},
    {"solve", "batch=2,n=2", "a=0|1|1|0|1|1|1|1", solve, 0}, /* a pivot of zero that an exchange mends; a singular one */
    {"solve", "batch=3,n=2", "a=0|1|0|2|nan|1|nan|2|inf|1|0|2", solve, 0},
    {"solve", "batch=1,n=3,r=1", "a=2|1|1|-2|3|1|2|2|5", solve, 0}, /* ties of pivots */
    {"solve_spd", "damping=8", "", solve_spd, 0},
    {"solve_spd", MANY_PARTS ",r=3,damping=6", "", solve_spd, 0},
    {"solve_spd", "batch=1,n=1,r=1,workgroup=1", "a=4", solve_spd, 0},
    {"solve_spd", "n=0", "", solve_spd, 0},
    {"solve_spd", "r=0,damping=8", "", solve_spd, 0},
    {"solve_spd", "batch=2,n=2", "a=4|9|2|3|1|9|2|1", solve_spd, 0},
    {"conjugate_gradients", "damping=8", "", conjugate_gradients, 0},
    {"conjugate_gradients", MANY_PARTS ",damping=6,steps=30,tolerance=0.00001", "", conjugate_gradients, 0},
    {"conjugate_gradients", "n=0", "", conjugate_gradients, 0},
    {"conjugate_gradients", "batch=2,n=5,damping=4", "a=0,b=1|2|3|-4|5|0|0|0|0|0", scaled, 4},
    {"conjugate_gradients", "batch=2,n=5,damping=4,tolerance=0", "a=0,b=1|2|4|-4|8", scaled, 4},
    {"conjugate_gradients", "batch=2,n=5,damping=4", "a=0,b=1e-30|2e-30|4e-30|-4e-30|8e-30|1e30|2e30|4e30|-4e30|8e30", scaled,
     4}, /* squares are no numbers */
    {"conjugate_gradients", "batch=2,n=3,steps=2,damping=1", "a=0,b=1|nan|2|1|inf|2", not_finite, 0},
    {"qr", "", "", qr, 0},
    {"qr", "batch=2,m=33,n=17,workgroup=16", "", qr, 0},
    {"qr", "batch=2,m=9,n=9,workgroup=4", "a=-1e19..1e19", qr, 0}, /* squares overflow */
    {"qr", "batch=1,m=6,n=3", "a=1|1|1|1e-4|0|0|0|1e-4|0|0|0|1e-4|0|0|0|0|0|0", qr, 0}, /* columns that are nearly dependent */
    {"qr", "batch=1,m=2,n=2", "a=0|1|0|2", qr, 0},
    {"qr", "batch=2,m=3,n=2", "a=1|2|1|2|1|2|1|2|0|1|1|0", qr, 0}, /* a column that another makes up, but for rounding */
    {"qr", "batch=1,m=4,n=4", "a=0.3|0.6|0.9|1|0.7|1.4|2.1|0|0.1|0.2|0.3|0|0.9|1.8|2.7|0", qr, 0},
    {"qr", "batch=1,m=1,n=1,workgroup=1", "a=-3", qr, 0},
    {"qr", "m=4,n=0", "", qr, 0},
    {"qr", "m=0,n=0", "", qr, 0},
    {"qr", "batch=0", "", qr, 0},
    {"eigh", "", "", eigh, 0},
    {"eigh", "batch=2,n=8,workgroup=16", "", eigh, 0},
    {"eigh", "batch=1,n=25,workgroup=128,sweeps=10", "", eigh, 0},
    {"eigh", "batch=2,n=3", "a=2|0|0|0|2|0|0|0|1", eigh, 0}, /* equal ones */
    {"eigh", "batch=1,n=4", "a=1", eigh, 0},
    {"eigh", "batch=2,n=2", "a=0|9|1|0|0|9|0|0", eigh, 0},
    {"eigh", "batch=1,n=5", "a=-1e19..1e19", eigh, 0},
    {"eigh", "batch=2,n=1,workgroup=1", "a=-3", eigh, 0},
    {"eigh", "batch=2,n=3,sweeps=0", "a=5|0|0|0|-2|0|0|0|1", eigh, 0}, /* diagonal as it is */
    {"eigh", "sweeps=1", "", NULL, 0},
    {"eigh", "n=0", "", eigh, 0},
    {"eigh", "batch=0", "", eigh, 0},
};
KGT_ORACLES(solves, kgt_oracles_solves);
