/* Programs that name their adjoint: which declarations belong together. */
#ifndef KGI_ADJOINT_H
#define KGI_ADJOINT_H
#include "foundation/ir/program.h"

/* In the adjoint that `p` names: the buffer of the name of p's object, and that of its shadow, "grad_" and the name; 0: there is none. A
 * buffer of p that is called so goes before a shadow. */
uint32_t kgi_adjoint_own(const kg_module *m, const kgi_program *p, uint32_t object);
uint32_t kgi_adjoint_shadow(const kg_module *m, const kgi_program *p, uint32_t object);
/* Likewise the shadow of p's param, a buffer of one element. */
uint32_t kgi_adjoint_param_shadow(const kg_module *m, const kgi_program *p, uint32_t param);
/* By program: it names its adjoint, or is one that is named. NULL: no memory. */
bool *kgi_stated_programs(const kg_module *m, kgi_arena *arena);
#endif
