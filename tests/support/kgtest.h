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
 * in place: CK_FORK=no CK_RUN_CASE=adds build/tests/test_foundation_arena
 */
#ifndef TESTS_KGTEST_H
#define TESTS_KGTEST_H

#include <kgrad/foundation.h>

#include <check.h>

typedef struct {
  const char *name;
  const TTest *test;
  int count; /* of runs, with _i from 0: one per row of a table; 0 means once */
} kgt_test;

#define KGT(fn)                                                                                                        \
  { #fn, fn, 0 }
#define KGT_TABLE(fn, rows)                                                                                            \
  { #fn, fn, rows }
#define KGT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Runs all, prints each failure and a last line "kgtest: N passed, N failed";
 * returns the exit status. A suite in which nothing ran fails. */
int kgt_run(const char *suite, const kgt_test *tests, size_t count);

/* A whole file, with a zero behind the last byte; fails the test if it cannot be
 * read. The caller frees. `name` is taken from the root of the sources. */
char *kgt_read_source(const char *name, size_t *size);
char *kgt_read_file(const char *path, size_t *size);

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
