/* Lists of contributions between the run that fills them and the shadows to which they are added. */
#include "autodiff/emit/emit.h"
#include "autodiff/grad.h"
#include "foundation/ir/slices.h"

static bool is_filled(const kgi_ad_run *r, uint32_t t) { return kgi_ad_is_list(&r->ad.tape[t]) && r->made->tape[t].i; }

void kgi_ad_clear_lists(kgi_ad_module *g, const kgi_ad_run *r, uint32_t parent) {
  for (uint32_t t = 1; t < r->ad.tape_count; t++)
    if (is_filled(r, t) && r->ad.tape[t].type == KG_U32) kgi_item_append(&g->b, parent, kgi_zero_run(&g->b, &g->moving, r->tape[t]));
}

/* What the run binds to its shadow. */
static kgi_gathering shadow_of(const kgi_ad_module *g, const kgi_ad_run *r, const kgi_ad_tape *list, const uint32_t *dim) {
  const uint32_t *bind = g->m->bind + g->m->item[r->item].binding;
  if (list->param) {
    uint32_t value = bind[kgi_buffer_end(&r->ad.f.p->scope) - 1 + list->param - 1];
    return (kgi_gathering){.to = g->param_shadow[g->m->scope.dim[value].a]};
  }
  uint32_t to = bind[list->object - 1];
  kgi_slice slice = kgi_run_slice(g->m, r->item, list->object);
  return (kgi_gathering){.to = g->inner[to] ? g->inner[to] : g->shadow[to], .slice = {{dim[slice.from.i]}, {dim[slice.to.i]}}};
}

void kgi_ad_add_lists(kgi_ad_module *g, const kgi_ad_run *r, uint32_t parent, const uint32_t *dim) {
  for (uint32_t t = 1; t < r->ad.tape_count; t++) {
    if (!is_filled(r, t) || r->ad.tape[t].type != KG_U32) continue;
    kgi_gathering x = shadow_of(g, r, &r->ad.tape[t], dim);
    x.numbers = r->tape[t - 1], x.elements = r->tape[t];
    kgi_item_append(&g->b, parent, kgi_gather_run(&g->b, x));
  }
}
