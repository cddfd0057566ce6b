/* What kg_grad is asked for, held against a module without differentiating it: for who judges a gradient that somebody else made. */
#ifndef KGI_ASKED_H
#define KGI_ASKED_H
#include <kgrad/autodiff.h>

/* KG_INVALID, with kg_grad's diagnostics: a name is none of the module's, or not of floats; or there is nothing to differentiate. */
kg_status kgi_grad_check(const kg_module *module, const kg_grad_params *params, const kg_sink *sink);
#endif
