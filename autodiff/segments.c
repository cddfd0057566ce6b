/* Repeats that are cut into segments, as runs. Of `repeat k in A .. B { runs }` with segments of S rounds becomes, forward,
 *
 *   repeat segment in 0 .. C { copy what the runs start from to a slice; repeat k in A + segment * S .. min(B, A + (segment + 1) * S) { runs } }
 *
 * and in reverse, with the segments the other way round, each slice back into copies, the same rounds on the copies with tapes, and the
 * adjoints of those rounds. */
#include "autodiff/grad.h"
#include "foundation/ir/dim.h"

/* ---- buffers ---- */

static kgi_dim length_of(kgi_ad_module *g, uint32_t object, const uint32_t *dim) {
  const kgi_object *o = &g->m->scope.object[object];
  return o->scalar ? kgi_len_int(&g->b, 1) : (kgi_dim){dim[o->length.i]};
}

/* Any run that a tape belongs to: lengths are built in its name. */
static kgi_ad *plan_of(kgi_ad_module *g, uint32_t cut) {
  for (uint32_t i = 0; i < g->run_count; i++)
    if (g->run[i].cut == cut && g->run[i].has_content) return &g->run[i].ad;
  return NULL;
}

/* How many segments each round of the repeats around has, at most. */
static kgi_dim segments_of(kgi_ad *a, const kgi_ad_segments *c) {
  kgi_dim rounds = kgi_ad_number(a, c->rounds), rest = kgi_ad_number(a, c->rounds - 1);
  kgi_dim up = kgi_ad_length(a, KGI_DIM_ADD, kgi_ad_rounds_of(a, c->repeat), rest);
  return kgi_ad_length(a, KGI_DIM_DIV, up, rounds);
}

/* Which one of the slices the first segment of a round of the repeats around has, and how many slices there are. */
static void place_slices(kgi_ad_module *g, kgi_ad *a, kgi_ad_segments *c) {
  kgi_dim stride = c->count = segments_of(a, c);
  for (uint32_t r = g->parent[c->repeat]; r; r = g->parent[r]) {
    kgi_dim round = kgi_ad_length(a, KGI_DIM_MUL, kgi_ad_round_of(a, r), stride);
    c->first = c->first.i ? kgi_ad_length(a, KGI_DIM_ADD, c->first, round) : round;
    stride = kgi_ad_length(a, KGI_DIM_MUL, kgi_ad_rounds_of(a, r), stride);
  }
  c->slots = stride;
}

bool kgi_ad_place_segments(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->segment_count; i++) {
    kgi_ad_segments *c = &g->segments[i];
    place_slices(g, plan_of(g, i + 1), c);
    c->copy = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *c->copy);
    c->slices = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *c->slices);
  }
  return !g->scratch.failed;
}

static uint32_t declare(kgi_ad_module *g, uint32_t of, const char *prefix, kgi_object made) {
  const kgi_object *o = &g->m->scope.object[of];
  made.name = kgi_intern_z(g->out, kgi_module_free_name(g->out, prefix, kgi_string(g->m, o->name), ""));
  made.pos = o->pos, made.space = KGI_BUFFER, made.type = o->type, made.mode = KG_TEMP;
  return kgi_object_add(&g->b, &made).i;
}

void kgi_ad_declare_segments(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t i = 0; i < g->segment_count; i++)
    for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
      kgi_ad_segments *c = &g->segments[i];
      kgi_object copy = {.scalar = g->m->scope.object[o].scalar};
      if (!c->copied[o]) continue;
      kgi_copy_extents(&copy, &g->m->scope.object[o], dim);
      c->copy[o] = declare(g, o, "again_", copy);
      if (!c->loaded[o]) continue;
      kgi_dim slots = {dim[c->slots.i]}, length = length_of(g, o, dim);
      c->slices[o] = declare(g, o, "snapshots_", (kgi_object){.length = kgi_len_op(&g->b, KGI_DIM_MUL, slots, length)});
    }
}

/* ---- repeats ---- */

static uint32_t begin_segments(kgi_ad_module *g, const kgi_ad_segments *c, bool reversed, const uint32_t *dim) {
  g->b.pos = g->m->item[c->repeat].pos;
  const char *index = kgi_module_free_name(g->out, "segment", "", "");
  kgi_dim none = kgi_len_int(&g->b, 0);
  return kgi_repeat_begin(&g->b, index, none, (kgi_dim){dim[c->count.i]}, (kgi_dim){0}, reversed);
}

static kgi_dim index_of(kgi_ad_module *g, uint32_t item) {
  return kgi_dim_leaf(&g->out->arena, kgi_builder_scope(&g->b), KGI_DIM_INDEX, item);
}

/* The rounds of one segment; of the primal's bounds `dim` has what they are here. */
static void bound(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t repeat, uint32_t segments, const uint32_t *dim) {
  const kgi_item of = g->m->item[c->repeat];
  kgi_dim from = {dim[of.from.i]}, to = {dim[of.to.i]}, step = {dim[of.step.i]}, stride = kgi_len_int(&g->b, c->rounds);
  if (of.step.i) stride = kgi_len_op(&g->b, KGI_DIM_MUL, stride, step);
  kgi_dim first = kgi_len_op(&g->b, KGI_DIM_MUL, index_of(g, segments), stride);
  const kgi_dim_node *n = &g->out->scope.dim[from.i];
  if (n->op != KGI_DIM_INT || n->imm) first = kgi_len_op(&g->b, KGI_DIM_ADD, from, first);
  kgi_dim end = kgi_len_op(&g->b, KGI_DIM_ADD, first, stride);
  kgi_item *made = &g->out->item[repeat];
  made->from = first, made->to = kgi_len_op(&g->b, KGI_DIM_MIN, to, end), made->step = step;
}

