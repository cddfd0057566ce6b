#include "foundation/ir/number.h"
#include "foundation/ir/place.h"
#include "foundation/text/nodes.h"
#include "foundation/text/print.h"

#include <inttypes.h>
#include <string.h>

/* Levels of precedence, as in doc/language.md; calls, names and literals are PRIMARY. */
enum { ANY = 1, COMPARISON = 3, SUM = 8, PRODUCT = 9, UNARY = 10, PRIMARY = 11 };

typedef struct operator_row { const char *text; uint8_t level; } operator_row;

/* How an operation is written between its operands; level 0: it is called by name. */
static operator_row infix(unsigned op, bool of_bools) {
  if (op == KGI_OP_or && of_bools) return (operator_row){"||", 1};
  if (op == KGI_OP_and && of_bools) return (operator_row){"&&", 2};
  if (op == KGI_OP_eq) return (operator_row){"==", COMPARISON};
  if (op == KGI_OP_ne) return (operator_row){"!=", COMPARISON};
  if (op == KGI_OP_lt) return (operator_row){"<", COMPARISON};
  if (op == KGI_OP_le) return (operator_row){"<=", COMPARISON};
  if (op == KGI_OP_gt) return (operator_row){">", COMPARISON};
  if (op == KGI_OP_ge) return (operator_row){">=", COMPARISON};
  if (op == KGI_OP_or) return (operator_row){"|", 4};
  if (op == KGI_OP_xor) return (operator_row){"^", 5};
  if (op == KGI_OP_and) return (operator_row){"&", 6};
  if (op == KGI_OP_shl) return (operator_row){"<<", 7};
  if (op == KGI_OP_shr) return (operator_row){">>", 7};
  if (op == KGI_OP_add) return (operator_row){"+", SUM};
  if (op == KGI_OP_sub) return (operator_row){"-", SUM};
  if (op == KGI_OP_mul) return (operator_row){"*", PRODUCT};
  if (op == KGI_OP_div) return (operator_row){"/", PRODUCT};
  if (op == KGI_OP_rem) return (operator_row){"%", PRODUCT};
  return (operator_row){NULL, 0};
}

const char *kgi_compound_text(unsigned op) {
  static const struct { uint8_t op; char text[4]; } rows[] = {
    {KGI_OP_add, "+="}, {KGI_OP_sub, "-="}, {KGI_OP_mul, "*="}, {KGI_OP_div, "/="}, {KGI_OP_rem, "%="},
    {KGI_OP_and, "&="}, {KGI_OP_or, "|="},  {KGI_OP_xor, "^="}, {KGI_OP_shl, "<<="}, {KGI_OP_shr, ">>="},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].op == op) return rows[i].text;
  return NULL;
}

/* ---- types of literals ---- */

static kgi_rule rule_of(const kgi_inst *x) {
  return (kgi_rule)(x->kind == KGI_op ? kgi_op_rows[x->op].rule : kgi_subgroup_rows[x->op].rule);
}

static bool by_rule(const kgi_inst *x) { return x->kind == KGI_op || x->kind == KGI_subgroup; }

static bool in_place(const kgi_printer *t, uint32_t value) {
  return kgi_is_leaf(t->p->inst[value].kind) || (t->plan[value] & KGI_PLAN_INLINE);
}

/* Whether all operands that must be alike are open, so that none of them says what type they have. */
static bool group_is_open(const kgi_printer *t, const kgi_inst *x) {
  kgi_span operands = kgi_operands(x);
  for (unsigned k = 0; k < operands.count; k++)
    if (kgi_rule_operand(rule_of(x), operands.count, k) == KG_NONE && !kgi_is_open(t, x->arg[k])) return false;
  return true;
}

bool kgi_is_open(const kgi_printer *t, uint32_t value) {
  const kgi_inst *x = &t->p->inst[value];
  if (x->kind == KGI_literal) return x->type != KG_BOOL;
  if (!by_rule(x) || !in_place(t, value) || kgi_rule_result(rule_of(x), (kg_type)x->type) != KG_NONE) return false;
  return group_is_open(t, x);
}

