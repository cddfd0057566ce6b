/* Views on all back ends: against C code on the packed structs, and against each other bit for bit. */
#include "tests/support/devices.h"

#include <kgrad/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place { const char *name; kg_context_params params; } place;
static const place places[] = {
  {"reference", {.validate = true}},
  {"vulkan", {.validate = true}},
  {"cpu", {0}},
  {"vulkan", {.validate = true, .staged = true}}, /* as where the host sees no device memory */
  {"vulkan", {.validate = true, .without = KG_FEATURE_ATOMIC_ADD_F32_BUFFER}},
  {"vulkan", {.validate = true, .portable = true}}, /* as words */
};
enum { PLACES = sizeof places / sizeof *places };

static kgt_device open_place(int i) { return kgt_open_with(places[i].name, &places[i].params); }

/* ---- structs ---- */

enum { N = 100 };
#pragma pack(push, 1)
typedef struct particle { float x, y, vx, vy; uint8_t kind, life; int16_t tag; } particle;
#pragma pack(pop)

START_TEST(fields_of_structs) {
  static particle p[N];
  static float x[N], y[N], vx[N], vy[N], energy[N];
  static uint8_t kind[N], life[N];
  static int16_t tag[N];
  for (int i = 0; i < N; i++) {
    p[i] = (particle){(float)i, 0.5f * (float)i, 1.25f, (float)(i % 7) - 3, (uint8_t)(i % 5), (uint8_t)(i * 3), 0};
    x[i] = p[i].x, y[i] = p[i].y, vx[i] = p[i].vx, vy[i] = p[i].vy, kind[i] = p[i].kind, life[i] = p[i].life;
  }
  kgt_device d = open_place(_i);
  char *text = kgt_kernel("particle_fields");
  kg_module *m = kgt_parse(text);
  free(text);
  kgt_run_fine(&d, m, (const double[]){N, 0.5}, (void *[]){x, y, vx, vy, kind, life, tag, energy}, NULL);
  for (int i = 0; i < N; i++) {
    p[i].x += 0.5f * p[i].vx, p[i].y += 0.5f * p[i].vy;
    if (p[i].kind == 3) p[i].life = (uint8_t)(p[i].life + 200);
    p[i].tag = (int16_t)(p[i].life - 500);
    ck_assert(x[i] == p[i].x && y[i] == p[i].y && life[i] == p[i].life && tag[i] == p[i].tag);
    ck_assert(energy[i] == vx[i] * vx[i] + vy[i] * vy[i]);
  }
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- words that overlap, in numbers of u32 ---- */

typedef struct word_case { const char *name, *text; uint32_t in[4][8], out[4][8]; } word_case;
static const word_case words[] = {
  {"stored through one and loaded through the other, in one invocation",
   "program p { workgroup 4 grid 1 buffer all : u32[8] read_write view(set 0, binding 0, offset 0, stride 4)\n"
   "buffer odd : u32[4] write view(set 0, binding 0, offset 4, stride 8) buffer y : u32[4] write let i = local_id.x\n"
   "let before = all[2 * i + 1] odd[i] = before * 10 y[i] = all[2 * i + 1] + before }",
   {{0, 1, 2, 3, 4, 5, 6, 7}}, {{0, 10, 2, 30, 4, 50, 6, 70}, {10, 30, 50, 70}, {11, 33, 55, 77}}},
  {"a read view sees what is written below it",
   "program p { workgroup 8 grid 1 buffer a : u32[8] write view(set 0, binding 5, offset 4, stride 4)\n"
   "buffer b : u32[8] read view(set 0, binding 5, offset 0, stride 4) buffer y : u32[8] write let i = local_id.x\n"
   "a[7 - i] = i + 100 barrier y[i] = b[i] }",
   {{0}, {7, 7, 7, 7, 7, 7, 7, 7}}, {{107, 106, 105, 104, 103, 102, 101, 100}, {7, 7, 7, 7, 7, 7, 7, 7}, {7, 107, 106, 105, 104, 103, 102, 101}}},
  {"entry in order of declaration, exit as the bytes lie",
   "program p { workgroup 1 grid 1 buffer raw : u32[6] write view(set 0, binding 0, offset 0, stride 4)\n"
   "buffer first : u32[2] read view(set 0, binding 0, offset 0, stride 4)\n"
   "buffer second : u32[2] read_write view(set 0, binding 0, offset 4, stride 8) raw[4] = 7 }",
   {{9, 9, 9, 9, 9, 9}, {1, 2}, {50, 60}}, {{1, 50, 0, 60, 7, 0}, {1, 2}, {50, 60}}},
  {"bounds are the view's own",
   "program p { workgroup 8 grid 1 buffer x : u32[3] read_write view(set 0, binding 0, offset 0, stride 8)\n"
   "buffer all : u32[8] read_write view(set 0, binding 0, offset 0, stride 4) buffer y : u32[8] write let i = local_id.x\n"
   "y[i] = x[i] + 1 if i > 2 { x[i] = 99 } }",
   {{1, 2, 3}, {10, 20, 30, 40, 50, 60, 70, 80}},
   {{10, 30, 50}, {10, 20, 30, 40, 50, 60, 70, 80}, {11, 31, 51, 1, 1, 1, 1, 1}}},
  {"atomics through two views",
   "program p { workgroup 8 grid 4 buffer a : u32[2] read_write view(set 0, binding 2, offset 0, stride 12)\n"
   "buffer b : u32[4] read_write view(set 0, binding 2, offset 0, stride 4)\n"
   "atomic_add(a[global_id.x % 2], 1) atomic_max(b[1], global_id.x) atomic_add(b[3], 100) }",
   {{3, 3}, {5, 0, 6, 7}}, {{21, 3223}, {21, 31, 6, 3223}}},
  {"atomics of floats, and their bits through another view",
   "program p { workgroup 8 grid 4 buffer a : f32[2] read_write view(set 0, binding 2, offset 0, stride 4)\n"
   "buffer b : u32[2] read view(set 0, binding 2, offset 0, stride 4) buffer y : u32[8] write\n"
   "atomic_add(a[global_id.x % 2], 0.5) y[0] = 0 }",
   {{0}, {0x3F800000, 0}}, {{0x41100000, 0x41000000}, {0x3F800000, 0}, {0}}},
  {"sets other than 0, and plain buffers that take what is free",
   "program p { workgroup 1 grid 1 buffer u : u32[1] read view(set 0, binding 0, offset 0, stride 4) buffer v : u32[2] read\n"
   "buffer w : u32[1] read view(set 3, binding 0, offset 8, stride 4) buffer y : u32[8] write\n"
   "y[0] = u[0] y[1] = v[0] y[2] = v[1] y[3] = w[0] assert u[0] == 1 \"one\" }",
   {{1}, {2, 3}, {4}}, {{1}, {2, 3}, {4}, {1, 2, 3, 4}}},
  {"params in a uniform buffer beside views",
   "program p { workgroup 1 grid 1 param a : u64 = 1 param b : u64 = 2 param c : u64 = 3 param d : u64 = 4 param e : u64 = 5\n"
   "param f : u64 = 6 param g : u64 = 7 param h : u64 = 8 param i : u64 = 9 param j : u64 = 10 param k : u64 = 11\n"
   "param l : u64 = 12 param m : u64 = 13 param n : u64 = 14 param o : u64 = 15 param q : u64 = 16 param r : u64 = 17\n"
   "buffer u : u32[2] read view(set 0, binding 2, offset 0, stride 4) buffer y : u32[8] write view(set 0, binding 1, offset 0, stride 8)\n"
   "y[0] = u32(a) + u[0] y[1] = u32(r) y[2] = u32(q + o + n + m + l + k + j + i + h + g + f + e + d + c + b) + u[1] assert u[1] == 6 \"six\" }",
   {{5, 6}}, {{5, 6}, {6, 17, 141}}},
  {"a scalar", "program p { workgroup 1 grid 1 buffer u : u32 read_write view(set 0, binding 0, offset 12, stride 4)\n"
               "buffer all : u32[4] write view(set 0, binding 0, offset 0, stride 4) u += 1 }", {{41}}, {{42}, {0, 0, 0, 42}}},
  {"temporaries that alias, from run to run",
   "module m { buffer a : u32[4] temp view(set 0, binding 0, offset 0, stride 8)\n"
   "buffer b : u32[8] temp view(set 0, binding 0, offset 0, stride 4) buffer x : u32[2] read view(set 0, binding 0, offset 12, stride 16)\n"
   "buffer y : u32[8] write\n"
   "program fill { workgroup 4 grid 1 buffer a : u32[4] write view(set 2, binding 7, offset 0, stride 8) a[local_id.x] = 1 + local_id.x }\n"
   "program twice { workgroup 8 grid 1 buffer b : u32[8] read_write view(set 0, binding 1, offset 0, stride 4) b[local_id.x] *= 2 }\n"
   "program take { workgroup 8 grid 1 buffer b : u32[8] read view(set 0, binding 1, offset 0, stride 4) buffer y : u32[8] write\n"
   "y[local_id.x] = b[local_id.x] }\n"
   "run fill(a = a) repeat k in 0 .. 3 { run twice(b = b) } run take(b = b, y = y) }",
   {{0}, {0}, {30, 70}}, {{0}, {0}, {30, 70}, {8, 0, 16, 240, 24, 0, 32, 560}}},
};

static bool is_temp(const kg_module *m, uint32_t b) { return kg_module_buffer(m, b).mode == KG_TEMP; }

START_TEST(overlaps) {
  const word_case *c = &words[_i / PLACES];
  kgt_device d = open_place(_i % PLACES);
  kg_module *m = kgt_parse(c->text);
  uint32_t data[4][8];
  memcpy(data, c->in, sizeof data);
  kgt_run_fine(&d, m, NULL, (void *[]){data[0], data[1], data[2], data[3]}, NULL);
  for (uint32_t b = 0; b < kg_module_buffer_count(m); b++)
    for (int i = 0; i < 8 && !is_temp(m, b); i++)
      ck_assert_msg(data[b][i] == c->out[b][i] || (c->out[b][i] == 0 && data[b][i] == c->in[b][i]), "%s on %s: %s[%d] is %u, not %u",
                    c->name, d.info.id, kg_module_buffer(m, b).name, i, data[b][i], c->out[b][i]);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* Executed again, inputs are what the buffers hold by then. */
START_TEST(executed_twice) {
  kgt_device d = open_place(_i);
  kg_module *m = kgt_parse("program p { workgroup 4 grid 1 buffer a : u32[4] read_write view(set 0, binding 0, offset 0, stride 8)\n"
                           "buffer b : u32[4] read view(set 0, binding 0, offset 4, stride 8) a[local_id.x] += b[local_id.x] }");
  uint64_t length[2] = {4, 4};
  bool given[2] = {true, true};
  kg_host host = {NULL, NULL, length, given};
  kg_executable *exe;
  uint32_t a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
  ck_assert_int_eq(kg_module_resolve(m, &host, &kgt_sink), KG_OK);
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, NULL, &kgt_sink, &exe), KG_OK);
  kg_buffer_write(kg_executable_buffer(exe, 0), 0, a, sizeof a, NULL);
  kg_buffer_write(kg_executable_buffer(exe, 1), 0, b, sizeof b, NULL);
  ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_OK);
  ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_OK);
  kg_buffer_read(kg_executable_buffer(exe, 0), 0, a, sizeof a, NULL);
  for (int i = 0; i < 4; i++) ck_assert_uint_eq(a[i], 21 * (uint32_t)(i + 1));
  kg_executable_free(exe);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* A view that is all of its binding is the array that the host gives: what nobody stores to stays, also behind its end. */
