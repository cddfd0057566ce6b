/* What a module's buffers hold for one run, and what it runs with. */
#ifndef KGI_VERIFY_DATA_H
#define KGI_VERIFY_DATA_H
#include "foundation/base/arena.h"
#include "foundation/base/diag.h"
#include "foundation/host/value.h"

#include <kgrad/verify.h>

typedef struct kgi_array {
  kg_type type;
  uint64_t count;
  size_t size; /* in bytes */
  void *data;
} kgi_array;

typedef struct kgi_data {
  const kg_module *module;
  kg_host host;     /* resolved */
  kgi_array *array; /* one for each buffer; a temp's has no data */
  void **at;        /* the same data, as a run takes them */
  kgi_arena arena;
} kgi_data;

/* Nothing filled in: no params, no lengths, no arrays. KG_NO_MEMORY, without a diagnostic: so do the next two. kgi_data_free either
 * way. `module` must outlive it. */
kg_status kgi_data_room(const kg_module *module, const kg_allocator *alloc, kgi_data *out);
/* Zeroed memory for one buffer, of the host's length. */
kg_status kgi_data_add(kgi_data *data, uint32_t buffer);
kg_status kgi_data_copy(const kgi_data *from, const kg_allocator *alloc, kgi_data *out);
void kgi_data_free(kgi_data *data);

/* Fills in params, lengths and arrays as kg_verify_params says. Diagnostics are sent. */
kg_status kgi_data_make(const kg_module *module, const kg_verify_params *params, const kg_allocator *alloc, const kg_sink *sink,
                        kgi_data *out);
/* KG_INVALID, with a diagnostic: all lengths together are more than KG_VERIFY_MOST_ELEMENTS. `host` was resolved. */
kg_status kgi_check_elements(const kg_module *module, const kg_host *host, const kg_sink *sink);

/* An array by itself, in `arena`, whose name decides what is drawn of [-1, 1). False: no memory. */
bool kgi_array_draw(kgi_arena *arena, uint64_t seed, const char *name, kg_type type, uint64_t count, kgi_array *out);
static inline double kgi_array_element(const kgi_array *a, uint64_t i) {
  return kgi_value_number(a->type, kg_value_load(a->type, a->data, i));
}
static inline double kgi_data_element(const kgi_data *d, uint32_t buffer, uint64_t i) {
  return kgi_array_element(&d->array[buffer], i);
}
#endif
