/* What is made of products of matrices: the product itself, attention, and convolution. */
#include "bench/cpu/hand.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
void bench_hand_set_threads(int count) {
  static int usual; /* OMP_NUM_THREADS, or the processors */
  if (!usual) usual = omp_get_max_threads();
  omp_set_num_threads(count ? count : usual);
}
#else
void bench_hand_set_threads(int count) { (void)count; }
#endif

/* ---- products ---- */

/* Element (i, j) is at[i * down + j * right]. */
typedef struct matrix { const float *at; size_t down, right; } matrix;

enum { ROWS = 6, COLUMNS = 32 }; /* of a tile whose sums stay in registers */

/* Elements of c = a b, or c += a b, whose sums have k terms; rows of b and c are n apart. */
static inline __attribute__((always_inline)) void tile(size_t rows, size_t columns, size_t k, matrix a, const float *restrict b, size_t n,
                                                       float *restrict c, int add) {
  float sum[ROWS][COLUMNS] = {{0}};
  for (size_t l = 0; l < k; l++)
    for (size_t i = 0; i < rows; i++)
#pragma omp simd
      for (size_t j = 0; j < columns; j++) sum[i][j] += a.at[i * a.down + l * a.right] * b[l * n + j];
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) c[i * n + j] = add ? c[i * n + j] + sum[i][j] : sum[i][j];
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* On one thread: c (m by n) = a (m by k) times b (k by n). */
static void multiply(size_t m, size_t n, size_t k, matrix a, const float *b, float *c, int add) {
  for (size_t j = 0; j < n; j += COLUMNS)
    for (size_t i = 0; i < m; i += ROWS) {
      matrix rows = {a.at + i * a.down, a.down, a.right};
      if (i + ROWS <= m && j + COLUMNS <= n) tile(ROWS, COLUMNS, k, rows, b + j, n, c + i * n + j, add);
      else tile(least(ROWS, m - i), least(COLUMNS, n - j), k, rows, b + j, n, c + i * n + j, add);
    }
}

/* On all threads, each some rows. */
static void multiply_all(size_t m, size_t n, size_t k, matrix a, const float *b, float *c) {
  enum { SHARE = 8 * ROWS };
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < m; i += SHARE)
    multiply(least(SHARE, m - i), n, k, (matrix){a.at + i * a.down, a.down, a.right}, b, c + i * n, 0);
}

/* to (n by m) = the transpose of from (m by n). */
static void transpose(size_t m, size_t n, const float *restrict from, float *restrict to) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) to[j * m + i] = from[i * n + j];
}

static void matmul(const uint32_t *size, void *const *array) {
  multiply_all(size[0], size[1], size[2], (matrix){array[0], size[2], 1}, array[1], array[2]);
}

static void matmul_gradient(const uint32_t *size, void *const *array) {
  size_t m = size[0], n = size[1], k = size[2];
  float *b_transposed = malloc(n * k * sizeof *b_transposed);
  if (!b_transposed) return; /* the comparison of results says that it is wrong */
  transpose(k, n, array[1], b_transposed);
  matmul(size, array);
  multiply_all(m, k, n, (matrix){array[3], n, 1}, b_transposed, array[4]);
  multiply_all(k, n, m, (matrix){array[0], 1, k}, array[3], array[5]);
  free(b_transposed);
}

/* ---- attention ---- */

enum { D = BENCH_HEAD_DIM };

/* weight (rows by keys) = the softmax of the queries' products with the keys, whose transpose is given. */
static void weigh(size_t rows, size_t keys, const float *query, const float *key_transposed, float *weight) {
  multiply(rows, keys, D, (matrix){query, D, 1}, key_transposed, weight, 0);
  for (size_t i = 0; i < rows; i++) {
    float *restrict row = weight + i * keys, best = -INFINITY, sum = 0, factor = 1 / sqrtf(D);
#pragma omp simd reduction(max : best)
    for (size_t j = 0; j < keys; j++) best = row[j] > best ? row[j] : best;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < keys; j++) {
      row[j] = expf(factor * (row[j] - best));
      sum += row[j];
    }
    float inverse = 1 / sum;
#pragma omp simd
    for (size_t j = 0; j < keys; j++) row[j] *= inverse;
  }
}

