/* Contexts, and which devices there are. */
#include "driver/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kgi_context_add(kg_context *c, kgi_started *of, const kg_device_info *info) {
  if (!kgi_arena_grow(&c->arena, &c->listed, c->listed_count, &c->listed_cap, sizeof *c->listed)) return false;
  c->listed[c->listed_count++] = (kgi_listed){*info, of, of->devices++};
  return true;
}

/* The back end whose name it is, or that and a number: then it is no part of a device's name. */
static const kgi_backend *named_backend(const char *which) {
  for (uint32_t i = 0; i < kgi_backend_count; i++) {
    size_t length = strlen(kgi_backends[i]->name);
    if (!strncmp(which, kgi_backends[i]->name, length) && (!which[length] || which[length] == ':')) return kgi_backends[i];
  }
  return NULL;
}

/* Who asks for a device that there is not hears of all that there are: only a back end's own name is sure to be one. */
static bool is_wanted(const kg_context *c, const kgi_backend *b) {
  const kgi_backend *only = c->params.only ? named_backend(c->params.only) : NULL;
  return !b->slow || !only || only == b || strcmp(c->params.only, only->name) != 0;
}

static kg_status start_all(kg_context *c, kgi_diags *diags) {
  c->started = kgi_arena_alloc(&c->arena, kgi_backend_count, sizeof *c->started);
  if (!c->started) return KG_NO_MEMORY;
  for (uint32_t i = 0; i < kgi_backend_count; i++) {
    c->started[i].backend = kgi_backends[i];
    if (!is_wanted(c, kgi_backends[i])) continue;
    kg_status status = kgi_backends[i]->start(c, &c->started[i], diags);
    if (status != KG_OK) return status;
  }
  return KG_OK;
}

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

static kgi_listed *find(const kg_context *c, const char *which) {
  for (uint32_t i = 0; i < c->listed_count; i++)
    if (!strcmp(c->listed[i].info.id, which) || !strcmp(c->listed[i].of->backend->name, which)) return &c->listed[i];
  for (uint32_t i = 0; i < c->listed_count && !named_backend(which); i++)
    if (contains(c->listed[i].info.name, which)) return &c->listed[i];
  return NULL;
}

/* What KGRAD_DEVICE names, or NULL. */
static const char *wished(void) {
  const char *which = getenv("KGRAD_DEVICE");
  return which && *which ? which : NULL;
}

/* The fastest that there is. NULL: there is none of the name that was wished for. */
static kgi_listed *find_usual(const kg_context *c) {
  if (wished()) return find(c, wished());
  for (uint32_t i = 0; i < c->listed_count; i++)
    if (c->listed[i].info.gpu) return &c->listed[i];
  for (uint32_t i = 0; i < c->listed_count; i++)
    if (c->listed[i].of->backend->native) return &c->listed[i];
  return &c->listed[0];
}

kg_status kg_context_new(const kg_allocator *alloc, const kg_context_params *params, const kg_sink *sink, kg_context **out) {
  kgi_diags diags = {.sink = sink};
  kg_context *c = kgi_alloc(alloc, sizeof *c);
  if (!c) return KGI_DIAG(&diags, no_memory, 0, ""), KG_NO_MEMORY;
  *c = (kg_context){.params = params ? *params : (kg_context_params){0}};
  if (alloc) c->alloc = *alloc;
  if (sink) c->sink = *sink;
  const char *validate = getenv("KGRAD_VALIDATE"), *target = getenv("KGRAD_TARGET");
  c->params.validate |= validate && !strcmp(validate, "1");
  c->params.portable |= target && !strcmp(target, "portable");
  kgi_arena_init(&c->arena, alloc);
  if (c->params.only) c->params.only = kgi_arena_strdup(&c->arena, c->params.only, strlen(c->params.only));
  kg_status status = c->arena.failed ? KG_NO_MEMORY : start_all(c, &diags);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  if (status != KG_OK) return kg_context_free(c), status;
  kgi_listed *usual = c->params.only ? NULL : find_usual(c); /* it takes all to tell */
  if (usual) usual->info.usual = true;
  *out = c;
  return KG_OK;
}

void kg_context_free(kg_context *c) {
  if (!c) return;
  for (uint32_t i = c->started ? kgi_backend_count : 0; i-- > 0;)
    if (c->started[i].state) c->started[i].backend->stop(c->started[i].state);
  kgi_arena_free(&c->arena);
  kg_allocator alloc = c->alloc;
  kgi_free(&alloc, c, sizeof *c);
}

uint32_t kg_device_count(const kg_context *c) { return c->listed_count; }

kg_device_info kg_device_at(const kg_context *c, uint32_t index) {
  if (index >= c->listed_count) return (kg_device_info){.id = "", .name = "", .driver = ""};
  const kgi_started *of = c->listed[index].of;
  if (of->backend->describe) of->backend->describe(of->state);
  return c->listed[index].info;
}

kg_device_info kg_device_describe(const kg_device *device) { return device->info; }

static void say_unknown(const kg_context *c, const char *which, kgi_diags *diags) {
  char list[480] = "";
  const kgi_backend *named = named_backend(which);
  for (uint32_t i = 0; i < kgi_backend_count; i++) {
    const kgi_started *of = &c->started[i];
    if (of->backend == named && !of->devices && named->say_missing && named->say_missing(of->state, diags)) return;
  }
  for (uint32_t i = 0; i < c->listed_count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s (%s)", i ? ", " : "", c->listed[i].info.id, c->listed[i].info.name);
  }
  KGI_DIAG(diags, no_device, 0, which, list);
}

kg_status kg_device_open(kg_context *c, const char *which, const kg_sink *sink, kg_device **out) {
  kgi_diags diags = {.sink = sink};
  if (!which) which = c->params.only;
  const kgi_listed *found = which ? find(c, which) : find_usual(c);
  if (!found) return say_unknown(c, which ? which : wished(), &diags), KG_UNAVAILABLE;
  uint32_t before = c->messages;
  kg_device *device = NULL;
  kg_status status = found->of->backend->open(c, found->of->state, found->index, &found->info, &diags, &device);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  if (status != KG_OK) return status;
  device->info = found->info;
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

static bool inside(const kg_buffer *buffer, uint64_t offset, uint64_t size, kgi_diags *diags) {
  if (!buffer) return KGI_DIAG(diags, build_missing, 0, "a copy", "buffer", "one; a name that a module lacks finds none"), false;
  if (offset <= buffer->bytes && size <= buffer->bytes - offset) return true;
  KGI_DIAG(diags, buffer_end, 0, KGI_NUM(size), KGI_NUM(offset), KGI_NUM(buffer->bytes));
  return false;
}

/* The hooks say what failed, but for memory of the host. */
static kg_status moved(kg_status status, const kg_sink *sink) { return status == KG_NO_MEMORY ? kgi_no_memory(sink) : status; }

kg_status kg_buffer_write(kg_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, const kg_sink *sink) {
  kgi_diags diags = {.sink = sink};
  if (!inside(buffer, offset, size, &diags)) return KG_INVALID;
  return size ? moved(buffer->device->backend->buffer_write(buffer, offset, bytes, size, &diags), sink) : KG_OK;
}

kg_status kg_buffer_read(kg_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, const kg_sink *sink) {
  kgi_diags diags = {.sink = sink};
  if (!inside(buffer, offset, size, &diags)) return KG_INVALID;
  return size ? moved(buffer->device->backend->buffer_read(buffer, offset, bytes, size, &diags), sink) : KG_OK;
}
