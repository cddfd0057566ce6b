/* What a gradient's module must declare: known from the kernel and from what was asked, and never from the gradient itself, which
 * may state it wrongly. `kgrad verify`, the tests of autodiff and the random programs hold gradients to it. */
#ifndef TOOLS_CONTRACT_H
#define TOOLS_CONTRACT_H
#include <kgrad/autodiff.h>

/* A gradient as it was given: the module, and which shadow it says belongs to which name. */
typedef struct tool_gradient {
  const kg_module *module;     /* the kernel's */
  const kg_grad_params *asked;
  const kg_module *adjoint;
  const kg_grad_entry *shadow;
  size_t shadows;
} tool_gradient;

typedef struct tool_contract {
  char fault[240]; /* the first; "": none */
  bool broken;     /* it cannot even be run: a name, a type or a length is not what it must be */
} tool_contract;

void tool_contract_check(const tool_gradient *gradient, tool_contract *out);
/* The same of lengths and ranges, once both hosts are resolved. */
void tool_contract_check_hosts(const tool_gradient *gradient, const kg_host *host, const kg_host *adjoint, tool_contract *out);
/* The adjoint's cannot even be resolved. */
void tool_contract_no_lengths(tool_contract *out);

/* What was asked for, by the kernel's buffer or param. */
bool tool_asked_of(const kg_module *module, const kg_grad_params *asked, uint32_t buffer);
bool tool_asked_wrt(const kg_module *module, const kg_grad_params *asked, uint32_t buffer);
bool tool_asked_wrt_param(const kg_module *module, const kg_grad_params *asked, uint32_t param);
/* Of the shadow of a float. */
kg_type tool_shadow_type(kg_type type);
/* The entry that has this shadow, or NULL: it is the shadow of nothing that was asked for. */
const kg_grad_entry *tool_shadow_named(const tool_gradient *gradient, const char *shadow);
/* All entries of a map, for free(); NULL: no memory. */
kg_grad_entry *tool_shadows_of(const kg_grad_map *map);
#endif
