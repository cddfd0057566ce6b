#include "tests/support/kgtest.h"
int main(void) { return kgt_run("x", NULL, 0); }
