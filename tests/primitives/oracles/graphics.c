/* Pictures. */
#include "tests/primitives/oracle.h"

#include <math.h>
#include <stdlib.h>

typedef struct spot { double x, y, xx, xy, yy, opacity; } spot; /* middle and covariance */

static void spread(double *picture, double *magnitude, const float *colour, size_t channels, double weight, double rounding) {
  for (size_t k = 0; k < channels; k++) {
    picture[k] += weight * (double)colour[k];
    magnitude[k] += fabs(weight * rounding * (double)colour[k]);
  }
}

/* Where the stopping rule is met within rounding, f32 and this may differ: rows keep away from it. */
static void compose(kgt_case *c, const spot *spots) {
  double *picture = kgt_want(c, "picture"), *magnitude = kgt_magnitude(c, "picture");
  size_t n = kgt_size(c, "n"), width = kgt_size(c, "width"), height = kgt_size(c, "height"), channels = kgt_size(c, "channels");
  double side = (double)(width > height ? width : height);
  for (size_t e = 0; e < kgt_count(c, "picture"); e++) picture[e] = 0;
  for (size_t pixel = 0; pixel < width * height; pixel++) {
    double x = (2 * (double)(pixel % width) + 1 - (double)width) / side;
    double y = (2 * (double)(pixel / width) + 1 - (double)height) / side;
    double light = 1;
    for (size_t g = 0; g < n && light >= 0.00005; g++) {
      const spot s = spots[g];
      double dx = x - s.x, dy = y - s.y;
      double square = (s.yy * dx * dx - 2 * s.xy * dx * dy + s.xx * dy * dy) / (s.xx * s.yy - s.xy * s.xy);
      double alpha = fmin(s.opacity * exp(-0.5 * square), 0.99);
      /* exp turns an error of its argument, some units of square, into a relative one */
      spread(picture + pixel * channels, magnitude + pixel * channels, kgt_floats(c, "colour") + g * channels, channels,
             light * alpha, 1 + square);
      light *= 1 - alpha;
    }
  }
}

static void splat_2d(kgt_case *c) {
  const float *mean = kgt_floats(c, "mean"), *factor = kgt_floats(c, "factor"), *opacity = kgt_floats(c, "opacity");
  size_t n = kgt_size(c, "n");
  spot *spots = calloc(n + 1, sizeof *spots);
  for (size_t g = 0; g < n; g++) {
    double a = (double)factor[3 * g], b = (double)factor[3 * g + 1], d = (double)factor[3 * g + 2];
    spots[g] = (spot){(double)mean[2 * g], (double)mean[2 * g + 1], a * a, a * b, b * b + d * d, (double)opacity[g]};
  }
  compose(c, spots);
  free(spots);
}

/* turn L, of which the lower triangle is given row by row */
static void edges(const float *turn, const float *shape, double edge[3][3]) {
  const double l[3][3] = {{(double)shape[0], 0, 0}, {(double)shape[1], (double)shape[2], 0},
                          {(double)shape[3], (double)shape[4], (double)shape[5]}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      edge[i][k] = 0;
      for (int m = 0; m < 3; m++) edge[i][k] += (double)turn[3 * i + m] * l[m][k];
    }
}

static spot projected(const kgt_case *c, size_t g) {
  const float *eye = kgt_floats(c, "eye"), *turn = kgt_floats(c, "turn"), *place = kgt_floats(c, "place") + 3 * g;
  double f = kgt_real(c, "focal"), blur = kgt_real(c, "blur"), at[3] = {0}, edge[3][3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) at[i] += (double)turn[3 * i + k] * ((double)place[k] - (double)eye[k]);
  edges(turn, kgt_floats(c, "shape") + 6 * g, edge);
  if (at[2] <= kgt_real(c, "near")) return (spot){.xx = 1, .yy = 1};
  spot s = {f * at[0] / at[2], f * at[1] / at[2], blur * blur, 0, blur * blur, (double)kgt_floats(c, "cover")[g]};
  for (int k = 0; k < 3; k++) {
    double across = f / at[2] * edge[0][k] - f * at[0] / (at[2] * at[2]) * edge[2][k];
    double down = f / at[2] * edge[1][k] - f * at[1] / (at[2] * at[2]) * edge[2][k];
    s.xx += across * across, s.xy += across * down, s.yy += down * down;
  }
  return s;
}

static void splat_3d(kgt_case *c) {
  size_t n = kgt_size(c, "n");
  spot *spots = calloc(n + 1, sizeof *spots);
  for (size_t g = 0; g < n; g++) spots[g] = projected(c, g);
  compose(c, spots);
  free(spots);
}

/* A camera that looks along z, from some way off and a little askew. */
static const char view[] = "eye=0.1|-0.2|-2,turn=1|0.1|0|-0.1|1|0.2|0|-0.2|1,shape=0.1..0.5,cover=0..1";

const kgt_oracle kgt_oracles_graphics[] = {
    {"splat_2d", "", "factor=0.2..0.8,opacity=0..1", splat_2d, 300},
    {"splat_2d", "n=40,width=33,height=70,channels=1,workgroup=32", "factor=0.1..0.6,opacity=0..0.5", splat_2d, 600},
    {"splat_2d", "n=1,width=1,height=1,channels=2", "factor=0.3|-0.2|0.4,opacity=0.7", splat_2d, 100},
    /* Flat ones that take 0.99 each: the third is seen by a ten thousandth, and nothing behind it is. */
    {"splat_2d", "n=5,width=3,height=2,workgroup=32", "factor=1e4|0|1e4,opacity=1|0.98|1|1,colour=0|1|0.5", splat_2d, 100},
    {"splat_2d", "n=6,width=9,height=2", "factor=1e4|0|1e4,opacity=0|0|1", splat_2d, 100},
    {"splat_2d", "n=0", "opacity=0..1", splat_2d, 0},
    {"splat_2d", "width=0", "opacity=0..1", splat_2d, 0},
    {"splat_3d", "", view, splat_3d, 600},
    {"splat_3d", "n=30,width=33,height=70,channels=1,focal=2,blur=0.1", view, splat_3d, 1200},
    {"splat_3d", "n=5,near=2.5", view, splat_3d, 600}, /* some lie before what is near */
    {"splat_3d", "n=2,width=5,height=4",
     "eye=0|0|-1,turn=1|0|0|0|1|0|0|0|1,place=0,shape=0,cover=0.5", splat_3d, 600}, /* points */
    {"splat_3d", "n=0", view, splat_3d, 0},
};
KGT_ORACLES(graphics, kgt_oracles_graphics);
