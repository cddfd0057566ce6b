#include "foundation/text/custom.h"
#include "foundation/ir/bits.h"

#include <string.h>

/* ---- what is linear ---- */

/* How a value depends on the seeds: not; not, and it is 0, which is linear too; by a linear function; by another one. */
typedef enum shape { FREE, ZERO, LINEAR, BENT } shape;

static bool is_linear(uint8_t s) { return s == LINEAR || s == ZERO; }
static bool is_free(uint8_t s) { return s == FREE || s == ZERO; }

static shape literal_shape(const kgi_inst *inst) {
  return kgi_is_float(inst->type) && kgi_bits_to_double((kg_type)inst->type, kgi_literal_bits(inst)) == 0 ? ZERO : FREE;
}

static shape product_shape(uint8_t a, uint8_t b) {
  return (a == LINEAR && is_free(b)) || (is_free(a) && b == LINEAR) ? LINEAR : BENT;
}

/* y is linear, and so is its derivative by x times what moves x. */
static bool is_stated_linear(const uint8_t *s) {
  if (is_free(s[1])) return is_linear(s[2]) && is_linear(s[3]);
  return s[1] == LINEAR && is_free(s[2]) && is_free(s[3]);
}

/* Of an operation that takes something made of a seed. */
static shape op_shape(kgi_op op, const uint8_t *s, bool floats) {
  bool fine = false;
  if (op == KGI_OP_neg || op == KGI_OP_stop_gradient) fine = s[0] == LINEAR;
  else if (op == KGI_OP_convert) fine = s[0] == LINEAR && floats;
  else if (op == KGI_OP_add || op == KGI_OP_sub) fine = is_linear(s[0]) && is_linear(s[1]);
  else if (op == KGI_OP_mul || op == KGI_OP_mulz) return product_shape(s[0], s[1]);
  else if (op == KGI_OP_div || op == KGI_OP_ldexp) fine = s[0] == LINEAR && is_free(s[1]);
  else if (op == KGI_OP_fma) fine = is_linear(s[2]) && product_shape(s[0], s[1]) == LINEAR;
  else if (op == KGI_OP_select) fine = is_free(s[0]) && is_linear(s[1]) && is_linear(s[2]);
  else if (op == KGI_OP_with_partial) fine = is_linear(s[0]) && is_stated_linear(s);
  return fine ? LINEAR : BENT;
}

static shape shape_of(const kgi_template *t, uint32_t i, const uint8_t *shapes) {
  const kgi_inst *inst = &t->inst[i];
  uint8_t s[4] = {FREE, FREE, FREE, FREE};
  bool made = false;
  if (inst->kind == KGI_literal) return literal_shape(inst);
  for (unsigned k = 0; inst->kind == KGI_op && k < kgi_op_rows[inst->op].arity; k++) {
    s[k] = shapes[inst->arg[k]];
    made |= !is_free(s[k]);
  }
  return made ? op_shape((kgi_op)inst->op, s, kgi_is_float(inst->type)) : FREE;
}

bool kgi_find_linear(kgi_seeds *seeds, uint32_t formula) {
  uint8_t *shapes = seeds->shape = kgi_arena_alloc(seeds->arena, seeds->t->count, sizeof *shapes);
  for (uint32_t i = 0; shapes && i <= formula; i++)
    shapes[i] = (uint8_t)(i - seeds->from < seeds->count ? LINEAR : shape_of(seeds->t, i, shapes));
  return !shapes || is_linear(shapes[formula]);
}

/* ---- coefficients ---- */

typedef struct reader { const kgi_seeds *seeds; kgi_coefficient *of; kgi_inst inst; } reader;

static kgi_coefficient by_value(uint32_t at) { return (kgi_coefficient){KGI_BY_VALUE, at}; }

static uint32_t number(kgi_nodes *n, kgi_template *t, unsigned type, double value) {
  uint64_t bits = kgi_float_bits((kg_type)type, value);
  kgi_inst inst = {.kind = KGI_literal, .type = (uint8_t)type, .arg = {(uint32_t)bits, (uint32_t)(bits >> 32)}};
  return kgi_template_add(n, t, inst);
}

