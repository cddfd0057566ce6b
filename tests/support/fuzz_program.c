/* The program that some bytes stand for: its forms, its data, its runs. */
#include "tests/support/fuzz_parts.h"

#include "foundation/ir/equal.h"
#include "foundation/ir/validate.h"
#include "foundation/passes/clean.h"
#include "tools/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_LENGTH = 7 };

/* ---- verdicts ---- */

__attribute__((format(printf, 2, 3))) kgt_verdict kgt_fail(kgt_fuzz *f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(f->what, sizeof f->what, format, args);
  va_end(args);
  return KGT_FAILS;
}

void kgt_hear(void *user, const kg_diag *diag) {
  kgt_fuzz *f = user;
  if (f->id[0] || diag->severity != KG_ERROR) return;
  snprintf(f->id, sizeof f->id, "%s", diag->id);
  snprintf(f->what, sizeof f->what, "line %u: %s", diag->line, diag->message);
}

kg_module *kgt_program_of(kgt_fuzz *f) {
  kg_sink sink = {kgt_hear, f};
  kgi_diags diags = {&sink, "random.kg", 0};
  kg_module *m = NULL;
  f->id[0] = f->what[0] = 0;
  kgi_fuzz_generate(&(kgi_fuzz_params){.bytes = f->bytes, .size = f->size, .features = f->features, .statements = f->statements,
                                       .shapes = &f->shapes}, &diags, &m);
  if (m && f->coverage) kgi_fuzz_cover(f->coverage, m, &f->shapes);
  return m;
}

char *kgt_fuzz_text(const kgt_fuzz *f) {
  kgt_fuzz copy = *f;
  copy.coverage = NULL;
  kg_module *m = kgt_program_of(&copy);
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
  kg_sink sink = {kgt_hear, f};
  uint8_t *bytes = NULL, *again = NULL;
  size_t size = 0, again_size = 0;
  kg_module *decoded = NULL;
  const char *where = "";
  bool equal = false;
  kgt_verdict verdict = KGT_HOLDS;
  if (kg_module_encode(NULL, m, NULL, &bytes, &size) != KG_OK) return kgt_fail(f, "%s is not encoded", which);
  if (kg_module_decode(NULL, "random.kgb", bytes, size, &sink, &decoded) != KG_OK) verdict = KGT_FAILS;
  else if (kgi_module_equal(m, decoded, &equal, &where) != KG_OK || !equal)
    verdict = kgt_fail(f, "%s decodes different: %s", which, where);
  else if (kg_module_encode(NULL, decoded, NULL, &again, &again_size) != KG_OK || again_size != size || memcmp(bytes, again, size))
    verdict = kgt_fail(f, "%s decodes equal and encodes different", which);
  kg_bytes_free(NULL, bytes, size);
  if (again) kg_bytes_free(NULL, again, again_size);
  kg_module_free(decoded);
  return verdict;
}

static kgt_verdict reads_back(kgt_fuzz *f, const kg_module *m, const char *which) {
  kg_sink sink = {kgt_hear, f};
  char *text = NULL, *again = NULL;
  size_t size = 0, again_size = 0;
  kg_module *parsed = NULL;
  const char *where = "";
  bool equal = false;
  kgt_verdict verdict = KGT_HOLDS;
  if (kg_module_print(NULL, m, NULL, &text, &size) != KG_OK) return kgt_fail(f, "%s is not printed", which);
  if (kg_module_parse(NULL, "random.kg", text, size, &sink, &parsed) != KG_OK) verdict = KGT_FAILS;
  else if (kgi_module_equal(m, parsed, &equal, &where) != KG_OK || !equal)
    verdict = kgt_fail(f, "%s reads back different: %s", which, where);
  else if (!same_digest(m, parsed)) verdict = kgt_fail(f, "%s reads back equal with another digest", which);
  else if (kg_module_print(NULL, parsed, NULL, &again, &again_size) != KG_OK || again_size != size || memcmp(text, again, size))
    verdict = kgt_fail(f, "%s reads back equal and prints different", which);
  kg_bytes_free(NULL, text, size + 1);
  if (again) kg_bytes_free(NULL, again, again_size + 1);
  kg_module_free(parsed);
  return verdict;
}

static kgt_verdict valid(kgt_fuzz *f, const kg_module *m, const char *which) {
  kg_sink sink = {kgt_hear, f};
  kgi_diags diags = {&sink, "random.kg", 0};
  char what[512];
  if (kgi_validate(m, &diags) == KG_OK) return KGT_HOLDS;
  snprintf(what, sizeof what, "%.400s", f->what);
  return kgt_fail(f, "%s is not valid: %s", which, what);
}

bool kgt_is_sound(kgt_fuzz *f, const kg_module *m, const char *which) {
  return valid(f, m, which) == KGT_HOLDS && reads_back(f, m, which) == KGT_HOLDS && decodes(f, m, which) == KGT_HOLDS;
}

kgt_verdict kgt_fuzz_forms(kgt_fuzz *f) {
  kg_module *m = kgt_program_of(f);
  if (!m) return KGT_FAILS;
  kgt_verdict verdict = kgt_is_sound(f, m, "the program") ? KGT_HOLDS : KGT_FAILS;
  kg_module_free(m);
  return verdict;
}

/* ---- data ---- */

size_t kgt_bytes_of(const kgt_data *d, uint32_t i) {
  return (size_t)d->length[i] * kg_type_size(kg_module_buffer(d->module, i).type);
}

