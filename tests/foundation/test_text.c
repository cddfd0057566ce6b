/* The language, both ways: what is printed reads back as the same program, instruction by instruction. */
#include "foundation/ir/builder.h"
#include "foundation/ir/equal.h"
#include "foundation/ir/bits.h"
#include "foundation/ir/number.h"
#include "tests/support/kgtest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char said[4096];

static void collect(void *user, const kg_diag *d) {
  (void)user;
  size_t used = strlen(said);
  snprintf(said + used, sizeof said - used, "%u:%u %s: %s; %s\n", d->line, d->column, d->id, d->message, d->fix);
}

static const kg_sink sink = {collect, NULL};

static kg_module *parse(const char *text) {
  kg_module *m = NULL;
  said[0] = 0;
  kg_status status = kg_module_parse(NULL, "test", text, strlen(text), &sink, &m);
  ck_assert_msg(status == KG_OK, "%s%s", said, text);
  return m;
}

static char *print(const kg_module *m) {
  char *text = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  ck_assert_uint_eq(strlen(text), size);
  return text;
}

static void free_text(char *text) { kg_bytes_free(NULL, text, strlen(text) + 1); }

/* Prints, reads, compares, prints again; the text, which the caller frees. */
static char *round_trip(const kg_module *m) {
  bool equal = false;
  const char *what = "";
  char *text = print(m);
  kg_module *again = parse(text);
  ck_assert_int_eq(kgi_module_equal(m, again, &equal, &what), KG_OK);
  ck_assert_msg(equal, "%s differs in\n%s", what, text);
  char *second = print(again);
  kgt_same_text(second, text);
  free_text(second);
  kg_module_free(again);
  return text;
}

static void same_both_ways(const char *source, const char *expected) {
  kg_module *m = parse(source);
  char *text = round_trip(m);
  if (expected) kgt_same_text(text, expected);
  free_text(text);
  kg_module_free(m);
}

/* ---- whole kernels ---- */

static void all_in(const char *folder, int at_least) {
  char path[256];
  const char *root = getenv("abs_srcdir");
  snprintf(path, sizeof path, "%s/%s", root ? root : ".", folder);
  DIR *dir = opendir(path);
  ck_assert_msg(dir != NULL, "%s", path);
  int found = 0;
  for (struct dirent *e; (e = readdir(dir));) {
    size_t n = strlen(e->d_name), size;
    if (n < 4 || strcmp(e->d_name + n - 3, ".kg")) continue;
    snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
    char *source = kgt_read_source(path, &size);
    same_both_ways(source, NULL);
    free(source);
    found++;
  }
  closedir(dir);
  ck_assert_int_ge(found, at_least);
}

START_TEST(every_construct) { all_in("tests/kernels", 55); }
END_TEST
START_TEST(examples) { all_in("examples", 8); }
END_TEST

/* ---- statements in a program around them: buffers x, y of f32, n of u32, k of i32 ---- */

static const char head[] = "program p {\n  workgroup 1\n  grid      1\n  buffer    x : f32[8] read_write\n"
                           "  buffer    y : f32[8] read_write\n"
                           "  buffer    n : u32[8] read_write\n  buffer    k : i32[8] read_write\n";

static void body(const char *statements, const char *expected) {
  char source[4096], text[4096];
  snprintf(source, sizeof source, "%s\n%s\n}\n", head, statements);
  snprintf(text, sizeof text, "%s\n%s\n}\n", head, expected);
  same_both_ways(source, text);
}

START_TEST(a_load_stays_before_a_store) {
  body("let t = x[0]; x[0] = 0; y[0] = t", "  let t = x[0]\n  x[0] = 0.0\n  y[0] = t");
}
END_TEST

/* Functions leave values without names, so that the printer decides. */
static void unnamed(void (*build)(kgi_builder *b, kgi_obj x, kgi_obj y), const char *expected) {
  kg_module *m = kgi_module_new(NULL, "test");
  kgi_diags diags = {.sink = &sink};
  kgi_builder b;
  kgi_builder_init(&b, m, &diags);
  kgi_program *p = kgi_begin_program(&b, "p");
  p->workgroup[0] = p->grid[0] = kgi_len_int(&b, 1);
  kgi_obj x = kgi_buffer(&b, "x", KG_F32, KG_READ_WRITE, kgi_len_int(&b, 8));
  kgi_obj y = kgi_buffer(&b, "y", KG_F32, KG_READ_WRITE, kgi_len_int(&b, 8));
  build(&b, x, y);
  kgi_end_program(&b);
  kgi_module_finish_lone(m);
  ck_assert_int_eq(kgi_builder_status(&b), KG_OK);
  char *text = round_trip(m);
  const char *statements = strstr(text, "\n\n");
  ck_assert_ptr_nonnull(statements);
  if (expected) kgt_same_text(statements + 2, expected);
  free_text(text);
  kg_module_free(m);
}

