/* Other accesses. */
#include "fuzz/mutate/parts.h"

static kgi_inst *at(const kgi_mutant_program *m, uint32_t i) { return &m->b.p->inst[i]; }
static const kgi_object *object(const kgi_mutant_program *m, uint32_t o) { return &m->b.p->scope.object[o]; }

static unsigned loaded_operand(const kgi_mutant_program *m, uint32_t i) {
  kgi_span span = kgi_operands(at(m, i));
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (at(m, i)->arg[k] && at(m, at(m, i)->arg[k])->kind == KGI_load) return k;
  return KGI_NO_ARG;
}

static bool uses_load(const kgi_mutant_program *m, uint32_t i) {
  return at(m, i)->kind != KGI_while && loaded_operand(m, i) != KGI_NO_ARG;
}

bool kgi_mutate_again(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, uses_load);
  if (!i) return false;
  unsigned k = loaded_operand(m, i);
  const kgi_inst load = *at(m, at(m, i)->arg[k]);
  m->b.at = kgi_before(m->b.p, i);
  uint32_t made = kgi_load(&m->b, (kgi_obj){load.arg[0]}, (kgi_val){load.arg[1]}).i;
  at(m, i)->arg[k] = made;
  return true;
}

static bool is_load(const kgi_mutant_program *m, uint32_t i) { return at(m, i)->kind == KGI_load; }

/* Of the same object and index, or of the object alone. */
bool kgi_mutate_stale(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_load);
  if (!i) return false;
  for (uint32_t k = 0; k < m->count && m->list[k] != i; k++) {
    const kgi_inst *x = at(m, m->list[k]);
    bool same = x->kind == KGI_load && x->arg[0] == at(m, i)->arg[0] && (x->arg[1] == at(m, i)->arg[1] || !kgi_draw(m, 4));
    if (same) return kgi_replace_uses(m->b.p, i, m->list[k]), true;
  }
  return false;
}

static bool touches(const kgi_mutant_program *m, uint32_t i) { return kgi_touches(at(m, i)); }

static bool may_stand_for(const kgi_mutant_program *m, uint32_t o, uint32_t other) {
  const kgi_object *x = object(m, o), *y = object(m, other);
  return o != other && x->type == y->type && x->scalar == y->scalar && x->rank == y->rank && y->space != KGI_VAR;
}

bool kgi_mutate_elsewhere(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, touches), found = 0, seen = 0;
  if (!i || object(m, at(m, i)->arg[0])->space == KGI_VAR) return false;
  for (uint32_t o = 1; o < m->b.p->scope.object_count; o++)
    if (may_stand_for(m, at(m, i)->arg[0], o) && !kgi_draw(m, ++seen)) found = o;
  if (found) at(m, i)->arg[0] = found;
  return found;
}

static bool may_be_sum(const kgi_mutant_program *m, uint32_t i) {
  const kgi_inst *x = at(m, i);
  const kgi_object *o = object(m, x->arg[0]);
  return x->kind == KGI_store && o->space != KGI_VAR && (o->type == KG_F32 || o->type == KG_I32 || o->type == KG_U32);
}

bool kgi_mutate_summed(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, may_be_sum);
  if (!i) return false;
  const kgi_inst store = *at(m, i);
  m->b.at = kgi_before(m->b.p, i);
  kgi_atomic_op(&m->b, KGI_ATOMIC_add, (kgi_obj){store.arg[0]}, (kgi_val){store.arg[1]}, (kgi_val){store.arg[2]}, (kgi_val){0});
  kgi_remove(m->b.p, i);
  if (object(m, store.arg[0])->mode == KG_WRITE) m->b.p->scope.object[store.arg[0]].mode = KG_READ_WRITE;
  return true;
}

static bool is_sum(const kgi_mutant_program *m, uint32_t i) { return at(m, i)->kind == KGI_atomic && at(m, i)->op == KGI_ATOMIC_add; }

bool kgi_mutate_plain(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, is_sum);
  if (!i) return false;
  const kgi_inst sum = *at(m, i);
  kgi_obj o = {sum.arg[0]};
  kgi_val index = {sum.arg[1]};
  m->b.at = kgi_before(m->b.p, i);
  kgi_val old = kgi_load(&m->b, o, index);
  kgi_store(&m->b, o, index, kgi_op2(&m->b, KGI_OP_add, old, (kgi_val){sum.arg[2]}));
  kgi_replace_uses(m->b.p, i, old.i);
  kgi_remove(m->b.p, i);
  return true;
}

static bool writes(const kgi_mutant_program *m, uint32_t i) { return kgi_writes(at(m, i)); }

bool kgi_mutate_twice(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, writes);
  if (!i) return false;
  const kgi_inst x = *at(m, i);
  m->b.at = kgi_behind(m->b.p, i);
  uint32_t other = kgi_draw(m, 2) ? kgi_pick_value(m, i, (kg_type)at(m, x.arg[2])->type, x.arg[2]) : 0;
  if (x.kind == KGI_atomic && x.op == KGI_ATOMIC_compare_exchange) other = 0;
  uint32_t made = kgi_append(&m->b, x);
  if (other) at(m, made)->arg[2] = other;
  return true;
}

static bool stores_float(const kgi_mutant_program *m, uint32_t i) {
  return at(m, i)->kind == KGI_store && object(m, at(m, i)->arg[0])->space == KGI_BUFFER && kgi_is_float(object(m, at(m, i)->arg[0])->type);
}

/* All buffers of a lone program may be: the module of several says itself what is written. */
bool kgi_mutate_in_place(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, stores_float), found = 0, seen = 0;
  if (!i || !m->b.m->lone) return false;
  for (uint32_t o = 1; o < kgi_buffer_end(&m->b.p->scope); o++)
    if (object(m, o)->mode == KG_READ && may_stand_for(m, at(m, i)->arg[0], o) && !kgi_draw(m, ++seen)) found = o;
  if (!found) return false;
  const kgi_inst store = *at(m, i);
  m->b.at = kgi_behind(m->b.p, i);
  kgi_store(&m->b, (kgi_obj){found}, (kgi_val){store.arg[1]}, (kgi_val){store.arg[2]});
  m->b.p->scope.object[found].mode = KG_READ_WRITE;
  return true;
}

static bool has_value(const kgi_mutant_program *m, uint32_t i) {
  return at(m, i)->type != KG_NONE && at(m, i)->kind != KGI_for && !kgi_is_leaf(at(m, i)->kind);
}

/* It stands in front, so that the value may be loaded where it is not in scope. */
bool kgi_mutate_kept(kgi_mutant_program *m) {
  uint32_t i = kgi_pick(m, has_value);
  if (!i) return false;
  kg_type type = (kg_type)at(m, i)->type;
  m->b.at = kgi_before(m->b.p, i);
  kgi_obj kept = kgi_var(&m->b, "kept", type, (kgi_dim){0});
  m->b.at = kgi_behind(m->b.p, i);
  kgi_store(&m->b, kept, (kgi_val){0}, (kgi_val){i});
  kgi_val now = kgi_load(&m->b, kept, (kgi_val){0});
  kgi_replace_uses(m->b.p, i, now.i);
  for (uint32_t k = now.i; k; k = at(m, k)->prev)
    if (at(m, k)->kind == KGI_store && at(m, k)->arg[0] == kept.i) return at(m, k)->arg[2] = i, true;
  return false;
}
