/* What the element of an extreme holds where its phase ends (phases.c), as a value behind the barrier. Nothing uses it in the program
 * itself; where the reverse asks for it, it is kept as any value is. An invocation that does not come to the extreme loads nothing: its
 * index may be out of bounds, or that of an element that nobody has written.
 *
 *     if i < n { atomic_max(m[d[i]], v) }     becomes     var came = false, at
 *     barrier                                             if i < n { came = true  at = d[i]  atomic_max(m[d[i]], v) }
 *                                                         barrier
 *                                                         var end = 0
 *                                                         if came { end = m[at] }
 *
 * Where others might change the element at once, they wait: behind the load stands a barrier more. */
#include "autodiff/plan/facts.h"

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
    if (kgi_ad_has_barrier(p, i) || writes(p, i, object)) return true;
  return !i && p->inst[barrier].block != KGI_BODY;
}

/* ---- where not all come ---- */

static void note_coming(kgi_builder *b, const kgi_ad_phase *phase) {
  const kgi_inst extreme = b->p->inst[phase->extreme];
  b->at = kgi_before(b->p, phase->extreme);
  kgi_store(b, (kgi_obj){phase->came}, (kgi_val){0}, kgi_bool(b, true));
  if (phase->at) kgi_store(b, (kgi_obj){phase->at}, (kgi_val){0}, (kgi_val){extreme.arg[1]});
}

static void declare_coming(kgi_builder *b, kgi_ad_phase *phase) {
  const kgi_inst extreme = b->p->inst[phase->extreme];
  b->at = kgi_before(b->p, kgi_ad_statement_of(b->p, phase->extreme, b->p->inst[phase->to].block));
  phase->came = kgi_var(b, "came", KG_BOOL, (kgi_dim){0}).i;
  kgi_store(b, (kgi_obj){phase->came}, (kgi_val){0}, kgi_bool(b, false));
  if (!phase->known) phase->at = kgi_var(b, "at", (kg_type)b->p->inst[extreme.arg[1]].type, (kgi_dim){0}).i;
}

static void load_if_came(kgi_builder *b, kgi_ad_phase *phase) {
  const kgi_inst extreme = b->p->inst[phase->extreme];
  kg_type type = (kg_type)extreme.type;
  phase->end = kgi_var(b, "end", type, (kgi_dim){0}).i;
  kgi_store(b, (kgi_obj){phase->end}, (kgi_val){0}, kgi_float(b, type, 0));
  kgi_if_begin(b, kgi_load(b, (kgi_obj){phase->came}, (kgi_val){0}));
  kgi_val at = phase->at ? kgi_load(b, (kgi_obj){phase->at}, (kgi_val){0}) : (kgi_val){extreme.arg[1]};
  phase->inside = kgi_load(b, (kgi_obj){extreme.arg[0]}, at).i;
  kgi_store(b, (kgi_obj){phase->end}, (kgi_val){0}, (kgi_val){phase->inside});
  kgi_end(b);
}

/* ---- loads ---- */

static void load_at_end(kgi_builder *b, kgi_ad_phase *phase) {
  const kgi_inst extreme = b->p->inst[phase->extreme];
  bool all_come = extreme.block == b->p->inst[phase->to].block, waits = may_change_at_once(b->p, phase->to, extreme.arg[0]);
  b->pos = b->p->inst_pos[phase->extreme];
  if (!all_come) declare_coming(b, phase), note_coming(b, phase);
  b->at = kgi_behind(b->p, phase->to);
  if (!all_come) load_if_came(b, phase);
  phase->load = kgi_load(b, (kgi_obj){all_come ? extreme.arg[0] : phase->end}, (kgi_val){all_come ? extreme.arg[1] : 0}).i;
  if (waits) kgi_barrier_here(b);
}

/* Of an earlier extreme on the same element. */
static bool share_load(kgi_builder *b, const kgi_ad_facts *f, kgi_ad_phase *phase) {
  const kgi_inst *x = &f->p->inst[phase->extreme];
  for (const kgi_ad_phase *other = f->phase; other < phase; other++) {
    const kgi_inst *y = &f->p->inst[other->extreme];
    if (other->to != phase->to || x->arg[0] != y->arg[0] || x->arg[1] != y->arg[1]) continue;
    phase->load = other->load, phase->came = other->came, phase->at = other->at;
    b->pos = b->p->inst_pos[phase->extreme];
    if (phase->came) note_coming(b, phase);
    return true;
  }
  return false;
}

kg_status kgi_ad_load_ends(kgi_ad_facts *f, kgi_diags *diags, kgi_arena *arena) {
  kgi_builder b;
  if (!kgi_ad_note_phases(f, arena)) return KG_NO_MEMORY;
  kgi_builder_init(&b, f->work, diags);
  b.p = f->p;
  for (uint32_t k = 0; k < f->phase_count; k++)
    if (!share_load(&b, f, &f->phase[k])) load_at_end(&b, &f->phase[k]);
  return kgi_builder_status(&b);
}
