/* kgrad/ops.h against the tables: every operation has a constant there, whose number is its own. */
#include "tests/support/kgtest.h"

#include <kgrad/ops.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct list { const char *prefix, *name; kg_op_kind kind; } list;
static const list lists[] = {
  {"KG_OP_", "", KG_OP_VALUE}, {"KG_ATOMIC_", "atomic_", KG_OP_ATOMIC}, {"KG_SUBGROUP_", "subgroup_", KG_OP_SUBGROUP}, {"KG_ID_", "", KG_OP_ID}};

/* The number that the header gives to a constant, or -1. */
static long number_of(const char *header, const char *constant) {
  size_t n = strlen(constant);
  for (const char *at = strstr(header, constant); at; at = strstr(at + 1, constant))
    if (!strncmp(at + n, " = ", 3) && (at == header || at[-1] == ' ')) return strtol(at + n + 3, NULL, 10);
  return -1;
}

static size_t constants_in(const char *header, const char *prefix) {
  size_t count = 0;
  for (const char *at = strstr(header, prefix); at; at = strstr(at + 1, prefix)) count += at[-1] == ' ';
  return count;
}

/* "KG_OP_ADD" for add. */
static void constant_of(const list *l, const char *name, char *out, size_t size) {
  snprintf(out, size, "%s%s", l->prefix, name + strlen(l->name));
  for (char *c = out; *c; c++) *c = (char)toupper((unsigned char)*c);
}

START_TEST(every_operation) {
  const list *l = &lists[_i];
  size_t size, rows = 0;
  char *header = kgt_read_source("include/kgrad/ops.h", &size), constant[128];
  for (uint32_t i = 0; i < kg_op_count(); i++) {
    kg_op_info row = kg_op_at(i);
    if (row.kind != l->kind) continue;
    constant_of(l, row.name, constant, sizeof constant);
    ck_assert_msg(number_of(header, constant) == (long)row.number, "%s is %ld, and not %u", constant, number_of(header, constant), row.number);
    rows++;
  }
  ck_assert_uint_gt(rows, 0);
  ck_assert_uint_eq(constants_in(header, l->prefix), rows);
  free(header);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(every_operation, lists, prefix)};
  return kgt_run("public/ops", tests, KGT_COUNT(tests));
}
