/* What a run loads, and what runs behind it store to, where they bind a buffer whole, and the index of the repeat says which part each has:
 *
 *   repeat k in 0 .. steps { run step(h = h, t = k) }        h[t + 1, i] = f(h[t, i]), or h[(t + 1) * n + i] = f(h[t * n + i])
 *
 * Two indices along one dimension that are made of params differ by a number. If that only grows with the rounds between, and begins on the
 * side to which it grows, it is never 0; nor is it a multiple of 2^32, since repeats have fewer than 2^32 - 2^16 rounds.
 *
 * An index without dimensions may also be a part that params make, and another one that is below what the index of the repeat is multiplied
 * with: an interval. Intervals are held against each other as slices are. They are those of numbers, and not of words that wrap,
 * because none ends past the buffer, which is no longer than 2^32 elements. */
#include "autodiff/plan/apart.h"
#include "foundation/analysis/distinct.h"
#include "foundation/analysis/inside.h"
#include "foundation/ir/place.h"
#include "foundation/ir/slices.h"

enum { FAR = 65536 };

typedef struct interval { kgi_poly from, to; } interval;

static kgi_poly failure(void) { return (kgi_poly){.failed = true}; }

static const kgi_program *program_of(const kgi_ad_round *x) { return x->run->ad.f.p; }

/* ---- numbers ---- */

static kgi_poly passed(const kgi_ad_module *g, const kgi_ad_round *x, uint32_t param) {
  const kgi_item *item = &g->m->item[x->run->item];
  uint32_t first = item->binding + kgi_buffer_end(&g->m->program[item->program]->scope) - 1;
  return kgi_ad_read_dim(g, (kgi_dim){g->m->bind[first + param - 1]}, x->repeat, &x->index);
}

/* What a number made of the program's params is there. */
static kgi_poly in_round(const kgi_ad_module *g, const kgi_ad_round *x, const kgi_poly *f) {
  kgi_poly sum = kgi_poly_int(0);
  if (f->failed) return failure();
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly product = kgi_poly_int(f->t[k].c);
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      uint32_t atom = f->t[k].atom[n];
      if ((atom & KGI_ATOM_KIND) != KGI_ATOM_PARAM) return failure();
      kgi_poly value = passed(g, x, atom - KGI_ATOM_PARAM);
      product = kgi_poly_mul(&product, &value);
    }
    sum = kgi_poly_add(&sum, &product, 1);
  }
  return sum;
}

static kgi_poly index_of(const kgi_ad_round *x, uint32_t value) {
  kgi_poly size[3];
  kgi_sizes_of(program_of(x), size);
  return kgi_poly_of_value(program_of(x), (kgi_val){value}, size);
}

static kgi_poly of_dim(const kgi_ad_module *g, const kgi_ad_round *x, kgi_dim dim) {
  kgi_poly f = kgi_poly_of_dim(&program_of(x)->scope, dim);
  return in_round(g, x, &f);
}

/* ---- indices that are made of params ---- */

/* Whatever round the second is in, they differ, as words too. */
static bool never_equal(const kgi_poly *first, const kgi_poly *second) {
  kgi_poly gap = kgi_poly_add(second, first, -1);
  int64_t constant = 0, step = 0;
  for (uint32_t k = 0; k < gap.count; k++) {
    if (gap.t[k].atom[1] || (gap.t[k].atom[0] && gap.t[k].atom[0] != KGI_AD_DISTANCE)) return false;
    *(gap.t[k].atom[0] ? &step : &constant) = gap.t[k].c;
  }
  if (gap.failed || constant > FAR || constant < -FAR || step > 1 || step < -1) return false;
  return (constant > 0 && step >= 0) || (constant < 0 && step <= 0);
}

static bool are_indices_apart(const kgi_ad_module *g, const kgi_ad_round *first, uint32_t load, const kgi_ad_round *second, uint32_t store) {
  kgi_poly x = index_of(first, load), y = index_of(second, store);
  x = in_round(g, first, &x), y = in_round(g, second, &y);
  return never_equal(&x, &y);
}

/* ---- intervals ---- */

/* f = params + rest. */
static void part(const kgi_poly *f, kgi_poly *params, kgi_poly *rest) {
  *params = *rest = kgi_poly_int(0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = {.count = 1, .t = {f->t[k]}};
    bool made_of_params = true;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) made_of_params &= (f->t[k].atom[n] & KGI_ATOM_KIND) == KGI_ATOM_PARAM;
    *(made_of_params ? params : rest) = kgi_poly_add(made_of_params ? params : rest, &term, 1);
  }
}

/* What a param that goes by the rounds is multiplied with; failed: there is none. */
static kgi_poly row_of(const kgi_ad_module *g, const kgi_ad_round *x, const kgi_poly *params) {
  for (uint32_t q = 1; q < program_of(x)->scope.param_count; q++) {
    kgi_poly atom = kgi_poly_atom(KGI_ATOM_PARAM + q), rows = kgi_poly_int(0), value = passed(g, x, q);
    bool moves = false;
    for (uint32_t k = 0; k < value.count; k++) moves |= kgi_term_has(&value.t[k], KGI_AD_INDEX) || kgi_term_has(&value.t[k], KGI_AD_DISTANCE);
    for (uint32_t k = 0; k < params->count && moves && !value.failed; k++) {
      kgi_term factor;
      kgi_poly term = {.count = 1};
      if (!kgi_term_divide(&params->t[k], &atom.t[0], &factor)) continue;
      term.t[0] = factor;
      rows = kgi_poly_add(&rows, &term, 1);
    }
    if (rows.count) return rows;
  }
  return failure();
}

