/* Whatever bytes are read as a .npz file: each array that comes out has the size that its shape calls for, and written again, the
 * same comes back. */
#include "fuzz/replay.h"
#include "tools/npz.h"

#include <stdlib.h>
#include <string.h>

static void write_again(const tool_array *a) {
  char *bytes = NULL;
  size_t size;
  tool_npz_writer w;
  tool_npz npz;
  tool_array again = {0};
  FILE *out = open_memstream(&bytes, &size);
  FUZZ_REQUIRE(out != NULL);
  tool_npz_begin(&w, out);
  tool_npz_add(&w, "a", a);
  FUZZ_REQUIRE(tool_npz_end(&w) && fclose(out) == 0);
  FUZZ_REQUIRE(tool_npz_parse("again", bytes, size, NULL, &npz) && tool_npz_array(&npz, 0, NULL, &again));
  FUZZ_REQUIRE(again.type == a->type && again.size == a->size && !memcmp(again.data, a->data, a->size));
  tool_array_free(&again);
  tool_npz_free(&npz);
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tool_npz npz;
  bool fine = tool_npz_parse("input", data, size, NULL, &npz);
  for (uint32_t i = 0; fine && i < npz.count && npz.member[i].size < 1 << 20; i++) {
    tool_array a = {0};
    if (tool_npz_array(&npz, i, NULL, &a)) {
      FUZZ_REQUIRE(a.size == a.count * kg_type_size(a.type));
      write_again(&a);
    }
    tool_array_free(&a);
  }
  tool_npz_free(&npz);
  return 0;
}
