/* Loops that count, as people write them: `while i < n { … i += s }`. The condition becomes a test in the body, as compilers write it, and
 * is put back where the loop does not count after all. What a step would carry past the end of the counter's type comes round and goes on,
 * and a `for` does not: behind the loop it is asserted that it did not, unless that is known, or takes LONG_WAY trips. */
#include "foundation/analysis/ranges.h"
#include "foundation/ir/bits.h"
#include "foundation/passes/count.h"

enum { SHORT_STEP = 256, LONG_WAY = 1 << 24 }; /* by such steps it takes so many trips to come round */

typedef struct written {
  kgi_builder *b;
  kgi_program *p;
  uint32_t at, condition;
  kgi_blk block;
  uint32_t first, last; /* what the condition's block held */
  uint32_t made, negation, test;
  uint32_t limit;       /* the trips that are promised, in the scope's table of lengths; 0: none are */
  uint32_t ahead, of;   /* what the condition looks at is so much more than this var */
} written;

static bool is_true(const kgi_inst *x) { return x->kind == KGI_literal && x->arg[0]; }

/* ---- the condition as a test in the body, and back ---- */

static bool is_short(const kgi_inst *x) { return x->kind == KGI_literal && x->arg[0] && x->arg[0] <= SHORT_STEP && !x->arg[1]; }

/* Where i + c does not come round, i + c < n is i < max(n, c) - c, and so it is of signed numbers from the lowest on; i + c <= n is
 * i + (c - 1) < n. */
static kgi_val without_lead(written *w) {
  const kgi_inst x = w->p->inst[w->condition];
  const kgi_val as_it_is = {w->condition};
  bool turned = x.op == KGI_OP_gt || x.op == KGI_OP_ge, equals = x.op == KGI_OP_le || x.op == KGI_OP_ge;
  if (x.kind != KGI_op || !x.block || (!turned && !equals && x.op != KGI_OP_lt)) return as_it_is;
  const kgi_inst sum = w->p->inst[x.arg[turned]];
  if (sum.kind != KGI_op || sum.op != KGI_OP_add) return as_it_is;
  unsigned side = w->p->inst[sum.arg[0]].kind == KGI_load ? 0 : 1;
  kg_type type = (kg_type)sum.type;
  if (w->p->inst[sum.arg[side]].kind != KGI_load || !is_short(&w->p->inst[sum.arg[1 - side]]) || (type != KG_I32 && type != KG_U32)) return as_it_is;
  w->ahead = sum.arg[1 - side], w->of = w->p->inst[sum.arg[side]].arg[0];
  int64_t c = (int64_t)w->p->inst[w->ahead].arg[0] - equals;
  kgi_val least = kgi_int(w->b, type, type == KG_I32 ? INT32_MIN + c : c), bound = kgi_op2(w->b, KGI_OP_max, (kgi_val){x.arg[!turned]}, least);
  bound = kgi_op2(w->b, KGI_OP_sub, bound, kgi_int(w->b, type, c));
  return kgi_op2(w->b, KGI_OP_lt, (kgi_val){sum.arg[side]}, bound);
}

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
  w->negation = kgi_negated(b, without_lead(w).i).i;
  kgi_if_begin(b, (kgi_val){w->negation});
  if (b->status != KG_OK) return;
  w->test = w->p->block[b->at.block].owner;
  kgi_break_here(b);
  kgi_end(b);
  kgi_val always = kgi_bool(b, true);
  w->p->inst[w->at].arg[0] = always.i;
  w->limit = w->p->inst[w->at].arg[3], w->p->inst[w->at].arg[3] = 0;
}

static void close(written *w) {
  kgi_remove(w->p, w->test);
  for (uint32_t i = w->made; i < w->p->inst_count; i++)
    if (w->p->inst[i].kind == KGI_op && w->p->inst[i].block) kgi_remove(w->p, i);
  w->p->inst[w->at].arg[0] = w->condition, w->p->inst[w->at].arg[3] = w->limit;
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
  kgi_blocks blocks;
  kgi_ranges ranges;
  uint32_t count; /* of the values that have a range */
} search;

static kgi_range range_of(const search *s, uint32_t value) { return value < s->count ? s->ranges.value[value] : unknown; }

/* What is below the bound loses no bit as it is shifted. */
static bool doubles_in_type(const search *s, const kgi_count *l) {
  kgi_range to = range_of(s, l->bound);
  return to.known && to.hi + (l->goes_on == KGI_OP_le) <= INT64_C(1) << ((l->seen == KG_I32 ? 31 : 32) - l->shift);
}

