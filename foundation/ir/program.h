/* foundation/ir: programs and modules as data: the tables of operations and statements, the builder, lengths, views, validation, equality,
 * evaluation and folding. */
/* A program as data: small fixed-size instructions in one array, referring to each other by index; blocks own lists of them.
 * No pointers inside a program. Index 0 of every table means "none", and is safe to read.
 *
 * Everything is built through foundation/ir/builder.h; passes read these structures directly. */
#ifndef KGI_PROGRAM_H
#define KGI_PROGRAM_H
#include "foundation/base/arena.h"
#include "foundation/base/diag.h"
#include "foundation/base/set.h"

/* Indices, as structs so that a value cannot be passed for an object. */
typedef struct kgi_val { uint32_t i; } kgi_val;
typedef struct kgi_obj { uint32_t i; } kgi_obj;
typedef struct kgi_dim { uint32_t i; } kgi_dim;
typedef struct kgi_str { uint32_t i; } kgi_str;
typedef uint32_t kgi_blk; /* 0: none, KGI_BODY: the program's body */
enum { KGI_BODY = 1 };

/* How many rows a table has. Their numbers do not depend on where they stand: one that occurs twice is declared twice here, and one
 * past the count, which leaves a gap, has no room in the arrays of tables.c. */
enum {
#define KIND(name, number, ...) KGI_KIND_NUMBER_##number,
#include "foundation/ir/stmts.def"
  KGI_KIND_ROWS
};
enum {
#define OP(name, number, ...) KGI_OP_NUMBER_##number,
#include "foundation/ir/ops.def"
  KGI_OP_ROWS
};
enum {
#define ID(name, number, ...) KGI_ID_NUMBER_##number,
#include "foundation/ir/stmts.def"
  KGI_ID_ROWS
};
enum {
#define ATOMIC(name, number, ...) KGI_ATOMIC_NUMBER_##number,
#include "foundation/ir/stmts.def"
  KGI_ATOMIC_ROWS
};
enum {
#define SUBGROUP(name, number, ...) KGI_SUBGROUP_NUMBER_##number,
#include "foundation/ir/stmts.def"
  KGI_SUBGROUP_ROWS
};

typedef enum kgi_kind {
#define KIND(name, number, ...) KGI_##name = number,
#include "foundation/ir/stmts.def"
  KGI_KIND_COUNT = KGI_KIND_ROWS
} kgi_kind;

typedef enum kgi_op {
#define OP(name, number, ...) KGI_OP_##name = number,
#include "foundation/ir/ops.def"
  KGI_OP_COUNT = KGI_OP_ROWS
} kgi_op;

/* The rows that are functions, by themselves: a switch over them has all, or does not compile. */
typedef enum kgi_function1 {
#define FUN1(name, number, ...) KGI_FUN_##name = number,
#include "foundation/ir/ops.def"
} kgi_function1;
typedef enum kgi_function2 {
#define FUN2(name, number, ...) KGI_FUN_##name = number,
#include "foundation/ir/ops.def"
} kgi_function2;

typedef enum kgi_id {
#define ID(name, number, ...) KGI_ID_##name = number,
#include "foundation/ir/stmts.def"
  KGI_ID_COUNT = KGI_ID_ROWS
} kgi_id;

/* Whether it says how a device divides a workgroup. */
static inline bool kgi_is_of_subgroups(kgi_id id) {
  return id == KGI_ID_subgroup_lane || id == KGI_ID_subgroup_size || id == KGI_ID_subgroup_id || id == KGI_ID_num_subgroups;
}

typedef enum kgi_atomic {
#define ATOMIC(name, number, ...) KGI_ATOMIC_##name = number,
#include "foundation/ir/stmts.def"
  KGI_ATOMIC_COUNT = KGI_ATOMIC_ROWS
} kgi_atomic;

typedef enum kgi_subgroup {
#define SUBGROUP(name, number, ...) KGI_SUBGROUP_##name = number,
#include "foundation/ir/stmts.def"
  KGI_SUBGROUP_COUNT = KGI_SUBGROUP_ROWS
} kgi_subgroup;

