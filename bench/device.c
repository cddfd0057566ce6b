#include "bench/device.h"

#include <stdio.h>
#include <stdlib.h>

static void say(void *user, const kg_diag *d) {
  (void)user;
  fprintf(stderr, "%s:%u:%u: %s\n", d->file ? d->file : "", d->line, d->column, d->message);
}

const kg_sink bench_sink = {say, NULL};

bench_device bench_device_open(void) {
  bench_device d = {0};
  unsetenv("KGRAD_VALIDATE");
  if (kg_context_new(NULL, NULL, &bench_sink, &d.context) == KG_OK) kg_device_open(d.context, "vulkan", &bench_sink, &d.device);
  if (d.device) d.info = kg_device_describe(d.device);
  else printf("\nno Vulkan device: its rows are left out\n");
  return d;
}

void bench_device_close(bench_device *d) {
  kg_device_free(d->device);
  kg_context_free(d->context);
}

kg_executable *bench_ready(const bench_device *d, const kg_module *m, const bench_setting *settings, size_t count) {
  enum { MOST = 16 };
  uint64_t param[MOST] = {0}, length[MOST] = {0};
  bool param_given[MOST] = {false}, length_given[MOST] = {false};
  kg_host host = {param, param_given, length, length_given};
  kg_executable *e = NULL;
  if (kg_module_param_count(m) > MOST || kg_module_buffer_count(m) > MOST) return NULL;
  for (size_t i = 0; i < count; i++) {
    uint32_t at = kg_module_find_param(m, settings[i].name);
    if (at == UINT32_MAX) return fprintf(stderr, "there is no param %s\n", settings[i].name), NULL;
    param[at] = settings[i].value, param_given[at] = true;
  }
  if (kg_module_resolve(m, &host, &bench_sink) == KG_OK) kg_executable_new(d->device, m, &host, NULL, &bench_sink, &e);
  return e;
}
