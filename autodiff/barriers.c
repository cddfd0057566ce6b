/* Barriers that order nothing. What stands before one, since the barrier before, and what follows, up to the next, must touch an
 * object that either of them writes; else no invocation could tell the difference. Reverse sweeps mirror all barriers of the
 * forward sweep, whatever they were there for. */
#include "autodiff/after.h"

typedef struct walk {
  kgi_program *q;
  uint32_t *read_in, *written_in; /* by object: the last stretch between barriers that does, by number */
  uint32_t stretch;
} walk;

static bool touches(const kgi_inst *inst) { return inst->kind == KGI_load || inst->kind == KGI_store || inst->kind == KGI_atomic; }

static void mark(walk *w, uint32_t i) {
  const kgi_inst *inst = &w->q->inst[i];
  if (touches(inst)) (inst->kind == KGI_load ? w->read_in : w->written_in)[inst->arg[0]] = w->stretch;
  kgi_span owned = kgi_owned_blocks(inst);
  for (unsigned k = 0; k < owned.count; k++) KGI_EACH(w->q, inst->arg[owned.first + k], n) mark(w, n);
}

static bool meets(const walk *w, uint32_t i) {
  const kgi_inst *inst = &w->q->inst[i];
  const kgi_object *o = &w->q->scope.object[inst->arg[0]];
  kgi_span owned = kgi_owned_blocks(inst);
  if (touches(inst) && o->space != KGI_VAR) {
    bool read = w->read_in[inst->arg[0]] == w->stretch, written = w->written_in[inst->arg[0]] == w->stretch;
    if (written || (read && inst->kind != KGI_load) || o->view) return true;
  }
  for (unsigned k = 0; k < owned.count; k++)
    KGI_EACH(w->q, inst->arg[owned.first + k], n)
      if (meets(w, n)) return true;
  return false;
}

/* Up to the next barrier of the block; behind a block's end anything may come. */
static bool meets_what_follows(const walk *w, uint32_t barrier) {
  uint32_t i = w->q->inst[barrier].next;
  for (; i && w->q->inst[i].kind != KGI_barrier; i = w->q->inst[i].next)
    if (meets(w, i)) return true;
  return !i && w->q->inst[barrier].block != KGI_BODY;
}

static void visit_block(walk *w, kgi_blk block) {
  bool known = block == KGI_BODY; /* what has come since the last barrier */
  w->stretch++;
  for (uint32_t i = w->q->block[block].first, next; i; i = next) {
    next = w->q->inst[i].next;
    if (w->q->inst[i].kind != KGI_barrier) {
      mark(w, i);
    } else if (known && !meets_what_follows(w, i)) {
      kgi_remove(w->q, i);
    } else {
      w->stretch++;
      known = true;
    }
  }
  KGI_EACH(w->q, block, i) {
    kgi_span owned = kgi_owned_blocks(&w->q->inst[i]);
    for (unsigned k = 0; k < owned.count; k++) visit_block(w, w->q->inst[i].arg[owned.first + k]);
  }
}

void kgi_ad_drop_barriers(kgi_ad *a, kgi_program *q) {
  walk w = {.q = q};
  w.read_in = kgi_arena_alloc(&a->scratch, q->scope.object_count, sizeof *w.read_in);
  w.written_in = kgi_arena_alloc(&a->scratch, q->scope.object_count, sizeof *w.written_in);
  if (a->scratch.failed) return kgi_ad_fail(a, KG_NO_MEMORY);
  visit_block(&w, KGI_BODY);
}
