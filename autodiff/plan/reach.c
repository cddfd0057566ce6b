/* What accesses reach (reach.h). A store reaches its elements only if it certainly runs: in the body itself, in both branches of an
 * `if` at one index, under a guard that leaves out some values of one variable, in a loop over a range that all invocations share.
 *
 * Two indices are the same element if they are equal as polynomials, since they are read modulo 2^32 alike. Ranges are compared as
 * whole numbers: a bound of a store's variable is a sum of products of what is not negative, and no more than a length, so that it
 * does not wrap; that of a load may wrap, and is then less.
 *
 * Digits of one variable v, as v / T and v % T, are independent where the weight of each is a multiple of all that the digits below come
 * to, and v has a multiple of all that they come to together: sum(digit * weight) is a value of v then, for any digits. So the divisors
 * are factors of how many values v has, as polynomials. Where there is a value, no factor is 0 and none wraps. */
#include "autodiff/plan/reach.h"
#include "foundation/analysis/digits.h"
#include "foundation/ir/place.h"

typedef struct reader {
  const kgi_ad *a;
  kgi_blk body;
  const kgi_object *object;
  kgi_poly size[3], length;
  bool exact; /* of a store */
  unsigned sums; /* that it is within: digits of sums of digits are read anew in each */
  kgi_reach *out;
} reader;

/* ---- numbers ---- */

/* Not negative, and the same for all invocations of a workgroup that compute it. */
static bool is_shared_size(const kgi_ad *a, uint32_t atom) {
  const kgi_scope *s = &a->f.p->scope;
  uint32_t kind = atom & KGI_ATOM_KIND;
  if (atom < KGI_ATOM_FIRST) return a->f.p->inst[atom].type == KG_U32 && a->same.value && a->same.value[atom] != KGI_VARYING;
  if (kind == KGI_ATOM_PARAM) return s->param[atom - KGI_ATOM_PARAM].type == KG_U32;
  if (kind == KGI_ATOM_SPEC) return s->spec[atom - KGI_ATOM_SPEC].type == KG_U32;
  if (atom == KGI_ATOM_SUBGROUP_SIZE || atom == KGI_ATOM_SUBGROUPS) return true;
  return kind == KGI_ATOM_LEN || (atom >= KGI_ATOM_GROUPS && atom < KGI_ATOM_LOCAL);
}

/* Besides, one value during a trip. Indices of loops inside are not; nor is what is computed in them. */
static bool is_fixed_atom(const reader *r, uint32_t atom) {
  const kgi_ad *a = r->a;
  if (!is_shared_size(a, atom)) return false;
  if (atom >= KGI_ATOM_FIRST || !kgi_ad_within(a, r->body, atom)) return true;
  return a->f.p->inst[atom].kind != KGI_for && a->f.block[a->f.p->inst[atom].block].loop == a->f.block[r->body].loop;
}

static bool is_fixed(const reader *r, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++)
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++)
      if (!is_fixed_atom(r, f->t[k].atom[n])) return false;
  return !f->failed;
}

/* In terms of what is left of a size of the workgroup without its first 1, which is not negative either. Of a square it is less. */
static kgi_poly without_one(const kgi_poly *f, uint32_t size) {
  kgi_poly out = *f;
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly rest = {.count = 1, .t = {{.c = f->t[k].c}}};
    unsigned times = 0, left = 0;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      if (f->t[k].atom[n] == size) times++;
      else rest.t[0].atom[left++] = f->t[k].atom[n];
    }
    if (times == 1) out = kgi_poly_add(&out, &rest, 1);
  }
  return out;
}

static bool is_sum(const kgi_ad *a, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++) {
    if (f->t[k].c < 0) return false;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++)
      if (!is_shared_size(a, f->t[k].atom[n])) return false;
  }
  return !f->failed;
}

static bool is_natural(const kgi_ad *a, const kgi_poly *f, const kgi_poly size[3]) {
  kgi_poly g = *f;
  for (unsigned k = 0; k < 3 && !is_sum(a, &g); k++) {
    uint32_t atom = kgi_poly_is_atom(&size[k]);
    bool again = (k > 0 && atom == kgi_poly_is_atom(&size[0])) || (k > 1 && atom == kgi_poly_is_atom(&size[1]));
    if (atom && !again) g = without_one(&g, atom);
  }
  return is_sum(a, &g);
}

