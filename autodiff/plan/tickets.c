/* Workgroups that wait for no other, and take what others have left: each stores its part, draws a number from a counter behind
 * a `memory_barrier`, and the one that draws the last number loads the parts of all. The language orders workgroups by nothing, so
 * that this is a race by its rules. Where devices keep the order all the same, they keep it one way: the reverse would have the last
 * workgroup come first, and the others wait for it. So a load is refused that
 *
 *   stands under a condition that the result of an atomic has part in,
 *   in a program with a memory_barrier,
 *   and may be of an element that another workgroup stores to. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"

/* What the result of some atomic has part in: values, contents of objects, whether a block runs. */
typedef struct tickets {
  kgi_ad *a;
  bool *value, *object, *block;
  bool grew;
} tickets;

static void tell(tickets *t, bool *what, bool told) {
  if (!told || *what) return;
  *what = true;
  t->grew = true;
}

static bool has_part(const tickets *t, const kgi_inst *inst) {
  kgi_span span = kgi_operands(inst);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++)
    if (t->value[inst->arg[k]]) return true;
  return false;
}

static void spread_from(tickets *t, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(t->a, i);
  bool told = inst->kind == KGI_atomic || has_part(t, inst);
  if (inst->kind == KGI_load) told = told || t->object[inst->arg[0]];
  tell(t, &t->value[i], told);
  if (inst->kind == KGI_store) tell(t, &t->object[inst->arg[0]], told || t->block[inst->block]);
  kgi_span owned = kgi_owned_blocks(inst);
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++)
    tell(t, &t->block[inst->arg[k]], told || t->block[inst->block]);
}

static bool spread(tickets *t) {
  const kgi_program *p = t->a->f.p;
  t->value = kgi_arena_alloc(&t->a->scratch, p->inst_count, sizeof *t->value);
  t->object = kgi_arena_alloc(&t->a->scratch, p->scope.object_count, sizeof *t->object);
  t->block = kgi_arena_alloc(&t->a->scratch, p->block_count, sizeof *t->block);
  if (t->a->scratch.failed) return kgi_ad_fail(t->a, KG_NO_MEMORY), false;
  do {
    t->grew = false;
    KGI_EACH_INSIDE(p, KGI_BODY, i) spread_from(t, i);
  } while (t->grew);
  return true;
}

static bool orders_memory(const kgi_program *p) {
  bool atomic = false, orders = false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    atomic |= p->inst[i].kind == KGI_atomic;
    orders |= p->inst[i].kind == KGI_memory_barrier;
  }
  return atomic && orders;
}

/* Some store to the object, whose adjoint takes what the load's adds, may be another workgroup's. */
static bool stores_elsewhere(kgi_ad *a, uint32_t load, uint32_t object) {
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    uint32_t both[2] = {load, i};
    if (a->f.p->inst[i].kind != KGI_store || !kgi_ad_has_reverse(a, i)) continue;
    if (!kgi_ad_compare(a)) return false;
    if (!(kgi_disjoint(a->distinct, both, 2, NULL) & KGI_OWN_ACROSS)) return true;
  }
  return false;
}

/* Through whatever view. */
static bool is_from_elsewhere(kgi_ad *a, uint32_t load) {
  uint32_t object = kgi_ad_inst(a, load)->arg[0];
  for (uint32_t o = 1; o < kgi_buffer_end(&a->f.p->scope); o++)
    if (a->f.blocks.of[o] == a->f.blocks.of[object] && stores_elsewhere(a, load, o)) return true;
  return false;
}

void kgi_ad_check_tickets(kgi_ad *a) {
  tickets t = {.a = a};
  if (!orders_memory(a->f.p) || !spread(&t)) return;
  KGI_EACH_INSIDE(a->f.p, KGI_BODY, i) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (a->status != KG_OK) return;
    if (inst->kind != KGI_load || !t.block[inst->block] || !kgi_ad_has_reverse(a, i)) continue;
    if (a->f.p->scope.object[inst->arg[0]].space != KGI_BUFFER || !is_from_elsewhere(a, i)) continue;
    KGI_AD_REFUSE(a, grad_workgroups, a->f.p->inst_pos[i], kgi_ad_object_name(a, inst->arg[0]));
  }
}
