/* What the import decides already: a branch of it has no other side, so that nobody asks whether the other side can be imported.
 * Shaders choose by specialization constants that a host has fixed, and have sides that no device takes. */
#include "foundation/ir/eval.h"
#include "spirv/import/import.h"

enum { MOST_DEEP = 6 };

static bool decided(const kgi_program *p, kgi_val value, uint64_t *bits, unsigned depth) {
  const kgi_inst *inst = &p->inst[value.i];
  uint64_t arg[4] = {0};
  if (inst->kind == KGI_literal) return *bits = kgi_literal_bits(inst), true;
  if (inst->kind != KGI_op || depth == MOST_DEEP) return false;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (!decided(p, (kgi_val){inst->arg[k]}, &arg[k], depth + 1)) return false;
  unsigned leading = kgi_op_rows[inst->op].rule == KGI_RULE_SELECT;
  return kgi_eval((kgi_op)inst->op, (kg_type)p->inst[inst->arg[leading]].type, (kg_type)inst->type, arg, bits);
}

bool kgi_im_decided(const kgi_import *im, kgi_val value, uint64_t *bits) {
  return value.i && kgi_im_fine(im) && decided(im->b.p, value, bits, 0);
}
