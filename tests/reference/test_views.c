/* Views on the reference, against C code on the bytes of the structs that they stand for. */
#include "tests/reference/reference_case.h"

enum { N = 8, ALL = KG_CHECK_RACES | KG_CHECK_UNINITIALISED | KG_CHECK_RANGES };

typedef struct particle { float x, y; uint32_t id; float vx; } particle;

START_TEST(fields_of_structs) {
  kgt_case c;
  float x[N], y[N], vx[N];
  uint32_t id[N];
  particle p[N];
  for (int i = 0; i < N; i++) {
    p[i] = (particle){1.5f * (float)i, -1.0f * (float)i, 100u + (uint32_t)i, 0.25f};
    x[i] = p[i].x, y[i] = p[i].y, id[i] = p[i].id, vx[i] = p[i].vx;
  }
  kgt_case_init(&c);
  c.buffers[0] = x, c.buffers[1] = y, c.buffers[2] = id, c.buffers[3] = vx;
  c.params.checks = ALL;
  kgt_case_fine(&c, "program p { workgroup 4 grid 2\n"
                    "buffer x : f32[8] read_write view(set 0, binding 3, offset 0, stride 16)\n"
                    "buffer y : f32[8] write view(set 0, binding 3, offset 4, stride 16)\n"
                    "buffer id : u32[8] read_write view(set 0, binding 3, offset 8, stride 16)\n"
                    "buffer vx : f32[8] read view(set 0, binding 3, offset 12, stride 16)\n"
                    "let i = global_id.x\n"
                    "x[i] += vx[i] y[i] = x[i] * 2.0 id[i] = id[i] ^ 5 }");
  for (int i = 0; i < N; i++) {
    p[i].x += p[i].vx, p[i].y = p[i].x * 2, p[i].id ^= 5;
    ck_assert(x[i] == p[i].x && y[i] == p[i].y && id[i] == p[i].id && vx[i] == p[i].vx);
  }
}
END_TEST

typedef struct block { uint16_t d; int8_t q[6]; uint16_t m; } block;

/* The array of each struct is a row, which the host has without what lies between. */
START_TEST(rows_of_structs) {
  kgt_case c;
  block b[N];
  uint16_t d[N];
  int8_t q[6 * N], out[3 * N];
  uint32_t seen[N];
  for (int i = 0; i < N; i++) {
    d[i] = b[i].d = (uint16_t)(1000 * i);
    for (int k = 0; k < 6; k++) q[6 * i + k] = b[i].q[k] = (int8_t)(7 * i - 5 * k);
  }
  kgt_case_init(&c);
  c.buffers[0] = d, c.buffers[1] = q, c.buffers[2] = out, c.buffers[3] = seen;
  c.params.checks = ALL;
  kgt_case_fine(&c, "program p { workgroup 4 grid 2\n"
                    "buffer d : u16[8] read view(set 0, binding 0, offset 0, stride 10)\n"
                    "buffer q : i8[48] read_write view(set 0, binding 0, offset 2, stride 1, row 6 every 10)\n"
                    "buffer even : i8[24] write view(set 0, binding 1, offset 1, stride 2, row 3 every 7)\n"
                    "buffer seen : u32[8] write\n"
                    "let i = global_id.x\n"
                    "for k in 0 .. 3 { even[3 * i + u32(k)] = q[6 * i + u32(2 * k)] }\n"
                    "q[6 * i + 5] = i32(d[i]) / 100 seen[i] = d[i] }");
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 3; k++) ck_assert_int_eq(out[3 * i + k], b[i].q[2 * k]);
    for (int k = 0; k < 5; k++) ck_assert_int_eq(q[6 * i + k], b[i].q[k]);
    ck_assert(q[6 * i + 5] == (int8_t)(b[i].d / 100) && seen[i] == b[i].d);
  }
}
END_TEST

