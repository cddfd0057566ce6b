/* Derivatives that functions state: in reverse, in forward mode and at second order, against what they were stated to be. */
#include "tests/autodiff/jvp_case.h"
#include "foundation/base/random.h"
#include "tests/support/devices.h"

#include <stdarg.h>

/* y[0] after the statements, by v = x[0]: its gradient, its tangent along 1, and the gradient's derivative along 1. */
typedef struct stated { const char *functions, *statements; double x, gradient, tangent, second; } stated;

#define PRODUCT "fn f(a : f64, b : f64) -> f64 = a * b pullback(g) = g * b, g * a\n"
#define THROUGH "fn f(a : f64) -> f64 = round(a) pullback(g) = g\n"
#define OTHER "fn f(a : f64) -> f64 = a * a pullback(g) = g * a * a * a\n" /* not its own: a^3 for 2 a */
#define BARE "fn f(a : f64) -> f64 = a * a "

static const stated rows[] = {
  /* straight through: v f(v) has the gradient f(v) + v, of which each term has the derivative 1 */
  {THROUGH, "y[0] = f(v)", 2.4, 1, 1, 0},
  {THROUGH, "y[0] = f(v) * v", 2.4, 4.4, 4.4, 2},
  {OTHER, "y[0] = f(v)", 2, 8, 8, 12},
  {OTHER, "y[0] = f(f(v))", 1, 1, 1, 6}, /* f(v)^3 v^3, whose derivative is 3 f(v)^2 v^3 v^3 + f(v)^3 3 v^2 */
  /* one argument twice, beside a constant, and what is no float */
  {PRODUCT, "y[0] = f(v, v)", 3, 6, 6, 2},
  {PRODUCT, "y[0] = f(2.0, v) + f(v, 3.0)", 3, 5, 5, 0},
  {PRODUCT, "y[0] = f(2.0, 5.0) + v", 3, 1, 1, 0},
  {PRODUCT, "let unused = f(v, v) y[0] = v * v", 3, 6, 6, 2},
  {"fn f(n : i32, a : f64, c : bool) -> f64 = select(c, f64(n) * a, a) pullback(g) = g * select(c, f64(n), 1.0)\n",
   "y[0] = f(3, v, v > 0.0) * f(5, v, v < 0.0)", 2, 12, 12, 6},
  /* forms of a linear formula */
  {"fn f(a : f64) -> f64 = a\n"
   "pullback(g) { let h = g * a let k = h / 4.0 return -(k - ldexp(g, 1)) + fma(a, g, 0.0) + mulz(g, a) }\n",
   "y[0] = f(v)", 2, 5.5, 5.5, 1.75}, /* -a / 4 + 2 + a + a */
  {"fn f(a : f64) -> f64 = max(a, 0.0) pullback(g) = select(a > 0.0, g * 3.0, 0.0)\n", "y[0] = f(v) + f(-v)", 2, 3, 3, 0},
  {"fn f(a : f64) -> f64 = a * a pullback(g) = 0.0\n", "y[0] = f(v) * v", 3, 9, 9, 0},
  {"fn f(a : f64) -> f64 = a * a pullback(g) = f64(f32(g)) * 2.0 * a\n", "y[0] = f(v)", 3, 6, 6, 2},
  {"fn f(a : f32) -> f64 = f64(a) pullback(g) = f32(3.0 * g) * a\n", "y[0] = f(f32(v))", 0.5, 1.5, 1.5, 3},
  /* pushforwards; both */
  {"fn f(a : f64, b : f64) -> f64 = a * b pushforward(ta, tb) = ta * b + tb * a\n", "y[0] = f(v, v * v)", 2, 12, 12, 12},
  {"fn f(a : f64, n : u32, b : f64) -> f64 = a * b pushforward(ta, tb) = select(n > 1, 2.0 * ta - tb, tb)\n",
   "y[0] = f(v, 2, v * v) + f(v, 0, v * v)", 3, 2, 2, 0},
  {BARE "pullback(g) = 7.0 * g pushforward(t) = 5.0 * t\n", "y[0] = f(v)", 2, 7, 5, 0},
  {BARE "pushforward(t) = 5.0 * t pullback(g) = 7.0 * g\n", "y[0] = f(v) * v", 2, 18, 14, 12},
  /* functions in functions, on either side */
  {PRODUCT "fn h(a : f64) -> f64 = f(a, a) * a\n", "y[0] = h(v)", 2, 12, 12, 12},
  {PRODUCT "fn h(a : f64) -> f64 = a pullback(g) = f(g, a * a)\n", "y[0] = h(v)", 3, 9, 9, 6},
  {PRODUCT "fn h(a : f64) -> f64 = a pullback(g) = g * f(a, a)\n", "y[0] = h(v)", 3, 9, 9, 6},
  {PRODUCT "fn h(a : f64, b : f64) -> f64 = a pushforward(s, t) = f(t, a) + f(s, b)\n", "y[0] = h(v, v * v)",
   2, 12, 12, 12}, /* 2 v v + v^2 */
  {"fn inner(a : real) -> real = a * a pullback(g) = 3.0 * a * g\n", "y[0] = inner(v) + f64(inner(f32(v)))", 2, 12, 12, 6},
  /* the strong zero: partials that are infinite, or none, where the result is not taken */
  {"fn f(a : f64) -> f64 = a pullback(g) = g / (a - 2.0)\n", "y[0] = select(v > 3.0, f(v), v)", 2, 1, 1, 0},
  {"fn f(a : f64) -> f64 = a pullback(g) = g * sqrt(-a)\n", "y[0] = select(v > 3.0, f(v), v)", 2, 1, 1, 0},
  /* loops with a state, and conditions: x^(3^k) by its value's cube, stated as it is */
  {"fn cube(a : f64) -> f64 = a * a * a pullback(g) = g * 3.0 * a * a\n",
   "var s = v for k in 0 .. 2 { s = cube(s) } y[0] = s", 1.25,
   9 * 5.9604644775390625, 9 * 5.9604644775390625, 72 * 4.76837158203125},
  {THROUGH, "var s = v var k : u32 = 0 while f(s) < 6.0 limit 9 { s = s * 2.0 k += 1 } y[0] = s * s", 1.6, 51.2, 51.2, 32},
};

