/* Loop-invariant values move out of loops, and out of the branches in them: no operation traps, so computing one in vain harms
 * nothing. Cleaning leaves loads where they are, because out of bounds they are counted. Hoisting moves those of what is never stored:
 * an adjoint then adds to their shadow once, behind the loop. */
#include "foundation/ir/views.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"

typedef struct walk {
  kgi_program *p;
  const bool *constant;              /* by object: loads of it move too; NULL: none do */
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

static void visit_loop(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  kgi_span blocks = kgi_owned_blocks(inst);
  w->loop[w->inside++] = i;
  w->depth[i] = (uint8_t)w->inside; /* a for's index lives inside */
  for (unsigned n = 0; n < blocks.count; n++) visit_block(w, inst->arg[blocks.first + n]);
  w->inside--;
}

/* A condition that is the same in all trips may be what keeps an index in bounds: loads stay behind it. */
static void visit_others(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  kgi_span blocks = kgi_owned_blocks(inst);
  unsigned floor = w->load_floor;
  bool guards = inst->kind == KGI_if && w->depth[inst->arg[0]] < w->inside;
  if (guards) w->load_floor = w->inside;
  for (unsigned n = 0; n < blocks.count; n++) visit_block(w, inst->arg[blocks.first + n]);
  w->load_floor = floor;
}

static void move_out(walk *w, uint32_t i, unsigned depth) {
  if (depth >= w->inside) return;
  kgi_move(w->p, i, kgi_before(w->p, w->loop[depth]));
  w->depth[i] = (uint8_t)depth;
  w->changed = true;
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
    move_out(w, i, depth > w->load_floor ? depth : w->load_floor);
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

kg_status kgi_hoist(kgi_program *q, kgi_arena *scratch) {
  kgi_blocks blocks;
  bool *constant = kgi_arena_alloc(scratch, q->scope.object_count, sizeof *constant);
  if (!constant || !kgi_overlaps_find(&blocks, scratch, &q->scope)) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < kgi_buffer_end(&q->scope); o++) constant[o] = !blocks.written[o];
  return walk_all(&(walk){.p = q, .constant = constant}, scratch) ? KG_OK : KG_NO_MEMORY;
}
