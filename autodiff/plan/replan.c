/* A run's program planned again, after it was rewritten or something else was found for it. */
#include "autodiff/plan/ad.h"
#include "foundation/analysis/distinct.h"

bool kgi_ad_compare(kgi_ad *a) {
  if (!a->distinct && kgi_distinct_make(&a->scratch, a->f.work, a->f.p, &a->distinct) != KG_OK) kgi_ad_fail(a, KG_NO_MEMORY);
  return a->distinct != NULL;
}

void kgi_ad_decide(kgi_ad *a) {
  kgi_ad_plan_lanes(a);
  kgi_ad_check_atomics(a);
  kgi_ad_check_tickets(a);
  if (a->status == KG_OK) kgi_ad_needs(a);
}

void kgi_ad_decide_again(kgi_ad *a) {
  kgi_ad_spread_varied(a);
  kgi_ad_spread_active(a);
  kgi_ad_check_activity(a);
  kgi_ad_decide(a);
}

void kgi_ad_replace(kgi_ad *a, const kgi_ad *with) {
  kgi_diags *diags = a->diags;
  kgi_ad_free(a);
  *a = *with;
  a->diags = diags;
  a->distinct = NULL; /* it holds on to the arena where it was made */
  if (with->distinct && kgi_distinct_make(&a->scratch, a->f.work, a->f.p, &a->distinct) != KG_OK) kgi_ad_fail(a, KG_NO_MEMORY);
}