static void make(const stated *r, char *text, size_t size) {
  static const char frame[] = "program p { workgroup 1 grid 1 buffer x : f64[1] read buffer y : f64[1] write\n%slet v = x[0] %s }";
  snprintf(text, size, frame, r->functions, r->statements);
}

static void close_to(const stated *r, const char *what, double got, double want) {
  ck_assert_msg(fabs(got - want) <= 1e-6 * fabs(want), "%s%s: %s is %.9g, not %.9g", r->functions, r->statements, what, got, want);
}

static double run(kg_module *m, const stated *r, const char *seed, const char *other, const char *wanted, double *beside) {
  adt_data d = {0};
  adt_allocate(&d, m, NULL, NULL);
  adt_set(&d, "x", 0, r->x), adt_set(&d, seed, 0, 1);
  if (other) adt_set(&d, other, 0, 1);
  adt_run(&d);
  double got = adt_get(&d, wanted, 0);
  if (beside) *beside = adt_get(&d, "grad_x", 0);
  adt_free_data(&d);
  return got;
}

START_TEST(values) {
  const stated *r = &rows[_i];
  char text[1200];
  adt_case note = {.seed = 1};
  kg_sink sink = {adt_note, &note};
  kg_module *m = NULL, *tangent = NULL, *product = NULL;
  make(r, text, sizeof text);
  ck_assert_msg(kg_module_parse(NULL, "test.kg", text, strlen(text), &sink, &m) == KG_OK, "%s\n%s", note.message, text);
  ck_assert_int_eq(kg_jvp(m, NULL, &sink, &tangent), KG_OK);
  ck_assert_int_eq(kg_hvp(m, NULL, &sink, &product), KG_OK);
  double gradient, second = run(product, r, "grad_y", "tan_x", "tan_grad_x", &gradient);
  close_to(r, "the gradient", gradient, r->gradient);
  close_to(r, "the tangent", run(tangent, r, "tan_x", NULL, "tan_y", NULL), r->tangent);
  close_to(r, "the second derivative", second, r->second);
  kg_module_free(product), kg_module_free(tangent), kg_module_free(m);
}
END_TEST

