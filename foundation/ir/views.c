#include "foundation/ir/views.h"
#include "foundation/base/limits.h"

#include <string.h>

/* The first view of that one's block, by a table of at least twice as many places as there are objects. */
static uint32_t first_of(uint32_t *table, uint32_t mask, const kgi_scope *s, uint32_t object) {
  const kgi_object *o = &s->object[object];
  uint32_t at = (o->set * UINT32_C(0x9E3779B1) ^ o->binding) * UINT32_C(0x85EBCA77) & mask;
  while (table[at] && !kgi_same_block(&s->object[table[at]], o)) at = (at + 1) & mask;
  if (!table[at]) table[at] = object;
  return table[at];
}

static void summarise(kgi_blocks *b, const kgi_scope *s) {
  for (uint32_t i = 1; i < s->object_count; i++) {
    const kgi_object *o = &s->object[i];
    b->written[b->of[i]] |= o->space != KGI_BUFFER || o->mode != KG_READ;
    b->aliased[b->of[i]] |= b->of[i] != i;
  }
  for (uint32_t i = 1; i < s->object_count; i++)
    b->written[i] = b->written[b->of[i]], b->aliased[i] = b->aliased[b->of[i]];
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
  for (uint32_t i = 1; i < s->object_count; i++) b->of[i] = s->object[i].view ? first_of(table, places - 1, s, i) : i;
  summarise(b, s);
  return true;
}

static uint32_t common(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

/* It ends before that byte, whatever the host says. */
static bool ends_before(const kgi_scope *s, const kgi_object *o, uint64_t byte) {
  const kgi_dim_node *n = &s->dim[o->length.i];
  uint64_t reach, length = o->scalar ? 1 : (uint64_t)n->imm;
  if (!o->scalar && (n->op != KGI_DIM_INT || n->imm < 0)) return false;
  return kgi_view_reach(o, length, &reach) && reach <= byte;
}

/* Pieces of `size` bytes, `stride` apart. A view with rows lies in pieces of an element each, and also in pieces of a row each. */
typedef struct pieces { uint32_t offset, stride; uint64_t size; } pieces;

static pieces pieces_of(const kgi_object *o, bool rows) {
  uint32_t size = (uint32_t)kg_type_size((kg_type)o->type);
  if (!rows || !o->row) return (pieces){o->offset, o->row ? common(o->stride, o->every) : o->stride, size};
  return (pieces){o->offset, o->every, (uint64_t)(o->row - 1) * o->stride + size};
}

/* Pieces lie at multiples of the common divisor of both strides, so that they are compared on a circle of that length. */
static bool are_apart(pieces a, pieces b) {
  uint32_t circle = common(a.stride, b.stride);
  uint32_t behind = circle ? (b.offset % circle + (circle - a.offset % circle)) % circle : 0;
  return a.size <= behind && b.size <= circle && behind <= circle - b.size;
}

bool kgi_may_overlap(const kgi_scope *s, uint32_t view, uint32_t other) {
  const kgi_object *a = &s->object[view], *b = &s->object[other];
  for (unsigned k = 0; k < 4; k++)
    if (are_apart(pieces_of(a, k & 1), pieces_of(b, k >> 1))) return false;
  return !ends_before(s, a, b->offset) && !ends_before(s, b, a->offset);
}

/* Both chains become one, named by its first. */
static void join(uint32_t *of, uint32_t count, uint32_t a, uint32_t b) {
  uint32_t first = of[a] < of[b] ? of[a] : of[b], last = of[a] < of[b] ? of[b] : of[a];
  for (uint32_t i = 1; i < count; i++)
    if (of[i] == last) of[i] = first;
}

static void split(kgi_blocks *b, const kgi_scope *s) {
  for (uint32_t i = 1; i < s->object_count; i++) {
    uint32_t block = b->of[i];
    if (!s->object[i].view) continue;
    b->of[i] = i;
    for (uint32_t k = block; k < i; k++)
      if (b->of[k] != b->of[i] && kgi_same_block(&s->object[k], &s->object[i]) && kgi_may_overlap(s, k, i))
        join(b->of, i + 1, k, i);
  }
}

bool kgi_overlaps_find(kgi_blocks *b, kgi_arena *arena, const kgi_scope *s) {
  if (!kgi_blocks_find(b, arena, s)) return false;
  uint32_t end = kgi_buffer_end(s);
  if (end > KGI_LIMIT(overlap_objects)) return true; /* too many pairs: a binding is taken as a whole */
  for (uint32_t i = 1; i < end; i++) b->aliased[i] = b->written[i] = false;
  split(b, s);
  summarise(b, s);
  return true;
}

bool kgi_view_reach(const kgi_object *o, uint64_t length, uint64_t *bytes) {
  uint64_t rows = o->row && length ? (length - 1) / o->row : 0, rest = (uint64_t)o->offset + kg_type_size((kg_type)o->type);
  *bytes = 0;
  if (!length) return true;
  rest += (uint64_t)(o->row ? (length - 1) % o->row : 0) * o->stride; /* each is below 2^32 */
  if (o->row) return !__builtin_mul_overflow(rows, o->every, bytes) && !__builtin_add_overflow(*bytes, rest, bytes);
  return !__builtin_mul_overflow(length - 1, o->stride, bytes) && !__builtin_add_overflow(*bytes, rest, bytes);
}

bool kgi_view_extent(const kgi_object *o, uint64_t length, uint64_t *bytes) {
  uint64_t whole = o->row ? length / o->row + (length % o->row != 0) : length;
  return !__builtin_mul_overflow(whole, o->row ? o->every : o->stride, bytes) && !__builtin_add_overflow(*bytes, o->offset, bytes);
}

void kgi_view_put(const kgi_object *o, uint64_t length, unsigned char *block, const unsigned char *packed) {
  size_t size = kg_type_size((kg_type)o->type);
  for (uint64_t i = 0; i < length; i++) {
    unsigned char *to = block + (size_t)kgi_view_at(o, i);
    if (packed) memcpy(to, packed + (size_t)i * size, size);
    else memset(to, 0, size);
  }
}

void kgi_view_take(const kgi_object *o, uint64_t length, const unsigned char *block, unsigned char *packed) {
  size_t size = kg_type_size((kg_type)o->type);
  for (uint64_t i = 0; i < length; i++) memcpy(packed + (size_t)i * size, block + (size_t)kgi_view_at(o, i), size);
}
