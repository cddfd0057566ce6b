/* What is said beside a module: the `.json`, as doc/abi.md has it; and emission when memory runs out. */
#include "tests/support/devices.h"

#include <kgrad/autodiff.h>
#include <kgrad/spirv.h>
#include <string.h>

static const char chain[] =
  "module m { param n : u32 = 9 buffer x : f32[] read buffer t : f32[2 * n] temp buffer y : f32[2 * n] write\n"
  "program k { const T = 4 workgroup T param n : u32 param s : f64 param b : bool buffer a : f32[] read buffer z : f32[2 * n] read_write\n"
  "assert n > 2 \"say \\\"more\\\"\"\n"
  "var i = 0 while f32(i) < a[0] limit T { i += 1 } z[i] = f32(s) }\n"
  "repeat k in 0 .. n - 1 step 2 reversed { run k(a = x, z = t, n = n, s = 0.5, b = 1) invocations n + k }\n"
  "run k(a = t, z = y, n = max(n, 3) % 7, s = 2, b = 0) grid 2 }";

static const char expected[] =
  "{\n"
  "  \"format\": \"kgrad-abi-1\",\n"
  "  \"module\": \"m\",\n"
  "  \"math\": \"exact\",\n"
  "  \"requires\": [\n"
  "    \"float64\",\n"
  "    \"signed-zero-inf-nan\"\n"
  "  ],\n"
  "  \"params\": [\n"
  "    {\n"
  "      \"name\": \"n\",\n"
  "      \"type\": \"u32\",\n"
  "      \"default\": 9\n"
  "    }\n"
  "  ],\n"
  "  \"buffers\": [\n"
  "    {\n"
  "      \"name\": \"x\",\n"
  "      \"role\": \"primal\",\n"
  "      \"type\": \"f32\",\n"
  "      \"mode\": \"read\",\n"
  "      \"length\": \"host\"\n"
  "    },\n"
  "    {\n"
  "      \"name\": \"t\",\n"
  "      \"role\": \"temporary\",\n"
  "      \"type\": \"f32\",\n"
  "      \"mode\": \"temp\",\n"
  "      \"length\": {\"text\": \"2 * n\", \"tree\": [\"*\", 2, [\"param\", \"n\"]]}\n"
  "    },\n"
  "    {\n"
  "      \"name\": \"y\",\n"
  "      \"role\": \"primal\",\n"
  "      \"type\": \"f32\",\n"
  "      \"mode\": \"write\",\n"
  "      \"length\": {\"text\": \"2 * n\", \"tree\": [\"*\", 2, [\"param\", \"n\"]]}\n"
  "    }\n"
  "  ],\n"
  "  \"programs\": [\n"
  "    {\n"
  "      \"name\": \"k\",\n"
  "      \"workgroup\": [ {\"text\": \"T\", \"tree\": [\"const\", \"T\"]}, {\"text\": \"1\", \"tree\": 1}, {\"text\": \"1\", \"tree\": 1}],\n"
  "      \"consts\": [ { \"name\": \"T\", \"type\": \"u32\", \"default\": 4, \"fixed\": true}],\n"
  "      \"params\": { \"in\": \"push\", \"bytes\": 28, \"members\": [ { \"name\": \"n\", \"type\": \"u32\", \"offset\": 0}, { \"name\": \"s\", "
  "\"type\": \"f64\", \"offset\": 8}, { \"name\": \"b\", \"type\": \"bool\", \"offset\": 16}, { \"length_of\": \"a\", \"type\": \"u32\", "
  "\"offset\": 20, \"value\": \"host\"}, { \"length_of\": \"z\", \"type\": \"u32\", \"offset\": 24, \"value\": {\"text\": \"2 * n\", \"tree\": "
  "[\"*\", 2, [\"param\", \"n\"]]}}]},\n"
  "      \"buffers\": [ { \"name\": \"a\", \"set\": 0, \"binding\": 0, \"offset\": 0, \"stride\": 4, \"type\": \"f32\", \"mode\": \"read\", \"length\": \"host\"}, { \"name\": \"z\", "
  "\"set\": 0, \"binding\": 1, \"offset\": 0, \"stride\": 4, \"type\": \"f32\", \"mode\": \"read_write\", \"length\": {\"text\": \"2 * n\", \"tree\": [\"*\", 2, [\"param\", \"n\"]]}}],\n"
  "      \"status_binding\": 2\n"
  "    }\n"
  "  ],\n"
  "  \"runs\": [\n"
  "    {\n"
  "      \"repeat\": \"k\",\n"
  "      \"from\": {\"text\": \"0\", \"tree\": 0},\n"
  "      \"to\": {\"text\": \"n - 1\", \"tree\": [\"-\", [\"param\", \"n\"], 1]},\n"
  "      \"step\": {\"text\": \"2\", \"tree\": 2},\n"
  "      \"reversed\": true,\n"
  "      \"runs\": [ { \"run\": \"k\", \"grid_names\": \"module\", \"grid\": [ {\"text\": \"(n + k + T - 1) / T\", \"tree\": [\"/\", [\"-\", "
  "[\"+\", [\"+\", [\"param\", \"n\"], [\"index\", \"k\"]], [\"const\", \"T\"]], 1], [\"const\", \"T\"]]}, {\"text\": \"1\", \"tree\": 1}, "
  "{\"text\": \"1\", \"tree\": 1}], \"buffers\": { \"a\": \"x\", \"z\": \"t\"}, \"params\": { \"n\": {\"text\": \"n\", \"tree\": [\"param\", "
  "\"n\"]}, \"s\": {\"text\": \"0.5\", \"tree\": 0.5}, \"b\": {\"text\": \"1\", \"tree\": 1}}}]\n"
  "    },\n"
  "    {\n"
  "      \"run\": \"k\",\n"
  "      \"grid_names\": \"module\",\n"
  "      \"grid\": [ {\"text\": \"2\", \"tree\": 2}, {\"text\": \"1\", \"tree\": 1}, {\"text\": \"1\", \"tree\": 1}],\n"
  "      \"buffers\": { \"a\": \"t\", \"z\": \"y\"},\n"
  "      \"params\": { \"n\": {\"text\": \"max(n, 3) % 7\", \"tree\": [\"%\", [\"max\", [\"param\", \"n\"], 3], 7]}, \"s\": {\"text\": \"2\", "
  "\"tree\": 2}, \"b\": {\"text\": \"0\", \"tree\": 0}}\n"
  "    }\n"
  "  ],\n"
  "  \"status_words\": 4,\n"
  "  \"sites\": [\n"
  "    {\n"
  "      \"program\": \"k\",\n"
  "      \"kind\": \"assert\",\n"
  "      \"line\": 3,\n"
  "      \"column\": 1,\n"
  "      \"message\": \"say \\\"more\\\"\"\n"
  "    },\n"
  "    {\n"
  "      \"program\": \"k\",\n"
  "      \"kind\": \"limit\",\n"
  "      \"line\": 4,\n"
  "      \"column\": 11\n"
  "    }\n"
  "  ],\n"
  "  \"gradients\": [\n"
  "    {\n"
  "      \"name\": \"x\",\n"
  "      \"shadow\": \"grad_x\",\n"
  "      \"of\": false,\n"
  "      \"wrt\": true\n"
  "    }\n"
  "  ]\n"
  "}\n";

