/* Tangents and their magnitudes, carried along: through operations by the chain rule, through memory by its shadows. */
#include "reference/dual.h"
#include "reference/machine.h"

/* Loops over lanes are to become vectors; at -O2 gcc's cost model leaves loops of unknown length alone. */
#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__
#pragma GCC optimize("O3")
#endif

static double as_double(kg_type type, const void *slots, uint32_t lane) {
  switch (type) {
  case KG_BOOL: case KG_U32: return ((const uint32_t *)slots)[lane];
  case KG_I32: return ((const int32_t *)slots)[lane];
  case KG_I64: return (double)((const int64_t *)slots)[lane];
  case KG_U64: return (double)((const uint64_t *)slots)[lane];
  case KG_F16: case KG_F32: return (double)((const float *)slots)[lane];
  case KG_F64: return ((const double *)slots)[lane];
  case KG_NONE: case KG_I8: case KG_U8: case KG_I16: case KG_U16: case KG_BF16: break;
  }
  return 0;
}

/* Whether any direction moves this lane's value. */
static bool moves(const kgi_machine *m, uint32_t value, uint32_t lane) {
  for (uint32_t k = 0; m->tangent[value] && k < m->tangents; k++)
    if (m->tangent[value][k * m->lanes + lane] != 0 || m->magnitude[value][k * m->lanes + lane] != 0) return true;
  return false;
}

static void clear(kgi_machine *m, uint32_t value, uint32_t lane) {
  for (uint32_t k = 0; m->tangent[value] && k < m->tangents; k++)
    m->tangent[value][k * m->lanes + lane] = m->magnitude[value][k * m->lanes + lane] = 0;
}

static void combine(kgi_machine *m, uint32_t i, uint32_t lane, const double *partial) {
  const kgi_inst *x = &m->plan->program->inst[i];
  for (uint32_t k = 0; k < m->tangents; k++) {
    size_t at = (size_t)k * m->lanes + lane;
    double t = 0, magnitude = 0;
    for (unsigned a = 0; a < kgi_op_rows[x->op].arity; a++) {
      if (!m->tangent[x->arg[a]]) continue;
      t += kgi_part(partial[a], m->tangent[x->arg[a]][at]);
      magnitude += kgi_weight(partial[a], m->magnitude[x->arg[a]][at]);
    }
    m->tangent[i][at] = t;
    m->magnitude[i][at] = magnitude;
  }
}

bool kgi_takes_bits(const kg_module *module) {
  double zeros[4] = {0}, ignored[4];
  for (uint32_t k = 1; k < module->program_count; k++) {
    const kgi_program *p = module->program[k];
    for (uint32_t i = 1; i < p->inst_count; i++)
      if (p->inst[i].kind == KGI_op && !kgi_is_float(p->inst[i].type) && !kgi_partials((kgi_op)p->inst[i].op, zeros, ignored))
        return true;
  }
  return false;
}

static bool is_integer(const kgi_machine *m, uint32_t value) { return kgi_is_int(kgi_type_at(m->plan->program, value)); }

/* The marks of integers follow their operands, but for floats that are rounded to one: those are cut. */
static void mark(kgi_machine *m, uint32_t i, uint32_t lane) {
  const kgi_inst *x = &m->plan->program->inst[i];
  const double rounds[4] = {0}, carries[4] = {1, 1, 1, 1};
  combine(m, i, lane, x->op == KGI_OP_convert && !is_integer(m, x->arg[0]) ? rounds : carries);
}

/* One lane whose operands move; false where there is no derivative. */
static bool move_lane(kgi_machine *m, uint32_t i, uint32_t lane) {
  const kgi_inst *x = &m->plan->program->inst[i];
  double operand[4] = {0}, partial[4];
  if (!kgi_is_float(x->type)) return mark(m, i, lane), true;
  for (unsigned a = 0; a < kgi_op_rows[x->op].arity; a++) {
    if (is_integer(m, x->arg[a]) && moves(m, x->arg[a], lane)) return false;
    operand[a] = as_double(kgi_type_at(m->plan->program, x->arg[a]), m->slot[x->arg[a]], lane);
  }
  if (!kgi_partials((kgi_op)x->op, operand, partial)) return false;
  combine(m, i, lane, partial);
  return true;
}

void kgi_tangent_op(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  const kgi_inst *x = &m->plan->program->inst[i];
  unsigned arity = kgi_op_rows[x->op].arity;
  uint64_t refused = 0;
  if (!m->tangent[i]) return;
  for (uint32_t l = mask->first; l < mask->end; l++) {
    bool moving = false;
    if (!mask->lane[l]) continue;
    for (unsigned a = 0; a < arity; a++) moving |= moves(m, x->arg[a], l);
    bool fine = !moving || move_lane(m, i, l);
    if (!moving || !fine) clear(m, i, l);
    refused += !fine;
  }
  if (refused) kgi_fault(m, KG_FAULT_NOT_DIFFERENTIABLE, i, refused);
}

void kgi_tangent_gather(kgi_machine *m, const kgi_memory *memory, uint32_t value, const kgi_mask *mask) {
  for (uint32_t l = mask->first; l < mask->end; l++) {
    size_t at = m->where[l];
    if (at == KGI_NOWHERE) clear(m, value, l);
    for (uint32_t k = 0; at != KGI_NOWHERE && k < m->tangents; k++) {
      m->tangent[value][(size_t)k * m->lanes + l] = memory->tangent[k * memory->total + at];
      m->magnitude[value][(size_t)k * m->lanes + l] = memory->magnitude[k * memory->total + at];
    }
  }
}

void kgi_tangent_scatter(kgi_machine *m, const kgi_memory *memory, uint32_t value, const kgi_mask *mask) {
  const double *t = m->tangent[value], *magnitude = m->magnitude[value];
  for (uint32_t l = mask->first; l < mask->end; l++) {
    size_t at = m->where[l];
    for (uint32_t k = 0; at != KGI_NOWHERE && k < m->tangents; k++) {
      memory->tangent[k * memory->total + at] = t ? t[(size_t)k * m->lanes + l] : 0;
      memory->magnitude[k * memory->total + at] = t ? magnitude[(size_t)k * m->lanes + l] : 0;
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
    clear(m, i, lane);
    return;
  }
  for (uint32_t k = 0; m->tangent[i] && k < m->tangents; k++) {
    m->tangent[i][(size_t)k * m->lanes + lane] = memory->tangent[k * memory->total + element];
    m->magnitude[i][(size_t)k * m->lanes + lane] = memory->magnitude[k * memory->total + element];
  }
  kgi_tangent_change(memory, m->tangents, element, partial, shadow_of(m, x->arg[2], lane));
}
