/* fuzz/mutate: programs that are small changes of real ones. */
/* Kernels that somebody wrote, or that a compiler made, have shapes that no generator thinks of. A program is one of a corpus with a few
 * changes, rows of mutations.def. Not every one is sound: who asks about it sees first whether it runs without a race, and ends. */
#ifndef KGI_FUZZ_MUTATE_H
#define KGI_FUZZ_MUTATE_H
#include "foundation/ir/program.h"

typedef struct kgi_corpus { kg_module **module; uint32_t count, cap; } kgi_corpus;

/* A copy whose params all have values: ints without one, or with a large one, get `size`. False: no memory. */
bool kgi_corpus_add(kgi_corpus *c, const kg_module *m, uint32_t size);
void kgi_corpus_drop_last(kgi_corpus *c);
void kgi_corpus_free(kgi_corpus *c);

/* Of each seed and each draw another one, the same on every machine. Seeds below the corpus's count, with draw 0: its own, unchanged. For
 * the caller to free; NULL: what was drawn is no valid program. */
kg_module *kgi_mutant(const kgi_corpus *c, uint64_t seed, uint32_t draw);

/* A row; the last has no name. */
typedef struct kgi_mutation_row { const char *name, *text; unsigned weight; } kgi_mutation_row;
extern const kgi_mutation_row kgi_mutation_rows[];
#endif
