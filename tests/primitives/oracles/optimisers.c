/* Steps of optimisers. */
#include "tests/primitives/oracle.h"
#include "tests/primitives/steps.h"

#include <math.h>
#include <stdlib.h>

/* A copy of what a buffer held, as the output that the formula then changes in place. */
static double *start(kgt_case *c, const char *buffer) {
  double *x = kgt_want(c, buffer);
  for (size_t i = 0; i < kgt_count(c, buffer); i++) x[i] = (double)kgt_floats(c, buffer)[i];
  return x;
}

/* What was there and what came in bound the rounding of a sum of both. */
static void bounded(kgt_case *c, const char *buffer, double factor, double weight) {
  double *magnitude = kgt_magnitude(c, buffer);
  for (size_t i = 0; i < kgt_count(c, buffer); i++)
    magnitude[i] = fabs((double)kgt_floats(c, buffer)[i]) + factor * (fabs((double)kgt_floats(c, "g")[i]) + weight);
}

static double *gradient(kgt_case *c) {
  double *g = calloc(kgt_count(c, "g") + 1, sizeof *g);
  ck_assert_ptr_nonnull(g);
  for (size_t i = 0; i < kgt_count(c, "g"); i++) g[i] = (double)kgt_floats(c, "g")[i];
  return g;
}

static double rate(kgt_case *c) {
  return kgt_real(c, "learning_rate") * (kgt_size(c, "scheduled") ? (double)kgt_floats(c, "rate")[0] : 1);
}

static void sgd(kgt_case *c) {
  double *g = gradient(c), *velocity = start(c, "velocity"), *w = start(c, "w");
  kgt_sgd(kgt_size(c, "n"), g, velocity, w, rate(c), kgt_real(c, "momentum"), kgt_real(c, "weight_decay"),
          (int)kgt_size(c, "nesterov"));
  bounded(c, "velocity", 1, 1), bounded(c, "w", 1, 1);
  free(g);
}

static void adam_with(kgt_case *c, int apart) {
  double *g = gradient(c), *m = start(c, "m"), *v = start(c, "v"), *w = start(c, "w"), t = kgt_wholes(c, "steps")[0] + 1.0;
  kgt_adam_params p = {rate(c), kgt_real(c, "beta1"), kgt_real(c, "beta2"), kgt_real(c, "epsilon"), kgt_real(c, "weight_decay"), apart};
  kgt_adam(kgt_size(c, "n"), g, m, v, w, t, p);
  kgt_want(c, "steps")[0] = t;
  bounded(c, "m", 1, 1);
  double *magnitude = kgt_magnitude(c, "w");
  for (size_t i = 0; i < kgt_size(c, "n"); i++) magnitude[i] = 4 * (fabs((double)kgt_floats(c, "w")[i]) + fabs(w[i]));
  free(g);
}

static void adam(kgt_case *c) { adam_with(c, 0); }
static void adamw(kgt_case *c) { adam_with(c, 1); }

static void lion(kgt_case *c) {
  double *g = gradient(c), *m = start(c, "m"), *w = start(c, "w");
  kgt_lion(kgt_size(c, "n"), g, m, w, rate(c), kgt_real(c, "beta1"), kgt_real(c, "beta2"),
           kgt_real(c, "weight_decay"));
  bounded(c, "m", 1, 0), bounded(c, "w", 0, 0);
  free(g);
}

/* Newton and Schulz multiply what is small by 3.4445 in each round, and its rounding too. */
static void muon(kgt_case *c) {
  double *g = gradient(c), *velocity = start(c, "velocity"), *w = start(c, "w");
  kgt_muon_params p = {rate(c), kgt_real(c, "momentum"), kgt_real(c, "weight_decay"), (int)kgt_size(c, "rounds")};
  size_t rows = kgt_size(c, "rows"), columns = kgt_size(c, "columns");
  for (size_t b = 0, e = 0; b < kgt_size(c, "n_blocks"); b++, e += rows * columns) kgt_muon(rows, columns, g + e, velocity + e, w + e, p);
  bounded(c, "velocity", 1, 1);
  double *magnitude = kgt_magnitude(c, "w");
  for (size_t i = 0; i < kgt_count(c, "w"); i++) magnitude[i] = 1 + 8 * p.rate * pow(3.4445, p.rounds);
  free(g);
}

