#include "tools/verify_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- verdicts ---- */

static bool is_sound(const verify_oracle *o) {
  return !*o->contract.fault && !verify_is_misused(&o->kernel) && !verify_is_misused(&o->gradient);
}

static size_t zeros(const verify_oracle *o, const verify_device *d) {
  size_t count = 0;
  for (size_t k = 0; d->status == TOOL_OK && k < o->inputs; k++) count += tool_tally_is_zero(&d->tally[k]);
  return count;
}

bool verify_device_passes(const verify_outcome *outcome, const verify_device *d) {
  const verify_oracle *o = outcome->oracle;
  if (d->status != TOOL_OK || d->differs || d->unsteady || !tool_tally_passes(&d->along)) return false;
  for (size_t k = 0; k < o->inputs; k++)
    if (!tool_tally_passes(&d->tally[k])) return false;
  return !outcome->expect_zero || zeros(o, d) == o->inputs;
}

bool verify_passes(const verify_outcome *outcome) {
  size_t passed = 0;
  if (!is_sound(outcome->oracle)) return false;
  for (size_t i = 0; i < outcome->devices; i++) {
    if (verify_device_passes(outcome, &outcome->device[i])) passed++;
    else if (outcome->device[i].status == TOOL_OK || !outcome->optional || !outcome->optional[i]) return false;
  }
  return passed > 0;
}

bool verify_is_zero(const verify_outcome *outcome) {
  const verify_oracle *o = outcome->oracle;
  if (!verify_passes(outcome)) return false;
  for (size_t i = 0; i < outcome->devices; i++)
    if (outcome->device[i].status == TOOL_OK && zeros(o, &outcome->device[i]) < o->inputs) return false;
  return true;
}

static bool is_wrong(const tool_tally *t) { return t->failed || tool_tally_is_lost(t); }

/* No entry is wrong, and nothing else is: there is just too little that could be decided. */
static bool is_open(const verify_outcome *outcome) {
  const verify_oracle *o = outcome->oracle;
  size_t open = 0;
  if (!is_sound(o) || outcome->expect_zero) return false;
  for (size_t i = 0; i < outcome->devices; i++) {
    const verify_device *d = &outcome->device[i];
    if (d->differs || d->unsteady || is_wrong(&d->along)) return false;
    open += d->status == TOOL_OK && !tool_tally_passes(&d->along);
    for (size_t k = 0; d->status == TOOL_OK && k < o->inputs; k++) {
      if (is_wrong(&d->tally[k])) return false;
      open += !tool_tally_passes(&d->tally[k]);
    }
  }
  return open;
}

const char *verify_word(const verify_outcome *outcome) {
  if (verify_is_zero(outcome)) return "zero";
  return verify_passes(outcome) ? "passed" : is_open(outcome) ? "INCONCLUSIVE" : "FAILED";
}

static const char *verdict(const tool_tally *t) {
  if (is_wrong(t)) return "FAILED";
  if (!tool_tally_passes(t)) return "INCONCLUSIVE";
  return tool_tally_is_zero(t) ? "zero" : "passed";
}

typedef struct opinions { uint64_t agrees, unsure, disagrees; const verify_point *worst; } opinions;

static opinions opinions_of(const verify_input *in) {
  opinions x = {0};
  for (size_t i = 0; i < in->points; i++) {
    const verify_point *p = &in->point[i];
    enum verify_opinion opinion = verify_opinion_of(p);
    x.agrees += opinion == VERIFY_AGREES, x.unsure += opinion == VERIFY_UNSURE, x.disagrees += opinion == VERIFY_DISAGREES;
    bool further = !x.worst || fabs(p->difference - p->dual) > fabs(x.worst->difference - x.worst->dual);
    if (opinion == VERIFY_DISAGREES && further) x.worst = p;
  }
  return x;
}

/* ---- text ---- */

