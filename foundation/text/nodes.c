#include "foundation/text/nodes.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/place.h"
#include "foundation/ir/number.h"
#include "foundation/ir/validate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what rules say of literals ---- */

kg_type kgi_rule_operand(kgi_rule rule, unsigned arity, unsigned i) {
  switch (rule) {
  case KGI_RULE_BITS: return i + 2 >= arity ? KG_U32 : KG_NONE;
  case KGI_RULE_PLACE: return i > 0 ? KG_U32 : KG_NONE;
  case KGI_RULE_LDEXP: return i == 1 ? KG_I32 : KG_NONE;
  case KGI_RULE_SELECT: return i == 0 ? KG_BOOL : KG_NONE;
  case KGI_RULE_PACK: return KG_F32;
  case KGI_RULE_UNPACK: return KG_U32;
  case KGI_RULE_LANE: return i == 1 ? KG_U32 : KG_NONE;
  case KGI_RULE_BALLOT: return i == 0 ? KG_BOOL : KG_U32;
  case KGI_RULE_VOTE: return KG_BOOL;
  case KGI_RULE_NUM: case KGI_RULE_FLT: case KGI_RULE_INT: case KGI_RULE_LOGIC: case KGI_RULE_FTEST: case KGI_RULE_SAME:
  case KGI_RULE_CMP: case KGI_RULE_CONVERT: case KGI_RULE_BITCAST: case KGI_RULE_ANY: case KGI_RULE_NONE: break;
  }
  return KG_NONE;
}

kg_type kgi_rule_result(kgi_rule rule, kg_type stated) {
  switch (rule) {
  case KGI_RULE_FTEST: case KGI_RULE_SAME: case KGI_RULE_CMP: case KGI_RULE_VOTE: case KGI_RULE_NONE: return KG_BOOL;
  case KGI_RULE_PACK: case KGI_RULE_BALLOT: case KGI_RULE_PLACE: return KG_U32;
  case KGI_RULE_UNPACK: return KG_F32;
  case KGI_RULE_CONVERT: case KGI_RULE_BITCAST: return stated;
  case KGI_RULE_NUM: case KGI_RULE_FLT: case KGI_RULE_INT: case KGI_RULE_LOGIC: case KGI_RULE_BITS: case KGI_RULE_LDEXP:
  case KGI_RULE_SELECT: case KGI_RULE_ANY: case KGI_RULE_LANE: break;
  }
  return KG_NONE;
}

static bool wants_float(kgi_rule rule) { return rule == KGI_RULE_FLT || rule == KGI_RULE_LDEXP || rule == KGI_RULE_FTEST; }

static kgi_rule rule_of(const kgi_node *x) {
  return (kgi_rule)(x->kind == KGI_NODE_OP ? kgi_op_rows[x->op].rule : kgi_subgroup_rows[x->op].rule);
}

static bool by_rule(const kgi_node *x) { return x->kind == KGI_NODE_OP || x->kind == KGI_NODE_SUBGROUP; }

static kg_type default_type(const kgi_nodes *n, bool floating) {
  if (n->literal_type != KG_NONE) return n->literal_type;
  return floating ? KG_F32 : KG_I32;
}

/* ---- making nodes ---- */

/* Operands that must be alike, as they are met one after the other. */
typedef struct group { kg_type type, index_type; uint32_t loop; bool floating, any; } group;

static void group_add(kgi_nodes *n, group *g, const kgi_node *operand, kgi_pos pos) {
  g->any = true;
  g->floating |= operand->type == KG_NONE && operand->floating;
  if (!operand->loop) {
    if (g->type == KG_NONE) g->type = (kg_type)operand->type;
    return;
  }
  if (!g->loop) g->index_type = (kg_type)operand->type;
  g->loop = g->loop ? n->joins(n->user, g->loop, operand->loop, pos) : operand->loop;
}

/* An index is of the type of what it meets. */
static void group_end(kgi_nodes *n, group *g, kgi_pos pos) {
  if (g->loop && g->type != KG_NONE) n->meets(n->user, g->loop, g->type, pos), g->loop = 0;
  if (g->type == KG_NONE) g->type = g->index_type;
}

