/* What fails, fails with a name and a position, on every back end; what a device cannot do is refused before anything runs. */
#include "tests/support/devices.h"

#include <kgrad/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const devices[] = {"reference", "vulkan", "cpu"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* ---- while it runs ---- */

typedef struct fault_case { const char *text, *id; uint32_t line; } fault_case;
static const fault_case faults[] = {
  {"program p { workgroup 4 grid 2\nbuffer y : f32[8] write\nlet i = global_id.x\nassert i != 5 \"no fives\"\ny[i] = 1.0 }", "assert-failed", 4},
  {"program p { workgroup 1 grid 1\nbuffer y : f32[8] read_write\nvar k = 0\nwhile y[0] == 0.0 limit 7 { k += 1 }\ny[1] = f32(k) }", "loop-limit", 4},
};

START_TEST(faults_are_reported) {
  const fault_case *c = &faults[_i / DEVICES];
  kgt_device d = kgt_open(devices[_i % DEVICES]);
  kg_module *m = kgt_parse(c->text);
  float y[8] = {0};
  void *data[] = {y};
  ck_assert_int_eq(kgt_run_module(&d, m, NULL, data, NULL), KG_FAILED);
  ck_assert_str_eq(kgt_last.id, c->id);
  ck_assert_uint_eq(kgt_last.line, c->line);
  /* what was written is there: the others went on, the loop was left after its limit */
  ck_assert_float_eq(y[1], _i / DEVICES ? 7 : 1);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- the device's budget of loop iterations ---- */

static kg_status loop(const kgt_device *d, const char *text, const double *params, float *y) {
  kg_module *m = kgt_parse(text);
  void *data[] = {y};
  kg_status status = kgt_run_module(d, m, params, data, NULL);
  kg_module_free(m);
  return status;
}

START_TEST(loops_past_the_device) {
  kgt_device d = kgt_open("llvmpipe");
  float y[4] = {0};
  ck_assert_uint_eq(d.info.loop_budget, 65535);
  const char *certain = "program p { workgroup 1 grid 1 param n : u32 buffer y : f32[4] read_write\n"
                        "for i in 0 .. n { for j in 0 .. 3 { y[0] += 1.0 } } }";
  ck_assert_int_eq(loop(&d, certain, (const double[]){16383}, y), KG_OK); /* 16383 * 4 = 65532 iterations */
  ck_assert_float_eq(y[0], 16383 * 3);
  ck_assert_int_eq(loop(&d, certain, (const double[]){16384}, y), KG_REFUSED); /* 65536 */
  ck_assert_str_eq(kgt_last.id, "device-loops");
  /* trips that only memory knows are counted as they run */
  const char *unknown = "program p { workgroup 1 grid 1 buffer y : f32[4] read_write\n"
                        "let n = u32(y[1]) for i in 0 .. n { y[0] += 1.0 } }";
  y[0] = 0, y[1] = 60000;
  ck_assert_int_eq(loop(&d, unknown, NULL, y), KG_OK);
  ck_assert_float_eq(y[0], 60000);
  y[0] = 0, y[1] = 70000;
  ck_assert_int_eq(loop(&d, unknown, NULL, y), KG_FAILED);
  ck_assert_str_eq(kgt_last.id, "loop-budget");
  ck_assert_float_lt(y[0], 65536);
  /* and so are those that floats have been through: 65999 / 1000 is more than 65 */
  const char *rounded = "program p { workgroup 1 grid 1 param n : u32 buffer y : f32[4] read_write\n"
                        "let m = u32(f32(n) / 1000.0 * 1000.0) for i in 0 .. m { y[0] += 1.0 } }";
  y[0] = 0;
  ck_assert_int_eq(loop(&d, rounded, (const double[]){65999}, y), KG_FAILED);
  ck_assert_str_eq(kgt_last.id, "loop-budget");
  kgt_close(&d);
}
END_TEST

/* ---- limits ---- */

typedef struct limit_case { const char *text; double params[2]; const char *id; } limit_case;
static const limit_case limits[] = {
  {"program p { workgroup 2048 grid 1 buffer y : f32[4] write y[0] = 1.0 }", {0}, "device-limit"},
  {"program p { workgroup 64, 64 grid 1 buffer y : f32[4] write y[0] = 1.0 }", {0}, "device-limit"},
  {"program p { workgroup 1 grid n param n : u32 buffer y : f32[4] write y[0] = 1.0 }", {65536}, "device-limit"},
  {"program p { workgroup 1 grid 1 buffer y : f32[4] write shared s : f32[8193] s[0] = 1.0 barrier y[0] = s[0] }", {0}, "device-limit"},
  {"program p { workgroup 1 grid 1 param n : u32 buffer x : f32[n] read buffer y : f32[4] write y[0] = x[0] }", {33554433}, "device-buffer"},
};

START_TEST(limits_are_named) {
  const limit_case *c = &limits[_i];
  kgt_device d = kgt_open("llvmpipe");
  kg_module *m = kgt_parse(c->text);
  void *data[2] = {NULL, NULL};
  ck_assert_int_eq(kgt_run_module(&d, m, c->params, data, NULL), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, c->id);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- features ---- */

typedef struct lack_case { const char *text; uint32_t without; const char *feature; } lack_case;
static const lack_case lacks[] = {
  {"let k = i64(global_id.x) y[0] = f32(k + 1)", KG_FEATURE_INT64, "int64"},
  {"y[0] = f32(f64(x[0]) * 2)", KG_FEATURE_FLOAT64, "float64"},
  {"y[0] = f32(f16(x[0]) * 2)", KG_FEATURE_FLOAT16, "float16"},
  {"y[0] = f32(a8[0])", KG_FEATURE_STORAGE8, "storage8"},
  {"y[0] = f32(a16[0])", KG_FEATURE_STORAGE16, "storage16"},
  {"let k = atomic_add(c[0], 1)", KG_FEATURE_ATOMIC_I64, "atomic-i64"},
};

START_TEST(missing_features) {
  const lack_case *c = &lacks[_i];
  kgt_device d = kgt_open_with("vulkan", &(kg_context_params){.validate = true, .without = c->without});
  char text[1024];
  snprintf(text, sizeof text, "program p { workgroup 1 grid 1 buffer x : f32[4] read %s %s %s buffer y : f32[4] write\n%s }",
           strstr(c->text, "a8") ? "buffer a8 : u8[4] read" : "", strstr(c->text, "a16") ? "buffer a16 : bf16[4] read" : "",
           strstr(c->text, "c[0]") ? "buffer c : i64[4] read_write" : "", c->text);
  kg_module *m = kgt_parse(text);
  void *data[4] = {NULL};
  ck_assert_int_eq(kgt_run_module(&d, m, NULL, data, NULL), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "device-lacks");
  ck_assert_ptr_nonnull(strstr(kgt_last.message, c->feature));
  kg_module_free(m);
  kgt_close(&d);
  d = kgt_open("llvmpipe"); /* which has it */
  m = kgt_parse(text);
  kgt_run_fine(&d, m, NULL, data, NULL);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- devices ---- */

START_TEST(devices_by_name) {
  kg_context *c;
  kg_device *d;
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_uint_ge(kg_device_count(c), 2);
  ck_assert_str_eq(kg_device_at(c, 0).id, "reference");
  ck_assert_str_eq(kg_device_at(c, 1).id, "vulkan:0");
  ck_assert_str_eq(kg_device_at(c, 99).id, "");
  ck_assert_int_eq(kg_device_open(c, "LLVMpipe", &kgt_sink, &d), KG_OK);
  ck_assert_ptr_nonnull(strstr(kg_device_describe(d).name, "llvmpipe"));
  kg_device_free(d);
  ck_assert_int_eq(kg_device_open(c, "vulkan:77", &kgt_sink, &d), KG_UNAVAILABLE);
  ck_assert_str_eq(kgt_last.id, "no-device");
  ck_assert_ptr_nonnull(strstr(kgt_last.message, "vulkan:77"));
  kg_context_free(c);
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.no_vulkan = true}, &kgt_sink, &c), KG_OK);
  ck_assert_uint_eq(kg_device_count(c), 1);
  ck_assert_int_eq(kg_device_open(c, "vulkan", &kgt_sink, &d), KG_UNAVAILABLE);
  kg_context_free(c);
}
END_TEST

