/* Copies of modules and programs. */
#include "foundation/ir/copy.h"

#include <string.h>

static void *copy(kgi_arena *arena, const void *from, uint32_t count, uint32_t *capacity, size_t size) {
  void *to = kgi_arena_alloc(arena, count, size);
  if (to && count) memcpy(to, from, count * size);
  *capacity = count;
  return to;
}

static void copy_set(kgi_arena *arena, kgi_set *set, const kgi_set *from) {
  *set = *from;
  set->slot = copy(arena, from->slot, from->capacity, &set->capacity, sizeof *set->slot);
}

static void copy_scope(kgi_arena *arena, kgi_scope *to, const kgi_scope *from) {
  *to = *from;
  to->object = copy(arena, from->object, from->object_count, &to->object_cap, sizeof *to->object);
  to->param = copy(arena, from->param, from->param_count, &to->param_cap, sizeof *to->param);
  to->spec = copy(arena, from->spec, from->spec_count, &to->spec_cap, sizeof *to->spec);
  to->dim = copy(arena, from->dim, from->dim_count, &to->dim_cap, sizeof *to->dim);
  copy_set(arena, &to->dims, &from->dims);
}

kgi_program *kgi_program_copy(kgi_arena *arena, const kgi_program *from) {
  kgi_program *to = kgi_arena_alloc(arena, 1, sizeof *to);
  if (!to) return NULL;
  *to = *from;
  copy_scope(arena, &to->scope, &from->scope);
  to->inst = copy(arena, from->inst, from->inst_count, &to->inst_cap, sizeof *to->inst);
  to->inst_pos = copy(arena, from->inst_pos, from->inst_count, &to->inst_pos_cap, sizeof *to->inst_pos);
  to->inst_name = copy(arena, from->inst_name, from->inst_count, &to->inst_name_cap, sizeof *to->inst_name);
  to->block = copy(arena, from->block, from->block_count, &to->block_cap, sizeof *to->block);
  copy_set(arena, &to->leaves, &from->leaves);
  return arena->failed ? NULL : to;
}

kg_module *kgi_module_copy(const kg_allocator *alloc, const kg_module *m) {
  kgi_arena arena;
  kgi_arena_init(&arena, alloc);
  kg_module *to = kgi_arena_alloc(&arena, 1, sizeof *to);
  if (!to) return NULL;
  *to = *m;
  to->arena = arena;
  kgi_arena *own = &to->arena;
  to->file = m->file ? kgi_arena_strdup(own, m->file, strlen(m->file)) : NULL;
  copy_set(own, &to->strings, &m->strings);
  to->string = copy(own, m->string, m->string_count, &to->string_cap, sizeof *to->string);
  for (uint32_t i = 0; i < m->string_count && !own->failed; i++)
    to->string[i] = kgi_arena_strdup(own, m->string[i], strlen(m->string[i]));
  copy_scope(own, &to->scope, &m->scope);
  to->program = copy(own, m->program, m->program_count, &to->program_cap, sizeof *to->program);
  for (uint32_t i = 1; i < m->program_count && !own->failed; i++) to->program[i] = kgi_program_copy(own, m->program[i]);
  to->item = copy(own, m->item, m->item_count, &to->item_cap, sizeof *to->item);
  to->bind = copy(own, m->bind, m->bind_count, &to->bind_cap, sizeof *to->bind);
  if (!own->failed) return to;
  kg_module_free(to);
  return NULL;
}
