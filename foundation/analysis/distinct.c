#include "foundation/analysis/distinct.h"
#include "foundation/analysis/distinct_facts.h"
#include "foundation/ir/place.h"
#include "foundation/ir/validate.h"

/* Two accesses by different invocations, t and u, at what they claim is one element. */
typedef enum mode { IN_INTERVAL, IN_WORKGROUP, ACROSS } mode;
typedef struct pair {
  const kgi_distinct *d;
  mode mode;
  unsigned locked;              /* loops around both that are in the same trip */
  const kgi_fact *facts[2];
  const kgi_poly *length;       /* of the object; failed if not known */
  bool apart;                   /* a contradiction: they are not at one element */
  uint8_t local, group;         /* axes along which t and u have been found to agree */
} pair;

/* ---- atoms ---- */

static bool is_loop_index(const pair *q, uint32_t atom) { return atom < KGI_ATOM_FIRST && q->d->p->inst[atom].kind == KGI_for; }

/* Whether t and u see one number. */
static bool is_common(const pair *q, uint32_t atom) {
  if (atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_LOCAL) return q->mode != ACROSS;
  if (atom >= KGI_ATOM_LOCAL) return false;
  if (atom >= KGI_ATOM_FIRST) return (atom & KGI_ATOM_KIND) != KGI_ATOM_TRIP;
  unsigned loops = q->d->loops[atom] + (is_loop_index(q, atom) ? 1u : 0u);
  return loops <= q->locked && q->d->uniform.value[atom] >= (q->mode == ACROSS ? KGI_SAME_IN_DISPATCH : KGI_SAME_IN_WORKGROUP);
}

static bool term_is_common(const pair *q, const kgi_term *t) {
  for (unsigned k = 0; k < KGI_DEGREE && t->atom[k]; k++)
    if (!is_common(q, t->atom[k])) return false;
  return true;
}

static bool not_negative(const pair *q, unsigned side, uint32_t atom) {
  if (kgi_atom_is_unsigned(q->d, atom)) return true;
  for (const kgi_fact *f = q->facts[side]; f; f = f->next)
    if (f->kind == KGI_FACT_NOT_NEGATIVE && f->atom == atom) return true;
  return false;
}

/* Whether the fact bounds its atom from above, as the integer that stands for it. A signed comparison says nothing of an
 * unsigned number past 2^31. */
static bool is_bound(const pair *q, unsigned side, const kgi_fact *f) {
  if (f->kind == KGI_FACT_BELOW) return true;
  if (f->kind != KGI_FACT_BELOW_SIGNED) return false;
  if (!kgi_atom_is_unsigned(q->d, f->atom)) return true;
  for (const kgi_fact *g = q->facts[side]; g; g = g->next)
    if (g->kind == KGI_FACT_NOT_NEGATIVE && g->atom == f->atom) return true;
  return false;
}

enum { BOUNDS = KGI_MOST_distinct_bounds };

/* A shift to the right, a division, a remainder, a mask or a minimum is no more than an operand. */
static unsigned operation_bounds(const pair *q, uint32_t atom, kgi_poly out[BOUNDS]) {
  const kgi_program *p = q->d->p;
  const kgi_inst *inst = &p->inst[atom], *second = &p->inst[inst->arg[1]];
  unsigned count = 0;
  kgi_poly one = kgi_poly_int(1);
  if (inst->kind != KGI_op || inst->type != KG_U32) return 0;
  bool divides = second->kind == KGI_literal && second->arg[0], either = inst->op == KGI_OP_and || inst->op == KGI_OP_min;
  bool first = either || inst->op == KGI_OP_shr || (divides && (inst->op == KGI_OP_div || inst->op == KGI_OP_rem || inst->op == KGI_OP_mod));
  for (unsigned k = 0; k < (either ? 2u : first ? 1u : 0u); k++) {
    kgi_poly operand = kgi_poly_of_value(p, (kgi_val){inst->arg[k]}, q->d->size);
    if (!kgi_is_upper(q->d, &operand, false)) continue;
    operand = kgi_poly_add(&operand, &one, 1);
    if (!operand.failed) out[count++] = operand;
  }
  if (divides && (inst->op == KGI_OP_rem || inst->op == KGI_OP_mod)) out[count++] = kgi_poly_int(second->arg[0]);
  return count;
}

