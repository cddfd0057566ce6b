#include "driver/views.h"

#include <string.h>

static const kgi_object *object_of(const kg_executable *exe, uint32_t i) { return &exe->module->scope.object[i]; }
static uint64_t packed_bytes(const kg_executable *exe, uint32_t i) {
  return exe->length[i - 1] * kg_type_size((kg_type)object_of(exe, i)->type);
}

/* Alone in its block, element behind element from the first byte on: the host's array is the block, and nothing is copied. */
static bool is_block(const kg_executable *exe, uint32_t i) {
  const kgi_object *o = object_of(exe, i);
  return !exe->join.blocks.aliased[i] && !o->offset && !o->row && o->stride == kg_type_size((kg_type)o->type);
}

/* It lies in a block that is put together, and taken apart. */
static bool is_joined(const kg_executable *exe, uint32_t i) { return object_of(exe, i)->view && !is_block(exe, i); }

static kg_status measure(kg_executable *exe, kgi_diags *diags) {
  kgi_join *j = &exe->join;
  for (uint32_t i = 1; i < exe->module->scope.object_count; i++) {
    const kgi_object *o = object_of(exe, i);
    uint64_t bytes, limit = exe->device->info.buffer_bytes;
    if (!is_joined(exe, i)) continue;
    j->any = true;
    if (!kgi_view_extent(o, exe->length[i - 1], &bytes) || bytes > limit) {
      KGI_DIAG(diags, device_buffer, o->pos, kgi_string(exe->module, o->name), KGI_NUM(bytes), KGI_NUM(limit));
      return KG_REFUSED;
    }
    if (bytes > j->bytes[j->blocks.of[i]]) j->bytes[j->blocks.of[i]] = bytes;
    if (bytes > j->most) j->most = bytes;
    if (packed_bytes(exe, i) > j->most_packed) j->most_packed = packed_bytes(exe, i);
  }
  return KG_OK;
}

kg_status kgi_join_make(kg_executable *exe, kgi_diags *diags) {
  kgi_join *j = &exe->join;
  uint32_t count = exe->module->scope.object_count;
  j->bytes = kgi_arena_alloc(&exe->arena, count, sizeof *j->bytes);
  j->block = kgi_arena_alloc(&exe->arena, count, sizeof(kg_buffer *));
  if (!kgi_blocks_find(&j->blocks, &exe->arena, &exe->module->scope)) return KG_NO_MEMORY;
  kg_status status = measure(exe, diags);
  if (status != KG_OK || !j->any) return status;
  j->whole = kgi_arena_alloc(&exe->arena, (size_t)j->most, 1);
  j->packed = kgi_arena_alloc(&exe->arena, (size_t)j->most_packed, 1);
  if (exe->arena.failed) return KG_NO_MEMORY;
  for (uint32_t i = 1; status == KG_OK && i < count; i++)
    if (is_joined(exe, i) && j->blocks.of[i] == i)
      status = exe->device->backend->buffer_new(exe->device, j->bytes[i], diags, &j->block[i]);
  return status;
}

void kgi_join_free(kg_executable *exe) {
  for (uint32_t i = 1; exe->join.block && i < exe->module->scope.object_count; i++)
    if (exe->join.block[i]) exe->device->backend->buffer_free(exe->join.block[i]);
}

kg_buffer *kgi_join_buffer(const kg_executable *exe, uint32_t i) {
  return is_joined(exe, i) ? exe->join.block[exe->join.blocks.of[i]] : exe->buffer[i];
}

static kg_status put_view(kg_executable *exe, uint32_t i, kgi_diags *diags) {
  const kgi_join *j = &exe->join;
  const kgi_object *o = object_of(exe, i);
  if (!kgi_is_input(o)) return KG_OK;
  kg_status status = exe->device->backend->buffer_read(exe->buffer[i], 0, j->packed, packed_bytes(exe, i), diags);
  if (status == KG_OK) kgi_view_put(o, exe->length[i - 1], j->whole, j->packed);
  return status;
}

static kg_status take_view(kg_executable *exe, uint32_t i, kgi_diags *diags) {
  const kgi_join *j = &exe->join;
  const kgi_object *o = object_of(exe, i);
  if (!kgi_is_output(o)) return KG_OK;
  kgi_view_take(o, exe->length[i - 1], j->whole, j->packed);
  return exe->device->backend->buffer_write(exe->buffer[i], 0, j->packed, packed_bytes(exe, i), diags);
}

typedef kg_status visit_view(kg_executable *exe, uint32_t object, kgi_diags *diags);

static kg_status each_view(kg_executable *exe, uint32_t block, visit_view *visit, kgi_diags *diags) {
  kg_status status = KG_OK;
  for (uint32_t i = block; status == KG_OK && i < exe->module->scope.object_count; i++)
    if (exe->join.blocks.of[i] == block) status = visit(exe, i, diags);
  return status;
}

kg_status kgi_join_in(kg_executable *exe, kgi_diags *diags) {
  const kgi_join *j = &exe->join;
  kg_status status = KG_OK;
  for (uint32_t i = 1; j->any && status == KG_OK && i < exe->module->scope.object_count; i++) {
    if (!j->block[i]) continue;
    memset(j->whole, 0, (size_t)j->bytes[i]);
    status = each_view(exe, i, put_view, diags);
    if (status == KG_OK) status = exe->device->backend->buffer_write(j->block[i], 0, j->whole, j->bytes[i], diags);
  }
  return status;
}

kg_status kgi_join_out(kg_executable *exe, kgi_diags *diags) {
  const kgi_join *j = &exe->join;
  kg_status status = KG_OK;
  for (uint32_t i = 1; j->any && status == KG_OK && i < exe->module->scope.object_count; i++) {
    if (!j->block[i] || !j->blocks.written[i]) continue;
    status = exe->device->backend->buffer_read(j->block[i], 0, j->whole, j->bytes[i], diags);
    if (status == KG_OK) status = each_view(exe, i, take_view, diags);
  }
  return status;
}
