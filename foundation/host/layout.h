/* foundation/host: what a host works out before it runs a module: params, lengths, grids, elements of arrays. */
/* The length of every buffer, and for each run in order its params, its lengths and its grid. Every device uses this, so that all refuse the same things with the same words. */
#ifndef KGI_LAYOUT_H
#define KGI_LAYOUT_H
#include "foundation/ir/dim.h"

/* A length that the caller leaves to the declaration. */
#define KGI_LENGTH_UNKNOWN UINT64_MAX

/* Whether an array of the host's may tell the param. */
bool kgi_is_length(const kg_module *module, uint32_t param);
/* The length of a module's buffer i (an index of its scope): what it declares, else `given`, which must equal it unless it is
 * KGI_LENGTH_UNKNOWN. The lengths of earlier buffers are in `env`. */
kg_status kgi_declared_length(const kg_module *module, uint32_t i, uint64_t given, const kgi_dim_env *env, kgi_diags *diags,
                              uint64_t *length);

/* Whether every param lies in the range that it declares; the first that does not is told. Params, and lengths that ranges name, are in
 * `env`. */
kg_status kgi_check_ranges(const kg_module *module, const kgi_scope *scope, const kgi_dim_env *env, kgi_diags *diags);

/* Past these a run is refused: ids and lengths are u32 in the language. */
#define KGI_MAX_LENGTH UINT64_C(0xFFFFFFFF)
enum { KGI_MAX_REPEATS = 64 }; /* nested */

typedef struct kgi_layout {
  const kg_module *module;
  kgi_arena *arena;
  kgi_diags *diags;
  /* indexed like the module's scope; entry 0 is unused */
  uint64_t *param;  /* bits */
  uint64_t *length; /* of each buffer, in elements; its bytes fit a size_t */
  int64_t *index;   /* of each item that is a repeat under way */
} kgi_layout;

/* `param_bits`: one for each of the module's params, or NULL for their defaults. `lengths`: of the caller's arrays, one for each
 * buffer, or NULL; what a buffer declares must equal it. Arrays lie in `arena`. */
kg_status kgi_layout_init(kgi_layout *layout, const kg_module *module, const uint64_t *param_bits, const uint64_t *lengths,
                          kgi_arena *arena, kgi_diags *diags);
static inline size_t kgi_layout_bytes(const kgi_layout *l, uint32_t object) {
  return (size_t)l->length[object] * kg_type_size((kg_type)l->module->scope.object[object].type);
}

/* One run, ready to be dispatched. Arrays are indexed like the program's scope, entry 0 unused, and live during the visit. */
typedef struct kgi_run {
  uint32_t item;
  uint32_t program_index; /* in the module */
  const kgi_program *program;
  const uint32_t *buffer; /* for each buffer of the program, the module's, ... */
  const uint64_t *from, *to; /* ... and which of its elements are bound: [from, to) */
  const uint64_t *param;  /* bits */
  const uint64_t *length; /* of every object, shared memory and vars included: as declared, not as bound */
  uint32_t workgroup[3];  /* each at least 1, their product at most KGI_MAX_WORKGROUP (validate.h) */
  uint32_t groups[3];     /* any of them may be 0; workgroup * groups fits 32 bits in each dimension */
} kgi_run;

/* What a `len` gives in the run: of the object, or of its dimension which - 1. */
uint64_t kgi_run_length(const kgi_run *run, uint32_t object, uint32_t which);

/* Visits the runs in order, repeats unrolled; a status other than KG_OK ends the walk and is returned. */
kg_status kgi_layout_each(kgi_layout *layout, kg_status (*visit)(void *user, const kgi_run *run), void *user);
#endif
