/* reference: the interpreter, which says what a program means: values, dual numbers, bounds of rounding, races. */
/* The interpreter's insides. A plan says where each value of a program lies; a machine executes one workgroup at a time, all its
 * invocations ("lanes") in lock step: each instruction for all active lanes, then the next. */
#ifndef KGI_MACHINE_H
#define KGI_MACHINE_H
#include "foundation/ir/eval.h"
#include "foundation/host/layout.h"
#include <kgrad/reference.h>

static inline kg_type kgi_type_at(const kgi_program *p, uint32_t value) { return (kg_type)p->inst[value].type; }

/* kg_reference_run, with the lane-instructions for which more threads are called: tests do it for less than pays. */
kg_status kgi_reference_run(const kg_reference_params *params, uint64_t worth, kg_reference_report *report);

/* How a program's atomics on an object are kept in order of workgroups when several threads run them. */
typedef enum kgi_order {
  KGI_FREE,    /* there are none, or none that another workgroup sees */
  KGI_LOGGED,  /* nobody looks at the contents before the dispatch ends: what they change is applied afterwards, in order */
  KGI_IN_TURN, /* the workgroup waits until all before it are done */
} kgi_order;

enum { KGI_NO_REG = 0x7FFFFFFF };

/* A program, prepared: registers are shared by values that are not needed at the same time. */
typedef struct kgi_plan {
  const kg_module *module;
  const kgi_program *program;
  uint32_t *reg;       /* of each instruction, within its class; KGI_NO_REG: it has no value, or no longer a place in the program */
  kgi_lanes_fn *lanes; /* of each value operation */
  uint8_t *whole;      /* kgi_whole, of each instruction */
  uint8_t *order;      /* kgi_order, of each object */
  bool apart;          /* its workgroups cannot be run in lock step with each other, without somebody seeing it */
  uint32_t narrow, wide; /* registers with slots of 4 and of 8 bytes */
  uint32_t depth;        /* of nested blocks */
} kgi_plan;

/* Fills plan->order; false: no memory. */
bool kgi_order_find(kgi_plan *plan, kgi_arena *arena, kgi_arena *scratch);

/* KG_REFUSED, with a diagnostic, for what the reference does not do. */
kg_status kgi_plan_make(kgi_plan *plan, const kg_module *module, const kgi_program *program, kgi_arena *arena, kgi_diags *diags);

typedef struct kgi_watch kgi_watch;
typedef struct kgi_watcher kgi_watcher;
typedef struct kgi_stint kgi_stint;
typedef struct kgi_crew kgi_crew;
typedef struct kgi_cells kgi_cells;
typedef struct kgi_bound kgi_bound;

/* Elements in their storage type. Those of a var lie [element][lane]. */
typedef struct kgi_memory {
  unsigned char *base;
  uint64_t length;   /* what an index is held against */
  uint32_t lanes;    /* of a var; 0 for shared memory and buffers */
  uint32_t step;     /* from an element to the next, in elements: 1, or a var's lanes, or a view's stride */
  uint32_t row, every; /* of a view with rows: elements of one, and elements from one to the next; 0: there are no rows */
  uint32_t first;    /* a view's offset, in elements: `base` and all that lies beside it are those of the block */
  uint8_t type;      /* kg_type */
  uint8_t size;      /* of an element, in bytes */
  uint8_t order;     /* kgi_order */
  size_t total;      /* elements in all, and the distance between tangents */
  double *tangent;   /* [tangent][total]; NULL: none are carried */
  double *magnitude; /* likewise */
  kgi_watch *watch;  /* NULL: its accesses are not watched */
  kgi_cells *cells;  /* intervals of its elements; NULL: none are carried */
} kgi_memory;

/* Where an element lies, counted in elements from `base`; of a var that of its first lane. */
static inline size_t kgi_memory_at(const kgi_memory *m, uint64_t e) {
  return m->first + (size_t)(m->row ? e / m->row * m->every + e % m->row * m->step : e * m->step);
}

/* Which lanes are active: lane[] holds 0 or 1, all of them lie in [first, end). */
typedef struct kgi_mask {
  uint32_t *lane;
  uint32_t first, end, count;
} kgi_mask;
static inline bool kgi_dense(const kgi_mask *m) { return m->count == m->end - m->first; }

/* What one level of nesting may need. */
typedef struct kgi_level {
  kgi_mask mask[2];
  uint32_t *live, *continued;
  uint64_t *trips;
} kgi_level;