static void print_contract(const tool_contract *c) {
  if (*c->fault) printf("the gradient's declarations: FAILED; %s\n", c->fault);
}

static void print_misuse(const char *what, const verify_misuse *m) {
  if (!m->watched) printf("%s: too large to be watched for races\n", what);
  if (!verify_is_misused(m)) return;
  printf("%s: FAILED;", what);
  if (m->races) printf(" %" PRIu64 " races", m->races);
  if (m->uninitialised) printf(" %" PRIu64 " reads of what was never written", m->uninitialised);
  if (m->out_of_range) printf(" %" PRIu64 " values out of range", m->out_of_range);
  puts(m->failed ? " the run failed" : "");
}

static void print_counts(const tool_tally *t) {
  if (t->failed) printf(", %" PRIu64 " wrong", t->failed);
  if (t->inconclusive) printf(", %" PRIu64 " inconclusive", t->inconclusive);
}

static void print_interval(const verify_point *p) {
  if (!isnan(p->low) && !isnan(p->high)) printf(", in [%.9g, %.9g]", p->low, p->high);
}

static bool depends(const verify_input *in) {
  for (size_t i = 0; i < in->points; i++)
    if (in->point[i].dual != 0) return true;
  return false;
}

static void print_input(const verify_input *in, const verify_device *d, size_t k) {
  const tool_tally *t = &d->tally[k];
  printf("%s: %s, %" PRIu64 " of %" PRIu64 " entries", in->entry.shadow, verdict(t), t->checked, in->count);
  print_counts(t);
  if (tool_tally_is_zero(t)) {
    printf(depends(in) ? "; the outputs depend on %s by less than these types hold\n" : "; no output depends on %s here\n", in->entry.name);
    return;
  }
  if (tool_tally_is_lost(t)) printf("; it is zero everywhere, the duals are not");
  const verify_point *p = &in->point[t->worst];
  const verify_found *f = &d->found[k][t->worst];
  printf("; worst [%" PRIu64 "]: %.9g, dual %.9g, %.2g of what is allowed", p->index, f->gradient, p->dual + p->start, f->judgement.ratio);
  if (f->judgement.verdict == TOOL_PASSED && f->judgement.ratio > 1) printf(", in f64 %.9g", p->unrounded + p->start);
  if (f->judgement.verdict != TOOL_PASSED) print_interval(p);
  putchar('\n');
}

static void print_device(const verify_outcome *outcome, const verify_device *d) {
  const verify_oracle *o = outcome->oracle;
  if (outcome->devices > 1) printf("on %s:\n", d->name);
  if (d->status != TOOL_OK) {
    puts("it could not run there");
    return;
  }
  for (size_t k = 0; k < o->inputs; k++) print_input(&o->input[k], d, k);
  const tool_tally *t = &d->along;
  const verify_point *p = &o->direction[t->worst];
  printf("along %zu random directions: %s", o->directions, verdict(t));
  print_counts(t);
  printf("; worst: %.9g, dual %.9g, %.2g of what is allowed\n", d->direction[t->worst].gradient, p->dual + p->start,
         t->worst_judgement.ratio);
  if (d->differs) printf("%s: FAILED; the gradient's module leaves other contents than the plain one\n", d->differs);
  if (d->unsteady) printf("%s: FAILED; a second run leaves other bits\n", d->unsteady);
  verify_outcome alone = {.oracle = o, .device = d, .devices = 1, .expect_zero = outcome->expect_zero};
  if (outcome->devices > 1) puts(verify_word(&alone));
}

static void print_differences(const verify_input *in) {
  opinions x = opinions_of(in);
  printf("%s by finite differences: %" PRIu64 " agree, %" PRIu64 " cannot tell, %" PRIu64 " disagree", in->entry.shadow, x.agrees,
         x.unsure, x.disagrees);
  if (x.worst) printf("; worst [%" PRIu64 "]: %.9g +- %.2g, dual %.9g", x.worst->index, x.worst->difference, x.worst->unsure, x.worst->dual);
  putchar('\n');
}

