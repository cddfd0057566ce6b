/* What becomes of a failure: its program and data are brought back, made smaller, asked of the other devices, and saved. */
#ifndef KGI_FUZZ_KEEP_H
#define KGI_FUZZ_KEEP_H
#include "fuzz/hunt/asker.h"

/* What a worker came upon. */
typedef struct kgi_failure {
  uint32_t question;
  uint64_t seed;
  kgi_said said;
} kgi_failure;

/* A cause in words: the property, the device, how. */
void kgi_cause_of(const kgi_hunt *hunt, const kgi_failure *failure, char *cause, size_t size);

/* Keeps failures in a process of its own, one at a time, since whatever it does may fall as well. */
typedef struct kgi_clerk {
  kgi_child child;
  const kgi_hunt *hunt;
  char said[300];
  bool busy;
  double since;
} kgi_clerk;
void kgi_clerk_make(kgi_clerk *k, const kgi_hunt *hunt);
bool kgi_clerk_send(kgi_clerk *k, const kgi_failure *failure, unsigned number);
/* KGI_DONE: the finding; KGI_FELL: it came to nothing. */
kgi_child_outcome kgi_clerk_receive(kgi_clerk *k, kgi_finding *finding);
void kgi_clerk_free(kgi_clerk *k);
#endif
