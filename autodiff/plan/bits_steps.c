/* Which operations leave it known what an integer has of a float's bits.
 *
 * Neighbouring floats have neighbouring bits. So where a step of a float's bits is a step of the result's, the float of the result
 * is, but for jumps, a straight line between powers of two: a sign that is set, an exponent that is replaced, a constant that is
 * added. What drops the mantissa is constant. All else, as bits that are shifted or masked in the mantissa, is not known.
 *
 * A float that is converted to an integer is the number of steps that the bits take: Schraudolph's exponential is the float of
 * u32((x / ln 2 + 127) * 2^23), and between powers of two a straight line of x. */
#include "autodiff/plan/bits.h"
#include "foundation/analysis/whole.h"
#include "foundation/base/limits.h"

kg_type kgi_bits_float(kg_type integer) {
  if (integer == KG_U32 || integer == KG_I32) return KG_F32;
  return integer == KG_U64 || integer == KG_I64 ? KG_F64 : KG_NONE;
}

unsigned kgi_bits_point(kg_type integer) { return kgi_type_bits(integer) == 64 ? 52 : 23; }

static uint64_t mantissa_of(kg_type integer) { return ((uint64_t)1 << kgi_bits_point(integer)) - 1; }
static uint64_t sign_of(kg_type integer) { return (uint64_t)1 << (kgi_type_bits(integer) - 1); }
static uint64_t all_of(kg_type integer) { return kgi_type_bits(integer) == 64 ? UINT64_MAX : UINT32_MAX; }

bool kgi_bits_carries(const kgi_bits *s, uint32_t value) {
  uint8_t kind = s->value[value].kind;
  return kind != KGI_BITS_NONE && kind != KGI_BITS_CONSTANT;
}

static bool literal(const kgi_bits *s, uint32_t value, uint64_t *bits) {
  const kgi_inst *inst = &s->p->inst[value];
  if (inst->kind != KGI_literal) return false;
  *bits = kgi_literal_bits(inst) & all_of((kg_type)inst->type);
  return true;
}

/* The bits that may be 1. */
static uint64_t may_be_set(const kgi_bits *s, uint32_t value, unsigned depth) {
  const kgi_inst *inst = &s->p->inst[value];
  kg_type type = (kg_type)inst->type;
  uint64_t bits, all = all_of(type);
  if (literal(s, value, &bits)) return bits;
  if (inst->kind != KGI_op || depth >= KGI_LIMIT(bit_depth)) return all;
  const uint32_t *arg = inst->arg;
  if (inst->op == KGI_OP_select) return may_be_set(s, arg[1], depth + 1) | may_be_set(s, arg[2], depth + 1);
  if (inst->op == KGI_OP_and) return may_be_set(s, arg[0], depth + 1) & may_be_set(s, arg[1], depth + 1);
  if (inst->op == KGI_OP_or || inst->op == KGI_OP_xor) return may_be_set(s, arg[0], depth + 1) | may_be_set(s, arg[1], depth + 1);
  if (inst->op == KGI_OP_convert && s->p->inst[arg[0]].type == KG_BOOL) return 1;
  if (inst->op != KGI_OP_shl || !literal(s, arg[1], &bits)) return all;
  return may_be_set(s, arg[0], depth + 1) << bits % kgi_type_bits(type) & all;
}

/* The quotient of two doubles' steps may be no double. */
static kgi_bits_value steps(const kgi_bits *s, uint32_t inst, unsigned k, bool down, bool exact) {
  const kgi_bits_value *of = &s->value[s->p->inst[inst].arg[k]];
  bool rough = of->rough || !exact, wide = kgi_type_bits((kg_type)s->p->inst[inst].type) == 64;
  kgi_bits_kind kind = wide && rough ? KGI_BITS_NONE : KGI_BITS_STEPS;
  return (kgi_bits_value){.kind = (uint8_t)kind, .operand = (uint8_t)k, .down = of->down != down, .rough = rough, .number = of->number};
}

static kgi_bits_value constant(unsigned k) { return (kgi_bits_value){.kind = KGI_BITS_CONSTANT, .operand = (uint8_t)k}; }

static kgi_bits_value masked(const kgi_bits *s, uint32_t i, unsigned k) {
  const kgi_inst *inst = &s->p->inst[i];
  kg_type type = (kg_type)inst->type;
  uint64_t mantissa = mantissa_of(type), sign = sign_of(type), mask, may = may_be_set(s, inst->arg[1 - k], 0);
  bool known = literal(s, inst->arg[1 - k], &mask);
  if (inst->op != KGI_OP_and && (may & mantissa) == 0) return steps(s, i, k, false, (may & ~sign) == 0);
  if (known && inst->op == KGI_OP_and && (mask & mantissa) == 0) return constant(k);
  if (!known || (mask & mantissa) != mantissa) return (kgi_bits_value){0};
  if (inst->op == KGI_OP_or) return constant(k);
  return steps(s, i, k, inst->op == KGI_OP_xor, inst->op == KGI_OP_and && (mask | sign) == all_of(type));
}

