/* The interpreter's constructs, each with results worked out without it. */
#include "tests/reference/reference_case.h"

#include <fenv.h>
#include <stdlib.h>

START_TEST(saxpy_with_surplus_invocations) {
  kgt_case c;
  kgt_case_init(&c);
  float x[70], y[70];
  for (int i = 0; i < 70; i++) x[i] = (float)i, y[i] = 1;
  c.buffers[0] = x, c.buffers[1] = y;
  uint64_t params[] = {70, 0x40000000};
  c.params.param_bits = params;
  kgt_case_fine(&c, "program saxpy { workgroup 32 grid invocations n param n : u32 param a : f32\n"
                    "buffer x : f32[n] read buffer y : f32[n] read_write\n"
                    "let i = global_id.x if i < n { y[i] = a * x[i] + y[i] } }");
  for (int i = 0; i < 70; i++) ck_assert(y[i] == 2.0f * (float)i + 1);
}
END_TEST

START_TEST(without_guard_the_surplus_is_counted) {
  kgt_case c;
  kgt_case_init(&c);
  float x[40], y[40];
  for (int i = 0; i < 40; i++) x[i] = 1, y[i] = 5;
  c.buffers[0] = x, c.buffers[1] = y;
  const char *text = "program p { workgroup 32 grid invocations 40 buffer x : f32[40] read buffer y : f32[40] write\n"
                     "let i = global_id.x y[i] = x[i] + x[i32(i) - 1] }";
  ck_assert_int_eq(kgt_case_run(&c, text), KG_OK);
  /* 64 invocations: 24 past the end, of x[i] and y[i] each; x[i - 1] misses at -1 and for 23 past the end */
  ck_assert_uint_eq(c.report.out_of_bounds_loads, 24 + 1 + 23);
  ck_assert_uint_eq(c.report.out_of_bounds_stores, 24);
  ck_assert_uint_eq(c.report.out_of_bounds_line, 2);
  ck_assert_uint_eq(c.report.out_of_bounds_column, 35); /* x[i32(i) - 1], by the first workgroup */
  ck_assert(y[0] == 1 && y[1] == 2 && y[39] == 2);
}
END_TEST

/* 3-D ids: every invocation writes its own coordinates where they say. */
START_TEST(grids_in_three_dimensions) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[6 * 4 * 6];
  memset(out, 0xFF, sizeof out);
  c.buffers[0] = out;
  kgt_case_fine(&c, "program p { workgroup 3, 2, 2 grid 2, 2, 3 buffer out : u32[144] write\n"
                    "let at = global_id.x + 6 * (global_id.y + 4 * global_id.z)\n"
                    "let local = local_index + 12 * (workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y *\n"
                    "  workgroup_id.z))\n"
                    "out[at] = local * 1000 + local_id.x + 10 * local_id.y + 100 * local_id.z + workgroup_size.z - 2 }");
  for (uint32_t z = 0; z < 6; z++)
    for (uint32_t y = 0; y < 4; y++)
      for (uint32_t x = 0; x < 6; x++) {
        uint32_t lane = x % 3 + 3 * (y % 2) + 6 * (z % 2), group = x / 3 + 2 * (y / 2) + 4 * (z / 2);
        ck_assert_uint_eq(out[x + 6 * (y + 4 * z)], (lane + 12 * group) * 1000 + x % 3 + 10 * (y % 2) + 100 * (z % 2));
      }
}
END_TEST

/* Digits of the index, in order, make the trips visible. */
static void loops(const char *header, const uint64_t *expected, int count) {
  kgt_case c;
  kgt_case_init(&c);
  uint64_t out[8];
  char text[512];
  c.buffers[0] = out;
  snprintf(text, sizeof text,
           "program p { workgroup 8 grid 1 buffer out : u64[8] write let l = local_id.x\n"
           "var sum : u64 = 0\n%s { sum = sum * 100 + u64(i) %% 100 }\nout[l] = sum }", header);
  kgt_case_fine(&c, text);
  for (int l = 0; l < count; l++) ck_assert_msg(out[l] == expected[l], "%s: lane %d: %llu", header, l, (unsigned long long)out[l]);
}

