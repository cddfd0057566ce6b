/* Atomic minima and maxima of words that hold floats: what is made one of floats leaves the bits that words had, whatever elements and
 * operands were. The words are the reference's own integers. */
#include "foundation/ir/program.h"
#include "foundation/passes/passes.h"
#include "tests/reference/reference_case.h"

#include <stdlib.h>

enum { WORDS = 14, ELEMENTS = WORDS * WORDS * WORDS };
/* +0, the smallest, 1, 2, infinity, NaN, the last word of either sign; likewise with the sign. */
static const uint32_t words[WORDS] = {0, 1, 0x3f800000, 0x40000000, 0x7f800000, 0x7fc00000, 0x7fffffff,
                                      0x80000000, 0x80000001, 0xbf800000, 0xc0000000, 0xff800000, 0xffc00000, 0xffffffff};

/* To each element, whatever it begins with, come two operands of all. */
#define BUFFER(type) "program p { workgroup 1 grid 1 buffer x : f32[14] read buffer t : " type "[2744] read_write\n" \
  "for n in 0 .. 2744 { for k in 0 .. 2 { let v = x[select(k == 0, n / 14 % 14, n % 14)]\n"
/* The same, of shared memory that begins with 0. */
#define SHARED(type) "program p { workgroup 1 grid 1 buffer x : f32[14] read buffer y : f32[2744] write shared t : " type "[2744]\n" \
  "for n in 0 .. 2744 { t[n] = 0 }\nfor n in 0 .. 2744 { for k in 0 .. 2 { let v = x[select(k == 0, n / 14 % 14, n % 14)]\n"
#define LOOKED_AT "} y[n] = bitcast_f32(t[n]) } }"

