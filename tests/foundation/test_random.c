/* The generator: its published values, and that numbers in a range reach all of it and nothing else. */
#include "foundation/base/random.h"
#include "tests/support/kgtest.h"

/* From seed 1234567; the values that implementations in other languages are held to. */
START_TEST(published_values) {
  static const uint64_t values[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
                                    UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
  uint64_t state = 1234567;
  for (unsigned i = 0; i < KGT_COUNT(values); i++) ck_assert_uint_eq(kgi_random(&state), values[i]);
} END_TEST

/* Of 7, each about equally often; of 1, the one; of 2^32 - 1, both halves. */
START_TEST(below_a_count) {
  uint64_t state = 0;
  unsigned met[7] = {0}, upper = 0;
  for (unsigned i = 0; i < 70000; i++) {
    uint32_t x = kgi_random_below(&state, 7);
    ck_assert_uint_lt(x, 7);
    met[x]++;
    ck_assert_uint_eq(kgi_random_below(&state, 1), 0);
    upper += kgi_random_below(&state, UINT32_MAX) >= UINT32_MAX / 2;
  }
  for (unsigned i = 0; i < 7; i++) ck_assert_msg(met[i] > 9600 && met[i] < 10400, "%u: %u", i, met[i]);
  ck_assert_msg(upper > 34000 && upper < 36000, "%u", upper);
} END_TEST

/* Every tenth of [-3, 7) about equally often. */
START_TEST(between_numbers) {
  uint64_t state = 0;
  unsigned met[10] = {0};
  for (unsigned i = 0; i < 100000; i++) {
    double x = kgi_random_between(&state, -3, 7);
    ck_assert_msg(x >= -3 && x < 7, "%a", x);
    met[(unsigned)(x + 3)]++;
  }
  for (unsigned i = 0; i < 10; i++) ck_assert_msg(met[i] > 9600 && met[i] < 10400, "%u: %u", i, met[i]);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(published_values), KGT(below_a_count), KGT(between_numbers)};
  return kgt_run("foundation/random", tests, KGT_COUNT(tests));
}
