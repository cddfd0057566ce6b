#include "foundation/passes/clean.h"
#include "foundation/base/limits.h"

/* ---- what nothing needs ---- */

typedef struct mark {
  kgi_cleaner *c;
  kgi_program *p;
  uint8_t *live;        /* instructions */
  uint8_t *live_object; /* vars that something live loads */
  uint32_t *store_of, *next_store; /* stores to each var, as lists */
  uint32_t *jump_of, *next_jump;   /* what leaves each loop, as lists */
  uint32_t *place, *last_inside;   /* numbers in the order of the text, and of the last one inside */
  uint32_t *last_read;             /* of objects in shared memory: the last place at which one is looked at, in a later trip too */
  uint32_t *work, work_count;
} mark;

static void need(mark *k, uint32_t i) {
  if (!i || k->live[i]) return;
  k->live[i] = 1;
  k->work[k->work_count++] = i;
}

static void need_object(mark *k, uint32_t object) {
  if (k->p->scope.object[object].space != KGI_VAR || k->live_object[object]) return;
  k->live_object[object] = 1;
  for (uint32_t i = k->store_of[object]; i; i = k->next_store[i]) need(k, i);
}

static uint32_t number(mark *k, kgi_blk block, uint32_t at) {
  KGI_EACH(k->p, block, i) {
    kgi_span blocks = kgi_owned_blocks(&k->p->inst[i]);
    k->place[i] = ++at;
    for (unsigned n = 0; n < blocks.count; n++) at = number(k, k->p->inst[i].arg[blocks.first + n], at);
    k->last_inside[i] = at;
  }
  return at;
}

/* `end`: of the outermost loop around the block; 0: there is none. */
static void find_reads(mark *k, kgi_blk block, uint32_t end) {
  KGI_EACH(k->p, block, i) {
    const kgi_inst *inst = &k->p->inst[i];
    kgi_span blocks = kgi_owned_blocks(inst);
    uint32_t here = end ? end : k->place[i], inside = end ? end : kgi_is_loop(inst) ? k->last_inside[i] : 0;
    if (kgi_has_effect(inst, KGI_READS) && k->last_read[inst->arg[0]] < here) k->last_read[inst->arg[0]] = here;
    for (unsigned n = 0; n < blocks.count; n++) find_reads(k, inst->arg[blocks.first + n], inside);
  }
}

/* Shared memory is gone when the workgroup has ended. */
static bool is_seen(const mark *k, uint32_t store) {
  uint32_t object = k->p->inst[store].arg[0];
  unsigned space = k->p->scope.object[object].space;
  return space == KGI_BUFFER || (space == KGI_SHARED && k->place[store] <= k->last_read[object]);
}

/* Effects that are seen from outside of the invocation, or end it. A loop over its limit fails the program; one may wait for what others do,
 * by an atomic_load. */
static bool is_root(const mark *k, uint32_t i, uint32_t loop) {
  const kgi_inst *inst = &k->p->inst[i];
  switch ((kgi_kind)inst->kind) {
  case KGI_store: return is_seen(k, i);
  case KGI_atomic: return loop || inst->op != KGI_ATOMIC_load;
  case KGI_barrier: case KGI_memory_barrier: case KGI_check: case KGI_return: return true;
  case KGI_while: return inst->arg[3] != 0;
  case KGI_none: case KGI_literal: case KGI_spec: case KGI_param: case KGI_id: case KGI_len: case KGI_op: case KGI_load:
  case KGI_subgroup: case KGI_var: case KGI_if: case KGI_for: case KGI_region: case KGI_break: case KGI_continue:
  case KGI_checkpoint: case KGI_KIND_COUNT: break;
  }
  return false;
}

/* Roots, and the lists by object and by loop. */
static void find_roots(mark *k, kgi_blk block, uint32_t loop) {
  KGI_EACH(k->p, block, i) {
    const kgi_inst *inst = &k->p->inst[i];
    if (is_root(k, i, loop)) need(k, i);
    if (inst->kind == KGI_store) k->next_store[i] = k->store_of[inst->arg[0]], k->store_of[inst->arg[0]] = i;
    if (kgi_ends(inst) && inst->kind != KGI_return) k->next_jump[i] = k->jump_of[loop], k->jump_of[loop] = i;
    kgi_span blocks = kgi_owned_blocks(inst);
    for (unsigned n = 0; n < blocks.count; n++) find_roots(k, inst->arg[blocks.first + n], kgi_is_loop(inst) ? i : loop);
  }
}

static void spread(mark *k) {
  while (k->work_count) {
    uint32_t i = k->work[--k->work_count];
    const kgi_inst *inst = &k->p->inst[i];
    kgi_span operands = kgi_operands(inst);
    for (unsigned n = 0; n < operands.count; n++) need(k, inst->arg[operands.first + n]);
    if (inst->block) need(k, k->p->block[inst->block].owner);
    if (inst->kind == KGI_load || inst->kind == KGI_store || inst->kind == KGI_len) need_object(k, inst->arg[0]); /* a length needs its var */
    if (kgi_is_loop(inst))
      for (uint32_t jump = k->jump_of[i]; jump; jump = k->next_jump[jump]) need(k, jump);
  }
}

static void sweep(mark *k, kgi_blk block) {
  for (uint32_t i = k->p->block[block].first, next; i; i = next) {
    kgi_inst *inst = &k->p->inst[i];
    next = inst->next;
    if (inst->kind == KGI_var ? k->live_object[inst->arg[0]] : k->live[i]) {
      kgi_span blocks = kgi_owned_blocks(inst);
      for (unsigned n = 0; n < blocks.count; n++) sweep(k, inst->arg[blocks.first + n]);
    } else {
      kgi_remove(k->p, i);
      k->c->changed = true;
    }
  }
}

