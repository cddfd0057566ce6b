/* Exits by flags. What is left of `break`, `continue` and `return` once tails are lowered becomes
 *
 *   for ... {
 *     var stop = false                                 in each loop that is left, by a break or a return
 *     var skip = false                                 in each loop that has a continue
 *     if a { ... if b { stop = true } else { A } }     was: if a { ... if b { break }  A }  B
 *     if not stop { B }
 *     if stop { break }
 *   }
 *
 * and a return raises `returned`, one for the program, which stands before what is behind the outermost loop. What raises a flag raises
 * the flags of all that it leaves besides, so that one flag is enough to ask for. Flags of loops are lowered again in each trip: then
 * the reverse of a trip can tell what they were from the conditions of that trip.
 *
 * The invocations that run a statement are the same at the same time as before: those that left are kept out by a condition where a
 * jump kept them out, and leave a loop before its next trip. So subgroup operations have the same active lanes. Control around a
 * barrier was uniform, and so is what is stored under it.
 *
 * Loops that cannot have anything to differentiate keep their exits: nothing in them stores to floats. */
#include "autodiff/plan/lower.h"

enum { CONTINUES = 1, BREAKS = 2, RETURNS = 4 }; /* how a statement may leave */

typedef struct loop_exits {
  const struct loop_exits *around; /* of the loop around; NULL: none */
  unsigned leaves;     /* CONTINUES and BREAKS of this loop, RETURNS of any inside */
  bool stores_floats;
  kgi_pos pos;         /* of an exit that leaves the loop */
  kgi_obj stop, skip;  /* flags; 0: none */
} loop_exits;

typedef struct lowering {
  kgi_builder *b;
  kgi_obj returned;
} lowering;

static bool stores_float(const kgi_program *p, uint32_t i) {
  const kgi_inst *inst = &p->inst[i];
  return kgi_writes(inst) && kgi_is_float(p->scope.object[kgi_object_of(inst)].type);
}

/* ---- what is there ---- */

static uint32_t loop_around(const kgi_program *p, uint32_t i) {
  uint32_t owner = p->block[p->inst[i].block].owner;
  while (owner && !kgi_is_loop(&p->inst[owner])) owner = p->block[p->inst[owner].block].owner;
  return owner;
}

static void note(const kgi_program *p, uint32_t loop, uint32_t i, loop_exits *exits) {
  const kgi_inst *inst = &p->inst[i];
  if (stores_float(p, i)) exits->stores_floats = true;
  if (!kgi_ends(inst) || (inst->kind != KGI_return && loop_around(p, i) != loop)) return;
  unsigned how = inst->kind == KGI_return ? RETURNS : inst->kind == KGI_break ? BREAKS : CONTINUES;
  if (how > (exits->leaves & ~(unsigned)CONTINUES)) exits->pos = p->inst_pos[i];
  exits->leaves |= how;
}

static loop_exits exits_of(const kgi_program *p, uint32_t loop, const loop_exits *around) {
  loop_exits exits = {.around = around};
  kgi_span owned = kgi_owned_blocks(&p->inst[loop]);
  for (unsigned k = 0; k < owned.count; k++)
    KGI_EACH_INSIDE(p, p->inst[loop].arg[owned.first + k], i) note(p, loop, i, &exits);
  return exits;
}

/* The end of the block is not reached. */
static bool always_leaves(const kgi_program *p, kgi_blk block) {
  const kgi_inst *last = &p->inst[block ? p->block[block].last : 0];
  return kgi_ends(last) || (last->kind == KGI_if && always_leaves(p, last->arg[1]) && always_leaves(p, last->arg[2]));
}

/* ---- flags ---- */

static kgi_obj declare_flag(kgi_builder *b, const char *name) {
  kgi_obj flag = kgi_var(b, name, KG_BOOL, (kgi_dim){0});
  kgi_store(b, flag, (kgi_val){0}, kgi_bool(b, false));
  return flag;
}

static void raise_flag(kgi_builder *b, kgi_obj flag) {
  if (flag.i) kgi_store(b, flag, (kgi_val){0}, kgi_bool(b, true));
}

static void raise_flags_of(kgi_builder *b, const loop_exits *exits, kgi_kind exit) {
  if (exit != KGI_continue) raise_flag(b, exits->stop);
  raise_flag(b, exits->skip);
}