/* A thread has some queries of a head. */
static void attention(const uint32_t *size, void *const *array) {
  enum { SHARE = 8 * ROWS };
  size_t heads = size[0], queries = size[1], keys = size[2];
#pragma omp parallel
  {
    float *room = malloc(keys * (D + SHARE) * sizeof *room), *weight = room + keys * D;
#pragma omp for schedule(dynamic) collapse(2)
    for (size_t h = 0; h < heads; h++)
      for (size_t i = 0; i < queries; i += SHARE) {
        size_t rows = least(SHARE, queries - i), at = (h * queries + i) * D;
        if (!room) continue;
        transpose(keys, D, (float *)array[1] + h * keys * D, room);
        weigh(rows, keys, (float *)array[0] + at, room, weight);
        multiply(rows, D, keys, (matrix){weight, keys, 1}, (float *)array[2] + h * keys * D, (float *)array[3] + at, 0);
      }
    free(room);
  }
}

/* score's cotangent from that of weight, in its place: w (g - sum of w g) / sqrt(D). */
static void softmax_back(size_t rows, size_t keys, const float *weight, float *grad) {
  for (size_t i = 0; i < rows; i++) {
    const float *restrict w = weight + i * keys;
    float *restrict g = grad + i * keys, sum = 0, factor = 1 / sqrtf(D);
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < keys; j++) sum += w[j] * g[j];
#pragma omp simd
    for (size_t j = 0; j < keys; j++) g[j] = factor * w[j] * (g[j] - sum);
  }
}

/* All of a head: its weights and their derivatives are kept whole. */
static void head_gradient(size_t queries, size_t keys, float *const *at, float *transposed, float *weight, float *grad) {
  float *q = at[0], *k = at[1], *v = at[2], *y = at[3], *grad_y = at[4];
  transpose(keys, D, k, transposed);
  weigh(queries, keys, q, transposed, weight);
  multiply(queries, D, keys, (matrix){weight, keys, 1}, v, y, 0);
  transpose(keys, D, v, transposed);
  multiply(queries, keys, D, (matrix){grad_y, D, 1}, transposed, grad, 0);
  softmax_back(queries, keys, weight, grad);
  multiply(queries, D, keys, (matrix){grad, keys, 1}, k, at[5], 0);
  multiply(keys, D, queries, (matrix){grad, 1, keys}, q, at[6], 0);
  multiply(keys, D, queries, (matrix){weight, 1, keys}, grad_y, at[7], 0);
}

static void attention_gradient(const uint32_t *size, void *const *array) {
  static const int by_key[] = {0, 1, 1, 0, 0, 0, 1, 1}; /* whether an array has an element for each key */
  size_t heads = size[0], queries = size[1], keys = size[2];
#pragma omp parallel
  {
    float *room = malloc(keys * (D + 2 * queries) * sizeof *room), *at[8];
#pragma omp for schedule(dynamic)
    for (size_t h = 0; h < heads; h++) {
      for (int k = 0; k < 8; k++) at[k] = (float *)array[k] + h * (by_key[k] ? keys : queries) * D;
      if (room) head_gradient(queries, keys, at, room, room + keys * D, room + keys * (D + queries));
    }
    free(room);
  }
}

/* ---- convolution: 3 by 3, with a row of zeros on each side ---- */

typedef struct shape { size_t in, out, height, width, plane, taps; } shape; /* taps: in times 9 */

static shape shape_of(const uint32_t *size) {
  return (shape){size[1], size[2], size[3], size[4], (size_t)size[3] * size[4], (size_t)size[1] * 9};
}

/* The part of a row that tap l of three sees: from column *first up to *end it sees column j + l - 1. */
static void seen(size_t width, size_t l, size_t *first, size_t *end) { *first = l == 0, *end = width - (l == 2); }

/* patches (taps by plane): what each tap sees of the picture x. */
static void spread(const shape *s, const float *x, float *patches) {
  memset(patches, 0, s->taps * s->plane * sizeof *patches);
  for (size_t t = 0; t < s->taps; t++) {
    size_t c = t / 9, k = t / 3 % 3, first, end;
    seen(s->width, t % 3, &first, &end);
    for (size_t i = k == 0; i + (k == 2) < s->height; i++) {
      const float *from = x + c * s->plane + (i + k - 1) * s->width + (first + t % 3 - 1);
      memcpy(patches + t * s->plane + i * s->width + first, from, (end - first) * sizeof *from);
    }
  }
}

