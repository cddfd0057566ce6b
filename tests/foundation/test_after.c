/* Sums of multiples: how many strong-zero products the loop is left with, and the same results but for rounding: with factors of 0, infinite
 * ones, loops without a trip, and sums that are 0. */
#include "foundation/passes/clean.h"
#include "foundation/passes/passes.h"
#include "foundation/ir/validate.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH = 6 };

typedef struct row { const char *name, *body; unsigned before, after; } row;
static const row rows[] = {
  {"one multiple", "f += mulz(g, x[j])", 1, 0},
  {"taken away", "f -= mulz(g, x[j])", 1, 0},
  {"the var behind", "f = mulz(g, x[j]) + f", 1, 0},
  {"twice", "let v = mulz(g, x[j]) f += v + v", 1, 0},
  {"a sum of two", "f += mulz(g, x[j]) + mulz(g, y[j])", 2, 0},
  {"a difference of two, negated", "f += -(mulz(g, x[j]) - mulz(g, y[j]))", 2, 0},
  {"a plain factor", "f += mulz(g, x[j]) * 0.5", 1, 0},
  {"two vars", "f += mulz(g, x[j]) h -= mulz(g, y[j])", 2, 0},
  {"two vars, two factors", "f += mulz(g, x[j]) h -= mulz(e, y[j])", 2, 0},
  {"multiples of two", "f += mulz(g, x[j]) + mulz(e, y[j])", 2, 2},
  {"a plain factor that is a value", "f += mulz(g, x[j]) * y[j]", 1, 1},
  {"something else is added", "f += mulz(g, x[j]) + y[j]", 1, 1},
  {"the factor that stays is the second", "f += mulz(x[j], g)", 1, 1},
  {"a factor that moves", "f += mulz(y[j], x[j])", 1, 1},
  {"the var is the factor", "f += mulz(f, x[j])", 1, 1},
  {"the product is wanted", "let v = mulz(g, x[j]) y[j] = v f += v", 1, 1},
  {"the sum is wanted", "let v = f + mulz(g, x[j]) y[j] = v f = v", 1, 1},
  {"the var is looked at", "f += mulz(g, x[j]) y[j] = f", 1, 1},
  {"the var is looked at in a branch", "if j == 1 { y[j] = f } f += mulz(g, x[j])", 1, 1},
  {"the var is stored to as well", "if j == 1 { f = 0.5 } f += mulz(g, x[j])", 1, 1},
  {"it is added to twice", "f += mulz(g, x[j]) f += mulz(g, y[j])", 2, 2},
  {"in a branch", "if j > 0 { f += mulz(g, x[j]) }", 1, 1},
  {"a var of the body", "var t = y[j] t += mulz(g, x[j]) y[j] = t", 1, 1},
  {"the var is taken from", "f = mulz(g, x[j]) - f", 1, 1},
};

static unsigned products(const kgi_program *p, uint32_t loop) {
  unsigned count = 0;
  KGI_EACH_INSIDE(p, p->inst[loop].arg[3], i) count += p->inst[i].kind == KGI_op && p->inst[i].op == KGI_OP_mulz;
  return count;
}

static uint32_t first_loop(const kgi_program *p) {
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_for) return i;
  return 0;
}

typedef struct memory { float x[LENGTH], y[LENGTH], z[LENGTH], out[2]; } memory;

/* Values that need no rounding, so that infinities and zeros are all that could differ. */
static void run(const kg_module *m, unsigned which, memory *out) {
  static const float some[] = {0, 2, INFINITY, -0.5f, -2, -4};
  for (unsigned i = 0; i < LENGTH; i++) {
    out->x[i] = some[(i + which) % LENGTH], out->y[i] = some[(i * 5 + which / LENGTH) % LENGTH];
    out->z[i] = some[(i + which) % LENGTH];
  }
  void *buffers[] = {out->x, out->y, out->z, out->out};
  const kg_reference_params params = {.module = m, .buffers = buffers, .param_bits = (uint64_t[]){which % 5}};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
}

/* What was NaN, as infinity less infinity, may be something infinite. */
static void same(const char *name, unsigned which, const float *a, const float *b, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    bool is = a[i] == b[i] || (isnan(a[i]) && !isfinite(b[i]));
    ck_assert_msg(is, "%s: %u: [%u] is %g, and was %g", name, which, i, (double)b[i], (double)a[i]);
  }
}

START_TEST(sums) {
  const row *r = &rows[_i];
  char text[1024];
  kg_module *m = NULL;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 param n : u32 buffer x : f32[6] read buffer y : f32[6] read_write "
    "buffer z : f32[6] read buffer out : f32[2] write let g = z[1] let e = z[2] var h = 0.25 var f = 1.5 for j in 0 .. n { %s } out[0] = h out[1] = f }", r->body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s: %s", r->name, text);
  static memory before[180], after;
  for (unsigned k = 0; k < KGT_COUNT(before); k++) run(m, k, &before[k]);
  kgi_program *p = m->program[1];
  kgi_builder b;
  kgi_arena scratch;
  kgi_arena_init(&scratch, NULL);
  kgi_builder_init(&b, m, NULL);
  ck_assert_int_eq(kgi_clean(m, p), KG_OK);
  uint32_t loop = first_loop(p);
  ck_assert_msg(products(p, loop) == r->before, "%s: %u before", r->name, products(p, loop));
  kgi_resume_program(&b, p);
  ck_assert_int_eq(kgi_multiply_after(&b, p, &loop, 1, &scratch), KG_OK);
  ck_assert_int_eq(kgi_validate_program(m, p, NULL), KG_OK);
  ck_assert_int_eq(kgi_clean(m, p), KG_OK);
  loop = first_loop(p);
  ck_assert_msg(products(p, loop) == r->after, "%s: %u after", r->name, products(p, loop));
  for (unsigned k = 0; k < KGT_COUNT(before); k++) {
    run(m, k, &after);
    same(r->name, k, before[k].out, after.out, 2), same(r->name, k, before[k].y, after.y, LENGTH);
  }
  kgi_arena_free(&scratch);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(sums, rows, name)};
  return kgt_run("foundation/after", tests, KGT_COUNT(tests));
}
