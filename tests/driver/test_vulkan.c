/* The Vulkan back end from inside: what its calls' results mean, and that the validation layer is heard. */
#include "driver/vulkan/program.h"
#include "tests/support/devices.h"

#include <stdio.h>
#include <stdlib.h>

START_TEST(results_have_names) {
  kgi_diags diags = {.sink = &kgt_sink};
  ck_assert_int_eq(kgi_vk_check(VK_SUCCESS, "vkA", &diags), KG_OK);
  ck_assert_int_eq(kgi_vk_check(VK_INCOMPLETE, "vkA", &diags), KG_OK);
  ck_assert_int_eq(kgt_last.count, 0);
  ck_assert_int_eq(kgi_vk_check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkA", &diags), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "device-memory");
  ck_assert_int_eq(kgi_vk_check(VK_ERROR_DEVICE_LOST, "vkB", &diags), KG_FAILED);
  ck_assert_str_eq(kgt_last.id, "device-lost");
  ck_assert_int_eq(kgi_vk_check(VK_ERROR_INITIALIZATION_FAILED, "vkC", &diags), KG_UNAVAILABLE);
  ck_assert_str_eq(kgt_last.id, "vulkan-error");
  ck_assert_str_eq(kgt_last.message, "vkC failed with -3");
}
END_TEST

/* A call that the layer objects to fails what the driver was doing. */
START_TEST(the_layer_is_heard) {
  kgt_device d = kgt_open("vulkan");
  kgi_vulkan_device *v = kgi_vk_device(d.device);
  kg_module *m = kgt_parse("program p { workgroup 1 grid 1 buffer y : f32[1] write y[0] = 1.0 }");
  uint64_t length[1], param[1];
  bool given[1] = {false};
  kg_host host = {param, given, length, given};
  ck_assert_int_eq(kg_module_resolve(m, &host, &kgt_sink), KG_OK);
  kg_executable *exe;
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, NULL, &kgt_sink, &exe), KG_OK);
  ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_OK);
  ck_assert_int_eq(kgt_last.count, 0);
  VkBufferCreateInfo wrong = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 0, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer made = VK_NULL_HANDLE;
  v->vk.vkCreateBuffer(v->device, &wrong, NULL, &made);
  ck_assert_str_eq(kgt_last.id, "vulkan-validation");
  ck_assert_uint_gt(d.context->messages, 0);
  v->vk.vkDestroyBuffer(v->device, made, NULL);
  kg_executable_free(exe);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

