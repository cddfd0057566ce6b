#include "tests/primitives/kfac_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void kgt_factor(const double *x, size_t batch, size_t n, size_t bias, double scale, double decay, double t, double *f) {
  double weight = (1 - decay) / (1 - pow(decay, t));
  for (size_t i = 0; i < n + bias && batch; i++)
    for (size_t j = 0; j < n + bias; j++) {
      double sum = 0;
      for (size_t s = 0; s < batch; s++) sum += (i < n ? x[s * n + i] : 1) * (j < n ? x[s * n + j] : 1);
      f[i * (n + bias) + j] += weight * (scale * sum / (double)batch - f[i * (n + bias) + j]);
    }
}

static double mean_trace(const double *a, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i * n + i];
  return sum / (double)n;
}

void kgt_damping(const double *a, size_t side_a, const double *g, size_t side_g, double lambda_and_eta, double *of_a, double *of_g) {
  double mean_a = mean_trace(a, side_a), mean_g = mean_trace(g, side_g);
  double pi = mean_a > 0 && mean_g > 0 ? sqrt(mean_a / mean_g) : 1;
  *of_a = pi * sqrt(lambda_and_eta), *of_g = sqrt(lambda_and_eta) / pi;
}

bool kgt_inverse(const double *a, size_t n, double damping, double *x) {
  enum { MOST = 64 };
  static double m[MOST][2 * MOST];
  if (n > MOST) abort();
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) m[i][j] = a[i * n + j] + (i == j ? damping : 0), m[i][n + j] = i == j;
  for (size_t k = 0; k < n; k++) {
    size_t at = k;
    for (size_t i = k; i < n; i++)
      if (fabs(m[i][k]) > fabs(m[at][k])) at = i;
    if (!(fabs(m[at][k]) > 0)) return false;
    double pivot = m[at][k];
    for (size_t j = 0; j < 2 * n; j++) {
      double row = m[at][j] / pivot;
      m[at][j] = m[k][j], m[k][j] = row;
    }
    for (size_t i = 0; i < n; i++) {
      double factor = m[i][k];
      for (size_t j = 0; j < 2 * n && i != k; j++) m[i][j] -= factor * m[k][j];
    }
  }
  for (size_t i = 0; i < n; i++) memcpy(x + i * n, m[i] + n, n * sizeof *x);
  return true;
}

double kgt_precondition(const double *inverse_g, size_t side_g, const double *dw, const double *inverse_a, size_t side_a, double *v) {
  double slope = 0;
  for (size_t i = 0; i < side_g; i++)
    for (size_t j = 0; j < side_a; j++) {
      double sum = 0;
      for (size_t k = 0; k < side_g; k++)
        for (size_t l = 0; l < side_a; l++) sum += inverse_g[i * side_g + k] * dw[k * side_a + l] * inverse_a[l * side_a + j];
      v[i * side_a + j] = sum;
      slope += sum * dw[i * side_a + j];
    }
  return slope;
}

double kgt_clipping(double slope, double rate, double clip) {
  return clip > 0 && slope > 0 ? fmin(1, sqrt(clip / (rate * rate * slope))) : 1;
}

/* One rotation that makes a[p][q] zero: Golub and Van Loan, algorithm 8.5.1. */
static void rotate(double *a, double *v, size_t n, size_t p, size_t q) {
  if (a[p * n + q] == 0) return;
  double tau = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]), t = 1 / (fabs(tau) + sqrt(1 + tau * tau));
  double cosine = 1 / sqrt(1 + t * t), sine = (tau < 0 ? -t : t) * cosine;
  for (size_t k = 0; k < n; k++) {
    double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = cosine * x - sine * y, a[k * n + q] = sine * x + cosine * y;
  }
  for (size_t k = 0; k < n; k++) {
    double x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = cosine * x - sine * y, a[q * n + k] = sine * x + cosine * y;
  }
  for (size_t k = 0; k < n; k++) {
    double x = v[k * n + p], y = v[k * n + q];
    v[k * n + p] = cosine * x - sine * y, v[k * n + q] = sine * x + cosine * y;
  }
}

void kgt_eigen(const double *a, size_t n, double *values, double *vectors) {
  enum { MOST = 64 };
  static double work[MOST * MOST], basis[MOST * MOST];
  size_t order[MOST];
  if (n > MOST) abort();
  memcpy(work, a, n * n * sizeof *a);
  for (size_t i = 0; i < n * n; i++) basis[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 30; sweep++)
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) rotate(work, basis, n, p, q);
  for (size_t i = 0; i < n; i++) {
    size_t at = i;
    for (; at > 0 && work[order[at - 1] * (n + 1)] > work[i * (n + 1)]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  for (size_t j = 0; j < n; j++) {
    values[j] = work[order[j] * (n + 1)];
    for (size_t i = 0; i < n; i++) vectors[i * n + j] = basis[i * n + order[j]];
  }
}

void kgt_power(const double *a, size_t n, double added, double exponent, double *out) {
  enum { MOST = 64 };
  static double values[MOST], vectors[MOST * MOST];
  kgt_eigen(a, n, values, vectors);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      out[i * n + j] = 0;
      for (size_t k = 0; k < n; k++) out[i * n + j] += vectors[i * n + k] * vectors[j * n + k] * pow(fmax(values[k], 0) + added, exponent);
    }
}

void kgt_moments(kgt_bases u, const double *x, const double *g, size_t batch, size_t bias, double scale, double decay, double *moments) {
  size_t n = u.side_a - bias;
  for (size_t i = 0; i < u.side_g && batch; i++)
    for (size_t j = 0; j < u.side_a; j++) {
      double sum = 0;
      for (size_t s = 0; s < batch; s++) {
        double along = 0;
        for (size_t k = 0; k < u.side_g; k++)
          for (size_t l = 0; l < u.side_a; l++)
            along += u.g[k * u.side_g + i] * g[s * u.side_g + k] * (l < n ? x[s * n + l] : 1) * u.a[l * u.side_a + j];
        sum += along * along;
      }
      double *m = &moments[i * u.side_a + j];
      *m = decay * *m + (1 - decay) * scale * sum / (double)batch;
    }
}

double kgt_scaled(kgt_bases u, const double *dw, const double *moments, double added, double *v) {
  size_t n = u.side_g * u.side_a;
  double slope = 0;
  memset(v, 0, n * sizeof *v);
  for (size_t i = 0; i < u.side_g; i++)
    for (size_t j = 0; j < u.side_a; j++) {
      double along = 0, damped = moments[i * u.side_a + j] + added;
      for (size_t e = 0; e < n; e++) along += u.g[e / u.side_a * u.side_g + i] * dw[e] * u.a[e % u.side_a * u.side_a + j];
      for (size_t e = 0; e < n && damped > 0; e++)
        v[e] += u.g[e / u.side_a * u.side_g + i] * u.a[e % u.side_a * u.side_a + j] * along / damped;
    }
  for (size_t e = 0; e < n; e++) slope += v[e] * dw[e];
  return slope;
}
