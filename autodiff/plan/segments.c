/* Which repeats are cut into segments, so that tapes hold the rounds of one segment. At the beginning of each a snapshot is taken of what
 * its runs start from; before its reverse it is run again from there, on copies, and this time the runs fill their tapes.
 *
 * A snapshot for each of T / S segments of N bytes, and tapes for S rounds of B bytes, take least where S is the root of T N / B. All
 * rounds are run once more, whatever S is. Where that is too much, forward leaves a snapshot for each group of M segments, and those of a
 * group are made when its reverse comes, by running it again. T / (S M) and M snapshots and the tapes take least where each takes the cube
 * root of T N N B. Numbers are those at the params' defaults: with other values S and M are as right, but not the best. */
#include "autodiff/plan/schedule.h"
#include "foundation/analysis/distinct.h"

#include <math.h>

/* ---- what may be cut ---- */

static bool is_inside(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t repeat) {
  for (uint32_t i = g->parent[r->item]; i; i = g->parent[i])
    if (i == repeat) return true;
  return false;
}

/* Run again, it may give other values: what comes of it goes by the order of invocations. */
static bool goes_by_order(const kgi_ad *a, uint32_t inst) {
  const kgi_inst *i = &a->f.p->inst[inst];
  if (i->kind != KGI_atomic || !i->block) return false;
  bool rounds = kgi_is_float(a->f.p->scope.object[i->arg[0]].type) && i->op != KGI_ATOMIC_min && i->op != KGI_ATOMIC_max;
  bool replaces = i->op == KGI_ATOMIC_store || i->op == KGI_ATOMIC_exchange || i->op == KGI_ATOMIC_compare_exchange;
  return a->f.use_first[inst] || replaces || (rounds && kgi_atomic_rows[i->op].operands);
}

static bool can_run_again(const kgi_ad_module *g, const kgi_ad_run *r) {
  if (r->stated) return false; /* what stands for its program does not tell */
  for (uint32_t i = 1; i < r->ad.f.p->inst_count; i++)
    if (goes_by_order(&r->ad, i)) return false;
  for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++)
    if (g->blocks.aliased[kgi_ad_bound(g, r, o)] || r->ad.object[o].ended) return false;
  return true;
}

static unsigned mode_in(const kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  return g->m->program[g->m->item[r->item].program]->scope.object[object].mode;
}

/* What the segment's runs may load and may store. */
static void find_copied(const kgi_ad_module *g, kgi_ad_segments *c) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope) && is_inside(g, r, c->repeat); o++) {
      unsigned mode = mode_in(g, r, o);
      uint32_t to = kgi_ad_bound(g, r, o);
      c->copied[to] |= mode != KG_READ;
      c->loaded[to] |= mode != KG_WRITE;
    }
  }
}

/* What they load and any run stores to before the segment's reverse. */
static void find_overwritten(const kgi_ad_module *g, kgi_ad_segments *c) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    bool later = r->order > c->order || r->repeat == c->outermost;
    for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope) && later; o++)
      if (mode_in(g, r, o) != KG_READ) c->copied[kgi_ad_bound(g, r, o)] |= c->loaded[kgi_ad_bound(g, r, o)];
  }
}

/* Some store of the run reaches every element. */
static bool stores_all(kgi_ad_module *g, const kgi_ad_run *r, uint32_t object) {
  const kgi_program *p = r->ad.f.p;
  kgi_distinct *d;
  if (kgi_dim_is_set(g->work->item[r->item].grid) || !kgi_is_bound_as_declared(g->work, r->item, object)) return false;
  if (kgi_distinct_make(&g->scratch, g->work, p, &d) != KG_OK) return false; /* the arena tells */
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_store && p->inst[i].arg[0] == object && kgi_covers(d, i)) return true;
  return false;
}

