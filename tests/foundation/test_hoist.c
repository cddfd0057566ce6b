/* Loads that leave their loops, and loads that must not: how many are left inside, and the same bits from the reference before and after.
 * x is read alone; y is stored to; p and q are views of one binding, of which one is stored to. */
#include "foundation/passes/passes.h"
#include "foundation/ir/validate.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH = 16 };

typedef struct row { const char *name, *body; unsigned before, after; } row;
static const row rows[] = {
  {"an index that stays", "for j in 0 .. n { y[j] = x[m] }", 1, 0},
  {"an index that moves", "for j in 0 .. n { y[j] = x[j] }", 1, 1},
  {"an index that a value makes", "for j in 0 .. n { y[j] = x[m * 2 + 1] }", 1, 0},
  {"an index that was loaded", "for j in 0 .. n { y[j] = x[u32(x[m])] }", 2, 0},
  {"an index from a var", "var k = m for j in 0 .. n { y[j] = x[k] k += 1 }", 3, 3},
  {"of two loops, the inner alone", "for j in 0 .. n { for k in 0 .. m { y[j] += x[j] } }", 2, 2},
  {"of two loops, both", "for j in 0 .. n { for k in 0 .. m { y[j] += x[n] } }", 2, 1},
  {"what is stored to", "for j in 0 .. n { y[j] = y[m] + 1.0 }", 1, 1},
  {"a view beside one that is stored to", "for j in 0 .. n { q[j] = p[m] + 1.0 }", 1, 1},
  {"shared memory", "for j in 0 .. n { s[0] = x[j] y[j] = s[0] }", 2, 2},
  {"in a branch that trips decide", "for j in 0 .. n { if j > 1 { y[j] = x[m] } }", 1, 0},
  {"in a branch of all trips", "for j in 0 .. n { if m > 1 { y[j] = x[m - 1] } }", 1, 1},
  {"in such a branch of an outer loop", "for k in 0 .. n { if m > 1 { for j in 0 .. n { if j != k { y[j] = x[m - 1] } } } }", 1, 1},
  {"in a branch of the outer trips", "for k in 0 .. n { for j in 0 .. n { if k > 1 { y[j] = x[k] } } }", 1, 1},
  {"in both kinds of branches", "for j in 0 .. n { if j > 1 { if m > 1 { y[j] = x[m - 1] } } }", 1, 1},
  {"behind a jump", "for j in 0 .. n { if j == 2 { continue } y[j] = x[m] }", 1, 0},
  {"behind an exit", "for j in 0 .. n { if j == 2 { break } y[j] = x[m] }", 1, 0},
  {"in an endless loop", "var j : u32 while true { if j == n { break } y[j] = x[m] j += 1 }", 4, 3},
  {"in a region that is run again", "for j in 0 .. n { region checkpoint { y[j] = x[m] } }", 1, 0},
  {"in a plain region", "for j in 0 .. n { region r { y[j] = x[m] } }", 1, 0},
  {"behind a loop's bound, out of bounds in front", "let k = local_id.x for j in 0 .. k { y[j] = x[k - 1] }", 1, 1},
  {"behind such a bound, in bounds in front", "let k = local_id.x for j in 0 .. k + m { y[j] = x[k] }", 1, 0},
  {"behind such a bound, by a guard in front", "let k = u32(y[m]) if k < 16 { for j in 0 .. k { y[j] = x[k] } }", 1, 0},
  {"behind a bound that a value makes", "let k = u32(y[m]) for j in 0 .. k { y[j] = x[k - 1] }", 1, 1},
  {"behind a branch, out of bounds in front", "let k = local_id.x for j in 0 .. n { if j < k { y[j] = x[k - 1] } }", 1, 1},
  {"behind a branch, in bounds in front", "let k = local_id.x for j in 0 .. n { if j + k < 3 { y[j] = x[k + 1] } }", 1, 0},
  {"behind a branch on another value", "let k = u32(y[m]) for j in 0 .. n { if j < local_id.x + 2 { y[j] = x[k] } }", 1, 1},
  {"behind a branch by a table", "let k = u32(y[m]) for j in 0 .. n { if x[j] > 3.0 { y[j] = p[k] } }", 2, 2},
  {"less than a bound without trips", "for j in 0 .. m { y[j] = x[m - 1] }", 1, 1},
  {"less than another bound", "for j in 0 .. n { y[j] = x[m - 1] }", 1, 0},
  {"less than it by another name", "let t = m for j in 0 .. t { y[j] = x[3 + (m - 2) * 2] }", 1, 1},
  {"behind a branch on a var", "var k = m let i = k for j in 0 .. n { if k < 3 { y[j] = x[i] } k += 1 }", 3, 3},
  {"behind one of two loops", "let k = local_id.x for i in 0 .. n { for j in i .. k { y[j] = x[k - 1] } }", 1, 1},
  {"of a var that the loop does not store to", "var v = x[m] for j in 0 .. n { y[j] = v * f32(j) }", 1, 0},
  {"of a var, out of the inner loop", "var v = x[m] for k in 0 .. n { var a = 0.0 for j in 0 .. n { a += v } v = v * 0.5 + a y[k] = v }", 5, 5},
  {"of a var, behind a branch of all trips", "var v = x[m] for j in 0 .. n { if m > 2 { y[j] = v } }", 1, 0},
  {"of a var that is declared in the loop", "for j in 0 .. n { var v : f32 for k in 0 .. m { y[k] = v } }", 1, 1},
  {"of a var that is stored to behind it", "var v = x[m] for j in 0 .. n { y[j] = v v = 2.0 }", 1, 1},
  {"of a var that is stored to deep inside", "var v = x[m] for j in 0 .. n { y[j] = v for k in 0 .. m { if k > 1 { v = 2.0 } } }", 1, 1},
  {"of an array, in bounds", "var a : f32[4] for k in u32(0) .. 4 { a[k] = f32(k) } for j in 0 .. n { y[j] = a[2] }", 1, 0},
  {"of an array, out of bounds in front", "var a : f32[4] let i = local_id.x for k in u32(0) .. 4 { a[k] = f32(k) }\n"
    "for j in 0 .. i { y[j] = a[i - 1] }", 1, 1},
  {"of an array that a loop of no trips may have set", "var a : f32[4] for k in 0 .. n { a[k % 4] = f32(k) } for j in 0 .. n { y[j] = a[0] }", 1, 1},
  {"of another element than is set", "var a : f32[4] a[1] = 2.0 for j in 0 .. n { if j > 4 { y[j] = a[2] } }", 1, 1},
  {"of the element that is set", "var a : f32[4] a[1] = 2.0 a[m] = 3.0 for j in 0 .. n { y[j] = a[m] + a[1] }", 2, 0},
  {"of what one arm sets", "var a : f32[2] if m > 1 { a[1] = 2.0 } for j in 0 .. n { if m > 1 { y[j] = a[1] } }", 1, 1},
  {"past a barrier", "for j in 0 .. n { barrier y[j] = x[m] }", 1, 0},
};