static const kg_spirv_gradient gradients[] = {{.name = "x", .shadow = "grad_x", .wrt = true}};
static const kg_spirv_params described = {.gradients = gradients, .gradient_count = 1};

START_TEST(the_json) {
  kg_module *m = kgt_parse(chain);
  char *text;
  size_t size;
  ck_assert_int_eq(kg_spirv_describe(NULL, m, &described, &kgt_sink, &text, &size), KG_OK);
  ck_assert_uint_eq(strlen(text), size);
  kgt_same_text(text, expected);
  kg_bytes_free(NULL, text, size + 1);
  kg_module_free(m);
}
END_TEST

/* ---- when memory runs out ---- */

static kg_status emit_once(const kg_allocator *alloc, void *user) {
  uint32_t *words = NULL;
  size_t count = 0;
  kg_status status = kg_spirv_emit(alloc, user, &(kg_spirv_params){.names = true, .loop_budget = 9}, &kgt_sink, &words, &count);
  if (status == KG_OK) kg_bytes_free(alloc, words, count * sizeof *words);
  return status;
}

static kg_status describe_once(const kg_allocator *alloc, void *user) {
  char *text = NULL;
  size_t size = 0;
  kg_status status = kg_spirv_describe(alloc, user, NULL, &kgt_sink, &text, &size);
  if (status == KG_OK) kg_bytes_free(alloc, text, size + 1);
  return status;
}

