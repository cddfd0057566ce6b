/* A program of a corpus with some changes (fuzz/mutate), that has no race, ends, and reads nothing that nobody wrote. */
#ifndef KGI_FUZZ_MUTANT_H
#define KGI_FUZZ_MUTANT_H
#include "fuzz/ask/case.h"
#include "fuzz/mutate/mutate.h"

/* Of a seed the same on every machine. False: none was found. */
bool kgi_ask_mutant(const kgi_corpus *corpus, uint64_t seed, kgi_case *out);
/* Adds the module if it runs so as it is, of any of some sizes, and is not too large. False: it does not, or is. */
bool kgi_corpus_take(kgi_corpus *corpus, const kg_module *m);
/* What a property has to allow for (rows of features.def), as far as it can be told from the program; it is more rather than less. */
uint32_t kgi_ask_features(const kg_module *m);
/* Whether what it gives may depend on which invocation comes first: results of atomics are used, and the like. */
bool kgi_depends_on_order(const kg_module *m);
#endif
