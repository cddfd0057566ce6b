#include "foundation/analysis/distinct_pair.h"
#include "foundation/analysis/digits.h"
#include "foundation/analysis/distinct_search.h"
#include "foundation/ir/validate.h"

#include <string.h>

enum { BOUNDS = KGI_MOST_distinct_bounds, QUOTIENTS = 3 /* of quotients, whose bounds are divided */, COMMON = 4 /* operations */ };

/* ---- atoms ---- */

bool kgi_is_loop_index(const kgi_pair *q, uint32_t atom) { return atom < KGI_ATOM_FIRST && q->d->p->inst[atom].kind == KGI_for; }

static bool is_agreed(const kgi_pair *q, uint32_t value) {
  for (unsigned k = 0; k < q->agreed_count; k++)
    if (q->agreed[k] == value) return true;
  return false;
}

/* An instruction that gives t and u one number: it is the same everywhere, or made of what t and u have been found to agree on. */
static bool is_common_value(const kgi_pair *q, uint32_t value, unsigned depth) {
  const kgi_inst *inst = &q->d->p->inst[value];
  unsigned loops = q->d->loops[value] + (kgi_is_loop_index(q, value) ? 1u : 0u);
  unsigned enough = q->mode == KGI_IN_DISPATCH ? KGI_SAME_IN_DISPATCH : KGI_SAME_IN_WORKGROUP;
  if (loops <= q->locked && q->d->uniform.value[value] >= enough) return true;
  if (is_agreed(q, value)) return true;
  if (!q->agreed_count || inst->kind != KGI_op || !depth) return false;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (!is_common_value(q, inst->arg[k], depth - 1)) return false;
  return true;
}

bool kgi_is_common(const kgi_pair *q, uint32_t atom) {
  if (atom == KGI_ATOM_SUBGROUP_SIZE || atom == KGI_ATOM_SUBGROUPS) return true;
  if (atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_LOCAL) return q->mode != KGI_IN_DISPATCH;
  if (atom >= KGI_ATOM_LOCAL) return false;
  if (atom >= KGI_ATOM_FIRST) return (atom & KGI_ATOM_KIND) != KGI_ATOM_TRIP;
  return is_common_value(q, atom, COMMON);
}

bool kgi_term_is_common(const kgi_pair *q, const kgi_term *t) {
  for (unsigned k = 0; k < KGI_DEGREE && t->atom[k]; k++)
    if (!kgi_is_common(q, t->atom[k])) return false;
  return true;
}

bool kgi_not_negative(const kgi_pair *q, unsigned side, uint32_t atom) {
  if (kgi_atom_is_unsigned(q->d, atom)) return true;
  for (const kgi_fact *f = q->facts[side]; f; f = f->next)
    if ((f->kind == KGI_FACT_NOT_NEGATIVE || f->kind == KGI_FACT_POSITIVE) && f->atom == atom) return true;
  return false;
}

/* Whether the fact bounds its atom from above, as the integer that stands for it. A signed comparison says nothing of an
 * unsigned number past 2^31. */
static bool is_bound(const kgi_pair *q, unsigned side, const kgi_fact *f) {
  if (f->kind == KGI_FACT_BELOW) return true;
  if (f->kind != KGI_FACT_BELOW_SIGNED) return false;
  if (!kgi_atom_is_unsigned(q->d, f->atom) || kgi_is_small_id(q->d, f->atom)) return true;
  for (const kgi_fact *g = q->facts[side]; g; g = g->next)
    if (g->kind == KGI_FACT_NOT_NEGATIVE && g->atom == f->atom) return true;
  return false;
}

void kgi_poly_split(const kgi_poly *f, const kgi_term *s, kgi_poly *x, kgi_poly *r) {
  *x = *r = kgi_poly_int(0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = {.count = 1, .t = {f->t[k]}};
    if (!f->t[k].atom[0] && !s->atom[0]) {
      int64_t low = f->t[k].c % s->c, high = f->t[k].c / s->c;
      if (low < 0) low += s->c, high--;
      kgi_poly a = kgi_poly_int(high), b = kgi_poly_int(low);
      *x = kgi_poly_add(x, &a, 1), *r = kgi_poly_add(r, &b, 1);
    } else if (kgi_term_divide(&f->t[k], s, &term.t[0])) {
      *x = kgi_poly_add(x, &term, 1);
    } else {
      *r = kgi_poly_add(r, &term, 1);
    }
  }
}

static bool is_divisor(const kgi_pair *q, const kgi_poly *f);

/* Adds what is known to be above. */
static void put_bound(kgi_poly out[BOUNDS], unsigned *count, const kgi_poly *bound) {
  if (!bound->failed && *count < KGI_LIMIT(distinct_bounds)) out[(*count)++] = *bound;
}

