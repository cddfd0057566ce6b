/* What every buffer holds on entry. It is decided here, from the kernel and from what was asked for: a gradient that declares a
 * shadow wrongly gets what it must be able to take, and not what it says. */
#include "verify/oracle.h"

#include "tools/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

verify_name verify_name_of(const char *prefix, const char *name) {
  verify_name out;
  snprintf(out.text, sizeof out.text, "%s%.140s", prefix, name);
  return out;
}

/* ---- drawing ---- */

static tool_exit draw(const verify_oracle *o, const char *prefix, const char *name, kg_type type, uint64_t count, tool_array *a) {
  *a = (tool_array){.type = type, .dims = 1, .shape = {count}, .count = count, .size = (size_t)count * kg_type_size(type)};
  a->data = malloc(a->size ? a->size : 1);
  verify_name named = verify_name_of(prefix, name);
  return a->data && tool_data_random(o->params->data.seed, named.text, -1, 1, a) ? TOOL_OK : verify_no_memory(o);
}

/* What is added to hides what is much smaller. So it is of several magnitudes: 1, 2^-8, 2^-16, 2^-24, and again. */
static void spread(tool_array *a) {
  for (uint64_t i = 0; i < a->count; i++) {
    double x = tool_value_number(a->type, tool_value_load(a->type, a->data, i));
    tool_value_store(a->type, a->data, i, tool_value_of_number(a->type, ldexp(x, -8 * (int)(i % 4))));
  }
}

tool_exit verify_draw(verify_oracle *o) {
  const tool_gradient *g = &o->params->gradient;
  tool_exit status = TOOL_OK;
  o->cotangent = calloc(kg_module_buffer_count(g->module) + (size_t)1, sizeof *o->cotangent);
  if (!o->cotangent) return verify_no_memory(o);
  for (uint32_t b = 0; b < kg_module_buffer_count(g->module) && status == TOOL_OK; b++) {
    kg_buffer_info info = kg_module_buffer(g->module, b);
    if (!tool_asked_of(g->module, g->asked, b)) continue;
    status = draw(o, "grad_", info.name, tool_shadow_type(info.type), o->primal.host.length[b], &o->cotangent[b]);
  }
  for (size_t k = 0; k < o->inputs && status == TOOL_OK; k++) {
    const verify_input *in = &o->input[k];
    kg_type type = in->entry.is_param ? kg_module_param(g->module, in->at).type : kg_module_buffer(g->module, in->at).type;
    if (in->entry.of) continue;
    status = draw(o, "start_", in->entry.name, tool_shadow_type(type), in->count, &o->input[k].start);
    if (status == TOOL_OK && g->asked->accumulate) spread(&o->input[k].start);
  }
  return status;
}

void verify_free_entry(verify_oracle *o) {
  for (uint32_t b = 0; o->cotangent && b < kg_module_buffer_count(o->params->gradient.module); b++) tool_array_free(&o->cotangent[b]);
  free(o->cotangent);
  for (size_t k = 0; k < o->inputs; k++) tool_array_free(&o->input[k].start);
}

/* ---- copies ---- */

/* What the adjoint's buffer holds; NULL: nothing, it is `temp`. */
static const tool_array *contents(const verify_oracle *o, const char *name) {
  const tool_gradient *g = &o->params->gradient;
  uint32_t b = kg_module_find_buffer(g->module, name);
  const kg_grad_entry *e = tool_shadow_named(g, name);
  if (b != UINT32_MAX) return &o->primal.array[b];
  if (!e) return NULL;
  if (e->of) return &o->cotangent[kg_module_find_buffer(g->module, e->name)];
  for (size_t k = 0; k < o->inputs; k++)
    if (!strcmp(o->input[k].entry.name, e->name)) return &o->input[k].start;
  return NULL;
}

/* Types agree, but in tests that run the same module with every f32 an f64. */
static uint64_t convert(uint64_t bits, kg_type from, kg_type to) {
  return from == to ? bits : tool_value_of_number(to, tool_value_number(from, bits));
}

/* Params by name, and lengths where the adjoint leaves them to the host. */
static void take_host(const verify_oracle *o, tool_data *d) {
  const tool_gradient *g = &o->params->gradient;
  for (uint32_t q = 0; q < kg_module_param_count(g->adjoint); q++) {
    uint32_t own = kg_module_find_param(g->module, kg_module_param(g->adjoint, q).name);
    kg_type from = kg_module_param(g->module, own).type, to = kg_module_param(g->adjoint, q).type;
    d->host.param[q] = convert(o->primal.host.param[own], from, to), d->host.param_given[q] = true;
  }
  for (uint32_t b = 0; b < kg_module_buffer_count(g->adjoint); b++) {
    kg_buffer_info info = kg_module_buffer(g->adjoint, b);
    const tool_array *a = info.host_length ? contents(o, info.name) : NULL;
    if (a) d->host.length[b] = a->count, d->host.length_given[b] = true;
  }
}

static tool_exit copy(const verify_oracle *o, tool_data *d, uint32_t b) {
  const tool_array *from = contents(o, kg_module_buffer(d->module, b).name);
  tool_array *to = &d->array[b];
  *to = (tool_array){.type = kg_module_buffer(d->module, b).type, .dims = 1, .shape = {d->host.length[b]}, .count = d->host.length[b]};
  if (!from || !from->data) return TOOL_OK;
  to->size = (size_t)to->count * kg_type_size(to->type);
  to->data = malloc(to->size ? to->size : 1);
  if (!to->data) return verify_no_memory(o);
  for (uint64_t i = 0; i < to->count && i < from->count; i++)
    tool_value_store(to->type, to->data, i, convert(tool_value_load(from->type, from->data, i), from->type, to->type));
  return TOOL_OK;
}

tool_exit verify_entry(verify_oracle *o, tool_data *d) {
  const tool_gradient *g = &o->params->gradient;
  if (!tool_data_room(g->adjoint, &o->ctx->sink, d)) return TOOL_BAD;
  take_host(o, d);
  if (kg_module_resolve(g->adjoint, &d->host, &o->ctx->sink) != KG_OK) return tool_contract_no_lengths(&o->contract), TOOL_OK;
  if (!tool_data_fits(d, o->params->data.most_elements, &o->ctx->sink)) return TOOL_BAD;
  tool_contract_check_hosts(g, &o->primal.host, &d->host, &o->contract);
  tool_exit status = TOOL_OK;
  for (uint32_t b = 0; b < kg_module_buffer_count(g->adjoint) && status == TOOL_OK && !o->contract.broken; b++) status = copy(o, d, b);
  return status;
}
