/* Adjoints of subgroup operations, and of atomic extremes, against values by hand: four lanes of a subgroup that has room for more. */
#include "tests/autodiff/autodiff_case.h"

enum { LANES = 4 };

/* y[l] = what `text` computes from the lane's number l and its value v; the gradient for cotangents of 1, 10, 100 and 1000. */
typedef struct row { const char *text; double x[LANES], gradient[LANES]; } row;

#define INF (double)INFINITY
#define NOT (double)NAN

#define EXTREME(first, then) "if l == 0 { s[0] = " first " } barrier " then " barrier r = s[0]"

static const row rows[] = {
  {"r = subgroup_add(v)", {1, 2, 3, 4}, {1111, 1111, 1111, 1111}},
  {"r = subgroup_inclusive_add(v)", {1, 2, 3, 4}, {1111, 1110, 1100, 1000}},
  {"r = subgroup_exclusive_add(v)", {1, 2, 3, 4}, {1110, 1100, 1000, 0}},
  /* sums pass on what is infinite, or no number */
  {"r = subgroup_inclusive_add(v)", {INF, NOT, -INF, 4}, {1111, 1110, 1100, 1000}},

  {"r = subgroup_mul(v)", {2, 3, 5, 7}, {105 * 1111, 70 * 1111, 42 * 1111, 30 * 1111}},
  {"r = subgroup_mul(v)", {2, 0, 3, 5}, {0, 30 * 1111, 0, 0}},
  {"r = subgroup_mul(v)", {0, 0, 3, 5}, {0, 0, 0, 0}},
  {"r = subgroup_inclusive_mul(v)", {2, 0, 3, 5}, {1, 20 + 600 + 30000, 0, 0}},
  {"r = subgroup_inclusive_mul(v)", {2, 3, 5, 7}, {1 + 30 + 1500 + 105000, 20 + 1000 + 70000, 600 + 42000, 30000}},
  {"r = subgroup_exclusive_mul(v)", {2, 0, 3, 5}, {10, 200 + 6000, 0, 0}},
  {"r = subgroup_exclusive_mul(v)", {2, 3, 5, 7}, {10 + 300 + 15000, 200 + 10000, 6000, 0}},
  {"r = f32(subgroup_mul(f64(v)))", {2, 3, 5, 7}, {105 * 1111, 70 * 1111, 42 * 1111, 30 * 1111}},
  {"r = f32(subgroup_inclusive_mul(f16(v)))", {2, 0, 3, 5}, {1, 20 + 600 + 30000, 0, 0}},

  /* equal shares, whatever the order */
  {"r = subgroup_max(v)", {1, 4, 3, 2}, {0, 1111, 0, 0}},
  {"r = subgroup_max(v)", {1, 3, 3, 2}, {0, 555.5, 555.5, 0}},
  {"r = subgroup_max(v)", {3, 3, 3, 3}, {277.75, 277.75, 277.75, 277.75}},
  {"r = subgroup_min(v)", {0, -0.0, 3, 0}, {1111.0 / 3, 1111.0 / 3, 0, 1111.0 / 3}},
  {"r = subgroup_max(v)", {INF, INF, 1, -INF}, {555.5, 555.5, 0, 0}},
  {"r = subgroup_max(v)", {-INF, -INF, -INF, -INF}, {277.75, 277.75, 277.75, 277.75}},
  {"r = subgroup_max(v)", {NOT, 3, 1, NOT}, {0, 1111, 0, 0}},
  {"r = subgroup_min(v)", {NOT, NOT, NOT, NOT}, {0, 0, 0, 0}},
  {"r = f32(subgroup_min(f16(v)))", {1, 3, 1, 2}, {555.5, 0, 555.5, 0}},
  {"r = subgroup_inclusive_max(v)", {1, 1, 3, 3}, {6, 5, 600, 500}},
  {"r = subgroup_inclusive_min(v)", {1, 1, 3, 1}, {1 + 5 + 50 + 1000.0 / 3, 5 + 50 + 1000.0 / 3, 0, 1000.0 / 3}},
  {"r = subgroup_exclusive_max(v)", {1, 1, 3, 3}, {60, 50, 1000, 0}},
  {"r = subgroup_exclusive_max(v)", {-INF, NOT, 3, 3}, {10 + 100, 0, 1000, 0}},

  {"r = subgroup_broadcast(v, 2)", {1, 2, 3, 4}, {0, 0, 1111, 0}},
  {"r = subgroup_broadcast(v, 9)", {1, 2, 3, 4}, {0, 0, 0, 0}},
  {"r = subgroup_broadcast_first(v)", {1, 2, 3, 4}, {1111, 0, 0, 0}},
  {"r = subgroup_shuffle(v, 3 - l)", {1, 2, 3, 4}, {1000, 100, 10, 1}},
  {"r = subgroup_shuffle(v, l / 2)", {1, 2, 3, 4}, {11, 1100, 0, 0}},
  {"r = subgroup_shuffle(v, l * 3)", {1, 2, 3, 4}, {1, 0, 0, 10}},
  {"r = subgroup_shuffle_xor(v, 1)", {1, 2, 3, 4}, {10, 1, 1000, 100}},
  {"r = subgroup_shuffle_xor(v, 5)", {1, 2, 3, 4}, {0, 0, 0, 0}},
  {"r = subgroup_shuffle_xor(v, l)", {1, 2, 3, 4}, {1111, 0, 0, 0}},
  {"r = subgroup_shuffle_up(v, 1)", {1, 2, 3, 4}, {10, 100, 1000, 0}},
  {"r = subgroup_shuffle_down(v, 1)", {1, 2, 3, 4}, {0, 1, 10, 100}},
  {"r = subgroup_shuffle_up(v, u32(0) - 1)", {1, 2, 3, 4}, {0, 1, 10, 100}},
  {"r = subgroup_shuffle_up(v, l)", {1, 2, 3, 4}, {1111, 0, 0, 0}},
  {"r = subgroup_shuffle_down(v, 3 - l)", {1, 2, 3, 4}, {0, 0, 0, 1111}},

  /* some lanes alone */
  {"if l != 1 { r = subgroup_inclusive_add(v) }", {1, 2, 3, 4}, {1101, 0, 1100, 1000}},
  {"if l != 0 { r = subgroup_broadcast_first(v) }", {1, 2, 3, 4}, {0, 1110, 0, 0}},
  {"if l != 1 { r = subgroup_shuffle_up(v, 1) }", {1, 2, 3, 4}, {0, 0, 1000, 0}},
  {"if l != 1 { r = subgroup_mul(v) }", {2, 0, 3, 5}, {15 * 1101, 0, 10 * 1101, 6 * 1101}},
  {"if l != 1 { r = subgroup_exclusive_mul(v) }", {2, 0, 3, 5}, {100 + 3000, 0, 2000, 0}},
  {"if l != 1 { r = subgroup_max(v) }", {2, 9, 3, 3}, {0, 0, 550.5, 550.5}},
  {"if l % 2 == 0 { r = subgroup_add(v) } else { r = subgroup_add(v * 3.0) }", {1, 2, 3, 4}, {101, 3030, 101, 3030}},

  /* loops whose trips differ: in trip j all lanes behind the j-th are there, and others would be if each began with its last */
  {"for j in 0 .. l { r += subgroup_add(v * f32(j + 1)) }", {1, 2, 3, 4}, {0, 1110, 1110 + 2200, 1110 + 2200 + 3000}},
  {"for j in 0 .. l reversed { r += subgroup_add(v * f32(j + 1)) }", {1, 2, 3, 4}, {0, 1110, 2 * 1110 + 1100, 3 * 1110 + 2200 + 1000}},
  {"for j in l .. 8 step 2 { r += subgroup_add(v) }", {1, 2, 3, 4}, {4 * 11 + 3300, 4 * 11 + 3300, 3 * 1111, 3 * 1111}},
  {"for k in i32(l) - 2 .. 0 { r += subgroup_inclusive_add(v) * f32(k + 3) }", {1, 2, 3, 4}, {1 + 20 + 2, 20, 0, 0}},
  {"for j in 0 .. l { for k in 0 .. j + 1 { r += subgroup_add(v) } }", {1, 2, 3, 4}, {0, 1110, 1110 + 2200, 1110 + 2200 + 3000}},

  /* atomics: to the operand that is held in the end, at a tie to who came first, in order of lanes here, what was there included */
  {EXTREME("-inf", "atomic_max(s[0], v)"), {1, 4, 3, 2}, {0, 1111, 0, 0}},
  {EXTREME("-inf", "atomic_max(s[0], v)"), {1, 3, 3, 2}, {0, 1111, 0, 0}},
  {EXTREME("3.0", "atomic_max(s[0], v)"), {1, 3, 3, 2}, {0, 0, 0, 0}},
  {EXTREME("nan", "atomic_max(s[0], v)"), {NOT, 3, 1, NOT}, {0, 1111, 0, 0}},
  {EXTREME("inf", "atomic_min(s[0], v * v)"), {4, -2, 3, NOT}, {0, -4444, 0, 0}},
  {EXTREME("x[2] * x[2]", "atomic_min(s[0], v + 20.0)"), {1, 2, 3, 4}, {0, 0, 6666, 0}},
  {EXTREME("x[2] * x[2]", "for j in 0 .. l { atomic_max(s[0], v * f32(j + 1)) }"), {1, 2, 3, 4}, {0, 0, 0, 3333}},
  {EXTREME("x[2] * x[2]", "atomic_max(s[0], 50.0)"), {1, 2, 3, 4}, {0, 0, 0, 0}},
  {EXTREME("x[2] * x[2]", "if l == 1 { atomic_max(s[0], v) } atomic_max(s[0], 5.0)"), {1, 9.5, 3, 4}, {0, 1111, 0, 0}},
};