/* No driver and no compiler: there is still the reference. */
START_TEST(without_a_driver) {
  kg_context *c;
  setenv("VK_DRIVER_FILES", "/nowhere.json", 1);
  setenv("VK_ICD_FILENAMES", "/nowhere.json", 1);
  unsetenv("KGRAD_VALIDATE");
  setenv("CC", "/nowhere/cc", 1);
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_uint_eq(kg_device_count(c), 1);
  kg_context_free(c);
}
END_TEST

START_TEST(without_the_layer) {
  kg_context *c;
  setenv("VK_LAYER_PATH", "/nowhere", 1);
  setenv("HOME", "/nowhere", 1);
  setenv("XDG_CONFIG_DIRS", "/nowhere", 1);
  setenv("XDG_DATA_DIRS", "/nowhere", 1);
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.validate = true}, &kgt_sink, &c), KG_UNAVAILABLE);
  ck_assert_str_eq(kgt_last.id, "no-validation-layer");
}
END_TEST

/* ---- devices that are not named ---- */

START_TEST(only_the_one) {
  kg_context *c;
  kg_device *device;
  char only[] = "reference";
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.only = only}, &kgt_sink, &c), KG_OK);
  memset(only, 'x', strlen(only)); /* nobody looks at it again */
  ck_assert_int_eq(kg_device_open(c, NULL, &kgt_sink, &device), KG_OK);
  ck_assert_str_eq(kg_device_describe(device).id, "reference");
  kg_device_free(device);
  kg_context_free(c);
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.only = "no such device"}, &kgt_sink, &c), KG_OK);
  ck_assert_int_eq(kg_device_open(c, NULL, &kgt_sink, &device), KG_UNAVAILABLE);
  ck_assert_str_eq(kgt_last.id, "no-device");
  kg_context_free(c);
} END_TEST

