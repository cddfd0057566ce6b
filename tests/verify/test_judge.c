/* How a gradient is judged: the rule by itself, and whole verdicts, of right gradients and of wrong ones. */
#include "tests/support/kgtest.h"

#include "verify/findings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rule ---- */

#define ANY ((double)NAN)
#define INF ((double)INFINITY)

typedef struct judge_case { const char *what; kgi_claim claim; bool bounded, forks; kg_outcome verdict; } judge_case;

/* Single precision, depth 8: 2 * 2^-24 * 8 = 2^-20 of the magnitude is allowed, 9.54e-7. */
static const judge_case judge_cases[] = {
  {"equal", {3, 3, 3, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_PASSED},
  {"within what is allowed", {1 + 9e-7, 1, 1, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_PASSED},
  {"past what is allowed", {1 + 1e-6, 1, 1, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"magnitude counts, not the value", {9e-7, 0, 1, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_PASSED},
  {"nothing is allowed without contributions", {1e-20, 0, 0, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"what underflows is allowed", {1e-37, 0, 0, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_PASSED},
  {"both in the interval", {1, 1 + 1e-8, 1, 1 - 1e-7, 1 + 1e-7, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_PASSED},
  {"the gradient is out of the interval", {1 + 5e-7, 1, 1, 1 - 1e-7, 1 + 1e-7, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_FAILED},
  {"the dual is out of the interval", {1, 1 + 5e-7, 1, 1 - 1e-7, 1 + 1e-7, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_FAILED},
  {"the dual may be off itself", {1, 1 + 1e-15, 1, 1, 1, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_PASSED},
  {"the interval accounts for the difference", {1.5, 1, 1, 0, 2, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"a wide interval, and near", {1, 1, 1, -1e30, 1e30, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_PASSED},
  {"an interval without an end accounts for nothing", {1.5, 1, 1, 0, INF, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_FAILED},
  {"anything accounts for nothing", {1.5, 1, 1, ANY, ANY, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_FAILED},
  {"anything, and near", {1, 1, 1, ANY, ANY, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_PASSED},
  {"a device that may have gone another way", {1.5, 1, 1, ANY, ANY, 0, ANY, ANY, 0}, true, true, KG_OUTCOME_INCONCLUSIVE},
  {"the same, where that decides nothing", {1.5, 1, 1, 1 - 1e-7, 1 + 1e-7, 0, ANY, ANY, 0}, true, true, KG_OUTCOME_FAILED},
  {"a wide interval that no branch decides", {1.5, 1, 1, 0, INF, 0, ANY, ANY, 0}, true, true, KG_OUTCOME_FAILED},
  {"the same infinity", {INF, INF, INF, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_PASSED},
  {"the other infinity", {-INF, INF, INF, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"finite where the dual is infinite", {7, INF, INF, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"finite where the dual is no number", {7, ANY, 1, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"finite where infinite contributions cancel", {0, ANY, INF, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_INCONCLUSIVE},
  {"finite where the dual and its magnitude are none", {0, ANY, ANY, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"no number where the dual is one", {ANY, 7, 7, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"no number, and the dual neither", {ANY, ANY, 7, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_INCONCLUSIVE},
  {"infinite where the dual is not", {INF, 7, 7, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"an overflow of single precision", {INF, 1e39, 1e39, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_INCONCLUSIVE},
  {"an overflow on the way", {ANY, 7, 1e39, ANY, ANY, 0, ANY, ANY, 0}, false, false, KG_OUTCOME_INCONCLUSIVE},
  {"an overflow that the interval knows", {INF, 7, 7, 0, INF, 0, ANY, ANY, 0}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"a long sum of like terms: in f64 it is near", {1.01, 1, 1, 0.98, 1.03, 0, 1, 1.01, 0}, true, false, KG_OUTCOME_PASSED},
  {"the same, and in f64 it is not", {1.01, 1, 1, 0.98, 1.03, 0, 1.01, 1.01, 0}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"near in f64, and a device may have strayed", {1.01, 1, 1, 0.9, 1.1, 0, 1, 1.01, 0}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"near in f64, and outside", {1.04, 1, 1, 0.98, 1.03, 0, 1, 1.04, 0}, true, false, KG_OUTCOME_FAILED},
  {"added to what was there", {5, 2, 2, ANY, ANY, 3, ANY, ANY, 0}, false, false, KG_OUTCOME_PASSED},
  {"put in the place of what was there", {2, 2, 2, ANY, ANY, 3, ANY, ANY, 0}, false, false, KG_OUTCOME_FAILED},
  {"what was there rounds the sum", {1000.00003, 3e-5, 3e-5, ANY, ANY, 1000, ANY, ANY, 0}, false, false, KG_OUTCOME_PASSED},
  {"near in f64, and on a device that lost a term", {1.02, 1, 1, 0.98, 1.03, 0, 1, 1.01, 0}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"what a mode's functions may be off besides", {1.005, 1, 1, 0.99, 1.01, 0, ANY, 1, 0.009}, true, false, KG_OUTCOME_PASSED},
  {"more than they may, and inside", {1.0095, 1, 1, 0.99, 1.01, 0, ANY, 1, 0.009}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"more than they may, and outside", {1.011, 1, 1, 0.99, 1.01, 0, ANY, 1, 0.02}, true, false, KG_OUTCOME_FAILED},
  {"functions that may be off by much of it", {1.05, 1, 1, 0.9, 1.1, 0, ANY, 1, 0.09}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"functions of which nothing is said", {1.5, 1, 1, ANY, ANY, 0, ANY, 1, ANY}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"the same, and near", {1, 1, 1, ANY, ANY, 0, ANY, 1, ANY}, true, false, KG_OUTCOME_PASSED},
  {"functions that may be infinite", {1.5, 1, 1, 0, INF, 0, ANY, 1, INF}, true, false, KG_OUTCOME_INCONCLUSIVE},
  {"the same, and outside", {-1, 1, 1, 0, INF, 0, ANY, 1, INF}, true, false, KG_OUTCOME_FAILED},
};

START_TEST(rule) {
  const judge_case *c = &judge_cases[_i];
  kgi_scale scale = {.depth = 8, .bounded = c->bounded, .forks = c->forks};
  kgi_scale_roughen(&scale, KG_F32);
  kgi_scale_gradient(&scale, KG_F32);
  kgi_judgement j = kgi_judge(&scale, &c->claim);
  ck_assert_msg(j.verdict == c->verdict, "%s: %d, not %d", c->what, (int)j.verdict, (int)c->verdict);
}
END_TEST

START_TEST(units) {
  kgi_scale s = {0};
  kgi_scale_roughen(&s, KG_F64);
  ck_assert(s.unit == 0x1p-53);
  kgi_scale_roughen(&s, KG_F16);
  kgi_scale_roughen(&s, KG_F32);
  ck_assert(s.unit == 0x1p-11); /* the roughest */
  kgi_scale_roughen(&s, KG_BF16);
  ck_assert(s.unit == 0x1p-8);
  kgi_scale_gradient(&s, KG_F64);
  ck_assert(s.largest == DBL_MAX && s.tiny == DBL_MIN);
}
END_TEST

/* The unit of a kernel over f32 that computes its result so. */
static double unit_of_kernel(const char *result) {
  char text[300];
  kg_module *m;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer h : f16[1] read buffer x : f32[1] read buffer y : f32[1] write\n"
                              "y[0] = %s }", result);
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  kgi_scale s = {0};
  kgi_scale_roughen(&s, KG_F32);
  kgi_scale_kernel(&s, m);
  kg_module_free(m);
  return s.unit;
}

/* Halves that are loaded are as they are; those that are computed are rounded, and so are their partials. */
START_TEST(units_of_kernels) {
  ck_assert(unit_of_kernel("x[0] * x[0]") == 0x1p-24);
  ck_assert(unit_of_kernel("f32(h[0]) * x[0]") == 0x1p-24);
  ck_assert(unit_of_kernel("f32(sin(h[0]))") == 0x1p-11);
  ck_assert(unit_of_kernel("f32(f16(x[0]))") == 0x1p-11);
}
END_TEST

static void count(kgi_tally *t, unsigned n, kgi_judgement j) {
  for (unsigned k = 0; k < n; k++) kgi_tally_add(t, j);
}

static kgi_tally tally_of(unsigned passed, unsigned inconclusive, unsigned failed, bool flows) {
  kgi_tally t = {0};
  count(&t, passed, (kgi_judgement){KG_OUTCOME_PASSED, 0, 1, 0, flows, !flows});
  count(&t, inconclusive, (kgi_judgement){KG_OUTCOME_INCONCLUSIVE, 5, 1, 5, true, false});
  count(&t, failed, (kgi_judgement){KG_OUTCOME_FAILED, 3, 1, 3, true, false});
  return t;
}

START_TEST(half_must_be_decided) {
  kgi_tally even = tally_of(4, 4, 0, true), less = tally_of(4, 5, 0, true), wrong = tally_of(9, 2, 1, true);
  ck_assert(kgi_tally_passes(&even));
  ck_assert(!kgi_tally_passes(&less));
  ck_assert(!kgi_tally_passes(&wrong));
  ck_assert_uint_eq(wrong.worst, 11); /* a wrong entry before an inconclusive one that is further off */
}
END_TEST

/* Zero is right where the duals are; zero everywhere is wrong where they are not, however small. */
START_TEST(zero_or_lost) {
  kgi_tally zero = tally_of(9, 0, 0, false), some = tally_of(4, 4, 0, true), lost = zero, part = zero;
  ck_assert(kgi_tally_is_zero(&zero) && kgi_tally_passes(&zero) && !kgi_tally_is_lost(&zero));
  ck_assert(!kgi_tally_is_zero(&some) && !kgi_tally_is_lost(&some));
  kgi_tally_add(&lost, (kgi_judgement){KG_OUTCOME_PASSED, 0, 1, 0, true, true});
  ck_assert(kgi_tally_is_lost(&lost) && !kgi_tally_passes(&lost) && !kgi_tally_is_zero(&lost));
  kgi_tally_add(&part, (kgi_judgement){KG_OUTCOME_PASSED, 0, 1, 0, true, false});
  ck_assert(kgi_tally_passes(&part) && !kgi_tally_is_zero(&part));
}
END_TEST

/* Sums over entries in f64 move the dual beside its interval, and nothing of what a float may be off. */
START_TEST(sums_over_entries) {
  kgi_scale s = {.depth = 1, .bounded = true};
  kgi_scale_roughen(&s, KG_F32);
  kgi_scale_gradient(&s, KG_F32);
  const kgi_claim beside = {.gradient = 1, .dual = 1 + 0x1p-50, .magnitude = 1, .low = 1, .high = 1, .unrounded = 1, .reference = 1};
  const kgi_claim off = {.gradient = 1 + 0x1p-20, .dual = 1, .magnitude = 1, .low = 0.5, .high = 2, .unrounded = 2, .reference = 1};
  ck_assert_int_eq(kgi_judge(&s, &beside).verdict, KG_OUTCOME_FAILED);
  double allowed = kgi_judge(&s, &off).allowed;
  ck_assert_int_eq(kgi_judge(&s, &off).verdict, KG_OUTCOME_INCONCLUSIVE);
  s.terms = 1e6;
  ck_assert_int_eq(kgi_judge(&s, &beside).verdict, KG_OUTCOME_PASSED);
  ck_assert_int_eq(kgi_judge(&s, &off).verdict, KG_OUTCOME_INCONCLUSIVE);
  ck_assert(kgi_judge(&s, &off).allowed == allowed);
}
END_TEST

/* A dual that is zero but for its own rounding does not flow; nor does one that what stands there swallows. */
START_TEST(what_flows) {
  kgi_scale s = {.depth = 8};
  kgi_scale_roughen(&s, KG_F32);
  kgi_scale_gradient(&s, KG_F32);
  const kgi_claim none = {.dual = 1e-17, .magnitude = 1}, little = {.dual = 1e-10, .magnitude = 1};
  const kgi_claim swallowed = {.gradient = 1, .dual = 1e-10, .magnitude = 1, .start = 1};
  ck_assert(!kgi_judge(&s, &none).flows && kgi_judge(&s, &none).vanishes);
  ck_assert(kgi_judge(&s, &little).flows && kgi_judge(&s, &little).vanishes);
  /* what cancels to nothing was not lost; an interval of one number, or one that misses the dual, shows nothing */
  const kgi_claim cancels = {.dual = 2e-9, .magnitude = 0.3, .high = 1.5e-8}, empty = {.dual = 2e-9, .magnitude = 0.3};
  const kgi_claim other = {.dual = -2e-9, .magnitude = 0.3, .high = 1.5e-8};
  s.bounded = true;
  ck_assert(kgi_judge(&s, &cancels).flows && !kgi_judge(&s, &cancels).vanishes);
  ck_assert(kgi_judge(&s, &empty).vanishes && kgi_judge(&s, &other).vanishes);
  s.bounded = false;
  ck_assert(kgi_judge(&s, &cancels).vanishes);
  const kgi_claim underflows = {.dual = 1e-40, .magnitude = 1e-40}, sees = {.gradient = 1e-40, .dual = 1e-40, .magnitude = 1e-40};
  kgi_scale_gradient(&s, KG_F64); /* a gradient of f64, by way of f32 */
  ck_assert(!kgi_judge(&s, &underflows).flows && kgi_judge(&s, &sees).flows);
  ck_assert(!kgi_judge(&s, &swallowed).flows && kgi_judge(&s, &swallowed).vanishes);
  const kgi_claim infinite = {.gradient = (double)INFINITY, .dual = (double)INFINITY, .magnitude = (double)INFINITY};
  ck_assert(kgi_judge(&s, &infinite).flows && kgi_judge(&s, &infinite).verdict == KG_OUTCOME_PASSED);
}
END_TEST

/* ---- whole verdicts ---- */

typedef struct trial {
  kg_module *module, *adjoint;
  kg_grad_map *map;
  kg_grad_params asked;
  kg_grad_entry *shadow;
  kg_verify_params params;
  kgi_gradient gradient;
  kgi_oracle oracle;
  kgi_judged device;
  kgi_findings findings;
} trial;

static void ask(trial *t, const char *text) {
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &t->module), KG_OK);
  ck_assert_int_eq(kg_grad_mapped(t->module, &t->asked, NULL, &t->adjoint, &t->map), KG_OK);
  t->shadow = kgi_shadows_of(t->map, NULL);
  t->gradient = (kgi_gradient){.module = t->module, .asked = &t->asked, .adjoint = t->adjoint, .shadow = t->shadow,
                                .shadows = kg_grad_map_count(t->map)};
  t->params.seed = 1;
  t->findings = (kgi_findings){.oracle = &t->oracle, .device = &t->device, .devices = 1};
}

static void answer(trial *t) {
  ck_assert_int_eq(kgi_oracle_make(&t->params, &t->gradient, NULL, &t->oracle), KG_OK);
  if (t->oracle.contract.broken) t->findings.devices = 0;
  else ck_assert_int_eq(kgi_judged_make(&t->oracle, NULL, &t->device), KG_OK);
}

/* With what the test has made of the gradient since. */
static void answer_again(trial *t) {
  kgi_judged_free(&t->device);
  ck_assert_int_eq(kgi_judged_make(&t->oracle, NULL, &t->device), KG_OK);
}

static void begin(trial *t, const char *text) {
  *t = (trial){.params.differences = true};
  ask(t, text);
  answer(t);
}

static const char *word(const trial *t) { return kg_outcome_name(kgi_outcome(&t->findings)); }

static void end(trial *t) {
  kgi_judged_free(&t->device);
  kgi_oracle_free(&t->oracle);
  free(t->shadow);
  kg_grad_map_free(t->map);
  kg_module_free(t->adjoint);
  kg_module_free(t->module);
}

#define KERNEL(range, body) "program p { workgroup 32 grid invocations 60 buffer x : f32[60] read in " range " buffer y : f32[60] write\n" \
                            "let i = global_id.x if i < 60 { y[i] = " body " } }"

typedef struct verdict_case { const char *text, *word; } verdict_case;
static const verdict_case verdict_cases[] = {
  {KERNEL("-1.0 .. 1.0", "tanh(x[i])"), "passed"},
  {KERNEL("-4.0 .. 4.0", "tanh(x[i])"), "passed"},       /* flat in places */
  {KERNEL("5.0 .. 12.0", "tanh(x[i])"), "passed"},       /* flat everywhere */
  {KERNEL("0.0 .. 1.0", "f32(exp(f16(x[i]) - 15.0))"), "passed"}, /* results of few bits, of which partials make no use */
  {KERNEL("1e21 .. 3e21", "atan(x[i]) * 1e38"), "INCONCLUSIVE"},  /* partials that are subnormal */
  {KERNEL("-1.0 .. 1.0", "floor(x[i])"), "zero"},
  {KERNEL("-1.0 .. 1.0", "x[i] + x[59 - i] * x[0]"), "passed"},
};

START_TEST(verdicts) {
  trial t;
  begin(&t, verdict_cases[_i].text);
  ck_assert_str_eq(word(&t), verdict_cases[_i].word);
  ck_assert(t.oracle.scale.bounded);
  end(&t);
}
END_TEST

/* Single entries that are off by little: a wrong value in one place of many. */
START_TEST(one_wrong_entry) {
  trial t;
  begin(&t, KERNEL("-1.0 .. 1.0", "x[i] * x[i]"));
  uint32_t shadow = kg_module_find_buffer(t.adjoint, "grad_x");
  float *g = t.oracle.reference.array[shadow].data;
  g[17] *= 1.00001f;
  answer_again(&t);
  ck_assert_str_eq(word(&t), "FAILED");
  ck_assert_uint_eq(t.device.tally[0].failed, 1);
  ck_assert_uint_eq(t.oracle.input[0].point[t.device.tally[0].worst].index, 17);
  end(&t);
}
END_TEST

/* What cancels at each step has a magnitude that grows fivefold with it, up to infinity: where so much is allowed that anything passes,
 * digits decide. */
START_TEST(allowed_too_much) {
  static const unsigned steps[] = {4, 12, 24, 40, 100, 500};
  for (unsigned k = 0; k < 6; k++) {
    char text[300];
    snprintf(text, sizeof text, "program p { workgroup 32 grid invocations 60 buffer x : f32[60] read buffer y : f32[60] write\n"
             "let i = global_id.x if i < 60 { var v = x[i] for k in 0 .. %u { v = 3.0 * v - 2.0 * v } y[i] = sin(v) } }", steps[k]);
    trial t;
    begin(&t, text);
    ck_assert_str_eq(word(&t), "passed");
    ck_assert(!kgi_tally_is_zero(&t.device.tally[0]));
    float *g = t.oracle.reference.array[kg_module_find_buffer(t.adjoint, "grad_x")].data;
    for (unsigned i = 0; i < 60; i++) g[i] *= 1.01f;
    answer_again(&t);
    ck_assert_str_ne(word(&t), "passed");
    ck_assert(k || t.device.tally[0].failed);
    end(&t);
  }
}
END_TEST

/* Kinks and jumps: differences agree where the function is smooth, and say so where they cannot tell. */
typedef struct difference_case { const char *text; bool disagrees; } difference_case;
static const difference_case difference_cases[] = {
  {KERNEL("-1.0 .. 1.0", "sin(3.0 * x[i]) * exp(x[i])"), false},
  {KERNEL("-1.0 .. 1.0", "abs(x[i]) + max(x[i], 0.25)"), false},
  {KERNEL("-1.0 .. 1.0", "select(x[i] > 0.1, x[i] + 1.0, x[i] * 2.0)"), false},
  {KERNEL("-1.0 .. 1.0", "x[i] * stop_gradient(x[i])"), true}, /* a convention that they do not know */
};

START_TEST(differences) {
  trial t;
  begin(&t, difference_cases[_i].text);
  unsigned count[4] = {0};
  for (size_t k = 0; k < t.oracle.input[0].points; k++) count[kgi_opinion_of(&t.oracle.input[0].point[k])]++;
  if (difference_cases[_i].disagrees) ck_assert_uint_gt(count[KGI_DISAGREES], 50);
  else {
    ck_assert_uint_eq(count[KGI_DISAGREES], 0);
    ck_assert_uint_gt(count[KGI_AGREES], 50);
  }
  end(&t);
}
END_TEST

/* ---- what the gradient says of itself ---- */

/* x is in place, a is only read, and s is a param. */
#define SEVERAL "program p { workgroup 8 grid invocations n param n : u32 = 9 param s : f32 = 0.5 buffer a : f32[n] read\n" \
                "buffer x : f32[n] read_write let i = global_id.x if i < n { x[i] = s * a[i] * x[i] } }"

static void rename_shadow(trial *t) { t->shadow[0].shadow = t->shadow[1].shadow; }
static void swap_shadows(trial *t) {
  const char *kept = t->shadow[0].shadow;
  t->shadow[0].shadow = t->shadow[1].shadow, t->shadow[1].shadow = kept;
}
static void lose_last(trial *t) { t->gradient.shadows--; }
static void name_twice(trial *t) { t->shadow[1] = t->shadow[0]; }
static void no_cotangent(trial *t) { t->shadow[1].of = false; }
static void no_gradient(trial *t) { t->shadow[0].wrt = false; }
static void a_cotangent_more(trial *t) { t->shadow[0].of = true; }
static void a_param(trial *t) { t->shadow[0].is_param = true; }
static void of_an_integer(trial *t) { t->shadow[0].name = "n"; }
static void the_kernels_own(trial *t) { t->shadow[0].shadow = "a"; }
static void nowhere(trial *t) { t->shadow[0].shadow = "grad_a_7"; }
static void differently_asked(trial *t) { t->asked.accumulate = true; }
static void less_asked(trial *t) { t->asked.wrt_count = 2; }

typedef struct statement { const char *what; void (*spoil)(trial *t); const char *fault; bool broken; } statement;
static const statement statements[] = {
  {"one shadow for two names", rename_shadow, "grad_x is not the shadow of a", true},
  {"shadows that are mixed up", swap_shadows, "grad_x is not the shadow of a", true},
  {"a name left out", lose_last, "no shadow of s is named", true},
  {"a name that stands there twice", name_twice, "no shadow of x is named", true},
  {"a cotangent that is none", no_cotangent, "grad_x is named as the shadow of something else than x", true},
  {"a gradient that is none", no_gradient, "grad_a is named as the shadow of something else than a", true},
  {"a cotangent of an input", a_cotangent_more, "grad_a is named as the shadow of something else than a", true},
  {"a param that is none", a_param, "grad_a is named as the shadow of something else than a", true},
  {"a shadow of what holds no floats", of_an_integer, "no shadow of a is named", true},
  {"a buffer of the kernel", the_kernels_own, "a is not the shadow of a", true},
  {"a shadow that there is not", nowhere, "there is no buffer grad_a_7, the shadow of a", true},
  {"overwritten, not added to", differently_asked, "grad_a is the gradient of a, and is declared `write`", false},
  {"a shadow that nobody asked for", less_asked, "grad_s is named as the shadow of s, which nobody asked for", true},
};

START_TEST(stated_wrongly) {
  static const char *const wrt[] = {"a", "x", "s"};
  const statement *s = &statements[_i];
  trial t = {.asked = {.wrt = wrt, .wrt_count = 3}};
  ask(&t, SEVERAL);
  s->spoil(&t);
  answer(&t);
  ck_assert_str_eq(t.oracle.contract.fault, s->fault);
  ck_assert_msg(t.oracle.contract.broken == s->broken, "%s", s->what);
  ck_assert_str_eq(word(&t), "FAILED");
  end(&t);
}
END_TEST

START_TEST(stated_rightly) {
  static const char *const wrt[] = {"a", "x", "s"};
  for (unsigned k = 0; k < 2; k++) {
    trial t = {.asked = {.wrt = wrt, .wrt_count = 3, .accumulate = k}};
    ask(&t, SEVERAL);
    answer(&t);
    ck_assert_str_eq(t.oracle.contract.fault, "");
    ck_assert_str_eq(word(&t), "passed");
    end(&t);
  }
}
END_TEST

/* An adjoint that somebody else wrote, of y[i] = a[i] * x[i] where i < n. */
typedef struct written { const char *adjoint, *fault; bool broken; const char *word; } written;
#define GRAD(buffers, body) "program p_grad { workgroup 8 grid invocations n param n : u32 = 9\n" buffers \
                            "\nlet i = global_id.x if i < n { y[i] = a[i] * x[i]\n" body " } }"
#define OF(x) "buffer a : f32[n] read buffer x : f32[n] " x " buffer y : f32[n] write\n"
#define OWN OF("read in 0.0 .. 2.0")
#define BOTH "grad_a[i] = grad_y[i] * x[i] grad_x[i] = grad_y[i] * a[i]"
#define SHADOWS(y, a, x) "buffer grad_y : f32[" y "] read buffer grad_a : " a " write buffer grad_x : " x " write "
static const written adjoints[] = {
  {GRAD(OWN SHADOWS("n", "f32[n]", "f32[n]"), BOTH), "", false, "passed"},
  {GRAD(OWN SHADOWS("n", "f32[n]", "f32[n + 1]"), BOTH), "grad_x has 10 elements, not 9", true, "FAILED"},
  {GRAD(OWN SHADOWS("n - 1", "f32[n]", "f32[n]"), BOTH), "grad_y has 8 elements, not 9", true, "FAILED"},
  {GRAD(OWN SHADOWS("n", "f32[n / (n - 9)]", "f32[n]"), BOTH), "a length cannot be computed", true, "FAILED"},
  {GRAD(OWN SHADOWS("n", "f32[n]", "f64[n]"), "grad_a[i] = grad_y[i] * x[i] grad_x[i] = f64(grad_y[i] * a[i])"),
   "grad_x is declared f64", true, "FAILED"},
  {GRAD(OWN SHADOWS("n", "f32[n]", "f32[n]") "buffer more : f32[n] read ", BOTH),
   "more is neither the kernel's, nor a shadow, nor `temp`", true, "FAILED"},
  {GRAD(OWN SHADOWS("n", "f32[n]", "f32[n]") "param k : u32 = 1 ", BOTH), "param k is not the kernel's", true, "FAILED"},
  {GRAD(OF("read in 0.0 .. 3.0") SHADOWS("n", "f32[n]", "f32[n]"), BOTH), "the range of x is not the kernel's", false, "FAILED"},
  {GRAD(OF("read") SHADOWS("n", "f32[n]", "f32[n]"), BOTH), "the range of x is lost", false, "FAILED"},
  {GRAD(OF("read_write in 0.0 .. 2.0") SHADOWS("n", "f32[n]", "f32[n]"), BOTH), "x is `read`, and is declared `read_write`", false,
   "FAILED"},
  {GRAD(OWN SHADOWS("n", "f32[n]", "f32[n]") "in -9.0 .. 9.0 ", BOTH), "grad_x is declared with a range", false, "FAILED"},
  {GRAD(OWN SHADOWS("n", "f32[n]", "f32[n]"), "grad_a[i] = grad_y[i] * x[i]"), "", false, "FAILED"}, /* grad_x keeps what was there */
  {GRAD(OWN SHADOWS("n", "f32[n]", "f32[n]"), "grad_a[i] = grad_y[i] * x[i] if i > 0 { grad_x[i] = grad_y[i] * a[i] }"), "", false,
   "FAILED"},
  {GRAD(OWN SHADOWS("n", "f32[n]", "f32[n]"), "grad_a[i] = 0.0 grad_x[i] = 0.0"), "", false, "FAILED"},
  {"program p_grad { workgroup 8 grid invocations n param n : u32 = 8\n" OWN SHADOWS("n", "f32[n]", "f32[n]")
   "let i = global_id.x if i < n { y[i] = a[i] * x[i] " BOTH " } }", "the default of param n is not the kernel's", false, "FAILED"},
};

START_TEST(written_by_hand) {
  const written *w = &adjoints[_i];
  trial t = {.params.entries = 0};
  ask(&t, "program p { workgroup 8 grid invocations n param n : u32 = 9\n" OWN "let i = global_id.x if i < n { y[i] = a[i] * x[i] } }");
  kg_module_free(t.adjoint);
  ck_assert_int_eq(kg_module_parse(NULL, "t", w->adjoint, strlen(w->adjoint), NULL, &t.adjoint), KG_OK);
  t.gradient.adjoint = t.adjoint;
  answer(&t);
  ck_assert_str_eq(t.oracle.contract.fault, w->fault);
  ck_assert_int_eq(t.oracle.contract.broken, w->broken);
  ck_assert_str_eq(word(&t), w->word);
  end(&t);
}
END_TEST

/* In place, by hand: half of the elements are stored. What is declared `write`, or cleared, does not pass the other half on. */
static const written in_place[] = {
  {"buffer grad_x : f32[n] read_write let i = global_id.x if i < n { if i < n / 2 { grad_x[i] = 0.0 x[i] = 1.0 } } }", "", false, "passed"},
  {"buffer grad_x : f32[n] write let i = global_id.x if i < n { if i < n / 2 { grad_x[i] = 0.0 x[i] = 1.0 } } }",
   "grad_x is the cotangent and the gradient of x, and is declared `write`", false, "FAILED"},
  {"buffer grad_x : f32[n] read_write let i = global_id.x if i < n { grad_x[i] = 0.0 if i < n / 2 { x[i] = 1.0 } } }", "", false, "FAILED"},
  {"buffer grad_x : f32[n] read_write let i = global_id.x if i < n { if i < n / 2 { x[i] = 1.0 } } }", "", false, "FAILED"},
};

START_TEST(passed_on) {
  const written *w = &in_place[_i];
  char text[500];
  trial t = {.params.entries = 0};
  const char *head = "program p { workgroup 8 grid invocations n param n : u32 = 9 buffer x : f32[n] read_write\n";
  snprintf(text, sizeof text, "%slet i = global_id.x if i < n / 2 { x[i] = 1.0 } }", head);
  ask(&t, text);
  kg_module_free(t.adjoint);
  snprintf(text, sizeof text, "%s%s", head, w->adjoint);
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &t.adjoint), KG_OK);
  t.gradient.adjoint = t.adjoint;
  answer(&t);
  ck_assert_str_eq(t.oracle.contract.fault, w->fault);
  ck_assert_str_eq(word(&t), w->word);
  end(&t);
}
END_TEST

/* Where a gradient is added to what stands there, that is part of the result. */
START_TEST(accumulated) {
  trial t = {.asked.accumulate = true};
  ask(&t, KERNEL("-1.0 .. 1.0", "x[i] * x[i]"));
  answer(&t);
  ck_assert_str_eq(word(&t), "passed");
  const kgi_oracle_point *p = &t.oracle.input[0].point[8];
  ck_assert(p->start != 0 && p->dual != 0);
  float *g = t.oracle.reference.array[t.oracle.input[0].shadow].data;
  ck_assert_double_eq_tol((double)g[8], p->start + p->dual, 1e-6);
  g[8] = (float)p->dual; /* as if it had been overwritten */
  answer_again(&t);
  ck_assert_uint_eq(t.device.tally[0].failed, 1);
  end(&t);
}
END_TEST

/* The last bit of one entry: right, and yet not the same as in a second run. */
START_TEST(the_same_bits) {
  trial t = {.asked.deterministic = true};
  ask(&t, KERNEL("-1.0 .. 1.0", "exp(x[i]) * sin(x[i])"));
  answer(&t);
  ck_assert_str_eq(word(&t), "passed");
  uint32_t *g = t.oracle.reference.array[t.oracle.input[0].shadow].data;
  g[17] ^= 1;
  answer_again(&t);
  ck_assert_uint_eq(t.device.tally[0].failed, 0);
  ck_assert_str_eq(t.device.unsteady, "grad_x");
  ck_assert_str_eq(word(&t), "FAILED");
  end(&t);
}
END_TEST

/* 70,000 like terms: each sum rounds the same way, further than errors that go up and down. */
START_TEST(a_long_sum) {
  trial t = {.params.entries = 0};
  ask(&t, "program p { workgroup 1 grid 1 buffer w : f32[1] read buffer y : f32[1] write\n"
          "var s = 0.0 for i in 0 .. 70000 { s = s + w[0] } y[0] = s }");
  answer(&t);
  const kgi_oracle_point *p = &t.oracle.input[0].point[0];
  ck_assert_double_gt(t.device.tally[0].worst_judgement.ratio, 1);
  ck_assert_double_eq_tol(p->unrounded, p->dual, 1e-9 * fabs(p->dual));
  ck_assert_str_eq(word(&t), "passed");
  float *g = t.oracle.reference.array[t.oracle.input[0].shadow].data;
  g[0] *= 1.003F; /* past the interval */
  answer_again(&t);
  ck_assert_str_eq(word(&t), "FAILED");
  end(&t);
}
END_TEST

START_TEST(zero_is_a_verdict) {
  trial t;
  begin(&t, "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer z : f32[8] read buffer y : f32[8] write\n"
            "let i = global_id.x y[i] = x[i] + floor(z[i]) }");
  ck_assert_str_eq(word(&t), "passed");
  ck_assert(!kgi_tally_is_zero(&t.device.tally[0]) && kgi_tally_is_zero(&t.device.tally[1]));
  t.findings.expect_zero = true;
  ck_assert_str_eq(word(&t), "FAILED");
  end(&t);
  begin(&t, KERNEL("-1.0 .. 1.0", "floor(x[i])"));
  ck_assert(kgi_is_zero(&t.findings));
  t.findings.expect_zero = true;
  ck_assert_str_eq(word(&t), "zero");
  end(&t);
}
END_TEST

/* Directions leave out what is not finite on the reference: it is looked at by itself, also in the midst of many. */
START_TEST(infinite_entries) {
  trial t = {.params.entries = 4};
  ask(&t, "program p { workgroup 64 grid invocations 999 buffer x : f32[999] read in 0.0 .. 1.0 buffer y : f32[999] write\n"
          "let i = global_id.x if i < 999 { y[i] = sqrt(select(i == 500, x[i] - x[i], x[i])) } }");
  answer(&t);
  const kgi_oracle_input *in = &t.oracle.input[0];
  bool seen = false;
  for (size_t k = 0; k < in->points; k++) seen |= in->point[k].index == 500;
  ck_assert(seen);
  ck_assert_uint_eq(in->points, 5);
  end(&t);
}
END_TEST

/* What is infinite everywhere is not zero. */
START_TEST(all_infinite) {
  trial t = {.params.entries = 4};
  ask(&t, "program p { workgroup 4 grid 1 buffer x : f32[4] read in 1.0 .. 2.0 buffer y : f32[4] write\n"
          "fn steep(a : f32) -> f32 = a pullback(g) = g * a / 0.0\n y[local_id.x] = steep(x[local_id.x]) }");
  answer(&t);
  ck_assert(!kgi_is_zero(&t.findings) && kgi_passes(&t.findings));
  end(&t);
}
END_TEST

/* Large inputs: spread all over, the ends included, in order and each once. */
START_TEST(chosen_entries) {
  trial t = {.params = {.entries = 20, .directions = 40}};
  ask(&t, "program p { workgroup 64 grid invocations 5000 buffer x : f32[5000] read buffer y : f32[5000] write\n"
          "let i = global_id.x if i < 5000 { y[i] = x[i] * x[i] } }");
  t.params.seed = 3;
  answer(&t);
  const kgi_oracle_input *in = &t.oracle.input[0];
  ck_assert_uint_eq(t.oracle.directions, KG_VERIFY_MOST_DIRECTIONS);
  ck_assert_uint_eq(in->points, 20);
  ck_assert_uint_eq(in->point[0].index, 0);
  ck_assert_uint_eq(in->point[19].index, 4999);
  for (size_t k = 1; k < 20; k++) {
    ck_assert_uint_gt(in->point[k].index, in->point[k - 1].index);
    ck_assert_uint_eq(in->point[k].index / 250, k);
  }
  end(&t);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(rule, judge_cases, what), KGT(units), KGT(units_of_kernels), KGT(half_must_be_decided),
                            KGT(zero_or_lost), KGT(sums_over_entries), KGT(what_flows), KGT_TABLE(verdicts, verdict_cases, text), KGT(one_wrong_entry),
                            KGT(allowed_too_much), KGT_TABLE(differences, difference_cases, text), KGT_TABLE(stated_wrongly, statements, what),
                            KGT(stated_rightly), KGT_TABLE(written_by_hand, adjoints, adjoint),
                            KGT_TABLE(passed_on, in_place, adjoint), KGT(accumulated), KGT(the_same_bits), KGT(a_long_sum), KGT(zero_is_a_verdict),
                            KGT(infinite_entries), KGT(all_infinite), KGT(chosen_entries)};
  return kgt_run("verify/judge", tests, KGT_COUNT(tests));
}
