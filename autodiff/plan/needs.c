/* Which primal values the reverse sweep uses, and how it gets at each:
 *
 *   at hand        its block is open, or it is a leaf or the index of a loop around
 *   recomputed     from values that the reverse can get at, and from loads that would still give what they gave
 *   replayed       a var declared in the block is filled again by running all its stores
 *   kept           in a slot, from when it was computed (slots.c)
 *
 * What a load gave is still there as holds.c says.
 * A tile that is filled again at the start of a trip's reverse holds what it held at the end of the trip; a load inside may use
 * that if nothing is stored to the tile after it in the trip. */
#include "autodiff/plan/ad.h"

bool kgi_ad_in_slice(const kgi_ad *a, kgi_blk block, uint32_t inst) {
  return kgi_pair_find(&a->slices, kgi_pair(block, inst));
}

/* ---- tasks ---- */

static void push(kgi_ad *a, uint64_t task) {
  if (kgi_arena_grow(&a->scratch, &a->tasks, a->task_count, &a->task_cap, sizeof *a->tasks)) a->tasks[a->task_count++] = task;
  else kgi_ad_fail(a, KG_NO_MEMORY);
}

/* Tasks are the instruction with the block above it in whose slice it is run again; block 0: it is wanted. */
static void exec(kgi_ad *a, kgi_blk block, uint32_t inst) {
  kgi_ad_note_use(a, inst);
  if (kgi_pair_add(a, &a->slices, kgi_pair(block, inst))) push(a, kgi_pair(block, inst));
}

/* A leaf is always at hand, but for the length of a var, which asks for the var. */
static void want_leaf(kgi_ad *a, kgi_blk slice, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  const kgi_ad_object_fact *o = &a->f.object[inst->arg[0]];
  if (inst->kind != KGI_len || !o->decl) return;
  if (slice && kgi_ad_within(a, slice, o->decl)) exec(a, slice, o->decl);
  else if (!a->block[o->block].open) exec(a, o->block, o->decl);
}

void kgi_ad_want(kgi_ad *a, uint32_t value) {
  if (value && !kgi_is_leaf(a->f.p->inst[value].kind)) kgi_ad_note_use(a, value);
  if (!value || a->flags[value] & KGI_AD_WANT) return;
  if (kgi_is_leaf(a->f.p->inst[value].kind)) return want_leaf(a, 0, value);
  a->flags[value] |= KGI_AD_WANT;
  push(a, value);
}

/* A value that something inside a slice of `block` uses. */
static void provide(kgi_ad *a, kgi_blk block, uint32_t value) {
  if (!value) return;
  if (kgi_is_leaf(a->f.p->inst[value].kind)) return want_leaf(a, block, value);
  uint32_t loop = kgi_trip_of(&a->f, value);
  if (loop && !kgi_ad_within(a, block, loop)) return; /* the reversed loop around the block has it */
  if (kgi_ad_within(a, block, value)) exec(a, block, value);
  else kgi_ad_want(a, value);
}

static bool is_within_or_same(const kgi_ad *a, kgi_blk outer, kgi_blk inner) {
  return a->f.block[outer].start <= a->f.block[inner].start && a->f.block[inner].end <= a->f.block[outer].end;
}

static void refill(kgi_ad *a, kgi_blk block, uint32_t object);

/* ---- keeping ---- */

/* In the loop over the trips of a strip, or further in. */
static bool is_in_strip(const kgi_ad *a, uint32_t inst) {
  uint32_t loop = a->f.block[a->f.p->inst[inst].block].loop;
  for (loop = loop ? kgi_ad_loop_around(a, loop) : 0; loop; loop = kgi_ad_loop_around(a, loop))
    if (a->block[kgi_body_of(kgi_ad_inst(a, loop))].strip) return true;
  return false;
}

/* What is declared there is not kept from the forward sweep on. */
static bool is_in_checkpoint(const kgi_ad *a, kgi_blk block) { return a->f.block[block].checkpoint != 0; }

/* The trips in there are few, and have numbers: those of a while that stores no floats are not counted. */
static bool may_keep_in(kgi_ad *a, kgi_blk block, uint32_t load) {
  return kgi_ad_kept_trips(a, block, load) && kgi_ad_can_keep_in(a, block, load);
}

/* Where it is kept while a closed block is run again rather than while the run runs forward, since what the block declares, or fills,
 * in each of its runs concerns nobody outside; the trips in there are few, then. 0: not there. */
