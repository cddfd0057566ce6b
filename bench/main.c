/* make bench: every figure is a ratio measured in one run, against a bar. Exits 1 when one is missed.
 *
 *     kgbench SOURCE [NAME ...]     SOURCE is the root of the sources; without names, all benchmarks
 *
 * A name is that of a benchmark, or of a kernel of `adjoint`, which then measures the kernels that are named; or cpu:KERNEL, of
 * `cpu` likewise. */
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
    {"imported", bench_imported},
    {"dispatch", bench_dispatch},
    {"cpu", bench_on_cpu},
    {"cpu_check", bench_cpu_check},
};
enum { COUNT = sizeof benchmarks / sizeof *benchmarks };

static char *const *names; /* what the command line names, up to a NULL; none: everything */

static bool is_benchmark(const char *name) {
  for (size_t k = 0; k < COUNT; k++)
    if (!strcmp(benchmarks[k].name, name)) return true;
  return false;
}

static bool named(const char *name) {
  for (char *const *n = names; *n; n++)
    if (!strcmp(*n, name)) return true;
  return false;
}

static const char on_cpu[] = "cpu:";
enum { ON_CPU = sizeof on_cpu - 1 };
static bool is_on_cpu(const char *name) { return !strncmp(name, on_cpu, ON_CPU) && bench_on_cpu_has(name + ON_CPU); }

static bool names_kernel(void) {
  for (char *const *n = names; *n; n++)
    if (!is_benchmark(*n) && !is_on_cpu(*n)) return true;
  return false;
}

static bool names_on_cpu(void) {
  for (char *const *n = names; *n; n++)
    if (is_on_cpu(*n)) return true;
  return false;
}

static bool asked(const struct benchmark *b) {
  return !*names || named(b->name) || (b->run == bench_adjoint && names_kernel()) || (b->run == bench_on_cpu && names_on_cpu());
}

bool bench_asked(const char *kernel) { return !names_kernel() || named(kernel); }

bool bench_on_cpu_asked(const char *kernel) {
  if (!names_on_cpu()) return true;
  for (char *const *n = names; *n; n++)
    if (is_on_cpu(*n) && !strcmp(*n + ON_CPU, kernel)) return true;
  return false;
}

static int usage(void) {
  fprintf(stderr, "usage: kgbench SOURCE [NAME ...], of:");
  for (size_t k = 0; k < COUNT; k++) fprintf(stderr, " %s", benchmarks[k].name);
  fprintf(stderr, "\nor of the kernels of adjoint:");
  bench_adjoint_names(stderr);
  fprintf(stderr, "\nor of those of cpu:");
  bench_on_cpu_names(stderr, on_cpu);
  fputc('\n', stderr);
  return 2;
}

/* Memory that was freed is kept, so that small and large sizes alike are measured on pages that are there already: else the large
 * ones pay in each round for what the C library gave back to the system. */
static void keep_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

int main(int argc, char **argv) {
  if (argc < 2) return usage();
  names = argv + 2;
  for (char *const *n = names; *n; n++)
    if (!is_benchmark(*n) && !bench_adjoint_has(*n) && !is_on_cpu(*n)) return usage();
  keep_memory();
  bench_source_dir = argv[1];
  int missed = 0;
  for (size_t k = 0; k < COUNT; k++)
    if (asked(&benchmarks[k])) missed += benchmarks[k].run();
  printf("%d bars missed\n", missed);
  return missed != 0;
}
