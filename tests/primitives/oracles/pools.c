/* Pools, and pictures of another size. */
#include "tests/primitives/oracle.h"

#include <math.h>

/* Where windows of a place lie along one axis. */
typedef struct span { long from, to; } span;
typedef struct picture { size_t planes; long height, width, rows, columns; const float *x; } picture;

static picture picture_of(const kgt_case *c) {
  return (picture){.planes = kgt_size(c, "planes"), .height = (long)kgt_size(c, "height"), .width = (long)kgt_size(c, "width"),
                   .x = kgt_floats(c, "x")};
}

static long places(const kgt_case *c, long side, const char *kernel) {
  long room = side + 2 * (long)kgt_size(c, "padding") - (long)kgt_size(c, kernel);
  return room < 0 ? 0 : room / (long)kgt_size(c, "stride") + 1;
}

/* As far as it lies on the picture. */
static span window(const kgt_case *c, long place, long side, const char *kernel) {
  long from = place * (long)kgt_size(c, "stride") - (long)kgt_size(c, "padding"), to = from + (long)kgt_size(c, kernel);
  return (span){from < 0 ? 0 : from, to > side ? side : to};
}

static double mean(const float *plane, long width, span rows, span columns, double count, double *magnitude) {
  double sum = 0;
  for (long r = rows.from; r < rows.to; r++)
    for (long s = columns.from; s < columns.to; s++) sum += plane[r * width + s], *magnitude += fabs(plane[r * width + s]) / count;
  return sum / count;
}

/* Layers, rows and columns: of a picture one layer, of a line one row of it. */
typedef struct volume { span side[3]; long size[3], places[3], kernel[3]; } volume;

static volume volume_of(const kgt_case *c, const char *const *sides, const char *const *kernels, size_t axes) {
  volume v = {.size = {1, 1, 1}, .places = {1, 1, 1}, .kernel = {1, 1, 1}, .side = {{0, 1}, {0, 1}, {0, 1}}};
  for (size_t k = 0, a = 3 - axes; k < axes; k++, a++) {
    v.size[a] = (long)kgt_size(c, sides[k]), v.kernel[a] = (long)kgt_size(c, kernels[k]);
    v.places[a] = places(c, v.size[a], kernels[k]);
  }
  return v;
}

/* Sets where the window of place e of y lies, and returns the plane of x. */
static const float *take_window(const kgt_case *c, volume *v, const char *const *kernels, size_t axes, long e) {
  long inside = v->places[0] * v->places[1] * v->places[2];
  long at[3] = {e % inside / (v->places[1] * v->places[2]), e / v->places[2] % v->places[1], e % v->places[2]};
  for (size_t k = 0, a = 3 - axes; k < axes; k++, a++) v->side[a] = window(c, at[a], v->size[a], kernels[k]);
  return kgt_floats(c, "x") + e / inside * v->size[0] * v->size[1] * v->size[2];
}

#define EACH_OF(v, k)                                                                                                            \
  for (long l = (v).side[0].from, k; l < (v).side[0].to; l++)                                                                    \
    for (long r = (v).side[1].from; r < (v).side[1].to; r++)                                                                     \
      for (long s = (v).side[2].from; s < (v).side[2].to && (k = (l * (v).size[1] + r) * (v).size[2] + s, true); s++)

static void max_pool(kgt_case *c, const char *const *sides, const char *const *kernels, size_t axes) {
  volume v = volume_of(c, sides, kernels, axes);
  double *y = kgt_want(c, "y"), *at = kgt_want(c, "at");
  for (long e = 0; e < (long)kgt_count(c, "y"); e++) {
    const float *plane = take_window(c, &v, kernels, axes, e);
    long first = (v.side[0].from * v.size[1] + v.side[1].from) * v.size[2] + v.side[2].from;
    EACH_OF(v, k) if (plane[k] > plane[first] || (isnan(plane[k]) && !isnan(plane[first]))) first = k;
    y[e] = plane[first], at[e] = (double)first;
  }
}

static void avg_pool(kgt_case *c, const char *const *sides, const char *const *kernels, size_t axes) {
  volume v = volume_of(c, sides, kernels, axes);
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (long e = 0; e < (long)kgt_count(c, "y"); e++) {
    const float *plane = take_window(c, &v, kernels, axes, e);
    double count = 1, sum = 0;
    for (int a = 0; a < 3; a++)
      count *= (double)(kgt_size(c, "count_include_pad") ? v.kernel[a] : v.side[a].to - v.side[a].from);
    EACH_OF(v, k) sum += plane[k], magnitude[e] += fabs(plane[k]) / count;
    y[e] = sum / count;
  }
}

static const char *const sides3[] = {"depth", "height", "width"}, *const kernels3[] = {"kernel_d", "kernel_h", "kernel_w"};
static const char *const side1[] = {"length"}, *const kernel1[] = {"kernel"};

