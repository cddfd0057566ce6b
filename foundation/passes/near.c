/* Vars are declared where they live: in the innermost block that holds all that touches them, just in front of the first that does. Into
 * a loop they go where each trip stores first: to every element of an array. */
#include "foundation/analysis/fills.h"
#include "foundation/passes/passes.h"

typedef struct walk {
  kgi_program *p;
  uint32_t *first, *next, *last; /* what touches each object, in the order of the text */
  uint32_t *declared;            /* by object */
  bool *measured;                /* likewise: its length is asked for, which is known where it is declared */
} walk;

static kgi_blk around(const kgi_program *p, kgi_blk block) { return p->inst[p->block[block].owner].block; }

static bool holds(const kgi_program *p, kgi_blk block, kgi_blk inner) {
  while (inner && inner != block) inner = around(p, inner);
  return inner == block;
}

/* The statement of `block` in which `i` stands. */
static uint32_t statement_of(const kgi_program *p, kgi_blk block, uint32_t i) {
  while (p->inst[i].block != block) i = p->block[p->inst[i].block].owner;
  return i;
}

/* Whoever runs the block stores to the var before he loads it. */
static bool stores_first(const walk *w, uint32_t object, kgi_blk block) {
  uint32_t i = w->first[object];
  while (i && !holds(w->p, block, w->p->inst[i].block)) i = w->next[i];
  if (!i) return false;
  const kgi_inst *x = &w->p->inst[statement_of(w->p, block, i)];
  if (x->kind == KGI_store) return x->arg[0] == object;
  return x->kind == KGI_if && x->arg[2] && stores_first(w, object, x->arg[1]) && stores_first(w, object, x->arg[2]);
}

static kgi_blk meeting(const kgi_program *p, kgi_blk a, kgi_blk b) {
  while (!holds(p, a, b)) a = around(p, a);
  return a;
}

static bool is_in_loop(const kgi_program *p, kgi_blk outer, kgi_blk block) {
  for (; block != outer; block = around(p, block))
    if (kgi_is_loop(&p->inst[p->block[block].owner])) return true;
  return false;
}

static bool begins_anew(const walk *w, uint32_t object, kgi_blk block) {
  if (w->p->scope.object[object].scalar) return stores_first(w, object, block);
  return !w->measured[object] && kgi_is_filled_first(w->p, object, block);
}

/* The innermost block where it may be; 0: nobody touches it. */
static kgi_blk nearest(const walk *w, uint32_t object) {
  const kgi_program *p = w->p;
  uint32_t at = w->declared[object], first = w->first[object];
  if (!at || !first) return 0;
  kgi_blk home = p->inst[at].block, block = p->inst[first].block;
  for (uint32_t i = first; i; i = w->next[i]) block = meeting(p, block, p->inst[i].block);
  if (!holds(p, home, block)) return 0;
  while (is_in_loop(p, home, block) && !begins_anew(w, object, block)) block = around(p, block);
  return block;
}

static void settle(walk *w, uint32_t object, bool fresh) {
  kgi_program *p = w->p;
  kgi_blk block = nearest(w, object);
  uint32_t at = w->declared[object];
  if (!block || (fresh && (p->scope.object[object].scalar || !is_in_loop(p, p->inst[at].block, block)))) return;
  uint32_t statement = statement_of(p, block, w->first[object]);
  if (p->inst[at].next != statement) kgi_move(p, at, kgi_before(p, statement));
}

static bool look(walk *w, kgi_arena *scratch) {
  kgi_program *p = w->p;
  w->first = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w->first);
  w->last = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w->last);
  w->declared = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w->declared);
  w->measured = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w->measured);
  w->next = kgi_arena_alloc(scratch, p->inst_count, sizeof *w->next);
  if (scratch->failed) return false;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (p->inst[i].kind == KGI_len) w->measured[p->inst[i].arg[0]] = true;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    uint32_t object = kgi_object_of(&p->inst[i]);
    if (!object || p->scope.object[object].space != KGI_VAR) continue;
    if (p->inst[i].kind == KGI_var) { w->declared[object] = i; continue; }
    if (w->last[object]) w->next[w->last[object]] = i; else w->first[object] = i;
    w->last[object] = i;
  }
  return true;
}

static kg_status declare(kgi_program *p, bool fresh, kgi_arena *scratch) {
  walk w = {.p = p};
  if (!look(&w, scratch)) return KG_NO_MEMORY;
  for (uint32_t object = p->scope.object_count; object-- > 1;) settle(&w, object, fresh);
  return KG_OK;
}

kg_status kgi_declare_near(kgi_program *p, kgi_arena *scratch) { return declare(p, false, scratch); }
kg_status kgi_begin_arrays_anew(kgi_program *p, kgi_arena *scratch) { return declare(p, true, scratch); }
