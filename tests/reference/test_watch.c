/* Planted mistakes, each found with both its places, and clean programs in which nothing is found. */
#include "tests/reference/reference_case.h"

#include <dirent.h>
#include <stdlib.h>

enum { ALL = KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES };

typedef struct mistake { const char *body, *id, *message; } mistake;

/* In a program of two workgroups of 8, with x : f32[16] read_write, n : u32[4] read_write and s : f32[8] shared. */
static const mistake mistakes[] = {
  {"s[l] = 1.0\nx[i] = s[7 - l]", "data-race", "3:8 s[7] is read here by invocation 0, and written by invocation 7 at 2:1"},
  {"s[0] = f32(l)", "data-race", "2:1 s[0] is written here by invocation 1, and written by invocation 0 at 2:1"},
  {"s[l] = 0.0 barrier let t = s[l ^ 1]\ns[l] = t", "data-race",
   "3:1 s[0] is written here by invocation 0, and read by invocation 1 at 2:28"},
  {"x[l] = 1.0", "data-race", "2:1 x[0] is written here by workgroup 1, and written by workgroup 0 at 2:1"},
  {"let t = x[(i + 8) % 16]\nx[i] = t", "data-race", "2:9 x[0] is read here by workgroup 1, and written by workgroup 0 at 3:1"},
  {"n[l % 4] += 1", "data-race", "2:1 n[0] is written here by invocation 0, and read by invocation 4 at 2:1"},
  {"atomic_add(n[0], 1)\nx[i] = f32(n[0])", "data-race",
   "3:12 n[0] is read here by invocation 0, and changed atomically by invocation 7 at 2:1"},
  {"if l == 0 { n[0] = 1 }\nif l == 1 { x[i] = f32(atomic_load(n[0])) }", "data-race",
   "3:24 n[0] is read atomically here by invocation 1, and written by invocation 0 at 2:13"},
  {"for k in 0 .. 2 { s[l] = 1.0 barrier x[i] = s[(l + 1) % 8]\n}", "data-race",
   "2:19 s[0] is written here by invocation 0, and read by invocation 7 at 2:45"},
  {"var t : f32\nx[i] = t", "uninitialised-read", "3:8 t is read here by invocation 0 of workgroup 0, and was not written"},
  {"var t : f32[3] t[l % 2] = 1.0\nx[i] = t[1]", "uninitialised-read", "3:8 t[1] is read here by invocation 0 of workgroup 0"},
  {"for k in 0 .. 2 { var t : f32 if k == 0 { t = 1.0 }\nx[i] = t }", "uninitialised-read", "3:8 t is read"},
  {"if l > 0 { s[l] = 1.0 } barrier\nx[i] = s[l]", "uninitialised-read", "3:8 s[0] is read here by invocation 0 of workgroup 0"},
  {"atomic_add(s[1], 1.0)", "uninitialised-read", "2:1 s[1] is read here by invocation 0 of workgroup 0"},
};

static kg_status watched(kgt_case *c, const char *body, uint32_t checks) {
  static float x[16];
  static uint32_t n[4];
  char text[600];
  kgt_case_init(c);
  memset(x, 0, sizeof x), memset(n, 0, sizeof n);
  c->buffers[0] = x, c->buffers[1] = n;
  c->params.checks = checks;
  snprintf(text, sizeof text,
           "program p { workgroup 8 grid 2 buffer x : f32[16] read_write buffer n : u32[4] read_write shared s : f32[8] "
           "let l = local_id.x let i = global_id.x\n%s }", body);
  return kgt_case_run(c, text);
}

START_TEST(mistakes_are_found) {
  kgt_case c;
  const mistake *row = &mistakes[_i];
  ck_assert_int_eq(watched(&c, row->body, ALL), KG_FAILED);
  ck_assert_msg(!strcmp(c.diag, row->id), "%s: %s %s", row->body, c.diag, c.message);
  ck_assert_msg(!strncmp(c.message, row->message, strlen(row->message)), "got      %s\nexpected %s", c.message, row->message);
  ck_assert_uint_gt(c.report.races + c.report.uninitialised, 0);
  ck_assert_int_eq(watched(&c, row->body, 0), KG_OK); /* unasked, it runs as it did */
}
END_TEST

/* Accesses out of bounds: a warning each, with where the first went, how long the object is, and how many there were. Of them:
 * the index, the length, and the loads and stores of the report. */
