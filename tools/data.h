/* The arrays and params that a module runs with: what the user gave, lengths inferred from it, and reproducible random data
 * for the rest. `run` and `verify` share it. */
#ifndef TOOLS_DATA_H
#define TOOLS_DATA_H
#include "tools/npy.h"
#include "tools/options.h"
#include "tools/source.h"

typedef struct tool_data_params {
  tool_list in;     /* NAME=SOURCE, tools/source.h */
  tool_list params; /* NAME=VALUE */
  uint64_t seed;
  bool for_verify; /* lengths are resolved as kg_verify_resolve does, and random data are left to kg_verify: those arrays have none */
  bool unit_cotangents; /* a cotangent of one element that is not given is 1, so that a loss has its own gradient */
} tool_data_params;

typedef struct tool_data {
  const kg_module *module;
  kg_host host;      /* resolved: every param and every length */
  tool_array *array; /* one for each buffer, of the right size; a temp's has no data */
  tool_source *source; /* by --in; the others are random where the module reads them, else zero */
} tool_data;

/* False: a diagnostic was sent. tool_data_free either way. `module` must outlive the data. */
bool tool_data_make(const kg_module *module, const tool_data_params *params, const kg_sink *sink, tool_data *out);
void tool_data_free(tool_data *data);

/* Says which buffers hold what nobody asked for: random values, and a cotangent of 1. */
void tool_data_say(const tool_data *data, const tool_data_params *params, const kg_sink *sink);

/* The index of the buffer that `--out` may name, or UINT32_MAX: a diagnostic was sent. `name` has `length` bytes. */
uint32_t tool_data_output(const kg_module *module, const char *name, size_t length, const kg_sink *sink);
#endif
