/* kgrad/verify.h: the judge of gradients. A module in, and a verdict on its gradient out: whether the module that kg_grad makes of
 * it, or an adjoint that somebody else wrote, computes the derivative. doc/verify.md derives the rule and says what it has caught.
 *
 *     kg_verdict *verdict = NULL;
 *     kg_status status = kg_verify(module, NULL, &sink, &verdict);
 *     bool proved = status == KG_OK && kg_verdict_summary(verdict).outcome == KG_OUTCOME_PASSED;
 *     kg_verdict_free(verdict);
 *
 * An entry a of a gradient is judged by the dual d, a derivative that the reference computes beside the values by rules of its own:
 *
 *     passed        a and d lie in the interval that rounding allows the gradient's formulas, and
 *                   |a - d| <= T = c u (1 + sqrt n) m + (1 + sqrt n)^2 tiny
 *     inconclusive  both lie in that interval, but further apart than T
 *     failed        one of them lies outside of it, or the interval has no end and they are further apart than T
 *
 * c is KG_VERIFY_C, u the unit roundoff of the roughest float that the entry went through, n the number of operations done, m the
 * sum of absolute contributions to d, and tiny the smallest normal number of the gradient's type. Nothing that the caller passes
 * loosens this. A gradient passes when no entry failed and at least half of the entries that are not zero were decided. */
#ifndef KGRAD_VERIFY_H
#define KGRAD_VERIFY_H

#include <kgrad/autodiff.h>
#include <kgrad/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KG_VERIFY_C = 2, KG_VERIFY_DIRECTIONS = 4, KG_VERIFY_MOST_DIRECTIONS = 16, KG_VERIFY_OPEN_LENGTH = 100,
       KG_VERIFY_MOST_ELEMENTS = 100000000 };

/* What is judged. */
typedef enum kg_verify_mode {
  KG_VERIFY_REVERSE, /* the gradient of kg_grad, or `adjoint` */
  KG_VERIFY_FORWARD, /* the tangents of kg_jvp, along a random direction: each element of each output's, by the dual along it */
  KG_VERIFY_HVP,     /* those of kg_hvp: tangents of the gradient, by duals of the gradient's module */
} kg_verify_mode;

/* All zeros: the gradient of every float output by every float input buffer, over reproducible data, on the reference. */
typedef struct kg_verify_params {
  /* Which gradient, as in kg_grad_params. */
  const char *const *of; size_t of_count;   /* names of outputs; NULL: all buffers that hold floats */
  const char *const *wrt; size_t wrt_count; /* names of inputs; NULL: all buffers that hold floats */
  kg_verify_mode mode; /* other than reverse: `accumulate`, `adjoint`, `map`, `directions` and `differences` mean nothing */
  bool accumulate;    /* gradients are added to random contents of several magnitudes, and the sum is what is judged */
  bool deterministic; /* a second run on each device must leave the same bits in every buffer */
  uint64_t tape_limit; /* bytes; not of forward mode, which has no tapes */
  uint64_t trips;      /* of loops that nothing bounds; likewise */
  kg_math math;       /* in which devices compute, and by whose intervals they are judged; the reference is exact in any */

  /* An adjoint to be judged in the place of kg_grad's, with the same buffers and params besides its shadows. `map` names those;
   * NULL: they are named grad_x for x. It does the module's work as well, as kg_grad's does: what it leaves in the module's outputs is
   * compared. A backward kernel that only takes the cotangents, or the adjoint of kg_grad_split, is kg_audit's matter. */
  const kg_module *adjoint;
  const kg_grad_map *map;

  /* Where it runs besides the reference, which always has a say. NULL for a device that could not be opened: it cannot run
   * anything. `optional`, where it is given: by device, whether the verdict does without one that cannot run it; otherwise that
   * fails it. */
  kg_device *const *devices; size_t device_count;
  const bool *optional;

  /* What the module runs with. `host`: params and lengths, where they are given; NULL: none are. What is not given is filled in as
   * by kg_verify_resolve. `data`: for each of the module's buffers an array on entry, in the buffer's own type and of
   * the length that the host states or the declaration gives; NULL, or an entry that is NULL: reproducible random values, as
   * kg_module_random makes them with `seed`. The arrays of `write` and temp buffers are not looked at. Nothing here is changed. */
  const kg_host *host;
  const void *const *data;

  uint64_t seed;       /* of data, cotangents, entries and directions */
  uint64_t entries;    /* of each gradient, looked at one by one; 0: 256, and fewer of modules that do a lot of work */
  uint32_t directions; /* random ones, along which the whole gradient is judged; 0: KG_VERIFY_DIRECTIONS */
  bool differences;    /* finite differences besides, which decide nothing */
  bool expect_zero;    /* nothing but a gradient that is zero, and rightly so, will do: anything else has failed */
  uint64_t step_limit; /* of each run on the reference, as in kg_reference_params */

  /* Called now and then on the caller's thread, with what is being done, and how much of it is; NULL: nobody asks. */
  void (*progress)(void *user, const char *what, uint64_t done, uint64_t of);
  void *progress_user;

  const kg_allocator *alloc; /* for all of it, on the caller's thread alone; NULL: malloc */
} kg_verify_params;

