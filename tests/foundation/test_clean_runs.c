/* Cleaning keeps every bit: programs run on the reference before and after, examples and random ones. */
#include "foundation/passes/clean.h"
#include "foundation/ir/validate.h"
#include "tests/support/kgtest.h"

#include <kgrad/reference.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 12 };

/* ---- before and after ---- */

static uint64_t state;
static uint32_t any(uint32_t below) { return kgi_random_below(&state, below); }

typedef struct memory { void *bytes[BUFFERS]; size_t size[BUFFERS]; uint64_t length[BUFFERS]; } memory;

/* Small numbers of any type: bit patterns of floats that are no NaN, indices within reach. */
static void fill(memory *mem, const kg_module *m) {
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    kg_buffer_info info = kg_module_buffer(m, i);
    size_t count = 4096, size = kg_type_size(info.type);
    mem->bytes[i] = calloc(count, 8);
    mem->length[i] = info.host_length ? 50 : UINT64_MAX;
    mem->size[i] = count * size;
    for (size_t k = 0; k < count; k++) {
      float f = (float)any(2001) / 500 - 2;
      double d = f;
      uint64_t bits = any(9);
      if (info.type == KG_F32) memcpy((char *)mem->bytes[i] + k * size, &f, size);
      else if (info.type == KG_F64) memcpy((char *)mem->bytes[i] + k * size, &d, size);
      else if (info.type == KG_F16 || info.type == KG_BF16) bits = 0x3C00 + any(256), memcpy((char *)mem->bytes[i] + k * size, &bits, size);
      else memcpy((char *)mem->bytes[i] + k * size, &bits, size);
    }
  }
}

static kg_status run(const kg_module *m, uint64_t seed, memory *mem, kg_reference_report *report) {
  state = seed;
  fill(mem, m);
  uint64_t bits[BUFFERS];
  for (uint32_t i = 0; i < kg_module_param_count(m); i++)
    bits[i] = kg_module_param(m, i).has_default ? kg_module_param(m, i).bits : kg_module_param(m, i).type == KG_F32 ? 0x3F000000u : 7;
  return kg_reference_run(&(kg_reference_params){.module = m, .buffers = mem->bytes, .lengths = mem->length, .param_bits = bits,
                                                 .step_limit = 10000000}, report);
}

static uint64_t blocks_of(const kg_module *m) {
  uint64_t n = 0;
  for (uint32_t i = 1; i < m->program_count; i++)
    for (uint32_t k = 1; k < m->program[i]->inst_count; k++) n += m->program[i]->inst[k].block != 0;
  return n;
}

/* The module's results, and then those of the cleaned one. `saved` counts instructions that cleaning took away. */
static void compare(const char *text, uint64_t seed, int64_t *saved) {
  kg_module *m = NULL;
  memory before = {{0}, {0}, {0}}, after = {{0}, {0}, {0}};
  kg_reference_report first, second;
  ck_assert_msg(kg_module_parse(NULL, "t", text, strlen(text), NULL, &m) == KG_OK, "%s", text);
  ck_assert_uint_le(kg_module_buffer_count(m), BUFFERS);
  kg_status status = run(m, seed, &before, &first);
  int64_t size = (int64_t)blocks_of(m);
  for (uint32_t i = 1; i < m->program_count; i++) ck_assert_int_eq(kgi_clean(m, m->program[i]), KG_OK);
  *saved += size - (int64_t)blocks_of(m);
  ck_assert_msg(kgi_validate(m, NULL) == KG_OK, "not valid after: %s", text);
  ck_assert_msg(run(m, seed, &after, &second) == status, "%s", text);
  ck_assert_msg(first.fault == second.fault && second.out_of_bounds_stores <= first.out_of_bounds_stores &&
                second.out_of_bounds_loads <= first.out_of_bounds_loads, "%s", text);
  for (uint32_t i = 0; i < kg_module_buffer_count(m); i++) {
    char *clean = NULL;
    size_t n = 0;
    if (memcmp(before.bytes[i], after.bytes[i], before.size[i]) != 0) kg_module_print(NULL, m, NULL, &clean, &n);
    ck_assert_msg(!clean, "buffer %u differs: %s\ncleaned: %s", i, text, clean);
    free(before.bytes[i]), free(after.bytes[i]);
  }
  kg_module_free(m);
}

