#include "tools/device.h"

#include <kgrad/reference.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

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
static kg_status run_reference(const tool_context *ctx, const tool_data *d, void **arrays, tool_run *run) {
  kg_reference_report report = {0};
  double start = now();
  kg_status status = kg_reference_run(&(kg_reference_params){.module = d->module,
                                                             .sink = &ctx->sink,
                                                             .buffers = arrays,
                                                             .lengths = d->host.length,
                                                             .param_bits = d->host.param},
                                      &report);
  run->seconds = now() - start;
  run->counted = true;
  run->out_of_bounds_loads = report.out_of_bounds_loads;
  run->out_of_bounds_stores = report.out_of_bounds_stores;
  run->out_of_bounds_line = report.out_of_bounds_line;
  run->out_of_bounds_column = report.out_of_bounds_column;
  return status;
}

tool_exit tool_device_run(tool_context *ctx, const char *device, tool_data *d, tool_run *run) {
  *run = (tool_run){0};
  void **arrays = array_pointers(d);
  if (!arrays) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  kg_status status = KG_UNAVAILABLE;
  if (strcmp(device, "reference") == 0)
    status = run_reference(ctx, d, arrays, run);
  else
    TOOL_EMIT(&ctx->sink, no_device, NULL, device);
  free(arrays);
  return tool_exit_of(status);
}
