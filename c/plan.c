#include "c/plan.h"

#include "c/c.h"

#include "foundation/analysis/uniform.h"
#include "foundation/ir/views.h"

#include <string.h>

typedef struct planner {
  kgi_c_plan *plan;
  const kgi_program *p;
  kgi_uniformity u;
  kgi_blocks blocks; /* of views: who may lie over whom */
  bool *together;    /* by block: all conditions around it are scalars */
  kgi_c_again **last; /* by segment: of plan->again */
  const uint32_t *workgroup;
  bool *agreed;      /* by block: all conditions around it are the same for all, be they scalars or not */
} planner;

static bool is_var(const planner *w, uint32_t object) { return w->p->scope.object[object].space == KGI_VAR; }

/* ---- scalars ---- */

static bool operands_are_scalar(const planner *w, const kgi_inst *inst) {
  kgi_span span = kgi_operands(inst);
  for (unsigned k = 0; k < span.count; k++)
    if (inst->arg[span.first + k] && !w->plan->scalar[inst->arg[span.first + k]]) return false;
  return true;
}

static bool leaf_is_scalar(const kgi_inst *inst) {
  if (inst->kind != KGI_id) return true;
  switch ((kgi_id)inst->op) {
  case KGI_ID_workgroup_id: case KGI_ID_num_workgroups: case KGI_ID_workgroup_size: case KGI_ID_subgroup_size: case KGI_ID_num_subgroups:
    return true;
  case KGI_ID_global_id: case KGI_ID_local_id: case KGI_ID_local_index: case KGI_ID_subgroup_lane: case KGI_ID_subgroup_id:
  case KGI_ID_COUNT: break;
  }
  return false;
}

static bool value_is_scalar(const planner *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  if (inst->kind == KGI_atomic || inst->kind == KGI_subgroup || w->u.value[i] == KGI_VARYING) return false;
  if (inst->kind == KGI_load && is_var(w, inst->arg[0]) && w->plan->var[inst->arg[0]] != KGI_C_VAR_SCALAR) return false;
  return operands_are_scalar(w, inst);
}

static bool holds_together(const planner *w, const kgi_inst *owner) {
  if (owner->kind == KGI_if || owner->kind == KGI_while) return w->plan->scalar[owner->arg[0]];
  return owner->kind != KGI_for || operands_are_scalar(w, owner);
}

static void find_scalars(planner *w) {
  const kgi_program *p = w->p;
  w->together[KGI_BODY] = true;
  for (uint32_t i = 1; i < p->inst_count; i++)
    if (kgi_is_leaf(p->inst[i].kind)) w->plan->scalar[i] = leaf_is_scalar(&p->inst[i]);
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    w->plan->scalar[i] = value_is_scalar(w, i);
    kgi_span blocks = kgi_owned_blocks(inst);
    for (unsigned k = 0; k < blocks.count; k++) w->together[inst->arg[blocks.first + k]] = w->together[inst->block];
  }
  /* the condition of a while is computed in its own block */
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    kgi_span blocks = kgi_owned_blocks(inst);
    bool all = w->together[inst->block] && holds_together(w, inst);
    for (unsigned k = 0; k < blocks.count; k++) w->together[inst->arg[blocks.first + k]] = all && w->u.block[inst->arg[blocks.first + k]] != KGI_VARYING;
  }
}

static bool together(const planner *w, const kgi_inst *inst) {
  return w->together[inst->block] && w->u.block[inst->block] != KGI_VARYING;
}

/* A var is a scalar while everybody stores the same into it, at the same time, and loads at the same place; whoever does not makes it
 * none, and then again. */
