/* An open-addressing set of indices into a table that the caller keeps: how strings, leaves and length expressions are made unique. */
#ifndef KGI_SET_H
#define KGI_SET_H
#include "foundation/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct kgi_set { struct kgi_set_slot { uint32_t hash, index; } *slot; uint32_t capacity, used; } kgi_set;

uint64_t kgi_hash(const void *bytes, size_t size);
/* The index already in the set for which `same(context, index)` holds, or 0. */
uint32_t kgi_set_find(const kgi_set *set, uint64_t hash, bool (*same)(const void *context, uint32_t index), const void *context);
/* Adds an index that is not in the set; `rehash(owner, index)` gives its hash. */
bool kgi_set_add(kgi_arena *arena, kgi_set *set, uint32_t index, uint64_t (*rehash)(const void *owner, uint32_t index),
                 const void *owner);
/* The same where its hash is at hand. */
bool kgi_set_add_hashed(kgi_arena *arena, kgi_set *set, uint32_t index, uint64_t hash);
#endif
