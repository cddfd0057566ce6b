#define _GNU_SOURCE
#include "driver/cpu/memory.h"

#include <string.h>
#include <sys/mman.h>

enum {
  ALIGNMENT = 64,     /* of the widest registers */
  MAPPED = 256 << 10, /* from here on memory comes in pages that are zero when they are first touched */
  LARGE = 2 << 20,    /* a large page: one fault where small ones take 512, and one entry of the processor's table of places */
};

static unsigned char *aligned(void *block, size_t to) { return (unsigned char *)(((uintptr_t)block + to - 1) / to * to); }

/* The system is asked for large pages, as many as are full: what is behind them takes small ones, so that no memory is lost. It may
 * refuse: then all are small. */
static void map(uint64_t bytes, kgi_cpu_memory *m) {
  size_t start = bytes >= LARGE ? LARGE : ALIGNMENT;
  m->size = (size_t)bytes + ALIGNMENT + start;
  m->block = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m->block == MAP_FAILED) m->block = NULL;
  m->bytes = aligned(m->block, start);
#ifdef MADV_HUGEPAGE
  if (m->block && bytes >= LARGE) madvise(m->bytes, (size_t)bytes / LARGE * LARGE, MADV_HUGEPAGE);
#endif
}

bool kgi_cpu_memory_take(const kg_allocator *alloc, uint64_t bytes, kgi_cpu_memory *out) {
  *out = (kgi_cpu_memory){.size = (size_t)bytes + 2 * ALIGNMENT};
  if (bytes >= MAPPED) return map(bytes, out), out->block != NULL;
  out->block = kgi_alloc(alloc, out->size);
  if (out->block) memset(out->block, 0, out->size);
  out->bytes = aligned(out->block, ALIGNMENT);
  return out->block != NULL;
}

void kgi_cpu_memory_give(const kg_allocator *alloc, kgi_cpu_memory *memory) {
  if (memory->size >= MAPPED + 2 * ALIGNMENT) munmap(memory->block, memory->size);
  else kgi_free(alloc, memory->block, memory->size);
  *memory = (kgi_cpu_memory){0};
}
