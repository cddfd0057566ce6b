/* A loop of one trip becomes what it does:
 *
 *     for k in 0 .. 1 { ... }                                    k is 0
 *     for k in local_id.x .. W step W { ... }                    k is local_id.x, where W is the workgroup's size along x
 *
 * The second one is how a workgroup goes over as many elements as it has lanes, and how an adjoint lets each lane add up an element. To a
 * device it is a loop that lanes may leave one by one. Loops that something breaks off, or continues, stay. */
#include "foundation/ir/fold.h"
#include "foundation/passes/clean.h"

typedef struct once { kgi_program *p; uint32_t *to; bool any; } once;

/* ---- how many trips ---- */

static const kgi_inst *number(const kgi_program *p, uint32_t value) {
  const kgi_inst *x = &p->inst[value];
  return x->kind == KGI_op && x->op == KGI_OP_convert && kgi_is_int(p->inst[x->arg[0]].type) ? &p->inst[x->arg[0]] : x;
}

static bool literal(const kgi_program *p, uint32_t value, int64_t *out) {
  const kgi_inst *x = &p->inst[value];
  if (x->kind != KGI_literal) return false;
  *out = kgi_bits_to_int((kg_type)x->type, kgi_literal_bits(x));
  return kgi_type_kind_of(x->type) != KGI_UINT || *out >= 0;
}

/* The size of the workgroup along the axis, as a literal or as the constant that says it. */
static bool is_size(const kgi_program *p, uint32_t value, unsigned axis) {
  const kgi_dim_node *size = &p->scope.dim[p->workgroup[axis].i];
  const kgi_inst *x = number(p, value);
  int64_t n;
  if (!p->workgroup[axis].i) return literal(p, value, &n) && n == 1;
  if (size->op == KGI_DIM_INT) return literal(p, value, &n) && n == size->imm;
  return size->op == KGI_DIM_SPEC && x->kind == KGI_spec && x->arg[0] == size->a && kgi_type_bits((kg_type)x->type) == 32;
}

static bool goes_over_lanes(const kgi_program *p, const kgi_inst *loop) {
  const kgi_inst *from = number(p, loop->arg[0]);
  return from->kind == KGI_id && from->op == KGI_ID_local_id && loop->arg[2] && is_size(p, loop->arg[1], from->arg[0]) &&
         is_size(p, loop->arg[2], from->arg[0]);
}

static bool has_one_trip(const kgi_program *p, const kgi_inst *loop) {
  int64_t from, to, step = 1;
  if (goes_over_lanes(p, loop)) return true;
  if (!literal(p, loop->arg[0], &from) || !literal(p, loop->arg[1], &to) || (loop->arg[2] && !literal(p, loop->arg[2], &step))) return false;
  return step >= 1 && from < to && (uint64_t)to - (uint64_t)from <= (uint64_t)step; /* else the reference says so */
}

/* ---- what it does ---- */

/* Some jump goes to the loop whose block it is. */
static bool has_jump(const kgi_program *p, kgi_blk block) {
  KGI_EACH(p, block, i) {
    const kgi_inst *x = &p->inst[i];
    if (x->kind == KGI_break || x->kind == KGI_continue) return true;
    kgi_span blocks = kgi_owned_blocks(x);
    for (unsigned n = 0; n < blocks.count && !kgi_is_loop(x); n++)
      if (has_jump(p, x->arg[blocks.first + n])) return true;
  }
  return false;
}

static void unfold(once *w, uint32_t loop) {
  kgi_program *p = w->p;
  kgi_cursor at = kgi_behind(p, loop);
  for (uint32_t i = p->block[p->inst[loop].arg[3]].first, next; i; i = next) {
    next = p->inst[i].next;
    kgi_move(p, i, at);
    at.after = i;
  }
  w->to[loop] = p->inst[loop].arg[0];
  w->any = true;
  kgi_remove(p, loop);
}

static void visit_block(once *w, kgi_blk block) {
  for (uint32_t i = w->p->block[block].first, next; i; i = next) {
    const kgi_inst *x = &w->p->inst[i];
    kgi_span blocks = kgi_owned_blocks(x);
    for (unsigned n = 0; n < blocks.count; n++) visit_block(w, x->arg[blocks.first + n]);
    next = x->next;
    bool leaves = x->kind == KGI_for && w->p->block[x->arg[3]].last && kgi_ends(&w->p->inst[w->p->block[x->arg[3]].last]);
    if (x->kind == KGI_for && !leaves && has_one_trip(w->p, x) && !has_jump(w->p, x->arg[3])) unfold(w, i);
  }
}

void kgi_clean_once(kgi_cleaner *c) {
  once w = {.p = c->p, .to = kgi_arena_alloc(&c->scratch, c->p->inst_count, sizeof *w.to)};
  if (!w.to) return;
  visit_block(&w, KGI_BODY);
  if (!w.any) return;
  c->changed = true;
  KGI_EACH_INSIDE(c->p, KGI_BODY, i) {
    kgi_span operands = kgi_operands(&c->p->inst[i]);
    for (unsigned n = 0; n < operands.count; n++) {
      uint32_t *arg = &c->p->inst[i].arg[operands.first + n];
      while (w.to[*arg]) *arg = w.to[*arg];
    }
  }
}