/* What the atom is less than, from whatever source. */
static unsigned find_bounds(const pair *q, unsigned side, uint32_t atom, kgi_poly out[BOUNDS]) {
  const kgi_distinct *d = q->d;
  unsigned count = 0;
  if (atom >= KGI_ATOM_LOCAL && atom < KGI_ATOM_LOCAL + 3) out[count++] = d->size[atom - KGI_ATOM_LOCAL];
  if (atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_GROUP + 3) out[count++] = d->grid[atom - KGI_ATOM_GROUP];
  if (atom >= KGI_ATOM_GLOBAL && atom < KGI_ATOM_GLOBAL + 3)
    out[count++] = kgi_poly_mul(&d->size[atom - KGI_ATOM_GLOBAL], &d->grid[atom - KGI_ATOM_GLOBAL]);
  if (atom == KGI_ATOM_LOCAL_INDEX) {
    out[count] = kgi_poly_mul(&d->size[0], &d->size[1]);
    out[count] = kgi_poly_mul(&out[count], &d->size[2]), count++;
  }
  if (count && out[count - 1].failed) count--;
  if (atom < KGI_ATOM_FIRST) count = operation_bounds(q, atom, out);
  for (const kgi_fact *f = q->facts[side]; f && count < KGI_LIMIT(distinct_bounds); f = f->next)
    if (f->atom == atom && is_bound(q, side, f)) out[count++] = f->poly;
  return count;
}

/* ---- inequalities ---- */

static bool is_size(const pair *q, uint32_t atom) {
  for (unsigned axis = 0; axis < 3; axis++)
    if (kgi_poly_is_atom(&q->d->size[axis]) == atom) return true;
  return false;
}

/* At least 1: sizes of workgroups, and what something not negative is less than. */
static bool is_positive(const pair *q, uint32_t atom) {
  if (is_size(q, atom)) return true;
  if (!is_common(q, atom)) return false;
  for (unsigned side = 0; side < 2; side++)
    for (const kgi_fact *f = q->facts[side]; f; f = f->next)
      if ((f->kind == KGI_FACT_POSITIVE && f->atom == atom) ||
          (kgi_poly_is_atom(&f->poly) == atom && is_bound(q, side, f) && not_negative(q, side, f->atom)))
        return true;
  return false;
}

/* Every term is a product of numbers that are not negative. */
static bool is_sum(const pair *q, unsigned side, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++) {
    if (f->t[k].c < 0) return false;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++)
      if (!not_negative(q, side, f->t[k].atom[n])) return false;
  }
  return !f->failed;
}

/* most < s, for every value of the atoms. */
static bool is_less(const pair *q, unsigned side, const kgi_poly *most, const kgi_poly *s) {
  kgi_poly one = kgi_poly_int(1), gap = kgi_poly_add(s, most, -1), rest = kgi_poly_add(&gap, &one, -1);
  if (gap.failed || rest.failed) return false;
  if (is_sum(q, side, &rest)) return true;
  /* A gap of one product, all of it positive. */
  if (gap.count != 1 || gap.t[0].c < 1) return false;
  for (unsigned n = 0; n < KGI_DEGREE && gap.t[0].atom[n]; n++)
    if (!is_positive(q, gap.t[0].atom[n])) return false;
  return true;
}

typedef struct fitting { const pair *q; unsigned side, tries; const kgi_poly *f, *s; } fitting;

static bool fits_from(fitting *w, uint32_t k, const kgi_poly *most);

/* With each bound of an atom of term k in place of it. */
static bool fits_bounded(fitting *w, uint32_t k, unsigned n, const kgi_poly *most) {
  kgi_term factor = w->f->t[k];
  kgi_poly bounds[BOUNDS], one = kgi_poly_int(1);
  for (unsigned m = n; m < KGI_DEGREE; m++) factor.atom[m] = m + 1 < KGI_DEGREE ? w->f->t[k].atom[m + 1] : 0;
  kgi_poly times = {.count = 1, .t = {factor}};
  unsigned count = find_bounds(w->q, w->side, w->f->t[k].atom[n], bounds);
  for (unsigned i = 0; i < count; i++) {
    kgi_poly largest = kgi_poly_add(&bounds[i], &one, -1);
    largest = kgi_poly_mul(&largest, &times);
    largest = kgi_poly_add(most, &largest, 1);
    if (!largest.failed && fits_from(w, k + 1, &largest)) return true;
  }
  return false;
}

