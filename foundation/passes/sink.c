/* A loop adds to elements of an object, and a later loop over the same range adds to the same elements again, as an adjoint does
 * where a row is gone through several times. Then the later one computes what the former would have added, and adds both: a load and a store less.
 * It is done where that takes few loads, and no function that the later loop does not compute anyway.
 *
 * Between the two nothing touches the object. Each element that the former reaches, the latter does in the same trip of the same
 * invocation; no other invocation touches it in between, for then it would race with one of the two. The former has no barrier, or an
 * element could be another invocation's in the next trip; and it stores to each but once: what it loaded before an earlier store is not
 * there any more when the latter computes it. */
#include "foundation/passes/passes.h"
#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"

/* From the loop `from` to the later loop `to`: what a trip of the former stores, as values of the latter. */
typedef struct sinking {
  kgi_builder *b;
  kgi_program *q;
  uint32_t from, to;
  uint32_t store, load; /* of the element: the former's store, the latter's load */
  uint32_t made[32], of[32], count; /* values of the former, and what stands for them */
} sinking;

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

/* What the body loads of the object is there until the store. */
static bool stores_alone(const kgi_program *q, kgi_blk block, uint32_t store) {
  KGI_EACH_INSIDE(q, block, i)
    if (i != store && kgi_writes(&q->inst[i]) && q->inst[i].arg[0] == q->inst[store].arg[0]) return false;
  return true;
}

static bool is_same_range(const kgi_inst *x, const kgi_inst *y) {
  return x->type == y->type && x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1] && x->arg[2] == y->arg[2];
}

/* Both give one number in the trip of one index. */
static bool is_alike(const sinking *s, uint32_t x, uint32_t y, unsigned depth) {
  const kgi_inst *a = &s->q->inst[x], *b = &s->q->inst[y];
  if (x == s->from || y == s->to) return x == s->from && y == s->to;
  if (kgi_is_fixed(s->q, x, s->from)) return x == y;
  if (!depth || a->kind != b->kind || a->op != b->op || a->type != b->type) return false;
  if (a->kind == KGI_load) {
    const kgi_object *o = &s->q->scope.object[a->arg[0]];
    bool constant = o->space == KGI_BUFFER && o->mode == KG_READ && !o->view;
    return a->arg[0] == b->arg[0] && constant && is_alike(s, a->arg[1], b->arg[1], depth - 1);
  }
  if (a->kind != KGI_op) return false;
  for (unsigned k = 0; k < kgi_op_rows[a->op].arity; k++)
    if (!is_alike(s, a->arg[k], b->arg[k], depth - 1)) return false;
  return true;
}

static bool is_computed_anyway(const sinking *s, uint32_t value) {
  unsigned n = 0;
  KGI_EACH(s->q, s->q->inst[s->to].arg[3], i) {
    if (n++ == KGI_LIMIT(sink_neighbours)) return false;
    if (s->q->inst[i].kind == KGI_op && is_alike(s, value, i, KGI_LIMIT(sink_alike))) return true;
  }
  return false;
}

/* What it takes to compute the value in the later loop; more than is allowed where it cannot be. */
enum { MOST_VALUES = KGI_MOST_sink_values };
typedef struct price { unsigned loads, values; uint32_t seen[MOST_VALUES + 1]; } price;

static bool was_seen(const price *p, uint32_t value) {
  for (unsigned k = 0; k < p->values && k <= MOST_VALUES; k++)
    if (p->seen[k] == value) return true;
  return false;
}