START_TEST(a_store_through_one_is_loaded_through_the_other) {
  kgt_case c;
  float all[N] = {0, 1, 2, 3, 4, 5, 6, 7}, odd[4], y[4];
  kgt_case_init(&c);
  c.buffers[0] = all, c.buffers[1] = odd, c.buffers[2] = y;
  kgt_case_fine(&c, "program p { workgroup 4 grid 1\n"
                    "buffer all : f32[8] read_write view(set 1, binding 0, offset 0, stride 4)\n"
                    "buffer odd : f32[4] write view(set 1, binding 0, offset 4, stride 8)\n"
                    "buffer y : f32[4] write let i = local_id.x\n"
                    "let before = all[2 * i + 1] odd[i] = before * 10.0 y[i] = all[2 * i + 1] - before }");
  for (int i = 0; i < 4; i++) {
    float was = (float)(2 * i + 1);
    ck_assert(all[2 * i] == was - 1 && all[2 * i + 1] == 10 * was && odd[i] == 10 * was && y[i] == 9 * was);
  }
}
END_TEST

/* What nothing covers is zero; a later view's contents win; what nothing stored to comes out as the bytes that lie there. */
START_TEST(entry_and_exit) {
  kgt_case c;
  uint32_t raw[6] = {9, 9, 9, 9, 9, 9}, first[4] = {1, 2, 3, 4}, second[2] = {50, 60};
  const uint32_t want[6] = {1, 50, 0, 60, 7, 0};
  kgt_case_init(&c);
  c.buffers[0] = raw, c.buffers[1] = first, c.buffers[2] = second;
  kgt_case_fine(&c, "program p { workgroup 1 grid 1\n"
                    "buffer raw : u32[6] write view(set 0, binding 0, offset 0, stride 4)\n"
                    "buffer first : u32[2] read view(set 0, binding 0, offset 0, stride 4)\n"
                    "buffer second : u32[2] read_write view(set 0, binding 0, offset 4, stride 8)\n"
                    "raw[4] = 7 }");
  for (int i = 0; i < 6; i++) ck_assert_msg(raw[i] == want[i], "raw[%d] is %u", i, raw[i]);
  ck_assert(first[0] == 1 && first[1] == 2 && second[0] == 50 && second[1] == 60);
}
END_TEST

START_TEST(narrow_types_over_wide_ones) {
  kgt_case c;
  uint32_t word[2] = {0x80FF0102, 0x00000000};
  uint8_t byte[8];
  int32_t sum[2];
  kgt_case_init(&c);
  c.buffers[0] = word, c.buffers[1] = byte, c.buffers[3] = sum;
  kgt_case_fine(&c, "program p { workgroup 1 grid 1\n"
                    "buffer word : u32[2] read_write view(set 0, binding 0, offset 0, stride 4)\n"
                    "buffer byte : u8[8] write view(set 0, binding 0, offset 0, stride 1)\n"
                    "buffer half : i16[4] read view(set 0, binding 0, offset 0, stride 2)\n"
                    "buffer sum : i32[2] write\n"
                    "byte[4] = u32(0x34) byte[5] = u32(0x12) sum[0] = half[1] sum[1] = half[2] }");
  /* the array for half is none: its zeros are put over word's */
  ck_assert(word[0] == 0 && word[1] == 0x1234 && sum[0] == 0 && sum[1] == 0x1234);
  word[0] = 0x80FF0102, word[1] = 0;
  memcpy(byte, (const uint8_t[8]){0x02, 0x01, 0xFF, 0x80}, 8);
  c.buffers[2] = sum;
  kgt_case_fine(&c, "program p { workgroup 1 grid 1\n"
                    "buffer word : u32[2] read_write view(set 0, binding 0, offset 0, stride 4)\n"
                    "buffer byte : u8[8] read_write view(set 0, binding 0, offset 0, stride 1)\n"
                    "buffer sum : i32[2] write\n"
                    "byte[3] = byte[1] + 0xF0 word[1] = word[0] sum[0] = i32(byte[7]) }");
  ck_assert(word[0] == 0xF1FF0102 && word[1] == 0xF1FF0102 && byte[3] == 0xF1 && byte[7] == 0xF1 && sum[0] == 0xF1);
}
END_TEST

