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

/* a = vectors diag(values) vectors^T of a symmetric matrix, values ascending, by textbook Jacobi until nothing is left. */
void kgt_eigen(const double *a, size_t n, double *values, double *vectors);
/* out = (a + added I)^exponent, n at most 64; eigenvalues of a that rounding made negative count as 0. */
void kgt_power(const double *a, size_t n, double added, double exponent, double *out);

/* A dense layer in EKFAC's bases; x as in kgt_factor. */
typedef struct kgt_bases { const double *a, *g; size_t side_a, side_g; } kgt_bases;
/* moments = decay moments + (1 - decay) scale / batch sum of (U_G^T g x^T U_A)^2, sample by sample. */
void kgt_moments(kgt_bases u, const double *x, const double *g, size_t batch, size_t bias, double scale, double decay, double *moments);
/* v = U_G ((U_G^T dw U_A) / (moments + added)) U_A^T, and the sum of v dw. */
double kgt_scaled(kgt_bases u, const double *dw, const double *moments, double added, double *v);
#endif
