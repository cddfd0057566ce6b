/* Runs bind slices: buffers of a module become parts of one, and runs of a repeat read another part of a buffer in each round. Neither
 * adds an access to any element that a run has, so that what was free of races stays so.
 *
 * The choices come from the end of the bytes, backward: programs are the same with and without slices. */
#include "fuzz/gen.h"
#include "foundation/ir/slices.h"

static kgi_scope *scope_of(kgi_gen *g) { return &g->b.m->scope; }

static kgi_dim length_of(kgi_gen *g, const kgi_object *o) { return o->length.i ? o->length : kgi_len_int(&g->b, 1); }

/* ---- each run, with the index of the repeat around it ---- */

typedef struct change { uint32_t from, to; kgi_dim begin, length; bool moves; } change;

static void rebind(kgi_gen *g, uint32_t item, uint32_t repeat, const change *c) {
  kg_module *m = g->b.m;
  const kgi_scope *s = &m->program[m->item[item].program]->scope;
  for (uint32_t i = 1; i < kgi_buffer_end(s); i++) {
    if (m->bind[m->item[item].binding + i - 1] != c->from) continue;
    kgi_slice slice = kgi_run_slice(m, item, i);
    if (!kgi_is_slice(slice)) slice = (kgi_slice){kgi_len_int(&g->b, 0), c->length};
    kgi_dim by = c->begin;
    if (c->moves) by = repeat ? kgi_dim_leaf(&m->arena, &m->scope, KGI_DIM_INDEX, repeat) : kgi_len_int(&g->b, 3);
    slice.from = kgi_len_op(&g->b, KGI_DIM_ADD, slice.from, by);
    slice.to = kgi_len_op(&g->b, KGI_DIM_ADD, slice.to, by);
    kgi_run_bind_slice(&g->b, item, i, c->to, slice);
  }
}

static void rebind_all(kgi_gen *g, uint32_t first, uint32_t repeat, const change *c) {
  for (uint32_t i = first; i; i = g->b.m->item[i].next) {
    if (g->b.m->item[i].kind == KGI_ITEM_RUN) rebind(g, i, repeat, c);
    else rebind_all(g, g->b.m->item[i].first, i, c);
  }
}

static void change_all(kgi_gen *g, change c) { rebind_all(g, g->b.m->first_item, 0, &c); }

/* ---- parts of one ---- */

static bool is_measured(kgi_gen *g, uint32_t object) {
  for (uint32_t i = 1; i < scope_of(g)->dim_count; i++)
    if (scope_of(g)->dim[i].op == KGI_DIM_LEN && scope_of(g)->dim[i].a == object) return true;
  return false;
}

static bool alike(const kgi_object *a, const kgi_object *b) {
  return a->type == b->type && a->mode == b->mode && a->ranged == b->ranged && a->lo.i == b->lo.i && a->hi.i == b->hi.i;
}

static bool has_length(const kgi_object *o) { return o->scalar || o->length.i; }

/* The last buffer becomes the end of `into`, with a gap between them now and then. */
static void join(kgi_gen *g, uint32_t into) {
  kgi_scope *s = scope_of(g);
  uint32_t last = s->object_count - 1;
  kgi_dim first_length = length_of(g, &s->object[into]), last_length = length_of(g, &s->object[last]);
  kgi_dim begin = kgi_len_op(&g->b, KGI_DIM_ADD, first_length, kgi_len_int(&g->b, kgi_gpick_last(g, 3)));
  change_all(g, (change){.from = into, .to = into, .begin = kgi_len_int(&g->b, 0), .length = first_length});
  change_all(g, (change){.from = last, .to = into, .begin = begin, .length = last_length});
  kgi_object *o = &s->object[into];
  o->scalar = false, o->rank = 0;
  for (unsigned k = 0; k < KGI_MAX_RANK; k++) o->extent[k] = (kgi_dim){0};
  o->length = kgi_len_op(&g->b, KGI_DIM_ADD, begin, last_length);
  s->object_count--;
}

static void join_some(kgi_gen *g, bool *joined) {
  for (bool found = true; found;) {
    const kgi_scope *s = scope_of(g);
    uint32_t last = s->object_count - 1;
    found = false;
    for (uint32_t i = 1; i < last && !found; i++) {
      const kgi_object *a = &s->object[i], *b = &s->object[last];
      if (!alike(a, b) || !has_length(a) || !has_length(b) || is_measured(g, last) || is_measured(g, i) || !kgi_gpick_last(g, 2)) continue;
      found = joined[i] = true;
      join(g, i);
    }
  }
}

/* ---- a part in each round ---- */

enum { MOST_INDEX = 16 }; /* no index of a repeat is as large */

static void move(kgi_gen *g, uint32_t object) {
  kgi_object *o = &scope_of(g)->object[object];
  kgi_dim length = length_of(g, o), more = kgi_len_int(&g->b, MOST_INDEX);
  change_all(g, (change){.from = object, .to = object, .length = length, .moves = true});
  o = &scope_of(g)->object[object];
  o->scalar = false, o->rank = 0;
  for (unsigned k = 0; k < KGI_MAX_RANK; k++) o->extent[k] = (kgi_dim){0};
  o->length = kgi_len_op(&g->b, KGI_DIM_ADD, length, more);
}

void kgi_gslices_module(kgi_gen *g) {
  kg_module *m = g->b.m;
  bool *joined = kgi_arena_alloc(&m->arena, m->scope.object_count, sizeof *joined);
  if (!joined || g->views.wanted || !kgi_has(g, KGI_FUZZ_SLICES) || !kgi_gpick_last(g, 2)) return;
  join_some(g, joined);
  for (uint32_t i = 1; i < m->scope.object_count; i++) {
    const kgi_object *o = &m->scope.object[i];
    if (o->mode != KG_READ || o->ranged || joined[i] || !has_length(o) || is_measured(g, i) || !kgi_gpick_last(g, 2)) continue;
    move(g, i);
  }
}
