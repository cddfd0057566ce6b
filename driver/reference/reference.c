/* driver/reference: the reference interpreter as a device, whose memory is the host's. */
#include "driver/backend.h"

#include <kgrad/reference.h>

#include <string.h>

extern const kgi_backend kgi_backend_reference;

typedef struct host_buffer { kg_buffer base; unsigned char *bytes; } host_buffer;

static host_buffer *host_of(kg_buffer *buffer) { return (host_buffer *)buffer; }

static kg_status start(kg_context *c, kgi_started *own, kgi_diags *diags) {
  kg_device_info info = {.id = "reference", .name = "the reference interpreter", .driver = "", .features = UINT32_MAX,
                         .workgroup_invocations = UINT32_MAX, .shared_bytes = UINT32_MAX, .subgroup_size = 32,
                         .buffer_bytes = UINT64_MAX};
  (void)diags;
  for (unsigned k = 0; k < 3; k++) info.workgroup_size[k] = info.groups[k] = UINT32_MAX;
  return kgi_context_add(c, own, &info) ? KG_OK : KG_NO_MEMORY;
}

static kg_status open_device(kg_context *context, void *state, uint32_t index, const kg_device_info *info, kgi_diags *diags,
                             kg_device **out) {
  kg_device *d = kgi_alloc(&context->alloc, sizeof *d);
  (void)state, (void)index, (void)info, (void)diags;
  if (!d) return KG_NO_MEMORY;
  *d = (kg_device){.backend = &kgi_backend_reference, .context = context};
  *out = d;
  return KG_OK;
}

static void close_device(kg_device *device) { kgi_free(&device->context->alloc, device, sizeof *device); }

static kg_status buffer_new(kg_device *device, uint64_t bytes, kgi_diags *diags, kg_buffer **out) {
  const kg_allocator *alloc = &device->context->alloc;
  host_buffer *b = bytes < SIZE_MAX / 2 ? kgi_alloc(alloc, sizeof *b) : NULL;
  unsigned char *memory = b ? kgi_alloc(alloc, (size_t)bytes) : NULL;
  (void)diags;
  if (!memory) return kgi_free(alloc, b, sizeof *b), KG_NO_MEMORY;
  memset(memory, 0, (size_t)bytes);
  *b = (host_buffer){.base = {.device = device, .bytes = bytes}, .bytes = memory};
  *out = &b->base;
  return KG_OK;
}

static void buffer_free(kg_buffer *buffer) {
  const kg_allocator *alloc = &buffer->device->context->alloc;
  host_buffer *b = host_of(buffer);
  kgi_free(alloc, b->bytes, buffer->bytes ? (size_t)buffer->bytes : 1);
  kgi_free(alloc, b, sizeof *b);
}

static kg_status buffer_write(kg_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, kgi_diags *diags) {
  (void)diags;
  memcpy(host_of(buffer)->bytes + offset, bytes, (size_t)size);
  return KG_OK;
}

static kg_status buffer_read(kg_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, kgi_diags *diags) {
  (void)diags;
  memcpy(bytes, host_of(buffer)->bytes + offset, (size_t)size);
  return KG_OK;
}

/* The arrays that the interpreter takes, by the module's buffers. It allocates temp buffers itself. */
static kg_status prepare(kg_executable *exe, kgi_diags *diags) {
  uint32_t count = kg_module_buffer_count(exe->module);
  void **arrays = kgi_arena_alloc(&exe->arena, count, sizeof *arrays);
  (void)diags;
  if (!arrays) return KG_NO_MEMORY;
  for (uint32_t i = 0; i < count; i++)
    if (exe->module->scope.object[i + 1].mode != KG_TEMP) arrays[i] = host_of(exe->buffer[i + 1])->bytes;
  exe->state = arrays;
  return KG_OK;
}

static kg_status execute(kg_executable *exe, kgi_diags *diags) {
  kg_reference_params params = {.module = exe->module, .allocator = &exe->device->context->alloc, .sink = diags->sink,
                                .buffers = exe->state, .lengths = exe->length, .param_bits = exe->param};
  return kg_reference_run(&params, NULL);
}

static void discard(kg_executable *exe) { (void)exe; }

const kgi_backend kgi_backend_reference = {
  .name = "reference", .start = start, .open = open_device, .close = close_device, .buffer_new = buffer_new, .buffer_free = buffer_free,
  .buffer_write = buffer_write, .buffer_read = buffer_read, .prepare = prepare, .execute = execute, .discard = discard,
};
