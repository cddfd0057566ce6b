#include "foundation/analysis/uniform.h"
#include "foundation/base/limits.h"
#include "foundation/ir/views.h"

#include <string.h>

/* Vars and jumps are first taken to be as uniform as can be, and lowered by what is stored under which conditions, until nothing
 * changes. */
typedef struct walk {
  const kgi_program *p;
  kgi_uniformity *u;
  uint8_t *var;        /* of each object: what its stores have in common */
  uint32_t *why_var;
  kgi_blocks blocks;
  uint8_t *jump;       /* of each loop: who leaves or continues it together */
  uint32_t *why_jump;
  uint8_t leave;       /* who returns together */
  uint32_t why_leave;
  bool changed;
} walk;

/* The lower of the two, with the reason for it. */
typedef struct level { uint8_t same; uint32_t why; } level;
static level lower(level a, level b) { return b.same < a.same ? b : a; }

static void lower_to(walk *w, uint8_t *same, uint32_t *why, level l) {
  if (l.same >= *same) return;
  *same = l.same, *why = l.why;
  w->changed = true;
}

static level value(const walk *w, uint32_t i) { return (level){w->u->value[i], w->u->why[i]}; }

static kgi_sameness id_level(unsigned id) {
  switch ((kgi_id)id) {
  case KGI_ID_num_workgroups: case KGI_ID_workgroup_size: case KGI_ID_subgroup_size: case KGI_ID_num_subgroups: return KGI_SAME_IN_DISPATCH;
  case KGI_ID_workgroup_id: return KGI_SAME_IN_WORKGROUP;
  case KGI_ID_global_id: case KGI_ID_local_id: case KGI_ID_local_index: case KGI_ID_subgroup_lane: case KGI_ID_subgroup_id:
  case KGI_ID_COUNT: break;
  }
  return KGI_VARYING;
}

static void set(walk *w, uint32_t i, level l) { w->u->value[i] = l.same, w->u->why[i] = l.same == KGI_SAME_IN_DISPATCH ? 0 : l.why; }

static level operands(const walk *w, const kgi_inst *inst) {
  level l = {KGI_SAME_IN_DISPATCH, 0};
  kgi_span span = kgi_operands(inst);
  for (unsigned k = 0; k < span.count; k++)
    if (inst->arg[span.first + k]) l = lower(l, value(w, inst->arg[span.first + k]));
  return l;
}

/* What another workgroup may write in this dispatch is the same in the workgroup at most. */
static level load(const walk *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  const kgi_object *o = &w->p->scope.object[inst->arg[0]];
  level l = operands(w, inst);
  if (o->space == KGI_VAR) return lower(l, (level){w->var[inst->arg[0]], w->why_var[inst->arg[0]]});
  return lower(l, (level){!w->blocks.written[inst->arg[0]] ? KGI_SAME_IN_DISPATCH : KGI_SAME_IN_WORKGROUP, i});
}

static void visit_block(walk *w, kgi_blk block, level around);

static void visit_loop(walk *w, uint32_t i, level around) {
  const kgi_inst *inst = &w->p->inst[i];
  level jumps = {w->jump[i], w->why_jump[i]};
  if (inst->kind == KGI_for) {
    level bounds = operands(w, inst);
    set(w, i, bounds);
    visit_block(w, inst->arg[3], lower(lower(around, bounds), jumps));
    return;
  }
  visit_block(w, inst->arg[1], lower(around, jumps));
  /* The condition is computed again after each trip: it bounds its own block too, which the next walk sees. */
  level condition = value(w, inst->arg[0]);
  lower_to(w, &w->jump[i], &w->why_jump[i], condition);
  visit_block(w, inst->arg[2], lower(lower(around, jumps), condition));
}

static void visit_jump(walk *w, uint32_t i, level around) {
  if (w->p->inst[i].kind == KGI_return) {
    lower_to(w, &w->leave, &w->why_leave, around);
    return;
  }
  uint32_t owner = w->p->block[w->p->inst[i].block].owner;
  while (owner && !kgi_is_loop(&w->p->inst[owner])) owner = w->p->block[w->p->inst[owner].block].owner;
  lower_to(w, &w->jump[owner], &w->why_jump[owner], around);
}

static void visit_nested(walk *w, uint32_t i, level around) {
  const kgi_inst *inst = &w->p->inst[i];
  level inside = inst->kind == KGI_if ? lower(around, value(w, inst->arg[0])) : around;
  kgi_span blocks = kgi_owned_blocks(inst);
  for (unsigned k = 0; k < blocks.count; k++) visit_block(w, inst->arg[blocks.first + k], inside);
}

