#include "tests/support/fuzz_property.h"

#include "foundation/passes/clean.h"
#include "foundation/ir/equal.h"
#include "foundation/ir/validate.h"
#include "tests/support/fuzz_bounds.h"
#include "tests/support/watch_races.h"
#include "verify/contract.h"
#include "verify/judge.h"
#include "tools/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUFFERS = 400, MOST_PARAMS = 8, TANGENTS = 16, HOST_LENGTH = 7 };

/* ---- verdicts ---- */

__attribute__((format(printf, 2, 3))) static kgt_verdict fail(kgt_fuzz *f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(f->what, sizeof f->what, format, args);
  va_end(args);
  return KGT_FAILS;
}

static void hear(void *user, const kg_diag *diag) {
  kgt_fuzz *f = user;
  if (f->id[0] || diag->severity != KG_ERROR) return;
  snprintf(f->id, sizeof f->id, "%s", diag->id);
  snprintf(f->what, sizeof f->what, "line %u: %s", diag->line, diag->message);
}

static kg_module *make(kgt_fuzz *f) {
  kg_sink sink = {hear, f};
  kgi_diags diags = {&sink, "random.kg", 0};
  kg_module *m = NULL;
  f->id[0] = f->what[0] = 0;
  kgi_fuzz_generate(&(kgi_fuzz_params){.bytes = f->bytes, .size = f->size, .features = f->features, .statements = f->statements,
                                       .shapes = &f->shapes}, &diags, &m);
  if (m && f->coverage) kgi_fuzz_cover(f->coverage, m, f->shapes);
  return m;
}

char *kgt_fuzz_text(const kgt_fuzz *f) {
  kgt_fuzz copy = *f;
  copy.coverage = NULL;
  kg_module *m = make(&copy);
  char *text = NULL, *out = NULL;
  size_t size = 0;
  if (m && kg_module_print(NULL, m, NULL, &text, &size) == KG_OK) {
    out = malloc(size + 1);
    if (out) memcpy(out, text, size + 1);
    kg_bytes_free(NULL, text, size + 1);
  }
  kg_module_free(m);
  return out;
}

/* ---- text ---- */

static bool same_digest(const kg_module *a, const kg_module *b) {
  kg_digest x, y;
  return kg_module_digest(a, NULL, &x) == KG_OK && kg_module_digest(b, NULL, &y) == KG_OK && !memcmp(&x, &y, sizeof x);
}

static kgt_verdict decodes(kgt_fuzz *f, const kg_module *m, const char *which) {
  kg_sink sink = {hear, f};
  uint8_t *bytes = NULL, *again = NULL;
  size_t size = 0, again_size = 0;
  kg_module *decoded = NULL;
  const char *where = "";
  bool equal = false;
  kgt_verdict verdict = KGT_HOLDS;
  if (kg_module_encode(NULL, m, NULL, &bytes, &size) != KG_OK) return fail(f, "%s is not encoded", which);
  if (kg_module_decode(NULL, "random.kgb", bytes, size, &sink, &decoded) != KG_OK) verdict = KGT_FAILS;
  else if (kgi_module_equal(m, decoded, &equal, &where) != KG_OK || !equal)
    verdict = fail(f, "%s decodes different: %s", which, where);
  else if (kg_module_encode(NULL, decoded, NULL, &again, &again_size) != KG_OK || again_size != size || memcmp(bytes, again, size))
    verdict = fail(f, "%s decodes equal and encodes different", which);
  kg_bytes_free(NULL, bytes, size);
  if (again) kg_bytes_free(NULL, again, again_size);
  kg_module_free(decoded);
  return verdict;
}

static kgt_verdict reads_back(kgt_fuzz *f, const kg_module *m, const char *which) {
  kg_sink sink = {hear, f};
  char *text = NULL, *again = NULL;
  size_t size = 0, again_size = 0;
  kg_module *parsed = NULL;
  const char *where = "";
  bool equal = false;
  kgt_verdict verdict = KGT_HOLDS;
  if (kg_module_print(NULL, m, NULL, &text, &size) != KG_OK) return fail(f, "%s is not printed", which);
  if (kg_module_parse(NULL, "random.kg", text, size, &sink, &parsed) != KG_OK) verdict = KGT_FAILS;
  else if (kgi_module_equal(m, parsed, &equal, &where) != KG_OK || !equal)
    verdict = fail(f, "%s reads back different: %s", which, where);
  else if (!same_digest(m, parsed)) verdict = fail(f, "%s reads back equal with another digest", which);
  else if (kg_module_print(NULL, parsed, NULL, &again, &again_size) != KG_OK || again_size != size || memcmp(text, again, size))
    verdict = fail(f, "%s reads back equal and prints different", which);
  kg_bytes_free(NULL, text, size + 1);
  if (again) kg_bytes_free(NULL, again, again_size + 1);
  kg_module_free(parsed);
  return verdict;
}

static kgt_verdict valid(kgt_fuzz *f, const kg_module *m, const char *which) {
  kg_sink sink = {hear, f};
  kgi_diags diags = {&sink, "random.kg", 0};
  char what[512];
  if (kgi_validate(m, &diags) == KG_OK) return KGT_HOLDS;
  snprintf(what, sizeof what, "%.400s", f->what);
  return fail(f, "%s is not valid: %s", which, what);
}

kgt_verdict kgt_fuzz_forms(kgt_fuzz *f) {
  kg_module *m = make(f);
  if (!m) return KGT_FAILS;
  kgt_verdict verdict = valid(f, m, "the program");
  if (verdict == KGT_HOLDS) verdict = reads_back(f, m, "the program");
  if (verdict == KGT_HOLDS) verdict = decodes(f, m, "the program");
  kg_module_free(m);
  return verdict;
}

