/* Strips: a loop that carries a state from trip to trip, and whose trips would each keep values, runs in strips of some trips.
 * The state is kept at the start of each strip alone; the reverse of a strip runs it again, and keeps what its trips ask for while
 * it does.
 *
 *   for k in a .. b step c { A }     becomes     for strip in 0 .. strips {
 *                                                  var w = v                             of each var that is the state
 *                                                  for trip in 0 .. min(S, trips - strip * S) {
 *                                                    let k = a + (strip * S + trip) * c
 *                                                    A, with w in place of v
 *                                                  }
 *                                                  v = w
 *                                                }
 *
 * The program computes what it did, bit for bit. What the body of a strip declares is kept while that is run again (keeping_block
 * in needs.c), and nothing else knows of strips. Whether they are worth it is found out by planning both: the costs are compared,
 * and the program stays as it was where that saves less than half. */
#include "autodiff/plan/schedule.h"
#include "autodiff/plan/states.h"
#include "foundation/base/limits.h"
#include "modules/modules.h"

#include <string.h>

/* Trips of a loop that no literal or constant bounds; of the shortest strip; and how many words are not worth one. */
enum { LONG = 256, SHORTEST = 4, FEWEST = 64, DEEPEST = KGI_MAX_DEPTH - 8 };

typedef struct weighed {
  int64_t words;   /* that each trip of the loop keeps as the run runs forward */
  uint32_t inside; /* the most trips of loops inside that one of these values has; UINT32_MAX: past what an array holds */
} weighed;

typedef struct chooser {
  kgi_ad *a;
  weighed *of; /* by instruction: of loops */
  uint32_t stretch; /* so many times as long as is best, to keep to a limit, even if that saves little; 0: as long as is best */
  kgi_ad_strip *list; uint32_t count, cap;
} chooser;

/* ---- costs ---- */

static int64_t words_of(unsigned type) { return kgi_type_bits((kg_type)type) == 64 ? 2 : 1; }

static int64_t usual_trips(kgi_ad *a, uint32_t loop) {
  const kgi_ad_loop *l = kgi_ad_loop_find(a, loop);
  return l->usual ? l->usual : LONG;
}

static uint32_t loop_of(const kgi_ad *a, uint32_t value) { return a->f.block[a->f.p->inst[value].block].loop; }

/* Words in all that is kept, of one invocation. */
int64_t kgi_ad_cost(kgi_ad *a) {
  int64_t total = 0;
  for (uint32_t s = 0; s < a->slot_count; s++) {
    const kgi_ad_slot *slot = &a->slot[s];
    if (a->spared && a->spared[slot->value]) continue; /* it is there for the sake of time */
    if (slot->place == KGI_AD_MEMORY) continue;
    int64_t words = words_of(a->f.p->inst[slot->value].type);
    uint32_t outer = slot->block ? a->f.block[slot->block].loop : 0, loop = kgi_ad_dimension(a, slot->alike, loop_of(a, slot->value), outer);
    for (; loop != outer && words < INT32_MAX; loop = kgi_ad_next_dimension(a, slot->alike, loop, outer)) words *= usual_trips(a, loop);
    total += words;
  }
  return total;
}

/* What a slot adds to the loops around it. */
static void weigh(chooser *c, const kgi_ad_slot *slot) {
  kgi_ad *a = c->a;
  int64_t words = words_of(a->f.p->inst[slot->value].type);
  uint32_t inside = 1, loop = kgi_ad_dimension(a, slot->alike, loop_of(a, slot->value), 0);
  for (; loop && words < INT32_MAX; loop = kgi_ad_next_dimension(a, slot->alike, loop, 0)) {
    uint32_t few = kgi_ad_loop_find(a, loop)->few;
    c->of[loop].words += words;
    if (inside > c->of[loop].inside) c->of[loop].inside = inside;
    words *= usual_trips(a, loop);
    inside = few && inside <= KGI_LIMIT(kept_trips) / few ? inside * few : UINT32_MAX;
  }
}

/* ---- which loops ---- */