/* The last counter is below the bound, or is the bound, and a step goes on from there. */
static bool stays_in_type(const search *s, const kgi_count *l) {
  const kgi_inst *step = &s->p->inst[l->step];
  if (l->by == KGI_BY_DOUBLING) return l->known || doubles_in_type(s, l);
  if (l->form != KGI_COUNT_UP || (step->kind == KGI_literal && step->arg[0] <= SHORT_STEP)) return true;
  kgi_range to = range_of(s, l->bound), by = range_of(s, l->step);
  int64_t end = l->seen == KG_I32 ? INT32_MAX : UINT32_MAX;
  return to.known && by.known && by.lo > 0 && to.hi - (l->goes_on == KGI_OP_lt) <= end - by.hi;
}

static kgi_val counter_of(search *s, const kgi_count *l) {
  s->loads[l->counter]++;
  return kgi_convert(s->b, l->seen, kgi_load(s->b, (kgi_obj){l->counter}, (kgi_val){0}));
}

/* Where the counter came round, or the limit was too low, the loop as it is written would go on. */
static void assert_end(search *s, const kgi_count *l, uint32_t bound, const char *message) {
  kgi_val counter = counter_of(s, l);
  kgi_val on = kgi_op2(s->b, l->goes_on, counter, (kgi_val){bound});
  kgi_assert(s->b, kgi_negated(s->b, on.i), message);
}

static kgi_val counter_in_front(search *s, const kgi_count *l) {
  s->b->at = kgi_before(s->p, l->at);
  return counter_of(s, l);
}

/* A sum, product or quotient of what indices are made of, or the smaller of it and anything: one from which something is taken away may lie
 * below 0, and come round as soon as it goes on. But a quotient of what a literal was taken from is no longer near the end. */
static bool is_index(const search *s, uint32_t value, unsigned depth) {
  const kgi_inst *x = &s->p->inst[value];
  if (x->kind == KGI_literal) return x->arg[0] <= INT32_MAX;
  if (x->kind == KGI_id || x->kind == KGI_param || x->kind == KGI_len) return true;
  if (x->kind == KGI_load) return s->p->scope.object[x->arg[0]].space == KGI_BUFFER;
  if (x->kind != KGI_op || !depth || !kgi_is_int(x->type)) return false;
  const kgi_inst *first = &s->p->inst[x->arg[0]];
  if (x->op == KGI_OP_min) return is_index(s, x->arg[0], depth - 1) || is_index(s, x->arg[1], depth - 1);
  if (x->op == KGI_OP_div && first->kind == KGI_op && first->op == KGI_OP_sub && s->p->inst[first->arg[1]].kind == KGI_literal)
    return is_index(s, first->arg[0], depth - 1);
  if (x->op == KGI_OP_div || x->op == KGI_OP_rem) return is_index(s, x->arg[0], depth - 1);
  bool rises = x->op == KGI_OP_add || x->op == KGI_OP_mul || x->op == KGI_OP_shl || x->op == KGI_OP_convert || x->op == KGI_OP_max;
  for (unsigned k = 0; rises && k < kgi_op_rows[x->op].arity; k++)
    if (!is_index(s, x->arg[k], depth - 1)) return false;
  return rises;
}

/* What looks ahead of the counter did not come round at first. */
static void assert_begin(search *s, const kgi_count *l, uint32_t ahead) {
  kgi_val from = counter_in_front(s, l), next = kgi_op2(s->b, KGI_OP_add, from, (kgi_val){ahead});
  kgi_assert(s->b, kgi_op2(s->b, KGI_OP_gt, next, from), "the counter of a loop passed the end of its type");
}

/* ---- limits ---- */

/* So far the counter goes in all of the trips; 0: that is not known, or too far. */
static int64_t way_of_limit(const search *s, const kgi_count *l, uint32_t limit) {
  const kgi_dim_node *n = &s->p->scope.dim[limit];
  if (l->form != KGI_COUNT_UP || l->goes_on != KGI_OP_lt || l->repeats || l->moved || l->leaves_early) return 0;
  if (!is_short(&s->p->inst[l->step]) || n->op != KGI_DIM_INT || n->imm < 1 || n->imm > LONG_WAY) return 0;
  int64_t way = n->imm * s->p->inst[l->step].arg[0];
  return way <= LONG_WAY ? way : 0;
}

/* The loop ends there, too, and what it is bounded by is known to whoever looks at its ends. */
static void end_at_limit(search *s, kgi_count *l, int64_t way) {
  kgi_val from = counter_in_front(s, l);
  kgi_val last = kgi_op2(s->b, KGI_OP_add, from, kgi_int(s->b, kgi_type_of(s->p, from), way));
  s->b->at = kgi_before(s->p, l->test);
  l->bound = kgi_op2(s->b, KGI_OP_min, (kgi_val){l->bound}, last).i;
}