/* Adds to `most` the largest value of the terms from k on, in every way that the bounds allow, and asks. */
static bool fits_from(fitting *w, uint32_t k, const kgi_poly *most) {
  if (w->tries++ >= KGI_LIMIT(distinct_tries)) return false;
  if (k == w->f->count) return is_less(w->q, w->side, most, w->s);
  const kgi_term *t = &w->f->t[k];
  unsigned digits = 0, digit = 0;
  for (unsigned n = 0; n < KGI_DEGREE && t->atom[n]; n++)
    if (!is_common(w->q, t->atom[n])) digits++, digit = n;
  if (digits > 1) return false;
  if (digits) return fits_bounded(w, k, digit, most);
  kgi_poly term = {.count = 1, .t = {*t}}, sum = kgi_poly_add(most, &term, 1);
  if (!sum.failed && fits_from(w, k + 1, &sum)) return true;
  return t->atom[0] && !t->atom[1] && fits_bounded(w, k, 0, most);
}

/* 0 <= f < s, as integers. */
static bool fits(const pair *q, unsigned side, const kgi_poly *f, const kgi_poly *s) {
  fitting w = {.q = q, .side = side, .f = f, .s = s};
  kgi_poly none = kgi_poly_int(0);
  return !f->failed && !s->failed && is_sum(q, side, f) && fits_from(&w, 0, &none);
}

/* 0 <= f < 2^32, so that its machine word is f itself. */
static bool is_word(const pair *q, unsigned side, const kgi_poly *f) {
  uint32_t atom = kgi_poly_is_atom(f);
  if (atom && (atom & KGI_ATOM_KIND) != KGI_ATOM_TRIP && not_negative(q, side, atom)) return true;
  kgi_poly word = kgi_poly_int(INT64_C(1) << 32), group = kgi_poly_mul(&q->d->size[0], &q->d->size[1]);
  group = kgi_poly_mul(&group, &q->d->size[2]);
  kgi_poly most = kgi_poly_int((INT64_C(1) << 32) / KGI_MAX_WORKGROUP);
  most = kgi_poly_mul(&most, &group);
  return fits(q, side, f, &word) || fits(q, side, f, q->length) || fits(q, side, f, &most);
}

/* ---- equations ---- */

static void agree(pair *q, uint32_t atom) {
  if (atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_LOCAL) q->group |= (uint8_t)(1u << (atom - KGI_ATOM_GROUP));
  if (atom >= KGI_ATOM_LOCAL && atom < KGI_ATOM_GLOBAL) q->local |= (uint8_t)(1u << (atom - KGI_ATOM_LOCAL));
  if (atom == KGI_ATOM_LOCAL_INDEX) q->local = 7;
  if (atom < KGI_ATOM_GLOBAL || atom >= KGI_ATOM_LOCAL_INDEX) return;
  q->group |= (uint8_t)(1u << (atom - KGI_ATOM_GLOBAL));
  q->local |= (uint8_t)(1u << (atom - KGI_ATOM_GLOBAL));
}

/* Takes away what is the same on both sides. */
static void cancel(const pair *q, kgi_poly *a, kgi_poly *b) {
  for (uint32_t k = 0; k < a->count;) {
    kgi_poly term = {.count = 1, .t = {a->t[k]}};
    uint32_t n = 0;
    while (n < b->count && (b->t[n].c != a->t[k].c || kgi_term_compare(b->t[n].atom, a->t[k].atom))) n++;
    if (n == b->count || !term_is_common(q, &a->t[k])) {
      k++;
    } else {
      *a = kgi_poly_add(a, &term, -1), *b = kgi_poly_add(b, &term, -1);
    }
  }
}

/* t = factor * quotient, where the factor divides it. */
static bool divide(const kgi_term *t, const kgi_term *factor, kgi_term *quotient) {
  kgi_term out = {.c = t->c / factor->c};
  unsigned n = 0, k = 0;
  if (t->c % factor->c) return false;
  for (unsigned m = 0; m < KGI_DEGREE && t->atom[m]; m++) {
    if (k < KGI_DEGREE && factor->atom[k] == t->atom[m]) k++;
    else out.atom[n++] = t->atom[m];
  }
  if (k < KGI_DEGREE && factor->atom[k]) return false;
  *quotient = out;
  return true;
}

