/* Second counters of a `for`: a var that each trip moves alike (turn.c) is given in each trip what it would hold, which is said by the loop's
 * index. Cleaning drops what nobody looks at. */
#include "foundation/passes/in_step.h"
#include "foundation/ir/bits.h"

enum { MOST_COUNTERS = 16 };

typedef struct second {
  kgi_builder *b;
  kgi_program *p;
  uint32_t at, store, load; /* the loop, the move, and what it begins with */
  uint32_t counter;
  uint32_t from;            /* the load in front of the loop */
  kgi_turn turn;
} second;

static bool is_literal(const kgi_program *p, uint32_t value, uint32_t is) {
  return p->inst[value].kind == KGI_literal && p->inst[value].arg[0] == is;
}

/* Outside of the loop, or a leaf. */
static bool is_fixed(const kgi_program *p, uint32_t value, uint32_t loop) {
  for (kgi_blk block = p->inst[value].block; block; block = p->inst[p->block[block].owner].block)
    if (p->block[block].owner == loop) return false;
  return value != loop;
}

static bool is_whole(const kgi_program *p, uint32_t object) {
  const kgi_object *o = &p->scope.object[object];
  return o->space == KGI_VAR && o->scalar && (o->type == KG_I32 || o->type == KG_U32);
}

static bool is_load(const second *s, uint32_t value) {
  const kgi_inst *x = &s->p->inst[value];
  return x->kind == KGI_load && x->arg[0] == s->counter && x->block == s->p->inst[s->at].arg[3];
}

/* A move of the counter, in the body. */
static bool is_move(second *s, uint32_t i) {
  s->store = i, s->counter = s->p->inst[i].arg[0];
  if (!kgi_find_turn(&s->turn, s->p, s->at, i)) return false;
  s->load = s->turn.load;
  for (uint32_t k = 0; k < s->turn.more; k++)
    if (!is_fixed(s->p, s->turn.also[k], s->at)) return false;
  return is_load(s, s->load) && (!s->turn.step || is_fixed(s->p, s->turn.step, s->at));
}

/* What the move makes of the load on the way to the store, and the store. */
static bool is_of_move(const second *s, uint32_t i) {
  for (uint32_t k = 0; k < s->turn.more; k++)
    if (i == s->turn.sum[k]) return true;
  return i == s->turn.moves || i == s->store || i == s->p->inst[s->store].arg[2];
}

/* Each trip that goes on moves it once, and somebody beside the move looks at it. */
static bool is_second(const second *s) {
  uint32_t looks = 0;
  KGI_EACH_INSIDE(s->p, s->p->inst[s->at].arg[3], i) {
    const kgi_inst *x = &s->p->inst[i];
    kgi_span operands = kgi_operands(x);
    if (x->kind == KGI_continue) return false;
    for (unsigned n = 0; n < operands.count && !is_of_move(s, i); n++)
      looks += x->arg[operands.first + n] == s->load || is_of_move(s, x->arg[operands.first + n]);
    if (i == s->store || x->kind == KGI_len || kgi_object_of(x) != s->counter) continue;
    if (x->kind != KGI_load) return false;
    looks += i != s->load;
  }
  return looks != 0;
}

/* How many trips came before this one. Where the index moves by more than one, they are counted. */
static kgi_val trip_of(const second *s) {
  kgi_builder *b = s->b;
  const kgi_inst loop = s->p->inst[s->at];
  kgi_val index = {s->at}, from = {loop.arg[0]};
  if (loop.flags & KGI_REVERSED) {
    kgi_val last = kgi_op2(b, KGI_OP_sub, (kgi_val){loop.arg[1]}, kgi_int(b, (kg_type)loop.type, 1));
    index = kgi_op2(b, KGI_OP_sub, last, index);
  } else {
    index = kgi_op2(b, KGI_OP_sub, index, from);
  }
  kgi_val by = {loop.arg[2]};
  if (is_literal(s->p, by.i, 1)) return index;
  index = kgi_convert(b, KG_U32, index), by = kgi_convert(b, KG_U32, by);
  return kgi_op2(b, KGI_OP_div, index, by);
}

/* Nobody leaves the loop early, or looks at the counter when it has moved. */
static bool ends_alone(const second *s) {
  bool behind = false;
  KGI_EACH_INSIDE(s->p, s->p->inst[s->at].arg[3], i) {
    const kgi_inst *x = &s->p->inst[i];
    if (x->kind == KGI_break || x->kind == KGI_return) return false;
    if (behind && x->kind == KGI_load && x->arg[0] == s->counter) return false;
    behind |= i == s->store;
  }
  return true;
}

