/* What devices compute, and the table of all properties. */
#include "fuzz/ask/bounds.h"
#include "fuzz/ask/exact.h"
#include "fuzz/ask/parts.h"

#include "foundation/host/value.h"

#include <xxhash.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a device of this process ---- */

static kg_status run_here(void *device, const kg_module *m, kg_host *host, void *const *data, kg_math math, const kg_sink *sink) {
  return kg_run(device, m, host, data, &(kg_executable_params){.math = math}, sink, NULL);
}

static kg_status compile_here(void *device, const kg_module *const *modules, size_t count, const kg_sink *sink) {
  return kg_device_compile(device, modules, count, sink);
}

kgi_target kgi_target_of(kg_device *device) {
  kg_device_info info = kg_device_describe(device);
  return (kgi_target){info.id, info.subgroup_size, run_here, compile_here, device};
}

/* ---- what comes of it ---- */

static bool run_on(kgi_ask *f, kgi_ask_data *d, kgi_answer *verdict) {
  kg_sink sink = {kgi_ask_hear, f};
  bool given[MOST_BUFFERS], param_given[MOST_PARAMS];
  memset(given, 1, sizeof given);
  memset(param_given, 1, sizeof param_given);
  kg_host host = {.param = d->param, .length = d->length, .param_given = param_given, .length_given = given};
  kg_status status = f->target->run(f->target->user, d->module, &host, d->array, f->math, &sink);
  if (status == KG_OK) return true;
  char what[512];
  snprintf(what, sizeof what, "%s: %.300s", f->id, f->what);
  *verdict = status == KG_REFUSED ? KGI_REFUSED : kgi_ask_fail(f, "status %d on the device: %s", (int)status, what);
  return false;
}

/* As kgi_ask_make_data leaves it: nothing wrote it, or a -1, of which nothing is said either. */
static bool may_be_unwritten(const kgi_bounds *b, kg_type type, uint32_t i, uint64_t k) {
  size_t size = kg_type_size(type), ones = 0;
  for (const uint8_t *byte = (const uint8_t *)b->array[i] + k * size; ones < size && byte[ones] == 0xFF; ones++) {}
  return ones == size;
}

/* The CPU device gives the reference's bits, but for what may be rounded otherwise. What is anything to the intervals has them too, as a NaN
 * and what an integer makes of it, but for what the order of atomics decides. */
static bool has_same_bits(kgi_ask *f, const kgi_ask_data *d, kgi_bounds *b) {
  uint8_t loose[MOST_BUFFERS];
  if (f->math != KG_MATH_EXACT || strcmp(f->target->id, "cpu") || !kgi_looseness(d->module, loose)) return true;
  for (uint32_t i = 0; i < kg_module_buffer_count(d->module); i++) {
    kg_buffer_info info = kg_module_buffer(d->module, i);
    if (!kgi_ask_is_output(d, i) || loose[i] & KGI_LOOSE_ROUNDING) continue;
    for (uint64_t k = 0; k < d->length[i]; k++) {
      uint64_t got = kg_value_load(info.type, d->array[i], k), want = kg_value_load(info.type, b->array[i], k);
      double x = kgi_value_number(info.type, got), y = kgi_value_number(info.type, want);
      bool open = isnan(b->low[i][k]);
      if (loose[i] & KGI_LOOSE_WHICH && (open || b->settled)) continue;
      if (open && may_be_unwritten(b, info.type, i, k)) continue;
      b->open -= open;
      if (got == want || (kg_type_is_float(info.type) && isnan(x) && isnan(y))) continue;
      return kgi_ask_fail(f, "%s[%u] is %.9g on the device, not the reference's %.9g", info.name, (unsigned)k, x, y) == KGI_HOLDS;
    }
  }
  return true;
}

/* Of what a host gets to see. */
static uint64_t hash_of(const kgi_ask_data *d) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < kg_module_buffer_count(d->module); i++)
    if (kgi_ask_is_output(d, i)) hash = XXH3_64bits_withSeed(d->array[i], kgi_ask_bytes(d, i), hash);
  return hash;
}

static bool bounds_hold(kgi_ask *f, kgi_bounds *b, const kgi_ask_data *d) {
  if (kgi_bounds_hold(b, d->array, f->what, sizeof f->what)) return true;
  f->how = "outside of the interval";
  return false;
}

/* The device's results lie in the intervals of the reference, and not all of them are anything. */
static kgi_answer within(kgi_ask *f, kgi_ask_data *d) {
  kgi_bounds bounds;
  kg_sink sink = {kgi_ask_hear, f};
  kgi_answer verdict = KGI_FAILS;
  kg_status status = kgi_bounds_run(&bounds, d->module, d->array, d->length, d->param, f->target->subgroup_size, f->math, &sink);
  if (status != KG_OK) kgi_ask_fail(f, "the intervals fail with status %d", (int)status);
  else if (run_on(f, d, &verdict) && bounds_hold(f, &bounds, d) && has_same_bits(f, d, &bounds))
    verdict = bounds.open < bounds.elements ? KGI_HOLDS : KGI_VACUOUS;
  f->outputs = verdict == KGI_HOLDS ? hash_of(d) : 0;
  kgi_bounds_free(&bounds);
  return verdict;
}