static bool lower_vars(planner *w) {
  bool changed = false;
  KGI_EACH_INSIDE(w->p, KGI_BODY, i) {
    const kgi_inst *inst = &w->p->inst[i];
    uint32_t object = kgi_object_of(inst);
    if (!object || !kgi_touches(inst) || w->plan->var[object] != KGI_C_VAR_SCALAR) continue;
    bool alike = inst->kind == KGI_store && operands_are_scalar(w, inst) && together(w, inst);
    if (alike || (inst->kind == KGI_load && operands_are_scalar(w, inst))) continue;
    w->plan->var[object] = KGI_C_VAR_LOCAL;
    changed = true;
  }
  return changed;
}

static void classify(planner *w) {
  for (uint32_t i = 1; i < w->p->scope.object_count; i++)
    if (is_var(w, i)) w->plan->var[i] = KGI_C_VAR_SCALAR;
  do find_scalars(w);
  while (lower_vars(w));
}

/* ---- segments ---- */

/* The loop that a break or a continue means. */
static uint32_t loop_of(const kgi_program *p, const kgi_inst *inst) {
  uint32_t o = p->block[inst->block].owner;
  while (o && !kgi_is_loop(&p->inst[o])) o = p->block[p->inst[o].block].owner;
  return o;
}

/* Whether all invocations that come to it go the same way. */
static bool is_agreed(const planner *w, const kgi_inst *owner) {
  kgi_span span = kgi_operands(owner);
  for (unsigned k = 0; k < span.count; k++) {
    uint32_t x = owner->arg[span.first + k];
    if (x && !w->plan->scalar[x] && w->u.value[x] == KGI_VARYING) return false;
  }
  return true;
}

static void find_agreed(planner *w) {
  const kgi_program *p = w->p;
  w->agreed[KGI_BODY] = true;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    kgi_span blocks = kgi_owned_blocks(inst);
    for (unsigned k = 0; k < blocks.count; k++) w->agreed[inst->arg[blocks.first + k]] = w->agreed[inst->block] && is_agreed(w, inst);
  }
}

static void find_masked(planner *w) {
  const kgi_program *p = w->p;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    bool jumps = inst->kind == KGI_break || inst->kind == KGI_continue;
    if (kgi_is_loop(inst) && !is_agreed(w, inst)) w->plan->masked[i] = true;
    if (jumps && !w->agreed[inst->block]) w->plan->masked[loop_of(p, inst)] = true;
  }
}

/* Whether all that are still there jump together. Of a loop that is masked some may be done with it, or with this trip alone. */
static bool jumps_for_all(const planner *w, const kgi_inst *inst) {
  const kgi_program *p = w->p;
  if (!w->agreed[inst->block]) return false;
  if (inst->kind != KGI_return) return !w->plan->masked[loop_of(p, inst)];
  for (uint32_t o = p->block[inst->block].owner; o; o = p->block[p->inst[o].block].owner)
    if (w->plan->masked[o]) return false;
  return true;
}

/* All that holds it, up to `end`, stands between segments. A branch around a barrier is taken by all or by none, or the program is not
 * valid; of a loop whose trips differ the barrier may stand in those that all make. */
static void cut_owners(planner *w, const kgi_inst *inst, uint32_t end) {
  const kgi_program *p = w->p;
  for (uint32_t o = p->block[inst->block].owner; o != end; o = p->block[p->inst[o].block].owner) w->plan->cut[o] = true;
}

static bool is_inside(const kgi_program *p, uint32_t i, kgi_blk block) {
  kgi_blk at = p->inst[i].block;
  while (at != block && at != KGI_BODY) at = p->inst[p->block[at].owner].block;
  return at == block;
}

/* Names of a region stay visible behind it, where another segment may be under way: a scalar of it that is used there stands between
 * segments, and so does the region. */
static void cut_regions(planner *w, uint32_t i) {
  const kgi_program *p = w->p;
  kgi_span span = kgi_operands(&p->inst[i]);
  for (unsigned k = 0; k < span.count; k++) {
    uint32_t x = p->inst[i].arg[span.first + k];
    if (!x || kgi_is_leaf(p->inst[x].kind) || !w->plan->scalar[x] || is_inside(p, i, p->inst[x].block)) continue;
    for (uint32_t o = p->block[p->inst[x].block].owner; p->inst[o].kind == KGI_region; o = p->block[p->inst[o].block].owner)
      w->plan->cut[o] |= !is_inside(p, i, p->inst[o].arg[0]);
  }
}

