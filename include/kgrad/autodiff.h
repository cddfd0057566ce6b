/*
 * Differentiation: a module in, the module that computes its gradient out.
 */
#ifndef KGRAD_AUTODIFF_H
#define KGRAD_AUTODIFF_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