/* In place of a `min` that is taken away, its operand `k`, which is no less. Failed: there is none, or that may be negative. */
static kgi_poly without_min(const kgi_ad *a, const kgi_poly *f, unsigned k, const kgi_poly size[3]) {
  for (uint32_t t = 0; t < f->count; t++) {
    const kgi_term *x = &f->t[t];
    const kgi_inst *min = x->atom[0] && x->atom[0] < KGI_ATOM_FIRST ? kgi_ad_inst(a, x->atom[0]) : NULL;
    if (x->c >= 0 || x->atom[1] || !min || min->kind != KGI_op || min->op != KGI_OP_min || min->type != KG_U32) continue;
    kgi_poly operand = kgi_poly_of_value(a->f.p, (kgi_val){min->arg[k]}, size), atom = kgi_poly_atom(x->atom[0]);
    kgi_poly rest = kgi_poly_add(f, &atom, -x->c);
    return is_natural(a, &operand, size) ? kgi_poly_add(&rest, &operand, x->c) : (kgi_poly){.failed = true};
  }
  return (kgi_poly){.failed = true};
}

bool kgi_reach_is_natural(const kgi_ad *a, const kgi_poly *f) {
  kgi_poly size[3];
  kgi_sizes_of(a->f.p, size);
  if (is_natural(a, f, size)) return true;
  for (unsigned k = 0; k < 2; k++) {
    kgi_poly g = without_min(a, f, k, size);
    if (is_natural(a, &g, size)) return true;
  }
  return false;
}

bool kgi_reach_is_at_most(const kgi_ad *a, const kgi_poly *x, int64_t extra, const kgi_poly *y) {
  kgi_poly one = kgi_poly_int(1), gap = kgi_poly_add(y, x, -1);
  gap = kgi_poly_add(&gap, &one, -extra);
  return kgi_reach_is_natural(a, &gap);
}

static kgi_poly read(const reader *r, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(r->a, value);
  const kgi_scope *s = &r->a->f.p->scope;
  bool declared = inst->kind == KGI_len && !inst->arg[1] && s->object[inst->arg[0]].length.i;
  return declared ? kgi_poly_of_dim(s, s->object[inst->arg[0]].length) : kgi_poly_of_value(r->a->f.p, (kgi_val){value}, r->size);
}

static kgi_poly volume(const reader *r) {
  kgi_poly area = kgi_poly_mul(&r->size[0], &r->size[1]);
  return kgi_poly_mul(&area, &r->size[2]);
}

/* ---- variables ---- */

/* An id in the workgroup, or false. */
static bool find_id(const reader *r, kgi_reach_var *v) {
  bool all = v->atom == KGI_ATOM_LOCAL_INDEX;
  if (!all && (v->atom < KGI_ATOM_LOCAL || v->atom >= KGI_ATOM_LOCAL + 3)) return false;
  v->to = all ? volume(r) : r->size[v->atom - KGI_ATOM_LOCAL];
  v->axes = all ? 7 : (uint8_t)(1u << (v->atom - KGI_ATOM_LOCAL));
  v->sure = true;
  return true;
}

static bool holds_exit(const kgi_ad *a, kgi_blk block) {
  KGI_EACH_INSIDE(a->f.p, block, i)
    if (kgi_ends(kgi_ad_inst(a, i))) return true;
  return false;
}

/* No more than the object's length, or one of its extents: it does not wrap. */
static bool is_within_an_extent(const reader *r, const kgi_poly *f) {
  bool within = kgi_reach_is_at_most(r->a, f, 0, &r->length);
  for (unsigned k = 0; k < r->object->rank && !within; k++) {
    kgi_poly extent = kgi_poly_of_dim(&r->a->f.p->scope, r->object->extent[k]);
    within = kgi_reach_is_at_most(r->a, f, 0, &extent);
  }
  return within;
}

static bool find_digit(const reader *r, kgi_reach_var *v);

/* False: there are too many. */
static bool goes_by(kgi_reach_var *v, const kgi_reach_var *other) {
  for (unsigned k = 0, n; k < KGI_REACH_LOOPS && other->loop[k]; k++) {
    for (n = 0; n < KGI_REACH_LOOPS && v->loop[n] && v->loop[n] != other->loop[k];) n++;
    if (n == KGI_REACH_LOOPS) return false;
    v->loop[n] = other->loop[k];
  }
  return true;
}

