#include "reference/turns.h"

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

/* A step that has no divisor in common with the ring comes by all of it. */
kgi_turns kgi_turns_of(uint64_t seed, uint64_t count) {
  kgi_turns t = {.step = 1, .count = count};
  if (!seed || count < 2) return t;
  t.at = kgi_random(&seed) % count;
  do t.step = kgi_random(&seed) % count;
  while (common_divisor(t.step, count) != 1);
  return t;
}
