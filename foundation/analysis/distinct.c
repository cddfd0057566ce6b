#include "foundation/analysis/digits.h"
#include "foundation/analysis/distinct.h"
#include "foundation/analysis/distinct_search.h"
#include "foundation/analysis/ranges.h"
#include "foundation/ir/place.h"
#include "foundation/ir/slices.h"

/* ---- equations ---- */

static void equate(kgi_pair *q, kgi_poly a, kgi_poly b, bool exact, unsigned depth);

/* What of it is another word for each word of its operand, where the other operand is one for t and u; 0: it is none such. */
static uint32_t permuted(const kgi_pair *q, uint32_t value) {
  const kgi_inst *inst = &q->d->p->inst[value];
  if (inst->kind != KGI_op || (inst->type != KG_U32 && inst->type != KG_I32)) return 0;
  if (inst->op == KGI_OP_not || inst->op == KGI_OP_reverse_bits) return inst->arg[0];
  if (inst->op == KGI_OP_rotl || inst->op == KGI_OP_rotr) return kgi_is_common(q, inst->arg[1]) ? inst->arg[0] : 0;
  if (inst->op != KGI_OP_xor) return 0;
  return kgi_is_common(q, inst->arg[1]) ? inst->arg[0] : kgi_is_common(q, inst->arg[0]) ? inst->arg[1] : 0;
}

/* Of global_id, who has the quotient by what divides the size of a workgroup has the workgroup; and who has the remainder by a multiple of the
 * size has the lane. As unsigned words: global_id does not wrap. */
static void agree_part(kgi_pair *q, const kgi_digit *g, uint32_t value) {
  kgi_poly of = kgi_poly_of_value(q->d->p, (kgi_val){g->of}, q->d->size);
  uint32_t atom = kgi_poly_is_atom(&of), axis = atom - KGI_ATOM_GLOBAL;
  int64_t size, by;
  if (atom < KGI_ATOM_GLOBAL || axis >= 3 || q->d->p->inst[value].type != KG_U32 || g->near != g->of) return;
  if (!kgi_poly_is_int(&q->d->size[axis], &size) || !kgi_poly_is_int(g->top ? &g->weight : &g->size, &by) || size < 1 || by < 1) return;
  if (g->top && size % by == 0) q->group |= (uint8_t)(1u << axis);
  if (!g->top && by % size == 0) q->local |= (uint8_t)(1u << axis);
}

/* Numbers of which digits are known, once others of local_id are. */
static void agree_across(kgi_pair *q, uint32_t local, unsigned depth) {
  const kgi_program *p = q->d->p;
  kgi_poly of = kgi_poly_of_value(p, (kgi_val){local}, q->d->size), f;
  uint32_t atom = kgi_poly_is_atom(&of);
  kgi_digit g;
  if (atom < KGI_ATOM_LOCAL || atom >= KGI_ATOM_LOCAL + 3) return;
  for (unsigned k = 0; k < q->agreed_count; k++) {
    if (!kgi_digit_of(p, q->agreed[k], q->d->size, &g)) continue;
    f = kgi_poly_of_value(p, (kgi_val){g.of}, q->d->size);
    if (kgi_poly_is_atom(&f) == atom - KGI_ATOM_LOCAL + KGI_ATOM_GLOBAL && kgi_is_known(q, g.of)) equate(q, f, f, false, depth - 1);
  }
}

/* Who has all digits of a number has the number. */
static void agree_digit(kgi_pair *q, uint32_t value, unsigned depth) {
  const kgi_program *p = q->d->p;
  kgi_digit g;
  kgi_poly own;
  uint32_t of = depth ? permuted(q, value) : 0;
  if (of) own = kgi_poly_of_value(p, (kgi_val){of}, q->d->size), equate(q, own, own, false, depth - 1);
  if (!depth || q->agreed_count >= KGI_LIMIT(distinct_digits) || !kgi_digit_of(p, value, q->d->size, &g)) return;
  for (unsigned k = 0; k < q->agreed_count; k++)
    if (q->agreed[k] == value) return;
  q->agreed[q->agreed_count++] = value;
  agree_part(q, &g, value);
  agree_across(q, g.of, depth);
  if (!g.top && p->inst[value].type == KG_U32 && kgi_goes_round(q, g.near, &g.size, &own)) equate(q, own, own, true, depth - 1);
  for (unsigned k = 0; k < (g.of == g.near ? 1u : 2u); k++) {
    uint32_t number = k ? g.of : g.near;
    kgi_poly f = kgi_poly_of_value(p, (kgi_val){number}, q->d->size);
    if (kgi_is_known(q, number)) equate(q, f, f, false, depth - 1);
  }
}

