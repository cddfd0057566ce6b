/* The tables, expanded into rows that can be looked up, and what they say of operand types. */
#include "foundation/ir/program.h"

#include <string.h>

const kgi_type_row kgi_type_rows[] = {
  [KG_NONE] = {"none", KGI_TYPE_NONE, 0, KG_NONE},
#define TYPE(name, text, kind, bits, value) [KG_##name] = {text, KGI_##kind, bits, KG_##value},
#include "foundation/ir/types.def"
};
_Static_assert(sizeof kgi_type_rows / sizeof *kgi_type_rows == KGI_TYPE_COUNT, "a row for each kg_type");

/* In ops.def the flags are single letters. */
enum { C = KGI_COMMUTES, E = KGI_EXACT };
const kgi_op_row kgi_op_rows[KGI_OP_COUNT] = {
#define OP(name, number, arity, rule, flags, eval, spirv, ...) [number] = {#name, arity, KGI_RULE_##rule, flags, {__VA_ARGS__}},
#include "foundation/ir/ops.def"
};
_Static_assert(KGI_OP_COUNT < 256, "an operation fits a byte");

#define NEVER KG_MATH_COUNT
#define DEFAULT(instruction) KG_MATH_DEFAULT
#define FAST(instruction) KG_MATH_FAST
bool kgi_is_native(kgi_op op, kg_math math) {
  static const uint8_t from[KGI_OP_COUNT] = {
#define FUN1(name, number, native, ...) [number] = native,
#define FUN2(name, number, native, ...) [number] = native,
#include "foundation/ir/ops.def"
  };
  return kgi_op_rows[op].flags & KGI_FUNCTION && (unsigned)math < KG_MATH_COUNT && math >= from[op];
}
#undef NEVER
#undef DEFAULT
#undef FAST

const kgi_atomic_row kgi_atomic_rows[KGI_ATOMIC_COUNT] = {
#define ATOMIC(name, number, operands, result, rule) [number] = {#name, operands, result, KGI_RULE_##rule},
#include "foundation/ir/stmts.def"
};
const kgi_subgroup_row kgi_subgroup_rows[KGI_SUBGROUP_COUNT] = {
#define SUBGROUP(name, number, operands, rule) [number] = {#name, operands, KGI_RULE_##rule},
#include "foundation/ir/stmts.def"
};
const kgi_id_row kgi_id_rows[KGI_ID_COUNT] = {
#define ID(name, number, components) [number] = {#name, components},
#include "foundation/ir/stmts.def"
};
const char *const kgi_kind_names[KGI_KIND_COUNT] = {
#define KIND(name, number, text, ...) [number] = text,
#include "foundation/ir/stmts.def"
};

/* The names of kgi_effect and kgi_op_table, as stmts.def has them. */
#define OF(table) KGI_OF_##table
#define SPAN(args) SPAN_##args
#define SPAN_NONE {0, 0}
#define SPAN_ARGS(first, count) {first, count}
enum {
  NONE = KGI_NO_ARG,
  LEAF = KGI_LEAF, EXPRESSION = KGI_EXPRESSION, PURE = KGI_PURE, READS = KGI_READS, WRITES = KGI_WRITES, DECLARES = KGI_DECLARES,
  ORDERS = KGI_ORDERS, ENDS = KGI_ENDS, REPEATS = KGI_REPEATS, QUIET = KGI_QUIET,
};
const kgi_kind_row kgi_kind_rows[KGI_KIND_COUNT] = {
#define KIND(name, number, text, op, operands, blocks, object, effect) \
  [number] = {SPAN(operands), SPAN(blocks), object, OF(op), effect},
#include "foundation/ir/stmts.def"
};

static bool same(const char *row, const char *name, size_t length) { return strlen(row) == length && !memcmp(row, name, length); }

const char *kg_math_name(kg_math math) {
  static const char *const names[KG_MATH_COUNT] = {"exact", "default", "fast"};
  return (unsigned)math < KG_MATH_COUNT ? names[math] : NULL;
}

