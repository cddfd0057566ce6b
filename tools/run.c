/* kgrad run: a module over arrays, on a device. */
#include "tools/command.h"
#include "tools/data.h"
#include "tools/device.h"
#include "tools/load.h"
#include "tools/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct options {
  tool_list in, out, params;
  const char *device;
  tool_count seed, threads;
  bool time;
} options;

static const tool_option rows[] = {
    {.name = "in", .kind = TOOL_LIST, .offset = offsetof(options, in), .argument = "NAME=FILE",
     .help = "a buffer's contents on entry, a .npy file"},
    {.name = "out", .kind = TOOL_LIST, .offset = offsetof(options, out), .argument = "NAME=FILE",
     .help = "where a buffer's contents on exit go"},
    {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "NAME=VALUE",
     .help = "a param's value"},
    {.name = "device", .letter = 'd', .kind = TOOL_TEXT, .offset = offsetof(options, device), .argument = "DEVICE",
     .help = "reference (the default), vulkan, vulkan:N, or part of a name"},
    {.name = "seed", .kind = TOOL_COUNT, .offset = offsetof(options, seed), .argument = "N",
     .help = "of the random data (1)"},
    {.name = "threads", .kind = TOOL_COUNT, .offset = offsetof(options, threads), .argument = "N",
     .help = "at most, on the reference (as many as there are cores)"},
    {.name = "time", .kind = TOOL_FLAG, .offset = offsetof(options, time), .help = "say how long the run took"},
    {.name = NULL},
};

static bool is_output(kg_buffer_info info) { return info.mode == KG_WRITE || info.mode == KG_READ_WRITE; }

enum { SHOWN = 8, SHOWN_IN_JSON = 32 };

static void print_array(kg_buffer_info info, const tool_array *a) {
  tool_value_text text;
  printf("%s : %s[%" PRIu64 "] =", info.name, kg_type_name(info.type), a->count);
  for (uint64_t i = 0; i < a->count && i < SHOWN; i++)
    printf(" %s", tool_value_format(info.type, tool_value_load(info.type, a->data, i), &text));
  puts(a->count > SHOWN ? " ..." : "");
}

static void write_json_value(tool_json *json, kg_type type, uint64_t bits) {
  tool_value_text text;
  double number = tool_value_number(type, bits);
  /* JSON has no infinities and no NaN; all else is written as precisely as its type is */
  if (isfinite(number))
    tool_json_raw(json, tool_value_format(type, bits, &text));
  else
    tool_json_number(json, number);
}

static void write_json_array(tool_json *json, kg_buffer_info info, const tool_array *a) {
  tool_json_open(json, '{');
  tool_json_member(json, "name", info.name);
  tool_json_member(json, "type", kg_type_name(info.type));
  tool_json_member_u64(json, "length", a->count);
  tool_json_key(json, "first_values");
  tool_json_open(json, '[');
  for (uint64_t i = 0; i < a->count && i < SHOWN_IN_JSON; i++)
    write_json_value(json, info.type, tool_value_load(info.type, a->data, i));
  tool_json_close(json, ']');
  tool_json_close(json, '}');
}

static void report_json(tool_json *json, const options *o, const char *device, const tool_data *d, const tool_run *run) {
  tool_json_member(json, "device", device);
  tool_json_key(json, "params");
  tool_json_open(json, '{');
  for (uint32_t i = 0; i < kg_module_param_count(d->module); i++) {
    kg_param_info info = kg_module_param(d->module, i);
    tool_json_key(json, info.name);
    write_json_value(json, info.type, d->host.param[i]);
  }
  tool_json_close(json, '}');
  tool_json_key(json, "buffers");
  tool_json_open(json, '[');
  for (uint32_t i = 0; i < kg_module_buffer_count(d->module); i++)
    if (is_output(kg_module_buffer(d->module, i))) write_json_array(json, kg_module_buffer(d->module, i), &d->array[i]);
  tool_json_close(json, ']');
  if (o->time) tool_json_member_number(json, "seconds", run->seconds);
  if (!run->counted) return;
  tool_json_member_u64(json, "out_of_bounds_loads", run->out_of_bounds_loads);
  tool_json_member_u64(json, "out_of_bounds_stores", run->out_of_bounds_stores);
  tool_json_member_u64(json, "out_of_bounds_line", run->out_of_bounds_line);
  tool_json_member_u64(json, "out_of_bounds_column", run->out_of_bounds_column);
}

