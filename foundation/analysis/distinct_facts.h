/* What holds where a program accesses memory: bounds from guards and loops, and which barriers lie between. Inside of
 * foundation/analysis/distinct.c and what it is made of. */
#ifndef KGI_DISTINCT_FACTS_H
#define KGI_DISTINCT_FACTS_H
#include "foundation/analysis/distinct.h"
#include "foundation/analysis/linear.h"
#include "foundation/analysis/uniform.h"

typedef enum kgi_fact_kind {
  KGI_FACT_BELOW,        /* atom < poly, both as unsigned */
  KGI_FACT_BELOW_SIGNED, /* atom < poly, the value read as signed */
  KGI_FACT_NOT_NEGATIVE, /* the value read as signed */
  KGI_FACT_POSITIVE,     /* not 0, and not negative */
  KGI_FACT_EQUAL,        /* atom = poly, modulo 2^32 */
  KGI_FACT_SUM_BELOW,    /* the machine word of `sum` < poly, as unsigned; of no atom */
} kgi_fact_kind;
typedef struct kgi_fact {
  const struct kgi_fact *next;
  kgi_fact_kind kind;
  uint32_t atom;
  kgi_poly poly, sum;
} kgi_fact;

struct kgi_search; /* foundation/analysis/distinct_search.h */

struct kgi_distinct {
  kgi_arena *arena;
  const kg_module *m;
  const kgi_program *p;
  kgi_uniformity uniform;
  kgi_poly size[3], grid[3];  /* the workgroup's; the grid's, failed where not known */
  kgi_poly invocations[3];    /* the grid's where it counts them, else failed */
  kgi_poly rounded[3];        /* workgroups of a grid that counts invocations: a quotient, where some length is made of it; else failed */
  bool lone_group[3];         /* the grid has one workgroup along the axis */
  int64_t most_groups[3];     /* no dispatch has more workgroups along the axis */
  bool own_grid;              /* no run gives another than the program states */
  struct kgi_search *search;
  const kgi_fact **facts;     /* of each access that reaches an element, and of each loop in front of it */
  const kgi_fact **in_front;  /* of each access, whether or not it reaches one */
  const kgi_fact *always;     /* of the whole dispatch: ranges of params, sizes of grids */
  uint32_t *place;            /* of each instruction: its number in order of execution */
  uint32_t *serial;           /* of each instruction: barriers anywhere before it */
  uint32_t *barriers_before;  /* of each instruction: barriers before it in its block, regions' included */
  uint32_t *barriers;         /* of each block, regions' included */
  uint8_t *jumps;             /* of each block: whether a loop around it is left or continued from inside */
  uint8_t *loops;             /* of each instruction: loops around it */
  bool returns;               /* some invocations may leave early */
};

/* Whether the machine's value is at most the polynomial's integer. */
bool kgi_is_upper(const kgi_distinct *d, const kgi_poly *poly, bool is_signed);
/* Whether the integer is not negative, where `head` holds: numbers that are taken away are made up for by products of what is not 0. */
bool kgi_is_never_negative(const kgi_distinct *d, const kgi_fact *head, const kgi_poly *poly);
bool kgi_facts_collect(kgi_distinct *d);
/* How many invocations the dispatch has along an axis, whatever the grid is: num_workgroups times the size. As a word it does not wrap but
 * to 0, which as the step of a loop leaves it without a trip. */
kgi_poly kgi_invocations_along(const kgi_distinct *d, unsigned axis);
kgi_poly kgi_length_of(const kgi_distinct *d, uint32_t object);
kgi_poly kgi_workgroup_of(const kgi_distinct *d); /* how many invocations it has */
/* Whether it is an id that is below 2^31 on every grid there can be, so that as a signed word it is the same number. */
bool kgi_is_small_id(const kgi_distinct *d, uint32_t atom);
bool kgi_atom_is_unsigned(const kgi_distinct *d, uint32_t atom);
/* Whether two accesses can meet: happen in one barrier interval of a workgroup, by different invocations. If so, `locked` is how
 * many loops around both are then surely in the same trip. */
bool kgi_accesses_meet(const kgi_distinct *d, uint32_t a, uint32_t b, unsigned *locked);

/* An access, or the first of several whose indices are one polynomial. */
typedef struct kgi_access { uint32_t inst; const kgi_fact *facts; kgi_poly index; } kgi_access;
/* What KGI_OWN_... of those that are wanted holds wherever two different invocations make the two accesses. */
unsigned kgi_compare_accesses(const kgi_distinct *d, const kgi_access *x, const kgi_access *y, const kgi_poly *length, unsigned wanted);
#endif
