/* Whether two modules are the same: what they declare, and every instruction in the same order, whatever numbers they have in
 * memory. Names count where callers see them: buffers, params, constants, programs. Names of lets and positions do not. */
#ifndef KGI_EQUAL_H
#define KGI_EQUAL_H
#include "foundation/ir/program.h"

/* KG_OK with *equal, or KG_NO_MEMORY. Where they differ, `what` (may be NULL) says where first; a constant string. */
kg_status kgi_module_equal(const kg_module *a, const kg_module *b, bool *equal, const char **what);
/* Likewise two programs of one module, their own names aside. */
kg_status kgi_program_equal(const kg_module *m, const kgi_program *p, const kgi_program *q, bool *equal);
#endif
