/* What two runs of a module have of a buffer, in rounds of the repeats around them: slices (apart.c), or rows (rows.c). */
#ifndef KGI_AD_APART_H
#define KGI_AD_APART_H
#include "autodiff/plan/schedule.h"
#include "foundation/analysis/linear.h"

/* Beside params: the index of the repeat around a run, that of another run in another repeat, and how far a later round's index is from the
 * first. None is negative. */
enum { KGI_AD_INDEX = KGI_ATOM_FIRST - 1, KGI_AD_OTHER_INDEX = KGI_ATOM_FIRST - 2, KGI_AD_DISTANCE = KGI_ATOM_FIRST - 3 };

/* A run in one round of the repeat around it, 0: there is none, whose index is read as `index`. */
typedef struct kgi_ad_round { kgi_ad_run *run; uint32_t repeat; kgi_poly index; } kgi_ad_round;

/* A length of the module; `repeat`: whose index is read as `index`. */
kgi_poly kgi_ad_read_dim(const kgi_ad_module *g, kgi_dim dim, uint32_t repeat, const kgi_poly *index);
/* A sum of products of numbers that are not negative. */
bool kgi_ad_not_negative(const kgi_ad_module *g, const kgi_poly *f);
/* low <= high */
bool kgi_ad_is_below(const kgi_ad_module *g, const kgi_poly *low, const kgi_poly *high);

/* Whether nothing that the first may load, or with `stores` load or store to, is what the second, running behind it, may store to. */
bool kgi_ad_rows_apart(kgi_ad_module *g, const kgi_ad_round *first, uint32_t object, const kgi_ad_round *second, uint32_t theirs,
                       bool stores);
#endif
