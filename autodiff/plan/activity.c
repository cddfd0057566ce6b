/* What lies on a path from an input to an output. Values one by one; objects as a whole, from the first store of what is varied
 * up to the last load that is of use.
 *
 * Integers take part too: one that was made from the bits of a float carries them along (bitcast, shifts, memory), and where such
 * bits become a float again a derivative would be lost in silence. So they are followed like floats, and refused on the path. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"
#include "foundation/analysis/whole.h"

#include <stdio.h>
#include <string.h>

typedef struct stack { uint32_t *item; uint32_t count; kgi_distinct *distinct; } stack; /* distinct: where atomics asked for it */

/* Each value is pushed at most once. */
static bool stack_init(kgi_ad *a, stack *s) {
  *s = (stack){0};
  s->item = kgi_arena_alloc(&a->scratch, a->f.p->inst_count, sizeof *s->item);
  if (!s->item) kgi_ad_fail(a, KG_NO_MEMORY);
  return s->item != NULL;
}

static void mark_value(kgi_ad *a, stack *s, uint32_t value, uint8_t flag) {
  if (!value || a->flags[value] & flag) return;
  a->flags[value] |= flag;
  s->item[s->count++] = value;
}

/* What an object holds is varied, or of use, from or up to a position: in a loop that the object outlives, all of its trips. */
static void object_varied(kgi_ad *a, stack *s, uint32_t object, uint32_t store) {
  kgi_ad_object *o = &a->object[object];
  uint32_t loop = store ? kgi_ad_outermost_loop(a, a->f.object[object].block, store) : 0, position = store ? a->f.pos[loop ? loop : store] : 0;
  if (position >= o->varied_from) return;
  o->varied_from = position;
  uint32_t i = o->varied_access ? a->f.access_prev[o->varied_access] : a->f.object[object].last;
  for (; i && a->f.pos[i] >= position; i = a->f.access_prev[i]) {
    o->varied_access = i;
    if (a->f.p->inst[i].kind != KGI_store && a->f.p->inst[i].type != KG_NONE) mark_value(a, s, i, KGI_AD_VARIED);
  }
}

/* Another invocation may have made the change when one comes to an atomic that stands before it: no barrier is between, or they are of two
 * workgroups. */
static bool may_precede(kgi_ad *a, stack *s, uint32_t change, uint32_t atomic) {
  const uint32_t both[] = {change, atomic};
  if (!s->distinct && kgi_distinct_make(&a->scratch, a->f.work, a->f.p, &s->distinct) != KG_OK) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  unsigned own = kgi_disjoint(s->distinct, both, 2, NULL);
  if (!(own & KGI_OWN_ACROSS) && !a->req.alone) return true;
  return !(own & KGI_OWN_IN_INTERVAL) && kgi_may_meet(s->distinct, change, atomic);
}

/* So the object is varied from the first atomic that may come later. Plain accesses of other invocations would be a race there. */
static void varied_earlier(kgi_ad *a, stack *s, uint32_t object, uint32_t change) {
  if (!change || kgi_ad_inst(a, change)->kind != KGI_atomic) return;
  for (uint32_t i = a->f.object[object].first; i && a->f.pos[i] < a->f.pos[change] && a->f.pos[i] < a->object[object].varied_from;
       i = a->f.access_next[i])
    if (kgi_ad_inst(a, i)->kind == KGI_atomic && may_precede(a, s, change, i)) object_varied(a, s, object, i);
}

/* So are its copies in checkpoints, from where they are declared, though they begin with something else: what empties the shadow that
 * they share has a reverse. Recursion is bounded by KGI_MAX_DEPTH. */
static void copies_varied(kgi_ad *a, stack *s, uint32_t object) {
  for (uint32_t k = 0; k < a->f.copy_count && a->f.object[object].copied; k++) {
    uint32_t own = a->f.copy[k].own, decl = a->f.object[own].decl;
    if (a->f.object[own].copy_of != object || a->f.pos[decl] < a->object[object].varied_from) continue;
    object_varied(a, s, own, decl);
    copies_varied(a, s, own);
  }
}

