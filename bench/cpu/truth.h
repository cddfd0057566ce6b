/* What the kernels of bench/cpu.c should give: plain loops in double. They take derivatives step by step, as the chain rule says;
 * the kernels by hand use formulas in closed form. */
#ifndef BENCH_CPU_TRUTH_H
#define BENCH_CPU_TRUTH_H
#include <stdint.h>

/* Sizes and arrays as in hand.h. Outputs and gradients go to `truth`, which has an entry at their places. */
typedef void (*bench_truth)(const uint32_t *size, void *const *array, double *const *truth);

void bench_truth_chain(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_softmax(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_layer_norm(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_rms_norm(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_logistic_regression(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_lookup(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_dot(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_gather(const uint32_t *size, void *const *array, double *const *truth);
/* truth_products.c */
void bench_truth_matmul(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_attention(const uint32_t *size, void *const *array, double *const *truth);
void bench_truth_conv2d(const uint32_t *size, void *const *array, double *const *truth);
#endif
