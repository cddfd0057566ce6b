/* The copies of buffers that are put aside for adjoints (autodiff/plan/aside.c): where they are made, and which part an adjoint
 * has. */
#include "autodiff/grad.h"
#include "autodiff/emit/emit.h"
#include "foundation/ir/slices.h"

static bool is_aside(const kgi_ad_run *r, uint32_t object) { return r->ad.object[object].aside && r->made->object[object].out.i; }

kgi_dim kgi_ad_copied_length(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, const uint32_t *dim) {
  uint32_t bound = kgi_ad_bound(g, r, object);
  const kgi_object *o = &g->m->scope.object[bound];
  if (r->ad.object[object].part_length.i) return (kgi_dim){dim[r->ad.object[object].part_length.i]};
  if (o->scalar) return kgi_len_int(&g->b, 1);
  return o->length.i ? (kgi_dim){dim[o->length.i]} : kgi_len_of(&g->b, (kgi_obj){bound});
}

uint32_t kgi_ad_copy_run(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, kgi_ad_part to, const uint32_t *dim) {
  kgi_sliced copied = {.whole = kgi_ad_bound(g, r, object), .sliced = to.object, .slice = to.slice};
  if (r->ad.object[object].part_length.i) {
    kgi_slice bound = kgi_run_slice(g->m, r->item, object);
    copied.part = (kgi_slice){{dim[bound.from.i]}, {dim[bound.to.i]}};
    copied.length = kgi_ad_copied_length(g, r, object, dim);
  }
  return kgi_copy_run(&g->b, &g->moving, copied);
}

static uint32_t declare(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, const uint32_t *dim) {
  const kgi_object *bound = &g->m->scope.object[kgi_ad_bound(g, r, object)];
  const char *name = kgi_module_free_name(g->out, "copy_", kgi_string(g->m, bound->name), "");
  kgi_object copy = {.name = kgi_intern_z(g->out, name), .pos = bound->pos, .space = KGI_BUFFER, .type = bound->type, .mode = KG_TEMP};
  copy.length = kgi_ad_copied_length(g, r, object, dim);
  if (r->aside_rounds.i) copy.length = kgi_len_op(&g->b, KGI_DIM_MUL, (kgi_dim){dim[r->aside_rounds.i]}, copy.length);
  return kgi_object_add(&g->b, &copy).i;
}

void kgi_ad_declare_asides(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    uint32_t end = kgi_buffer_end(&r->ad.f.p->scope);
    if (!r->has_content || r->stated || !(r->aside = kgi_arena_alloc(&g->scratch, end, sizeof *r->aside))) continue;
    for (uint32_t o = 1; o < end; o++)
      if (is_aside(r, o)) r->aside[o] = declare(g, r, o, dim);
  }
  if (g->scratch.failed) kgi_fail(&g->b, KG_NO_MEMORY);
}

kgi_slice kgi_ad_aside_slice(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, const uint32_t *dim) {
  if (!r->aside_rounds.i) return (kgi_slice){{0}, {0}};
  kgi_dim length = kgi_ad_copied_length(g, r, object, dim), round = {dim[r->aside_round.i]}, one = kgi_len_int(&g->b, 1);
  kgi_dim next = kgi_len_op(&g->b, KGI_DIM_ADD, round, one), from = kgi_len_op(&g->b, KGI_DIM_MUL, round, length);
  return (kgi_slice){from, kgi_len_op(&g->b, KGI_DIM_MUL, next, length)};
}

static bool put_before(kg_module *m, uint32_t *first, uint32_t item, uint32_t made) {
  for (uint32_t *at = first; *at; at = &m->item[*at].next) {
    if (*at == item) {
      m->item[made].next = item;
      *at = made;
      return true;
    }
    if (m->item[*at].kind == KGI_ITEM_REPEAT && put_before(m, &m->item[*at].first, item, made)) return true;
  }
  return false;
}

/* The primal's runs are in the list. */
void kgi_ad_put_aside(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    for (uint32_t o = 1; r->aside && o < kgi_buffer_end(&r->ad.f.p->scope); o++) {
      if (!r->aside[o]) continue;
      uint32_t made = kgi_ad_copy_run(g, r, o, (kgi_ad_part){r->aside[o], kgi_ad_aside_slice(g, r, o, dim)}, dim);
      if (made) put_before(g->out, &g->out->first_item, r->item, made);
      g->b.last_item = 0;
    }
  }
}
