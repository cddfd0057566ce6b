/* A loop adds to elements of an object, and a later loop over the same range adds to the same elements again, as an adjoint does
 * where a row is gone through several times. Then the later one computes what the former would have added, and adds both: a load and a store less.
 * Either may be a nest of loops. It is done where that takes few loads, and no function that the later loop does not compute anyway.
 *
 * Between the two nothing touches the object. Each element that the former reaches, the latter does in the same trip of the same
 * invocation; no other invocation touches it in between, for then it would race with one of the two. The former has no barrier, or an
 * element could be another invocation's in the next trip; and it stores to each but once: what it loaded before an earlier store is not
 * there any more when the latter computes it. Neither is left early, nor is the block between the two. */
#include "foundation/passes/passes.h"
#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"

/* Loops within one another, from the innermost to the outermost, each at the top of the next one's body. */
typedef struct nest { uint32_t loop[KGI_MOST_sink_loops], depth; } nest;

/* From one nest to a later one: what a trip of the former stores, as values of the latter. */
typedef struct sinking {
  kgi_builder *b;
  kgi_program *q;
  nest from, to;
  uint32_t store, load; /* of the element: the former's store, the latter's load */
  uint32_t made[32], of[32], count; /* values of the former, and what stands for them */
} sinking;

static uint32_t outermost(const nest *n) { return n->loop[n->depth - 1]; }
static bool is_outside(const sinking *s, uint32_t value) { return kgi_is_fixed(s->q, value, outermost(&s->from)); }

/* Its number in the nest; `depth`: it is none of its loops. */
static uint32_t number_in(const nest *n, uint32_t loop) {
  uint32_t k = 0;
  while (k < n->depth && n->loop[k] != loop) k++;
  return k;
}

static uint32_t level_of(const kgi_program *q, const nest *n, kgi_blk block) { return number_in(n, q->block[block].owner); }

/* ---- whether it may be ---- */

/* The loop's body touches the object at this index alone: no trip sees another's element. */
static bool keeps_to(const kgi_program *q, kgi_blk block, uint32_t object, uint32_t index) {
  KGI_EACH_INSIDE(q, block, i) {
    const kgi_inst *inst = &q->inst[i];
    if (kgi_touches(inst) && inst->arg[0] == object && inst->arg[1] != index) return false;
  }
  return true;
}

/* Trips without a barrier: no element is another invocation's in another trip. */
static bool is_quiet(const kgi_program *q, kgi_blk block) {
  KGI_EACH_INSIDE(q, block, i)
    if (!kgi_is_quiet(&q->inst[i])) return false;
  return true;
}

static bool is_left_early(const kgi_program *q, kgi_blk block) {
  KGI_EACH_INSIDE(q, block, i)
    if (kgi_ends(&q->inst[i])) return true;
  return false;
}

/* What the body loads of the object is there until the store. */
static bool stores_alone(const kgi_program *q, kgi_blk block, uint32_t store) {
  KGI_EACH_INSIDE(q, block, i)
    if (i != store && kgi_writes(&q->inst[i]) && q->inst[i].arg[0] == q->inst[store].arg[0]) return false;
  return true;
}

/* Another element in each trip of each loop. */
static bool stores_once(const sinking *s) {
  const kgi_inst *store = &s->q->inst[s->store];
  for (uint32_t k = 0; k < s->from.depth; k++)
    if (!kgi_element_moves_with(s->q, store->arg[0], store->arg[1], s->from.loop[k])) return false;
  return true;
}

static bool gives_value(const kgi_inst *inst, uint32_t var) {
  return (kgi_writes(inst) || inst->kind == KGI_var) && inst->arg[0] == var;
}

/* Nobody stores to the var from the beginning of the former nest to the end of the latter. */
static bool keeps_its_value(const sinking *s, uint32_t var) {
  unsigned n = 0;
  for (uint32_t i = outermost(&s->from);; i = s->q->inst[i].next) {
    kgi_span blocks = kgi_owned_blocks(&s->q->inst[i]);
    if (n++ == KGI_LIMIT(sink_neighbours) || gives_value(&s->q->inst[i], var)) return false;
    for (unsigned k = 0; k < blocks.count; k++)
      KGI_EACH_INSIDE(s->q, s->q->inst[i].arg[blocks.first + k], inside)
        if (n++ == KGI_LIMIT(sink_neighbours) || gives_value(&s->q->inst[inside], var)) return false;
    if (i == outermost(&s->to)) return true;
  }
}

/* What the load gives goes by its index alone in both nests. */
static bool is_constant(const sinking *s, const kgi_inst *load) {
  const kgi_object *o = &s->q->scope.object[load->arg[0]];
  if (o->space == KGI_VAR) return o->scalar && keeps_its_value(s, load->arg[0]);
  return o->space == KGI_BUFFER && o->mode == KG_READ && !o->view;
}

