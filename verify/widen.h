/* A module in double precision: what its derivative would be without the rounding of its own values. */
#ifndef KGI_WIDEN_H
#define KGI_WIDEN_H
#include <kgrad/foundation.h>

#include <stdbool.h>

/* Makes every f32 of the module an f64, in place. false: it takes bits of floats, say, and is no module any more. */
bool kgi_widen(kg_module *module);
#endif
