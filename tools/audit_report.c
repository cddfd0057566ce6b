#include "tools/audit_report.h"

#include <inttypes.h>
#include <math.h>

/* ---- which entries ---- */

static bool is_worse(const kg_verdict_entry *a, const kg_verdict_entry *b) { return a->ratio > b->ratio; }

enum { MOST_SHOWN = 64 };

/* The wrong entries that are furthest off, the worst first. */
static size_t worst_of(const audit_shown *shown, size_t device, size_t gradient, uint64_t checked, kg_verdict_entry *out) {
  size_t count = 0, most = shown->wrong < MOST_SHOWN ? (size_t)shown->wrong : MOST_SHOWN;
  for (uint64_t i = 0; i < checked; i++) {
    kg_verdict_entry e = kg_verdict_at(shown->verify.verdict, device, gradient, (size_t)i);
    if (e.outcome != KG_OUTCOME_FAILED) continue;
    size_t at = count < most ? count++ : most;
    for (; at > 0 && is_worse(&e, &out[at - 1]); at--)
      if (at < most) out[at] = out[at - 1];
    if (at < most) out[at] = e;
  }
  return count;
}

/* ---- text ---- */

static void print_entry(const kg_verdict_gradient *g, const kg_verdict_entry *e) {
  char place[32] = "";
  if (!g->is_param) snprintf(place, sizeof place, "[%" PRIu64 "]", e->index);
  printf("  %s%s: ", g->shadow, place);
  if (e->unwritten) printf("never written; must be %.9g", e->dual + e->on_entry);
  else printf("is %.9g, must be %.9g", e->gradient, e->dual + e->on_entry);
  if (e->on_entry != 0) printf(", %.9g of it on entry", e->on_entry);
  printf("; %s%s is %.9g\n", g->name, place, e->input);
}

static void print_gradient(const audit_shown *shown, size_t device, size_t k) {
  kg_verdict_gradient g = kg_verdict_of(shown->verify.verdict, device, k);
  kg_verdict_entry wrong[MOST_SHOWN];
  printf("%s: %s, %" PRIu64 " of %" PRIu64 " entries", g.shadow, kg_outcome_name(g.outcome), g.checked, g.count);
  if (g.failed) printf(", %" PRIu64 " wrong", g.failed);
  if (g.inconclusive) printf(", %" PRIu64 " inconclusive", g.inconclusive);
  if (g.unwritten) printf(", %" PRIu64 " never written", g.unwritten);
  if (g.added) printf("; added to what stands there");
  if (g.lost) printf("; it is zero everywhere, and must not be");
  putchar('\n');
  size_t count = worst_of(shown, device, k, g.checked, wrong);
  for (size_t i = 0; i < count; i++) print_entry(&g, &wrong[i]);
  if (*g.hint && g.failed) printf("  %s\n", g.hint);
}

static void print_device(const audit_shown *shown, const kg_verdict_info *info, size_t i) {
  kg_verdict_device d = kg_verdict_on(shown->verify.verdict, i);
  if (info->devices > 1) printf("on %s:\n", shown->verify.device[i]);
  if (!d.ran) {
    puts("it could not run there");
    return;
  }
  for (size_t k = 0; k < info->gradients; k++) print_gradient(shown, i, k);
  if (info->directions) printf("along %zu random directions: %s\n", info->directions, kg_outcome_name(d.along.outcome));
  if (d.output_that_differs) printf("%s: FAILED; the backward leaves it otherwise than the forward does\n", d.output_that_differs);
  if (d.output_by_order)
    printf("%s: INCONCLUSIVE; it goes by the order in which invocations come, and two runs differ there\n", d.output_by_order);
}

static void print_misuse(const char *what, const kg_misuse *m) {
  if (!m->races && !m->uninitialised && !m->out_of_range && !m->failed) return;
  printf("%s: FAILED;", what);
  if (m->races) printf(" %" PRIu64 " races", m->races);
  if (m->uninitialised) printf(" %" PRIu64 " reads of what was never written", m->uninitialised);
  if (m->out_of_range) printf(" %" PRIu64 " values out of range", m->out_of_range);
  puts(m->failed ? " the run failed" : "");
}

void audit_report(const audit_shown *shown) {
  kg_verdict_info info = kg_verdict_summary(shown->verify.verdict);
  if (info.declared_wrongly) printf("the backward's declarations: FAILED; %s\n", info.declared_wrongly);
  print_misuse("the forward", &info.module);
  print_misuse("the backward", &info.gradient);
  if (info.gradient.failed) puts("what a run has left that failed is no gradient, and was not judged");
  for (size_t i = 0; i < info.devices && !info.gradient.failed; i++) print_device(shown, &info, i);
  if (info.undecided)
    printf("rounding or order may decide %" PRIu64 " branches, indices or results of atomics, the first at %" PRIu32 ":%" PRIu32 "\n",
           info.undecided, info.undecided_line, info.undecided_column);
  if (info.devices && !info.bounded) puts("the intervals could not be computed; tolerances decide alone");
  if (shown->verify.no_vulkan) puts("found no Vulkan device");
  puts(kg_outcome_name(info.outcome));
}