static void agree(kgi_pair *q, uint32_t atom, unsigned depth) {
  if (atom < KGI_ATOM_FIRST) agree_digit(q, atom, depth);
  if (atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_LOCAL) q->group |= (uint8_t)(1u << (atom - KGI_ATOM_GROUP));
  if (atom >= KGI_ATOM_LOCAL && atom < KGI_ATOM_GLOBAL) q->local |= (uint8_t)(1u << (atom - KGI_ATOM_LOCAL));
  if (atom == KGI_ATOM_LOCAL_INDEX) q->local = 7;
  if (atom == KGI_ATOM_LANE || atom == KGI_ATOM_SUBGROUP) q->subgroup |= atom == KGI_ATOM_LANE ? 1 : 2;
  if (q->subgroup == 3) q->local = 7;
  if (atom < KGI_ATOM_GLOBAL || atom >= KGI_ATOM_LOCAL_INDEX) return;
  q->group |= (uint8_t)(1u << (atom - KGI_ATOM_GLOBAL));
  q->local |= (uint8_t)(1u << (atom - KGI_ATOM_GLOBAL));
}

/* Takes away what is the same on both sides. */
static void cancel(const kgi_pair *q, kgi_poly *a, kgi_poly *b) {
  for (uint32_t k = 0; k < a->count;) {
    kgi_poly term = {.count = 1, .t = {a->t[k]}};
    uint32_t n = 0;
    while (n < b->count && (b->t[n].c != a->t[k].c || kgi_term_compare(b->t[n].atom, a->t[k].atom))) n++;
    if (n == b->count || !kgi_term_is_common(q, &a->t[k])) {
      k++;
    } else {
      *a = kgi_poly_add(a, &term, -1), *b = kgi_poly_add(b, &term, -1);
    }
  }
}

/* f = s * x + r with 0 <= r < s. Of s * i + s - 1 - k the remainder is s - 1 - k, and not -1 - k. */
static bool split_one(const kgi_pair *q, unsigned side, const kgi_poly *f, const kgi_term *s, kgi_poly *x, kgi_poly *r) {
  kgi_poly factor = {.count = 1, .t = {*s}}, one = kgi_poly_int(1);
  kgi_poly_split(f, s, x, r);
  if (kgi_fits(q, side, r, &factor)) return true;
  *x = kgi_poly_add(x, &one, -1), *r = kgi_poly_add(r, &factor, 1);
  return !x->failed && kgi_fits(q, side, r, &factor);
}

/* Where r lies in [0, s) on both sides, x and r are equal on both sides. */
static bool split_both(kgi_pair *q, const kgi_poly *a, const kgi_poly *b, const kgi_term *s, unsigned depth) {
  kgi_poly x[2], r[2];
  int64_t first, second;
  if (s->c < 1 || (s->c == 1 && !s->atom[0])) return false;
  if (!split_one(q, 0, a, s, &x[0], &r[0]) || !split_one(q, 1, b, s, &x[1], &r[1])) return false;
  if (kgi_poly_is_int(&x[0], &first) && kgi_poly_is_int(&x[1], &second) && first == second) return false; /* r is no less than before */
  equate(q, x[0], x[1], true, depth - 1);
  equate(q, r[0], r[1], true, depth - 1);
  return true;
}