static const struct { bool floats; const char *text; } forms[] = {
  {true, BUFFER("i32") "if v >= 0.0 { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {true, BUFFER("i32") "if v > 0.0 { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {true, BUFFER("i32") "if 0.0 <= v && v < 2.0 { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {true, BUFFER("i32") "atomic_max(t[n], bitcast_i32(max(v, 0.0))) } } }"},
  {true, BUFFER("i32") "if !is_nan(v) { atomic_max(t[n], bitcast_i32(abs(v))) } } } }"},
  {true, BUFFER("i32") "if v == v { atomic_max(t[n], bitcast_i32(abs(v) + 1.0)) } } } }"},
  {true, BUFFER("i32") "if !(v < 0.0) && !is_nan(v) { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {true, BUFFER("i32") "atomic_max(t[n], bitcast_i32(select(v > 1.0, v, 1.0))) } } }"},
  {true, BUFFER("i32") "atomic_max(t[n], bitcast_i32(clamp(v, 0.0, 1.0))) } } }"},
  {true, BUFFER("i32") "if v > 0.0 { atomic_min(t[n], bitcast_i32(v)) } } } }"},
  {true, BUFFER("i32") "if v > 0.0 { atomic_min(t[n], bitcast_i32(sqrt(v))) } } } }"},
  {true, BUFFER("u32") "if v > 0.0 { atomic_max(t[n], bitcast_u32(v)) } } } }"},
  {true, BUFFER("u32") "atomic_max(t[n], bitcast_u32(max(v, 0.0))) } } }"},
  {true, SHARED("i32") "if v >= 0.0 { atomic_max(t[n], bitcast_i32(v)) } " LOOKED_AT},
  {true, SHARED("u32") "if v > 0.0 { atomic_max(t[n], bitcast_u32(v)) } " LOOKED_AT},
  {true, SHARED("u32") "if v > 0.0 { atomic_min(t[n], bitcast_u32(v)) } " LOOKED_AT},
  {true, SHARED("i32") "if v >= 0.0 { atomic_min(t[n], bitcast_i32(v)) } " LOOKED_AT},
  /* A NaN of words stays. */
  {false, BUFFER("i32") "atomic_max(t[n], bitcast_i32(abs(v))) } } }"},
  {false, BUFFER("i32") "if !(v < 0.0) { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {false, BUFFER("i32") "if is_nan(v) { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {false, BUFFER("i32") "if v > 0.0 || v < 0.0 { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {false, BUFFER("i32") "if v < 1.0 { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {false, BUFFER("i32") "atomic_max(t[n], bitcast_i32(max(v, -1.0))) } } }"},
  {false, BUFFER("i32") "if v > 0.0 { atomic_max(t[n], bitcast_i32(v * v)) } } } }"},
  {false, BUFFER("i32") "if v > 0.0 { atomic_max(t[n], bitcast_i32(v) + 1) } } } }"},
  /* Less than 0 comes before it in words. */
  {false, BUFFER("i32") "if v < 0.0 { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {false, BUFFER("i32") "if v < 0.0 { atomic_min(t[n], bitcast_i32(v)) } } } }"},
  {false, BUFFER("u32") "if v < 0.0 { atomic_min(t[n], bitcast_u32(v)) } } } }"},
  /* -0 is the least signed word, and above all floats without a sign. */
  {false, BUFFER("i32") "if v >= 0.0 { atomic_min(t[n], bitcast_i32(v)) } } } }"},
  {false, BUFFER("u32") "if v >= 0.0 { atomic_max(t[n], bitcast_u32(v)) } } } }"},
  {false, SHARED("u32") "if v >= 0.0 { atomic_max(t[n], bitcast_u32(v)) } " LOOKED_AT},
  /* What is negative goes in a minimum of words without a sign. */
  {false, BUFFER("u32") "if v > 0.0 { atomic_min(t[n], bitcast_u32(v)) } } } }"},
  /* Others change it meanwhile. */
  {false, BUFFER("i32") "if v >= 0.0 { atomic_max(t[n], bitcast_i32(v)) } atomic_and(t[n], 7) } } }"},
  {false, BUFFER("i32") "if v >= 0.0 { atomic_max(t[n], bitcast_i32(v)) } else { atomic_max(t[n], bitcast_i32(v)) } } } }"},
  {false, BUFFER("i32") "if v >= 0.0 { let old = atomic_max(t[n], bitcast_i32(v)) t[n] = old } } } }"},
  {false, SHARED("i32") "t[n] = bitcast_i32(v) if v < 0.0 { atomic_max(t[n], bitcast_i32(v)) } " LOOKED_AT},
  /* What is stored may be what the atomic makes of it. */
  {true, SHARED("i32") "if k == 0 { t[n] = bitcast_i32(v) } if v >= 0.0 { atomic_max(t[n], bitcast_i32(v)) } " LOOKED_AT},
};

static void run(kg_module *module, const uint32_t *x, uint32_t *t) {
  void *buffers[] = {(void *)x, t};
  uint64_t lengths[] = {WORDS, ELEMENTS};
  kg_reference_report report;
  kg_reference_params params = {.module = module, .buffers = buffers, .lengths = lengths};
  ck_assert_int_eq(kg_reference_run(&params, &report), KG_OK);
}

START_TEST(words_are_left_as_they_were) {
  uint32_t before[ELEMENTS], after[ELEMENTS];
  kg_module *module = NULL;
  const char *text = forms[_i].text;
  ck_assert_int_eq(kg_module_parse(NULL, "test.kg", text, strlen(text), NULL, &module), KG_OK);
  for (unsigned n = 0; n < ELEMENTS; n++) before[n] = after[n] = words[n / (WORDS * WORDS)];
  run(module, words, before);
  kgi_program *p = module->program[1];
  ck_assert_int_eq(kgi_hold_floats(module, p), KG_OK);
  bool floats = true;
  for (uint32_t o = 1; o < p->scope.object_count; o++) floats &= p->scope.object[o].type == KG_F32;
  ck_assert_msg(floats == forms[_i].floats, "%s", text);
  run(module, words, after);
  for (unsigned n = 0; n < ELEMENTS; n++)
    ck_assert_msg(before[n] == after[n], "%s\n%08x with %08x and %08x: %08x by words, %08x by floats", text, words[n / (WORDS * WORDS)],
                  words[n / WORDS % WORDS], words[n % WORDS], before[n], after[n]);
  kg_module_free(module);
}
END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TABLE(words_are_left_as_they_were, forms, text)};
  return kgt_run("reference/float_words", tests, KGT_COUNT(tests));
}
