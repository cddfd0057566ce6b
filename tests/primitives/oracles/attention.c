/* Attention by its formula, with all scores in memory. */
#include "tests/primitives/oracle.h"

#include <math.h>
#include <stdlib.h>

/* The score of query i and key j of a head, -inf where the query does not see the key. */
static double score_of(kgt_case *c, size_t head, size_t i, size_t j) {
  size_t queries = kgt_size(c, "n_queries"), keys = kgt_size(c, "n_keys"), dim = kgt_size(c, "dim");
  if (kgt_size(c, "causal") && j + queries > i + keys) return -INFINITY;
  double score = 0, cap = kgt_real(c, "cap");
  const float *query = kgt_floats(c, "query") + (head * queries + i) * dim;
  const float *key = kgt_floats(c, "key") + (head / kgt_size(c, "n_group") * keys + j) * dim;
  for (size_t d = 0; d < dim; d++) score += (double)query[d] * key[d];
  score *= kgt_real(c, "scale") / sqrt((double)dim);
  if (kgt_size(c, "capped")) score = cap * tanh(score / cap);
  return kgt_size(c, "biased") ? score + kgt_floats(c, "bias")[(head * queries + i) * keys + j] : score;
}

static void attention(kgt_case *c) {
  size_t queries = kgt_size(c, "n_queries"), keys = kgt_size(c, "n_keys"), dim = kgt_size(c, "dim");
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y"), *weight = calloc(keys + 1, sizeof *weight);
  ck_assert_ptr_nonnull(weight);
  size_t group = kgt_size(c, "n_group");
  for (size_t row = 0; row < kgt_size(c, "n_heads") * group * queries; row++, y += dim, magnitude += dim) {
    const float *value = kgt_floats(c, "value") + row / queries / group * keys * dim;
    double best = -INFINITY, sum = 0;
    for (size_t j = 0; j < keys; j++) weight[j] = score_of(c, row / queries, row % queries, j), best = fmax(best, weight[j]);
    for (size_t j = 0; j < keys; j++) weight[j] = weight[j] == -INFINITY ? 0 : exp(weight[j] - best), sum += weight[j];
    for (size_t d = 0; d < dim; d++) {
      y[d] = 0;
      for (size_t j = 0; j < keys && sum > 0; j++)
        y[d] += weight[j] / sum * value[j * dim + d], magnitude[d] += fabs(weight[j] / sum * value[j * dim + d]);
    }
  }
  free(weight);
}

/* Vector [s, p, h] has pair i at its elements `lower` and `upper`. */
static void rope(kgt_case *c) {
  size_t positions = kgt_size(c, "n_positions"), heads = kgt_size(c, "n_heads"), pairs = kgt_size(c, "n_pairs");
  const float *x = kgt_floats(c, "x");
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (size_t v = 0; v < kgt_size(c, "n_samples") * positions * heads; v++)
    for (size_t i = 0; i < pairs; i++) {
      double position = kgt_real(c, "first") + (double)(v / heads % positions);
      double angle = position * pow(kgt_real(c, "base"), -(double)i / (double)pairs);
      bool interleaved = kgt_size(c, "interleaved");
      size_t lower = v * 2 * pairs + (interleaved ? 2 * i : i), upper = interleaved ? lower + 1 : lower + pairs;
      y[lower] = cos(angle) * x[lower] - sin(angle) * x[upper];
      y[upper] = sin(angle) * x[lower] + cos(angle) * x[upper];
      magnitude[lower] = magnitude[upper] = (1 + angle) * (fabs(x[lower]) + fabs(x[upper])); /* the angle is rounded */
    }
}

#define WIDE "query=-3..3,key=-3..3,value=-2..2"

/* The relative error of a weight is that of its score, some units of the sum of absolute products. */
const kgt_oracle kgt_oracles_attention[] = {
    {"attention", "", WIDE, attention, 300},
    {"attention", "heads=3,queries=5,keys=7,dim=3,tile=4", WIDE, attention, 300},
    {"attention", "heads=1,queries=33,keys=9,dim=40,tile=8,scale=0.5", WIDE, attention, 600},
    {"attention", "heads=1,queries=1,keys=1,dim=1,tile=1", WIDE, attention, 300},
    {"attention", "heads=2,queries=20,keys=20,dim=4,tile=16,causal=1", WIDE, attention, 300},
    {"attention", "heads=2,queries=5,keys=37,dim=4,tile=8,causal=1", WIDE, attention, 300},
    {"attention", "heads=2,queries=37,keys=5,dim=4,tile=8,causal=1", WIDE, attention, 300}, /* the first 32 queries see nothing */
    {"attention", "heads=2,queries=20,keys=19,dim=4,tile=8,capped=1,cap=2", WIDE, attention, 300},
    {"attention", "heads=2,queries=20,keys=19,dim=4,tile=8,biased=1", WIDE ",bias=-3..3", attention, 300},
    {"attention", "heads=1,queries=4,keys=6,dim=4,tile=8,biased=1", WIDE ",bias=0|-inf|-inf|2|-inf", attention, 300},
    {"attention", "heads=1,queries=4,keys=6,dim=4,tile=2,biased=1", WIDE ",bias=-inf", attention, 300}, /* all masked: 0 */
    {"attention", "heads=1,queries=9,keys=9,dim=2,tile=4,causal=1,capped=1,cap=0.5,biased=1", WIDE ",bias=-inf|1|0|-1", attention,
     400},
    {"attention", "heads=1,queries=3,keys=4,dim=2,tile=4", "query=40,key=30|-30,value=-2..2", attention, 4000}, /* exp overflows */
    {"rope", "", "x=-2..2", rope, 32},
    {"rope", "interleaved=1", "x=-2..2", rope, 32},
    {"rope", "samples=3,positions=17,heads=1,pairs=3,first=1000,base=500", "x=-2..2", rope, 32},
    {"rope", "samples=1,positions=300,heads=2,pairs=1,interleaved=1", "x=-2..2", rope, 32},
    {"rope", "n_positions=0", "", rope, 32},
    {"rope", "n_pairs=0,interleaved=1", "", rope, 32},
    {"attention", "heads=2,group=3,queries=20,keys=19,dim=4,tile=8,causal=1", WIDE, attention, 300},
    {"attention", "heads=2,group=2,queries=5,keys=9,dim=4,tile=4,biased=1", WIDE ",bias=-3..3", attention, 300},
    {"attention", "n_group=0", "", attention, 1},
    {"attention", "n_heads=0", "", attention, 1},
    {"attention", "n_queries=0", "", attention, 1},
    {"attention", "n_keys=0", "", attention, 1},
};
KGT_ORACLES(attention, kgt_oracles_attention);
