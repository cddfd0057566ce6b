/* The ranges that params declare. */
#ifndef KGI_RANGE_H
#define KGI_RANGE_H
#include "foundation/ir/dim.h"

/* Whether param q of the scope lies in the range that it declares, if it declares one; where it does not, that is told to
 * `diags`, which may be NULL. Params, and lengths that ranges name, are in `env`. */
bool kgi_param_in_range(const kg_module *module, const kgi_scope *scope, uint32_t q, const kgi_dim_env *env, kgi_diags *diags);
#endif
