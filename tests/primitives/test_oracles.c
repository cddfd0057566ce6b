/* Every row of every family's table, on one device. */
#include "tests/primitives/oracle.h"
#include "tests/support/devices.h"

#ifndef DEVICE
#define DEVICE "reference"
#define EACH 1
#endif
/* Sanitizers make everything slow, and see of a device what they see of it with any row: one in so many is run. */
#if !defined __SANITIZE_ADDRESS__
#undef EACH
#define EACH 1
#endif

/* Tests are numbered through the families. */
static const kgt_oracle *row_at(size_t index) {
#define FAMILY(name)                                                                                                             \
  if (index < kgt_oracles_##name##_count) return &kgt_oracles_##name[index];                                                     \
  index -= kgt_oracles_##name##_count;
#include "tests/primitives/oracles/families.def"
#undef FAMILY
  ck_abort_msg("there is no such row");
}

enum { SHIPPED = 16 }; /* of so many rows one is compiled for the CPU as it is shipped */

START_TEST(holds) {
  if (_i % SHIPPED) kgt_compile_soonest();
  kgt_oracle_run(DEVICE, row_at((size_t)_i * EACH));
}
END_TEST

int main(void) {
  size_t rows = 0;
#define FAMILY(name) rows += kgt_oracles_##name##_count;
#include "tests/primitives/oracles/families.def"
#undef FAMILY
  const kgt_test tests[] = {KGT_TIMES(holds, (rows + EACH - 1) / EACH)};
  return kgt_run("primitives/oracles on " DEVICE, tests, KGT_COUNT(tests));
}
