/* Programs that name their adjoint, among runs that have none: the gradient is right where the stated adjoint is, and refused where it
 * cannot do. */
#include "tests/autodiff/autodiff_case.h"

#define HEAD "module m { param n : u32 = 21\n buffer x : f32[n] read\n buffer w : f32[n] read_write\n buffer h : f32[n] temp\n" \
             "buffer k : u32[n] temp\n buffer y : f32[n] write\n"
#define SIZE "workgroup 8 grid invocations n param n : u32\n"
#define BEFORE "program before { " SIZE "buffer x : f32[n] read buffer h : f32[n] write\n" \
               "if global_id.x < n { h[global_id.x] = x[global_id.x] * x[n - 1 - global_id.x] } }\n"
#define AFTER "program after { " SIZE "buffer h : f32[n] read buffer x : f32[n] read buffer y : f32[n] write\n" \
              "if global_id.x < n { y[global_id.x] = h[global_id.x] * x[0] + h[n - 1 - global_id.x] } }\n"
/* In place, with what it leaves as its own derivative. */
#define EXP "program step adjoint back { " SIZE "buffer h : f32[n] read_write\n" \
            "if global_id.x < n { h[global_id.x] = exp(h[global_id.x]) } }\n"
#define EXP_BACK "program back { " SIZE "buffer h : f32[n] read buffer grad_h : f32[n] read_write\n" \
                 "if global_id.x < n { grad_h[global_id.x] *= h[global_id.x] } }\n"
/* h = h / 2 + w, which needs no contents. */
#define LINE "program step adjoint back { " SIZE "buffer h : f32[n] read_write buffer w : f32[n] read\n" \
             "if global_id.x < n { h[global_id.x] = 0.5 * h[global_id.x] + w[global_id.x] } }\n"
#define LINE_BACK "program back { " SIZE "buffer grad_h : f32[n] read_write buffer grad_w : f32[n] read_write\n" \
                  "let i = global_id.x if i < n { grad_w[i] += grad_h[i] grad_h[i] = 0.5 * grad_h[i] } }\n"

/* Rounds that leave all of their states behind. */
#define HISTORY "module m { param n : u32 = 7 buffer x : f32[n] read_write buffer h : f32[n * 5] read_write buffer y : f32[n] write\n" \
  "program step adjoint back { " SIZE "buffer a : f32[n] read buffer b : f32[n] write\n" \
  "let i = global_id.x if i < n { b[i] = sin(a[i]) * a[n - 1 - i] + 0.5 } }\n" \
  "program back { " SIZE "buffer a : f32[n] read buffer grad_a : f32[n] read_write buffer grad_b : f32[n] read_write\n" \
  "let i = global_id.x let j = n - 1 - i\n" \
  "if i < n { grad_a[i] += cos(a[i]) * a[j] * grad_b[i] + sin(a[j]) * grad_b[j] }\n" \
  "barrier if i < n { grad_b[i] = 0.0 } }\n" AFTER
#define PAIR "program step adjoint back { " SIZE "buffer a : f32[n] read buffer b : f32[n] read buffer h : f32[n] write\n" \
  "if global_id.x < n { h[global_id.x] = a[global_id.x] - 2.0 * b[global_id.x] } }\n" \
  "program back { " SIZE "buffer grad_a : f32[n] read_write buffer grad_b : f32[n] read_write buffer grad_h : f32[n] read_write\n" \
  "let i = global_id.x if i < n { grad_a[i] += grad_h[i] grad_b[i] -= 2.0 * grad_h[i] grad_h[i] = 0.0 } }\n"

