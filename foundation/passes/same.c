/* Vars that hold the same. A walk in the order of execution knows of each scalar var what it holds: a value, or something that it came by
 * on several ways. Two vars that came by the same pair hold the same. In front of a loop the walk takes it that nothing changes in the
 * loop, and takes back what is wrong, until all is right.
 *
 * Then a load of what is at hand becomes that value; a store of what is there already goes; and a var of which every load could be one
 * of another var has none any more. A var that takes over another one's value, and gives it back before anybody looks, is that var. */
#include "foundation/passes/passes.h"

#include <string.h>

enum { MOST_WORK = 1 << 22, MOST_PAIRS = 48, MOST_OTHERS = 6, MOST_DEPTH = KGI_MAX_DEPTH + 2 };

typedef struct pair { uint32_t a, b, is; } pair;
typedef struct state { uint32_t *is; bool live; } state; /* by position in walk.var */
typedef struct frame { state out, again; } frame;
typedef struct others { uint32_t var[MOST_OTHERS]; uint8_t count; bool asked, wanted; } others;

/* A var that has taken over the value of `from`, and is one with it if they are the same wherever somebody looks at `from`, up to the end
 * of its block. */
typedef struct heir { uint32_t from, loops; bool begun, apart; } heir;

typedef struct walk {
  kgi_program *p;
  kgi_arena *arena;
  uint32_t *var, vars;      /* scalar vars, and ... */
  uint32_t *place;          /* ... of each object its position among them, plus one */
  uint32_t *number;         /* of each instruction: the value, or what was met on several ways */
  uint32_t next, work;
  state now;
  frame frames[MOST_DEPTH];
  uint32_t depth;
  bool *open;               /* blocks in which the walk is */
  kgi_blk *declared;        /* of each var: where, when it was last come by */
  /* what is found */
  bool records;
  uint32_t *to;             /* of loads: what is at hand */
  bool *needless;           /* stores */
  heir *heirs;              /* of each var; `from`: a position plus one */
  uint32_t *heir_of;        /* of each var: the heir that is open, as a position plus one */
  uint32_t *list, listed;   /* heirs that are open */
  others *others;           /* of each var: those that hold the same at each of its loads */
} walk;

static bool tired(walk *w, uint32_t work) {
  if (w->work > MOST_WORK || w->arena->failed || w->depth + 1 >= MOST_DEPTH) return w->work = MOST_WORK + 1, true;
  w->work += work;
  return false;
}

/* ---- states ---- */

static state copy_of(walk *w, state from) {
  state s = {kgi_arena_alloc(w->arena, w->vars + 1, sizeof *s.is), from.live};
  if (s.is && from.is) memcpy(s.is, from.is, w->vars * sizeof *s.is);
  tired(w, w->vars);
  return s;
}

/* What a pair is; a new number for each that was not met before. */
static uint32_t met(walk *w, pair *pairs, uint32_t *count, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < *count; k++)
    if (pairs[k].a == a && pairs[k].b == b) return pairs[k].is;
  if (*count < MOST_PAIRS) pairs[(*count)++] = (pair){a, b, w->next};
  return w->next++;
}

/* Another way comes to where `into` is. */
static void join(walk *w, state *into, state from) {
  pair pairs[MOST_PAIRS];
  uint32_t count = 0;
  if (!from.live || tired(w, w->vars)) return;
  if (!into->live) {
    *into = copy_of(w, from);
    return;
  }
  for (uint32_t k = 0; k < w->vars; k++)
    if (into->is[k] != from.is[k]) into->is[k] = met(w, pairs, &count, into->is[k], from.is[k]);
}

/* ---- what is found ---- */

static bool is_open(const walk *w, uint32_t k) { return w->declared[k] && w->open[w->declared[k]]; }

/* The index of a loop is at hand in its body alone. */
static bool at_hand(const walk *w, uint32_t value) {
  const kgi_inst *x = &w->p->inst[value < w->p->inst_count ? value : 0];
  if (!x->kind || kgi_is_leaf(x->kind)) return x->kind != KGI_none;
  kgi_blk block = x->kind == KGI_for ? kgi_body_of(x) : x->block;
  return block && w->open[block];
}

static void find_others(walk *w, uint32_t k) {
  others *o = &w->others[k];
  uint32_t is = w->now.is[k], kept = 0;
  if (!o->asked) {
    for (uint32_t j = 0; j < w->vars && o->count < MOST_OTHERS; j++)
      if (j != k && w->now.is[j] == is && is_open(w, j)) o->var[o->count++] = j;
    tired(w, w->vars);
  } else {
    for (uint32_t j = 0; j < o->count; j++)
      if (w->now.is[o->var[j]] == is && is_open(w, o->var[j])) o->var[kept++] = o->var[j];
    o->count = (uint8_t)kept;
  }
  o->asked = true;
}

