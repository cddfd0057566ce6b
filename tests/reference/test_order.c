/* Orders other than the usual one, in which workgroups, and lanes at an atomic, may come as well. */
#include "reference/turns.h"
#include "tests/reference/reference_case.h"

enum { SEEDS = 20, MOST = 300 };

START_TEST(each_comes_once) {
  for (uint64_t count = 1; count <= MOST; count++)
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
      unsigned char came[MOST] = {0};
      kgi_turns turns = kgi_turns_of(seed, count);
      for (uint64_t k = 0; k < count; k++) {
        uint64_t at = kgi_next_turn(&turns);
        ck_assert_uint_lt(at, count);
        ck_assert_msg(!came[at]++, "%u of %u comes twice with seed %u", (unsigned)at, (unsigned)count, (unsigned)seed);
        if (!seed) ck_assert_uint_eq(at, k);
      }
    }
}
END_TEST

/* The largest rings that there are: nothing wraps. */
START_TEST(rings_without_end) {
  for (uint64_t seed = 1; seed < SEEDS; seed++) {
    kgi_turns turns = kgi_turns_of(seed, UINT64_MAX);
    uint64_t at = kgi_next_turn(&turns), next = kgi_next_turn(&turns), step = turns.step;
    ck_assert_uint_eq(next, (uint64_t)(((unsigned __int128)at + step) % UINT64_MAX));
  }
}
END_TEST

/* Ids in the order in which they came to a counter: every order has each once, the usual one as they are counted, some other does not. */
static void lists(const char *text, uint32_t count) {
  unsigned others = 0;
  for (uint64_t order = 0; order < SEEDS; order++) {
    uint32_t cursor = 0, list[64], came[64] = {0};
    kgt_case c;
    kgt_case_init(&c);
    c.buffers[0] = &cursor, c.buffers[1] = list;
    c.params.order = order, c.params.threads = 4;
    kgt_case_fine(&c, text);
    bool usual = true;
    for (uint32_t k = 0; k < count; k++) {
      ck_assert_uint_lt(list[k], count);
      ck_assert_uint_eq(came[list[k]]++, 0);
      usual &= list[k] == k;
    }
    ck_assert(order || usual);
    others += !usual;
  }
  ck_assert_uint_gt(others, SEEDS / 2);
}

#define LIST(workgroup, grid) "program p { workgroup " workgroup " grid " grid "\nbuffer cursor : u32 read_write buffer list : u32[64] read_write\n" \
                              "let at = atomic_add(cursor, 1) list[at] = global_id.x }"

START_TEST(workgroups_come_to_a_counter) { lists(LIST("1", "9"), 9); }
END_TEST
START_TEST(lanes_come_to_a_counter) { lists(LIST("16", "1"), 16); }
END_TEST
START_TEST(both_come_to_a_counter) { lists(LIST("8", "5"), 40); }
END_TEST

/* What goes by no order is what it was: sums of integers, and what a barrier orders. */
START_TEST(the_rest_stays) {
  for (uint64_t order = 0; order < SEEDS; order++) {
    uint32_t sum = 0, turned[40];
    kgt_case c;
    kgt_case_init(&c);
    c.buffers[0] = &sum, c.buffers[1] = turned;
    c.params.order = order;
    kgt_case_fine(&c, "program p { workgroup 8 grid 5\nbuffer sum : u32 read_write buffer turned : u32[40] write shared t : u32[8]\n"
                      "t[local_id.x] = global_id.x barrier\n"
                      "turned[global_id.x] = t[7 - local_id.x] atomic_add(sum, t[7 - local_id.x] + 1) }");
    ck_assert_uint_eq(sum, 40 * 41 / 2);
    for (uint32_t k = 0; k < 40; k++) ck_assert_uint_eq(turned[k], k / 8 * 8 + 7 - k % 8);
  }
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(each_comes_once), KGT(rings_without_end), KGT(workgroups_come_to_a_counter),
                            KGT(lanes_come_to_a_counter), KGT(both_come_to_a_counter), KGT(the_rest_stays)};
  return kgt_run("reference/order", tests, KGT_COUNT(tests));
}
