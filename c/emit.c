/* A module to text. */
#include "c/c.h"

kg_status kg_c_emit(const kg_allocator *alloc, const kg_module *m, const kg_c_params *params, const kg_sink *sink, char **text,
                    size_t *size) {
  (void)alloc, (void)m, (void)params, (void)sink, (void)text, (void)size;
  return KG_REFUSED;
}