/* From 0 on in steps, the same ones for all: as many trips as there are steps below the bound, the last of which may be cut off. */
static bool find_steps(const reader *r, kgi_reach_var *v, const kgi_poly *step) {
  int64_t to, by;
  bool known = kgi_poly_is_int(step, &by);
  v->stride = *step;
  if (kgi_poly_is_one(step)) return true;
  if (known && by < 1) return false;
  if (known && kgi_poly_is_int(&v->to, &to)) return v->to = kgi_poly_int((to + by - 1) / by), true;
  kgi_poly all = v->to;
  return is_fixed(r, step) && kgi_reach_is_natural(r->a, step) && kgi_poly_divide(&all, step, &v->to);
}

/* All numbers below the bound: trip by trip, or shared by the invocations along an axis, or by all of them, or by those of each value of a
 * digit of theirs. */
static bool find_full_range(const reader *r, kgi_reach_var *v) {
  const kgi_inst *loop = kgi_ad_inst(r->a, v->atom);
  if (!kgi_ad_within(r->a, r->body, v->atom) || holds_exit(r->a, kgi_body_of(loop))) return false;
  kgi_poly from = read(r, loop->arg[0]), step = read(r, loop->arg[2]), one = kgi_poly_int(1);
  int64_t first;
  v->loop[0] = v->atom;
  v->to = read(r, loop->arg[1]);
  if (!is_fixed(r, &v->to) || !kgi_reach_is_natural(r->a, &v->to) || !is_within_an_extent(r, &v->to)) return false;
  v->sure = kgi_reach_is_at_most(r->a, &one, 0, &v->to);
  if (kgi_poly_is_int(&from, &first)) return first == 0 && find_steps(r, v, &step);
  kgi_reach_var lane = {.atom = kgi_poly_is_atom(&from)};
  if (!find_id(r, &lane)) {
    if (!find_digit(r, &lane) || !goes_by(v, &lane)) return false;
    v->base = lane.base, v->weight = lane.weight, v->above = lane.above, v->sure &= lane.sure;
  }
  v->axes = lane.axes;
  return kgi_poly_equal(&step, &lane.to);
}

/* At most a number that is not negative, or the smaller of two of which one is. */
static bool find_bound(const reader *r, uint32_t value, kgi_poly *to) {
  const kgi_inst *inst = kgi_ad_inst(r->a, value);
  kgi_poly f = read(r, value);
  if (kgi_reach_is_natural(r->a, &f)) return *to = f, true;
  if (inst->kind != KGI_op || inst->op != KGI_OP_min) return false;
  for (unsigned k = 0; k < 2; k++) {
    f = read(r, inst->arg[k]);
    if (kgi_reach_is_natural(r->a, &f)) return *to = f, true;
  }
  return false;
}

static bool find_bounds_of_loop(const reader *r, kgi_reach_var *v) {
  const kgi_inst *loop = kgi_ad_inst(r->a, v->atom);
  kgi_poly from = read(r, loop->arg[0]);
  int64_t first;
  if (kgi_poly_is_int(&from, &first) && first >= 0) v->from = from;
  else if (loop->type != KG_U32) return false;
  return find_bound(r, loop->arg[1], &v->to);
}

/* What no loop counts: remainders, of what is not 0 for sure, since x % 0 is x; the smaller of two. */
static bool find_bounds_of_op(const reader *r, kgi_reach_var *v) {
  const kgi_inst *inst = kgi_ad_inst(r->a, v->atom);
  kgi_poly one = kgi_poly_int(1);
  int64_t mask;
  if (inst->kind != KGI_op || inst->type != KG_U32) return false;
  if (inst->op == KGI_OP_rem) return v->to = read(r, inst->arg[1]), kgi_reach_is_at_most(r->a, &one, 0, &v->to);
  if (inst->op == KGI_OP_min && find_bound(r, v->atom, &v->to)) return v->to = kgi_poly_add(&v->to, &one, 1), true;
  if (inst->op != KGI_OP_and) return false;
  for (unsigned k = 0; k < 2; k++) {
    kgi_poly f = read(r, inst->arg[k]);
    if (kgi_poly_is_int(&f, &mask) && mask >= 0) return v->to = kgi_poly_int(mask + 1), true;
  }
  return false;
}

