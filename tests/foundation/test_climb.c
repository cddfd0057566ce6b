/* Loops that go behind an earlier one, and loops that must not: how many are left, and the same bits from the reference before and after. */
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

START_TEST(loops) {
  const row *r = &rows[_i];
  static char text[2048];
  kg_module *m = NULL;
  snprintf(text, sizeof text, "program p { workgroup 2 grid 2 param n : u32 param m : u32 buffer x : f32[64] read buffer y : f32[64] read_write "
           "buffer z : f32[64] read_write buffer v : f32[64] read buffer p : f32[64] read view(set 0, binding 4, offset 0, stride 4) "
           "buffer q : f32[64] read_write view(set 0, binding 4, offset 4, stride 4) shared part : f32[2] "
           "let i = global_id.x let l = local_id.x %s }", r->body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s: %s", r->name, text);
  static memory before[18], after;
  for (uint32_t n = 0; n < KGT_COUNT(before); n++) run(m, n, &before[n]);
  kgi_program *p = m->program[1];
  kgi_arena scratch;
  bool climbed = true;
  kgi_arena_init(&scratch, NULL);
  ck_assert_int_eq(kgi_clean(m, p), KG_OK);
  ck_assert_msg(loops_in(p, KGI_BODY) == r->before, "%s: %u loops before", r->name, loops_in(p, KGI_BODY));
  for (unsigned round = 0; round < 4 && climbed; round++) {
    climbed = false;
    ck_assert_int_eq(kgi_climb(p, &scratch, &climbed), KG_OK);
    ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
    ck_assert_int_eq(kgi_clean(m, p), KG_OK);
  }
  ck_assert_msg(!climbed, "%s: no end", r->name);
  ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
  unsigned left = loops_in(p, KGI_BODY);
  ck_assert_msg(left == r->after, "%s: %u loops are left, not %u", r->name, left, r->after);
  for (uint32_t n = 0; n < KGT_COUNT(before); n++) {
    run(m, n, &after);
    ck_assert_msg(!memcmp(&before[n], &after, sizeof after), "%s: other bits at n = %u, m = %u", r->name, n / 3, n % 3);
  }
  kgi_arena_free(&scratch);
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(loops, rows, name)};
  return kgt_run("foundation/climb", tests, KGT_COUNT(tests));
}
