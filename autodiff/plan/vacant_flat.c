/* The own element of a flat index of several ids, y * w + x for y * w + x - 1: what is left of the index is the sum of what goes by ids. They
 * are the digits of a number, of which the lowest counts for 1 and each other for a multiple of the one below; so each has as many values as go
 * into the next one, and the highest as many as the length leaves. An id below that is an element's. */
#include "autodiff/plan/homes.h"

typedef struct row { unsigned axis; kgi_poly weight, values; } row;

/* {0}: of something else than params, constants and global ids. */
static kgi_val value_of_atom(kgi_builder *b, uint32_t atom) {
  uint32_t kind = atom & KGI_ATOM_KIND, index = atom & ~KGI_ATOM_KIND;
  if (kind == KGI_ATOM_PARAM && b->p->scope.param[index].type == KG_U32) return kgi_param_value(b, index);
  if (kind == KGI_ATOM_SPEC && b->p->scope.spec[index].type == KG_U32) return kgi_spec_value(b, index);
  if (atom >= KGI_ATOM_GLOBAL && atom < KGI_ATOM_GLOBAL + 3) return kgi_id_value(b, KGI_ID_global_id, atom - KGI_ATOM_GLOBAL);
  return (kgi_val){0};
}

static kgi_val value_of_term(kgi_builder *b, const kgi_term *t) {
  kgi_val product = {0};
  if (t->c < 1 || t->c > UINT32_MAX) return product;
  for (unsigned n = 0; n < KGI_DEGREE && t->atom[n]; n++) {
    kgi_val x = value_of_atom(b, t->atom[n]);
    if (!x.i) return x;
    product = product.i ? kgi_op2(b, KGI_OP_mul, product, x) : x;
  }
  if (product.i && t->c == 1) return product;
  kgi_val by = kgi_u32(b, (uint32_t)t->c);
  return product.i ? kgi_op2(b, KGI_OP_mul, product, by) : by;
}

kgi_val kgi_home_sum(kgi_builder *b, const kgi_poly *f) {
  kgi_val sum = {0};
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_val x = value_of_term(b, &f->t[k]);
    if (!x.i) return x;
    sum = sum.i ? kgi_op2(b, KGI_OP_add, sum, x) : x;
  }
  return sum;
}

/* The parts of the index that go by an id each; 0: it is made otherwise. */
static unsigned find_rows(const kgi_poly *index, row r[3], kgi_poly *own) {
  unsigned count = 0;
  *own = kgi_poly_int(0);
  for (unsigned axis = 0; axis < 3; axis++) {
    kgi_poly id = kgi_poly_atom(KGI_ATOM_GLOBAL + axis), all = kgi_poly_int(0);
    for (uint32_t k = 0; k < index->count; k++) {
      kgi_poly one = {.count = 1, .t = {index->t[k]}};
      if (kgi_term_has(&index->t[k], KGI_ATOM_GLOBAL + axis)) all = kgi_poly_add(&all, &one, 1);
    }
    if (!all.count) continue;
    row x = {.axis = axis};
    if (all.count != 1 || !kgi_poly_divide(&all, &id, &x.weight)) return 0;
    *own = kgi_poly_add(own, &all, 1);
    r[count++] = x;
  }
  return count;
}

/* From the lowest to the highest. */
static bool put_in_order(row *r, unsigned count, const kgi_poly *length) {
  kgi_poly one = kgi_poly_int(1), rest;
  for (unsigned k = 0; k < count; k++) {
    const kgi_poly *below = k ? &r[k - 1].weight : &one;
    for (unsigned n = k; n < count; n++) {
      bool next = k ? kgi_poly_divide(&r[n].weight, below, &rest) : kgi_poly_equal(&r[n].weight, &one);
      for (unsigned other = k; other < count && next && k; other++) next = kgi_poly_divide(&r[other].weight, &r[n].weight, &rest);
      if (!next) continue;
      row x = r[k];
      r[k] = r[n], r[n] = x;
      break;
    }
    if (k ? !kgi_poly_divide(&r[k].weight, below, &r[k - 1].values) : !kgi_poly_equal(&r[0].weight, &one)) return false;
  }
  return kgi_poly_divide(length, &r[count - 1].weight, &r[count - 1].values);
}

bool kgi_vacant_flat(kgi_builder *b, uint32_t load, kgi_ad_vacant *v) {
  const kgi_inst x = b->p->inst[load];
  const kgi_object *o = &b->p->scope.object[x.arg[0]];
  kgi_poly size[3], own;
  row r[3];
  if (o->rank || !o->length.i || b->p->inst[x.arg[1]].type != KG_U32) return false;
  kgi_sizes_of(b->p, size);
  kgi_poly index = kgi_poly_of_index(b->p, load, size), length = kgi_poly_of_dim(&b->p->scope, o->length);
  unsigned count = index.failed || length.failed ? 0 : find_rows(&index, r, &own);
  if (count < 2 || !put_in_order(r, count, &length)) return false;
  kgi_val at = kgi_home_sum(b, &own), inside = {0};
  for (unsigned k = 0; k < count && at.i; k++) {
    kgi_val values = kgi_home_sum(b, &r[k].values);
    if (!values.i) return false;
    kgi_val below = kgi_op2(b, KGI_OP_lt, kgi_id_value(b, KGI_ID_global_id, r[k].axis), values);
    inside = inside.i ? kgi_op2(b, KGI_OP_and, inside, below) : below;
  }
  *v = (kgi_ad_vacant){.index = {at.i}, .count = 1, .inside = inside.i};
  return at.i;
}