START_TEST(loop_trips) {
  loops("for i in 0 .. 0", (uint64_t[]){0, 0}, 2);
  loops("for i in 5 .. 2", (uint64_t[]){0, 0}, 2);
  loops("for i in 1 .. 4", (uint64_t[]){10203, 10203}, 2);
  loops("for i in 1 .. 8 step 3", (uint64_t[]){10407}, 1);
  loops("for i in 1 .. 7 step 3", (uint64_t[]){104}, 1);
  loops("for i in 1 .. 8 step 3 reversed", (uint64_t[]){70401}, 1);
  loops("for i in 0 .. l", (uint64_t[]){0, 0, 1, 102, 10203, 1020304}, 6);
  loops("for i in 0 .. l reversed", (uint64_t[]){0, 0, 100, 20100, 3020100}, 5);
  loops("for i in l .. 9 step l + 1", (uint64_t[]){102030405060708, 1030507, 20508, 307, 4, 5}, 6);
}
END_TEST

START_TEST(loops_do_not_wrap) {
  loops("for i in u32(0xFFFFFFF0) .. u32(0xFFFFFFFF) step u32(7)", (uint64_t[]){808794}, 1);
  loops("for i in u32(0xFFFFFFF0) .. u32(0xFFFFFFFF) step u32(7) reversed", (uint64_t[]){948780}, 1);
  loops("for i in u32(1) .. u32(0xFFFFFFFF) step u32(0xFFFFFFFE)", (uint64_t[]){1}, 1);
  loops("for i in u32(0) .. u32(0xFFFFFFFF) step u32(0xFFFFFFFE)", (uint64_t[]){94}, 1); /* 0, 4294967294 */
  /* i64 from its lowest to its highest: 3 trips; as u64, 2^63, 2^64 - 1 and 2^63 - 2 mod 100 */
  loops("for i in i64(-9223372036854775807) - 1 .. i64(9223372036854775807) step i64(9223372036854775807)",
        (uint64_t[]){81506}, 1);
}
END_TEST

START_TEST(a_step_of_zero_is_reported) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[4] = {9, 9, 9, 9};
  c.buffers[0] = out;
  const char *text = "program p { workgroup 4 grid 1 buffer out : u32[4] write\nlet l = local_id.x\nvar n : u32 = 0\n"
                     "for i in 0 .. 4 step l { n += 1 }\nout[l] = n }";
  ck_assert_int_eq(kgt_case_run(&c, text), KG_FAILED);
  ck_assert_str_eq(c.diag, "loop-step");
  ck_assert_uint_eq(c.line, 4);
  ck_assert_int_eq(c.report.fault, KG_FAULT_STEP);
  ck_assert_uint_eq(c.report.fault_line, 4);
  ck_assert_uint_eq(c.report.fault_count, 1);
  ck_assert(out[0] == 0 && out[1] == 4 && out[2] == 2 && out[3] == 2);
}
END_TEST

/* Nobody takes a step in a range that is empty. */
START_TEST(a_step_of_zero_of_no_trips) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[4] = {9, 9, 9, 9};
  c.buffers[0] = out;
  kgt_case_fine(&c, "program p { workgroup 4 grid 1 buffer out : u32[4] write\nlet l = local_id.x\nvar n : u32 = 0\n"
                    "for i in 4 .. 4 step l { n += 1 }\nfor i in 0 .. -1 step -i32(l) { n += 1 }\nout[l] = n }");
  for (int l = 0; l < 4; l++) ck_assert_uint_eq(out[l], 0);
}
END_TEST

/* Collatz trips, data-dependent, with break, continue and return; the same in C beside it. */
START_TEST(divergent_control_flow) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[100], even[100];
  c.buffers[0] = out, c.buffers[1] = even;
  char *text = kgt_kernel("collatz");
  kgt_case_fine(&c, text);
  free(text);
  for (uint32_t l = 0; l < 100; l++) {
    uint32_t x = l, n = 0, e = 0, want = 777;
    while (l % 13 != 12 && x > 1) {
      n++;
      if (n == 50) break;
      if (x % 2 == 1) {
        x = 3 * x + 1;
        continue;
      }
      x /= 2;
      e += (l > 0) + (l > 2);
    }
    if (l % 13 != 12) want = l % 7 == 0 && n > 10 ? n + 1000 : l % 7 == 0 ? n + 1 : n;
    ck_assert_msg(out[l] == want && even[l] == e, "lane %u: %u %u", l, out[l], even[l]);
  }
}
END_TEST

/* A condition that was computed far outside keeps its place until all trips around it are over. */
START_TEST(conditions_outlive_loops) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[4];
  c.buffers[0] = out;
  kgt_case_fine(&c, "program p { workgroup 4 grid 1 buffer out : u32[4] write\nlet l = local_id.x var n : u32 = 0\n"
                    "let c = l > 1 let d = l * 3\n"
                    "for k in 0 .. 3 { while c { n += 1 if n % 4 == 3 { break } let e = n > 100 if e { n = 0 } }\n"
                    "  let z = n == 77 if z { n += d } region r { let w = n * 2 } n += w - 2 * n }\n"
                    "out[l] = n + d }");
  /* each time around: up to the next n = 3 mod 4, in lanes 2 and 3 */
  ck_assert(out[0] == 0 && out[1] == 3 && out[2] == 11 + 6 && out[3] == 11 + 9);
}
END_TEST

