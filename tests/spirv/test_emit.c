/* Emission without a device: what is emitted is valid, says what the ABI says, and grows with the program alone. */
#include "foundation/ir/builder.h"
#include "foundation/base/limits.h"
#include "foundation/ir/validate.h"
#include "spirv/tools.h"
#include "tests/support/kgtest.h"

#include <kgrad/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char last_id[64], last_message[512];

static void keep(void *user, const kg_diag *diag) {
  (void)user;
  snprintf(last_id, sizeof last_id, "%s", diag->id);
  snprintf(last_message, sizeof last_message, "%s", diag->message);
}

static const kg_sink sink = {keep, NULL};

typedef struct make { kg_module *m; kgi_builder b; kgi_diags diags; } make;

static void start(make *k) {
  k->m = kgi_module_new(NULL, "test.kg");
  ck_assert_ptr_nonnull(k->m);
  k->diags = (kgi_diags){.sink = &sink};
  kgi_builder_init(&k->b, k->m, &k->diags);
  kgi_program *p = kgi_begin_program(&k->b, "k");
  p->workgroup[0] = kgi_len_int(&k->b, 64);
  p->grid[0] = kgi_len_int(&k->b, 1);
}

static kg_module *finish(make *k) {
  ck_assert_int_eq(kgi_builder_status(&k->b), KG_OK);
  kgi_module_finish_lone(k->m);
  ck_assert_msg(kgi_validate(k->m, &k->diags) == KG_OK, "%s", last_message);
  return k->m;
}

/* The assembly; the caller frees. */
static char *assembly(const kg_module *m, const kg_spirv_params *params) {
  uint32_t *words;
  size_t count, size;
  char *text;
  kg_status status = kg_spirv_emit(NULL, m, params, &sink, &words, &count);
  ck_assert_msg(status == KG_OK, "%s: %s", last_id, last_message);
  ck_assert_int_eq(kg_spirv_disassemble(NULL, words, count, &sink, &text, &size), KG_OK);
  ck_assert_uint_eq(strlen(text), size);
  kg_bytes_free(NULL, words, count * 4);
  return text;
}

static void has(const char *text, const char *part) { ck_assert_msg(strstr(text, part) != NULL, "no %s in\n%s", part, text); }
static void lacks(const char *text, const char *part) { ck_assert_msg(strstr(text, part) == NULL, "%s in\n%s", part, text); }

/* if i < n { y[i] = x[i] * a } */
static kg_module *scale(void) {
  make k;
  start(&k);
  kgi_builder *b = &k.b;
  kgi_param n = {.name = kgi_intern_z(k.m, "n"), .type = KG_U32}, a = {.name = kgi_intern_z(k.m, "a"), .type = KG_F32};
  uint32_t pn = kgi_param_add(b, &n), pa = kgi_param_add(b, &a);
  kgi_obj x = kgi_buffer(b, "x", KG_F32, KG_READ, kgi_len_param(b, pn));
  kgi_obj y = kgi_buffer(b, "y", KG_F32, KG_WRITE, kgi_len_param(b, pn));
  kgi_val i = kgi_id_value(b, KGI_ID_global_id, 0);
  kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, i, kgi_param_value(b, pn)));
  kgi_store(b, y, i, kgi_op2(b, KGI_OP_mul, kgi_load(b, x, i), kgi_param_value(b, pa)));
  kgi_end(b);
  return finish(&k);
}

START_TEST(elementwise) {
  kg_module *m = scale();
  char *text = assembly(m, NULL);
  has(text, "\"k\" %gl_GlobalInvocationID");
  has(text, "LocalSize 64 1 1");
  has(text, "NoContraction");
  has(text, "NonWritable");
  has(text, "OpVariable %_ptr_PushConstant");
  lacks(text, "OpSelect "); /* the guard proves the load in range */
  free(text);
  kg_module_free(m);
}
END_TEST

static int count_of(const char *text, const char *part) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) n++;
  return n;
}

/* ---- modes of arithmetic ---- */

/* What `y[i] = BODY` over a, b, c in each mode: how many of each instruction, and of multiplications and sums by themselves. */
typedef struct mode_case {
  const char *body, *instruction;
  int native[KG_MATH_COUNT], products[KG_MATH_COUNT], sums[KG_MATH_COUNT];
} mode_case;

