/* Whether a dispatch makes an access exactly once for every element of a buffer.
 *
 * The index must be a number in mixed radix whose digits run through all their values together: f = x0 + r0*x1 + r0*r1*x2 + ...,
 * with 0 <= xk < rk, and the length r0*r1*...  A digit is the index of a loop around the access, an id, or a loop that the lanes of
 * a workgroup share (`for j in local_id.x .. r step the workgroup's size`), or that workgroups do, or all invocations along an axis, on
 * any grid that has a workgroup where the range has an element. Then the tuples of digits and the elements are the same
 * in number and different tuples are different elements, for all values of params and constants: ranges are sums of products of
 * numbers that are not negative. None of them wraps where it matters: if the length is 0 there is nothing to reach, else each range
 * is at most the length, which is below 2^32.
 *
 * A loop that begins elsewhere, or goes on by more than 1, is a digit by the number of its trip; one that is taken away is counted from its
 * end, and so is an id. Its bounds must be known not to wrap: they are literals, or no more than the length.
 *
 * A row may be made of two ids: r = a + c*b of the workgroup's ids along x and y, where a < c, b < d and r < n are what guards say, d*c
 * is at least the n that there can be and wraps nowhere, and the grid is at least min(n, c) by (n + c - 1) / c. Then r % c and r / c name
 * the one workgroup that has row r.
 *
 * A digit may be taken apart by division, as i is by i / c and i % c: each part is a digit then, if together they are as many as i has
 * values. Their divisors are factors of that number, so that none is 0 or wraps where there is something to reach. Those whose i % 32 differ
 * may share a loop, as the lanes of a row do of which a workgroup has several: `for j in i % 32 .. r step 32`. A guard i / c < n says
 * that i is below n * c. Digits of local_id are digits of global_id, of what divides the workgroup's size: id / 8 and lane % 8 of 32 lanes.
 *
 * Of an id that a guard keeps below a number the grid may have more values, if it is known to have so many: (n + 63) / 64 workgroups of 64.
 * So it may of the last digit without a guard, as what is past the end is no element, unless it wraps: what a guard of the index itself keeps
 * off is past the end, too.
 *
 * Of accesses that are one number apart it is a digit, too, which of them it is.
 *
 * Everything that decides whether the access is made must be one of the digits: each loop, guard and axis of the dispatch. But a guard may
 * say of where a shared loop begins that it is below the loop's end.
 *
 * Where nobody knows how the length and the last digit's range are related, the accesses still come by each element up to some number
 * exactly once, and by no other, as long as that number is below 2^32: the weight of the last digit times the least of what it is below. */
#include "foundation/analysis/cover_grid.h"
#include "foundation/analysis/digits.h"
#include "foundation/ir/place.h"

enum { DIGITS = KGI_MOST_cover_digits, GUARDS = KGI_MOST_cover_guards };
typedef struct guard { uint32_t atom; kgi_poly low, below; bool used; } guard; /* atom: 0 where `low` is not one */
/* `local`, `group`: axes that it runs through, as bits. Of a loop that no one shares: */
typedef struct digit {
  uint32_t atom;
  uint8_t local, group;
  bool used, apart; /* itself; in parts */
  uint32_t loop;
  uint32_t shared;    /* the loop begins at this part of a digit, and goes on by as many as that has values */
  bool chunk, turned; /* it begins where ids say; it is counted from its end, of an id too */
  kgi_poly trips;     /* how many, where the atom is which trip it is */
  kgi_poly range;     /* of one in parts */
} digit;
typedef struct share { const digit *of; kgi_poly weight, above; } share; /* of / weight, modulo above / weight */
typedef struct cover {
  const kgi_distinct *d;
  digit digit[DIGITS + 16]; unsigned count;
  share part[DIGITS]; unsigned parts;
  guard guard[GUARDS]; unsigned guards;
  bool open_end;    /* of the last digit the grid may have more values than there are elements */
  bool wide;        /* digits of local_id are taken for those of global_id */
  bool lone;        /* one invocation of each workgroup makes the access */
  kgi_front *front; /* the last digit may have any range, and this says which; NULL: it may not */
} cover;

static kgi_poly read(const kgi_distinct *d, uint32_t value) { return kgi_poly_of_value(d->p, (kgi_val){value}, d->size); }

/* ---- what stands around the access ---- */

/* What `i / c < bound` says of i: it is below bound * c. Where that wraps, no digit has it for its range. */
static void undivide(const cover *c, guard *g) {
  kgi_base_digit part;
  if (c->front || !kgi_digit_of_base(c->d->p, g->atom, c->d->size, &part) || !part.top || !kgi_is_size(c->d, &part.weight)) return;
  g->atom = part.base, g->low = kgi_poly_atom(part.base), g->below = kgi_poly_mul(&g->below, &part.weight);
}

