/* Repeats that are cut into segments, as runs. Of `repeat k in A .. B { runs }` with segments of S rounds becomes, forward,
 *
 *   repeat segment in 0 .. C { copy what the runs start from to a slice; repeat k in A + segment * S .. min(B, A + (segment + 1) * S) { runs } }
 *
 * and in reverse, with the segments the other way round, each slice back into copies, the same rounds on the copies with tapes, and the
 * adjoints of those rounds. With groups of M segments the first is done for S * M rounds; in reverse they are run again as the primal ran,
 * on the copies, with a slice for each segment, and then each segment is reversed from its slice. */
#include "autodiff/grad.h"
#include "foundation/ir/dim.h"

#include <string.h>

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

/* How many segments, or groups of them, each round of the repeats around has, at most. */
static kgi_dim segments_of(kgi_ad *a, const kgi_ad_segments *c) {
  int64_t of_group = (int64_t)c->rounds * c->group;
  kgi_dim rounds = kgi_ad_number(a, of_group), rest = kgi_ad_number(a, of_group - 1);
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
    c->inner = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *c->inner);
  }
  return !g->scratch.failed;
}

static uint32_t declare(kgi_ad_module *g, uint32_t of, const char *prefix, kgi_object made) {
  const kgi_object *o = &g->m->scope.object[of];
  made.name = kgi_intern_z(g->out, kgi_module_free_name(g->out, prefix, kgi_string(g->m, o->name), ""));
  made.pos = o->pos, made.space = KGI_BUFFER, made.type = o->type, made.mode = KG_TEMP;
  return kgi_object_add(&g->b, &made).i;
}

static uint32_t declare_slices(kgi_ad_module *g, uint32_t of, kgi_dim slots, const uint32_t *dim) {
  kgi_dim length = kgi_len_op(&g->b, KGI_DIM_MUL, slots, length_of(g, of, dim));
  return declare(g, of, "snapshots_", (kgi_object){.length = length});
}

void kgi_ad_declare_segments(kgi_ad_module *g, const uint32_t *dim) {
  for (uint32_t i = 0; i < g->segment_count; i++)
    for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
      kgi_ad_segments *c = &g->segments[i];
      kgi_object copy = {.scalar = g->m->scope.object[o].scalar};
      if (!c->copied[o]) continue;
      kgi_copy_extents(&copy, &g->m->scope.object[o], dim);
      c->copy[o] = declare(g, o, "again_", copy);
      if (c->begun[o]) c->slices[o] = declare_slices(g, o, (kgi_dim){dim[c->slots.i]}, dim);
      if (c->begun[o] && c->group > 1) c->inner[o] = declare_slices(g, o, kgi_len_int(&g->b, c->group), dim);
    }
}

/* ---- repeats ---- */

static bool is_an_index(const kg_module *m, const char *name) {
  for (uint32_t i = 1; i < m->item_count; i++)
    if (m->item[i].kind == KGI_ITEM_REPEAT && !strcmp(kgi_string(m, m->item[i].name), name)) return true;
  return false;
}

static const char *free_index(kgi_ad_module *g, const char *name) {
  while (is_an_index(g->m, name = kgi_module_free_name(g->out, name, "", ""))) name = kgi_module_free_name(g->out, name, "_", "");
  return name;
}

static uint32_t begin(kgi_ad_module *g, const kgi_ad_segments *c, const char *index, kgi_dim count, bool reversed) {
  g->b.pos = g->m->item[c->repeat].pos;
  kgi_dim none = kgi_len_int(&g->b, 0);
  return kgi_repeat_begin(&g->b, free_index(g, index), none, count, (kgi_dim){0}, reversed);
}

static uint32_t begin_slices(kgi_ad_module *g, const kgi_ad_segments *c, bool reversed, const uint32_t *dim) {
  return begin(g, c, c->group > 1 ? "group" : "segment", (kgi_dim){dim[c->count.i]}, reversed);
}

static kgi_dim index_of(kgi_ad_module *g, uint32_t item) {
  return kgi_dim_leaf(&g->out->arena, kgi_builder_scope(&g->b), KGI_DIM_INDEX, item);
}

