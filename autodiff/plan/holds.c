/* What memory still holds when the reverse comes to it.
 *
 * A load still gives what it gave when nothing is stored to its element afterwards, neither further down nor, in a loop that the object
 * outlives, in a later trip, nor in a later run of the module. That holds across invocations too, because a program without races
 * orders them by a barrier. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/overwrite.h"
#include "foundation/base/limits.h"

/* The load's element is stored to no more: neither further down nor in a later trip. Another invocation may only store to it behind a
 * barrier; of another workgroup none may, unless barriers of memory order them. */
static bool is_never_overwritten(const kgi_ad *a, uint32_t load, uint32_t loop) {
  uint32_t object = a->f.p->inst[load].arg[0], first = a->f.pos[loop ? loop : load], tries = 0;
  const kgi_scope *s = &a->f.p->scope;
  bool shared_with = s->object[object].space != KGI_VAR;
  if (a->f.blocks.aliased[object] || (shared_with && a->f.fences)) return false;
  kgi_poly size[3];
  kgi_sizes_of(a->f.p, size);
  for (uint32_t i = a->f.object[object].last; i && a->f.pos[i] >= first; i = a->f.access_prev[i]) {
    if (a->f.p->inst[i].kind == KGI_load) continue;
    if (a->f.p->inst[i].kind != KGI_store || ++tries > KGI_LIMIT(overwrite_writes)) return false;
    bool behind = a->f.pos[i] > a->f.pos[load];
    if (kgi_may_overwrite(a->f.p, size, a->f.object[object].block, load, i, behind, NULL)) return false;
    if (shared_with && a->f.orders && kgi_may_overwrite(a->f.p, size, KGI_BODY, load, i, behind, a->f.waits)) return false;
  }
  return true;
}

bool kgi_ad_stays(const kgi_ad *a, uint32_t store) {
  uint32_t object = a->f.p->inst[store].arg[0], loop = kgi_ad_outermost_loop(a, a->f.object[object].block, store);
  return !a->object[object].overwritten && is_never_overwritten(a, store, loop);
}

bool kgi_ad_still_holds(const kgi_ad *a, uint32_t load) {
  const kgi_ad_object_fact *o = &a->f.object[a->f.p->inst[load].arg[0]];
  if (a->object[a->f.p->inst[load].arg[0]].overwritten) return false;
  uint32_t loop = kgi_ad_outermost_loop(a, o->block, load);
  return o->last_write < a->f.pos[loop ? loop : load] || is_never_overwritten(a, load, loop);
}
