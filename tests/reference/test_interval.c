/* Intervals of operations, against MPFR: over random boxes the exact result of every point inside lies in the interval that
 * encloses real arithmetic, and so does every result that a device may give by the table; no interval is wider than the table says; and what
 * kgrad's own functions are allowed is never more than Vulkan allows the device's. */
#include "foundation/ir/eval.h"
#include "reference/interval.h"
#include "tests/support/kgtest.h"
#include "tests/support/mpfr_values.h"
#include "tests/support/vulkan_precision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __SANITIZE_ADDRESS__
enum { BOXES = 100 }; /* sanitizers make everything ten times slower */
#else
enum { BOXES = 500 };
#endif
enum { POINTS = 10, MOST = 3 };

/* ---- exact results ---- */

static int floor_(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return (void)r, mpfr_floor(y, x); }
static int ceil_(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return (void)r, mpfr_ceil(y, x); }
static int trunc_(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return (void)r, mpfr_trunc(y, x); }
static int round_(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return (void)r, mpfr_roundeven(y, x); }
static int abs_(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_abs(y, x, r); }
static int neg_(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_neg(y, x, r); }
static int sign_(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) { return mpfr_set_si(y, mpfr_sgn(x), r); }
static int fract_(mpfr_t y, const mpfr_t x, mpfr_rnd_t r) {
  mpfr_floor(y, x);
  return mpfr_sub(y, x, y, r);
}
static int difference(mpfr_t y, const mpfr_t a, const mpfr_t b, mpfr_rnd_t r) {
  mpfr_sub(y, a, b, r);
  return mpfr_abs(y, y, r);
}
/* 0 whatever the other is */
static int strong(mpfr_t y, const mpfr_t a, const mpfr_t b, mpfr_rnd_t r) {
  return mpfr_zero_p(a) ? mpfr_set_zero(y, 1), 0 : mpfr_mul(y, a, b, r);
}
static int floored(mpfr_t y, const mpfr_t a, const mpfr_t b, mpfr_rnd_t r) {
  mpfr_fmod(y, a, b, r);
  if (!mpfr_zero_p(y) && !mpfr_nan_p(y) && mpfr_signbit(y) != mpfr_signbit(b)) mpfr_add(y, y, b, r);
  return 0;
}
static int least(mpfr_t y, const mpfr_t a, const mpfr_t b, mpfr_rnd_t r) { return mpfr_min(y, a, b, r); }
static int greatest(mpfr_t y, const mpfr_t a, const mpfr_t b, mpfr_rnd_t r) { return mpfr_max(y, a, b, r); }