static bool literal_of(const kgi_pair *q, uint32_t value, uint32_t *out) {
  const kgi_inst *inst = &q->d->p->inst[value];
  *out = inst->kind == KGI_literal ? (uint32_t)kgi_literal_bits(inst) : 0;
  return inst->kind == KGI_literal;
}

/* Of all words there are. */
static void quotient_of_word(const kgi_pair *q, const kgi_inst *inst, kgi_poly out[BOUNDS], unsigned *count) {
  uint32_t by;
  if ((inst->op != KGI_OP_div && inst->op != KGI_OP_shr) || !literal_of(q, inst->arg[1], &by)) return;
  if (inst->op == KGI_OP_div && !by) return;
  kgi_poly above = kgi_poly_int((int64_t)(inst->op == KGI_OP_div ? UINT32_MAX / by : UINT32_MAX >> by % 32) + 1);
  put_bound(out, count, &above);
}

/* A mask or a minimum is no more than either operand, a shift to the right, a division or a remainder no more than the first. */
static void operand_bounds(const kgi_pair *q, const kgi_inst *inst, kgi_poly out[BOUNDS], unsigned *count) {
  const kgi_program *p = q->d->p;
  const kgi_inst *second = &p->inst[inst->arg[1]];
  kgi_poly one = kgi_poly_int(1);
  bool divides = second->kind == KGI_literal && second->arg[0], either = inst->op == KGI_OP_and || inst->op == KGI_OP_min;
  bool reduces = inst->op == KGI_OP_div || inst->op == KGI_OP_rem || inst->op == KGI_OP_mod;
  bool first = either || inst->op == KGI_OP_shr || (divides && reduces);
  for (unsigned k = 0; k < (either ? 2u : first ? 1u : 0u); k++) {
    kgi_poly operand = kgi_poly_of_value(p, (kgi_val){inst->arg[k]}, q->d->size);
    if (!kgi_is_upper(q->d, &operand, false)) continue;
    operand = kgi_poly_add(&operand, &one, 1);
    put_bound(out, count, &operand);
  }
}

static unsigned find_bounds(const kgi_pair *q, unsigned side, uint32_t atom, kgi_poly out[BOUNDS], unsigned depth);

/* The power of two that the value stays below; 0: none. */
static int64_t power_above(const kgi_pair *q, unsigned side, uint32_t value, unsigned depth) {
  kgi_poly x = kgi_poly_of_value(q->d->p, (kgi_val){value}, q->d->size), bounds[BOUNDS];
  int64_t above = 0, least = 0, power = 1;
  uint32_t atom = kgi_poly_is_atom(&x);
  if (kgi_poly_is_int(&x, &least) && least >= 0) above = least + 1;
  unsigned count = atom && depth && kgi_not_negative(q, side, atom) ? find_bounds(q, side, atom, bounds, depth - 1) : 0;
  for (unsigned k = 0; k < count; k++)
    if (kgi_poly_is_int(&bounds[k], &least) && (!above || least < above)) above = least;
  while (power < above) power *= 2;
  return above > 0 ? power : 0;
}

/* Of words below a power of two, bits beyond are not set together either. */
static void bits_bound(const kgi_pair *q, unsigned side, const kgi_inst *inst, kgi_poly out[BOUNDS], unsigned *count, unsigned depth) {
  if (inst->op != KGI_OP_xor && inst->op != KGI_OP_or) return;
  int64_t a = power_above(q, side, inst->arg[0], depth), b = power_above(q, side, inst->arg[1], depth);
  kgi_poly above = kgi_poly_int(a > b ? a : b);
  if (a && b) put_bound(out, count, &above);
}

/* From x < s * w follows x / s < w. */
static void quotient_bounds(const kgi_pair *q, unsigned side, const kgi_digit *g, kgi_poly out[BOUNDS], unsigned *count,
                            unsigned depth) {
  kgi_poly x = kgi_poly_of_value(q->d->p, (kgi_val){g->of}, q->d->size), above[BOUNDS];
  uint32_t atom = kgi_poly_is_atom(&x);
  unsigned bounds = depth && atom && kgi_atom_is_unsigned(q->d, atom) ? find_bounds(q, side, atom, above, depth - 1) : 0;
  for (unsigned k = 0; k < bounds; k++) {
    kgi_poly w, rest;
    kgi_poly_split(&above[k], &g->weight.t[0], &w, &rest);
    if (!rest.count && !rest.failed) put_bound(out, count, &w);
  }
}

/* A remainder is less than what it is taken by. */
static void digit_bounds(const kgi_pair *q, unsigned side, uint32_t atom, kgi_poly out[BOUNDS], unsigned *count,
                         unsigned depth) {
  kgi_digit g;
  if (!kgi_digit_of(q->d->p, atom, q->d->size, &g) || !is_divisor(q, g.top ? &g.weight : &g.size)) return;
  if (g.top) quotient_bounds(q, side, &g, out, count, depth);
  else put_bound(out, count, &g.size);
}

