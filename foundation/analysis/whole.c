/* Backwards from where bits become a float. A value is made before it is used, so that one round is enough but for what loops carry in
 * memory; where the rounds are not enough, nothing is marked. */
#include "foundation/analysis/whole.h"
#include "foundation/base/limits.h"

enum { MOST_BEFORE = 4 };

typedef struct whole_finder {
  const kgi_program *p;
  bool *value;  /* by instruction: an integer whose steps are those of a float's bits */
  bool *object; /* likewise, what it holds */
  bool *from;   /* by object: an integer that is made of such a number is stored to it */
  bool changed;
} whole_finder;

static bool is_integer(const kgi_program *p, uint32_t value) { return value && kgi_is_int(p->inst[value].type); }

static void mark(whole_finder *w, uint32_t value) {
  if (!is_integer(w->p, value) || w->value[value]) return;
  w->value[value] = w->changed = true;
}

/* A literal of such an exponent, whose steps are whole numbers or more, rounds: bitcast_f32(u32(v) | 0x4b000000) - 2^23 is floor(v). */
static bool is_rounding(uint32_t bits) { return bits >= 150u << 23 && bits < 255u << 23; }

static uint32_t literal(const kgi_program *p, uint32_t value) {
  const kgi_inst *inst = &p->inst[value];
  return inst->kind == KGI_literal && kgi_type_bits((kg_type)inst->type) == 32 ? (uint32_t)kgi_literal_bits(inst) : 0;
}

/* A negative number that is added takes octaves away, and is none. */
static bool rounds(const kgi_program *p, const kgi_inst *inst) {
  uint32_t first = literal(p, inst->arg[0]), second = literal(p, inst->arg[1]);
  if (inst->op == KGI_OP_sub) return is_rounding(0 - second);
  if (inst->op == KGI_OP_add) return is_rounding(first) || is_rounding(second);
  return is_rounding(first & INT32_MAX) || is_rounding(second & INT32_MAX);
}

/* To the left by less than all of a mantissa; by more it is an exponent. */
static bool shifts_steps(const kgi_program *p, const kgi_inst *inst) {
  const kgi_inst *by = &p->inst[inst->arg[1]];
  return inst->op == KGI_OP_shl && by->kind == KGI_literal && kgi_literal_bits(by) < (kgi_type_bits((kg_type)inst->type) == 64 ? 52 : 23);
}

static bool keeps_steps(const kgi_program *p, uint32_t i) {
  const kgi_inst *inst = &p->inst[i];
  switch ((int)inst->op) {
  case KGI_OP_add: case KGI_OP_sub: case KGI_OP_or: case KGI_OP_xor: return !rounds(p, inst);
  case KGI_OP_shl: return shifts_steps(p, inst);
  case KGI_OP_bitcast: case KGI_OP_convert: case KGI_OP_and: case KGI_OP_not: case KGI_OP_select: case KGI_OP_min: case KGI_OP_max:
  case KGI_OP_clamp: case KGI_OP_saturating_add: case KGI_OP_saturating_sub: return true;
  default: return false;
  }
}

/* Narrower numbers become the upper half of a double's bits. */
static bool carries(const kgi_program *p, uint32_t operand, uint32_t result) {
  return is_integer(p, operand) && kgi_type_bits((kg_type)p->inst[operand].type) >= 32 &&
         kgi_type_bits((kg_type)p->inst[operand].type) <= kgi_type_bits((kg_type)p->inst[result].type);
}

static void of_op(whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  bool ends = inst->op == KGI_OP_bitcast && kgi_is_float(inst->type);
  if (!ends && !(w->value[i] && keeps_steps(w->p, i))) return;
  unsigned count = inst->op == KGI_OP_shl ? 1 : kgi_op_rows[inst->op].arity;
  for (unsigned k = 0; k < count; k++)
    if (carries(w->p, inst->arg[k], i)) mark(w, inst->arg[k]);
}

static void of_memory(whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  uint32_t object = inst->arg[0];
  if (w->value[i] && !w->object[object]) w->object[object] = w->changed = true;
  if (inst->kind == KGI_store && w->object[object]) mark(w, inst->arg[2]);
}

static bool makes_float_of_bits(const kgi_program *p) {
  bool makes = false, takes = false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    if (inst->kind != KGI_op) continue;
    makes |= inst->op == KGI_OP_bitcast && kgi_is_float(inst->type) && is_integer(p, inst->arg[0]);
    takes |= inst->op == KGI_OP_convert && kgi_is_int(inst->type) && kgi_is_float(p->inst[inst->arg[0]].type);
  }
  return makes && takes;
}

