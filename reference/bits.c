/* Tangents of integers that hold the bits of a float. Such an integer has the tangent that the float of its bits has: neighbouring
 * floats have neighbouring bits, so where a step of the operand's bits is a step of the result's, up or down, the one tangent is
 * the other times the steps' sizes as floats, which go by the exponents. Where bits of the mantissa are lost there is no such step:
 * NaN marks that, whatever becomes of the integer then. The sign and the exponent alone are constant but for jumps. A float that is
 * converted to an integer moves it where that is the bits of another (foundation/analysis/whole.h), by as much as a step is.
 *
 * What is known of an operand is what it holds in the lane, and whether it moves there. */
#include "foundation/analysis/whole.h"
#include "reference/dual.h"
#include "reference/machine.h"

#include <math.h>

/* Of the float that has the integer's width: the bits of its mantissa, and its sign. */
typedef struct form { unsigned width, point; uint64_t all, mantissa, sign; } form;

static form form_of(kg_type type) {
  form f = {.width = kgi_type_bits(type)};
  f.point = f.width == 64 ? 52 : 23;
  f.all = f.width == 64 ? UINT64_MAX : UINT32_MAX;
  f.mantissa = ((uint64_t)1 << f.point) - 1, f.sign = (uint64_t)1 << (f.width - 1);
  return f;
}

/* A step of the bits as a float: its sign and the power of two, that of the smallest number being 1. */
static int step_exponent(form f, uint64_t bits) {
  int exponent = (int)((bits & ~f.sign) >> f.point);
  return exponent ? exponent : 1;
}

/* The result's tangent by the operand's, where their bits step together; NaN where f64 cannot say. */
static double step_ratio(form f, uint64_t from, uint64_t to) {
  int by = step_exponent(f, to) - step_exponent(f, from);
  if (f.width == 64 && by != 0) return NAN;
  return ldexp((from ^ to) & f.sign ? -1 : 1, by);
}

/* x with its sign taken off, or set: the absolute value, or its opposite. */
static bool is_at_kink(form f, kgi_op op, uint64_t x, uint64_t mask) {
  bool sets = op == KGI_OP_and ? mask == (f.all & ~f.sign) : op == KGI_OP_or && mask == f.sign;
  return sets && (x & ~f.sign) == 0;
}

/* Of the operand that moves, which is the first unless `second`: x, while the other is `still`. */
static double follow(form f, kgi_op op, uint64_t x, uint64_t still, uint64_t to, bool second) {
  uint64_t low = still & f.mantissa;
  if (op == KGI_OP_add) return step_ratio(f, x, to);
  if (op == KGI_OP_sub) return second ? -step_ratio(f, x, to) : step_ratio(f, x, to);
  if (is_at_kink(f, op, x, still)) return 0;
  if (op == KGI_OP_and) return low == 0 ? 0 : low == f.mantissa ? step_ratio(f, x, to) : NAN;
  if (op == KGI_OP_or) return low == 0 ? step_ratio(f, x, to) : low == f.mantissa ? 0 : NAN;
  if (op == KGI_OP_xor) return low == 0 ? step_ratio(f, x, to) : low == f.mantissa ? -step_ratio(f, x, to) : NAN;
  if (op == KGI_OP_shr) return !second && still % f.width >= f.point ? 0 : NAN;
  return NAN;
}

static uint64_t bits_at(const kgi_machine *m, uint32_t value, uint32_t lane) {
  kg_type type = kgi_type_at(m->plan->program, value);
  const char *slots = m->slot[value];
  return kgi_slot_bits(type, slots + lane * kgi_slot_size(type));
}

static bool moves(const kgi_machine *m, uint32_t value, uint32_t lane) {
  bool any = false;
  for (uint32_t k = 0; m->tangent[value] && k < m->tangents; k++) {
    size_t at = (size_t)k * m->lanes + lane;
    any |= m->tangent[value][at] != 0 || m->magnitude[value][at] != 0;
  }
  return any;
}

/* One moves, or both do. */
static void two(const kgi_machine *m, uint32_t i, uint32_t lane, const bool *moving, double *partial) {
  const kgi_inst *x = &m->plan->program->inst[i];
  form f = form_of((kg_type)x->type);
  uint64_t a = bits_at(m, x->arg[0], lane) & f.all, b = bits_at(m, x->arg[1], lane) & f.all, y = bits_at(m, i, lane) & f.all;
  if (moving[0] && moving[1]) return;
  partial[0] = follow(f, (kgi_op)x->op, a, b, y, false);
  partial[1] = follow(f, (kgi_op)x->op, b, a, y, true);
}