/* What is stated survives printing: the printed text states the same, inlined. */
START_TEST(printed) {
  const stated *r = &rows[_i];
  char text[1200], *printed;
  size_t size;
  kg_module *m = NULL, *again = NULL;
  kg_digest a, b;
  make(r, text, sizeof text);
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", text, strlen(text), NULL, &m), KG_OK);
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &printed, &size), KG_OK);
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", printed, size, NULL, &again), KG_OK);
  ck_assert_int_eq(kg_module_digest(m, NULL, &a), KG_OK);
  ck_assert_int_eq(kg_module_digest(again, NULL, &b), KG_OK);
  ck_assert_mem_eq(a.bytes, b.bytes, sizeof a.bytes);
  kg_bytes_free(NULL, printed, size + 1);
  kg_module_free(again), kg_module_free(m);
}
END_TEST

/* ---- random formulas ---- */

/* A formula that is written as what it comes to is worked out: what stands by each of its seeds, at the arguments a and b. */
typedef struct writer { uint64_t state; char text[6000]; size_t size; unsigned seeds; double a, b; } writer;
typedef struct slopes { double by[2]; } slopes;

static unsigned pick(writer *w, unsigned count) { return (unsigned)kgi_random_between(&w->state, 0, count); }

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  w->size += (size_t)vsnprintf(w->text + w->size, sizeof w->text - w->size, format, args);
  va_end(args);
  ck_assert_uint_lt(w->size, sizeof w->text);
}

static double coefficient(writer *w, unsigned depth) {
  double x, y;
  switch (depth ? pick(w, 7) : pick(w, 3)) {
  case 0: return put(w, "a"), w->a;
  case 1: return put(w, "b"), w->b;
  case 2: return put(w, "-1.5"), -1.5;
  case 3: return put(w, "sin("), x = sin(coefficient(w, depth - 1)), put(w, ")"), x;
  case 4: return put(w, "("), x = coefficient(w, depth - 1), put(w, " * "), y = coefficient(w, depth - 1), put(w, ")"), x * y;
  case 5: return put(w, "("), x = coefficient(w, depth - 1), put(w, " - "), y = coefficient(w, depth - 1), put(w, ")"), x - y;
  default: return put(w, "max("), x = coefficient(w, depth - 1), put(w, ", 0.25)"), fmax(x, 0.25);
  }
}

static slopes scaled(slopes x, double by) { return (slopes){{x.by[0] * by, x.by[1] * by}}; }
static slopes sum(slopes x, slopes y, double by) { return (slopes){{x.by[0] + by * y.by[0], x.by[1] + by * y.by[1]}}; }

static slopes linear(writer *w, unsigned depth);

/* word(L, F) or word(F, L). */
static slopes product(writer *w, const char *word, bool first, unsigned depth) {
  slopes x = {{0, 0}};
  double by = 0;
  put(w, "%s(", word);
  for (unsigned k = 0; k < 2; k++) {
    if (k) put(w, "%s", *word ? ", " : " * ");
    if ((k == 0) == first) x = linear(w, depth);
    else by = coefficient(w, 2);
  }
  put(w, ")");
  return scaled(x, by);
}

static slopes choice(writer *w, unsigned depth) {
  slopes yes, no = {{0, 0}};
  put(w, "select(");
  bool taken = coefficient(w, 1) > 0.3;
  put(w, " > 0.3, "), yes = linear(w, depth), put(w, ", ");
  if (pick(w, 3)) no = linear(w, depth);
  else put(w, "0.0");
  put(w, ")");
  return taken ? yes : no;
}

static slopes fused(writer *w, unsigned depth) {
  slopes x, y;
  double by;
  put(w, "fma("), x = linear(w, depth), put(w, ", "), by = coefficient(w, 1), put(w, ", "), y = linear(w, depth), put(w, ")");
  return sum(y, x, by);
}

