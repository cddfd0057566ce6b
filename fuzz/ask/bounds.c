#include "fuzz/ask/bounds.h"

#include "foundation/host/value.h"
#include "verify/orders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kg_status make(kgi_bounds *b, void *const *arrays) {
  for (uint32_t i = 0; i < kg_module_buffer_count(b->module); i++) {
    size_t count = (size_t)b->length[i], bytes = count * kg_type_size(kg_module_buffer(b->module, i).type);
    b->array[i] = malloc(bytes + 1);
    b->low[i] = calloc(count + 1, sizeof(double)), b->high[i] = calloc(count + 1, sizeof(double));
    if (!b->array[i] || !b->low[i] || !b->high[i]) return KG_NO_MEMORY;
    memcpy(b->array[i], arrays[i], bytes);
  }
  return KG_OK;
}

static void free_arrays(kgi_bounds *b) {
  for (uint32_t i = 0; i < KGI_MOST_BOUNDED; i++) free(b->array[i]), free(b->low[i]), free(b->high[i]);
}

static kg_status run(kgi_bounds *b, const kg_reference_params *how) {
  kg_reference_params params = *how;
  params.module = b->module, params.buffers = b->array, params.lengths = b->length, params.low = b->low, params.high = b->high;
  params.bounds = KG_BOUNDS_DEVICE, params.flush_subnormals = true;
  return kg_reference_run(&params, &b->report);
}

/* Into `all`; how many elements it shows of which `known` tells nothing. 0 where the two are apart: one that order decides may decide others. */
static uint64_t join(const kgi_bounds *known, kgi_bounds *all, const kgi_bounds *one) {
  uint64_t shown = 0;
  for (uint32_t i = 0; i < kg_module_buffer_count(known->module); i++)
    for (uint64_t k = 0; k < known->length[i]; k++) {
      if (!kgi_orders_agree(&all->low[i][k], &all->high[i][k], one->low[i][k], one->high[i][k])) return 0;
      shown += isnan(known->low[i][k]) && !isnan(all->low[i][k]);
    }
  return shown;
}

static void fill(kgi_bounds *known, const kgi_bounds *all) {
  for (uint32_t i = 0; i < kg_module_buffer_count(known->module); i++)
    for (uint64_t k = 0; k < known->length[i]; k++)
      if (isnan(known->low[i][k])) known->low[i][k] = all->low[i][k], known->high[i][k] = all->high[i][k];
  known->settled = true;
}

/* What the results of atomics decide is anything. It is known where orders leave the same; no order that fails shows anything. */
static void settle(kgi_bounds *b, void *const *arrays, const kg_reference_params *how) {
  kg_reference_params in_order = *how;
  kgi_bounds all = {.module = b->module, .length = b->length};
  in_order.sink = NULL, in_order.in_order = true;
  bool shown = make(&all, arrays) == KG_OK && run(&all, &in_order) == KG_OK && join(b, &all, &all);
  for (in_order.order = 1; in_order.order < KGI_ORDERS_TRIED && shown; in_order.order++) {
    kgi_bounds one = {.module = b->module, .length = b->length};
    shown = make(&one, arrays) == KG_OK && run(&one, &in_order) == KG_OK && join(b, &all, &one);
    free_arrays(&one);
  }
  if (shown) fill(b, &all);
  free_arrays(&all);
}

kg_status kgi_bounds_run(kgi_bounds *b, const kg_module *m, void *const *arrays, const uint64_t *lengths,
                         const uint64_t *param_bits, uint32_t subgroup_size, kg_math math, const kg_sink *sink) {
  *b = (kgi_bounds){.module = m, .length = lengths};
  if (kg_module_buffer_count(m) > KGI_MOST_BOUNDED) return KG_REFUSED;
  const kg_reference_params how = {.param_bits = param_bits, .sink = sink, .subgroup_size = subgroup_size, .math = math};
  kg_status status = make(b, arrays);
  if (status == KG_OK) status = run(b, &how);
  if (status == KG_OK && b->report.undecided && kgi_may_go_by_order(m)) settle(b, arrays, &how);
  return status;
}

void kgi_bounds_free(kgi_bounds *b) {
  free_arrays(b);
  *b = (kgi_bounds){0};
}

/* An integer of which something is known is what the reference has. */
static bool fits(const kgi_bounds *b, uint32_t i, uint64_t k, uint64_t got) {
  kg_type type = kg_module_buffer(b->module, i).type;
  double low = b->low[i][k], high = b->high[i][k], value = kgi_value_number(type, got);
  if (!kg_type_is_float(type)) return got == kg_value_load(type, b->array[i], k);
  return low <= value && value <= high;
}

bool kgi_bounds_hold(kgi_bounds *b, void *const *got, char *what, size_t size) {
  for (uint32_t i = 0; i < kg_module_buffer_count(b->module); i++) {
    kg_buffer_info info = kg_module_buffer(b->module, i);
    if (info.mode != KG_WRITE && info.mode != KG_READ_WRITE) continue;
    for (uint64_t k = 0; k < b->length[i]; k++) {
      uint64_t bits = kg_value_load(info.type, got[i], k);
      b->elements++;
      b->open += isnan(b->low[i][k]) != 0;
      if (isnan(b->low[i][k]) || fits(b, i, k, bits)) continue;
      snprintf(what, size, "%s[%u] is %.9g on the device, not in [%.9g, %.9g]; the reference has %.9g", info.name, (unsigned)k,
               kgi_value_number(info.type, bits), b->low[i][k], b->high[i][k],
               kgi_value_number(info.type, kg_value_load(info.type, b->array[i], k)));
      return false;
    }
  }
  return true;
}