/* The part of a term that t and u have in common. */
static kgi_term common_factor(const kgi_pair *q, const kgi_term *t) {
  kgi_term s = {.c = t->c < 0 && t->c > INT64_MIN ? -t->c : t->c};
  unsigned n = 0;
  for (unsigned k = 0; k < KGI_DEGREE && t->atom[k]; k++)
    if (kgi_is_common(q, t->atom[k])) s.atom[n++] = t->atom[k];
  return s;
}

/* What multiplies the atom in f; failed where that is not common. */
static kgi_poly cofactor(const kgi_pair *q, const kgi_poly *f, uint32_t atom) {
  kgi_poly sum = kgi_poly_int(0);
  kgi_term single = {.c = 1, .atom = {atom}};
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = {.count = 1};
    if (!kgi_term_divide(&f->t[k], &single, &term.t[0])) continue;
    if (!kgi_term_is_common(q, &term.t[0])) sum.failed = true;
    sum = kgi_poly_add(&sum, &term, 1);
  }
  return sum;
}

/* As split_both, with a sum for s: rows with a border are m + 2 apart. */
static bool split_by_digit(kgi_pair *q, const kgi_poly *a, const kgi_poly *b, uint32_t digit, unsigned depth) {
  kgi_poly s = cofactor(q, a, digit), other = cofactor(q, b, digit), x = kgi_poly_atom(digit);
  if (s.count < 2 || !kgi_poly_equal(&s, &other)) return false;
  kgi_poly product = kgi_poly_mul(&s, &x), r[2] = {kgi_poly_add(a, &product, -1), kgi_poly_add(b, &product, -1)};
  if (!kgi_fits(q, 0, &r[0], &s) || !kgi_fits(q, 1, &r[1], &s)) return false;
  equate(q, x, x, true, depth - 1);
  equate(q, r[0], r[1], true, depth - 1);
  return true;
}

static bool split_somehow(kgi_pair *q, const kgi_poly *a, const kgi_poly *b, unsigned depth) {
  for (uint32_t k = 0; k < a->count + b->count; k++) {
    kgi_term s = common_factor(q, k < a->count ? &a->t[k] : &b->t[k - a->count]);
    if (split_both(q, a, b, &s, depth)) return true;
  }
  for (uint32_t k = 0; k < a->count; k++)
    for (unsigned n = 0; n < KGI_DEGREE && a->t[k].atom[n]; n++)
      if (!kgi_is_common(q, a->t[k].atom[n]) && split_by_digit(q, a, b, a->t[k].atom[n], depth)) return true;
  return false;
}

/* f = m + r with 0 <= r < s, where m is a multiple of s for all that is known. */
static bool part_multiples(const kgi_pair *q, unsigned side, const kgi_poly *f, int64_t s, kgi_poly *m, kgi_poly *r) {
  kgi_poly whole = kgi_poly_int(s);
  kgi_part_multiples(q, side, f, s, m, r);
  return !m->failed && kgi_fits(q, side, r, &whole);
}

/* As split_both, for a power of two: m and r are equal on both sides even where the sums wrap, as wrapping takes off a multiple. */
static bool split_multiples(kgi_pair *q, const kgi_poly *a, const kgi_poly *b, bool exact, unsigned depth) {
  kgi_poly m[2], r[2];
  for (uint32_t k = 0; k < a->count + b->count; k++) {
    unsigned side = k >= a->count;
    int64_t s = kgi_term_multiple(q, side, side ? &b->t[k - a->count] : &a->t[k]);
    if (s < 2 || !part_multiples(q, 0, a, s, &m[0], &r[0]) || !part_multiples(q, 1, b, s, &m[1], &r[1])) continue;
    if ((!r[0].count && !r[1].count) || (kgi_poly_is_int(&m[0], &s) && kgi_poly_is_int(&m[1], &s))) continue; /* nothing is taken apart */
    equate(q, m[0], m[1], exact, depth - 1);
    equate(q, r[0], r[1], true, depth - 1);
    return true;
  }
  return false;
}

/* index = from + step * trip. Loops do not wrap, so that it holds exactly where from is a word as it stands, or as its polynomial; else modulo
 * 2^32, and `exact` becomes false. */
