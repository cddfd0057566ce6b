/* Values that are kept in a var from the forward sweep on. Where loops of few and known trips lie between, the var is an array with
 * an element for each trip. */
#include "autodiff/emit/emit.h"

static bool is_array(const kgi_emission *e, uint32_t value) {
  return e->f->block[e->p->inst[value].block].loop != e->f->block[e->a->save_block[value]].loop;
}

void kgi_ad_declare_saves(kgi_emission *e, kgi_blk block) {
  for (uint32_t v = e->a->block[block].saves; v; v = e->a->save_next[v]) {
    const char *name = kgi_string(e->f->work, e->p->inst_name[v]);
    if (!*name && e->p->inst[v].kind == KGI_load) name = kgi_ad_object_name(e->a, e->p->inst[v].arg[0]);
    kgi_dim length = {0};
    if (is_array(e, v)) length = kgi_len_int(e->b, kgi_ad_kept_trips(e->a, block, v));
    e->b->pos = e->p->inst_pos[v];
    e->save_var[v] = kgi_var(e->b, kgi_ad_free_name(e, "kept_", *name ? name : "value"), (kg_type)e->p->inst[v].type, length);
  }
}

/* The number of the trip, over all loops between, outermost first; the index of each is at hand forward and in reverse. */
static kgi_val element(kgi_emission *e, uint32_t value) {
  kgi_val index = {0};
  uint32_t stride = 1;
  for (uint32_t loop = e->f->block[e->p->inst[value].block].loop; loop != e->f->block[e->a->save_block[value]].loop;
       loop = kgi_ad_loop_around(e->a, loop)) {
    const kgi_ad_trips trips = kgi_ad_trips_of(e->a, loop);
    kg_type type = (kg_type)e->p->inst[loop].type;
    kgi_val trip = {e->map[loop]};
    if (trips.from) trip = kgi_op2(e->b, KGI_OP_sub, trip, kgi_int(e->b, type, trips.from));
    if (trips.step != 1) trip = kgi_op2(e->b, KGI_OP_div, trip, kgi_int(e->b, type, trips.step));
    trip = kgi_convert(e->b, KG_U32, trip);
    if (stride != 1) trip = kgi_op2(e->b, KGI_OP_mul, trip, kgi_u32(e->b, stride));
    index = index.i ? kgi_op2(e->b, KGI_OP_add, trip, index) : trip;
    stride *= trips.count;
  }
  return index;
}

void kgi_ad_keep(kgi_emission *e, uint32_t value) { kgi_store(e->b, e->save_var[value], element(e, value), (kgi_val){e->map[value]}); }
kgi_val kgi_ad_kept(kgi_emission *e, uint32_t value) { return kgi_load(e->b, e->save_var[value], element(e, value)); }