static void infer(kgi_nodes *n, kgi_node *x) {
  kgi_rule rule = rule_of(x);
  group g = {.floating = wants_float(rule)};
  kg_type stated = (kg_type)x->type;
  for (unsigned i = 0; i < x->arity; i++)
    if (kgi_rule_operand(rule, x->arity, i) == KG_NONE) group_add(n, &g, &n->at[x->arg[i]], x->pos);
  group_end(n, &g, x->pos);
  x->type = (uint8_t)kgi_rule_result(rule, stated);
  if (x->type != KG_NONE && g.any && g.type == KG_NONE) g.type = default_type(n, g.floating);
  if (x->type == KG_NONE) x->type = (uint8_t)g.type, x->loop = g.loop;
  x->group = (uint8_t)g.type;
  x->floating = g.floating;
}

/* A function of `real`: like an operation of floats. */
static void infer_call(kgi_nodes *n, kgi_node *x) {
  const kgi_template *t = &n->templates[x->index];
  group g = {.floating = true};
  for (unsigned i = 0; i < t->params; i++)
    if (t->open >> i & 1) group_add(n, &g, &n->at[n->arg[x->arg[0] + i]], x->pos);
  group_end(n, &g, x->pos);
  if (t->open_result) x->type = (uint8_t)g.type, x->loop = g.loop;
  else if (g.type == KG_NONE) g.type = default_type(n, true);
  x->group = (uint8_t)g.type;
  x->floating = true;
}

static bool is_generic_call(const kgi_nodes *n, const kgi_node *x) {
  return x->kind == KGI_NODE_CALL && kgi_is_generic(&n->templates[x->index]);
}

static bool grow(kgi_nodes *n) {
  if (n->count < n->cap) return true;
  if (n->arena) return kgi_arena_grow(n->arena, &n->at, n->count, &n->cap, sizeof *n->at) || (kgi_fail(n->b, KG_NO_MEMORY), false);
  kgi_fail(n->b, KG_INVALID);
  return false;
}

uint32_t kgi_nodes_add(kgi_nodes *n, kgi_node node) {
  if (!grow(n)) return KGI_NO_NODE;
  if (by_rule(&node)) infer(n, &node);
  else if (is_generic_call(n, &node)) infer_call(n, &node);
  n->at[n->count] = node;
  return n->count++;
}

static bool is_bare(const kgi_node *x) { return x->kind == KGI_NODE_LITERAL && x->type == KG_NONE; }

uint32_t kgi_nodes_op(kgi_nodes *n, kgi_op op, const uint32_t *args, unsigned count, kg_type stated, kgi_pos pos) {
  kgi_node node = {.kind = KGI_NODE_OP, .op = (uint8_t)op, .type = (uint8_t)stated, .arity = (uint8_t)count, .pos = pos};
  for (unsigned i = 0; i < count; i++) {
    if (args[i] == KGI_NO_NODE) return KGI_NO_NODE;
    node.arg[i] = args[i];
  }
  kgi_node *first = &n->at[args[0]];
  if (op == KGI_OP_convert && is_bare(first)) {
    first->type = (uint8_t)stated;
    return args[0];
  }
  return kgi_nodes_add(n, node);
}

/* ---- types travel down ---- */

static void give_open(kgi_nodes *n, uint32_t node, kg_type type) {
  if (n->at[node].type == KG_NONE) n->at[node].type = (uint8_t)type;
}

void kgi_nodes_want(kgi_nodes *n, uint32_t node, kg_type type) {
  if (node == KGI_NO_NODE || type == KG_NONE) return;
  const kgi_node *x = &n->at[node];
  if (x->loop) n->meets(n->user, x->loop, type, x->pos);
  else give_open(n, node, type);
}