static void print_devices(const verify_outcome *outcome) {
  const char *before = "ran on ";
  for (size_t i = 0; i < outcome->devices; i++) {
    if (outcome->device[i].status != TOOL_OK) continue;
    printf("%s%s", before, outcome->device[i].name);
    before = ", ";
  }
  if (*before != ',') printf("ran nowhere");
  puts(outcome->no_vulkan ? "; found no Vulkan device" : "");
}

void verify_report(const verify_outcome *outcome) {
  const verify_oracle *o = outcome->oracle;
  print_contract(&o->contract);
  if (o->contract.broken) {
    puts(verify_word(outcome));
    return;
  }
  print_misuse("the kernel itself", &o->kernel);
  print_misuse("the gradient's kernel", &o->gradient);
  for (size_t i = 0; i < outcome->devices; i++) print_device(outcome, &outcome->device[i]);
  for (size_t k = 0; o->params->differences && k < o->inputs; k++) print_differences(&o->input[k]);
  if (o->undecided)
    printf("rounding may decide %" PRIu64 " branches or indices, the first at %" PRIu32 ":%" PRIu32 " of the gradient's kernel\n",
           o->undecided, o->undecided_line, o->undecided_column);
  print_devices(outcome);
  if (!o->scale.bounded) puts("the intervals could not be computed; tolerances decide alone");
  if (outcome->expect_zero && !verify_is_zero(outcome)) puts("a gradient that is zero was expected");
  printf("allowed: %d x %.3g x %.3g of the magnitude\n", TOOL_JUDGE_C, o->scale.unit, o->scale.depth);
  puts(verify_word(outcome));
}

/* ---- JSON ---- */

static void json_misuse(tool_json *json, const char *key, const verify_misuse *m) {
  tool_json_key(json, key);
  tool_json_open(json, '{');
  tool_json_member_bool(json, "watched", m->watched);
  tool_json_member_bool(json, "run_failed", m->failed);
  tool_json_member_u64(json, "races", m->races);
  tool_json_member_u64(json, "uninitialised_reads", m->uninitialised);
  tool_json_member_u64(json, "values_out_of_range", m->out_of_range);
  tool_json_close(json, '}');
}

static void json_tally(tool_json *json, const tool_tally *t, const verify_point *p, const verify_found *f) {
  tool_json_member(json, "verdict", verdict(t));
  tool_json_member_u64(json, "checked", t->checked);
  tool_json_member_u64(json, "failed", t->failed);
  tool_json_member_u64(json, "inconclusive", t->inconclusive);
  tool_json_key(json, "worst");
  tool_json_open(json, '{');
  tool_json_member_u64(json, "index", p->index);
  tool_json_member_number(json, "gradient", f->gradient);
  tool_json_member_number(json, "dual", p->dual);
  tool_json_member_number(json, "magnitude", p->magnitude);
  tool_json_member_number(json, "on_entry", p->start);
  tool_json_member_number(json, "unrounded", p->unrounded);
  tool_json_member_number(json, "low", p->low);
  tool_json_member_number(json, "high", p->high);
  tool_json_member_number(json, "allowed", f->judgement.allowed);
  tool_json_member_number(json, "ratio", f->judgement.ratio);
  tool_json_close(json, '}');
}

static void json_input(tool_json *json, const verify_input *in, const verify_device *d, size_t k) {
  static const verify_point nowhere;
  static const verify_found nothing;
  const tool_tally *t = &d->tally[k];
  tool_json_open(json, '{');
  tool_json_member(json, "name", in->entry.name);
  tool_json_member(json, "shadow", in->entry.shadow);
  tool_json_member_bool(json, "passed", tool_tally_passes(t));
  tool_json_member_bool(json, "zero", tool_tally_is_zero(t));
  tool_json_member_u64(json, "entries", in->count);
  json_tally(json, t, t->checked ? &in->point[t->worst] : &nowhere, t->checked ? &d->found[k][t->worst] : &nothing);
  tool_json_close(json, '}');
}