/* Printed float literals always look like floats, so an open expression of floats becomes f32. */
kg_type kgi_open_default(const kgi_printer *t, uint32_t value) { return kgi_is_float(t->p->inst[value].type) ? KG_F32 : KG_I32; }

/* ---- memory ---- */

/* Whether the whole chain is to stand inside: then it is what was written as several indices. */
static bool prints_several(const kgi_printer *t, uint32_t object, uint32_t index, kgi_digits *place) {
  if (!kgi_place_read(t->p, object, index, place) || !kgi_place_is_own(t->p, object, place)) return false;
  for (unsigned k = 0; k < t->p->scope.object[object].rank; k++)
    if (!(t->plan[place->link[k]] & KGI_PLAN_INLINE)) return false;
  return true;
}

void kgi_print_place(kgi_printer *t, uint32_t object, uint32_t index) {
  kgi_put(t, t->object[object]);
  if (!index) return;
  kgi_digits place;
  bool several = prints_several(t, object, index, &place);
  for (unsigned k = 0; k < (several ? t->p->scope.object[object].rank : 1u); k++) {
    kgi_put(t, k ? ", " : "[");
    kgi_print_value(t, several ? place.value[k] : index, KG_NONE, ANY);
  }
  kgi_put(t, "]");
}

static void print_atomic(kgi_printer *t, const kgi_inst *x) {
  const kgi_atomic_row *row = &kgi_atomic_rows[x->op];
  kg_type type = kgi_type_value(t->p->scope.object[x->arg[0]].type);
  kgi_putf(t, "atomic_%s(", row->name);
  kgi_print_place(t, x->arg[0], x->arg[1]);
  for (unsigned k = 0; k < row->operands; k++) kgi_put(t, ", "), kgi_print_value(t, x->arg[2 + k], type, ANY);
  kgi_put(t, ")");
}

/* ---- operations ---- */

/* The type that the context of each operand gives its literals. Where nothing does and the default would be wrong, the first
 * operand of the group, `forced`, is given none, so that its literal states one. */
typedef struct context { kg_type want[4]; int forced; } context;

static context contexts(const kgi_printer *t, const kgi_inst *x, kg_type want) {
  context c = {.forced = -1};
  kgi_rule rule = rule_of(x);
  unsigned count = kgi_operands(x).count;
  bool grouped = kgi_rule_result(rule, (kg_type)x->type) == KG_NONE, open = group_is_open(t, x);
  for (unsigned k = 0; k < count; k++) {
    kg_type fixed = kgi_rule_operand(rule, count, k), type = (kg_type)t->p->inst[x->arg[k]].type;
    c.want[k] = fixed != KG_NONE ? fixed : type;
    if (fixed != KG_NONE || !open || c.forced >= 0) continue;
    bool given = (grouped && want == type) || (!(grouped && want != KG_NONE) && kgi_open_default(t, x->arg[k]) == type);
    if (!given) c.forced = (int)k, c.want[k] = KG_NONE;
  }
  return c;
}

static void operand(kgi_printer *t, const kgi_inst *x, const context *c, unsigned k, unsigned level) {
  kgi_print_value(t, x->arg[k], c->want[k], level);
}

static void call(kgi_printer *t, const kgi_inst *x, const char *prefix, const char *name, const context *c) {
  unsigned count = kgi_operands(x).count;
  kgi_put(t, prefix), kgi_put(t, name), kgi_put(t, "(");
  for (unsigned k = 0; k < count; k++) {
    if (k) kgi_put(t, ", ");
    operand(t, x, c, k, ANY);
  }
  kgi_put(t, ")");
}

/* There is one of each literal, so its text is made once. */
static void literal(kgi_printer *t, uint32_t value, bool bare) {
  const kgi_inst *x = &t->p->inst[value];
  char text[KGI_NUMBER_TEXT];
  kg_type type = (kg_type)x->type;
  if (!t->value[value]) {
    kgi_number_text(type, kgi_literal_bits(x), text);
    t->value[value] = kgi_arena_strdup(&t->scratch, text, strlen(text));
  }
  if (!t->value[value]) return;
  bare |= type == KG_BOOL;
  if (!bare) kgi_put(t, kg_type_name(type)), kgi_put(t, "(");
  kgi_put(t, t->value[value]);
  if (!bare) kgi_put(t, ")");
}

