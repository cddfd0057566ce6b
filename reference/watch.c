#include "reference/watch.h"

#include <stdio.h>

/* Loops over lanes are to become vectors; at -O2 gcc's cost model leaves loops of unknown length alone. */
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
#pragma GCC optimize("O3")
#endif

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

typedef struct touch { uint32_t inst, who; } touch;
enum { LANES, GROUPS, TOLD }; /* among whom to look; or there was a race already in this access */

/* An earlier access by somebody else that is not ordered before this one: one of both writes, and not both are atomic. Its
 * instruction, or 0. */
static uint32_t conflict_with(const kgi_toucher *t, access a) {
  uint32_t plain = t->read & KGI_ATOMICALLY ? 0 : t->read;
  switch (a) {
  case READ: return t->write ? t->write : t->change;
  case WRITE: return t->write ? t->write : t->change ? t->change : t->read & ~KGI_ATOMICALLY;
  case ATOMIC_READ: return t->write;
  case ATOMIC: return t->write ? t->write : plain;
  }
  return 0;
}

static touch conflict(const kgi_cell *cell, access a, uint32_t who) {
  touch found = {0};
  for (uint32_t k = 0; k < cell->count && !found.inst; k++)
    if (cell->by[k].who != who) found = (touch){conflict_with(&cell->by[k], a), cell->by[k].who};
  return found;
}

/* With how much its accesses conflict. */
static int weight(const kgi_toucher *t) { return t->write ? 3 : t->change || (t->read && !(t->read & KGI_ATOMICALLY)) ? 2 : 1; }

static bool only_read(const kgi_toucher *t) { return t->read && !(t->read & KGI_ATOMICALLY) && !t->write && !t->change; }

static void note_access(kgi_toucher *t, access a, uint32_t inst) {
  switch (a) {
  case READ: t->read = inst; break;
  case WRITE: t->write = inst; break;
  case ATOMIC_READ:
    if (!t->read || t->read & KGI_ATOMICALLY) t->read = inst | KGI_ATOMICALLY;
    break;
  case ATOMIC: t->change = inst; break;
  }
}

