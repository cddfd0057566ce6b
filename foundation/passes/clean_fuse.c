/* Loops over the same range that follow one another become one, where no trip of the second could meet what a later trip of the
 * first does: neither writes what the other touches. What stands between them moves before the first, if it may. */
#include "foundation/passes/clean.h"

/* The first loop of a pair, while its followers are looked for: what it touches is marked with its number. */
typedef struct walk {
  kgi_cleaner *c;
  kgi_program *p;
  uint32_t *read_in, *written_in; /* by object: the last loop that does, by number */
  uint32_t number;
} walk;

/* What happens in trips may happen in any trips: nobody waits, nothing is left early or fails. */
static bool is_quiet(const kgi_program *p, kgi_blk block) {
  KGI_EACH_INSIDE(p, block, i)
    if (!kgi_is_quiet(&p->inst[i]) || p->scope.object[kgi_object_of(&p->inst[i])].view) return false;
  return true;
}

static void mark(walk *w, kgi_blk block) {
  KGI_EACH_INSIDE(w->p, block, i) {
    const kgi_inst *inst = &w->p->inst[i];
    if (inst->kind == KGI_load) w->read_in[inst->arg[0]] = w->number;
    else if (kgi_touches(inst)) w->written_in[inst->arg[0]] = w->number;
  }
}

static bool meets(const walk *w, const kgi_inst *inst) {
  if (!kgi_touches(inst)) return false;
  return w->written_in[inst->arg[0]] == w->number || (inst->kind != KGI_load && w->read_in[inst->arg[0]] == w->number);
}

static bool is_apart(const walk *w, kgi_blk block) {
  KGI_EACH_INSIDE(w->p, block, i)
    if (meets(w, &w->p->inst[i])) return false;
  return true;
}

/* May go before the first loop. */
static bool may_rise(const walk *w, const kgi_inst *inst) {
  if (inst->kind == KGI_op || inst->kind == KGI_var) return true;
  const kgi_object *o = &w->p->scope.object[inst->arg[0]];
  if (inst->kind == KGI_load) return !o->view && !meets(w, inst);
  return inst->kind == KGI_store && o->space == KGI_VAR && !meets(w, inst);
}

static bool is_same_range(const kgi_inst *a, const kgi_inst *b) {
  return a->type == b->type && a->flags == b->flags && a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2];
}

static void rename(kgi_program *p, uint32_t i, uint32_t from, uint32_t to) {
  kgi_inst *inst = &p->inst[i];
  kgi_span operands = kgi_operands(inst), blocks = kgi_owned_blocks(inst);
  for (unsigned n = 0; n < operands.count; n++)
    if (inst->arg[operands.first + n] == from) inst->arg[operands.first + n] = to;
  for (unsigned n = 0; n < blocks.count; n++) KGI_EACH(p, inst->arg[blocks.first + n], k) rename(p, k, from, to);
}

static void join(walk *w, uint32_t first, uint32_t second) {
  kgi_program *p = w->p;
  while (p->inst[first].next != second) kgi_move(p, p->inst[first].next, kgi_before(p, first));
  kgi_blk into = p->inst[first].arg[3], body = p->inst[second].arg[3];
  while (p->block[body].first) {
    uint32_t i = p->block[body].first;
    rename(p, i, second, first);
    kgi_move(p, i, kgi_at_end(p, into));
  }
  kgi_remove(p, second);
  w->c->changed = true;
}

/* Each body is looked at a fixed number of times, however many loops become one. */
static void visit_block(walk *w, kgi_blk block) {
  kgi_program *p = w->p;
  uint32_t first = 0;
  for (uint32_t i = p->block[block].first, next; i; i = next) {
    const kgi_inst *inst = &p->inst[i];
    next = inst->next;
    if (inst->kind != KGI_for) {
      if (first && !may_rise(w, inst)) first = 0;
      continue;
    }
    bool quiet = is_quiet(p, inst->arg[3]);
    bool joins = quiet && first && is_same_range(&p->inst[first], inst) && is_apart(w, inst->arg[3]);
    if (!joins) w->number++;
    if (quiet) mark(w, inst->arg[3]);
    if (joins) join(w, first, i);
    else first = quiet ? i : 0;
  }
  KGI_EACH(p, block, i) {
    kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
    for (unsigned n = 0; n < blocks.count; n++) visit_block(w, p->inst[i].arg[blocks.first + n]);
  }
}

void kgi_clean_fuse(kgi_cleaner *c) {
  walk w = {.c = c, .p = c->p};
  w.read_in = kgi_arena_alloc(&c->scratch, c->p->scope.object_count, sizeof *w.read_in);
  w.written_in = kgi_arena_alloc(&c->scratch, c->p->scope.object_count, sizeof *w.written_in);
  if (!c->scratch.failed) visit_block(&w, KGI_BODY);
}
