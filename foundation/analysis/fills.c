#include "foundation/analysis/fills.h"
#include "foundation/ir/place.h"

static bool is_literal(const kgi_inst *x, uint64_t value) { return x->kind == KGI_literal && kgi_literal_bits(x) == value; }

bool kgi_reaches_all(const kgi_program *p, const kgi_inst *loop, kgi_dim extent) {
  const kgi_dim_node *n = &p->scope.dim[extent.i];
  const kgi_inst *to = &p->inst[loop->arg[1]];
  if (loop->kind != KGI_for || !is_literal(&p->inst[loop->arg[0]], 0)) return false;
  if (loop->arg[2] && !is_literal(&p->inst[loop->arg[2]], 1)) return false;
  if (to->kind == KGI_spec) return n->op == KGI_DIM_SPEC && n->a == to->arg[0];
  return to->kind == KGI_literal && n->op == KGI_DIM_INT && kgi_bits_to_int((kg_type)to->type, kgi_literal_bits(to)) >= n->imm;
}

static bool is_left(const kgi_program *p, uint32_t loop) {
  KGI_EACH_INSIDE(p, kgi_body_of(&p->inst[loop]), i)
    if (kgi_ends(&p->inst[i])) return true;
  return false;
}

/* Which dimension the loop's index is the index along; the rank: none. */
static unsigned dimension_of(const uint32_t *index, unsigned rank, uint32_t loop) {
  unsigned k = 0;
  while (k < rank && index[k] != loop) k++;
  return k;
}

uint32_t kgi_filled_by(const kgi_program *p, uint32_t store) {
  const kgi_inst *s = &p->inst[store];
  const kgi_object *o = &p->scope.object[s->arg[0]];
  kgi_digits place = {.value = {s->arg[1]}};
  uint32_t loop = 0;
  if (s->kind != KGI_store || o->scalar) return 0;
  bool flat = !kgi_place_of(p, store, &place); /* one index over all dimensions */
  unsigned rank = flat ? 1 : o->rank, seen = 0;
  if (flat) place.value[0] = s->arg[1];
  for (kgi_blk block = s->block; seen + 1 < 1u << rank; block = p->inst[loop].block) {
    loop = p->block[block].owner;
    if (!loop || p->inst[loop].kind != KGI_for) return 0;
    unsigned k = dimension_of(place.value, rank, loop);
    if (k == rank || !kgi_reaches_all(p, &p->inst[loop], flat ? o->length : o->extent[k])) return 0;
    seen |= 1u << k;
  }
  return is_left(p, loop) ? 0 : loop;
}

/* ---- a block ---- */

enum { MOST_ELEMENTS = 64 };

/* Elements that literals name, as bits. */
typedef struct filling { const kgi_program *p; uint32_t object; uint64_t seen; bool loaded, whole; } filling;

static uint64_t all_elements(const filling *f) {
  const kgi_dim_node *n = &f->p->scope.dim[f->p->scope.object[f->object].length.i];
  if (n->op != KGI_DIM_INT || n->imm < 1 || n->imm > MOST_ELEMENTS) return 0;
  return UINT64_MAX >> (MOST_ELEMENTS - n->imm);
}

static uint64_t element(const filling *f, uint32_t index) {
  const kgi_inst *x = &f->p->inst[index];
  uint64_t at = x->kind == KGI_literal ? kgi_literal_bits(x) : MOST_ELEMENTS;
  return at < MOST_ELEMENTS ? UINT64_C(1) << at : 0;
}

static void see(filling *f, uint32_t i, uint32_t statement) {
  const kgi_inst *x = &f->p->inst[i];
  if (!kgi_touches(x) || x->arg[0] != f->object) return;
  if (x->kind != KGI_store) {
    f->loaded |= !(f->seen & element(f, x->arg[1]));
  } else if (i == statement) {
    uint64_t all = all_elements(f);
    f->seen |= element(f, x->arg[1]);
    f->whole |= all && (f->seen & all) == all;
  } else if (kgi_filled_by(f->p, i) == statement) {
    f->whole = true;
  }
}

/* What is loaded in a statement counts as loaded before what it stores. */
bool kgi_is_filled_first(const kgi_program *p, uint32_t object, kgi_blk block) {
  filling f = {.p = p, .object = object};
  for (uint32_t i = p->block[block].first; i && !f.loaded && !f.whole; i = p->inst[i].next) {
    kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
    see(&f, i, i);
    for (unsigned k = 0; k < blocks.count; k++)
      KGI_EACH_INSIDE(p, p->inst[i].arg[blocks.first + k], n) see(&f, n, i);
  }
  return f.whole && !f.loaded;
}
