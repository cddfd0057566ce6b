/* A program that zeroes a buffer, and its runs. */
#include "modules/modules.h"

#include <stdio.h>

enum { LANES = 256, MOST_GROUPS = 65535 };

/* zero_f32(a): every element of a buffer of any length, by a grid of any size. */
static uint32_t build(kgi_builder *b, kg_type type) {
  char name[16];
  snprintf(name, sizeof name, "zero_%s", kg_type_name(type));
  kgi_program *p = kgi_begin_program(b, kgi_module_free_name(b->m, "", name, ""));
  if (!p) return 0;
  p->workgroup[0] = kgi_len_int(b, LANES);
  kgi_obj a = kgi_buffer(b, "a", type, KG_WRITE, (kgi_dim){0});
  kgi_val lanes = kgi_u32(b, LANES);
  kgi_val stride = kgi_op2(b, KGI_OP_mul, kgi_id_value(b, KGI_ID_num_workgroups, 0), lanes), length = kgi_len_value(b, a);
  kgi_val i = kgi_for_begin(b, "i", kgi_id_value(b, KGI_ID_global_id, 0), length, stride, false);
  kgi_store(b, a, i, kgi_float(b, type, 0));
  kgi_end(b);
  kgi_end_program(b);
  return b->m->program_count - 1;
}

uint32_t kgi_zero_run(kgi_builder *b, kgi_zeroing *programs, uint32_t object) {
  kg_type type = (kg_type)b->m->scope.object[object].type;
  uint32_t *program = &programs->program[type == KG_F64];
  if (!*program) *program = build(b, type);
  uint32_t item = kgi_run_begin(b, *program);
  if (!item) return 0;
  kgi_run_bind_buffer(b, item, 1, object);
  const kgi_object *o = &b->m->scope.object[object];
  kgi_dim length = o->length;
  if (!length.i) length = o->scalar ? kgi_len_int(b, 1) : kgi_len_of(b, (kgi_obj){object});
  kgi_dim lanes = kgi_len_int(b, LANES), last = kgi_len_op(b, KGI_DIM_ADD, length, kgi_len_int(b, LANES - 1));
  kgi_dim groups = kgi_len_op(b, KGI_DIM_DIV, last, lanes);
  b->m->item[item].grid[0] = kgi_len_op(b, KGI_DIM_MIN, groups, kgi_len_int(b, MOST_GROUPS));
  return item;
}
