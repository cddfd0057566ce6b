/* Loops that become one, and loops that must not: how many are left, and the same bits from the reference before and after. */
#include "foundation/passes/clean.h"
#include "foundation/ir/validate.h"
#include "tests/foundation/clean_case.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH = 64 };

typedef struct row { const char *name, *body; unsigned before, after; } row;
static const row rows[] = {
  {"apart", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { z[j] += x[j] }", 2, 1},
  {"three", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { z[j] += x[j] } for j in 0 .. n { w[j] = x[j] * 2.0 }", 3, 1},
  {"the indices have different names", "for j in 0 .. n { y[j] = x[j] } for k in 0 .. n { z[n - 1 - k] += x[k] }", 2, 1},
  {"backwards", "for j in 0 .. n reversed { y[j] = x[j] } for j in 0 .. n reversed { z[0] = z[0] * 0.5 + x[j] }", 2, 1},
  {"one backwards", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n reversed { z[0] = z[0] * 0.5 + x[j] }", 2, 2},
  {"other ends", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. m { z[j] += x[j] }", 2, 2},
  {"other beginnings", "for j in 0 .. n { y[j] = x[j] } for j in u32(1) .. n { z[j] += x[j] }", 2, 2},
  {"other steps", "for j in 0 .. n step 2 { y[j] = x[j] } for j in 0 .. n { z[j] += x[j] }", 2, 2},
  {"other types", "for j in 0 .. 5 { y[j] = x[j] } for j in u32(0) .. 5 { z[j] += x[j] }", 2, 2},
  {"one range by another name", "let e = n * 2 for j in 0 .. e { y[j] = x[j] } let f = 2 * n for j in 0 .. f { z[j] += x[j] "
     "}", 2, 1},
  {"the second reads what the first writes", "for j in 0 .. n { z[j] = x[j] } for j in 0 .. n { y[j] = z[j + 1] }", 2, 2},
  {"the first reads what the second writes", "for j in 0 .. n { y[j] = z[j + 1] } for j in 0 .. n { z[j] = x[j] }", 2, 2},
  {"both write", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { y[n - 1 - j] = 1.0 }", 2, 2},
  {"a var of both", "var s = 0.0 for j in 0 .. n { s += x[j] } for j in 0 .. n { y[j] = s }", 2, 2},
  {"a var of each", "var s = 0.0 var t = 0.0 for j in 0 .. n { s += x[j] } for j in 0 .. n { t += x[j] * x[j] } y[0] = s y[1] "
     "= t", 2, 1},
  {"a var between", "var s = 0.0 for j in 0 .. n { s += x[j] } var t = 1.0 for j in 0 .. n { t = t * 0.5 + x[j] } y[0] = s "
     "y[1] = t", 2, 1},
  {"a value between", "for j in 0 .. n { y[j] = x[j] } let u = x[1] * 3.0 for j in 0 .. n { z[j] += u }", 2, 1},
  {"a value between that the first makes", "for j in 0 .. n { z[j] = x[j] } let u = z[1] * 3.0 for j in 0 .. n { y[j] = u }", 2, 2},
  {"a sum between", "var s = 0.0 for j in 0 .. n { s += x[j] } let u = s * 3.0 for j in 0 .. n { y[j] = u }", 2, 2},
  {"a store between, to what the first reads", "var s = 0.0 var t = 1.0 for j in 0 .. n { s += t * x[j] t = t * 0.5 } t = x[3] "
   "for j in 0 .. n { y[j] = t } z[0] = s", 2, 2},
  {"a store between, to a buffer", "for j in 0 .. n { y[j] = x[j] } z[0] = 1.0 for j in 0 .. n { w[j] = z[j] }", 2, 2},
  {"a branch between", "for j in 0 .. n { y[j] = x[j] } if n == 3 { z[0] = 1.0 } for j in 0 .. n { w[j] = x[j] }", 2, 2},
  {"a barrier between", "for j in 0 .. n { y[j] = x[j] } barrier for j in 0 .. n { w[j] = x[j] }", 2, 2},
  {"a barrier inside", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { w[j] = x[j] barrier }", 2, 2},
  {"the first is left", "for j in 0 .. n { if j == 2 { break } y[j] = x[j] } for j in 0 .. n { w[j] = x[j] }", 2, 2},
  {"the second skips trips", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { if j == 2 { continue } w[j] = x[j] }", 2, 2},
  {"an assertion", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { assert j < 50 \"far\" w[j] = x[j] }", 2, 2},
  {"branches inside", "for j in 0 .. n { if x[j] > 0.0 { y[j] = x[j] } } for j in 0 .. n { if x[j] < 0.0 { w[j] = x[j] } else "
     "{ z[j] = 1.0 } }", 2, 1},
  {"vars inside", "for j in 0 .. n { var t = x[j] if t < 0.0 { t = 0.0 } y[j] = t } for j in 0 .. n { var t = x[j] if t > 0.0 "
     "{ t = 0.0 } w[j] = t }", 2, 1},
  {"loops inside", "for j in 0 .. n { for k in 0 .. m { y[j * m + k] = x[k] } } for j in 0 .. n { for k in 0 .. m { w[j * m + "
     "k] = x[j] } }", 4, 2},
  {"inside a loop", "for i in 0 .. n { for j in 0 .. m { y[j] = x[i] } for j in 0 .. m { w[j] = x[i] * 2.0 } }", 3, 2},
  {"inside a loop that would be a circle", "for i in 0 .. n { for j in 0 .. m { y[j] = x[i] + v[j] } for j in 0 .. m { v[j] = "
     "x[i] * 2.0 } }", 3, 3},
  {"inside a branch", "if n > 2 { for j in 0 .. m { y[j] = x[j] } for j in 0 .. m { w[j] = x[j] * 2.0 } }", 2, 1},
  {"a third that does not fit", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { w[j] = x[j] } for j in 0 .. n { z[j] = "
     "z[j] + v[j + 1] v[j] = 1.0 } "
   "for j in 0 .. n { v[j] = 2.0 }", 4, 2},
  {"atomics to one", "for j in 0 .. n { atomic_add(z[0], x[j]) } for j in 0 .. n { atomic_add(z[0], x[j] * 0.3) }", 2, 2},
  {"atomics to two", "for j in 0 .. n { atomic_add(z[0], x[j]) } for j in 0 .. n { atomic_add(v[0], x[j] * 0.3) }", 2, 1},
  {"a region", "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { region r { w[j] = x[j] } }", 2, 2},
};

typedef struct memory { float x[LENGTH], y[LENGTH], z[LENGTH], w[LENGTH], v[LENGTH]; } memory;

static void run(const kg_module *m, uint32_t n, memory *out) {
  for (int i = 0; i < LENGTH; i++)
    out->x[i] = sinf((float)i * 1.7f), out->z[i] = cosf((float)i), out->v[i] = (float)i * 0.1f, out->y[i] = out->w[i] = -7;
  void *buffers[] = {out->x, out->y, out->z, out->w, out->v};
  kg_status status = kg_reference_run(&(kg_reference_params){.module = m, .buffers = buffers, .param_bits = (uint64_t[]){n,
     3}}, NULL);
  ck_assert_int_eq(status, KG_OK);
}

START_TEST(loops) {
  const row *r = &rows[_i];
  static char text[2048];
  kg_module *m = NULL;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 param n : u32 param m : u32 buffer x : f32[64] read buffer y : "
     "f32[64] write "
           "buffer z : f32[64] read_write buffer w : f32[64] write buffer v : f32[64] read_write %s }", r->body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s: %s", r->name, text);
  memory before[8], after;
  for (uint32_t n = 0; n < 8; n++) run(m, n, &before[n]);
  ck_assert_msg(fors_in(m->program[1], KGI_BODY) == r->before, "%s before", r->name);
  ck_assert_int_eq(kgi_clean(m, m->program[1]), KG_OK);
  ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
  unsigned left = fors_in(m->program[1], KGI_BODY);
  ck_assert_msg(left == r->after, "%s: %u loops are left, not %u", r->name, left, r->after);
  for (uint32_t n = 0; n < 8; n++) {
    run(m, n, &after);
    ck_assert_msg(!memcmp(&before[n], &after, sizeof after), "%s: other bits at n = %u", r->name, n);
  }
  kg_module_free(m);
} END_TEST

/* Views may lie over one another. */
START_TEST(views) {
  static const char text[] = "program p { workgroup 1 grid 1 param n : u32 buffer x : f32[n] read buffer y : f32[n] write "
     "view(set 0, binding 1, "
    "offset 0, stride 4) buffer z : f32[n] write view(set 0, binding 1, offset 4, stride 4) "
    "for j in 0 .. n { y[j] = x[j] } for j in 0 .. n { z[j] = x[j] } }";
  kg_module *m = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m), KG_OK);
  ck_assert_int_eq(kgi_clean(m, m->program[1]), KG_OK);
  ck_assert_uint_eq(fors_in(m->program[1], KGI_BODY), 2);
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(loops, rows, name), KGT(views)};
  return kgt_run("foundation/clean_fuse", tests, KGT_COUNT(tests));
}
