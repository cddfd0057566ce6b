/* What is done to adjoints once they are emitted: which of their loops run forward, where contributions of several loops are
 * added up, which barriers are left; and that the gradient is right either way. */
#include "tests/autodiff/autodiff_case.h"

#define LONE "program p { workgroup 1 grid 1 param n : u32 = 6 param m : u32 = 3\n" \
             "buffer x : f32[n] read buffer w : f32[n] read buffer y : f32[n] write buffer z : f32[n] write\n"
#define ROWS "program p { const T = 4 workgroup T grid rows param rows : u32 = 3 param cols : u32 = 6\n" \
             "buffer x : f32[rows * cols] read buffer w : f32[cols] read buffer y : f32[rows * cols] write shared part : f32[T]\n" \
             "let lane = local_id.x let base = workgroup_id.x * cols\n"
#define SUM "part[lane] = sum barrier for k in u32(0) .. 2 { " \
            "let half = T >> (k + 1) if lane < half { part[lane] += part[lane + half] } barrier }\n"

/* How often each is printed. -1: no matter. */
typedef struct row { const char *name, *text; int reversed, touches, loops; } row;
static const row rows[] = {
  {"each its own", LONE "for j in 0 .. n { y[j] = x[j] * x[j] } }", 0, 1, 1},
  {"a sum", LONE "var s = 0.0 for j in 0 .. n { s += x[j] * x[j] } y[0] = s }", 0, 1, 2},
  {"differences", LONE "var s = 0.0 for j in 0 .. n { s -= x[j] * x[j] } y[0] = s }", 0, 1, 2},
  {"to what outlives the loop", LONE "let a = w[0] for j in 0 .. n { y[j] = x[j] * a } }", 0, 1, 1},
  {"taken from what outlives the loop", LONE "let a = w[0] for j in 0 .. n { y[j] = x[j] - a } }", 0, 1, 1},
  {"a recurrence", LONE "var s = 1.0 for j in 0 .. n { s = s * 0.5 + x[j] } y[0] = s }", 1, 1, 2},
  {"a recurrence, backwards", LONE "var s = 1.0 for j in 0 .. n reversed { s = s * 0.5 + x[j] } y[0] = s }", 1, 1, 2},
  {"prefix sums", LONE "var s = 0.0 for j in 0 .. n { s += x[j] y[j] = s } }", 1, 1, 2},
  {"a local of each trip", LONE "for j in 0 .. n { var t = x[j] if t > 0.0 { t = t * t } y[j] = t } }", 0, 1, 1},
  {"neighbours", LONE "for j in 0 .. n { y[j] = x[j] * w[j] + x[j + 1] } }", 0, 2, -1},
  {"rows in rows", LONE "for j in 0 .. n { var t = 0.0 for k in 0 .. m { t += x[j] * w[k] } y[j] = t } }", 0, 1, -1},
  {"through an array that is shifted", LONE "var t : f32[8] for j in 0 .. n { t[j] = x[j] } for j in 0 .. n { t[j + 1] = t[j] "
     "* 0.5 + x[j] } y[0] = t[5] }", -1, -1, -1},
  {"twice", LONE "for j in 0 .. n { y[j] = x[j] * w[j] } for j in 0 .. n { z[j] = x[j] * x[j] } }", 0, 1, 1},
  {"twice, over other ranges", LONE "for j in 0 .. n { y[j] = x[j] * w[j] } for j in 0 .. m { z[j] = x[j] * x[j] } }", 0, -1, 4},
  {"twice, at other elements", LONE "for j in 0 .. n { y[j] = x[j] * w[j] } for j in 0 .. n { z[j] = x[n - 1 - j] * w[j] } "
     "}", 0, -1, -1},
  {"twice, then with a neighbour", LONE "var s = 0.0 for j in 0 .. n { let v = x[j + 1] * 2.0 s += v + x[j] * x[j] } y[0] = s\n"
                                   "for j in 0 .. n { z[j] = x[j] * w[j] } }", 0, 3, -1},
  {"with a neighbour, then again", LONE "var s = 0.0 for j in 0 .. n { s += x[j] * x[j] } y[0] = s\n"
                                   "for j in 0 .. n { let v = x[j] * w[j] z[j] = v + x[j + 1] } }", 0, 3, -1},
  {"two passes", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. cols step T { y[base + j] = x[base + j] * total } }", 1, 1, -1},
  {"two passes, of a function that one alone has", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. cols step T { y[base + j] = sin(x[base + j]) * total } }", 1, 2, -1},
  {"two passes, of a function that both have", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += exp(x[base + j]) }\n" SUM
                 "let total = part[0] for j in lane .. cols step T { y[base + j] = exp(x[base + j]) / total } }", 1, 1, -1},
  {"three passes", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] }\n" SUM "let mean = part[0] * 0.1 "
     "barrier\n"
                   "sum = 0.0 for j in lane .. cols step T { sum += (x[base + j] - mean) * x[base + j] }\n" SUM
                   "let total = part[0] for j in lane .. cols step T { y[base + j] = x[base + j] * total * w[j] } }", 2, 1, -1},
  {"a pass with a neighbour", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
                 "let total = part[0] for j in lane .. cols step T { var t = 0.0 if j + 1 < cols { t = x[base + j + 1] }\n"
                 "y[base + j] = x[base + j] * total + t } }", 1, -1, -1},
  {"a pass between that reads only a part", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + "
     "j] }\n" SUM
                 "let total = part[0] barrier sum = 0.0 for j in lane .. cols - 1 step T { sum += x[base + j] * total }\n" SUM
                 "let more = part[0] for j in lane .. cols step T { y[base + j] = x[base + j] * more } }", 2, -1, -1},
};