static const struct outside { const char *body, *message; int64_t index; uint64_t length, loads, stores; } outsides[] = {
  {"x[i + 4] = 1.0", "2:1 x[16] is written here by invocation 4 of workgroup 1, and x has 16 elements; 4 such accesses in all", 16,
   16, 0, 4},
  {"x[i] = f32(n[i32(l) - 2])", "2:12 n[-2] is read here by invocation 0 of workgroup 0, and n has 4 elements; 8 such accesses in all",
   -2, 4, 8, 0},
  {"for k in 0 .. 3 { if l == 5 { atomic_add(s[l + u32(k) * 2], 1.0) } }",
   "2:31 s[9] is changed atomically here by invocation 5 of workgroup 0, and s has 8 elements; 2 such accesses in all", 9, 8, 0, 2},
  {"var t : f32[2]\nlet j = u64(l) - 1 if l == 0 { t[j] = 1.0 }",
   "3:32 t[-1] is written here by invocation 0 of workgroup 0, and t has 2 elements; 2 such accesses in all", -1, 2, 0, 2},
};

START_TEST(accesses_out_of_bounds_are_told) {
  const struct outside *row = &outsides[_i];
  kgt_case c;
  for (uint32_t checks = 0; checks <= KG_CHECK_BOUNDS; checks += KG_CHECK_BOUNDS) {
    ck_assert_int_eq(watched(&c, row->body, checks), KG_OK);
    ck_assert_str_eq(c.diag, checks ? "out-of-bounds" : "");
    if (checks) ck_assert_str_eq(c.message, row->message);
    ck_assert_int_eq(c.report.out_of_bounds_index, row->index);
    ck_assert_uint_eq(c.report.out_of_bounds_length, row->length);
    ck_assert_uint_eq(c.report.out_of_bounds_loads, row->loads);
    ck_assert_uint_eq(c.report.out_of_bounds_stores, row->stores);
  }
}
END_TEST

static const char *const clean[] = {
  "s[l] = 1.0 barrier x[i] = s[7 - l]",
  ("s[l] = f32(i) barrier for k in 0 .. 3 { let h = u32(4) >> u32(k) if l < h { s[l] += s[l + h] } barrier }\n"
   "if l == 0 { x[i] = s[0] }"),
  "for k in 0 .. 3 { s[l] = 1.0 barrier x[i] = s[(l + 1) % 8] barrier }",
  "atomic_add(n[0], 1) atomic_max(n[0], l) let t = atomic_load(n[0]) x[i] = f32(t)",
  "x[i] += 1.0 x[i] *= 2.0",
  "x[i] = f32(n[0] + n[1])",
  "var t : f32[4] for k in 0 .. 4 { t[k] = 0.0 } t[l % 4] += 1.0 x[i] = t[0]",
  "if l == 0 { atomic_store(s[0], 0.0) } barrier atomic_add(s[0], 1.0) barrier x[i] = s[0]",
};

START_TEST(nothing_is_invented) {
  kgt_case c;
  kg_status status = watched(&c, clean[_i], ALL);
  ck_assert_msg(status == KG_OK && !c.diag[0], "%s: %s", clean[_i], c.message);
}
END_TEST

/* Runs are ordered, so what one writes the next may read; a temp that none wrote may not be read. */
START_TEST(across_runs) {
  float y[4];
  kgt_case c;
  const char *form = "module m { buffer y : f32[4] write buffer t : f32[4] temp\n"
                     "program fill { workgroup 2 buffer t : f32[4] write t[global_id.x] = 1.0 }\n"
                     "program use { workgroup 2 buffer t : f32[4] read buffer y : f32[4] write\n"
                     "y[global_id.x] = t[3 - global_id.x] }\n"
                     "run fill(t = t) grid %d run use(t = t, y = y) grid 2 }";
  for (int whole = 0; whole < 2; whole++) {
    char text[600];
    kgt_case_init(&c);
    c.buffers[0] = y;
    c.params.checks = ALL;
    snprintf(text, sizeof text, form, 1 + whole);
    ck_assert_int_eq(kgt_case_run(&c, text), whole ? KG_OK : KG_FAILED);
    ck_assert_str_eq(c.diag, whole ? "" : "uninitialised-read");
    ck_assert_uint_eq(c.report.uninitialised, whole ? 0 : 2);
  }
}
END_TEST

