/* make bench: every figure is a ratio measured in one run, against a bar. Exits 1 when one is missed.
 *
 *     kgbench SOURCE [NAME ...]     SOURCE is the root of the sources; without names, all benchmarks */
#include "bench/bench.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

const char *bench_source_dir;

static const struct benchmark {
  const char *name;
  int (*run)(void);
} benchmarks[] = {
    {"scaling", bench_scaling},
    {"compile", bench_compile},
    {"interpreter", bench_interpreter},
    {"reference", bench_reference},
    {"adjoint", bench_adjoint},
    {"dispatch", bench_dispatch},
};
enum { COUNT = sizeof benchmarks / sizeof *benchmarks };

static bool known(const char *name) {
  for (size_t k = 0; k < COUNT; k++)
    if (!strcmp(benchmarks[k].name, name)) return true;
  return false;
}

static bool asked(const char *name, int argc, char **argv) {
  for (int a = 2; a < argc; a++)
    if (!strcmp(argv[a], name)) return true;
  return argc == 2;
}

/* Memory that was freed is kept, so that small and large sizes alike are measured on pages that are there already: else the large
 * ones pay in each round for what the C library gave back to the system. */
static void keep_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

int main(int argc, char **argv) {
  bool usable = argc >= 2;
  for (int a = 2; a < argc; a++) usable = usable && known(argv[a]);
  if (!usable) {
    fprintf(stderr, "usage: kgbench SOURCE [NAME ...], of:");
    for (size_t k = 0; k < COUNT; k++) fprintf(stderr, " %s", benchmarks[k].name);
    fputc('\n', stderr);
    return 2;
  }
  keep_memory();
  bench_source_dir = argv[1];
  int missed = 0;
  for (size_t k = 0; k < COUNT; k++)
    if (asked(benchmarks[k].name, argc, argv)) missed += benchmarks[k].run();
  printf("%d bars missed\n", missed);
  return missed != 0;
}
