/* Tangents and their magnitudes, carried along: through operations by the chain rule, through memory by its shadows. */
#include "reference/dual.h"
#include "reference/machine.h"

#include <math.h>

/* Loops over lanes are to become vectors; at -O2 gcc's cost model leaves loops of unknown length alone, and where operations might
 * trap, those in which something is selected. */
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
#pragma GCC optimize("O3", "no-trapping-math")
#endif

#define ROW(T) \
  { \
    const T *x = slots; \
    for (uint32_t l = first; l < end; l++) row[l] = (double)x[l]; \
    break; \
  }

static void as_doubles(kg_type type, const void *slots, uint32_t first, uint32_t end, double *row) {
  switch (type) {
  case KG_BOOL: case KG_U32: ROW(uint32_t)
  case KG_I32: ROW(int32_t)
  case KG_I64: ROW(int64_t)
  case KG_U64: ROW(uint64_t)
  case KG_F16: case KG_F32: ROW(float)
  case KG_F64: ROW(double)
  case KG_NONE: case KG_I8: case KG_U8: case KG_I16: case KG_U16: case KG_BF16: break;
  }
}

/* Whether any direction of the value moves any lane, active or not: most often the first row tells. */
static bool may_move(const kgi_machine *m, uint32_t value, const kgi_mask *mask) {
  for (uint32_t k = 0; m->tangent[value] && k < m->tangents; k++) {
    const double *t = m->tangent[value] + (size_t)k * m->lanes, *magnitude = m->magnitude[value] + (size_t)k * m->lanes;
    uint64_t any = 0;
    for (uint32_t l = mask->first; l < mask->end; l++) any |= (uint64_t)(t[l] != 0) | (uint64_t)(magnitude[l] != 0);
    if (any) return true;
  }
  return false;
}

/* Marks the active lanes that any direction of the value moves. */
static void mark_moving(const kgi_machine *m, uint32_t value, const kgi_mask *mask, uint32_t *moving) {
  for (uint32_t k = 0; m->tangent[value] && k < m->tangents; k++) {
    const double *t = m->tangent[value] + (size_t)k * m->lanes, *magnitude = m->magnitude[value] + (size_t)k * m->lanes;
    for (uint32_t l = mask->first; l < mask->end; l++) {
      uint32_t moves = (uint32_t)(t[l] != 0) | (uint32_t)(magnitude[l] != 0);
      moving[l] |= mask->lane[l] & moves;
    }
  }
}

static void clear(kgi_machine *m, uint32_t value, uint32_t first, uint32_t end) {
  for (uint32_t k = 0; m->tangent[value] && k < m->tangents; k++) {
    size_t at = (size_t)k * m->lanes + first;
    memset(m->tangent[value] + at, 0, (end - first) * sizeof(double));
    memset(m->magnitude[value] + at, 0, (end - first) * sizeof(double));
  }
}

/* kgi_part and kgi_weight of rows; the product is taken in any case, so that the loop becomes vectors; inlined,
 * it would be forgotten that sums overlap nothing. A partial that is no number has a magnitude without bound: one that is NaN says
 * that a derivative was lost. */
__attribute__((noinline)) static void add_parts(uint32_t count, const double *partial, const double *t, const double *magnitude,
                                                double *restrict sum, double *restrict sum_magnitude) {
  for (uint32_t l = 0; l < count; l++) {
    double p = partial[l], of_t = p * t[l], of_magnitude = (isnan(p) ? (double)INFINITY : fabs(p)) * magnitude[l];
    sum[l] += ((p == 0) | (t[l] == 0)) ? 0 : of_t;
    sum_magnitude[l] += ((p == 0) | (magnitude[l] == 0)) ? 0 : of_magnitude;
  }
}

/* Lanes that do not move get zeros, whatever their partials are. */
static void combine(kgi_machine *m, uint32_t i, const kgi_mask *mask, double *const *partial) {
  const kgi_inst *x = &m->plan->program->inst[i];
  uint32_t first = mask->first;
  clear(m, i, first, mask->end);
  for (uint32_t k = 0; k < m->tangents; k++) {
    size_t row = (size_t)k * m->lanes + first;
    for (unsigned a = 0; a < kgi_op_rows[x->op].arity; a++) {
      uint32_t from = x->arg[a];
      if (m->tangent[from])
        add_parts(mask->end - first, partial[a] + first, m->tangent[from] + row, m->magnitude[from] + row, m->tangent[i] + row,
                  m->magnitude[i] + row);
    }
  }
}

