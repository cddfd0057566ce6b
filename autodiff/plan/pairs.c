/* Sets of a block and something in it, as hash tables of numbers. */
#include "autodiff/plan/ad.h"

static uint64_t scramble(uint64_t x) {
  x *= UINT64_C(0x9E3779B97F4A7C15);
  return x ^ x >> 29;
}

static bool find(const kgi_pair_set *set, uint64_t key, uint32_t *at) {
  *at = 0;
  if (!set->capacity) return false;
  uint32_t mask = set->capacity - 1;
  for (*at = (uint32_t)scramble(key) & mask; set->slot[*at]; *at = (*at + 1) & mask)
    if (set->slot[*at] == key) return true;
  return false;
}

static bool grow(kgi_ad *a, kgi_pair_set *set) {
  kgi_pair_set grown = {.capacity = set->capacity ? set->capacity * 2 : 64, .used = set->used};
  if (set->capacity > UINT32_MAX / 4) a->scratch.failed = true;
  grown.slot = kgi_arena_alloc(&a->scratch, grown.capacity, sizeof *grown.slot);
  if (!grown.slot) return kgi_ad_fail(a, KG_NO_MEMORY), false;
  uint32_t at;
  for (uint32_t i = 0; i < set->capacity; i++)
    if (set->slot[i] && !find(&grown, set->slot[i], &at)) grown.slot[at] = set->slot[i];
  *set = grown;
  return true;
}

bool kgi_pair_add(kgi_ad *a, kgi_pair_set *set, uint64_t key) {
  uint32_t at;
  if (find(set, key, &at)) return false;
  if (set->used + 1 > set->capacity / 4 * 3 && !grow(a, set)) return false;
  find(set, key, &at);
  set->slot[at] = key;
  set->used++;
  return true;
}

bool kgi_pair_find(const kgi_pair_set *set, uint64_t key) {
  uint32_t at;
  return find(set, key, &at);
}

void kgi_pair_clear(kgi_pair_set *set) {
  for (uint32_t i = 0; i < set->capacity; i++) set->slot[i] = 0;
  set->used = 0;
}