/* ---- data ---- */

typedef struct data {
  const kg_module *module;
  uint64_t param[MOST_PARAMS], length[MOST_BUFFERS];
  void *array[MOST_BUFFERS];
} data;

static size_t bytes_of(const data *d, uint32_t i) {
  return (size_t)d->length[i] * kg_type_size(kg_module_buffer(d->module, i).type);
}

static void free_data(data *d) {
  for (uint32_t i = 0; d->module && i < kg_module_buffer_count(d->module); i++) free(d->array[i]);
  d->module = NULL;
}

static bool resolve(data *d, const kg_module *m) {
  bool param_given[MOST_PARAMS] = {0}, length_given[MOST_BUFFERS] = {0};
  kg_host host = {.param = d->param, .length = d->length, .param_given = param_given, .length_given = length_given};
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (kg_module_buffer(m, i).host_length) d->length[i] = HOST_LENGTH, length_given[i] = true;
  return kg_module_resolve(m, &host, NULL) == KG_OK;
}

/* Inputs by the seed, the rest a pattern. */
static bool make_data(data *d, const kg_module *m, uint64_t seed) {
  memset(d, 0, sizeof *d);
  if (kg_module_buffer_count(m) > MOST_BUFFERS || kg_module_param_count(m) > MOST_PARAMS || !resolve(d, m)) return false;
  d->module = m;
  kg_host host = {.param = d->param, .length = d->length};
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    double lo = 0, hi = 0;
    if (info.ranged && kg_module_buffer_range(m, &host, i, NULL, &lo, &hi) != KG_OK) return false;
    if (!(d->array[i] = malloc(bytes_of(d, i) + 1))) return false;
    memset(d->array[i], 0xFF, bytes_of(d, i));
    for (uint64_t k = 0; k < d->length[i] && (info.mode == KG_READ || info.mode == KG_READ_WRITE); k++)
      tool_value_store(info.type, d->array[i], k, tool_value_of_number(info.type, kgi_fuzz_data(m, i, lo, hi, seed, k)));
  }
  return true;
}

static double element(const data *d, uint32_t i, uint64_t k) {
  kg_type type = kg_module_buffer(d->module, i).type;
  return tool_value_number(type, tool_value_load(type, d->array[i], k));
}

/* A device's subgroups are its own. */
static uint32_t subgroup_size(const kgt_fuzz *f) { return f->device ? kg_device_describe(f->device).subgroup_size : 0; }

static bool run_checked(kgt_fuzz *f, data *d, const char *which, uint32_t checks) {
  kg_sink sink = {hear, f};
  kg_reference_report report;
  kg_status status = kg_reference_run(&(kg_reference_params){.module = d->module, .buffers = d->array, .lengths = d->length,
                                                             .param_bits = d->param, .sink = &sink, .step_limit = 50000000,
                                                             .checks = checks, .subgroup_size = subgroup_size(f)}, &report);
  if (status == KG_OK) return true;
  char what[512];
  snprintf(what, sizeof what, "%.400s", f->what);
  fail(f, "%s fails on the reference: status %d, fault %d: %s", which, (int)status, (int)report.fault, what);
  return false;
}

/* With an eye on races, and on reads of what nothing wrote. */
static bool run(kgt_fuzz *f, data *d, const char *which) {
  return run_checked(f, d, which, KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES);
}

/* ---- cleaning ---- */

static bool outputs(const data *d, uint32_t i) {
  kg_mode mode = kg_module_buffer(d->module, i).mode;
  return mode == KG_WRITE || mode == KG_READ_WRITE;
}

/* The one liberty of folding: which NaN. */
static bool same_bits(kg_type type, const void *a, const void *b, uint64_t k) {
  uint64_t x = tool_value_load(type, a, k), y = tool_value_load(type, b, k);
  if (x == y) return true;
  return tool_type_is_float(type) && isnan(tool_value_number(type, x)) && isnan(tool_value_number(type, y));
}

/* The buffers of `a` in `b`, by name. */
static kgt_verdict same_outputs(kgt_fuzz *f, const data *a, const data *b, const char *which) {
  for (uint32_t i = 0; i < kg_module_buffer_count(a->module); i++) {
    kg_buffer_info info = kg_module_buffer(a->module, i);
    uint32_t j = kg_module_find_buffer(b->module, info.name);
    if (!outputs(a, i)) continue;
    if (j == UINT32_MAX) return fail(f, "%s has no buffer %s", which, info.name);
    for (uint64_t k = 0; k < a->length[i]; k++)
      if (!same_bits(info.type, a->array[i], b->array[j], k))
        return fail(f, "%s: %s[%u] is %.9g, not %.9g", which, info.name, (unsigned)k, element(b, j, k), element(a, i, k));
  }
  return KGT_HOLDS;
}

kgt_verdict kgt_fuzz_changed(kgt_fuzz *f, kgt_change *change, const char *which) {
  kgt_fuzz again = {.bytes = f->bytes, .size = f->size, .features = f->features, .statements = f->statements};
  kg_module *m = make(f), *changed = m ? make(&again) : NULL;
  data before = {0}, after = {0};
  kgt_verdict verdict = KGT_FAILS;
  if (!changed) goto end;
  for (uint32_t i = 1; i < changed->program_count; i++)
    if (change(changed, changed->program[i]) != KG_OK) goto end;
  if (valid(f, changed, which) != KGT_HOLDS || reads_back(f, changed, which) != KGT_HOLDS || decodes(f, changed, which) != KGT_HOLDS)
    goto end;
  if (!make_data(&before, m, f->data) || !make_data(&after, changed, f->data)) fail(f, "there is no data for it");
  else if (run(f, &before, "the program") && run(f, &after, which)) verdict = same_outputs(f, &before, &after, which);
end:
  free_data(&before);
  free_data(&after);
  kg_module_free(m);
  kg_module_free(changed);
  return verdict;
}

