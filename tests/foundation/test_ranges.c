/* Ranges of integer values, and trips of loops. */
#include "tests/support/kgtest.h"

#include "foundation/analysis/ranges.h"
#include "foundation/base/diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Every row is one `let v`, or one loop `i`, in a program of 64 invocations in each of 10 workgroups, with n = 100, x of 40 elements. */
#define HEAD "program p { workgroup 64 grid 10 param n : u32 param s : i32 param far : i64 buffer x : u32[] read buffer y : u32[] write\n" \
             "buffer z : u64[] write buffer t : f32[n, 3] read\n"

typedef struct row { const char *text; bool known; int64_t lo, hi; uint64_t trips; bool exact; } row;
enum { ANY32 = 0xFFFFFFFF };
static const row values[] = {
  {"let v = n + 1 y[0] = v", true, 101, 101, 0, false},
  {"let v = local_id.x * 2 + 1 y[0] = v", true, 1, 127, 0, false},
  {"let v = global_id.x + n y[0] = v", true, 100, 739, 0, false},
  {"let v = len(x) - workgroup_id.x y[0] = v", true, 31, 40, 0, false},
  {"let v = len(t, 0) + len(t, 1) y[0] = v", true, 103, 103, 0, false},
  {"let v = workgroup_id.x - 1 y[0] = v", true, 0, ANY32, 0, false}, /* may wrap */
  {"let v = x[0] % 8 y[0] = v", true, 0, 7, 0, false},
  {"let v = x[0] & 15 y[0] = v", true, 0, 15, 0, false},
  {"let v = x[0] >> 28 y[0] = v", true, 0, 15, 0, false},
  {"let v = min(x[0], 9) y[0] = v", true, 0, 9, 0, false},
  {"let v = max(min(x[0], 9), 3) y[0] = v", true, 3, 9, 0, false},
  {"let v = u32(1) << (x[0] & 3) y[0] = v", true, 1, 8, 0, false},
  {"let v = select(x[0] == 0, n, 7) y[0] = v", true, 7, 100, 0, false},
  {"let v = n / (local_id.x + 1) y[0] = v", true, 1, 100, 0, false},
  {"let v = s * (i32(local_id.x) - 3) y[0] = u32(v)", true, -300, 15, 0, false}, /* s = -5 */
  {"let v = i64(n) - 200 z[0] = u64(v)", true, -100, -100, 0, false},
  {"let v = u64(n) - 200 z[0] = v", false, 0, 0, 0, false}, /* wraps, and an i64 does not hold it */
  {"let v = far + 1 z[0] = u64(v)", false, 0, 0, 0, false}, /* far is the largest */
  {"let v = u32(f32(n)) y[0] = v", true, 0, ANY32, 0, false},
  {"let v = x[0] y[0] = v", true, 0, ANY32, 0, false},
};
static const row loops[] = {
  {"for i in u32(0) .. n { y[i] = 1 }", true, 0, 99, 100, true},
  {"for i in u32(0) .. n reversed { y[i] = 1 }", true, 0, 99, 100, true},
  {"for i in u32(1) .. n step 7 { y[i] = 1 }", true, 1, 99, 15, true},
  {"for i in local_id.x .. n step 64 { y[i] = 1 }", true, 0, 99, 2, false},
  {"for i in u32(0) .. n { if x[i] == 0 { break } y[i] = 1 }", true, 0, 99, 100, false},
  {"for i in u32(0) .. n { if x[i] == 0 { continue } y[i] = 1 }", true, 0, 99, 100, true},
  {"for i in u32(0) .. n step x[0] { y[i] = 1 }", true, 0, ANY32, UINT64_MAX, false},
  {"for i in u32(0) .. x[0] { y[i] = 1 }", true, 0, ANY32 - INT64_C(1), ANY32, false},
  {"for i in n .. 5 { y[i] = 1 }", true, 0, ANY32, 0, true}, /* none */
  {"for i in u64(0) .. u64(n) - 200 { z[0] = i }", false, 0, 0, UINT64_MAX, false},
  {"for i in far .. far { z[0] = u64(i) }", false, 0, 0, 0, true},
  {"var k = u32(0) while x[k] == 0 limit n * 2 { k += 1 } y[0] = k", false, 0, 0, 200, false},
  {"var k = u32(0) while x[k] == 0 { k += 1 } y[0] = k", false, 0, 0, UINT64_MAX, false},
};

