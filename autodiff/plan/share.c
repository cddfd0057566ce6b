/* How contributions to a shadow are added up: per object, over all that is added to it.
 *
 * Only additions meet: what is stored in the primal belongs to one invocation (there are no races), and so does the reverse of the
 * store. What many invocations load, many add to. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"
#include "foundation/base/limits.h"
#include "foundation/analysis/uniform.h"

/* ---- which invocations meet ---- */

static bool is_store_to_same(const kgi_ad *a, uint32_t i, uint32_t load) {
  const kgi_inst *store = kgi_ad_inst(a, i), *inst = kgi_ad_inst(a, load);
  return store->kind == KGI_store && store->arg[1] == inst->arg[1] && store->block == inst->block && a->f.barriers[i] == a->f.barriers[load];
}

/* The invocation also stores to the element, in the same stretch between barriers: then nobody else touches it there. Looked for
 * among the neighbours alone, so that the time stays linear. */
static bool is_own_store(const kgi_ad *a, uint32_t load) {
  if (!a->f.object[a->f.p->inst[load].arg[0]].writes) return false;
  uint32_t up = a->f.access_next[load], down = a->f.access_prev[load];
  for (unsigned n = 0; n < KGI_LIMIT(share_neighbours); n++) {
    if ((up && is_store_to_same(a, up, load)) || (down && is_store_to_same(a, down, load))) return true;
    up = up ? a->f.access_next[up] : 0, down = down ? a->f.access_prev[down] : 0;
  }
  return false;
}

static bool is_around(const kgi_ad *a, kgi_blk outer, kgi_blk block) {
  while (block != outer && block != KGI_BODY) block = a->f.p->inst[a->f.p->block[block].owner].block;
  return block == outer;
}

/* Made when it is first asked for: many programs have nothing to ask. */
static kgi_distinct *distinct(kgi_ad *a) {
  kgi_ad_compare(a);
  return a->distinct;
}

/* Another view that may overlap it has contributions too. Indices of several views are not compared. */
static bool meets_another(const kgi_ad *a, uint32_t object) {
  const kgi_blocks *b = &a->f.blocks;
  for (uint32_t o = b->of[object]; b->aliased[object] && o < kgi_buffer_end(&a->f.p->scope); o++)
    if (o != object && b->of[o] == b->of[object] && kgi_may_overlap(&a->f.p->scope, object, o))
      for (uint32_t i = a->f.object[o].first; i; i = a->f.access_next[i])
        if (a->f.p->inst[i].kind == KGI_load && kgi_ad_active(a, i)) return true;
  return false;
}

/* The invocation stores to the element in another stretch, where nobody else does: so the number of the element is its own. In the stretch of
 * the load nobody else adds to the element, if all that is loaded there is at numbers of that kind; what is stored there is none of these
 * elements. Of no loop, in which a number could be another one's of another trip. */
static bool is_stored_elsewhere(kgi_ad *a, uint32_t load) {
  const kgi_inst *inst = &a->f.p->inst[load];
  uint32_t object = inst->arg[0], store = a->f.object[object].first, n = 0;
  for (; store; store = a->f.access_next[store]) {
    const kgi_inst *other = &a->f.p->inst[store];
    bool same = other->kind == KGI_store && inst->arg[1] && other->arg[1] == inst->arg[1];
    if (same && !a->f.block[other->block].loop && is_around(a, other->block, inst->block)) break;
    if (n++ >= KGI_LIMIT(share_neighbours)) return false;
  }
  if (!store || a->f.block[inst->block].loop || meets_another(a, object) || !distinct(a) || kgi_may_return(distinct(a))) return false;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    bool counts = a->f.p->inst[i].kind == KGI_load && kgi_ad_active(a, i) && a->f.p->inst[i].arg[1] != inst->arg[1];
    if (n++ >= 2 * KGI_LIMIT(share_neighbours) || (counts && kgi_may_meet(distinct(a), i, load))) return false;
  }
  return true;
}

