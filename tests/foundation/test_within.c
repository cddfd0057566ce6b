/* Accesses in bounds, where the run is known. Each kernel stores once, and a twin of it asserts first that the element is there: where that
 * is claimed of the kernel, its twin runs through on the reference. */
#include "foundation/analysis/within.h"
#include "foundation/base/random.h"
#include "foundation/host/layout.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <stdio.h>
#include <string.h>

enum { CELLS = 512, RANDOM = 40, SIZES = 12 };

typedef struct size { uint32_t n, m, z, y; int32_t k; } size;
typedef struct row { const char *name, *body, *index; size s; bool within; } row;

#define I "let i = global_id.x "

/* The grid has n invocations, in workgroups of 4: up to 3 more. */
static const row rows[] = {
  {"an element an invocation", "", "global_id.x", {8, 0, 0, 8, 0}, true},
  {"one too few", "", "global_id.x", {8, 0, 0, 7, 0}, false},
  {"the grid is rounded up", "", "global_id.x", {7, 0, 0, 7, 0}, false},
  {"behind a guard", I "if i < n { ", "i", {7, 0, 0, 7, 0}, true},
  {"behind a guard that is too wide", I "if i <= n { ", "i", {7, 0, 0, 7, 0}, false},
  {"... but no wider than the buffer", I "if i <= n { ", "i", {6, 0, 0, 7, 0}, true},
  {"turned about", I "if n > i { ", "i", {7, 0, 0, 7, 0}, true},
  {"denied", I "if !(i >= n) { ", "i", {7, 0, 0, 7, 0}, true},
  {"of two", I "if i < n && i < m { ", "i", {20, 7, 0, 7, 0}, true},
  {"of either", I "if i < n || i < m { ", "i", {20, 7, 0, 7, 0}, false},
  {"neither", I "if !(i >= n || i >= m) { ", "i", {20, 7, 0, 7, 0}, true},
  {"the others", I "if i < n { } else { ", "i", {7, 0, 0, 7, 0}, false},
  {"the others, which are few", I "if i >= n { } else { ", "i", {7, 0, 0, 7, 0}, true},
  {"some leave", I "if i >= n { return } if true { ", "i", {7, 0, 0, 7, 0}, true},
  {"the others leave", I "if i < n { return } if true { ", "i", {7, 0, 0, 7, 0}, false},
  {"equal to something", I "if i == m { ", "i", {64, 6, 0, 7, 0}, true},
  {"equal to something that is not there", I "if i == m { ", "i", {64, 7, 0, 7, 0}, false},
  {"where others are not equal", I "if i != m { return } if true { ", "i", {64, 6, 0, 7, 0}, true},
  {"below what is below", I "if i < m && m < n { ", "i", {7, 7, 0, 7, 0}, true},
  {"rows", I "if i < n { for j in 0 .. m { ", "i * m + j", {5, 3, 0, 15, 0}, true},
  {"rows that are too long", I "if i < n { for j in 0 .. m { ", "i * m + j", {5, 3, 0, 14, 0}, false},
  {"a triangle", I "if i < n { for j in 0 .. i { ", "j", {6, 0, 0, 5, 0}, true},
  {"a triangle with its edge", I "if i < n { for j in 0 .. i + 1 { ", "j", {6, 0, 0, 5, 0}, false},
  {"a loop in strides", I "for j in i .. n step 16 { ", "j", {30, 0, 0, 30, 0}, true},
  {"the next one", I "let q = i + 1 if q < n { ", "q", {7, 0, 0, 7, 0}, true},
  {"the one before", I "if i > 0 && i < n { ", "i - 1", {7, 0, 0, 7, 0}, false},
  {"pairs", I "if i < n { ", "2 * i + 1", {7, 0, 0, 14, 0}, true},
  {"half", I "if i < n { ", "i / 2", {7, 0, 0, 4, 0}, true},
  {"half by a shift", I "if i < n { ", "i >> 1", {7, 0, 0, 4, 0}, true},
  {"by a shift past the width, which is one within it", I "if i < n { ", "i >> m", {7, 33, 0, 1, 0}, false},
  {"remainder", I "if m > 0 { ", "i % 4", {30, 1, 0, 4, 0}, true},
  {"remainder of a param", I, "i % m", {30, 4, 0, 4, 0}, true},
  {"remainder of 0", I, "i % m", {30, 0, 0, 4, 0}, false},
  {"masked", I, "i & 3", {30, 0, 0, 4, 0}, true},
  {"the smaller", I, "min(i, m)", {30, 3, 0, 4, 0}, true},
  {"the greater", I "if i < n { ", "max(i, m)", {4, 3, 0, 4, 0}, true},
  {"one of two", I "if i < n { ", "select(i > m, i, m)", {4, 3, 0, 4, 0}, true},
  {"a product that wraps", I "if i < n { ", "i * 0x40000000", {7, 0, 0, 64, 0}, false},
  {"a sum that wraps", I "if i < n { ", "i + 0xFFFFFFFF", {7, 0, 0, 7, 0}, false},
  {"signed", "let i = i32(global_id.x) if i < k { ", "i", {8, 0, 0, 7, 7}, true},
  {"signed, by what may be below 0", "let i = i32(global_id.x) - k if i < 7 { ", "i", {8, 0, 0, 7, 7}, false},
  {"signed, and not below 0", "let i = i32(global_id.x) - k if i >= 0 && i < 7 { ", "i", {8, 0, 0, 7, 7}, false},
  {"the length itself", I "if i < len(y) { ", "i", {30, 0, 0, 4, 0}, true},
  {"another's length", I "if i < len(z) { ", "i", {30, 0, 4, 4, 0}, true},
  {"another's length, which is more", I "if i < len(z) { ", "i", {30, 0, 5, 4, 0}, false},
  {"what memory holds", "let i = z[0] ", "i", {8, 0, 4, 4, 0}, false},
  {"what memory holds, behind a guard", "let i = z[0] if i < m { ", "i", {8, 4, 4, 4, 0}, true},
  {"what a loop counts", "var i = u32(0) while i < n { ", "i", {4, 0, 0, 4, 0}, false},
};

