/* Atomic minima and maxima of floats. The invocation whose operand an element holds in the end set it: it saw a worse value before, and
 * nobody came with a better one. There is one such invocation at most, and it takes the element's adjoint; where there is none, the
 * adjoint stays with what the element held before. So the reverse asks for what each atomic saw, and for what the element holds in
 * the end. The latter is loaded, which takes that all atomics on the object are of one kind, without a barrier between them, and that
 * nothing is stored there afterwards; where a later run does, the module copies it first (autodiff/ends.c). Of shared memory it can be
 * what the element holds where the phase of the atomic ends (phases.c).
 *
 * Atomic stores and exchanges of something that no input reaches leave an element that has no derivative, whoever comes first or last. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"

bool kgi_ad_is_extreme(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  return inst->kind == KGI_atomic && (inst->op == KGI_ATOMIC_min || inst->op == KGI_ATOMIC_max);
}

/* The reverse sweep loads what the elements hold once all invocations of the workgroup have come, so that all meet at the end. There,
 * because the last `if` would else be reversed inside of its branch, where not all meet. */
void kgi_ad_await_extremes(kgi_ad *a) {
  kgi_program *p = a->f.p;
  bool any = false;
  KGI_EACH_INSIDE(p, KGI_BODY, i) {
    const kgi_inst *inst = &p->inst[i];
    bool extreme = inst->kind == KGI_atomic && (inst->op == KGI_ATOMIC_min || inst->op == KGI_ATOMIC_max);
    any |= extreme && kgi_is_float(p->scope.object[inst->arg[0]].type);
  }
  if (!any) return;
  kgi_builder b;
  kgi_builder_init(&b, a->f.work, a->diags);
  b.p = p;
  b.at = kgi_at_end(p, KGI_BODY);
  b.pos = p->inst_pos[p->block[KGI_BODY].last];
  kgi_barrier_here(&b);
  kg_status status = kgi_builder_status(&b);
  if (status != KG_OK) kgi_ad_fail(a, status);
}

bool kgi_ad_is_reset(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  return inst->kind == KGI_atomic && (inst->op == KGI_ATOMIC_store || inst->op == KGI_ATOMIC_exchange) && !kgi_ad_active(a, inst->arg[2]);
}

bool kgi_ad_is_idle_load(const kgi_ad *a, uint32_t i) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  bool loads = inst->kind == KGI_load || (inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_load);
  return loads && !kgi_ad_active(a, i);
}

static uint32_t first_extreme(const kgi_ad *a, uint32_t object) {
  uint32_t i = a->f.object[object].first;
  while (i && !(kgi_ad_is_extreme(a, i) && kgi_ad_has_reverse(a, i))) i = a->f.access_next[i];
  return i;
}

/* Up to the last atomic on the object, in all trips of the loops around it. */
static uint32_t end_of_changes(const kgi_ad *a, uint32_t object) {
  uint32_t end = 0;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    uint32_t loop = kgi_ad_outermost_loop(a, a->f.object[object].block, i);
    uint32_t until = loop ? a->f.block[kgi_body_of(kgi_ad_inst(a, loop))].end : a->f.pos[i];
    if (kgi_ad_is_extreme(a, i) && until > end) end = until;
  }
  return end;
}

/* Between these positions an adjoint comes from what the object holds meanwhile, and not from the end alone. */
static bool is_loaded_in(const kgi_ad *a, uint32_t object, uint32_t from, uint32_t to) {
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_load && kgi_ad_active(a, i) && a->f.pos[i] >= from && a->f.pos[i] <= to) return true;
  return false;
}

/* From the first one on, and in all trips of the loop around it, nothing else changes the object, nobody loads it before the last one, and no
 * barrier ends a phase, or what the phases leave behind is of no use but in the end. */
static bool is_one_phase(const kgi_ad *a, uint32_t object, uint32_t first) {
  uint32_t from = kgi_ad_outermost_loop(a, a->f.object[object].block, first);
  bool phases = is_loaded_in(a, object, a->f.pos[from ? from : first], UINT32_MAX);
  if (is_loaded_in(a, object, a->f.pos[from ? from : first], end_of_changes(a, object))) return false;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    uint32_t loop = kgi_ad_outermost_loop(a, a->f.object[object].block, i);
    if (inst->kind == KGI_load || kgi_ad_is_idle_load(a, i) || a->f.pos[i] < a->f.pos[from ? from : first] || kgi_ad_are_apart(a, i, first)) continue;
    bool alike = inst->kind == KGI_atomic && inst->op == a->f.p->inst[first].op;
    if (!alike) return false;
    if (phases && (a->f.barriers[i] != a->f.barriers[first] || (loop && a->f.block[kgi_body_of(&a->f.p->inst[loop])].has_barrier))) return false;
  }
  return true;
}

/* Nobody of another workgroup touches what one touches. */
static bool stays_in_workgroup(kgi_ad *a, uint32_t object) {
  uint32_t *list = NULL, count = 0, capacity = 0;
  if (a->f.p->scope.object[object].space == KGI_SHARED || a->req.alone) return true;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    if (a->f.p->inst[i].kind != KGI_atomic) continue;
    if (!kgi_arena_grow(&a->scratch, &list, count, &capacity, sizeof *list)) return kgi_ad_fail(a, KG_NO_MEMORY), false;
    list[count++] = i;
  }
  return kgi_ad_compare(a) && kgi_all_disjoint(a->distinct, list, count, KGI_OWN_ACROSS);
}

