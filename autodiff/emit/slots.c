/* Contributions to one element that is the same for a whole workgroup: gathered in a var over the program, and at its end summed over the
 * workgroup and added by one of its invocations. */
#include "autodiff/emit/emit.h"
#include "foundation/ir/reduce.h"

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

static void flush(kgi_ad *a, const kgi_ad_slot *slot, kgi_tree *t) {
  kgi_builder *b = a->b;
  kgi_val total = slot_total(a, slot);
  kgi_obj shadow = slot->object ? a->object[slot->object].shadow : a->param_shadow[slot->param];
  kgi_val at = slot->object ? kgi_ad_leaf(a, slot->index) : kgi_u32(b, 0);
  if (!total.i) return;
  if (workgroup_size(a) == 1) {
    kgi_atomic_op(b, KGI_ATOMIC_add, shadow, at, total, (kgi_val){0});
    return;
  }
  kg_type type = kgi_type_of(b->p, total);
  if (!t->shared.i) {
    kgi_dim length = size_dim(a);
    t->shared = kgi_shared(b, kgi_ad_free_name(a, "", "partial"), type, length);
  }
  t->lane = kgi_id_value(b, KGI_ID_local_index, 0);
  t->size = size_value(a);
  t->level = kgi_ad_free_name(a, "", "level");
  kgi_reduce_tree(b, t, KGI_OP_add, total);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, t->lane, kgi_u32(b, 0)));
  kgi_atomic_op(b, KGI_ATOMIC_add, shadow, at, kgi_load(b, t->shared, t->lane), (kgi_val){0});
  kgi_end(b);
}

void kgi_ad_flush_slots(kgi_ad *a) {
  kgi_tree trees[2] = {{.half = ""}, {.half = ""}}; /* for f32 and f64 */
  for (uint32_t s = 0; s < a->slot_count; s++) {
    const kgi_ad_slot *slot = &a->slot[s];
    unsigned type = slot->object ? a->p->scope.object[slot->object].type : a->p->scope.param[slot->param].type;
    if (a->b->status == KG_OK) flush(a, slot, &trees[type == KG_F64]);
  }
}
