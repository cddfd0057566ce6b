/* Views on a device whose kernels see one buffer for each binding: the host's arrays are put together before each execution, and
 * taken apart after it. A view that is all of its binding needs none of this. */
#ifndef KGI_DRIVER_VIEWS_H
#define KGI_DRIVER_VIEWS_H
#include "driver/backend.h"

/* Buffers for the blocks of the module's views, as exe->join. */
kg_status kgi_join_make(kg_executable *exe, kgi_diags *diags);
void kgi_join_free(kg_executable *exe);
/* All inputs into their blocks, in order of declaration; and all outputs from there. */
kg_status kgi_join_in(kg_executable *exe, kgi_diags *diags);
kg_status kgi_join_out(kg_executable *exe, kgi_diags *diags);
/* What a kernel is given for the module's object. */
kg_buffer *kgi_join_buffer(const kg_executable *exe, uint32_t object);
#endif
