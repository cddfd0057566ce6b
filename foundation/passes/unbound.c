/* Loops that a compiler bounds: Naga counts every loop's trips to 2^64 in two words, since a driver may take an endless loop for one
 * that is never run. No program lives to see that test leave a loop, so it goes, and what the loop itself counts is found. */
#include "foundation/passes/passes.h"

enum { MOST_VARS = 32 };

/* A word of the count, and the vars that it lies in by turns: it goes down from all ones, and the test waits for 0; or up from 0, and
 * the test waits for all ones. */
typedef struct word { uint32_t object[MOST_VARS]; unsigned count; bool down; } word;
typedef struct bound { kgi_program *p; kgi_blk body; uint32_t test; word high, low; } bound;

static bool is_literal(const kgi_program *p, uint32_t value, uint32_t is) {
  return p->inst[value].kind == KGI_literal && p->inst[value].type == KG_U32 && p->inst[value].arg[0] == is;
}

/* Of an operation that is the same either way round, the other operand beside that literal; 0: it is none. */
static uint32_t beside(const kgi_program *p, const kgi_inst *x, uint32_t literal) {
  if (is_literal(p, x->arg[0], literal)) return x->arg[1];
  return is_literal(p, x->arg[1], literal) ? x->arg[0] : 0;
}

static const kgi_inst *op_of(const kgi_program *p, uint32_t value, kgi_op op) {
  const kgi_inst *x = &p->inst[value];
  return x->kind == KGI_op && x->op == (uint32_t)op ? x : NULL;
}

/* The var that the value was loaded from, if a word may lie there; 0: it is no such load. */
static uint32_t var_of(const kgi_program *p, uint32_t value) {
  const kgi_inst *x = &p->inst[value];
  const kgi_object *o = &p->scope.object[x->kind == KGI_load ? x->arg[0] : 0];
  return x->kind == KGI_load && o->space == KGI_VAR && o->scalar && o->type == KG_U32 ? x->arg[0] : 0;
}

static bool reads_word(const bound *b, uint32_t comparison, word *w) {
  const kgi_inst *x = op_of(b->p, comparison, KGI_OP_eq);
  if (!x) return false;
  uint32_t zero = beside(b->p, x, 0), ones = beside(b->p, x, UINT32_MAX), load = zero ? zero : ones;
  *w = (word){.object = {var_of(b->p, load)}, .count = 1, .down = zero != 0};
  return w->object[0] != 0;
}

static bool is_word(const word *w, uint32_t object) {
  bool is = false;
  for (unsigned k = 0; k < w->count; k++) is |= w->object[k] == object;
  return is;
}

/* The word is handed on from that value, too; false: it is no load, or comes from too many vars. */
static bool join(const bound *b, word *w, uint32_t value) {
  uint32_t object = var_of(b->p, value);
  if (!object || is_word(w, object)) return object != 0;
  if (w->count == MOST_VARS) return false;
  w->object[w->count++] = object;
  return true;
}

/* What moves the word is given, and the value that is moved comes from one of its vars. */
static uint32_t step_of(const bound *b, uint32_t value, word *w) {
  const kgi_inst *x = op_of(b->p, value, w->down ? KGI_OP_sub : KGI_OP_add);
  if (!x) return 0;
  if (var_of(b->p, x->arg[0])) return join(b, w, x->arg[0]) ? x->arg[1] : 0;
  return !w->down && join(b, w, x->arg[1]) ? x->arg[0] : 0;
}

static bool moves_low(bound *b, uint32_t value) {
  uint32_t step = step_of(b, value, &b->low);
  return step && is_literal(b->p, step, 1);
}

/* By one where the low word runs over, else by nothing. */
static bool moves_high(bound *b, uint32_t value) {
  uint32_t step = step_of(b, value, &b->high);
  const kgi_inst *x = step ? op_of(b->p, step, KGI_OP_select) : NULL, *c = x ? op_of(b->p, x->arg[0], KGI_OP_eq) : NULL;
  if (!c || !is_literal(b->p, x->arg[1], 1) || !is_literal(b->p, x->arg[2], 0)) return false;
  return join(b, &b->low, beside(b->p, c, b->low.down ? 0 : UINT32_MAX));
}

/* Whether all that is stored in the word's k-th var is a beginning, what another one held, or that, moved. */
static bool is_handed_on(bound *b, word *w, unsigned k, bool *begins) {
  uint32_t stores = 0;
  KGI_EACH_INSIDE(b->p, KGI_BODY, i) {
    const kgi_inst *x = &b->p->inst[i];
    if (kgi_object_of(x) != w->object[k] || x->kind == KGI_load || x->kind == KGI_var) continue;
    if (x->kind != KGI_store) return false;
    stores++;
    if (is_literal(b->p, x->arg[2], w->down ? UINT32_MAX : 0)) *begins = true;
    else if (!join(b, w, x->arg[2]) && !(w == &b->high ? moves_high(b, x->arg[2]) : moves_low(b, x->arg[2]))) return false;
  }
  return stores != 0;
}

/* Whether the words begin far from where the test waits, and come nearer by one in a move at most, whichever vars they are handed on
 * by: a loop inside of another one goes on where it was left. The low word takes 2^32 moves to run over, and the high word moves
 * where it did alone. */
static bool is_far(bound *b) {
  bool begins[2] = {false, false};
  for (unsigned k = 0; k < b->high.count; k++)
    if (!is_handed_on(b, &b->high, k, &begins[0])) return false;
  for (unsigned k = 0; k < b->low.count; k++)
    if (!is_handed_on(b, &b->low, k, &begins[1]) || is_word(&b->high, b->low.object[k])) return false;
  return begins[0] && begins[1];
}

static bool is_bound(bound *b) {
  const kgi_inst *test = &b->p->inst[b->test];
  if (test->kind != KGI_if || test->arg[2] || b->p->inst[b->p->block[test->arg[1]].last].kind != KGI_break) return false;
  const kgi_inst *both = op_of(b->p, test->arg[0], KGI_OP_and);
  if (!both || b->p->inst[b->p->block[b->body].owner].kind != KGI_while) return false;
  for (unsigned k = 0; k < 2; k++)
    if (reads_word(b, both->arg[k], &b->high) && reads_word(b, both->arg[1 - k], &b->low) && b->high.down == b->low.down && is_far(b))
      return true;
  return false;
}

kg_status kgi_unbound_loops(kg_module *m, kgi_program *p) {
  (void)m;
  for (uint32_t i = p->block[KGI_BODY].first, next; i; i = next) {
    bound b = {.p = p, .body = p->inst[i].block, .test = i};
    next = kgi_next_inside(p, KGI_BODY, i);
    if (p->inst[i].kind == KGI_if && p->block[b.body].owner && is_bound(&b)) {
      uint32_t before = p->inst[i].prev;
      kgi_remove(p, i); /* the words go in cleaning, where nobody else looks at them */
      next = kgi_next_inside(p, KGI_BODY, before);
    }
  }
  return KG_OK;
}
