/* Modules that the command writes. */
#ifndef TOOLS_FORM_H
#define TOOLS_FORM_H
#include "tools/command.h"

#include <kgrad/autodiff.h>

/* What an option that names a form takes. */
#define TOOL_FORMS "kg|kgb|spv|spvasm|glsl|hlsl|msl|c|tree"
/* The option that becomes ctx->unvalidated, for commands that write forms. */
#define TOOL_NO_VALIDATE(field)                                                                                                  \
  {.name = "no-validate", .kind = TOOL_FLAG, .offset = field,                                                                    \
   .help = "do not validate SPIR-V: large modules take less time, but a fault in kgrad stays unseen"}

/* The option that becomes ctx->target, likewise. */
#define TOOL_TARGET(field)                                                                                                       \
  {.name = "target", .kind = TOOL_TEXT, .offset = field, .choices = "vulkan|portable",                                           \
   .help = "who takes the SPIR-V: any Vulkan (for spv, spvasm), or also Naga and SPIRV-Cross (for glsl, hlsl, msl)"}

/* Writes a module as `form`: to the file `target`, or for NULL and "-" to standard output, and with --json there into the
 * result, as `text`. `form` NULL: what the target's name ends with, and text for any other. Beside a file of SPIR-V or of source
 * goes what a host must know to run it (doc/abi.md): a.json beside a.spv; beside C goes its header (doc/c.md). `map`: of a gradient, for that; else NULL. */
tool_exit tool_write_module(tool_context *ctx, const kg_module *module, const kg_grad_map *map, const char *form,
                            const char *target);
#endif
