/* Properties over random programs: ten thousand in every run of the suite; `kgrad fuzz` asks about more. Gradients have a
 * suite of their own. */
#include "fuzz/generate.h"
#include "tests/support/devices.h"
#include "tests/fuzz/all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of more than a thousand cells, so few programs may miss these many by chance: the rarest come in one program of a thousand. */
enum { FORMS = 6000, CHANCE = 3 };

typedef struct gaps { unsigned cells, count; char names[4096]; } gaps;

static void see_cell(void *user, const char *table, const char *name, uint64_t count) {
  gaps *g = user;
  g->cells++;
  if (count) return;
  size_t used = strlen(g->names);
  snprintf(g->names + used, sizeof g->names - used, "%s%s %s", g->count++ ? ", " : "", table, name);
}

/* Each row of the tables with each type that it takes, each type in each kind of memory, each statement in and behind another. */
START_TEST(text_reads_back_equal) {
  kgi_fuzz_coverage c = {0};
  gaps g = {0};
  all_hold("forms", 1, FORMS / SLOW, NULL, &c);
  kgi_fuzz_cells(&c, see_cell, &g);
  ck_assert_uint_gt(g.cells, 1000);
  ck_assert_msg(SLOW > 1 || g.count <= CHANCE, "%u that no program has: %s", g.count, g.names);
  for (unsigned op = 0; op < KGI_OP_COUNT && SLOW == 1; op++) {
    uint64_t count = 0;
    for (unsigned type = 0; type < KGI_TYPE_COUNT; type++) count += c.op[op][type];
    ck_assert_msg(count > 0, "no program has %s", kgi_op_rows[op].name);
  }
}
END_TEST

START_TEST(cleaning_keeps_every_bit) {
  all_hold("clean", 1, 1200 / SLOW, NULL, NULL);
  all_hold("wild-clean", 1, 300 / SLOW, NULL, NULL);
}
END_TEST

START_TEST(threads_do_not_show) {
  totals t = all_hold("threads", 1, 500 / SLOW, NULL, NULL);
  ck_assert_uint_gt(t.holds, 8 * t.vacuous);
}
END_TEST

START_TEST(tangents_are_the_duals) {
  totals t = all_hold("jvp", 1, 400 / SLOW, NULL, NULL);
  ck_assert_msg(t.holds * 100 >= (t.holds + t.refused + t.vacuous) * 55, "of %u programs only %u have tangents", 400 / SLOW, t.holds);
}
END_TEST

START_TEST(two_modules_do_what_one_does) { all_hold("split", 1, 300 / SLOW, NULL, NULL); }
END_TEST

START_TEST(stated_adjoints_are_as_good) {
  totals t = all_hold("stated", 1, 400 / SLOW, NULL, NULL);
  unsigned all = t.holds + t.refused + t.vacuous;
  ck_assert_msg(t.holds * 100 >= all * 40, "of %u programs only %u state an adjoint", all, t.holds);
}
END_TEST

START_TEST(points_are_the_duals) {
  totals t = all_hold("points", 1, 300 / SLOW, NULL, NULL);
  ck_assert_msg(t.holds * 100 >= 300 / SLOW * 15, "of %u programs only %u have a gradient behind a run", 300 / SLOW, t.holds);
}
END_TEST

START_TEST(no_races) {
  all_hold("races", 1, 500 / SLOW, NULL, NULL);
  all_hold("adjoint-races", 1, 300 / SLOW, NULL, NULL);
  totals t = all_hold("detectors", 1, 400 / SLOW, NULL, NULL);
  ck_assert_msg(t.holds * 4 >= 400 / SLOW, "only %u programs have a race when something is taken away", t.holds);
}
END_TEST

/* The watch finds what it is there for, and nothing else. */
typedef struct race_case { int found; const char *text; } race_case;
static const race_case race_cases[] = {
  {0, "y[i] = y[i] + x[0]"},
  {3, "y[0] = x[i]"},
  {3, "y[workgroup_id.x] = y[0]"},
  {0, "atomic_add(y[0], x[i])"},
  {3, "atomic_add(y[0], x[i]) let t = y[0] y[i + 4] = t"},
  {1, "s[local_id.x] = x[i] y[i] = s[3 - local_id.x]"},
  {0, "s[local_id.x] = x[i] barrier y[i] = s[3 - local_id.x]"},
  {1, "for k in 0 .. 2 { s[local_id.x] = x[i] barrier y[i] = s[3 - local_id.x] }"},
  {0, "for k in 0 .. 2 { s[local_id.x] = x[i] barrier y[i] = s[3 - local_id.x] barrier }"},
  {3, "y[i] = x[i] barrier let t = y[7 - i] s[local_id.x] = t"},
  {0, "let t = atomic_load(y[0]) let u = y[0] y[i + 4] = t + u"},
  {3, "let t = atomic_load(y[0]) y[i] = t"},
  {0, "let t = atomic_load(y[0]) atomic_store(y[0], t)"},
};

START_TEST(planted_races) {
  char text[512];
  snprintf(text, sizeof text,
           "program p { workgroup 4 grid 2 buffer x : f32[8] read buffer y : f32[12] read_write shared s : f32[4]\n"
           "let i = global_id.x %s }", race_cases[_i].text);
  kg_module *m = kgt_parse(text);
  kgi_ask f = {.data = 1};
  int found = kgi_races_of(&f, m);
  ck_assert_msg(found == race_cases[_i].found, "%s: %d, not %d", race_cases[_i].text, found, race_cases[_i].found);
  kg_module_free(m);
}
END_TEST

/* The same bytes give the same program, and no bytes the simplest. */
START_TEST(bytes_decide) {
  uint8_t bytes[KGI_FUZZ_BYTES];
  kgi_fuzz_bytes(42, bytes, sizeof bytes);
  kgi_ask f = {.bytes = bytes, .size = sizeof bytes, .features = KGI_FUZZ_ALL};
  char *a = kgi_ask_text(&f), *b = kgi_ask_text(&f);
  kgt_same_text(a, b);
  f.size = 0;
  char *least = kgi_ask_text(&f);
  ck_assert_ptr_nonnull(least);
  ck_assert_uint_lt(strlen(least), strlen(a));
  free(a), free(b), free(least);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(text_reads_back_equal), KGT(cleaning_keeps_every_bit), KGT(threads_do_not_show),
                            KGT(tangents_are_the_duals), KGT(bytes_decide),
                            KGT(two_modules_do_what_one_does), KGT(stated_adjoints_are_as_good), KGT(points_are_the_duals), KGT(no_races),
                            KGT_TABLE(planted_races, race_cases, text)};
  return kgt_run("fuzz/programs", tests, KGT_COUNT(tests));
}
