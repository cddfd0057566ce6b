/* kgrad/autodiff.h: differentiation. A module in, the module that computes its gradient out (kg_grad), its tangents (kg_jvp), or
 * the product of its second derivatives with a vector (kg_hvp). doc/derivatives.md holds the conventions (ties, cuts, strong zeros)
 * and the methods.
 *
 * The result of kg_grad is *combined*: it does the primal's work and then computes the gradient, and it has the primal's buffers. For a
 * buffer `y` among the outputs, `grad_y` holds the cotangent (the derivative of some loss by each element of y) before the
 * module runs; for a buffer `x` among the inputs, `grad_x` holds the gradient afterwards. A buffer that is in both has one
 * shadow: on entry the cotangent of its final contents, on exit the gradient by its initial contents. The shadow of an output
 * that the module also loads, or writes more than once, may be used up on the way. A param's gradient is a buffer of one element.
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
  const char *const *wrt; /* names of buffers that the module reads, or of params; NULL: all buffers that hold floats. Also "h after k": what
                             the module's buffer h holds right behind the run of its program k, in a repeat in the last round. Where k
                             runs several times, "h after k:2" is its second run. The shadow is grad_h_after_k, grad_h_after_k_2 */
  size_t wrt_count;
  bool deterministic;     /* equal bits from run to run on one device: no atomic adds of floats, but lists that are gathered in order */
  bool accumulate;        /* add to what `grad_<wrt>` holds on entry, where it would be overwritten */
  uint64_t tape_limit;    /* bytes that all tapes of the gradient take at most, at the params' defaults; 0: any number. KG_REFUSED
                             where that does not do */
  uint64_t trips;         /* that tapes have room for of each loop that nothing bounds; more fail by an assert. 0: 256 */
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
  bool kept;          /* kg_grad_split: no shadow, but a buffer that the host keeps between the two modules. `name` is the module's buffer
                         or, of a tape, the module; `shadow` is the buffer's name in both modules */
} kg_grad_entry;

typedef struct kg_grad_map kg_grad_map;
KG_API size_t kg_grad_map_count(const kg_grad_map *map);
/* Strings live as long as the map. Of an index past the end, here and below, all is 0. */
KG_API kg_grad_entry kg_grad_map_entry(const kg_grad_map *map, size_t index);
KG_API void kg_grad_map_free(kg_grad_map *map);

/* What was decided about the module's runs, and why: what `kgrad grad --explain` prints. Strings live as long as the map. Lines are of
 * the module's text, 0 where it has none. All words are lower case and stay the same, but for those that say why, which are for people. */
typedef struct kg_grad_run {
  const char *program;
  uint32_t line;
  const char *role;   /* "combined": forward and reverse in one program; "separate": its adjoint is a run of its own; "taped": so it is, and
                         the run forward leaves it a tape; "stated": the adjoint that its program names; "nothing": no gradient flows through it */
  const char *active; /* what has an adjoint in it, with commas between: buffers, shared memory, vars, params */
} kg_grad_run;

/* A value that the reverse of a run uses, or something that it computes one from, where it is not at hand anyway. */
typedef struct kg_grad_value {
  size_t run;         /* of kg_grad_map_run */
  const char *name;   /* of the `let`, or else of the object or the operation that it comes from */
  const char *object; /* that it is loaded from; "": it is no load */
  uint32_t line;
  const char *how;    /* "kept", "recomputed", or "refilled": the object is filled again by the stores that filled it */
  uint32_t at;        /* the line of the loop or `if` in whose reverse that is done, or as which runs it is kept; 0: of the whole run */
  const char *place;    /* of what is kept: "var", "array", "tape", or "memory", where the program itself stores it; else "" */
  const char *buffer;   /* of a tape: the result's buffer; of memory: the program's; else "" */
  kg_type type;
  const char *elements; /* of what is kept, as an expression of lengths; of a var and an array for each invocation */
  uint64_t bytes;       /* of them, at the params' defaults; UINT64_MAX: they do not decide it */
  const char *why;
} kg_grad_value;

/* How contributions to the shadow of an object meet in a run. */
typedef struct kg_grad_share {
  size_t run;
  const char *object; /* of the program: a buffer, shared memory or a param */
  const char *how;    /* "stored": each element once; "own": an element belongs to one invocation, which adds to it; "summed" over each
                         workgroup, and then added atomically; "gathered": listed, and added up in order by a run of its own; "atomic": one by one, where nothing better is said of the access */
  const char *why;
} kg_grad_share;

typedef struct kg_grad_tape {
  size_t run;
  const char *buffer; /* of the result */
  kg_type type;
  const char *elements;
  uint64_t bytes;     /* as in kg_grad_value */
  bool list;          /* of contributions that are gathered, or of their elements */
  const char *copy_of; /* "": it is a tape. Else the module's buffer of which it is a copy, that the adjoint loads from; once for each round */
} kg_grad_tape;

/* A repeat that a limit of tapes has cut: its runs leave no tape, but there are snapshots from which the reverse runs a segment of it
 * again, with tapes for the rounds of one segment. */
typedef struct kg_grad_segments {
  const char *repeat;   /* the name of its index */
  uint32_t line;
  uint32_t rounds;      /* of a segment, at most */
  uint32_t group;       /* 1: forward takes a snapshot for each segment. Else for each group of so many, and each segment has one as the group
                           is run again */
  const char *buffers;  /* of the module, of which there are snapshots, with commas between; "": of none */
  const char *snapshots; /* how many of each forward takes, as an expression of lengths */
  uint64_t bytes;       /* of all snapshots, and of the copies that segments are run again on */
  uint64_t rounds_again; /* in all; these two at the params' defaults */
} kg_grad_segments;

