/* Buffers and params by name, for hosts that do not count declarations. */
#include "foundation/host/layout.h"
#include "foundation/host/value.h"

#include <string.h>

typedef struct binder {
  const kg_module *m;
  kg_host *host;
  void **data;
  kgi_diags diags;
} binder;

static bool bind_param(binder *b, uint32_t i, const kg_binding *given) {
  const kgi_param *p = &b->m->scope.param[i + 1];
  if (b->host->param_given[i]) return KGI_DIAG(&b->diags, stated_twice, 0, given->name), false;
  if (!given->data || given->count != 1) return KGI_DIAG(&b->diags, bind_value, p->pos, given->name, kg_type_name((kg_type)p->type)), false;
  b->host->param[i] = kg_value_load((kg_type)p->type, given->data, 0);
  b->host->param_given[i] = true;
  return true;
}

static bool bind_buffer(binder *b, uint32_t i, const kg_binding *given) {
  const kgi_object *o = &b->m->scope.object[i + 1];
  if (o->mode == KG_TEMP) return KGI_DIAG(&b->diags, bind_temp, o->pos, given->name), false;
  if (b->host->length_given[i] || b->data[i]) return KGI_DIAG(&b->diags, stated_twice, 0, given->name), false;
  b->data[i] = given->data;
  b->host->length[i] = given->count;
  b->host->length_given[i] = given->data || given->count;
  return true;
}

static bool bind(binder *b, const kg_binding *given) {
  if (!given->name) return KGI_DIAG(&b->diags, build_missing, 0, "a binding", "name", "that of a buffer or param"), false;
  uint32_t buffer = kg_module_find_buffer(b->m, given->name), param = kg_module_find_param(b->m, given->name);
  if (buffer != UINT32_MAX) return bind_buffer(b, buffer, given);
  if (param != UINT32_MAX) return bind_param(b, param, given);
  return KGI_DIAG(&b->diags, bind_name, 0, kg_module_name(b->m), given->name), false;
}

kg_status kg_module_bind(const kg_module *m, const kg_binding *bindings, size_t count, const kg_sink *sink, kg_host *host, void **data) {
  binder b = {.m = m, .host = host, .data = data, .diags = {.sink = sink, .file = m->file}};
  for (uint32_t i = 0; i < kg_module_param_count(m); i++) host->param[i] = 0, host->param_given[i] = false;
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) host->length[i] = 0, host->length_given[i] = false, data[i] = NULL;
  for (size_t i = 0; i < count; i++)
    if (!bind(&b, &bindings[i])) return KG_INVALID;
  return KG_OK;
}
