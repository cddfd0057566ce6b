#include "foundation/analysis/distinct_facts.h"
#include "foundation/analysis/distinct_pair.h"
#include "foundation/analysis/ranges.h"
#include "foundation/analysis/naturals.h"
#include "foundation/ir/place.h"

bool kgi_atom_is_unsigned(const kgi_distinct *d, uint32_t atom) {
  const kgi_scope *s = &d->p->scope;
  if (atom < KGI_ATOM_FIRST) return kgi_type_kind_of(d->p->inst[atom].type) != KGI_SINT;
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_PARAM) return kgi_type_kind_of(s->param[atom - KGI_ATOM_PARAM].type) != KGI_SINT;
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_SPEC) return kgi_type_kind_of(s->spec[atom - KGI_ATOM_SPEC].type) != KGI_SINT;
  return true;
}

kgi_poly kgi_invocations_along(const kgi_distinct *d, unsigned axis) {
  kgi_poly groups = kgi_poly_atom(KGI_ATOM_GROUPS + axis);
  return kgi_poly_mul(&groups, &d->size[axis]);
}

kgi_poly kgi_length_of(const kgi_distinct *d, uint32_t object) {
  const kgi_object *o = &d->p->scope.object[object];
  if (o->length.i) return kgi_poly_of_dim(&d->p->scope, o->length);
  return o->scalar ? kgi_poly_int(1) : kgi_poly_atom(KGI_ATOM_LEN + object);
}

kgi_poly kgi_workgroup_of(const kgi_distinct *d) {
  kgi_poly all = kgi_poly_mul(&d->size[0], &d->size[1]);
  return kgi_poly_mul(&all, &d->size[2]);
}

bool kgi_is_small_id(const kgi_distinct *d, uint32_t atom) {
  const int64_t half = INT64_C(1) << 31;
  int64_t size;
  if (atom == KGI_ATOM_LOCAL_INDEX || (atom >= KGI_ATOM_LOCAL && atom < KGI_ATOM_LOCAL + 3)) return true;
  if (atom >= KGI_ATOM_GROUP && atom < KGI_ATOM_GROUP + 3) return d->most_groups[atom - KGI_ATOM_GROUP] <= half;
  if (atom < KGI_ATOM_GLOBAL || atom >= KGI_ATOM_GLOBAL + 3) return false;
  return kgi_poly_is_int(&d->size[atom - KGI_ATOM_GLOBAL], &size) && d->most_groups[atom - KGI_ATOM_GLOBAL] * size <= half;
}

/* ---- facts ---- */

static const kgi_fact *add(kgi_distinct *d, const kgi_fact *head, kgi_fact_kind kind, uint32_t atom, const kgi_poly *poly) {
  kgi_fact *fact = kgi_arena_alloc(d->arena, 1, sizeof *fact);
  if (!fact) return head;
  *fact = (kgi_fact){.next = head, .kind = kind, .atom = atom};
  if (poly) fact->poly = *poly;
  return fact;
}

static kgi_poly read(const kgi_distinct *d, uint32_t value) { return kgi_poly_of_value(d->p, (kgi_val){value}, d->size); }

/* A sum of products that are not negative can only lose by wrapping; an atom or a literal is its own value. */
bool kgi_is_upper(const kgi_distinct *d, const kgi_poly *poly, bool is_signed) {
  int64_t value;
  if (poly->failed) return false;
  if (kgi_poly_is_int(poly, &value)) return is_signed || value >= 0;
  if (is_signed && kgi_poly_is_atom(poly)) return true;
  for (uint32_t k = 0; k < poly->count; k++) {
    if (poly->t[k].c < 0) return false;
    for (unsigned n = 0; n < KGI_DEGREE && poly->t[k].atom[n]; n++)
      if (!kgi_atom_is_unsigned(d, poly->t[k].atom[n])) return false;
  }
  return true;
}

static bool is_told(const kgi_fact *head, kgi_fact_kind kind, uint32_t atom) {
  for (; head; head = head->next)
    if (head->kind == kind && head->atom == atom) return true;
  return false;
}

