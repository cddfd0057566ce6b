/* Values that are kept in a var from the forward sweep on. Where loops of few and known trips lie between, the var is an array with
 * an element for each trip. */
#include "autodiff/emit/emit.h"

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
       loop = kgi_ad_loop_around(a, loop)) {
    const kgi_ad_trips trips = kgi_ad_trips_of(a, loop);
    kg_type type = (kg_type)a->p->inst[loop].type;
    kgi_val trip = {a->map[loop]};
    if (trips.from) trip = kgi_op2(a->b, KGI_OP_sub, trip, kgi_int(a->b, type, trips.from));
    if (trips.step != 1) trip = kgi_op2(a->b, KGI_OP_div, trip, kgi_int(a->b, type, trips.step));
    trip = kgi_convert(a->b, KG_U32, trip);
    if (stride != 1) trip = kgi_op2(a->b, KGI_OP_mul, trip, kgi_u32(a->b, stride));
    index = index.i ? kgi_op2(a->b, KGI_OP_add, trip, index) : trip;
    stride *= trips.count;
  }
  return index;
}

void kgi_ad_keep(kgi_ad *a, uint32_t value) { kgi_store(a->b, a->save_var[value], element(a, value), (kgi_val){a->map[value]}); }
kgi_val kgi_ad_kept(kgi_ad *a, uint32_t value) { return kgi_load(a->b, a->save_var[value], element(a, value)); }