static const mode_case mode_cases[] = {
  {"a * b + c", " Fma ", {0, 1, 1}, {1, 0, 0}, {1, 0, 0}},
  {"c + a * b", " Fma ", {0, 1, 1}, {1, 0, 0}, {1, 0, 0}},
  {"a * b - c", " Fma ", {0, 1, 1}, {1, 0, 0}, {1, 0, 0}},
  {"c - a * b", " Fma ", {0, 1, 1}, {1, 0, 0}, {1, 0, 0}},
  {"a * b + b * c", " Fma ", {0, 1, 1}, {2, 1, 1}, {1, 0, 0}},          /* one of the two */
  {"a + b + c", " Fma ", {0, 0, 0}, {0, 0, 0}, {2, 2, 2}},
  {"(a * b) * c", " Fma ", {0, 0, 0}, {2, 2, 2}, {0, 0, 0}},
  {"f32(f16(a) * f16(b) + f16(c))", " Fma ", {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
  {"max(a * b + c, b)", " Fma ", {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},      /* someone may look for the one that it is */
  {"max(a * b + c, 0.0)", " Fma ", {0, 1, 1}, {1, 0, 0}, {1, 0, 0}},    /* against a constant nobody does */
  {"select(a * b + c == b, 1.0, 0.0)", " Fma ", {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
  {"exp(a)", " Exp ", {0, 1, 1}, {-1, 0, 0}, {-1, 0, 0}},
  {"exp2(a)", " Exp2 ", {0, 1, 1}, {-1, 0, 0}, {-1, 0, 0}},
  {"log(a)", " Log ", {0, 1, 1}, {-1, 0, 0}, {-1, 0, 0}},
  {"log2(a)", " Log2 ", {0, 1, 1}, {-1, 0, 0}, {-1, 0, 0}},
  {"sin(a)", " Sin ", {0, 0, 1}, {-1, -1, 5}, {-1, -1, 3}},             /* of what is left by whole turns */
  {"cos(a)", " Cos ", {0, 0, 1}, {-1, -1, 5}, {-1, -1, 3}},
  {"asin(a)", " Asin ", {0, 0, 1}, {-1, -1, 0}, {-1, -1, 0}},
  {"acos(a)", " Acos ", {0, 0, 1}, {-1, -1, 0}, {-1, -1, 0}},
  {"atan(a)", " Atan ", {0, 0, 1}, {-1, -1, 0}, {-1, -1, 0}},
  {"tan(a)", " Tan ", {0, 0, 0}, {-1, -1, -1}, {-1, -1, -1}},
  {"pow(a, b)", " Pow ", {0, 0, 0}, {-1, -1, -1}, {-1, -1, -1}},
  {"pow(10000.0, a)", " Exp2 ", {0, 1, 1}, {-1, 1, 1}, {-1, 0, 0}},     /* of a known base */
  {"pow(0.5, a * b)", " Exp2 ", {0, 1, 1}, {-1, 2, 2}, {-1, 0, 0}},
  {"pow(1.0, a)", " Exp2 ", {0, 0, 0}, {-1, -1, -1}, {-1, -1, -1}},
  {"pow(-2.0, a)", " Exp2 ", {0, 0, 0}, {-1, -1, -1}, {-1, -1, -1}},
  {"pow(0.0, a)", " Exp2 ", {0, 0, 0}, {-1, -1, -1}, {-1, -1, -1}},
  {"f32(pow(f16(2.5), f16(a)))", " Exp2 ", {0, 0, 0}, {-1, -1, -1}, {-1, -1, -1}},
  {"erf(a)", " Exp ", {0, 0, 0}, {-1, -1, -1}, {-1, -1, -1}},           /* what kgrad's own call is kgrad's own */
  {"asinh(a)", " Log ", {0, 0, 0}, {-1, -1, -1}, {-1, -1, -1}},
};

/* Every operation that could be contracted says that it is not to be: what may round once is one instruction. */
static void check_mode(const mode_case *c, const char *text, kg_math math) {
  int sums = count_of(text, "= OpFAdd") + count_of(text, "= OpFSub"), products = count_of(text, "= OpFMul");
  int closed = sums + products + count_of(text, "= OpFDiv") + count_of(text, " Fma ");
  const char *name = kg_math_name(math);
  ck_assert_msg(count_of(text, "NoContraction") == closed, "%s, %s: some arithmetic is open to rewriting", c->body, name);
  ck_assert_msg(count_of(text, c->instruction) == c->native[math], "%s, %s:%s", c->body, name, c->instruction);
  ck_assert_msg(c->products[math] < 0 || products == c->products[math], "%s, %s: %d products", c->body, name, products);
  ck_assert_msg(c->sums[math] < 0 || sums == c->sums[math], "%s, %s: %d sums", c->body, name, sums);
}

START_TEST(modes) {
  const mode_case *c = &mode_cases[_i];
  char kernel[512];
  kg_module *m = NULL;
  snprintf(kernel, sizeof kernel, "program k { workgroup 8 grid 1 buffer x : f32[32] read buffer y : f32[8] write\n"
           "let i = local_id.x let a = x[i] let b = x[i + 8] let c = x[i + 16] y[i] = %s }", c->body);
  ck_assert_msg(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m) == KG_OK, "%s", last_message);
  for (unsigned math = 0; math < KG_MATH_COUNT; math++) {
    char *text = assembly(m, &(kg_spirv_params){.math = (kg_math)math});
    check_mode(c, text, (kg_math)math);
    free(text);
  }
  kg_module_free(m);
}
END_TEST

/* ---- for other consumers ---- */

static const char *const rejected[] = {"SignedZeroInfNanPreserve", "OpUMulExtended", "OpSMulExtended", "OpAtomicFAdd", "Aliased",
                                       "OpSpecConstantOp", "OpSpecConstantComposite", "BitAccess", "0x1p+128", "0x1.8p+128"};

START_TEST(portable) {
  static const char kernel[] =
    "program a { const T : u32 = 8 workgroup T grid 1\n"
    "buffer x : f32[8] read_write view(set 0, binding 0, offset 0, stride 8) buffer y : i32[8] read_write view(set 0, binding 0, offset 4, stride 8)\n"
    "buffer z : u8[8] read_write buffer w : f16[8] write shared s : f32[2 * T]\n"
    "let i = local_id.x s[i] = x[i] barrier atomic_add(x[0], s[7 - i]) atomic_min(y[1], mul_high(y[i], 77))\n"
    "z[i] = z[i] + u32(3) w[i] = f16(s[i]) if s[i] > inf { x[i] = -inf } }";
  kg_module *m = NULL;
  ck_assert_msg(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m) == KG_OK, "%s", last_message);
  char *text = assembly(m, &(kg_spirv_params){.portable = true, .names = true});
  for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++) lacks(text, rejected[i]);
  has(text, "OpAtomicCompareExchange");
  has(text, "\"binding_0_0\"");
  ck_assert_int_eq(count_of(text, " Binding 0"), 1);
  free(text);
  kg_module_free(m);
}
END_TEST

START_TEST(one_program) {
  static const char kernel[] = "module m { buffer x : f32[8] read_write program a { workgroup 8 buffer x : f32[8] read_write x[local_id.x] = 1.0 }\n"
                               "program b { workgroup 8 buffer x : f32[8] read_write x[local_id.x] = 2.0 } run a(x = x) grid 1 run b(x = x) grid 1 }";
  kg_module *m = NULL;
  ck_assert_msg(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m) == KG_OK, "%s", last_message);
  ck_assert_uint_eq(kg_module_program_count(m), 2);
  ck_assert_str_eq(kg_module_program_name(m, 1), "b");
  ck_assert_str_eq(kg_module_program_name(m, 2), "");
  char *text = assembly(m, &(kg_spirv_params){.program = "b"});
  has(text, "\"b\"");
  lacks(text, "\"a\"");
  free(text);
  uint32_t *words;
  size_t count;
  ck_assert_int_eq(kg_spirv_emit(NULL, m, &(kg_spirv_params){.program = "c"}, &sink, &words, &count), KG_INVALID);
  ck_assert_str_eq(last_id, "no-such-program");
  kg_module_free(m);
}
END_TEST

START_TEST(names_and_lines) {
  static const char kernel[] = "program a { workgroup 8 grid 1 param n : u32 = 8 buffer x : f32[n] read_write\nlet half = x[local_id.x] * 0.5\nx[local_id.x] = half }";
  kg_module *m = NULL;
  ck_assert_msg(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m) == KG_OK, "%s", last_message);
  char *text = assembly(m, &(kg_spirv_params){.names = true});
  has(text, "OpString \"test.kg\"");
  has(text, "OpMemberName %a_params 0 \"n\"");
  has(text, "OpName %x_buffer \"x_buffer\"");
  has(text, "OpName %half \"half\"");
  has(text, "OpLine %2 2 ");
  free(text);
  text = assembly(m, NULL);
  lacks(text, "OpName");
  lacks(text, "OpLine");
  free(text);
  kg_module_free(m);
}
END_TEST

