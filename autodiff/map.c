#include "autodiff/explain.h"
#include "autodiff/map.h"

#include <string.h>

struct kg_grad_map {
  kg_allocator alloc;
  kgi_arena arena;
  kg_grad_entry *entry; uint32_t count, cap;
  kgi_explanation explained;
};

size_t kg_grad_map_run_count(const kg_grad_map *map) { return map->explained.run_count; }
size_t kg_grad_map_value_count(const kg_grad_map *map) { return map->explained.value_count; }
size_t kg_grad_map_share_count(const kg_grad_map *map) { return map->explained.share_count; }
size_t kg_grad_map_tape_count(const kg_grad_map *map) { return map->explained.tape_count; }
kg_grad_run kg_grad_map_run(const kg_grad_map *map, size_t index) { return map->explained.run[index]; }
kg_grad_value kg_grad_map_value(const kg_grad_map *map, size_t index) { return map->explained.value[index]; }
kg_grad_share kg_grad_map_share(const kg_grad_map *map, size_t index) { return map->explained.share[index]; }
kg_grad_tape kg_grad_map_tape(const kg_grad_map *map, size_t index) { return map->explained.tape[index]; }

size_t kg_grad_map_checkpoint_count(const kg_grad_map *map) { return map->explained.checkpoint_count; }
kg_grad_checkpoint kg_grad_map_checkpoint(const kg_grad_map *map, size_t index) { return map->explained.checkpoint[index]; }

size_t kg_grad_map_segments_count(const kg_grad_map *map) { return map->explained.segment_count; }
kg_grad_segments kg_grad_map_segments(const kg_grad_map *map, size_t index) { return map->explained.segment[index]; }

size_t kg_grad_map_count(const kg_grad_map *map) { return map->count; }
kg_grad_entry kg_grad_map_entry(const kg_grad_map *map, size_t index) { return map->entry[index]; }

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
