#include "reference/views.h"

#include <math.h>

static const kgi_object *object_of(const kgi_views *v, uint32_t i) { return &v->layout->module->scope.object[i]; }
static uint32_t objects(const kgi_views *v) { return v->layout->module->scope.object_count; }
static kgi_view_block *block_of(const kgi_views *v, uint32_t i) { return &v->block[v->blocks.of[i]]; }
static bool is_given(const kgi_views *v, uint32_t i) { return v->params->buffers && v->params->buffers[i - 1]; }
static bool has_tangents(const kgi_views *v, const kgi_object *o) {
  return v->params->tangent_count && kgi_carries(v->bits, (kg_type)o->type);
}

static uint32_t common(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

/* ---- what the block is made of ---- */

static bool measure(kgi_views *v, uint32_t i) {
  const kgi_object *o = object_of(v, i);
  kgi_view_block *b = block_of(v, i);
  uint64_t reach;
  if (!kgi_view_reach(o, v->layout->length[i], &reach) || reach > SIZE_MAX / 4) return false;
  if (reach > b->bytes) b->bytes = (size_t)reach;
  b->grain = common(common(b->grain, (uint32_t)kg_type_size((kg_type)o->type)), common(common(o->offset, o->stride), o->every));
  return true;
}

/* Marks the grains of a view's elements as written, so that they may be read. */
static void mark_defined(const kgi_views *v, uint32_t i) {
  const kgi_object *o = object_of(v, i);
  const kgi_view_block *b = block_of(v, i);
  size_t each = kg_type_size((kg_type)o->type) / b->grain;
  for (uint64_t e = 0; e < v->layout->length[i]; e++)
    memset(b->watch->written + (size_t)kgi_view_at(o, e) / b->grain, 1, each);
}

static bool watch_block(kgi_views *v, kgi_view_block *b) {
  kgi_object all = {.space = KGI_BUFFER, .mode = v->blocks.written[b->first] ? KG_READ_WRITE : KG_READ};
  bool undefined = false;
  for (uint32_t i = b->first; i < objects(v); i++)
    undefined |= v->blocks.of[i] == b->first && !kgi_is_input(object_of(v, i));
  b->watch = kgi_watch_make(v->watcher, &all, undefined, b->bytes / b->grain, v->arena);
  for (uint32_t i = b->first; b->watch && b->watch->written && i < objects(v); i++)
    if (v->blocks.of[i] == b->first && kgi_is_input(object_of(v, i))) mark_defined(v, i);
  return !v->arena->failed;
}

/* The block's watch, with the view's size of elements. */
static kgi_watch *watch_of(const kgi_views *v, uint32_t i) {
  const kgi_view_block *b = block_of(v, i);
  if (!b->watch) return NULL;
  kgi_watch *watch = kgi_arena_alloc(v->arena, 1, sizeof *watch);
  if (!watch) return NULL;
  *watch = *b->watch;
  watch->cells = (uint32_t)kg_type_size((kg_type)object_of(v, i)->type) / b->grain;
  return watch;
}

/* ---- tangents and intervals ---- */

/* Whether the caller gives directions for it that are not all zero. */
static bool is_seeded(const kgi_views *v, uint32_t i) {
  const double *from = v->params->tangents ? v->params->tangents[i - 1] : NULL;
  for (uint64_t e = 0; from && e < v->layout->length[i] * v->params->tangent_count; e++)
    if (from[e] != 0) return kgi_is_float(object_of(v, i)->type);
  return false;
}

/* Whether something beside its value is kept for each element of the view that its bytes do not tell. Of a block that nothing is
 * stored to, intervals are the points that lie there, whatever the type, and tangents are the caller's. */
static bool carries(const kgi_views *v, uint32_t i) {
  if (v->blocks.written[i]) return v->params->bounds || has_tangents(v, object_of(v, i));
  return has_tangents(v, object_of(v, i)) && is_seeded(v, i);
}

/* What is kept beside a byte is of one type. `map` says which view covers each byte. */
static bool check_types(const kgi_views *v, const kgi_view_block *b) {
  bool any = false, *carrying = kgi_arena_alloc(v->arena, objects(v), sizeof *carrying);
  for (uint32_t i = b->first; carrying && i < objects(v); i++) any |= carrying[i] = v->blocks.of[i] == b->first && carries(v, i);
  uint32_t *map = any ? kgi_arena_alloc(v->arena, b->bytes, sizeof *map) : NULL;
  for (uint32_t i = b->first; map && i < objects(v); i++) {
    const kgi_object *o = object_of(v, i);
    size_t size = kg_type_size((kg_type)o->type);
    for (uint64_t e = 0; v->blocks.of[i] == b->first && e < v->layout->length[i]; e++)
      for (size_t k = 0; k < size; k++) {
        uint32_t *at = &map[(size_t)kgi_view_at(o, e) + k];
        const kgi_object *before = object_of(v, *at);
        if (*at && before->type != o->type && (carrying[*at] || carrying[i])) {
          KGI_DIAG(v->diags, mixed_views, o->pos, kgi_string(v->layout->module, before->name),
                   kgi_string(v->layout->module, o->name));
          return false;
        }
        *at = i;
      }
  }
  return true;
}

/* Views of one type share what is beside. */
static bool make_beside(kgi_views *v, kgi_view_block *b, kgi_memory *m) {
  kgi_memory *all = &b->beside[m->type];
  size_t count;
  if (all->base) return true;
  *all = *m;
  if (has_tangents(v, &(kgi_object){.type = m->type})) {
    if (!kgi_size_mul(m->total, v->params->tangent_count, &count)) return false;
    all->tangent = kgi_arena_alloc(v->arena, count, sizeof(double));
    all->magnitude = kgi_arena_alloc(v->arena, count, sizeof(double));
  }
  if (v->params->bounds) {
    all->cells = kgi_cells_make(all, NULL, NULL, kgi_has_atomics(v->layout->module), v->arena);
    if (all->cells) kgi_cells_unknown(all->cells, all->total);
  }
  return !v->arena->failed;
}

/* The caller's seeds; a later view's win, as its contents do. */
static void seed(const kgi_views *v, uint32_t i) {
  const kgi_memory *m = &v->buffers[i];
  const double *from = v->params->tangents ? v->params->tangents[i - 1] : NULL;
  for (uint32_t k = 0; k < v->params->tangent_count && kgi_is_float(m->type); k++)
    for (uint64_t e = 0; e < m->length; e++) {
      size_t at = k * m->total + kgi_memory_at(m, e);
      m->tangent[at] = from ? from[(size_t)k * m->length + e] : 0;
      m->magnitude[at] = fabs(m->tangent[at]);
    }
}

/* What is only read keeps the caller's seeds; a seed contributes itself. */
static void give_tangents(const kgi_views *v, uint32_t i) {
  const kgi_memory *m = &v->buffers[i];
  double *t = v->params->tangents ? v->params->tangents[i - 1] : NULL;
  double *magnitude = v->params->magnitudes ? v->params->magnitudes[i - 1] : NULL;
  bool written = kgi_is_output(object_of(v, i));
  for (uint32_t k = 0; k < v->params->tangent_count && kgi_is_float(m->type); k++)
    for (uint64_t e = 0; e < m->length; e++) {
      size_t to = (size_t)k * m->length + e, from = k * m->total + kgi_memory_at(m, e);
      if (t && written) t[to] = m->tangent[from];
      if (magnitude) magnitude[to] = written ? m->magnitude[from] : t ? fabs(t[to]) : 0;
    }
}

static void give_bounds(const kgi_views *v, uint32_t i) {
  const kgi_memory *m = &v->buffers[i];
  double *low = v->params->low ? v->params->low[i - 1] : NULL, *high = v->params->high ? v->params->high[i - 1] : NULL;
  for (uint64_t e = 0; e < m->length && (low || high); e++) {
    kgi_interval x = kgi_cells_final(m->cells, m, kgi_memory_at(m, e));
    if (low) low[e] = x.low;
    if (high) high[e] = x.high;
  }
}

/* ---- in and out ---- */

static bool make_view(kgi_views *v, uint32_t i) {
  const kgi_object *o = object_of(v, i);
  kgi_view_block *b = block_of(v, i);
  uint32_t size = (uint32_t)kg_type_size((kg_type)o->type);
  kgi_memory *m = &v->buffers[i];
  *m = (kgi_memory){.base = b->base, .type = o->type, .size = (uint8_t)size, .step = o->stride / size,
                    .row = o->row, .every = o->every / size, .first = o->offset / size,
                    .length = v->layout->length[i], .total = b->bytes / size};
  if (!make_beside(v, b, m)) return false;
  const kgi_memory *beside = &b->beside[o->type];
  m->tangent = beside->tangent, m->magnitude = beside->magnitude, m->cells = beside->cells, m->watch = watch_of(v, i);
  if (!kgi_is_input(o)) return !v->arena->failed;
  kgi_view_put(o, m->length, b->base, is_given(v, i) ? v->params->buffers[i - 1] : NULL);
  if (m->tangent) seed(v, i);
  return !v->arena->failed;
}

static kg_status make_block(kgi_views *v, kgi_view_block *b) {
  b->base = kgi_arena_alloc(v->arena, b->bytes, 1);
  if (!check_types(v, b)) return KG_REFUSED;
  return watch_block(v, b) ? KG_OK : KG_NO_MEMORY;
}

/* Once all views are put, for a later one changes what an earlier one holds. */
static void look_at_contents(const kgi_views *v, uint32_t i) {
  const kgi_object *o = object_of(v, i);
  if (v->params->bounds && kgi_is_input(o)) kgi_cells_points(v->buffers[i].cells, &v->buffers[i]);
  bool held = (v->params->checks & KG_CHECK_RANGES) && is_given(v, i) && o->ranged && kgi_is_input(o);
  if (held) kgi_watch_range(v->layout, i, &v->buffers[i], v->report);
}

static bool any(const kgi_views *v) {
  for (uint32_t i = 1; i < objects(v); i++)
    if (object_of(v, i)->view) return true;
  return false;
}

kg_status kgi_views_enter(kgi_views *v) {
  kg_status status = KG_OK;
  if (!any(v)) return KG_OK;
  if (!kgi_blocks_find(&v->blocks, v->arena, &v->layout->module->scope)) return KG_NO_MEMORY;
  v->block = kgi_arena_alloc(v->arena, objects(v), sizeof *v->block);
  if (!v->block) return KG_NO_MEMORY;
  for (uint32_t i = 1; i < objects(v); i++) {
    block_of(v, i)->first = v->blocks.of[i];
    if (object_of(v, i)->view && !measure(v, i)) return KG_NO_MEMORY;
  }
  for (uint32_t i = 1; i < objects(v) && status == KG_OK; i++) {
    if (object_of(v, i)->view && v->blocks.of[i] == i) status = make_block(v, &v->block[i]);
    if (object_of(v, i)->view && status == KG_OK && !make_view(v, i)) status = KG_NO_MEMORY;
  }
  for (uint32_t i = 1; i < objects(v) && status == KG_OK; i++)
    if (object_of(v, i)->view) look_at_contents(v, i);
  return status;
}

void kgi_views_leave(const kgi_views *v) {
  for (uint32_t i = 1; i < objects(v); i++) {
    const kgi_object *o = object_of(v, i);
    if (!o->view) continue;
    if (kgi_is_output(o) && is_given(v, i)) kgi_view_take(o, v->buffers[i].length, block_of(v, i)->base, v->params->buffers[i - 1]);
    if (v->buffers[i].tangent) give_tangents(v, i);
    if (v->params->bounds) give_bounds(v, i);
  }
}
