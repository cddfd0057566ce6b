/* How contributions to a shadow are added up: per object, over all that is added to it.
 *
 * Only additions meet: what is stored in the primal belongs to one invocation (there are no races), and so does the reverse of the
 * store. What many invocations load, many add to. */
#include "autodiff/ad.h"
#include "foundation/dim.h"

/* ---- which invocations meet ---- */

static bool is_id(const kgi_ad *a, uint32_t value, kgi_id id, uint32_t component) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  return inst->kind == KGI_id && inst->op == id && inst->arg[0] == component;
}

/* No two invocations of the dispatch (of the workgroup, for shared memory) have this index. */
static bool is_distinct(const kgi_ad *a, uint32_t index, bool in_workgroup) {
  if (a->req.one_dimensional && is_id(a, index, KGI_ID_global_id, 0)) return true;
  if (!in_workgroup) return false;
  return is_id(a, index, KGI_ID_local_index, 0) || (a->req.one_dimensional && is_id(a, index, KGI_ID_local_id, 0));
}

/* The invocation also stores to the element, in the same stretch between barriers: then nobody else touches it there. */
static bool is_own_store(const kgi_ad *a, uint32_t load) {
  const kgi_inst *inst = kgi_ad_inst(a, load);
  for (uint32_t i = a->object[inst->arg[0]].first; i; i = a->access_next[i]) {
    const kgi_inst *other = kgi_ad_inst(a, i);
    if (other->kind == KGI_store && other->arg[1] == inst->arg[1] && other->block == inst->block &&
        a->barriers[i] == a->barriers[load])
      return true;
  }
  return false;
}

static bool is_own(const kgi_ad *a, uint32_t object) {
  bool shared = a->p->scope.object[object].space == KGI_SHARED;
  uint32_t index = 0;
  if (a->req.alone) return true;
  for (uint32_t i = a->object[object].first; i; i = a->access_next[i]) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (inst->kind != KGI_load || !kgi_ad_active(a, i) || (index && inst->arg[1] == index)) continue;
    if (!index && is_distinct(a, inst->arg[1], shared)) index = inst->arg[1];
    else if (!a->object[object].writes || !is_own_store(a, i)) return false; /* looked for last: it takes long */
  }
  return true;
}

/* ---- whether one contribution reaches every element ---- */

static kgi_dim dim_of(kgi_ad *a, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  kgi_scope *s = &a->p->scope;
  kgi_arena *arena = &a->work->arena;
  if (inst->kind == KGI_param) return kgi_dim_leaf(arena, s, KGI_DIM_PARAM, inst->arg[0]);
  if (inst->kind == KGI_spec) return kgi_dim_leaf(arena, s, KGI_DIM_SPEC, inst->arg[0]);
  if (inst->kind == KGI_literal && kgi_is_int(inst->type))
    return kgi_dim_int(arena, s, kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(inst)));
  if (inst->kind != KGI_len) return (kgi_dim){0};
  kgi_dim length = s->object[inst->arg[0]].length;
  return length.i ? length : kgi_dim_leaf(arena, s, KGI_DIM_LEN, inst->arg[0]);
}

/* The condition holds for every index below the length. */
static bool guards_length(kgi_ad *a, uint32_t condition, uint32_t index, kgi_dim length) {
  const kgi_inst inst = *kgi_ad_inst(a, condition);
  if (inst.kind != KGI_op) return false;
  if (inst.op == KGI_OP_lt && inst.arg[0] == index) return dim_of(a, inst.arg[1]).i == length.i;
  if (inst.op == KGI_OP_gt && inst.arg[1] == index) return dim_of(a, inst.arg[0]).i == length.i;
  return false;
}

static bool reaches_all(kgi_ad *a, uint32_t object, uint32_t load) {
  const kgi_inst inst = *kgi_ad_inst(a, load);
  kgi_scope *s = &a->p->scope;
  kgi_dim length = s->object[object].length;
  if (!length.i) length = kgi_dim_leaf(&a->work->arena, s, KGI_DIM_LEN, object);
  if (!a->req.one_dimensional || !is_id(a, inst.arg[1], KGI_ID_global_id, 0)) return false;
  if (!length.i || !a->p->grid_is_invocations || a->p->grid[0].i != length.i) return false;
  for (kgi_blk block = inst.block; block != KGI_BODY;) {
    uint32_t owner = a->p->block[block].owner;
    const kgi_inst branch = *kgi_ad_inst(a, owner);
    if (branch.kind != KGI_if || branch.arg[1] != block || !guards_length(a, branch.arg[0], inst.arg[1], length)) return false;
    block = branch.block;
  }
  return true;
}

/* ---- elements that are the same for a whole workgroup ---- */

