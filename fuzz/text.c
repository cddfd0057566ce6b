/* Whatever text is accepted prints; the print is accepted, equals it, prints the same, and both have one encoding. */
#include "foundation/ir/equal.h"
#include "fuzz/replay.h"

#include <string.h>

/* "a.kg" is good, "b.kg" uses itself, and "c.kg" has the input's own functions. */
typedef struct input { const char *text; size_t size; } input;
static bool load(void *user, const char *path, const char **text, size_t *size) {
  const input *in = user;
  *text = !strcmp(path, "a.kg")   ? "use \"c.kg\" fn f(x : real) -> real = silu(x)"
          : !strcmp(path, "b.kg") ? "use \"a.kg\" use \"b.kg\""
                                  : in->text;
  *size = *text == in->text ? in->size : strlen(*text);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  kg_module *m = NULL, *again = NULL;
  char *text = NULL, *text2 = NULL;
  size_t length, length2;
  kg_digest one, two;
  bool equal = false;
  input in = {(const char *)data, size};
  kg_loader loader = {.load = load, .user = &in};
  if (kg_module_parse_with(NULL, "input", (const char *)data, size, &loader, NULL, &m) != KG_OK) return 0;
  FUZZ_REQUIRE(kg_module_print(NULL, m, NULL, &text, &length) == KG_OK);
  kg_status status = kg_module_parse(NULL, "print", text, length, NULL, &again);
  if (status != KG_OK) fputs(text, stderr);
  FUZZ_REQUIRE(status == KG_OK);
  FUZZ_REQUIRE(kgi_module_equal(m, again, &equal, NULL) == KG_OK && equal);
  FUZZ_REQUIRE(kg_module_print(NULL, again, NULL, &text2, &length2) == KG_OK);
  FUZZ_REQUIRE(length == length2 && !memcmp(text, text2, length));
  FUZZ_REQUIRE(kg_module_digest(m, NULL, &one) == KG_OK && kg_module_digest(again, NULL, &two) == KG_OK);
  FUZZ_REQUIRE(!memcmp(&one, &two, sizeof one));
  kg_bytes_free(NULL, text, length + 1), kg_bytes_free(NULL, text2, length2 + 1);
  kg_module_free(m), kg_module_free(again);
  return 0;
}