/* ---- all loops ---- */

/* The loop may count by another var, and at another test. */
static bool may_look_ahead(const search *s, const written *w, const kgi_count *l) {
  enum { DEEP = 8 };
  uint32_t from = kgi_count_begins(l);
  return l->counter == w->of && l->test == w->test && l->form == KGI_COUNT_UP && from && is_index(s, from, DEEP);
}

/* A constant that is the workgroup's size along an axis: no workgroup has none. */
static bool is_size_of_workgroup(const search *s, uint32_t constant) {
  for (unsigned axis = 0; axis < 3; axis++) {
    const kgi_dim_node *size = &s->p->scope.dim[s->p->workgroup[axis].i];
    if (s->p->workgroup[axis].i && size->op == KGI_DIM_SPEC && size->a == constant) return true;
  }
  return false;
}

/* As many as there are of something, of which there is one at the least: the workgroups, and all their invocations. */
static bool is_number_of(const search *s, uint32_t value) {
  const kgi_inst *x = &s->p->inst[value];
  if (x->kind == KGI_spec) return is_size_of_workgroup(s, x->arg[0]);
  if (x->kind == KGI_literal) return x->arg[0] >= 1 && x->arg[0] <= INT32_MAX;
  if (x->kind == KGI_id)
    return x->op == KGI_ID_num_workgroups || x->op == KGI_ID_workgroup_size || x->op == KGI_ID_num_subgroups || x->op == KGI_ID_subgroup_size;
  if (x->kind != KGI_op || (x->op != KGI_OP_mul && x->op != KGI_OP_convert)) return false;
  return is_number_of(s, x->arg[0]) && (x->op == KGI_OP_convert || is_number_of(s, x->arg[1]));
}

/* By a step below 1 the counter does not come to the bound, which is asserted behind the loop; where there is no trip it is no error. */
static void take_a_step(search *s, kgi_count *l) {
  const kgi_inst *step = &s->p->inst[l->step];
  kgi_range by = range_of(s, l->step);
  if (step->kind == KGI_literal || l->by != KGI_BY_STEPS || (by.known && by.lo > 0) || is_number_of(s, l->step)) return;
  s->b->at = kgi_before(s->p, l->test);
  l->step = kgi_op2(s->b, KGI_OP_max, (kgi_val){l->step}, kgi_int(s->b, (kg_type)step->type, 1)).i;
}

/* A loop that is left elsewhere too need not come to its end. */
static bool count(search *s, const written *w) {
  kgi_count l = {.b = s->b, .p = s->p, .at = w->at, .loads = s->loads, .blocks = &s->blocks};
  if (!kgi_count_look(&l)) return false;
  int64_t way = w->limit ? way_of_limit(s, &l, w->limit) : 0;
  bool stays = stays_in_type(s, &l);
  if ((!stays && l.leaves_early) || (w->limit && !way) || (w->ahead && !may_look_ahead(s, w, &l))) return false;
  kgi_blk block = s->p->inst[w->at].block;
  uint32_t behind = s->p->inst[w->at].next, bound = l.bound;
  if (w->ahead) assert_begin(s, &l, w->ahead);
  if (way) end_at_limit(s, &l, way);
  take_a_step(s, &l);
  kgi_count_make(&l);
  s->b->at = behind ? kgi_before(s->p, behind) : kgi_at_end(s->p, block);
  if (way) assert_end(s, &l, bound, "the loop has more trips than its limit");
  else if (!stays) assert_end(s, &l, bound, "the counter of a loop passed the end of its type");
  return true;
}

static void visit_loop(search *s, uint32_t at) {
  const kgi_inst *x = &s->p->inst[at];
  written w = {.b = s->b, .p = s->p, .at = at};
  bool endless = is_true(&s->p->inst[x->arg[0]]) && !s->p->block[x->arg[1]].first;
  if (!endless) open(&w);
  if (s->b->status == KG_OK && !count(s, &w) && !endless) close(&w);
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
  s.loads = kgi_count_loads(p, scratch);
  if (!s.loads || !kgi_overlaps_find(&s.blocks, scratch, &p->scope)) return KG_NO_MEMORY;
  if (!kgi_ranges_find(&s.ranges, scratch, p, &(kgi_known){0})) return KG_NO_MEMORY;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  visit(&s, KGI_BODY);
  return kgi_builder_status(&b);
}
