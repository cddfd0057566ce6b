#include "fuzz/ask/bounds.h"

#include "foundation/host/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kg_status kgi_bounds_run(kgi_bounds *b, const kg_module *m, void *const *arrays, const uint64_t *lengths,
                         const uint64_t *param_bits, uint32_t subgroup_size, kg_math math, const kg_sink *sink) {
  *b = (kgi_bounds){.module = m, .length = lengths};
  if (kg_module_buffer_count(m) > KGI_MOST_BOUNDED) return KG_REFUSED;
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    size_t count = (size_t)lengths[i], bytes = count * kg_type_size(kg_module_buffer(m, i).type);
    b->array[i] = malloc(bytes + 1);
    b->low[i] = calloc(count + 1, sizeof(double)), b->high[i] = calloc(count + 1, sizeof(double));
    if (!b->array[i] || !b->low[i] || !b->high[i]) return KG_NO_MEMORY;
    memcpy(b->array[i], arrays[i], bytes);
  }
  return kg_reference_run(&(kg_reference_params){.module = m, .buffers = b->array, .lengths = lengths, .param_bits = param_bits,
                                                 .sink = sink, .subgroup_size = subgroup_size,
                                                 .bounds = KG_BOUNDS_DEVICE, .math = math,
                                                 .flush_subnormals = true, .low = b->low, .high = b->high}, &b->report);
}

void kgi_bounds_free(kgi_bounds *b) {
  for (uint32_t i = 0; i < KGI_MOST_BOUNDED; i++) free(b->array[i]), free(b->low[i]), free(b->high[i]);
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
