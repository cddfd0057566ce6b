/* kgrad run: a module over arrays, on a device. */
#include "tools/command.h"
#include "tools/data.h"
#include "tools/device.h"
#include "tools/load.h"
#include "tools/npz.h"
#include "tools/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
  tool_list in, out, params;
  const char *device, *math;
  tool_count seed, threads, step_limit;
  bool time, specialise;
  tool_import import;
} options;

static const tool_option rows[] = {
    {.name = "in", .kind = TOOL_LIST, .offset = offsetof(options, in), .argument = "NAME=SOURCE",
     .help = "a buffer's contents on entry: a .npy or .npz file, or 1,2,3, ones, zeros, random"},
    {.name = "out", .kind = TOOL_LIST, .offset = offsetof(options, out), .argument = "NAME=FILE",
     .help = "where a buffer's contents on exit go: a .npy or .npz file, or - to print all of them"},
    {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "NAME=VALUE",
     .help = "a param's value"},
    {.name = "device", .letter = 'd', .kind = TOOL_TEXT, .offset = offsetof(options, device), .argument = "DEVICE",
     .help = "cpu, vulkan, vulkan:N, reference, or part of a name (the first GPU, else cpu, else reference)"},
    TOOL_MATH(options),
    {.name = "seed", .kind = TOOL_COUNT, .offset = offsetof(options, seed), .argument = "N",
     .help = "of the random data (1)"},
    {.name = "threads", .kind = TOOL_COUNT, .offset = offsetof(options, threads), .argument = "N",
     .help = "at most, on the CPU and the reference (as many as there are cores)"},
    TOOL_STEP_LIMIT(options),
    {.name = "time", .kind = TOOL_FLAG, .offset = offsetof(options, time), .help = "say how long the run took"},
    TOOL_SPECIALISE(options),
    TOOL_IMPORT(options, import),
    {.name = NULL},
};

static bool is_output(kg_buffer_info info) { return info.mode == KG_WRITE || info.mode == KG_READ_WRITE; }

enum { SHOWN = 8, SHOWN_IN_JSON = 32 };

/* The type as a kernel declares it: f32[12], or f32[3, 4] where the buffer has two dimensions. */
static void print_type(FILE *out, kg_buffer_info info, const tool_array *a) {
  fprintf(out, "%s : %s[", info.name, kg_type_name(info.type));
  if (info.rank < 2) fprintf(out, "%" PRIu64, a->count);
  for (uint32_t i = 0; i < info.rank && info.rank > 1; i++) fprintf(out, i ? ", %" PRIu64 : "%" PRIu64, a->shape[i]);
  fputs("] =", out);
}

static void print_array(kg_buffer_info info, const tool_array *a) {
  tool_value_text text;
  print_type(stdout, info, a);
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
  tool_json_key(json, "shape");
  tool_json_open(json, '[');
  for (uint32_t i = 0; i < a->dims; i++) write_json_value(json, KG_U64, a->shape[i]);
  tool_json_close(json, ']');
  tool_json_key(json, "first_values");
  tool_json_open(json, '[');
  for (uint64_t i = 0; i < a->count && i < SHOWN_IN_JSON; i++)
    write_json_value(json, info.type, tool_value_load(info.type, a->data, i));
  tool_json_close(json, ']');
  tool_json_close(json, '}');
}

static void report_json(tool_json *json, const options *o, const tool_data *d, const tool_run *run) {
  tool_json_member(json, "device", run->device);
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
static void report(const options *o, const tool_data *d, const tool_run *run) {
  for (uint32_t i = 0; !o->out.count && i < kg_module_buffer_count(d->module); i++)
    if (is_output(kg_module_buffer(d->module, i))) print_array(kg_module_buffer(d->module, i), &d->array[i]);
  if (run->out_of_bounds_loads || run->out_of_bounds_stores)
    fprintf(stderr,
            "kgrad: note: out of bounds: %" PRIu64 " loads, which gave 0, and %" PRIu64 " stores, which were dropped; "
            "the first at %" PRIu32 ":%" PRIu32 "\n",
            run->out_of_bounds_loads, run->out_of_bounds_stores, run->out_of_bounds_line, run->out_of_bounds_column);
  if (o->time) printf("%.3f ms on %s\n", run->seconds * 1e3, run->device);
}

/* ---- the arrays that --out names ---- */

typedef struct output {
  uint32_t buffer; /* ALL: each that is an output */
  FILE *stream;
  bool npz;
} output;
enum { ALL = UINT32_MAX - 1 };

/* Before the run, so that a wrong name, or a path that cannot be written, does not cost one. NULL: a diagnostic was sent. */
static output *open_outputs(tool_context *ctx, const tool_list *out, const kg_module *m) {
  output *found = calloc(out->count + 1, sizeof *found);
  if (!found) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), NULL;
  for (size_t i = 0; i < out->count; i++) {
    const char *path = out->items[i];
    bool all = !strchr(path, '=') && tool_names_npz(path);
    size_t length = all ? 0 : tool_split_pair(out->items[i], "--out", &path, &ctx->sink);
    found[i].buffer = all ? ALL : length ? tool_data_output(m, out->items[i], length, &ctx->sink) : UINT32_MAX;
    found[i].npz = length || all ? tool_names_npz(path) : false;
    if (found[i].buffer != UINT32_MAX) found[i].stream = tool_output_open(&ctx->outputs, path, &ctx->sink);
    if (!found[i].stream) return free(found), NULL;
  }
  return found;
}

