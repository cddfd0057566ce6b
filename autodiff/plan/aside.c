/* Buffers put aside: where a later run overwrites what this one loads, and this one loads more often than there are elements, as a
 * product of matrices does, a tape of what was loaded would take more than the buffer. The module copies the buffer before the run, or the
 * slice that the run binds, once for each round of the repeats around it, and the adjoint loads from the copy. Whether that takes less is found out by planning
 * both. */
#include "autodiff/plan/schedule.h"
#include "foundation/ir/slices.h"

static bool can_be_put_aside(const kgi_ad_module *g, kgi_ad_run *r, uint32_t object) {
  const kgi_object *own = &r->ad.f.p->scope.object[object], *bound = &g->m->scope.object[kgi_ad_bound(g, r, object)];
  if (!r->ad.object[object].overwritten || r->ad.f.object[object].writes || own->view || bound->view) return false;
  if (kgi_is_slice(kgi_run_slice(g->m, r->item, object))) return kgi_ad_part_length(&r->ad, object).i; /* as long in every round */
  return bound->scalar || bound->length.i;
}

static bool loads(const kgi_ad *a, uint32_t value, uint32_t object) {
  return kgi_ad_inst(a, value)->kind == KGI_load && kgi_ad_inst(a, value)->arg[0] == object;
}

/* A var or shared memory, say, that would be filled again if the buffer were there. */
static bool is_filled_from(const kgi_ad *a, uint32_t filled, uint32_t object) {
  for (uint32_t i = 1; i < a->f.p->inst_count; i++)
    if (a->f.pos[i] && kgi_ad_inst(a, i)->kind == KGI_store && kgi_ad_inst(a, i)->arg[0] == filled &&
        loads(a, kgi_ad_inst(a, i)->arg[2], object))
      return true;
  return false;
}

static bool is_on_a_tape(const kgi_ad *a, uint32_t object) {
  for (uint32_t s = 0; s < a->slot_count; s++) {
    const kgi_inst *inst = kgi_ad_inst(a, a->slot[s].value);
    if (a->slot[s].place != KGI_AD_TAPE || inst->kind != KGI_load) continue;
    if (inst->arg[0] == object || is_filled_from(a, inst->arg[0], object)) return true;
  }
  return false;
}

/* What is on a tape may have been computed from what was loaded. */
static bool would_spare_a_tape(const kgi_ad *a, uint32_t object) {
  return is_on_a_tape(a, object) || (a->object[object].sought && a->tape_count);
}

/* Those of which something is on a tape; in `with`, unless it is NULL. */
static uint32_t choose(const kgi_ad_module *g, kgi_ad_run *r, kgi_ad *with) {
  uint32_t count = 0;
  for (uint32_t o = 1; o < kgi_buffer_end(&r->ad.f.p->scope); o++) {
    if (!can_be_put_aside(g, r, o) || !would_spare_a_tape(&r->ad, o)) continue;
    if (with) with->object[o].overwritten = false, with->object[o].aside = true, with->object[o].part_length = kgi_ad_part_length(&r->ad, o);
    count++;
  }
  return count;
}

/* Rounds are counted for copies as for tapes, of which there may be none. */
static void count_rounds(kgi_ad_run *r, kgi_ad *a) {
  kgi_dim rounds = a->rounds, round = a->round;
  kgi_ad_find_rounds(a);
  r->aside_rounds = a->rounds, r->aside_round = a->round;
  a->rounds = rounds, a->round = round;
}

/* ---- what it takes ---- */

unsigned kgi_ad_aside_factors(const kgi_ad_module *g, const kgi_ad_run *r, const kgi_ad *with, uint32_t object, kgi_dim factor[2]) {
  const kgi_object *bound = &g->m->scope.object[kgi_ad_bound(g, r, object)];
  kgi_dim part = with->object[object].part_length;
  unsigned count = 0;
  if (r->aside_rounds.i) factor[count++] = r->aside_rounds;
  if (part.i) factor[count++] = part;
  else if (!bound->scalar) factor[count++] = bound->length;
  return count;
}

uint64_t kgi_ad_aside_bytes(kgi_ad_module *g, const kgi_ad_run *r, const kgi_ad *with, uint32_t object) {
  kgi_dim factor[2];
  unsigned count = kgi_ad_aside_factors(g, r, with, object, factor);
  uint64_t bytes = (uint64_t)kg_type_size((kg_type)r->ad.f.p->scope.object[object].type);
  for (unsigned k = 0; k < count; k++) {
    int64_t value;
    if (!kgi_ad_by_default(g->work, &g->scratch, factor[k], &value)) return UINT64_MAX;
    if (__builtin_mul_overflow(bytes, (uint64_t)value, &bytes)) return UINT64_MAX;
  }
  return bytes;
}

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* What is copied is moved twice where a tape is once. */
static uint64_t bytes_of(kgi_ad_module *g, const kgi_ad_run *r, kgi_ad *a) {
  uint64_t bytes = 0, copies = 0;
  for (uint32_t t = 0; t < a->tape_count; t++) bytes = sum(bytes, kgi_ad_tape_bytes(a, t));
  for (uint32_t o = 1; o < kgi_buffer_end(&a->f.p->scope); o++)
    if (a->object[o].aside) copies = sum(copies, kgi_ad_aside_bytes(g, r, a, o));
  return sum(bytes, sum(copies, copies));
}

/* Where sizes are not known, a buffer counts as an element for each invocation. */
static bool gains(kgi_ad_module *g, kgi_ad_run *r, kgi_ad *with, uint32_t count) {
  if (with->status != KG_OK) return false;
  uint64_t least = bytes_of(g, r, with), most = bytes_of(g, r, &r->ad);
  if (least != UINT64_MAX && most != UINT64_MAX) return least <= most;
  int64_t cost = kgi_ad_cost(with) + 2 * (int64_t)count;
  return cost <= kgi_ad_cost(&r->ad);
}

/* Rounds that a limit may run again leave their copies to that: segments.c. */
void kgi_ad_try_asides(kgi_ad_module *g, kgi_ad_run *r) {
  kgi_ad with, *a = &r->ad;
  kgi_diags quiet = {.sink = NULL};
  uint32_t count = choose(g, r, NULL);
  if (!count || (g->params->tape_limit && g->parent[r->item])) return;
  if (kgi_ad_analyse_again(&with, a, a->f.p, &quiet) != KG_OK) kgi_ad_fail(&with, KG_NO_MEMORY);
  else choose(g, r, &with), kgi_ad_decide_again(&with);
  if (with.status == KG_OK) kgi_ad_shares(&with);
  if (with.status == KG_OK) count_rounds(r, &with);
  if (gains(g, r, &with, count)) return kgi_ad_replace(a, &with);
  if (with.status == KG_NO_MEMORY) kgi_ad_fail(a, KG_NO_MEMORY);
  kgi_ad_free(&with);
}
