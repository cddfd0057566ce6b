/* make bench: every figure is a ratio measured in one run, against a bar. Exits 1 when one is missed.
 *
 *     kgbench SOURCE [NAME ...]     SOURCE is the root of the sources; without names, all benchmarks
 *
 * A name is that of a benchmark, or of a kernel of `adjoint`, which then measures the kernels that are named; or cpu:KERNEL or
 * primitives:KERNEL, of these likewise. */
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
    {"primitives", bench_primitives},
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

/* Benchmarks with kernels of which some may be asked for. */
static const struct group {
  const char *prefix;
  int (*run)(void);
  bool (*has)(const char *name);
  void (*names)(FILE *to, const char *prefix);
} groups[] = {
    {"cpu:", bench_on_cpu, bench_on_cpu_has, bench_on_cpu_names},
    {"primitives:", bench_primitives, bench_primitives_has, bench_primitives_names},
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* The kernel that a name means of the group of that prefix; NULL: another's. */
static const char *kernel_of(const char *prefix, const char *name) {
  return strncmp(name, prefix, strlen(prefix)) ? NULL : name + strlen(prefix);
}

static bool in_group(const char *name) {
  for (size_t g = 0; g < GROUPS; g++) {
    const char *kernel = kernel_of(groups[g].prefix, name);
    if (kernel && groups[g].has(kernel)) return true;
  }
  return false;
}

static bool names_kernel(void) {
  for (char *const *n = names; *n; n++)
    if (!is_benchmark(*n) && !in_group(*n)) return true;
  return false;
}

static bool names_some_of(const char *prefix) {
  for (char *const *n = names; *n; n++)
    if (kernel_of(prefix, *n)) return true;
  return false;
}

static bool asked(const struct benchmark *b) {
  for (size_t g = 0; g < GROUPS; g++)
    if (b->run == groups[g].run && names_some_of(groups[g].prefix)) return true;
  return !*names || named(b->name) || (b->run == bench_adjoint && names_kernel());
}

bool bench_asked(const char *kernel) { return !names_kernel() || named(kernel); }

bool bench_kernel_asked(const char *prefix, const char *kernel) {
  if (!names_some_of(prefix)) return true;
  for (char *const *n = names; *n; n++) {
    const char *of = kernel_of(prefix, *n);
    if (of && !strcmp(of, kernel)) return true;
  }
  return false;
}

static int usage(void) {
  fprintf(stderr, "usage: kgbench SOURCE [NAME ...], of:");
  for (size_t k = 0; k < COUNT; k++) fprintf(stderr, " %s", benchmarks[k].name);
  fprintf(stderr, "\nor of the kernels of adjoint:");
  bench_adjoint_names(stderr);
  fprintf(stderr, "\nor of those of cpu and primitives:");
  for (size_t g = 0; g < GROUPS; g++) groups[g].names(stderr, groups[g].prefix);
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
    if (!is_benchmark(*n) && !bench_adjoint_has(*n) && !in_group(*n)) return usage();
  keep_memory();
  bench_source_dir = argv[1];
  int missed = 0;
  for (size_t k = 0; k < COUNT; k++)
    if (asked(&benchmarks[k])) missed += benchmarks[k].run();
  printf("%d bars missed\n", missed);
  return missed != 0;
}
