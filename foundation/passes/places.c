/* Accesses to arrays of several dimensions get their indices back. Numbering lets accesses share a flat index, and moves parts of it
 * out of loops; then a[i, j] would print as a[t]. Here each access gets a chain of its own again, where its statement begins: devices
 * share what is alike anyway. */
#include "foundation/ir/place.h"
#include "foundation/passes/clean.h"

/* What stands before the expression of `value`, if that ends with `before`; else `before`. As printing has it. */
static uint32_t before_expression(const kgi_program *p, const uint32_t *uses, uint32_t value, uint32_t before, unsigned depth) {
  enum { DEEPEST = 16 };
  const kgi_inst *x = &p->inst[value];
  if (!value || value != before || uses[value] != 1 || p->inst_name[value].i || depth > DEEPEST) return before;
  if (!kgi_is_pure(x)) return before;
  kgi_span operands = kgi_operands(x);
  before = x->prev;
  for (unsigned k = operands.count; k-- > 0;)
    before = before_expression(p, uses, x->arg[operands.first + k], before, depth + 1);
  return before;
}

/* The load of a store that adds to what it loads: x[i] += e. 0: it is no such store. */
static uint32_t load_of(const kgi_program *p, const kgi_inst *store) {
  const kgi_inst *op = &p->inst[store->arg[2]];
  if (store->kind != KGI_store || op->kind != KGI_op || store->prev != store->arg[2]) return 0;
  const kgi_inst *load = &p->inst[op->arg[0]];
  bool same = load->kind == KGI_load && load->arg[0] == store->arg[0] && load->arg[1] == store->arg[1];
  return same && load->block == store->block ? op->arg[0] : 0;
}

static void write_place(kgi_cleaner *c, uint32_t access, uint32_t behind, const uint32_t *uses) {
  kgi_program *p = c->p;
  const kgi_inst *inst = &p->inst[access];
  kgi_digits place;
  kgi_val index[KGI_MAX_RANK], chain;
  uint32_t load = load_of(p, inst);
  if (!kgi_place_of(p, access, &place)) return;
  unsigned rank = p->scope.object[inst->arg[0]].rank;
  for (unsigned k = 0; k < rank; k++) index[k] = (kgi_val){place.value[k]};
  if (load) behind = p->inst[load].prev;
  else if (inst->kind == KGI_store) behind = before_expression(p, uses, inst->arg[2], inst->prev, 1);
  c->b.at = (kgi_cursor){inst->block, behind};
  c->b.pos = p->inst_pos[access];
  chain = kgi_place(&c->b, (kgi_obj){inst->arg[0]}, index, rank);
  if (!chain.i) return;
  p->inst[access].arg[1] = chain.i;
  if (load) p->inst[load].arg[1] = chain.i;
}

/* From the last to the first, so that the load of x[i] += e is met when it has its chain already. */
static void write_block(kgi_cleaner *c, kgi_blk block, const uint32_t *uses, uint32_t count) {
  for (uint32_t i = c->p->block[block].last, before; i; i = before) {
    before = c->p->inst[i].prev;
    kgi_span blocks = kgi_owned_blocks(&c->p->inst[i]);
    for (unsigned k = 0; k < blocks.count; k++) write_block(c, c->p->inst[i].arg[blocks.first + k], uses, count);
    if (i < count && kgi_touches(&c->p->inst[i]) && c->p->inst[i].arg[1] < count) write_place(c, i, before, uses);
  }
}

void kgi_clean_places(kgi_cleaner *c) {
  uint32_t count = c->p->inst_count, *uses = kgi_arena_alloc(&c->scratch, count, sizeof *uses);
  bool any = false;
  for (uint32_t i = 1; i < c->p->scope.object_count; i++) any |= c->p->scope.object[i].rank != 0;
  if (!uses || !any) return;
  kgi_count_uses(c->p, KGI_BODY, uses);
  write_block(c, KGI_BODY, uses, count);
}
