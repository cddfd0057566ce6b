/* Homes: loads that together reach every element of a buffer exactly once. Of a shadow that invocations add to, each element has one invocation
 * then whose own it is, and what is added to it may be collected there (emit/collect.c). Nothing stores to the buffer. A load by itself is looked for, or those of one block whose elements are a number apart: two at one index are too many. Else it is
 * an element that nobody loads (vacant.c): `home` is 0 then.
 *
 * Where the host decides the buffer's length, as of every buffer of a shader, nobody knows that every element is reached. Those of a front may be,
 * by a load whose index is a number of global ids for its digits (foundation/analysis/cover.c), each once and by no other invocation. What goes
 * to others is still added one by one, so the shadow is zeroed first. */
#include "autodiff/plan/homes.h"

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

static uint8_t front_of(const kgi_program *p, const kgi_distinct *d, uint32_t load) {
  const kgi_object *o = &p->scope.object[p->inst[load].arg[0]];
  kgi_front f;
  if (o->length.i || o->scalar || o->rank || !kgi_covers_front(d, &load, 1, 1, &f)) return 0;
  for (unsigned k = 0; k < f.digits; k++)
    if (!f.digit[k].all) return 0;
  return f.all;
}

bool kgi_home_covers(const kgi_program *p, const kgi_distinct *d, uint32_t load, uint8_t *front) {
  *front = 0;
  return kgi_covers(d, load) || (*front = front_of(p, d, load));
}

/* The outermost, whose front is no shorter than those of what stands in there. */
static void find_front(const kgi_ad *a, const kgi_distinct *d, uint32_t object) {
  kgi_ad_object *o = &a->object[object];
  unsigned least = UINT32_MAX, n = 0;
  for (uint32_t i = a->f.object[object].first; i && n < KGI_LIMIT(home_loads); i = a->f.access_next[i], n++) {
    unsigned depth = kgi_depth_of(a->f.p, a->f.p->inst[i].block);
    uint8_t front = kgi_ad_active(a, i) && depth < least ? front_of(a->f.p, d, i) : 0;
    if (front) least = depth, o->home[0] = i, o->homes = 1, o->front = front;
  }
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
  if (!o->homes && d) find_front(a, d, object);
  if (o->homes || !a->f.vacant || !a->f.vacant[object].count) return;
  o->home[0] = 0, o->homes = 1, o->front = a->f.vacant[object].front;
}
