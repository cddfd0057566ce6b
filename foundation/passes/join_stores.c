/* What both arms of a branch store last to one element is stored behind it:
 *
 *     if c { A  y[i] = u } else { B  y[i] = v }     becomes     if c { A  w = u } else { B  w = v }  y[i] = w
 *
 * Then it is one store, which whoever asks what a program stores to need not put together of two. The index is computed from ids and from what
 * is the same for all, or in front of the branch. Behind either store, its arm does nothing but compute, and touch vars;
 * and all of it is straight. */
#include "foundation/ir/place.h"
#include "foundation/passes/passes.h"

enum { DEEP = 8, LONG = 64 };

static bool is_alike(const kgi_program *p, uint32_t x, uint32_t y, unsigned depth) {
  const kgi_inst *a = &p->inst[x], *b = &p->inst[y];
  if (x == y) return true;
  if (!depth || a->kind != KGI_op || b->kind != KGI_op || a->op != b->op || a->type != b->type) return false;
  kgi_span operands = kgi_operands(a);
  for (unsigned k = operands.first; k < operands.first + (unsigned)operands.count; k++)
    if (!is_alike(p, a->arg[k], b->arg[k], depth - 1)) return false;
  return true;
}

/* It stands in front of the branch, or may. */
static bool may_rise(const kgi_program *p, uint32_t value, uint32_t branch, unsigned depth) {
  const kgi_inst *x = &p->inst[value];
  if (kgi_is_leaf(x->kind)) return true;
  kgi_blk block = x->block;
  while (block > KGI_BODY && p->block[block].owner != branch) block = p->inst[p->block[block].owner].block;
  if (block == KGI_BODY || !block) return true;
  kgi_span operands = kgi_operands(x);
  bool fine = depth && x->kind == KGI_op;
  for (unsigned k = operands.first; k < operands.first + (unsigned)operands.count && fine; k++) fine = may_rise(p, x->arg[k], branch, depth - 1);
  return fine;
}

/* It may as well come in front of a store to memory: it computes, or touches vars. */
static bool is_own(const kgi_program *p, const kgi_inst *x) {
  bool touches = x->kind == KGI_load || x->kind == KGI_store;
  return x->kind == KGI_op || (touches && p->scope.object[x->arg[0]].space == KGI_VAR);
}

/* The store that the block ends with, to memory that others see; 0: it ends otherwise. */
static uint32_t last_store(const kgi_program *p, kgi_blk block) {
  uint32_t i = block ? p->block[block].last : 0;
  while (i && is_own(p, &p->inst[i])) i = p->inst[i].prev;
  if (!i || p->inst[i].kind != KGI_store) return 0;
  const kgi_object *o = &p->scope.object[p->inst[i].arg[0]];
  return o->space != KGI_VAR ? i : 0;
}

/* It computes without functions, loads and stores, and no more: what an adjoint asks of it behind the branch is soon computed again. Nothing
 * is loaded of what is stored to: the shadow of y[i] += v is left as it is, where the two are together. */
static bool is_short(const kgi_program *p, kgi_blk block, uint32_t object) {
  unsigned count = 0;
  for (uint32_t i = p->block[block].first; i; i = p->inst[i].next, count++) {
    const kgi_inst *x = &p->inst[i];
    if (count == LONG || (x->kind != KGI_op && x->kind != KGI_load && x->kind != KGI_store)) return false;
    if (x->kind == KGI_op && kgi_op_rows[x->op].flags & KGI_FUNCTION) return false;
    if (x->kind == KGI_load && x->arg[0] == object) return false;
  }
  return true;
}

static bool are_joined(kgi_builder *b, uint32_t branch) {
  kgi_program *p = b->p;
  uint32_t one = last_store(p, p->inst[branch].arg[1]), two = last_store(p, p->inst[branch].arg[2]);
  if (!one || !two || p->inst[one].arg[0] != p->inst[two].arg[0]) return false;
  const kgi_inst s = p->inst[one];
  if (!is_short(p, p->inst[branch].arg[1], s.arg[0]) || !is_short(p, p->inst[branch].arg[2], s.arg[0])) return false;
  if (s.arg[1] && (!is_alike(p, s.arg[1], p->inst[two].arg[1], DEEP) || !may_rise(p, s.arg[1], branch, DEEP))) return false;
  if (s.arg[1]) kgi_raise(p, s.arg[1], branch);
  kg_type type = (kg_type)p->inst[s.arg[2]].type;
  b->pos = p->inst_pos[one], b->at = kgi_before(p, branch);
  kgi_obj var = kgi_var(b, kgi_string(b->m, p->scope.object[s.arg[0]].name), type, (kgi_dim){0});
  b->at = kgi_before(p, one), kgi_store(b, var, (kgi_val){0}, (kgi_val){s.arg[2]});
  b->at = kgi_before(p, two), kgi_store(b, var, (kgi_val){0}, (kgi_val){p->inst[two].arg[2]});
  kgi_remove(p, one), kgi_remove(p, two);
  b->at = kgi_behind(p, branch);
  kgi_store(b, (kgi_obj){s.arg[0]}, (kgi_val){s.arg[1]}, kgi_load(b, var, (kgi_val){0}));
  return b->status == KG_OK;
}

static bool visit(kgi_builder *b, kgi_blk block) {
  bool changed = false;
  for (uint32_t i = b->p->block[block].first; i && b->status == KG_OK; i = b->p->inst[i].next) {
    kgi_span owned = kgi_owned_blocks(&b->p->inst[i]);
    for (unsigned k = 0; k < owned.count; k++) changed |= visit(b, b->p->inst[i].arg[owned.first + k]);
    while (b->p->inst[i].kind == KGI_if && b->p->inst[i].arg[2] && are_joined(b, i)) changed = true;
  }
  return changed;
}

kg_status kgi_join_stores(kg_module *m, kgi_program *p, bool *changed) {
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  *changed = visit(&b, KGI_BODY);
  return kgi_builder_status(&b);
}
