/* Subgroup operations: a chunk is a subgroup. What a lane that does not run would give is 0. */
#include "c/emit.h"

typedef enum fold_kind { NO_FOLD, REDUCE, INCLUSIVE, EXCLUSIVE } fold_kind;
typedef struct fold { fold_kind kind; kgi_op op; } fold;

static fold fold_of(kgi_subgroup op) {
  static const kgi_op ops[] = {KGI_OP_add, KGI_OP_mul, KGI_OP_min, KGI_OP_max, KGI_OP_and, KGI_OP_or, KGI_OP_xor};
  switch (op) {
  case KGI_SUBGROUP_add: case KGI_SUBGROUP_mul: case KGI_SUBGROUP_min: case KGI_SUBGROUP_max: case KGI_SUBGROUP_and: case KGI_SUBGROUP_or:
  case KGI_SUBGROUP_xor:
    return (fold){REDUCE, ops[op - KGI_SUBGROUP_add]};
  case KGI_SUBGROUP_inclusive_add: case KGI_SUBGROUP_inclusive_mul: case KGI_SUBGROUP_inclusive_min: case KGI_SUBGROUP_inclusive_max:
  case KGI_SUBGROUP_inclusive_and: case KGI_SUBGROUP_inclusive_or: case KGI_SUBGROUP_inclusive_xor:
    return (fold){INCLUSIVE, ops[op - KGI_SUBGROUP_inclusive_add]};
  case KGI_SUBGROUP_exclusive_add: case KGI_SUBGROUP_exclusive_mul: case KGI_SUBGROUP_exclusive_min: case KGI_SUBGROUP_exclusive_max:
  case KGI_SUBGROUP_exclusive_and: case KGI_SUBGROUP_exclusive_or: case KGI_SUBGROUP_exclusive_xor:
    return (fold){EXCLUSIVE, ops[op - KGI_SUBGROUP_exclusive_add]};
  case KGI_SUBGROUP_broadcast: case KGI_SUBGROUP_broadcast_first: case KGI_SUBGROUP_shuffle: case KGI_SUBGROUP_shuffle_xor:
  case KGI_SUBGROUP_shuffle_up: case KGI_SUBGROUP_shuffle_down: case KGI_SUBGROUP_ballot: case KGI_SUBGROUP_any: case KGI_SUBGROUP_all:
  case KGI_SUBGROUP_elect: case KGI_SUBGROUP_COUNT:
    break;
  }
  return (fold){NO_FOLD, KGI_OP_COUNT};
}

/* Folding with it changes nothing: a sum of floats keeps -0. */
static const char *identity(kgi_op op, unsigned type) {
  bool real = kgi_is_float(type), wide = kgi_type_bits(type) == 64, is_signed = kgi_type_kind_of(type) == KGI_SINT;
  const char *ones = type == KG_BOOL ? "-1" : wide ? "UINT64_MAX" : "UINT32_MAX";
  if (op == KGI_OP_add) return real ? "-0.0" : "0";
  if (op == KGI_OP_mul) return type == KG_BOOL ? "-1" : "1";
  if (op == KGI_OP_and) return ones;
  if (op == KGI_OP_min) return real ? "__builtin_inf()" : !is_signed ? ones : wide ? "UINT64_MAX >> 1" : "UINT32_MAX >> 1";
  if (op == KGI_OP_max) return real ? "-__builtin_inf()" : !is_signed ? "0" : wide ? "(UINT64_MAX >> 1) + 1" : "(UINT32_MAX >> 1) + 1";
  return "0";
}

static const char *joined(kgi_c_emit *e, kgi_op op, unsigned type) {
  kgi_c_text text = {.arena = e->arena};
  const char *const operands[4] = {"a", "b", "b", "b"};
  if (!kgi_c_op(&text, op, type, type, operands, true) || !text.at) kgi_c_refuse(e, KG_REFUSED);
  return text.at ? text.at : "a";
}