/* Roots and products with them are right beside the largest element of their block. */
static void beside_largest(kgt_case *c, const char *buffer, const double *block, size_t first, size_t count) {
  double most = 0, *m = kgt_magnitude(c, buffer);
  for (size_t e = 0; e < count; e++) most = fmax(most, fabs(block[e]));
  for (size_t e = 0; e < count; e++) m[first + e] = most;
}

/* Eigenvalues are between epsilon, 1 or so, and the largest, some hundreds: an inverse root is off by as much of itself at most. */
static void shampoo(kgt_case *c) {
  double *g = gradient(c), *l = start(c, "l"), *r = start(c, "r"), *velocity = start(c, "velocity"), *w = start(c, "w");
  size_t rows = kgt_size(c, "rows"), columns = kgt_size(c, "columns"), size = rows * columns;
  kgt_shampoo_params p = {rate(c), kgt_real(c, "momentum"), kgt_real(c, "decay"), kgt_real(c, "epsilon"), kgt_real(c, "weight_decay")};
  for (size_t b = 0; b < kgt_size(c, "n_blocks"); b++) {
    kgt_shampoo(rows, columns, g + b * size, l + b * rows * rows, r + b * columns * columns, velocity + b * size, w + b * size, p);
    beside_largest(c, "l", l + b * rows * rows, b * rows * rows, rows * rows);
    beside_largest(c, "r", r + b * columns * columns, b * columns * columns, columns * columns);
    beside_largest(c, "velocity", velocity + b * size, b * size, size);
    beside_largest(c, "w", w + b * size, b * size, size);
  }
  free(g);
}

static void clip_by_norm(kgt_case *c) {
  const float *g = kgt_floats(c, "g");
  double sum = 0, *clipped = kgt_want(c, "clipped"), limit = kgt_real(c, "limit");
  for (size_t i = 0; i < kgt_size(c, "n"); i++) sum += (double)g[i] * g[i];
  /* f32 has no norm beyond its largest number */
  double norm = sqrt(sum) > 0x1.ffffffp127 ? INFINITY : sqrt(sum);
  kgt_want(c, "norm")[0] = norm;
  for (size_t i = 0; i < kgt_size(c, "n"); i++) clipped[i] = norm > limit ? g[i] * (limit / norm) : g[i];
}

static void learning_rate(kgt_case *c) {
  double t = kgt_wholes(c, "steps")[0] + 1.0, shape = kgt_real(c, "shape");
  kgt_want(c, "steps")[0] = t;
  kgt_want(c, "rate")[0] = kgt_learning_rate(t, kgt_real(c, "warmup"), shape != 0 ? kgt_real(c, "total") : 0,
                                             shape != 0 ? kgt_real(c, "least") : 0, (int)shape);
  kgt_magnitude(c, "rate")[0] = 1;
}