START_TEST(atomics) {
  kgt_case c;
  uint32_t count[2] = {5, 6};
  kgt_case_init(&c);
  c.buffers[0] = count;
  c.params.checks = ALL;
  kgt_case_fine(&c, "program p { workgroup 8 grid 4\n"
                    "buffer count : u32[2] read_write view(set 0, binding 0, offset 0, stride 8)\n"
                    "buffer same : u32[1] read_write view(set 0, binding 0, offset 8, stride 4)\n"
                    "atomic_add(count[global_id.x % 2], 1) atomic_add(same[0], 100) }");
  ck_assert_uint_eq(count[0], 5 + 16);
  ck_assert_uint_eq(count[1], 0 + 16 + 3200); /* no array for `same`: zeros over it */
}
END_TEST

typedef struct watched { const char *body, *id, *message; } watched;

/* f : f32, every 12 bytes; g : u32 behind it; h : u8 and v : f32, both all over. */
static const watched rows[] = {
  {"f[i] = 1.0 g[i] = 2", "", ""},
  {"if i < 4 { f[i] = 1.0 } else { v[3 * (i - 4)] = 2.0 }", "data-race", "6:32 v[0] is written here by invocation 4, and written by invocation 0 at 6:12"},
  {"if i < 4 { f[i] = 1.0 } else { v[3 * (i - 4) + 2] = 2.0 }", "", ""},
  {"h[i] = u32(1)", "", ""},
  {"if i == 0 { g[0] = 1 }\nif i == 1 { f[7] = f32(h[6]) }", "data-race",
   "7:24 h[6] is read here by invocation 1, and written by invocation 0 at 6:13"},
  {"if i == 0 { g[0] = 1 }\nif i == 1 { f[7] = f32(h[3]) }", "", ""},
  {"if i == 0 { atomic_add(g[1], 1) } else { h[19 + i % 1] = u32(1) }", "data-race", ""},
  {"if i == 0 { g[0] = 1 } barrier h[40] = u32(h[5]) + u32(local_id.x & 0)", "data-race", ""},
  {"f[0] = 1.0 + f32(0 * i)", "data-race", ""},
};

START_TEST(races_are_by_bytes) {
  kgt_case c;
  char text[1000];
  const watched *row = &rows[_i];
  kgt_case_init(&c);
  c.params.checks = ALL;
  snprintf(text, sizeof text,
           "program p { workgroup 8 grid 1\nbuffer f : f32[8] read_write view(set 0, binding 0, offset 0, stride 12)\n"
           "buffer g : u32[8] read_write view(set 0, binding 0, offset 4, stride 12)\n"
           "buffer h : u8[96] read_write view(set 0, binding 0, offset 0, stride 1)\n"
           "buffer v : f32[24] read_write view(set 0, binding 0, offset 0, stride 4) let i = local_id.x\n%s }", row->body);
  ck_assert_int_eq(kgt_case_run(&c, text), *row->id ? KG_FAILED : KG_OK);
  ck_assert_msg(!strcmp(c.diag, row->id), "%s: %s %s", row->body, c.diag, c.message);
  ck_assert_msg(!strncmp(c.message, row->message, strlen(row->message)), "got      %s\nexpected %s", c.message, row->message);
}
END_TEST

#define MODULE(body) \
  "module m { buffer a : f32[4] temp view(set 0, binding 0, offset 0, stride 8)\n" \
  "buffer b : f32[8] temp view(set 0, binding 0, offset 0, stride 4)\n" \
  "buffer x : f32[2] read view(set 0, binding 0, offset 12, stride 16)\n" \
  "buffer y : f32[8] write\n" \
  "program fill { workgroup 4 grid 1 buffer a : f32[4] write view(set 2, binding 7, offset 0, stride 8)\n" \
  "a[local_id.x] = 1.0 + f32(local_id.x) }\n" \
  "program take { workgroup 8 grid 1 buffer b : f32[8] read view(set 0, binding 1, offset 0, stride 4)\n" \
  "buffer y : f32[8] write let i = local_id.x\n" body " }\n" \
  "run fill(a = a) run take(b = b, y = y) }"

