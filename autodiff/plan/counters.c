/* Loops whose trips only the run itself can count: `while`, and a `for` that a break leaves. The reverse runs as many trips as there
 * were, so the working program counts them, in a form without a condition block and without exits from the middle:
 *
 *   while C limit N { A; if S { break } }     becomes     var trips = 0
 *                                                         var going = C
 *                                                         while going limit N {
 *                                                           let trip = trips
 *                                                           A
 *                                                           trips = trip + 1
 *                                                           if S { going = false } else { going = C }
 *                                                         }
 *                                                         let count = trips
 *
 * A `for` keeps its index and its break, and counts in the same way. Only loops that store floats, be it an atomic in the condition,
 * are counted: in others the reverse has nothing to do. */
#include "autodiff/plan/facts.h"
#include "foundation/analysis/ranges.h"

typedef struct counting {
  kgi_builder b;
  kgi_program *p;
  kgi_arena *arena;
  kgi_ranges ranges; uint32_t known; /* of values below `known` */
  kgi_ad_counted *list; uint32_t count, cap;
} counting;

static bool stores_floats(const kgi_program *p, uint32_t loop) {
  kgi_span owned = kgi_owned_blocks(&p->inst[loop]);
  for (unsigned k = 0; k < owned.count; k++)
    KGI_EACH_INSIDE(p, p->inst[loop].arg[owned.first + k], i)
      if (kgi_writes(&p->inst[i]) && kgi_is_float(p->scope.object[kgi_object_of(&p->inst[i])].type)) return true;
  return false;
}

/* The `if S { break }` or the break that ends a body, 0: it ends otherwise. */
static uint32_t last_exit(const kgi_program *p, kgi_blk body) {
  uint32_t last = p->block[body].last;
  if (last && p->inst[last].kind == KGI_break) return last;
  if (!last || p->inst[last].kind != KGI_if || p->inst[last].arg[2]) return 0;
  uint32_t only = p->block[p->inst[last].arg[1]].first;
  return only && p->inst[only].kind == KGI_break ? last : 0;
}

/* The loop that a break leaves. */
static uint32_t left_by(const kgi_program *p, uint32_t exit) {
  uint32_t owner = p->block[p->inst[exit].block].owner;
  while (!kgi_is_loop(&p->inst[owner])) owner = p->block[p->inst[owner].block].owner;
  return owner;
}

static bool is_left(const kgi_program *p, uint32_t loop) {
  KGI_EACH_INSIDE(p, kgi_body_of(&p->inst[loop]), i)
    if (p->inst[i].kind == KGI_break && left_by(p, i) == loop) return true;
  return false;
}

/* Clones of what the condition is made of, at the cursor; the clone of its value. */
static uint32_t clone_condition(counting *c, kgi_blk condition, uint32_t value, uint32_t *clone) {
  for (uint32_t i = c->p->block[condition].first; i; i = c->p->inst[i].next) {
    kgi_inst inst = c->p->inst[i];
    kgi_span span = kgi_operands(&inst);
    for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
      if (inst.arg[k] && clone[inst.arg[k]]) inst.arg[k] = clone[inst.arg[k]];
    clone[i] = kgi_append(&c->b, inst);
  }
  return clone[value] ? clone[value] : value; /* a leaf is in no block */
}

static kgi_obj flag(counting *c, const char *name, kg_type type, kgi_val first) {
  kgi_obj var = kgi_var(&c->b, name, type, (kgi_dim){0});
  kgi_store(&c->b, var, (kgi_val){0}, first);
  return var;
}

/* At the start of the body: which trip it is. At its end, but before an exit: one more. */
static uint32_t count_trip(counting *c, kgi_blk body, kgi_obj trips) {
  c->b.at = kgi_at_start(body);
  uint32_t trip = kgi_load(&c->b, trips, (kgi_val){0}).i, exit = last_exit(c->p, body);
  c->b.at = exit ? kgi_before(c->p, exit) : kgi_at_end(c->p, body);
  kgi_val next = kgi_op2(&c->b, KGI_OP_add, (kgi_val){trip}, kgi_u32(&c->b, 1));
  kgi_store(&c->b, trips, (kgi_val){0}, next);
  return trip;
}

