#include "fuzz/reduce.h"

#include <stdlib.h>
#include <string.h>

typedef struct reducer {
  bool (*fails)(void *user, const uint8_t *bytes, size_t size);
  void *user;
  uint8_t *best, *candidate;
  size_t size;
  unsigned left;
} reducer;

/* Takes the candidate over if it fails too. */
static bool try_it(reducer *r, size_t size) {
  if (!r->left) return false;
  r->left--;
  if (!r->fails(r->user, r->candidate, size)) return false;
  memcpy(r->best, r->candidate, size);
  r->size = size;
  return true;
}

static bool cut(reducer *r, size_t at, size_t count) {
  memcpy(r->candidate, r->best, at);
  memcpy(r->candidate + at, r->best + at + count, r->size - at - count);
  return try_it(r, r->size - count);
}

static bool zero(reducer *r, size_t at, size_t count) {
  bool zeros = true;
  for (size_t i = at; i < at + count; i++) zeros &= r->best[i] == 0;
  if (zeros) return false;
  memcpy(r->candidate, r->best, r->size);
  memset(r->candidate + at, 0, count);
  return try_it(r, r->size);
}

static bool lower(reducer *r, size_t at) {
  if (r->best[at] < 2) return false;
  memcpy(r->candidate, r->best, r->size);
  r->candidate[at] = r->best[at] / 2;
  if (try_it(r, r->size)) return true;
  r->candidate[at] = (uint8_t)(r->best[at] - r->best[at] / 8 - 1);
  return try_it(r, r->size);
}

static bool round_of(reducer *r, size_t piece) {
  bool changed = false;
  for (size_t at = r->size; at >= piece && r->left;) {
    at -= piece;
    if (cut(r, at, piece)) changed = true;
    else changed |= zero(r, at, piece);
    if (at > r->size) at = r->size;
  }
  for (size_t at = 0; piece == 1 && at < r->size && r->left; at++) changed |= lower(r, at);
  return changed;
}

size_t kgi_fuzz_reduce(uint8_t *bytes, size_t size, bool (*fails)(void *user, const uint8_t *bytes, size_t size), void *user,
                       unsigned attempts) {
  reducer r = {fails, user, bytes, malloc(size ? size : 1), size, attempts};
  if (!r.candidate) return size;
  for (size_t drop = r.size / 2; drop > 0 && r.left; drop /= 2)
    while (drop <= r.size && cut(&r, r.size - drop, drop)) continue;
  bool changed = true;
  while (changed && r.left) {
    changed = false;
    for (size_t piece = 32; piece > 0 && r.left; piece /= 2) changed |= round_of(&r, piece);
  }
  free(r.candidate);
  return r.size;
}
