/* Loops that go behind an earlier one, and loops that must not: how many are left, and the same bits from the reference before and after.
 * Random kernels leave the same bits, too. */
#include "foundation/base/random.h"
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"
#include "foundation/ir/validate.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH = 64 };

#define FIRST "var s = 0.0 for j in 0 .. n { s += x[j] } "
#define TREE "part[l] = s barrier if l == 0 { part[0] = part[0] + part[1] } barrier let t = part[0] "
#define SECOND "var g = 0.0 for j in 0 .. n { g += x[j] * x[j] } "
#define END "y[i] = t y[i + 8] = g "

typedef struct row { const char *name, *body; unsigned before, after; } row;
static const row rows[] = {
  {"past a tree", FIRST TREE SECOND END, 2, 1},
  {"past two, the last of which takes both", FIRST TREE "var h = 0.0 for j in 0 .. n { h = h * 0.5 + x[j] } barrier " SECOND "y[i + 16] = h " END, 3, 1},
  {"with a first value that is there", "let b = x[m] " FIRST TREE "var g = b for j in 0 .. n { g += x[j] } " END, 2, 1},
  {"with one that is not", FIRST TREE "var g = t for j in 0 .. n { g += x[j] } " END, 2, 2},
  {"with a factor that is not there", FIRST TREE "var g = 0.0 for j in 0 .. n { g += x[j] * t } " END, 2, 2},
  {"with a factor that is", "let b = x[m] * 3.0 " FIRST TREE "var g = 0.0 for j in 0 .. n { g += x[j] * b } " END, 2, 1},
  {"what it loads is another's", FIRST TREE "var g = 0.0 for j in 0 .. n { g += v[j] } " END, 2, 2},
  {"what it loads is stored to", "var s = 0.0 for j in 0 .. n { s += y[j + 24] } " TREE "var g = 0.0 for j in 0 .. n { g += y[j + 24] } " END, 2, 2},
  {"it loads shared memory", FIRST TREE "var g = 0.0 for j in 0 .. n { g += x[j] * part[1] } " END, 2, 2},
  {"it stores to a buffer", FIRST TREE "for j in 0 .. n { z[j * 2 + l] = x[j] } var g = 1.0 " END, 2, 2},
  {"its var is looked at between", "var g = 1.0 if m > 1 { g = 4.0 } " FIRST "y[i + 16] = g " TREE "g = 0.0 for j in 0 .. n { g += x[j] } " END, 2, 2},
  {"its var is stored to between, in a branch", "var g = 1.0 " FIRST "if m > 1 { g = 4.0 } " TREE "for j in 0 .. n { g += x[j] } " END, 2, 2},
  {"its var is stored to in the first", "var g = 1.0 var s = 0.0 for j in 0 .. n { s += x[j] g = g * 0.5 } " TREE "for j in 0 .. n { g += x[j] } " END, 2, 2},
  {"its var is looked at in the first", "var g = 1.0 if m > 1 { g = 4.0 } var s = 0.0 for j in 0 .. n { s += x[j] * g } " TREE "for j in 0 .. n { g += x[j] } " END, 2, 2},
  {"two values for its var between", FIRST TREE "var g = 0.0 g = 2.0 for j in 0 .. n { g += x[j] } " END, 2, 1},
  {"another range", FIRST TREE "var g = 0.0 for j in 0 .. m { g += x[j] } " END, 2, 2},
  {"the other way round", FIRST TREE "var g = 0.0 for j in 0 .. n reversed { g = g * 0.5 + x[j] } " END, 2, 2},
  {"both the other way round", "var s = 0.0 for j in 0 .. n reversed { s += x[j] } " TREE "var g = 0.0 for j in 0 .. n reversed { g = g * 0.5 + x[j] } " END, 2, 1},
  {"past one that leaves", FIRST "if n > 3 { return } " SECOND "y[i] = s y[i + 8] = g ", 2, 2},
  {"it is left", FIRST TREE "var g = 0.0 for j in 0 .. n { if x[j] > 2.0 { break } g += x[j] } " END, 2, 2},
  {"the first is left", "var s = 0.0 for j in 0 .. n { if x[j] > 2.0 { break } s += x[j] } " TREE SECOND END, 2, 2},
  {"in a branch", FIRST TREE "var g = 0.0 if m > 0 { for j in 0 .. n { g += x[j] } } " END, 2, 2},
  {"both in a branch", "var s = 0.0 var g = 0.0 if m > 0 { for j in 0 .. n { s += x[j] } y[i + 16] = s for j in 0 .. n { g += x[j] } } let t = s " END, 2, 1},
  {"in a loop", "var t = 0.0 var g = 0.0 for k in 0 .. m { var s = 0.0 for j in 0 .. n { s += x[j] } t += s barrier for j in 0 .. n { g += x[j] } } " END, 3, 2},
  {"in a loop, with a value of its own", "var t = 0.0 var g = 0.0 for k in 0 .. m { var s = g for j in 0 .. n { s += x[j] } t += s barrier for j in 0 .. n { g += x[j] } } " END, 3, 2},
  {"in a loop, with a value of its own, looked at behind the first", "var t = 0.0 var g = 0.0 for k in 0 .. m { var s = 0.0 for j in 0 .. n { s += x[j] } t += s * g barrier for j in 0 .. n { g += x[j] } } " END, 3, 3},
  {"its own branches and vars", FIRST TREE "var g = 0.0 for j in 0 .. n { var u = x[j] if u > 0.0 { u = u * 2.0 } g += u } " END, 2, 1},
  {"views", FIRST TREE "var g = 0.0 for j in 0 .. n { g += p[j] + x[j] } q[i] = g " END, 2, 2},
};

