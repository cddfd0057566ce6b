/* What invocations add to elements beside their own is collected by whose elements they are, as a person writes the adjoint of a stencil:
 *
 *     if c(i) { atomic_add(s[i], u(i)); atomic_add(s[f(i)], v(i)) }
 *     if c(i) { s[i] = u(i) + the sum of v(j) over all j of the dispatch with c(j) and f(j) == i }
 *
 * Why it is the same. The plan found loads, the homes, that reach every element once (plan/homes.c): so of each element one invocation makes
 * one addition in a home's place, and that one collects. Nothing else touches s, and nobody has before. What is left to show is that each
 * other addition is collected once.
 *
 * What it adds is of ids, params, and what lies in buffers that the program only reads, so that another invocation computes the same; and so
 * are the conditions that it stands under, which are looked at from the outermost on. Where it goes is the home's index with f(id) in place of
 * an id. Whose element that is: of an index of which each dimension is an id or the same for all, whoever has f(id) as that id, as each
 * element is some invocation's, by the numbers that it has along the dimensions; none of these is past its extent, or there is no element. Else that is so as the home's conditions say no more of an id that is replaced than that it is below a bound, f(id) is below
 * that bound, and the addition is made under the home's conditions: with f(id) for the id there is an element of a home, and as homes reach
 * each element once, by digits that the conditions bound, it is no other home's or invocation's.
 *
 * Which j there may be follows from what f is made of (`origins`), and is no more than a guess: unless f takes each number to another one, it
 * is asked whether f(j) is the id indeed. So it only matters that none is left out, and none counted twice: two guesses that may be alike are
 * compared. Integers wrap in f as they do in what undoes it. That j is an invocation at all is asked as well. */
#include "autodiff/emit/emit.h"
#include "foundation/analysis/linear.h"
#include "foundation/base/limits.h"
#include "foundation/ir/place.h"

enum { MOST_TERMS = KGI_MOST_collect_terms, MOST_ORIGINS = KGI_MOST_collect_origins, HOMES = KGI_AD_HOMES };
enum { STEPS_OF_FUNCTION = 8 }; /* or rather more */

/* A guess at j, from the id: id - by, id - by -+ value, value - by, or the numbers before and behind the id in a ring of `value`. */
typedef enum origin_kind { APART, LESS_VALUE, PLUS_VALUE, AT_VALUE, BEFORE, BEHIND } origin_kind;
typedef struct origin { origin_kind kind; uint32_t by, value; } origin;

typedef struct axis_map {
  uint32_t f;                  /* what stands for the id; 0: the id does not occur */
  origin from[MOST_ORIGINS]; unsigned count;
  bool exact;                  /* the one guess is right */
} axis_map;

typedef struct term {
  uint32_t atomic;
  unsigned home;
  axis_map axis[3];
  bool careful; /* of the conditions some load something, which may only be done where those around hold */
} term;

typedef struct collecting {
  kgi_emission *e;
  kgi_builder *b;
  kgi_program *q;
  kgi_obj shadow;
  kgi_poly size[3];
  uint32_t known;          /* instructions that `copy` and `made` know */
  uint32_t *copy, *made, round; /* the value for the invocation that is looked at, if `made` says so */
  bool *written;           /* by object */
  uint32_t home[HOMES]; unsigned homes;
  bool plain;              /* the homes' indices are ids and what is the same for all, each in a dimension of its own */
  term term[MOST_TERMS]; unsigned terms;
  uint32_t id[3];          /* of the invocation that is looked at; 0: its own */
  unsigned steps;
  bool loads;              /* what was looked at loads something */
  uint32_t zero;
} collecting;

static kgi_val none(void) { return (kgi_val){0}; }
static const kgi_inst *at(const collecting *c, uint32_t i) { return &c->q->inst[i]; }
static bool is_op(const kgi_inst *inst, kgi_op op) { return inst->kind == KGI_op && inst->op == op; }

/* The axis of a global id, from 1; 0: it is none. */
static unsigned axis_of(const kgi_inst *inst) { return inst->kind == KGI_id && inst->op == KGI_ID_global_id ? 1 + inst->arg[0] : 0; }

static bool is_number(const collecting *c, uint32_t value, uint32_t *number) {
  if (at(c, value)->kind != KGI_literal) return false;
  *number = (uint32_t)kgi_literal_bits(at(c, value));
  return true;
}

