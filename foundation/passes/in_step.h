/* Moves of a whole number that say, from the number of a trip, what it holds then. */
#ifndef KGI_IN_STEP_H
#define KGI_IN_STEP_H
#include "foundation/passes/passes.h"

typedef enum kgi_turns { KGI_ADDS, KGI_TAKES_AWAY, KGI_SHIFTS_UP, KGI_SHIFTS_DOWN } kgi_turns;

enum { KGI_STEPS = 4 };

typedef struct kgi_turn {
  kgi_turns by;
  uint32_t load, step; /* what is moved, and by how much; no step: by `bits` */
  uint32_t moves;      /* the operation that looks at the load */
  uint32_t also[KGI_STEPS], sum[KGI_STEPS], more; /* what a sum of more terms adds besides, and what it is by then */
  uint32_t bits;       /* of a shift */
  uint32_t mask;       /* of the sum so many low bits are kept; 0: all */
  uint32_t divisor;    /* of the sum the remainder is taken; 0: it is not */
  bool is_within;      /* what it begins with is one that is left as it is by that */
} kgi_turn;

/* What the store `i` in the body of the loop `at` does to its var. */
bool kgi_find_turn(kgi_turn *t, const kgi_program *p, uint32_t at, uint32_t i);
/* After so many trips, of which there are no more than `most`. */
kgi_val kgi_turned(kgi_builder *b, const kgi_turn *t, kgi_val from, kgi_val trips, uint32_t most);
#endif