static kg_module *parse(const char *body) {
  char text[600];
  kg_module *m = NULL;
  snprintf(text, sizeof text, HEAD "%s }", body);
  ck_assert_msg(kg_module_parse(NULL, "row.kg", text, strlen(text), NULL, &m) == KG_OK, "%s", body);
  return m;
}

static uint32_t find(const kgi_program *p, const kg_module *m, const char *name) {
  uint32_t found = 0;
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (!strcmp(kgi_string(m, p->inst_name[i]), name) || (name[0] == 'i' && p->inst[i].kind == KGI_while)) found = i;
  return found;
}

static void check(const row *r, const char *name, bool loop) {
  static const uint64_t param[] = {0, 100, (uint32_t)-5, INT64_MAX}, length[] = {0, 40, 40, 40, 300, 1, 1};
  kg_module *m = parse(r->text);
  kgi_arena arena;
  kgi_arena_init(&arena, NULL);
  kgi_known known = {.param = param, .length = length, .workgroup = {64, 1, 1}, .groups = {10, 1, 1}};
  kgi_ranges ranges;
  const kgi_program *p = m->program[1];
  uint32_t i = find(p, m, name);
  ck_assert_msg(i && kgi_ranges_find(&ranges, &arena, p, &known), "%s", r->text);
  kgi_range got = ranges.value[i];
  ck_assert_msg(got.known == r->known, "%s: %sknown", r->text, got.known ? "" : "un");
  if (r->known) ck_assert_msg(got.lo == r->lo && got.hi == r->hi, "%s: %" PRId64 " .. %" PRId64, r->text, got.lo, got.hi);
  if (loop)
    ck_assert_msg(ranges.trips[i].most == r->trips && ranges.trips[i].exact == r->exact, "%s: %" PRIu64 " trips%s", r->text,
                  ranges.trips[i].most, ranges.trips[i].exact ? ", exactly" : "");
  kgi_arena_free(&arena);
  kg_module_free(m);
}

START_TEST(a_value_lies_in_its_range) { check(&values[_i], "v", false); }
END_TEST

START_TEST(a_loop_has_so_many_trips) { check(&loops[_i], "i", true); }
END_TEST

/* Of a program alone, without a run: types, constants and arithmetic. */
START_TEST(nothing_need_be_known) {
  kg_module *m = parse("let v = min(n, 9) + min(len(x), 2) + min(global_id.x, 3) y[0] = v");
  kgi_arena arena;
  kgi_arena_init(&arena, NULL);
  kgi_ranges ranges;
  ck_assert(kgi_ranges_find(&ranges, &arena, m->program[1], &(kgi_known){.param = NULL}));
  kgi_range got = ranges.value[find(m->program[1], m, "v")];
  ck_assert(got.known && got.lo == 0 && got.hi == 14);
  kgi_arena_free(&arena);
  kg_module_free(m);
}
END_TEST

/* Ids in a workgroup do not ask for the grid, and constants are what a host makes of them. */
START_TEST(a_workgroup_may_be_all_that_is_known) {
  kg_module *m = parse("let v = local_id.x + min(workgroup_id.x, 5) + local_index y[0] = v");
  kgi_arena arena;
  kgi_arena_init(&arena, NULL);
  kgi_ranges ranges;
  ck_assert(kgi_ranges_find(&ranges, &arena, m->program[1], &(kgi_known){.workgroup = {64, 1, 1}}));
  kgi_range got = ranges.value[find(m->program[1], m, "v")];
  ck_assert(got.known && got.lo == 0 && got.hi == 63 + 5 + 63);
  kgi_arena_free(&arena);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(a_value_lies_in_its_range, values, text), KGT_TABLE(a_loop_has_so_many_trips, loops, text),
                            KGT(nothing_need_be_known), KGT(a_workgroup_may_be_all_that_is_known)};
  return kgt_run("foundation/ranges", tests, KGT_COUNT(tests));
}
