/* The same on the machine's own cores. */
#define DEVICE "cpu"
#define EACH 4
#include "tests/primitives/test_oracles.c"
