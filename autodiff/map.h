/* The names that a caller gets: which shadow belongs to which buffer or param. */
#ifndef KGI_MAP_H
#define KGI_MAP_H
#include "foundation/ir/program.h"

#include <kgrad/autodiff.h>

kg_grad_map *kgi_map_new(const kg_allocator *alloc); /* NULL: no memory */
/* Strings are copied. After a failure nothing is added any more. */
void kgi_map_add(kg_grad_map *map, kg_grad_entry entry);
struct kgi_explanation *kgi_map_explanation(kg_grad_map *map); /* autodiff/explain.h; empty at first */
bool kgi_map_failed(const kg_grad_map *map);

/* jvp.c: kg_jvp, whose entries are added to `map`, which may be NULL. `second`: the module is a gradient, of which an output that no input
 * reaches is no surprise, and one that is only read has the tangent 0. */
kg_status kgi_ad_jvp(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, bool second, kg_module **out,
                     kg_grad_map *map);
#endif