/* `id < bound`, as unsigned words: the condition holds, or `truth` is false and it does not. */
static bool add_guard(cover *c, uint32_t condition, bool truth) {
  const kgi_inst *inst = &c->d->p->inst[condition];
  if (inst->kind != KGI_op) return false;
  if (inst->op == KGI_OP_not) return inst->type == KG_BOOL && add_guard(c, inst->arg[0], !truth);
  if (inst->op == (truth ? KGI_OP_and : KGI_OP_or) && inst->type == KG_BOOL)
    return add_guard(c, inst->arg[0], truth) && add_guard(c, inst->arg[1], truth);
  bool plain = inst->op == (truth ? KGI_OP_lt : KGI_OP_ge), turned = inst->op == (truth ? KGI_OP_gt : KGI_OP_le);
  if ((!plain && !turned) || c->d->p->inst[inst->arg[0]].type != KG_U32 || c->guards >= KGI_LIMIT(cover_guards)) return false;
  kgi_poly low = read(c->d, inst->arg[turned ? 1 : 0]);
  guard *g = &c->guard[c->guards++];
  *g = (guard){.atom = kgi_poly_is_atom(&low), .low = low, .below = read(c->d, inst->arg[turned ? 0 : 1])};
  if (g->atom) undivide(c, g);
  bool is_loop = g->atom && g->atom < KGI_ATOM_GROUPS && (g->atom >= KGI_ATOM_FIRST || c->d->p->inst[g->atom].kind != KGI_op);
  return !is_loop && kgi_is_size(c->d, &g->below);
}

/* The loop is shared by workgroups along an axis, or by all invocations along it. */
static bool is_shared_across(cover *c, digit *g, const kgi_inst *inst, uint32_t first, const kgi_poly *step) {
  unsigned axis = (first - KGI_ATOM_GROUPS) % 4;
  bool group = first >= KGI_ATOM_GROUP && first < KGI_ATOM_GROUP + 3, all = first >= KGI_ATOM_GLOBAL && first < KGI_ATOM_GLOBAL + 3;
  kgi_poly range = read(c->d, inst->arg[1]), groups = kgi_poly_atom(KGI_ATOM_GROUPS + axis);
  if ((!group && !all) || inst->type != KG_U32 || !kgi_grid_has_groups(c->d, axis, &range)) return false;
  kgi_poly stride = all ? kgi_poly_mul(&groups, &c->d->size[axis]) : groups;
  kgi_poly grid = all ? kgi_poly_mul(&c->d->grid[axis], &c->d->size[axis]) : c->d->grid[axis];
  g->group = (uint8_t)(1u << axis), g->local = all ? g->group : 0;
  return kgi_poly_equal(step, &stride) || kgi_poly_equal(step, &grid);
}

/* index = from + step * trip, of trips that are as many as the bounds are apart. Of those bounds that are no numbers, what could wrap must be no
 * more than the object's length: `to` where that is trips times the step, and both where the index begins elsewhere for each id. */
static bool count_trips(cover *c, digit *g, const kgi_inst *loop, const kgi_poly *from, const kgi_poly *step) {
  kgi_poly to = read(c->d, loop->arg[1]), apart = kgi_poly_add(&to, from, -1);
  int64_t first, last, by, all;
  bool is_signed = loop->type == KG_I32, number = kgi_poly_is_int(from, &first), numbers = number && kgi_poly_is_int(&to, &last);
  if (!kgi_poly_is_int(step, &by) || by < 1 || (loop->type != KG_U32 && !is_signed)) return false;
  if (numbers && !is_signed && (first < 0 || last < 0)) return false; /* from 2^31 on */
  g->chunk = !number;
  if (g->chunk && (is_signed || by != 1 || !kgi_is_upper(c->d, from, false))) return false;
  if (number && !numbers && (is_signed || first)) return false;
  if (kgi_poly_is_int(&apart, &all) && all < 0) apart = kgi_poly_int(0);
  g->atom = KGI_ATOM_TRIP + g->loop, g->trips = kgi_poly_trips(&apart, by);
  return kgi_is_size(c->d, &g->trips);
}

/* The loop is shared by invocations whose ids have one digit or another: by the lanes of a row, of which a workgroup has several. Of a
 * digit without values nobody would be there. */
static bool is_shared_by_part(cover *c, digit *g, uint32_t first, const kgi_poly *step) {
  kgi_base_digit part;
  int64_t by;
  if (!kgi_poly_is_int(step, &by) || by < 1) return false;
  if (!kgi_digit_of_base(c->d->p, first, c->d->size, &part) || part.top || !kgi_poly_equal(&part.size, step)) return false;
  g->shared = first;
  return true;
}

static bool add_loop(cover *c, uint32_t loop) {
  const kgi_inst *inst = &c->d->p->inst[loop];
  kgi_poly from = read(c->d, inst->arg[0]), step = read(c->d, inst->arg[2]), group = kgi_workgroup_of(c->d);
  int64_t first, by;
  digit *g = &c->digit[c->count++];
  *g = (digit){.atom = loop, .loop = loop};
  if (kgi_poly_is_int(&from, &first) && kgi_poly_is_int(&step, &by) && first == 0 && by == 1) return true;
  if (count_trips(c, g, inst, &from, &step)) return true;
  *g = (digit){.atom = loop};
  uint32_t lane = kgi_poly_is_atom(&from);
  if (lane >= KGI_ATOM_LOCAL && lane < KGI_ATOM_LOCAL + 3) {
    g->local = (uint8_t)(1u << (lane - KGI_ATOM_LOCAL));
    return kgi_poly_equal(&step, &c->d->size[lane - KGI_ATOM_LOCAL]);
  }
  if (lane && lane < KGI_ATOM_FIRST) return is_shared_by_part(c, g, lane, &step);
  if (lane != KGI_ATOM_LOCAL_INDEX) return lane >= KGI_ATOM_GROUPS && is_shared_across(c, g, inst, lane, &step);
  g->local = 7;
  return kgi_poly_equal(&step, &group);
}

