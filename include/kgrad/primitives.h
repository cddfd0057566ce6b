/*
 * Kernels built through the builder: linear algebra, reductions, layers, K-FAC,
 * optimisers. Their gradients come from kgrad itself.
 */
#ifndef KGRAD_PRIMITIVES_H
#define KGRAD_PRIMITIVES_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