/* ---- what is proved in range, and what is not ---- */

static char *text_of(const char *kernel) {
  kg_module *m = NULL;
  ck_assert_msg(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m) == KG_OK, "%s", last_message);
  char *text = assembly(m, &(kg_spirv_params){.names = true});
  kg_module_free(m);
  return text;
}

typedef struct bound_case { const char *body; int checks; } bound_case; /* how many comparisons the checks take */
static const bound_case bounds[] = {
  {"if i < n { y[i] = x[i] }", 0},
  {"if n > i && a > 0.0 { y[i] = x[i] }", 0},
  {"if i <= n { y[i] = x[i] }", 2},
  {"if i < n || a > 0.0 { y[i] = x[i] }", 2},
  {"if i < n { } else { y[i] = 1.0 }", 1},
  {"for k in i .. n { y[k] = x[k] }", 0},
  {"for k in 0 .. len(x) { y[0] += x[k] }", 2},
  {"f[7] = 1.0 f[8] = 2.0", 1},
  {"for k in u32(0) .. 8 { f[k] = 1.0 } for k in u32(0) .. 9 { f[k] = 1.0 }", 1},
  {"if i < 8 { f[i] = 1.0 } if i < 9 { f[i] = 1.0 }", 1},
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

/* Checks are unsigned comparisons, and so are guards and loops, which are counted in the text. */
START_TEST(bounds_are_proved) {
  const bound_case *c = &bounds[_i];
  char kernel[1024];
  const char *head = "program p { workgroup 8 grid 1 param n : u32 param a : f32 buffer x : f32[n] read buffer y : f32[n] read_write "
                     "buffer f : f32[8] write let i = global_id.x";
  snprintf(kernel, sizeof kernel, "%s %s }", head, c->body);
  char *text = text_of(kernel);
  int comparisons = count_of(text, "= OpULessThan %bool"), own = 0;
  for (const char *at = c->body; *at; at++) own += !strncmp(at, "i < ", 4) || !strncmp(at, "for ", 4);
  ck_assert_msg(comparisons - own == c->checks, "%s: %d checks\n%s", c->body, comparisons - own, text);
  free(text);
}
END_TEST

/* ---- constants ---- */

START_TEST(constants_are_specialized) {
  char *text = text_of("program p { const T = 4 const half : f32 = 0.5 workgroup T, 2 grid 1 buffer y : f32[8] write shared s : f32[T * 2 + 1]\n"
                       "s[local_index] = half barrier y[local_index] = s[0] }");
  has(text, "OpDecorate %T SpecId 0");
  has(text, "OpDecorate %half SpecId 1");
  has(text, "BuiltIn WorkgroupSize");
  has(text, "OpSpecConstantOp %uint IMul %T");
  has(text, "LocalSize 4 2 1");
  free(text);
  /* what a host may set below 0 is compared with its sign */
  text = text_of("program p { const C = 4 const D : i32 = 4 workgroup 1 grid 1 buffer y : f32[2] write var a : f32[max(C, 1)] var b : f32[max(D, 1)]\n"
                 "a[0] = 1.0 b[0] = 2.0 y[0] = a[0] y[1] = b[0] }");
  has(text, "OpSpecConstantOp %bool ULessThan %C %uint_1");
  has(text, "OpSpecConstantOp %bool SLessThan");
  free(text);
  /* two programs: what the workgroups depend on is fixed, the rest is numbered over the module */
  text = text_of("module m { buffer y : f32[8] read_write program a { const T = 4 const u = 2.0 workgroup T grid 1 buffer y : f32[8] read_write y[0] = u }\n"
                 "program b { const v = 3.0 workgroup 1 grid 1 buffer y : f32[8] read_write y[1] = v } run a(y = y) run b(y = y) }");
  has(text, "OpDecorate %u SpecId 1");
  has(text, "OpDecorate %v SpecId 2");
  lacks(text, "WorkgroupSize");
  has(text, "\"a\"");
  has(text, "\"b\"");
  free(text);
}
END_TEST

/* ---- what is refused ---- */

static kg_status emit_text(const char *kernel, const kg_spirv_params *params) {
  kg_module *m = NULL;
  uint32_t *words;
  size_t count;
  ck_assert_msg(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m) == KG_OK, "%s", last_message);
  kg_status status = kg_spirv_emit(NULL, m, params, &sink, &words, &count);
  if (status == KG_OK) kg_bytes_free(NULL, words, count * 4);
  kg_module_free(m);
  return status;
}