uint32_t kgi_nodes_alike(kgi_nodes *n, const uint32_t *nodes, unsigned count) {
  group g = {.loop = 0};
  for (unsigned i = 0; i < count; i++)
    if (nodes[i] == KGI_NO_NODE) return 0;
  kgi_pos pos = n->at[nodes[0]].pos;
  for (unsigned i = 0; i < count; i++) group_add(n, &g, &n->at[nodes[i]], pos);
  group_end(n, &g, pos);
  for (unsigned i = 0; i < count; i++) give_open(n, nodes[i], g.type != KG_NONE ? g.type : default_type(n, g.floating));
  return g.loop;
}

static void want_operands(kgi_nodes *n, const kgi_node *x) {
  kgi_rule rule = rule_of(x);
  for (unsigned i = 0; i < x->arity; i++) {
    kg_type fixed = kgi_rule_operand(rule, x->arity, i);
    if (fixed != KG_NONE) kgi_nodes_want(n, x->arg[i], fixed);
    else give_open(n, x->arg[i], (kg_type)x->group);
  }
}

static void want_memory_operands(kgi_nodes *n, const kgi_node *x) {
  for (unsigned i = 1; i < x->arity; i++) kgi_nodes_want(n, x->arg[i], (kg_type)x->group);
}

static void want_arguments(kgi_nodes *n, const kgi_node *x) {
  const kgi_template *t = &n->templates[x->index];
  for (unsigned i = 0; i < t->params; i++) {
    uint32_t arg = n->arg[x->arg[0] + i];
    if (t->open >> i & 1) give_open(n, arg, (kg_type)x->group);
    else kgi_nodes_want(n, arg, (kg_type)t->inst[i].type);
  }
}

void kgi_nodes_settle(kgi_nodes *n) {
  for (uint32_t i = n->count; i-- > 0;) {
    kgi_node *x = &n->at[i];
    if (x->type == KG_NONE) x->type = (uint8_t)default_type(n, x->floating);
    if (x->group == KG_NONE && (by_rule(x) || is_generic_call(n, x))) x->group = x->type;
    if (by_rule(x)) {
      want_operands(n, x);
    } else if (x->kind == KGI_NODE_ATOMIC) {
      want_memory_operands(n, x);
    } else if (x->kind == KGI_NODE_CALL) {
      want_arguments(n, x);
    }
  }
}

/* ---- literals ---- */

/* Whether an integer is a value of the float type: its odd part fits the significand, its size the exponent. */
static bool int_is_float(kg_type type, uint64_t magnitude) {
  unsigned significand = type == KG_F16 ? 11 : type == KG_F32 ? 24 : 53;
  if (magnitude == 0) return true;
  if (type == KG_F16 && magnitude > 65504) return false;
  return magnitude >> __builtin_ctzll(magnitude) <= (UINT64_C(1) << significand) - 1;
}

static bool int_fits(kg_type type, uint64_t magnitude, bool negative) {
  bool is_signed = kgi_type_kind_of(type) == KGI_SINT;
  uint64_t largest = UINT64_MAX >> (64 - kgi_type_bits(type) + is_signed);
  if (!negative) return magnitude <= largest;
  return is_signed ? magnitude <= largest + 1 : magnitude == 0;
}

static bool bad_literal(kgi_nodes *n, const kgi_node *x, kgi_diag_id id) {
  char text[KGI_NUMBER_TEXT];
  if (x->is_float) kgi_double_text(x->number, 9, text);
  else snprintf(text, sizeof text, "%s%" PRIu64, x->negative ? "-" : "", x->magnitude);
  kgi_diag_emit(n->b->diags, id, x->pos, (const char *const[]){text, kg_type_name((kg_type)x->type), NULL});
  kgi_fail(n->b, KG_INVALID);
  return false;
}

static bool float_literal_bits(kgi_nodes *n, const kgi_node *x, uint64_t *bits) {
  kg_type type = (kg_type)x->type;
  double number = x->is_float ? x->number : x->negative ? -(double)x->magnitude : (double)x->magnitude;
  if (!x->is_float && !int_is_float(type, x->magnitude)) return bad_literal(n, x, KGI_DIAG_literal_inexact);
  *bits = kgi_float_bits(type, number);
  uint64_t infinite = kgi_float_bits(type, (double)INFINITY), sign = UINT64_C(1) << (kgi_type_bits(type) - 1);
  if (isfinite(number) && (*bits & ~sign) == infinite) return bad_literal(n, x, KGI_DIAG_literal_range);
  return true;
}