/* Which of the segments of so many rounds it is, counted over the whole repeat. */
typedef struct part { kgi_dim place; int64_t rounds; } part;

/* The rounds of one part; of the primal's bounds `dim` has what they are here. */
static void bound(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t repeat, part p, const uint32_t *dim) {
  const kgi_item of = g->m->item[c->repeat];
  kgi_dim from = {dim[of.from.i]}, to = {dim[of.to.i]}, step = {dim[of.step.i]}, stride = kgi_len_int(&g->b, p.rounds);
  if (of.step.i) stride = kgi_len_op(&g->b, KGI_DIM_MUL, stride, step);
  kgi_dim first = kgi_len_op(&g->b, KGI_DIM_MUL, p.place, stride);
  const kgi_dim_node *n = &g->out->scope.dim[from.i];
  if (n->op != KGI_DIM_INT || n->imm) first = kgi_len_op(&g->b, KGI_DIM_ADD, from, first);
  kgi_dim end = kgi_len_op(&g->b, KGI_DIM_ADD, first, stride);
  kgi_item *made = &g->out->item[repeat];
  made->from = first, made->to = kgi_len_op(&g->b, KGI_DIM_MIN, to, end), made->step = step;
}

/* Slice `place` of all that there are slices of, from the whole or back to it; `whole`: NULL: the module's own. */
typedef struct moved { const uint32_t *whole, *slices; kgi_dim place; bool back; } moved;

static void append_copies(kgi_ad_module *g, uint32_t parent, moved x, const uint32_t *dim) {
  kgi_dim one = kgi_len_int(&g->b, 1), next = kgi_len_op(&g->b, KGI_DIM_ADD, x.place, one);
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    if (!x.slices[o]) continue;
    kgi_dim length = length_of(g, o, dim), from = kgi_len_op(&g->b, KGI_DIM_MUL, x.place, length);
    kgi_slice slice = {from, kgi_len_op(&g->b, KGI_DIM_MUL, next, length)};
    kgi_sliced copied = {.whole = x.whole ? x.whole[o] : o, .sliced = x.slices[o], .slice = slice, .back = x.back};
    kgi_item_append(&g->b, parent, kgi_copy_run(&g->b, &g->moving, copied));
  }
}

static kgi_dim place_in_slices(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t slices, const uint32_t *dim) {
  kgi_dim place = index_of(g, slices);
  return c->first.i ? kgi_len_op(&g->b, KGI_DIM_ADD, (kgi_dim){dim[c->first.i]}, place) : place;
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
    uint32_t slices = begin_slices(g, c, g->m->item[c->repeat].reversed, dim);
    if (g->b.status != KG_OK) return;
    put_for(g->out, &g->out->first_item, c->repeat, slices);
    g->b.last_item = 0;
    append_copies(g, slices, (moved){.slices = c->slices, .place = place_in_slices(g, c, slices, dim)}, dim);
    bound(g, c, c->repeat, (part){index_of(g, slices), (int64_t)c->rounds * c->group}, dim);
    kgi_item_append(&g->b, slices, c->repeat);
  }
}

/* ---- reverse ---- */

/* Empty repeats for those in the list, in the direction of the primal; bounds as kgi_reversed_repeats leaves them. */
static void make_again(kgi_ad_module *g, uint32_t item, uint32_t *made) {
  const kgi_item of = g->m->item[item];
  if (of.kind != KGI_ITEM_REPEAT) return;
  g->b.pos = of.pos;
  made[item] = kgi_repeat_begin(&g->b, kgi_string(g->m, of.name), of.from, of.to, of.step, of.reversed);
  for (uint32_t i = of.first; i; i = g->m->item[i].next) make_again(g, i, made);
}

/* What stands for the indices of repeats in there; around what is cut the reverse goes through them. */
static bool make_pass(kgi_ad_module *g, const uint32_t *reversed, kgi_ad_pass *pass) {
  pass->item = kgi_arena_alloc(&g->scratch, g->m->item_count, sizeof *pass->item);
  if (!pass->item) return false;
  for (uint32_t i = 0; i < g->m->item_count; i++) pass->item[i] = reversed[i];
  for (uint32_t i = 0; i < g->segment_count; i++) make_again(g, g->segments[i].repeat, pass->item);
  pass->dim = kgi_copy_dims(&g->b, &g->work->scope, NULL, pass->item, &g->scratch);
  return pass->dim;
}

