/*
 * The reference interpreter: runs a module exactly as the language defines it,
 * a workgroup in lock step, and carries duals, error bounds and race sets
 * beside the values. Everything else in kgrad is believed because of this part.
 */
#ifndef KGRAD_REFERENCE_H
#define KGRAD_REFERENCE_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
