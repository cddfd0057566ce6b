/* Values as text, and the arrays that a module runs with. */
#include "tests/support/kgtest.h"

#include "foundation/ir/builder.h"
#include "tools/data.h"
#include "tools/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- values --- */

/* Bits by the formats' definitions. */
static const struct {
  kg_type type;
  const char *text;
  uint64_t bits;
} values[] = {
    {KG_BOOL, "true", 1},
    {KG_BOOL, "false", 0},
    {KG_I8, "-128", 0x80},
    {KG_U8, "255", 255},
    {KG_I16, "-1", 0xFFFF},
    {KG_I32, "-2147483648", 0x80000000},
    {KG_U32, "4294967295", 0xFFFFFFFF},
    {KG_I64, "-9223372036854775808", UINT64_C(1) << 63},
    {KG_U64, "18446744073709551615", UINT64_MAX},
    {KG_F16, "1", 0x3C00},
    {KG_F16, "-2.5", 0xC100},
    {KG_F16, "65504", 0x7BFF},
    {KG_F16, "6e-08", 1},
    {KG_F16, "inf", 0x7C00},
    {KG_F16, "0.3333", 0x3555},
    {KG_BF16, "1", 0x3F80},
    {KG_BF16, "-3", 0xC040},
    {KG_F32, "0.1", 0x3DCCCCCD},
    {KG_F32, "1e-45", 1},
    {KG_F32, "-inf", 0xFF800000},
    {KG_F64, "0.1", UINT64_C(0x3FB999999999999A)},
    {KG_F64, "-0", UINT64_C(1) << 63},
};

START_TEST(values_read_and_print) {
  uint64_t bits, array[2] = {0, 0};
  tool_value_text text;
  ck_assert(tool_value_parse(values[_i].type, values[_i].text, &bits));
  ck_assert_uint_eq(bits, values[_i].bits);
  ck_assert_str_eq(tool_value_format(values[_i].type, bits, &text), values[_i].text);
  tool_value_store(values[_i].type, array, 1, bits);
  ck_assert_uint_eq(tool_value_load(values[_i].type, array, 1), bits);
  ck_assert_uint_eq(tool_value_load(values[_i].type, array, 0), 0);
  ck_assert_uint_eq(tool_value_of_number(KG_F64, tool_value_number(KG_F64, bits)), bits);
}
END_TEST

static const struct {
  kg_type type;
  const char *text;
} wrong[] = {{KG_BOOL, "1"},      {KG_I8, "128"},         {KG_U8, "256"},  {KG_U32, "-1"},   {KG_U32, "4294967296"},
             {KG_I32, ""},        {KG_I32, " 1"},         {KG_I32, "1x"},  {KG_F32, "one"},  {KG_F32, "1e39"},
             {KG_U64, "-0x1"},    {KG_I64, "1e3"},        {KG_F32, ""},    {KG_F64, "1e999"}, {KG_F32, "1.0f"}};

START_TEST(values_refuse) {
  uint64_t bits;
  ck_assert(!tool_value_parse(wrong[_i].type, wrong[_i].text, &bits));
}
END_TEST

/* Every f16 survives the way through numbers, and its text tells it from its neighbours. */
START_TEST(halves_are_exact) {
  for (uint64_t bits = 0; bits < 0x7C00; bits++) {
    uint64_t back;
    tool_value_text text;
    ck_assert_uint_eq(tool_value_of_number(KG_F16, tool_value_number(KG_F16, bits)), bits);
    ck_assert(tool_value_parse(KG_F16, tool_value_format(KG_F16, bits, &text), &back));
    ck_assert_uint_eq(back, bits);
  }
}
END_TEST

/* To nearest, ties to even: 2049 lies between 2048 and 2050, 2051 between 2050 and 2052; 65520 is half way to infinity. */
START_TEST(halves_round) {
  ck_assert_uint_eq(tool_value_of_number(KG_F16, 2049), tool_value_of_number(KG_F16, 2048));
  ck_assert_uint_eq(tool_value_of_number(KG_F16, 2051), tool_value_of_number(KG_F16, 2052));
  ck_assert_uint_eq(tool_value_of_number(KG_F16, 2049.0001), tool_value_of_number(KG_F16, 2050));
  ck_assert_uint_eq(tool_value_of_number(KG_F16, 65519), 0x7BFF);
  ck_assert_uint_eq(tool_value_of_number(KG_F16, 65520), 0x7C00);
  ck_assert_uint_eq(tool_value_of_number(KG_F16, 0x1p-25), 0);
  ck_assert_uint_eq(tool_value_of_number(KG_F16, 0x1.8p-25), 1);
  ck_assert_uint_eq(tool_value_of_number(KG_F16, 0x1.FFFp-15), 0x0400);
  ck_assert_uint_eq(tool_value_of_number(KG_BF16, 1.00390625), 0x3F80);
  ck_assert_uint_eq(tool_value_of_number(KG_BF16, 0x1p-133), 1);
  ck_assert_uint_eq(tool_value_of_number(KG_BF16, 3.4e38), 0x7F80);
}
END_TEST

