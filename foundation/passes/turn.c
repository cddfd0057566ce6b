/* Sums; shifts, and products and quotients by powers of two; sums of which the low bits or a remainder are kept. A shift by more bits than
 * there are leaves 0, or the sign. Low bits of sums are exact whatever wraps. A remainder is taken of so small numbers that nothing wraps. */
#include "foundation/passes/in_step.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/most.h"

enum { BITS = 32, MOST_DIVISOR = 1 << 16, MOST_STEP = 1 << 30 };

static bool is_power(uint32_t n) { return n && !(n & (n - 1)); }

static bool is_literal(const kgi_program *p, uint32_t value, uint32_t *is) {
  const kgi_inst *x = &p->inst[value];
  *is = x->kind == KGI_literal ? x->arg[0] : 0;
  return x->kind == KGI_literal && (x->type == KG_I32 || x->type == KG_U32);
}

static bool is_load_of(const kgi_program *p, uint32_t value, uint32_t object) {
  return p->inst[value].kind == KGI_load && p->inst[value].arg[0] == object;
}

/* ---- what it begins with ---- */

static bool touches(const kgi_program *p, uint32_t i, uint32_t object) {
  kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
  for (unsigned n = 0; n < blocks.count; n++)
    KGI_EACH_INSIDE(p, p->inst[i].arg[blocks.first + n], k)
      if (p->inst[k].kind == KGI_store && p->inst[k].arg[0] == object) return true;
  return false;
}

/* The value of the last store in front of the loop, in its block or in those around it up to a loop; 0: it is not plain. */
static uint32_t beginning(const kgi_program *p, uint32_t at, uint32_t object) {
  for (;;) {
    for (uint32_t i = p->inst[at].prev; i; i = p->inst[i].prev) {
      if (p->inst[i].kind == KGI_store && p->inst[i].arg[0] == object) return p->inst[i].arg[2];
      if (touches(p, i, object)) return 0;
    }
    if (p->inst[at].block <= KGI_BODY) return 0;
    at = p->block[p->inst[at].block].owner;
    if (kgi_is_loop(&p->inst[at])) return 0;
  }
}

static bool is_below(const kgi_program *p, uint32_t value, uint32_t end) {
  uint64_t most;
  return value && kgi_most_of(p, (kgi_val){value}, &most) && most < end;
}

/* ---- the move ---- */

static bool find_sum(kgi_turn *t, const kgi_program *p, uint32_t object, uint32_t value);

/* A sum whose other operand is one: v + a + b. */
static bool find_longer_sum(kgi_turn *t, const kgi_program *p, uint32_t object, uint32_t value) {
  const kgi_inst *x = &p->inst[value];
  if (x->op != KGI_OP_add || t->more == KGI_STEPS) return false;
  uint32_t at = t->more++;
  for (unsigned side = 0; side < 2; side++) {
    t->also[at] = x->arg[1 - side], t->sum[at] = value;
    if (find_sum(t, p, object, x->arg[side]) && t->by == KGI_ADDS) return true;
  }
  return t->more = at, false;
}

static bool find_sum(kgi_turn *t, const kgi_program *p, uint32_t object, uint32_t value) {
  const kgi_inst *x = &p->inst[value];
  if (x->kind != KGI_op || (x->op != KGI_OP_add && x->op != KGI_OP_sub)) return false;
  if (!is_load_of(p, x->arg[0], object) && !is_load_of(p, x->arg[1], object)) return find_longer_sum(t, p, object, value);
  unsigned side = is_load_of(p, x->arg[0], object) ? 0 : 1;
  t->by = x->op == KGI_OP_sub ? KGI_TAKES_AWAY : KGI_ADDS;
  t->load = x->arg[side], t->step = x->arg[1 - side], t->moves = value;
  return is_load_of(p, t->load, object) && !(side && t->by == KGI_TAKES_AWAY);
}

static bool find_shift(kgi_turn *t, const kgi_program *p, uint32_t object, uint32_t value) {
  const kgi_inst *x = &p->inst[value];
  uint32_t by;
  if (x->kind != KGI_op) return false;
  unsigned side = x->op == KGI_OP_mul && is_load_of(p, x->arg[1], object);
  if (!is_load_of(p, x->arg[side], object) || !is_literal(p, x->arg[1 - side], &by)) return false;
  bool shifts = x->op == KGI_OP_shl || x->op == KGI_OP_shr, scales = x->op == KGI_OP_mul || (x->op == KGI_OP_div && x->type == KG_U32);
  if (!shifts && !(scales && is_power(by))) return false;
  t->by = x->op == KGI_OP_shl || x->op == KGI_OP_mul ? KGI_SHIFTS_UP : KGI_SHIFTS_DOWN;
  t->bits = shifts ? by : (uint32_t)__builtin_ctz(by);
  t->load = x->arg[side], t->step = 0, t->moves = value;
  return t->bits && t->bits < BITS;
}

