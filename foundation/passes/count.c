/* Loops that count: an endless `while` over a var that each trip moves the same way, up to a bound that stays, becomes a `for`. The var
 * is given in each trip what it would hold, so that whoever reads it finds the same, in the loop and behind it; cleaning drops it where
 * nobody does. A counter that a step would carry past the end of its type ends the loop here, and would wrap around there. */
#include "foundation/passes/count.h"

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

/* ---- making it one ---- */

static bool is_endless(const kgi_program *p, uint32_t at) {
  const kgi_inst *x = &p->inst[at], *condition = &p->inst[x->arg[0]];
  return x->kind == KGI_while && !x->arg[3] && condition->kind == KGI_literal && condition->arg[0] && !p->block[x->arg[1]].first;
}

static void move_out(const kgi_count *l, uint32_t value) {
  const kgi_inst *x = &l->p->inst[value];
  if (kgi_is_leaf(x->kind) || x->block != l->body) return;
  kgi_span operands = kgi_operands(x);
  for (unsigned k = 0; k < operands.count; k++)
    if (x->arg[operands.first + k]) move_out(l, x->arg[operands.first + k]);
  kgi_move(l->p, value, kgi_before(l->p, l->at));
}

static kgi_val computed_again(kgi_count *l, uint32_t value) {
  kgi_inst x = l->p->inst[value];
  if (kgi_is_leaf(x.kind) || x.block != l->body) return (kgi_val){value};
  kgi_span operands = kgi_operands(&x);
  for (unsigned k = 0; k < operands.count; k++)
    if (x.arg[operands.first + k]) x.arg[operands.first + k] = computed_again(l, x.arg[operands.first + k]).i;
  if (x.kind == KGI_load) l->loads[x.arg[0]]++;
  return (kgi_val){kgi_append(l->b, x)};
}

/* What a trip alone may look at is looked at where there is one. */
static void find_step_in_front(kgi_count *l) {
  if (!l->waits) return move_out(l, l->step);
  kgi_builder *b = l->b;
  kg_type type = (kg_type)l->p->inst[l->step].type;
  b->at = kgi_before(l->p, l->at);
  kgi_val counter = kgi_convert(b, l->seen, kgi_load(b, (kgi_obj){l->counter}, (kgi_val){0}));
  l->loads[l->counter]++;
  kgi_obj step = kgi_var(b, "step", type, (kgi_dim){0});
  kgi_store(b, step, (kgi_val){0}, kgi_int(b, type, 1));
  kgi_if_begin(b, kgi_op2(b, l->goes_on, counter, (kgi_val){l->bound}));
  kgi_store(b, step, (kgi_val){0}, computed_again(l, l->step));
  kgi_end(b);
  l->step = kgi_load(b, step, (kgi_val){0}).i;
}

/* What plain statements were copied to. */
typedef struct copies { uint32_t from[KGI_COUNT_PLAIN], to[KGI_COUNT_PLAIN], count; } copies;

static uint32_t copied(const copies *c, uint32_t value) {
  for (uint32_t k = 0; k < c->count; k++)
    if (c->from[k] == value) return c->to[k];
  return value;
}

static void copy_plain(kgi_count *l, uint32_t from, copies *c) {
  for (uint32_t n = from; n && kgi_count_is_plain(l, n); n = l->p->inst[n].next) {
    kgi_inst x = l->p->inst[n];
    kgi_span operands = kgi_operands(&x);
    for (unsigned k = 0; k < operands.count; k++) x.arg[operands.first + k] = copied(c, x.arg[operands.first + k]);
    if (x.kind == KGI_load) l->loads[x.arg[0]]++;
    c->from[c->count] = n, c->to[c->count++] = kgi_append(l->b, x);
  }
}

/* What is stored at the test that ends the loop is stored before each of them. */
static void store_before_test(kgi_count *l, kgi_cursor at) {
  copies c = {.count = 0};
  l->b->at = at;
  copy_plain(l, l->p->block[l->body].first, &c);
  copy_plain(l, l->p->block[l->p->inst[l->test].arg[1]].first, &c);
}

static bool stores_loaded(const kgi_count *l, uint32_t from) {
  for (uint32_t n = from; n && kgi_count_is_plain(l, n); n = l->p->inst[n].next) {
    if (l->p->inst[n].kind != KGI_store || l->p->inst[n].arg[0] == l->counter) continue;
    KGI_EACH_INSIDE(l->p, l->body, i)
      if (l->p->inst[i].kind == KGI_load && l->p->inst[i].arg[0] == l->p->inst[n].arg[0]) return true;
  }
  return false;
}

static bool is_stored_before(const kgi_count *l, uint32_t object, uint32_t i) {
  while (i && !(l->p->inst[i].kind == KGI_store && l->p->inst[i].arg[0] == object)) i = l->p->inst[i].prev;
  return i != 0;
}

