/* What shared memory holds where a phase ends. The reverse of an atomic minimum or maximum asks for it (extremes.c), and memory may hold
 * something else by then: another phase begins with something new, and shared memory does not outlast the run. So each invocation
 * loads it behind the barrier that ends the phase (phase_ends.c).
 *
 * A phase lies between two barriers of one block, or between the beginning of the program and one, or begins before a loop or a branch in
 * which it ends. Whatever stands between them in the text, and nothing else, is done between them. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"

enum { STEPS = 6 };

bool kgi_ad_has_barrier(const kgi_program *p, uint32_t i) {
  kgi_span owned = kgi_owned_blocks(&p->inst[i]);
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++)
    KGI_EACH_INSIDE(p, p->inst[i].arg[k], inner)
      if (p->inst[inner].kind == KGI_barrier) return true;
  return false;
}

static uint32_t barrier_before(const kgi_program *p, uint32_t i) {
  while (i && p->inst[i].kind != KGI_barrier) i = p->inst[i].prev;
  return i;
}

/* Whoever comes to it goes in, or all do or none. Forward mode has regions yet. */
static bool is_entered_once(const kgi_inst *owner) { return owner->kind == KGI_if || owner->kind == KGI_region; }

/* Where the phase of a block begins that has no barrier before it: behind that before the block's owner. In later trips of a loop it begins
 * behind the last barrier of the body. */
static bool begin_outside(const kgi_program *p, kgi_blk block, kgi_ad_phase *out) {
  uint32_t owner = p->block[block].owner;
  if (p->inst[owner].kind == KGI_for) out->again = barrier_before(p, p->block[block].last);
  else if (!is_entered_once(&p->inst[owner])) return false;
  for (; owner; owner = p->block[p->inst[owner].block].owner) {
    out->from = barrier_before(p, p->inst[owner].prev);
    if (out->from || p->inst[owner].block == KGI_BODY) return true;
    if (!is_entered_once(&p->inst[p->block[p->inst[owner].block].owner])) return false;
  }
  return false;
}

/* The barriers around it in the first block, from the inside, that has one behind it. */
static bool find_phase(const kgi_program *p, uint32_t i, kgi_ad_phase *out) {
  for (uint32_t at = i; at; at = p->block[p->inst[at].block].owner) {
    if (at != i && kgi_ad_has_barrier(p, at)) return false;
    uint32_t to = p->inst[at].next;
    while (to && p->inst[to].kind != KGI_barrier) to = p->inst[to].next;
    if (!to) continue;
    *out = (kgi_ad_phase){.extreme = i, .from = barrier_before(p, p->inst[at].prev), .to = to};
    return out->from || p->inst[at].block == KGI_BODY || begin_outside(p, p->inst[at].block, out);
  }
  return false;
}

/* The value, which the extreme uses, is known in that block around the extreme: not the index of a loop further in. */
static bool is_known_in(const kgi_program *p, uint32_t value, kgi_blk block) {
  if (!value || kgi_is_leaf(p->inst[value].kind)) return true;
  bool owns = kgi_kind_rows[p->inst[value].kind].blocks.count;
  for (uint32_t inside = 0; block; inside = p->block[block].owner, block = inside ? p->inst[inside].block : 0)
    if (p->inst[value].block == block && (!owns || inside == value)) return true;
  return false;
}

/* Nothing in the loop stores where it loads. Others do not either, or they would race with it. */
static bool is_left_alone(const kgi_program *p, uint32_t loop, uint32_t load) {
  const kgi_object *object = p->scope.object;
  uint32_t own = kgi_object_of(&p->inst[load]);
  kgi_span owned = kgi_owned_blocks(&p->inst[loop]);
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++)
    KGI_EACH_INSIDE(p, p->inst[loop].arg[k], i) {
      uint32_t other = kgi_writes(&p->inst[i]) ? kgi_object_of(&p->inst[i]) : 0;
      if (other == own || (kgi_same_block(&object[own], &object[other]) && kgi_may_overlap(&p->scope, own, other))) return false;
    }
  return true;
}

/* The value is one for all trips of the loop, as far as a few steps tell. */
static bool is_fixed_in(const kgi_program *p, uint32_t loop, uint32_t value, unsigned steps) {
  const kgi_inst *inst = &p->inst[value];
  if (is_known_in(p, value, p->inst[loop].block)) return true;
  if (!steps || (inst->kind != KGI_op && (inst->kind != KGI_load || !is_left_alone(p, loop, value)))) return false;
  kgi_span operands = kgi_operands(inst);
  for (unsigned k = operands.first; k < operands.first + (unsigned)operands.count; k++)
    if (inst->arg[k] && !is_fixed_in(p, loop, inst->arg[k], steps - 1)) return false;
  return true;
}

/* Around the extreme, as far as the block, no loop gives it another index from trip to trip. */
static bool is_index_fixed(const kgi_program *p, uint32_t extreme, kgi_blk block) {
  for (kgi_blk at = p->inst[extreme].block; at != block; at = p->inst[p->block[at].owner].block)
    if (kgi_is_loop(&p->inst[p->block[at].owner]) && !is_fixed_in(p, p->block[at].owner, p->inst[extreme].arg[1], STEPS)) return false;
  return true;
}

