/* Arrays that each trip of a loop fills before it looks at them move into the loop; others stay in front of it. The same bits from the
 * reference before and after. */
#include "foundation/passes/passes.h"
#include "foundation/ir/validate.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <stdio.h>
#include <string.h>

enum { LENGTH = 16 };

typedef struct row { const char *name, *body; unsigned loops; } row; /* around the declaration, behind the pass */
static const row rows[] = {
  {"filled by a loop", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { a[k] = x[k + t] } y[t] += a[1] }", 1},
  {"of a constant's length", "var a : f32[N] for t in 0 .. n { for k in 0 .. N { a[k] = x[k + t] } y[t] += a[1] }", 1},
  {"backwards, and past the end", "var a : f32[3] for t in 0 .. n { for k in 0 .. 5 reversed { a[k] = x[k + t] } y[t] += a[1] }", 1},
  {"in the inner of two loops", "var a : f32[3] for s in 0 .. n { for t in 0 .. n { for k in 0 .. 3 { a[k] = x[k + t] } y[s] += a[t % 3] } }", 2},
  {"in the outer of two loops", "var a : f32[3] for s in 0 .. n { for k in 0 .. 3 { a[k] = x[k] } for t in 0 .. n { y[s] += a[0] a[0] = y[t] } }", 1},
  {"of two dimensions", "var a : f32[2, N] for t in 0 .. n { for k in 0 .. N { for r in 0 .. 2 { a[r, k] = x[k + t + r] } } y[t] += a[1, 0] }", 1},
  {"by literals", "var a : f32[3] for t in 0 .. n { a[2] = x[t] a[0] = a[2] * 2.0 a[1] = a[0] + a[2] y[t] += a[1] }", 1},
  {"in a while", "var a : f32[2] var t : u32 while t < n limit 9 { for k in 0 .. 2 { a[k] = x[k + t] } y[t] += a[1] t += 1 }", 1},
  {"by a loop and a last store", "var a : f32[N + 1] for t in 0 .. n { for k in 0 .. N { a[k] = x[k + t] } a[N] = x[t] y[t] += a[3] + a[1] }", 1},
  {"by a last store and a loop", "var a : f32[N + 1] for t in 0 .. n { a[N] = x[t] for k in 0 .. N { a[k] = x[k + t] } y[t] += a[3] + a[1] }", 1},
  {"by a first store and a loop", "var a : f32[N] for t in 0 .. n { a[0] = x[t] for k in 1 .. N { a[k] = x[k] + a[0] } y[t] += a[2] }", 1},
  {"by a loop that is one ahead", "var a : f32[N + 1] for t in 0 .. n { a[0] = x[t] for k in 0 .. N { a[k + 1] = x[k] } y[t] += a[3] }", 1},
  {"by two loops that overlap", "var a : f32[5] for t in 0 .. n { for k in 2 .. 5 { a[k] = x[k] } for k in 0 .. 3 { a[k] = x[t] } y[t] += a[3] + a[2] }", 1},
  {"by literals, of two dimensions", "var a : f32[2, 2] for t in 0 .. n { a[0, 1] = x[t] a[1, 0] = 2.0 a[0, 0] = x[2] a[1, 1] = a[0, 1] y[t] += a[1, 1] }", 1},
  {"column by column", "var a : f32[N, 2] for t in 0 .. n { for k in 0 .. N { a[k, 0] = x[k] a[k, 1] = x[t] } y[t] += a[2, 0] }", 1},
  {"row by row", "var a : f32[3, 4] for t in 0 .. n { a[2, 3] = 1.0 for k in 0 .. 3 { for r in 0 .. 3 { a[k, r] = x[k + t] } }\n"
    "for k in 0 .. 2 { a[k, 3] = x[k] } y[t] += a[1, 3] + a[2, 2] }", 1},
  {"what is looked at where it was stored to", "var a : f32[3] for t in 0 .. n { let i = u32(x[t] * 0.5) a[i] = 2.0 y[t] = a[i] for k in 0 .. 3 { a[k] = x[k] } y[t] += a[1] }", 1},
  {"by a sum that begins at 0", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { a[k] = 0.0 for r in 0 .. 3 { a[k] += x[r + t] } a[k] = a[k] * 0.5 } y[t] += a[1] }", 1},
  {"by signed numbers", "var a : f32[N] for t in 0 .. n { for k in i32(0) .. i32(N) { a[u32(k)] = x[u32(k) + t] } y[t] += a[1] }", 1},
  {"by signed indices", "var a : f32[N] for t in 0 .. n { for k in i32(-1) .. i32(N) - 1 { a[k + 1] = x[u32(k + 1)] } y[t] += a[1] }", 1},
  {"parts of either sign, of a constant that may be less", "var a : f32[N] for t in 0 .. n { for k in i32(0) .. i32(N) - 2 { a[k] = x[u32(k)] } for k in N - 2 .. N { a[k] = x[k] } y[t] += a[1] }", 0},
  {"parts from the end, of a constant that may be less", "var a : f32[N] for t in 0 .. n { for k in 2 .. N { a[k - 2] = x[k] } for k in N - 2 .. N { a[k] = x[k] } y[t] += a[1] }", 0},
  {"but a sum of another element", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { a[k] = 0.0 for r in 0 .. 3 { a[k] += a[r] + x[r] } } y[t] += a[1] }", 0},
  {"a sum that begins in front", "var a : f32[3] let q = n % 3 a[q] = 1.0 for t in 0 .. n { for k in 0 .. 3 { a[k] = x[k] + a[q] } y[t] += a[1] }", 0},
  {"a sum that begins in a branch", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { if t > 0 { a[k] = 0.0 } a[k] += x[k] a[k] = a[k] * 0.5 } y[t] += a[1] }", 0},
  {"a sum that begins behind", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { y[t] += a[k] a[k] = x[k] } }", 0},
  {"signed, but the last", "var a : f32[N] for t in 0 .. n { for k in i32(0) .. i32(N) - 1 { a[k] = x[u32(k)] } y[t] += a[2] a[2] = y[t] }", 0},
  {"signed, but the first", "var a : f32[N] for t in 0 .. n { for k in i32(1) .. i32(N) { a[k] = x[u32(k)] } y[t] += a[0] a[0] = y[t] }", 0},
  {"but one of two dimensions", "var a : f32[2, 2] for t in 0 .. n { a[0, 1] = x[t] a[1, 0] = 2.0 a[0, 0] = x[2] y[t] += a[1, 1] a[1, 1] = y[t] }", 0},
  {"but the last, of N + 1", "var a : f32[N + 1] for t in 0 .. n { for k in 0 .. N { a[k] = x[k + t] } y[t] += a[3] a[3] = y[t] }", 0},
  {"but the first, of N + 1", "var a : f32[N + 1] for t in 0 .. n { for k in 0 .. N { a[k + 1] = x[k] } y[t] += a[0] a[0] = y[t] }", 0},
  {"with a gap", "var a : f32[5] for t in 0 .. n { for k in 0 .. 2 { a[k] = x[k] } for k in 3 .. 5 { a[k] = x[t] } y[t] += a[2] a[2] = y[t] }", 0},
  {"but where indices wrap", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { a[k - 1] = x[k] } y[t] += a[2] a[2] = y[t] }", 0},
  {"a bound that wraps", "var a : f32[N] for t in 0 .. n { for k in 0 .. N + 4294967295 { a[k] = x[k] } y[t] += a[2] a[2] = y[t] }", 0},
  {"a triangle", "var a : f32[2, 2] for t in 0 .. n { for k in 0 .. 2 { for r in 0 .. k + 1 { a[k, r] = x[k] } } y[t] += a[0, 1] a[0, 1] = y[t] }", 0},
  {"all but the diagonal", "var a : f32[2, 2] for t in 0 .. n { for k in 0 .. 2 { for r in 0 .. 2 { if r != k { a[k, r] = x[k] } } } y[t] += a[1, 1] a[1, 1] = y[t] }", 0},
  {"in trips that may not be", "var a : f32[2] for t in 0 .. n { for r in 0 .. t { for k in 0 .. 2 { a[k] = x[k] } } y[t] += a[1] }", 0},
  {"one dimension twice", "var a : f32[2, 2] for t in 0 .. n { for k in 0 .. 2 { for r in 0 .. 2 { a[k, k] = x[r] } } y[t] += a[1, 0] a[1, 0] = 2.0 }", 0},
  {"but the first", "var a : f32[3] for t in 0 .. n { for k in 1 .. 3 { a[k] = x[k + t] } y[t] += a[0] a[0] = y[t] }", 0},
  {"but the last", "var a : f32[3] for t in 0 .. n { for k in 0 .. 2 { a[k] = x[k + t] } y[t] += a[2] a[2] = y[t] }", 0},
  {"every other", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 step 2 { a[k] = x[k + t] } y[t] += a[1] a[1] = y[t] }", 0},
  {"as far as a param", "var a : f32[3] for t in 0 .. n { for k in 0 .. n { a[k] = x[k + t] } y[t] += a[2] a[2] = y[t] }", 0},
  {"as another constant", "var a : f32[N] for t in 0 .. n { for k in 0 .. 2 { a[k] = x[k + t] } y[t] += a[2] a[2] = y[t] }", 0},
  {"a literal less", "var a : f32[3] for t in 0 .. n { a[2] = x[t] a[0] = a[2] * 2.0 y[t] += a[1] a[1] = y[t] }", 0},
  {"a literal too late", "var a : f32[2] for t in 0 .. n { a[1] = x[t] + a[0] a[0] = a[1] y[t] += a[0] }", 0},
  {"elsewhere", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { a[(k * k) % 3] = x[k + t] } y[t] += a[2] a[2] = y[t] }", 0},
  {"in a branch", "var a : f32[3] for t in 0 .. n { if t != 1 { for k in 0 .. 3 { a[k] = x[k + t] } } y[t] += a[2] }", 0},
  {"where a trip does not go on", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { if k == t { continue } a[k] = x[k + t] } y[t] += a[1] }", 0},
  {"what is looked at first", "var a : f32[3] for t in 0 .. n { y[t] += a[1] for k in 0 .. 3 { a[k] = x[k + t] } }", 0},
  {"what is looked at meanwhile", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { a[k] = x[k] + a[2] } y[t] += a[1] }", 0},
  {"what is looked at behind", "var a : f32[3] for t in 0 .. n { for k in 0 .. 3 { a[k] = x[k + t] } } y[0] += a[1]", 0},
  {"what is stored to in front", "var a : f32[3] a[0] = 2.0 for t in 0 .. n { for k in 0 .. 3 { a[k] = x[k + t] } y[t] = a[0] }", 0},
};

