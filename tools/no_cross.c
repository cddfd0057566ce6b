/* In place of cross.c where configure found no SPIRV-Cross. */
#include "tools/cross.h"

kg_status tool_cross(tool_context *ctx, tool_language language, bool portable, const kg_module *module, FILE *out) {
  (void)language, (void)portable, (void)module, (void)out;
  TOOL_EMIT(&ctx->sink, no_cross, NULL, NULL);
  return KG_UNAVAILABLE;
}
