/* Runs and executables whose buffers and params are given by name. */
#include "driver/backend.h"

typedef struct named {
  kgi_arena arena;
  kg_host host;
  void **data;
} named;

static kg_status open(named *n, kg_device *device, const kg_module *m, const kg_binding *bindings, size_t count, const kg_sink *sink) {
  uint32_t params = kg_module_param_count(m), buffers = kg_module_buffer_count(m);
  kgi_arena_init(&n->arena, &device->context->alloc);
  n->host.param = kgi_arena_alloc(&n->arena, params, sizeof *n->host.param);
  n->host.param_given = kgi_arena_alloc(&n->arena, params, sizeof *n->host.param_given);
  n->host.length = kgi_arena_alloc(&n->arena, buffers, sizeof *n->host.length);
  n->host.length_given = kgi_arena_alloc(&n->arena, buffers, sizeof *n->host.length_given);
  n->data = kgi_arena_alloc(&n->arena, buffers, sizeof *n->data);
  return n->arena.failed ? kgi_no_memory(sink) : kg_module_bind(m, bindings, count, sink, &n->host, n->data);
}

kg_status kg_run_bound(kg_device *device, const kg_module *m, const kg_binding *bindings, size_t count,
                       const kg_executable_params *params, const kg_sink *sink, double *seconds) {
  named n;
  kg_status status = open(&n, device, m, bindings, count, sink);
  if (status == KG_OK) status = kg_run(device, m, &n.host, n.data, params, sink, seconds);
  kgi_arena_free(&n.arena);
  return status;
}

kg_status kg_executable_new_bound(kg_device *device, const kg_module *m, const kg_binding *bindings, size_t count,
                                  const kg_executable_params *params, const kg_sink *sink, kg_executable **out) {
  named n;
  kg_executable *made = NULL;
  kg_status status = open(&n, device, m, bindings, count, sink);
  if (status == KG_OK) status = kg_module_resolve(m, &n.host, sink);
  if (status == KG_OK) status = kg_executable_new(device, m, &n.host, params, sink, &made);
  if (status == KG_OK) status = kgi_executable_upload(made, n.data, sink);
  kgi_arena_free(&n.arena);
  if (status != KG_OK) return kg_executable_free(made), status;
  *out = made;
  return KG_OK;
}

kg_buffer *kg_executable_find(const kg_executable *exe, const char *name) {
  return kg_executable_buffer(exe, kg_module_find_buffer(exe->module, name));
}