static const char *const files[] = {
  "examples/saxpy.kg", "examples/softmax.kg", "examples/layernorm.kg", "examples/matmul.kg", "examples/matmul_tiled.kg",
  "examples/stencil.kg", "examples/gather.kg", "examples/inplace.kg", "examples/mix.kg", "examples/deblur.kg", "examples/adam.kg",
  "fuzz/corpus/text/statements.kg", "fuzz/corpus/text/operations.kg", "fuzz/corpus/text/types.kg", "fuzz/corpus/text/module.kg",
  "fuzz/corpus/text/reuse.kg", "fuzz/corpus/text/deep.kg", "fuzz/corpus/text/numbers.kg", "fuzz/corpus/text/lanes.kg",
};

START_TEST(sources) {
  char *text = kgt_read_source(files[_i], NULL);
  int64_t saved = 0;
  compare(text, 12345, &saved);
  free(text);
} END_TEST

/* ---- random programs of one invocation's own memory ---- */

static char text[1 << 16];
static size_t used;
static unsigned names, loops;
/* What can be named where the program is: values of each type. */
typedef struct scope { unsigned ints, floats, bools, vars; } scope;

static void put(const char *format, ...) {
  va_list args;
  va_start(args, format);
  used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
}

static char pool[3][4096][8]; /* names of values in scope: ints, floats, bools */