bool kgi_node_bits(kgi_nodes *n, const kgi_node *x, uint64_t *bits) {
  kg_type type = (kg_type)x->type;
  if (x->kind != KGI_NODE_LITERAL) return false;
  if (type == KG_BOOL && x->group == KG_BOOL) return *bits = x->magnitude, true;
  if (kgi_is_float(type) && kgi_type_computes(type)) return float_literal_bits(n, x, bits);
  if (!kgi_is_int(type) || !kgi_type_computes(type)) {
    if (kgi_type_computes(type)) return bad_literal(n, x, KGI_DIAG_literal_type);
    KGI_DIAG(n->b->diags, storage_type, x->pos, kg_type_name(type), kg_type_name(kgi_type_value(type)));
    return kgi_fail(n->b, KG_INVALID), false;
  }
  if (x->is_float) return bad_literal(n, x, KGI_DIAG_literal_type);
  if (!int_fits(type, x->magnitude, x->negative)) return bad_literal(n, x, KGI_DIAG_literal_range);
  *bits = (x->negative ? 0 - x->magnitude : x->magnitude) & UINT64_MAX >> (64 - kgi_type_bits(type));
  return true;
}

/* ---- building ---- */

static kgi_val arg_value(const kgi_nodes *n, const kgi_node *x, unsigned i) {
  return x->arg[i] == KGI_NO_NODE ? (kgi_val){0} : n->at[x->arg[i]].value;
}

static kgi_val build_op(kgi_nodes *n, const kgi_node *x) {
  kgi_val args[4];
  for (unsigned i = 0; i < x->arity; i++) args[i] = arg_value(n, x, i);
  if (x->op == KGI_OP_convert) return kgi_convert(n->b, (kg_type)x->type, args[0]);
  if (x->op == KGI_OP_bitcast) return kgi_bitcast(n->b, (kg_type)x->type, args[0]);
  return kgi_apply(n->b, (kgi_op)x->op, args, x->arity);
}

static kgi_val build_template_inst(kgi_builder *b, const kgi_template *t, const kgi_inst *inst) {
  kgi_val args[4];
  kg_type type = (kg_type)inst->type;
  if (inst->kind == KGI_literal) return kgi_literal_of(b, type, kgi_literal_bits(inst));
  unsigned arity = kgi_op_rows[inst->op].arity;
  for (unsigned i = 0; i < arity; i++) args[i] = t->value[inst->arg[i]];
  if (inst->op == KGI_OP_convert) return kgi_convert(b, type, args[0]);
  if (inst->op == KGI_OP_bitcast) return kgi_bitcast(b, type, args[0]);
  return kgi_apply(b, (kgi_op)inst->op, args, arity);
}

static bool spend(kgi_nodes *n, uint32_t instructions, kgi_pos pos) {
  if (instructions <= n->budget) return n->budget -= instructions, true;
  KGI_DIAG(n->b->diags, inlining, pos, "");
  kgi_fail(n->b, KG_INVALID);
  return false;
}

const kg_type kgi_reals[KGI_REALS] = {KG_F32, KG_F16, KG_F64};

/* What is called: of a function of `real` the template of the type that it stands for here. Where that is no float, the first one,
 * whose argument or result then does not match. */
static const kgi_template *callee_of(const kgi_nodes *n, const kgi_node *x) {
  const kgi_template *t = &n->templates[x->index];
  for (unsigned i = 0; kgi_is_generic(t) && i < KGI_REALS; i++)
    if (kgi_reals[i] == x->group) return t + i;
  return t;
}

