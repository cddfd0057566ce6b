/* Values that become one of their operands, or a number. */
#include "fuzz/reduce/edits.h"

#include <math.h>
#include <stdlib.h>

/* ---- what is computed ---- */

enum { OPERANDS = 4, NUMBERS = 2 };

/* One of its operands, then 1, then 0. False: there is no such way. */
static bool simplify(kgi_builder *b, uint32_t i, unsigned way) {
  const kgi_inst x = b->p->inst[i];
  kgi_span operands = kgi_operands(&x);
  if (x.type == KG_NONE || x.kind == KGI_for) return false;
  if (way < OPERANDS) {
    uint32_t by = way < operands.count && x.kind != KGI_load ? x.arg[operands.first + way] : 0;
    if (!by || b->p->inst[by].type != x.type) return false;
    kgi_replace_uses(b->p, i, by);
    if (kgi_is_pure(&x)) kgi_remove(b->p, i);
    return true;
  }
  if (!kgi_is_pure(&x)) return false; /* of those the statements are tried as such */
  kgi_cut(b, i, way == OPERANDS);
  return true;
}

static bool try_value(kgi_reducer *r, uint32_t program, uint32_t at, unsigned way) {
  kgi_case c;
  kgi_builder b;
  if (!kgi_begin_edit(r, &c, &b, program)) return false;
  uint32_t count, *list = kgi_list_instructions(b.p, &count);
  bool made = list && at < count && simplify(&b, list[at], way);
  free(list);
  if (made) return kgi_try(r, &c);
  kgi_case_free(&c);
  return false;
}

static uint32_t length_of(const kgi_reducer *r, uint32_t program) {
  uint32_t count;
  free(kgi_list_instructions(r->best->module->program[program], &count));
  return count;
}

/* From the end, where one step drops most. */
bool kgi_reduce_values(kgi_reducer *r) {
  bool changed = false;
  for (uint32_t k = 1; k < r->best->module->program_count; k++)
    for (uint32_t at = length_of(r, k); at-- > 0 && !kgi_is_late(r);) {
      for (unsigned way = 0; way < OPERANDS + NUMBERS; way++)
        if (try_value(r, k, at, way)) changed = true, way = OPERANDS + NUMBERS;
      uint32_t now = length_of(r, k);
      if (at > now) at = now;
    }
  return changed;
}

/* ---- leaves as operands ---- */

/* How plain a leaf is: less is plainer. */
static double weight_of(const kgi_program *p, uint32_t i) {
  const kgi_inst *x = &p->inst[i];
  if (x->kind != KGI_literal) return x->kind == KGI_id ? 50 + 10 * (x->op != KGI_ID_global_id) + x->arg[0] : 100;
  double value = kgi_is_float(x->type) ? kgi_bits_to_double((kg_type)x->type, kgi_literal_bits(x)) : (double)kgi_literal_bits(x);
  if (!isfinite(value)) return 49;
  return (value < 0) + (value == rint(value) ? fmin(fabs(value), 20)
                        : 21 + (value * 4 != rint(value * 4)) + (value * 100 != rint(value * 100)));
}

enum { LEAF_WAYS = 6 };

/* Another leaf of that type; {0}: there is no such way. */
static kgi_val plainer(kgi_builder *b, uint32_t leaf, unsigned way) {
  const kgi_inst x = b->p->inst[leaf];
  kg_type type = (kg_type)x.type;
  bool number = x.kind == KGI_literal && kgi_is_float(type);
  double value = number ? kgi_bits_to_double(type, kgi_literal_bits(&x)) : 0;
  switch (way) {
  case 0: return kgi_plain_literal(b, type, 0);
  case 1: return kgi_plain_literal(b, type, 1);
  case 2: return kgi_plain_literal(b, type, type == KG_BOOL ? 1 : 2);
  case 3: return number && isfinite(value) ? kgi_float(b, type, rint(value)) : (kgi_val){0};
  case 4: return number && isfinite(value) ? kgi_float(b, type, rint(value * 4) / 4) : (kgi_val){0};
  default: return type == KG_U32 && x.kind == KGI_id ? kgi_id_value(b, KGI_ID_global_id, 0) : (kgi_val){0};
  }
}

static bool try_leaf(kgi_reducer *r, uint32_t program, uint32_t at, unsigned operand, unsigned way) {
  kgi_case c;
  kgi_builder b;
  if (!kgi_begin_edit(r, &c, &b, program)) return false;
  uint32_t count, *list = kgi_list_instructions(b.p, &count);
  bool made = false;
  if (list && at < count) {
    kgi_span operands = kgi_operands(&b.p->inst[list[at]]);
    uint32_t leaf = b.p->inst[list[at]].arg[operands.first + operand];
    kgi_val by = leaf && kgi_is_leaf(b.p->inst[leaf].kind) ? plainer(&b, leaf, way) : (kgi_val){0};
    made = by.i && weight_of(b.p, by.i) < weight_of(b.p, leaf);
    if (made) b.p->inst[list[at]].arg[operands.first + operand] = by.i;
  }
  free(list);
  if (made) return kgi_try(r, &c);
  kgi_case_free(&c);
  return false;
}

bool kgi_reduce_leaves(kgi_reducer *r) {
  bool changed = false;
  for (uint32_t k = 1; k < r->best->module->program_count; k++)
    for (uint32_t at = length_of(r, k); at-- > 0 && !kgi_is_late(r);)
      for (unsigned operand = 0; operand < OPERANDS && at < length_of(r, k); operand++) {
        const kgi_program *p = r->best->module->program[k];
        uint32_t count, *list = kgi_list_instructions(p, &count);
        kgi_span operands = list ? kgi_operands(&p->inst[list[at]]) : (kgi_span){0, 0};
        uint32_t used = operand < operands.count ? p->inst[list[at]].arg[operands.first + operand] : 0;
        bool leaf = used && kgi_is_leaf(p->inst[used].kind);
        free(list);
        for (unsigned way = 0; leaf && way < LEAF_WAYS; way++)
          if (try_leaf(r, k, at, operand, way)) changed = true, way = LEAF_WAYS;
      }
  return changed;
}
