/* Values that are kept in a var from the forward sweep on. Where loops of few and known trips lie between, the var is an array with
 * an element for each trip. */
#include "autodiff/plan/ad.h"
#include "foundation/ir/dim.h"
#include "foundation/base/limits.h"

static bool literal_int(const kgi_ad *a, uint32_t value, int64_t *out) {
  const kgi_inst *inst = kgi_ad_inst(a, value);
  if (inst->kind != KGI_literal || !kgi_is_int(inst->type)) return false;
  *out = kgi_bits_to_int((kg_type)inst->type, kgi_literal_bits(inst));
  return true;
}

static uint32_t trips_of(const kgi_ad *a, uint32_t loop) {
  const kgi_inst *inst = kgi_ad_inst(a, loop);
  int64_t from, to, step;
  if (inst->kind != KGI_for || !literal_int(a, inst->arg[0], &from) || !literal_int(a, inst->arg[1], &to)) return 0;
  if (!literal_int(a, inst->arg[2], &step) || step < 1 || from < 0 || to < 0) return 0;
  uint64_t trips = to > from ? ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1 : 1;
  return trips <= KGI_LIMIT(kept_trips) ? (uint32_t)trips : 0;
}

static uint32_t loop_around(const kgi_ad *a, uint32_t loop) { return a->block[a->p->inst[loop].block].loop; }

uint32_t kgi_ad_kept_trips(const kgi_ad *a, kgi_blk block, uint32_t value) {
  uint32_t total = 1;
  for (uint32_t loop = a->block[a->p->inst[value].block].loop; loop != a->block[block].loop; loop = loop_around(a, loop)) {
    total *= trips_of(a, loop);
    if (!total || total > KGI_LIMIT(kept_trips)) return 0;
  }
  return total;
}

static bool is_array(const kgi_ad *a, uint32_t value) {
  return a->block[a->p->inst[value].block].loop != a->block[a->save_block[value]].loop;
}

void kgi_ad_declare_saves(kgi_ad *a, kgi_blk block) {
  for (uint32_t v = a->block[block].saves; v; v = a->save_next[v]) {
    const char *name = kgi_string(a->work, a->p->inst_name[v]);
    if (!*name && a->p->inst[v].kind == KGI_load) name = kgi_ad_object_name(a, a->p->inst[v].arg[0]);
    kgi_dim length = {0};
    if (is_array(a, v)) length = kgi_len_int(a->b, kgi_ad_kept_trips(a, block, v));
    a->b->pos = a->p->inst_pos[v];
    a->save_var[v] = kgi_var(a->b, kgi_ad_free_name(a, "kept_", *name ? name : "value"), (kg_type)a->p->inst[v].type, length);
  }
}

/* The number of the trip, over all loops between, outermost first; the index of each is at hand forward and in reverse. */
static kgi_val element(kgi_ad *a, uint32_t value) {
  kgi_val index = {0};
  uint32_t stride = 1;
  for (uint32_t loop = a->block[a->p->inst[value].block].loop; loop != a->block[a->save_block[value]].loop;
       loop = loop_around(a, loop)) {
    const kgi_inst inst = *kgi_ad_inst(a, loop);
    int64_t from = 0, step = 1;
    literal_int(a, inst.arg[0], &from);
    literal_int(a, inst.arg[2], &step);
    kgi_val trip = {a->map[loop]};
    if (from) trip = kgi_op2(a->b, KGI_OP_sub, trip, kgi_int(a->b, (kg_type)inst.type, from));
    if (step != 1) trip = kgi_op2(a->b, KGI_OP_div, trip, kgi_int(a->b, (kg_type)inst.type, step));
    trip = kgi_convert(a->b, KG_U32, trip);
    if (stride != 1) trip = kgi_op2(a->b, KGI_OP_mul, trip, kgi_u32(a->b, stride));
    index = index.i ? kgi_op2(a->b, KGI_OP_add, trip, index) : trip;
    stride *= trips_of(a, loop);
  }
  return index;
}

void kgi_ad_keep(kgi_ad *a, uint32_t value) { kgi_store(a->b, a->save_var[value], element(a, value), (kgi_val){a->map[value]}); }
kgi_val kgi_ad_kept(kgi_ad *a, uint32_t value) { return kgi_load(a->b, a->save_var[value], element(a, value)); }
