/* Buffers become views: some lie interleaved in one block, as the fields of structs do, and some have a second view over the same
 * elements, through which a part of their loads, stores and atomics goes. Neither adds an access to any element, so that what was
 * free of races stays so.
 *
 * The choices come from the end of the bytes, backward: programs are the same with and without views. */
#include "fuzz/gen.h"

#include <stdio.h>

enum { BLOCKS = 2 };

/* Below count; 0 when no bytes are left. */
unsigned kgi_gpick_last(kgi_gen *g, unsigned count) { return g->views.last == g->views.first ? 0 : *--g->views.last % count; }

void kgi_gviews_begin(kgi_gen *g, const uint8_t *bytes, size_t size) {
  g->views = (kgi_gviews){.first = bytes, .last = bytes + size};
  g->views.wanted = size && kgi_has(g, KGI_FUZZ_VIEWS) && kgi_gpick_last(g, 4) == 1;
}

/* ---- second views ---- */

static kg_mode second_mode(kgi_gen *g, kg_mode mode) {
  static const kg_mode modes[] = {KG_READ, KG_WRITE, KG_READ_WRITE};
  return mode == KG_READ_WRITE ? modes[kgi_gpick_last(g, 3)] : mode;
}

/* An invocation's own elements are never out of bounds, so their second view may begin an element earlier. */
void kgi_gview_second(kgi_gen *g, kgi_obj of, bool own) {
  kgi_gviews *v = &g->views;
  kgi_object second = g->b.p->scope.object[of.i];
  char name[24];
  if (!v->wanted || !g->lone || (!second.scalar && !second.length.i) || v->seconds == KGI_GEN_SECONDS || kgi_gpick_last(g, 3) != 1) return;
  kgi_gsecond *s = &v->second[v->seconds];
  snprintf(name, sizeof name, "also%u", v->seconds);
  second.name = kgi_intern_z(g->b.m, name);
  second.mode = (uint8_t)second_mode(g, (kg_mode)second.mode);
  *s = (kgi_gsecond){.of = of.i, .shifted = own && !second.scalar && kgi_gpick_last(g, 2)};
  if (s->shifted) second.length = kgi_len_op(&g->b, KGI_DIM_ADD, second.length, kgi_len_int(&g->b, 1));
  s->object = kgi_object_add(&g->b, &second).i;
  v->seconds++;
}

static bool goes_through(const kgi_inst *x, unsigned mode) {
  if (x->kind == KGI_load) return mode != KG_WRITE;
  return x->kind == KGI_store ? mode != KG_READ : x->kind == KGI_atomic && mode == KG_READ_WRITE;
}

static void redirect(kgi_gen *g, const kgi_gsecond *s) {
  kgi_builder *b = &g->b;
  kgi_program *p = b->p;
  uint32_t count = p->inst_count;
  for (uint32_t i = 1; i < count && b->status == KG_OK; i++) {
    kgi_inst x = p->inst[i];
    if (!x.block || !kgi_touches(&x) || x.arg[0] != s->of) continue;
    if (!goes_through(&x, p->scope.object[s->object].mode) || !kgi_gpick_last(g, 2)) continue;
    if (s->shifted) {
      b->at = kgi_before(p, i);
      kgi_val at = {x.arg[1]};
      x.arg[1] = kgi_op2(b, KGI_OP_add, at, kgi_int(b, kgi_type_of(p, at), 1)).i;
    }
    p->inst[i].arg[0] = s->object, p->inst[i].arg[1] = x.arg[1];
  }
}

/* ---- blocks ---- */

/* `offset` of the next field; `size`: of its largest. `row`: structs of a row, behind which one is left out; 0: no rows. */
typedef struct block { uint32_t set, binding, offset, size, row; } block;

static uint32_t aligned(uint32_t offset, uint32_t size) { return (offset + size - 1) / size * size; }

/* Which block an object goes to, BLOCKS for none; its field there is laid out in `offset`. */
static unsigned place(kgi_gen *g, block *blocks, kgi_object *o, bool must) {
  static const uint8_t where[] = {BLOCKS, 0, 0, 1};
  unsigned to = where[kgi_gpick_last(g, 4)];
  uint32_t size = (uint32_t)kg_type_size((kg_type)o->type);
  if (to == BLOCKS && must) to = 0;
  if (to == BLOCKS) return to;
  block *b = &blocks[to];
  o->offset = aligned(b->offset, size);
  b->offset = o->offset + size;
  if (size > b->size) b->size = size;
  return to;
}

static void begin_blocks(kgi_gen *g, block *blocks) {
  blocks[0] = (block){.set = kgi_gpick_last(g, 3), .size = 1};
  blocks[0].binding = kgi_gpick_last(g, 5);
  blocks[0].offset = kgi_gpick_last(g, 3) * 4;
  blocks[1] = (block){.set = kgi_gpick_last(g, 2), .size = 1};
  blocks[1].binding = 5 + kgi_gpick_last(g, 3);
  blocks[1].row = g->views.seconds ? 0 : kgi_gpick_last(g, 4); /* a second view may begin an element earlier */
}

