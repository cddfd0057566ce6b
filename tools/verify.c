/* kgrad verify: proves a gradient against dual numbers. */
#include "tools/verify.h"
#include "tools/load.h"

#include <inttypes.h>

typedef struct options {
  tool_list of, wrt, in, params;
  const char *device;
  tool_count seed, entries;
} options;

static const tool_option rows[] = {
    {.name = "of", .kind = TOOL_LIST, .offset = offsetof(options, of), .argument = "NAME",
     .help = "an output buffer; without any, all that hold floats"},
    {.name = "wrt", .kind = TOOL_LIST, .offset = offsetof(options, wrt), .argument = "NAME",
     .help = "an input buffer or param; without any, all buffers that hold floats"},
    {.name = "in", .kind = TOOL_LIST, .offset = offsetof(options, in), .argument = "NAME=FILE",
     .help = "a buffer's contents on entry, a .npy file"},
    {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, params), .argument = "NAME=VALUE",
     .help = "a param's value"},
    {.name = "device", .letter = 'd', .kind = TOOL_TEXT, .offset = offsetof(options, device), .argument = "DEVICE",
     .help = "where the gradient runs: reference (the default), vulkan or vulkan:N"},
    {.name = "seed", .kind = TOOL_COUNT, .offset = offsetof(options, seed), .argument = "N",
     .help = "of the random data and cotangents (1)"},
    {.name = "entries", .kind = TOOL_COUNT, .offset = offsetof(options, entries), .argument = "N",
     .help = "of each gradient that are checked one by one (256)"},
    {.name = NULL},
};

/* An input of which no output depends on the data at hand: nothing was checked. */
static bool is_vacuous(const verify_result *r) { return r->nonzero == 0; }

static bool passes(const verify_job *job) {
  size_t vacuous = 0;
  for (size_t k = 0; k < job->results; k++) {
    if (job->result[k].failed) return false;
    if (is_vacuous(&job->result[k])) vacuous++;
  }
  const options *o = job->ctx->values;
  if (vacuous && (o->wrt.count || vacuous == job->results)) return false;
  return !job->product.failed && !job->differs;
}

static const char *verdict(const verify_result *r) {
  return r->failed ? "FAILED" : is_vacuous(r) ? "vacuous" : "passed";
}

static void report_one(const verify_result *r) {
  printf("%s: %s, %" PRIu64 " of %" PRIu64 " entries", r->entry.shadow, verdict(r), r->checked, r->count);
  if (r->failed) printf(", %" PRIu64 " wrong", r->failed);
  if (r->inconclusive) printf(", %" PRIu64 " inconclusive", r->inconclusive);
  if (is_vacuous(r)) printf("; no output depends on %s here", r->entry.name);
  else printf("; worst [%" PRIu64 "]: %.9g, dual %.9g, %.2g of what is allowed", r->worst, r->gradient, r->dual, r->ratio);
  putchar('\n');
}

static void report(const verify_job *job, bool passed) {
  for (size_t k = 0; k < job->results; k++) report_one(&job->result[k]);
  printf("along a random direction: %s; %.9g, dual %.9g, %.2g of what is allowed\n", job->product.failed ? "FAILED" : "passed",
         job->product.gradient, job->product.dual, job->product.ratio);
  if (job->differs) printf("%s: FAILED; the gradient's module leaves other contents than the plain one\n", job->differs);
  printf("allowed: %d x %.3g x %.3g of the magnitude\n", VERIFY_C, job->unit, job->depth);
  puts(passed ? "passed" : "FAILED");
}