static kgi_val build_call(kgi_nodes *n, const kgi_node *x) {
  const kgi_template *t = callee_of(n, x);
  if (!spend(n, t->count, x->pos)) return (kgi_val){0};
  for (uint32_t i = 0; i < t->params; i++) {
    t->value[i] = n->at[n->arg[x->arg[0] + i]].value;
    kg_type want = (kg_type)t->inst[i].type, got = n->b->p ? kgi_type_of(n->b->p, t->value[i]) : KG_NONE;
    if (n->b->status != KG_OK || want == got) continue;
    KGI_DIAG(n->b->diags, type_mismatch, n->at[n->arg[x->arg[0] + i]].pos, kg_type_name(want), kg_type_name(got));
    return kgi_fail(n->b, KG_INVALID), (kgi_val){0};
  }
  for (uint32_t i = t->params; i < t->count && n->b->status == KG_OK; i++) t->value[i] = build_template_inst(n->b, t, &t->inst[i]);
  return t->value[t->result];
}

static kgi_val build_literal(kgi_nodes *n, const kgi_node *x) {
  uint64_t bits;
  return kgi_node_bits(n, x, &bits) ? kgi_literal_of(n->b, (kg_type)x->type, bits) : (kgi_val){0};
}

static kgi_val build_place(kgi_nodes *n, const kgi_node *x) {
  kgi_val index[KGI_MAX_RANK];
  for (unsigned i = 0; i < x->arity; i++) index[i] = arg_value(n, x, i);
  return kgi_place(n->b, (kgi_obj){x->index}, index, x->arity);
}

static kgi_val build_node(kgi_nodes *n, const kgi_node *x) {
  kgi_builder *b = n->b;
  switch ((kgi_node_kind)x->kind) {
  case KGI_NODE_LITERAL: return build_literal(n, x);
  case KGI_NODE_VALUE: return (kgi_val){x->index};
  case KGI_NODE_PARAM: return kgi_param_value(b, x->index);
  case KGI_NODE_SPEC: return kgi_spec_value(b, x->index);
  case KGI_NODE_ID: return kgi_id_value(b, (kgi_id)x->op, x->index);
  case KGI_NODE_LEN: return x->op ? kgi_extent_value(b, (kgi_obj){x->index}, x->op - 1u) : kgi_len_value(b, (kgi_obj){x->index});
  case KGI_NODE_INDEX: return (kgi_val){0};
  case KGI_NODE_OP: return build_op(n, x);
  case KGI_NODE_LOAD: return kgi_load(b, (kgi_obj){x->index}, arg_value(n, x, 0));
  case KGI_NODE_ATOMIC:
    return kgi_atomic_op(b, (kgi_atomic)x->op, (kgi_obj){x->index}, arg_value(n, x, 0),
                         x->arity > 1 ? arg_value(n, x, 1) : (kgi_val){0}, x->arity > 2 ? arg_value(n, x, 2) : (kgi_val){0});
  case KGI_NODE_SUBGROUP:
    return kgi_subgroup_op(b, (kgi_subgroup)x->op, x->arity > 0 ? arg_value(n, x, 0) : (kgi_val){0},
                           x->arity > 1 ? arg_value(n, x, 1) : (kgi_val){0});
  case KGI_NODE_CALL: return build_call(n, x);
  case KGI_NODE_PLACE: return build_place(n, x);
  }
  return (kgi_val){0};
}

void kgi_nodes_build(kgi_nodes *n, uint32_t from) {
  for (uint32_t i = from; i < n->count && n->b->status == KG_OK; i++) {
    n->b->pos = n->at[i].pos;
    n->at[i].value = build_node(n, &n->at[i]);
  }
}

/* ---- templates ---- */

uint32_t kgi_template_add(kgi_nodes *n, kgi_template *t, kgi_inst inst) {
  enum { LARGEST = 10000 };
  if (n->b->status != KG_OK) return 0;
  if (t->count >= LARGEST) {
    KGI_DIAG(n->b->diags, too_large, n->b->pos, "the number of operations in a function", KGI_NUM(LARGEST));
    return kgi_fail(n->b, KG_INVALID), 0;
  }
  if (!kgi_arena_grow(n->arena, &t->inst, t->count, &t->cap, sizeof *t->inst)) return kgi_fail(n->b, KG_NO_MEMORY), 0;
  t->inst[t->count] = inst;
  return t->count++;
}

