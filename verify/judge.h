/* Whether an entry of a gradient is right, from what a device gave, what dual numbers say, and the interval that rounding allows:
 * the one rule, which `kgrad verify`, the property tests and the planted defects share. doc/verify.md derives it. */
#ifndef TOOLS_JUDGE_H
#define TOOLS_JUDGE_H
#include <kgrad/foundation.h>

enum { TOOL_JUDGE_C = 2, TOOL_JUDGE_NARROW = 16 };

/* What holds for all entries of one comparison. */
typedef struct tool_scale {
  double unit;    /* unit roundoff of the roughest float that an entry went through */
  double tiny;    /* the smallest normal number of the gradient's type ... */
  double largest; /* ... and the largest */
  double depth;   /* the square root of the operations done */
  bool bounded;   /* claims have an interval */
  bool forks;     /* rounding may decide a branch or an index: a device may rightly have gone another way than the duals */
} tool_scale;

/* One entry, or one direction. */
typedef struct tool_claim {
  double gradient, dual, magnitude;
  double low, high; /* what rounding can make of the gradient's own formulas; NaN: anything */
  double start;     /* what stood there on entry, and was added to; it is part of the gradient, and not of `dual` and `unrounded` */
  double unrounded; /* the gradient's own formulas with their sums in f64; NaN: not known */
  double reference; /* what the reference gave, on entry included; on the reference the gradient itself */
} tool_claim;

typedef enum tool_verdict { TOOL_PASSED, TOOL_INCONCLUSIVE, TOOL_FAILED } tool_verdict;
typedef struct tool_judgement {
  tool_verdict verdict;
  double error, allowed, ratio; /* |gradient - dual|, the tolerance, and the first by the second */
  bool flows;                   /* the dual is not zero, by more than it may be off itself, or than may underflow on the way */
  bool vanishes;                /* the gradient is zero: what stood there on entry stands there still */
} tool_judgement;

tool_judgement tool_judge(const tool_scale *scale, const tool_claim *claim);

/* Makes `scale` as rough as that type. Begin with a zeroed one. */
void tool_scale_roughen(tool_scale *scale, kg_type type);
/* The same by what a kernel computes in between: its gradient computes partials of it so. */
void tool_scale_kernel(tool_scale *scale, const kg_module *kernel);
/* Sets `tiny` and `largest` for gradients of that type. */
void tool_scale_gradient(tool_scale *scale, kg_type type);

/* Many entries. */
typedef struct tool_tally {
  uint64_t checked, failed, inconclusive;
  uint64_t flows, vanishes, nonzero;               /* nonzero: entries that passed, and flow */
  size_t worst;                                    /* of those checked: the first with the worst verdict and largest ratio */
  tool_judgement worst_judgement;
} tool_tally;
void tool_tally_add(tool_tally *tally, tool_judgement judgement);
/* No entry failed, nothing is lost, and at least half of the entries were decided. */
bool tool_tally_passes(const tool_tally *tally);
/* Every gradient is zero, and not every dual: whatever the tolerance says, something is lost. */
bool tool_tally_is_lost(const tool_tally *tally);
/* Rightly so: all duals are zero, and no entry failed. */
bool tool_tally_is_zero(const tool_tally *tally);
#endif