/* Both give one number in the trips of the same indices. */
static bool is_alike(const sinking *s, uint32_t x, uint32_t y, unsigned depth) {
  const kgi_inst *a = &s->q->inst[x], *b = &s->q->inst[y];
  uint32_t loop = number_in(&s->from, x);
  if (loop < s->from.depth || number_in(&s->to, y) < s->to.depth) return loop == number_in(&s->to, y);
  if (is_outside(s, x)) return x == y;
  if (!depth || a->kind != b->kind || a->op != b->op || a->type != b->type) return false;
  if (a->kind == KGI_load) {
    if (a->arg[0] != b->arg[0] || !is_constant(s, a)) return false;
    return a->arg[1] == b->arg[1] || is_alike(s, a->arg[1], b->arg[1], depth - 1);
  }
  if (a->kind != KGI_op) return false;
  for (unsigned k = 0; k < kgi_op_rows[a->op].arity; k++)
    if (!is_alike(s, a->arg[k], b->arg[k], depth - 1)) return false;
  return true;
}

static bool have_same_ranges(const sinking *s) {
  for (uint32_t k = 0; k < s->from.depth; k++) {
    const kgi_inst *x = &s->q->inst[s->from.loop[k]], *y = &s->q->inst[s->to.loop[k]];
    if (x->type != y->type) return false;
    for (unsigned n = 0; n < 3; n++)
      if (x->arg[n] != y->arg[n] && (!x->arg[n] || !y->arg[n] || !is_alike(s, x->arg[n], y->arg[n], KGI_LIMIT(sink_alike)))) return false;
  }
  return true;
}

static bool is_computed_anyway(const sinking *s, uint32_t value) {
  unsigned n = 0;
  for (uint32_t k = 0; k < s->to.depth; k++)
    KGI_EACH(s->q, s->q->inst[s->to.loop[k]].arg[3], i) {
      if (n++ == KGI_LIMIT(sink_neighbours)) return false;
      if (s->q->inst[i].kind == KGI_op && is_alike(s, value, i, KGI_LIMIT(sink_alike))) return true;
    }
  return false;
}

/* What it takes to compute the value in the later nest; more than is allowed where it cannot be. Loads of the outer loops are few. */
enum { MOST_VALUES = KGI_MOST_sink_values };
typedef struct price { unsigned loads, values; uint32_t seen[MOST_VALUES + 1]; } price;

static bool was_seen(const price *p, uint32_t value) {
  for (unsigned k = 0; k < p->values && k <= MOST_VALUES; k++)
    if (p->seen[k] == value) return true;
  return false;
}

static void add_price(const sinking *s, uint32_t value, price *p, unsigned depth) {
  const kgi_inst *inst = &s->q->inst[value];
  if (number_in(&s->from, value) < s->from.depth || is_outside(s, value) || p->values > KGI_LIMIT(sink_values) || was_seen(p, value)) return;
  p->seen[p->values++] = value;
  if (!depth || level_of(s->q, &s->from, inst->block) == s->from.depth || !kgi_is_pure(inst)) {
    p->values = MOST_VALUES + 1;
  } else if (inst->kind == KGI_op) {
    bool cheap = kgi_op_rows[inst->op].flags & KGI_EXACT;
    if (!cheap && !is_computed_anyway(s, value)) p->values = MOST_VALUES + 1;
    for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++) add_price(s, inst->arg[k], p, depth - 1);
  } else {
    /* Of what nobody stores to, or the element itself before the store. */
    bool element = inst->arg[0] == s->q->inst[s->store].arg[0] && inst->arg[1] == s->q->inst[s->store].arg[1];
    bool far = s->q->scope.object[inst->arg[0]].space != KGI_VAR && level_of(s->q, &s->from, inst->block) == 0;
    if (!element && !is_constant(s, inst)) p->values = MOST_VALUES + 1;
    p->loads += !element && far;
    if (inst->arg[1]) add_price(s, inst->arg[1], p, depth - 1);
  }
}

static bool is_worth_it(const sinking *s) {
  price p = {.loads = 0};
  add_price(s, s->q->inst[s->store].arg[2], &p, KGI_LIMIT(sink_depth));
  return p.loads <= KGI_LIMIT(sink_loads) && p.values <= KGI_LIMIT(sink_values);
}

/* ---- doing it ---- */

static uint32_t made_of(const sinking *s, uint32_t value) {
  for (uint32_t k = 0; k < s->count; k++)
    if (s->of[k] == value) return s->made[k];
  return 0;
}

/* In the body that answers to the value's own, in front of the loop inside, or of the load. */
static kgi_cursor place_of(const sinking *s, uint32_t value) {
  uint32_t level = level_of(s->q, &s->from, s->q->inst[value].block);
  return kgi_before(s->q, level ? s->to.loop[level - 1] : s->load);
}