static bool check_argument(kgi_nodes *n, kg_type want, kg_type got, kgi_pos pos) {
  if (want == got || n->b->status != KG_OK) return n->b->status == KG_OK;
  KGI_DIAG(n->b->diags, type_mismatch, pos, kg_type_name(want), kg_type_name(got));
  kgi_fail(n->b, KG_INVALID);
  return false;
}

/* Splices a function into another, so that what is inlined at last is flat. */
static uint32_t template_call(kgi_nodes *n, const kgi_node *x, kgi_template *t) {
  const kgi_template *callee = callee_of(n, x);
  for (uint32_t i = 0; i < callee->params; i++) {
    const kgi_node *arg = &n->at[n->arg[x->arg[0] + i]];
    callee->value[i] = arg->value;
    if (!check_argument(n, (kg_type)callee->inst[i].type, (kg_type)t->inst[arg->value.i].type, arg->pos)) return 0;
  }
  for (uint32_t i = callee->params; i < callee->count && n->b->status == KG_OK; i++) {
    kgi_inst inst = callee->inst[i];
    if (inst.kind == KGI_op)
      for (unsigned k = 0; k < kgi_op_rows[inst.op].arity; k++) inst.arg[k] = callee->value[inst.arg[k]].i;
    callee->value[i] = (kgi_val){kgi_template_add(n, t, inst)};
  }
  return callee->value[callee->result].i;
}

static uint32_t template_op(kgi_nodes *n, const kgi_node *x, kgi_template *t) {
  kgi_inst inst = {.kind = KGI_op, .op = x->op};
  kg_type types[4];
  const kgi_op_row *row = &kgi_op_rows[x->op];
  for (unsigned i = 0; i < x->arity; i++) {
    inst.arg[i] = arg_value(n, x, i).i;
    types[i] = (kg_type)t->inst[inst.arg[i]].type;
  }
  if (x->op == KGI_OP_convert && types[0] == x->type) return inst.arg[0];
  inst.type = (uint8_t)kgi_rule_check((kgi_rule)row->rule, row->name, x->arity, types, (kg_type)x->type, n->b->diags, x->pos);
  if (inst.type == KG_NONE) kgi_fail(n->b, KG_INVALID);
  return kgi_template_add(n, t, inst);
}

static uint32_t template_node(kgi_nodes *n, const kgi_node *x, kgi_template *t) {
  uint64_t bits;
  switch ((kgi_node_kind)x->kind) {
  case KGI_NODE_LITERAL:
    if (!kgi_node_bits(n, x, &bits)) return 0;
    return kgi_template_add(n, t, (kgi_inst){.kind = KGI_literal, .type = x->type, .arg = {(uint32_t)bits, (uint32_t)(bits >> 32)}});
  case KGI_NODE_VALUE: return x->index;
  case KGI_NODE_OP: return template_op(n, x, t);
  case KGI_NODE_CALL: return template_call(n, x, t);
  case KGI_NODE_PARAM: case KGI_NODE_SPEC: case KGI_NODE_ID: case KGI_NODE_LEN: case KGI_NODE_INDEX: case KGI_NODE_LOAD:
  case KGI_NODE_ATOMIC: case KGI_NODE_SUBGROUP: case KGI_NODE_PLACE: break;
  }
  KGI_DIAG(n->b->diags, not_in_function, x->pos, "");
  kgi_fail(n->b, KG_INVALID);
  return 0;
}

void kgi_nodes_to_template(kgi_nodes *n, uint32_t from, kgi_template *t) {
  for (uint32_t i = from; i < n->count && n->b->status == KG_OK; i++) n->at[i].value = (kgi_val){template_node(n, &n->at[i], t)};
}

/* ---- lengths ---- */