/* --- data --- */

/* program p: param n : u32; param rate : f32 = 0.5; buffers x : f32[n] read, y : f32[n] write, z : f32[n] read_write,
 * idx : u32[8] read in 0 .. n, half : f16[8] read in 0.25 .. 0.5 */
enum { X, Y, Z, IDX, HALF };

static kgi_object ranged(kg_module *m, const char *name, kg_type type, kgi_dim length, kgi_dim lo, kgi_dim hi) {
  return (kgi_object){.name = kgi_intern_z(m, name), .space = KGI_BUFFER, .type = (uint8_t)type, .mode = KG_READ,
                      .length = length, .ranged = true, .lo = lo, .hi = hi};
}

static kg_module *make(void) {
  kg_module *m = kgi_module_new(NULL, "k.kg");
  kgi_builder b;
  kgi_builder_init(&b, m, NULL);
  kgi_begin_program(&b, "p");
  kgi_dim n = kgi_len_param(&b, kgi_param_add(&b, &(kgi_param){.name = kgi_intern_z(m, "n"), .type = KG_U32}));
  kgi_param_add(&b, &(kgi_param){.name = kgi_intern_z(m, "rate"), .type = KG_F32, .has_default = true, .bits = 0x3F000000});
  kgi_buffer(&b, "x", KG_F32, KG_READ, n);
  kgi_buffer(&b, "y", KG_F32, KG_WRITE, n);
  kgi_buffer(&b, "z", KG_F32, KG_READ_WRITE, n);
  kgi_object idx = ranged(m, "idx", KG_U32, kgi_len_int(&b, 8), kgi_len_int(&b, 0), n);
  kgi_object half = ranged(m, "half", KG_F16, kgi_len_int(&b, 8), kgi_len_float(&b, 0.25), kgi_len_float(&b, 0.5));
  kgi_object_add(&b, &idx);
  kgi_object_add(&b, &half);
  kgi_end_program(&b);
  kgi_module_finish_lone(m);
  ck_assert_int_eq(kgi_builder_status(&b), KG_OK);
  return m;
}

static void last_id(void *user, const kg_diag *d) { snprintf(user, 40, "%s", d->id); }

/* Lists of at most two words. */
static tool_list list(const char **items) {
  return (tool_list){.items = items, .count = items[0] ? items[1] ? 2 : 1 : 0};
}

static bool load(const kg_module *m, const char **in, const char **params, uint64_t seed, char id[40], tool_data *d) {
  *id = 0;
  tool_data_params p = {.in = list(in), .seed = seed};
  p.params = list(params);
  return tool_data_make(m, &p, &(kg_sink){last_id, id}, d);
}

static const char *write_array(const char *name, kg_type type, uint64_t count, const void *data) {
  static char item[600];
  char path[512];
  snprintf(path, sizeof path, "%s/%s.npy", kgt_temp_dir(), name);
  FILE *f = fopen(path, "wb");
  ck_assert_ptr_nonnull(f);
  tool_npy_write(f, type, &count, 1, data);
  fclose(f);
  snprintf(item, sizeof item, "%s=%s", name, path);
  return item;
}

static void remove_array(const char *item) { unlink(strchr(item, '=') + 1); }

