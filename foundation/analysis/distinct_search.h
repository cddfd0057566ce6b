/* What questions about two accesses have found out and spent. Inside of foundation/analysis/distinct.c. */
#ifndef KGI_DISTINCT_SEARCH_H
#define KGI_DISTINCT_SEARCH_H
#include "foundation/analysis/distinct_pair.h"

enum { KGI_SEARCH_BEGINS = 32, KGI_SEARCH_BOUNDS = 64 };
/* What an answer hangs on, besides the pair: its side, and what the two have been found to agree on. */
typedef struct kgi_state { unsigned side, agreed, axes; } kgi_state;
typedef struct kgi_begin { uint32_t loop; kgi_state state; bool begins; } kgi_begin; /* whether a loop begins at what its polynomial says */
typedef struct kgi_bounds { uint32_t atom; unsigned depth, count; kgi_state state; kgi_poly bound[KGI_MOST_distinct_bounds]; } kgi_bounds;

enum { KGI_SEARCH_IN_VAIN = 5 };
/* Questions ask others, and comparisons ask them: `depth` is how deep they are in one another. `spent` is what the outermost one has spent,
 * `all` what all of a program have, and `vain` what those comparisons have that proved nothing: a fifth of all at most. Answers hold until the
 * outermost ends, or its length is another. */
typedef struct kgi_search {
  unsigned depth, spent, all, vain;
  kgi_begin begin[KGI_SEARCH_BEGINS];
  kgi_bounds bounds[KGI_SEARCH_BOUNDS];
} kgi_search;

static inline void kgi_search_forget(kgi_search *s) {
  for (unsigned k = 0; k < KGI_SEARCH_BEGINS; k++) s->begin[k].loop = 0;
  for (unsigned k = 0; k < KGI_SEARCH_BOUNDS; k++) s->bounds[k].atom = 0;
}
static inline void kgi_search_begin(kgi_search *s) {
  if (s->depth++) return;
  s->spent = 0;
  kgi_search_forget(s);
}
static inline void kgi_search_end(kgi_search *s) { s->depth--; }
static inline bool kgi_search_on(kgi_search *s) {
  if (s->vain >= KGI_LIMIT(distinct_searches) / KGI_SEARCH_IN_VAIN) return false;
  return s->spent++ < KGI_LIMIT(distinct_search) && s->all++ < KGI_LIMIT(distinct_searches);
}

static inline kgi_state kgi_state_of(const kgi_pair *q, unsigned side) {
  return (kgi_state){side, q->agreed_count, q->local | q->group << 8 | q->subgroup << 16 | (unsigned)q->no_sums << 24};
}
static inline bool kgi_is_same_state(kgi_state x, kgi_state y) { return x.side == y.side && x.agreed == y.agreed && x.axes == y.axes; }
#endif
