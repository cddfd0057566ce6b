/* Constants: literals, specialization constants as `const`, and expressions of these. */
#include "spirv/import/import.h"
#include "foundation/ir/bits.h"
#include "foundation/passes/specialise.h"
#include "spirv/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lengths within one another: what a choice is made of stands in its length more than once. */
enum { MOST_NESTED = 64, MOST_DEEP = 16, CHOICE_DEEP = 3 };

bool kgi_im_is_constant(SpvOp op) {
  switch ((unsigned)op) {
  case SpvOpConstantTrue: case SpvOpConstantFalse: case SpvOpConstant: case SpvOpConstantComposite: case SpvOpConstantNull:
  case SpvOpSpecConstantTrue: case SpvOpSpecConstantFalse: case SpvOpSpecConstant: case SpvOpSpecConstantComposite:
  case SpvOpSpecConstantOp: case SpvOpUndef: return true;
  default: return false;
  }
}

static bool is_special(SpvOp op) { return op == SpvOpSpecConstant || op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse; }

static uint64_t bits_of(kgi_import *im, const kgi_im_inst *x, kgi_im_scalar s) {
  if (im->fixed && im->fixed[x->result]) return im->fixed_bits[x->result];
  if (x->op == SpvOpConstantTrue || x->op == SpvOpSpecConstantTrue) return 1;
  if (x->op == SpvOpConstantFalse || x->op == SpvOpSpecConstantFalse) return 0;
  uint64_t bits = kgi_im_arg(im, x, 0);
  if (s.bits == 64) bits |= (uint64_t)kgi_im_arg(im, x, 1) << 32;
  if (s.bits < 32 && s.is_signed) return (uint32_t)((int32_t)((uint32_t)bits << (32 - s.bits)) >> (32 - s.bits));
  return s.bits < 32 ? bits & ((UINT64_C(1) << s.bits) - 1) : bits;
}

bool kgi_im_known(kgi_import *im, uint32_t id, int64_t *out) {
  kgi_im_inst x = kgi_im_def(im, id);
  bool fixed = im->fixed && id < im->bound && im->fixed[id]; /* of types, which are measured before, no length is */
  if (x.op != SpvOpConstant && x.op != SpvOpConstantNull && !fixed) return false;
  kgi_im_scalar s = kgi_im_scalar_of(im, x.type);
  if (!kgi_is_int(s.value)) return false;
  *out = x.op == SpvOpConstantNull ? 0 : kgi_bits_to_int(s.value, bits_of(im, &x, s));
  return true;
}

/* ---- specialization constants ---- */

static kgi_val spec_value(kgi_import *im, const kgi_im_inst *x, kgi_im_scalar s) {
  if (im->value[x->result]) return im->value[x->result][0];
  const char *name = kgi_im_fresh_name(im, kgi_im_name_of(im, x->result, KGI_IM_NONE));
  kgi_spec made = {.pos = im->b.pos, .type = (uint8_t)s.value, .bits = bits_of(im, x, s)};
  made.name = kgi_intern_z(im->b.m, name);
  made.numbered = kgi_im_decorated(im, x->result, KGI_IM_NONE, SpvDecorationSpecId, &made.id);
  uint32_t spec = kgi_spec_add(&im->b, &made);
  return kgi_spec_value(&im->b, spec);
}

/* An instruction that stands among the constants: its words, put where an instruction's would be. */
static kgi_val *operation(kgi_import *im, const kgi_im_inst *x) {
  kgi_im_inst inner = {.op = (SpvOp)kgi_im_arg(im, x, 0), .at = x->at, .type = x->type, .result = x->result};
  if (!kgi_im_fine(im)) return NULL;
  inner.arg = x->arg + 1, inner.args = x->args - 1;
  kgi_im_instruction(im, &inner);
  kgi_val *leaves = im->value[x->result];
  im->value[x->result] = NULL; /* where it was computed may not be seen from the next use */
  return leaves;
}

static kgi_val *composite(kgi_import *im, const kgi_im_inst *x, kgi_val *out, uint32_t count) {
  uint32_t used = 0;
  for (uint32_t k = 0; k < x->args && kgi_im_fine(im); k++) {
    kgi_val *part = kgi_im_value(im, x->arg[k]);
    uint32_t n = part ? im->leaves[kgi_im_type_of(im, x->arg[k])] : 0;
    for (uint32_t i = 0; i < n && used < count; i++) out[used++] = part[i];
  }
  if (!x->args && kgi_im_is_nothing(im, x->type)) out[used++] = kgi_u32(&im->b, 0);
  if (used != count) kgi_im_malformed(im, x->at, "a composite with too few parts");
  return out;
}

