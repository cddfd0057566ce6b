/* The same on the machine's own cores. */
#define DEVICE "cpu"
#include "tests/primitives/test_oracles.c"