/* A round that first stores all of a buffer does not find what it held. */
static bool is_begun(kgi_ad_module *g, const kgi_ad_segments *c, uint32_t object) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    bool all = false;
    for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope) && is_inside(g, r, c->repeat); o++) {
      if (kgi_ad_bound(g, r, o) != object) continue;
      if (mode_in(g, r, o) != KG_WRITE) return true;
      all |= g->parent[r->item] == c->repeat && stores_all(g, r, o);
    }
    if (all) return false;
  }
  return true;
}

static void find_begun(kgi_ad_module *g, kgi_ad_segments *c) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) c->begun[o] = c->loaded[o] && c->copied[o] && is_begun(g, c, o);
}

/* ---- bytes ---- */

static bool bytes_of(kgi_ad_module *g, uint32_t object, double *bytes) {
  const kgi_object *o = &g->m->scope.object[object];
  int64_t length = 1;
  if (!o->scalar && !(o->length.i && kgi_ad_by_default(g->work, &g->scratch, o->length, &length))) return false;
  *bytes = (double)length * (double)kg_type_size((kg_type)o->type);
  return true;
}

/* False: the params' defaults do not decide it. */
static bool add_up_copies(kgi_ad_module *g, kgi_ad_segments *c) {
  for (uint32_t o = 1; o < g->m->scope.object_count; o++) {
    double bytes;
    if (!c->copied[o]) continue;
    if (!bytes_of(g, o, &bytes)) return false;
    c->copies += bytes;
    if (c->begun[o]) c->snapshot += bytes;
  }
  return true;
}

static bool count_rounds(kgi_ad_module *g, kgi_ad *a, kgi_ad_segments *c) {
  c->around = 1;
  for (uint32_t r = c->repeat; r; r = g->parent[r]) {
    int64_t rounds;
    kgi_dim count = kgi_ad_rounds_of(a, r);
    if (!count.i || !kgi_ad_by_default(g->work, &g->scratch, count, &rounds)) return false;
    if (r == c->repeat) c->trips = (double)rounds;
    else c->around *= (double)rounds;
  }
  return c->trips * c->around >= 1;
}

/* Of the tapes in the repeat. */
static double tape_bytes(kgi_ad_module *g, const kgi_ad_segments *c) {
  double bytes = 0;
  for (uint32_t i = 0; i < g->run_count; i++)
    for (uint32_t t = 0; g->run[i].has_content && is_inside(g, &g->run[i], c->repeat) && t < g->run[i].ad.tape_count; t++)
      bytes += (double)kgi_ad_tape_bytes(&g->run[i].ad, t);
  return bytes;
}

static double taken(const kgi_ad_segments *c, double rounds) {
  double inner = c->group > 1 ? c->group * c->snapshot : 0;
  return c->around * ceil(c->trips / (rounds * c->group)) * c->snapshot + inner + c->copies + rounds * c->round;
}

static uint32_t between(double value, double least, double most) {
  double x = floor(value < least ? least : value > most ? most : value);
  return x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

static void choose_rounds(kgi_ad_segments *c, bool groups) {
  double all = c->around * c->trips * c->snapshot;
  c->group = groups && c->snapshot > 0 ? between(cbrt(all * c->snapshot * c->round) / c->snapshot, 1, c->trips) : 1;
  c->rounds = between(sqrt(all / (c->group * c->round)), 1, c->trips);
  if (c->rounds < c->trips && taken(c, c->rounds + 1.0) < taken(c, c->rounds)) c->rounds++;
  c->bytes = taken(c, c->rounds);
}

/* ---- which ---- */

static kgi_ad *first_taped(kgi_ad_module *g, uint32_t repeat, uint32_t *order) {
  kgi_ad *found = NULL;
  for (uint32_t i = g->run_count; i-- > 0;) {
    kgi_ad_run *r = &g->run[i];
    if (!is_inside(g, r, repeat)) continue;
    if (r->has_content && r->ad.tape_count) found = &r->ad;
    *order = r->order;
  }
  return found;
}

static bool can_be_cut(kgi_ad_module *g, uint32_t repeat) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    const kgi_ad_run *r = &g->run[i];
    if (is_inside(g, r, repeat) && (r->cut || !can_run_again(g, r))) return false;
    if (r->cut && r->repeat == kgi_ad_outermost(g, repeat)) return false;
  }
  return true;
}