typedef struct refusal { const char *kernel, *id; } refusal;
static const refusal refusals[] = {
  {"program p { workgroup 8 grid 1 buffer x : f16[8] read_write let b = atomic_add(x[0], f16(1.0)) }", "no-device-atomic"},
  {"program p { workgroup 8 grid 1 buffer x : f64[8] read_write x[0] = sin(x[0]) }", "no-f64-function"},
  {"program p { workgroup 8 grid 1 buffer x : i64[8] read_write x[0] = subgroup_add(x[1]) }", "no-device-subgroup"},
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

START_TEST(refused_by_name) {
  ck_assert_int_eq(emit_text(refusals[_i].kernel, NULL), KG_REFUSED);
  ck_assert_str_eq(last_id, refusals[_i].id);
}
END_TEST

START_TEST(no_size) {
  make k;
  uint32_t *words;
  size_t count;
  start(&k);
  k.b.p->workgroup[1] = kgi_len_int(&k.b, 0);
  kgi_module_finish_lone(k.m); /* the validator would refuse it too */
  ck_assert_int_eq(kg_spirv_emit(NULL, k.m, NULL, &sink, &words, &count), KG_REFUSED);
  ck_assert_str_eq(last_id, "device-size");
  kg_module_free(k.m);
}
END_TEST

static unsigned times(const char *text, const char *part) {
  unsigned count = 0;
  for (; (text = strstr(text, part)); text++) count++;
  return count;
}

/* What is stored through one view of a binding may be loaded through another: neither is read-only then, and both are coherent
 * where invocations wait for each other. */
START_TEST(views_may_alias) {
  kg_module *m = NULL;
  const char *kernel = "program p { workgroup 8 grid 1 buffer y : f32[8] write\n"
                       "buffer a : f32[8] write view(set 0, binding 0, offset 4, stride 12)\n"
                       "buffer b : f32[8] read view(set 0, binding 0, offset 0, stride 4)\n"
                       "buffer c : i16[8] read view(set 2, binding 1, offset 2, stride 6)\n"
                       "a[local_id.x] = 1.0 barrier y[local_id.x] = b[local_id.x] + f32(c[0]) }";
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m), KG_OK);
  char *text = assembly(m, &(kg_spirv_params){.names = true});
  ck_assert_uint_eq(times(text, " Aliased"), 2);
  ck_assert_uint_eq(times(text, " NonWritable"), 1);
  ck_assert_uint_eq(times(text, " Coherent"), 2);
  has(text, "%y Binding 1"), has(text, "%a Binding 0"), has(text, "%b Binding 0"), has(text, "%c DescriptorSet 2"), has(text, "%c NonWritable");
  has(text, "ArrayStride 12"), has(text, "ArrayStride 6"), has(text, "Offset 4"), has(text, "Offset 2");
  kg_bytes_free(NULL, text, strlen(text) + 1);
  kg_module_free(m);
}
END_TEST

