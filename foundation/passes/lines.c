/* Instructions in the order in which a person writes them: what is used once stands in front of who uses it, operand by operand, so that
 * it prints as one expression; and a scalar var is loaded wherever it is looked at, so that it prints by its name. */
#include "foundation/passes/passes.h"
#include "foundation/ir/views.h"

typedef struct walk {
  kgi_builder *b;
  kgi_program *p;
  uint32_t count;      /* instructions when the walk began */
  kgi_blocks blocks;   /* which objects are written */
  uint32_t *uses;
  uint32_t *user;      /* who uses it, where there is one */
  uint32_t *version;   /* of each var: stores that were passed */
  uint32_t *seen;      /* of each load: that version, or the epoch */
  uint32_t epoch;      /* of other effects that were passed */
} walk;

static bool is_scalar_var(const walk *w, uint32_t object) {
  const kgi_object *o = &w->p->scope.object[object];
  return o->space == KGI_VAR && o->scalar;
}

static bool is_load_of_var(const walk *w, uint32_t i) {
  return i < w->count && w->p->inst[i].kind == KGI_load && is_scalar_var(w, w->p->inst[i].arg[0]);
}

/* ---- loads where a var is looked at ---- */

static void pass_stores(walk *w, kgi_blk block, uint32_t by) {
  KGI_EACH_INSIDE(w->p, block, i) {
    uint32_t object = kgi_object_of(&w->p->inst[i]);
    if (object && kgi_has_effect(&w->p->inst[i], KGI_WRITES | KGI_DECLARES)) w->version[object] += by;
  }
}

static void load_again(walk *w, uint32_t i) {
  kgi_span operands = kgi_operands(&w->p->inst[i]);
  for (unsigned n = 0; n < operands.count; n++) {
    uint32_t of = w->p->inst[i].arg[operands.first + n];
    if (!is_load_of_var(w, of) || w->seen[of] != w->version[w->p->inst[of].arg[0]] + 1) continue;
    if (w->uses[of] < 2 && w->p->inst[of].block == w->p->inst[i].block) continue;
    w->b->at = kgi_before(w->p, i);
    w->b->pos = w->p->inst_pos[of];
    kgi_val value = kgi_load(w->b, (kgi_obj){w->p->inst[of].arg[0]}, (kgi_val){0});
    if (!value.i) return;
    w->p->inst[i].arg[operands.first + n] = value.i;
    if (!--w->uses[of]) kgi_remove(w->p, of);
  }
}

static void load_block(walk *w, kgi_blk block) {
  for (uint32_t i = w->p->block[block].first, next; i && w->b->status == KG_OK; i = next) {
    next = w->p->inst[i].next;
    if (w->p->inst[i].kind != KGI_while) load_again(w, i);
    kgi_inst x = w->p->inst[i];
    if (is_load_of_var(w, i)) w->seen[i] = w->version[x.arg[0]] + 1;
    if (kgi_has_effect(&x, KGI_WRITES | KGI_DECLARES)) w->version[kgi_object_of(&x)]++;
    kgi_span blocks = kgi_owned_blocks(&x);
    bool other_side = x.kind == KGI_if && blocks.count == 2;
    for (unsigned n = 0; n < blocks.count && kgi_is_loop(&x); n++) pass_stores(w, x.arg[blocks.first + n], 1);
    if (blocks.count) load_block(w, x.arg[blocks.first]);
    if (other_side) pass_stores(w, x.arg[blocks.first], UINT32_MAX); /* they were passed on the other side */
    if (blocks.count == 2) load_block(w, x.arg[blocks.first + 1]);
    if (other_side) pass_stores(w, x.arg[blocks.first], 1);
  }
}

/* ---- loops that say when they go on ---- */

static bool leaves_alone(const kgi_program *p, uint32_t i) {
  const kgi_inst *x = &p->inst[i];
  return x->kind == KGI_if && !x->arg[2] && p->inst[p->block[x->arg[1]].first].kind == KGI_break;
}