/* The condition of a while takes no store. */
static bool is_in_condition(const kgi_program *p, uint32_t i, kgi_blk outer) {
  for (kgi_blk block = p->inst[i].block; block != outer; block = p->inst[p->block[block].owner].block) {
    const kgi_inst *owner = &p->inst[p->block[block].owner];
    if (owner->kind == KGI_while && owner->arg[1] == block) return true;
  }
  return false;
}

bool kgi_ad_note_phases(kgi_ad_facts *f, kgi_arena *arena) {
  uint32_t capacity = 0;
  KGI_EACH_INSIDE(f->p, KGI_BODY, i) {
    const kgi_inst *inst = &f->p->inst[i];
    const kgi_object *object = inst->kind == KGI_atomic ? &f->p->scope.object[inst->arg[0]] : NULL;
    kgi_ad_phase phase;
    bool extreme = object && (inst->op == KGI_ATOMIC_min || inst->op == KGI_ATOMIC_max);
    if (!extreme || object->space != KGI_SHARED || !kgi_is_float(object->type)) continue;
    if (!find_phase(f->p, i, &phase) || is_in_condition(f->p, i, f->p->inst[phase.to].block)) continue;
    phase.known = is_known_in(f->p, inst->arg[1], f->p->inst[phase.to].block);
    if (!phase.known && !is_index_fixed(f->p, i, f->p->inst[phase.to].block)) continue;
    if (!kgi_arena_grow(arena, &f->phase, f->phase_count, &capacity, sizeof *f->phase)) return false;
    f->phase[f->phase_count++] = phase;
  }
  return true;
}

uint32_t kgi_ad_statement_of(const kgi_program *p, uint32_t i, kgi_blk block) {
  while (p->inst[i].block != block) i = p->block[p->inst[i].block].owner;
  return i;
}

static const kgi_ad_phase *phase_of(const kgi_ad *a, uint32_t i) {
  for (uint32_t k = 0; k < a->f.phase_count; k++)
    if (a->f.phase[k].extreme == i) return &a->f.phase[k];
  return NULL;
}

uint32_t kgi_ad_end_load(const kgi_ad *a, uint32_t i) {
  const kgi_ad_phase *phase = a->object[kgi_ad_inst(a, i)->arg[0]].phased ? phase_of(a, i) : NULL;
  return phase ? phase->load : 0;
}

bool kgi_ad_is_compared(const kgi_ad *a, uint32_t value) {
  if (kgi_ad_is_extreme(a, value)) return kgi_ad_has_reverse(a, value);
  for (uint32_t k = 0; k < a->f.phase_count; k++)
    if (value == a->f.phase[k].load || value == a->f.phase[k].inside) return true;
  return false;
}

bool kgi_ad_are_apart(const kgi_ad *a, uint32_t x, uint32_t y) {
  const kgi_inst *index_x = kgi_ad_inst(a, kgi_ad_inst(a, x)->arg[1]), *index_y = kgi_ad_inst(a, kgi_ad_inst(a, y)->arg[1]);
  return index_x->kind == KGI_literal && index_y->kind == KGI_literal && kgi_literal_bits(index_x) != kgi_literal_bits(index_y);
}

static bool is_in_phase(const kgi_ad *a, const kgi_ad_phase *phase, uint32_t i) {
  uint32_t from = phase->from ? a->f.pos[phase->from] : 0, body = a->f.p->inst[phase->to].block;
  bool again = phase->again && kgi_ad_within(a, body, i) && a->f.pos[i] > a->f.pos[phase->again];
  return again || (a->f.pos[i] >= from && a->f.pos[i] <= a->f.pos[phase->to]);
}

/* Within its phase the element is changed by extremes of one kind alone, and no adjoint comes from what it holds meanwhile. */
static bool is_alone_in_phase(const kgi_ad *a, uint32_t extreme) {
  const kgi_ad_phase *phase = phase_of(a, extreme);
  const kgi_inst *inst = kgi_ad_inst(a, extreme);
  for (uint32_t i = phase ? a->f.object[inst->arg[0]].first : 0; i; i = a->f.access_next[i]) {
    const kgi_inst *other = kgi_ad_inst(a, i);
    if (!is_in_phase(a, phase, i)) continue;
    bool alike = other->kind == KGI_atomic && other->op == inst->op;
    if (!alike && !kgi_ad_is_idle_load(a, i) && !kgi_ad_are_apart(a, extreme, i)) return false;
  }
  return phase;
}

bool kgi_ad_is_phased(const kgi_ad *a, uint32_t object) {
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i])
    if (kgi_ad_is_extreme(a, i) && kgi_ad_has_reverse(a, i) && !is_alone_in_phase(a, i)) return false;
  return a->f.p->scope.object[object].space == KGI_SHARED;
}