/* Worst last. Only the first is a proof. */
typedef enum kg_outcome {
  KG_OUTCOME_NONE,         /* nothing was judged: the device could not run it, or the gradient does not fit the module */
  KG_OUTCOME_PASSED,
  KG_OUTCOME_ZERO,         /* vacuous: every entry is zero, and so is every dual; nothing depends on any input here */
  KG_OUTCOME_INCONCLUSIVE, /* nothing is wrong, but rounding accounts for more than half of the entries as well */
  KG_OUTCOME_FAILED
} kg_outcome;
/* "passed", "zero", "INCONCLUSIVE", "FAILED"; "not judged" for KG_OUTCOME_NONE. */
KG_API const char *kg_outcome_name(kg_outcome outcome);

/* A verdict holds all that was found, and refers to nothing of the caller's. */
typedef struct kg_verdict kg_verdict;

/* Judges the gradient of `module`. KG_OK means that there is a verdict, whatever it is: look at its outcome. Otherwise there is
 * none, and diagnostics say why: KG_INVALID for names, params and arrays that do not fit the module, for sizes past
 * KG_VERIFY_MOST_ELEMENTS and for counts out of range; KG_REFUSED where the module cannot be differentiated or the reference cannot
 * run it; KG_FAILED where the module itself fails as it runs; KG_NO_MEMORY. `params` may be NULL. */
KG_API kg_status kg_verify(const kg_module *module, const kg_verify_params *params, const kg_sink *sink, kg_verdict **out);
KG_API void kg_verdict_free(kg_verdict *verdict);

/* ---- reading a verdict; strings live as long as it does ---- */

/* What the reference, under watch, saw a module do besides its results. Any of these is a failure. */
typedef struct kg_misuse {
  uint64_t races, uninitialised, out_of_range; /* as in kg_reference_report */
  bool watched; /* false: more than ten million elements are written, which would take too much memory */
  bool failed;  /* a fault: a divergent barrier, a limit, an assert */
} kg_misuse;

typedef struct kg_verdict_info {
  kg_outcome outcome;
  const char *reason;  /* one line that says what is wrong, or open, or vacuous; "" where it passed */
  const char *declared_wrongly; /* the first thing that the gradient's module declares, and should not; NULL: nothing */
  kg_misuse module, gradient;   /* of the module itself, and of its gradient */
  double unit, stored_unit, depth; /* the rule's u on the reference, that of what is stored in buffers, and 1 + sqrt n */
  bool bounded;        /* false: the intervals could not be computed, and T decides alone */
  uint64_t undecided;  /* branches, indices and results of atomics of the gradient that rounding or order may decide; devices may go
                          another way there */
  uint32_t undecided_line, undecided_column; /* the first of them */
  size_t devices;      /* the reference first; 0 where the gradient does not fit the module */
  size_t gradients, directions;
} kg_verdict_info;
KG_API kg_verdict_info kg_verdict_summary(const kg_verdict *verdict);

