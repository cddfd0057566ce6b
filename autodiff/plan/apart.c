/* What a run loads, and what runs behind it store to: slices of one buffer are told apart, as in a history of states,
 *
 *   repeat k in 0 .. steps { run step(x = h[k * n .. (k + 1) * n], y = h[(k + 1) * n .. (k + 2) * n]) }
 *
 * where no round stores to what it or one before it has loaded. Bounds are read as polynomials over params and indices of repeats;
 * what is none of these is not told apart. Where the runs bind the buffer whole, rows.c looks at their indices. */
#include "autodiff/plan/apart.h"
#include "foundation/ir/slices.h"

typedef struct bounds { kgi_poly from, to; } bounds;

/* ---- bounds ---- */

static kgi_poly failure(void) { return (kgi_poly){.failed = true}; }

kgi_poly kgi_ad_read_dim(const kgi_ad_module *g, kgi_dim dim, uint32_t repeat, const kgi_poly *index) {
  const kgi_dim_node *n = &g->m->scope.dim[dim.i];
  bool sums = n->op == KGI_DIM_ADD || n->op == KGI_DIM_SUB;
  if (n->op == KGI_DIM_INDEX) return n->a == repeat ? *index : failure();
  if (!sums && n->op != KGI_DIM_MUL) return kgi_poly_of_dim(&g->m->scope, dim);
  kgi_poly a = kgi_ad_read_dim(g, (kgi_dim){n->a}, repeat, index), b = kgi_ad_read_dim(g, (kgi_dim){n->b}, repeat, index);
  return n->op == KGI_DIM_MUL ? kgi_poly_mul(&a, &b) : kgi_poly_add(&a, &b, n->op == KGI_DIM_ADD ? 1 : -1);
}

static bool is_unsigned_param(const kgi_ad_module *g, uint32_t atom) {
  uint32_t q = atom - KGI_ATOM_PARAM;
  return (atom & KGI_ATOM_KIND) == KGI_ATOM_PARAM && kgi_type_kind_of(g->m->scope.param[q].type) == KGI_UINT;
}

bool kgi_ad_not_negative(const kgi_ad_module *g, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++) {
    if (f->t[k].c < 0) return false;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      uint32_t atom = f->t[k].atom[n];
      if (atom != KGI_AD_INDEX && atom != KGI_AD_OTHER_INDEX && atom != KGI_AD_DISTANCE && !is_unsigned_param(g, atom)) return false;
    }
  }
  return !f->failed;
}

bool kgi_ad_is_below(const kgi_ad_module *g, const kgi_poly *low, const kgi_poly *high) {
  kgi_poly gap = kgi_poly_add(high, low, -1);
  return kgi_ad_not_negative(g, &gap);
}

/* ---- rounds ---- */

/* The one repeat around the run; 0: there is none. False: there are several, or its index may be negative. */
static bool find_repeat(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t *repeat) {
  kgi_poly none = kgi_poly_int(0);
  *repeat = g->parent[r->item];
  if (!*repeat) return true;
  kgi_poly from = kgi_ad_read_dim(g, g->m->item[*repeat].from, 0, &none);
  return !g->parent[*repeat] && kgi_ad_not_negative(g, &from);
}

/* The index in the same round or in a later one; `later`: in a later one. Steps are at least 1. */
static kgi_poly later_index(const kgi_item *repeat, bool later) {
  kgi_poly index = kgi_poly_atom(KGI_AD_INDEX), distance = kgi_poly_atom(KGI_AD_DISTANCE), one = kgi_poly_int(later);
  distance = kgi_poly_add(&distance, &one, 1);
  return kgi_poly_add(&index, &distance, repeat->reversed ? -1 : 1);
}

/* `other` in a round in which it runs after r does in its own. A run comes after itself in later rounds. */
static bool find_rounds(const kgi_ad_module *g, kgi_ad_run *r, kgi_ad_run *other, kgi_ad_round *first, kgi_ad_round *second) {
  *first = (kgi_ad_round){.run = r, .index = kgi_poly_atom(KGI_AD_INDEX)};
  *second = (kgi_ad_round){.run = other, .index = kgi_poly_atom(KGI_AD_OTHER_INDEX)};
  if (!find_repeat(g, r, &first->repeat) || !find_repeat(g, other, &second->repeat)) return false;
  if (first->repeat && first->repeat == second->repeat) second->index = later_index(&g->m->item[first->repeat], other->order <= r->order);
  return true;
}

/* ---- slices ---- */

static bounds bounds_of(const kgi_ad_module *g, const kgi_ad_round *x, uint32_t object) {
  kgi_slice slice = kgi_run_slice(g->m, x->run->item, object);
  if (!kgi_is_slice(slice)) return (bounds){failure(), failure()};
  return (bounds){kgi_ad_read_dim(g, slice.from, x->repeat, &x->index), kgi_ad_read_dim(g, slice.to, x->repeat, &x->index)};
}

/* What the second has of the buffer is past the one end of the first one's slice, or past the other. */
static bool are_slices_apart(const kgi_ad_module *g, const kgi_ad_round *first, uint32_t object, const kgi_ad_round *second, uint32_t theirs) {
  bounds own = bounds_of(g, first, object), stored = bounds_of(g, second, theirs);
  return kgi_ad_is_below(g, &own.to, &stored.from) || kgi_ad_is_below(g, &stored.to, &own.from);
}

/* ---- runs ---- */

static bool is_apart(kgi_ad_module *g, kgi_ad_run *r, uint32_t object, kgi_ad_run *other, uint32_t theirs, bool stores) {
  kgi_ad_round first, second;
  if (kgi_ad_bound(g, r, object) != kgi_ad_bound(g, other, theirs) || !find_rounds(g, r, other, &first, &second)) return false;
  return are_slices_apart(g, &first, object, &second, theirs) || kgi_ad_rows_apart(g, &first, object, &second, theirs, stores);
}

bool kgi_ad_overwrites(kgi_ad_module *g, kgi_ad_run *other, kgi_ad_run *r, uint32_t object, bool stores) {
  uint32_t memory = g->blocks.of[kgi_ad_bound(g, r, object)];
  for (uint32_t o = 1; o < kgi_buffer_end(&other->ad.f.p->scope); o++) {
    bool stored = other->ad.f.object[o].writes && g->blocks.of[kgi_ad_bound(g, other, o)] == memory;
    if (stored && !is_apart(g, r, object, other, o, stores)) return true;
  }
  return false;
}
