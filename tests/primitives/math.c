#include "tests/primitives/math.h"
#include "foundation/base/random.h"

#include <math.h>
#include <stdlib.h>

void kgt_softmax(const float *x, size_t rows, size_t cols, double *y) {
  for (size_t r = 0; r < rows; r++, x += cols, y += cols) {
    double best = -INFINITY, sum = 0;
    for (size_t c = 0; c < cols; c++) best = fmax(best, x[c]);
    for (size_t c = 0; c < cols; c++) sum += exp((double)x[c] - best);
    for (size_t c = 0; c < cols; c++) y[c] = exp((double)x[c] - best) / sum;
  }
}

void kgt_layer_norm(const float *x, const float *scale, const float *shift, size_t rows, size_t cols, double epsilon, double *y) {
  for (size_t r = 0; r < rows; r++, x += cols, y += cols) {
    double mean = 0, variance = 0;
    for (size_t c = 0; c < cols; c++) mean += x[c] / (double)cols;
    for (size_t c = 0; c < cols; c++) variance += (x[c] - mean) * (x[c] - mean) / (double)cols;
    for (size_t c = 0; c < cols; c++) y[c] = (x[c] - mean) / sqrt(variance + epsilon) * scale[c] + shift[c];
  }
}

void kgt_matmul(const float *a, const float *b, size_t m, size_t n, size_t k, int transpose_a, int transpose_b, double *c,
                double *magnitude) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0, absolute = 0;
      for (size_t l = 0; l < k; l++) {
        double p = (double)(transpose_a ? a[l * m + i] : a[i * k + l]) * (transpose_b ? b[j * k + l] : b[l * n + j]);
        sum += p, absolute += fabs(p);
      }
      c[i * n + j] = sum, magnitude[i * n + j] = absolute;
    }
}

/* a = H a H with H = I - 2 v v^T of a unit vector. */
static void reflect(double *a, const double *v, size_t n, double *t) {
  double middle = 0;
  for (size_t i = 0; i < n; i++) {
    t[i] = 0;
    for (size_t j = 0; j < n; j++) t[i] += a[i * n + j] * v[j];
    middle += v[i] * t[i];
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) a[i * n + j] += -2 * v[i] * t[j] - 2 * t[i] * v[j] + 4 * middle * v[i] * v[j];
}

void kgt_symmetric(uint64_t *state, size_t n, double least, double most, float *out) {
  double *a = calloc(n * n + 2 * n, sizeof *a), *v = a + n * n, *t = v + n;
  if (!a) abort();
  for (size_t i = 0; i < n; i++) a[i * n + i] = n > 1 ? least * pow(most / least, (double)i / (double)(n - 1)) : most;
  for (int round = 0; round < 4; round++) {
    double norm = 0;
    for (size_t i = 0; i < n; i++) v[i] = kgi_random_between(state, -1, 1), norm += v[i] * v[i];
    for (size_t i = 0; i < n; i++) v[i] /= sqrt(norm);
    reflect(a, v, n, t);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) out[i * n + j] = out[j * n + i] = (float)a[i * n + j];
  free(a);
}

double kgt_inverse_residual(const float *a, const float *x, size_t n, double damping) {
  double worst = 0, *row = malloc((n + 1) * sizeof *row);
  if (!row) abort();
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) row[j] = i == j ? -1 : 0;
    for (size_t l = 0; l < n; l++)
      for (size_t j = 0; j < n; j++) row[j] += ((double)a[i * n + l] + (i == l ? damping : 0)) * x[l * n + j];
    for (size_t j = 0; j < n; j++)
      if (!(fabs(row[j]) <= worst)) worst = fabs(row[j]);
  }
  free(row);
  return worst;
}

uint32_t kgt_philox(unsigned word, uint32_t i, uint32_t key) {
  uint32_t c[4] = {i}, k[2] = {key};
  for (int round = 0; round < 10; round++) {
    uint64_t p = (uint64_t)0xD2511F53 * c[0], q = (uint64_t)0xCD9E8D57 * c[2];
    uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k[1], (uint32_t)p};
    for (int w = 0; w < 4; w++) c[w] = next[w];
    k[0] += 0x9E3779B9, k[1] += 0xBB67AE85;
  }
  return c[word];
}