/* ---- what another invocation computes too ---- */

static bool is_same_for_all(const kgi_inst *inst) {
  bool size = inst->kind == KGI_id && (inst->op == KGI_ID_num_workgroups || inst->op == KGI_ID_workgroup_size);
  return size || inst->kind == KGI_literal || inst->kind == KGI_param || inst->kind == KGI_spec || inst->kind == KGI_len;
}

/* Whether it does, in not too many steps. */
static bool is_common(collecting *c, uint32_t value) {
  const kgi_inst *inst = at(c, value);
  if (kgi_is_leaf(inst->kind)) return axis_of(inst) || is_same_for_all(inst);
  if (c->made[value] == c->round) return true;
  c->steps += inst->kind == KGI_op && kgi_op_rows[inst->op].flags & KGI_FUNCTION ? STEPS_OF_FUNCTION : 1;
  if (c->steps > KGI_LIMIT(collect_steps) || (inst->kind != KGI_op && inst->kind != KGI_load)) return false;
  if (inst->kind == KGI_load) {
    const kgi_object *o = &c->q->scope.object[inst->arg[0]];
    if (o->space != KGI_BUFFER || c->written[inst->arg[0]] || o->mode != KG_READ || o->view) return false;
    c->loads = true;
  }
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (inst->arg[k] && !is_common(c, inst->arg[k])) return false;
  c->made[value] = c->round;
  return true;
}

static bool is_loading(collecting *c, uint32_t value) {
  c->round++, c->steps = 0, c->loads = false;
  return !is_common(c, value) || c->loads;
}

static uint32_t value_for(collecting *c, uint32_t value) {
  unsigned axis = axis_of(at(c, value));
  if (axis) return c->id[axis - 1] ? c->id[axis - 1] : value;
  if (kgi_is_leaf(at(c, value)->kind)) return value;
  if (c->made[value] == c->round) return c->copy[value];
  kgi_inst copy = *at(c, value);
  kgi_span span = kgi_operands(&copy);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (copy.arg[k]) copy.arg[k] = value_for(c, copy.arg[k]);
  c->b->pos = c->q->inst_pos[value];
  c->made[value] = c->round;
  return c->copy[value] = kgi_append(c->b, copy);
}

static bool has_ids(collecting *c, uint32_t value, unsigned depth) {
  const kgi_inst *inst = at(c, value);
  if (kgi_is_leaf(inst->kind)) return !is_same_for_all(inst);
  if (inst->kind != KGI_op || !depth) return true;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (has_ids(c, inst->arg[k], depth - 1)) return true;
  return false;
}
enum { DEEP = 6 };
/* The same for all, and of a few operations. */
static bool is_uniform(collecting *c, uint32_t value) { return !has_ids(c, value, DEEP); }

static kgi_poly read(const collecting *c, uint32_t value) { return kgi_poly_of_value(c->q, (kgi_val){value}, c->size); }

/* x = y + extra. */
static bool is_apart(const collecting *c, uint32_t x, uint32_t y, int64_t extra) {
  kgi_poly p = read(c, x), r = read(c, y), difference = kgi_poly_add(&p, &r, -1);
  int64_t apart;
  return kgi_poly_is_int(&difference, &apart) && (uint32_t)(apart - extra) == 0;
}

/* x = id + y + extra. */
static bool is_id_and(const collecting *c, uint32_t x, unsigned axis, uint32_t y, int64_t extra) {
  kgi_poly p = read(c, x), r = read(c, y), id = kgi_poly_atom(KGI_ATOM_GLOBAL + axis), difference = kgi_poly_add(&p, &r, -1);
  difference = kgi_poly_add(&difference, &id, -1);
  int64_t apart;
  return kgi_poly_is_int(&difference, &apart) && (uint32_t)(apart - extra) == 0;
}

static bool is_id(const collecting *c, uint32_t value, unsigned axis) { return axis_of(at(c, value)) == axis + 1; }

/* ---- conditions ---- */

typedef struct condition { uint32_t value; bool truth; } condition;

/* The condition under which the block is entered; `outer`: the block around. False: it is no branch. */
static bool condition_of(const collecting *c, kgi_blk block, condition *out, kgi_blk *outer) {
  const kgi_inst *inst = at(c, c->q->block[block].owner);
  if (inst->kind != KGI_if) return false;
  *out = (condition){inst->arg[0], inst->arg[1] == block}, *outer = inst->block;
  return true;
}

