#include "tests/support/kgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char temp_dir[256];

/* ---- the runner ---- */

/* The last assertion that held, of each run in turn: shared with the processes in which tests run. */
typedef struct mark { const char *file; int line; } mark;
static mark nowhere, *marks, *own = &nowhere;

void kgt_mark(const char *file, int line) { own->file = file, own->line = line; }

/* marks[0] counts. */
static void begin_run(void) { own = &marks[++marks[0].line]; }

static void name_run(const kgt_test *t, size_t i, char *name, size_t size) {
  if (t->count == 1 && !t->per_row) {
    snprintf(name, size, "%s", t->name);
    return;
  }
  snprintf(name, size, "%s[%zu]", t->name, i);
  if (!t->per_row) return;
  const char *label;
  memcpy(&label, (const char *)t->label + i / t->per_row * t->stride, sizeof label);
  if (!label) return;
  size_t used = strlen(name), line = strcspn(label, "\n"); /* some are programs */
  used += (size_t)snprintf(name + used, size - used, " \"%.*s\"", line < 80 ? (int)line : 80, label);
  if (t->per_row > 1) snprintf(name + used, size - used, " %zu", i % t->per_row);
}

static bool passes(const kgt_test *t, size_t i, TestResult *r, const mark *last) {
  char name[256];
  bool idle = tr_rtype(r) == CK_PASS && !last->file, crashed = tr_rtype(r) == CK_ERROR && last->file;
  if (tr_rtype(r) == CK_PASS && !idle) return true;
  name_run(t, i, name, sizeof name);
  printf("%s:%d: %s: %s%s\n", crashed ? last->file : tr_lfile(r), crashed ? last->line : tr_lno(r), name,
         crashed ? "after this: " : "", idle ? "no assertion was reached" : tr_msg(r));
  return false;
}

/* Results come in the order of tests. Where the environment chooses some, those of the others are not there. */
static void count_results(const kgt_test *tests, size_t count, TestResult **results, int run, unsigned *passed, unsigned *failed) {
  bool chosen = getenv("CK_RUN_CASE") || getenv("CK_RUN_SUITE");
  int at = 0;
  for (size_t k = 0; k < count; k++) {
    size_t i = 0;
    for (; i < tests[k].count && at < run && !strcmp(tr_tcname(results[at]), tests[k].name); i++, at++)
      ++*(passes(&tests[k], i, results[at], &marks[at + 1]) ? passed : failed);
    if (i ? i == tests[k].count : chosen) continue;
    printf("%s: %zu of %zu were run\n", tests[k].name, i, tests[k].count);
    ++*failed;
  }
}

static mark *new_marks(const kgt_test *tests, size_t count) {
  size_t runs = 1;
  for (size_t i = 0; i < count; i++) runs += tests[i].count;
  FILE *f = tmpfile();
  void *shared = MAP_FAILED;
  if (f && ftruncate(fileno(f), (off_t)(runs * sizeof(mark))) == 0)
    shared = mmap(NULL, runs * sizeof(mark), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
  if (shared == MAP_FAILED) perror("memory to share"), exit(99);
  fclose(f);
  return shared;
}

int kgt_run(const char *suite, const kgt_test *tests, size_t count) {
  /* A suite that hangs is ended by its own clock; sanitizers are slow. */
  setenv("CK_DEFAULT_TIMEOUT", "600", 0);
#ifdef __SANITIZE_ADDRESS__
  kgt_keep_loaded();
#endif
  Suite *s = suite_create(suite);
  for (size_t i = 0; i < count; i++) {
    TCase *tc = tcase_create(tests[i].name);
    tcase_add_checked_fixture(tc, begin_run, NULL);
    tcase_add_loop_test(tc, tests[i].test, 0, (int)tests[i].count);
    suite_add_tcase(s, tc);
  }
  marks = new_marks(tests, count);
  SRunner *runner = srunner_create(s);
  kgt_temp_dir();
  srunner_run_all(runner, getenv("CK_VERBOSITY") ? CK_ENV : CK_SILENT);
  int run = srunner_ntests_run(runner);
  TestResult **results = srunner_results(runner);
  unsigned passed = 0, failed = run == 0;
  count_results(tests, count, results, run, &passed, &failed);
  printf("kgtest: %u passed, %u failed\n", passed, failed);
  free(results);
  srunner_free(runner);
  rmdir(temp_dir);
  return failed != 0;
}

/* ---- files and texts ---- */

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

char *kgt_kernel(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "tests/kernels/%s.kg", name);
  return kgt_read_source(path, NULL);
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

/* ---- memory that runs out ---- */

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
