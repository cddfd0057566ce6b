/* How many loop iterations an invocation can have: some devices end all its loops after a number of them, without a word. */
#ifndef KGI_BOUND_H
#define KGI_BOUND_H
#include "foundation/host/layout.h"

typedef struct kgi_loop_bound {
  uint64_t most;  /* over all loops of one invocation together; UINT64_MAX: not known */
  bool certain;   /* an invocation that enters the loops has that many */
  uint32_t loops; /* how many the program has */
} kgi_loop_bound;

/* For one run, with its params, lengths and grid. False: no memory. */
bool kgi_bound_loops(const kgi_run *run, kgi_arena *scratch, kgi_loop_bound *out);
#endif