/* Somebody looks at the var, or leaves its heir. */
static void look_at(walk *w, uint32_t k) {
  uint32_t to = w->heir_of[k];
  if (to && w->now.is[to - 1] != w->now.is[k]) w->heirs[to - 1].apart = true;
}

static void begin_heir(walk *w, uint32_t i, uint32_t k) {
  const kgi_program *p = w->p;
  const kgi_inst *value = &p->inst[p->inst[i].arg[2]];
  uint32_t from = value->kind == KGI_load ? w->place[value->arg[0]] : 0;
  if (w->heirs[k].begun || !from || from - 1 == k || w->heir_of[from - 1] || w->declared[k] != p->inst[i].block) return;
  if (w->now.is[k] != w->now.is[from - 1] || !is_open(w, from - 1)) return;
  if (p->scope.object[w->var[k]].type != p->scope.object[w->var[from - 1]].type) return;
  w->heirs[k] = (heir){from, w->depth, true, false};
  w->heir_of[from - 1] = k + 1;
  w->list[w->listed++] = k;
}

static void end_heirs(walk *w, kgi_blk block) {
  while (w->listed && w->declared[w->list[w->listed - 1]] == block) {
    uint32_t from = w->heirs[w->list[--w->listed]].from - 1;
    if (w->now.live) look_at(w, from);
    w->heir_of[from] = 0;
  }
}

/* A `break` or a `continue` leaves the blocks of the innermost loop. */
static void leave_heirs(walk *w) {
  for (uint32_t n = w->listed; n-- > 0 && w->heirs[w->list[n]].loops == w->depth;) look_at(w, w->heirs[w->list[n]].from - 1);
}

static void visit_load(walk *w, uint32_t i, uint32_t k) {
  w->number[i] = w->now.is[k];
  if (!w->records) return;
  look_at(w, k);
  w->heirs[k].begun = true;
  if (at_hand(w, w->now.is[k])) w->to[i] = w->now.is[k];
  else find_others(w, k);
}

static void visit_store(walk *w, uint32_t i, uint32_t k) {
  uint32_t value = w->number[w->p->inst[i].arg[2]];
  if (w->records) w->needless[i] = w->now.is[k] == value;
  w->now.is[k] = value;
  if (!w->records) return;
  look_at(w, k);
  begin_heir(w, i, k);
  w->heirs[k].begun = true;
}

/* ---- control ---- */

static void visit_block(walk *w, kgi_blk block);

static void visit_if(walk *w, const kgi_inst *x) {
  state before = copy_of(w, w->now);
  visit_block(w, x->arg[1]);
  state first = w->now;
  w->now = before;
  if (x->arg[2]) visit_block(w, x->arg[2]);
  join(w, &w->now, first);
}

/* Whether another var that changes is taken to hold the same. */
static bool is_shared(walk *w, const uint32_t *is, const bool *changes, uint32_t k) {
  bool shared = false;
  for (uint32_t j = 0; j < w->vars && !shared; j++) shared = j != k && changes[j] && is[j] == is[k];
  tired(w, w->vars);
  return shared;
}

/* Vars that change are told apart where they came by different things. Past so many pairs, each stands for itself. */
static void split(walk *w, state head, state back, const bool *changes, uint32_t k, pair *pairs, uint32_t *count) {
  uint32_t old = head.is[k];
  bool first = true;
  for (uint32_t j = 0; j < *count; j++) {
    if (pairs[j].a == old && pairs[j].b == back.is[k]) return (void)(head.is[k] = pairs[j].is);
    first &= pairs[j].a != old;
  }
  if (*count == MOST_PAIRS) {
    if (is_shared(w, head.is, changes, k)) head.is[k] = w->next++;
    return;
  }
  if (!first) head.is[k] = w->next++;
  pairs[(*count)++] = (pair){old, back.is[k], head.is[k]};
}

/* Takes back what a trip shows to be wrong; false: nothing was. */
static bool refine(walk *w, state head, state entry, state back, bool *changes) {
  pair pairs[MOST_PAIRS], fresh[MOST_PAIRS];
  uint32_t count = 0, fresh_count = 0, before = w->next;
  for (uint32_t k = 0; k < w->vars; k++)
    if (changes[k]) split(w, head, back, changes, k, pairs, &count);
  for (uint32_t k = 0; k < w->vars; k++) {
    if (changes[k] || back.is[k] == head.is[k]) continue;
    changes[k] = true;
    head.is[k] = met(w, fresh, &fresh_count, entry.is[k], back.is[k]);
  }
  return w->next != before;
}