const char *kg_draw_name(kg_draw draw) {
  static const char *const names[KG_DRAW_COUNT] = {
#define DRAW(name, number, takes, fix) [number] = #name,
#include "foundation/ir/draws.def"
  };
  return (unsigned)draw < KG_DRAW_COUNT ? names[draw] : NULL;
}

const char *kg_type_name(kg_type type) { return (unsigned)type < KGI_TYPE_COUNT ? kgi_type_rows[type].name : "none"; }

size_t kg_type_size(kg_type type) { return (unsigned)type < KGI_TYPE_COUNT ? kgi_type_rows[type].bits / 8u : 0; }

kg_type kgi_type_find(const char *name, size_t length) {
  for (unsigned t = KG_NONE + 1; t < KGI_TYPE_COUNT; t++)
    if (same(kgi_type_rows[t].name, name, length)) return (kg_type)t;
  return KG_NONE;
}

static bool is_number(kg_type t) { return kgi_is_int(t) || kgi_is_float(t); }
static bool is_logic(kg_type t) { return kgi_is_int(t) || t == KG_BOOL; }
static bool is_any(kg_type t) { return t != KG_NONE; }
static bool is_float(kg_type t) { return kgi_is_float(t); }
static bool is_int(kg_type t) { return kgi_is_int(t); }

typedef enum result { TO_FIRST, TO_SECOND, TO_BOOL, TO_U32, TO_F32, TO_STATED } result;

/* A rule, read as: a condition on the operand that leads, how many operands must be of its type, which fixed types follow, and
 * what results. */
typedef struct shape {
  bool (*fits)(kg_type);
  const char *takes; /* for people */
  kg_type before;    /* the first operand is of this type, and the leading one comes second */
  kg_type after;     /* operands past `alike` are of this type */
  uint8_t alike;     /* how many, from the leading one on; 4: all */
  uint8_t result;
} shape;

static const shape shapes[] = {
  [KGI_RULE_NUM] = {is_number, "any number", KG_NONE, KG_NONE, 4, TO_FIRST},
  [KGI_RULE_FLT] = {is_float, "f16, f32, f64", KG_NONE, KG_NONE, 4, TO_FIRST},
  [KGI_RULE_INT] = {is_int, "i32, u32, i64, u64", KG_NONE, KG_NONE, 4, TO_FIRST},
  [KGI_RULE_LOGIC] = {is_logic, "bool, i32, u32, i64, u64", KG_NONE, KG_NONE, 4, TO_FIRST},
  [KGI_RULE_BITS] = {is_int, "i32, u32, i64, u64", KG_NONE, KG_U32, 4, TO_FIRST},
  [KGI_RULE_PLACE] = {is_int, "i32, u32, i64, u64", KG_NONE, KG_U32, 1, TO_U32},
  [KGI_RULE_LDEXP] = {is_float, "f16, f32, f64", KG_NONE, KG_I32, 1, TO_FIRST},
  [KGI_RULE_FTEST] = {is_float, "f16, f32, f64", KG_NONE, KG_NONE, 4, TO_BOOL},
  [KGI_RULE_SAME] = {is_any, "any type", KG_NONE, KG_NONE, 4, TO_BOOL},
  [KGI_RULE_CMP] = {is_number, "any number", KG_NONE, KG_NONE, 4, TO_BOOL},
  [KGI_RULE_SELECT] = {is_any, "any type", KG_BOOL, KG_NONE, 4, TO_SECOND},
  [KGI_RULE_CONVERT] = {is_any, "any type", KG_NONE, KG_NONE, 4, TO_STATED},
  [KGI_RULE_BITCAST] = {is_number, "any number", KG_NONE, KG_NONE, 4, TO_STATED},
  [KGI_RULE_PACK] = {is_float, "f32", KG_F32, KG_NONE, 4, TO_U32},
  [KGI_RULE_UNPACK] = {is_int, "u32", KG_U32, KG_NONE, 4, TO_F32},
  [KGI_RULE_ANY] = {is_any, "any type", KG_NONE, KG_NONE, 4, TO_FIRST},
  [KGI_RULE_LANE] = {is_any, "any type; a u32: the lane, the mask or the distance", KG_NONE, KG_U32, 1, TO_FIRST},
  [KGI_RULE_BALLOT] = {is_logic, "bool; a u32: which 32 lanes", KG_BOOL, KG_U32, 4, TO_U32},
  [KGI_RULE_VOTE] = {is_logic, "bool", KG_BOOL, KG_NONE, 4, TO_BOOL},
  [KGI_RULE_NONE] = {is_any, "nothing", KG_NONE, KG_NONE, 0, TO_BOOL},
};