START_TEST(while_limits) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[4];
  c.buffers[0] = out;
  const char *text = "program p { workgroup 4 grid 1 buffer out : u32[4] write\nlet l = local_id.x\nvar n : u32 = 0\n"
                     "while n < l limit 2 { n += 1 }\nout[l] = n }";
  ck_assert_int_eq(kgt_case_run(&c, text), KG_FAILED);
  ck_assert_str_eq(c.diag, "loop-limit");
  ck_assert_int_eq(c.report.fault, KG_FAULT_LOOP_LIMIT);
  ck_assert_uint_eq(c.report.fault_count, 1); /* lane 3 alone wants a third trip */
  ck_assert(out[0] == 0 && out[1] == 1 && out[2] == 2 && out[3] == 2);
}
END_TEST

START_TEST(asserts) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[8] = {0};
  c.buffers[0] = out;
  const char *text = "program p { workgroup 4 grid 2 buffer out : u32[8] write\nlet i = global_id.x\n"
                     "if i != 3 { assert i < 3 \"too far\" }\nout[i] = 1 }";
  ck_assert_int_eq(kgt_case_run(&c, text), KG_FAILED);
  ck_assert_str_eq(c.diag, "assert-failed");
  ck_assert_str_eq(c.message, "3:13 assertion failed: too far");
  ck_assert_uint_eq(c.report.fault_count, 4);
  ck_assert_uint_eq(out[7], 1); /* the run goes on */
}
END_TEST

/* A tree sum in shared memory, as everybody writes it. */
START_TEST(shared_memory_and_barriers) {
  kgt_case c;
  kgt_case_init(&c);
  float x[300], y[3];
  float want[3] = {0};
  for (int i = 0; i < 300; i++) x[i] = (float)(i % 17), want[i / 128] += x[i];
  c.buffers[0] = x, c.buffers[1] = y;
  kgt_case_fine(&c, "program p { workgroup 128 grid invocations 300 buffer x : f32[300] read buffer y : f32[3] write\n"
                    "shared part : f32[128]\nlet l = local_id.x let i = global_id.x\n"
                    "part[l] = select(i < 300, x[min(i, 299)], 0.0)\nbarrier\n"
                    "for k in 0 .. 7 { let half = u32(64) >> u32(k) if l < half { part[l] += part[l + half] } barrier }\n"
                    "if l == 0 { y[workgroup_id.x] = part[0] } }");
  for (int g = 0; g < 3; g++) ck_assert(y[g] == want[g]); /* whole numbers, so every order is exact */
}
END_TEST

START_TEST(shared_memory_is_zero_in_each_workgroup) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[3];
  c.buffers[0] = out;
  kgt_case_fine(&c, "program p { workgroup 4 grid 3 buffer out : u32[3] write shared s : u32 shared t : u32[2]\n"
                    "atomic_add(s, 1) barrier if local_id.x == 0 { out[workgroup_id.x] = s + t[1] t[1] = 100 } }");
  ck_assert(out[0] == 4 && out[1] == 4 && out[2] == 4);
}
END_TEST

START_TEST(divergent_barriers) {
  static const struct { const char *body; unsigned line; } rows[] = {
    {"if local_id.x < 3 {\nbarrier }", 3},
    {"for i in 0 .. local_id.x {\nbarrier }", 3},
    {"if local_id.x == 0 { return }\nbarrier", 3},
    {"while true { if local_id.x == 2 { break }\nbarrier }", 3},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    kgt_case c;
    char text[256];
    uint32_t out[1];
    kgt_case_init(&c);
    c.buffers[0] = out;
    snprintf(text, sizeof text, "program p { workgroup 4 grid 1 buffer out : u32[1] write\n%s }", rows[i].body);
    ck_assert_int_eq(kgt_case_run(&c, text), KG_FAILED);
    ck_assert_str_eq(c.diag, "divergent-barrier");
    ck_assert_uint_eq(c.report.fault_line, rows[i].line);
    ck_assert_int_eq(c.report.fault, KG_FAULT_DIVERGENT_BARRIER);
  }
}
END_TEST

