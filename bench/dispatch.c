/* The fixed cost of a dispatch: a module of one tiny run against bare Vulkan with the same SPIR-V. */
#include "bench/bare.h"
#include "bench/device.h"

#include <kgrad/spirv.h>

#include <stdio.h>

enum { N = 64, REPEAT = 200, ROUNDS = 25 };

static double execute(void *user) {
  double start = bench_wall();
  for (int k = 0; k < REPEAT; k++)
    if (kg_execute(user, &bench_sink) != KG_OK) return -1;
  return (bench_wall() - start) / REPEAT;
}

static double submit(void *user) {
  double start = bench_wall();
  for (int k = 0; k < REPEAT; k++)
    if (bench_bare_run(user) != 0) return -1;
  return (bench_wall() - start) / REPEAT;
}

static bench_bare *open_bare(const bench_device *d, const kg_module *m) {
  uint32_t *words = NULL, n = N;
  size_t count = 0;
  if (kg_spirv_emit(NULL, m, &(kg_spirv_params){.without = ~d->info.features}, &bench_sink, &words, &count) != KG_OK) return NULL;
  bench_bare_kernel kernel = {.words = words, .word_count = count, .entry = "tiny", .buffers = (const size_t[]){N * 4, N * 4},
                              .buffer_count = 2, .params = &n, .params_size = sizeof n, .groups = {1, 1, 1}};
  bench_bare *bare = bench_bare_open(d->info.name, &kernel);
  kg_bytes_free(NULL, words, count * sizeof *words);
  return bare;
}

/* Both computed 0 + 1. */
static bool fine(bench_bare *bare, kg_executable *e) {
  float theirs = ((const float *)bench_bare_memory(bare, 1))[N - 1], ours = 0;
  return kg_buffer_read(kg_executable_buffer(e, 1), (N - 1) * sizeof ours, &ours, sizeof ours, NULL) == KG_OK && ours == 1 && theirs == 1;
}

int bench_dispatch(void) {
  bench_device d = bench_device_open();
  bench_pair pair = {.failed = true};
  kg_module *m = d.device ? bench_load("bench/tiny.kg") : NULL;
  bench_bare *bare = m ? open_bare(&d, m) : NULL;
  kg_executable *e = m ? bench_ready(&d, m, NULL, 0) : NULL;
  if (bare && e) pair = bench_compare(submit, bare, execute, e, ROUNDS);
  if (!pair.failed && !fine(bare, e)) printf("dispatch: a wrong result\n"), pair.failed = true;
  int missed = 0;
  if (d.device) {
    printf("\n%-14s %-22s %7s %7s  %-8s %11s %11s\n", "kgrad/bare", "", "ratio", "median", "bar", "bare", "kgrad");
    missed = !bench_row("dispatch", "one tiny run", &pair, 1.2);
  }
  kg_executable_free(e);
  bench_bare_close(bare);
  kg_module_free(m);
  bench_device_close(&d);
  return missed;
}
