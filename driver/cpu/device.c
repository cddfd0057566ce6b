/* The device, and its buffers, which are memory of the host. */
#include "driver/cpu/cpu.h"
#include "foundation/base/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INVOCATIONS = 1024 };

/* What is no number of threads, as a whole, counts as none. */
static unsigned long stated_threads(void) {
  const char *stated = getenv("KGRAD_THREADS");
  bool digits = stated && *stated && !stated[strspn(stated, "0123456789")];
  return digits ? strtoul(stated, NULL, 10) : 0;
}

static uint32_t thread_count(const kg_context *c) {
  unsigned long count = c->params.threads ? c->params.threads : stated_threads();
  return count ? (uint32_t)(count < UINT32_MAX ? count : UINT32_MAX) : kgi_cores();
}

/* Without Vulkan the reference alone is meant. Without a compiler there is no device, but what to say if it is asked for. */
static kg_status start(kg_context *c, kgi_started *own, kgi_diags *diags) {
  (void)diags;
  if (c->params.no_vulkan) return KG_OK;
  kgi_cpu *cpu = kgi_arena_alloc(&c->arena, 1, sizeof *cpu);
  if (!cpu) return KG_NO_MEMORY;
  kgi_cpu_init(cpu, &c->alloc, thread_count(c));
  own->state = cpu;
  if (!cpu->cc.words) return KG_OK;
  snprintf(cpu->driver, sizeof cpu->driver, "%s", cpu->cc.word[0]);
  kg_device_info info = {.id = "cpu", .name = cpu->host.name, .driver = cpu->driver, .features = UINT32_MAX,
                         .workgroup_invocations = MOST_INVOCATIONS, .shared_bytes = 1 << 20, .subgroup_size = cpu->host.lanes,
                         .buffer_bytes = SIZE_MAX / 4};
  for (unsigned k = 0; k < 3; k++) info.workgroup_size[k] = MOST_INVOCATIONS, info.groups[k] = INT32_MAX;
  return kgi_context_add(c, own, &info) ? KG_OK : KG_NO_MEMORY;
}

static void stop(void *state) { kgi_cpu_drop(state); }

static void describe(void *state) {
  kgi_cpu *cpu = state;
  uint32_t files;
  uint64_t bytes;
  kgi_compiler_recall(&cpu->cc, &cpu->cache);
  kgi_cache_count(&cpu->cache, &files, &bytes);
  const char *compiler = cpu->cc.version[0] ? cpu->cc.version : cpu->cc.word[0];
  if (cpu->cache.folder.text[0])
    snprintf(cpu->driver, sizeof cpu->driver, "%s; cache %s, %u files, %llu KiB", compiler, cpu->cache.folder.text, files,
             (unsigned long long)((bytes + 1023) / 1024));
  else
    snprintf(cpu->driver, sizeof cpu->driver, "%s; no cache", compiler);
}

static bool say_missing(void *state, kgi_diags *diags) {
  const kgi_cpu *cpu = state;
  if (cpu && !cpu->cc.words) KGI_DIAG(diags, no_compiler, 0, cpu->cc.missing);
  return cpu && !cpu->cc.words;
}

static kg_status open_device(kg_context *context, void *state, uint32_t index, const kg_device_info *info, kgi_diags *diags,
                             kg_device **out) {
  kgi_cpu_device *d = kgi_alloc(&context->alloc, sizeof *d);
  (void)index, (void)info, (void)diags;
  if (!d) return KG_NO_MEMORY;
  *d = (kgi_cpu_device){.base = {.backend = &kgi_backend_cpu, .context = context}, .cpu = state};
  *out = &d->base;
  return KG_OK;
}

static void close_device(kg_device *device) { kgi_free(&device->context->alloc, device, sizeof(kgi_cpu_device)); }

/* ---- memory ---- */

static kgi_cpu_buffer *buffer_of(kg_buffer *buffer) { return (kgi_cpu_buffer *)buffer; }

static kg_status buffer_new(kg_device *device, uint64_t bytes, kgi_diags *diags, kg_buffer **out) {
  const kg_allocator *alloc = &device->context->alloc;
  kgi_cpu_buffer *b = bytes < SIZE_MAX / 2 ? kgi_alloc(alloc, sizeof *b) : NULL;
  (void)diags;
  if (!b) return KG_NO_MEMORY;
  *b = (kgi_cpu_buffer){.base = {.device = device, .bytes = bytes}};
  if (!kgi_cpu_memory_take(alloc, bytes, &b->memory)) return kgi_free(alloc, b, sizeof *b), KG_NO_MEMORY;
  *out = &b->base;
  return KG_OK;
}

static void buffer_free(kg_buffer *buffer) {
  const kg_allocator *alloc = &buffer->device->context->alloc;
  kgi_cpu_buffer *b = buffer_of(buffer);
  kgi_cpu_memory_give(alloc, &b->memory);
  kgi_free(alloc, b, sizeof *b);
}

static kg_status buffer_write(kg_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, kgi_diags *diags) {
  (void)diags;
  memcpy(buffer_of(buffer)->memory.bytes + offset, bytes, (size_t)size);
  return KG_OK;
}

static kg_status buffer_read(kg_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, kgi_diags *diags) {
  (void)diags;
  memcpy(bytes, buffer_of(buffer)->memory.bytes + offset, (size_t)size);
  return KG_OK;
}

const kgi_backend kgi_backend_cpu = {
  .name = "cpu", .native = true, .compiles = true, .start = start, .stop = stop, .describe = describe, .say_missing = say_missing,
  .open = open_device, .close = close_device, .compile = kgi_cpu_compile, .buffer_new = buffer_new, .buffer_free = buffer_free,
  .buffer_write = buffer_write, .buffer_read = buffer_read, .prepare = kgi_cpu_prepare, .execute = kgi_cpu_execute,
  .discard = kgi_cpu_discard,
};