static void read_digit(const reader *r, kgi_reach_digit *d, const kgi_poly *index, kgi_poly extent);
static bool are_independent(const kgi_reach *x);

static bool share_a_loop(const kgi_reach_var *x, const kgi_reach_var *y) {
  for (unsigned k = 0; k < KGI_REACH_LOOPS && x->loop[k]; k++)
    for (unsigned n = 0; n < KGI_REACH_LOOPS && y->loop[n]; n++)
      if (x->loop[k] == y->loop[n]) return true;
  return false;
}

/* A sum of variables that are its digits, as a lane and what all lanes have gone by. */
static bool find_sum(const reader *r, kgi_reach_var *v) {
  kgi_reach terms = {.rank = 1};
  reader of = *r;
  kgi_poly sum = read(r, v->atom), from;
  if (++of.sums > KGI_LIMIT(base_digits)) return false;
  of.out = &terms;
  read_digit(&of, &terms.digit[0], &sum, r->length);
  if (!terms.digit[0].known || !are_independent(&terms) || !kgi_reach_runs_through(&terms, 0, &from, &v->to)) return false;
  v->sure = true;
  for (unsigned k = 0; k < terms.vars; k++) {
    v->axes |= terms.var[k].axes, v->sure &= terms.var[k].sure;
    if (!goes_by(v, &terms.var[k])) return false;
  }
  return !from.count && is_within_an_extent(r, &v->to);
}

/* Values from 0 on, as many as a number that does not wrap. */
static bool find_base(const reader *r, kgi_reach_var *v) {
  if (find_id(r, v)) return true;
  if (v->atom >= KGI_ATOM_FIRST) return false;
  const kgi_inst *inst = kgi_ad_inst(r->a, v->atom);
  if (r->exact && inst->kind == KGI_op && inst->op == KGI_OP_add && inst->type == KG_U32) return find_sum(r, v);
  if (inst->kind != KGI_for) return false;
  if (r->exact) return find_full_range(r, v) && kgi_poly_is_one(&v->stride);
  return find_bounds_of_loop(r, v) && kgi_reach_is_natural(r->a, &v->to) && is_within_an_extent(r, &v->to);
}

/* Sums are no atoms. */
static bool find_digit_of_sum(const reader *r, uint32_t value, kgi_base_digit *out) {
  kgi_digit d;
  if (!kgi_digit_of(r->a->f.p, value, r->size, &d) || kgi_ad_inst(r->a, d.of)->op != KGI_OP_add) return false;
  *out = (kgi_base_digit){.base = d.of, .top = d.top, .weight = d.weight, .size = d.size};
  return true;
}

static bool find_digit(const reader *r, kgi_reach_var *v) {
  kgi_base_digit g;
  if (v->atom >= KGI_ATOM_FIRST) return false;
  if (!kgi_digit_of_base(r->a->f.p, v->atom, r->size, &g) && !(r->exact && find_digit_of_sum(r, v->atom, &g))) return false;
  kgi_reach_var x = {.atom = g.base, .stride = kgi_poly_int(1)};
  if (!find_base(r, &x) || !kgi_digit_values(&g, &x.to, &v->above, &v->to)) return false;
  v->base = g.base, v->weight = g.weight, v->axes = x.axes, v->sure = x.sure;
  return goes_by(v, &x);
}

/* An id, a loop's index, or in a load what is bounded in another way. */
static bool find_values(const reader *r, kgi_reach_var *v) {
  bool loop = v->atom < KGI_ATOM_FIRST && kgi_ad_inst(r->a, v->atom)->kind == KGI_for;
  if (v->atom >= KGI_ATOM_FIRST) return find_id(r, v);
  if (r->exact) return loop && find_full_range(r, v);
  return loop ? find_bounds_of_loop(r, v) : find_bounds_of_op(r, v);
}

static bool find_range(const reader *r, kgi_reach_var *v) {
  v->base = v->atom, v->weight = v->stride = kgi_poly_int(1);
  if (find_digit(r, v)) return true;
  if (!find_values(r, v)) return false;
  if (v->base == v->atom) v->above = v->to;
  return true;
}

/* UINT32_MAX: nothing is known of it. */
static uint32_t var_of(const reader *r, uint32_t atom) {
  kgi_reach_var v = {.atom = atom};
  for (uint32_t k = 0; k < r->out->vars; k++)
    if (r->out->var[k].atom == atom) return k;
  if (r->out->vars >= KGI_LIMIT(reach_vars) || !find_range(r, &v)) return UINT32_MAX;
  r->out->var[r->out->vars] = v;
  return r->out->vars++;
}