static kgi_val *zeros(kgi_import *im, const kgi_im_inst *x, kgi_val *out, uint32_t count) {
  uint32_t *types = kgi_arena_alloc(im->arena, count, sizeof *types);
  if (!types || kgi_im_leaf_types(im, x->type, types) != count) return NULL;
  for (uint32_t k = 0; k < count; k++) out[k] = kgi_literal_of(&im->b, kgi_im_scalar_of(im, types[k]).value, 0);
  return out;
}

static bool is_leaf(const kgi_import *im, const kgi_val *x, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (!kgi_is_leaf(im->b.p->inst[x[k].i].kind)) return false;
  return true;
}

static kgi_val *constant(kgi_import *im, const kgi_im_inst *x) {
  uint32_t count = x->type < im->bound ? im->leaves[x->type] : 0;
  if (!count) return kgi_im_refuse(im, x, "its type has too many parts, or parts that are no numbers"), NULL;
  if (x->op == SpvOpSpecConstantOp) return operation(im, x);
  kgi_val *out = kgi_im_room(im, count);
  if (!out) return NULL;
  if (x->op == SpvOpConstantNull || x->op == SpvOpUndef) {
    zeros(im, x, out, count);
  } else if (x->op == SpvOpConstantComposite || x->op == SpvOpSpecConstantComposite) {
    composite(im, x, out, count);
  } else {
    kgi_im_scalar s = kgi_im_scalar_of(im, x->type);
    bool special = is_special(x->op) && !im->fixed[x->result];
    if (s.value == KG_NONE) return kgi_im_refuse(im, x, "of its type there are no values"), NULL;
    *out = special ? spec_value(im, x, s) : kgi_literal_of(&im->b, s.value, bits_of(im, x, s));
  }
  if (kgi_im_fine(im) && is_leaf(im, out, count)) im->value[x->result] = out;
  return out;
}

/* Constants are made of others, but not without end: what goes in circles was not refused yet. */
kgi_val *kgi_im_constant(kgi_import *im, const kgi_im_inst *x) {
  if (im->nested >= MOST_NESTED) return kgi_im_refuse(im, x, "it is made of too many others"), NULL;
  im->nested++;
  kgi_val *out = constant(im, x);
  im->nested--;
  return out;
}

/* ---- lengths ---- */

static kgi_dim_op dim_op(uint32_t op) {
  switch (op) {
  case SpvOpIAdd: return KGI_DIM_ADD;
  case SpvOpISub: return KGI_DIM_SUB;
  case SpvOpIMul: return KGI_DIM_MUL;
  case SpvOpUDiv: case SpvOpSDiv: return KGI_DIM_DIV;
  case SpvOpUMod: case SpvOpSMod: return KGI_DIM_MOD;
  default: return KGI_DIM_NONE;
  }
}

static kgi_dim dim_within(kgi_import *im, uint32_t id, unsigned depth);

/* The constant that is one component of another, which may be another's in turn; 0: it is none. */
static uint32_t component_of(kgi_import *im, uint32_t id, uint32_t k, unsigned depth) {
  kgi_im_inst x = kgi_im_def(im, id);
  if (!kgi_im_fine(im) || depth > MOST_DEEP) return 0;
  if (x.op == SpvOpConstantComposite || x.op == SpvOpSpecConstantComposite) return k < x.args ? x.arg[k] : 0;
  if (x.op != SpvOpSpecConstantOp || x.args < 4 || x.arg[0] != SpvOpVectorShuffle || k + 3 >= x.args) return 0;
  uint32_t first = kgi_im_parts(im, kgi_im_type_of(im, x.arg[1])), from = x.arg[3 + k];
  return from < first ? component_of(im, x.arg[1], from, depth + 1) : component_of(im, x.arg[2], from - first, depth + 1);
}

static bool is_wide_int(kgi_import *im, uint32_t type) {
  kgi_im_scalar s = kgi_im_scalar_of(im, type);
  return kgi_is_int(s.value) && s.bits >= 32;
}

