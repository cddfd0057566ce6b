/* Loops that count: a `while` over a var that each trip moves by the same, up to a bound that stays, becomes a `for`. The var keeps
 * what it held, trip by trip and behind the loop, so that whoever reads it finds the same; cleaning drops it where nobody does. A
 * counter that a step would carry past the end of its type ends the loop here, and would wrap around there. */
#include "foundation/passes/passes.h"

enum { MOST_PLAIN = 256, MOST_LOOKS = 256 };

typedef struct loop {
  kgi_builder *b;
  kgi_program *p;
  uint32_t at;        /* the while */
  kgi_blk body;
  uint32_t test;      /* the `if` at its beginning that leaves it */
  uint32_t counter;   /* the var */
  uint32_t moves;     /* the store that moves it */
  kgi_op goes_on;     /* counter OP bound: there is a next trip */
  uint32_t bound, step;
  bool down;
  bool leaves_early;  /* by a `break` or a `return` beside the test's */
  unsigned looks;     /* of `stays`: values that share parts are no tree */
} loop;

/* ---- negations ---- */

static bool opposite(kgi_op op, kgi_op *out) {
  switch ((unsigned)op) {
  case KGI_OP_lt: *out = KGI_OP_ge; return true;
  case KGI_OP_ge: *out = KGI_OP_lt; return true;
  case KGI_OP_gt: *out = KGI_OP_le; return true;
  case KGI_OP_le: *out = KGI_OP_gt; return true;
  case KGI_OP_eq: *out = KGI_OP_ne; return true;
  case KGI_OP_ne: *out = KGI_OP_eq; return true;
  default: return false;
  }
}

/* !(a < b) is a >= b, but for floats, of which one may be no number. */
static void turn_negations(kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    kgi_inst *x = &p->inst[i];
    const kgi_inst *of = &p->inst[x->arg[0]];
    kgi_op op;
    if (x->kind != KGI_op || x->op != KGI_OP_not || of->kind != KGI_op || !opposite((kgi_op)of->op, &op)) continue;
    if (kgi_is_float(p->inst[of->arg[0]].type) && of->op != KGI_OP_eq && of->op != KGI_OP_ne) continue;
    x->op = (uint8_t)op;
    x->arg[0] = of->arg[0], x->arg[1] = of->arg[1];
  }
}

/* ---- arms that leave ---- */

static bool leaves(const kgi_program *p, kgi_blk block) {
  uint32_t last = block ? p->block[block].last : 0;
  return last && kgi_ends(&p->inst[last]);
}

/* Of an `if` of which one arm leaves, the other one stands behind it. */
static void put_behind(kgi_builder *b, kgi_program *p, uint32_t i) {
  if (!p->inst[i].arg[2]) return;
  if (!leaves(p, p->inst[i].arg[1])) {
    if (!leaves(p, p->inst[i].arg[2])) return;
    b->at = kgi_before(p, i);
    kgi_val turned = kgi_op1(b, KGI_OP_not, (kgi_val){p->inst[i].arg[0]});
    kgi_blk first = p->inst[i].arg[1];
    p->inst[i].arg[0] = turned.i, p->inst[i].arg[1] = p->inst[i].arg[2], p->inst[i].arg[2] = first;
  }
  kgi_blk rest = p->inst[i].arg[2];
  p->inst[i].arg[2] = 0;
  if (p->inst[i].next && leaves(p, rest)) /* nothing runs behind both */
    while (p->inst[i].next) kgi_remove(p, p->inst[i].next);
  kgi_cursor at = kgi_behind(p, i);
  for (uint32_t n = p->block[rest].first, next; n; n = next) {
    next = p->inst[n].next;
    kgi_move(p, n, at);
    at.after = n;
  }
}

/* ---- what stays the same in a loop ---- */

static bool is_inside(const kgi_program *p, uint32_t value, uint32_t loop_at) {
  for (kgi_blk block = p->inst[value].block; block; block = p->inst[p->block[block].owner].block)
    if (p->block[block].owner == loop_at) return true;
  return false;
}

