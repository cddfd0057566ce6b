/* The elements that are an invocation's own though it does not load them (plan/vacant.c), at the end of the adjoint:
 *
 *     if i < len(a) { atomic_add(grad_a[i], 0.0) }
 *
 * It stands for the addition that a load of the element would have brought, so that it can be collected in its place (collect.c). */
#include "autodiff/emit/emit.h"
#include "autodiff/plan/homes.h"
#include "foundation/ir/place.h"

/* It is made of leaves that every program has. */
static kgi_val written_out(kgi_emission *e, uint32_t value) {
  kgi_inst copy = *kgi_ad_inst(e->a, value);
  if (kgi_is_leaf(copy.kind)) return kgi_ad_leaf(e, value);
  kgi_span span = kgi_operands(&copy);
  for (unsigned k = span.first; k < span.first + (unsigned)span.count; k++) copy.arg[k] = written_out(e, copy.arg[k]).i;
  return (kgi_val){kgi_append(e->b, copy)};
}

static void fill(kgi_emission *e, uint32_t object, const kgi_ad_vacant *v) {
  kgi_builder *b = e->b;
  const kgi_obj shadow = e->object[object].shadow;
  kgi_val index[KGI_MAX_RANK];
  for (unsigned k = 0; k < v->count; k++) index[k] = written_out(e, v->index[k]);
  kgi_val at = b->p->scope.object[shadow.i].rank ? kgi_place(b, shadow, index, v->count) : index[0];
  kgi_if_begin(b, v->inside ? written_out(e, v->inside) : kgi_home_in_bounds(b, shadow, at));
  kgi_atomic_op(b, KGI_ATOMIC_add, shadow, at, kgi_float(b, (kg_type)b->p->scope.object[shadow.i].type, 0), (kgi_val){0});
  e->object[object].home[0] = b->at.after;
  kgi_end(b);
}

static bool is_vacant(const kgi_emission *e, uint32_t object) { return e->a->object[object].homes && !e->a->object[object].home[0]; }

void kgi_ad_fill_vacant(kgi_emission *e) {
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope) && e->b->status == KG_OK; o++)
    if (is_vacant(e, o) && e->object[o].shadow.i) fill(e, o, &e->f->vacant[o]);
}

void kgi_ad_leave_vacant(kgi_emission *e, kgi_program *q, uint32_t object) {
  uint32_t atomic = e->object[object].home[0];
  if (!is_vacant(e, object) || !atomic || !q->inst[atomic].block) return;
  kgi_remove(q, q->block[q->inst[atomic].block].owner);
}