/* What kgi_load_ahead does: of the loads of memory. */
static const row ahead[] = {
  {"shared memory", "s[0] = x[m] for j in 0 .. n { y[j] = s[0] }", 1, 0},
  {"shared memory that the loop stores to", "s[0] = x[m] for j in 0 .. n { y[j] = s[0] s[0] = 2.0 }", 1, 1},
  {"what the loop's inner one stores to", "for j in 0 .. n { q[j] = y[3] for k in 0 .. m { y[k] = 2.0 } }", 1, 1},
  {"what is stored to elsewhere", "y[0] = x[m] for j in 0 .. n { q[j] = y[0] + y[m] }", 2, 0},
  {"an index that moves", "for j in 0 .. n { q[j] = y[j] }", 1, 1},
  {"an array that a loop of no trips may have set", "var a : f32[4] for k in 0 .. n { a[k] = f32(k) } for j in 0 .. n { y[j] = a[0] + x[j] }", 1, 1},
  {"an index out of bounds where there is no trip", "let i = select(n > 0, m, 1000) for j in 0 .. n { q[j] = y[i] }", 1, 0},
  {"what nobody stores to", "for j in 0 .. n { y[j] = x[m] }", 1, 1},
  {"a view beside one that is stored to", "for j in 0 .. n { q[j] = p[m] + 1.0 }", 1, 1},
  {"a view beside one that is stored to elsewhere", "q[2] = 1.0 for j in 0 .. n { y[j] = p[m] + 1.0 }", 1, 0},
  {"in a branch", "for j in 0 .. n { if j > 1 { q[j] = y[m] } }", 1, 1},
  {"behind a jump", "for j in 0 .. n { if j == 2 { continue } q[j] = y[m] }", 1, 1},
  {"in front of an exit", "for j in 0 .. n { q[j] = y[m] if j == 2 { break } }", 1, 1},
  {"beside a barrier", "for j in 0 .. n { q[j] = y[m] barrier }", 1, 1},
  {"in a while", "var j : u32 while j < n limit 16 { q[j] = y[m] j += 1 }", 1, 1},
  {"of two loops, the inner alone", "for j in 0 .. n { for k in j .. m { q[k] = y[j] } }", 1, 1},
  {"a loop backwards, by steps", "for j in m .. n step 2 reversed { q[j] = y[m] * f32(j) }", 1, 0},
};

