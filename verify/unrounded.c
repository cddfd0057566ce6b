/* A gradient is linear in its cotangent, and so it is its own derivative along it: a dual run of the adjoint, with the cotangents as
 * tangents, repeats its formulas at the same values, and adds up in f64. What the sums lose in single precision shows beside it. */
#include "verify/oracle.h"

#include "tools/value.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdlib.h>

typedef struct tangents { tool_data data; double **of; uint32_t buffers; } tangents;

static void free_tangents(tangents *t) {
  for (uint32_t b = 0; t->of && b < t->buffers; b++) free(t->of[b]);
  free(t->of);
  tool_data_free(&t->data);
}

/* Of all floats but `temp` ones, zero but for the cotangents. */
static tool_exit make_tangents(verify_oracle *o, tangents *t) {
  const tool_gradient *g = &o->params->gradient;
  tool_exit status = verify_entry(o, &t->data);
  t->buffers = kg_module_buffer_count(g->adjoint);
  t->of = status == TOOL_OK ? calloc(t->buffers + (size_t)1, sizeof *t->of) : NULL;
  if (!t->of) return status == TOOL_OK ? verify_no_memory(o) : status;
  for (uint32_t b = 0; b < t->buffers; b++) {
    kg_buffer_info info = kg_module_buffer(g->adjoint, b);
    if (!tool_type_is_float(info.type) || info.mode == KG_TEMP) continue;
    uint64_t count = t->data.host.length[b];
    if (!(t->of[b] = calloc((size_t)count + 1, sizeof(double)))) return verify_no_memory(o);
    const kg_grad_entry *e = tool_shadow_named(g, info.name);
    for (uint64_t i = 0; e && e->of && i < count; i++) t->of[b][i] = verify_element(&t->data, b, i);
  }
  return TOOL_OK;
}

static kg_status run(const verify_oracle *o, const tangents *t) {
  void **arrays = calloc(t->buffers + (size_t)1, sizeof *arrays);
  if (!arrays) return verify_no_memory(o), KG_NO_MEMORY;
  for (uint32_t b = 0; b < t->buffers; b++) arrays[b] = t->data.array[b].data;
  kg_status status = kg_reference_run(
      &(kg_reference_params){.module = t->data.module, .buffers = arrays, .lengths = t->data.host.length,
                             .param_bits = t->data.host.param, .tangent_count = 1, .tangents = t->of,
                             .step_limit = o->params->step_limit}, NULL);
  free(arrays);
  return status;
}

static tool_exit take_direction(const verify_oracle *o, const tangents *t, size_t k, verify_point *p) {
  p->unrounded = 0;
  for (size_t i = 0; i < o->inputs; i++) {
    const verify_input *in = &o->input[i];
    double *u = malloc((size_t)in->count * sizeof *u + 1);
    bool fine = u && verify_direction(o, in, k, u);
    for (uint64_t n = 0; fine && n < in->count; n++) p->unrounded += u[n] == 0 ? 0 : u[n] * t->of[in->shadow][n];
    free(u);
    if (!fine) return verify_no_memory(o);
  }
  return TOOL_OK;
}

/* Where it cannot be run so, nothing is known. */
tool_exit verify_unrounded(verify_oracle *o) {
  tangents t = {.buffers = 0};
  tool_exit status = make_tangents(o, &t);
  bool known = status == TOOL_OK && run(o, &t) == KG_OK;
  for (size_t k = 0; k < o->inputs; k++)
    for (size_t i = 0; i < o->input[k].points; i++)
      o->input[k].point[i].unrounded = known ? t.of[o->input[k].shadow][o->input[k].point[i].index] : (double)NAN;
  for (size_t k = 0; k < o->directions; k++) o->direction[k].unrounded = (double)NAN;
  for (size_t k = 0; known && k < o->directions && status == TOOL_OK; k++) status = take_direction(o, &t, k, &o->direction[k]);
  free_tangents(&t);
  return status;
}
