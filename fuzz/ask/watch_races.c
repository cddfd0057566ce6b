#include "fuzz/ask/watch_races.h"

#include "foundation/ir/builder.h"
#include "foundation/ir/dim.h"

#include <stdio.h>
#include <string.h>

/* What is noted of an element: the highest and the lowest that touched it, and stamps of plain stores, atomics and plain loads. An
 * atomic load is a touch and no more. Shared memory has notes for so many workgroups; what later ones touch is out of bounds. */
enum { HIGH, LOW, STORED, ATOMIC, LOADED, NOTES, ASKED = NOTES, STRETCH = 4096, GROUPS = 128 };

typedef struct watch {
  kgi_builder b;
  kgi_program *p;
  uint32_t end, objects; /* of the program before: its buffers below `end`, all objects */
  kgi_obj errors, interval;
} watch;

static kgi_val u32(watch *w, uint32_t x) { return kgi_u32(&w->b, x); }
static kgi_val op2(watch *w, kgi_op op, kgi_val x, kgi_val y) { return kgi_op2(&w->b, op, x, y); }
static const kgi_val none;

/* Notes of object o are in buffer end + o - 1; what came behind the buffers has moved up. */
static uint32_t moved(const watch *w, uint32_t object) { return object < w->end ? object : object + w->objects; }
static kgi_obj notes_of(const watch *w, uint32_t object) { return (kgi_obj){w->end + object - 1}; }

static kgi_object notes_object(watch *w, const char *base, uint32_t number, kgi_dim length) {
  char name[40];
  snprintf(name, sizeof name, "%s_%u", base, number);
  kgi_str text = kgi_intern_z(w->b.m, name);
  return (kgi_object){.name = text, .space = KGI_BUFFER, .type = KG_U32, .mode = KG_READ_WRITE, .length = length};
}

/* For one kind of note of an object in shared memory. */
static uint32_t shared_room(const kgi_program *p, const kgi_object *o) {
  int64_t length = 1;
  if (o->space != KGI_SHARED) return 0;
  if (!o->scalar && kgi_dim_eval(&p->scope, o->length, &(kgi_dim_env){0}, &length) != KGI_DIM_OK) return 0;
  return (uint32_t)length * GROUPS;
}

static kgi_dim notes_length(watch *w, const kgi_object *o, uint32_t index, uint32_t room) {
  kgi_dim count = kgi_len_int(&w->b, 2 * NOTES);
  if (o->space == KGI_SHARED) return kgi_len_int(&w->b, 2 * NOTES * (int64_t)room);
  return o->space == KGI_VAR || o->scalar ? count : kgi_len_op(&w->b, KGI_DIM_MUL, kgi_len_of(&w->b, (kgi_obj){index}), count);
}

/* Room among the buffers for one of notes for each object, and one of errors. */
static bool declare(watch *w) {
  kgi_scope *s = &w->p->scope;
  uint32_t count = w->objects;
  kgi_object *table = kgi_arena_alloc(&w->b.m->arena, s->object_count + count, sizeof *table);
  if (!table) return false;
  memcpy(table, s->object, w->end * sizeof *table);
  for (uint32_t o = 1; o < s->object_count; o++)
    table[w->end + o - 1] = notes_object(w, "notes", o, notes_length(w, &s->object[o], o, shared_room(w->p, &s->object[o])));
  table[w->end + count - 1] = notes_object(w, "errors", 0, kgi_len_int(&w->b, s->object_count));
  memcpy(table + w->end + count, s->object + w->end, (s->object_count - w->end) * sizeof *table);
  s->object = table, s->object_count += count, s->object_cap = s->object_count;
  w->errors = (kgi_obj){w->end + count - 1};
  for (uint32_t i = 1; i < w->p->inst_count; i++) {
    kgi_inst *x = &w->p->inst[i];
    bool names = x->kind == KGI_load || x->kind == KGI_store || x->kind == KGI_atomic || x->kind == KGI_var || x->kind == KGI_len;
    if (names) x->arg[0] = moved(w, x->arg[0]);
  }
  return true;
}

static kgi_val group(watch *w) {
  kgi_val x = kgi_id_value(&w->b, KGI_ID_workgroup_id, 2);
  for (unsigned k = 2; k-- > 0;) {
    x = op2(w, KGI_OP_mul, x, kgi_id_value(&w->b, KGI_ID_num_workgroups, k));
    x = op2(w, KGI_OP_add, x, kgi_id_value(&w->b, KGI_ID_workgroup_id, k));
  }
  return x;
}

