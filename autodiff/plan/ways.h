/* The ways through a trip of a loop: what its whole-number vars hold at the end of the trip, and what was asked on the way. */
#ifndef KGI_AD_WAYS_H
#define KGI_AD_WAYS_H
#include "foundation/ir/program.h"

/* A value that a var held as the trip began is KGI_WAY_FIRST + the var's number in the loop; KGI_WAY_ANY is one that nobody knows. */
enum { KGI_WAY_VARS = 12, KGI_WAY_LOADS = 96, KGI_WAY_ASKED = 24, KGI_WAYS = 16 };
#define KGI_WAY_FIRST UINT32_C(0xffff0000)
#define KGI_WAY_ANY UINT32_MAX

typedef struct kgi_way {
  uint32_t holds[KGI_WAY_VARS]; /* by the var's number */
  uint32_t load[KGI_WAY_LOADS], is[KGI_WAY_LOADS]; uint32_t loads; /* what loads gave */
  uint32_t condition[KGI_WAY_ASKED]; bool held[KGI_WAY_ASKED]; uint32_t asked;
} kgi_way;

typedef struct kgi_ways {
  const kgi_program *p;
  uint32_t var[KGI_WAY_VARS], vars; /* scalar vars of words and bools that the loop stores to */
  kgi_way way[KGI_WAYS]; uint32_t count; /* those that lead to another trip */
} kgi_ways;

/* Of a `while`. False: there are too many. */
bool kgi_ad_find_ways(kgi_ways *ways, const kgi_program *program, uint32_t loop);
/* What the value is on that way: itself, unless it is a load of such a var. */
uint32_t kgi_ad_on_way(const kgi_ways *ways, const kgi_way *way, uint32_t value);
static inline bool kgi_ad_is_first(uint32_t value) { return value >= KGI_WAY_FIRST && value != KGI_WAY_ANY; }
#endif