/* It says id < bound, or that and more; `bound` is what comes of it. */
static bool says_below(const collecting *c, condition k, unsigned axis, uint32_t *bound) {
  const kgi_inst *inst = at(c, k.value);
  if (inst->kind != KGI_op) return false;
  if (is_op(inst, KGI_OP_not)) return says_below(c, (condition){inst->arg[0], !k.truth}, axis, bound);
  if (inst->op == (k.truth ? KGI_OP_and : KGI_OP_or))
    return says_below(c, (condition){inst->arg[0], k.truth}, axis, bound) || says_below(c, (condition){inst->arg[1], k.truth}, axis, bound);
  bool plain = inst->op == (k.truth ? KGI_OP_lt : KGI_OP_ge), turned = inst->op == (k.truth ? KGI_OP_gt : KGI_OP_le);
  if ((!plain && !turned) || !is_id(c, inst->arg[turned], axis)) return false;
  *bound = inst->arg[!turned];
  return true;
}

/* Some condition around the block does. */
static bool bound_around(const collecting *c, kgi_blk block, unsigned axis, uint32_t *bound) {
  condition k;
  while (block != KGI_BODY && condition_of(c, block, &k, &block))
    if (says_below(c, k, axis, bound)) return true;
  return false;
}

/* It says nothing of the id but that it is below the bound. */
static bool says_no_more(collecting *c, condition k, unsigned axis, uint32_t bound) {
  const kgi_inst *inst = at(c, k.value);
  uint32_t b;
  if (is_uniform(c, k.value)) return true;
  if (inst->kind != KGI_op) return false;
  if (is_op(inst, KGI_OP_not)) return says_no_more(c, (condition){inst->arg[0], !k.truth}, axis, bound);
  if (inst->type == KG_BOOL && inst->op == (k.truth ? KGI_OP_and : KGI_OP_or))
    return says_no_more(c, (condition){inst->arg[0], k.truth}, axis, bound) && says_no_more(c, (condition){inst->arg[1], k.truth}, axis, bound);
  if (says_below(c, k, axis, &b)) return is_apart(c, b, bound, 0);
  for (unsigned other = 0; other < 3; other++)
    if (other != axis && says_below(c, k, other, &b)) return is_uniform(c, b);
  return false;
}

static bool all_say_no_more(collecting *c, kgi_blk block, unsigned axis, uint32_t bound) {
  condition k;
  while (block != KGI_BODY)
    if (!condition_of(c, block, &k, &block) || !says_no_more(c, k, axis, bound)) return false;
  return true;
}

/* ---- whose element it is ---- */

/* `y` is `x` with what `t` has in place of ids. */
static bool matches(collecting *c, term *t, uint32_t x, uint32_t y, unsigned depth) {
  const kgi_inst *a = at(c, x), *b = at(c, y);
  unsigned axis = axis_of(a);
  if (axis && !t->axis[axis - 1].f) return t->axis[axis - 1].f = y, true;
  if (axis) return t->axis[axis - 1].f == y;
  if (x == y && kgi_is_leaf(a->kind)) return true;
  if (a->kind != KGI_op || b->kind != KGI_op || a->op != b->op || a->type != b->type || !depth) return false;
  kgi_span span = kgi_operands(a);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (!matches(c, t, a->arg[k], b->arg[k], depth - 1)) return false;
  return true;
}

