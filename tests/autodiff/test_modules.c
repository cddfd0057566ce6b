/* Modules of several runs, against duals; and what their results must look like. */
#include "tests/autodiff/autodiff_case.h"

static const char *const modules[] = {
  /* two runs through a temp buffer, one of them nonlinear */
  "module m { param n : u32 = 9 buffer x : f32[n] read buffer y : f32[n] write buffer t : f32[n] temp\n"
  "program square { workgroup 4 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n"
  "let i = global_id.x if i < n { b[i] = a[i] * a[i] } }\n"
  "program wave { workgroup 4 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n"
  "let i = global_id.x if i < n { b[i] = sin(a[i]) } }\n"
  "run square(a = x, b = t, n = n) run wave(a = t, b = y, n = n) }",
  /* the same program three times, and an input that is used in two runs */
  "module m { param n : u32 = 7 buffer x : f32[n] read buffer y : f32[n] write buffer s : f32[n] temp buffer t : f32[n] temp\n"
  "program mix { workgroup 4 grid invocations n param n : u32 param c : f32 buffer a : f32[n] read buffer b : f32[n] read buffer d : f32[n] write\n"
  "let i = global_id.x if i < n { d[i] = a[i] * b[(i + 1) % n] + c * a[i] } }\n"
  "program copy { workgroup 4 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n"
  "let i = global_id.x if i < n { b[i] = exp(a[i]) } }\n"
  "run copy(a = x, b = s, n = n) run mix(a = x, b = s, d = t, n = n, c = 0.5) run mix(a = t, b = x, d = y, n = n, c = 2.0) }",
  /* a linear step, repeated in place: nothing of its contents is needed */
  "module m { param n : u32 = 8 buffer a : f32[n] read_write buffer t : f32[n] temp\n"
  "program blur { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { y[i] = 0.5 * x[i] + 0.25 * x[(i + 1) % n] + 0.25 * x[(i + n - 1) % n] } }\n"
  "program copy { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { y[i] = x[i] } }\n"
  "repeat k in 0 .. 3 { run blur(x = a, y = t, n = n) run copy(x = t, y = a, n = n) } }",
  /* a repeat whose index matters, in both directions, and a second repeat inside */
  "module m { param n : u32 = 6 buffer a : f32[n] read_write buffer w : f32[12] read\n"
  "program scale { workgroup 4 grid invocations n param n : u32 param k : u32 buffer x : f32[n] read_write buffer c : f32[12] read\n"
  "let i = global_id.x if i < n { x[i] = x[i] * f32(k + 1) + c[(k + i) % 12] } }\n"
  "repeat k in 0 .. 3 { repeat l in 1 .. 3 reversed { run scale(x = a, c = w, n = n, k = k * 2 + l) } } }",
  /* a loss: cleared, then added to */
  "module m { param n : u32 = 9 buffer x : f32[n] read buffer w : f32[n] read buffer loss : f32[1] write buffer p : f32[n] temp\n"
  "program clear { workgroup 1 grid 1 buffer loss : f32[1] write loss[0] = 0.0 }\n"
  "program predict { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer w : f32[n] read buffer p : f32[n] write\n"
  "let i = global_id.x if i < n { var s = 0.0 for j in 0 .. i + 1 { s += x[i - j] * w[j] } p[i] = tanh(s) } }\n"
  "program charge { workgroup 4 grid invocations n param n : u32 buffer p : f32[n] read buffer x : f32[n] read buffer loss : f32[1] read_write\n"
  "let i = global_id.x if i < n { let d = p[i] - x[i] atomic_add(loss[0], d * d) } }\n"
  "run clear(loss = loss) run predict(x = x, w = w, p = p, n = n) run charge(p = p, x = x, loss = loss, n = n) }",
  /* the last run does not matter to the gradient */
  "module m { param n : u32 = 5 buffer x : f32[n] read buffer y : f32[n] write buffer c : u32[1] write\n"
  "program f { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { y[i] = x[i] * x[i] * x[i] } }\n"
  "program done { workgroup 1 grid 1 buffer c : u32[1] write c[0] = 1 }\n"
  "run f(x = x, y = y, n = n) run done(c = c) }",
  /* shared memory in a run that is not the last: it is filled again */
  "module m { param n : u32 = 8 buffer x : f32[n] read buffer t : f32[n] temp buffer y : f32[n] write\n"
  "program f { workgroup 4 grid n / 4 param n : u32 buffer x : f32[n] read buffer t : f32[n] write shared s : f32[4]\n"
  "let l = local_id.x let i = global_id.x s[l] = x[i] * x[i] barrier var p = 1.0\n"
  "for j in 0 .. 4 { p = p + s[j] * x[i] } let q = s[(l + 1) % 4] t[i] = q * p + sin(s[3 - l]) }\n"
  "program g { workgroup 4 grid invocations n param n : u32 buffer t : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { y[i] = t[i] * t[n - 1 - i] } }\n"
  "run f(x = x, t = t, n = n) run g(t = t, y = y, n = n) }",
  /* an if in the middle of a run that is not the last, and a var that is overwritten */
  "module m { param n : u32 = 9 buffer x : f32[n] read buffer t : f32[n] temp buffer y : f32[n] write\n"
  "program f { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer t : f32[n] write\n"
  "let i = global_id.x if i < n { var v = x[i] if v > 0.0 { v = v * v v = sin(v) * v } else { v = exp(v) } v = v * v t[i] = v } }\n"
  "program g { workgroup 4 grid invocations n param n : u32 buffer t : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { y[i] = t[i] * t[i] } }\n"
  "run f(x = x, t = t, n = n) run g(t = t, y = y, n = n) }",
  /* a grid of the run, a host's length */
  "module m { buffer x : f32[] read buffer t : f32[len(x)] temp buffer y : f32[len(x)] write\n"
  "program f { workgroup 2 buffer x : f32[] read buffer t : f32[] write let i = global_id.x if i < len(x) { t[i] = x[i] * x[i] } }\n"
  "run f(x = x, t = t) invocations len(x) run f(x = t, t = y) invocations len(x) }",
  /* tiles in a run that is not the last */
  "module m { param n : u32 = 6 buffer a : f32[n * n] read buffer b : f32[n * n] read buffer t : f32[n * n] temp buffer y : f32[n * n] write\n"
  "program product { const T = 2 workgroup T, T grid invocations n, n param n : u32 buffer a : f32[n * n] read buffer b : f32[n * n] read\n"
  "buffer c : f32[n * n] write shared ta : f32[T * T] shared tb : f32[T * T]\n"
  "let x = local_id.x let y = local_id.y let col = global_id.x let row = global_id.y var s = 0.0\n"
  "for first in 0 .. n step T { ta[y * T + x] = a[row * n + first + x] tb[T * y + x] = b[(first + y) * n + col] barrier\n"
  "for j in 0 .. T { s += ta[y * T + j] * tb[j * T + x] } barrier } c[row * n + col] = tanh(s) }\n"
  "run product(a = a, b = b, c = t, n = n) run product(a = t, b = b, c = y, n = n) }",
};

START_TEST(holds) { adt_holds(modules[_i]); }
END_TEST

/* One adjoint serves three runs of one program that ask the same of it. */
START_TEST(equal_adjoints_are_shared) {
  const char *text = "module m { buffer a : f32[4] read_write buffer b : f32[4] temp\n"
                     "program p { workgroup 4 grid 1 buffer x : f32[4] read buffer y : f32[4] write y[global_id.x] = 2.0 * x[global_id.x] }\n"
                     "run p(x = a, y = b) run p(x = b, y = a) run p(x = a, y = b) run p(x = b, y = a) }";
  adt_case c = {.seed = 1};
  ck_assert_int_eq(adt_differentiate(&c, text), KG_OK);
  char *printed = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, c.adjoint, NULL, &printed, &size), KG_OK);
  int programs = 0;
  for (const char *at = printed; (at = strstr(at, "  program ")); at++) programs++;
  ck_assert_msg(programs == 4, "%d programs in %s", programs, printed);
  kg_bytes_free(NULL, printed, size + 1);
  adt_free(&c);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(holds, modules), KGT(equal_adjoints_are_shared)};
  return kgt_run("autodiff/modules", tests, KGT_COUNT(tests));
}
