/* The CPU as a device: how it is listed, when it is the usual one, and its memory. */
#include "foundation/base/cores.h"
#include "tests/driver/cpu_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t cpu_index(const kg_context *c) {
  uint32_t i = 0;
  while (i < kg_device_count(c) && strcmp(kg_device_at(c, i).id, "cpu")) i++;
  return i;
}

START_TEST(listed_last) {
  place p = make_place();
  kg_context *c;
  kg_device *d;
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_uint_eq(cpu_index(c), kg_device_count(c) - 1);
  kg_device_info info = kg_device_at(c, cpu_index(c));
  ck_assert_ptr_nonnull(strstr(info.name, "lanes"));
  ck_assert_ptr_nonnull(strstr(info.driver, "gcc; cache "));
  ck_assert_ptr_nonnull(strstr(info.driver, ", 0 files, 0 KiB"));
  compile_and_run(3);
  info = kg_device_at(c, cpu_index(c));
  ck_assert_ptr_nonnull(strstr(info.driver, ", 2 files, "));
  ck_assert_ptr_nonnull(strstr(info.driver, "gcc ("));
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_OK);
  kg_device_free(d);
  kg_context_free(c);
  empty(p.root);
}
END_TEST

/* How many devices are said to be usual; `id` is that of the last. */
static uint32_t count_usual(const kg_context *c, const char **id) {
  uint32_t found = 0;
  *id = NULL;
  for (uint32_t i = 0; i < kg_device_count(c); i++)
    if (kg_device_at(c, i).usual) *id = kg_device_at(c, i).id, found++;
  return found;
}

static const struct wish { const char *name, *cc, *wish, *usual; bool no_vulkan; } wishes[] = {
  {"as it comes", "gcc", NULL, "cpu", false},
  {"an empty wish", "gcc", "", "cpu", false},
  {"no compiler", "none", NULL, "reference", false},
  {"the reference alone", "gcc", NULL, "reference", true},
  {"a wish", "gcc", "reference", "reference", false},
  {"a wish for what is missing", "none", "cpu", NULL, false},
  {"a wish for nothing known", "gcc", "nothing", NULL, false},
};

/* The machine's Vulkan devices are software (tests/environment). */
START_TEST(usual_device) {
  place p = make_place();
  const struct wish *w = &wishes[_i];
  kg_context *c;
  kg_device *d;
  const char *id;
  setenv("CC", w->cc, 1);
  if (w->wish) setenv("KGRAD_DEVICE", w->wish, 1);
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.no_vulkan = w->no_vulkan}, &kgt_sink, &c), KG_OK);
  ck_assert_uint_eq(count_usual(c, &id), w->usual != NULL);
  if (w->usual) {
    ck_assert_str_eq(id, w->usual);
    ck_assert_int_eq(kg_device_open(c, NULL, &kgt_sink, &d), KG_OK);
    ck_assert_str_eq(kg_device_describe(d).id, w->usual);
    ck_assert(kg_device_describe(d).usual && !kg_device_describe(d).gpu);
    kg_device_free(d);
  } else {
    ck_assert_int_eq(kg_device_open(c, NULL, &kgt_sink, &d), KG_UNAVAILABLE);
  }
  kg_context_free(c);
  unsetenv("KGRAD_DEVICE");
  empty(p.root);
}
END_TEST

static uint32_t count_with(const char *only, bool *vulkan) {
  kg_context *c;
  ck_assert_int_eq(kg_context_new(NULL, &(kg_context_params){.only = only}, &kgt_sink, &c), KG_OK);
  uint32_t count = kg_device_count(c);
  *vulkan = false;
  for (uint32_t i = 0; i < count; i++) *vulkan |= kg_device_at(c, i).vulkan_major != 0;
  kg_context_free(c);
  return count;
}

START_TEST(only_one) {
  static const char *const others[] = {"vulkan", "vulkan:7", "llvmpipe", "all", "cp", "cpus", "cpu:3"};
  place p = make_place();
  bool any, vulkan;
  setenv("CC", "gcc", 1);
  uint32_t all = count_with(NULL, &any);
  for (size_t i = 0; i < KGT_COUNT(others); i++) {
    ck_assert_uint_eq(count_with(others[i], &vulkan), all);
    ck_assert(vulkan == any);
  }
  ck_assert_uint_eq(count_with("cpu", &vulkan), 2); /* and the reference, which is always there */
  ck_assert(!vulkan);
  ck_assert_uint_eq(count_with("reference", &vulkan), 2);
  ck_assert(!vulkan);
  empty(p.root);
}
END_TEST