typedef struct access { uint32_t object; kgi_val at, room; unsigned how; } access;

static kgi_val place(watch *w, const access *a, unsigned note) {
  return op2(w, KGI_OP_add, op2(w, KGI_OP_mul, u32(w, note), a->room), a->at);
}

/* Raises a note, and returns what it is when all have raised theirs. */
static kgi_val raise(watch *w, const access *a, unsigned note, kgi_val to) {
  kgi_atomic_op(&w->b, KGI_ATOMIC_max, notes_of(w, a->object), place(w, a, note), to, none);
  return kgi_atomic_op(&w->b, KGI_ATOMIC_load, notes_of(w, a->object), place(w, a, note), none, none);
}

static kgi_val noted(watch *w, const access *a, unsigned note, kgi_val stamp) {
  return op2(w, KGI_OP_eq, kgi_atomic_op(&w->b, KGI_ATOMIC_load, notes_of(w, a->object), place(w, a, note), none, none), stamp);
}

/* `stamp`: a multiple of STRETCH that grows from stretch to stretch; `who` is below STRETCH. */
static void note(watch *w, const access *a, unsigned first, kgi_val stamp, kgi_val who, uint32_t error) {
  kgi_val one = op2(w, KGI_OP_add, stamp, u32(w, 1));
  if (a->how != ASKED) raise(w, a, first + a->how, one);
  kgi_val high = op2(w, KGI_OP_sub, raise(w, a, first + HIGH, op2(w, KGI_OP_add, one, who)), one);
  kgi_val top = op2(w, KGI_OP_add, stamp, u32(w, STRETCH - 1));
  kgi_val low = op2(w, KGI_OP_sub, top, raise(w, a, first + LOW, op2(w, KGI_OP_sub, top, who)));
  kgi_val loaded = noted(w, a, first + LOADED, one), both = op2(w, KGI_OP_and, noted(w, a, first + ATOMIC, one), loaded);
  kgi_val writes = op2(w, KGI_OP_or, noted(w, a, first + STORED, one), both);
  kgi_val race = op2(w, KGI_OP_and, op2(w, KGI_OP_ne, high, low), writes), zero = u32(w, 0);
  kgi_val bits = kgi_op3(&w->b, KGI_OP_select, race, u32(w, error), zero);
  kgi_atomic_op(&w->b, KGI_ATOMIC_or, w->errors, u32(w, a->object), bits, none);
}

static void watch_access(watch *w, uint32_t i) {
  const kgi_inst x = w->p->inst[i];
  uint32_t object = x.arg[0] < w->end ? x.arg[0] : x.arg[0] - w->objects;
  const kgi_object o = w->p->scope.object[x.arg[0]];
  if (o.space == KGI_VAR) return;
  w->b.at = kgi_before(w->p, i);
  unsigned how = x.kind == KGI_store ? STORED : x.kind == KGI_load ? LOADED : x.op == KGI_ATOMIC_load ? ASKED : ATOMIC;
  kgi_val zero = u32(w, 0);
  access a = {object, zero, u32(w, 1), how};
  if (!o.scalar || o.space == KGI_SHARED) {
    kgi_val at = o.scalar ? zero : kgi_convert(&w->b, KG_U32, (kgi_val){x.arg[1]});
    kgi_val length = o.scalar ? u32(w, 1) : kgi_len_value(&w->b, (kgi_obj){x.arg[0]});
    kgi_val inside = op2(w, KGI_OP_lt, at, length);
    if (o.space == KGI_SHARED) {
      kgi_val own = group(w), seen = op2(w, KGI_OP_lt, own, u32(w, GROUPS));
      inside = op2(w, KGI_OP_and, inside, seen);
      at = op2(w, KGI_OP_add, op2(w, KGI_OP_mul, own, length), at);
    }
    a.at = kgi_op3(&w->b, KGI_OP_select, inside, at, u32(w, 0x7FFFFFFF));
    a.room = o.space == KGI_SHARED ? u32(w, shared_room(w->p, &o)) : length;
  }
  kgi_val stretch = u32(w, STRETCH), stamp = op2(w, KGI_OP_mul, kgi_load(&w->b, w->interval, none), stretch);
  note(w, &a, 0, stamp, kgi_id_value(&w->b, KGI_ID_local_index, 0), 1);
  if (o.space == KGI_BUFFER) note(w, &a, NOTES, zero, group(w), 2);
}

