/* Ranges of integer values, as far as params, lengths, ids and arithmetic tell; and from them the trips of loops. */
#ifndef KGI_RANGES_H
#define KGI_RANGES_H
#include "foundation/ir/program.h"

/* What is known of a run. Arrays are indexed like the program's scope; NULL: nothing is. A workgroup or a grid with a 0 is not known. */
typedef struct kgi_known {
  const uint64_t *param;  /* bits; with them, constants are what they are by default */
  const uint64_t *length; /* of every object */
  uint32_t workgroup[3], groups[3];
} kgi_known;

typedef struct kgi_range { int64_t lo, hi; bool known; } kgi_range; /* lo <= value <= hi */

typedef struct kgi_loop_trips {
  uint64_t most; /* UINT64_MAX: not known. Of a `while`, its limit, past which it fails */
  bool exact;    /* whoever enters the loop has that many */
} kgi_loop_trips;

typedef struct kgi_ranges {
  kgi_range *value;      /* by instruction; of a `for`, its index */
  kgi_loop_trips *trips; /* by instruction, for loops */
} kgi_ranges;

/* Of a length, a grid or a part of one, whatever params, constants and arrays there are. */
kgi_range kgi_range_of_dim(const kgi_scope *scope, kgi_dim dim);
/* The arrays lie in `arena`. False: no memory. */
bool kgi_ranges_find(kgi_ranges *ranges, kgi_arena *arena, const kgi_program *program, const kgi_known *known);
#endif