/* Lanes and invocations stay as they are together, and 32 bits hold the number of a trip. */
static bool can_be_cut(const kgi_ad *a, uint32_t loop) {
  const kgi_inst *inst = kgi_ad_inst(a, loop), *step = kgi_ad_inst(a, inst->arg[2]);
  if (inst->kind != KGI_for || kgi_counted(&a->f, loop).count || kgi_type_bits(inst->type) != 32) return false;
  if (step->kind != KGI_literal || kgi_bits_to_int((kg_type)step->type, kgi_literal_bits(step)) < 1) return false;
  KGI_EACH_INSIDE(a->f.p, inst->arg[3], i) {
    unsigned kind = a->f.p->inst[i].kind;
    if (kgi_owned_blocks(&a->f.p->inst[i]).count && kgi_depth_of(a->f.p, a->f.p->inst[i].block) > DEEPEST) return false;
    if (kind == KGI_subgroup || kgi_orders(&a->f.p->inst[i]) || kind == KGI_return) return false;
  }
  return true;
}

/* `first`: an access, and those in the body begin with none before it. */
static bool is_state(const kgi_ad_facts *f, kgi_blk body, uint32_t object, uint32_t first) {
  const kgi_ad_object_fact *o = &f->object[object];
  bool stored = false, loaded = false;
  if (f->p->scope.object[object].space != KGI_VAR || !o->decl || kgi_is_within(f, body, o->decl)) return false;
  for (uint32_t i = first; i && f->pos[i] < f->block[body].end; i = f->access_next[i]) {
    if (!kgi_is_within(f, body, i)) continue;
    if (f->p->inst[i].kind == KGI_load) loaded = true;
    else stored = true;
  }
  return stored && loaded;
}

/* The object that the body touches here first; 0: it touches none, or has before. */
static uint32_t first_touched(const kgi_ad_facts *f, kgi_blk body, uint32_t i) {
  if (!kgi_touches(&f->p->inst[i])) return 0;
  uint32_t before = f->access_prev[i];
  return before && kgi_is_within(f, body, before) ? 0 : f->p->inst[i].arg[0];
}

/* Words of the state; 0: there is none, or it is too large. */
static int64_t state_of(const kgi_ad *a, kgi_blk body) {
  int64_t words = 0;
  KGI_EACH_INSIDE(a->f.p, body, i) {
    uint32_t o = first_touched(&a->f, body, i);
    const kgi_object *object = &a->f.p->scope.object[o];
    if (!o || !is_state(&a->f, body, o, i)) continue;
    int64_t length = kgi_ad_usual_length(a->f.p, o);
    if (length > KGI_LIMIT(strip_state)) return 0;
    words += words_of(object->type) * length;
  }
  return words > KGI_LIMIT(strip_state) ? 0 : words;
}

/* Where the cost is least: about the square root. A whole number of strips, where one is near. */
static uint32_t length_of_strips(int64_t trips, int64_t state, const weighed *w, bool exact, uint32_t stretch) {
  uint32_t length = SHORTEST, most = KGI_LIMIT(kept_trips) / w->inside;
  while (length < most && (int64_t)(length + 1) * length * w->words <= trips * state) length++;
  if (stretch && length <= most) return length > most / stretch ? most : length * stretch;
  for (uint32_t near = length; exact && near < most && near <= length + length / 4; near++)
    if (trips % near == 0) return near;
  return length <= most ? length : 0;
}

/* Then it was said already what is kept, and what is run again. */
static bool holds_checkpoint(const kgi_ad *a, kgi_blk body) {
  KGI_EACH_INSIDE(a->f.p, body, i)
    if (a->f.p->inst[i].kind == KGI_checkpoint) return true;
  return false;
}

