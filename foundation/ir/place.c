#include "foundation/ir/place.h"

kgi_val kgi_extent_value(kgi_builder *b, kgi_obj object, unsigned k) {
  const kgi_scope *s = &b->p->scope;
  const kgi_dim_node *n = &s->dim[s->object[object.i].extent[k].i];
  if (n->op == KGI_DIM_INT && n->imm >= 0 && n->imm <= (int64_t)KGI_MAX_EXTENT) return kgi_u32(b, (uint32_t)n->imm);
  if (n->op == KGI_DIM_PARAM && s->param[n->a].type == KG_U32) return kgi_param_value(b, n->a);
  if (n->op == KGI_DIM_SPEC && s->spec[n->a].type == KG_U32) return kgi_spec_value(b, n->a);
  return kgi_len_leaf(b, object, k + 1);
}

kgi_val kgi_place(kgi_builder *b, kgi_obj object, const kgi_val *index, unsigned count) {
  kgi_val row = kgi_u32(b, 0);
  for (unsigned k = 0; k < count && b->status == KG_OK; k++) {
    kg_type type = kgi_type_of(b->p, index[k]);
    if (!kgi_is_int(type)) {
      KGI_DIAG(b->diags, index_type, b->pos, kg_type_name(type));
      return kgi_fail(b, KG_INVALID), (kgi_val){0};
    }
    kgi_val extent = kgi_extent_value(b, object, k);
    row = kgi_op3(b, KGI_OP_flat_index, index[k], row, extent);
  }
  return row;
}

static bool is_extent(const kgi_program *p, uint32_t object, unsigned k, uint32_t value) {
  const kgi_scope *s = &p->scope;
  const kgi_inst *v = &p->inst[value];
  const kgi_dim extent = s->object[object].extent[k];
  const kgi_dim_node *n = &s->dim[extent.i];
  if (v->kind == KGI_literal) return n->op == KGI_DIM_INT && n->imm == (int64_t)kgi_literal_bits(v);
  if (v->kind == KGI_param) return n->op == KGI_DIM_PARAM && n->a == v->arg[0];
  if (v->kind == KGI_spec) return n->op == KGI_DIM_SPEC && n->a == v->arg[0];
  return v->kind == KGI_len && v->arg[1] && s->object[v->arg[0]].extent[v->arg[1] - 1].i == extent.i;
}

bool kgi_place_read(const kgi_program *p, uint32_t object, uint32_t index, kgi_digits *out) {
  unsigned rank = p->scope.object[object].rank;
  uint32_t at = index;
  for (unsigned k = rank; k-- > 0; at = p->inst[at].arg[1]) {
    const kgi_inst *link = &p->inst[at];
    if (link->kind != KGI_op || link->op != KGI_OP_flat_index || !is_extent(p, object, k, link->arg[2])) return false;
    out->link[k] = at, out->value[k] = link->arg[0];
  }
  return rank && p->inst[at].kind == KGI_literal && !kgi_literal_bits(&p->inst[at]);
}

bool kgi_place_is_own(const kgi_program *p, uint32_t object, const kgi_digits *place) {
  for (unsigned k = 0; k < p->scope.object[object].rank; k++) {
    const kgi_inst *extent = &p->inst[p->inst[place->link[k]].arg[2]];
    if (extent->kind == KGI_len && (extent->arg[0] != object || extent->arg[1] != k + 1)) return false;
  }
  return true;
}

bool kgi_place_of(const kgi_program *p, uint32_t access, kgi_digits *out) {
  const kgi_inst *inst = &p->inst[access];
  return inst->arg[1] && kgi_place_read(p, inst->arg[0], inst->arg[1], out);
}
