/* Every value operation, every type it takes, on every Vulkan device: edge cases crossed, and random values. What the device gives
 * lies in the interval of the reference (reference/precision.def), integers are the same. */
#include "foundation/ir/builder.h"
#include "foundation/ir/dim.h"
#include "foundation/ir/eval.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/validate.h"
#include "tests/support/devices.h"
#include "fuzz/ask/bounds.h"

#include <kgrad/spirv.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS = 4, CASES = 1024 };

/* ---- values ---- */

static const uint64_t ints[] = {0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 32767, 65535, 0x7FFFFFFF, 0x80000000,
                                0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x12345678, 0xDEADBEEF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000,
                                0xFFFFFFFFFFFFFFFF, 0x123456789ABCDEF0};
static const double floats[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, 1.5, -1.5, 2.5, 0.1, -0.7, 0.9999999, 1.0000001, 1e-3, -1e-6, 1e-12,
                                6.1e-5, 10, 17.25, -33.3, 87, 88.5, -88, -100, 103.5, 1000, 65504, 1e5, -12345.678, 1e10, -3e9, 4294967040.0,
                                2147483520.0, 2147483648.0, 8388609, 1e20, 1e30, 3e38, 1e-30, 1.2e-38, 1e-40, 1.5707963705, 3.1415927, 0.25,
                                -0.25, 0.999, -0.999, 1e-8, 0.625, 0.41421, 2.41422, 1.25, 0.84375, 6, 2.857};

static uint64_t random_state = 1;
static uint64_t next_random(void) { return kgi_random(&random_state); }

static uint64_t float_value(kg_type type, unsigned k) {
  enum { N = sizeof floats / sizeof *floats };
  double x = k < N ? floats[k] : k == N ? (double)INFINITY : k == N + 1 ? -(double)INFINITY : k == N + 2 ? (double)NAN : 0;
  if (k > N + 2 && next_random() % 4 == 0) return next_random() >> (64 - kgi_type_bits(type)); /* any pattern */
  if (k > N + 2) { /* magnitudes from 2^-20 to 2^20, and a third of them in [-1, 1] */
    double unit = kgi_random_between(&random_state, 0, 1), sign = next_random() & 1 ? 1 : -1;
    x = next_random() % 3 ? sign * ldexp(1 + unit, (int)(next_random() % 40) - 20) : sign * unit;
  }
  return kgi_float_bits(type, x);
}

static uint64_t value(kg_type type, unsigned k) {
  enum { N = sizeof ints / sizeof *ints };
  if (kgi_is_float(type)) return float_value(type, k);
  uint64_t x = k < N ? ints[k] : next_random() >> (next_random() % 60);
  if (type == KG_BOOL) return x & 1;
  return kgi_type_bits(type) == 32 ? (uint32_t)x : x;
}

/* Pairs of edge cases first, as far as there is room; then random ones. */
static void fill(kg_type const *types, unsigned count, uint64_t (*args)[MOST_ARGS]) {
  unsigned edges = kgi_is_float(types[0]) || (count > 1 && kgi_is_float(types[1])) ? sizeof floats / sizeof *floats + 3 : sizeof ints / sizeof *ints;
  for (unsigned i = 0; i < CASES; i++)
    for (unsigned a = 0; a < count; a++) {
      unsigned k = a == 0 && count == 1 ? i : next_random() % (i < CASES / 2 ? edges : edges * 4);
      args[i][a] = value(types[a], k);
    }
}

/* ---- the kernel ---- */

static kg_type stored(kg_type type) { return type == KG_BOOL ? KG_U32 : type; }

static kg_module *kernel(kgi_op op, kg_type const *types, unsigned count, kg_type stated) {
  static const char *const names[] = {"a", "b", "c", "d"};
  kg_module *m = kgi_module_new(NULL, "test.kg");
  kgi_diags diags = {.sink = &kgt_sink};
  kgi_builder b;
  kgi_obj in[MOST_ARGS];
  kgi_val x[MOST_ARGS];
  kgi_builder_init(&b, m, &diags);
  kgi_program *p = kgi_begin_program(&b, "k");
  p->workgroup[0] = kgi_len_int(&b, 64);
  p->grid[0] = kgi_len_int(&b, CASES / 64);
  kgi_val i = kgi_id_value(&b, KGI_ID_global_id, 0);
  kgi_dim n = kgi_len_int(&b, CASES);
  for (unsigned a = 0; a < count; a++) in[a] = kgi_buffer(&b, names[a], stored(types[a]), KG_READ, n);
  kg_type result = kgi_rule_check((kgi_rule)kgi_op_rows[op].rule, "", count, types, stated, NULL, 0);
  kgi_obj out = kgi_buffer(&b, "y", stored(result), KG_WRITE, n);
  for (unsigned a = 0; a < count; a++) {
    x[a] = kgi_load(&b, in[a], i);
    if (types[a] == KG_BOOL) x[a] = kgi_op2(&b, KGI_OP_ne, x[a], kgi_u32(&b, 0));
  }
  kgi_val y = op == KGI_OP_convert ? kgi_convert(&b, stated, x[0]) : op == KGI_OP_bitcast ? kgi_bitcast(&b, stated, x[0])
                                                                                          : kgi_apply(&b, op, x, count);
  if (result == KG_BOOL) y = kgi_op3(&b, KGI_OP_select, y, kgi_u32(&b, 1), kgi_u32(&b, 0));
  kgi_store(&b, out, i, y);
  ck_assert_int_eq(kgi_builder_status(&b), KG_OK);
  kgi_module_finish_lone(m);
  ck_assert_int_eq(kgi_validate(m, &diags), KG_OK);
  return m;
}

