#include "tools/verify_report.h"

#include <inttypes.h>
#include <math.h>

/* ---- text ---- */

static void print_misuse(const char *what, const kg_misuse *m) {
  if (!m->watched) printf("%s: too large to be watched for races\n", what);
  if (!m->races && !m->uninitialised && !m->out_of_range && !m->failed) return;
  printf("%s: FAILED;", what);
  if (m->races) printf(" %" PRIu64 " races", m->races);
  if (m->uninitialised) printf(" %" PRIu64 " reads of what was never written", m->uninitialised);
  if (m->out_of_range) printf(" %" PRIu64 " values out of range", m->out_of_range);
  puts(m->failed ? " the run failed" : "");
}

static void print_counts(const kg_verdict_gradient *g) {
  if (g->failed) printf(", %" PRIu64 " wrong", g->failed);
  if (g->inconclusive) printf(", %" PRIu64 " inconclusive", g->inconclusive);
}

static void print_worst(const kg_verdict_entry *e) {
  printf("; worst [%" PRIu64 "]: %.9g, dual %.9g, %.2g of what is allowed", e->index, e->gradient, e->dual + e->on_entry, e->ratio);
  if (e->outcome == KG_OUTCOME_PASSED && e->ratio > 1) printf(", in f64 %.9g", e->unrounded + e->on_entry);
  if (e->outcome != KG_OUTCOME_PASSED && !isnan(e->low) && !isnan(e->high)) printf(", in [%.9g, %.9g]", e->low, e->high);
  putchar('\n');
}

static void print_gradient(const kg_verdict_gradient *g) {
  printf("%s: %s, %" PRIu64 " of %" PRIu64 " entries", g->shadow, kg_outcome_name(g->outcome), g->checked, g->count);
  print_counts(g);
  if (g->zero && g->tangent) {
    puts("; along this direction it is");
    return;
  }
  if (g->zero) {
    printf(g->depends ? "; the outputs depend on %s by less than these types hold\n" : "; no output depends on %s here\n", g->name);
    return;
  }
  if (g->lost) printf("; it is zero everywhere, the duals are not");
  print_worst(&g->worst);
}

static void print_directions(const kg_verdict_info *info, const kg_verdict_gradient *along) {
  const kg_verdict_entry *worst = &along->worst;
  printf("along %zu random directions: %s", info->directions, kg_outcome_name(along->outcome));
  print_counts(along);
  printf("; worst: %.9g, dual %.9g, %.2g of what is allowed\n", worst->gradient, worst->dual + worst->on_entry, worst->ratio);
}

static void print_device(const verify_shown *shown, const kg_verdict_info *info, size_t i) {
  kg_verdict_device d = kg_verdict_on(shown->verdict, i);
  if (info->devices > 1) printf("on %s:\n", shown->device[i]);
  if (!d.ran) {
    puts("it could not run there");
    return;
  }
  for (size_t k = 0; k < info->gradients; k++) {
    kg_verdict_gradient g = kg_verdict_of(shown->verdict, i, k);
    print_gradient(&g);
  }
  if (info->directions) print_directions(info, &d.along);
  if (d.output_that_differs)
    printf("%s: FAILED; the gradient's module leaves other contents than the plain one\n", d.output_that_differs);
  if (d.output_by_order)
    printf("%s: INCONCLUSIVE; it goes by the order in which invocations come, and two runs differ there\n", d.output_by_order);
  if (d.differs_in_a_second_run) printf("%s: FAILED; a second run leaves other bits\n", d.differs_in_a_second_run);
  if (info->devices > 1) puts(kg_outcome_name(d.outcome));
}

static void print_differences(const verify_shown *shown, size_t k) {
  kg_verdict_differences x = kg_verdict_by_differences(shown->verdict, k);
  printf("%s by finite differences: %" PRIu64 " agree, %" PRIu64 " cannot tell, %" PRIu64 " disagree",
         kg_verdict_of(shown->verdict, 0, k).shadow, x.agree, x.cannot_tell, x.disagree);
  if (x.disagree) printf("; worst [%" PRIu64 "]: %.9g +- %.2g, dual %.9g", x.worst, x.difference, x.unsure, x.dual);
  putchar('\n');
}

