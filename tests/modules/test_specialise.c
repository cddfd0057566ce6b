/* What is known of a module, folded into it: held against the same module written by hand, with numbers in place of names. */
#include "tests/support/devices.h"

#include "foundation/ir/equal.h"
#include "foundation/ir/validate.h"
#include "modules/modules.h"

#include <string.h>

static kg_module *read(const char *text) {
  kg_module *m = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "k.kg", text, strlen(text), &kgt_sink, &m), KG_OK);
  return m;
}

static bool same(const kg_module *a, const kg_module *b) {
  bool equal = false;
  ck_assert_int_eq(kgi_module_equal(a, b, &equal, NULL), KG_OK);
  return equal;
}

#define LIST(...) ((const char *const[]){__VA_ARGS__}), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)
#define NONE NULL, 0

/* ---- what becomes of it ---- */

typedef struct becomes { const char *name, *text; kg_facts facts; const char *expected; } becomes;

#define ROW(head, n, rest) \
  "program p { " head "workgroup 8 grid invocations " n " buffer x : f32[" n " + 1] read buffer y : f32[" n " * 2] write " rest "}"
#define SHARED(t, head) \
  "program p { " head "workgroup " t " grid 2 buffer y : f32[2 * " t "] write shared s : f32[" t "]\n" \
  "s[local_id.x] = 1.0 barrier y[global_id.x] = s[local_id.x ^ 1] }"

static const becomes rows[] = {
  {"a param is a number in lengths, grids, guards and loops",
   ROW("param n : u32 ", "n", "if global_id.x < n { var s = 0.0 for k in 0 .. n { s = s + x[k] } y[global_id.x] = s }"),
   {LIST("n=12"), NONE, NONE},
   ROW("", "12", "if global_id.x < 12 { var s = 0.0 for k in u32(0) .. 12 { s = s + x[k] } y[global_id.x] = s }")},
  {"others keep their places",
   ROW("param a : f32 param n : u32 param b : f32 ", "n", "if global_id.x < n { y[global_id.x] = a * x[global_id.x] + b }"),
   {LIST("n=12", "a=-2.5"), NONE, NONE},
   ROW("param b : f32 ", "12", "if global_id.x < 12 { y[global_id.x] = -2.5 * x[global_id.x] + b }")},
  {"a constant is a number in sizes", SHARED("T", "const T = 64 "), {NONE, LIST("T=16"), NONE}, SHARED("16", "")},
  {"a limit of a loop", "program p { workgroup 1 grid 1 param n : u32 buffer y : u32 read_write while y < 5 limit n * 2 { y = y + 1 } }",
   {LIST("n=0x8"), NONE, NONE}, "program p { workgroup 1 grid 1 buffer y : u32 read_write while y < 5 limit 16 { y = y + 1 } }"},
  {"what is assumed is asserted in front",
   "program p { workgroup 1 grid 1 param n : u32 param m : i32 buffer y : u32 write y = n + u32(m) }",
   {NONE, NONE, LIST("n % 4 == 0", "m > 0 && m < 9")},
   "program p { workgroup 1 grid 1 param n : u32 param m : i32 buffer y : u32 write\n"
   "assert n % 4 == 0 \"it was assumed that n % 4 == 0\"\n"
   "assert m > 0 && m < 9 \"it was assumed that m > 0 && m < 9\"\ny = n + u32(m) }"},
  {"what is known to be true is not asserted", "program p { workgroup 1 grid 1 param n : u32 buffer y : u32 write y = n }",
   {LIST("n=8"), NONE, LIST("n % 4 == 0")}, "program p { workgroup 1 grid 1 buffer y : u32 write y = 8 }"},
  {"a range that names a param",
   "program p { workgroup 1 grid 1 param n : u32 param k : u32 in 0 .. n buffer i : u32[n] read in 0 .. n buffer y : u32 write y = k + i[0] }",
   {LIST("n=4"), NONE, NONE},
   "program p { workgroup 1 grid 1 param k : u32 in 0 .. 4 buffer i : u32[4] read in 0 .. 4 buffer y : u32 write y = k + i[0] }"},
  {"programs know what all their runs pass",
   "module m { param n : u32 param t : u32 buffer a : u32[n] read_write\n"
   "program f { workgroup 1 param n : u32 param k : u32 buffer a : u32[] read_write if k < n { a[k] = n + k } }\n"
   "run f(k = n - 1) grid n repeat r in 0 .. n { run f(k = r, a = a[r .. n]) grid t } }",
   {LIST("n=4"), NONE, NONE},
   "module m { param t : u32 buffer a : u32[4] read_write\n"
   "program f { workgroup 1 param k : u32 buffer a : u32[] read_write if k < 4 { a[k] = 4 + k } }\n"
   "run f(k = 3) grid 4 repeat r in 0 .. 4 { run f(k = r, a = a[r .. 4]) grid t } }"},
  {"what lies in its range is known, and what does not is left to the run that is refused",
   "module m { param n : u32 buffer a : u32[n] read_write\n"
   "program f { workgroup 1 param n : u32 in 1 .. 5 param k : u32 in 0 .. 2 buffer a : u32[] read_write if k < n { a[k] = n + k } }\n"
   "run f(k = n) grid 1 }",
   {LIST("n=4"), NONE, NONE},
   "module m { buffer a : u32[4] read_write\n"
   "program f { workgroup 1 param k : u32 in 0 .. 2 buffer a : u32[] read_write if k < 4 { a[k] = 4 + k } }\n"
   "run f(k = 4) grid 1 }"},
};