kgt_verdict kgt_fuzz_clean(kgt_fuzz *f) { return kgt_fuzz_changed(f, kgi_clean, "the cleaned program"); }

/* ---- gradients ---- */

typedef struct gradient {
  kgt_fuzz *f;
  kg_module *primal, *adjoint;
  kg_grad_map *map;
  kgi_contract contract;
  data before, after, result;     /* the primal's buffers before and after a run, and the adjoint's */
  double *cotangent[MOST_BUFFERS]; /* by the primal's buffer */
  double *start[MOST_BUFFERS];    /* by the adjoint's buffer: what a gradient is added to */
  double *low[MOST_BUFFERS], *high[MOST_BUFFERS]; /* by the adjoint's buffer: what rounding may make of a gradient */
  kgi_scale scale;
  kgi_tally tally;
} gradient;

static bool inputs(kg_buffer_info info) {
  return tool_type_is_float(info.type) && (info.mode == KG_READ || info.mode == KG_READ_WRITE);
}

static bool accumulates(const kgt_fuzz *f) { return f->data % 8 == 3 || f->data % 8 == 1; }

/* What is changed in place, and nothing else: no other gradient then needs a run of its own before, so that what the program declares
 * is what the caller sees. */
static size_t choose_in_place(const gradient *g, const char **names) {
  size_t count = 0;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal) && g->f->data % 8 == 6; i++) {
    kg_buffer_info info = kg_module_buffer(g->primal, i);
    if (tool_type_is_float(info.type) && info.mode == KG_READ_WRITE) names[count++] = info.name;
  }
  return count;
}

/* Everything that can be asked for, or now and then a part of it. */
static size_t choose_names(const gradient *g, bool of, const char **names) {
  size_t count = choose_in_place(g, names);
  if (count) return count;
  uint64_t seed = g->f->data, some = seed % 4 == (of ? 1 : 2) || seed % 16 == 7;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++) {
    kg_buffer_info info = kg_module_buffer(g->primal, i);
    bool fits = of ? tool_type_is_float(info.type) && (info.mode == KG_WRITE || info.mode == KG_READ_WRITE) : inputs(info);
    if (fits && (!some || (seed >> (4 + i + 3 * of)) % 2)) names[count++] = info.name;
  }
  if (!of && kg_module_find_param(g->primal, "scale") != UINT32_MAX) names[count++] = "scale";
  return count;
}

/* What it declares, and what shadow it says is whose. */
static bool declares(gradient *g, const kg_grad_params *asked) {
  kg_grad_entry *shadow = kgi_shadows_of(g->map, NULL);
  if (shadow) kgi_contract_check(&(kgi_gradient){g->primal, asked, g->adjoint, shadow, kg_grad_map_count(g->map)}, &g->contract);
  free(shadow);
  return shadow;
}

typedef struct asked { const char *wrt[MOST_BUFFERS + 1], *of[MOST_BUFFERS]; } asked;

static kg_grad_params ask(const gradient *g, asked *names) {
  kg_grad_params params = {.wrt = names->wrt, .of = names->of, .accumulate = accumulates(g->f), .deterministic = g->f->data % 32 == 5};
  params.wrt_count = choose_names(g, false, names->wrt);
  params.of_count = choose_names(g, true, names->of);
  return params;
}

/* KG_OK, or a refusal. */
static kg_status differentiate(gradient *g) {
  asked names;
  kg_sink sink = {hear, g->f};
  kg_grad_params params = ask(g, &names);
  kg_status status = kg_grad_mapped(g->primal, &params, &sink, &g->adjoint, &g->map);
  return status == KG_OK && !declares(g, &params) ? KG_NO_MEMORY : status;
}

/* With `accumulate` a gradient that is no cotangent too is added to what was there. */
static bool start_from(gradient *g, uint32_t shadow) {
  if (!accumulates(g->f)) return true;
  kg_type type = kg_module_buffer(g->adjoint, shadow).type;
  if (!(g->start[shadow] = calloc((size_t)g->result.length[shadow] + 1, sizeof(double)))) return false;
  for (uint64_t x = 0; x < g->result.length[shadow]; x++) {
    double value = kgi_fuzz_data(g->adjoint, shadow, 0, 0, g->f->data + 5, x);
    tool_value_store(type, g->result.array[shadow], x, tool_value_of_number(type, value));
    g->start[shadow][x] = element(&g->result, shadow, x);
  }
  return true;
}

/* What the gradient says it only writes it does not get: some numbers of this size. */
static void forget_written(gradient *g, uint32_t shadow) {
  if (kg_module_buffer(g->adjoint, shadow).mode == KG_WRITE) memset(g->result.array[shadow], 0x41, bytes_of(&g->result, shadow));
}

