/* The language as people write it: what is refused, where and with which help; what is one program in several
 * spellings. */
#include "foundation/text/alias.h"
#include "foundation/ir/builder.h"
#include "foundation/passes/clean.h"
#include "foundation/ir/equal.h"
#include "tests/support/kgtest.h"

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

static kg_module *read(const char *text) {
  kg_module *m = NULL;
  said[0] = 0;
  kg_status status = kg_module_parse(NULL, "test", text, strlen(text), &sink, &m);
  return status == KG_OK ? m : NULL;
}

static kg_module *parse(const char *text) {
  kg_module *m = read(text);
  ck_assert_msg(m != NULL, "%s%s", said, text);
  return m;
}

static char *print(const kg_module *m) {
  char *text = NULL;
  size_t size = 0;
  ck_assert_int_eq(kg_module_print(NULL, m, NULL, &text, &size), KG_OK);
  return text;
}

static void free_text(char *text) {
  kg_bytes_free(NULL, text, strlen(text) + 1);
}

static kg_digest digest_of(const kg_module *m) {
  kg_digest d;
  ck_assert_int_eq(kg_module_digest(m, NULL, &d), KG_OK);
  return d;
}

/* Text and bytes there and back: the same text, the same digest. */
static void round_trip(const kg_module *m) {
  char *text = print(m);
  kg_module *again = parse(text), *decoded = NULL;
  char *second = print(again);
  kgt_same_text(second, text);
  uint8_t *bytes = NULL;
  size_t size;
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &size), KG_OK);
  ck_assert_msg(kg_module_decode(NULL, "bytes", bytes, size, &sink, &decoded) == KG_OK, "%s%s", said, text);
  kg_digest one = digest_of(m), two = digest_of(again), three = digest_of(decoded);
  ck_assert(!memcmp(&one, &two, sizeof one) && !memcmp(&one, &three, sizeof one));
  free_text(text), free_text(second);
  kg_bytes_free(NULL, bytes, size);
  kg_module_free(again), kg_module_free(decoded);
}

static bool one_digest(const char *text, const char *other) {
  kg_module *a = parse(text), *b = parse(other);
  round_trip(a), round_trip(b);
  kg_digest one = digest_of(a), two = digest_of(b);
  kg_module_free(a), kg_module_free(b);
  return !memcmp(&one, &two, sizeof one);
}

/* A refusal is one diagnostic that begins with "line:column id" and contains `help`. */
static void refused(const char *text, const char *begins, const char *help) {
  kg_module *m = read(text);
  ck_assert_msg(m == NULL, "accepted:\n%s", text);
  ck_assert_msg(!strncmp(said, begins, strlen(begins)), "%s\nrather than %s of\n%s", said, begins, text);
  ck_assert_msg(strstr(said, help) != NULL, "%s\nlacks: %s", said, help);
  ck_assert_msg(strchr(said, '\n') == said + strlen(said) - 1, "more than one: %s%s", said, text);
}

/* ---- what can never run ---- */

static const char declared[] = "program p {\n  workgroup 4\n  grid 1\n  param n : u32 = 3\n  const K = 2\n";