static void conversion(kgi_printer *t, const kgi_inst *x) {
  const kgi_inst *from = &t->p->inst[x->arg[0]];
  bool cast = x->op == KGI_OP_bitcast;
  kgi_putf(t, "%s%s(", cast ? "bitcast_" : "", kg_type_name((kg_type)x->type));
  if (!cast && from->kind == KGI_literal) literal(t, x->arg[0], false); /* a bare one would be a literal of the new type */
  else kgi_print_value(t, x->arg[0], KG_NONE, ANY);
  kgi_put(t, ")");
}

/* -x and !x; a minus before a literal would become a part of it. */
static bool print_unary(kgi_printer *t, const kgi_inst *x, const context *c, unsigned level) {
  bool negation = x->op == KGI_OP_neg;
  if ((!negation && x->op != KGI_OP_not) || (negation && t->p->inst[x->arg[0]].kind == KGI_literal)) return false;
  if (level > UNARY) kgi_put(t, "(");
  kgi_put(t, negation ? "-" : x->type == KG_BOOL ? "!" : "~");
  operand(t, x, c, 0, PRIMARY);
  if (level > UNARY) kgi_put(t, ")");
  return true;
}

static void operation(kgi_printer *t, const kgi_inst *x, kg_type want, unsigned level) {
  if (x->op == KGI_OP_convert || x->op == KGI_OP_bitcast) {
    conversion(t, x);
    return;
  }
  context c = contexts(t, x, want);
  operator_row row = infix(x->op, t->p->inst[x->arg[0]].type == KG_BOOL);
  if (print_unary(t, x, &c, level)) return;
  if (!row.level) {
    call(t, x, "", kgi_op_rows[x->op].name, &c);
    return;
  }
  if (level > row.level) kgi_put(t, "(");
  operand(t, x, &c, 0, row.level + (row.level == COMPARISON)); /* comparisons do not chain */
  kgi_put(t, " "), kgi_put(t, row.text), kgi_put(t, " ");
  operand(t, x, &c, 1, row.level + 1u);
  if (level > row.level) kgi_put(t, ")");
}

/* ---- values ---- */

static void leaf(kgi_printer *t, uint32_t value, kg_type want) {
  const kgi_inst *x = &t->p->inst[value];
  static const char *const component[] = {".x", ".y", ".z"};
  kg_type fallback = kgi_is_float(x->type) ? KG_F32 : KG_I32;
  const kgi_id_row *id = &kgi_id_rows[x->kind == KGI_id ? x->op : 0];
  if (x->kind == KGI_literal) literal(t, value, want == KG_NONE ? x->type == fallback : x->type == want);
  else if (x->kind == KGI_spec) kgi_put(t, t->spec[x->arg[0]]);
  else if (x->kind == KGI_param) kgi_put(t, t->param[x->arg[0]]);
  else if (x->kind == KGI_id) kgi_put(t, id->name), kgi_put(t, id->components == 1 ? "" : component[x->arg[0]]);
  else if (x->arg[1]) kgi_putf(t, "len(%s, %" PRIu32 ")", t->object[x->arg[0]], x->arg[1] - 1);
  else kgi_putf(t, "len(%s)", t->object[x->arg[0]]);
}

static void definition(kgi_printer *t, uint32_t value, kg_type want, unsigned level) {
  const kgi_inst *x = &t->p->inst[value];
  if (x->kind == KGI_load) {
    kgi_print_place(t, x->arg[0], x->arg[1]);
  } else if (x->kind == KGI_atomic) {
    print_atomic(t, x);
  } else if (x->kind == KGI_subgroup) {
    context c = contexts(t, x, want);
    call(t, x, "subgroup_", kgi_subgroup_rows[x->op].name, &c);
  } else {
    operation(t, x, want, level);
  }
}

void kgi_print_value(kgi_printer *t, uint32_t value, kg_type want, unsigned level) {
  const kgi_inst *x = &t->p->inst[value];
  if (kgi_is_leaf(x->kind)) leaf(t, value, want);
  else if (t->plan[value] & KGI_PLAN_INLINE) definition(t, value, want, level);
  else kgi_put(t, t->value[value] ? t->value[value] : "");
}

