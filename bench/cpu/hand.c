/* Compiled twice: BENCH_FAST is set where -ffast-math is. */
#include "bench/cpu/hand.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef BENCH_FAST
#define KERNELS bench_hand_fast
#define THREADS bench_hand_threads_fast
#else
#define KERNELS bench_hand_plain
#define THREADS bench_hand_threads_plain
#endif

#ifdef _OPENMP
int THREADS(void) { return omp_get_max_threads(); }
static size_t thread(void) { return (size_t)omp_get_thread_num(); }
static size_t team(void) { return (size_t)omp_get_num_threads(); }
#else
int THREADS(void) { return 0; }
static size_t thread(void) { return 0; }
static size_t team(void) { return 1; }
#endif

/* ---- elements ---- */

static void chain(const uint32_t *size, void *const *array) {
  const float a = 1.5f, b = 0.25f, *restrict x = array[0];
  float *restrict y = array[1];
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < size[0]; i++) y[i] = tanhf(a * x[i] + b) * expf(-x[i] * x[i]);
}

static void chain_gradient(const uint32_t *size, void *const *array) {
  const float a = 1.5f, b = 0.25f, *restrict x = array[0], *restrict grad_y = array[2];
  float *restrict y = array[1], *restrict grad_x = array[3];
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < size[0]; i++) {
    float t = tanhf(a * x[i] + b), e = expf(-x[i] * x[i]);
    y[i] = t * e;
    grad_x[i] = grad_y[i] * e * (a * (1 - t * t) - 2 * x[i] * t);
  }
}

/* ---- rows ---- */

static void softmax_row(size_t width, const float *restrict x, float *restrict y) {
  float best = -INFINITY, sum = 0;
#pragma omp simd reduction(max : best)
  for (size_t j = 0; j < width; j++) best = x[j] > best ? x[j] : best;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < width; j++) {
    y[j] = expf(x[j] - best);
    sum += y[j];
  }
  float inverse = 1 / sum;
#pragma omp simd
  for (size_t j = 0; j < width; j++) y[j] *= inverse;
}

static void softmax(const uint32_t *size, void *const *array) {
  const float *x = array[0];
  float *y = array[1];
  size_t width = size[1];
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < size[0]; i++) softmax_row(width, x + i * width, y + i * width);
}

static void softmax_row_gradient(size_t width, const float *restrict y, const float *restrict grad_y, float *restrict grad_x) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < width; j++) sum += grad_y[j] * y[j];
#pragma omp simd
  for (size_t j = 0; j < width; j++) grad_x[j] = y[j] * (grad_y[j] - sum);
}

static void softmax_gradient(const uint32_t *size, void *const *array) {
  const float *x = array[0], *grad_y = array[2];
  float *y = array[1], *grad_x = array[3];
  size_t width = size[1];
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < size[0]; i++) {
    softmax_row(width, x + i * width, y + i * width);
    softmax_row_gradient(width, y + i * width, grad_y + i * width, grad_x + i * width);
  }
}

/* The mean of a row, and the inverse of its standard deviation. */
static void moments(size_t width, const float *restrict x, float *mean, float *inverse) {
  float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < width; j++) sum += x[j];
  float middle = sum / (float)width;
#pragma omp simd reduction(+ : squares)
  for (size_t j = 0; j < width; j++) squares += (x[j] - middle) * (x[j] - middle);
  *mean = middle;
  *inverse = 1 / sqrtf(squares / (float)width + 1e-5f);
}

static void layer_norm(const uint32_t *size, void *const *array) {
  const float *x = array[0], *restrict scale = array[1], *restrict shift = array[2];
  float *y = array[3];
  size_t width = size[1];
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < size[0]; i++) {
    const float *restrict from = x + i * width;
    float *restrict to = y + i * width, mean, inverse;
    moments(width, from, &mean, &inverse);
#pragma omp simd
    for (size_t j = 0; j < width; j++) to[j] = (from[j] - mean) * inverse * scale[j] + shift[j];
  }
}

