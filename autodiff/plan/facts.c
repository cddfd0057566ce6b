/* What the later steps ask of the working program again and again, in one walk: the order of execution, the loops around a
 * statement, who uses a value, who touches an object. */
#include "autodiff/plan/facts.h"
#include "foundation/analysis/whole.h"

typedef struct walker { kgi_ad_facts *f; uint32_t clock, barriers; } walker;

static void add_uses(kgi_ad_facts *f, uint32_t i) {
  const kgi_inst *inst = &f->p->inst[i];
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) {
    if (!inst->arg[k]) continue;
    f->use_next[4 * i + k] = f->use_first[inst->arg[k]];
    f->use_first[inst->arg[k]] = 4 * i + k + 1;
  }
}

static void add_access(kgi_ad_facts *f, uint32_t i) {
  const kgi_inst *inst = &f->p->inst[i];
  if (!kgi_touches(inst)) return;
  kgi_ad_object_fact *o = &f->object[inst->arg[0]];
  if (o->last) f->access_next[o->last] = i;
  else o->first = i;
  f->access_prev[i] = o->last;
  o->last = i;
  if (inst->kind == KGI_load) {
    o->reads++;
  } else {
    o->writes++;
    o->atomics |= inst->kind == KGI_atomic;
    o->last_write = f->pos[i];
  }
}

static void note(walker *w, kgi_blk block, uint32_t i) {
  kgi_ad_facts *f = w->f;
  const kgi_inst *inst = &f->p->inst[i];
  add_uses(f, i);
  add_access(f, i);
  if (inst->kind == KGI_var) f->object[inst->arg[0]].block = block, f->object[inst->arg[0]].decl = i;
  /* a memory_barrier stands anywhere, under conditions too: nobody waits there */
  if (inst->kind == KGI_barrier) f->block[block].has_barrier = true;
  if (kgi_orders(inst)) w->barriers++, f->fences |= inst->kind != KGI_barrier;
}

/* Recursion is bounded by KGI_MAX_DEPTH. */
static void walk(walker *w, kgi_blk block, uint32_t loop, uint32_t checkpoint) {
  kgi_ad_facts *f = w->f;
  f->block[block].start = w->clock++;
  const kgi_inst *owner = &f->p->inst[f->p->block[block].owner];
  f->block[block].in = owner->kind == KGI_checkpoint ? f->block[owner->block].in : block;
  f->block[block].loop = loop;
  f->block[block].checkpoint = checkpoint;
  KGI_EACH(f->p, block, i) {
    const kgi_inst *inst = &f->p->inst[i];
    f->pos[i] = w->clock++;
    f->barriers[i] = w->barriers;
    note(w, block, i);
    kgi_span owned = kgi_owned_blocks(inst);
    for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
      walk(w, inst->arg[k], kgi_is_loop(inst) ? i : loop, inst->kind == KGI_checkpoint ? i : checkpoint);
      if (f->block[inst->arg[k]].has_barrier) f->block[block].has_barrier = true;
    }
  }
  f->block[block].end = w->clock++;
}

uint32_t kgi_outermost_loop(const kgi_ad_facts *f, kgi_blk block, uint32_t inst) {
  uint32_t found = 0, loop = f->block[f->p->inst[inst].block].loop;
  while (loop && loop != f->block[block].loop) {
    found = loop;
    loop = kgi_loop_around(f, loop);
  }
  return found;
}

static bool allocate(kgi_ad_facts *f, kgi_arena *s) {
  size_t n = f->p->inst_count;
  f->pos = kgi_arena_alloc(s, n, sizeof *f->pos);
  f->barriers = kgi_arena_alloc(s, n, sizeof *f->barriers);
  f->use_first = kgi_arena_alloc(s, n, sizeof *f->use_first);
  f->use_next = kgi_arena_alloc(s, n, 4 * sizeof *f->use_next);
  f->access_next = kgi_arena_alloc(s, n, sizeof *f->access_next);
  f->access_prev = kgi_arena_alloc(s, n, sizeof *f->access_prev);
  f->counted_at = kgi_arena_alloc(s, n, sizeof *f->counted_at);
  f->settled_at = kgi_arena_alloc(s, n, sizeof *f->settled_at);
  f->block = kgi_arena_alloc(s, f->p->block_count, sizeof *f->block);
  f->object = kgi_arena_alloc(s, f->p->scope.object_count, sizeof *f->object);
  f->waits = kgi_arena_alloc(s, f->p->block_count, sizeof *f->waits);
  f->param_value = kgi_arena_alloc(s, f->p->scope.param_count, sizeof *f->param_value);
  f->whole = kgi_arena_alloc(s, n, sizeof *f->whole);
  bool *taken = kgi_arena_alloc(s, f->p->scope.object_count, sizeof *taken);
  if (s->failed || !kgi_find_taken(f->work, f->p, taken, s) || !kgi_find_whole(f->p, taken, f->whole, s)) return false;
  return kgi_overlaps_find(&f->blocks, s, &f->p->scope) && !s->failed;
}

/* What a store to one view overwrites may be what lies under another. */
static void join_views(kgi_ad_facts *f) {
  for (uint32_t o = kgi_buffer_end(&f->p->scope) - 1; o; o--) {
    kgi_ad_object_fact *first = &f->object[f->blocks.of[o]];
    if (f->object[o].last_write > first->last_write) first->last_write = f->object[o].last_write;
  }
  for (uint32_t o = 1; o < kgi_buffer_end(&f->p->scope); o++) f->object[o].last_write = f->object[f->blocks.of[o]].last_write;
}

bool kgi_ad_collect_facts(kgi_ad_facts *f, kgi_arena *arena) {
  if (!allocate(f, arena)) return false;
  for (uint32_t o = 1; o < f->p->scope.object_count; o++) f->object[o].block = KGI_BODY;
  for (uint32_t i = 1; i < f->p->inst_count; i++) {
    const kgi_inst *inst = &f->p->inst[i];
    if (inst->kind == KGI_param) f->param_value[inst->arg[0]] = i;
    if (inst->kind == KGI_len) f->object[inst->arg[0]].length = i;
  }
  for (uint32_t k = 0; k < f->counted_count; k++) {
    const kgi_ad_counted *c = &f->counted[k];
    f->counted_at[c->loop] = f->counted_at[c->trip] = f->counted_at[c->count] = k + 1;
  }
  for (uint32_t k = 0; k < f->settled_count; k++) f->settled_at[f->settled[k].at] = k + 1;
  for (uint32_t k = 0; k < f->copy_count; k++) {
    uint32_t own = f->copy[k].own, of = f->p->inst[f->copy[k].access].arg[0];
    f->object[own].copy_of = of;
    f->object[own].copied = f->object[of].copied = true;
  }
  walker w = {.f = f, .clock = 1};
  walk(&w, KGI_BODY, 0, 0);
  f->orders = w.barriers;
  for (kgi_blk block = 1; block < f->p->block_count; block++) f->waits[block] = f->block[block].has_barrier;
  join_views(f);
  return true;
}