START_TEST(never_runs) {
  static const struct {
    const char *declaration, *begins, *help;
  } rows[] = {
      {"buffer x : f32[4] read in 5 .. 3", "6:8 empty-range", "no value lies in the range of x"},
      {"buffer x : f32[4] read in 3 .. 3", "6:8 empty-range", "lowest value first"},
      {"buffer x : f32[4] read in nan .. nan", "6:8 empty-range", ""},
      {"buffer x : f32[4] read in -nan .. 1.0", "6:8 empty-range", ""},
      {"buffer x : f32[4] read in 0.0 .. nan", "6:8 empty-range", ""},
      {"buffer x : f32[n] read in nan .. 1", "6:8 empty-range", ""},
      {"buffer x : f32[4] read in 1.0 .. 1.00000000001", "6:8 empty-range", ""}, /* one f32 */
      {"buffer x : i32[4] read in 2 - 4 .. 3 - 5", "6:8 empty-range", ""},
      {"buffer x : u32[4] read in -1 .. 5", "6:8 literal-range", "-1 does not fit u32"},
      {"param q : f32 in 2.0 .. 1.0", "6:7 empty-range", "q"},
      {"param q : i32 in 7 .. -7", "6:7 empty-range", ""},
      {"param q : u32 in 0 .. 4294967296", "6:7 literal-range", "4294967296 does not fit u32"},
      {"param q : i32 in 0 .. 1 / 0", "6:7 length-divide", ""},
      {"param q : i32 in 0 .. n % 0", "6:7 length-divide", ""},
      {"param q : i32 in 5 .. 2.5", "6:7 length-type", ""},
      {"buffer x : f32[n / 0] read", "6:8 length-divide", ""},
      {"buffer x : f32[n / (2 - 2)] read", "6:8 length-divide", ""},
      {"buffer x : f32[max(n, n % 0)] read", "6:8 length-divide", ""},
      {"buffer x : f32[-1] read", "6:8 length-negative", "x evaluates to -1"},
      {"buffer x : f32[3 - 5] read", "6:8 length-negative", "-2"},
      {"buffer x : f32[9223372036854775807 + 1] read", "6:8 length-overflow", ""},
      {"buffer x : f32[n + 9223372036854775807 * 2] read", "6:8 length-overflow", ""},
      {"while true limit -1 { }", "6:1 length-negative", "a limit"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s\n}\n", declared, rows[i].declaration);
    refused(text, rows[i].begins, rows[i].help);
  }
  refused("program p { workgroup 4 grid -1 }", "1:9 length-negative", "a grid evaluates to -1");
  refused("program p { workgroup 4 grid invocations 7 / 0 }", "1:9 length-divide", "");
}
END_TEST

START_TEST(may_run) {
  static const char *const rows[] = {
      "buffer x : f32[4] read in 0 .. n",
      "buffer x : f32[4] read in -inf .. inf",
      "buffer x : f32[n / K] read",
      "buffer x : f32[n - 5] read",
      "buffer x : f32[0] read",
      "param q : i32 in -2147483648 .. 2147483647",
      "buffer x : u8[4] read in 0 .. 256",
      "param q : f64 in 1.0 .. 1.00000000001",
      "buffer x : f32[n / (K - 2)] read",
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s\n}\n", declared, rows[i]);
    kg_module *m = parse(text);
    round_trip(m);
    kg_module_free(m);
  }
}
END_TEST

/* ---- one module, one encoding ---- */

static const char module_head[] =
    "module m {\n  program p {\n    workgroup 4\n    grid 1\n    param b : bool\n    param f : f32\n"
    "    param u : u32\n    if b { barrier }\n    assert f32(u) < f \"f\"\n  }\n";

static char *run_of(char text[1024], const char *arguments) {
  snprintf(text, 1024, "%s  run p(%s)\n}\n", module_head, arguments);
  return text;
}

START_TEST(arguments) {
  char one[1024], two[1024];
  ck_assert(one_digest(run_of(one, "b = true, f = nan, u = 1"), run_of(two, "b = 1, f = -nan, u = 2 - 1")));
  ck_assert(one_digest(run_of(one, "b = false, f = 0.5, u = 0"), run_of(two, "b = 0, f = 0.5, u = -0")));
  ck_assert(!one_digest(run_of(one, "b = true, f = inf, u = 1"), run_of(two, "b = false, f = inf, u = 1")));
  refused(run_of(one, "b = 2, f = 0.0, u = 1"), "11:3 literal-range", "2 does not fit bool");
  refused(run_of(one, "b = -1, f = 0.0, u = 1"), "11:3 literal-range", "-1 does not fit bool");
  refused(run_of(one, "b = true, f = 0.0, u = -1"), "11:3 literal-range", "-1 does not fit u32");
  refused(run_of(one, "b = true, f = 0.0, u = 1 / 0"), "11:3 length-divide", "");
}
END_TEST

