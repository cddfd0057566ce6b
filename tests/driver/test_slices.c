/* Runs that bind slices of buffers, on all back ends: against numbers worked out by hand and by loops in C. */
#include "tests/support/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place { const char *name; kg_context_params params; } place;
static const place places[] = {
  {"reference", {.validate = true}},
  {"vulkan", {.validate = true}},
  {"cpu", {0}},
  {"vulkan", {.validate = true, .staged = true}}, /* as where the host sees no device memory */
};
enum { PLACES = sizeof places / sizeof *places };

static kgt_device open_place(int i) { return kgt_open_with(places[i].name, &places[i].params); }

/* ---- a slice for each trip: aligned as a descriptor is to be, and not ---- */

#define STEPS(type, value, lead, params, first) \
  "module m { param n : u32 param trips : u32 buffer x : " type "[n] read buffer tape : " type "[] read_write\n" \
  "buffer y : " type "[n] write\n" \
  "program copy { workgroup 8 grid invocations len(a) buffer a : " type "[] read buffer b : " type "[] write\n" \
  "if global_id.x < len(a) { b[global_id.x] = a[global_id.x] } }\n" \
  "program step { workgroup 8 grid invocations n param n : u32 param k : u32 " params "buffer before : " type "[n] read\n" \
  "buffer after : " type "[n] write " first "let i = global_id.x\n" \
  "if i < n { after[i] = before[i] * 3 + " value "(k) + " value "(i) } }\n" \
  "run copy(a = x, b = tape[" lead " .. n + " lead "])\n" \
  "repeat k in 0 .. trips { run step(before = tape[k * n + " lead " .. (k + 1) * n + " lead "],\n" \
  "after = tape[(k + 1) * n + " lead " .. (k + 2) * n + " lead "]) }\n" \
  "run copy(a = tape[trips * n + " lead " .. len(tape) - " lead "], b = y) }"
/* More params than push constants hold, so that each dispatch has a block of its own beside its slices. */
#define WIDE \
  "param a : u64 = 1 param b : u64 = 2 param c : u64 = 3 param d : u64 = 4 param e : u64 = 5 param f : u64 = 6 param g : u64 = 7\n" \
  "param h : u64 = 8 param l : u64 = 12 param m : u64 = 13 param o : u64 = 15 param q : u64 = 16 param r : u64 = 17 param s : u64 = 18\n" \
  "param t : u64 = 19 param u : u64 = 20 param v : u64 = 21 "
#define USED "assert a + b + c + d + e + f + g + h + l + m + o + q + r + s + t + u + v > 0 \"\" "

typedef struct step_case { const char *name, *text; uint32_t n, trips; size_t size, lead; } step_case;
static const step_case steps[] = {
  {"words", STEPS("u32", "u32", "1", "", ""), 5, 4, 4, 1},
  {"words at multiples of 256 bytes", STEPS("u32", "u32", "64", "", ""), 64, 3, 4, 64},
  {"bytes at multiples of 256 bytes", STEPS("u8", "u32", "256", "", ""), 256, 3, 1, 256},
  {"bytes", STEPS("u8", "u32", "1", "", ""), 7, 5, 1, 1},
  {"words of 16 bits", STEPS("u16", "u32", "1", "", ""), 5, 4, 2, 1},
  {"words of 64 bits", STEPS("u64", "u64", "1", "", ""), 3, 4, 8, 1},
  {"params in a uniform buffer", STEPS("u32", "u32", "1", WIDE, USED), 5, 4, 4, 1},
  {"no trips", STEPS("u32", "u32", "1", "", ""), 5, 0, 4, 1},
  {"nothing in a slice", STEPS("u32", "u32", "1", "", ""), 0, 4, 4, 1},
  {"more trips than are kept", STEPS("u32", "u32", "1", "", ""), 2, 4200, 4, 1},
};
enum { MOST = 2 * 4201 + 2 };

static uint64_t get(const void *data, size_t size, size_t i) {
  uint64_t x = 0;
  memcpy(&x, (const char *)data + i * size, size);
  return x;
}

static void put(void *data, size_t size, size_t i, uint64_t x) { memcpy((char *)data + i * size, &x, size); }

static uint64_t wrapped(uint64_t x, size_t size) { return size < 8 ? x & ((UINT64_C(1) << 8 * size) - 1) : x; }

