/* Bounds of what is made of bits: shifts to the left, as of a stage's width `1 << s` or of a size rounded up to a power of two, counts of bits,
 * and parts of words. */
#include "autodiff/plan/ad.h"

enum { WORD = 32, MOST_POWER = 20 };

static bool literal(const kgi_ad *a, uint32_t value, int64_t *out) {
  const kgi_inst *x = kgi_ad_inst(a, value);
  if (x->kind != KGI_literal || (x->type != KG_U32 && x->type != KG_I32)) return false;
  *out = kgi_bits_to_int((kg_type)x->type, kgi_literal_bits(x));
  return true;
}

static kgi_dim natural(kgi_ad *a, kgi_dim x) { return kgi_ad_length(a, KGI_DIM_MAX, x, kgi_ad_number(a, 0)); }

/* 2^x of 0 <= x < 32, which lengths have no power for: 1 + (2^(2^k) - 1) for each bit k of x that is set. As many as 2^MOST_POWER by literals
 * say nothing. */
static kgi_dim power_of_two(kgi_ad *a, kgi_dim x) {
  const kgi_dim_node *n = &a->f.work->scope.dim[x.i];
  if (!x.i) return x;
  if (n->op == KGI_DIM_INT) return n->imm > MOST_POWER ? (kgi_dim){0} : kgi_ad_number(a, INT64_C(1) << (n->imm < 0 ? 0 : n->imm));
  kgi_dim last = kgi_ad_number(a, WORD - 1), two = kgi_ad_number(a, 2), one = kgi_ad_number(a, 1), power = one;
  x = natural(a, kgi_ad_length(a, KGI_DIM_MIN, x, last));
  for (unsigned k = 0; 1 << k < WORD; k++) {
    kgi_dim digit = kgi_ad_length(a, KGI_DIM_DIV, x, kgi_ad_number(a, INT64_C(1) << k));
    digit = kgi_ad_length(a, KGI_DIM_MOD, digit, two);
    digit = kgi_ad_length(a, KGI_DIM_MUL, digit, kgi_ad_number(a, (INT64_C(1) << (1 << k)) - 1));
    power = kgi_ad_length(a, KGI_DIM_MUL, power, kgi_ad_length(a, KGI_DIM_ADD, digit, one));
  }
  return power;
}

/* `32 - clz(v)` is how many bits v has: 2 to that power is 2 v at most, and 1 of 0. */
static kgi_dim power_of_length(kgi_ad *a, const kgi_inst *by, unsigned depth) {
  int64_t from;
  if (by->kind != KGI_op || by->op != KGI_OP_sub || !literal(a, by->arg[0], &from) || from < 1 || from > WORD) return (kgi_dim){0};
  const kgi_inst zeros = *kgi_ad_inst(a, by->arg[1]);
  if (zeros.kind != KGI_op || zeros.op != KGI_OP_clz || zeros.type != KG_U32) return (kgi_dim){0};
  kgi_dim v = kgi_ad_bound_at(a, zeros.arg[0], true, depth), two = kgi_ad_number(a, 2), one = kgi_ad_number(a, 1);
  return kgi_ad_length(a, KGI_DIM_MAX, kgi_ad_length(a, KGI_DIM_MUL, v, two), one);
}

/* A product. Of two numbers that are not known by literals, a shift past the word comes round, and is less. */
static kgi_dim of_shift(kgi_ad *a, const kgi_inst inst, unsigned depth) {
  int64_t by;
  kgi_dim x = natural(a, kgi_ad_bound_at(a, inst.arg[0], true, depth)), scale;
  const kgi_inst amount = *kgi_ad_inst(a, inst.arg[1]);
  if (inst.type != KG_U32 && inst.type != KG_I32 && amount.kind != KGI_literal) return (kgi_dim){0};
  if (literal(a, inst.arg[1], &by)) {
    if (by < 0 || by >= WORD) return (kgi_dim){0};
    scale = kgi_ad_number(a, INT64_C(1) << by);
  } else {
    scale = power_of_length(a, &amount, depth);
    if (!scale.i) scale = power_of_two(a, kgi_ad_bound_at(a, inst.arg[1], true, depth));
  }
  return kgi_ad_length(a, KGI_DIM_MUL, x, scale);
}

/* So many bits, none of them the sign. Where the word lies behind them, no more than there is of it. */
static kgi_dim of_part(kgi_ad *a, const kgi_inst inst, unsigned depth) {
  int64_t from, count;
  if (inst.type != KG_U32 || !literal(a, inst.arg[2], &count) || count < 0 || count >= WORD) return (kgi_dim){0};
  kgi_dim most = kgi_ad_number(a, (INT64_C(1) << count) - 1);
  if (!literal(a, inst.arg[1], &from) || from < 0 || from >= WORD) return most;
  kgi_dim word = kgi_ad_bound_in_min(a, inst.arg[0], depth);
  word = kgi_ad_length(a, KGI_DIM_DIV, word, kgi_ad_number(a, INT64_C(1) << from));
  return word.i ? kgi_ad_length(a, KGI_DIM_MIN, word, most) : most;
}

kgi_dim kgi_ad_bound_of_bits(kgi_ad *a, uint32_t value, bool upper, unsigned depth) {
  const kgi_inst inst = *kgi_ad_inst(a, value);
  switch ((int)inst.op) {
  case KGI_OP_clz: case KGI_OP_ctz: case KGI_OP_popcount: return kgi_ad_number(a, upper ? kgi_type_bits(inst.type) : 0);
  case KGI_OP_bit_extract: return upper ? of_part(a, inst, depth) : (kgi_dim){0};
  case KGI_OP_shl: return upper ? of_shift(a, inst, depth) : (kgi_dim){0};
  }
  return (kgi_dim){0};
}
