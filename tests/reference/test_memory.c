/* Storage types, atomics, and modules whose runs pass buffers on. */
#include "tests/reference/reference_case.h"

#include <stdlib.h>

/* Loads widen, stores narrow: what comes back is the value mod 2^n, or rounded to the type. */
START_TEST(narrow_integers) {
  kgt_case c;
  kgt_case_init(&c);
  int8_t a[4] = {-1, 127, -128, 5};
  uint8_t b[4] = {255, 127, 128, 5};
  int16_t s[4] = {-1, 32767, -32768, 5};
  uint16_t u[4] = {65535, 32767, 32768, 5};
  int32_t out[16];
  c.buffers[0] = a, c.buffers[1] = b, c.buffers[2] = s, c.buffers[3] = u, c.buffers[4] = out;
  kgt_case_fine(&c, "program p { workgroup 4 grid 1 buffer a : i8[4] read_write buffer b : u8[4] read_write\n"
                    "buffer s : i16[4] read_write buffer u : u16[4] read_write buffer out : i32[16] write let i = local_id.x\n"
                    "out[i] = a[i] out[i + 4] = i32(b[i]) out[i + 8] = s[i] out[i + 12] = i32(u[i])\n"
                    "a[i] = a[i] + 1 b[i] = b[i] + 1 s[i] = s[i] - 1 u[i] = u[i] - 6 }");
  const int32_t want[16] = {-1, 127, -128, 5, 255, 127, 128, 5, -1, 32767, -32768, 5, 65535, 32767, 32768, 5};
  for (int i = 0; i < 16; i++) ck_assert_int_eq(out[i], want[i]);
  ck_assert(a[0] == 0 && a[1] == -128 && a[2] == -127 && a[3] == 6);
  ck_assert(b[0] == 0 && b[1] == 128 && b[2] == 129 && b[3] == 6);
  ck_assert(s[0] == -2 && s[1] == 32766 && s[2] == 32767 && s[3] == 4);
  ck_assert(u[0] == 65529 && u[1] == 32761 && u[2] == 32762 && u[3] == 65535);
}
END_TEST

/* f16 computes in float and rounds after each operation; bf16 computes as f32 and rounds when it is stored. */
START_TEST(narrow_floats) {
  kgt_case c;
  kgt_case_init(&c);
  uint16_t h[3] = {0x6800 /* 2048 */, 0x3C01 /* 1 + 2^-10 */, 0x7BFF /* 65504 */}, b[3] = {0x3F80 /* 1 */, 0x3F81, 0xFF80};
  float out[6];
  c.buffers[0] = h, c.buffers[1] = b, c.buffers[2] = out;
  kgt_case_fine(&c, "program p { workgroup 3 grid 1 buffer h : f16[3] read_write buffer b : bf16[3] read_write\n"
                    "buffer out : f32[6] write let i = local_id.x\n"
                    "let sum = h[i] + f16(1.0) out[i] = f32(sum + f16(1.0)) h[i] = h[i] * h[i]\n"
                    "out[i + 3] = b[i] * 1.001953125 b[i] = b[i] * 1.001953125 }");
  ck_assert(out[0] == 2048);               /* 2049 is a tie and goes to even, twice */
  ck_assert(out[1] == 3);                  /* 2 + 2^-10 is a tie too, and rounds to 2 */
  ck_assert(out[2] == 65504);
  ck_assert_uint_eq(h[0], 0x7C00);         /* 2^22 overflows */
  ck_assert_uint_eq(h[1], 0x3C02);         /* 1 + 2^-9 + 2^-20 */
  ck_assert(out[3] == 1.001953125f);
  ck_assert_uint_eq(b[0], 0x3F80);         /* 1 + 2^-9: less than half of bf16's 2^-7 */
  ck_assert_uint_eq(b[1], 0x3F81);
  ck_assert_uint_eq(b[2], 0xFF80);
}
END_TEST

START_TEST(wide_types_and_bools) {
  kgt_case c;
  kgt_case_init(&c);
  int64_t a[2] = {INT64_MAX, -5};
  double d[2] = {0.1, 3};
  uint32_t out[2];
  c.buffers[0] = a, c.buffers[1] = d, c.buffers[2] = out;
  kgt_case_fine(&c, "program p { workgroup 2 grid 1 buffer a : i64[2] read_write buffer d : f64[2] read_write buffer out : u32[2]\n"
                    "write shared flags : bool[2] let i = local_id.x flags[i] = a[i] < 0 barrier\n"
                    "var t : f64[3] t[1] = d[i] * 3.0 d[i] = t[1] a[i] += 1\n"
                    "var f : bool = flags[1 - i] if f { f = !flags[i] } out[i] = select(f, u32(7), u32(8)) }");
  ck_assert(a[0] == INT64_MIN && a[1] == -4);
  ck_assert(d[0] == 0.1 * 3 && d[1] == 9);
  ck_assert(out[0] == 7 && out[1] == 8);
}
END_TEST

