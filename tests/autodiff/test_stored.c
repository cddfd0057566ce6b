/* Gradients whose first contribution is stored: when that is so, when it must not be, and what comes out either way. Memory that is
 * not written is NaN here, and the reference watches for reads of it. */
#include "tests/autodiff/autodiff_case.h"

#define ROWS "program p { const T = 4 workgroup T grid rows param rows : u32 = 3 param cols : u32 = 6\n" \
             "buffer x : f32[rows * cols] read buffer y : f32[rows * cols] write buffer s : f32[rows] write shared part : " \
                "f32[T]\n" \
             "let lane = local_id.x let base = workgroup_id.x * cols\n"
#define SUM "part[lane] = sum barrier for k in u32(0) .. 2 { " \
            "let half = T >> (k + 1) if lane < half { part[lane] += part[lane + half] } barrier }\n"

typedef struct row { const char *name, *text; bool zeroed; } row;
static const row rows[] = {
  {"one pass", ROWS "for j in lane .. cols step T { y[base + j] = x[base + j] * x[base + j] } }", false},
  {"two passes", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. cols step T { y[base + j] = x[base + j] * total } }", false},
  {"three passes", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] }\n"
                   "for j in lane .. cols step T { sum += sin(x[base + j]) }\n" SUM
                   "let total = part[0] for j in lane .. cols step T { y[base + j] = exp(x[base + j]) * total } }", false},
  {"the last pass the other way round", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. cols step T reversed { y[base + j] = x[base + j] * total } }", false},
  {"rows of nothing", "program p { workgroup 2 grid rows param rows : u32 = 3 param cols : u32 = 0 param more : u32 = 2\n"
                      "buffer x : f32[rows * cols] read buffer w : f32[rows] read buffer y : f32[rows] write\n"
                      "var t = 0.0 for j in local_id.x .. cols step 2 { t += x[workgroup_id.x * cols + j] }\n"
                      "if local_id.x == 0 { y[workgroup_id.x] = w[workgroup_id.x] * w[workgroup_id.x] + t } }", false},
  {"neighbours in one loop", "program p { workgroup 1 grid rows param rows : u32 = 3 param cols : u32 = 6\n"
                             "buffer x : f32[rows * cols] read buffer y : f32[rows * cols] write let base = workgroup_id.x * cols\n"
                             "for j in 0 .. cols { var t = 0.0 if j + 1 < cols { t = x[base + j + 1] * 3.0 }\n"
                             "y[base + j] = x[base + j] * x[base + j] + t } }", true},
  {"the row turned round, further up", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + (cols - 1 - j)] * "
     "2.0 }\n" SUM
                 "let total = part[0] for j in lane .. cols step T { y[base + j] = x[base + j] * total } }", true},
  {"neighbours of one invocation, backwards", "program p { workgroup 1 grid 1 param n : u32 = 6 buffer x : f32[n] read buffer "
     "y : f32[n] write\n"
             "for j in 0 .. n reversed { let t = x[j + 1] * 3.0 y[j] = x[j] * x[j] + t } }", true},
  {"neighbours of one invocation", "program p { workgroup 1 grid 1 param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] "
     "write\n"
             "for j in 0 .. n { let t = x[j + 1] * 3.0 y[j] = x[j] * x[j] + t } }", true},
  {"half a row", ROWS "let most = cols / 2 var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. most step T { y[base + j] = x[base + j] * total } }", true},
  {"under a condition", ROWS "for j in lane .. cols step T { if j % 2 == 0 { y[base + j] = x[base + j] * x[base + j] } } }", true},
  {"under a condition of the data", ROWS "for j in lane .. cols step T { let v = x[base + j] if v > 0.0 { y[base + j] = v * v "
     "} } }", false},
  {"again and again", ROWS "for r in 0 .. 3 { var t = 0.0 for j in lane .. cols step T { t += x[base + j] * f32(r) }\n"
                      "part[lane] = t barrier if lane == 0 { s[workgroup_id.x] = part[0] + part[1] * part[2] } barrier } }", true},
  {"by everyone", "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n"
                  "let i = global_id.x if i < n { var t = 0.0 for j in 0 .. n { t += x[j] } y[i] = t * x[i] } }", true},
  {"once and by all", "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] "
     "write\n"
                      "let i = global_id.x if i < n { y[i] = x[0] * x[i] } }", true},
  {"in place", "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read_write buffer y : f32[n] write\n"
               "let i = global_id.x if i < n { y[i] = x[i] * x[i] x[i] = x[i] * 3.0 } }", false},
  {"a matrix", "program p { workgroup 2, 3 grid invocations m, n param n : u32 = 4 param m : u32 = 5\n"
               "buffer x : f32[n * m] read buffer y : f32[n * m] write let c = global_id.x let r = global_id.y\n"
               "if r < n && c < m { y[r * m + c] = sin(x[r * m + c]) } }", false},
  {"a row an invocation", "program p { workgroup 4 grid invocations n param n : u32 = 6 param m : u32 = 3\n"
                          "buffer x : f32[n * m] read buffer y : f32[n * m] write let i = global_id.x\n"
                          "if i < n { var t = 0.0 for j in 0 .. m { t += x[i * m + j] * x[i * m + j] }\n"
                          "for j in 0 .. m { y[i * m + j] = x[i * m + j] / (1.0 + t) } } }", false},
  {"on another grid", "module m { param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n"
                      "program p { workgroup 2 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
                      "let i = global_id.x if i < n { y[i] = x[i] * x[i] } } run p grid 2 }", true},
  {"by two runs", "module m { param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write buffer z : f32[n] write\n"
                  "program p { workgroup 2 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
                  "let i = global_id.x if i < n { y[i] = x[i] * x[i] } } run p run p(y = z) }", true},
  {"in a repeat", "module m { param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] read_write\n"
                  "program p { workgroup 2 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] read_write\n"
                  "let i = global_id.x if i < n { y[i] = y[i] + x[i] * x[i] } } repeat k in 0 .. 3 { run p } }", true},
};