START_TEST(whole) {
  kgt_device d = open_place(_i);
  kg_module *m = kgt_parse(
    "program p { workgroup 4 grid 1 buffer a : f32[4] read view(set 0, binding 0, offset 0, stride 4)\n"
    "buffer b : f32[4] write view(set 0, binding 1, offset 0, stride 4)\n"
    "if local_id.x % 2 == 0 { b[local_id.x] = 2.0 * a[local_id.x] } }");
  const float in[6] = {1, 2, 3, 4, 5, 6}, before[6] = {-1, -2, -3, -4, -5, -6};
  const bool copied = !strcmp(places[_i].name, "reference"); /* which gives what it stored to views */
  float out[6];
  kg_host host = {NULL, NULL, (uint64_t[]){4, 4}, (bool[]){true, true}};
  kg_buffer *buffer[2];
  kg_executable *exe;
  for (int k = 0; k < 2; k++) {
    ck_assert_int_eq(kg_buffer_new(d.device, sizeof in, &kgt_sink, &buffer[k]), KG_OK);
    kg_buffer_write(buffer[k], 0, k ? before : in, sizeof in, NULL);
  }
  ck_assert_int_eq(kg_module_resolve(m, &host, &kgt_sink), KG_OK);
  kg_executable_params params = {.buffers = buffer};
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, &params, &kgt_sink, &exe), KG_OK);
  ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_OK);
  kg_buffer_read(buffer[1], 0, out, sizeof out, NULL);
  for (int i = 0; i < 6; i++)
    if (i > 3 || i % 2 == 0 || !copied) ck_assert_float_eq(out[i], i > 3 || i % 2 ? before[i] : 2 * in[i]);
  kg_executable_free(exe);
  for (int k = 0; k < 2; k++) kg_buffer_free(buffer[k]);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- what a device does not take ---- */