/* What an expression that only hands on a constant hands on; 0: it is more. A length fits whatever is as wide as 32 bits. */
static uint32_t handed_on(kgi_import *im, const kgi_im_inst *x, unsigned depth) {
  if (x->op != SpvOpSpecConstantOp || x->args < 2) return 0;
  if (x->arg[0] == SpvOpUConvert || x->arg[0] == SpvOpSConvert || x->arg[0] == SpvOpBitcast)
    return is_wide_int(im, x->type) && is_wide_int(im, kgi_im_type_of(im, x->arg[1])) ? x->arg[1] : 0;
  return x->arg[0] == SpvOpCompositeExtract && x->args == 3 ? component_of(im, x->arg[1], x->arg[2], depth) : 0;
}

/* A shift by a known number of bits, as a product or a quotient. {0}: it is no such. */
static kgi_dim dim_of_shift(kgi_import *im, const kgi_im_inst *x, unsigned depth) {
  bool left = x->arg[0] == SpvOpShiftLeftLogical;
  int64_t bits = 0;
  if (x->args != 3 || (!left && x->arg[0] != SpvOpShiftRightLogical && x->arg[0] != SpvOpShiftRightArithmetic)) return (kgi_dim){0};
  if (!kgi_im_known(im, x->arg[2], &bits) || bits < 0 || bits > 31) return (kgi_dim){0};
  kgi_dim a = dim_within(im, x->arg[1], depth + 1);
  return kgi_len_op(&im->b, left ? KGI_DIM_MUL : KGI_DIM_DIV, a, kgi_len_int(&im->b, INT64_C(1) << bits));
}

/* `n & 31` is n mod 32, and `n & ~31` what that leaves; of negative numbers, too, whose remainders are floored. {0}: it is no such. */
static kgi_dim dim_of_mask(kgi_import *im, const kgi_im_inst *x, unsigned depth) {
  int64_t mask = 0;
  if (x->args != 3 || x->arg[0] != SpvOpBitwiseAnd) return (kgi_dim){0};
  bool is_second = kgi_im_known(im, x->arg[2], &mask);
  if (!is_second && !kgi_im_known(im, x->arg[1], &mask)) return (kgi_dim){0};
  uint32_t low = (uint32_t)mask & 1 ? (uint32_t)mask : ~(uint32_t)mask;
  if (kgi_im_scalar_of(im, x->type).bits != 32 || low == UINT32_MAX || low & (low + 1)) return (kgi_dim){0};
  kgi_dim all = dim_within(im, x->arg[is_second ? 1 : 2], depth + 1);
  kgi_dim rest = kgi_len_op(&im->b, KGI_DIM_MOD, all, kgi_len_int(&im->b, (int64_t)low + 1));
  return low == (uint32_t)mask ? rest : kgi_len_op(&im->b, KGI_DIM_SUB, all, rest);
}

/* ---- choices: a truth is 0 or 1 ---- */

static kgi_dim dim_op2(kgi_import *im, kgi_dim_op op, kgi_dim a, kgi_dim b) {
  return a.i && b.i ? kgi_len_op(&im->b, op, a, b) : (kgi_dim){0};
}

static kgi_dim opposite(kgi_import *im, kgi_dim truth) { return dim_op2(im, KGI_DIM_SUB, kgi_len_int(&im->b, 1), truth); }

static kgi_dim is_greater(kgi_import *im, kgi_dim a, kgi_dim b) {
  kgi_dim over = dim_op2(im, KGI_DIM_SUB, a, b);
  over = dim_op2(im, KGI_DIM_MAX, over, kgi_len_int(&im->b, 0));
  return dim_op2(im, KGI_DIM_MIN, over, kgi_len_int(&im->b, 1));
}

static kgi_dim differ(kgi_import *im, kgi_dim a, kgi_dim b) {
  kgi_dim more = is_greater(im, a, b), less = is_greater(im, b, a);
  return dim_op2(im, KGI_DIM_MAX, more, less);
}