typedef struct row { kgi_op op; kgt_fn_1 *one; kgt_fn_2 *two; } row;
static const row rows[] = {
  {KGI_OP_add, NULL, mpfr_add}, {KGI_OP_sub, NULL, mpfr_sub}, {KGI_OP_mul, NULL, mpfr_mul}, {KGI_OP_div, NULL, mpfr_div},
  {KGI_OP_rem, NULL, mpfr_fmod}, {KGI_OP_mod, NULL, floored}, {KGI_OP_neg, neg_, NULL}, {KGI_OP_abs, abs_, NULL},
  {KGI_OP_abs_diff, NULL, difference}, {KGI_OP_min, NULL, least}, {KGI_OP_max, NULL, greatest}, {KGI_OP_mulz, NULL, strong},
  {KGI_OP_sign, sign_, NULL}, {KGI_OP_floor, floor_, NULL}, {KGI_OP_ceil, ceil_, NULL}, {KGI_OP_trunc, trunc_, NULL},
  {KGI_OP_round, round_, NULL}, {KGI_OP_fract, fract_, NULL}, {KGI_OP_sqrt, mpfr_sqrt, NULL}, {KGI_OP_rsqrt, mpfr_rec_sqrt, NULL},
#define FUN1(name, ...) {KGI_OP_##name, kgt_##name, NULL},
#define FUN2(name, ...) {KGI_OP_##name, NULL, kgt_##name},
#include "foundation/ir/ops.def"
  {KGI_OP_fma, NULL, NULL},
  {KGI_OP_clamp, NULL, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const kg_type types[] = {KG_F32, KG_F16, KG_F64};
enum { TYPES = sizeof types / sizeof *types };

static void exactly(const row *r, mpfr_t y, mpfr_t *x) {
  if (r->one) r->one(y, x[0], MPFR_RNDN);
  else if (r->two) r->two(y, x[0], x[1], MPFR_RNDN);
  else if (r->op == KGI_OP_fma) mpfr_fma(y, x[0], x[1], x[2], MPFR_RNDN);
  else mpfr_max(y, x[0], x[1], MPFR_RNDN), mpfr_min(y, y, x[2], MPFR_RNDN);
}

/* ---- boxes ---- */

static uint64_t state;
static uint64_t random_bits(void) { return kgi_random(&state); }
static double unit_random(void) { return kgi_random_between(&state, 0, 1); }

/* Zeros, poles, ends of domains, steps and bends; subnormals; large arguments. */
static const double edges[] = {
  0.0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, 2, -2, 3, -3, 1e-3, -1e-3, 6.1e-5, 10, 100, 1000, -1000, 65504, 1e10, -1e10, 3e38, 1e-30,
  1e-38, 1e-40, -1e-42, 1.5707963, 3.1415927, -3.1415927, 6.2831855, 0.9999999, -0.9999999, 1.0000001, 88, -88, 88.7, -103, 0.25,
  100000, 12345.678, -0.0, INFINITY, -INFINITY,
};
enum { EDGES = sizeof edges / sizeof *edges };

static double number(kg_type type) {
  uint64_t kind = random_bits() % 4;
  if (kind == 0) return kgi_round_near(type, edges[random_bits() % EDGES]);
  if (kind == 1) return kgi_round_near(type, (unit_random() * 2 - 1) * ldexp(1, (int)(random_bits() % 30) - 15));
  return kgi_round_near(type, (unit_random() * 2 - 1) * (kind == 2 ? 4 : 40));
}

/* A point, a few neighbours, a part of the number, or all up to another one. */
static kgi_interval box(kg_type type) {
  double a = number(type), b = a;
  uint64_t kind = random_bits() % 5;
  if (kind == 1) b = a + 4 * kgi_unit(type, fabs(a)) * unit_random();
  if (kind == 2) b = a + fabs(a) * unit_random() * 0.1;
  if (kind == 3) b = a + unit_random();
  if (kind == 4) b = number(type);
  b = kgi_round_near(type, b);
  return a < b ? (kgi_interval){a, b} : (kgi_interval){b, a};
}

static double inside(kg_type type, kgi_interval x, unsigned k) {
  if (k == 0 || kgi_is_point(x)) return x.low;
  if (k == 1) return x.high;
  if (k == 2 && x.low < 0 && x.high > 0) return 0;
  double most = kgi_type_largest(type), low = fmax(x.low, -most), high = fmin(x.high, most);
  double y = kgi_round_near(type, low + (high - low) * unit_random());
  return fmin(fmax(y, x.low), x.high);
}

/* ---- what must lie inside ---- */

static const char *shown(const kgi_interval *x) {
  static char text[256];
  snprintf(text, sizeof text, "[%.9g, %.9g] x [%.9g, %.9g] x [%.9g, %.9g]", x[0].low, x[0].high, x[1].low, x[1].high, x[2].low,
           x[2].high);
  return text;
}

static bool holds(kgi_interval y, mpfr_t exact) { return mpfr_cmp_d(exact, y.low) >= 0 && mpfr_cmp_d(exact, y.high) <= 0; }

/* Whose values end at 0 or 1, whatever a device's errors. */
static bool bounded(kgi_op op) {
  return op == KGI_OP_exp || op == KGI_OP_exp2 || op == KGI_OP_sin || op == KGI_OP_cos || op == KGI_OP_tanh || op == KGI_OP_erf ||
         op == KGI_OP_erfc || op == KGI_OP_sinc || op == KGI_OP_acos || op == KGI_OP_pow || op == KGI_OP_log2;
}

/* The exact result in the wide interval; the nearest number of the type in the narrow one, and what lies as far off as a unit less
 * than the table allows. */
static void check_point(const row *r, kg_type type, const kgi_interval *x, const kgi_interval *y, mpfr_t exact, const double *at) {
  const char *name = kgi_op_rows[r->op].name;
  if (mpfr_nan_p(exact)) {
    ck_assert_msg(kgi_is_anything(y[0]) && kgi_is_anything(y[1]), "%s %s over %s: NaN at (%g, %g)", kg_type_name(type), name, shown(x),
                  at[0], at[1]);
    return;
  }
  if (kgi_is_anything(y[0])) return;
  double near = kgi_round_near(type, mpfr_get_d(exact, MPFR_RNDN));
  ck_assert_msg(holds(y[1], exact), "%s %s over %s: %.17g at (%.9g, %.9g) is not in the real [%.17g, %.17g]", kg_type_name(type), name,
                shown(x), mpfr_get_d(exact, MPFR_RNDN), at[0], at[1], y[1].low, y[1].high);
  for (unsigned k = 0; k < 2; k++)
    ck_assert_msg(kgi_within(y[k], near), "%s %s over %s: %.17g at (%.9g, %.9g) is not in [%.17g, %.17g]", kg_type_name(type), name,
                  shown(x), near, at[0], at[1], y[k].low, y[k].high);
  const kgi_precision *p = &kgi_precision_rows[r->op].ours;
  if (p->kind != KGI_ULP || near == 0 || isinf(near) || type != KG_F32 || bounded(r->op) || kgi_is_point(y[0])) return;
  double off = (p->ulp - 0.5) * kgi_unit(type, fabs(near));
  double low = kgi_round_up(type, near - off), high = kgi_round_down(type, near + off);
  ck_assert_msg(kgi_within(y[0], low) && kgi_within(y[0], high), "%s over %s: [%.9g, %.9g] around %.9g is not in [%.9g, %.9g]", name,
                shown(x), low, high, near, y[0].low, y[0].high);
}

START_TEST(encloses) {
  const row *r = &rows[_i / TYPES];
  kg_type type = types[_i % TYPES];
  unsigned arity = kgi_op_rows[r->op].arity, decided = 0;
  mpfr_t exact, x[MOST];
  state = (uint64_t)_i;
  mpfr_init2(exact, 2200); /* sums of doubles are exact, unless a subnormal meets a huge one */
  for (int k = 0; k < MOST; k++) mpfr_init2(x[k], 53);
  for (unsigned i = 0; i < BOXES; i++) {
    kgi_interval b[MOST] = {box(type), box(type), box(type)}, y[2];
    const kgi_rules rules[2] = {{0}, {.real = true}};
    for (unsigned k = 0; k < 2; k++) y[k] = kgi_interval_op(&rules[k], r->op, type, type, b);
    decided += !kgi_is_anything(y[0]);
    for (unsigned p = 0; p < POINTS; p++) {
      double at[MOST] = {0};
      for (unsigned k = 0; k < arity; k++) mpfr_set_d(x[k], at[k] = inside(type, b[k], p < 8 ? p >> k & 1 : p), MPFR_RNDN);
      mpfr_set_prec(exact, arity == 1 && r->op > KGI_OP_fract ? 120 : 2200);
      if (r->op == KGI_OP_pow || r->op == KGI_OP_atan2) mpfr_set_prec(exact, 120);
      exactly(r, exact, x);
      check_point(r, type, b, y, exact, at);
    }
  }
  ck_assert_uint_gt(decided, BOXES / 10);
  for (int k = 0; k < MOST; k++) mpfr_clear(x[k]);
  mpfr_clear(exact);
}
END_TEST

/* ---- how wide ---- */

/* In units on both sides of the exact result. */
static double allowed(kgi_op op) {
  const kgi_precision *p = &kgi_precision_rows[op].ours;
  switch (p->kind) {
  case KGI_SAME: case KGI_CORRECT: return 0;
  case KGI_ROUNDED: return 1;
  case KGI_ULP: return 2 * p->ulp;
  case KGI_INHERITED: return op == KGI_OP_sqrt ? 13 : 4; /* 2 units of a reciprocal may be 4 of the root, and 2.5 */
  case KGI_UNSAID: case KGI_ABSENT: case KGI_NEAR: break;
  }
  return 0;
}

static bool has_rough_boxes(kgi_op op) { return op == KGI_OP_rem || op == KGI_OP_mod || op == KGI_OP_atan2 || op == KGI_OP_pow; }

/* A point's interval is as wide as the table says; a box's, as its range, found by trying, and a quarter of it, and that. */
START_TEST(is_tight) {
  const row *r = &rows[_i];
  mpfr_t exact, x[MOST];
  state = 77 + (uint64_t)_i;
  unsigned arity = kgi_op_rows[r->op].arity;
  mpfr_init2(exact, 400);
  for (int k = 0; k < MOST; k++) mpfr_init2(x[k], 53);
  for (unsigned i = 0; i < BOXES / 2; i++) {
    kgi_interval b[MOST] = {box(KG_F32), box(KG_F32), box(KG_F32)};
    for (unsigned k = 0; k < MOST && (i % 2 || has_rough_boxes(r->op)); k++) b[k] = kgi_point(b[k].low);
    kgi_interval y = kgi_interval_op(&(kgi_rules){0}, r->op, KG_F32, KG_F32, b);
    double low = INFINITY, high = -INFINITY;
    for (unsigned p = 0; p < 64; p++) {
      for (unsigned k = 0; k < arity; k++) mpfr_set_d(x[k], inside(KG_F32, b[k], p < 8 ? p >> k & 1 : p), MPFR_RNDN);
      exactly(r, exact, x);
      low = fmin(low, mpfr_get_d(exact, MPFR_RNDN)), high = fmax(high, mpfr_get_d(exact, MPFR_RNDN));
    }
    double size = fmax(fabs(low), fabs(high)), width = y.high - y.low;
    bool waves = (r->op == KGI_OP_sin || r->op == KGI_OP_cos || r->op == KGI_OP_sinc) && b[0].high - b[0].low > 1; /* too few points were tried */
    bool cut = r->op == KGI_OP_atan2 && b[0].low == 0 && b[1].low <= 0;
    if (kgi_is_anything(y) || isinf(width) || isnan(size) || isnan(width) || waves || cut) continue;
    double most = (high - low) * 1.25 + (allowed(r->op) + (high > low)) * kgi_unit(KG_F32, size * (1 + 0x1p-20)) * (1 + 0x1p-20);
    bool steps = floor(b[0].low) != floor(b[0].high) && (r->op == KGI_OP_fract || r->op == KGI_OP_floor || r->op == KGI_OP_ceil);
    if (steps || r->op == KGI_OP_trunc || r->op == KGI_OP_round || r->op == KGI_OP_sign) most += 1;
    double product = fmax(fabs(b[0].low), fabs(b[0].high)) * fmax(fabs(b[1].low), fabs(b[1].high));
    if (r->op == KGI_OP_fma) most += 2 * kgi_unit(KG_F32, product);
    ck_assert_msg(width <= most, "%s over %s: [%.9g, %.9g], but the range is [%.9g, %.9g], %g of %g", kgi_op_rows[r->op].name, shown(b),
                  y.low, y.high, low, high, width, most);
  }
  for (int k = 0; k < MOST; k++) mpfr_clear(x[k]);
  mpfr_clear(exact);
}
END_TEST

/* ---- Vulkan's table ---- */

/* At points: kgrad's interval within Vulkan's, where Vulkan says anything. */
START_TEST(within_vulkan) {
  const row *r = &rows[_i / 2];
  kg_type type = types[_i % 2];
  state = 4711 + (uint64_t)_i;
  unsigned compared = 0;
  for (unsigned i = 0; i < BOXES; i++) {
    double x[MOST] = {number(type), number(type), number(type)};
    const kgi_interval b[MOST] = {kgi_point(x[0]), kgi_point(x[1]), kgi_point(x[2])};
    kgi_interval y = kgi_interval_op(&(kgi_rules){0}, r->op, type, type, b), most;
    if (kgi_is_anything(y) || !kgt_vulkan_allows(r->op, type, x, &most)) continue;
    compared++;
    ck_assert_msg(most.low <= y.low && y.high <= most.high, "%s %s(%.9g, %.9g): [%.9g, %.9g], but Vulkan allows [%.9g, %.9g]",
                  kg_type_name(type), kgi_op_rows[r->op].name, x[0], x[1], y.low, y.high, most.low, most.high);
  }
  kgi_precision_kind kind = kgi_precision_rows[r->op].vulkan.kind;
  bool remainder = r->op == KGI_OP_rem || r->op == KGI_OP_mod; /* Vulkan's may be off by any number of divisors */
  ck_assert(compared > BOXES / 50 || kind == KGI_ABSENT || kind == KGI_CORRECT || remainder);
}
END_TEST

/* Where a device's own function is taken, all that Vulkan allows it is allowed: at points where Vulkan says anything. */
START_TEST(holds_vulkan) {
  const row *r = &rows[_i];
  state = 1234 + (uint64_t)_i;
  unsigned compared = 0;
  for (unsigned i = 0; i < 4 * BOXES && kgi_is_native(r->op, KG_MATH_FAST); i++) {
    kg_math math = kgi_is_native(r->op, KG_MATH_DEFAULT) && i % 2 ? KG_MATH_DEFAULT : KG_MATH_FAST;
    double x[MOST] = {number(KG_F32)};
    const kgi_interval b[MOST] = {kgi_point(x[0])};
    kgi_interval y = kgi_interval_op(&(kgi_rules){.math = math}, r->op, KG_F32, KG_F32, b), most;
    bool given = (r->op == KGI_OP_exp && x[0] < -104) || (r->op == KGI_OP_exp2 && x[0] < -151); /* 0, without asking the device */
    if (given || kgi_is_anything(y) || !kgt_vulkan_allows(r->op, KG_F32, x, &most) || isinf(x[0])) continue;
    bool turns = r->op == KGI_OP_asin || r->op == KGI_OP_acos; /* the reading has units of the larger end at both */
    if (turns && kgi_unit(KG_F32, fabs(most.low)) != kgi_unit(KG_F32, fabs(most.high))) continue;
    compared++;
    double low = kgi_round_up(KG_F32, most.low), high = kgi_round_down(KG_F32, most.high);
    ck_assert_msg(y.low <= low && high <= y.high, "%s(%.9g): [%.9g, %.9g], but Vulkan allows [%.9g, %.9g]", kgi_op_rows[r->op].name,
                  x[0], y.low, y.high, low, high);
  }
  ck_assert(compared > BOXES / 4 || !kgi_is_native(r->op, KG_MATH_FAST));
}
END_TEST

/* Of a power of a known base: what an exponential may give that is as far off as Vulkan allows, of the exponent times a logarithm, both
 * rounded either way. */
START_TEST(holds_powers) {
  static const double base[] = {10000, 0.5, 2, 1.5, 0.999, 3e38, 1.2e-38, 10};
  state = 99;
  for (unsigned i = 0; i < 4 * BOXES; i++) {
    double a = kgi_round_near(KG_F32, base[i % KGT_COUNT(base)]), b = kgi_round_near(KG_F32, kgi_random_between(&state, -20, 20)), l = log2(a);
    const kgi_interval box[MOST] = {kgi_point(a), kgi_point(b)};
    if (fabs(b * l) > 120) continue;
    kgi_interval y = kgi_interval_op(&(kgi_rules){.math = i % 2 ? KG_MATH_FAST : KG_MATH_DEFAULT}, KGI_OP_pow, KG_F32, KG_F32, box);
    double t = kgi_round_near(KG_F32, l) * b, low = kgi_round_down(KG_F32, t), high = kgi_round_up(KG_F32, t);
    double first = exp2(low), last = exp2(high);
    first = kgi_round_up(KG_F32, first - (3 + 2 * fabs(low)) * kgi_unit(KG_F32, first));
    last = kgi_round_down(KG_F32, last + (3 + 2 * fabs(high)) * kgi_unit(KG_F32, last));
    ck_assert_msg(y.low <= first && last <= y.high, "pow(%.9g, %.9g): [%.9g, %.9g], but [%.9g, %.9g] is allowed", a, b, y.low, y.high, first, last);
    ck_assert_msg(y.high - y.low <= 4 * (last - first), "pow(%.9g, %.9g): [%.9g, %.9g] is wide", a, b, y.low, y.high);
  }
}
END_TEST

/* ---- edges that random boxes may miss ---- */

typedef struct edge { kgi_op op; kgi_interval x, y, want; bool flush; } edge;
#define ANY {NAN, NAN}
#define INF INFINITY
static const edge cases[] = {
  {KGI_OP_div, {1, 1}, {0, 0}, {-INF, INF}, false},       /* by the sign of the zero */
  {KGI_OP_div, {0, 0}, {0, 0}, ANY, false},
  {KGI_OP_div, {1, 2}, {-1, 1}, ANY, false},              /* divisors near 0 are outside of Vulkan's domain */
  {KGI_OP_div, {0, 0}, {3, 4}, {0, 0}, false},
  {KGI_OP_div, {1, 1}, {1e-40, 1e-40}, ANY, false},
  {KGI_OP_div, {1, 1}, {INF, INF}, {0, 0}, false},
  {KGI_OP_sub, {INF, INF}, {INF, INF}, ANY, false},
  {KGI_OP_sub, {1, INF}, {2, 3}, {-2, INF}, false},
  {KGI_OP_mul, {0, 1}, {INF, INF}, ANY, false},
  {KGI_OP_mulz, {0, 0}, ANY, {0, 0}, false},              /* a strong zero */
  {KGI_OP_mulz, {0, 1}, {INF, INF}, {0, INF}, false},
  {KGI_OP_mul, {1e-40, 1e-40}, {1, 1}, {0, 1e-40f}, true}, /* flushed or not */
  {KGI_OP_mul, {1e-30, 1e-30}, {1e-10, 1e-10}, {0, 1e-40f}, true},
  {KGI_OP_min, ANY, {3, 4}, {-INF, 4}, false},            /* a NaN is ignored */
  {KGI_OP_max, {0, 0}, ANY, {0, INF}, false},
  {KGI_OP_sqrt, {-1, 1}, {0, 0}, ANY, false},
  {KGI_OP_sqrt, {0, 0}, {0, 0}, {0, 0}, false},
  {KGI_OP_rsqrt, {0, 1}, {0, 0}, ANY, false},
  {KGI_OP_log, {0, 1}, {0, 0}, {-INF, 0x1p-149}, false},
  {KGI_OP_log, {1, 1}, {0, 0}, {0, 0}, false},
  {KGI_OP_sin, {-100, 100}, {0, 0}, {-1, 1}, false},
  {KGI_OP_cos, {INF, INF}, {0, 0}, ANY, false},
  {KGI_OP_tan, {1, 2}, {0, 0}, {-INF, INF}, false},       /* a pole inside */
  {KGI_OP_pow, {0, 0}, {0, 0}, {1, 1}, false},
  {KGI_OP_pow, ANY, {0, 0}, {1, 1}, false},
  {KGI_OP_pow, {0, 0}, {-1, -1}, {-INF, INF}, false},     /* by the sign of the zero */
  {KGI_OP_pow, {0, 0}, {-2, -2}, {INF, INF}, false},
  {KGI_OP_pow, {-2, -1}, {0.5, 0.5}, ANY, false},
  {KGI_OP_hypot, {INF, INF}, ANY, {INF, INF}, false},
  {KGI_OP_hypot, {1, 1}, ANY, ANY, false},
  {KGI_OP_hypot, {0, 0}, {0, 0}, {0, 0}, false},
  {KGI_OP_rem, {5, 5}, {0, 1}, ANY, false},
  {KGI_OP_rem, {5, 6}, {4, 4}, {1, 2}, false},
  {KGI_OP_rem, {5, 9}, {4, 4}, {0, 4}, false},            /* steps */
  {KGI_OP_mod, {-1, 1}, {4, 4}, {0, 4}, false},
  {KGI_OP_fract, {0.5, 0.75}, {0, 0}, {0.5, 0.75}, false},
  {KGI_OP_fract, {0.5, 1.5}, {0, 0}, {0, 1}, false},
  {KGI_OP_sign, {-1, 2}, {0, 0}, {-1, 1}, false},
  {KGI_OP_floor, {-0.5, 0.5}, {0, 0}, {-1, 0}, false},
  {KGI_OP_asin, {0.5, 1.5}, {0, 0}, ANY, false},
};

START_TEST(edge_cases) {
  const edge *e = &cases[_i];
  const kgi_interval x[MOST] = {{kgi_round_near(KG_F32, e->x.low), kgi_round_near(KG_F32, e->x.high)},
                                {kgi_round_near(KG_F32, e->y.low), kgi_round_near(KG_F32, e->y.high)}};
  kgi_interval y = kgi_interval_op(&(kgi_rules){.flush = e->flush}, e->op, KG_F32, KG_F32, x);
  if (kgi_is_anything(e->want)) ck_assert_msg(kgi_is_anything(y), "%s: [%g, %g]", kgi_op_rows[e->op].name, y.low, y.high);
  else ck_assert_msg(y.low == e->want.low && y.high == e->want.high, "%s: [%g, %g]", kgi_op_rows[e->op].name, y.low, y.high);
}
END_TEST

/* The cut of atan2: on the left, a zero may be of either sign. */
START_TEST(branch_cut) {
  const kgi_interval left[2] = {{0, 0}, {-1, -1}}, right[2] = {{0, 0}, {1, 1}}, above[2] = {{1, 2}, {-1, 1}};
  const kgi_rules rules = {0};
  kgi_interval y = kgi_interval_op(&rules, KGI_OP_atan2, KG_F32, KG_F32, left);
  ck_assert(y.low < -3.14 && y.high > 3.14);
  y = kgi_interval_op(&rules, KGI_OP_atan2, KG_F32, KG_F32, right);
  ck_assert(y.low == 0 && y.high == 0);
  y = kgi_interval_op(&rules, KGI_OP_atan2, KG_F32, KG_F32, above);
  ck_assert(y.low > 0.785 && y.low < 0.7854 && y.high > 2.356 && y.high < 2.3562);
}
END_TEST

/* Comparisons: decided where the intervals lie apart, or are the same point. */
/* Where an operand may be infinite, results of those that are not may be too large for a double, but are not infinite. */
START_TEST(too_large_for_a_double) {
  const double inf = (double)INFINITY;
  const struct { kgi_op op; kgi_interval x[MOST]; } ranges[] = {
    {KGI_OP_cosh, {{748.75, inf}}}, {KGI_OP_cosh, {{-inf, -748.75}}}, {KGI_OP_sinh, {{748.75, inf}}}, {KGI_OP_sinh, {{-inf, -748.75}}},
    {KGI_OP_exp, {{748.75, inf}}}, {KGI_OP_pow, {{2, inf}, {2000, 2000}}}, {KGI_OP_pow, {{2, 2}, {2000, inf}}},
  };
  for (unsigned i = 0; i < KGT_COUNT(ranges); i++) {
    kgi_interval y = kgi_interval_op(&(kgi_rules){.real = true}, ranges[i].op, KG_F32, KG_F32, ranges[i].x);
    ck_assert_msg(kgi_is_anything(y) || (y.low < inf && y.high > -inf), "row %u: [%g, %g]", i, y.low, y.high);
  }
} END_TEST

START_TEST(comparisons) {
  const kgi_rules exact = {0}, flush = {.flush = true};
  const kgi_interval apart[2] = {{1, 2}, {3, 4}}, touching[2] = {{1, 2}, {2, 3}};
  const kgi_interval same[2] = {{2, 2}, {2, 2}}, tiny[2] = {{1e-40, 1e-40}, {0, 0}};
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_lt, KG_F32, apart), 1);
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_ge, KG_F32, apart), 0);
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_lt, KG_F32, touching), -1);
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_le, KG_F32, touching), 1);
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_gt, KG_F32, touching), 0);
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_eq, KG_F32, same), 1);
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_ne, KG_F32, apart), 1);
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_gt, KG_F32, tiny), 1);
  ck_assert_int_eq(kgi_interval_test(&flush, KGI_OP_gt, KG_F32, tiny), -1);
  ck_assert_int_eq(kgi_interval_test(&exact, KGI_OP_is_nan, KG_F32, apart), 0);
}
END_TEST

