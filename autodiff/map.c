#include "autodiff/explain.h"
#include "autodiff/map.h"

#include <string.h>

struct kg_grad_map {
  kg_allocator alloc;
  kgi_arena arena;
  kg_grad_entry *entry; uint32_t count, cap;
  kgi_explanation explained;
};

/* How many there are, and each of them; past the end all of it is 0. */
#define ROWS(counted, one, rows, count)                                                \
  size_t kg_grad_map_##counted(const kg_grad_map *map) { return map->count; }          \
  kg_grad_##one kg_grad_map_##one(const kg_grad_map *map, size_t index) {              \
    return index < map->count ? map->rows[index] : (kg_grad_##one){0};                 \
  }
ROWS(count, entry, entry, count)
ROWS(run_count, run, explained.run, explained.run_count)
ROWS(value_count, value, explained.value, explained.value_count)
ROWS(share_count, share, explained.share, explained.share_count)
ROWS(tape_count, tape, explained.tape, explained.tape_count)
ROWS(checkpoint_count, checkpoint, explained.checkpoint, explained.checkpoint_count)
ROWS(segments_count, segments, explained.segment, explained.segment_count)
#undef ROWS

void kg_grad_map_free(kg_grad_map *map) {
  if (!map) return;
  kg_allocator alloc = map->alloc;
  kgi_arena_free(&map->arena);
  kgi_free(&alloc, map, sizeof *map);
}

kg_grad_map *kgi_map_new(const kg_allocator *alloc) {
  kg_grad_map *map = kgi_alloc(alloc, sizeof *map);
  if (!map) return NULL;
  *map = (kg_grad_map){.alloc = alloc ? *alloc : (kg_allocator){0}};
  kgi_arena_init(&map->arena, alloc);
  map->explained.arena = &map->arena;
  return map;
}

struct kgi_explanation *kgi_map_explanation(kg_grad_map *map) { return &map->explained; }
bool kgi_map_failed(const kg_grad_map *map) { return map->arena.failed; }

void kgi_map_add(kg_grad_map *map, kg_grad_entry entry) {
  entry.name = kgi_arena_strdup(&map->arena, entry.name, strlen(entry.name));
  entry.shadow = kgi_arena_strdup(&map->arena, entry.shadow, strlen(entry.shadow));
  if (!kgi_arena_grow(&map->arena, &map->entry, map->count, &map->cap, sizeof *map->entry) || map->arena.failed) return;
  map->entry[map->count++] = entry;
}
