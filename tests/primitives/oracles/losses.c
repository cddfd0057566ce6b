/* Losses: terms, and their means. */
#include "tests/primitives/oracle.h"

#include <math.h>

/* The terms, or their sum by how many count; `sizes`: sums of the absolutes of what each is made of. */
static void finish(kgt_case *c, const double *term, const double *sizes, size_t n, size_t counted) {
  double *loss = kgt_want(c, "loss"), *magnitude = kgt_magnitude(c, "loss");
  if (!kgt_size(c, "reduction")) {
    for (size_t i = 0; i < n; i++) loss[i] = term[i], magnitude[i] = sizes[i];
    return;
  }
  double share = counted ? 1 / (double)counted : 0;
  loss[0] = 0;
  for (size_t i = 0; i < n; i++) loss[0] += term[i] * share, magnitude[0] += sizes[i] * share;
}

enum { MOST = 1 << 19 };
static double terms[MOST], sizes[MOST];

static void cross_entropy(kgt_case *c) {
  size_t rows = kgt_size(c, "n_rows"), classes = kgt_size(c, "n_classes"), counted = 0;
  double smoothing = kgt_real(c, "smoothing");
  ck_assert_uint_le(rows, MOST);
  for (size_t r = 0; r < rows; r++) {
    const float *x = kgt_floats(c, "x") + r * classes;
    size_t target = kgt_wholes(c, "target")[r];
    double best = -INFINITY, sum = 0, all = 0;
    for (size_t j = 0; j < classes; j++) best = fmax(best, x[j]);
    for (size_t j = 0; j < classes; j++) sum += exp(x[j] - best);
    for (size_t j = 0; j < classes && smoothing > 0; j++) all += (best + log(sum) - x[j]) / (double)classes;
    terms[r] = sizes[r] = 0;
    if (target >= classes) continue;
    counted++;
    terms[r] = (1 - smoothing) * (best + log(sum) - x[target]) + smoothing * all;
    sizes[r] = fabs(terms[r]) + log(sum) + 1;
  }
  finish(c, terms, sizes, rows, counted);
}

/* Of x and its target t. */
#define TERMS(name, formula, count)                                                                                              \
  static void name(kgt_case *c) {                                                                                                \
    size_t n = kgt_count(c, "x");                                                                                                \
    ck_assert_uint_le(n, MOST);                                                                                                  \
    for (size_t i = 0; i < n; i++) {                                                                                             \
      double x = kgt_floats(c, "x")[i], t = kgt_floats(c, "target")[i];                                                          \
      terms[i] = (formula), sizes[i] = fabs(terms[i]);                                                                           \
    }                                                                                                                            \
    finish(c, terms, sizes, n, count);                                                                                           \
  }

static double huber_of(double d, double delta) { return fabs(d) <= delta ? d * d / 2 : delta * (fabs(d) - delta / 2); }

/* log(1 + exp(x)); 0 where the factor is. */
static double log_part(double factor, double x) { return factor == 0 ? 0 : factor * (fmax(x, 0) + log1p(exp(-fabs(x)))); }

TERMS(mse, (x - t) * (x - t), n)
TERMS(huber, huber_of(x - t, kgt_real(c, "delta")), n)
TERMS(binary_cross_entropy, kgt_real(c, "weight") * log_part(t, -x) + log_part(1 - t, x), n)
TERMS(kl_divergence, t > 0 ? t * (log(t) - x) : 0, kgt_size(c, "n_rows"))

static void cosine_similarity(kgt_case *c) {
  size_t cols = kgt_size(c, "n_cols");
  const float *a = kgt_floats(c, "a"), *b = kgt_floats(c, "b");
  double *y = kgt_want(c, "y"), *magnitude = kgt_magnitude(c, "y"), least = kgt_real(c, "least");
  for (size_t r = 0; r < kgt_size(c, "n_rows"); r++, a += cols, b += cols) {
    double product = 0, aa = 0, bb = 0;
    for (size_t j = 0; j < cols; j++) product += (double)a[j] * b[j], aa += (double)a[j] * a[j], bb += (double)b[j] * b[j];
    y[r] = product / (fmax(sqrt(aa), least) * fmax(sqrt(bb), least)), magnitude[r] = 1;
  }
}

