/*
 * The reference interpreter: runs a module exactly as the language defines it,
 * a workgroup in lock step, and carries duals, error bounds and race sets
 * beside the values. Every other part of kgrad is tested against it.
 */
#ifndef KGRAD_REFERENCE_H
#define KGRAD_REFERENCE_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program can do wrong while it runs. */
typedef enum kg_fault {
  KG_FAULT_NONE = 0,
  KG_FAULT_ASSERT,            /* an `assert` whose condition is false */
  KG_FAULT_LOOP_LIMIT,        /* a `while` that goes on after its limit; the loop is left */
  KG_FAULT_STEP,              /* a `for` over a range that is not empty, whose step is not at least 1; it takes no trips */
  KG_FAULT_DIVERGENT_BARRIER, /* a barrier that not all invocations of a workgroup reach; the run ends */
  KG_FAULT_STEP_LIMIT,        /* more work than `step_limit`; the run ends */
  KG_FAULT_ENDLESS_LOOP,      /* a `while` without a limit of its own that takes more than 2^22 trips; the run ends */
  KG_FAULT_NOT_DIFFERENTIABLE /* a result has met an operation without derivative, and nothing cut it behind */
} kg_fault;

/* What else to look for, beside the results: mistakes that one device hides and another shows. Each is an error with its position;
 * alike ones are reported once, sixteen in all, and counted. Accesses out of bounds are defined, so they are warnings alone. */
typedef enum kg_check {
  KG_CHECK_RACES = 1,         /* two invocations touch an element with no barrier between, or two workgroups within a dispatch; one
                                 of them writes, and not both atomically */
  KG_CHECK_UNINITIALISED = 2, /* reads of what was not written: of vars, shared memory, `write` and temp buffers */
  KG_CHECK_RANGES = 4,        /* values of a buffer outside of the range that its declaration states, on entry */
  KG_CHECK_BOUNDS = 8,        /* accesses out of bounds: a warning for each statement that makes any, when the run ends, with the first
                                 one's index and invocation, the length, and how many there were */
} kg_check;

/* Intervals beside the values (doc/precision.md). */
typedef enum kg_bounds {
  KG_BOUNDS_NONE,
  KG_BOUNDS_DEVICE, /* every result that a conforming Vulkan device may give in the mode of `math` */
  KG_BOUNDS_REAL,   /* that, and the result in real arithmetic, without any rounding; a literal that is neither whole nor a power of
                       two may be the rounding of what was meant */
} kg_bounds;

/* How to run a module. `module` must be set; every other field may be zero, which asks for the default. Arrays have one entry for
 * each of the module's buffers, or params. */
typedef struct kg_reference_params {
  const kg_module *module;
  const kg_allocator *allocator; /* NULL: malloc's */
  const kg_sink *sink;
  /* Elements in the buffer's own type, aligned for it, `lengths` of them, read and written in place. Temp buffers and those
   * that no array is given for (NULL) are allocated, zeroed. A length is UINT64_MAX where the declaration decides, as it does
   * for temp buffers; NULL: all are. */
  void *const *buffers;
  const uint64_t *lengths;
  const uint64_t *param_bits; /* NULL: the defaults */
  /* Lane-instructions after which the run is ended. 0: there is no such limit, but a `while` that states no limit of its own ends
   * the run when it goes on after 2^22 trips, which no sane kernel takes at one go. UINT64_MAX: no limit at all. Workgroups are
   * counted in blocks of about 256 invocations. A block that passes the limit by itself ends at once; otherwise the run ends with the
   * block in which the sum passes it. */
  uint64_t step_limit;
  uint32_t checks;            /* of kg_check */
  uint64_t memory_limit;      /* bytes that the run may allocate; 0: 8 GiB. Past it: KG_NO_MEMORY */
  uint32_t subgroup_size;     /* a power of two up to 128; 0: 32 */
  /* Threads that share workgroups: 0: one for each core that the process may use; 1: the caller's alone; n: at most n. Nothing
   * that is returned or reported depends on it, races aside. Allocator and sink are called on the caller's thread alone. With
   * `checks` other than for ranges, or with `bounds`, there is one. */
  uint32_t threads;
  /* Workgroups of a dispatch, and lanes that come to an atomic together, may come in any order. 0: as they are counted; else a seed, and
   * they come in an order drawn from it, on one thread. What a result goes by is shown by another order that gives another one. */
  uint64_t order;
  /* Tangents: how many directions are followed at once; 0: values alone. */
  uint32_t tangent_count;
  /* For each float buffer an array [tangent_count][length], NULL: zero on entry and not wanted. On entry the seeds, on exit the
   * tangents of the final contents; those of `write` buffers are zeroed first. */
  double *const *tangents;
  /* The same shape, written only: the sum of the absolute contributions to each tangent; a seed contributes itself. */
  double *const *magnitudes;
  /* [tangent_count][params]: seeds of float params; NULL: zero. */
  const double *param_tangents;
  /* Intervals; they are carried on one thread. */
  kg_bounds bounds;
  /* What an atomic finds goes by the order of invocations. false: it is anything. true: where the atomic is the only one of an object of
   * shared memory, and in no loop in which an invocation may be ahead of others, it is what it is in this run's order. */
  bool in_order;
  kg_math math;          /* in which the device computes; the values stay those of exact arithmetic */
  bool flush_subnormals; /* a device may take subnormal operands for 0, and give 0 for subnormal results */
  /* For each buffer an array [length], NULL: not wanted. Written on exit: the final contents lie in [low, high], where the
   * inputs are points. NaN in both: anything at all, NaN included. Elements that nothing wrote are anything, and so are those
   * that depend on something undecided. A zero is of either sign. Any other integer is exactly the one in the buffer; its
   * bounds are that value, rounded outward. */
  double *const *low, *const *high;
} kg_reference_params;

typedef struct kg_reference_report {
  uint64_t lane_instructions;   /* instructions, counted once for each invocation that executed them */
  uint64_t out_of_bounds_loads; /* they gave 0 */
  uint64_t out_of_bounds_stores; /* stores and atomics, dropped */
  uint32_t out_of_bounds_line, out_of_bounds_column; /* of the first */
  int64_t out_of_bounds_index;   /* of the first, too: an unsigned one from 2^63 on wraps */
  uint64_t out_of_bounds_length; /* and what its index was held against */
  uint64_t races, uninitialised, out_of_range; /* accesses, and values, that failed a check */
  kg_fault fault;               /* the first, in order of workgroups */
  uint32_t fault_line, fault_column;
  uint64_t fault_count;         /* of invocations that had one, of any kind */
  /* Branches, trips, indices, asserts and results of atomics that the intervals do not decide, each counted for each invocation and
   * each time; the place of the first. Every value that may depend on them is anything. */
  uint64_t undecided;
  uint32_t undecided_line, undecided_column;
} kg_reference_report;

/* Runs all of a module's runs, in order. KG_INVALID: arrays or params do not fit the declarations. KG_REFUSED: the module uses
 * what the reference does not do, or a result has no derivative. KG_FAILED: a fault, or a check
 * that found something; `report` says which. Buffers then hold what was written before. `report` may be NULL. */
KG_API kg_status kg_reference_run(const kg_reference_params *params, kg_reference_report *report);

#ifdef __cplusplus
}
#endif

#endif
