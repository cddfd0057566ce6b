/* What buffers hold behind a run, where the reverse asks for it and a later run changes it: which copy is whose. */
#include "autodiff/plan/schedule.h"
#include "foundation/ir/slices.h"

static bool are_alike(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t x, uint32_t y) {
  kgi_slice a = kgi_run_slice(g->m, r->item, x), b = kgi_run_slice(g->m, r->item, y);
  bool in_part = r->ad.object[x].part_length.i || r->ad.object[y].part_length.i;
  return kgi_ad_bound(g, r, x) == kgi_ad_bound(g, r, y) && (!in_part || (a.from.i == b.from.i && a.to.i == b.to.i));
}

uint32_t kgi_ad_first_end(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  for (uint32_t o = 1; o < object; o++)
    if (r->ad.object[o].ended && are_alike(g, r, o, object)) return o;
  return object;
}