static bool makes_whole(const whole_finder *w, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  return inst->kind == KGI_op && inst->op == KGI_OP_convert && w->value[i] && kgi_is_float(w->p->inst[inst->arg[0]].type);
}

/* What rounds a float hands on no step. */
static bool is_rounded(const kgi_inst *x) {
  return x->kind == KGI_op && (x->op == KGI_OP_round || x->op == KGI_OP_floor || x->op == KGI_OP_ceil || x->op == KGI_OP_trunc);
}

/* Marks what is rounded on the way to `value`, and the way from there; false: nothing is. */
static bool mark_rounded(const whole_finder *w, uint32_t value, uint8_t *whole, unsigned depth) {
  const kgi_inst *x = &w->p->inst[value];
  bool found = is_rounded(x), goes_on = x->kind == KGI_op && (x->op == KGI_OP_add || x->op == KGI_OP_sub || x->op == KGI_OP_min ||
                                                             x->op == KGI_OP_max || x->op == KGI_OP_clamp || x->op == KGI_OP_fma);
  for (unsigned k = 0; goes_on && depth && k < kgi_op_rows[x->op].arity; k++) found |= mark_rounded(w, x->arg[k], whole, depth - 1);
  if (found) whole[value] |= KGI_WHOLE_LOST;
  return found;
}

static void mark_conversion(const whole_finder *w, uint32_t i, uint8_t *whole) {
  if (!makes_whole(w, i)) return;
  uint32_t from = w->p->inst[i].arg[0];
  bool plain = w->p->inst[from].type == KG_F32 && kgi_type_bits((kg_type)w->p->inst[i].type) == 32;
  whole[i] |= plain && !mark_rounded(w, from, whole, MOST_BEFORE) ? KGI_WHOLE : KGI_WHOLE | KGI_WHOLE_LOST;
}

/* Whether the integer is made of one. */
static bool is_of_whole(const whole_finder *w, const uint8_t *whole, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  bool any = whole[i] || (inst->kind == KGI_load && w->from[inst->arg[0]]);
  if (inst->kind != KGI_op || !keeps_steps(w->p, i)) return any;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++) any |= whole[inst->arg[k]] && is_integer(w->p, inst->arg[k]);
  return any;
}

static void spread(whole_finder *w, uint8_t *whole, uint32_t i) {
  const kgi_inst *inst = &w->p->inst[i];
  if (inst->kind == KGI_store && whole[inst->arg[2]] && !w->from[inst->arg[0]]) w->from[inst->arg[0]] = w->changed = true;
  if (!is_integer(w->p, i) || whole[i] & KGI_OF_WHOLE || !is_of_whole(w, whole, i)) return;
  whole[i] |= KGI_OF_WHOLE;
  w->changed = true;
}

bool kgi_find_whole(const kgi_program *p, uint8_t *whole, kgi_arena *scratch) {
  whole_finder w = {.p = p, .changed = makes_float_of_bits(p)};
  if (!w.changed) return true;
  w.value = kgi_arena_alloc(scratch, p->inst_count, sizeof *w.value);
  w.object = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w.object);
  w.from = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w.from);
  uint32_t *order = kgi_arena_alloc(scratch, p->inst_count, sizeof *order), count = 0;
  if (scratch->failed) return false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) order[count++] = i;
  for (unsigned round = 0; w.changed; round++) {
    w.changed = false;
    if (round == KGI_LIMIT(bit_rounds)) return true;
    for (uint32_t k = count; k--;) {
      if (p->inst[order[k]].kind == KGI_op) of_op(&w, order[k]);
      else if (p->inst[order[k]].kind == KGI_subgroup && w.value[order[k]]) mark(&w, p->inst[order[k]].arg[0]);
      else if (kgi_touches(&p->inst[order[k]])) of_memory(&w, order[k]);
    }
  }
  for (uint32_t k = 0; k < count; k++) mark_conversion(&w, order[k], whole);
  w.changed = true;
  for (unsigned round = 0; w.changed && round < KGI_LIMIT(bit_rounds); round++) {
    w.changed = false;
    for (uint32_t k = 0; k < count; k++) spread(&w, whole, order[k]);
  }
  return true;
}
