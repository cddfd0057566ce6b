#include "tests/primitives/steps.h"
#include "tests/primitives/kfac_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void kgt_sgd(size_t n, const double *g, double *velocity, double *w, double rate, double momentum, double decay, int nesterov) {
  for (size_t i = 0; i < n; i++) {
    double s = g[i] + decay * w[i];
    velocity[i] = momentum * velocity[i] + s;
    w[i] -= rate * (nesterov ? s + momentum * velocity[i] : velocity[i]);
  }
}

void kgt_adam(size_t n, const double *g, double *m, double *v, double *w, double t, kgt_adam_params p) {
  for (size_t i = 0; i < n; i++) {
    double s = p.apart ? g[i] : g[i] + p.decay * w[i];
    m[i] = p.beta1 * m[i] + (1 - p.beta1) * s;
    v[i] = p.beta2 * v[i] + (1 - p.beta2) * s * s;
    double mean = m[i] / (1 - pow(p.beta1, t)), spread = v[i] / (1 - pow(p.beta2, t));
    double step = mean / (sqrt(spread) + p.epsilon);
    w[i] -= p.rate * (p.apart ? step + p.decay * w[i] : step);
  }
}

void kgt_lion(size_t n, const double *g, double *m, double *w, double rate, double beta1, double beta2, double decay) {
  for (size_t i = 0; i < n; i++) {
    double blend = beta1 * m[i] + (1 - beta1) * g[i];
    w[i] -= rate * ((blend > 0) - (blend < 0) + decay * w[i]);
    m[i] = beta2 * m[i] + (1 - beta2) * g[i];
  }
}

enum { MOST = 64 };

/* c = a b, or a b^T: m by n, from sums of k. */
static void product(size_t m, size_t n, size_t k, const double *a, const double *b, int turned, double *c) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      c[i * n + j] = 0;
      for (size_t l = 0; l < k; l++) c[i * n + j] += a[i * k + l] * (turned ? b[j * k + l] : b[l * n + j]);
    }
}

void kgt_muon(size_t rows, size_t columns, const double *g, double *velocity, double *w, kgt_muon_params p) {
  static double x[MOST * MOST], next[MOST * MOST], a[MOST * MOST], square[MOST * MOST];
  size_t n = rows * columns;
  double norm = 0;
  if (rows > MOST || columns > MOST) abort();
  for (size_t i = 0; i < n; i++) {
    velocity[i] = p.momentum * velocity[i] + g[i];
    x[i] = g[i] + p.momentum * velocity[i];
    norm += x[i] * x[i];
  }
  for (size_t i = 0; i < n; i++) x[i] = norm > 0 ? x[i] / sqrt(norm) : 0;
  for (int k = 0; k < p.rounds; k++) {
    product(rows, rows, columns, x, x, 1, a);
    product(rows, rows, rows, a, a, 0, square);
    for (size_t i = 0; i < rows * rows; i++) a[i] = -4.775 * a[i] + 2.0315 * square[i];
    product(rows, columns, rows, a, x, 0, next);
    for (size_t i = 0; i < n; i++) x[i] = 3.4445 * x[i] + next[i];
  }
  for (size_t i = 0; i < n; i++) w[i] -= p.rate * (sqrt(fmax(1, (double)rows / (double)columns)) * x[i] + p.decay * w[i]);
}

void kgt_shampoo(size_t rows, size_t columns, const double *g, double *l, double *r, double *velocity, double *w, kgt_shampoo_params p) {
  static double left[MOST * MOST], right[MOST * MOST], half[MOST * MOST], v[MOST * MOST];
  if (rows > MOST || columns > MOST) abort();
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < rows; j++) {
      l[i * rows + j] *= p.decay;
      for (size_t k = 0; k < columns; k++) l[i * rows + j] += g[i * columns + k] * g[j * columns + k];
    }
  for (size_t i = 0; i < columns; i++)
    for (size_t j = 0; j < columns; j++) {
      r[i * columns + j] *= p.decay;
      for (size_t k = 0; k < rows; k++) r[i * columns + j] += g[k * columns + i] * g[k * columns + j];
    }
  kgt_power(l, rows, p.epsilon, -0.25, left);
  kgt_power(r, columns, p.epsilon, -0.25, right);
  product(rows, columns, rows, left, g, 0, half);
  product(rows, columns, columns, half, right, 0, v);
  for (size_t i = 0; i < rows * columns; i++) {
    velocity[i] = p.momentum * velocity[i] + v[i];
    w[i] -= p.rate * (velocity[i] + p.weight_decay * w[i]);
  }
}

double kgt_learning_rate(double t, double warmup, double total, double least, int shape) {
  if (t < warmup) return t / warmup;
  double share = shape ? fmin((t - warmup) / (total - warmup), 1) : 0;
  if (shape == 1) return 1 - (1 - least) * share;
  return shape == 0 ? 1 : least + (1 - least) * (1 + cos(acos(-1) * share)) / 2;
}