/* The condition is computed before the loop, and again at the end of each trip that is not left. */
static void state_condition(counting *c, uint32_t loop, uint32_t *clone) {
  kgi_program *p = c->p;
  const kgi_inst old = p->inst[loop];
  kgi_obj going = flag(c, "going", KG_BOOL, (kgi_val){clone_condition(c, old.arg[1], old.arg[0], clone)});
  uint32_t exit = last_exit(p, old.arg[2]);
  c->b.at = kgi_at_end(p, old.arg[2]);
  if (exit && p->inst[exit].kind == KGI_break) { /* there is no second trip */
    kgi_remove(p, exit);
    c->b.at = kgi_at_end(p, old.arg[2]);
  } else if (exit) {
    kgi_remove(p, p->block[p->inst[exit].arg[1]].first);
    c->b.at = kgi_at_start(p->inst[exit].arg[1]);
    kgi_store(&c->b, going, (kgi_val){0}, kgi_bool(&c->b, false));
    kgi_blk other = kgi_block_new(&c->b, exit);
    if (!other) return;
    p->inst[exit].arg[2] = other;
    c->b.at = kgi_at_start(other);
  }
  for (uint32_t i = p->block[old.arg[1]].first; i; i = p->inst[i].next) clone[i] = 0;
  bool once = exit && p->inst[exit].kind == KGI_break;
  kgi_val again = once ? kgi_bool(&c->b, false) : (kgi_val){clone_condition(c, old.arg[1], old.arg[0], clone)};
  kgi_store(&c->b, going, (kgi_val){0}, again);
  while (p->block[old.arg[1]].last) kgi_remove(p, p->block[old.arg[1]].last);
  c->b.at = kgi_at_start(old.arg[1]);
  p->inst[loop].arg[0] = kgi_load(&c->b, going, (kgi_val){0}).i;
}

static void count(counting *c, uint32_t loop, uint32_t *clone) {
  kgi_program *p = c->p;
  bool unlimited = p->inst[loop].kind == KGI_while && !p->inst[loop].arg[3];
  uint32_t few = unlimited ? kgi_ad_few_trips(p, loop, &c->ranges, c->known, c->arena) : 0;
  c->b.pos = p->inst_pos[loop];
  c->b.at = kgi_before(p, loop);
  kgi_obj trips = flag(c, "trips", KG_U32, kgi_u32(&c->b, 0));
  uint32_t trip = count_trip(c, kgi_body_of(&p->inst[loop]), trips);
  c->b.at = kgi_before(p, loop);
  if (p->inst[loop].kind == KGI_while) state_condition(c, loop, clone);
  c->b.at = kgi_behind(p, loop);
  uint32_t total = kgi_load(&c->b, trips, (kgi_val){0}).i;
  if (c->b.status != KG_OK) return;
  if (!kgi_arena_grow(c->arena, &c->list, c->count, &c->cap, sizeof *c->list)) return kgi_fail(&c->b, KG_NO_MEMORY);
  c->list[c->count++] = (kgi_ad_counted){.loop = loop, .trip = trip, .count = total, .few = few};
}

/* Inner loops first, so that the condition that is cloned is in its last form. */
static void count_inside(counting *c, kgi_blk block, uint32_t *clone) {
  for (uint32_t i = c->p->block[block].first, next; i && c->b.status == KG_OK; i = next) {
    next = c->p->inst[i].next;
    kgi_span owned = kgi_owned_blocks(&c->p->inst[i]);
    for (unsigned k = 0; k < owned.count; k++) count_inside(c, c->p->inst[i].arg[owned.first + k], clone);
    if (!kgi_is_loop(&c->p->inst[i])) continue;
    bool known = c->p->inst[i].kind == KGI_for && !is_left(c->p, i);
    if (!known && stores_floats(c->p, i)) count(c, i, clone);
  }
}

kg_status kgi_ad_count_loops(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena) {
  counting c = {.p = f->p, .arena = arena};
  kgi_builder_init(&c.b, f->work, diags);
  c.b.p = f->p;
  uint32_t *clone = kgi_arena_alloc(arena, f->p->inst_count, sizeof *clone);
  c.known = f->p->inst_count;
  if (!clone || !kgi_ranges_find(&c.ranges, arena, f->p, &(kgi_known){0})) return KG_NO_MEMORY;
  count_inside(&c, KGI_BODY, clone);
  f->counted = c.list;
  f->counted_count = c.count;
  return kgi_builder_status(&c.b);
}
