/* What the benchmarks on a device share. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H
#include "bench/bench.h"

#include <kgrad/driver.h>

/* The first Vulkan device; `device` is NULL where there is none, which is said. Without validation, whatever the environment says. */
typedef struct bench_device { kg_context *context; kg_device *device; kg_device_info info; } bench_device;
bench_device bench_device_open(void);
void bench_device_close(bench_device *d);

/* A module made ready, with u32 params set by name; others take their defaults. */
typedef struct bench_setting { const char *name; uint32_t value; } bench_setting;
kg_executable *bench_ready(const bench_device *d, const kg_module *m, const bench_setting *settings, size_t count);

/* Says on stderr what the library says. */
extern const kg_sink bench_sink;
#endif