static bool is_stored_inside(const loop *l, uint32_t object) {
  KGI_EACH_INSIDE(l->p, l->body, i)
    if (kgi_has_effect(&l->p->inst[i], KGI_WRITES | KGI_DECLARES) && kgi_object_of(&l->p->inst[i]) == object) return true;
  return false;
}

/* A load counts where nothing can have stored to the object: to a var in the loop, to a buffer at all. */
static bool stays(loop *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value];
  if (kgi_is_leaf(x->kind) || !is_inside(l->p, value, l->at)) return true;
  if (++l->looks > MOST_LOOKS || x->block != l->body) return false;
  kgi_span operands = kgi_operands(x);
  for (unsigned k = 0; k < operands.count; k++)
    if (x->arg[operands.first + k] && !stays(l, x->arg[operands.first + k])) return false;
  if (x->kind == KGI_op) return true;
  const kgi_object *o = &l->p->scope.object[kgi_object_of(x)];
  if (x->kind != KGI_load || o->space == KGI_SHARED) return false;
  return o->space == KGI_VAR ? !is_stored_inside(l, x->arg[0]) : o->mode == KG_READ && !o->view;
}

static void move_out(const loop *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value];
  if (kgi_is_leaf(x->kind) || !is_inside(l->p, value, l->at)) return;
  kgi_span operands = kgi_operands(x);
  for (unsigned k = 0; k < operands.count; k++)
    if (x->arg[operands.first + k]) move_out(l, x->arg[operands.first + k]);
  kgi_move(l->p, value, kgi_before(l->p, l->at));
}

/* ---- finding one ---- */

/* Computes something, or stores it in a scalar var. */
static bool is_plain(const loop *l, uint32_t i) {
  const kgi_inst *x = &l->p->inst[i];
  const kgi_object *o = &l->p->scope.object[x->kind == KGI_store ? x->arg[0] : 0];
  return x->kind == KGI_op || x->kind == KGI_load || (x->kind == KGI_store && o->space == KGI_VAR && o->scalar);
}

/* The `if` that leaves the loop, behind plain statements and with plain ones before its `break`; 0: there is none. */
static uint32_t find_test(const loop *l) {
  uint32_t i = l->p->block[l->body].first, plain = 0;
  for (; i && is_plain(l, i); i = l->p->inst[i].next) plain++;
  if (!i || l->p->inst[i].kind != KGI_if || l->p->inst[i].arg[2]) return 0;
  uint32_t n = l->p->block[l->p->inst[i].arg[1]].first;
  for (; n && is_plain(l, n); n = l->p->inst[n].next) plain++;
  return n && l->p->inst[n].kind == KGI_break && plain <= MOST_PLAIN ? i : 0;
}

static bool is_load_of_var(const loop *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value];
  const kgi_object *o = &l->p->scope.object[x->kind == KGI_load ? x->arg[0] : 0];
  return x->kind == KGI_load && o->space == KGI_VAR && o->scalar && (o->type == KG_I32 || o->type == KG_U32) && x->block == l->body;
}

static bool find_counter(loop *l) {
  static const struct { kgi_op op, turned; } rows[] = {
      {KGI_OP_lt, KGI_OP_gt}, {KGI_OP_gt, KGI_OP_lt}, {KGI_OP_le, KGI_OP_ge}, {KGI_OP_ge, KGI_OP_le}};
  const kgi_inst *x = &l->p->inst[l->p->inst[l->test].arg[0]];
  kgi_op stays_in;
  if (x->kind != KGI_op || !opposite((kgi_op)x->op, &stays_in)) return false;
  unsigned side = is_load_of_var(l, x->arg[0]) && stays(l, x->arg[1]) ? 0 : 1;
  if (!is_load_of_var(l, x->arg[side]) || !stays(l, x->arg[1 - side])) return false;
  l->counter = l->p->inst[x->arg[side]].arg[0], l->bound = x->arg[1 - side];
  for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].op == stays_in) return l->goes_on = side ? rows[k].turned : rows[k].op, true;
  return false;
}

