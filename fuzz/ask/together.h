/* The modules of many random programs, compiled together: then asking about each starts no compiler. */
#ifndef KGI_FUZZ_TOGETHER_H
#define KGI_FUZZ_TOGETHER_H
#include "fuzz/ask/ask.h"

enum { KGI_TOGETHER = 32 };

/* What `f` asks of the programs of so many seeds, from `first` on, at most KGI_TOGETHER. `f` says how they are made. False: they do not
 * compile, and f->what says why. */
bool kgi_compile_together(const kgi_property_row *row, kgi_ask *f, uint64_t first, unsigned count);
#endif
