/* What a module was given, what it may leave, what the reference leaves, and what a device left, for who saves a finding. */
#ifndef KGI_FUZZ_EVIDENCE_H
#define KGI_FUZZ_EVIDENCE_H
#include "fuzz/ask/ask.h"

/* By the module's buffers; NULL where there is none. */
typedef struct kgi_evidence {
  kg_module *module;
  uint32_t buffers, params;
  uint64_t *param, *length;
  void **before, **reference, **device; /* device: of outputs, where it ran */
  double **low, **high;                 /* of outputs */
  bool bounded, ran;                    /* whether there are intervals; whether the device ran it */
  char said[1024];                      /* what the device said where it did not */
} kgi_evidence;

/* Of f->given, on f->target where there is one. False: no memory. kgi_evidence_free either way. */
bool kgi_evidence_make(kgi_ask *f, kgi_evidence *out);
void kgi_evidence_free(kgi_evidence *e);
#endif
