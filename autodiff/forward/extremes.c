/* Atomic minima and maxima in shared memory. Whoever sets the element says at the end of the phase (autodiff/plan/phases.c) what it holds,
 * once more, with the tangent of `best`: the last operand of its own that was better than what the atomic saw, and is what the element
 * holds. There is one such invocation at most. The value stays, to the sign of a zero, which `best` may lack: of -0 and +0 an atomic keeps
 * one, though neither is better. Where nobody sets the element, it keeps the tangent that it had. So the private copy of the program is
 * rewritten:
 *
 *     barrier                       barrier
 *     atomic_max(m, v)              var best, var is_best = false
 *     barrier                       let old = atomic_max(m, v)
 *                                   if !(old >= v) && v == v { is_best = true  best = v }
 *                                   barrier
 *                                   if is_best { is_best = best == m  best = m, moved by best }
 *                                   barrier
 *                                   if is_best { m = best }
 *                                   barrier
 *
 * An invocation that leaves in between would not come to the store. */
#include "autodiff/forward/jvp.h"

static bool on_path(const kgi_ad *a, uint32_t i) {
  return kgi_ad_is_extreme(a, i) && kgi_ad_active_access(a, i) && kgi_is_float(a->f.p->scope.object[a->f.p->inst[i].arg[0]].type);
}

/* The jump leads out of the statement: from the program, or to a loop around it. */
static bool leaves(const kgi_program *p, uint32_t jump, uint32_t statement) {
  for (uint32_t at = jump; at != statement && p->inst[jump].kind != KGI_return;) {
    at = p->block[p->inst[at].block].owner;
    if (kgi_is_loop(&p->inst[at])) return false;
  }
  return true;
}

static bool has_jump(const kgi_program *p, uint32_t i) {
  kgi_span owned = kgi_owned_blocks(&p->inst[i]);
  if (kgi_ends(&p->inst[i])) return true;
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++)
    KGI_EACH_INSIDE(p, p->inst[i].arg[k], inner)
      if (kgi_ends(&p->inst[inner]) && leaves(p, inner, i)) return true;
  return false;
}

static bool can_be_told(const kgi_program *p, const kgi_ad_phase *phase) {
  kgi_blk block = p->inst[phase->to].block;
  for (uint32_t i = kgi_ad_statement_of(p, phase->extreme, block); i != phase->to; i = p->inst[i].next)
    if (has_jump(p, i)) return false;
  return true;
}

static bool all_can_be_told(const kgi_ad *a, uint32_t object) {
  if (!kgi_ad_is_phased(a, object)) return false;
  for (uint32_t k = 0; k < a->f.phase_count; k++)
    if (a->f.p->inst[a->f.phase[k].extreme].arg[0] == object && !can_be_told(a->f.p, &a->f.phase[k])) return false;
  return true;
}

/* ---- rewriting ---- */

/* What an invocation knows of the last operand of its own that was better. */
typedef struct vars { kgi_obj is_best, best, at; } vars;

static void note_best(kgi_builder *b, const kgi_ad_phase *phase, const vars *own) {
  const kgi_inst inst = b->p->inst[phase->extreme];
  kgi_val v = {inst.arg[2]}, old = {phase->extreme}, none = {0};
  b->at = kgi_behind(b->p, phase->extreme);
  kgi_val as_good = kgi_op2(b, inst.op == KGI_ATOMIC_max ? KGI_OP_ge : KGI_OP_le, old, v);
  kgi_val better = kgi_op1(b, KGI_OP_not, as_good), number = kgi_op2(b, KGI_OP_eq, v, v); /* NaN sets nothing */
  kgi_if_begin(b, kgi_op2(b, KGI_OP_and, better, number));
  kgi_store(b, own->is_best, none, kgi_bool(b, true));
  kgi_store(b, own->best, none, v);
  if (own->at.i) kgi_store(b, own->at, none, (kgi_val){inst.arg[1]});
  kgi_end(b);
}

