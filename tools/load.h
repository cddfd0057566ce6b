/* Modules that the command reads. */
#ifndef TOOLS_LOAD_H
#define TOOLS_LOAD_H
#include "tools/command.h"

/* Frees what was kept of the files. */
void tool_load_free(tool_context *ctx);
/* A module from a file that holds text or the binary form, told apart by the first bytes. Diagnostics are sent with the
 * source line beside them. Free with kg_module_free. */
tool_exit tool_load_module(tool_context *ctx, const char *path, kg_module **out);
#endif
