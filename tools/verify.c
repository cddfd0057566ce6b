/* kgrad verify: proves a gradient against dual numbers. */
#include "tools/data.h"
#include "tools/judges.h"
#include "tools/load.h"
#include "tools/progress.h"
#include "tools/verify_report.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
  tool_list of, wrt, in, params, device;
  tool_count seed, entries, directions, step_limit, tape_limit, trips;
  bool differences, accumulate, deterministic, expect_zero, specialise;
  const char *plot, *mode, *math;
  tool_import import;
} options;

static const tool_option rows[] = {
    {.name = "of", .kind = TOOL_NAMES, .offset = offsetof(options, of), .argument = "NAME[,NAME]",
     .help = "an output buffer; without any, all that hold floats"},
    {.name = "wrt", .kind = TOOL_NAMES, .offset = offsetof(options, wrt), .argument = "NAME[,NAME]",
     .help = "an input buffer or param, or \"h after k\", buffer h behind the run of k; without any, all buffers that hold floats"},
    {.name = "mode", .kind = TOOL_TEXT, .offset = offsetof(options, mode), .choices = "reverse|forward|hvp",
     .help = "what is judged: gradients (the default), tangents, or tangents of gradients"},
    {.name = "in", .kind = TOOL_LIST, .offset = offsetof(options, in), .argument = "NAME=SOURCE",
     .help = "a buffer's contents on entry: a .npy or .npz file, or 1,2,3, ones, zeros, random"},
    {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "NAME=VALUE",
     .help = "a param's value"},
    {.name = "device", .letter = 'd', .kind = TOOL_LIST, .offset = offsetof(options, device), .argument = "DEVICE",
     .help = "where the gradient runs besides the reference: vulkan, vulkan:N, all"},
    TOOL_MATH(options),
    TOOL_JUDGED(options),
    TOOL_STEP_LIMIT(options),
    {.name = "accumulate", .kind = TOOL_FLAG, .offset = offsetof(options, accumulate),
     .help = "the gradient of `kgrad grad --accumulate`, added to random contents"},
    {.name = "deterministic", .kind = TOOL_FLAG, .offset = offsetof(options, deterministic),
     .help = "that of `kgrad grad --deterministic`; a second run must leave the same bits"},
    TOOL_TAPE_LIMIT(options),
    TOOL_TRIPS(options),
    {.name = "expect-zero", .kind = TOOL_FLAG, .offset = offsetof(options, expect_zero),
     .help = "fail unless the gradient is zero, and rightly so"},
    {.name = "differences", .kind = TOOL_FLAG, .offset = offsetof(options, differences),
     .help = "take finite differences too, a third opinion"},
    {.name = "plot", .kind = TOOL_TEXT, .offset = offsetof(options, plot), .argument = "FILE.png",
     .help = "a picture of the error of each entry"},
    TOOL_SPECIALISE(options),
    TOOL_IMPORT(options, import),
    {.name = NULL},
};

/* ---- the whole ---- */

static tool_exit out_of_memory(tool_context *ctx) { return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD; }

static tool_exit report(tool_context *ctx, const verify_shown *shown) {
  const options *o = ctx->values;
  kg_outcome outcome = kg_verdict_summary(shown->verdict).outcome;
  FILE *picture = o->plot ? tool_output_open(&ctx->outputs, o->plot, &ctx->sink) : NULL;
  if (o->plot && !picture) return TOOL_BAD;
  if (picture && !verify_plot(picture, shown) && !ferror(picture)) return out_of_memory(ctx);
  if (ctx->json) verify_report_json(ctx->result, shown);
  else verify_report(shown);
  return outcome == KG_OUTCOME_PASSED || outcome == KG_OUTCOME_ZERO ? TOOL_OK : TOOL_NO;
}

static void progress(void *user, const char *what, uint64_t done, uint64_t of) {
  if (done == of) tool_progress_end(user);
  else tool_progress_step(user, what, done, of);
}

static bool is_mode(const options *o, const char *mode) { return !strcmp(o->mode ? o->mode : "reverse", mode); }

/* What a mode has no use for is refused, rather than passed over. */
static bool check_mode(tool_context *ctx) {
  const options *o = ctx->values;
  const char *useless = o->accumulate ? "--accumulate" : o->differences ? "--differences" : o->directions.given ? "--directions" : NULL;
  if (is_mode(o, "forward") && o->tape_limit.given) useless = "--tape-limit";
  if (is_mode(o, "forward") && o->trips.given) useless = "--trips";
  if (!tool_check_tape_limit(o->tape_limit, &ctx->sink) || !tool_check_trips(o->trips, &ctx->sink)) return false;
  if (!useless || is_mode(o, "reverse")) return true;
  TOOL_EMIT(&ctx->sink, option_mode, NULL, useless, o->mode);
  return false;
}

