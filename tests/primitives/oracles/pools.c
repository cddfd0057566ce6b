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

static void max_pool2d(kgt_case *c) {
  picture p = picture_of(c);
  double *y = kgt_want(c, "y"), *at = kgt_want(c, "at");
  p.rows = places(c, p.height, "kernel_h"), p.columns = places(c, p.width, "kernel_w");
  for (long e = 0; e < (long)p.planes * p.rows * p.columns; e++) {
    span rows = window(c, e / p.columns % p.rows, p.height, "kernel_h"), columns = window(c, e % p.columns, p.width, "kernel_w");
    const float *plane = p.x + e / (p.rows * p.columns) * p.height * p.width;
    long first = rows.from * p.width + columns.from;
    for (long r = rows.from; r < rows.to; r++)
      for (long s = columns.from; s < columns.to; s++) {
        float v = plane[r * p.width + s];
        if (v > plane[first] || (isnan(v) && !isnan(plane[first]))) first = r * p.width + s;
      }
    y[e] = plane[first], at[e] = (double)first;
  }
}

static void avg_pool2d(kgt_case *c) {
  picture p = picture_of(c);
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  p.rows = places(c, p.height, "kernel_h"), p.columns = places(c, p.width, "kernel_w");
  for (long e = 0; e < (long)p.planes * p.rows * p.columns; e++) {
    span rows = window(c, e / p.columns % p.rows, p.height, "kernel_h"), columns = window(c, e % p.columns, p.width, "kernel_w");
    double count = (double)((rows.to - rows.from) * (columns.to - columns.from));
    if (kgt_size(c, "count_include_pad")) count = (double)(kgt_size(c, "kernel_h") * kgt_size(c, "kernel_w"));
    y[e] = mean(p.x + e / (p.rows * p.columns) * p.height * p.width, p.width, rows, columns, count, &magnitude[e]);
  }
}

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
    {"max_pool2d", "planes=0", "", max_pool2d, 0},
    {"avg_pool2d", "", "", avg_pool2d, 10},
    {"avg_pool2d", "count_include_pad=0", "", avg_pool2d, 10},
    {"avg_pool2d", "planes=3,height=13,width=70,kernel_h=2,kernel_w=5,stride=3,padding=1,count_include_pad=0",
     "", avg_pool2d, 12},
    {"avg_pool2d", "height=6,width=6,kernel_h=2,kernel_w=2,stride=4,padding=0,workgroup=16", "x=1|0|inf|0", avg_pool2d, 6},
    {"avg_pool2d", "height=2,width=2,kernel_h=3,kernel_w=3,padding=0", "", avg_pool2d, 2},
    {"avg_pool2d", "planes=70000,height=1,width=2,kernel_h=1,kernel_w=2,padding=0,workgroup=1", "", avg_pool2d, 4},
    {"adaptive_avg_pool2d", "", "", adaptive_avg_pool2d, 20},
    {"adaptive_avg_pool2d", "height=3,width=2,out_height=7,out_width=2",
     "", adaptive_avg_pool2d, 10}, /* windows of one element */
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
    {"upsample", "height=1,width=1,out_height=3,out_width=1", "", upsample, 12},
    {"upsample", "height=1,width=3,out_height=2,out_width=6,align_corners=1,workgroup=1", "", upsample, 12},
    {"upsample", "planes=0", "", upsample, 2},
};
KGT_ORACLES(pools, kgt_oracles_pools);
