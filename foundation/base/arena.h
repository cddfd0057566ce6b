/* foundation/base: what everything stands on: memory, diagnostics, sets, limits, text in UTF-8, exact arithmetic of long numbers. */
/* Memory that is freed together. A failed allocation is sticky: the arena remembers it, every later request fails too, and
 * whoever owns the arena asks once at the end. */
#ifndef KGI_ARENA_H
#define KGI_ARENA_H
#include <kgrad/foundation.h>

typedef struct kgi_arena_chunk kgi_arena_chunk;
typedef struct kgi_arena {
  kg_allocator alloc;
  kgi_arena_chunk *chunks;
  char *at, *end;   /* what is left of the newest chunk */
  size_t total;     /* bytes held */
  size_t limit;     /* 0: none; past it a request fails, so that hostile input cannot take the machine */
  bool failed;
} kgi_arena;

void kgi_arena_init(kgi_arena *arena, const kg_allocator *alloc);
void kgi_arena_free(kgi_arena *arena);
/* Zeroed, aligned for any object; NULL once the arena has failed. size 0 gives a valid pointer. */
void *kgi_arena_alloc(kgi_arena *arena, size_t count, size_t size);
char *kgi_arena_strdup(kgi_arena *arena, const char *text, size_t length);
/* Makes room for one more element in an array of the arena: doubles it when it is full. Returns false once failed. */
bool kgi_arena_grow(kgi_arena *arena, void *array_pointer, uint32_t count, uint32_t *capacity, size_t size);

/* Room for `wanted` elements at once, where that is known, so that growth leaves no copies behind. Not zeroed past `count`, and
 * pages that stay unused cost nothing. */
bool kgi_arena_reserve(kgi_arena *arena, void *array_pointer, uint32_t count, uint32_t *capacity, uint32_t wanted, size_t size);

/* The caller's allocator, or malloc's. */
void *kgi_alloc(const kg_allocator *alloc, size_t size);
void *kgi_resize(const kg_allocator *alloc, void *block, size_t old_size, size_t new_size);
void kgi_free(const kg_allocator *alloc, void *block, size_t size);

/* Checked arithmetic of sizes: false on overflow. */
static inline bool kgi_size_mul(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool kgi_size_add(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }
#endif