static void put_trips(kgi_poly out[BOUNDS], unsigned *count, const kgi_poly *apart, int64_t by) {
  kgi_poly trips = kgi_poly_trips(apart, by);
  put_bound(out, count, trips.failed ? apart : &trips);
}

/* Words that are `apart`, as integers modulo 2^32, are no further apart than that where it is not negative, be they signed or not and whether
 * or not they wrap: the first is above the second by `apart` less a multiple of 2^32, or below it, and there is no trip. */
static void bounds_apart(const kgi_pair *q, uint32_t loop, uint32_t to, int64_t by, kgi_poly out[BOUNDS], unsigned *count, unsigned depth) {
  const kgi_distinct *d = q->d;
  const kgi_inst *inst = &d->p->inst[to];
  kgi_poly above = kgi_poly_of_value(d->p, (kgi_val){to}, d->size);
  kgi_poly from = kgi_poly_of_value(d->p, (kgi_val){d->p->inst[loop].arg[0]}, d->size), apart = kgi_poly_add(&above, &from, -1);
  if (kgi_is_never_negative(d, d->facts[loop], &apart)) put_trips(out, count, &apart, by);
  for (unsigned k = 0; k < 2 && depth && inst->kind == KGI_op && inst->op == KGI_OP_min; k++)
    bounds_apart(q, loop, inst->arg[k], by, out, count, depth - 1);
}

/* From from + step * trip < above follows trip < (above - from) / step, rounded up. */
static void trip_bounds(const kgi_pair *q, unsigned side, uint32_t loop, kgi_poly out[BOUNDS], unsigned *count) {
  const kgi_distinct *d = q->d;
  const kgi_inst *inst = &d->p->inst[loop];
  kgi_poly from, step = kgi_poly_of_value(d->p, (kgi_val){inst->arg[2]}, d->size);
  int64_t by;
  if (!kgi_poly_is_int(&step, &by) || by < 1) return;
  if (inst->type == KG_U32 || inst->type == KG_I32) bounds_apart(q, loop, inst->arg[1], by, out, count, KGI_LIMIT(distinct_digits));
  if (!kgi_loop_begins(q, side, loop, &from)) return;
  for (const kgi_fact *f = q->facts[side]; f; f = f->next) {
    if (f->atom != loop || !is_bound(q, side, f)) continue;
    kgi_poly apart = kgi_poly_add(&f->poly, &from, -1);
    put_trips(out, count, &apart, by);
  }
}

/* The index is base + offset, and below what the facts say. */
static void offset_bounds(const kgi_pair *q, unsigned side, uint32_t loop, kgi_poly out[BOUNDS], unsigned *count) {
  kgi_poly base, first;
  if (!kgi_loop_base(q, loop, &base, &first)) return;
  for (const kgi_fact *f = q->facts[side]; f; f = f->next) {
    kgi_poly below = kgi_poly_add(&f->poly, &base, -1);
    if (f->atom == loop && is_bound(q, side, f)) put_bound(out, count, &below);
  }
}

static const kgi_poly *groups(const kgi_distinct *d, unsigned axis) {
  return d->grid[axis].failed ? &d->rounded[axis] : &d->grid[axis];
}

/* Each subgroup has an invocation of the workgroup, but perhaps no more, and lanes may be left out. */
static void subgroup_bounds(const kgi_distinct *d, uint32_t atom, kgi_poly out[BOUNDS], unsigned *count) {
  if (atom < KGI_ATOM_LANE || atom > KGI_ATOM_SUBGROUPS) return;
  bool lane = atom == KGI_ATOM_LANE, id = atom == KGI_ATOM_SUBGROUP, lanes = lane || atom == KGI_ATOM_SUBGROUP_SIZE;
  kgi_poly size = kgi_poly_atom(lane ? KGI_ATOM_SUBGROUP_SIZE : KGI_ATOM_SUBGROUPS), all = kgi_workgroup_of(d);
  kgi_poly most = kgi_poly_int(lanes ? KGI_MAX_SUBGROUP : KGI_MAX_WORKGROUP), one = kgi_poly_int(lane || id ? 0 : 1);
  all = kgi_poly_add(&all, &one, 1), most = kgi_poly_add(&most, &one, 1);
  if (lane || id) put_bound(out, count, &size);
  if (!lanes) put_bound(out, count, &all);
  put_bound(out, count, &most);
}

