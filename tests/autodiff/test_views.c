/* Views that overlap with one element type: gradients against duals, and where a formula is at hand, against that. Beside them, what a
 * run binds twice. */
#include "tests/autodiff/autodiff_case.h"

#define OVER(offset, stride) " view(set 0, binding 3, offset " #offset ", stride " #stride ")\n"
#define HEAD "program p { workgroup 8 grid invocations n param n : u32 = 13\n"
#define QUADS \
  HEAD "buffer vx : f32[n] read" OVER(0, 16) "buffer vy : f32[n] read" OVER(4, 16) "buffer vz : f32[n] read" OVER(8, 16) \
  "buffer vw : f32[n] read" OVER(12, 16) "buffer x : f32[4 * n] read" OVER(0, 4) "buffer y : f32[n] write\n"

typedef struct kernel { const char *name, *text; } kernel;

static const kernel kernels[] = {
  {"vectors and floats, each loaded through either", QUADS "let i = global_id.x if i < n { y[i] = vx[i] * vy[i] + sin(vz[i]) * x[i "
   "+ n] * x[4 * i + 3] } }"},
  {"vectors and floats, an element loaded by all", QUADS "let i = global_id.x if i < n { y[i] = vx[i] * vx[0] * x[0] + vw[i] * x[1] } }"},
  {"vectors and floats, a neighbour through the other", QUADS "let i = global_id.x if i < n { y[i] = vx[i] * x[4 * i + 4] + vy[i] * "
   "x[4 * i + 5] } }"},
  {"stored through one, loaded through the other",
   HEAD "buffer x : f32[n] read buffer a : f32[n] write" OVER(0, 4) "buffer b : f32[n] read" OVER(0, 4) "buffer y : f32[n] write\n"
        "let i = global_id.x if i < n { a[i] = x[i] * x[i] y[i] = b[i] * x[i] } }"},
  {"stored through both in turn",
   HEAD "buffer x : f32[n] read buffer a : f32[n] read_write" OVER(8, 8) "buffer b : f32[2 * n] read_write" OVER(4, 4) "buffer y : "
   "f32[n] write\n"
        "let i = global_id.x if i < n { let t = a[i] * x[i] b[2 * i + 1] = t * t a[i] = a[i] * b[2 * i + 1] + x[i] y[i] = b[2 * i + "
   "1] * b[2 * i] } }"},
  {"an element moved out through one and added to through the other",
   HEAD "buffer a : f32[n] read_write" OVER(0, 4) "buffer b : f32[n] read" OVER(0, 4) "buffer y : f32[n] write\n"
        "let i = global_id.x if i < n { let s = a[i] let t = b[i] a[i] = s * t let u = b[i] y[i] = u * t } }"},
  {"in a loop, by turns",
   HEAD "buffer a : f32[n] read_write" OVER(0, 4) "buffer b : f32[n] read_write" OVER(0, 4)
        "let i = global_id.x if i < n { for k in 0 .. 4 { a[i] = b[i] * 0.75 + 0.125 b[i] = a[i] * a[i] } } }"},
  {"between barriers, by other invocations",
   "program p { workgroup 8 grid 1 buffer a : f32[16] read_write" OVER(0, 4) "buffer b : f32[8] read_write" OVER(0, 8) "let l = "
   "local_id.x\n"
   "a[2 * l + 1] = a[2 * l] * a[2 * l] barrier b[7 - l] = b[7 - l] * a[2 * l + 1] barrier a[2 * l + 1] = b[l] * 2.0 }"},
  {"several outputs over each other", HEAD "buffer x : f32[n] read buffer a : f32[n] write" OVER(0, 8) "buffer b : f32[2 * n] "
   "read_write" OVER(0, 4)
                                           "let i = global_id.x if i < n { a[i] = x[i] * x[i] b[2 * i + 1] = x[i] * b[2 * i + 1] } }"},
  {"an output that no statement touches", HEAD "buffer x : f32[n] read" OVER(0, 4) "buffer a : f32[n] read_write" OVER(4, 4)
                                               "buffer y : f32[n] write let i = global_id.x if i < n { y[i] = x[i] * x[i] } }"},
  {"halves", HEAD "buffer a : f16[2 * n] read" OVER(2, 2) "buffer b : f16[n] read_write" OVER(4, 4) "buffer y : f32[n] write\n"
                  "let i = global_id.x if i < n { let t = f32(a[2 * i + 1]) y[i] = t * f32(b[i]) b[i] = f16(t * 0.5) } }"},
  {"doubles beside floats of the same binding",
   HEAD "buffer a : f64[n] read" OVER(0, 32) "buffer b : f64[n] read" OVER(0, 16) "buffer c : f32[n] read" OVER(8, 16) "buffer d : "
   "f32[n] read" OVER(8, 32)
        "buffer y : f64[n] write let i = global_id.x if i < n { y[i] = a[i] * b[i] * f64(c[i] * d[i]) } }"},
  {"an atomic add through one of two", "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer a : f32[8] read_write" OVER(0, 4)
   "buffer b : f32[8] read" OVER(0, 4) "buffer y : f32[8] write let i = local_id.x\n"
   "atomic_add(a[i / 2], x[i] * x[i]) barrier y[i] = b[i] * x[i] }"},
  {"a module whose runs use either",
   "module m { param n : u32 = 9 buffer x : f32[n] read buffer y : f32[n] write buffer a : f32[n] temp" OVER(0, 4) "buffer b : "
   "f32[n] temp" OVER(0, 4)
   "program give { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer a : f32[n] write" OVER(0, 4)
   "if global_id.x < n { a[global_id.x] = x[global_id.x] * x[global_id.x] } }\n"
   "program take { workgroup 4 grid invocations n param n : u32 buffer b : f32[n] read" OVER(0, 4) "buffer y : f32[n] write\n"
   "if global_id.x < n { y[global_id.x] = b[n - 1 - global_id.x] * b[0] } } run give() run take() }"},
  {"a program that is told less of lengths than its module",
   "module m { buffer x : f32[4] read" OVER(0, 4) "buffer z : f32[4] read" OVER(16, 4) "buffer y : f32[4] write\n"
   "program p { workgroup 4 grid 1 param n : u32 = 4 buffer x : f32[n] read" OVER(0, 4) "buffer z : f32[n] read" OVER(16, 4)
   "buffer y : f32[4] write let i = local_id.x y[i] = x[i] * z[3 - i] } run p() }"},
  {"in a repeat", "module m { buffer a : f32[4] read_write" OVER(0, 4) "buffer b : f32[2] read_write" OVER(0, 8)
   "program p { workgroup 2 grid 1 buffer a : f32[4] read_write" OVER(0, 4) "buffer b : f32[2] read_write" OVER(0, 8)
   "let i = local_id.x a[2 * i] = b[i] * 0.5 + a[2 * i + 1] } repeat k in 0 .. 3 { run p() } }"},
  {"one buffer bound twice", "module m { param n : u32 = 7 buffer x : f32[n] read buffer y : f32[n] write\n"
   "program p { workgroup 4 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] read buffer c : f32[n] write\n"
   "let i = global_id.x if i < n { c[i] = a[i] * b[n - 1 - i] + b[i] } } run p(a = x, b = x, c = y) }"},
  {"the square of a matrix", "module m { param n : u32 = 3 buffer x : f32[n, n] read buffer y : f32[n, n] write\n"
   "program p { workgroup 4 grid invocations m * n param m : u32 param k : u32 param n : u32 buffer a : f32[m, k] read buffer b : "
   "f32[k, n] read\n"
   "buffer c : f32[m, n] write let i = global_id.x / n let j = global_id.x % n var t = 0.0\n"
   "for l in 0 .. k { t += a[i, l] * b[l, j] } if i < m { c[i, j] = t } } run p(a = x, b = x, c = y, m = n, k = n) }"},
  {"a view bound twice", "module m { buffer x : f32[4] read" OVER(0, 8) "buffer y : f32[4] write\n"
   "program p { workgroup 4 grid 1 buffer a : f32[4] read" OVER(0, 8) "buffer b : f32[4] read" OVER(0, 8) "buffer c : f32[4] write\n"
   "let i = local_id.x c[i] = a[i] * b[3 - i] } run p(a = x, b = x, c = y) }"},
  {"an input that the module overwrites", HEAD "buffer x : f32[n] read_write buffer y : f32[n] write\n"
   "let i = global_id.x if i < n { let t = x[i] * x[i] x[i] = t * 0.5 y[i] = x[i] * t } }"},
};

