/* What devices compute, and the table of all properties. */
#include "tests/support/fuzz_bounds.h"
#include "tests/support/fuzz_parts.h"

#include "tools/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool run_on(kgt_fuzz *f, kgt_data *d, kgt_verdict *verdict) {
  kg_sink sink = {kgt_hear, f};
  bool given[MOST_BUFFERS], param_given[MOST_PARAMS];
  memset(given, 1, sizeof given);
  memset(param_given, 1, sizeof param_given);
  kg_host host = {.param = d->param, .length = d->length, .param_given = param_given, .length_given = given};
  kg_status status = kg_run(f->device, d->module, &host, d->array, &(kg_executable_params){.math = f->math}, &sink, NULL);
  if (status == KG_OK) return true;
  char what[512];
  snprintf(what, sizeof what, "%s: %.400s", f->id, f->what);
  *verdict = status == KG_REFUSED ? KGT_REFUSED : kgt_fail(f, "status %d on the device: %s", (int)status, what);
  return false;
}

/* Whether the CPU device may round something in another way than the reference: functions, and what it folds in its own order. */
static bool may_round(const kgi_program *p, const kgi_inst *inst) {
  bool adds = inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_add;
  if (inst->kind == KGI_op) return kgi_op_rows[inst->op].flags & KGI_FUNCTION || inst->op == KGI_OP_rsqrt;
  if (inst->kind == KGI_subgroup) return kgi_is_float(inst->type) && inst->op < KGI_SUBGROUP_broadcast;
  return adds && kgi_is_float(p->scope.object[inst->arg[0]].type);
}

static bool is_exact(const kg_module *m) {
  for (uint32_t k = 1; k < m->program_count; k++)
    KGI_EACH_INSIDE(m->program[k], KGI_BODY, i)
      if (may_round(m->program[k], &m->program[k]->inst[i])) return false;
  return true;
}

/* Where it may not it gives the reference's bits, but for what depends on the order of atomics: of that no interval is known. */
static bool has_same_bits(kgt_fuzz *f, const kgt_data *d, const kgt_bounds *b) {
  if (f->math != KG_MATH_EXACT || strcmp(kg_device_describe(f->device).id, "cpu") || !is_exact(d->module)) return true;
  for (uint32_t i = 0; i < kg_module_buffer_count(d->module); i++) {
    kg_buffer_info info = kg_module_buffer(d->module, i);
    for (uint64_t k = 0; kgt_is_output(d, i) && k < d->length[i]; k++) {
      uint64_t got = tool_value_load(info.type, d->array[i], k), want = tool_value_load(info.type, b->array[i], k);
      double x = tool_value_number(info.type, got), y = tool_value_number(info.type, want);
      if (got == want || isnan(b->low[i][k]) || (tool_type_is_float(info.type) && isnan(x) && isnan(y))) continue;
      return kgt_fail(f, "%s[%u] is %.9g on the device, not the reference's %.9g", info.name, (unsigned)k, x, y) == KGT_HOLDS;
    }
  }
  return true;
}

/* The device's results lie in the intervals of the reference, and not all of them are anything. */
static kgt_verdict within(kgt_fuzz *f, kgt_data *d) {
  kgt_bounds bounds;
  kg_sink sink = {kgt_hear, f};
  kgt_verdict verdict = KGT_FAILS;
  uint32_t subgroup = kg_device_describe(f->device).subgroup_size;
  kg_status status = kgt_bounds_run(&bounds, d->module, d->array, d->length, d->param, subgroup, f->math, &sink);
  if (status != KG_OK) kgt_fail(f, "the intervals fail with status %d", (int)status);
  else if (run_on(f, d, &verdict) && kgt_bounds_hold(&bounds, d->array, f->what, sizeof f->what) && has_same_bits(f, d, &bounds))
    verdict = bounds.open < bounds.elements ? KGT_HOLDS : KGT_VACUOUS;
  kgt_bounds_free(&bounds);
  return verdict;
}

/* A kernel that somebody wrote says itself what suits it. */
static bool make_data(const kgt_fuzz *f, kgt_data *d, const kg_module *m) {
  if (!kgt_make_data(d, m, f->data)) return false;
  kg_host host = {.param = d->param, .length = d->length};
  for (uint32_t i = 0; !f->bytes && i < kg_module_buffer_count(m); i++)
    if (kg_module_buffer(m, i).mode != KG_WRITE && kg_module_random(m, &host, i, f->data, NULL, d->array[i]) != KG_OK) return false;
  return true;
}

/* Whoever wants a module takes it out of its place. */
static kgt_verdict give(kgt_fuzz *f, kg_module **m) {
  *f->wanted = *m, *m = NULL;
  return KGT_VACUOUS;
}

kgt_verdict kgt_fuzz_module_on_device(kgt_fuzz *f, const kg_module *m) {
  kgt_data want = {0}, got = {0};
  kgt_verdict verdict = KGT_FAILS;
  if (!make_data(f, &want, m) || !make_data(f, &got, m)) kgt_fail(f, "there is no kgt_data for it");
  else if (kgt_run_watched(f, &want, "the program")) verdict = within(f, &got);
  kgt_free_data(&want);
  kgt_free_data(&got);
  return verdict;
}