static bool prepare(gradient *g) {
  uint64_t seed = g->f->data;
  if (!make_data(&g->before, g->primal, seed) || !make_data(&g->after, g->primal, seed)) return false;
  if (!make_data(&g->result, g->adjoint, seed)) return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++) {
    uint32_t k = kg_module_find_buffer(g->adjoint, kg_module_buffer(g->primal, i).name);
    if (k != UINT32_MAX) memcpy(g->result.array[k], g->before.array[i], bytes_of(&g->before, i));
  }
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    uint32_t i = kg_module_find_buffer(g->primal, e.name), k = kg_module_find_buffer(g->adjoint, e.shadow);
    kg_type type = kg_module_buffer(g->adjoint, k).type;
    if (!e.of && !start_from(g, k)) return false;
    if (!e.of) continue;
    if (!(g->cotangent[i] = calloc((size_t)g->before.length[i] + 1, sizeof(double)))) return false;
    for (uint64_t x = 0; x < g->before.length[i]; x++) {
      double c = kgi_fuzz_data(g->primal, i, 0, 0, seed * 2 + 77 + i % 2, x);
      tool_value_store(type, g->result.array[k], x, tool_value_of_number(type, c));
      g->cotangent[i][x] = element(&g->result, k, x);
    }
    forget_written(g, k);
  }
  return true;
}

/* The gradient by one input element, from a tangent of every output: judged as `kgrad verify` does. */
static kgt_verdict compare(gradient *g, kg_grad_entry e, uint64_t first, uint64_t t, double *const *tangent,
                           double *const *magnitude) {
  uint32_t shadow = kg_module_find_buffer(g->adjoint, e.shadow);
  kgi_claim c = {.gradient = element(&g->result, shadow, first + t), .low = g->low[shadow][first + t],
                  .high = g->high[shadow][first + t], .unrounded = (double)NAN};
  if (g->start[shadow]) c.start = g->start[shadow][first + t];
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++)
    for (uint64_t x = 0, n = g->before.length[i]; g->cotangent[i] && x < n; x++) {
      if (g->cotangent[i][x] == 0) continue;
      c.dual += g->cotangent[i][x] * tangent[i][t * n + x];
      c.magnitude += fabs(g->cotangent[i][x]) * magnitude[i][t * n + x];
    }
  kgi_scale_gradient(&g->scale, kg_module_buffer(g->adjoint, shadow).type);
  kgi_judgement j = kgi_judge(&g->scale, &c);
  kgi_tally_add(&g->tally, j);
  if (j.verdict != KG_OUTCOME_FAILED) return KGT_HOLDS;
  return fail(g->f, "%s[%u] is %.9g, in [%.9g, %.9g], but the dual is %.9g, of magnitude %.9g", e.shadow, (unsigned)(first + t),
              c.gradient, c.low, c.high, c.dual + c.start, c.magnitude);
}

/* What rounding may make of the gradients, and what they would be without. */
static bool bound(gradient *g) {
  data d;
  bool room = make_data(&d, g->adjoint, g->f->data);
  for (uint32_t i = 0; room && i < kg_module_buffer_count(g->adjoint); i++) memcpy(d.array[i], g->result.array[i], bytes_of(&d, i));
  for (size_t n = 0; room && n < kg_grad_map_count(g->map); n++) {
    uint32_t i = kg_module_find_buffer(g->adjoint, kg_grad_map_entry(g->map, n).shadow);
    kgi_scale_roughen(&g->scale, kg_module_buffer(g->adjoint, i).type);
    g->low[i] = calloc((size_t)d.length[i] + 1, sizeof(double));
    g->high[i] = calloc((size_t)d.length[i] + 1, sizeof(double));
    room = g->low[i] && g->high[i];
  }
  kg_status status = !room ? KG_NO_MEMORY : kg_reference_run(
    &(kg_reference_params){.module = g->adjoint, .buffers = d.array, .lengths = d.length, .param_bits = d.param,
                           .bounds = KG_BOUNDS_REAL, .flush_subnormals = true, .low = g->low, .high = g->high}, NULL);
  kgi_scale_kernel(&g->scale, g->primal);
  g->scale.bounded = true;
  free_data(&d);
  return status == KG_OK || (fail(g->f, "the intervals fail with status %d", (int)status), false);
}

static kgt_verdict columns(gradient *g, kg_grad_entry e, uint64_t first, uint64_t count) {
  double *tangent[MOST_BUFFERS] = {0}, *magnitude[MOST_BUFFERS] = {0}, param[TANGENTS * MOST_PARAMS] = {0};
  uint32_t buffers = kg_module_buffer_count(g->primal), of = e.is_param ? UINT32_MAX : kg_module_find_buffer(g->primal, e.name);
  kg_sink sink = {hear, g->f};
  kg_reference_report report = {0};
  data d;
  bool room = make_data(&d, g->primal, g->f->data);
  for (uint32_t i = 0; i < buffers && room; i++) {
    if (!tool_type_is_float(kg_module_buffer(g->primal, i).type)) continue;
    tangent[i] = calloc((size_t)(count * d.length[i]) + 1, sizeof(double));
    magnitude[i] = calloc((size_t)(count * d.length[i]) + 1, sizeof(double));
    room = tangent[i] && magnitude[i];
    for (uint64_t t = 0; room && i == of && t < count; t++) tangent[i][t * d.length[i] + first + t] = 1;
  }
  if (e.is_param) param[kg_module_find_param(g->primal, e.name)] = 1;
  kg_status status = !room ? KG_NO_MEMORY : kg_reference_run(
    &(kg_reference_params){.module = g->primal, .buffers = d.array, .lengths = d.length, .param_bits = d.param, .sink = &sink,
                           .tangent_count = (uint32_t)count, .tangents = tangent, .magnitudes = magnitude,
                           .param_tangents = param}, &report);
  g->scale.depth = 1 + sqrt((double)report.lane_instructions);
  kgt_verdict verdict = status == KG_OK ? KGT_HOLDS : fail(g->f, "the duals fail with status %d", (int)status);
  for (uint64_t t = 0; t < count && verdict == KGT_HOLDS; t++) verdict = compare(g, e, first, t, tangent, magnitude);
  for (uint32_t i = 0; i < buffers; i++) free(tangent[i]), free(magnitude[i]);
  free_data(&d);
  return verdict;
}

