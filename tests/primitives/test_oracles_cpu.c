/* The same on the machine's own cores. Compiling takes nearly all of the time. */
#define DEVICE "cpu"
#define EACH 4
#include "tests/primitives/test_oracles.c"
