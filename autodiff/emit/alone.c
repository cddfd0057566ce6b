/* What lanes have added up for one another (gather.c) is added to an element by one of them. Where that element is nobody else's, there need be
 * no atomic; and where it is stored to by nobody else, and all elements are, nothing need be zeroed:
 *
 *     for k in local_id.x .. N step W { ... atomic_add(s[workgroup_id.x, k], sum) }     becomes     ... s[workgroup_id.x, k] = sum
 *
 * The plan could not know: lanes came to the element one by one before. So it is asked of the adjoint, on the grid of the program that it is
 * of. Where runs give grids of their own, it stays as it is. */
#include "autodiff/emit/emit.h"
#include "foundation/analysis/distinct_facts.h"
#include "foundation/base/limits.h"

enum { MOST = KGI_MOST_gather_sums };

/* All that touches the shadow; 0: something else does than additions, or too many do. */
static uint32_t find_additions(const kgi_program *q, uint32_t shadow, const uint32_t *uses, uint32_t list[MOST]) {
  uint32_t count = 0;
  KGI_EACH_INSIDE(q, KGI_BODY, i) {
    const kgi_inst *x = &q->inst[i];
    if (!kgi_touches(x) || kgi_object_of(x) != shadow) continue;
    if (x->kind != KGI_atomic || x->op != KGI_ATOMIC_add || !x->arg[1] || uses[i] || count == MOST) return 0;
    list[count++] = i;
  }
  return count;
}

static void settle(kgi_emission *e, kgi_program *q, uint32_t atomic, bool stores) {
  kgi_builder *b = e->b;
  const kgi_inst x = q->inst[atomic];
  b->at = kgi_before(q, atomic), b->pos = q->inst_pos[atomic];
  kgi_val at = {x.arg[1]}, value = {x.arg[2]};
  if (!stores) value = kgi_op2(b, KGI_OP_add, kgi_load(b, (kgi_obj){x.arg[0]}, at), value);
  kgi_store(b, (kgi_obj){x.arg[0]}, at, value);
  kgi_remove(q, atomic);
}

static kg_status settle_all(kgi_emission *e, kgi_program *q, uint32_t object) {
  const unsigned apart = KGI_OWN_ACROSS | KGI_OWN_IN_INTERVAL;
  kgi_ad_object *o = &e->a->object[object];
  uint32_t list[MOST], *uses = kgi_arena_alloc(e->scratch, q->inst_count, sizeof *uses);
  kgi_distinct *d;
  if (!uses) return KG_NO_MEMORY;
  kgi_count_uses(q, KGI_BODY, uses);
  uint32_t count = find_additions(q, e->object[object].shadow.i, uses, list);
  if (!count) return KG_OK;
  kg_status status = kgi_distinct_make(e->scratch, e->b->m, q, &d);
  if (status != KG_OK) return status;
  bool stores = !o->begun && count == 1 && kgi_covers(d, list[0]);
  if (!stores && (kgi_disjoint(d, list, count, NULL) & apart) != apart) return KG_OK;
  for (uint32_t k = 0; k < count; k++) settle(e, q, list[k], stores);
  if (!stores) o->homes = 0; /* they add to what they find, though nothing is there yet */
  e->object[object].collected = true;
  e->object[object].added = !stores;
  return KG_OK;
}

/* No run gives another grid than the program states. */
static bool has_own_grid(const kgi_emission *e) { return e->a->distinct && e->a->distinct->own_grid; }

kg_status kgi_ad_settle_gathered(kgi_emission *e, kgi_program *q) {
  kg_status status = KG_OK;
  for (uint32_t o = 1; o < kgi_buffer_end(&e->p->scope) && status == KG_OK; o++)
    if (e->object[o].gathered && !e->object[o].collected && !e->a->req.viewed[o] && has_own_grid(e)) status = settle_all(e, q, o);
  return status == KG_OK ? kgi_builder_status(e->b) : status;
}
