/* After a load comes a store, in the same trip of all loops around both or in a later trip of one of them. Their indices differ by a
 * polynomial. Where the loops and values that both share cancel out, what is left is how many trips lie between, times a step, plus a
 * constant; loops around one of the two alone, and what does not cancel out, stand for their bounds. If that is always positive, or always
 * negative, the store reaches another element.
 *
 * Where another invocation of the workgroup stores, all have come to one barrier between the load and the store. So in loops in which all
 * wait, and in those alone, its trip is no earlier one; and of what the index is made of both share what is the same for all. */
#include "foundation/analysis/overwrite.h"
#include "foundation/analysis/loops.h"
#include "foundation/analysis/naturals.h"
#include "foundation/ir/place.h"

enum { LEVELS = KGI_MOST_overwrite_loops, FAR = 65536, STEEP = 1024 };

typedef struct pair {
  const kgi_program *p;
  const kgi_poly *size;
  uint32_t load, write;
  const bool *waits;      /* another invocation writes */
  uint32_t common[LEVELS]; unsigned count; /* loops around both, innermost first */
  bool numbers;           /* indices are compared as numbers, not as words */
} pair;

static uint32_t owner_of(const kgi_program *p, uint32_t inst) { return p->block[p->inst[inst].block].owner; }

static uint32_t loop_around(const kgi_program *p, uint32_t inst, kgi_blk home) {
  while (p->inst[inst].block != home && p->inst[inst].block > KGI_BODY) {
    inst = owner_of(p, inst);
    if (kgi_is_loop(&p->inst[inst])) return inst;
  }
  return 0;
}

static bool is_around(const kgi_program *p, uint32_t loop, uint32_t inst) {
  while (p->inst[inst].block > KGI_BODY)
    if ((inst = owner_of(p, inst)) == loop) return true;
  return false;
}

/* False: there are too many. */
static bool find_common(pair *c, kgi_blk home) {
  for (uint32_t loop = loop_around(c->p, c->load, home); loop; loop = loop_around(c->p, loop, home)) {
    if (!is_around(c->p, loop, c->write) || (c->waits && !c->waits[kgi_body_of(&c->p->inst[loop])])) continue;
    if (c->count == LEVELS) return false;
    c->common[c->count++] = loop;
  }
  return true;
}

/* The two stand in different branches of an `if` inside the innermost loop around both: where one runs, the other does not. */
static bool are_exclusive(const pair *c) {
  uint32_t around = c->count ? c->common[0] : 0;
  for (uint32_t x = c->load; c->p->inst[x].block > KGI_BODY && owner_of(c->p, x) != around; x = owner_of(c->p, x))
    for (uint32_t y = c->write; c->p->inst[y].block > KGI_BODY && owner_of(c->p, y) != around; y = owner_of(c->p, y))
      if (owner_of(c->p, x) == owner_of(c->p, y) && c->p->inst[owner_of(c->p, x)].kind == KGI_if && c->p->inst[x].block != c->p->inst[y].block)
        return true;
  return false;
}

/* ---- bounds of loops around one of the two alone ---- */

static bool is_loop_atom(const kgi_program *p, uint32_t atom) { return atom && atom < KGI_ATOM_FIRST && p->inst[atom].kind == KGI_for; }

/* What a bound of a loop is as a word is no more than what it is as a number, if nothing is taken away. */
static bool is_upper(const kgi_poly *f) {
  for (uint32_t k = 0; k < f->count; k++)
    if (f->t[k].c < 0) return false;
  return !f->failed;
}

/* It is no less, if it is a lone atom or number, or an index and 1: an index is never the last of all words. */
static bool is_lower(const kgi_program *p, const kgi_poly *f) {
  int64_t number;
  if (f->failed) return false;
  if (kgi_poly_is_int(f, &number)) return number >= 0;
  if (kgi_poly_is_atom(f)) return true;
  kgi_poly one = kgi_poly_int(1), rest = kgi_poly_add(f, &one, -1);
  return is_loop_atom(p, kgi_poly_is_atom(&rest));
}

static bool replace(kgi_poly *f, uint32_t at, const kgi_poly *by) {
  kgi_poly term = {.count = 1, .t = {f->t[at]}};
  *f = kgi_poly_add(f, &term, -1);
  kgi_poly scaled = kgi_poly_int(term.t[0].c);
  scaled = kgi_poly_mul(&scaled, by);
  *f = kgi_poly_add(f, &scaled, 1);
  return !f->failed;
}