START_TEST(temporaries_are_undefined_by_bytes) {
  kgt_case c;
  float x[2] = {30, 70}, y[8];
  kgt_case_init(&c);
  c.buffers[2] = x, c.buffers[3] = y;
  c.params.checks = ALL;
  kgt_case_fine(&c, MODULE("if i % 2 == 0 || i % 4 == 3 { y[i] = b[i] } else { y[i] = 0.0 }"));
  const float want[8] = {1, 0, 2, 30, 3, 0, 4, 70};
  for (int i = 0; i < 8; i++) ck_assert_msg(y[i] == want[i], "y[%d] is %g", i, (double)y[i]);
  ck_assert_int_eq(kgt_case_run(&c, MODULE("y[i] = b[i]")), KG_FAILED);
  ck_assert_str_eq(c.diag, "uninitialised-read");
  ck_assert_uint_eq(c.report.uninitialised, 2); /* elements 1 and 5 */
  c.params.checks = 0;
  kgt_case_fine(&c, MODULE("y[i] = b[i]"));
  ck_assert(y[1] == 0 && y[5] == 0);
}
END_TEST

START_TEST(ranges) {
  kgt_case c;
  uint32_t at[3] = {1, 2, 4};
  float y[4];
  kgt_case_init(&c);
  c.buffers[0] = at, c.buffers[1] = y;
  c.params.checks = ALL;
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 1 grid 1 buffer at : u32[3] read in 0 .. 4 view(set 0, binding 0, offset 4, "
                                    "stride 8) buffer y : f32[4] write y[at[0]] = 1.0 }"), KG_FAILED);
  ck_assert_str_eq(c.diag, "out-of-range");
  ck_assert_msg(strstr(c.message, "at[2]") != NULL, "%s", c.message);
}
END_TEST

START_TEST(bounds_are_the_views_own) {
  kgt_case c;
  float x[4] = {1, 2, 3, 4}, y[8], z[1] = {5};
  kgt_case_init(&c);
  c.buffers[0] = x, c.buffers[1] = z, c.buffers[2] = y;
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 8 grid 1 buffer x : f32[4] read view(set 0, binding 0, offset 0, stride 8)\n"
                                    "buffer z : f32[1] read_write view(set 0, binding 0, offset 60, stride 4) buffer y : f32[8] write\n"
                                    "let i = local_id.x y[i] = x[i] z[i] = 9.0 }"), KG_OK);
  ck_assert_uint_eq(c.report.out_of_bounds_loads, 4);
  ck_assert_uint_eq(c.report.out_of_bounds_stores, 7);
  for (int i = 0; i < 8; i++) ck_assert(y[i] == (i < 4 ? x[i] : 0));
  ck_assert(z[0] == 9);
}
END_TEST

START_TEST(sizes) {
  kgt_case c;
  kgt_case_init(&c);
  c.lengths[0] = 0;
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 1 grid 1 buffer x : f32[] read_write view(set 0, binding 0, offset 4000000000, "
                                    "stride 8) x[0] = 1.0 }"), KG_OK);
  ck_assert_uint_eq(c.report.out_of_bounds_stores, 1);
  c.lengths[0] = UINT64_C(1) << 32;
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 1 grid 1 buffer x : f32[] read_write view(set 0, binding 0, offset 0, "
                                    "stride 4294967292) x[0] = 1.0 }"), KG_INVALID);
  ck_assert_str_eq(c.diag, "too-large");
  c.lengths[0] = 100;
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 1 grid 1 buffer x : f32[] read_write view(set 0, binding 0, offset 0, "
                                    "stride 4294967292) x[0] = 1.0 }"), KG_NO_MEMORY);
}
END_TEST

/* ---- tangents ---- */

