/* Clamps that change nothing go. Naga writes min(i, length - 1) wherever a shader indexes an array of known length, also where ids and loops
 * keep i below it: with the clamp it is not seen who fills which elements. What an integer can be is told by its type, by the size of the
 * workgroup where it is a literal, by loops and by arithmetic; not by params, constants, lengths or the grid, which hosts choose. */
#include "foundation/ir/most.h"
#include "foundation/passes/passes.h"
#include "foundation/analysis/ranges.h"

#include <stdint.h>

/* Whether `x` is the minimum, or the maximum, of both. */
static bool decides(kgi_op op, kgi_range x, kgi_range y) {
  return x.known && y.known && (op == KGI_OP_min ? x.hi <= y.lo : x.lo >= y.hi);
}

/* Of a value and itself the minimum is the value, which cleaning knows. */
static void drop(kgi_inst *x, const kgi_range *range) {
  for (unsigned side = 0; side < 2; side++) {
    if (!decides((kgi_op)x->op, range[x->arg[side]], range[x->arg[1 - side]])) continue;
    x->arg[1 - side] = x->arg[side];
    return;
  }
}

static kg_status drop_clamps(kgi_program *p, kgi_arena *scratch) {
  kgi_known known = {.workgroup = {kgi_literal_size(p, 0), kgi_literal_size(p, 1), kgi_literal_size(p, 2)}};
  kgi_ranges ranges;
  if (!kgi_ranges_find(&ranges, scratch, p, &known)) return KG_NO_MEMORY;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    kgi_inst *x = &p->inst[i];
    bool clamps = x->kind == KGI_op && (x->op == KGI_OP_min || x->op == KGI_OP_max);
    if (clamps && kgi_is_int(x->type)) drop(x, ranges.value);
  }
  return KG_OK;
}

kg_status kgi_drop_clamps(kg_module *m, kgi_program *p) {
  kg_allocator alloc = m->arena.alloc;
  kgi_arena scratch;
  kgi_arena_init(&scratch, &alloc);
  kg_status status = drop_clamps(p, &scratch);
  kgi_arena_free(&scratch);
  return status;
}
