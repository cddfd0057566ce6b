/* From what was judged, entry by entry and device by device, to one outcome. */
#ifndef KGI_FINDINGS_H
#define KGI_FINDINGS_H
#include "verify/oracle.h"

/* What is known of one gradient besides: of kg_audit alone. */
typedef struct kgi_remark {
  bool *unwritten;       /* by point: nothing was ever stored there; NULL: not known */
  const double *input;   /* by point: what the input holds there */
  bool added;
  char hint[240];        /* the pattern of what is wrong; "": none that is certain */
} kgi_remark;

typedef struct kgi_findings {
  const kgi_oracle *oracle;
  const kgi_judged *device; /* the reference first */
  size_t devices;           /* 0 where the contract is broken */
  const bool *optional;     /* by device behind the reference: it need not be able to run this; NULL: each must */
  const kgi_remark *remark; /* by input; NULL: none */
  bool expect_zero;         /* only a gradient that is zero, rightly so, will do */
} kgi_findings;

/* Of all that ran; a device that could not, but need not, has no say unless none could. */
bool kgi_passes(const kgi_findings *findings);
/* It passes, and nothing depends on any input. */
bool kgi_is_zero(const kgi_findings *findings);
kg_outcome kgi_outcome(const kgi_findings *findings);
/* One device's, as if there were no other. */
kg_outcome kgi_outcome_on(const kgi_findings *findings, size_t device);
kg_outcome kgi_outcome_of(const kgi_tally *tally);

/* Why it is what it is, in one line; "" where it passed. */
typedef struct kgi_reason { char text[300]; } kgi_reason;
kgi_reason kgi_reason_of(const kgi_findings *findings);

/* NULL: no memory. The verdict refers to nothing of the findings'. */
kg_verdict *kgi_verdict_make(const kgi_findings *findings, const kg_allocator *alloc);
#endif
