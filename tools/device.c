#include "tools/device.h"

#include <kgrad/driver.h>
#include <kgrad/reference.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

tool_exit tool_exit_of(kg_status status) {
  switch (status) {
  case KG_OK: return TOOL_OK;
  case KG_REFUSED:
  case KG_FAILED: return TOOL_NO;
  case KG_INVALID:
  case KG_NO_MEMORY:
  case KG_UNAVAILABLE: break;
  }
  return TOOL_BAD;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The arrays by buffer; NULL for those that the device makes. */
static void **array_pointers(const tool_data *d) {
  void **p = calloc(kg_module_buffer_count(d->module) + (size_t)1, sizeof *p);
  for (uint32_t i = 0; p && i < kg_module_buffer_count(d->module); i++) p[i] = d->array[i].data;
  return p;
}

/* Not through the driver: it counts what lies out of bounds. */
static kg_status run_reference(const tool_context *ctx, const tool_data *d, void **arrays, const tool_run_params *params,
                               tool_run *run) {
  kg_reference_report report = {0};
  double start = now();
  kg_status status = kg_reference_run(&(kg_reference_params){.module = d->module,
                                                             .sink = &ctx->sink,
                                                             .buffers = arrays,
                                                             .lengths = d->host.length,
                                                             .param_bits = d->host.param,
                                                             .step_limit = params->step_limit,
                                                             .threads = params->threads},
                                      &report);
  run->seconds = now() - start;
  run->counted = true;
  run->out_of_bounds_loads = report.out_of_bounds_loads;
  run->out_of_bounds_stores = report.out_of_bounds_stores;
  run->out_of_bounds_line = report.out_of_bounds_line;
  run->out_of_bounds_column = report.out_of_bounds_column;
  return status;
}

static kg_status upload(const tool_data *d, const kg_executable *e, const kg_sink *sink) {
  kg_status status = KG_OK;
  for (uint32_t i = 0; status == KG_OK && i < kg_module_buffer_count(d->module); i++)
    if (d->array[i].size && d->array[i].data)
      status = kg_buffer_write(kg_executable_buffer(e, i), 0, d->array[i].data, d->array[i].size, sink);
  return status;
}

static kg_status download(tool_data *d, const kg_executable *e, const kg_sink *sink) {
  kg_status status = KG_OK;
  for (uint32_t i = 0; status == KG_OK && i < kg_module_buffer_count(d->module); i++) {
    kg_mode mode = kg_module_buffer(d->module, i).mode;
    if (d->array[i].size && (mode == KG_WRITE || mode == KG_READ_WRITE))
      status = kg_buffer_read(kg_executable_buffer(e, i), 0, d->array[i].data, d->array[i].size, sink);
  }
  return status;
}

/* The first execution compiles on some devices, so the time is the best of a few more, whose results nobody sees. */
static kg_status measure(const tool_context *ctx, kg_executable *e, tool_run *run) {
  enum { repeats = 5 };
  kg_status status = KG_OK;
  run->seconds = kg_executable_seconds(e);
  for (int i = 0; status == KG_OK && i < repeats; i++) {
    status = kg_execute(e, &ctx->sink);
    if (kg_executable_seconds(e) < run->seconds) run->seconds = kg_executable_seconds(e);
  }
  return status;
}

static kg_status execute(const tool_context *ctx, kg_device *device, bool time, tool_data *d, tool_run *run) {
  kg_executable *e = NULL;
  kg_status status = kg_executable_new(device, d->module, &d->host, &(kg_executable_params){.math = ctx->math}, &ctx->sink, &e);
  if (status == KG_OK) status = upload(d, e, &ctx->sink);
  if (status == KG_OK) status = kg_execute(e, &ctx->sink);
  if (status == KG_OK) status = download(d, e, &ctx->sink);
  if (status == KG_OK && time) status = measure(ctx, e, run);
  kg_executable_free(e);
  return status;
}

static kg_status run_device(const tool_context *ctx, const char *which, bool time, tool_data *d, tool_run *run) {
  kg_context *context = NULL;
  kg_device *device = NULL;
  kg_status status = kg_context_new(NULL, NULL, &ctx->sink, &context);
  if (status == KG_OK) status = kg_device_open(context, which, &ctx->sink, &device);
  if (status == KG_OK) status = execute(ctx, device, time, d, run);
  kg_device_free(device);
  kg_context_free(context);
  return status;
}

tool_exit tool_device_run(tool_context *ctx, const char *device, const tool_run_params *params, tool_data *d, tool_run *run) {
  *run = (tool_run){0};
  if (strcmp(device, "reference") != 0) return tool_exit_of(run_device(ctx, device, params->time, d, run));
  void **arrays = array_pointers(d);
  if (!arrays) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  kg_status status = run_reference(ctx, d, arrays, params, run);
  free(arrays);
  return tool_exit_of(status);
}
