/* Reductions along an axis of [outer, n, inner]. */
#include "tests/primitives/oracle.h"

#include <float.h>
#include <math.h>

/* One row or column: its elements, `step` apart. */
typedef struct line { const float *x; size_t n, step; } line;

static double at(line l, size_t k) { return l.x[k * l.step]; }

/* Calls of `reduce` for each; it gives the value, and what bounds its rounding. */
static void each(kgt_case *c, double (*reduce)(const kgt_case *c, line l, double *magnitude)) {
  size_t outer = kgt_size(c, "outer"), n = kgt_size(c, "n"), inner = kgt_size(c, "last") ? 1 : kgt_size(c, "inner");
  double *want = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (size_t o = 0; o < outer; o++)
    for (size_t i = 0; i < inner; i++)
      want[o * inner + i] = reduce(c, (line){kgt_floats(c, "x") + o * n * inner + i, n, inner}, &magnitude[o * inner + i]);
}

static double sum_of(const kgt_case *c, line l, double *magnitude) {
  double sum = 0;
  (void)c;
  for (size_t k = 0; k < l.n; k++) sum += at(l, k), *magnitude += fabs(at(l, k));
  return sum;
}

static double mean_of(const kgt_case *c, line l, double *magnitude) {
  double sum = sum_of(c, l, magnitude);
  *magnitude /= (double)l.n;
  return sum / (double)l.n;
}

/* The rounding of the mean, and of each difference, is of the elements' size. */
static double variance_of(const kgt_case *c, line l, double *magnitude) {
  double mean = mean_of(c, l, magnitude), sum = 0, most = 0;
  for (size_t k = 0; k < l.n; k++) {
    double d = at(l, k) - mean;
    sum += d * d;
    most = fmax(most, fabs(at(l, k)));
  }
  double free = (double)l.n - kgt_real(c, "correction");
  *magnitude = free > 0 ? 2 * sqrt(sum * (double)l.n) * most / free : 0;
  return free > 0 ? sum / free : NAN;
}

static double product_of(const kgt_case *c, line l, double *magnitude) {
  double product = 1;
  (void)c, (void)magnitude;
  for (size_t k = 0; k < l.n; k++) product *= at(l, k);
  return product;
}

static double logsumexp_of(const kgt_case *c, line l, double *magnitude) {
  double sum = 0, most = -INFINITY;
  (void)c;
  for (size_t k = 0; k < l.n; k++) most = fmax(most, at(l, k));
  if (isfinite(most)) {
    for (size_t k = 0; k < l.n; k++) sum += exp(at(l, k) - most);
    *magnitude = 1 + fabs(most);
    return most + log(sum);
  }
  for (size_t k = 0; k < l.n; k++) sum += exp(at(l, k));
  return log(sum);
}

static double norm_of(const kgt_case *c, line l, double *magnitude) {
  size_t p = kgt_size(c, "p");
  double sum = 0;
  (void)magnitude;
  for (size_t k = 0; k < l.n; k++) {
    double v = fabs(at(l, k));
    if (p == 0) sum = isnan(v) || v > sum ? v : sum;
    else sum += p == 1 ? v : v * v;
  }
  return p == 2 ? sqrt(sum) : sum;
}

static void sum(kgt_case *c) { each(c, sum_of); }
static void mean(kgt_case *c) { each(c, mean_of); }
static void variance(kgt_case *c) { each(c, variance_of); }
static void product(kgt_case *c) { each(c, product_of); }
static void logsumexp(kgt_case *c) { each(c, logsumexp_of); }
static void norm(kgt_case *c) { each(c, norm_of); }

/* The first that no other is better than; n: there is none. */
static size_t place_of(line l, double sign) {
  for (size_t k = 0; k < l.n; k++) {
    size_t better = 0;
    for (size_t j = 0; j < l.n; j++) better += isnan(at(l, j)) ? !isnan(at(l, k)) : sign * at(l, j) > sign * at(l, k);
    if (!better) return k;
  }
  return l.n;
}

