/* Loops that count, found: the test that leaves the loop, the counter at which it looks, and the one store that moves the counter. */
#include "foundation/passes/count.h"
#include "foundation/ir/bits.h"

enum { MOST_LOOKS = 256, MOST_STORES = 16 };

/* ---- what stays the same in a loop ---- */

static bool is_inside(const kgi_program *p, uint32_t value, uint32_t loop_at) {
  for (kgi_blk block = p->inst[value].block; block; block = p->inst[p->block[block].owner].block)
    if (p->block[block].owner == loop_at) return true;
  return false;
}

static bool is_stored_inside(const kgi_count *l, uint32_t object) {
  KGI_EACH_INSIDE(l->p, l->body, i)
    if (kgi_has_effect(&l->p->inst[i], KGI_WRITES | KGI_DECLARES) && kgi_object_of(&l->p->inst[i]) == object) return true;
  return false;
}

/* A load counts where nothing can have stored to the object: to a var in the loop, to a buffer at all. */
static bool stays(kgi_count *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value];
  if (kgi_is_leaf(x->kind) || !is_inside(l->p, value, l->at)) return true;
  if (++l->looks > MOST_LOOKS || x->block != l->body) return false;
  kgi_span operands = kgi_operands(x);
  for (unsigned k = 0; k < operands.count; k++)
    if (x->arg[operands.first + k] && !stays(l, x->arg[operands.first + k])) return false;
  if (x->kind == KGI_op) return true;
  const kgi_object *o = &l->p->scope.object[kgi_object_of(x)];
  if (x->kind != KGI_load || o->space == KGI_SHARED) return false;
  return o->space == KGI_VAR ? !is_stored_inside(l, x->arg[0]) : !l->blocks->written[x->arg[0]];
}

/* A load that may lie outside of its object, where nothing is known of what guards it. */
static bool may_be_outside(const kgi_count *l, const kgi_inst *load) {
  const kgi_object *o = &l->p->scope.object[load->arg[0]];
  const kgi_dim_node *length = &l->p->scope.dim[o->length.i];
  const kgi_inst *index = &l->p->inst[load->arg[1]];
  if (o->scalar) return false;
  return index->kind != KGI_literal || !o->length.i || length->op != KGI_DIM_INT || length->imm <= (int64_t)index->arg[0];
}

/* Whether the loop alone says that what stays may be loaded: it is not to be looked at in front of one that has no trip. */
static bool needs_trip(const kgi_count *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value];
  if (kgi_is_leaf(x->kind) || x->block != l->body) return false;
  if (x->kind == KGI_load && may_be_outside(l, x)) return true;
  kgi_span operands = kgi_operands(x);
  for (unsigned k = 0; k < operands.count; k++)
    if (x->arg[operands.first + k] && needs_trip(l, x->arg[operands.first + k])) return true;
  return false;
}

/* ---- tests ---- */

bool kgi_count_is_plain(const kgi_count *l, uint32_t i) {
  const kgi_inst *x = &l->p->inst[i];
  const kgi_object *o = &l->p->scope.object[x->kind == KGI_store ? x->arg[0] : 0];
  return x->kind == KGI_op || x->kind == KGI_load || (x->kind == KGI_store && o->space == KGI_VAR && o->scalar);
}

/* An `if` that leaves the loop, with plain statements before its `break`. */
static bool is_test(const kgi_count *l, uint32_t i, uint32_t *plain) {
  if (l->p->inst[i].kind != KGI_if || l->p->inst[i].arg[2]) return false;
  uint32_t n = l->p->block[l->p->inst[i].arg[1]].first;
  for (; n && kgi_count_is_plain(l, n); n = l->p->inst[n].next) ++*plain;
  return n && l->p->inst[n].kind == KGI_break && *plain <= KGI_COUNT_PLAIN;
}

/* The one behind plain statements; 0: there is none. */
static uint32_t first_test(const kgi_count *l) {
  uint32_t i = l->p->block[l->body].first, plain = 0;
  for (; i && kgi_count_is_plain(l, i); i = l->p->inst[i].next) plain++;
  return i && is_test(l, i, &plain) ? i : 0;
}

