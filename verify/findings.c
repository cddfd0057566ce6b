#include "verify/findings.h"

#include "foundation/ir/number.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *kg_outcome_name(kg_outcome outcome) {
  switch (outcome) {
  case KG_OUTCOME_PASSED: return "passed";
  case KG_OUTCOME_ZERO: return "zero";
  case KG_OUTCOME_INCONCLUSIVE: return "INCONCLUSIVE";
  case KG_OUTCOME_FAILED: return "FAILED";
  case KG_OUTCOME_NONE: break;
  }
  return "not judged";
}

/* ---- outcomes ---- */

static bool is_sound(const kgi_oracle *o) {
  return !*o->contract.fault && !kgi_is_misused(&o->of_module) && !kgi_is_misused(&o->of_gradient);
}

static size_t zeros(const kgi_oracle *o, const kgi_judged *d) {
  size_t count = 0;
  for (size_t k = 0; d->ran && k < o->inputs; k++) count += kgi_tally_is_zero(&d->tally[k]);
  return count;
}

static bool device_passes(const kgi_findings *f, const kgi_judged *d) {
  const kgi_oracle *o = f->oracle;
  if (!d->ran || d->differs || d->by_order || d->unsteady || !kgi_tally_passes(&d->along)) return false;
  for (size_t k = 0; k < o->inputs; k++)
    if (!kgi_tally_passes(&d->tally[k])) return false;
  return !f->expect_zero || zeros(o, d) == o->inputs;
}

bool kgi_passes(const kgi_findings *f) {
  size_t passed = 0;
  if (!is_sound(f->oracle)) return false;
  for (size_t i = 0; i < f->devices; i++) {
    if (device_passes(f, &f->device[i])) passed++;
    else if (f->device[i].ran || !i || !f->optional || !f->optional[i - 1]) return false;
  }
  return passed > 0;
}

bool kgi_is_zero(const kgi_findings *f) {
  if (!kgi_passes(f)) return false;
  for (size_t i = 0; i < f->devices; i++)
    if (f->device[i].ran && zeros(f->oracle, &f->device[i]) < f->oracle->inputs) return false;
  return true;
}

static bool is_wrong(const kgi_tally *t) { return t->failed || kgi_tally_is_lost(t); }

/* No entry is wrong, and nothing else is: there is just too little that could be decided. */
static bool is_open(const kgi_findings *f) {
  const kgi_oracle *o = f->oracle;
  size_t open = 0;
  if (!is_sound(o) || f->expect_zero) return false;
  for (size_t i = 0; i < f->devices; i++) {
    const kgi_judged *d = &f->device[i];
    if (d->differs || d->unsteady || is_wrong(&d->along)) return false;
    open += d->ran && (d->by_order || !kgi_tally_passes(&d->along));
    for (size_t k = 0; d->ran && k < o->inputs; k++) {
      if (is_wrong(&d->tally[k])) return false;
      open += !kgi_tally_passes(&d->tally[k]);
    }
  }
  return open;
}

kg_outcome kgi_outcome(const kgi_findings *f) {
  if (kgi_is_zero(f)) return KG_OUTCOME_ZERO;
  return kgi_passes(f) ? KG_OUTCOME_PASSED : is_open(f) ? KG_OUTCOME_INCONCLUSIVE : KG_OUTCOME_FAILED;
}

kg_outcome kgi_outcome_on(const kgi_findings *f, size_t device) {
  kgi_findings alone = {.oracle = f->oracle, .device = &f->device[device], .devices = 1, .expect_zero = f->expect_zero};
  return f->device[device].ran ? kgi_outcome(&alone) : KG_OUTCOME_NONE;
}

kg_outcome kgi_outcome_of(const kgi_tally *t) {
  if (is_wrong(t)) return KG_OUTCOME_FAILED;
  if (!kgi_tally_passes(t)) return KG_OUTCOME_INCONCLUSIVE;
  return kgi_tally_is_zero(t) ? KG_OUTCOME_ZERO : KG_OUTCOME_PASSED;
}

/* ---- reasons ---- */

/* Names may be long, and are cut. */
__attribute__((format(printf, 1, 2))) static kgi_reason say(const char *format, ...) {
  kgi_reason r;
  va_list args;
  va_start(args, format);
  vsnprintf(r.text, sizeof r.text, format, args);
  va_end(args);
  return r;
}

