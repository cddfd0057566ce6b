/* SPIRV-Tools, which is C++ behind a C interface, and where memory runs out throws through it. Here nothing is thrown: that, and
 * whatever else is thrown, is a result. Diagnostics and texts are freed by SPIRV-Tools' own functions. */
#ifndef KGI_TOOLS_GUARD_H
#define KGI_TOOLS_GUARD_H
/* The header defines a constant in whatever C includes it: a host's own would be a second one of its name. */
#define kDefaultMaxIdBound kgi_default_max_id_bound
#include <spirv-tools/libspirv.h>
#undef kDefaultMaxIdBound

#ifdef __cplusplus
extern "C" {
#endif

/* As a Vulkan 1.1 device takes it. */
spv_result_t kgi_tools_validate(const uint32_t *words, size_t count, spv_diagnostic *diagnostic);
/* As SPIR-V alone asks for, whatever takes it. */
spv_result_t kgi_tools_check(const uint32_t *words, size_t count, spv_diagnostic *diagnostic);
spv_result_t kgi_tools_disassemble(const uint32_t *words, size_t count, spv_text *text, spv_diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif

#endif