/* The first struct is left out, for views that begin an element earlier. */
static void make_view(kgi_object *o, const block *b, uint32_t binding) {
  o->view = true;
  o->stride = aligned(b->offset, b->size);
  o->offset += o->stride;
  if (b->row) o->row = b->row, o->every = (b->row + 1) * o->stride;
  o->set = b->set, o->binding = binding;
}

static bool is_second(const kgi_gviews *v, uint32_t object, const kgi_gsecond **first) {
  for (unsigned i = 0; i < v->seconds; i++) {
    if (v->second[i].object == object) return true;
    if (v->second[i].of == object) *first = &v->second[i];
  }
  return false;
}

void kgi_gviews_program(kgi_gen *g) {
  kgi_scope *s = &g->b.p->scope;
  kgi_gviews *v = &g->views;
  uint32_t end = kgi_buffer_end(s);
  uint8_t *to = v->wanted && g->lone ? kgi_arena_alloc(&g->b.m->arena, end, 1) : NULL;
  block blocks[BLOCKS + 1];
  if (!to) return;
  begin_blocks(g, blocks);
  for (uint32_t i = 1; i < end; i++) {
    const kgi_gsecond *second = NULL;
    to[i] = BLOCKS;
    if (is_second(v, i, &second)) continue;
    to[i] = (uint8_t)place(g, blocks, &s->object[i], second != NULL);
  }
  for (uint32_t i = 1; i < end; i++)
    if (to[i] < BLOCKS) make_view(&s->object[i], &blocks[to[i]], blocks[to[i]].binding);
  for (unsigned k = 0; k < v->seconds; k++) {
    kgi_object *o = &s->object[v->second[k].object];
    const kgi_object *of = &s->object[v->second[k].of];
    o->view = true, o->set = of->set, o->binding = of->binding, o->stride = of->stride;
    o->row = of->row, o->every = of->every;
    o->offset = of->offset - (v->second[k].shifted ? of->stride : 0);
    redirect(g, &v->second[k]);
  }
}

/* ---- modules ---- */

/* Calls for each binding of a buffer to one of the module's. */
static void each_binding(kg_module *m, void (*visit)(kg_module *m, kgi_object *inner, uint32_t outer, void *user), void *user) {
  for (uint32_t i = 1; i < m->item_count; i++) {
    const kgi_item *item = &m->item[i];
    if (item->kind != KGI_ITEM_RUN) continue;
    kgi_scope *s = &m->program[item->program]->scope;
    for (uint32_t k = 1; k < kgi_buffer_end(s); k++) visit(m, &s->object[k], m->bind[item->binding + k - 1], user);
  }
}

/* While this is under way, `binding` of a program's buffer is the module's that it was bound to first. */
static void note_first(kg_module *m, kgi_object *inner, uint32_t outer, void *user) {
  bool *alone = user;
  (void)m;
  if (!inner->binding) inner->binding = outer;
  if (inner->binding != outer) alone[inner->binding] = alone[outer] = false;
}

static void clear_first(kg_module *m, kgi_object *inner, uint32_t outer, void *user) {
  (void)m, (void)outer, (void)user;
  inner->binding = 0;
}

/* A program numbers its bindings on its own. */
static void follow(kg_module *m, kgi_object *inner, uint32_t outer, void *user) {
  const kgi_object *o = &m->scope.object[outer];
  const unsigned *more = user;
  if (!o->view) return;
  inner->view = true, inner->offset = o->offset, inner->stride = o->stride;
  inner->row = o->row, inner->every = o->every;
  inner->set = o->set, inner->binding = o->binding + *more;
}

/* Only what each of its programs' buffers is always bound to: the others would have to be views alike. */
void kgi_gviews_module(kgi_gen *g) {
  kg_module *m = g->b.m;
  kgi_scope *s = &m->scope;
  block blocks[BLOCKS + 1];
  bool *alone = g->views.wanted ? kgi_arena_alloc(&m->arena, s->object_count, sizeof *alone) : NULL;
  uint8_t *to = g->views.wanted ? kgi_arena_alloc(&m->arena, s->object_count, 1) : NULL;
  unsigned more = kgi_gpick_last(g, 2) * 10;
  if (!alone || !to) return;
  for (uint32_t i = 1; i < s->object_count; i++) alone[i] = true;
  each_binding(m, note_first, alone);
  each_binding(m, note_first, alone); /* what became shared later than it was met */
  each_binding(m, clear_first, NULL);
  begin_blocks(g, blocks);
  for (uint32_t i = 1; i < s->object_count; i++) to[i] = alone[i] ? (uint8_t)place(g, blocks, &s->object[i], false) : BLOCKS;
  for (uint32_t i = 1; i < s->object_count; i++)
    if (to[i] < BLOCKS) make_view(&s->object[i], &blocks[to[i]], blocks[to[i]].binding);
  each_binding(m, follow, &more);
}