/* What a device gave, and what it must be: with a point, whatever the locale. */
typedef struct numbers { char is[KGI_NUMBER_TEXT], must[KGI_NUMBER_TEXT]; } numbers;

static numbers numbers_of(const kgi_found *f, const kgi_oracle_point *p) {
  numbers n;
  kgi_double_text(f->gradient, 9, n.is);
  kgi_double_text(p->dual + p->start, 9, n.must);
  return n;
}

static bool is_said(const kgi_reason *r) { return *r->text; }

static kgi_reason of_misuse(const char *what, const kg_misuse *m) {
  if (m->failed) return say("%s fails as it runs", what);
  if (m->races) return say("%s has %" PRIu64 " races", what, m->races);
  if (m->uninitialised) return say("%s reads what was never written, %" PRIu64 " times", what, m->uninitialised);
  if (m->out_of_range) return say("%s holds %" PRIu64 " values outside of their ranges", what, m->out_of_range);
  return (kgi_reason){""};
}

static kgi_reason of_soundness(const kgi_oracle *o) {
  kgi_reason r = {""};
  if (*o->contract.fault) return say("the gradient's declarations: %s", o->contract.fault);
  if (kgi_is_misused(&o->of_module)) r = of_misuse("the module itself", &o->of_module);
  else if (kgi_is_misused(&o->of_gradient)) r = of_misuse("the gradient's module", &o->of_gradient);
  return r;
}

static kgi_reason of_entries(const kgi_oracle_input *in, const kgi_judged *d, size_t k) {
  const kgi_tally *t = &d->tally[k];
  const kgi_oracle_point *p = &in->point[t->worst];
  const char *name = in->entry.shadow;
  if (kgi_tally_is_lost(t)) return say("%.80s is zero everywhere, the duals are not", name);
  if (t->failed) {
    numbers n = numbers_of(&d->found[k][t->worst], p);
    return say("%.80s[%" PRIu64 "] is %s on %s, and must be %s; %" PRIu64 " of %" PRIu64 " entries are wrong", name, p->index, n.is,
               d->name, n.must, t->failed, t->checked);
  }
  if (!kgi_tally_passes(t))
    return say("%.80s: rounding accounts for %" PRIu64 " of %" PRIu64 " entries as well", name, t->inconclusive, t->checked);
  return say("%s", "");
}

static kgi_reason of_directions(const kgi_oracle *o, const kgi_judged *d) {
  size_t worst = d->along.worst;
  numbers n = numbers_of(&d->direction[worst], &o->direction[worst]);
  return say("along a random direction the gradient is %s on %s, and must be %s", n.is, d->name, n.must);
}

/* Before the directions: an entry has a place. */
static kgi_reason on_device(const kgi_oracle *o, const kgi_judged *d) {
  kgi_reason r = {""};
  if (!d->ran) return say("%s cannot run it", d->name);
  if (d->differs)
    return say("the gradient's module leaves %.80s otherwise than the module itself does, on %s", d->differs, d->name);
  if (d->unsteady) return say("a second run leaves other bits in %.80s, on %s", d->unsteady, d->name);
  for (size_t k = 0; k < o->inputs && !is_said(&r); k++)
    if (is_wrong(&d->tally[k])) r = of_entries(&o->input[k], d, k);
  if (!is_said(&r) && is_wrong(&d->along)) r = of_directions(o, d);
  if (!is_said(&r) && d->by_order)
    return say("what %.80s holds goes by the order in which invocations come, and two runs on %s differ there", d->by_order, d->name);
  for (size_t k = 0; k < o->inputs && !is_said(&r); k++) r = of_entries(&o->input[k], d, k);
  if (!is_said(&r) && !kgi_tally_passes(&d->along)) r = say("rounding accounts for most random directions as well");
  return r;
}

kgi_reason kgi_reason_of(const kgi_findings *f) {
  kg_outcome outcome = kgi_outcome(f);
  kgi_reason r = {""};
  if (outcome == KG_OUTCOME_PASSED) return r;
  if (outcome == KG_OUTCOME_ZERO) return say("no output depends on any input here, by more than these types hold");
  r = of_soundness(f->oracle);
  for (size_t i = 0; i < f->devices && !is_said(&r); i++) {
    bool excused = i && f->optional && f->optional[i - 1] && !f->device[i].ran;
    if (!excused) r = on_device(f->oracle, &f->device[i]);
  }
  return is_said(&r) ? r : say("a gradient that is zero was expected, and it is not");
}