/* Returns how it leaves. */
static unsigned replace_exit(lowering *l, uint32_t exit, const loop_exits *exits) {
  kgi_builder *b = l->b;
  kgi_kind kind = (kgi_kind)b->p->inst[exit].kind;
  b->pos = b->p->inst_pos[exit];
  b->at = kgi_before(b->p, exit);
  kgi_remove(b->p, exit);
  if (kind != KGI_return) return raise_flags_of(b, exits, kind), kind == KGI_break ? BREAKS : CONTINUES;
  raise_flag(b, l->returned);
  for (; exits; exits = exits->around) raise_flags_of(b, exits, kind);
  return RETURNS;
}

/* That of the flags which is raised wherever a statement leaves, if it leaves so. */
static kgi_obj flag_for(const lowering *l, unsigned leaves, const loop_exits *exits) {
  if (leaves & CONTINUES) return exits->skip;
  return exits ? exits->stop : l->returned;
}

/* ---- statements ---- */

/* Puts what stands behind `inst` under a condition. The block that it stands in now; 0: there was nothing. */
static kgi_blk guard_rest(lowering *l, uint32_t inst, kgi_obj flag) {
  kgi_builder *b = l->b;
  if (!b->p->inst[inst].next || b->status != KG_OK) return 0;
  b->pos = b->p->inst_pos[inst];
  b->at = kgi_behind(b->p, inst);
  kgi_if_begin(b, kgi_op1(b, KGI_OP_not, kgi_load(b, flag, (kgi_val){0})));
  if (b->status != KG_OK) return 0;
  kgi_ad_move_rest(b->p, b->p->block[b->at.block].owner, b->at.block);
  return b->at.block;
}

static unsigned lower_block(lowering *l, kgi_blk block, const loop_exits *exits);

/* Where one branch always leaves, what stands behind is the other's. */
static unsigned lower_if(lowering *l, uint32_t branch, const loop_exits *exits) {
  kgi_program *p = l->b->p;
  bool then = always_leaves(p, p->inst[branch].arg[1]), other = always_leaves(p, p->inst[branch].arg[2]);
  if (then && other) kgi_ad_cut_behind(p, branch);
  else if ((then || other) && p->inst[branch].next) kgi_ad_move_rest(p, branch, kgi_ad_other_branch(l->b, branch, then));
  unsigned leaves = lower_block(l, p->inst[branch].arg[1], exits);
  return leaves | lower_block(l, p->inst[branch].arg[2], exits);
}

static void end_with_break(kgi_builder *b, kgi_blk body, kgi_obj stop) {
  b->at = kgi_at_end(b->p, body);
  kgi_if_begin(b, kgi_load(b, stop, (kgi_val){0}));
  kgi_break_here(b);
  kgi_end(b);
}

/* ---- loops that take one trip at most ---- */

/* The first trip passes no limit. */
static bool never_fails(const kgi_program *p, const kgi_inst *loop) {
  const kgi_dim_node *limit = &p->scope.dim[loop->arg[3]];
  return !loop->arg[3] || (limit->op == KGI_DIM_INT && limit->imm > 0);
}

/* Its condition is computed once. */
static void while_once(kgi_program *p, uint32_t loop) {
  kgi_inst *inst = &p->inst[loop];
  while (p->block[inst->arg[1]].first) kgi_move(p, p->block[inst->arg[1]].first, kgi_before(p, loop));
  inst->kind = KGI_if;
  inst->arg[1] = inst->arg[2], inst->arg[2] = 0;
}

/* The index of the last trip, which a reversed loop takes first. There is one. */
static kgi_val last_index(kgi_builder *b, const kgi_inst *loop) {
  kg_type type = (kg_type)loop->type, wide = kgi_type_bits(type) == 64 ? KG_U64 : KG_U32;
  kgi_val from = kgi_bitcast(b, wide, (kgi_val){loop->arg[0]}), to = kgi_bitcast(b, wide, (kgi_val){loop->arg[1]});
  kgi_val step = kgi_bitcast(b, wide, (kgi_val){loop->arg[2]}), most = kgi_op2(b, KGI_OP_sub, to, from);
  kgi_val trips = kgi_op2(b, KGI_OP_div, kgi_op2(b, KGI_OP_sub, most, kgi_int(b, wide, 1)), step);
  return kgi_bitcast(b, type, kgi_op2(b, KGI_OP_add, from, kgi_op2(b, KGI_OP_mul, trips, step)));
}