static bool zeroes(const kg_module *m) {
  char *text = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  bool found = strstr(text, "(a = grad_x)") != NULL;
  free(text);
  return found;
}

START_TEST(gradients) {
  const row *r = &rows[_i];
  adt_case c = {.seed = (uint32_t)_i + 1, .label = r->name};
  adt_prepare(&c, r->text, NULL);
  ck_assert_msg(zeroes(c.adjoint) == r->zeroed, "%s: %s", r->name, r->zeroed ? "not zeroed" : "zeroed");
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* What the caller had in it stays, and is added to: x = 3, y = x * x, grad_y = 1 add 6 to 10. */
START_TEST(accumulated) {
  adt_case c = {.params = {.accumulate = true}};
  adt_prepare(&c, ROWS "for j in lane .. cols step T { y[base + j] = x[base + j] * x[base + j] } }", NULL);
  for (uint64_t i = 0; i < 18; i++) adt_set(&c.before, "x", i, 3);
  adt_copy(&c.result, &c.before);
  for (uint64_t i = 0; i < 18; i++) adt_set(&c.result, "grad_x", i, 10), adt_set(&c.result, "grad_y", i, 1);
  adt_run(&c.result);
  for (uint64_t i = 0; i < 18; i++) ck_assert_double_eq(adt_get(&c.result, "grad_x", i), 16);
  adt_free(&c);
} END_TEST

static const uint64_t size[][2] = {{1, 1}, {1, 4}, {2, 3}, {3, 4}, {2, 5}, {4, 9}, {5, 2}};

/* No size of a row, of the rows or of both changes that: 0 included. */
START_TEST(sizes) {
  adt_case c = {.seed = 5};
  adt_prepare(&c, rows[1 + _i % 2].text, size[_i / 2]);
  ck_assert(!zeroes(c.adjoint));
  adt_verify(&c);
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(gradients, rows, name), KGT(accumulated), KGT_TIMES(sizes, 2 * KGT_COUNT(size))};
  return kgt_run("autodiff/stored", tests, KGT_COUNT(tests));
}