/* What the atom is less than, from whatever source. */
static unsigned bounds_of(const kgi_pair *q, unsigned side, uint32_t atom, kgi_poly out[BOUNDS], unsigned depth) {
  const kgi_distinct *d = q->d;
  unsigned count = 0;
  if (atom >= KGI_ATOM_LOCAL && atom < KGI_ATOM_LOCAL + 3) put_bound(out, &count, &d->size[atom - KGI_ATOM_LOCAL]);
  if (atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_GROUP + 3) put_bound(out, &count, groups(d, atom - KGI_ATOM_GROUP));
  if (atom >= KGI_ATOM_GLOBAL && atom < KGI_ATOM_GLOBAL + 3) {
    kgi_poly all = kgi_poly_mul(&d->size[atom - KGI_ATOM_GLOBAL], groups(d, atom - KGI_ATOM_GLOBAL));
    put_bound(out, &count, &all);
  }
  if (atom == KGI_ATOM_LOCAL_INDEX) {
    kgi_poly all = kgi_workgroup_of(d);
    put_bound(out, &count, &all);
  }
  subgroup_bounds(d, atom, out, &count);
  if (atom < KGI_ATOM_FIRST && d->p->inst[atom].kind == KGI_op && d->p->inst[atom].type == KG_U32) {
    digit_bounds(q, side, atom, out, &count, depth);
    operand_bounds(q, &d->p->inst[atom], out, &count);
    quotient_of_word(q, &d->p->inst[atom], out, &count);
    bits_bound(q, side, &d->p->inst[atom], out, &count, depth);
  }
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_TRIP) trip_bounds(q, side, atom - KGI_ATOM_TRIP, out, &count);
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_OFFSET) offset_bounds(q, side, atom - KGI_ATOM_OFFSET, out, &count);
  for (const kgi_fact *f = q->facts[side]; f; f = f->next)
    if (f->atom == atom && is_bound(q, side, f)) put_bound(out, &count, &f->poly);
  if (atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_GROUP + 3) {
    kgi_poly all = kgi_poly_atom(KGI_ATOM_GROUPS + (atom - KGI_ATOM_GROUP));
    put_bound(out, &count, &all);
  }
  if (atom >= KGI_ATOM_GLOBAL && atom < KGI_ATOM_GLOBAL + 3) {
    kgi_poly all = kgi_invocations_along(d, atom - KGI_ATOM_GLOBAL);
    put_bound(out, &count, &all);
  }
  return count;
}

/* Within a question the same is asked again and again. */
static unsigned find_bounds(const kgi_pair *q, unsigned side, uint32_t atom, kgi_poly out[BOUNDS], unsigned depth) {
  kgi_search *search = q->d->search;
  kgi_bounds *known = &search->bounds[(atom * 2 + side + (atom >> 28) * 7) % KGI_SEARCH_BOUNDS];
  kgi_state state = kgi_state_of(q, side);
  if (search->depth && known->atom == atom && known->depth == depth && kgi_is_same_state(known->state, state)) {
    memcpy(out, known->bound, known->count * sizeof *out);
    return known->count;
  }
  unsigned count = bounds_of(q, side, atom, out, depth);
  if (!search->depth) return count;
  known->atom = atom, known->depth = depth, known->count = count, known->state = state;
  memcpy(known->bound, out, count * sizeof *out);
  return count;
}

/* ---- inequalities ---- */

static bool is_size(const kgi_pair *q, uint32_t atom) {
  if (atom == KGI_ATOM_SUBGROUP_SIZE || atom == KGI_ATOM_SUBGROUPS) return true;
  for (unsigned axis = 0; axis < 3; axis++)
    if (kgi_poly_is_atom(&q->d->size[axis]) == atom) return true;
  return false;
}

/* A product of numbers that are not negative, this one among them: nothing is below it unless it is at least 1. */
static bool is_factor(const kgi_pair *q, unsigned side, const kgi_poly *f, uint32_t atom) {
  if (f->failed || f->count != 1 || f->t[0].c < 1 || !kgi_term_has(&f->t[0], atom)) return false;
  for (unsigned n = 0; n < KGI_DEGREE && f->t[0].atom[n]; n++)
    if (!kgi_not_negative(q, side, f->t[0].atom[n])) return false;
  return true;
}

/* At least 1: sizes of workgroups and subgroups, and what something not negative is less than. */
static bool is_positive(const kgi_pair *q, uint32_t atom) {
  if (is_size(q, atom)) return true;
  if (!kgi_is_common(q, atom)) return false;
  for (unsigned side = 0; side < 2; side++)
    for (const kgi_fact *f = q->facts[side]; f; f = f->next)
      if ((f->kind == KGI_FACT_POSITIVE && f->atom == atom) ||
          (is_bound(q, side, f) && kgi_not_negative(q, side, f->atom) && is_factor(q, side, &f->poly, atom)))
        return true;
  return false;
}

/* Made of numbers that are not negative, whatever they are taken times. */
static bool is_of_naturals(const kgi_pair *q, unsigned side, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++)
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++)
      if (!kgi_not_negative(q, side, f->t[k].atom[n])) return false;
  return !f->failed;
}

/* Every term is a product of numbers that are not negative. */
bool kgi_is_sum(const kgi_pair *q, unsigned side, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++)
    if (f->t[k].c < 0) return false;
  return is_of_naturals(q, side, f);
}

