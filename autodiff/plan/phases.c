/* What shared memory holds where a phase ends. The reverse of an atomic minimum or maximum asks for it (extremes.c), and memory may hold
 * something else by then: another phase begins with something new, and shared memory does not outlast the run. So each invocation
 * loads it behind the barrier that ends the phase. Nothing uses the load in the program itself; where the reverse asks for it, it is
 * kept as any value is. Where others might change the element at once, they wait: behind the load stands a barrier more.
 *
 * A phase lies between two barriers of one block, or between the beginning of the program and one, or begins before a loop or a branch in
 * which it ends. Whatever stands between them in the text, and nothing else, is done between them. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"

static bool has_barrier(const kgi_program *p, uint32_t i) {
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

/* Where the phase of a block begins that has no barrier before it: behind that before the block's owner. In later trips of a loop it begins
 * behind the last barrier of the body. */
static bool begin_outside(const kgi_program *p, kgi_blk block, kgi_ad_phase *out) {
  uint32_t owner = p->block[block].owner;
  if (p->inst[owner].kind == KGI_for) out->again = barrier_before(p, p->block[block].last);
  else if (p->inst[owner].kind != KGI_if) return false;
  for (; owner; owner = p->block[p->inst[owner].block].owner) {
    out->from = barrier_before(p, p->inst[owner].prev);
    if (out->from || p->inst[owner].block == KGI_BODY) return true;
    if (p->inst[p->block[p->inst[owner].block].owner].kind != KGI_if) return false;
  }
  return false;
}

/* The barriers around it in the first block, from the inside, that has one behind it. */
static bool find_phase(const kgi_program *p, uint32_t i, kgi_ad_phase *out) {
  for (uint32_t at = i; at; at = p->block[p->inst[at].block].owner) {
    if (at != i && has_barrier(p, at)) return false;
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

static bool writes(const kgi_program *p, uint32_t i, uint32_t object) {
  kgi_span owned = kgi_owned_blocks(&p->inst[i]);
  if (kgi_writes(&p->inst[i]) && kgi_object_of(&p->inst[i]) == object) return true;
  for (unsigned k = owned.first; k < owned.first + (unsigned)owned.count; k++)
    KGI_EACH_INSIDE(p, p->inst[i].arg[k], inner)
      if (kgi_writes(&p->inst[inner]) && kgi_object_of(&p->inst[inner]) == object) return true;
  return false;
}

/* Up to the next barrier of the block. Where none follows, what the next phase is depends on what stands around the block. */
static bool may_change_at_once(const kgi_program *p, uint32_t barrier, uint32_t object) {
  uint32_t i = p->inst[barrier].next;
  for (; i && p->inst[i].kind != KGI_barrier; i = p->inst[i].next)
    if (has_barrier(p, i) || writes(p, i, object)) return true;
  return !i && p->inst[barrier].block != KGI_BODY;
}

static uint32_t load_at_end(kgi_builder *b, const kgi_ad_phase *phase) {
  const kgi_inst extreme = b->p->inst[phase->extreme];
  b->at = kgi_behind(b->p, phase->to);
  b->pos = b->p->inst_pos[phase->extreme];
  bool waits = may_change_at_once(b->p, phase->to, extreme.arg[0]);
  kgi_val load = kgi_load(b, (kgi_obj){extreme.arg[0]}, (kgi_val){extreme.arg[1]});
  if (waits) kgi_barrier_here(b);
  return load.i;
}

static uint32_t loaded_before(const kgi_ad_facts *f, uint32_t phase) {
  const kgi_inst *x = &f->p->inst[f->phase[phase].extreme];
  for (uint32_t k = 0; k < phase; k++) {
    const kgi_inst *y = &f->p->inst[f->phase[k].extreme];
    if (f->phase[k].to == f->phase[phase].to && x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1]) return f->phase[k].load;
  }
  return 0;
}

bool kgi_ad_note_phases(kgi_ad_facts *f, kgi_arena *arena) {
  uint32_t capacity = 0;
  KGI_EACH_INSIDE(f->p, KGI_BODY, i) {
    const kgi_inst *inst = &f->p->inst[i];
    const kgi_object *object = inst->kind == KGI_atomic ? &f->p->scope.object[inst->arg[0]] : NULL;
    kgi_ad_phase phase;
    bool extreme = object && (inst->op == KGI_ATOMIC_min || inst->op == KGI_ATOMIC_max);
    if (!extreme || object->space != KGI_SHARED || !kgi_is_float(object->type)) continue;
    if (!find_phase(f->p, i, &phase) || !is_known_in(f->p, inst->arg[1], f->p->inst[phase.to].block)) continue;
    if (!kgi_arena_grow(arena, &f->phase, f->phase_count, &capacity, sizeof *f->phase)) return false;
    f->phase[f->phase_count++] = phase;
  }
  return true;
}

kg_status kgi_ad_load_ends(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena) {
  kgi_builder b;
  if (!kgi_ad_note_phases(f, arena)) return KG_NO_MEMORY;
  kgi_builder_init(&b, f->work, diags);
  b.p = f->p;
  for (uint32_t k = 0; k < f->phase_count; k++) {
    f->phase[k].load = loaded_before(f, k);
    if (!f->phase[k].load) f->phase[k].load = load_at_end(&b, &f->phase[k]);
  }
  return kgi_builder_status(&b);
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
    if (a->f.phase[k].load == value) return true;
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