/* Another kind of atomic may come after an extreme of another invocation, although it stands before it. */
static bool may_come_after(kgi_ad *a, uint32_t other, uint32_t first) {
  const kgi_inst *inst = kgi_ad_inst(a, first);
  if (!stays_in_workgroup(a, inst->arg[0])) return true;
  for (uint32_t i = first; i && kgi_ad_compare(a); i = a->f.access_next[i])
    if (a->f.p->inst[i].kind == KGI_atomic && a->f.p->inst[i].op == inst->op && kgi_may_meet(a->distinct, other, i)) return true;
  return false;
}

static bool is_mixed(kgi_ad *a, uint32_t object, uint32_t first) {
  for (uint32_t i = a->f.object[object].first; i && i != first; i = a->f.access_next[i]) {
    const kgi_inst *inst = kgi_ad_inst(a, i);
    if (inst->kind != KGI_atomic || kgi_ad_is_idle_load(a, i) || inst->op == a->f.p->inst[first].op || kgi_ad_are_apart(a, i, first)) continue;
    if (may_come_after(a, i, first)) return true;
  }
  return false;
}

bool kgi_ad_waits_for_all(kgi_ad *a) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    if (first_extreme(a, o) && !stays_in_workgroup(a, o)) return true;
  return false;
}

static void refuse(kgi_ad *a, uint32_t i, const char *why, const char *fix) {
  const kgi_inst *inst = kgi_ad_inst(a, i);
  const char *name = kgi_ad_object_name(a, inst->arg[0]);
  KGI_AD_REFUSE(a, grad_atomic_end, a->f.p->inst_pos[i], kgi_atomic_rows[inst->op].name, name, why, fix);
}

static const char *fix_of_changes(const kgi_ad *a, uint32_t object) {
  return a->f.p->scope.object[object].space == KGI_SHARED
           ? "let nothing else change the element between two barriers of one block, and no loop in between its index; or let each invocation "
             "store its operand, and reduce what all have stored"
           : "use memory of its own for it";
}

/* What each extreme asks for is what memory holds in the end. */
static bool is_settled_in_end(kgi_ad *a, uint32_t object) {
  for (uint32_t i = first_extreme(a, object); i; i = a->f.access_next[i])
    if (kgi_ad_is_extreme(a, i) && kgi_ad_has_reverse(a, i) && (!is_one_phase(a, object, i) || is_mixed(a, object, i))) return false;
  return true;
}

static void check(kgi_ad *a, uint32_t object, uint32_t first) {
  kgi_ad_object *o = &a->object[object];
  bool shared = a->f.p->scope.object[object].space == KGI_SHARED;
  bool settled = is_settled_in_end(a, object) && !(o->overwritten && a->f.p->scope.object[object].view);
  o->phased = shared && !(settled && a->req.fused) && kgi_ad_is_phased(a, object);
  if (!settled && !o->phased)
    refuse(a, first, "and it is changed in another way too, or again afterwards", fix_of_changes(a, object));
  else if (!a->req.fused && shared && !o->phased)
    refuse(a, first, "and shared memory does not outlast the run", "let a barrier follow outside of branches and loops, or use a buffer");
  else if (a->req.deterministic && !a->req.alone) /* who comes first at a tie is no matter of the program */
    KGI_AD_REFUSE(a, grad_extreme_order, a->f.p->inst_pos[first], kgi_ad_object_name(a, object));
  else if (a->req.fused && !stays_in_workgroup(a, object))
    refuse(a, first, "and no invocation knows it before all workgroups are done", "reduce in shared memory, or make it a run of a module");
  else if (o->overwritten)
    kgi_ad_keep_end(a, object), kgi_ad_find_rounds(a);
}

/* ---- resets ---- */

static bool is_contested(const kgi_ad *a, uint32_t i) { return kgi_ad_inst(a, i)->kind == KGI_atomic && kgi_ad_inst(a, i)->op != KGI_ATOMIC_load; }

/* Another atomic on its elements, whose adjoint would ask which of the two came first. */
static bool meets_another(kgi_ad *a, uint32_t object, uint32_t reset) {
  bool within = stays_in_workgroup(a, object);
  for (uint32_t i = a->f.object[object].first; i && kgi_ad_compare(a); i = a->f.access_next[i]) {
    if (!is_contested(a, i) || kgi_ad_is_reset(a, i) || !kgi_ad_has_reverse(a, i)) continue;
    if (!within || kgi_may_meet(a->distinct, i, reset)) return true;
  }
  return false;
}

static void check_resets(kgi_ad *a, uint32_t object) {
  for (uint32_t i = a->f.object[object].first; i && a->status == KG_OK; i = a->f.access_next[i])
    if (kgi_ad_is_reset(a, i) && meets_another(a, object, i))
      KGI_AD_REFUSE(a, grad_atomic, a->f.p->inst_pos[i], kgi_atomic_rows[a->f.p->inst[i].op].name, kgi_ad_object_name(a, object));
}

void kgi_ad_check_atomics(kgi_ad *a) {
  for (uint32_t o = 1; o < a->f.p->scope.object_count && a->status == KG_OK; o++) {
    if (!kgi_ad_active_object(a, o)) continue;
    uint32_t first = first_extreme(a, o);
    if (first) check(a, o, first);
    if (first && !a->object[o].phased) a->object[o].loaded = true;
    check_resets(a, o);
  }
}