static int count(const char *text, const char *what) {
  int n = 0;
  for (; (text = strstr(text, what)) != NULL; text++) n++;
  return n;
}

static char *printed(const kg_module *m) {
  char *text = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  return text;
}

START_TEST(gradients) {
  const row *r = &rows[_i];
  const char *wrt = "x";
  adt_case c = {.seed = (uint32_t)_i + 3, .label = r->name, .params = {.wrt = &wrt, .wrt_count = 1}};
  adt_prepare(&c, r->text, NULL);
  char *text = printed(c.adjoint), *body = strstr(text, "program p_grad");
  int reversed = count(body, " reversed {"), touches = count(body, "grad_x["), loops = count(body, "for ");
  bool fine = (r->reversed < 0 || reversed == r->reversed) && (r->touches < 0 || touches == r->touches) && (r->loops < 0 ||
     loops == r->loops);
  ck_assert_msg(fine, "%s: %d reversed, %d touches, %d loops:\n%s", r->name, reversed, touches, loops, text);
  free(text);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* With respect to everything, whatever becomes of the loops. */
START_TEST(all_inputs) {
  adt_case c = {.seed = (uint32_t)_i + 11, .label = rows[_i].name};
  adt_prepare(&c, rows[_i].text, NULL);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* y = x[0] + 0.5 y_before, three times over: gradients 0.25, 0.5, 1. Forward they would be other ones. */
START_TEST(recurrence) {
  adt_case c = {.seed = 1};
  adt_prepare(&c, "program p { workgroup 1 grid 1 param n : u32 = 3 buffer x : f32[n] read buffer y : f32[1] write\n"
              "var s = 0.0 for j in 0 .. n { s = s * 0.5 + x[j] } y[0] = s }", NULL);
  adt_copy(&c.result, &c.before);
  adt_set(&c.result, "grad_y", 0, 1);
  adt_run(&c.result);
  ck_assert_double_eq(adt_get(&c.result, "grad_x", 0), 0.25);
  ck_assert_double_eq(adt_get(&c.result, "grad_x", 1), 0.5);
  ck_assert_double_eq(adt_get(&c.result, "grad_x", 2), 1);
  adt_free(&c);
} END_TEST

/* The reverse of a tree reduction: the lower half hands to the upper what it has, and keeps it. */
START_TEST(tree) {
  adt_case c = {.seed = 1};
  adt_prepare(&c, ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
              "if lane == 0 { y[base] = part[0] } }", NULL);
  char *text = printed(c.adjoint);
  ck_assert_msg(count(text, "grad_part[local_id.x] = 0.0") == 1, "%s", text); /* in the beginning */
  free(text);
  adt_free(&c);
} END_TEST

/* How many barriers are left in the adjoint, those of the forward sweep included. */
typedef struct stop { const char *name, *text; int barriers; } stop;
static const stop stops[] = {
  /* One before the tree and one in it, forward; back, two around the load of the root, one in the loop that other constants would
   * have in place of that, and one behind both. The last one forward and the first one back stood for the forward sweep's use of
   * `part` alone, where nothing follows that touches it. In a loop each barrier but those at the end of the last trip parts a load
   * from a store; forward two, back two. */
  {"a tree", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
             "let total = part[0] barrier for j in lane .. cols step T { y[base + j] = x[base + j] * total } }", 6},
  {"two of them, of one array", ROWS "var sum = 0.0 for j in lane .. cols step T { sum += x[base + j] * x[base + j] }\n" SUM
             "let total = part[0] barrier sum = total " SUM
             "let more = part[0] for j in lane .. cols step T { y[base + j] = x[base + j] * more } }", 14},
  {"exchanged", ROWS "part[lane] = x[base + lane] * x[base + lane] barrier y[base + lane] = part[(lane + 1) % T] }", 2},
  {"of no use", ROWS "let v = x[base + lane] barrier y[base + lane] = v * v barrier }", 0},
  {"in a loop", ROWS "var v = x[base + lane] for k in u32(0) .. 3 { part[lane] = v barrier v += part[(lane + k) % T] * 0.5 "
     "barrier }\n"
                "y[base + lane] = v }", 4},
};

START_TEST(barriers) {
  adt_case c = {.seed = 2, .label = stops[_i].name};
  adt_prepare(&c, stops[_i].text, (const uint64_t[]){3, 4});
  char *text = printed(c.adjoint);
  int left = count(text, "barrier");
  ck_assert_msg(left == stops[_i].barriers, "%s: %d barriers, not %d:\n%s", stops[_i].name, left, stops[_i].barriers, text);
  free(text);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

/* Nothing is to be reversed, and some invocations have left: a barrier behind them would be one that not all reach. */
START_TEST(leaves_early) {
  adt_case c = {.seed = 3, .may_vanish = true};
  adt_prepare(&c, ROWS "part[lane] = x[base] barrier if lane > 1 { y[base + lane] = 1.0 for k in 0 .. 1 { return } } }",
              (const uint64_t[]){3, 4});
  adt_run(&c.result);
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(gradients, rows, name), KGT_TABLE(all_inputs, rows, name),
                            KGT(recurrence), KGT(tree), KGT(leaves_early), KGT_TABLE(barriers, stops, name)};
  return kgt_run("autodiff/after", tests, KGT_COUNT(tests));
}
