/* What every buffer holds on entry. It is decided here, from the kernel and from what was asked for: a gradient that declares a
 * shadow wrongly gets what it must be able to take, and not what it says. */
#include "verify/oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

kgi_oracle_name kgi_oracle_name_of(const char *prefix, const char *name) {
  kgi_oracle_name out;
  snprintf(out.text, sizeof out.text, "%s%.140s", prefix, name);
  return out;
}

/* ---- drawing ---- */

static kg_status draw(kgi_oracle *o, const char *prefix, const char *name, kg_type type, uint64_t count, kgi_array *a) {
  kgi_oracle_name named = kgi_oracle_name_of(prefix, name);
  return kgi_array_draw(&o->arena, o->params->seed, named.text, type, count, a) ? KG_OK : kgi_oracle_no_memory(o);
}

/* What is added to hides what is much smaller. So it is of several magnitudes: 1, 2^-8, 2^-16, 2^-24, and again. */
static void spread(kgi_array *a) {
  for (uint64_t i = 0; i < a->count; i++) {
    double x = kgi_value_number(a->type, kg_value_load(a->type, a->data, i));
    kg_value_store(a->type, a->data, i, kgi_value_of_number(a->type, ldexp(x, -8 * (int)(i % 4))));
  }
}

/* A direction for each input; and what the tangents of other outputs must overwrite. */
static kg_status draw_directions(kgi_oracle *o) {
  const kgi_gradient *g = &o->gradient;
  kg_status status = KG_OK;
  o->cotangent = kgi_arena_alloc(&o->arena, kg_module_buffer_count(g->module), sizeof *o->cotangent);
  o->direction_of = kgi_arena_alloc(&o->arena, kg_module_param_count(g->module), sizeof *o->direction_of);
  if (!o->cotangent || !o->direction_of) return kgi_oracle_no_memory(o);
  for (uint32_t b = 0; b < kg_module_buffer_count(g->module) && status == KG_OK; b++) {
    kg_buffer_info info = kg_module_buffer(g->module, b);
    if (!kgi_asked_wrt(g->module, g->asked, b)) continue;
    status = draw(o, "tan_", info.name, kgi_shadow_type(info.type), o->primal.host.length[b], &o->cotangent[b]);
  }
  for (uint32_t q = 0; q < kg_module_param_count(g->module) && status == KG_OK; q++) {
    kg_param_info info = kg_module_param(g->module, q);
    if (!kgi_asked_wrt_param(g->module, g->asked, q)) continue;
    status = draw(o, "tan_", info.name, kgi_shadow_type(info.type), 1, &o->direction_of[q]);
  }
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++) {
    const kgi_oracle_input *in = &o->input[k];
    kg_type type = kgi_shadow_type(kg_module_buffer(g->module, in->at).type);
    if (!in->entry.wrt) status = draw(o, "start_", in->entry.name, type, in->count, &o->input[k].start);
  }
  return status;
}

kg_status kgi_oracle_draw(kgi_oracle *o) {
  if (kgi_is_forward(&o->gradient)) return draw_directions(o);
  const kgi_gradient *g = &o->gradient;
  kg_status status = KG_OK;
  o->cotangent = kgi_arena_alloc(&o->arena, kg_module_buffer_count(g->module), sizeof *o->cotangent);
  if (!o->cotangent) return kgi_oracle_no_memory(o);
  for (uint32_t b = 0; b < kg_module_buffer_count(g->module) && status == KG_OK; b++) {
    kg_buffer_info info = kg_module_buffer(g->module, b);
    if (!kgi_asked_of(g->module, g->asked, b)) continue;
    status = draw(o, "grad_", info.name, kgi_shadow_type(info.type), o->primal.host.length[b], &o->cotangent[b]);
  }
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++) {
    const kgi_oracle_input *in = &o->input[k];
    kg_type type = in->entry.is_param ? kg_module_param(g->module, in->at).type : kg_module_buffer(g->module, in->at).type;
    if (in->entry.of) continue;
    status = draw(o, "start_", in->entry.name, kgi_shadow_type(type), in->count, &o->input[k].start);
    if (status == KG_OK && in->added) spread(&o->input[k].start);
  }
  return status;
}

