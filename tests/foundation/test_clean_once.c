/* Loops of one trip, and loops that only look like it: how many are left, and the same bits from the reference before and after. */
#include "foundation/ir/validate.h"
#include "foundation/passes/clean.h"
#include "tests/foundation/clean_case.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH = 64 };

/* Of S invocations by 2, where l is local_id.x, and at is each invocation's own. */
typedef struct row { const char *name, *body; unsigned before, after; } row;
static const row rows[] = {
  {"over the lanes", "for k in l .. S step S { y[at] += x[k] }", 1, 0},
  {"over the lanes, by the number", "for k in l .. 8 step 8 { y[at] += x[k] }", 1, 1},
  {"over the lanes of the other axis", "for k in local_id.y .. 2 step 2 { y[at] += x[k] }", 1, 0},
  {"over those of an axis without a size", "for k in local_id.z .. 1 step 1 { y[at] += x[k] }", 1, 0},
  {"with a sign", "for k in i32(l) .. i32(S) step i32(S) { y[at] += x[k] }", 1, 0},
  {"backwards", "for k in l .. S step S reversed { y[at] += x[k] }", 1, 0},
  {"another axis' size", "for k in local_id.y .. S step S { y[at] += x[k] }", 1, 1},
  {"another end", "for k in l .. n step S { y[at] += x[k] }", 1, 1},
  {"another step", "for k in l .. S step 4 { y[at] += x[k] }", 1, 1},
  {"another constant", "for k in l .. T step T { y[at] += x[k] }", 1, 1},
  {"another beginning", "for k in l + 1 .. S step S { y[at] += x[k] }", 1, 1},
  {"all lanes of both axes", "for k in local_index .. S step S { y[at] += x[k] }", 1, 1},
  {"from 0 to 1", "for k in 0 .. 1 { y[at] += x[k] }", 1, 0},
  {"two in one step", "for k in 3 .. 5 step 2 { y[at] += x[k] }", 1, 0},
  {"three in two steps", "for k in 3 .. 6 step 2 { y[at] += x[k] }", 1, 1},
  {"below 0", "for k in i32(-2) .. -1 { y[at] += x[k + 4] }", 1, 0},
  {"the last number", "for k in u32(4294967294) .. 4294967295 { y[at] += x[k & 7] }", 1, 0},
  {"none", "for k in 5 .. 3 { y[at] += x[k] }", 1, 0},
  {"one in another", "for a in 2 .. 3 { for b in a .. 3 { y[at] += x[b] } }", 2, 0},
  {"one in a loop of many", "for t in 0 .. n { for k in l .. S step S { var v = x[k] if t == 2 { v += 1.0 } y[at] += v } }", 2, 1},
  {"many in a loop of one", "for k in l .. S step S { for t in 0 .. n { y[at] += x[k + t] } }", 2, 1},
  {"it is left", "for k in l .. S step S { if x[k] > 0.5 { break } y[at] += x[k] }", 1, 1},
  {"its rest is left out", "for k in l .. S step S { if x[k] > 0.5 { continue } y[at] += x[k] }", 1, 1},
  {"a loop in it is left", "for k in l .. S step S { for t in 0 .. n { if x[t] > 0.5 { break } y[at] += x[k + t] } }", 2, 1},
  {"the program is left", "for k in l .. S step S { if x[k] > 0.5 { return } y[at] += x[k] } y[at] += 1.0", 1, 0},
  {"the program is left at its end", "for k in l .. S step S { y[at] += x[k] return } y[at] += 1.0", 1, 1},
};

static void run(const kg_module *m, uint32_t n, float *y) {
  float x[LENGTH];
  for (int i = 0; i < LENGTH; i++) x[i] = sinf((float)i * 1.7f), y[i] = -7;
  void *buffers[] = {x, y};
  ck_assert_int_eq(kg_reference_run(&(kg_reference_params){.module = m, .buffers = buffers, .param_bits = (uint64_t[]){n}}, NULL), KG_OK);
}

START_TEST(loops) {
  const row *r = &rows[_i];
  static char text[2048];
  kg_module *m = NULL;
  float before[8][LENGTH], after[LENGTH];
  snprintf(text, sizeof text, "program p { const S = 8 const T = 8 workgroup S, 2 grid 2 param n : u32 buffer x : f32[64] read "
           "buffer y : f32[64] read_write let l = local_id.x let at = local_index + 16 * workgroup_id.x %s }", r->body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s: %s", r->name, text);
  for (uint32_t n = 0; n < 8; n++) run(m, n, before[n]);
  ck_assert_msg(fors_in(m->program[1], KGI_BODY) == r->before, "%s before", r->name);
  ck_assert_int_eq(kgi_clean(m, m->program[1]), KG_OK);
  ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
  unsigned left = fors_in(m->program[1], KGI_BODY);
  ck_assert_msg(left == r->after, "%s: %u loops are left, not %u", r->name, left, r->after);
  for (uint32_t n = 0; n < 8; n++) {
    run(m, n, after);
    ck_assert_msg(!memcmp(before[n], after, sizeof after), "%s: other bits at n = %u", r->name, n);
  }
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(loops, rows, name)};
  return kgt_run("foundation/clean_once", tests, KGT_COUNT(tests));
}