START_TEST(trips) {
  const step_case *c = &steps[_i / PLACES];
  kgt_device d = open_place(_i % PLACES);
  kg_module *m = kgt_parse(c->text);
  size_t lead = c->lead, length = (c->trips + 1) * c->n + 2 * lead;
  static uint64_t want[MOST];
  static unsigned char x[256], y[256], tape[MOST * 8];
  for (size_t i = 0; i < length; i++) want[i] = 77;
  for (size_t i = 0; i < c->n; i++) want[i + lead] = wrapped(2 * i + 1, c->size);
  for (size_t k = 0; k < c->trips; k++)
    for (size_t i = 0; i < c->n; i++) want[(k + 1) * c->n + i + lead] = wrapped(want[k * c->n + i + lead] * 3 + k + i, c->size);
  for (size_t i = 0; i < length; i++) put(tape, c->size, i, 77);
  for (size_t i = 0; i < c->n; i++) put(x, c->size, i, want[i + lead]);
  kgt_run_fine(&d, m, (const double[]){c->n, c->trips}, (void *[]){x, tape, y}, (const uint64_t[]){c->n, length, c->n});
  for (size_t i = 0; i < length; i++)
    ck_assert_msg(get(tape, c->size, i) == want[i], "%s on %s: tape[%zu] is %llu, not %llu", c->name, d.info.id, i,
                  (unsigned long long)get(tape, c->size, i), (unsigned long long)want[i]);
  for (size_t i = 0; i < c->n; i++) ck_assert_uint_eq(get(y, c->size, i), want[c->trips * c->n + i + lead]);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- small ones ---- */

typedef struct word_case { const char *name, *text; uint32_t in[3][12], out[3][12]; } word_case;
static const word_case words[] = {
  {"lengths, bounds, and what lies beside a slice",
   "module m { buffer a : u32[12] read_write buffer y : u32[8] write\n"
   "program p { workgroup 8 grid 1 buffer s : u32[] read_write buffer y : u32[8] write let i = local_id.x y[i] = s[i] + 100 * len(s)\n"
   "s[i] = i + 1 s[u32(0) - 1] = 9 } run p(s = a[3 .. 6]) }",
   {{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}}, {{10, 11, 12, 1, 2, 3, 16, 17, 18, 19, 20, 21}, {313, 314, 315, 300, 300, 300, 300, 300}}},
  {"a program that declares less than the slice has",
   "module m { buffer a : u32[12] read_write\n"
   "program p { workgroup 8 grid 1 buffer s : u32[2] write s[local_id.x] = len(s) } run p(s = a[5 .. 9]) }",
   {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, {{1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1}}},
  {"slices without elements, at each end and in the middle",
   "module m { buffer a : u32[12] read_write buffer y : u32[8] write\n"
   "program p { workgroup 8 grid 1 buffer r : u32[] read buffer s : u32[] write buffer t : u32[] read_write buffer y : u32[8] write\n"
   "let i = local_id.x s[i] = 5 t[i] = 6 y[i] = r[i] + len(r) + len(s) + len(t) + 1 } run p(r = a[12 .. 12], s = a[0 .. 0], t = a[5 .. 5]) }",
   {{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}}, {{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, {1, 1, 1, 1, 1, 1, 1, 1}}},
  {"an empty slice inside of one that is written",
   "module m { buffer a : u32[12] read_write\n"
   "program p { workgroup 8 grid 1 buffer r : u32[] read buffer s : u32[] write s[local_id.x] = 4 + len(r) }\n"
   "run p(r = a[3 .. 3], s = a[1 .. 5]) }",
   {{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}}, {{9, 4, 4, 4, 4, 9, 9, 9, 9, 9, 9, 9}}},
  {"slices that are read may overlap, and one of them may be all",
   "module m { buffer a : u32[12] read buffer y : u32[8] write\n"
   "program p { workgroup 8 grid 1 buffer r : u32[] read buffer s : u32[] read buffer t : u32[] read buffer y : u32[8] write\n"
   "let i = local_id.x y[i] = r[i] + 100 * s[i] + 10000 * t[i] } run p(r = a[1 .. 9], s = a[2 .. 10], t = a) }",
   {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
   {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {10302, 20403, 30504, 40605, 50706, 60807, 70908, 81009}}},
  {"one element for a scalar, and a scalar's one element",
   "module m { buffer a : u32[12] read_write buffer one : u32 read\n"
   "program p { workgroup 1 grid 1 buffer s : u32 read_write buffer t : u32[] read s = s * 2 + t[0] }\n"
   "repeat k in 0 .. 4 { run p(s = a[3 * k .. 3 * k + 1], t = one[0 .. 1]) } }",
   {{1, 1, 1, 2, 1, 1, 3, 1, 1, 4, 1, 1}, {5}}, {{7, 1, 1, 9, 1, 1, 11, 1, 1, 13, 1, 1}, {5}}},
  {"atomics, one workgroup after the other in the same slices",
   "module m { buffer a : u32[12] read_write buffer y : u32[8] write\n"
   "program p { workgroup 8 grid 4 buffer s : u32[] read_write buffer t : u32[] read_write\n"
   "atomic_add(s[global_id.x % 2], 1) atomic_max(t[0], global_id.x) }\n"
   "repeat k in 1 .. 3 { run p(s = a[3 * k .. 3 * k + 2], t = a[3 * k + 2 .. 3 * k + 3]) } }",
   {{0}}, {{0, 0, 0, 16, 16, 31, 16, 16, 31, 0, 0, 0}}},
  {"repeats in repeats, backwards, of several dimensions",
   "module m { param c : u32 = 4 buffer a : u32[3, 4] read_write\n"
   "program p { workgroup 1 grid 1 param by : u32 buffer s : u32[2] read_write buffer t : u32[] read s[0] = s[0] + t[0] * by s[1] = s[1] + 1 }\n"
   "repeat i in 0 .. 2 reversed { repeat j in 0 .. 4 step 2 {\n"
   "run p(s = a[i * c + j .. i * c + j + 2], t = a[(i + 1) * c + j .. (i + 1) * c + j + 1], by = i + 1) } } }",
   {{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0}}, {{2, 1, 6, 1, 2, 1, 6, 1, 1, 0, 3, 0}}},
  {"what one run writes to a slice the next reads through another",
   "module m { buffer a : u32[12] read_write\n"
   "program p { workgroup 1 grid 1 buffer r : u32[1] read buffer s : u32[1] write s[0] = r[0] + 1 }\n"
   "repeat k in 0 .. 11 { run p(r = a[k .. k + 1], s = a[k + 1 .. k + 2]) } }",
   {{5}}, {{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}},
};

START_TEST(small) {
  const word_case *c = &words[_i / PLACES];
  kgt_device d = open_place(_i % PLACES);
  kg_module *m = kgt_parse(c->text);
  uint32_t data[3][12];
  memcpy(data, c->in, sizeof data);
  kgt_run_fine(&d, m, NULL, (void *[]){data[0], data[1], data[2]}, NULL);
  for (uint32_t b = 0; b < 3; b++)
    for (int i = 0; i < 12; i++)
      ck_assert_msg(data[b][i] == c->out[b][i], "%s on %s: %u[%d] is %u, not %u", c->name, d.info.id, b, i, data[b][i], c->out[b][i]);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

START_TEST(executed_twice) {
  kgt_device d = open_place(_i);
  kg_module *m = kgt_parse("module m { buffer a : u32[12] read_write program p { workgroup 4 grid 1 buffer r : u32[] read\n"
                           "buffer s : u32[] read_write let i = local_id.x s[i] += r[i] }\n"
                           "repeat k in 0 .. 3 { run p(r = a[9 .. 12], s = a[3 * k .. 3 * k + 3]) } }");
  uint64_t length[1] = {12};
  bool given[1] = {true};
  kg_host host = {NULL, NULL, length, given};
  kg_executable *exe;
  uint32_t a[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30};
  static const uint32_t want[12] = {21, 42, 63, 24, 45, 66, 27, 48, 69, 10, 20, 30};
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, NULL, &kgt_sink, &exe), KG_OK);
  kg_buffer_write(kg_executable_buffer(exe, 0), 0, a, sizeof a, NULL);
  ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_OK);
  ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_OK);
  kg_buffer_read(kg_executable_buffer(exe, 0), 0, a, sizeof a, NULL);
  for (int i = 0; i < 12; i++) ck_assert_uint_eq(a[i], want[i]);
  kg_executable_free(exe);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- what is refused before anything runs ---- */

#define PROGRAM "program p { workgroup 1 grid 1 buffer r : u32[] read buffer s : u32[] write s[0] = 1 }\n"
typedef struct refusal { const char *id, *says, *text; } refusal;
static const refusal refusals[] = {
  {"slice-order", "begins at -1 and ends at 2", "module m { param z : i32 = 2 buffer a : u32[12] read_write buffer b : u32[12] write " PROGRAM
   "run p(r = a, s = b[0 .. 2]) repeat k in 0 .. 3 reversed { run p(r = a[0 .. 1], s = b[k - z .. 2]) } }"},
  {"slice-order", "begins at 3 and ends at 2", "module m { param z : u32 = 2 buffer a : u32[12] read buffer b : u32[12] write " PROGRAM
   "repeat k in 0 .. 5 { run p(r = a[k .. z], s = b[0 .. 2]) } }"},
  {"slice-end", "b[10 .. 13] ends behind the end of b, which has 12", "module m { buffer a : u32[12] read buffer b : u32[12] write " PROGRAM
   "repeat k in 0 .. 11 { run p(r = a, s = b[k .. k + 3]) } }"},
  {"slice-end", "b[12 .. 13]", "module m { param z : u64 = 12 buffer a : u32[12] read buffer b : u32[12] write " PROGRAM
   "run p(r = a, s = b[z .. z + 1]) }"},
  {"length-overflow", "64 bits", "module m { param z : u64 = 5000000000 buffer a : u32[12] read buffer b : u32[12] write " PROGRAM
   "run p(r = a, s = b[z * z .. 3]) }"},
  {"length-divide", "zero", "module m { param z : u32 = 0 buffer a : u32[12] read buffer b : u32[12] write " PROGRAM
   "run p(r = a, s = b[0 .. 3 / z]) }"},
  {"length-overflow", "limit", "module m { param z : u64 = 5000000000 buffer a : u32[12] read buffer b : u32[12] write\n"
   "program p { workgroup 1 grid 1 param q : u64 buffer r : u32[] read buffer s : u32[] write\n"
   "while r[0] > 3 limit q * q { s[1] = 1 } s[0] = 1 } run p(r = a, s = b, q = z) }"},
  {"length-divide", "limit", "module m { param z : u64 = 0 buffer a : u32[12] read buffer b : u32[12] write\n"
   "program p { workgroup 1 grid 1 param q : u64 buffer r : u32[] read buffer s : u32[] write\n"
   "while r[0] > 3 limit 3 / q { s[1] = 1 } s[0] = 1 } run p(r = a, s = b, q = z) }"},
  {"run-param", "no u64", "module m { param z : u32 = 4 buffer a : u32[12] read buffer b : u32[12] write\n"
   "program p { workgroup 1 grid 1 param q : u64 buffer r : u32[] read buffer s : u32[] write s[0] = u32(q) + r[0] }\n"
   "run p(r = a, s = b, q = z - 5) }"},
  {"bind-overlap", "a[2 .. 4] and a[2 .. 6]", "module m { buffer a : u32[12] read_write " PROGRAM
   "repeat k in 0 .. 3 { run p(r = a[2 * k .. 2 * k + 2], s = a[2 .. 6]) run p(r = a[7 .. 8], s = a[8 .. 9]) } }"},
  {"bound-too-short", "a[1 .. 4], bound to it here, has 3", "module m { param z : u32 = 4 buffer a : u32[12] read_write\n"
   "program p { workgroup 1 grid 1 buffer s : u32[4] write s[0] = 1 } run p(s = a[1 .. z]) }"},
};

START_TEST(refused) {
  const refusal *c = &refusals[_i / PLACES];
  kgt_device d = open_place(_i % PLACES);
  kg_module *m = kgt_parse(c->text);
  uint32_t a[12] = {0}, b[12] = {0};
  ck_assert_int_eq(kgt_run_module(&d, m, NULL, (void *[]){a, b}, NULL), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, c->id);
  ck_assert_msg(strstr(kgt_last.message, c->says) != NULL, "%s", kgt_last.message);
  for (int i = 0; i < 12; i++) ck_assert(!a[i] && !b[i]); /* nothing has run */
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_CROSS(trips, steps, name, PLACES), KGT_CROSS(small, words, name, PLACES), KGT_TABLE(executed_twice, places, name),
                            KGT_CROSS(refused, refusals, says, PLACES)};
  return kgt_run("driver/slices", tests, KGT_COUNT(tests));
}
