#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char temp_dir[256];

int kgt_run(const char *suite, const kgt_test *tests, size_t count) {
  /* A suite that hangs is ended by its own clock; sanitizers are slow. */
  setenv("CK_DEFAULT_TIMEOUT", "600", 0);
#ifdef __SANITIZE_ADDRESS__
  kgt_keep_loaded();
#endif
  Suite *s = suite_create(suite);
  for (size_t i = 0; i < count; i++) {
    TCase *tc = tcase_create(tests[i].name);
    if (tests[i].count)
      tcase_add_loop_test(tc, tests[i].test, 0, tests[i].count);
    else
      tcase_add_test(tc, tests[i].test);
    suite_add_tcase(s, tc);
  }
  SRunner *runner = srunner_create(s);
  kgt_temp_dir();
  srunner_run_all(runner, CK_ENV);
  int run = srunner_ntests_run(runner);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  rmdir(temp_dir);
  printf("kgtest: %d passed, %d failed\n", run - failed, run == 0 ? 1 : failed);
  return failed || run == 0;
}

char *kgt_read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  ck_assert_msg(f != NULL, "cannot open %s", path);
  fseek(f, 0, SEEK_END);
  long n = ftell(f);
  ck_assert_msg(n >= 0, "cannot size %s", path);
  rewind(f);
  char *text = malloc((size_t)n + 1);
  ck_assert_ptr_nonnull(text);
  ck_assert_uint_eq(fread(text, 1, (size_t)n, f), (size_t)n);
  fclose(f);
  text[n] = 0;
  if (size)
    *size = (size_t)n;
  return text;
}

char *kgt_read_source(const char *name, size_t *size) {
  const char *root = getenv("abs_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
  return kgt_read_file(path, size);
}

const char *kgt_temp_dir(void) {
  if (!temp_dir[0]) {
    const char *base = getenv("TMPDIR");
    snprintf(temp_dir, sizeof temp_dir, "%s/kgtest-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(temp_dir)) {
      perror(temp_dir);
      exit(99);
    }
  }
  return temp_dir;
}

void kgt_same_text(const char *got, const char *expected) {
  const char *g = got, *e = expected;
  for (int line = 1;; line++) {
    size_t gn = strcspn(g, "\n"), en = strcspn(e, "\n");
    if (gn != en || memcmp(g, e, gn) != 0 || g[gn] != e[en])
      ck_abort_msg("line %d: got\n  %.*s\nexpected\n  %.*s\nthe whole:\n%s", line, (int)gn, g, (int)en, e, got);
    if (!g[gn])
      return;
    g += gn + 1;
    e += en + 1;
  }
}

/* Before each block stands its size. */
enum { HEADER = 32 };

static void *resize(void *user, void *block, size_t old_size, size_t new_size) {
  kgt_allocator *a = user;
  char *raw = block ? (char *)block - HEADER : NULL;
  size_t known = 0;
  if (raw) memcpy(&known, raw, sizeof known);
  ck_assert_msg(known == old_size, "a block of %zu bytes was said to have %zu", known, old_size);
  if (new_size == 0) {
    a->live -= raw != NULL;
    free(raw);
    return NULL;
  }
  if (a->grants == 0) return a->failed = true, NULL;
  a->grants--;
  /* always to another place, so that stale pointers show */
  char *fresh = malloc(HEADER + new_size);
  ck_assert_ptr_nonnull(fresh);
  memcpy(fresh, &new_size, sizeof new_size);
  memset(fresh + HEADER, 0xA5, new_size);
  if (raw) memcpy(fresh + HEADER, block, known < new_size ? known : new_size);
  a->live += raw == NULL;
  free(raw);
  return fresh + HEADER;
}

void kgt_allocator_init(kgt_allocator *a, size_t grants) {
  *a = (kgt_allocator){.alloc = {.resize = resize, .user = a}, .grants = grants};
}

size_t kgt_fail_each_allocation(kg_status (*attempt)(const kg_allocator *alloc, void *user), void *user) {
  for (size_t grants = 0;; grants++) {
    kgt_allocator a;
    kgt_allocator_init(&a, grants);
    kg_status status = attempt(&a.alloc, user);
    ck_assert_msg(a.live == 0, "%zu blocks were left behind when request %zu failed", a.live, grants);
    if (!a.failed) {
      ck_assert_msg(status == KG_OK, "status %d although no allocation failed", status);
      return grants;
    }
    ck_assert_msg(status == KG_NO_MEMORY, "status %d although request %zu failed", status, grants);
    ck_assert_msg(grants < 100000, "this does not end");
  }
}
