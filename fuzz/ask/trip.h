/* Emission held against import: what a program computes, and what the import of its SPIR-V computes, on the same memory. */
#ifndef KGI_FUZZ_TRIP_H
#define KGI_FUZZ_TRIP_H
#include "fuzz/ask/ask.h"

/* Each program of the module by itself, in its first run, on random inputs of the seed `f->data`: identical bits of every output,
 * but for which NaN; values within what a device may give, where a function is put together from others. KGI_REFUSED: no import, or
 * no emission; KGI_VACUOUS: it fails by itself, or differs and races, so that nothing can be compared. f->id is the diagnostic's.
 * Params without a default are 8, or 0.5. */
kgi_answer kgi_round_trip(kgi_ask *f, const kg_module *m);
#endif
