/* What comes from where: a value from its operands and from the memory that it is loaded from, memory from what is stored there. What
 * decides a branch or a loop decides everything, and so it is of modules with several programs, and of views. */
#include "fuzz/ask/exact.h"

#include <stdlib.h>
#include <string.h>

typedef struct flow { const kgi_program *p; uint8_t *value, *object, all; bool grew; } flow;

static void add(flow *f, uint8_t *to, uint8_t what) {
  f->grew = f->grew || (what & ~*to);
  *to |= what;
}

/* The bits of a float, of which a NaN has several. */
static bool looks_at_bits(const kgi_inst *inst) {
  kgi_rule rule = (kgi_rule)kgi_op_rows[inst->op].rule;
  return rule == KGI_RULE_BITCAST || rule == KGI_RULE_PACK;
}

static uint8_t begins(const kgi_program *p, const kgi_inst *inst) {
  if (inst->kind == KGI_op) {
    bool rounds = kgi_op_rows[inst->op].flags & KGI_FUNCTION || inst->op == KGI_OP_rsqrt;
    return (uint8_t)((rounds ? KGI_LOOSE_ROUNDING : 0) | (looks_at_bits(inst) ? KGI_LOOSE_WHICH : 0));
  }
  if (inst->kind == KGI_subgroup) return kgi_is_float(inst->type) && inst->op < KGI_SUBGROUP_broadcast ? KGI_LOOSE_ROUNDING : 0;
  if (inst->kind != KGI_atomic) return 0;
  bool adds = inst->op == KGI_ATOMIC_add && kgi_is_float(p->scope.object[inst->arg[0]].type);
  return (uint8_t)(KGI_LOOSE_WHICH | (adds ? KGI_LOOSE_ROUNDING : 0));
}

static void visit(flow *f, uint32_t i) {
  const kgi_inst *inst = &f->p->inst[i];
  kgi_span operands = kgi_operands(inst);
  uint8_t what = begins(f->p, inst);
  uint32_t object = kgi_object_of(inst);
  for (unsigned k = 0; k < operands.count; k++) what |= f->value[inst->arg[operands.first + k]];
  if (kgi_reads(inst)) what |= f->object[object];
  add(f, &f->value[i], what);
  if (kgi_writes(inst)) add(f, &f->object[object], what);
  if (!kgi_is_expression(inst) && !kgi_touches(inst)) add(f, &f->all, what);
}

static bool has_views(const kgi_program *p) {
  for (uint32_t o = 1; o < p->scope.object_count; o++)
    if (p->scope.object[o].view) return true;
  return false;
}

/* Into `of`, by the program's objects; the union of all is returned. */
static uint8_t follow(flow *f) {
  do {
    f->grew = false;
    KGI_EACH_INSIDE(f->p, KGI_BODY, i) visit(f, i);
  } while (f->grew);
  uint8_t all = f->all;
  for (uint32_t o = 1; o < f->p->scope.object_count; o++) all |= f->object[o];
  return all;
}

bool kgi_looseness(const kg_module *m, uint8_t *of) {
  uint32_t buffers = kg_module_buffer_count(m);
  uint8_t all = 0;
  memset(of, 0, buffers);
  for (uint32_t k = 1; k < m->program_count; k++) {
    const kgi_program *p = m->program[k];
    flow f = {.p = p, .value = calloc(p->inst_count, 1), .object = calloc(p->scope.object_count, 1)};
    bool room = f.value && f.object;
    uint8_t together = room ? follow(&f) : 0;
    all |= m->lone && !has_views(p) ? f.all : together;
    for (uint32_t i = 0; room && m->lone && i < buffers; i++) of[i] |= f.object[i + 1]; /* the scopes mirror one another */
    free(f.value), free(f.object);
    if (!room) return false;
  }
  for (uint32_t i = 0; i < buffers; i++) of[i] |= all;
  return true;
}