/* The loads that have a loop around them; of vars, too, where those are asked for. */
static unsigned loads_in(const kgi_program *p, kgi_blk block, bool inside, bool of_vars) {
  unsigned count = 0;
  KGI_EACH(p, block, i) {
    kgi_span blocks = kgi_owned_blocks(&p->inst[i]);
    count += inside && p->inst[i].kind == KGI_load && (of_vars || p->scope.object[p->inst[i].arg[0]].space != KGI_VAR);
    for (unsigned k = 0; k < blocks.count; k++)
      count += loads_in(p, p->inst[i].arg[blocks.first + k], inside || kgi_is_loop(&p->inst[i]), of_vars);
  }
  return count;
}

typedef struct memory { float x[LENGTH], y[LENGTH], block[2 * LENGTH]; } memory;

static void run(const kg_module *m, uint32_t n, uint32_t k, memory *out) {
  for (int i = 0; i < LENGTH; i++) out->x[i] = 3.0f + sinf((float)i * 1.7f), out->y[i] = (float)i;
  for (int i = 0; i < 2 * LENGTH; i++) out->block[i] = cosf((float)i);
  void *buffers[] = {out->x, out->y, out->block, out->block};
  const kg_reference_params params = {.module = m, .buffers = buffers, .param_bits = (uint64_t[]){n, k}};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
}

static kg_status hoist(kg_module *m, kgi_arena *scratch) { return kgi_hoist(m, m->program[1], true, scratch); }
static kg_status load_ahead(kg_module *m, kgi_arena *scratch) { return kgi_load_ahead(m, m->program[1], scratch); }

static void hold_to(const row *r, kg_status (*pass)(kg_module *, kgi_arena *), bool of_vars) {
  static char text[1024];
  kg_module *m = NULL;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 param n : u32 param m : u32 buffer x : f32[16] read "
    "buffer y : f32[16] read_write buffer p : f32[16] read view(set 0, binding 2, offset 0, stride 4) "
    "buffer q : f32[16] read_write view(set 0, binding 2, offset 4, stride 4) shared s : f32[1] %s }", r->body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s: %s", r->name, text);
  memory before[25], after;
  for (uint32_t n = 0; n < 25; n++) run(m, n % 5, n / 5, &before[n]);
  unsigned inside = loads_in(m->program[1], KGI_BODY, false, of_vars);
  ck_assert_msg(inside == r->before, "%s: %u loads are inside before, not %u", r->name, inside, r->before);
  kgi_arena scratch;
  kgi_arena_init(&scratch, &m->arena.alloc);
  ck_assert_int_eq(pass(m, &scratch), KG_OK);
  kgi_arena_free(&scratch);
  ck_assert_int_eq(kgi_validate(m, NULL), KG_OK);
  inside = loads_in(m->program[1], KGI_BODY, false, of_vars);
  ck_assert_msg(inside == r->after, "%s: %u loads are left inside, not %u", r->name, inside, r->after);
  for (uint32_t n = 0; n < 25; n++) {
    run(m, n % 5, n / 5, &after);
    ck_assert_msg(!memcmp(&before[n], &after, sizeof after), "%s: other bits at n = %u, m = %u", r->name, n % 5, n / 5);
  }
  kg_module_free(m);
}

START_TEST(loads) { hold_to(&rows[_i], hoist, true); } END_TEST
START_TEST(loads_ahead) { hold_to(&ahead[_i], load_ahead, false); } END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(loads, rows, name), KGT_TABLE(loads_ahead, ahead, name)};
  return kgt_run("foundation/hoist", tests, KGT_COUNT(tests));
}
