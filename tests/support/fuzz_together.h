/* The modules of many random programs, compiled together: then asking about each starts no compiler. */
#ifndef TESTS_FUZZ_TOGETHER_H
#define TESTS_FUZZ_TOGETHER_H
#include "tests/support/fuzz_property.h"

enum { KGT_TOGETHER = 32 };

/* What `f` asks of the programs of so many seeds, from `first` on, at most KGT_TOGETHER. `f` says how they are made. False: they do not
 * compile, and f->what says why. */
bool kgt_compile_together(const kgt_property_row *row, kgt_fuzz *f, uint64_t first, unsigned count);
#endif
