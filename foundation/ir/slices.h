/* Slices of buffers in runs: which a run binds, and whether two of them meet. */
#ifndef KGI_SLICES_H
#define KGI_SLICES_H
#include "foundation/ir/program.h"

/* How many entries of module->bind a run of the program has. */
uint32_t kgi_run_entries(const kgi_program *program);
/* What the run binds to that buffer of its program: all of the module's buffer, or a slice. */
kgi_slice kgi_run_slice(const kg_module *module, uint32_t item, uint32_t program_object);
/* Whether the run binds any slice. */
bool kgi_run_has_slices(const kg_module *module, uint32_t item);

/* A slice of a module's buffer in elements, and whether the run may write it. */
typedef struct kgi_bound_slice {
  uint32_t buffer;
  bool written;
  int64_t from, to;
} kgi_bound_slice;

/* Sorts them. Whether two slices of one buffer share an element that one of both may write; then `pair` says which two. */
bool kgi_slices_meet(kgi_bound_slice *slices, uint32_t count, uint32_t pair[2]);
#endif