/* From a literal to a literal. */
static bool are_trips_known(const second *s, uint32_t *trips) {
  const kgi_inst *loop = &s->p->inst[s->at], *from = &s->p->inst[loop->arg[0]], *to = &s->p->inst[loop->arg[1]];
  const kgi_inst *step = &s->p->inst[loop->arg[2]];
  if (from->kind != KGI_literal || to->kind != KGI_literal || step->kind != KGI_literal) return false;
  int64_t a = kgi_bits_to_int((kg_type)loop->type, from->arg[0]), b = kgi_bits_to_int((kg_type)loop->type, to->arg[0]);
  if (loop->type == KG_U32) a = from->arg[0], b = to->arg[0];
  *trips = (uint32_t)(b > a && step->arg[0] ? (b - a - 1) / step->arg[0] + 1 : 0);
  return true;
}

/* How many trips there are, of a loop that moves by one; or from a literal to a literal. */
static kgi_val trips_of(const second *s) {
  const kgi_inst loop = s->p->inst[s->at];
  kgi_val low = {loop.arg[0]}, high = {loop.arg[1]};
  uint32_t trips;
  if (are_trips_known(s, &trips)) return kgi_int(s->b, KG_U32, trips);
  if (!is_literal(s->p, loop.arg[2], 1)) return (kgi_val){0};
  if (loop.type != KG_U32 || !is_literal(s->p, loop.arg[0], 0)) high = kgi_op2(s->b, KGI_OP_max, high, low);
  return kgi_op2(s->b, KGI_OP_sub, high, low);
}

/* Each load of the counter in the loop. */
static void be_value(const second *s, uint32_t value) {
  kgi_blk body = s->p->inst[s->at].arg[3];
  for (uint32_t i = s->p->block[body].first, next; i; i = next) {
    kgi_inst *x = &s->p->inst[i];
    kgi_span operands = kgi_operands(x);
    next = kgi_next_inside(s->p, body, i);
    for (unsigned n = 0; n < operands.count; n++) {
      const kgi_inst *of = &s->p->inst[x->arg[operands.first + n]];
      if (of->kind == KGI_load && of->arg[0] == s->counter && x->arg[operands.first + n] != s->from) x->arg[operands.first + n] = value;
    }
  }
}

/* Where all trips are run and nobody looks at the counter between its move and the end, it moves behind the loop, at once. */
static void give(second *s) {
  kgi_builder *b = s->b;
  kgi_obj counter = {s->counter};
  uint32_t most = UINT32_MAX;
  b->at = kgi_before(s->p, s->at);
  kgi_val from = kgi_load(b, counter, (kgi_val){0}), trips = ends_alone(s) ? trips_of(s) : (kgi_val){0};
  s->from = from.i;
  b->at = kgi_at_start(s->p->inst[s->at].arg[3]);
  if (!are_trips_known(s, &most)) most = UINT32_MAX;
  kgi_val value = kgi_turned(b, &s->turn, from, trip_of(s), most - (most != 0));
  if (!trips.i) return kgi_store(b, counter, (kgi_val){0}, value);
  if (b->status != KG_OK) return;
  be_value(s, value.i);
  kgi_remove(s->p, s->store);
  b->at = kgi_behind(s->p, s->at);
  kgi_store(b, counter, (kgi_val){0}, kgi_turned(b, &s->turn, from, trips, most));
}

static bool has_index(const kgi_inst *loop, const kgi_program *p) {
  if (loop->type != KG_I32 && loop->type != KG_U32) return false;
  bool by_one = is_literal(p, loop->arg[2], 1);
  const kgi_inst *step = &p->inst[loop->arg[2]];
  return by_one || (!(loop->flags & KGI_REVERSED) && step->kind == KGI_literal && step->arg[0] && step->arg[0] <= INT32_MAX);
}

static void visit_loop(kgi_builder *b, kgi_program *p, uint32_t at) {
  uint32_t found = 0;
  if (!has_index(&p->inst[at], p)) return;
  for (uint32_t i = p->block[p->inst[at].arg[3]].first, next; i; i = next) {
    next = p->inst[i].next;
    second s = {.b = b, .p = p, .at = at};
    bool stores = p->inst[i].kind == KGI_store && is_whole(p, p->inst[i].arg[0]);
    if (!stores || !is_move(&s, i) || ++found > MOST_COUNTERS || !is_second(&s)) continue;
    give(&s);
  }
}

kg_status kgi_count_in_step(kg_module *m, kgi_program *p) {
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_resume_program(&b, p);
  b.simplify = true;
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_for && b.status == KG_OK) visit_loop(&b, p, i);
  return kgi_builder_status(&b);
}