/* So is what the other views of its binding hold. */
static void varied_from(kgi_ad *a, stack *s, uint32_t object, uint32_t store) {
  object_varied(a, s, object, store);
  copies_varied(a, s, object);
  varied_earlier(a, s, object, store);
  for (uint32_t o = 1; a->f.blocks.aliased[object] && o < kgi_buffer_end(&a->f.p->scope); o++)
    if (o != object && a->f.blocks.of[o] == a->f.blocks.of[object]) object_varied(a, s, o, store), varied_earlier(a, s, o, store);
}

static void mark_varied_value(kgi_ad *a, stack *s, uint32_t value) {
  if (value && a->flags[value] & KGI_AD_VARIED) mark_value(a, s, value, KGI_AD_ACTIVE);
}

static void object_useful(kgi_ad *a, stack *s, uint32_t object, uint32_t load) {
  kgi_ad_object *o = &a->object[object];
  uint32_t loop = load ? kgi_ad_outermost_loop(a, a->f.object[object].block, load) : 0;
  uint32_t position = UINT32_MAX - 1;
  if (load) position = loop ? a->f.block[kgi_body_of(&a->f.p->inst[loop])].end : a->f.pos[load];
  if (position <= o->useful_until) return;
  o->useful_until = position;
  uint32_t i = o->useful_access ? a->f.access_next[o->useful_access] : a->f.object[object].first;
  for (; i && a->f.pos[i] <= position; i = a->f.access_next[i]) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    o->useful_access = i;
    if (inst->kind == KGI_load) continue;
    mark_varied_value(a, s, inst->arg[2]);
    mark_varied_value(a, s, inst->arg[3]);
  }
}

static void useful_until(kgi_ad *a, stack *s, uint32_t object, uint32_t load) {
  object_useful(a, s, object, load);
  for (uint32_t o = 1; a->f.blocks.aliased[object] && o < kgi_buffer_end(&a->f.p->scope); o++)
    if (o != object && a->f.blocks.of[o] == a->f.blocks.of[object]) object_useful(a, s, o, load);
}

bool kgi_ad_flows(const kgi_ad *a, uint32_t i, unsigned k) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  if (inst->type == KG_BOOL) return false;
  unsigned operand = a->f.p->inst[inst->arg[k]].type;
  if (inst->kind == KGI_subgroup) return k == 0 && operand != KG_BOOL;
  if (operand == KG_BOOL) return false;
  if (!kgi_is_float(operand)) return inst->op != KGI_OP_stop_gradient; /* of bits */
  const char *partial = kgi_op_rows[inst->op].partial[k];
  uint8_t whole = a->f.whole ? a->f.whole[i] : 0; /* of a program with a stated adjoint nobody asked */
  if (!strcmp(partial, "convert")) return kgi_is_float(inst->type) || whole & KGI_WHOLE;
  return strcmp(partial, "0") != 0;
}

/* What rounds a number of bits hands nothing on; but the number moves, and is refused where the bits become a float. */
static void spread_past(kgi_ad *a, stack *s, uint32_t rounding) {
  if (!(a->f.whole[rounding] & KGI_WHOLE_LOST)) return;
  for (uint32_t use = a->f.use_first[rounding]; use; use = a->f.use_next[use - 1])
    if (a->f.whole[(use - 1) / 4] & KGI_WHOLE_LOST) mark_value(a, s, (use - 1) / 4, KGI_AD_VARIED);
}

/* A user of a varied value. */
static void spread_to(kgi_ad *a, stack *s, uint32_t user, unsigned k) {
  const kgi_inst *inst = kgi_ad_inst(a, user);
  switch ((kgi_kind)inst->kind) {
  case KGI_op: case KGI_subgroup:
    if (kgi_ad_flows(a, user, k)) mark_value(a, s, user, KGI_AD_VARIED);
    else spread_past(a, s, user);
    break;
  case KGI_store: case KGI_atomic:
    if (k >= 2) varied_from(a, s, inst->arg[0], user);
    break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_load: case KGI_barrier:
  case KGI_memory_barrier: case KGI_check: case KGI_var: case KGI_if: case KGI_for: case KGI_while: case KGI_region:
  case KGI_break: case KGI_continue: case KGI_return: case KGI_checkpoint: case KGI_KIND_COUNT: break;
  }
}

