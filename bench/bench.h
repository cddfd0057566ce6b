/* What the benchmarks share. Each prints rows, and a row holds a ratio of two times that were taken in the same run, interleaved;
 * times stand beside it only to show the order of magnitude. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H
#include "foundation/ir/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Seconds of this process on all cores, and of the clock on the wall. */
double bench_cpu(void);
double bench_wall(void);
/* Sorts the values. */
double bench_median(double *values, unsigned count);

/* Something that is timed: what one call of it takes, in seconds. A negative number: it failed, and has said why. */
typedef double (*bench_timed)(void *user);

enum { BENCH_ROUNDS = 21 };
/* Two things timed in turn, after a warm-up of each. */
typedef struct bench_pair {
  double least[2], median[2]; /* seconds */
  double ratio, middle;       /* least[1] / least[0], and the median of the rounds' ratios */
  bool failed;
} bench_pair;
bench_pair bench_compare(bench_timed first, void *first_user, bench_timed second, void *second_user, unsigned rounds);

/* One row: `ratio` must not exceed `bar`, or is only shown where that is 0. Returns whether it does not. A failed pair is a missed bar. */
bool bench_row(const char *name, const char *subject, const bench_pair *pair, double bar);
/* A row whose figure must not be below (`at_least`) or above the bar. */
bool bench_figure(const char *name, const char *subject, double figure, double bar, bool at_least, const char *unit);

/* Programs of about `count` instructions, in several shapes. */
typedef struct bench_shape {
  const char *name;
  void (*build)(kgi_builder *b, uint32_t count);
} bench_shape;
extern const bench_shape bench_shapes[];
extern const size_t bench_shape_count;
/* NULL: it could not be built. */
kg_module *bench_build(const bench_shape *shape, uint32_t count);

/* A file below the root of the sources, parsed. NULL: it could not be, and stderr says why. */
kg_module *bench_load(const char *name);

/* The benchmarks. Each returns how many bars were missed. */
int bench_scaling(void);
int bench_compile(void);
int bench_interpreter(void);
int bench_reference(void);
int bench_adjoint(void);
int bench_imported(void);
int bench_dispatch(void);
int bench_on_cpu(void);
int bench_cpu_check(void);
int bench_primitives(void);

/* The kernels of `adjoint`, by name: whether there is one, and all of them, each behind a space. */
bool bench_adjoint_has(const char *name);
void bench_adjoint_names(FILE *to);
/* Whether the command line asks for this one. */
bool bench_asked(const char *kernel);
/* The same of the kernels of `cpu` and of `primitives`, whose names stand behind "cpu:" and "primitives:". */
bool bench_on_cpu_has(const char *name);
void bench_on_cpu_names(FILE *to, const char *prefix);
bool bench_primitives_has(const char *name);
void bench_primitives_names(FILE *to, const char *prefix);
bool bench_kernel_asked(const char *prefix, const char *kernel);

extern const char *bench_source_dir; /* the root of the sources */
#endif