START_TEST(atomics_on_integers) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t x[8] = {0, 100, 3, 0xFFFFFFFF, 0, 0, 50, 7}, before[10];
  c.buffers[0] = x, c.buffers[1] = before;
  kgt_case_fine(&c, "program p { workgroup 10 grid 1 buffer x : u32[8] read_write buffer before : u32[10] write\n"
                    "let l = local_id.x before[l] = atomic_add(x[0], l)\n"
                    "atomic_min(x[1], 90 - l) atomic_max(x[2], l) atomic_and(x[3], ~(u32(1) << l)) atomic_or(x[4], u32(1) << l)\n"
                    "atomic_xor(x[5], u32(3) << l) let e = atomic_exchange(x[6], l)\n"
                    "let s = atomic_compare_exchange(x[7], 7 + l, 8 + l)\n"
                    "if l == 9 { assert e == 8 \"exchange\" assert s == 16 \"cas\" } }");
  const uint32_t want[8] = {45, 81, 9, 0xFFFFFC00, 0x3FF, 0x401, 9, 17};
  for (int i = 0; i < 8; i++) ck_assert_uint_eq(x[i], want[i]);
  for (uint32_t i = 0; i < 10; i++) ck_assert_uint_eq(before[i], i * (i - 1) / 2); /* lanes in order */
}
END_TEST

START_TEST(atomics_on_floats) {
  kgt_case c;
  kgt_case_init(&c);
  float x[4] = {0.1f, 5, 5, 0}, sum = 0.1f;
  c.buffers[0] = x;
  kgt_case_fine(&c, "program p { workgroup 8 grid 3 buffer x : f32[4] read_write shared s : f32\n"
                    "let i = global_id.x atomic_add(x[0], 0.1 * f32(i)) atomic_min(x[1], f32(i) - 3.5) atomic_max(x[2], f32(i))\n"
                    "atomic_add(s, 0.5) barrier if local_id.x == 0 { let v = atomic_load(s) atomic_store(s, v + 1.0)\n"
                    "atomic_add(x[3], atomic_load(s)) } }");
  for (int i = 0; i < 24; i++) sum += 0.1f * (float)i;
  ck_assert(x[0] == sum && x[1] == -3.5f && x[2] == 23 && x[3] == 15);
}
END_TEST

/* In place over two buffers in turn: after k sweeps of x -> a x + 1, by hand. */
START_TEST(modules_with_repeats) {
  kgt_case c;
  kgt_case_init(&c);
  float x[100];
  for (int i = 0; i < 100; i++) x[i] = (float)i;
  c.buffers[0] = x;
  uint64_t params[] = {100, 5};
  c.params.param_bits = params;
  kgt_case_fine(&c, "module m { param n : u32 param sweeps : u32 buffer x : f32[n] read_write buffer t : f32[n] temp\n"
                    "program step { workgroup 32 param n : u32 param a : f32 param k : u32 = 0 buffer from : f32[n] read\n"
                    "  buffer to : f32[n] write let i = global_id.x if i < n { to[i] = a * from[i] + f32(k) } }\n"
                    "repeat k in 0 .. sweeps { run step(from = x, to = t, n = n, a = 2.0, k = k) grid invocations n\n"
                    "  run step(from = t, to = x, n = n, a = 0.5, k = default) grid invocations n } }");
  for (int i = 0; i < 100; i++) ck_assert(x[i] == (float)i + 0.5f * (0 + 1 + 2 + 3 + 4)); /* (2x + k) / 2, five times */
}
END_TEST

START_TEST(temp_buffers_start_at_zero) {
  kgt_case c;
  kgt_case_init(&c);
  float y[4];
  c.buffers[1] = y;
  kgt_case_fine(&c, "module m { buffer t : f32[4] temp buffer y : f32[4] write\n"
                    "program p { workgroup 4 buffer t : f32[4] read_write buffer y : f32[4] write\n"
                    "let i = local_id.x y[i] = t[i] t[i] = 9.0 } run p(t = t, y = y) grid 1 }");
  for (int i = 0; i < 4; i++) ck_assert(y[i] == 0);
}
END_TEST

START_TEST(declared_lengths_are_what_bounds_see) {
  kgt_case c;
  kgt_case_init(&c);
  float x[4] = {1, 2, 3, 4}, y[4];
  c.buffers[0] = x, c.buffers[1] = y;
  ck_assert_int_eq(kgt_case_run(&c, "module m { buffer x : f32[4] read buffer y : f32[4] write\n"
                                    "program p { workgroup 4 buffer x : f32[2] read buffer y : f32[] write\n"
                                    "let i = local_id.x y[i] = x[i] + f32(len(x)) * 10.0 + f32(len(y)) * 100.0 }\n"
                                    "run p(x = x, y = y) grid 1 }"), KG_OK);
  ck_assert_uint_eq(c.report.out_of_bounds_loads, 2);
  ck_assert(y[0] == 421 && y[1] == 422 && y[2] == 420 && y[3] == 420);
}
END_TEST

