/*
 * Devices: one interface, with the reference interpreter and Vulkan behind it.
 */
#ifndef KGRAD_DRIVER_H
#define KGRAD_DRIVER_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