/* What must hold of all the additions together: the reverse has every barrier of the primal. */
static unsigned wanted(const kgi_ad *a, uint32_t object) {
  return a->f.p->scope.object[object].space == KGI_SHARED ? KGI_OWN_IN_INTERVAL : KGI_OWN_IN_INTERVAL | KGI_OWN_ACROSS;
}

/* Marks the loads whose contributions are added plainly; true if all are. One that is nobody else's in its stretch stays plain
 * beside others that are not. */
static bool mark_plain(kgi_ad *a, uint32_t object) {
  uint32_t *accesses = NULL, count = 0, capacity = 0;
  for (uint32_t i = a->f.object[object].first; i; i = a->f.access_next[i]) {
    if (a->f.p->inst[i].kind != KGI_load || !kgi_ad_active(a, i)) continue;
    if (a->req.alone || is_own_store(a, i) || (a->f.object[object].writes && is_stored_elsewhere(a, i))) {
      a->flags[i] |= KGI_AD_PLAIN;
      continue;
    }
    if (!kgi_arena_grow(&a->scratch, &accesses, count, &capacity, sizeof *accesses)) return kgi_ad_fail(a, KG_NO_MEMORY), false;
    accesses[count++] = i;
  }
  if (!count) return true;
  if (meets_another(a, object)) return false;
  kgi_distinct *d = distinct(a);
  uint8_t *each = kgi_arena_alloc(&a->scratch, count, 1);
  if (!d || !each) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  unsigned want = wanted(a, object);
  kgi_disjoint(d, accesses, count, each);
  bool all = true;
  for (uint32_t k = 0; k < count; k++) {
    if ((each[k] & want) == want) a->flags[accesses[k]] |= KGI_AD_PLAIN;
    else all = false;
  }
  return all;
}

/* ---- elements that are the same for a whole workgroup ---- */

/* At hand at the end of the program, as the index of a loop is not, and one value for the workgroup. */
static bool is_uniform(const kgi_ad *a, const kgi_uniformity *u, uint32_t value) {
  return a->f.p->inst[value].kind != KGI_for && kgi_ad_home(a, value) == KGI_BODY && u->value[value] != KGI_VARYING;
}

static uint32_t add_sum(kgi_ad *a, uint32_t object, uint32_t index, uint32_t param) {
  for (uint32_t s = 0; s < a->sum_count; s++)
    if (a->sum[s].object == object && a->sum[s].index == index && a->sum[s].param == param) return s + 1;
  if (!kgi_arena_grow(&a->scratch, &a->sum, a->sum_count, &a->sum_cap, sizeof *a->sum)) return kgi_ad_fail(a, KG_NO_MEMORY), 0;
  a->sum[a->sum_count] = (kgi_ad_sum){.object = object, .index = index, .param = param};
  return ++a->sum_count;
}

/* Linear in the accesses as long as the slots are few; past that, contributions go one by one. `u`: found when first asked for. */
static void find_sums(kgi_ad *a, uint32_t object, kgi_uniformity *u) {
  if (a->f.object[object].last_write) return; /* to it, or to a view that may overlap it */
  if (!u->value && kgi_uniformity_of(&a->scratch, a->f.p, u) != KG_OK) return kgi_ad_fail(a, KG_NO_MEMORY);
  for (uint32_t i = a->f.object[object].first; i && a->sum_count < KGI_LIMIT(share_sums); i = a->f.access_next[i])
    if (kgi_ad_active(a, i) && !(a->flags[i] & KGI_AD_PLAIN) && is_uniform(a, u, a->f.p->inst[i].arg[1]))
      a->sum_of[i] = add_sum(a, object, a->f.p->inst[i].arg[1], 0);
}

/* One load of each of the object's sums; 0: not all that is added to it is in sums. */
static uint32_t loads_of_sums(const kgi_ad *a, uint32_t object, uint32_t load[KGI_MOST_share_sums]) {
  uint32_t count = 0;
  for (uint32_t i = a->f.object[object].first, k; i; i = a->f.access_next[i]) {
    if (!kgi_ad_active(a, i)) continue;
    if (!a->sum_of[i]) return 0;
    for (k = 0; k < count && a->sum_of[load[k]] != a->sum_of[i]; k++) continue;
    if (k == count) load[count++] = i;
  }
  return count;
}