/* Every value, so precisely that it reads back the same, in lines of about 78 letters. */
static void print_values(FILE *stream, kg_buffer_info info, const tool_array *a) {
  enum { width = 78 };
  tool_value_text text;
  size_t used = 0;
  print_type(stream, info, a);
  putc('\n', stream);
  for (uint64_t i = 0; i < a->count; i++) {
    const char *value = tool_value_format(a->type, tool_value_load(a->type, a->data, i), &text);
    size_t length = strlen(value) + 1;
    if (used && used + length > width) putc('\n', stream), used = 0;
    fprintf(stream, " %s", value);
    used += length;
  }
  if (a->count) putc('\n', stream);
}

static bool write_npz(const output *out, const tool_data *d) {
  tool_npz_writer w;
  tool_npz_begin(&w, out->stream);
  for (uint32_t i = 0; i < kg_module_buffer_count(d->module); i++) {
    kg_buffer_info info = kg_module_buffer(d->module, i);
    if (out->buffer == ALL ? is_output(info) : out->buffer == i) tool_npz_add(&w, info.name, &d->array[i]);
  }
  return tool_npz_end(&w);
}

static bool write_outputs(const output *out, size_t count, const tool_data *d) {
  for (size_t i = 0; i < count; i++) {
    if (out[i].npz) {
      if (!write_npz(&out[i], d)) return false;
      continue;
    }
    const tool_array *a = &d->array[out[i].buffer];
    if (out[i].stream == stdout) print_values(stdout, kg_module_buffer(d->module, out[i].buffer), a);
    else tool_npy_write(out[i].stream, a->type, a->shape, a->dims, a->data);
  }
  return true;
}

/* ---- the run ---- */

static uint32_t threads_of(const options *o) { return o->threads.value < UINT32_MAX ? (uint32_t)o->threads.value : UINT32_MAX; }

static tool_exit run_data(tool_context *ctx, const output *out, tool_data *d) {
  const options *o = ctx->values;
  tool_run_params params = {.time = o->time, .threads = threads_of(o), .step_limit = o->step_limit.value};
  tool_run result;
  tool_exit status = tool_device_run(ctx, o->device, &params, d, &result);
  if (status != TOOL_OK) return status;
  if (!write_outputs(out, o->out.count, d)) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  if (ctx->json) report_json(ctx->result, o, d, &result);
  else report(o, d, &result);
  return TOOL_OK;
}

static tool_exit run_module(tool_context *ctx, const kg_module *module) {
  const options *o = ctx->values;
  tool_data data = {0};
  tool_data_params params = {.in = o->in, .params = tool_params_left(&o->params, o->specialise), .seed = o->seed.given ? o->seed.value : 1, .unit_cotangents = true};
  output *out = open_outputs(ctx, &o->out, module);
  bool fine = out && tool_data_make(module, &params, &ctx->sink, &data);
  if (fine) tool_data_say(&data, &params, &ctx->sink);
  tool_exit status = fine ? run_data(ctx, out, &data) : TOOL_BAD;
  tool_data_free(&data);
  free(out);
  return status;
}

static tool_exit run(tool_context *ctx) {
  kg_module *module = NULL;
  const options *o = ctx->values;
  ctx->math = tool_math_of(o->math);
  tool_exit status = tool_load_special(ctx, ctx->files[0], &o->import, &o->params, o->specialise, &module);
  if (status == TOOL_OK) status = run_module(ctx, module);
  kg_module_free(module);
  return status;
}

const tool_command tool_run_command = {
    .name = "run",
    .summary = "run a kernel over arrays",
    .usage = "FILE [--in NAME=SOURCE]... [--out NAME=FILE]... [--param NAME=VALUE]...",
    .detail = "Buffers that the kernel reads and that are not given hold reproducible random\n"
              "values, within the range that the kernel states for them; a note says which.\n"
              "A buffer of one float whose name begins with grad_ is the cotangent of a loss, and\n"
              "1 where it is not given. A param that alone is the length of a given array takes\n"
              "its value from there; others have defaults, or must be given. Without --out the\n"
              "first values of every output are printed. kgrad help arrays says what --in takes.\n"
              "FILE.npz without a name before it stands for an array for each buffer that it\n"
              "names, and behind --out for all outputs.\n"
              "Where no device is named, here or by KGRAD_DEVICE, it is the first GPU, else the CPU\n"
              "where there is a C compiler, else the reference; what that device refuses runs on the\n"
              "reference. The reference is slow; it counts accesses out of bounds, and can limit steps.\n"
              "Either all output files appear, or none.\n",
    .examples = "  kgrad run saxpy.kg\n"
                "  kgrad run saxpy.kg --in x=x.npy --in y=y.npy --param a=2 --out y=result.npy\n"
                "  kgrad run saxpy.kg --in inputs.npz --out outputs.npz\n"
                "  kgrad run saxpy.kg --in x=1,2,3 --in y=ones --out y=-\n"
                "  kgrad run matmul.kg --param n=512 --device vulkan --math default --time\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .run = run,
};