/* One entry, or the product of the whole gradient with a random direction. */
typedef struct kg_verdict_entry {
  uint64_t index;        /* of the element, or of the direction */
  kg_outcome outcome;
  double gradient;       /* what the device gave */
  double dual, magnitude;
  double low, high;      /* the interval; NaN: anything */
  double on_entry;       /* what stood there and was added to: part of `gradient`, and not of `dual` */
  double unrounded;      /* the gradient's own formulas with their sums in f64; NaN: not known */
  double error, allowed, ratio; /* |gradient - dual|, T, and the first by the second */
  /* of kg_audit alone */
  bool unwritten;        /* nothing was ever stored there: `gradient` is what stood there on entry */
  double input;          /* what the input holds there */
} kg_verdict_entry;

/* A gradient as a device gave it. */
typedef struct kg_verdict_gradient {
  const char *name, *shadow; /* of the module's buffer or param; of the gradient's buffer */
  bool is_param;
  bool tangent;          /* it is one, and no gradient */
  kg_outcome outcome;
  uint64_t count;        /* elements */
  uint64_t checked, failed, inconclusive; /* entries */
  bool lost;             /* failed: it is zero in every entry, and some dual is not */
  bool zero;             /* no entry failed, and every dual is zero, but for what these types do not hold */
  bool depends;          /* some dual is not zero at all */
  kg_verdict_entry worst; /* a failed one before an inconclusive one, and of those the one that is furthest off */
  /* of kg_audit alone */
  bool added;            /* to what stood there on entry */
  uint64_t unwritten;    /* entries */
  const char *hint;      /* the pattern of what is wrong, in words; "": none that is certain */
} kg_verdict_gradient;

typedef struct kg_verdict_device {
  const char *name;      /* "reference", or as kg_device_info.id */
  bool ran;              /* false: it cannot run the module, and the sink got the reason */
  kg_outcome outcome;
  const char *output_that_differs;     /* a buffer that the gradient's module leaves otherwise than the module itself; or NULL */
  const char *output_by_order;         /* inconclusive: likewise, but where it differs it goes by the order in which invocations come, for
                                          the module itself leaves other contents there in another order on the reference; or NULL */
  const char *differs_in_a_second_run; /* with `deterministic`: a buffer; or NULL */
  kg_verdict_gradient along; /* all gradients along the random directions: `checked` of them, no names */
} kg_verdict_device;

/* `device` counts from 0, `gradient` too, in the order in which the module declares buffers, then params. For the entries of one
 * gradient `entry` counts to its `checked`; in `gradient` the number of gradients stands for the directions. An index past the end
 * gives zeros. */
KG_API kg_verdict_device kg_verdict_on(const kg_verdict *verdict, size_t device);
KG_API kg_verdict_gradient kg_verdict_of(const kg_verdict *verdict, size_t device, size_t gradient);
KG_API kg_verdict_entry kg_verdict_at(const kg_verdict *verdict, size_t device, size_t gradient, size_t entry);

/* What finite differences say of a gradient's duals, with `differences`. */
typedef struct kg_verdict_differences {
  uint64_t agree, cannot_tell, disagree; /* entries */
  uint64_t worst;                        /* with `disagree`: the index of the one that is furthest off ... */
  double difference, unsure, dual;       /* ... what it is, how far off that may be, and the dual */
} kg_verdict_differences;
KG_API kg_verdict_differences kg_verdict_by_differences(const kg_verdict *verdict, size_t gradient);

/* ---- what it runs with ---- */

