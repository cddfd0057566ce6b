/* The gradient in two modules: one runs forward and leaves what the other one reads. What lies between them belongs to the host: the
 * module's own buffers, its temporaries as far as they are read again, and tapes. */
#include "autodiff/emit/emit.h"
#include "autodiff/grad.h"
#include "modules/modules.h"

#include <stdio.h>

/* What a later module reads is no temporary. */
static void state_forward(kgi_ad_module *g, const uint32_t *in_forward, const uint32_t *in_adjoint) {
  for (uint32_t o = 1; o < g->out->scope.object_count; o++) {
    if (!in_forward[o] || !in_adjoint[o]) continue;
    kgi_object *object = &g->forward->scope.object[in_forward[o]];
    if (object->mode == KG_TEMP) object->mode = KG_WRITE;
    g->kept[o] = object->mode != KG_READ;
  }
}

/* The adjoint stores to shadows alone. What the module has stored to is no longer held to a range. */
static void state_adjoint(kgi_ad_module *g, kg_module *adjoint, const uint32_t *in_forward, const uint32_t *in_adjoint) {
  for (uint32_t o = 1; o < g->out->scope.object_count; o++) {
    if (!in_adjoint[o] || (!in_forward[o] && o >= g->m->scope.object_count)) continue;
    kgi_object *object = &adjoint->scope.object[in_adjoint[o]];
    if (object->mode != KG_READ) object->ranged = false, object->lo = object->hi = (kgi_dim){0};
    object->mode = KG_READ;
  }
}

static bool is_changed(const kgi_ad_module *g, const uint32_t *in_forward) {
  for (uint32_t o = 1; o < g->out->scope.object_count; o++)
    if (in_forward[o] && (o >= g->m->scope.object_count || (g->kept[o] && g->m->scope.object[o].mode == KG_TEMP))) return true;
  return false;
}

/* Where nothing has to be left for the adjoint, the module itself runs forward. */
static kg_status finish_forward(kgi_ad_module *g, const uint32_t *in_forward) {
  char name[200];
  snprintf(name, sizeof name, "%.150s_forward", kgi_string(g->m, g->m->name));
  if (is_changed(g, in_forward)) {
    g->forward->name = kgi_intern_z(g->forward, name);
    return g->forward->arena.failed ? KG_NO_MEMORY : KG_OK;
  }
  kg_module_free(g->forward);
  g->forward = kgi_module_copy(g->params->alloc, g->m);
  return g->forward ? KG_OK : KG_NO_MEMORY;
}

/* A host has an array for each view: of those that lie over one another, one that was written and one that is loaded may differ. */
static kg_status check_views(kgi_ad_module *g, const uint32_t *in_adjoint) {
  const kgi_scope *s = &g->m->scope;
  for (uint32_t o = 1; o < s->object_count; o++) {
    uint32_t other = 0;
    bool written = in_adjoint[o] && s->object[o].mode != KG_READ;
    for (uint32_t k = 1; k < s->object_count && in_adjoint[o] && g->blocks.aliased[o]; k++) {
      if (k == o || g->blocks.of[k] != g->blocks.of[o]) continue;
      if (!other || s->object[k].mode != KG_READ) other = k;
      written |= s->object[k].mode != KG_READ;
    }
    if (!other || !written) continue;
    KGI_DIAG(&g->diags, grad_split_view, s->object[o].pos, kgi_string(g->m, s->object[o].name), kgi_string(g->m, s->object[other].name));
    return KG_REFUSED;
  }
  return KG_OK;
}

/* A host passes what the kernel declares, be it of use or not. */
static void want_own(const kgi_ad_module *g, uint32_t *in_forward) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) in_forward[o] = g->m->scope.object[o].mode != KG_TEMP;
}

/* The shadows that a caller asks for are there, even if nothing touches them. */
static void want_shadows(const kgi_ad_module *g, uint32_t *in_adjoint) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++)
    if (g->of[o] || g->wrt[o]) in_adjoint[g->shadow[o]] = 1;
  for (uint32_t q = 1; q < g->m->scope.param_count; q++) in_adjoint[g->param_shadow[q]] = 1;
  for (uint32_t k = 0; k < g->after_count; k++) in_adjoint[g->after[k].shadow] = 1;
  in_adjoint[0] = 0;
}

static void renumber(kgi_ad_module *g, const uint32_t *in_adjoint) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) g->shadow[o] = in_adjoint[g->shadow[o]];
  for (uint32_t q = 1; q < g->m->scope.param_count; q++) g->param_shadow[q] = in_adjoint[g->param_shadow[q]];
  for (uint32_t k = 0; k < g->after_count; k++) g->after[k].shadow = in_adjoint[g->after[k].shadow];
  for (uint32_t o = 1; o < g->out->scope.object_count; o++)
    if (g->kept[o]) g->kept[o] = false, g->kept[in_adjoint[o]] = true; /* downward: none is passed over */
}

static kg_status split_runs(kgi_ad_module *g) {
  const kg_allocator *alloc = g->params->alloc;
  uint32_t objects = g->out->scope.object_count;
  uint32_t *in_forward = kgi_arena_alloc(&g->scratch, objects, sizeof *in_forward);
  uint32_t *in_adjoint = kgi_arena_alloc(&g->scratch, objects, sizeof *in_adjoint);
  if (!in_forward || !in_adjoint) return KG_NO_MEMORY;
  want_own(g, in_forward);
  g->forward = kgi_module_part(alloc, g->out, g->first_forward, &g->scratch, in_forward);
  want_shadows(g, in_adjoint);
  kg_module *adjoint = kgi_module_part(alloc, g->out, g->out->first_item, &g->scratch, in_adjoint);
  kg_status status = KG_NO_MEMORY;
  if (g->forward && adjoint) {
    state_forward(g, in_forward, in_adjoint);
    state_adjoint(g, adjoint, in_forward, in_adjoint);
    status = check_views(g, in_adjoint);
    if (status == KG_OK) status = finish_forward(g, in_forward);
    renumber(g, in_adjoint);
  }
  kg_module_free(g->out);
  g->out = adjoint;
  return status;
}

kg_status kgi_ad_split(kgi_ad_module *g) {
  g->kept = kgi_arena_alloc(&g->scratch, g->out->scope.object_count, sizeof *g->kept);
  if (!g->kept) return KG_NO_MEMORY;
  if (!g->out->lone) return split_runs(g);
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    uint32_t out = g->run[0].made->object[o].out.i;
    if (out) g->kept[out] = g->m->scope.object[o].mode != KG_READ;
  }
  g->forward = kgi_module_copy(g->params->alloc, g->m);
  return g->forward ? KG_OK : KG_NO_MEMORY;
}