typedef struct kgi_machine {
  const kgi_plan *plan;
  const kgi_run *run;
  kgi_diags *diags;
  kg_reference_report *report;
  kgi_watcher *watcher;
  kgi_crew *crew;      /* may be called when the work turns out to be much; NULL: not this machine, or not any more */
  kgi_stint *stint;     /* of a dispatch that several threads share; NULL: this machine has it alone */
  uint64_t order;      /* in which workgroups, and lanes at atomics, take their turns: a seed; 0: as they are counted */
  uint64_t block;      /* of workgroups, under way */
  uint64_t step_limit;
  uint64_t steps;      /* what `report` had counted when the block began, modulo 2^64 */
  uint64_t mark;       /* what `report` counts up to before there is a limit to look at */
  uint32_t lanes;      /* of `together` workgroups that run in lock step, if they are small */
  uint32_t group_lanes, together, subgroup;
  uint32_t tangents;   /* how many directions; 0: values alone */
  bool bits;           /* integers carry tangents too: those of the float whose bits they hold, or NaN (bits.c) */
  uint32_t lost;       /* the first instruction whose result has no derivative, but NaN in its place; 0: none */
  bool stop;           /* a fault that ends the run */
  uint64_t group;      /* the first of those under way, counted x fastest */
  uint32_t groups;     /* and how many they are */
  uint32_t outside;    /* the first of them that had an access out of bounds; UINT32_MAX: none; 0 too where an earlier one had */
  uint32_t *id, ids;   /* the instructions that are ids */
  void **slot;         /* of each instruction's value: [lane] */
  double **tangent;    /* of each instruction's value: [direction][lane]; NULL: zero */
  double **magnitude;
  kgi_memory *memory;  /* of each object */
  kgi_level *level;
  uint32_t *returned;  /* lanes that have left the program */
  uint32_t *continued; /* of the innermost loop */
  size_t *where;       /* the element that each lane accesses, or KGI_NOWHERE */
  kgi_bound *bound;    /* intervals; NULL: none are carried */
  double *row[8];      /* room for operands and partials of an operation, if tangents are carried: [lane] */
  uint32_t *moving;    /* and for which lanes have any */
  double *fold;        /* room for one value's tangents: [direction][tangent, magnitude] */
} kgi_machine;

#define KGI_NOWHERE SIZE_MAX

/* Whether any program takes floats apart into their bits. */
bool kgi_takes_bits(const kg_module *module);
static inline bool kgi_carries(bool bits, kg_type type) { return kgi_is_float(type) || (bits && kgi_is_int(type)); }

/* machine.c: makes a machine for a plan, with room for the program's own memory; then, for each run of it and each workgroup, sets
 * what leaves and memory hold. The module's buffers are the caller's, indexed like the module's scope. */
kg_status kgi_machine_make(kgi_machine *m, const kgi_plan *plan, const kgi_run *run, const kg_reference_params *params,
                           kgi_watcher *watcher, bool bits, kgi_arena *arena);
void kgi_machine_begin_run(kgi_machine *m, const kgi_run *run, const kgi_memory *buffers, const kg_reference_params *params);
void kgi_machine_begin_groups(kgi_machine *m, uint64_t first, uint32_t count);

/* Notes a fault of `count` lanes at an instruction; emits a diagnostic for the first of all, unless the machine has only a part
 * of the dispatch: then kgi_fault_say() does, on the caller's thread. */
void kgi_fault(kgi_machine *m, kg_fault fault, uint32_t inst, uint64_t count);
bool kgi_fault_note(kg_reference_report *report, const kgi_plan *plan, kg_fault fault, uint32_t inst, uint64_t count);
void kgi_fault_say(const kgi_machine *m, kg_fault fault, uint32_t inst, uint64_t count);

/* walk.c: the body, for a workgroup whose leaves and memory are set. */
void kgi_walk(kgi_machine *m);

/* memory.c */
void kgi_exec_var(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
void kgi_exec_load(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
void kgi_exec_store(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
/* Sets m->where for the access that `inst` makes; counts what is out of bounds. */
void kgi_locate(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
/* Slots from elements and back, for the lanes whose `where` is somewhere; a load elsewhere gives 0. */
void kgi_gather(const kgi_memory *memory, const size_t *where, void *slots, uint32_t first, uint32_t end);
void kgi_scatter(const kgi_memory *memory, const size_t *where, const void *slots, uint32_t first, uint32_t end);

/* atomic.c */
void kgi_exec_atomic(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
/* One change to an element, later: the operand's slot and its tangents and magnitudes, [direction] each, were kept. */
void kgi_atomic_apply(const kgi_machine *m, uint32_t inst, size_t element, const void *operand, const double *tangent);

/* subgroup.c */
void kgi_exec_subgroup(kgi_machine *m, uint32_t inst, const kgi_mask *mask);

/* tangent.c: the same for tangents; only called where tangents are carried. */
void kgi_tangent_op(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
/* bits.c: for an operation that gives bits, or a float from them, its partials in m->row[4 ..], of the lanes that m->moving names;
 * whether no step was lost on the way: then the float of these bits has the integer's tangent. */
void kgi_bits_partials(kgi_machine *m, uint32_t inst, const kgi_mask *mask);
bool kgi_bits_are_float(const kgi_machine *m, uint32_t value, uint32_t lane);
void kgi_tangent_gather(kgi_machine *m, const kgi_memory *memory, uint32_t inst, const kgi_mask *mask);
void kgi_tangent_scatter(kgi_machine *m, const kgi_memory *memory, uint32_t value, const kgi_mask *mask);
/* Whether the derivative of any element is not known, or not a number. */
bool kgi_tangent_is_lost(const kgi_memory *memory, uint32_t tangents);
/* The element at m->where[lane] becomes partial[0] of itself and partial[1] of the operand; the result is what it was. */
void kgi_tangent_atomic(kgi_machine *m, const kgi_memory *memory, uint32_t inst, uint32_t lane, const double *partial);
/* The same for one element. The operand's directions lie `stride` apart; NULL: zero. */
typedef struct kgi_shadow { const double *tangent, *magnitude; size_t stride; } kgi_shadow;
void kgi_tangent_change(const kgi_memory *memory, uint32_t tangents, size_t element, const double *partial, kgi_shadow operand);
#endif