/* A checkpoint of the program of a run. Bytes are those of one invocation, at the params' defaults; UINT64_MAX: they do not decide it. */
typedef struct kg_grad_checkpoint {
  size_t run;
  const char *name;     /* "": it has none */
  uint32_t line;
  uint64_t kept;        /* of what it reads: the state that it starts from, what is overwritten, and what cannot be run again */
  uint64_t meanwhile;   /* of what is kept while it is run again; one run of it at a time */
  uint64_t without;     /* of what would be kept of it, if it was a plain region */
  uint32_t statements;  /* that it holds, ... */
  uint32_t again;       /* ... and how many of them the reverse runs again */
} kg_grad_checkpoint;

/* In the module's order of runs, and within a run of its text. */
KG_API size_t kg_grad_map_checkpoint_count(const kg_grad_map *map);
KG_API kg_grad_checkpoint kg_grad_map_checkpoint(const kg_grad_map *map, size_t index);
KG_API size_t kg_grad_map_run_count(const kg_grad_map *map);
KG_API size_t kg_grad_map_value_count(const kg_grad_map *map);
KG_API size_t kg_grad_map_share_count(const kg_grad_map *map);
KG_API size_t kg_grad_map_tape_count(const kg_grad_map *map);
KG_API size_t kg_grad_map_segments_count(const kg_grad_map *map);
KG_API kg_grad_segments kg_grad_map_segments(const kg_grad_map *map, size_t index);
KG_API kg_grad_run kg_grad_map_run(const kg_grad_map *map, size_t index);
KG_API kg_grad_value kg_grad_map_value(const kg_grad_map *map, size_t index);
KG_API kg_grad_share kg_grad_map_share(const kg_grad_map *map, size_t index);
KG_API kg_grad_tape kg_grad_map_tape(const kg_grad_map *map, size_t index);

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
  bool deterministic;     /* kg_hvp alone: of the gradient, and so are `tape_limit` and `trips` */
  uint64_t tape_limit;
  uint64_t trips;
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
/* Where a host has the buffers of what was made of a module. */
typedef enum kg_layout {
  KG_LAYOUT_OWN,  /* as kg_grad makes them: each an array of its own, without a stated place unless the module states one */
  KG_LAYOUT_KEPT, /* the module's buffers have their set and binding in every program; all others get one above those */
  KG_LAYOUT_SAME, /* likewise, and shadows of a struct's fields lie in a shadow struct, at the same offsets and stride. What lies between
                     (padding, fields without a shadow) is left alone: nothing reads or writes it */
} kg_layout;

/* A buffer by its name in the modules that were made; of views of one binding any one, for all of them. */
typedef struct kg_place {
  const char *name;
  uint32_t set, binding;
} kg_place;

typedef struct kg_place_params {
  kg_layout layout;
  const kg_place *places; size_t place_count; /* the caller's, which come before any rule */
} kg_place_params;

/* Gives the buffers of `made` (what kg_grad_mapped, kg_jvp_mapped or kg_hvp_mapped made of `primal`, or both of kg_grad_split's) places:
 * they become views, and a program that runs on several buffers gets a copy for each, so that one set of descriptors serves all runs.
 * A shadow goes into the set of what it is of, and all else into the lowest set of the primal, at the lowest binding above the primal's
 * there. A module to which nothing is added stays as it is, as does a buffer of which a run binds slices, or that a program with a
 * stated adjoint has. KG_INVALID: a name that is no buffer's, a place that is taken or far away, a shadow that cannot lie as asked
 * for; the modules then are of no use any more. */
KG_API kg_status kg_grad_place(const kg_module *primal, const kg_grad_map *map, const kg_place_params *params, const kg_sink *sink,
                               kg_module *const *made, size_t count);

/* The gradient in two modules, for a host that learns the cotangent only after it ran forward. `forward` does what `module` does, and
 * leaves besides what the adjoint needs and could not compute again: tapes, and temporaries of the module, as `write` buffers. Where
 * nothing of the kind is needed it is a copy of `module`. `adjoint` has what it loads of them, and of the module's own buffers, as
 * `read` buffers of the same names, beside the shadows of kg_grad. Params have the same names and must have the same values.
 *
 * The host passes on what it has: inputs as the forward module saw them, all others as it left them. The map lists those others as
 * `kept`. If one of them is changed in between, the gradient is wrong, and nobody notices.
 *
 * After `forward` and `adjoint` the shadows hold what kg_grad's one module computes. More is kept in memory and less is at hand: that
 * one module needs no tape where a kernel turns round in place. `map` may be NULL. */
KG_API kg_status kg_grad_split(const kg_module *module, const kg_grad_params *params, const kg_sink *sink, kg_module **forward,
                               kg_module **adjoint, kg_grad_map **map);

/* For a kg_loader: the text of a gradient, where `path` is what `use gradient "net.kg" (of loss, wrt w) as back` asks for,
 * "gradient(of=loss,wrt=w) net.kg". The kernel comes through `files`; what it uses must be no gradient. Free with
 * kg_bytes_free(alloc, *out, *size + 1). KG_INVALID, and nothing is said: it is no such path, or the file is not there. */
KG_API kg_status kg_grad_load(const kg_allocator *alloc, const char *path, const kg_loader *files, const kg_sink *sink, char **out,
                              size_t *size);

#ifdef __cplusplus
}
#endif

#endif