/* f with the index of the repeat at its last. */
static kgi_poly in_last_round(const kgi_ad_module *g, const kgi_ad_round *x, const kgi_poly *f) {
  kgi_ad_round last = *x;
  kgi_poly none = kgi_poly_int(0), one = kgi_poly_int(1), end = kgi_ad_read_dim(g, g->m->item[x->repeat].to, 0, &none);
  last.index = kgi_poly_add(&end, &one, -1);
  return in_round(g, &last, f);
}

/* Nor is it ever negative: the index is where the repeat begins, and what it is past that. */
static bool rises_with_rounds(const kgi_ad_module *g, const kgi_ad_round *x, const kgi_poly *f) {
  kgi_ad_round any = *x;
  kgi_poly none = kgi_poly_int(0), past = kgi_poly_atom(KGI_AD_INDEX), from = kgi_ad_read_dim(g, g->m->item[x->repeat].from, 0, &none);
  any.index = kgi_poly_add(&from, &past, 1);
  kgi_poly value = in_round(g, &any, f);
  return kgi_ad_not_negative(g, &value);
}

static bool find_facts(kgi_ad_module *g, kgi_ad_run *r) {
  if (r->distinct_of == r->ad.f.p) return true;
  kg_status status = kgi_distinct_make(&g->scratch, g->work, r->ad.f.p, &r->distinct);
  r->distinct_of = status == KG_OK ? r->ad.f.p : NULL;
  return status == KG_OK; /* the arena tells */
}

static bool find_interval(kgi_ad_module *g, const kgi_ad_round *x, uint32_t access, interval *out) {
  const kgi_program *p = program_of(x);
  const kgi_inst *inst = &p->inst[access];
  kgi_poly index = index_of(x, inst->arg[1]), params, rest;
  part(&index, &params, &rest);
  kgi_poly row = x->repeat ? row_of(g, x, &params) : failure(), length = of_dim(g, x, p->scope.object[inst->arg[0]].length);
  if (index.failed || row.failed || length.failed || !p->scope.object[inst->arg[0]].length.i) return false;
  kgi_poly end = kgi_poly_add(&params, &row, 1), last = in_last_round(g, x, &end);
  if (!rises_with_rounds(g, x, &params) || !rises_with_rounds(g, x, &row) || !kgi_ad_is_below(g, &last, &length)) return false;
  if (!find_facts(g, x->run) || !kgi_is_part_below(x->run->distinct, access, &rest, &row)) return false;
  *out = (interval){in_round(g, x, &params), in_round(g, x, &end)};
  return true;
}

static bool are_intervals_apart(kgi_ad_module *g, const kgi_ad_round *first, uint32_t load, const kgi_ad_round *second, uint32_t store) {
  interval own, stored;
  if (!find_interval(g, first, load, &own) || !find_interval(g, second, store, &stored)) return false;
  return kgi_ad_is_below(g, &own.to, &stored.from) || kgi_ad_is_below(g, &stored.to, &own.from);
}

/* ---- accesses ---- */

static bool are_accesses_apart(kgi_ad_module *g, const kgi_ad_round *first, uint32_t load, const kgi_ad_round *second, uint32_t store) {
  const kgi_program *p = program_of(first), *q = program_of(second);
  kgi_digits x, y;
  bool place = kgi_place_of(p, load, &x);
  uint32_t own = p->inst[load].arg[1], stored = q->inst[store].arg[1];
  if (place != kgi_place_of(q, store, &y) || !own || !stored) return false;
  if (!place) return are_indices_apart(g, first, own, second, stored) || are_intervals_apart(g, first, load, second, store);
  for (unsigned k = 0; k < p->scope.object[p->inst[load].arg[0]].rank; k++)
    if (are_indices_apart(g, first, x.value[k], second, y.value[k])) return true;
  return false;
}

/* Both count the elements of the buffer, which they bind whole, in the same way. */
static bool have_one_shape(const kgi_ad_module *g, const kgi_ad_round *first, uint32_t object, const kgi_ad_round *second, uint32_t theirs) {
  const kgi_object *x = &program_of(first)->scope.object[object], *y = &program_of(second)->scope.object[theirs];
  if (x->rank != y->rank || g->viewed[kgi_ad_bound(g, first->run, object)]) return false;
  bool own_slice = kgi_is_slice(kgi_run_slice(g->m, first->run->item, object));
  if (own_slice || kgi_is_slice(kgi_run_slice(g->m, second->run->item, theirs))) return false;
  for (unsigned k = 1; k < x->rank; k++) {
    kgi_poly own = of_dim(g, first, x->extent[k]), their = of_dim(g, second, y->extent[k]);
    if (own.failed || !kgi_poly_equal(&own, &their)) return false;
  }
  return true;
}

/* What a stated adjoint loads nobody knows. */
bool kgi_ad_rows_apart(kgi_ad_module *g, const kgi_ad_round *first, uint32_t object, const kgi_ad_round *second, uint32_t theirs,
                       bool stores) {
  const kgi_ad_facts *f = &first->run->ad.f, *s = &second->run->ad.f;
  uint32_t tries = 0;
  if (first->run->stated || second->run->stated || !have_one_shape(g, first, object, second, theirs)) return false;
  for (uint32_t i = f->object[object].first; i; i = f->access_next[i])
    for (uint32_t k = f->p->inst[i].kind == KGI_store && !stores ? 0 : s->object[theirs].first; k; k = s->access_next[k]) {
      if (s->p->inst[k].kind == KGI_load) continue;
      if (++tries > KGI_LIMIT(overwrite_rows) || !are_accesses_apart(g, first, i, second, k)) return false;
    }
  return true;
}
