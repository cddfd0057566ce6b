/* Ten thousand random programs: their gradients are the duals. */
#include "tests/fuzz/all.h"

/* In parts, which tell where a run that hangs or falls has come to. */
enum { PROGRAMS = 10000, PARTS = 10, PART = PROGRAMS / PARTS };
static const char *const parts[PARTS] = {"1", "1001", "2001", "3001", "4001", "5001", "6001", "7001", "8001", "9001"};

/* Of a part under sanitizers a few. */
START_TEST(gradients_are_the_duals) {
  totals t = all_hold("gradient", 1 + PART * (uint64_t)_i, PART / (SLOW * SLOW / 2 + 1), NULL, NULL);
  unsigned all = t.holds + t.refused + t.vacuous;
  ck_assert_msg(t.holds * 100 >= all * 40, "of %u programs only %u are differentiated", all, t.holds);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(gradients_are_the_duals, parts)};
  return kgt_run("fuzz/gradients", tests, KGT_COUNT(tests));
}