/* f(id) < bound, where id < bound. `not_at`: the id is not that; 0: nothing is known. */
static bool is_below(collecting *c, uint32_t f, unsigned axis, uint32_t bound, uint32_t not_at) {
  const kgi_inst *inst = at(c, f);
  uint32_t number;
  if (is_id(c, f, axis)) return true;
  if (is_number(c, f, &number) && !number) return true;
  if (is_apart(c, f, bound, -1)) return true;
  if (inst->kind != KGI_op || inst->type != KG_U32) return false;
  if ((inst->op == KGI_OP_rem || inst->op == KGI_OP_mod) && is_apart(c, inst->arg[1], bound, 0)) return true;
  if (inst->op == KGI_OP_saturating_sub) return is_below(c, inst->arg[0], axis, bound, 0);
  if (inst->op == KGI_OP_min) return is_below(c, inst->arg[0], axis, bound, 0) || is_below(c, inst->arg[1], axis, bound, 0);
  if (inst->op == KGI_OP_max) return is_below(c, inst->arg[0], axis, bound, 0) && is_below(c, inst->arg[1], axis, bound, 0);
  if (inst->op == KGI_OP_select) {
    const kgi_inst *k = at(c, inst->arg[0]);
    bool eq = is_op(k, KGI_OP_eq), ne = is_op(k, KGI_OP_ne);
    uint32_t never = eq || ne ? inst->arg[0] : 0;
    return is_below(c, inst->arg[1], axis, bound, ne ? never : 0) && is_below(c, inst->arg[2], axis, bound, eq ? never : 0);
  }
  if (inst->op == KGI_OP_sub && is_op(at(c, inst->arg[0]), KGI_OP_max)) { /* max(id, n) - n */
    const kgi_inst *most = at(c, inst->arg[0]);
    for (unsigned side = 0; side < 2; side++)
      if (is_id(c, most->arg[side], axis) && most->arg[!side] == inst->arg[1]) return true;
  }
  if (!not_at) return false;
  const kgi_inst *never = at(c, not_at);
  for (unsigned side = 0; side < 2; side++) {
    uint32_t x = never->arg[side], y = never->arg[!side];
    if (at(c, x)->type != KG_U32) return false;
    /* id != 0: id - 1. id + 1 != bound: id + 1 */
    if (is_id(c, x, axis) && is_number(c, y, &number) && !number && is_id_and(c, f, axis, y, -1)) return true;
    if (is_apart(c, f, x, 0) && is_apart(c, y, bound, 0) && inst->op == KGI_OP_add && is_id(c, inst->arg[0], axis) &&
        is_number(c, inst->arg[1], &number) && number == 1)
      return true;
  }
  return false;
}

/* ---- which invocations it may come from ---- */

static bool add_origin(axis_map *m, origin o) {
  for (unsigned k = 0; k < m->count; k++)
    if (m->from[k].kind == o.kind && m->from[k].by == o.by && m->from[k].value == o.value) return true;
  if (m->count >= KGI_LIMIT(collect_origins)) return false;
  m->from[m->count++] = o;
  return true;
}

/* Of numbers up to this one at an end: id - by, id - by + 1, ... */
static bool add_row(axis_map *m, uint32_t by, uint32_t count, int direction) {
  for (uint32_t k = 0; k <= count && k <= KGI_LIMIT(collect_origins); k++)
    if (!add_origin(m, (origin){APART, by + (direction > 0 ? k : -k), 0})) return false;
  return count <= KGI_LIMIT(collect_origins);
}

typedef struct asked { unsigned axis; uint32_t bound; } asked; /* bound: of the id; 0: none */

static bool origins(collecting *c, axis_map *m, asked q, uint32_t f, uint32_t by, unsigned depth);

/* One side is the same for all: it matters only where the condition is of an equality that holds. */
static bool origins_of_fixed(collecting *c, axis_map *m, asked q, uint32_t condition_value, bool truth) {
  const kgi_inst *k = at(c, condition_value);
  if (!is_op(k, truth ? KGI_OP_eq : KGI_OP_ne) || at(c, k->arg[0])->type != KG_U32) return false;
  for (unsigned side = 0; side < 2; side++) {
    uint32_t x = k->arg[side], y = k->arg[!side], number;
    const kgi_inst *sum = at(c, x);
    if (!is_uniform(c, y)) continue;
    if (is_id(c, x, q.axis)) return add_origin(m, (origin){AT_VALUE, 0, y});
    bool plus = is_op(sum, KGI_OP_add), minus = is_op(sum, KGI_OP_sub);
    if ((plus || minus) && is_id(c, sum->arg[0], q.axis) && is_number(c, sum->arg[1], &number))
      return add_origin(m, (origin){AT_VALUE, plus ? number : -number, y});
  }
  return false;
}

static bool origins_of_select(collecting *c, axis_map *m, asked q, const kgi_inst *inst, uint32_t by, unsigned depth) {
  for (unsigned side = 1; side < 3; side++) {
    bool fixed = is_uniform(c, inst->arg[side]);
    if (!(fixed ? origins_of_fixed(c, m, q, inst->arg[0], side == 1) : origins(c, m, q, inst->arg[side], by, depth - 1))) return false;
  }
  return true;
}

