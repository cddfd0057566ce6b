/* A loop that sums up what nobody stores to need not wait where it stands: it goes behind an earlier loop over the same range that loads some
 * of the same, past barriers and whatever else lies between, and cleaning makes one loop of the two. So an adjoint looks at a row once for
 * the primal's sum and for its own.
 *
 * Such a loop touches vars, and loads from buffers to which the program never stores; nothing between the two touches its vars, but for
 * what declares them and gives them their first values, which goes along. */
#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"
#include "foundation/ir/views.h"
#include "foundation/passes/passes.h"

typedef struct climber {
  kgi_program *p;
  kgi_blocks blocks;
  uint32_t *touched, number; /* by object: the last loop that was asked about and touches it */
  uint32_t *place;           /* numbers in the order of the text, of what stood there in the beginning */
  uint32_t count;
  bool *climbed;
} climber;

static const kgi_object *object_of(const climber *c, const kgi_inst *inst) { return &c->p->scope.object[kgi_object_of(inst)]; }

/* It may run anywhere behind what its operands are made of and its vars' first values. Its objects are marked. */
static bool is_free(climber *c, uint32_t loop) {
  c->number++;
  KGI_EACH_INSIDE(c->p, c->p->inst[loop].arg[3], i) {
    const kgi_inst *inst = &c->p->inst[i];
    if (!kgi_is_quiet(inst)) return false;
    if (!kgi_touches(inst) && inst->kind != KGI_var) continue;
    bool is_var = object_of(c, inst)->space == KGI_VAR;
    bool unwritten = inst->kind == KGI_load && object_of(c, inst)->space == KGI_BUFFER && !c->blocks.written[inst->arg[0]];
    if (!is_var && !unwritten) return false;
    c->touched[inst->arg[0]] = c->number;
  }
  return true;
}

/* Whether it is there in front of `at`, and so behind it. */
static bool is_there(const climber *c, uint32_t value, uint32_t at) {
  const kgi_inst *inst = &c->p->inst[value];
  return kgi_is_leaf(inst->kind) || (value < c->count && c->place[value] < c->place[at]);
}

static bool has_operands(const climber *c, uint32_t i, uint32_t at) {
  kgi_span operands = kgi_operands(&c->p->inst[i]);
  for (unsigned n = 0; n < operands.count; n++)
    if (!is_there(c, c->p->inst[i].arg[operands.first + n], at)) return false;
  return true;
}

/* What the body is made of besides itself is there. */
static bool has_all(const climber *c, uint32_t loop, uint32_t at) {
  KGI_EACH_INSIDE(c->p, c->p->inst[loop].arg[3], i) {
    kgi_span operands = kgi_operands(&c->p->inst[i]);
    for (unsigned n = 0; n < operands.count; n++) {
      uint32_t value = c->p->inst[i].arg[operands.first + n];
      if (value != loop && kgi_is_fixed(c->p, value, loop) && !is_there(c, value, at)) return false;
    }
  }
  return true;
}

/* A declaration of one of the loop's vars, or a store of its first value. */
static bool goes_along(const climber *c, uint32_t i, uint32_t at) {
  const kgi_inst *inst = &c->p->inst[i];
  if (inst->kind == KGI_var) return c->touched[inst->arg[0]] == c->number;
  return inst->kind == KGI_store && object_of(c, inst)->space == KGI_VAR && c->touched[inst->arg[0]] == c->number && has_operands(c, i, at);
}

static bool stays(const climber *c, uint32_t i) {
  const kgi_inst *inst = &c->p->inst[i];
  if (kgi_ends(inst)) return false;
  if ((kgi_touches(inst) || inst->kind == KGI_var) && object_of(c, inst)->space == KGI_VAR && c->touched[inst->arg[0]] == c->number) return false;
  kgi_span blocks = kgi_owned_blocks(inst);
  for (unsigned n = 0; n < blocks.count; n++)
    KGI_EACH(c->p, inst->arg[blocks.first + n], k)
      if (!stays(c, k)) return false;
  return true;
}

static bool is_same_range(const kgi_inst *a, const kgi_inst *b) {
  return a->type == b->type && a->flags == b->flags && a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2];
}

/* Worth it, and to become one: `first` loads some of the same, touches none of the vars, and is quiet. */
static bool suits(const climber *c, uint32_t first, uint32_t loop) {
  const kgi_inst *inst = &c->p->inst[first];
  bool common = false;
  if (!is_same_range(inst, &c->p->inst[loop])) return false;
  KGI_EACH_INSIDE(c->p, inst->arg[3], i) {
    const kgi_inst *x = &c->p->inst[i];
    if (!kgi_is_quiet(x)) return false;
    if (!kgi_touches(x) || c->touched[x->arg[0]] != c->number) continue;
    if (object_of(c, x)->space == KGI_VAR || object_of(c, x)->view) return false;
    common = true;
  }
  return common;
}

static void climb(climber *c, uint32_t first, uint32_t loop) {
  kgi_cursor to = kgi_behind(c->p, first);
  *c->climbed = true;
  for (uint32_t i = c->p->inst[first].next, next; i; i = next) {
    next = c->p->inst[i].next;
    bool last = i == loop;
    if (!last && !goes_along(c, i, first)) continue;
    kgi_move(c->p, i, to);
    to.after = i;
    c->place[i] = 0; /* where it stands now, nothing but leaves is known to be there */
    if (last) return;
  }
}

/* The loop's way up ends at something that it cannot pass. */
static void visit_loop(climber *c, uint32_t loop) {
  if (!is_free(c, loop)) return;
  unsigned steps = 0;
  for (uint32_t i = c->p->inst[loop].prev; i && steps++ < KGI_LIMIT(climb_steps); i = c->p->inst[i].prev) {
    if (steps > 1 && c->p->inst[i].kind == KGI_for && suits(c, i, loop)) {
      bool ready = has_all(c, loop, i);
      for (uint32_t k = c->p->inst[i].next; k != loop && ready; k = c->p->inst[k].next) ready = goes_along(c, k, i) || stays(c, k);
      if (ready) climb(c, i, loop);
      return;
    }
    if (c->p->inst[i].kind != KGI_var && c->p->inst[i].kind != KGI_store && !stays(c, i)) return;
  }
}

static void visit_block(climber *c, kgi_blk block) {
  for (uint32_t i = c->p->block[block].first, next; i; i = next) {
    kgi_span blocks = kgi_owned_blocks(&c->p->inst[i]);
    next = c->p->inst[i].next;
    for (unsigned n = 0; n < blocks.count; n++) visit_block(c, c->p->inst[i].arg[blocks.first + n]);
    if (c->p->inst[i].kind == KGI_for) visit_loop(c, i);
  }
}

kg_status kgi_climb(kgi_program *q, kgi_arena *scratch, bool *climbed) {
  climber c = {.p = q, .count = q->inst_count, .climbed = climbed};
  uint32_t at = 0;
  c.touched = kgi_arena_alloc(scratch, q->scope.object_count, sizeof *c.touched);
  c.place = kgi_arena_alloc(scratch, q->inst_count, sizeof *c.place);
  if (!c.touched || !c.place || !kgi_overlaps_find(&c.blocks, scratch, &q->scope)) return KG_NO_MEMORY;
  KGI_EACH_INSIDE(q, KGI_BODY, i) c.place[i] = ++at;
  visit_block(&c, KGI_BODY);
  return KG_OK;
}