/* One store in the loop, in its body, behind which nobody looks at the counter again. */
static bool find_move(loop *l) {
  bool behind = false;
  l->moves = 0;
  KGI_EACH_INSIDE(l->p, l->body, i) {
    const kgi_inst *x = &l->p->inst[i];
    bool mine = kgi_object_of(x) == l->counter && x->kind != KGI_len;
    if (behind && (mine || kgi_owned_blocks(x).count)) return false;
    if (x->kind == KGI_continue) return false;
    if (!mine || x->kind == KGI_load) continue;
    if (x->kind != KGI_store || x->block != l->body) return false;
    l->moves = i, behind = true;
  }
  return l->moves != 0;
}

static bool is_positive(const loop *l, uint32_t step, bool *turned) {
  const kgi_inst *x = &l->p->inst[step], *from = &l->p->inst[x->arg[0]];
  *turned = false;
  if (x->kind == KGI_literal && x->type == KG_I32) return *turned = (int32_t)x->arg[0] < 0, x->arg[0] != 0;
  if (x->kind == KGI_literal && x->type == KG_U32 && x->arg[0] == UINT32_MAX) return *turned = true;
  if (x->kind == KGI_literal) return x->arg[0] && x->arg[0] <= INT32_MAX;
  return x->type == KG_U32 || x->kind == KGI_spec || (x->kind == KGI_op && x->op == KGI_OP_convert && from->type == KG_U32);
}

static bool find_step(loop *l) {
  const kgi_inst *sum = &l->p->inst[l->p->inst[l->moves].arg[2]];
  bool turned;
  if (sum->kind != KGI_op || (sum->op != KGI_OP_add && sum->op != KGI_OP_sub)) return false;
  unsigned side = is_load_of_var(l, sum->arg[0]) && l->p->inst[sum->arg[0]].arg[0] == l->counter ? 0 : 1;
  if (side && sum->op == KGI_OP_sub) return false;
  if (!is_load_of_var(l, sum->arg[side]) || l->p->inst[sum->arg[side]].arg[0] != l->counter) return false;
  l->step = sum->arg[1 - side];
  if (!stays(l, l->step) || !is_positive(l, l->step, &turned)) return false;
  l->down = turned != (sum->op == KGI_OP_sub);
  const kgi_inst *step = &l->p->inst[l->step];
  bool by_one = step->kind == KGI_literal && (step->arg[0] == 1 || step->arg[0] == UINT32_MAX);
  bool up = l->goes_on == KGI_OP_lt || l->goes_on == KGI_OP_le;
  return l->down ? by_one && !up : up && !turned;
}

/* ---- the ends of the counter's type ---- */

static bool leaves_loop(const loop *l, uint32_t i) {
  if (l->p->inst[i].kind == KGI_return) return true;
  if (l->p->inst[i].kind != KGI_break) return false;
  kgi_blk block = l->p->inst[i].block;
  while (block != l->body) {
    const kgi_inst *owner = &l->p->inst[l->p->block[block].owner];
    if (owner->kind == KGI_for || owner->kind == KGI_while) return false;
    block = owner->block;
  }
  return l->p->inst[i].block != l->p->inst[l->test].arg[1];
}

static bool is_literal(const loop *l, uint32_t value, bool highest) {
  const kgi_inst *x = &l->p->inst[value];
  uint32_t end = x->type == KG_I32 ? highest ? INT32_MAX : (uint32_t)INT32_MIN : highest ? UINT32_MAX : 0;
  return x->kind == KGI_literal && x->arg[0] == end;
}

/* Whether the last that is stored in the counter in front of the loop is a literal far from the end of its type. */
static bool begins_low(const loop *l) {
  for (uint32_t i = l->p->inst[l->at].prev; i; i = l->p->inst[i].prev) {
    const kgi_inst *x = &l->p->inst[i];
    if (kgi_owned_blocks(x).count) return false;
    if (x->kind != KGI_store || x->arg[0] != l->counter) continue;
    const kgi_inst *first = &l->p->inst[x->arg[2]];
    bool negative = first->type == KG_I32 && first->arg[0] > INT32_MAX;
    return first->kind == KGI_literal && (negative || first->arg[0] < INT32_MAX / 2);
  }
  return false;
}