/* A function of the file that folds what lanes have, each for itself or all of them alike. */
static const char *fold_function(kgi_c_emit *e, fold f, unsigned type) {
  static const char *const kinds[] = {[REDUCE] = "FOLD", [INCLUSIVE] = "SCAN", [EXCLUSIVE] = "SCAN_BEFORE"};
  static const char *const names[] = {[REDUCE] = "fold", [INCLUSIVE] = "scan", [EXCLUSIVE] = "scan_before"};
  const char *name = kgi_c_format(e, "kg_%s_%s_%s", names[f.kind], kgi_op_rows[f.op].name, kg_type_name((kg_type)type));
  uint32_t key = (uint32_t)f.op * 64 + f.kind * 16 + type;
  if (e->folds[key]) return name;
  e->folds[key] = true;
  const char *unit = identity(f.op, type), *nothing = f.op == KGI_OP_add ? ", 0" : kgi_c_format(e, ", %s", unit);
  kgi_c_put(&e->made, "KG_%s(%s, %s, %s, %s%s)\n", kinds[f.kind], name, kgi_c_type(type, true), unit, joined(e, f.op, type),
            f.kind == EXCLUSIVE ? nothing : "");
  return name;
}

const char *kgi_c_fold(kgi_c_emit *e, kgi_subgroup op, unsigned type) { return fold_function(e, fold_of(op), type); }

static const char *move_function(kgi_c_emit *e, unsigned type) {
  const char *carrier = kgi_c_carrier(type);
  uint32_t bit = UINT32_C(1) << kgi_c_carrier_index(type);
  if (!(e->moves & bit)) kgi_c_put(&e->made, "KG_MOVE(%s, %s)\n", carrier, kgi_c_type(type, true));
  e->moves |= bit;
  return carrier;
}

/* From which lane, as a vector. */
static const char *source(kgi_c_emit *e, const kgi_inst *inst) {
  const char *by = inst->arg[1] ? kgi_c_value(e, inst->arg[1], true) : NULL;
  if (inst->op == KGI_SUBGROUP_shuffle_xor) return kgi_c_format(e, "kg_count(0) ^ %s", by);
  if (inst->op == KGI_SUBGROUP_shuffle_up) return kgi_c_format(e, "kg_count(0) - %s", by);
  if (inst->op == KGI_SUBGROUP_shuffle_down) return kgi_c_format(e, "kg_count(0) + %s", by);
  return by ? by : kgi_c_format(e, "kg_splat_u32(kg_first(m%u))", e->mask);
}

void kgi_c_subgroup(kgi_c_emit *e, uint32_t i) {
  const kgi_inst *inst = &e->p->inst[i];
  kgi_subgroup op = (kgi_subgroup)inst->op;
  fold f = fold_of(op);
  const char *a = inst->arg[0] ? kgi_c_value(e, inst->arg[0], true) : "", *text;
  if (f.kind != NO_FOLD) text = kgi_c_format(e, "%s(%s, m%u)", fold_function(e, f, inst->type), a, e->mask);
  else if (op == KGI_SUBGROUP_any) text = kgi_c_format(e, "kg_mask_of(kg_any(%s & m%u))", a, e->mask);
  else if (op == KGI_SUBGROUP_all) text = kgi_c_format(e, "kg_mask_of(!kg_any(~%s & m%u))", a, e->mask);
  else if (op == KGI_SUBGROUP_elect) text = kgi_c_format(e, "kg_first_of(m%u)", e->mask);
  else if (op == KGI_SUBGROUP_ballot) text = kgi_c_format(e, "kg_ballot(%s & m%u, %s)", a, e->mask, kgi_c_value(e, inst->arg[1], true));
  else {
    const char *name = move_function(e, inst->type), *from = source(e, inst);
    text = kgi_c_format(e, "kg_move_%s(%s, %s, m%u)", name, a, from, e->mask);
  }
  kgi_c_define(e, i, text);
}