static void int_expression(const scope *s, unsigned depth) {
  static const char *const ops[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
  unsigned pick = any(depth ? 12 : 5);
  if (pick == 0) put("%d", (int)any(7) - 1);
  else if (pick == 1 && s->ints) put("%s", pool[0][any(s->ints)]);
  else if (pick == 2) put("k[%u]", any(6)); /* past the end at times */
  else if (pick == 3) put("iv%u", any(2));
  else if (pick == 4) put("t[%u]", any(5));
  else if (pick < 10) put("("), int_expression(s, depth ? depth - 1 : 0), put(" %s ", ops[any(10)]), int_expression(s, depth ? depth - 1 : 0), put(")");
  else if (pick == 10) put("min("), int_expression(s, depth - 1), put(", "), int_expression(s, depth - 1), put(")");
  else put("n");
}

static void float_expression(const scope *s, unsigned depth) {
  static const char *const ops[] = {"+", "-", "*", "/"};
  unsigned pick = any(depth ? 11 : 4);
  if (pick == 0) put("%s", ((const char *const[]){"0.0", "-0.0", "1.0", "-1.0", "0.5", "3.0", "inf"})[any(7)]);
  else if (pick == 1 && s->floats) put("%s", pool[1][any(s->floats)]);
  else if (pick <= 2) put("x[%u]", any(6));
  else if (pick == 3) put("fv%u", any(2));
  else if (pick < 9) put("("), float_expression(s, depth - 1), put(" %s ", ops[any(4)]), float_expression(s, depth - 1), put(")");
  else if (pick == 9) put("-("), float_expression(s, depth - 1), put(")");
  else put("y[%u]", any(6));
}

static void condition(const scope *s, unsigned depth) {
  static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
  unsigned pick = any(depth ? 8 : 6);
  if (pick == 0) put("%s", any(2) ? "true" : "false");
  else if (pick == 1 && s->bools) put("%s", pool[2][any(s->bools)]);
  else if (pick < 4) int_expression(s, 1), put(" %s ", ops[any(6)]), put("("), int_expression(s, 0), put(" + n)");
  else if (pick < 6) put("x[%u] %s ", any(4), ops[any(6)]), float_expression(s, 0);
  else if (pick == 6) put("!("), condition(s, depth - 1), put(")");
  else put("("), condition(s, depth - 1), put(") %s (", any(2) ? "&&" : "||"), condition(s, depth - 1), put(")");
}

static void statements(scope s, unsigned depth, bool in_loop);

static void let(scope *s) {
  unsigned type = any(3);
  unsigned *count = type == 0 ? &s->ints : type == 1 ? &s->floats : &s->bools;
  char name[8];
  snprintf(name, sizeof name, "l%u", names++);
  put("let %s : %s = ", name, ((const char *const[]){"i32", "f32", "bool"})[type]);
  if (type == 0) int_expression(s, 2);
  else if (type == 1) float_expression(s, 2);
  else condition(s, 1);
  put("\n");
  memcpy(pool[type][*count], name, sizeof name);
  ++*count;
}

static void nested(const scope *s, unsigned depth, unsigned pick, bool in_loop) {
  if (pick < 3) {
    put("if "), condition(s, 1), put(" {\n");
    statements(*s, depth - 1, in_loop);
    if (any(2)) put("} else {\n"), statements(*s, depth - 1, in_loop);
    put("}\n");
  } else if (pick == 3 && loops < 4) {
    scope inner = *s;
    snprintf(pool[0][inner.ints], sizeof pool[0][0], "j%u", names);
    put("for j%u in %d .. %s%s {\n", names++, (int)any(3) - 1, any(2) ? "n" : "4", any(3) ? "" : " reversed");
    inner.ints++, loops++;
    statements(inner, depth - 1, true);
    loops--;
    put("}\n");
  } else if (loops < 4) {
    unsigned counter = names++;
    put("var c%u = 0\nwhile c%u < 3 && (", counter, counter), condition(s, 0), put(") {\nc%u += 1\n", counter);
    loops++;
    statements(*s, depth - 1, true);
    loops--;
    put("}\n");
  }
}

static void statements(scope s, unsigned depth, bool in_loop) {
  for (unsigned n = 1 + any(5); n-- && used < sizeof text - 8000;) {
    unsigned pick = any(depth ? 16 : 10);
    if (pick < 3) let(&s);
    else if (pick == 3) put("iv%u = ", any(2)), int_expression(&s, 2), put("\n");
    else if (pick == 4) put("fv%u = ", any(2)), float_expression(&s, 2), put("\n");
    else if (pick == 5) put("t[%u] = ", any(5)), int_expression(&s, 2), put("\n");
    else if (pick == 6) put("y[%u] = ", any(6)), float_expression(&s, 2), put("\n");
    else if (pick == 7) put("z[%u] = ", any(4)), int_expression(&s, 2), put("\n");
    else if (pick == 8) put("z[t[%u]] += iv%u\n", any(4), any(2));
    else if (pick == 9) put("fv%u = fv%u\n", any(2), any(2));
    else if (pick == 10) put("region r%u {\n", names++), let(&s), put("}\n");
    else nested(&s, depth, pick - 11, in_loop);
  }
  if (in_loop && any(8) == 0) put(any(2) ? "break\n" : "continue\n");
  else if (any(40) == 0) put("return\n");
}

static void make_program(void) {
  used = 0, names = 0, loops = 0;
  put("program p {\nworkgroup 1\ngrid 1\nparam n : i32 = 3\nbuffer x : f32[4] read\nbuffer k : i32[4] read\n"
      "buffer y : f32[4] read_write\nbuffer z : i32[4] read_write\n"
      "var iv0 = 1\nvar iv1 = n\nvar fv0 = 0.5\nvar fv1 = x[1]\nvar t : i32[4]\nfor i in 0 .. 4 { t[i] = i }\n");
  statements((scope){0, 0, 0, 0}, 4, false);
  put("}\n");
}

START_TEST(random_programs) {
  int64_t saved = 0, total = 0;
  for (uint64_t seed = 1; seed <= 150; seed++) {
    state = (uint64_t)_i * 1000 + seed;
    make_program();
    total += (int64_t)used;
    compare(text, seed, &saved);
  }
  ck_assert_int_gt(saved, total / 1000); /* it does something */
} END_TEST

int main(void) {
  const kgt_test tests[] = {KGT_TEXTS(sources, files), KGT_TIMES(random_programs, 10)};
  return kgt_run("foundation/clean_runs", tests, KGT_COUNT(tests));
}