static bool by_trip(const kgi_pair *q, unsigned side, uint32_t loop, kgi_poly *index, bool *exact) {
  const kgi_inst *inst = &q->d->p->inst[loop];
  kgi_poly step, trip = kgi_poly_atom(KGI_ATOM_TRIP + loop);
  *exact = kgi_loop_begins(q, side, loop, index);
  if (!*exact && (index->failed || (inst->type != KG_U32 && inst->type != KG_I32))) return false;
  if (!kgi_loop_steps(q, side, loop, &step)) return false;
  step = kgi_poly_mul(&step, &trip);
  *index = kgi_poly_add(index, &step, 1);
  return true;
}

/* index = base + offset, and offset = first + step * trip, of a loop that goes from base + first to base + end. */
static bool by_offset(const kgi_pair *q, unsigned side, uint32_t loop, kgi_poly *index, bool *exact) {
  kgi_poly first, offset = kgi_poly_atom(KGI_ATOM_OFFSET + loop), from;
  if (!kgi_loop_base(q, loop, index, &first) || !kgi_loop_begins(q, side, loop, &from)) return false;
  *index = kgi_poly_add(index, &offset, 1), *exact = true;
  return kgi_is_sum(q, side, &first);
}

/* What `atom` is of its loop's trip, or of its offset. */
static bool look_into(const kgi_pair *q, unsigned side, uint32_t atom, bool offset, kgi_poly *index, bool *exact) {
  kgi_poly base, first;
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_OFFSET) {
    if (offset || !by_trip(q, side, atom - KGI_ATOM_OFFSET, index, exact) || !kgi_loop_base(q, atom - KGI_ATOM_OFFSET, &base, &first)) return false;
    *index = kgi_poly_add(index, &base, -1);
    return true;
  }
  if (!atom || !kgi_is_loop_index(q, atom) || kgi_is_common(q, atom)) return false;
  return offset ? by_offset(q, side, atom, index, exact) : by_trip(q, side, atom, index, exact);
}

static bool expand(const kgi_pair *q, unsigned side, bool offset, kgi_poly *f, bool *exact) {
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly index, old = {.count = 1, .t = {f->t[k]}}, without = kgi_poly_add(f, &old, -1);
    bool exactly;
    if (f->t[k].atom[1] || !look_into(q, side, f->t[k].atom[0], offset, &index, &exactly)) continue;
    kgi_poly with = kgi_poly_add(&without, &index, f->t[k].c);
    if (with.failed) continue;
    *f = with, *exact &= exactly;
    return true;
  }
  return false;
}

/* The loops' indices, on both sides, as something else. */
static void equate_expanded(kgi_pair *q, kgi_poly a, kgi_poly b, bool exact, bool offset, unsigned depth) {
  bool expanded = expand(q, 0, offset, &a, &exact);
  if (expand(q, 1, offset, &b, &exact) || expanded) equate(q, a, b, exact, depth - 1);
}

/* The x of a * x - b * (x % s), which rises with x where b < a, so that who has it has x; it is not negative, and no more than a * x. 0: it is
 * no such number, or may be none of what its word says. */
static uint32_t rising(const kgi_pair *q, const kgi_poly *f, bool exact) {
  for (uint32_t k = 0; f->count == 2 && k < 2; k++) {
    const kgi_term *x = &f->t[k], *rest = &f->t[1 - k];
    kgi_poly most = {.count = 1, .t = {*x}}, of;
    kgi_digit g;
    int64_t size;
    if (x->atom[1] || rest->atom[1] || x->c <= 0 || rest->c >= 0 || x->c <= -rest->c || rest->atom[0] >= KGI_ATOM_FIRST) continue;
    if (!kgi_digit_of(q->d->p, rest->atom[0], q->d->size, &g) || g.top || q->d->p->inst[rest->atom[0]].type != KG_U32) continue;
    of = kgi_poly_of_value(q->d->p, (kgi_val){g.near}, q->d->size);
    if (!kgi_poly_is_int(&g.size, &size) || size < 1 || kgi_poly_is_atom(&of) != x->atom[0]) continue;
    bool natural = x->atom[0] && kgi_not_negative(q, 0, x->atom[0]) && kgi_not_negative(q, 1, x->atom[0]);
    if (natural && (exact || (kgi_is_word(q, 0, &most) && kgi_is_word(q, 1, &most)))) return x->atom[0];
  }
  return 0;
}