/* ---- digits ---- */

/* One variable, and else what is fixed. */
static bool add_term(const reader *r, kgi_reach_digit *d, const kgi_term *t) {
  kgi_poly rest = {.count = 1, .t = {{.c = t->c}}};
  uint32_t atom = 0, var = 0;
  for (unsigned n = 0, m = 0; n < KGI_DEGREE && t->atom[n]; n++) {
    if (is_fixed_atom(r, t->atom[n])) rest.t[0].atom[m++] = t->atom[n];
    else if (atom) return false;
    else atom = t->atom[n];
  }
  if (atom && (var = var_of(r, atom)) == UINT32_MAX) return false;
  if (atom) rest = kgi_poly_mul(&rest, &r->out->var[var].stride);
  kgi_poly *to = atom ? &d->factor[var] : &d->fixed;
  *to = kgi_poly_add(to, &rest, 1);
  return !to->failed;
}

static void read_digit(const reader *r, kgi_reach_digit *d, const kgi_poly *index, kgi_poly extent) {
  *d = (kgi_reach_digit){.extent = extent, .known = !index->failed};
  for (uint32_t k = 0; k < index->count && d->known; k++) d->known = add_term(r, d, &index->t[k]);
}

static void read_digits(const reader *r, uint32_t access) {
  kgi_digits place;
  const kgi_program *p = r->a->f.p;
  const kgi_inst *inst = &p->inst[access];
  r->out->place = kgi_place_of(p, access, &place);
  r->out->rank = r->out->place ? r->object->rank : 1;
  for (unsigned k = 0; k < r->out->rank; k++) {
    kgi_poly index = r->out->place ? read(r, place.value[k]) : inst->arg[1] ? read(r, inst->arg[1]) : kgi_poly_int(0);
    kgi_poly extent = r->out->place ? kgi_poly_of_dim(&p->scope, r->object->extent[k]) : r->length;
    read_digit(r, &r->out->digit[k], &index, extent);
  }
}

/* ---- whether a store runs ---- */

static bool same_element(const reader *r, uint32_t x, uint32_t y) {
  kgi_poly f = kgi_poly_of_index(r->a->f.p, x, r->size), g = kgi_poly_of_index(r->a->f.p, y, r->size);
  return r->a->f.p->inst[x].arg[1] == r->a->f.p->inst[y].arg[1] || kgi_poly_equal(&f, &g);
}

/* In this very block, something is stored to the element of `store`. Index chains of several dimensions are compared digit by digit. */
static bool stores_too(const reader *r, kgi_blk block, uint32_t store) {
  kgi_digits x, y;
  const kgi_program *p = r->a->f.p;
  bool place = kgi_place_of(p, store, &x);
  KGI_EACH(p, block, i) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind != KGI_store || inst->arg[0] != p->inst[store].arg[0] || kgi_place_of(p, i, &y) != place) continue;
    bool same = place || same_element(r, i, store);
    for (unsigned k = 0; place && same && k < p->scope.object[inst->arg[0]].rank; k++) {
      kgi_poly f = read(r, x.value[k]), g = read(r, y.value[k]);
      same = kgi_poly_equal(&f, &g);
    }
    if (same) return true;
  }
  return false;
}

/* `done`, what the trips before have done, is no more than `all` wherever the body runs: it is the index of a loop that ends there, or c times
 * the index of one that ends at (all + e) / c, with 0 <= e <= c: from c (index + 1) <= all + e follows c index <= all. */
static bool is_within(const reader *r, const kgi_poly *done, const kgi_poly *all) {
  const kgi_term *t = done->t;
  int64_t extra, by;
  if (!done->count) return !done->failed;
  if (done->failed || done->count > 1 || t->atom[1] || t->c < 1 || !t->atom[0] || t->atom[0] >= KGI_ATOM_FIRST) return false;
  const kgi_inst *loop = kgi_ad_inst(r->a, t->atom[0]), *to = kgi_ad_inst(r->a, loop->arg[1]);
  if (loop->kind != KGI_for || loop->type != KG_U32) return false;
  kgi_poly end = read(r, loop->arg[1]);
  if (t->c == 1 && kgi_poly_equal(&end, all)) return true;
  if (to->kind != KGI_op || to->op != KGI_OP_div) return false;
  kgi_poly top = read(r, to->arg[0]), divisor = read(r, to->arg[1]), rest = kgi_poly_add(&top, all, -1);
  return kgi_poly_is_int(&divisor, &by) && by == t->c && kgi_poly_is_int(&rest, &extra) && extra >= 0 && extra <= by;
}

