/* What has no tangent. Loops, exits and barriers stay where they are, so that little is left: the bits of floats, atomics whose
 * outcome the order of invocations decides, some subgroup operations, and views of several types that lie over each other. */
#include "autodiff/forward/jvp.h"

#include <string.h>

static const char *object_name(const kgi_ad *a, uint32_t i) { return kgi_ad_object_name(a, a->f.p->inst[i].arg[0]); }

static void check_op(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = &a->f.p->inst[i];
  const kgi_op_row *row = &kgi_op_rows[inst->op];
  for (unsigned k = 0; k < row->arity; k++) {
    uint32_t operand = inst->arg[k];
    if (!kgi_ad_active(a, operand) || !kgi_ad_flows(a, i, k)) continue;
    if (kgi_is_float(a->f.p->inst[operand].type) && strcmp(kgi_pushforward_of(row, k), "!") != 0) continue;
    KGI_AD_REFUSE(a, grad_bits, a->f.p->inst_pos[i], row->name);
    return;
  }
}

/* Stores and exchanges of what no input reaches leave an element whose tangent is 0, whoever comes first or last; another kind of atomic
 * may come in between, but for extremes that have a phase to themselves. */
static bool meets_resets_alone(const kgi_ad *a, uint32_t object) {
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_atomic && !kgi_ad_is_reset(a, i) && !kgi_jvp_is_told(a, i)) return false;
  return kgi_ad_is_touched_alone(a, object);
}

static void check_atomic(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = &a->f.p->inst[i];
  if (!kgi_ad_active_access(a, i) || (inst->op == KGI_ATOMIC_load && !kgi_ad_active(a, i))) return;
  if (kgi_jvp_is_told(a, i) && !kgi_ad_active(a, i)) return;
  bool reset = kgi_ad_is_reset(a, i) && meets_resets_alone(a, inst->arg[0]);
  if ((inst->op != KGI_ATOMIC_add && !reset) || !kgi_is_float(a->f.p->scope.object[inst->arg[0]].type))
    KGI_AD_REFUSE(a, jvp_atomic, a->f.p->inst_pos[i], kgi_atomic_rows[inst->op].name, object_name(a, i));
  else if (kgi_ad_active(a, i))
    KGI_AD_REFUSE(a, grad_atomic_result, a->f.p->inst_pos[i], object_name(a, i));
}

static bool is_in_condition(const kgi_program *p, kgi_blk block) {
  const kgi_inst *owner = &p->inst[p->block[block].owner];
  return owner->kind == KGI_while && owner->arg[1] == block;
}

static void check_lanes(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = &a->f.p->inst[i];
  if (!kgi_is_float(inst->type)) KGI_AD_REFUSE(a, grad_bits, a->f.p->inst_pos[i], kgi_subgroup_rows[inst->op].name);
  else if (!kgi_jvp_has_lanes((kgi_subgroup)inst->op, is_in_condition(a->f.p, inst->block)))
    KGI_AD_REFUSE(a, jvp_subgroup, a->f.p->inst_pos[i], kgi_subgroup_rows[inst->op].name);
}

static void check_inst(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = &a->f.p->inst[i];
  if (kgi_touches(inst)) kgi_ad_check_view(a, i);
  if (inst->kind == KGI_atomic) check_atomic(a, i);
  else if (inst->kind == KGI_op && kgi_ad_active(a, i)) check_op(a, i);
  else if (inst->kind == KGI_subgroup && kgi_ad_active(a, i)) check_lanes(a, i);
}

kg_status kgi_jvp_check(kgi_ad *a) {
  KGI_EACH_INSIDE(a->f.p, KGI_BODY, i) check_inst(a, i);
  return a->status;
}

bool kgi_jvp_is_stored(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = &a->f.p->inst[i];
  if (kgi_jvp_is_told(a, i)) return false;
  if (!kgi_writes(inst) || !kgi_is_float(a->f.p->scope.object[inst->arg[0]].type)) return false;
  if (a->f.pos[i] > a->object[inst->arg[0]].useful_until) return false;
  return inst->kind == KGI_store || kgi_ad_active(a, inst->arg[2]) || kgi_ad_is_reset(a, i);
}

bool kgi_jvp_touches(const kgi_ad *a, uint32_t object) {
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i])
    if (kgi_jvp_is_stored(a, i) || kgi_ad_active(a, i)) return true;
  return false;
}
