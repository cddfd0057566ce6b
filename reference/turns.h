/* In which order those who may come in any take their turns: workgroups of a dispatch, and lanes at an atomic. A valid program is one
 * for each of these orders. */
#ifndef KGI_TURNS_H
#define KGI_TURNS_H
#include "foundation/base/random.h"

#include <stddef.h>

/* Each of `count` once, a step after the other around a ring. */
typedef struct kgi_turns { uint64_t at, step, count; } kgi_turns;

/* Seed 0: as they are counted. */
kgi_turns kgi_turns_of(uint64_t seed, uint64_t count);

static inline uint64_t kgi_next_turn(kgi_turns *t) {
  uint64_t now = t->at, left = t->count - now;
  t->at = t->step < left ? now + t->step : t->step - left;
  return now;
}
#endif
