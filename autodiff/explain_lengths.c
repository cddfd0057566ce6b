/* Lengths of the working module as text, and as the numbers that they are at the params' defaults. */
#include "autodiff/explain.h"
#include "foundation/ir/dim.h"

#include <stdio.h>
#include <string.h>

typedef struct text { char at[400]; size_t size; } text;

static void put(text *t, const char *more) {
  size_t size = strlen(more);
  if (t->size + size >= sizeof t->at) size = sizeof t->at - 1 - t->size;
  memcpy(t->at + t->size, more, size);
  t->at[t->size += size] = 0;
}

static const char *operator_of(kgi_dim_op op) {
  static const char *const names[] = {[KGI_DIM_ADD] = " + ", [KGI_DIM_SUB] = " - ", [KGI_DIM_MUL] = " * ", [KGI_DIM_DIV] = " / ",
                                      [KGI_DIM_MOD] = " % ", [KGI_DIM_MIN] = "min(", [KGI_DIM_MAX] = "max("};
  return op < sizeof names / sizeof *names ? names[op] : NULL;
}

static unsigned level_of(kgi_dim_op op) {
  if (op == KGI_DIM_ADD || op == KGI_DIM_SUB) return 1;
  return op == KGI_DIM_MUL || op == KGI_DIM_DIV || op == KGI_DIM_MOD ? 2 : 3;
}

static void put_leaf(text *t, const kg_module *m, const kgi_dim_node *n) {
  const kgi_scope *s = &m->scope;
  char number[32];
  snprintf(number, sizeof number, "%lld", (long long)n->imm);
  if (n->op == KGI_DIM_INT) put(t, number);
  if (n->op == KGI_DIM_PARAM) put(t, kgi_string(m, s->param[n->a].name));
  if (n->op == KGI_DIM_SPEC) put(t, kgi_string(m, s->spec[n->a].name));
  if (n->op == KGI_DIM_INDEX) put(t, kgi_string(m, m->item[n->a].name));
  if (n->op != KGI_DIM_LEN) return;
  put(t, "len("), put(t, kgi_string(m, s->object[n->a].name)), put(t, ")");
}

/* Recursion is as deep as the expression, which the parser bounds. */
static void put_dim(text *t, const kg_module *m, kgi_dim dim, unsigned level) {
  const kgi_dim_node *n = &m->scope.dim[dim.i];
  const char *op = operator_of((kgi_dim_op)n->op);
  unsigned own = level_of((kgi_dim_op)n->op);
  bool call = own == 3;
  if (!op) return put_leaf(t, m, n);
  if (call) put(t, op);
  else if (level > own) put(t, "(");
  put_dim(t, m, (kgi_dim){n->a}, call ? 0 : own);
  put(t, call ? ", " : op);
  put_dim(t, m, (kgi_dim){n->b}, call ? 0 : own + 1);
  if (call || level > own) put(t, ")");
}

kgi_explained_length kgi_explain_length(kgi_explainer *x, const kgi_dim *factor, unsigned count, uint32_t times) {
  text t = {.size = 0};
  kgi_explained_length result = {.number = times, .known = true};
  char number[16];
  snprintf(number, sizeof number, "%u", times);
  if (times != 1 || !count) put(&t, number);
  for (unsigned k = 0; k < count; k++) {
    int64_t value = 0;
    if (k || times != 1) put(&t, " * ");
    put_dim(&t, x->g->work, factor[k], count > 1 || times != 1 ? 2 + (k || times != 1) : 0);
    bool known = result.known && kgi_ad_by_default(x->g->work, x->to->arena, factor[k], &value);
    result.known = known && !__builtin_mul_overflow(result.number, (uint64_t)value, &result.number);
  }
  result.text = kgi_explain_text(x, "%s", t.at);
  return result;
}