static kgi_blk keeping_block(kgi_ad *a, uint32_t load) {
  uint32_t object = a->f.p->inst[load].arg[0];
  kgi_blk home = a->f.object[object].block, tile = kgi_ad_tile_block(a, object);
  kgi_blk own = tile ? tile : home; /* who fills it */
  if (is_in_checkpoint(a, own)) return kgi_ad_can_keep_in(a, own, load) ? own : 0;
  if (a->block[KGI_BODY].open && !is_in_strip(a, load) && kgi_ad_kept_trips(a, KGI_BODY, load)) return 0;
  if (tile && may_keep_in(a, tile, load)) return tile;
  if (a->f.p->scope.object[object].space != KGI_BUFFER && !a->block[home].open && may_keep_in(a, home, load)) return home;
  return 0;
}

/* Where a value is kept, or taken from where it was kept, its trips have to be known. */
static void exec_trips(kgi_ad *a, kgi_blk slice, uint32_t value) {
  for (uint32_t loop = a->f.block[a->f.p->inst[value].block].loop; loop; loop = kgi_ad_loop_around(a, loop))
    if (kgi_counted(&a->f, loop).trip) provide(a, slice, kgi_counted(&a->f, loop).trip);
}

/* Of what the program itself has stored, the element has to be known. */
static void exec_known(kgi_ad *a, kgi_blk slice, uint32_t value) {
  const kgi_ad_parked *parked = kgi_ad_parked_at(a, value);
  if (parked) kgi_ad_each_known(a, parked, provide, slice);
}

static void want_known(kgi_ad *a, kgi_blk none, uint32_t value) {
  (void)none;
  kgi_ad_want(a, value);
}

static void keep_forward(kgi_ad *a, uint32_t value) {
  const kgi_ad_parked *parked = kgi_ad_parked_at(a, value);
  kgi_ad_keep_forward(a, value);
  if (parked) kgi_ad_each_known(a, parked, want_known, 0);
}

/* It is kept as the run runs forward, or something that is made of it (cut.c). */
static void cannot_be_had(kgi_ad *a, uint32_t value) {
  a->sources++;
  if (kgi_ad_inst(a, value)->kind == KGI_load) a->object[kgi_ad_inst(a, value)->arg[0]].sought = true;
  if (a->cut) kgi_cut_source(a, value);
  else if (kgi_ad_can_keep(a, value)) keep_forward(a, value);
  else if (a->refusable) a->refused_source = true;
  else KGI_AD_REFUSE(a, grad_needs_replay, a->f.p->inst_pos[value], kgi_kind_names[a->f.p->inst[value].kind]);
}

/* From when the block is run again. */
static void keep_meanwhile(kgi_ad *a, kgi_blk block, uint32_t value) {
  kgi_ad_keep_in(a, block, value);
  exec(a, block, value);
  exec_trips(a, block, value);
}

static void keep(kgi_ad *a, uint32_t load) {
  kgi_blk block = keeping_block(a, load);
  if (!block) return cannot_be_had(a, load);
  keep_meanwhile(a, block, load);
}

/* What the tile holds at the end of a trip is what the load in it gave. */
static bool is_last_of_trip(const kgi_ad *a, kgi_blk tile, uint32_t load) {
  uint32_t loop = kgi_ad_outermost_loop(a, tile, load);
  return a->f.object[a->f.p->inst[load].arg[0]].last_write < a->f.pos[loop ? loop : load];
}

static bool forward_runs_once(const kgi_ad *a, kgi_blk block) {
  return a->block[KGI_BODY].open && !a->f.block[block].loop && !is_in_checkpoint(a, block);
}

static void want_load(kgi_ad *a, uint32_t load) {
  kgi_blk here = a->f.p->inst[load].block;
  uint32_t object = a->f.p->inst[load].arg[0];
  bool local = a->f.p->scope.object[object].space != KGI_BUFFER && a->f.object[object].block == here;
  bool refilled = (local && !forward_runs_once(a, here)) || kgi_ad_tile_block(a, object);
  if (kgi_ad_still_holds(a, load) || refilled) exec(a, here, load);
  else keep(a, load);
}