static void print_devices(const verify_shown *shown, size_t devices) {
  const char *before = "ran on ";
  for (size_t i = 0; i < devices; i++) {
    if (!kg_verdict_on(shown->verdict, i).ran) continue;
    printf("%s%s", before, shown->device[i]);
    before = ", ";
  }
  if (*before != ',') printf("ran nowhere");
  puts(shown->no_vulkan ? "; found no Vulkan device" : "");
}

static void print_all(const verify_shown *shown, const kg_verdict_info *info) {
  print_misuse("the kernel itself", &info->module);
  print_misuse("the gradient's kernel", &info->gradient);
  if (info->gradient.failed) puts("what a run has left that failed is no gradient, and was not judged");
  for (size_t i = 0; i < info->devices && !info->gradient.failed; i++) print_device(shown, info, i);
  for (size_t k = 0; shown->differences && k < info->gradients; k++) print_differences(shown, k);
  if (info->undecided)
    printf("rounding or order may decide %" PRIu64 " branches, indices or results of atomics, the first at %" PRIu32 ":%" PRIu32
           " of the gradient's kernel\n", info->undecided, info->undecided_line, info->undecided_column);
  print_devices(shown, info->devices);
  if (!info->bounded) puts("the intervals could not be computed; tolerances decide alone");
  if (shown->expect_zero && info->outcome != KG_OUTCOME_ZERO) puts("a gradient that is zero was expected");
  printf("allowed: %d x %.3g x %.3g of the magnitude", KG_VERIFY_C, info->unit, info->depth);
  if (shown->math != KG_MATH_EXACT) printf(", and on devices what --math %s may be off besides", kg_math_name(shown->math));
  putchar('\n');
}

void verify_report(const verify_shown *shown) {
  kg_verdict_info info = kg_verdict_summary(shown->verdict);
  if (info.declared_wrongly) printf("the gradient's declarations: FAILED; %s\n", info.declared_wrongly);
  if (info.devices) print_all(shown, &info);
  puts(kg_outcome_name(info.outcome));
}

/* ---- JSON ---- */

static bool is_good(kg_outcome outcome) { return outcome == KG_OUTCOME_PASSED || outcome == KG_OUTCOME_ZERO; }

/* By its values alone, whatever else is wrong with the gradient. */
static bool device_passes(const verify_shown *shown, const kg_verdict_device *d, size_t device, size_t gradients) {
  bool passes = d->ran && !d->output_that_differs && !d->output_by_order && !d->differs_in_a_second_run && is_good(d->along.outcome);
  for (size_t k = 0; k < gradients && passes; k++) {
    kg_verdict_gradient g = kg_verdict_of(shown->verdict, device, k);
    passes = is_good(g.outcome) && (g.zero || !shown->expect_zero);
  }
  return passes;
}

static void json_misuse(tool_json *json, const char *key, const kg_misuse *m) {
  tool_json_key(json, key);
  tool_json_open(json, '{');
  tool_json_member_bool(json, "watched", m->watched);
  tool_json_member_bool(json, "run_failed", m->failed);
  tool_json_member_u64(json, "races", m->races);
  tool_json_member_u64(json, "uninitialised_reads", m->uninitialised);
  tool_json_member_u64(json, "values_out_of_range", m->out_of_range);
  tool_json_close(json, '}');
}

static void json_counts(tool_json *json, const kg_verdict_gradient *g) {
  const kg_verdict_entry *e = &g->worst;
  tool_json_member(json, "verdict", kg_outcome_name(g->outcome));
  tool_json_member_u64(json, "checked", g->checked);
  tool_json_member_u64(json, "failed", g->failed);
  tool_json_member_u64(json, "inconclusive", g->inconclusive);
  tool_json_key(json, "worst");
  tool_json_open(json, '{');
  tool_json_member_u64(json, "index", e->index);
  tool_json_member_number(json, "gradient", e->gradient);
  tool_json_member_number(json, "dual", e->dual);
  tool_json_member_number(json, "magnitude", e->magnitude);
  tool_json_member_number(json, "on_entry", e->on_entry);
  tool_json_member_number(json, "unrounded", e->unrounded);
  tool_json_member_number(json, "low", e->low);
  tool_json_member_number(json, "high", e->high);
  tool_json_member_number(json, "allowed", e->allowed);
  tool_json_member_number(json, "ratio", e->ratio);
  tool_json_close(json, '}');
}

