/* The program that some bytes stand for: its forms, its data, its runs. */
#include "fuzz/ask/parts.h"

#include "foundation/host/value.h"
#include "foundation/ir/copy.h"
#include "foundation/ir/equal.h"
#include "foundation/ir/validate.h"
#include "foundation/passes/clean.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_LENGTH = 7 };

/* ---- verdicts ---- */

__attribute__((format(printf, 2, 3))) kgi_answer kgi_ask_fail(kgi_ask *f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(f->what, sizeof f->what, format, args);
  va_end(args);
  f->how = format;
  return KGI_FAILS;
}

void kgi_ask_hear(void *user, const kg_diag *diag) {
  kgi_ask *f = user;
  if (f->id[0] || diag->severity != KG_ERROR) return;
  snprintf(f->id, sizeof f->id, "%s", diag->id);
  snprintf(f->what, sizeof f->what, "line %u: %s", diag->line, diag->message);
}

bool kgi_ask_is_generated(const kgi_ask *f) { return f->given ? f->given->generated : f->bytes != NULL; }

kg_module *kgi_ask_program(kgi_ask *f) {
  kg_sink sink = {kgi_ask_hear, f};
  kgi_diags diags = {&sink, "random.kg", 0};
  kg_module *m = NULL;
  f->id[0] = f->what[0] = 0, f->how = NULL;
  if (f->given) m = kgi_module_copy(NULL, f->given->module);
  else
    kgi_fuzz_generate(&(kgi_fuzz_params){.bytes = f->bytes, .size = f->size, .features = f->features, .statements = f->statements,
                                         .shapes = &f->shapes}, &diags, &m);
  if (m && f->coverage) kgi_fuzz_cover(f->coverage, m, &f->shapes);
  if (m && f->kept) f->kept->seed = f->data, f->kept->generated = kgi_ask_is_generated(f), kgi_case_take_module(f->kept, m);
  return m;
}

