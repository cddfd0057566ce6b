#include "bench/cpu/hand.h"

#include <stddef.h>

#ifdef BENCH_OPENBLAS
#include <cblas.h>

static void matmul(const uint32_t *size, void *const *array) {
  int m = (int)size[0], n = (int)size[1], k = (int)size[2];
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, array[0], k, array[1], n, 0, array[2], n);
}

static void matmul_gradient(const uint32_t *size, void *const *array) {
  int m = (int)size[0], n = (int)size[1], k = (int)size[2];
  matmul(size, array);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, k, n, 1, array[3], n, array[1], n, 0, array[4], k);
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, k, n, m, 1, array[0], k, array[3], n, 0, array[5], n);
}

const bench_hand_kernel bench_hand_blas[] = {{"matmul", matmul, matmul_gradient}, {NULL, NULL, NULL}};

void bench_blas_set_threads(int count) { openblas_set_num_threads(count ? count : openblas_get_num_procs()); }
const char *bench_blas_name(void) { return openblas_get_config(); }
#else
const bench_hand_kernel bench_hand_blas[] = {{NULL, NULL, NULL}};

void bench_blas_set_threads(int count) { (void)count; }
const char *bench_blas_name(void) { return NULL; }
#endif