/* kg_module_resolve for a module of which little is given: a `[]` buffer without a length gets that of the first `[]` buffer that
 * has one, or KG_VERIFY_OPEN_LENGTH elements. KG_INVALID also where all buffers together have more than KG_VERIFY_MOST_ELEMENTS. */
KG_API kg_status kg_verify_resolve(const kg_module *module, kg_host *host, const kg_sink *sink);

/* ---- a backward kernel that somebody wrote, held against the derivative of its forward kernel ----
 *
 * doc/audit.md says what is compared with what.
 *
 *     kg_pair *pair = NULL;
 *     kg_verdict *verdict = NULL;
 *     const kg_pair_name map[] = {{.name = "dy", .means = "grad_y"}, {.name = "dx", .means = "grad_x"}};
 *     const kg_pair_params params = {.backward = &backward, .backward_count = 1, .map = map, .map_count = 2};
 *     kg_status status = kg_pair_new(forward, &params, &sink, &pair);
 *     if (status == KG_OK) status = kg_audit(pair, NULL, &sink, &verdict);
 *     bool right = status == KG_OK && kg_verdict_summary(verdict).outcome == KG_OUTCOME_PASSED;
 *     kg_verdict_free(verdict);
 *     kg_pair_free(pair); */
/* What a buffer or param of a backward module stands for: a buffer or param of the forward module, or the gradient of one, `grad_x` of
 * x. What is not named stands for what has its own name there. `file` is the backward module that is meant, by the name that
 * kg_pair_params gives it; NULL: each that has a buffer or param of that name. */
typedef struct kg_pair_name { const char *file, *name, *means; } kg_pair_name;

typedef struct kg_pair_params {
  const kg_module *const *backward; /* one or several, in the order in which they run */
  const char *const *file;          /* their names; NULL: "backward", or "backward1" and so on where they are several */
  size_t backward_count;
  const kg_pair_name *map;
  size_t map_count;
  /* Params of a backward module that do not stand for the forward's of the same name: each is one of its own, `file:name`. `means`
   * is not looked at. A grid may differ so. */
  const kg_pair_name *own;
  size_t own_count;
  bool overwrite; /* gradients must be stored; without it, one that is added to what stands there is taken to be meant so */
  bool combined;  /* the backward modules do the forward's work themselves, and run in its place */
  const kg_allocator *alloc; /* NULL: malloc */
} kg_pair_params;

/* A forward module and its backward modules, which belong together. It refers to nothing of the caller's but the allocator. */
typedef struct kg_pair kg_pair;

/* KG_INVALID, with diagnostics: a name is none, types do not fit, or nothing says what a backward buffer holds. */
KG_API kg_status kg_pair_new(const kg_module *forward, const kg_pair_params *params, const kg_sink *sink, kg_pair **out);
KG_API void kg_pair_free(kg_pair *pair);

/* What `host` and `data` of kg_audit belong to: the forward module, and after its params those that backward modules have of their
 * own, by their names, or `file:name` where the forward has that name. It lives as long as the pair. */
KG_API const kg_module *kg_pair_kernel(const kg_pair *pair);

/* Judges the backward modules: one run of the forward module, then of each backward one, on what it left. What is judged is the gradient
 * of the outputs that have a cotangent there, by the inputs that have a gradient there. `params` may be NULL; `of`, `wrt`, `mode`,
 * `accumulate`, `deterministic`, `tape_limit`, `adjoint` and `map` mean nothing. As kg_verify, it gives a verdict with KG_OK, whatever
 * it is. In that verdict an entry says whether it was ever written, and a gradient whether it is added to what stood there, and
 * where it is wrong in a pattern that is certain, which (kg_verdict_gradient). */
KG_API kg_status kg_audit(const kg_pair *pair, const kg_verify_params *params, const kg_sink *sink, kg_verdict **out);

#ifdef __cplusplus
}
#endif

#endif