/* From a = b, as integers where `exact`, else modulo 2^32, draws what it can. */
static void equate(kgi_pair *q, kgi_poly a, kgi_poly b, bool exact, unsigned depth) {
  int64_t x, y;
  if (!depth || a.failed || b.failed || q->apart) return;
  kgi_poly whole[2] = {a, b};
  exact = exact || (kgi_is_word(q, 0, &a) && kgi_is_word(q, 1, &b));
  cancel(q, &a, &b);
  if (kgi_poly_is_int(&a, &x) && kgi_poly_is_int(&b, &y)) {
    q->apart |= exact ? x != y : (uint32_t)x != (uint32_t)y;
    return;
  }
  uint32_t risen = kgi_poly_equal(&a, &b) ? rising(q, &a, exact) : 0;
  if (risen) {
    kgi_poly x = kgi_poly_atom(risen);
    equate(q, x, x, true, depth - 1);
  }
  bool alike = kgi_poly_equal(&a, &b) && a.count == 1 && !a.t[0].atom[1];
  /* An odd factor has an inverse modulo 2^32, so that it does not matter whether the product wraps. */
  if (alike && (exact || a.t[0].c % 2) && (a.t[0].atom[0] & KGI_ATOM_KIND) != KGI_ATOM_TRIP) agree(q, a.t[0].atom[0], depth);
  /* Of n - 1 - k: who has it has k. */
  if (alike && (exact || a.t[0].c % 2) && a.t[0].atom[0] < KGI_ATOM_FIRST && kgi_is_loop_index(q, a.t[0].atom[0]) && !kgi_poly_is_atom(&whole[0])) {
    kgi_poly index = kgi_poly_atom(a.t[0].atom[0]);
    equate(q, index, index, true, depth - 1);
  }
  exact = exact || (kgi_is_word(q, 0, &a) && kgi_is_word(q, 1, &b));
  /* What is common may be what keeps the rest from being negative: 7 of 8 * i + 7 - k. */
  bool split = exact && split_somehow(q, &whole[0], &whole[1], depth), same = kgi_poly_equal(&a, &whole[0]);
  if (exact && !same && split_somehow(q, &a, &b, depth)) split = true;
  if (!split) split = split_multiples(q, &whole[0], &whole[1], exact, depth) || (!same && split_multiples(q, &a, &b, exact, depth));
  if (split) return;
  equate_expanded(q, whole[0], whole[1], exact, true, depth);
  equate_expanded(q, whole[0], whole[1], exact, false, depth);
}

/* Both accesses are guarded by `id == value`, of one value. */
static void equate_guards(kgi_pair *q) {
  for (const kgi_fact *f = q->facts[0]; f; f = f->next)
    for (const kgi_fact *g = f->kind == KGI_FACT_EQUAL ? q->facts[1] : NULL; g; g = g->next) {
      bool common = g->kind == KGI_FACT_EQUAL && g->atom == f->atom && kgi_poly_equal(&f->poly, &g->poly);
      for (uint32_t k = 0; common && k < f->poly.count; k++) common = kgi_term_is_common(q, &f->poly.t[k]);
      if (common) agree(q, f->atom, KGI_LIMIT(distinct_depth));
    }
}

/* ---- accesses ---- */

/* Axes along which a workgroup, or a grid, is one wide need no agreement. */
static bool all_axes(const kgi_pair *q) {
  for (unsigned axis = 0; axis < 3; axis++) {
    int64_t size;
    bool single = q->mode == KGI_IN_DISPATCH ? q->d->lone_group[axis] : kgi_poly_is_int(&q->d->size[axis], &size) && size == 1;
    if (!single && !((q->mode == KGI_IN_DISPATCH ? q->group : q->local) >> axis & 1)) return false;
  }
  return true;
}