/* No element is past 2^31. */
static bool is_signed_length(const kgi_distinct *d, const kgi_poly *length) {
  int64_t number;
  uint32_t atom = kgi_poly_is_atom(length);
  return kgi_poly_is_int(length, &number) ? number <= INT32_MAX : atom && !kgi_atom_is_unsigned(d, atom);
}

/* index < length, as the access has them: what it keeps off comes by no element. A signed index is no element below 0. */
static bool is_check(const kgi_distinct *d, uint32_t access, uint32_t condition, bool truth) {
  const kgi_inst *inst = &d->p->inst[condition];
  if (inst->kind != KGI_op) return false;
  if (inst->op == KGI_OP_not) return inst->type == KG_BOOL && is_check(d, access, inst->arg[0], !truth);
  bool plain = inst->op == (truth ? KGI_OP_lt : KGI_OP_ge), turned = inst->op == (truth ? KGI_OP_gt : KGI_OP_le);
  unsigned type = d->p->inst[inst->arg[0]].type, of_index = d->p->inst[d->p->inst[access].arg[1]].type;
  if ((!plain && !turned) || (type != KG_U32 && (type != KG_I32 || of_index != KG_I32))) return false;
  kgi_poly low = read(d, inst->arg[turned ? 1 : 0]), above = read(d, inst->arg[turned ? 0 : 1]);
  kgi_poly index = read(d, d->p->inst[access].arg[1]), length = kgi_length_of(d, d->p->inst[access].arg[0]);
  return kgi_poly_equal(&low, &index) && kgi_poly_equal(&above, &length) && (type == KG_U32 || is_signed_length(d, &length));
}

kgi_blk kgi_checked_block(const kgi_distinct *d, uint32_t access) {
  const kgi_program *p = d->p;
  kgi_blk block = p->inst[access].block;
  if (!p->inst[access].arg[1] || p->scope.object[p->inst[access].arg[0]].rank) return block;
  while (block != KGI_BODY) {
    const kgi_inst *inst = &p->inst[p->block[block].owner];
    if (inst->kind != KGI_if || !is_check(d, access, inst->arg[0], inst->arg[1] == block)) return block;
    block = inst->block;
  }
  return block;
}

static bool add_blocks(cover *c, kgi_blk block) {
  const kgi_program *p = c->d->p;
  for (; block != KGI_BODY;) {
    uint32_t owner = p->block[block].owner;
    const kgi_inst *inst = &p->inst[owner];
    if (inst->kind == KGI_for) {
      if (c->d->jumps[block] || c->count >= KGI_LIMIT(cover_digits) || !add_loop(c, owner)) return false;
    } else if (!kgi_is_region(inst) && (inst->kind != KGI_if || !add_guard(c, inst->arg[0], inst->arg[1] == block))) {
      return false;
    }
    block = inst->block;
  }
  return true;
}

static void add_groups(cover *c) {
  for (unsigned axis = 0; axis < 3; axis++) c->digit[c->count++] = (digit){.atom = KGI_ATOM_GROUP + axis, .group = (uint8_t)(1u << axis)};
}

static void add_ids(cover *c) {
  add_groups(c);
  for (unsigned axis = 0; axis < 3; axis++) {
    uint8_t bit = (uint8_t)(1u << axis);
    c->digit[c->count++] = (digit){.atom = KGI_ATOM_GLOBAL + axis, .local = bit, .group = bit};
    c->digit[c->count++] = (digit){.atom = KGI_ATOM_LOCAL + axis, .local = bit};
  }
  c->digit[c->count++] = (digit){.atom = KGI_ATOM_LOCAL_INDEX, .local = 7};
}

/* ---- the digits ---- */

/* The number of values of a digit; failed where they do not begin at 0 or have gaps. `alone`: it is the whole index. */
static kgi_poly range_of(cover *c, const digit *g, bool alone) {
  const kgi_distinct *d = c->d;
  const kgi_inst *loop = &d->p->inst[g->atom];
  kgi_poly range = {.failed = true};
  unsigned axis = (g->atom - KGI_ATOM_GROUPS) % 4;
  int64_t literal;
  if ((g->atom >= KGI_ATOM_TRIP && g->atom < KGI_ATOM_GROUPS) || g->atom == KGI_ATOM_MEMBER) {
    range = g->trips;
  } else if (g->atom < KGI_ATOM_FIRST) {
    range = read(d, loop->arg[1]);
    /* As a signed number a bound may be negative. */
    if (loop->type != KG_U32 && !(loop->type == KG_I32 && kgi_poly_is_int(&range, &literal))) range.failed = true;
  } else if (g->atom == KGI_ATOM_LOCAL_INDEX) {
    range = kgi_workgroup_of(d);
  } else if (g->atom >= KGI_ATOM_GLOBAL) {
    range = kgi_poly_mul(&d->grid[axis], &d->size[axis]);
    bool guarded = false;
    for (unsigned k = 0; k < c->guards; k++) guarded |= c->guard[k].atom == g->atom;
    /* Surplus invocations are kept off by the guard, or are past the end. */
    if (range.failed && (guarded || alone)) range = d->invocations[axis];
  } else if (g->atom >= KGI_ATOM_LOCAL) {
    range = d->size[axis];
  } else {
    range = d->grid[axis];
  }
  for (unsigned k = 0; k < c->guards; k++)
    if (c->guard[k].atom == g->atom && kgi_grid_lets_pass_all(d, g->atom, &c->guard[k].below)) range = c->guard[k].below;
  if (!kgi_is_size(d, &range)) range.failed = true;
  return range;
}