enum { KGI_REVERSED = 1 }; /* flag of `for` */

typedef struct kgi_inst {
  uint8_t kind; /* kgi_kind */
  uint8_t op;   /* kgi_op, kgi_id, kgi_atomic or kgi_subgroup, by kind */
  uint8_t type; /* kg_type of the result, KG_NONE where there is none */
  uint8_t flags;
  uint32_t arg[4];
  uint32_t next, prev; /* in its block; 0 ends */
  kgi_blk block;       /* 0 for leaves and removed instructions */
} kgi_inst;

typedef struct kgi_block {
  uint32_t first, last; /* instructions; 0: empty */
  uint32_t owner;       /* the instruction that owns it; 0 for the body */
} kgi_block;

typedef enum kgi_space { KGI_BUFFER = 1, KGI_SHARED, KGI_VAR } kgi_space;

enum { KGI_MAX_RANK = KG_MAX_RANK };

typedef struct kgi_object {
  kgi_str name;
  kgi_pos pos;
  uint8_t space; /* kgi_space */
  uint8_t type;  /* kg_type, storage types included */
  uint8_t mode;  /* kg_mode, buffers only */
  bool scalar;   /* declared without brackets: no index, length 1 */
  bool ranged;   /* values lie in [lo, hi) */
  bool view;     /* a strided view of a binding; set .. stride hold */
  uint8_t draw;  /* kg_draw, buffers only */
  uint8_t rank;  /* of an array of several dimensions, 2 to KGI_MAX_RANK; 0 for all others */
  kgi_dim length; /* 0: the host decides (`[]`); with a rank the product of the extents */
  kgi_dim extent[KGI_MAX_RANK]; /* the slowest first */
  kgi_dim lo, hi;
  uint32_t set, binding, offset, stride; /* offset and stride in bytes */
  uint32_t row, every; /* elements of a row, and bytes from the first of one row to that of the next; 0: there are no rows */
} kgi_object;

typedef struct kgi_param {
  kgi_str name;
  kgi_pos pos;
  uint8_t type; /* a computing type */
  bool has_default, ranged;
  bool placed, pushed; /* where a host has it is stated: `offset` bytes into the push constants, else into a block at set and binding */
  uint64_t bits; /* the default */
  kgi_dim lo, hi;
  uint32_t set, binding, offset;
} kgi_param;

/* A specialization constant. */
typedef struct kgi_spec {
  kgi_str name;
  kgi_pos pos;
  uint8_t type;
  bool numbered; /* `id` is the number that a host knows it by */
  uint32_t id;
  uint64_t bits;
} kgi_spec;

/* Lengths and grids: expressions over params, constants, lengths of buffers, and in modules the indices of repeats.
 * Hash-consed per scope, evaluated in 64 bits by foundation/ir/dim.h. */
typedef enum kgi_dim_op {
  KGI_DIM_NONE, KGI_DIM_INT, KGI_DIM_FLOAT, KGI_DIM_PARAM, KGI_DIM_SPEC, KGI_DIM_LEN, KGI_DIM_INDEX,
  KGI_DIM_ADD, KGI_DIM_SUB, KGI_DIM_MUL, KGI_DIM_DIV, KGI_DIM_MOD, KGI_DIM_MIN, KGI_DIM_MAX,
} kgi_dim_op;
typedef struct kgi_dim_node {
  uint8_t op;
  uint32_t a, b; /* nodes of the same scope; PARAM, SPEC: index into that table; LEN: object; INDEX: item of the repeat */
  int64_t imm;   /* INT; FLOAT: the bits of the double */
} kgi_dim_node;

/* What a program and a module both declare. Entry 0 of each table is unused. Buffers come before all other objects. */
typedef struct kgi_scope {
  kgi_object *object; uint32_t object_count, object_cap;
  kgi_param *param; uint32_t param_count, param_cap;
  kgi_spec *spec; uint32_t spec_count, spec_cap;
  kgi_dim_node *dim; uint32_t dim_count, dim_cap;
  kgi_set dims;
} kgi_scope;

