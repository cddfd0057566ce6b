/* What is known of a module, folded into a copy of it. */
#include "modules/modules.h"
#include "foundation/base/floats.h"
#include "foundation/passes/specialise.h"

kg_status kg_module_specialise(const kg_allocator *alloc, const kg_module *module, const kg_facts *facts, const kg_sink *sink,
                               kg_module **out) {
  KGI_OWN_FLOATS;
  kgi_diags diags = {.sink = sink, .file = module->file};
  kg_module *m = kgi_module_copy(alloc, module);
  kg_status status = m ? kgi_specialise(m, facts, &diags) : KG_NO_MEMORY;
  if (status == KG_NO_MEMORY) kgi_no_memory(sink);
  if (status == KG_OK) *out = m;
  else kg_module_free(m);
  return status;
}
