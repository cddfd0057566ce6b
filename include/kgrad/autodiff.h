/* kgrad/autodiff.h: differentiation. A module in, the module that computes its gradient out (kg_grad), its tangents (kg_jvp), or
 * the product of its second derivatives with a vector (kg_hvp). doc/derivatives.md holds the conventions (ties, cuts, strong zeros)
 * and the methods.
 *
 * The result of kg_grad is *combined*: it does the primal's work and then computes the gradient, and it has the primal's buffers. For a
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
  bool tangent;       /* the shadow holds a tangent, and no adjoint */
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

enum { KG_JVP_MOST_DIRECTIONS = 16 };

/* All zeros: every float output by every float input buffer, in one direction. */
typedef struct kg_jvp_params {
  const char *const *of;  /* as in kg_grad_params, and so is `wrt` */
  size_t of_count;
  const char *const *wrt;
  size_t wrt_count;
  uint32_t directions;    /* at once, so that values are computed once for all; 0: 1 */
  bool deterministic;     /* kg_hvp alone: of the gradient */
  const kg_allocator *alloc; /* for the result; NULL: malloc */
} kg_jvp_params;

/* Forward mode. The result does what the module does, and computes tangents beside it: for a buffer `x` among the inputs, `tan_x`
 * holds the direction before it runs; for a buffer `y` among the outputs, `tan_y` holds the derivative of y along it afterwards. A
 * tangent has the shape of its buffer, and is f64 of f64 and f32 of all other floats. With D > 1 directions it has D times as many
 * elements, one direction behind the other: f32[D, n]. A param's tangent is a buffer of D elements. A buffer that is in both sets has
 * one tangent: on entry of its initial contents, on exit of its final ones. Where the module overwrites an input that is no output,
 * its tangent means nothing afterwards. A buffer that is no input starts with the tangent 0, which the result sees to. Where the
 * module leaves elements of a `write` buffer undefined, their tangents are undefined.
 *
 * KG_INVALID and KG_REFUSED as from kg_grad. Much less is refused: any loop, exit and barrier is fine. */
KG_API kg_status kg_jvp(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, kg_module **out);
KG_API kg_status kg_jvp_mapped(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, kg_module **out,
                               kg_grad_map **map);

/* Second order: kg_jvp, by the same inputs, of what kg_grad gives. With L = sum of grad_y[i] * y[i] over all outputs, `grad_x` is the
 * gradient of L, and `tan_grad_x` its derivative along the directions tan_x of all inputs together: for inputs x and p,
 *
 *     tan_grad_x = L_xx tan_x + L_xp tan_p          tan_grad_p = L_px tan_x + L_pp tan_p
 *
 * The cotangents grad_y are constants. The map has the gradient's entries, then for each input its direction (name x, shadow tan_x),
 * then for each gradient its tangent (name grad_x, shadow tan_grad_x). */
KG_API kg_status kg_hvp(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, kg_module **out);
KG_API kg_status kg_hvp_mapped(const kg_module *module, const kg_jvp_params *params, const kg_sink *sink, kg_module **out,
                               kg_grad_map **map);

#ifdef __cplusplus
}
#endif

#endif
