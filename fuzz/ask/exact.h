/* Which buffers the CPU device leaves as the reference does, to the bit. */
#ifndef KGI_FUZZ_EXACT_H
#define KGI_FUZZ_EXACT_H
#include "foundation/ir/program.h"

#include <stdbool.h>

enum {
  KGI_LOOSE_ROUNDING = 1, /* something may be rounded in another way: functions, and what is folded in another order */
  KGI_LOOSE_WHICH = 2,    /* some of what is anything to the intervals may be another: by the order of atomics, or which NaN it is */
};

/* For each buffer of the module, as kg_module_buffer counts: what may show there, a set of these. false: no memory. */
bool kgi_looseness(const kg_module *module, uint8_t *of);
#endif
