#include "tools/device.h"

#include <kgrad/driver.h>
#include <kgrad/reference.h>

#include <stdio.h>
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

static void name_device(tool_run *run, const char *name) { snprintf(run->device, sizeof run->device, "%s", name); }

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

/* The first execution compiles on some devices, and a GPU that was idle takes a tenth of a second to come to its speed. So the time is
 * the best of more of them, whose results nobody sees. */
static kg_status measure(const tool_context *ctx, kg_executable *e, tool_run *run) {
  enum { least = 5, most = 1000 };
  kg_status status = KG_OK;
  double start = now();
  run->seconds = kg_executable_seconds(e);
  for (int i = 0; status == KG_OK && (i < least || (i < most && now() - start < 0.5)); i++) {
    status = kg_execute(e, &ctx->sink);
    if (kg_executable_seconds(e) < run->seconds) run->seconds = kg_executable_seconds(e);
  }
  return status;
}

static kg_status execute(const tool_context *ctx, kg_executable *e, bool time, tool_data *d, tool_run *run) {
  kg_status status = upload(d, e, &ctx->sink);
  if (status == KG_OK) status = kg_execute(e, &ctx->sink);
  if (status == KG_OK) status = download(d, e, &ctx->sink);
  if (status == KG_OK && time) status = measure(ctx, e, run);
  return status;
}

static void name_usual(tool_run *run, const kg_context *context) {
  for (uint32_t i = 0; i < kg_device_count(context); i++) {
    kg_device_info info = kg_device_at(context, i);
    if (info.usual) name_device(run, info.id);
  }
}

/* *ready: it came so far that the device had taken the module. `sink` is for what comes before that. */
static kg_status run_device(const tool_context *ctx, const char *which, const tool_run_params *params, const kg_sink *sink,
                            tool_data *d, tool_run *run, bool *ready) {
  kg_context *context = NULL;
  kg_device *device = NULL;
  kg_executable *e = NULL;
  kg_status status = kg_context_new(NULL, &(kg_context_params){.threads = params->threads, .only = which}, &ctx->sink, &context);
  if (status == KG_OK && !which) name_usual(run, context);
  if (status == KG_OK) status = kg_device_open(context, which, sink, &device);
  if (status == KG_OK) status = kg_executable_new(device, d->module, &d->host, &(kg_executable_params){.math = ctx->math}, sink, &e);
  *ready = e != NULL;
  if (status == KG_OK) status = execute(ctx, e, params->time, d, run);
  kg_executable_free(e);
  kg_device_free(device);
  kg_context_free(context);
  return status;
}

static tool_exit on_reference(const tool_context *ctx, const tool_run_params *params, tool_data *d, tool_run *run) {
  void **arrays = array_pointers(d);
  if (!arrays) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  name_device(run, "reference");
  kg_status status = run_reference(ctx, d, arrays, params, run);
  free(arrays);
  return tool_exit_of(status);
}

/* The reference takes whatever is right, and says what is wrong with all else. */
static tool_exit on_usual(const tool_context *ctx, const tool_run_params *params, tool_data *d, tool_run *run) {
  bool ready;
  kg_status status = run_device(ctx, NULL, params, NULL, d, run, &ready);
  if (ready || status == KG_OK || status == KG_NO_MEMORY || !*run->device) return tool_exit_of(status);
  const tool_run refused = *run;
  tool_exit exit = on_reference(ctx, params, d, run);
  if (exit == TOOL_OK) TOOL_EMIT(&ctx->sink, not_on_usual, NULL, refused.device);
  return exit;
}

tool_exit tool_device_run(tool_context *ctx, const char *device, const tool_run_params *params, tool_data *d, tool_run *run) {
  bool ready;
  *run = (tool_run){.device = ""};
  if (!device && params->step_limit) device = "reference";
  if (!device) device = getenv("KGRAD_DEVICE");
  if (!device || !*device) return on_usual(ctx, params, d, run);
  if (!strcmp(device, "reference")) return on_reference(ctx, params, d, run);
  name_device(run, device);
  return tool_exit_of(run_device(ctx, device, params, &ctx->sink, d, run, &ready));
}