START_TEST(uniform_barriers_are_fine) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[8];
  c.buffers[0] = out;
  uint64_t n = 3;
  c.params.param_bits = &n;
  kgt_case_fine(&c, "program p { workgroup 4 grid 2 param n : u32 buffer out : u32[8] write shared s : u32[4]\n"
                    "let l = local_id.x if workgroup_id.x == 1 { for i in 0 .. n { s[l] = l + i barrier\n"
                    "let t = s[(l + 1) % 4] barrier s[l] = t } } out[global_id.x] = s[l] }");
  const uint32_t want[8] = {0, 0, 0, 0, 3, 4, 5, 2}; /* lane l: (l + 1) % 4 + 2 */
  for (int i = 0; i < 8; i++) ck_assert_uint_eq(out[i], want[i]);
}
END_TEST

/* Arrays of a var are each invocation's own; a redeclared var starts at 0. */
START_TEST(vars) {
  kgt_case c;
  kgt_case_init(&c);
  int32_t out[16];
  c.buffers[0] = out;
  kgt_case_fine(&c, "program p { workgroup 16 grid 1 buffer out : i32[16] write\n"
                    "let l = i32(local_id.x) var t : i32[5] var k : i32 = 0\n"
                    "for i in 0 .. 5 { t[i] = l * i }\n"
                    "if l % 2 == 1 { for i in 0 .. 5 { var fresh : i32 fresh += 1 t[(i + l) % 5] += fresh k += t[i] } }\n"
                    "else { k = t[4] } out[l] = k }");
  for (int l = 0; l < 16; l++) {
    int t[5], k = 0;
    for (int i = 0; i < 5; i++) t[i] = l * i;
    for (int i = 0; i < 5 && l % 2; i++) t[(i + l) % 5]++, k += t[i];
    ck_assert_int_eq(out[l], l % 2 ? k : 4 * l);
  }
}
END_TEST

START_TEST(out_of_bounds_of_vars_and_shared) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[4];
  c.buffers[0] = out;
  const char *text = "program p { workgroup 4 grid 1 buffer out : u32[4] write shared s : u32[2]\n"
                     "let l = local_id.x var t : u32[2] t[l] = 7 s[i64(l) - 1] = 5 barrier\n"
                     "out[l] = t[l] + 10 * s[l] + 100 * atomic_add(s[l + 1], 1) }";
  ck_assert_int_eq(kgt_case_run(&c, text), KG_OK);
  /* stores: t[2], t[3], s[-1], s[2]; atomics: s[2], s[3], s[4]. loads: t[2], t[3], s[2], s[3] */
  ck_assert_uint_eq(c.report.out_of_bounds_stores, 4 + 3);
  ck_assert_uint_eq(c.report.out_of_bounds_loads, 4);
  ck_assert(out[0] == 7 + 50 + 500 && out[1] == 7 + 50 && out[2] == 0 && out[3] == 0);
}
END_TEST

START_TEST(step_limit_ends_what_does_not_end) {
  kgt_case c;
  kgt_case_init(&c);
  uint32_t out[1];
  c.buffers[0] = out;
  c.params.step_limit = 100000;
  const char *busy = "program p { workgroup 4 grid 1 buffer out : u32[1] write while true { out[0] = 1 } }";
  const char *idle = "program p { workgroup 4 grid 1 buffer out : u32[1] write while true { } }";
  ck_assert_int_eq(kgt_case_run(&c, busy), KG_FAILED);
  ck_assert_str_eq(c.diag, "step-limit");
  ck_assert_int_eq(c.report.fault, KG_FAULT_STEP_LIMIT);
  kgt_case_init(&c);
  c.buffers[0] = out;
  c.params.step_limit = 100000;
  ck_assert_int_eq(kgt_case_run(&c, idle), KG_FAILED);
}
END_TEST

/* Without a limit a while of 2^22 trips and more ends the run, on any number of threads; one of so many does not. */
START_TEST(endless_loops_end) {
  const char *endless = "program p { workgroup 1 grid 2 buffer out : u32[2] write var n = 0 "
                        "if global_id.x == 1 { while n < 5 { out[0] = 1 } } }";
  const char *long_loop = "program p { workgroup 1 grid 1 buffer out : u32[2] write var n = u32(0) while n < 4194304 { n += 1 } out[0] = n }";
  for (uint32_t threads = 1; threads < 3; threads++) {
    kgt_case c;
    uint32_t out[2] = {0, 0};
    kgt_case_init(&c);
    c.buffers[0] = out;
    c.params.threads = threads;
    ck_assert_int_eq(kgt_case_run(&c, endless), KG_FAILED);
    ck_assert_str_eq(c.diag, "endless-loop");
    ck_assert_int_eq(c.report.fault, KG_FAULT_ENDLESS_LOOP);
    ck_assert_uint_eq(c.report.fault_count, 1);
    ck_assert_uint_eq(c.report.fault_column, 90);
  }
  kgt_case c;
  uint32_t out[2] = {0, 0};
  kgt_case_init(&c);
  c.buffers[0] = out;
  ck_assert_int_eq(kgt_case_run(&c, long_loop), KG_OK);
  ck_assert_uint_eq(out[0], 4194304);
}
END_TEST

