/* One expression between reading and building: nodes in the order in which they are evaluated, operands before operations, so
 * that typing and building are loops and never recur. Types travel up as nodes are made, then down from what uses an expression
 * to its untyped literals; then instructions are built in order. */
#ifndef KGI_NODES_H
#define KGI_NODES_H
#include "foundation/ir/builder.h"
#include "foundation/text/lex.h"

typedef enum kgi_node_kind {
  KGI_NODE_LITERAL, KGI_NODE_VALUE, KGI_NODE_PARAM, KGI_NODE_SPEC, KGI_NODE_ID, KGI_NODE_LEN, KGI_NODE_INDEX, /* leaves */
  KGI_NODE_OP, KGI_NODE_LOAD, KGI_NODE_ATOMIC, KGI_NODE_SUBGROUP, KGI_NODE_CALL,
  KGI_NODE_PLACE, /* the flat index of several */
} kgi_node_kind;

enum { KGI_NO_NODE = UINT32_MAX };

typedef struct kgi_node {
  uint8_t kind, op;   /* op of LEN: 0, or 1 + which dimension */
  uint8_t type;       /* of the result; KG_NONE: open, a literal or made of literals */
  uint8_t group;      /* of the operands that must be alike; KG_NONE: open, or none are */
  bool floating;      /* open, and a float where nothing says otherwise */
  bool negative;      /* an integer literal */
  bool is_float;      /* a literal: `number` counts, not `magnitude` */
  uint8_t arity;      /* how many of arg[] are nodes; 0 for a call, whose arguments stand in `arg` of kgi_nodes from arg[0] on */
  uint32_t arg[4];
  uint32_t index;     /* of a value, param, constant, object, item or function */
  uint32_t loop;      /* made of that loop's index and literals alone, so that a use may still give it its type; 0: none */
  kgi_pos pos;
  uint64_t magnitude; /* of an integer literal, or a bool's value; in lengths also how deep an operation nests */
  double number;
  kgi_val value;      /* what it became: a value, a place in a template, or a length */
} kgi_node;

/* Functions are inlined from templates: their operations and literals, with arguments first. */
typedef struct kgi_template {
  kgi_str name;
  kgi_inst *inst; uint32_t count, cap; /* inst[0 .. params) are the arguments; arg[] are indices here */
  kgi_val *value;                      /* scratch for inlining, `count` of them */
  uint32_t params, result;
  uint8_t type;                        /* of the result */
  /* A function of `real` is read once for each type that it stands for; the three templates lie in the order of kgi_reals. */
  uint16_t open;                       /* the params that are of it, a bit each */
  bool open_result;
} kgi_template;
enum { KGI_REALS = 3 };
extern const kg_type kgi_reals[KGI_REALS]; /* the one that is taken where nothing says which is the first */
static inline bool kgi_is_generic(const kgi_template *t) { return t->open || t->open_result; }

typedef struct kgi_nodes {
  kgi_node *at; uint32_t count, cap;
  uint32_t *arg; uint32_t arg_count, arg_cap; /* of calls */
  kgi_arena *arena;     /* grows the arrays; NULL: `cap` is all there is */
  kg_type literal_type; /* of literals to which nothing gives a type; KG_NONE: i32 or f32 */
  kgi_template *templates;
  uint32_t budget;      /* instructions that inlining may still make */
  kgi_builder *b;
  /* Indices of loops between bare literals take their type from their uses (parse_for.c). NULL: there are none. */
  void (*meets)(void *user, uint32_t loop, kg_type type, kgi_pos pos);
  uint32_t (*joins)(void *user, uint32_t loop, uint32_t other, kgi_pos pos); /* they must be alike; gives the outer one */
  void *user;
} kgi_nodes;

/* What a rule says of literals: the type of operand i that does not depend on the others' (KG_NONE: it is of the group that must
 * be alike), and of the result likewise. `stated` is a conversion's. */
kg_type kgi_rule_operand(kgi_rule rule, unsigned arity, unsigned i);
kg_type kgi_rule_result(kgi_rule rule, kg_type stated);

/* Adds a node and works out its types from its operands'. KGI_NO_NODE: out of memory or, in a fixed array, of room. */
uint32_t kgi_nodes_add(kgi_nodes *n, kgi_node node);
/* An operation of the table over nodes; for conversions `stated` is the result, and a bare literal becomes one of that type. */
uint32_t kgi_nodes_op(kgi_nodes *n, kgi_op op, const uint32_t *args, unsigned count, kg_type stated, kgi_pos pos);
/* Gives an open node, or the index of a loop, the type that its user wants. KG_NONE is fine. */
void kgi_nodes_want(kgi_nodes *n, uint32_t node, kg_type type);
/* Gives the open ones among them the type of the first that has one; the loop of whose index they are all made, or 0. */
uint32_t kgi_nodes_alike(kgi_nodes *n, const uint32_t *nodes, unsigned count);
/* Types travel down to what is open. */
void kgi_nodes_settle(kgi_nodes *n);
/* Builds the instructions of nodes [from, count) at the builder's cursor; each node's `value` is then set. */
void kgi_nodes_build(kgi_nodes *n, uint32_t from);
/* Appends them to a template instead; `value` is then the index there. */
void kgi_nodes_to_template(kgi_nodes *n, uint32_t from, kgi_template *t);
uint32_t kgi_template_add(kgi_nodes *n, kgi_template *t, kgi_inst inst); /* its place there */
/* The bits of a settled literal in its type; false with a diagnostic: it does not fit. */
bool kgi_node_bits(kgi_nodes *n, const kgi_node *literal, uint64_t *bits);
/* The length or grid expression that a node stands for, {0} with a diagnostic: it is none. */
kgi_dim kgi_nodes_dim(kgi_nodes *n, uint32_t root);
#endif