static void replace_uses(kgi_program *p, kgi_blk block, uint32_t of, uint32_t by) {
  KGI_EACH_INSIDE(p, block, i) {
    kgi_span span = kgi_operands(&p->inst[i]);
    for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
      if (p->inst[i].arg[k] == of) p->inst[i].arg[k] = by;
  }
}

/* An `if` with the index that comes first. Where the step is not at least one, there are no trips. */
static void for_once(kgi_builder *b, uint32_t loop) {
  const kgi_inst inst = b->p->inst[loop];
  b->pos = b->p->inst_pos[loop];
  b->at = kgi_before(b->p, loop);
  kgi_val some = kgi_op2(b, KGI_OP_lt, (kgi_val){inst.arg[0]}, (kgi_val){inst.arg[1]});
  kgi_val steps = kgi_op2(b, KGI_OP_ge, (kgi_val){inst.arg[2]}, kgi_int(b, (kg_type)inst.type, 1));
  uint32_t any = kgi_op2(b, KGI_OP_and, some, steps).i;
  uint32_t first = inst.flags & KGI_REVERSED ? last_index(b, &inst).i : inst.arg[0];
  replace_uses(b->p, inst.arg[3], loop, first);
  uint32_t before = b->p->inst[loop].prev;
  b->p->inst[loop] = (kgi_inst){.kind = KGI_if, .arg = {any, inst.arg[3]}, .next = inst.next, .prev = before, .block = inst.block};
}

/* Where the body never reaches its end, no break is needed there. */
static bool runs_once(kgi_builder *b, uint32_t loop, unsigned leaves) {
  const kgi_inst *inst = &b->p->inst[loop];
  if (leaves & CONTINUES || !always_leaves(b->p, kgi_body_of(inst))) return false;
  if (inst->kind == KGI_for) for_once(b, loop);
  else if (never_fails(b->p, inst)) while_once(b->p, loop);
  else return false;
  return true;
}

/* ---- loops ---- */

/* A loop is left by returns alone. */
static unsigned lower_loop(lowering *l, uint32_t loop, const loop_exits *around) {
  kgi_builder *b = l->b;
  kgi_blk body = kgi_body_of(&b->p->inst[loop]);
  loop_exits exits = exits_of(b->p, loop, around);
  if (!exits.stores_floats && !(exits.leaves & RETURNS)) return 0;
  bool once = runs_once(b, loop, exits.leaves);
  b->pos = exits.pos;
  b->at = kgi_at_start(body);
  if (exits.leaves & (BREAKS | RETURNS)) exits.stop = declare_flag(b, "stop");
  if (exits.leaves & CONTINUES) exits.skip = declare_flag(b, "skip");
  lower_block(l, body, &exits);
  b->pos = exits.pos;
  if (!once && exits.stop.i) end_with_break(b, body, exits.stop);
  return exits.leaves & RETURNS;
}

/* How the block may be left. */
static unsigned lower_block(lowering *l, kgi_blk block, const loop_exits *exits) {
  kgi_program *p = l->b->p;
  unsigned leaves = 0;
  for (uint32_t i = block ? p->block[block].first : 0; i && l->b->status == KG_OK; i = p->inst[i].next) {
    const kgi_inst *inst = &p->inst[i];
    if (kgi_ends(inst)) return leaves | replace_exit(l, i, exits);
    unsigned here = inst->kind == KGI_if ? lower_if(l, i, exits) : kgi_is_loop(inst) ? lower_loop(l, i, exits) :
                    inst->kind == KGI_checkpoint ? lower_block(l, inst->arg[0], exits) : 0;
    leaves |= here;
    kgi_blk rest = here ? guard_rest(l, i, flag_for(l, here, exits)) : 0;
    if (rest) return leaves | lower_block(l, rest, exits);
  }
  return leaves;
}

void kgi_ad_lower_exits(kgi_builder *b) {
  lowering l = {.b = b};
  uint32_t first_return = 0;
  bool matters = false;
  KGI_EACH_INSIDE(b->p, KGI_BODY, i) {
    if (stores_float(b->p, i)) matters = true;
    if (!first_return && b->p->inst[i].kind == KGI_return) first_return = i;
  }
  if (!matters) return;
  b->at = kgi_at_start(KGI_BODY);
  b->pos = b->p->inst_pos[first_return];
  if (first_return) l.returned = declare_flag(b, "returned");
  lower_block(&l, KGI_BODY, NULL);
}