bool kgi_is_never_negative(const kgi_distinct *d, const kgi_fact *head, const kgi_poly *poly) {
  int64_t least = 0;
  for (uint32_t k = 0; k < poly->count && !poly->failed; k++) {
    const kgi_term *t = &poly->t[k];
    bool positive = true;
    for (unsigned n = 0; n < KGI_DEGREE && t->atom[n]; n++) {
      bool some = is_told(head, KGI_FACT_POSITIVE, t->atom[n]);
      if (t->c < 0 || (!some && !kgi_atom_is_unsigned(d, t->atom[n]) && !is_told(head, KGI_FACT_NOT_NEGATIVE, t->atom[n]))) return false;
      positive &= some;
    }
    if (positive && __builtin_add_overflow(least, t->c, &least)) return false;
  }
  return !poly->failed && least >= 0;
}

/* Where `head` holds. A word is congruent to its polynomial, so that it is no more than one that is not negative. */
static bool is_upper(const kgi_distinct *d, const kgi_fact *head, const kgi_poly *poly, bool is_signed) {
  return kgi_is_upper(d, poly, is_signed) || (poly->count && kgi_is_never_negative(d, head, poly));
}

static const kgi_fact *sum_below(kgi_distinct *d, const kgi_fact *head, const kgi_poly *sum, const kgi_poly *above) {
  kgi_fact *fact = sum->failed || above->failed ? NULL : kgi_arena_alloc(d->arena, 1, sizeof *fact);
  if (!fact) return head;
  *fact = (kgi_fact){.next = head, .kind = KGI_FACT_SUM_BELOW, .sum = *sum, .poly = *above};
  return fact;
}

/* As a signed word it is not negative. */
static bool is_natural(const kgi_distinct *d, const kgi_fact *head, uint32_t atom) {
  bool positive = !kgi_atom_is_unsigned(d, atom) && is_told(head, KGI_FACT_POSITIVE, atom);
  return positive || is_told(head, KGI_FACT_NOT_NEGATIVE, atom) || kgi_is_small_id(d, atom);
}

/* A length is not negative, so that of a product of what is not 0 no factor is: h of h * w. */
static bool is_of_length(const kgi_distinct *d, const kgi_fact *head, uint32_t atom) {
  const kgi_scope *s = &d->p->scope;
  for (uint32_t o = 1; o < s->object_count; o++) {
    kgi_poly length = s->object[o].length.i ? kgi_poly_of_dim(s, s->object[o].length) : kgi_poly_int(0);
    if (length.failed || length.count != 1 || length.t[0].c < 1 || !kgi_term_has(&length.t[0], atom)) continue;
    unsigned others = 0, positive = 0;
    for (unsigned n = 0; n < KGI_DEGREE && length.t[0].atom[n]; n++)
      if (length.t[0].atom[n] != atom) others++, positive += is_told(head, KGI_FACT_POSITIVE, length.t[0].atom[n]);
    if (positive == others && (others == KGI_DEGREE - 1 || !length.t[0].atom[others + 1])) return true;
  }
  return false;
}

static bool is_i32(const kgi_distinct *d, uint32_t atom) {
  const kgi_scope *s = &d->p->scope;
  if (atom < KGI_ATOM_FIRST) return d->p->inst[atom].type == KG_I32;
  if ((atom & KGI_ATOM_KIND) == KGI_ATOM_PARAM) return s->param[atom - KGI_ATOM_PARAM].type == KG_I32;
  return (atom & KGI_ATOM_KIND) == KGI_ATOM_SPEC && s->spec[atom - KGI_ATOM_SPEC].type == KG_I32;
}

/* The polynomial is what its word is as a signed number, as sums and differences of a few numbers below 2^31 are. */
static bool is_signed_word(const kgi_distinct *d, const kgi_fact *head, const kgi_poly *f) {
  int64_t low = 0, high = 0;
  for (uint32_t k = 0; k < f->count; k++) {
    const kgi_term *t = &f->t[k];
    int64_t limit = t->atom[0] ? 2 : INT32_MAX; /* more of a number than twice is no word in any case */
    if (t->atom[1] || t->c < -limit || t->c > limit || (t->atom[0] && !is_i32(d, t->atom[0]))) return false;
    bool known = !t->atom[0] || is_told(head, KGI_FACT_NOT_NEGATIVE, t->atom[0]) || is_told(head, KGI_FACT_POSITIVE, t->atom[0]);
    if (!known && !is_of_length(d, head, t->atom[0])) return false;
    int64_t most = t->atom[0] ? t->c * INT32_MAX : t->c;
    if (!t->atom[0] || t->c < 0) low += most;
    if (!t->atom[0] || t->c > 0) high += most;
  }
  return !f->failed && low >= INT32_MIN && high <= INT32_MAX;
}