static kgt_verdict entries(gradient *g) {
  for (size_t n = 0; n < kg_grad_map_count(g->map); n++) {
    kg_grad_entry e = kg_grad_map_entry(g->map, n);
    if (!e.wrt) continue;
    uint64_t length = e.is_param ? 1 : g->before.length[kg_module_find_buffer(g->primal, e.name)];
    for (uint64_t first = 0; first < length; first += TANGENTS) {
      kgt_verdict verdict = columns(g, e, first, length - first < TANGENTS ? length - first : TANGENTS);
      if (verdict != KGT_HOLDS) return verdict;
    }
  }
  if (kgi_tally_is_lost(&g->tally)) return fail(g->f, "every gradient is zero, and not every dual");
  return g->tally.nonzero && kgi_tally_passes(&g->tally) ? KGT_HOLDS : KGT_VACUOUS;
}

static bool is_sound(gradient *g, const char *which) {
  return valid(g->f, g->adjoint, which) == KGT_HOLDS && reads_back(g->f, g->adjoint, which) == KGT_HOLDS &&
         decodes(g->f, g->adjoint, which) == KGT_HOLDS;
}

static kgt_verdict begin_gradient(gradient *g, kgt_fuzz *f) {
  *g = (gradient){.f = f};
  if (f->data % 8) f->features &= ~(uint32_t)KGI_FUZZ_JUMPS; /* mostly refused */
  g->primal = make(f);
  if (!g->primal) return KGT_FAILS;
  kg_status status = differentiate(g);
  if (status == KG_REFUSED) return KGT_REFUSED;
  if (status == KG_INVALID && !strncmp(f->id, "grad-", 5)) return KGT_REFUSED;
  if (status != KG_OK) return fail(f, "kg_grad gives status %d", (int)status);
  if (*g->contract.fault) return fail(f, "declared wrongly: %s", g->contract.fault);
  if (!is_sound(g, "the adjoint")) return KGT_FAILS;
  return prepare(g) ? KGT_HOLDS : fail(f, "there is no data for it");
}

static void end_gradient(gradient *g) {
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) free(g->cotangent[i]), free(g->start[i]), free(g->low[i]), free(g->high[i]);
  free_data(&g->before);
  free_data(&g->after);
  free_data(&g->result);
  kg_grad_map_free(g->map);
  kg_module_free(g->primal);
  kg_module_free(g->adjoint);
}

kgt_verdict kgt_fuzz_gradient(kgt_fuzz *f) {
  gradient g;
  kgt_verdict verdict = begin_gradient(&g, f);
  if (verdict == KGT_HOLDS) {
    verdict = KGT_FAILS;
    if (bound(&g) && run(f, &g.after, "the program") && run(f, &g.result, "the adjoint"))
      verdict = same_outputs(f, &g.after, &g.result, "the adjoint");
    if (verdict == KGT_HOLDS) verdict = entries(&g);
  }
  end_gradient(&g);
  return verdict;
}

/* ---- two modules ---- */

/* The contents of what both have, by name; `read`: only of what `to` does not write. */
static void take(data *to, const data *from, bool read) {
  for (uint32_t i = 0; i < kg_module_buffer_count(to->module); i++) {
    uint32_t k = kg_module_find_buffer(from->module, kg_module_buffer(to->module, i).name);
    if (k != UINT32_MAX && !(read && outputs(to, i))) memcpy(to->array[i], from->array[k], bytes_of(to, i));
  }
}

static kgt_verdict split(gradient *g, kg_module **forward, kg_module **adjoint) {
  asked names;
  kg_sink sink = {hear, g->f};
  kg_grad_params params = ask(g, &names);
  kg_status status = kg_grad_split(g->primal, &params, &sink, forward, adjoint, NULL);
  if (status == KG_REFUSED) return KGT_REFUSED;
  if (status != KG_OK) return fail(g->f, "kg_grad_split gives status %d", (int)status);
  if (reads_back(g->f, *forward, "the forward module") != KGT_HOLDS || decodes(g->f, *forward, "the forward module") != KGT_HOLDS)
    return KGT_FAILS;
  if (reads_back(g->f, *adjoint, "the adjoint module") != KGT_HOLDS || decodes(g->f, *adjoint, "the adjoint module") != KGT_HOLDS)
    return KGT_FAILS;
  return KGT_HOLDS;
}

static kgt_verdict same_in_two(gradient *g, data *first, data *second) {
  kgt_fuzz *f = g->f;
  take(first, &g->result, false), take(second, &g->result, false);
  if (!run(f, first, "the forward module")) return KGT_FAILS;
  take(second, first, true);
  if (!run(f, second, "the adjoint module") || !run(f, &g->after, "the program") || !run(f, &g->result, "the one module")) return KGT_FAILS;
  kgt_verdict verdict = same_outputs(f, &g->after, first, "the forward module");
  return verdict == KGT_HOLDS ? same_outputs(f, second, &g->result, "the one module") : verdict;
}

kgt_verdict kgt_fuzz_split(kgt_fuzz *f) {
  gradient g;
  kg_module *forward = NULL, *adjoint = NULL;
  data first = {0}, second = {0};
  kgt_verdict verdict = begin_gradient(&g, f);
  if (verdict == KGT_HOLDS) verdict = split(&g, &forward, &adjoint);
  if (verdict == KGT_HOLDS && (!make_data(&first, forward, f->data) || !make_data(&second, adjoint, f->data)))
    verdict = fail(f, "there is no data for it");
  if (verdict == KGT_HOLDS) verdict = same_in_two(&g, &first, &second);
  free_data(&first), free_data(&second);
  kg_module_free(forward), kg_module_free(adjoint);
  end_gradient(&g);
  return verdict;
}