static kgi_dim truth_of(kgi_import *im, const kgi_im_inst *x, kgi_dim a, kgi_dim b) {
  switch (x->arg[0]) {
  case SpvOpUGreaterThan: case SpvOpSGreaterThan: return is_greater(im, a, b);
  case SpvOpULessThan: case SpvOpSLessThan: return is_greater(im, b, a);
  case SpvOpUGreaterThanEqual: case SpvOpSGreaterThanEqual: return opposite(im, is_greater(im, b, a));
  case SpvOpULessThanEqual: case SpvOpSLessThanEqual: return opposite(im, is_greater(im, a, b));
  case SpvOpINotEqual: case SpvOpLogicalNotEqual: return differ(im, a, b);
  case SpvOpIEqual: case SpvOpLogicalEqual: return opposite(im, differ(im, a, b));
  case SpvOpLogicalAnd: return dim_op2(im, KGI_DIM_MIN, a, b);
  case SpvOpLogicalOr: return dim_op2(im, KGI_DIM_MAX, a, b);
  default: return (kgi_dim){0};
  }
}

/* {0}: it is no truth that a length shows. */
static kgi_dim dim_of_truth(kgi_import *im, uint32_t id, unsigned depth) {
  kgi_im_inst x = kgi_im_def(im, id);
  if (x.op == SpvOpConstantTrue || x.op == SpvOpConstantFalse) return kgi_len_int(&im->b, x.op == SpvOpConstantTrue);
  if (x.op != SpvOpSpecConstantOp || depth > MOST_DEEP || x.args < 2 || !kgi_im_count_step(im, &x)) return (kgi_dim){0};
  depth += CHOICE_DEEP;
  if (x.arg[0] == SpvOpLogicalNot) return opposite(im, dim_of_truth(im, x.arg[1], depth));
  if (x.args != 3) return (kgi_dim){0};
  bool of_truths = kgi_im_scalar_of(im, kgi_im_type_of(im, x.arg[1])).value == KG_BOOL;
  kgi_dim a = of_truths ? dim_of_truth(im, x.arg[1], depth) : dim_within(im, x.arg[1], depth);
  kgi_dim b = of_truths ? dim_of_truth(im, x.arg[2], depth) : dim_within(im, x.arg[2], depth);
  return truth_of(im, &x, a, b);
}

/* c * a + (1 - c) * b. Both sides are computed, so a quotient among them must not fail where it is not chosen. */
static kgi_dim dim_of_choice(kgi_import *im, const kgi_im_inst *x, unsigned depth) {
  if (x->args != 4 || x->arg[0] != SpvOpSelect) return (kgi_dim){0};
  depth += CHOICE_DEEP;
  kgi_dim c = dim_of_truth(im, x->arg[1], depth);
  if (!c.i) return (kgi_dim){0};
  im->choices++;
  kgi_dim a = dim_within(im, x->arg[2], depth), b = dim_within(im, x->arg[3], depth);
  im->choices--;
  kgi_dim one = dim_op2(im, KGI_DIM_MUL, c, a), other = dim_op2(im, KGI_DIM_MUL, opposite(im, c), b);
  return dim_op2(im, KGI_DIM_ADD, one, other);
}

/* ---- expressions that no length shows, but whose value may be known ---- */

static bool is_operation(SpvOp op) { return op == SpvOpSpecConstantOp || op == SpvOpSpecConstantComposite; }

/* A specialization constant that it is made of and that nobody has said; 0: there is none, or too much is asked. */
static uint32_t unsaid_within(kgi_import *im, uint32_t id, unsigned depth) {
  kgi_im_inst x = kgi_im_def(im, id);
  if (!kgi_im_fine(im) || depth > MOST_DEEP || !kgi_im_count_step(im, &x)) return 0;
  if (is_special(x.op)) return im->fixed[id] ? 0 : id;
  for (uint32_t k = x.op == SpvOpSpecConstantOp; is_operation(x.op) && k < x.args; k++) {
    bool is_id = x.arg[k] && x.arg[k] < im->bound && im->def[x.arg[k]] && kgi_im_is_constant(kgi_im_def(im, x.arg[k]).op);
    uint32_t found = is_id ? unsaid_within(im, x.arg[k], depth + 1) : 0; /* a literal that is taken for an id leads to a constant at most */
    if (found) return found;
  }
  return 0;
}