/* A loop's index becomes its largest value, or its least. False: they are not known, or so much for each trip might go all the way round
 * the words that indices are. */
static bool bound_index(const pair *c, kgi_poly *f, uint32_t at, bool largest) {
  if (f->t[at].c > STEEP || f->t[at].c < -STEEP) return false;
  uint32_t loop = f->t[at].atom[0];
  const kgi_inst *inst = &c->p->inst[loop];
  kgi_poly to = kgi_poly_of_value(c->p, (kgi_val){inst->arg[1]}, c->size), from = kgi_poly_of_value(c->p, (kgi_val){inst->arg[0]}, c->size);
  kgi_poly one = kgi_poly_int(1), last = kgi_poly_add(&to, &one, -1);
  int64_t number;
  if (largest) return is_upper(&to) && replace(f, at, &last);
  if (c->numbers && inst->type != KG_U32 && !kgi_poly_is_int(&from, &number)) return false; /* i32(k) may be below 0 */
  return is_lower(c->p, &from) && replace(f, at, &from);
}

static bool is_alike(const pair *c, uint32_t atom, unsigned depth);

/* The same for all invocations of a workgroup that are in one trip of the loops around. */
static bool is_value_alike(const pair *c, uint32_t value, unsigned depth) {
  kgi_poly f = kgi_poly_of_value(c->p, (kgi_val){value}, c->size);
  for (uint32_t k = 0; k < f.count; k++)
    for (unsigned n = 0; n < KGI_DEGREE && f.t[k].atom[n]; n++)
      if (!is_alike(c, f.t[k].atom[n], depth)) return false;
  return !f.failed;
}

static bool is_alike(const pair *c, uint32_t atom, unsigned depth) {
  if (atom >= KGI_ATOM_LOCAL && atom < KGI_ATOM_KIND) return false;
  if (atom >= KGI_ATOM_FIRST) return (atom & KGI_ATOM_KIND) != KGI_ATOM_TRIP;
  const kgi_inst *inst = &c->p->inst[atom];
  if (!is_loop_atom(c->p, atom) || !depth || !c->waits[kgi_body_of(inst)]) return false;
  bool turned = inst->flags & KGI_REVERSED; /* it begins at the end */
  return is_value_alike(c, inst->arg[0], depth - 1) && is_value_alike(c, inst->arg[2], depth - 1) &&
         (!turned || is_value_alike(c, inst->arg[1], depth - 1));
}

static bool is_shared(const pair *c, uint32_t atom, unsigned level) {
  if (c->waits && !is_alike(c, atom, LEVELS)) return false;
  if (atom >= KGI_ATOM_FIRST) return true; /* ids, params, lengths */
  for (unsigned k = 0; k < c->count; k++)
    if (c->common[k] == atom) return k >= level;
  if (is_loop_atom(c->p, atom)) return is_around(c->p, atom, c->load) && is_around(c->p, atom, c->write); /* outside of the home */
  return !c->count || kgi_is_fixed(c->p, atom, c->common[c->count - 1]);
}

/* Only atoms that both accesses share stay: those fixed in all common loops, and indices of the common loops from `level` outwards. */
static bool bound_side(const pair *c, kgi_poly *f, unsigned level, bool largest) {
  for (unsigned rounds = 0; rounds < LEVELS && !f->failed; rounds++) {
    uint32_t at = 0;
    bool shared = true;
    for (at = 0; at < f->count && shared; at += shared)
      for (unsigned k = 0; k < KGI_DEGREE && f->t[at].atom[k]; k++) shared &= is_shared(c, f->t[at].atom[k], level);
    if (shared) return true;
    if (f->t[at].atom[1] || !is_loop_atom(c->p, f->t[at].atom[0])) return false;
    if (!bound_index(c, f, at, largest == (f->t[at].c > 0))) return false;
  }
  return false;
}

/* ---- how the indices differ ---- */

/* Indices of common loops that are left become their bounds where the load stands, the innermost first, since its bounds may be made of the
 * others. One that counts by more than 1 stays: with several of those the difference might go all the way round. */
