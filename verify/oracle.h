/* verify: the judge of gradients, public as kgrad/verify.h. The oracle holds what is known of a gradient whatever the device: duals,
 * intervals, what the reference saw besides, finite differences. Each device's gradient is then judged by it. doc/verify.md explains
 * and derives all of it. */
#ifndef KGI_ORACLE_H
#define KGI_ORACLE_H
#include "verify/contract.h"
#include "verify/data.h"
#include "verify/judge.h"

#include <kgrad/reference.h>

/* The caller's allocator, which knows whether it ever failed: a run that is refused memory by its own limit has no intervals, and
 * one that gets none from the caller ends it all. */
typedef struct kgi_oracle_memory { kg_allocator caller, own; bool failed; } kgi_oracle_memory;

/* One entry of a gradient, or the whole along a direction. Differences are NaN where they were not taken. */
typedef struct kgi_oracle_point {
  uint64_t index;
  double dual, magnitude, low, high;
  double tight_low, tight_high; /* the interval of exact arithmetic; in exact mode the same */
  double start;              /* what stood there on entry, and is added to */
  double unrounded;          /* the gradient's own formulas with their sums in f64; NaN: not known */
  double real;               /* the dual without the rounding of the kernel's own values; NaN: not known, or not looked for */
  double difference, unsure; /* by finite differences, and how far off they may be */
} kgi_oracle_point;

#define KGI_NO_SUSPECT UINT64_MAX

typedef struct kgi_oracle_input {
  kg_grad_entry entry;
  uint32_t at;     /* the module's buffer or param */
  uint32_t shadow; /* the adjoint's buffer */
  bool added;      /* to what stands in the shadow on entry */
  uint64_t count;
  kgi_array start; /* what the shadow holds on entry, where it is no cotangent: to be added to, or overwritten */
  kgi_oracle_point *point;
  size_t points;   /* at most `count` */
  uint64_t *suspect; /* by part: the entry that is looked at in the place of one at random, or KGI_NO_SUSPECT; NULL: there are none */
} kgi_oracle_input;

typedef struct kgi_oracle {
  const kg_verify_params *params;
  uint32_t subgroup_size;    /* of the reference in all its runs: the first device's, for what a kernel means may depend on it */
  const kg_sink *sink;
  kgi_gradient gradient;     /* what is judged; the adjoint may be exchanged for another, see kgi_oracle_again */
  kgi_oracle_memory memory;  /* so that an oracle stays where it was made */
  kgi_arena arena;
  kgi_contract contract;     /* where it is broken there is nothing else */
  kgi_data primal;           /* on entry */
  kgi_array *cotangent;      /* by the module's buffer; without data: it is none of the outputs asked for. Of tangents: the direction,
                                and it is none of the inputs */
  kgi_array *direction_of;   /* of tangents: by the module's param */
  kgi_data reference;        /* the adjoint's, after it ran on the reference */
  kgi_oracle_input *input;   /* each name with `wrt`; of tangents, each with `of` */
  size_t inputs;
  kgi_oracle_point direction[KG_VERIFY_MOST_DIRECTIONS];
  size_t directions;
  uint64_t operations;       /* of one dual run */
  kgi_scale scale;           /* for the reference; devices add what their own rounding of stored values does */
  double storage_unit;
  uint64_t undecided;        /* branches and indices that rounding may decide */
  uint32_t undecided_line, undecided_column;
  kg_misuse of_module, of_gradient;
} kgi_oracle;

typedef struct kgi_found { double gradient; kgi_judgement judgement; } kgi_found;

/* A gradient as one device gave it, judged. */
typedef struct kgi_judged {
  char name[40];        /* "reference", or as kg_device_info.id */
  kg_device *device;    /* NULL: the reference */
  bool same;            /* it is the reference, which repeats its own values */
  bool ran;
  kgi_arena arena;
  kgi_found **found;    /* [input][point] */
  kgi_tally *tally;     /* [input] */
  kgi_found direction[KG_VERIFY_MOST_DIRECTIONS];
  kgi_tally along;      /* of the directions */
  const char *differs;  /* the first output of the plain module that the combined one changes; NULL: none */
  const char *by_order; /* the first that it leaves otherwise, where all that differs goes by the order of invocations; NULL: none */
  const char *unsteady; /* the first buffer that a second run leaves with other bits, where none may; NULL: none */
} kgi_judged;

/* KG_OK, or what prevented it; diagnostics were sent. kgi_oracle_free either way. What `gradient` points to and `params` must
 * outlive it. KG_FAILED: the module itself fails as it runs. */
kg_status kgi_oracle_make(const kg_verify_params *params, const kgi_gradient *gradient, const kg_sink *sink, kgi_oracle *out);
void kgi_oracle_free(kgi_oracle *oracle);
/* The first part of it, which says what everything holds on entry. The contract may be broken. */
kg_status kgi_oracle_open(const kg_verify_params *params, const kgi_gradient *gradient, const kg_sink *sink, kgi_oracle *out);
/* For another adjoint, once `gradient.adjoint` names it: what is known of the module stays. */
kg_status kgi_oracle_again(kgi_oracle *oracle);
static inline bool kgi_is_misused(const kg_misuse *m) { return m->failed || m->races || m->uninitialised || m->out_of_range; }