typedef struct kgi_program {
  kgi_str name;
  kgi_pos pos;
  kgi_scope scope;
  kgi_inst *inst; uint32_t inst_count, inst_cap;
  /* beside each instruction, and cold */
  kgi_pos *inst_pos; uint32_t inst_pos_cap;
  kgi_str *inst_name; uint32_t inst_name_cap; /* of a let, or of a loop's index */
  kgi_set leaves;
  kgi_block *block; uint32_t block_count, block_cap;
  kgi_dim workgroup[3];     /* 0 reads as 1; x is never 0 */
  kgi_dim grid[3];          /* all 0: none stated */
  bool grid_is_invocations; /* grid[] counts invocations, rounded up to workgroups */
  uint32_t adjoint;         /* of the module's programs, the one that is stated to be its adjoint; 0: none */
} kgi_program;

/* What a run binds of a module's buffer: the elements from `from` up to but not `to`; both {0}: all of them. */
typedef struct kgi_slice { kgi_dim from, to; } kgi_slice;
static inline bool kgi_is_slice(kgi_slice slice) { return slice.from.i != 0; }

typedef enum kgi_item_kind { KGI_ITEM_NONE, KGI_ITEM_RUN, KGI_ITEM_REPEAT } kgi_item_kind;

/* One entry of a module's order of work; items of one body form a list. */
typedef struct kgi_item {
  uint8_t kind;
  bool reversed;            /* repeat: k downward */
  bool grid_is_invocations; /* run */
  kgi_pos pos;
  uint32_t next;
  /* run */
  uint32_t program;         /* index into module->program */
  uint32_t binding;         /* first of the run's entries in module->bind: for each buffer of the program the module's object,
                               then for each param a dim of the module's scope, 0: the param's default,
                               then for each buffer the two dims of its slice, 0 and 0: the whole of it */
  kgi_dim grid[3];          /* all 0: the program's own */
  /* repeat */
  kgi_str name;
  kgi_dim from, to, step;   /* step 0 reads as 1 */
  uint32_t first;           /* item */
} kgi_item;

struct kg_module {
  kgi_arena arena;
  char **string; uint32_t string_count, string_cap; /* kgi_str; 0 is "" */
  kgi_set strings; uint32_t strings_listed; /* those before it are in the set */
  const char *file; /* for diagnostics */
  kgi_str name;
  kgi_pos pos;
  bool lone;        /* one program and one run of it; the scope mirrors the program's */
  bool made;        /* it holds gradients that were made when it was read: they rest on the grids that they state */
  kgi_scope scope;  /* its objects are buffers, its specs mirror the lone program's and are otherwise none */
  kgi_program **program; uint32_t program_count, program_cap; /* entry 0 unused */
  kgi_item *item; uint32_t item_count, item_cap;              /* entry 0 unused */
  uint32_t *bind; uint32_t bind_count, bind_cap;
  uint32_t first_item;
};

/* Types. */
typedef enum kgi_type_kind { KGI_TYPE_NONE, KGI_BOOL, KGI_SINT, KGI_UINT, KGI_FLOAT } kgi_type_kind;
typedef struct kgi_type_row { const char *name; uint8_t kind, bits, value; } kgi_type_row;
extern const kgi_type_row kgi_type_rows[];
enum { KGI_TYPE_COUNT = KG_BF16 + 1 };
static inline kgi_type_kind kgi_type_kind_of(unsigned t) { return (kgi_type_kind)kgi_type_rows[t].kind; }
static inline unsigned kgi_type_bits(unsigned t) { return kgi_type_rows[t].bits; }
/* The type that a load gives. */
static inline kg_type kgi_type_value(unsigned t) { return (kg_type)kgi_type_rows[t].value; }
static inline bool kgi_type_computes(unsigned t) { return t != KG_NONE && kgi_type_rows[t].value == t; }
static inline bool kgi_is_float(unsigned t) { return kgi_type_rows[t].kind == KGI_FLOAT; }
static inline bool kgi_is_int(unsigned t) { return kgi_type_rows[t].kind == KGI_SINT || kgi_type_rows[t].kind == KGI_UINT; }
kg_type kgi_type_find(const char *name, size_t length); /* KG_NONE if there is none */

