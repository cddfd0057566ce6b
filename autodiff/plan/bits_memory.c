/* Which vars and shared memory of integers hold floats as their bits, and nothing else: then they may as well be of floats. That
 * changes no bit, for loads and stores keep them. */
#include "autodiff/plan/bits.h"
#include "foundation/base/limits.h"

#include <string.h>

static bool may_be_floats(const kgi_object *o) {
  return (o->space == KGI_VAR || o->space == KGI_SHARED) && kgi_bits_float((kg_type)o->type) != KG_NONE;
}

static void find_values(kgi_bits *s) {
  KGI_EACH_INSIDE(s->p, KGI_BODY, i) s->value[i] = kgi_bits_of(s, i);
}

static bool keeps_bits(const kgi_bits *s, uint32_t i) {
  const kgi_inst *inst = &s->p->inst[i];
  if (inst->kind == KGI_load || s->added[i]) return true;
  if (inst->kind == KGI_store) return kgi_bits_fit(s, inst->arg[2]);
  if (inst->op == KGI_ATOMIC_load) return true;
  return (inst->op == KGI_ATOMIC_store || inst->op == KGI_ATOMIC_exchange) && kgi_bits_fit(s, inst->arg[2]);
}

/* Something that is stored to it is no bits of a float. */
static bool drop_unfit(kgi_bits *s) {
  bool any = false;
  KGI_EACH_INSIDE(s->p, KGI_BODY, i) {
    const kgi_inst *inst = &s->p->inst[i];
    if (!kgi_touches(inst) || !s->floats[inst->arg[0]]) continue;
    if (keeps_bits(s, i)) continue;
    any = true, s->floats[inst->arg[0]] = false;
  }
  return any;
}

static bool is_fed(const kgi_bits *s, const bool *fed, uint32_t i) {
  const kgi_inst *inst = &s->p->inst[i];
  const kgi_bits_value *v = &s->value[i];
  if (v->kind == KGI_BITS_LOADED) return fed[inst->arg[0]];
  if (v->kind == KGI_BITS_CHOSEN) return s->value[inst->arg[1]].fed || s->value[inst->arg[2]].fed;
  if (v->kind == KGI_BITS_MOVED || v->kind == KGI_BITS_STEPS) return s->value[inst->arg[v->operand]].fed;
  return v->kind == KGI_BITS_ORIGIN;
}

/* Once through the program: what comes from a float, and not from such memory alone, which may hold numbers. */
static bool feed(kgi_bits *s, bool *fed) {
  bool any = false;
  KGI_EACH_INSIDE(s->p, KGI_BODY, i) {
    const kgi_inst *inst = &s->p->inst[i];
    s->value[i].fed = is_fed(s, fed, i);
    bool feeds = kgi_writes(inst) && (s->added[i] || s->value[inst->arg[2]].fed);
    if (feeds && !fed[inst->arg[0]]) any = fed[inst->arg[0]] = true;
  }
  return any;
}

static bool drop_unfed(kgi_bits *s, const bool *fed) {
  bool any = false;
  for (uint32_t o = 1; o < s->p->scope.object_count; o++)
    if (s->floats[o] && !fed[o]) any = true, s->floats[o] = false;
  return any;
}

bool kgi_bits_find(kgi_bits *s, kgi_arena *arena) {
  uint32_t objects = s->p->scope.object_count, rounds = 0;
  s->value = kgi_arena_alloc(arena, s->p->inst_count, sizeof *s->value);
  s->floats = kgi_arena_alloc(arena, objects, sizeof *s->floats);
  if (arena->failed) return false;
  for (uint32_t o = 1; o < objects; o++) s->floats[o] = may_be_floats(&s->p->scope.object[o]);
  for (bool changed = true; changed && rounds < KGI_LIMIT(bit_rounds); rounds++) {
    bool *fed = kgi_arena_alloc(arena, objects, sizeof *fed);
    if (arena->failed) return false;
    find_values(s);
    changed = drop_unfit(s);
    while (!changed && feed(s, fed) && rounds < KGI_LIMIT(bit_rounds)) rounds++;
    if (!changed) changed = drop_unfed(s, fed);
  }
  if (rounds >= KGI_LIMIT(bit_rounds)) memset(s->floats, 0, objects * sizeof *s->floats);
  find_values(s);
  return true;
}