/* ---- comparison ---- */

static double as_double(kg_type type, uint64_t bits) {
  return kgi_is_float(type) ? kgi_bits_to_double(type, bits) : (double)kgi_bits_to_int(type, bits);
}

/* Where Vulkan promises nothing of an operation that has a result: outside of a domain; where a subnormal that becomes 0 meets
 * infinity, or is the power of a negative number; where a product alone overflows. */
static bool unpromised(kgi_op op, const uint64_t *args) {
  double a = as_double(KG_F32, args[0]), b = fabs(as_double(KG_F32, args[1]));
  if ((op == KGI_OP_mul || op == KGI_OP_mulz || op == KGI_OP_pow) && (fpclassify((float)a) == FP_SUBNORMAL || fpclassify((float)b) == FP_SUBNORMAL))
    return true;
  if (op == KGI_OP_fma) return fabs(a) * b > 0x1p127;
  if (op == KGI_OP_div) return !(b >= 0x1p-126 && b <= 0x1p126);
  return op == KGI_OP_rsqrt && !(a >= 0x1p-126);
}

/* In f32 an interval is anything only where the result is no number, and then the device has none either. */
static void compare_open(kgi_op op, const uint64_t *args, double want, double got, double low) {
  bool promised = op != KGI_OP_sqrt && !unpromised(op, args);
  if (isnan(low) && promised)
    ck_assert_msg(isnan(want) && isnan(got), "%s of f32: a=%g b=%g: got %g, the reference has %g, and nothing is known of it",
                  kgi_op_rows[op].name, as_double(KG_F32, args[0]), as_double(KG_F32, args[1]), got, want);
  else if (!isnan(low)) ck_assert_msg(!isnan(want), "%s of f32 has an interval, but no number", kgi_op_rows[op].name);
}

/* Every result lies in its interval. */
static void compare(kgi_op op, kg_type const *types, unsigned count, kg_type result, uint64_t (*args)[MOST_ARGS], kgi_bounds *b,
                    void *const *got, kg_math math) {
  kg_type operand = types[op == KGI_OP_select];
  const float *want = b->array[count], *have = got[count];
  bool inside = kgi_bounds_hold(b, got, kgt_last.message, sizeof kgt_last.message);
  ck_assert_msg(inside, "%s of %s to %s: %s", kgi_op_rows[op].name, kg_type_name(operand), kg_type_name(result), kgt_last.message);
  bool native = kgi_is_native(op, math); /* of a device's own function Vulkan says less than that, but not nothing */
  unsigned known = 0;
  for (unsigned i = 0; i < CASES && operand == KG_F32 && result == KG_F32; i++) {
    known += b->low[count][i] <= (double)want[i] && (double)want[i] <= b->high[count][i];
    if (!native) compare_open(op, args[i], (double)want[i], (double)have[i], b->low[count][i]);
  }
  ck_assert(!native || operand != KG_F32 || known > CASES / 8);
}

/* ---- one operation ---- */

static kg_status run_in(const kgt_device *d, const kg_module *m, void *const *data, kg_math math) {
  uint64_t lengths[MOST_ARGS + 1];
  bool given[MOST_ARGS + 1] = {false};
  kg_host host = {.length = lengths, .length_given = given};
  return kg_run(d->device, m, &host, data, &(kg_executable_params){.math = math}, &kgt_sink, NULL);
}

static uint32_t features_of(kg_type type) {
  if (type == KG_I64 || type == KG_U64) return KG_FEATURE_INT64;
  if (type == KG_F64) return KG_FEATURE_FLOAT64;
  return type == KG_F16 ? KG_FEATURE_FLOAT16 | KG_FEATURE_STORAGE16 : 0;
}

