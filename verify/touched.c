/* Which elements of a gradient are stored, which are added to, and which nobody touches. What a kernel does is what counts, and not
 * how it declares its buffers: two runs that differ in what stands there on entry tell. */
#include "verify/audit.h"

#include <math.h>
#include <string.h>

/* Apart from the first by more than rounding hides, however large the gradient is. */
static double other_start(double start, double after) { return isfinite(after) && fabs(after) < 1e30 ? 2 * after + 1.5 * start + 1 : 1 - start; }

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static kgi_touch touch_of(const double start[2], const double after[2]) {
  if (same(after[0], start[0]) && same(after[1], start[1])) return KGI_TOUCH_UNWRITTEN;
  if (same(after[0], after[1])) return KGI_TOUCH_STORED;
  double began = start[1] - start[0], ended = after[1] - after[0];
  return fabs(ended - began) <= fabs(began) / 1024 ? KGI_TOUCH_ADDED : KGI_TOUCH_OTHER;
}

static void change(const kgi_oracle *o, kgi_data *second, const kgi_data *first) {
  for (size_t k = 0; k < o->inputs; k++) {
    const kgi_oracle_input *in = &o->input[k];
    const kgi_array *a = &second->array[in->shadow];
    for (uint64_t i = 0; !in->entry.of && i < in->count; i++) {
      double start = kgi_array_element(&in->start, i), after = kgi_data_element(first, in->shadow, i);
      kg_value_store(a->type, a->data, i, kgi_value_of_number(a->type, other_start(start, after)));
    }
  }
}

static kg_status compare(const kgi_oracle *o, const kgi_data *before, const kgi_data *first, const kgi_data *second, kgi_arena *arena,
                         uint64_t *count, uint8_t **touch) {
  for (size_t k = 0, at; k < o->inputs; k++) {
    const kgi_oracle_input *in = &o->input[k];
    if (in->entry.of) continue;
    for (at = 0; strcmp(o->gradient.shadow[at].shadow, in->entry.shadow); at++) continue;
    count[at] = in->count;
    touch[at] = kgi_arena_alloc(arena, (size_t)in->count, 1);
    if (!touch[at]) return KG_NO_MEMORY;
    for (uint64_t i = 0; i < in->count; i++) {
      double start[2] = {kgi_array_element(&in->start, i), kgi_data_element(before, in->shadow, i)};
      double after[2] = {kgi_data_element(first, in->shadow, i), kgi_data_element(second, in->shadow, i)};
      touch[at][i] = (uint8_t)touch_of(start, after);
    }
  }
  return KG_OK;
}

static kg_status run(const kgi_oracle *o, kgi_data *d) {
  return kgi_oracle_run(o, NULL, &(kg_reference_params){.module = NULL}, d, NULL);
}

static kg_status run_twice(kgi_oracle *o, kgi_arena *arena, uint64_t *count, uint8_t **touch) {
  kgi_data first = {0}, second = {0}, before = {0};
  kg_status status = kgi_oracle_entry(o, &first);
  if (status == KG_OK && o->contract.broken) status = KG_INVALID;
  if (status == KG_OK) status = run(o, &first);
  if (status == KG_OK) status = kgi_oracle_entry(o, &second);
  if (status == KG_OK) change(o, &second, &first);
  if (status == KG_OK) status = kgi_data_copy(&second, &o->memory.own, &before);
  if (status == KG_OK) status = run(o, &second);
  if (status == KG_OK) status = compare(o, &before, &first, &second, arena, count, touch);
  kgi_data_free(&first);
  kgi_data_free(&second);
  kgi_data_free(&before);
  return status;
}

kg_status kgi_touched(const kg_pair *pair, const kg_verify_params *params, kgi_arena *arena, uint64_t *count, uint8_t **touch) {
  kgi_oracle o;
  kg_grad_params asked = {.of = pair->of, .of_count = pair->of_count, .wrt = pair->wrt, .wrt_count = pair->wrt_count,
                          .alloc = params->alloc};
  kg_grad_entry *shadow = kgi_shadows_of(pair->map, params->alloc);
  size_t shadows = kg_grad_map_count(pair->map);
  if (!shadow) return KG_NO_MEMORY;
  kgi_gradient gradient = {.module = pair->kernel, .asked = &asked, .adjoint = pair->joined, .shadow = shadow, .shadows = shadows};
  kg_status status = kgi_oracle_open(params, &gradient, NULL, &o);
  if (status == KG_OK && !o.contract.broken) status = run_twice(&o, arena, count, touch);
  bool failed = o.memory.failed || arena->failed;
  kgi_oracle_free(&o);
  kgi_free(params->alloc, shadow, shadows * sizeof *shadow);
  return failed ? KG_NO_MEMORY : KG_OK; /* what else is wrong the judge says */
}
