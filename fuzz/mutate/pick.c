/* What is there to be changed. */
#include "fuzz/mutate/parts.h"

static bool is_open(const kgi_program *p, kgi_blk block, kgi_blk from) {
  while (from && from != block) from = p->block[from].owner ? p->inst[p->block[from].owner].block : 0;
  return from == block;
}

uint32_t kgi_pick(kgi_mutant_program *m, kgi_fits *fits) {
  uint32_t found = 0, seen = 0;
  for (uint32_t k = 0; k < m->count; k++)
    if (fits(m, m->list[k]) && !kgi_draw(m, ++seen)) found = m->list[k];
  return found;
}

uint32_t kgi_pick_value(kgi_mutant_program *m, uint32_t inst, kg_type type, uint32_t but) {
  const kgi_program *p = m->b.p;
  uint32_t found = 0, seen = 0;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (kgi_is_leaf(p->inst[i].kind) && p->inst[i].type == type && i != but && !kgi_draw(m, ++seen)) found = i;
  for (uint32_t k = 0; k < m->count && m->list[k] != inst; k++) {
    uint32_t i = m->list[k];
    bool index = p->inst[i].kind == KGI_for && is_open(p, p->inst[i].arg[3], p->inst[inst].block);
    bool there = index || (p->inst[i].kind != KGI_for && is_open(p, p->inst[i].block, p->inst[inst].block));
    if (there && p->inst[i].type == type && i != but && !kgi_draw(m, ++seen)) found = i;
  }
  return found;
}

/* By the invocation's number, or a value's sign. */
static kgi_val new_condition(kgi_mutant_program *m, uint32_t inst) {
  kgi_builder *b = &m->b;
  b->at = kgi_before(b->p, inst);
  uint32_t number = kgi_draw(m, 2) ? kgi_pick_value(m, inst, KG_F32, 0) : 0;
  if (number) return kgi_op2(b, KGI_OP_lt, (kgi_val){number}, kgi_f32(b, 0));
  kgi_val id = kgi_id_value(b, kgi_draw(m, 2) ? KGI_ID_global_id : KGI_ID_local_id, 0);
  kgi_val some = kgi_u32(b, 1 + kgi_draw(m, 6));
  if (kgi_draw(m, 3)) return kgi_op2(b, KGI_OP_lt, id, some);
  kgi_val odd = kgi_op2(b, KGI_OP_and, id, kgi_u32(b, 1));
  return kgi_op2(b, KGI_OP_eq, odd, kgi_u32(b, kgi_draw(m, 2)));
}

kgi_val kgi_pick_condition(kgi_mutant_program *m, uint32_t inst) {
  uint32_t there = kgi_draw(m, 3) ? 0 : kgi_pick_value(m, inst, KG_BOOL, 0);
  kgi_val c = there ? (kgi_val){there} : new_condition(m, inst);
  m->b.at = kgi_before(m->b.p, inst);
  return kgi_draw(m, 5) ? c : kgi_op1(&m->b, KGI_OP_not, c);
}

static bool does_something(const kgi_mutant_program *m, uint32_t i) {
  const kgi_inst *x = &m->b.p->inst[i];
  return !kgi_is_pure(x) && x->kind != KGI_var;
}

uint32_t kgi_pick_statement(kgi_mutant_program *m) { return kgi_pick(m, does_something); }

unsigned kgi_pick_operand(kgi_mutant_program *m, uint32_t inst) {
  kgi_span span = kgi_operands(&m->b.p->inst[inst]);
  unsigned k = span.first + kgi_draw(m, span.count);
  return span.count && m->b.p->inst[inst].arg[k] ? k : KGI_NO_ARG;
}

void kgi_move_rest_here(kgi_mutant_program *m, uint32_t inst) {
  kgi_program *p = m->b.p;
  for (uint32_t i = inst, next; i; i = next) {
    next = p->inst[i].next;
    kgi_move(p, i, kgi_at_end(p, m->b.at.block));
  }
}