/* The body may leave braces open. */
static const char *kernel(const char *body, const char *index, bool asserts) {
  static char text[8192];
  char braces[64] = "";
  int open = 0;
  for (const char *c = body; *c; c++) open += *c == '{' ? 1 : *c == '}' ? -1 : 0;
  while (open-- > 0) strcat(braces, " }");
  bool counts = strstr(body, "while");
  snprintf(text, sizeof text,
           "program p { param n : u32 param m : u32 param k : i32 buffer z : u32[] read buffer y : u32[] write "
           "workgroup 4 grid invocations n %s let place = %s %s y[place] = 1 %s%s }",
           body, index, asserts ? "assert place >= 0 && u32(place) < len(y) \"out\" " : "", counts ? "i = i + 1" : "", braces);
  return text;
}

static kg_module *parsed(const char *source) {
  kg_module *m = NULL;
  ck_assert_msg(kg_module_parse(NULL, "t", source, strlen(source), NULL, &m) == KG_OK, "does not parse: %s", source);
  return m;
}

static kg_status claim(void *user, const kgi_run *run) {
  const kgi_program *p = run->program;
  bool within[4096];
  kgi_arena scratch;
  kgi_known known = {.param = run->param, .length = run->length};
  memcpy(known.workgroup, run->workgroup, sizeof known.workgroup);
  memcpy(known.groups, run->groups, sizeof known.groups);
  ck_assert_uint_le(p->inst_count, KGT_COUNT(within));
  memset(within, true, sizeof within);
  kgi_arena_init(&scratch, NULL);
  ck_assert(kgi_within_find(&scratch, p, &known, within));
  kgi_arena_free(&scratch);
  for (uint32_t i = 1; i < p->inst_count; i++) {
    const kgi_inst *x = &p->inst[i];
    if (x->kind == KGI_store && x->block && p->scope.object[x->arg[0]].space == KGI_BUFFER) *(bool *)user = within[i];
  }
  return KG_OK;
}

static bool claimed(const char *source, const size *s) {
  uint64_t param[] = {s->n, s->m, (uint32_t)s->k}, length[] = {s->z, s->y};
  kg_module *m = parsed(source);
  kgi_arena arena;
  kgi_layout layout;
  bool is = false;
  kgi_arena_init(&arena, NULL);
  ck_assert_int_eq(kgi_layout_init(&layout, m, param, length, &arena, NULL), KG_OK);
  ck_assert_int_eq(kgi_layout_each(&layout, claim, &is), KG_OK);
  kgi_arena_free(&arena);
  kg_module_free(m);
  return is;
}

/* Whether its twin runs through, whatever z holds. */
static bool holds(const char *source, const size *s) {
  static uint32_t y[CELLS], z[CELLS];
  static const uint32_t held[] = {0, 3, 0xFFFFFFFF};
  uint64_t param[] = {s->n, s->m, (uint32_t)s->k}, length[] = {s->z, s->y};
  kg_module *m = parsed(source);
  kg_status status = KG_OK;
  for (unsigned k = 0; k < KGT_COUNT(held) && status == KG_OK; k++) {
    for (unsigned i = 0; i < CELLS; i++) z[i] = held[k];
    const kg_reference_params params = {.module = m, .buffers = (void *[]){z, y}, .lengths = length, .param_bits = param};
    status = kg_reference_run(&params, NULL);
  }
  ck_assert(status == KG_OK || status == KG_FAILED);
  kg_module_free(m);
  return status == KG_OK;
}

