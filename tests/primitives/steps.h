/* Steps of optimisers in double, straight from the published formulas, on n elements in place. */
#ifndef TESTS_PRIMITIVES_STEPS_H
#define TESTS_PRIMITIVES_STEPS_H
#include <stddef.h>

void kgt_sgd(size_t n, const double *g, double *velocity, double *w, double rate, double momentum, double decay, int nesterov);

/* `apart`: AdamW, whose decay is no part of the gradient. t counts from 1. */
typedef struct kgt_adam_params { double rate, beta1, beta2, epsilon, decay; int apart; } kgt_adam_params;
void kgt_adam(size_t n, const double *g, double *m, double *v, double *w, double t, kgt_adam_params p);

void kgt_lion(size_t n, const double *g, double *m, double *w, double rate, double beta1, double beta2, double decay);

/* A matrix of at most 64 rows and 64 columns. */
typedef struct kgt_muon_params { double rate, momentum, decay; int rounds; } kgt_muon_params;
void kgt_muon(size_t rows, size_t columns, const double *g, double *velocity, double *w, kgt_muon_params p);

/* A matrix as of Muon; l: rows^2, r: columns^2. */
typedef struct kgt_shampoo_params { double rate, momentum, decay, epsilon, weight_decay; } kgt_shampoo_params;
void kgt_shampoo(size_t rows, size_t columns, const double *g, double *l, double *r, double *velocity, double *w, kgt_shampoo_params p);

/* The factor of the learning rate at step t. Shapes: constant, a line, half a cosine. */
double kgt_learning_rate(double t, double warmup, double total, double least, int shape);
#endif
