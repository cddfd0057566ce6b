/* What moves elements: each is exact. */
#include "tests/primitives/oracle.h"

#include <math.h>

/* The element [o, k, i] of an array of three axes. */
static size_t at3(size_t o, size_t k, size_t i, size_t n, size_t inner) { return (o * n + k) * inner + i; }

static void transpose(kgt_case *c) {
  size_t rows = kgt_size(c, "rows"), cols = kgt_size(c, "cols");
  double *y = kgt_want(c, "y");
  for (size_t b = 0; b < kgt_size(c, "batch"); b++)
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < cols; j++) y[at3(b, j, i, cols, rows)] = kgt_floats(c, "x")[at3(b, i, j, rows, cols)];
}

static void permute3(kgt_case *c) {
  static const unsigned char axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const unsigned char *axis = axes[kgt_size(c, "order")];
  size_t size[3] = {kgt_size(c, "a"), kgt_size(c, "b"), kgt_size(c, "c")}, p[3];
  double *y = kgt_want(c, "y");
  for (p[0] = 0; p[0] < size[0]; p[0]++)
    for (p[1] = 0; p[1] < size[1]; p[1]++)
      for (p[2] = 0; p[2] < size[2]; p[2]++)
        y[at3(p[axis[0]], p[axis[1]], p[axis[2]], size[axis[1]], size[axis[2]])] = kgt_floats(c, "x")[at3(p[0], p[1], p[2], size[1], size[2])];
}

/* Each element [o, k, i] of y, along an axis of `length`: the formula says which k of x it is; more than any: `value`. */
static void along(kgt_case *c, size_t length, size_t (*from)(const kgt_case *c, size_t k), double value) {
  size_t n = kgt_size(c, "n"), inner = kgt_size(c, "inner");
  double *y = kgt_want(c, "y");
  for (size_t o = 0; o < kgt_size(c, "outer"); o++)
    for (size_t k = 0; k < length; k++)
      for (size_t i = 0; i < inner; i++) {
        size_t source = from(c, k);
        y[at3(o, k, i, length, inner)] = source < n ? (double)kgt_floats(c, "x")[at3(o, source, i, n, inner)] : value;
      }
}

static size_t sliced(const kgt_case *c, size_t k) { return kgt_size(c, "begin") + k * kgt_size(c, "stride"); }
static size_t flipped(const kgt_case *c, size_t k) { return kgt_size(c, "n") - 1 - k; }
static size_t rolled(const kgt_case *c, size_t k) {
  size_t n = kgt_size(c, "n");
  return (k + n - kgt_size(c, "shift") % n) % n;
}
static size_t repeated(const kgt_case *c, size_t k) { return k / kgt_size(c, "times"); }
static size_t padded(const kgt_case *c, size_t k) {
  size_t before = kgt_size(c, "before"), n = kgt_size(c, "n"), mode = kgt_size(c, "mode");
  if (k >= before && k < before + n) return k - before;
  if (mode == 0) return SIZE_MAX;
  if (mode == 1) return k < before ? 0 : n - 1;
  return k < before ? before - k : n - 1 - (k - (before + n - 1));
}

static void slice(kgt_case *c) { along(c, kgt_size(c, "count"), sliced, NAN); }
static void flip(kgt_case *c) { along(c, kgt_size(c, "n"), flipped, NAN); }
static void roll(kgt_case *c) { along(c, kgt_size(c, "n"), rolled, NAN); }
static void repeat_rows(kgt_case *c) { along(c, kgt_size(c, "n") * kgt_size(c, "times"), repeated, NAN); }
static void pad(kgt_case *c) {
  along(c, kgt_size(c, "before") + kgt_size(c, "n") + kgt_size(c, "after"), padded, kgt_real(c, "value"));
}

static void concat(kgt_case *c) {
  size_t n = kgt_size(c, "n"), m = kgt_size(c, "m"), inner = kgt_size(c, "inner");
  double *y = kgt_want(c, "y");
  for (size_t o = 0; o < kgt_size(c, "outer"); o++)
    for (size_t k = 0; k < n + m; k++)
      for (size_t i = 0; i < inner; i++)
        y[at3(o, k, i, n + m, inner)] =
            k < n ? kgt_floats(c, "a")[at3(o, k, i, n, inner)] : kgt_floats(c, "b")[at3(o, k - n, i, m, inner)];
}

static void rows_of(kgt_case *c, const char *table) {
  size_t cols = kgt_size(c, "cols");
  double *y = kgt_want(c, "y");
  for (size_t i = 0; i < kgt_size(c, "count"); i++)
    for (size_t j = 0; j < cols; j++) y[i * cols + j] = kgt_floats(c, table)[kgt_wholes(c, "index")[i] * cols + j];
}