typedef struct row { const char *name, *text; } row;
static const row rows[] = {
  {"in a chain", HEAD BEFORE EXP EXP_BACK AFTER "run before run step run after }"},
  {"the adjoint is declared first", HEAD EXP_BACK BEFORE AFTER EXP "run before run step run after }"},
  {"first and last, on an input that is an output", HEAD EXP EXP_BACK "run step(h = w) }"},
  {"what it overwrites is overwritten before", HEAD BEFORE LINE LINE_BACK AFTER
   "run before run step run after run before run step(w = x) run after(y = w) }"},
  {"two runs of it", HEAD BEFORE LINE LINE_BACK AFTER "run before run step run step(w = x) run after }"},
  {"an input that is overwritten by it", HEAD LINE LINE_BACK AFTER "run step(h = w, w = x) run after(h = w) }"},
  {"in a repeat", HEAD BEFORE LINE LINE_BACK AFTER "run before repeat r in 0 .. 3 { run step } run after }"},
  {"in a repeat, around another run", HEAD BEFORE LINE LINE_BACK AFTER
   "run before repeat r in 0 .. 2 { repeat q in r .. 3 { run step } run step(w = x) } run after }"},
  {"a repeat of no round", HEAD BEFORE LINE LINE_BACK AFTER "run before repeat r in 0 .. 0 { run step } run after }"},
  {"on slices", "module m { param n : u32 = 9 buffer x : f32[2 * n] read buffer h : f32[2 * n] read_write buffer y : f32[n] write\n"
   LINE LINE_BACK AFTER "run step(h = h[n .. 2 * n], w = x[2 .. n + 2]) run step(h = h[0 .. n], w = x[n .. 2 * n]) run after(h = h[n - 4 .. 2 * n - 4], x = x[3 .. n + 3]) }"},
  {"slices of which it writes one", HISTORY
   "repeat k in 0 .. 4 { run step(a = h[k * n .. (k + 1) * n], b = h[(k + 1) * n .. (k + 2) * n]) }\n"
   "run after(h = h[4 * n .. 5 * n]) }"},
  {"slices that it only reads", "module m { param n : u32 = 5 buffer x : f32[3 * n] read buffer y : f32[n] write\n" PAIR
   "run step(a = x[0 .. n], b = x[2 * n .. 3 * n], h = y) }"},
  {"a loop without a bound", HEAD BEFORE
   "program step adjoint back { " SIZE "buffer h : f32[n] read buffer y : f32[n] write\n"
   "let i = global_id.x if i < n { let a = 1.0 + h[i] * h[i] var v = a while abs(v * v - a) > 0.00001 { v = 0.5 * (v + a / v) } y[i] = 0.5 * (v + a / v) } }\n"
   "program back { " SIZE "buffer h : f32[n] read buffer y : f32[n] read buffer grad_h : f32[n] read_write buffer grad_y : f32[n] read_write\n"
   "let i = global_id.x if i < n { grad_h[i] += grad_y[i] * h[i] / y[i] grad_y[i] = 0.0 } }\n"
   "run before run step }"},
  {"a count beside it", HEAD BEFORE
   "program step adjoint back { " SIZE "buffer h : f32[n] read_write buffer k : u32[n] write\n"
   "let i = global_id.x if i < n { k[i] = u32(abs(h[i]) * 4.0) h[i] = exp(h[i]) } }\n" EXP_BACK
   "program use { " SIZE "buffer k : u32[n] read buffer h : f32[n] read buffer y : f32[n] write\n"
   "if global_id.x < n { y[global_id.x] = h[global_id.x] * f32(k[global_id.x]) } }\n"
   "run before run step run use }"},
  {"contributions to one element", "module m { param n : u32 = 21 buffer x : f32[n] read buffer h : f32[n] temp buffer total : f32 read_write\n"
   BEFORE
   "program step adjoint back { " SIZE "buffer h : f32[n] read buffer sum : f32 read_write\n"
   "if global_id.x < n { atomic_add(sum, sin(h[global_id.x])) } }\n"
   "program back { " SIZE "buffer h : f32[n] read buffer grad_h : f32[n] read_write buffer grad_sum : f32 read_write\n"
   "if global_id.x < n { grad_h[global_id.x] += grad_sum * cos(h[global_id.x]) } }\n"
   "run before run step(sum = total) }"},
  {"half floats", "module m { param n : u32 = 21 buffer x : f16[n] read buffer h : f16[n] read_write buffer b : bf16[n] write buffer d : f64[n] write\n"
   "program step adjoint back { " SIZE "buffer x : f16[n] read buffer b : bf16[n] write buffer d : f64[n] write\n"
   "let i = global_id.x if i < n { b[i] = f32(x[i]) * 2.0 d[i] = f64(x[i]) * 4.0 } }\n"
   "program back { " SIZE "buffer grad_x : f32[n] read_write buffer grad_b : f32[n] read_write buffer grad_d : f64[n] read_write\n"
   "let i = global_id.x if i < n { grad_x[i] += 2.0 * grad_b[i] + 4.0 * f32(grad_d[i]) grad_b[i] = 0.0 grad_d[i] = 0.0 } }\n"
   "run step }"},
};