/* low < high + extra, as machine words. */
static const kgi_fact *below(kgi_distinct *d, const kgi_fact *head, uint32_t low, uint32_t high, int64_t extra) {
  bool is_signed = d->p->inst[low].type == KG_I32;
  kgi_poly x = read(d, low), y = read(d, high), more = kgi_poly_int(extra), nothing = kgi_poly_int(0);
  uint32_t atom = kgi_poly_is_atom(&x), above = kgi_poly_is_atom(&y);
  int64_t value;
  if (is_signed && above && kgi_poly_is_int(&x, &value) && value + 1 - extra >= 0)
    head = add(d, head, KGI_FACT_NOT_NEGATIVE, above, NULL);
  if (above && kgi_poly_is_int(&x, &value) && value - extra >= 0 && (is_signed || kgi_atom_is_unsigned(d, above)))
    head = add(d, head, KGI_FACT_POSITIVE, above, NULL);
  if (is_signed && atom && above && is_natural(d, head, atom))
    head = add(d, head, extra ? KGI_FACT_NOT_NEGATIVE : KGI_FACT_POSITIVE, above, NULL);
  bool upper = is_upper(d, head, &y, is_signed) || (is_signed && is_signed_word(d, head, &y));
  if (!upper || (!is_signed && atom && !kgi_atom_is_unsigned(d, atom))) return head;
  y = kgi_poly_add(&y, &more, 1);
  if (!atom) return is_signed || x.count < 2 ? head : sum_below(d, head, &x, &y);
  bool is_least = kgi_poly_is_int(&y, &value) && value == 1; /* that a natural number may be below */
  if (is_least && (!is_signed || is_natural(d, head, atom))) head = add(d, head, KGI_FACT_EQUAL, atom, &nothing);
  return y.failed ? head : add(d, head, is_signed ? KGI_FACT_BELOW_SIGNED : KGI_FACT_BELOW, atom, &y);
}

/* What is below a minimum is below either operand. */
static const kgi_fact *below_each(kgi_distinct *d, const kgi_fact *head, uint32_t low, uint32_t high, int64_t extra, unsigned depth) {
  const kgi_inst *inst = &d->p->inst[high];
  head = below(d, head, low, high, extra);
  for (unsigned k = 0; k < 2 && depth && inst->kind == KGI_op && inst->op == KGI_OP_min; k++)
    head = below_each(d, head, low, inst->arg[k], extra, depth - 1);
  return head;
}

/* Not 0. */
static const kgi_fact *differ(kgi_distinct *d, const kgi_fact *head, uint32_t a, uint32_t b) {
  kgi_poly x = read(d, a), y = read(d, b);
  bool some = !x.count && !x.failed;
  uint32_t atom = some ? kgi_poly_is_atom(&y) : !y.count && !y.failed ? kgi_poly_is_atom(&x) : 0;
  return atom && kgi_atom_is_unsigned(d, atom) ? add(d, head, KGI_FACT_POSITIVE, atom, NULL) : head;
}

static const kgi_fact *equal(kgi_distinct *d, const kgi_fact *head, uint32_t a, uint32_t b) {
  kgi_poly x = read(d, a), y = read(d, b);
  if (kgi_poly_is_atom(&x)) head = add(d, head, KGI_FACT_EQUAL, kgi_poly_is_atom(&x), &y);
  if (kgi_poly_is_atom(&y)) head = add(d, head, KGI_FACT_EQUAL, kgi_poly_is_atom(&y), &x);
  return head;
}