/* With g = grad_y scale and n the normalised x: grad_x = inverse (g - mean of g - n mean of g n). */
static void layer_norm_gradient(const uint32_t *size, void *const *array) {
  const float *x = array[0], *restrict scale = array[1], *restrict shift = array[2], *all_grad_y = array[4];
  float *y = array[3], *grad_x = array[5], *grad_scale = array[6], *grad_shift = array[7];
  size_t width = size[1];
  memset(grad_scale, 0, width * sizeof *grad_scale);
  memset(grad_shift, 0, width * sizeof *grad_shift);
#pragma omp parallel for schedule(static) reduction(+ : grad_scale[:width], grad_shift[:width])
  for (size_t i = 0; i < size[0]; i++) {
    const float *restrict from = x + i * width, *restrict grad_y = all_grad_y + i * width;
    float *restrict to = y + i * width, *restrict grad = grad_x + i * width, mean, inverse, sum = 0, sum_n = 0;
    moments(width, from, &mean, &inverse);
#pragma omp simd reduction(+ : sum, sum_n)
    for (size_t j = 0; j < width; j++) {
      float n = (from[j] - mean) * inverse, g = grad_y[j] * scale[j];
      to[j] = n * scale[j] + shift[j];
      sum += g;
      sum_n += g * n;
      grad_scale[j] += grad_y[j] * n;
      grad_shift[j] += grad_y[j];
    }
    sum /= (float)width, sum_n /= (float)width;
#pragma omp simd
    for (size_t j = 0; j < width; j++) {
      float n = (from[j] - mean) * inverse;
      grad[j] = inverse * (grad_y[j] * scale[j] - sum - n * sum_n);
    }
  }
}

static float inverse_root(size_t width, const float *restrict x) {
  float squares = 0;
#pragma omp simd reduction(+ : squares)
  for (size_t j = 0; j < width; j++) squares += x[j] * x[j];
  return 1 / sqrtf(squares / (float)width + 1e-5f);
}

static void rms_norm(const uint32_t *size, void *const *array) {
  const float *x = array[0], *restrict scale = array[1];
  float *y = array[2];
  size_t width = size[1];
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < size[0]; i++) {
    const float *restrict from = x + i * width;
    float *restrict to = y + i * width, inverse = inverse_root(width, from);
#pragma omp simd
    for (size_t j = 0; j < width; j++) to[j] = from[j] * inverse * scale[j];
  }
}

/* With g = grad_y scale and n the normalised x: grad_x = inverse (g - n mean of g n). */
static void rms_norm_gradient(const uint32_t *size, void *const *array) {
  const float *x = array[0], *restrict scale = array[1], *all_grad_y = array[3];
  float *y = array[2], *grad_x = array[4], *grad_scale = array[5];
  size_t width = size[1];
  memset(grad_scale, 0, width * sizeof *grad_scale);
#pragma omp parallel for schedule(static) reduction(+ : grad_scale[:width])
  for (size_t i = 0; i < size[0]; i++) {
    const float *restrict from = x + i * width, *restrict grad_y = all_grad_y + i * width;
    float *restrict to = y + i * width, *restrict grad = grad_x + i * width, inverse = inverse_root(width, from), sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < width; j++) {
      float n = from[j] * inverse;
      to[j] = n * scale[j];
      sum += grad_y[j] * scale[j] * n;
      grad_scale[j] += grad_y[j] * n;
    }
    sum /= (float)width;
#pragma omp simd
    for (size_t j = 0; j < width; j++) grad[j] = inverse * (grad_y[j] * scale[j] - from[j] * inverse * sum);
  }
}

/* ---- sums ---- */

static float product(size_t count, const float *restrict a, const float *restrict b) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < count; j++) sum += a[j] * b[j];
  return sum;
}

/* log(1 + exp(z)) of which `e` is exp(-|z|), less what the target takes away. */
static float loss(float z, float e, float target) { return (z > 0 ? z : 0) + log1pf(e) - z * target; }

static void logistic_regression(const uint32_t *size, void *const *array) {
  const float *x = array[0], *restrict target = array[1], *restrict w = array[2], bias = *(const float *)array[3];
  float *restrict y = array[4];
  size_t width = size[1];
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < size[0]; i++) {
    float z = bias + product(width, w, x + i * width);
    y[i] = loss(z, expf(-fabsf(z)), target[i]);
  }
}

static void logistic_regression_gradient(const uint32_t *size, void *const *array) {
  const float *x = array[0], *restrict target = array[1], *restrict w = array[2], bias = *(const float *)array[3];
  const float *restrict grad_y = array[5];
  float *restrict y = array[4], *grad_w = array[6], *grad_bias = array[7], sum = 0;
  size_t width = size[1];
  memset(grad_w, 0, width * sizeof *grad_w);
#pragma omp parallel for schedule(static) reduction(+ : sum, grad_w[:width])
  for (size_t i = 0; i < size[0]; i++) {
    const float *restrict row = x + i * width;
    float z = bias + product(width, w, row), e = expf(-fabsf(z));
    y[i] = loss(z, e, target[i]);
    float g = grad_y[i] * ((z > 0 ? 1 : e) / (1 + e) - target[i]);
#pragma omp simd
    for (size_t j = 0; j < width; j++) grad_w[j] += g * row[j];
    sum += g;
  }
  *grad_bias = sum;
}

