/* What primitives compute, in double and straight from the formulas: for tests to compare with. Matrices are row-major. */
#ifndef TESTS_PRIMITIVES_MATH_H
#define TESTS_PRIMITIVES_MATH_H
#include <stddef.h>
#include <stdint.h>

void kgt_softmax(const float *x, size_t rows, size_t cols, double *y);
void kgt_layer_norm(const float *x, const float *scale, const float *shift, size_t rows, size_t cols, double epsilon, double *y);
/* c, and beside each element the sum of the absolute products, which bounds its rounding error. */
void kgt_matmul(const float *a, const float *b, size_t m, size_t n, size_t k, int transpose_a, int transpose_b, double *c,
                double *magnitude);

/* A symmetric matrix with eigenvalues spread evenly in the logarithm from `least` to `most`, in a random basis, rounded to f32. */
void kgt_symmetric(uint64_t *state, size_t n, double least, double most, float *a);
/* max over i, j of |(A + damping I) X - I|, in double. */
double kgt_inverse_residual(const float *a, const float *x, size_t n, double damping);

/* A word of Philox4x32-10 as the paper has it, of the counter (i, 0, 0, 0) and the key (key, 0). */
uint32_t kgt_philox(unsigned word, uint32_t i, uint32_t key);
#endif