/* Whoever leaves the loop elsewhere stores the same, or would find what only the test's way out stores. */
static bool exits_store(const kgi_count *l) {
  for (uint32_t n = l->p->block[l->p->inst[l->test].arg[1]].first; n && kgi_count_is_plain(l, n); n = l->p->inst[n].next) {
    if (l->p->inst[n].kind != KGI_store) continue;
    KGI_EACH_INSIDE(l->p, l->body, i)
      if (kgi_count_leaves(l, i) && l->p->inst[i].kind == KGI_break && !is_stored_before(l, l->p->inst[n].arg[0], i)) return false;
  }
  return true;
}

/* Nothing in the loop looks at what is stored there. */
static bool test_is_free(const kgi_count *l) {
  if (!exits_store(l) || stores_loaded(l, l->p->block[l->body].first)) return false;
  return !stores_loaded(l, l->p->block[l->p->inst[l->test].arg[1]].first);
}

/* What else leaves the loop at the test stays behind; where there is nothing, the test goes. */
static void drop_test(kgi_count *l) {
  if (!l->other) return kgi_remove(l->p, l->test);
  l->b->at = kgi_before(l->p, l->test);
  kgi_val other = {l->other};
  l->p->inst[l->test].arg[0] = l->other_turned ? kgi_op1(l->b, KGI_OP_not, other).i : other.i;
}

static void move_body(kgi_program *p, kgi_blk body, kgi_cursor at) {
  for (uint32_t n = p->block[body].first, next; n; n = next) {
    next = p->inst[n].next;
    kgi_move(p, n, at);
    at.after = n;
  }
}

/* What the last look at the test does is done behind the loop; where the loop is left elsewhere too, in front of each look. */
void kgi_count_make(kgi_count *l) {
  kgi_program *p = l->p;
  bool ahead = !l->repeats && l->leaves_early, behind = !l->repeats && !l->leaves_early;
  l->b->pos = p->inst_pos[l->at];
  move_out(l, l->bound), find_step_in_front(l);
  l->b->at = kgi_before(p, l->at);
  kgi_val from = kgi_load(l->b, (kgi_obj){l->counter}, (kgi_val){0});
  l->loads[l->counter]++;
  if (ahead) store_before_test(l, l->b->at);
  kgi_val counter = kgi_count_begin(l, from);
  kgi_blk block = l->b->at.block;
  if (kgi_count_type(l) != KG_F32) kgi_store(l->b, (kgi_obj){l->counter}, (kgi_val){0}, counter);
  if (ahead && !leaves(p, l->body)) store_before_test(l, kgi_at_end(p, l->body));
  if (behind) store_before_test(l, kgi_behind(p, l->at));
  drop_test(l);
  if (l->b->status != KG_OK) return;
  move_body(p, l->body, kgi_at_end(p, block));
  kgi_remove(p, l->at);
}

/* The test at the end first: what is in front of it need not be said twice. */
bool kgi_count_look(kgi_count *l) {
  const kgi_count asked = *l;
  if (!is_endless(l->p, l->at)) return false;
  for (int repeats = 1; repeats >= 0; repeats--) {
    *l = asked;
    l->body = l->p->inst[l->at].arg[2], l->repeats = repeats;
    if (kgi_count_find(l) && (repeats || !l->leaves_early || test_is_free(l))) return true;
  }
  return false;
}

static void visit_loop(const kgi_count *with, uint32_t at) {
  kgi_count l = *with;
  l.at = at;
  if (kgi_count_look(&l)) kgi_count_make(&l);
}

/* Each loop may come to have a var of its own. */
uint32_t *kgi_count_loads(const kgi_program *p, kgi_arena *scratch) {
  size_t objects = p->scope.object_count;
  KGI_EACH_INSIDE(p, KGI_BODY, i) objects += p->inst[i].kind == KGI_while;
  uint32_t *loads = kgi_arena_alloc(scratch, objects, sizeof *loads);
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (loads && p->inst[i].kind == KGI_load) loads[p->inst[i].arg[0]]++;
  return loads;
}

/* Inner loops first: what they become belongs to those around them. */
static void visit(const kgi_count *with, kgi_blk block) {
  kgi_program *p = with->p;
  for (uint32_t i = p->block[block].first, next; i && with->b->status == KG_OK; i = next) {
    kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
    for (unsigned n = 0; n < blocks.count; n++) visit(with, p->inst[i].arg[blocks.first + n]);
    if (p->inst[i].kind == KGI_if) put_behind(with->b, p, i);
    next = p->inst[i].next;
    if (p->inst[i].kind == KGI_while) visit_loop(with, i);
  }
}

static kg_status count_loops(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  kgi_builder b;
  kgi_blocks blocks;
  kgi_count with = {.b = &b, .p = p, .loads = kgi_count_loads(p, scratch), .blocks = &blocks, .floats = true};
  if (!with.loads || !kgi_overlaps_find(&blocks, scratch, &p->scope)) return KG_NO_MEMORY;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  visit(&with, KGI_BODY);
  kgi_turn_negations(&b, p);
  return kgi_builder_status(&b);
}

kg_status kgi_count_loops(kg_module *m, kgi_program *p) {
  kg_allocator alloc = m->arena.alloc;
  kgi_arena scratch;
  kgi_arena_init(&scratch, &alloc);
  kg_status status = count_loops(m, p, &scratch);
  kgi_arena_free(&scratch);
  return status;
}
