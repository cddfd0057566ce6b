/*
 * Devices: one interface, with the reference interpreter, Vulkan and the CPU behind it.
 *
 *     kg_context_new(NULL, NULL, sink, &context);
 *     kg_device_open(context, "vulkan", sink, &device);
 *     kg_binding bindings[] = {{"x", x, n}, {"y", y, n}};
 *     kg_run_bound(device, module, bindings, 2, NULL, sink, NULL);                  once, or
 *     kg_executable_new_bound(device, module, bindings, 2, NULL, sink, &executable); many times:
 *     kg_buffer_write(kg_executable_find(executable, "x"), 0, x, n * sizeof *x, sink);
 *     kg_execute(executable, sink);
 *
 * Objects are freed by their owner in the reverse order. A context and what is made from it belong to one thread at a time.
 */
#ifndef KGRAD_DRIVER_H
#define KGRAD_DRIVER_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kg_context kg_context;       /* the Vulkan loader and instance, where there are any */
typedef struct kg_device kg_device;         /* an open device */
typedef struct kg_buffer kg_buffer;         /* memory of a device */
typedef struct kg_executable kg_executable; /* a module made ready for a device, params and lengths fixed */

/* All zeros: Vulkan where there is a loader, the CPU where there is a C compiler, no validation. */
typedef struct kg_context_params {
  bool no_vulkan; /* the reference alone */
  bool validate;  /* the Khronos validation layer; any message of its makes the call that caused it KG_FAILED. The environment's
                     KGRAD_VALIDATE=1 asks for the same */
  uint32_t without; /* kg_feature bits that devices are to be taken to lack: a way to test as on a smaller device */
  bool portable;  /* modules as kg_spirv_params.portable makes them: a way to run what other consumers get. The environment's
                     KGRAD_TARGET=portable asks for the same */
  bool staged;    /* buffers as on a discrete GPU, where the host sees no device memory: for tests */
  uint32_t threads; /* of the CPU device, the caller's included. 0: as the environment's KGRAD_THREADS says, else one for each core */
  const char *only; /* the device that will be opened, as kg_device_open takes it; NULL: any may be. Where it is no device of Vulkan,
                       that is not started, which takes 50 milliseconds and more */
} kg_context_params;

/* Never fails for the lack of Vulkan or of a compiler: the reference is always there. KG_UNAVAILABLE: validation is asked for and not
 * installed. `sink` also gets what the validation layer says, until the context is freed; its user data must live as long. */
KG_API kg_status kg_context_new(const kg_allocator *alloc, const kg_context_params *params, const kg_sink *sink, kg_context **out);
KG_API void kg_context_free(kg_context *context);

/* The devices: the reference first, then Vulkan devices in the loader's order, then the CPU. Names live as long as the context. */
typedef struct kg_device_info {
  const char *id;     /* "reference", "vulkan:0", "cpu": what kg_device_open takes */
  const char *name;   /* "llvmpipe (LLVM 15.0.6, 256 bits)" */
  const char *driver; /* "llvmpipe Mesa 22.3.6", or ""; of the CPU its compiler, and where compiled kernels are kept */
  uint32_t vulkan_major, vulkan_minor; /* 0 for others */
  uint32_t features;  /* kg_feature bits, kgrad/spirv.h */
  uint32_t workgroup_invocations, workgroup_size[3], groups[3], shared_bytes, subgroup_size;
  uint64_t buffer_bytes; /* of one buffer */
  uint32_t loop_budget;  /* 0: none. Else the device ends an invocation's loops after so many iterations together, without a
                            word; kgrad refuses or counts what could pass it */
  bool gpu;              /* a GPU, and no processor that stands in for one */
  bool usual;            /* what kg_device_open takes where no device is named; of contexts without `only` */
} kg_device_info;
KG_API uint32_t kg_device_count(const kg_context *context);
KG_API kg_device_info kg_device_at(const kg_context *context, uint32_t index);

/* `which`: "reference", "vulkan" (the first), "vulkan:1", "cpu", or a part of a device's name, in any case. NULL: what the context's `only`
 * says, else the environment's KGRAD_DEVICE, else the first GPU, else the CPU where there is a compiler, else the reference.
 * KG_UNAVAILABLE: none fits, and the diagnostic lists the devices. */
