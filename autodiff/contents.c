/* What the module has not stored to is undefined, and yet it is copied where a buffer is copied whole: to a snapshot, or for an
 * adjoint. Such buffers begin as zeros. */
#include "autodiff/grad.h"

static bool is_copied(const kgi_ad_module *g, uint32_t object) {
  for (uint32_t i = 0; i < g->segment_count; i++)
    if (g->segments[i].slices[object]) return true;
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    for (uint32_t o = 1; (r->aside || r->end) && o < kgi_buffer_end(&r->ad.f.p->scope); o++)
      if (((r->aside && r->aside[o]) || (r->end && r->end[o])) && kgi_ad_bound(g, r, o) == object) return true;
  }
  return false;
}

void kgi_ad_append_first_contents(kgi_ad_module *g) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    unsigned mode = g->m->scope.object[o].mode;
    if ((mode == KG_TEMP || mode == KG_WRITE) && is_copied(g, o)) kgi_zero_soon(&g->b, &g->moving, o);
  }
  kgi_zero_now(&g->b, &g->moving);
}