/* The statement in front, or the one around that runs its blocks once; 0: none. */
static uint32_t in_front(const kgi_program *p, uint32_t i) {
  if (p->inst[i].prev) return p->inst[i].prev;
  uint32_t owner = p->block[p->inst[i].block].owner;
  return owner && kgi_is_loop(&p->inst[owner]) ? 0 : owner;
}

/* Nobody finds in the var what the last trip stores: it is loaded in the loop alone, and stored in front of it. */
static bool is_own(const kgi_count *l, uint32_t object) {
  bool begins = false;
  uint32_t inside = 0;
  for (uint32_t i = in_front(l->p, l->at); i && !begins; i = in_front(l->p, i))
    begins = l->p->inst[i].kind == KGI_store && l->p->inst[i].arg[0] == object;
  if (!begins) return false;
  KGI_EACH_INSIDE(l->p, l->body, i) inside += l->p->inst[i].kind == KGI_load && l->p->inst[i].arg[0] == object;
  return inside == l->loads[object];
}

/* The one that ends the body, as that of do-while: it stores nothing itself, and what is stored behind it nobody finds. */
static uint32_t last_test(const kgi_count *l) {
  uint32_t i = l->p->block[l->body].last, plain = 0, stores = 0;
  for (; i && kgi_count_is_plain(l, i); i = l->p->inst[i].prev)
    if (l->p->inst[i].kind == KGI_store && (++stores > MOST_STORES || !is_own(l, l->p->inst[i].arg[0]))) return 0;
  return i && is_test(l, i, &plain) && !plain ? i : 0;
}

/* ---- counters ---- */

static bool is_load_of_var(const kgi_count *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value];
  const kgi_object *o = &l->p->scope.object[x->kind == KGI_load ? x->arg[0] : 0];
  bool counts = o->type == KG_I32 || o->type == KG_U32 || (o->type == KG_F32 && l->floats);
  return x->kind == KGI_load && o->space == KGI_VAR && o->scalar && counts && x->block == l->body;
}

/* A `continue` of the loop itself, and not of one inside of it. */
static bool goes_on(const kgi_count *l, uint32_t i) {
  uint32_t owner = l->p->block[l->p->inst[i].block].owner;
  if (l->p->inst[i].kind != KGI_continue) return false;
  while (!kgi_is_loop(&l->p->inst[owner])) owner = l->p->block[l->p->inst[owner].block].owner;
  return kgi_body_of(&l->p->inst[owner]) == l->body;
}

/* One store in the loop, in its body, which every trip comes to that goes on. */
static bool find_move(kgi_count *l) {
  l->moves = 0;
  KGI_EACH_INSIDE(l->p, l->body, i) {
    const kgi_inst *x = &l->p->inst[i];
    if (goes_on(l, i)) return false;
    if (kgi_object_of(x) != l->counter || x->kind == KGI_len || x->kind == KGI_load) continue;
    if (l->moves || x->kind != KGI_store || x->block != l->body) return false;
    l->moves = i;
  }
  return l->moves != 0;
}

static bool comes_before(const kgi_count *l, uint32_t first, uint32_t second) {
  while (first && first != second) first = l->p->inst[first].next;
  return first != 0;
}

/* In C a signed counter that is compared with an unsigned number is taken for one, and compilers whose integers have no sign compare them as
 * if they had. */
static bool is_word(const kgi_inst *x) { return x->type == KG_I32 || x->type == KG_U32; }
static uint32_t as_it_is(const kgi_count *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value], *from = &l->p->inst[x->arg[0]];
  bool cast = x->kind == KGI_op && x->op == KGI_OP_convert && is_word(x) && is_word(from);
  return cast && (from->kind == KGI_op || is_load_of_var(l, x->arg[0])) ? x->arg[0] : value;
}

/* Whether the value is the counter's, as a trip finds it or as it leaves it. */
static bool is_counter(kgi_count *l, uint32_t value) {
  l->seen = (kg_type)l->p->inst[value].type;
  value = as_it_is(l, value);
  const kgi_inst *x = &l->p->inst[value];
  if (is_load_of_var(l, value)) {
    l->counter = x->arg[0];
    if (!find_move(l)) return false;
    l->moved = !comes_before(l, value, l->moves);
    return true;
  }
  if (x->kind != KGI_op || kgi_op_rows[x->op].arity != 2) return false;
  for (unsigned side = 0; side < 2; side++) {
    if (!is_load_of_var(l, x->arg[side])) continue;
    l->counter = l->p->inst[x->arg[side]].arg[0], l->moved = true;
    if (find_move(l) && l->p->inst[l->moves].arg[2] == value) return true;
  }
  return false;
}