START_TEST(without_memory) {
  kg_module *m = kgt_parse("program p { workgroup 4 grid 1 buffer x : f32[] read buffer y : f32[] read_write shared s : f32[4]\n"
                           "let i = global_id.x s[i] = pow(x[i], 2.5) + sin(x[i]) barrier\n"
                           "for k in 0 .. 4 { if s[k] > 0.0 { atomic_add(y[k], erf(s[k])) } } assert i < 4 \"so\" }");
  ck_assert_uint_gt(kgt_fail_each_allocation(emit_once, m), 3);
  kg_module_free(m);
  m = kgt_parse(chain);
  ck_assert_uint_gt(kgt_fail_each_allocation(describe_once, m), 2);
  kg_module_free(m);
}
END_TEST

/* A gradient that zeroes first is a module, whose buffers have the length that the constant N gave them; S is free. */
START_TEST(constants_of_gradients) {
  static const char text[] = "program p { workgroup 8 grid invocations N const N : u32 = 8 const S : f32 = 2.0 buffer x : f32[N] read "
                             "buffer w : f32[3] read buffer y : f32[N] write "
                             "if global_id.x < N { y[global_id.x] = x[global_id.x] * w[global_id.x % 3] * S } }";
  kg_module *m = kgt_parse(text), *gradient = NULL;
  ck_assert_int_eq(kg_grad(m, &(kg_grad_params){0}, NULL, &gradient), KG_OK);
  const kg_spirv_params params = {0};
  char *json, *code;
  size_t size, count;
  uint32_t *words;
  ck_assert_int_eq(kg_spirv_describe(NULL, gradient, &params, NULL, &json, &size), KG_OK);
  ck_assert_ptr_nonnull(strstr(json, "\"name\": \"N\", \"type\": \"u32\", \"default\": 8, \"fixed\": true}"));
  ck_assert_ptr_nonnull(strstr(json, "\"name\": \"S\", \"type\": \"f32\", \"default\": 2, \"spec_id\": 1}"));
  ck_assert_int_eq(kg_spirv_emit(NULL, gradient, &params, NULL, &words, &count), KG_OK);
  ck_assert_int_eq(kg_spirv_disassemble(NULL, words, count, NULL, &code, &size), KG_OK);
  ck_assert_ptr_nonnull(strstr(code, "SpecId 1"));
  ck_assert_ptr_null(strstr(code, "SpecId 0"));
  kg_bytes_free(NULL, json, strlen(json) + 1);
  kg_bytes_free(NULL, code, size + 1);
  kg_bytes_free(NULL, words, count * sizeof *words);
  kg_module_free(m), kg_module_free(gradient);
  /* the program alone has both */
  m = kgt_parse(text);
  ck_assert_int_eq(kg_spirv_describe(NULL, m, &params, NULL, &json, &size), KG_OK);
  ck_assert_ptr_nonnull(strstr(json, "\"default\": 8, \"spec_id\": 0}"));
  kg_bytes_free(NULL, json, size + 1);
  kg_module_free(m);
}
END_TEST

/* What a host has to hold to; JSON has no infinities of its own. */
START_TEST(ranges) {
  kg_module *m = kgt_parse("program p { workgroup 1 grid 1 param n : u32 in 1 .. 9 param a : f32 in -inf .. 2.5\n"
                           "buffer x : u32[n] read in 0 .. n buffer y : f32[1] write y[0] = f32(x[0]) * a }");
  char *json;
  size_t size;
  ck_assert_int_eq(kg_spirv_describe(NULL, m, NULL, &kgt_sink, &json, &size), KG_OK);
  ck_assert_ptr_nonnull(strstr(json, "\"range\": [ {\"text\": \"1\", \"tree\": 1}, {\"text\": \"9\", \"tree\": 9}]"));
  ck_assert_ptr_nonnull(strstr(json, "{\"text\": \"-inf\", \"tree\": \"-inf\"}, {\"text\": \"2.5\", \"tree\": 2.5}]"));
  ck_assert_ptr_nonnull(strstr(json, "{\"text\": \"0\", \"tree\": 0}, {\"text\": \"n\", \"tree\": [\"param\", \"n\"]}]"));
  kg_bytes_free(NULL, json, size + 1);
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(the_json), KGT(ranges), KGT(constants_of_gradients), KGT(without_memory)};
  return kgt_run("spirv/abi", tests, KGT_COUNT(tests));
}