/* Of the bits from the operand's literal on. */
static kgi_bits_value upper(const kgi_bits *s, uint32_t i) {
  const kgi_inst *inst = &s->p->inst[i];
  uint64_t from;
  bool known = literal(s, inst->arg[1], &from) && from % kgi_type_bits((kg_type)inst->type) >= kgi_bits_point((kg_type)inst->type);
  return known ? constant(0) : (kgi_bits_value){0};
}

static bool is_of_width(const kgi_bits *s, uint32_t value, kg_type type) {
  kg_type from = (kg_type)s->p->inst[value].type;
  return kgi_is_int(from) && kgi_type_bits(from) == kgi_type_bits(type);
}

/* Operand k carries bits. */
static kgi_bits_value through(const kgi_bits *s, uint32_t i, unsigned k) {
  const kgi_inst *inst = &s->p->inst[i];
  switch ((int)inst->op) {
  case KGI_OP_bitcast: case KGI_OP_convert:
    return is_of_width(s, inst->arg[0], (kg_type)inst->type) ? steps(s, i, 0, false, true) : (kgi_bits_value){0};
  case KGI_OP_not: case KGI_OP_neg: return steps(s, i, 0, true, false);
  case KGI_OP_add: return steps(s, i, k, false, false);
  case KGI_OP_sub: return steps(s, i, k, k == 1, false);
  case KGI_OP_and: case KGI_OP_or: case KGI_OP_xor: return masked(s, i, k);
  case KGI_OP_shr: case KGI_OP_bit_extract: return k == 0 ? upper(s, i) : (kgi_bits_value){0};
  default: return (kgi_bits_value){0};
  }
}

/* A NaN might become another, and a device may take what is below all exponents for 0: a counter, say, or a mantissa alone. */
static bool is_plain(kg_type type, uint64_t bits) {
  uint64_t size = bits & all_of(type) & ~sign_of(type), infinity = all_of(type) & ~sign_of(type) & ~mantissa_of(type);
  return size == 0 || (size > mantissa_of(type) && size <= infinity);
}

bool kgi_bits_fit(const kgi_bits *s, uint32_t value) {
  uint64_t bits;
  if (literal(s, value, &bits)) return is_plain((kg_type)s->p->inst[value].type, bits);
  return kgi_bits_carries(s, value) && !s->value[value].rough && !s->value[value].down;
}

/* The operand that carries bits, and those of a float before those of a number; the arity: none does. */
static unsigned carrier(const kgi_bits *s, const kgi_inst *inst) {
  unsigned arity = kgi_op_rows[inst->op].arity, found = arity;
  for (unsigned k = 0; k < arity; k++) {
    const kgi_bits_value *v = &s->value[inst->arg[k]];
    if (kgi_bits_carries(s, inst->arg[k]) && (found == arity || (s->value[inst->arg[found]].number && !v->number))) found = k;
  }
  return found;
}

static kgi_bits_value of_op(const kgi_bits *s, uint32_t i) {
  const kgi_inst *inst = &s->p->inst[i];
  kg_type from = (kg_type)s->p->inst[inst->arg[0]].type;
  if (inst->op == KGI_OP_bitcast && from == kgi_bits_float((kg_type)inst->type)) return (kgi_bits_value){.kind = KGI_BITS_ORIGIN};
  if ((s->whole[i] & (KGI_WHOLE | KGI_WHOLE_LOST)) == KGI_WHOLE) return (kgi_bits_value){.kind = KGI_BITS_NUMBER, .rough = true, .number = true};
  if (inst->op == KGI_OP_select) {
    bool any = kgi_bits_carries(s, inst->arg[1]) || kgi_bits_carries(s, inst->arg[2]);
    bool both = kgi_bits_fit(s, inst->arg[1]) && kgi_bits_fit(s, inst->arg[2]);
    return (kgi_bits_value){.kind = any && both ? KGI_BITS_CHOSEN : KGI_BITS_NONE};
  }
  unsigned k = carrier(s, inst);
  return k < kgi_op_rows[inst->op].arity ? through(s, i, k) : (kgi_bits_value){0};
}

static bool is_move(kgi_subgroup op) {
  return op == KGI_SUBGROUP_broadcast || op == KGI_SUBGROUP_broadcast_first || op == KGI_SUBGROUP_shuffle ||
         op == KGI_SUBGROUP_shuffle_xor || op == KGI_SUBGROUP_shuffle_up || op == KGI_SUBGROUP_shuffle_down;
}

kgi_bits_value kgi_bits_of(const kgi_bits *s, uint32_t i) {
  const kgi_inst *inst = &s->p->inst[i];
  if (kgi_bits_float((kg_type)inst->type) == KG_NONE) return (kgi_bits_value){0};
  if (inst->kind == KGI_op) return of_op(s, i);
  bool gives = inst->kind == KGI_load || (inst->kind == KGI_atomic && !s->added[i]);
  if (gives && s->floats[inst->arg[0]]) return (kgi_bits_value){.kind = KGI_BITS_LOADED};
  if (inst->kind == KGI_subgroup && is_move((kgi_subgroup)inst->op) && kgi_bits_fit(s, inst->arg[0]))
    return (kgi_bits_value){.kind = KGI_BITS_MOVED};
  return (kgi_bits_value){0};
}
