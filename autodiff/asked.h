/* What kg_grad is asked for, held against a module without differentiating it: for who judges a gradient that somebody else made. */
#ifndef KGI_ASKED_H
#define KGI_ASKED_H
#include <kgrad/autodiff.h>

/* KG_INVALID, with kg_grad's diagnostics: a name is none of the module's, or not of floats; or there is nothing to differentiate. */
kg_status kgi_grad_check(const kg_module *module, const kg_grad_params *params, const kg_sink *sink);

/* Where names ask for the contents of a buffer after a run: a copy of the module in which the run is followed by one that adds a buffer of
 * that very name to them; it is to hold -0, which changes nothing. Else NULL. The caller frees it. */
kg_status kgi_grad_with_deltas(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **out);
bool kgi_is_after(const char *name);
#endif
