/* Into the form that the sweeps understand: no regions, and no early exit where an if and its else say the same.
 *
 *   if c { A; return }  B     becomes     if c { A } else { B }     at the end of the program;
 *   the same for `continue` at the end of a loop's body. */
#include "autodiff/plan/ad.h"

typedef struct lowering { kgi_builder b; kgi_program *p; } lowering;

static void dissolve_region(kgi_program *p, uint32_t region) {
  kgi_blk block = p->inst[region].arg[0];
  while (p->block[block].first) kgi_move(p, p->block[block].first, kgi_before(p, region));
  kgi_remove(p, region);
}

static void dissolve(kgi_program *p, kgi_blk block) {
  for (uint32_t i = p->block[block].first, next; i; i = next) {
    const kgi_inst *inst = &p->inst[i];
    kgi_span owned = kgi_owned_blocks(inst);
    for (unsigned k = 0; k < owned.count; k++) dissolve(p, p->inst[i].arg[owned.first + k]);
    next = p->inst[i].next; /* what the region held is dissolved already */
    if (inst->kind == KGI_region) dissolve_region(p, i);
  }
}

static bool ends_with(const kgi_program *p, kgi_blk block, kgi_kind exit) {
  uint32_t last = block ? p->block[block].last : 0;
  return last && p->inst[last].kind == exit;
}

/* What stands behind an exit in its own block never runs. */
static void cut_behind(kgi_program *p, uint32_t exit) {
  while (p->inst[exit].next) kgi_remove(p, p->inst[exit].next);
}

static kgi_op opposite(kgi_op op) {
  if (op == KGI_OP_lt) return KGI_OP_ge;
  if (op == KGI_OP_ge) return KGI_OP_lt;
  if (op == KGI_OP_gt) return KGI_OP_le;
  if (op == KGI_OP_le) return KGI_OP_gt;
  if (op == KGI_OP_eq) return KGI_OP_ne;
  if (op == KGI_OP_ne) return KGI_OP_eq;
  return KGI_OP_COUNT;
}

/* Comparisons of integers turn round; those of floats do not, because of NaN. */
static kgi_val negated(lowering *l, uint32_t condition) {
  const kgi_inst inst = l->p->inst[condition];
  if (inst.kind == KGI_op && opposite((kgi_op)inst.op) != KGI_OP_COUNT && kgi_is_int(l->p->inst[inst.arg[0]].type))
    return kgi_op2(&l->b, opposite((kgi_op)inst.op), (kgi_val){inst.arg[0]}, (kgi_val){inst.arg[1]});
  return kgi_op1(&l->b, KGI_OP_not, (kgi_val){condition});
}

/* The branch of `branch` that goes on after an exit in the other, made if it does not exist. */
static kgi_blk other_branch(lowering *l, uint32_t branch, bool exits_in_then) {
  kgi_program *p = l->p;
  if (!exits_in_then) return p->inst[branch].arg[1];
  if (p->inst[branch].arg[2]) return p->inst[branch].arg[2];
  kgi_blk block = kgi_block_new(&l->b, branch);
  if (!block) return 0;
  kgi_blk then = p->inst[branch].arg[1];
  if (p->block[then].first) return p->inst[branch].arg[2] = block;
  /* nothing is left of the branch with the exit: turn the condition round instead of leaving it empty */
  l->b.at = kgi_before(p, branch);
  l->b.pos = p->inst_pos[branch];
  kgi_val otherwise = negated(l, p->inst[branch].arg[0]); /* may move the table */
  p->inst[branch].arg[0] = otherwise.i;
  return then;
}

static void move_rest(lowering *l, uint32_t branch, kgi_blk to) {
  kgi_program *p = l->p;
  while (to && p->inst[branch].next) kgi_move(p, p->inst[branch].next, kgi_at_end(p, to));
}

/* Turns the first `if` of the block that exits round so that it comes last. */
static void lower_first(lowering *l, kgi_blk block, kgi_kind exit) {
  kgi_program *p = l->p;
  KGI_EACH(p, block, i) {
    if (p->inst[i].kind == exit) return kgi_remove(p, i); /* it comes last, and leads where the block ends anyway */
    if (p->inst[i].kind != KGI_if) continue;
    kgi_blk then = p->inst[i].arg[1], other = p->inst[i].arg[2];
    bool in_then = ends_with(p, then, exit), in_else = ends_with(p, other, exit);
    if (in_then) kgi_remove(p, p->block[then].last);
    if (in_else) kgi_remove(p, p->block[other].last);
    if (in_then && in_else) return cut_behind(p, i);
    if (in_then || in_else) return move_rest(l, i, other_branch(l, i, in_then));
  }
}

/* `block` ends where an exit leads: the body for return, a loop's body for continue. So do the branches of an `if` that comes
 * last in it. */
static void lower_tail(lowering *l, kgi_blk block, kgi_kind exit) {
  if (!block || l->b.status != KG_OK) return;
  lower_first(l, block, exit);
  uint32_t last = l->p->block[block].last;
  if (!last || l->p->inst[last].kind != KGI_if || l->b.status != KG_OK) return;
  lower_tail(l, l->p->inst[last].arg[1], exit);
  lower_tail(l, l->p->inst[last].arg[2], exit);
}

static void lower_loops(lowering *l, kgi_blk block) {
  kgi_program *p = l->p;
  for (uint32_t i = p->block[block].first; i && l->b.status == KG_OK; i = p->inst[i].next) {
    kgi_span owned = kgi_owned_blocks(&p->inst[i]);
    for (unsigned k = 0; k < owned.count; k++) lower_loops(l, p->inst[i].arg[owned.first + k]);
    if (kgi_is_loop(&p->inst[i])) lower_tail(l, kgi_body_of(&p->inst[i]), KGI_continue);
  }
}

/* What follows a break, continue or return in its block goes first, so that an exit always comes last. */
static void cut_dead(kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (kgi_ends(&p->inst[i])) cut_behind(p, i);
}

kg_status kgi_ad_lower(kg_module *work, kgi_program *p, kgi_diags *diags) {
  lowering l = {.p = p};
  kgi_builder_init(&l.b, work, diags);
  l.b.p = p;
  dissolve(p, KGI_BODY);
  cut_dead(p);
  lower_tail(&l, KGI_BODY, KGI_return);
  lower_loops(&l, KGI_BODY);
  return kgi_builder_status(&l.b);
}
