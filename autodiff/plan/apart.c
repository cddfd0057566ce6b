/* What a run loads, and what runs behind it store to: slices of one buffer are told apart, as in a history of states,
 *
 *   repeat k in 0 .. steps { run step(x = h[k * n .. (k + 1) * n], y = h[(k + 1) * n .. (k + 2) * n]) }
 *
 * where no round stores to what it or one before it has loaded. Bounds are read as polynomials over params and indices of repeats;
 * what is none of these is not told apart. */
#include "autodiff/plan/schedule.h"
#include "foundation/analysis/linear.h"
#include "foundation/ir/slices.h"

/* Beside params: the index of the repeat around a run, and how far a later round's index is from it. Neither is negative. */
enum { INDEX = KGI_ATOM_FIRST - 1, OTHER_INDEX = KGI_ATOM_FIRST - 2, DISTANCE = KGI_ATOM_FIRST - 3 };

typedef struct bounds { kgi_poly from, to; } bounds;

/* ---- bounds ---- */

static kgi_poly failure(void) { return (kgi_poly){.failed = true}; }

/* `repeat`: whose index is read as `index`. */
static kgi_poly read(const kgi_ad_module *g, kgi_dim dim, uint32_t repeat, const kgi_poly *index) {
  const kgi_dim_node *n = &g->m->scope.dim[dim.i];
  bool sums = n->op == KGI_DIM_ADD || n->op == KGI_DIM_SUB;
  if (n->op == KGI_DIM_INDEX) return n->a == repeat ? *index : failure();
  if (!sums && n->op != KGI_DIM_MUL) return kgi_poly_of_dim(&g->m->scope, dim);
  kgi_poly a = read(g, (kgi_dim){n->a}, repeat, index), b = read(g, (kgi_dim){n->b}, repeat, index);
  return n->op == KGI_DIM_MUL ? kgi_poly_mul(&a, &b) : kgi_poly_add(&a, &b, n->op == KGI_DIM_ADD ? 1 : -1);
}

static bool is_unsigned_param(const kgi_ad_module *g, uint32_t atom) {
  uint32_t q = atom - KGI_ATOM_PARAM;
  return (atom & KGI_ATOM_KIND) == KGI_ATOM_PARAM && kgi_type_kind_of(g->m->scope.param[q].type) == KGI_UINT;
}

/* A sum of products of numbers that are not negative. */
static bool not_negative(const kgi_ad_module *g, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++) {
    if (f->t[k].c < 0) return false;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      uint32_t atom = f->t[k].atom[n];
      if (atom != INDEX && atom != OTHER_INDEX && atom != DISTANCE && !is_unsigned_param(g, atom)) return false;
    }
  }
  return !f->failed;
}

static bool is_below(const kgi_ad_module *g, const kgi_poly *low, const kgi_poly *high) {
  kgi_poly gap = kgi_poly_add(high, low, -1);
  return not_negative(g, &gap);
}

/* ---- rounds ---- */

/* The one repeat around the run; 0: there is none. False: there are several, or its index may be negative. */
static bool find_repeat(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t *repeat) {
  kgi_poly none = kgi_poly_int(0);
  *repeat = g->parent[r->item];
  if (!*repeat) return true;
  kgi_poly from = read(g, g->m->item[*repeat].from, 0, &none);
  return !g->parent[*repeat] && not_negative(g, &from);
}

/* The index in the same round or in a later one; `later`: in a later one. Steps are at least 1. */
static kgi_poly later_index(const kgi_item *repeat, bool later) {
  kgi_poly index = kgi_poly_atom(INDEX), distance = kgi_poly_atom(DISTANCE), one = kgi_poly_int(later);
  distance = kgi_poly_add(&distance, &one, 1);
  return kgi_poly_add(&index, &distance, repeat->reversed ? -1 : 1);
}

static bounds bounds_of(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, uint32_t repeat, const kgi_poly *index) {
  kgi_slice slice = kgi_run_slice(g->m, r->item, object);
  if (!kgi_is_slice(slice)) return (bounds){failure(), failure()};
  return (bounds){read(g, slice.from, repeat, index), read(g, slice.to, repeat, index)};
}

/* What `other` has of the buffer is past the one end of the slice, or past the other, whenever it runs after r. A run comes after itself
 * in later rounds. */
static bool is_apart(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object, const kgi_ad_run *other, uint32_t theirs) {
  uint32_t repeat, around;
  if (kgi_ad_bound(g, r, object) != kgi_ad_bound(g, other, theirs)) return false;
  if (!find_repeat(g, r, &repeat) || !find_repeat(g, other, &around)) return false;
  kgi_poly index = kgi_poly_atom(INDEX), second = kgi_poly_atom(OTHER_INDEX);
  if (repeat && repeat == around) second = later_index(&g->m->item[repeat], other->order <= r->order);
  bounds own = bounds_of(g, r, object, repeat, &index), stored = bounds_of(g, other, theirs, around, &second);
  return is_below(g, &own.to, &stored.from) || is_below(g, &stored.to, &own.from);
}

bool kgi_ad_overwrites(const kgi_ad_module *g, const kgi_ad_run *other, const kgi_ad_run *r, uint32_t object) {
  uint32_t memory = g->blocks.of[kgi_ad_bound(g, r, object)];
  for (uint32_t o = 1; o < kgi_buffer_end(&other->ad.f.p->scope); o++) {
    bool stored = other->ad.f.object[o].writes && g->blocks.of[kgi_ad_bound(g, other, o)] == memory;
    if (stored && !is_apart(g, r, object, other, o)) return true;
  }
  return false;
}