typedef struct refusal { const char *id, *says, *text; } refusal;
static const refusal refusals[] = {
  {"device-limit", "descriptor sets",
   "program p { workgroup 1 grid 1 buffer x : f32[1] write view(set 4294967295, binding 0, offset 0, stride 4) x[0] = 1.0 }"},
  {"device-limit", "bindings",
   "program p { workgroup 1 grid 1 buffer x : f32[1] write view(set 0, binding 4294967295, offset 0, stride 4) x[0] = 1.0 }"},
  {"device-buffer", "x",
   "program p { workgroup 1 grid 1 buffer x : f32[4] write view(set 0, binding 0, offset 0, stride 4294967292) x[0] = 1.0 }"},
};

START_TEST(refused) {
  kgt_device d = kgt_open("vulkan");
  kg_module *m = kgt_parse(refusals[_i].text);
  float x[4];
  ck_assert_int_eq(kgt_run_module(&d, m, NULL, (void *[]){x}, NULL), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, refusals[_i].id);
  ck_assert_msg(strstr(kgt_last.message, refusals[_i].says) != NULL, "%s", kgt_last.message);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(fields_of_structs, places, name), KGT_CROSS(overlaps, words, name, PLACES), KGT_TABLE(executed_twice, places, name),
                            KGT_TABLE(whole, places, name),
                            KGT_TABLE(refused, refusals, text)};
  return kgt_run("driver/views", tests, KGT_COUNT(tests));
}