/* min(id + n, bound - 1): where it is the latter, the id is among the last n + 1. min(id + n, u) is id + n, or the same for many. */
static bool origins_of_min(collecting *c, axis_map *m, asked q, const kgi_inst *inst, uint32_t by) {
  for (unsigned side = 0; side < 2 && q.bound; side++) {
    uint32_t x = inst->arg[side], y = inst->arg[!side], number = 0;
    const kgi_inst *sum = at(c, x);
    bool plus = is_op(sum, KGI_OP_add) && is_id(c, sum->arg[0], q.axis) && is_number(c, sum->arg[1], &number);
    if ((plus || is_id(c, x, q.axis)) && is_uniform(c, y) && is_apart(c, y, q.bound, -1)) return add_row(m, by + number, number, -1);
  }
  return false;
}

/* (id + 1) % bound, and (id + bound - 1) % bound, of an id below the bound. In the latter the sum may wrap, if the bound is past 2^31: from
 * the id on where it does the remainder is that of id - (2^32 - bound + 1), which is below the bound. */
static bool origins_of_ring(collecting *c, axis_map *m, asked q, const kgi_inst *inst) {
  uint32_t ring = inst->arg[1], x = inst->arg[0];
  if (!q.bound || !is_apart(c, ring, q.bound, 0) || !is_uniform(c, ring)) return false;
  if (is_id_and(c, x, q.axis, c->zero, 1)) return add_origin(m, (origin){BEFORE, 0, ring});
  if (!is_id_and(c, x, q.axis, ring, -1)) return false;
  return add_origin(m, (origin){BEHIND, 0, ring}) && add_origin(m, (origin){LESS_VALUE, -(uint32_t)1, ring});
}

/* f(id) is the id that collects, less `by`. */
static bool origins(collecting *c, axis_map *m, asked q, uint32_t f, uint32_t by, unsigned depth) {
  const kgi_inst *inst = at(c, f);
  uint32_t number;
  if (is_id(c, f, q.axis)) return add_origin(m, (origin){APART, by, 0});
  if (inst->kind != KGI_op || inst->type != KG_U32 || !depth) return false;
  bool first = is_number(c, inst->arg[0], &number), last = !first && kgi_arity(inst) == 2 && is_number(c, inst->arg[1], &number);
  switch (inst->op) {
  case KGI_OP_add:
    if (first || last) return origins(c, m, q, inst->arg[first], by + number, depth - 1);
    for (unsigned side = 0; side < 2; side++)
      if (is_id(c, inst->arg[side], q.axis) && is_uniform(c, inst->arg[!side])) return add_origin(m, (origin){LESS_VALUE, by, inst->arg[!side]});
    return false;
  case KGI_OP_sub:
    if (last) return origins(c, m, q, inst->arg[0], by - number, depth - 1);
    return is_id(c, inst->arg[0], q.axis) && is_uniform(c, inst->arg[1]) && add_origin(m, (origin){PLUS_VALUE, by, inst->arg[1]});
  case KGI_OP_saturating_sub: /* id - n, or 0, of the first n + 1 */
    return last && is_id(c, inst->arg[0], q.axis) && add_origin(m, (origin){APART, by - number, 0}) && add_row(m, by, number, -1);
  case KGI_OP_max: /* the id, or n, of the first n + 1 */
    return (first || last) && is_id(c, inst->arg[first], q.axis) && add_row(m, by, number, 1);
  case KGI_OP_min: return origins_of_min(c, m, q, inst, by);
  case KGI_OP_select: return origins_of_select(c, m, q, inst, by, depth);
  case KGI_OP_rem: case KGI_OP_mod: return !by && depth == DEEP && origins_of_ring(c, m, q, inst);
  default: return false;
  }
}

/* ---- the program ---- */

static bool is_within(const collecting *c, kgi_blk block, kgi_blk outer) {
  while (block != outer && block != KGI_BODY) block = at(c, c->q->block[block].owner)->block;
  return block == outer;
}

static bool map_axis(collecting *c, term *t, unsigned axis) {
  axis_map *m = &t->axis[axis];
  kgi_blk block = at(c, t->atomic)->block, home = at(c, c->home[t->home])->block;
  asked q = {.axis = axis};
  if (!m->f || is_id(c, m->f, axis)) return m->f = 0, true;
  if (is_loading(c, m->f)) return false;
  if (!bound_around(c, block, axis, &q.bound) || !is_uniform(c, q.bound)) q.bound = 0;
  if (!origins(c, m, q, m->f, 0, DEEP)) return false;
  m->exact = m->count == 1 && m->from[0].kind != AT_VALUE;
  if (c->plain) return true;
  return bound_around(c, home, axis, &q.bound) && is_uniform(c, q.bound) &&
         is_below(c, m->f, axis, q.bound, 0) && all_say_no_more(c, home, axis, q.bound);
}

