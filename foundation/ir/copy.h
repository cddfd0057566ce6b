/* Copies. NULL: no memory. A program's copy stands in no module's table, but its strings are those of its original's module. */
#ifndef KGI_COPY_H
#define KGI_COPY_H
#include "foundation/ir/program.h"

kg_module *kgi_module_copy(const kg_allocator *alloc, const kg_module *module);
kgi_program *kgi_program_copy(kgi_arena *arena, const kgi_program *program);
#endif