/* y = 3 * (x[2] as the second view sees it), and the first view is stored to through the second. */
START_TEST(tangents_belong_to_bytes) {
  kgt_case c;
  float all[4] = {1, 2, 3, 4}, even[2] = {10, 30}, y[2];
  double t_all[4] = {1, 1, 1, 1}, t_even[2] = {5, 7}, t_y[2], m_all[4], m_even[2], m_y[2];
  double *tangents[KGT_BUFFERS] = {t_all, t_even, t_y}, *magnitudes[KGT_BUFFERS] = {m_all, m_even, m_y};
  kgt_case_init(&c);
  c.buffers[0] = all, c.buffers[1] = even, c.buffers[2] = y;
  c.params.tangent_count = 1, c.params.tangents = tangents, c.params.magnitudes = magnitudes;
  kgt_case_fine(&c, "program p { workgroup 1 grid 1 buffer all : f32[4] read_write view(set 0, binding 0, offset 0, stride 4)\n"
                    "buffer even : f32[2] read view(set 0, binding 0, offset 0, stride 8) buffer y : f32[2] write\n"
                    "y[0] = -3.0 * all[2] + all[1] all[0] = 2.0 * all[3] y[1] = even[0] }");
  ck_assert(y[0] == -88 && t_y[0] == -3 * 7 + 1 && m_y[0] == 3 * 7 + 1); /* even's contents and seeds lie over all's */
  ck_assert(y[1] == 8 && t_y[1] == 2);
  ck_assert(all[0] == 8 && t_all[0] == 2 && t_all[1] == 1 && t_all[2] == 7);
  ck_assert(even[0] == 10 && t_even[0] == 5 && m_even[1] == 7); /* is read alone, and stays as it was given */
}
END_TEST

/* An interval belongs to bytes too: what goes in through one view is as uncertain when it comes out of another. */
START_TEST(bounds_belong_to_bytes) {
  kgt_case c;
  float even[2] = {0.3f, 3}, y[4];
  uint32_t id[2] = {7, 9};
  double l_even[2], h_even[2], l_y[4], h_y[4], l_id[2], h_id[2];
  double *low[KGT_BUFFERS] = {NULL, l_even, l_id, l_y}, *high[KGT_BUFFERS] = {NULL, h_even, h_id, h_y};
  kgt_case_init(&c);
  c.buffers[1] = even, c.buffers[2] = id, c.buffers[3] = y;
  c.params.bounds = KG_BOUNDS_DEVICE, c.params.low = low, c.params.high = high;
  kgt_case_fine(&c, "program p { workgroup 1 grid 1 buffer all : f32[8] read view(set 0, binding 0, offset 0, stride 4)\n"
                    "buffer even : f32[2] read_write view(set 0, binding 0, offset 0, stride 8)\n"
                    "buffer id : u32[2] read_write view(set 0, binding 0, offset 32, stride 12) buffer y : f32[4] write\n"
                    "even[0] = sin(even[0]) y[0] = all[0] y[1] = all[2] y[2] = all[1] id[1] = id[0] + 1 y[3] = 1.0 }");
  ck_assert(l_even[0] < (double)even[0] && h_even[0] > (double)even[0]);
  ck_assert(l_y[0] == l_even[0] && h_y[0] == h_even[0] && y[0] == even[0]);
  ck_assert(l_y[1] == 3 && h_y[1] == 3 && l_y[2] == 0 && h_y[2] == 0 && l_even[1] == 3);
  ck_assert(l_id[0] == 7 && h_id[0] == 7 && l_id[1] == 8 && h_id[1] == 8 && id[1] == 8);
}
END_TEST

