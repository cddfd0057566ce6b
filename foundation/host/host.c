/* What a host must know before a module runs: the params, the lengths of buffers, and the ranges that values promise to keep. */
#include "foundation/host/layout.h"
#include "foundation/base/floats.h"

#include <string.h>

static kgi_dim_env env_of(const kg_host *host) {
  return (kgi_dim_env){.param = host->param, .length = host->length, .host = true};
}

static bool fits(kg_type type, uint64_t value) {
  unsigned width = kgi_type_bits(type) - (kgi_type_kind_of(type) == KGI_SINT);
  return width >= 64 || value >> width == 0;
}

/* A param that alone is the length of a buffer that the host has comes from there. */
static kg_status infer_params(const kg_module *m, kg_host *host, kgi_diags *diags) {
  const kgi_scope *s = &m->scope;
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    const kgi_object *o = &s->object[i + 1];
    const kgi_dim_node *n = &s->dim[o->length.i];
    if (!host->length_given[i] || n->op != KGI_DIM_PARAM || host->param_given[n->a - 1]) continue;
    kg_type type = (kg_type)s->param[n->a].type;
    if (!kgi_is_int(type)) continue;
    if (!fits(type, host->length[i])) return KGI_DIAG(diags, dim_overflow, o->pos, kgi_string(m, o->name)), KG_INVALID;
    host->param[n->a - 1] = host->length[i];
    host->param_given[n->a - 1] = true;
  }
  return KG_OK;
}

static kg_status default_params(const kg_module *m, kg_host *host, kgi_diags *diags) {
  kg_status status = KG_OK;
  for (uint32_t i = 0; i < kg_module_param_count(m); i++) {
    const kgi_param *p = &m->scope.param[i + 1];
    if (host->param_given[i]) continue;
    if (!p->has_default) {
      KGI_DIAG(diags, param_missing, p->pos, kgi_string(m, p->name), kgi_is_length(m, i + 1) ? ", or an array whose length it is" : "");
      status = KG_INVALID;
    }
    host->param[i] = p->bits;
    host->param_given[i] = true;
  }
  return status;
}

kg_status kg_module_resolve(const kg_module *m, kg_host *host, const kg_sink *sink) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink, .file = m->file};
  kg_status status = infer_params(m, host, &diags);
  if (status == KG_OK) status = default_params(m, host, &diags);
  /* in order of declaration: a length refers to earlier ones alone */
  for (uint32_t i = 0; status == KG_OK && i < kg_module_buffer_count(m); i++) {
    kgi_dim_env env = env_of(host);
    uint64_t length = 0;
    status = kgi_declared_length(m, i + 1, host->length_given[i] ? host->length[i] : KGI_LENGTH_UNKNOWN, &env, &diags, &length);
    host->length[i] = length;
    host->length_given[i] = true;
  }
  kgi_dim_env env = env_of(host);
  return status == KG_OK ? kgi_check_ranges(m, &m->scope, &env, &diags) : status; /* before anybody makes arrays */
}

static bool has_buffer(const kg_module *m, uint32_t index, kgi_diags *diags) {
  bool has = index < kg_module_buffer_count(m);
  if (!has) KGI_DIAG(diags, no_such_buffer, 0, kg_module_name(m), KGI_NUM(index), KGI_NUM(kg_module_buffer_count(m)));
  return has;
}

void kg_module_take_extents(const kg_module *m, kg_host *host, uint32_t index, const uint64_t *extent) {
  if (index >= kg_module_buffer_count(m)) return;
  const kgi_scope *s = &m->scope;
  const kgi_object *o = &s->object[index + 1];
  for (unsigned k = 0; k < o->rank; k++) {
    const kgi_dim_node *n = &s->dim[o->extent[k].i];
    if (n->op != KGI_DIM_PARAM || host->param_given[n->a - 1]) continue;
    kg_type type = (kg_type)s->param[n->a].type;
    if (!kgi_is_int(type) || !fits(type, extent[k])) continue;
    host->param[n->a - 1] = extent[k];
    host->param_given[n->a - 1] = true;
  }
}

kg_status kg_module_buffer_extents(const kg_module *m, const kg_host *host, uint32_t index, const kg_sink *sink,
                                   uint64_t extent[KG_MAX_RANK]) {
  kgi_diags diags = {.sink = sink, .file = m->file};
  if (!has_buffer(m, index, &diags)) return KG_INVALID;
  const kgi_object *o = &m->scope.object[index + 1];
  kgi_dim_env env = env_of(host);
  uint64_t length;
  for (unsigned k = 0; k < KG_MAX_RANK; k++) extent[k] = 1;
  if (!o->length.i) return extent[0] = host->length[index], KG_OK;
  return kgi_dim_eval_object(&m->scope, o, &env, kgi_string(m, o->name), &diags, extent, &length);
}

/* A bound as a number, whatever its type. */
static kg_status bound(const kg_module *m, kgi_dim dim, const kgi_dim_env *env, kg_type type, const kgi_object *o, kgi_diags *diags,
                       double *out) {
  uint64_t bits;
  int64_t whole;
  kgi_dim_fault fault;
  if (kgi_is_float(type)) {
    fault = kgi_dim_eval_bits(&m->scope, dim, env, KG_F64, &bits);
    memcpy(out, &bits, sizeof *out);
  } else {
    fault = kgi_dim_eval(&m->scope, dim, env, &whole);
    *out = (double)whole;
  }
  if (fault == KGI_DIM_OK) return KG_OK;
  if (fault == KGI_DIM_DIVIDE)
    KGI_DIAG(diags, dim_divide, o->pos, kgi_string(m, o->name));
  else
    KGI_DIAG(diags, dim_overflow, o->pos, kgi_string(m, o->name));
  return KG_INVALID;
}

kg_status kg_module_buffer_range(const kg_module *m, const kg_host *host, uint32_t index, const kg_sink *sink, double *lo,
                                 double *hi) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink, .file = m->file};
  if (!has_buffer(m, index, &diags)) return KG_INVALID;
  const kgi_object *o = &m->scope.object[index + 1];
  if (!o->ranged) return KGI_DIAG(&diags, bind_range, o->pos, kgi_string(m, o->name)), KG_INVALID;
  kgi_dim_env env = env_of(host);
  kg_status status = bound(m, o->lo, &env, (kg_type)o->type, o, &diags, lo);
  return status == KG_OK ? bound(m, o->hi, &env, (kg_type)o->type, o, &diags, hi) : status;
}
