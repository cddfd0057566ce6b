/* Subgroup operations on every Vulkan device, against the reference with subgroups of the same size. */
#include "tests/support/devices.h"

#include <kgrad/reference.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES = 64 };

/* `v` is the lane's value, `k` another, `c` a condition; what is not a float is converted. The second run has every third lane at rest. */
static const char *const expressions[] = {
  "subgroup_add(v)", "subgroup_mul(1.0 + v * 0.01)", "subgroup_min(v)", "subgroup_max(v)", "f32(subgroup_add(i32(k) - 9))",
  "f32(subgroup_and(k | 4))", "f32(subgroup_or(k))", "f32(subgroup_xor(k))", "f32(subgroup_and(c))", "f32(subgroup_or(c))", "f32(subgroup_xor(c))",
  "subgroup_inclusive_add(v)", "subgroup_exclusive_add(v)", "f32(subgroup_inclusive_mul(k % 3 + 1) & 65535)", "subgroup_exclusive_mul(v * 0.1 + 1.0)",
  "subgroup_inclusive_min(v)", "max(subgroup_exclusive_max(v), -5.0)", "min(subgroup_exclusive_min(v), 1e9)", "f32(subgroup_exclusive_min(i32(k)) >> 8)",
  "f32(subgroup_inclusive_or(k))", "f32(subgroup_exclusive_xor(k))", "f32(subgroup_exclusive_and(k) & 255)", "f32(subgroup_inclusive_and(c))",
  "subgroup_broadcast(v, 1)", "subgroup_broadcast(v, 200)", "subgroup_broadcast_first(v)", "subgroup_shuffle(v, k)", "f32(subgroup_shuffle(k, subgroup_size - 1 - subgroup_lane))",
  "subgroup_shuffle_xor(v, 1)", "subgroup_shuffle_xor(v, 4096)", "subgroup_shuffle_up(v, 1)", "subgroup_shuffle_down(v, 2)", "f32(subgroup_shuffle_down(c, 1))",
  "f32(subgroup_ballot(c, 0))", "f32(subgroup_ballot(c, 4))", "f32(subgroup_any(c))", "f32(subgroup_all(c))", "f32(subgroup_elect())",
  "f32(subgroup_size * 100 + subgroup_lane)",
};
enum { EXPRESSIONS = sizeof expressions / sizeof *expressions };

static void try_on(const kgt_device *d, const kg_module *m, const char *what) {
  float x[LANES], got[2 * LANES] = {0}, want[2 * LANES] = {0};
  for (int i = 0; i < LANES; i++) x[i] = (float)((i * 7 + 3) % 13) - 4.5f;
  void *data[] = {x, got}, *same[] = {x, want};
  kgt_run_fine(d, m, NULL, data, NULL);
  kg_reference_params params = {.module = m, .sink = &kgt_sink, .buffers = same, .subgroup_size = d->info.subgroup_size};
  ck_assert_int_eq(kg_reference_run(&params, NULL), KG_OK);
  for (int i = 0; i < 2 * LANES; i++)
    ck_assert_msg(fabsf(got[i] - want[i]) <= 1e-5f * fabsf(want[i]) + 1e-6f, "%s on %s: lane %d gives %g, not %g", what, d->info.name, i,
                  (double)got[i], (double)want[i]);
}

START_TEST(each) {
  char text[1024];
  snprintf(text, sizeof text,
           "program p { workgroup %d grid 1 buffer x : f32[%d] read buffer y : f32[%d] write\n"
           "let i = local_index let v = x[i] let k = (i * 5 + 2) %% 11 let c = i %% 5 < 2\n"
           "y[i] = %s if i %% 3 != 0 { y[i + %d] = %s } }",
           LANES, LANES, 2 * LANES, expressions[_i], LANES, expressions[_i]);
  kg_module *m = kgt_parse(text);
  kgt_device d = kgt_open_with("reference", &(kg_context_params){.validate = true}); /* and all others */
  uint32_t tried = 0;
  for (uint32_t i = 1; i < kg_device_count(d.context); i++) {
    kgt_device v = {.context = d.context, .info = kg_device_at(d.context, i)};
    if (!v.info.vulkan_major) continue;
    tried++;
    ck_assert_int_eq(kg_device_open(d.context, v.info.id, &kgt_sink, &v.device), KG_OK);
    try_on(&v, m, expressions[_i]);
    kg_device_free(v.device);
  }
  ck_assert_uint_gt(tried, 0);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(each, expressions)};
  return kgt_run("spirv/subgroup", tests, KGT_COUNT(tests));
}