static void do_want(kgi_ad *a, uint32_t value) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  kgi_blk here = inst->block;
  if (a->block[here].open || kgi_trip_of(&a->f, value)) return; /* a trip: the reversed loop has it too */
  if (a->flags[value] & KGI_AD_KEEP) return keep_forward(a, value);
  if (kgi_ad_is_spared(a, here, value)) return keep_meanwhile(a, a->spared[value], value);
  if ((kgi_is_count(&a->f, value) && !is_in_checkpoint(a, here)) || a->flags[value] & KGI_AD_EXACT) return cannot_be_had(a, value);
  switch ((kgi_kind)inst->kind) {
  case KGI_op: case KGI_subgroup: exec(a, here, value); break;
  case KGI_load: want_load(a, value); break;
  case KGI_for: break; /* an index: the reversed loop has it too */
  case KGI_atomic: cannot_be_had(a, value); break;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_store: case KGI_barrier:
  case KGI_memory_barrier: case KGI_check: case KGI_var: case KGI_if: case KGI_while: case KGI_region: case KGI_break:
  case KGI_continue: case KGI_return: case KGI_checkpoint: case KGI_KIND_COUNT: break;
  }
}

/* Fills an object again, as often as the block runs: all its stores in order. */
static void replay(kgi_ad *a, kgi_blk block, uint32_t object) {
  const kgi_ad_object_fact *o = &a->f.object[object];
  if (o->decl) exec(a, block, o->decl);
  for (uint32_t i = o->first; i; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_store) exec(a, block, i);
}

/* Atomics give each invocation what they give by chance: they are not run again. */
static bool can_refill(const kgi_ad *a, uint32_t object) { return !a->f.object[object].atomics; }

static void replay_barriers(kgi_ad *a, kgi_blk slice, kgi_blk block) {
  KGI_EACH(a->f.p, block, i) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (inst->kind == KGI_barrier) exec(a, slice, i);
    kgi_span owned = kgi_owned_blocks(inst);
    for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++)
      if (a->f.block[inst->arg[k]].has_barrier) replay_barriers(a, slice, inst->arg[k]);
  }
}

/* An object that a closed block declares, or fills, holds something only once it was filled again. With shared memory the barriers
 * between stores and loads come along, and one stands before it all, so that nobody still loads what was there. */
static void refill(kgi_ad *a, kgi_blk block, uint32_t object) {
  uint32_t user = a->user, contents = kgi_cut_contents(a, object);
  kgi_ad_note_use(a, contents);
  if (!kgi_pair_add(a, &a->refills, kgi_pair(block, object))) return;
  a->user = contents;
  replay(a, block, object);
  a->user = user;
  if (a->f.p->scope.object[object].space != KGI_SHARED) return;
  if (!a->block[block].refills) replay_barriers(a, block, block);
  a->block[block].refills = true;
  if (a->block[block].unsure) KGI_AD_REFUSE(a, grad_barrier, a->f.p->inst_pos[a->f.p->block[block].owner], NULL);
}

static void exec_load(kgi_ad *a, kgi_blk block, uint32_t load) {
  uint32_t object = a->f.p->inst[load].arg[0];
  bool local = a->f.p->scope.object[object].space != KGI_BUFFER;
  kgi_blk home = a->f.object[object].block, tile = kgi_ad_tile_block(a, object);
  bool lost = local && !a->block[home].open; /* but for what is filled again */
  if (!can_refill(a, object) && (lost || !kgi_ad_still_holds(a, load))) return cannot_be_had(a, load);
  a->object[object].reloaded |= local || kgi_ad_still_holds(a, load);
  if (local && is_within_or_same(a, block, tile ? tile : home)) refill(a, block, object);
  else if (tile && is_last_of_trip(a, tile, load)) refill(a, tile, object);
  else if (!kgi_ad_still_holds(a, load)) keep(a, load);
  else if (local && !a->block[home].open) refill(a, home, object);
}

/* What leaves a loop comes along when the loop is run again. */
static void exec_exits(kgi_ad *a, kgi_blk slice, kgi_blk body) {
  KGI_EACH_INSIDE(a->f.p, body, i)
    if (kgi_ends(kgi_ad_inst(a, i))) exec(a, slice, i);
}

/* `inst` is in the slice of `block`: so is what it uses, and what decides whether it runs. */
static void do_exec(kgi_ad *a, kgi_blk block, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  if (inst->block != block) exec(a, block, a->f.p->block[inst->block].owner);
  if (a->flags[i] & KGI_AD_KEEP) kgi_ad_keep_forward(a, i);
  else if (kgi_ad_is_spared(a, block, i)) keep_meanwhile(a, a->spared[i], i);
  else if (inst->kind == KGI_atomic) cannot_be_had(a, i);
  if (inst->kind == KGI_load && !kgi_ad_is_kept_for(a, block, i)) exec_load(a, block, i);
  if (kgi_ad_is_kept_for(a, block, i)) return exec_trips(a, block, i), exec_known(a, block, i);
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) provide(a, block, inst->arg[k]);
  if (inst->kind == KGI_store) provide(a, block, a->f.object[inst->arg[0]].decl);
  if (kgi_is_loop(inst)) exec_exits(a, block, kgi_body_of(inst));
}