static kgi_op turned(kgi_op op) {
  switch ((unsigned)op) {
  case KGI_OP_lt: return KGI_OP_gt;
  case KGI_OP_gt: return KGI_OP_lt;
  case KGI_OP_le: return KGI_OP_ge;
  case KGI_OP_ge: return KGI_OP_le;
  default: return op;
  }
}

/* A comparison of the counter with what stays. `leaves`: it says when the loop is left, and not when it goes on. */
static bool find_counter(kgi_count *l, uint32_t comparison, bool leaves) {
  const kgi_inst *x = &l->p->inst[comparison];
  kgi_op op = (kgi_op)x->op;
  if (x->kind != KGI_op || (leaves && !kgi_opposite(op, &op))) return false;
  if (op != KGI_OP_ne && turned(op) == op) return false;
  for (unsigned side = 0; side < 2; side++) {
    if (!is_counter(l, x->arg[side]) || !stays(l, x->arg[1 - side])) continue;
    l->bound = x->arg[1 - side], l->goes_on = side ? turned(op) : op;
    return true;
  }
  return false;
}

/* ---- steps ---- */

/* A constant is positive where its default is: one that is set to less is an error of the loop's step. */
static bool is_positive_constant(const kgi_count *l, const kgi_inst *x) {
  return kgi_bits_to_int(KG_I32, l->p->scope.spec[x->arg[0]].bits) > 0;
}

static bool is_positive(const kgi_count *l, uint32_t step, bool *negative) {
  const kgi_inst *x = &l->p->inst[step], *from = &l->p->inst[x->arg[0]];
  *negative = false;
  if (x->kind == KGI_literal && x->type == KG_I32) return *negative = (int32_t)x->arg[0] < 0, x->arg[0] != 0;
  if (x->kind == KGI_literal && x->type == KG_U32 && x->arg[0] == UINT32_MAX) return *negative = true;
  if (x->kind == KGI_literal) return x->arg[0] && x->arg[0] <= INT32_MAX;
  if (x->kind == KGI_spec) return is_positive_constant(l, x);
  if (x->kind == KGI_op && x->op == KGI_OP_convert && from->type == KG_U32) return true;
  return x->type == KG_U32 || !l->leaves_early; /* by less than 1 nobody comes to the bound, but to another way out */
}

/* By how many bits a literal operand shifts; 0: it does not. */
static unsigned shift_of(const kgi_inst *x, const kgi_inst *by) {
  if (by->kind != KGI_literal || by->arg[1] || !by->arg[0]) return 0;
  bool scales = x->op == KGI_OP_mul || x->op == KGI_OP_div;
  if (!scales) return by->arg[0] < 32 && (x->op == KGI_OP_shl || x->op == KGI_OP_shr) ? by->arg[0] : 0;
  unsigned bits = 0;
  while (by->arg[0] >> bits > 1) bits++;
  return by->arg[0] == UINT32_C(1) << bits && bits < 31 ? bits : 0;
}

static bool find_step(kgi_count *l) {
  const kgi_inst *x = &l->p->inst[l->p->inst[l->moves].arg[2]];
  if (x->kind != KGI_op || kgi_op_rows[x->op].arity != 2) return false;
  bool commutes = x->op == KGI_OP_add || x->op == KGI_OP_mul, negative;
  unsigned side = is_load_of_var(l, x->arg[0]) && l->p->inst[x->arg[0]].arg[0] == l->counter ? 0 : 1;
  if (side && !commutes) return false;
  if (!is_load_of_var(l, x->arg[side]) || l->p->inst[x->arg[side]].arg[0] != l->counter) return false;
  l->step = x->arg[1 - side];
  if (kgi_count_type(l) == KG_F32) return l->by = KGI_BY_STEPS, true;
  if (x->op == KGI_OP_add || x->op == KGI_OP_sub) {
    if (!stays(l, l->step) || !is_positive(l, l->step, &negative)) return false;
    return l->by = KGI_BY_STEPS, l->down = negative != (x->op == KGI_OP_sub), true;
  }
  l->shift = shift_of(x, &l->p->inst[l->step]);
  l->by = x->op == KGI_OP_mul || x->op == KGI_OP_shl ? KGI_BY_DOUBLING : KGI_BY_HALVING;
  return l->shift != 0;
}

