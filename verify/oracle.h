/* A gradient against dual numbers. The oracle holds what is known whatever the device: duals, intervals, what the reference saw
 * besides, finite differences. Each device's gradient is then judged by it. */
#ifndef TOOLS_VERIFY_H
#define TOOLS_VERIFY_H
#include "tools/command.h"
#include "verify/contract.h"
#include "tools/data.h"
#include "verify/judge.h"
#include "tools/progress.h"

/* Of directions; of the elements of a `[]` buffer that nobody gives a length: of several workgroups, the last of them in part; and
 * of elements in all, past which intervals and duals would fill the memory. */
enum { VERIFY_MAX_DIRECTIONS = 16, VERIFY_OPEN_LENGTH = 100, VERIFY_MOST_ELEMENTS = 100000000 };

typedef struct verify_params {
  tool_gradient gradient;
  tool_data_params data;
  uint64_t entries;    /* of each gradient that are looked at one by one; 0: as many as take moderate time, at most 256 */
  uint32_t directions; /* random ones; 0: 4 */
  bool differences;    /* finite differences as a third opinion */
  uint64_t step_limit; /* of each run on the reference, as in kg_reference_params */
} verify_params;

/* One entry of a gradient, or the whole along a direction. Differences are NaN where they were not taken. */
typedef struct verify_point {
  uint64_t index;
  double dual, magnitude, low, high;
  double start;              /* what stood there on entry, and is added to */
  double unrounded;          /* the gradient's own formulas with their sums in f64; NaN: not known */
  double difference, unsure; /* by finite differences, and how far off they may be */
} verify_point;

typedef struct verify_input {
  kg_grad_entry entry;
  uint32_t at;     /* the module's buffer or param */
  uint32_t shadow; /* the adjoint's buffer */
  uint64_t count;
  tool_array start; /* what the shadow holds on entry, where it is no cotangent: to be added to, or overwritten */
  verify_point *point;
  size_t points;   /* at most `count` */
} verify_input;

/* What the reference sees of a module besides its results. */
typedef struct verify_misuse {
  uint64_t races, uninitialised, out_of_range;
  bool watched; /* false: it would take too much memory */
  bool failed;  /* a fault: a divergent barrier, a limit, an assert */
} verify_misuse;

typedef struct verify_oracle {
  const verify_params *params;
  tool_context *ctx; /* its sink */
  tool_progress progress;
  tool_contract contract;    /* where it is broken there is nothing else */
  tool_data primal;          /* on entry */
  tool_array *cotangent;     /* by the module's buffer; without data: it is none of the outputs asked for */
  tool_data reference;       /* the adjoint's, after it ran on the reference */
  verify_input *input;       /* each name with `wrt` */
  size_t inputs;
  verify_point direction[VERIFY_MAX_DIRECTIONS];
  size_t directions;
  uint64_t operations;       /* of one dual run */
  tool_scale scale;          /* for the reference; devices add what their own rounding of stored values does */
  double storage_unit;
  uint64_t undecided;        /* branches and indices that rounding may decide */
  uint32_t undecided_line, undecided_column;
  verify_misuse kernel, gradient;
} verify_oracle;

typedef struct verify_found { double gradient; tool_judgement judgement; } verify_found;

typedef struct verify_device {
  const char *name;
  tool_exit status;        /* whether it ran */
  verify_found **found;    /* [input][point] */
  tool_tally *tally;       /* [input] */
  verify_found direction[VERIFY_MAX_DIRECTIONS];
  tool_tally along;        /* of the directions */
  const char *differs;     /* the first output of the plain module that the combined one changes; NULL: none */
  const char *unsteady;    /* the first buffer that a second run leaves with other bits, where none may; NULL: none */
} verify_device;

/* TOOL_OK, or what prevented it; diagnostics were sent. verify_oracle_free either way. `params` must outlive it. */
tool_exit verify_oracle_make(tool_context *ctx, const verify_params *params, verify_oracle *out);
void verify_oracle_free(verify_oracle *oracle);
/* For another adjoint, once params->gradient.adjoint names it: what is known of the module stays. */
tool_exit verify_oracle_again(verify_oracle *oracle);
bool verify_is_misused(const verify_misuse *misuse);

tool_exit verify_device_make(verify_oracle *oracle, const char *name, verify_device *out);
void verify_device_free(const verify_oracle *oracle, verify_device *device);

/* ---- between the files that make an oracle ---- */

/* What stands in every buffer on entry is drawn once, from the kernel and from what was asked for alone: cotangents for `of`, and
 * for all other gradients something that must be overwritten, or added to. */
tool_exit verify_draw(verify_oracle *oracle);
/* A copy of that for a run of the adjoint. TOOL_OK also where its declarations do not fit: then the contract is broken. */
tool_exit verify_entry(verify_oracle *oracle, tool_data *out);
void verify_free_entry(verify_oracle *oracle);
/* "grad_x", whatever the gradient calls it: data depend on it. */
typedef struct verify_name { char text[160]; } verify_name;
verify_name verify_name_of(const char *prefix, const char *name);

/* The dual runs for all chosen entries, and for the directions. */
tool_exit verify_duals(verify_oracle *oracle);
/* Sets direction k's part for an input: `u` has its count. It is 0 where the gradient on the reference is not finite, so that one
 * such entry does not hide all others. False: no memory. */
bool verify_direction(const verify_oracle *oracle, const verify_input *input, size_t k, double *u);
/* The adjoint on the reference, watched, and the intervals of its results. */
tool_exit verify_watch(verify_oracle *oracle);
/* The gradient's formulas with their sums in f64. */
tool_exit verify_unrounded(verify_oracle *oracle);
tool_exit verify_differences(verify_oracle *oracle);

enum verify_opinion { VERIFY_AGREES, VERIFY_UNSURE, VERIFY_DISAGREES, VERIFY_NOT_ASKED };
/* What the finite difference says of the dual. */
enum verify_opinion verify_opinion_of(const verify_point *point);

double verify_element(const tool_data *data, uint32_t buffer, uint64_t index);
/* Of an output that was asked for, by the kernel's buffer. */
double verify_cotangent(const verify_oracle *oracle, uint32_t buffer, uint64_t index);
/* What a gradient is added to; 0 where it is not. */
double verify_start(const verify_oracle *oracle, const verify_input *input, uint64_t index);
verify_point verify_no_point(uint64_t index);
tool_exit verify_no_memory(const verify_oracle *oracle);
#endif