static slopes linear(writer *w, unsigned depth) {
  slopes x, y;
  double by;
  unsigned seed = pick(w, w->seeds);
  if (!depth) return put(w, seed ? "t" : "s"), (slopes){{!seed, seed}};
  switch (pick(w, 12)) {
  case 0: return put(w, seed ? "t" : "s"), (slopes){{!seed, seed}};
  case 1: return put(w, "("), x = linear(w, depth - 1), put(w, " + "), y = linear(w, depth - 1), put(w, ")"), sum(x, y, 1);
  case 2: return put(w, "("), x = linear(w, depth - 1), put(w, " - "), y = linear(w, depth - 1), put(w, ")"), sum(x, y, -1);
  case 3: return put(w, "-("), x = linear(w, depth - 1), put(w, ")"), scaled(x, -1);
  case 4: return product(w, "", pick(w, 2), depth - 1);
  case 5: return product(w, "mulz", pick(w, 2), depth - 1);
  case 6: return product(w, "times", pick(w, 2), depth - 1);
  case 7:
    put(w, "("), x = linear(w, depth - 1), put(w, ") / max("), by = coefficient(w, 1), put(w, ", 0.5)");
    return scaled(x, 1 / fmax(by, 0.5));
  case 8: return put(w, "ldexp("), x = linear(w, depth - 1), put(w, ", -1)"), scaled(x, 0.5);
  case 9: return put(w, "stop_gradient("), x = linear(w, depth - 1), put(w, ")"), x;
  case 10: return fused(w, depth - 1);
  default: return choice(w, depth - 1);
  }
}

#define TIMES "fn times(u : f64, v : f64) -> f64 = u * v pullback(s) = s * v, u * s\n"

static double result(kg_module *m, double a, double b, const double *seeds, const char *seed, const char *wanted, unsigned k) {
  adt_data d = {0};
  adt_allocate(&d, m, NULL, NULL);
  adt_set(&d, "x", 0, a), adt_set(&d, "x", 1, b);
  for (unsigned n = 0; n < (seeds[1] != 0 ? 2 : 1); n++) adt_set(&d, seed, n, seeds[n]);
  adt_run(&d);
  double got = adt_get(&d, wanted, k);
  adt_free_data(&d);
  return got;
}

static void is_slope(const writer *w, double got, double want) {
  ck_assert_msg(fabs(got - want) <= 1e-9 * (1 + fabs(want)), "%s\nat %.17g, %.17g: %.17g, not %.17g", w->text, w->a, w->b, got,
                want);
}

/* A pullback of both arguments, and a pushforward that has nothing to do with it. */
START_TEST(random_formulas) {
  for (unsigned round = 0; round < 60; round++) {
    writer w = {.state = 1000 * (uint64_t)_i + round + 1, .seeds = 1};
    w.a = kgi_random_between(&w.state, -1.5, 1.5), w.b = kgi_random_between(&w.state, -1.5, 1.5);
    put(&w, "program p { workgroup 1 grid 1 buffer x : f64[2] read buffer y : f64[1] write\n" TIMES
            "fn f(a : f64, b : f64) -> f64 = a * b\npullback(s) = ");
    slopes back[2], forward;
    back[0] = linear(&w, 4), put(&w, ",\n"), back[1] = linear(&w, 4);
    w.seeds = 2, put(&w, "\npushforward(s, t) = "), forward = linear(&w, 5);
    put(&w, "\ny[0] = f(x[0], x[1]) }");
    kg_module *m = kgt_parse(w.text), *gradient = NULL, *tangent = NULL;
    ck_assert_int_eq(kg_grad(m, NULL, NULL, &gradient), KG_OK);
    ck_assert_int_eq(kg_jvp(m, NULL, NULL, &tangent), KG_OK);
    for (unsigned k = 0; k < 2; k++)
      is_slope(&w, result(gradient, w.a, w.b, (double[]){2, 0}, "grad_y", "grad_x", k), 2 * back[k].by[0]);
    is_slope(&w, result(tangent, w.a, w.b, (double[]){2, -3}, "tan_x", "tan_y", 0), 2 * forward.by[0] - 3 * forward.by[1]);
    kg_module_free(tangent), kg_module_free(gradient), kg_module_free(m);
  }
}
END_TEST

/* ---- what is refused, and what is not ---- */

