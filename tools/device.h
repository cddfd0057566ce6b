/* Running a module's data on a device. */
#ifndef TOOLS_DEVICE_H
#define TOOLS_DEVICE_H
#include "tools/command.h"
#include "tools/data.h"

typedef struct tool_run_params {
  bool time;           /* measure */
  uint32_t threads;    /* of the reference and the CPU device; 0: as many as there are cores */
  uint64_t step_limit; /* of the reference, as in kg_reference_params */
} tool_run_params;

typedef struct tool_run {
  char device[40]; /* as it was named, or as kg_device_info.id */
  double seconds; /* with `time`: of the run itself, without compilation and transfers, the best of a few */
  uint64_t out_of_bounds_loads, out_of_bounds_stores;
  uint32_t out_of_bounds_line, out_of_bounds_column; /* of the first */
  bool counted; /* the device counts accesses out of bounds */
} tool_run;

/* Runs the module over the data's arrays, in place. `device` is what kg_device_open takes. NULL: what the environment's KGRAD_DEVICE
 * names, else the usual one; what that refuses runs on the reference, and so does what has a step limit. */
tool_exit tool_device_run(tool_context *ctx, const char *device, const tool_run_params *params, tool_data *data, tool_run *run);
#endif
