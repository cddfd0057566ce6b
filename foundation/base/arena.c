#include "foundation/base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct kgi_arena_chunk {
  kgi_arena_chunk *next;
  size_t size; /* of the whole block, header included */
};

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

static void *default_resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user, (void)old_size;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, new_size);
}

void *kgi_resize(const kg_allocator *alloc, void *block, size_t old_size, size_t new_size) {
  if (!alloc || !alloc->resize) return default_resize(NULL, block, old_size, new_size);
  return alloc->resize(alloc->user, block, old_size, new_size);
}

void *kgi_alloc(const kg_allocator *alloc, size_t size) { return kgi_resize(alloc, NULL, 0, size ? size : 1); }

void kgi_free(const kg_allocator *alloc, void *block, size_t size) {
  if (block) kgi_resize(alloc, block, size, 0);
}

void kgi_arena_init(kgi_arena *arena, const kg_allocator *alloc) {
  *arena = (kgi_arena){0};
  if (alloc) arena->alloc = *alloc;
}

void kgi_arena_free(kgi_arena *arena) {
  for (kgi_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
    next = chunk->next;
    kgi_free(&arena->alloc, chunk, chunk->size);
  }
  kgi_arena_init(arena, &(kg_allocator){arena->alloc.resize, arena->alloc.user});
}

static size_t aligned(size_t size) { return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1); }

/* Chunks double up to a megabyte; a request larger than that gets a chunk of its own. */
static bool add_chunk(kgi_arena *arena, size_t need) {
  size_t header = aligned(sizeof(kgi_arena_chunk)), size = arena->chunks ? arena->chunks->size * 2 : FIRST_CHUNK;
  if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
  if (need > SIZE_MAX / 2 - header) return false;
  if (size < need + header) size = need + header;
  if (arena->limit && (size > arena->limit || arena->total > arena->limit - size)) return false;
  kgi_arena_chunk *chunk = kgi_alloc(&arena->alloc, size);
  if (!chunk) return false;
  *chunk = (kgi_arena_chunk){.next = arena->chunks, .size = size};
  arena->chunks = chunk;
  arena->total += size;
  arena->at = (char *)chunk + header;
  arena->end = (char *)chunk + size;
  return true;
}

/* As it comes, not zeroed. */
static void *take(kgi_arena *arena, size_t count, size_t size) {
  size_t bytes;
  if (arena->failed || !kgi_size_mul(count, size, &bytes) || bytes > SIZE_MAX / 4) {
    arena->failed = true;
    return NULL;
  }
  bytes = aligned(bytes ? bytes : 1);
  if ((size_t)(arena->end - arena->at) < bytes && !add_chunk(arena, bytes)) {
    arena->failed = true;
    return NULL;
  }
  void *block = arena->at;
  arena->at += bytes;
  return block;
}

void *kgi_arena_alloc(kgi_arena *arena, size_t count, size_t size) {
  void *block = take(arena, count, size);
  return block ? memset(block, 0, count * size) : NULL;
}

char *kgi_arena_strdup(kgi_arena *arena, const char *text, size_t length) {
  char *copy = length < SIZE_MAX ? kgi_arena_alloc(arena, length + 1, 1) : NULL;
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

bool kgi_arena_reserve(kgi_arena *arena, void *array_pointer, uint32_t count, uint32_t *capacity, uint32_t wanted, size_t size) {
  if (arena->failed || wanted <= *capacity) return !arena->failed;
  void *old, *grown = take(arena, wanted, size);
  if (!grown) return false;
  memcpy(&old, array_pointer, sizeof old); /* any pointer to an object has this representation */
  if (count) memcpy(grown, old, count * size);
  memcpy(array_pointer, &grown, sizeof grown);
  *capacity = wanted;
  return true;
}

bool kgi_arena_grow(kgi_arena *arena, void *array_pointer, uint32_t count, uint32_t *capacity, size_t size) {
  if (arena->failed) return false;
  if (count < *capacity) return true;
  if (*capacity > UINT32_MAX / 2) {
    arena->failed = true;
    return false;
  }
  void *grown;
  if (!kgi_arena_reserve(arena, array_pointer, count, capacity, *capacity ? *capacity * 2 : 8, size)) return false;
  memcpy(&grown, array_pointer, sizeof grown);
  memset((char *)grown + count * size, 0, (*capacity - count) * size);
  return true;
}
