/* Emitted, imported and run: examples, the tests' kernels, primitives and random programs give the bits that they gave before. */
#include "tests/fuzz/all.h"
#include "fuzz/ask/trip.h"

#include <kgrad/primitives.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANDOM = 400 };

/* What cannot be compared, and the diagnostic that says why. One that can be has no place here. */
static const struct { const char *name, *id; } refused[] = {
  {"lanes.kg", "data-race"},       /* all its invocations store to the same elements */
  {"postorder.kg", "loop-limit"},  /* random data are no tree */
  {"work.kg", "bound-too-short"},  /* no run of it fits its arrays */
  {"segmented_sum", "assert-failed"}, /* random offsets descend, ... */
  {"matmul_grouped", "assert-failed"}, /* ... and so do these */
};

static const char *refusal_of(const char *name) {
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (!strcmp(refused[k].name, name)) return refused[k].id;
  return "";
}

static char *text_of(const char *path) {
  FILE *in = fopen(path, "r");
  char *text = calloc(1, 1 << 18);
  ck_assert_msg(in && text, "%s cannot be read", path);
  size_t size = fread(text, 1, (1 << 18) - 1, in);
  text[size] = 0;
  fclose(in);
  return text;
}

/* All that is wrong, a line each. */
static char said[1 << 14];

static void judge(const char *name, const kg_module *m) {
  kgi_ask f = {.data = 1};
  kgi_answer verdict = kgi_round_trip(&f, m);
  const char *expected = refusal_of(name);
  bool told = verdict == KGI_REFUSED || verdict == KGI_VACUOUS;
  bool fine = *expected ? told && !strcmp(f.id, expected) : verdict == KGI_HOLDS;
  size_t used = strlen(said);
  const char *what = verdict == KGI_HOLDS ? "is taken now: strike it" : f.what;
  if (!fine) snprintf(said + used, sizeof said - used, "%s: %s [%s]\n", name, what, f.id);
}

static const char *const folders[] = {"examples", "tests/kernels", "tests/natural"};

START_TEST(files) {
  char folder[400], path[800];
  unsigned count = 0;
  const char *root = getenv("abs_srcdir");
  snprintf(folder, sizeof folder, "%s/%s", root ? root : ".", folders[_i]);
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    size_t length = strlen(e->d_name);
    if (length < 4 || strcmp(e->d_name + length - 3, ".kg") || (SLOW > 1 && count++ % SLOW)) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    char *text = text_of(path);
    kg_module *m = kgt_parse(text);
    judge(e->d_name, m), count += SLOW == 1;
    kg_module_free(m);
    free(text);
  }
  closedir(dir);
  ck_assert_uint_gt(count, 10);
  ck_assert_msg(!*said, "%s", said);
}
END_TEST

START_TEST(primitives) {
  for (uint32_t i = 0; i < kg_primitive_count(); i++) {
    const char *name = kg_primitive_at(i)->name;
    kg_module *m = NULL;
    ck_assert_int_eq(kg_primitive_build(NULL, name, NULL, 0, &kgt_sink, &m), KG_OK);
    judge(name, m);
    kg_module_free(m);
  }
  ck_assert_msg(!*said, "%s", said);
}
END_TEST

START_TEST(random_programs) {
  totals t = all_hold("import", 1, RANDOM / SLOW, NULL, NULL);
  ck_assert_uint_gt(t.holds * 2, RANDOM / SLOW);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(files, folders), KGT(primitives), KGT(random_programs)};
  return kgt_run("spirv/round_trip", tests, KGT_COUNT(tests));
}
