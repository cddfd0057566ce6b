/* Contributions to one element that is the same for a whole workgroup: gathered in a var over the program, and at its end summed over the
 * workgroup and added, or stored, by one of its invocations. */
#include "autodiff/emit/emit.h"
#include "foundation/ir/reduce.h"

void kgi_ad_declare_sums(kgi_emission *e) {
  for (uint32_t s = 0; s < e->a->sum_count; s++) {
    const kgi_ad_sum *sum = &e->a->sum[s];
    if (!sum->object) continue; /* a param's adjoint is that of its value */
    kg_type type = kgi_ad_type(e->p->scope.object[sum->object].type);
    e->sum_var[s] = kgi_var(e->b, kgi_ad_free_name(e, "grad_", kgi_ad_object_name(e->a, sum->object)), type, (kgi_dim){0});
    kgi_store(e->b, e->sum_var[s], (kgi_val){0}, kgi_float(e->b, type, 0));
  }
}

static kgi_val total_of(kgi_emission *e, uint32_t s) {
  const kgi_ad_sum *sum = &e->a->sum[s];
  if (sum->object) return kgi_load(e->b, e->sum_var[s], (kgi_val){0});
  uint32_t value = e->f->param_value[sum->param];
  kgi_val total = {e->adj[value]};
  bool lacking = !total.i && sum->way == KGI_AD_SUM_STORED; /* nothing is contributed, and that is what is stored */
  if (!(e->a->flags[value] & KGI_AD_CROSS)) return lacking ? kgi_float(e->b, kgi_ad_type(e->p->scope.param[sum->param].type), 0) : total;
  kgi_val rest = kgi_load(e->b, e->adj_var[value], (kgi_val){0});
  return total.i ? kgi_op2(e->b, KGI_OP_add, rest, total) : rest;
}

kgi_val kgi_ad_workgroup_invocations(kgi_emission *e) {
  kgi_val size = {0};
  for (unsigned k = 0; k < 3; k++) {
    const kgi_dim_node *n = &e->p->scope.dim[e->p->workgroup[k].i];
    if (!e->p->workgroup[k].i || (n->op == KGI_DIM_INT && n->imm == 1)) continue;
    kgi_val x = kgi_id_value(e->b, KGI_ID_workgroup_size, k);
    size = size.i ? kgi_op2(e->b, KGI_OP_mul, size, x) : x;
  }
  return size.i ? size : kgi_u32(e->b, 1);
}

/* The number of invocations in a workgroup; 0: not known here. */
static int64_t workgroup_size(const kgi_emission *e) {
  int64_t size = 1;
  for (unsigned k = 0; k < 3; k++) {
    const kgi_dim_node *n = &e->p->scope.dim[e->p->workgroup[k].i];
    if (!e->p->workgroup[k].i) continue;
    if (n->op != KGI_DIM_INT || n->imm <= 0 || n->imm > 65536) return 0;
    size *= n->imm;
  }
  return size;
}

static kgi_val size_value(kgi_emission *e) {
  int64_t size = workgroup_size(e);
  return size ? kgi_u32(e->b, (uint32_t)size) : kgi_ad_workgroup_invocations(e);
}

static kgi_dim size_dim(kgi_emission *e) {
  kgi_dim size = kgi_len_int(e->b, 1);
  for (unsigned k = 0; k < 3; k++)
    if (e->p->workgroup[k].i) size = kgi_len_op(e->b, KGI_DIM_MUL, size, (kgi_dim){e->dim_map[e->p->workgroup[k].i]});
  return size;
}

static void add_total(kgi_emission *e, const kgi_ad_sum *sum, kgi_val at, kgi_val total) {
  kgi_obj shadow = sum->object ? e->object[sum->object].shadow : e->param_shadow[sum->param];
  if (sum->way == KGI_AD_SUM_ADDED) total = kgi_op2(e->b, KGI_OP_add, kgi_load(e->b, shadow, at), total);
  if (sum->way != KGI_AD_SUM_ATOMIC) kgi_store(e->b, shadow, at, total);
  else if (sum->entry.tape) kgi_ad_list_contribution(e, sum->entry, shadow, at, total);
  else kgi_atomic_op(e->b, KGI_ATOMIC_add, shadow, at, total, (kgi_val){0});
}

static void flush(kgi_emission *e, uint32_t s, kgi_tree *t) {
  const kgi_ad_sum *sum = &e->a->sum[s];
  kgi_builder *b = e->b;
  kgi_val total = total_of(e, s);
  kgi_val at = sum->object ? kgi_ad_leaf(e, sum->index) : kgi_u32(b, 0);
  if (!total.i) return;
  if (workgroup_size(e) == 1) return add_total(e, sum, at, total);
  kg_type type = kgi_type_of(b->p, total);
  if (!t->shared.i) {
    kgi_dim length = size_dim(e);
    t->shared = kgi_shared(b, kgi_ad_free_name(e, "", "partial"), type, length);
  }
  t->lane = kgi_id_value(b, KGI_ID_local_index, 0);
  t->size = size_value(e);
  t->level = kgi_ad_free_name(e, "", "level");
  kgi_reduce_tree(b, t, KGI_OP_add, total);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, t->lane, kgi_u32(b, 0)));
  add_total(e, sum, at, kgi_load(b, t->shared, t->lane));
  kgi_end(b);
}

void kgi_ad_flush_sums(kgi_emission *e) {
  kgi_tree trees[2] = {{.half = ""}, {.half = ""}}; /* for f32 and f64 */
  for (uint32_t s = 0; s < e->a->sum_count; s++) {
    const kgi_ad_sum *sum = &e->a->sum[s];
    unsigned type = sum->object ? e->p->scope.object[sum->object].type : e->p->scope.param[sum->param].type;
    if (e->b->status == KG_OK) flush(e, s, &trees[type == KG_F64]);
  }
}
