/* Which accesses of a module's programs are in bounds in all of its runs. Inside of the front. */
#ifndef KGI_DRIVER_WITHIN_H
#define KGI_DRIVER_WITHIN_H
#include "foundation/host/layout.h"

typedef struct kgi_within {
  bool **of;                    /* by program, then instruction; of a program without a run nothing is said */
  struct kgi_within_seen *seen; /* by program: the last of its runs */
  uint64_t work;
  const kg_allocator *alloc;
} kgi_within;

/* The arrays lie in `arena`. False: no memory. */
bool kgi_within_init(kgi_within *within, const kg_module *module, kgi_arena *arena);
/* Looks at one run; to be called for all that will be dispatched. Runs like the one before cost next to nothing. False: no memory. */
bool kgi_within_see(kgi_within *within, const kgi_run *run);
#endif