/* The type of the variable that is named at `at`, up to the line's end. */
static const char *type_of_variable(const char *text, const char *at) {
  char definition[64];
  snprintf(definition, sizeof definition, "%.*s = OpVariable ", (int)strcspn(at, " "), at);
  const char *found = strstr(text, definition);
  ck_assert_msg(found != NULL, "no %s in\n%s", definition, text);
  return found + strlen(definition);
}

/* Drivers were seen to take NonWritable of one variable for all variables of its type. */
START_TEST(read_only_types_are_apart) {
  kg_module *m = NULL;
  const char *kernel = "program p { workgroup 8 grid 1 buffer x : f32[8] read buffer y : f32[8] write buffer w : f32[8] read\n"
                       "buffer z : f32[8] read_write z[local_id.x] = x[local_id.x] y[local_id.x] = z[local_id.x] + w[local_id.x] }";
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m), KG_OK);
  char *text = assembly(m, NULL);
  const char *type[4], *at = text;
  bool read_only[4];
  for (int i = 0; i < 4; i++) {
    at = strstr(at, " DescriptorSet ");
    ck_assert_ptr_nonnull(at);
    const char *name = at++;
    while (name[-1] != ' ') name--;
    char decoration[64];
    snprintf(decoration, sizeof decoration, "%.*s NonWritable", (int)strcspn(name, " "), name);
    type[i] = type_of_variable(text, name), read_only[i] = strstr(text, decoration) != NULL;
  }
  ck_assert(read_only[0] && !read_only[1] && read_only[2] && !read_only[3]);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < i; k++)
      ck_assert_msg((strcspn(type[i], "\n") == strcspn(type[k], "\n") && !strncmp(type[i], type[k], strcspn(type[i], "\n"))) ==
                    (read_only[i] == read_only[k]), "buffers %d and %d in\n%s", k, i, text);
  free(text);
  kg_module_free(m);
}
END_TEST