static kg_verify_params params_of(const options *o, const tool_judges *d, const tool_data *data, const void *const *arrays) {
  kg_verify_mode mode = is_mode(o, "forward") ? KG_VERIFY_FORWARD : is_mode(o, "hvp") ? KG_VERIFY_HVP : KG_VERIFY_REVERSE;
  return (kg_verify_params){.mode = mode, .math = tool_math_of(o->math),
                            .of = o->of.items, .of_count = o->of.count, .wrt = o->wrt.items, .wrt_count = o->wrt.count,
                            .accumulate = o->accumulate, .deterministic = o->deterministic, .tape_limit = o->tape_limit.value,
                            .trips = o->trips.value,
                            .devices = d->open, .device_count = d->count - 1, .optional = d->optional + 1,
                            .host = &data->host, .data = arrays, .seed = o->seed.given ? o->seed.value : 1,
                            .entries = o->entries.value, .directions = (uint32_t)o->directions.value,
                            .differences = o->differences, .expect_zero = o->expect_zero, .step_limit = o->step_limit.value,
                            .progress = progress};
}

static tool_exit verify(tool_context *ctx, const kg_module *module, const tool_judges *d) {
  const options *o = ctx->values;
  tool_data data = {0};
  kg_verdict *verdict = NULL;
  tool_data_params wanted = {.in = o->in, .params = tool_params_left(&o->params, o->specialise), .for_verify = true};
  tool_exit status = tool_data_make(module, &wanted, &ctx->sink, &data) ? TOOL_OK : TOOL_BAD;
  const void **arrays = calloc(kg_module_buffer_count(module) + (size_t)1, sizeof *arrays);
  if (status == TOOL_OK && !arrays) status = out_of_memory(ctx);
  for (uint32_t b = 0; status == TOOL_OK && b < kg_module_buffer_count(module); b++) arrays[b] = data.array[b].data;
  tool_progress shown = tool_progress_begin(stderr);
  kg_verify_params params = params_of(o, d, &data, arrays);
  params.progress_user = &shown;
  if (status == TOOL_OK) status = tool_exit_of(kg_verify(module, &params, &ctx->sink, &verdict));
  tool_progress_end(&shown);
  verify_shown all = {verdict, kg_module_name(module), d->name, o->differences, o->expect_zero, d->no_vulkan, params.math};
  if (status == TOOL_OK) status = report(ctx, &all);
  kg_verdict_free(verdict);
  free(arrays);
  tool_data_free(&data);
  return status;
}

static bool is_within(tool_context *ctx, const char *option, const tool_count *count, uint64_t most) {
  if (!count->given || (count->value && count->value <= most)) return true;
  TOOL_EMIT(&ctx->sink, option_range, NULL, option, TOOL_NUM(count->value), "1", TOOL_NUM(most));
  return false;
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  if (!check_mode(ctx)) return TOOL_BAD;
  if (!is_within(ctx, "--entries", &o->entries, KG_VERIFY_MOST_ELEMENTS)) return TOOL_BAD;
  if (!is_within(ctx, "--directions", &o->directions, KG_VERIFY_MOST_DIRECTIONS)) return TOOL_BAD;
  kg_module *module = NULL;
  tool_judges d = {0};
  tool_exit status = tool_load_special(ctx, ctx->files[0], &o->import, &o->params, o->specialise, &module);
  if (status == TOOL_OK) status = tool_judges_open(ctx, &o->device, &d);
  if (status == TOOL_OK) status = verify(ctx, module, &d);
  tool_judges_free(&d);
  kg_module_free(module);
  return status;
}

const tool_command tool_verify = {
    .name = "verify",
    .summary = "prove a gradient against dual numbers",
    .usage = "FILE [--of NAMES] [--wrt NAMES] [--device DEVICE]...",
    .detail = "Differentiates the kernel, runs the result on each device with random data and\n"
              "cotangents, and compares the gradient with derivatives that the reference computes\n"
              "beside the values, by rules of their own. An entry a passes when it differs from the\n"
              "dual d by at most c * u * depth * magnitude: c is 2, u the unit roundoff, depth the\n"
              "square root of the operations done, magnitude the sum of absolute contributions to d.\n"
              "Both must lie in the interval that rounding allows the gradient's own formulas; where\n"
              "that accounts for a larger difference, the entry is inconclusive, and a gradient of\n"
              "which more than half is inconclusive does not pass. Large gradients are checked entry by\n"
              "entry in part, and as a whole along random directions. A gradient that is rightly zero\n"
              "has the verdict `zero`. What every buffer holds on entry, and what the gradient must\n"
              "declare, comes from the kernel alone. Kernel and gradient run under watch: races, and\n"
              "reads of what was never written, fail. Finite differences are shown beside and decide\n"
              "nothing. A `[]` buffer without an array gets 100 elements. With --mode forward or hvp,\n"
              "tangents are judged instead, along a random direction.\n"
              "Exit status 1 when it fails. doc/verify.md explains and derives all of it.\n",
    .examples = "  kgrad verify saxpy.kg\n"
                "  kgrad verify softmax.kg --of y --wrt x --param n_rows=3 --seed 2\n"
                "  kgrad verify stencil.kg --device all --plot stencil.png\n"
                "  kgrad verify layernorm.kg --differences --entries 32 --json\n"
                "  kgrad verify softmax.kg --accumulate --deterministic\n"
                "  kgrad verify softmax.kg --mode hvp --device vulkan\n"
                "  kgrad verify softmax.kg --device all --math fast\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .writes_on_no = true,
    .run = run,
};
