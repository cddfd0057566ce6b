/* Rows of matrices. */
#include "tests/primitives/math.h"
#include "tests/primitives/oracle.h"

#include <math.h>

static void softmax(kgt_case *c) {
  kgt_softmax(kgt_floats(c, "x"), kgt_size(c, "n_rows"), kgt_size(c, "n_cols"), kgt_want(c, "y"));
}

static void layer_norm(kgt_case *c) {
  kgt_layer_norm(kgt_floats(c, "x"), kgt_floats(c, "scale"), kgt_floats(c, "shift"), kgt_size(c, "n_rows"), kgt_size(c, "n_cols"),
                 kgt_real(c, "epsilon"), kgt_want(c, "y"));
  double *magnitude = kgt_magnitude(c, "y");
  for (size_t i = 0; i < kgt_count(c, "y"); i++) magnitude[i] = 1;
}

static void log_softmax(kgt_case *c) {
  size_t rows = kgt_size(c, "n_rows"), cols = kgt_size(c, "n_cols");
  const float *x = kgt_floats(c, "x");
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (size_t r = 0; r < rows; r++, x += cols, y += cols, magnitude += cols) {
    double best = -INFINITY, sum = 0;
    for (size_t j = 0; j < cols; j++) best = fmax(best, x[j]);
    for (size_t j = 0; j < cols; j++) sum += exp((double)x[j] - best);
    for (size_t j = 0; j < cols; j++) y[j] = x[j] - best - log(sum), magnitude[j] = 1 + fabs(log(sum));
  }
}

/* The softmax of x over the columns that `seen` names, 0 elsewhere. */
static void softmax_of_some(const float *x, const uint32_t *seen, size_t cols, double *y) {
  double best = -INFINITY, sum = 0;
  for (size_t j = 0; j < cols; j++)
    if (seen[j]) best = fmax(best, x[j]);
  for (size_t j = 0; j < cols; j++)
    if (seen[j]) sum += exp((double)x[j] - best);
  for (size_t j = 0; j < cols; j++) y[j] = seen[j] ? exp((double)x[j] - best) / sum : 0;
}

static void causal_softmax(kgt_case *c) {
  size_t rows = kgt_size(c, "n_squares") * kgt_size(c, "n"), n = kgt_size(c, "n");
  double *y = kgt_want(c, "y");
  uint32_t seen[256];
  ck_assert_uint_le(n, 256);
  for (size_t r = 0; r < rows; r++) {
    for (size_t j = 0; j < n; j++) seen[j] = j <= r % n;
    softmax_of_some(kgt_floats(c, "x") + r * n, seen, n, y + r * n);
  }
}

static void masked_softmax(kgt_case *c) {
  size_t rows = kgt_size(c, "n_rows"), n = kgt_size(c, "n_cols");
  for (size_t r = 0; r < rows; r++)
    softmax_of_some(kgt_floats(c, "x") + r * n, kgt_wholes(c, "mask") + r * n, n, kgt_want(c, "y") + r * n);
}

static void rms_norm(kgt_case *c) {
  size_t rows = kgt_size(c, "n_rows"), cols = kgt_size(c, "n_cols");
  const float *x = kgt_floats(c, "x"), *scale = kgt_floats(c, "scale");
  double *y = kgt_want(c, "y");
  for (size_t r = 0; r < rows; r++, x += cols, y += cols) {
    double mean = 0;
    for (size_t j = 0; j < cols; j++) mean += (double)x[j] * x[j] / (double)cols;
    for (size_t j = 0; j < cols; j++) y[j] = x[j] / sqrt(mean + kgt_real(c, "epsilon")) * scale[j];
  }
}

/* Sample s, group g, member m, point i, as in the paper's figure: statistics over m and i. */
static void group_norm(kgt_case *c) {
  size_t groups = kgt_size(c, "n_groups"), members = kgt_size(c, "n_members"), points = kgt_size(c, "n_points");
  size_t size = members * points;
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (size_t s = 0; s < kgt_size(c, "n_samples"); s++)
    for (size_t g = 0; g < groups; g++) {
      size_t first = (s * groups + g) * size;
      const float *x = kgt_floats(c, "x") + first;
      double mean = 0, variance = 0;
      for (size_t e = 0; e < size; e++) mean += x[e] / (double)size;
      for (size_t e = 0; e < size; e++) variance += (x[e] - mean) * (x[e] - mean) / (double)size;
      for (size_t m = 0; m < members; m++)
        for (size_t i = 0; i < points; i++) {
          size_t e = m * points + i, k = g * members + m;
          double normal = (x[e] - mean) / sqrt(variance + kgt_real(c, "epsilon"));
          y[first + e] = normal * kgt_floats(c, "scale")[k] + kgt_floats(c, "shift")[k];
          magnitude[first + e] = 1;
        }
    }
}