/* What holds a barrier stands between segments, and so does what stores a scalar or ends the program for all: that happens once in a
 * workgroup. Then who leaves a loop that stands there. */
static void find_cuts(planner *w) {
  const kgi_program *p = w->p;
  find_masked(w);
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    bool stores = inst->kind == KGI_store && w->plan->var[inst->arg[0]] == KGI_C_VAR_SCALAR;
    bool returns = inst->kind == KGI_return && jumps_for_all(w, inst);
    if (inst->kind == KGI_barrier || stores || returns) cut_owners(w, inst, 0);
    cut_regions(w, i);
  }
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind != KGI_break && inst->kind != KGI_continue) continue;
    uint32_t loop = loop_of(p, inst);
    if (w->plan->cut[loop] && jumps_for_all(w, inst)) cut_owners(w, inst, loop);
  }
}

static bool reads_written(const planner *w, const kgi_inst *inst);

/* Whether all that a block does is for one segment. Loops are for what stays in registers. */
static bool is_one_segment(const planner *w, kgi_blk block) {
  KGI_EACH_INSIDE(w->p, block, i) {
    const kgi_inst *inst = &w->p->inst[i];
    if (w->plan->cut[i] || kgi_is_loop(inst) || kgi_ends(inst) || inst->kind == KGI_barrier || inst->kind == KGI_region) return false;
    if (inst->block != block || !w->plan->scalar[i]) continue;
    if (!kgi_is_pure(inst) || reads_written(w, inst) || (inst->kind == KGI_load && is_var(w, inst->arg[0]))) return false;
  }
  return true;
}

/* The number in the workgroup, as chunks count it. */
static bool is_number(const planner *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  if (!kgi_is_int(inst->type) || kgi_type_bits(inst->type) != 32) return false; /* on the way through another type numbers change */
  if (inst->kind == KGI_op && (inst->op == KGI_OP_convert || inst->op == KGI_OP_bitcast)) return is_number(w, inst->arg[0]);
  bool line = w->workgroup[1] == 1 && w->workgroup[2] == 1;
  return inst->kind == KGI_id && (inst->op == KGI_ID_local_index || (line && inst->op == KGI_ID_local_id && inst->arg[0] == 0));
}

/* A loop `for j in number .. n step s` of all invocations. Where some may have left, or be in other trips of a loop around, it is none. */
static bool goes_abreast(const planner *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  if (inst->kind != KGI_for || w->plan->cut[i] || inst->flags & KGI_REVERSED || kgi_type_bits(inst->type) != 32) return false;
  if (!is_number(w, inst->arg[0]) || !w->plan->scalar[inst->arg[1]] || !w->plan->scalar[inst->arg[2]]) return false;
  for (uint32_t o = w->p->block[inst->block].owner; o; o = w->p->block[w->p->inst[o].block].owner)
    if (!w->plan->cut[o] || w->plan->masked[o] || w->plan->abreast[o]) return false;
  return is_one_segment(w, inst->arg[3]);
}

static void find_abreast(planner *w) {
  uint64_t invocations = (uint64_t)w->workgroup[0] * w->workgroup[1] * w->workgroup[2];
  if (w->plan->returns || invocations <= KGI_C_MOST_LANES) return;
  KGI_EACH_INSIDE(w->p, KGI_BODY, i) {
    if (!goes_abreast(w, i)) continue;
    w->plan->cut[i] = w->plan->abreast[i] = true;
    w->plan->masked[i] = false;
  }
}

/* Whether somebody in the program writes what it reads. */
static bool reads_written(const planner *w, const kgi_inst *inst) {
  return inst->kind == KGI_load && !is_var(w, inst->arg[0]) &&
         (w->p->scope.object[inst->arg[0]].space == KGI_SHARED || w->blocks.written[inst->arg[0]]);
}

