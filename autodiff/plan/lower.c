/* Into the form that the sweeps understand: no regions but checkpoints, and no early exit where an if and its else say the same.
 *
 *   if c { A; return }  B     becomes     if c { A } else { B }     at the end of the program;
 *   the same for `continue` at the end of a loop's body.
 *
 * The exits that are left are for exits.c. */
#include "autodiff/plan/lower.h"
#include "autodiff/plan/ad.h"
#include "foundation/passes/passes.h"

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

void kgi_ad_cut_behind(kgi_program *p, uint32_t inst) {
  while (p->inst[inst].next) kgi_remove(p, p->inst[inst].next);
}

kgi_blk kgi_ad_other_branch(kgi_builder *b, uint32_t branch, bool exits_in_then) {
  kgi_program *p = b->p;
  b->pos = p->inst_pos[branch];
  if (!exits_in_then) return p->inst[branch].arg[1];
  if (p->inst[branch].arg[2]) return p->inst[branch].arg[2];
  kgi_blk block = kgi_block_new(b, branch);
  if (!block) return 0;
  kgi_blk then = p->inst[branch].arg[1];
  if (p->block[then].first) return p->inst[branch].arg[2] = block;
  /* nothing is left of the branch with the exit: turn the condition round instead of leaving it empty */
  b->at = kgi_before(p, branch);
  kgi_val otherwise = kgi_negated(b, p->inst[branch].arg[0]); /* may move the table */
  p->inst[branch].arg[0] = otherwise.i;
  return then;
}

void kgi_ad_move_rest(kgi_program *p, uint32_t inst, kgi_blk to) {
  while (to && p->inst[inst].next) kgi_move(p, p->inst[inst].next, kgi_at_end(p, to));
}

/* Turns the first `if` of the block that exits round so that it comes last. */
static void lower_first(kgi_builder *b, kgi_blk block, kgi_kind exit) {
  kgi_program *p = b->p;
  KGI_EACH(p, block, i) {
    if (p->inst[i].kind == exit) return kgi_remove(p, i); /* it comes last, and leads where the block ends anyway */
    if (p->inst[i].kind != KGI_if) continue;
    kgi_blk then = p->inst[i].arg[1], other = p->inst[i].arg[2];
    bool in_then = ends_with(p, then, exit), in_else = ends_with(p, other, exit);
    if (in_then) kgi_remove(p, p->block[then].last);
    if (in_else) kgi_remove(p, p->block[other].last);
    if (in_then && in_else) return kgi_ad_cut_behind(p, i);
    if (in_then || in_else) return kgi_ad_move_rest(p, i, kgi_ad_other_branch(b, i, in_then));
  }
}

/* `block` ends where an exit leads: the body for return, a loop's body for continue. So do the branches of an `if` that comes
 * last in it. */
static void lower_tail(kgi_builder *b, kgi_blk block, kgi_kind exit) {
  if (!block || b->status != KG_OK) return;
  lower_first(b, block, exit);
  uint32_t last = b->p->block[block].last;
  if (!last || b->p->inst[last].kind != KGI_if || b->status != KG_OK) return;
  lower_tail(b, b->p->inst[last].arg[1], exit);
  lower_tail(b, b->p->inst[last].arg[2], exit);
}

static void lower_loops(kgi_builder *b, kgi_blk block) {
  kgi_program *p = b->p;
  for (uint32_t i = p->block[block].first; i && b->status == KG_OK; i = p->inst[i].next) {
    kgi_span owned = kgi_owned_blocks(&p->inst[i]);
    for (unsigned k = 0; k < owned.count; k++) lower_loops(b, p->inst[i].arg[owned.first + k]);
    if (kgi_is_loop(&p->inst[i])) lower_tail(b, kgi_body_of(&p->inst[i]), KGI_continue);
  }
}

static kg_status lower_continues(kg_module *work, kgi_program *p, kgi_diags *diags) {
  kgi_builder b;
  kgi_builder_init(&b, work, diags);
  b.p = p;
  lower_loops(&b, KGI_BODY);
  return kgi_builder_status(&b);
}

/* ---- checkpoints ---- */

static bool is_inside(const kgi_program *p, uint32_t region, uint32_t i) {
  while (i && i != region) i = p->block[p->inst[i].block].owner;
  return i != 0;
}

/* Something that can be had in front of the region: from a buffer that nobody writes, or an index. */
static bool may_rise(const kgi_program *p, uint32_t region, uint32_t i) {
  const kgi_inst *inst = &p->inst[i];
  const kgi_object *o = &p->scope.object[inst->arg[0]];
  bool loads = inst->kind == KGI_load && o->space == KGI_BUFFER && o->mode == KG_READ && !o->view;
  if (!loads && (inst->kind != KGI_op || kgi_is_float(inst->type))) return false;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (inst->arg[k] && !kgi_is_leaf(p->inst[inst->arg[k]].kind) && is_inside(p, region, inst->arg[k])) return false;
  return true;
}

/* A checkpoint scopes, so what is loaded inside and again behind it would be two values, whose adjoints add up in another order. */
static void raise_loads(kgi_program *p, kgi_blk block) {
  KGI_EACH(p, block, i) {
    kgi_span owned = kgi_owned_blocks(&p->inst[i]);
    for (unsigned k = 0; k < owned.count; k++) raise_loads(p, p->inst[i].arg[owned.first + k]);
    if (p->inst[i].kind != KGI_checkpoint) continue;
    for (uint32_t n = p->block[p->inst[i].arg[0]].first, next; n; n = next) {
      next = p->inst[n].next;
      if (may_rise(p, i, n)) kgi_move(p, n, kgi_before(p, i));
    }
  }
}

/* What follows a break, continue or return in its block goes first, so that an exit always comes last. */
static void cut_dead(kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (kgi_ends(&p->inst[i])) kgi_ad_cut_behind(p, i);
}

kg_status kgi_ad_lower(kg_module *work, kgi_program *p, kgi_diags *diags, kgi_arena *scratch) {
  kgi_builder b;
  dissolve(p, KGI_BODY);
  cut_dead(p);
  kg_status status = kgi_own_vars(work, p, scratch);
  if (status == KG_OK) status = lower_continues(work, p, diags); /* a loop that counts has none */
  if (status == KG_OK) status = kgi_count_written(work, p, scratch);
  if (status == KG_OK) status = kgi_count_in_step(work, p);
  if (status == KG_OK) status = kgi_begin_arrays_anew(p, scratch);
  if (status != KG_OK) return status;
  kgi_builder_init(&b, work, diags);
  b.p = p;
  lower_tail(&b, KGI_BODY, KGI_return);
  lower_loops(&b, KGI_BODY);
  if (b.status == KG_OK) kgi_ad_lower_exits(&b);
  if (b.status == KG_OK) raise_loads(p, KGI_BODY);
  return kgi_builder_status(&b);
}