START_TEST(not_spirv) {
  const uint32_t garbage[] = {1, 2, 3, 4, 5, 6};
  kgi_diags diags = {.sink = &sink};
  char *text;
  size_t size;
  ck_assert_int_eq(kg_spirv_disassemble(NULL, garbage, 6, &sink, &text, &size), KG_INVALID);
  ck_assert_str_eq(last_id, "not-spirv");
  ck_assert_int_eq(kgi_spirv_validate(garbage, 6, &diags), KG_INVALID);
  ck_assert_str_eq(last_id, "emission-defect");
}
END_TEST

START_TEST(too_many_params) {
  make k;
  uint32_t *words;
  size_t count;
  start(&k);
  for (int i = 0; i < 1024; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    kgi_param_add(&k.b, &(kgi_param){.name = kgi_intern_z(k.m, name), .type = KG_F32});
  }
  kg_module *m = finish(&k);
  ck_assert_int_eq(kg_spirv_emit(NULL, m, NULL, &sink, &words, &count), KG_REFUSED);
  ck_assert_str_eq(last_id, "too-large");
  kg_module_free(m);
}
END_TEST

START_TEST(requirements) {
  kg_module *m = NULL;
  uint32_t features = 0;
  const char *kernel = "program p { workgroup 8 grid 1 buffer x : u8[8] read buffer y : f32[8] read_write shared s : f32[2]\n"
                       "let a = atomic_add(y[0], f32(x[1])) let b = atomic_add(s[0], 1.0) y[1] = f32(i64(global_id.x)) }";
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m), KG_OK);
  ck_assert_int_eq(kg_spirv_requirements(m, NULL, &sink, &features), KG_OK);
  ck_assert_uint_eq(features, KG_FEATURE_STORAGE8 | KG_FEATURE_ATOMIC_ADD_F32_BUFFER | KG_FEATURE_ATOMIC_ADD_F32_SHARED | KG_FEATURE_INT64 |
                                KG_FEATURE_SIGNED_ZERO_INF_NAN);
  kg_spirv_params without = {.without = KG_FEATURE_ATOMIC_ADD_F32_BUFFER | KG_FEATURE_SIGNED_ZERO_INF_NAN};
  ck_assert_int_eq(kg_spirv_requirements(m, &without, &sink, &features), KG_OK);
  ck_assert_uint_eq(features, KG_FEATURE_STORAGE8 | KG_FEATURE_ATOMIC_ADD_F32_SHARED | KG_FEATURE_INT64);
  ck_assert_str_eq(kg_feature_name(0), "int64");
  ck_assert_ptr_null(kg_feature_name(KG_FEATURE_COUNT));
  kg_module_free(m);
}
END_TEST

