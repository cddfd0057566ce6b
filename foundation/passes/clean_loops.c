/* Loop-invariant values move out of loops, and out of the branches in them: no operation traps, so computing one in vain harms
 * nothing. Cleaning leaves loads where they are, because out of bounds they are counted. Hoisting moves those of what is never stored,
 * and of vars that the loop does not store to: an adjoint then adds to their shadow once, behind the loop, and keeps them once. A load stays behind a guard, the bounds of a loop or the condition of a
 * branch, that speaks of what its index is made of, unless the index is in bounds by what holds in front. */
#include "foundation/analysis/inside.h"
#include "foundation/ir/place.h"
#include "foundation/ir/views.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"

enum { MOST_GUARDS = 2 * KGI_MAX_DEPTH, MOST_SOURCES = 16, MOST_STEPS = 256, MOST_STORES = 64 };

/* Where vars are stored to, or declared: by object a row of places in the text, from the first on. */
typedef struct stores {
  uint32_t *place, *last; /* by instruction: its place, and the last one in it */
  uint32_t *row, *inst, *begin;
} stores;

/* A loop, or a branch whose condition trips decide. */
typedef struct guard { uint32_t inst; unsigned inside; } guard;

typedef struct walk {
  kgi_program *p;
  const bool *constant;              /* by object: loads of it move too; NULL: none do */
  const kgi_distinct *facts;         /* where loads move */
  const stores *stores;              /* likewise */
  guard guard[MOST_GUARDS];          /* around, from the outermost; `inside` of so many loops, itself included */
  unsigned guard_count;
  uint8_t *depth;                    /* of each value: loops around it */
  uint32_t loop[KGI_MAX_DEPTH + 1];  /* loop[d] is inside d others */
  unsigned inside;
  unsigned load_floor;               /* loads leave no loop that has fewer around it, and it */
  bool changed;
} walk;

static void visit_block(walk *w, kgi_blk block);

/* How deep the deepest operand lies. The length of a var is known only where the var is. */
static unsigned needed_depth(const walk *w, const kgi_inst *inst) {
  unsigned depth = 0;
  kgi_span operands = kgi_operands(inst);
  for (unsigned n = 0; n < operands.count; n++) {
    const kgi_inst *operand = &w->p->inst[inst->arg[operands.first + n]];
    bool of_var = operand->kind == KGI_len && w->p->scope.object[operand->arg[0]].space == KGI_VAR;
    unsigned d = of_var ? w->inside : w->depth[inst->arg[operands.first + n]];
    if (d > depth) depth = d;
  }
  return depth;
}

/* ---- guards ---- */

/* Ids, indices of loops and values from memory that a value is made of. Params are among them where something is taken away, as in the
 * `n - 1` that wraps where n is 0; an index that a loop without a trip makes smaller only leaves memory that is as small. */
typedef struct sources { uint32_t inst[MOST_SOURCES], count, steps; bool many, lessens; } sources;

static bool is_memory(const kgi_inst *x) { return x->kind == KGI_load || x->kind == KGI_atomic; }

static void collect(const kgi_program *p, uint32_t value, sources *s) {
  const kgi_inst *x = &p->inst[value];
  kgi_span operands = kgi_operands(x);
  bool is_size = x->kind == KGI_param || x->kind == KGI_spec || x->kind == KGI_len;
  if (x->kind == KGI_literal || (is_size && !s->lessens)) return;
  if (x->kind == KGI_op && x->op == KGI_OP_sub) s->lessens = true;
  if (!s->steps-- || (x->kind != KGI_op && s->count == MOST_SOURCES)) s->many = true;
  else if (x->kind != KGI_op) s->inst[s->count++] = value;
  for (unsigned k = 0; k < operands.count && !s->many && (x->kind == KGI_op || is_memory(x)); k++)
    collect(p, x->arg[operands.first + k], s);
}

/* All ids count as one, and so do all elements of an object. */
static bool are_alike(const kgi_inst *x, const kgi_inst *y) {
  if (x == y) return true;
  if (is_memory(x)) return is_memory(y) && x->arg[0] == y->arg[0];
  return x->kind == y->kind && (x->kind == KGI_id || (x->kind != KGI_for && x->arg[0] == y->arg[0]));
}

static bool shares(const kgi_program *p, uint32_t value, const sources *s) {
  sources own = {.steps = MOST_STEPS, .lessens = s->lessens};
  collect(p, value, &own);
  for (uint32_t k = 0; k < own.count; k++)
    for (uint32_t n = 0; n < s->count; n++)
      if (are_alike(&p->inst[own.inst[k]], &p->inst[s->inst[n]])) return true;
  return own.many || s->many;
}