/* A guard is looked at where it is asked, wherever it was computed. */
static void note_guard(planner *w, uint32_t condition, uint32_t segment) {
  const kgi_inst *c = &w->p->inst[condition];
  bool compares = c->op == KGI_OP_lt || c->op == KGI_OP_gt || c->op == KGI_OP_eq;
  if (c->kind != KGI_op || (!compares && c->op != KGI_OP_and)) return;
  for (unsigned k = 0; k < 2; k++) {
    const kgi_inst *x = &w->p->inst[c->arg[k]];
    if (compares && x->kind == KGI_id) w->plan->ids[segment] |= kgi_c_id_bit(x->op, x->arg[0]);
    if (!compares) note_guard(w, c->arg[k], segment);
  }
}

static void note(planner *w, uint32_t i, uint32_t segment) {
  const kgi_inst *inst = &w->p->inst[i];
  kgi_c_plan *plan = w->plan;
  plan->segment[i] = segment;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = 0; k < span.count; k++) {
    const kgi_inst *x = &w->p->inst[inst->arg[span.first + k]];
    if (x->kind == KGI_id) plan->ids[segment] |= kgi_c_id_bit(x->op, x->arg[0]);
  }
  if (inst->kind == KGI_if) note_guard(w, inst->arg[0], segment);
  uint32_t object = kgi_object_of(inst);
  if (!object || !is_var(w, object)) return;
  plan->home[object] = !plan->home[object] || plan->home[object] == segment + 1 ? segment + 1 : UINT32_MAX;
}

static uint32_t next_segment(planner *w) { return ++w->plan->segments; }

static void note_inside(planner *w, uint32_t i, uint32_t segment) {
  kgi_span blocks = kgi_owned_blocks(&w->p->inst[i]);
  note(w, i, segment);
  for (unsigned k = 0; k < blocks.count; k++)
    KGI_EACH_INSIDE(w->p, w->p->inst[i].arg[blocks.first + k], inside) note(w, inside, segment);
}

/* What a scalar reads may have been stored in the segment before it, so that one ends there. */
static void cut_block(planner *w, kgi_blk block) {
  const kgi_program *p = w->p;
  uint32_t segment = next_segment(w);
  KGI_EACH(p, block, i) {
    const kgi_inst *inst = &p->inst[i];
    bool scalar_store = inst->kind == KGI_store && w->plan->var[inst->arg[0]] == KGI_C_VAR_SCALAR;
    bool scalar = w->plan->scalar[i] && kgi_is_pure(inst);
    bool leaves = kgi_ends(inst) && jumps_for_all(w, inst);
    bool declares = inst->kind == KGI_var && w->plan->var[inst->arg[0]] == KGI_C_VAR_SCALAR;
    if (w->plan->cut[i]) {
      note(w, i, 0);
      kgi_span blocks = kgi_owned_blocks(inst);
      for (unsigned k = 0; k < blocks.count; k++) cut_block(w, inst->arg[blocks.first + k]);
    } else if (inst->kind == KGI_barrier || scalar_store || scalar || leaves || declares) note(w, i, 0);
    else {
      note_inside(w, i, segment);
      continue;
    }
    bool ends = !scalar || reads_written(w, inst) || (inst->kind == KGI_load && is_var(w, inst->arg[0]));
    if (ends) segment = next_segment(w);
    else w->plan->ahead[i] = segment;
  }
}

/* ---- what is computed again ---- */

enum { AGAIN = 4 }; /* operations of such a value, all that it is made of */