static bool choose(chooser *c, uint32_t loop) {
  kgi_ad *a = c->a;
  const weighed *w = &c->of[loop];
  if (!c->stretch && holds_checkpoint(a, kgi_body_of(kgi_ad_inst(a, loop)))) return false;
  if (!w->words || w->inside > KGI_LIMIT(kept_trips) || !can_be_cut(a, loop)) return false;
  int64_t state = state_of(a, kgi_body_of(kgi_ad_inst(a, loop))), trips = usual_trips(a, loop);
  const kgi_ad_loop *l = kgi_ad_loop_find(a, loop);
  uint32_t length = state ? length_of_strips(trips, state, w, l->usual && !l->spec, c->stretch) : 0;
  if (length < 2) return false;
  int64_t strips = (trips + length - 1) / length;
  bool saves = trips * w->words >= FEWEST && 2 * (strips * state + length * w->words) <= trips * w->words;
  if (!saves && !c->stretch) return false;
  if (!kgi_arena_grow(&a->scratch, &c->list, c->count, &c->cap, sizeof *c->list)) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  c->list[c->count++] = (kgi_ad_strip){.inner = loop, .trips = length};
  return true;
}

/* The outermost that will do. */
static void choose_in(chooser *c, kgi_blk block) {
  KGI_EACH(c->a->f.p, block, i) {
    kgi_span owned = kgi_owned_blocks(kgi_ad_inst(c->a, i));
    if (kgi_is_loop(kgi_ad_inst(c->a, i)) && choose(c, i)) continue;
    for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) choose_in(c, c->a->f.p->inst[i].arg[k]);
  }
}

/* ---- the working program ---- */

static bool counts_from_zero(const kgi_program *p, const kgi_inst *loop) {
  const kgi_inst *from = &p->inst[loop->arg[0]], *step = &p->inst[loop->arg[2]];
  return loop->type == KG_U32 && from->kind == KGI_literal && !kgi_literal_bits(from) && kgi_literal_bits(step) == 1;
}

/* By the language's rule. Steps are at least 1. */
static kgi_val count_of(kgi_builder *b, const kgi_inst loop) {
  kgi_val from = {loop.arg[0]}, to = {loop.arg[1]}, one = kgi_u32(b, 1), none = kgi_u32(b, 0);
  if (counts_from_zero(b->p, &loop)) return to;
  kgi_val first = kgi_convert(b, KG_U32, from), step = kgi_convert(b, KG_U32, (kgi_val){loop.arg[2]});
  kgi_val span = kgi_op2(b, KGI_OP_sub, kgi_convert(b, KG_U32, to), first), last = kgi_op2(b, KGI_OP_sub, span, one);
  kgi_val steps = kgi_op2(b, KGI_OP_div, last, step), trips = kgi_op2(b, KGI_OP_add, steps, one);
  kgi_val any = kgi_op2(b, KGI_OP_gt, to, from);
  return kgi_op3(b, KGI_OP_select, any, trips, none);
}

static void replace_index(kgi_program *p, kgi_blk body, uint32_t index, uint32_t with, uint32_t but) {
  KGI_EACH_INSIDE(p, body, i) {
    kgi_span span = kgi_operands(&p->inst[i]);
    for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
      if (p->inst[i].arg[k] == index && i != but) p->inst[i].arg[k] = with;
  }
}

/* The index as it was, from the trip's number. */
static void state_index(kgi_builder *b, const kgi_inst old, uint32_t loop, kgi_val before, kgi_val count) {
  kgi_program *p = b->p;
  b->at = kgi_at_start(old.arg[3]);
  kgi_val number = kgi_op2(b, KGI_OP_add, before, (kgi_val){loop}), one = kgi_u32(b, 1);
  uint32_t sum = number.i;
  if (old.flags & KGI_REVERSED) number = kgi_op2(b, KGI_OP_sub, kgi_op2(b, KGI_OP_sub, count, one), number);
  kgi_val way = kgi_op2(b, KGI_OP_mul, number, kgi_convert(b, KG_U32, (kgi_val){old.arg[2]}));
  kgi_val index = kgi_op2(b, KGI_OP_add, (kgi_val){old.arg[0]}, kgi_convert(b, (kg_type)old.type, way));
  if (b->status != KG_OK) return;
  replace_index(p, old.arg[3], loop, index.i, sum);
  p->inst_name[index.i] = p->inst_name[loop];
  p->inst_name[loop] = (kgi_str){0};
}

