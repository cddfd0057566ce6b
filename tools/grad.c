/* kgrad grad: the module that computes a gradient. */
#include "tools/command.h"
#include "tools/form.h"
#include "tools/load.h"

#include <kgrad/autodiff.h>

typedef struct options {
  tool_list of, wrt;
  const char *as, *out, *mode;
  bool deterministic, accumulate, explain, unvalidated;
} options;

static const tool_option rows[] = {
    {.name = "of", .kind = TOOL_LIST, .offset = offsetof(options, of), .argument = "NAME",
     .help = "an output buffer; without any, all that hold floats"},
    {.name = "wrt", .kind = TOOL_LIST, .offset = offsetof(options, wrt), .argument = "NAME",
     .help = "an input buffer or param; without any, all buffers that hold floats"},
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .offset = offsetof(options, out), .argument = "FILE",
     .help = "write there instead of to standard output"},
    {.name = "as", .kind = TOOL_TEXT, .offset = offsetof(options, as), .choices = TOOL_FORMS,
     .help = "the form; without it, what the name behind -o ends with, else text"},
    {.name = "mode", .kind = TOOL_TEXT, .offset = offsetof(options, mode), .choices = "reverse", .help = "reverse (the default)"},
    {.name = "deterministic", .kind = TOOL_FLAG, .offset = offsetof(options, deterministic),
     .help = "the same bits in every run on one device: refuse atomic adds of floats"},
    {.name = "accumulate", .kind = TOOL_FLAG, .offset = offsetof(options, accumulate),
     .help = "add to what the gradients hold on entry"},
    {.name = "explain", .kind = TOOL_FLAG, .offset = offsetof(options, explain),
     .help = "say on standard error what each shadow holds, and how it is added up"},
    TOOL_NO_VALIDATE(offsetof(options, unvalidated)),
    {.name = NULL},
};

static void report_json(tool_json *json, const kg_grad_map *map) {
  tool_json_key(json, "map");
  tool_json_open(json, '[');
  for (size_t i = 0; i < kg_grad_map_count(map); i++) {
    kg_grad_entry e = kg_grad_map_entry(map, i);
    tool_json_open(json, '{');
    tool_json_member(json, "name", e.name);
    tool_json_member(json, "shadow", e.shadow);
    tool_json_member_bool(json, "param", e.is_param);
    tool_json_member_bool(json, "of", e.of);
    tool_json_member_bool(json, "wrt", e.wrt);
    tool_json_member(json, "added_up", e.added_up);
    tool_json_close(json, '}');
  }
  tool_json_close(json, ']');
}

static void explain(const kg_grad_map *map) {
  for (size_t i = 0; i < kg_grad_map_count(map); i++) {
    kg_grad_entry e = kg_grad_map_entry(map, i);
    const char *role = e.of && e.wrt ? "cotangent on entry, gradient on exit" : e.of ? "cotangent" : "gradient";
    fprintf(stderr, "%s: %s of %s; %s\n", e.shadow, role, e.name, e.added_up);
  }
}

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  kg_module *module = NULL, *adjoint = NULL;
  kg_grad_map *map = NULL;
  ctx->unvalidated = o->unvalidated;
  tool_exit status = tool_load_module(ctx, ctx->files[0], &module);
  if (status != TOOL_OK) return status;
  kg_grad_params params = {.of = o->of.items, .of_count = o->of.count, .wrt = o->wrt.items, .wrt_count = o->wrt.count,
                           .deterministic = o->deterministic, .accumulate = o->accumulate};
  status = tool_exit_of(kg_grad_mapped(module, &params, &ctx->sink, &adjoint, &map));
  if (status == TOOL_OK) status = tool_write_module(ctx, adjoint, map, o->as, o->out);
  if (status == TOOL_OK && ctx->json) report_json(ctx->result, map);
  if (status == TOOL_OK && o->explain) explain(map);
  kg_grad_map_free(map);
  kg_module_free(adjoint);
  kg_module_free(module);
  return status;
}

const tool_command tool_grad = {
    .name = "grad",
    .summary = "print the module that computes a gradient",
    .usage = "FILE [--of NAME]... [--wrt NAME]... [-o OUTPUT]",
    .detail = "The result does what the kernel does, and then computes the gradient: for an output\n"
              "y, grad_y holds the cotangent beforehand; for an input x, grad_x holds the gradient\n"
              "afterwards. What cannot be differentiated is refused with its position and a fix,\n"
              "and exit status 1.\n",
    .examples = "  kgrad grad saxpy.kg\n"
                "  kgrad grad softmax.kg --of y --wrt x -o softmax_grad.kg\n"
                "  kgrad grad stencil.kg -o stencil_grad.spv --explain\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .run = run,
};
