/* Conditions that tell an id at an end of its numbers, in which a neighbour is chosen:
 *
 *     select(i > 0, i - 1, n - 1)    select(i + 1 < n, i + 1, 0)    select(n - 1 <= i, 0, i + 1)
 *
 * Given that the id is below the bound each says no more and no less than that it is the first, or the last: id + 1 does not wrap, for the
 * bound is a number, and bound - 1 does not, for the bound is above some id. */
#include "autodiff/emit/collect.h"

/* x < y, whatever the comparison is, or that it is not so; false: it is of another kind. */
static bool as_below(const kgi_inst *inst, bool truth, uint32_t *x, uint32_t *y, bool *below) {
  bool turned = inst->op == KGI_OP_gt || inst->op == KGI_OP_le, negated = inst->op == KGI_OP_ge || inst->op == KGI_OP_le;
  *x = inst->arg[turned], *y = inst->arg[!turned], *below = truth != negated;
  return turned || negated || inst->op == KGI_OP_lt;
}

static bool is_zero(const kgi_collecting *c, uint32_t value, int64_t extra) {
  return kgi_collect_is_apart(c, value, c->zero, extra);
}

static bool is_id(const kgi_collecting *c, uint32_t value, unsigned axis, int64_t extra) {
  return kgi_collect_is_id_and(c, value, axis, c->zero, extra);
}

/* The id at the end, or the next number, and the bound, likewise. */
static bool are_last(const kgi_collecting *c, uint32_t x, uint32_t y, unsigned axis, uint32_t bound) {
  return bound && ((is_id(c, x, axis, 1) && kgi_collect_is_apart(c, y, bound, 0)) || (is_id(c, x, axis, 0) && kgi_collect_is_apart(c, y, bound, -1)));
}

kgi_collect_end kgi_collect_end_where(const kgi_collecting *c, kgi_collect_branch k, unsigned axis, uint32_t bound) {
  const kgi_inst *inst = kgi_collect_at(c, k.value);
  uint32_t x, y;
  bool below;
  if (kgi_collect_is_op(inst, KGI_OP_not)) return kgi_collect_end_where(c, (kgi_collect_branch){inst->arg[0], !k.truth}, axis, bound);
  if (inst->kind != KGI_op || inst->type != KG_BOOL || kgi_collect_at(c, inst->arg[0])->type != KG_U32) return KGI_NO_END;
  if (kgi_collect_is_op(inst, k.truth ? KGI_OP_eq : KGI_OP_ne)) {
    for (unsigned side = 0; side < 2; side++) {
      x = inst->arg[side], y = inst->arg[!side];
      if (is_id(c, x, axis, 0) && is_zero(c, y, 0)) return KGI_FIRST_END;
      if (are_last(c, x, y, axis, bound)) return KGI_LAST_END;
    }
    return KGI_NO_END;
  }
  if (!as_below(inst, k.truth, &x, &y, &below)) return KGI_NO_END;
  if (below) return is_id(c, x, axis, 0) && is_zero(c, y, 1) ? KGI_FIRST_END : KGI_NO_END;
  if (is_zero(c, x, 0) && is_id(c, y, axis, 0)) return KGI_FIRST_END;
  return are_last(c, x, y, axis, bound) ? KGI_LAST_END : KGI_NO_END;
}

bool kgi_collect_steps_inside(const kgi_collecting *c, uint32_t f, unsigned axis, kgi_collect_end not_at) {
  return (not_at == KGI_FIRST_END && is_id(c, f, axis, -1)) || (not_at == KGI_LAST_END && is_id(c, f, axis, 1));
}