/* The most that the atom can be: as a number or as something else, whichever is rather wanted. */
static bool upper_of(const kgi_pair *q, unsigned side, uint32_t atom, bool number, kgi_poly *out) {
  kgi_poly bounds[BOUNDS], one = kgi_poly_int(1);
  int64_t value;
  unsigned count = find_bounds(q, side, atom, bounds, QUOTIENTS);
  unsigned best = 0;
  while (best < count && kgi_poly_is_int(&bounds[best], &value) != number) best++;
  if (count) *out = kgi_poly_add(&bounds[best < count ? best : 0], &one, -1);
  return count;
}

/* c * w * (x / w) is no more than c * x. */
static bool multiple_of(const kgi_pair *q, unsigned side, const kgi_term *t, kgi_poly *most) {
  kgi_digit g;
  int64_t weight;
  uint32_t atom = t->atom[0];
  if (t->atom[1] || atom >= KGI_ATOM_FIRST || !kgi_digit_of(q->d->p, atom, q->d->size, &g) || !g.top) return false;
  if (!kgi_poly_is_int(&g.weight, &weight) || weight < 1 || t->c % weight) return false;
  kgi_poly x = kgi_poly_of_value(q->d->p, (kgi_val){g.of}, q->d->size), none = kgi_poly_int(0);
  if (!kgi_is_sum(q, side, &x) || !kgi_is_upper(q->d, &x, false)) return false;
  return *most = kgi_poly_add(&none, &x, t->c / weight), !most->failed;
}

/* No more than f: what is taken off is as large as it can be. Failed where that is not known. */
static kgi_poly least_of(const kgi_pair *q, unsigned side, const kgi_poly *f, bool number) {
  kgi_poly sum = kgi_poly_int(0);
  for (uint32_t k = 0; k < f->count && !sum.failed; k++) {
    const kgi_term *t = &f->t[k];
    kgi_poly term = {.count = 1, .t = {*t}}, product = kgi_poly_int(1), most;
    if (t->c > 0 || !t->atom[0]) {
      sum = kgi_poly_add(&sum, &term, 1);
      continue;
    }
    if (!number && multiple_of(q, side, t, &most)) {
      sum = kgi_poly_add(&sum, &most, 1);
      continue;
    }
    for (unsigned n = 0; n < KGI_DEGREE && t->atom[n] && !product.failed; n++) {
      bool fine = !t->atom[1] || kgi_not_negative(q, side, t->atom[n]);
      if (!upper_of(q, side, t->atom[n], number || t->atom[1], &most)) most = kgi_poly_atom(t->atom[n]);
      product = fine ? kgi_poly_mul(&product, &most) : (kgi_poly){.failed = true};
    }
    sum = kgi_poly_add(&sum, &product, t->c);
  }
  return sum;
}

/* Nothing is below zero, with what is taken off as large as bounds let it be. */
static bool is_sum_at_least(const kgi_pair *q, unsigned side, const kgi_poly *f) {
  kgi_poly least = least_of(q, side, f, false);
  if (kgi_is_sum(q, side, &least)) return true;
  least = least_of(q, side, f, true);
  return kgi_is_sum(q, side, &least);
}

/* most < s, for every value of the atoms. */
static bool is_less(const kgi_pair *q, unsigned side, const kgi_poly *most, const kgi_poly *s) {
  kgi_poly one = kgi_poly_int(1), gap = kgi_poly_add(s, most, -1), rest = kgi_poly_add(&gap, &one, -1);
  if (gap.failed || rest.failed) return false;
  if (kgi_is_sum(q, side, &rest) || is_sum_at_least(q, side, &rest)) return true;
  /* A gap of one product, all of it positive. */
  if (gap.count != 1 || gap.t[0].c < 1) return false;
  for (unsigned n = 0; n < KGI_DEGREE && gap.t[0].atom[n]; n++)
    if (!is_positive(q, gap.t[0].atom[n])) return false;
  return true;
}

typedef struct fitting { const kgi_pair *q; unsigned side, tries; const kgi_poly *f, *s; } fitting;

static bool fits_from(fitting *w, uint32_t k, const kgi_poly *most);