START_TEST(gradients) {
  adt_holds(rows[_i].text);
} END_TEST

/* ---- params ---- */

#define TWO "program step adjoint back { " SIZE "param a : f32 param c : f64 = 0.25 buffer x : f32[n] read buffer y : f32[n] read_write\n" \
            "let i = global_id.x if i < n { y[i] = y[i] * a + f32(c) * x[i] * x[i] } }\n"
#define TWO_BACK "program back { " SIZE "param a : f32 param c : f64 = 0.25 buffer x : f32[n] read buffer grad_x : f32[n] read_write\n" \
  "buffer grad_y : f32[n] read_write buffer grad_c : f64[1] read_write\n" \
  "let i = global_id.x if i < n { let g = grad_y[i] grad_x[i] += 2.0 * f32(c) * x[i] * g grad_y[i] = a * g\n" \
  "atomic_add(grad_c[0], f64(x[i] * x[i] * g)) } }\n"
/* y += a x, which needs no contents of y: its param may have a shadow in any repeat. */
#define ADD "program step adjoint back { " SIZE "param a : f32 param c : f32 = 3.0 buffer x : f32[n] read buffer y : f32[n] read_write\n" \
            "let i = global_id.x if i < n { y[i] += (a + c) * x[i] } }\n"
#define ADD_BACK "program back { workgroup 1 grid 1 param n : u32 param a : f32 param c : f32 = 3.0 buffer x : f32[n] read\n" \
  "buffer grad_x : f32[n] read_write buffer grad_y : f32[n] read_write\n" \
  "buffer grad_a : f32[1] read_write buffer grad_c : f32[1] read_write\n" \
  "for i in 0 .. n { grad_a[0] += x[i] * grad_y[i] grad_c[0] += x[i] * grad_y[i] grad_x[i] += (a + c) * grad_y[i] } }\n"
#define PARAMS "module m { param n : u32 = 21 param s : f32 = 1.25 param r : f64 = 0.5 param u : f32 = -0.5\n" \
               "buffer x : f32[n] read buffer y : f32[n] read_write\n"
#define ALSO "program also { " SIZE "param a : f32 buffer y : f32[n] read_write let i = global_id.x if i < n { y[i] = sin(a) * y[i] } }\n"

typedef struct asked { const char *name, *text, *wrt[4]; } asked;
static const asked by_params[] = {
  {"one of them", PARAMS TWO TWO_BACK "run step(a = 2.0, c = r) }", {"r"}},
  {"and a buffer", PARAMS TWO TWO_BACK "run step(a = 2.0, c = r) }", {"r", "x", "y"}},
  {"two, in a repeat", PARAMS ADD ADD_BACK "repeat k in 0 .. 3 { run step(a = s, c = u) } }", {"s", "u", "x"}},
  {"in turn", PARAMS ADD ADD_BACK "run step(a = s, c = u) run step(a = u, c = s) run step(a = u, c = 2.0) }", {"s", "u"}},
  {"what is not asked for", PARAMS ADD ADD_BACK "run step(a = s, c = u) run step(a = u, c = s) }", {"u"}},
  {"nothing is asked for", PARAMS ADD ADD_BACK "run step(a = s, c = u) run step(a = u) }", {"x"}},
  {"beside other runs", PARAMS ADD ADD_BACK ALSO "run also(a = s) run step(a = s, c = u) run also(a = u) }", {"s", "u"}},
};

START_TEST(params) {
  const asked *row = &by_params[_i];
  for (int kind = 0; kind < 3; kind++) {
    adt_case c = {.seed = 11, .params = {.wrt = row->wrt, .accumulate = kind == 1, .deterministic = kind == 2}};
    while (c.params.wrt_count < 4 && row->wrt[c.params.wrt_count]) c.params.wrt_count++;
    adt_prepare(&c, row->text, NULL);
    adt_verify(&c);
    adt_free(&c);
  }
} END_TEST

