/* kg_hvp: forward over reverse. */
#include "autodiff/grad.h"
#include "autodiff/map.h"
#include "foundation/base/floats.h"

/* The names of second order: inputs are those of the gradient, outputs its results. */
typedef struct names { const char **of, **wrt; size_t count; } names;

static void find_names(const kg_grad_map *map, names *n) {
  for (size_t k = 0; k < kg_grad_map_count(map); k++) {
    kg_grad_entry e = kg_grad_map_entry(map, k);
    if (!e.wrt) continue;
    n->wrt[n->count] = e.name;
    n->of[n->count++] = e.shadow;
  }
}

static kg_status second(const kg_module *gradient, const kg_jvp_params *params, const kg_sink *sink, kg_module **out, kg_grad_map *map) {
  kgi_arena arena;
  names n = {0};
  kgi_arena_init(&arena, params->alloc);
  n.of = kgi_arena_alloc(&arena, kg_grad_map_count(map), sizeof *n.of);
  n.wrt = kgi_arena_alloc(&arena, kg_grad_map_count(map), sizeof *n.wrt);
  kg_status status = arena.failed ? kgi_ad_no_memory(gradient, sink) : KG_OK;
  if (status == KG_OK) {
    find_names(map, &n);
    kg_jvp_params of_gradient = {.of = n.of, .of_count = n.count, .wrt = n.wrt, .wrt_count = n.count,
                                 .directions = params->directions, .alloc = params->alloc};
    status = kgi_ad_jvp(gradient, &of_gradient, sink, true, out, map);
  }
  kgi_arena_free(&arena);
  return status;
}

kg_status kg_hvp_mapped(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, kg_module **out, kg_grad_map **map) {
  KGI_OWN_FLOATS;
  static const kg_jvp_params defaults;
  kg_module *gradient = NULL, *product = NULL;
  kg_grad_map *all = NULL;
  if (!params) params = &defaults;
  kg_grad_params first = {.of = params->of, .of_count = params->of_count, .wrt = params->wrt, .wrt_count = params->wrt_count,
                          .deterministic = params->deterministic, .tape_limit = params->tape_limit, .trips = params->trips, .alloc = params->alloc};
  kg_status status = kg_grad_mapped(module, &first, sink, &gradient, &all);
  if (status == KG_OK) status = second(gradient, params, sink, &product, all);
  if (status == KG_OK) *out = product;
  if (status == KG_OK && map) *map = all;
  else kg_grad_map_free(all);
  kg_module_free(gradient);
  return status;
}

kg_status kg_hvp(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, kg_module **out) {
  return kg_hvp_mapped(module, params, sink, out, NULL);
}
