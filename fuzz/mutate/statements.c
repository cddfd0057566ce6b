/* Other statements. */
#include "fuzz/mutate/parts.h"

static kgi_inst *at(const kgi_mutant_program *m, uint32_t i) { return &m->b.p->inst[i]; }

bool kgi_mutate_removed(kgi_mutant_program *m) {
  uint32_t i = kgi_pick_statement(m);
  if (i) kgi_cut(&m->b, i, 1);
  return i;
}

bool kgi_mutate_moved(kgi_mutant_program *m) {
  uint32_t i = kgi_pick_statement(m), to = i;
  if (!i) return false;
  bool up = kgi_draw(m, 2);
  for (unsigned n = 1 + kgi_draw(m, 6); n && to; n--) to = up ? at(m, to)->prev : at(m, to)->next;
  if (!to || to == i) return false;
  kgi_move(m->b.p, i, up ? kgi_before(m->b.p, to) : kgi_behind(m->b.p, to));
  return true;
}

bool kgi_mutate_barrier(kgi_mutant_program *m) {
  uint32_t i = kgi_pick_statement(m);
  if (!i) return false;
  m->b.at = kgi_draw(m, 2) ? kgi_before(m->b.p, i) : kgi_behind(m->b.p, i);
  kgi_barrier_here(&m->b);
  return true;
}

static bool is_barrier(const kgi_mutant_program *m, uint32_t i) { return at(m, i)->kind == KGI_barrier; }

bool kgi_mutate_no_barrier(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_barrier);
  if (i) kgi_remove(m->b.p, i);
  return i;
}

/* ---- around the rest of a block ---- */

bool kgi_mutate_guarded(kgi_mutant_program *m) {
  uint32_t i = kgi_pick_statement(m);
  if (!i) return false;
  kgi_val c = kgi_pick_condition(m, i);
  kgi_if_begin(&m->b, c);
  kgi_move_rest_here(m, i);
  return true;
}

bool kgi_mutate_either(kgi_mutant_program *m) {
  uint32_t i = kgi_pick_statement(m);
  if (!i || !kgi_writes(at(m, i))) return false;
  kgi_val c = kgi_pick_condition(m, i);
  const kgi_inst x = *at(m, i);
  kgi_if_begin(&m->b, c);
  if (kgi_draw(m, 3)) kgi_append(&m->b, x);
  else kgi_barrier_here(&m->b);
  kgi_else(&m->b);
  kgi_move_rest_here(m, i);
  return true;
}

bool kgi_mutate_repeated(kgi_mutant_program *m) {
  uint32_t i = kgi_pick_statement(m);
  if (!i) return false;
  m->b.at = kgi_before(m->b.p, i);
  kgi_val from = kgi_u32(&m->b, 0), to = kgi_u32(&m->b, 1 + kgi_draw(m, 3));
  kgi_for_begin(&m->b, "again", from, to, (kgi_val){0}, !kgi_draw(m, 4));
  kgi_move_rest_here(m, i);
  return true;
}

static bool group(kgi_mutant_program *m, bool checkpoint) {
  uint32_t i = kgi_pick_statement(m);
  if (!i) return false;
  m->b.at = kgi_before(m->b.p, i);
  if (checkpoint) kgi_checkpoint_begin(&m->b, "");
  else kgi_region_begin(&m->b, "group");
  kgi_move_rest_here(m, i);
  return true;
}

bool kgi_mutate_grouped(kgi_mutant_program *m) { return group(m, false); }
bool kgi_mutate_checkpointed(kgi_mutant_program *m) { return group(m, true); }

static bool owns(const kgi_mutant_program *m, uint32_t i) { return kgi_owned_blocks(at(m, i)).count && at(m, i)->kind != KGI_while; }

bool kgi_mutate_unwrapped(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, owns);
  if (!i) return false;
  kgi_span blocks = kgi_owned_blocks(at(m, i));
  if (at(m, i)->kind == KGI_for) kgi_replace_uses(m->b.p, i, at(m, i)->arg[0]);
  kgi_unwrap(m->b.p, i, at(m, i)->arg[blocks.first + kgi_draw(m, blocks.count)]);
  return true;
}

