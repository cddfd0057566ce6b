/* Whether an entry of a gradient is right, from what a device gave, what dual numbers say, and the interval that rounding allows:
 * the one rule, which `kgrad verify`, the property tests and the planted defects share. doc/verify.md derives it. */
#ifndef KGI_JUDGE_H
#define KGI_JUDGE_H
#include <kgrad/verify.h>

enum { KGI_JUDGE_NARROW = 16, KGI_JUDGE_NOISE = 64 };

/* What holds for all entries of one comparison. */
typedef struct kgi_scale {
  double unit;    /* unit roundoff of the roughest float that an entry went through */
  double tiny;    /* the smallest normal number of the gradient's type ... */
  double largest; /* ... and the largest */
  double depth;   /* the square root of the operations done */
  double terms;   /* that were added up in f64 besides, of what was done */
  double size;    /* the largest dual of the gradient that the entry belongs to; 0: not known */
  bool bounded;   /* claims have an interval */
  bool forks;     /* rounding may decide a branch or an index: a device may rightly have gone another way than the duals */
} kgi_scale;

/* One entry, or one direction. */
typedef struct kgi_claim {
  double gradient, dual, magnitude;
  double low, high; /* what rounding can make of the gradient's own formulas; NaN: anything */
  double start;     /* what stood there on entry, and was added to; it is part of the gradient, and not of `dual` and `unrounded` */
  double unrounded; /* the gradient's own formulas with their sums in f64; NaN: not known */
  double reference; /* what the reference gave, on entry included; on the reference the gradient itself */
  double slack;     /* how much further the interval reaches than that of exact arithmetic; NaN: to anything alone */
} kgi_claim;

typedef struct kgi_judgement {
  kg_outcome verdict;
  double error, allowed, ratio; /* |gradient - dual|, the tolerance, and the first by the second */
  bool flows;                   /* the dual is not zero, by more than it may be off itself, or than may underflow on the way */
  bool vanishes;                /* the gradient is zero, as if nothing was added: what stood there on entry stands there still */
} kgi_judgement;

kgi_judgement kgi_judge(const kgi_scale *scale, const kgi_claim *claim);

/* Makes `scale` as rough as that type. Begin with a zeroed one. */
void kgi_scale_roughen(kgi_scale *scale, kg_type type);
/* The same by what a kernel computes in between: its gradient computes partials of it so. */
void kgi_scale_kernel(kgi_scale *scale, const kg_module *kernel);
/* Sets `tiny` and `largest` for gradients of that type. */
void kgi_scale_gradient(kgi_scale *scale, kg_type type);

/* Many entries. */
typedef struct kgi_tally {
  uint64_t checked, failed, inconclusive;
  uint64_t flows, vanishes, nonzero;               /* nonzero: entries that passed, and flow */
  uint64_t others;                                 /* that were not checked, and are not what stood there on entry */
  size_t worst;                                    /* of those checked: the first with the worst verdict and largest ratio */
  kgi_judgement worst_judgement;
} kgi_tally;
void kgi_tally_add(kgi_tally *tally, kgi_judgement judgement);
/* No entry failed, nothing is lost, and at least half of the entries that are not zero were decided. */
bool kgi_tally_passes(const kgi_tally *tally);
/* Every gradient is zero, and not every dual: whatever the tolerance says, something is lost. */
bool kgi_tally_is_lost(const kgi_tally *tally);
/* Rightly so: all duals are zero, no entry failed, and nothing is in the others. */
bool kgi_tally_is_zero(const kgi_tally *tally);
#endif