/* A loop's index that is the index of both along a dimension: once it has told what it can, what is made of it is common to both. */
static void agree_index(kgi_pair *q, const kgi_poly *i, const kgi_poly *j) {
  uint32_t atom = kgi_poly_is_atom(i);
  if (!atom || atom != kgi_poly_is_atom(j) || !kgi_is_loop_index(q, atom) || q->agreed_count >= KGI_LIMIT(distinct_digits)) return;
  q->agreed[q->agreed_count++] = atom;
}

/* One element has one index along each dimension: each is below its extent, so that words that are equal are equal numbers. */
static void equate_places(kgi_pair *q, uint32_t x, uint32_t y) {
  const kgi_program *p = q->d->p;
  const kgi_poly *length = q->length;
  kgi_digits a, b;
  if (!kgi_place_of(p, x, &a) || !kgi_place_of(p, y, &b)) return;
  for (unsigned k = 0; k < p->scope.object[p->inst[x].arg[0]].rank; k++) {
    kgi_poly extent = kgi_poly_of_value(p, (kgi_val){p->inst[a.link[k]].arg[2]}, q->d->size);
    kgi_poly i = kgi_poly_of_value(p, (kgi_val){a.value[k]}, q->d->size), j = kgi_poly_of_value(p, (kgi_val){b.value[k]}, q->d->size);
    q->length = &extent, q->is_extent = true;
    kgi_search_forget(q->d->search);
    equate(q, i, j, false, KGI_LIMIT(distinct_depth));
    agree_index(q, &i, &j);
  }
  q->length = length, q->is_extent = false;
  kgi_search_forget(q->d->search);
}

static bool is_apart(const kgi_distinct *d, kgi_pair_mode mode, const kgi_access *x, const kgi_access *y, const kgi_poly *length) {
  kgi_pair q = {.d = d, .mode = mode, .facts = {x->facts, y->facts}, .length = length};
  if (mode == KGI_IN_INTERVAL && !kgi_accesses_meet(d, x->inst, y->inst, &q.locked)) return true;
  kgi_search_begin(d->search);
  equate_guards(&q);
  equate_places(&q, x->inst, y->inst);
  equate(&q, x->index, y->index, false, KGI_LIMIT(distinct_depth));
  bool apart = q.apart || all_axes(&q);
  if (!apart) d->search->vain += d->search->spent;
  kgi_search_end(d->search);
  return apart;
}

unsigned kgi_compare_accesses(const kgi_distinct *d, const kgi_access *x, const kgi_access *y, const kgi_poly *length, unsigned wanted) {
  const kgi_object *o = &d->p->scope.object[d->p->inst[x->inst].arg[0]];
  const unsigned workgroup = KGI_OWN_IN_WORKGROUP | KGI_OWN_IN_INTERVAL;
  unsigned own = 0;
  if (wanted & workgroup && is_apart(d, KGI_IN_WORKGROUP, x, y, length)) own = workgroup;
  else if (wanted & KGI_OWN_IN_INTERVAL && is_apart(d, KGI_IN_INTERVAL, x, y, length)) own = KGI_OWN_IN_INTERVAL;
  if (wanted & KGI_OWN_ACROSS && (o->space == KGI_SHARED || is_apart(d, KGI_IN_DISPATCH, x, y, length))) own |= KGI_OWN_ACROSS;
  return own & wanted;
}

bool kgi_may_meet(const kgi_distinct *d, uint32_t access, uint32_t other) {
  unsigned locked;
  return kgi_accesses_meet(d, access, other, &locked);
}

bool kgi_is_one_group(const kgi_distinct *d, bool surely) {
  bool one = true;
  for (unsigned axis = 0; axis < 3; axis++) {
    int64_t count;
    bool some = d->lone_group[axis] || (kgi_poly_is_int(&d->invocations[axis], &count) && count > 0);
    one &= d->most_groups[axis] <= 1 && (some || !surely);
  }
  return one;
}

bool kgi_may_return(const kgi_distinct *d) { return d->returns; }

/* ---- preparation ---- */

