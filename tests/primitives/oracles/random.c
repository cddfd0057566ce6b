/* Random numbers. That Philox is what the paper has is known from its own vectors (tests/autodiff/test_prelude.c). */
#include "tests/primitives/math.h"
#include "tests/primitives/oracle.h"

#include <math.h>

/* The upper 24 bits of a word. */
static double bits(unsigned word, size_t i, kgt_case *c) {
  return kgt_philox(word, (uint32_t)i, (uint32_t)kgt_size(c, "key")) >> 8;
}

static void uniform(kgt_case *c) {
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y"), low = kgt_real(c, "low"), high = kgt_real(c, "high");
  for (size_t i = 0; i < kgt_count(c, "y"); i++) {
    y[i] = low + (high - low) * bits(0, i, c) * 0x1p-24;
    magnitude[i] = fabs(low) + fabs(high);
  }
}

/* Functions of devices may be off by some ulps, and the phase by the rounding of 2 pi. */
static void normal(kgt_case *c) {
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y"), deviation = kgt_real(c, "deviation"), turn = 2 * acos(-1);
  for (size_t i = 0; i < kgt_count(c, "y"); i++) {
    double length = sqrt(-2 * log((bits(0, i, c) + 1) * 0x1p-24));
    y[i] = kgt_real(c, "mean") + deviation * length * cos(turn * (bits(1, i, c) * 0x1p-24 - 0.5));
    magnitude[i] = fabs(kgt_real(c, "mean")) + deviation * length;
  }
}

const kgt_oracle kgt_oracles_random[] = {
    {"uniform", "", "", uniform, 0}, /* exact */
    {"uniform", "n=300,key=7,low=-3,high=2", "", uniform, 4},
    {"uniform", "n=1,low=5,high=5", "", uniform, 4},
    {"uniform", "n=3,low=2,high=-1e30", "", uniform, 4},
    {"uniform", "n=0", "", uniform, 0},
    {"normal", "", "", normal, 32},
    {"normal", "n=300,key=999999999,mean=-7,deviation=3", "", normal, 32},
    {"normal", "n=77,mean=0.25,deviation=0", "", normal, 1},
    {"normal", "n=0", "", normal, 0},
};
KGT_ORACLES(random, kgt_oracles_random);