START_TEST(no_compiler) {
  static const char *const paths[] = {"", "/nowhere", ".:relative"};
  kg_context *c;
  kg_device *d;
  char path[4096];
  place p = make_place();
  snprintf(path, sizeof path, "%s", getenv("PATH"));
  unsetenv("CC");
  setenv("PATH", paths[_i], 1);
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_uint_eq(cpu_index(c), kg_device_count(c));
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_UNAVAILABLE);
  ck_assert_str_eq(kgt_last.id, "no-compiler");
  ck_assert_ptr_nonnull(strstr(kgt_last.message, "none of cc, clang and gcc is on PATH"));
  kg_context_free(c);
  setenv("CC", "no-such-compiler -O2", 1);
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_UNAVAILABLE);
  ck_assert_ptr_nonnull(strstr(kgt_last.message, "CC names no-such-compiler"));
  kg_context_free(c);
  setenv("PATH", path, 1);
  empty(p.root);
}
END_TEST

/* 0: as many as there are cores. */
static const struct { const char *stated; uint32_t threads; } wishes_for_threads[] = {
  {"3", 3}, {"007", 7}, {"0", 0}, {"", 0}, {"-1", 0}, {"1e9", 0}, {"abc", 0}, {"4 threads", 0}, {" 2", 0}, {"0x10", 0},
  {"99999999999999999999", UINT32_MAX},
};

START_TEST(threads_are_told) {
  place p = make_place();
  kg_context *c;
  kg_device *d;
  uint32_t expected = wishes_for_threads[_i].threads;
  setenv("KGRAD_THREADS", wishes_for_threads[_i].stated, 1);
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_OK);
  ck_assert_uint_eq(((kgi_cpu_device *)d)->cpu->threads, expected ? expected : kgi_cores());
  kg_device_free(d);
  kg_context_free(c);
  unsetenv("KGRAD_THREADS");
  empty(p.root);
}
END_TEST

/* The lanes of the text are those of the device. */
START_TEST(lanes_are_told) {
  place p = make_place();
  kgi_cpu_host host;
  kgi_cpu_describe(&host);
  ck_assert(host.lanes == 4 || host.lanes == 8 || host.lanes == 16);
  char text[200];
  snprintf(text, sizeof text, "int x[KG_LANES == %u ? 1 : -1];\n", host.lanes);
  ck_assert_int_eq(load_status(text), KG_OK);
  empty(p.root);
}
END_TEST

/* Around those from which on memory comes in pages, and in large ones. */
static const uint64_t sizes[] = {0, 1, 63, 64, 65, 262143, 262144, 1000001, 2097151, 2097152, 5000001};

START_TEST(memory_is_aligned_and_zero) {
  place p = make_place();
  kg_context *c;
  kg_device *d;
  kg_buffer *b;
  ck_assert_int_eq(kg_context_new(NULL, NULL, &kgt_sink, &c), KG_OK);
  ck_assert_int_eq(kg_device_open(c, "cpu", &kgt_sink, &d), KG_OK);
  for (size_t i = 0; i < KGT_COUNT(sizes); i++) {
    ck_assert_int_eq(kg_buffer_new(d, sizes[i], &kgt_sink, &b), KG_OK);
    const unsigned char *at = ((kgi_cpu_buffer *)b)->memory.bytes;
    ck_assert_uint_eq((uintptr_t)at % 64, 0);
    uint64_t set = 0;
    for (uint64_t k = 0; k < sizes[i] + 64; k++) set += at[k] != 0;
    ck_assert_uint_eq(set, 0);
    kg_buffer_free(b);
  }
  ck_assert_int_eq(kg_buffer_new(d, SIZE_MAX / 4, &kgt_sink, &b), KG_NO_MEMORY);
  ck_assert_int_eq(kg_buffer_new(d, SIZE_MAX, &kgt_sink, &b), KG_REFUSED);
  kg_device_free(d);
  kg_context_free(c);
  empty(p.root);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {
    KGT(listed_last), KGT_TABLE(usual_device, wishes, name), KGT(only_one), KGT_TIMES(no_compiler, 3),
    KGT_TABLE(threads_are_told, wishes_for_threads, stated), KGT(lanes_are_told),
    KGT(memory_is_aligned_and_zero),
  };
  return kgt_run("driver/cpu", tests, KGT_COUNT(tests));
}
