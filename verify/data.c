#include "verify/data.h"
#include "autodiff/asked.h"

#include <string.h>

kg_status kgi_data_room(const kg_module *m, const kg_allocator *alloc, kgi_data *d) {
  size_t buffers = kg_module_buffer_count(m), params = kg_module_param_count(m);
  *d = (kgi_data){.module = m};
  kgi_arena_init(&d->arena, alloc);
  d->array = kgi_arena_alloc(&d->arena, buffers, sizeof *d->array);
  d->at = kgi_arena_alloc(&d->arena, buffers, sizeof *d->at);
  d->host.param = kgi_arena_alloc(&d->arena, params, sizeof *d->host.param);
  d->host.param_given = kgi_arena_alloc(&d->arena, params, sizeof *d->host.param_given);
  d->host.length = kgi_arena_alloc(&d->arena, buffers, sizeof *d->host.length);
  d->host.length_given = kgi_arena_alloc(&d->arena, buffers, sizeof *d->host.length_given);
  return d->arena.failed ? KG_NO_MEMORY : KG_OK;
}

static bool make_array(kgi_arena *arena, kg_type type, uint64_t count, kgi_array *a) {
  *a = (kgi_array){.type = type, .count = count};
  if (count > SIZE_MAX / 16) return false;
  a->size = (size_t)count * kg_type_size(type);
  a->data = kgi_arena_alloc(arena, a->size, 1);
  return a->data;
}

kg_status kgi_data_add(kgi_data *d, uint32_t b) {
  bool fine = make_array(&d->arena, kg_module_buffer(d->module, b).type, d->host.length[b], &d->array[b]);
  d->at[b] = d->array[b].data;
  return fine ? KG_OK : KG_NO_MEMORY;
}

static void copy_host(const kg_module *m, const kg_host *from, kg_host *to) {
  size_t buffers = kg_module_buffer_count(m), params = kg_module_param_count(m);
  memcpy(to->param, from->param, params * sizeof *to->param);
  memcpy(to->param_given, from->param_given, params * sizeof *to->param_given);
  memcpy(to->length, from->length, buffers * sizeof *to->length);
  memcpy(to->length_given, from->length_given, buffers * sizeof *to->length_given);
}

kg_status kgi_data_copy(const kgi_data *from, const kg_allocator *alloc, kgi_data *d) {
  kg_status status = kgi_data_room(from->module, alloc, d);
  if (status != KG_OK) return status;
  copy_host(d->module, &from->host, &d->host);
  for (uint32_t b = 0; b < kg_module_buffer_count(d->module) && status == KG_OK; b++) {
    if (from->array[b].data) status = kgi_data_add(d, b);
    if (from->array[b].data && status == KG_OK) memcpy(d->at[b], from->at[b], from->array[b].size);
  }
  return status;
}

void kgi_data_free(kgi_data *d) {
  kgi_arena_free(&d->arena);
  *d = (kgi_data){.module = NULL};
}

bool kgi_array_draw(kgi_arena *arena, uint64_t seed, const char *name, kg_type type, uint64_t count, kgi_array *a) {
  return make_array(arena, type, count, a) && kgi_value_random(seed, name, -1, 1, type, count, a->data);
}

/* ---- params and lengths ---- */

/* `[]` buffers are mostly as long as one another. */
static void take_lengths(const kg_module *m, kg_host *host) {
  uint64_t length = KG_VERIFY_OPEN_LENGTH;
  for (uint32_t b = kg_module_buffer_count(m); b-- > 0;)
    if (kg_module_buffer(m, b).host_length && host->length_given[b]) length = host->length[b];
  for (uint32_t b = 0; b < kg_module_buffer_count(m); b++)
    if (kg_module_buffer(m, b).host_length && !host->length_given[b]) host->length[b] = length, host->length_given[b] = true;
}

kg_status kg_verify_resolve(const kg_module *m, kg_host *host, const kg_sink *sink) {
  take_lengths(m, host);
  kg_status status = kg_module_resolve(m, host, sink);
  return status == KG_OK ? kgi_check_elements(m, host, sink) : status;
}

/* ---- the whole ---- */

/* Nobody knows how long an array is that comes without a length, where the declaration does not say. */
static kg_status check_open(const kg_module *m, const kg_verify_params *params, const kg_sink *sink) {
  for (uint32_t b = 0; params->data && b < kg_module_buffer_count(m); b++) {
    kg_buffer_info info = kg_module_buffer(m, b);
    if (!params->data[b] || !info.host_length || (params->host && params->host->length_given[b])) continue;
    KGI_DIAG(&(kgi_diags){.sink = sink}, length_open, 0, info.name);
    return KG_INVALID;
  }
  return KG_OK;
}

/* x + -0 is x, to the sign of a zero. */
static void fill_delta(kgi_data *d, uint32_t b) {
  const kgi_array *a = &d->array[b];
  for (uint64_t i = 0; i < a->count; i++) kg_value_store(a->type, a->data, i, kgi_value_of_number(a->type, -0.0));
}

static kg_status fill(kgi_data *d, uint32_t b, const kg_verify_params *params, const kg_sink *sink) {
  const void *given = params->data ? params->data[b] : NULL;
  kg_mode mode = kg_module_buffer(d->module, b).mode;
  if (mode == KG_TEMP) return KG_OK;
  if (kgi_data_add(d, b) != KG_OK) return KGI_DIAG(&(kgi_diags){.sink = sink}, no_memory, 0, ""), KG_NO_MEMORY;
  if (mode == KG_WRITE) return KG_OK;
  if (kgi_is_after(kg_module_buffer(d->module, b).name)) return fill_delta(d, b), KG_OK;
  if (!given) return kg_module_random(d->module, &d->host, b, params->seed, sink, d->at[b]);
  memcpy(d->at[b], given, d->array[b].size);
  return KG_OK;
}

kg_status kgi_data_make(const kg_module *m, const kg_verify_params *params, const kg_allocator *alloc, const kg_sink *sink,
                        kgi_data *d) {
  if (kgi_data_room(m, alloc, d) != KG_OK) return KGI_DIAG(&(kgi_diags){.sink = sink}, no_memory, 0, ""), KG_NO_MEMORY;
  if (params->host) copy_host(m, params->host, &d->host);
  kg_status status = check_open(m, params, sink);
  if (status == KG_OK) status = kg_verify_resolve(m, &d->host, sink);
  for (uint32_t b = 0; b < kg_module_buffer_count(m) && status == KG_OK; b++) status = fill(d, b, params, sink);
  return status;
}