/* One that keeps off surplus invocations alone, of numbers that are known, is the range. */
static bool pass_guards(cover *c, uint32_t atom, kgi_poly *range) {
  int64_t below, all;
  for (unsigned k = 0; k < c->guards; k++) {
    const kgi_poly *bound = &c->guard[k].below;
    if (c->guard[k].atom != atom) continue;
    c->guard[k].used = true;
    if (kgi_poly_is_int(bound, &below) && kgi_poly_is_int(range, &all) && below < all) *range = *bound;
    if (!kgi_poly_equal(bound, range)) return false;
  }
  return true;
}

/* Which invocation has which of its values: all have those of a loop of their own, and loops that are shared are alike. */
static bool note_digit(cover *c, const digit *g, const kgi_poly *range, bool open) {
  kgi_front *f = c->front;
  if (f->digits >= KGI_MOST_cover_digits) return false;
  bool global = g->atom >= KGI_ATOM_GLOBAL && g->atom < KGI_ATOM_GLOBAL + 3, group = g->atom >= KGI_ATOM_GROUP && g->atom < KGI_ATOM_GROUP + 3;
  kgi_front_digit *digit = &f->digit[f->digits++];
  *digit = (kgi_front_digit){.id = g->atom < KGI_ATOM_GROUPS ? 0 : g->atom, .local = g->local, .group = g->group, .open = open, .range = *range};
  if (global) digit->all = (uint8_t)(1 + g->atom - KGI_ATOM_GLOBAL);
  if (group) digit->groups = (uint8_t)(1 + g->atom - KGI_ATOM_GROUP);
  return true;
}

/* An id of which nobody knows whether the grid has all that its guard lets pass: the guard is the range. */
static bool is_open(cover *c, const digit *g, kgi_poly *range) {
  unsigned count = 0;
  kgi_poly below = {.failed = true};
  bool id = (g->atom >= KGI_ATOM_GLOBAL && g->atom < KGI_ATOM_GLOBAL + 3) || (g->atom >= KGI_ATOM_GROUP && g->atom < KGI_ATOM_GROUP + 3);
  for (unsigned k = 0; k < c->guards; k++)
    if (c->guard[k].atom == g->atom) below = c->guard[k].below, count++;
  if (!c->front || !id || count != 1 || below.failed || kgi_poly_equal(&below, range)) return false;
  int64_t most, all;
  if (kgi_poly_is_int(&below, &most) && kgi_poly_is_int(range, &all) && most <= all) return false;
  return *range = below, true;
}

/* Of the last digit of all. */
static bool take_front(cover *c, digit *g, const kgi_poly *weight) {
  kgi_front *f = c->front;
  kgi_poly open = {0};
  bool global = g->atom >= KGI_ATOM_GLOBAL && g->atom < KGI_ATOM_GLOBAL + 3, group = g->atom >= KGI_ATOM_GROUP && g->atom < KGI_ATOM_GROUP + 3;
  int64_t number;
  kgi_poly range = range_of(c, g, false);
  /* A bound that wraps would be another number of trips. */
  if ((g->turned || g->atom >= KGI_ATOM_TRIP) && g->loop && !kgi_poly_is_int(&range, &number)) return false;
  f->weight = *weight, f->count = 0;
  f->all = global ? (uint8_t)(1 + g->atom - KGI_ATOM_GLOBAL) : 0, f->groups = group ? (uint8_t)(1 + g->atom - KGI_ATOM_GROUP) : 0;
  if (!global && !group) f->below[f->count++] = range;
  for (unsigned k = 0; k < c->guards; k++)
    if (c->guard[k].atom == g->atom) c->guard[k].used = true, f->below[f->count++] = c->guard[k].below;
  g->used = true;
  return !weight->failed && (!f->count || !f->below[0].failed) && note_digit(c, g, &open, false);
}

static digit *digit_of(cover *c, uint32_t atom) {
  for (unsigned k = 0; k < c->count; k++)
    if (c->digit[k].atom == atom) return &c->digit[k];
  return NULL;
}

/* The weight of a part of a digit becomes that of what is next. */
static bool take_part(cover *c, uint32_t atom, kgi_poly *weight) {
  kgi_base_digit g;
  kgi_poly values;
  if (c->front || c->parts >= DIGITS || !kgi_digit_of_base(c->d->p, atom, c->d->size, &g)) return false;
  if (c->wide && kgi_digit_in_global(c->d->size, g.base, g.top, &g.weight, &g.size))
    g.base += KGI_ATOM_GLOBAL - KGI_ATOM_LOCAL, g.top = false;
  digit *of = digit_of(c, g.base);
  share *p = &c->part[c->parts];
  if (!of || of->used) return false;
  of->range = range_of(c, of, false);
  if (of->range.failed || !pass_guards(c, of->atom, &of->range) || !kgi_digit_values(&g, &of->range, &p->above, &values)) return false;
  p->of = of, p->weight = g.weight, of->apart = true, c->parts++;
  *weight = kgi_poly_mul(weight, &values);
  return !weight->failed;
}

