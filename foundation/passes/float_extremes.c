/* Atomic minima and maxima of words that hold floats, as kernels have them where devices have none of floats:
 *
 *   atomic_max(t[i], bitcast_i32(v))      becomes      atomic_max(t[i], v)
 *
 * if the words come in the order of the floats, for all that v and the element may be. What is known of a float is which of six kinds of
 * number it may be: words of one kind are neighbours, so that two of different kinds compare like their kinds. What the element may be
 * is what is stored to it, in a buffer anything. Where words and floats disagree, the atomic may be passed over,
 *
 *   - for operands that change no element, as -0 in a maximum of signed words;
 *   - for elements that no operand changes, as a NaN there. They stay what they are, so that it does not matter when one looks;
 *
 * and else stays what it is. */
#include "foundation/base/limits.h"
#include "foundation/ir/views.h"
#include "foundation/passes/passes.h"

/* In the order of words without a sign; signed ones begin at -0. */
enum { ZERO = 1, POSITIVE = 2, NAN_ = 4, MINUS_ZERO = 8, NEGATIVE = 16, MINUS_NAN = 32 };
enum { KINDS = 6, ALL = 63, NANS = NAN_ | MINUS_NAN, ZEROS = ZERO | MINUS_ZERO, NUMBERS = ALL & ~NANS };
static const uint32_t least_word[KINDS + 1] = {0, 1, 0x7f800001, 0x80000000, 0x80000001, 0xff800001, 0};

typedef struct reading {
  kgi_program *p;
  const bool *used; /* by instruction */
  kgi_blk at;       /* the conditions that hold in this block are asked */
} reading;

static unsigned kind_of_word(uint32_t word) {
  unsigned k = KINDS - 1;
  while (word < least_word[k]) k--;
  return 1u << k;
}

/* ---- what a float may be ---- */

static unsigned may_be(const reading *r, uint32_t value, unsigned depth);

static unsigned opposite(unsigned set) { return (set << 3 | set >> 3) & ALL; }
static unsigned without_sign(unsigned set) { return (set | set >> 3) & (ZERO | POSITIVE | NAN_); }
static unsigned if_any(unsigned set, unsigned kinds, unsigned then) { return set & kinds ? then : 0; }

static int rank(unsigned kind) { return kind == NEGATIVE ? 0 : kind == MINUS_ZERO ? 1 : kind == ZERO ? 2 : 3; }

/* Of the larger one, or the smaller one; a NaN loses against a number. */
static unsigned extreme(unsigned a, unsigned b, bool larger) {
  unsigned out = 0;
  for (unsigned x = 1; x < ALL; x <<= 1)
    for (unsigned y = 1; y < ALL; y <<= 1) {
      if (!(a & x) || !(b & y)) continue;
      if (y & NANS || x & NANS) out |= y & NANS ? x : y;
      else out |= (rank(x) > rank(y)) == larger ? x : y;
    }
  return out;
}

static unsigned sum(unsigned a, unsigned b) {
  if ((a | b) & ~(unsigned)(POSITIVE | ZEROS)) return ALL; /* opposite infinities */
  return POSITIVE | ZERO | (a & b & MINUS_ZERO);
}

static unsigned converted(unsigned from) {
  if (kgi_is_float(from)) return ALL;
  return kgi_type_kind_of(from) == KGI_SINT ? NEGATIVE | ZERO | POSITIVE : ZERO | POSITIVE;
}

/* What a float is that is above such a one, or as large. */
static unsigned above(unsigned b, bool equal) {
  if (!(b & ~(unsigned)POSITIVE)) return POSITIVE;
  if (!(b & ~(unsigned)(POSITIVE | ZEROS))) return equal ? POSITIVE | ZEROS : POSITIVE;
  return NUMBERS;
}

/* Of a float of which a comparison with another says something. */
static unsigned compared(const reading *r, kgi_op op, uint32_t other, bool turned, unsigned depth) {
  unsigned b = may_be(r, other, depth);
  bool more = turned ? op == KGI_OP_lt || op == KGI_OP_le : op == KGI_OP_gt || op == KGI_OP_ge, equal = op == KGI_OP_ge || op == KGI_OP_le;
  return more ? above(b, equal) : opposite(above(opposite(b), equal));
}

static bool is_ordered(kgi_op op) { return op == KGI_OP_lt || op == KGI_OP_le || op == KGI_OP_gt || op == KGI_OP_ge; }

static kgi_op contrary(kgi_op op) {
  return op == KGI_OP_lt ? KGI_OP_ge : op == KGI_OP_le ? KGI_OP_gt : op == KGI_OP_gt ? KGI_OP_le : KGI_OP_lt;
}

