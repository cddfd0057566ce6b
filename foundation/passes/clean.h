/* foundation/passes: what changes a program and keeps what it computes. */
/* Cleaning: makes a program smaller and faster and keeps every bit of what it computes (foundation/ir/fold.h states two liberties).
 * Values are folded and numbered, loads forwarded, what nothing needs removed, what does not change in a loop moved out of it, and
 * loops over the same range joined, loops of one trip opened. A round is linear in the size of the program; rounds repeat until nothing changes. Accesses that nothing needs go too, and
 * with them, where they were out of bounds, their part in the reference's count. */
#ifndef KGI_CLEAN_H
#define KGI_CLEAN_H
#include "foundation/ir/builder.h"

/* `program` must be valid, and stays so. KG_OK, or KG_NO_MEMORY, after which it is good for nothing. */
kg_status kgi_clean(kg_module *module, kgi_program *program);

/* Last of all, for people who read the result: accesses to arrays of several dimensions get back indices of their own. */
kg_status kgi_write_places(kg_module *module, kgi_program *program);

/* Inside: one round's parts. Each sets `changed` if it changed anything. */
typedef struct kgi_cleaner {
  kgi_builder b;     /* folds as it builds */
  kgi_program *p;
  kgi_arena scratch; /* emptied after each part */
  bool changed;
} kgi_cleaner;

void kgi_clean_values(kgi_cleaner *c); /* folding, numbering, forwarding, branches that are decided */
void kgi_clean_stores(kgi_cleaner *c); /* stores to vars that a later one overwrites */
void kgi_clean_dead(kgi_cleaner *c);   /* whatever nothing needs */
void kgi_clean_loops(kgi_cleaner *c);  /* loop-invariant values move out */
void kgi_clean_places(kgi_cleaner *c); /* no part of a round: see kgi_write_places */
void kgi_clean_fuse(kgi_cleaner *c);   /* loops over the same range become one */
void kgi_clean_once(kgi_cleaner *c);   /* loops of one trip become what they do */
#endif
