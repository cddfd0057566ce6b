/* Intervals of memory: loads, stores, and atomics, whose order nobody knows. */
#include "reference/bound.h"
#include "foundation/ir/views.h"
#include "reference/watch.h"

/* ---- cells ---- */

bool kgi_has_atomics(const kg_module *module) {
  for (uint32_t k = 1; k < module->program_count; k++)
    for (uint32_t i = 1; i < module->program[k]->inst_count; i++)
      if (module->program[k]->inst[i].kind == KGI_atomic) return true;
  return false;
}

kgi_cells *kgi_cells_make(const kgi_memory *memory, double *low, double *high, bool atomics, kgi_arena *arena) {
  kgi_cells *c = kgi_arena_alloc(arena, 1, sizeof *c);
  if (!c) return NULL;
  c->low = low ? low : kgi_arena_alloc(arena, memory->total, sizeof *c->low);
  c->high = high ? high : kgi_arena_alloc(arena, memory->total, sizeof *c->high);
  if (atomics && !memory->lanes) c->gathered = kgi_arena_alloc(arena, memory->total, sizeof *c->gathered);
  return arena->failed ? NULL : c;
}

void kgi_cells_points(kgi_cells *c, const kgi_memory *memory) {
  kg_type type = (kg_type)memory->type, value = kgi_type_value(type);
  for (uint64_t e = 0; e < memory->length; e++) {
    size_t at = kgi_memory_at(memory, e);
    uint64_t slot = 0;
    kgi_gather(memory, &at, &slot, 0, 1);
    double x = kgi_is_float(type) ? kgi_bits_to_double(value, kgi_slot_bits(value, &slot)) : 0;
    c->low[at] = c->high[at] = x;
  }
  c->unknown = false;
}

void kgi_cells_unknown(kgi_cells *c, size_t total) {
  for (size_t at = 0; at < total && !c->unknown; at++) c->low[at] = c->high[at] = (double)NAN;
  c->unknown = true;
}

kgi_interval kgi_cells_final(const kgi_cells *c, const kgi_memory *memory, size_t at) {
  kg_type type = kgi_type_value(memory->type);
  uint64_t slot = 0;
  if (kgi_is_float(type) || isnan(c->low[at])) return (kgi_interval){c->low[at], c->high[at]};
  kgi_gather(memory, &at, &slot, 0, 1);
  uint64_t bits = kgi_slot_bits(type, &slot);
  bool negative = kgi_type_kind_of(type) == KGI_SINT && kgi_bits_to_int(type, bits) < 0;
  uint64_t size = negative ? 0 - (uint64_t)kgi_bits_to_int(type, bits) : bits;
  kgi_interval x = kgi_enclose_add((double)(size >> 32) * 0x1p32, (double)(size & 0xFFFFFFFF));
  return negative ? (kgi_interval){-x.high, -x.low} : x;
}

void kgi_cells_finish(kgi_cells *c, const kgi_memory *memory) {
  for (size_t at = 0; at < memory->total && !kgi_is_float(memory->type); at++) {
    kgi_interval x = kgi_cells_final(c, memory, at);
    c->low[at] = x.low, c->high[at] = x.high;
  }
}

static void set_cell(const kgi_machine *m, const kgi_memory *memory, size_t at, uint32_t lane, kgi_interval x) {
  kgi_cells *c = memory->cells;
  if (kgi_bound_doubts(m->bound, lane)) x = kgi_anything();
  c->low[at] = x.low, c->high[at] = x.high;
  if (!kgi_is_anything(x)) c->unknown = false;
  if (c->gathered) c->gathered[at].when = 0;
}

void kgi_bound_spoil(kgi_machine *m, uint32_t object, uint32_t lane) {
  const kgi_memory *memory = &m->memory[object];
  kgi_cells *c = memory->cells;
  if (!memory->lanes) {
    kgi_cells_unknown(c, memory->total);
    return;
  }
  for (size_t at = lane; at < memory->total; at += memory->lanes) c->low[at] = c->high[at] = (double)NAN;
}

/* ---- loads and stores ---- */

/* Whether the lane's index is what the reference has; else it is counted. */
static bool located(kgi_machine *m, uint32_t i, uint32_t lane) {
  uint32_t index = m->plan->program->inst[i].arg[1];
  if (!index || kgi_bound_sure(m->bound, index, lane)) return true;
  kgi_undecided(m, i, 1);
  return false;
}

static kgi_interval cell_at(const kgi_memory *memory, size_t at) {
  if (at == KGI_NOWHERE) return kgi_point(0);
  return (kgi_interval){memory->cells->low[at], memory->cells->high[at]};
}