static void json_result(tool_json *json, const verify_result *r) {
  tool_json_open(json, '{');
  if (r->entry.name) tool_json_member(json, "name", r->entry.name);
  if (r->entry.shadow) tool_json_member(json, "shadow", r->entry.shadow);
  tool_json_member_bool(json, "passed", !r->failed && !is_vacuous(r));
  tool_json_member_bool(json, "vacuous", is_vacuous(r));
  tool_json_member_u64(json, "entries", r->count);
  tool_json_member_u64(json, "checked", r->checked);
  tool_json_member_u64(json, "failed", r->failed);
  tool_json_member_u64(json, "inconclusive", r->inconclusive);
  tool_json_member_u64(json, "worst_index", r->worst);
  tool_json_member_number(json, "gradient", r->gradient);
  tool_json_member_number(json, "dual", r->dual);
  tool_json_member_number(json, "magnitude", r->magnitude);
  tool_json_member_number(json, "ratio", r->ratio);
  tool_json_close(json, '}');
}

static void report_json(tool_json *json, const verify_job *job, bool passed) {
  tool_json_member(json, "device", job->device);
  tool_json_member_bool(json, "passed", passed);
  tool_json_member_u64(json, "c", VERIFY_C);
  tool_json_member_number(json, "unit", job->unit);
  tool_json_member_number(json, "depth", job->depth);
  tool_json_member(json, "output_that_differs", job->differs);
  tool_json_key(json, "gradients");
  tool_json_open(json, '[');
  for (size_t k = 0; k < job->results; k++) json_result(json, &job->result[k]);
  tool_json_close(json, ']');
  tool_json_key(json, "along_a_random_direction");
  json_result(json, &job->product);
}

static tool_exit verify(tool_context *ctx, const kg_module *module, const kg_module *adjoint, const kg_grad_map *map) {
  const options *o = ctx->values;
  verify_job job = {.ctx = ctx, .module = module, .adjoint = adjoint, .map = map,
                    .device = o->device ? o->device : "reference",
                    .data = {.in = o->in, .params = o->params, .seed = o->seed.given ? o->seed.value : 1},
                    .entries = o->entries.given && o->entries.value ? o->entries.value : 256};
  tool_exit status = verify_run(&job);
  if (status == TOOL_OK) {
    bool passed = passes(&job);
    if (ctx->json) report_json(ctx->result, &job, passed);
    else report(&job, passed);
    status = passed ? TOOL_OK : TOOL_NO;
  }
  verify_free(&job);
  return status;
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  kg_module *module = NULL, *adjoint = NULL;
  kg_grad_map *map = NULL;
  tool_exit status = tool_load_module(ctx, ctx->files[0], &module);
  if (status != TOOL_OK) return status;
  kg_grad_params params = {.of = o->of.items, .of_count = o->of.count, .wrt = o->wrt.items, .wrt_count = o->wrt.count};
  status = tool_exit_of(kg_grad_mapped(module, &params, &ctx->sink, &adjoint, &map));
  if (status == TOOL_OK) status = verify(ctx, module, adjoint, map);
  kg_grad_map_free(map);
  kg_module_free(adjoint);
  kg_module_free(module);
  return status;
}

const tool_command tool_verify = {
    .name = "verify",
    .summary = "prove a gradient against dual numbers",
    .usage = "FILE [--of NAME]... [--wrt NAME]... [--device DEVICE]",
    .detail = "Differentiates the kernel, runs the result on the device with random data and\n"
              "cotangents, and compares the gradient with derivatives that the reference computes\n"
              "beside the values, by rules of their own. An entry a passes when it differs from the\n"
              "dual d by at most c * u * depth * magnitude: c is 2, u the unit roundoff, depth the\n"
              "square root of the operations done, magnitude the sum of absolute contributions to d.\n"
              "Large gradients are checked entry by entry in part, and as a whole along a random\n"
              "direction. Where every dual is zero nothing was checked, which is no pass.\n"
              "Exit status 1 when it fails.\n",
    .examples = "  kgrad verify saxpy.kg\n"
                "  kgrad verify softmax.kg --of y --wrt x --param n_rows=3 --seed 2\n"
                "  kgrad verify stencil.kg --device vulkan\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .run = run,
};