void kgi_print_definition(kgi_printer *t, uint32_t value, kg_type want) { definition(t, value, want, ANY); }

void kgi_print_bounds(kgi_printer *t, const uint32_t bounds[3], bool reversed) {
  const kgi_inst *step = &t->p->inst[bounds[2]];
  bool one = step->kind == KGI_literal && kgi_literal_bits(step) == 1, open = kgi_is_open(t, bounds[2]);
  kg_type type = (kg_type)step->type;
  for (unsigned k = 0; k < 2; k++) open &= kgi_is_open(t, bounds[k]);
  bool given = !open || type == KG_I32;
  kgi_print_value(t, bounds[0], given ? type : KG_NONE, ANY);
  kgi_put(t, " .. ");
  kgi_print_value(t, bounds[1], type, ANY);
  if (!one) kgi_put(t, " step "), kgi_print_value(t, bounds[2], type, ANY);
  if (reversed) kgi_put(t, " reversed");
}

/* ---- lengths ---- */

static void dim_leaf(kgi_printer *t, const kgi_dim_node *n) {
  char text[KGI_NUMBER_TEXT];
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_INT: kgi_putf(t, "%" PRId64, n->imm); break;
  case KGI_DIM_FLOAT: kgi_put(t, kgi_number_text(KG_F64, (uint64_t)n->imm, text)); break;
  case KGI_DIM_PARAM: kgi_put(t, t->param[n->a]); break;
  case KGI_DIM_SPEC: kgi_put(t, t->spec[n->a]); break;
  case KGI_DIM_LEN: kgi_putf(t, "len(%s)", t->object[n->a]); break;
  case KGI_DIM_INDEX: kgi_put(t, t->item[n->a]); break;
  case KGI_DIM_NONE: case KGI_DIM_ADD: case KGI_DIM_SUB: case KGI_DIM_MUL: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN:
  case KGI_DIM_MAX: break;
  }
}

/* Lengths nest no deeper than the validator lets them. */
void kgi_print_dim(kgi_printer *t, const kgi_scope *s, kgi_dim dim, unsigned level) {
  static const char *const texts[] = {[KGI_DIM_ADD] = " + ", [KGI_DIM_SUB] = " - ", [KGI_DIM_MUL] = " * ", [KGI_DIM_DIV] = " / ",
                                      [KGI_DIM_MOD] = " % ", [KGI_DIM_MIN] = ", ",  [KGI_DIM_MAX] = ", "};
  const kgi_dim_node *n = &s->dim[dim.i];
  if (n->op < KGI_DIM_ADD) {
    dim_leaf(t, n);
    return;
  }
  bool named = n->op == KGI_DIM_MIN || n->op == KGI_DIM_MAX;
  unsigned own = n->op == KGI_DIM_ADD || n->op == KGI_DIM_SUB ? SUM : PRODUCT;
  bool brackets = named || level > own;
  kgi_put(t, n->op == KGI_DIM_MIN ? "min" : n->op == KGI_DIM_MAX ? "max" : "");
  kgi_put(t, brackets ? "(" : "");
  kgi_print_dim(t, s, (kgi_dim){n->a}, named ? ANY : own);
  kgi_put(t, texts[n->op]);
  kgi_print_dim(t, s, (kgi_dim){n->b}, named ? ANY : own + 1);
  kgi_put(t, brackets ? ")" : "");
}

void kgi_print_extents(kgi_printer *t, const kgi_scope *s, const kgi_object *o) {
  kgi_put(t, "[");
  if (o->length.i && !o->rank) kgi_print_dim(t, s, o->length, ANY);
  for (unsigned k = 0; k < o->rank; k++) {
    if (k) kgi_put(t, ", ");
    kgi_print_dim(t, s, o->extent[k], ANY);
  }
  kgi_put(t, "]");
}

void kgi_print_dims(kgi_printer *t, const kgi_scope *s, const kgi_dim dims[3]) {
  unsigned count = dims[2].i ? 3 : dims[1].i ? 2 : 1;
  for (unsigned k = 0; k < count; k++) {
    if (k) kgi_put(t, ", ");
    if (dims[k].i) kgi_print_dim(t, s, dims[k], ANY);
    else kgi_put(t, "1");
  }
}