/* Copies of the state at the start of a strip, and back at its end. */
static void copy_all(kgi_builder *b, const kgi_ad_facts *f, const kgi_obj *copy, bool back) {
  for (uint32_t o = 1; o < f->p->scope.object_count; o++) {
    kgi_obj own = {o};
    if (copy[o].i) kgi_ad_copy_state(b, back ? own : copy[o], back ? copy[o] : own);
  }
}

static void make_copies(kgi_builder *b, const kgi_ad_facts *f, kgi_blk body, kgi_obj *copy) {
  for (uint32_t o = 1; o < f->p->scope.object_count; o++) {
    copy[o] = (kgi_obj){0};
    if (!is_state(f, body, o, f->object[o].first)) continue;
    kgi_ad_give_contents(b, f, o);
    const kgi_object like = b->p->scope.object[o];
    copy[o] = kgi_var_add(b, &like);
    kgi_ad_redirect(b->p, body, o, copy[o].i);
  }
}

/* Known as soon as the constants are: what is made of literals and constants. */
static bool is_constant(const kgi_program *p, uint32_t value, unsigned depth) {
  const kgi_inst *inst = &p->inst[value];
  if (inst->kind == KGI_literal || inst->kind == KGI_spec) return true;
  if (inst->kind != KGI_op || !depth) return false;
  for (unsigned k = 0; k < kgi_op_rows[inst->op].arity; k++)
    if (!is_constant(p, inst->arg[k], depth - 1)) return false;
  return true;
}

/* Trips of the strip that begins with trip `before`. A device unrolls a loop whose trips are a number, and once the constants are known
 * it sees for itself whether all strips are whole. */
static kgi_val trips_of_strip(kgi_builder *b, kgi_val count, kgi_val size, kgi_val rest, kgi_val before) {
  kgi_val left = kgi_op2(b, KGI_OP_sub, count, before);
  if (b->status == KG_OK && is_constant(b->p, rest.i, 8)) {
    kgi_val whole = kgi_op2(b, KGI_OP_eq, rest, kgi_u32(b, 0));
    left = kgi_op3(b, KGI_OP_select, whole, size, left);
  }
  return kgi_op2(b, KGI_OP_min, size, left);
}

/* How many strips, and in `*to` how many trips the one has that begins with trip `before`. */
static kgi_val begin_strips(kgi_builder *b, kgi_val count, uint32_t trips, kgi_val *before, kgi_val *to) {
  kgi_val size = kgi_u32(b, trips), one = kgi_u32(b, 1), none = kgi_u32(b, 0);
  kgi_val rest = kgi_op2(b, KGI_OP_rem, count, size), whole = kgi_op2(b, KGI_OP_div, count, size);
  bool even = b->p->inst[rest.i].kind == KGI_literal && rest.i == none.i;
  kgi_val strips = kgi_op2(b, KGI_OP_add, whole, kgi_op2(b, KGI_OP_min, rest, one));
  kgi_val strip = kgi_for_begin(b, "", none, strips, one, false);
  *before = kgi_op2(b, KGI_OP_mul, strip, size);
  *to = even ? size : trips_of_strip(b, count, size, rest, *before);
  return strip;
}

/* The loop becomes that over the trips of a strip, within a new one over strips. */
static void cut(kgi_builder *b, const kgi_ad_facts *f, kgi_ad_strip *s, kgi_obj *copy) {
  kgi_program *p = b->p;
  const kgi_inst old = p->inst[s->inner];
  kgi_val before, to;
  b->pos = p->inst_pos[s->inner];
  b->at = kgi_before(p, s->inner);
  kgi_val count = count_of(b, old);
  s->outer = begin_strips(b, count, s->trips, &before, &to).i;
  make_copies(b, f, old.arg[3], copy);
  copy_all(b, f, copy, false);
  if (b->status != KG_OK) return;
  kgi_move(p, s->inner, b->at);
  b->at = kgi_behind(p, s->inner);
  copy_all(b, f, copy, true);
  kgi_val none = kgi_u32(b, 0), one = kgi_u32(b, 1);
  kgi_inst *loop = &p->inst[s->inner];
  loop->arg[0] = none.i, loop->arg[1] = to.i, loop->arg[2] = one.i;
  loop->type = KG_U32, loop->flags = 0;
  state_index(b, old, s->inner, before, count);
}

