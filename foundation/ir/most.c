#include "foundation/ir/most.h"

enum { DEEP = 6 };

uint32_t kgi_literal_size(const kgi_program *p, unsigned axis) {
  const kgi_dim_node *n = &p->scope.dim[p->workgroup[axis].i];
  if (!p->workgroup[axis].i) return 1;
  return n->op == KGI_DIM_INT && n->imm > 0 && n->imm <= UINT32_MAX ? (uint32_t)n->imm : 0;
}

static bool is_word(const kgi_inst *x) { return x->type == KG_I32 || x->type == KG_U32; }

static bool literal_of(const kgi_program *p, uint32_t value, uint64_t *is) {
  const kgi_inst *x = &p->inst[value];
  *is = x->kind == KGI_literal ? kgi_literal_bits(x) : 0;
  return x->kind == KGI_literal && *is <= INT32_MAX;
}

static bool most_of(const kgi_program *p, uint32_t value, unsigned depth, uint64_t *most);

static bool most_of_id(const kgi_program *p, const kgi_inst *x, uint64_t *most) {
  uint64_t lanes = 1;
  if (x->op != KGI_ID_local_id && x->op != KGI_ID_local_index) return false;
  for (unsigned axis = 0; axis < 3; axis++)
    if (x->op == KGI_ID_local_index || axis == x->arg[0]) lanes *= kgi_literal_size(p, axis);
  return *most = lanes - 1, lanes && lanes <= INT32_MAX;
}

/* No index of a loop reaches its end. */
static bool most_of_index(const kgi_program *p, const kgi_inst *x, uint64_t *most) {
  uint64_t from;
  if (!literal_of(p, x->arg[0], &from) || !literal_of(p, x->arg[1], most) || !*most) return false;
  return --*most, true;
}

/* The quotient and the remainder are the mathematical ones: nothing is below 0. */
static bool most_of_op(const kgi_program *p, const kgi_inst *x, unsigned depth, uint64_t *most) {
  uint64_t other = 0, by;
  bool first = most_of(p, x->arg[0], depth - 1, most), divides = literal_of(p, x->arg[1], &by) && by;
  if (x->op == KGI_OP_rem) return divides && (first || x->type == KG_U32) ? (*most = by - 1, true) : false;
  if (x->op == KGI_OP_and && (literal_of(p, x->arg[1], &by) || literal_of(p, x->arg[0], &by))) return *most = by, true;
  if (!first) return false;
  if (x->op == KGI_OP_convert) return true;
  if (x->op == KGI_OP_div) return *most /= divides ? by : 1, divides;
  if ((x->op != KGI_OP_add && x->op != KGI_OP_mul) || !most_of(p, x->arg[1], depth - 1, &other)) return false;
  *most = x->op == KGI_OP_add ? *most + other : *most * other;
  return *most <= INT32_MAX;
}

static bool most_of(const kgi_program *p, uint32_t value, unsigned depth, uint64_t *most) {
  const kgi_inst *x = &p->inst[value];
  *most = 0;
  if (!depth || !is_word(x)) return false;
  if (x->kind == KGI_literal) return literal_of(p, value, most);
  if (x->kind == KGI_id) return most_of_id(p, x, most);
  if (x->kind == KGI_for) return most_of_index(p, x, most);
  return x->kind == KGI_op && most_of_op(p, x, depth, most);
}

bool kgi_most_of(const kgi_program *p, kgi_val value, uint64_t *most) { return most_of(p, value.i, DEEP, most); }

bool kgi_digits_of_sum(const kgi_program *p, kgi_val value, uint64_t by, kgi_val *high, kgi_val *low) {
  const kgi_inst *sum = &p->inst[value.i];
  uint64_t most, is;
  if (sum->kind != KGI_op || sum->op != KGI_OP_add || !kgi_most_of(p, value, &most)) return false;
  for (unsigned k = 0; k < 2; k++) {
    const kgi_inst *product = &p->inst[sum->arg[k]];
    *low = (kgi_val){sum->arg[1 - k]};
    if (product->kind != KGI_op || product->op != KGI_OP_mul || !kgi_most_of(p, *low, &most) || most >= by) continue;
    for (unsigned n = 0; n < 2; n++) {
      *high = (kgi_val){product->arg[1 - n]};
      if (literal_of(p, product->arg[n], &is) && is == by) return true;
    }
  }
  return false;
}