/* What the condition leaves of all that the float may be. */
static unsigned left_by(const reading *r, uint32_t condition, bool truth, uint32_t value, unsigned depth) {
  const kgi_inst *c = &r->p->inst[condition];
  if (c->kind != KGI_op || !depth) return ALL;
  uint32_t a = c->arg[0], b = c->arg[1];
  if (c->op == KGI_OP_not && c->type == KG_BOOL) return left_by(r, a, !truth, value, depth - 1);
  if (c->op == (truth ? KGI_OP_and : KGI_OP_or) && c->type == KG_BOOL)
    return left_by(r, a, truth, value, depth - 1) & left_by(r, b, truth, value, depth - 1);
  if (a != value && b != value) return ALL;
  if (c->op == KGI_OP_is_nan) return truth ? NANS : NUMBERS;
  if (!kgi_is_float(r->p->inst[a].type)) return ALL;
  if (c->op == (truth ? KGI_OP_eq : KGI_OP_ne)) return NUMBERS;
  if (!is_ordered((kgi_op)c->op) || a == b) return ALL;
  kgi_op op = truth ? (kgi_op)c->op : contrary((kgi_op)c->op);
  unsigned set = compared(r, op, a == value ? b : a, a != value, depth - 1);
  return truth ? set : set | NANS | if_any(may_be(r, a == value ? b : a, depth - 1), NANS, ALL);
}

static unsigned of_op(const reading *r, const kgi_inst *x, unsigned depth) {
  const uint32_t *arg = x->arg;
  unsigned a = may_be(r, arg[0], depth), b = kgi_op_rows[x->op].arity > 1 ? may_be(r, arg[1], depth) : 0;
  switch ((unsigned)x->op) {
  case KGI_OP_abs: return without_sign(a);
  case KGI_OP_neg: return opposite(a);
  case KGI_OP_max: case KGI_OP_min: return extreme(a, b, x->op == KGI_OP_max);
  case KGI_OP_clamp: return extreme(extreme(a, b, true), may_be(r, arg[2], depth), false);
  case KGI_OP_add: return sum(a, b);
  case KGI_OP_sqrt: return a & (NEGATIVE | NANS) ? a | NANS : a;
  case KGI_OP_convert: return converted(r->p->inst[arg[0]].type);
  case KGI_OP_select:
    b &= left_by(r, arg[0], true, arg[1], depth);
    return b | (may_be(r, arg[2], depth) & left_by(r, arg[0], false, arg[2], depth));
  default: return ALL;
  }
}

/* Where r->at is. */
static unsigned may_be(const reading *r, uint32_t value, unsigned depth) {
  const kgi_inst *x = &r->p->inst[value];
  if (x->kind == KGI_literal && x->type == KG_F32) return kind_of_word((uint32_t)kgi_literal_bits(x));
  if (!depth || !kgi_is_float(x->type)) return ALL;
  unsigned set = x->kind == KGI_op ? of_op(r, x, depth - 1) : ALL;
  for (kgi_blk block = r->at; block != KGI_BODY; block = r->p->inst[r->p->block[block].owner].block) {
    const kgi_inst *owner = &r->p->inst[r->p->block[block].owner];
    if (owner->kind == KGI_if) set &= left_by(r, owner->arg[0], owner->arg[1] == block, value, depth);
  }
  return set;
}

/* Of a word that is stored, as the float that it holds. */
static unsigned held_by(reading *r, uint32_t access) {
  const kgi_inst *word = &r->p->inst[r->p->inst[access].arg[2]];
  r->at = r->p->inst[access].block;
  if (word->kind == KGI_literal) return kind_of_word((uint32_t)kgi_literal_bits(word));
  bool bits = word->kind == KGI_op && word->op == KGI_OP_bitcast && r->p->inst[word->arg[0]].type == KG_F32;
  return bits ? may_be(r, word->arg[0], KGI_LIMIT(bit_depth)) : ALL;
}

/* ---- what words and floats do ---- */

typedef enum result { STAYS, GOES, ALIKE, TO_LARGER, TO_SMALLER, UNKNOWN } result;

static unsigned place(unsigned kind, bool is_signed) {
  unsigned k = 0;
  while (kind >> k > 1) k++;
  return is_signed ? (k + 3) % KINDS : k;
}

static result of_words(bool larger, bool is_signed, unsigned element, unsigned operand) {
  if (element != operand) return (place(operand, is_signed) > place(element, is_signed)) == larger ? GOES : STAYS;
  if (element & ZEROS) return ALIKE;
  if (element & NANS) return UNKNOWN;
  return (element == POSITIVE) == larger ? TO_LARGER : TO_SMALLER;
}

static result of_floats(bool larger, unsigned element, unsigned operand) {
  if (operand & NANS) return UNKNOWN;
  if (element & NANS) return GOES;
  if (element != operand) return (rank(operand) > rank(element)) == larger ? GOES : STAYS;
  return element & ZEROS ? ALIKE : larger ? TO_LARGER : TO_SMALLER;
}

static bool stays(const kgi_float_extreme *x, bool is_signed, unsigned elements, unsigned operands) {
  for (unsigned e = 1; e < ALL; e <<= 1)
    for (unsigned v = 1; v < ALL; v <<= 1) {
      result words = of_words(x->larger, is_signed, e, v);
      if (elements & e && operands & v && words != STAYS && words != ALIKE) return false;
    }
  return true;
}