START_TEST(ranges) {
  int8_t k[4] = {-3, 4, 0, 4};
  float x[2] = {0.5f, 1.0f};
  kgt_case c;
  const char *text = "program p { workgroup 2 grid 1 param hi : u32 buffer k : i8[4] read in -3 .. hi\n"
                     "buffer x : f32[2] read in 0.5 .. 1.5 buffer y : f32[2] write\n"
                     "y[local_id.x] = x[local_id.x] + f32(k[local_id.x]) }";
  for (uint64_t hi = 4; hi < 6; hi++) {
    kgt_case_init(&c);
    c.buffers[0] = k, c.buffers[1] = x;
    c.params.param_bits = &hi;
    c.params.checks = KG_CHECK_RANGES;
    ck_assert_int_eq(kgt_case_run(&c, text), hi == 5 ? KG_OK : KG_FAILED);
    ck_assert_str_eq(c.diag, hi == 5 ? "" : "out-of-range");
    ck_assert_uint_eq(c.report.out_of_range, hi == 5 ? 0 : 2);
  }
}
END_TEST

/* One line for one mistake, however many invocations make it. */
static void tally(void *user, const kg_diag *diag) { (void)diag, ++*(unsigned *)user; }

START_TEST(reports_are_few) {
  unsigned lines = 0;
  kg_sink sink = {tally, &lines};
  kg_module *m = NULL;
  kg_reference_report report;
  char text[4000] = "program p { workgroup 64 grid 4 buffer x : f32[64] write shared s : f32[64] ";
  for (int i = 0; i < 40; i++) strcat(text, "s[0] = 1.0 ");
  strcat(text, "x[local_id.x] = s[0] }");
  ck_assert_int_eq(kg_module_parse(NULL, "few", text, strlen(text), &sink, &m), KG_OK);
  ck_assert_int_eq(kg_reference_run(&(kg_reference_params){.module = m, .sink = &sink, .checks = ALL}, &report), KG_FAILED);
  ck_assert_uint_eq(lines, 16);
  ck_assert_uint_gt(report.races, 1000);
  kg_module_free(m);
}
END_TEST

static void show(void *user, const kg_diag *diag) { fprintf(stderr, "%s:%u: %s\n", (char *)user, diag->line, diag->message); }

static void check_clean(const kg_module *m, const char *name) {
  kg_sink sink = {show, (void *)(uintptr_t)name};
  kg_reference_report report;
  kg_status status = kg_reference_run(&(kg_reference_params){.module = m, .sink = &sink, .checks = ALL}, &report);
  ck_assert_msg(status == KG_OK, "%s: status %d, %llu races, %llu uninitialised reads", name, (int)status,
                (unsigned long long)report.races, (unsigned long long)report.uninitialised);
}

START_TEST(examples_and_their_adjoints_are_clean) {
  const char *root = getenv("abs_srcdir");
  char folder[2048], path[4096];
  snprintf(folder, sizeof folder, "%s/examples", root ? root : ".");
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  unsigned seen = 0;
  for (struct dirent *e; (e = readdir(dir));) {
    size_t size, length = strlen(e->d_name);
    if (length < 3 || strcmp(e->d_name + length - 3, ".kg") != 0) continue;
    snprintf(path, sizeof path, "examples/%s", e->d_name);
    char *text = kgt_read_source(path, &size);
    kg_module *m = NULL, *adjoint = NULL;
    kg_grad_params grad = {0};
    kg_sink sink = {show, path};
    ck_assert_int_eq(kg_module_parse(NULL, path, text, size, &sink, &m), KG_OK);
    check_clean(m, path);
    if (kg_grad(m, &grad, NULL, &adjoint) == KG_OK) strcat(path, " (adjoint)"), check_clean(adjoint, path), seen++;
    kg_module_free(adjoint);
    kg_module_free(m);
    free(text);
  }
  closedir(dir);
  ck_assert_uint_ge(seen, 5);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TABLE(accesses_out_of_bounds_are_told, outsides, body),
    KGT_TABLE(mistakes_are_found, mistakes, body), KGT_TEXTS(nothing_is_invented, clean), KGT(across_runs),
    KGT(ranges), KGT(reports_are_few), KGT(examples_and_their_adjoints_are_clean),
  };
  return kgt_run("reference/watch", tests, KGT_COUNT(tests));
}
