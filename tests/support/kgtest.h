/*
 * What every suite shares. A suite is one program:
 *
 *     START_TEST(adds) { ck_assert_int_eq(1 + 1, 2); } END_TEST
 *
 *     int main(void)
 *     {
 *         const kgt_test tests[] = {KGT(adds)};
 *         return kgt_run("foundation/arena", tests, KGT_COUNT(tests));
 *     }
 *
 * Each test runs in a process of its own, so a Vulkan device must be made
 * inside the test (a context made before fork hangs in the child). To debug one
 * in place: CK_FORK=no CK_RUN_CASE=adds build/tests/foundation/test_arena
 *
 * A test over a table runs once per row, row _i. Each run is a check of its own: one that fails hides no other and is told with its
 * row's name. The count is the array's, so that a row cannot be forgotten, and a run in which no assertion was reached, or a table
 * without rows, is a failure.
 */
#ifndef TESTS_KGTEST_H
#define TESTS_KGTEST_H

#include "foundation/base/random.h"
#include <kgrad/foundation.h>

#include <check.h>

/* Under the address sanitizer everything is ten times slower: tests of all kernels that there are then take one of so many, and tests of
 * random ones fewer. */
#if defined __SANITIZE_ADDRESS__
enum { KGT_EACH = 8 };
#else
enum { KGT_EACH = 1 };
#endif

typedef struct {
  const char *name;
  const TTest *test;
  size_t count;             /* of runs, with _i from 0 */
  size_t per_row;           /* runs of one row after the other; 0: there is no table */
  const char *const *label; /* where the first row has its name */
  size_t stride;
} kgt_test;

#define KGT(fn) {.name = #fn, .test = fn, .count = 1}
/* One run per row of an array; KGT_TABLE names rows by a member, KGT_TEXTS are an array of names. */
#define KGT_TABLE(fn, rows, member) KGT_CROSS(fn, rows, member, 1)
#define KGT_TEXTS(fn, texts)                                                                                           \
  {.name = #fn, .test = fn, .count = KGT_COUNT(texts), .per_row = 1, .label = (texts), .stride = sizeof *(texts)}
/* Each row so many times: of row _i / times, run _i % times. */
#define KGT_CROSS(fn, rows, member, times)                                                                             \
  {.name = #fn, .test = fn, .count = KGT_COUNT(rows) * (times), .per_row = (times), .label = &(rows)[0].member, \
   .stride = sizeof *(rows)}
/* One run per operation of ops.def; wants foundation/ir/program.h. */
#define KGT_OPS(fn)                                                                                                    \
  {.name = #fn, .test = fn, .count = KGI_OP_COUNT, .per_row = 1, .label = &kgi_op_rows[0].name, .stride = sizeof *kgi_op_rows}
/* Without a table of names. */
#define KGT_TIMES(fn, times) {.name = #fn, .test = fn, .count = (times)}
#define KGT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* check writes to a file where each assertion is that holds, which may take most of a test's time. */
void kgt_mark(const char *file, int line);
#define _mark_point(file, line) kgt_mark(file, line)

/* Runs all, prints each failure and a last line "kgtest: N passed, N failed";
 * returns the exit status. A suite in which nothing ran fails. */
int kgt_run(const char *suite, const kgt_test *tests, size_t count);

/* A whole file, with a zero behind the last byte; fails the test if it cannot be
 * read. The caller frees. `name` is taken from the root of the sources. */
char *kgt_read_source(const char *name, size_t *size);
char *kgt_read_file(const char *path, size_t *size);
/* tests/kernels/NAME.kg */
char *kgt_kernel(const char *name);

/* A fresh folder, removed by nobody until the suite ends; for files that a test writes. */
const char *kgt_temp_dir(void);

/* Fails the test with the first differing line of two texts. */
void kgt_same_text(const char *got, const char *expected);

/* Links tests/support/keep_loaded.c into the suite; kgt_run calls it where there are sanitizers. */
void kgt_keep_loaded(void);

/* An allocator that grants so many requests and fails the next ones. It checks that sizes are told truly, and counts what was
 * not given back. */
typedef struct kgt_allocator {
  kg_allocator alloc; /* pass this on */
  size_t grants;
  size_t live; /* blocks */
  bool failed;
} kgt_allocator;
void kgt_allocator_init(kgt_allocator *a, size_t grants);

/* Calls `attempt` with an allocator that fails at the first request, then one that fails at the second, and so on until none
 * fails. Each failure must be reported as KG_NO_MEMORY and leave no block behind; so must the success, for `attempt` frees
 * what it made. Returns the number of requests. */
size_t kgt_fail_each_allocation(kg_status (*attempt)(const kg_allocator *alloc, void *user), void *user);

#endif