static bool is_of_width(const kgi_machine *m, uint32_t value, kg_type type) {
  return kgi_type_bits(kgi_type_at(m->plan->program, value)) == kgi_type_bits(type);
}

/* Of a float that is the number of steps: how far a step goes, from the float whose bits the number is; 0 where the integers end. */
static double step_size(const kgi_machine *m, uint32_t i, uint32_t lane) {
  kg_type type = kgi_type_at(m->plan->program, i);
  uint64_t bits = bits_at(m, i, lane) & UINT32_MAX;
  form f = form_of(type);
  const float *x = m->slot[m->plan->program->inst[i].arg[0]];
  bool ends = type == KG_I32 ? !(x[lane] >= -0x1p31f && x[lane] < 0x1p31f) : !(x[lane] >= 0 && x[lane] < 0x1p32f);
  return ends ? 0 : ldexp(bits & f.sign ? -1 : 1, step_exponent(f, bits) - 150);
}

/* Of an integer that is made a float of its size: one for each step, and none where it is a float's whole number. */
static double count_of_steps(const kgi_machine *m, uint32_t value, uint32_t lane) {
  kg_type type = kgi_type_at(m->plan->program, value);
  form f = form_of(type);
  uint64_t bits = bits_at(m, value, lane) & f.all;
  if (m->plan->whole[value] & KGI_OF_WHOLE) return 0;
  return f.width != 32 ? (double)NAN : ldexp(bits & f.sign ? -1 : 1, 150 - step_exponent(f, bits));
}

static void in_lane(const kgi_machine *m, uint32_t i, uint32_t lane, double *partial) {
  const kgi_inst *x = &m->plan->program->inst[i];
  form f = form_of((kg_type)x->type);
  bool moving[4] = {false};
  for (unsigned a = 0; a < kgi_op_rows[x->op].arity; a++) moving[a] = moves(m, x->arg[a], lane);
  for (unsigned a = 0; a < 4; a++) partial[a] = NAN;
  switch ((int)x->op) {
  case KGI_OP_bitcast: partial[0] = 1; break;
  case KGI_OP_stop_gradient: partial[0] = 0; break;
  case KGI_OP_select: partial[1] = bits_at(m, x->arg[0], lane) != 0, partial[2] = 1 - partial[1]; break;
  case KGI_OP_convert: /* a float is rounded */
    if (kgi_is_float(x->type)) partial[0] = x->type == KG_F32 ? count_of_steps(m, x->arg[0], lane) : (double)NAN;
    else if (m->plan->whole[i] & KGI_WHOLE) partial[0] = m->plan->whole[i] & KGI_WHOLE_LOST ? (double)NAN : step_size(m, i, lane);
    else if (kgi_is_float(kgi_type_at(m->plan->program, x->arg[0]))) partial[0] = 0;
    else if (is_of_width(m, x->arg[0], (kg_type)x->type)) partial[0] = 1;
    break;
  case KGI_OP_not: case KGI_OP_neg: partial[0] = -step_ratio(f, bits_at(m, x->arg[0], lane) & f.all, bits_at(m, i, lane) & f.all); break;
  case KGI_OP_bit_extract:
    if (!moving[1] && !moving[2] && bits_at(m, x->arg[1], lane) % f.width >= f.point) partial[0] = 0;
    break;
  case KGI_OP_add: case KGI_OP_sub: case KGI_OP_and: case KGI_OP_or: case KGI_OP_xor: case KGI_OP_shr:
    two(m, i, lane, moving, partial);
    break;
  default: break;
  }
}

void kgi_bits_partials(kgi_machine *m, uint32_t i, const kgi_mask *mask) {
  for (uint32_t l = mask->first; l < mask->end; l++) {
    double partial[4] = {0};
    if (m->moving[l]) in_lane(m, i, l, partial);
    for (unsigned a = 0; a < 4; a++) m->row[4 + a][l] = partial[a];
  }
}

bool kgi_bits_are_float(const kgi_machine *m, uint32_t value, uint32_t lane) {
  bool known = true;
  for (uint32_t k = 0; m->magnitude[value] && k < m->tangents; k++)
    known &= !isnan(m->magnitude[value][(size_t)k * m->lanes + lane]);
  return known;
}