static bool has_types(const kgt_device *d, kg_type const *types, unsigned count, kg_type result) {
  uint32_t need = features_of(result);
  for (unsigned i = 0; i < count; i++) need |= features_of(types[i]);
  return (need & ~d->info.features) == 0;
}

static void try_types(const kgt_device *d, kgi_op op, kg_type const *types, unsigned count, kg_type result, kg_math math) {
  uint64_t (*args)[MOST_ARGS] = calloc(CASES, sizeof *args);
  unsigned char *arrays[MOST_ARGS + 1];
  kg_module *m = kernel(op, types, count, result);
  for (unsigned a = 0; a <= MOST_ARGS; a++) arrays[a] = calloc(CASES, 8);
  fill(types, count, args);
  for (unsigned a = 0; a < count; a++)
    for (unsigned i = 0; i < CASES; i++) {
      size_t size = kg_type_size(stored(types[a]));
      memcpy(arrays[a] + i * size, &args[i][a], size);
    }
  void *data[MOST_ARGS + 1] = {arrays[0], arrays[1], arrays[2], arrays[3]};
  data[count] = arrays[MOST_ARGS];
  const uint64_t lengths[MOST_ARGS + 1] = {CASES, CASES, CASES, CASES, CASES};
  kgi_bounds bounds;
  ck_assert_int_eq(kgi_bounds_run(&bounds, m, data, lengths, NULL, d->info.subgroup_size, math, &kgt_sink), KG_OK);
  kg_status status = run_in(d, m, data, math);
  bool lacking = !has_types(d, types, count, result);
  bool refused = lacking || (result == KG_F64 && kgi_op_rows[op].flags & KGI_FUNCTION);
  if (refused) {
    ck_assert_int_eq(status, KG_REFUSED);
    ck_assert_str_eq(kgt_last.id, lacking ? "device-lacks" : "no-f64-function");
  } else {
    ck_assert_msg(status == KG_OK, "%s of %s: %s: %s", kgi_op_rows[op].name, kg_type_name(types[0]), kgt_last.id, kgt_last.message);
    compare(op, types, count, result, args, &bounds, data, math);
  }
  kgi_bounds_free(&bounds);
  for (unsigned a = 0; a <= MOST_ARGS; a++) free(arrays[a]);
  free(args);
  kg_module_free(m);
}

static unsigned try_operation(const kgt_device *d, kgi_op op, kg_math math) {
  const kgi_op_row *row = &kgi_op_rows[op];
  bool stated = row->rule == KGI_RULE_CONVERT || row->rule == KGI_RULE_BITCAST;
  unsigned tried = 0;
  for (kg_type leading = KG_BOOL; leading <= KG_F64; leading++) {
    kg_type types[MOST_ARGS] = {0};
    for (unsigned i = 0; i < row->arity; i++) types[i] = kgi_operand_type(op, i, leading);
    for (kg_type to = stated ? KG_BOOL : KG_F64; to <= KG_F64; to++) {
      kg_type result = kgi_rule_check((kgi_rule)row->rule, row->name, row->arity, types, stated ? to : KG_NONE, NULL, 0);
      if (result == KG_NONE || !kgi_type_computes(leading)) continue;
      if (op == KGI_OP_convert && result == leading) continue;
      try_types(d, op, types, row->arity, result, math);
      tried++;
    }
  }
  return tried;
}

/* From the mode before. */
static bool differs_in(kgi_op op, kg_math math) {
  return math == KG_MATH_EXACT || kgi_is_native(op, math) != kgi_is_native(op, math - 1);
}

/* On every Vulkan device that there is. */
START_TEST(operation) {
  kgt_device d = kgt_open_with("reference", &(kg_context_params){.validate = true}); /* and all others */
  uint32_t tried = 0;
  for (uint32_t i = 1; i < kg_device_count(d.context); i++) {
    kgt_device v = {.context = d.context, .info = kg_device_at(d.context, i)};
    if (!v.info.vulkan_major) continue;
    tried++;
    ck_assert_int_eq(kg_device_open(d.context, v.info.id, &kgt_sink, &v.device), KG_OK);
    for (unsigned math = 0; math < KG_MATH_COUNT; math++)
      if (differs_in((kgi_op)_i, (kg_math)math)) ck_assert_uint_gt(try_operation(&v, (kgi_op)_i, (kg_math)math), 0);
    kg_device_free(v.device);
  }
  ck_assert_uint_gt(tried, 0);
  kgt_close(&d);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_OPS(operation)};
  return kgt_run("spirv/ops", tests, KGT_COUNT(tests));
}
