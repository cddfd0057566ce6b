/* The version that the headers state, and the names of what functions return. */
#include "config.h"
#include "tests/support/kgtest.h"

#include <kgrad/kgrad.h>

#include <stdio.h>

START_TEST(version) {
  char text[64];
  ck_assert_str_eq(KG_VERSION_STRING, PACKAGE_VERSION); /* configure.ac's */
  snprintf(text, sizeof text, "%d.%d.%d", KG_VERSION_MAJOR, KG_VERSION_MINOR, KG_VERSION_PATCH);
  ck_assert_str_eq(text, KG_VERSION_STRING);
  ck_assert_uint_eq(kg_version(), KG_VERSION_NUMBER);
  ck_assert_str_eq(kg_version_string(), KG_VERSION_STRING);
} END_TEST

static const struct { kg_status status; const char *name, *message; } statuses[] = {
  {KG_OK, "KG_OK", "it worked"},
  {KG_INVALID, "KG_INVALID", "the input is wrong"},
  {KG_REFUSED, "KG_REFUSED", "the input is fine, but this cannot be done with it"},
  {KG_NO_MEMORY, "KG_NO_MEMORY", "out of memory"},
  {KG_UNAVAILABLE, "KG_UNAVAILABLE", "this machine has no such device, loader or feature"},
  {KG_FAILED, "KG_FAILED", "a program failed while it ran"},
  {(kg_status)-1, "", "no status of kgrad"}, {(kg_status)(KG_FAILED + 1), "", "no status of kgrad"}, {(kg_status)99, "", "no status of kgrad"}};

START_TEST(names) {
  ck_assert_str_eq(kg_status_name(statuses[_i].status), statuses[_i].name);
  ck_assert_str_eq(kg_status_message(statuses[_i].status), statuses[_i].message);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(version), KGT_TABLE(names, statuses, message)};
  return kgt_run("public/version", tests, KGT_COUNT(tests));
}