static const kgi_fact *compare(kgi_distinct *d, const kgi_fact *head, const kgi_inst *inst, bool truth) {
  uint32_t a = inst->arg[0], b = inst->arg[1];
  unsigned type = d->p->inst[a].type;
  if (type != KG_I32 && type != KG_U32) return head;
  unsigned most = KGI_LIMIT(distinct_conditions);
  if (inst->op == (truth ? KGI_OP_lt : KGI_OP_ge)) return below_each(d, head, a, b, 0, most);
  if (inst->op == (truth ? KGI_OP_le : KGI_OP_gt)) return below_each(d, head, a, b, 1, most);
  if (inst->op == (truth ? KGI_OP_gt : KGI_OP_le)) return below_each(d, head, b, a, 0, most);
  if (inst->op == (truth ? KGI_OP_ge : KGI_OP_lt)) return below_each(d, head, b, a, 1, most);
  if (inst->op == (truth ? KGI_OP_ne : KGI_OP_eq)) return differ(d, head, a, b);
  return inst->op == (truth ? KGI_OP_eq : KGI_OP_ne) ? equal(d, head, a, b) : head;
}

/* What follows from a condition that holds, or does not. */
static const kgi_fact *learn(kgi_distinct *d, const kgi_fact *head, uint32_t condition, bool truth, unsigned depth) {
  const kgi_inst *inst = &d->p->inst[condition];
  if (inst->kind != KGI_op || !depth) return head;
  if (inst->op == KGI_OP_not) return learn(d, head, inst->arg[0], !truth, depth - 1);
  if (inst->op == (truth ? KGI_OP_and : KGI_OP_or) && inst->type == KG_BOOL) {
    head = learn(d, head, inst->arg[0], truth, depth - 1);
    return learn(d, head, inst->arg[1], truth, depth - 1);
  }
  return compare(d, head, inst, truth);
}

/* Bounds that are equal polynomials are equal words, with no trip between them: of a product by which they differ, no factor is 0. */
static const kgi_fact *trip_facts(kgi_distinct *d, const kgi_fact *head, const kgi_inst *loop) {
  kgi_poly from = read(d, loop->arg[0]), to = read(d, loop->arg[1]), apart = kgi_poly_add(&to, &from, -1);
  if (apart.failed || apart.count != 1) return head;
  for (unsigned n = 0; n < KGI_DEGREE && apart.t[0].atom[n]; n++)
    if (kgi_atom_is_unsigned(d, apart.t[0].atom[n])) head = add(d, head, KGI_FACT_POSITIVE, apart.t[0].atom[n], NULL);
  return head;
}

/* The v of max(v, c) - c, as which loops end that go on while j + c < v. As unsigned words there is a trip only where that is not 0, and v is
 * more than c: it is v - c then. 0: the bound is none such. */
static uint32_t more_than(const kgi_distinct *d, uint32_t to, int64_t *c) {
  const kgi_program *p = d->p;
  const kgi_inst *difference = &p->inst[to], *most = &p->inst[difference->arg[0]];
  bool is_difference = difference->kind == KGI_op && difference->op == KGI_OP_sub && difference->type == KG_U32;
  kgi_poly taken = is_difference ? read(d, difference->arg[1]) : (kgi_poly){.failed = true};
  if (!kgi_poly_is_int(&taken, c) || *c < 0 || most->kind != KGI_op || most->op != KGI_OP_max) return 0;
  for (unsigned k = 0; k < 2; k++) {
    kgi_poly least = read(d, most->arg[k]);
    int64_t value;
    if (kgi_poly_is_int(&least, &value) && value == *c) return most->arg[1 - k];
  }
  return 0;
}

static const kgi_fact *bound_by_more(kgi_distinct *d, const kgi_fact *head, uint32_t i, uint32_t to) {
  int64_t c;
  uint32_t v = d->p->inst[i].type == KG_U32 ? more_than(d, to, &c) : 0;
  kgi_poly above = v ? read(d, v) : kgi_poly_int(0), taken = kgi_poly_int(v ? c : 0);
  if (!v || !kgi_is_upper(d, &above, false)) return head;
  above = kgi_poly_add(&above, &taken, -1);
  return add(d, head, KGI_FACT_BELOW, i, &above);
}