/* f = s * x + r. A literal goes to both by its own division. */
static void split(const kgi_poly *f, const kgi_term *s, kgi_poly *x, kgi_poly *r) {
  *x = *r = kgi_poly_int(0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = {.count = 1, .t = {f->t[k]}};
    if (!f->t[k].atom[0] && !s->atom[0]) {
      int64_t low = f->t[k].c % s->c, high = f->t[k].c / s->c;
      if (low < 0) low += s->c, high--;
      kgi_poly a = kgi_poly_int(high), b = kgi_poly_int(low);
      *x = kgi_poly_add(x, &a, 1), *r = kgi_poly_add(r, &b, 1);
    } else if (divide(&f->t[k], s, &term.t[0])) {
      *x = kgi_poly_add(x, &term, 1);
    } else {
      *r = kgi_poly_add(r, &term, 1);
    }
  }
}

static void equate(pair *q, kgi_poly a, kgi_poly b, bool exact, unsigned depth);

/* Where r lies in [0, s) on both sides, x and r are equal on both sides. */
static bool split_both(pair *q, const kgi_poly *a, const kgi_poly *b, const kgi_term *s, unsigned depth) {
  kgi_poly x[2], r[2], factor = {.count = 1, .t = {*s}};
  if (s->c < 1 || (s->c == 1 && !s->atom[0])) return false;
  split(a, s, &x[0], &r[0]), split(b, s, &x[1], &r[1]);
  if (!x[0].count && !x[1].count) return false;
  if (!fits(q, 0, &r[0], &factor) || !fits(q, 1, &r[1], &factor)) return false;
  equate(q, x[0], x[1], true, depth - 1);
  equate(q, r[0], r[1], true, depth - 1);
  return true;
}

/* The part of a term that t and u have in common. */
static kgi_term common_factor(const pair *q, const kgi_term *t) {
  kgi_term s = {.c = t->c < 0 && t->c > INT64_MIN ? -t->c : t->c};
  unsigned n = 0;
  for (unsigned k = 0; k < KGI_DEGREE && t->atom[k]; k++)
    if (is_common(q, t->atom[k])) s.atom[n++] = t->atom[k];
  return s;
}

/* What multiplies the atom in f; failed where that is not common. */
static kgi_poly cofactor(const pair *q, const kgi_poly *f, uint32_t atom) {
  kgi_poly sum = kgi_poly_int(0);
  kgi_term single = {.c = 1, .atom = {atom}};
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = {.count = 1};
    if (!divide(&f->t[k], &single, &term.t[0])) continue;
    if (!term_is_common(q, &term.t[0])) sum.failed = true;
    sum = kgi_poly_add(&sum, &term, 1);
  }
  return sum;
}

/* As split_both, with a sum for s: rows with a border are m + 2 apart. */
static bool split_by_digit(pair *q, const kgi_poly *a, const kgi_poly *b, uint32_t digit, unsigned depth) {
  kgi_poly s = cofactor(q, a, digit), other = cofactor(q, b, digit), x = kgi_poly_atom(digit);
  if (s.count < 2 || !kgi_poly_equal(&s, &other)) return false;
  kgi_poly product = kgi_poly_mul(&s, &x), r[2] = {kgi_poly_add(a, &product, -1), kgi_poly_add(b, &product, -1)};
  if (!fits(q, 0, &r[0], &s) || !fits(q, 1, &r[1], &s)) return false;
  equate(q, x, x, true, depth - 1);
  equate(q, r[0], r[1], true, depth - 1);
  return true;
}

static bool split_somehow(pair *q, const kgi_poly *a, const kgi_poly *b, unsigned depth) {
  for (uint32_t k = 0; k < a->count + b->count; k++) {
    kgi_term s = common_factor(q, k < a->count ? &a->t[k] : &b->t[k - a->count]);
    if (split_both(q, a, b, &s, depth)) return true;
  }
  for (uint32_t k = 0; k < a->count; k++)
    for (unsigned n = 0; n < KGI_DEGREE && a->t[k].atom[n]; n++)
      if (!is_common(q, a->t[k].atom[n]) && split_by_digit(q, a, b, a->t[k].atom[n], depth)) return true;
  return false;
}

