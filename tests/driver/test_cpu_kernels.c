/* The CPU device against the reference: all kernels of tests/kernels and the examples leave the reference's bits, or lie in its
 * intervals where functions and sums round in another way. */
#include "driver/cpu/cpu.h"
#include "tests/support/devices.h"
#include "fuzz/ask/ask.h"

#include <kgrad/autodiff.h>

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
  kgi_target target = kgi_target_of(device);
  kgi_ask f = {.data = 1, .target = &target};
  kgi_answer verdict = kgi_ask_module_on_device(&f, m);
  const char *expected = refusal_of(name);
  bool fine = expected ? verdict != KGI_HOLDS && !strcmp(f.id, expected) : verdict == KGI_HOLDS;
  size_t used = strlen(said);
  if (!fine) snprintf(said + used, sizeof said - used, "%s: %s [%s]\n", name, verdict == KGI_VACUOUS ? "nothing is known" : f.what, f.id);
}

/* Which row of the compiler's table of options for this machine takes text that cannot fail. */
static uint32_t plain_native(void) {
  kgi_cpu cpu;
  kgi_cpu_object *o;
  kgi_diags diags = {.sink = &kgt_sink};
  kgi_cpu_init(&cpu, NULL, 1);
  ck_assert_int_eq(kgi_cpu_load(&cpu, "int x;\n", 7, &diags, &o), KG_OK);
  uint32_t native = cpu.cc.native;
  kgi_cpu_drop(&cpu);
  return native;
}

static const char *const folders[] = {"examples", "tests/kernels"};

/* Calls `visit` with one of so many kernels of a folder; how many there are. */
static unsigned visit_kernels(const char *in, unsigned each, void (*visit)(kg_device *device, const char *name, const char *text), kg_device *device) {
  char folder[400], path[800];
  unsigned count = 0;
  const char *root = getenv("abs_srcdir");
  snprintf(folder, sizeof folder, "%s/%s", root ? root : ".", in);
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    size_t length = strlen(e->d_name);
    if (length < 4 || strcmp(e->d_name + length - 3, ".kg") || count++ % each) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    char *text = kgt_read_file(path, NULL);
    visit(device, e->d_name, text);
    free(text);
  }
  closedir(dir);
  return count;
}

static void judge_text(kg_device *device, const char *name, const char *text) {
  kg_module *m = kgt_parse(text);
  judge(device, name, m);
  kg_module_free(m);
}

START_TEST(kernels) {
  setenv("KGRAD_CACHE", "none", 1);
  kgt_device d = kgt_open("cpu");
  unsigned count = visit_kernels(folders[_i], EACH, judge_text, d.device);
  /* text that a compiler does not take with this machine's instructions runs without them, and much slower */
  uint32_t native = ((kgi_cpu_device *)d.device)->cpu->cc.native;
  kgt_close(&d);
  ck_assert_uint_eq(native, plain_native());
  ck_assert_uint_gt(count, 10);
  ck_assert_msg(!*said, "%s", said);
}
END_TEST

/* ---- other lanes and another compiler than this machine's usual ones ---- */

/* Of the kernels one of three, and its gradient, each time by another compiler or with other lanes: as many take long to compile, and
 * with each operation tests/c/test_ops asks for all of them. Left out are kernels that name subgroups, of which the device tells the
 * size. */
static const struct { const char *name, *cc; uint32_t lanes; } others[] = {
  {"4 lanes", NULL, 4}, {"8 lanes", NULL, 8}, {"clang", "clang", 0}, {"clang, 4 lanes", "clang", 4}, {"clang, 8 lanes", "clang", 8},
};
enum { OTHERS_EACH = 3 * EACH };

static void judge_with_gradient(kg_device *device, const char *name, const char *text) {
  kg_module *m = kgt_parse(text), *adjoint = NULL;
  if (strstr(text, "subgroup") || refusal_of(name)) return kg_module_free(m);
  judge(device, name, m);
  if (kg_grad(m, &(kg_grad_params){0}, NULL, &adjoint) == KG_OK) judge(device, name, adjoint);
  kg_module_free(adjoint);
  kg_module_free(m);
}

START_TEST(other_lanes_and_compilers) {
  if (others[_i].cc && system("clang --version >/dev/null 2>&1") != 0) {
    ck_assert(getenv("PATH") != NULL);
    printf("there is no clang\n");
    return;
  }
  setenv("KGRAD_CACHE", "none", 1);
  if (others[_i].cc) setenv("CC", others[_i].cc, 1);
  kgt_device d = kgt_open("cpu");
  kgi_cpu *cpu = ((kgi_cpu_device *)d.device)->cpu;
  if (others[_i].lanes) cpu->host.lanes = others[_i].lanes;
  for (size_t k = 0; k < KGT_COUNT(folders); k++) visit_kernels(folders[k], OTHERS_EACH, judge_with_gradient, d.device);
  kgt_close(&d);
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

/* A lane with none before it has 0, and one that has only -0 before it -0. */
START_TEST(first_lanes_have_zeros) {
  static const struct { const char *type; bool wide; } types[] = {{"f32", false}, {"f64", true}};
  const char *type = types[_i].type;
  char text[300];
  snprintf(text, sizeof text, "program p { workgroup 4 grid 1\nbuffer x : %s[4] read\nbuffer y : %s[4] read_write\nlet l = local_index\n"
           "if l > 0 { y[l] = subgroup_exclusive_add(x[l]) } }", type, type);
  kgt_device d = kgt_open("cpu");
  kg_module *m = kgt_parse(text);
  float x[4] = {1, -0.0F, -0.0F, 2}, y[4] = {7, 7, 7, 7};
  double a[4] = {1, -0.0, -0.0, 2}, b[4] = {7, 7, 7, 7};
  kgt_run_fine(&d, m, NULL, types[_i].wide ? (void *[]){a, b} : (void *[]){x, y}, NULL);
  for (int k = 0; k < 4; k++) {
    double got = types[_i].wide ? b[k] : (double)y[k];
    ck_assert_msg(got == (k ? 0 : 7) && !signbit(got) == (k < 2), "lane %d has %g", k, got);
  }
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(kernels, folders), KGT_TABLE(other_lanes_and_compilers, others, name), KGT_TIMES(sums_of_nothing, 2),
                            KGT_TIMES(first_lanes_have_zeros, 2)};
  return kgt_run("driver/cpu_kernels", tests, KGT_COUNT(tests));
}
