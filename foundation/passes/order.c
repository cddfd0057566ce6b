/* A reversed loop whose trips may come in any order runs forward: it is easier to read, and may join another loop, as that of a
 * reverse sweep may join one of the forward sweep. Trips may come in any order where they only add to what outlives them, or keep to an element of their own. */
#include "foundation/passes/passes.h"
#include "foundation/analysis/loops.h"
#include "foundation/ir/views.h"

enum { SUM = 1, LOAD = 2, STORE = 4, MIXED = 8 }; /* what a loop does to an object; MIXED: at several indices */

typedef struct order {
  kgi_program *q;
  uint32_t *uses;
  uint8_t *sum;      /* by instruction: part of a load, addition and store of one element */
  kgi_blocks blocks; /* views that may overlap are one object, at several indices */
  uint8_t *does;     /* by object */
  uint32_t *index;   /* by object: of its accesses */
  uint32_t *seen;    /* by object: the loop that this was noted for */
  uint32_t *own;     /* by object: the loop in whose body it is declared */
  uint32_t loop;
} order;

/* x[i] = x[i] + v, or - v: the load, if nothing comes between it and the store that could see the difference. Else 0. */
static uint32_t load_of_sum(const order *w, uint32_t store) {
  const kgi_program *q = w->q;
  const kgi_inst *s = &q->inst[store], *sum = &q->inst[s->arg[2]];
  bool adds = sum->kind == KGI_op && (sum->op == KGI_OP_add || sum->op == KGI_OP_sub);
  if (!adds || sum->block != s->block || w->uses[s->arg[2]] != 1) return 0;
  for (uint32_t i = s->prev; i; i = q->inst[i].prev) {
    const kgi_inst *inst = &q->inst[i];
    if (inst->kind != KGI_op && !kgi_touches(inst)) return 0;
    if (!kgi_touches(inst) || inst->arg[0] != s->arg[0]) continue;
    bool operand = sum->arg[0] == i || (sum->op == KGI_OP_add && sum->arg[1] == i);
    return inst->kind == KGI_load && inst->arg[1] == s->arg[1] && operand && w->uses[i] == 1 ? i : 0;
  }
  return 0;
}

static void note(order *w, uint32_t i) {
  const kgi_inst *inst = &w->q->inst[i];
  uint32_t object = w->blocks.of[inst->arg[0]];
  uint8_t does = w->sum[i] ? SUM : inst->kind == KGI_load ? LOAD : STORE;
  if (inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_add && !w->uses[i]) does = SUM;
  if (w->seen[object] != w->loop) w->does[object] = 0, w->index[object] = inst->arg[1];
  w->seen[object] = w->loop;
  if (w->index[object] != inst->arg[1] || w->blocks.aliased[inst->arg[0]]) does |= MIXED;
  w->does[object] |= does;
}

/* Notes what the body does; false: something that has its place in the order of trips. */
static bool survey(order *w, kgi_blk body) {
  const kgi_program *q = w->q;
  KGI_EACH_INSIDE(q, body, i) {
    const kgi_inst *inst = &q->inst[i];
    uint32_t load = inst->kind == KGI_store ? load_of_sum(w, i) : 0;
    if (!kgi_is_quiet(inst)) return false;
    if (inst->kind == KGI_var) w->own[inst->arg[0]] = w->loop;
    if (load) w->sum[i] = w->sum[load] = 1;
  }
  KGI_EACH_INSIDE(q, body, i)
    if (kgi_touches(&q->inst[i])) note(w, i);
  return true;
}

static bool may_turn(const order *w, kgi_blk body) {
  const kgi_program *q = w->q;
  KGI_EACH_INSIDE(q, body, i) {
    const kgi_inst *inst = &q->inst[i];
    uint32_t object = inst->arg[0];
    if (!kgi_touches(inst) || w->own[object] == w->loop) continue;
    uint8_t does = w->does[w->blocks.of[object]];
    bool reads = (does & ~MIXED) == LOAD, adds = (does & ~MIXED) == SUM;
    if (reads || adds) continue;
    if (q->scope.object[object].view || does & MIXED || !kgi_element_moves_with(q, object, w->index[object], w->loop)) return false;
  }
  return true;
}

kg_status kgi_straighten(kgi_program *q, uint32_t *loops, uint32_t *count, kgi_arena *scratch) {
  size_t objects = q->scope.object_count;
  order w = {.q = q};
  w.uses = kgi_arena_alloc(scratch, q->inst_count, sizeof *w.uses);
  w.sum = kgi_arena_alloc(scratch, q->inst_count, 1);
  w.does = kgi_arena_alloc(scratch, objects, 1);
  w.index = kgi_arena_alloc(scratch, objects, sizeof *w.index);
  w.seen = kgi_arena_alloc(scratch, objects, sizeof *w.seen);
  w.own = kgi_arena_alloc(scratch, objects, sizeof *w.own);
  if (!kgi_overlaps_find(&w.blocks, scratch, &q->scope)) return KG_NO_MEMORY;
  kgi_count_uses(q, KGI_BODY, w.uses);
  uint32_t given = *count;
  *count = 0;
  for (uint32_t k = 0; k < given; k++) {
    kgi_inst *loop = &q->inst[loops[k]];
    w.loop = loops[k];
    if (!loop->block || !survey(&w, loop->arg[3]) || !may_turn(&w, loop->arg[3])) continue;
    loop->flags &= (uint8_t)~KGI_REVERSED;
    loops[(*count)++] = w.loop;
  }
  return KG_OK;
}
