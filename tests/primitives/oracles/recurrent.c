/* Cells of recurrent networks, by the formulas of PyTorch's pages, which are those of the papers in its order of gates. */
#include "tests/primitives/oracle.h"

#include <math.h>

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double part(const kgt_case *c, const char *buffer, size_t gates, size_t sample, size_t gate, size_t j) {
  return kgt_floats(c, buffer)[(sample * gates + gate) * kgt_size(c, "n_hidden") + j];
}

static double both(const kgt_case *c, size_t gates, size_t sample, size_t gate, size_t j) {
  return part(c, "from_input", gates, sample, gate, j) + part(c, "from_hidden", gates, sample, gate, j);
}

static void lstm_cell(kgt_case *c) {
  size_t hidden = kgt_size(c, "n_hidden");
  double *new_hidden = kgt_want(c, "new_hidden"), *new_cell = kgt_want(c, "new_cell");
  double *hidden_size = kgt_magnitude(c, "new_hidden"), *cell_size = kgt_magnitude(c, "new_cell");
  for (size_t s = 0; s < kgt_size(c, "n_samples"); s++)
    for (size_t j = 0; j < hidden; j++) {
      size_t e = s * hidden + j;
      double i = sigmoid(both(c, 4, s, 0, j)), f = sigmoid(both(c, 4, s, 1, j)), g = tanh(both(c, 4, s, 2, j));
      new_cell[e] = f * kgt_floats(c, "cell")[e] + i * g;
      new_hidden[e] = sigmoid(both(c, 4, s, 3, j)) * tanh(new_cell[e]);
      hidden_size[e] = cell_size[e] = 1 + fabs(kgt_floats(c, "cell")[e]);
    }
}

static void gru_cell(kgt_case *c) {
  size_t hidden = kgt_size(c, "n_hidden");
  double *new_hidden = kgt_want(c, "new_hidden"), *size = kgt_magnitude(c, "new_hidden");
  for (size_t s = 0; s < kgt_size(c, "n_samples"); s++)
    for (size_t j = 0; j < hidden; j++) {
      size_t e = s * hidden + j;
      double r = sigmoid(both(c, 3, s, 0, j)), z = sigmoid(both(c, 3, s, 1, j));
      double n = tanh(part(c, "from_input", 3, s, 2, j) + r * part(c, "from_hidden", 3, s, 2, j));
      new_hidden[e] = (1 - z) * n + z * kgt_floats(c, "hidden")[e];
      size[e] = 1 + fabs(kgt_floats(c, "hidden")[e]);
    }
}

#define WIDE "from_input=-4..4,from_hidden=-4..4"

const kgt_oracle kgt_oracles_recurrent[] = {
    {"lstm_cell", "", WIDE ",cell=-3..3", lstm_cell, 32},
    {"lstm_cell", "samples=1,hidden=1", "from_input=90|-90,from_hidden=0,cell=2", lstm_cell, 8}, /* gates at their ends */
    {"lstm_cell", "samples=3,hidden=300", WIDE ",cell=-3..3", lstm_cell, 32},
    {"lstm_cell", "n_samples=0", "", lstm_cell, 32},
    {"lstm_cell", "n_hidden=0", "", lstm_cell, 32},
    {"gru_cell", "", WIDE ",hidden=-1..1", gru_cell, 32},
    {"gru_cell", "samples=1,hidden=1", "from_input=90|-90,from_hidden=0,hidden=0.5", gru_cell, 8},
    {"gru_cell", "samples=3,hidden=300", WIDE ",hidden=-1..1", gru_cell, 32},
    {"gru_cell", "n_samples=0", "", gru_cell, 32},
    {"gru_cell", "n_hidden=0", "", gru_cell, 32},
};
KGT_ORACLES(recurrent, kgt_oracles_recurrent);