static bool is_uniform_leaf(const kgi_ad *a, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (inst->kind == KGI_id) return inst->op == KGI_ID_workgroup_id || inst->op == KGI_ID_num_workgroups || inst->op == KGI_ID_workgroup_size;
  return kgi_is_leaf(inst->kind);
}

static bool is_uniform(const kgi_ad *a, uint32_t value, unsigned depth) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (kgi_is_leaf(inst->kind)) return is_uniform_leaf(a, value);
  if (inst->kind != KGI_op || inst->block != KGI_BODY || !depth) return false;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = 0; k < span.count; k++)
    if (!is_uniform(a, inst->arg[k], depth - 1)) return false;
  return true;
}

static uint32_t add_slot(kgi_ad *a, uint32_t object, uint32_t index, uint32_t param) {
  for (uint32_t s = 0; s < a->slot_count; s++)
    if (a->slot[s].object == object && a->slot[s].index == index && a->slot[s].param == param) return s + 1;
  if (!kgi_arena_grow(&a->scratch, &a->slot, a->slot_count, &a->slot_cap, sizeof *a->slot)) return kgi_ad_fail(a, KG_NO_MEMORY), 0;
  a->slot[a->slot_count] = (kgi_ad_slot){.object = object, .index = index, .param = param};
  return ++a->slot_count;
}

/* Linear in the accesses as long as the slots are few; past that, contributions go one by one. */
static void find_slots(kgi_ad *a, uint32_t object) {
  enum { MOST = 32, DEPTH = 8 };
  if (a->object[object].writes) return;
  for (uint32_t i = a->object[object].first; i && a->slot_count < MOST; i = a->access_next[i])
    if (kgi_ad_active(a, i) && is_uniform(a, a->p->inst[i].arg[1], DEPTH))
      a->slot_of[i] = add_slot(a, object, a->p->inst[i].arg[1], 0);
}

static void choose(kgi_ad *a, uint32_t object) {
  kgi_ad_object *o = &a->object[object];
  bool buffer = a->p->scope.object[object].space == KGI_BUFFER;
  o->share = KGI_AD_OWN;
  if (is_own(a, object)) {
    bool sole = buffer && o->reads == 1 && !o->writes && kgi_ad_active(a, o->first) && a->req.single_run && !a->req.accumulate &&
                a->req.result[object] && !a->req.given[object];
    if (sole && reaches_all(a, object, o->first)) o->share = KGI_AD_SOLE;
    return;
  }
  o->share = KGI_AD_ATOMIC;
  if (a->req.deterministic) KGI_AD_REFUSE(a, grad_not_deterministic, a->p->scope.object[object].pos, kgi_ad_object_name(a, object));
  if (buffer) find_slots(a, object);
}

void kgi_ad_shares(kgi_ad *a) {
  for (uint32_t o = 1; o < a->p->scope.object_count; o++)
    if (kgi_ad_active_object(a, o) && a->p->scope.object[o].space != KGI_VAR) choose(a, o);
  for (uint32_t q = 1; q < a->p->scope.param_count; q++)
    if (a->param_value[q] && kgi_ad_active(a, a->param_value[q])) {
      add_slot(a, 0, 0, q);
      if (a->req.deterministic && !a->req.alone) KGI_AD_REFUSE(a, grad_not_deterministic, a->p->scope.param[q].pos, kgi_string(a->work, a->p->scope.param[q].name));
    }
}

/* ---- emission ---- */

void kgi_ad_declare_slots(kgi_ad *a) {
  for (uint32_t s = 0; s < a->slot_count; s++) {
    kgi_ad_slot *slot = &a->slot[s];
    if (!slot->object) continue; /* a param's adjoint is that of its value */
    kg_type type = kgi_ad_type(a->p->scope.object[slot->object].type);
    slot->var = kgi_var(a->b, kgi_ad_free_name(a, "grad_", kgi_ad_object_name(a, slot->object)), type, (kgi_dim){0});
    kgi_store(a->b, slot->var, (kgi_val){0}, kgi_float(a->b, type, 0));
  }
}

static kgi_val slot_total(kgi_ad *a, const kgi_ad_slot *slot) {
  if (slot->object) return kgi_load(a->b, slot->var, (kgi_val){0});
  uint32_t value = a->param_value[slot->param];
  kgi_val sum = {a->adj[value]};
  if (a->flags[value] & KGI_AD_CROSS) {
    kgi_val rest = kgi_load(a->b, a->adj_var[value], (kgi_val){0});
    sum = sum.i ? kgi_op2(a->b, KGI_OP_add, rest, sum) : rest;
  }
  return sum;
}

