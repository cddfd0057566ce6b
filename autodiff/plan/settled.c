/* What a loop overwrites and does not look at but to decide about it is settled by the last of its trips that overwrites it. In
 * reverse all trips before that one hand on a zero, so it is enough to know which trip it was, instead of what each one saw:
 *
 *   if v > m { m = v }       its condition in reverse: this is that trip
 *   m = max(m, v)            later trips found m as it is behind the loop; that trip hands all on to v
 *
 * So the working program counts trips from 1 where it overwrites, in a var that is 0 where no trip did. A var that the loop looks
 * at otherwise, as the greatest so far of a softmax in one pass, keeps what it was in each trip. */
#include "autodiff/plan/facts.h"
#include "foundation/analysis/loops.h"
#include "foundation/base/limits.h"

typedef struct settling {
  kgi_builder b;
  kgi_program *p;
  kgi_arena *arena;
  /* by instruction */
  uint32_t *uses;
  bool *used_otherwise; /* than by a comparison */
  bool *is_left;        /* a loop that something leaves early */
  uint32_t *access_next;
  /* by object */
  uint32_t *access, *decl;
  kgi_ad_settled *list; uint32_t count, cap;
} settling;

/* ---- what there is ---- */

static uint32_t innermost_loop(const kgi_program *p, uint32_t i) {
  uint32_t owner = p->block[p->inst[i].block].owner;
  while (owner && !kgi_is_loop(&p->inst[owner])) owner = p->block[p->inst[owner].block].owner;
  return owner;
}

static void note(settling *s, uint32_t i) {
  const kgi_inst *inst = &s->p->inst[i];
  bool compares = inst->kind == KGI_op && inst->type == KG_BOOL;
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (!compares) s->used_otherwise[inst->arg[k]] = true;
  if (inst->kind == KGI_var) s->decl[inst->arg[0]] = i;
  if (kgi_ends(inst)) s->is_left[innermost_loop(s->p, i)] = true;
  if (!kgi_touches(inst)) return;
  s->access_next[i] = s->access[inst->arg[0]];
  s->access[inst->arg[0]] = i;
}

static bool survey(settling *s) {
  size_t n = s->p->inst_count, objects = s->p->scope.object_count;
  s->uses = kgi_arena_alloc(s->arena, n, sizeof *s->uses);
  s->used_otherwise = kgi_arena_alloc(s->arena, n, sizeof *s->used_otherwise);
  s->is_left = kgi_arena_alloc(s->arena, n, sizeof *s->is_left);
  s->access_next = kgi_arena_alloc(s->arena, n, sizeof *s->access_next);
  s->access = kgi_arena_alloc(s->arena, objects, sizeof *s->access);
  s->decl = kgi_arena_alloc(s->arena, objects, sizeof *s->decl);
  if (s->arena->failed) return false;
  kgi_count_uses(s->p, KGI_BODY, s->uses);
  KGI_EACH_INSIDE(s->p, KGI_BODY, i) note(s, i);
  return true;
}

/* A `for` around it that makes all its trips, whose number tells them apart; 0: there is none. */
static uint32_t loop_around(const settling *s, uint32_t i) {
  uint32_t loop = innermost_loop(s->p, i);
  const kgi_inst *inst = &s->p->inst[loop];
  bool word = inst->type == KG_I32 || inst->type == KG_U32;
  return loop && inst->kind == KGI_for && word && !s->is_left[loop] ? loop : 0;
}

static bool is_scalar_outside(const settling *s, uint32_t object, uint32_t loop) {
  const kgi_object *o = &s->p->scope.object[object];
  return o->space == KGI_VAR && o->scalar && s->decl[object] && kgi_is_fixed(s->p, s->decl[object], loop);
}

/* ---- a branch that overwrites ---- */

/* All that the loop does with the var: the block stores to it, and comparisons look at it, which `looks` counts. */
static bool is_only_compared(const settling *s, uint32_t object, uint32_t loop, kgi_blk block, unsigned *looks) {
  unsigned n = 0;
  for (uint32_t i = s->access[object]; i; i = s->access_next[i]) {
    const kgi_inst *inst = &s->p->inst[i];
    if (n++ == KGI_LIMIT(settled_accesses)) return false;
    if (kgi_is_fixed(s->p, i, loop)) continue;
    if (inst->kind == KGI_load && !s->used_otherwise[i]) ++*looks;
    else if (inst->kind != KGI_store || inst->block != block) return false;
  }
  return true;
}

static bool is_branch(const settling *s, uint32_t i, uint32_t loop) {
  const kgi_inst *branch = &s->p->inst[i];
  unsigned floats = 0, looks = 0, n = 0;
  if (branch->kind != KGI_if || branch->arg[2] || s->uses[branch->arg[0]] != 1) return false;
  KGI_EACH(s->p, branch->arg[1], k) {
    const kgi_inst *inst = &s->p->inst[k];
    if (n++ == KGI_LIMIT(settled_accesses)) return false;
    if (kgi_is_pure(inst)) continue;
    if (inst->kind != KGI_store || !is_scalar_outside(s, inst->arg[0], loop)) return false;
    if (!kgi_is_float(s->p->scope.object[inst->arg[0]].type)) continue;
    if (!is_only_compared(s, inst->arg[0], loop, branch->arg[1], &looks)) return false;
    floats++;
  }
  return floats && looks;
}

