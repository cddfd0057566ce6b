/* Modules that the command reads. */
#ifndef TOOLS_LOAD_H
#define TOOLS_LOAD_H
#include "tools/command.h"
#include "tools/compile.h"

/* Frees what was kept of the files. */
void tool_load_free(tool_context *ctx);
/* A module from a file that holds text, the binary form or SPIR-V, told apart by the first bytes, or the source of a shader, by its
 * name. Diagnostics are sent with the
 * source line beside them. Free with kg_module_free. */
tool_exit tool_load_module(tool_context *ctx, const char *path, const tool_import *import, kg_module **out);
/* Of a command whose --param gives values to run with: with --specialise they are known to the module, and are none of its params. */
tool_exit tool_load_special(tool_context *ctx, const char *path, const tool_import *import, const tool_list *params, bool specialise,
                            kg_module **out);
static inline tool_list tool_params_left(const tool_list *params, bool specialise) { return specialise ? (tool_list){0} : *params; }
#endif