/* The number of invocations in a workgroup; 0: not known here. */
static int64_t workgroup_size(const kgi_ad *a) {
  int64_t size = 1;
  for (unsigned k = 0; k < 3; k++) {
    const kgi_dim_node *n = &a->p->scope.dim[a->p->workgroup[k].i];
    if (!a->p->workgroup[k].i) continue;
    if (n->op != KGI_DIM_INT || n->imm <= 0 || n->imm > 65536) return 0;
    size *= n->imm;
  }
  return size;
}

typedef struct tree { kgi_obj shared; kgi_val lane, size; } tree;

static kgi_val size_value(kgi_ad *a) {
  kgi_builder *b = a->b;
  int64_t size = workgroup_size(a);
  if (size) return kgi_u32(b, (uint32_t)size);
  kgi_val x = kgi_id_value(b, KGI_ID_workgroup_size, 0);
  x = kgi_op2(b, KGI_OP_mul, x, kgi_id_value(b, KGI_ID_workgroup_size, 1));
  return kgi_op2(b, KGI_OP_mul, x, kgi_id_value(b, KGI_ID_workgroup_size, 2));
}

static kgi_dim size_dim(kgi_ad *a) {
  kgi_dim size = kgi_len_int(a->b, 1);
  for (unsigned k = 0; k < 3; k++)
    if (a->p->workgroup[k].i) size = kgi_len_op(a->b, KGI_DIM_MUL, size, (kgi_dim){a->dim_map[a->p->workgroup[k].i]});
  return size;
}

static kgi_val levels(kgi_ad *a) {
  kgi_builder *b = a->b;
  int64_t size = workgroup_size(a), count = 0;
  if (!size) return kgi_op2(b, KGI_OP_sub, kgi_u32(b, 32), kgi_op1(b, KGI_OP_clz, kgi_op2(b, KGI_OP_sub, size_value(a), kgi_u32(b, 1))));
  while (INT64_C(1) << count < size) count++;
  return kgi_u32(b, (uint32_t)count);
}

/* Halves the number of addends until the sum lies in element 0; any workgroup size. Every lane sees it after the barrier. */
static void reduce(kgi_ad *a, const tree *t, kgi_val value) {
  kgi_builder *b = a->b;
  kgi_store(b, t->shared, t->lane, value);
  kgi_barrier_here(b);
  kgi_val level = kgi_for_begin(b, kgi_ad_free_name(a, "", "level"), kgi_u32(b, 0), levels(a), (kgi_val){0}, true);
  kgi_val half = kgi_op2(b, KGI_OP_shl, kgi_u32(b, 1), level), other = kgi_op2(b, KGI_OP_add, t->lane, half);
  kgi_val reads = kgi_op2(b, KGI_OP_and, kgi_op2(b, KGI_OP_lt, t->lane, half), kgi_op2(b, KGI_OP_lt, other, t->size));
  kgi_if_begin(b, reads);
  kgi_store(b, t->shared, t->lane, kgi_op2(b, KGI_OP_add, kgi_load(b, t->shared, t->lane), kgi_load(b, t->shared, other)));
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_end(b);
}

static void flush(kgi_ad *a, const kgi_ad_slot *slot, tree *t) {
  kgi_builder *b = a->b;
  kgi_val total = slot_total(a, slot);
  kgi_obj shadow = slot->object ? a->object[slot->object].shadow : a->param_shadow[slot->param];
  kgi_val at = slot->object ? kgi_ad_leaf(a, slot->index) : kgi_u32(b, 0);
  if (!total.i) return;
  if (slot->object) a->object[slot->object].stored_shadow = true;
  if (workgroup_size(a) == 1) {
    kgi_atomic_op(b, KGI_ATOMIC_add, shadow, at, total, (kgi_val){0});
    return;
  }
  kg_type type = kgi_type_of(b->p, total);
  if (!t->shared.i) t->shared = kgi_shared(b, kgi_ad_free_name(a, "", "partial"), type, size_dim(a));
  t->lane = kgi_id_value(b, KGI_ID_local_index, 0);
  t->size = size_value(a);
  reduce(a, t, total);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, t->lane, kgi_u32(b, 0)));
  kgi_atomic_op(b, KGI_ATOMIC_add, shadow, at, kgi_load(b, t->shared, t->lane), (kgi_val){0});
  kgi_end(b);
}

void kgi_ad_flush_slots(kgi_ad *a) {
  tree trees[2] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}}; /* for f32 and f64 */
  for (uint32_t s = 0; s < a->slot_count; s++) {
    const kgi_ad_slot *slot = &a->slot[s];
    unsigned type = slot->object ? a->p->scope.object[slot->object].type : a->p->scope.param[slot->param].type;
    if (a->b->status == KG_OK) flush(a, slot, &trees[type == KG_F64]);
  }
}
