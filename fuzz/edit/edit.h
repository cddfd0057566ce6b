/* fuzz/edit: changes of programs in place, for who makes them smaller and who makes others of them. */
/* Each leaves something that may not be valid: kgi_is_sound finds out. */
#ifndef KGI_FUZZ_EDIT_H
#define KGI_FUZZ_EDIT_H
#include "foundation/ir/builder.h"

/* Instructions in blocks, in the order of the text; free with free(). */
uint32_t *kgi_list_instructions(const kgi_program *p, uint32_t *count);
void kgi_replace_uses(kgi_program *p, uint32_t value, uint32_t by);
kgi_val kgi_plain_literal(kgi_builder *b, kg_type type, int value);
void kgi_cut(kgi_builder *b, uint32_t inst, int value); /* what uses it uses a literal in its place */
void kgi_unwrap(kgi_program *p, uint32_t inst, kgi_blk block); /* the block's statements in its place */
void kgi_drop_dead(kgi_program *p);
void kgi_drop_programs(kg_module *m); /* those that are not run, nor the stated adjoint of one that is */
/* A lone module's own scope and run follow the program. */
void kgi_settle_lone(kg_module *m);
/* The module becomes what its own bytes give: tables hold what is used, and it is valid. False: it is not, and stays. */
bool kgi_is_sound(kg_module **m);
#endif
