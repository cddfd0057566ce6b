#include "reference/watch.h"

#include <stdio.h>

typedef enum access { READ, WRITE, ATOMIC_READ, ATOMIC } access;

kgi_watch *kgi_watch_make(const kgi_watcher *w, const kgi_object *o, bool undefined, size_t total, kgi_arena *arena) {
  bool shared = o->space == KGI_SHARED || (o->space == KGI_BUFFER && o->mode != KG_READ);
  bool races = (w->checks & KG_CHECK_RACES) && shared, reads = (w->checks & KG_CHECK_UNINITIALISED) && undefined;
  if (!races && !reads) return NULL;
  kgi_watch *watch = kgi_arena_alloc(arena, 1, sizeof *watch);
  if (!watch) return NULL;
  watch->cells = 1;
  if (races) watch->lanes = kgi_arena_alloc(arena, total, sizeof *watch->lanes);
  if (races && o->space == KGI_BUFFER) watch->groups = kgi_arena_alloc(arena, total, sizeof *watch->groups);
  if (reads) watch->written = kgi_arena_alloc(arena, total, sizeof *watch->written);
  return watch;
}

static access access_of(const kgi_inst *x) {
  if (x->kind == KGI_load) return READ;
  if (x->kind == KGI_store) return WRITE;
  return x->op == KGI_ATOMIC_load ? ATOMIC_READ : ATOMIC;
}

/* ---- races ---- */

static const kgi_touch *other(const kgi_touch *touches, unsigned count, const kgi_touch *now) {
  for (unsigned i = 0; i < count; i++)
    if (touches[i].when == now->when && touches[i].who != now->who) return &touches[i];
  return NULL;
}

/* An earlier access by somebody else that is not ordered before this one: one of both writes, and not both are atomic. */
static const kgi_touch *conflict(const kgi_cell *cell, access a, const kgi_touch *now) {
  const kgi_touch *found = other(&cell->write, 1, now);
  if (!found && (a == READ || a == WRITE)) found = other(cell->atomic, 2, now);
  if (!found && (a == WRITE || a == ATOMIC)) found = other(cell->read, 2, now);
  if (!found && a == WRITE) found = other(cell->atomic_read, 2, now);
  return found;
}

static void note_two(kgi_touch *touches, const kgi_touch *now) {
  bool first = touches[0].when != now->when || touches[0].who == now->who;
  touches[!first] = *now;
}

static void note(kgi_cell *cell, access a, const kgi_touch *now) {
  switch (a) {
  case READ: note_two(cell->read, now); break;
  case WRITE: cell->write = *now; break;
  case ATOMIC_READ: note_two(cell->atomic_read, now); break;
  case ATOMIC: note_two(cell->atomic, now); break;
  }
}

static bool reported_before(kgi_machine *m, uint32_t a, uint32_t b) {
  kgi_watcher *w = m->watcher;
  for (uint32_t i = 0; i < w->pairs; i++)
    if (w->pair[i][0] == m->run->program_index && w->pair[i][1] == a && w->pair[i][2] == b) return true;
  if (w->pairs == KGI_MAX_REPORTS) return true;
  w->pair[w->pairs][0] = m->run->program_index, w->pair[w->pairs][1] = a, w->pair[w->pairs][2] = b;
  w->pairs++;
  return false;
}

static const char *verb(const kgi_inst *x) {
  static const char *const verbs[] = {"read", "written", "read atomically", "changed atomically"};
  return verbs[access_of(x)];
}

/* "x[3]", or "x" for a scalar. */
typedef struct place { char text[96]; } place;
static const char *place_of(const kgi_machine *m, uint32_t inst, size_t element, place *out) {
  const kgi_object *o = &m->plan->program->scope.object[m->plan->program->inst[inst].arg[0]];
  const char *name = kgi_string(m->plan->module, o->name);
  if (o->scalar) snprintf(out->text, sizeof out->text, "%.70s", name);
  else snprintf(out->text, sizeof out->text, "%.70s[%zu]", name, element);
  return out->text;
}

/* The element's index: those of a var lie [element][lane], those of a view apart. */
static size_t index_of(const kgi_memory *memory, size_t at) { return (at - memory->first) / memory->step; }