void kgt_free_data(kgt_data *d) {
  for (uint32_t i = 0; d->module && i < kg_module_buffer_count(d->module); i++) free(d->array[i]);
  d->module = NULL;
}

static bool resolve(kgt_data *d, const kg_module *m) {
  bool param_given[MOST_PARAMS] = {0}, length_given[MOST_BUFFERS] = {0};
  kg_host host = {.param = d->param, .length = d->length, .param_given = param_given, .length_given = length_given};
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++)
    if (kg_module_buffer(m, i).host_length) d->length[i] = HOST_LENGTH, length_given[i] = true;
  return kg_module_resolve(m, &host, NULL) == KG_OK;
}

/* Inputs by the seed, the rest a pattern. */
bool kgt_make_data(kgt_data *d, const kg_module *m, uint64_t seed) {
  memset(d, 0, sizeof *d);
  if (kg_module_buffer_count(m) > MOST_BUFFERS || kg_module_param_count(m) > MOST_PARAMS || !resolve(d, m)) return false;
  d->module = m;
  kg_host host = {.param = d->param, .length = d->length};
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    double lo = 0, hi = 0;
    if (info.ranged && kg_module_buffer_range(m, &host, i, NULL, &lo, &hi) != KG_OK) return false;
    if (!(d->array[i] = malloc(kgt_bytes_of(d, i) + 1))) return false;
    memset(d->array[i], 0xFF, kgt_bytes_of(d, i));
    for (uint64_t k = 0; k < d->length[i] && (info.mode == KG_READ || info.mode == KG_READ_WRITE); k++)
      tool_value_store(info.type, d->array[i], k, tool_value_of_number(info.type, kgi_fuzz_data(m, i, lo, hi, seed, k)));
  }
  return true;
}

double kgt_element(const kgt_data *d, uint32_t i, uint64_t k) {
  kg_type type = kg_module_buffer(d->module, i).type;
  return tool_value_number(type, tool_value_load(type, d->array[i], k));
}

/* A device's subgroups are its own. */
uint32_t kgt_subgroup_size(const kgt_fuzz *f) { return f->device ? kg_device_describe(f->device).subgroup_size : 0; }

bool kgt_run_checked(kgt_fuzz *f, kgt_data *d, const char *which, uint32_t checks) {
  kg_sink sink = {kgt_hear, f};
  kg_reference_report report;
  kg_status status = kg_reference_run(&(kg_reference_params){.module = d->module, .buffers = d->array, .lengths = d->length,
                                                             .param_bits = d->param, .sink = &sink, .step_limit = 50000000,
                                                             .checks = checks, .subgroup_size = kgt_subgroup_size(f)}, &report);
  if (status == KG_OK) return true;
  char what[512];
  snprintf(what, sizeof what, "%.400s", f->what);
  kgt_fail(f, "%s fails on the reference: status %d, fault %d: %s", which, (int)status, (int)report.fault, what);
  return false;
}

/* With an eye on races, and on reads of what nothing wrote. */
bool kgt_run_watched(kgt_fuzz *f, kgt_data *d, const char *which) {
  return kgt_run_checked(f, d, which, KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES);
}

/* ---- cleaning ---- */

bool kgt_is_output(const kgt_data *d, uint32_t i) {
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
kgt_verdict kgt_same_outputs(kgt_fuzz *f, const kgt_data *a, const kgt_data *b, const char *which) {
  for (uint32_t i = 0; i < kg_module_buffer_count(a->module); i++) {
    kg_buffer_info info = kg_module_buffer(a->module, i);
    uint32_t j = kg_module_find_buffer(b->module, info.name);
    if (!kgt_is_output(a, i)) continue;
    if (j == UINT32_MAX) return kgt_fail(f, "%s has no buffer %s", which, info.name);
    for (uint64_t k = 0; k < a->length[i]; k++)
      if (!same_bits(info.type, a->array[i], b->array[j], k))
        return kgt_fail(f, "%s: %s[%u] is %.9g, not %.9g", which, info.name, (unsigned)k, kgt_element(b, j, k),
                        kgt_element(a, i, k));
  }
  return KGT_HOLDS;
}

kgt_verdict kgt_fuzz_changed(kgt_fuzz *f, kgt_change *change, const char *which) {
  kgt_fuzz again = {.bytes = f->bytes, .size = f->size, .features = f->features, .statements = f->statements};
  kg_module *m = kgt_program_of(f), *changed = m ? kgt_program_of(&again) : NULL;
  kgt_data before = {0}, after = {0};
  kgt_verdict verdict = KGT_FAILS;
  if (!changed) goto end;
  for (uint32_t i = 1; i < changed->program_count; i++)
    if (change(changed, changed->program[i]) != KG_OK) goto end;
  if (!kgt_is_sound(f, changed, which)) goto end;
  if (!kgt_make_data(&before, m, f->data) || !kgt_make_data(&after, changed, f->data)) kgt_fail(f, "there is no kgt_data for it");
  else if (kgt_run_watched(f, &before, "the program") && kgt_run_watched(f, &after, which))
    verdict = kgt_same_outputs(f, &before, &after, which);
end:
  kgt_free_data(&before);
  kgt_free_data(&after);
  kg_module_free(m);
  kg_module_free(changed);
  return verdict;
}

kgt_verdict kgt_fuzz_clean(kgt_fuzz *f) { return kgt_fuzz_changed(f, kgi_clean, "the cleaned program"); }