/* The index is below the bound, and below either operand of a minimum. */
static const kgi_fact *loop_bounds(kgi_distinct *d, const kgi_fact *head, uint32_t i, uint32_t to, unsigned depth) {
  const kgi_inst *inst = &d->p->inst[to];
  kgi_poly above = read(d, to);
  bool is_signed = d->p->inst[i].type == KG_I32;
  bool upper = is_upper(d, head, &above, is_signed) || (is_signed && is_signed_word(d, head, &above));
  if (upper) head = add(d, head, is_signed ? KGI_FACT_BELOW_SIGNED : KGI_FACT_BELOW, i, &above);
  head = bound_by_more(d, head, i, to);
  for (unsigned k = 0; k < 2 && depth && inst->kind == KGI_op && inst->op == KGI_OP_min; k++)
    head = loop_bounds(d, head, i, inst->arg[k], depth - 1);
  return head;
}

/* A signed loop that begins at what is not negative: so are its index and its bound. */
static const kgi_fact *signed_facts(kgi_distinct *d, const kgi_fact *head, uint32_t i) {
  kgi_poly none = {.failed = true}, from, to = read(d, d->p->inst[i].arg[1]);
  kgi_pair q = {.d = d, .mode = KGI_IN_DISPATCH, .facts = {head, head}, .length = &none};
  if (!kgi_loop_begins(&q, 0, i, &from)) return head;
  if (kgi_poly_is_atom(&to)) head = add(d, head, KGI_FACT_POSITIVE, kgi_poly_is_atom(&to), NULL);
  return add(d, head, KGI_FACT_NOT_NEGATIVE, i, NULL);
}

/* The index is in [from, to), and steps do not wrap: there is no trip by less than 1. */
static const kgi_fact *loop_facts(kgi_distinct *d, const kgi_fact *head, uint32_t i) {
  const kgi_inst *inst = &d->p->inst[i];
  if (inst->type != KG_U32 && inst->type != KG_I32) return head;
  head = trip_facts(d, head, inst);
  if (inst->type == KG_I32) head = signed_facts(d, head, i);
  return loop_bounds(d, head, i, inst->arg[1], KGI_LIMIT(distinct_conditions));
}

/* Of loops around whose bounds are none by what is known outside: m - 1. */
static const kgi_fact *bounds_around(kgi_distinct *d, const kgi_fact *outside, const kgi_fact *head, uint32_t access) {
  const kgi_program *p = d->p;
  for (uint32_t i = p->block[p->inst[access].block].owner; i; i = p->block[p->inst[i].block].owner) {
    bool is_loop = p->inst[i].kind == KGI_for && p->inst[i].type == KG_U32;
    kgi_poly above = is_loop ? read(d, p->inst[i].arg[1]) : kgi_poly_int(0);
    if (is_loop && !is_upper(d, outside, &above, false)) head = loop_bounds(d, head, i, p->inst[i].arg[1], KGI_LIMIT(distinct_conditions));
  }
  return head;
}

/* The length is not 0 where something is reached, and so is no factor of it. */
static const kgi_fact *length_facts(kgi_distinct *d, const kgi_fact *head, uint32_t access) {
  kgi_poly length = kgi_length_of(d, d->p->inst[access].arg[0]);
  const kgi_fact *outside = head;
  for (unsigned n = 0; n < KGI_DEGREE && length.count && length.t[0].atom[n]; n++) {
    uint32_t atom = length.t[0].atom[n];
    if (!kgi_atom_is_unsigned(d, atom) || !kgi_divides_length(&length, atom) || is_told(head, KGI_FACT_POSITIVE, atom)) continue;
    head = add(d, head, KGI_FACT_POSITIVE, atom, NULL);
  }
  return head == outside ? head : bounds_around(d, outside, head, access);
}

