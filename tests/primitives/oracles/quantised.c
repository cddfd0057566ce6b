/* What few bits hold. */
#include "tests/primitives/oracle.h"

#include <math.h>

static void matmul_int8(kgt_case *c) {
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  size_t n = kgt_size(c, "n"), k = kgt_size(c, "k");
  const float *x = kgt_floats(c, "x"), *scale = kgt_floats(c, "scale");
  for (size_t e = 0; e < kgt_count(c, "y"); e++) {
    y[e] = 0;
    for (size_t l = 0; l < k; l++) {
      double term = x[e / n * k + l] * kgi_ask_element(c, "w", e % n * k + l) * scale[e % n];
      y[e] += term, magnitude[e] += fabs(term);
    }
  }
}

static double weight_q4(const kgt_case *c, size_t row, size_t column) {
  size_t blocks = kgt_size(c, "blocks"), block = column / 32, e = column % 32;
  unsigned byte = (unsigned)kgi_ask_element(c, "qs", (row * blocks + block) * 16 + e % 16);
  return ((double)(e < 16 ? byte & 15 : byte >> 4) - 8) * kgi_ask_element(c, "d", row * blocks + block);
}

static void matmul_q4(kgt_case *c) {
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  size_t n = kgt_size(c, "n"), k = 32 * kgt_size(c, "blocks");
  const float *x = kgt_floats(c, "x");
  for (size_t e = 0; e < kgt_count(c, "y"); e++) {
    y[e] = 0;
    for (size_t l = 0; l < k; l++) {
      double term = x[e / n * k + l] * weight_q4(c, e % n, l);
      y[e] += term, magnitude[e] += fabs(term);
    }
  }
}

/* Quotients are those of f32, for they decide. Half way between two whole numbers is the even one. */
static void fake_quantise(kgt_case *c) {
  double *y = kgt_want(c, "y"), least = kgt_real(c, "least"), most = kgt_real(c, "most");
  const float *x = kgt_floats(c, "x"), *scale = kgt_floats(c, "scale"), *zero = kgt_floats(c, "zero");
  size_t cols = kgt_size(c, "n_cols");
  for (size_t e = 0; e < kgt_count(c, "y"); e++) {
    float q = x[e] / scale[e / cols];
    double held = fmin(fmax(nearbyint((double)q) + (double)zero[e / cols], least), most);
    y[e] = (held - (double)zero[e / cols]) * (double)scale[e / cols];
  }
}

static void lsq(kgt_case *c) {
  double *y = kgt_want(c, "y"), least = kgt_real(c, "least"), most = kgt_real(c, "most");
  const float *x = kgt_floats(c, "x"), *size = kgt_floats(c, "step_size");
  for (size_t e = 0; e < kgt_count(c, "y"); e++) {
    float s = size[e / kgt_size(c, "n_cols")], q = x[e] / s;
    y[e] = nearbyint(fmin(fmax((double)q, least), most)) * (double)s;
  }
}

/* A sum of k products with a rounded factor: |error| <= (k + 3) u times the sum of their absolutes. */
const kgt_oracle kgt_oracles_quantised[] = {
    {"matmul_int8", "", "w=-128..128", matmul_int8, 35},
    {"matmul_int8", "m=1,n=1,k=1,tile=4", "w=-128|127", matmul_int8, 5},
    {"matmul_int8", "m=3,n=33,k=70,tile=8", "w=-128..128,scale=0|1|-0.5", matmul_int8, 75},
    {"matmul_int8", "m=1,n=70,k=5,tile=4", "w=-128..128,x=0|1", matmul_int8, 9},
    {"matmul_int8", "k=0", "", matmul_int8, 2},
    {"matmul_int8", "m=0", "", matmul_int8, 2},
    {"matmul_int8", "n=0", "", matmul_int8, 2},
    {"matmul_q4", "", "qs=0..256", matmul_q4, 100},
    {"matmul_q4", "m=1,n=1,blocks=1,tile=8", "qs=0|255|137", matmul_q4, 36},
    {"matmul_q4", "m=9,n=35,blocks=2,tile=8", "qs=0..256,d=0|1|-0.5", matmul_q4, 68},
    {"matmul_q4", "blocks=0", "", matmul_q4, 2},
    {"matmul_q4", "m=0", "", matmul_q4, 2},
    {"matmul_q4", "n=0", "", matmul_q4, 2},
    /* Scales that are powers of two, so that every device has the quotients. */
    {"fake_quantise", "", "x=-3..3,scale=0.25,zero=0|1|-2", fake_quantise, 2},
    {"fake_quantise", "rows=1,cols=1,workgroup=1", "x=0.125,scale=0.25,zero=0", fake_quantise, 0},
    {"fake_quantise", "rows=2,cols=70,least=0,most=255",
     "x=0|0.125|0.375|-1|1e9|inf|-inf|0.625,scale=0.25|2,zero=3", fake_quantise, 2},
    {"fake_quantise", "cols=0", "", fake_quantise, 0},
    {"fake_quantise", "rows=70000,cols=2,workgroup=2", "x=-3..3,scale=0.25|0.5|1,zero=0", fake_quantise, 2},
    {"lsq", "", "x=-3..3,step_size=0.25", lsq, 2},
    {"lsq", "rows=1,cols=1,workgroup=1", "x=0.125,step_size=0.25", lsq, 0},
    {"lsq", "rows=2,cols=70,least=0,most=15", "x=0|0.125|0.375|-1|1e9|inf|-inf|0.625,step_size=0.25|-0.5", lsq, 2},
    {"lsq", "cols=0", "", lsq, 0},
    {"lsq", "rows=70000,cols=2,workgroup=2", "x=-3..3,step_size=0.25|0.5|1", lsq, 2},
};
KGT_ORACLES(quantised, kgt_oracles_quantised);
