/* Functions of each element. */
#include "tests/primitives/math.h"
#include "tests/primitives/oracle.h"

#include <math.h>

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double normal_below(double x) { return erfc(-x / sqrt(2)) / 2; }

/* What is written of x and other parameters of the primitive. */
#define OF_X(name, formula)                                                                                                      \
  static double f_##name(const kgt_case *c, double x) { return (void)c, (formula); }                                             \
  static void name(kgt_case *c) {                                                                                                \
    double *y = kgt_want(c, "y");                                                                                                \
    for (size_t i = 0; i < kgt_count(c, "y"); i++) y[i] = f_##name(c, kgt_floats(c, "x")[i]);                                    \
  }

OF_X(relu, x > 0 ? x : 0)
OF_X(leaky_relu, x > 0 ? x : kgt_real(c, "slope") * x)
OF_X(elu, x > 0 ? x : kgt_real(c, "alpha") * expm1(x))
OF_X(selu, 1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * expm1(x)))
OF_X(sigmoid_of, sigmoid(x))
OF_X(tanh_of, tanh(x))
OF_X(gelu, x * normal_below(x))
OF_X(gelu_tanh, x / (1 + exp(-2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x))))
OF_X(silu, x * sigmoid(x))
OF_X(softplus, (fmax(kgt_real(c, "beta") * x, 0) + log1p(exp(-fabs(kgt_real(c, "beta") * x)))) / kgt_real(c, "beta"))
OF_X(mish, x * tanh(fmax(x, 0) + log1p(exp(-fabs(x)))))
OF_X(hard_swish, x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6)

#define OF_AB(name, formula)                                                                                                     \
  static void name(kgt_case *c) {                                                                                                \
    double *y = kgt_want(c, "y");                                                                                                \
    for (size_t i = 0; i < kgt_count(c, "y"); i++) {                                                                             \
      double a = kgt_floats(c, "a")[i], b = kgt_floats(c, "b")[i];                                                               \
      y[i] = (formula);                                                                                                          \
    }                                                                                                                            \
  }

OF_AB(glu, a * sigmoid(b))
OF_AB(swiglu, a * sigmoid(a) * b)
OF_AB(geglu, a * normal_below(a) * b)

static void dropout(kgt_case *c) {
  double *y = kgt_want(c, "y"), share = kgt_real(c, "share");
  uint32_t key = (uint32_t)kgt_size(c, "key");
  for (size_t i = 0; i < kgt_count(c, "y"); i++)
    y[i] = (kgt_philox(0, (uint32_t)i, key) >> 8) * 0x1p-24 >= share ? kgt_floats(c, "x")[i] / (1 - share) : 0;
}

#define EDGES "x=0|-0.0|1e-30|-1e-30|1e30|-1e-3|1e-3|88|-88|3|-3|0.5|-0.5|nan"

/* Functions of devices may be off by some ulps each; what is small by cancellation is stated by its own form. */
const kgt_oracle kgt_oracles_activations[] = {
    {"relu", "n=300", "x=-6..6", relu, 1},
    {"relu", "n=14", "x=0|-0.0|1e-30|-1e30|inf|-inf|3", relu, 1},
    {"relu", "n=0", "", relu, 1},
    {"leaky_relu", "n=300", "x=-6..6", leaky_relu, 2},
    {"leaky_relu", "n=14,slope=0.25", EDGES, leaky_relu, 2},
    {"elu", "n=300", "x=-6..6", elu, 16},
    {"elu", "n=14,alpha=0.5", EDGES, elu, 16},
    {"elu", "n=2", "x=-inf|inf", elu, 16},
    {"selu", "n=300", "x=-6..6", selu, 16},
    {"selu", "n=14", EDGES, selu, 16},
    {"sigmoid", "n=300", "x=-20..20", sigmoid_of, 64},
    {"sigmoid", "n=4", "x=-inf|inf|0|nan", sigmoid_of, 1},
    {"tanh", "n=300", "x=-6..6", tanh_of, 32},
    {"tanh", "n=14", EDGES, tanh_of, 32},
    {"gelu", "n=300", "x=-6..6", gelu, 500}, /* erfc of a rounded argument z: 2 z^2 u */
    {"gelu", "n=1", "x=-0.5", gelu, 32},
    {"gelu_tanh", "n=300", "x=-6..6", gelu_tanh, 500},
    {"gelu_tanh", "n=3", "x=0|1e30|-0.5", gelu_tanh, 32},
    {"silu", "n=300", "x=-20..20", silu, 64},
    {"silu", "n=14", EDGES, silu, 256},
    {"softplus", "n=300", "x=-20..20", softplus, 64},
    {"softplus", "n=300,beta=2.5", "x=-6..6", softplus, 64},
    {"softplus", "n=4", "x=-inf|inf|1e30|nan", softplus, 1},
    {"mish", "n=300", "x=-20..20", mish, 64},
    {"mish", "n=3", "x=0|1e30|-0.5", mish, 32},
    {"hard_swish", "n=300", "x=-6..6", hard_swish, 16},
    {"hard_swish", "n=6", "x=0|-3|3|3e38|-3e38|-100", hard_swish, 4},
    {"glu", "n=300", "a=-6..6,b=-6..6", glu, 64},
    {"glu", "n=1", "a=-2,b=90", glu, 4},
    {"swiglu", "n=300", "a=-6..6,b=-6..6", swiglu, 64},
    {"geglu", "n=300", "a=-6..6,b=-6..6", geglu, 500},
    {"dropout", "", "x=-6..6", dropout, 4},
    {"dropout", "n=777,key=123456789,share=0.75", "x=-6..6", dropout, 4},
    {"dropout", "n=300,share=0", "x=-6..6", dropout, 4},
    {"dropout", "n=9,share=1", "x=nan|inf|1", dropout, 4},
    {"dropout", "n=0", "", dropout, 4},
};
KGT_ORACLES(activations, kgt_oracles_activations);