/* ---- tangents ---- */

/* The same record: the adjoint is the module with tangents, and the cotangents are the duals, [direction][element]. */
typedef struct tangents { gradient g; double *magnitude[MOST_BUFFERS], param[TANGENTS * MOST_PARAMS]; uint32_t directions; } tangents;

static kg_status take_tangents(tangents *t) {
  const char *wrt[MOST_BUFFERS + 1], *of[MOST_BUFFERS];
  gradient *g = &t->g;
  kg_sink sink = {hear, g->f};
  kg_jvp_params params = {.wrt = wrt, .of = of, .directions = t->directions};
  params.wrt_count = choose_names(g, false, wrt);
  params.of_count = choose_names(g, true, of);
  return kg_jvp_mapped(g->primal, &params, &sink, &g->adjoint, &g->map);
}

static bool make_duals(tangents *t) {
  for (uint32_t i = 0; i < kg_module_buffer_count(t->g.primal); i++) {
    if (!tool_type_is_float(kg_module_buffer(t->g.primal, i).type)) continue;
    size_t count = (size_t)(t->directions * t->g.before.length[i]) + 1;
    t->g.cotangent[i] = calloc(count, sizeof(double)), t->magnitude[i] = calloc(count, sizeof(double));
    if (!t->g.cotangent[i] || !t->magnitude[i]) return false;
  }
  return true;
}

/* A direction for each input, and the same as the duals' seeds. */
static void seed_tangent(tangents *t, kg_grad_entry e) {
  gradient *g = &t->g;
  uint32_t k = kg_module_find_buffer(g->adjoint, e.shadow), params = kg_module_param_count(g->primal);
  kg_type type = kg_module_buffer(g->adjoint, k).type;
  forget_written(g, k);
  for (uint64_t x = 0; e.wrt && x < g->result.length[k]; x++) {
    double value = kgi_fuzz_data(g->adjoint, k, 0, 0, g->f->data * 2 + 77 + k % 2, x);
    tool_value_store(type, g->result.array[k], x, tool_value_of_number(type, value));
    if (e.is_param) t->param[x * params + kg_module_find_param(g->primal, e.name)] = element(&g->result, k, x);
    else g->cotangent[kg_module_find_buffer(g->primal, e.name)][x] = element(&g->result, k, x);
  }
}

static bool prepare_tangents(tangents *t) {
  gradient *g = &t->g;
  uint64_t seed = g->f->data;
  if (!make_data(&g->before, g->primal, seed) || !make_data(&g->after, g->primal, seed) || !make_data(&g->result, g->adjoint, seed))
    return false;
  for (uint32_t i = 0; i < kg_module_buffer_count(g->primal); i++) {
    uint32_t k = kg_module_find_buffer(g->adjoint, kg_module_buffer(g->primal, i).name);
    memcpy(g->result.array[k], g->before.array[i], bytes_of(&g->before, i));
  }
  bool room = make_duals(t);
  for (size_t n = 0; room && n < kg_grad_map_count(g->map); n++) seed_tangent(t, kg_grad_map_entry(g->map, n));
  return room;
}

/* Runs the program itself, too. */
static bool run_tangent_duals(tangents *t) {
  gradient *g = &t->g;
  kg_sink sink = {hear, g->f};
  kg_reference_report report = {0};
  kg_status status = kg_reference_run(
    &(kg_reference_params){.module = g->primal, .buffers = g->after.array, .lengths = g->after.length, .param_bits = g->after.param,
                           .sink = &sink, .tangent_count = t->directions, .tangents = g->cotangent, .magnitudes = t->magnitude,
                           .param_tangents = t->param}, &report);
  g->scale.depth = 1 + sqrt((double)report.lane_instructions);
  return status == KG_OK || (fail(g->f, "the duals fail with status %d", (int)status), false);
}