char *kgi_ask_text(const kgi_ask *f) {
  kgi_ask copy = *f;
  copy.coverage = NULL, copy.kept = NULL;
  kg_module *m = kgi_ask_program(&copy);
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

static kgi_answer decodes(kgi_ask *f, const kg_module *m, const char *which) {
  kg_sink sink = {kgi_ask_hear, f};
  uint8_t *bytes = NULL, *again = NULL;
  size_t size = 0, again_size = 0;
  kg_module *decoded = NULL;
  const char *where = "";
  bool equal = false;
  kgi_answer verdict = KGI_HOLDS;
  if (kg_module_encode(NULL, m, NULL, &bytes, &size) != KG_OK) return kgi_ask_fail(f, "%s is not encoded", which);
  if (kg_module_decode(NULL, "random.kgb", bytes, size, &sink, &decoded) != KG_OK) verdict = KGI_FAILS;
  else if (kgi_module_equal(m, decoded, &equal, &where) != KG_OK || !equal)
    verdict = kgi_ask_fail(f, "%s decodes different: %s", which, where);
  else if (kg_module_encode(NULL, decoded, NULL, &again, &again_size) != KG_OK || again_size != size || memcmp(bytes, again, size))
    verdict = kgi_ask_fail(f, "%s decodes equal and encodes different", which);
  kg_bytes_free(NULL, bytes, size);
  if (again) kg_bytes_free(NULL, again, again_size);
  kg_module_free(decoded);
  return verdict;
}

static kgi_answer reads_back(kgi_ask *f, const kg_module *m, const char *which) {
  kg_sink sink = {kgi_ask_hear, f};
  char *text = NULL, *again = NULL;
  size_t size = 0, again_size = 0;
  kg_module *parsed = NULL;
  const char *where = "";
  bool equal = false;
  kgi_answer verdict = KGI_HOLDS;
  if (kg_module_print(NULL, m, NULL, &text, &size) != KG_OK) return kgi_ask_fail(f, "%s is not printed", which);
  if (kg_module_parse(NULL, "random.kg", text, size, &sink, &parsed) != KG_OK) verdict = KGI_FAILS;
  else if (kgi_module_equal(m, parsed, &equal, &where) != KG_OK || !equal)
    verdict = kgi_ask_fail(f, "%s reads back different: %s", which, where);
  else if (!same_digest(m, parsed)) verdict = kgi_ask_fail(f, "%s reads back equal with another digest", which);
  else if (kg_module_print(NULL, parsed, NULL, &again, &again_size) != KG_OK || again_size != size || memcmp(text, again, size))
    verdict = kgi_ask_fail(f, "%s reads back equal and prints different", which);
  kg_bytes_free(NULL, text, size + 1);
  if (again) kg_bytes_free(NULL, again, again_size + 1);
  kg_module_free(parsed);
  return verdict;
}

static kgi_answer valid(kgi_ask *f, const kg_module *m, const char *which) {
  kg_sink sink = {kgi_ask_hear, f};
  kgi_diags diags = {&sink, "random.kg", 0};
  char what[512];
  if (kgi_validate(m, &diags) == KG_OK) return KGI_HOLDS;
  snprintf(what, sizeof what, "%.400s", f->what);
  return kgi_ask_fail(f, "%s is not valid: %s", which, what);
}

bool kgi_ask_is_sound(kgi_ask *f, const kg_module *m, const char *which) {
  return valid(f, m, which) == KGI_HOLDS && reads_back(f, m, which) == KGI_HOLDS && decodes(f, m, which) == KGI_HOLDS;
}

kgi_answer kgi_ask_forms(kgi_ask *f) {
  kg_module *m = kgi_ask_program(f);
  if (!m) return KGI_FAILS;
  kgi_answer verdict = kgi_ask_is_sound(f, m, "the program") ? KGI_HOLDS : KGI_FAILS;
  kg_module_free(m);
  return verdict;
}

/* ---- data ---- */

size_t kgi_ask_bytes(const kgi_ask_data *d, uint32_t i) {
  return (size_t)d->length[i] * kg_type_size(kg_module_buffer(d->module, i).type);
}

void kgi_ask_free_data(kgi_ask_data *d) {
  for (uint32_t i = 0; d->module && i < kg_module_buffer_count(d->module); i++) free(d->array[i]);
  d->module = NULL;
}

/* The array of that name and type, if one is given. */
static const kgi_case_array *given(const kgi_ask *f, const char *name, kg_type type) {
  const kgi_case_array *a = f->given ? kgi_case_find(f->given, name) : NULL;
  return a && a->type == type ? a : NULL;
}

static bool resolve(kgi_ask_data *d, const kg_module *m, const kgi_ask *f) {
  bool param_given[MOST_PARAMS] = {0}, length_given[MOST_BUFFERS] = {0};
  kg_host host = {.param = d->param, .length = d->length, .param_given = param_given, .length_given = length_given};
  for (uint32_t i = 0; i < kg_module_param_count(m); i++) {
    const kgi_case_array *a = given(f, kg_module_param(m, i).name, kg_module_param(m, i).type);
    if (a && a->count == 1) d->param[i] = kg_value_load(a->type, a->data, 0), param_given[i] = true;
  }
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    const kgi_case_array *a = given(f, kg_module_buffer(m, i).name, kg_module_buffer(m, i).type);
    if (kg_module_buffer(m, i).host_length) d->length[i] = a ? a->count : HOST_LENGTH, length_given[i] = true;
  }
  return kg_module_resolve(m, &host, NULL) == KG_OK;
}

/* As many of them as there is room for. */
static void give(const kgi_ask_data *d, uint32_t i, const kgi_case_array *a) {
  if (a) memcpy(d->array[i], a->data, (size_t)(a->count < d->length[i] ? a->count : d->length[i]) * kg_type_size(a->type));
}