static unsigned loops_in(const kgi_program *p, kgi_blk block) {
  unsigned count = 0;
  KGI_EACH(p, block, i) {
    kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
    count += p->inst[i].kind == KGI_for;
    for (unsigned k = 0; k < blocks.count; k++) count += loops_in(p, p->inst[i].arg[blocks.first + k]);
  }
  return count;
}

typedef struct memory { float x[LENGTH], y[LENGTH], z[LENGTH], v[LENGTH], block[2 * LENGTH]; } memory;

static void run(const kg_module *m, uint32_t n, memory *out) {
  for (int i = 0; i < LENGTH; i++) out->x[i] = 3 * sinf((float)i * 1.7f), out->v[i] = (float)i * 0.1f, out->y[i] = out->z[i] = cosf((float)i);
  for (int i = 0; i < 2 * LENGTH; i++) out->block[i] = cosf((float)i);
  void *buffers[] = {out->x, out->y, out->z, out->v, out->block, out->block};
  const kg_reference_params params = {.module = m, .buffers = buffers, .param_bits = (uint64_t[]){n / 3, n % 3}};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
}

/* The program with that body, cleaned, and what it leaves behind for all sizes. */
static kg_module *begin(const char *name, const char *body, memory *before, uint32_t sizes) {
  static char text[4096];
  kg_module *m = NULL;
  snprintf(text, sizeof text, "program p { workgroup 2 grid 2 param n : u32 param m : u32 buffer x : f32[64] read buffer y : f32[64] read_write "
           "buffer z : f32[64] read_write buffer v : f32[64] read buffer p : f32[64] read view(set 0, binding 4, offset 0, stride 4) "
           "buffer q : f32[64] read_write view(set 0, binding 4, offset 4, stride 4) shared part : f32[2] "
           "let i = global_id.x let l = local_id.x %s }", body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s: %s", name, text);
  for (uint32_t n = 0; n < sizes; n++) run(m, n, &before[n]);
  ck_assert_int_eq(kgi_clean(m, m->program[1]), KG_OK);
  return m;
}

/* How often loops climbed. */
static unsigned climb_all(kg_module *m, const char *name) {
  kgi_arena scratch;
  bool climbed = true;
  unsigned rounds = 0;
  kgi_arena_init(&scratch, NULL);
  for (; climbed; rounds += climbed) {
    ck_assert_msg(rounds < 8, "%s: no end", name);
    climbed = false;
    ck_assert_int_eq(kgi_climb(m->program[1], &scratch, &climbed), KG_OK);
    ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
    ck_assert_int_eq(kgi_clean(m, m->program[1]), KG_OK);
  }
  ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
  kgi_arena_free(&scratch);
  return rounds;
}

static void expect_same(const kg_module *m, const char *name, const memory *before, uint32_t sizes) {
  static memory after;
  for (uint32_t n = 0; n < sizes; n++) {
    run(m, n, &after);
    ck_assert_msg(!memcmp(&before[n], &after, sizeof after), "%s: other bits at n = %u, m = %u", name, n / 3, n % 3);
  }
}

enum { SIZES = 18, FEW = 8, RANDOM = 150 };

START_TEST(loops) {
  const row *r = &rows[_i];
  static memory before[SIZES];
  kg_module *m = begin(r->name, r->body, before, SIZES);
  unsigned loops = loops_in(m->program[1], KGI_BODY);
  ck_assert_msg(loops == r->before, "%s: %u loops before", r->name, loops);
  climb_all(m, r->name);
  loops = loops_in(m->program[1], KGI_BODY);
  ck_assert_msg(loops == r->after, "%s: %u loops are left, not %u", r->name, loops, r->after);
  expect_same(m, r->name, before, SIZES);
  kg_module_free(m);
} END_TEST

/* ---- random kernels ---- */

static uint64_t state;
static const char *any(const char *const *of, unsigned count) { return of[kgi_random_below(&state, count)]; }
#define ANY(list) any(list, KGT_COUNT(list))

/* Mostly loops over one range, on vars that are looked at and stored to between. */
static void random_body(char *text, size_t size) {
  static const char *const ranges[] = {"0 .. n", "0 .. n", "0 .. n", "0 .. n reversed", "0 .. m"};
  static const char *const trips[] = {
    "a += x[j] ", "b += x[j] * x[j + 1] ", "b = b * 0.5 + x[j] ", "c += x[j] * k ", "a = a * c + x[j] ", "c = v[j] ", "c += part[l] ",
    "y[i + j * 4] = x[j] ", "if x[j] > 0.0 { b += a * x[j] } ", "if j > 0 { var u = x[j] u = u * u c += u } ",
    "if x[j] > 2.5 { break } ", "w[j % 2] = w[(j + 1) % 2] + x[j] ", "b += y[i] + x[j] "};
  static const char *const between[] = {
    "a = 0.0 ", "b = 1.0 ", "b = k ", "c = x[m] ", "c = a ", "part[l] = a ", "barrier ", "barrier ", "z[i] = b ", "w[1] = 2.0 ",
    "y[i + 16] = z[i] ", "if m > 1 { a = 4.0 } ", "if m > 1 { z[i + 8] = k } ", "if b > 1.0 { part[l] = k } barrier ",
    "for r in 0 .. m { b = b + 1.0 } ", "if c > 1.0 { a = a * 0.5 } ", "if n == 1 { return } ", "z[i + 12] = w[0] "};
  size_t at = (size_t)snprintf(text, size, "let k = x[m + 2] var a = 1.0 var b = k var c = 0.0 var w : f32[2] w[0] = k w[1] = 0.5 "
                               "part[l] = k barrier ");
  for (unsigned k = 3 + (unsigned)kgi_random_below(&state, 6); k; k--) {
    if (kgi_random_below(&state, 2)) {
      at += (size_t)snprintf(text + at, size - at, "%s", ANY(between));
      continue;
    }
    at += (size_t)snprintf(text + at, size - at, "for j in %s { ", ANY(ranges));
    for (unsigned n = 1 + (unsigned)kgi_random_below(&state, 2); n; n--) at += (size_t)snprintf(text + at, size - at, "%s", ANY(trips));
    at += (size_t)snprintf(text + at, size - at, "} ");
  }
  snprintf(text + at, size - at, "z[i + 4] = a z[i + 20] = b z[i + 24] = c z[i + 28] = w[0] z[i + 32] = w[1] ");
}

START_TEST(random_kernels) {
  static memory before[FEW];
  static char body[3000];
  unsigned climbed = 0;
  state = ((uint64_t)_i << 32) + 41;
  for (unsigned k = 0; k < RANDOM; k++) {
    random_body(body, sizeof body);
    kg_module *m = begin("a random kernel", body, before, FEW);
    climbed += climb_all(m, body);
    expect_same(m, body, before, FEW);
    kg_module_free(m);
  }
  ck_assert_uint_gt(climbed, 0);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(loops, rows, name), KGT_TIMES(random_kernels, 4)};
  return kgt_run("foundation/climb", tests, KGT_COUNT(tests));
}
