/* The validator's view of ranges: bounds of the right type, and at least one value between them. */
#include "foundation/ir/validate.h"

static bool malformed(kgi_checker *c, kgi_pos pos, const char *what) {
  KGI_FAULT(c, malformed, pos, what);
  return false;
}

/* A bound is an integer expression; for a float it may also be a single number. */
static bool bound_fits(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, kg_type type, kgi_dim d, kgi_pos pos) {
  if (!d.i || d.i >= s->dim_count) return malformed(c, pos, "a range without its bounds");
  if (facts[d.i].indices) return malformed(c, pos, "a range that depends on a repeat");
  return (kgi_is_float(type) && facts[d.i].size == 1) || kgi_check_dim(c, s, facts, d, false, "a range", pos);
}

/* The bits of a bound that nobody can change. False: it has none, or (told here) they do not fit the type. */
static bool constant_bound(kgi_checker *c, const kgi_scope *s, kg_type type, kgi_dim d, kgi_pos pos, uint64_t *bits) {
  const kgi_dim_node *n = &s->dim[d.i];
  if (n->op != KGI_DIM_INT && n->op != KGI_DIM_FLOAT) return false;
  if (kgi_dim_eval_bits(s, d, &(kgi_dim_env){0}, type, bits) == KGI_DIM_OK) return true;
  KGI_FAULT(c, literal_range, pos, KGI_NUM(n->imm), kg_type_name(type));
  return false;
}

static bool is_nan(kg_type type, uint64_t bits) {
  double x = kgi_is_float(type) ? kgi_bits_to_double(type, bits) : 0;
  return x != x;
}

void kgi_check_range(kgi_checker *c, const kgi_scope *s, const kgi_dim_fact *facts, kg_type type, const kgi_dim bounds[2],
                     kgi_str name, kgi_pos pos) {
  uint64_t bits[2];
  bool known[2];
  for (unsigned i = 0; i < 2; i++) {
    if (!bound_fits(c, s, facts, type, bounds[i], pos)) return;
    known[i] = constant_bound(c, s, type, bounds[i], pos, &bits[i]);
  }
  bool empty = known[0] && known[1] && !kgi_bits_less(type, bits[0], bits[1]);
  for (unsigned i = 0; i < 2; i++) empty |= known[i] && is_nan(type, bits[i]);
  if (empty) KGI_FAULT(c, range_empty, pos, kgi_string(c->m, name));
}