/* Inputs as they are given, else by the seed; the rest a pattern. */
bool kgi_ask_make_data(kgi_ask_data *d, const kg_module *m, const kgi_ask *f) {
  uint64_t seed = f->data;
  memset(d, 0, sizeof *d);
  if (kg_module_buffer_count(m) > MOST_BUFFERS || kg_module_param_count(m) > MOST_PARAMS || !resolve(d, m, f)) return false;
  d->module = m;
  kg_host host = {.param = d->param, .length = d->length};
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    double lo = 0, hi = 0;
    if (info.ranged && kg_module_buffer_range(m, &host, i, NULL, &lo, &hi) != KG_OK) return false;
    if (!(d->array[i] = malloc(kgi_ask_bytes(d, i) + 1))) return false;
    memset(d->array[i], 0xFF, kgi_ask_bytes(d, i));
    uint64_t stream = kgi_fuzz_stream(m, i, seed);
    for (uint64_t k = 0; k < d->length[i] && (info.mode == KG_READ || info.mode == KG_READ_WRITE); k++)
      kg_value_store(info.type, d->array[i], k, kgi_value_of_number(info.type, kgi_fuzz_element(m, i, lo, hi, seed, stream, k)));
    if (info.mode == KG_READ || info.mode == KG_READ_WRITE) give(d, i, given(f, info.name, info.type));
  }
  return true;
}

uint64_t kgi_ask_given(const kgi_ask *f, const char *name, kg_type type, uint64_t k, uint64_t bits) {
  const kgi_case_array *a = given(f, name, type);
  return a && k < a->count ? kg_value_load(type, a->data, k) : bits;
}

bool kgi_ask_keep(kgi_ask *f, const kgi_ask_data *d) {
  if (!f->kept) return true;
  bool fine = f->kept->module || kgi_case_take_module(f->kept, d->module);
  for (uint32_t i = 0; fine && i < kg_module_param_count(d->module); i++) {
    kg_param_info info = kg_module_param(d->module, i);
    uint64_t bits = 0;
    kg_value_store(info.type, &bits, 0, d->param[i]);
    fine = kgi_case_set(f->kept, info.name, info.type, 1, &bits);
  }
  for (uint32_t i = 0; fine && i < kg_module_buffer_count(d->module); i++) {
    kg_buffer_info info = kg_module_buffer(d->module, i);
    if (info.mode == KG_READ || info.mode == KG_READ_WRITE)
      fine = kgi_case_set(f->kept, info.name, info.type, d->length[i], d->array[i]);
  }
  return fine;
}

double kgi_ask_element(const kgi_ask_data *d, uint32_t i, uint64_t k) {
  kg_type type = kg_module_buffer(d->module, i).type;
  return kgi_value_number(type, kg_value_load(type, d->array[i], k));
}

/* A device's subgroups are its own. */
uint32_t kgi_ask_subgroup_size(const kgi_ask *f) { return f->target ? f->target->subgroup_size : 0; }

bool kgi_ask_run_reported(kgi_ask *f, kgi_ask_data *d, const char *which, uint32_t checks, kg_reference_report *report) {
  kg_sink sink = {kgi_ask_hear, f};
  kg_status status = kg_reference_run(&(kg_reference_params){.module = d->module, .buffers = d->array, .lengths = d->length,
                                                             .param_bits = d->param, .sink = &sink, .step_limit = 50000000,
                                                             .checks = checks, .subgroup_size = kgi_ask_subgroup_size(f)}, report);
  if (status == KG_OK) return true;
  char what[512];
  snprintf(what, sizeof what, "%.400s", f->what);
  kgi_ask_fail(f, "%s fails on the reference: status %d, fault %d: %s", which, (int)status, (int)report->fault, what);
  return false;
}

enum { WATCHED = KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES };

