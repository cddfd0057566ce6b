/* Kernels run on all back ends: one table of cases, the same expectations. */
#include "tests/support/devices.h"

#include <kgrad/spirv.h>
#include <stdio.h>
#include <string.h>

/* One kernel over small arrays; every buffer is f32 unless it is written otherwise in the text, and 4 bytes wide. */
typedef struct run_case {
  const char *name, *text;
  double params[4];
  uint64_t lengths[4];
  float in[4][16], out[4][16]; /* by buffer */
} run_case;

static const run_case cases[] = {
  {"saxpy", "program p { workgroup 4 grid invocations n param n : u32 param a : f32\n"
            "buffer x : f32[n] read buffer y : f32[n] read_write\n"
            "let i = global_id.x if i < n { y[i] = a * x[i] + y[i] } }",
   {5, 2}, {5, 5}, {{1, 2, 3, 4, 5}, {10, 20, 30, 40, 50}}, {{1, 2, 3, 4, 5}, {12, 24, 36, 48, 60}}},
  {"a loop that counts up", "program p { workgroup 1 grid 1 buffer y : f32[8] read_write\n"
                            "for k in 1 .. 8 step 3 { y[k] = f32(k) y[0] += 1.0 } }",
   {0}, {8}, {{0}}, {{3, 1, 0, 0, 4, 0, 0, 7}}},
  {"a loop that counts down", "program p { workgroup 1 grid 1 buffer y : f32[8] read_write\n"
                              "var at = 0 for k in 1 .. 9 step 3 reversed { y[at] = f32(k) at += 1 } }",
   {0}, {8}, {{0}}, {{7, 4, 1}}},
  {"signed bounds", "program p { workgroup 1 grid 1 buffer y : f32[8] write\n"
                    "var at = 0 for k in -5 .. 4 step 2 { y[at] = f32(k) at += 1 } }",
   {0}, {8}, {{0}}, {{-5, -3, -1, 1, 3}}},
  {"bounds near the end of u32", "program p { workgroup 1 grid 1 buffer y : f32[8] write var at = 0\n"
                                 "let from = u32(4294967290) for k in from .. 4294967295 step 3 { y[at] = f32(k - from) at += 1 }\n"
                                 "for k in from .. 4294967295 step 4000000000 { y[at] = 9.0 at += 1 } }",
   {0}, {8}, {{0}}, {{0, 3, 9}}},
  {"the whole range of i32 in three steps", "program p { workgroup 1 grid 1 buffer y : f32[8] write var at = 0\n"
                                            "for k in -2147483648 .. 2147483647 step 2147483647 { y[at] = f32(k) at += 1 } }",
   {0}, {8}, {{0}}, {{-2147483648.0f, -1, 2147483646.0f}}},
  {"loops of no trips", "program p { workgroup 1 grid 1 param s : i32 buffer y : f32[2] read_write\n"
                        "for k in 5 .. 5 { y[0] = 1.0 } for k in 5 .. 4 { y[0] = 2.0 } for k in 0 .. 4 step s { y[1] += 1.0 } }",
   {2}, {2}, {{7, 0}}, {{7, 2}}},
  {"while, break and continue", "program p { workgroup 1 grid 1 buffer y : f32[4] write var k = 0 var sum = 0\n"
                                "while k < 100 { k += 1 if k % 2 == 0 { continue } if k > 9 { break } sum += k }\n"
                                "y[0] = f32(sum) y[1] = f32(k)\n"
                                "var j = 0 while { let d = j * j when d < 50 } limit 20 { j += 1 } y[2] = f32(j) }",
   {0}, {4}, {{0}}, {{25, 11, 8}}},
  {"limits from params and lengths", "program p { workgroup 1 grid 1 param n : u32 buffer y : f32[n + 1] read_write const L = 3\n"
                                     "var k = 0 var j = 0\n"
                                     "while f32(k) < y[0] limit n * 2 { k += 1 } while j < 6 limit L * 2 { j += 1 }\n"
                                     "var i = 0 while i < 4 limit len(y) { i += 1 } y[1] = f32(k) y[2] = f32(j) y[3] = f32(i) }",
   {3}, {4}, {{6}}, {{6, 6, 6, 4}}},
  {"return, and else", "program p { workgroup 8 grid 1 buffer y : f32[8] read_write let i = global_id.x y[i] = 1.0\n"
                       "if i < 2 { y[i] = 2.0 return } else if i == 4 { y[i] = 3.0 } else { if i > 5 { return } y[i] = 4.0 }\n"
                       "y[i] += 0.5 }",
   {0}, {8}, {{0}}, {{2, 2, 4.5f, 4.5f, 3.5f, 4.5f, 1, 1}}},
  {"shared memory and barriers", "program p { const T = 8 workgroup T grid 2 buffer x : f32[16] read buffer y : f32[2] write\n"
                                 "shared part : f32[T] let lane = local_id.x part[lane] = x[global_id.x] barrier\n"
                                 "for k in 0 .. 3 { let s = u32(4) >> u32(k) if lane < s { part[lane] += part[lane + s] } barrier }\n"
                                 "if lane == 0 { y[workgroup_id.x] = part[0] } }",
   {0}, {16, 2}, {{1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 1, 1, 1, 1, 1}}, {{1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 1, 1, 1, 1, 1}, {36, 8}}},
  {"arrays of an invocation", "program p { workgroup 2 grid 1 buffer y : f32[2] write var t : f32[4]\n"
                              "for k in 0 .. 4 { t[k] = f32(k) * f32(global_id.x + 1) } var s = 0.0 for k in 0 .. 6 { s += t[k] }\n"
                              "y[global_id.x] = s }",
   {0}, {2}, {{0}}, {{6, 12}}},
  {"atomics on a buffer", "program p { workgroup 16 grid 2 buffer y : f32[4] read_write let i = global_id.x\n"
                          "atomic_add(y[i % 3], 1.0) atomic_add(y[i + 3], 2.0) }",
   {0}, {4}, {{0}}, {{11, 11, 10, 2}}},
  {"atomics on shared memory", "program p { workgroup 16 grid 1 buffer y : f32[4] write shared s : f32 shared m : u32 shared t : f32\n"
                               "if local_index == 0 { s = 0.0 m = 100 t = 0.0 } barrier atomic_add(s, 0.5)\n"
                               "atomic_min(m, local_index + 7) atomic_max(t, f32(local_index)) barrier\n"
                               "if local_index == 0 { y[0] = s y[1] = f32(m) y[2] = t y[3] = atomic_load(t) } }",
   {0}, {4}, {{0}}, {{8, 7, 15, 15}}},
  {"out of bounds", "program p { workgroup 1 grid 1 buffer x : f32[3] read buffer y : f32[4] read_write\n"
                    "y[0] = x[2] y[1] = x[3] y[4] = 9.0 y[u32(0) - 1] = 9.0 var k = -1 y[2] = x[k] y[k] = 9.0\n"
                    "y[3] = x[i64(1) << 32] y[i64(3) - 4294967296] = 9.0 }",
   {0}, {3, 4}, {{1, 2, 3}, {7, 7, 7, 7}}, {{1, 2, 3}, {3, 0, 0, 0}}},
  {"lengths", "program p { workgroup 1 grid 1 param n : u32 buffer x : f32[] read buffer z : f32[n * 2 - 1] read buffer y : f32[4] write\n"
              "y[0] = f32(len(x)) y[1] = f32(len(z)) y[2] = x[len(x) - 1] y[3] = z[len(z)] + z[len(z) - 1] }",
   {2}, {5, 3, 4}, {{1, 2, 3, 4, 5}, {6, 7, 8}}, {{1, 2, 3, 4, 5}, {6, 7, 8}, {5, 3, 5, 8}}},
  {"two dimensions", "program p { workgroup 2, 2 grid 2, 1 buffer y : f32[8] write\n"
                     "let w = num_workgroups.x * workgroup_size.x\n"
                     "y[global_id.y * w + global_id.x] = f32(local_index * 100 + workgroup_id.x * 10 + local_id.y) }",
   {0}, {8}, {{0}}, {{0, 100, 10, 110, 201, 301, 211, 311}}},
  {"bools", "program p { workgroup 1 grid 1 param b : bool buffer y : f32[4] write shared s : bool[2] var c = b\n"
            "s[0] = !c s[1] = c c = c && !s[0] y[0] = select(c, 1.0, 2.0) y[1] = f32(s[0]) y[2] = f32(s[1]) y[3] = f32(b ^ true) }",
   {1}, {4}, {{0}}, {{1, 0, 1, 0}}},
  {"narrow memory", "program p { workgroup 1 grid 1 buffer y : f32[12] write shared a : i8 shared b : u8 shared c : i16 shared d : u16\n"
                    "var e : bf16 var f : f16 a = 200 b = 300 c = 40000 d = 70000 e = 1.00390625 f = f16(2049.0)\n"
                    "y[0] = f32(a) y[1] = f32(b) y[2] = f32(c) y[3] = f32(d) y[4] = e y[5] = f32(f) e = 1.01171875 y[6] = e }",
   {0}, {12}, {{0}}, {{-56, 44, -25536, 4464, 1, 2048, 1.015625f}}},
  {"hidden lengths and wide params",
   "program p { workgroup 1 grid 1 param a : f64 param n : u32 param b : f64 param c : i64 buffer x : f32[n + 1] read buffer y : f32[4] write\n"
   "y[0] = f32(a) y[1] = f32(b) y[2] = f32(c) y[3] = x[n] + x[n + 1] }",
   {1.5, 2, 2.5, -7}, {3, 4}, {{1, 2, 3}}, {{1, 2, 3}, {1.5f, 2.5f, -7, 3}}},
  {"a module of runs", "module m { param n : u32 buffer x : f32[n] read buffer t : f32[n] temp buffer y : f32[n] write\n"
                       "program twice { workgroup 4 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n"
                       "let i = global_id.x if i < n { b[i] = 2.0 * a[i] } }\n"
                       "program next { workgroup 4 grid invocations n param n : u32 param k : u32 buffer a : f32[n] read_write\n"
                       "let i = global_id.x if i < n { a[i] = a[i] + f32(k) } }\n"
                       "run twice(a = x, b = t, n = n) repeat k in 0 .. 4 reversed { run next(a = t, n = n, k = k + 1) }\n"
                       "run twice(a = t, b = y, n = n) }",
   {3}, {3, UINT64_MAX, 3}, {{1, 2, 3}}, {{1, 2, 3}, {0}, {24, 28, 32}}},
  {"a grid of nothing", "program p { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[1] read_write\n"
                        "y[0] = 1.0 }",
   {0}, {0, 1}, {{0}, {5}}, {{0}, {5}}},
  {"an assertion that holds", "program p { workgroup 1 grid 1 param a : u32 buffer y : f32[1] write assert a < 2 \"small\" y[0] = 1.0 }",
   {1}, {1}, {{0}}, {{1}}},
  {"an i32, widened, against literals",
   "program p { workgroup 1 grid 1 param m : i32 buffer y : f32[8] read_write let w = i64(m & 8)\n"
   "y[0] = select(w > 4, 1.0, 0.0) y[1] = select(w < 4, 1.0, 0.0) y[2] = select(w == 0, 1.0, 0.0) y[3] = select(w > -4, 1.0, 0.0)\n"
   "y[4] = select(i64(-m) < -1, 1.0, 0.0) y[5] = select(i64(-m) > -3, 1.0, 0.0) for k in 4 .. w { y[6] += 1.0 }\n"
   "y[7] = f32(i64(-m) * 1000000000000) }",
   {3}, {8}, {{0}}, {{0, 1, 1, 1, 1, 0, 0, -3e12f}}},
  {"packs are rounded once",
   "program p { workgroup 1 grid 1 buffer x : f32[3] read buffer y : f32[4] write y[0] = f32(pack_unorm_4x8(x[0], 0.0, 0.0, 0.0))\n"
   "y[1] = f32(pack_unorm_4x8(x[1], 0.0, 0.0, 0.0)) y[2] = f32(pack_snorm_4x8(x[2], 0.0, 0.0, 0.0) & 255)\n"
   "y[3] = f32(pack_unorm_2x16(x[0], 0.0)) }",
   {0}, {3, 4}, {{0.3f, 0.1f, -0.5f}, {0}}, {{0.3f, 0.1f, -0.5f}, {77, 26, 192, 19661}}},
  {"a memory barrier that some rows reach",
   "program p { workgroup 2, 2 grid 1, 2 param m : u32 buffer y : f32[8] read_write\n"
   "let i = global_id.y * 2 + global_id.x if i == 4 { for k in 0 .. m { memory_barrier } y[i] += 1.0 } }",
   {3}, {8}, {{0}}, {{0, 0, 0, 0, 1, 0, 0, 0}}},
};

