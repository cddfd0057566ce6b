#include "foundation/ir/dim.h"
#include "foundation/base/set.h"

#include <string.h>

static uint64_t hash_node(const void *owner, uint32_t index) {
  const kgi_dim_node *n = &((const kgi_scope *)owner)->dim[index];
  uint64_t key[3] = {(uint64_t)n->op << 32 | n->a, n->b, (uint64_t)n->imm};
  return kgi_hash(key, sizeof key);
}

typedef struct query { const kgi_scope *scope; kgi_dim_node node; } query;

static bool same_node(const void *context, uint32_t index) {
  const query *q = context;
  const kgi_dim_node *n = &q->scope->dim[index];
  return n->op == q->node.op && n->a == q->node.a && n->b == q->node.b && n->imm == q->node.imm;
}

static kgi_dim intern(kgi_arena *arena, kgi_scope *scope, kgi_dim_node node) {
  query q = {scope, node};
  uint64_t key[3] = {(uint64_t)node.op << 32 | node.a, node.b, (uint64_t)node.imm};
  uint32_t found = kgi_set_find(&scope->dims, kgi_hash(key, sizeof key), same_node, &q);
  if (found) return (kgi_dim){found};
  uint32_t index = scope->dim_count ? scope->dim_count : 1; /* entry 0 is none */
  if (!kgi_arena_grow(arena, &scope->dim, index, &scope->dim_cap, sizeof *scope->dim)) return (kgi_dim){0};
  scope->dim[index] = node;
  scope->dim_count = index + 1;
  if (!kgi_set_add(arena, &scope->dims, index, hash_node, scope)) return (kgi_dim){0};
  return (kgi_dim){index};
}

kgi_dim kgi_dim_int(kgi_arena *arena, kgi_scope *scope, int64_t value) {
  return intern(arena, scope, (kgi_dim_node){.op = KGI_DIM_INT, .imm = value});
}

/* Every NaN is the quiet, positive one, as of literals. */
kgi_dim kgi_dim_float(kgi_arena *arena, kgi_scope *scope, double value) {
  kgi_dim_node node = {.op = KGI_DIM_FLOAT, .imm = (int64_t)kgi_float_bits(KG_F64, value)};
  if (value != value) node.imm = INT64_C(0x7FF8000000000000);
  return intern(arena, scope, node);
}

kgi_dim kgi_dim_leaf(kgi_arena *arena, kgi_scope *scope, kgi_dim_op op, uint32_t index) {
  return intern(arena, scope, (kgi_dim_node){.op = (uint8_t)op, .a = index});
}

/* C's division truncates; lengths want the floor, so that (n - 1) / 4 + 1 is right at n = 0. */
static kgi_dim_fault divide(int64_t a, int64_t b, int64_t *quotient, int64_t *remainder) {
  if (b == 0) return KGI_DIM_DIVIDE;
  if (a == INT64_MIN && b == -1) return KGI_DIM_OVERFLOW;
  *quotient = a / b, *remainder = a % b;
  if (*remainder != 0 && (*remainder < 0) != (b < 0)) *quotient -= 1, *remainder += b;
  return KGI_DIM_OK;
}

static kgi_dim_fault apply(kgi_dim_op op, int64_t a, int64_t b, int64_t *out) {
  int64_t other;
  switch (op) {
  case KGI_DIM_ADD: return __builtin_add_overflow(a, b, out) ? KGI_DIM_OVERFLOW : KGI_DIM_OK;
  case KGI_DIM_SUB: return __builtin_sub_overflow(a, b, out) ? KGI_DIM_OVERFLOW : KGI_DIM_OK;
  case KGI_DIM_MUL: return __builtin_mul_overflow(a, b, out) ? KGI_DIM_OVERFLOW : KGI_DIM_OK;
  case KGI_DIM_DIV: return divide(a, b, out, &other);
  case KGI_DIM_MOD: return divide(a, b, &other, out);
  case KGI_DIM_MIN: *out = a < b ? a : b; return KGI_DIM_OK;
  case KGI_DIM_MAX: *out = a > b ? a : b; return KGI_DIM_OK;
  case KGI_DIM_NONE: case KGI_DIM_INT: case KGI_DIM_FLOAT: case KGI_DIM_PARAM: case KGI_DIM_SPEC: case KGI_DIM_LEN:
  case KGI_DIM_INDEX: break;
  }
  return KGI_DIM_UNKNOWN;
}

kgi_dim kgi_dim_binary(kgi_arena *arena, kgi_scope *scope, kgi_dim_op op, kgi_dim a, kgi_dim b) {
  if (!a.i || !b.i) return (kgi_dim){0};
  const kgi_dim_node *x = &scope->dim[a.i], *y = &scope->dim[b.i];
  int64_t value;
  if (x->op == KGI_DIM_INT && y->op == KGI_DIM_INT && apply(op, x->imm, y->imm, &value) == KGI_DIM_OK)
    return kgi_dim_int(arena, scope, value);
  return intern(arena, scope, (kgi_dim_node){.op = (uint8_t)op, .a = a.i, .b = b.i});
}

static kgi_dim_fault leaf(const kgi_scope *scope, const kgi_dim_node *n, const kgi_dim_env *env, int64_t *out) {
  kg_type type = KG_NONE;
  uint64_t bits = 0;
  if (n->op == KGI_DIM_INT) return *out = n->imm, KGI_DIM_OK;
  if (n->op == KGI_DIM_INDEX && env->index) return *out = env->index[n->a], KGI_DIM_OK;
  if (n->op == KGI_DIM_LEN && env->length) type = KG_U64, bits = env->length[n->a - env->host];
  if (n->op == KGI_DIM_PARAM && env->param) type = (kg_type)scope->param[n->a].type, bits = env->param[n->a - env->host];
  if (n->op == KGI_DIM_SPEC) type = (kg_type)scope->spec[n->a].type, bits = env->spec ? env->spec[n->a] : scope->spec[n->a].bits;
  if (!kgi_is_int(type)) return KGI_DIM_UNKNOWN;
  *out = kgi_bits_to_int(type, bits);
  return type == KG_U64 && *out < 0 ? KGI_DIM_OVERFLOW : KGI_DIM_OK;
}

