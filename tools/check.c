/* kgrad check: whether files hold valid kernels, and with --run, whether they behave. */
#include "tools/command.h"
#include "tools/data.h"
#include "tools/load.h"

#include <kgrad/reference.h>

#include <inttypes.h>
#include <stdlib.h>

typedef struct options {
  bool run, strict, specialise;
  tool_list in, params;
  tool_count seed, step_limit;
  tool_import import;
} options;

static const tool_option rows[] = {
    {.name = "run", .kind = TOOL_FLAG, .offset = offsetof(options, run),
     .help = "also run it on the reference, and look for races and misuse"},
    {.name = "strict", .kind = TOOL_FLAG, .offset = offsetof(options, strict),
     .help = "warnings, such as accesses out of bounds, are errors: exit status 1"},
    {.name = "in", .kind = TOOL_LIST, .offset = offsetof(options, in), .argument = "NAME=SOURCE",
     .help = "with --run: a buffer's contents: a .npy or .npz file, or 1,2,3, ones, zeros, random"},
    {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "NAME=VALUE",
     .help = "with --run: a param's value"},
    {.name = "seed", .kind = TOOL_COUNT, .offset = offsetof(options, seed), .argument = "N",
     .help = "with --run: of the random data (1)"},
    TOOL_STEP_LIMIT(options),
    TOOL_SPECIALISE(options),
    TOOL_IMPORT(options, import),
    {.name = NULL},
};

static tool_exit run_watched(tool_context *ctx, const kg_module *module, kg_reference_report *report) {
  const options *o = ctx->values;
  tool_data data = {0};
  tool_data_params wanted = {.in = o->in, .params = tool_params_left(&o->params, o->specialise), .seed = o->seed.given ? o->seed.value : 1};
  bool fine = tool_data_make(module, &wanted, &ctx->sink, &data);
  uint32_t count = kg_module_buffer_count(module);
  void **arrays = fine ? calloc(count + (size_t)1, sizeof *arrays) : NULL;
  for (uint32_t i = 0; arrays && i < count; i++) arrays[i] = data.array[i].data;
  kg_reference_params params = {.module = module,
                                .sink = &ctx->sink,
                                .buffers = arrays,
                                .lengths = data.host.length,
                                .param_bits = data.host.param,
                                .step_limit = o->step_limit.value,
                                .checks = KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES | KG_CHECK_BOUNDS};
  kg_status status = !fine ? KG_INVALID : arrays ? kg_reference_run(&params, report) : KG_NO_MEMORY;
  free(arrays);
  tool_data_free(&data);
  return tool_exit_of(status);
}

static bool is_outside(const kg_reference_report *r) { return r->out_of_bounds_loads || r->out_of_bounds_stores; }

/* One word for it all. */
static const char *verdict_of(tool_exit status, bool valid, bool ran, const kg_reference_report *r) {
  if (!valid) return "invalid";
  if (!ran) return "valid";
  if (r->races || r->uninitialised || r->out_of_range || r->fault != KG_FAULT_NONE) return "misuse";
  if (is_outside(r)) return "out-of-bounds";
  return status == TOOL_OK ? "fine" : "not-run";
}

static void report_json(tool_context *ctx, const char *path, tool_exit status, bool valid, const kg_reference_report *r) {
  const options *o = ctx->values;
  tool_json_open(ctx->result, '{');
  tool_json_member(ctx->result, "file", path);
  tool_json_member_bool(ctx->result, "valid", valid);
  tool_json_member(ctx->result, "verdict", verdict_of(status, valid, o->run, r));
  if (o->run && valid) {
    tool_json_member_u64(ctx->result, "races", r->races);
    tool_json_member_u64(ctx->result, "uninitialised_reads", r->uninitialised);
    tool_json_member_u64(ctx->result, "values_out_of_range", r->out_of_range);
    tool_json_member_u64(ctx->result, "out_of_bounds_loads", r->out_of_bounds_loads);
    tool_json_member_u64(ctx->result, "out_of_bounds_stores", r->out_of_bounds_stores);
    tool_json_member_u64(ctx->result, "lane_instructions", r->lane_instructions);
  }
  tool_json_close(ctx->result, '}');
}

static void report_text(const tool_context *ctx, const char *path, tool_exit status, const kg_reference_report *r) {
  const options *o = ctx->values;
  if (status == TOOL_OK && !is_outside(r)) printf("%s: valid%s\n", path, o->run ? ", and ran without a race or misuse" : "");
  if (r->races || r->uninitialised || r->out_of_range)
    printf("%s: %" PRIu64 " races, %" PRIu64 " reads of what was not written, %" PRIu64 " values out of range\n", path, r->races,
           r->uninitialised, r->out_of_range);
  if (is_outside(r))
    printf("%s: out of bounds: %" PRIu64 " loads, which gave 0, and %" PRIu64 " stores, which were dropped\n", path,
           r->out_of_bounds_loads, r->out_of_bounds_stores);
}

static tool_exit check_file(tool_context *ctx, const char *path) {
  const options *o = ctx->values;
  kg_module *module = NULL;
  kg_reference_report report = {0};
  uint32_t errors = ctx->printer.errors;
  tool_exit status = tool_load_special(ctx, path, &o->import, &o->params, o->specialise, &module);
  bool valid = status == TOOL_OK;
  if (valid && o->run) status = run_watched(ctx, module, &report);
  if (status == TOOL_OK && ctx->printer.errors != errors) status = TOOL_NO; /* by warnings, with --strict */
  if (ctx->json) report_json(ctx, path, status, valid, &report);
  else report_text(ctx, path, status, &report);
  kg_module_free(module);
  return status;
}

/* What only a run takes; params are specialised to as well. */
static const char *idle_option(const options *o) {
  if (o->run) return NULL;
  if (o->in.count) return "--in";
  if (o->params.count && !o->specialise) return "--param";
  return o->seed.given ? "--seed" : o->step_limit.given ? "--step-limit" : NULL;
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  tool_exit worst = TOOL_OK;
  if (idle_option(o)) return TOOL_EMIT(&ctx->sink, option_alone, NULL, idle_option(o), "--run"), TOOL_BAD;
  ctx->printer.strict = o->strict;
  tool_json_key(ctx->result, "files");
  tool_json_open(ctx->result, '[');
  for (int i = 0; i < ctx->file_count; i++) {
    tool_exit status = check_file(ctx, ctx->files[i]);
    if (status > worst) worst = status;
  }
  tool_json_close(ctx->result, ']');
  return worst;
}

const tool_command tool_check = {
    .name = "check",
    .summary = "say whether files hold valid kernels: types, structure, names",
    .usage = "FILE... [--run] [--strict]",
    .detail = "Takes text (.kg) and the binary form (.kgb), told apart by their first bytes; `-`\n"
              "is standard input. Exit status 2 if any is invalid.\n\n"
              "With --run each is also run on the reference, over random data where none is given,\n"
              "and exit status 1 says that invocations race, that a barrier diverges, that what was\n"
              "never written is read, that values lie outside of their declared ranges, or that a\n"
              "while does not end. Accesses out of bounds have a meaning (a load gives 0, a store is\n"
              "dropped), so each statement that makes any gets a warning; with --strict an error.\n"
              "With --json each file has a verdict: invalid; valid; and with --run fine,\n"
              "out-of-bounds, misuse or not-run.\n",
    .examples = "  kgrad check softmax.kg\n"
                "  kgrad check --json *.kg\n"
                "  kgrad check --run softmax.kg --param n_rows=3\n"
                "  kgrad check --run --strict stencil.kg\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1 << 20,
    .run = run,
};
