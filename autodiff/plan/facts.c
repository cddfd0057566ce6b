/* What the later steps ask of the working program again and again, in one walk: the order of execution, the loops around a
 * statement, who uses a value, who touches an object. */
#include "autodiff/plan/ad.h"
#include "foundation/passes/clean.h"

const char *kgi_ad_object_name(const kgi_ad *a, uint32_t object) { return kgi_string(a->work, a->p->scope.object[object].name); }

static void add_uses(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) {
    if (!inst->arg[k]) continue;
    a->use_next[4 * i + k] = a->use_first[inst->arg[k]];
    a->use_first[inst->arg[k]] = 4 * i + k + 1;
  }
}

static void add_access(kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  if (!kgi_touches(inst)) return;
  kgi_ad_object *o = &a->object[inst->arg[0]];
  if (o->last) a->access_next[o->last] = i;
  else o->first = i;
  a->access_prev[i] = o->last;
  o->last = i;
  if (inst->kind == KGI_load) {
    o->reads++;
  } else {
    o->writes++;
    o->last_write = a->pos[i];
  }
}

static void note(kgi_ad *a, kgi_blk block, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  add_uses(a, i);
  add_access(a, i);
  if (inst->kind == KGI_var) a->object[inst->arg[0]].block = block, a->object[inst->arg[0]].decl = i;
  /* a memory_barrier stands anywhere, under conditions too: nobody waits there */
  if (inst->kind == KGI_barrier) a->block[block].has_barrier = true;
  if (kgi_orders(inst)) a->barrier_count++;
}

/* Recursion is bounded by KGI_MAX_DEPTH. */
static void walk(kgi_ad *a, kgi_blk block, uint32_t loop) {
  a->block[block].start = a->clock++;
  a->block[block].loop = loop;
  KGI_EACH(a->p, block, i) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    a->pos[i] = a->clock++;
    a->barriers[i] = a->barrier_count;
    note(a, block, i);
    kgi_span owned = kgi_owned_blocks(inst);
    for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++) {
      walk(a, inst->arg[k], kgi_is_loop(inst) ? i : loop);
      if (a->block[inst->arg[k]].has_barrier) a->block[block].has_barrier = true;
    }
  }
  a->block[block].end = a->clock++;
}

uint32_t kgi_ad_outermost_loop(const kgi_ad *a, kgi_blk block, uint32_t inst) {
  uint32_t found = 0, loop = a->block[a->p->inst[inst].block].loop;
  while (loop && loop != a->block[block].loop) {
    found = loop;
    loop = a->block[a->p->inst[loop].block].loop;
  }
  return found;
}

static bool allocate(kgi_ad *a) {
  size_t n = a->p->inst_count, blocks = a->p->block_count, objects = a->p->scope.object_count, params = a->p->scope.param_count;
  kgi_arena *s = &a->scratch;
  a->pos = kgi_arena_alloc(s, n, sizeof *a->pos);
  a->barriers = kgi_arena_alloc(s, n, sizeof *a->barriers);
  a->flags = kgi_arena_alloc(s, n, sizeof *a->flags);
  a->use_first = kgi_arena_alloc(s, n, sizeof *a->use_first);
  a->use_next = kgi_arena_alloc(s, n, 4 * sizeof *a->use_next);
  a->access_next = kgi_arena_alloc(s, n, sizeof *a->access_next);
  a->access_prev = kgi_arena_alloc(s, n, sizeof *a->access_prev);
  a->cross_next = kgi_arena_alloc(s, n, sizeof *a->cross_next);
  a->save_next = kgi_arena_alloc(s, n, sizeof *a->save_next);
  a->save_block = kgi_arena_alloc(s, n, sizeof *a->save_block);
  a->map = kgi_arena_alloc(s, n, sizeof *a->map);
  a->adj = kgi_arena_alloc(s, n, sizeof *a->adj);
  a->adj_var = kgi_arena_alloc(s, n, sizeof *a->adj_var);
  a->save_var = kgi_arena_alloc(s, n, sizeof *a->save_var);
  a->slot_of = kgi_arena_alloc(s, n, sizeof *a->slot_of);
  a->block = kgi_arena_alloc(s, blocks, sizeof *a->block);
  a->object = kgi_arena_alloc(s, objects, sizeof *a->object);
  a->param_value = kgi_arena_alloc(s, params, sizeof *a->param_value);
  a->param_shadow = kgi_arena_alloc(s, params, sizeof *a->param_shadow);
  return kgi_overlaps_find(&a->blocks, s, &a->p->scope) && !s->failed;
}

/* What a store to one view overwrites may be what lies under another. */
static void join_views(kgi_ad *a) {
  for (uint32_t o = kgi_buffer_end(&a->p->scope) - 1; o; o--) {
    kgi_ad_object *first = &a->object[a->blocks.of[o]];
    if (a->object[o].last_write > first->last_write) first->last_write = a->object[o].last_write;
  }
  for (uint32_t o = 1; o < kgi_buffer_end(&a->p->scope); o++) a->object[o].last_write = a->object[a->blocks.of[o]].last_write;
}

static bool collect(kgi_ad *a) {
  if (!allocate(a)) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  for (uint32_t o = 1; o < a->p->scope.object_count; o++) a->object[o].block = KGI_BODY, a->object[o].varied_from = UINT32_MAX;
  for (uint32_t i = 1; i < a->p->inst_count; i++) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (inst->kind == KGI_param) a->param_value[inst->arg[0]] = i;
    if (inst->kind == KGI_len) a->object[inst->arg[0]].length = i;
  }
  a->clock = 1;
  walk(a, KGI_BODY, 0);
  join_views(a);
  return true;
}

kg_status kgi_ad_analyse(kgi_ad *a, kg_module *work, kgi_program *p, kgi_diags *diags, const kg_allocator *alloc) {
  *a = (kgi_ad){.work = work, .p = p, .diags = diags};
  kgi_arena_init(&a->scratch, alloc);
  kg_status status = kgi_ad_lower(work, p, diags);
  if (status == KG_OK) status = kgi_clean(work, p);
  if (status != KG_OK) return status;
  return collect(a) ? KG_OK : KG_NO_MEMORY;
}

void kgi_ad_free(kgi_ad *a) { kgi_arena_free(&a->scratch); }