static bool take_some_part(cover *c, kgi_poly *index, kgi_poly *weight) {
  for (uint32_t k = 0; k < index->count; k++)
    for (unsigned n = 0; n < KGI_DEGREE && index->t[k].atom[n]; n++) {
      uint32_t value = index->t[k].atom[n];
      kgi_poly atom = kgi_poly_atom(value), term = kgi_poly_mul(weight, &atom), rest = kgi_poly_add(index, &term, -1);
      if (rest.failed || rest.count + term.count != index->count || value >= KGI_ATOM_FIRST) continue;
      return *index = rest, take_part(c, value, weight);
    }
  return false;
}

/* Takes the digit of weight `weight` off the index; the weight becomes that of the next. */
static bool take_digit(cover *c, kgi_poly *index, kgi_poly *weight) {
  for (unsigned k = 0; k < c->count; k++) {
    digit *g = &c->digit[k];
    kgi_poly atom = kgi_poly_atom(g->atom), term = kgi_poly_mul(weight, &atom), rest = kgi_poly_add(index, &term, -1);
    if (g->used || g->apart || rest.failed || rest.count + term.count != index->count) continue;
    if (c->front && !rest.count) return *index = rest, take_front(c, g, weight);
    kgi_poly one = kgi_poly_int(1), range = range_of(c, g, !rest.count && kgi_poly_equal(weight, &one));
    bool open = is_open(c, g, &range);
    if (range.failed || !pass_guards(c, g->atom, &range)) return false;
    if (c->front && !note_digit(c, g, &range, open)) return false;
    g->used = true;
    if (g->shared && !take_part(c, g->shared, &one)) return false;
    *index = rest, *weight = kgi_poly_mul(weight, &range);
    return !weight->failed;
  }
  return take_some_part(c, index, weight);
}

/* The parts of a digit, from the lowest on, come to all that it has. */
static bool is_whole(const cover *c, const digit *g) {
  kgi_poly reached = kgi_poly_int(1);
  unsigned count = 0, taken = 0;
  for (unsigned k = 0; k < c->parts; k++) count += c->part[k].of == g;
  for (unsigned tries = 0; tries < count; tries++)
    for (unsigned k = 0; k < c->parts; k++) {
      const share *p = &c->part[k];
      if (p->of != g || !kgi_poly_equal(&p->weight, &reached) || kgi_poly_equal(&p->above, &reached)) continue;
      reached = p->above, taken++;
    }
  return taken == count && kgi_poly_equal(&reached, &g->range);
}

/* Where it does not hold, a loop that begins there has no trips. */
static bool is_said_by_loop(const cover *c, const guard *guard) {
  for (unsigned k = 0; k < c->count; k++) {
    if (!c->digit[k].used || c->digit[k].atom >= KGI_ATOM_FIRST) continue;
    const kgi_inst *loop = &c->d->p->inst[c->digit[k].atom];
    if (loop->kind != KGI_for || loop->type != KG_U32) continue;
    kgi_poly from = read(c->d, loop->arg[0]), to = read(c->d, loop->arg[1]);
    if (kgi_poly_equal(&from, &guard->low) && kgi_poly_equal(&to, &guard->below)) return true;
  }
  return false;
}

/* Nothing runs the access a second time: every loop and every axis of the dispatch is a digit, or has but one value. So is which of several
 * accesses it is. */
static bool all_used(cover *c) {
  unsigned local = c->lone ? 7 : 0, group = 0;
  for (unsigned k = 0; k < c->count; k++)
    if (c->digit[k].apart && !(c->digit[k].used = is_whole(c, &c->digit[k]))) return false;
  for (unsigned k = 0; k < c->guards; k++)
    if (!c->guard[k].used && !is_said_by_loop(c, &c->guard[k])) return false;
  for (unsigned k = 0; k < c->count; k++) {
    if (!c->digit[k].used && (c->digit[k].atom < KGI_ATOM_GROUPS || c->digit[k].atom == KGI_ATOM_MEMBER)) return false;
    if (c->digit[k].used && (local & c->digit[k].local || group & c->digit[k].group)) return false;
    if (c->digit[k].used) local |= c->digit[k].local, group |= c->digit[k].group;
  }
  for (unsigned axis = 0; axis < 3; axis++) {
    int64_t size;
    if (!(local >> axis & 1) && !(kgi_poly_is_int(&c->d->size[axis], &size) && size == 1)) return false;
    if (!(group >> axis & 1) && !c->d->lone_group[axis]) return false;
  }
  return true;
}

/* f = times * atom + rest. */
static void part(const kgi_poly *f, uint32_t atom, kgi_poly *times, kgi_poly *rest) {
  *times = *rest = kgi_poly_int(0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_term t = {.c = f->t[k].c};
    unsigned left = 0, n = 0;
    for (; n < KGI_DEGREE && f->t[k].atom[n]; n++)
      if (f->t[k].atom[n] != atom) t.atom[left++] = f->t[k].atom[n];
    times->failed |= n - left > 1;
    kgi_poly term = {.count = 1, .t = {t}}, *to = n > left ? times : rest;
    *to = kgi_poly_add(to, &term, 1);
  }
  rest->failed |= f->failed;
}

