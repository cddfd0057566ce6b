/* Which additions go to whose elements, and from which invocations those may come.
 *
 * Which j there may be follows from what f is made of (`origins`), and is no more than a guess: unless f takes each number to another one, it
 * is asked whether f(j) is the id indeed. So it only matters that none is left out, and none counted twice: two guesses that may be alike are
 * compared. Integers wrap in f as they do in what undoes it. That j is an invocation at all is asked as well. */
#include "autodiff/emit/collect.h"

enum { STEPS_OF_FUNCTION = 8 }; /* or rather more */

static bool is_number(const kgi_collecting *c, uint32_t value, uint32_t *number) {
  if (kgi_collect_at(c, value)->kind != KGI_literal) return false;
  *number = (uint32_t)kgi_literal_bits(kgi_collect_at(c, value));
  return true;
}

/* ---- what another invocation computes too ---- */

bool kgi_collect_is_same_for_all(const kgi_inst *inst) {
  bool size = inst->kind == KGI_id && (inst->op == KGI_ID_num_workgroups || inst->op == KGI_ID_workgroup_size);
  return size || inst->kind == KGI_literal || inst->kind == KGI_param || inst->kind == KGI_spec || inst->kind == KGI_len;
}

/* Whether it does, in not too many steps. */
static bool is_common(kgi_collecting *c, uint32_t of) {
  uint32_t value = kgi_collect_source(c, of);
  const kgi_inst *inst = kgi_collect_at(c, value);
  if (kgi_is_leaf(inst->kind)) return kgi_collect_axis_of(inst) || kgi_collect_is_same_for_all(inst);
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

bool kgi_collect_is_loading(kgi_collecting *c, uint32_t value) {
  c->round++, c->steps = 0, c->loads = false;
  return !is_common(c, value) || c->loads;
}
static bool has_ids(kgi_collecting *c, uint32_t value, unsigned depth) {
  const kgi_inst *inst = kgi_collect_at(c, value);
  if (kgi_is_leaf(inst->kind)) return !kgi_collect_is_same_for_all(inst);
  if (inst->kind != KGI_op || !depth) return true;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (has_ids(c, inst->arg[k], depth - 1)) return true;
  return false;
}
enum { DEEP = 6 };
/* The same for all, and of a few operations. */
static bool is_uniform(kgi_collecting *c, uint32_t value) { return !has_ids(c, value, DEEP); }

static kgi_poly read(const kgi_collecting *c, uint32_t value) { return kgi_poly_of_value(c->q, (kgi_val){value}, c->size); }

/* x = y + extra. */
bool kgi_collect_is_apart(const kgi_collecting *c, uint32_t x, uint32_t y, int64_t extra) {
  kgi_poly p = read(c, x), r = read(c, y), difference = kgi_poly_add(&p, &r, -1);
  int64_t apart;
  return kgi_poly_is_int(&difference, &apart) && (uint32_t)(apart - extra) == 0;
}

/* x = id + y + extra. */
bool kgi_collect_is_id_and(const kgi_collecting *c, uint32_t x, unsigned axis, uint32_t y, int64_t extra) {
  kgi_poly p = read(c, x), r = read(c, y), id = kgi_poly_atom(KGI_ATOM_GLOBAL + axis), difference = kgi_poly_add(&p, &r, -1);
  difference = kgi_poly_add(&difference, &id, -1);
  int64_t apart;
  return kgi_poly_is_int(&difference, &apart) && (uint32_t)(apart - extra) == 0;
}

static bool is_id(const kgi_collecting *c, uint32_t value, unsigned axis) { return kgi_collect_axis_of(kgi_collect_at(c, value)) == axis + 1; }

/* ---- conditions ---- */

/* The condition under which the block is entered; `outer`: the block around. False: it is no branch. */
bool kgi_collect_condition(const kgi_collecting *c, kgi_blk block, kgi_collect_branch *out, kgi_blk *outer) {
  const kgi_inst *inst = kgi_collect_at(c, c->q->block[block].owner);
  if (inst->kind != KGI_if) return false;
  *out = (kgi_collect_branch){inst->arg[0], inst->arg[1] == block}, *outer = inst->block;
  return true;
}

/* It says id < bound, or that and more; `bound` is what comes of it. */
static bool says_below(const kgi_collecting *c, kgi_collect_branch k, unsigned axis, uint32_t *bound) {
  const kgi_inst *inst = kgi_collect_at(c, k.value);
  if (inst->kind != KGI_op) return false;
  if (kgi_collect_is_op(inst, KGI_OP_not)) return says_below(c, (kgi_collect_branch){inst->arg[0], !k.truth}, axis, bound);
  if (inst->op == (k.truth ? KGI_OP_and : KGI_OP_or)) {
    kgi_collect_branch one = {inst->arg[0], k.truth}, other = {inst->arg[1], k.truth};
    return says_below(c, one, axis, bound) || says_below(c, other, axis, bound);
  }
  bool plain = inst->op == (k.truth ? KGI_OP_lt : KGI_OP_ge), turned = inst->op == (k.truth ? KGI_OP_gt : KGI_OP_le);
  if ((!plain && !turned) || !is_id(c, inst->arg[turned], axis)) return false;
  *bound = inst->arg[!turned];
  return true;
}

/* The innermost condition around the block that does, of a bound that is the same for all. */
bool kgi_collect_bound_around(kgi_collecting *c, kgi_blk block, unsigned axis, uint32_t *bound) {
  kgi_collect_branch k;
  while (block != KGI_BODY && kgi_collect_condition(c, block, &k, &block))
    if (says_below(c, k, axis, bound)) return is_uniform(c, *bound);
  return false;
}

/* It says nothing of the id but that it is below the bound. */
static bool says_no_more(kgi_collecting *c, kgi_collect_branch k, unsigned axis, uint32_t bound) {
  const kgi_inst *inst = kgi_collect_at(c, k.value);
  uint32_t b;
  if (is_uniform(c, k.value)) return true;
  if (inst->kind != KGI_op) return false;
  if (kgi_collect_is_op(inst, KGI_OP_not)) return says_no_more(c, (kgi_collect_branch){inst->arg[0], !k.truth}, axis, bound);
  if (inst->type == KG_BOOL && inst->op == (k.truth ? KGI_OP_and : KGI_OP_or)) {
    kgi_collect_branch one = {inst->arg[0], k.truth}, other = {inst->arg[1], k.truth};
    return says_no_more(c, one, axis, bound) && says_no_more(c, other, axis, bound);
  }
  if (says_below(c, k, axis, &b)) return kgi_collect_is_apart(c, b, bound, 0);
  for (unsigned other = 0; other < 3; other++)
    if (other != axis && says_below(c, k, other, &b)) return is_uniform(c, b);
  return false;
}

static bool all_say_no_more(kgi_collecting *c, kgi_blk block, unsigned axis, uint32_t bound) {
  kgi_collect_branch k;
  while (block != KGI_BODY)
    if (!kgi_collect_condition(c, block, &k, &block) || !says_no_more(c, k, axis, bound)) return false;
  return true;
}

/* ---- whose element it is ---- */

/* `y` is `x` with what `t` has in place of ids. */
static bool matches(kgi_collecting *c, kgi_collect_term *t, uint32_t x, uint32_t y, unsigned depth) {
  const kgi_inst *a = kgi_collect_at(c, x), *b = kgi_collect_at(c, y);
  unsigned axis = kgi_collect_axis_of(a);
  if (axis && !t->axis[axis - 1].f) return t->axis[axis - 1].f = y, true;
  if (axis) return t->axis[axis - 1].f == y;
  if (x == y && kgi_is_leaf(a->kind)) return true;
  if (a->kind != KGI_op || b->kind != KGI_op || a->op != b->op || a->type != b->type || !depth) return false;
  kgi_span span = kgi_operands(a);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (!matches(c, t, a->arg[k], b->arg[k], depth - 1)) return false;
  return true;
}

/* f(id) < bound, where id < bound. The id is not at the end `not_at`. */
static bool is_below(kgi_collecting *c, uint32_t f, unsigned axis, uint32_t bound, kgi_collect_end not_at) {
  const kgi_inst *inst = kgi_collect_at(c, f);
  uint32_t number;
  if (is_id(c, f, axis)) return true;
  if (is_number(c, f, &number) && !number) return true;
  if (kgi_collect_is_apart(c, f, bound, -1)) return true;
  if (inst->kind != KGI_op || inst->type != KG_U32) return false;
  if ((inst->op == KGI_OP_rem || inst->op == KGI_OP_mod) && kgi_collect_is_apart(c, inst->arg[1], bound, 0)) return true;
  if (inst->op == KGI_OP_saturating_sub) return is_below(c, inst->arg[0], axis, bound, KGI_NO_END);
  if (inst->op == KGI_OP_min) return is_below(c, inst->arg[0], axis, bound, KGI_NO_END) || is_below(c, inst->arg[1], axis, bound, KGI_NO_END);
  if (inst->op == KGI_OP_max) return is_below(c, inst->arg[0], axis, bound, KGI_NO_END) && is_below(c, inst->arg[1], axis, bound, KGI_NO_END);
  if (inst->op == KGI_OP_select) {
    kgi_collect_end first = kgi_collect_end_where(c, (kgi_collect_branch){inst->arg[0], false}, axis, bound);
    kgi_collect_end second = kgi_collect_end_where(c, (kgi_collect_branch){inst->arg[0], true}, axis, bound);
    return is_below(c, inst->arg[1], axis, bound, first) && is_below(c, inst->arg[2], axis, bound, second);
  }
  if (inst->op == KGI_OP_sub && kgi_collect_is_op(kgi_collect_at(c, inst->arg[0]), KGI_OP_max)) { /* max(id, n) - n */
    const kgi_inst *most = kgi_collect_at(c, inst->arg[0]);
    for (unsigned side = 0; side < 2; side++)
      if (is_id(c, most->arg[side], axis) && most->arg[!side] == inst->arg[1]) return true;
  }
  return kgi_collect_steps_inside(c, f, axis, not_at);
}

/* ---- which invocations it may come from ---- */

static bool add_origin(kgi_collect_axis *m, kgi_collect_origin o) {
  for (unsigned k = 0; k < m->count; k++)
    if (m->from[k].kind == o.kind && m->from[k].by == o.by && m->from[k].value == o.value) return true;
  if (m->count >= KGI_LIMIT(collect_origins)) return false;
  m->from[m->count++] = o;
  return true;
}

/* Of numbers up to this one at an end: id - by, id - by + 1, ... */
static bool add_row(kgi_collect_axis *m, uint32_t by, uint32_t count, int direction) {
  for (uint32_t k = 0; k <= count && k <= KGI_LIMIT(collect_origins); k++)
    if (!add_origin(m, (kgi_collect_origin){KGI_FROM_APART, by + (direction > 0 ? k : -k), 0})) return false;
  return count <= KGI_LIMIT(collect_origins);
}

typedef struct asked { unsigned axis; uint32_t bound; } asked; /* bound: of the id; 0: none */

static bool origins(kgi_collecting *c, kgi_collect_axis *m, asked q, uint32_t f, uint32_t by, unsigned depth);

/* One side is the same for all: it matters only where the condition tells which id it is. */
static bool origins_of_fixed(kgi_collecting *c, kgi_collect_axis *m, asked q, uint32_t condition_value, bool truth) {
  const kgi_inst *k = kgi_collect_at(c, condition_value);
  kgi_collect_end end = kgi_collect_end_where(c, (kgi_collect_branch){condition_value, truth}, q.axis, q.bound);
  if (end == KGI_FIRST_END) return add_origin(m, (kgi_collect_origin){KGI_FROM_AT, 0, c->zero});
  if (end == KGI_LAST_END && is_uniform(c, q.bound)) return add_origin(m, (kgi_collect_origin){KGI_FROM_AT, 1, q.bound});
  if (!kgi_collect_is_op(k, truth ? KGI_OP_eq : KGI_OP_ne) || kgi_collect_at(c, k->arg[0])->type != KG_U32) return false;
  for (unsigned side = 0; side < 2; side++) {
    uint32_t x = k->arg[side], y = k->arg[!side], number;
    const kgi_inst *sum = kgi_collect_at(c, x);
    if (!is_uniform(c, y)) continue;
    if (is_id(c, x, q.axis)) return add_origin(m, (kgi_collect_origin){KGI_FROM_AT, 0, y});
    bool plus = kgi_collect_is_op(sum, KGI_OP_add), minus = kgi_collect_is_op(sum, KGI_OP_sub);
    if ((plus || minus) && is_id(c, sum->arg[0], q.axis) && is_number(c, sum->arg[1], &number))
      return add_origin(m, (kgi_collect_origin){KGI_FROM_AT, plus ? number : -number, y});
  }
  return false;
}

static bool origins_of_select(kgi_collecting *c, kgi_collect_axis *m, asked q, const kgi_inst *inst, uint32_t by, unsigned depth) {
  for (unsigned side = 1; side < 3; side++) {
    bool fixed = is_uniform(c, inst->arg[side]);
    if (!(fixed ? origins_of_fixed(c, m, q, inst->arg[0], side == 1) : origins(c, m, q, inst->arg[side], by, depth - 1))) return false;
  }
  return true;
}

/* min(id + n, bound - 1): where it is the latter, the id is among the last n + 1. min(id + n, u) is id + n, or the same for many. */
static bool origins_of_min(kgi_collecting *c, kgi_collect_axis *m, asked q, const kgi_inst *inst, uint32_t by) {
  for (unsigned side = 0; side < 2 && q.bound; side++) {
    uint32_t x = inst->arg[side], y = inst->arg[!side], number = 0;
    const kgi_inst *sum = kgi_collect_at(c, x);
    bool plus = kgi_collect_is_op(sum, KGI_OP_add) && is_id(c, sum->arg[0], q.axis) && is_number(c, sum->arg[1], &number);
    if ((plus || is_id(c, x, q.axis)) && is_uniform(c, y) && kgi_collect_is_apart(c, y, q.bound, -1)) return add_row(m, by + number, number, -1);
  }
  return false;
}

/* (id + 1) % bound, and (id + bound - 1) % bound, of an id below the bound. In the latter the sum may wrap, if the bound is past 2^31: from
 * the id on where it does the remainder is that of id - (2^32 - bound + 1), which is below the bound. */
static bool origins_of_ring(kgi_collecting *c, kgi_collect_axis *m, asked q, const kgi_inst *inst) {
  uint32_t ring = inst->arg[1], x = inst->arg[0];
  if (!q.bound || !kgi_collect_is_apart(c, ring, q.bound, 0) || !is_uniform(c, ring)) return false;
  if (kgi_collect_is_id_and(c, x, q.axis, c->zero, 1)) return add_origin(m, (kgi_collect_origin){KGI_FROM_BEFORE, 0, ring});
  if (!kgi_collect_is_id_and(c, x, q.axis, ring, -1)) return false;
  return add_origin(m, (kgi_collect_origin){KGI_FROM_BEHIND, 0, ring}) && add_origin(m, (kgi_collect_origin){KGI_FROM_LESS, -(uint32_t)1, ring});
}

/* f(id) is the id that collects, less `by`. */
static bool origins(kgi_collecting *c, kgi_collect_axis *m, asked q, uint32_t f, uint32_t by, unsigned depth) {
  const kgi_inst *inst = kgi_collect_at(c, f);
  uint32_t number;
  if (is_id(c, f, q.axis)) return add_origin(m, (kgi_collect_origin){KGI_FROM_APART, by, 0});
  if (inst->kind != KGI_op || inst->type != KG_U32 || !depth) return false;
  bool first = is_number(c, inst->arg[0], &number), last = !first && kgi_arity(inst) == 2 && is_number(c, inst->arg[1], &number);
  switch (inst->op) {
  case KGI_OP_add:
    if (first || last) return origins(c, m, q, inst->arg[first], by + number, depth - 1);
    for (unsigned side = 0; side < 2; side++)
      if (is_id(c, inst->arg[side], q.axis) && is_uniform(c, inst->arg[!side]))
        return add_origin(m, (kgi_collect_origin){KGI_FROM_LESS, by, inst->arg[!side]});
    return false;
  case KGI_OP_sub:
    if (last) return origins(c, m, q, inst->arg[0], by - number, depth - 1);
    return is_id(c, inst->arg[0], q.axis) && is_uniform(c, inst->arg[1]) && add_origin(m, (kgi_collect_origin){KGI_FROM_PLUS, by, inst->arg[1]});
  case KGI_OP_saturating_sub: /* id - n, or 0, of the first n + 1 */
    if (!last || !is_id(c, inst->arg[0], q.axis)) return false;
    return add_origin(m, (kgi_collect_origin){KGI_FROM_APART, by - number, 0}) && add_row(m, by, number, -1);
  case KGI_OP_max: /* the id, or n, of the first n + 1 */
    return (first || last) && is_id(c, inst->arg[first], q.axis) && add_row(m, by, number, 1);
  case KGI_OP_min: return origins_of_min(c, m, q, inst, by);
  case KGI_OP_select: return origins_of_select(c, m, q, inst, by, depth);
  case KGI_OP_rem: case KGI_OP_mod: return !by && depth == DEEP && origins_of_ring(c, m, q, inst);
  default: return false;
  }
}

/* ---- the program ---- */

bool kgi_collect_is_within(const kgi_collecting *c, kgi_blk block, kgi_blk outer) {
  while (block != outer && block != KGI_BODY) block = kgi_collect_at(c, c->q->block[block].owner)->block;
  return block == outer;
}

static kgi_blk block_of(const kgi_collecting *c, uint32_t atomic) { return kgi_collect_at(c, atomic)->block; }

/* A condition of the home says that ids are below something: and so is what stands for them. */
static bool passes(kgi_collecting *c, const kgi_collect_term *t, kgi_collect_branch k) {
  const kgi_inst *inst = kgi_collect_at(c, k.value);
  const kgi_blk block = block_of(c, t->atomic);
  uint32_t bound;
  if (inst->kind != KGI_op) return false;
  if (inst->op == KGI_OP_not) return passes(c, t, (kgi_collect_branch){inst->arg[0], !k.truth});
  if (inst->type == KG_BOOL && inst->op == (k.truth ? KGI_OP_and : KGI_OP_or))
    return passes(c, t, (kgi_collect_branch){inst->arg[0], k.truth}) && passes(c, t, (kgi_collect_branch){inst->arg[1], k.truth});
  for (unsigned axis = 0; axis < 3; axis++) {
    if (!says_below(c, k, axis, &bound)) continue;
    uint32_t f = t->axis[axis].f;
    bool below = is_uniform(c, bound) && kgi_collect_is_kept_below(c, block, axis, 0, bound);
    return f ? (below && is_below(c, f, axis, bound, KGI_NO_END)) || (is_uniform(c, bound) && kgi_collect_is_kept_below(c, block, axis, f, bound)) : below;
  }
  return false;
}

/* The addition is made where the home's conditions hold of whose element it is, though not under them. */
static bool passes_all(kgi_collecting *c, const kgi_collect_term *t) {
  kgi_collect_branch k;
  for (kgi_blk block = block_of(c, c->home[t->home]); block != KGI_BODY;)
    if (!kgi_collect_condition(c, block, &k, &block) || !passes(c, t, k)) return false;
  return true;
}

static bool map_axis(kgi_collecting *c, kgi_collect_term *t, unsigned axis, bool within) {
  kgi_collect_axis *m = &t->axis[axis];
  kgi_blk block = block_of(c, t->atomic), home = block_of(c, c->home[t->home]);
  asked q = {.axis = axis};
  if (!m->f || is_id(c, m->f, axis)) return m->f = 0, true;
  if (kgi_collect_is_loading(c, m->f)) return false;
  if (!kgi_collect_bound_around(c, block, axis, &q.bound)) q.bound = 0;
  if (!origins(c, m, q, m->f, 0, DEEP)) return false;
  m->exact = m->count == 1 && m->from[0].kind != KGI_FROM_AT;
  if (c->plain || !within) return true;
  return kgi_collect_bound_around(c, home, axis, &q.bound) &&
         (is_below(c, m->f, axis, q.bound, KGI_NO_END) || kgi_collect_is_kept_below(c, block, axis, m->f, q.bound)) &&
         all_say_no_more(c, home, axis, q.bound);
}

static bool finds_home(kgi_collecting *c, kgi_collect_term *t) {
  for (t->home = 0; t->home < c->homes; t->home++) {
    for (unsigned k = 0; k < 3; k++) t->axis[k] = (kgi_collect_axis){0};
    const kgi_inst *home = kgi_collect_at(c, c->home[t->home]), *other = kgi_collect_at(c, t->atomic);
    bool within = kgi_collect_is_within(c, other->block, home->block), found = matches(c, t, home->arg[1], other->arg[1], DEEP);
    for (unsigned k = 0; k < 3 && found; k++) found = map_axis(c, t, k, within);
    if (found && (c->plain || within || passes_all(c, t))) return true;
  }
  return false;
}

/* Of so many invocations it is asked whether they add here. */
static unsigned looks_of(const kgi_collect_term *t) {
  unsigned looks = 1;
  for (unsigned k = 0; k < 3; k++)
    if (t->axis[k].f) looks *= t->axis[k].count;
  return looks;
}

static unsigned depth_of(const kgi_collecting *c, uint32_t atomic) { return kgi_depth_of(c->q, kgi_collect_at(c, atomic)->block); }

/* What it adds, and all that it is made under. */
static bool is_term_common(kgi_collecting *c, kgi_collect_term *t) {
  kgi_collect_branch k;
  c->round++, c->steps = 0, c->loads = false;
  for (kgi_blk block = kgi_collect_at(c, t->atomic)->block; block != KGI_BODY;)
    if (!kgi_collect_condition(c, block, &k, &block) || !is_common(c, k.value)) return false;
  t->careful = c->loads;
  return is_common(c, kgi_collect_at(c, t->atomic)->arg[2]) && depth_of(c, t->atomic) + depth_of(c, c->home[t->home]) + 1 < KGI_MAX_DEPTH;
}

static bool is_home(const kgi_collecting *c, uint32_t atomic) {
  for (unsigned k = 0; k < c->homes; k++)
    if (c->home[k] == atomic) return true;
  return false;
}

static bool adds(const kgi_collecting *c, uint32_t i, const uint32_t *uses) {
  const kgi_inst *inst = kgi_collect_at(c, i);
  return inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_add && inst->arg[1] && !uses[i];
}

/* All that touches the shadow. */
bool kgi_collect_find(kgi_collecting *c, const uint32_t *uses) {
  unsigned homes = 0, looks = 0;
  KGI_EACH_INSIDE(c->q, KGI_BODY, i) {
    const kgi_inst *inst = kgi_collect_at(c, i);
    if (kgi_ends(inst)) return false; /* no condition says who comes to what is behind it */
    if (!kgi_touches(inst) || kgi_object_of(inst) != c->shadow.i) continue;
    if (!adds(c, i, uses)) return false;
    if (is_home(c, i)) {
      homes++;
      for (kgi_blk block = inst->block; block != KGI_BODY;) {
        kgi_collect_branch k;
        if (!kgi_collect_condition(c, block, &k, &block)) return false;
      }
      continue;
    }
    kgi_collect_term *t = &c->term[c->terms];
    if (c->terms++ >= KGI_LIMIT(collect_terms)) return false;
    t->atomic = i;
    if (!finds_home(c, t) || !is_term_common(c, t)) return false;
    looks += looks_of(t);
    if (looks > KGI_LIMIT(collect_looks)) return false;
  }
  return homes == c->homes && c->terms;
}
