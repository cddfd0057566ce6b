/* In a trip of a loop all lanes of a workgroup add to one element of shared memory, as the adjoint of a tile does that all of them go
 * through in step: they queue up for it. Where the trips may come in any order, each lane begins at a trip of its own, and goes round:
 *
 *     for j in 0 .. T {                        for j in 0 .. T {
 *       atomic_add(s[j], v[j])                   let k = (j + local_id.x) % T
 *     }                                          atomic_add(s[k], v[k])
 *                                              }
 *
 * Each lane still makes all of its trips, so what is computed stays, up to the order of sums. The additions stay atomic, because nothing
 * holds the lanes in step. */
#include "foundation/passes/passes.h"
#include "foundation/analysis/linear.h"
#include "foundation/analysis/loops.h"
#include "foundation/analysis/uniform.h"

enum { AXES = 3 };

typedef struct stagger {
  kgi_builder *b;
  kgi_program *q;
  kgi_arena *scratch;
  kgi_uniformity same; /* found when first asked for, of as many instructions as there were then */
  uint32_t known;
  kgi_poly size[AXES]; /* of the workgroup */
  uint32_t loop;
} stagger;

/* ---- which lanes meet ---- */

/* In no loop further in, which would be the one to change. */
static bool is_in_loop(const kgi_program *q, uint32_t i, uint32_t loop) {
  uint32_t owner = q->block[q->inst[i].block].owner;
  while (owner && !kgi_is_loop(&q->inst[owner])) owner = q->block[q->inst[owner].block].owner;
  return owner == loop;
}

static bool is_shared_sum(const stagger *s, uint32_t i) {
  const kgi_inst *inst = &s->q->inst[i];
  return inst->kind == KGI_atomic && inst->op == KGI_ATOMIC_add && s->q->scope.object[inst->arg[0]].space == KGI_SHARED &&
         is_in_loop(s->q, i, s->loop);
}

/* Whether the term can be told apart into the loop's index, ids, and what all lanes share in all trips. */
static bool is_plain(const stagger *s, const kgi_term *t) {
  bool seen = false;
  for (unsigned k = 0; k < KGI_DEGREE && t->atom[k]; k++) {
    uint32_t atom = t->atom[k];
    if (atom == KGI_ATOM_LOCAL_INDEX) return false;
    if (atom >= KGI_ATOM_FIRST) continue;
    if (atom == s->loop && seen) return false;
    if (atom == s->loop) seen = true;
    else if (atom >= s->known || s->same.value[atom] == KGI_VARYING || !kgi_is_fixed(s->q, atom, s->loop)) return false;
  }
  return true;
}

/* The atom's place in the term, or KGI_DEGREE. */
static unsigned place_in(const kgi_term *t, uint32_t atom) {
  unsigned at = 0;
  while (at < KGI_DEGREE && t->atom[at] != atom) at++;
  return at;
}

/* The term with `by` in the place of one of its atoms. */
static kgi_poly with(const kgi_term *t, unsigned at, const kgi_poly *by) {
  kgi_poly product = kgi_poly_int(t->c);
  for (unsigned k = 0; k < KGI_DEGREE && t->atom[k]; k++) {
    kgi_poly factor = kgi_poly_atom(t->atom[k]);
    product = kgi_poly_mul(&product, k == at ? by : &factor);
  }
  return product;
}

/* The element that is added to; failed: it cannot be told how lanes and trips make it. Workgroups are not told apart. */
static kgi_poly element_of(const stagger *s, uint32_t i) {
  kgi_poly index = kgi_poly_of_index(s->q, i, s->size), out = kgi_poly_int(0);
  out.failed = index.failed;
  for (uint32_t k = 0; k < index.count && !out.failed; k++) {
    kgi_poly part = {.count = 1, .t = {index.t[k]}};
    for (unsigned axis = 0; axis < AXES; axis++) {
      kgi_poly local = kgi_poly_atom(KGI_ATOM_LOCAL + axis);
      unsigned at = place_in(&index.t[k], KGI_ATOM_GLOBAL + axis);
      if (at < KGI_DEGREE) part = with(&index.t[k], at, &local);
    }
    out = kgi_poly_add(&out, &part, 1);
    out.failed |= !is_plain(s, &index.t[k]);
  }
  return out;
}

static bool has(const kgi_poly *p, uint32_t atom) {
  for (uint32_t k = 0; k < p->count; k++)
    if (kgi_term_has(&p->t[k], atom)) return true;
  return false;
}

/* The axes along which lanes meet in a trip, and not in different ones; as bits. */
static unsigned axes_that_meet(const stagger *s, const kgi_poly *element) {
  unsigned axes = 0;
  int64_t size;
  if (!has(element, s->loop)) return 0;
  for (unsigned axis = 0; axis < AXES; axis++)
    if (!has(element, KGI_ATOM_LOCAL + axis) && !(kgi_poly_is_int(&s->size[axis], &size) && size == 1)) axes |= 1u << axis;
  return axes;
}

