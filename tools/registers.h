/* The registers of HLSL in SPIR-V. Direct3D counts t, u and b apart; a compiler that is told nothing makes one binding of t0, u0 and b0. */
#ifndef TOOLS_REGISTERS_H
#define TOOLS_REGISTERS_H
#include "tools/file.h"

/* Whether two buffers or blocks of a module are at one binding. False of bytes that are no module. */
bool tool_registers_meet(const tool_bytes *spirv);
/* Whether its source, which stands in it, places resources for Vulkan itself: a binding that two of these share is meant so. */
bool tool_states_bindings(const tool_bytes *spirv);
#endif