static bool is_one(const kgi_scope *s, kgi_dim d) { return !d.i || (s->dim[d.i].op == KGI_DIM_INT && s->dim[d.i].imm == 1); }

static bool runs_lone(const kgi_distinct *d, const kgi_item *run, unsigned axis) {
  if (run && kgi_dim_is_set(run->grid)) return is_one(&d->m->scope, run->grid[axis]);
  return kgi_dim_is_set(d->p->grid) && is_one(&d->p->scope, d->p->grid[axis]);
}

/* (n + size - 1) / size, if it is among the lengths: as many workgroups as n invocations take. */
static kgi_poly rounded_up(const kgi_distinct *d, const kgi_poly *invocations, const kgi_poly *size) {
  const kgi_scope *s = &d->p->scope;
  kgi_poly most = kgi_poly_int(-1), found = {.failed = true};
  int64_t by;
  most = kgi_poly_add(&most, invocations, 1), most = kgi_poly_add(&most, size, 1);
  for (uint32_t k = 1; k < s->dim_count && found.failed && kgi_poly_is_int(size, &by); k++) {
    if (s->dim[k].op != KGI_DIM_DIV || s->dim[s->dim[k].b].op != KGI_DIM_INT || s->dim[s->dim[k].b].imm != by) continue;
    kgi_poly top = kgi_poly_of_dim(s, (kgi_dim){s->dim[k].a});
    if (kgi_poly_equal(&top, &most)) found = kgi_poly_of_dim(s, (kgi_dim){k});
  }
  return found;
}

/* A length of the module in terms of the program: what the run binds to params, lengths of what it binds whole. */
static kgi_poly of_run(const kgi_distinct *d, uint32_t item, kgi_dim dim) {
  const kgi_scope *s = &d->m->scope, *own = &d->p->scope;
  const kgi_dim_node *n = &s->dim[dim.i];
  uint32_t end = kgi_buffer_end(own);
  const uint32_t *bind = d->m->bind + d->m->item[item].binding;
  for (uint32_t q = 1; q < own->param_count; q++)
    if (bind[end - 1 + q - 1] == dim.i) return kgi_poly_atom(KGI_ATOM_PARAM + q);
  for (uint32_t o = 1; o < end && n->op == KGI_DIM_LEN; o++)
    if (bind[o - 1] == n->a && !own->object[o].length.i && !own->object[o].scalar && !kgi_is_slice(kgi_run_slice(d->m, item, o)))
      return kgi_poly_atom(KGI_ATOM_LEN + o);
  if (n->op == KGI_DIM_INT) return kgi_poly_int(n->imm);
  if (n->op != KGI_DIM_ADD && n->op != KGI_DIM_SUB && n->op != KGI_DIM_MUL) return (kgi_poly){.failed = true};
  kgi_poly a = of_run(d, item, (kgi_dim){n->a}), b = of_run(d, item, (kgi_dim){n->b});
  return n->op == KGI_DIM_MUL ? kgi_poly_mul(&a, &b) : kgi_poly_add(&a, &b, n->op == KGI_DIM_ADD ? 1 : -1);
}

/* By name, which copies share that take the program's place while plans are made: whoever found no run would go by the program's own grid. */
static bool is_run(const kgi_distinct *d, const kgi_item *item) {
  return item->kind == KGI_ITEM_RUN && d->m->program[item->program]->name.i == d->p->name.i;
}

/* How many workgroups, or invocations, the run has along the axis; 0: of no run, the program's own grid says so. */
static kgi_poly grid_of(const kgi_distinct *d, uint32_t item, unsigned axis, bool *invocations) {
  const kgi_item *run = &d->m->item[item];
  bool own = !item || !kgi_dim_is_set(run->grid);
  kgi_dim count = own ? d->p->grid[axis] : run->grid[axis];
  *invocations = own ? d->p->grid_is_invocations : run->grid_is_invocations;
  if (own && !kgi_dim_is_set(d->p->grid)) return (kgi_poly){.failed = true};
  if (!count.i) return kgi_poly_int(1);
  return own ? kgi_poly_of_dim(&d->p->scope, count) : of_run(d, item, count);
}