static uint32_t make(sinking *s, uint32_t value) {
  uint32_t loop = number_in(&s->from, value);
  if (loop < s->from.depth) return s->to.loop[loop];
  if (!value || is_outside(s, value)) return value;
  uint32_t found = made_of(s, value);
  if (found) return found;
  kgi_inst copy = s->q->inst[value];
  kgi_span span = kgi_operands(&copy);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) copy.arg[k] = make(s, copy.arg[k]);
  s->b->pos = s->q->inst_pos[value];
  s->b->at = place_of(s, value);
  uint32_t made = kgi_append(s->b, copy);
  if (s->count < sizeof s->of / sizeof *s->of) s->of[s->count] = value, s->made[s->count++] = made;
  return made;
}

static void replace(kgi_program *q, kgi_blk block, uint32_t from, uint32_t to) {
  KGI_EACH_INSIDE(q, block, i) {
    kgi_inst *inst = &q->inst[i];
    kgi_span span = kgi_operands(inst);
    for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
      if (inst->arg[k] == from) inst->arg[k] = to;
  }
}

static void sink(sinking *s) {
  kgi_program *q = s->q;
  uint32_t value = make(s, q->inst[s->store].arg[2]);
  if (!value) return;
  replace(q, q->inst[s->to.loop[0]].arg[3], s->load, value);
  kgi_remove(q, s->load);
  kgi_remove(q, s->store);
}

/* ---- where ---- */

/* The last access to an object so far, and the one before it; how many exits stood in front of that. */
typedef struct trail { uint32_t last, before, exits[2]; } trail;

typedef struct finder {
  kgi_builder *b;
  kgi_program *q;
  trail *trail;
  const bool *wanted;
  uint32_t exits; /* what ends a block, or a loop, so far */
} finder;

static uint32_t loop_of(const kgi_program *q, uint32_t inside) {
  uint32_t owner = q->block[q->inst[inside].block].owner;
  return q->inst[owner].kind == KGI_for ? owner : 0;
}

/* The loops around the two accesses, up to two that stand in one block. */
static bool find_nests(sinking *s) {
  uint32_t from = loop_of(s->q, s->store), to = loop_of(s->q, s->load);
  while (from && to && from != to && s->from.depth < KGI_LIMIT(sink_loops)) {
    s->from.loop[s->from.depth++] = from;
    s->to.loop[s->to.depth++] = to;
    if (s->q->inst[from].block == s->q->inst[to].block) return true;
    from = loop_of(s->q, from), to = loop_of(s->q, to);
  }
  return false;
}

/* Each trip of the one nest stores to the element that the same trip of the other loads. */
static bool meet(const sinking *s) {
  uint32_t object = s->q->inst[s->store].arg[0], stored = s->q->inst[s->store].arg[1], loaded = s->q->inst[s->load].arg[1];
  kgi_blk body = s->q->inst[outermost(&s->from)].arg[3], later = s->q->inst[outermost(&s->to)].arg[3];
  if (!have_same_ranges(s) || !stores_once(s)) return false;
  if (!is_quiet(s->q, body) || !keeps_to(s->q, body, object, stored) || !stores_alone(s->q, body, s->store)) return false;
  return !is_left_early(s->q, body) && !is_left_early(s->q, later) && keeps_to(s->q, later, object, loaded) && is_alike(s, stored, loaded, KGI_LIMIT(sink_alike));
}

/* A store to the object, the third of: store in one nest, load and store in another. */
static void consider(finder *f, uint32_t store) {
  kgi_program *q = f->q;
  const trail *t = &f->trail[q->inst[store].arg[0]];
  sinking s = {.b = f->b, .q = q, .store = t->before, .load = t->last};
  if (!s.store || q->inst[s.store].kind != KGI_store || q->inst[s.load].kind != KGI_load) return;
  if (q->inst[store].block != q->inst[s.load].block || q->inst[store].arg[1] != q->inst[s.load].arg[1]) return;
  if (t->exits[1] == f->exits && find_nests(&s) && meet(&s) && is_worth_it(&s)) sink(&s);
}

static void visit(finder *f) {
  KGI_EACH_INSIDE(f->q, KGI_BODY, i) {
    const kgi_inst *inst = &f->q->inst[i];
    f->exits += kgi_ends(inst);
    if (!kgi_touches(inst) || !f->wanted[inst->arg[0]]) continue;
    if (inst->kind == KGI_store) consider(f, i);
    trail *t = &f->trail[f->q->inst[i].arg[0]];
    *t = (trail){i, t->last, {f->exits, t->exits[0]}};
  }
}

kg_status kgi_sink(kgi_builder *b, kgi_program *q, const bool *wanted, kgi_arena *scratch) {
  finder f = {.b = b, .q = q, .wanted = wanted};
  f.trail = kgi_arena_alloc(scratch, q->scope.object_count, sizeof *f.trail);
  if (!f.trail) return KG_NO_MEMORY;
  visit(&f);
  return kgi_builder_status(b);
}