static void load_store_store(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val t = kgi_load(b, x, kgi_i32(b, 0));
  kgi_store(b, x, kgi_i32(b, 0), kgi_f32(b, 0));
  kgi_store(b, y, kgi_i32(b, 0), t);
}

static void swapped_operands(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val s = kgi_load(b, x, kgi_i32(b, 1)), t = kgi_load(b, y, kgi_i32(b, 2));
  kgi_store(b, x, kgi_i32(b, 0), kgi_op2(b, KGI_OP_sub, t, s)); /* not in the order of evaluation */
  s = kgi_load(b, x, kgi_i32(b, 3)), t = kgi_load(b, y, kgi_i32(b, 4));
  kgi_store(b, x, kgi_i32(b, 0), kgi_op2(b, KGI_OP_mul, s, t));
}

static void used_twice_or_elsewhere(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val t = kgi_load(b, x, kgi_i32(b, 0)), u = kgi_load(b, y, kgi_i32(b, 1));
  kgi_if_begin(b, kgi_op2(b, KGI_OP_lt, kgi_f32(b, 0), kgi_op2(b, KGI_OP_mul, t, t)));
  kgi_store(b, y, kgi_i32(b, 0), u);
  kgi_end(b);
}

static void accumulate(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val i = kgi_op2(b, KGI_OP_add, kgi_id_value(b, KGI_ID_global_id, 0), kgi_u32(b, 1));
  kgi_val s = kgi_load(b, x, i), t = kgi_load(b, y, kgi_i32(b, 0));
  kgi_store(b, x, i, kgi_op2(b, KGI_OP_sub, s, t));
  s = kgi_load(b, y, i), t = kgi_load(b, x, i);
  kgi_store(b, x, i, kgi_op2(b, KGI_OP_sub, s, t));
}

static void index_of_one_compound(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val i = kgi_op2(b, KGI_OP_add, kgi_id_value(b, KGI_ID_global_id, 0), kgi_u32(b, 1));
  kgi_val s = kgi_load(b, x, i), t = kgi_load(b, y, kgi_i32(b, 0));
  kgi_store(b, x, i, kgi_op2(b, KGI_OP_add, s, t));
}

/* The load comes before the value, but is the second operand: no +=. */
static void not_compound(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val t = kgi_load(b, y, kgi_i32(b, 0)), s = kgi_load(b, x, kgi_i32(b, 0));
  kgi_store(b, x, kgi_i32(b, 0), kgi_op2(b, KGI_OP_add, s, t));
}

START_TEST(values_stand_inside_where_order_allows) {
  unnamed(load_store_store, "  let x1 = x[0]\n  x[0] = 0.0\n  y[0] = x1\n}\n");
  unnamed(swapped_operands, "  let x1 = x[1]\n  x[0] = y[2] - x1\n  x[0] = x[3] * y[4]\n}\n");
  unnamed(used_twice_or_elsewhere, "  let x1 = x[0]\n  let y1 = y[1]\n  if 0.0 < x1 * x1 {\n    y[0] = y1\n  }\n}\n");
  unnamed(accumulate, "  let t1 = global_id.x + 1\n  x[t1] -= y[0]\n  x[t1] = y[t1] - x[t1]\n}\n");
  unnamed(index_of_one_compound, "  x[global_id.x + 1] += y[0]\n}\n");
  unnamed(not_compound, "  let y1 = y[0]\n  x[0] += y1\n}\n");
}
END_TEST

/* A chain of single uses as long as a program can be: neither the printer nor the parser may follow it with its stack. */
static void long_chain(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val t = kgi_load(b, x, kgi_i32(b, 0));
  for (unsigned i = 0; i < 100000; i++) t = kgi_op2(b, i % 2 ? KGI_OP_add : KGI_OP_mul, t, kgi_f32(b, 0.5F));
  for (unsigned i = 0; i < 1000; i++) t = kgi_op1(b, KGI_OP_neg, t);
  kgi_store(b, y, kgi_i32(b, 0), t);
}