void kgi_ad_spread_varied(kgi_ad *a) {
  stack s;
  if (!stack_init(a, &s)) return;
  for (uint32_t o = 1; o < kgi_buffer_end(&a->f.p->scope); o++)
    if (a->req.varied[o]) varied_from(a, &s, o, 0);
  for (uint32_t q = 1; q < a->f.p->scope.param_count; q++)
    if (a->req.wrt_param[q]) mark_value(a, &s, a->f.param_value[q], KGI_AD_VARIED);
  while (s.count) {
    uint32_t top = s.item[--s.count];
    for (uint32_t use = a->f.use_first[top]; use; use = a->f.use_next[use - 1]) spread_to(a, &s, (use - 1) / 4, (use - 1) % 4);
  }
}

static void activate_operands(kgi_ad *a, stack *s, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  if (inst->kind == KGI_load || inst->kind == KGI_atomic) useful_until(a, s, inst->arg[0], i);
  if (inst->kind != KGI_op && inst->kind != KGI_subgroup) return;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = 0; k < span.count; k++)
    if (kgi_ad_flows(a, i, k)) mark_varied_value(a, s, inst->arg[k]);
}

void kgi_ad_spread_active(kgi_ad *a) {
  stack s;
  if (!stack_init(a, &s)) return;
  for (uint32_t o = 1; o < kgi_buffer_end(&a->f.p->scope); o++)
    if (a->req.useful[o]) useful_until(a, &s, o, 0);
  while (s.count) activate_operands(a, &s, s.item[--s.count]);
}

/* Of the same shadow: there is nothing to move. */
static bool is_copy(const kgi_ad *a, uint32_t store) {
  const kgi_inst *inst = kgi_ad_inst(a, store), *from = kgi_ad_inst(a, inst->arg[2]);
  if (from->kind != KGI_load || !a->f.object[inst->arg[0]].copied || inst->arg[0] == from->arg[0]) return false;
  return kgi_ad_shadow_of(a, inst->arg[0]) == kgi_ad_shadow_of(a, from->arg[0]) && inst->arg[1] == from->arg[1];
}

bool kgi_ad_has_reverse(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  switch ((kgi_kind)inst->kind) {
  case KGI_op: case KGI_load: case KGI_subgroup: return kgi_ad_active(a, i);
  case KGI_store: return kgi_ad_active_access(a, i) && !is_copy(a, i);
  case KGI_atomic:
    return kgi_ad_active_access(a, i) && (kgi_ad_active(a, inst->arg[2]) || kgi_ad_is_extreme(a, i) || kgi_ad_is_reset(a, i));
  case KGI_barrier: case KGI_memory_barrier: return true;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_check: case KGI_var:
  case KGI_if: case KGI_for: case KGI_while: case KGI_region: case KGI_break: case KGI_continue: case KGI_return:
  case KGI_checkpoint: case KGI_KIND_COUNT: break;
  }
  return false;
}

/* ---- what cannot be ---- */

static void check_op(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  const kgi_op_row *row = &kgi_op_rows[inst->op];
  for (unsigned k = 0; k < row->arity; k++) {
    uint32_t operand = inst->arg[k];
    if (!kgi_ad_active(a, operand) || !kgi_ad_flows(a, i, k)) continue;
    if (kgi_is_float(a->f.p->inst[operand].type) && strcmp(row->partial[k], "!") != 0) continue;
    KGI_AD_REFUSE(a, grad_bits, a->f.p->inst_pos[i], row->name);
    return;
  }
}

/* Of integers they move bits. */
static void check_subgroup(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  char name[40];
  snprintf(name, sizeof name, "subgroup_%s", kgi_subgroup_rows[inst->op].name);
  if (!kgi_is_float(inst->type)) KGI_AD_REFUSE(a, grad_bits, a->f.p->inst_pos[i], name);
}