static void take_grid(kgi_distinct *d, uint32_t item, bool first) {
  for (unsigned axis = 0; axis < 3; axis++) {
    bool invocations;
    kgi_poly count = grid_of(d, item, axis, &invocations), *to = invocations ? &d->invocations[axis] : &d->grid[axis];
    if (first) *to = count;
    else if (to->failed || count.failed || !kgi_poly_equal(to, &count)) d->invocations[axis].failed = d->grid[axis].failed = true;
  }
}

/* The grid is known where all runs give the same one, in terms of what they bind to the program's params and buffers. */
static void find_grid(kgi_distinct *d) {
  bool own = kgi_dim_is_set(d->p->grid);
  uint32_t runs = 0;
  for (unsigned axis = 0; axis < 3; axis++) {
    d->lone_group[axis] = true;
    d->grid[axis] = d->invocations[axis] = (kgi_poly){.failed = true};
  }
  for (uint32_t i = 1; i < d->m->item_count; i++) {
    const kgi_item *item = &d->m->item[i];
    if (!is_run(d, item)) continue;
    own &= !kgi_dim_is_set(item->grid);
    take_grid(d, i, !runs++);
    for (unsigned axis = 0; axis < 3; axis++) d->lone_group[axis] &= runs_lone(d, item, axis);
  }
  d->own_grid = own;
  if (!runs) take_grid(d, 0, true);
  for (unsigned axis = 0; axis < 3; axis++) {
    if (!runs) d->lone_group[axis] = runs_lone(d, NULL, axis);
    d->rounded[axis] = rounded_up(d, &d->invocations[axis], &d->size[axis]);
  }
}

/* The most workgroups along an axis that a grid has; hosts refuse those of 2^32 invocations along one. */
static int64_t most_of_grid(const kgi_distinct *d, const kgi_scope *s, const kgi_dim grid[3], bool invocations, unsigned axis) {
  int64_t size = 1;
  bool known = kgi_poly_is_int(&d->size[axis], &size) && size > 0;
  int64_t most = (int64_t)UINT32_MAX / (known ? size : 1);
  if (!kgi_dim_is_set(grid)) return most;
  kgi_range range = grid[axis].i ? kgi_range_of_dim(s, grid[axis]) : (kgi_range){1, 1, true};
  if (!range.known || range.hi < 0 || range.hi > (int64_t)UINT32_MAX) return most;
  int64_t count = invocations && known ? range.hi / size + (range.hi % size != 0) : range.hi;
  return count < most ? count : most;
}

/* Of the program's own grid, or of all that its runs give. */
static void find_most_groups(kgi_distinct *d, unsigned axis) {
  const kgi_program *p = d->p;
  int64_t own = most_of_grid(d, &p->scope, p->grid, p->grid_is_invocations, axis), most = 0;
  bool run = false;
  for (uint32_t i = 1; i < d->m->item_count; i++) {
    const kgi_item *item = &d->m->item[i];
    if (!is_run(d, item)) continue;
    int64_t count = kgi_dim_is_set(item->grid) ? most_of_grid(d, &d->m->scope, item->grid, item->grid_is_invocations, axis) : own;
    run = true;
    if (count > most) most = count;
  }
  d->most_groups[axis] = run ? most : own;
}

kg_status kgi_distinct_make(kgi_arena *arena, const kg_module *m, const kgi_program *p, kgi_distinct **out) {
  kgi_distinct *d = kgi_arena_alloc(arena, 1, sizeof *d);
  if (!d) return KG_NO_MEMORY;
  *d = (kgi_distinct){.arena = arena, .m = m, .p = p, .search = kgi_arena_alloc(arena, 1, sizeof *d->search)};
  if (!d->search) return KG_NO_MEMORY;
  kgi_sizes_of(p, d->size);
  find_grid(d);
  for (unsigned axis = 0; axis < 3; axis++) find_most_groups(d, axis);
  if (kgi_uniformity_of(arena, p, &d->uniform) != KG_OK || !kgi_facts_collect(d)) return KG_NO_MEMORY;
  *out = d;
  return KG_OK;
}
