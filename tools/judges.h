/* The devices that have a say in a verdict. */
#ifndef TOOLS_JUDGES_H
#define TOOLS_JUDGES_H
#include "tools/command.h"

#include <kgrad/driver.h>

/* The reference first. It has a say in every case: only there no branch goes another way, so that nothing wrong is excused by
 * that. */
typedef struct tool_judges {
  const char **name; /* as the user gave it, or as the context lists it */
  kg_device **open;  /* without the reference; NULL: it could not be opened */
  bool *optional;    /* by name */
  size_t count;
  kg_context *context;
  bool no_vulkan;    /* all are asked for, and there is none of Vulkan's */
} tool_judges;

/* Those that the user names: `all` for each that there is. tool_judges_free either way. */
tool_exit tool_judges_open(tool_context *ctx, const tool_list *given, tool_judges *out);
void tool_judges_free(tool_judges *judges);
#endif