typedef struct text { const char *functions, *id; } text;
static const text texts[] = {
  {"fn f(a : f32) -> f32 = a pullback(g) = min(g, 1.0)", "custom-not-linear"},
  {"fn f(a : f32) -> f32 = a pullback(g) = clamp(g, -1.0, 1.0)", "custom-not-linear"},
  {"fn f(a : f32) -> f32 = a pullback(g) = g * clamp(a, -1.0, 1.0)", ""},
  {"fn f(a : f32) -> f32 = a pullback(g) = g * g", "custom-not-linear"},
  {"fn f(a : f32) -> f32 = a pullback(g) = g + 1.0", "custom-not-linear"},
  {"fn f(a : f32) -> f32 = a pullback(g) = g + 0.0", ""},
  {"fn f(a : f32) -> f32 = a pullback(g) = a", "custom-not-linear"},
  {"fn f(a : f32) -> f32 = a pullback(g) = 1.0 / g", "custom-not-linear"},
  {"fn f(a : f32) -> f32 = a pullback(g) = select(g > 0.0, g, 0.0)", "custom-not-linear"},
  {"fn f(a : f32) -> f32 = a pullback(g) = f32(i32(g))", "custom-not-linear"},
  {"fn f(a : f32) -> f32 = a pullback(g) { let n = abs(g) return g }", ""},
  {"fn f(a : f32, b : f32) -> f32 = a pushforward(s, t) = s * t", "custom-not-linear"},
  {"fn s(a : f32) -> f32 = a * a pullback(g) = g fn f(a : f32) -> f32 = a pullback(g) = s(g)", "custom-not-linear"},
  {"fn f(a : f32, b : f32) -> f32 = a pullback(g) = g", "custom-count"},
  {"fn f(a : f32, b : f32) -> f32 = a pullback(g) = g, 0.0", ""},
  {"fn f(a : f32, n : u32) -> f32 = a pullback(g) = g, 0.0", "custom-count"},
  {"fn f(a : f32) -> f32 = a pullback(g, h) = g", "custom-count"},
  {"fn f(a : f32, b : f32) -> f32 = a pushforward(s) = s", "custom-count"},
  {"fn f(a : f32, n : u32) -> f32 = a pushforward(s) = s", ""},
  {"fn f(n : u32) -> f32 = f32(n) pullback(g) = g", "custom-no-floats"},
  {"fn f(a : f32) -> u32 = u32(a) pullback(g) = 0.0", "custom-no-floats"},
  {"fn f(n : u32) -> f32 = f32(n)", ""},
  {"fn f(a : f32) -> f32 = a pullback(g) = g pullback(g) = g", "stated-twice"},
  {"fn f(g : f32) -> f32 = g pullback(g) = g", "name-in-use"},
  {"fn f(a : f32) -> f32 { let g = a return g } pullback(g) = g", ""},
  {"fn f(a : f32) -> f32 { let b = a return b } pullback(g) = g * b", "unknown-name"},
  {"fn f(a : f32) -> f32 = a pullback(g) = f(g)", "recursion"},
  {"fn f(a : f32) -> f32 = a pullback(g) = f64(g)", "type-mismatch"},
  {"fn f(a : f64) -> f32 = f32(a) pullback(g) = f64(g)", ""},
  {"pullback f(a : f32) -> f32 = a", "custom-derivative"},
};

START_TEST(said) {
  const text *t = &texts[_i];
  char whole[600];
  adt_case note = {.seed = 1};
  kg_sink sink = {adt_note, &note};
  kg_module *m = NULL;
  snprintf(whole, sizeof whole, "program p { workgroup 1 grid 1 buffer x : f32[1] read_write\n%s\nx[0] = x[0] }", t->functions);
  kg_status status = kg_module_parse(NULL, "test.kg", whole, strlen(whole), &sink, &m);
  ck_assert_msg((status == KG_OK) == !*t->id && !strcmp(note.diag, t->id), "%s: %s %s", t->functions, note.diag, note.message);
  kg_module_free(m);
}
END_TEST

/* ---- memory ---- */

static kg_status parse(const kg_allocator *alloc, void *user) {
  kg_module *m = NULL;
  kg_status status = kg_module_parse(alloc, "test.kg", user, strlen(user), NULL, &m);
  kg_module_free(m);
  return status;
}

START_TEST(allocations) {
  char whole[1200];
  make(&rows[_i], whole, sizeof whole);
  ck_assert_uint_gt(kgt_fail_each_allocation(parse, whole), 5);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(values, rows, statements), KGT_TABLE(printed, rows, statements),
                            KGT_TIMES(random_formulas, 8), KGT_TABLE(said, texts, functions),
                            KGT_TABLE(allocations, rows, statements)};
  return kgt_run("autodiff/custom", tests, KGT_COUNT(tests));
}
