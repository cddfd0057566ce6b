#include "foundation/analysis/naturals.h"

static bool is_natural(const kgi_scope *s, uint32_t atom) {
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_PARAM) return s->param[atom - KGI_ATOM_PARAM].type == KG_U32;
  return (atom & KGI_ATOM_KIND) == KGI_ATOM_SPEC && s->spec[atom - KGI_ATOM_SPEC].type == KG_U32;
}

static int64_t least_of(const kgi_naturals *n, uint32_t atom) {
  for (unsigned k = 0; k < n->count; k++)
    if (n->known[k].atom == atom) return n->known[k].least;
  return 0;
}

static void note(kgi_naturals *n, uint32_t atom, int64_t least) {
  unsigned k = 0;
  if (!is_natural(n->scope, atom) || least <= least_of(n, atom)) return;
  while (k < n->count && n->known[k].atom != atom) k++;
  if (k == KGI_NATURALS) return;
  n->known[k].atom = atom, n->known[k].least = least;
  n->count += k == n->count;
}

bool kgi_divides_length(const kgi_poly *length, uint32_t atom) {
  bool divides = length->count && !length->failed;
  for (uint32_t k = 0; k < length->count; k++) divides &= kgi_term_has(&length->t[k], atom);
  return divides;
}

void kgi_naturals_of_length(kgi_naturals *n, const kgi_scope *scope, const kgi_poly *length) {
  *n = (kgi_naturals){.scope = scope};
  for (unsigned k = 0; k < KGI_DEGREE && length->count && length->t[0].atom[k]; k++)
    if (kgi_divides_length(length, length->t[0].atom[k])) note(n, length->t[0].atom[k], 1);
}

void kgi_naturals_of_trip(kgi_naturals *n, const kgi_poly *from, const kgi_poly *to) {
  int64_t first, more = to->count && !to->t[0].atom[0] ? to->t[0].c : 0;
  kgi_poly number = kgi_poly_int(more), rest = kgi_poly_add(to, &number, -1);
  uint32_t atom = kgi_poly_is_atom(&rest);
  bool known = kgi_poly_is_int(from, &first) && first >= 0 && first <= INT32_MAX && more >= INT32_MIN && more <= INT32_MAX;
  if (known && atom && kgi_is_at_least(n, to, 0)) note(n, atom, first + 1 - more);
}

/* With least + a for each atom a, all that is left are naturals: then each product is at least 0. */
bool kgi_is_at_least(const kgi_naturals *n, const kgi_poly *f, int64_t number) {
  kgi_poly sum = kgi_poly_int(-number);
  for (uint32_t k = 0; k < f->count && !f->failed; k++) {
    kgi_poly product = kgi_poly_int(f->t[k].c);
    for (unsigned m = 0; m < KGI_DEGREE && f->t[k].atom[m]; m++) {
      kgi_poly factor = kgi_poly_atom(f->t[k].atom[m]), least = kgi_poly_int(least_of(n, f->t[k].atom[m]));
      if (!is_natural(n->scope, f->t[k].atom[m])) return false;
      factor = kgi_poly_add(&factor, &least, 1);
      product = kgi_poly_mul(&product, &factor);
    }
    sum = kgi_poly_add(&sum, &product, 1);
  }
  for (uint32_t k = 0; k < sum.count; k++)
    if (sum.t[k].c < 0) return false;
  return !f->failed && !sum.failed;
}