/* An element that the program does not store is undefined, and so is its tangent. */
static bool is_stored(const data *after, uint32_t i, uint64_t k) {
  size_t size = kg_type_size(kg_module_buffer(after->module, i).type);
  static const unsigned char untouched[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  return memcmp((const char *)after->array[i] + k * size, untouched, size) != 0;
}

static kgt_verdict compare_tangent(tangents *t, kg_grad_entry e) {
  gradient *g = &t->g;
  uint32_t i = kg_module_find_buffer(g->primal, e.name), k = kg_module_find_buffer(g->adjoint, e.shadow);
  kgi_scale_gradient(&g->scale, kg_module_buffer(g->adjoint, k).type);
  for (uint64_t x = 0; x < g->result.length[k]; x++) {
    kgi_claim c = {.gradient = element(&g->result, k, x), .low = g->low[k][x], .high = g->high[k][x], .dual = g->cotangent[i][x],
                   .magnitude = t->magnitude[i][x], .unrounded = (double)NAN};
    if (!is_stored(&g->after, i, x % g->before.length[i])) continue;
    kgi_judgement j = kgi_judge(&g->scale, &c);
    kgi_tally_add(&g->tally, j);
    if (j.verdict == KG_OUTCOME_FAILED)
      return fail(g->f, "%s[%u] is %.9g, in [%.9g, %.9g], but the dual is %.9g, of magnitude %.9g", e.shadow, (unsigned)x,
                  c.gradient, c.low, c.high, c.dual, c.magnitude);
  }
  return KGT_HOLDS;
}

static kgt_verdict begin_tangents(tangents *t, kgt_fuzz *f) {
  gradient *g = &t->g;
  *t = (tangents){.g.f = f, .directions = 1 + f->data % 3};
  g->primal = make(f);
  if (!g->primal) return KGT_FAILS;
  kg_status status = take_tangents(t);
  if (status == KG_REFUSED || (status == KG_INVALID && !strncmp(f->id, "grad-", 5))) return KGT_REFUSED;
  if (status != KG_OK) return fail(f, "kg_jvp gives status %d", (int)status);
  if (!is_sound(g, "the result")) return KGT_FAILS;
  return prepare_tangents(t) ? KGT_HOLDS : fail(f, "there is no data for it");
}

static void end_tangents(tangents *t) {
  for (uint32_t i = 0; i < MOST_BUFFERS; i++) free(t->magnitude[i]);
  end_gradient(&t->g);
}

kgt_verdict kgt_fuzz_jvp(kgt_fuzz *f) {
  tangents t;
  kgt_verdict verdict = begin_tangents(&t, f);
  if (verdict == KGT_HOLDS) {
    verdict = KGT_FAILS;
    if (bound(&t.g) && run_tangent_duals(&t) && run(f, &t.g.result, "the result"))
      verdict = same_outputs(f, &t.g.after, &t.g.result, "the result");
    for (size_t n = 0; verdict == KGT_HOLDS && n < kg_grad_map_count(t.g.map); n++) {
      kg_grad_entry e = kg_grad_map_entry(t.g.map, n);
      if (e.of) verdict = compare_tangent(&t, e);
    }
    if (verdict == KGT_HOLDS && (!t.g.tally.nonzero || !kgi_tally_passes(&t.g.tally))) verdict = KGT_VACUOUS;
  }
  end_tangents(&t);
  return verdict;
}

/* ---- races ---- */

static unsigned races_in_run(kgt_fuzz *f, const data *d, uint32_t item) {
  char name[40];
  snprintf(name, sizeof name, "errors_%u", item);
  uint32_t i = kg_module_find_buffer(d->module, name);
  unsigned found = 0;
  if (i == UINT32_MAX) return 0;
  const kgi_program *p = d->module->program[d->module->item[item].program];
  uint64_t objects = d->length[i], end = kgi_buffer_end(&p->scope) - objects;
  for (uint64_t k = 1; k < objects; k++) {
    unsigned error = (unsigned)element(d, i, k);
    const char *object = kgi_string(d->module, p->scope.object[k < end ? k : k + objects].name);
    const char *how = error & 2 ? "across workgroups" : "within a workgroup";
    if (error && !found) fail(f, "a race for %s in %s, %s", object, kgi_string(d->module, p->name), how);
    found |= error;
  }
  return found;
}

int kgt_races_of(kgt_fuzz *f, kg_module *m) {
  data d = {0};
  int found = -1;
  if (!kgt_watch_races(m) || !make_data(&d, m, f->data)) return -1;
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (!strncmp(kg_module_buffer(m, i).name, "notes_", 6) || !strncmp(kg_module_buffer(m, i).name, "errors_", 7))
      memset(d.array[i], 0, bytes_of(&d, i));
  if (run_checked(f, &d, "the watched program", 0)) {
    found = 0;
    for (uint32_t item = m->first_item; item; item = m->item[item].next) found |= (int)races_in_run(f, &d, item);
  }
  free_data(&d);
  return found;
}

static kgt_verdict without_races(kgt_fuzz *f, kg_module *m) {
  f->what[0] = 0;
  int found = kgt_races_of(f, m);
  return found > 0 || f->what[0] ? KGT_FAILS : found ? KGT_VACUOUS : KGT_HOLDS;
}

kgt_verdict kgt_fuzz_races(kgt_fuzz *f) {
  kg_module *m = make(f);
  kgt_verdict verdict = m ? without_races(f, m) : KGT_FAILS;
  kg_module_free(m);
  return verdict;
}

/* Takes away one barrier, or makes one access go to the first element. */
static bool spoil(kg_module *m, uint64_t seed) {
  kgi_program *p = m->program[1 + seed % (m->program_count - 1)];
  uint32_t found = 0, fit = 0;
  seed = seed / 8 * UINT64_C(0x9E3779B97F4A7C15) >> 16;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    bool element = (x->kind == KGI_store || x->kind == KGI_load) && x->arg[1] && p->scope.object[x->arg[0]].space != KGI_VAR &&
                   p->inst[x->arg[1]].type == KG_U32;
    if (x->block && (x->kind == KGI_barrier || element) && seed % ++fit == 0) found = i;
  }
  if (!found) return false;
  if (p->inst[found].kind == KGI_barrier) {
    kgi_remove(p, found);
    return true;
  }
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  kgi_val zero = kgi_u32(&b, 0);
  p->inst[found].arg[1] = zero.i;
  return b.status == KG_OK;
}

/* -1: the run fails otherwise. */
static int races_by_reference(kgt_fuzz *f, kg_module *m) {
  data d = {0};
  kg_reference_report report = {0};
  kg_status status = KG_INVALID;
  if (make_data(&d, m, f->data))
    status = kg_reference_run(&(kg_reference_params){.module = m, .buffers = d.array, .lengths = d.length, .param_bits = d.param,
                                                     .step_limit = 50000000, .checks = KG_CHECK_RACES}, &report);
  free_data(&d);
  return status == KG_OK ? 0 : status == KG_FAILED && report.races && !report.fault ? 1 : -1;
}

