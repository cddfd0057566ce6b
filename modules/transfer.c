/* Programs that move the elements of one buffer to another, and their runs. */
#include "modules/modules.h"

enum { LANES = 256, MOST_GROUPS = 65535 };

static kgi_dim groups_of(kgi_builder *b, kgi_dim length) {
  kgi_dim lanes = kgi_len_int(b, LANES), last = kgi_len_op(b, KGI_DIM_ADD, length, kgi_len_int(b, LANES - 1));
  return kgi_len_op(b, KGI_DIM_DIV, last, lanes);
}

static kgi_dim groups_over(kgi_builder *b, uint32_t object) {
  const kgi_object *o = &b->m->scope.object[object];
  kgi_dim length = o->length;
  if (!length.i) length = o->scalar ? kgi_len_int(b, 1) : kgi_len_of(b, (kgi_obj){object});
  return groups_of(b, length);
}

void kgi_run_over_length(kgi_builder *b, uint32_t item, kgi_dim length) {
  kgi_dim groups = groups_of(b, length);
  b->m->item[item].grid[0] = kgi_len_op(b, KGI_DIM_MIN, groups, kgi_len_int(b, MOST_GROUPS));
}

void kgi_run_over(kgi_builder *b, uint32_t item, const uint32_t *object, unsigned count) {
  kgi_dim groups = groups_over(b, object[0]);
  for (unsigned k = 1; k < count; k++) {
    kgi_dim other = groups_over(b, object[k]);
    if (other.i != groups.i) groups = kgi_len_op(b, KGI_DIM_MAX, groups, other);
  }
  b->m->item[item].grid[0] = kgi_len_op(b, KGI_DIM_MIN, groups, kgi_len_int(b, MOST_GROUPS));
}

kgi_val kgi_each_of(kgi_builder *b, kgi_val count) {
  b->p->workgroup[0] = kgi_len_int(b, LANES);
  kgi_val lanes = kgi_u32(b, LANES), first = kgi_id_value(b, KGI_ID_global_id, 0);
  kgi_val stride = kgi_op2(b, KGI_OP_mul, kgi_id_value(b, KGI_ID_num_workgroups, 0), lanes);
  return kgi_for_begin(b, "i", first, count, stride, false);
}

kgi_val kgi_each_element(kgi_builder *b, kgi_obj object) { return kgi_each_of(b, kgi_len_value(b, object)); }

kgi_obj kgi_declare_like(kgi_builder *b, const char *name, uint32_t like, kg_mode mode) {
  const kgi_object *o = &b->m->scope.object[like];
  kgi_object made = {.name = kgi_intern_z(b->m, name), .pos = b->pos, .space = KGI_BUFFER, .type = o->type, .mode = (uint8_t)mode,
                     .view = o->view, .set = o->set, .binding = o->binding, .offset = o->offset, .stride = o->stride,
                     .row = o->row, .every = o->every};
  return kgi_object_add(b, &made);
}

/* The loop over all elements, in an `if` where there is something to wait for. */
static void transfer_each(kgi_builder *b, const kgi_transfer *t, kgi_obj to, kgi_obj from, uint32_t left) {
  kg_type type = kgi_type_value(b->p->scope.object[to.i].type);
  kgi_val rounds = left ? kgi_param_value(b, left) : (kgi_val){0};
  if (left) kgi_if_begin(b, kgi_op2(b, KGI_OP_eq, rounds, kgi_u32(b, 0)));
  kgi_val i = kgi_each_element(b, to), zero = kgi_float(b, type, 0), before = t->adds ? kgi_load(b, to, i) : zero;
  kgi_val value = t->from ? kgi_load(b, from, i) : zero;
  kgi_store(b, to, i, t->adds ? kgi_op2(b, KGI_OP_add, before, value) : value);
  if (t->clears) kgi_store(b, from, i, zero);
  kgi_end(b);
  if (left) kgi_end(b);
}

uint32_t kgi_transfer_run(kgi_builder *b, kgi_transfer t) {
  if (!kgi_begin_program(b, kgi_module_free_name(b->m, t.verb, "_", kgi_string(b->m, b->m->scope.object[t.to].name)))) return 0;
  kgi_param waits = {.name = kgi_intern_z(b->m, "rounds_left"), .pos = b->pos, .type = KG_U32};
  uint32_t left = t.left.i ? kgi_param_add(b, &waits) : 0;
  kgi_obj to = kgi_declare_like(b, "to", t.to, t.adds ? KG_READ_WRITE : KG_WRITE), from = {0};
  if (t.from) from = kgi_declare_like(b, "from", t.from, t.clears ? KG_READ_WRITE : KG_READ);
  transfer_each(b, &t, to, from, left);
  kgi_end_program(b);
  uint32_t item = kgi_run_begin(b, b->m->program_count - 1);
  if (!item) return 0;
  kgi_run_bind_slice(b, item, to.i, t.to, t.to_part);
  if (t.from) kgi_run_bind_slice(b, item, from.i, t.from, t.from_part);
  if (left) kgi_run_bind_param(b, item, left, t.left);
  kgi_run_over(b, item, &t.to, 1);
  return item;
}