static uint32_t value_of(kgi_nodes *n, kgi_template *t, kgi_coefficient c, unsigned type) {
  return c.by == KGI_BY_VALUE ? c.at : number(n, t, type, c.by == KGI_BY_ONE);
}

/* The operation under way over other operands. */
static kgi_coefficient again(const reader *r, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  kgi_inst inst = {.kind = KGI_op, .op = r->inst.op, .type = r->inst.type, .arg = {a, b, c, d}};
  return by_value(kgi_template_add(r->seeds->nodes, r->seeds->t, inst));
}

static kgi_coefficient op_of(const reader *r, kgi_op op, uint32_t a, uint32_t b) {
  reader with = *r;
  with.inst.op = (uint8_t)op;
  return again(&with, a, b, 0, 0);
}

/* Operand k's. */
static kgi_coefficient of(const reader *r, unsigned k) { return r->of[r->inst.arg[k]]; }
static uint32_t worth(const reader *r, unsigned k) { return value_of(r->seeds->nodes, r->seeds->t, of(r, k), r->inst.type); }

static kgi_coefficient sum(const reader *r) {
  bool minus = r->inst.op == KGI_OP_sub;
  if (!of(r, 1).by) return of(r, 0);
  if (!of(r, 0).by) return minus ? op_of(r, KGI_OP_neg, worth(r, 1), 0) : of(r, 1);
  uint32_t a = worth(r, 0), b = worth(r, 1);
  return again(r, a, b, 0, 0);
}

static kgi_coefficient product(const reader *r) {
  unsigned k = of(r, 1).by != KGI_BY_NOTHING;
  uint32_t other = r->inst.arg[1 - k];
  if (of(r, k).by == KGI_BY_ONE) return by_value(other);
  return k ? op_of(r, (kgi_op)r->inst.op, other, worth(r, 1)) : op_of(r, (kgi_op)r->inst.op, worth(r, 0), other);
}

static kgi_coefficient fused(const reader *r) {
  reader factors = *r;
  factors.inst.op = KGI_OP_mul;
  if (!of(r, 0).by && !of(r, 1).by) return of(r, 2);
  if (!of(r, 2).by) return product(&factors);
  unsigned k = of(r, 1).by != KGI_BY_NOTHING;
  uint32_t scaled = worth(r, k), rest = worth(r, 2);
  return again(r, scaled, r->inst.arg[1 - k], rest, 0);
}

static kgi_coefficient choice(const reader *r) {
  uint32_t yes = worth(r, 1), no = worth(r, 2);
  return again(r, r->inst.arg[0], yes, no, 0);
}

/* A function that states its derivative, of something that is made of the seed, or beside it. What is made of the other seeds
 * alone is 0 here, and moves nothing. */
static kgi_coefficient stated(const reader *r) {
  bool moves = of(r, 1).by != KGI_BY_NOTHING;
  if (!moves && r->seeds->shape[r->inst.arg[1]] == LINEAR) return of(r, 0);
  uint32_t y = worth(r, 0), x = moves ? worth(r, 1) : r->inst.arg[1];
  uint32_t p = moves ? r->inst.arg[2] : worth(r, 2), q = moves ? r->inst.arg[3] : worth(r, 3);
  return again(r, y, x, p, q);
}

static kgi_coefficient combine(const reader *r) {
  switch ((int)r->inst.op) {
  case KGI_OP_add: case KGI_OP_sub: return sum(r);
  case KGI_OP_mul: case KGI_OP_mulz: return product(r);
  case KGI_OP_fma: return fused(r);
  case KGI_OP_select: return choice(r);
  case KGI_OP_with_partial: return stated(r);
  case KGI_OP_convert: case KGI_OP_stop_gradient: return of(r, 0).by == KGI_BY_ONE ? of(r, 0) : again(r, of(r, 0).at, 0, 0, 0);
  default: return again(r, worth(r, 0), r->inst.arg[1], 0, 0); /* neg; div and ldexp by what is free of it */
  }
}