static vars declare(kgi_builder *b, const kgi_ad_phase *phase) {
  const kgi_inst inst = b->p->inst[phase->extreme];
  vars own = {{0}, {0}, {0}};
  b->at = kgi_before(b->p, kgi_ad_statement_of(b->p, phase->extreme, b->p->inst[phase->to].block));
  own.best = kgi_var(b, "best", (kg_type)b->p->inst[inst.arg[2]].type, (kgi_dim){0});
  if (!phase->known) own.at = kgi_var(b, "best_at", (kg_type)b->p->inst[inst.arg[1]].type, (kgi_dim){0});
  own.is_best = kgi_var(b, "is_best", KG_BOOL, (kgi_dim){0});
  kgi_store(b, own.is_best, (kgi_val){0}, kgi_bool(b, false));
  return own;
}

/* The value of the one, the derivative of the other. */
static kgi_val moved_by(kgi_builder *b, kgi_val value, kgi_val by) {
  kgi_val one = kgi_float(b, kgi_type_of(b->p, value), 1), fixed = kgi_op1(b, KGI_OP_stop_gradient, value);
  return kgi_op4(b, KGI_OP_with_partial, fixed, by, one, one);
}

static kgi_val place(kgi_builder *b, const kgi_ad_phase *phase, const vars *own) {
  return own->at.i ? kgi_load(b, own->at, (kgi_val){0}) : (kgi_val){b->p->inst[phase->extreme].arg[1]};
}

static void tell(kgi_builder *b, const kgi_ad_phase *phase) {
  kgi_obj m = {b->p->inst[phase->extreme].arg[0]};
  kgi_val none = {0};
  b->pos = b->p->inst_pos[phase->extreme];
  vars own = declare(b, phase);
  note_best(b, phase, &own);
  b->at = kgi_behind(b->p, phase->to);
  kgi_if_begin(b, kgi_load(b, own.is_best, none));
  kgi_val most = kgi_load(b, m, place(b, phase, &own)), best = kgi_load(b, own.best, none);
  kgi_store(b, own.is_best, none, kgi_op2(b, KGI_OP_eq, best, most));
  kgi_store(b, own.best, none, moved_by(b, most, best));
  kgi_end(b);
  kgi_barrier_here(b);
  kgi_if_begin(b, kgi_load(b, own.is_best, none));
  kgi_val at = place(b, phase, &own);
  kgi_store(b, m, at, kgi_load(b, own.best, none));
  kgi_end(b);
  kgi_barrier_here(b);
}

static kg_status analyse_again(kgi_ad *a, uint32_t objects) {
  kgi_ad with;
  kg_status status = kgi_ad_analyse_again(&with, a, a->f.p, a->diags);
  if (status != KG_OK) return kgi_ad_free(&with), status;
  for (uint32_t o = 1; o < objects; o++) with.object[o].phased = a->object[o].phased;
  kgi_ad_spread_varied(&with), kgi_ad_spread_active(&with);
  kgi_ad_replace(a, &with);
  return a->status;
}

kg_status kgi_jvp_tell_extremes(kgi_ad *a) {
  kgi_builder b;
  uint32_t objects = a->f.p->scope.object_count, told = 0;
  if (!kgi_ad_note_phases(&a->f, &a->scratch)) return KG_NO_MEMORY;
  kgi_builder_init(&b, a->f.work, a->diags);
  b.p = a->f.p;
  for (uint32_t o = 1; o < objects; o++) {
    uint32_t i = a->f.object[o].first;
    while (i && !on_path(a, i)) i = a->f.access_next[i];
    a->object[o].phased = i && all_can_be_told(a, o);
  }
  for (uint32_t k = 0; k < a->f.phase_count; k++) {
    if (!a->object[a->f.p->inst[a->f.phase[k].extreme].arg[0]].phased) continue;
    tell(&b, &a->f.phase[k]);
    told++;
  }
  kg_status status = kgi_builder_status(&b);
  return status == KG_OK && told ? analyse_again(a, objects) : status;
}
