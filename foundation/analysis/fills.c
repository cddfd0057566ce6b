#include "foundation/analysis/fills.h"
#include "foundation/analysis/filling.h"

enum { MOST_STEPS = 64 };

uint32_t kgi_filled_by(const kgi_program *p, uint32_t store) {
  uint32_t loop = 0;
  if (p->inst[store].kind != KGI_store) return 0;
  for (uint32_t i = p->block[p->inst[store].block].owner; i && p->inst[i].kind == KGI_for; i = p->block[p->inst[i].block].owner) {
    kgi_filling f = kgi_filling_of(p, p->inst[store].arg[0]);
    kgi_filling_add(&f, store, i);
    if (kgi_filling_is_whole(&f)) loop = i;
  }
  return loop;
}

/* In the statement, and in the same trip of all loops around the store, which names the element as the load does. What stands in front of the
 * statement may be of another trip. */
static bool is_stored_just_before(const kgi_program *p, uint32_t load, uint32_t statement) {
  for (uint32_t at = load; at && at != statement; at = p->block[p->inst[at].block].owner)
    for (uint32_t i = p->inst[at].prev, steps = MOST_STEPS; i && steps--; i = p->inst[i].prev)
      if (p->inst[i].kind == KGI_store && p->inst[i].arg[0] == p->inst[load].arg[0] && p->inst[i].arg[1] == p->inst[load].arg[1]) return true;
  return false;
}

/* What is loaded in a statement counts as loaded before what it stores, unless that is stored to the same element further in front in its
 * block, or in one around. */
static bool loads_unfilled(const kgi_filling *f, uint32_t i, uint32_t statement) {
  const kgi_inst *x = &f->p->inst[i];
  if (!kgi_touches(x) || x->arg[0] != f->object || x->kind == KGI_store || kgi_filling_holds(f, x->arg[1])) return false;
  return x->kind != KGI_load || !is_stored_just_before(f->p, i, statement);
}

static bool statement_loads_unfilled(const kgi_filling *f, uint32_t statement) {
  kgi_span blocks = kgi_owned_blocks(&f->p->inst[statement]);
  if (loads_unfilled(f, statement, statement)) return true;
  for (unsigned k = 0; k < blocks.count; k++)
    KGI_EACH_INSIDE(f->p, f->p->inst[statement].arg[blocks.first + k], i)
      if (loads_unfilled(f, i, statement)) return true;
  return false;
}

static void add_statement(kgi_filling *f, uint32_t statement) {
  kgi_span blocks = kgi_owned_blocks(&f->p->inst[statement]);
  kgi_filling_add(f, statement, statement);
  for (unsigned k = 0; k < blocks.count; k++)
    KGI_EACH_INSIDE(f->p, f->p->inst[statement].arg[blocks.first + k], i) kgi_filling_add(f, i, statement);
}

bool kgi_is_filled_first(const kgi_program *p, uint32_t object, kgi_blk block) {
  kgi_filling f = kgi_filling_of(p, object);
  for (uint32_t i = p->block[block].first; i; i = p->inst[i].next) {
    if (statement_loads_unfilled(&f, i)) return false;
    add_statement(&f, i);
    if (kgi_filling_is_whole(&f)) return true;
  }
  return false;
}
