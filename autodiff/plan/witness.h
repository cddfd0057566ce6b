#ifndef KGI_AD_WITNESS_H
#define KGI_AD_WITNESS_H
#include "foundation/analysis/distinct.h"

/* Whenever an invocation makes the atomic, it also stores plainly to the same element of `object`. KGI_OWN_ACROSS: in the same
 * dispatch. KGI_OWN_IN_INTERVAL: between the same barriers too. */
unsigned kgi_ad_witnessed(const kgi_program *p, uint32_t atomic, uint32_t object);
#endif
