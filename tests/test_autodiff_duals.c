/* Gradients against dual numbers, entry by entry, with random inputs and cotangents. */
#include "tests/autodiff_case.h"

static const char *const programs[] = {
  /* straight-line */
  "program p { workgroup 4 grid invocations n param n : u32 = 11\n"
  "buffer x : f32[n] read buffer y : f32[n] write buffer z : f32[n] write\n"
  "let i = global_id.x if i < n { let t = sin(x[i]) * exp(x[i]) y[i] = t / (2.0 + cos(t)) z[i] = tanh(t) - x[i] } }",
  /* overwritten variable */
  "program p { workgroup 4 grid invocations n param n : u32 = 11\n"
  "buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var t = x[i] t = t * t let a = sin(t) t = t * a + t t = exp(-t) * a y[i] = t } }",
  /* if in the middle, var saved, both branches */
  "program p { workgroup 4 grid invocations n param n : u32 = 11\n"
  "buffer x : f32[n] read buffer y : f32[n] read_write\n"
  "let i = global_id.x if i < n { var t = x[i] if t > 0.0 { t = t * t t = sin(t) * t } else { t = exp(t) * y[i] }\n"
  "t = t * t y[i] = t * x[i] } }",
  /* if without else, nested, not last */
  "program p { workgroup 4 grid invocations n param n : u32 = 23\n"
  "buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x var s = 1.0 if i < n { let a = x[i] if a > 0.0 { s = s * a if a > 0.5 { s = s * sin(s) } } s = s + a }\n"
  "if i < n { y[i] = s * s } }",
  /* inner products in loops */
  "program p { workgroup 4 grid invocations n param n : u32 = 6 param m : u32 = 5\n"
  "buffer a : f32[n * m] read buffer x : f32[m] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var s = 0.0 for j in 0 .. m { s = s + a[i * m + j] * x[j] } y[i] = tanh(s) } }",
  /* a nest with a local that is filled again in reverse */
  "program p { workgroup 4 grid invocations n param n : u32 = 3 param m : u32 = 4\n"
  "buffer a : f32[n * m] read buffer x : f32[m] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var total = 0.0 for k in 0 .. 3 { var s = 0.0\n"
  "for j in 0 .. m { s = s + a[i * m + j] * x[j] * f32(k + 1) } total = total + sin(s) * exp(s) } y[i] = total } }",
  /* conditions inside loops, data dependent */
  "program p { workgroup 4 grid invocations n param n : u32 = 9\n"
  "buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var s = 0.0 for j in 0 .. n { let d = x[j] - x[i]\n"
  "if d > 0.0 { s = s + d * d continue } if d < -0.5 { s = s + sin(d) } else { s = s + 0.1 * d } } y[i] = s } }",
  /* steps and reversed loops */
  "program p { workgroup 4 grid invocations n param n : u32 = 9\n"
  "buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var s = 0.0 for j in i .. n step 2 reversed { s = 0.5 * s + x[j] } y[i] = s * s } }",
  /* a param and a uniform element */
  "program p { workgroup 4 grid invocations n param n : u32 = 10\n"
  "buffer x : f32[n] read buffer w : f32[2] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { y[i] = sin(w[0] * x[i]) + w[1] * w[0] } }",
  /* one row for each workgroup: elements that are the same in it */
  "program p { const T = 4 workgroup T grid rows param rows : u32 = 3 param cols : u32 = 7\n"
  "buffer x : f32[rows * cols] read buffer bias : f32[rows] read buffer y : f32[rows * cols] write\n"
  "let row = workgroup_id.x let b = bias[row] for j in local_id.x .. cols step T { y[row * cols + j] = x[row * cols + j] * b } }",
  /* shared memory: a tree, and all lanes read element 0 */
  "program p { const T = 8 workgroup T grid rows param rows : u32 = 3 param cols : u32 = 13\n"
  "buffer x : f32[rows * cols] read buffer y : f32[rows * cols] write shared part : f32[T]\n"
  "let lane = local_id.x let base = workgroup_id.x * cols var s = 0.0\n"
  "for j in lane .. cols step T { s = s + x[base + j] * x[base + j] } part[lane] = s barrier\n"
  "for k in 0 .. 3 reversed { let h = u32(1) << u32(k) if lane < h { part[lane] = part[lane] + part[lane + h] } barrier }\n"
  "let norm = sqrt(part[0] + 1.0) for j in lane .. cols step T { y[base + j] = x[base + j] / norm } }",
  /* softmax with its maximum under stop_gradient */
  "program p { const T = 8 workgroup T grid rows param rows : u32 = 2 param cols : u32 = 13\n"
  "buffer x : f32[rows * cols] read buffer y : f32[rows * cols] write shared part : f32[T]\n"
  "let lane = local_id.x let base = workgroup_id.x * cols var best = -inf\n"
  "for j in lane .. cols step T { best = max(best, stop_gradient(x[base + j])) } part[lane] = best barrier\n"
  "for k in 0 .. 3 reversed { let h = u32(1) << u32(k) if lane < h { part[lane] = max(part[lane], part[lane + h]) } barrier }\n"
  "let m = part[0] barrier var s = 0.0 for j in lane .. cols step T { s = s + exp(x[base + j] - m) } part[lane] = s barrier\n"
  "for k in 0 .. 3 reversed { let h = u32(1) << u32(k) if lane < h { part[lane] = part[lane] + part[lane + h] } barrier }\n"
  "let total = part[0] for j in lane .. cols step T { y[base + j] = exp(x[base + j] - m) / total } }",
  /* atomics in the primal */
  "program p { workgroup 4 grid invocations n param n : u32 = 10\n"
  "buffer x : f32[n] read buffer target : f32[n] read buffer loss : f32[1] read_write\n"
  "let i = global_id.x if i < n { let d = x[i] - target[i] atomic_add(loss[0], d * d) } }",
  /* clamp, abs, select, pow, fma */
  "program p { workgroup 4 grid invocations n param n : u32 = 33\n"
  "buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { let a = abs(x[i]) let b = clamp(x[i], -0.5, 0.7)\n"
  "y[i] = select(a > 1.0, pow(a, 1.5), fma(a, b, x[i])) + floor(x[i]) * b } }",
  /* halves */
  "program p { workgroup 4 grid invocations n param n : u32 = 9\n"
  "buffer x : f16[n] read buffer y : f16[n] write\n"
  "let i = global_id.x if i < n { y[i] = x[i] * x[i] + sin(x[i]) } }",
  /* doubles, and conversions both ways */
  "program p { workgroup 4 grid invocations n param n : u32 = 9\n"
  "buffer x : f32[n] read buffer y : f64[n] write buffer z : bf16[n] write\n"
  "let i = global_id.x if i < n { let t = f64(x[i]) y[i] = t * t * t z[i] = f32(t) * 3.0 } }",
  /* a local array */
  "program p { workgroup 4 grid invocations n param n : u32 = 5\n"
  "buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var t : f32[3] for k in 0 .. 3 { t[k] = x[i] * f32(k + 1) } var s = 0.0\n"
  "for k in 0 .. 3 { s = s + t[k] * t[k] } y[i] = s * t[1] } }",
  /* a two-dimensional grid, a stencil */
  "program p { workgroup 2, 2 grid invocations w, h param w : u32 = 5 param h : u32 = 4\n"
  "buffer x : f32[w * h] read buffer y : f32[w * h] write\n"
  "let i = global_id.x let j = global_id.y if i >= w || j >= h { return }\n"
  "if i == 0 || j == 0 || i + 1 == w || j + 1 == h { y[j * w + i] = x[j * w + i] return }\n"
  "let c = j * w + i y[c] = x[c] + 0.1 * (x[c - 1] + x[c + 1] + x[c - w] + x[c + w] - 4.0 * x[c]) * x[c] }",
};

START_TEST(holds) { adt_holds(programs[_i]); }
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(holds, KGT_COUNT(programs))};
  return kgt_run("autodiff/duals", tests, KGT_COUNT(tests));
}