bool kgi_ad_is_touched_alone(const kgi_ad *a, uint32_t object) {
  const kgi_blocks *b = &a->f.blocks;
  for (uint32_t o = 1; b->aliased[object] && o < kgi_buffer_end(&a->f.p->scope); o++)
    if (o != object && b->of[o] == b->of[object] && a->f.object[o].first && kgi_may_overlap(&a->f.p->scope, o, object)) return false;
  return true;
}

static void check_atomic(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  if (!kgi_ad_active_access(a, i) || (inst->op == KGI_ATOMIC_load && !kgi_ad_active(a, i))) return;
  const char *name = kgi_ad_object_name(a, inst->arg[0]);
  bool known = (kgi_ad_is_extreme(a, i) || kgi_ad_is_reset(a, i)) && kgi_ad_is_touched_alone(a, inst->arg[0]);
  if (kgi_ad_is_extreme(a, i) && !kgi_is_float(a->f.p->scope.object[inst->arg[0]].type))
    KGI_AD_REFUSE(a, grad_atomic_words, a->f.p->inst_pos[i], kgi_atomic_rows[inst->op].name, name);
  else if ((inst->op != KGI_ATOMIC_add && !known) || !kgi_is_float(a->f.p->scope.object[inst->arg[0]].type))
    KGI_AD_REFUSE(a, grad_atomic, a->f.p->inst_pos[i], kgi_atomic_rows[inst->op].name, name);
  else if (kgi_ad_active(a, i))
    KGI_AD_REFUSE(a, grad_atomic_result, a->f.p->inst_pos[i], name);
}

void kgi_ad_check_view(kgi_ad *a, uint32_t i) {
  uint32_t object = a->f.p->inst[i].arg[0];
  if (!a->f.blocks.aliased[object] || !kgi_ad_has_reverse(a, i)) return;
  uint8_t *path_type = &a->object[a->f.blocks.of[object]].path_type, type = a->f.p->scope.object[object].type;
  if (!*path_type) *path_type = type;
  if (*path_type != type || !kgi_is_float(type)) KGI_AD_REFUSE(a, grad_view, a->f.p->inst_pos[i], kgi_ad_object_name(a, object));
}

static void check_inst(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  switch ((kgi_kind)inst->kind) {
  case KGI_op:
    if (kgi_ad_active(a, i)) check_op(a, i);
    break;
  case KGI_subgroup:
    if (kgi_ad_active(a, i)) check_subgroup(a, i);
    break;
  case KGI_atomic: check_atomic(a, i), kgi_ad_check_view(a, i); break;
  case KGI_load: case KGI_store: kgi_ad_check_view(a, i); break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_barrier:
  case KGI_memory_barrier: case KGI_check: case KGI_var: case KGI_if: case KGI_for: case KGI_while: case KGI_region:
  case KGI_break: case KGI_continue: case KGI_return: case KGI_checkpoint: case KGI_KIND_COUNT: break;
  }
}

/* Where the reverse sweep has something to do inside. */
static void survey(kgi_ad *a, kgi_blk block) {
  KGI_EACH(a->f.p, block, i) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    check_inst(a, i);
    bool content = kgi_ad_has_reverse(a, i) && !kgi_orders(inst), inside = false;
    kgi_span owned = kgi_owned_blocks(inst);
    for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
      survey(a, inst->arg[k]);
      if (a->block[inst->arg[k]].content) inside = true;
    }
    if (content || inside) a->block[block].content = true;
    bool counted = inst->kind != KGI_while || kgi_counted(&a->f, i).count; /* all in which floats are stored are */
    if (inside && !counted) KGI_AD_REFUSE(a, grad_needs_replay, a->f.p->inst_pos[i], kgi_kind_names[inst->kind]);
  }
}

/* No exits skip any of that: they were lowered (exits.c). */
void kgi_ad_check_activity(kgi_ad *a) { survey(a, KGI_BODY); }