static void long_chain_to_the_right(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val loads[3000];
  for (unsigned i = 0; i < 3000; i++) loads[i] = kgi_load(b, x, kgi_i32(b, (int32_t)i));
  kgi_val t = loads[2999];
  for (unsigned i = 2999; i-- > 0;) t = kgi_op2(b, KGI_OP_sub, loads[i], t);
  kgi_store(b, y, kgi_i32(b, 0), t);
}

START_TEST(depth_is_bounded) {
  unnamed(long_chain, NULL);
  unnamed(long_chain_to_the_right, NULL);
}
END_TEST

/* ---- names that passes leave ---- */

static void clashes(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_val one = kgi_load(b, x, kgi_i32(b, 0)), two = kgi_load(b, x, kgi_i32(b, 1)), three = kgi_load(b, x, kgi_i32(b, 2));
  kgi_name(b, one, "x"), kgi_name(b, two, "for"), kgi_name(b, three, "3 d");
  kgi_obj v = kgi_var(b, "x", KG_F32, (kgi_dim){0}), w = kgi_var(b, "x", KG_F32, (kgi_dim){0});
  kgi_store(b, v, (kgi_val){0}, two), kgi_store(b, w, (kgi_val){0}, three);
  kgi_val i = kgi_for_begin(b, "x_1", kgi_i32(b, 0), kgi_i32(b, 3), (kgi_val){0}, false);
  kgi_store(b, y, i, kgi_op2(b, KGI_OP_add, one, kgi_op2(b, KGI_OP_mul, two, three)));
  kgi_end(b);
  kgi_val j = kgi_for_begin(b, "j", kgi_i32(b, 0), kgi_i32(b, 3), (kgi_val){0}, true);
  kgi_store(b, y, j, one);
  kgi_end(b);
  j = kgi_for_begin(b, "j", kgi_i32(b, 0), kgi_i32(b, 3), (kgi_val){0}, true); /* free again */
  kgi_store(b, y, j, two);
  kgi_end(b);
}

START_TEST(names_are_made_unique) {
  unnamed(clashes, "  let x_1 = x[0]\n  let for_ = x[1]\n  let _3_d = x[2]\n  var x_2 : f32\n  var x_3 : f32\n  x_2 = for_\n"
                   "  x_3 = _3_d\n  for x_1_1 in 0 .. 3 {\n    y[x_1_1] = x_1 + for_ * _3_d\n  }\n"
                   "  for j in 0 .. 3 reversed {\n    y[j] = x_1\n  }\n  for j in 0 .. 3 reversed {\n    y[j] = for_\n  }\n}\n");
}
END_TEST

/* Loads of u get numbers: u1, ..., u7, u9, since u8 is a word. */
static void loads_of_u(kgi_builder *b, kgi_obj x, kgi_obj y) {
  kgi_obj u = kgi_var(b, "u", KG_F32, kgi_len_int(b, 9));
  for (int32_t k = 0; k < 9; k++) kgi_store(b, u, kgi_i32(b, k), kgi_load(b, x, kgi_i32(b, k % 8)));
  for (int32_t k = 0; k < 9; k++) {
    kgi_val twice = kgi_load(b, u, kgi_i32(b, k));
    kgi_store(b, y, kgi_i32(b, k % 8), kgi_op2(b, KGI_OP_mul, twice, twice));
  }
}

START_TEST(numbered_names_are_no_words) { unnamed(loads_of_u, NULL); }
END_TEST

START_TEST(siblings_reuse_names) {
  body("  for i in 0 .. 3 { let t = x[i]; y[i] = t }\n  for i in 0 .. 3 { let t = y[i]; x[i] = t }",
       "  for i in 0 .. 3 {\n    let t = x[i]\n    y[i] = t\n  }\n  for i in 0 .. 3 {\n    let t = y[i]\n    x[i] = t\n  }");
}
END_TEST

/* ---- literals ---- */