/* The adjoint of a product that is written by hand, and the one that is made. */
#define PRODUCT_HEAD "module m { param n : u32 = 7 param m : u32 = 5 param k : u32 = 6\n" \
  "buffer a : f32[n, k] read buffer b : f32[k, m] read buffer c : f32[n, m] write\n"
#define PRODUCT "{ workgroup 4, 4 grid invocations n, m param n : u32 param m : u32 param k : u32\n" \
  "buffer a : f32[n, k] read buffer b : f32[k, m] read buffer c : f32[n, m] write\n" \
  "let i = global_id.x let j = global_id.y\n" \
  "if i < n && j < m { var s = 0.0 for r in 0 .. k { s += a[i, r] * b[r, j] } c[i, j] = s } }\n"
#define PRODUCT_BACK "program back { workgroup 64 grid 1 param n : u32 param m : u32 param k : u32\n" \
  "buffer a : f32[n, k] read buffer b : f32[k, m] read\n" \
  "buffer grad_a : f32[n, k] read_write buffer grad_b : f32[k, m] read_write buffer grad_c : f32[n, m] read_write\n" \
  "let t = local_id.x\n" \
  "if t < n { for r in 0 .. k { for j in 0 .. m { grad_a[t, r] += grad_c[t, j] * b[r, j] } } }\n" \
  "if t < k { for i in 0 .. n { for j in 0 .. m { grad_b[t, j] += grad_c[i, j] * a[i, t] } } }\n" \
  "barrier for e in t .. n * m step 64 { grad_c[e] = 0.0 } }\n"

START_TEST(like_the_made_one) {
  adt_case stated = {.seed = 5}, made = {.seed = 5};
  adt_prepare(&stated, PRODUCT_HEAD "program product adjoint back " PRODUCT PRODUCT_BACK "run product }", NULL);
  adt_prepare(&made, PRODUCT_HEAD "program product " PRODUCT "run product }", NULL);
  adt_copy(&stated.result, &stated.before), adt_copy(&made.result, &made.before);
  adt_run(&stated.result), adt_run(&made.result);
  for (uint64_t i = 0; i < 42; i++) {
    double got = adt_get(&stated.result, "grad_a", i), want = adt_get(&made.result, "grad_a", i);
    ck_assert_msg(fabs(got - want) <= 1e-6 && want != 0, "grad_a[%d] is %g, not %g", (int)i, got, want);
  }
  for (uint64_t i = 0; i < 30; i++) {
    double got = adt_get(&stated.result, "grad_b", i), want = adt_get(&made.result, "grad_b", i);
    ck_assert_msg(fabs(got - want) <= 1e-6 && want != 0, "grad_b[%d] is %g, not %g", (int)i, got, want);
  }
  adt_free(&stated), adt_free(&made);
} END_TEST

/* ---- refusals; the line is that of the run ---- */

#define BITS_BACK "program back { " SIZE "buffer grad_h : f32[n] read_write grad_h[0] = 0.0 }\n"

