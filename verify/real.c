/* The derivative without the rounding of the forward's own values: duals of the kernel with every f32 an f64. A backward that a person
 * wrote need not go through what the forward has rounded: 3 x^2 takes x alone, where the dual of x * x * x takes fl(x * x). Both are
 * right, and may be further apart than the backward's own formulas round. */
#include "verify/oracle.h"
#include "verify/widen.h"
#include "foundation/ir/copy.h"

#include <math.h>
#include <string.h>

static bool is_outside(const kgi_oracle_point *p) {
  double dual = p->dual + p->start;
  return isfinite(dual) && (dual < p->low || dual > p->high);
}

static bool any_outside(const kgi_oracle_point *points, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) any |= is_outside(&points[i]);
  return any;
}

static bool is_wanted(const kgi_oracle *o) {
  bool any = any_outside(o->direction, o->directions);
  for (size_t k = 0; k < o->inputs; k++) any |= any_outside(o->input[k].point, o->input[k].points);
  return any && kgi_oracle_is_stated(o);
}

/* ---- the same on entry, in double precision ---- */

static uint64_t convert(uint64_t bits, kg_type from, kg_type to) {
  return from == to ? bits : kgi_value_of_number(to, kgi_value_number(from, bits));
}

static kg_status copy_array(const kgi_array *from, kgi_data *to, uint32_t b) {
  if (!from->data) return KG_OK;
  kg_status status = kgi_data_add(to, b);
  for (uint64_t i = 0; i < from->count && status == KG_OK; i++)
    kg_value_store(to->array[b].type, to->array[b].data, i, convert(kg_value_load(from->type, from->data, i), from->type, to->array[b].type));
  return status;
}

static kg_status widen_data(const kgi_data *from, const kg_module *m, const kg_allocator *alloc, kgi_data *to) {
  size_t buffers = kg_module_buffer_count(m), params = kg_module_param_count(m);
  kg_status status = kgi_data_room(m, alloc, to);
  for (uint32_t q = 0; q < params && status == KG_OK; q++) {
    kg_type type = kg_module_param(from->module, q).type;
    to->host.param[q] = convert(from->host.param[q], type, kg_module_param(m, q).type), to->host.param_given[q] = true;
  }
  for (uint32_t b = 0; b < buffers && status == KG_OK; b++) {
    to->host.length[b] = from->host.length[b], to->host.length_given[b] = from->host.length_given[b];
    status = copy_array(&from->array[b], to, b);
  }
  return status;
}

/* ---- the duals ---- */

static void forget(kgi_oracle_point *points, size_t count) {
  for (size_t i = 0; i < count; i++) points[i].real = (double)NAN;
}

/* Of points whose dual is outside alone: elsewhere nothing more is to be known. */
static void take(kgi_oracle_point *points, const kgi_oracle_point *wide, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_outside(&points[i]) && isfinite(wide[i].dual)) points[i].real = wide[i].dual;
}

static kg_status run_entries(const kgi_oracle *o, kgi_oracle *wide, size_t k) {
  kgi_oracle_input *in = &o->input[k], own = *in;
  if (!any_outside(in->point, in->points)) return KG_OK;
  kgi_arena scratch;
  kgi_arena_init(&scratch, &o->memory.own);
  own.point = kgi_arena_alloc(&scratch, in->points, sizeof *own.point);
  kg_status status = own.point ? KG_OK : KG_NO_MEMORY;
  for (size_t i = 0; own.point && i < in->points; i++) own.point[i] = kgi_oracle_no_point(in->point[i].index);
  if (status == KG_OK) status = kgi_oracle_entries(wide, &own);
  if (status == KG_OK) take(in->point, own.point, in->points);
  kgi_arena_free(&scratch);
  return status;
}

static kg_status run_directions(kgi_oracle *o, kgi_oracle *wide) {
  if (!any_outside(o->direction, o->directions)) return KG_OK;
  for (size_t k = 0; k < o->directions; k++) wide->direction[k] = kgi_oracle_no_point(k);
  kg_status status = kgi_oracle_along(wide);
  if (status == KG_OK) take(o->direction, wide->direction, o->directions);
  return status;
}

static kg_status run_wide(kgi_oracle *o, const kg_module *m) {
  kgi_oracle wide = *o;
  wide.gradient.module = m, wide.sink = NULL;
  kg_status status = widen_data(&o->primal, m, &o->memory.own, &wide.primal);
  for (size_t k = 0; k < o->inputs && status == KG_OK; k++) status = run_entries(o, &wide, k);
  if (status == KG_OK) status = run_directions(o, &wide);
  kgi_data_free(&wide.primal);
  return status;
}

/* Where the kernel cannot be run so, nothing is known. */
kg_status kgi_oracle_real(kgi_oracle *o) {
  forget(o->direction, o->directions);
  for (size_t k = 0; k < o->inputs; k++) forget(o->input[k].point, o->input[k].points);
  if (!is_wanted(o)) return KG_OK;
  kg_module *m = kgi_module_copy(&o->memory.own, o->gradient.module);
  if (m && kgi_widen(m)) run_wide(o, m);
  kg_module_free(m);
  return o->memory.failed ? kgi_oracle_no_memory(o) : KG_OK;
}