/* What says whether there is a trip. A branch that trips decide, or a condition over vars, may guard whatever goes by more than sizes. */
static bool speaks_of(const walk *w, const guard *g, const sources *index) {
  const kgi_inst *inst = &w->p->inst[g->inst];
  if (inst->kind != KGI_for) return index->count || index->many;
  return shares(w->p, inst->arg[0], index) || (inst->kind == KGI_for && shares(w->p, inst->arg[1], index));
}

/* How far out a load may go for the sake of its index k. */
static unsigned depth_for(const walk *w, uint32_t load, unsigned k, uint32_t value, unsigned depth) {
  sources index = {.steps = MOST_STEPS};
  unsigned guards = w->guard_count;
  collect(w->p, value, &index);
  while (guards && w->guard[guards - 1].inside > depth && !speaks_of(w, &w->guard[guards - 1], &index)) guards--;
  if (!guards || w->guard[guards - 1].inside <= depth) return depth;
  while (depth < w->guard[guards - 1].inside && !kgi_is_inside(w->facts, load, k, w->loop[depth])) depth++;
  return depth;
}

/* How far out a load may go that needs `depth`. */
static unsigned allowed_depth(const walk *w, uint32_t load, unsigned depth) {
  const kgi_inst *inst = &w->p->inst[load];
  const kgi_object *o = &w->p->scope.object[inst->arg[0]];
  kgi_digits place;
  if (depth < w->load_floor) depth = w->load_floor;
  if (o->scalar || depth >= w->inside) return depth;
  if (!kgi_place_of(w->p, load, &place)) return depth_for(w, load, 0, inst->arg[1], depth);
  for (unsigned k = 0; k < o->rank; k++) depth = depth_for(w, load, k, place.value[k], depth);
  return depth;
}

static void enter(walk *w, uint32_t i) {
  if (w->guard_count < MOST_GUARDS) w->guard[w->guard_count++] = (guard){i, w->inside};
  else w->load_floor = w->inside;
}

/* ---- the walk ---- */

static void visit_loop(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  kgi_span blocks = kgi_owned_blocks(inst);
  unsigned guards = w->guard_count, floor = w->load_floor;
  w->loop[w->inside++] = i;
  enter(w, i);
  w->depth[i] = (uint8_t)w->inside; /* a for's index lives inside */
  for (unsigned n = 0; n < blocks.count; n++) visit_block(w, inst->arg[blocks.first + n]);
  w->inside--;
  w->guard_count = guards, w->load_floor = floor;
}

/* A condition that is the same in all trips may be what keeps an index in bounds: loads stay behind it. */
static void visit_others(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  kgi_span blocks = kgi_owned_blocks(inst);
  unsigned floor = w->load_floor, guards = w->guard_count;
  if (inst->kind == KGI_if && w->depth[inst->arg[0]] < w->inside) w->load_floor = w->inside;
  else if (inst->kind == KGI_if) enter(w, i);
  for (unsigned n = 0; n < blocks.count; n++) visit_block(w, inst->arg[blocks.first + n]);
  w->load_floor = floor, w->guard_count = guards;
}

static void move_out(walk *w, uint32_t i, unsigned depth) {
  if (depth >= w->inside) return;
  kgi_move(w->p, i, kgi_before(w->p, w->loop[depth]));
  w->depth[i] = (uint8_t)depth;
  w->changed = true;
}

/* ---- loads of vars ---- */

static bool is_store_to_var(const kgi_program *p, uint32_t i) {
  uint32_t object = kgi_has_effect(&p->inst[i], KGI_WRITES | KGI_DECLARES) ? kgi_object_of(&p->inst[i]) : 0;
  return object && p->scope.object[object].space == KGI_VAR;
}

static bool find_stores(const kgi_program *p, kgi_arena *scratch, stores *s) {
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

static bool is_stored_in(const stores *s, uint32_t object, uint32_t loop) {
  uint32_t low = s->begin[object], high = s->begin[object + 1], end = high;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (s->row[middle] < s->place[loop]) low = middle + 1;
    else high = middle;
  }
  return low < end && s->row[low] <= s->last[loop];
}

static bool is_within(const kgi_program *p, kgi_blk block, uint32_t i) {
  while (p->inst[i].block != block && p->inst[i].block != KGI_BODY) i = p->block[p->inst[i].block].owner;
  return p->inst[i].block == block;
}

