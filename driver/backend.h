/* What a device must do for the front, which has checked everything by then: sizes, limits, buffers, params. */
#ifndef KGI_BACKEND_H
#define KGI_BACKEND_H
#include "foundation/host/layout.h"
#include "foundation/ir/views.h"

#include <kgrad/driver.h>

typedef struct kgi_backend {
  void (*close)(kg_device *device);
  /* A buffer of at least 4 bytes and `bytes`, zeroed. */
  kg_status (*buffer_new)(kg_device *device, uint64_t bytes, kgi_diags *diags, kg_buffer **out);
  void (*buffer_free)(kg_buffer *buffer);
  kg_status (*buffer_write)(kg_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size);
  kg_status (*buffer_read)(kg_buffer *buffer, uint64_t offset, void *bytes, uint64_t size);
  /* Makes exe->state. Failing, it leaves nothing behind but what `discard` frees. */
  kg_status (*prepare)(kg_executable *exe, kgi_diags *diags);
  kg_status (*execute)(kg_executable *exe, kgi_diags *diags);
  void (*discard)(kg_executable *exe); /* state may be NULL */
} kgi_backend;

/* What the host may do to memory of this device, and the front's view of it. */
struct kg_buffer {
  kg_device *device;
  uint64_t bytes;
};

struct kg_device {
  const kgi_backend *backend;
  kg_context *context;
  kg_device_info info;
};

/* The blocks of views (driver/views.h), by the module's object that is first in each. */
typedef struct kgi_join {
  kgi_blocks blocks;
  bool any;
  kg_buffer **block; /* NULL: no view */
  uint64_t *bytes, most, most_packed;
  unsigned char *whole, *packed; /* room for the largest */
} kgi_join;

struct kg_executable {
  kg_device *device;
  const kg_module *module;
  kgi_arena arena;
  kg_executable_params params;
  uint64_t *param, *length; /* as the host gave them, from 0 */
  kg_buffer **buffer;       /* by the module's object; 0 unused */
  bool *owned;
  kgi_join join;
  uint64_t dispatches;
  double seconds;
  void *state;
};

/* Vulkan, as the context knows it: NULL where there is none. */
typedef struct kgi_vulkan kgi_vulkan;

struct kg_context {
  kg_allocator alloc;
  kg_context_params params;
  kg_sink sink;
  kg_device_info *info; uint32_t info_count; /* of the arena */
  kgi_arena arena;
  kgi_vulkan *vulkan;
  uint32_t messages; /* of the validation layer */
};

kg_status kgi_reference_open(kg_context *context, kgi_diags *diags, kg_device **out);
/* The instance and what devices it has, appended to context->info. */
kg_status kgi_vulkan_start(kg_context *context, kgi_diags *diags);
void kgi_vulkan_stop(kg_context *context);
kg_status kgi_vulkan_open(kg_context *context, uint32_t index, kgi_diags *diags, kg_device **out); /* index among Vulkan's */

/* Adds a device to the context's list. */
bool kgi_context_add(kg_context *context, const kg_device_info *info);

/* Visits the executable's runs; the layout lives in `scratch`. */
kg_status kgi_executable_each(const kg_executable *exe, kgi_arena *scratch, kgi_diags *diags,
                              kg_status (*visit)(void *user, const kgi_run *run), void *user);
#endif
