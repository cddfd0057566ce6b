#include "spirv/tools_guard.h"

#include <new>

namespace {

/* Calls `work` with a context, and gives what it throws as a result. */
template <typename Work> spv_result_t guarded(spv_target_env environment, Work work) noexcept {
  spv_context context = nullptr;
  spv_result_t result = SPV_ERROR_OUT_OF_MEMORY;
  try {
    context = spvContextCreate(environment);
    if (context) result = work(context);
  } catch (const std::bad_alloc &) {
    result = SPV_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    result = SPV_ERROR_INTERNAL;
  }
  spvContextDestroy(context);
  return result;
}

} // namespace

spv_result_t kgi_tools_validate(const uint32_t *words, size_t count, spv_diagnostic *diagnostic) {
  return guarded(SPV_ENV_VULKAN_1_1, [=](spv_const_context context) { return spvValidateBinary(context, words, count, diagnostic); });
}

spv_result_t kgi_tools_check(const uint32_t *words, size_t count, spv_diagnostic *diagnostic) {
  return guarded(SPV_ENV_UNIVERSAL_1_6, [=](spv_const_context context) { return spvValidateBinary(context, words, count, diagnostic); });
}

spv_result_t kgi_tools_disassemble(const uint32_t *words, size_t count, spv_text *text, spv_diagnostic *diagnostic) {
  const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  return guarded(SPV_ENV_UNIVERSAL_1_6, [=](spv_const_context context) {
    return spvBinaryToText(context, words, count, options, text, diagnostic);
  });
}
