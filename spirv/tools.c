#include "spirv/tools.h"
#include "spirv/tools_guard.h"

#include <string.h>

kg_status kgi_spirv_validate(const uint32_t *words, size_t count, kgi_diags *diags) {
  spv_diagnostic diagnostic = NULL;
  spv_result_t result = kgi_tools_validate(words, count, &diagnostic);
  if (result == SPV_ERROR_OUT_OF_MEMORY) KGI_DIAG(diags, no_memory, 0, "");
  else if (result != SPV_SUCCESS)
    KGI_DIAG(diags, spirv_invalid, 0, diagnostic && diagnostic->error ? diagnostic->error : "no message");
  spvDiagnosticDestroy(diagnostic);
  if (result == SPV_ERROR_OUT_OF_MEMORY) return KG_NO_MEMORY;
  return result == SPV_SUCCESS ? KG_OK : KG_INVALID;
}

kg_status kgi_spirv_check(const uint32_t *words, size_t count, kgi_diags *diags) {
  spv_diagnostic diagnostic = NULL;
  spv_result_t result = kgi_tools_check(words, count, &diagnostic);
  if (result != SPV_SUCCESS && result != SPV_ERROR_OUT_OF_MEMORY)
    KGI_DIAG(diags, import_invalid, 0, diagnostic && diagnostic->error ? diagnostic->error : "no message");
  spvDiagnosticDestroy(diagnostic);
  return result == SPV_SUCCESS ? KG_OK : result == SPV_ERROR_OUT_OF_MEMORY ? KG_NO_MEMORY : KG_INVALID;
}

const char *kgi_spirv_opcode(uint32_t opcode) { return spvOpcodeString(opcode); }

kg_status kg_spirv_disassemble(const kg_allocator *alloc, const uint32_t *words, size_t count, const kg_sink *sink, char **text,
                               size_t *size) {
  kgi_diags diags = {.sink = sink};
  spv_text made = NULL;
  spv_diagnostic diagnostic = NULL;
  spv_result_t result = kgi_tools_disassemble(words, count, &made, &diagnostic);
  kg_status status = result == SPV_SUCCESS ? KG_OK : result == SPV_ERROR_OUT_OF_MEMORY ? KG_NO_MEMORY : KG_INVALID;
  if (status == KG_INVALID)
    KGI_DIAG(&diags, spirv_unreadable, 0, diagnostic && diagnostic->error ? diagnostic->error : "not SPIR-V");
  char *copy = status == KG_OK ? kgi_alloc(alloc, made->length + 1) : NULL;
  if (copy) {
    memcpy(copy, made->str, made->length);
    copy[made->length] = 0;
    *text = copy, *size = made->length;
  } else if (status == KG_OK) {
    status = KG_NO_MEMORY;
  }
  spvTextDestroy(made);
  spvDiagnosticDestroy(diagnostic);
  if (status == KG_NO_MEMORY) KGI_DIAG(&diags, no_memory, 0, "");
  return status;
}
