/* What prints inside what. The parser builds operands before operations, from left to right, each statement in one piece: so a
 * value can stand inside its only user exactly where it directly precedes what is built after it. Statements are planned from a
 * block's end, operands from the last. */
#include "foundation/ir/place.h"
#include "foundation/text/print.h"

/* Deeper and longer expressions continue in a let: pleasant to read, and no recursion follows a program's length. */
enum { DEEPEST = 16, LONGEST = 32 };

/* ---- expressions ---- */

static bool can_stand_inside(const kgi_printer *t, uint32_t value, uint32_t uses) {
  const kgi_inst *x = &t->p->inst[value];
  return kgi_is_expression(x) && t->uses[value] == uses && !t->p->inst_name[value].i;
}

static uint32_t inside(kgi_printer *t, uint32_t value, uint32_t uses, uint32_t before, unsigned depth, bool commit);

/* The links of a chain directly behind one another, each for this access alone. */
static bool is_own_place(const kgi_printer *t, uint32_t access, uint32_t uses, uint32_t before, kgi_digits *place) {
  if (!kgi_place_of(t->p, access, place) || !kgi_place_is_own(t->p, t->p->inst[access].arg[0], place)) return false;
  for (unsigned k = t->p->scope.object[t->p->inst[access].arg[0]].rank; k-- > 0; before = t->p->inst[before].prev, uses = 1)
    if (place->link[k] != before || !can_stand_inside(t, before, uses)) return false;
  return true;
}

/* The index of an access: several, where it is a place; they are computed one after the other, and joined behind the last. */
static uint32_t index_inside(kgi_printer *t, uint32_t access, uint32_t uses, uint32_t before, unsigned depth, bool commit) {
  kgi_digits place;
  unsigned rank = t->p->scope.object[t->p->inst[access].arg[0]].rank;
  if (depth > DEEPEST || t->room < rank || !is_own_place(t, access, uses, before, &place))
    return inside(t, t->p->inst[access].arg[1], uses, before, depth, commit);
  t->room -= rank;
  before = t->p->inst[place.link[0]].prev;
  for (unsigned k = 0; k < rank && commit; k++) t->plan[place.link[k]] |= KGI_PLAN_INLINE;
  for (unsigned k = rank; k-- > 0;) before = inside(t, place.value[k], 1, before, depth + 1, commit);
  return before;
}

/* Operand k, which is the index of an access or a value. */
static uint32_t operand_inside(kgi_printer *t, uint32_t user, unsigned k, uint32_t before, unsigned depth, bool commit) {
  const kgi_inst *x = &t->p->inst[user];
  if (kgi_touches(x) && k == 1) return index_inside(t, user, 1, before, depth, commit);
  return inside(t, x->arg[k], 1, before, depth, commit);
}

/* `before` is the instruction that the next operand to the left must be to stand inside. Returns the same for what is further
 * left. `commit` records it. */
static uint32_t inside(kgi_printer *t, uint32_t value, uint32_t uses, uint32_t before, unsigned depth, bool commit) {
  const kgi_inst *x = &t->p->inst[value];
  if (!value || value != before || depth > DEEPEST + (x->kind == KGI_load) || t->room == 0 ||
      !can_stand_inside(t, value, uses))
    return before;
  t->room--;
  kgi_span operands = kgi_operands(x);
  if (commit) t->plan[value] |= KGI_PLAN_INLINE;
  before = x->prev;
  for (unsigned k = operands.count; k-- > 0;) before = operand_inside(t, value, operands.first + k, before, depth + 1, commit);
  return before;
}

/* ---- statements ---- */

static bool same_place(const kgi_inst *x, const kgi_inst *y) { return x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1]; }

/* x[i] += e: index, load, e, operation, store, in this order. `before` is then the instruction before them. */
static bool compound(kgi_printer *t, uint32_t store, uint32_t *before) {
  const kgi_inst *s = &t->p->inst[store], *op = &t->p->inst[s->arg[2]];
  if (s->arg[2] != s->prev || op->kind != KGI_op || !can_stand_inside(t, s->arg[2], 1) || !kgi_compound_text(op->op)) return false;
  uint32_t load = op->arg[0];
  if (!load || t->p->inst[load].kind != KGI_load || !same_place(s, &t->p->inst[load])) return false;
  if (!can_stand_inside(t, load, 1)) return false;
  bool directly = inside(t, op->arg[1], 1, op->prev, 1, false) == load;
  t->room = LONGEST;
  if (!directly) return false;
  inside(t, op->arg[1], 1, op->prev, 1, true);
  t->plan[store] |= KGI_PLAN_COMPOUND;
  t->plan[s->arg[2]] |= KGI_PLAN_INLINE;
  t->plan[load] |= KGI_PLAN_INLINE;
  *before = index_inside(t, store, 2, t->p->inst[load].prev, 1, true);
  return true;
}

static bool declares(const kgi_printer *t, uint32_t store) {
  const kgi_inst *s = &t->p->inst[store], *var = &t->p->inst[s->prev];
  return s->prev && var->kind == KGI_var && var->arg[0] == s->arg[0] && t->p->scope.object[s->arg[0]].scalar;
}

/* Plans the statement that ends with `last`; returns the instruction before its first. */
static uint32_t plan_statement(kgi_printer *t, uint32_t last) {
  const kgi_inst *x = &t->p->inst[last];
  uint32_t before = x->prev;
  t->room = LONGEST;
  if (x->kind == KGI_while) return before; /* its condition stands in its own block */
  if (x->kind == KGI_store) {
    if (compound(t, last, &before)) return before;
    if (declares(t, last)) {
      t->plan[last] |= KGI_PLAN_DECLARES;
      t->plan[before] |= KGI_PLAN_INLINE;
      before = t->p->inst[before].prev;
    }
  }
  kgi_span operands = kgi_operands(x);
  for (unsigned k = operands.count; k-- > 0;) before = operand_inside(t, last, operands.first + k, before, 1, true);
  return before;
}

void kgi_plan_block(kgi_printer *t, kgi_blk block) {
  for (uint32_t last = t->p->block[block].last; last;) last = plan_statement(t, last);
}

bool kgi_plan_condition(kgi_printer *t, kgi_blk block, uint32_t condition) {
  t->room = LONGEST;
  uint32_t before = inside(t, condition, 1, t->p->block[block].last, 1, true);
  for (uint32_t last = before; last;) last = plan_statement(t, last);
  return before == 0;
}