/* The value min(x, y), the same for all in the trip; 0: none is computed. */
static uint32_t least_of(const reader *r, const kgi_poly *x, const kgi_poly *y) {
  const kgi_program *p = r->a->f.p;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind != KGI_op || inst->op != KGI_OP_min || inst->type != KG_U32 || !is_fixed_atom(r, i)) continue;
    kgi_poly a = read(r, inst->arg[0]), b = read(r, inst->arg[1]);
    if ((kgi_poly_equal(&a, x) && kgi_poly_equal(&b, y)) || (kgi_poly_equal(&a, y) && kgi_poly_equal(&b, x))) return i;
  }
  return 0;
}

/* `done + v < all`, as the last trip over a row has it, lets all v below all - done pass, where done is no more than all: then nothing wraps that
 * is below all. With those that v has, it is v < min(to, all - done), and loads go by that number. */
static bool narrow_last(const reader *r, const kgi_poly *sum, const kgi_poly *all) {
  for (unsigned k = 0; k < r->out->vars; k++) {
    kgi_reach_var *v = &r->out->var[k];
    if (!kgi_poly_is_one(&v->stride)) continue;
    kgi_poly own = kgi_poly_atom(v->atom), done = kgi_poly_add(sum, &own, -1), left = kgi_poly_add(all, &done, -1);
    if (done.count >= sum->count || !is_fixed(r, &done) || !is_fixed(r, all) || !is_within(r, &done, all)) continue;
    uint32_t least = least_of(r, &v->to, &left);
    if (!least) continue;
    v->to = kgi_poly_atom(least), v->sure = false, v->narrowed = true;
    return true;
  }
  return false;
}

/* Of a sum what is not taken away. */
static kgi_poly risen_of(const kgi_poly *f) {
  kgi_poly out = {.failed = f->failed};
  for (uint32_t k = 0; k < f->count; k++)
    if (f->t[k].c > 0) out.t[out.count++] = f->t[k];
  return out;
}

/* Whatever values the variables of the sum have, it is below the bound. */
static bool is_always_below(const reader *r, const kgi_poly *sum, const kgi_poly *to) {
  kgi_reach_digit d;
  read_digit(r, &d, sum, *to);
  kgi_poly most = d.fixed, one = kgi_poly_int(1);
  for (unsigned v = 0; v < r->out->vars && d.known; v++) {
    if (!d.factor[v].count) continue;
    kgi_poly last = kgi_poly_add(&r->out->var[v].to, &one, -1), high = kgi_poly_mul(&d.factor[v], &last);
    if (!kgi_reach_is_natural(r->a, &d.factor[v])) return false;
    most = kgi_poly_add(&most, &high, 1);
  }
  bool whole = is_fixed(r, to) && is_within_an_extent(r, to); /* it does not wrap, and so the sum does not */
  return d.known && whole && kgi_reach_is_natural(r->a, &d.fixed) && kgi_reach_is_at_most(r->a, &most, 1, to);
}

/* Some of a variable's values: one, or those below a bound. Of a store, the guard may let pass no more than there are. What is left of a row,
 * `v < all - done`, is `done + v < all`, for done is no more than all there. */
static bool narrow_by(const reader *r, kgi_op op, uint32_t less, uint32_t more) {
  kgi_poly low = read(r, less), to = read(r, more), one = kgi_poly_int(1);
  uint32_t atom = kgi_poly_is_atom(&low), var = atom ? var_of(r, atom) : UINT32_MAX;
  if (r->exact && op == KGI_OP_lt && is_always_below(r, &low, &to)) return true;
  if (!atom && r->exact && op == KGI_OP_lt) return narrow_last(r, &low, &to);
  if (var != UINT32_MAX && r->exact && op == KGI_OP_lt && !kgi_reach_is_natural(r->a, &to)) {
    kgi_poly all = risen_of(&to), done = kgi_poly_add(&all, &to, -1), sum = kgi_poly_add(&done, &low, 1);
    return narrow_last(r, &sum, &all);
  }
  if (var == UINT32_MAX || !is_fixed(r, &to) || !kgi_reach_is_natural(r->a, &to)) return false;
  kgi_reach_var *v = &r->out->var[var];
  if (!kgi_poly_is_one(&v->stride)) return false;
  kgi_poly from = op == KGI_OP_eq ? to : v->from, end = op == KGI_OP_eq ? kgi_poly_add(&to, &one, 1) : to;
  if (!kgi_reach_is_at_most(r->a, &v->from, 0, &from) || !kgi_reach_is_at_most(r->a, &end, 0, &v->to)) return false;
  v->sure = kgi_reach_is_at_most(r->a, &from, 1, &end);
  v->from = from, v->to = end, v->narrowed = true;
  return true;
}