/* Sums of some hundred terms in any order. */
const kgt_oracle kgt_oracles_losses[] = {
    {"cross_entropy", "", "x=-6..6", cross_entropy, 64},
    {"cross_entropy", "reduction=0", "x=-6..6", cross_entropy, 64},
    {"cross_entropy", "rows=7,classes=5,smoothing=0.1,workgroup=4", "x=-6..6,target=0|5|4|1", cross_entropy, 64},
    {"cross_entropy", "rows=7,classes=5,smoothing=0.1,workgroup=4,reduction=0", "x=-6..6,target=0|5|4|1", cross_entropy, 64},
    {"cross_entropy", "rows=3,classes=4,workgroup=8,reduction=0", "x=300|-inf|2|300,target=0|1|4", cross_entropy, 64},
    {"cross_entropy", "rows=2,classes=3,smoothing=1,workgroup=8", "x=90|-90|2,target=0|1", cross_entropy, 64},
    {"cross_entropy", "rows=9,classes=5", "target=5", cross_entropy, 64}, /* no row counts: 0 */
    {"cross_entropy", "rows=3,classes=5", "x=0|5,target=5|0|5", cross_entropy, 64},
    {"cross_entropy", "rows=1000,classes=3,workgroup=2", "x=-6..6", cross_entropy, 300},
    {"cross_entropy", "n_rows=0", "", cross_entropy, 64},
    {"cross_entropy", "n_rows=0,reduction=0", "", cross_entropy, 64},
    {"cross_entropy", "n_classes=0", "", cross_entropy, 64},
    {"mse", "", "x=-6..6", mse, 64},
    {"mse", "n=700,reduction=0", "x=-6..6", mse, 64},
    {"mse", "n=300000", "x=-6..6", mse, 400}, /* every workgroup takes several elements for each invocation */
    {"mse", "n=1", "x=3,target=3", mse, 1},
    {"mse", "n=0", "", mse, 1},
    {"huber", "", "x=-6..6", huber, 64},
    {"huber", "n=700,delta=0.5,reduction=0", "x=-6..6", huber, 64},
    {"huber", "n=4,delta=2,reduction=0", "x=2|-2|0|inf,target=0", huber, 4},
    {"huber", "n=0,reduction=0", "", huber, 4},
    {"binary_cross_entropy", "", "x=-20..20,target=0..1", binary_cross_entropy, 64},
    {"binary_cross_entropy", "n=700,weight=2.5,reduction=0", "x=-20..20,target=0..1", binary_cross_entropy, 64},
    {"binary_cross_entropy", "n=4,reduction=0", "x=80|-80|inf|-inf,target=1|0", binary_cross_entropy, 64}, /* not 80 - 80 */
    {"binary_cross_entropy", "n=2,reduction=0", "x=80|-80,target=0|1", binary_cross_entropy, 4},
    {"binary_cross_entropy", "n=0", "", binary_cross_entropy, 4},
    {"kl_divergence", "", "x=-6..0,target=0..1", kl_divergence, 64},
    {"kl_divergence", "rows=3,cols=7,reduction=0", "x=-6..0,target=0|1|0.25|0.5", kl_divergence, 64},
    {"kl_divergence", "rows=1,cols=3", "x=-inf|0|-1,target=0|0.5|0.5", kl_divergence, 64},
    {"kl_divergence", "n_rows=0", "", kl_divergence, 64},
    {"cosine_similarity", "", "a=-3..3,b=-2..4", cosine_similarity, 64},
    {"cosine_similarity", "rows=5,cols=129,workgroup=16", "a=-3..3,b=-2..4", cosine_similarity, 150},
    {"cosine_similarity", "rows=3,cols=4", "a=0|0|0|0|1|2|3|4|1|-1|0|0,b=1|2|3|4|-1|-2|-3|-4|1|1|5|0", cosine_similarity, 8},
    {"cosine_similarity", "n_rows=0", "", cosine_similarity, 8},
    {"cosine_similarity", "n_cols=0", "", cosine_similarity, 8},
};
KGT_ORACLES(losses, kgt_oracles_losses);