bool kgi_ad_make_passes(kgi_ad_module *g, const uint32_t *reversed) {
  g->again.taped = true;
  return make_pass(g, reversed, &g->plain) && make_pass(g, reversed, &g->again);
}

static void fill_pass(kgi_ad_module *g, const kgi_ad_segments *c, const kgi_ad_pass *pass, uint32_t first, uint32_t parent) {
  for (uint32_t i = first; i; i = g->m->item[i].next) {
    if (g->m->item[i].kind == KGI_ITEM_RUN) {
      kgi_item_append(&g->b, parent, kgi_ad_run_again(g, i, c->copy, pass));
      continue;
    }
    kgi_item *repeat = &g->out->item[pass->item[i]];
    repeat->from.i = pass->dim[repeat->from.i], repeat->to.i = pass->dim[repeat->to.i], repeat->step.i = pass->dim[repeat->step.i];
    fill_pass(g, c, pass, g->m->item[i].first, pass->item[i]);
    kgi_item_append(&g->b, parent, pass->item[i]);
  }
}

static void append_pass(kgi_ad_module *g, const kgi_ad_segments *c, const kgi_ad_pass *pass, uint32_t parent, part p) {
  uint32_t repeat = pass->item[c->repeat];
  fill_pass(g, c, pass, g->m->item[c->repeat].first, repeat);
  bound(g, c, repeat, p, pass->dim);
  kgi_item_append(&g->b, parent, repeat);
}

/* A slice for each segment of the group, whose first one begins with what the copies hold. */
static void append_group(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t parent, kgi_dim first) {
  uint32_t segments = begin(g, c, "segment", kgi_len_int(&g->b, c->group), g->m->item[c->repeat].reversed);
  if (g->b.status != KG_OK) return;
  kgi_dim place = index_of(g, segments);
  append_copies(g, segments, (moved){.whole = c->copy, .slices = c->inner, .place = place}, g->plain.dim);
  append_pass(g, c, &g->plain, segments, (part){kgi_len_op(&g->b, KGI_DIM_ADD, first, place), c->rounds});
  kgi_item_append(&g->b, parent, segments);
}

/* The copies hold what the segment begins with. */
static void reverse_segment(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t parent, uint32_t reversed, kgi_dim place, const uint32_t *dim) {
  part p = {place, c->rounds};
  append_pass(g, c, &g->again, parent, p);
  bound(g, c, reversed, p, dim);
  kgi_item_append(&g->b, parent, reversed);
}

/* The adjoints of the rounds are in `reversed`, which is not in the list yet. */
void kgi_ad_cut_reverse(kgi_ad_module *g, uint32_t cut, uint32_t parent, uint32_t reversed, const uint32_t *dim) {
  const kgi_ad_segments *c = &g->segments[cut];
  bool back = !g->m->item[c->repeat].reversed;
  uint32_t slices = begin_slices(g, c, back, dim), segments = slices;
  if (g->b.status != KG_OK) return;
  kgi_dim place = index_of(g, slices);
  append_copies(g, slices, (moved){c->copy, c->slices, place_in_slices(g, c, slices, dim), true}, dim);
  if (c->group > 1) {
    kgi_dim first = kgi_len_op(&g->b, KGI_DIM_MUL, place, kgi_len_int(&g->b, c->group));
    append_group(g, c, slices, first);
    segments = begin(g, c, "segment", kgi_len_int(&g->b, c->group), back);
    if (g->b.status != KG_OK) return;
    place = index_of(g, segments);
    append_copies(g, segments, (moved){c->copy, c->inner, place, true}, dim);
    place = kgi_len_op(&g->b, KGI_DIM_ADD, first, place);
  }
  reverse_segment(g, c, segments, reversed, place, dim);
  if (c->group > 1) kgi_item_append(&g->b, slices, segments);
  kgi_item_append(&g->b, parent, slices);
}
