/* SPIRV-Tools, through its C API; and emission as the driver calls it. */
#ifndef KGI_SPIRV_TOOLS_H
#define KGI_SPIRV_TOOLS_H
#include "spirv/abi.h"

#include <kgrad/spirv.h>

/* An invalid module is a defect of the emitter, and is reported as one, with SPIRV-Tools' words. */
kg_status kgi_spirv_validate(const uint32_t *words, size_t count, kgi_diags *diags);

/* A module that somebody else made: valid by SPIR-V alone, whatever device takes it. */
kg_status kgi_spirv_check(const uint32_t *words, size_t count, kgi_diags *diags);
const char *kgi_spirv_opcode(uint32_t opcode); /* "IAdd" */

/* What a driver knows of the runs of a module, by index of the program. */
typedef struct kgi_spirv_known {
  const bool *count_loops; /* whether its loops need counting */
  bool *const *within;     /* by instruction: whether the element of the access is there in all runs; NULL: nothing is known */
} kgi_spirv_known;

/* kg_spirv_emit for a caller that knows more. */
kg_status kgi_spirv_emit_known(const kg_allocator *alloc, const kg_module *m, const kg_spirv_params *params, const kgi_spirv_known *known,
                               const kg_sink *sink, uint32_t **words, size_t *count);

/* Which programs count their loops where only the params say so: all that have any. By index of the program; NULL: no memory. */
const bool *kgi_spirv_counted(kgi_arena *arena, const kg_module *m, const kg_spirv_params *params);
/* What the params ask of the ABI; `at` is room for the places. */
kgi_abi_wishes kgi_spirv_wishes(const kg_spirv_params *params, const bool *count_loops, kgi_abi_place at[2]);
#endif
