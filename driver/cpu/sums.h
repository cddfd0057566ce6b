/* Buffers that a program only adds to: each thread adds to a copy of its own, without atomics, and the copies are summed afterwards. */
#ifndef KGI_DRIVER_CPU_SUMS_H
#define KGI_DRIVER_CPU_SUMS_H
#include "c/c.h"
#include "driver/cpu/cpu.h"
#include "driver/cpu/pool.h"
#include "foundation/host/layout.h"

enum { KGI_SUMS_THREADS = 64 }; /* with more, atomics add */

/* Of an executable: copies by the module's buffers, which add nothing but while a dispatch is under way. */
typedef struct kgi_sums { kgi_cpu_memory *copy; uint64_t *bytes; uint32_t threads; } kgi_sums;

/* Of a dispatch: by the program's buffers, from 0. */
typedef struct kgi_summed { void *bound; unsigned char *copies; uint64_t elements, stride; kg_type type; } kgi_summed;

/* What of a dispatch is summed, if copies are worth it: `out` has an entry for each of the program's buffers, `copies` NULL where it is
 * not. False: no memory. */
bool kgi_sums_plan(kgi_sums *sums, kg_executable *exe, const kgi_run *run, void *const *bound, kgi_summed *out);
/* Runs `count` workgroups: like kgi_pool_share over the kernel. */
void kgi_sums_share(kgi_pool *pool, kgi_c_kernel *kernel, const kgi_c_args *args, const kgi_summed *summed, uint32_t buffers,
                    uint32_t count, double *cost);
void kgi_sums_free(kgi_sums *sums, kg_executable *exe);
#endif