/* Integers that bits of floats are taken for, and floats of integers, which may be numbers of steps. */
static bool is_of_bits(const kgi_program *p, uint32_t i) {
  const kgi_inst *x = &p->inst[i];
  double zeros[4] = {0}, ignored[4];
  if (kgi_is_float(x->type)) return x->op == KGI_OP_bitcast && kgi_is_int(p->inst[x->arg[0]].type);
  return !kgi_partials((kgi_op)x->op, zeros, ignored);
}

bool kgi_takes_bits(const kg_module *module) {
  for (uint32_t k = 1; k < module->program_count; k++) {
    const kgi_program *p = module->program[k];
    for (uint32_t i = 1; i < p->inst_count; i++)
      if (p->inst[i].kind == KGI_op && is_of_bits(p, i)) return true;
  }
  return false;
}

static bool is_integer(const kgi_machine *m, uint32_t value) { return kgi_is_int(kgi_type_at(m->plan->program, value)); }

/* The partials of a float result, in m->row[4 ..]; false where there is no derivative. */
static bool find_partials(kgi_machine *m, const kgi_inst *x, const kgi_mask *mask) {
  double *in[4], *out[4];
  for (unsigned a = 0; a < 4; a++) {
    in[a] = m->row[a] + mask->first, out[a] = m->row[4 + a] + mask->first;
    if (a < kgi_op_rows[x->op].arity)
      as_doubles(kgi_type_at(m->plan->program, x->arg[a]), m->slot[x->arg[a]], mask->first, mask->end, m->row[a]);
  }
  return kgi_partials_row((kgi_op)x->op, mask->end - mask->first, m->moving + mask->first, in, out);
}

/* Lanes in which bits of a float become a float otherwise than as they are. */
static void find_lost(kgi_machine *m, const kgi_inst *x, const kgi_mask *mask) {
  memset(m->moving + mask->first, 0, (mask->end - mask->first) * sizeof *m->moving);
  for (unsigned a = 0; a < kgi_op_rows[x->op].arity; a++)
    if (is_integer(m, x->arg[a])) mark_moving(m, x->arg[a], mask, m->moving);
  for (uint32_t l = mask->first; (x->op == KGI_OP_bitcast || x->op == KGI_OP_convert) && l < mask->end; l++)
    m->moving[l] &= !kgi_bits_are_float(m, x->arg[0], l);
}

/* Behind `combine`: a derivative that is not known is NaN, and so is its magnitude, until something cuts it or a result has it.
 * `all`: wherever a partial is NaN; else in the lanes of m->moving. */
static void lose_magnitudes(kgi_machine *m, uint32_t i, const kgi_mask *mask, bool all) {
  const kgi_inst *x = &m->plan->program->inst[i];
  for (uint32_t k = 0; k < m->tangents; k++)
    for (unsigned a = 0; a < kgi_op_rows[x->op].arity; a++) {
      size_t row = (size_t)k * m->lanes;
      const double *t = m->tangent[x->arg[a]], *magnitude = m->magnitude[x->arg[a]], *partial = m->row[4 + a];
      for (uint32_t l = mask->first; t && l < mask->end; l++)
        if (isnan(partial[l]) && (all || m->moving[l]) && (t[row + l] != 0 || magnitude[row + l] != 0)) m->magnitude[i][row + l] = NAN;
    }
}

static void mark_lost(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  for (uint32_t l = mask->first; l < mask->end; l++) {
    if (!m->moving[l]) continue;
    for (unsigned a = 0; a < 4; a++) m->row[4 + a][l] = NAN;
    if (!m->lost) m->lost = i;
  }
}