/* ---- JSON ---- */

static bool is_good(kg_outcome outcome) { return outcome == KG_OUTCOME_PASSED || outcome == KG_OUTCOME_ZERO; }

static void json_entry(tool_json *json, const kg_verdict_entry *e) {
  tool_json_open(json, '{');
  tool_json_member_u64(json, "index", e->index);
  tool_json_member_bool(json, "written", !e->unwritten);
  tool_json_member_number(json, "is", e->gradient);
  tool_json_member_number(json, "must_be", e->dual + e->on_entry);
  tool_json_member_number(json, "on_entry", e->on_entry);
  tool_json_member_number(json, "input", e->input);
  tool_json_member_number(json, "allowed", e->allowed);
  tool_json_member_number(json, "ratio", e->ratio);
  tool_json_close(json, '}');
}

static void json_gradient(tool_json *json, const audit_shown *shown, size_t device, size_t k) {
  kg_verdict_gradient g = kg_verdict_of(shown->verify.verdict, device, k);
  kg_verdict_entry wrong[MOST_SHOWN];
  tool_json_open(json, '{');
  tool_json_member(json, "name", g.name);
  tool_json_member(json, "shadow", g.shadow);
  tool_json_member(json, "verdict", kg_outcome_name(g.outcome));
  tool_json_member_bool(json, "passed", is_good(g.outcome));
  tool_json_member_bool(json, "added", g.added);
  tool_json_member_u64(json, "entries", g.count);
  tool_json_member_u64(json, "checked", g.checked);
  tool_json_member_u64(json, "failed", g.failed);
  tool_json_member_u64(json, "inconclusive", g.inconclusive);
  tool_json_member_u64(json, "never_written", g.unwritten);
  tool_json_member(json, "pattern", g.failed && *g.hint ? g.hint : NULL);
  tool_json_key(json, "wrong");
  tool_json_open(json, '[');
  size_t count = worst_of(shown, device, k, g.checked, wrong);
  for (size_t i = 0; i < count; i++) json_entry(json, &wrong[i]);
  tool_json_close(json, ']');
  tool_json_close(json, '}');
}

static void json_device(tool_json *json, const audit_shown *shown, const kg_verdict_info *info, size_t i) {
  kg_verdict_device d = kg_verdict_on(shown->verify.verdict, i);
  tool_json_open(json, '{');
  tool_json_member(json, "device", shown->verify.device[i]);
  tool_json_member_bool(json, "ran", d.ran);
  tool_json_member(json, "verdict", kg_outcome_name(d.outcome));
  tool_json_member(json, "output_that_differs", d.output_that_differs);
  tool_json_member(json, "output_by_order", d.output_by_order);
  tool_json_member(json, "along_random_directions", kg_outcome_name(d.along.outcome));
  tool_json_key(json, "gradients");
  tool_json_open(json, '[');
  for (size_t k = 0; d.ran && !info->gradient.failed && k < info->gradients; k++) json_gradient(json, shown, i, k);
  tool_json_close(json, ']');
  tool_json_close(json, '}');
}

static void json_misuse(tool_json *json, const char *key, const kg_misuse *m) {
  tool_json_key(json, key);
  tool_json_open(json, '{');
  tool_json_member_bool(json, "run_failed", m->failed);
  tool_json_member_u64(json, "races", m->races);
  tool_json_member_u64(json, "uninitialised_reads", m->uninitialised);
  tool_json_member_u64(json, "values_out_of_range", m->out_of_range);
  tool_json_close(json, '}');
}

void audit_report_json(tool_json *json, const audit_shown *shown) {
  kg_verdict_info info = kg_verdict_summary(shown->verify.verdict);
  tool_json_member(json, "verdict", kg_outcome_name(info.outcome));
  tool_json_member_bool(json, "passed", is_good(info.outcome));
  tool_json_member(json, "reason", info.reason);
  tool_json_member(json, "declared_wrongly", info.declared_wrongly);
  tool_json_member_bool(json, "bounded", info.bounded);
  tool_json_member_u64(json, "undecided", info.undecided);
  json_misuse(json, "forward", &info.module);
  json_misuse(json, "backward", &info.gradient);
  tool_json_key(json, "devices");
  tool_json_open(json, '[');
  for (size_t i = 0; i < info.devices; i++) json_device(json, shown, &info, i);
  tool_json_close(json, ']');
}
