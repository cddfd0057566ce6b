/* What mutations are made of. */
#ifndef KGI_FUZZ_MUTATE_PARTS_H
#define KGI_FUZZ_MUTATE_PARTS_H
#include "foundation/base/random.h"
#include "fuzz/edit/edit.h"
#include "fuzz/mutate/mutate.h"

/* A program that is being changed. */
typedef struct kgi_mutant_program {
  kgi_builder b;
  uint64_t random;
  uint32_t *list, count; /* its instructions, in the order of the text */
} kgi_mutant_program;

/* False: there was nothing to change so. */
typedef bool kgi_mutation(kgi_mutant_program *m);
#define MUTATION(id, weight, text) kgi_mutation kgi_mutate_##id;
#include "fuzz/mutate/mutations.def"

static inline uint32_t kgi_draw(kgi_mutant_program *m, uint32_t count) { return count ? kgi_random_below(&m->random, count) : 0; }

/* One of the instructions for which it holds; 0: there is none. */
typedef bool kgi_fits(const kgi_mutant_program *m, uint32_t inst);
uint32_t kgi_pick(kgi_mutant_program *m, kgi_fits *fits);
/* One of the values of that type that are there in front of `inst`, leaves too, other than `but`; 0: there is none. */
uint32_t kgi_pick_value(kgi_mutant_program *m, uint32_t inst, kg_type type, uint32_t but);
/* A condition in front of `inst`: one that is there, or one that is made. */
kgi_val kgi_pick_condition(kgi_mutant_program *m, uint32_t inst);
/* A place in the list, of those whose statement does something. */
uint32_t kgi_pick_statement(kgi_mutant_program *m);
/* Which operand of it, as an index into arg[]; KGI_NO_ARG: it has none. */
unsigned kgi_pick_operand(kgi_mutant_program *m, uint32_t inst);
/* Moves `inst` and what follows in its block to where the builder is. */
void kgi_move_rest_here(kgi_mutant_program *m, uint32_t inst);
#endif
