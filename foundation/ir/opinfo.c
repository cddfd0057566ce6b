/* The tables as the public API shows them: one list over value operations, atomics, subgroup operations and ids. */
#include "foundation/ir/program.h"

/* Where each table begins in the one list. */
enum {
  FIRST_ATOMIC = KGI_OP_COUNT,
  FIRST_SUBGROUP = FIRST_ATOMIC + KGI_ATOMIC_COUNT,
  FIRST_ID = FIRST_SUBGROUP + KGI_SUBGROUP_COUNT,
  END = FIRST_ID + KGI_ID_COUNT,
};

/* Operations are shown in the order of their rows. */
static const uint8_t shown[] = {
#define OP(name, number, ...) number,
#include "foundation/ir/ops.def"
};
static const char *const atomic_names[] = {
#define ATOMIC(name, number, ...) [number] = "atomic_" #name,
#include "foundation/ir/stmts.def"
};
static const char *const subgroup_names[] = {
#define SUBGROUP(name, number, ...) [number] = "subgroup_" #name,
#include "foundation/ir/stmts.def"
};

uint32_t kg_op_count(void) { return END; }

static kg_op_info value_info(uint32_t i) {
  const kgi_op_row *row = &kgi_op_rows[i];
  kg_op_info info = {.kind = KG_OP_VALUE, .number = i, .name = row->name, .takes = kgi_rule_takes((kgi_rule)row->rule),
                     .operands = row->arity, .exact = row->flags & KGI_EXACT, .commutes = row->flags & KGI_COMMUTES};
  for (unsigned k = 0; k < row->arity; k++) info.partial[k] = row->partial[k];
  info.pushforward = row->partial[4];
  return info;
}

kg_op_info kg_op_at(uint32_t i) {
  if (i < FIRST_ATOMIC) return value_info(shown[i]);
  if (i < FIRST_SUBGROUP) {
    const kgi_atomic_row *row = &kgi_atomic_rows[i - FIRST_ATOMIC];
    return (kg_op_info){.kind = KG_OP_ATOMIC, .number = i - FIRST_ATOMIC, .name = atomic_names[i - FIRST_ATOMIC],
                        .takes = kgi_rule_takes((kgi_rule)row->rule), .operands = row->operands};
  }
  if (i < FIRST_ID) {
    const kgi_subgroup_row *row = &kgi_subgroup_rows[i - FIRST_SUBGROUP];
    return (kg_op_info){.kind = KG_OP_SUBGROUP, .number = i - FIRST_SUBGROUP, .name = subgroup_names[i - FIRST_SUBGROUP],
                        .takes = kgi_rule_takes((kgi_rule)row->rule), .operands = row->operands};
  }
  if (i < END) return (kg_op_info){.kind = KG_OP_ID, .number = i - FIRST_ID, .name = kgi_id_rows[i - FIRST_ID].name, .takes = ""};
  return (kg_op_info){.kind = KG_OP_VALUE, .name = "", .takes = ""};
}
