#include "foundation/analysis/digits.h"

static bool is_remainder(const kgi_inst *inst) { return inst->op == KGI_OP_rem || inst->op == KGI_OP_mod; }

/* Shifts and masks divide by powers of two. */
static kgi_poly divisor_of(const kgi_program *p, const kgi_inst *inst, const kgi_poly size[3]) {
  const kgi_inst *by = &p->inst[inst->arg[1]];
  uint64_t literal = by->kind == KGI_literal ? kgi_literal_bits(by) : 0;
  bool shifts = inst->op == KGI_OP_shr && by->kind == KGI_literal && literal < 32, masks = literal && !(literal & (literal + 1));
  if (inst->op == KGI_OP_shr) return shifts ? kgi_poly_int(INT64_C(1) << literal) : (kgi_poly){.failed = true};
  if (inst->op == KGI_OP_and) return masks ? kgi_poly_int((int64_t)literal + 1) : (kgi_poly){.failed = true};
  return kgi_poly_of_value(p, (kgi_val){inst->arg[1]}, size);
}

static bool divides(const kgi_inst *inst) {
  if (inst->kind == KGI_op && inst->type == KG_I32) return inst->op == KGI_OP_div;
  return inst->kind == KGI_op && inst->type == KG_U32 && (inst->op == KGI_OP_div || inst->op == KGI_OP_shr);
}

/* Of signed numbers those that go with a division toward 0. */
static bool reduces(const kgi_inst *inst) {
  if (inst->kind == KGI_op && inst->type == KG_I32) return inst->op == KGI_OP_rem;
  return inst->kind == KGI_op && inst->type == KG_U32 && (is_remainder(inst) || inst->op == KGI_OP_and);
}

bool kgi_digit_of(const kgi_program *p, uint32_t value, const kgi_poly size[3], kgi_digit *out) {
  const kgi_inst *inst = &p->inst[value];
  bool top = divides(inst);
  if (!top && !reduces(inst)) return false;
  kgi_poly by = divisor_of(p, inst, size);
  *out = (kgi_digit){.of = inst->arg[0], .near = inst->arg[0], .top = top, .weight = top ? by : kgi_poly_int(1), .size = by};
  const kgi_inst *near = &p->inst[out->near];
  if (!top && divides(near)) out->of = near->arg[0], out->weight = divisor_of(p, near, size);
  return !out->weight.failed && !by.failed;
}

/* Of a digit x of the base: the digits of x come to all of x at most. */
static bool put_into(const kgi_base_digit *x, kgi_base_digit *g) {
  kgi_poly rest, near = g->top ? g->weight : kgi_poly_mul(&g->weight, &g->size);
  if (!x->top && !kgi_poly_divide(&x->size, &near, &rest)) return false;
  if (!x->top && g->top) g->size = rest, g->top = false;
  g->base = x->base, g->weight = kgi_poly_mul(&g->weight, &x->weight);
  return !g->weight.failed;
}

static bool find_base(const kgi_program *p, uint32_t value, const kgi_poly size[3], kgi_base_digit *out, unsigned depth) {
  kgi_digit g;
  kgi_base_digit x;
  if (value >= KGI_ATOM_FIRST || !depth || !kgi_digit_of(p, value, size, &g)) return false;
  kgi_poly of = kgi_poly_of_value(p, (kgi_val){g.of}, size);
  *out = (kgi_base_digit){.base = kgi_poly_is_atom(&of), .top = g.top, .weight = g.weight, .size = g.size};
  return out->base && (!find_base(p, out->base, size, &x, depth - 1) || put_into(&x, out));
}

bool kgi_digit_of_base(const kgi_program *p, uint32_t value, const kgi_poly size[3], kgi_base_digit *out) {
  return find_base(p, value, size, out, KGI_LIMIT(base_digits));
}

bool kgi_digit_values(const kgi_base_digit *g, const kgi_poly *range, kgi_poly *above, kgi_poly *values) {
  kgi_poly near = g->top ? g->weight : kgi_poly_mul(&g->weight, &g->size), rest;
  if (!kgi_poly_divide(range, &near, &rest)) return false;
  *above = g->top ? *range : near, *values = g->top ? rest : g->size;
  return true;
}

bool kgi_digit_in_global(const kgi_poly size[3], uint32_t base, bool top, const kgi_poly *weight, kgi_poly *values) {
  int64_t all, least, count;
  if (base < KGI_ATOM_LOCAL || base >= KGI_ATOM_LOCAL + 3 || !kgi_poly_is_int(&size[base - KGI_ATOM_LOCAL], &all)) return false;
  if (!kgi_poly_is_int(weight, &least) || least < 1 || all < 1 || all % least) return false;
  if (top) return *values = kgi_poly_int(all / least), true;
  return kgi_poly_is_int(values, &count) && count >= 1 && all / least % count == 0;
}
