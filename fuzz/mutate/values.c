/* Other values. */
#include "foundation/ir/bits.h"
#include "fuzz/mutate/parts.h"

static const kgi_inst *at(const kgi_mutant_program *m, uint32_t i) { return &m->b.p->inst[i]; }

static bool has_operands(const kgi_mutant_program *m, uint32_t i) { return kgi_operands(at(m, i)).count && at(m, i)->kind != KGI_while; }

static void set(kgi_mutant_program *m, uint32_t i, unsigned k, kgi_val by) { m->b.p->inst[i].arg[k] = by.i; }

bool kgi_mutate_operand(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, has_operands);
  unsigned k = i ? kgi_pick_operand(m, i) : KGI_NO_ARG;
  if (k == KGI_NO_ARG) return false;
  uint32_t by = kgi_pick_value(m, i, (kg_type)at(m, at(m, i)->arg[k])->type, at(m, i)->arg[k]);
  if (by) set(m, i, k, (kgi_val){by});
  return by;
}

static bool is_op(const kgi_mutant_program *m, uint32_t i) { return at(m, i)->kind == KGI_op && at(m, i)->op != KGI_OP_flat_index; }

bool kgi_mutate_operation(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_op), fit[KGI_OP_COUNT], count = 0;
  if (!i) return false;
  const kgi_op_row *row = &kgi_op_rows[at(m, i)->op];
  for (uint32_t op = 0; op < KGI_OP_COUNT; op++) {
    const kgi_op_row *other = &kgi_op_rows[op];
    bool numbers = row->rule == KGI_RULE_NUM && kgi_is_float(at(m, i)->type) && other->rule == KGI_RULE_FLT;
    if (op != at(m, i)->op && other->arity == row->arity && (other->rule == row->rule || numbers)) fit[count++] = op;
  }
  if (count) m->b.p->inst[i].op = (uint8_t)fit[kgi_draw(m, count)];
  return count;
}

bool kgi_mutate_swapped(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_op);
  if (!i || kgi_op_rows[at(m, i)->op].arity < 2) return false;
  unsigned x = at(m, i)->op == KGI_OP_select, y = x + 1;
  uint32_t first = at(m, i)->arg[x], second = at(m, i)->arg[y];
  if (at(m, first)->type != at(m, second)->type) return false;
  set(m, i, x, (kgi_val){second}), set(m, i, y, (kgi_val){first});
  return true;
}

static unsigned literal_of(const kgi_mutant_program *m, uint32_t i) {
  kgi_span span = kgi_operands(at(m, i));
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (at(m, i)->arg[k] && at(m, at(m, i)->arg[k])->kind == KGI_literal) return k;
  return KGI_NO_ARG;
}

static bool has_literal(const kgi_mutant_program *m, uint32_t i) { return literal_of(m, i) != KGI_NO_ARG; }

bool kgi_mutate_number(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, has_literal);
  if (!i) return false;
  unsigned k = literal_of(m, i);
  const kgi_inst *was = at(m, at(m, i)->arg[k]);
  kg_type type = (kg_type)was->type;
  if (type == KG_BOOL) return set(m, i, k, kgi_bool(&m->b, !kgi_literal_bits(was))), true;
  static const int more[] = {1, -1, 2, -2, 3};
  if (kgi_is_float(type)) {
    double x = kgi_bits_to_double(type, kgi_literal_bits(was)), by[] = {0, 1, -1, -x, x + 0.25, x / 2};
    return set(m, i, k, kgi_float(&m->b, type, by[kgi_draw(m, 6)])), true;
  }
  int64_t x = kgi_bits_to_int(type, kgi_literal_bits(was));
  set(m, i, k, kgi_int(&m->b, type, kgi_draw(m, 6) ? x + more[kgi_draw(m, 5)] : 0));
  return true;
}

/* ---- indices ---- */

static bool has_index(const kgi_mutant_program *m, uint32_t i) { return kgi_touches(at(m, i)) && at(m, i)->arg[1]; }

