/* What a gradient's module must declare: known from the kernel and from what was asked, and never from the gradient itself, which
 * may state it wrongly. `kgrad verify`, the tests of autodiff and the random programs hold gradients to it. */
#ifndef KGI_CONTRACT_H
#define KGI_CONTRACT_H
#include <kgrad/autodiff.h>

/* A gradient as it was given: the module, and which shadow it says belongs to which name. */
typedef struct kgi_gradient {
  const kg_module *module;     /* the kernel's */
  const kg_grad_params *asked;
  const kg_module *adjoint;
  const kg_grad_entry *shadow;
  size_t shadows;
  bool written;                /* the adjoint is the caller's, and none of kg_grad's */
  const bool *adds;            /* by shadow: what stands there is added to; NULL: as `asked` says */
  const kg_module *plain;      /* the kernel without the buffers that were added to it, at the end, for the oracle; NULL: none were */
} kgi_gradient;

/* It has tangents in the place of adjoints: of forward mode, in one direction. */
static inline bool kgi_is_forward(const kgi_gradient *g) { return g->shadows && g->shadow[0].tangent; }

typedef struct kgi_contract {
  char fault[240]; /* the first; "": none */
  bool broken;     /* it cannot even be run: a name, a type or a length is not what it must be */
} kgi_contract;

void kgi_contract_check(const kgi_gradient *gradient, kgi_contract *out);
/* The same of lengths and ranges, once both hosts are resolved. */
void kgi_contract_check_hosts(const kgi_gradient *gradient, const kg_host *host, const kg_host *adjoint, kgi_contract *out);
/* The adjoint's cannot even be resolved. */
void kgi_contract_no_lengths(kgi_contract *out);

/* What was asked for, by the kernel's buffer or param. */
bool kgi_asked_of(const kg_module *module, const kg_grad_params *asked, uint32_t buffer);
bool kgi_asked_wrt(const kg_module *module, const kg_grad_params *asked, uint32_t buffer);
bool kgi_asked_wrt_param(const kg_module *module, const kg_grad_params *asked, uint32_t param);
/* Of the shadow of a float. */
kg_type kgi_shadow_type(kg_type type);
/* Whether the gradient is added to what stands in its shadow on entry. `entry` is one of the gradient's own list. */
bool kgi_is_added(const kgi_gradient *gradient, const kg_grad_entry *entry);
/* The entry that has this shadow, or NULL: it is the shadow of nothing that was asked for. */
const kg_grad_entry *kgi_shadow_named(const kgi_gradient *gradient, const char *shadow);
/* All entries of a map, as one block of its own; NULL: no memory. */
kg_grad_entry *kgi_shadows_of(const kg_grad_map *map, const kg_allocator *alloc);
#endif
