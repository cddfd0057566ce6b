/* splitmix64 (Steele, Lea and Flood, 2014): small, and the same everywhere. The one generator: of reproducible data, of random
 * programs, of what tests draw. Any state is a seed. */
#ifndef FOUNDATION_RANDOM_H
#define FOUNDATION_RANDOM_H
#include <stdint.h>

static inline uint64_t kgi_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

/* Less than `count`, which is not 0. */
static inline uint32_t kgi_random_below(uint64_t *state, uint32_t count) { return (uint32_t)((kgi_random(state) >> 32) * count >> 32); }

/* From `low` on; less than `high`, unless rounding steps on it. */
static inline double kgi_random_between(uint64_t *state, double low, double high) {
  return low + (double)(kgi_random(state) >> 11) * 0x1p-53 * (high - low);
}
#endif
