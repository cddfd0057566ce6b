/* Programs that zero a buffer, or copy one, and their runs. */
#include "modules/modules.h"

#include <stdio.h>

static void store_each(kgi_builder *b, kgi_obj to, kgi_obj from) {
  kg_type type = kgi_type_value(b->p->scope.object[to.i].type);
  kgi_val i = kgi_each_element(b, to), value = from.i ? kgi_load(b, from, i) : kgi_int(b, type, 0);
  kgi_store(b, to, i, value);
  kgi_end(b);
}

/* copy_f32(to, from): every element of a buffer of any length, by a grid of any size. */
static uint32_t build_copy(kgi_builder *b, kg_type type) {
  char name[16];
  snprintf(name, sizeof name, "copy_%s", kg_type_name(type));
  if (!kgi_begin_program(b, kgi_module_free_name(b->m, "", name, ""))) return 0;
  kgi_obj to = kgi_buffer(b, "to", type, KG_WRITE, (kgi_dim){0}), from = kgi_buffer(b, "from", type, KG_READ, (kgi_dim){0});
  store_each(b, to, from);
  kgi_end_program(b);
  return b->m->program_count - 1;
}

/* zero_f32(a), zero_2_f32(a, b): likewise, each of a length of its own. */
static uint32_t build_zero(kgi_builder *b, kg_type type, unsigned count) {
  static const char *const names[KGI_ZEROED] = {"a", "b", "c", "d"};
  char name[32], number[12] = "";
  kgi_obj to[KGI_ZEROED];
  if (count > 1) snprintf(number, sizeof number, "%u_", count);
  snprintf(name, sizeof name, "zero_%s%s", number, kg_type_name(type));
  if (!kgi_begin_program(b, kgi_module_free_name(b->m, "", name, ""))) return 0;
  for (unsigned k = 0; k < count; k++) to[k] = kgi_buffer(b, names[k], type, KG_WRITE, (kgi_dim){0});
  for (unsigned k = 0; k < count; k++) store_each(b, to[k], (kgi_obj){0});
  kgi_end_program(b);
  return b->m->program_count - 1;
}

enum { OF_I32 = INT32_MAX }; /* elements that an index of 32 bits with a sign reaches, less one */

static uint32_t add_param(kgi_builder *b, const char *name) {
  kgi_param declared = {.name = kgi_intern_z(b->m, name), .pos = b->pos, .type = KG_U32};
  return kgi_param_add(b, &declared);
}

/* zero_from_f32(a, from), zero_from_f32(a, from, most): from an element on. `narrow`: from one that an i32 counts, if not before. */
static uint32_t build_zero_from(kgi_builder *b, kg_type type, bool has_most, bool narrow) {
  char name[32];
  snprintf(name, sizeof name, "zero_from_%s", kg_type_name(type));
  if (!kgi_begin_program(b, kgi_module_free_name(b->m, "", name, ""))) return 0;
  uint32_t param = add_param(b, "from"), limit = has_most ? add_param(b, "most") : 0;
  kgi_obj to = kgi_buffer(b, "a", type, KG_READ_WRITE, (kgi_dim){0});
  kgi_val from = kgi_param_value(b, param), length = kgi_len_value(b, to);
  if (has_most) from = kgi_op2(b, KGI_OP_min, from, kgi_param_value(b, limit));
  if (narrow) from = kgi_op2(b, KGI_OP_min, from, kgi_u32(b, OF_I32 + 1u));
  from = kgi_op2(b, KGI_OP_min, from, length);
  kgi_val i = kgi_each_of(b, kgi_op2(b, KGI_OP_sub, length, from));
  kgi_val at = kgi_op2(b, KGI_OP_add, from, i), nothing = kgi_int(b, type, 0);
  kgi_store(b, to, at, nothing);
  kgi_end(b);
  kgi_end_program(b);
  return b->m->program_count - 1;
}

uint32_t kgi_zero_run_from(kgi_builder *b, kgi_zeroing *programs, uint32_t object, kgi_dim from, kgi_dim most, bool narrow) {
  const kgi_object *o = &b->m->scope.object[object];
  kg_type type = (kg_type)o->type;
  kgi_dim length = o->length.i ? o->length : kgi_len_of(b, (kgi_obj){object});
  bool has_most = most.i != from.i;
  uint32_t *program = &programs->zero_from[type][has_most][narrow];
  if (!*program) *program = build_zero_from(b, type, has_most, narrow);
  uint32_t item = kgi_run_begin(b, *program);
  if (!item) return 0;
  kgi_run_bind_buffer(b, item, 1, object);
  kgi_run_bind_param(b, item, 1, from);
  if (has_most) kgi_run_bind_param(b, item, 2, most);
  if (narrow) from = kgi_len_op(b, KGI_DIM_MIN, from, kgi_len_int(b, OF_I32 + INT64_C(1)));
  kgi_dim rest = kgi_len_op(b, KGI_DIM_SUB, length, kgi_len_op(b, KGI_DIM_MIN, from, length));
  kgi_run_over_length(b, item, rest);
  return item;
}

static uint32_t zero_all(kgi_builder *b, kgi_zeroing *programs, const uint32_t *object, unsigned count) {
  kg_type type = (kg_type)b->m->scope.object[object[0]].type;
  uint32_t *program = &programs->zero[type][count - 1];
  if (!*program) *program = build_zero(b, type, count);
  uint32_t item = kgi_run_begin(b, *program);
  if (!item) return 0;
  for (unsigned k = 0; k < count; k++) kgi_run_bind_buffer(b, item, k + 1, object[k]);
  kgi_run_over(b, item, object, count);
  return item;
}

uint32_t kgi_zero_run(kgi_builder *b, kgi_zeroing *programs, uint32_t object) { return zero_all(b, programs, &object, 1); }

static void zero_waiting(kgi_builder *b, kgi_zeroing *programs, unsigned type) {
  if (programs->waits[type]) kgi_item_append(b, 0, zero_all(b, programs, programs->waiting[type], programs->waits[type]));
  programs->waits[type] = 0;
}

void kgi_zero_soon(kgi_builder *b, kgi_zeroing *programs, uint32_t object) {
  unsigned type = b->m->scope.object[object].type;
  programs->waiting[type][programs->waits[type]++] = object;
  if (programs->waits[type] == KGI_ZEROED) zero_waiting(b, programs, type);
}

void kgi_zero_now(kgi_builder *b, kgi_zeroing *programs) {
  for (unsigned type = 0; type <= KG_BF16; type++) zero_waiting(b, programs, type);
}

uint32_t kgi_copy_run(kgi_builder *b, kgi_zeroing *programs, kgi_sliced copied) {
  kg_type type = (kg_type)b->m->scope.object[copied.whole].type;
  uint32_t *program = &programs->copy[type];
  if (!*program) *program = build_copy(b, type);
  uint32_t item = kgi_run_begin(b, *program);
  if (!item) return 0;
  kgi_run_bind_slice(b, item, copied.back ? 1 : 2, copied.whole, copied.part);
  kgi_run_bind_slice(b, item, copied.back ? 2 : 1, copied.sliced, copied.slice);
  if (copied.length.i) kgi_run_over_length(b, item, copied.length);
  else kgi_run_over(b, item, &copied.whole, 1);
  return item;
}