static kgi_val other_index(kgi_mutant_program *m, uint32_t i, kgi_val was) {
  kgi_builder *b = &m->b;
  kg_type type = kgi_type_of(b->p, was);
  kgi_val one = kgi_int(b, type, 1), two = kgi_int(b, type, 2);
  switch (kgi_draw(m, 9)) {
  case 0: return kgi_op2(b, KGI_OP_add, was, one);
  case 1: return kgi_op2(b, KGI_OP_sub, was, one);
  case 2: return kgi_op2(b, KGI_OP_div, was, two);
  case 3: return kgi_op2(b, KGI_OP_mul, was, two);
  case 4: return kgi_op2(b, KGI_OP_xor, was, one);
  case 5: return kgi_op2(b, KGI_OP_and, was, kgi_int(b, type, -2));
  case 6: return kgi_int(b, type, kgi_draw(m, 2));
  case 7: {
    kgi_val length = kgi_len_value(b, (kgi_obj){at(m, i)->arg[0]}), last = kgi_op2(b, KGI_OP_sub, length, kgi_u32(b, 1));
    return kgi_op2(b, KGI_OP_sub, kgi_convert(b, type, last), was);
  }
  default: return (kgi_val){kgi_pick_value(m, i, type, was.i)};
  }
}

/* Along one dimension, where there are several. */
static uint32_t holder_of_index(kgi_mutant_program *m, uint32_t i, unsigned *k) {
  *k = 1;
  for (uint32_t next = at(m, i)->arg[1]; at(m, next)->kind == KGI_op && at(m, next)->op == KGI_OP_flat_index; next = at(m, next)->arg[1]) {
    i = next, *k = 0;
    if (kgi_draw(m, 2)) break;
  }
  return i;
}

bool kgi_mutate_index(kgi_mutant_program *m) {
  uint32_t access = kgi_pick(m, has_index);
  unsigned k;
  if (!access) return false;
  uint32_t i = holder_of_index(m, access, &k);
  kgi_val was = {at(m, i)->arg[k]};
  m->b.at = kgi_before(m->b.p, i);
  if (at(m, was.i)->op == KGI_OP_flat_index && at(m, was.i)->kind == KGI_op) return false;
  kgi_val by = other_index(m, access, was);
  if (by.i) set(m, i, k, by);
  return by.i;
}

/* ---- between a value and who uses it ---- */

static bool uses_number(const kgi_mutant_program *m, uint32_t i) {
  return kgi_operands(at(m, i)).count && at(m, i)->kind != KGI_while && at(m, i)->kind != KGI_if;
}

bool kgi_mutate_through(kgi_mutant_program *m) {
  static const kg_type types[] = {KG_F32, KG_I32, KG_U32, KG_F32, KG_F16};
  uint32_t i = kgi_pick(m, uses_number);
  unsigned k = i ? kgi_pick_operand(m, i) : KGI_NO_ARG;
  if (k == KGI_NO_ARG || at(m, i)->kind == KGI_for) return false;
  kgi_val x = {at(m, i)->arg[k]};
  kg_type type = kgi_type_of(m->b.p, x), over = types[kgi_draw(m, 5)];
  m->b.at = kgi_before(m->b.p, i);
  if (type == KG_BOOL || type == over) return false;
  set(m, i, k, kgi_convert(&m->b, type, kgi_convert(&m->b, over, x)));
  return true;
}

bool kgi_mutate_chosen(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, uses_number);
  unsigned k = i ? kgi_pick_operand(m, i) : KGI_NO_ARG;
  if (k == KGI_NO_ARG) return false;
  kgi_val x = {at(m, i)->arg[k]}, other = {kgi_pick_value(m, i, kgi_type_of(m->b.p, x), x.i)};
  if (!other.i) return false;
  kgi_val c = kgi_pick_condition(m, i);
  set(m, i, k, kgi_op3(&m->b, KGI_OP_select, c, x, other));
  return true;
}