static void add_price(const sinking *s, uint32_t value, price *p, unsigned depth) {
  const kgi_inst *inst = &s->q->inst[value];
  if (value == s->from || kgi_is_fixed(s->q, value, s->from) || p->values > KGI_LIMIT(sink_values) || was_seen(p, value)) return;
  p->seen[p->values++] = value;
  if (!depth || inst->block != s->q->inst[s->from].arg[3] || !kgi_is_pure(inst)) {
    p->values = MOST_VALUES + 1;
  } else if (inst->kind == KGI_op) {
    bool cheap = kgi_op_rows[inst->op].flags & KGI_EXACT;
    if (!cheap && !is_computed_anyway(s, value)) p->values = MOST_VALUES + 1;
    for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++) add_price(s, inst->arg[k], p, depth - 1);
  } else {
    /* Of what nobody stores to, or the element itself before the store. */
    const kgi_object *o = &s->q->scope.object[inst->arg[0]];
    bool element = inst->arg[0] == s->q->inst[s->store].arg[0] && inst->arg[1] == s->q->inst[s->store].arg[1];
    if (!element && (o->space != KGI_BUFFER || o->mode != KG_READ || o->view)) p->values = MOST_VALUES + 1;
    p->loads += !element;
    add_price(s, inst->arg[1], p, depth - 1);
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

static uint32_t make(sinking *s, uint32_t value) {
  if (value == s->from) return s->to;
  if (!value || kgi_is_fixed(s->q, value, s->from)) return value;
  uint32_t found = made_of(s, value);
  if (found) return found;
  kgi_inst copy = s->q->inst[value];
  kgi_span span = kgi_operands(&copy);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) copy.arg[k] = make(s, copy.arg[k]);
  s->b->pos = s->q->inst_pos[value];
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
  s->b->at = kgi_before(q, s->load);
  uint32_t value = make(s, q->inst[s->store].arg[2]);
  if (!value) return;
  replace(q, q->inst[s->to].arg[3], s->load, value);
  kgi_remove(q, s->load);
  kgi_remove(q, s->store);
}

/* ---- where ---- */

/* The last access to an object so far, and the one before it. */
typedef struct trail { uint32_t last, before; } trail;

typedef struct finder { kgi_builder *b; kgi_program *q; trail *trail; const bool *wanted; } finder;

static uint32_t loop_of(const kgi_program *q, uint32_t access) {
  uint32_t owner = q->block[q->inst[access].block].owner;
  return q->inst[owner].kind == KGI_for ? owner : 0;
}

/* A store to the object, the third of: store in one loop, load and store in another. */
static void consider(finder *f, uint32_t store) {
  kgi_program *q = f->q;
  const trail *t = &f->trail[q->inst[store].arg[0]];
  sinking s = {.b = f->b, .q = q, .store = t->before, .load = t->last};
  if (!s.store || q->inst[s.store].kind != KGI_store || q->inst[s.load].kind != KGI_load) return;
  s.from = loop_of(q, s.store), s.to = loop_of(q, s.load);
  bool apart = s.from && s.to && s.from != s.to && q->inst[s.from].block == q->inst[s.to].block;
  if (!apart || q->inst[store].block != q->inst[s.load].block || q->inst[store].arg[1] != q->inst[s.load].arg[1]) return;
  uint32_t object = q->inst[store].arg[0], index = q->inst[store].arg[1];
  if (!is_same_range(&q->inst[s.from], &q->inst[s.to]) || !kgi_element_moves_with(q, object, q->inst[s.store].arg[1], s.from)) return;
  kgi_blk body = q->inst[s.from].arg[3];
  if (!is_quiet(q, body) || !keeps_to(q, body, object, q->inst[s.store].arg[1]) || !stores_alone(q, body, s.store)) return;
  if (!keeps_to(q, q->inst[s.to].arg[3], object, index)) return;
  if (is_alike(&s, q->inst[s.store].arg[1], q->inst[s.load].arg[1], KGI_LIMIT(sink_alike)) && is_worth_it(&s)) sink(&s);
}

static void visit(finder *f) {
  KGI_EACH_INSIDE(f->q, KGI_BODY, i) {
    const kgi_inst *inst = &f->q->inst[i];
    if (!kgi_touches(inst) || !f->wanted[inst->arg[0]]) continue;
    if (inst->kind == KGI_store) consider(f, i);
    trail *t = &f->trail[f->q->inst[i].arg[0]];
    *t = (trail){i, t->last};
  }
}

kg_status kgi_sink(kgi_builder *b, kgi_program *q, const bool *wanted, kgi_arena *scratch) {
  finder f = {.b = b, .q = q, .wanted = wanted};
  f.trail = kgi_arena_alloc(scratch, q->scope.object_count, sizeof *f.trail);
  if (!f.trail) return KG_NO_MEMORY;
  visit(&f);
  return kgi_builder_status(b);
}