/* What is reached lies inside: a signed index is not negative. */
static const kgi_fact *flat_facts(kgi_distinct *d, const kgi_fact *head, uint32_t at) {
  const kgi_inst *access = &d->p->inst[at];
  kgi_poly index = read(d, access->arg[1]);
  head = length_facts(d, head, at);
  uint32_t atom = access->arg[1] ? kgi_poly_is_atom(&index) : 0;
  bool is_signed = atom && !kgi_atom_is_unsigned(d, atom) && kgi_type_kind_of(d->p->inst[access->arg[1]].type) == KGI_SINT;
  return is_signed ? add(d, head, KGI_FACT_NOT_NEGATIVE, atom, NULL) : head;
}

/* Along each dimension the index is in [0, extent), which is at most 2^31 - 1, and is thus not 0. */
static const kgi_fact *place_facts(kgi_distinct *d, const kgi_fact *head, uint32_t access) {
  kgi_digits place;
  if (!kgi_place_of(d->p, access, &place)) return flat_facts(d, head, access);
  for (unsigned k = 0; k < d->p->scope.object[d->p->inst[access].arg[0]].rank; k++) {
    kgi_poly index = read(d, place.value[k]), extent = read(d, d->p->inst[place.link[k]].arg[2]);
    uint32_t atom = kgi_poly_is_atom(&index);
    if (kgi_poly_is_atom(&extent)) head = add(d, head, KGI_FACT_POSITIVE, kgi_poly_is_atom(&extent), NULL);
    if (!atom) continue;
    bool is_signed = !kgi_atom_is_unsigned(d, atom);
    if (is_signed) head = add(d, head, KGI_FACT_NOT_NEGATIVE, atom, NULL);
    if (!extent.failed) head = add(d, head, is_signed ? KGI_FACT_BELOW_SIGNED : KGI_FACT_BELOW, atom, &extent);
  }
  return head;
}

/* ---- what holds of the whole dispatch ---- */

/* Hosts hold params to their ranges. */
static const kgi_fact *param_facts(kgi_distinct *d, const kgi_fact *head) {
  const kgi_scope *s = &d->p->scope;
  for (uint32_t q = 1; q < s->param_count; q++) {
    if (!s->param[q].ranged || !kgi_is_int(s->param[q].type)) continue;
    kgi_range least = kgi_range_of_dim(s, s->param[q].lo);
    if (least.known && least.lo > 0) head = add(d, head, KGI_FACT_POSITIVE, KGI_ATOM_PARAM + q, NULL);
    if (least.known && least.lo >= 0 && s->param[q].type == KG_I32) head = add(d, head, KGI_FACT_NOT_NEGATIVE, KGI_ATOM_PARAM + q, NULL);
  }
  return head;
}

/* There is a workgroup, so that of n / c of them n is at least c; and those of no more than c invocations have no more than n. */
static const kgi_fact *grid_facts(kgi_distinct *d, const kgi_fact *head, unsigned axis) {
  const kgi_scope *s = &d->p->scope;
  kgi_dim dim = d->p->grid[axis];
  const kgi_dim_node *n = &s->dim[dim.i], *by = &s->dim[n->b];
  if (!d->own_grid || !dim.i) return head;
  bool divided = n->op == KGI_DIM_DIV && by->op == KGI_DIM_INT && by->imm >= 1;
  kgi_poly all = kgi_poly_of_dim(s, divided ? (kgi_dim){n->a} : dim), least = kgi_poly_int(divided ? by->imm - 1 : 0), more;
  int64_t size, extra = all.count && !all.t[0].atom[0] ? all.t[0].c : 0;
  if (all.failed) return head;
  bool lanes = divided && !d->p->grid_is_invocations && kgi_poly_is_int(&d->size[axis], &size) && size <= by->imm;
  if (lanes) head = add(d, head, KGI_FACT_BELOW, KGI_ATOM_GLOBAL + axis, &all);
  more = kgi_poly_int(extra), more = kgi_poly_add(&all, &more, -1);
  if (kgi_poly_is_int(&least, &size) && extra <= size && kgi_poly_is_atom(&more)) head = add(d, head, KGI_FACT_POSITIVE, kgi_poly_is_atom(&more), NULL);
  return head;
}

static const kgi_fact *first_facts(kgi_distinct *d) {
  const kgi_fact *head = param_facts(d, NULL);
  for (unsigned axis = 0; axis < 3; axis++) head = grid_facts(d, head, axis);
  return head;
}

