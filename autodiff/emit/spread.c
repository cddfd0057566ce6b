/* Shadows of shared memory to which lanes would add in any order, where the bits must not depend on it. Each invocation has a copy of the
 * shadow, in a buffer [element][invocation], and adds to that. Where the reverse comes to a barrier, the copies of the workgroup are added
 * to the shadow from its first lane to its last, each element by one lane, and are empty again. So what stands behind the barrier finds
 * the shadow complete, as it would have with atomic adds. What comes before the barrier, and looks at an element to which something was
 * added, is of the same invocation, as the primal would have a race otherwise: it looks at the own copy as well. */
#include "autodiff/emit/emit.h"
#include "foundation/ir/place.h"

static kgi_obj copies_of(const kgi_emission *e, uint32_t object) { return e->tape[e->a->object[object].spread - 1]; }

/* Of the workgroup, in the grid, times its size. */
static kgi_val first_of_group(kgi_emission *e, kgi_val size) {
  kgi_val group = {0};
  for (unsigned k = 3; k-- > 0;) {
    kgi_val id = kgi_id_value(e->b, KGI_ID_workgroup_id, k);
    if (group.i) group = kgi_op2(e->b, KGI_OP_mul, group, kgi_id_value(e->b, KGI_ID_num_workgroups, k));
    group = group.i ? kgi_op2(e->b, KGI_OP_add, group, id) : id;
  }
  return kgi_op2(e->b, KGI_OP_mul, group, size);
}

static kgi_val own_lane(kgi_emission *e) {
  kgi_val first = first_of_group(e, kgi_ad_workgroup_invocations(e));
  return kgi_op2(e->b, KGI_OP_add, first, kgi_id_value(e->b, KGI_ID_local_index, 0));
}

/* `at`: {0} of a scalar. */
static kgi_val place(kgi_emission *e, uint32_t object, kgi_val at, kgi_val lane) {
  const kgi_val index[] = {at, lane};
  return at.i ? kgi_place(e->b, copies_of(e, object), index, 2) : lane;
}

void kgi_ad_spread_contribution(kgi_emission *e, uint32_t object, kgi_val at, kgi_val g) {
  kgi_obj copies = copies_of(e, object);
  kgi_val here = place(e, object, at, own_lane(e));
  kgi_store(e->b, copies, here, kgi_op2(e->b, KGI_OP_add, kgi_load(e->b, copies, here), g));
}

kgi_val kgi_ad_spread_load(kgi_emission *e, uint32_t object, kgi_val at) {
  kgi_val here = place(e, object, at, own_lane(e)), shadow = kgi_load(e->b, e->object[object].shadow, at);
  return kgi_op2(e->b, KGI_OP_add, shadow, kgi_load(e->b, copies_of(e, object), here));
}

void kgi_ad_spread_empty(kgi_emission *e, uint32_t object, kgi_val at) {
  kgi_val here = place(e, object, at, own_lane(e));
  kgi_store(e->b, copies_of(e, object), here, kgi_float(e->b, kgi_ad_type(e->p->scope.object[object].type), 0));
}

static kgi_val begin(kgi_emission *e, const char *name, kgi_val from, kgi_val to, kgi_val step) {
  return kgi_for_begin(e->b, kgi_ad_free_name(e, "", name), from, to, step, false);
}

/* The own copy, before anything is added to it. */
static void clear(kgi_emission *e, uint32_t object) {
  kgi_obj copies = copies_of(e, object);
  kgi_val nothing = kgi_float(e->b, kgi_ad_type(e->p->scope.object[object].type), 0), lane = own_lane(e), none = {0};
  if (e->p->scope.object[object].scalar) {
    kgi_store(e->b, copies, lane, nothing);
    return;
  }
  kgi_val from = kgi_u32(e->b, 0), to = kgi_len_value(e->b, e->object[object].shadow), k = begin(e, "k", from, to, none);
  kgi_store(e->b, copies, place(e, object, k, lane), nothing);
  kgi_end(e->b);
}

/* One element, from all copies of the workgroup, which are left empty. */
static void gather_element(kgi_emission *e, uint32_t object, kgi_val k) {
  kgi_builder *b = e->b;
  kgi_obj copies = copies_of(e, object), shadow = e->object[object].shadow;
  kg_type type = kgi_ad_type(e->p->scope.object[object].type);
  kgi_val none = {0}, size = kgi_ad_workgroup_invocations(e), first = first_of_group(e, size);
  kgi_obj sum = kgi_var(b, kgi_ad_free_name(e, "", "sum"), type, (kgi_dim){0});
  kgi_store(b, sum, none, kgi_load(b, shadow, k));
  kgi_val lane = begin(e, "lane", kgi_u32(b, 0), size, none);
  kgi_val here = place(e, object, k, kgi_op2(b, KGI_OP_add, first, lane)), term = kgi_load(b, copies, here);
  kgi_store(b, sum, none, kgi_op2(b, KGI_OP_add, kgi_load(b, sum, none), term));
  kgi_store(b, copies, here, kgi_float(b, type, 0));
  kgi_end(b);
  kgi_store(b, shadow, k, kgi_load(b, sum, none));
}

static void gather(kgi_emission *e, uint32_t object) {
  kgi_builder *b = e->b;
  kgi_val lane = kgi_id_value(b, KGI_ID_local_index, 0), none = {0};
  if (e->p->scope.object[object].scalar) {
    kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, lane, kgi_u32(b, 1)));
    gather_element(e, object, none);
  } else {
    kgi_val length = kgi_len_value(b, e->object[object].shadow), size = kgi_ad_workgroup_invocations(e);
    gather_element(e, object, begin(e, "k", lane, length, size));
  }
  kgi_end(b);
}

static bool is_spread(const kgi_emission *e, uint32_t object) { return e->a->object[object].spread && e->object[object].shadow.i; }

void kgi_ad_clear_spread(kgi_emission *e) {
  for (uint32_t o = 1; o < e->p->scope.object_count; o++)
    if (is_spread(e, o)) clear(e, o);
}

void kgi_ad_gather_spread(kgi_emission *e) {
  bool any = false;
  for (uint32_t o = 1; o < e->p->scope.object_count; o++)
    if (is_spread(e, o)) gather(e, o), any = true;
  if (any) kgi_barrier_here(e->b);
  e->gathered = e->b->at.after;
}