/* Bytes that hold another NaN are refused, and text never makes them. */
START_TEST(bytes_of_a_nan) {
  static const uint8_t nan[] = {0, 0, 0, 0, 0, 0, 0xF8, 0x7F};
  char text[1024];
  uint8_t *bytes = NULL;
  size_t size, at = 0;
  kg_module *m = parse(run_of(text, "b = true, f = -nan, u = 1")), *other = NULL;
  ck_assert_int_eq(kg_module_encode(NULL, m, NULL, &bytes, &size), KG_OK);
  while (at + sizeof nan <= size && memcmp(bytes + at, nan, sizeof nan) != 0)
    at++;
  ck_assert_uint_le(at + sizeof nan, size);
  for (unsigned k = 0; k < 2; k++) {
    bytes[at + (k ? 0 : 7)] ^= k ? 1 : 0x80;
    said[0] = 0;
    ck_assert_int_eq(kg_module_decode(NULL, "bytes", bytes, size, &sink, &other), KG_INVALID);
    ck_assert_msg(strstr(said, "binary-canonical") != NULL, "%s", said);
  }
  kg_bytes_free(NULL, bytes, size);
  kg_module_free(m);
}
END_TEST

/* ---- chains of else-ifs ---- */

/* `arms` arms inside of `around` blocks, `inside` blocks in the last: y[0] becomes the place of the first arm whose
 * condition holds. */
static char *chain(unsigned arms, unsigned around, unsigned inside) {
  size_t room = 64 * ((size_t)arms + around + inside) + 1024, used;
  char *text = malloc(room);
  used = (size_t)snprintf(text, room, "program p { workgroup 1 grid 1 param n : u32 = 3 buffer y : u32[1] write\n");
  for (unsigned i = 0; i < around; i++)
    used += (size_t)snprintf(text + used, room - used, "if n != %u { ", 1000000 + i);
  for (unsigned i = 0; i < arms; i++)
    used += (size_t)snprintf(text + used, room - used, "if n == %u { y[0] = %u } else ", i, i);
  used += (size_t)snprintf(text + used, room - used, "{ ");
  for (unsigned i = 0; i < inside; i++)
    used += (size_t)snprintf(text + used, room - used, "for k%u in 0 .. 2 { ", i);
  used += (size_t)snprintf(text + used, room - used, "y[0] = 77 }");
  for (unsigned i = 0; i < around + inside; i++)
    used += (size_t)snprintf(text + used, room - used, " }");
  snprintf(text + used, room - used, " }");
  return text;
}

static bool accepted(unsigned arms, unsigned around, unsigned inside) {
  char *text = chain(arms, around, inside);
  kg_module *m = read(text);
  free(text);
  if (m)
    round_trip(m);
  kg_module_free(m);
  return m != NULL;
}

START_TEST(chains) {
  ck_assert(accepted(1000, 0, 0) && accepted(3000, 0, 0) && accepted(1000, KGI_MAX_DEPTH - 2, 0));
  ck_assert(accepted(KGI_MAX_DEPTH, 0, 0) &&
            accepted(KGI_MAX_DEPTH + 1, 0, 0)); /* the last that nests, the first that does not */
  ck_assert(accepted(KGI_MAX_DEPTH / 2, 1, KGI_MAX_DEPTH - 3) &&
            accepted(3, 0, KGI_MAX_DEPTH - 1)); /* what it holds is too deep */
  ck_assert(!accepted(1000, KGI_MAX_DEPTH - 1, 0) && strstr(said, "too-large"));
  ck_assert(!accepted(3, 0, KGI_MAX_DEPTH) && strstr(said, "too-large"));
}
END_TEST

/* A list of arms runs as the nested chain does: it is the program that one would write. */
START_TEST(chain_as_a_list) {
  static const char head[] = "program p { workgroup 1 grid 1 param n : u32 = 3 buffer y : u32[1] write\n";
  char *text = chain(100, 0, 0), *printed;
  kg_module *m = parse(text);
  printed = print(m);
  ck_assert(strstr(printed, "  var pending = true\n  if n == 0 {\n    pending = false\n    y[0] = 0\n  }\n  if pending "
                            "{\n    if n == 1 {\n"
                            "      pending = false\n      y[0] = 1\n    }\n  }\n") != NULL);
  ck_assert(strstr(printed, "  if pending {\n    y[0] = 77\n  }\n}\n") != NULL);
  free(text), free_text(printed);
  kg_module_free(m);
  /* chains within chains: each is read again once at most */
  size_t room = 1 << 20, used = (size_t)snprintf(text = malloc(room), room, "%s", head);
  for (unsigned d = 0; d < 20; d++)
    for (unsigned i = 0; i < 70; i++)
      used += (size_t)snprintf(text + used, room - used, "if n == %u { %s", i, i == 69 ? "" : "y[0] = 1 } else ");
  for (unsigned d = 0; d < 20; d++)
    used += (size_t)snprintf(text + used, room - used, "} else if n == 7 { } else if n == 9 { } ");
  snprintf(text + used, room - used, "}");
  m = parse(text);
  round_trip(m);
  kg_module_free(m);
  free(text);
}
END_TEST