START_TEST(rows_hold) {
  const row *r = &rows[_i];
  bool within = claimed(kernel(r->body, r->index, false), &r->s);
  ck_assert_msg(within == r->within, "%s: %s", r->name, within ? "claimed" : "not claimed");
  bool held = holds(kernel(r->body, r->index, true), &r->s);
  ck_assert_msg(!within || held, "%s: claimed, and not so", r->name);
} END_TEST

/* ---- random kernels ---- */

static uint64_t state;
static uint32_t any(uint32_t below) { return kgi_random_below(&state, below); }

typedef struct text { char at[2048]; } text;

static text value(unsigned depth, bool is_signed) {
  static const char *const leaves[] = {"i", "n", "m", "len(y)", "z[0]", "3", "1", "0", "j", "local_id.x", "workgroup_id.x", "7"};
  static const struct { const char *before, *between; } forms[] = {
    {"(", " + "}, {"(", " - "}, {"(", " * "}, {"(", " / "}, {"(", " % "}, {"min(", ", "}, {"max(", ", "}, {"(", " & "}, {"(", " >> "},
    {"(", " << "}, {"select(i < n, ", ", "}, {"(", " + "}, {"(", " * "}};
  text t;
  if (!depth || !any(4)) {
    const char *leaf = leaves[any(KGT_COUNT(leaves))];
    return snprintf(t.at, sizeof t.at, is_signed ? any(4) ? "i32(%s)" : "k" : "%s", leaf), t;
  }
  if (!any(8)) {
    text other = value(depth - 1, !is_signed);
    return snprintf(t.at, sizeof t.at, is_signed ? "i32(%.1000s)" : "u32(%.1000s)", other.at), t;
  }
  text a = value(depth - 1, is_signed), b = value(depth - 1, is_signed);
  unsigned form = any(KGT_COUNT(forms));
  snprintf(t.at, sizeof t.at, "%s%.900s%s%.900s)", forms[form].before, a.at, forms[form].between, b.at);
  return t;
}

static text condition(const char *of, bool is_signed, unsigned depth) {
  static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
  text t;
  if (depth && !any(3)) {
    text a = condition(of, is_signed, depth - 1), b = condition(of, is_signed, depth - 1);
    snprintf(t.at, sizeof t.at, any(3) ? "(%.900s && %.900s)" : "!(%.900s || %.900s)", a.at, b.at);
    return t;
  }
  text bound = value(any(2), is_signed);
  snprintf(t.at, sizeof t.at, "%s %s %s(%.1000s)", of, compare[any(any(2) ? 2 : 6)], is_signed ? "i32" : "u32", bound.at);
  return t;
}

/* An index under a loop, and under conditions of its own: those mostly say where it ends. */
static void random_holds(unsigned *claims) {
  bool is_signed = !any(3);
  text at = value(1 + any(3), is_signed), bound = value(any(2), false);
  text first = condition("at", is_signed, 1), second = condition("i", false, 1);
  char body[7000], source[8192];
  const char *type = is_signed ? "i32" : "u32";
  const char *leaves = any(3) || is_signed ? "" : "if at >= len(y) { continue } ", *more = any(2) ? "q" : "0";
  snprintf(body, sizeof body,
           I "for j in 0 .. u32(3) { for q in 0 .. min(u32(%.1000s), 9) { let at = %s(%.1000s) + %s(%s) if %.1400s { if %.1400s { %s", bound.at,
           type, at.at, type, more, second.at, first.at, leaves);
  strcpy(source, kernel(body, "at", false));
  for (unsigned k = 0; k < SIZES; k++) {
    size s = {any(20), any(8), 1 + any(8), any(3) ? any(24) : any(200), (int32_t)any(12) - 3};
    if (!claimed(source, &s)) continue;
    ++*claims;
    ck_assert_msg(holds(kernel(body, "at", true), &s), "n = %u, m = %u, k = %d, len(z) = %u, len(y) = %u: %s", s.n,
                  s.m, s.k, s.z, s.y, source);
  }
}

START_TEST(random_kernels_hold) {
  unsigned claims = 0;
  state = ((uint64_t)_i << 32) + 37;
  for (unsigned k = 0; k < RANDOM; k++) random_holds(&claims);
  ck_assert_uint_gt(claims, 0);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(rows_hold, rows, name), KGT_TIMES(random_kernels_hold, 8)};
  return kgt_run("foundation/within", tests, KGT_COUNT(tests));
}