/* A bound that no counter passes is no bound: the loop ends on another way, or never. Where it never does, all is right. */
static bool can_end(loop *l) {
  bool known = l->p->inst[l->bound].kind == KGI_literal;
  KGI_EACH_INSIDE(l->p, l->body, i) l->leaves_early |= leaves_loop(l, i);
  if (l->goes_on == KGI_OP_le) return known ? !is_literal(l, l->bound, true) : !l->leaves_early || begins_low(l);
  if (l->goes_on == KGI_OP_ge) return known ? !is_literal(l, l->bound, false) : !l->leaves_early;
  return true;
}

static bool is_endless(const kgi_program *p, uint32_t at) {
  const kgi_inst *x = &p->inst[at], *condition = &p->inst[x->arg[0]];
  return x->kind == KGI_while && !x->arg[3] && condition->kind == KGI_literal && condition->arg[0] && !p->block[x->arg[1]].first;
}

/* ---- making it one ---- */

/* What plain statements were copied to. */
typedef struct copies { uint32_t from[MOST_PLAIN], to[MOST_PLAIN], count; } copies;

static uint32_t copied(const copies *c, uint32_t value) {
  for (uint32_t k = 0; k < c->count; k++)
    if (c->from[k] == value) return c->to[k];
  return value;
}

static void copy_plain(loop *l, uint32_t from, copies *c) {
  for (uint32_t n = from; n && is_plain(l, n); n = l->p->inst[n].next) {
    kgi_inst x = l->p->inst[n];
    kgi_span operands = kgi_operands(&x);
    for (unsigned k = 0; k < operands.count; k++) x.arg[operands.first + k] = copied(c, x.arg[operands.first + k]);
    c->from[c->count] = n, c->to[c->count++] = kgi_append(l->b, x);
  }
}

/* What is stored at the test that ends the loop is stored before each of them. */
static void store_before_test(loop *l, kgi_cursor at) {
  copies c = {.count = 0};
  l->b->at = at;
  copy_plain(l, l->p->block[l->body].first, &c);
  copy_plain(l, l->p->block[l->p->inst[l->test].arg[1]].first, &c);
}

static bool stores_loaded(const loop *l, uint32_t from) {
  for (uint32_t n = from; n && is_plain(l, n); n = l->p->inst[n].next) {
    if (l->p->inst[n].kind != KGI_store) continue;
    KGI_EACH_INSIDE(l->p, l->body, i)
      if (l->p->inst[i].kind == KGI_load && l->p->inst[i].arg[0] == l->p->inst[n].arg[0]) return true;
  }
  return false;
}

static bool is_stored_before(const loop *l, uint32_t object, uint32_t i) {
  while (i && !(l->p->inst[i].kind == KGI_store && l->p->inst[i].arg[0] == object)) i = l->p->inst[i].prev;
  return i != 0;
}

/* Whoever leaves the loop elsewhere stores the same, or would find what only the test's way out stores. */
static bool exits_store(const loop *l) {
  for (uint32_t n = l->p->block[l->p->inst[l->test].arg[1]].first; n && is_plain(l, n); n = l->p->inst[n].next) {
    if (l->p->inst[n].kind != KGI_store) continue;
    KGI_EACH_INSIDE(l->p, l->body, i)
      if (leaves_loop(l, i) && l->p->inst[i].kind == KGI_break && !is_stored_before(l, l->p->inst[n].arg[0], i)) return false;
  }
  return true;
}

/* Nothing in the loop looks at what is stored there. */
static bool test_is_free(const loop *l) {
  if (!exits_store(l) || stores_loaded(l, l->p->block[l->body].first)) return false;
  return !stores_loaded(l, l->p->block[l->p->inst[l->test].arg[1]].first);
}

