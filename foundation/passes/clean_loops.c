/* Loop-invariant values move out of loops, and out of the branches in them: no operation traps, so computing one in vain harms
 * nothing. Cleaning leaves loads where they are, because out of bounds they are counted. Hoisting moves those of what is never stored,
 * and of vars that the loop does not store to: an adjoint then adds to their shadow once, behind the loop, and keeps them once. A load stays behind a guard, the bounds of a loop or the condition of a
 * branch, that speaks of what its index is made of, unless the index is in bounds by what holds in front. */
#include "foundation/analysis/inside.h"
#include "foundation/ir/place.h"
#include "foundation/ir/views.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"
#include "foundation/passes/set_before.h"

enum { MOST_GUARDS = 2 * KGI_MAX_DEPTH, MOST_SOURCES = 16, MOST_STEPS = 256 };

/* A loop, or a branch whose condition trips decide. */
typedef struct guard { uint32_t inst; unsigned inside; } guard;

typedef struct walk {
  kgi_program *p;
  const bool *constant;              /* by object: loads of it move too; NULL: none do */
  const kgi_distinct *facts;         /* where loads move */
  const kgi_stores *stores;          /* likewise */
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

/* A var holds the same in all trips of a loop that does not store to it. */
static void visit_load_of_var(walk *w, uint32_t i) {
  uint32_t object = w->p->inst[i].arg[0];
  unsigned depth = needed_depth(w, &w->p->inst[i]);
  while (depth < w->inside && kgi_is_stored_in(w->stores, object, w->loop[depth])) depth++;
  while (depth < w->inside && !kgi_is_set_before(w->p, w->stores, i, w->loop[depth])) depth++;
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

kg_status kgi_hoist(const kg_module *m, kgi_program *q, bool watched, kgi_arena *scratch) {
  kgi_distinct *facts;
  kgi_blocks blocks;
  kgi_stores vars;
  bool *constant = kgi_arena_alloc(scratch, q->scope.object_count, sizeof *constant);
  if (!constant || !kgi_overlaps_find(&blocks, scratch, &q->scope)) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < kgi_buffer_end(&q->scope); o++) constant[o] = !blocks.written[o] && (!watched || kgi_is_given(m, q, o));
  kg_status status = kgi_distinct_make(scratch, m, q, &facts);
  if (status != KG_OK) return status;
  if (!kgi_stores_find(q, scratch, &vars)) return KG_NO_MEMORY;
  return walk_all(&(walk){.p = q, .constant = constant, .facts = facts, .stores = &vars}, scratch) ? KG_OK : KG_NO_MEMORY;
}