static void extreme(kgt_case *c, double sign, bool valued) {
  size_t outer = kgt_size(c, "outer"), n = kgt_size(c, "n"), inner = kgt_size(c, "last") ? 1 : kgt_size(c, "inner");
  double *index = kgt_want(c, "index"), *y = valued ? kgt_want(c, "y") : NULL;
  for (size_t k = 0; k < outer * inner; k++) {
    line l = {kgt_floats(c, "x") + k / inner * n * inner + k % inner, n, inner};
    size_t place = place_of(l, sign);
    index[k] = (double)place;
    if (valued) y[k] = place < n ? at(l, place) : -sign * INFINITY;
  }
}

static void max(kgt_case *c) { extreme(c, 1, true); }
static void min(kgt_case *c) { extreme(c, -1, true); }
static void argmax(kgt_case *c) { extreme(c, 1, false); }
static void argmin(kgt_case *c) { extreme(c, -1, false); }

/* ---- scans ---- */

/* The segment that has element k: from the last start on, up to the next. */
static void segment_of(const uint32_t *starts, size_t n, size_t k, size_t *from, size_t *to) {
  for (*from = k; *from > 0 && !starts[*from]; --*from) {}
  for (*to = k + 1; *to < n && !starts[*to]; ++*to) {}
}

/* What `reduce` gives of all elements up to each, from the end that the scan begins at. */
static void scan(kgt_case *c, double (*reduce)(const kgt_case *c, line l, double *magnitude)) {
  size_t outer = kgt_size(c, "outer"), n = kgt_size(c, "n"), inner = kgt_size(c, "last") ? 1 : kgt_size(c, "inner");
  size_t reversed = kgt_size(c, "reversed"), exclusive = kgt_size(c, "exclusive"), segmented = kgt_size(c, "segmented");
  double *want = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (size_t o = 0; o < outer; o++)
    for (size_t k = 0; k < n; k++)
      for (size_t i = 0; i < inner; i++) {
        size_t from = 0, to = n, at = (o * n + k) * inner + i;
        if (segmented) segment_of(kgt_wholes(c, "starts") + o * n, n, k, &from, &to);
        size_t first = reversed ? k + exclusive : from, count = (reversed ? to - k : k + 1 - from) - exclusive;
        want[at] = reduce(c, (line){kgt_floats(c, "x") + (o * n + first) * inner + i, count, inner}, &magnitude[at]);
      }
}

static double max_of(const kgt_case *c, line l, double *magnitude) {
  (void)c, (void)magnitude;
  return l.n ? at(l, place_of(l, 1)) : -INFINITY;
}

static double min_of(const kgt_case *c, line l, double *magnitude) {
  (void)c, (void)magnitude;
  return l.n ? at(l, place_of(l, -1)) : INFINITY;
}

static void cumsum(kgt_case *c) { scan(c, sum_of); }
static void cumprod(kgt_case *c) { scan(c, product_of); }
static void cummax(kgt_case *c) { scan(c, max_of); }
static void cummin(kgt_case *c) { scan(c, min_of); }

static void segmented_sum(kgt_case *c) {
  size_t segments = kgt_size(c, "segments"), cols = kgt_size(c, "cols");
  const uint32_t *offsets = kgt_wholes(c, "offsets");
  double *want = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y");
  for (size_t s = 0; s < segments; s++)
    for (size_t j = 0; j < cols; j++) {
      line l = {kgt_floats(c, "x") + offsets[s] * cols + j, offsets[s + 1] - offsets[s], cols};
      want[s * cols + j] = sum_of(c, l, &magnitude[s * cols + j]);
    }
}

/* Rows shorter and longer than the workgroup, columns that are no multiple of it, nothing in any direction, more rows than there are
 * workgroups. */
