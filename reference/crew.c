#include "reference/crew.h"
#include "reference/turns.h"

#include <signal.h>

enum { MOST_THREADS = 256, LOG_BYTES = 1 << 18, STINTS_EACH = 3 };

/* ---- what blocks leave behind, in their order ---- */

static void apply_log(const kgi_machine *m, kgi_log *log) {
  size_t each = 2 * (size_t)m->tangents;
  for (uint32_t i = 0; i < log->count; i++) {
    const kgi_change *change = &log->change[i];
    kgi_atomic_apply(m, change->inst, change->element, &change->operand, each ? log->shadow + i * each : NULL);
  }
  log->count = 0;
}

static void note_fault(kgi_crew *c, kg_fault fault, uint32_t inst, uint64_t lanes) {
  if (kgi_fault_note(c->report, c->own->plan, fault, inst, lanes)) c->fault_inst = inst, c->fault_lanes = lanes;
}

static void add_report(kgi_crew *c, const kgi_stint *stint) {
  kg_reference_report *sum = c->report;
  const kg_reference_report *r = &stint->report;
  if (!sum->out_of_bounds_loads && !sum->out_of_bounds_stores) {
    sum->out_of_bounds_line = r->out_of_bounds_line, sum->out_of_bounds_column = r->out_of_bounds_column;
    sum->out_of_bounds_index = r->out_of_bounds_index, sum->out_of_bounds_length = r->out_of_bounds_length;
  }
  sum->out_of_bounds_loads += r->out_of_bounds_loads;
  sum->out_of_bounds_stores += r->out_of_bounds_stores;
  sum->lane_instructions += r->lane_instructions;
  if (r->fault == KG_FAULT_NONE) return;
  note_fault(c, r->fault, stint->fault_inst, stint->fault_lanes);
  sum->fault_count += r->fault_count - stint->fault_lanes; /* those after the first */
}

/* Blocks behind this one do not count: those that are under way may give up. */
static void end_at(kgi_crew *c, uint64_t block) {
  uint64_t end = atomic_load(&c->end);
  while (block < end && !atomic_compare_exchange_weak(&c->end, &end, block)) continue;
}

static void finish(kgi_crew *c, kgi_stint *stint) {
  add_report(c, stint);
  if (!stint->ends && kgi_block_passes(c->own, c->report)) {
    note_fault(c, KG_FAULT_STEP_LIMIT, kgi_block_place(c->own), c->own->group_lanes);
    end_at(c, stint->block);
    stint->ends = true;
  }
  if (!c->lost) c->lost = stint->lost;
  c->ended = stint->ends;
  stint->done = false;
  c->merged++;
  if (c->waiting) pthread_cond_broadcast(&c->turn);
}

/* Under the lock, which is given up while a log is applied; others leave their blocks to the thread that is at it. */
static void merge(kgi_crew *c, const kgi_machine *m) {
  if (c->merging) return;
  c->merging = true;
  for (kgi_stint *stint; !c->ended && (stint = &c->stint[c->merged % c->stints])->done; finish(c, stint)) {
    if (!stint->log.count) continue;
    pthread_mutex_unlock(&c->lock);
    apply_log(m, &stint->log);
    pthread_mutex_lock(&c->lock);
  }
  c->merging = false;
}

/* ---- blocks ---- */

static void wait_for_turn(kgi_crew *c) {
  c->waiting++;
  pthread_cond_wait(&c->turn, &c->lock);
  c->waiting--;
}

static kgi_stint *next_stint(kgi_crew *c) {
  kgi_stint *stint = &c->stint[c->next % c->stints];
  stint->block = c->next++;
  stint->report = (kg_reference_report){0};
  stint->log.count = stint->fault_inst = 0;
  stint->in_turn = false;
  return stint;
}

/* The next block, or NULL when none are left. */
static kgi_stint *take(kgi_crew *c) {
  while (!c->ended && c->next < c->blocks && c->next - c->merged >= c->stints) wait_for_turn(c);
  bool none = c->ended || c->next >= c->blocks || c->next > atomic_load(&c->end);
  return none ? NULL : next_stint(c);
}

/* What the machine has done; takes the lock. */
static void hand_in(kgi_crew *c, const kgi_machine *m) {
  if (m->stop) end_at(c, m->stint->block);
  pthread_mutex_lock(&c->lock);
  m->stint->ends = m->stop;
  m->stint->lost = m->lost;
  m->stint->done = true;
  merge(c, m);
}

/* Under the lock. */
static void work(kgi_crew *c, kgi_machine *m) {
  for (kgi_stint *stint; (stint = take(c));) {
    pthread_mutex_unlock(&c->lock);
    m->stint = stint;
    m->report = &stint->report;
    m->stop = false, m->lost = 0;
    kgi_block_walk(m, stint->block);
    hand_in(c, m);
  }
}