/* index = from + step * trip, exactly: from is a word as it stands, and loops do not wrap. */
static bool expand(const pair *q, unsigned side, kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++) {
    uint32_t i = f->t[k].atom[0];
    if (f->t[k].atom[1] || !i || !is_loop_index(q, i) || is_common(q, i)) continue;
    const kgi_inst *inst = &q->d->p->inst[i];
    kgi_poly from = kgi_poly_of_value(q->d->p, (kgi_val){inst->arg[0]}, q->d->size), trip = kgi_poly_atom(KGI_ATOM_TRIP + i);
    kgi_poly step = kgi_poly_of_value(q->d->p, (kgi_val){inst->arg[2]}, q->d->size), old = {.count = 1, .t = {f->t[k]}};
    int64_t value;
    uint32_t atom = kgi_poly_is_atom(&from), stride = kgi_poly_is_atom(&step);
    if (!(kgi_poly_is_int(&from, &value) && value >= 0) && !(atom && not_negative(q, side, atom))) continue;
    if (!(kgi_poly_is_int(&step, &value) && value > 0) && !(stride && kgi_atom_is_unsigned(q->d, stride))) continue;
    step = kgi_poly_mul(&step, &trip);
    from = kgi_poly_add(&from, &step, 1);
    kgi_poly without = kgi_poly_add(f, &old, -1), with = kgi_poly_add(&without, &from, f->t[k].c);
    if (with.failed) continue;
    *f = with;
    return true;
  }
  return false;
}

/* From a = b, as integers where `exact`, else modulo 2^32, draws what it can. */
static void equate(pair *q, kgi_poly a, kgi_poly b, bool exact, unsigned depth) {
  int64_t x, y;
  if (!depth || a.failed || b.failed || q->apart) return;
  cancel(q, &a, &b);
  if (kgi_poly_is_int(&a, &x) && kgi_poly_is_int(&b, &y)) {
    q->apart |= exact ? x != y : (uint32_t)x != (uint32_t)y;
    return;
  }
  bool alike = kgi_poly_equal(&a, &b) && a.count == 1 && !a.t[0].atom[1];
  /* An odd factor has an inverse modulo 2^32, so that it does not matter whether the product wraps. */
  if (alike && (exact || a.t[0].c % 2) && (a.t[0].atom[0] & KGI_ATOM_KIND) != KGI_ATOM_TRIP) agree(q, a.t[0].atom[0]);
  if (!exact && !(is_word(q, 0, &a) && is_word(q, 1, &b))) return;
  if (split_somehow(q, &a, &b, depth)) return;
  bool expanded = expand(q, 0, &a);
  if (expand(q, 1, &b) || expanded) equate(q, a, b, true, depth - 1);
}

/* Both accesses are guarded by `id == value`, of one value. */
static void equate_guards(pair *q) {
  for (const kgi_fact *f = q->facts[0]; f; f = f->next)
    for (const kgi_fact *g = f->kind == KGI_FACT_EQUAL ? q->facts[1] : NULL; g; g = g->next) {
      bool common = g->kind == KGI_FACT_EQUAL && g->atom == f->atom && kgi_poly_equal(&f->poly, &g->poly);
      for (uint32_t k = 0; common && k < f->poly.count; k++) common = term_is_common(q, &f->poly.t[k]);
      if (common) agree(q, f->atom);
    }
}

/* ---- accesses ---- */

/* Axes along which a workgroup, or a grid, is one wide need no agreement. */
static bool all_axes(const pair *q) {
  for (unsigned axis = 0; axis < 3; axis++) {
    int64_t size;
    bool single = q->mode == ACROSS ? q->d->lone_group[axis] : kgi_poly_is_int(&q->d->size[axis], &size) && size == 1;
    if (!single && !((q->mode == ACROSS ? q->group : q->local) >> axis & 1)) return false;
  }
  return true;
}

/* One element has one index along each dimension: each is below its extent, so that words that are equal are equal numbers. */
static void equate_places(pair *q, uint32_t x, uint32_t y) {
  const kgi_program *p = q->d->p;
  const kgi_poly *length = q->length;
  kgi_digits a, b;
  if (!kgi_place_of(p, x, &a) || !kgi_place_of(p, y, &b)) return;
  for (unsigned k = 0; k < p->scope.object[p->inst[x].arg[0]].rank; k++) {
    kgi_poly extent = kgi_poly_of_value(p, (kgi_val){p->inst[a.link[k]].arg[2]}, q->d->size);
    kgi_poly i = kgi_poly_of_value(p, (kgi_val){a.value[k]}, q->d->size), j = kgi_poly_of_value(p, (kgi_val){b.value[k]}, q->d->size);
    q->length = &extent;
    equate(q, i, j, false, KGI_LIMIT(distinct_depth));
  }
  q->length = length;
}