static bool finds_home(collecting *c, term *t) {
  for (t->home = 0; t->home < c->homes; t->home++) {
    for (unsigned k = 0; k < 3; k++) t->axis[k] = (axis_map){0};
    const kgi_inst *home = at(c, c->home[t->home]), *other = at(c, t->atomic);
    bool found = is_within(c, other->block, home->block) && matches(c, t, home->arg[1], other->arg[1], DEEP);
    for (unsigned k = 0; k < 3 && found; k++) found = map_axis(c, t, k);
    if (found) return true;
  }
  return false;
}

static unsigned depth_of(const collecting *c, uint32_t atomic) { return kgi_depth_of(c->q, at(c, atomic)->block); }

/* What it adds, and all that it is made under. */
static bool is_term_common(collecting *c, term *t) {
  condition k;
  c->round++, c->steps = 0, c->loads = false;
  for (kgi_blk block = at(c, t->atomic)->block; block != KGI_BODY;)
    if (!condition_of(c, block, &k, &block) || !is_common(c, k.value)) return false;
  t->careful = c->loads;
  return is_common(c, at(c, t->atomic)->arg[2]) && depth_of(c, t->atomic) + depth_of(c, c->home[t->home]) + 1 < KGI_MAX_DEPTH;
}

static bool is_home(const collecting *c, uint32_t atomic) {
  for (unsigned k = 0; k < c->homes; k++)
    if (c->home[k] == atomic) return true;
  return false;
}

static bool adds(const collecting *c, uint32_t i, const uint32_t *uses) {
  const kgi_inst *inst = at(c, i);
  return inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_add && inst->arg[1] && !uses[i];
}

/* All that touches the shadow. */
static bool read_terms(collecting *c, const uint32_t *uses) {
  unsigned homes = 0;
  KGI_EACH_INSIDE(c->q, KGI_BODY, i) {
    const kgi_inst *inst = at(c, i);
    if (kgi_ends(inst)) return false; /* no condition says who comes to what is behind it */
    if (!kgi_touches(inst) || kgi_object_of(inst) != c->shadow.i) continue;
    if (!adds(c, i, uses)) return false;
    if (is_home(c, i)) {
      homes++;
      for (kgi_blk block = inst->block; block != KGI_BODY;) {
        condition k;
        if (!condition_of(c, block, &k, &block)) return false;
      }
      continue;
    }
    term *t = &c->term[c->terms];
    if (c->terms++ >= KGI_LIMIT(collect_terms)) return false;
    t->atomic = i;
    if (!finds_home(c, t) || !is_term_common(c, t)) return false;
  }
  return homes == c->homes && c->terms;
}

/* ---- doing it ---- */

static kgi_val and_also(collecting *c, kgi_val x, kgi_val y) { return x.i ? kgi_op2(c->b, KGI_OP_and, x, y) : y; }

static kgi_val guess(collecting *c, unsigned axis, const origin *o) {
  kgi_builder *b = c->b;
  kgi_val id = kgi_id_value(b, KGI_ID_global_id, axis), value = {o->value}, one = kgi_u32(b, 1), zero = kgi_u32(b, 0);
  if (o->value) {
    c->round++;
    value.i = value_for(c, o->value);
  }
  switch (o->kind) {
  case BEFORE: {
    kgi_val first = kgi_op2(b, KGI_OP_eq, id, zero), last = kgi_op2(b, KGI_OP_sub, value, one), former = kgi_op2(b, KGI_OP_sub, id, one);
    return kgi_op3(b, KGI_OP_select, first, last, former);
  }
  case BEHIND: {
    kgi_val next = kgi_op2(b, KGI_OP_add, id, one);
    return kgi_op3(b, KGI_OP_select, kgi_op2(b, KGI_OP_eq, next, value), zero, next);
  }
  case AT_VALUE: id = value; break;
  case LESS_VALUE: id = kgi_op2(b, KGI_OP_sub, id, value); break;
  case PLUS_VALUE: id = kgi_op2(b, KGI_OP_add, id, value); break;
  case APART: break;
  }
  if (o->by > INT32_MAX) return kgi_op2(b, KGI_OP_add, id, kgi_u32(b, -o->by));
  return o->by ? kgi_op2(b, KGI_OP_sub, id, kgi_u32(b, o->by)) : id;
}