static bool is_taken_away(const kgi_poly *times) {
  for (uint32_t k = 0; k < times->count; k++)
    if (times->t[k].c > 0) return false;
  return times->count;
}

/* With the trip of the loop in place of its index; one that is taken away is counted from its end. A chunk's bounds are below the length
 * where they are no more than the index. */
static void count_by_trip(cover *c, digit *g, kgi_poly *index) {
  const kgi_inst *loop = &c->d->p->inst[g->loop];
  kgi_poly times, rest, atom = kgi_poly_atom(g->atom), range = range_of(c, g, false), one = kgi_poly_int(1);
  part(index, g->loop, &times, &rest);
  if (!times.count && !times.failed) return;
  if (g->chunk && !(kgi_is_upper(c->d, &times, false) && kgi_is_upper(c->d, &rest, false))) rest.failed = true;
  if (g->atom != g->loop) {
    kgi_poly from = read(c->d, loop->arg[0]), step = read(c->d, loop->arg[2]);
    from = kgi_poly_mul(&from, &times), rest = kgi_poly_add(&rest, &from, 1), times = kgi_poly_mul(&times, &step);
  }
  if (is_taken_away(&times)) {
    kgi_poly last = kgi_poly_add(&range, &one, -1);
    last = kgi_poly_mul(&last, &times), rest = kgi_poly_add(&rest, &last, 1), g->turned = true;
  }
  times = kgi_poly_mul(&times, &atom);
  *index = kgi_poly_add(&rest, &times, g->turned ? -1 : 1);
}

/* Of an id that is taken away, or the index of a loop that invocations share, what it is from its end: x = r - 1 - id runs through [0, r) as
 * the id does. Of a front, other invocations would have its first elements where the grid is narrower. */
static void count_from_end(cover *c, digit *g, kgi_poly *index) {
  kgi_poly times, rest, last, atom = kgi_poly_atom(g->atom), range = range_of(c, g, false), one = kgi_poly_int(1);
  if (c->front || range.failed) return;
  part(index, g->atom, &times, &rest);
  if (times.failed || !is_taken_away(&times) || !pass_guards(c, g->atom, &range)) return;
  last = kgi_poly_add(&range, &one, -1), last = kgi_poly_mul(&last, &times), rest = kgi_poly_add(&rest, &last, 1);
  times = kgi_poly_mul(&times, &atom);
  *index = kgi_poly_add(&rest, &times, -1), g->turned = true;
}

static kgi_poly in_trips(cover *c, kgi_poly index) {
  for (unsigned k = 0; k < c->count && !index.failed; k++) {
    if (c->digit[k].loop) count_by_trip(c, &c->digit[k], &index);
    else count_from_end(c, &c->digit[k], &index);
  }
  return index;
}

/* Of the last digit the grid has more values than there are elements: they are past the end, as those of no guard are. */
static bool takes_rest(cover *c, const kgi_poly *index, const kgi_poly *weight, const kgi_poly *length) {
  for (unsigned k = 0; k < c->count; k++) {
    digit *g = &c->digit[k];
    kgi_poly atom = kgi_poly_atom(g->atom), term = kgi_poly_mul(weight, &atom);
    if (!c->open_end || g->used || g->apart || g->turned || !kgi_poly_equal(&term, index)) continue;
    for (unsigned n = 0; n < c->guards; n++)
      if (c->guard[n].atom == g->atom) return false;
    return kgi_grid_comes_past(c->d, g->atom, weight, length) && (g->used = true);
  }
  return false;
}

/* The index runs through [0, length), with digits that no other index has, from that of weight `weight` on. */
static bool runs_through(cover *c, kgi_poly index, kgi_poly weight, const kgi_poly *length) {
  while (!index.failed && index.count) {
    if (takes_rest(c, &index, &weight, length)) return true;
    if (!take_digit(c, &index, &weight)) return false;
  }
  return !index.failed && kgi_poly_equal(&weight, length);
}

/* ---- rows along two axes ---- */

enum { ROWS_BEFORE = INT32_MAX }; /* no extent is larger */

/* The guard of an id along an axis by a literal. */
static guard *literal_guard(cover *c, unsigned axis, int64_t *below) {
  for (unsigned k = 0; k < c->guards; k++)
    if (c->guard[k].atom == KGI_ATOM_GROUP + axis && kgi_poly_is_int(&c->guard[k].below, below)) return &c->guard[k];
  return NULL;
}

static bool runs_through_rows(cover *c, const kgi_poly *index, const kgi_poly *rows) {
  int64_t most, above;
  guard *x = literal_guard(c, 0, &most), *y = literal_guard(c, 1, &above), *row = NULL;
  for (unsigned k = 0; k < c->guards; k++)
    if (kgi_poly_equal(&c->guard[k].low, index) && kgi_poly_equal(&c->guard[k].below, rows)) row = &c->guard[k];
  if (!x || !y || !row || most < 1 || most > ROWS_BEFORE || above < 1 || above > ROWS_BEFORE) return false;
  kgi_poly a = kgi_poly_atom(KGI_ATOM_GROUP), b = kgi_poly_atom(KGI_ATOM_GROUP + 1), sum = kgi_poly_int(most);
  sum = kgi_poly_mul(&sum, &b), sum = kgi_poly_add(&sum, &a, 1);
  if (most * above < ROWS_BEFORE || most * above > (int64_t)1 << 32) return false;
  if (!kgi_poly_equal(&sum, index) || !kgi_grid_has_rows(c->d, rows, most)) return false;
  x->used = y->used = row->used = true;
  for (unsigned k = 0; k < c->count; k++)
    if (c->digit[k].atom == KGI_ATOM_GROUP || c->digit[k].atom == KGI_ATOM_GROUP + 1) c->digit[k].used = true;
  return true;
}