/* ---- loops ---- */

static bool is_for(const kgi_mutant_program *m, uint32_t i) { return at(m, i)->kind == KGI_for; }

bool kgi_mutate_turned(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_for);
  if (i) at(m, i)->flags ^= KGI_REVERSED;
  return i;
}

bool kgi_mutate_stepped(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_for);
  if (!i) return false;
  uint32_t two = kgi_int(&m->b, (kg_type)at(m, i)->type, 2).i;
  at(m, i)->arg[2] = two;
  return true;
}

static bool is_in_loop(const kgi_program *p, uint32_t i) {
  for (uint32_t owner = p->block[p->inst[i].block].owner; owner; owner = p->block[p->inst[owner].block].owner)
    if (kgi_is_loop(&p->inst[owner])) return true;
  return false;
}

bool kgi_mutate_left(kgi_mutant_program *m) {
  uint32_t i = kgi_pick_statement(m);
  if (!i) return false;
  bool loop = is_in_loop(m->b.p, i);
  unsigned kind = loop ? kgi_draw(m, 5) : 4;
  kgi_val c = kgi_pick_condition(m, i);
  kgi_if_begin(&m->b, c);
  if (kind < 2) kgi_break_here(&m->b);
  else if (kind < 4) kgi_continue_here(&m->b);
  else kgi_return_here(&m->b);
  kgi_end(&m->b);
  return true;
}

static bool has_continue(const kgi_program *p, kgi_blk block) {
  KGI_EACH_INSIDE(p, block, i)
    if (p->inst[i].kind == KGI_continue) return true;
  return false;
}

/* As compilers of other languages write it: a var, a loop without end, a branch that leaves it. */
bool kgi_mutate_by_hand(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_for);
  kgi_builder *b = &m->b;
  if (!i || at(m, i)->flags & KGI_REVERSED || has_continue(b->p, at(m, i)->arg[3])) return false;
  const kgi_inst loop = *at(m, i);
  b->at = kgi_before(b->p, i);
  kgi_obj k = kgi_var(b, "k", (kg_type)loop.type, (kgi_dim){0});
  kgi_store(b, k, (kgi_val){0}, (kgi_val){loop.arg[0]});
  kgi_while_begin(b);
  kgi_while_body(b, kgi_bool(b, true), (kgi_dim){0});
  kgi_val now = kgi_load(b, k, (kgi_val){0}), more = kgi_op2(b, KGI_OP_lt, now, (kgi_val){loop.arg[1]});
  kgi_if_begin(b, kgi_op1(b, KGI_OP_not, more));
  kgi_break_here(b);
  kgi_end(b);
  while (b->p->block[loop.arg[3]].first) kgi_move(b->p, b->p->block[loop.arg[3]].first, kgi_at_end(b->p, b->at.block));
  b->at = kgi_at_end(b->p, b->at.block);
  kgi_replace_uses(b->p, i, now.i);
  kgi_store(b, k, (kgi_val){0}, kgi_op2(b, KGI_OP_add, kgi_load(b, k, (kgi_val){0}), (kgi_val){loop.arg[2]}));
  kgi_end(b);
  kgi_remove(b->p, i);
  return true;
}

static bool is_if(const kgi_mutant_program *m, uint32_t i) { return at(m, i)->kind == KGI_if; }

/* if c { flag = true }  if flag { ... } */
bool kgi_mutate_flagged(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_if);
  kgi_builder *b = &m->b;
  if (!i) return false;
  b->at = kgi_before(b->p, i);
  kgi_obj flag = kgi_var(b, "flag", KG_BOOL, (kgi_dim){0});
  kgi_store(b, flag, (kgi_val){0}, kgi_bool(b, false));
  kgi_if_begin(b, (kgi_val){at(m, i)->arg[0]});
  kgi_store(b, flag, (kgi_val){0}, kgi_bool(b, true));
  kgi_end(b);
  uint32_t condition = kgi_load(b, flag, (kgi_val){0}).i;
  at(m, i)->arg[0] = condition;
  return true;
}