/* There is a first trip, from a literal to a literal above it. */
static bool runs(const kgi_program *p, const kgi_inst *loop) {
  const kgi_inst *from = &p->inst[loop->arg[0]], *to = &p->inst[loop->arg[1]];
  bool small = from->kind == KGI_literal && to->kind == KGI_literal && kgi_literal_bits(from) < INT32_MAX;
  return small && kgi_literal_bits(to) < INT32_MAX && kgi_literal_bits(from) < kgi_literal_bits(to);
}

/* One trip from `head`: what it comes to next, and how the loop is left. */
static frame trip(walk *w, const kgi_inst *x, state head) {
  frame *f = &w->frames[w->depth++];
  *f = (frame){{NULL, false}, {NULL, false}};
  w->now = copy_of(w, head);
  if (x->kind == KGI_for) {
    if (!runs(w->p, x)) join(w, &f->out, w->now);
  } else {
    visit_block(w, x->arg[1]);
    const kgi_inst *condition = &w->p->inst[x->arg[0]];
    if (condition->kind != KGI_literal || !condition->arg[0]) join(w, &f->out, w->now);
  }
  visit_block(w, kgi_body_of(x));
  join(w, &f->again, w->now);
  if (x->kind == KGI_for && runs(w->p, x)) join(w, &f->out, f->again);
  w->depth--;
  return *f;
}

static void visit_loop(walk *w, const kgi_inst *x) {
  state entry = w->now, head = copy_of(w, entry);
  bool records = w->records, *changes = kgi_arena_alloc(w->arena, w->vars + 1, 1);
  frame last = {{NULL, false}, {NULL, false}};
  w->records = false;
  if (!changes) return;
  for (bool again = true; again && !tired(w, w->vars);) {
    last = trip(w, x, head);
    again = last.again.live && refine(w, head, entry, last.again, changes);
  }
  w->records = records;
  if (records && !tired(w, 1)) last = trip(w, x, head);
  w->now = last.out.live ? last.out : (state){w->now.is, false};
}

static void visit(walk *w, uint32_t i) {
  const kgi_inst *x = &w->p->inst[i];
  uint32_t k = x->kind == KGI_load || x->kind == KGI_store || x->kind == KGI_var ? w->place[x->arg[0]] : 0;
  w->number[i] = i;
  switch ((kgi_kind)x->kind) {
  case KGI_var:
    if (k) w->now.is[k - 1] = w->next++, w->declared[k - 1] = x->block;
    return;
  case KGI_load: if (k) visit_load(w, i, k - 1); return;
  case KGI_store: if (k) visit_store(w, i, k - 1); return;
  case KGI_if: visit_if(w, x); return;
  case KGI_for: case KGI_while: visit_loop(w, x); return;
  case KGI_region: case KGI_checkpoint: visit_block(w, x->arg[0]); return;
  case KGI_break: if (w->records) leave_heirs(w); if (w->depth) join(w, &w->frames[w->depth - 1].out, w->now); break;
  case KGI_continue: if (w->records) leave_heirs(w); if (w->depth) join(w, &w->frames[w->depth - 1].again, w->now); break;
  case KGI_return: break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_op: case KGI_atomic:
  case KGI_subgroup: case KGI_barrier: case KGI_memory_barrier: case KGI_check: case KGI_KIND_COUNT: return;
  }
  w->now.live = false;
}

static void visit_block(walk *w, kgi_blk block) {
  w->open[block] = true;
  for (uint32_t i = w->p->block[block].first; i && w->now.live && !tired(w, 1); i = w->p->inst[i].next) visit(w, i);
  if (w->records) end_heirs(w, block);
  w->open[block] = false;
}

/* ---- what is done ---- */

/* Later vars first: those that a pass made to carry a value further. */
static void rename_vars(walk *w, uint32_t *instead) {
  for (uint32_t k = w->vars; k-- > 0;) {
    others *o = &w->others[k];
    for (uint32_t j = 0; j < o->count && !o->wanted && !instead[k]; j++) {
      uint32_t other = o->var[j];
      const kgi_object *object = w->p->scope.object;
      if (instead[other] || object[w->var[other]].type != object[w->var[k]].type) continue;
      instead[k] = w->var[other], w->others[other].wanted = true;
    }
  }
}