kgt_verdict kgt_fuzz_detectors(kgt_fuzz *f) {
  kg_module *m = make(f);
  kgt_verdict verdict = KGT_VACUOUS;
  if (!m) return KGT_FAILS;
  if (spoil(m, f->data)) {
    int one = races_by_reference(f, m), two = one < 0 ? -1 : kgt_races_of(f, m);
    if (one >= 0 && two >= 0) {
      verdict = one ? KGT_HOLDS : KGT_VACUOUS;
      if (one != (two > 0)) verdict = fail(f, "the reference finds %s, and the program itself %s", one ? "a race" : "none",
                                       two ? "one" : "none");
    }
  }
  kg_module_free(m);
  return verdict;
}

kgt_verdict kgt_fuzz_adjoint_races(kgt_fuzz *f) {
  gradient g;
  kgt_verdict verdict = begin_gradient(&g, f);
  free_data(&g.result);
  if (verdict == KGT_HOLDS) verdict = without_races(f, g.adjoint);
  end_gradient(&g);
  return verdict;
}

/* ---- devices ---- */

static bool run_on(kgt_fuzz *f, data *d, kgt_verdict *verdict) {
  kg_sink sink = {hear, f};
  bool given[MOST_BUFFERS], param_given[MOST_PARAMS];
  memset(given, 1, sizeof given);
  memset(param_given, 1, sizeof param_given);
  kg_host host = {.param = d->param, .length = d->length, .param_given = param_given, .length_given = given};
  kg_status status = kg_run(f->device, d->module, &host, d->array, NULL, &sink, NULL);
  if (status == KG_OK) return true;
  char what[512];
  snprintf(what, sizeof what, "%s: %.400s", f->id, f->what);
  *verdict = status == KG_REFUSED ? KGT_REFUSED : fail(f, "status %d on the device: %s", (int)status, what);
  return false;
}

/* The device's results lie in the intervals of the reference, and not all of them are anything. */
static kgt_verdict within(kgt_fuzz *f, data *d) {
  kgt_bounds bounds;
  kg_sink sink = {hear, f};
  kgt_verdict verdict = KGT_FAILS;
  uint32_t subgroup = kg_device_describe(f->device).subgroup_size;
  kg_status status = kgt_bounds_run(&bounds, d->module, d->array, d->length, d->param, subgroup, &sink);
  if (status != KG_OK) fail(f, "the intervals fail with status %d", (int)status);
  else if (run_on(f, d, &verdict) && kgt_bounds_hold(&bounds, d->array, f->what, sizeof f->what))
    verdict = bounds.open < bounds.elements ? KGT_HOLDS : KGT_VACUOUS;
  kgt_bounds_free(&bounds);
  return verdict;
}

kgt_verdict kgt_fuzz_device(kgt_fuzz *f) {
  kg_module *m = make(f);
  data want = {0}, got = {0};
  kgt_verdict verdict = KGT_FAILS;
  if (!m) return verdict;
  if (!make_data(&want, m, f->data) || !make_data(&got, m, f->data)) fail(f, "there is no data for it");
  else if (run(f, &want, "the program")) verdict = within(f, &got);
  free_data(&want);
  free_data(&got);
  kg_module_free(m);
  return verdict;
}

kgt_verdict kgt_fuzz_wild_clean(kgt_fuzz *f) { return f->data |= KGI_FUZZ_WILD, kgt_fuzz_clean(f); }
kgt_verdict kgt_fuzz_wild_device(kgt_fuzz *f) { return f->data |= KGI_FUZZ_WILD, kgt_fuzz_device(f); }

/* What was prepared for the reference, on the device. */
static kgt_verdict result_within(gradient *g, const char *which) {
  data got = {0};
  kgt_verdict verdict = KGT_HOLDS;
  if (!make_data(&got, g->adjoint, g->f->data)) verdict = fail(g->f, "there is no data for it");
  if (verdict == KGT_HOLDS) {
    for (uint32_t i = 0; i < kg_module_buffer_count(g->adjoint); i++) memcpy(got.array[i], g->result.array[i], bytes_of(&got, i));
    verdict = run(g->f, &g->result, which) ? within(g->f, &got) : KGT_FAILS;
  }
  free_data(&got);
  return verdict;
}

kgt_verdict kgt_fuzz_adjoint(kgt_fuzz *f) {
  gradient g;
  kgt_verdict verdict = begin_gradient(&g, f);
  if (verdict == KGT_HOLDS) verdict = result_within(&g, "the adjoint");
  end_gradient(&g);
  return verdict;
}

kgt_verdict kgt_fuzz_jvp_device(kgt_fuzz *f) {
  tangents t;
  kgt_verdict verdict = begin_tangents(&t, f);
  if (verdict == KGT_HOLDS) verdict = result_within(&t.g, "the result");
  end_tangents(&t);
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
  {"gradient", kgt_fuzz_gradient, GRADIENT, false},
  {"jvp", kgt_fuzz_jvp, KGI_FUZZ_ALL & ~(KGI_FUZZ_BITS | KGI_FUZZ_INT), false},
  {"jvp-device", kgt_fuzz_jvp_device, GRADIENT & ~(KGI_FUZZ_WIDE | KGI_FUZZ_DIVERGED), true},
  {"split", kgt_fuzz_split, GRADIENT, false},
  {"adjoint-races", kgt_fuzz_adjoint_races, GRADIENT, false},
  {"device", kgt_fuzz_device, DEVICE, true},
  {"smooth", kgt_fuzz_device, SMOOTH, true},
  {"adjoint", kgt_fuzz_adjoint, GRADIENT & ~(KGI_FUZZ_WIDE | KGI_FUZZ_DIVERGED), true},
  {"subgroups", kgt_fuzz_device, LANES, true},
  {"wild-clean", kgt_fuzz_wild_clean, FLOATS, false},
  {"wild-device", kgt_fuzz_wild_device, FLOATS & LANES, true},
  {"", NULL, 0, false},
};
