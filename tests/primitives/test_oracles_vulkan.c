/* The same on a Vulkan device, under the validation layers. */
#define DEVICE "vulkan"
#define EACH 4
#include "tests/primitives/test_oracles.c"