static void report_race(kgi_machine *m, uint32_t inst, size_t element, const kgi_touch *now, const kgi_touch *before, bool groups) {
  const kgi_program *p = m->plan->program;
  char where[32];
  kgi_pos pos = p->inst_pos[before->inst];
  m->report->races++;
  if (reported_before(m, inst, before->inst)) return;
  snprintf(where, sizeof where, "%u:%u", kgi_pos_line(pos), kgi_pos_column(pos));
  const char *what = groups ? "workgroup" : "invocation";
  const char *fix = "put a barrier between them, or use an atomic";
  if (groups) fix = "use an atomic, or two runs: nothing orders workgroups";
  KGI_DIAG(m->diags, data_race, p->inst_pos[inst], place_of(m, inst, element, &(place){{0}}), verb(&p->inst[inst]), what,
           KGI_NUM(now->who), verb(&p->inst[before->inst]), KGI_NUM(before->who), where, fix);
}

/* `cells` lie under the element. */
static void look(kgi_machine *m, kgi_cell *cell, uint32_t cells, size_t element, kgi_touch now, bool groups) {
  access a = access_of(&m->plan->program->inst[now.inst]);
  bool found = false;
  for (uint32_t k = 0; k < cells; k++) {
    const kgi_touch *before = conflict(&cell[k], a, &now);
    if (before && !found) report_race(m, now.inst, element, &now, before, groups);
    found |= before != NULL;
    note(&cell[k], a, &now);
  }
}

/* ---- reads of what was never written ---- */

static void report_unwritten(kgi_machine *m, uint32_t inst, size_t element, uint32_t lane) {
  m->report->uninitialised++;
  if (reported_before(m, inst, inst)) return;
  KGI_DIAG(m->diags, uninitialised_read, m->plan->program->inst_pos[inst], place_of(m, inst, element, &(place){{0}}),
           KGI_NUM(lane), KGI_NUM(m->watcher->group));
}

void kgi_watch_access(kgi_machine *m, uint32_t inst, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[inst];
  const kgi_memory *memory = &m->memory[x->arg[0]];
  const kgi_watch *watch = memory->watch;
  access a = access_of(x);
  bool reads = x->kind != KGI_store && !(x->kind == KGI_atomic && x->op == KGI_ATOMIC_store);
  for (uint32_t l = mask->first; l < mask->end; l++) {
    if (m->where[l] == KGI_NOWHERE) continue;
    size_t at = m->where[l] * watch->cells, element = index_of(memory, m->where[l]);
    if (watch->lanes) look(m, &watch->lanes[at], watch->cells, element, (kgi_touch){m->watcher->interval, inst, l}, false);
    if (watch->groups)
      look(m, &watch->groups[at], watch->cells, element, (kgi_touch){m->watcher->dispatch, inst, m->watcher->group}, true);
    if (watch->written && reads && memchr(watch->written + at, 0, watch->cells)) report_unwritten(m, inst, element, l);
    if (watch->written && (a == WRITE || a == ATOMIC)) memset(watch->written + at, 1, watch->cells);
  }
}

/* ---- ranges ---- */

static bool below(kg_type type, uint64_t a, uint64_t b) {
  if (kgi_is_float(type)) return kgi_bits_to_double(type, a) < kgi_bits_to_double(type, b);
  if (kgi_type_kind_of(type) == KGI_SINT) return kgi_bits_to_int(type, a) < kgi_bits_to_int(type, b);
  return a < b;
}

void kgi_watch_range(const kgi_layout *l, uint32_t object, const kgi_memory *memory, kg_reference_report *report) {
  const kgi_scope *scope = &l->module->scope;
  const kgi_object *o = &scope->object[object];
  kgi_dim_env env = {.param = l->param, .length = l->length};
  kg_type type = kgi_type_value(o->type); /* bounds and values as a load would give them */
  uint64_t lo, hi, slot;
  if (kgi_dim_eval_bits(scope, o->lo, &env, type, &lo) != KGI_DIM_OK) return;
  if (kgi_dim_eval_bits(scope, o->hi, &env, type, &hi) != KGI_DIM_OK) return;
  for (uint64_t e = 0; e < memory->length; e++) {
    size_t at = memory->first + (size_t)e * memory->step;
    kgi_gather(memory, &at, &slot, 0, 1);
    uint64_t bits = kgi_slot_bits(type, &slot);
    bool inside = below(type, bits, hi) && (bits == lo || below(type, lo, bits));
    if (!inside && !report->out_of_range++) KGI_DIAG(l->diags, out_of_range, o->pos, kgi_string(l->module, o->name), KGI_NUM(e));
  }
}