/* Low bits of a sum, or the remainder of one that does not wrap. */
static bool find_rest(kgi_turn *t, const kgi_program *p, uint32_t object, uint32_t value, uint32_t begins) {
  const kgi_inst *x = &p->inst[value];
  uint32_t by, step;
  if (x->kind != KGI_op || (x->op != KGI_OP_and && x->op != KGI_OP_rem)) return false;
  unsigned side = x->op == KGI_OP_and && is_literal(p, x->arg[0], &by);
  if (!is_literal(p, x->arg[1 - side], &by) || !find_sum(t, p, object, x->arg[side])) return false;
  if (x->op == KGI_OP_rem && x->type == KG_U32 && is_power(by)) by--;
  else if (x->op == KGI_OP_rem) t->divisor = by;
  t->is_within = is_below(p, begins, t->divisor ? by : by + 1);
  if (!t->divisor) return t->mask = by, by && !(by & (by + 1));
  bool is_small = by <= MOST_DIVISOR && t->by == KGI_ADDS && !t->more && is_literal(p, t->step, &step) && step <= MOST_STEP;
  return is_small && t->is_within;
}

bool kgi_find_turn(kgi_turn *t, const kgi_program *p, uint32_t at, uint32_t i) {
  uint32_t object = p->inst[i].arg[0], value = p->inst[i].arg[2];
  *t = (kgi_turn){0};
  if (find_sum(t, p, object, value) || find_shift(t, p, object, value)) return true;
  return find_rest(t, p, object, value, beginning(p, at, object));
}

/* ---- what it holds ---- */

static kgi_val shifted(kgi_builder *b, const kgi_turn *t, kgi_val from, kgi_val trips, uint32_t most) {
  kg_type type = kgi_type_of(b->p, from);
  uint32_t last = (BITS - 1) / t->bits; /* after more trips no bit is left */
  bool up = t->by == KGI_SHIFTS_UP;
  kgi_val count = kgi_convert(b, KG_U32, trips), few = most > last ? kgi_op2(b, KGI_OP_min, count, kgi_u32(b, last)) : count;
  kgi_val bits = kgi_op2(b, KGI_OP_mul, few, kgi_u32(b, t->bits));
  kgi_val value = kgi_op2(b, up ? KGI_OP_shl : KGI_OP_shr, from, kgi_convert(b, type, bits));
  if (most <= last) return value;
  kgi_val beyond = up || type == KG_U32 ? kgi_int(b, type, 0) : kgi_op2(b, KGI_OP_shr, from, kgi_int(b, type, BITS - 1));
  return kgi_op3(b, KGI_OP_select, kgi_op2(b, KGI_OP_gt, count, kgi_u32(b, last)), beyond, value);
}

/* (from + trips % divisor * step) % divisor */
static kgi_val remainder_of(kgi_builder *b, const kgi_turn *t, kgi_val from, kgi_val trips, uint32_t most) {
  kgi_val count = kgi_convert(b, KG_U32, trips), divisor = kgi_u32(b, t->divisor);
  if (most >= MOST_DIVISOR) count = kgi_op2(b, KGI_OP_rem, count, divisor);
  kgi_val way = kgi_op2(b, KGI_OP_mul, count, kgi_u32(b, b->p->inst[t->step].arg[0] % t->divisor));
  kgi_val sum = kgi_op2(b, KGI_OP_add, kgi_convert(b, KG_U32, from), way);
  return kgi_convert(b, kgi_type_of(b->p, from), kgi_op2(b, KGI_OP_rem, sum, divisor));
}

kgi_val kgi_turned(kgi_builder *b, const kgi_turn *t, kgi_val from, kgi_val trips, uint32_t most) {
  if (!t->step) return shifted(b, t, from, trips, most);
  if (t->divisor) return remainder_of(b, t, from, trips, most);
  kg_type type = kgi_type_of(b->p, from);
  kgi_val step = {t->step};
  for (uint32_t k = t->more; k--;) step = kgi_op2(b, KGI_OP_add, step, (kgi_val){t->also[k]});
  kgi_val way = kgi_op2(b, KGI_OP_mul, kgi_convert(b, type, trips), step);
  kgi_val value = kgi_op2(b, t->by == KGI_TAKES_AWAY ? KGI_OP_sub : KGI_OP_add, from, way);
  if (!t->mask) return value;
  value = kgi_op2(b, KGI_OP_and, value, kgi_int(b, type, (int64_t)t->mask));
  if (t->is_within) return value;
  kgi_val none = kgi_op2(b, KGI_OP_eq, trips, kgi_int(b, kgi_type_of(b->p, trips), 0));
  return kgi_op3(b, KGI_OP_select, none, from, value);
}