/* ---- names of operations ---- */

START_TEST(operations_as_names) {
  char *names = kgt_kernel("names_of_operations");
  kg_module *m = parse(names);
  free(names);
  round_trip(m);
  char *printed = print(m);
  ck_assert(strstr(printed, "abs = max(abs, max) * exp(max) + f32(len(exp))") != NULL);
  free_text(printed);
  kg_module_free(m);
  refused("program p { workgroup 1 grid 1 var v = 1.0 v = v + max }", "1:52 unknown-name",
          "call the operation, max(...)");
  refused("program p { workgroup 1 grid 1 var v = 1.0 max(v, v) }", "1:44 syntax",
          "expected a statement but found 'max'");
  refused("program p { workgroup 1 grid 1 var v = 1.0 max = 2.0 }", "1:44 unknown-name", "max(...)");
  refused("module m { fn exp(a : f32) -> f32 = a }", "1:15 reserved-name", "exp");
  refused("program p { workgroup 1 grid 1 let f32 = 1.0 }", "1:36 reserved-name", "f32");
  refused("program p { workgroup 1 grid 1 let global_id = 1.0 }", "1:36 reserved-name", "");
  refused("program p { workgroup 1 grid 1 let max = 1.0 let max = 2.0 }", "1:50 name-in-use", "max");
}
END_TEST

/* ---- literals ---- */

