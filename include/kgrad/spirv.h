/*
 * SPIR-V out and in, and what a program requires of a device. No Vulkan here.
 */
#ifndef KGRAD_SPIRV_H
#define KGRAD_SPIRV_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