/* The sums of a norm have a tree of 8 levels, and loops of n / 16384. */
const kgt_oracle kgt_oracles_optimisers[] = {
    {"sgd", "n=0", "", sgd, 8},
    {"sgd", "n=1,momentum=0", "", sgd, 8},
    {"sgd", "n=257,nesterov=1,weight_decay=0.1", "", sgd, 8},
    {"sgd", "n=300,scheduled=1", "rate=0.25,velocity=0", sgd, 8},
    {"sgd", "n=4,momentum=0", "g=nan|inf|-inf|0,w=1|2|3|0", sgd, 8},
    {"adam", "n=0", "v=0..1", adam, 16},
    {"adam", "n=1", "v=0,m=0,steps=0", adam, 16},
    {"adam", "n=257,weight_decay=0.1", "v=0..1,steps=7", adam, 16},
    {"adam", "n=300,scheduled=1,learning_rate=0.5", "rate=0.25,v=0,m=0,steps=0", adam, 16},
    {"adam", "n=9,beta1=0,beta2=0", "v=0..1,steps=3", adam, 16},
    {"adam", "n=9,beta2=0.99999,learning_rate=0.1", "v=0,m=0,steps=0", adam, 16},
    {"adam", "n=4", "v=0,m=0,g=0|1e-30|1e15|-1,w=0|1|1|1,steps=0", adam, 16},
    {"adam", "n=9", "v=0..1,steps=16777216", adam, 16},
    {"adamw", "n=0", "v=0..1", adamw, 16},
    {"adamw", "n=257,weight_decay=0.1", "v=0..1,steps=7", adamw, 16},
    {"adamw", "n=300,scheduled=1,learning_rate=0.5", "rate=0.25,v=0,m=0,steps=0", adamw, 16},
    {"lion", "n=0", "", lion, 8},
    {"lion", "n=257,weight_decay=0.1", "", lion, 8},
    {"lion", "n=300,scheduled=1", "rate=0.25", lion, 8},
    {"lion", "n=4", "g=0|1|-1|0,m=0|0|0|-1,w=1", lion, 8}, /* the sign of 0 is 0 */
    {"muon", "", "", muon, 8},
    {"muon", "rows=37,columns=17,learning_rate=1", "", muon, 8},
    {"muon", "rows=3,columns=50,rounds=3,weight_decay=0.1,learning_rate=1", "g=-1e30..1e30,velocity=0", muon, 8}, /* squares overflow */
    {"muon", "rows=5,columns=4,scheduled=1", "rate=0.25", muon, 8},
    {"muon", "rows=5,columns=4", "g=0,velocity=0", muon, 8},
    {"muon", "rows=1,columns=1,rounds=0", "", muon, 8},
    {"muon", "rows=0,columns=3", "", muon, 8},
    {"muon", "blocks=0", "", muon, 8},
    {"muon", "blocks=3,rows=17,columns=20", "g=-1..1,velocity=0", muon, 8},
    {"shampoo", "epsilon=1", "l=0,r=0", shampoo, 256},
    {"shampoo", "blocks=3,rows=17,columns=4,epsilon=2,decay=0.5,weight_decay=0.1,workgroup=16", "l=0,r=0,g=-4..4", shampoo, 256},
    {"shampoo", "blocks=1,rows=20,columns=20,epsilon=1,scheduled=1,workgroup=128", "l=0,r=0,rate=0.25", shampoo, 256},
    {"shampoo", "blocks=1,rows=2,columns=2,epsilon=0.0625", "l=3|0|0|3,r=0,g=1|0|0|1", shampoo, 64},
    {"shampoo", "blocks=1,rows=3,columns=2,epsilon=1e-6", "l=0,r=0,g=0", shampoo, 64},
    {"shampoo", "blocks=1,rows=1,columns=1,epsilon=0,momentum=0", "l=0,r=0,g=-3", shampoo, 64}, /* the sign of g */
    {"shampoo", "blocks=0", "", shampoo, 0},
    {"shampoo", "rows=0", "r=0", shampoo, 8},
    {"clip_by_norm", "n=0", "", clip_by_norm, 64},
    {"clip_by_norm", "n=1", "g=-3", clip_by_norm, 64},
    {"clip_by_norm", "n=7", "g=0", clip_by_norm, 64},
    {"clip_by_norm", "n=7,limit=0", "", clip_by_norm, 64},
    {"clip_by_norm", "n=4,limit=2", "g=1", clip_by_norm, 64},     /* exactly the limit */
    {"clip_by_norm", "n=5,limit=5", "g=3e38|0|0|0|0", clip_by_norm, 64},
    {"clip_by_norm", "n=2,limit=1e30", "g=3e30|-4e30", clip_by_norm, 64},
    {"clip_by_norm", "n=2,limit=1e-36", "g=3e-30|-4e-30", clip_by_norm, 64}, /* whose squares are 0 */
    {"clip_by_norm", "n=3,limit=2", "g=1|inf|-2", clip_by_norm, 64},
    {"clip_by_norm", "n=3,limit=2", "g=1|nan|-2", clip_by_norm, 64},
    {"clip_by_norm", "n=3,limit=2", "g=3e38", clip_by_norm, 64}, /* the norm overflows */
    {"clip_by_norm", "n=40001,limit=0.5", "", clip_by_norm, 64},
    {"learning_rate", "", "steps=0", learning_rate, 8},
    {"learning_rate", "", "steps=9", learning_rate, 8},
    {"learning_rate", "", "steps=42", learning_rate, 8},
    {"learning_rate", "least=0.125", "steps=99", learning_rate, 0},
    {"learning_rate", "", "steps=1000", learning_rate, 0},
    {"learning_rate", "shape=1,warmup=0,least=0.5", "steps=30", learning_rate, 8},
    {"learning_rate", "shape=1,warmup=0", "steps=99", learning_rate, 0},
    {"learning_rate", "shape=0", "steps=4", learning_rate, 8},
    {"learning_rate", "shape=0,warmup=0", "steps=0", learning_rate, 0},
};
KGT_ORACLES(optimisers, kgt_oracles_optimisers);
