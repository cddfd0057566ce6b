#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"
#include "foundation/ir/place.h"

bool kgi_is_fixed(const kgi_program *p, uint32_t value, uint32_t loop) {
  if (value == loop) return false;
  for (kgi_blk block = p->inst[value].block; block > KGI_BODY; block = p->inst[p->block[block].owner].block)
    if (p->block[block].owner == loop) return false;
  return true;
}

bool kgi_moves_with(const kgi_program *p, uint32_t value, uint32_t loop) {
  for (unsigned depth = 0; depth < KGI_LIMIT(loop_moves) && value != loop; depth++) {
    const kgi_inst *inst = &p->inst[value];
    if (!value || inst->kind != KGI_op || (inst->op != KGI_OP_add && inst->op != KGI_OP_sub)) return false;
    bool first = kgi_is_fixed(p, inst->arg[0], loop), second = kgi_is_fixed(p, inst->arg[1], loop);
    if (first == second) return false;
    value = inst->arg[first ? 1 : 0];
  }
  return value == loop;
}

bool kgi_element_moves_with(const kgi_program *p, uint32_t object, uint32_t index, uint32_t loop) {
  kgi_digits place;
  if (!kgi_place_read(p, object, index, &place)) return kgi_moves_with(p, index, loop);
  for (unsigned k = 0; k < p->scope.object[object].rank; k++)
    if (kgi_moves_with(p, place.value[k], loop)) return true;
  return false;
}