/* Operations: what the tables say of them. */
typedef struct kgi_op_row {
  const char *name;
  uint8_t arity, rule, flags;
  const char *partial[5]; /* the last: the pushforward's by operand 1; NULL: it is that of the pullback */
} kgi_op_row;
enum { KGI_COMMUTES = 1, KGI_EXACT = 2, KGI_FUNCTION = 4 };
typedef enum kgi_rule {
  KGI_RULE_NUM,     /* numbers of one type, to the same */
  KGI_RULE_FLT,     /* floats of one type, to the same */
  KGI_RULE_INT,     /* integers of one type, to the same */
  KGI_RULE_LOGIC,   /* integers or bools of one type, to the same */
  KGI_RULE_BITS,    /* integers of one type, then two u32, to the integer */
  KGI_RULE_PLACE,   /* an integer, then two u32, to u32 */
  KGI_RULE_LDEXP,   /* a float and an i32, to the float */
  KGI_RULE_FTEST,   /* a float, to bool */
  KGI_RULE_SAME,    /* any two of one type, to bool */
  KGI_RULE_CMP,     /* numbers of one type, to bool */
  KGI_RULE_SELECT,  /* a bool and two of one type, to that type */
  KGI_RULE_CONVERT, /* any to the type that the instruction states */
  KGI_RULE_BITCAST, /* any but bool to a type of the same size that the instruction states */
  KGI_RULE_PACK,    /* f32s to u32 */
  KGI_RULE_UNPACK,  /* two u32 to f32 */
  KGI_RULE_ANY,     /* one of any type, to the same */
  KGI_RULE_LANE,    /* one of any type and a u32, to the type (subgroup) */
  KGI_RULE_BALLOT,  /* a bool and a u32, to u32 (subgroup) */
  KGI_RULE_VOTE,    /* bool to bool (subgroup) */
  KGI_RULE_NONE,    /* no operand, to bool (subgroup) */
} kgi_rule;
extern const kgi_op_row kgi_op_rows[];
/* Whether a function of f32 is the device's own in that mode. */
bool kgi_is_native(kgi_op op, kg_math math);
/* Where exp2 is the device's own, a power of such a number is made of it: the logarithm is a number, and not 0. */
static inline bool kgi_is_exponential_base(double base) { return base >= 0x1p-126 && base < 0x1p128 && base != 1; }
/* The text of operand k in forward mode; in reverse mode it is partial[k]. */
static inline const char *kgi_pushforward_of(const kgi_op_row *row, unsigned k) {
  return k == 1 && row->partial[4] ? row->partial[4] : row->partial[k];
}
typedef struct kgi_atomic_row { const char *name; uint8_t operands; bool result; uint8_t rule; } kgi_atomic_row;
typedef struct kgi_subgroup_row { const char *name; uint8_t operands, rule; } kgi_subgroup_row;
typedef struct kgi_id_row { const char *name; uint8_t components; } kgi_id_row;
extern const kgi_atomic_row kgi_atomic_rows[];
extern const kgi_subgroup_row kgi_subgroup_rows[];
extern const kgi_id_row kgi_id_rows[];
extern const char *const kgi_kind_names[];
const char *kgi_rule_takes(kgi_rule rule); /* the operand types, for people */
/* The result type, or KG_NONE if the operands do not fit; then, where `diags` is given, it says so at `pos`. `stated` is the
 * instruction's own type for conversions. */
kg_type kgi_rule_check(kgi_rule rule, const char *name, unsigned arity, const kg_type *types, kg_type stated, kgi_diags *diags,
                       kgi_pos pos);