START_TEST(becomes_what_is_written_by_hand) {
  const becomes *t = &rows[_i];
  kg_module *m = read(t->text), *unchanged = read(t->text), *expected = read(t->expected), *out = NULL;
  ck_assert_int_eq(kg_module_specialise(NULL, m, &t->facts, &kgt_sink, &out), KG_OK);
  ck_assert_int_eq(kgi_validate(out, NULL), KG_OK);
  char *got = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, out, NULL, &got, &size), KG_OK);
  ck_assert_msg(same(out, expected), "%s", got);
  ck_assert(same(m, unchanged));
  kg_bytes_free(NULL, got, size + 1);
  kg_module_free(m), kg_module_free(unchanged), kg_module_free(expected), kg_module_free(out);
}
END_TEST

START_TEST(nothing_known_is_a_copy) {
  kg_module *m = read(rows[0].text), *out = NULL;
  ck_assert_int_eq(kg_module_specialise(NULL, m, NULL, NULL, &out), KG_OK);
  ck_assert(same(m, out));
  kg_module_free(m), kg_module_free(out);
}
END_TEST

/* ---- what is refused ---- */

typedef struct refused { const char *name; kg_facts facts; const char *id; } refused;
static const char plain[] = "program p { const T = 4 workgroup T grid 1 param n : u32 in 1 .. 100 param k : i32 in 0 .. n\n"
                            "buffer y : u32[n] write y[0] = u32(k) }";
static const refused refusals[] = {
  {"a name alone", {LIST("n"), NONE, NONE}, "fixed-form"},      {"a value alone", {LIST("=3"), NONE, NONE}, "fixed-form"},
  {"nobody's name", {LIST("m=3"), NONE, NONE}, "fixed-unknown"}, {"a constant's name", {LIST("T=3"), NONE, NONE}, "fixed-unknown"},
  {"a param's name", {NONE, LIST("n=3"), NONE}, "fixed-unknown"}, {"two values", {LIST("n=3", "n=3"), NONE, NONE}, "fixed-twice"},
  {"a value below the type", {LIST("n=-1"), NONE, NONE}, "fixed-value"},
  {"a value above the type", {LIST("n=4294967296"), NONE, NONE}, "fixed-value"},
  {"a float", {LIST("n=3.0"), NONE, NONE}, "fixed-value"},       {"no number", {LIST("n=3 4"), NONE, NONE}, "fixed-value"},
  {"another param", {LIST("n=k"), NONE, NONE}, "fixed-value"},   {"behind the range", {LIST("n=100"), NONE, NONE}, "param-range"},
  {"an open range", {LIST("k=3"), NONE, NONE}, "fixed-range"},   {"outside of a range that is known", {LIST("k=3", "n=3"), NONE, NONE}, "param-range"},
  {"no workgroup is left", {NONE, LIST("T=0"), NONE}, "too-small"},
  {"no condition", {NONE, NONE, LIST("n + 1")}, "assumed-form"}, {"half a condition", {NONE, NONE, LIST("n <")}, "assumed-form"},
  {"a condition of a buffer", {NONE, NONE, LIST("y < 3")}, "assumed-form"},
  {"types that differ", {NONE, NONE, LIST("n < k")}, "assumed-form"},
  {"what is false", {LIST("n=3"), NONE, LIST("n % 2 == 0")}, "assumed-false"},
  {"what is false of constants", {NONE, LIST("T=8"), LIST("T < 8")}, "assumed-false"},
};

START_TEST(does_not_fit) {
  const refused *t = &refusals[_i];
  kg_module *m = read(plain), *out = NULL;
  kgt_last = (kgt_heard){0};
  ck_assert_int_eq(kg_module_specialise(NULL, m, &t->facts, &kgt_sink, &out), KG_INVALID);
  ck_assert_ptr_null(out);
  ck_assert_msg(!strcmp(kgt_last.id, t->id), "%s: %s", kgt_last.id, kgt_last.message);
  kg_module_free(m);
}
END_TEST

static kg_status attempt(const kg_allocator *alloc, void *user) {
  const kg_facts facts = {LIST("n=12"), NONE, LIST("n > 3")};
  kg_module *out = NULL;
  kg_status status = kg_module_specialise(alloc, user, &facts, NULL, &out);
  kg_module_free(out);
  return status;
}

START_TEST(shortage_of_memory_is_told) {
  kg_module *m = read(rows[0].text);
  ck_assert_uint_gt(kgt_fail_each_allocation(attempt, m), 3);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(becomes_what_is_written_by_hand, rows, name), KGT(nothing_known_is_a_copy),
                            KGT_TABLE(does_not_fit, refusals, name), KGT(shortage_of_memory_is_told)};
  return kgt_run("modules/specialise", tests, KGT_COUNT(tests));
}