static bool is_itself(const origin *o) { return o->kind == APART && !o->by; }

/* An invocation that may add to the element: the id along the axis becomes its. Gives what has to hold of it. */
static kgi_val look_along(collecting *c, const term *t, unsigned axis, unsigned which, kgi_val so_far) {
  const axis_map *m = &t->axis[axis];
  const origin *o = &m->from[which];
  kgi_builder *b = c->b;
  kgi_val id = guess(c, axis, o);
  for (unsigned k = 0; k < which; k++)
    if (m->from[k].kind != APART || o->kind != APART) so_far = and_also(c, so_far, kgi_op2(b, KGI_OP_ne, id, guess(c, axis, &m->from[k])));
  c->id[axis] = id.i;
  if (o->kind == BEFORE) { /* else the id is none that comes of a remainder */
    kgi_val here = kgi_id_value(b, KGI_ID_global_id, axis), end = {value_for(c, o->value)};
    so_far = and_also(c, so_far, kgi_op2(b, KGI_OP_lt, here, end));
  }
  if (!is_itself(o)) {
    kgi_val groups = kgi_id_value(b, KGI_ID_num_workgroups, axis), size = kgi_id_value(b, KGI_ID_workgroup_size, axis);
    so_far = and_also(c, so_far, kgi_op2(b, KGI_OP_lt, id, kgi_op2(b, KGI_OP_mul, groups, size)));
  }
  return so_far;
}

/* f is what the collecting invocation has, along all axes. */
static kgi_val is_right(collecting *c, const term *t, kgi_val so_far) {
  for (unsigned axis = 0; axis < 3; axis++) {
    if (!t->axis[axis].f || t->axis[axis].exact) continue;
    kgi_val own = kgi_id_value(c->b, KGI_ID_global_id, axis);
    so_far = and_also(c, so_far, kgi_op2(c->b, KGI_OP_eq, (kgi_val){value_for(c, t->axis[axis].f)}, own));
  }
  return so_far;
}

/* Opens a branch for each condition of the blocks from the outermost on, or leaves it to who asks for what none of them loads. Gives how many. */
static unsigned open_blocks(collecting *c, const term *t, kgi_blk block, bool itself, kgi_val *so_far) {
  condition k;
  kgi_blk outer;
  if (block == KGI_BODY || (itself && is_within(c, at(c, c->home[t->home])->block, block)) || !condition_of(c, block, &k, &outer)) return 0;
  unsigned opened = open_blocks(c, t, outer, itself, so_far);
  if (t->careful && so_far->i) {
    kgi_if_begin(c->b, *so_far);
    *so_far = none(), opened++;
  }
  kgi_val holds = {value_for(c, k.value)};
  *so_far = and_also(c, *so_far, k.truth ? holds : kgi_op1(c->b, KGI_OP_not, holds));
  return opened;
}

static void add_from(collecting *c, const term *t, const unsigned which[3], kgi_obj sum) {
  kgi_builder *b = c->b;
  kgi_val holds = none();
  bool itself = true;
  c->id[0] = c->id[1] = c->id[2] = 0;
  for (unsigned axis = 0; axis < 3; axis++) {
    if (!t->axis[axis].f) continue;
    holds = look_along(c, t, axis, which[axis], holds);
    itself &= is_itself(&t->axis[axis].from[which[axis]]);
  }
  c->round++;
  holds = is_right(c, t, holds);
  unsigned opened = open_blocks(c, t, at(c, t->atomic)->block, itself, &holds);
  if (holds.i) kgi_if_begin(b, holds), opened++;
  kgi_val value = {value_for(c, at(c, t->atomic)->arg[2])};
  kgi_store(b, sum, none(), kgi_op2(b, KGI_OP_add, kgi_load(b, sum, none()), value));
  while (opened--) kgi_end(b);
}

static void add_term(collecting *c, const term *t, kgi_obj sum) {
  unsigned which[3], most[3];
  for (unsigned k = 0; k < 3; k++) most[k] = t->axis[k].f ? t->axis[k].count : 1;
  for (which[2] = 0; which[2] < most[2]; which[2]++)
    for (which[1] = 0; which[1] < most[1]; which[1]++)
      for (which[0] = 0; which[0] < most[0]; which[0]++) add_from(c, t, which, sum);
}

