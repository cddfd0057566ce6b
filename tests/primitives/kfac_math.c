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