START_TEST(literals_take_their_type) {
  body("n[0] = n[1] + (1 + 2)", "  n[0] = n[1] + (1 + 2)");
  body("x[0] = x[1] * (1 + 2) + 3", "  x[0] = x[1] * (1.0 + 2.0) + 3.0");
  body("k[0] = select(n[0] < 3, 1, -1)", "  k[0] = select(n[0] < 3, 1, -1)");
  body("n[0] = select(u32(1) < 2, 1, 2)", "  n[0] = select(u32(1) < 2, 1, 2)");
  body("n[0] = select(u32(1) + 2 < 3, 1, 2)", "  n[0] = select(u32(1) + 2 < 3, 1, 2)");
  body("let t : u32 = 1 + 2\n  n[0] = t", "  let t : u32 = 1 + 2\n  n[0] = t");
  body("let t = f16(1.0) + 2\n  x[0] = f32(t)", "  let t : f16 = 1.0 + 2.0\n  x[0] = f32(t)");
  body("for i in u32(0) .. 3 { n[i] = i }", "  for i in u32(0) .. 3 {\n    n[i] = i\n  }");
  body("for i in 0 .. n[0] step 1 { n[i] = i }", "  for i in 0 .. n[0] {\n    n[i] = i\n  }");
  body("n[0] = n[u32(1)]", "  n[0] = n[u32(1)]");
  body("x[0] = f32(i32(3)) + f32(3)", "  x[0] = f32(i32(3)) + 3.0");
  body("k[0] = -2147483648 - 0x10", "  k[0] = -2147483648 - 16");
  body("var v = u32(0)\n  v += 1", "  var v : u32 = 0\n  v += 1");
  body("var v = 0\n  v += 1", "  var v = 0\n  v += 1");
  body("n[0] = bit_extract(5, 1, 2) + popcount(7)", "  n[0] = bit_extract(5, 1, 2) + popcount(7)");
}
END_TEST

START_TEST(numbers_are_shortest) {
  body("x[0] = 0.1 + 1e-7 + 123456789.0 + 1e22", "  x[0] = 0.1 + 1e-7 + 123456790.0 + 1e22");
}
END_TEST

/* Bits to text and back: every f16, and f32 and f64 from all over. */
static void number_round_trip(kg_type type, uint64_t bits) {
  char text[KGI_NUMBER_TEXT];
  double value;
  kgi_number_text(type, bits, text);
  const char *digits = text + (text[0] == '-');
  if (!strcmp(digits, "inf") || !strcmp(digits, "nan")) return;
  ck_assert_msg(strpbrk(digits, ".e") != NULL, "%s looks like an integer", text);
  ck_assert(kgi_read_double(digits, strlen(digits), &value));
  uint64_t back = kgi_float_bits(type, digits == text ? value : -value);
  ck_assert_msg(back == bits, "%s: %llx became %llx", text, (unsigned long long)bits, (unsigned long long)back);
}

START_TEST(floats_round_trip) {
  uint64_t state = 1;
  for (uint64_t bits = 0; bits < 0x10000; bits++) number_round_trip(KG_F16, bits);
  for (unsigned i = 0; i < 30000; i++) {
    uint64_t bits = kgi_random(&state);
    number_round_trip(KG_F32, bits & 0xFFFFFFFF);
    number_round_trip(KG_F64, bits);
  }
  number_round_trip(KG_F64, 1), number_round_trip(KG_F64, 0x7FEFFFFFFFFFFFFF), number_round_trip(KG_F32, 0x00800000);
}
END_TEST

/* Read as the C library reads them, which is correctly rounded. */
START_TEST(decimals_are_rounded_once) {
  static const char *const texts[] = {"0.1", "9007199254740993.0", "1.7976931348623157e308", "2.2250738585072011e-308",
                                      "123456789012345678901234567890.0", "4.9406564584124654e-324", "2e-324", "1e23", "8.5e22",
                                      "0.000000000000000000000000000001", "179769313486231580793e289", "1e-400", "6.02214076E+23",
                                      "0.5000000000000000277555756156289135105907917022705078125"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value = -1;
    ck_assert(kgi_read_double(texts[i], strlen(texts[i]), &value));
    ck_assert_msg(value == strtod(texts[i], NULL), "%s", texts[i]);
  }
  char longest[1000];
  memset(longest, '1', sizeof longest);
  double value;
  ck_assert(!kgi_read_double(longest, sizeof longest, &value));
}
END_TEST

/* ---- spelling ---- */

