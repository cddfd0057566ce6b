/* What suites share that run kernels: a device made inside the test, kernels from text, and arrays. */
#ifndef TESTS_DEVICES_H
#define TESTS_DEVICES_H
#include "tests/support/kgtest.h"

#include <kgrad/driver.h>

/* The last diagnostic, and how many there were. */
typedef struct kgt_heard { char id[64], message[1024]; uint32_t line; int count; } kgt_heard;
extern kgt_heard kgt_last;
extern const kg_sink kgt_sink;

/* A context with validation, and one of its devices; opening fails the test. */
typedef struct kgt_device { kg_context *context; kg_device *device; kg_device_info info; } kgt_device;
kgt_device kgt_open(const char *which);
kgt_device kgt_open_with(const char *which, const kg_context_params *params);
void kgt_close(kgt_device *d);
/* The CPU devices that are opened from now on compile without optimising, which takes a quarter of the time. */
void kgt_compile_soonest(void);

/* A kernel from its text, which must be right. */
kg_module *kgt_parse(const char *text);

/* Runs it once. `params`: values for integer and f32 params in order, NULL: the defaults. `data`, `lengths`: arrays for the buffers
 * in order; lengths may be NULL. */
kg_status kgt_run_module(const kgt_device *d, const kg_module *m, const double *params, void *const *data, const uint64_t *lengths);
/* The same, failing the test unless it is KG_OK. */
void kgt_run_fine(const kgt_device *d, const kg_module *m, const double *params, void *const *data, const uint64_t *lengths);
#endif