#define SHAPES(name, options, fill, formula, tolerance)                                                                          \
  {name, "outer=1,n=1" options, fill, formula, tolerance},                                                                       \
  {name, "outer=3,n=5,workgroup=8" options, fill, formula, tolerance},                                                           \
  {name, "outer=5,n=100" options, fill, formula, tolerance},                                                                     \
  {name, "outer=2,n=129,workgroup=32" options, fill, formula, tolerance},                                                        \
  {name, "outer=4,n=33,workgroup=1" options, fill, formula, tolerance},                                                          \
  {name, "outer=0" options, fill, formula, tolerance},                                                                           \
  {name, "outer=2,n=0" options, fill, formula, tolerance},                                                                       \
  {name, "outer=65537,n=3,workgroup=2" options, fill, formula, tolerance},                                                       \
  {name, "last=0,outer=3,n=7,inner=30" options, fill, formula, tolerance},                                                       \
  {name, "last=0,outer=1,n=70,inner=9,workgroup=8" options, fill, formula, tolerance},                                           \
  {name, "last=0,outer=2,n=1,inner=1" options, fill, formula, tolerance},                                                        \
  {name, "last=0,outer=0" options, fill, formula, tolerance},                                                                    \
  {name, "last=0,n=0" options, fill, formula, tolerance},                                                                        \
  {name, "last=0,inner=0" options, fill, formula, tolerance}
/* A part of a row behind another needs what that carries on. */
#define SCANS(name, options, fill, formula, tolerance)                                                                           \
  {name, "outer=1,n=1" options, fill, formula, tolerance},                                                                       \
  {name, "outer=5,n=100" options, fill, formula, tolerance},                                                                     \
  {name, "outer=2,n=129,workgroup=32" options, fill, formula, tolerance},                                                        \
  {name, "outer=4,n=33,workgroup=1" options, fill, formula, tolerance},                                                          \
  {name, "outer=2,n=64,workgroup=32" options, fill, formula, tolerance},                                                         \
  {name, "outer=2,n=0" options, fill, formula, tolerance},                                                                       \
  {name, "outer=65537,n=3,workgroup=2" options, fill, formula, tolerance},                                                       \
  {name, "last=0,outer=3,n=7,inner=30" options, fill, formula, tolerance},                                                       \
  {name, "last=0,n=0" options, fill, formula, tolerance},                                                                        \
  {name, "last=0,inner=0" options, fill, formula, tolerance}
#define OPTIONS(name, options, fill, formula, tolerance)                                                                         \
  {name, "outer=3,n=19,workgroup=8" options, fill, formula, tolerance},                                                          \
  {name, "last=0,outer=3,n=7,inner=30" options, fill, formula, tolerance}
/* Segments of one element and of many, that begin at the first lane of a part of a row, and that reach over parts. */
#define SEGMENTS(name, fill, formula, tolerance)                                                                                 \
  {name, "segmented=1,outer=5,n=100,workgroup=16", fill ",starts=0|0|0|1|0|0|0|0|0|1|1|0|0", formula, tolerance},                \
  {name, "segmented=1,outer=2,n=129,workgroup=32", fill ",starts=0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|1|0", formula, tolerance},      \
  {name, "segmented=1,exclusive=1,outer=3,n=50,workgroup=8", fill, formula, tolerance},                                          \
  {name, "segmented=1,reversed=1,outer=3,n=50,workgroup=8", fill ",starts=1|0|0|0|0|0|0|0|1|0|0", formula, tolerance},           \
  {name, "segmented=1,exclusive=1,reversed=1,outer=3,n=50,workgroup=8", fill ",starts=0|0|0|1|0", formula, tolerance},           \
  {name, "segmented=1,outer=2,n=40,workgroup=8", fill ",starts=0", formula, tolerance},                                          \
  {name, "segmented=1,outer=2,n=9,workgroup=1", fill, formula, tolerance},                                                       \
  {name, "segmented=1,outer=2,n=0", fill, formula, tolerance},                                                                   \
  {name, "segmented=1,last=0,outer=3,n=7,inner=30", fill, formula, tolerance},                                                   \
  {name, "segmented=1,last=0,exclusive=1,reversed=1,outer=3,n=17,inner=3", fill ",starts=0|0|0|1|0", formula, tolerance}
