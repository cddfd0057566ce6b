/* Intervals carried through a run: beside each value, and beside each element of memory (its "cell").
 *
 * A float's interval is what a device may hold there (reference/interval.h). Of integers and bools it says only whether they are
 * what the reference has (0 in both ends) or anything at all (NaN). What nothing wrote is anything.
 *
 * Where a branch or a number of trips is not decided, a lane is in doubt: a device may execute what the reference does not, and the
 * other way round, until the end of the statement, or, if that may leave a loop or the program, until the end of those. What a lane
 * in doubt stores is anything, and at the end so is all that the statement may store to. */
#ifndef KGI_BOUND_H
#define KGI_BOUND_H
#include "reference/interval.h"
#include "reference/machine.h"

/* Atomics of one kind on one element, with nothing that orders them: a float sum in exact arithmetic, and what bounds its error. */
typedef struct kgi_gathered { uint32_t when; uint8_t op, any; uint32_t count; double low, high, size; } kgi_gathered;

typedef struct kgi_cells {
  double *low, *high; /* of each element */
  kgi_gathered *gathered; /* NULL: the module has no atomics */
  bool unknown;       /* all elements are anything, and nothing was stored since */
} kgi_cells;

typedef struct kgi_bound {
  kgi_rules rules;
  double **low, **high; /* of each instruction's value: [lane] */
  uint8_t *used;        /* whether an instruction's value is */
  bool in_order;
  uint8_t *told;        /* whether an atomic finds what it finds in this order, and not anything */
  uint32_t *until;      /* of each lane: how deep the statement lies at whose end it is no longer in doubt; KGI_SURE: it is not */
  uint32_t doubtful;    /* lanes in doubt */
} kgi_bound;

#define KGI_SURE UINT32_MAX

/* NULL: no memory. The caller's arrays are used where there are any. */
kgi_cells *kgi_cells_make(const kgi_memory *memory, double *low, double *high, bool atomics, kgi_arena *arena);
void kgi_cells_points(kgi_cells *cells, const kgi_memory *memory); /* what its elements hold */
void kgi_cells_unknown(kgi_cells *cells, size_t total);
void kgi_cells_finish(kgi_cells *cells, const kgi_memory *memory); /* integers as numbers, for the caller */
kgi_interval kgi_cells_final(const kgi_cells *cells, const kgi_memory *memory, size_t at); /* of one element */
bool kgi_has_atomics(const kg_module *module);

/* Room for a machine's values and memory. */
bool kgi_bound_make(kgi_machine *m, const kg_reference_params *params, kgi_arena *arena);
void kgi_bound_leaf(kgi_machine *m, uint32_t inst);
void kgi_bound_begin_group(kgi_machine *m);

static inline kgi_interval kgi_bound_of(const kgi_bound *b, uint32_t value, uint32_t lane) {
  return (kgi_interval){b->low[value][lane], b->high[value][lane]};
}
static inline void kgi_bound_set(const kgi_bound *b, uint32_t value, uint32_t lane, kgi_interval x) {
  b->low[value][lane] = x.low, b->high[value][lane] = x.high;
}
/* A value's interval as numbers: a float's, or an integer's. */
kgi_interval kgi_bound_number(const kgi_machine *m, uint32_t value, uint32_t lane);
/* An integer or bool that is what the reference has. */
static inline bool kgi_bound_sure(const kgi_bound *b, uint32_t value, uint32_t lane) { return !isnan(b->low[value][lane]); }
static inline kgi_interval kgi_bound_mark(bool sure) { return sure ? kgi_point(0) : kgi_anything(); }
static inline bool kgi_bound_doubts(const kgi_bound *b, uint32_t lane) { return b->until[lane] != KGI_SURE; }

/* Counts what an interval does not decide. */
void kgi_undecided(kgi_machine *m, uint32_t inst, uint64_t count);

/* Beside what the machine does; m->where is set for accesses. */
void kgi_bound_op(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
void kgi_bound_load(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
void kgi_bound_store(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
void kgi_bound_var(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
void kgi_bound_atomic(kgi_machine *m, uint32_t inst, uint32_t lane); /* before the element changes */
void kgi_bound_subgroup(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
void kgi_bound_move(kgi_machine *m, uint32_t inst, uint32_t lane, uint32_t from); /* from: a lane, or KGI_SURE for none */
void kgi_bound_index(kgi_machine *m, uint32_t loop, const kgi_mask *mask);

/* Control: before a statement, or a trip of it, that `count` values decide; and at its end (0: the program's). */
void kgi_bound_decide(kgi_machine *m, uint32_t inst, const uint32_t *values, unsigned count, const kgi_mask *mask);
void kgi_bound_end(kgi_machine *m, uint32_t inst);
void kgi_bound_check(kgi_machine *m, uint32_t inst, const kgi_mask *mask);

/* A lane's store to an object, wherever it goes. */
void kgi_bound_spoil(kgi_machine *m, uint32_t object, uint32_t lane);
#endif
