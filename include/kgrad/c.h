/*
 * C out: a module as one C file that any C11 compiler of the GCC and Clang families takes.
 */
#ifndef KGRAD_C_H
#define KGRAD_C_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zeros: exact. */
typedef struct kg_c_params {
  bool kernels_only; /* the kernels alone (c/c.h), without functions that a host calls: what the CPU device compiles */
} kg_c_params;

/* The module as C text, which needs nothing but a C11 compiler with GCC's vector types; free with kg_bytes_free(alloc, text, size + 1).
 * KG_REFUSED: a program needs what this version lacks; the diagnostic names it. */
KG_API kg_status kg_c_emit(const kg_allocator *alloc, const kg_module *module, const kg_c_params *params, const kg_sink *sink,
                           char **text, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