/* With each bound of an atom of term k in place of it. */
static bool fits_bounded(fitting *w, uint32_t k, unsigned n, const kgi_poly *most) {
  kgi_term factor = w->f->t[k];
  kgi_poly bounds[BOUNDS], one = kgi_poly_int(1);
  for (unsigned m = n; m < KGI_DEGREE; m++) factor.atom[m] = m + 1 < KGI_DEGREE ? w->f->t[k].atom[m + 1] : 0;
  kgi_poly times = {.count = 1, .t = {factor}};
  unsigned count = find_bounds(w->q, w->side, w->f->t[k].atom[n], bounds, QUOTIENTS);
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
  if (w->tries++ >= KGI_LIMIT(distinct_tries) || !kgi_search_on(w->q->d->search)) return false;
  if (k == w->f->count) return is_less(w->q, w->side, most, w->s);
  const kgi_term *t = &w->f->t[k];
  unsigned digits = 0, digit = 0;
  if (t->c < 0 && t->atom[0] && fits_from(w, k + 1, most)) return true; /* it is 0 at most */
  for (unsigned n = 0; n < KGI_DEGREE && t->atom[n]; n++)
    if (!kgi_is_common(w->q, t->atom[n])) digits++, digit = n;
  if (digits > 1 || (digits && t->c < 0)) return false;
  if (digits) return fits_bounded(w, k, digit, most);
  kgi_poly term = {.count = 1, .t = {*t}}, sum = kgi_poly_add(most, &term, 1);
  if (!sum.failed && fits_from(w, k + 1, &sum)) return true;
  return t->c > 0 && t->atom[0] && !t->atom[1] && fits_bounded(w, k, 0, most);
}

/* What is guarded is a sum, of which f has some more. That it is no other number than its word must not follow from such a guard. */
static bool fits_guarded(const kgi_pair *q, unsigned side, const kgi_poly *f, const kgi_poly *s) {
  kgi_pair plain = *q;
  plain.no_sums = true;
  for (const kgi_fact *g = q->facts[side]; g; g = g->next) {
    if (g->kind != KGI_FACT_SUM_BELOW) continue;
    kgi_poly one = kgi_poly_int(1), most = kgi_poly_add(&g->poly, &one, -1), rest = kgi_poly_add(f, &g->sum, -1);
    fitting w = {.q = &plain, .side = side, .f = &rest, .s = s};
    if (rest.failed || most.failed || rest.count + g->sum.count != f->count) continue;
    if (kgi_is_word(&plain, side, &g->sum) && fits_from(&w, 0, &most)) return true;
  }
  return false;
}

static bool fits(const kgi_pair *q, unsigned side, const kgi_poly *f, const kgi_poly *s) {
  fitting w = {.q = q, .side = side, .f = f, .s = s};
  kgi_poly none = kgi_poly_int(0);
  if (f->failed || s->failed || !is_of_naturals(q, side, f)) return false;
  if (!kgi_is_sum(q, side, f) && !is_sum_at_least(q, side, f)) return false;
  return fits_from(&w, 0, &none) || (!q->no_sums && fits_guarded(q, side, f, s));
}

/* Where a loop begins, which bounds its trips, is asked in the same way: what one question asks of others is bounded, too. */
bool kgi_fits(const kgi_pair *q, unsigned side, const kgi_poly *f, const kgi_poly *s) {
  kgi_search *search = q->d->search;
  kgi_search_begin(search);
  bool found = kgi_search_on(search) && fits(q, side, f, s);
  kgi_search_end(search);
  return found;
}

/* The most that the atom can be, as a number. */
static int64_t most_of(const kgi_pair *q, unsigned side, uint32_t atom) {
  const kgi_distinct *d = q->d;
  kgi_poly bounds[BOUNDS];
  int64_t most = UINT32_MAX, value;
  unsigned axis = atom % 4, count = find_bounds(q, side, atom, bounds, QUOTIENTS);
  bool group = atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_GROUP + 3, global = atom >= KGI_ATOM_GLOBAL && atom < KGI_ATOM_GLOBAL + 3;
  if (group) most = d->most_groups[axis] - 1;
  if (atom >= KGI_ATOM_GROUPS && atom < KGI_ATOM_GROUPS + 3) most = d->most_groups[axis];
  if (global && kgi_poly_is_int(&d->size[axis], &value)) most = d->most_groups[axis] * value - 1;
  for (unsigned k = 0; k < count; k++)
    if (kgi_poly_is_int(&bounds[k], &value) && value - 1 < most) most = value - 1;
  return most;
}

/* Whether the atom is below 2^32, or has a bound that is a number. */
static bool is_narrow(const kgi_pair *q, unsigned side, uint32_t atom) {
  const kgi_scope *s = &q->d->p->scope;
  uint32_t kind = atom & KGI_ATOM_KIND;
  kgi_poly bounds[BOUNDS];
  int64_t value;
  if (atom < KGI_ATOM_FIRST) return kg_type_size((kg_type)q->d->p->inst[atom].type) <= 4;
  if (kind == KGI_ATOM_PARAM) return kg_type_size((kg_type)s->param[atom - KGI_ATOM_PARAM].type) <= 4;
  if (kind == KGI_ATOM_SPEC) return kg_type_size((kg_type)s->spec[atom - KGI_ATOM_SPEC].type) <= 4;
  if (kind != KGI_ATOM_QUOTIENT && kind != KGI_ATOM_TRIP) return true;
  for (unsigned count = find_bounds(q, side, atom, bounds, QUOTIENTS); count--;)
    if (kgi_poly_is_int(&bounds[count], &value)) return true;
  return false;
}

