/* Gradients against dual numbers, entry by entry, with random inputs and cotangents. */
#include "tests/autodiff/autodiff_case.h"

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
  /* a buffer as scratch of the workgroup, ordered by barriers */
  "program p { workgroup 4 grid n / 4 param n : u32 = 8\n"
  "buffer x : f32[n] read_write buffer y : f32[n] write\n"
  "let i = global_id.x let l = local_id.x let base = i - l x[i] = x[i] * x[i] barrier\n"
  "let t = x[base + (l + 1) % 4] barrier x[i] = sin(t) * t barrier y[i] = x[base + 3 - l] * t }",
  /* a linear filter in shared memory, in a loop with barriers */
  "program p { workgroup 4 grid n / 4 param n : u32 = 8 buffer x : f32[n] read buffer y : f32[n] write shared s : f32[4]\n"
  "let l = local_id.x s[l] = x[global_id.x] barrier\n"
  "for k in 0 .. n { let t = s[(l + 1) % 4] * 0.5 + s[l] barrier s[l] = t * f32(k + 1) * 0.3 barrier }\n"
  "y[global_id.x] = s[l] * s[l] }",
  /* the same with what a trip overwrites kept: four trips */
  "program p { workgroup 4 grid n / 4 param n : u32 = 8 buffer x : f32[n] read buffer y : f32[n] write shared s : f32[4]\n"
  "let l = local_id.x s[l] = x[global_id.x] barrier\n"
  "for k in 0 .. 4 { let t = s[(l + 1) % 4] * s[l] barrier s[l] = sin(t) + s[l] barrier }\n"
  "y[global_id.x] = s[l] }",
  /* a histogram by atomics in shared memory */
  "program p { workgroup 4 grid n / 4 param n : u32 = 8 buffer x : f32[n] read buffer k : u32[n] read in 0 .. 3\n"
  "buffer y : f32[n] write shared bins : f32[3]\n"
  "let l = local_id.x if l < 3 { bins[l] = 0.0 } barrier atomic_add(bins[k[global_id.x]], x[global_id.x] * x[global_id.x]) barrier\n"
  "y[global_id.x] = bins[l % 3] * bins[(l + 1) % 3] }",
  /* returns in branches of branches */
  "program p { workgroup 4 grid 3 param n : u32 = 10 buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { if x[i] > 0.5 { y[i] = sin(x[i]) return } if x[i] > 0.0 { y[i] = x[i] * x[i] } else {\n"
  "if x[i] < -1.0 { y[i] = x[i] return } y[i] = exp(x[i]) return } } }",
  /* both branches store to one element, and a later one replaces some */
  "program p { workgroup 4 grid invocations n param n : u32 = 10 buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i >= n { return } if x[i] > 0.0 { y[i] = x[i] * x[i] } else { y[i] = sin(x[i]) }\n"
  "if x[i] > 0.7 { y[i] = 2.0 * x[i] } }",
  /* wide indices, 8-bit data */
  "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer k : u8[n] read in 0 .. n buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var s = 0.0 for j in i64(0) .. i64(n) step 2 { s += x[j] * x[k[j]] } y[i] = s * s } }",
  /* a search whose loop ends early gives an index, and a scalar buffer takes part */
  "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer a : f32 read buffer y : f32[n] write\n"
  "let i = global_id.x if i >= n { return } var at = n - 1 for j in 0 .. n { if x[j] > stop_gradient(a) * 0.1 { at = j break } }\n"
  "assert at < n \"found\" region use { y[i] = x[at] * x[i] * a } }",
  /* a local array written at overlapping places */
  "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var t : f32[4] for k in 0 .. 4 { t[k] = 0.0 }\n"
  "for k in 0 .. 9 { t[k % 4] = t[(k + 1) % 4] + x[(i + u32(k)) % n] * f32(k) t[(k * k) % 4] = 0.5 * t[k % 4] } y[i] = t[0] * t[1] + t[3] } }",
  /* nested loops whose bounds depend on an outer index; a triangle */
  "program p { workgroup 4 grid invocations n param n : u32 = 5 buffer a : f32[n * n] read buffer x : f32[n] read buffer y : f32[n] write\n"
  "let i = global_id.x if i < n { var s = 0.0 for j in 0 .. i + 1 { var r = 0.0 for k in j .. n step 2 { r += a[j * n + k] * x[k] }\n"
  "s += r * r * x[j] } y[i] = s } }",
  /* three dimensions */
  "program p { workgroup 2, 2, 2 grid invocations w, h, d param w : u32 = 3 param h : u32 = 2 param d : u32 = 3\n"
  "buffer x : f32[w * h * d] read buffer y : f32[w * h * d] write\n"
  "let i = global_id.x let j = global_id.y let k = global_id.z if i < w && j < h && k < d {\n"
  "let at = (k * h + j) * w + i let next = (k * h + j) * w + (i + 1) % w y[at] = x[at] * x[next] + x[at] } }",
  /* a matrix product in two dimensions, both factors shared */
  "program p { workgroup 2, 4 grid invocations m, n param n : u32 = 3 param m : u32 = 5 param k : u32 = 4\n"
  "buffer a : f32[n * k] read buffer b : f32[k * m] read buffer c : f32[n * m] write\n"
  "let i = global_id.y let j = global_id.x if i < n && j < m { var s = 0.0 for l in 0 .. k { s += a[i * k + l] * b[l * m + j] } c[i * m + j] = tanh(s) } }",
  /* what is computed before a guard and used behind it, in a loop too */
  "program p { workgroup 4 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer w : f32[2] read buffer y : f32[n] write\n"
  "let i = global_id.x let a = sin(w[0]) * w[1] let b = x[i] * a if i < n { var s = b for j in 0 .. 3 { if x[j] > 0.0 { s += a * x[j] * b } } y[i] = s * a } }",
  /* compaction: the index comes out of an atomic, which the reverse must not repeat */
  "program p { workgroup 1 grid invocations n param n : u32 = 6 buffer x : f32[n] read buffer y : f32[n] read_write buffer count : u32[1] read_write in 0 .. 1\n"
  "let i = global_id.x if x[i] > 0.0 { let at = atomic_add(count[0], 1) y[at] = x[i] * x[i] } }",
  /* a tile that each trip fills anew, in one dimension, used nonlinearly */
  "program p { workgroup 4 grid n / 4 param n : u32 = 8 buffer x : f32[n] read buffer y : f32[n] write shared s : f32[4]\n"
  "let l = local_id.x var t = 0.0 for k in 0 .. n { barrier s[l] = x[(global_id.x + k) % n] if l < 2 { s[l] = s[l] * 0.5 } barrier\n"
  "for j in 0 .. 4 { t += s[j] * s[(j + 1) % 4] * x[global_id.x] } } y[global_id.x] = sin(t) }",
};

START_TEST(holds) { adt_holds(programs[_i]); }
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(holds, programs)};
  return kgt_run("autodiff/duals", tests, KGT_COUNT(tests));
}