bool kgi_im_unsaid(kgi_import *im, uint32_t id, char name[64]) {
  uint32_t unsaid = unsaid_within(im, id, 0), spec = 0;
  if (!kgi_im_fine(im) || !unsaid) return false;
  const char *own = kgi_im_name_of(im, unsaid, KGI_IM_NONE);
  kgi_im_decorated(im, unsaid, KGI_IM_NONE, SpvDecorationSpecId, &spec);
  if (*own) snprintf(name, 64, "%.60s", own); else snprintf(name, 64, "%u", spec);
  return true;
}

static kgi_dim refuse_length(kgi_import *im, const kgi_im_inst *x) {
  char name[64];
  bool unsaid = kgi_im_unsaid(im, x->result, name);
  if (!kgi_im_fine(im)) return (kgi_dim){0};
  if (!unsaid) return kgi_im_refuse(im, x, "a length is made of it"), (kgi_dim){0};
  KGI_DIAG(im->diags, import_length, 0, kgi_spirv_opcode((SpvOp)x->arg[0]), KGI_NUM(x->at), name, kgi_im_source_of(im, x->at));
  im->status = KG_REFUSED;
  kgi_fail(&im->b, im->status);
  return (kgi_dim){0};
}

/* Folded as what computes with it would be, where all that it is made of is known. */
static kgi_dim dim_of_known(kgi_import *im, const kgi_im_inst *x) {
  if (x->op != SpvOpSpecConstantOp || unsaid_within(im, x->result, 0)) return (kgi_dim){0};
  const kgi_val *value = kgi_im_value(im, x->result);
  if (!kgi_im_fine(im) || im->leaves[x->type] != 1) return (kgi_dim){0};
  const kgi_inst *made = &im->b.p->inst[value->i];
  if (made->kind != KGI_literal || !kgi_is_int(made->type)) return (kgi_dim){0};
  return kgi_len_int(&im->b, kgi_bits_to_int((kg_type)made->type, kgi_literal_bits(made)));
}

static kgi_dim dim_within(kgi_import *im, uint32_t id, unsigned depth) {
  int64_t known = 0;
  kgi_im_inst x = kgi_im_def(im, id);
  if (!kgi_im_fine(im) || !kgi_im_count_step(im, &x)) return (kgi_dim){0};
  if (kgi_im_known(im, id, &known)) return kgi_len_int(&im->b, known);
  if (x.op == SpvOpSpecConstant) {
    kgi_val *value = kgi_im_value(im, id);
    return kgi_im_fine(im) ? kgi_len_spec(&im->b, im->b.p->inst[value->i].arg[0]) : (kgi_dim){0};
  }
  uint32_t same = handed_on(im, &x, depth);
  if (same && depth <= MOST_DEEP) return dim_within(im, same, depth + 1);
  kgi_dim_op op = x.op == SpvOpSpecConstantOp ? dim_op(kgi_im_arg(im, &x, 0)) : KGI_DIM_NONE;
  if (op == KGI_DIM_NONE && x.op == SpvOpSpecConstantOp && depth <= MOST_DEEP) {
    kgi_dim made = dim_of_shift(im, &x, depth);
    if (!made.i && kgi_im_fine(im)) made = dim_of_mask(im, &x, depth);
    if (!made.i && kgi_im_fine(im)) made = dim_of_known(im, &x);
    if (!made.i && kgi_im_fine(im)) made = dim_of_choice(im, &x, depth);
    if (made.i || !kgi_im_fine(im)) return made;
  }
  if (op == KGI_DIM_NONE || x.args != 3 || depth > MOST_DEEP) return refuse_length(im, &x);
  kgi_dim a = dim_within(im, x.arg[1], depth + 1), b = dim_within(im, x.arg[2], depth + 1);
  bool divides = op == KGI_DIM_DIV || op == KGI_DIM_MOD;
  if (divides && im->choices && kgi_im_fine(im)) b = kgi_len_op(&im->b, KGI_DIM_MAX, b, kgi_len_int(&im->b, 1));
  return kgi_len_op(&im->b, op, a, b);
}

kgi_dim kgi_im_dim(kgi_import *im, uint32_t id) { return dim_within(im, id, 0); }

/* ---- constants that are known ---- */

/* "3" is what has SpecId 3; anything else is a name, as the import gives it. */
static bool goes_by(kgi_import *im, uint32_t id, const char *name, size_t length) {
  char *end, text[24];
  uint32_t spec = 0;
  const char *own = kgi_im_name_of(im, id, KGI_IM_NONE);
  if (strlen(own) == length && !memcmp(own, name, length)) return true;
  if (!length || length >= sizeof text || !kgi_im_decorated(im, id, KGI_IM_NONE, SpvDecorationSpecId, &spec)) return false;
  memcpy(text, name, length), text[length] = 0;
  unsigned long number = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && number == spec;
}

