/* Lengths and limits as expressions of the kernel, in 64 bits: a host has found that nothing overflows. */
#include "c/emit.h"

#include <inttypes.h>

static const char *leaf(kgi_c_emit *e, const kgi_dim_node *n) {
  const kgi_scope *s = &e->p->scope;
  if (n->op == KGI_DIM_INT && n->imm == INT64_MIN) return "INT64_MIN";
  if (n->op == KGI_DIM_INT) return kgi_c_format(e, "INT64_C(%" PRId64 ")", n->imm);
  if (n->op == KGI_DIM_LEN) return kgi_c_format(e, "(int64_t)kg_n%u", n->a);
  bool is_signed = kgi_type_kind_of(s->param[n->a].type) == KGI_SINT;
  if (n->op == KGI_DIM_PARAM) return kgi_c_format(e, "(int64_t)%skg_p%u", is_signed && kgi_type_bits(s->param[n->a].type) == 32 ? "(int32_t)" : "", n->a);
  if (n->op == KGI_DIM_SPEC) {
    const kgi_spec *spec = &s->spec[n->a];
    int64_t value = spec->type == KG_I32 ? (int64_t)(int32_t)spec->bits : (int64_t)spec->bits;
    return kgi_c_format(e, "INT64_C(%" PRId64 ")", value);
  }
  kgi_c_refuse(e, KG_REFUSED);
  return "0";
}

const char *kgi_c_dim(kgi_c_emit *e, kgi_dim dim) {
  const kgi_dim_node *n = &e->p->scope.dim[dim.i];
  static const char *const names[] = {[KGI_DIM_ADD] = "+", [KGI_DIM_SUB] = "-", [KGI_DIM_MUL] = "*", [KGI_DIM_DIV] = "kg_dim_div",
                                      [KGI_DIM_MOD] = "kg_dim_mod", [KGI_DIM_MIN] = "kg_dim_min", [KGI_DIM_MAX] = "kg_dim_max"};
  if (n->op < KGI_DIM_ADD) return leaf(e, n);
  const char *a = kgi_c_dim(e, (kgi_dim){n->a}), *b = kgi_c_dim(e, (kgi_dim){n->b});
  if (n->op <= KGI_DIM_MUL) return kgi_c_format(e, "(%s %s %s)", a, names[n->op], b);
  return kgi_c_format(e, "%s(%s, %s)", names[n->op], a, b);
}