static void gather(kgt_case *c) { rows_of(c, "x"); }
static void embedding(kgt_case *c) { rows_of(c, "table"); }

static void scatter_add(kgt_case *c) {
  size_t rows = kgt_size(c, "rows"), cols = kgt_size(c, "cols");
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (size_t k = 0; k < rows * cols; k++) y[k] = kgt_floats(c, "y")[k], magnitude[k] = fabs(y[k]);
  for (size_t i = 0; i < kgt_size(c, "count"); i++)
    for (size_t j = 0; j < cols; j++) {
      double v = kgt_floats(c, "x")[i * cols + j];
      size_t place = kgt_wholes(c, "index")[i] * cols + j;
      y[place] += v, magnitude[place] += fabs(v);
    }
}

static void one_hot(kgt_case *c) {
  size_t classes = kgt_size(c, "classes");
  double *y = kgt_want(c, "y");
  for (size_t i = 0; i < kgt_size(c, "count"); i++)
    for (size_t j = 0; j < classes; j++) y[i * classes + j] = kgt_wholes(c, "index")[i] == j;
}

/* Whether element k of a row goes before element l. */
static bool goes_first(const float *x, size_t k, size_t l, bool descending) {
  if (isnan(x[k]) || isnan(x[l])) return isnan(x[k]) && isnan(x[l]) ? k < l : isnan(x[l]);
  return x[k] == x[l] ? k < l : descending ? x[k] > x[l] : x[k] < x[l];
}

/* Each element stands behind all those that go before it. */
static void sorted(kgt_case *c, size_t count) {
  size_t n = kgt_size(c, "n");
  double *y = kgt_want(c, "y"), *index = kgt_want(c, "index");
  for (size_t r = 0; r < kgt_size(c, "rows"); r++) {
    const float *x = kgt_floats(c, "x") + r * n;
    for (size_t k = 0; k < n; k++) {
      size_t place = 0;
      for (size_t l = 0; l < n; l++) place += goes_first(x, l, k, kgt_size(c, "descending"));
      if (place < count) y[r * count + place] = x[k], index[r * count + place] = (double)k;
    }
  }
}

static void sort(kgt_case *c) { sorted(c, kgt_size(c, "n")); }
static void top_k(kgt_case *c) { sorted(c, kgt_size(c, "count")); }

/* Sizes that are no multiple of the workgroup, and of none. */
#define SHAPES(name, options, formula)                                                                                           \
  {name, "outer=4" options, "", formula, 0},                                                                                     \
  {name, "outer=2,inner=1,workgroup=8" options, "", formula, 0},                                                                 \
  {name, "outer=0" options, "", formula, 0},                                                                                     \
  {name, "inner=0" options, "", formula, 0}

