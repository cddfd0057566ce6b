/* Whatever bytes are accepted are what their module encodes to; its text is accepted, and has the same digest. Cleaning it keeps
 * it valid. */
#include "foundation/passes/clean.h"
#include "foundation/ir/validate.h"
#include "fuzz/replay.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  kg_module *m = NULL, *again = NULL;
  uint8_t *bytes = NULL;
  char *text = NULL;
  size_t count, length;
  kg_digest one, two;
  if (kg_module_decode(NULL, "input", data, size, NULL, &m) != KG_OK) return 0;
  FUZZ_REQUIRE(kg_module_encode(NULL, m, NULL, &bytes, &count) == KG_OK);
  FUZZ_REQUIRE(count == size && !memcmp(bytes, data, size));
  FUZZ_REQUIRE(kg_module_print(NULL, m, NULL, &text, &length) == KG_OK);
  kg_status status = kg_module_parse(NULL, "print", text, length, NULL, &again);
  if (status != KG_OK) fputs(text, stderr);
  FUZZ_REQUIRE(status == KG_OK);
  FUZZ_REQUIRE(kg_module_digest(m, NULL, &one) == KG_OK && kg_module_digest(again, NULL, &two) == KG_OK);
  FUZZ_REQUIRE(!memcmp(&one, &two, sizeof one));
  for (uint32_t i = 1; i < m->program_count; i++) FUZZ_REQUIRE(kgi_clean(m, m->program[i]) == KG_OK);
  FUZZ_REQUIRE(kgi_validate(m, NULL) == KG_OK);
  kg_bytes_free(NULL, bytes, count), kg_bytes_free(NULL, text, length + 1);
  kg_module_free(m), kg_module_free(again);
  return 0;
}
