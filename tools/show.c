/* kgrad show: a module in another form. */
#include "tools/command.h"
#include "tools/form.h"
#include "tools/load.h"

typedef struct options {
  const char *as, *out, *target, *math;
  bool unvalidated;
  tool_import import;
} options;

static const tool_option rows[] = {
    {.name = "as", .kind = TOOL_TEXT, .offset = offsetof(options, as), .choices = TOOL_FORMS,
     .help = "the form; without it, what the name behind -o ends with, else text"},
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .offset = offsetof(options, out), .argument = "FILE",
     .help = "write there instead of to standard output"},
    TOOL_TARGET(offsetof(options, target)),
    TOOL_MATH(options),
    TOOL_NO_VALIDATE(offsetof(options, unvalidated)),
    TOOL_KNOWN_PARAM(options, import),
    TOOL_IMPORT(options, import),
    {.name = NULL},
};

static tool_exit run(tool_context *ctx) {
  const options *o = ctx->values;
  kg_module *module = NULL;
  ctx->unvalidated = o->unvalidated, ctx->target = o->target, ctx->math = tool_math_of(o->math);
  tool_exit status = tool_load_module(ctx, ctx->files[0], &o->import, &module);
  if (status == TOOL_OK) status = tool_write_module(ctx, module, NULL, o->as, o->out);
  kg_module_free(module);
  return status;
}

const tool_command tool_show = {
    .name = "show",
    .summary = "print a kernel in another form",
    .usage = "FILE [--as FORM] [-o OUTPUT]",
    .detail = "The forms are text in the one layout that kgrad prints, the binary form, SPIR-V and its\n"
              "assembly, the tables inside, and source in GLSL, HLSL or MSL, which SPIRV-Cross makes.\n"
              "Source of several programs is one file: each stands under a macro, KGRAD_ and its name.\n"
              "C is one function for the whole module, with a header beside it (doc/c.md).\n",
    .examples = "  kgrad show softmax.kg\n"
                "  kgrad show softmax.kg -o softmax.spv\n"
                "  kgrad show softmax.kg --as spvasm\n"
                "  kgrad show softmax.kg --as glsl\n"
                "  kgrad show softmax.kg -o softmax.c\n"
                "  kgrad show softmax.kg -o softmax.spv --math default\n",
    .options = rows,
    .values_size = sizeof(options),
    .min_files = 1,
    .max_files = 1,
    .run = run,
};
