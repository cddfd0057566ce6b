/* Negations become the opposite comparison, and go into conditions: !(a < b || c) is a >= b && !c. */
#include "foundation/passes/passes.h"

bool kgi_opposite(kgi_op op, kgi_op *out) {
  switch ((unsigned)op) {
  case KGI_OP_lt: *out = KGI_OP_ge; return true;
  case KGI_OP_ge: *out = KGI_OP_lt; return true;
  case KGI_OP_gt: *out = KGI_OP_le; return true;
  case KGI_OP_le: *out = KGI_OP_gt; return true;
  case KGI_OP_eq: *out = KGI_OP_ne; return true;
  case KGI_OP_ne: *out = KGI_OP_eq; return true;
  default: return false;
  }
}

/* !(a < b) is a >= b, but for floats, of which one may be no number. */
static bool turns(const kgi_program *p, uint32_t value, kgi_op *op) {
  const kgi_inst *x = &p->inst[value];
  if (x->kind != KGI_op || !kgi_opposite((kgi_op)x->op, op)) return false;
  return !kgi_is_float(p->inst[x->arg[0]].type) || x->op == KGI_OP_eq || x->op == KGI_OP_ne;
}

bool kgi_are_opposite(const kgi_program *p, uint32_t a, uint32_t b) {
  const kgi_inst *x = &p->inst[a], *y = &p->inst[b];
  kgi_op op;
  if (x->kind != KGI_op || y->kind != KGI_op) return false;
  if ((x->op == KGI_OP_not && x->arg[0] == b) || (y->op == KGI_OP_not && y->arg[0] == a)) return true;
  return turns(p, a, &op) && op == (kgi_op)y->op && x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1];
}

static bool reads_well(const kgi_program *p, uint32_t value) {
  const kgi_inst *x = &p->inst[value];
  kgi_op op;
  return turns(p, value, &op) || (x->kind == KGI_op && x->op == KGI_OP_not);
}

kgi_val kgi_negated(kgi_builder *b, uint32_t value) {
  const kgi_inst x = b->p->inst[value];
  kgi_op op;
  if (x.kind == KGI_op && x.op == KGI_OP_not) return (kgi_val){x.arg[0]};
  if (turns(b->p, value, &op)) return kgi_op2(b, op, (kgi_val){x.arg[0]}, (kgi_val){x.arg[1]});
  return kgi_op1(b, KGI_OP_not, (kgi_val){value});
}

void kgi_turn_negations(kgi_builder *b, kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst x = p->inst[i], of = p->inst[x.arg[0]];
    kgi_op op;
    if (x.kind != KGI_op || x.op != KGI_OP_not || of.kind != KGI_op) continue;
    if (turns(p, x.arg[0], &op)) {
      p->inst[i].op = (uint8_t)op, p->inst[i].arg[0] = of.arg[0], p->inst[i].arg[1] = of.arg[1];
    } else if ((of.op == KGI_OP_or || of.op == KGI_OP_and) && of.type == KG_BOOL && reads_well(p, of.arg[0]) && reads_well(p, of.arg[1])) {
      b->at = kgi_before(p, i);
      kgi_val one = kgi_negated(b, of.arg[0]), two = kgi_negated(b, of.arg[1]);
      if (b->status != KG_OK) return;
      p->inst[i].op = of.op == KGI_OP_or ? KGI_OP_and : KGI_OP_or, p->inst[i].arg[0] = one.i, p->inst[i].arg[1] = two.i;
    }
  }
}