bool kgi_stint_log(kgi_machine *m, uint32_t inst, const kgi_mask *mask) {
  kgi_log *log = &m->stint->log;
  uint32_t operand = m->plan->program->inst[inst].arg[2];
  size_t size = kgi_slot_size(kgi_type_at(m->plan->program, operand));
  if (m->stint->in_turn || log->capacity - log->count < mask->count) return false;
  for (uint32_t l = mask->first; l < mask->end; l++) {
    if (m->where[l] == KGI_NOWHERE) continue;
    double *shadow = m->tangents ? log->shadow + (size_t)log->count * 2 * m->tangents : NULL;
    kgi_change *change = &log->change[log->count++];
    *change = (kgi_change){.element = m->where[l], .inst = inst};
    memcpy(&change->operand, (const char *)m->slot[operand] + l * size, size);
    for (uint32_t k = 0; k < m->tangents; k++) {
      size_t at = (size_t)k * m->lanes + l;
      shadow[k] = m->tangent[operand] ? m->tangent[operand][at] : 0;
      shadow[m->tangents + k] = m->tangent[operand] ? m->magnitude[operand][at] : 0;
    }
  }
  return true;
}

bool kgi_stint_wait(kgi_machine *m) {
  kgi_stint *stint = m->stint;
  kgi_crew *c = stint->crew;
  if (stint->in_turn) return true;
  pthread_mutex_lock(&c->lock);
  while (!c->ended && c->merged != stint->block) wait_for_turn(c);
  stint->in_turn = !c->ended;
  pthread_mutex_unlock(&c->lock);
  if (stint->in_turn) apply_log(m, &stint->log);
  else m->stop = true;
  return stint->in_turn;
}

/* ---- threads ---- */

static void *serve(void *user) {
  kgi_worker *w = user;
  kgi_crew *c = w->crew;
  pthread_mutex_lock(&c->lock);
  while (!c->quit) {
    bool news = w->seen != c->serial;
    kgi_machine *m = news && c->open ? w->machine[c->run->program_index] : NULL;
    w->seen = c->serial;
    if (m) {
      c->running++;
      pthread_mutex_unlock(&c->lock);
      kgi_machine_begin_run(m, c->run, c->buffers, c->params);
      pthread_mutex_lock(&c->lock);
      work(c, m);
      if (!--c->running) pthread_cond_signal(&c->idle);
    } else {
      pthread_cond_wait(&c->work, &c->lock);
    }
  }
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

void kgi_crew_init(kgi_crew *c, const kg_reference_params *params, uint32_t threads, uint64_t worth, const kgi_arena *base) {
  *c = (kgi_crew){.params = params, .wanted = threads > MOST_THREADS ? MOST_THREADS : threads, .worth = worth, .base = base};
  kgi_arena_init(&c->arena, params->allocator);
}

void kgi_crew_free(kgi_crew *c) {
  if (c->worker) {
    pthread_mutex_lock(&c->lock);
    c->quit = true;
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->workers; i++) pthread_join(c->worker[i].thread, NULL);
    for (uint32_t i = 0; i < c->workers; i++) kgi_arena_free(&c->worker[i].arena);
    pthread_cond_destroy(&c->idle), pthread_cond_destroy(&c->turn), pthread_cond_destroy(&c->work);
    pthread_mutex_destroy(&c->lock);
  }
  kgi_arena_free(&c->arena);
}

size_t kgi_crew_bytes(const kgi_crew *c) {
  size_t bytes = c->arena.total;
  for (uint32_t i = 0; i < c->workers; i++) bytes += c->worker[i].arena.total;
  return bytes;
}

/* An arena that may take what the others leave. A limit of 0 would be none. */
static kgi_arena *allow(const kgi_crew *c, kgi_arena *arena) {
  size_t limit = kgi_memory_limit(c->params), bytes = c->base->total + kgi_crew_bytes(c), left = bytes < limit ? limit - bytes : 0;
  arena->limit = arena->total + left ? arena->total + left : 1;
  return arena;
}

/* Signals are for the program's own threads. */
static void start(kgi_crew *c, uint32_t count) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (kgi_arena *arena = allow(c, &c->arena); c->workers < count; c->workers++) {
    kgi_worker *w = &c->worker[c->workers];
    w->crew = c;
    kgi_arena_init(&w->arena, c->params->allocator);
    w->machine = kgi_arena_alloc(arena, c->params->module->program_count, sizeof(kgi_machine *));
    if (!w->machine || pthread_create(&w->thread, NULL, serve, w) != 0) break;
  }
  c->arena.failed = false;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static bool recruit(kgi_crew *c) {
  allow(c, &c->arena);
  c->stints = c->wanted * STINTS_EACH;
  kgi_worker *worker = kgi_arena_alloc(&c->arena, c->wanted - 1, sizeof *worker);
  c->stint = kgi_arena_alloc(&c->arena, c->stints, sizeof *c->stint);
  if (c->arena.failed) return false;
  for (uint32_t i = 0; i < c->stints; i++) c->stint[i].crew = c;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->work, NULL), pthread_cond_init(&c->turn, NULL), pthread_cond_init(&c->idle, NULL);
  c->worker = worker;
  return true;
}

