/* A program that zeroes a buffer, and its runs. */
#include "modules/modules.h"

#include <stdio.h>

/* zero_f32(a): every element of a buffer of any length, by a grid of any size. */
static uint32_t build(kgi_builder *b, kg_type type) {
  char name[16];
  snprintf(name, sizeof name, "zero_%s", kg_type_name(type));
  if (!kgi_begin_program(b, kgi_module_free_name(b->m, "", name, ""))) return 0;
  kgi_obj a = kgi_buffer(b, "a", type, KG_WRITE, (kgi_dim){0});
  kgi_val i = kgi_each_element(b, a);
  kgi_store(b, a, i, type == KG_U32 ? kgi_u32(b, 0) : kgi_float(b, type, 0));
  kgi_end(b);
  kgi_end_program(b);
  return b->m->program_count - 1;
}

uint32_t kgi_zero_run(kgi_builder *b, kgi_zeroing *programs, uint32_t object) {
  kg_type type = (kg_type)b->m->scope.object[object].type;
  uint32_t *program = &programs->program[type == KG_U32 ? 2 : type == KG_F64];
  if (!*program) *program = build(b, type);
  uint32_t item = kgi_run_begin(b, *program);
  if (!item) return 0;
  kgi_run_bind_buffer(b, item, 1, object);
  kgi_run_over(b, item, object);
  return item;
}
