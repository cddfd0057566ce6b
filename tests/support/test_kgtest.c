/* The runner itself: no row of a table can be lost, hide another, or pass without an assertion. */
#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a suite with defects, run as `test_kgtest planted` ---- */

typedef struct row { const char *name; int value; } row;
static const row rows[] = {{"one", 1}, {"two", -2}, {"three", 3}, {"none", 0}};
static const char *const words[] = {"short", "program p {\n}"};

START_TEST(over_rows) {
  if (!rows[_i].value) return;
  ck_assert_int_gt(rows[_i].value, 0);
} END_TEST
START_TEST(crossed) { ck_assert_msg(_i != 5, "row %d, run %d", _i / 2, _i % 2); } END_TEST
START_TEST(over_words) { ck_assert_str_eq(words[_i], "short"); } END_TEST
START_TEST(does_nothing) { (void)_i; } END_TEST
START_TEST(is_fine) { ck_assert_int_eq(_i, 0); } END_TEST
START_TEST(crashes) {
  ck_assert_int_eq(_i, 0);
  raise(SIGKILL);
} END_TEST

static int planted(void) {
  const kgt_test tests[] = {
    KGT_TABLE(over_rows, rows, name), KGT_CROSS(crossed, rows, name, 2), KGT_TEXTS(over_words, words), KGT(does_nothing), KGT(is_fine),
    KGT_TIMES(does_nothing, 0), KGT(crashes),
  };
  return kgt_run("planted", tests, KGT_COUNT(tests));
}

/* ---- what is said of it ---- */

static char self[4096];

/* With `setting` in the environment; returns the exit status. */
static int run_planted(const char *setting, char *out, size_t size) {
  char command[4200];
  snprintf(command, sizeof command, "%s '%s' planted", setting, self);
  FILE *f = popen(command, "r");
  ck_assert_ptr_nonnull(f);
  out[fread(out, 1, size - 1, f)] = 0;
  int status = pclose(f);
  ck_assert(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void says(const char *out, const char *part) { ck_assert_msg(strstr(out, part) != NULL, "it does not say %s:\n%s", part, out); }
static void says_nothing_of(const char *out, const char *part) { ck_assert_msg(!strstr(out, part), "it says %s:\n%s", part, out); }

/* 4 rows, 4 rows twice, 2 words, and 3 that are lone; what has no runs fails without one. */
START_TEST(every_row_is_a_check) {
  char out[4096];
  ck_assert_int_eq(run_planted("env -u CK_RUN_CASE CK_FORK=yes", out, sizeof out), 1);
  says(out, "over_rows[1] \"two\": Assertion 'rows[_i].value > 0' failed");
  says(out, "over_rows[3] \"none\": no assertion was reached");
  says(out, "crossed[5] \"three\" 1: row 2, run 1");
  says(out, "over_words[1] \"program p {\": Assertion");
  says(out, "does_nothing: no assertion was reached");
  says(out, "does_nothing: 0 of 0 were run");
  says(out, "crashes: after this: ");
  says_nothing_of(out, "\"one\"");
  says_nothing_of(out, "over_rows[2]");
  says_nothing_of(out, "is_fine");
  says(out, "kgtest: 11 passed, 7 failed\n");
} END_TEST

START_TEST(one_is_chosen) {
  char out[4096];
  ck_assert_int_eq(run_planted("env CK_RUN_CASE=is_fine", out, sizeof out), 0);
  ck_assert_str_eq(out, "kgtest: 1 passed, 0 failed\n");
  ck_assert_int_eq(run_planted("env CK_RUN_CASE=there_is_none", out, sizeof out), 1);
  ck_assert_str_eq(out, "kgtest: 0 passed, 1 failed\n");
} END_TEST

/* In one process a run must not be taken for the one before. */
START_TEST(runs_of_one_process_are_apart) {
  char out[4096];
  ck_assert_int_eq(run_planted("env CK_FORK=no CK_RUN_CASE=over_rows", out, sizeof out), 1);
  says(out, "over_rows[3] \"none\": no assertion was reached");
  says(out, "kgtest: 2 passed, 2 failed\n");
} END_TEST

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "planted")) return planted();
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return perror("/proc/self/exe"), 99;
  const kgt_test tests[] = {KGT(every_row_is_a_check), KGT(one_is_chosen), KGT(runs_of_one_process_are_apart)};
  return kgt_run("support/kgtest", tests, KGT_COUNT(tests));
}
