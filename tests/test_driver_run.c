/* Kernels run on both back ends: one table of cases, the same expectations. */
#include "tests/devices.h"

#include <stdio.h>
#include <string.h>

/* One kernel over small arrays; every buffer is f32 unless it is written otherwise in the text, and 4 bytes wide. */
typedef struct run_case {
  const char *name, *text;
  double params[4];
  uint64_t lengths[4];
  float in[4][16], out[4][16]; /* by buffer */
} run_case;

static const run_case cases[] = {
  {"saxpy", "program p { workgroup 4 grid invocations n param n : u32 param a : f32\n"
            "buffer x : f32[n] read buffer y : f32[n] read_write\n"
            "let i = global_id.x if i < n { y[i] = a * x[i] + y[i] } }",
   {5, 2}, {5, 5}, {{1, 2, 3, 4, 5}, {10, 20, 30, 40, 50}}, {{1, 2, 3, 4, 5}, {12, 24, 36, 48, 60}}},
};
enum { CASES = sizeof cases / sizeof *cases };

static const char *const devices[] = {"reference", "vulkan"};
enum { DEVICES = sizeof devices / sizeof *devices };

START_TEST(forward) {
  const run_case *c = &cases[_i % CASES];
  kgt_device d = kgt_open(devices[_i / CASES]);
  kg_module *m = kgt_parse(c->text);
  float data[4][16];
  memcpy(data, c->in, sizeof data);
  void *arrays[4] = {data[0], data[1], data[2], data[3]};
  kgt_run_fine(&d, m, c->params, arrays, c->lengths);
  for (uint32_t b = 0; b < kg_module_buffer_count(m); b++)
    for (uint64_t i = 0; i < c->lengths[b]; i++)
      ck_assert_msg(data[b][i] == c->out[b][i], "%s on %s: %s[%d] is %g, not %g", c->name, d.info.id, kg_module_buffer(m, b).name,
                    (int)i, (double)data[b][i], (double)c->out[b][i]);
  kg_module_free(m);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(forward, CASES * DEVICES)};
  return kgt_run("driver/run", tests, KGT_COUNT(tests));
}