START_TEST(gradients) { adt_holds(kernels[_i].text); } END_TEST

static const char *const of_y = "y";

static adt_case prepared(const char *text, bool accumulate) {
  adt_case c = {.params = {.accumulate = accumulate}, .seed = 3};
  if (accumulate) c.params.of = &of_y, c.params.of_count = 1;
  adt_prepare(&c, text, NULL);
  adt_copy(&c.result, &c.before);
  return c;
}

/* L = sum of g y, y[i] = a[i]^2, where b is given on top of a, for elements 1 and 2: what a has there counts for nothing. */
START_TEST(what_lies_below_has_no_influence) {
  adt_case c = prepared("program p { workgroup 4 grid 1 buffer a : f32[4] read" OVER(0, 4) "buffer b : f32[2] read" OVER(4, 4)
                        "buffer y : f32[4] write y[local_id.x] = a[local_id.x] * a[local_id.x] }", _i);
  static const double a[] = {1, 2, 3, 4}, b[] = {10, 20}, g[] = {1, 2, 3, 4}, of_a[] = {2, 0, 0, 32}, of_b[] = {40, 120};
  for (uint64_t k = 0; k < 4; k++) adt_set(&c.result, "a", k, a[k]), adt_set(&c.result, "grad_y", k, g[k]), adt_set(&c.result,
   "grad_a", k, _i);
  for (uint64_t k = 0; k < 2; k++) adt_set(&c.result, "b", k, b[k]), adt_set(&c.result, "grad_b", k, _i);
  adt_run(&c.result);
  for (uint64_t k = 0; k < 4; k++) ck_assert_double_eq(adt_get(&c.result, "grad_a", k), of_a[k] + _i);
  for (uint64_t k = 0; k < 2; k++) ck_assert_double_eq(adt_get(&c.result, "grad_b", k), of_b[k] + _i);
  adt_free(&c);
} END_TEST

