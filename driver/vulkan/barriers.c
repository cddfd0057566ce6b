/* SwiftShader runs a workgroup in subgroups that go round a loop as often as their own invocations want, and take both sides of every
 * branch, the one that nobody wants with no invocation active; a barrier waits there all the same. Where subgroups differ in their
 * trips they then meet at different barriers (doc/devices.md). */
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

kg_status kgi_vk_check_barriers(const kg_allocator *alloc, const kg_module *m, const kgi_program *p, kgi_diags *diags) {
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