static bool narrow(const reader *r, uint32_t condition) {
  const kgi_inst *inst = kgi_ad_inst(r->a, condition);
  if (inst->kind != KGI_op) return false;
  if (inst->op == KGI_OP_and && inst->type == KG_BOOL) {
    bool first = narrow(r, inst->arg[0]);
    return narrow(r, inst->arg[1]) && first;
  }
  if (r->a->f.p->inst[inst->arg[0]].type != KG_U32) return false;
  if (inst->op == KGI_OP_gt) return narrow_by(r, KGI_OP_lt, inst->arg[1], inst->arg[0]);
  return (inst->op == KGI_OP_eq || inst->op == KGI_OP_lt) && narrow_by(r, (kgi_op)inst->op, inst->arg[0], inst->arg[1]);
}

/* A loop around a store, whose index is not a digit: it has a trip at least. */
static bool runs(const reader *r, uint32_t loop) {
  uint32_t var = var_of(r, loop);
  return var != UINT32_MAX && r->out->var[var].sure;
}

static bool has_var(const kgi_reach *x, uint32_t atom) {
  for (unsigned k = 0; k < x->vars; k++)
    if (x->var[k].atom == atom || x->var[k].base == atom) return true;
  return false;
}

/* Whatever stands around it lets it run. */
static bool is_certain(const reader *r, uint32_t store) {
  const kgi_program *p = r->a->f.p;
  for (kgi_blk block = p->inst[store].block; block != r->body; block = p->inst[p->block[block].owner].block) {
    uint32_t owner = p->block[block].owner;
    const kgi_inst *inst = &p->inst[owner];
    if (inst->kind == KGI_for) {
      if (!has_var(r->out, owner) && !runs(r, owner)) return false;
    } else if (inst->kind == KGI_checkpoint) {
      continue;
    } else if (inst->kind != KGI_if) {
      return false;
    } else {
      kgi_blk other = inst->arg[1] == block ? inst->arg[2] : inst->arg[1];
      if (other && stores_too(r, other, store)) continue;
      if (inst->arg[1] != block || !narrow(r, inst->arg[0])) return false;
    }
  }
  return true;
}

/* No value of one variable keeps the other from any of its own. */
static bool are_apart(const kgi_reach_var *x, const kgi_reach_var *y) {
  kgi_poly rest;
  if (x->base != y->base) return !(x->axes & y->axes) && !share_a_loop(x, y);
  return kgi_poly_divide(&y->weight, &x->above, &rest) || kgi_poly_divide(&x->weight, &y->above, &rest);
}

static unsigned uses_of(const kgi_reach *x, unsigned v) {
  unsigned uses = 0;
  for (unsigned k = 0; k < x->rank; k++) uses += x->digit[k].factor[v].count != 0;
  return uses;
}

/* It only says that a loop has trips, which begins at one number for all: that is nothing to others. From a lane on, or from a digit of another
 * loop's index, some may have none. */
static bool is_idle(const kgi_reach *x, unsigned v) {
  const kgi_reach_var *own = &x->var[v];
  return !uses_of(x, v) && !own->narrowed && !own->axes && own->base == own->atom;
}

/* The variables take their values independently, and each is of one digit. */
static bool are_independent(const kgi_reach *x) {
  bool idle[KGI_REACH_VARS];
  for (unsigned v = 0; v < x->vars; v++) {
    unsigned uses = uses_of(x, v);
    idle[v] = is_idle(x, v);
    if (uses > 1 || (!uses && !x->var[v].sure)) return false;
    for (unsigned u = 0; u < v; u++)
      if (!idle[u] && !idle[v] && !are_apart(&x->var[u], &x->var[v])) return false;
  }
  return true;
}

