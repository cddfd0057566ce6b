/* Rows that are made of other rows: their programs are emitted with the row's operands in the params' place. */
#include "spirv/lower/gen.h"

typedef struct expansion {
  kgi_emit *e;
  const kgi_lowered *row;
  const uint32_t *operand;
  uint32_t content[KGI_LOWERED_VARS + 1]; /* of each var, by object: what it holds; 0: nothing yet */
} expansion;

static uint32_t value(const expansion *x, uint32_t i) {
  const kgi_inst *inst = &x->row->program->inst[i];
  if (inst->kind == KGI_param) return x->operand[inst->arg[0] - 1];
  return inst->kind == KGI_literal ? kgi_spv_const(&x->e->s, inst->type, kgi_literal_bits(inst)) : x->row->room[i];
}

/* What the language defines past the range of an operation costs, and does not occur here (foundation/lower/lower.h): these rows
 * are their instruction alone. Nop: there is more to it. */
static SpvOp unguarded(kgi_op op, unsigned type, unsigned from) {
  bool is_signed = kgi_type_kind_of(type) == KGI_SINT;
  if (op == KGI_OP_shl) return SpvOpShiftLeftLogical;
  if (op == KGI_OP_shr) return is_signed ? SpvOpShiftRightArithmetic : SpvOpShiftRightLogical;
  if (op == KGI_OP_rem && type == KG_U32) return SpvOpUMod;
  if (op != KGI_OP_convert || !kgi_is_float(from) || !kgi_is_int(type)) return SpvOpNop;
  return is_signed ? SpvOpConvertFToS : SpvOpConvertFToU;
}

static uint32_t operation(const expansion *x, const kgi_inst *inst) {
  kgi_emit *e = x->e;
  kgi_op op = (kgi_op)inst->op;
  unsigned from = x->row->program->inst[inst->arg[op == KGI_OP_select]].type, arity = kgi_op_rows[op].arity;
  uint32_t a[4] = {0};
  for (unsigned k = 0; k < arity; k++) a[k] = value(x, inst->arg[k]);
  SpvOp plain = unguarded(op, inst->type, from);
  if (plain == SpvOpNop) return kgi_gen_op(e, op, inst->type, from, a);
  return kgi_spv_value(&e->s, plain, kgi_spv_type(&e->s, inst->type), a, arity);
}

static void simple(expansion *x, uint32_t i) {
  const kgi_inst *inst = &x->row->program->inst[i];
  if (inst->kind == KGI_op) x->row->room[i] = operation(x, inst);
  if (inst->kind == KGI_load) x->row->room[i] = x->content[inst->arg[0]];
  if (inst->kind == KGI_store) x->content[inst->arg[0]] = value(x, inst->arg[2]);
}

/* What it stores is joined with what the vars held before. */
static void branch(expansion *x, const kgi_inst *inst) {
  const kgi_program *p = x->row->program;
  kgi_spv *s = &x->e->s;
  expansion inside = *x;
  uint32_t before = s->label, merge = kgi_spv_if(s, value(x, inst->arg[0]));
  KGI_EACH(p, inst->arg[1], i) simple(&inside, i);
  uint32_t last = s->label;
  kgi_spv_endif(s, merge);
  for (uint32_t v = 1; v < p->scope.object_count; v++) {
    if (inside.content[v] == x->content[v]) continue;
    uint32_t type = kgi_spv_type(s, p->scope.object[v].type);
    x->content[v] = KGI_VALUE(s, SpvOpPhi, type, inside.content[v], last, x->content[v], before);
  }
}

uint32_t kgi_gen_lowered(kgi_emit *e, kgi_op op, unsigned type, const uint32_t *a) {
  const kgi_lowered *row = kgi_lower(&e->lowering, op, type);
  if (!row) return kgi_emit_refuse(e, e->lowering.status), 0;
  expansion x = {.e = e, .row = row, .operand = a};
  KGI_EACH(row->program, KGI_BODY, i) {
    const kgi_inst *inst = &row->program->inst[i];
    if (inst->kind == KGI_if) branch(&x, inst);
    else simple(&x, i);
  }
  return value(&x, row->result);
}
