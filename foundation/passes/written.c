/* Loops that count, as people write them: `while i < n { … i += s }`. The condition becomes a test in the body, as compilers write it, and
 * is put back where the loop does not count after all. What a step would carry past the end of the counter's type comes round and goes on,
 * and a `for` does not: behind the loop it is asserted that it did not, unless that is known or takes longer than anyone waits. */
#include "foundation/analysis/ranges.h"
#include "foundation/ir/bits.h"
#include "foundation/passes/count.h"

enum { SHORT_STEP = 256 }; /* by such steps it takes 16 million trips to come round */

typedef struct written {
  kgi_builder *b;
  kgi_program *p;
  uint32_t at, condition;
  kgi_blk block;
  uint32_t first, last; /* what the condition's block held */
  uint32_t made, negation, test;
} written;

static bool is_true(const kgi_inst *x) { return x->kind == KGI_literal && x->arg[0]; }

/* ---- the condition as a test in the body, and back ---- */

/* `while c` becomes `while true { if !c { break } … }`. */
static void open(written *w) {
  kgi_builder *b = w->b;
  kgi_inst *x = &w->p->inst[w->at];
  w->condition = x->arg[0], w->block = x->arg[1];
  w->first = w->p->block[w->block].first, w->last = w->p->block[w->block].last;
  b->pos = w->p->inst_pos[w->at];
  b->at = kgi_at_start(x->arg[2]);
  for (uint32_t n = w->first, next; n; n = next) {
    next = w->p->inst[n].next;
    kgi_move(w->p, n, b->at);
    b->at.after = n;
  }
  w->made = w->p->inst_count;
  w->negation = kgi_negated(b, w->condition).i;
  kgi_if_begin(b, (kgi_val){w->negation});
  if (b->status != KG_OK) return;
  w->test = w->p->block[b->at.block].owner;
  kgi_break_here(b);
  kgi_end(b);
  kgi_val always = kgi_bool(b, true);
  w->p->inst[w->at].arg[0] = always.i;
}

static void close(written *w) {
  kgi_remove(w->p, w->test);
  if (w->negation >= w->made) kgi_remove(w->p, w->negation);
  w->p->inst[w->at].arg[0] = w->condition;
  for (uint32_t n = w->first, next; n; n = next) {
    next = n == w->last ? 0 : w->p->inst[n].next;
    kgi_move(w->p, n, kgi_at_end(w->p, w->block));
  }
}

/* ---- what comes round ---- */

static const kgi_range unknown = {0, 0, false};

typedef struct search {
  kgi_builder *b;
  kgi_program *p;
  uint32_t *loads;
  kgi_ranges ranges;
  uint32_t count; /* of the values that have a range */
} search;

static kgi_range range_of(const search *s, uint32_t value) { return value < s->count ? s->ranges.value[value] : unknown; }

/* The last counter is below the bound, or is the bound, and a step goes on from there. */
static bool stays_in_type(const search *s, const kgi_count *l) {
  const kgi_inst *step = &s->p->inst[l->step];
  if (l->form != KGI_COUNT_UP || (step->kind == KGI_literal && step->arg[0] <= SHORT_STEP)) return true;
  kgi_range to = range_of(s, l->bound), by = range_of(s, l->step);
  int64_t end = s->p->scope.object[l->counter].type == KG_I32 ? INT32_MAX : UINT32_MAX;
  return to.known && by.known && by.lo > 0 && to.hi - (l->goes_on == KGI_OP_lt) <= end - by.hi;
}

/* Where the counter came round, the loop as it is written would go on. */
static void assert_end(search *s, const kgi_count *l) {
  kgi_val counter = kgi_load(s->b, (kgi_obj){l->counter}, (kgi_val){0});
  kgi_val on = kgi_op2(s->b, l->goes_on, counter, (kgi_val){l->bound});
  kgi_assert(s->b, kgi_negated(s->b, on.i), "the counter of a loop passed the end of its type");
}

/* ---- all loops ---- */

/* A loop that is left elsewhere too need not come to its end. */
static bool count(search *s, uint32_t at) {
  kgi_count l = {.b = s->b, .p = s->p, .at = at, .loads = s->loads};
  if (!kgi_count_look(&l)) return false;
  bool stays = stays_in_type(s, &l);
  if (!stays && l.leaves_early) return false;
  kgi_blk block = s->p->inst[at].block;
  uint32_t behind = s->p->inst[at].next;
  kgi_count_make(&l);
  s->b->at = behind ? kgi_before(s->p, behind) : kgi_at_end(s->p, block);
  if (!stays && s->b->status == KG_OK) assert_end(s, &l);
  return true;
}

/* A limit is a promise of its own. */
static void visit_loop(search *s, uint32_t at) {
  const kgi_inst *x = &s->p->inst[at];
  written w = {.b = s->b, .p = s->p, .at = at};
  if (x->arg[3]) return;
  bool endless = is_true(&s->p->inst[x->arg[0]]) && !s->p->block[x->arg[1]].first;
  if (!endless) open(&w);
  if (s->b->status == KG_OK && !count(s, at) && !endless) close(&w);
}

/* Inner loops first: what they become belongs to those around them. */
static void visit(search *s, kgi_blk block) {
  for (uint32_t i = s->p->block[block].first, next; i && s->b->status == KG_OK; i = next) {
    kgi_span blocks = kgi_owned_blocks(&s->p->inst[i]);
    for (unsigned n = 0; n < blocks.count; n++) visit(s, s->p->inst[i].arg[blocks.first + n]);
    next = s->p->inst[i].next;
    if (s->p->inst[i].kind == KGI_while) visit_loop(s, i);
  }
}

static bool has_while(const kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_while) return true;
  return false;
}

kg_status kgi_count_written(kg_module *m, kgi_program *p, kgi_arena *scratch) {
  kgi_builder b;
  if (!has_while(p)) return KG_OK;
  search s = {.b = &b, .p = p, .count = p->inst_count};
  s.loads = kgi_arena_alloc(scratch, p->scope.object_count, sizeof *s.loads);
  if (!s.loads || !kgi_ranges_find(&s.ranges, scratch, p, &(kgi_known){0})) return KG_NO_MEMORY;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_load) s.loads[p->inst[i].arg[0]]++;
  visit(&s, KGI_BODY);
  return kgi_builder_status(&b);
}