/* ---- copies ---- */

/* What the adjoint's buffer holds; NULL: nothing, it is `temp`. */
static const kgi_array *contents(const kgi_oracle *o, const char *name) {
  const kgi_gradient *g = &o->gradient;
  uint32_t b = kg_module_find_buffer(g->module, name);
  const kg_grad_entry *e = kgi_shadow_named(g, name);
  if (b != UINT32_MAX) return &o->primal.array[b];
  if (!e) return NULL;
  if (e->is_param && kgi_is_forward(g)) return &o->direction_of[kg_module_find_param(g->module, e->name)];
  if (kgi_is_forward(g) ? e->wrt : e->of) return &o->cotangent[kg_module_find_buffer(g->module, e->name)];
  for (size_t k = 0; k < o->inputs; k++)
    if (!strcmp(o->input[k].entry.name, e->name)) return &o->input[k].start;
  return NULL;
}

/* Types agree, but in tests that run the same module with every f32 an f64. */
static uint64_t convert(uint64_t bits, kg_type from, kg_type to) {
  return from == to ? bits : kgi_value_of_number(to, kgi_value_number(from, bits));
}

/* Params by name, and lengths where the adjoint leaves them to the host. */
static void take_host(const kgi_oracle *o, kgi_data *d) {
  const kgi_gradient *g = &o->gradient;
  for (uint32_t q = 0; q < kg_module_param_count(g->adjoint); q++) {
    uint32_t own = kg_module_find_param(g->module, kg_module_param(g->adjoint, q).name);
    kg_type from = kg_module_param(g->module, own).type, to = kg_module_param(g->adjoint, q).type;
    d->host.param[q] = convert(o->primal.host.param[own], from, to), d->host.param_given[q] = true;
  }
  for (uint32_t b = 0; b < kg_module_buffer_count(g->adjoint); b++) {
    kg_buffer_info info = kg_module_buffer(g->adjoint, b);
    const kgi_array *a = info.host_length ? contents(o, info.name) : NULL;
    if (a) d->host.length[b] = a->count, d->host.length_given[b] = true;
  }
}

static kg_status copy(const kgi_oracle *o, kgi_data *d, uint32_t b) {
  const kgi_array *from = contents(o, kg_module_buffer(d->module, b).name);
  if (!from || !from->data) return KG_OK;
  if (kgi_data_add(d, b) != KG_OK) return kgi_oracle_no_memory(o);
  const kgi_array *to = &d->array[b];
  for (uint64_t i = 0; i < to->count && i < from->count; i++)
    kg_value_store(to->type, to->data, i, convert(kg_value_load(from->type, from->data, i), from->type, to->type));
  return KG_OK;
}

kg_status kgi_oracle_entry(kgi_oracle *o, kgi_data *d) {
  const kgi_gradient *g = &o->gradient;
  if (kgi_data_room(g->adjoint, &o->memory.own, d) != KG_OK) return kgi_oracle_no_memory(o);
  take_host(o, d);
  if (kg_module_resolve(g->adjoint, &d->host, o->sink) != KG_OK) return kgi_contract_no_lengths(&o->contract), KG_OK;
  kg_status status = kgi_check_elements(g->adjoint, &d->host, o->sink);
  if (status != KG_OK) return status;
  kgi_contract_check_hosts(g, &o->primal.host, &d->host, &o->contract);
  uint32_t buffers = o->contract.broken ? 0 : kg_module_buffer_count(g->adjoint);
  for (uint32_t b = 0; b < buffers && status == KG_OK; b++) status = copy(o, d, b);
  return status;
}

kg_status kgi_oracle_primal(const kgi_oracle *o, kgi_data *d) {
  return kgi_data_copy(&o->primal, &o->memory.own, d) == KG_OK ? KG_OK : kgi_oracle_no_memory(o);
}
