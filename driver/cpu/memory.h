/* Memory of the device: zeros to begin with, aligned for the widest registers, and with room behind for a vector that begins inside. */
#ifndef KGI_DRIVER_CPU_MEMORY_H
#define KGI_DRIVER_CPU_MEMORY_H
#include "foundation/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kgi_cpu_memory { unsigned char *bytes; void *block; size_t size; } kgi_cpu_memory;

/* False: there is none. `bytes` is less than SIZE_MAX / 2. */
bool kgi_cpu_memory_take(const kg_allocator *alloc, uint64_t bytes, kgi_cpu_memory *out);
/* What holds none is fine. */
void kgi_cpu_memory_give(const kg_allocator *alloc, kgi_cpu_memory *memory);
#endif
