#include "foundation/views.h"

#include <string.h>

/* The first view of that one's block, by a table of at least twice as many places as there are objects. */
static uint32_t first_of(uint32_t *table, uint32_t mask, const kgi_scope *s, uint32_t object) {
  const kgi_object *o = &s->object[object];
  uint32_t at = (o->set * UINT32_C(0x9E3779B1) ^ o->binding) * UINT32_C(0x85EBCA77) & mask;
  while (table[at] && !kgi_same_block(&s->object[table[at]], o)) at = (at + 1) & mask;
  if (!table[at]) table[at] = object;
  return table[at];
}

bool kgi_blocks_find(kgi_blocks *b, kgi_arena *arena, const kgi_scope *s) {
  uint32_t places = 2, *table = NULL;
  bool views = false;
  b->of = kgi_arena_alloc(arena, s->object_count, sizeof *b->of);
  b->aliased = kgi_arena_alloc(arena, s->object_count, sizeof *b->aliased);
  b->written = kgi_arena_alloc(arena, s->object_count, sizeof *b->written);
  for (uint32_t i = 1; i < s->object_count; i++) views |= s->object[i].view;
  while (views && places < 2 * s->object_count) places *= 2;
  table = kgi_arena_alloc(arena, places, sizeof *table);
  if (arena->failed) return false;
  for (uint32_t i = 1; i < s->object_count; i++) {
    const kgi_object *o = &s->object[i];
    b->of[i] = o->view ? first_of(table, places - 1, s, i) : i;
    b->written[b->of[i]] |= o->space != KGI_BUFFER || o->mode != KG_READ;
    b->aliased[b->of[i]] |= b->of[i] != i;
  }
  for (uint32_t i = 1; i < s->object_count; i++)
    b->written[i] = b->written[b->of[i]], b->aliased[i] = b->aliased[b->of[i]];
  return true;
}

bool kgi_view_reach(const kgi_object *o, uint64_t length, uint64_t *bytes) {
  *bytes = 0;
  if (!length) return true;
  return !__builtin_mul_overflow(length - 1, o->stride, bytes) && !__builtin_add_overflow(*bytes, o->offset, bytes) &&
         !__builtin_add_overflow(*bytes, kg_type_size((kg_type)o->type), bytes);
}

void kgi_view_put(const kgi_object *o, uint64_t length, unsigned char *block, const unsigned char *packed) {
  size_t size = kg_type_size((kg_type)o->type);
  unsigned char *to = block + (length ? o->offset : 0);
  for (uint64_t i = 0; i < length; i++) {
    if (packed) memcpy(to + (size_t)i * o->stride, packed + (size_t)i * size, size);
    else memset(to + (size_t)i * o->stride, 0, size);
  }
}

void kgi_view_take(const kgi_object *o, uint64_t length, const unsigned char *block, unsigned char *packed) {
  size_t size = kg_type_size((kg_type)o->type);
  const unsigned char *from = block + (length ? o->offset : 0);
  for (uint64_t i = 0; i < length; i++) memcpy(packed + (size_t)i * size, from + (size_t)i * o->stride, size);
}
