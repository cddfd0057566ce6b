/* SwiftShader and lavapipe run a workgroup in batches that go round a loop as often as their own invocations want, and take both sides
 * of every branch, the one that nobody wants with no invocation active; a barrier waits there all the same. Where batches differ in
 * their trips they then meet at different barriers (doc/devices.md). */
#include "driver/vulkan/program.h"
#include "foundation/analysis/uniform.h"

/* Whether all of a workgroup go round the loop as often, or come to a barrier in each trip, which they must do together. */
static bool is_even(const kgi_program *p, const kgi_uniformity *u, kgi_blk body) {
  return u->block[body] != KGI_VARYING || kgi_meets_barrier(p, body);
}

/* The loop around a barrier of which that is not known; 0: there is none. */
static uint32_t uneven_around(const kgi_program *p, const kgi_uniformity *u, uint32_t barrier) {
  for (kgi_blk block = p->inst[barrier].block; block != KGI_BODY; block = p->inst[p->block[block].owner].block) {
    uint32_t owner = p->block[block].owner;
    if (kgi_is_loop(&p->inst[owner]) && !is_even(p, u, block)) return owner;
  }
  return 0;
}

/* Neighbours along x alone are sure to be in one, as far as a subgroup goes. */
static bool is_one_batch(const kgi_program *p, uint32_t subgroup_size) {
  int64_t side = 0;
  for (unsigned k = 0; k < 3; k++) {
    if (k && !p->workgroup[k].i) continue;
    if (kgi_dim_eval(&p->scope, p->workgroup[k], &(kgi_dim_env){0}, &side) != KGI_DIM_OK) return false;
    if (side > (k ? 1 : (int64_t)subgroup_size)) return false;
  }
  return true;
}

kg_status kgi_vk_check_barriers(const kg_allocator *alloc, const kg_module *m, const kgi_program *p, uint32_t subgroup_size,
                                kgi_diags *diags) {
  if (is_one_batch(p, subgroup_size)) return KG_OK;
  kgi_arena arena;
  kgi_uniformity u;
  kgi_arena_init(&arena, alloc);
  kg_status status = kgi_uniformity_of(&arena, p, &u);
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    uint32_t loop = status == KG_OK && p->inst[i].kind == KGI_barrier ? uneven_around(p, &u, i) : 0;
    if (!loop) continue;
    KGI_DIAG(diags, device_barrier, p->inst_pos[loop], kgi_string(m, p->name));
    status = KG_REFUSED;
  }
  kgi_arena_free(&arena);
  return status;
}