static bool is_cheap(const kgi_inst *inst) {
  static const bool cheap[KGI_OP_COUNT] = {
    [KGI_OP_add] = true, [KGI_OP_sub] = true, [KGI_OP_mul] = true, [KGI_OP_and] = true, [KGI_OP_or] = true, [KGI_OP_xor] = true,
    [KGI_OP_not] = true, [KGI_OP_eq] = true, [KGI_OP_ne] = true, [KGI_OP_lt] = true, [KGI_OP_le] = true, [KGI_OP_gt] = true,
    [KGI_OP_ge] = true,
  };
  if (inst->kind != KGI_op || !cheap[inst->op]) return false;
  return inst->type == KG_BOOL || (kgi_is_int(inst->type) && kgi_type_bits(inst->type) == 32);
}

/* How many operations make a value of ids, and of scalars that stand between segments, where all others see them. Past AGAIN: none. */
static uint32_t cost_again(const planner *w, uint32_t i, uint32_t so_far) {
  const kgi_inst *inst = &w->p->inst[i];
  if (kgi_is_leaf(inst->kind) || w->plan->abreast[i] || (w->plan->scalar[i] && !w->plan->segment[i])) return so_far;
  if (w->plan->scalar[i] || !is_cheap(inst) || so_far >= AGAIN) return AGAIN + 1;
  kgi_span span = kgi_operands(inst);
  so_far++;
  for (unsigned k = 0; k < span.count && so_far <= AGAIN; k++) so_far = cost_again(w, inst->arg[span.first + k], so_far);
  return so_far;
}

static bool add_again(planner *w, kgi_arena *arena, uint32_t i, uint32_t segment) {
  const kgi_inst *inst = &w->p->inst[i];
  kgi_c_plan *plan = w->plan;
  if (plan->segment[i] == segment || (w->last[segment] && w->last[segment]->inst == i)) return true;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = 0; k < span.count; k++) {
    uint32_t x = inst->arg[span.first + k];
    if (w->p->inst[x].kind == KGI_id) plan->ids[segment] |= kgi_c_id_bit(w->p->inst[x].op, w->p->inst[x].arg[0]);
    if (kgi_is_leaf(w->p->inst[x].kind) || plan->scalar[x] || plan->abreast[x]) continue;
    if (!add_again(w, arena, x, segment)) return false;
  }
  kgi_c_again *entry = kgi_arena_alloc(arena, 1, sizeof *entry);
  if (!entry) return false;
  *entry = (kgi_c_again){.inst = i};
  if (w->last[segment]) w->last[segment]->next = entry;
  else plan->again[segment] = entry;
  w->last[segment] = entry;
  return true;
}

static bool find_rows(planner *w, kgi_arena *arena) {
  const kgi_program *p = w->p;
  kgi_c_plan *plan = w->plan;
  for (uint32_t i = 1; i < p->inst_count; i++) {
    if (!plan->cut[i] || p->inst[i].kind != KGI_for) continue;
    plan->scalar[i] = is_agreed(w, &p->inst[i]);
    plan->row[i] = !plan->scalar[i] && !plan->abreast[i];
  }
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    kgi_span span = kgi_operands(&p->inst[i]);
    for (unsigned k = 0; k < span.count; k++) {
      uint32_t x = p->inst[i].arg[span.first + k];
      if (!x || kgi_is_leaf(p->inst[x].kind) || plan->scalar[x] || plan->abreast[x] || plan->segment[x] == plan->segment[i]) continue;
      if (!plan->segment[i] || cost_again(w, x, 0) > AGAIN) plan->row[x] = true;
      else if (!add_again(w, arena, x, plan->segment[i])) return false;
    }
  }
  for (uint32_t i = 1; i < p->scope.object_count; i++)
    if (is_var(w, i) && plan->var[i] == KGI_C_VAR_LOCAL && plan->home[i] == UINT32_MAX) plan->var[i] = KGI_C_VAR_ROW;
  return true;
}

/* ---- what is only added to ---- */

