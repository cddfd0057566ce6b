#include "primitives/idioms.h"
#include "foundation/ir/reduce.h"

#include <string.h>

double kgi_arg(const kgi_primitive_args *args, const char *name) {
  for (uint32_t i = 0; i < args->info->param_count; i++)
    if (!strcmp(args->info->params[i].name, name)) return args->value[i];
  return 0;
}

uint32_t kgi_arg_u32(const kgi_primitive_args *args, const char *name) { return (uint32_t)kgi_arg(args, name); }

kgi_size kgi_size_param(kgi_builder *b, const char *name, uint32_t value) {
  uint32_t param = kgi_param_add(b, &(kgi_param){.name = kgi_intern_z(b->m, name), .type = KG_U32, .has_default = true, .bits = value});
  kgi_dim dim = kgi_len_param(b, param);
  return (kgi_size){dim, kgi_param_value(b, param)};
}

kgi_size kgi_size_const(kgi_builder *b, const char *name, uint32_t value) {
  uint32_t spec = kgi_spec_add(b, &(kgi_spec){.name = kgi_intern_z(b->m, name), .type = KG_U32, .bits = value});
  kgi_dim dim = kgi_len_spec(b, spec);
  return (kgi_size){dim, kgi_spec_value(b, spec)};
}

kgi_val kgi_real_param(kgi_builder *b, const char *name, double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return kgi_param_value(
      b, kgi_param_add(b, &(kgi_param){.name = kgi_intern_z(b->m, name), .type = KG_F32, .has_default = true, .bits = bits}));
}

static kgi_obj array(kgi_builder *b, const char *name, unsigned mode, const kgi_dim *extent, unsigned rank) {
  kgi_object object = {.name = kgi_intern_z(b->m, name), .type = KG_F32, .mode = (uint8_t)mode};
  object.space = mode ? KGI_BUFFER : KGI_SHARED;
  kgi_set_extents(b, &object, extent, rank);
  return kgi_object_add(b, &object);
}

kgi_obj kgi_matrix(kgi_builder *b, const char *name, unsigned mode, kgi_dim rows, kgi_dim columns) {
  return array(b, name, mode, (const kgi_dim[]){rows, columns}, 2);
}

kgi_obj kgi_matrices(kgi_builder *b, const char *name, kg_mode mode, kgi_dim count, kgi_dim rows, kgi_dim columns) {
  return array(b, name, mode, (const kgi_dim[]){count, rows, columns}, 3);
}

void kgi_set_workgroup(kgi_builder *b, kgi_dim x, kgi_dim y) {
  if (b->status == KG_OK && b->p) b->p->workgroup[0] = x, b->p->workgroup[1] = y;
}

void kgi_set_grid(kgi_builder *b, bool invocations, kgi_dim x, kgi_dim y) {
  if (b->status != KG_OK || !b->p) return;
  b->p->grid[0] = x, b->p->grid[1] = y;
  b->p->grid_is_invocations = invocations;
}

kgi_obj kgi_var_of(kgi_builder *b, const char *name, kgi_val value) {
  if (b->status != KG_OK) return (kgi_obj){0};
  kgi_obj object = kgi_var(b, name, kgi_type_of(b->p, value), (kgi_dim){0});
  kgi_set_scalar(b, object, value);
  return object;
}

kgi_val kgi_cell(kgi_builder *b, kgi_obj matrix, kgi_val row, kgi_val column) {
  return kgi_place(b, matrix, (const kgi_val[]){row, column}, 2);
}

kgi_val kgi_cell_of(kgi_builder *b, kgi_obj matrices, kgi_val which, kgi_val row, kgi_val column) {
  return kgi_place(b, matrices, (const kgi_val[]){which, row, column}, 3);
}

kgi_val kgi_inside(kgi_builder *b, kgi_val row, kgi_val rows, kgi_val column, kgi_val columns) {
  kgi_val fine = kgi_less(b, row, rows);
  return kgi_both(b, fine, kgi_less(b, column, columns));
}

kgi_lanes kgi_lanes_const(kgi_builder *b, uint32_t count) {
  kgi_lanes lanes = {.count = kgi_size_const(b, "T", count)};
  lanes.log = kgi_size_const(b, "LOG_T", (uint32_t)__builtin_ctz(count));
  kgi_set_workgroup(b, lanes.count.dim, (kgi_dim){0});
  return lanes;
}

void kgi_lanes_shared(kgi_builder *b, kgi_lanes *lanes) {
  lanes->part = kgi_shared(b, "part", KG_F32, lanes->count.dim);
  lanes->lane = kgi_id_value(b, KGI_ID_local_id, 0);
}

kgi_val kgi_reduce(kgi_builder *b, const kgi_lanes *lanes, kgi_op op, kgi_val value) {
  kgi_tree tree = {.shared = lanes->part, .lane = lanes->lane, .size = lanes->count.value, .levels = lanes->log.value,
                   .level = "k", .half = "half"};
  kgi_reduce_tree(b, &tree, op, value);
  kgi_val result = kgi_load(b, lanes->part, kgi_i32(b, 0));
  kgi_barrier_here(b);
  return result;
}

kgi_val kgi_for_lanes(kgi_builder *b, const kgi_lanes *lanes, const char *name, kgi_val end) {
  return kgi_for_begin(b, name, lanes->lane, end, lanes->count.value, false);
}