static void json_gradient(tool_json *json, const kg_verdict_gradient *g) {
  tool_json_open(json, '{');
  tool_json_member(json, "name", g->name);
  tool_json_member(json, "shadow", g->shadow);
  tool_json_member_bool(json, "passed", is_good(g->outcome));
  tool_json_member_bool(json, "zero", g->zero);
  if (g->tangent) tool_json_member_bool(json, "tangent", true);
  tool_json_member_u64(json, "entries", g->count);
  json_counts(json, g);
  tool_json_close(json, '}');
}

static void json_device(tool_json *json, const verify_shown *shown, const kg_verdict_info *info, size_t i) {
  kg_verdict_device d = kg_verdict_on(shown->verdict, i);
  tool_json_open(json, '{');
  tool_json_member(json, "device", shown->device[i]);
  tool_json_member_bool(json, "ran", d.ran);
  tool_json_member_bool(json, "passed", device_passes(shown, &d, i, info->gradients));
  tool_json_member(json, "output_that_differs", d.output_that_differs);
  tool_json_member(json, "output_by_order", d.output_by_order);
  tool_json_member(json, "differs_in_a_second_run", d.differs_in_a_second_run);
  tool_json_key(json, "gradients");
  tool_json_open(json, '[');
  for (size_t k = 0; d.ran && k < info->gradients; k++) {
    kg_verdict_gradient g = kg_verdict_of(shown->verdict, i, k);
    json_gradient(json, &g);
  }
  tool_json_close(json, ']');
  tool_json_key(json, "along_random_directions");
  tool_json_open(json, '{');
  json_counts(json, &d.along);
  tool_json_close(json, '}');
  tool_json_close(json, '}');
}

static void json_difference(tool_json *json, const verify_shown *shown, size_t k) {
  kg_verdict_differences x = kg_verdict_by_differences(shown->verdict, k);
  tool_json_open(json, '{');
  tool_json_member(json, "shadow", kg_verdict_of(shown->verdict, 0, k).shadow);
  tool_json_member_u64(json, "agree", x.agree);
  tool_json_member_u64(json, "cannot_tell", x.cannot_tell);
  tool_json_member_u64(json, "disagree", x.disagree);
  if (x.disagree) {
    tool_json_member_u64(json, "worst_index", x.worst);
    tool_json_member_number(json, "difference", x.difference);
    tool_json_member_number(json, "unsure", x.unsure);
    tool_json_member_number(json, "dual", x.dual);
  }
  tool_json_close(json, '}');
}

static void json_names(tool_json *json, const verify_shown *shown, size_t devices) {
  tool_json_key(json, "ran_on");
  tool_json_open(json, '[');
  for (size_t i = 0; i < devices; i++)
    if (kg_verdict_on(shown->verdict, i).ran) tool_json_string(json, shown->device[i]);
  tool_json_close(json, ']');
  tool_json_key(json, "not_found");
  tool_json_open(json, '[');
  if (shown->no_vulkan) tool_json_string(json, "vulkan");
  tool_json_close(json, ']');
}

void verify_report_json(tool_json *json, const verify_shown *shown) {
  kg_verdict_info info = kg_verdict_summary(shown->verdict);
  tool_json_member_bool(json, "passed", is_good(info.outcome));
  tool_json_member(json, "verdict", kg_outcome_name(info.outcome));
  tool_json_member(json, "declared_wrongly", info.declared_wrongly);
  json_names(json, shown, info.devices);
  tool_json_member_u64(json, "c", KG_VERIFY_C);
  tool_json_member_number(json, "unit", info.unit);
  tool_json_member_number(json, "stored_unit", info.stored_unit);
  tool_json_member_number(json, "depth", info.depth);
  tool_json_member_bool(json, "bounded", info.bounded);
  tool_json_member_u64(json, "undecided", info.undecided);
  json_misuse(json, "kernel", &info.module);
  json_misuse(json, "gradient_kernel", &info.gradient);
  tool_json_key(json, "devices");
  tool_json_open(json, '[');
  for (size_t i = 0; i < info.devices; i++) json_device(json, shown, &info, i);
  tool_json_close(json, ']');
  if (!shown->differences) return;
  tool_json_key(json, "finite_differences");
  tool_json_open(json, '[');
  for (size_t k = 0; k < info.gradients; k++) json_difference(json, shown, k);
  tool_json_close(json, ']');
}
