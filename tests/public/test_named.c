/* Buffers and params by name. */
#include "tests/support/devices.h"

#include <kgrad/kgrad.h>

#include <stdlib.h>

static const char scale[] =
  "program scale { workgroup 4 grid invocations n param n : u32 param rate : f16 = 2.0 param on : bool = false\n"
  "buffer x : f32[n] read buffer y : f32[n] write buffer u : f32[] read_write\n"
  "let i = global_id.x y[i] = x[i] * f32(rate) + select(on, u[0], 0.0) u[0] = 5.0 }";

START_TEST(runs) {
  kgt_device d = kgt_open("reference");
  kg_module *m = kgt_parse(scale);
  float x[] = {1, 2, 3}, y[] = {0, 0, 0}, u[] = {100};
  uint16_t rate = 0x4200; /* 3 */
  uint8_t on = 1;
  kg_binding all[] = {{"u", u, 1}, {"y", y, 3}, {"x", x, 3}, {"rate", &rate, 1}, {"on", &on, 1}};
  ck_assert_int_eq(kg_run_bound(d.device, m, all, 5, NULL, &kgt_sink, NULL), KG_OK);
  ck_assert_float_eq(y[0], 103);
  ck_assert_float_eq(y[2], 109);
  ck_assert_float_eq(u[0], 5);
  /* n by the length of x, the others by their defaults; u starts with zeros and is not wanted */
  kg_binding some[] = {{"x", x, 3}, {"y", y, 3}, {"u", NULL, 1}};
  ck_assert_int_eq(kg_run_bound(d.device, m, some, 3, NULL, &kgt_sink, NULL), KG_OK);
  ck_assert_float_eq(y[0], 2);
  ck_assert_float_eq(y[2], 6);
  kg_module_free(m);
  kgt_close(&d);
} END_TEST

START_TEST(executables) {
  kgt_device d = kgt_open("reference");
  kg_module *m = kgt_parse(scale);
  float x[] = {1, 2, 3}, y[3];
  kg_executable *e = NULL;
  kg_binding bindings[] = {{"x", x, 3}, {"u", NULL, 1}};
  ck_assert_int_eq(kg_executable_new_bound(d.device, m, bindings, 2, NULL, &kgt_sink, &e), KG_OK);
  for (int round = 0; round < 2; round++) {
    ck_assert_int_eq(kg_execute(e, &kgt_sink), KG_OK);
    ck_assert_int_eq(kg_buffer_read(kg_executable_find(e, "y"), 0, y, sizeof y, &kgt_sink), KG_OK);
    ck_assert_float_eq(y[2], round ? 14 : 6);
    x[2] = 7;
    ck_assert_int_eq(kg_buffer_write(kg_executable_find(e, "x"), 0, x, sizeof x, &kgt_sink), KG_OK);
  }
  ck_assert_ptr_null(kg_executable_find(e, "z"));
  ck_assert_int_eq(kg_buffer_read(kg_executable_find(e, "z"), 0, y, sizeof y, &kgt_sink), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, "build-missing");
  kg_executable_free(e);
  kg_module_free(m);
  kgt_close(&d);
} END_TEST

static float four[4];
static uint32_t three = 3;
static const struct { kg_binding binding[2]; size_t count; const char *id; } wrong[] = {
  {{{"z", four, 4}}, 1, "bind-name"},
  {{{"scale", four, 4}}, 1, "bind-name"},
  {{{NULL, four, 4}}, 1, "build-missing"},
  {{{"n", &three, 0}}, 1, "bind-value"},
  {{{"n", NULL, 1}}, 1, "bind-value"},
  {{{"n", &three, 1}, {"n", &three, 1}}, 2, "stated-twice"},
  {{{"x", four, 4}, {"x", four, 4}}, 2, "stated-twice"},
  {{{"t", four, 4}}, 1, "bind-temp"},
  {{{"n", &three, 1}, {"x", four, 4}}, 2, "length-mismatch"},
  {{{"x", four, 4}}, 0, "param-missing"},
};

START_TEST(refused) {
  kgt_device d = kgt_open("reference");
  kg_module *m = kgt_parse("module m { param n : u32 buffer x : f32[n] read_write buffer t : f32[n] temp\n"
                           "program p { workgroup 1 grid 1 buffer x : f32[] read_write x[0] = 1.0 } run p }");
  kg_executable *e = NULL;
  ck_assert_int_eq(kg_run_bound(d.device, m, wrong[_i].binding, wrong[_i].count, NULL, &kgt_sink, NULL), KG_INVALID);
  ck_assert_str_eq(kgt_last.id, wrong[_i].id);
  ck_assert_int_eq(kg_executable_new_bound(d.device, m, wrong[_i].binding, wrong[_i].count, NULL, &kgt_sink, &e), KG_INVALID);
  ck_assert_ptr_null(e);
  kg_module_free(m);
  kgt_close(&d);
} END_TEST

static kg_status attempt(const kg_allocator *alloc, void *user) {
  kg_context *context = NULL;
  kg_device *device = NULL;
  kg_executable *e = NULL;
  float x[] = {1, 2};
  kg_binding bindings[] = {{"x", x, 2}, {"u", NULL, 1}};
  kg_status status = kg_context_new(alloc, &(kg_context_params){.no_vulkan = true}, NULL, &context);
  if (status == KG_OK) status = kg_device_open(context, "reference", NULL, &device);
  if (status == KG_OK) status = kg_run_bound(device, user, bindings, 2, NULL, NULL, NULL);
  if (status == KG_OK) status = kg_executable_new_bound(device, user, bindings, 2, NULL, NULL, &e);
  kg_executable_free(e);
  kg_device_free(device);
  kg_context_free(context);
  return status;
}

START_TEST(memory) {
  kg_module *m = kgt_parse(scale);
  ck_assert_uint_gt(kgt_fail_each_allocation(attempt, m), 6);
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(runs), KGT(executables), KGT_TABLE(refused, wrong, id), KGT(memory)};
  return kgt_run("public/named", tests, KGT_COUNT(tests));
}