/* The elements for which words and floats disagree by some operand. */
static unsigned disagreed(const kgi_float_extreme *x, bool is_signed, unsigned elements, unsigned operands) {
  unsigned out = 0;
  for (unsigned e = 1; e < ALL; e <<= 1)
    for (unsigned v = 1; v < ALL; v <<= 1) {
      if (!(elements & e) || !(operands & v)) continue;
      result words = of_words(x->larger, is_signed, e, v), floats = of_floats(x->larger, e, v);
      if (words != floats || words == UNKNOWN) out |= e;
    }
  return out;
}

/* ---- objects ---- */

static bool is_extreme(const kgi_inst *inst) {
  return inst->kind == KGI_atomic && (inst->op == KGI_ATOMIC_min || inst->op == KGI_ATOMIC_max);
}

static bool may_be_held(const kgi_scope *s, uint32_t object) {
  const kgi_object *o = &s->object[object];
  bool words = o->type == KG_U32 || o->type == KG_I32, fits = o->space == KGI_SHARED || o->space == KGI_BUFFER;
  for (uint32_t k = 1; k < kgi_buffer_end(s) && o->space == KGI_BUFFER; k++)
    if (k != object && kgi_same_block(&s->object[k], o) && kgi_may_overlap(s, k, object)) return false;
  return words && fits && !o->ranged;
}

/* What elements and operands may be. False: something else is done to it. */
static bool read_object(reading *r, uint32_t object, kgi_float_extreme *out, unsigned *elements, unsigned *operands) {
  *elements = r->p->scope.object[object].space == KGI_BUFFER ? ALL : 0, *operands = 0;
  KGI_EACH_INSIDE(r->p, KGI_BODY, i) {
    const kgi_inst *inst = &r->p->inst[i];
    if (!kgi_touches(inst) || inst->arg[0] != object || !kgi_writes(inst)) continue;
    if (inst->kind == KGI_store) *elements |= held_by(r, i);
    else if (!is_extreme(inst) || r->used[i]) return false;
    else *operands |= out[i].operands = held_by(r, i), out[i].larger = inst->op == KGI_ATOMIC_max;
  }
  *elements |= *operands;
  return *operands;
}

static void settle_one(reading *r, uint32_t object, kgi_float_extreme *out) {
  unsigned elements, operands, passed = 0;
  bool is_signed = r->p->scope.object[object].type == KG_I32, fine = read_object(r, object, out, &elements, &operands);
  KGI_EACH_INSIDE(r->p, KGI_BODY, i) {
    if (!fine || !is_extreme(&r->p->inst[i]) || r->p->inst[i].arg[0] != object) continue;
    kgi_float_extreme *x = &out[i];
    bool idle = x->operands & MINUS_ZERO && disagreed(x, is_signed, elements, MINUS_ZERO) && stays(x, is_signed, elements, MINUS_ZERO);
    x->passes_zero = idle;
    passed |= disagreed(x, is_signed, elements, x->operands & ~(idle ? (unsigned)MINUS_ZERO : 0u));
  }
  unsigned first = 0, last = KINDS;
  while (passed && !(passed >> first & 1)) first++;
  while (passed && !(passed >> (last - 1) & 1)) last--;
  bool together = !passed || passed == ((1u << last) - (1u << first)), kept = !(passed & operands);
  KGI_EACH_INSIDE(r->p, KGI_BODY, i) {
    if (!is_extreme(&r->p->inst[i]) || r->p->inst[i].arg[0] != object) continue;
    kgi_float_extreme *x = &out[i];
    x->is_float = fine && together && kept && stays(x, is_signed, passed, x->operands);
    if (passed) x->first = least_word[first], x->last = least_word[last] - 1, x->passes_element = true;
    fine &= x->is_float;
  }
}

static bool all_are_floats(const kgi_program *p, uint32_t object, const kgi_float_extreme *out) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (is_extreme(&p->inst[i]) && p->inst[i].arg[0] == object && !out[i].is_float) return false;
  return true;
}

static void forget(const kgi_program *p, uint32_t object, kgi_float_extreme *out) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (is_extreme(&p->inst[i]) && p->inst[i].arg[0] == object) out[i] = (kgi_float_extreme){0};
}

bool kgi_find_float_extremes(kgi_program *p, kgi_float_extreme *out, kgi_arena *scratch) {
  bool *used = kgi_arena_alloc(scratch, p->inst_count, sizeof *used);
  if (!used) return false;
  reading r = {.p = p, .used = used};
  bool any = false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    kgi_span span = kgi_operands(&p->inst[i]);
    for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) used[p->inst[i].arg[k]] = true;
    any |= is_extreme(&p->inst[i]);
  }
  for (uint32_t o = 1; any && o < p->scope.object_count; o++) {
    if (may_be_held(&p->scope, o)) settle_one(&r, o, out);
    if (!all_are_floats(p, o, out)) forget(p, o, out);
  }
  return true;
}
