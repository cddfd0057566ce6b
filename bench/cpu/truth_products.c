#include "bench/cpu/hand.h"
#include "bench/cpu/truth.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void clear(double *at, size_t count) { memset(at, 0, count * sizeof *at); }

void bench_truth_matmul(const uint32_t *size, void *const *array, double *const *truth) {
  size_t m = size[0], n = size[1], k = size[2];
  const float *a = array[0], *b = array[1], *grad_c = array[3];
  double *c = truth[2], *grad_a = truth[4], *grad_b = truth[5];
  clear(c, m * n), clear(grad_a, m * k), clear(grad_b, k * n);
  for (size_t i = 0; i < m; i++)
    for (size_t l = 0; l < k; l++)
      for (size_t j = 0; j < n; j++) {
        c[i * n + j] += (double)a[i * k + l] * b[l * n + j];
        grad_a[i * k + l] += (double)grad_c[i * n + j] * b[l * n + j];
        grad_b[l * n + j] += (double)grad_c[i * n + j] * a[i * k + l];
      }
}

/* ---- attention ---- */

enum { D = BENCH_HEAD_DIM };

/* The arrays of a query, and the beginnings of those of its head. */
typedef struct query {
  size_t keys;
  const float *q, *k, *v, *grad_y;
  double *y, *grad_q, *grad_k, *grad_v;
} query;

/* weight[j] = exp(score[j]) / sum; `grad_weight` has room for a derivative of each. */
static void attend(const query *q, double *weight, double *grad_weight) {
  double sum = 0, grad_sum = 0;
  for (size_t j = 0; j < q->keys; j++) {
    double score = 0;
    for (size_t d = 0; d < D; d++) score += (double)q->q[d] * q->k[j * D + d] / sqrt(D);
    weight[j] = exp(score), sum += weight[j];
  }
  for (size_t j = 0; j < q->keys; j++) {
    weight[j] /= sum, grad_weight[j] = 0;
    for (size_t d = 0; d < D; d++) {
      q->y[d] += weight[j] * q->v[j * D + d];
      grad_weight[j] += (double)q->grad_y[d] * q->v[j * D + d];
      q->grad_v[j * D + d] += weight[j] * q->grad_y[d];
    }
    grad_sum -= grad_weight[j] * weight[j] / sum;
  }
  for (size_t j = 0; j < q->keys; j++) {
    double grad_score = (grad_weight[j] / sum + grad_sum) * weight[j] * sum;
    for (size_t d = 0; d < D; d++) {
      q->grad_q[d] += grad_score * q->k[j * D + d] / sqrt(D);
      q->grad_k[j * D + d] += grad_score * q->q[d] / sqrt(D);
    }
  }
}

void bench_truth_attention(const uint32_t *size, void *const *array, double *const *truth) {
  size_t heads = size[0], queries = size[1], keys = size[2], of_queries = heads * queries * D, of_keys = heads * keys * D;
  const float *q = array[0], *k = array[1], *v = array[2], *grad_y = array[4];
  double *y = truth[3], *grad_q = truth[5], *grad_k = truth[6], *grad_v = truth[7], *room = malloc(2 * keys * sizeof *room);
  clear(y, of_queries), clear(grad_q, of_queries), clear(grad_k, of_keys), clear(grad_v, of_keys);
  if (!room) return; /* the comparison of results says that all are wrong */
  for (size_t i = 0; i < heads * queries; i++) {
    size_t head = i / queries * keys * D;
    attend(&(query){keys, q + i * D, k + head, v + head, grad_y + i * D, y + i * D, grad_q + i * D, grad_k + head, grad_v + head}, room,
           room + keys);
  }
  free(room);
}

/* ---- convolution: 3 by 3, with a row of zeros on each side ---- */

/* From channel `x` to channel `y` of a picture, with the weights `w`. */
static void convolve(size_t height, size_t width, const float *x, const float *w, double *y, const float *grad_y, double *grad_x,
                     double *grad_w) {
  for (size_t i = 0; i < height; i++)
    for (size_t j = 0; j < width; j++)
      for (size_t k = 0; k < 3; k++)
        for (size_t l = 0; l < 3; l++) {
          size_t to = i * width + j, from = (i + k - 1) * width + (j + l - 1);
          if (i + k < 1 || i + k > height || j + l < 1 || j + l > width) continue;
          y[to] += (double)x[from] * w[k * 3 + l];
          grad_x[from] += (double)grad_y[to] * w[k * 3 + l];
          grad_w[k * 3 + l] += (double)grad_y[to] * x[from];
        }
}

void bench_truth_conv2d(const uint32_t *size, void *const *array, double *const *truth) {
  size_t batch = size[0], in = size[1], out = size[2], plane = (size_t)size[3] * size[4];
  const float *x = array[0], *w = array[1], *bias = array[2], *grad_y = array[4];
  double *y = truth[3], *grad_x = truth[5], *grad_w = truth[6], *grad_bias = truth[7];
  clear(grad_x, batch * in * plane), clear(grad_w, out * in * 9), clear(grad_bias, out);
  for (size_t b = 0; b < batch; b++)
    for (size_t o = 0; o < out; o++) {
      size_t to = (b * out + o) * plane;
      for (size_t e = 0; e < plane; e++) y[to + e] = bias[o], grad_bias[o] += grad_y[to + e];
      for (size_t c = 0; c < in; c++) {
        size_t from = (b * in + c) * plane, weights = (o * in + c) * 9;
        convolve(size[3], size[4], x + from, w + weights, y + to, grad_y + to, grad_x + from, grad_w + weights);
      }
    }
}