static void max_pool1d(kgt_case *c) { max_pool(c, side1, kernel1, 1); }
static void max_pool2d(kgt_case *c) { max_pool(c, sides3 + 1, kernels3 + 1, 2); }
static void max_pool3d(kgt_case *c) { max_pool(c, sides3, kernels3, 3); }
static void avg_pool1d(kgt_case *c) { avg_pool(c, side1, kernel1, 1); }
static void avg_pool2d(kgt_case *c) { avg_pool(c, sides3 + 1, kernels3 + 1, 2); }
static void avg_pool3d(kgt_case *c) { avg_pool(c, sides3, kernels3, 3); }

static span share(long place, long side, long of) {
  return (span){(long)floor((double)place * (double)side / (double)of),
                (long)ceil((double)(place + 1) * (double)side / (double)of)};
}

static void adaptive_avg_pool2d(kgt_case *c) {
  picture p = picture_of(c);
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  p.rows = (long)kgt_size(c, "out_height"), p.columns = (long)kgt_size(c, "out_width");
  for (long e = 0; e < (long)p.planes * p.rows * p.columns; e++) {
    span rows = share(e / p.columns % p.rows, p.height, p.rows), columns = share(e % p.columns, p.width, p.columns);
    double count = (double)((rows.to - rows.from) * (columns.to - columns.from));
    y[e] = mean(p.x + e / (p.rows * p.columns) * p.height * p.width, p.width, rows, columns, count, &magnitude[e]);
  }
}

static void global_avg_pool(kgt_case *c) {
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  long size = (long)kgt_size(c, "size");
  for (size_t p = 0; p < kgt_count(c, "y"); p++)
    y[p] = mean(kgt_floats(c, "x") + p * (size_t)size, size, (span){0, 1}, (span){0, size}, (double)size, &magnitude[p]);
}

/* Where place i lies on the other grid. */
static double position(const kgt_case *c, long i, long side, long of) {
  if (!kgt_size(c, "bilinear")) return floor((double)i * (double)side / (double)of);
  if (kgt_size(c, "align_corners")) return of > 1 ? (double)i * (double)(side - 1) / (double)(of - 1) : 0;
  return fmax(((double)i + 0.5) * (double)side / (double)of - 0.5, 0);
}

static void upsample(kgt_case *c) {
  picture p = picture_of(c);
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  p.rows = (long)kgt_size(c, "out_height"), p.columns = (long)kgt_size(c, "out_width");
  for (long e = 0; e < (long)p.planes * p.rows * p.columns; e++) {
    const float *plane = p.x + e / (p.rows * p.columns) * p.height * p.width;
    double row = position(c, e / p.columns % p.rows, p.height, p.rows), column = position(c, e % p.columns, p.width, p.columns);
    y[e] = 0;
    for (long r = 0; r < p.height; r++)
      for (long s = 0; s < p.width; s++) {
        /* the hat over each element; beyond the last one the picture goes on as it ends */
        double weight = fmax(1 - fabs(fmin(row, (double)(p.height - 1)) - (double)r), 0) *
                        fmax(1 - fabs(fmin(column, (double)(p.width - 1)) - (double)s), 0);
        if (weight > 0) y[e] += weight * plane[r * p.width + s], magnitude[e] += weight * fabs(plane[r * p.width + s]);
      }
  }
}