/* The third is a Vulkan device without atomics of floats: they become compare-and-swap. */
static const struct { const char *name; uint32_t without; } devices[] = {
  {"reference", 0}, {"vulkan", 0}, {"vulkan", KG_FEATURE_ATOMIC_ADD_F32_BUFFER | KG_FEATURE_ATOMIC_ADD_F32_SHARED}, {"cpu", 0}};
enum { DEVICES = sizeof devices / sizeof *devices };

START_TEST(forward) {
  const run_case *c = &cases[_i / DEVICES];
  kgt_device d = kgt_open_with(devices[_i % DEVICES].name, &(kg_context_params){.validate = true, .without = devices[_i % DEVICES].without});
  kg_module *m = kgt_parse(c->text);
  float data[4][16];
  memcpy(data, c->in, sizeof data);
  void *arrays[4] = {data[0], data[1], data[2], data[3]};
  kgt_run_fine(&d, m, c->params, arrays, c->lengths);
  for (uint32_t b = 0; b < kg_module_buffer_count(m); b++)
    for (uint64_t i = 0; c->lengths[b] != UINT64_MAX && i < c->lengths[b]; i++)
      ck_assert_msg(data[b][i] == c->out[b][i], "%s on %s: %s[%d] is %g, not %g", c->name, d.info.id, kg_module_buffer(m, b).name,
                    (int)i, (double)data[b][i], (double)c->out[b][i]);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_CROSS(forward, cases, name, DEVICES)};
  return kgt_run("driver/run", tests, KGT_COUNT(tests));
}