/* Nothing of what is computed in front of the test is of use behind it. */
static bool is_for_test(const walk *w, kgi_blk body, uint32_t test) {
  enum { MOST = 64 };
  uint32_t count = 0;
  for (uint32_t i = w->p->block[body].first; i != test; i = w->p->inst[i].next) {
    if ((w->p->inst[i].kind != KGI_op && w->p->inst[i].kind != KGI_load) || ++count > MOST) return false;
    for (uint32_t n = w->p->inst[i].next; w->user[i] != n; n = w->p->inst[n].next)
      if (n == test) return false;
    if (w->uses[i] != 1) return false;
  }
  return true;
}

/* while true { if c { break } ... } is while !c { ... }. */
static void say_when(walk *w, uint32_t at) {
  kgi_program *p = w->p;
  kgi_blk body = p->inst[at].arg[2], before = p->inst[at].arg[1];
  const kgi_inst *condition = &p->inst[p->inst[at].arg[0]];
  uint32_t test = p->block[body].first;
  while (test && p->inst[test].kind != KGI_if) test = p->inst[test].next;
  if (!test || condition->kind != KGI_literal || !condition->arg[0] || p->block[before].first) return;
  if (!leaves_alone(p, test) || !is_for_test(w, body, test)) return;
  while (p->block[body].first != test) kgi_move(p, p->block[body].first, kgi_at_end(p, before));
  w->b->at = kgi_at_end(p, before);
  kgi_val on = kgi_op1(w->b, KGI_OP_not, (kgi_val){p->inst[test].arg[0]});
  if (!on.i) return;
  p->inst[at].arg[0] = on.i;
  kgi_remove(p, test);
}

/* ---- operands in front of who uses them ---- */

static void see(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  kgi_span operands = kgi_operands(x);
  for (unsigned n = 0; n < operands.count; n++) w->user[x->arg[operands.first + n]] = i, w->uses[x->arg[operands.first + n]]++;
}

/* What a load waits for: stores to its var, whichever element they reach, or any effect on memory that others see. */
static uint32_t state_of(const walk *w, const kgi_inst *load) {
  if (w->p->scope.object[load->arg[0]].space == KGI_VAR) return w->version[load->arg[0]];
  return w->blocks.written[load->arg[0]] ? w->epoch : 0;
}

static bool may_wait(const walk *w, uint32_t i, uint32_t who) {
  const kgi_inst *x = &w->p->inst[i];
  if (w->uses[i] != 1 || w->user[i] != who || x->block != w->p->inst[who].block || w->p->inst_name[i].i) return false;
  return x->kind == KGI_op || (x->kind == KGI_load && w->seen[i] == state_of(w, x));
}

static void gather(walk *w, uint32_t who, unsigned depth) {
  enum { MOST_DEPTH = 200 };
  kgi_span operands = kgi_operands(&w->p->inst[who]);
  for (unsigned n = 0; n < operands.count && depth < MOST_DEPTH; n++) {
    uint32_t i = w->p->inst[who].arg[operands.first + n];
    if (!may_wait(w, i, who)) continue;
    kgi_move(w->p, i, kgi_before(w->p, who));
    gather(w, i, depth + 1);
  }
}

/* A value that a var takes and nobody else, as compilers name each state of a var, goes by the var's name alone. */
static void name_once(walk *w, uint32_t i) {
  const kgi_inst *store = &w->p->inst[i];
  if (store->kind != KGI_store || !is_scalar_var(w, store->arg[0])) return;
  uint32_t value = store->arg[2];
  if (w->p->inst[value].kind == KGI_op && w->uses[value] == 1 && w->user[value] == i) w->p->inst_name[value] = (kgi_str){0};
}

/* `var x` stays next to what is stored there first. */
static void gather_for(walk *w, uint32_t i) {
  uint32_t before = w->p->inst[i].prev;
  bool begins = w->p->inst[before].kind == KGI_var && w->p->inst[i].kind == KGI_store && w->p->inst[before].arg[0] == w->p->inst[i].arg[0];
  name_once(w, i);
  gather(w, i, 0);
  if (begins) kgi_move(w->p, before, kgi_before(w->p, i));
}