/* The element once the lanes begin at different trips: those that did not meet before do not then. */
static bool stays_apart(const stagger *s, const kgi_poly *element, unsigned axes) {
  kgi_poly after = *element, by = kgi_poly_int(0);
  for (unsigned axis = 0; axis < AXES; axis++) {
    kgi_poly local = kgi_poly_atom(KGI_ATOM_LOCAL + axis);
    if (axes >> axis & 1) by = kgi_poly_add(&by, &local, 1);
  }
  for (uint32_t k = 0; k < element->count; k++) {
    unsigned at = place_in(&element->t[k], s->loop);
    kgi_poly more = with(&element->t[k], at, &by);
    if (at < KGI_DEGREE) after = kgi_poly_add(&after, &more, 1);
  }
  for (unsigned axis = 0; axis < AXES && !after.failed; axis++)
    if (has(element, KGI_ATOM_LOCAL + axis) && !has(&after, KGI_ATOM_LOCAL + axis)) return false;
  return !after.failed;
}

/* By which axes' ids the trips are to be moved on; 0: they stay. */
static unsigned axes_to_stagger(stagger *s) {
  kgi_blk body = s->q->inst[s->loop].arg[3];
  unsigned axes = 0;
  KGI_EACH_INSIDE(s->q, body, i) {
    if (!is_shared_sum(s, i)) continue;
    if (!s->known && kgi_uniformity_of(s->scratch, s->q, &s->same) != KG_OK) return 0;
    if (!s->known) s->known = s->q->inst_count;
    kgi_poly element = element_of(s, i);
    if (element.failed) return 0;
    axes |= axes_that_meet(s, &element);
  }
  KGI_EACH_INSIDE(s->q, body, i) {
    kgi_poly element;
    if (!axes || !is_shared_sum(s, i)) continue;
    element = element_of(s, i);
    if (!stays_apart(s, &element, axes)) return 0;
  }
  return axes;
}

/* ---- doing it ---- */

/* From 0 on, one by one, as often as a literal or a constant says: the remainder by it costs little then. */
static bool is_plain_range(const kgi_program *q, const kgi_inst *loop) {
  const kgi_inst *from = &q->inst[loop->arg[0]], *to = &q->inst[loop->arg[1]], *step = &q->inst[loop->arg[2]];
  bool by_one = !loop->arg[2] || (step->kind == KGI_literal && kgi_literal_bits(step) == 1);
  bool at_zero = from->kind == KGI_literal && !kgi_literal_bits(from), known = to->kind == KGI_literal || to->kind == KGI_spec;
  return by_one && at_zero && known && (loop->type == KG_I32 || loop->type == KG_U32);
}

static void replace_behind(kgi_program *q, kgi_blk body, uint32_t last_made, uint32_t from, uint32_t to) {
  bool behind = false;
  KGI_EACH_INSIDE(q, body, i) {
    kgi_span span = kgi_operands(&q->inst[i]);
    for (unsigned k = span.first; behind && k < span.first + (unsigned)span.count; k++)
      if (q->inst[i].arg[k] == from) q->inst[i].arg[k] = to;
    behind |= i == last_made;
  }
}

static void go_round(stagger *s, unsigned axes) {
  kgi_builder *b = s->b;
  kgi_inst loop = s->q->inst[s->loop];
  b->at = kgi_at_start(loop.arg[3]);
  b->pos = s->q->inst_pos[s->loop];
  kgi_val at = kgi_convert(b, KG_U32, (kgi_val){s->loop});
  for (unsigned axis = 0; axis < AXES; axis++)
    if (axes >> axis & 1) at = kgi_op2(b, KGI_OP_add, at, kgi_id_value(b, KGI_ID_local_id, axis));
  at = kgi_op2(b, KGI_OP_rem, at, kgi_convert(b, KG_U32, (kgi_val){loop.arg[1]}));
  at = kgi_convert(b, (kg_type)loop.type, at);
  replace_behind(s->q, loop.arg[3], at.i, s->loop, at.i);
}

kg_status kgi_stagger(kgi_builder *b, kgi_program *q, const uint32_t *loops, uint32_t count, kgi_arena *scratch) {
  stagger s = {.b = b, .q = q, .scratch = scratch};
  kgi_sizes_of(q, s.size);
  for (uint32_t k = 0; k < count; k++) {
    s.loop = loops[k];
    if (!q->inst[s.loop].block || !is_plain_range(q, &q->inst[s.loop])) continue;
    unsigned axes = axes_to_stagger(&s);
    if (axes) go_round(&s, axes);
  }
  return scratch->failed ? KG_NO_MEMORY : kgi_builder_status(b);
}