static void dot(const uint32_t *size, void *const *array) {
  const float *restrict a = array[0], *restrict b = array[1];
  float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (size_t i = 0; i < size[0]; i++) sum += a[i] * b[i];
  *(float *)array[2] = sum;
}

static void dot_gradient(const uint32_t *size, void *const *array) {
  const float *restrict a = array[0], *restrict b = array[1], g = *(const float *)array[3];
  float *restrict grad_a = array[4], *restrict grad_b = array[5], sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (size_t i = 0; i < size[0]; i++) {
    sum += a[i] * b[i];
    grad_a[i] = g * b[i];
    grad_b[i] = g * a[i];
  }
  *(float *)array[2] = sum;
}

/* ---- picks ---- */

static void lookup(const uint32_t *size, void *const *array) {
  const float *table = array[0];
  const uint32_t *words = array[1];
  float *y = array[2];
  size_t width = size[1], per_bag = size[3];
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < size[2]; i++) {
    float *restrict sum = y + i * width;
    memset(sum, 0, width * sizeof *sum);
    for (size_t k = 0; k < per_bag; k++) {
      const float *restrict row = table + words[i * per_bag + k] * width;
#pragma omp simd
      for (size_t j = 0; j < width; j++) sum[j] += row[j];
    }
  }
}

/* Each thread goes through all words and adds to the rows of its own. Atomic adds took several times as long, and copies of the
 * table for each thread no less. */
static void lookup_gradient(const uint32_t *size, void *const *array) {
  const uint32_t *words = array[1];
  const float *grad_y = array[3];
  float *grad_table = array[4];
  size_t width = size[1], per_bag = size[3];
  lookup(size, array);
#pragma omp parallel
  {
    size_t first = size[0] * thread() / team(), end = size[0] * (thread() + 1) / team();
    memset(grad_table + first * width, 0, (end - first) * width * sizeof *grad_table);
    for (size_t k = 0; k < size[2] * per_bag; k++) {
      if (words[k] < first || words[k] >= end) continue;
      const float *restrict from = grad_y + k / per_bag * width;
      float *restrict to = grad_table + words[k] * width;
#pragma omp simd
      for (size_t j = 0; j < width; j++) to[j] += from[j];
    }
  }
}

static void gather(const uint32_t *size, void *const *array) {
  const float *restrict x = array[0];
  const uint32_t *restrict index = array[1];
  float *restrict y = array[2];
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < size[0]; i++) y[i] = x[index[i]];
}

/* Each thread adds to a copy of its own, the first one to the gradient itself. Atomic adds took several times as long on two
 * threads. */
static void gather_gradient(const uint32_t *size, void *const *array) {
  const uint32_t *restrict index = array[1];
  const float *restrict grad_y = array[3];
  float *grad_x = array[4], *copies = malloc(((size_t)THREADS() + 1) * size[1] * sizeof *copies);
  if (!copies) return; /* the comparison of results says that it is wrong */
  gather(size, array);
#pragma omp parallel
  {
    float *own = thread() ? copies + (thread() - 1) * size[1] : grad_x;
    memset(own, 0, size[1] * sizeof *own);
#pragma omp for schedule(static)
    for (size_t i = 0; i < size[0]; i++) own[index[i]] += grad_y[i];
    for (size_t k = 0; k + 1 < team(); k++) {
#pragma omp for simd schedule(static)
      for (size_t i = 0; i < size[1]; i++) grad_x[i] += copies[k * size[1] + i];
    }
  }
  free(copies);
}

const bench_hand_kernel KERNELS[] = {
    {"chain", chain, chain_gradient},
    {"softmax", softmax, softmax_gradient},
    {"layer_norm", layer_norm, layer_norm_gradient},
    {"rms_norm", rms_norm, rms_norm_gradient},
    {"logistic_regression", logistic_regression, logistic_regression_gradient},
    {"lookup", lookup, lookup_gradient},
    {"dot", dot, dot_gradient},
    {"gather", gather, gather_gradient},
    {NULL, NULL, NULL},
};
