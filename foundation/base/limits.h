/* The rows of foundation/base/limits.def: KGI_MOST_name is a constant, for arrays; KGI_LIMIT(name) is what an analysis asks. In development
 * builds a test may lower the latter; elsewhere it is the constant. */
#ifndef KGI_LIMITS_H
#define KGI_LIMITS_H
#include <stdint.h>

enum {
#define LIMIT(name, most) KGI_MOST_##name = most,
#include "foundation/base/limits.def"
};

#ifdef KG_DEVELOPMENT
typedef enum kgi_limit {
#define LIMIT(name, most) KGI_LIMIT_##name,
#include "foundation/base/limits.def"
  KGI_LIMIT_COUNT
} kgi_limit;
extern uint32_t kgi_limits[KGI_LIMIT_COUNT];
#define KGI_LIMIT(name) (kgi_limits[KGI_LIMIT_##name])
#else
#define KGI_LIMIT(name) ((uint32_t)KGI_MOST_##name)
#endif
#endif