kgi_coefficient kgi_coefficient_of(const kgi_seeds *seeds, uint32_t seed, uint32_t formula) {
  reader r = {.seeds = seeds, .of = kgi_arena_alloc(seeds->arena, (size_t)formula + 1, sizeof *r.of)};
  for (uint32_t i = seeds->from; r.of && i <= formula; i++) {
    r.inst = seeds->t->inst[i]; /* a copy: the template grows */
    bool made = false;
    for (unsigned k = 0; r.inst.kind == KGI_op && k < kgi_op_rows[r.inst.op].arity; k++) made |= of(&r, k).by != KGI_BY_NOTHING;
    if (i == seed) r.of[i].by = KGI_BY_ONE;
    else if (made) r.of[i] = combine(&r);
  }
  return r.of ? r.of[formula] : (kgi_coefficient){0};
}

/* ---- the function's result with them ---- */

static uint32_t op1(kgi_nodes *n, kgi_template *t, kgi_op op, unsigned type, uint32_t a) {
  return kgi_template_add(n, t, (kgi_inst){.kind = KGI_op, .op = (uint8_t)op, .type = (uint8_t)type, .arg = {a}});
}

static uint32_t converted(kgi_nodes *n, kgi_template *t, unsigned type, uint32_t x) {
  return t->inst[x].type == type || n->b->status != KG_OK ? x : op1(n, t, KGI_OP_convert, type, x);
}

/* The widest of the result's type and the params'. */
static unsigned common_type(const kgi_template *t) {
  unsigned type = t->type;
  for (uint32_t k = 0; k < t->params; k++)
    if (kgi_is_float(t->inst[k].type) && kgi_type_bits(t->inst[k].type) > kgi_type_bits(type)) type = t->inst[k].type;
  return type;
}

static uint32_t partial(kgi_nodes *n, kgi_template *t, unsigned type, kgi_coefficient c) {
  return converted(n, t, type, value_of(n, t, c, type));
}

static uint32_t with_partial(kgi_nodes *n, kgi_template *t, const kgi_stated *s, uint32_t y, uint32_t k) {
  uint8_t type = t->inst[y].type;
  const kgi_coefficient *back = s->pullback ? s->back : s->forward, *forward = s->pushforward ? s->forward : s->back;
  if (!back[k].by && !forward[k].by) return y;
  uint32_t x = converted(n, t, type, k), p = partial(n, t, type, back[k]);
  uint32_t q = s->pullback && s->pushforward ? partial(n, t, type, forward[k]) : p;
  return kgi_template_add(n, t, (kgi_inst){.kind = KGI_op, .op = KGI_OP_with_partial, .type = type, .arg = {y, x, p, q}});
}

/* Formulas with their seeds, and what else nothing needs any more. */
static void drop_unneeded(kgi_nodes *n, kgi_template *t, kgi_arena *arena) {
  bool *needed = kgi_arena_alloc(arena, t->count, sizeof *needed);
  uint32_t *place = kgi_arena_alloc(arena, t->count, sizeof *place), count = t->params;
  if (!place || !needed || n->b->status != KG_OK) return;
  needed[t->result] = true;
  for (uint32_t i = t->count; i-- > t->params;)
    for (unsigned k = 0; needed[i] && t->inst[i].kind == KGI_op && k < kgi_op_rows[t->inst[i].op].arity; k++)
      needed[t->inst[i].arg[k]] = true;
  for (uint32_t i = 0; i < t->count; i++) {
    kgi_inst inst = t->inst[i];
    place[i] = i < t->params ? i : count;
    if (i < t->params || !needed[i]) continue;
    for (unsigned k = 0; inst.kind == KGI_op && k < kgi_op_rows[inst.op].arity; k++) inst.arg[k] = place[inst.arg[k]];
    t->inst[count++] = inst;
  }
  t->result = place[t->result];
  t->count = count;
}

void kgi_state_partials(kgi_nodes *n, kgi_template *t, const kgi_stated *stated, kgi_arena *arena) {
  uint32_t own = op1(n, t, KGI_OP_stop_gradient, t->type, t->result);
  uint32_t y = converted(n, t, common_type(t), own);
  for (uint32_t k = 0; k < t->params; k++)
    if (kgi_is_float(t->inst[k].type) && n->b->status == KG_OK) y = with_partial(n, t, stated, y, k);
  t->result = converted(n, t, t->type, y);
  drop_unneeded(n, t, arena);
}
