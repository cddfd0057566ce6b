/* Names that are asked for and are not there. */
#ifndef KGI_NO_SUCH_H
#define KGI_NO_SUCH_H
#include "foundation/base/diag.h"
#include "foundation/ir/program.h"

typedef enum kgi_role { KGI_ROLE_OUTPUT, KGI_ROLE_INPUT, KGI_ROLE_BUFFER, KGI_ROLE_RUN } kgi_role;

/* KG_INVALID, with a diagnostic that says which names there are. `name` may be NULL. */
kg_status kgi_no_such(const kg_module *module, kgi_diags *diags, kgi_role role, const char *name);
/* There is no buffer in this role to be taken where none is named. */
kg_status kgi_nothing_to_take(const kg_module *module, kgi_diags *diags, kgi_role role);
#endif