static void visit(walk *w, uint32_t i, level around) {
  const kgi_inst *inst = &w->p->inst[i];
  switch ((kgi_kind)inst->kind) {
  case KGI_op: set(w, i, operands(w, inst)); return;
  case KGI_load: set(w, i, load(w, i)); return;
  case KGI_atomic: case KGI_subgroup: set(w, i, (level){KGI_VARYING, i}); return;
  case KGI_store:
    if (w->p->scope.object[inst->arg[0]].space == KGI_VAR)
      lower_to(w, &w->var[inst->arg[0]], &w->why_var[inst->arg[0]], lower(operands(w, inst), around));
    return;
  case KGI_for: case KGI_while: visit_loop(w, i, around); return;
  case KGI_if: case KGI_region: case KGI_checkpoint: visit_nested(w, i, around); return;
  case KGI_break: case KGI_continue: case KGI_return: visit_jump(w, i, around); return;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_barrier:
  case KGI_memory_barrier: case KGI_check: case KGI_var: case KGI_KIND_COUNT: break;
  }
}

static void visit_block(walk *w, kgi_blk block, level around) {
  w->u->block[block] = around.same, w->u->why_block[block] = around.why;
  KGI_EACH(w->p, block, i) visit(w, i, around);
}

static void visit_body(walk *w) {
  w->changed = false;
  visit_block(w, KGI_BODY, (level){w->leave, w->why_leave});
}

static void leaves(walk *w) {
  memset(w->u->value, KGI_SAME_IN_DISPATCH, w->p->inst_count);
  for (uint32_t i = 1; i < w->p->inst_count; i++)
    if (w->p->inst[i].kind == KGI_id) set(w, i, (level){(uint8_t)id_level(w->p->inst[i].op), i});
}

/* After so many walks what is left is not worth the time: everything that was assumed is given up. */
static void give_up(walk *w) {
  memset(w->var, KGI_VARYING, w->p->scope.object_count);
  memset(w->jump, KGI_VARYING, w->p->inst_count);
  w->leave = KGI_VARYING;
  visit_body(w);
}

kg_status kgi_uniformity_of(kgi_arena *arena, const kgi_program *p, kgi_uniformity *out) {
  kgi_uniformity u = {0};
  walk w = {.p = p, .u = &u, .leave = KGI_SAME_IN_DISPATCH};
  u.value = kgi_arena_alloc(arena, p->inst_count, 1);
  u.block = kgi_arena_alloc(arena, p->block_count, 1);
  u.why = kgi_arena_alloc(arena, p->inst_count, sizeof *u.why);
  u.why_block = kgi_arena_alloc(arena, p->block_count, sizeof *u.why_block);
  w.var = kgi_arena_alloc(arena, p->scope.object_count, 1);
  w.why_var = kgi_arena_alloc(arena, p->scope.object_count, sizeof *w.why_var);
  w.jump = kgi_arena_alloc(arena, p->inst_count, 1);
  w.why_jump = kgi_arena_alloc(arena, p->inst_count, sizeof *w.why_jump);
  if (!kgi_overlaps_find(&w.blocks, arena, &p->scope)) return KG_NO_MEMORY;
  leaves(&w);
  memset(w.var, KGI_SAME_IN_DISPATCH, p->scope.object_count);
  memset(w.jump, KGI_SAME_IN_DISPATCH, p->inst_count);
  visit_body(&w);
  for (unsigned k = 0; w.changed; k++) {
    if (k >= KGI_LIMIT(uniform_walks)) {
      give_up(&w);
      break;
    }
    visit_body(&w);
  }
  *out = u;
  return KG_OK;
}

/* ---- barriers that are sure to come ---- */

static bool holds_jump(const kgi_program *p, uint32_t i) {
  kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
  for (unsigned k = 0; k < blocks.count; k++)
    KGI_EACH_INSIDE(p, p->inst[i].arg[blocks.first + k], j)
      if (kgi_ends(&p->inst[j])) return true;
  return false;
}

/* Of a `for` whose bounds are numbers. */
static bool has_a_trip(const kgi_program *p, const kgi_inst *loop) {
  const kgi_inst *from = &p->inst[loop->arg[0]], *to = &p->inst[loop->arg[1]];
  if (from->kind != KGI_literal || to->kind != KGI_literal) return false;
  kg_type type = (kg_type)loop->type;
  return type != KG_U64 && kgi_bits_to_int(type, kgi_literal_bits(from)) < kgi_bits_to_int(type, kgi_literal_bits(to));
}

bool kgi_meets_barrier(const kgi_program *p, kgi_blk block) {
  KGI_EACH(p, block, i) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind == KGI_barrier) return true;
    if (kgi_is_region(inst) && kgi_meets_barrier(p, inst->arg[0])) return true;
    if (inst->kind == KGI_for && has_a_trip(p, inst) && kgi_meets_barrier(p, inst->arg[3])) return true;
    if (inst->kind == KGI_if && inst->arg[2] && kgi_meets_barrier(p, inst->arg[1]) && kgi_meets_barrier(p, inst->arg[2])) return true;
    if (kgi_ends(inst) || holds_jump(p, i)) return false;
  }
  return false;
}
