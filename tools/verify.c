/* kgrad verify: proves a gradient against dual numbers. */
#include "verify/oracle.h"
#include "tools/load.h"
#include "tools/verify_report.h"

#include <kgrad/driver.h>

#include <stdlib.h>
#include <string.h>

typedef struct options {
  tool_list of, wrt, in, params, device;
  tool_count seed, entries, directions, step_limit;
  bool differences, accumulate, deterministic, expect_zero;
  const char *plot;
} options;

static const tool_option rows[] = {
    {.name = "of", .kind = TOOL_LIST, .offset = offsetof(options, of), .argument = "NAME",
     .help = "an output buffer; without any, all that hold floats"},
    {.name = "wrt", .kind = TOOL_LIST, .offset = offsetof(options, wrt), .argument = "NAME",
     .help = "an input buffer or param; without any, all buffers that hold floats"},
    {.name = "in", .kind = TOOL_LIST, .offset = offsetof(options, in), .argument = "NAME=SOURCE",
     .help = "a buffer's contents on entry: a .npy file, or 1,2,3, ones, zeros, random"},
    {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "NAME=VALUE",
     .help = "a param's value"},
    {.name = "device", .letter = 'd', .kind = TOOL_LIST, .offset = offsetof(options, device), .argument = "DEVICE",
     .help = "where the gradient runs besides the reference: vulkan, vulkan:N, all"},
    {.name = "seed", .kind = TOOL_COUNT, .offset = offsetof(options, seed), .argument = "N",
     .help = "of the random data, cotangents and choices (1)"},
    {.name = "entries", .kind = TOOL_COUNT, .offset = offsetof(options, entries), .argument = "N",
     .help = "of each gradient that are checked one by one (256, fewer of large kernels)"},
    {.name = "directions", .kind = TOOL_COUNT, .offset = offsetof(options, directions), .argument = "N",
     .help = "random ones, along which the whole gradient is checked (4)"},
    TOOL_STEP_LIMIT(options),
    {.name = "accumulate", .kind = TOOL_FLAG, .offset = offsetof(options, accumulate),
     .help = "the gradient of `kgrad grad --accumulate`, added to random contents"},
    {.name = "deterministic", .kind = TOOL_FLAG, .offset = offsetof(options, deterministic),
     .help = "that of `kgrad grad --deterministic`; a second run must leave the same bits"},
    {.name = "expect-zero", .kind = TOOL_FLAG, .offset = offsetof(options, expect_zero),
     .help = "fail unless the gradient is zero, and rightly so"},
    {.name = "differences", .kind = TOOL_FLAG, .offset = offsetof(options, differences),
     .help = "take finite differences too, a third opinion"},
    {.name = "plot", .kind = TOOL_TEXT, .offset = offsetof(options, plot), .argument = "FILE.png",
     .help = "a picture of the error of each entry"},
    {.name = NULL},
};

/* ---- which devices ---- */

typedef struct devices { const char **name; bool *optional; size_t count; kg_context *context; bool no_vulkan; } devices;

static tool_exit add(tool_context *ctx, devices *d, const char *name, bool optional) {
  for (size_t i = 0; i < d->count; i++)
    if (!strcmp(d->name[i], name)) return d->optional[i] &= optional, TOOL_OK;
  const char **names = realloc(d->name, (d->count + 1) * sizeof *names);
  if (names) d->name = names;
  bool *optionals = realloc(d->optional, (d->count + 1) * sizeof *optionals);
  if (optionals) d->optional = optionals;
  if (!names || !optionals) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  d->name[d->count] = name, d->optional[d->count++] = optional;
  return TOOL_OK;
}

static tool_exit add_all(tool_context *ctx, devices *d) {
  if (!d->context && kg_context_new(NULL, NULL, &ctx->sink, &d->context) != KG_OK) return TOOL_BAD;
  tool_exit status = TOOL_OK;
  d->no_vulkan = true;
  for (uint32_t i = 0; i < kg_device_count(d->context) && status == TOOL_OK; i++) {
    kg_device_info info = kg_device_at(d->context, i);
    if (info.vulkan_major) d->no_vulkan = false;
    status = add(ctx, d, info.id, true);
  }
  return status;
}

/* The reference has a say in every case: only there no branch goes another way, so that nothing wrong is excused by that. */
static tool_exit list_devices(tool_context *ctx, const tool_list *given, devices *d) {
  tool_exit status = add(ctx, d, "reference", false);
  for (size_t i = 0; i < given->count && status == TOOL_OK; i++)
    status = strcmp(given->items[i], "all") ? add(ctx, d, given->items[i], false) : add_all(ctx, d);
  return status;
}

static void free_devices(devices *d) {
  free(d->name);
  free(d->optional);
  kg_context_free(d->context);
}

/* ---- the whole ---- */

