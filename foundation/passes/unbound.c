/* Loops that a compiler bounds: Naga counts every loop's trips to 2^64 in two words, since a driver may take an endless loop for one
 * that is never run. No program lives to see that test leave a loop, so it goes, and what the loop itself counts is found. */
#include "foundation/passes/passes.h"

/* A word of the count: it goes down from all ones, and the test waits for 0; or up from 0, and the test waits for all ones. */
typedef struct word { uint32_t object; bool down; } word;
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

/* What a word of the count holds as a trip begins: a load in the loop's body in front of the test. */
static bool is_load(const bound *b, uint32_t value, uint32_t object) {
  const kgi_inst *x = &b->p->inst[value];
  if (x->kind != KGI_load || x->arg[0] != object || x->block != b->body) return false;
  uint32_t i = b->p->inst[b->test].prev;
  while (i && i != value) i = b->p->inst[i].prev;
  return i != 0;
}

static bool reads_word(const bound *b, uint32_t comparison, word *w) {
  const kgi_inst *x = op_of(b->p, comparison, KGI_OP_eq);
  if (!x) return false;
  uint32_t zero = beside(b->p, x, 0), ones = beside(b->p, x, UINT32_MAX), load = zero ? zero : ones;
  if (!load || b->p->inst[load].kind != KGI_load) return false;
  const kgi_object *o = &b->p->scope.object[b->p->inst[load].arg[0]];
  *w = (word){b->p->inst[load].arg[0], zero != 0};
  return o->space == KGI_VAR && o->scalar && o->type == KG_U32 && is_load(b, load, w->object);
}

/* The word that is moved, by `step`: it is what stands beside it. */
static uint32_t step_of(const bound *b, uint32_t value, word w) {
  const kgi_inst *x = op_of(b->p, value, w.down ? KGI_OP_sub : KGI_OP_add);
  if (!x) return 0;
  if (is_load(b, x->arg[0], w.object)) return x->arg[1];
  return !w.down && is_load(b, x->arg[1], w.object) ? x->arg[0] : 0;
}

static bool moves_low(const bound *b, uint32_t value) {
  uint32_t step = step_of(b, value, b->low);
  return step && is_literal(b->p, step, 1);
}

/* By one where the low word runs over, else by nothing. */
static bool moves_high(const bound *b, uint32_t value) {
  uint32_t step = step_of(b, value, b->high);
  const kgi_inst *x = step ? op_of(b->p, step, KGI_OP_select) : NULL, *c = x ? op_of(b->p, x->arg[0], KGI_OP_eq) : NULL;
  if (!c || !is_literal(b->p, x->arg[1], 1) || !is_literal(b->p, x->arg[2], 0)) return false;
  uint32_t load = beside(b->p, c, b->low.down ? 0 : UINT32_MAX);
  return load && is_load(b, load, b->low.object);
}

/* Whether `block` is `inner`, or stands around it. */
static bool holds(const kgi_program *p, kgi_blk block, kgi_blk inner) {
  while (inner && inner != block) inner = p->inst[p->block[inner].owner].block;
  return inner != 0;
}

static bool is_word(const bound *b, uint32_t object) { return object == b->high.object || object == b->low.object; }

/* Whether the words begin far from where the test waits, and come nearer by one in each trip at most: behind the test, from what they
 * were as the trip began. */
static bool is_far(const bound *b) {
  bool behind = false, high_begins = false, low_begins = false;
  KGI_EACH_INSIDE(b->p, KGI_BODY, i) {
    const kgi_inst *x = &b->p->inst[i];
    bool inside = holds(b->p, b->body, x->block);
    behind |= i == b->test;
    if (x->kind == KGI_load || !is_word(b, kgi_object_of(x)) || (x->kind == KGI_var && !inside)) continue;
    if (x->kind != KGI_store) return false;
    bool is_high = x->arg[0] == b->high.object, begins = is_literal(b->p, x->arg[2], b->high.down ? UINT32_MAX : 0) && !inside;
    bool ahead = begins && !behind && holds(b->p, x->block, b->body);
    if (is_high) high_begins |= ahead; else low_begins |= ahead;
    if (begins) continue;
    if (!behind || !inside || !(is_high ? moves_high(b, x->arg[2]) : moves_low(b, x->arg[2]))) return false;
  }
  return high_begins && low_begins;
}

static bool is_bound(bound *b) {
  const kgi_inst *test = &b->p->inst[b->test];
  if (test->kind != KGI_if || test->arg[2] || b->p->inst[b->p->block[test->arg[1]].last].kind != KGI_break) return false;
  const kgi_inst *both = op_of(b->p, test->arg[0], KGI_OP_and);
  if (!both || b->p->inst[b->p->block[b->body].owner].kind != KGI_while) return false;
  for (unsigned k = 0; k < 2; k++)
    if (reads_word(b, both->arg[k], &b->high) && reads_word(b, both->arg[1 - k], &b->low) && b->high.down == b->low.down &&
        b->high.object != b->low.object && is_far(b))
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
