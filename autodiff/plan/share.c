/* How contributions to a shadow are added up: per object, over all that is added to it.
 *
 * Only additions meet: what is stored in the primal belongs to one invocation (there are no races), and so does the reverse of the
 * store. What many invocations load, many add to. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"
#include "foundation/base/limits.h"
#include "foundation/analysis/uniform.h"

/* ---- which invocations meet ---- */

static bool is_store_to_same(const kgi_ad *a, uint32_t i, uint32_t load) {
  const kgi_inst *store = kgi_ad_inst(a, i), *inst = kgi_ad_inst(a, load);
  return store->kind == KGI_store && store->arg[1] == inst->arg[1] && store->block == inst->block && a->barriers[i] == a->barriers[load];
}

/* The invocation also stores to the element, in the same stretch between barriers: then nobody else touches it there. Looked for
 * among the neighbours alone, so that the time stays linear. */
static bool is_own_store(const kgi_ad *a, uint32_t load) {
  if (!a->object[a->p->inst[load].arg[0]].writes) return false;
  uint32_t up = a->access_next[load], down = a->access_prev[load];
  for (unsigned n = 0; n < KGI_LIMIT(share_neighbours); n++) {
    if ((up && is_store_to_same(a, up, load)) || (down && is_store_to_same(a, down, load))) return true;
    up = up ? a->access_next[up] : 0, down = down ? a->access_prev[down] : 0;
  }
  return false;
}

/* Made when it is first asked for: many programs have nothing to ask. */
static kgi_distinct *distinct(kgi_ad *a) {
  if (!a->distinct && kgi_distinct_make(&a->scratch, a->work, a->p, &a->distinct) != KG_OK) kgi_ad_fail(a, KG_NO_MEMORY);
  return a->distinct;
}

/* What must hold of all the additions together: the reverse has every barrier of the primal. */
static unsigned wanted(const kgi_ad *a, uint32_t object) {
  return a->p->scope.object[object].space == KGI_SHARED ? KGI_OWN_IN_INTERVAL : KGI_OWN_IN_INTERVAL | KGI_OWN_ACROSS;
}

/* Marks the loads whose contributions are added plainly; true if all are. One that is nobody else's in its stretch stays plain
 * beside others that are not. */
static bool mark_plain(kgi_ad *a, uint32_t object) {
  uint32_t *accesses = NULL, count = 0, capacity = 0;
  for (uint32_t i = a->object[object].first; i; i = a->access_next[i]) {
    if (a->p->inst[i].kind != KGI_load || !kgi_ad_active(a, i)) continue;
    if (a->req.alone || is_own_store(a, i)) {
      a->flags[i] |= KGI_AD_PLAIN;
      continue;
    }
    if (!kgi_arena_grow(&a->scratch, &accesses, count, &capacity, sizeof *accesses)) return kgi_ad_fail(a, KG_NO_MEMORY), false;
    accesses[count++] = i;
  }
  if (!count) return true;
  kgi_distinct *d = distinct(a);
  uint8_t *each = kgi_arena_alloc(&a->scratch, count, 1);
  if (!d || !each) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  unsigned want = wanted(a, object);
  kgi_disjoint(d, accesses, count, each);
  bool all = true;
  for (uint32_t k = 0; k < count; k++) {
    if ((each[k] & want) == want) a->flags[accesses[k]] |= KGI_AD_PLAIN;
    else all = false;
  }
  return all;
}

/* ---- what is stored rather than added ---- */

/* The load whose contributions come first in the reverse sweep, if they reach every element once, before any other contribution to
 * it: nothing else is loaded in a loop around it, whose trips might come in another order, or behind it. 0: there is none. */
static uint32_t first_contribution(kgi_ad *a, uint32_t object) {
  uint32_t load = a->object[object].last;
  while (load && !kgi_ad_active(a, load)) load = a->access_prev[load];
  uint32_t loop = load ? kgi_ad_outermost_loop(a, KGI_BODY, load) : 0;
  for (uint32_t i = a->object[object].first; i && load; i = a->access_next[i])
    if (i != load && kgi_ad_active(a, i) && a->pos[i] > a->pos[loop ? loop : load]) return 0;
  kgi_distinct *d = load ? distinct(a) : NULL;
  return d && kgi_covers(d, load) ? load : 0;
}

/* ---- elements that are the same for a whole workgroup ---- */

/* At hand at the end of the program, as the index of a loop is not, and one value for the workgroup. */
static bool is_uniform(const kgi_ad *a, const kgi_uniformity *u, uint32_t value) {
  return a->p->inst[value].kind != KGI_for && kgi_ad_home(a, value) == KGI_BODY && u->value[value] != KGI_VARYING;
}