/* A device that cannot run it (it lacks f64, say) has no verdict of its own. Bad input is bad on every device. */
static tool_exit judge(verify_oracle *o, const devices *d, verify_device *found) {
  for (size_t i = 0; !o->contract.broken && i < d->count; i++)
    if (verify_device_make(o, d->name[i], &found[i]) == TOOL_BAD) return TOOL_BAD;
  return TOOL_OK;
}

static tool_exit report(tool_context *ctx, const verify_outcome *outcome) {
  const options *o = ctx->values;
  bool passed = verify_passes(outcome);
  FILE *picture = o->plot ? tool_output_open(&ctx->outputs, o->plot, &ctx->sink) : NULL;
  if (o->plot && !picture) return TOOL_BAD;
  if (picture && !verify_plot(picture, outcome) && !ferror(picture)) return TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), TOOL_BAD;
  if (ctx->json) verify_report_json(ctx->result, outcome);
  else verify_report(outcome);
  return passed ? TOOL_OK : TOOL_NO;
}

static tool_exit verify(tool_context *ctx, const verify_params *params, const devices *d) {
  const options *o = ctx->values;
  verify_oracle oracle = {0};
  verify_device *found = calloc(d->count + 1, sizeof *found);
  tool_exit status = found ? verify_oracle_make(ctx, params, &oracle) : TOOL_BAD;
  if (status == TOOL_OK) status = judge(&oracle, d, found);
  verify_outcome outcome = {&oracle, found, oracle.contract.broken ? 0 : d->count, d->optional, o->expect_zero, d->no_vulkan};
  if (status == TOOL_OK) status = report(ctx, &outcome);
  for (size_t i = 0; found && i < d->count; i++) verify_device_free(&oracle, &found[i]);
  free(found);
  verify_oracle_free(&oracle);
  return status;
}

static tool_exit differentiate(tool_context *ctx, const kg_module *module, const devices *d) {
  const options *o = ctx->values;
  kg_module *adjoint = NULL;
  kg_grad_map *map = NULL;
  kg_grad_params params = {.of = o->of.items, .of_count = o->of.count, .wrt = o->wrt.items, .wrt_count = o->wrt.count,
                           .deterministic = o->deterministic, .accumulate = o->accumulate};
  tool_exit status = tool_exit_of(kg_grad_mapped(module, &params, &ctx->sink, &adjoint, &map));
  kg_grad_entry *shadow = status == TOOL_OK ? tool_shadows_of(map) : NULL;
  if (status == TOOL_OK && !shadow) TOOL_EMIT(&ctx->sink, out_of_memory, NULL, NULL), status = TOOL_BAD;
  verify_params question = {.gradient = {module, &params, adjoint, shadow, shadow ? kg_grad_map_count(map) : 0},
                            .data = {.in = o->in, .params = o->params, .seed = o->seed.given ? o->seed.value : 1,
                                     .open_length = VERIFY_OPEN_LENGTH, .most_elements = VERIFY_MOST_ELEMENTS},
                            .entries = o->entries.value, .directions = (uint32_t)o->directions.value, .step_limit = o->step_limit.value,
                            .differences = o->differences};
  if (status == TOOL_OK) status = verify(ctx, &question, d);
  free(shadow);
  kg_grad_map_free(map);
  kg_module_free(adjoint);
  return status;
}

static bool is_within(tool_context *ctx, const char *option, const tool_count *count, uint64_t most) {
  if (!count->given || (count->value && count->value <= most)) return true;
  TOOL_EMIT(&ctx->sink, option_range, NULL, option, TOOL_NUM(count->value), "1", TOOL_NUM(most));
  return false;
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  if (!is_within(ctx, "--entries", &o->entries, VERIFY_MOST_ELEMENTS)) return TOOL_BAD;
  if (!is_within(ctx, "--directions", &o->directions, VERIFY_MAX_DIRECTIONS)) return TOOL_BAD;
  kg_module *module = NULL;
  devices d = {0};
  tool_exit status = tool_load_module(ctx, ctx->files[0], &module);
  if (status == TOOL_OK) status = list_devices(ctx, &o->device, &d);
  if (status == TOOL_OK) status = differentiate(ctx, module, &d);
  free_devices(&d);
  kg_module_free(module);
  return status;
}

const tool_command tool_verify = {
    .name = "verify",
    .summary = "prove a gradient against dual numbers",
    .usage = "FILE [--of NAME]... [--wrt NAME]... [--device DEVICE]...",
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
              "nothing. A `[]` buffer without an array gets 100 elements.\n"
              "Exit status 1 when it fails. doc/verify.md explains and derives all of it.\n",
    .examples = "  kgrad verify saxpy.kg\n"
                "  kgrad verify softmax.kg --of y --wrt x --param n_rows=3 --seed 2\n"
                "  kgrad verify stencil.kg --device all --plot stencil.png\n"
                "  kgrad verify layernorm.kg --differences --entries 32 --json\n"
                "  kgrad verify softmax.kg --accumulate --deterministic\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .writes_on_no = true,
    .run = run,
};