/* With --out the user has the arrays; without, the first values are what there is to see. */
static void report(const options *o, const char *device, const tool_data *d, const tool_run *run) {
  for (uint32_t i = 0; !o->out.count && i < kg_module_buffer_count(d->module); i++)
    if (is_output(kg_module_buffer(d->module, i))) print_array(kg_module_buffer(d->module, i), &d->array[i]);
  if (run->out_of_bounds_loads || run->out_of_bounds_stores)
    fprintf(stderr,
            "kgrad: note: out of bounds: %" PRIu64 " loads, which gave 0, and %" PRIu64 " stores, which were dropped; "
            "the first at %" PRIu32 ":%" PRIu32 "\n",
            run->out_of_bounds_loads, run->out_of_bounds_stores, run->out_of_bounds_line, run->out_of_bounds_column);
  if (o->time) printf("%.3f ms on %s\n", run->seconds * 1e3, device);
}

/* Before the run, so that a wrong name does not cost one. */
static bool check_outputs(const tool_list *out, const kg_module *m, const kg_sink *sink) {
  for (size_t i = 0; i < out->count; i++) {
    const char *path;
    size_t length = tool_split_pair(out->items[i], "--out", &path, sink);
    if (!length || tool_data_output(m, out->items[i], length, sink) == UINT32_MAX) return false;
  }
  return true;
}

static bool write_outputs(tool_context *ctx, const tool_list *out, const tool_data *d) {
  for (size_t i = 0; i < out->count; i++) {
    const char *path;
    size_t length = tool_split_pair(out->items[i], "--out", &path, &ctx->sink);
    uint32_t buffer = tool_data_output(d->module, out->items[i], length, &ctx->sink);
    const tool_array *a = &d->array[buffer];
    FILE *stream = tool_output_open(&ctx->outputs, path, &ctx->sink);
    if (!stream) return false;
    tool_npy_write(stream, a->type, a->shape, a->dims, a->data);
  }
  return true;
}

static uint32_t threads_of(const options *o) { return o->threads.value < UINT32_MAX ? (uint32_t)o->threads.value : UINT32_MAX; }

static tool_exit run_data(tool_context *ctx, const options *o, tool_data *d) {
  const char *device = o->device ? o->device : "reference";
  tool_run result = {0};
  tool_exit status = tool_device_run(ctx, device, o->time, threads_of(o), d, &result);
  if (status != TOOL_OK) return status;
  if (!write_outputs(ctx, &o->out, d)) return TOOL_BAD;
  if (ctx->json)
    report_json(ctx->result, o, device, d, &result);
  else
    report(o, device, d, &result);
  return TOOL_OK;
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  kg_module *module = NULL;
  tool_data data = {0};
  tool_exit status = tool_load_module(ctx, ctx->files[0], &module);
  if (status != TOOL_OK) return status;
  tool_data_params params = {.in = o->in, .params = o->params, .seed = o->seed.given ? o->seed.value : 1};
  bool fine = check_outputs(&o->out, module, &ctx->sink) && tool_data_make(module, &params, &ctx->sink, &data);
  status = fine ? run_data(ctx, o, &data) : TOOL_BAD;
  tool_data_free(&data);
  kg_module_free(module);
  return status;
}

const tool_command tool_run_command = {
    .name = "run",
    .summary = "run a kernel over arrays",
    .usage = "FILE [--in NAME=FILE]... [--out NAME=FILE]... [--param NAME=VALUE]...",
    .detail = "Buffers that the kernel reads and that are not given hold reproducible random\n"
              "values, within the range that the kernel states for them. A param that alone is\n"
              "the length of a given array takes its value from there; others have defaults, or\n"
              "must be given. Without --out the first values of every output are printed.\n",
    .examples = "  kgrad run saxpy.kg\n"
                "  kgrad run saxpy.kg --in x=x.npy --in y=y.npy --param a=2 --out y=result.npy\n"
                "  kgrad run matmul.kg --param n=512 --device vulkan --time\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .run = run,
};
