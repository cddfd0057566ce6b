/* Shadows that the runs have beside the caller's: `inner` ones. What is given is added to them before the runs, and what is asked for is
 * taken from them afterwards. There are two reasons for one.
 *
 * Views that may overlap have shadows in one block, while the caller gives and takes an array for each. On exit of the primal, each
 * output takes its elements from the block: so each cotangent is added to the block. On entry, inputs are copied into the block in order
 * of declaration, a later one over an earlier: so gradients are taken from it in the other order, each with what it leaves of the block
 * zeroed, and the block of a view that nobody asks about is zeroed where it lies over one that somebody does.
 *
 * What a gradient is accumulated to is no cotangent, and is not to be handed on where the primal overwrites the input or adds to it, nor
 * copied where somebody asks for the gradient by what the input holds behind a run: the gradient is worked out beside what the caller
 * has, and added to that. */
#include "autodiff/grad.h"
#include "modules/modules.h"

/* Some input below, whose gradient is asked for, has nothing of what lies under this one. */
static bool hides_some(const kgi_ad_module *g, uint32_t object) {
  for (uint32_t o = 1; o < object; o++)
    if (g->wrt[o] && g->viewed[o] && kgi_ad_hides(g, object, o)) return true;
  return false;
}

/* An atomic add leaves the shadow as it is, but hands on what is there. */
static bool takes_shadow(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  return kgi_ad_has_reverse(a, i) && (inst->kind == KGI_store || inst->kind == KGI_atomic);
}

static bool stores_to(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t o) {
  for (uint32_t k = 1; k < kgi_buffer_end(&r->ad.f.p->scope); k++)
    for (uint32_t i = kgi_ad_bound(g, r, k) == o ? r->ad.f.object[k].first : 0; i; i = r->ad.f.access_next[i])
      if (takes_shadow(&r->ad, i)) return true;
  return false;
}

/* A stated adjoint replaces the shadows of what its program writes, whether it is on the path or not. */
static bool replaces(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t o) {
  for (uint32_t k = 1; r->stated && r->has_content && k < kgi_buffer_end(&r->ad.f.p->scope); k++)
    if (kgi_ad_bound(g, r, k) == o && r->ad.f.object[k].writes) return true;
  return false;
}

/* Some reverse hands on what the shadow holds. */
static bool is_taken(const kgi_ad_module *g, uint32_t o) {
  for (uint32_t i = 0; i < g->run_count; i++)
    if (stores_to(g, &g->run[i], o) || replaces(g, &g->run[i], o)) return true;
  return false;
}

/* A copy of it is asked for: "o after k". */
static bool is_copied(const kgi_ad_module *g, uint32_t o) {
  for (uint32_t k = 0; k < g->after_count; k++)
    if (g->after[k].object == o) return true;
  return false;
}

static bool is_apart(const kgi_ad_module *g, uint32_t o) {
  return g->params->accumulate && g->wrt[o] && !g->of[o] && (is_taken(g, o) || is_copied(g, o));
}

bool kgi_ad_has_inner(const kgi_ad_module *g, uint32_t o) {
  if (!g->viewed[o]) return is_apart(g, o);
  return g->touched[o] || g->wrt[o] || g->of[o] || hides_some(g, o);
}

bool kgi_ad_has_boundary(const kgi_ad_module *g) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++)
    if (kgi_ad_has_inner(g, o)) return true;
  return false;
}

static void append(kgi_ad_module *g, kgi_transfer t) { kgi_item_append(&g->b, 0, kgi_transfer_run(&g->b, t)); }

void kgi_ad_append_entry(kgi_ad_module *g) {
  uint32_t count = g->m->scope.object_count;
  for (uint32_t o = 1; o < count; o++)
    if (g->inner[o] && g->viewed[o]) append(g, (kgi_transfer){.verb = "zero", .to = g->inner[o]});
  for (uint32_t o = 1; o < count; o++)
    if (g->inner[o] && g->of[o]) append(g, (kgi_transfer){.verb = "add_to", .to = g->inner[o], .from = g->shadow[o], .adds = true});
}

void kgi_ad_append_exit(kgi_ad_module *g) {
  for (uint32_t o = g->m->scope.object_count - 1; o; o--) {
    if (!g->inner[o]) continue;
    bool hides = hides_some(g, o), adds = g->params->accumulate && !g->of[o];
    if (g->wrt[o]) append(g, (kgi_transfer){.verb = "take", .to = g->shadow[o], .from = g->inner[o], .adds = adds, .clears = hides});
    else if (hides) append(g, (kgi_transfer){.verb = "zero", .to = g->inner[o]});
  }
}