/* a = x + a is a += x. */
static void turn(walk *w, uint32_t i) {
  kgi_inst *x = &w->p->inst[w->p->inst[i].arg[2]];
  if (w->p->inst[i].kind != KGI_store || !is_scalar_var(w, w->p->inst[i].arg[0]) || x->kind != KGI_op) return;
  const kgi_inst *first = &w->p->inst[x->arg[0]], *second = &w->p->inst[x->arg[1]];
  bool adds = (x->op == KGI_OP_add || x->op == KGI_OP_mul) && second->kind == KGI_load && second->arg[0] == w->p->inst[i].arg[0];
  if (!adds || (first->kind == KGI_load && first->arg[0] == second->arg[0])) return;
  uint32_t other = x->arg[0];
  x->arg[0] = x->arg[1], x->arg[1] = other;
}

static bool is_root(const walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  return !kgi_is_pure(x) || w->uses[i] != 1 || w->p->inst_name[i].i || w->p->inst[w->user[i]].block != x->block;
}

static void write_block(walk *w, kgi_blk block) {
  for (uint32_t i = w->p->block[block].first, next; i; i = next) {
    next = w->p->inst[i].next;
    kgi_inst x = w->p->inst[i];
    turn(w, i);
    if (is_root(w, i)) gather_for(w, i);
    if (x.kind == KGI_load) w->seen[i] = state_of(w, &x);
    if (kgi_has_effect(&x, KGI_WRITES | KGI_DECLARES)) w->version[kgi_object_of(&x)]++;
    w->epoch += !kgi_is_pure(&x) && !(kgi_object_of(&x) && w->p->scope.object[kgi_object_of(&x)].space == KGI_VAR);
    kgi_span blocks = kgi_owned_blocks(&x);
    for (unsigned n = 0; n < blocks.count; n++) write_block(w, x.arg[blocks.first + n]);
    w->epoch += blocks.count != 0;
  }
}

static bool prepare(walk *w, kgi_arena *scratch) {
  kgi_program *p = w->p;
  w->count = p->inst_count;
  w->uses = kgi_arena_alloc(scratch, p->inst_count, sizeof *w->uses);
  w->user = kgi_arena_alloc(scratch, p->inst_count, sizeof *w->user);
  w->seen = kgi_arena_alloc(scratch, p->inst_count, sizeof *w->seen);
  w->version = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w->version);
  return !scratch->failed;
}

/* What nobody uses any more; users stand behind what they use. */
static void drop_unused(walk *w, kgi_arena *scratch) {
  uint32_t *list = kgi_arena_alloc(scratch, w->count, sizeof *list), count = 0;
  if (!list) return;
  KGI_EACH_INSIDE(w->p, KGI_BODY, i)
    if (kgi_is_pure(&w->p->inst[i])) list[count++] = i;
  while (count--) {
    const kgi_inst *x = &w->p->inst[list[count]];
    kgi_span operands = kgi_operands(x);
    if (w->uses[list[count]]) continue;
    for (unsigned n = 0; n < operands.count; n++) w->uses[x->arg[operands.first + n]]--;
    kgi_remove(w->p, list[count]);
  }
}

static bool write(walk *w, kgi_arena *scratch) {
  if (!prepare(w, scratch)) return false;
  KGI_EACH_INSIDE(w->p, KGI_BODY, i) see(w, i);
  drop_unused(w, scratch);
  write_block(w, KGI_BODY);
  return !scratch->failed;
}

kg_status kgi_write_lines(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  kgi_builder b;
  walk w = {.b = &b, .p = p};
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  if (!kgi_overlaps_find(&w.blocks, scratch, &p->scope) || !prepare(&w, scratch)) return KG_NO_MEMORY;
  kgi_count_uses(p, KGI_BODY, w.uses);
  load_block(&w, KGI_BODY);
  if (kgi_builder_status(&b) != KG_OK || !write(&w, scratch)) return KG_NO_MEMORY;
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_while) say_when(&w, i);
  kgi_turn_negations(&b, p);
  return kgi_builder_status(&b) == KG_OK && write(&w, scratch) ? KG_OK : KG_NO_MEMORY;
}