/* One step of a chain of heirs at a time. */
static bool inherit(walk *w) {
  kgi_program *p = w->p;
  bool *taken = kgi_arena_alloc(w->arena, w->vars + 1, sizeof *taken), any = false;
  for (uint32_t k = 0; k < w->vars && taken; k++) {
    heir *h = &w->heirs[k];
    bool is_one = h->from && !h->apart && !taken[k] && !taken[h->from - 1];
    if (!is_one) h->from = 0;
    else taken[k] = taken[h->from - 1] = any = true;
  }
  for (uint32_t i = p->block[KGI_BODY].first, next; i && any; i = next) {
    next = kgi_next_inside(p, KGI_BODY, i);
    kgi_inst *x = &p->inst[i];
    bool access = x->kind == KGI_load || x->kind == KGI_store || x->kind == KGI_var;
    uint32_t k = access ? w->place[x->arg[0]] : 0;
    if (!k || !w->heirs[k - 1].from) continue;
    if (x->kind == KGI_var) kgi_remove(p, i); else x->arg[0] = w->var[w->heirs[k - 1].from - 1];
  }
  return any;
}

static void apply(walk *w) {
  kgi_program *p = w->p;
  uint32_t *instead = kgi_arena_alloc(w->arena, w->vars + 1, sizeof *instead);
  if (!instead) return;
  rename_vars(w, instead);
  for (uint32_t i = p->block[KGI_BODY].first, next; i; i = next) {
    kgi_inst *x = &p->inst[i];
    kgi_span operands = kgi_operands(x);
    next = kgi_next_inside(p, KGI_BODY, i);
    for (unsigned n = 0; n < operands.count; n++)
      if (w->to[x->arg[operands.first + n]]) x->arg[operands.first + n] = w->to[x->arg[operands.first + n]];
    if (x->kind == KGI_load && w->place[x->arg[0]] && instead[w->place[x->arg[0]] - 1]) x->arg[0] = instead[w->place[x->arg[0]] - 1];
    if (w->needless[i]) kgi_remove(p, i);
  }
}

static bool is_known(const kgi_object *o) { return o->space == KGI_VAR && o->scalar && kgi_type_value(o->type) == o->type; }

static kg_status join_vars(kgi_program *p, kgi_arena *scratch, bool *again) {
  walk w = {.p = p, .arena = scratch, .next = p->inst_count, .now = {NULL, true}};
  w.var = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w.var);
  w.place = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *w.place);
  w.number = kgi_arena_alloc(scratch, p->inst_count, sizeof *w.number);
  w.to = kgi_arena_alloc(scratch, p->inst_count, sizeof *w.to);
  w.needless = kgi_arena_alloc(scratch, p->inst_count, sizeof *w.needless);
  w.open = kgi_arena_alloc(scratch, p->block_count, sizeof *w.open);
  if (scratch->failed) return KG_NO_MEMORY;
  for (uint32_t o = 1; o < p->scope.object_count; o++)
    if (is_known(&p->scope.object[o])) w.var[w.vars++] = o, w.place[o] = w.vars;
  w.declared = kgi_arena_alloc(scratch, w.vars + 1, sizeof *w.declared);
  w.heirs = kgi_arena_alloc(scratch, w.vars + 1, sizeof *w.heirs);
  w.heir_of = kgi_arena_alloc(scratch, w.vars + 1, sizeof *w.heir_of);
  w.list = kgi_arena_alloc(scratch, w.vars + 1, sizeof *w.list);
  w.others = kgi_arena_alloc(scratch, w.vars + 1, sizeof *w.others);
  w.now.is = kgi_arena_alloc(scratch, w.vars + 1, sizeof *w.now.is);
  if (scratch->failed) return KG_NO_MEMORY;
  for (uint32_t i = 1; i < p->inst_count; i++) w.number[i] = i;
  for (uint32_t k = 0; k < w.vars; k++) w.now.is[k] = w.next++;
  w.records = true;
  visit_block(&w, KGI_BODY);
  *again = false;
  if (!scratch->failed && w.work <= MOST_WORK) *again = inherit(&w);
  if (!scratch->failed && w.work <= MOST_WORK && !*again) apply(&w);
  return scratch->failed ? KG_NO_MEMORY : KG_OK;
}

kg_status kgi_join_vars(kg_module *m, kgi_program *p) {
  enum { MOST_STEPS = 8 };
  kg_status status = KG_OK;
  bool again = true;
  for (int k = 0; k < MOST_STEPS && again && status == KG_OK; k++) {
    kg_allocator alloc = m->arena.alloc;
    kgi_arena scratch;
    kgi_arena_init(&scratch, &alloc);
    status = join_vars(p, &scratch, &again);
    kgi_arena_free(&scratch);
  }
  return status;
}