static const char *const mixed[][2] = {
  {"buffer a : f32[4] read view(set 0, binding 0, offset 0, stride 8) buffer b : f64[2] read view(set 0, binding 0, offset 16, stride 8)",
   "mixed-views"},
  {"buffer a : f32[4] read view(set 0, binding 0, offset 0, stride 8) buffer b : u8[1] read view(set 0, binding 0, offset 3, stride 1)",
   "mixed-views"},
  {"buffer a : f32[4] read view(set 0, binding 0, offset 0, stride 8) buffer b : u32[4] read view(set 0, binding 0, offset 4, stride 8)", ""},
  {"buffer a : f32[4] read view(set 0, binding 0, offset 0, stride 8) buffer b : f64[4] read view(set 0, binding 1, offset 0, stride 8)", ""},
  {"buffer a : u32[4] read view(set 0, binding 0, offset 0, stride 8) buffer b : i32[4] read view(set 0, binding 0, offset 0, stride 8)", ""},
};

START_TEST(types_must_not_mix_under_tangents) {
  kgt_case c;
  char text[600];
  double moved[4] = {0, 1, 0, 0}, still[4] = {0}, t_y = 0, *tangents[KGT_BUFFERS] = {moved, still, &t_y};
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 %s buffer y : f32[1] write y[0] = f32(a[0]) }", mixed[_i][0]);
  kgt_case_init(&c);
  c.params.tangent_count = 1, c.params.tangents = tangents;
  ck_assert_int_eq(kgt_case_run(&c, text), *mixed[_i][1] ? KG_REFUSED : KG_OK);
  ck_assert_str_eq(c.diag, mixed[_i][1]);
  moved[1] = 0;
  ck_assert_int_eq(kgt_case_run(&c, text), KG_OK);
  c.params.tangent_count = 0;
  ck_assert_int_eq(kgt_case_run(&c, text), KG_OK);
}
END_TEST

/* What is stored may be other numbers in another type. What is only read is a point in any. */
START_TEST(types_may_mix_in_what_is_only_read) {
  kgt_case c;
  uint16_t half[4] = {0x3C00, 0xC000, 0x3800, 0};
  float y[2] = {0, 0};
  double l_y[2], h_y[2], *low[KGT_BUFFERS] = {NULL, NULL, l_y}, *high[KGT_BUFFERS] = {NULL, NULL, h_y};
  kgt_case_init(&c);
  c.buffers[1] = half, c.buffers[2] = y;
  c.params.bounds = KG_BOUNDS_DEVICE, c.params.low = low, c.params.high = high;
  kgt_case_fine(&c, "program p { workgroup 1 grid 1 buffer w : u32[2] read view(set 0, binding 0, offset 0, stride 4)\n"
                    "buffer h : f16[4] read view(set 0, binding 0, offset 0, stride 2) buffer y : f32[2] write\n"
                    "y[0] = f32(h[1]) y[1] = f32(w[0] >> 24) }");
  ck_assert(y[0] == -2 && l_y[0] == -2 && h_y[0] == -2 && y[1] == 0xC0 && l_y[1] == 0xC0 && h_y[1] == 0xC0);
  ck_assert_int_eq(kgt_case_run(&c, "program p { workgroup 1 grid 1 buffer w : u32[2] read_write view(set 0, binding 0, offset 0, stride 4)\n"
                                    "buffer h : f16[4] read view(set 0, binding 0, offset 0, stride 2) buffer y : f32[2] write\n"
                                    "w[0] = 1 y[0] = f32(h[1]) }"), KG_REFUSED);
  ck_assert_str_eq(c.diag, "mixed-views");
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(fields_of_structs), KGT(rows_of_structs), KGT(a_store_through_one_is_loaded_through_the_other), KGT(entry_and_exit), KGT(narrow_types_over_wide_ones),
    KGT(atomics), KGT_TABLE(races_are_by_bytes, rows, body), KGT(temporaries_are_undefined_by_bytes), KGT(ranges),
    KGT(bounds_are_the_views_own), KGT(sizes), KGT(tangents_belong_to_bytes), KGT(bounds_belong_to_bytes),
    KGT_TIMES(types_must_not_mix_under_tangents, KGT_COUNT(mixed)), KGT(types_may_mix_in_what_is_only_read),
  };
  return kgt_run("reference/views", tests, KGT_COUNT(tests));
}