/* Where another row has the same loops. */
#define FEW(name, options, fill, formula, tolerance)                                                                             \
  {name, "outer=5,n=100" options, fill, formula, tolerance},                                                                     \
  {name, "outer=2,n=0" options, fill, formula, tolerance},                                                                       \
  {name, "last=0,outer=3,n=7,inner=30" options, fill, formula, tolerance},                                                       \
  {name, "last=0,n=0" options, fill, formula, tolerance}
/* What both forms make of certain elements, over and over. */
#define BOTH(name, options, fill, formula, tolerance)                                                                            \
  {name, "outer=3,n=7,workgroup=4" options, fill, formula, tolerance},                                                           \
  {name, "last=0,outer=3,n=5,inner=3" options, fill, formula, tolerance}

/* A sum of n elements: |error| <= n u times the sum of their absolutes; here the longest chain is 70, in columns. */
const kgt_oracle kgt_oracles_reductions[] = {
    SHAPES("sum", "", "x=-6..6", sum, 72),
    BOTH("sum", "", "x=1|inf|2|nan|inf|-inf|3|4|5|6", sum, 16),
    FEW("mean", "", "x=-6..6", mean, 72),
    SHAPES("variance", "", "x=-6..6", variance, 80),
    FEW("variance", ",correction=0", "x=-6..6", variance, 80),
    BOTH("variance", "", "x=1000|1000.5|1001", variance, 16), /* mean of squares minus square of mean has no digit left of this */
    BOTH("variance", "", "x=2.5", variance, 16),
    SHAPES("product", "", "x=-2..2", product, 140),
    BOTH("product", "", "x=2|-3|0.5|0|7|1|2|-1|5|1|3|-2|4|2|1|-1", product, 16),
    SHAPES("logsumexp", "", "x=-6..6", logsumexp, 128),
    BOTH("logsumexp", "", "x=300|301|-300|299|-inf|80", logsumexp, 64),
    BOTH("logsumexp", "", "x=-300|-301|-302|-inf", logsumexp, 64),
    BOTH("logsumexp", "", "x=-inf", logsumexp, 64),
    BOTH("logsumexp", "", "x=1|-inf|3|nan|5|6|7|8|2|inf|3|2|1|0|0|0|0|0|0|0|0|0", logsumexp, 64),
    FEW("norm", ",p=1", "x=-6..6", norm, 72),
    SHAPES("norm", "", "x=-6..6", norm, 72),
    FEW("norm", ",p=0", "x=-6..6", norm, 0),
    BOTH("norm", "", "x=3e30|-4e30|1e20", norm, 16), /* squares overflow */
    BOTH("norm", "", "x=1.2e38|-1e38|0|1e-38", norm, 16),
    BOTH("norm", "", "x=3e-30|-4e-30|1e-25", norm, 16), /* squares vanish */
    BOTH("norm", "", "x=0|0|0|0|0|0|0|inf|1|nan|2|-inf|1|1", norm, 16),
    BOTH("norm", ",p=1", "x=0|0|0|0|0|0|0|inf|1|nan|2|-inf|1|1", norm, 16),
    BOTH("norm", ",p=0", "x=0|0|0|0|0|0|0|inf|1|nan|2|-inf|1|1", norm, 0),
    SHAPES("max", "", "x=-6..6", max, 0),
    BOTH("max", "", "x=1|3|-2|3|3|0|1", max, 0), /* ties */
    BOTH("max", "", "x=-inf|-inf|nan|inf|2|nan|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf", max, 0),
    FEW("min", "", "x=-6..6", min, 0),
    BOTH("min", "", "x=1|-3|2|-3|-3|0|1", min, 0),
    BOTH("min", "", "x=inf|inf|nan|-inf|2|nan|inf|inf|inf|inf|inf|inf|inf|inf|inf|inf|inf|inf", min, 0),
    FEW("argmax", "", "x=-6..6", argmax, 0),
    BOTH("argmax", "", "x=1|3|-2|3|3|0|1", argmax, 0),
    BOTH("argmax", "", "x=-inf|-inf|nan|inf|2|nan|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf|-inf", argmax, 0),
    FEW("argmin", "", "x=-6..6", argmin, 0),
    BOTH("argmin", "", "x=1|-3|2|-3|-3|0|1", argmin, 0),
    BOTH("argmin", "", "x=inf|inf|nan|-inf|2|nan|inf|inf|inf|inf|inf|inf|inf|inf|inf|inf|inf|inf", argmin, 0),
    SCANS("cumsum", "", "x=-6..6", cumsum, 132),
    OPTIONS("cumsum", ",exclusive=1", "x=-6..6", cumsum, 132),
    OPTIONS("cumsum", ",reversed=1", "x=-6..6", cumsum, 132),
    OPTIONS("cumsum", ",exclusive=1,reversed=1", "x=-6..6", cumsum, 132),
    OPTIONS("cumsum", "", "x=1|2|3|inf|4|nan|5|6|7|8|9", cumsum, 132),
    SCANS("cumprod", "", "x=-2..2", cumprod, 140),
    OPTIONS("cumprod", ",exclusive=1", "x=-2..2", cumprod, 140),
    OPTIONS("cumprod", ",reversed=1", "x=-2..2", cumprod, 140),
    OPTIONS("cumprod", ",exclusive=1,reversed=1", "x=2|-3|0.5|1|2|7|1|-1|4|0.25|1|1|0|3|4|1|2", cumprod, 16),
    SCANS("cummax", "", "x=-6..6", cummax, 0),
    OPTIONS("cummax", ",reversed=1", "x=-6..6", cummax, 0),
    OPTIONS("cummax", "", "x=-inf|-inf|-3|2|2|1|3|nan|5|inf|4|1|-inf", cummax, 0),
    OPTIONS("cummin", "", "x=-6..6", cummin, 0),
    OPTIONS("cummin", ",reversed=1", "x=inf|inf|3|-2|-2|-1|-3|nan|-5|-inf|-4|-1|inf", cummin, 0),
    OPTIONS("cummax", ",exclusive=1", "x=-6..6", cummax, 0),
    OPTIONS("cummin", ",exclusive=1,reversed=1", "x=inf|inf|3|-2|-2|-1|-3|nan|-5|-inf|-4|-1|inf", cummin, 0),
    SEGMENTS("cumsum", "x=-6..6", cumsum, 132),
    SEGMENTS("cummax", "x=-6..6", cummax, 0),
    OPTIONS("cumprod", ",segmented=1,exclusive=1", "x=-2..2", cumprod, 140),
    OPTIONS("cummin", ",segmented=1,reversed=1", "x=-6..6", cummin, 0),
    /* Zeros, ties and what is not finite stay in their segment. */
    OPTIONS("cumprod", ",segmented=1", "x=2|0|3|nan|2|inf|5|0.5,starts=0|0|1|0|1|0|1|0", cumprod, 140),
    OPTIONS("cumsum", ",segmented=1,exclusive=1", "x=2|1|3|nan|2|inf|5|0.5,starts=0|0|1|0|1|0|1|0", cumsum, 132),
    OPTIONS("cummax", ",segmented=1", "x=2|2|nan|nan|1|1|inf|-inf|-inf|-inf,starts=0|0|1|0|1|0|1|0|1|0", cummax, 0),
    {"segmented_sum", "segments=4,rows=40,cols=7", "offsets=3|3|20|20|38", segmented_sum, 20},
    {"segmented_sum", "segments=2,rows=40,cols=70,workgroup=8", "offsets=0|1|40", segmented_sum, 40},
    {"segmented_sum", "segments=0", "offsets=0", segmented_sum, 0},
    {"segmented_sum", "segments=2,rows=0", "offsets=0", segmented_sum, 0},
    {"segmented_sum", "cols=0", "offsets=0", segmented_sum, 0},
    {"segmented_sum", "segments=2", "offsets=3|2|4", NULL, 0},
};
KGT_ORACLES(reductions, kgt_oracles_reductions);