START_TEST(data_from_an_array) {
  const float x[3] = {1, 2, 3};
  const char *in[2] = {write_array("x", KG_F32, 3, x)}, *none[2] = {NULL};
  kg_module *m = make();
  tool_data d;
  char id[40];
  ck_assert(load(m, in, none, 1, id, &d));
  ck_assert_uint_eq(d.host.param[0], 3);
  ck_assert_uint_eq(d.host.param[1], 0x3F000000);
  ck_assert(d.source[X] == TOOL_SOURCE_ARRAY && d.source[Z] == TOOL_SOURCE_DEFAULT);
  ck_assert_mem_eq(d.array[X].data, x, sizeof x);
  ck_assert_uint_eq(d.array[Z].count, 3);
  ck_assert(((float *)d.array[Y].data)[2] == 0);
  for (int i = 0; i < 8; i++) {
    ck_assert_uint_lt(((uint32_t *)d.array[IDX].data)[i], 3);
    double half = tool_value_number(KG_F16, tool_value_load(KG_F16, d.array[HALF].data, (uint64_t)i));
    ck_assert(half >= 0.25 && half < 0.5);
  }
  remove_array(in[0]);
  tool_data_free(&d);
  kg_module_free(m);
}
END_TEST

START_TEST(data_is_reproducible) {
  const char *params[2] = {"n=100", "rate=0.25"}, *none[2] = {NULL};
  kg_module *m = make();
  tool_data a, b;
  char id[40];
  ck_assert(load(m, none, params, 7, id, &a));
  ck_assert(load(m, none, params, 7, id, &b));
  ck_assert_uint_eq(a.host.param[1], 0x3E800000);
  ck_assert_mem_eq(a.array[X].data, b.array[X].data, 400);
  ck_assert_mem_ne(a.array[X].data, a.array[Z].data, 400);
  double sum = 0;
  for (int i = 0; i < 100; i++) {
    float v = ((float *)a.array[X].data)[i];
    ck_assert(v >= -1 && v < 1);
    sum += (double)v;
  }
  ck_assert(sum > -30 && sum < 30); /* five standard deviations */
  tool_data_free(&b);
  ck_assert(load(m, none, params, 8, id, &b));
  ck_assert_mem_ne(a.array[X].data, b.array[X].data, 400);
  tool_data_free(&a);
  tool_data_free(&b);
  kg_module_free(m);
}
END_TEST

static float at(const tool_data *d, uint32_t buffer, uint64_t i) {
  return (float)tool_value_number(d->array[buffer].type, tool_value_load(d->array[buffer].type, d->array[buffer].data, i));
}

/* Values between commas give a length, as an array does; words take the declared one. */
START_TEST(data_from_words) {
  const char *in[] = {"x=1, -0.5,1e-3", "z=ones"}, *words[] = {"idx=zeros", "half=random"}, *none[] = {NULL}, *params[] = {"n=3", NULL};
  kg_module *m = make();
  tool_data d, plain;
  char id[40];
  ck_assert(load(m, in, none, 1, id, &d));
  ck_assert_uint_eq(d.host.length[X], 3);
  ck_assert(at(&d, X, 0) == 1 && at(&d, X, 1) == -0.5f && at(&d, X, 2) == 1e-3f);
  ck_assert(at(&d, Z, 0) == 1 && at(&d, Z, 2) == 1 && d.array[Z].count == 3);
  tool_data_free(&d);
  ck_assert(load(m, words, params, 1, id, &d));
  ck_assert(load(m, none, params, 1, id, &plain));
  for (uint64_t i = 0; i < 8; i++) ck_assert(at(&d, IDX, i) == 0);
  ck_assert_mem_eq(d.array[HALF].data, plain.array[HALF].data, 16);
  tool_data_free(&d);
  tool_data_free(&plain);
  kg_module_free(m);
}
END_TEST

/* What f32 holds with 24 bits: values on both sides of its range, by the format's definition. */
static const struct { double value; bool survives; } wide[] = {
    {0.1, true},        {1.0 / 3, true},      {-0.0, true},      {INFINITY, true},  {NAN, true},        {0x1.fffffep127, true},
    {0x1p-126, true},   {0x1p-149, true},     {0x1.8p-148, true}, {0x1.fffffefp127, true}, {0x1.ffffffp127, false},
    {1e39, false},      {-1e300, false},      {1e-40, false},    {0x1p-150, false}, {0x1.000002p-127, false},
};