static kgi_val plus_one(kgi_builder *b, kgi_val x) { return kgi_op2(b, KGI_OP_add, x, kgi_int(b, kgi_type_of(b->p, x), 1)); }

/* One past the bound, which may be the end of its type where the loop is left before. */
static kgi_val past(loop *l, kgi_val bound) {
  kg_type type = kgi_type_of(l->p, bound);
  bool may_be_last = l->leaves_early && l->p->inst[bound.i].kind != KGI_literal;
  if (may_be_last) bound = kgi_op2(l->b, KGI_OP_min, bound, kgi_int(l->b, type, (type == KG_I32 ? INT32_MAX : UINT32_MAX) - 1));
  return plus_one(l->b, bound);
}

/* Gives the counter. Downwards the trips are counted from one below, so that nothing passes the end of the type; but a loop down to
 * 0 reads better as it is. */
static kgi_val begin(loop *l) {
  kgi_builder *b = l->b;
  kgi_val bound = {l->bound}, step = {l->step}, from = kgi_load(b, (kgi_obj){l->counter}, (kgi_val){0});
  const kgi_inst *x = &l->p->inst[l->bound];
  const char *name = kgi_string(b->m, l->p->scope.object[l->counter].name);
  if (!l->down) return kgi_for_begin(b, name, from, l->goes_on == KGI_OP_le ? past(l, bound) : bound, step, false);
  bool to_zero = l->goes_on == KGI_OP_ge && x->kind == KGI_literal && !x->arg[0] && !l->leaves_early;
  if (to_zero) return kgi_for_begin(b, name, bound, plus_one(b, from), (kgi_val){0}, true);
  if (l->goes_on == KGI_OP_ge) bound = kgi_op2(b, KGI_OP_sub, bound, kgi_int(b, kgi_type_of(l->p, bound), 1));
  return plus_one(b, kgi_for_begin(b, name, bound, from, (kgi_val){0}, true));
}

static void make_for(loop *l) {
  kgi_program *p = l->p;
  move_out(l, l->bound), move_out(l, l->step);
  store_before_test(l, kgi_before(p, l->at));
  l->b->at = kgi_before(p, l->at);
  kgi_val counter = begin(l);
  kgi_blk block = l->b->at.block;
  kgi_store(l->b, (kgi_obj){l->counter}, (kgi_val){0}, counter);
  store_before_test(l, kgi_at_end(p, l->body));
  kgi_remove(p, l->test);
  if (l->b->status != KG_OK) return;
  kgi_cursor at = kgi_at_end(p, block);
  for (uint32_t n = p->block[l->body].first, next; n; n = next) {
    next = p->inst[n].next;
    kgi_move(p, n, at);
    at.after = n;
  }
  kgi_remove(p, l->at);
}

static void visit_loop(kgi_builder *b, kgi_program *p, uint32_t at) {
  loop l = {.b = b, .p = p, .at = at, .body = p->inst[at].arg[2]};
  if (!is_endless(p, at)) return;
  l.test = find_test(&l);
  if (l.test && find_counter(&l) && find_move(&l) && find_step(&l) && can_end(&l) && test_is_free(&l)) make_for(&l);
}

/* Inner loops first: what they become belongs to those around them. */
static void visit(kgi_builder *b, kgi_program *p, kgi_blk block) {
  for (uint32_t i = p->block[block].first, next; i && b->status == KG_OK; i = next) {
    kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
    for (unsigned n = 0; n < blocks.count; n++) visit(b, p, p->inst[i].arg[blocks.first + n]);
    if (p->inst[i].kind == KGI_if) put_behind(b, p, i);
    next = p->inst[i].next;
    if (p->inst[i].kind == KGI_while) visit_loop(b, p, i);
  }
}

kg_status kgi_count_loops(kg_module *m, kgi_program *p) {
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  visit(&b, p, KGI_BODY);
  turn_negations(p);
  return kgi_builder_status(&b);
}