/* In the home's place, of its element. */
static void collect(collecting *c, unsigned home) {
  kgi_builder *b = c->b;
  const kgi_inst own = *at(c, c->home[home]);
  b->at = kgi_before(c->q, c->home[home]);
  b->pos = c->q->inst_pos[c->home[home]];
  kgi_obj sum = kgi_var(b, kgi_ad_free_name(c->e, "", "sum"), (kg_type)c->q->scope.object[c->shadow.i].type, (kgi_dim){0});
  kgi_store(b, sum, none(), (kgi_val){own.arg[2]});
  for (unsigned k = 0; k < c->terms; k++)
    if (c->term[k].home == home) add_term(c, &c->term[k], sum);
  kgi_store(b, c->shadow, (kgi_val){own.arg[1]}, kgi_load(b, sum, none()));
}

static void collect_all(collecting *c) {
  for (unsigned k = 0; k < c->homes; k++) collect(c, k);
  for (unsigned k = 0; k < c->homes; k++) kgi_remove(c->q, c->home[k]);
  for (unsigned k = 0; k < c->terms; k++) kgi_remove(c->q, c->term[k].atomic);
}

/* ---- which shadows ---- */

static kg_status begin(collecting *c) {
  kgi_arena *scratch = c->e->scratch;
  c->zero = kgi_u32(c->b, 0).i;
  c->known = c->q->inst_count;
  c->copy = kgi_arena_alloc(scratch, c->known, sizeof *c->copy);
  c->made = kgi_arena_alloc(scratch, c->known, sizeof *c->made);
  c->written = kgi_arena_alloc(scratch, c->q->scope.object_count, sizeof *c->written);
  c->round = c->terms = 0;
  if (!c->copy || !c->made || !c->written) return KG_NO_MEMORY;
  KGI_EACH_INSIDE(c->q, KGI_BODY, i)
    if (kgi_writes(at(c, i))) c->written[kgi_object_of(at(c, i))] = true;
  kgi_sizes_of(c->q, c->size);
  return KG_OK;
}

static bool is_plain(const collecting *c, uint32_t access) {
  kgi_digits place;
  unsigned rank = c->q->scope.object[at(c, access)->arg[0]].rank;
  if (!rank) return axis_of(at(c, at(c, access)->arg[1]));
  if (!kgi_place_of(c->q, access, &place)) return false;
  for (unsigned k = 0; k < rank; k++)
    if (!axis_of(at(c, place.value[k])) && !is_same_for_all(at(c, place.value[k]))) return false;
  return true;
}

static bool takes_homes(collecting *c, uint32_t object) {
  const kgi_ad_object *o = &c->e->a->object[object];
  const kgi_emitted_object *made = &c->e->object[object];
  c->shadow = made->shadow, c->homes = o->homes;
  for (unsigned k = 0; k < o->homes; k++) {
    c->home[k] = made->home[k];
    if (!c->home[k] || made->home_again || !at(c, c->home[k])->block || at(c, c->home[k])->kind != KGI_atomic) return false;
  }
  c->plain = true;
  for (unsigned k = 0; k < o->homes; k++) c->plain &= is_plain(c, c->home[k]);
  return o->homes > 0;
}

static kg_status collect_shadow(kgi_emission *e, kgi_program *q, uint32_t object) {
  collecting c = {.e = e, .b = e->b, .q = q};
  if (!takes_homes(&c, object)) return KG_OK;
  kg_status status = begin(&c);
  uint32_t *uses = kgi_arena_alloc(e->scratch, q->inst_count, sizeof *uses);
  if (status != KG_OK || !uses) return KG_NO_MEMORY;
  kgi_count_uses(q, KGI_BODY, uses);
  if (!read_terms(&c, uses)) return KG_OK;
  collect_all(&c);
  e->object[object].collected = true;
  return KG_OK;
}

kg_status kgi_ad_collect(kgi_emission *e, kgi_program *q) {
  kg_status status = KG_OK;
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope) && status == KG_OK; o++)
    if (e->a->object[o].homes && e->object[o].shadow.i) status = collect_shadow(e, q, o);
  return e->scratch->failed ? KG_NO_MEMORY : status == KG_OK ? kgi_builder_status(e->b) : status;
}