static void bound_common(const pair *c, kgi_poly *rest, bool largest) {
  for (unsigned k = 0; k < c->count; k++)
    for (uint32_t at = 0; at < rest->count && !rest->failed; at++) {
      int64_t by = rest->t[at].c;
      if (rest->t[at].atom[0] != c->common[k] || rest->t[at].atom[1] || !is_loop_atom(c->p, c->common[k])) continue;
      if (by > 1 || by < -1 || !bound_index(c, rest, at, largest == (by > 0))) return;
      break;
    }
}

/* Whether write - load, which is made of shared atoms, has the sign for all trips of the loop that lie between; 0: none does. */
static bool has_sign(const pair *c, kgi_poly write, kgi_poly load, uint32_t loop, bool positive) {
  int64_t step = 0, number;
  if (loop) {
    for (uint32_t k = 0; k < write.count; k++) {
      if (!kgi_term_has(&write.t[k], loop)) continue;
      if (write.t[k].atom[1]) return false;
      step = write.t[k].c;
    }
    if (c->p->inst[loop].flags & KGI_REVERSED) step = -step;
  }
  kgi_poly rest = kgi_poly_add(&write, &load, -1);
  bound_common(c, &rest, !positive);
  if (!kgi_poly_is_int(&rest, &number) || step > 1 || step < -1 || number > FAR || number < -FAR) return false;
  return positive ? step >= 0 && number + step > 0 : step <= 0 && number + step < 0;
}

static bool differ(const pair *c, uint32_t load, uint32_t write, unsigned level, uint32_t loop) {
  for (unsigned positive = 0; positive < 2; positive++) {
    kgi_poly x = kgi_poly_of_value(c->p, (kgi_val){load}, c->size), y = kgi_poly_of_value(c->p, (kgi_val){write}, c->size);
    if (x.failed || y.failed || !bound_side(c, &x, level, positive) || !bound_side(c, &y, level, !positive)) continue;
    if (has_sign(c, y, x, loop, positive)) return true;
  }
  return false;
}

/* ---- rows ---- */

/* What the index is multiplied with. */
static kgi_poly factor_of(const kgi_poly *f, uint32_t atom) {
  kgi_poly sum = kgi_poly_int(0);
  for (uint32_t k = 0; k < f->count; k++) {
    kgi_poly lone = kgi_poly_atom(atom), term = {.count = 1};
    if (kgi_term_divide(&f->t[k], &lone.t[0], &term.t[0])) sum = kgi_poly_add(&sum, &term, 1);
  }
  return sum;
}

/* Of the load's length, and of the loops around it, from outside. */
static void find_naturals(const pair *c, uint32_t inst, const kgi_poly *length, kgi_naturals *known) {
  if (c->p->inst[inst].block <= KGI_BODY) return kgi_naturals_of_length(known, &c->p->scope, length);
  const kgi_inst *owner = &c->p->inst[owner_of(c->p, inst)];
  find_naturals(c, owner_of(c->p, inst), length, known);
  if (owner->kind != KGI_for || owner->type != KG_U32) return;
  kgi_poly from = kgi_poly_of_value(c->p, (kgi_val){owner->arg[0]}, c->size), to = kgi_poly_of_value(c->p, (kgi_val){owner->arg[1]}, c->size);
  kgi_naturals_of_trip(known, &from, &to);
}

/* How far apart the first and the last trip of the loop are at most, if there is one. */
static kgi_poly most_between(const pair *c, uint32_t loop, const kgi_naturals *known) {
  const kgi_inst *inst = &c->p->inst[loop];
  kgi_poly to = kgi_poly_of_value(c->p, (kgi_val){inst->arg[1]}, c->size), from = kgi_poly_of_value(c->p, (kgi_val){inst->arg[0]}, c->size);
  kgi_poly one = kgi_poly_int(1), none = kgi_poly_int(0), last = kgi_poly_add(&to, &one, -1);
  if (inst->type != KG_U32 || !kgi_is_at_least(known, &to, 0)) return (kgi_poly){.failed = true};
  bool begins = is_lower(c->p, &from) && kgi_is_at_least(known, &from, 0);
  return kgi_poly_add(&last, begins ? &from : &none, -1);
}

