/* Loop-invariant values move out of loops, and out of the branches in them: no operation traps, so computing one in vain harms
 * nothing. Loads stay where they are: out of bounds they are counted. */
#include "foundation/passes/clean.h"

typedef struct walk {
  kgi_cleaner *c;
  kgi_program *p;
  uint8_t *depth;                    /* of each value: loops around it */
  uint32_t loop[KGI_MAX_DEPTH + 1];  /* loop[d] is inside d others */
  unsigned inside;
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

static void visit(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  w->depth[i] = (uint8_t)w->inside;
  if (kgi_is_loop(inst)) {
    visit_loop(w, i);
  } else if (inst->kind == KGI_op && w->inside) {
    unsigned depth = needed_depth(w, inst);
    if (depth == w->inside) return;
    kgi_move(w->p, i, kgi_before(w->p, w->loop[depth]));
    w->depth[i] = (uint8_t)depth;
    w->c->changed = true;
  } else {
    kgi_span blocks = kgi_owned_blocks(inst);
    for (unsigned n = 0; n < blocks.count; n++) visit_block(w, inst->arg[blocks.first + n]);
  }
}

static void visit_block(walk *w, kgi_blk block) {
  for (uint32_t i = w->p->block[block].first, next; i; i = next) {
    next = w->p->inst[i].next;
    visit(w, i);
  }
}

void kgi_clean_loops(kgi_cleaner *c) {
  walk w = {.c = c, .p = c->p};
  w.depth = kgi_arena_alloc(&c->scratch, c->p->inst_count, 1);
  if (w.depth) visit_block(&w, KGI_BODY);
}
