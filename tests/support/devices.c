#include "tests/support/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kgt_heard kgt_last;

static void hear(void *user, const kg_diag *diag) {
  kgt_heard *h = user;
  snprintf(h->id, sizeof h->id, "%s", diag->id);
  snprintf(h->message, sizeof h->message, "%s", diag->message);
  h->line = diag->line;
  h->count++;
}

const kg_sink kgt_sink = {hear, &kgt_last};

kgt_device kgt_open_with(const char *which, const kg_context_params *params) {
  kgt_device d = {0};
  kg_status status = kg_context_new(NULL, params, &kgt_sink, &d.context);
  ck_assert_msg(status == KG_OK, "%s", kgt_last.message);
  status = kg_device_open(d.context, which, &kgt_sink, &d.device);
  ck_assert_msg(status == KG_OK, "%s", kgt_last.message);
  d.info = kg_device_describe(d.device);
  return d;
}

kgt_device kgt_open(const char *which) { return kgt_open_with(which, &(kg_context_params){.validate = true, .only = which}); }

void kgt_close(kgt_device *d) {
  kg_device_free(d->device);
  kg_context_free(d->context);
}

void kgt_compile_soonest(void) {
  char command[1024];
  const char *source = getenv("abs_srcdir");
  snprintf(command, sizeof command, "%s/tests/support/unoptimised", source ? source : ".");
  setenv("CC", command, 1);
}

kg_module *kgt_parse(const char *text) {
  kg_module *m = NULL;
  kg_status status = kg_module_parse(NULL, "test.kg", text, strlen(text), &kgt_sink, &m);
  ck_assert_msg(status == KG_OK, "line %u: %s", kgt_last.line, kgt_last.message);
  return m;
}

static uint64_t bits_of(kg_type type, double value) {
  float f = (float)value;
  uint32_t word;
  memcpy(&word, &f, sizeof word);
  if (type == KG_F32) return word;
  uint64_t wide;
  memcpy(&wide, &value, sizeof wide);
  if (type == KG_F64) return wide;
  return kg_type_size(type) == 8 ? (uint64_t)(int64_t)value : (uint32_t)(int64_t)value;
}

enum { MOST = 64 };

kg_status kgt_run_module(const kgt_device *d, const kg_module *m, const double *params, void *const *data, const uint64_t *lengths) {
  uint64_t param[MOST] = {0}, length[MOST] = {0};
  bool param_given[MOST] = {0}, length_given[MOST] = {0};
  for (uint32_t i = 0; params && i < kg_module_param_count(m); i++)
    param[i] = bits_of(kg_module_param(m, i).type, params[i]), param_given[i] = true;
  for (uint32_t i = 0; lengths && i < kg_module_buffer_count(m); i++) length[i] = lengths[i], length_given[i] = lengths[i] != UINT64_MAX;
  kg_host host = {param, param_given, length, length_given};
  return kg_run(d->device, m, &host, data, NULL, &kgt_sink, NULL);
}

void kgt_run_fine(const kgt_device *d, const kg_module *m, const double *params, void *const *data, const uint64_t *lengths) {
  kg_status status = kgt_run_module(d, m, params, data, lengths);
  ck_assert_msg(status == KG_OK, "%s: %s", kgt_last.id, kgt_last.message);
}