KG_API kg_status kg_device_open(kg_context *context, const char *which, const kg_sink *sink, kg_device **out);
KG_API void kg_device_free(kg_device *device);
KG_API kg_device_info kg_device_describe(const kg_device *device);

/* Memory of a device, zeroed. Offsets and sizes are in bytes; what lies past the buffer's end is KG_INVALID, and so is a buffer that is
 * NULL. */
KG_API kg_status kg_buffer_new(kg_device *device, uint64_t bytes, const kg_sink *sink, kg_buffer **out);
KG_API void kg_buffer_free(kg_buffer *buffer);
KG_API uint64_t kg_buffer_size(const kg_buffer *buffer);
KG_API kg_status kg_buffer_write(kg_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, const kg_sink *sink);
KG_API kg_status kg_buffer_read(kg_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, const kg_sink *sink);

/* All zeros: the defaults. */
typedef struct kg_executable_params {
  kg_buffer *const *buffers; /* one for each of the module's buffers; NULL, or an entry that is NULL: the executable makes it. The
                                entries of temp buffers are not read. They must outlive the executable. KG_INVALID: two entries are one
                                kg_buffer, and the module stores to it; it is another device's, or too small */
  kg_math math;              /* what arithmetic of floats becomes (doc/precision.md); the reference is exact in any */
} kg_executable_params;

/* Compiles, allocates and records. `host` has been through kg_module_resolve (which kg_run does itself); it is copied. The
 * module must outlive the executable. KG_REFUSED: the device lacks a feature or a size that the module needs, or ends loops
 * before the module's would end. */
KG_API kg_status kg_executable_new(kg_device *device, const kg_module *module, const kg_host *host,
                                   const kg_executable_params *params, const kg_sink *sink, kg_executable **out);
KG_API void kg_executable_free(kg_executable *executable);
/* Optional, before executables of many modules are made: gets ready what they will need, where all at once take less time than one
 * after the other. The CPU device then starts its compiler once for 32 modules; it keeps the code of the last 64 that have no
 * executable. Elsewhere nothing happens. A module that the device refuses is passed over, and its executable says why. */
KG_API kg_status kg_device_compile(kg_device *device, const kg_module *const *modules, size_t count, const kg_sink *sink);
/* The buffer that stands for the module's buffer of that index. */
KG_API kg_buffer *kg_executable_buffer(const kg_executable *executable, uint32_t index);
/* The same by name; NULL: the module has none of that name. */
KG_API kg_buffer *kg_executable_find(const kg_executable *executable, const char *name);
/* Runs the module once and waits. KG_FAILED: an assert, a limit or a budget failed, and the diagnostic has its position; or
 * the device was lost. Other params need another executable: lengths, grids and what is recorded depend on them. */
KG_API kg_status kg_execute(kg_executable *executable, const kg_sink *sink);
/* Seconds that the last kg_execute took on the host's clock, waiting included. */
KG_API double kg_executable_seconds(const kg_executable *executable);
/* How many dispatches one execution has. */
KG_API uint64_t kg_executable_dispatches(const kg_executable *executable);

/* Resolves `host`, uploads, runs once, downloads. `data[i]` is the array of the module's buffer i in the host's order, of
 * host->length[i] elements where that is given; NULL: zeros on entry, and not wanted. Temp buffers have none. Buffers that the
 * module does not write are not downloaded. `seconds` may be NULL. */
KG_API kg_status kg_run(kg_device *device, const kg_module *module, kg_host *host, void *const *data,
                        const kg_executable_params *params, const kg_sink *sink, double *seconds);

/* kg_run, and kg_executable_new with the arrays uploaded, for bindings by name. What is not bound comes from lengths and defaults, as
 * in kg_module_resolve. An array is used during the call alone: later contents go through kg_buffer_write and kg_buffer_read. */
KG_API kg_status kg_run_bound(kg_device *device, const kg_module *module, const kg_binding *bindings, size_t count,
                              const kg_executable_params *params, const kg_sink *sink, double *seconds);
KG_API kg_status kg_executable_new_bound(kg_device *device, const kg_module *module, const kg_binding *bindings, size_t count,
                                         const kg_executable_params *params, const kg_sink *sink, kg_executable **out);

#ifdef __cplusplus
}
#endif

#endif