const char *kgi_rule_takes(kgi_rule rule) { return shapes[rule].takes; }

/* The type that operand `i` must have, given the leading operand's. */
static kg_type wanted(kgi_rule rule, const shape *s, unsigned arity, const kg_type *types, unsigned i) {
  if (rule == KGI_RULE_BITS) return i + 2 >= arity ? KG_U32 : types[0];
  if (rule == KGI_RULE_PACK || rule == KGI_RULE_UNPACK) return s->before;
  if (rule == KGI_RULE_BALLOT || rule == KGI_RULE_VOTE) return i == 0 ? KG_BOOL : KG_U32;
  if (s->before) return i == 0 ? s->before : types[1];
  return i < s->alike ? types[0] : s->after;
}

static kg_type report(kgi_diags *diags, kgi_pos pos, const char *name, kg_type got, const char *takes) {
  if (diags) KGI_DIAG(diags, operand_type, pos, name, kg_type_name(got), takes);
  return KG_NONE;
}

static kg_type check_stated(kgi_rule rule, kg_type from, kg_type to, kgi_diags *diags, kgi_pos pos) {
  bool fine = kgi_type_computes(to);
  if (fine && rule == KGI_RULE_BITCAST) fine = to != KG_BOOL && kgi_type_bits(from) == kgi_type_bits(to);
  if (!fine && diags) KGI_DIAG(diags, no_such_conversion, pos, kg_type_name(from), kg_type_name(to));
  return fine ? to : KG_NONE;
}

kg_type kgi_rule_check(kgi_rule rule, const char *name, unsigned arity, const kg_type *types, kg_type stated, kgi_diags *diags,
                       kgi_pos pos) {
  const shape *s = &shapes[rule];
  for (unsigned i = 0; i < arity; i++) {
    kg_type want = wanted(rule, s, arity, types, i);
    if (want == types[i] || types[i] == KG_NONE) continue;
    if (diags) KGI_DIAG(diags, type_mismatch, pos, kg_type_name(want), kg_type_name(types[i]));
    return KG_NONE;
  }
  for (unsigned i = 0; i < arity; i++) {
    if (!kgi_type_computes(types[i])) return report(diags, pos, name, types[i], s->takes);
  }
  if (arity && !s->before && !s->fits(types[0])) return report(diags, pos, name, types[0], s->takes);
  switch ((result)s->result) {
  case TO_FIRST: return types[0];
  case TO_SECOND: return types[1];
  case TO_BOOL: return KG_BOOL;
  case TO_U32: return KG_U32;
  case TO_F32: return KG_F32;
  case TO_STATED: return check_stated(rule, types[0], stated, diags, pos);
  }
  return KG_NONE;
}

/* The first instruction in the blocks of `inst` from its n-th on. */
static uint32_t first_owned(const kgi_program *p, const kgi_inst *inst, unsigned n) {
  kgi_span blocks = kgi_owned_blocks(inst);
  for (; n < blocks.count; n++)
    if (p->block[inst->arg[blocks.first + n]].first) return p->block[inst->arg[blocks.first + n]].first;
  return 0;
}

uint32_t kgi_next_inside_far(const kgi_program *p, kgi_blk blk, uint32_t i) {
  uint32_t next = first_owned(p, &p->inst[i], 0);
  while (!next && !(next = p->inst[i].next) && p->inst[i].block != blk) {
    kgi_blk left = p->inst[i].block;
    i = p->block[left].owner;
    const kgi_inst *owner = &p->inst[i];
    unsigned n = 1;
    while (owner->arg[kgi_kind_rows[owner->kind].blocks.first + n - 1] != left) n++;
    next = first_owned(p, owner, n);
  }
  return next;
}
