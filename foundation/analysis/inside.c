#include "foundation/analysis/inside.h"
#include "foundation/analysis/distinct_pair.h"
#include "foundation/ir/place.h"

/* A guard compares the number itself with the extent. */
static bool is_compared(const kgi_pair *q, const kgi_poly *f, const kgi_poly *extent) {
  uint32_t atom = kgi_poly_is_atom(f);
  for (const kgi_fact *g = atom && kgi_atom_is_unsigned(q->d, atom) ? q->facts[0] : NULL; g; g = g->next)
    if (g->kind == KGI_FACT_BELOW_SIGNED && g->atom == atom && kgi_poly_equal(&g->poly, extent)) return true;
  return false;
}

static bool is_inside(const kgi_distinct *d, uint32_t access, unsigned k, const kgi_fact *facts) {
  const kgi_inst *inst = &d->p->inst[access];
  const kgi_object *o = &d->p->scope.object[inst->arg[0]];
  kgi_pair q = {.d = d, .mode = KGI_IN_DISPATCH, .facts = {facts, facts}};
  kgi_digits place;
  bool is_place = kgi_place_of(d->p, access, &place);
  kgi_poly f = kgi_poly_of_value(d->p, (kgi_val){is_place ? place.value[k] : inst->arg[1]}, d->size), extent;
  if (is_place) extent = kgi_poly_of_value(d->p, (kgi_val){d->p->inst[place.link[k]].arg[2]}, d->size);
  else extent = o->length.i ? kgi_poly_of_dim(&d->p->scope, o->length) : kgi_poly_atom(KGI_ATOM_LEN + inst->arg[0]);
  q.length = &extent;
  return kgi_fits(&q, 0, &f, &extent) || is_compared(&q, &f, &extent); /* the extent is below 2^32, so that nothing wraps */
}

bool kgi_is_inside(const kgi_distinct *d, uint32_t access, unsigned k, uint32_t loop) { return is_inside(d, access, k, d->facts[loop]); }

bool kgi_is_inside_here(const kgi_distinct *d, uint32_t access) {
  unsigned rank = d->p->scope.object[d->p->inst[access].arg[0]].rank, k = 0;
  while (k < (rank ? rank : 1) && is_inside(d, access, k, d->in_front[access])) k++;
  return k == (rank ? rank : 1);
}

bool kgi_is_part_below(const kgi_distinct *d, uint32_t access, const kgi_poly *part, const kgi_poly *below) {
  kgi_pair q = {.d = d, .mode = KGI_IN_DISPATCH, .facts = {d->facts[access], d->facts[access]}};
  kgi_poly length = kgi_length_of(d, d->p->inst[access].arg[0]);
  q.length = &length;
  return kgi_fits(&q, 0, part, below);
}
