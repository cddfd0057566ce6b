/* What a host puts into a program's own block of params and hidden lengths (doc/abi.md). */
#ifndef KGI_SPIRV_BLOCK_H
#define KGI_SPIRV_BLOCK_H
#include "foundation/host/layout.h"
#include "spirv/abi.h"

/* `out` has a->block_size bytes. */
void kgi_abi_fill_block(const kgi_abi_program *a, const kgi_run *run, unsigned char *out);
#endif