static void write_program(char *text, size_t size, const char *body) {
  snprintf(text, size, "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write\n"
                       "shared s : f32[1] let l = local_index let v = x[l] var r = 0.0\n%s\ny[l] = r }", body);
}

START_TEST(by_hand) {
  const row *w = &rows[_i];
  static const double cotangent[LANES] = {1, 10, 100, 1000};
  char text[600];
  adt_case c = {.seed = 1};
  write_program(text, sizeof text, w->text);
  adt_prepare(&c, text, NULL);
  adt_copy(&c.result, &c.before);
  for (uint64_t l = 0; l < LANES; l++) adt_set(&c.result, "x", l, w->x[l]), adt_set(&c.result, "grad_y", l, cotangent[l]);
  adt_run(&c.result);
  for (uint64_t l = 0; l < LANES; l++) {
    double got = adt_get(&c.result, "grad_x", l);
    ck_assert_msg(fabs(got - w->gradient[l]) <= 1e-6 * fabs(w->gradient[l]), "%s, lane %u: %.9g, not %.9g", w->text, (unsigned)l, got,
                  w->gradient[l]);
  }
  adt_free(&c);
}
END_TEST

/* The same by duals, whose rules are others, for cotangents at random. */
START_TEST(by_duals) {
  const row *w = &rows[_i];
  char text[600];
  adt_case c = {.seed = 3, .may_vanish = true};
  write_program(text, sizeof text, w->text);
  adt_prepare(&c, text, NULL);
  for (uint64_t l = 0; l < LANES; l++)
    if (isfinite(w->x[l])) adt_set(&c.before, "x", l, w->x[l]);
  adt_verify(&c);
  adt_free(&c);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(by_hand, KGT_COUNT(rows)), KGT_TIMES(by_duals, KGT_COUNT(rows))};
  return kgt_run("autodiff/lanes", tests, KGT_COUNT(tests));
}