const kgt_oracle kgt_oracles_movement[] = {
    {"transpose", "batch=1,rows=1,cols=1", "", transpose, 0},
    {"transpose", "batch=3,rows=21,cols=70,tile=8", "", transpose, 0},
    {"transpose", "batch=2,rows=64,cols=3,tile=32", "", transpose, 0},
    {"transpose", "batch=65537,rows=2,cols=1,tile=2", "", transpose, 0},
    {"transpose", "batch=0", "", transpose, 0},
    {"transpose", "rows=0", "", transpose, 0},
    {"transpose", "cols=0", "", transpose, 0},
    {"permute3", "order=0,workgroup=64", "", permute3, 0},
    {"permute3", "order=1", "", permute3, 0},
    {"permute3", "order=2", "", permute3, 0},
    {"permute3", "order=3", "", permute3, 0},
    {"permute3", "order=4,a=1,b=1,c=1", "", permute3, 0},
    {"permute3", "order=4,a=65,b=17,c=61,workgroup=1", "", permute3, 0}, /* more elements than there are workgroups */
    {"permute3", "order=5", "", permute3, 0},
    {"permute3", "b=0", "", permute3, 0},
    SHAPES("concat", "", concat),
    {"concat", "n=0", "", concat, 0},
    {"concat", "m=0", "", concat, 0},
    SHAPES("slice", "", slice),
    {"slice", "begin=0,count=20", "", slice, 0},
    {"slice", "begin=20,count=0", "", slice, 0},
    {"slice", "begin=20,count=0,stride=3", "", slice, 0},
    {"slice", "outer=65537,n=3,inner=1,begin=1,count=1,stride=65536", "", slice, 0}, /* outer stride passes 32 bits */
    {"slice", "begin=4,count=6,stride=3", "", slice, 0},
    {"slice", "begin=19,count=1,stride=7,workgroup=8", "", slice, 0},
    {"slice", "n=0,begin=0,count=0,stride=2", "", slice, 0},
    SHAPES("pad", ",value=0.5", pad),
    {"pad", "value=-3,before=0,after=40", "", pad, 0},
    {"pad", "value=-3,n=0", "", pad, 0},
    {"pad", "before=0,after=0", "", pad, 0},
    SHAPES("pad", ",mode=1", pad),
    {"pad", "mode=1,n=1,before=30,after=0", "", pad, 0},
    {"pad", "mode=1,n=0,before=0,after=0", "", pad, 0},
    SHAPES("pad", ",mode=2", pad),
    {"pad", "mode=2,n=5,before=4,after=4", "", pad, 0},
    {"pad", "mode=2,n=1,before=0,after=0", "", pad, 0},
    {"pad", "mode=2,n=0,before=0,after=0", "", pad, 0},
    SHAPES("flip", "", flip),
    {"flip", "n=0", "", flip, 0},
    SHAPES("roll", "", roll),
    {"roll", "shift=0", "", roll, 0},
    {"roll", "shift=20", "", roll, 0},
    {"roll", "shift=47", "", roll, 0},
    {"roll", "n=0", "", roll, 0},
    SHAPES("repeat_rows", "", repeat_rows),
    {"repeat_rows", "times=0", "", repeat_rows, 0},
    {"repeat_rows", "n=1,times=70", "", repeat_rows, 0},
    {"gather", "", "", gather, 0},
    {"gather", "rows=3,cols=1,count=70,workgroup=8", "index=2|2|0", gather, 0},
    {"gather", "count=0", "", gather, 0},
    {"gather", "cols=0", "", gather, 0},
    {"scatter_add", "", "", scatter_add, 40},
    {"scatter_add", "rows=3,cols=2,count=70,workgroup=8", "index=2|2|0", scatter_add, 71},
    {"scatter_add", "count=0", "", scatter_add, 0},
    {"embedding", "", "", embedding, 0},
    {"embedding", "padding=3,rows=5,workgroup=8", "index=3|1|3|4", embedding, 0},
    {"embedding", "count=0", "", embedding, 0},
    {"one_hot", "classes=7", "index=0|6|3|7|4294967295", one_hot, 0},
    {"one_hot", "count=3,classes=1,workgroup=1", "index=0|1", one_hot, 0},
    {"one_hot", "classes=0", "", one_hot, 0},
    {"one_hot", "count=0", "", one_hot, 0},
    {"sort", "", "", sort, 0},
    {"sort", "rows=2,n=128,workgroup=8,descending=1", "", sort, 0},
    {"sort", "rows=2,n=1,width=2", "", sort, 0},
    {"sort", "rows=3,n=7,width=8,workgroup=1", "x=3|1|2|2|nan|inf|-inf|2|nan|-0|0|3|1", sort, 0},
    {"sort", "rows=3,n=7,width=8,descending=1", "x=3|1|2|2|nan|inf|-inf|2|nan|-0|0|3|1", sort, 0},
    {"sort", "rows=2,n=11,width=16,workgroup=256", "x=1e-40|-1e-40|0|-0.0|2e-40|3e38|-3e38|1e-38|-0.0|inf|-1e-40|nan", sort, 0},
    {"sort", "rows=1,n=1500,width=2048,workgroup=256", "", sort, 0},
    {"sort", "rows=65537,n=2,width=2,workgroup=1", "", sort, 0},
    {"sort", "rows=0", "", sort, 0},
    {"sort", "n=0", "", sort, 0},
    {"top_k", "", "", top_k, 0},
    {"top_k", "rows=2,n=20,width=32,count=20,descending=0", "", top_k, 0},
    {"top_k", "rows=3,n=7,width=8,count=3", "x=3|1|2|2|nan|inf|-inf|2|nan|-0|0|3|1", top_k, 0},
    {"top_k", "count=0", "", top_k, 0},
    {"top_k", "n=0,count=0", "", top_k, 0},
    {"slice", "begin=15,count=6", "", NULL, 0},
    {"slice", "begin=20,count=1", "", NULL, 0},
    {"slice", "begin=3,count=6,stride=4", "", NULL, 0},
    {"pad", "mode=1,n=0", "", NULL, 0},
    {"pad", "mode=2,n=5,before=5", "", NULL, 0},
    {"pad", "mode=2,n=0,before=0,after=1", "", NULL, 0},
    {"sort", "n=129", "", NULL, 0},
    {"top_k", "n=4", "", NULL, 0},
};
KGT_ORACLES(movement, kgt_oracles_movement);
