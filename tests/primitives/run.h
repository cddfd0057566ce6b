/* Runs a primitive on a device, for its tests. */
#ifndef TESTS_PRIMITIVES_RUN_H
#define TESTS_PRIMITIVES_RUN_H
#include <kgrad/kgrad.h>

/* An array by the name of its buffer; `type` must be the buffer's. */
typedef struct kgt_array {
  const char *name;
  void *data;
  size_t count;
} kgt_array;

/* Builds `name` with `args` and runs it; `arrays` go in and come back. Fails the test on any diagnostic, or where something went out
 * of bounds. Sizes are the primitive's parameters. */
void kgt_run_primitive(const char *device, const char *name, const kg_primitive_arg *args, size_t arg_count, const kgt_array *arrays,
                       size_t array_count);
/* Between these, runs share a device instead of opening one each. */
void kgt_hold_device(const char *device);
void kgt_release_device(void);
#endif