static bool stores_to(const kgi_program *p, kgi_blk block, uint32_t object) {
  KGI_EACH(p, block, i)
    if (p->inst[i].kind == KGI_store && p->inst[i].arg[0] == object) return true;
  return false;
}

/* It runs before `loop`, whatever trips and conditions there are. Of an array, loops in front count as if they had a trip: they set
 * elements that loops of as many trips load. */
static bool certainly_precedes(const kgi_program *p, uint32_t store, uint32_t loop) {
  uint32_t object = p->inst[store].arg[0];
  kgi_blk block = p->inst[store].block;
  if (p->inst[store].kind != KGI_store) return false;
  for (; !is_within(p, block, loop); block = p->inst[p->block[block].owner].block) {
    const kgi_inst *owner = &p->inst[p->block[block].owner];
    if (kgi_is_loop(owner)) {
      if (p->scope.object[object].scalar) return false;
    } else if (owner->kind == KGI_if) {
      kgi_blk other = owner->arg[1] == block ? owner->arg[2] : owner->arg[1];
      if (!other || !stores_to(p, other, object)) return false;
    }
  }
  return true;
}

/* The loop may have no trip, and in front of it the var may never have been stored to: a load there would read what was not written. */
static bool is_set_before(const walk *w, uint32_t object, uint32_t loop) {
  const stores *s = w->stores;
  uint32_t end = s->begin[object + 1], first = s->begin[object];
  for (uint32_t k = first; k < end && k < first + MOST_STORES && s->row[k] < s->place[loop]; k++)
    if (certainly_precedes(w->p, s->inst[k], loop)) return true;
  return false;
}

/* A var holds the same in all trips of a loop that does not store to it. */
static void visit_load_of_var(walk *w, uint32_t i) {
  uint32_t object = w->p->inst[i].arg[0];
  unsigned depth = needed_depth(w, &w->p->inst[i]);
  while (depth < w->inside && is_stored_in(w->stores, object, w->loop[depth])) depth++;
  while (depth < w->inside && !is_set_before(w, object, w->loop[depth])) depth++;
  if (depth < w->inside) move_out(w, i, w->p->scope.object[object].scalar ? depth : allowed_depth(w, i, depth));
}

static void visit(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  w->depth[i] = (uint8_t)w->inside;
  if (kgi_is_loop(inst)) {
    visit_loop(w, i);
  } else if (inst->kind == KGI_op) {
    move_out(w, i, needed_depth(w, inst));
  } else if (inst->kind == KGI_load && w->constant && w->constant[inst->arg[0]]) {
    unsigned depth = needed_depth(w, inst);
    if (depth < w->inside) move_out(w, i, allowed_depth(w, i, depth));
  } else if (inst->kind == KGI_load && w->stores && w->p->scope.object[inst->arg[0]].space == KGI_VAR) {
    visit_load_of_var(w, i);
  } else {
    visit_others(w, i);
  }
}

static void visit_block(walk *w, kgi_blk block) {
  for (uint32_t i = w->p->block[block].first, next; i; i = next) {
    next = w->p->inst[i].next;
    visit(w, i);
  }
}

static bool walk_all(walk *w, kgi_arena *scratch) {
  w->depth = kgi_arena_alloc(scratch, w->p->inst_count, 1);
  if (w->depth) visit_block(w, KGI_BODY);
  return w->depth;
}

void kgi_clean_loops(kgi_cleaner *c) {
  walk w = {.p = c->p};
  if (walk_all(&w, &c->scratch) && w.changed) c->changed = true;
}

kg_status kgi_hoist(const kg_module *m, kgi_program *q, kgi_arena *scratch) {
  kgi_distinct *facts;
  kgi_blocks blocks;
  stores vars;
  bool *constant = kgi_arena_alloc(scratch, q->scope.object_count, sizeof *constant);
  if (!constant || !kgi_overlaps_find(&blocks, scratch, &q->scope)) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < kgi_buffer_end(&q->scope); o++) constant[o] = !blocks.written[o];
  kg_status status = kgi_distinct_make(scratch, m, q, &facts);
  if (status != KG_OK) return status;
  if (!find_stores(q, scratch, &vars)) return KG_NO_MEMORY;
  return walk_all(&(walk){.p = q, .constant = constant, .facts = facts, .stores = &vars}, scratch) ? KG_OK : KG_NO_MEMORY;
}