/* A variable that is taken away is counted from its end instead. */
static void turn(kgi_reach *x) {
  kgi_poly one = kgi_poly_int(1);
  for (unsigned k = 0; k < x->rank; k++)
    for (unsigned v = 0; v < x->vars; v++) {
      kgi_poly *factor = &x->digit[k].factor[v], sum = kgi_poly_add(&x->var[v].from, &x->var[v].to, 1);
      int64_t value;
      if (!kgi_poly_is_int(factor, &value) || value != -1) continue;
      sum = kgi_poly_add(&sum, &one, -1);
      x->digit[k].fixed = kgi_poly_add(&x->digit[k].fixed, &sum, -1);
      *factor = one;
    }
}

/* ---- stores beside each other ---- */

static bool is_same_var(const kgi_reach_var *x, const kgi_reach_var *y) {
  return x->atom == y->atom && kgi_poly_equal(&x->from, &y->from) && kgi_poly_equal(&x->to, &y->to);
}

/* By how much `y` lies behind `x`, in one digit: d. All else is the same. */
static bool distance(const kgi_reach *x, const kgi_reach *y, unsigned *d, int64_t *out) {
  bool same = x->place == y->place && x->rank == y->rank && x->vars == y->vars;
  unsigned differ = 0;
  for (unsigned v = 0; same && v < x->vars; v++) same = is_same_var(&x->var[v], &y->var[v]);
  for (unsigned k = 0; same && k < x->rank; k++) {
    kgi_poly gap = kgi_poly_add(&y->digit[k].fixed, &x->digit[k].fixed, -1);
    int64_t n;
    if (!kgi_poly_is_int(&gap, &n)) return false;
    if (n) differ++, *d = k, *out = n;
    for (unsigned v = 0; same && v < x->vars; v++) same = kgi_poly_equal(&x->digit[k].factor[v], &y->digit[k].factor[v]);
  }
  return same && differ == 1;
}

bool kgi_reach_join(const kgi_reach *const *store, unsigned count, kgi_reach *out) {
  unsigned digit = 0, d;
  int64_t by, n;
  if (count < 2 || store[0]->vars >= KGI_LIMIT(reach_vars) || !distance(store[0], store[1], &digit, &by) || by < 1) return false;
  for (unsigned k = 2; k < count; k++)
    if (!distance(store[0], store[k], &d, &n) || d != digit || n != k * by) return false;
  *out = *store[0];
  kgi_poly one = kgi_poly_int(1);
  out->var[out->vars] = (kgi_reach_var){.to = kgi_poly_int(count), .weight = one, .above = kgi_poly_int(count), .stride = one, .sure = true};
  for (unsigned k = 0; k < out->rank; k++) out->digit[k].factor[out->vars] = (kgi_poly){0};
  out->digit[digit].factor[out->vars++] = kgi_poly_int(by);
  return true;
}

static reader begin(const kgi_ad *a, kgi_blk body, uint32_t access, bool exact, kgi_reach *out) {
  reader r = {.a = a, .body = body, .exact = exact, .out = out};
  r.object = &a->f.p->scope.object[a->f.p->inst[access].arg[0]];
  r.length = kgi_poly_of_dim(&a->f.p->scope, r.object->length);
  kgi_sizes_of(a->f.p, r.size);
  out->vars = 0;
  read_digits(&r, access);
  return r;
}

bool kgi_reach_of_store(const kgi_ad *a, kgi_blk body, uint32_t store, kgi_reach *out) {
  reader r = begin(a, body, store, true, out);
  for (unsigned k = 0; k < out->rank; k++)
    if (!out->digit[k].known) return false;
  if (!is_certain(&r, store) || !are_independent(out)) return false;
  turn(out);
  return true;
}

void kgi_reach_of_load(const kgi_ad *a, kgi_blk body, uint32_t load, kgi_reach *out) {
  reader r = begin(a, body, load, false, out);
  const kgi_program *p = a->f.p;
  for (kgi_blk block = p->inst[load].block; block != body; block = p->inst[p->block[block].owner].block) {
    const kgi_inst *inst = &p->inst[p->block[block].owner];
    if (inst->kind == KGI_if && inst->arg[1] == block) narrow(&r, inst->arg[0]);
  }
}
