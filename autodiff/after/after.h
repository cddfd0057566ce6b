/* What is done to an adjoint once it was emitted and cleaned. All keep what it computes, up to the order of sums (order.c). */
#ifndef KGI_AD_AFTER_H
#define KGI_AD_AFTER_H
#include "autodiff/plan/ad.h"

/* order.c: reverse loops run forward where they may. */
void kgi_ad_straighten(kgi_ad *a, kgi_program *q);

/* sink.c: what one loop adds to a shadow and another loop over the same range adds to again is added once, by the latter. */
void kgi_ad_sink(kgi_ad *a, kgi_program *q);

/* barriers.c: those that order nothing go. */
void kgi_ad_drop_barriers(kgi_ad *a, kgi_program *q);

/* How many operands each value is, among the instructions that are left. */
uint32_t *kgi_ad_count_uses(kgi_ad *a, const kgi_program *q);
/* The value is made outside of the loop. */
bool kgi_ad_is_fixed(const kgi_program *q, uint32_t value, uint32_t loop);
/* A different number in each trip of the loop, even where integers wrap: its index, and what does not change in it added. */
bool kgi_ad_moves_with(const kgi_program *q, uint32_t value, uint32_t loop);
#endif
