/* A gradient is linear in its cotangent, and so it is its own derivative along it: a dual run of the adjoint, with the cotangents
 * as tangents, repeats its formulas at the same values, and adds up in f64. What the sums lose in single precision shows beside
 * it. */
#include "verify/oracle.h"

#include <math.h>

typedef struct tangents { kgi_data data; double **of; uint32_t buffers; } tangents; /* in the data's arena */

/* Of all floats but `temp` ones, zero but for the cotangents. */
static kg_status make_tangents(kgi_oracle *o, tangents *t) {
  const kgi_gradient *g = &o->gradient;
  kg_status status = kgi_oracle_entry(o, &t->data);
  if (status != KG_OK) return status;
  t->buffers = kg_module_buffer_count(g->adjoint);
  t->of = kgi_arena_alloc(&t->data.arena, t->buffers, sizeof *t->of);
  for (uint32_t b = 0; t->of && b < t->buffers; b++) {
    kg_buffer_info info = kg_module_buffer(g->adjoint, b);
    if (!kg_type_is_float(info.type) || info.mode == KG_TEMP) continue;
    uint64_t count = t->data.host.length[b];
    if (!(t->of[b] = kgi_arena_alloc(&t->data.arena, (size_t)count, sizeof(double)))) break;
    const kg_grad_entry *e = kgi_shadow_named(g, info.name);
    for (uint64_t i = 0; e && e->of && i < count; i++) t->of[b][i] = kgi_data_element(&t->data, b, i);
  }
  return t->data.arena.failed ? kgi_oracle_no_memory(o) : KG_OK;
}

static kg_status take_direction(const kgi_oracle *o, const tangents *t, size_t k, kgi_oracle_point *p) {
  kgi_arena scratch;
  kgi_arena_init(&scratch, &o->memory.own);
  p->unrounded = 0;
  for (size_t i = 0; i < o->inputs; i++) {
    const kgi_oracle_input *in = &o->input[i];
    const double *u = kgi_oracle_direction(o, in, k, &scratch);
    for (uint64_t n = 0; u && n < in->count; n++) p->unrounded += u[n] == 0 ? 0 : u[n] * t->of[in->shadow][n];
  }
  kg_status status = scratch.failed ? kgi_oracle_no_memory(o) : KG_OK;
  kgi_arena_free(&scratch);
  return status;
}

static void take_entries(kgi_oracle *o, const tangents *t, bool known) {
  for (size_t k = 0; k < o->inputs; k++)
    for (size_t i = 0; i < o->input[k].points; i++)
      o->input[k].point[i].unrounded = known ? t->of[o->input[k].shadow][o->input[k].point[i].index] : (double)NAN;
  for (size_t k = 0; k < o->directions; k++) o->direction[k].unrounded = (double)NAN;
}

/* Where it cannot be run so, nothing is known. */
kg_status kgi_oracle_unrounded(kgi_oracle *o) {
  tangents t = {.buffers = 0};
  kg_status status = make_tangents(o, &t);
  kg_reference_params with = {.tangent_count = 1, .tangents = t.of};
  bool known = status == KG_OK && kgi_oracle_run(o, NULL, &with, &t.data, NULL) == KG_OK;
  if (status == KG_OK && o->memory.failed) status = kgi_oracle_no_memory(o);
  take_entries(o, &t, known);
  for (size_t k = 0; known && k < o->directions && status == KG_OK; k++) status = take_direction(o, &t, k, &o->direction[k]);
  kgi_data_free(&t.data);
  return status;
}
