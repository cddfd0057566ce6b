/* The CPU device against the reference: all kernels of tests/kernels and the examples leave the reference's bits, or lie in its
 * intervals where functions and sums round in another way. */
#include "tests/support/devices.h"
#include "tests/support/fuzz_property.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers make the reference slow: one of so many. */
#if defined __SANITIZE_ADDRESS__
enum { EACH = 8 };
#else
enum { EACH = 1 };
#endif

/* What cannot be compared, and the diagnostic that says why. One that can be has no place here. */
static const struct { const char *name, *id; } refused[] = {
  {"lanes.kg", "data-race"},      /* all its invocations store to the same elements, ... */
  {"operators.kg", "data-race"},  /* ... and so do those of these two */
  {"statements.kg", "data-race"},
  {"particle_fields.kg", ""},     /* its params have no values of their own */
  {"work.kg", "bound-too-short"}, /* no run of it fits its arrays */
};

/* NULL: it can be compared. */
static const char *refusal_of(const char *name) {
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (!strcmp(refused[k].name, name)) return refused[k].id;
  return NULL;
}

/* All that is wrong, a line each. */
static char said[1 << 14];

static void judge(kg_device *device, const char *name, const kg_module *m) {
  kgt_fuzz f = {.data = 1, .device = device};
  kgt_verdict verdict = kgt_fuzz_module_on_device(&f, m);
  const char *expected = refusal_of(name);
  bool fine = expected ? verdict != KGT_HOLDS && !strcmp(f.id, expected) : verdict == KGT_HOLDS;
  size_t used = strlen(said);
  if (!fine) snprintf(said + used, sizeof said - used, "%s: %s [%s]\n", name, verdict == KGT_VACUOUS ? "nothing is known" : f.what, f.id);
}

static const char *const folders[] = {"examples", "tests/kernels"};

START_TEST(kernels) {
  char folder[400], path[800];
  unsigned count = 0;
  const char *root = getenv("abs_srcdir");
  setenv("KGRAD_CACHE", "none", 1);
  kgt_device d = kgt_open("cpu");
  snprintf(folder, sizeof folder, "%s/%s", root ? root : ".", folders[_i]);
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    size_t length = strlen(e->d_name);
    if (length < 4 || strcmp(e->d_name + length - 3, ".kg") || count++ % EACH) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    char *text = kgt_read_file(path, NULL);
    kg_module *m = kgt_parse(text);
    judge(d.device, e->d_name, m);
    kg_module_free(m);
    free(text);
  }
  closedir(dir);
  kgt_close(&d);
  ck_assert_uint_gt(count, 10);
  ck_assert_msg(!*said, "%s", said);
}
END_TEST

/* The sums of several threads leave -0 where nothing else is added, or nothing at all. */
START_TEST(sums_of_nothing) {
  static const char *const types[] = {"f32", "f64"};
  char text[300];
  snprintf(text, sizeof text, "program p { workgroup 64 grid 4096\nbuffer x : %s read\nbuffer y : %s[8] read_write\n"
           "atomic_add(y[workgroup_id.x %% 4], x) }", types[_i], types[_i]);
  setenv("KGRAD_CACHE", "none", 1);
  setenv("KGRAD_THREADS", "3", 1);
  kgt_device d = kgt_open("cpu");
  kg_module *m = kgt_parse(text);
  for (int again = 0; again < 20; again++) { /* sooner or later several threads take part */
    float x = -0.0F, y[8];
    double wide = -0.0, z[8];
    for (int k = 0; k < 8; k++) y[k] = -0.0F, z[k] = -0.0;
    kgt_run_fine(&d, m, NULL, _i ? (void *[]){&wide, z} : (void *[]){&x, y}, NULL);
    for (int k = 0; k < 8; k++) ck_assert(_i ? z[k] == 0 && signbit(z[k]) : y[k] == 0 && signbit(y[k]));
  }
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(kernels, folders), KGT_TIMES(sums_of_nothing, 2)};
  return kgt_run("driver/cpu_kernels", tests, KGT_COUNT(tests));
}
