/* What the files of tests/support/fuzz_property.h share. */
#ifndef TESTS_FUZZ_PARTS_H
#define TESTS_FUZZ_PARTS_H
#include "tests/support/fuzz_property.h"
#include "verify/contract.h"
#include "verify/judge.h"

enum { MOST_BUFFERS = 400, MOST_PARAMS = 8, TANGENTS = 16 };

typedef struct kgt_data {
  const kg_module *module;
  uint64_t param[MOST_PARAMS], length[MOST_BUFFERS];
  void *array[MOST_BUFFERS];
} kgt_data;

typedef struct kgt_gradient {
  kgt_fuzz *f;
  kg_module *primal, *adjoint;
  kg_grad_map *map;
  kgi_contract contract;
  kgt_data before, after, result;  /* the primal's buffers before and after a run, and the adjoint's */
  double *cotangent[MOST_BUFFERS]; /* by the primal's buffer */
  double *start[MOST_BUFFERS];    /* by the adjoint's buffer: what a gradient is added to */
  double *low[MOST_BUFFERS], *high[MOST_BUFFERS]; /* by the adjoint's buffer: what rounding may make of a gradient */
  kgi_scale scale;
  kgi_tally tally;
} kgt_gradient;

/* The same record: the adjoint is the module with tangents, and the cotangents are the duals, [direction][element]. */
typedef struct kgt_tangents {
  kgt_gradient g;
  double *magnitude[MOST_BUFFERS], param[TANGENTS * MOST_PARAMS];
  uint32_t directions;
} kgt_tangents;

/* fuzz_program.c */
__attribute__((format(printf, 2, 3))) kgt_verdict kgt_fail(kgt_fuzz *f, const char *format, ...); /* KGT_FAILS */
void kgt_hear(void *fuzz, const kg_diag *diag); /* for a kg_sink: the first error is what is said of f */
kg_module *kgt_program_of(kgt_fuzz *f);
bool kgt_is_sound(kgt_fuzz *f, const kg_module *m, const char *which); /* valid, and the same from its text and its binary form */
/* Inputs by the seed, the rest a pattern. Free it even where there was no memory. */
bool kgt_make_data(kgt_data *d, const kg_module *m, uint64_t seed);
void kgt_free_data(kgt_data *d);
size_t kgt_bytes_of(const kgt_data *d, uint32_t buffer);
double kgt_element(const kgt_data *d, uint32_t buffer, uint64_t k);
bool kgt_is_output(const kgt_data *d, uint32_t buffer);
uint32_t kgt_subgroup_size(const kgt_fuzz *f); /* 0: the reference's own */
bool kgt_run_checked(kgt_fuzz *f, kgt_data *d, const char *which, uint32_t checks);
bool kgt_run_watched(kgt_fuzz *f, kgt_data *d, const char *which); /* for races, and for reads of what nothing wrote */
kgt_verdict kgt_same_outputs(kgt_fuzz *f, const kgt_data *a, const kgt_data *b, const char *which);

/* fuzz_gradient.c: the program that is asked about; whether a module's gradient is the dual, which takes the module; KGT_HOLDS, or
 * there is nothing to judge. What was begun is to be ended in any case. */
kg_module *kgt_gradient_program(kgt_fuzz *f);
kgt_verdict kgt_gradient_holds(kgt_fuzz *f, kg_module *primal);
kgt_verdict kgt_begin_gradient(kgt_gradient *g, kgt_fuzz *f);
void kgt_end_gradient(kgt_gradient *g);
size_t kgt_choose_names(const kgt_gradient *g, bool of, const char **names);
void kgt_forget_written(kgt_gradient *g, uint32_t shadow);
bool kgt_bound(kgt_gradient *g);

/* fuzz_tangents.c: likewise */
kgt_verdict kgt_begin_tangents(kgt_tangents *t, kgt_fuzz *f);
void kgt_end_tangents(kgt_tangents *t);
#endif
