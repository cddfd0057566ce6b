/* The registers of HLSL. Direct3D counts t, u and b apart; a compiler that is told nothing makes one binding of t0, u0 and b0. */
#ifndef TOOLS_REGISTERS_H
#define TOOLS_REGISTERS_H
#include "tools/file.h"

/* Whether the source of a module, which stands in it, places resources for Vulkan itself, by [[vk::binding(...)]]: a binding that two of
 * these share is meant so. */
bool tool_states_bindings(const tool_bytes *spirv);
#endif
