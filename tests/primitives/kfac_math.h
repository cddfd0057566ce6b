/* K-FAC in double, straight from the formulas. Matrices are row-major. */
#ifndef TESTS_PRIMITIVES_KFAC_MATH_H
#define TESTS_PRIMITIVES_KFAC_MATH_H
#include <stdbool.h>
#include <stddef.h>

/* f becomes the running average of scale / batch x^T x at step t, with `bias` columns of ones behind the n of x. */
void kgt_factor(const double *x, size_t batch, size_t n, size_t bias, double scale, double decay, double t, double *f);
/* The dampings of A, of side `side_a`, and of G. */
void kgt_damping(const double *a, size_t side_a, const double *g, size_t side_g, double lambda_and_eta, double *of_a, double *of_g);
/* (a + damping I)^-1 by elimination with pivots, n at most 64; false: there is none. */
bool kgt_inverse(const double *a, size_t n, double damping, double *x);
/* v = inverse_g dw inverse_a, and the sum of v dw. */
double kgt_precondition(const double *inverse_g, size_t side_g, const double *dw, const double *inverse_a, size_t side_a, double *v);
/* The factor that keeps a step of that slope short. */
double kgt_clipping(double slope, double rate, double clip);
#endif
