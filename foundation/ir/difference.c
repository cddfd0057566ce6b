/* Differences of lengths, with what occurs in both left out: (k + 1) * n - k * n is n, and depends on no k. */
#include "foundation/ir/dim.h"

enum { MOST_TERMS = 24, MOST_DEGREE = 4 };

/* A factor times leaves, which are in order of their numbers: params, lengths, indices, and whatever is no sum or product. */
typedef struct term { int64_t factor; uint32_t leaf[MOST_DEGREE]; unsigned degree; } term;
typedef struct sum { term term[MOST_TERMS]; unsigned terms; bool failed; } sum;

static bool same_leaves(const term *a, const term *b) {
  bool same = a->degree == b->degree;
  for (unsigned k = 0; same && k < a->degree; k++) same = a->leaf[k] == b->leaf[k];
  return same;
}

static void add_term(sum *s, const term *t) {
  unsigned k = 0;
  while (k < s->terms && !same_leaves(&s->term[k], t)) k++;
  if (k == MOST_TERMS) s->failed = true;
  else if (k == s->terms) s->term[s->terms++] = *t;
  else s->failed |= __builtin_add_overflow(s->term[k].factor, t->factor, &s->term[k].factor);
}

static bool multiply(const term *a, const term *b, term *out) {
  *out = *a;
  if (a->degree + b->degree > MOST_DEGREE || __builtin_mul_overflow(a->factor, b->factor, &out->factor)) return false;
  for (unsigned k = 0; k < b->degree; k++) {
    unsigned at = out->degree++;
    for (; at && out->leaf[at - 1] > b->leaf[k]; at--) out->leaf[at] = out->leaf[at - 1];
    out->leaf[at] = b->leaf[k];
  }
  return true;
}

static void expand(const kgi_scope *s, kgi_dim d, int64_t factor, sum *out);

static void expand_product(const kgi_scope *s, const kgi_dim_node *n, int64_t factor, sum *out) {
  sum a = {.terms = 0}, b = {.terms = 0};
  expand(s, (kgi_dim){n->a}, factor, &a);
  expand(s, (kgi_dim){n->b}, 1, &b);
  out->failed |= a.failed || b.failed;
  for (unsigned i = 0; i < a.terms && !out->failed; i++)
    for (unsigned k = 0; k < b.terms && !out->failed; k++) {
      term t;
      if (multiply(&a.term[i], &b.term[k], &t)) add_term(out, &t);
      else out->failed = true;
    }
}

/* Lengths nest no deeper than the validator lets them. `factor` is 1 or -1. */
static void expand(const kgi_scope *s, kgi_dim d, int64_t factor, sum *out) {
  const kgi_dim_node *n = &s->dim[d.i];
  term t = {.factor = factor, .leaf = {d.i}, .degree = 1};
  switch ((kgi_dim_op)n->op) {
  case KGI_DIM_ADD: case KGI_DIM_SUB:
    expand(s, (kgi_dim){n->a}, factor, out);
    expand(s, (kgi_dim){n->b}, n->op == KGI_DIM_ADD ? factor : -factor, out);
    return;
  case KGI_DIM_MUL: expand_product(s, n, factor, out); return;
  case KGI_DIM_INT:
    t = (term){.degree = 0};
    out->failed |= __builtin_mul_overflow(n->imm, factor, &t.factor);
    break;
  case KGI_DIM_NONE: case KGI_DIM_FLOAT: out->failed = true; return;
  case KGI_DIM_PARAM: case KGI_DIM_SPEC: case KGI_DIM_LEN: case KGI_DIM_INDEX: case KGI_DIM_DIV: case KGI_DIM_MOD: case KGI_DIM_MIN:
  case KGI_DIM_MAX: break;
  }
  add_term(out, &t);
}

static kgi_dim product(kgi_arena *arena, kgi_scope *s, const term *t, int64_t factor) {
  kgi_dim x = {0};
  for (unsigned k = 0; k < t->degree; k++) {
    kgi_dim leaf = {t->leaf[k]};
    x = x.i ? kgi_dim_binary(arena, s, KGI_DIM_MUL, x, leaf) : leaf;
  }
  if (x.i && factor == 1) return x;
  kgi_dim number = kgi_dim_int(arena, s, factor);
  return x.i ? kgi_dim_binary(arena, s, KGI_DIM_MUL, number, x) : number;
}

kgi_dim kgi_dim_difference(kgi_arena *arena, kgi_scope *s, kgi_dim a, kgi_dim b) {
  sum all = {.terms = 0};
  kgi_dim x = {0};
  expand(s, a, 1, &all);
  expand(s, b, -1, &all);
  for (unsigned k = 0; k < all.terms; k++) all.failed |= all.term[k].factor == INT64_MIN;
  if (all.failed) return kgi_dim_binary(arena, s, KGI_DIM_SUB, a, b);
  for (unsigned k = 0; k < all.terms; k++) {
    if (all.term[k].factor <= 0) continue;
    kgi_dim y = product(arena, s, &all.term[k], all.term[k].factor);
    x = x.i ? kgi_dim_binary(arena, s, KGI_DIM_ADD, x, y) : y;
  }
  if (!x.i) x = kgi_dim_int(arena, s, 0);
  for (unsigned k = 0; k < all.terms; k++) {
    if (all.term[k].factor >= 0) continue;
    kgi_dim y = product(arena, s, &all.term[k], -all.term[k].factor);
    x = kgi_dim_binary(arena, s, KGI_DIM_SUB, x, y);
  }
  return x;
}