static kgi_dim_op dim_op(kgi_op op) {
  if (op == KGI_OP_add) return KGI_DIM_ADD;
  if (op == KGI_OP_sub) return KGI_DIM_SUB;
  if (op == KGI_OP_mul) return KGI_DIM_MUL;
  if (op == KGI_OP_div) return KGI_DIM_DIV;
  if (op == KGI_OP_rem) return KGI_DIM_MOD;
  if (op == KGI_OP_min) return KGI_DIM_MIN;
  if (op == KGI_OP_max) return KGI_DIM_MAX;
  return KGI_DIM_NONE;
}

static kgi_dim dim_literal(kgi_nodes *n, const kgi_node *x, bool alone) {
  if (x->group == KG_BOOL && alone) return kgi_len_int(n->b, (int64_t)x->magnitude);
  if (x->group != KG_BOOL && x->is_float && alone) return kgi_len_float(n->b, x->number);
  if (x->group == KG_BOOL || x->is_float) return (kgi_dim){0};
  kgi_node wide = *x;
  uint64_t bits;
  wide.type = KG_I64;
  return kgi_node_bits(n, &wide, &bits) ? kgi_len_int(n->b, (int64_t)bits) : (kgi_dim){0};
}

static kgi_dim dim_node(kgi_nodes *n, kgi_node *x, bool alone) {
  if (x->kind == KGI_NODE_LITERAL) return dim_literal(n, x, alone);
  if (x->kind == KGI_NODE_PARAM) return kgi_len_param(n->b, x->index);
  if (x->kind == KGI_NODE_SPEC) return kgi_len_spec(n->b, x->index);
  if (x->kind == KGI_NODE_LEN && !x->op) return kgi_len_of(n->b, (kgi_obj){x->index});
  if (x->kind == KGI_NODE_INDEX)
    return kgi_dim_leaf(&n->b->m->arena, kgi_builder_scope(n->b), KGI_DIM_INDEX, x->index);
  if (x->kind != KGI_NODE_OP) return (kgi_dim){0};
  if (x->op == KGI_OP_neg) return kgi_len_op(n->b, KGI_DIM_SUB, kgi_len_int(n->b, 0), (kgi_dim){arg_value(n, x, 0).i});
  kgi_dim_op op = dim_op((kgi_op)x->op);
  if (op == KGI_DIM_NONE) return (kgi_dim){0};
  return kgi_len_op(n->b, op, (kgi_dim){arg_value(n, x, 0).i}, (kgi_dim){arg_value(n, x, 1).i});
}

/* Evaluation recurs over operations, so their nesting is bounded here. A node's `magnitude` counts it. */
static bool depth_fits(kgi_nodes *n, kgi_node *x) {
  uint64_t depth = 0;
  if (x->kind != KGI_NODE_OP) return true;
  for (unsigned k = 0; k < x->arity; k++) {
    const kgi_node *operand = &n->at[x->arg[k]];
    if (operand->kind == KGI_NODE_OP && operand->magnitude > depth) depth = operand->magnitude;
  }
  x->magnitude = depth + 1;
  if (x->magnitude <= KGI_MAX_DIM_DEPTH) return true;
  KGI_DIAG(n->b->diags, too_large, x->pos, "the nesting of a length", KGI_NUM(KGI_MAX_DIM_DEPTH));
  return false;
}

kgi_dim kgi_nodes_dim(kgi_nodes *n, uint32_t root) {
  if (root == KGI_NO_NODE) return (kgi_dim){0};
  for (uint32_t i = 0; i < n->count && n->b->status == KG_OK; i++) {
    kgi_node *x = &n->at[i];
    x->value = (kgi_val){dim_node(n, x, n->count == 1).i};
    if (!depth_fits(n, x)) kgi_fail(n->b, KG_INVALID);
    if (x->value.i || n->b->status != KG_OK || n->b->m->arena.failed) continue;
    if (x->kind == KGI_NODE_LEN) KGI_DIAG(n->b->diags, extent_in_length, x->pos, "");
    else KGI_DIAG(n->b->diags, not_a_length, x->pos, "");
    kgi_fail(n->b, KG_INVALID);
  }
  return (kgi_dim){n->at[root].value.i};
}
