#include "foundation/base/set.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t kgi_hash(const void *bytes, size_t size) { return XXH3_64bits(bytes, size); }

/* Half of the hash lies beside each index, so that what is not meant is seldom looked at, and growing looks at nothing. */
uint32_t kgi_set_find(const kgi_set *set, uint64_t hash, bool (*same)(const void *context, uint32_t index), const void *context) {
  if (!set->capacity) return 0;
  uint32_t mask = set->capacity - 1;
  for (uint32_t at = (uint32_t)hash & mask; set->slot[at].index; at = (at + 1) & mask)
    if (set->slot[at].hash == (uint32_t)hash && same(context, set->slot[at].index)) return set->slot[at].index;
  return 0;
}

static void place(kgi_set *set, struct kgi_set_slot entry) {
  uint32_t mask = set->capacity - 1, at = entry.hash & mask;
  while (set->slot[at].index) at = (at + 1) & mask;
  set->slot[at] = entry;
  set->used++;
}

static bool grow(kgi_arena *arena, kgi_set *set) {
  if (set->capacity > UINT32_MAX / 4) arena->failed = true;
  kgi_set grown = {.capacity = set->capacity ? set->capacity * 2 : 16};
  grown.slot = kgi_arena_alloc(arena, grown.capacity, sizeof *grown.slot);
  if (!grown.slot) return false;
  for (uint32_t i = 0; i < set->capacity; i++)
    if (set->slot[i].index) place(&grown, set->slot[i]);
  *set = grown;
  return true;
}

bool kgi_set_add_hashed(kgi_arena *arena, kgi_set *set, uint32_t index, uint64_t hash) {
  if (set->used + 1 > set->capacity / 2 && !grow(arena, set)) return false; /* a miss costs two or three probes */
  place(set, (struct kgi_set_slot){(uint32_t)hash, index});
  return true;
}

bool kgi_set_add(kgi_arena *arena, kgi_set *set, uint32_t index, uint64_t (*rehash)(const void *owner, uint32_t index),
                 const void *owner) {
  return kgi_set_add_hashed(arena, set, index, rehash(owner, index));
}