/* What lies under two outputs comes out through both: x = 3, a = b = x * x, L = 5 a + 7 b. */
START_TEST(cotangents_of_what_overlaps_add_up) {
  adt_case c = prepared("program p { workgroup 1 grid 1 buffer x : f32[1] read buffer a : f32[1] write" OVER(0, 4) "buffer b : "
   "f32[1] write" OVER(0, 4)
                        "a[0] = x[0] * x[0] }", false);
  adt_set(&c.result, "x", 0, 3), adt_set(&c.result, "grad_a", 0, 5), adt_set(&c.result, "grad_b", 0, 7);
  adt_run(&c.result);
  ck_assert_double_eq(adt_get(&c.result, "grad_x", 0), 72);
  adt_free(&c);
} END_TEST

/* s is passed twice: y = s * x + s^2, at x = 3, s = 2, grad_y = 5. */
START_TEST(a_param_passed_twice) {
  const char *wrt = "s";
  adt_case c = {.params = {.wrt = &wrt, .wrt_count = 1}, .seed = 3};
  adt_prepare(&c, "module m { param s : f32 = 2.0 buffer x : f32[1] read buffer y : f32[1] write program p { workgroup 1 grid 1\n"
                  "param a : f32 param b : f32 buffer x : f32[1] read buffer y : f32[1] write y[0] = x[0] * a + b * a } run p(a = "
   "s, b = s) }", NULL);
  adt_copy(&c.result, &c.before);
  adt_set(&c.result, "x", 0, 3), adt_set(&c.result, "grad_y", 0, 5);
  uint64_t two = 0x40000000;
  c.result.param[kg_module_find_param(c.adjoint, "s")] = two;
  adt_run(&c.result);
  ck_assert_double_eq(adt_get(&c.result, "grad_s", 0), 5 * (3 + 4));
  adt_free(&c);
} END_TEST

/* y = x^2, and x = 1 where it was stored to: the gradient is added to 10; x = 3, grad_y = 1. */
START_TEST(added_to_what_an_overwritten_input_has) {
  adt_case c = prepared("program p { workgroup 4 grid 1 buffer x : f32[4] read_write buffer y : f32[4] write let i = local_id.x\n"
                        "x[i] = x[i] * x[i] y[i] = x[i] x[i] = 1.0 }", true);
  for (uint64_t k = 0; k < 4; k++) adt_set(&c.result, "x", k, 3), adt_set(&c.result, "grad_y", k, 1), adt_set(&c.result, "grad_x", k, 10);
  adt_run(&c.result);
  for (uint64_t k = 0; k < 4; k++) ck_assert_double_eq(adt_get(&c.result, "grad_x", k), 10 + 6);
  adt_free(&c);
} END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_TABLE(gradients, kernels, name), KGT_TIMES(what_lies_below_has_no_influence, 2), KGT(cotangents_of_what_overlaps_add_up),
    KGT(a_param_passed_twice), KGT(added_to_what_an_overwritten_input_has),
  };
  return kgt_run("autodiff/views", tests, KGT_COUNT(tests));
}