/* ---- memory that callers give ---- */

START_TEST(buffers_of_the_caller) {
  kgt_device d = kgt_open(devices[_i]), other = kgt_open("reference");
  kg_module *m = kgt_parse("program p { workgroup 4 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
                           "let i = global_id.x y[i] = 2.0 * x[i] }");
  kg_buffer *x, *y, *small, *foreign;
  uint64_t param[] = {5}, length[2] = {0};
  bool given[] = {true}, length_given[2] = {false};
  kg_host host = {param, given, length, length_given};
  ck_assert_int_eq(kg_module_resolve(m, &host, &kgt_sink), KG_OK);
  ck_assert_int_eq(kg_buffer_new(d.device, 100, &kgt_sink, &x), KG_OK);
  ck_assert_int_eq(kg_buffer_new(d.device, 20, &kgt_sink, &y), KG_OK);
  ck_assert_int_eq(kg_buffer_new(d.device, 19, &kgt_sink, &small), KG_OK);
  ck_assert_int_eq(kg_buffer_new(other.device, 20, &kgt_sink, &foreign), KG_OK);
  kg_executable *exe;
  kg_executable_params params = {.buffers = (kg_buffer *[]){x, small}};
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, &params, &kgt_sink, &exe), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, "buffer-small");
  params.buffers = (kg_buffer *[]){x, foreign};
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, &params, &kgt_sink, &exe), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, "buffer-device");
  params.buffers = (kg_buffer *[]){x, x};
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, &params, &kgt_sink, &exe), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, "buffer-twice");
  params.buffers = (kg_buffer *[]){x, y};
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, &params, &kgt_sink, &exe), KG_OK);
  ck_assert_ptr_eq(kg_executable_buffer(exe, 1), y);
  ck_assert_ptr_null(kg_executable_buffer(exe, 2));
  for (int round = 1; round <= 3; round++) {
    float in[5] = {1, 2, 3, 4, (float)round}, out[5];
    ck_assert_int_eq(kg_buffer_write(x, 0, in, sizeof in, NULL), KG_OK);
    ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_OK);
    ck_assert_int_eq(kg_buffer_read(y, 0, out, sizeof out, NULL), KG_OK);
    ck_assert_float_eq(out[0], 2);
    ck_assert_float_eq(out[4], 2 * (float)round);
  }
  ck_assert_int_eq(kg_buffer_read(y, 16, &param, 8, &kgt_sink), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, "buffer-end");
  ck_assert_str_eq(kgt_last.message, "8 bytes at 16 pass the end of a buffer of 20");
  ck_assert_int_eq(kg_buffer_write(y, UINT64_MAX, &param, 8, &kgt_sink), KG_INVALID);
  kg_executable_free(exe);
  kg_buffer_free(x), kg_buffer_free(y), kg_buffer_free(small), kg_buffer_free(foreign);
  kg_module_free(m);
  kgt_close(&other);
  kgt_close(&d);
}
END_TEST