/* Nothing negative, and the most that it can be, by the most that each atom can. */
bool kgi_most_of_sum(const kgi_pair *q, unsigned side, const kgi_poly *f, int64_t *most) {
  *most = 0;
  if (f->failed || !kgi_is_sum(q, side, f)) return false;
  for (uint32_t k = 0; k < f->count; k++) {
    int64_t term = f->t[k].c;
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      if (!is_narrow(q, side, f->t[k].atom[n])) return false;
      if (__builtin_mul_overflow(term, most_of(q, side, f->t[k].atom[n]), &term)) return false;
    }
    if (__builtin_add_overflow(*most, term, most)) return false;
  }
  return true;
}

/* 0 <= f < 2^32. */
static bool is_small(const kgi_pair *q, unsigned side, const kgi_poly *f) {
  int64_t most;
  return kgi_most_of_sum(q, side, f, &most) && most <= UINT32_MAX;
}

/* f = m + r with 0 <= r < s, where m is a word that s divides, as it divides 2^32. */
static bool is_beside_multiple(const kgi_pair *q, unsigned side, const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++) {
    int64_t s = kgi_term_multiple(q, side, &f->t[k]);
    kgi_poly m, r, whole = kgi_poly_int(s);
    if (s < 2) continue;
    kgi_part_multiples(q, side, f, s, &m, &r);
    if (!m.failed && r.count && m.count < f->count && kgi_fits(q, side, &r, &whole) && kgi_is_word(q, side, &m)) return true;
  }
  return false;
}

/* Below as many invocations as the dispatch has along some axis. */
static bool is_invocation(const kgi_pair *q, unsigned side, const kgi_poly *f) {
  for (unsigned axis = 0; axis < 3; axis++) {
    kgi_poly all = kgi_invocations_along(q->d, axis);
    if (kgi_fits(q, side, f, &all)) return true;
  }
  return false;
}

bool kgi_is_word(const kgi_pair *q, unsigned side, const kgi_poly *f) {
  uint32_t atom = kgi_poly_is_atom(f);
  if (atom && (atom & KGI_ATOM_KIND) != KGI_ATOM_TRIP && kgi_not_negative(q, side, atom)) return true;
  kgi_poly word = kgi_poly_int(INT64_C(1) << 32), group = kgi_workgroup_of(q->d);
  kgi_poly most = kgi_poly_int((INT64_C(1) << 32) / KGI_MAX_WORKGROUP);
  most = kgi_poly_mul(&most, &group);
  if (kgi_fits(q, side, f, &word) || kgi_fits(q, side, f, q->length) || kgi_fits(q, side, f, &most)) return true;
  kgi_poly room = kgi_poly_int(INT64_C(1) << 31), above = kgi_poly_add(q->length, &room, 1);
  if (q->is_extent && kgi_fits(q, side, f, &above)) return true; /* an extent is at most 2^31 - 1 */
  return is_small(q, side, f) || is_invocation(q, side, f) || is_beside_multiple(q, side, f);
}

/* ---- digits ---- */

static bool is_positive_term(const kgi_pair *q, const kgi_term *t) {
  if (t->c < 1) return false;
  for (unsigned n = 0; n < KGI_DEGREE && t->atom[n]; n++)
    if (!is_positive(q, t->atom[n])) return false;
  return true;
}

/* One number for t and u, not 0, that is what its polynomial says: a product does not wrap where it divides the object's length. */
static bool is_divisor(const kgi_pair *q, const kgi_poly *f) {
  kgi_term rest;
  if (f->failed || f->count != 1 || !kgi_term_is_common(q, &f->t[0]) || !is_positive_term(q, &f->t[0])) return false;
  if (!f->t[0].atom[0] || kgi_poly_is_atom(f)) return true;
  if (q->length->failed || q->length->count != 1) return false;
  const kgi_term *length = &q->length->t[0];
  return is_positive_term(q, length) && kgi_term_divide(length, &f->t[0], &rest);
}

/* Whether the digit is a remainder by what is surely no product, which as a signed word might be below 0. */
static bool is_plain(const kgi_pair *q, uint32_t value, const kgi_digit *g) {
  int64_t number;
  return q->d->p->inst[value].type == KG_U32 || g->top || kgi_poly_is_atom(&g->size) || kgi_poly_is_int(&g->size, &number);
}

