/* Barriers that order nothing. A reverse sweep mirrors all barriers of the forward sweep, on every path, and stands one before each
 * refilling; here go those that no invocation could miss, whoever put them there.
 *
 * A barrier orders what may be done between the barrier before it and itself, along every path that leads to it, with what may be done
 * from it to the next barrier, along every path that leads on: through both branches of an `if`, past the ends of blocks, and round
 * loops. It stays where both sides touch one object, one of them writes, and the accesses may be those of two invocations.
 *
 * The barriers that went earlier are looked past, so each pair of accesses is asked about when the last barrier between them is. */
#include "foundation/passes/passes.h"
#include "foundation/analysis/distinct.h"
#include "foundation/base/limits.h"

typedef struct walk {
  kgi_arena *scratch;
  const kg_module *m;
  kgi_program *q;
  uint32_t *uses;
  uint32_t *read, *written, *added; /* by object: the last question on whose first side it was so */
  uint8_t *own;                     /* by object: 0 not known, 1 no element is touched by two invocations, 2 some may be */
  uint32_t question, viewed;
  uint64_t steps;                   /* how far the walks may still go: past that, barriers stay */
  bool back, meets;
  kgi_program shape;                /* the program without its grid, which runs may replace */
  kgi_distinct *distinct;
} walk;

/* ---- whose an object's elements are ---- */

static bool ask_whose(walk *w, uint32_t object) {
  kgi_arena *arena = w->scratch;
  uint32_t *accesses = kgi_arena_alloc(arena, w->q->inst_count, sizeof *accesses), count = 0;
  if (!w->distinct && kgi_distinct_make(arena, w->m, &w->shape, &w->distinct) != KG_OK) return false;
  if (!accesses) return false;
  KGI_EACH_INSIDE(w->q, KGI_BODY, i)
    if (kgi_touches(&w->q->inst[i]) && w->q->inst[i].arg[0] == object) accesses[count++] = i;
  return kgi_all_disjoint(w->distinct, accesses, count, KGI_OWN_IN_WORKGROUP);
}

/* Every element is touched by one invocation of the workgroup alone, if at all. */
static bool is_own(walk *w, uint32_t object) {
  if (!w->own[object]) w->own[object] = ask_whose(w, object) ? 1 : 2;
  return w->own[object] == 1;
}

/* ---- one side of a barrier, then the other ---- */

static bool is_sum(const walk *w, uint32_t i) {
  const kgi_inst *inst = &w->q->inst[i];
  return inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_add && !w->uses[i];
}

static void look(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->q->inst[i];
  const kgi_object *o = &w->q->scope.object[inst->arg[0]];
  uint32_t object = inst->arg[0];
  if (o->space == KGI_VAR) return;
  if (w->back) {
    uint32_t *side = inst->kind == KGI_load ? w->read : is_sum(w, i) ? w->added : w->written;
    side[object] = w->question;
    if (o->view) w->viewed = w->question;
    return;
  }
  bool read = w->read[object] == w->question, written = w->written[object] == w->question;
  bool added = w->added[object] == w->question, meets = written;
  if (inst->kind == KGI_load) meets |= added;
  else if (is_sum(w, i)) meets |= read;
  else meets |= read || added;
  if (o->view) meets = w->viewed == w->question; /* views may lie over each other */
  else if (meets && is_own(w, object)) meets = false;
  w->meets |= meets;
}

static bool go_along(walk *w, uint32_t i);

static uint32_t entry(const walk *w, kgi_blk block) { return w->back ? w->q->block[block].last : w->q->block[block].first; }

/* Through the blocks of a statement; whether what lies beyond it may be reached without a barrier. */
static bool go_through(walk *w, uint32_t i) {
  const kgi_inst inst = w->q->inst[i];
  kgi_span owned = kgi_owned_blocks(&inst);
  bool beyond = inst.kind != KGI_if || !inst.arg[2]; /* loops may run no trip, an `if` its other branch */
  for (unsigned k = 0; k < owned.count; k++)
    if (go_along(w, entry(w, inst.arg[owned.first + k]))) beyond = true;
  return beyond;
}

