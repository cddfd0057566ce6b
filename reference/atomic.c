/* Atomics, one lane after the other. */
#include "reference/bound.h"
#include "reference/crew.h"
#include "reference/dual.h"
#include "reference/turns.h"
#include "reference/watch.h"

#include <math.h>

/* The operation that makes the new contents of the old and the operand. */
static kgi_op op_of(kgi_atomic atomic) {
  switch (atomic) {
  case KGI_ATOMIC_add: return KGI_OP_add;
  case KGI_ATOMIC_min: return KGI_OP_min;
  case KGI_ATOMIC_max: return KGI_OP_max;
  case KGI_ATOMIC_and: return KGI_OP_and;
  case KGI_ATOMIC_or: return KGI_OP_or;
  case KGI_ATOMIC_xor: return KGI_OP_xor;
  case KGI_ATOMIC_exchange: case KGI_ATOMIC_compare_exchange: case KGI_ATOMIC_load: case KGI_ATOMIC_store: case KGI_ATOMIC_COUNT:
    break;
  }
  return KGI_OP_COUNT;
}

/* By how much the new contents follow the old, and the operand; of compare_exchange, the new value where it is taken. */
static void follow(kgi_atomic atomic, kg_type type, double old, double operand, bool replaced, double *partial) {
  kgi_op op = op_of(atomic);
  bool extreme = op == KGI_OP_min || op == KGI_OP_max;
  if (op != KGI_OP_COUNT && !kgi_is_float(type)) partial[0] = partial[1] = NAN; /* bits of a float are no more (bits.c) */
  else if (extreme) { /* at a tie who came first stays: nobody knows who else held it */
    bool better = isnan(old) ? !isnan(operand) : op == KGI_OP_max ? operand > old : operand < old;
    partial[0] = !better, partial[1] = better;
  }
  else if (op != KGI_OP_COUNT) kgi_partials(op, (const double[]){old, operand}, partial);
  else partial[0] = !replaced, partial[1] = replaced;
}

static double number_of(kg_type type, const void *slot) { return kgi_bits_to_double(type, kgi_slot_bits(type, slot)); }

/* The new contents, in a slot; false: they stay. */
static bool replace(const kgi_inst *x, kg_type type, const void *old, const void *operand, const void *with, void *next) {
  kgi_atomic atomic = (kgi_atomic)x->op;
  kgi_op op = op_of(atomic);
  size_t size = kgi_slot_size(type);
  if (op != KGI_OP_COUNT) {
    kgi_lanes(op, type, type)(next, (const void *const[]){old, operand}, 1);
    return true;
  }
  bool compares = atomic == KGI_ATOMIC_compare_exchange;
  if (atomic == KGI_ATOMIC_load || (compares && memcmp(old, operand, size) != 0)) return false;
  memcpy(next, compares ? with : operand, size);
  return true;
}

/* What was expected has the bits that are there, but may owe them to other inputs: another lane exchanged for equal bits in between.
 * Then what the new contents would have been, had this lane seen them, is not known. */
static bool owes_the_same(const kgi_machine *m, const kgi_memory *memory, uint32_t expected, uint32_t lane) {
  bool same = true;
  for (uint32_t k = 0; m->where[lane] != KGI_NOWHERE && k < m->tangents; k++) {
    size_t at = k * memory->total + m->where[lane], own = (size_t)k * m->lanes + lane;
    same &= memory->tangent[at] == (m->tangent[expected] ? m->tangent[expected][own] : 0);
    same &= memory->magnitude[at] == (m->magnitude[expected] ? m->magnitude[expected][own] : 0);
  }
  return same;
}

static void one_lane(kgi_machine *m, uint32_t i, uint32_t lane) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const kgi_memory *memory = &m->memory[x->arg[0]];
  kg_type type = (kg_type)memory->type;
  size_t size = kgi_slot_size(type);
  const char *operand = m->slot[x->arg[2]], *with = m->slot[x->arg[3]];
  const void *operand_slot = operand ? operand + lane * size : NULL;
  uint64_t old = 0, next = 0;
  kgi_gather(memory, &m->where[lane], &old, 0, 1);
  bool replaced = replace(x, type, &old, operand_slot, with ? with + lane * size : NULL, &next);
  if (replaced) kgi_scatter(memory, &m->where[lane], &next, 0, 1);
  if (m->slot[i]) memcpy((char *)m->slot[i] + lane * size, &old, size);
  if (!memory->tangent) return;
  double partial[4];
  follow((kgi_atomic)x->op, type, number_of(type, &old), operand ? number_of(type, operand_slot) : 0, replaced, partial);
  bool exchanged = x->op == KGI_ATOMIC_compare_exchange && replaced;
  if (exchanged && !owes_the_same(m, memory, x->arg[2], lane)) partial[0] = partial[1] = NAN;
  kgi_tangent_atomic(m, memory, i, lane, partial);
}

void kgi_atomic_apply(const kgi_machine *m, uint32_t i, size_t element, const void *operand, const double *tangent) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const kgi_memory *memory = &m->memory[x->arg[0]];
  kg_type type = (kg_type)memory->type;
  uint64_t old = 0, next = 0;
  double partial[4];
  kgi_gather(memory, &element, &old, 0, 1);
  replace(x, type, &old, operand, NULL, &next);
  kgi_scatter(memory, &element, &next, 0, 1);
  if (!memory->tangent) return;
  follow((kgi_atomic)x->op, type, number_of(type, &old), number_of(type, operand), true, partial);
  kgi_tangent_change(memory, m->tangents, element, partial, (kgi_shadow){tangent, tangent + m->tangents, 1});
}

void kgi_exec_atomic(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_memory *memory = &m->memory[m->plan->program->inst[i].arg[0]];
  kgi_locate(m, i, mask);
  if (memory->watch) kgi_watch_access(m, i, mask);
  if (m->stint && memory->order == KGI_LOGGED && kgi_stint_log(m, i, mask)) return;
  if (m->stint && memory->order != KGI_FREE && !kgi_stint_wait(m)) return;
  kgi_turns turns = kgi_turns_of(m->order ? m->order + m->group : 0, mask->end - mask->first);
  for (uint32_t k = mask->first; k < mask->end; k++) {
    uint32_t l = mask->first + (uint32_t)kgi_next_turn(&turns);
    if (!mask->lane[l]) continue;
    if (m->bound) kgi_bound_atomic(m, i, l);
    one_lane(m, i, l);
  }
}
