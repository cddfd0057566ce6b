/* What the files that make `for` of endless loops share (count.c). */
#ifndef KGI_COUNT_H
#define KGI_COUNT_H
#include "foundation/ir/views.h"
#include "foundation/passes/passes.h"

enum { KGI_COUNT_PLAIN = 256 }; /* plain statements that are copied */

/* What moves the counter: a step is added or taken away, or its bits are shifted up (doubling) or down (halving). */
typedef enum kgi_count_by { KGI_BY_STEPS, KGI_BY_DOUBLING, KGI_BY_HALVING } kgi_count_by;

/* How it is written: an index that is the counter, upward or downward, or the number of the trip. */
typedef enum kgi_count_form { KGI_COUNT_UP, KGI_COUNT_DOWN, KGI_COUNT_TRIPS } kgi_count_form;

typedef struct kgi_count {
  kgi_builder *b;
  kgi_program *p;
  uint32_t at;        /* the while */
  kgi_blk body;
  uint32_t test;      /* the `if` in its body that leaves it */
  uint32_t other;     /* what else leaves it there, and ... */
  bool other_turned;  /* ... does so where it is false; 0: nothing */
  uint32_t counter;   /* the var */
  uint32_t moves;     /* the store that moves it */
  bool moved;         /* the test looks at what the store leaves */
  kg_type seen;       /* the test looks at it as a number of this type: signed or not */
  bool repeats;       /* the test ends the body: there is a first trip in any case */
  kgi_op goes_on;     /* counter OP bound: there is a next trip */
  uint32_t bound, step;
  bool waits;         /* the step may be looked at where there is a trip alone */
  kgi_count_by by;
  bool down;          /* steps are taken away */
  unsigned shift;     /* of doubling and halving */
  bool leaves_early;  /* by a `break` or a `return` beside the test's */
  kgi_count_form form;
  bool known;         /* the number of trips, by trial: */
  uint32_t trips;
  uint32_t *loads;    /* of each object: how many loads there are, or more */
  const kgi_blocks *blocks; /* which buffers nobody stores to */
  bool floats;        /* a counter may be a float, between literals: it stays the var that it is, and trips alone are counted */
  unsigned looks;     /* of what stays: values that share parts are no tree */
} kgi_count;

/* count.c: whether the loop `at` of `p` counts; `b`, `p`, `at`, `loads`, `blocks` and `floats` are set. Then it can be made a `for`. */
bool kgi_count_look(kgi_count *l);
void kgi_count_make(kgi_count *l);
uint32_t *kgi_count_loads(const kgi_program *p, kgi_arena *scratch); /* `loads` of all loops of `p`; NULL: no memory */

/* count_find.c */
bool kgi_count_is_plain(const kgi_count *l, uint32_t i); /* computes something, or stores it in a scalar var */
/* Fills in what the test, the counter and its move are, for a `while` without an end. `repeats` is set. */
bool kgi_count_find(kgi_count *l);
uint32_t kgi_count_begins(const kgi_count *l); /* the value that is stored last in front of the loop; 0: nobody knows */
bool kgi_count_begins_before(const kgi_count *l, uint32_t load); /* the counter that is loaded there is the one that the loop begins with */
static inline kg_type kgi_count_type(const kgi_count *l) { return (kg_type)l->p->scope.object[l->counter].type; }
bool kgi_count_leaves(const kgi_count *l, uint32_t i); /* a way out of the loop beside the test's */

/* count_trips.c */
bool kgi_count_fits(kgi_count *l); /* whether the number of trips can be said, and how */
/* Opens the loop at the builder's cursor. `from`: the counter in front of it. Gives what the counter holds when a trip begins. */
kgi_val kgi_count_begin(kgi_count *l, kgi_val from);
#endif