/* A sum of k elements is off by k - 1 units of the sum of their absolutes, the quotient by one more. */
const kgt_oracle kgt_oracles_pools[] = {
    {"max_pool2d", "", "", max_pool2d, 0},
    {"max_pool2d", "planes=1,height=1,width=1,kernel_h=1,kernel_w=1,padding=0,stride=1", "", max_pool2d, 0},
    {"max_pool2d", "planes=3,height=13,width=70,kernel_h=2,kernel_w=5,stride=3,padding=1",
     "x=1|2|2|0|nan|2|-1|inf|0|0|1|1|1|-inf|3|0|0", max_pool2d, 0},
    {"max_pool2d", "kernel_h=3,kernel_w=3,stride=1", "x=1|1|0", max_pool2d, 0},
    {"max_pool2d", "height=6,width=6,kernel_h=2,kernel_w=2,stride=4,padding=0,workgroup=16", "x=-inf", max_pool2d, 0},
    {"max_pool2d", "height=2,width=2,kernel_h=3,kernel_w=3,padding=0", "", max_pool2d, 0}, /* no window fits */
    {"max_pool2d", "height=20,width=17,kernel_h=3,kernel_w=2,stride=7,padding=1", "", max_pool2d, 0}, /* gaps */
    {"max_pool2d", "height=2,width=3,kernel_h=5,kernel_w=6,padding=4,stride=1", "x=nan|-inf|-1", max_pool2d, 0}, /* no side as long */
    {"max_pool2d", "stride=1", "x=-0.0|0|1e-40|-1e-40|-0.0", max_pool2d, 0},
    {"max_pool2d", "planes=0", "", max_pool2d, 0},
    {"avg_pool2d", "", "", avg_pool2d, 10},
    {"avg_pool2d", "count_include_pad=0", "", avg_pool2d, 10},
    {"avg_pool2d", "planes=3,height=13,width=70,kernel_h=2,kernel_w=5,stride=3,padding=1,count_include_pad=0",
     "", avg_pool2d, 12},
    {"avg_pool2d", "height=6,width=6,kernel_h=2,kernel_w=2,stride=4,padding=0,workgroup=16", "x=1|0|inf|0", avg_pool2d, 6},
    {"avg_pool2d", "height=20,width=17,kernel_h=3,kernel_w=2,stride=7,padding=1", "", avg_pool2d, 10},
    {"avg_pool2d", "height=2,width=3,kernel_h=5,kernel_w=6,padding=4,stride=1,count_include_pad=0", "", avg_pool2d, 10},
    {"avg_pool2d", "height=2,width=2,kernel_h=3,kernel_w=3,padding=0", "", avg_pool2d, 2},
    {"avg_pool2d", "planes=70000,height=1,width=2,kernel_h=1,kernel_w=2,padding=0,workgroup=1", "", avg_pool2d, 4},
    {"max_pool1d", "", "", max_pool1d, 0},
    {"max_pool1d", "planes=3,length=70,kernel=5,stride=7,padding=4,workgroup=16", "x=1|1|nan|-inf|2|0", max_pool1d, 0},
    {"max_pool1d", "length=1,kernel=1,stride=1,padding=0", "", max_pool1d, 0},
    {"max_pool1d", "length=2,padding=0", "", max_pool1d, 0}, /* no window fits */
    {"max_pool1d", "planes=0", "", max_pool1d, 0},
    {"max_pool3d", "", "", max_pool3d, 0},
    {"max_pool3d", "planes=2,depth=6,height=5,width=11,kernel_d=2,kernel_h=4,stride=3,workgroup=16", "x=1|1|nan|-inf|2|0|-1", max_pool3d, 0},
    {"max_pool3d", "depth=2,height=2,width=2,kernel_d=4,kernel_h=4,kernel_w=4,padding=3,stride=1", "", max_pool3d, 0},
    {"max_pool3d", "depth=2,kernel_d=3,padding=0", "", max_pool3d, 0},
    {"avg_pool1d", "", "", avg_pool1d, 6},
    {"avg_pool1d", "planes=3,length=70,kernel=5,stride=7,padding=4,workgroup=16,count_include_pad=0", "", avg_pool1d, 8},
    {"avg_pool1d", "planes=0", "", avg_pool1d, 2},
    {"avg_pool3d", "", "", avg_pool3d, 30},
    {"avg_pool3d", "planes=2,depth=6,height=5,width=11,kernel_d=2,kernel_h=4,stride=3,count_include_pad=0", "", avg_pool3d, 30},
    {"avg_pool3d", "depth=2,kernel_d=3,padding=0", "", avg_pool3d, 2},
    {"adaptive_avg_pool2d", "", "", adaptive_avg_pool2d, 20},
    {"adaptive_avg_pool2d", "height=3,width=2,out_height=7,out_width=2",
     "", adaptive_avg_pool2d, 10}, /* windows of one element */
    {"adaptive_avg_pool2d", "height=13,width=31,out_height=11,out_width=7,workgroup=1", "", adaptive_avg_pool2d, 16},
    {"adaptive_avg_pool2d", "height=1,width=1,out_height=5,out_width=3", "", adaptive_avg_pool2d, 2},
    {"adaptive_avg_pool2d", "out_height=1,out_width=1", "", adaptive_avg_pool2d, 100},
    {"adaptive_avg_pool2d", "planes=0", "", adaptive_avg_pool2d, 2},
    {"global_avg_pool", "", "", global_avg_pool, 10},
    {"global_avg_pool", "planes=1,size=1,workgroup=64", "", global_avg_pool, 2},
    {"global_avg_pool", "planes=70000,size=2,workgroup=2", "", global_avg_pool, 4},
    {"global_avg_pool", "planes=3,size=1000,workgroup=8", "x=0|1|0|-2", global_avg_pool, 150},
    {"global_avg_pool", "planes=0", "", global_avg_pool, 2},
    {"upsample", "", "", upsample, 12},
    {"upsample", "align_corners=1", "", upsample, 12},
    {"upsample", "bilinear=0", "", upsample, 0},
    {"upsample", "height=13,width=12,out_height=5,out_width=4", "", upsample, 12},
    {"upsample", "height=13,width=12,out_height=1,out_width=1,align_corners=1", "", upsample, 12},
    {"upsample", "height=13,width=12,out_height=5,out_width=7,bilinear=0", "", upsample, 0},
    {"upsample", "height=31,width=2,out_height=29,out_width=37", "", upsample, 12},
    {"upsample", "height=31,width=2,out_height=29,out_width=37,bilinear=0", "", upsample, 0},
    {"upsample", "height=31,width=2,out_height=29,out_width=37,align_corners=1,workgroup=256", "", upsample, 12},
    {"upsample", "height=1,width=1,out_height=3,out_width=1", "", upsample, 12},
    {"upsample", "height=1,width=3,out_height=2,out_width=6,align_corners=1,workgroup=1", "", upsample, 12},
    {"upsample", "planes=0", "", upsample, 2},
};
KGT_ORACLES(pools, kgt_oracles_pools);
