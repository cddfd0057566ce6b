/* kgrad's own functions on the worst device that Vulkan allows: they stay within what reference/precision.def says of them. With
 * KG_PRECISION=count in the environment it tries so many operands, and prints how far off each function was. */
#include "reference/interval.h"
#include "tests/support/kgtest.h"
#include "tests/support/poor_device.h"

#include <kgrad/spirv.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const kgi_op own[] = {
#define FUN1(name, ...) KGI_OP_##name,
#define FUN2(name, ...) KGI_OP_##name,
#include "foundation/ir/ops.def"
  KGI_OP_rem, KGI_OP_mod,
};
enum { OWN = sizeof own / sizeof *own };

static uint64_t state = 1;
static uint64_t random_bits(void) { return kgi_random(&state); }

/* Any pattern, any exponent around 1, close to a multiple of pi / 2, and the numbers of everyday life. */
static float operand(void) {
  uint32_t word = (uint32_t)random_bits();
  float x;
  memcpy(&x, &word, sizeof x);
  double unit = kgi_random_between(&state, 0, 1), sign = word & 1 ? -1 : 1;
  switch (random_bits() % 6) {
  case 0: return x;
  case 1: return (float)(sign * ldexp(1 + unit, (int)(random_bits() % 24) - 12));
  case 2: return (float)(sign * (1 - unit * unit));
  case 3: return nextafterf((float)(sign * (double)(random_bits() % 2000) * 1.5707963267948966), sign * (float)(random_bits() % 100));
  default: return (float)(sign * unit * (random_bits() % 2 ? 4 : 100));
  }
}

static uint32_t *emitted(kgi_op op, size_t *count) {
  char text[256];
  kg_module *m = NULL;
  uint32_t *words = NULL;
  bool two = kgi_op_rows[op].arity == 2;
  snprintf(text, sizeof text, "program k { workgroup 1 grid 1 buffer x : f32[2] read buffer y : f32[1] write y[0] = %s(x[0]%s) }",
           kgi_op_rows[op].name, two ? ", x[1]" : "");
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", text, strlen(text), NULL, &m), KG_OK);
  ck_assert_int_eq(kg_spirv_emit(NULL, m, &(kg_spirv_params){0}, NULL, &words, count), KG_OK);
  kg_module_free(m);
  return words;
}

/* In units of the exact result, of normal numbers alone. */
static double off(kgi_op op, const float *x, float y) {
  kgi_interval exact;
  const kgi_interval a = kgi_point((double)x[0]), b = kgi_point((double)x[1]);
  bool two = kgi_op_rows[op].arity == 2;
  if (!(two ? kgi_range_of_two(op, a, b, &exact) : kgi_range_of(op, a, &exact))) return 0;
  double middle = (exact.low + exact.high) / 2;
  if (fpclassify(x[0]) == FP_SUBNORMAL || (two && fpclassify(x[1]) == FP_SUBNORMAL)) return 0;
  if (!(fabs(middle) >= 0x1p-120 && fabs(middle) < 0x1p127)) return 0;
  if (exact.high - exact.low > 1e-6 * fabs(middle)) return 0;
  return fabs((double)y - middle) / kgi_unit(KG_F32, fabs(middle));
}

START_TEST(own_functions) {
  kgi_op op = own[_i];
  const char *wanted = getenv("KG_PRECISION");
  unsigned count = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 4000;
  double worst = 0, at[2] = {0};
  size_t size = 0;
  uint32_t *words = emitted(op, &size);
  kgt_poor d;
  ck_assert(kgt_poor_load(&d, words, size));
  for (unsigned i = 0; i < count * 2 * KGT_POOR_MODES; i++) {
    const float x[2] = {operand(), operand()};
    d.mode = (kgt_poor_mode)(i % KGT_POOR_MODES), d.flush = i / KGT_POOR_MODES % 2;
    float y = kgt_poor_run(&d, x);
    const kgi_interval in[2] = {kgi_point((double)x[0]), kgi_point((double)x[1])};
    if (wanted && off(op, x, y) > worst) worst = off(op, x, y), at[0] = (double)x[0], at[1] = (double)x[1];
    if (isnan(x[0]) || isnan(x[1])) continue;
    kgi_interval all = kgi_interval_op(&(kgi_rules){.flush = d.flush}, op, KG_F32, KG_F32, in);
    bool fine = kgi_is_anything(all) || kgi_within(all, (double)y);
    ck_assert_msg(fine || wanted, "%s(%.9g, %.9g) = %.9g, mode %d%s, not in [%.9g, %.9g]: %g units off", kgi_op_rows[op].name,
                  (double)x[0], (double)x[1], (double)y, (int)d.mode, d.flush ? ", flushed" : "", all.low, all.high, off(op, x, y));
  }
  if (wanted) printf("%-8s %8.3f units, at (%.9g, %.9g)\n", kgi_op_rows[op].name, worst, at[0], at[1]);
  kgt_poor_free(&d);
  kg_bytes_free(NULL, words, size * 4);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TIMES(own_functions, KGT_COUNT(own))};
  return kgt_run("spirv/precision", tests, KGT_COUNT(tests));
}