/* KG_OK also where the device cannot run it. kgi_judged_free either way. */
kg_status kgi_judged_make(kgi_oracle *oracle, kg_device *device, kgi_judged *out);
void kgi_judged_free(kgi_judged *judged);
/* Sets `differs`, or `by_order`: from what the module and the gradient's module left on that device. */
kg_status kgi_compare_outputs(const kgi_oracle *oracle, kgi_judged *judged, const kgi_scale *scale, const kgi_data *plain,
                              const kgi_data *combined);

/* ---- between the files that make an oracle ---- */

/* What stands in every buffer on entry is drawn once, from the module and from what was asked for alone: cotangents for `of`, and
 * for all other gradients something that must be overwritten, or added to. */
kg_status kgi_oracle_draw(kgi_oracle *oracle);
/* A copy of that for a run of the adjoint. KG_OK also where its declarations do not fit: then the contract is broken. */
kg_status kgi_oracle_entry(kgi_oracle *oracle, kgi_data *out);
/* The same for a run of the module itself. */
kg_status kgi_oracle_primal(const kgi_oracle *oracle, kgi_data *out);
/* Runs a module's data on the reference, in place. `with`: what else the run is to do. */
kg_status kgi_oracle_run(const kgi_oracle *oracle, const kg_sink *sink, const kg_reference_params *with, kgi_data *data,
                         kg_reference_report *report);
/* "grad_x", whatever the gradient calls it: data depend on it. */
typedef struct kgi_oracle_name { char text[160]; } kgi_oracle_name;
kgi_oracle_name kgi_oracle_name_of(const char *prefix, const char *name);

/* intervals.c: the points' intervals, and what is undecided. */
kg_status kgi_oracle_bound(kgi_oracle *oracle);
/* The dual runs for all chosen entries, and for the directions. */
kg_status kgi_oracle_duals(kgi_oracle *oracle);
/* An input in so many parts: of each an entry is looked at. */
typedef struct kgi_oracle_part { uint64_t from, to; } kgi_oracle_part;
static inline kgi_oracle_part kgi_oracle_part_of(const kgi_oracle_input *in, size_t k, size_t parts) {
  double part = (double)in->count / (double)parts;
  return (kgi_oracle_part){(uint64_t)((double)k * part), (uint64_t)((double)(k + 1) * part)};
}
/* Of gradients that a person wrote: where to look, once it is known at how many. */
kg_status kgi_oracle_suspects(kgi_oracle *oracle, uint64_t entries);
/* A person wrote it, or a part of it. */
bool kgi_oracle_is_stated(const kgi_oracle *oracle);
/* The dual of one entry, where `primal` holds something else meanwhile. */
kg_status kgi_oracle_dual_at(const kgi_oracle *oracle, const kgi_oracle_input *input, kgi_oracle_point *point);
kg_status kgi_oracle_entries(kgi_oracle *oracle, kgi_oracle_input *input); /* the duals of its points */
kg_status kgi_oracle_along(kgi_oracle *oracle); /* the directions alone */
/* real.c: of gradients that a person wrote, `real` of the points whose dual is outside of its interval. */
kg_status kgi_oracle_real(kgi_oracle *oracle);
/* Says where a derivative that the module states is not its own; the directions are known. */
kg_status kgi_oracle_stated(const kgi_oracle *oracle);
/* Likewise of tangents: one run, along the direction that was drawn. */
kg_status kgi_oracle_tangents(kgi_oracle *oracle);
/* Direction k's part for an input, in `arena`; NULL: no memory. It is 0 where the gradient on the reference is not finite, so that
 * one such entry does not hide all others. */
double *kgi_oracle_direction(const kgi_oracle *oracle, const kgi_oracle_input *input, size_t k, kgi_arena *arena);
/* The gradient's formulas with their sums in f64. */
kg_status kgi_oracle_unrounded(kgi_oracle *oracle);
kg_status kgi_oracle_differences(kgi_oracle *oracle);

enum kgi_opinion { KGI_AGREES, KGI_UNSURE, KGI_DISAGREES, KGI_NOT_ASKED };
/* What the finite difference says of the dual. */
enum kgi_opinion kgi_opinion_of(const kgi_oracle_point *point);

/* Of an output that was asked for, by the module's buffer. */
double kgi_oracle_cotangent(const kgi_oracle *oracle, uint32_t buffer, uint64_t index);
/* What a gradient is added to; 0 where it is not. */
double kgi_oracle_start(const kgi_oracle_input *input, uint64_t index);
kgi_oracle_point kgi_oracle_no_point(uint64_t index);
void kgi_oracle_progress(const kgi_oracle *oracle, const char *what, uint64_t done, uint64_t of);
/* Sends the diagnostic, and returns KG_NO_MEMORY. */
kg_status kgi_oracle_no_memory(const kgi_oracle *oracle);
#endif