static bool cannot(kgi_import *im) {
  if (im->status == KG_OK) im->status = KG_INVALID;
  return false;
}

static const char *list_constants(kgi_import *im, char *out, size_t size) {
  size_t used = 0;
  snprintf(out, size, "there are none");
  for (uint32_t id = 1; id < im->bound && used + 48 < size; id++) {
    uint32_t spec = 0;
    if (!im->def[id] || !is_special(kgi_im_def(im, id).op)) continue;
    kgi_im_decorated(im, id, KGI_IM_NONE, SpvDecorationSpecId, &spec);
    const char *own = kgi_im_name_of(im, id, KGI_IM_NONE);
    used += (size_t)snprintf(out + used, size - used, "%s%.32s%s%u", used ? ", " : "", own, *own ? " or " : "", spec);
  }
  return out;
}

static bool shares_spec(kgi_import *im, uint32_t id, uint32_t with) {
  uint32_t a = 0, b = 0;
  return kgi_im_decorated(im, id, KGI_IM_NONE, SpvDecorationSpecId, &a) && kgi_im_decorated(im, with, KGI_IM_NONE, SpvDecorationSpecId, &b) &&
         a == b;
}

static bool fix_value(kgi_import *im, kgi_builder *b, uint32_t id, const char *name, const char *value) {
  kgi_im_scalar s = kgi_im_scalar_of(im, kgi_im_def(im, id).type);
  if (im->fixed[id]) return KGI_DIAG(im->diags, fixed_twice, 0, name), cannot(im);
  bool fits = s.value != KG_NONE && kgi_value_of_text(b, value, s.value, &im->fixed_bits[id]) &&
              (s.value == KG_BOOL || s.bits >= kgi_type_bits(s.value));
  if (!fits) return KGI_DIAG(im->diags, fixed_value, 0, name, kg_type_name(s.value), value), cannot(im);
  return im->fixed[id] = true;
}

/* A SpecId may stand at several constants, which a host gives one value. */
static bool fix_one(kgi_import *im, kgi_builder *b, const char *item) {
  const char *sign = strchr(item, '=');
  char names[200], name[80];
  uint32_t found = 0;
  if (!sign || sign == item || !sign[1]) return KGI_DIAG(im->diags, fixed_form, 0, item), cannot(im);
  snprintf(name, sizeof name, "%.*s", (int)(sign - item), item);
  for (uint32_t id = 1; id < im->bound && !found; id++)
    if (im->def[id] && is_special(kgi_im_def(im, id).op) && goes_by(im, id, item, (size_t)(sign - item))) found = id;
  if (!found) return KGI_DIAG(im->diags, fixed_unknown, 0, "constant", name, list_constants(im, names, sizeof names)), cannot(im);
  for (uint32_t id = 1; id < im->bound; id++) {
    bool meant = im->def[id] && is_special(kgi_im_def(im, id).op) && (id == found || shares_spec(im, id, found));
    if (meant && !fix_value(im, b, id, name, sign + 1)) return false;
  }
  return true;
}

bool kgi_im_fix_constants(kgi_import *im) {
  const kg_facts *facts = &im->told->facts;
  kgi_builder b;
  im->fixed = kgi_arena_alloc(im->arena, im->bound, sizeof *im->fixed);
  im->fixed_bits = kgi_arena_alloc(im->arena, im->bound, sizeof *im->fixed_bits);
  if (!im->fixed || !im->fixed_bits) return false;
  if (!facts->constant_count) return true;
  kg_module *m = kgi_module_new(&im->arena->alloc, ""); /* where values are read */
  if (!m) return im->status = KG_NO_MEMORY, false;
  kgi_builder_init(&b, m, NULL);
  kgi_begin_program(&b, "values");
  bool fine = true;
  for (size_t k = 0; k < facts->constant_count && fine && b.p; k++) fine = fix_one(im, &b, facts->constants[k]);
  if (m->arena.failed) im->status = KG_NO_MEMORY;
  kg_module_free(m);
  return fine && im->status == KG_OK;
}
