/* What the files of fuzz/ask/ask.h share. */
#ifndef KGI_FUZZ_ASK_PARTS_H
#define KGI_FUZZ_ASK_PARTS_H
#include "fuzz/ask/ask.h"
#include "verify/contract.h"
#include "verify/judge.h"

enum { MOST_BUFFERS = 400, MOST_PARAMS = 32, TANGENTS = 16 };

typedef struct kgi_ask_data {
  const kg_module *module;
  uint64_t param[MOST_PARAMS], length[MOST_BUFFERS];
  void *array[MOST_BUFFERS];
} kgi_ask_data;

typedef struct kgi_asked_gradient {
  kgi_ask *f;
  kg_module *primal, *adjoint;
  kg_grad_map *map;
  kgi_contract contract;
  kgi_ask_data before, after, result;  /* the primal's buffers before and after a run, and the adjoint's */
  double *cotangent[MOST_BUFFERS]; /* by the primal's buffer */
  double *start[MOST_BUFFERS];    /* by the adjoint's buffer: what a gradient is added to */
  double *low[MOST_BUFFERS], *high[MOST_BUFFERS]; /* by the adjoint's buffer: what rounding may make of a gradient */
  kgi_scale scale;
  kgi_tally tally;
} kgi_asked_gradient;

/* The same record: the adjoint is the module with tangents, and the cotangents are the duals, [direction][element]. */
typedef struct kgi_asked_tangents {
  kgi_asked_gradient g;
  double *magnitude[MOST_BUFFERS], param[TANGENTS * MOST_PARAMS];
  uint32_t directions;
} kgi_asked_tangents;

/* program.c */
__attribute__((format(printf, 2, 3))) kgi_answer kgi_ask_fail(kgi_ask *f, const char *format, ...); /* KGI_FAILS */
bool kgi_ask_is_generated(const kgi_ask *f); /* or a part of such a program */
void kgi_ask_hear(void *fuzz, const kg_diag *diag); /* for a kg_sink: the first error is what is said of f */
bool kgi_ask_is_sound(kgi_ask *f, const kg_module *m, const char *which); /* valid, and the same from its text and its binary form */
/* Inputs as they are given, else by the seed; the rest a pattern. Free it even where there was no memory. */
bool kgi_ask_make_data(kgi_ask_data *d, const kg_module *m, const kgi_ask *f);
/* Element k of what is given by that name; `bits` where it is not. */
uint64_t kgi_ask_given(const kgi_ask *f, const char *name, kg_type type, uint64_t k, uint64_t bits);
bool kgi_ask_keep(kgi_ask *f, const kgi_ask_data *d); /* puts inputs and params there where f keeps what it is asked about */
void kgi_ask_free_data(kgi_ask_data *d);
size_t kgi_ask_bytes(const kgi_ask_data *d, uint32_t buffer);
double kgi_ask_element(const kgi_ask_data *d, uint32_t buffer, uint64_t k);
bool kgi_ask_is_output(const kgi_ask_data *d, uint32_t buffer);
uint32_t kgi_ask_subgroup_size(const kgi_ask *f); /* 0: the reference's own */
bool kgi_ask_run_reported(kgi_ask *f, kgi_ask_data *d, const char *which, uint32_t checks, kg_reference_report *report);
bool kgi_ask_run_watched(kgi_ask *f, kgi_ask_data *d, const char *which); /* for races, and for reads of what nothing wrote */
kgi_answer kgi_ask_same_outputs(kgi_ask *f, const kgi_ask_data *a, const kgi_ask_data *b, const char *which);

/* gradient.c: the program that is asked about; whether a module's gradient is the dual, which takes the module; KGI_HOLDS, or
 * there is nothing to judge. What was begun is to be ended in any case. */
kg_module *kgi_ask_gradient_program(kgi_ask *f);
kgi_answer kgi_ask_gradient_holds(kgi_ask *f, kg_module *primal);
kgi_answer kgi_ask_begin_gradient(kgi_asked_gradient *g, kgi_ask *f);
void kgi_ask_end_gradient(kgi_asked_gradient *g);
size_t kgi_ask_choose_names(const kgi_asked_gradient *g, bool of, const char **names);
void kgi_ask_forget_written(kgi_asked_gradient *g, uint32_t shadow);
bool kgi_ask_bound(kgi_asked_gradient *g);
bool kgi_ask_is_told_late(const kgi_ask *f); /* that what failed was refused, which only shows when it runs */
bool kgi_ask_keep_asked(kgi_asked_gradient *g); /* as kgi_ask_keep: the names that were asked for, and what stands in shadows */

/* tangents.c: likewise */
kgi_answer kgi_ask_begin_tangents(kgi_asked_tangents *t, kgi_ask *f);
void kgi_ask_end_tangents(kgi_asked_tangents *t);
#endif