static uint32_t add_slot(kgi_ad *a, uint32_t object, uint32_t index, uint32_t param) {
  for (uint32_t s = 0; s < a->slot_count; s++)
    if (a->slot[s].object == object && a->slot[s].index == index && a->slot[s].param == param) return s + 1;
  if (!kgi_arena_grow(&a->scratch, &a->slot, a->slot_count, &a->slot_cap, sizeof *a->slot)) return kgi_ad_fail(a, KG_NO_MEMORY), 0;
  a->slot[a->slot_count] = (kgi_ad_slot){.object = object, .index = index, .param = param};
  return ++a->slot_count;
}

/* Linear in the accesses as long as the slots are few; past that, contributions go one by one. `u`: found when first asked for. */
static void find_slots(kgi_ad *a, uint32_t object, kgi_uniformity *u) {
  if (a->object[object].writes) return;
  if (!u->value && kgi_uniformity_of(&a->scratch, a->p, u) != KG_OK) return kgi_ad_fail(a, KG_NO_MEMORY);
  for (uint32_t i = a->object[object].first; i && a->slot_count < KGI_LIMIT(share_slots); i = a->access_next[i])
    if (kgi_ad_active(a, i) && !(a->flags[i] & KGI_AD_PLAIN) && is_uniform(a, u, a->p->inst[i].arg[1]))
      a->slot_of[i] = add_slot(a, object, a->p->inst[i].arg[1], 0);
}

static void choose(kgi_ad *a, uint32_t object, kgi_uniformity *u) {
  kgi_ad_object *o = &a->object[object];
  bool buffer = a->p->scope.object[object].space == KGI_BUFFER;
  o->share = KGI_AD_OWN;
  if (mark_plain(a, object)) {
    bool begins = buffer && !o->writes && a->req.lone && !a->req.accumulate && a->req.result[object] && !a->req.given[object];
    o->stored_load = begins ? first_contribution(a, object) : 0;
    if (o->stored_load) o->share = KGI_AD_SOLE;
    return;
  }
  o->share = KGI_AD_ATOMIC;
  if (a->req.deterministic) KGI_AD_REFUSE(a, grad_not_deterministic, a->p->scope.object[object].pos, kgi_ad_object_name(a, object));
  if (buffer) find_slots(a, object, u);
}

void kgi_ad_shares(kgi_ad *a) {
  kgi_uniformity u = {0};
  for (uint32_t o = 1; o < a->p->scope.object_count; o++)
    if (kgi_ad_active_object(a, o) && a->p->scope.object[o].space != KGI_VAR) choose(a, o, &u);
  for (uint32_t q = 1; q < a->p->scope.param_count; q++)
    if (a->param_value[q] && kgi_ad_active(a, a->param_value[q])) {
      add_slot(a, 0, 0, q);
      if (a->req.deterministic && !a->req.alone) KGI_AD_REFUSE(a, grad_not_deterministic, a->p->scope.param[q].pos, kgi_string(a->work, a->p->scope.param[q].name));
    }
}

/* ---- emission ---- */

void kgi_ad_declare_slots(kgi_ad *a) {
  for (uint32_t s = 0; s < a->slot_count; s++) {
    kgi_ad_slot *slot = &a->slot[s];
    if (!slot->object) continue; /* a param's adjoint is that of its value */
    kg_type type = kgi_ad_type(a->p->scope.object[slot->object].type);
    slot->var = kgi_var(a->b, kgi_ad_free_name(a, "grad_", kgi_ad_object_name(a, slot->object)), type, (kgi_dim){0});
    kgi_store(a->b, slot->var, (kgi_val){0}, kgi_float(a->b, type, 0));
  }
}

static kgi_val slot_total(kgi_ad *a, const kgi_ad_slot *slot) {
  if (slot->object) return kgi_load(a->b, slot->var, (kgi_val){0});
  uint32_t value = a->param_value[slot->param];
  kgi_val sum = {a->adj[value]};
  if (a->flags[value] & KGI_AD_CROSS) {
    kgi_val rest = kgi_load(a->b, a->adj_var[value], (kgi_val){0});
    sum = sum.i ? kgi_op2(a->b, KGI_OP_add, rest, sum) : rest;
  }
  return sum;
}

/* The number of invocations in a workgroup; 0: not known here. */
static int64_t workgroup_size(const kgi_ad *a) {
  int64_t size = 1;
  for (unsigned k = 0; k < 3; k++) {
    const kgi_dim_node *n = &a->p->scope.dim[a->p->workgroup[k].i];
    if (!a->p->workgroup[k].i) continue;
    if (n->op != KGI_DIM_INT || n->imm <= 0 || n->imm > 65536) return 0;
    size *= n->imm;
  }
  return size;
}