/* A kernel that somebody wrote says itself what suits it. */
static bool make_data(const kgi_ask *f, kgi_ask_data *d, const kg_module *m) {
  if (!kgi_ask_make_data(d, m, f)) return false;
  kg_host host = {.param = d->param, .length = d->length};
  for (uint32_t i = 0; !f->bytes && !f->given && i < kg_module_buffer_count(m); i++)
    if (kg_module_buffer(m, i).mode != KG_WRITE && kg_module_random(m, &host, i, f->data, NULL, d->array[i]) != KG_OK) return false;
  return true;
}

/* Whoever wants a module takes it out of its place. */
static kgi_answer give(kgi_ask *f, kg_module **m) {
  *f->wanted = *m, *m = NULL;
  return KGI_VACUOUS;
}

kgi_answer kgi_ask_module_on_device(kgi_ask *f, const kg_module *m) {
  kgi_ask_data want = {0}, got = {0};
  kgi_answer verdict = KGI_FAILS;
  if (!make_data(f, &want, m) || !make_data(f, &got, m)) kgi_ask_fail(f, "there is no data for it");
  else if (kgi_ask_keep(f, &got), kgi_ask_run_watched(f, &want, "the program")) verdict = within(f, &got);
  kgi_ask_free_data(&want);
  kgi_ask_free_data(&got);
  return verdict;
}

kgi_answer kgi_ask_device(kgi_ask *f) {
  kg_module *m = kgi_ask_program(f);
  kgi_answer verdict = !m ? KGI_FAILS : f->wanted ? give(f, &m) : kgi_ask_module_on_device(f, m);
  kg_module_free(m);
  return verdict;
}

/* The same of programs with other features. */
kgi_answer kgi_ask_smooth(kgi_ask *f) { return kgi_ask_device(f); }
kgi_answer kgi_ask_subgroups(kgi_ask *f) { return kgi_ask_device(f); }
kgi_answer kgi_ask_wild_clean(kgi_ask *f) { return f->data |= KGI_FUZZ_WILD, kgi_ask_clean(f); }
kgi_answer kgi_ask_wild_device(kgi_ask *f) { return f->data |= KGI_FUZZ_WILD, kgi_ask_device(f); }

/* What is asked about is the module that runs there. */
static void keep_result(kgi_ask *f, const kgi_ask_data *d) {
  if (!f->kept) return;
  kgi_case_free(f->kept);
  f->kept->seed = f->data;
  kgi_ask_keep(f, d);
}

/* What was prepared for the reference, on the device. */
static kgi_answer result_within(kgi_asked_gradient *g, const char *which) {
  if (g->f->wanted) return give(g->f, &g->adjoint);
  kgi_ask_data got = {0};
  kgi_answer verdict = KGI_HOLDS;
  if (!kgi_ask_make_data(&got, g->adjoint, g->f)) verdict = kgi_ask_fail(g->f, "there is no data for it");
  if (verdict == KGI_HOLDS) {
    for (uint32_t i = 0; i < kg_module_buffer_count(g->adjoint); i++)
      memcpy(got.array[i], g->result.array[i], kgi_ask_bytes(&got, i));
    keep_result(g->f, &got);
    verdict = kgi_ask_run_watched(g->f, &g->result, which) ? within(g->f, &got) : KGI_FAILS;
  }
  kgi_ask_free_data(&got);
  return verdict;
}

kgi_answer kgi_ask_adjoint(kgi_ask *f) {
  kgi_asked_gradient g;
  kgi_answer verdict = kgi_ask_begin_gradient(&g, f);
  if (verdict == KGI_HOLDS) verdict = result_within(&g, "the adjoint");
  kgi_ask_end_gradient(&g);
  return verdict;
}

kgi_answer kgi_ask_jvp_device(kgi_ask *f) {
  kgi_asked_tangents t;
  kgi_answer verdict = kgi_ask_begin_tangents(&t, f);
  if (verdict == KGI_HOLDS) verdict = result_within(&t.g, "the result");
  kgi_ask_end_tangents(&t);
  return verdict;
}

enum {
  LANES = KGI_FUZZ_ALL & ~(KGI_FUZZ_WIDE | KGI_FUZZ_DIVERGED),
  DEVICE = LANES & ~KGI_FUZZ_SUBGROUP,
  SMOOTH = DEVICE & ~(KGI_FUZZ_FLOAT_BRANCH | KGI_FUZZ_EDGES | KGI_FUZZ_BITS),
  /* Where no float becomes an integer, whatever floats there are. */
  FLOATS = KGI_FUZZ_ALL & ~(KGI_FUZZ_FLOAT_BRANCH | KGI_FUZZ_BITS | KGI_FUZZ_TYPES),
  GRADIENT = KGI_FUZZ_ALL & ~(KGI_FUZZ_BITS | KGI_FUZZ_INT),
};

const kgi_group_row kgi_groups[] = {
#define GROUP(id, name, text) {name, text},
#include "fuzz/ask/properties.def"
  {NULL, NULL},
};

enum { /* numbers for the rows' words */
#define GROUP(id, name, text) GROUP_##id,
#include "fuzz/ask/properties.def"
};

const kgi_property_row *kgi_property_named(const char *name) {
  const kgi_property_row *row = kgi_properties;
  while (row->name && strcmp(row->name, name)) row++;
  return row->name ? row : NULL;
}

const kgi_property_row kgi_properties[] = {
#define PROPERTY(id, name, group, features, on_device) {name, GROUP_##group, kgi_ask_##id, features, on_device},
#include "fuzz/ask/properties.def"
  {NULL, 0, NULL, 0, false},
};