/* As a word it is not 0, if it is not as a number. */
static bool is_word(const kgi_poly *f, const kgi_naturals *known, const kgi_poly *length) {
  kgi_poly rest = kgi_poly_add(length, f, -1);
  int64_t number;
  if (kgi_poly_is_int(f, &number)) return number <= UINT32_MAX;
  return kgi_is_at_least(known, &rest, 1) || (kgi_poly_is_atom(f) && kgi_is_at_least(known, f, 0));
}

/* `near`, `far`: the least and the most by which the write is past the load in one trip; and then by `step` more for each trip between. */
static bool is_past(const pair *c, const kgi_poly *near, const kgi_poly *far, const kgi_poly *step, uint32_t loop, const kgi_poly *length) {
  kgi_poly first = *near, last = *far, between;
  kgi_naturals known;
  find_naturals(c, c->load, length, &known);
  if (loop) {
    between = most_between(c, loop, &known), between = kgi_poly_mul(&between, step);
    first = kgi_poly_add(near, step, 1), last = kgi_poly_add(far, &between, 1);
    if (!kgi_is_at_least(&known, step, 0)) return false;
  }
  return kgi_is_at_least(&known, &first, 1) && is_word(&last, &known, length);
}

/* Rows that are as long as params say, one for each trip: x[t * n + i] of an object that is T * n long. They differ by some n, but by less
 * than the object is long, or by less than 2^32 otherwise: so not by a multiple of 2^32. Where the load is out of bounds nothing is asked. */
static bool differ_by_rows(const pair *words, uint32_t load, uint32_t write, unsigned level, uint32_t loop) {
  pair numbers = *words, *c = &numbers;
  c->numbers = true;
  const kgi_object *o = &c->p->scope.object[c->p->inst[c->load].arg[0]];
  kgi_poly length = o->length.i ? kgi_poly_of_dim(&c->p->scope, o->length) : (kgi_poly){.failed = true};
  for (unsigned positive = 0; positive < 2 && !length.failed; positive++) {
    kgi_poly x = kgi_poly_of_value(c->p, (kgi_val){load}, c->size), y = kgi_poly_of_value(c->p, (kgi_val){write}, c->size), x1 = x, y1 = y;
    if (x.failed || y.failed || !bound_side(c, &x, level, positive) || !bound_side(c, &y, level, !positive)) continue;
    if (!bound_side(c, &x1, level, !positive) || !bound_side(c, &y1, level, positive)) continue;
    kgi_poly near = kgi_poly_add(&y, &x, -1), far = kgi_poly_add(&y1, &x1, -1), minus = kgi_poly_int(-1);
    kgi_poly step = loop ? factor_of(&y, loop) : kgi_poly_int(0);
    bool turned = loop && c->p->inst[loop].flags & KGI_REVERSED;
    if (!positive) near = kgi_poly_mul(&near, &minus), far = kgi_poly_mul(&far, &minus);
    if (turned == positive) step = kgi_poly_mul(&step, &minus);
    if (is_past(c, &near, &far, &step, loop, &length)) return true;
  }
  return false;
}

/* In a later trip of common[level], or in the same trip of all. */
static bool reaches(const pair *c, unsigned level, bool later) {
  uint32_t object = c->p->inst[c->load].arg[0], load = c->p->inst[c->load].arg[1], write = c->p->inst[c->write].arg[1];
  uint32_t loop = later ? c->common[level] : 0;
  kgi_digits x, y;
  if (!load || !write) return true;
  if (!kgi_place_of(c->p, c->load, &x) || !kgi_place_of(c->p, c->write, &y))
    return !differ(c, load, write, level, loop) && !differ_by_rows(c, load, write, level, loop);
  for (unsigned k = 0; k < c->p->scope.object[object].rank; k++)
    if (differ(c, x.value[k], y.value[k], level, loop)) return false;
  return true;
}

bool kgi_may_overwrite(const kgi_program *p, const kgi_poly size[3], kgi_blk home, uint32_t load, uint32_t write, bool behind,
                       const bool *waits) {
  pair c = {.p = p, .size = size, .load = load, .write = write, .waits = waits};
  if (!find_common(&c, home)) return true;
  if (behind && (waits || !are_exclusive(&c)) && reaches(&c, 0, false)) return true;
  for (unsigned level = 0; level < c.count; level++)
    if (reaches(&c, level, true)) return true;
  return false;
}
