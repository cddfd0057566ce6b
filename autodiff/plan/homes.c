/* Homes: loads that together reach every element of a buffer exactly once. Of a shadow that invocations add to, each element has one invocation
 * then whose own it is, and what is added to it may be collected there (emit/collect.c). Nothing stores to the buffer. A load by itself is looked for, or those of one block whose elements are a number apart: two at one index are too many. Else it is
 * an element that nobody loads (vacant.c): `home` is 0 then. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"

static bool is_of_ids(const kgi_ad *a, uint32_t load) {
  kgi_poly size[3];
  kgi_sizes_of(a->f.p, size);
  kgi_poly f = kgi_poly_of_index(a->f.p, load, size);
  for (uint32_t k = 0; k < f.count; k++)
    for (unsigned n = 0; n < KGI_DEGREE && f.t[k].atom[n]; n++)
      if (f.t[k].atom[n] < KGI_ATOM_FIRST) return false;
  return !f.failed;
}

/* False: there are too many. */
static bool add_home(const kgi_ad *a, kgi_ad_object *o, uint32_t load) {
  for (unsigned k = 0; k < o->homes; k++)
    if (a->f.p->inst[o->home[k]].arg[1] == a->f.p->inst[load].arg[1]) return false;
  if (o->homes == KGI_AD_HOMES || (o->homes && a->f.p->inst[o->home[0]].block != a->f.p->inst[load].block)) return false;
  return o->home[o->homes++] = load, true;
}

void kgi_ad_find_homes(kgi_ad *a, const kgi_distinct *d, uint32_t object) {
  kgi_ad_object *o = &a->object[object];
  unsigned n = 0;
  bool together = true;
  for (uint32_t i = d ? a->f.object[object].first : 0; i; i = a->f.access_next[i]) {
    if (!kgi_ad_active(a, i)) continue;
    if (n++ >= KGI_LIMIT(home_loads)) together = false;
    if (!together) break;
    if (kgi_covers(d, i)) {
      o->home[0] = i, o->homes = 1;
      return;
    }
    if (is_of_ids(a, i)) together = add_home(a, o, i);
  }
  if (!together || o->homes < 2 || !kgi_covers_steps(d, o->home, o->homes)) o->homes = 0;
  if (!o->homes && a->f.vacant && a->f.vacant[object].count) o->home[0] = 0, o->homes = 1;
}