/* A digit of local_id as one of the unsigned number, which is global_id: of a signed one that is negative a digit has another sign. */
static void put_in_global(const kgi_pair *q, uint32_t number, kgi_digit *g) {
  const kgi_program *p = q->d->p;
  kgi_poly all = kgi_poly_of_value(p, (kgi_val){number}, q->d->size), own = kgi_poly_of_value(p, (kgi_val){g->of}, q->d->size);
  uint32_t global = kgi_poly_is_atom(&all), local = kgi_poly_is_atom(&own);
  if (local < KGI_ATOM_LOCAL || global != local - KGI_ATOM_LOCAL + KGI_ATOM_GLOBAL || p->inst[number].type != KG_U32) return;
  if (kgi_digit_in_global(q->d->size, local, g->top, &g->weight, &g->size)) g->of = number, g->top = false;
}

/* A digit of that weight on which t and u agree. A signed weight of 2^31 or more is another number as a word; but whoever agree on the digits
 * below it have one number, or 0 and -2^31, whose quotients by the weight differ. */
static bool find_digit(const kgi_pair *q, uint32_t number, const kgi_poly *weight, bool top, kgi_digit *g) {
  for (unsigned k = 0; k < q->agreed_count; k++) {
    if (!kgi_digit_of(q->d->p, q->agreed[k], q->d->size, g) || !is_plain(q, q->agreed[k], g)) continue;
    if (g->of != number && g->near != number) put_in_global(q, number, g);
    if (g->top != top) continue;
    if (g->near == number && g->of != number) g->of = number, g->weight = kgi_poly_int(1);
    if (g->of != number || !kgi_poly_equal(&g->weight, weight)) continue;
    if (is_divisor(q, &g->weight) && (top || is_divisor(q, &g->size))) return true;
  }
  return false;
}

bool kgi_is_known(const kgi_pair *q, uint32_t number) {
  kgi_poly weight = kgi_poly_int(1);
  kgi_digit g;
  for (unsigned found = 0; found < KGI_LIMIT(distinct_digits); found++) {
    if (find_digit(q, number, &weight, true, &g)) return true;
    if (!find_digit(q, number, &weight, false, &g)) return false;
    weight = kgi_poly_mul(&weight, &g.size);
  }
  return false;
}

/* ---- numbers that go round ---- */

/* The terms that t and u have in common, and the others. */
static void part_common(const kgi_pair *q, const kgi_poly *f, kgi_poly *common, kgi_poly *own) {
  *common = *own = kgi_poly_int(0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = {.count = 1, .t = {f->t[k]}}, *to = kgi_term_is_common(q, &f->t[k]) ? common : own;
    *to = kgi_poly_add(to, &term, 1);
  }
}

/* 0 <= c, with what is taken off as large as it can be. */
static bool is_not_below_zero(const kgi_pair *q, const kgi_poly *c) {
  kgi_poly least = kgi_poly_int(1), none = kgi_poly_int(0), bounds[BOUNDS];
  for (uint32_t k = 0; k < c->count; k++) {
    kgi_poly term = {.count = 1, .t = {c->t[k]}};
    int64_t above;
    if (c->t[k].c < 0 && c->t[k].atom[0]) {
      if (c->t[k].atom[1] || !kgi_not_negative(q, 0, c->t[k].atom[0])) return false;
      if (!find_bounds(q, 0, c->t[k].atom[0], bounds, QUOTIENTS) || !kgi_poly_is_int(&bounds[0], &above)) return false;
      term = kgi_poly_int(above - 1);
      least = kgi_poly_add(&least, &term, c->t[k].c);
    } else {
      least = kgi_poly_add(&least, &term, 1);
    }
  }
  return !least.failed && is_less(q, 0, &none, &least);
}

/* f <= 2^32, by the most that words and extents can be. */
static bool is_at_most_words(const kgi_pair *q, const kgi_poly *f) {
  int64_t most = 0;
  for (uint32_t k = 0; k < f->count; k++) {
    uint32_t atom = f->t[k].atom[0];
    bool is_word = atom < KGI_ATOM_LEN && !f->t[k].atom[1] && kgi_atom_is_unsigned(q->d, atom);
    int64_t largest = !atom ? 1 : f->t[k].c < 0 ? 0 : q->is_extent && kgi_poly_is_atom(q->length) == atom ? INT32_MAX : UINT32_MAX;
    if (atom && !is_word) return false;
    if (__builtin_mul_overflow(largest, f->t[k].c, &largest) || __builtin_add_overflow(most, largest, &most)) return false;
  }
  return !f->failed && most <= INT64_C(1) << 32;
}

bool kgi_goes_round(const kgi_pair *q, uint32_t number, const kgi_poly *size, kgi_poly *own) {
  kgi_poly f = kgi_poly_of_value(q->d->p, (kgi_val){number}, q->d->size), common;
  if (f.failed || !is_divisor(q, size)) return false;
  part_common(q, &f, &common, own);
  kgi_poly end = kgi_poly_add(&common, size, 1);
  if (!own->count || !is_not_below_zero(q, &common) || !is_at_most_words(q, &end)) return false;
  return kgi_fits(q, 0, own, size) && kgi_fits(q, 1, own, size);
}