/* ---- doc/precision.md ---- */

/* Whether an operation may give a float from numbers. */
static bool gives_float(const kgi_op_row *r) {
  return r->rule == KGI_RULE_NUM || r->rule == KGI_RULE_FLT || r->rule == KGI_RULE_LDEXP || r->rule == KGI_RULE_UNPACK ||
         r->rule == KGI_RULE_CONVERT;
}

START_TEST(every_row_has_a_precision) {
  for (unsigned op = 0; op < KGI_OP_COUNT; op++)
    ck_assert_msg(!!kgi_precision_rows[op].instruction == gives_float(&kgi_op_rows[op]), "%s: reference/precision.def",
                  kgi_op_rows[op].name);
}
END_TEST

/* Every row stands in the page's table, with what an interval allows. */
START_TEST(documented) {
  size_t size;
  char *page = kgt_read_source("doc/precision.md", &size);
  for (unsigned op = 0; op < KGI_OP_COUNT; op++) {
    const kgi_precision_row *r = &kgi_precision_rows[op];
    char ulp[32], row[256];
    if (!r->instruction) continue;
    snprintf(ulp, sizeof ulp, "%g units", r->ours.ulp);
    const char *const kinds[] = {[KGI_SAME] = "the same bits", [KGI_CORRECT] = "exact", [KGI_ROUNDED] = "correctly rounded",
                                 [KGI_ULP] = ulp, [KGI_INHERITED] = "as `"};
    snprintf(row, sizeof row, "\n| `%s` | %s | %s", kgi_op_rows[op].name, r->instruction, kinds[r->ours.kind]);
    ck_assert_msg(strstr(page, row) != NULL, "doc/precision.md has no row that says:%s", row);
  }
  free(page);
}
END_TEST