static int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of a sum of ones each sees another number, whatever the order: those below the sum. Of a maximum each sees what somebody has put there. */
START_TEST(what_emulated_atomics_saw) {
  kgt_device d = kgt_open("vulkan");
  enum { N = 96 };
  double sum = 0, before[N];
  float most = -9, x[N], seen[N];
  void *data[] = {&sum, before, &most, x, seen};
  for (int i = 0; i < N; i++) x[i] = -8.0f + (float)(i * 37 % N) / N;
  kg_module *m = kgt_parse("program p { workgroup 32 grid 3 buffer sum : f64 read_write buffer before : f64[96] write\n"
                           "buffer most : f32 read_write buffer x : f32[96] read buffer seen : f32[96] write\n"
                           "let i = global_id.x before[i] = atomic_add(sum, f64(1.0)) seen[i] = atomic_max(most, x[i]) }");
  ck_assert_int_eq(kgt_run_module(&d, m, NULL, data, NULL), KG_OK);
  qsort(before, N, sizeof *before, rising);
  ck_assert_double_eq(sum, N);
  ck_assert_float_eq(most, -8.0f + (float)(N - 1) / N);
  for (int i = 0; i < N; i++) {
    bool put = seen[i] == -9;
    ck_assert_double_eq(before[i], i);
    for (int k = 0; k < N; k++) put |= seen[i] == x[k];
    ck_assert_msg(put, "%d saw %g", i, (double)seen[i]);
  }
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

static PFN_vkWaitForFences wait_really;

static VKAPI_ATTR VkResult VKAPI_CALL lose(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout) {
  ck_assert_int_eq(wait_really(device, count, fences, all, timeout), VK_SUCCESS);
  return VK_ERROR_DEVICE_LOST;
}

/* Its fence stays signalled and its commands in use, which the layer would object to. No driver here loses a device when asked to, so a
 * call says that it did. */
START_TEST(a_lost_device_is_left_alone) {
  kgt_device d = kgt_open("vulkan");
  kgi_vulkan_device *v = kgi_vk_device(d.device);
  kg_module *m = kgt_parse("program p { workgroup 1 grid 1 buffer y : f32[1] write y[0] = 1.0 }");
  uint64_t length[1], param[1];
  bool given[1] = {false};
  kg_host host = {param, given, length, given};
  kg_executable *exe;
  ck_assert_int_eq(kg_module_resolve(m, &host, &kgt_sink), KG_OK);
  ck_assert_int_eq(kg_executable_new(d.device, m, &host, NULL, &kgt_sink, &exe), KG_OK);
  wait_really = v->vk.vkWaitForFences, v->vk.vkWaitForFences = lose;
  for (int call = 1; call <= 3; call++) {
    ck_assert_int_eq(kg_execute(exe, &kgt_sink), KG_FAILED);
    ck_assert_str_eq(kgt_last.id, "device-lost");
    ck_assert_int_eq(kgt_last.count, call);
  }
  v->vk.vkWaitForFences = wait_really;
  ck_assert_uint_eq(d.context->messages, 0);
  kg_executable_free(exe);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* Refused before the work is begun. */
START_TEST(too_many_runs) {
  kgt_device d = kgt_open("reference");
  kg_module *m = kgt_parse("module m { buffer y : f32[1] read_write program p { workgroup 1 grid 1 buffer y : f32[1] read_write y[0] += 1.0 }\n"
                           "repeat i in 0 .. 5000 { repeat j in 0 .. 5000 { run p(y = y) } } }");
  void *data[1] = {NULL};
  ck_assert_int_eq(kgt_run_module(&d, m, NULL, data, NULL), KG_REFUSED);
  ck_assert_str_eq(kgt_last.id, "too-many-dispatches");
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

/* ---- barriers that a device counts which nobody comes to ---- */

typedef struct barrier_case { bool even; const char *text; } barrier_case;
static const barrier_case barrier_cases[] = {
  {true, "barrier"},
  {true, "for k in 0 .. 3 { if k < 2 { barrier } }"},
  {true, "for k in 0 .. 3 { for j in 0 .. k { if x[0] > 0.5 { barrier } } }"},
  {true, "for k in 0 .. workgroup_id.x { if k < 2 { barrier } }"},
  {true, "for k in 0 .. 3 { barrier if local_id.x > 2 { x[local_id.x] = 1.0 } }"},
  {true, "if local_id.x > 8 { barrier }"},
  {true, "for k in 0 .. 3 { barrier } if local_id.x > 2 { return } x[local_id.x] = 2.0"},
  {true, "for k in 0 .. local_id.x { x[local_id.x] += 1.0 } barrier"},
  {false, "for k in 0 .. 1 + local_id.x { if k < 1 { barrier } }"},
  {false, "for k in 0 .. 2 { if k < 1 { barrier } if local_id.x > 2 { break } }"},
  {false, "for k in 0 .. local_id.x { for j in 0 .. 2 { if k > 8 { barrier } } }"},
  {false, "var k : u32 = 0 while k < 1 + local_id.x { if k < 1 { barrier } k += 1 }"},
  {false, "if local_id.x > 3 { for j in 0 .. 2 { if j > 2 { barrier } } }"},
};

START_TEST(barriers_that_nobody_comes_to) {
  const barrier_case *c = &barrier_cases[_i];
  char text[400];
  snprintf(text, sizeof text, "program p { workgroup 8 grid 1 buffer x : f32[8] read_write\n%s }", c->text);
  kg_module *m = kgt_parse(text);
  kgi_diags diags = {.sink = &kgt_sink};
  kg_status status = kgi_vk_check_barriers(NULL, m, m->program[1], 4, &diags);
  ck_assert_msg(status == (c->even ? KG_OK : KG_REFUSED), "%s: %d", c->text, (int)status);
  if (!c->even) ck_assert_str_eq(kgt_last.id, "device-barrier");
  ck_assert_uint_eq(kgt_last.line, c->even ? 0 : 2);
  ck_assert_int_eq(kgi_vk_check_barriers(NULL, m, m->program[1], 8, &diags), KG_OK); /* one batch */
  kg_module_free(m);
}
END_TEST

/* ---- when memory runs out ---- */

static const char *const which[] = {"reference", "vulkan", "cpu"};
static const char kernel[] = "module m { param n : u32 = 3 buffer x : f32[n] read buffer t : f32[n] temp buffer y : f32[n] write\n"
                             "program p { workgroup 4 grid invocations n param n : u32 buffer a : f32[n] read buffer b : f32[n] write\n"
                             "let i = global_id.x if i < n { assert i < 9 \"few\" b[i] = 2.0 * a[i] } }\n"
                             "run p(a = x, b = t, n = n) run p(a = t, b = y, n = n) }";

typedef struct whole { const char *device; const kg_module *m; } whole;

static kg_status run_whole(const kg_allocator *alloc, void *user) {
  const whole *w = user;
  kg_context *c = NULL;
  kg_device *d = NULL;
  float x[3] = {1, 2, 3}, y[3] = {0};
  void *data[] = {x, NULL, y};
  uint64_t param[1], length[3];
  bool given[1] = {false}, length_given[3] = {false};
  kg_host host = {param, given, length, length_given};
  kg_status status = kg_context_new(alloc, &(kg_context_params){.no_vulkan = w->device[0] == 'r'}, &kgt_sink, &c);
  if (status == KG_OK) status = kg_device_open(c, w->device, &kgt_sink, &d);
  if (status == KG_OK) status = kg_run(d, w->m, &host, data, NULL, &kgt_sink, NULL);
  if (status == KG_OK) ck_assert_float_eq(y[2], 12);
  kg_device_free(d);
  kg_context_free(c);
  return status;
}

START_TEST(without_memory) {
  unsetenv("KGRAD_VALIDATE"); /* for time: a context for each allocation that fails */
  whole w = {which[_i], kgt_parse(kernel)};
  ck_assert_uint_gt(kgt_fail_each_allocation(run_whole, &w), 5);
  kg_module_free((kg_module *)w.m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(results_have_names), KGT(the_layer_is_heard), KGT(a_lost_device_is_left_alone), KGT(too_many_runs),
                            KGT(what_emulated_atomics_saw),
                            KGT_TABLE(barriers_that_nobody_comes_to, barrier_cases, text), KGT_TEXTS(without_memory, which)};
  return kgt_run("driver/vulkan", tests, KGT_COUNT(tests));
}
