/* Source in other languages, through SPIRV-Cross. */
#ifndef TOOLS_CROSS_H
#define TOOLS_CROSS_H
#include "tools/command.h"

typedef enum tool_language { TOOL_GLSL, TOOL_HLSL, TOOL_MSL } tool_language;

/* Writes every program of the module. Of several, each stands under a macro, KGRAD_ and its name: one entry point a compilation. */
kg_status tool_cross(tool_context *ctx, tool_language language, bool portable, const kg_module *module, FILE *out);
#endif