static void run(const kg_module *m, uint32_t n, float y[LENGTH]) {
  float x[LENGTH];
  for (int i = 0; i < LENGTH; i++) x[i] = 3.0f / (float)(i + 1), y[i] = (float)i;
  const kg_reference_params params = {.module = m, .buffers = (void *[]){x, y}, .param_bits = (uint64_t[]){n}};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
}

static unsigned loops_around(const kgi_program *p, uint32_t i) {
  unsigned count = 0;
  for (; p->inst[i].block > KGI_BODY; i = p->block[p->inst[i].block].owner) count += kgi_is_loop(&p->inst[p->block[p->inst[i].block].owner]);
  return count;
}

/* Around the array's declaration. */
static unsigned loops_of_array(const kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_var && !p->scope.object[p->inst[i].arg[0]].scalar) return loops_around(p, i);
  ck_abort_msg("there is no array");
}

START_TEST(arrays) {
  const row *r = &rows[_i];
  static char text[1024];
  kg_module *m = NULL;
  float before[3][LENGTH], after[LENGTH];
  kgi_arena scratch;
  snprintf(text, sizeof text, "program p { const N = 3 workgroup 1 grid 1 param n : u32 buffer x : f32[16] read buffer y : f32[16] read_write %s }", r->body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s: %s", r->name, text);
  for (uint32_t n = 0; n < 3; n++) run(m, n, before[n]);
  kgi_arena_init(&scratch, &m->arena.alloc);
  ck_assert_int_eq(kgi_begin_arrays_anew(m->program[1], &scratch), KG_OK);
  kgi_arena_free(&scratch);
  ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
  ck_assert_msg(loops_of_array(m->program[1]) == r->loops, "%s: %u loops are around the array, not %u", r->name, loops_of_array(m->program[1]), r->loops);
  for (uint32_t n = 0; n < 3; n++) {
    run(m, n, after);
    ck_assert_msg(!memcmp(before[n], after, sizeof after), "%s: other bits at n = %u", r->name, n);
  }
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(arrays, rows, name)};
  return kgt_run("foundation/fills", tests, KGT_COUNT(tests));
}
