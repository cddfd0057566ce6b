/* Fourier transforms, by the sum itself. */
#include "tests/primitives/oracle.h"

#include <math.h>

/* An error of a few units in each twiddle, in each of the stages, is one of the sum of absolutes. */
static void fourier(kgt_case *c) {
  double *want = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  const float *x = kgt_floats(c, "x");
  size_t n = kgt_size(c, "n"), inverse = kgt_size(c, "inverse");
  for (size_t item = 0; item < kgt_size(c, "batch"); item++, x += 2 * n, want += 2 * n, magnitude += 2 * n)
    for (size_t k = 0; k < n; k++) {
      double re = 0, im = 0, sum = 0, scale = inverse ? (double)n : 1;
      for (size_t j = 0; j < n; j++) {
        double angle = (inverse ? 2 : -2) * 3.14159265358979323846 * (double)(j * k % n) / (double)n;
        re += x[2 * j] * cos(angle) - x[2 * j + 1] * sin(angle);
        im += x[2 * j] * sin(angle) + x[2 * j + 1] * cos(angle);
        sum += hypot(x[2 * j], x[2 * j + 1]);
      }
      want[2 * k] = re / scale, want[2 * k + 1] = im / scale;
      magnitude[2 * k] = magnitude[2 * k + 1] = sum / scale;
    }
}

const kgt_oracle kgt_oracles_transforms[] = {
    {"fft", "", "", fourier, 16},
    {"fft", "inverse=1", "", fourier, 16},
    {"fft", "n=128,batch=2", "", fourier, 16},
    {"fft", "n=1024,batch=1,inverse=1", "", fourier, 16},
    {"fft", "n=1,batch=5", "", fourier, 2},
    {"fft", "n=1,batch=5,inverse=1", "", fourier, 2},
    {"fft", "n=2", "", fourier, 4},
    {"fft", "n=4,inverse=1", "", fourier, 4},
    {"fft", "batch=0", "", fourier, 1},
    {"fft", "batch=70000,n=2", "", fourier, 4},
    {"fft_any", "", "", fourier, 64},
    {"fft_any", "inverse=1", "", fourier, 64},
    {"fft_any", "n=1,room=1", "", fourier, 4},
    {"fft_any", "n=2,room=4,inverse=1", "", fourier, 16},
    {"fft_any", "n=7,room=16,batch=4", "", fourier, 32},
    {"fft_any", "n=127,room=256,batch=1", "", fourier, 64},
    {"fft_any", "n=16,room=32,batch=2,inverse=1", "", fourier, 32},
    {"fft_any", "n=0", "", fourier, 1},
    {"fft_any", "batch=0", "", fourier, 1},
};
KGT_ORACLES(transforms, kgt_oracles_transforms);
