/* What the function for hosts takes, and what all of it is called in C: for the function itself (host.c), and its header
 * (header.c). */
#ifndef KGI_C_ARGUMENTS_H
#define KGI_C_ARGUMENTS_H
#include "c/text.h"
#include "foundation/ir/views.h"
#include "foundation/text/print.h"

typedef struct kgi_c_arguments {
  const kg_module *m;
  kgi_printer printer;  /* its names are C identifiers besides; it says lengths as declarations do */
  const char *function;
  const char **param;   /* by param */
  const char **pointer; /* by buffer that is the first of its block: the memory; others NULL */
  const char **length;  /* by buffer: the argument that states it; NULL: none does */
  kgi_blocks blocks;
  bool *own;            /* by first buffer of a block: temporary, so that it is no argument */
} kgi_c_arguments;

/* False: no memory. Free it either way. */
bool kgi_c_arguments_make(kgi_c_arguments *a, const kg_allocator *alloc, const kg_module *m);
void kgi_c_arguments_free(kgi_c_arguments *a);

/* "int run_saxpy(uint32_t n, const float *x)" */
void kgi_c_prototype(kgi_c_text *text, const kgi_c_arguments *a);
/* "float": an element in memory, or a param. */
const char *kgi_c_host_type(unsigned type);
#endif
