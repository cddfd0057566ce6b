/* Modules that the command writes. */
#ifndef TOOLS_FORM_H
#define TOOLS_FORM_H
#include "tools/command.h"

/* What an option that names a form takes. */
#define TOOL_FORMS "kg|kgb|spv|spvasm|tree"

/* Writes a module as `form`: to the file `target`, or for NULL and "-" to standard output, and with --json there into the
 * result, as `text`. `form` NULL: what the target's name ends with, and text for any other. */
tool_exit tool_write_module(tool_context *ctx, const kg_module *module, const char *form, const char *target);
#endif
