/* What is known of a program before it runs, folded into it. */
#ifndef KGI_SPECIALISE_H
#define KGI_SPECIALISE_H
#include "foundation/ir/builder.h"

/* Of the params or constants of a scope, by index: which are known, and their bits. */
typedef struct kgi_fixed_set { bool *is; uint64_t *bits; } kgi_fixed_set;
typedef struct kgi_fixed { kgi_fixed_set param, spec; } kgi_fixed;

/* fixed.c: replaces what is known by its value, in lengths and in instructions; it is declared no more. `dim` gets what each length became,
 * where it is wanted. False: no memory. */
bool kgi_fix_scope(kg_module *m, kgi_scope *s, const kgi_fixed *fixed, kgi_arena *scratch, uint32_t **dim);
bool kgi_fix_program(kg_module *m, kgi_program *p, const kgi_fixed *fixed, kgi_arena *scratch);
/* The grid is known: of which workgroup an invocation is, along axes that have one, and how many there are. `b` is in the program. */
bool kgi_fix_grid(kgi_builder *b, const uint32_t groups[3], kgi_arena *scratch);

/* fixed.c: the bits of a value of that type, as the language writes it; `b` is in a program. False: it is none. */
bool kgi_value_of_text(kgi_builder *b, const char *text, kg_type type, uint64_t *bits);

/* specialise.c: all of it, in a valid module, which stays valid; programs in which something is known are cleaned. KG_INVALID: a name or a
 * value that does not fit, facts that contradict each other. Then, and after KG_NO_MEMORY, the module is good for nothing. */
kg_status kgi_specialise(kg_module *m, const kg_facts *facts, kgi_diags *diags);
#endif