/* The indices of an access, one for each dimension, or the flat one. */
typedef struct indices { unsigned rank; bool place; kgi_poly index[KGI_MAX_RANK], extent[KGI_MAX_RANK]; } indices;

static void read_indices(const kgi_distinct *d, uint32_t access, indices *out) {
  const kgi_inst *inst = &d->p->inst[access];
  kgi_digits place;
  out->place = kgi_place_of(d->p, access, &place);
  out->rank = out->place ? d->p->scope.object[inst->arg[0]].rank : 1;
  if (!out->place) out->index[0] = read(d, inst->arg[1]), out->extent[0] = kgi_length_of(d, inst->arg[0]);
  for (unsigned k = 0; out->place && k < out->rank; k++)
    out->index[k] = read(d, place.value[k]), out->extent[k] = read(d, d->p->inst[place.link[k]].arg[2]);
}

/* A signed number would be no index past 2^31: extents are less. */
static bool is_index(const kgi_distinct *d, uint32_t access, const indices *x) {
  uint32_t atom = kgi_poly_is_atom(&x->index[0]);
  if (x->place || d->p->inst[d->p->inst[access].arg[1]].type != KG_I32) return true;
  return is_signed_length(d, &x->extent[0]) || (atom && kgi_is_small_id(d, atom));
}

/* Each index for itself: a[0, i * cols + j] has the digits of a[i, j], and is outside where i is not 0. */
static bool run_through(cover *c, const indices *x) {
  for (unsigned k = 0; k < x->rank; k++) {
    if (x->place && runs_through_rows(c, &x->index[k], &x->extent[k])) continue;
    if (!runs_through(c, in_trips(c, x->index[k]), kgi_poly_int(1), &x->extent[k])) return false;
  }
  return true;
}

/* ---- accesses side by side ---- */

static int64_t number_in(const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++)
    if (!f->t[k].atom[0]) return f->t[k].c;
  return 0;
}

/* The indices are one and the same but for numbers, which are several of those below `side`. What is left without them is `rest`. */
static bool are_neighbours(cover *c, const uint32_t *access, unsigned count, kgi_front *front, kgi_poly *rest) {
  for (unsigned k = 0; k < count; k++) {
    kgi_poly index = in_trips(c, read(c->d, c->d->p->inst[access[k]].arg[1])), one = kgi_poly_int(1);
    int64_t offset = number_in(&index);
    index = kgi_poly_add(&index, &one, -offset);
    if (index.failed || offset < 0 || offset >= front->side || front->offsets >> offset & 1) return false;
    if (k && !kgi_poly_equal(&index, rest)) return false;
    front->offsets |= 1u << offset, *rest = index;
    if (!k) front->first = (uint32_t)offset;
  }
  return true;
}

/* Neighbours of one block, with what stands around it; `index` is what is left of theirs without numbers. */
static bool begin_sides(cover *c, const uint32_t *access, unsigned count, uint32_t side, kgi_front *front, kgi_poly *index) {
  const kgi_inst *inst = &c->d->p->inst[access[0]];
  const kgi_object *o = &c->d->p->scope.object[inst->arg[0]];
  *front = (kgi_front){.weight = kgi_poly_int(side), .side = side};
  if (!inst->arg[1] || o->space != KGI_BUFFER || o->view || o->rank || c->d->returns || side > KGI_FRONT_SIDE || count > side) return false;
  for (unsigned k = 1; k < count; k++)
    if (c->d->p->inst[access[k]].block != inst->block || !c->d->p->inst[access[k]].arg[1]) return false;
  if (!add_blocks(c, inst->block)) return false;
  add_ids(c);
  return are_neighbours(c, access, count, front, index);
}

bool kgi_covers_front(const kgi_distinct *d, const uint32_t *access, unsigned count, uint32_t side, kgi_front *front) {
  cover c = {.d = d, .front = front};
  kgi_poly index, weight = kgi_poly_int(side);
  if (!begin_sides(&c, access, count, side, front, &index)) return false;
  while (index.count)
    if (!take_digit(&c, &index, &weight)) return false;
  return all_used(&c);
}

static bool is_same_digit(const kgi_front_digit *x, const kgi_front_digit *y) {
  return x->id == y->id && x->local == y->local && x->group == y->group && x->open == y->open && kgi_poly_equal(&x->range, &y->range);
}

bool kgi_is_same_front(const kgi_front *x, const kgi_front *y) {
  bool same = x->side == y->side && x->digits == y->digits && x->count == y->count && x->all == y->all && x->groups == y->groups;
  for (unsigned k = 0; same && k < x->digits; k++) same = is_same_digit(&x->digit[k], &y->digit[k]);
  for (unsigned k = 0; same && k < x->count; k++) same = kgi_poly_equal(&x->below[k], &y->below[k]);
  return same && kgi_poly_equal(&x->weight, &y->weight);
}