/* No other workgroup has an element of the sums, to which one invocation adds at its end, as all of a workgroup come there. Where each element
 * is some workgroup's it is stored. */
static void find_own_sums(kgi_ad *a, uint32_t object, bool begins) {
  uint32_t load[KGI_MOST_share_sums], count = loads_of_sums(a, object, load);
  kgi_ad_object *o = &a->object[object];
  kgi_distinct *d = count && !meets_another(a, object) ? distinct(a) : NULL;
  if (!d || !kgi_groups_apart(d, load, count)) return;
  o->share = KGI_AD_OWN;
  if (begins && count == 1 && kgi_groups_cover(d, load[0])) o->share = KGI_AD_SOLE, o->stored_load = load[0];
  for (uint32_t k = 0; k < count; k++) a->sum[a->sum_of[load[k]] - 1].way = o->share == KGI_AD_SOLE ? KGI_AD_SUM_STORED : KGI_AD_SUM_ADDED;
}

/* The gradient of a param is one workgroup's own where there is one alone; then it is stored, if nothing was added before. */
static void find_own_param(kgi_ad *a, kgi_ad_sum *sum) {
  kgi_distinct *d = a->req.alone ? NULL : distinct(a);
  if (!a->req.alone && (!d || !kgi_is_one_group(d, false))) return;
  bool begins = a->req.fresh_param[sum->param] && (a->req.alone || (kgi_is_one_group(d, true) && !kgi_may_return(d)));
  sum->way = begins ? KGI_AD_SUM_STORED : KGI_AD_SUM_ADDED;
}

static void add_param(kgi_ad *a, uint32_t param) {
  uint32_t s = add_sum(a, 0, 0, param);
  if (s) find_own_param(a, &a->sum[s - 1]);
}

static void choose(kgi_ad *a, uint32_t object, kgi_uniformity *u) {
  kgi_ad_object *o = &a->object[object];
  bool buffer = a->f.p->scope.object[object].space == KGI_BUFFER;
  o->share = KGI_AD_OWN;
  o->one_each = !buffer && kgi_ad_one_each(a, object);
  bool reads = buffer && !a->f.object[object].writes, fresh = reads && a->req.fresh[object];
  bool begins = fresh || (reads && a->req.anew[object]), plain = mark_plain(a, object);
  o->stored_load = 0, o->homes = 0, o->front = 0, o->begun = !begins || meets_another(a, object);
  bool whole = begins && plain && kgi_ad_find_whole(a, distinct(a), object);
  if (whole || (fresh && kgi_ad_find_front(a, distinct(a), object, plain))) o->share = KGI_AD_SOLE;
  if (plain || o->share == KGI_AD_SOLE) return;
  bool listed = a->req.deterministic && buffer && !a->f.object[object].last_write;
  bool spread = a->req.deterministic && !buffer;
  o->share = listed ? KGI_AD_LISTED : spread ? KGI_AD_SPREAD : KGI_AD_ATOMIC;
  if (a->req.deterministic && !listed && !spread) KGI_AD_REFUSE(a, grad_not_deterministic, a->f.p->scope.object[object].pos, kgi_ad_object_name(a, object));
  if (buffer) find_sums(a, object, u), find_own_sums(a, object, begins);
  if (reads && o->share == KGI_AD_ATOMIC && !meets_another(a, object)) kgi_ad_find_homes(a, distinct(a), object);
}

void kgi_ad_shares(kgi_ad *a) {
  kgi_uniformity u = {0};
  for (uint32_t o = 1; o < a->f.p->scope.object_count; o++)
    if (kgi_ad_active_object(a, o) && a->f.p->scope.object[o].space != KGI_VAR) choose(a, o, &u);
  for (uint32_t q = 1; q < a->f.p->scope.param_count; q++)
    if (a->f.param_value[q] && kgi_ad_active(a, a->f.param_value[q])) add_param(a, q);
  kgi_ad_make_lists(a);
  if (a->status == KG_OK) kgi_ad_find_trees(a);
}
