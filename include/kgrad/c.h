/*
 * C out: a module as one C file that any C11 compiler of the GCC and Clang families takes.
 */
#ifndef KGRAD_C_H
#define KGRAD_C_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which buffer holds whose gradient: for kg_c_header, from a kg_grad_map. */
typedef struct kg_c_gradient {
  const char *name, *shadow;
  bool of, wrt;
  bool tangent; /* it holds a tangent, and no adjoint */
  bool kept;    /* no shadow, but a buffer between the two modules of kg_grad_split */
} kg_c_gradient;

/* All zeros: exact, with the function that a host calls. */
typedef struct kg_c_params {
  bool kernels_only; /* the kernels alone (c/c.h), without functions that a host calls: what the CPU device compiles */
  kg_math math;      /* which expressions arithmetic of floats becomes (doc/precision.md) */
  const kg_c_gradient *gradients; size_t gradient_count; /* for kg_c_header alone */
} kg_c_params;

/* The module as C text, which needs nothing but a C11 compiler with GCC's vector types; free with kg_bytes_free(alloc, text, size + 1).
 * Without kernels_only it has one function that is visible outside, int run_NAME(...), which runs the whole module (doc/c.md).
 * KG_REFUSED: a program needs what this version lacks; the diagnostic names it. */
KG_API kg_status kg_c_emit(const kg_allocator *alloc, const kg_module *module, const kg_c_params *params, const kg_sink *sink,
                           char **text, size_t *size);

/* The header of that function, for C and C++: its prototype, and what each argument means. Free it likewise. */
KG_API kg_status kg_c_header(const kg_allocator *alloc, const kg_module *module, const kg_c_params *params, const kg_sink *sink,
                             char **text, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
