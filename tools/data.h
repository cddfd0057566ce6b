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
  uint64_t open_length;   /* of a `[]` buffer, where no array for another one gives it; 0: it must be given */
  uint64_t most_elements; /* of all buffers together; 0: as many as there is memory for */
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
/* The same with nothing filled in: no params, no lengths, no arrays. */
bool tool_data_room(const kg_module *module, const kg_sink *sink, tool_data *out);
/* False: all lengths together are more than that, and a diagnostic was sent. The data were resolved. */
bool tool_data_fits(const tool_data *data, uint64_t most_elements, const kg_sink *sink);

/* Says which buffers hold what nobody asked for: random values, and a cotangent of 1. */
void tool_data_say(const tool_data *data, const tool_data_params *params, const kg_sink *sink);

/* Fills [0, count) with values of [lo, hi), the same for the same seed and name on every machine. False: there is none. */
bool tool_data_random(uint64_t seed, const char *name, double lo, double hi, tool_array *array);

/* The index of the buffer that `--out` may name, or UINT32_MAX: a diagnostic was sent. `name` has `length` bytes. */
uint32_t tool_data_output(const kg_module *module, const char *name, size_t length, const kg_sink *sink);
#endif
