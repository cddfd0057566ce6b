/* States that loops multiply: how many strong-zero products wait for the trip before, before and after, and the same results but for
 * rounding: with factors of 0, infinite ones, and states of 0. */
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
  {"one factor", "g = mulz(g, x[j])", 1, 1},
  {"one behind the other", "g = mulz(mulz(g, x[j]), y[j])", 2, 1},
  {"one behind the other, the other way round", "g = mulz(mulz(g, y[j]), x[j])", 2, 1},
  {"a difference", "g = mulz(mulz(g, x[j]), y[j]) - mulz(g, z[j])", 3, 1},
  {"a multiple and itself", "g = g + mulz(mulz(g, x[j]), y[j])", 2, 1},
  {"itself less a multiple", "g = g - mulz(mulz(g, x[j]), y[j])", 2, 1},
  {"what is negated", "g = -mulz(mulz(-g, x[j]), y[j])", 2, 1},
  {"a plain factor", "g = mulz(mulz(g, x[j]) * 0.5, y[j])", 2, 1},
  {"a choice", "g = select(x[j] > 1.0, mulz(g, x[j]), mulz(g, y[j]))", 2, 1},
  {"a choice of nothing", "g = mulz(select(x[j] > 1.0, mulz(g, x[j]), 0.0), y[j])", 2, 2},
  {"a choice of something", "g = mulz(select(x[j] > 1.0, mulz(g, x[j]), 2.0), y[j])", 2, 2},
  {"something added in front", "g = mulz(mulz(g + z[j], x[j]), y[j])", 2, 1},
  {"something added behind", "g = z[j] - mulz(mulz(g, x[j]), y[j])", 2, 1},
  {"something added between", "g = mulz(mulz(mulz(g, x[j]), y[j]) + z[j], x[j])", 3, 2},
  {"nothing added between", "g = mulz(mulz(mulz(g, x[j]) + 0.0, y[j]), x[j])", 3, 1},
  {"something added between two pairs", "g = mulz(mulz(mulz(mulz(g, x[j]), y[j]) + z[j], x[j]), z[j])", 4, 2},
  {"what lies between is wanted", "let h = mulz(g, x[j]) y[j] = h g = mulz(h, z[j])", 2, 2},
  {"the state is wanted", "y[j] = g g = mulz(mulz(g, x[j]), z[j])", 2, 2},
  {"what lies between is wanted in a branch", "let h = mulz(g, x[j]) if j == 1 { y[j] = h } g = mulz(h, z[j])", 2, 2},
  {"the result is wanted", "let h = mulz(mulz(g, x[j]), z[j]) y[j] = h g = h", 2, 2},
  {"a factor that is made of the state", "g = mulz(mulz(g, x[j] * g), z[j])", 2, 2},
  {"a product of two multiples", "g = mulz(mulz(g, x[j]), mulz(g, z[j]))", 3, 3},
  {"the state as a factor", "g = mulz(mulz(x[j], g), z[j])", 2, 2},
  {"a function of the state", "g = mulz(mulz(sin(g), x[j]), z[j])", 2, 2},
  {"two states", "let h = f f = mulz(mulz(h, x[j]), z[j]) g = mulz(mulz(g, z[j]), x[j])", 4, 2},
  {"a state by another", "let h = f f = mulz(mulz(h, x[j]), z[j]) g = mulz(mulz(g, h), x[j])", 4, 3},
};

static unsigned dependent(const kgi_program *p, uint32_t value, bool *known) {
  const kgi_inst *x = &p->inst[value];
  kgi_span operands = kgi_operands(x);
  bool is = x->kind == KGI_load && p->scope.object[x->arg[0]].space == KGI_VAR;
  for (unsigned n = 0; n < operands.count && x->kind == KGI_op; n++) is |= known[x->arg[operands.first + n]];
  return known[value] = is;
}

/* Strong-zero products of what is made of vars. */
static unsigned products(const kgi_program *p) {
  static bool known[1024];
  unsigned count = 0;
  memset(known, 0, sizeof known);
  ck_assert_uint_lt(p->inst_count, 1024);
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (dependent(p, i, known)) count += p->inst[i].kind == KGI_op && p->inst[i].op == KGI_OP_mulz;
  return count;
}

typedef struct memory { float x[LENGTH], y[LENGTH], z[LENGTH], out[2]; } memory;

/* Values that need no rounding, so that infinities and zeros are all that could differ. */
static void run(const kg_module *m, unsigned which, memory *out) {
  static const float some[] = {0, 2, INFINITY, -0.5f, 1, -4};
  for (unsigned i = 0; i < LENGTH; i++) {
    out->x[i] = some[(i + which) % LENGTH], out->y[i] = some[(i * 5 + which / LENGTH) % LENGTH];
    out->z[i] = some[1 + (i + which) % 5 / 2 * 2];
  }
  void *buffers[] = {out->x, out->y, out->z, out->out};
  const kg_reference_params params = {.module = m, .buffers = buffers, .param_bits = (uint64_t[]){which % 4, which % 3}};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
}

static void same(const char *name, unsigned which, const float *a, const float *b, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    double most = 1e-5 * fabs((double)a[i]);
    bool is = a[i] == b[i] || (isnan(a[i]) && !isfinite(b[i])) || fabs((double)a[i] - (double)b[i]) <= most;
    ck_assert_msg(is, "%s: %u: [%u] is %g, and was %g", name, which, i, (double)b[i], (double)a[i]);
  }
}

START_TEST(states) {
  const row *r = &rows[_i];
  char text[1024];
  kg_module *m = NULL;
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 param n : u32 param s : u32 buffer x : f32[6] read "
    "buffer y : f32[6] read_write buffer z : f32[6] read buffer out : f32[2] write "
    "var g = f32(s) var f = 1.5 for j in 0 .. n { %s } out[0] = g out[1] = f }", r->body);
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s: %s", r->name, text);
  static memory before[144], after;
  for (unsigned k = 0; k < KGT_COUNT(before); k++) run(m, k, &before[k]);
  kgi_program *p = m->program[1];
  kgi_builder b;
  kgi_arena scratch;
  kgi_arena_init(&scratch, NULL);
  kgi_builder_init(&b, m, NULL);
  ck_assert_int_eq(kgi_clean(m, p), KG_OK);
  ck_assert_msg(products(p) == r->before, "%s: %u before", r->name, products(p));
  kgi_resume_program(&b, p);
  uint32_t loop = 0;
  KGI_EACH_INSIDE(p, KGI_BODY, i)
    if (p->inst[i].kind == KGI_for && !loop) loop = i;
  ck_assert_int_eq(kgi_factor(&b, p, &loop, 1, &scratch), KG_OK);
  ck_assert_int_eq(kgi_validate_program(m, p, NULL), KG_OK);
  ck_assert_int_eq(kgi_clean(m, p), KG_OK);
  ck_assert_msg(products(p) == r->after, "%s: %u after", r->name, products(p));
  for (unsigned k = 0; k < KGT_COUNT(before); k++) {
    run(m, k, &after);
    same(r->name, k, before[k].out, after.out, 2), same(r->name, k, before[k].y, after.y, LENGTH);
  }
  kgi_arena_free(&scratch);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(states, rows, name)};
  return kgt_run("foundation/factor", tests, KGT_COUNT(tests));
}