START_TEST(nothing_to_do) {
  kgt_case c;
  kgt_case_init(&c);
  float x[1] = {5};
  c.buffers[0] = x;
  uint64_t params[] = {0};
  c.params.param_bits = params;
  c.lengths[0] = 0;
  kgt_case_fine(&c, "program p { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] write x[global_id.x] = 1.0 }");
  ck_assert(x[0] == 5);
  ck_assert_uint_eq(c.report.lane_instructions, 0);
}
END_TEST

/* Special values pass through memory and select untouched; constants and params of each type. */
START_TEST(constants_params_and_special_values) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t x[3] = {0xFFA00001 /* a NaN with a payload */, 0x80000000 /* -0 */, 0x00000001 /* subnormal */}, y[3], z[6];
  c.buffers[0] = x, c.buffers[1] = y, c.buffers[2] = z;
  kgt_case_fine(&c, "program p { workgroup 3 grid 1 const A = 7 const B : f32 = 0.1 const C : i64 = -3 param p : f16 = 1.5\n"
                    "param q : bool = true buffer x : f32[3] read buffer y : f32[3] write buffer z : f32[6] write\n"
                    "let i = local_id.x y[i] = select(q, x[i], 0.0) if i == 0 { z[0] = f32(A) z[1] = B z[2] = f32(C)\n"
                    "z[3] = f32(p) z[4] = x[2] * 0.5 z[5] = x[2] + x[2] } }");
  ck_assert(y[0] == x[0] && y[1] == x[1] && y[2] == x[2]);
  float f[6];
  memcpy(f, z, sizeof f);
  ck_assert(f[0] == 7 && f[1] == 0.1f && f[2] == -3 && f[3] == 1.5f);
  ck_assert(z[4] == 0 && z[5] == 2); /* half of the least is a tie, and goes to even */
}
END_TEST

START_TEST(bad_parameters_are_refused) {
  kgt_case c;
  kgt_case_init(&c);
  float x[4];
  c.buffers[0] = x;
  c.lengths[0] = 3;
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 4 grid 1 buffer x : f32[4] write x[0] = 1.0 }"), KG_INVALID);
  ck_assert_str_eq(c.diag, "length-mismatch");
}
END_TEST

/* The i-th allocation fails, for every i; what is left is neither lost nor used. */
typedef struct failing { unsigned left; } failing;
static void *fail_later(void *user, void *block, size_t old_size, size_t new_size) {
  failing *f = user;
  (void)old_size;
  if (new_size == 0) return free(block), NULL;
  if (f->left == 0) return NULL;
  f->left--;
  return realloc(block, new_size);
}

START_TEST(allocations_fail_one_by_one) {
  const char *text = "program p { workgroup 64 grid 2 buffer x : f32[4096] read_write shared s : f32[3000] var t : f32[90]\n"
                     "let i = global_id.x t[3] = x[i] s[local_id.x] = t[3] barrier for k in 0 .. 3 { x[i] = s[k] * x[i] } }";
  unsigned refused = 0;
  for (unsigned i = 0; i < 1000; i++) {
    kgt_case c;
    failing f = {i};
    kg_allocator allocator = {fail_later, &f};
    kgt_case_init(&c);
    c.params.allocator = &allocator;
    c.params.tangent_count = 2;
    kg_status status = kgt_case_run(&c, text);
    if (status == KG_OK) break;
    ck_assert_int_eq(status, KG_NO_MEMORY);
    ck_assert_str_eq(c.diag, "no-memory");
    refused++;
  }
  ck_assert(refused > 3 && refused < 1000);
}
END_TEST

/* Modest text may ask for terabytes; it is refused before they are touched. */
START_TEST(memory_is_limited) {
  static const char *const texts[] = {
    "program p { workgroup 4 grid 1 buffer x : f32[4000000000] write x[0] = 1.0 }",
    "program p { workgroup 1024, 64 grid 1 buffer x : f32[1] write var t : f64[2000000] t[0] = 1.0 x[0] = f32(t[1]) }",
  };
  for (int i = 0; i < 2; i++) {
    kgt_case c;
    kgt_case_init(&c);
    ck_assert_int_eq(kgt_case_run(&c, texts[i]), KG_NO_MEMORY);
    ck_assert_str_eq(c.diag, "no-memory");
  }
  kgt_case c;
  kgt_case_init(&c);
  c.params.memory_limit = 4 << 20;
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 4 grid 1 buffer x : f32[100000] write x[0] = 1.0 }"), KG_OK);
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 4 grid 1 buffer x : f32[1100000] write x[0] = 1.0 }"), KG_NO_MEMORY);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(narrow_integers), KGT(narrow_floats), KGT(wide_types_and_bools), KGT(atomics_on_integers), KGT(atomics_on_floats),
    KGT(modules_with_repeats), KGT(temp_buffers_start_at_zero), KGT(declared_lengths_are_what_bounds_see), KGT(nothing_to_do),
    KGT(constants_params_and_special_values), KGT(bad_parameters_are_refused), KGT(allocations_fail_one_by_one),
    KGT(memory_is_limited),
  };
  return kgt_run("reference/memory", tests, KGT_COUNT(tests));
}
