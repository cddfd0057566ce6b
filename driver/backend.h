/* driver: devices: the front, which the public API calls, and behind one table of hooks the back ends. */
/* A back end is a folder here that defines one table of
 * hooks, `const kgi_backend kgi_backend_NAME`, and has a row in driver/backends.def; the front knows none of them by name. The front has
 * checked everything by the time it calls: sizes, limits, buffers, params. */
#ifndef KGI_BACKEND_H
#define KGI_BACKEND_H
#include "foundation/host/layout.h"
#include "foundation/ir/views.h"

#include <kgrad/driver.h>

/* What a back end keeps in a context. */
typedef struct kgi_started {
  const struct kgi_backend *backend;
  void *state;      /* its own */
  uint32_t devices; /* how many it has added */
} kgi_started;

typedef struct kgi_backend {
  const char *name; /* "vulkan": its first device; "vulkan:1": its second */
  bool native;      /* compiled for this processor: the fastest where there is no GPU */
  bool slow;        /* to start: it is not where only another's device is wanted */
  bool compiles;    /* programs are compiled: before, what does not change in a loop is moved out of it */
  /* Adds its devices to the context. That it has none is no error. */
  kg_status (*start)(kg_context *context, kgi_started *own, kgi_diags *diags);
  void (*stop)(void *state); /* NULL, if start did not get so far */
  /* Optional. Brings the texts of its devices up to date where that takes time, as they are asked for. */
  void (*describe)(void *state);
  /* Optional. It has no device, and one is asked for by its name: why; false: it does not know. `state` may be NULL. */
  bool (*say_missing)(void *state, kgi_diags *diags);
  kg_status (*open)(kg_context *context, void *state, uint32_t index, const kg_device_info *info, kgi_diags *diags, kg_device **out);
  void (*close)(kg_device *device);
  /* Optional. Gets ready what executables of these modules will need, where that costs less for all than for each. */
  kg_status (*compile)(kg_device *device, const kg_module *const *module, size_t count, kgi_diags *diags);
  /* A buffer of at least 4 bytes and `bytes`, zeroed. */
  kg_status (*buffer_new)(kg_device *device, uint64_t bytes, kgi_diags *diags, kg_buffer **out);
  void (*buffer_free)(kg_buffer *buffer);
  kg_status (*buffer_write)(kg_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, kgi_diags *diags);
  kg_status (*buffer_read)(kg_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, kgi_diags *diags);
  /* Makes exe->state. Failing, it leaves nothing behind but what `discard` frees. */
  kg_status (*prepare)(kg_executable *exe, kgi_diags *diags);
  kg_status (*execute)(kg_executable *exe, kgi_diags *diags);
  void (*discard)(kg_executable *exe); /* state may be NULL */
} kgi_backend;

extern const kgi_backend *const kgi_backends[]; /* by the rows of backends.def */
extern const uint32_t kgi_backend_count;

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
  const kg_module *module; /* the caller's, or `own` */
  kg_module *own;          /* a copy that was made ready to be compiled; NULL: there is none */
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

/* A device of a context's list: whose it is, and its number among those. */
typedef struct kgi_listed { kg_device_info info; kgi_started *of; uint32_t index; } kgi_listed;

struct kg_context {
  kg_allocator alloc;
  kg_context_params params;
  kg_sink sink;
  kgi_listed *listed; uint32_t listed_count, listed_cap; /* of the arena */
  kgi_arena arena;
  kgi_started *started; /* by back end */
  uint32_t messages; /* of the validation layer */
};

/* Adds a device to the context's list. False: no memory. */
bool kgi_context_add(kg_context *context, kgi_started *of, const kg_device_info *info);

/* The arrays of inputs, by the module's buffers; NULL where there is none. */
kg_status kgi_executable_upload(kg_executable *exe, void *const *data, const kg_sink *sink);

/* Visits the executable's runs; the layout lives in `scratch`. */
kg_status kgi_executable_each(const kg_executable *exe, kgi_arena *scratch, kgi_diags *diags,
                              kg_status (*visit)(void *user, const kgi_run *run), void *user);
#endif
