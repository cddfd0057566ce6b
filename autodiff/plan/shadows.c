/* What the adjoint of a run finds in shadows, and who looks at them behind it. Adjoints run from the last run of the primal to the first,
 * and shadows that are added to are zeroed in front of them all. Where one adjoint is the first to touch a shadow it need not find zeros:
 * what it stores to every element takes their place. Where one is the last, what it has taken from the shadow need not be replaced by
 * zeros. A run in a repeat is neither: its other rounds touch the shadow too. */
#include "autodiff/plan/schedule.h"

/* ---- which runs touch a shadow ---- */

static void note_touch(kgi_ad_module *g, uint32_t object, uint32_t place) {
  kgi_ad_touches *t = &g->touches[object];
  if (place < t->first) t->first = place;
  if (place > t->last) t->last = place;
}

static uint32_t place_of(const kgi_ad_run *r) { return 2 * r->order; }

/* The adjoint may have a shadow of the program's buffer: a stated one has what it declares, on the path or not. */
static void note_run(kgi_ad_module *g, const kgi_ad_run *r) {
  for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++)
    if (r->stated || kgi_ad_active_object(&r->ad, o)) note_touch(g, kgi_ad_bound(g, r, o), place_of(r));
  for (uint32_t q = 1; q < r->ad.f.p->scope.param_count; q++) {
    uint32_t to = kgi_ad_param_asked(g, r, q);
    if (r->order > g->param_last[to]) g->param_last[to] = r->order;
  }
}

bool kgi_ad_find_touches(kgi_ad_module *g) {
  g->touches = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *g->touches);
  if (!g->touches) return false;
  for (uint32_t o = 0; o < g->m->scope.object_count; o++) g->touches[o].first = UINT32_MAX;
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    note_run(g, r);
    for (uint32_t k = 0; k < g->after_count; k++) /* a copy is taken in front of the adjoint, when those of later runs are done */
      if (g->after[k].item == r->item) note_touch(g, g->after[k].object, place_of(r) + 1);
  }
  return true;
}

/* ---- what follows for a run ---- */

/* The caller's gradient is added to, or is worked out beside it. */
static bool is_accumulated(const kgi_ad_module *g, uint32_t to) { return g->params->accumulate && g->wrt[to]; }

static bool is_fresh(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  uint32_t to = kgi_ad_bound(g, r, object);
  if (r->repeat || g->of[to] || is_accumulated(g, to) || g->touches[to].last > place_of(r)) return false;
  return g->m->lone || kgi_is_bound_as_declared(g->m, r->item, object);
}

static bool is_active_param(const kgi_ad_run *r, uint32_t param) {
  uint32_t value = r->ad.f.param_value[param];
  return value && kgi_ad_active(&r->ad, value);
}

/* No other run comes before, and in this one no other param is the same. */
static bool is_fresh_param(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t param) {
  uint32_t to = kgi_ad_param_asked(g, r, param);
  if (!to || r->repeat || g->params->accumulate || g->param_last[to] > r->order) return false;
  for (uint32_t q = 1; q < r->ad.f.p->scope.param_count; q++)
    if (q != param && kgi_ad_param_asked(g, r, q) == to && is_active_param(r, q)) return false;
  return true;
}

bool kgi_ad_is_spent(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  uint32_t to = kgi_ad_bound(g, r, object);
  return !r->repeat && !g->wrt[to] && g->touches[to].first >= place_of(r);
}

/* Runs of one program had better have one adjoint, if all that differs is what they leave behind. The module's last run has one of its
 * own in any case. */
static bool are_spent(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  uint32_t program = g->m->item[r->item].program, last = g->run_count - 1;
  for (uint32_t i = 0; i < g->run_count; i++) {
    bool same = &g->run[i] == r || (i != last && r != &g->run[last] && g->m->item[g->run[i].item].program == program);
    if (same && !kgi_ad_is_spent(g, &g->run[i], object)) return false;
  }
  return true;
}

void kgi_ad_describe_shadows(kgi_ad_module *g, kgi_ad_run *r) {
  for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++) {
    r->given[o] = g->of[kgi_ad_bound(g, r, o)];
    r->fresh[o] = is_fresh(g, r, o);
    r->spent[o] = r->alone_spent[o] = are_spent(g, r, o);
  }
  for (uint32_t q = 1; q < r->ad.f.p->scope.param_count; q++) r->fresh_param[q] = is_active_param(r, q) && is_fresh_param(g, r, q);
}
