#include "bench/cpu/truth.h"

#include <math.h>
#include <stddef.h>

/* The kernels' defaults, as they are as floats. */
static const double epsilon = 1e-5f, a = 1.5, b = 0.25;

void bench_truth_chain(const uint32_t *size, void *const *array, double *const *truth) {
  const float *x = array[0], *grad_y = array[2];
  for (size_t i = 0; i < size[0]; i++) {
    double v = x[i], t = tanh(a * v + b), e = exp(-v * v);
    double grad_t = grad_y[i] * e, grad_e = grad_y[i] * t;
    truth[1][i] = t * e;
    truth[3][i] = grad_t * (1 - t * t) * a + grad_e * e * (-2 * v);
  }
}

void bench_truth_softmax(const uint32_t *size, void *const *array, double *const *truth) {
  size_t width = size[1];
  for (size_t i = 0; i < size[0]; i++) {
    const float *x = (const float *)array[0] + i * width, *grad_y = (const float *)array[2] + i * width;
    double *y = truth[1] + i * width, *grad_x = truth[3] + i * width, sum = 0, grad_sum = 0;
    for (size_t j = 0; j < width; j++) sum += exp(x[j]);
    for (size_t j = 0; j < width; j++) {
      y[j] = exp(x[j]) / sum;
      grad_sum -= grad_y[j] * exp(x[j]) / (sum * sum);
    }
    for (size_t j = 0; j < width; j++) grad_x[j] = (grad_y[j] / sum + grad_sum) * exp(x[j]);
  }
}

void bench_truth_layer_norm(const uint32_t *size, void *const *array, double *const *truth) {
  const float *scale = array[1], *shift = array[2];
  double *grad_scale = truth[6], *grad_shift = truth[7];
  size_t width = size[1];
  for (size_t j = 0; j < width; j++) grad_scale[j] = grad_shift[j] = 0;
  for (size_t i = 0; i < size[0]; i++) {
    const float *x = (const float *)array[0] + i * width, *grad_y = (const float *)array[4] + i * width;
    double *y = truth[3] + i * width, *grad_x = truth[5] + i * width;
    double mean = 0, variance = 0, grad_mean = 0, grad_inverse = 0;
    for (size_t j = 0; j < width; j++) mean += x[j] / (double)width;
    for (size_t j = 0; j < width; j++) variance += (x[j] - mean) * (x[j] - mean) / (double)width;
    double inverse = 1 / sqrt(variance + epsilon);
    for (size_t j = 0; j < width; j++) {
      double grad_n = grad_y[j] * (double)scale[j];
      y[j] = (x[j] - mean) * inverse * scale[j] + shift[j];
      grad_scale[j] += grad_y[j] * (x[j] - mean) * inverse;
      grad_shift[j] += grad_y[j];
      grad_inverse += grad_n * (x[j] - mean);
      grad_mean -= grad_n * inverse;
    }
    double grad_variance = grad_inverse * -0.5 * inverse * inverse * inverse;
    for (size_t j = 0; j < width; j++) {
      double grad_square = grad_variance / (double)width;
      grad_x[j] = grad_y[j] * (double)scale[j] * inverse + grad_square * 2 * (x[j] - mean) + grad_mean / (double)width;
    }
  }
}

void bench_truth_rms_norm(const uint32_t *size, void *const *array, double *const *truth) {
  const float *scale = array[1];
  double *grad_scale = truth[5];
  size_t width = size[1];
  for (size_t j = 0; j < width; j++) grad_scale[j] = 0;
  for (size_t i = 0; i < size[0]; i++) {
    const float *x = (const float *)array[0] + i * width, *grad_y = (const float *)array[3] + i * width;
    double *y = truth[2] + i * width, *grad_x = truth[4] + i * width, mean = 0, grad_inverse = 0;
    for (size_t j = 0; j < width; j++) mean += (double)x[j] * x[j] / (double)width;
    double inverse = 1 / sqrt(mean + epsilon);
    for (size_t j = 0; j < width; j++) {
      y[j] = x[j] * inverse * scale[j];
      grad_scale[j] += grad_y[j] * inverse * x[j];
      grad_inverse += (double)grad_y[j] * scale[j] * x[j];
    }
    double grad_mean = grad_inverse * -0.5 * inverse * inverse * inverse;
    for (size_t j = 0; j < width; j++) grad_x[j] = grad_y[j] * (double)scale[j] * inverse + grad_mean * 2 * x[j] / (double)width;
  }
}

void bench_truth_logistic_regression(const uint32_t *size, void *const *array, double *const *truth) {
  const float *x = array[0], *target = array[1], *w = array[2], *bias = array[3], *grad_y = array[5];
  double *y = truth[4], *grad_w = truth[6], *grad_bias = truth[7];
  size_t width = size[1];
  for (size_t j = 0; j < width; j++) grad_w[j] = 0;
  *grad_bias = 0;
  for (size_t i = 0; i < size[0]; i++) {
    double z = *bias;
    for (size_t j = 0; j < width; j++) z += (double)w[j] * x[i * width + j];
    double p = 1 / (1 + exp(-z)), grad_p = -target[i] / p + (1 - (double)target[i]) / (1 - p);
    double grad_z = grad_y[i] * grad_p * p * (1 - p);
    y[i] = -target[i] * log(p) - (1 - (double)target[i]) * log(1 - p);
    for (size_t j = 0; j < width; j++) grad_w[j] += grad_z * x[i * width + j];
    *grad_bias += grad_z;
  }
}

void bench_truth_lookup(const uint32_t *size, void *const *array, double *const *truth) {
  const float *table = array[0], *grad_y = array[3];
  const uint32_t *words = array[1];
  double *y = truth[2], *grad_table = truth[4];
  size_t width = size[1];
  for (size_t k = 0; k < size[0] * width; k++) grad_table[k] = 0;
  for (size_t i = 0; i < size[2]; i++)
    for (size_t j = 0; j < width; j++) {
      y[i * width + j] = 0;
      for (size_t k = 0; k < size[3]; k++) {
        size_t at = words[i * size[3] + k] * width + j;
        y[i * width + j] += table[at];
        grad_table[at] += grad_y[i * width + j];
      }
    }
}

void bench_truth_dot(const uint32_t *size, void *const *array, double *const *truth) {
  const float *u = array[0], *v = array[1], *grad_y = array[3];
  *truth[2] = 0;
  for (size_t i = 0; i < size[0]; i++) {
    *truth[2] += (double)u[i] * v[i];
    truth[4][i] = (double)*grad_y * v[i];
    truth[5][i] = (double)*grad_y * u[i];
  }
}

void bench_truth_gather(const uint32_t *size, void *const *array, double *const *truth) {
  const float *x = array[0], *grad_y = array[3];
  const uint32_t *index = array[1];
  for (size_t i = 0; i < size[1]; i++) truth[4][i] = 0;
  for (size_t i = 0; i < size[0]; i++) {
    truth[2][i] = x[index[i]];
    truth[4][index[i]] += grad_y[i];
  }
}
