/* What buffers hold behind a run, as the reverse of atomic extremes asks for it (plan/extremes.c). Where a later run, or a later round of a
 * repeat, changes the buffer, a copy is taken right behind the run: of the slice that the run binds, where that is as
 * long in every round, or of all, and in a repeat one for each round. */
#include "autodiff/grad.h"
#include "foundation/ir/slices.h"

static uint32_t declare(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, const uint32_t *dim) {
  const kgi_object of = g->m->scope.object[kgi_ad_bound(g, r, object)];
  const char *name = kgi_module_free_name(g->out, "end_", kgi_string(g->m, of.name), "");
  kgi_object end = {.name = kgi_intern_z(g->out, name), .pos = of.pos, .space = KGI_BUFFER, .type = of.type, .mode = KG_TEMP};
  end.length = kgi_ad_copied_length(g, r, object, dim);
  if (r->ad.rounds.i) end.length = kgi_len_op(&g->b, KGI_DIM_MUL, (kgi_dim){dim[r->ad.rounds.i]}, end.length);
  return kgi_object_add(&g->b, &end).i;
}

void kgi_ad_declare_ends(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    uint32_t objects = kgi_buffer_end(&r->ad.f.p->scope);
    for (uint32_t o = 1; o < objects && r->has_content; o++) {
      if (!r->ad.object[o].ended) continue;
      if (!r->end) r->end = kgi_arena_alloc(&g->scratch, objects, sizeof *r->end);
      if (!r->end) return kgi_fail(&g->b, KG_NO_MEMORY);
      uint32_t first = kgi_ad_first_end(g, r, o);
      r->end[o] = first == o ? declare(g, r, o, dim) : r->end[first];
    }
  }
}

kgi_ad_part kgi_ad_end_of(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, kgi_slice slice, const uint32_t *dim) {
  bool part = !r->ad.object[object].part_length.i && kgi_is_slice(slice); /* of what was copied */
  if (!r->ad.rounds.i) return (kgi_ad_part){r->end[object], part ? slice : (kgi_slice){{0}, {0}}};
  kgi_dim length = kgi_ad_copied_length(g, r, object, dim), first = kgi_len_op(&g->b, KGI_DIM_MUL, (kgi_dim){dim[r->ad.round.i]}, length);
  slice.from = part ? kgi_len_op(&g->b, KGI_DIM_ADD, first, slice.from) : first;
  slice.to = kgi_len_op(&g->b, KGI_DIM_ADD, first, part ? slice.to : length);
  return (kgi_ad_part){r->end[object], slice};
}

/* Behind the run, wherever that is among the items. */
static void append(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, const uint32_t *dim) {
  g->b.pos = g->m->item[r->item].pos;
  uint32_t item = kgi_ad_copy_run(g, r, object, kgi_ad_end_of(g, r, object, (kgi_slice){0}, dim), dim);
  if (!item) return;
  g->out->item[item].next = g->out->item[r->item].next;
  g->out->item[r->item].next = item;
  g->b.last_item = 0;
}

void kgi_ad_append_ends(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t i = 0; i < g->run_count; i++)
    for (uint32_t o = 1; g->run[i].end && o < kgi_buffer_end(&g->run[i].ad.f.p->scope); o++)
      if (g->run[i].end[o] && kgi_ad_first_end(g, &g->run[i], o) == o) append(g, &g->run[i], o, dim);
}