/* With an eye on races, and on reads of what nothing wrote. */
bool kgi_ask_run_watched(kgi_ask *f, kgi_ask_data *d, const char *which) {
  kg_reference_report report;
  return kgi_ask_run_reported(f, d, which, WATCHED, &report);
}

kgi_harm kgi_ask_harm(kgi_ask *f) {
  kg_module *m = kgi_ask_program(f);
  kgi_ask_data d = {0};
  kg_reference_report report = {0};
  bool fine = m && kgi_ask_make_data(&d, m, f) && kgi_ask_run_reported(f, &d, "the program", WATCHED, &report);
  f->steps = report.lane_instructions;
  kgi_ask_free_data(&d);
  kg_module_free(m);
  return !fine ? KGI_HARMFUL : report.out_of_bounds_loads || report.out_of_bounds_stores ? KGI_OUT_OF_BOUNDS : KGI_HARMLESS;
}

/* ---- cleaning ---- */

bool kgi_ask_is_output(const kgi_ask_data *d, uint32_t i) {
  kg_mode mode = kg_module_buffer(d->module, i).mode;
  return mode == KG_WRITE || mode == KG_READ_WRITE;
}

/* The one liberty of folding: which NaN. */
static bool same_bits(kg_type type, const void *a, const void *b, uint64_t k) {
  uint64_t x = kg_value_load(type, a, k), y = kg_value_load(type, b, k);
  if (x == y) return true;
  return kg_type_is_float(type) && isnan(kgi_value_number(type, x)) && isnan(kgi_value_number(type, y));
}

/* The buffers of `a` in `b`, by name. */
kgi_answer kgi_ask_same_outputs(kgi_ask *f, const kgi_ask_data *a, const kgi_ask_data *b, const char *which) {
  for (uint32_t i = 0; i < kg_module_buffer_count(a->module); i++) {
    kg_buffer_info info = kg_module_buffer(a->module, i);
    uint32_t j = kg_module_find_buffer(b->module, info.name);
    if (!kgi_ask_is_output(a, i)) continue;
    if (j == UINT32_MAX) return kgi_ask_fail(f, "%s has no buffer %s", which, info.name);
    for (uint64_t k = 0; k < a->length[i]; k++)
      if (!same_bits(info.type, a->array[i], b->array[j], k))
        return kgi_ask_fail(f, "%s: %s[%u] is %.9g, not %.9g", which, info.name, (unsigned)k, kgi_ask_element(b, j, k),
                        kgi_ask_element(a, i, k));
  }
  return KGI_HOLDS;
}

kgi_answer kgi_ask_changed(kgi_ask *f, kgi_change *change, const char *which) {
  kgi_ask again = {.bytes = f->bytes, .size = f->size, .features = f->features, .statements = f->statements, .given = f->given};
  kg_module *m = kgi_ask_program(f), *changed = m ? kgi_ask_program(&again) : NULL;
  kgi_ask_data before = {0}, after = {0};
  kgi_answer verdict = KGI_FAILS;
  if (!changed) goto end;
  for (uint32_t i = 1; i < changed->program_count; i++)
    if (change(changed, changed->program[i]) != KG_OK) goto end;
  if (!kgi_ask_is_sound(f, changed, which)) goto end;
  if (!kgi_ask_make_data(&before, m, f) || !kgi_ask_make_data(&after, changed, f)) kgi_ask_fail(f, "there is no data for it");
  else if (kgi_ask_keep(f, &before), kgi_ask_run_watched(f, &before, "the program") && kgi_ask_run_watched(f, &after, which))
    verdict = kgi_ask_same_outputs(f, &before, &after, which);
end:
  kgi_ask_free_data(&before);
  kgi_ask_free_data(&after);
  kg_module_free(m);
  kg_module_free(changed);
  return verdict;
}

kgi_answer kgi_ask_clean(kgi_ask *f) { return kgi_ask_changed(f, kgi_clean, "the cleaned program"); }