START_TEST(spaces_and_comments) {
  static const char tight[] = "program p{workgroup 1 grid 1 buffer x:f32[8]read_write for i in 0..3 step 2{x[i]=-1.e0}}";
  static const char loose[] = "// first\r\nprogram p {\r\n\tworkgroup 1; grid 1;\n buffer x : f32[8] read_write;\n for i in 0 .. 3 step 2 {\n"
                              "  x // target\n [ i ] = - 1.0 ; } } // last";
  char text[sizeof tight];
  strcpy(text, tight);
  memcpy(strstr(text, "-1.e0"), "-1.00", 5);
  kg_module *a = parse(text), *b = parse(loose);
  bool equal = false;
  ck_assert_int_eq(kgi_module_equal(a, b, &equal, NULL), KG_OK);
  ck_assert(equal);
  kg_module_free(a), kg_module_free(b);
}
END_TEST

START_TEST(what_is_no_text) {
  static const struct { const char *text; size_t size; const char *id; } rows[] = {
    {"", 0, "syntax"},           {"program", 7, "syntax"},        {"program p {\0}", 14, "stray-byte"}, {"\xFF\xFE", 2, "stray-byte"},
    {"program p { \"", 13, "unterminated-string"}, {"program p { x", 13, "unknown-name"}, {"// only this", 12, "syntax"},
    {"program p { assert true \"a\x01\" }", 33, "unterminated-string"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    kg_module *m = NULL;
    said[0] = 0;
    ck_assert_int_eq(kg_module_parse(NULL, "test", rows[i].text, rows[i].size, &sink, &m), KG_INVALID);
    ck_assert_ptr_null(m);
    ck_assert_msg(strstr(said, rows[i].id) != NULL, "%zu: %s", i, said);
  }
}
END_TEST

/* ---- precedence, by structure ---- */

/* Brackets everywhere that the table of precedence puts them must change nothing. */
START_TEST(precedence) {
  static const struct { const char *bare, *bracketed; } rows[] = {
    {"k[0] + k[1] * k[2]", "k[0] + (k[1] * k[2])"},
    {"k[0] - k[1] - k[2]", "(k[0] - k[1]) - k[2]"},
    {"k[0] / k[1] * k[2] % k[3]", "((k[0] / k[1]) * k[2]) % k[3]"},
    {"k[0] << k[1] + k[2]", "k[0] << (k[1] + k[2])"},
    {"k[0] << k[1] >> k[2]", "(k[0] << k[1]) >> k[2]"},
    {"k[0] & k[1] << k[2]", "k[0] & (k[1] << k[2])"},
    {"k[0] ^ k[1] & k[2]", "k[0] ^ (k[1] & k[2])"},
    {"k[0] | k[1] ^ k[2]", "k[0] | (k[1] ^ k[2])"},
    {"-k[0] * k[1]", "(-k[0]) * k[1]"},
    {"~k[0] + -k[1]", "(~k[0]) + (-k[1])"},
    {"i32(k[0] & 1 == 0)", "i32((k[0] & 1) == 0)"},
    {"i32(k[0] | 1 < k[1] ^ 2)", "i32((k[0] | 1) < (k[1] ^ 2))"},
    {"i32(k[0] < 1 && k[1] > 2 || k[2] == 3 && k[3] != 4)", "i32(((k[0] < 1) && (k[1] > 2)) || ((k[2] == 3) && (k[3] != 4)))"},
    {"i32(!(k[0] < 1) && true)", "i32((!(k[0] < 1)) && true)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char one[1024], two[1024];
    bool equal = false;
    snprintf(one, sizeof one, "%s k[7] = %s }", head, rows[i].bare);
    snprintf(two, sizeof two, "%s k[7] = %s }", head, rows[i].bracketed);
    kg_module *a = parse(one), *b = parse(two);
    ck_assert_int_eq(kgi_module_equal(a, b, &equal, NULL), KG_OK);
    ck_assert_msg(equal, "%s is not %s", rows[i].bare, rows[i].bracketed);
    char *text = round_trip(b);
    ck_assert_msg(strstr(text, rows[i].bare) != NULL, "more brackets than needed:\n%s", text);
    free_text(text);
    kg_module_free(a), kg_module_free(b);
  }
}
END_TEST

/* Different programs are told apart, or the tests above say nothing. */
START_TEST(inequality) {
  static const char *const others[] = {"x[0] = x[1] - x[2]", "x[0] = x[2] + x[1]", "x[0] = x[1] + y[2]", "x[1] = x[1] + x[2]",
                                       "x[0] = x[1] + x[2]\nbarrier", "barrier", "if true { x[0] = x[1] + x[2] }",
                                       "var v = x[1] + x[2]\nx[0] = v", "x[0] = x[1] + x[2] + 1"};
  char one[1024], two[1024];
  snprintf(one, sizeof one, "%s x[0] = x[1] + x[2] }", head);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    bool equal = true;
    const char *what = "";
    snprintf(two, sizeof two, "%s %s }", head, others[i]);
    kg_module *a = parse(one), *b = parse(two);
    ck_assert_int_eq(kgi_module_equal(a, b, &equal, &what), KG_OK);
    ck_assert_msg(!equal && *what, "%s", others[i]);
    kg_module_free(a), kg_module_free(b);
  }
}
END_TEST

static bool equals(const kg_module *a, const kg_module *b) {
  bool equal = false;
  ck_assert_int_eq(kgi_module_equal(a, b, &equal, NULL), KG_OK);
  return equal;
}

/* What is the same in every form: an else with nothing in it is none, and shared memory that a pass adds behind vars is declared
 * before them in text. */
START_TEST(equality) {
  char one[1024], two[1024];
  snprintf(one, sizeof one, "%s if x[0] > 0 { barrier } else { } }", head);
  snprintf(two, sizeof two, "%s if x[0] > 0 { barrier } }", head);
  kg_module *a = parse(one), *b = parse(two);
  ck_assert(equals(a, b));
  kg_module_free(a), kg_module_free(b);
  a = parse("program p { workgroup 4 grid 1 buffer x : f32[4] read_write shared s : f32[4] shared t : i32[2]\n"
            "var v = x[0] s[local_id.x] = v t[0] = i32(len(t)) }");
  kgi_scope *scope = &a->program[1]->scope; /* x s t v */
  ck_assert_uint_eq(scope->object_count, 5);
  b = parse("program p { workgroup 4 grid 1 buffer x : f32[4] read_write shared s : f32[4] shared t : i32[2]\n"
            "var v = x[0] s[local_id.x] = v t[0] = i32(len(t)) }");
  kgi_object t = scope->object[3];
  scope->object[3] = scope->object[4], scope->object[4] = t;
  for (uint32_t i = 1; i < a->program[1]->inst_count; i++) {
    kgi_inst *x = &a->program[1]->inst[i];
    bool names = x->kind == KGI_load || x->kind == KGI_store || x->kind == KGI_var || x->kind == KGI_len;
    if (names && x->arg[0] >= 3) x->arg[0] = x->arg[0] == 3 ? 4 : 3;
  }
  ck_assert(equals(a, b) && equals(b, a));
  kg_module_free(a), kg_module_free(b);
}
END_TEST

/* ---- positions ---- */

START_TEST(positions) {
  kg_module *m = parse("program p {\n  workgroup 1\n  grid 1\n"
                       "  buffer x : f32[8] read_write\n  let i = 1\n  x[0] =\n    x[i] + 1\n}\n");
  const kgi_program *p = m->program[1];
  uint32_t load = p->block[KGI_BODY].first, sum = p->inst[load].next, store = p->inst[sum].next;
  ck_assert_uint_eq(kgi_pos_line(p->inst_pos[load]), 7);
  ck_assert_uint_eq(kgi_pos_column(p->inst_pos[load]), 5);
  ck_assert_uint_eq(kgi_pos_line(p->inst_pos[sum]), 7);
  ck_assert_uint_eq(kgi_pos_column(p->inst_pos[sum]), 10);
  ck_assert_uint_eq(kgi_pos_line(p->inst_pos[store]), 6);
  ck_assert_uint_eq(kgi_pos_column(p->inst_pos[store]), 3);
  kg_module_free(m);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT(every_construct), KGT(examples), KGT(a_load_stays_before_a_store),
                            KGT(values_stand_inside_where_order_allows), KGT(depth_is_bounded), KGT(names_are_made_unique),
                            KGT(numbered_names_are_no_words), KGT(siblings_reuse_names), KGT(literals_take_their_type),
                            KGT(numbers_are_shortest), KGT(floats_round_trip), KGT(decimals_are_rounded_once),
                            KGT(spaces_and_comments), KGT(what_is_no_text), KGT(precedence),
                            KGT(inequality), KGT(equality), KGT(positions)};
  return kgt_run("foundation/text", tests, KGT_COUNT(tests));
}
