/* Lengths and limits as expressions in 64 bits: of a kernel, for which a host has found that nothing overflows, or of that host. */
#include "c/emit.h"

#include <inttypes.h>

static const char *bad(kgi_c_emit *e) {
  kgi_c_refuse(e, KG_REFUSED);
  return "0";
}

static const char *leaf(kgi_c_emit *e, const kgi_c_dims *d, const kgi_dim_node *n) {
  if (n->op == KGI_DIM_INT && n->imm == INT64_MIN) return "INT64_MIN";
  if (n->op == KGI_DIM_INT) return kgi_c_format(e, "INT64_C(%" PRId64 ")", n->imm);
  if (n->op == KGI_DIM_LEN) return d->length(e, d->names, n->a);
  if (n->op == KGI_DIM_PARAM) return d->param(e, d->names, n->a);
  if (n->op == KGI_DIM_INDEX && d->host) return kgi_c_format(e, "kg_k%u", n->a);
  if (n->op != KGI_DIM_SPEC) return bad(e);
  const kgi_spec *spec = &d->scope->spec[n->a];
  int64_t value = spec->type == KG_I32 ? (int64_t)(int32_t)spec->bits : (int64_t)spec->bits;
  return kgi_c_format(e, "INT64_C(%" PRId64 ")", value);
}

const char *kgi_c_dim_of(kgi_c_emit *e, const kgi_c_dims *d, kgi_dim dim) {
  const kgi_dim_node *n = &d->scope->dim[dim.i];
  static const char *const names[] = {[KGI_DIM_ADD] = "+", [KGI_DIM_SUB] = "-", [KGI_DIM_MUL] = "*", [KGI_DIM_DIV] = "kg_dim_div",
                                      [KGI_DIM_MOD] = "kg_dim_mod", [KGI_DIM_MIN] = "kg_dim_min", [KGI_DIM_MAX] = "kg_dim_max"};
  static const char *const checked[] = {[KGI_DIM_ADD] = "kg_size_add", [KGI_DIM_SUB] = "kg_size_sub", [KGI_DIM_MUL] = "kg_size_mul",
                                        [KGI_DIM_DIV] = "kg_size_div", [KGI_DIM_MOD] = "kg_size_mod"};
  if (n->op < KGI_DIM_ADD) return leaf(e, d, n);
  const char *a = kgi_c_dim_of(e, d, (kgi_dim){n->a}), *b = kgi_c_dim_of(e, d, (kgi_dim){n->b});
  if (d->host && n->op < KGI_DIM_MIN) return kgi_c_format(e, "%s(kg_h, %s, %s)", checked[n->op], a, b);
  if (n->op <= KGI_DIM_MUL) return kgi_c_format(e, "(%s %s %s)", a, names[n->op], b);
  return kgi_c_format(e, "%s(%s, %s)", names[n->op], a, b);
}

/* ---- of the kernel ---- */

static const char *kernel_length(kgi_c_emit *e, const void *names, uint32_t i) {
  (void)names;
  return kgi_c_format(e, "(int64_t)kg_n%u", i);
}

static const char *kernel_param(kgi_c_emit *e, const void *names, uint32_t i) {
  (void)names;
  unsigned type = e->p->scope.param[i].type;
  bool narrow = kgi_type_kind_of(type) == KGI_SINT && kgi_type_bits(type) == 32;
  return kgi_c_format(e, "(int64_t)%skg_p%u", narrow ? "(int32_t)" : "", i);
}

const char *kgi_c_dim(kgi_c_emit *e, kgi_dim dim) {
  return kgi_c_dim_of(e, &(kgi_c_dims){.scope = &e->p->scope, .length = kernel_length, .param = kernel_param}, dim);
}