/* An if of which one side is empty: it has no else, and its condition is turned where need be. */
static void tidy_ifs(kgi_cleaner *c, kgi_blk block) {
  KGI_EACH(c->p, block, i) {
    kgi_span blocks = kgi_owned_blocks(&c->p->inst[i]);
    for (unsigned n = 0; n < blocks.count; n++) tidy_ifs(c, c->p->inst[i].arg[blocks.first + n]);
    if (c->p->inst[i].kind != KGI_if || !c->p->inst[i].arg[2]) continue;
    if (!c->p->block[c->p->inst[i].arg[2]].first) {
      c->p->inst[i].arg[2] = 0;
    } else if (!c->p->block[c->p->inst[i].arg[1]].first) {
      c->b.at = kgi_before(c->p, i);
      kgi_val turned = kgi_op1(&c->b, KGI_OP_not, (kgi_val){c->p->inst[i].arg[0]});
      if (!turned.i) return;
      c->p->inst[i].arg[0] = turned.i;
      c->p->inst[i].arg[1] = c->p->inst[i].arg[2];
      c->p->inst[i].arg[2] = 0;
    }
  }
}

void kgi_clean_dead(kgi_cleaner *c) {
  kgi_program *p = c->p;
  mark k = {.c = c, .p = p};
  k.live = kgi_arena_alloc(&c->scratch, p->inst_count, 1);
  k.live_object = kgi_arena_alloc(&c->scratch, p->scope.object_count, 1);
  k.store_of = kgi_arena_alloc(&c->scratch, p->scope.object_count, sizeof *k.store_of);
  k.next_store = kgi_arena_alloc(&c->scratch, p->inst_count, sizeof *k.next_store);
  k.jump_of = kgi_arena_alloc(&c->scratch, p->inst_count, sizeof *k.jump_of);
  k.next_jump = kgi_arena_alloc(&c->scratch, p->inst_count, sizeof *k.next_jump);
  k.work = kgi_arena_alloc(&c->scratch, p->inst_count, sizeof *k.work);
  k.place = kgi_arena_alloc(&c->scratch, p->inst_count, sizeof *k.place);
  k.last_inside = kgi_arena_alloc(&c->scratch, p->inst_count, sizeof *k.last_inside);
  k.last_read = kgi_arena_alloc(&c->scratch, p->scope.object_count, sizeof *k.last_read);
  if (c->scratch.failed) return;
  number(&k, KGI_BODY, 0);
  find_reads(&k, KGI_BODY, 0);
  find_roots(&k, KGI_BODY, 0);
  spread(&k);
  sweep(&k, KGI_BODY);
  tidy_ifs(c, KGI_BODY);
}

/* ---- stores that a later one overwrites ---- */

/* Backward through a block: `over[object]` equals `now` if a store follows, in this block, with no load in between. Nested
 * blocks may load anything, and may leave: they begin a new count. */
static void drop_overwritten(kgi_cleaner *c, kgi_blk block, uint32_t *over, uint32_t *now) {
  kgi_program *p = c->p;
  ++*now;
  for (uint32_t i = p->block[block].last, before; i; i = before) {
    kgi_inst *inst = &p->inst[i];
    const kgi_object *o = &p->scope.object[inst->arg[0]];
    before = inst->prev;
    kgi_span blocks = kgi_owned_blocks(inst);
    for (unsigned n = 0; n < blocks.count; n++) drop_overwritten(c, inst->arg[blocks.first + n], over, now);
    if (blocks.count) ++*now;
    if (inst->kind == KGI_load) over[inst->arg[0]] = 0;
    if (inst->kind != KGI_store || o->space != KGI_VAR || !o->scalar) continue;
    if (over[inst->arg[0]] == *now) kgi_remove(p, i), c->changed = true;
    over[inst->arg[0]] = *now;
  }
}

void kgi_clean_stores(kgi_cleaner *c) {
  uint32_t *over = kgi_arena_alloc(&c->scratch, c->p->scope.object_count, sizeof *over), now = 0;
  if (over) drop_overwritten(c, KGI_BODY, over, &now);
}

/* ---- rounds ---- */

static bool part(kgi_cleaner *c, void (*run)(kgi_cleaner *)) {
  kg_allocator alloc = c->b.m->arena.alloc;
  kgi_arena_init(&c->scratch, &alloc);
  run(c);
  bool failed = c->scratch.failed;
  kgi_arena_free(&c->scratch);
  return !failed && c->b.status == KG_OK && !c->b.m->arena.failed;
}

kg_status kgi_clean(kg_module *m, kgi_program *p) {
  /* What a round uncovers is mostly found in the same round, so few are needed; the bound is for programs made to defy that. */
  kgi_cleaner c = {.p = p};
  kgi_builder_init(&c.b, m, NULL);
  kgi_resume_program(&c.b, p);
  c.b.simplify = true;
  for (unsigned round = 0; round < KGI_LIMIT(clean_rounds); round++) {
    c.changed = false;
    if (!part(&c, kgi_clean_values) || !part(&c, kgi_clean_stores) || !part(&c, kgi_clean_dead) || !part(&c, kgi_clean_loops) ||
        !part(&c, kgi_clean_fuse) || !part(&c, kgi_clean_once))
      return KG_NO_MEMORY;
    if (!c.changed) break;
  }
  return KG_OK;
}

kg_status kgi_write_places(kg_module *m, kgi_program *p) {
  kgi_cleaner c = {.p = p};
  kgi_builder_init(&c.b, m, NULL);
  kgi_resume_program(&c.b, p);
  return part(&c, kgi_clean_places) && part(&c, kgi_clean_dead) ? KG_OK : KG_NO_MEMORY;
}