static const struct { const char *name, *text, *wrt, *id; } refused[] = {
  {"no shadow of an input", HEAD BEFORE LINE "program back { " SIZE "buffer grad_h : f32[n] read_write grad_h[0] = 0.0 }\n"
   AFTER "run before\n@run step\nrun after }", NULL, "grad-adjoint-shadow"},
  {"no shadow of an output", HEAD BEFORE LINE "program back { " SIZE "buffer grad_w : f32[n] read_write grad_w[0] = 0.0 }\n"
   AFTER "run before\n@run step\nrun after }", NULL, "grad-adjoint-shadow"},
  {"a shadow that has the name of a buffer", HEAD
   "program step adjoint back { " SIZE "buffer h : f32[n] read_write buffer grad_h : f32[n] read\n"
   "h[0] = h[0] * grad_h[0] }\n"
   "program back { " SIZE "buffer grad_h : f32[n] read }\n" "@run step(h = w, grad_h = x) }", NULL, "grad-adjoint-shadow"},
  {"a param", "module m { param a : f32 = 2.0 buffer w : f32[4] read_write\n"
   "program step adjoint back { workgroup 1 grid 1 param a : f32 buffer w : f32[4] read_write w[0] *= a }\n"
   "program back { workgroup 1 grid 1 param a : f32 buffer grad_w : f32[4] read_write grad_w[0] *= a }\n" "@run step }",
   "a", "grad-adjoint-shadow"},
  {"one shadow for two params", PARAMS ADD ADD_BACK "@run step(a = s, c = s) }", "s", "grad-aliased"},
  {"one shadow for two", HEAD
   "program step adjoint back { " SIZE "buffer a : f32[n] read buffer b : f32[n] read buffer h : f32[n] write\n"
   "if global_id.x < n { h[global_id.x] = a[global_id.x] - b[n - 1 - global_id.x] } }\n"
   "program back { " SIZE "buffer grad_a : f32[n] read_write buffer grad_b : f32[n] read_write buffer grad_h : f32[n] read_write\n"
   "let i = global_id.x if i < n { grad_a[i] += grad_h[i] grad_b[n - 1 - i] -= grad_h[i] } }\n"
   AFTER "@run step(a = x, b = x)\nrun after }", NULL, "grad-aliased"},
  {"one shadow for two slices", "module m { param n : u32 = 4 buffer x : f32[6] read buffer y : f32[n] write\n"
   "program step adjoint back { " SIZE "buffer a : f32[n] read buffer b : f32[n] read buffer h : f32[n] write\n"
   "if global_id.x < n { h[global_id.x] = a[global_id.x] - b[global_id.x] } }\n"
   "program back { " SIZE "buffer grad_a : f32[n] read_write buffer grad_b : f32[n] read_write buffer grad_h : f32[n] read_write\n"
   "let i = global_id.x if i < n { grad_a[i] += grad_h[i] grad_b[i] -= grad_h[i] } }\n"
   "@run step(a = x[0 .. 4], b = x[2 .. 6], h = y) }", NULL, "grad-slices"},
};

START_TEST(refusals) {
  char text[4000];
  unsigned line = 1;
  snprintf(text, sizeof text, "%s", refused[_i].text);
  char *mark = strchr(text, '@');
  *mark = ' ';
  for (const char *c = text; c < mark; c++) line += *c == '\n';
  adt_refused(text, NULL, refused[_i].wrt, refused[_i].id, line);
} END_TEST

/* Where the bits of a float may have gone into an integer, that is followed. The place is the program's. */
START_TEST(bits) {
  adt_refused(HEAD BEFORE "program step adjoint back {\n" SIZE
              "buffer h : f32[n] read_write buffer k : u32[n] write k[0] = bitcast_u32(h[0]) h[0] = 1.0 }\n" BITS_BACK
              "program use { " SIZE "buffer k : u32[n] read buffer y : f32[n] write y[0] = bitcast_f32(k[0]) }\n"
              "run before run step run use }", NULL, NULL, "grad-bits", 10);
} END_TEST

/* What nobody asks about needs no shadow, and the adjoint does not run. */
START_TEST(off_the_path) {
  adt_case c = {.seed = 3};
  adt_prepare(&c, HEAD BEFORE EXP EXP_BACK AFTER "run after(h = x) run before run step }", NULL);
  adt_verify(&c);
  adt_free(&c);
} END_TEST

START_TEST(explained) {
  static const char *const roles[] = {"separate", "stated", "combined"};
  adt_case c = {.seed = 3};
  ck_assert_int_eq(adt_differentiate(&c, HEAD BEFORE EXP EXP_BACK AFTER "run before run step run after }"), KG_OK);
  for (size_t k = 0; k < 3; k++) ck_assert_str_eq(kg_grad_map_run(c.map, k).role, roles[k]);
  ck_assert_str_eq(kg_grad_map_run(c.map, 1).active, "h");
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(gradients, rows, name), KGT_TABLE(params, by_params, name), KGT(like_the_made_one),
                            KGT_TABLE(refusals, refused, name), KGT(bits), KGT(off_the_path), KGT(explained)};
  return kgt_run("autodiff/stated", tests, KGT_COUNT(tests));
}