void kgi_bound_load(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const kgi_memory *memory = &m->memory[x->arg[0]];
  for (uint32_t l = mask->first; l < mask->end; l++) {
    if (!mask->lane[l]) continue;
    kgi_interval y = located(m, i, l) ? cell_at(memory, m->where[l]) : kgi_anything();
    if (kgi_is_float(x->type)) y = kgi_settled(&(kgi_rules){0}, (kg_type)x->type, y);
    kgi_bound_set(m->bound, i, l, y);
  }
}

/* bf16 is rounded on the bits, alike everywhere. */
static kgi_interval narrowed(const kgi_machine *m, const kgi_memory *memory, kgi_interval x) {
  if (memory->type != KG_BF16 || kgi_is_anything(x)) return x;
  float low = kgi_bf16_decode(kgi_bf16_encode((float)x.low)), high = kgi_bf16_decode(kgi_bf16_encode((float)x.high));
  if (!m->bound->rules.real) return (kgi_interval){(double)low, (double)high};
  return (kgi_interval){fmin((double)low, x.low), fmax((double)high, x.high)};
}

void kgi_bound_store(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const kgi_memory *memory = &m->memory[x->arg[0]];
  for (uint32_t l = mask->first; l < mask->end; l++) {
    if (!mask->lane[l]) continue;
    if (!located(m, i, l)) kgi_bound_spoil(m, x->arg[0], l);
    else if (m->where[l] != KGI_NOWHERE)
      set_cell(m, memory, m->where[l], l, narrowed(m, memory, kgi_bound_of(m->bound, x->arg[2], l)));
  }
}

void kgi_bound_var(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  for (uint32_t l = mask->first; l < mask->end; l++)
    if (mask->lane[l]) kgi_bound_spoil(m, m->plan->program->inst[i].arg[0], l);
}

/* ---- atomics ---- */

typedef struct access { kgi_machine *m; uint32_t inst, lane; const kgi_inst *x; const kgi_memory *memory; size_t at; } access;

/* Nothing orders those of one interval: in shared memory between two barriers, in a buffer the whole dispatch. */
static uint32_t interval_of(const access *a) {
  bool shared = a->m->plan->program->scope.object[a->x->arg[0]].space == KGI_SHARED;
  return (shared ? a->m->watcher->interval : a->m->watcher->dispatch) + 1;
}

/* The object, or another view of its binding. */
static bool changes_atomically(const kgi_program *p, uint32_t object) {
  const kgi_object *o = p->scope.object;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    if (x->kind != KGI_atomic || !x->block || !kgi_writes(x)) continue;
    if (x->arg[0] == object || kgi_same_block(&o[x->arg[0]], &o[object])) return true;
  }
  return false;
}

/* The error of a sum of n terms in any order, each step rounded in any direction; a step may flush. */
static kgi_interval summed(const access *a, const kgi_gathered *g) {
  kg_type type = (kg_type)a->memory->type;
  double unit = type == KG_F64 ? 0x1p-52 : type == KG_F16 ? 0x1p-10 : 0x1p-23, n = g->count;
  kgi_interval sum = {g->low, g->high};
  if (g->count > 1) {
    double part = n * unit / (1 - n * unit) * (1 + 0x1p-20), slack = g->size * part;
    if (!(n * unit < 0.5) || !(g->size + slack < kgi_type_largest(type))) return kgi_anything();
    sum.low = kgi_next_down(sum.low - slack), sum.high = kgi_next_up(sum.high + slack);
  }
  double flushed = a->m->bound->rules.flush && g->count > 1 ? n * kgi_type_least_normal(type) : 0;
  if (flushed > 0) sum.low = kgi_next_down(sum.low - flushed), sum.high = kgi_next_up(sum.high + flushed);
  sum = (kgi_interval){kgi_round_down(type, sum.low), kgi_round_up(type, sum.high)};
  return kgi_settled(&a->m->bound->rules, type, sum);
}

static double size_of(kgi_interval x) { return fmax(fabs(x.low), fabs(x.high)); }

static kgi_interval add_float(const access *a, kgi_gathered *g, kgi_interval old, kgi_interval x) {
  old = kgi_flushed(&a->m->bound->rules, (kg_type)a->memory->type, old);
  x = kgi_flushed(&a->m->bound->rules, (kg_type)a->memory->type, x);
  if (!g->count) g->low = old.low, g->high = old.high, g->size = size_of(old);
  if (x.low == 0 && x.high == 0 && g->count) return old;
  const double inf = (double)INFINITY;
  if (size_of(x) == inf || g->size == inf || kgi_is_anything(old) || kgi_is_anything(x)) return kgi_anything();
  g->low = kgi_enclose_add(g->low, x.low).low, g->high = kgi_enclose_add(g->high, x.high).high;
  g->size = kgi_next_up(g->size + size_of(x));
  g->count++;
  return summed(a, g);
}