static void equip(kgi_crew *c, kgi_worker *w, const kgi_machine *own) {
  kgi_arena *arena = allow(c, &w->arena);
  kgi_machine *m = w->full ? NULL : kgi_arena_alloc(arena, 1, sizeof *m);
  if (m && kgi_machine_make(m, own->plan, own->run, c->params, &w->watcher, own->bits, arena) == KG_OK)
    w->machine[own->run->program_index] = m;
  else w->full = true;
}

static bool needs_log(const kgi_plan *plan) {
  for (uint32_t i = 1; i < kgi_buffer_end(&plan->program->scope); i++)
    if (plan->order[i] == KGI_LOGGED) return true;
  return false;
}

/* A stint without a log waits for its turn. */
static void add_logs(kgi_crew *c, uint32_t tangents) {
  size_t shadow = 2 * sizeof(double) * (size_t)tangents, room = LOG_BYTES / (sizeof(kgi_change) + shadow);
  kgi_arena *arena = allow(c, &c->arena);
  for (uint32_t i = 0; i < c->stints; i++) {
    kgi_log *log = &c->stint[i].log;
    uint32_t capacity = 0, shadows = 0;
    if (log->capacity) continue;
    if (!kgi_arena_reserve(arena, &log->change, 0, &capacity, (uint32_t)room, sizeof *log->change)) break;
    if (shadow && !kgi_arena_reserve(arena, &log->shadow, 0, &shadows, (uint32_t)room, shadow)) break;
    log->capacity = capacity;
  }
  arena->failed = false;
}

/* So many threads, and a machine for each, like `own`; false: `own` has to do it alone. */
static bool prepare(kgi_crew *c, const kgi_machine *own, uint32_t count) {
  uint32_t program = own->run->program_index;
  bool some = false;
  if (!c->worker && !c->broken) c->broken = !recruit(c);
  if (c->broken) return false;
  start(c, count);
  if (needs_log(own->plan)) add_logs(c, own->tangents);
  for (uint32_t i = 0; i < c->workers; i++) {
    if (!c->worker[i].machine[program]) equip(c, &c->worker[i], own);
    some |= c->worker[i].machine[program] != NULL;
  }
  return some;
}

/* ---- dispatches ---- */

/* How many threads have enough to do, beside the caller's, if the blocks that are left take as long as those before. */
static uint32_t useful(const kgi_crew *c, const kgi_machine *own) {
  uint64_t done = own->report->lane_instructions - c->start, each = done / (own->block + 1), left = c->blocks - own->block - 1;
  uint64_t blocks_each = each ? c->worth / each + 1 : left + 1, count = left / blocks_each;
  return count < c->wanted - 1 ? (uint32_t)count : c->wanted - 1;
}

/* In the midst of a block: everything before it is done. */
void kgi_crew_call(kgi_machine *own) {
  kgi_crew *c = own->crew;
  c->call = own->report->lane_instructions + c->worth;
  uint32_t count = useful(c, own);
  if (count) {
    own->crew = NULL;
    if (prepare(c, own, count)) {
      pthread_mutex_lock(&c->lock);
      c->next = c->merged = own->block;
      c->ended = false;
      atomic_store(&c->end, UINT64_MAX);
      own->stint = next_stint(c);
      own->stint->in_turn = true;
      own->steps -= own->report->lane_instructions;
      own->report = &own->stint->report;
      c->open = true;
      c->serial++;
      pthread_cond_broadcast(&c->work);
      pthread_mutex_unlock(&c->lock);
    }
  }
  kgi_block_mark(own);
}

/* After the block in which it called. */
static void share(kgi_crew *c, kgi_machine *own) {
  kg_fault before = c->report->fault;
  hand_in(c, own);
  work(c, own);
  while (c->running) pthread_cond_wait(&c->idle, &c->lock);
  c->open = false;
  pthread_mutex_unlock(&c->lock);
  own->stint = NULL, own->report = c->report, own->stop = c->ended, own->lost = c->lost;
  if (before == KG_FAULT_NONE && c->report->fault != before) kgi_fault_say(own, c->report->fault, c->fault_inst, c->fault_lanes);
}

void kgi_crew_dispatch(kgi_crew *c, kgi_machine *own, const kgi_run *run, const kgi_memory *buffers) {
  c->run = run, c->buffers = buffers, c->own = own, c->report = own->report, c->lost = 0;
  c->blocks = kgi_block_count(run);
  c->start = own->report->lane_instructions;
  c->call = c->start + c->worth;
  own->crew = c->wanted > 1 ? c : NULL;
  kgi_turns turns = kgi_turns_of(own->order, c->blocks);
  for (uint64_t b = 0; b < c->blocks && !own->stop; b++) {
    kgi_block_walk(own, kgi_next_turn(&turns));
    if (own->stint) {
      share(c, own);
      break;
    }
    if (!own->stop && kgi_block_passes(own, c->report)) kgi_fault(own, KG_FAULT_STEP_LIMIT, kgi_block_place(own), own->group_lanes);
  }
  own->crew = NULL;
}
