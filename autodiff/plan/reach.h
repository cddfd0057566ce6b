/* Which elements accesses of shared memory reach in one trip of a loop's body, for all invocations of the workgroup together, digit by
 * digit of the index: a fixed part, and variables times factors. Each variable is an id in the workgroup, or a loop's index, or
 * a digit of one of them. */
#ifndef KGI_AD_REACH_H
#define KGI_AD_REACH_H
#include "autodiff/plan/ad.h"
#include "foundation/analysis/linear.h"

enum { KGI_REACH_VARS = KGI_MOST_reach_vars, KGI_REACH_LOOPS = 4 };

/* from <= variable < to. Of a store: each of these values is taken. Of a load: no other is. The variable is `base`, which is an id or a
 * loop's index, or a digit of it: base / weight, modulo above / weight where there are more. Of a loop that all go through in step, it is the number
 * of the trip, and the index is `stride` times that. */
typedef struct kgi_reach_var {
  uint32_t atom, base, loop[KGI_REACH_LOOPS]; /* the loops whose trips it goes by; 0 behind them */
  kgi_poly from, to, weight, above, stride;
  uint8_t axes;   /* of the workgroup that it runs through, as bits */
  bool sure;      /* it is known that it takes a value at all */
  bool narrowed;  /* by a guard */
} kgi_reach_var;

typedef struct kgi_reach_digit {
  kgi_poly fixed, extent, factor[KGI_REACH_VARS];
  bool known; /* else it may be anything */
} kgi_reach_digit;

typedef struct kgi_reach {
  bool place; /* it has the object's digits; else one, the flat index */
  unsigned rank, vars;
  kgi_reach_var var[KGI_REACH_VARS];
  kgi_reach_digit digit[KGI_MAX_RANK];
} kgi_reach;

/* Never negative, whatever params and constants are: a workgroup's size is 1 at least. */
bool kgi_reach_is_natural(const kgi_ad *a, const kgi_poly *f);
bool kgi_reach_is_at_most(const kgi_ad *a, const kgi_poly *x, int64_t extra, const kgi_poly *y); /* x + extra <= y */
/* Elements that are certainly stored to in each trip of `body`. False: that is not known. */
bool kgi_reach_of_store(const kgi_ad *a, kgi_blk body, uint32_t store, kgi_reach *out);
/* Elements that a load may reach. */
void kgi_reach_of_load(const kgi_ad *a, kgi_blk body, uint32_t load, kgi_reach *out);

/* Makes one of several stores that certainly run and lie equally far apart, as the components of a vector do; false: they do not. */
bool kgi_reach_join(const kgi_reach *const *store, unsigned count, kgi_reach *out);

/* covered.c: a store's digit is a number in mixed radix whose digits run from 0 on, and takes all values from <= x < to. */
bool kgi_reach_runs_through(const kgi_reach *store, unsigned digit, kgi_poly *from, kgi_poly *to);
/* covered.c: each element of `load` is among those of the stores. */
bool kgi_reach_is_covered(const kgi_ad *a, const kgi_reach *load, const kgi_reach *const *store, unsigned count);
#endif