/* A limit of the caller's, or of the kernel's own, takes the place of the default. */
START_TEST(limits_take_the_place_of_the_default) {
  const char *text = "program p { workgroup 1 grid 1 buffer out : u32[1] write var n = u32(0) while n < 4194400 { n += 1 } out[0] = n }";
  const char *own = "program p { workgroup 1 grid 1 buffer out : u32[1] write var n = u32(0) while n < 4194400 limit 5000000 { n += 1 } "
                    "out[0] = n }";
  for (int k = 0; k < 3; k++) {
    kgt_case c;
    uint32_t out[1] = {0};
    kgt_case_init(&c);
    c.buffers[0] = out;
    c.params.step_limit = k == 0 ? UINT64_C(1) << 32 : k == 1 ? UINT64_MAX : 0;
    ck_assert_int_eq(kgt_case_run(&c, k < 2 ? text : own), KG_OK);
    ck_assert_uint_eq(out[0], 4194400);
  }
}
END_TEST

START_TEST(subgroup_size_is_checked) {
  kgt_case c;
  kgt_case_init(&c);
  c.params.subgroup_size = 12;
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 4 grid 1 buffer x : f32[4] write x[0] = 1.0 }"), KG_INVALID);
  ck_assert_str_eq(c.diag, "subgroup-size");
}
END_TEST

/* 0.1 * 0.1 is rounded down in f32; 2^-149 * 1 is subnormal; exp and an f64 sum go through the C library and on. */
static void arithmetic(uint32_t *out) {
  kgt_case c;
  kgt_case_init(&c);
  float x[3] = {0.1f, 0x1p-149f, 1};
  double w[2] = {0.1, 0x1p-1074};
  c.buffers[0] = x, c.buffers[1] = w, c.buffers[2] = out;
  kgt_case_fine(&c, "program p { workgroup 1 grid 1 buffer x : f32[3] read buffer w : f64[2] read buffer y : u32[5] write\n"
                    "y[0] = bitcast_u32(x[0] * x[0]) y[1] = bitcast_u32(x[1] * x[2]) y[2] = bitcast_u32(exp(x[0]))\n"
                    "y[3] = bitcast_u32(f32(w[0])) y[4] = u32(w[1] * 1.0 > 0.0) }");
}

START_TEST(the_hosts_rounding_does_not_matter) {
  uint32_t plain[5], other[5];
  arithmetic(plain);
  ck_assert_uint_eq(plain[1], 1);
  ck_assert_uint_eq(plain[4], 1);
  ck_assert_int_eq(fesetround(FE_UPWARD), 0);
#ifdef __SSE2__
  unsigned flushing = __builtin_ia32_stmxcsr() | 0x8040; /* subnormals are 0, as results and as operands */
  __builtin_ia32_ldmxcsr(flushing);
#endif
  arithmetic(other);
  ck_assert_int_eq(fegetround(), FE_UPWARD);
#ifdef __SSE2__
  ck_assert_uint_eq(__builtin_ia32_stmxcsr() & 0xE040, flushing & 0xE040);
#endif
  for (int i = 0; i < 5; i++) ck_assert_uint_eq(other[i], plain[i]);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(saxpy_with_surplus_invocations), KGT(without_guard_the_surplus_is_counted), KGT(grids_in_three_dimensions), KGT(loop_trips),
    KGT(loops_do_not_wrap), KGT(a_step_of_zero_is_reported), KGT(a_step_of_zero_of_no_trips), KGT(divergent_control_flow), KGT(conditions_outlive_loops),
    KGT(while_limits), KGT(asserts),
    KGT(shared_memory_and_barriers), KGT(shared_memory_is_zero_in_each_workgroup), KGT(divergent_barriers),
    KGT(uniform_barriers_are_fine), KGT(vars), KGT(out_of_bounds_of_vars_and_shared), KGT(step_limit_ends_what_does_not_end),
    KGT(endless_loops_end), KGT(limits_take_the_place_of_the_default),
    KGT(subgroup_size_is_checked), KGT(the_hosts_rounding_does_not_matter),
  };
  return kgt_run("reference/run", tests, KGT_COUNT(tests));
}