static void note(kgi_cell *cell, access a, uint32_t inst, uint32_t who) {
  kgi_toucher mine = {.who = who};
  for (uint32_t k = 0; k < cell->count; k++)
    if (cell->by[k].who == who) {
      note_access(&cell->by[k], a, inst);
      cell->read_only &= a == READ;
      return;
    }
  note_access(&mine, a, inst);
  if (cell->count < 2) cell->by[cell->count++] = mine;
  else if (weight(&cell->by[0]) < weight(&mine)) cell->by[0] = mine;
  else if (weight(&cell->by[1]) <= weight(&mine)) cell->by[1] = mine;
  cell->read_only = a == READ && only_read(&cell->by[0]) && only_read(&cell->by[1]);
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
static size_t index_of(const kgi_memory *memory, size_t at) {
  size_t behind = at - memory->first;
  return memory->row ? behind / memory->every * memory->row + behind % memory->every / memory->step : behind / memory->step;
}

static void report_race(kgi_machine *m, size_t at, const touch *now, const touch *before, bool groups) {
  const kgi_program *p = m->plan->program;
  uint32_t inst = now->inst;
  char where[32];
  size_t element = index_of(&m->memory[p->inst[inst].arg[0]], at);
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

/* Most often nobody was there in this interval, or the same who comes again, or all only read. Whether there is a race that has
 * not been told of yet. */
static inline bool look_at(kgi_machine *m, kgi_cell *cell, access a, size_t at, touch now, uint32_t when, int what) {
  touch before = {0};
  if (cell->when != when) {
    *cell = (kgi_cell){.when = when, .count = 1, .by = {{.who = now.who}}};
    note_access(&cell->by[0], a, now.inst);
  } else if (cell->count == 1 && cell->by[0].who == now.who) {
    note_access(&cell->by[0], a, now.inst);
  } else if (a != READ || !cell->read_only) {
    before = conflict(cell, a, now.who);
    if (before.inst && what != TOLD) report_race(m, at, &now, &before, what == GROUPS);
    note(cell, a, now.inst, now.who);
  }
  return before.inst;
}

/* `cells` lie under the element. */
static inline void look(kgi_machine *m, kgi_cell *cell, uint32_t cells, access a, size_t at, touch now, uint32_t when,
                        int what) {
  for (uint32_t k = 0; k < cells; k++)
    if (look_at(m, &cell[k], a, at, now, when, what)) what = TOLD;
}

/* ---- accesses out of bounds ---- */

static kgi_outside *outside_at(kgi_watcher *w, uint32_t program, uint32_t inst) {
  for (uint32_t k = 0; k < w->outsides; k++)
    if (w->outside[k].program == program && w->outside[k].inst == inst) return &w->outside[k];
  if (w->outsides == KGI_MAX_REPORTS) return NULL;
  kgi_outside *o = &w->outside[w->outsides++];
  *o = (kgi_outside){.program = program, .inst = inst};
  return o;
}

void kgi_watch_outside(kgi_machine *m, uint32_t inst, uint32_t lane, int64_t index, uint64_t count) {
  kgi_outside *o = outside_at(m->watcher, m->run->program_index, inst);
  if (!o) return;
  if (!o->count) {
    o->lane = lane, o->group = m->watcher->group, o->index = index;
    o->length = m->memory[m->plan->program->inst[inst].arg[0]].length;
  }
  o->count += count;
}

void kgi_watch_say_outside(const kgi_watcher *w, const kg_module *module, kgi_diags *diags) {
  for (uint32_t k = 0; k < w->outsides; k++) {
    const kgi_outside *o = &w->outside[k];
    const kgi_program *p = module->program[o->program];
    const char *name = kgi_string(module, p->scope.object[p->inst[o->inst].arg[0]].name);
    KGI_DIAG(diags, out_of_bounds, p->inst_pos[o->inst], name, KGI_NUM(o->index), verb(&p->inst[o->inst]), KGI_NUM(o->lane),
             KGI_NUM(o->group), KGI_NUM(o->length), KGI_NUM(o->count));
  }
}

/* ---- reads of what was never written ---- */

static void report_unwritten(kgi_machine *m, uint32_t inst, size_t element, uint32_t lane) {
  m->report->uninitialised++;
  if (reported_before(m, inst, inst)) return;
  KGI_DIAG(m->diags, uninitialised_read, m->plan->program->inst_pos[inst], place_of(m, inst, element, &(place){{0}}),
           KGI_NUM(lane), KGI_NUM(m->watcher->group));
}

static void watch_written(kgi_machine *m, uint32_t inst, const kgi_mask *mask, bool reads, bool writes) {
  const kgi_memory *memory = &m->memory[m->plan->program->inst[inst].arg[0]];
  const kgi_watch *watch = memory->watch;
  for (uint32_t l = mask->first; l < mask->end; l++) {
    if (m->where[l] == KGI_NOWHERE) continue;
    uint8_t *written = watch->written + m->where[l] * watch->cells;
    if (reads && memchr(written, 0, watch->cells)) report_unwritten(m, inst, index_of(memory, m->where[l]), l);
    if (writes) memset(written, 1, watch->cells);
  }
}

void kgi_watch_access(kgi_machine *m, uint32_t inst, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[inst];
  const kgi_memory *memory = &m->memory[x->arg[0]];
  const kgi_watch *watch = memory->watch;
  access a = access_of(x);
  uint32_t interval = m->watcher->interval, dispatch = m->watcher->dispatch, group = m->watcher->group;
  for (uint32_t l = mask->first; l < mask->end && watch->lanes; l++) {
    if (m->where[l] == KGI_NOWHERE) continue;
    size_t at = m->where[l] * watch->cells;
    look(m, &watch->lanes[at], watch->cells, a, m->where[l], (touch){inst, l}, interval, LANES);
    if (watch->groups) look(m, &watch->groups[at], watch->cells, a, m->where[l], (touch){inst, group}, dispatch, GROUPS);
  }
  if (watch->written) watch_written(m, inst, mask, kgi_reads(x), kgi_writes(x));
}

/* Lanes lie side by side. */
void kgi_watch_own(kgi_machine *m, uint32_t inst, const kgi_mask *mask) {
  uint8_t *written = m->memory[m->plan->program->inst[inst].arg[0]].watch->written;
  size_t count = mask->end - mask->first;
  bool store = m->plan->program->inst[inst].kind == KGI_store;
  if (store && kgi_dense(mask)) {
    memset(written + mask->first, 1, count);
  } else if (store) {
    for (uint32_t l = mask->first; l < mask->end; l++) written[l] |= (uint8_t)mask->lane[l];
  } else if (memchr(written + mask->first, 0, count)) {
    for (uint32_t l = mask->first; l < mask->end; l++)
      if (mask->lane[l] && !written[l]) report_unwritten(m, inst, 0, l);
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
    size_t at = kgi_memory_at(memory, e);
    kgi_gather(memory, &at, &slot, 0, 1);
    uint64_t bits = kgi_slot_bits(type, &slot);
    bool inside = below(type, bits, hi) && (bits == lo || below(type, lo, bits));
    if (!inside && !report->out_of_range++) KGI_DIAG(l->diags, out_of_range, o->pos, kgi_string(l->module, o->name), KGI_NUM(e));
  }
}