static void count_barrier(watch *w, uint32_t i) {
  w->b.at = kgi_behind(w->p, i);
  kgi_val one = u32(w, 1);
  kgi_store(&w->b, w->interval, none, op2(w, KGI_OP_add, kgi_load(&w->b, w->interval, none), one));
}

static bool watch_program(watch *w, kgi_program *p) {
  uint32_t count = p->inst_count;
  kgi_resume_program(&w->b, p);
  w->p = p, w->end = kgi_buffer_end(&p->scope), w->objects = p->scope.object_count;
  if (!declare(w)) return false;
  w->b.at = kgi_at_start(KGI_BODY);
  w->interval = kgi_var(&w->b, "interval", KG_U32, (kgi_dim){0});
  kgi_store(&w->b, w->interval, none, u32(w, 0));
  for (uint32_t i = 1; i < count; i++) {
    kgi_kind kind = (kgi_kind)p->inst[i].kind;
    if (!p->inst[i].block) continue;
    if (kind == KGI_barrier) count_barrier(w, i);
    if (kind == KGI_load || kind == KGI_store || kind == KGI_atomic) watch_access(w, i);
  }
  kgi_end_program(&w->b);
  return w->b.status == KG_OK;
}

static bool append_bind(kg_module *m, uint32_t entry) {
  if (!kgi_arena_grow(&m->arena, &m->bind, m->bind_count, &m->bind_cap, sizeof *m->bind)) return false;
  m->bind[m->bind_count++] = entry;
  return true;
}

/* The module's buffers for what the program of this run declares besides. Its own have the numbers below `end`. */
static bool bind_run(watch *w, kgi_item *item, uint32_t number, uint32_t objects) {
  kg_module *m = w->b.m;
  const kgi_program *p = m->program[item->program];
  uint32_t all = kgi_buffer_end(&p->scope), own = all - objects, first = m->bind_count, old = item->binding;
  bool room = true;
  for (uint32_t o = 1; o < own; o++) room &= append_bind(m, m->bind[old + o - 1]);
  for (uint32_t o = own; o < all; o++) {
    uint32_t object = o - own + 1;
    bool is_buffer = object < own, errors = o + 1 == all;
    uint32_t to = is_buffer ? m->bind[old + object - 1] : 0;
    const kgi_object *noted = errors ? NULL : &p->scope.object[is_buffer ? object : object + objects];
    kgi_object like = {.space = noted ? noted->space : KGI_BUFFER, .scalar = is_buffer && m->scope.object[to].scalar};
    kgi_dim length = errors ? kgi_len_int(&w->b, objects) : notes_length(w, &like, to, shared_room(p, noted));
    kgi_object made = notes_object(w, errors ? "errors" : "notes", errors ? number : number * 1000 + o, length);
    room &= append_bind(m, kgi_object_add(&w->b, &made).i);
  }
  uint32_t params = p->scope.param_count - 1, slices = old + own - 1 + params;
  for (uint32_t q = 0; q < params; q++) room &= append_bind(m, m->bind[old + own - 1 + q]);
  for (uint32_t k = 0; k < 2 * (all - 1); k++) room &= append_bind(m, k < 2 * (own - 1) ? m->bind[slices + k] : 0);
  item->binding = first;
  return room;
}

bool kgi_watch_races(kg_module *m) {
  watch w = {.p = NULL};
  uint32_t objects[64];
  for (uint32_t i = m->first_item; i; i = m->item[i].next)
    if (m->item[i].kind == KGI_ITEM_REPEAT) return false;
  if (m->program_count > 64) return false;
  kgi_builder_init(&w.b, m, NULL);
  for (uint32_t i = 1; i < m->program_count; i++) {
    objects[i] = m->program[i]->scope.object_count;
    if (!watch_program(&w, m->program[i])) return false;
  }
  m->lone = false;
  for (uint32_t i = m->first_item; i; i = m->item[i].next)
    if (!bind_run(&w, &m->item[i], i, objects[m->item[i].program])) return false;
  return kgi_builder_status(&w.b) == KG_OK;
}
