#include "verify/judge.h"

#include <float.h>
#include <math.h>

static double unit_of(kg_type type) {
  if (type == KG_BF16) return 0x1p-8;
  if (type == KG_F16) return 0x1p-11;
  return type == KG_F64 ? 0x1p-53 : 0x1p-24;
}

void kgi_scale_roughen(kgi_scale *scale, kg_type type) {
  if (unit_of(type) > scale->unit) scale->unit = unit_of(type);
}

void kgi_scale_kernel(kgi_scale *scale, const kg_module *kernel) {
  if (kg_module_computes(kernel, KG_F16)) kgi_scale_roughen(scale, KG_F16);
}

void kgi_scale_gradient(kgi_scale *scale, kg_type type) {
  scale->tiny = type == KG_F64 ? DBL_MIN : FLT_MIN;
  scale->largest = type == KG_F64 ? DBL_MAX : (double)FLT_MAX;
}

/* What rounding does to `operations` of that unit, going up and down as it happens to; each may lose what underflows besides. */
static double tolerance(const kgi_scale *s, double magnitude) {
  return KG_VERIFY_C * s->unit * s->depth * magnitude + s->depth * s->depth * s->tiny;
}

/* The duals are computed in f64, and are off by what that rounds; so are sums over entries. */
static double dual_error(const kgi_scale *s, double magnitude) {
  return KG_VERIFY_C * 0x1p-53 * sqrt(s->depth * s->depth + s->terms) * magnitude;
}

/* Contributions that are infinite, or whose sizes are too large to be added: of what cancels, nothing can be said. The gradient may add
 * the cotangents first, and then there is nothing infinite. */
static bool is_beyond(const kgi_claim *c) { return isnan(c->dual) ? isinf(c->magnitude) : isfinite(c->dual) && !isfinite(c->magnitude); }

static kg_outcome judge_infinite(const kgi_scale *s, const kgi_claim *c) {
  bool overflows = fabs(c->dual) > s->largest || c->magnitude > s->largest;
  bool anything = s->bounded && (isnan(c->low) || isnan(c->high) || isinf(c->low) || isinf(c->high));
  if (c->gradient == c->dual) return KG_OUTCOME_PASSED;
  if (isfinite(c->gradient)) return is_beyond(c) ? KG_OUTCOME_INCONCLUSIVE : KG_OUTCOME_FAILED;
  if (isnan(c->dual) || (isnan(c->gradient) && !isfinite(c->dual))) return KG_OUTCOME_INCONCLUSIVE;
  return isfinite(c->dual) && (overflows || anything) ? KG_OUTCOME_INCONCLUSIVE : KG_OUTCOME_FAILED;
}

/* A long sum of like terms rounds the same way each time, and so drifts further than errors that go up and down. Its formulas are
 * right where the same sum in f64 is near, and the interval narrow beside the magnitude. A device that loses terms is not accounted
 * for: it must be near to the reference. */
static bool is_accounted_for(const kgi_claim *c, double allowed) {
  return fabs(c->unrounded - c->dual) <= allowed && c->high - c->low <= c->magnitude / KGI_JUDGE_NARROW &&
         fabs(c->gradient - c->reference) <= allowed;
}

/* An interval without an end decides nothing. Where it is a mode's functions that leave it none, nothing says that the device is
 * wrong. */
static kg_outcome judge_finite(const kgi_scale *s, const kgi_claim *c, double error, double allowed) {
  bool near = error <= allowed;
  bool outside = s->bounded && (c->gradient < c->low || c->gradient > c->high);
  if (s->bounded && !isfinite(c->slack)) return outside ? KG_OUTCOME_FAILED : near ? KG_OUTCOME_PASSED : KG_OUTCOME_INCONCLUSIVE;
  if (!s->bounded || isnan(c->low) || isnan(c->high)) return near ? KG_OUTCOME_PASSED : KG_OUTCOME_FAILED;
  double slack = dual_error(s, c->magnitude) + s->tiny;
  if (outside) return KG_OUTCOME_FAILED;
  if (c->dual + slack < c->low || c->dual - slack > c->high) return KG_OUTCOME_FAILED;
  if (near || is_accounted_for(c, allowed)) return KG_OUTCOME_PASSED;
  return isfinite(c->low) && isfinite(c->high) ? KG_OUTCOME_INCONCLUSIVE : KG_OUTCOME_FAILED;
}

/* What a mode's own functions may be off besides, where that is little beside the magnitude. */
static double slack_of(const kgi_claim *c) {
  return c->slack <= c->magnitude / KGI_JUDGE_NARROW ? c->slack : 0;
}

/* With what stood there on entry: it is added in the gradient's type, and so is part of the magnitude. */
static kgi_claim with_start(const kgi_claim *claim) {
  kgi_claim c = *claim;
  c.dual += c.start, c.unrounded += c.start;
  c.magnitude += fabs(c.start);
  return c;
}

/* Of the roughest type on the way; smaller numbers may become 0 there, even where the gradient itself is of a finer one. */
static double smallest_of(double unit) { return unit == 0x1p-11 ? 0x1p-14 : unit > 0x1p-53 ? (double)FLT_MIN : DBL_MIN; }

