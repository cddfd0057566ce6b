/* How many elements it takes to keep a value in every trip of the loops around it. */
#include "autodiff/plan/ad.h"
#include "foundation/base/limits.h"
#include "foundation/ir/dim.h"

static bool literal_int(const kgi_ad *a, uint32_t value, int64_t *out) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (inst->kind != KGI_literal || !kgi_is_int(inst->type)) return false;
  *out = kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(inst));
  return true;
}

kgi_ad_trips kgi_ad_trips_of(const kgi_ad *a, uint32_t loop) {
  const kgi_inst *inst = kgi_ad_inst(a, loop);
  const kgi_ad_trips unknown = {.count = 0};
  int64_t from, to, step;
  if (inst->kind != KGI_for || !literal_int(a, inst->arg[0], &from) || !literal_int(a, inst->arg[1], &to)) return unknown;
  if (!literal_int(a, inst->arg[2], &step) || step < 1 || from < 0 || to < 0) return unknown;
  uint64_t trips = to > from ? kgi_trips(from, to, step) : 1;
  return trips <= KGI_LIMIT(kept_trips) ? (kgi_ad_trips){(uint32_t)trips, from, step} : unknown;
}

uint32_t kgi_ad_kept_trips(const kgi_ad *a, kgi_blk block, uint32_t value) {
  uint32_t total = 1;
  for (uint32_t loop = a->f.block[a->f.p->inst[value].block].loop; loop != a->f.block[block].loop; loop = kgi_ad_loop_around(a, loop)) {
    total *= kgi_ad_trips_of(a, loop).count;
    if (!total || total > KGI_LIMIT(kept_trips)) return 0;
  }
  return total;
}
