/* A kgrad without SPIRV-Cross says so. */
#include "tests/support/devices.h"
#include "tools/cross.h"

#include <string.h>

START_TEST(without_it_there_is_no_source) {
  tool_context ctx = {.sink = kgt_sink};
  ck_assert_int_eq(tool_cross(&ctx, TOOL_GLSL, true, NULL, NULL), KG_UNAVAILABLE);
  ck_assert_str_eq(kgt_last.id, "no-spirv-cross");
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(without_it_there_is_no_source)};
  return kgt_run("tools/cross", tests, KGT_COUNT(tests));
}
