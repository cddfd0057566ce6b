/* What tests may change of the limits. */
#include "foundation/base/limits.h"

#ifdef KG_DEVELOPMENT
uint32_t kgi_limits[KGI_LIMIT_COUNT] = {
#define LIMIT(name, most) most,
#include "foundation/base/limits.def"
};
#endif