bool kgi_covers_sides(const kgi_distinct *d, const uint32_t *access, unsigned count, uint32_t side, kgi_front *front) {
  cover c = {.d = d};
  kgi_poly index, length = kgi_length_of(d, d->p->inst[access[0]].arg[0]);
  return begin_sides(&c, access, count, side, front, &index) && runs_through(&c, index, kgi_poly_int(side), &length) && all_used(&c);
}

/* ---- accesses of equal distances ---- */

/* The number of the multiple of `step`, from 1 to `most`, that y is after x along dimension `dim`, while all else is the same; or 0. */
static unsigned steps_between(const indices *x, const indices *y, unsigned dim, const kgi_poly *step, unsigned most) {
  kgi_poly apart = kgi_poly_add(&y->index[dim], &x->index[dim], -1), none = kgi_poly_int(0);
  for (unsigned k = 0; k < x->rank; k++)
    if (k != dim && !kgi_poly_equal(&x->index[k], &y->index[k])) return 0;
  for (unsigned n = 1; n <= most; n++) {
    kgi_poly all = kgi_poly_add(&none, step, n);
    if (kgi_poly_equal(&all, &apart)) return n;
  }
  return 0;
}

/* Of `first`, all others are each another of those multiples. */
static bool are_in_steps(const indices *all, unsigned count, unsigned first, unsigned dim, const kgi_poly *step) {
  uint32_t seen = 0;
  for (unsigned k = 0; k < count; k++) {
    unsigned n = k == first ? 0 : steps_between(&all[first], &all[k], dim, step, count - 1);
    if ((k != first && !n) || seen >> n & 1) return false;
    seen |= 1u << n;
  }
  return true;
}

/* Which access it is, as a digit of the index of the first. */
static bool find_steps(const kgi_distinct *d, indices *all, unsigned count, indices *out) {
  kgi_poly which = kgi_poly_atom(KGI_ATOM_MEMBER);
  for (unsigned first = 0; first < count; first++)
    for (unsigned k = 0; k < count; k++)
      for (unsigned dim = 0; dim < all[0].rank; dim++) {
        kgi_poly step = kgi_poly_add(&all[k].index[dim], &all[first].index[dim], -1);
        if (!step.count || !kgi_is_size(d, &step) || !are_in_steps(all, count, first, dim, &step)) continue;
        *out = all[first], step = kgi_poly_mul(&step, &which);
        out->index[dim] = kgi_poly_add(&out->index[dim], &step, 1);
        return true;
      }
  return false;
}

bool kgi_covers_steps(const kgi_distinct *d, const uint32_t *access, unsigned count) {
  const kgi_inst *inst = &d->p->inst[access[0]];
  const kgi_object *o = &d->p->scope.object[inst->arg[0]];
  cover c = {.d = d};
  indices all[KGI_FRONT_SIDE], x;
  kgi_blk block = inst->block;
  if (count < 2 || count > KGI_FRONT_SIDE || o->space != KGI_BUFFER || o->view || d->returns) return false;
  for (unsigned k = 1; k < count; k++)
    if (d->p->inst[access[k]].block != block) block = kgi_checked_block(d, access[0]);
  if (!add_blocks(&c, block)) return false;
  for (unsigned k = 0; k < count; k++) {
    if (!d->p->inst[access[k]].arg[1] || (d->p->inst[access[k]].block != block && kgi_checked_block(d, access[k]) != block)) return false;
    read_indices(d, access[k], &all[k]);
    if (all[k].place != all[0].place) return false;
    c.open_end = k ? c.open_end && is_index(d, access[k], &all[k]) : is_index(d, access[k], &all[k]);
  }
  if (!c.open_end && block != inst->block) return false;
  add_ids(&c);
  c.digit[c.count++] = (digit){.atom = KGI_ATOM_MEMBER, .trips = kgi_poly_int(count)};
  return find_steps(d, all, count, &x) && run_through(&c, &x) && all_used(&c);
}

static bool covers_from(const kgi_distinct *d, uint32_t access, kgi_blk block, bool wide) {
  cover c = {.d = d, .wide = wide};
  indices x;
  if (!add_blocks(&c, block)) return false;
  add_ids(&c);
  read_indices(d, access, &x);
  c.open_end = is_index(d, access, &x);
  return (c.open_end || block == d->p->inst[access].block) && run_through(&c, &x) && all_used(&c);
}

bool kgi_covers(const kgi_distinct *d, uint32_t access) {
  const kgi_inst *inst = &d->p->inst[access];
  const kgi_object *o = &d->p->scope.object[inst->arg[0]];
  if (!inst->arg[1] || o->space != KGI_BUFFER || o->view || d->returns) return false;
  kgi_blk block = kgi_checked_block(d, access);
  for (unsigned wide = 0; wide < 2; wide++)
    if (covers_from(d, access, inst->block, wide) || (block != inst->block && covers_from(d, access, block, wide))) return true;
  return false;
}

bool kgi_groups_cover(const kgi_distinct *d, uint32_t access) {
  const kgi_inst *inst = &d->p->inst[access];
  const kgi_object *o = &d->p->scope.object[inst->arg[0]];
  cover c = {.d = d, .lone = true};
  indices x;
  if (!inst->arg[1] || o->space != KGI_BUFFER || o->view || d->returns) return false;
  add_groups(&c);
  read_indices(d, access, &x);
  return is_index(d, access, &x) && run_through(&c, &x) && all_used(&c);
}
