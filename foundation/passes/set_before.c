#include "foundation/passes/set_before.h"
#include "foundation/analysis/filling.h"

enum { MOST_STORES = 64 };

static bool is_store_to_var(const kgi_program *p, uint32_t i) {
  uint32_t object = kgi_has_effect(&p->inst[i], KGI_WRITES | KGI_DECLARES) ? kgi_object_of(&p->inst[i]) : 0;
  return object && p->scope.object[object].space == KGI_VAR;
}

bool kgi_stores_find(const kgi_program *p, kgi_arena *scratch, kgi_stores *s) {
  uint32_t objects = p->scope.object_count, count = 0, n = 0;
  KGI_EACH_INSIDE(p, KGI_BODY, i) count += is_store_to_var(p, i);
  s->place = kgi_arena_alloc(scratch, p->inst_count, sizeof *s->place), s->last = kgi_arena_alloc(scratch, p->inst_count, sizeof *s->last);
  s->row = kgi_arena_alloc(scratch, count + 1, sizeof *s->row), s->inst = kgi_arena_alloc(scratch, count + 1, sizeof *s->inst);
  s->begin = kgi_arena_alloc(scratch, objects + 2, sizeof *s->begin);
  if (!s->place || !s->last || !s->row || !s->inst || !s->begin) return false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    s->place[i] = s->last[i] = ++n;
    for (uint32_t in = p->block[p->inst[i].block].owner; in; in = p->block[p->inst[in].block].owner) s->last[in] = n;
    if (is_store_to_var(p, i)) s->begin[kgi_object_of(&p->inst[i]) + 2]++;
  }
  for (uint32_t o = 2; o < objects + 2; o++) s->begin[o] += s->begin[o - 1];
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    if (!is_store_to_var(p, i)) continue;
    uint32_t at = s->begin[kgi_object_of(&p->inst[i]) + 1]++;
    s->row[at] = s->place[i], s->inst[at] = i;
  }
  return true;
}

/* The first of the object's that stands no further in front than the place. */
static uint32_t first_from(const kgi_stores *s, uint32_t object, uint32_t place) {
  uint32_t low = s->begin[object], high = s->begin[object + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (s->row[middle] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

bool kgi_is_stored_in(const kgi_stores *s, uint32_t object, uint32_t loop) {
  uint32_t at = first_from(s, object, s->place[loop]);
  return at < s->begin[object + 1] && s->row[at] <= s->last[loop];
}

static bool is_within(const kgi_program *p, kgi_blk block, uint32_t i) {
  while (p->inst[i].block != block && p->inst[i].block != KGI_BODY) i = p->block[p->inst[i].block].owner;
  return p->inst[i].block == block;
}

/* ---- scalars ---- */

static bool stores_to(const kgi_program *p, kgi_blk block, uint32_t object) {
  KGI_EACH(p, block, i)
    if (p->inst[i].kind == KGI_store && p->inst[i].arg[0] == object) return true;
  return false;
}

/* It runs before `loop`, whatever trips and conditions there are. */
static bool certainly_precedes(const kgi_program *p, uint32_t store, uint32_t loop) {
  uint32_t object = p->inst[store].arg[0];
  kgi_blk block = p->inst[store].block;
  if (p->inst[store].kind != KGI_store) return false;
  for (; !is_within(p, block, loop); block = p->inst[p->block[block].owner].block) {
    const kgi_inst *owner = &p->inst[p->block[block].owner];
    if (kgi_is_loop(owner)) return false;
    if (owner->kind != KGI_if) continue;
    kgi_blk other = owner->arg[1] == block ? owner->arg[2] : owner->arg[1];
    if (!other || !stores_to(p, other, object)) return false;
  }
  return true;
}

/* ---- arrays ---- */

/* The statement around the store that stands in a block around the loop. */
static uint32_t statement_beside(const kgi_program *p, uint32_t store, uint32_t loop) {
  while (!is_within(p, p->inst[store].block, loop)) store = p->block[p->inst[store].block].owner;
  return store;
}

bool kgi_is_set_before(const kgi_program *p, const kgi_stores *s, uint32_t load, uint32_t loop) {
  uint32_t object = p->inst[load].arg[0], first = s->begin[object], end = first_from(s, object, s->place[loop]);
  bool scalar = p->scope.object[object].scalar;
  kgi_filling f = kgi_filling_of(p, object);
  if (end - first > MOST_STORES) first = end - MOST_STORES;
  for (uint32_t k = first; k < end; k++) {
    if (scalar && certainly_precedes(p, s->inst[k], loop)) return true;
    if (!scalar) kgi_filling_add(&f, s->inst[k], statement_beside(p, s->inst[k], loop));
  }
  return !scalar && kgi_filling_holds(&f, p->inst[load].arg[1]);
}

/* ---- buffers ---- */

bool kgi_is_given(const kg_module *m, const kgi_program *p, uint32_t buffer) {
  for (uint32_t i = 1; i < m->item_count; i++) {
    const kgi_item *run = &m->item[i];
    if (run->kind != KGI_ITEM_RUN || m->program[run->program]->name.i != p->name.i) continue;
    uint8_t mode = m->scope.object[m->bind[run->binding + buffer - 1]].mode;
    if (mode != KG_READ && mode != KG_READ_WRITE) return false;
  }
  return true;
}