/* The program anew, with strips. NULL: it cannot be made. */
static kgi_program *rewritten(chooser *c) {
  kgi_ad *a = c->a;
  kgi_program *p = kgi_program_copy(&a->f.work->arena, a->f.p);
  kgi_obj *copy = kgi_arena_alloc(&a->scratch, a->f.p->scope.object_count, sizeof *copy);
  kgi_builder b;
  if (!p || !copy) return kgi_ad_fail(a, KG_NO_MEMORY), NULL;
  kgi_builder_init(&b, a->f.work, NULL);
  b.p = p;
  b.simplify = true;
  for (uint32_t s = 0; s < c->count && b.status == KG_OK; s++) cut(&b, &a->f, &c->list[s], copy);
  if (kgi_builder_status(&b) == KG_NO_MEMORY) kgi_ad_fail(a, KG_NO_MEMORY);
  return b.status == KG_OK ? p : NULL;
}

/* ---- the two plans ---- */

static void add_loop(kgi_ad *a, kgi_ad_loop loop) {
  if (!kgi_arena_grow(&a->scratch, &a->loop, a->loop_count, &a->loop_cap, sizeof *a->loop)) return kgi_ad_fail(a, KG_NO_MEMORY);
  a->loop[a->loop_count++] = loop;
  a->loop_of[loop.loop] = a->loop_count;
}

/* What is known of the trips of the loop as it was says how many strips there are. */
static void state_trips(kgi_ad *b, const kgi_ad_strip *s, kgi_ad_loop whole) {
  kgi_dim size = kgi_ad_number(b, s->trips), most = kgi_ad_length(b, KGI_DIM_ADD, whole.most, kgi_ad_number(b, s->trips - 1));
  uint32_t most_known = whole.few ? whole.few : whole.usual, strips = (most_known + s->trips - 1) / s->trips;
  whole.loop = s->outer;
  whole.taped = false;
  whole.most = kgi_ad_length(b, KGI_DIM_DIV, most, size);
  whole.few = strips <= KGI_LIMIT(kept_trips) ? strips : 0;
  whole.usual = strips ? strips : LONG / s->trips;
  whole.by = s->trips;
  add_loop(b, whole);
  add_loop(b, (kgi_ad_loop){.loop = s->inner, .most = size, .few = s->trips, .usual = s->trips, .proved = true});
  b->block[kgi_body_of(kgi_ad_inst(b, s->outer))].strip = s->trips;
}

/* Each invocation reaches the same elements as before, as often, between the same barriers: contributions meet as they did. */
static void take_shares(kgi_ad *b, const kgi_ad *a) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++) {
    b->object[o].share = a->object[o].share;
    b->object[o].stored_load = a->object[o].stored_load;
    b->object[o].stored = a->object[o].stored;
    b->object[o].reached = a->object[o].reached;
    b->object[o].whole = a->object[o].whole;
    b->object[o].narrow = a->object[o].narrow;
    b->object[o].holes = a->object[o].holes;
    b->object[o].stored_offset = a->object[o].stored_offset;
    b->object[o].one_each = a->object[o].one_each;
    b->object[o].homes = a->object[o].homes;
    b->object[o].front = a->object[o].front;
    b->object[o].begun = a->object[o].begun;
    memcpy(b->object[o].home, a->object[o].home, sizeof b->object[o].home);
  }
  for (uint32_t i = 1; i < a->f.p->inst_count; i++) {
    b->flags[i] |= a->flags[i] & KGI_AD_PLAIN;
    b->sum_of[i] = a->sum_of[i];
  }
  for (uint32_t s = 0; s < a->sum_count; s++) {
    if (!kgi_arena_grow(&b->scratch, &b->sum, s, &b->sum_cap, sizeof *b->sum)) return kgi_ad_fail(b, KG_NO_MEMORY);
    b->sum[b->sum_count++] = a->sum[s];
  }
  kgi_ad_make_lists(b);
  if (b->status == KG_OK) kgi_ad_find_trees(b);
}

