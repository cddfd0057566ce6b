/* Modules that the CPU device compiles together. */
#include "driver/cpu/cpu.h"
#include "tests/support/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 40 }; /* more than one text has */

static kgt_device open_cpu(void) {
  setenv("KGRAD_CACHE", "none", 1);
  return kgt_open("cpu");
}

static uint32_t started(const kgt_device *d) { return ((kgi_cpu_device *)d->device)->cpu->cc.started; }

/* Two programs, of which the second fails where it is told to. */
static kg_module *numbered(int k) {
  char text[500];
  snprintf(text, sizeof text,
           "module m%d {\nbuffer y : f32[4] read_write\n"
           "program a { workgroup 4 grid 1\nbuffer y : f32[4] write\ny[local_id.x] = exp(0.0) + %d.0 }\n"
           "program b { workgroup 4 grid 1\nbuffer y : f32[4] read_write\nassert y[0] != 18.0 \"not %d\"\ny[local_id.x] += %d.0 }\n"
           "run a(y = y)\nrun b(y = y)\n}", k, k, k, k);
  return kgt_parse(text);
}

START_TEST(one_run_of_the_compiler_for_many) {
  kgt_device d = open_cpu();
  const kg_module *m[MANY];
  for (int k = 0; k < MANY; k++) m[k] = numbered(k);
  ck_assert_int_eq(kg_device_compile(d.device, m, MANY, &kgt_sink), KG_OK);
  uint32_t before = started(&d);
  ck_assert_uint_eq(before, 3); /* it was asked for its version */
  ck_assert_int_eq(kg_device_compile(d.device, m, MANY, &kgt_sink), KG_OK);
  for (int k = 0; k < MANY; k++) {
    float y[4] = {0};
    kg_status status = kgt_run_module(&d, m[k], NULL, (void *[]){y}, NULL);
    if (k == 17) {
      ck_assert_int_eq(status, KG_FAILED);
      ck_assert_str_eq(kgt_last.id, "assert-failed");
      ck_assert_msg(strstr(kgt_last.message, "not 17") != NULL, "%s", kgt_last.message);
      ck_assert_uint_eq(kgt_last.line, 8);
      continue;
    }
    ck_assert_int_eq(status, KG_OK);
    for (int i = 0; i < 4; i++) ck_assert_float_eq(y[i], (float)(1 + 2 * k));
  }
  ck_assert_uint_eq(started(&d), before);
  for (int k = 0; k < MANY; k++) kg_module_free((kg_module *)(uintptr_t)m[k]);
  kgt_close(&d);
}
END_TEST

/* Whoever makes its executable is told. */
START_TEST(who_is_refused_stays_out) {
  kgt_device d = open_cpu();
  kg_module *refused = kgt_parse("program p { workgroup 1 grid 1\nbuffer y : f16[1] read_write\natomic_add(y[0], 1.0) }");
  const kg_module *m[] = {numbered(1), refused, numbered(2)};
  uint16_t h[1] = {0};
  float y[4] = {0};
  ck_assert_int_eq(kg_device_compile(d.device, m, 3, &kgt_sink), KG_OK);
  ck_assert_int_eq(kgt_last.count, 0);
  ck_assert_int_eq(kgt_run_module(&d, refused, NULL, (void *[]){h}, NULL), KG_REFUSED);
  kgt_run_fine(&d, m[2], NULL, (void *[]){y}, NULL);
  ck_assert_float_eq(y[3], 5);
  ck_assert_uint_eq(started(&d), 2);
  for (int k = 0; k < 3; k++) kg_module_free((kg_module *)(uintptr_t)m[k]);
  kgt_close(&d);
}
END_TEST

/* The stack of a large one is not that of the others. */
START_TEST(large_ones_are_no_burden) {
  kgt_device d = open_cpu();
  kg_module *large = kgt_parse("program p { workgroup 4 grid 1\nbuffer y : f32[4] read_write\nvar w : f32[700000]\n"
                               "for i in 0 .. 700000 { w[i] = f32(i) * y[local_index] }\ny[local_index] = w[u32(y[local_index])] }");
  const kg_module *m[] = {numbered(1), large};
  float y[4] = {0};
  ck_assert_int_eq(kg_device_compile(d.device, m, 2, &kgt_sink), KG_OK);
  ck_assert_int_eq(kgt_run_module(&d, large, NULL, (void *[]){y}, NULL), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "device-limit");
  kgt_run_fine(&d, m[0], NULL, (void *[]){y}, NULL);
  ck_assert_float_eq(y[3], 3);
  for (int k = 0; k < 2; k++) kg_module_free((kg_module *)(uintptr_t)m[k]);
  kgt_close(&d);
}
END_TEST

/* Nothing to compile, and devices that compile nothing ahead. */
START_TEST(nothing_to_do) {
  kgt_device d = open_cpu(), reference = kgt_open("reference");
  kg_module *m = numbered(3);
  ck_assert_int_eq(kg_device_compile(d.device, NULL, 0, &kgt_sink), KG_OK);
  ck_assert_uint_eq(started(&d), 0);
  ck_assert_int_eq(kg_device_compile(reference.device, (const kg_module *const[]){m}, 1, &kgt_sink), KG_OK);
  kg_module_free(m);
  kgt_close(&reference);
  kgt_close(&d);
}
END_TEST

/* No allocation that fails leaves anything behind. */
static kg_status compile_both(const kg_allocator *alloc, void *user) {
  kg_context *c = NULL;
  kg_device *d = NULL;
  kg_status status = kg_context_new(alloc, NULL, &kgt_sink, &c);
  if (status == KG_OK) status = kg_device_open(c, "cpu", &kgt_sink, &d);
  if (status == KG_OK) status = kg_device_compile(d, user, 2, &kgt_sink);
  kg_device_free(d);
  kg_context_free(c);
  return status;
}

START_TEST(no_memory) {
  char folder[300], command[310];
  snprintf(folder, sizeof folder, "%s/cache", kgt_temp_dir());
  setenv("KGRAD_CACHE", folder, 1);
  setenv("VK_DRIVER_FILES", "/nowhere.json", 1), setenv("VK_ICD_FILENAMES", "/nowhere.json", 1);
  unsetenv("KGRAD_VALIDATE");
  const kg_module *m[] = {numbered(1), numbered(2)};
  ck_assert_uint_gt(kgt_fail_each_allocation(compile_both, (void *)m), 5);
  kg_module_free((kg_module *)(uintptr_t)m[0]), kg_module_free((kg_module *)(uintptr_t)m[1]);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(one_run_of_the_compiler_for_many), KGT(who_is_refused_stays_out), KGT(large_ones_are_no_burden),
                            KGT(nothing_to_do), KGT(no_memory)};
  return kgt_run("driver/cpu_together", tests, KGT_COUNT(tests));
}