bool kgi_c_is_only_added(const kgi_program *p, uint32_t object) {
  const kgi_object *o = &p->scope.object[object];
  bool any = false;
  if (o->space != KGI_BUFFER || o->view || o->type == KG_F16) return false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    if (!kgi_touches(inst) || inst->arg[0] != object) continue;
    if (inst->kind != KGI_atomic || inst->op != KGI_ATOMIC_add) return false;
    any = true;
  }
  if (!any) return false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    kgi_span span = kgi_operands(inst);
    for (unsigned k = 0; k < span.count; k++) {
      const kgi_inst *x = &p->inst[inst->arg[span.first + k]];
      if (x->kind == KGI_atomic && x->arg[0] == object) return false;
    }
  }
  return true;
}

/* ---- all ---- */

/* Whoever leaves with all others needs no mask. */
static void find_ends(planner *w) {
  const kgi_program *p = w->p;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    if (!kgi_ends(inst) || (inst->kind != KGI_return && together(w, inst))) continue;
    w->plan->returns |= inst->kind == KGI_return;
    uint32_t loop = inst->kind == KGI_return ? 0 : loop_of(p, inst);
    for (uint32_t o = p->block[inst->block].owner; o; o = o == loop ? 0 : p->block[p->inst[o].block].owner) w->plan->ends[o] = true;
  }
}

bool kgi_c_plan_empty(kgi_c_plan *plan, kgi_arena *a, const kgi_program *p) {
  uint32_t n = p->inst_count;
  *plan = (kgi_c_plan){.p = p};
  plan->scalar = kgi_arena_alloc(a, n, sizeof *plan->scalar);
  plan->row = kgi_arena_alloc(a, n, sizeof *plan->row);
  plan->again = kgi_arena_alloc(a, (size_t)2 * n + 2, sizeof *plan->again);
  plan->cut = kgi_arena_alloc(a, n, sizeof *plan->cut);
  plan->masked = kgi_arena_alloc(a, n, sizeof *plan->masked);
  plan->abreast = kgi_arena_alloc(a, n, sizeof *plan->abreast);
  plan->ends = kgi_arena_alloc(a, n, sizeof *plan->ends);
  plan->segment = kgi_arena_alloc(a, n, sizeof *plan->segment);
  plan->ahead = kgi_arena_alloc(a, n, sizeof *plan->ahead);
  plan->uses = kgi_arena_alloc(a, n, sizeof *plan->uses);
  plan->ids = kgi_arena_alloc(a, (size_t)2 * n + 2, sizeof *plan->ids);
  plan->var = kgi_arena_alloc(a, p->scope.object_count, sizeof *plan->var);
  plan->home = kgi_arena_alloc(a, p->scope.object_count, sizeof *plan->home);
  return !a->failed;
}

bool kgi_c_plan_make(kgi_c_plan *plan, kgi_arena *arena, const kgi_program *p, const uint32_t workgroup[3]) {
  planner w = {.plan = plan, .p = p, .workgroup = workgroup};
  w.together = kgi_arena_alloc(arena, p->block_count, sizeof *w.together);
  w.agreed = kgi_arena_alloc(arena, p->block_count, sizeof *w.agreed);
  w.last = kgi_arena_alloc(arena, (size_t)2 * p->inst_count + 2, sizeof *w.last);
  if (!kgi_c_plan_empty(plan, arena, p) || !kgi_blocks_find(&w.blocks, arena, &p->scope)) return false;
  plan->written = w.blocks.written;
  if (kgi_uniformity_of(arena, p, &w.u) != KG_OK) return false;
  classify(&w);
  find_ends(&w);
  kgi_count_uses(p, KGI_BODY, plan->uses);
  KGI_EACH_INSIDE(p, KGI_BODY, i) plan->split |= p->inst[i].kind == KGI_barrier;
  if (plan->split) {
    find_agreed(&w);
    find_cuts(&w);
    find_abreast(&w);
    cut_block(&w, KGI_BODY);
    if (!find_rows(&w, arena)) return false;
  } else {
    plan->segments = 1;
    KGI_EACH_INSIDE(p, KGI_BODY, i) note(&w, i, 1);
  }
  return !arena->failed;
}