/* Kinds: what the table says of them, looked up with one load. */
typedef enum kgi_effect {
  KGI_LEAF = 1,         /* stands in no block */
  KGI_EXPRESSION = 2,   /* stands in a block for its value, as an atomic mostly does */
  KGI_PURE = 4,         /* an expression that changes nothing: where nothing uses its value, nobody misses it */
  KGI_READS = 8,        /* an element of its object, as far as the row of an atomic says so */
  KGI_WRITES = 16,      /* likewise */
  KGI_DECLARES = 32,    /* its object: the contents are undefined from here on */
  KGI_ORDERS = 64,      /* accesses of several invocations, those before it and those behind it */
  KGI_ENDS = 128,       /* control leaves the block: nothing behind it runs */
  KGI_REPEATS = 256,    /* the last block that it owns */
  KGI_QUIET = 512,      /* in it nobody waits for others, leaves, fails or runs for ever. A region, though harmless, stays where it is */
} kgi_effect;
typedef enum kgi_op_table { KGI_OF_NONE, KGI_OF_IDS, KGI_OF_OPS, KGI_OF_ATOMICS, KGI_OF_SUBGROUPS } kgi_op_table;
typedef struct kgi_span { uint8_t first, count; } kgi_span; /* arg[first .. first + count) */
typedef struct kgi_kind_row {
  kgi_span operands, blocks;
  uint8_t object; /* KGI_NO_ARG: none */
  uint8_t table;  /* kgi_op_table: of which `op` is a row */
  uint16_t effect;
} kgi_kind_row;
enum { KGI_NO_ARG = 4 };
extern const kgi_kind_row kgi_kind_rows[];
static inline bool kgi_has_effect(const kgi_inst *inst, unsigned effect) { return kgi_kind_rows[inst->kind].effect & effect; }

/* How many operands the row that `op` names takes. */
static inline unsigned kgi_arity(const kgi_inst *inst) {
  switch ((kgi_op_table)kgi_kind_rows[inst->kind].table) {
  case KGI_OF_OPS: return kgi_op_rows[inst->op].arity;
  case KGI_OF_ATOMICS: return kgi_atomic_rows[inst->op].operands;
  case KGI_OF_SUBGROUPS: return kgi_subgroup_rows[inst->op].operands;
  case KGI_OF_NONE: case KGI_OF_IDS: break;
  }
  return 0;
}
/* Which of arg[] are values. A for's bounds count; blocks, objects and strings do not. Missing indices are 0. */
static inline kgi_span kgi_operands(const kgi_inst *inst) {
  kgi_span span = kgi_kind_rows[inst->kind].operands;
  span.count = (uint8_t)(span.count + kgi_arity(inst));
  return span;
}
/* The blocks that an instruction owns, in order of execution: indices of arg[]. */
static inline kgi_span kgi_owned_blocks(const kgi_inst *inst) {
  kgi_span span = kgi_kind_rows[inst->kind].blocks;
  if (span.count == 2 && !inst->arg[span.first + 1]) span.count = 1; /* no else */
  return span;
}
static inline bool kgi_is_leaf(unsigned kind) { return kgi_kind_rows[kind].effect & KGI_LEAF; }
static inline bool kgi_is_expression(const kgi_inst *inst) { return kgi_has_effect(inst, KGI_EXPRESSION); }
static inline bool kgi_is_pure(const kgi_inst *inst) { return kgi_has_effect(inst, KGI_PURE); }
static inline bool kgi_is_quiet(const kgi_inst *inst) { return kgi_has_effect(inst, KGI_QUIET); }
static inline bool kgi_is_loop(const kgi_inst *inst) { return kgi_has_effect(inst, KGI_REPEATS); }
static inline bool kgi_orders(const kgi_inst *inst) { return kgi_has_effect(inst, KGI_ORDERS); }
static inline bool kgi_ends(const kgi_inst *inst) { return kgi_has_effect(inst, KGI_ENDS); }
/* A group of statements that runs once, where it stands; arg[0] is its block. */
static inline bool kgi_is_region(const kgi_inst *inst) { return inst->kind == KGI_region || inst->kind == KGI_checkpoint; }
/* Touches an element of an object, and how. */
static inline bool kgi_touches(const kgi_inst *inst) { return kgi_has_effect(inst, KGI_READS | KGI_WRITES); }
static inline bool kgi_reads(const kgi_inst *inst) {
  return kgi_has_effect(inst, KGI_READS) && (inst->kind != KGI_atomic || kgi_atomic_rows[inst->op].result);
}
static inline bool kgi_writes(const kgi_inst *inst) {
  return kgi_has_effect(inst, KGI_WRITES) && (inst->kind != KGI_atomic || kgi_atomic_rows[inst->op].operands);
}
/* The object that it touches, declares or measures; 0: none. */
static inline uint32_t kgi_object_of(const kgi_inst *inst) {
  uint8_t arg = kgi_kind_rows[inst->kind].object;
  return arg == KGI_NO_ARG ? 0 : inst->arg[arg];
}
/* What a loop repeats. */
static inline kgi_blk kgi_body_of(const kgi_inst *loop) {
  kgi_span span = kgi_owned_blocks(loop);
  return loop->arg[span.first + span.count - 1];
}