START_TEST(data_rounds_wide_arrays) {
  const double values[3] = {1, wide[_i].value, 0.1};
  const char *in[] = {NULL, NULL}, *none[] = {NULL};
  kg_module *m = make();
  tool_data d;
  char id[40];
  in[0] = write_array("x", KG_F64, 3, values);
  ck_assert_int_eq(load(m, in, none, 1, id, &d), wide[_i].survives);
  ck_assert_str_eq(id, wide[_i].survives ? "array-converted" : "array-rounding");
  if (wide[_i].survives) {
    float expected = (float)wide[_i].value, got = at(&d, X, 1);
    ck_assert(d.array[X].type == KG_F32 && d.array[X].size == 12 && at(&d, X, 2) == 0.1f);
    ck_assert_mem_eq(&got, &expected, sizeof got);
  }
  tool_data_free(&d);
  remove_array(in[0]);
  kg_module_free(m);
}
END_TEST

/* What the user can get wrong; n = 3 unless stated. */
static const struct {
  const char *in, *param, *id;
} refusals[] = {
    {NULL, NULL, "param-missing"},       {NULL, "m=3", "unknown-param"},      {NULL, "n=x", "param-value"},
    {NULL, "n=-1", "param-value"},       {NULL, "n", "option-pair"},          {"q=a.npy", "n=3", "unknown-buffer"},
    {"y=a.npy", "n=3", "not-an-input"},  {"x", "n=3", "option-pair"},         {"x=/nowhere/a.npy", "n=3", "cannot-read"},
    {NULL, "n=0", "empty-range"},        {"x=1,2,three", "n=3", "array-value"}, {"x=1,,3", "n=3", "array-value"},
    {"x=nothing", "n=3", "array-value"}, {"x=1,2", "n=3", "length-mismatch"},   {"x=1e39", "n=1", "array-value"},
    {"idx=-1,0", "n=3", "array-value"},  {"y=ones", "n=3", "not-an-input"},     {"x=./ones", "n=3", "cannot-read"},
};

START_TEST(data_refuses) {
  const char *in[2] = {refusals[_i].in}, *params[2] = {refusals[_i].param};
  kg_module *m = make();
  tool_data d;
  char id[40];
  ck_assert(!load(m, in, params, 1, id, &d));
  ck_assert_str_eq(id, refusals[_i].id);
  tool_data_free(&d);
  kg_module_free(m);
}
END_TEST

START_TEST(data_refuses_arrays) {
  const int32_t whole[3] = {1, 2, 3};
  const float x[3] = {1, 2, 3};
  const char *none[2] = {NULL}, *four[2] = {"n=4"}, *twice[2] = {"n=3", "n=3"}, *in[2];
  kg_module *m = make();
  tool_data d;
  char id[40];
  in[0] = write_array("x", KG_I32, 3, whole), in[1] = NULL;
  ck_assert(!load(m, in, none, 1, id, &d));
  ck_assert_str_eq(id, "array-type");
  tool_data_free(&d);
  in[0] = write_array("x", KG_F32, 3, x);
  ck_assert(!load(m, in, four, 1, id, &d));
  ck_assert_str_eq(id, "length-mismatch");
  tool_data_free(&d);
  in[1] = in[0];
  ck_assert(!load(m, in, none, 1, id, &d));
  ck_assert_str_eq(id, "given-twice");
  tool_data_free(&d);
  ck_assert(!load(m, none, twice, 1, id, &d));
  ck_assert_str_eq(id, "given-twice");
  tool_data_free(&d);
  remove_array(in[0]);
  kg_module_free(m);
}
END_TEST

START_TEST(outputs_are_found) {
  kg_module *m = make();
  char id[40] = "";
  kg_sink sink = {last_id, id};
  ck_assert_uint_eq(tool_data_output(m, "y=", 1, &sink), Y);
  ck_assert_uint_eq(tool_data_output(m, "z", 1, &sink), Z);
  ck_assert_uint_eq(tool_data_output(m, "x", 1, &sink), UINT32_MAX);
  ck_assert_str_eq(id, "not-an-output");
  ck_assert_uint_eq(tool_data_output(m, "w", 1, &sink), UINT32_MAX);
  ck_assert_str_eq(id, "unknown-buffer");
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(values_read_and_print, values, text),
                            KGT_TABLE(values_refuse, wrong, text),
                            KGT(halves_are_exact),
                            KGT(halves_round),
                            KGT(data_from_an_array),
                            KGT(data_is_reproducible),
                            KGT(data_from_words),
                            KGT_TIMES(data_rounds_wide_arrays, KGT_COUNT(wide)),
                            KGT_TABLE(data_refuses, refusals, id),
                            KGT(data_refuses_arrays),
                            KGT(outputs_are_found)};
  return kgt_run("tools/data", tests, KGT_COUNT(tests));
}