/* ---- the walk ---- */

typedef struct walk { kgi_distinct *d; uint32_t place, serial; unsigned loops; } walk;

static bool ends_in_jump(const kgi_program *p, kgi_blk block) {
  return block && kgi_ends(&p->inst[p->block[block].last]);
}

static const kgi_fact *visit_block(walk *w, kgi_blk block, const kgi_fact *head);

static const kgi_fact *visit_if(walk *w, uint32_t i, const kgi_fact *head) {
  const kgi_program *p = w->d->p;
  uint32_t condition = p->inst[i].arg[0], yes = p->inst[i].arg[1], no = p->inst[i].arg[2];
  unsigned most = KGI_LIMIT(distinct_conditions);
  visit_block(w, yes, learn(w->d, head, condition, true, most));
  if (no) visit_block(w, no, learn(w->d, head, condition, false, most));
  if (ends_in_jump(p, yes)) head = learn(w->d, head, condition, false, most);
  if (ends_in_jump(p, no)) head = learn(w->d, head, condition, true, most);
  return head;
}

static void visit_loop(walk *w, uint32_t i, const kgi_fact *head) {
  const kgi_inst *inst = &w->d->p->inst[i];
  w->loops++;
  if (inst->kind == KGI_for) {
    visit_block(w, inst->arg[3], loop_facts(w->d, head, i));
  } else {
    visit_block(w, inst->arg[1], head);
    visit_block(w, inst->arg[2], learn(w->d, head, inst->arg[0], true, KGI_LIMIT(distinct_conditions)));
  }
  w->loops--;
}

/* A jump makes every block of its loop one in which a barrier may be jumped over. */
static void mark_jump(kgi_distinct *d, kgi_blk block) {
  for (; block > KGI_BODY; block = d->p->inst[d->p->block[block].owner].block) {
    const kgi_inst *owner = &d->p->inst[d->p->block[block].owner];
    if (!kgi_is_loop(owner)) continue;
    kgi_span blocks = kgi_owned_blocks(owner);
    for (unsigned k = 0; k < blocks.count; k++) d->jumps[owner->arg[blocks.first + k]] = 1;
    return;
  }
}

static const kgi_fact *visit(walk *w, uint32_t i, const kgi_fact *head) {
  kgi_distinct *d = w->d;
  const kgi_inst *inst = &d->p->inst[i];
  switch ((kgi_kind)inst->kind) {
  case KGI_load: case KGI_store: case KGI_atomic: d->in_front[i] = head, d->facts[i] = place_facts(d, head, i); return head;
  case KGI_barrier: d->barriers[inst->block]++, w->serial++; return head;
  case KGI_check: return learn(d, head, inst->arg[0], true, KGI_LIMIT(distinct_conditions)); /* else the run has failed */
  case KGI_return: d->returns = true; return head;
  case KGI_break: case KGI_continue: mark_jump(d, inst->block); return head;
  case KGI_if: return visit_if(w, i, head);
  case KGI_for: case KGI_while: d->facts[i] = head, visit_loop(w, i, head); return head;
  case KGI_region: case KGI_checkpoint:
    head = visit_block(w, inst->arg[0], head);
    d->barriers[inst->block] += d->barriers[inst->arg[0]];
    return head;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_op: case KGI_subgroup:
  case KGI_memory_barrier: case KGI_var: case KGI_KIND_COUNT: break;
  }
  return head;
}

static const kgi_fact *visit_block(walk *w, kgi_blk block, const kgi_fact *head) {
  KGI_EACH(w->d->p, block, i) {
    w->d->place[i] = ++w->place;
    w->d->serial[i] = w->serial;
    w->d->loops[i] = (uint8_t)w->loops;
    w->d->barriers_before[i] = w->d->barriers[block];
    head = visit(w, i, head);
  }
  return head;
}

