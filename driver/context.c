/* Contexts, and which devices there are. */
#include "driver/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kgi_context_add(kg_context *c, const kg_device_info *info) {
  kg_device_info *grown = kgi_arena_alloc(&c->arena, c->info_count + 1, sizeof *grown);
  if (!grown) return false;
  if (c->info_count) memcpy(grown, c->info, c->info_count * sizeof *grown);
  c->info = grown;
  c->info[c->info_count++] = *info;
  return true;
}

static bool add_reference(kg_context *c) {
  kg_device_info info = {.id = "reference", .name = "the reference interpreter", .driver = "", .features = UINT32_MAX,
                         .workgroup_invocations = UINT32_MAX, .shared_bytes = UINT32_MAX, .subgroup_size = 32,
                         .buffer_bytes = UINT64_MAX};
  for (unsigned k = 0; k < 3; k++) info.workgroup_size[k] = info.groups[k] = UINT32_MAX;
  return kgi_context_add(c, &info);
}

kg_status kg_context_new(const kg_allocator *alloc, const kg_context_params *params, const kg_sink *sink, kg_context **out) {
  kgi_diags diags = {.sink = sink};
  kg_context *c = kgi_alloc(alloc, sizeof *c);
  if (!c) return KGI_DIAG(&diags, no_memory, 0, ""), KG_NO_MEMORY;
  *c = (kg_context){.params = params ? *params : (kg_context_params){0}};
  if (alloc) c->alloc = *alloc;
  if (sink) c->sink = *sink;
  const char *validate = getenv("KGRAD_VALIDATE");
  c->params.validate |= validate && !strcmp(validate, "1");
  kgi_arena_init(&c->arena, alloc);
  kg_status status = add_reference(c) ? KG_OK : KG_NO_MEMORY;
  if (status == KG_OK && !c->params.no_vulkan) status = kgi_vulkan_start(c, &diags);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  if (status != KG_OK) return kg_context_free(c), status;
  *out = c;
  return KG_OK;
}

void kg_context_free(kg_context *c) {
  if (!c) return;
  kgi_vulkan_stop(c);
  kgi_arena_free(&c->arena);
  kg_allocator alloc = c->alloc;
  kgi_free(&alloc, c, sizeof *c);
}

uint32_t kg_device_count(const kg_context *c) { return c->info_count; }

kg_device_info kg_device_at(const kg_context *c, uint32_t index) {
  return index < c->info_count ? c->info[index] : (kg_device_info){.id = "", .name = "", .driver = ""};
}

kg_device_info kg_device_describe(const kg_device *device) { return device->info; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; } /* in every locale */

static bool contains(const char *text, const char *part) {
  size_t n = strlen(part);
  for (; *text; text++) {
    size_t i = 0;
    while (i < n && lower(text[i]) == lower(part[i])) i++;
    if (i == n) return n > 0;
  }
  return false;
}

/* The index in the list, or its end. */
static uint32_t find(const kg_context *c, const char *which) {
  for (uint32_t i = 0; i < c->info_count; i++)
    if (!strcmp(c->info[i].id, which)) return i;
  if (!strcmp(which, "vulkan")) return c->info_count > 1 ? 1 : c->info_count;
  if (!strncmp(which, "vulkan:", 7)) return c->info_count;
  for (uint32_t i = 0; i < c->info_count; i++)
    if (contains(c->info[i].name, which)) return i;
  return c->info_count;
}

static void say_unknown(const kg_context *c, const char *which, kgi_diags *diags) {
  char list[480] = "";
  for (uint32_t i = 0; i < c->info_count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s (%s)", i ? ", " : "", c->info[i].id, c->info[i].name);
  }
  KGI_DIAG(diags, no_device, 0, which, list);
}

kg_status kg_device_open(kg_context *c, const char *which, const kg_sink *sink, kg_device **out) {
  kgi_diags diags = {.sink = sink};
  uint32_t index = find(c, which);
  if (index == c->info_count) return say_unknown(c, which, &diags), KG_UNAVAILABLE;
  uint32_t before = c->messages;
  kg_device *device = NULL;
  kg_status status = index == 0 ? kgi_reference_open(c, &diags, &device) : kgi_vulkan_open(c, index - 1, &diags, &device);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  if (status != KG_OK) return status;
  device->info = c->info[index];
  if (c->messages != before) return kg_device_free(device), KG_FAILED;
  *out = device;
  return KG_OK;
}

void kg_device_free(kg_device *device) {
  if (device) device->backend->close(device);
}

/* ---- buffers ---- */

kg_status kg_buffer_new(kg_device *device, uint64_t bytes, const kg_sink *sink, kg_buffer **out) {
  kgi_diags diags = {.sink = sink};
  if (bytes > device->info.buffer_bytes) {
    KGI_DIAG(&diags, device_buffer, 0, "(new)", KGI_NUM(bytes), KGI_NUM(device->info.buffer_bytes));
    return KG_REFUSED;
  }
  kg_status status = device->backend->buffer_new(device, bytes, &diags, out);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  return status;
}

void kg_buffer_free(kg_buffer *buffer) {
  if (buffer) buffer->device->backend->buffer_free(buffer);
}

uint64_t kg_buffer_size(const kg_buffer *buffer) { return buffer->bytes; }

static bool inside(const kg_buffer *buffer, uint64_t offset, uint64_t size) {
  return offset <= buffer->bytes && size <= buffer->bytes - offset;
}

kg_status kg_buffer_write(kg_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size) {
  if (!inside(buffer, offset, size)) return KG_INVALID;
  return size ? buffer->device->backend->buffer_write(buffer, offset, bytes, size) : KG_OK;
}

kg_status kg_buffer_read(kg_buffer *buffer, uint64_t offset, void *bytes, uint64_t size) {
  if (!inside(buffer, offset, size)) return KG_INVALID;
  return size ? buffer->device->backend->buffer_read(buffer, offset, bytes, size) : KG_OK;
}