/* How the repeat would be cut; its `saved` is 0 or less where that saves nothing. */
static kgi_ad_segments consider(kgi_ad_module *g, uint32_t repeat, bool groups) {
  kgi_ad_segments c = {.repeat = repeat, .outermost = kgi_ad_outermost(g, repeat)};
  kgi_ad *a = first_taped(g, repeat, &c.order);
  c.copied = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *c.copied);
  c.loaded = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *c.loaded);
  c.begun = kgi_arena_alloc(&g->scratch, g->m->scope.object_count, sizeof *c.begun);
  if (!a || g->scratch.failed || !can_be_cut(g, repeat)) return c;
  find_copied(g, &c);
  find_overwritten(g, &c);
  find_begun(g, &c);
  if (!add_up_copies(g, &c) || !count_rounds(g, a, &c)) return c;
  double bytes = tape_bytes(g, &c);
  c.round = bytes / (c.trips * c.around);
  if (c.round <= 0) return c;
  choose_rounds(&c, groups);
  c.saved = bytes - c.bytes;
  return c;
}

static kg_status cut(kgi_ad_module *g, kgi_ad_segments c) {
  if (!kgi_arena_grow(&g->scratch, &g->segments, g->segment_count, &g->segment_cap, sizeof *g->segments)) return KG_NO_MEMORY;
  g->segments[g->segment_count++] = c;
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    if (!is_inside(g, r, c.repeat)) continue;
    r->cut = g->segment_count;
    r->ad.req.cut = c.repeat, r->ad.req.cut_rounds = c.rounds;
    if (r->has_content && r->ad.tape_count) kgi_ad_find_rounds(&r->ad);
    if (r->ad.status != KG_OK) return r->ad.status;
  }
  return KG_OK;
}

/* Loops in strips, and in longer ones, come first: they cost no snapshots. */
static kg_status stretch_strips(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    kgi_program **where = &g->work->program[g->m->item[r->item].program];
    while (r->has_content && !kgi_ad_is_within_limit(g) && kgi_ad_stretch_strips(&r->ad, where)) continue;
    if (r->ad.status != KG_OK) return r->ad.status;
  }
  return KG_OK;
}

static kg_status cut_all(kgi_ad_module *g, bool groups) {
  while (!kgi_ad_is_within_limit(g)) {
    kgi_ad_segments best = {0};
    for (uint32_t i = 1; i < g->m->item_count; i++) {
      if (g->m->item[i].kind != KGI_ITEM_REPEAT) continue;
      kgi_ad_segments c = consider(g, i, groups);
      if (c.saved > best.saved) best = c;
    }
    if (g->scratch.failed) return KG_NO_MEMORY;
    kg_status status = best.repeat ? cut(g, best) : KG_OK;
    if (status != KG_OK || !best.repeat) return status;
  }
  return KG_OK;
}

static void undo(kgi_ad_module *g) {
  for (uint32_t i = 0; i < g->run_count; i++) {
    kgi_ad_run *r = &g->run[i];
    if (!r->cut) continue;
    r->cut = r->ad.req.cut = r->ad.req.cut_rounds = 0;
    if (r->has_content && r->ad.tape_count) kgi_ad_find_rounds(&r->ad);
  }
  g->segment_count = 0;
}

/* Groups cost another run of all rounds. */
kg_status kgi_ad_keep_to_limit(kgi_ad_module *g) {
  kg_status status = stretch_strips(g);
  if (status == KG_OK) status = cut_all(g, false);
  if (status == KG_OK && !kgi_ad_is_within_limit(g)) undo(g), status = cut_all(g, true);
  return status == KG_OK ? kgi_ad_check_limit(g) : status;
}
