/* kgrad/autodiff.h: differentiation. A module in, the module that computes its gradient out. doc/derivatives.md holds the
 * conventions (ties, cuts, strong zeros) and the method.
 *
 * The result is *combined*: it does the primal's work and then computes the gradient, and it has the primal's buffers. For a
 * buffer `y` among the outputs, `grad_y` holds the cotangent (the derivative of some loss by each element of y) before the
 * module runs; for a buffer `x` among the inputs, `grad_x` holds the gradient afterwards. A buffer that is in both has one
 * shadow: on entry the cotangent of its final contents, on exit the gradient by its initial contents. The shadow of an output
 * that the module also loads, or writes more than once, is used up on the way. A param's gradient is a buffer of one element.
 * Gradients of f16 and bf16 are f32. */
#ifndef KGRAD_AUTODIFF_H
#define KGRAD_AUTODIFF_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zeros: every float output by every float input buffer. */
typedef struct kg_grad_params {
  const char *const *of;  /* names of buffers that the module writes; NULL: all that hold floats */
  size_t of_count;
  const char *const *wrt; /* names of buffers that the module reads, or of params; NULL: all buffers that hold floats */
  size_t wrt_count;
  bool deterministic;     /* equal bits from run to run on one device: atomic adds of floats are refused */
  bool accumulate;        /* add to what `grad_<wrt>` holds on entry, where it would be overwritten */
  const kg_allocator *alloc; /* for the result; NULL: malloc */
} kg_grad_params;

/* Which shadow belongs to which name. */
typedef struct kg_grad_entry {
  const char *name;   /* of the module's buffer or param */
  const char *shadow; /* of the result's buffer */
  bool is_param;
  bool of, wrt;       /* whether it was asked for as an output, as an input */
  const char *added_up; /* how contributions to it meet, in words; static */
} kg_grad_entry;

typedef struct kg_grad_map kg_grad_map;
KG_API size_t kg_grad_map_count(const kg_grad_map *map);
KG_API kg_grad_entry kg_grad_map_entry(const kg_grad_map *map, size_t index); /* strings live as long as the map */
KG_API void kg_grad_map_free(kg_grad_map *map);

/* The gradient of `module`. KG_INVALID: a name that is no buffer or param, or not of floats; KG_REFUSED: something on the path
 * from an input to an output that cannot be differentiated, with its position, the reason and a fix. `params` may be NULL. */
KG_API kg_status kg_grad(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **out);
/* The same, with the names. `*map` is set only on success. */
KG_API kg_status kg_grad_mapped(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **out,
                                kg_grad_map **map);

#ifdef __cplusplus
}
#endif

#endif