/* A dual that is zero but for its own error, or a gradient that is, because nothing as small is seen on the way. */
static double too_small(const kgi_scale *s, const kgi_claim *c, bool vanishes) {
  double tiny = vanishes ? fmax(s->tiny, smallest_of(s->unit)) : s->tiny;
  return dual_error(s, c->magnitude) + s->depth * s->depth * tiny + s->unit * fabs(c->start);
}

/* What is allowed is as large as the gradient itself: contributions that cancel at each of many steps have a magnitude that grows with
 * every step, and nothing as large is ever computed. What is too small for the types on the way is another matter. */
static bool says_nothing(const kgi_scale *s, double magnitude) {
  double underflow = s->depth * s->depth * fmax(s->tiny, smallest_of(s->unit));
  return s->size > underflow && isfinite(s->size) && tolerance(s, magnitude) > s->size / KGI_JUDGE_NARROW;
}

/* A gradient that is zero has duals of nothing but what they are off by, and that is no more than a few steps of rounding. */
static bool may_be_noise(const kgi_scale *s, double magnitude) {
  double noise = dual_error(s, magnitude);
  return noise >= s->size && noise <= KGI_JUDGE_NOISE * s->depth * s->size;
}

/* Then half of the digits have to agree: those of numbers that were computed apart do not by chance. */
static void judge_digits(const kgi_scale *s, const kgi_claim *claim, kgi_judgement *j) {
  double half = sqrt(s->unit) * s->size + tolerance(s, fabs(claim->start));
  bool agree = j->error <= half, is_shown = agree && fabs(claim->dual) > s->size / 2;
  if (j->verdict == KG_OUTCOME_FAILED || (may_be_noise(s, claim->magnitude) && !is_shown)) return;
  j->verdict = agree ? KG_OUTCOME_PASSED : KG_OUTCOME_INCONCLUSIVE;
  j->flows = fabs(claim->dual) > half;
}

/* The gradient is zero, and not because contributions happen to cancel: those leave an interval, which has the dual in it. */
static bool vanishes(const kgi_scale *s, const kgi_claim *c) {
  bool cancels = s->bounded && c->low < c->high && c->low <= c->dual && c->dual <= c->high;
  return c->gradient == c->start && !cancels;
}

/* What depends on a branch, an index or the result of an atomic that rounding or order may decide is anything. All else the device has
 * to give all the same. */
static bool may_be_forked(const kgi_scale *s, const kgi_claim *c) { return s->forks && (isnan(c->low) || isnan(c->high)); }

kgi_judgement kgi_judge(const kgi_scale *s, const kgi_claim *claim) {
  kgi_claim c = with_start(claim);
  kgi_judgement j = {.error = fabs(c.gradient - c.dual), .allowed = tolerance(s, c.magnitude) + slack_of(&c)};
  bool finite = isfinite(c.gradient) && isfinite(c.dual) && isfinite(c.magnitude);
  if (c.gradient == c.dual) j.error = 0;
  j.ratio = j.error == 0 ? 0 : j.error / j.allowed;
  if (isnan(j.ratio)) j.ratio = (double)INFINITY;
  j.verdict = finite ? judge_finite(s, &c, j.error, j.allowed) : judge_infinite(s, &c);
  if (j.verdict == KG_OUTCOME_FAILED && may_be_forked(s, &c)) j.verdict = KG_OUTCOME_INCONCLUSIVE;
  j.vanishes = vanishes(s, &c);
  j.flows = isinf(claim->dual) || !(fabs(claim->dual) <= too_small(s, claim, j.vanishes));
  if (isnan(claim->dual) && is_beyond(claim)) j.flows = false;
  if (isfinite(j.error) && says_nothing(s, claim->magnitude)) judge_digits(s, claim, &j);
  return j;
}

void kgi_tally_add(kgi_tally *t, kgi_judgement j) {
  bool worse = j.verdict > t->worst_judgement.verdict ||
               (j.verdict == t->worst_judgement.verdict && j.ratio > t->worst_judgement.ratio);
  if (!t->checked || worse) t->worst = (size_t)t->checked, t->worst_judgement = j;
  t->checked++;
  t->failed += j.verdict == KG_OUTCOME_FAILED;
  t->inconclusive += j.verdict == KG_OUTCOME_INCONCLUSIVE;
  t->flows += j.flows;
  t->vanishes += j.vanishes;
  t->nonzero += j.verdict == KG_OUTCOME_PASSED && j.flows;
}

bool kgi_tally_is_lost(const kgi_tally *t) { return t->flows && t->vanishes == t->checked; }

bool kgi_tally_passes(const kgi_tally *t) {
  uint64_t decided = t->flows ? t->nonzero : t->checked - t->inconclusive;
  return !t->failed && !kgi_tally_is_lost(t) && t->inconclusive <= decided;
}

bool kgi_tally_is_zero(const kgi_tally *t) { return !t->failed && !t->flows && !t->others; }