typedef struct moments { double mean, variance, count; } moments;

static moments moments_of_channel(kgt_case *c, size_t channel) {
  size_t samples = kgt_size(c, "n_samples"), channels = kgt_size(c, "n_channels"), points = kgt_size(c, "n_points");
  const float *x = kgt_floats(c, "x");
  moments m = {0, 0, (double)(samples * points)};
  for (size_t s = 0; s < samples; s++)
    for (size_t i = 0; i < points; i++) m.mean += x[(s * channels + channel) * points + i] / m.count;
  for (size_t s = 0; s < samples; s++)
    for (size_t i = 0; i < points; i++) m.variance += pow(x[(s * channels + channel) * points + i] - m.mean, 2) / m.count;
  return m;
}

static void batch_norm(kgt_case *c) {
  size_t channels = kgt_size(c, "n_channels"), points = kgt_size(c, "n_points");
  bool training = kgt_size(c, "training");
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  double *new_mean = training ? kgt_want(c, "new_mean") : NULL, *new_variance = training ? kgt_want(c, "new_variance") : NULL;
  for (size_t k = 0; k < channels; k++) {
    moments m = moments_of_channel(c, k);
    double old_mean = kgt_floats(c, "old_mean")[k], old_variance = kgt_floats(c, "old_variance")[k];
    if (training) { /* without values, or with one, for which the unbiased variance is not defined, it goes on as of 0 */
      double share = m.count > 0 ? kgt_real(c, "momentum") : 0;
      new_mean[k] = (1 - share) * old_mean + share * m.mean;
      new_variance[k] = (1 - share) * old_variance + (m.count > 1 ? share * m.variance * m.count / (m.count - 1) : 0);
    } else {
      m.mean = old_mean, m.variance = old_variance;
    }
    for (size_t s = 0; s < kgt_size(c, "n_samples"); s++)
      for (size_t i = 0; i < points; i++) {
        size_t e = (s * channels + k) * points + i;
        double normal = (kgt_floats(c, "x")[e] - m.mean) / sqrt(m.variance + kgt_real(c, "epsilon"));
        y[e] = normal * kgt_floats(c, "scale")[k] + kgt_floats(c, "shift")[k];
        magnitude[e] = 1;
      }
  }
}

/* A term of softmax is exp of a rounded difference: its relative error is (|x - max| + a few) u on a device whose exp is exact, more
 * elsewhere. The mean of layer_norm has an error of a few units of the largest |x|, 5, and is divided by a deviation of at least
 * sqrt(0.001). */