void kgi_tangent_op(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  bool moving = false, floats = kgi_is_float(x->type);
  bool made = (x->op == KGI_OP_bitcast || x->op == KGI_OP_convert) && is_integer(m, x->arg[0]), bits = !floats || made, none = false;
  bool cheap = !bits && kgi_partials_are_cheap((kgi_op)x->op);
  if (!m->tangent[i]) return;
  for (unsigned a = 0; a < kgi_op_rows[x->op].arity; a++) moving |= may_move(m, x->arg[a], mask);
  if (!moving) {
    clear(m, i, mask->first, mask->end);
    return;
  }
  memset(m->moving + mask->first, 0, (mask->end - mask->first) * sizeof *m->moving);
  for (unsigned a = 0; a < kgi_op_rows[x->op].arity && !cheap; a++) mark_moving(m, x->arg[a], mask, m->moving);
  if (bits) kgi_bits_partials(m, i, mask);
  else if ((none = !find_partials(m, x, mask))) mark_lost(m, i, mask);
  if (floats && m->bits) {
    find_lost(m, x, mask);
    mark_lost(m, i, mask);
  }
  combine(m, i, mask, m->row + 4);
  if (bits || none || m->bits) lose_magnitudes(m, i, mask, bits || none);
}

bool kgi_tangent_is_lost(const kgi_memory *memory, uint32_t tangents) {
  bool lost = false;
  for (uint32_t k = 0; memory->tangent && k < tangents; k++)
    for (uint64_t e = 0; e < memory->length; e++) lost |= isnan(memory->magnitude[k * memory->total + kgi_memory_at(memory, e)]);
  return lost;
}

void kgi_tangent_gather(kgi_machine *m, const kgi_memory *memory, uint32_t value, const kgi_mask *mask) {
  for (uint32_t k = 0; k < m->tangents; k++) {
    double *t = m->tangent[value] + (size_t)k * m->lanes, *magnitude = m->magnitude[value] + (size_t)k * m->lanes;
    const double *from = memory->tangent + k * memory->total, *from_magnitude = memory->magnitude + k * memory->total;
    for (uint32_t l = mask->first; l < mask->end; l++) {
      size_t at = m->where[l];
      t[l] = at == KGI_NOWHERE ? 0 : from[at];
      magnitude[l] = at == KGI_NOWHERE ? 0 : from_magnitude[at];
    }
  }
}

void kgi_tangent_scatter(kgi_machine *m, const kgi_memory *memory, uint32_t value, const kgi_mask *mask) {
  for (uint32_t k = 0; k < m->tangents; k++) {
    const double *t = m->tangent[value], *magnitude = m->magnitude[value];
    double *to = memory->tangent + k * memory->total, *to_magnitude = memory->magnitude + k * memory->total;
    for (uint32_t l = mask->first; l < mask->end; l++) {
      size_t at = m->where[l], own = (size_t)k * m->lanes + l;
      if (at == KGI_NOWHERE) continue;
      to[at] = t ? t[own] : 0;
      to_magnitude[at] = t ? magnitude[own] : 0;
    }
  }
}

void kgi_tangent_change(const kgi_memory *memory, uint32_t tangents, size_t element, const double *partial, kgi_shadow operand) {
  for (uint32_t k = 0; k < tangents; k++) {
    size_t at = k * memory->total + element;
    double old = memory->tangent[at], old_magnitude = memory->magnitude[at], t = 0, magnitude = 0;
    if (operand.tangent) t = operand.tangent[k * operand.stride], magnitude = operand.magnitude[k * operand.stride];
    memory->tangent[at] = kgi_part(partial[0], old) + kgi_part(partial[1], t);
    memory->magnitude[at] = kgi_part(partial[0], old_magnitude) + kgi_part(partial[1], magnitude);
  }
}

static kgi_shadow shadow_of(const kgi_machine *m, uint32_t value, uint32_t lane) {
  if (!m->tangent[value]) return (kgi_shadow){0};
  return (kgi_shadow){m->tangent[value] + lane, m->magnitude[value] + lane, m->lanes};
}

void kgi_tangent_atomic(kgi_machine *m, const kgi_memory *memory, uint32_t i, uint32_t lane, const double *partial) {
  const kgi_inst *x = &m->plan->program->inst[i];
  size_t element = m->where[lane];
  if (element == KGI_NOWHERE) {
    clear(m, i, lane, lane + 1);
    return;
  }
  for (uint32_t k = 0; m->tangent[i] && k < m->tangents; k++) {
    m->tangent[i][(size_t)k * m->lanes + lane] = memory->tangent[k * memory->total + element];
    m->magnitude[i][(size_t)k * m->lanes + lane] = memory->magnitude[k * memory->total + element];
  }
  uint32_t operand = x->arg[x->op == KGI_ATOMIC_compare_exchange ? 3 : 2];
  kgi_tangent_change(memory, m->tangents, element, partial, shadow_of(m, operand, lane));
}