/* A fused program runs forward as a whole, and turns round where it ends. */
static void open_blocks(kgi_ad *a) {
  kgi_blk pending[2 * KGI_MAX_DEPTH + 4];
  unsigned count = 0;
  pending[count++] = KGI_BODY;
  while (count) {
    kgi_blk block = pending[--count];
    a->block[block].open = true;
    uint32_t last = a->f.p->block[block].last;
    if (!last || a->f.p->inst[last].kind != KGI_if) continue;
    const kgi_inst *branch = kgi_ad_inst(a, last);
    for (unsigned k = 1; k <= 2; k++)
      if (branch->arg[k] && count < sizeof pending / sizeof *pending) pending[count++] = branch->arg[k];
  }
}

/* A separate adjoint leaves out the buffers that it does not load. Those whose length is asked for stay. */
static void keep_measured(kgi_ad *a) {
  const kgi_scope *s = &a->f.p->scope;
  for (uint32_t i = 1; i < s->dim_count; i++)
    if (s->dim[i].op == KGI_DIM_LEN) a->object[s->dim[i].a].loaded = true;
  for (uint32_t i = 1; i < a->f.p->inst_count; i++)
    if (a->f.p->inst[i].kind == KGI_len) a->object[a->f.p->inst[i].arg[0]].loaded = true;
}

static void traverse(kgi_ad *a) {
  a->user = a->sources = 0;
  kgi_ad_want_all(a, KGI_BODY);
  while (a->task_count && a->status == KG_OK) {
    uint64_t task = a->tasks[--a->task_count];
    a->user = (uint32_t)task;
    if (task >> 32) do_exec(a, (kgi_blk)(task >> 32), (uint32_t)task);
    else do_want(a, (uint32_t)task);
  }
}

static void start_again(kgi_ad *a) {
  for (uint32_t i = 1; i < a->f.p->inst_count; i++) a->flags[i] &= (uint8_t)~KGI_AD_WANT, a->slot_of[i] = 0;
  for (uint32_t b = 1; b < a->f.p->block_count; b++) a->block[b].refills = false;
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++) a->object[o].reloaded = false;
  kgi_pair_clear(&a->slices), kgi_pair_clear(&a->refills);
  a->slot_count = a->task_count = 0;
}

/* Some of what cannot be had is computed in loops, or cannot be kept. */
static bool has_trips(const kgi_ad *a) {
  bool loops = a->refused_source;
  for (uint32_t s = 0; s < a->slot_count && !loops; s++) loops = a->f.block[a->f.p->inst[a->slot[s].value].block].loop != 0;
  return loops;
}

/* Then it matters which values are kept; and so it does on a tape, of which each value takes a row for each round and invocation. */
static bool is_worth_a_cut(const kgi_ad *a) { return has_trips(a) || (!a->block[KGI_BODY].open && a->slot_count); }

static void follow_again(kgi_ad *a) {
  start_again(a);
  traverse(a);
}

/* Demands, choice, slices: first all that would be run again is followed back to what cannot be had; then it is decided what is kept;
 * then the slices are what still has to be run again. */
void kgi_ad_needs(kgi_ad *a) {
  if (a->req.fused) open_blocks(a);
  else keep_measured(a);
  kgi_ad_gather(a, KGI_BODY);
  a->refusable = true;
  traverse(a);
  a->refusable = false;
  if (a->sources && a->status == KG_OK && is_worth_a_cut(a)) {
    kgi_ad_cut cut = {.once = !has_trips(a)};
    start_again(a);
    kgi_ad_find_parked(a);
    a->cut = &cut;
    traverse(a);
    a->cut = NULL;
    if (a->status == KG_OK) kgi_ad_choose(a, &cut);
    start_again(a);
    if (a->status == KG_OK) traverse(a);
  }
  if (a->status == KG_OK) kgi_ad_spare(a, follow_again);
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++) a->object[o].loaded |= a->object[o].reloaded;
  if (a->status == KG_OK) kgi_ad_place_slots(a);
}
