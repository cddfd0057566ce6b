/* A `break` behind which nothing is done but to find out that nothing is to be done, and to end the program, is a `return`: what a person
 * wrote before a compiler made flags of it. The way on is walked with what is stored just before the `break`. */
#include "foundation/passes/passes.h"
#include "foundation/ir/eval.h"

enum { MOST_KNOWN = 24, MOST_STEPS = 200 };

typedef struct fact { uint32_t of, is; bool known; } fact;
typedef struct walk {
  kgi_program *p;
  fact vars[MOST_KNOWN], values[MOST_KNOWN]; /* of vars and of instructions: literals' bits */
  unsigned var_count, value_count, steps;
} walk;

static bool find(const fact *facts, unsigned count, uint32_t of, uint32_t *is) {
  for (unsigned k = count; k-- > 0;)
    if (facts[k].of == of) return *is = facts[k].is, facts[k].known;
  return false;
}

static bool value_of(const walk *w, uint32_t value, uint32_t *is) {
  const kgi_inst *x = &w->p->inst[value];
  if (x->kind == KGI_literal && !x->arg[1]) return *is = x->arg[0], true;
  return find(w->values, w->value_count, value, is);
}

static bool is_private(const walk *w, const kgi_inst *x) { return w->p->scope.object[x->arg[0]].space == KGI_VAR; }
/* Of an array nothing is known, for a store changes one element of it. */
static bool is_one_value(const walk *w, const kgi_inst *x) { return is_private(w, x) && w->p->scope.object[x->arg[0]].scalar; }

static bool learn(fact *facts, unsigned *count, uint32_t of, bool known, uint32_t is) {
  if (*count == MOST_KNOWN) return false;
  facts[(*count)++] = (fact){of, is, known};
  return true;
}

static bool evaluate(const walk *w, const kgi_inst *x, uint32_t *is) {
  uint64_t args[4] = {0}, out = 0;
  bool logic = x->op == KGI_OP_not || x->op == KGI_OP_and || x->op == KGI_OP_or;
  for (unsigned k = 0; k < kgi_op_rows[x->op].arity && logic; k++) {
    uint32_t bits = 0;
    if (!value_of(w, x->arg[k], &bits)) return false;
    args[k] = bits;
  }
  if (!logic || x->type != KG_BOOL || !kgi_eval((kgi_op)x->op, KG_BOOL, KG_BOOL, args, &out)) return false;
  return *is = (uint32_t)out, true;
}

/* One statement that does nothing that is seen; false: it does, or nobody knows. */
static bool step(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  uint32_t is = 0;
  bool known;
  switch ((unsigned)x->kind) {
  case KGI_load:
    known = is_one_value(w, x) && find(w->vars, w->var_count, x->arg[0], &is);
    return !known || learn(w->values, &w->value_count, i, true, is);
  case KGI_op:
    known = evaluate(w, x, &is);
    return !known || learn(w->values, &w->value_count, i, true, is);
  case KGI_store:
    known = value_of(w, x->arg[2], &is);
    return is_private(w, x) && (!is_one_value(w, x) || learn(w->vars, &w->var_count, x->arg[0], known, is));
  case KGI_var: return learn(w->vars, &w->var_count, x->arg[0], false, 0);
  default: return false;
  }
}

/* Behind a statement: the next one, or what stands behind the blocks that end there. A loop's body ends with its next trip. */
static bool is_behind(const walk *w, uint32_t *i) {
  const kgi_program *p = w->p;
  while (!p->inst[*i].next) {
    uint32_t owner = p->block[p->inst[*i].block].owner;
    if (!owner) return *i = 0, true;
    if (kgi_is_loop(&p->inst[owner])) return false;
    *i = owner;
  }
  return *i = p->inst[*i].next, true;
}

static uint32_t loop_around(const kgi_program *p, uint32_t i) {
  do i = p->block[p->inst[i].block].owner;
  while (i && !kgi_is_loop(&p->inst[i]));
  return i;
}

/* Whether the program ends behind `i`, with nothing done. */
static bool runs_out(walk *w, uint32_t i) {
  const kgi_program *p = w->p;
  if (!is_behind(w, &i)) return false;
  while (i && w->steps++ < MOST_STEPS) {
    const kgi_inst *x = &p->inst[i];
    uint32_t is = 0;
    if (x->kind == KGI_return) return true;
    if (x->kind == KGI_break) {
      i = loop_around(p, i);
      if (!i || !is_behind(w, &i)) return false;
    } else if (x->kind == KGI_if) {
      if (!value_of(w, x->arg[0], &is)) return false;
      kgi_blk taken = is ? x->arg[1] : x->arg[2];
      uint32_t first = taken ? p->block[taken].first : 0;
      if (first) i = first;
      else if (!is_behind(w, &i)) return false;
    } else if (!step(w, i) || !is_behind(w, &i)) {
      return false;
    }
  }
  return !i;
}

/* What is stored in front of the `break`, in its block. Of one var the last store counts. */
static void look_back(walk *w, uint32_t at) {
  uint32_t store[MOST_KNOWN / 2], count = 0;
  for (uint32_t i = w->p->inst[at].prev; i && count < MOST_KNOWN / 2; i = w->p->inst[i].prev) {
    if (kgi_owned_blocks(&w->p->inst[i]).count) break;
    if (w->p->inst[i].kind == KGI_store && is_one_value(w, &w->p->inst[i])) store[count++] = i;
  }
  while (count--) {
    uint32_t is = 0;
    bool known = value_of(w, w->p->inst[store[count]].arg[2], &is);
    learn(w->vars, &w->var_count, w->p->inst[store[count]].arg[0], known, is);
  }
}

/* What is stored in vars just before the program ends nobody looks at. */
static void drop_stores(kgi_program *p, uint32_t at) {
  for (uint32_t i = p->inst[at].prev, before; i; i = before) {
    bool is_var = p->inst[i].kind == KGI_store && p->scope.object[p->inst[i].arg[0]].space == KGI_VAR;
    before = p->inst[i].prev;
    if (is_var) kgi_remove(p, i);
    else if (p->inst[i].kind != KGI_op) return;
  }
}

kg_status kgi_leave_early(kg_module *m, kgi_program *p) {
  (void)m;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    walk w = {.p = p};
    if (p->inst[i].kind == KGI_return) drop_stores(p, i);
    uint32_t loop = p->inst[i].kind == KGI_break ? loop_around(p, i) : 0;
    if (!loop) continue;
    look_back(&w, i);
    if (w.var_count && runs_out(&w, loop)) p->inst[i].kind = KGI_return;
  }
  return KG_OK;
}
