/* Bare Vulkan, written by hand as a person who counts microseconds writes it: one pipeline, one command buffer that is recorded once,
 * a submission and a wait for its fence. What kgrad's driver is measured against. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H
#include <stddef.h>
#include <stdint.h>

typedef struct bench_bare bench_bare;

typedef struct bench_bare_kernel {
  const uint32_t *words; /* SPIR-V */
  size_t word_count;
  const char *entry;
  const size_t *buffers; /* bytes of each binding of set 0, in order */
  uint32_t buffer_count; /* at most 8 */
  const void *params;    /* push constants */
  uint32_t params_size;
  uint32_t groups[3];
} bench_bare_kernel;

/* On the device of that name; NULL: it could not, and has said why on stderr. */
bench_bare *bench_bare_open(const char *device, const bench_bare_kernel *kernel);
/* Submits and waits. Negative on failure, else 0. */
int bench_bare_run(bench_bare *bare);
/* The memory of a binding, mapped. */
void *bench_bare_memory(bench_bare *bare, uint32_t binding);
void bench_bare_close(bench_bare *bare);
#endif