static inline uint64_t kgi_literal_bits(const kgi_inst *inst) { return (uint64_t)inst->arg[1] << 32 | inst->arg[0]; }
static inline const char *kgi_string(const kg_module *m, kgi_str s) { return m->string[s.i]; }
static inline bool kgi_dim_is_set(const kgi_dim grid[3]) { return grid[0].i || grid[1].i || grid[2].i; }

/* Walks a block forward and backward. `i` is a uint32_t that the loop declares. */
#define KGI_EACH(p, blk, i) for (uint32_t i = (p)->block[blk].first; i; i = (p)->inst[i].next)
#define KGI_EACH_BACK(p, blk, i) for (uint32_t i = (p)->block[blk].last; i; i = (p)->inst[i].prev)
/* Walks a block with all that is nested in it, in the order of the text: an owner before what it owns. What the loop does to
 * instructions before or behind `i` does not confuse it, as long as `i` stays where it is. */
#define KGI_EACH_INSIDE(p, blk, i) for (uint32_t i = (p)->block[blk].first; i; i = kgi_next_inside(p, blk, i))
uint32_t kgi_next_inside_far(const kgi_program *p, kgi_blk blk, uint32_t i);
static inline uint32_t kgi_next_inside(const kgi_program *p, kgi_blk blk, uint32_t i) {
  const kgi_inst *inst = &p->inst[i];
  return inst->next && !kgi_kind_rows[inst->kind].blocks.count ? inst->next : kgi_next_inside_far(p, blk, i);
}

/* module.c */
kg_module *kgi_module_new(const kg_allocator *alloc, const char *file); /* NULL: no memory */
kgi_str kgi_intern(kg_module *module, const char *text, size_t length);
/* The same for what is known not to be there yet: for the parser, whose names are unique. */
kgi_str kgi_intern_new(kg_module *module, const char *text, size_t length);
kgi_str kgi_intern_z(kg_module *module, const char *text);
kgi_program *kgi_module_add_program(kg_module *module);
/* Makes the module of a lone program: the scope mirrors the program's, and one run binds each name to itself. */
void kgi_module_finish_lone(kg_module *module);
uint32_t kgi_buffer_end(const kgi_scope *scope); /* buffers are objects 1 .. end-1 */
uint32_t kgi_find_object(const kg_module *module, const kgi_scope *scope, const char *name); /* 0: none */
uint32_t kgi_find_param(const kg_module *module, const kgi_scope *scope, const char *name);
uint32_t kgi_find_program(const kg_module *module, const char *name);
/* Adds to uses[value], for each value, how often it is an operand in the block and in those inside. */
void kgi_count_uses(const kgi_program *program, kgi_blk block, uint32_t *uses);
#endif