kgt_verdict kgt_fuzz_device(kgt_fuzz *f) {
  kg_module *m = kgt_program_of(f);
  kgt_verdict verdict = !m ? KGT_FAILS : f->wanted ? give(f, &m) : kgt_fuzz_module_on_device(f, m);
  kg_module_free(m);
  return verdict;
}

kgt_verdict kgt_fuzz_wild_clean(kgt_fuzz *f) { return f->data |= KGI_FUZZ_WILD, kgt_fuzz_clean(f); }
kgt_verdict kgt_fuzz_wild_device(kgt_fuzz *f) { return f->data |= KGI_FUZZ_WILD, kgt_fuzz_device(f); }

/* What was prepared for the reference, on the device. */
static kgt_verdict result_within(kgt_gradient *g, const char *which) {
  if (g->f->wanted) return give(g->f, &g->adjoint);
  kgt_data got = {0};
  kgt_verdict verdict = KGT_HOLDS;
  if (!kgt_make_data(&got, g->adjoint, g->f->data)) verdict = kgt_fail(g->f, "there is no kgt_data for it");
  if (verdict == KGT_HOLDS) {
    for (uint32_t i = 0; i < kg_module_buffer_count(g->adjoint); i++)
      memcpy(got.array[i], g->result.array[i], kgt_bytes_of(&got, i));
    verdict = kgt_run_watched(g->f, &g->result, which) ? within(g->f, &got) : KGT_FAILS;
  }
  kgt_free_data(&got);
  return verdict;
}

kgt_verdict kgt_fuzz_adjoint(kgt_fuzz *f) {
  kgt_gradient g;
  kgt_verdict verdict = kgt_begin_gradient(&g, f);
  if (verdict == KGT_HOLDS) verdict = result_within(&g, "the adjoint");
  kgt_end_gradient(&g);
  return verdict;
}

kgt_verdict kgt_fuzz_jvp_device(kgt_fuzz *f) {
  kgt_tangents t;
  kgt_verdict verdict = kgt_begin_tangents(&t, f);
  if (verdict == KGT_HOLDS) verdict = result_within(&t.g, "the result");
  kgt_end_tangents(&t);
  return verdict;
}

/* Which invocations form a subgroup is the device's own affair where a workgroup has more than one dimension, so that what a lane
 * is called cannot be compared: there, and where some lanes are missing, the generator has none without KGI_FUZZ_DIVERGED. */
enum {
  LANES = KGI_FUZZ_ALL & ~(KGI_FUZZ_WIDE | KGI_FUZZ_DIVERGED),
  DEVICE = LANES & ~KGI_FUZZ_SUBGROUP,
  SMOOTH = DEVICE & ~(KGI_FUZZ_FLOAT_BRANCH | KGI_FUZZ_EDGES | KGI_FUZZ_BITS),
  /* Where no float becomes an integer, whatever floats there are. */
  FLOATS = KGI_FUZZ_ALL & ~(KGI_FUZZ_FLOAT_BRANCH | KGI_FUZZ_BITS | KGI_FUZZ_TYPES),
  GRADIENT = KGI_FUZZ_ALL & ~(KGI_FUZZ_BITS | KGI_FUZZ_INT),
};

const kgt_property_row kgt_properties[] = {
  {"forms", kgt_fuzz_forms, KGI_FUZZ_ALL, false},
  {"clean", kgt_fuzz_clean, KGI_FUZZ_ALL, false},
  {"threads", kgt_fuzz_threads, KGI_FUZZ_ALL, false},
  {"races", kgt_fuzz_races, KGI_FUZZ_ALL, false},
  {"detectors", kgt_fuzz_detectors, KGI_FUZZ_ALL & ~KGI_FUZZ_VIEWS, false}, /* the watch takes two views for two memories */
  {"import", kgt_fuzz_import, KGI_FUZZ_ALL, false},
  {"gradient", kgt_fuzz_gradient, GRADIENT, false},
  {"jvp", kgt_fuzz_jvp, KGI_FUZZ_ALL & ~(KGI_FUZZ_BITS | KGI_FUZZ_INT), false},
  {"jvp-device", kgt_fuzz_jvp_device, GRADIENT & ~(KGI_FUZZ_WIDE | KGI_FUZZ_DIVERGED), true},
  {"split", kgt_fuzz_split, GRADIENT, false},
  {"stated", kgt_fuzz_stated, GRADIENT & ~KGI_FUZZ_VIEWS, false},
  {"points", kgt_fuzz_points, GRADIENT, false},
  {"checkpoints", kgt_fuzz_checkpoints, GRADIENT, false},
  {"adjoint-races", kgt_fuzz_adjoint_races, GRADIENT, false},
  {"device", kgt_fuzz_device, DEVICE, true},
  {"smooth", kgt_fuzz_device, SMOOTH, true},
  {"adjoint", kgt_fuzz_adjoint, GRADIENT & ~(KGI_FUZZ_WIDE | KGI_FUZZ_DIVERGED), true},
  {"subgroups", kgt_fuzz_device, LANES, true},
  {"wild-clean", kgt_fuzz_wild_clean, FLOATS, false},
  {"wild-device", kgt_fuzz_wild_device, FLOATS & LANES, true},
  {"", NULL, 0, false},
};
