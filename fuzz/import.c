/* SPIR-V of anybody's, without SPIRV-Tools in front: what is taken is valid, prints, and its text is accepted; what is not has a
 * diagnostic. */
#include "foundation/base/diag.h"
#include "foundation/ir/validate.h"
#include "fuzz/replay.h"

#include <kgrad/spirv.h>

/* Linked in the place of the check that an import begins with. */
kg_status __wrap_kgi_spirv_check(const uint32_t *words, size_t count, kgi_diags *diags);
kg_status __wrap_kgi_spirv_check(const uint32_t *words, size_t count, kgi_diags *diags) {
  (void)words, (void)count, (void)diags;
  return KG_OK;
}

static unsigned heard;
static void hear(void *user, const kg_diag *diag) {
  (void)user, (void)diag;
  heard++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  kg_module *m = NULL, *again = NULL;
  char *text = NULL;
  size_t length = 0;
  kg_sink sink = {.emit = hear};
  heard = 0;
  kg_status status = kg_spirv_import(NULL, "input", data, size, NULL, &sink, &m);
  if (status != KG_OK) {
    FUZZ_REQUIRE(heard && !m);
    return 0;
  }
  FUZZ_REQUIRE(kgi_validate(m, NULL) == KG_OK);
  FUZZ_REQUIRE(kg_module_print(NULL, m, NULL, &text, &length) == KG_OK);
  status = kg_module_parse(NULL, "print", text, length, NULL, &again);
  if (status != KG_OK) fputs(text, stderr);
  FUZZ_REQUIRE(status == KG_OK);
  kg_bytes_free(NULL, text, length + 1);
  kg_module_free(m), kg_module_free(again);
  return 0;
}
