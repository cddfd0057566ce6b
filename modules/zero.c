/* Programs that zero a buffer, or copy one, and their runs. */
#include "modules/modules.h"

#include <stdio.h>

/* zero_f32(a), copy_f32(to, from): every element of a buffer of any length, by a grid of any size. */
static uint32_t build(kgi_builder *b, kg_type type, bool copies) {
  char name[16];
  snprintf(name, sizeof name, "%s_%s", copies ? "copy" : "zero", kg_type_name(type));
  if (!kgi_begin_program(b, kgi_module_free_name(b->m, "", name, ""))) return 0;
  kgi_obj to = kgi_buffer(b, copies ? "to" : "a", type, KG_WRITE, (kgi_dim){0}), from = {0};
  if (copies) from = kgi_buffer(b, "from", type, KG_READ, (kgi_dim){0});
  kgi_val i = kgi_each_element(b, to), value = copies ? kgi_load(b, from, i) : kgi_int(b, kgi_type_value(type), 0);
  kgi_store(b, to, i, value);
  kgi_end(b);
  kgi_end_program(b);
  return b->m->program_count - 1;
}

uint32_t kgi_zero_run(kgi_builder *b, kgi_zeroing *programs, uint32_t object) {
  kg_type type = (kg_type)b->m->scope.object[object].type;
  uint32_t *program = &programs->zero[type];
  if (!*program) *program = build(b, type, false);
  uint32_t item = kgi_run_begin(b, *program);
  if (!item) return 0;
  kgi_run_bind_buffer(b, item, 1, object);
  kgi_run_over(b, item, object);
  return item;
}

uint32_t kgi_copy_run(kgi_builder *b, kgi_zeroing *programs, kgi_sliced copied) {
  kg_type type = (kg_type)b->m->scope.object[copied.whole].type;
  uint32_t *program = &programs->copy[type];
  if (!*program) *program = build(b, type, true);
  uint32_t item = kgi_run_begin(b, *program);
  if (!item) return 0;
  kgi_run_bind_buffer(b, item, copied.back ? 1 : 2, copied.whole);
  kgi_run_bind_slice(b, item, copied.back ? 2 : 1, copied.sliced, copied.slice);
  kgi_run_over(b, item, copied.whole);
  return item;
}
