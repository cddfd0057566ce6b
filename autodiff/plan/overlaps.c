/* Views that may overlap, across the runs of a module: whether they can be differentiated, and where their shadows lie.
 *
 * The shadows of such views are views too, alike over one block, so that what is added through one is found through another. That works
 * where all that lie on the path have elements of one size and type: then two elements are the same, or apart. What a host gives and
 * takes for each view is an array of its own all the same (autodiff/boundary.c). */
#include "autodiff/plan/schedule.h"

static uint32_t size_of(const kgi_object *o) { return (uint32_t)kg_type_size((kg_type)o->type); }

/* ---- where shadows lie ---- */

/* Adjoints of halves have twice their size, so that their places lie further apart. Blocks of both kinds have bindings of their own. */
static uint32_t scale_of(const kgi_object *o) { return size_of(o) == 2 ? 2 : 1; }

bool kgi_ad_shadow_bindings(kgi_arena *arena, const kgi_scope *s, unsigned each, uint32_t **binding) {
  size_t count = s->object_count, places = (2 * (size_t)each + 1) * count, next = 0;
  kgi_blocks blocks;
  bool *used = kgi_arena_alloc(arena, places, sizeof *used);
  uint32_t *given = kgi_arena_alloc(arena, 2 * each * count, sizeof *given);
  *binding = kgi_arena_alloc(arena, each * count, sizeof **binding);
  if (arena->failed || !kgi_blocks_find(&blocks, arena, s)) return false;
  for (uint32_t o = 1; o < count; o++)
    if (s->object[o].view && !s->object[o].set && s->object[o].binding < places) used[s->object[o].binding] = true;
  for (size_t k = each; k < each * count; k++) {
    const kgi_object *o = &s->object[k / each];
    if (!o->view) continue;
    uint32_t *of_block = &given[(2 * (size_t)blocks.of[k / each] + scale_of(o) - 1) * each + k % each];
    while (!*of_block && used[next]) next++;
    if (!*of_block) *of_block = (uint32_t)++next;
    (*binding)[k] = *of_block - 1;
  }
  return true;
}

void kgi_ad_place_shadow(const kgi_object *of, uint32_t binding, kgi_object *shadow) {
  uint32_t scale = scale_of(of);
  shadow->view = true;
  shadow->set = 0, shadow->binding = binding;
  shadow->offset = of->offset * scale, shadow->stride = of->stride * scale;
  shadow->row = of->row, shadow->every = of->every * scale;
}

uint8_t kgi_ad_shadow_type(const kgi_object *of) {
  return (uint8_t)(!kgi_is_float(of->type) && size_of(of) == 8 ? KG_F64 : kgi_ad_type(of->type));
}

static bool has_place(const kgi_object *o) {
  uint32_t most = UINT32_MAX / scale_of(o);
  return o->offset <= most && o->stride <= most && o->every <= most;
}

/* ---- which shadows are views ---- */

void kgi_ad_find_viewed(kgi_ad_module *g) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) g->viewed[o] = g->blocks.aliased[o];
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++)
      if (r->ad.f.blocks.aliased[o]) g->viewed[kgi_ad_bound(g, r, o)] = true;
  }
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++) r->viewed[o] = g->viewed[kgi_ad_bound(g, r, o)];
  }
}

/* ---- what cannot be ---- */

bool kgi_ad_on_path(const kgi_ad *a, uint32_t object) {
  for (uint32_t i = kgi_ad_active_object(a, object) ? a->f.object[object].first : 0; i; i = a->f.access_next[i])
    if (kgi_ad_has_reverse(a, i)) return true;
  return false;
}

static void find_on_path(const kgi_ad_module *g, bool *on_path) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) on_path[o] = g->wrt[o] || g->of[o];
  for (uint32_t i = 0; i < g->run_count; i++)
    for (uint32_t o = 1; o < kgi_buffer_end(&g->run[i].ad.f.p->scope); o++)
      if (kgi_ad_on_path(&g->run[i].ad, o)) on_path[kgi_ad_bound(g, &g->run[i], o)] = true;
}

bool kgi_ad_hides(const kgi_ad_module *g, uint32_t over, uint32_t under) {
  const kgi_scope *s = &g->m->scope;
  return over > under && kgi_is_input(&s->object[over]) && g->blocks.of[over] == g->blocks.of[under] && kgi_may_overlap(s, under, over);
}

/* What is given for a later view lies over it, in elements that its shadow does not have. */
static bool is_hidden_in_part(const kgi_ad_module *g, uint32_t view) {
  const kgi_scope *s = &g->m->scope;
  for (uint32_t k = view + 1; k < s->object_count; k++)
    if (size_of(&s->object[k]) != size_of(&s->object[view]) && kgi_ad_hides(g, k, view)) return true;
  return false;
}

kg_status kgi_ad_check_overlaps(kgi_ad_module *g) {
  const kgi_scope *s = &g->m->scope;
  uint8_t *type = kgi_arena_alloc(&g->scratch, s->object_count, sizeof *type); /* by the first of those that overlap */
  bool *on_path = kgi_arena_alloc(&g->scratch, s->object_count, sizeof *on_path);
  if (!type || !on_path) return KG_NO_MEMORY;
  find_on_path(g, on_path);
  for (uint32_t o = 1; o < s->object_count; o++) {
    const kgi_object *object = &s->object[o];
    uint32_t first = g->blocks.of[o];
    if (!g->viewed[o] || !on_path[o] || (g->blocks.aliased[o] && !(g->varied[first] && g->useful[first]))) continue;
    if (!type[first]) type[first] = object->type;
    bool hidden = g->wrt[o] && is_hidden_in_part(g, o);
    if (type[first] == object->type && kgi_is_float(object->type) && has_place(object) && !hidden) continue;
    KGI_DIAG(&g->diags, grad_view, object->pos, kgi_string(g->m, object->name));
    return KG_REFUSED;
  }
  return KG_OK;
}