/* What a mode's own column names, of each function. */
START_TEST(modes_are_documented) {
#define NEVER NULL
#define DEFAULT(instruction) #instruction " | " #instruction
#define FAST(instruction) "kgrad's own | " #instruction
  static const char *const columns[KGI_OP_COUNT] = {
#define FUN1(name, number, native, ...) [number] = native,
#define FUN2(name, number, native, ...) [number] = native,
#include "foundation/ir/ops.def"
  };
#undef NEVER
#undef DEFAULT
#undef FAST
  size_t size;
  char *page = kgt_read_source("doc/precision.md", &size), row[256];
  for (unsigned op = 0; op < KGI_OP_COUNT; op++) {
    if (!(kgi_op_rows[op].flags & KGI_FUNCTION)) continue;
    snprintf(row, sizeof row, "\n| `%s` | kgrad's own | %s | ", kgi_op_rows[op].name, columns[op] ? columns[op] : "kgrad's own | ");
    ck_assert_msg(!strstr(page, row) == !columns[op], "doc/precision.md on the modes of %s", kgi_op_rows[op].name);
  }
  free(page);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TIMES(encloses, ROWS * TYPES), KGT_TIMES(is_tight, ROWS), KGT_TIMES(within_vulkan, ROWS * 2), KGT_TIMES(holds_vulkan, ROWS), KGT(holds_powers),
    KGT_TIMES(edge_cases, KGT_COUNT(cases)), KGT(branch_cut), KGT(too_large_for_a_double), KGT(comparisons), KGT(every_row_has_a_precision),
    KGT(documented), KGT(modes_are_documented),
  };
  return kgt_run("reference/interval", tests, KGT_COUNT(tests));
}
