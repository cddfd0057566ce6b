/* What is made of evenly drawn values, for the draws that foundation/ir/draws.def lists. */
#include "foundation/host/value.h"

#include <math.h>

static double get(kg_type type, const void *array, uint64_t i) { return kgi_value_number(type, kg_value_load(type, array, i)); }
static void set(kg_type type, void *array, uint64_t i, double x) { kg_value_store(type, array, i, kgi_value_of_number(type, x)); }

/* Shell's sort, which needs no memory. */
static void sort_row(kg_type type, void *array, uint64_t first, uint64_t count) {
  for (uint64_t gap = count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (uint64_t i = gap; i < count; i++) {
      uint64_t j = i, bits = kg_value_load(type, array, first + i);
      for (; j >= gap && get(type, array, first + j - gap) > kgi_value_number(type, bits); j -= gap)
        kg_value_store(type, array, first + j, kg_value_load(type, array, first + j - gap));
      kg_value_store(type, array, first + j, bits);
    }
}

void kgi_draw_ascending(kg_type type, uint64_t row, uint64_t count, void *array) {
  for (uint64_t first = 0; row && first < count; first += row) sort_row(type, array, first, row);
}

/* Each diagonal element is more than all others of its row together, which are below 1 / n each: so says Gershgorin. */
void kgi_draw_definite(kg_type type, uint64_t n, uint64_t count, void *array) {
  for (uint64_t first = 0; n && first < count; first += n * n)
    for (uint64_t i = 0; i < n; i++) {
      for (uint64_t j = 0; j < i; j++) {
        double x = get(type, array, first + i * n + j) / (double)n;
        set(type, array, first + i * n + j, x), set(type, array, first + j * n + i, x);
      }
      set(type, array, first + i * n + i, 1.5 + fabs(get(type, array, first + i * n + i)) / 2);
    }
}