/* From `i` on to the end of its block, or back to its start; whether that may be reached without a barrier. */
static bool go_along(walk *w, uint32_t i) {
  for (; i; i = w->back ? w->q->inst[i].prev : w->q->inst[i].next) {
    if (w->steps) w->steps--;
    else w->meets = true;
    if (w->meets || w->q->inst[i].kind == KGI_barrier) return false;
    if (kgi_touches(&w->q->inst[i])) look(w, i);
    if (!go_through(w, i)) return false;
  }
  return true;
}

/* To all that may be done between the barrier and the next one in this direction. */
static void go(walk *w, uint32_t i, bool back) {
  w->back = back;
  while (go_along(w, back ? w->q->inst[i].prev : w->q->inst[i].next)) {
    i = w->q->block[w->q->inst[i].block].owner;
    if (!i) return;
    const kgi_inst inst = w->q->inst[i];
    if (kgi_is_loop(&inst)) go_through(w, i); /* in another trip */
  }
}

static bool orders_nothing(walk *w, uint32_t barrier) {
  w->question++;
  w->meets = false;
  go(w, barrier, true);
  if (!w->meets) go(w, barrier, false);
  return !w->meets;
}

static void visit(walk *w, kgi_blk block) {
  for (uint32_t i = w->q->block[block].first, next; i; i = next) {
    next = w->q->inst[i].next;
    if (w->q->inst[i].kind == KGI_barrier && orders_nothing(w, i)) {
      kgi_remove(w->q, i);
      continue;
    }
    kgi_span owned = kgi_owned_blocks(&w->q->inst[i]);
    for (unsigned k = 0; k < owned.count; k++) visit(w, w->q->inst[i].arg[owned.first + k]);
  }
}

/* ---- where it may be asked ---- */

enum { BARRIER = 1, EXIT = 2, WILD = 4 };

/* What a block holds. WILD: a loop, or the program, that has a barrier and an exit, which leads past barriers. */
static unsigned survey(const kgi_program *q, kgi_blk block) {
  unsigned found = 0;
  KGI_EACH(q, block, i) {
    const kgi_inst *inst = &q->inst[i];
    unsigned inner = 0;
    kgi_span owned = kgi_owned_blocks(inst);
    for (unsigned k = 0; k < owned.count; k++) inner |= survey(q, inst->arg[owned.first + k]);
    if (inst->kind == KGI_barrier) inner = BARRIER;
    if (kgi_ends(inst)) inner = inst->kind == KGI_return ? WILD : EXIT;
    if (kgi_is_loop(inst)) {
      if ((inner & (BARRIER | EXIT)) == (BARRIER | EXIT)) inner |= WILD;
      inner &= ~(unsigned)EXIT;
    }
    found |= inner;
  }
  return found;
}

kg_status kgi_drop_barriers(const kg_module *m, kgi_program *q, kgi_arena *scratch) {
  size_t objects = q->scope.object_count;
  unsigned found = survey(q, KGI_BODY);
  if (!(found & BARRIER) || found & WILD) return KG_OK;
  walk w = {.scratch = scratch, .m = m, .q = q, .shape = *q, .steps = (uint64_t)q->inst_count * KGI_LIMIT(barrier_steps)};
  w.uses = kgi_arena_alloc(scratch, q->inst_count, sizeof *w.uses);
  for (unsigned axis = 0; axis < 3; axis++) w.shape.grid[axis] = (kgi_dim){0};
  w.read = kgi_arena_alloc(scratch, objects, sizeof *w.read);
  w.written = kgi_arena_alloc(scratch, objects, sizeof *w.written);
  w.added = kgi_arena_alloc(scratch, objects, sizeof *w.added);
  w.own = kgi_arena_alloc(scratch, objects, sizeof *w.own);
  if (scratch->failed) return KG_NO_MEMORY;
  kgi_count_uses(q, KGI_BODY, w.uses);
  visit(&w, KGI_BODY);
  return scratch->failed ? KG_NO_MEMORY : KG_OK;
}