static bool is_apart(const kgi_distinct *d, mode mode, const kgi_access *x, const kgi_access *y, const kgi_poly *length) {
  pair q = {.d = d, .mode = mode, .facts = {x->facts, y->facts}, .length = length};
  if (mode == IN_INTERVAL && !kgi_accesses_meet(d, x->inst, y->inst, &q.locked)) return true;
  equate_guards(&q);
  equate_places(&q, x->inst, y->inst);
  equate(&q, x->index, y->index, false, KGI_LIMIT(distinct_depth));
  return q.apart || all_axes(&q);
}

unsigned kgi_compare_accesses(const kgi_distinct *d, const kgi_access *x, const kgi_access *y, const kgi_poly *length) {
  const kgi_object *o = &d->p->scope.object[d->p->inst[x->inst].arg[0]];
  unsigned own = 0;
  if (is_apart(d, IN_WORKGROUP, x, y, length)) own = KGI_OWN_IN_WORKGROUP | KGI_OWN_IN_INTERVAL;
  else if (is_apart(d, IN_INTERVAL, x, y, length)) own = KGI_OWN_IN_INTERVAL;
  if (o->space == KGI_SHARED || is_apart(d, ACROSS, x, y, length)) own |= KGI_OWN_ACROSS;
  return own;
}

bool kgi_may_meet(const kgi_distinct *d, uint32_t access, uint32_t other) {
  unsigned locked;
  return kgi_accesses_meet(d, access, other, &locked);
}

/* ---- preparation ---- */

static bool is_one(const kgi_scope *s, kgi_dim d) { return !d.i || (s->dim[d.i].op == KGI_DIM_INT && s->dim[d.i].imm == 1); }

static bool runs_lone(const kgi_distinct *d, const kgi_item *run, unsigned axis) {
  if (run && kgi_dim_is_set(run->grid)) return is_one(&d->m->scope, run->grid[axis]);
  return kgi_dim_is_set(d->p->grid) && is_one(&d->p->scope, d->p->grid[axis]);
}

/* The grid is known where no run gives another. */
static void find_grid(kgi_distinct *d) {
  const kgi_program *p = d->p;
  bool own = kgi_dim_is_set(p->grid), run = false;
  for (unsigned axis = 0; axis < 3; axis++) d->lone_group[axis] = true;
  for (uint32_t i = 1; i < d->m->item_count; i++) {
    const kgi_item *item = &d->m->item[i];
    if (item->kind != KGI_ITEM_RUN || d->m->program[item->program] != p) continue;
    run = true, own &= !kgi_dim_is_set(item->grid);
    for (unsigned axis = 0; axis < 3; axis++) d->lone_group[axis] &= runs_lone(d, item, axis);
  }
  for (unsigned axis = 0; axis < 3; axis++) {
    if (!run) d->lone_group[axis] = runs_lone(d, NULL, axis);
    d->grid[axis] = d->invocations[axis] = (kgi_poly){.failed = true};
    kgi_poly count = p->grid[axis].i ? kgi_poly_of_dim(&p->scope, p->grid[axis]) : kgi_poly_int(1);
    if (own) *(p->grid_is_invocations ? &d->invocations[axis] : &d->grid[axis]) = count;
  }
}

kg_status kgi_distinct_make(kgi_arena *arena, const kg_module *m, const kgi_program *p, kgi_distinct **out) {
  kgi_distinct *d = kgi_arena_alloc(arena, 1, sizeof *d);
  if (!d) return KG_NO_MEMORY;
  *d = (kgi_distinct){.arena = arena, .m = m, .p = p};
  for (unsigned axis = 0; axis < 3; axis++)
    d->size[axis] = p->workgroup[axis].i ? kgi_poly_of_dim(&p->scope, p->workgroup[axis]) : kgi_poly_int(1);
  find_grid(d);
  if (kgi_uniformity_of(arena, p, &d->uniform) != KG_OK || !kgi_facts_collect(d)) return KG_NO_MEMORY;
  *out = d;
  return KG_OK;
}
