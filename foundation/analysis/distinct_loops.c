/* Loops of which two invocations may be in different trips: where they begin, how they go on, and what both of their bounds are made of. */
#include "foundation/analysis/distinct_search.h"

/* As many as the dispatch has along some axis, by the grid or by num_workgroups. */
static bool is_whole_dispatch(const kgi_distinct *d, const kgi_poly *step) {
  for (unsigned axis = 0; axis < 3; axis++) {
    kgi_poly all = kgi_invocations_along(d, axis), known = kgi_poly_mul(&d->grid[axis], &d->size[axis]);
    if (kgi_poly_equal(step, &all) || kgi_poly_equal(step, &known)) return true;
  }
  return false;
}

bool kgi_loop_steps(const kgi_pair *q, unsigned side, uint32_t loop, kgi_poly *step) {
  const kgi_inst *inst = &q->d->p->inst[loop];
  int64_t value;
  *step = kgi_poly_of_value(q->d->p, (kgi_val){inst->arg[2]}, q->d->size);
  uint32_t atom = kgi_poly_is_atom(step);
  if (kgi_poly_is_int(step, &value)) return value > 0;
  if (atom) return kgi_atom_is_unsigned(q->d, atom);
  return (inst->type == KG_U32 || inst->type == KG_I32) && (is_whole_dispatch(q->d, step) || kgi_is_word(q, side, step));
}

/* 0 <= from < 2^31, as a workgroup has, or as the step is that a signed loop goes on by: with one past 2^31 it makes no trip. */
static bool begins_signed(const kgi_pair *q, unsigned side, uint32_t loop, const kgi_poly *from) {
  kgi_poly half = kgi_poly_int(INT64_C(1) << 31), group = kgi_workgroup_of(q->d), step;
  return kgi_fits(q, side, from, &half) || kgi_fits(q, side, from, &group) || (kgi_loop_steps(q, side, loop, &step) && kgi_fits(q, side, from, &step));
}

/* f with a number in place of the atom. */
static kgi_poly with_number(const kgi_poly *f, uint32_t atom, int64_t number) {
  kgi_poly sum = kgi_poly_int(0), value = kgi_poly_int(number);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly term = kgi_poly_int(f->t[k].c);
    for (unsigned n = 0; n < KGI_DEGREE && f->t[k].atom[n]; n++) {
      kgi_poly factor = f->t[k].atom[n] == atom ? value : kgi_poly_atom(f->t[k].atom[n]);
      term = kgi_poly_mul(&term, &factor);
    }
    sum = kgi_poly_add(&sum, &term, 1);
  }
  sum.failed |= f->failed;
  return sum;
}

/* from = base + x and to = base + e, where `to` is its word. From a trip follows that the word of `from` is less. Either from < to, and is its
 * word too; or e <= x, and with the most that x can be in place of e, of which base is a sum of products, `from` would still be a word. */
static bool begins_below_end(const kgi_pair *q, unsigned side, uint32_t loop, const kgi_poly *from) {
  const kgi_distinct *d = q->d;
  kgi_poly to = kgi_poly_of_value(d->p, (kgi_val){d->p->inst[loop].arg[1]}, d->size), apart = kgi_poly_add(&to, from, -1), one = kgi_poly_int(1);
  kgi_poly above = kgi_poly_add(q->length, &one, 1); /* what is 2^32 is 0 as a word, with no trip before it */
  int64_t most;
  if (!kgi_is_sum(q, side, from) || !kgi_fits(q, side, &to, &above)) return false;
  for (uint32_t k = 0; k < apart.count; k++) {
    uint32_t atom = apart.t[k].atom[0];
    if (apart.t[k].c != 1 || !atom || apart.t[k].atom[1] || !kgi_not_negative(q, side, atom)) continue;
    kgi_poly end = kgi_poly_atom(atom), x = kgi_poly_add(&end, &apart, -1);
    if (!kgi_most_of_sum(q, side, &x, &most)) continue;
    x = with_number(from, atom, most);
    if (kgi_most_of_sum(q, side, &x, &most) && most <= UINT32_MAX) return true;
  }
  return false;
}

static bool begins(const kgi_pair *q, unsigned side, uint32_t loop, const kgi_poly *from) {
  const kgi_inst *inst = &q->d->p->inst[loop];
  int64_t value;
  uint32_t atom = kgi_poly_is_atom(from);
  if (kgi_poly_is_int(from, &value)) return value >= 0;
  if (atom && (kgi_type_kind_of(inst->type) != KGI_SINT || !kgi_atom_is_unsigned(q->d, atom))) return kgi_not_negative(q, side, atom);
  if (inst->type == KG_I32) return begins_signed(q, side, loop, from);
  return inst->type == KG_U32 && (kgi_is_word(q, side, from) || begins_below_end(q, side, loop, from));
}

/* Within a question it is asked again and again, for each bound that hangs on it. */
bool kgi_loop_begins(const kgi_pair *q, unsigned side, uint32_t loop, kgi_poly *from) {
  kgi_search *search = q->d->search;
  kgi_begin *known = &search->begin[(loop * 2 + side) % KGI_SEARCH_BEGINS], now = {.loop = loop, .state = kgi_state_of(q, side)};
  *from = kgi_poly_of_value(q->d->p, (kgi_val){q->d->p->inst[loop].arg[0]}, q->d->size);
  if (search->depth && known->loop == loop && kgi_is_same_state(known->state, now.state)) return known->begins;
  now.begins = begins(q, side, loop, from);
  if (search->depth) *known = now;
  return now.begins;
}

/* The terms that both have. */
static kgi_poly shared_terms(const kgi_poly *from, const kgi_poly *to) {
  kgi_poly base = kgi_poly_int(0);
  for (uint32_t k = 0; k < from->count && !to->failed; k++)
    for (uint32_t n = 0; n < to->count; n++)
      if (to->t[n].c == from->t[k].c && !kgi_term_compare(to->t[n].atom, from->t[k].atom))
        base = kgi_poly_add(&base, &(kgi_poly){.count = 1, .t = {from->t[k]}}, 1);
  return base;
}

/* Of the end, or of either operand of a minimum there: it is but a choice, as from = base + first whatever the end is. */
static kgi_poly base_of(const kgi_distinct *d, const kgi_poly *from, uint32_t end, unsigned depth) {
  const kgi_inst *inst = &d->p->inst[end];
  kgi_poly to = kgi_poly_of_value(d->p, (kgi_val){end}, d->size), base = shared_terms(from, &to);
  for (unsigned k = 0; k < 2 && depth && !base.count && inst->kind == KGI_op && inst->op == KGI_OP_min; k++)
    base = base_of(d, from, inst->arg[k], depth - 1);
  return base;
}

bool kgi_loop_base(const kgi_pair *q, uint32_t loop, kgi_poly *base, kgi_poly *first) {
  const kgi_distinct *d = q->d;
  kgi_poly from = kgi_poly_of_value(d->p, (kgi_val){d->p->inst[loop].arg[0]}, d->size);
  *base = base_of(d, &from, d->p->inst[loop].arg[1], KGI_LIMIT(distinct_conditions));
  *first = kgi_poly_add(&from, base, -1);
  return !base->failed && !first->failed && base->count && first->count;
}
