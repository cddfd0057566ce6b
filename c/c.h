/* c: C out: a program as C text, for the CPU device and for hosts that build a kernel in. */
/* What the emitted text and whoever calls it agree on. Each program of the module is one function,
 *
 *     void kg_kernel_<index in the module>(const struct kg_args *args, uint32_t first, uint32_t end);
 *
 * which runs the workgroups [first, end), numbered with x fastest. Workgroups are independent of each other: any number of threads may
 * run different ones at the same time. The structs below occur in the text under the names that stand behind them. */
#ifndef KGI_C_H
#define KGI_C_H
#include "foundation/ir/program.h"

#include <kgrad/c.h>

/* How many invocations of a workgroup are computed together: a power of two, KG_LANES in the text, a macro whose default the text
 * derives from the instruction set that it is compiled for. It is the size of a subgroup as well.
 * Text without subgroup operations may state KG_MOST_LANES, below that. */
enum { KGI_C_MOST_LANES = 16, KGI_C_LEAST_LANES = 4 };

typedef enum kgi_c_fault { KGI_C_FINE, KGI_C_ASSERT, KGI_C_LIMIT, KGI_C_BUDGET } kgi_c_fault;

/* struct kg_status: where a program failed. All zeros before a run. */
typedef struct kgi_c_status {
  uint32_t count;  /* how many invocations failed */
  uint32_t first;  /* 1 + the instruction at which the first of them did, of ... */
  uint32_t program; /* ... this program of the module */
  uint32_t fault;  /* kgi_c_fault */
} kgi_c_status;

/* struct kg_args */
typedef struct kgi_c_args {
  void *const *buffer;    /* by the program's buffers, from 0: the first byte of what is bound, of a view that of its binding */
  const uint32_t *length; /* of each, in elements, as declared */
  const uint64_t *param;  /* by the program's params, from 0: bits, by the param's type */
  uint32_t groups[3];     /* the grid */
  kgi_c_status *status;
  void *const *own;       /* by the program's buffers: of one that is only added to (kgi_c_is_only_added) where this thread adds, without
                             atomics, because nobody else does meanwhile; NULL, and a NULL for all: by atomics, to what is bound */
  uint64_t budget;        /* trips of `while` loops that the invocations of a workgroup may make together; 0: any number */
} kgi_c_args;

/* Whether all that the program does to a buffer is to add to it, by atomics whose results nobody uses. Then threads may add to memory
 * of their own, which somebody sums afterwards. */
bool kgi_c_is_only_added(const kgi_program *program, uint32_t object);

/* The kernels of several modules as one text, which has once what they share. They are numbered on: program k of a module is kernel
 * k + the programs of those before it, and so it is called in kg_status. */
kg_status kgi_c_emit_together(const kg_allocator *alloc, const kg_module *const *module, uint32_t count, const kg_sink *sink,
                              char **text, size_t *size);

typedef void kgi_c_kernel(const kgi_c_args *args, uint32_t first, uint32_t end);
#endif
