#include "tools/load.h"

#include "tools/file.h"

#include <stdlib.h>
#include <string.h>

/* No kernel that a person or a program writes comes near. */
enum { MODULE_LIMIT = 1 << 28 };

tool_exit tool_load_module(tool_context *ctx, const char *path, kg_module **out) {
  tool_bytes bytes;
  if (!tool_read_file(path, MODULE_LIMIT, &bytes, &ctx->sink)) return TOOL_BAD;
  /* kept: what is said of the module later points into it too */
  free(ctx->source);
  ctx->source = bytes.data;
  ctx->printer.file = path, ctx->printer.text = bytes.data, ctx->printer.size = bytes.size;
  if (bytes.size >= 4 && memcmp(bytes.data, "KGB\x1a", 4) == 0) {
    ctx->printer.text = NULL, ctx->printer.size = 0; /* its lines are not there to be shown */
    return tool_exit_of(kg_module_decode(NULL, path, bytes.data, bytes.size, &ctx->sink, out));
  }
  return tool_exit_of(kg_module_parse(NULL, path, bytes.data, bytes.size, &ctx->sink, out));
}
