/* How many elements the contributions of a load reach, from the first on, as a length of the module (foundation/analysis/cover.c). */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"
#include "foundation/ir/dim.h"

/* An atom that the host knows; a constant of the kernel, which devices may be given another value for, is none. */
static kgi_dim length_of_atom(kgi_ad *a, uint32_t atom) {
  uint32_t kind = atom & KGI_ATOM_KIND, index = atom & ~KGI_ATOM_KIND;
  if (kind == KGI_ATOM_PARAM) return kgi_ad_param_of_run(a, index);
  return kind == KGI_ATOM_LEN ? kgi_ad_length_of_run(a, index) : (kgi_dim){0};
}

static kgi_dim length_of_poly(kgi_ad *a, const kgi_poly *f) {
  kgi_dim sum = kgi_ad_number(a, 0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_dim term = kgi_ad_number(a, f->t[k].c);
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      kgi_dim atom = length_of_atom(a, f->t[k].atom[n]);
      term = kgi_ad_length(a, KGI_DIM_MUL, term, atom);
    }
    sum = kgi_ad_length(a, KGI_DIM_ADD, sum, term);
  }
  return f->failed ? (kgi_dim){0} : sum;
}

static bool names_constants(const kgi_scope *s, kgi_dim dim) {
  const kgi_dim_node *n = &s->dim[dim.i];
  if (!dim.i || n->op < KGI_DIM_ADD) return dim.i && n->op == KGI_DIM_SPEC;
  return names_constants(s, (kgi_dim){n->a}) || names_constants(s, (kgi_dim){n->b});
}

/* The grid is what the run says, whatever constants become. Those that a workgroup's size is made of stay, since the module has several
 * programs. */
static bool has_known_grid(const kgi_ad *a) {
  for (unsigned k = 0; k < 3; k++)
    if (names_constants(&a->f.p->scope, a->f.p->grid[k])) return false;
  return true;
}

kgi_dim kgi_ad_reached(kgi_ad *a, const kgi_front *f) {
  kgi_dim least = {0}, weight = length_of_poly(a, &f->weight);
  if (!has_known_grid(a) || !weight.i) return (kgi_dim){0};
  for (unsigned k = 0; k < f->count; k++) {
    kgi_dim below = length_of_poly(a, &f->below[k]);
    if (!below.i) return below;
    least = least.i ? kgi_ad_length(a, KGI_DIM_MIN, least, below) : below;
  }
  kgi_dim along = f->all ? kgi_ad_invocations_along(a, f->all - 1u) : f->groups ? kgi_ad_workgroups_along(a, f->groups - 1u) : (kgi_dim){0};
  if (along.i) least = least.i ? kgi_ad_length(a, KGI_DIM_MIN, least, along) : along;
  return least.i ? kgi_ad_length(a, KGI_DIM_MUL, weight, least) : weight;
}