/* ---- a maximum or a minimum ---- */

/* The load and the store are all that the loop does with the var. */
static bool is_alone(const settling *s, uint32_t load, uint32_t extreme, uint32_t loop) {
  const kgi_inst *inst = &s->p->inst[load];
  unsigned n = 0, stores = 0;
  for (uint32_t i = s->access[inst->arg[0]]; i; i = s->access_next[i]) {
    const kgi_inst *other = &s->p->inst[i];
    if (n++ == KGI_LIMIT(settled_accesses)) return false;
    if (i == load || kgi_is_fixed(s->p, i, loop)) continue;
    if (other->kind != KGI_store || other->arg[2] != extreme || other->block != inst->block) return false;
    stores++;
  }
  return stores == 1;
}

/* Which operand is what was there before; 2: none is, or it is looked at otherwise. */
static unsigned operand_before(const settling *s, uint32_t i, uint32_t loop) {
  const kgi_inst *inst = &s->p->inst[i];
  bool extreme = inst->kind == KGI_op && (inst->op == KGI_OP_max || inst->op == KGI_OP_min);
  if (!extreme || !kgi_is_float(inst->type) || s->uses[i] != 1) return 2;
  for (unsigned k = 0; k < 2; k++) {
    const kgi_inst *load = &s->p->inst[inst->arg[k]];
    bool one = load->kind == KGI_load && load->block == inst->block && s->uses[inst->arg[k]] == 1;
    if (one && is_scalar_outside(s, load->arg[0], loop) && is_alone(s, inst->arg[k], i, loop)) return k;
  }
  return 2;
}

/* ---- noting the trip ---- */

kgi_val kgi_ad_trip_number(kgi_builder *b, kgi_val index, kgi_val from) {
  kgi_val trip = kgi_convert(b, KG_U32, index);
  trip = kgi_op2(b, KGI_OP_sub, trip, kgi_convert(b, KG_U32, from));
  return kgi_op2(b, KGI_OP_add, trip, kgi_u32(b, 1));
}

static kgi_val number_of(settling *s, uint32_t loop) {
  return kgi_ad_trip_number(&s->b, (kgi_val){loop}, (kgi_val){s->p->inst[loop].arg[0]});
}

static void note_branch(settling *s, const kgi_ad_settled *settled, kgi_obj last) {
  s->b.at = kgi_at_start(s->p->inst[settled->at].arg[1]);
  kgi_store(&s->b, last, (kgi_val){0}, number_of(s, settled->loop));
}

/* It is another number than before: neither as great, nor as little of a number as before. */
static void note_extreme(settling *s, const kgi_ad_settled *settled, kgi_obj last) {
  kgi_builder *b = &s->b;
  kgi_val now = {settled->at}, before = {settled->before};
  b->at = kgi_behind(s->p, settled->at);
  kgi_val is_number = kgi_op2(b, KGI_OP_eq, now, now), differs = kgi_op2(b, KGI_OP_ne, now, before);
  kgi_val moved = kgi_op2(b, KGI_OP_and, is_number, differs), number = number_of(s, settled->loop);
  kgi_val old = kgi_load(b, last, (kgi_val){0});
  kgi_store(b, last, (kgi_val){0}, kgi_op3(b, KGI_OP_select, moved, number, old));
}

static void settle(settling *s, kgi_ad_settled *settled) {
  kgi_builder *b = &s->b;
  b->pos = s->p->inst_pos[settled->at];
  b->at = kgi_before(s->p, settled->loop);
  kgi_obj last = kgi_var(b, "last", KG_U32, (kgi_dim){0});
  kgi_store(b, last, (kgi_val){0}, kgi_u32(b, 0));
  if (settled->before) note_extreme(s, settled, last);
  else note_branch(s, settled, last);
  b->at = kgi_behind(s->p, settled->loop);
  settled->last = kgi_load(b, last, (kgi_val){0}).i;
  if (settled->before) settled->end = kgi_load(b, (kgi_obj){s->p->inst[settled->before].arg[0]}, (kgi_val){0}).i;
}

static void look_at(settling *s, uint32_t i) {
  const kgi_inst *inst = &s->p->inst[i];
  if (inst->kind != KGI_if && inst->kind != KGI_op) return;
  uint32_t loop = loop_around(s, i);
  if (!loop) return;
  unsigned before = operand_before(s, i, loop);
  if (before == 2 && !is_branch(s, i, loop)) return;
  if (!kgi_arena_grow(s->arena, &s->list, s->count, &s->cap, sizeof *s->list)) return;
  s->list[s->count++] = (kgi_ad_settled){.at = i, .loop = loop, .before = before == 2 ? 0 : inst->arg[before]};
}

kg_status kgi_ad_find_settled(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena) {
  settling s = {.p = f->p, .arena = arena};
  kgi_builder_init(&s.b, f->work, diags);
  s.b.p = f->p;
  if (!survey(&s)) return KG_NO_MEMORY;
  KGI_EACH_INSIDE(s.p, KGI_BODY, i) look_at(&s, i);
  if (arena->failed) return KG_NO_MEMORY;
  for (uint32_t k = 0; k < s.count; k++) settle(&s, &s.list[k]);
  f->settled = s.list, f->settled_count = s.count;
  return kgi_builder_status(&s.b);
}