/* Somewhere in there the object is stored to. */
static bool may_store(const kgi_program *p, uint32_t i, uint32_t object) {
  kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
  for (unsigned k = 0; k < blocks.count; k++)
    KGI_EACH_INSIDE(p, p->inst[i].arg[blocks.first + k], n)
      if (kgi_has_effect(&p->inst[n], KGI_WRITES | KGI_DECLARES) && kgi_object_of(&p->inst[n]) == object) return true;
  return false;
}

/* The last statement in front of the loop, or of the branches around it, that stores to the counter, or is `until`; 0: nobody knows. */
static uint32_t last_in_front(const kgi_count *l, uint32_t until) {
  for (uint32_t i = l->at, next; (next = in_front(l->p, i)); i = next) {
    const kgi_inst *x = &l->p->inst[next];
    bool is_around = !l->p->inst[i].prev;
    if (next == until || (x->kind == KGI_store && x->arg[0] == l->counter)) return next;
    if (is_around ? x->kind != KGI_if : may_store(l->p, next, l->counter)) return 0;
    if (kgi_has_effect(x, KGI_DECLARES) && kgi_object_of(x) == l->counter) return 0;
  }
  return 0;
}

uint32_t kgi_count_begins(const kgi_count *l) {
  uint32_t store = last_in_front(l, 0);
  return store ? l->p->inst[store].arg[2] : 0;
}

bool kgi_count_begins_before(const kgi_count *l, uint32_t load) { return last_in_front(l, load) == load; }

/* ---- all of it ---- */

bool kgi_count_leaves(const kgi_count *l, uint32_t i) {
  if (l->p->inst[i].kind == KGI_return) return true;
  if (l->p->inst[i].kind != KGI_break) return false;
  kgi_blk block = l->p->inst[i].block;
  while (block != l->body) {
    const kgi_inst *owner = &l->p->inst[l->p->block[block].owner];
    if (owner->kind == KGI_for || owner->kind == KGI_while) return false;
    block = owner->block;
  }
  return l->p->inst[i].block != l->p->inst[l->test].arg[1];
}

static bool counts(kgi_count *l, uint32_t comparison, bool leaves, uint32_t other, bool other_turned) {
  l->other = other, l->other_turned = other_turned;
  l->leaves_early = other != 0;
  KGI_EACH_INSIDE(l->p, l->body, i) l->leaves_early |= kgi_count_leaves(l, i);
  if (!find_counter(l, comparison, leaves) || !find_step(l)) return false;
  if (l->repeats && !l->moved && l->test == first_test(l)) return false; /* a loop whose test comes first, in which little happens */
  bool looked_at_first = !l->repeats && l->moved; /* the step is, as the bound is by a test in front */
  l->waits = !looked_at_first && needs_trip(l, l->step);
  if (l->leaves_early && (l->waits || (l->repeats && needs_trip(l, l->bound)))) return false;
  l->waits &= !l->repeats;
  return kgi_count_fits(l);
}

/* The condition, or one side of several: a loop that goes on where both a and b say so. */
bool kgi_count_find(kgi_count *l) {
  l->test = l->repeats ? last_test(l) : first_test(l);
  if (!l->test) return false;
  uint32_t condition = l->p->inst[l->test].arg[0];
  const kgi_inst *x = &l->p->inst[condition], *of = &l->p->inst[x->arg[0]];
  if (x->kind != KGI_op) return false;
  if (counts(l, condition, true, 0, false)) return true;
  if (x->op == KGI_OP_not && counts(l, x->arg[0], false, 0, false)) return true; /* of floats, of which some are no numbers */
  bool is_or = x->op == KGI_OP_or, is_nand = x->op == KGI_OP_not && of->kind == KGI_op && of->op == KGI_OP_and;
  if (x->block != l->body || x->type != KG_BOOL || (!is_or && !is_nand)) return false;
  const uint32_t *arg = is_or ? x->arg : of->arg;
  uint32_t one = arg[0], two = arg[1];
  return counts(l, one, is_or, two, is_nand) || counts(l, two, is_or, one, is_nand);
}