/* ---- as on a discrete GPU ---- */

START_TEST(staged_memory) {
  kgt_device d = kgt_open_with("vulkan", &(kg_context_params){.validate = true, .staged = true});
  enum { N = 3000000 }; /* more than one piece of the staging buffer */
  kg_module *m = kgt_parse("program p { workgroup 64 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
                           "let i = global_id.x if i < n { y[i] = x[i] + 1.0 } }");
  float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  for (int i = 0; i < N; i++) x[i] = (float)i;
  void *data[] = {x, y};
  kgt_run_fine(&d, m, (const double[]){N}, data, NULL);
  for (int i = 0; i < N; i++) ck_assert_float_eq(y[i], (float)i + 1);
  free(x), free(y);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- many dispatches ---- */

static const double counts[] = {10, 5000, 70000}; /* one command buffer, several, streamed */

/* A chain in which each run needs what the one before wrote: a lost barrier or a lost chunk shows. */
START_TEST(long_chains) {
  kgt_device d = kgt_open_with("vulkan", &(kg_context_params){.validate = _i < 2});
  kg_module *m = kgt_parse("module m { param n : u32 buffer a : u32[64] read_write buffer b : u32[64] read_write\n"
                           "program step { workgroup 64 grid 1 param k : u32 buffer from : u32[64] read buffer to : u32[64] write\n"
                           "let i = global_id.x to[i] = from[(i + 1) % 64] * 3 + k }\n"
                           "repeat k in 0 .. n { run step(from = a, to = b, k = k) run step(from = b, to = a, k = k * 2) } }");
  uint32_t a[64], b[64] = {0}, want[64], other[64];
  for (uint32_t i = 0; i < 64; i++) a[i] = want[i] = i * i;
  void *data[] = {a, b};
  double n = counts[_i] / 2;
  kgt_run_fine(&d, m, &n, data, NULL);
  for (uint32_t k = 0; k < (uint32_t)n; k++) {
    for (uint32_t i = 0; i < 64; i++) other[i] = want[(i + 1) % 64] * 3 + k;
    for (uint32_t i = 0; i < 64; i++) want[i] = other[(i + 1) % 64] * 3 + 2 * k;
  }
  ck_assert_mem_eq(a, want, sizeof a);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* More params than push constants hold go into a uniform buffer, for each of many runs. */
START_TEST(many_params) {
  kgt_device d = kgt_open(devices[_i]);
  char text[8192] = "module m { buffer y : f32[4] read_write program p { workgroup 1 grid 1 param k : u32 ", part[64], sum[2048] = "f32(k)";
  for (int i = 0; i < 40; i++) {
    snprintf(part, sizeof part, "param a%d : f32 = %d.0 ", i, i);
    strcat(text, part);
    snprintf(part, sizeof part, " + a%d", i);
    strcat(sum, part);
  }
  strcat(text, "buffer y : f32[4] read_write y[k] = y[k] + ");
  strcat(text, sum);
  strcat(text, " } repeat k in 0 .. 4 { run p(y = y, k = k) run p(y = y, k = k, a7 = 1000) } }");
  kg_module *m = kgt_parse(text);
  float y[4] = {0};
  void *data[] = {y};
  kgt_run_fine(&d, m, NULL, data, NULL);
  for (int k = 0; k < 4; k++) ck_assert_float_eq(y[k], (float)(2 * (780 + k) + 993));
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT_CROSS(faults_are_reported, faults, id, DEVICES), KGT(loops_past_the_device), KGT_TABLE(limits_are_named, limits, text),
    KGT_TABLE(missing_features, lacks, text),
    KGT(devices_by_name), KGT(only_the_one), KGT(without_a_driver), KGT(without_the_layer), KGT_TEXTS(buffers_of_the_caller, devices),
    KGT(staged_memory), KGT_TIMES(long_chains, KGT_COUNT(counts)), KGT_TEXTS(many_params, devices),
  };
  return kgt_run("driver/fail", tests, KGT_COUNT(tests));
}