static void json_device(tool_json *json, const verify_outcome *outcome, const verify_device *d) {
  const verify_oracle *o = outcome->oracle;
  tool_json_open(json, '{');
  tool_json_member(json, "device", d->name);
  tool_json_member_bool(json, "ran", d->status == TOOL_OK);
  tool_json_member_bool(json, "passed", verify_device_passes(outcome, d));
  tool_json_member(json, "output_that_differs", d->differs);
  tool_json_member(json, "differs_in_a_second_run", d->unsteady);
  tool_json_key(json, "gradients");
  tool_json_open(json, '[');
  for (size_t k = 0; d->status == TOOL_OK && k < o->inputs; k++) json_input(json, &o->input[k], d, k);
  tool_json_close(json, ']');
  tool_json_key(json, "along_random_directions");
  tool_json_open(json, '{');
  json_tally(json, &d->along, &o->direction[d->along.worst], &d->direction[d->along.worst]);
  tool_json_close(json, '}');
  tool_json_close(json, '}');
}

static void json_difference(tool_json *json, const verify_input *in) {
  opinions x = opinions_of(in);
  tool_json_open(json, '{');
  tool_json_member(json, "shadow", in->entry.shadow);
  tool_json_member_u64(json, "agree", x.agrees);
  tool_json_member_u64(json, "cannot_tell", x.unsure);
  tool_json_member_u64(json, "disagree", x.disagrees);
  if (x.worst) {
    tool_json_member_u64(json, "worst_index", x.worst->index);
    tool_json_member_number(json, "difference", x.worst->difference);
    tool_json_member_number(json, "unsure", x.worst->unsure);
    tool_json_member_number(json, "dual", x.worst->dual);
  }
  tool_json_close(json, '}');
}

static void json_names(tool_json *json, const verify_outcome *outcome) {
  tool_json_key(json, "ran_on");
  tool_json_open(json, '[');
  for (size_t i = 0; i < outcome->devices; i++)
    if (outcome->device[i].status == TOOL_OK) tool_json_string(json, outcome->device[i].name);
  tool_json_close(json, ']');
  tool_json_key(json, "not_found");
  tool_json_open(json, '[');
  if (outcome->no_vulkan) tool_json_string(json, "vulkan");
  tool_json_close(json, ']');
}

void verify_report_json(tool_json *json, const verify_outcome *outcome) {
  const verify_oracle *o = outcome->oracle;
  tool_json_member_bool(json, "passed", verify_passes(outcome));
  tool_json_member(json, "verdict", verify_word(outcome));
  tool_json_member(json, "declared_wrongly", *o->contract.fault ? o->contract.fault : NULL);
  json_names(json, outcome);
  tool_json_member_u64(json, "c", TOOL_JUDGE_C);
  tool_json_member_number(json, "unit", o->scale.unit);
  tool_json_member_number(json, "stored_unit", o->storage_unit);
  tool_json_member_number(json, "depth", o->scale.depth);
  tool_json_member_bool(json, "bounded", o->scale.bounded);
  tool_json_member_u64(json, "undecided", o->undecided);
  json_misuse(json, "kernel", &o->kernel);
  json_misuse(json, "gradient_kernel", &o->gradient);
  tool_json_key(json, "devices");
  tool_json_open(json, '[');
  for (size_t i = 0; i < outcome->devices; i++) json_device(json, outcome, &outcome->device[i]);
  tool_json_close(json, ']');
  if (!o->params->differences) return;
  tool_json_key(json, "finite_differences");
  tool_json_open(json, '[');
  for (size_t k = 0; k < o->inputs; k++) json_difference(json, &o->input[k]);
  tool_json_close(json, ']');
}