/* Nodes refer only to earlier ones, so the depth is bounded by what the parser lets through. */
kgi_dim_fault kgi_dim_eval(const kgi_scope *scope, kgi_dim dim, const kgi_dim_env *env, int64_t *out) {
  const kgi_dim_node *n = &scope->dim[dim.i];
  if (!dim.i) return KGI_DIM_UNKNOWN;
  if (n->op < KGI_DIM_ADD) return leaf(scope, n, env, out);
  int64_t a, b;
  kgi_dim_fault fault = kgi_dim_eval(scope, (kgi_dim){n->a}, env, &a);
  if (fault == KGI_DIM_OK) fault = kgi_dim_eval(scope, (kgi_dim){n->b}, env, &b);
  return fault == KGI_DIM_OK ? apply((kgi_dim_op)n->op, a, b, out) : fault;
}

kg_status kgi_dim_eval_size(const kgi_scope *scope, kgi_dim dim, const kgi_dim_env *env, const char *what, kgi_diags *diags,
                            kgi_pos pos, uint64_t *out) {
  int64_t value = 0;
  kgi_dim_fault fault = kgi_dim_eval(scope, dim, env, &value);
  if (fault == KGI_DIM_OK && value >= 0) {
    *out = (uint64_t)value;
    return KG_OK;
  }
  if (fault == KGI_DIM_DIVIDE) KGI_DIAG(diags, dim_divide, pos, what);
  else if (fault != KGI_DIM_OK) KGI_DIAG(diags, dim_overflow, pos, what);
  else KGI_DIAG(diags, dim_negative, pos, what, KGI_NUM(value));
  return KG_INVALID;
}

static kg_status eval_extent(const kgi_scope *scope, const kgi_object *o, unsigned k, const kgi_dim_env *env, const char *name,
                             kgi_diags *diags, uint64_t *out) {
  kg_status status = kgi_dim_eval_size(scope, o->extent[k], env, name, diags, o->pos, out);
  if (status != KG_OK || *out <= KGI_MAX_EXTENT) return status;
  KGI_DIAG(diags, extent_too_large, o->pos, name, KGI_NUM(k), KGI_NUM(*out), KGI_NUM(KGI_MAX_EXTENT));
  return KG_INVALID;
}

kg_status kgi_dim_eval_object(const kgi_scope *scope, const kgi_object *o, const kgi_dim_env *env, const char *name, kgi_diags *diags,
                              uint64_t extent[KGI_MAX_RANK], uint64_t *length) {
  uint64_t own[KGI_MAX_RANK], *out = extent ? extent : own;
  kg_status status = KG_OK;
  for (unsigned k = 0; k < o->rank && status == KG_OK; k++) status = eval_extent(scope, o, k, env, name, diags, &out[k]);
  if (status == KG_OK) status = kgi_dim_eval_size(scope, o->length, env, name, diags, o->pos, length);
  if (!o->rank) out[0] = *length;
  return status;
}

/* Products of literals are folded as they are made. */
bool kgi_extents_agree(const kgi_scope *s, const kgi_object *o) {
  uint32_t length = o->length.i;
  unsigned k = o->rank;
  while (k > 1 && s->dim[length].op == KGI_DIM_MUL && s->dim[length].b == o->extent[k - 1].i) length = s->dim[length].a, k--;
  int64_t product = 1;
  for (unsigned n = 0; n < k; n++)
    if (k > 1 && (s->dim[o->extent[n].i].op != KGI_DIM_INT || __builtin_mul_overflow(product, s->dim[o->extent[n].i].imm, &product)))
      return false;
  return k == 1 ? length == o->extent[0].i : s->dim[length].op == KGI_DIM_INT && s->dim[length].imm == product;
}

kgi_dim_fault kgi_dim_eval_bits(const kgi_scope *scope, kgi_dim dim, const kgi_dim_env *env, kg_type type, uint64_t *out) {
  const kgi_dim_node *n = &scope->dim[dim.i];
  if (dim.i && n->op == KGI_DIM_PARAM && scope->param[n->a].type == type && env->param) return *out = env->param[n->a - env->host], KGI_DIM_OK;
  if (dim.i && n->op == KGI_DIM_SPEC && scope->spec[n->a].type == type)
    return *out = env->spec ? env->spec[n->a] : scope->spec[n->a].bits, KGI_DIM_OK;
  double number;
  int64_t value;
  if (dim.i && n->op == KGI_DIM_FLOAT && kgi_is_float(type)) {
    memcpy(&number, &n->imm, sizeof number);
    return *out = kgi_float_bits(type, number), KGI_DIM_OK;
  }
  kgi_dim_fault fault = kgi_dim_eval(scope, dim, env, &value);
  if (fault != KGI_DIM_OK) return fault;
  unsigned bits = kgi_type_bits(type);
  if (kgi_is_float(type)) return *out = kgi_float_bits(type, (double)value), KGI_DIM_OK;
  *out = bits < 64 ? (uint64_t)value & ((UINT64_C(1) << bits) - 1) : (uint64_t)value;
  bool wraps = type == KG_U64 && value < 0;
  return !wraps && kgi_bits_to_int(type, *out) == value ? KGI_DIM_OK : KGI_DIM_OVERFLOW;
}