typedef struct tree { kgi_obj shared; kgi_val lane, size; } tree;

static kgi_val size_value(kgi_ad *a) {
  kgi_builder *b = a->b;
  int64_t size = workgroup_size(a);
  if (size) return kgi_u32(b, (uint32_t)size);
  kgi_val x = kgi_id_value(b, KGI_ID_workgroup_size, 0);
  x = kgi_op2(b, KGI_OP_mul, x, kgi_id_value(b, KGI_ID_workgroup_size, 1));
  return kgi_op2(b, KGI_OP_mul, x, kgi_id_value(b, KGI_ID_workgroup_size, 2));
}

static kgi_dim size_dim(kgi_ad *a) {
  kgi_dim size = kgi_len_int(a->b, 1);
  for (unsigned k = 0; k < 3; k++)
    if (a->p->workgroup[k].i) size = kgi_len_op(a->b, KGI_DIM_MUL, size, (kgi_dim){a->dim_map[a->p->workgroup[k].i]});
  return size;
}

static kgi_val levels(kgi_ad *a) {
  kgi_builder *b = a->b;
  int64_t size = workgroup_size(a), count = 0;
  if (!size) {
    kgi_val one = kgi_u32(b, 1), zeros = kgi_op1(b, KGI_OP_clz, kgi_op2(b, KGI_OP_sub, size_value(a), one));
    return kgi_op2(b, KGI_OP_sub, kgi_u32(b, 32), zeros);
  }
  while (INT64_C(1) << count < size) count++;
  return kgi_u32(b, (uint32_t)count);
}

/* Halves the number of addends until the sum lies in element 0; any workgroup size. Every lane sees it after the barrier. */
static void reduce(kgi_ad *a, const tree *t, kgi_val value) {
  kgi_builder *b = a->b;
  kgi_store(b, t->shared, t->lane, value);
  kgi_barrier_here(b);
  kgi_val end = levels(a), start = kgi_u32(b, 0);
  kgi_val level = kgi_for_begin(b, kgi_ad_free_name(a, "", "level"), start, end, (kgi_val){0}, true);
  kgi_val half = kgi_op2(b, KGI_OP_shl, kgi_u32(b, 1), level), other = kgi_op2(b, KGI_OP_add, t->lane, half);
  kgi_val exists = kgi_op2(b, KGI_OP_lt, other, t->size);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_and, kgi_op2(b, KGI_OP_lt, t->lane, half), exists));
  kgi_val addend = kgi_load(b, t->shared, other);
  kgi_store(b, t->shared, t->lane, kgi_op2(b, KGI_OP_add, kgi_load(b, t->shared, t->lane), addend));
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_end(b);
}

static void flush(kgi_ad *a, const kgi_ad_slot *slot, tree *t) {
  kgi_builder *b = a->b;
  kgi_val total = slot_total(a, slot);
  kgi_obj shadow = slot->object ? a->object[slot->object].shadow : a->param_shadow[slot->param];
  kgi_val at = slot->object ? kgi_ad_leaf(a, slot->index) : kgi_u32(b, 0);
  if (!total.i) return;
  if (workgroup_size(a) == 1) {
    kgi_atomic_op(b, KGI_ATOMIC_add, shadow, at, total, (kgi_val){0});
    return;
  }
  kg_type type = kgi_type_of(b->p, total);
  if (!t->shared.i) {
    kgi_dim length = size_dim(a);
    t->shared = kgi_shared(b, kgi_ad_free_name(a, "", "partial"), type, length);
  }
  t->lane = kgi_id_value(b, KGI_ID_local_index, 0);
  t->size = size_value(a);
  reduce(a, t, total);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, t->lane, kgi_u32(b, 0)));
  kgi_atomic_op(b, KGI_ATOMIC_add, shadow, at, kgi_load(b, t->shared, t->lane), (kgi_val){0});
  kgi_end(b);
}

void kgi_ad_flush_slots(kgi_ad *a) {
  tree trees[2] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}}; /* for f32 and f64 */
  for (uint32_t s = 0; s < a->slot_count; s++) {
    const kgi_ad_slot *slot = &a->slot[s];
    unsigned type = slot->object ? a->p->scope.object[slot->object].type : a->p->scope.param[slot->param].type;
    if (a->b->status == KG_OK) flush(a, slot, &trees[type == KG_F64]);
  }
}