/* Two spellings of one number; the bits of the second are known by its definition. */
START_TEST(literals) {
  static const char *const rows[][2] = {
      {"u64(18446744073709551615)", "u64(0xFFFFFFFFFFFFFFFF)"},
      {"i64(-9223372036854775808)", "bitcast_i64(u64(0x8000000000000000))"},
      {"f32(1e-45)", "bitcast_f32(u32(1))"}, /* the least subnormal, and what rounds to it */
      {"f32(0.00000000000000000000000000000000000000000000071)", "bitcast_f32(u32(1))"},
      {"f32(0.00000000000000000000000000000000000000000000070)", "bitcast_f32(u32(0))"},
      {"f32(1.1754942e-38)", "bitcast_f32(u32(0x7FFFFF))"},
      {"f32(16777217.0)", "bitcast_f32(u32(0x4B800000))"}, /* a tie, to even */
      {"f32(3.40282356e38)", "bitcast_f32(u32(0x7F7FFFFF))"},
      {"f64(5e-324)", "bitcast_f64(u64(1))"},
      {"f64(2.2250738585072011e-308)", "bitcast_f64(u64(0xFFFFFFFFFFFFF))"},
      {"f64(9007199254740993.0)", "bitcast_f64(u64(0x4340000000000000))"},
      {"f16(6e-8)", "f16(5.960464477539063e-8)"},
      {"f16(65519.0)", "f16(65504.0)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[512];
    snprintf(text, sizeof text, "program p { workgroup 1 grid 1 let c = %s != %s assert c \"\" }", rows[i][0], rows[i][1]);
    kg_module *m = parse(text);
    round_trip(m);
    ck_assert_int_eq(kgi_clean(m, m->program[1]), KG_OK);
    uint32_t check = m->program[1]->block[KGI_BODY].last;
    const kgi_inst *condition = &m->program[1]->inst[m->program[1]->inst[check].arg[0]];
    ck_assert_msg(condition->kind == KGI_literal && condition->arg[0] == 0, "%s is not %s", rows[i][0], rows[i][1]);
    kg_module_free(m);
  }
  static const char *const wrong[][2] = {
      {"u64(18446744073709551616)", "1:44 literal-range"}, {"i64(9223372036854775808)", "1:44 literal-range"},
      {"f16(65520.0)", "1:44 literal-range"},              {"f32(3.4028236e38)", "1:44 literal-range"},
      {"f32(16777217)", "1:44 literal-inexact"},           {"0x1p3", "1:40 bad-number"},
      {"0x", "1:40 bad-number"},                           {"1.5f", "1:40 bad-number"},
      {"1e999", "1:40 literal-range"},                     {"08z", "1:40 bad-number"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[512];
    snprintf(text, sizeof text, "program p { workgroup 1 grid 1 let c = %s }", wrong[i][0]);
    refused(text, wrong[i][1], "");
  }
}
END_TEST

/* ---- the type of a loop's index ---- */

static const char loops[] = "program p {\n  workgroup 4\n  grid 1\n  param n : u32\n  param m : i32\n  param w : i64\n"
                            "  buffer x : f32[64] read_write\n  buffer c : u32[64] read_write\n"
                            "  fn twice(a : u32) -> u32 = a + a\n";

static char *with_body(char text[2048], const char *statements) {
  snprintf(text, 2048, "%s%s\n}\n", loops, statements);
  return text;
}

START_TEST(index_types) {
  static const struct {
    const char *bare, *stated;
  } rows[] = {
      {"for k in 0 .. 4 { x[n + k] = 0 }", "for k in u32(0) .. 4 { x[n + k] = 0 }"},
      {"for k in 0 .. 4 { x[k + n] = 0 }", "for k in u32(0) .. 4 { x[k + n] = 0 }"},
      {"for k in 0 .. 8 step 2 reversed { c[k] = k }", "for k in u32(0) .. 8 step 2 reversed { c[k] = k }"},
      {"for k in 0 .. 4 { c[k] += k }", "for k in u32(0) .. 4 { c[k] += k }"},
      {"for k in 0 .. 4 { if w + k > 2 { break } }", "for k in i64(0) .. 4 { if w + k > 2 { break } }"},
      {"for k in 0 .. 4 { if k < m { break } }", "for k in i32(0) .. 4 { if k < m { break } }"},
      {"for k in 2 * 2 .. 4 * 2 { c[k] = n + k }", "for k in u32(2) * 2 .. 4 * 2 { c[k] = n + k }"},
      /* nothing says what it is */
      {"for k in 0 .. 4 { x[k] = f32(k) }", "for k in i32(0) .. 4 { x[k] = f32(k) }"},
      {"for k in 0 .. 4 { }", "for k in i32(0) .. 4 { }"},
      {"for k in 0 .. 4 { let t = k * 2 x[t] = f32(t) if k == 2 { x[t + 1] = 3.0 } }",
       "for k in i32(0) .. 4 { let t = k * 2 x[t] = f32(t) if k == 2 { x[t + 1] = 3.0 } }"},
      /* by way of lets and nested loops */
      {"for k in 0 .. 4 { let j = 2 * k let h = j + 1 x[h] = f32(k) x[n + h] = 0 }",
       "for k in u32(0) .. 4 { let j = 2 * k let h = j + 1 x[h] = f32(k) x[n + h] = 0 }"},
      {"for i in 0 .. 4 { for j in 0 .. 4 { x[n + (i * 4 + j)] = 0 } }",
       "for i in u32(0) .. 4 { for j in u32(0) .. 4 { x[n + (i * 4 + j)] = 0 } }"},
      {"for i in 0 .. 4 { for j in 0 .. 4 { x[i * 4 + j] = 0 c[0] = j } }",
       "for i in u32(0) .. 4 { for j in u32(0) .. 4 { x[i * 4 + j] = 0 c[0] = j } }"},
      {"for i in 0 .. 4 { for j in 0 .. 4 { x[i] = 0 c[0] = j } }",
       "for i in i32(0) .. 4 { for j in u32(0) .. 4 { x[i] = 0 c[0] = j } }"},
      {"for i in 0 .. 4 { for j in 0 .. i { c[0] = j } }", "for i in u32(0) .. 4 { for j in 0 .. i { c[0] = j } }"},
      {"for i in 0 .. 4 { for j in i .. n { x[j] = 0 } }", "for i in u32(0) .. 4 { for j in i .. n { x[j] = 0 } }"},
      {"for i in 0 .. 4 { c[i] = n + i } for i in 0 .. 4 { x[i] = f32(m + i) }",
       "for i in u32(0) .. 4 { c[i] = n + i } for i in i32(0) .. 4 { x[i] = f32(m + i) }"},
      /* operands that an operation or a function wants */
      {"for k in 0 .. 4 { c[k] = twice(k) }", "for k in u32(0) .. 4 { c[k] = twice(k) }"},
      {"for k in 0 .. 4 { c[0] = bit_extract(n, k, 1) }", "for k in u32(0) .. 4 { c[0] = bit_extract(n, k, 1) }"},
      {"for k in 0 .. 4 { x[0] = ldexp(x[1], k) }", "for k in i32(0) .. 4 { x[0] = ldexp(x[1], k) }"},
      {"for k in 0 .. 4 { atomic_add(c[k], k) }", "for k in u32(0) .. 4 { atomic_add(c[k], k) }"},
      {"for k in 0 .. 4 { let t : u32 = k c[t] = 0 }", "for k in u32(0) .. 4 { let t : u32 = k c[t] = 0 }"},
      {"for k in 0 .. 4 { var t = u32(0) t = k }", "for k in u32(0) .. 4 { var t = u32(0) t = k }"},
      {"for k in 0 .. 4 { c[0] = select(k < 2, k, n) }", "for k in u32(0) .. 4 { c[0] = select(k < 2, k, n) }"},
      {"for k in 0 .. 4 { c[0] = select(k < 2, 1, n) }", "for k in i32(0) .. 4 { c[0] = select(k < 2, 1, n) }"},
      /* a conversion says nothing, and gives its own type */
      {"for k in 0 .. 4 { x[m + i32(k)] = 0 }", "for k in i32(0) .. 4 { x[m + k] = 0 }"},
      {"for k in 0 .. 4 { x[n + u32(k)] = 0 }", "for k in i32(0) .. 4 { x[n + u32(k)] = 0 }"},
      {"for k in 0 .. 4 { x[n + u32(k)] = f32(k) c[k] = k }", "for k in u32(0) .. 4 { x[n + k] = f32(k) c[k] = k }"},
      {"for k in 0 .. 4 { x[m + i32(k)] = f32(k) }", "for k in i32(0) .. 4 { x[m + k] = f32(k) }"},
      /* what the first reading declared is gone */
      {"for k in 0 .. 4 { var t : u32[2] let h = len(t) for j in 0 .. 2 { t[j] = n + j } c[k] = t[0] + h + k }",
       "for k in u32(0) .. 4 { var t : u32[2] let h = len(t) for j in u32(0) .. 2 { t[j] = n + j } c[k] = t[0] + h + k "
       "}"},
      {"for k in 0 .. 4 { region r { let j = k + 1 } c[j] = j }",
       "for k in u32(0) .. 4 { region r { let j = k + 1 } c[j] = j }"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char one[2048], two[2048];
    ck_assert_msg(one_digest(with_body(one, rows[i].bare), with_body(two, rows[i].stated)), "%s", rows[i].bare);
  }
}
END_TEST

START_TEST(index_refusals) {
  static const struct {
    const char *body, *begins, *help;
  } rows[] = {
      {"for k in 0 .. 4 {\n  let a = n + k\n  let b = m + k\n}", "12:13 index-conflict",
       "the index k is u32 by its use in line 11, and meets i32 here; convert it in one of the two places, for example "
       "here: i32(k)"},
      {"for k in 0 .. 4 {\n  let a = m + k\n  let b = n + k\n}", "12:13 index-conflict",
       "k is i32 by its use in line 11, and meets u32"},
      {"for k in 0 .. 4 {\n  let j = k + 1\n  let a = m + j\n  let b = n + j\n}", "13:13 index-conflict", "k is i32"},
      {"for i in 0 .. 4 { for j in 0 .. 4 {\n  let a = n + (i + j)\n  let b = m + j\n} }", "12:13 index-conflict",
       "u32 by its use in line 11"},
      {"for k in 0 .. 4 { x[0] = x[1] * k }", "10:31 type-mismatch", "expected f32 but got i32; convert with f32(...)"},
      {"for k in 0 .. 4 { x[0] = k }", "", "expected f32 but got i32"},
      {"for k in 0 .. 4 { x[0] = k * 0.5 }", "10:30 literal-type", ""},
      {"for k in -1 .. 4 { c[0] = k }", "10:10 literal-range", "-1 does not fit u32"},
      {"for k in 0 .. 4 { c[0] = k - 1 + n let a = m + k }", "", "index-conflict"},
      {"for k in 0.0 .. 4.0 { }", "", "index-type"},
      {"for k in 0 .. 4 { c[k] = k + oops }", "10:30 unknown-name", "oops"},
      {"for k in 0 .. 4 { c[k] = k } for k in 0 .. 4 { c[k] = k x[m] = y }", "", "unknown-name"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[2048];
    refused(with_body(text, rows[i].body), rows[i].begins, rows[i].help);
  }
}
END_TEST

/* Loops in loops, all of which turn out to be of u32 in the innermost: a text is not read again and again. */
START_TEST(index_of_many_loops) {
  size_t room = 1 << 20, used;
  char *text = malloc(room);
  used = (size_t)snprintf(text, room, "%s", loops);
  for (unsigned i = 0; i < 60; i++)
    used += (size_t)snprintf(text + used, room - used, "for k%u in 0 .. 2 { ", i);
  for (unsigned i = 0; i < 60; i++)
    used += (size_t)snprintf(text + used, room - used, "c[k%u] = n + k%u ", i, i);
  for (unsigned i = 0; i < 60; i++)
    used += (size_t)snprintf(text + used, room - used, "} ");
  for (unsigned i = 0; i < 3000; i++)
    used += (size_t)snprintf(text + used, room - used, "for k in 0 .. 2 { c[k] = n + k } ");
  snprintf(text + used, room - used, "}");
  kg_module *m = parse(text);
  round_trip(m);
  kg_module_free(m);
  free(text);
}
END_TEST

/* ---- words of other languages ---- */

/* The word where people write it, and what it is said to be here, in one place of a program. */
static char *in_place(char text[2048], kgi_alias_kind kind, const char *declaration, const char *statement) {
  const char *declared = kind == KGI_ALIAS_DECLARATION ? declaration : "",
             *stated = kind == KGI_ALIAS_DECLARATION ? "" : statement;
  snprintf(text, 2048,
           "program p {\n  workgroup 64\n  grid 1\n  param n : u32\n  buffer x : f32[n] read_write\n  buffer h : "
           "u32[n] read_write\n"
           "%s\n  let i = global_id.x\n  let a = x[0]\n  let b = x[1]\n  let t = x[2]\n  let c = a < b\n  var j = 0\n  %s\n}\n",
           declared, stated);
  return text;
}

static void spelled(const kgi_alias *row, const char *word, char out[256]) {
  const char *format = row->kind == KGI_ALIAS_TYPE ? "var v : %s" : row->kind == KGI_ALIAS_VALUE ? "let r = %s" : "%s";
  if (!strcmp(word, "--"))
    format = "h[i]%s";
  if (!strcmp(word, "&"))
    format = "atomic_add(%sh[i], 1)";
  snprintf(out, 256, format, strcmp(word, "return with a value") ? word : "return a");
}

/* What is suggested is read, and the word is answered with it. */
START_TEST(aliases) {
  size_t count;
  const kgi_alias *row = &kgi_alias_rows(&count)[_i];
  char ours[256], theirs[256], text[2048], help[256];
  ck_assert_uint_lt((size_t)_i, count);
  spelled(row, row->word, theirs);
  spelled(row, row->text, ours);
  if (row->kind == KGI_ALIAS_FILE)
    strcpy(text, ours);
  else
    in_place(text, row->kind, ours, ours);
  if (!strncmp(row->text, "workgroup ", 10))
    memcpy(strstr(text, "  workgroup"), "//", 2);
  kg_module *m = parse(text);
  kg_module_free(m);
  if (row->kind == KGI_ALIAS_FILE)
    strcpy(text, theirs);
  else
    in_place(text, row->kind, theirs, theirs);
  snprintf(help, sizeof help, "foreign-word: %s is not part of the language; write %s", row->word, row->text);
  refused(text, "", help);
}
END_TEST

/* So are the hints. */
START_TEST(hints) {
  size_t count;
  const kgi_hint *row = &kgi_hint_rows(&count)[_i];
  char text[2048], help[256];
  kg_module_free(parse(in_place(text, row->kind, row->right, row->right)));
  snprintf(help, sizeof help, "; %s", row->fix);
  refused(in_place(text, row->kind, row->wrong, row->wrong), "", help);
}
END_TEST

START_TEST(foreign_words) {
  static const struct {
    const char *statement, *help;
  } rows[] = {
      {"let k = blockIdx.y * 64 + 1", "blockIdx is not part of the language; write workgroup_id.y"},
      {"let k = gl_GlobalInvocationID.z", "write global_id.z"},
      {"let k = SV_DispatchThreadID.w", "write global_id.x"},
      {"float v = a;", "float is not part of the language; write let v = ..., or var v : f32 = ... if it changes"},
      {"int k;", "var v : i32"},
      {"let v = float(i)", "float is not part of the language; write f32"},
      {"x[i] = c ? a : b;", "? is not part of the language; write select(c, a, b)"},
      {"for (int k = 0; k < 4; k++) { }", "for ( is not part of the language; write for k in 0 .. n { }"},
      {"var v = 0  v++", "++ is not part of the language; write j += 1"},
      {"x[i]--;", "-- is not part of the language"},
      {"++i;", "++ is not part of the language"},
      {"return a * 2.0;", "return with a value is not part of the language; write x[i] = a"},
      {"if c { return 1 }", "return with a value"},
      {"if c { return max(a, b) }", "return with a value"},
      {"barrier();", "barrier ( is not part of the language; write barrier"},
      {"atomic_add(&h[i], 1);", "& is not part of the language"},
      {"x[i] = a /* so */ + b", "/* is not part of the language; write // and"},
      {"x[i] = a  # so", "#  is not part of the language; write // and"},
      {"x[i] = a ** 2.0", "** is not part of the language; write pow(a, b)"},
      {"a += 1.0", "never-changes: a is a let, which never changes; declare it as a var: var a = ..."},
      {"n = 3", "never-changes: n is a param, which never changes; keep what changes in a var: var v = n"},
      {"for k in 0 .. 4 { k += 1 }",
       "never-changes: k is the index of a loop, which never changes; keep what changes in a var: var v = k"},
      {"if c { return } x[i] = a", ""},
      {"if c { return; } var mix = 1.0 mix += a x[i] = mix", ""}, /* the words are free as names */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[2048];
    in_place(text, KGI_ALIAS_STATEMENT, "", rows[i].statement);
    if (*rows[i].help)
      refused(text, "", rows[i].help);
    else
      kg_module_free(parse(text));
  }
  refused("kernel void f(device float *x) { }", "1:1 foreign-word",
          "kernel is not part of the language; write program f {");
  refused("@compute @workgroup_size(64) fn main() { }", "1:1 foreign-word", "@");
  refused("#version 450\nvoid main() { }", "1:1 foreign-word", "#");
}
END_TEST

/* ---- the text as a file ---- */

START_TEST(mark_of_the_order_of_bytes) {
  ck_assert(one_digest("\xEF\xBB\xBFprogram p { workgroup 1 grid 1 }", "program p { workgroup 1 grid 1 }"));
  refused("\xEF\xBB\xBFprogram p { workgroup 0 grid 1 }", "1:9 too-small", "");
  refused("\xEF\xBB\xBF", "1:1 syntax", "");
  refused("\xEF\xBB", "1:1 stray-byte", "");
  refused("program p { \xEF\xBB\xBF }", "1:13 stray-byte", "");
}
END_TEST

int main(void) {
  size_t words, spellings;
  kgi_alias_rows(&words), kgi_hint_rows(&spellings);
  const kgt_test tests[] = {KGT(never_runs),
                            KGT(may_run),
                            KGT(arguments),
                            KGT(bytes_of_a_nan),
                            KGT(chains),
                            KGT(chain_as_a_list),
                            KGT(operations_as_names),
                            KGT_TIMES(aliases, words),
                            KGT_TIMES(hints, spellings),
                            KGT(foreign_words),
                            KGT(literals), KGT(index_types),
                            KGT(index_refusals),
                            KGT(index_of_many_loops),
                            KGT(mark_of_the_order_of_bytes)};
  return kgt_run("foundation/language", tests, KGT_COUNT(tests));
}
