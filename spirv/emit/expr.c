/* EXPR rows of ops.def: the expression becomes a program of its own over params, once for each type, whose instructions are then
 * emitted for each use with the operands in the params' place. */
#include "foundation/text/expr.h"
#include "spirv/lower/gen.h"

struct kgi_emit_expression {
  kgi_emit_expression *next; /* of the same row, for another type */
  unsigned type;
  const kgi_program *program;
  uint32_t result; /* an instruction of it */
  uint32_t *id;    /* room for the ids of one use */
};

static const char *const names[] = {"a", "b", "c", "d"};

static const kgi_emit_expression *failed(kgi_emit *e, kg_status status) {
  kgi_emit_refuse(e, status);
  return NULL;
}

static const kgi_emit_expression *make(kgi_emit *e, kgi_op op, const char *text, unsigned type) {
  kgi_emit_expression *x = kgi_arena_alloc(e->s.arena, 1, sizeof *x);
  if (!e->expressions) e->expressions = kgi_module_new(&e->s.arena->alloc, NULL);
  if (!x || !e->expressions) return failed(e, KG_NO_MEMORY);
  kgi_builder b;
  kgi_val operand[4], result = {0};
  kgi_builder_init(&b, e->expressions, e->diags);
  kgi_program *p = kgi_begin_program(&b, kgi_op_rows[op].name);
  unsigned arity = kgi_op_rows[op].arity;
  for (unsigned i = 0; i < arity; i++) {
    kgi_param param = {.name = kgi_intern_z(e->expressions, names[i]), .type = (uint8_t)type};
    operand[i] = kgi_param_value(&b, kgi_param_add(&b, &param));
  }
  kgi_expr(&b, text, names, operand, arity, (kg_type)type, &result);
  kgi_end_program(&b);
  if (kgi_builder_status(&b) != KG_OK) return failed(e, kgi_builder_status(&b));
  *x = (kgi_emit_expression){.next = e->expression[op], .type = type, .program = p, .result = result.i};
  x->id = kgi_arena_alloc(e->s.arena, p->inst_count, sizeof *x->id);
  if (!x->id) return failed(e, KG_NO_MEMORY);
  return e->expression[op] = x;
}

static uint32_t operand_of(kgi_emit *e, const kgi_emit_expression *x, uint32_t i, const uint32_t *a) {
  const kgi_inst *inst = &x->program->inst[i];
  if (inst->kind == KGI_param) return a[inst->arg[0] - 1];
  return inst->kind == KGI_literal ? kgi_spv_const(&e->s, inst->type, kgi_literal_bits(inst)) : x->id[i];
}

uint32_t kgi_gen_expression(kgi_emit *e, kgi_op op, const char *text, unsigned type, const uint32_t *a) {
  const kgi_emit_expression *x = e->expression[op];
  while (x && x->type != type) x = x->next;
  if (!x) x = make(e, op, text, type);
  if (!x) return 0;
  const kgi_program *p = x->program;
  KGI_EACH(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    uint32_t operand[4] = {0};
    for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++) operand[k] = operand_of(e, x, inst->arg[k], a);
    x->id[i] = kgi_gen_op(e, (kgi_op)inst->op, inst->type, p->inst[inst->arg[inst->op == KGI_OP_select]].type, operand);
  }
  return operand_of(e, x, x->result, a);
}
