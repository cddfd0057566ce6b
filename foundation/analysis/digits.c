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
  return inst->kind == KGI_op && inst->type == KG_U32 && (inst->op == KGI_OP_div || inst->op == KGI_OP_shr);
}

static bool reduces(const kgi_inst *inst) {
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