bool kgi_facts_collect(kgi_distinct *d) {
  walk w = {.d = d};
  d->facts = kgi_arena_alloc(d->arena, d->p->inst_count, sizeof *d->facts);
  d->in_front = kgi_arena_alloc(d->arena, d->p->inst_count, sizeof *d->in_front);
  d->place = kgi_arena_alloc(d->arena, d->p->inst_count, sizeof *d->place);
  d->serial = kgi_arena_alloc(d->arena, d->p->inst_count, sizeof *d->serial);
  d->barriers_before = kgi_arena_alloc(d->arena, d->p->inst_count, sizeof *d->barriers_before);
  d->loops = kgi_arena_alloc(d->arena, d->p->inst_count, 1);
  d->barriers = kgi_arena_alloc(d->arena, d->p->block_count, sizeof *d->barriers);
  d->jumps = kgi_arena_alloc(d->arena, d->p->block_count, 1);
  if (!d->arena->failed) visit_block(&w, KGI_BODY, d->always = first_facts(d));
  return !d->arena->failed;
}

/* ---- barriers between accesses ---- */

typedef struct chain { unsigned count; kgi_blk block[KGI_MAX_DEPTH + 2]; uint32_t statement[KGI_MAX_DEPTH + 2]; } chain;

/* The blocks around an access, outermost first, and in each the statement that holds it. */
static void find_chain(const kgi_program *p, uint32_t access, chain *c) {
  c->count = 0;
  for (uint32_t i = access; i && c->count < KGI_MAX_DEPTH + 2; i = p->block[p->inst[i].block].owner)
    c->block[c->count] = p->inst[i].block, c->statement[c->count++] = i;
  for (unsigned k = 0; k < c->count / 2; k++) {
    unsigned other = c->count - 1 - k;
    kgi_blk block = c->block[k];
    uint32_t statement = c->statement[k];
    c->block[k] = c->block[other], c->statement[k] = c->statement[other];
    c->block[other] = block, c->statement[other] = statement;
  }
}

static uint32_t inside_region(const kgi_distinct *d, uint32_t statement) {
  const kgi_inst *inst = &d->p->inst[statement];
  return kgi_is_region(inst) ? d->barriers[inst->arg[0]] : 0;
}

/* A barrier follows in one of the blocks from `level` down, and nothing can jump over it. */
static bool barrier_after(const kgi_distinct *d, const chain *c, unsigned level) {
  bool jumps = false;
  for (unsigned k = 0; k < c->count; k++) {
    jumps |= d->jumps[c->block[k]];
    if (k < level || jumps) continue;
    if (d->barriers[c->block[k]] > d->barriers_before[c->statement[k]] + inside_region(d, c->statement[k])) return true;
  }
  return false;
}

/* A barrier precedes in one of the blocks from `level` down: whoever gets here has passed it. */
static bool barrier_before(const kgi_distinct *d, const chain *c, unsigned level) {
  for (unsigned k = level; k < c->count; k++)
    if (d->barriers_before[c->statement[k]]) return true;
  return false;
}

/* In the same trip of all loops around both; `level` is below their innermost common block. */
static bool meet_directly(const kgi_distinct *d, const chain *a, const chain *b, unsigned level) {
  uint32_t x = a->statement[level - 1], y = b->statement[level - 1];
  if (x == y) return true;
  if (d->place[x] > d->place[y]) return meet_directly(d, b, a, level);
  return d->barriers_before[y] == d->barriers_before[x] + inside_region(d, x) && !barrier_after(d, a, level) &&
         !barrier_before(d, b, level);
}

bool kgi_accesses_meet(const kgi_distinct *d, uint32_t x, uint32_t y, unsigned *locked) {
  chain a, b;
  unsigned common = 0, loops = 0;
  find_chain(d->p, x, &a), find_chain(d->p, y, &b);
  while (common < a.count && common < b.count && a.block[common] == b.block[common]) common++;
  /* Around the end of a loop, from one trip to a later one; the outermost decides. */
  for (unsigned k = 1; k < common; k++) {
    if (!kgi_is_loop(&d->p->inst[d->p->block[a.block[k]].owner])) continue;
    *locked = loops++;
    if (!barrier_after(d, &a, k) && !barrier_before(d, &b, k)) return true;
    if (!barrier_after(d, &b, k) && !barrier_before(d, &a, k)) return true;
  }
  *locked = loops;
  return meet_directly(d, &a, &b, common);
}