/* What a device lacks is not asked of it: also not by the type of an index, of a loop, of what is only copied. */
typedef struct unasked { const char *name, *body; } unasked;
static const unasked unaskeds[] = {
  {"an index", "y[0] = x[i64(0)]"}, {"a loop", "for k in i64(0) .. 4 { y[k] = x[0] }"}, {"a copy of integers", "w[0] = v[0]"},
  {"a copy of doubles", "d[0] = c[0]"}, {"a copy of halves", "h[0] = g[0]"}, {"a var", "var s = i64(1) y[0] = x[s]"},
  {"a constant", "w[0] = 5"}, {"a param", "w[0] = q"},
};

START_TEST(features_are_not_asked_of_who_lacks_them) {
  char kernel[600];
  kg_module *m = NULL;
  snprintf(kernel, sizeof kernel,
           "program p { workgroup 4 grid 1 param q : i64 = 3 buffer x : f32[8] read buffer y : f32[8] write buffer v : i64[8] read "
           "buffer w : i64[8] write buffer c : f64[8] read buffer d : f64[8] write buffer g : f16[8] read buffer h : f16[8] write\n%s }",
           unaskeds[_i].body);
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", kernel, strlen(kernel), &sink, &m), KG_OK);
  for (unsigned bit = 0; bit < KG_FEATURE_COUNT; bit++) {
    uint32_t features = 0;
    kg_spirv_params params = {.without = UINT32_C(1) << bit};
    kg_status status = kg_spirv_requirements(m, &params, &sink, &features);
    ck_assert_msg(status == KG_REFUSED || !(features >> bit & 1), "%s", kg_feature_name(bit));
  }
  kg_module_free(m);
}
END_TEST

/* Guards that are not looked at, for whatever limit, prove nothing: then bounds are checked. */
static unsigned comparisons(const kg_module *m) {
  unsigned count = 0;
  char *text = assembly(m, &(kg_spirv_params){0});
  for (const char *at = text; (at = strstr(at, "OpULessThan")); at++) count++;
  kg_bytes_free(NULL, text, strlen(text) + 1);
  return count;
}

START_TEST(bounds_are_checked_past_limits) {
  const char *source = "program p { workgroup 64 grid invocations n param n : u32 buffer x : f32[n] read buffer y : f32[n] write\n"
                       "let i = global_id.x if 0 < i && i < n { y[i] = x[i] } }";
  kg_module *m = NULL;
  ck_assert_int_eq(kg_module_parse(NULL, "t.kg", source, strlen(source), &sink, &m), KG_OK);
  ck_assert_uint_eq(comparisons(m), 2);
#ifdef KG_DEVELOPMENT
  static const kgi_limit limits[] = {KGI_LIMIT_emit_facts, KGI_LIMIT_emit_conditions};
  for (unsigned k = 0; k < 2; k++) {
    uint32_t before = kgi_limits[limits[k]];
    for (uint32_t most = 0; most < 2; most++) {
      kgi_limits[limits[k]] = most;
      ck_assert_uint_eq(comparisons(m), 4);
    }
    kgi_limits[limits[k]] = before;
  }
#endif
  kg_module_free(m);
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(bounds_are_checked_past_limits), 
    KGT(elementwise), KGT_TABLE(modes, mode_cases, body),
    KGT(portable), KGT(one_program), KGT(names_and_lines), KGT_TABLE(bounds_are_proved, bounds, body), KGT(constants_are_specialized), KGT_TABLE(refused_by_name, refusals, kernel),
    KGT(no_size), KGT(views_may_alias), KGT(read_only_types_are_apart), KGT(not_spirv), KGT(too_many_params), KGT(requirements),
    KGT_TABLE(features_are_not_asked_of_who_lacks_them, unaskeds, name),
  };
  return kgt_run("spirv/emit", tests, KGT_COUNT(tests));
}