/* Between the slice that the segment has of the snapshots and the whole. */
static void append_copy(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t o, uint32_t segments, const uint32_t *dim, bool back) {
  kgi_dim length = length_of(g, o, dim), place = index_of(g, segments), one = kgi_len_int(&g->b, 1);
  if (c->first.i) place = kgi_len_op(&g->b, KGI_DIM_ADD, (kgi_dim){dim[c->first.i]}, place);
  kgi_dim next = kgi_len_op(&g->b, KGI_DIM_ADD, place, one), from = kgi_len_op(&g->b, KGI_DIM_MUL, place, length);
  kgi_slice slice = {from, kgi_len_op(&g->b, KGI_DIM_MUL, next, length)};
  kgi_sliced copied = {.whole = back ? c->copy[o] : o, .sliced = c->slices[o], .slice = slice, .back = back};
  kgi_item_append(&g->b, segments, kgi_copy_run(&g->b, &g->moving, copied));
}

static void append_copies(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t segments, const uint32_t *dim, bool back) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++)
    if (c->slices[o]) append_copy(g, c, o, segments, dim, back);
}

/* ---- forward ---- */

static bool put_for(kg_module *m, uint32_t *first, uint32_t item, uint32_t made) {
  for (uint32_t *at = first; *at; at = &m->item[*at].next) {
    if (*at == item) {
      m->item[made].next = m->item[item].next;
      m->item[item].next = 0;
      *at = made;
      return true;
    }
    if (m->item[*at].kind == KGI_ITEM_REPEAT && put_for(m, &m->item[*at].first, item, made)) return true;
  }
  return false;
}

/* The primal's runs are in the list, as they were. */
void kgi_ad_cut_forward(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t i = 0; i < g->segment_count; i++) {
    const kgi_ad_segments *c = &g->segments[i];
    uint32_t segments = begin_segments(g, c, g->m->item[c->repeat].reversed, dim);
    if (g->b.status != KG_OK) return;
    put_for(g->out, &g->out->first_item, c->repeat, segments);
    g->b.last_item = 0;
    append_copies(g, c, segments, dim, false);
    bound(g, c, c->repeat, segments, dim);
    kgi_item_append(&g->b, segments, c->repeat);
  }
}

/* What nothing was stored to as yet may be in a snapshot. */
void kgi_ad_append_first_contents(kgi_ad_module *g) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    bool wanted = false;
    unsigned mode = g->m->scope.object[o].mode;
    for (uint32_t i = 0; i < g->segment_count; i++) wanted |= g->segments[i].slices[o] != 0;
    if (wanted && (mode == KG_TEMP || mode == KG_WRITE)) kgi_item_append(&g->b, 0, kgi_zero_run(&g->b, &g->moving, o));
  }
}

/* ---- reverse ---- */

/* Empty repeats for those in the list, in the direction of the primal; bounds as kgi_reversed_repeats leaves them. */
static void make_again(kgi_ad_module *g, uint32_t item, uint32_t *again) {
  const kgi_item of = g->m->item[item];
  if (of.kind != KGI_ITEM_REPEAT) return;
  g->b.pos = of.pos;
  again[item] = kgi_repeat_begin(&g->b, kgi_string(g->m, of.name), of.from, of.to, of.step, of.reversed);
  for (uint32_t i = of.first; i; i = g->m->item[i].next) make_again(g, i, again);
}

/* By item of the module: what stands for its index where the segment is run again. NULL: no memory. */
uint32_t *kgi_ad_again_repeats(kgi_ad_module *g, const uint32_t *reversed) {
  uint32_t *again = kgi_arena_alloc(&g->scratch, g->m->item_count, sizeof *again);
  for (uint32_t i = 0; again && i < g->m->item_count; i++) again[i] = reversed[i];
  for (uint32_t i = 0; again && i < g->segment_count; i++) {
    make_again(g, g->segments[i].repeat, again);
    g->segments[i].again = again[g->segments[i].repeat];
  }
  return again;
}

static void append_again(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t first, uint32_t parent) {
  for (uint32_t i = first; i; i = g->m->item[i].next) {
    uint32_t made = g->again[i];
    if (g->m->item[i].kind == KGI_ITEM_RUN) {
      kgi_item_append(&g->b, parent, kgi_ad_run_again(g, i, c->copy, g->again_dim));
      continue;
    }
    kgi_item *repeat = &g->out->item[made];
    repeat->from.i = g->again_dim[repeat->from.i], repeat->to.i = g->again_dim[repeat->to.i], repeat->step.i = g->again_dim[repeat->step.i];
    append_again(g, c, g->m->item[i].first, made);
    kgi_item_append(&g->b, parent, made);
  }
}

/* The adjoints of the rounds are in `reversed`, which is not in the list yet. */
void kgi_ad_cut_reverse(kgi_ad_module *g, uint32_t cut, uint32_t parent, uint32_t reversed, const uint32_t *dim) {
  kgi_ad_segments *c = &g->segments[cut];
  uint32_t segments = begin_segments(g, c, !g->m->item[c->repeat].reversed, dim);
  if (g->b.status != KG_OK) return;
  append_copies(g, c, segments, dim, true);
  append_again(g, c, g->m->item[c->repeat].first, c->again);
  bound(g, c, c->again, segments, g->again_dim);
  bound(g, c, reversed, segments, dim);
  kgi_item_append(&g->b, segments, c->again);
  kgi_item_append(&g->b, segments, reversed);
  kgi_item_append(&g->b, parent, segments);
}