const kgt_oracle kgt_oracles_rows[] = {
    {"softmax", "rows=1,cols=1,workgroup=1", "x=90", softmax, 64},
    {"softmax", "rows=1,cols=1,workgroup=64", "x=-6..6", softmax, 64},
    {"softmax", "rows=3,cols=5,workgroup=8", "x=90|2|-3|0|-inf|1", softmax, 64}, /* exp of x overflows */
    {"softmax", "rows=5,cols=100", "x=-6..6", softmax, 64},
    {"softmax", "rows=2,cols=129,workgroup=32", "x=-6..6", softmax, 64},
    {"softmax", "rows=4,cols=33,workgroup=128", "x=-6..6", softmax, 64},
    {"softmax", "n_rows=0", "x=-6..6", softmax, 64},
    {"layer_norm", "rows=1,cols=1,workgroup=64,epsilon=0.001", "x=-3..5,scale=0.5..2", layer_norm, 2000},
    {"layer_norm", "rows=3,cols=5,workgroup=8,epsilon=0.001", "x=-3..5,scale=0.5..2", layer_norm, 100},
    {"layer_norm", "rows=5,cols=100,epsilon=0.001", "x=-3..5,scale=0.5..2", layer_norm, 100},
    {"layer_norm", "rows=2,cols=129,workgroup=32,epsilon=0.001", "x=-3..5,scale=0.5..2", layer_norm, 100},
    {"layer_norm", "rows=4,cols=33,workgroup=128,epsilon=0.001", "x=-3..5,scale=0.5..2", layer_norm, 100},
    {"layer_norm", "n_rows=0", "x=-3..5", layer_norm, 100},
    {"layer_norm", "n_cols=0", "x=-3..5", layer_norm, 100},
    {"log_softmax", "rows=1,cols=1,workgroup=1", "x=90", log_softmax, 64},
    {"log_softmax", "rows=3,cols=5,workgroup=8", "x=300|2|-3|0|-inf|1", log_softmax, 64}, /* log of softmax would be -inf */
    {"log_softmax", "rows=5,cols=100", "x=-6..6", log_softmax, 64},
    {"log_softmax", "rows=2,cols=129,workgroup=32", "x=-6..6", log_softmax, 64},
    {"log_softmax", "n_rows=0", "x=-6..6", log_softmax, 64},
    {"log_softmax", "n_cols=0", "x=-6..6", log_softmax, 64},
    {"softmax", "n_cols=0", "x=-6..6", softmax, 64},
    {"softmax", "rows=65538,cols=1,workgroup=1", "x=-6..6", softmax, 64}, /* rows on the second axis of the grid */
    {"causal_softmax", "", "x=-6..6", causal_softmax, 64},
    {"causal_softmax", "squares=3,n=5,workgroup=2", "x=0|300|2|300|-inf", causal_softmax, 64},
    {"causal_softmax", "squares=2,n=2,workgroup=4", "x=1|nan|2|3", causal_softmax, 64}, /* NaN above the diagonal */
    {"causal_softmax", "squares=1,n=129,workgroup=32", "x=-6..6", causal_softmax, 64},
    {"causal_softmax", "squares=1,n=1", "x=-6..6", causal_softmax, 64},
    {"causal_softmax", "n=0", "", causal_softmax, 64},
    {"causal_softmax", "n_squares=0", "", causal_softmax, 64},
    {"masked_softmax", "", "x=-6..6", masked_softmax, 64},
    {"masked_softmax", "rows=5,cols=70,workgroup=16", "x=-6..6,mask=0|1|0|0|7", masked_softmax, 64},
    {"masked_softmax", "rows=3,cols=4,workgroup=2", "x=300|nan|-inf|inf,mask=1|0|1|0", masked_softmax, 64},
    {"masked_softmax", "rows=2,cols=3,workgroup=4", "x=nan|1|2,mask=0", masked_softmax, 64}, /* nothing is left: zeros */
    {"masked_softmax", "n_cols=0", "", masked_softmax, 64},
    {"rms_norm", "", "x=-3..5", rms_norm, 120},
    {"rms_norm", "rows=1,cols=1,workgroup=64,epsilon=0", "x=-3", rms_norm, 16},
    {"rms_norm", "rows=2,cols=129,workgroup=32,epsilon=0.5", "x=-3..5", rms_norm, 120},
    {"rms_norm", "rows=2,cols=3,workgroup=4", "x=0", rms_norm, 16},
    {"rms_norm", "n_rows=0", "", rms_norm, 16},
    {"group_norm", "epsilon=0.001", "x=-3..5,scale=0.5..2", group_norm, 200},
    {"group_norm", "samples=3,groups=2,members=5,points=7,workgroup=4,epsilon=0.001", "x=-3..5,scale=0.5..2", group_norm, 200},
    {"group_norm", "samples=2,groups=1,members=9,points=1,workgroup=4,epsilon=0.001", "x=-3..5", group_norm, 200},
    {"group_norm", "samples=2,groups=3,members=1,points=40,workgroup=32,epsilon=0.001", "x=-3..5", group_norm, 200},
    {"group_norm", "n_points=0", "", group_norm, 200},
    {"group_norm", "n_groups=0", "", group_norm, 200},
    {"batch_norm", "epsilon=0.001", "x=-3..5,old_variance=0..2", batch_norm, 300},
    {"batch_norm", "samples=70,channels=3,points=1,workgroup=16,epsilon=0.001,momentum=0.25", "x=-3..5", batch_norm, 300},
    {"batch_norm", "samples=1,channels=2,points=1,workgroup=4,epsilon=0.5", "x=-3..5,old_variance=0..2", batch_norm, 300},
    {"batch_norm", "training=0,epsilon=0.001", "x=-3..5,old_variance=0.5..2", batch_norm, 16},
    {"batch_norm", "training=0,samples=7,channels=5,points=3,workgroup=2", "x=-3..5,old_variance=0.5..2", batch_norm, 16},
    {"batch_norm", "n_samples=0", "", batch_norm, 16},
    {"batch_norm", "n_channels=0", "", batch_norm, 16},
};
KGT_ORACLES(rows, kgt_oracles_rows);