static bool equal_slot(const access *a) {
  kg_type type = (kg_type)a->memory->type;
  uint64_t old = 0;
  size_t size = kgi_slot_size(type);
  kgi_gather(a->memory, &a->at, &old, 0, 1);
  return !memcmp(&old, (const char *)a->m->slot[a->x->arg[2]] + a->lane * size, size);
}

/* The last of several writers: any of them. */
static kgi_interval replaced(const access *a, bool first, kgi_interval old, kgi_interval x) {
  if (first) return x;
  if (kgi_is_float(a->memory->type)) return kgi_hull(old, x);
  return kgi_bound_mark(!kgi_is_anything(old) && !kgi_is_anything(x) && equal_slot(a));
}

/* Of integers. Who comes after another may find what that one left, or not. */
static kgi_interval exchanged(const access *a, bool first, kgi_interval old, kgi_interval expected) {
  if (!first || kgi_is_anything(old) || kgi_is_anything(expected)) return kgi_anything();
  return equal_slot(a) ? kgi_bound_of(a->m->bound, a->x->arg[3], a->lane) : old;
}

static kgi_interval combined(const access *a, kgi_gathered *g, bool first, kgi_interval old, kgi_interval x) {
  kgi_atomic op = (kgi_atomic)a->x->op;
  kg_type type = (kg_type)a->memory->type;
  const kgi_interval both[2] = {old, x};
  bool floats = kgi_is_float(type);
  switch (op) {
  case KGI_ATOMIC_add:
    if (floats) return add_float(a, g, old, x);
    break;
  case KGI_ATOMIC_min: case KGI_ATOMIC_max:
    if (floats) return kgi_interval_op(&a->m->bound->rules, op == KGI_ATOMIC_min ? KGI_OP_min : KGI_OP_max, type, type, both);
    break;
  case KGI_ATOMIC_exchange: case KGI_ATOMIC_store: return replaced(a, first, old, x);
  case KGI_ATOMIC_compare_exchange: return exchanged(a, first, old, x);
  case KGI_ATOMIC_load: return old;
  case KGI_ATOMIC_and: case KGI_ATOMIC_or: case KGI_ATOMIC_xor: case KGI_ATOMIC_COUNT: break;
  }
  return kgi_bound_mark(!kgi_is_anything(old) && !kgi_is_anything(x)); /* in any order the same */
}

/* Different operations on one element in one interval: their order counts. An exchange is a store whose result is of no account. */
static bool mixes(const kgi_gathered *g, uint32_t when, kgi_atomic op) {
  if (op == KGI_ATOMIC_exchange) op = KGI_ATOMIC_store;
  return g->when == when && g->op != op;
}

static void change(const access *a) {
  kgi_machine *m = a->m;
  kgi_cells *c = a->memory->cells;
  kgi_gathered *g = &c->gathered[a->at];
  kgi_atomic op = (kgi_atomic)a->x->op;
  uint32_t when = interval_of(a);
  kgi_interval old = cell_at(a->memory, a->at), x = kgi_bound_of(m->bound, a->x->arg[2], a->lane), y;
  bool first = g->when != when;
  if (mixes(g, when, op)) g->any = 1;
  if (first) *g = (kgi_gathered){.when = when, .op = (uint8_t)(op == KGI_ATOMIC_exchange ? KGI_ATOMIC_store : op)};
  y = g->any ? kgi_anything() : combined(a, g, first || m->bound->told[a->inst], old, x);
  if (kgi_is_anything(y) && !kgi_is_anything(old) && !kgi_is_anything(x)) kgi_undecided(m, a->inst, 1);
  if (kgi_bound_doubts(m->bound, a->lane)) y = kgi_anything();
  c->low[a->at] = y.low, c->high[a->at] = y.high;
  if (!kgi_is_anything(y)) c->unknown = false;
  else g->any = 1;
}

void kgi_bound_atomic(kgi_machine *m, uint32_t i, uint32_t lane) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const access a = {.m = m, .inst = i, .lane = lane, .x = x, .memory = &m->memory[x->arg[0]], .at = m->where[lane]};
  bool known = located(m, i, lane), loads = x->op == KGI_ATOMIC_load;
  bool alone = loads && !changes_atomically(m->plan->program, x->arg[0]);
  kgi_interval before = kgi_anything();
  if (known && (alone || a.at == KGI_NOWHERE || m->bound->told[i])) before = cell_at(a.memory, a.at);
  else if (known && m->bound->used[i]) kgi_undecided(m, i, 1);
  if (m->slot[i]) kgi_bound_set(m->bound, i, lane, before);
  if (loads) return;
  if (!known) kgi_bound_spoil(m, x->arg[0], lane);
  else if (a.at != KGI_NOWHERE) change(&a);
}