static void plan_again(kgi_ad *b, const chooser *c) {
  for (uint32_t s = 0; s < c->count; s++) state_trips(b, &c->list[s], *kgi_ad_loop_at(c->a, c->list[s].inner));
  kgi_ad_decide_again(b);
  if (b->status == KG_OK) take_shares(b, c->a);
}

static bool gains(kgi_ad *b, kgi_ad *a) {
  int64_t with = b->status == KG_OK ? kgi_ad_cost(b) : INT32_MAX, without = kgi_ad_cost(a);
  return b->status == KG_OK && 2 * with <= without;
}

/* All that the tapes take, at the params' defaults. */
static uint64_t tape_bytes(kgi_ad *a) {
  uint64_t total = 0;
  for (uint32_t t = 0; t < a->tape_count; t++)
    if (__builtin_add_overflow(total, kgi_ad_tape_bytes(a, t), &total)) return UINT64_MAX;
  return total;
}

/* The plan with the strips that were chosen, in `with`, which the caller frees if there is one. */
static bool plan_strips(chooser *c, kgi_program **where, kgi_diags *quiet, kgi_ad *with) {
  kgi_program *p = rewritten(c);
  if (!p) return false;
  *where = p;
  if (kgi_ad_analyse_again(with, c->a, p, quiet) == KG_OK) plan_again(with, c);
  else kgi_ad_fail(with, KG_NO_MEMORY);
  return true;
}

/* `before`, without strips, stays for what was found out of it. */
static void take(kgi_ad *a, kgi_ad *with, const kgi_ad *before) {
  kgi_ad *kept = kgi_arena_alloc(&with->scratch, 1, sizeof *kept);
  if (!kept) return kgi_ad_fail(a, KG_NO_MEMORY), kgi_ad_free(with);
  *kept = *before;
  with->diags = before->diags;
  with->before = kept;
  with->distinct = before->distinct;
  if (a->before) kgi_arena_free(&a->scratch); /* `before` is not in there any more */
  *a = *with;
}

static bool choose_all(chooser *c) {
  kgi_ad *a = c->a;
  c->of = kgi_arena_alloc(&a->scratch, a->f.p->inst_count, sizeof *c->of);
  if (!c->of) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  for (uint32_t s = 0; s < a->slot_count; s++)
    if (a->slot[s].block <= KGI_BODY && a->slot[s].place != KGI_AD_MEMORY) weigh(c, &a->slot[s]);
  choose_in(c, KGI_BODY);
  return c->count && a->status == KG_OK;
}

/* What is not taken. */
static void leave(kgi_ad *a, kgi_ad *with, kgi_program *p, kgi_program **where) {
  if (with->status == KG_NO_MEMORY) kgi_ad_fail(a, KG_NO_MEMORY);
  *where = p;
  kgi_ad_free(with);
}

void kgi_ad_try_strips(kgi_ad *a, kgi_program **where) {
  chooser c = {.a = a};
  kgi_diags quiet = {.sink = NULL};
  kgi_ad with;
  if (!a->slot_count || !choose_all(&c) || !plan_strips(&c, where, &quiet, &with)) return;
  if (gains(&with, a)) take(a, &with, a);
  else leave(a, &with, a->f.p, where);
}

bool kgi_ad_stretch_strips(kgi_ad *a, kgi_program **where) {
  kgi_ad *before = a->before ? a->before : a, with;
  chooser c = {.a = before, .stretch = a->stretch ? 2 * a->stretch : 1};
  kgi_diags quiet = {.sink = NULL};
  if (!a->tape_count || c.stretch > KGI_LIMIT(kept_trips)) return false;
  bool planned = choose_all(&c) && plan_strips(&c, where, &quiet, &with);
  if (before->status != KG_OK) kgi_ad_fail(a, before->status);
  if (!planned) return false;
  a->stretch = with.stretch = c.stretch;
  uint64_t now = tape_bytes(a), then = tape_bytes(&with);
  if (with.status == KG_OK && then < now) take(a, &with, before);
  else leave(a, &with, a->f.p, where);
  return a->status == KG_OK;
}