/* grad_x = the sums of what patches of it took. */
static void gather(const shape *s, const float *restrict grad_patches, float *restrict grad_x) {
  memset(grad_x, 0, s->in * s->plane * sizeof *grad_x);
  for (size_t t = 0; t < s->taps; t++) {
    size_t c = t / 9, k = t / 3 % 3, first, end;
    seen(s->width, t % 3, &first, &end);
    for (size_t i = k == 0; i + (k == 2) < s->height; i++) {
      const float *from = grad_patches + t * s->plane + i * s->width + first;
      float *to = grad_x + c * s->plane + (i + k - 1) * s->width + (first + t % 3 - 1);
#pragma omp simd
      for (size_t j = 0; j < end - first; j++) to[j] += from[j];
    }
  }
}

static void convolve(const shape *s, const float *w, const float *bias, const float *patches, float *y) {
  for (size_t o = 0; o < s->out; o++)
    for (size_t e = 0; e < s->plane; e++) y[o * s->plane + e] = bias[o];
  multiply(s->out, s->plane, s->taps, (matrix){w, s->taps, 1}, patches, y, 1);
}

/* A thread has some pictures. */
static void conv2d(const uint32_t *size, void *const *array) {
  shape s = shape_of(size);
#pragma omp parallel
  {
    float *patches = malloc(s.taps * s.plane * sizeof *patches);
#pragma omp for schedule(static)
    for (size_t b = 0; b < size[0]; b++) {
      if (!patches) continue;
      spread(&s, (float *)array[0] + b * s.in * s.plane, patches);
      convolve(&s, array[1], array[2], patches, (float *)array[3] + b * s.out * s.plane);
    }
    free(patches);
  }
}

/* Of one picture; grad_w is transposed, taps by out. `room` is as large as patches. */
static void picture_gradient(const shape *s, const float *w, const float *grad_y, float *patches, float *room, float *grad_x, float *grad_w,
                             float *grad_bias) {
  transpose(s->out, s->plane, grad_y, room);
  multiply(s->taps, s->out, s->plane, (matrix){patches, s->plane, 1}, room, grad_w, 1);
  multiply(s->taps, s->plane, s->out, (matrix){w, 1, s->taps}, grad_y, room, 0);
  gather(s, room, grad_x);
  for (size_t o = 0; o < s->out; o++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t e = 0; e < s->plane; e++) sum += grad_y[o * s->plane + e];
    grad_bias[o] += sum;
  }
}

static void conv2d_gradient(const uint32_t *size, void *const *array) {
  shape s = shape_of(size);
  size_t weights = s.taps * s.out, most = (s.taps > s.out ? s.taps : s.out) * s.plane;
  float *sums = calloc(weights + s.out, sizeof *sums), *sums_bias = sums + weights;
  if (!sums) return; /* the comparison of results says that it is wrong */
#pragma omp parallel reduction(+ : sums[:weights + s.out])
  {
    float *patches = malloc(2 * most * sizeof *patches), *room = patches + most;
#pragma omp for schedule(static)
    for (size_t b = 0; b < size[0]; b++) {
      size_t in = b * s.in * s.plane, out = b * s.out * s.plane;
      if (!patches) continue;
      spread(&s, (float *)array[0] + in, patches);
      convolve(&s, array[1], array[2], patches, (float *)array[3] + out);
      picture_gradient(&s, array[1], (float *)array[4] + out, patches, room, (float *)array[5] + in, sums, sums + weights);
    }
    free(patches);
  }
  transpose(s.taps, s.out, sums, array[6]);
  memcpy(array[7], sums_bias, s.out * sizeof *sums);
  free(sums);
}

const bench_hand_kernel bench_hand_products[] = {
    {"matmul", matmul, matmul_gradient},
    {"attention", attention, attention_gradient},
    {"conv2d", conv2d, conv2d_gradient},
    {NULL, NULL, NULL},
};
