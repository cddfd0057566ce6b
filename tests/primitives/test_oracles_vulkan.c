/* The same on a Vulkan device, under the validation layers. */
#define DEVICE "vulkan"
#include "tests/primitives/test_oracles.c"
